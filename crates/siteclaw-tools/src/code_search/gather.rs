//! Many files at once, their rows in the order of the walk.
//!
//! One thread walks, all threads search. Results are put together in the order of the batches, and as soon as the
//! ones from the beginning on make a page the rest is given up: a page costs what it shows, not what there is.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use grep_regex::RegexMatcher;
use siteclaw_core::{Masker, Stop};

use super::file::{FileSearch, Task};
use super::rows::Row;
use super::skipped::{Reason, Skips};
use super::walk::{Batch, Filter, Walk, shown};
use crate::classify::{Purpose, Verdict};
use crate::root::{RelPath, RootError};
use crate::roots::{Located, Place};

/// Batches that wait for a thread; each may hold an open folder.
const WAITING: usize = 32;
/// Threads of one search.
const MAX_THREADS: usize = 8;

/// Says when to end early.
pub(super) struct Halt<'a> {
    stop: &'a Stop,
    until: Instant,
    enough: AtomicBool,
}

impl<'a> Halt<'a> {
    pub(super) const fn new(stop: &'a Stop, until: Instant) -> Self {
        Self { stop, until, enough: AtomicBool::new(false) }
    }

    pub(super) fn is_set(&self) -> bool {
        self.enough.load(Ordering::Relaxed) || self.stop.is_set() || self.is_late()
    }

    fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }
}

/// What is looked for, the same for all threads.
pub(super) struct Search<'a> {
    pub(super) matcher: &'a RegexMatcher,
    pub(super) masker: &'a Masker,
    pub(super) filter: &'a Filter,
    pub(super) context: usize,
    pub(super) max_bytes: u64,
    /// The most rows that are of use.
    pub(super) most: usize,
    /// The most characters of rows that are of use.
    pub(super) room: usize,
}

/// The rows of a walk, from its beginning on.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) rows: Vec<Row>,
    pub(super) skips: Skips,
    /// Files that were searched.
    pub(super) files: u64,
    /// Whether the walk came to its end.
    pub(super) complete: bool,
    /// Whether it did not because of the time.
    pub(super) late: bool,
    /// The last file that was dealt with, where the walk did not come to its end.
    pub(super) last: Option<RelPath>,
    cost: usize,
}

/// What one batch gave.
struct Done {
    rows: Vec<Row>,
    skips: Skips,
    files: u64,
    last: Option<RelPath>,
    whole: bool,
}

#[derive(Default)]
struct Queue {
    batches: VecDeque<(u64, Batch)>,
    closed: bool,
}

#[derive(Default)]
struct Order {
    next: u64,
    early: BTreeMap<u64, Done>,
    gathered: Gathered,
    /// A batch was not searched to its end: what comes after it is of no use.
    broken: bool,
}

struct Shared<'a> {
    search: &'a Search<'a>,
    place: Place,
    halt: &'a Halt<'a>,
    queue: Mutex<Queue>,
    more: Condvar,
    order: Mutex<Order>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Searches the files of a walk.
pub(super) fn gather(search: &Search<'_>, place: Place, mut walk: Walk<'_>, halt: &Halt<'_>) -> Gathered {
    let shared = Shared {
        search,
        place,
        halt,
        queue: Mutex::default(),
        more: Condvar::new(),
        order: Mutex::default(),
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let walked = std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| shared.work());
        }
        shared.walk(&mut walk)
    });
    let mut order = shared.order.into_inner().unwrap_or_else(PoisonError::into_inner);
    order.gathered.complete = walked && !order.broken;
    order.gathered.late = !order.gathered.complete && !halt.enough.load(Ordering::Relaxed);
    if order.gathered.complete {
        order.gathered.skips.extend(walk.rest());
    }
    order.gathered
}

