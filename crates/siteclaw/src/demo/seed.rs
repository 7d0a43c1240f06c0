//! The only source of chance in the demo: a splitmix64 generator with one stream a topic.
//!
//! Streams are named, so that a change to one topic (one more comment) leaves the rows of every other topic
//! as they were. Nothing here is fit for secrets that protect anything.

/// A splitmix64 generator: the same seed and stream name always give the same numbers.
#[derive(Debug, Clone)]
pub(crate) struct Rng {
    state: u64,
}

impl Rng {
    /// Starts the stream `name` of `seed`.
    pub(crate) fn stream(seed: u64, name: &str) -> Self {
        // FNV-1a keeps streams apart without a hashing dependency whose output could change.
        let tag = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        Rng { state: seed ^ tag }
    }

    /// Gives the next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Gives a number in `0..n`, and 0 when `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        // The high half of a 128-bit product: no modulo bias worth speaking of, and no division.
        usize::try_from((u128::from(self.next()) * n as u128) >> 64).unwrap_or(0)
    }

    /// Gives a number in `low..=high` (`low` when the range is empty).
    pub(crate) fn range(&mut self, low: i64, high: i64) -> i64 {
        let span = usize::try_from(high - low + 1).unwrap_or(0);
        low + i64::try_from(self.below(span)).unwrap_or(0)
    }

    /// Says yes in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// Picks one of `items`; the empty text when there are none.
    pub(crate) fn word(&mut self, items: &[&'static str]) -> &'static str {
        items.get(self.below(items.len())).copied().unwrap_or("")
    }

    /// Picks one of `items`.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Picks one of the choices, each as often as its weight says.
    pub(crate) fn weighted<T: Copy>(&mut self, choices: &[(u32, T)]) -> Option<T> {
        let total: u32 = choices.iter().map(|(w, _)| w).sum();
        let mut left = self.below(total as usize) as u32;
        for (weight, choice) in choices {
            if left < *weight {
                return Some(*choice);
            }
            left -= weight;
        }
        None
    }

    /// Shuffles in place.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// Gives `n` characters of `alphabet` (ASCII).
    pub(crate) fn text(&mut self, alphabet: &str, n: usize) -> String {
        let bytes = alphabet.as_bytes();
        (0..n).filter_map(|_| bytes.get(self.below(bytes.len())).map(|b| char::from(*b))).collect()
    }

    /// Gives `n` lower-case hexadecimal digits.
    pub(crate) fn hex(&mut self, n: usize) -> String {
        self.text("0123456789abcdef", n)
    }

    /// Gives `n` letters and digits.
    pub(crate) fn alnum(&mut self, n: usize) -> String {
        self.text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", n)
    }

    /// Gives a version-4 UUID.
    pub(crate) fn uuid(&mut self) -> String {
        format!(
            "{}-{}-4{}-{}{}-{}",
            self.hex(8),
            self.hex(4),
            self.hex(3),
            self.text("89ab", 1),
            self.hex(3),
            self.hex(12)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_splitmix64() {
        // The reference sequence of splitmix64 for state 0.
        let mut rng = Rng { state: 0 };
        assert_eq!(rng.next(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(rng.next(), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(rng.next(), 0x06c4_5d18_8009_454f);
    }

    #[test]
    fn streams_differ_and_repeat() {
        let draw = |name| Rng::stream(7, name).hex(16);
        assert_eq!(draw("posts"), draw("posts"));
        assert_ne!(draw("posts"), draw("users"));
        assert_ne!(Rng::stream(8, "posts").hex(16), draw("posts"));
    }

    #[test]
    fn ranges_hold_and_reach_their_ends() {
        let mut rng = Rng::stream(1, "range");
        let seen: Vec<i64> = (0..200).map(|_| rng.range(-2, 2)).collect();
        assert!(seen.iter().all(|n| (-2..=2).contains(n)));
        assert!(seen.contains(&-2) && seen.contains(&2));
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.word(&[]), "");
    }
}
