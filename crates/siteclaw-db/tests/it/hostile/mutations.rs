//! Honest answers with a few bytes changed: thousands of servers that are nearly right.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use siteclaw_db::{ConnectSettings, Database, Limits, Tls};

use super::{Reply, apart, mysql_at, mysql_server, postgres_at, postgres_server};
use crate::servers::rows;

const SERVERS: u64 = 1000;
/// As many at a time.
const CROWD: usize = 50;

/// A small generator of numbers, so that a failure can be repeated by its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides.max(1)
    }

    /// Changes up to three bytes, or their number.
    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.roll(3) {
            let at = self.roll(bytes.len());
            match self.roll(4) {
                0 => bytes.insert(at, u8::try_from(self.roll(256)).unwrap()),
                1 if at < bytes.len() => drop(bytes.remove(at)),
                2 if at < bytes.len() => {
                    bytes[at] = [0, 1, 0x7f, 0x80, 0xfb, 0xfc, 0xfd, 0xfe, 0xff][self.roll(9)]
                }
                _ if at < bytes.len() => bytes[at] = u8::try_from(self.roll(256)).unwrap(),
                _ => {}
            }
        }
    }
}

/// Asks twice, and waits for no answer that does not come.
async fn ask(settings: ConnectSettings) {
    let patience = Duration::from_millis(200);
    let database = Database::new(settings, Limits { connect_timeout: patience, ..Limits::default() });
    for _ in 0..2 {
        let _ = tokio::time::timeout(patience, rows(&database, "SELECT a FROM t")).await;
    }
}

async fn crowd(server: impl AsyncFn(u64)) {
    let servers: Vec<u64> = (0..SERVERS).collect();
    for seeds in servers.chunks(CROWD) {
        futures_util::future::join_all(seeds.iter().map(|seed| server(*seed))).await;
    }
}

/// Each server changes one of its answers, chosen by its seed.
fn mutated(seed: u64, turn: &AtomicU64, honest: impl FnOnce() -> Vec<u8>) -> Option<Reply> {
    (turn.fetch_add(1, Ordering::Relaxed) == seed % 11).then(|| {
        let mut bytes = honest();
        Dice(seed).mutate(&mut bytes);
        Reply::Bytes(bytes)
    })
}

#[tokio::test]
async fn nearly_honest_mysql_servers_do_no_harm() {
    let Some(_peak) = apart(module_path!(), "nearly_honest_mysql_servers_do_no_harm", 200) else { return };
    crowd(async |seed| {
        let turn = AtomicU64::new(0);
        let port = mysql_server::start(move |asked| match asked {
            mysql_server::Asked::Greeting => {
                mutated(seed, &turn, || mysql_server::packet(0, &mysql_server::greeting(false)))
            }
            mysql_server::Asked::Login(_) => None,
            mysql_server::Asked::Command(command) => {
                let honest = mysql_server::honest(command)?;
                mutated(seed, &turn, || mysql_server::packets(&honest))
            }
        })
        .await;
        ask(ConnectSettings::MySql(mysql_at(port, Tls::Preferred))).await;
    })
    .await;
}

#[tokio::test]
async fn nearly_honest_postgres_servers_do_no_harm() {
    let Some(_peak) = apart(module_path!(), "nearly_honest_postgres_servers_do_no_harm", 200) else { return };
    crowd(async |seed| {
        let turn = AtomicU64::new(0);
        let prepared = std::sync::Mutex::new(Vec::new());
        let port = postgres_server::start(move |(tag, body)| {
            if tag == b'P' {
                prepared.lock().unwrap().clone_from(&body.to_vec());
            }
            let prepared = prepared.lock().unwrap();
            mutated(seed, &turn, || postgres_server::honest(tag, &prepared))
        })
        .await;
        ask(ConnectSettings::Postgres(postgres_at(port, Tls::Off))).await;
    })
    .await;
}
