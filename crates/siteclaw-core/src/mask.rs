//! Replacing secrets in whatever leaves the door.
//!
//! A secret becomes `⟦secret:ab12cd34⟧`: a digest keyed by the installation, so the same secret has the
//! same placeholder everywhere and after a restart, and no map needs to be kept. Two kinds are found: exact
//! values that the program has learnt (passwords and salts of the site's own configuration), and known
//! shapes (password hashes, private keys, providers' tokens, credentials in addresses).
//!
//! ```
//! use siteclaw_core::{Masker, Secret};
//! let masker = Masker::new([7; 32]);
//! masker.learn([Secret::new("correct-horse-7")]);
//! let masked = masker.mask("the password is correct-horse-7.");
//! assert!(masked.starts_with("the password is ⟦secret:") && masked.ends_with("⟧."));
//! assert_eq!(masker.mask("nothing here"), "nothing here");
//! ```

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use aho_corasick::{AhoCorasick, MatchKind};
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::secret::Secret;

mod shapes;
mod trace;

pub use shapes::without_known_secrets;
pub use trace::{Span, Traced};

/// Exact values shorter than this are too common as words to be replaced wherever they stand.
const SHORTEST: usize = 6;

/// How many secrets without anything between them are told apart. Only text with secrets is read again.
const PASSES: usize = 8;

#[derive(Default)]
struct Exact {
    values: Vec<Secret>,
    finder: OnceLock<Option<AhoCorasick>>,
}

impl Exact {
    /// Finds the values. It is built for the first text: it costs more than all else that reading a site's
    /// configuration does, and a program that only lists its tools has no text to mask.
    fn finder(&self) -> Option<&AhoCorasick> {
        if self.values.is_empty() {
            return None;
        }
        let build = || {
            AhoCorasick::builder()
                // Secrets may overlap in a text; each find counts.
                .match_kind(MatchKind::Standard)
                .build(self.values.iter().map(|value| value.expose().as_bytes()))
                .map_err(|error| tracing::error!(%error, "the masker cannot take more values"))
                .ok()
        };
        self.finder.get_or_init(build).as_ref()
    }
}

/// Replaces secrets by placeholders.
pub struct Masker {
    key: OnceLock<Zeroizing<[u8; 32]>>,
    source: Box<dyn Fn() -> [u8; 32] + Send + Sync>,
    exact: RwLock<Arc<Exact>>,
}

impl Masker {
    /// A masker with the installation's key. It knows shapes at once, exact values when it learns them.
    pub fn new(key: [u8; 32]) -> Self {
        Self::lazy(move || key)
    }

    /// A masker that asks for its key when the first secret is found: a run that meets none needs no key.
    pub fn lazy(key: impl Fn() -> [u8; 32] + Send + Sync + 'static) -> Self {
        Self { key: OnceLock::new(), source: Box::new(key), exact: RwLock::default() }
    }

    /// Learns values that must never leave, such as the database password. Values under six characters are
    /// passed over: they are too likely to be ordinary words.
    pub fn learn(&self, secrets: impl IntoIterator<Item = Secret>) {
        let mut exact = self.exact.write().unwrap_or_else(PoisonError::into_inner);
        let mut values = exact.values.clone();
        let before = values.len();
        for secret in secrets {
            let text = secret.expose();
            if text.chars().count() >= SHORTEST {
                add(&mut values, text);
                // As it stands inside JSON that somebody put into a text.
                let escaped = Value::from(text).to_string();
                let escaped = escaped.trim_matches('"');
                if escaped != text {
                    add(&mut values, escaped);
                }
            }
        }
        if values.len() == before {
            return;
        }
        *exact = Arc::new(Exact { values, finder: OnceLock::new() });
    }

