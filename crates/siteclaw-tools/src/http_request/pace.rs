//! How often one host is asked.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

const MINUTE: i64 = 60_000;
/// Hosts that are remembered; beyond that those not asked for a minute are forgotten, then any.
const MAX_HOSTS: usize = 1000;

/// Counts requests to each host over the last minute.
#[derive(Debug)]
pub(super) struct Pace {
    per_minute: usize,
    hosts: Mutex<HashMap<String, VecDeque<i64>>>,
}

impl Pace {
    pub(super) fn new(per_minute: u32) -> Self {
        Self { per_minute: per_minute.max(1) as usize, hosts: Mutex::default() }
    }

    /// Counts a request to the host at `now`, in milliseconds. Fails with the seconds to wait when there were too
    /// many.
    pub(super) fn admit(&self, host: &str, now: i64) -> Result<(), i64> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MAX_HOSTS && !hosts.contains_key(host) {
            hosts.retain(|_, times| times.back().is_some_and(|last| now.saturating_sub(*last) < MINUTE));
            if hosts.len() >= MAX_HOSTS {
                hosts.clear();
            }
        }
        let times = hosts.entry(host.to_owned()).or_default();
        while times.front().is_some_and(|first| now.saturating_sub(*first) >= MINUTE) {
            times.pop_front();
        }
        if let Some(first) = times.front().filter(|_| times.len() >= self.per_minute) {
            let left = MINUTE.saturating_sub(now.saturating_sub(*first));
            return Err(left.saturating_add(999) / 1000);
        }
        times.push_back(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_asked_so_often_in_a_minute_and_others_do_not_count() {
        let pace = Pace::new(2);
        assert_eq!(pace.admit("a", 0), Ok(()));
        assert_eq!(pace.admit("a", 10_000), Ok(()));
        assert_eq!(pace.admit("a", 20_500), Err(40));
        assert_eq!(pace.admit("b", 20_500), Ok(()));
        assert_eq!(pace.admit("a", 60_000), Ok(()));
        assert_eq!(pace.admit("a", 60_001), Err(10));
    }

    #[test]
    fn memory_is_bounded_by_the_number_of_hosts() {
        let pace = Pace::new(2);
        for number in 0..5000 {
            pace.admit(&format!("host-{number}"), number).unwrap();
        }
        assert!(pace.hosts.lock().unwrap().len() <= MAX_HOSTS);
    }
}