impl Shared<'_> {
    /// Walks, and searches when the others have enough to do. Says whether the walk came to its end.
    fn walk(&self, walk: &mut Walk<'_>) -> bool {
        let mut own = self.file_search();
        let mut number = 0;
        let ended = loop {
            if self.halt.is_set() {
                break false;
            }
            let waiting = locked(&self.queue).batches.len();
            if waiting >= WAITING {
                if let Some((number, batch)) = self.take() {
                    self.put(number, self.search_batch(&mut own, batch));
                }
                continue;
            }
            let Some(batch) = walk.next() else { break true };
            locked(&self.queue).batches.push_back((number, batch));
            self.more.notify_one();
            number += 1;
        };
        locked(&self.queue).closed = true;
        self.more.notify_all();
        while let Some((number, batch)) = self.take() {
            self.put(number, self.search_batch(&mut own, batch));
        }
        ended
    }

    fn work(&self) {
        let mut own = self.file_search();
        loop {
            let mut queue = locked(&self.queue);
            let next = loop {
                if let Some(next) = queue.batches.pop_front() {
                    break Some(next);
                }
                if queue.closed {
                    break None;
                }
                queue = self.more.wait(queue).unwrap_or_else(PoisonError::into_inner);
            };
            drop(queue);
            let Some((number, batch)) = next else { return };
            self.put(number, self.search_batch(&mut own, batch));
        }
    }

    fn take(&self) -> Option<(u64, Batch)> {
        locked(&self.queue).batches.pop_front()
    }

    fn file_search(&self) -> FileSearch<'_> {
        let Search { matcher, masker, context, max_bytes, .. } = *self.search;
        FileSearch::new(matcher.clone(), masker, self.halt, context, max_bytes)
    }

    fn search_batch(&self, files: &mut FileSearch<'_>, batch: Batch) -> Done {
        let Batch { folder, path, files: names, after_line, ignores, skips } = batch;
        let filter = self.search.filter;
        let mut done = Done { rows: Vec::new(), skips, files: 0, last: None, whole: true };
        let judged_by_path = filter.has_globs() || !ignores.is_empty();
        let mut after_line = after_line.unwrap_or(0);
        for name in names {
            let after_line = std::mem::take(&mut after_line);
            if self.halt.is_set() {
                done.whole = false;
                break;
            }
            let whole_path = || path.join(&name);
            if let Some(extension) = &filter.extension
                && !has_extension(Path::new(&name), extension)
            {
                continue;
            }
            if judged_by_path {
                let path = whole_path();
                if filter.globs.matched(&path, false).is_ignore() {
                    continue;
                }
                if ignores.leave_out(&path, false) {
                    done.skips.add(Reason::Ignored, || shown(self.place, &path));
                    continue;
                }
            }
            let show = || shown(self.place, &whole_path());
            let Ok(single) = RelPath::from_path(Path::new(&name)) else {
                done.skips.add(Reason::Name, show);
                continue;
            };
            // The folder was judged when it was entered, so the name alone is left.
            let verdict = filter.policy.judge(Purpose::Search, &single);
            if matches!(verdict, Verdict::Refused(_)) {
                done.skips.add(Reason::Secret, show);
                continue;
            }
            let place = self.place;
            let task = Task {
                at: &|| Some(Located { place, path: RelPath::from_path(&whole_path()).ok()? }),
                after_line,
                most: self.search.most,
                only_harmless: verdict == Verdict::IfHarmless,
            };
            let rows = match folder.file(&name) {
                Ok(found) => files.search(found, &task),
                Err(RootError::NotFound { .. }) => continue,
                Err(RootError::Link { .. }) => Err(Reason::Link),
                Err(RootError::NotAFile { .. }) => Err(Reason::Special),
                Err(_) => Err(Reason::Unreadable),
            };
            if self.halt.is_set() {
                // The file may not have been searched to its end.
                done.whole = false;
                break;
            }
            match rows {
                Ok(rows) => {
                    done.files += 1;
                    done.rows.extend(rows);
                }
                Err(reason) => done.skips.add(reason, show),
            }
            done.last = RelPath::from_path(&whole_path()).ok();
        }
        done
    }

    /// Puts a result where it belongs, and ends the search when the rows from the beginning on are enough.
    fn put(&self, number: u64, done: Done) {
        let mut order = locked(&self.order);
        order.early.insert(number, done);
        loop {
            let next = order.next;
            let Some(done) = (!order.broken).then(|| order.early.remove(&next)).flatten() else { return };
            order.next += 1;
            order.broken = !done.whole;
            let gathered = &mut order.gathered;
            gathered.cost += done.rows.iter().map(Row::cost).sum::<usize>();
            gathered.rows.extend(done.rows);
            gathered.skips.extend(done.skips);
            gathered.files += done.files;
            gathered.last = done.last.or(gathered.last.take());
            if gathered.rows.len() >= self.search.most || gathered.cost > self.search.room {
                self.halt.enough.store(true, Ordering::Relaxed);
                order.broken = true;
            }
        }
    }
}

fn has_extension(name: &Path, extension: &str) -> bool {
    name.extension().is_some_and(|own| own.to_string_lossy().to_lowercase() == *extension)
}