    /// The text with every secret replaced.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.counted(text).0
    }

    /// Replaces the secrets in every string of the value, keys of objects included; returns how many.
    pub fn mask_value(&self, value: &mut Value) -> usize {
        match value {
            Value::String(text) => {
                let (masked, count) = self.counted(text);
                if let Cow::Owned(masked) = masked {
                    *text = masked;
                }
                count
            }
            Value::Array(items) => items.iter_mut().map(|item| self.mask_value(item)).sum(),
            Value::Object(map) => {
                let mut count: usize = map.values_mut().map(|item| self.mask_value(item)).sum();
                let secret_keys: Vec<String> =
                    map.keys().filter(|key| self.counted(key).1 > 0).cloned().collect();
                for key in secret_keys {
                    if let Some(item) = map.remove(&key) {
                        map.insert(self.mask(&key).into_owned(), item);
                        count += 1;
                    }
                }
                count
            }
            _ => 0,
        }
    }

    /// The placeholder of a secret.
    pub fn placeholder(&self, secret: &str) -> String {
        let key = self.key.get_or_init(|| Zeroizing::new((self.source)()));
        let mut mac = match Hmac::<Sha256>::new_from_slice(key.as_slice()) {
            Ok(mac) => mac,
            // HMAC takes keys of every length.
            Err(_) => return "⟦secret:00000000⟧".to_owned(),
        };
        mac.update(secret.as_bytes());
        let digest = mac.finalize().into_bytes();
        let hex: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        format!("⟦secret:{hex}⟧")
    }

    fn counted<'a>(&self, text: &'a str) -> (Cow<'a, str>, usize) {
        let (first, mut count) = self.pass(text);
        let Cow::Owned(mut masked) = first else { return (first, count) };
        // A secret that ends in a letter hides the word that begins the next one right behind it.
        for _ in 1..PASSES {
            let (again, more) = self.pass(&masked);
            let Cow::Owned(again) = again else { break };
            masked = again;
            count += more;
        }
        (Cow::Owned(masked), count)
    }

    fn pass<'a>(&self, text: &'a str) -> (Cow<'a, str>, usize) {
        let finds = self.finds(text);
        if finds.is_empty() {
            return (Cow::Borrowed(text), 0);
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for found in &finds {
            let (Some(before), Some(secret)) = (text.get(done..found.start), text.get(found.clone())) else {
                continue;
            };
            out.push_str(before);
            out.push_str(&self.placeholder(secret));
            done = found.end;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        (Cow::Owned(out), finds.len())
    }

    /// Where secrets stand, in order and apart from each other. What is a placeholder already is none, and none
    /// begins or ends within one: masking twice is masking once.
    fn finds(&self, text: &str) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let exact = Arc::clone(&self.exact.read().unwrap_or_else(PoisonError::into_inner));
        if let Some(finder) = exact.finder() {
            ranges.extend(finder.find_overlapping_iter(text).map(|found| found.range()));
        }
        shapes::find(text, &mut ranges);
        if ranges.is_empty() {
            return ranges;
        }
        let placeholders = placeholders(text);
        let touched = |at: usize| {
            let next = placeholders.partition_point(|placeholder| placeholder.end <= at);
            placeholders.get(next).filter(|placeholder| placeholder.start < at)
        };
        for range in &mut ranges {
            range.start = touched(range.start).map_or(range.start, |placeholder| placeholder.start);
            range.end = touched(range.end).map_or(range.end, |placeholder| placeholder.end);
        }
        // A password such as 'secret' is part of every placeholder.
        ranges.retain(|range| !placeholders.contains(range));
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        // Overlapping finds are one secret.
        ranges.dedup_by(|next, range| {
            let overlaps = next.start < range.end;
            if overlaps {
                range.end = range.end.max(next.end);
            }
            overlaps
        });
        ranges
    }
}

fn add(values: &mut Vec<Secret>, text: &str) {
    if !values.iter().any(|known| known.expose() == text) {
        values.push(Secret::new(text));
    }
}

/// Where placeholders stand in a text, in order.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    let length = "⟦secret:00000000⟧".len();
    let starts = text.match_indices("⟦secret:").map(|(start, _)| start..start + length);
    starts.filter(|range| text.get(range.clone()).is_some_and(is_placeholder)).collect()
}

