//! The runtime: as few threads as will do, whatever the machine has, because shared hosts count them.
//!
//! Everything that waits runs on the main thread. Work that blocks has a small pool; its first thread is started
//! here, because the pool can go on when the host refuses a further thread, but not without any.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// Threads for blocking work, started when needed.
const BLOCKING_THREADS: usize = 4;
/// The first thread stays: where another process takes its place, there may be none to be had.
const KEEP_ALIVE: Duration = Duration::from_secs(24 * 60 * 60);
/// How often a refused thread is asked for, and how long between. Other commands of the same user end meanwhile.
const ATTEMPTS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(25);

/// Makes the runtime with one thread for blocking work.
pub(crate) fn runtime() -> io::Result<Runtime> {
    let runtime = Builder::new_current_thread()
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(KEEP_ALIVE)
        .enable_all()
        .build()?;
    patiently(ATTEMPTS, || thread::sleep(PAUSE), || start_one(&runtime))?;
    Ok(runtime)
}

/// Starts the pool's first thread. The pool panics where it gets none, so a thread is tried for before.
fn start_one(runtime: &Runtime) -> io::Result<()> {
    // A panicked join cannot come from an empty thread.
    let _ = thread::Builder::new().stack_size(64 * 1024).spawn(|| ())?.join();
    catch_unwind(AssertUnwindSafe(|| drop(runtime.spawn_blocking(|| ()))))
        .map_err(|_| io::Error::from(io::ErrorKind::WouldBlock))
}

/// Tries until it works, or fails for another reason than that the host has nothing to spare at the moment.
fn patiently<T>(
    attempts: u32,
    mut pause: impl FnMut(),
    mut work: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    for _ in 1..attempts {
        match work() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => pause(),
            result => return result,
        }
    }
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(refusals: u32, kind: io::ErrorKind) -> (Result<u32, io::ErrorKind>, u32) {
        let (mut calls, mut pauses) = (0, 0);
        let result = patiently(
            3,
            || pauses += 1,
            || {
                calls += 1;
                if calls <= refusals { Err(kind.into()) } else { Ok(calls) }
            },
        );
        (result.map_err(|error| error.kind()), pauses)
    }

    #[test]
    fn a_refused_thread_is_asked_for_again_and_not_for_ever() {
        let busy = io::ErrorKind::WouldBlock;
        assert_eq!(outcome(0, busy), (Ok(1), 0));
        assert_eq!(outcome(2, busy), (Ok(3), 2));
        assert_eq!(outcome(3, busy), (Err(busy), 2));
        let other = io::ErrorKind::OutOfMemory;
        assert_eq!(outcome(1, other), (Err(other), 0));
    }

    #[test]
    fn blocking_work_runs() {
        let runtime = runtime().unwrap();
        assert_eq!(runtime.block_on(async { tokio::task::spawn_blocking(|| 7).await.unwrap() }), 7);
    }
}
