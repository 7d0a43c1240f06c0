//! Many measurements of one thing.

use std::time::Duration;

/// Durations, asked for by their rank.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn add(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    /// The smallest sample that at least this share of all do not exceed, by nearest rank. Nothing was measured: 0.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).copied().unwrap_or_default()
    }

    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(values: impl IntoIterator<Item = u64>) -> Samples {
        Samples(values.into_iter().map(Duration::from_nanos).collect())
    }

    #[test]
    fn ranks_are_the_nearest() {
        let hundred = samples((1..=100).rev());
        assert_eq!(hundred.median(), Duration::from_nanos(50));
        assert_eq!(hundred.percentile(99), Duration::from_nanos(99));
        let three = samples([30, 10, 20]);
        assert_eq!(
            (three.median(), three.percentile(99)),
            (Duration::from_nanos(20), Duration::from_nanos(30))
        );
        assert_eq!(samples([]).median(), Duration::ZERO);
    }
}