fn is_placeholder(text: &str) -> bool {
    text.strip_prefix("⟦secret:")
        .and_then(|rest| rest.strip_suffix('⟧'))
        .is_some_and(|hex| hex.len() == 8 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl std::fmt::Debug for Masker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Masker(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    fn masker() -> Masker {
        let masker = Masker::new([1; 32]);
        masker.learn([Secret::new("p'a\"ss$w#rd;//x"), Secret::new("abc")]);
        masker
    }

    #[test]
    fn known_shapes_are_replaced_and_their_surroundings_stay() {
        let hash = "$2y$10$TAc2Ni85MK1AKaka/C9w3utiPjZskZki0Wi4peTJWATzf.X/bjxPq";
        let table = [
            (format!("row: $wp{hash} end"), "row: ⟦⟧ end"),
            ("$P$BqZx81Ab.UGQz24EykPX.Ax.UAyy2A0".to_owned(), "⟦⟧"),
            ("$generic$s14EIAJxiIfYiBRuxFvvZQsWTX3-VqCX7asaoK00".to_owned(), "⟦⟧"),
            ("mysql://shop:hunter22@db/shop".to_owned(), "mysql://shop:⟦⟧@db/shop"),
            ("key sk_live_abcdefghijklmnop!".to_owned(), "key ⟦⟧!"),
            ("Authorization: Bearer abc.def-ghi_jkl".to_owned(), "Authorization: Bearer ⟦⟧"),
            ("define('DB_PASSWORD', 'hunter22');".to_owned(), "define('DB_PASSWORD', '⟦⟧');"),
            ("DB_PASSWORD=hunter22\nX=1".to_owned(), "DB_PASSWORD=⟦⟧\nX=1"),
            ("ck_0123456789abcdef0123456789abcdef01234567".to_owned(), "⟦⟧"),
            ("-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\nx".to_owned(), "⟦⟧\nx"),
        ];
        let masker = masker();
        let blank = Regex::new("secret:[0-9a-f]{8}").unwrap();
        for (given, expected) in table {
            assert_eq!(blank.replace_all(&masker.mask(&given), ""), expected, "{given}");
        }
    }

    #[test]
    fn a_secret_right_behind_another_is_found() {
        let phpass = "$P$BqZx81Ab.UGQz24EykPX.Ax.UAyy2A0";
        let google = format!("AIza{}", "x".repeat(35));
        let table = [
            (
                "p'a\"ss$w#rd;//xAuthorization: Bearer abc.def-ghi_jkl".to_owned(),
                "⟦⟧Authorization: Bearer ⟦⟧",
            ),
            (format!("{phpass}sk_live_abcdefghijklmnop"), "⟦⟧⟦⟧"),
            (format!("{google}{google}{google}."), "⟦⟧⟦⟧⟦⟧."),
        ];
        let masker = masker();
        let blank = Regex::new("secret:[0-9a-f]{8}").unwrap();
        for (given, expected) in table {
            assert_eq!(blank.replace_all(&masker.mask(&given), ""), expected, "{given}");
            assert!(matches!(masker.mask(&masker.mask(&given)), Cow::Borrowed(_)), "{given}");
        }
    }

    #[test]
    fn placeholders_of_a_secret_that_is_part_of_them_stay_whole() {
        for secret in ["secret", "⟦secre", "secret:"] {
            let masker = Masker::new([1; 32]);
            masker.learn([Secret::new(secret), Secret::new("hunter22")]);
            let (one, other) = (masker.placeholder(secret), masker.placeholder("hunter22"));
            let masked = masker.mask(&format!("a {secret} b hunter22 c {other}")).into_owned();
            assert_eq!(masked, format!("a {one} b {other} c {other}"));
            assert_eq!(masker.mask(&masked), masked);
        }
    }

    #[test]
    fn secrets_that_overlap_are_masked_together() {
        let masker = Masker::new([1; 32]);
        masker.learn([Secret::new("first-second"), Secret::new("second-third")]);
        assert_eq!(
            masker.mask("<first-second-third>"),
            format!("<{}>", masker.placeholder("first-second-third"))
        );
    }

    #[test]
    fn ordinary_text_stays() {
        let masker = masker();
        for text in [
            "The password field is required.",
            "$password = $row['user_pass'];",
            "abc and sk-short, https://example.org:8080/a@b",
            "Token economics; secret santa = fun",
            "meta_key = 'api_key'",
        ] {
            assert_eq!(masker.mask(text), text);
        }
    }

    #[test]
    fn placeholders_depend_on_the_secret_and_the_installation() {
        let one = Masker::new([1; 32]);
        assert_eq!(one.placeholder("hunter22"), Masker::new([1; 32]).placeholder("hunter22"));
        assert_ne!(one.placeholder("hunter22"), one.placeholder("hunter23"));
        assert_ne!(one.placeholder("hunter22"), Masker::new([2; 32]).placeholder("hunter22"));
        // HMAC-SHA256 with a key of 32 bytes 0x01, worked out with `openssl dgst -mac HMAC`.
        assert_eq!(one.placeholder("hunter22"), "⟦secret:1b2c7939⟧");
    }

    #[test]
    fn values_are_masked_wherever_they_stand_in_json() {
        let masker = masker();
        let secret = "p'a\"ss$w#rd;//x";
        let mut value = serde_json::json!({
            "row": [secret, {"inner": format!("see {secret}")}],
            secret: 1,
            "as_json": serde_json::json!({"k": secret}).to_string()
        });
        assert_eq!(masker.mask_value(&mut value), 4);
        let text = value.to_string();
        assert!(!text.contains("ss$w#rd"), "{text}");
    }

    proptest! {
        #[test]
        fn a_learnt_secret_never_survives_and_masking_is_stable(
            secret in "[ -~]{6,24}", before in "[ -~äß]{0,20}", after in "[ -~äß]{0,20}"
        ) {
            let masker = Masker::new([9; 32]);
            masker.learn([Secret::new(secret.clone())]);
            let text = format!("{before}{secret}{after}");
            let masked = masker.mask(&text).into_owned();
            // A secret made of the placeholder's own letters may stand in one.
            if !"⟦secret:0123456789abcdef⟧".contains(&secret) {
                prop_assert!(!masked.contains(&secret), "{}", masked);
            }
            prop_assert_eq!(masker.mask(&masked), masked.as_str());
        }

        #[test]
        fn any_text_can_be_masked(text in any::<String>()) {
            let _ = masker().mask(&text);
        }
    }
}
