//! Secrets that are known by their shape, whoever put them where they stand.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexSet};

/// Shapes of secrets. The group `s`, where there is one, is the secret; else the whole match.
const SHAPES: &[&str] = &[
    // Private keys in PEM form, cut ones and those within JSON too.
    concat!(
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:",
        r"[A-Za-z0-9+/=\s:,.()\x5c-]*?-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----",
        r"|\s*(?:[A-Za-z-]+: [^\n]*\n)*(?:(?:\s|\x5c[rn])*[A-Za-z0-9+/=]{20,})*(?:(?:\s|\x5c[rn])*[A-Za-z0-9+/=]+)?)"
    ),
    // Password hashes: bcrypt (WordPress prefixes its own), phpass, argon2, keyed BLAKE2b, crypt.
    r"(?:\$wp)?\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}",
    r"\$[PH]\$[./A-Za-z0-9]{31}",
    r"\$argon2(?:id|i|d)\$v=\d+\$[a-z0-9=,]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+",
    r"\$generic\$[A-Za-z0-9_-]{40}",
    r"\$[156]\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}",
    // Tokens of providers: OpenAI and Anthropic, Stripe, GitHub, GitLab, Slack, AWS, Google, SendGrid,
    // WooCommerce, Mailchimp, Mailgun, Brevo, Shopify, Square, DigitalOcean, npm, Hugging Face, Telegram.
    r"\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}",
    r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    r"\bwhsec_[A-Za-z0-9]{16,}",
    r"\bgh[pousr]_[A-Za-z0-9]{36,}",
    r"\bgithub_pat_[A-Za-z0-9_]{22,}",
    r"\bglpat-[A-Za-z0-9_-]{20,}",
    r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}",
    r"\bA(?:KIA|SIA)[0-9A-Z]{16}\b",
    r"\bAIza[0-9A-Za-z_-]{35}",
    r"\bGOCSPX-[A-Za-z0-9_-]{20,}",
    r"\bya29\.[A-Za-z0-9_-]{20,}",
    r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"\bc[ks]_[0-9a-f]{40}\b",
    r"\b[0-9a-f]{32}-us[0-9]{1,2}\b",
    r"\bkey-[0-9a-f]{32}\b",
    r"\bxkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}\b",
    r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b",
    r"\bsq0[a-z]{3}-[A-Za-z0-9_-]{22,}",
    r"\bdo[opr]_v1_[0-9a-f]{64}\b",
    r"\bnpm_[A-Za-z0-9]{36}\b",
    r"\bhf_[A-Za-z0-9]{30,}\b",
    r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b",
    r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    // Credentials in addresses and headers.
    r"[a-z][a-z0-9+.-]*://[^\s/:@'\x22]*:(?P<s>[^\s/@'\x22]+)@",
    r"(?i)\bauthorization['\x22]?\s*[:=]\s*['\x22]?(?:bearer|basic)\s+(?P<s>[A-Za-z0-9._~+/=-]{8,})",
    // Assignments of a literal to a name that says what it is.
    r"(?i)\b[a-z0-9_]*(?:password|passwd|secret|api_?key|private_?key|access_?token|auth_?token)\b['\x22]?\s*(?:=>|[:=,])\s*['\x22](?P<s>[^'\x22\s$]{6,})['\x22]",
    r"(?m)^\s*(?:export\s+)?[A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|API_KEY|PRIVATE_KEY|TOKEN)[A-Z0-9_]*=(?P<s>[^\s'\x22$#]{6,})",
];

struct Shapes {
    any: RegexSet,
    each: Vec<Regex>,
}

/// The shapes, compiled once for the process. They are constants, so a fault in one is a fault of the
/// program that the tests find; at run time such a shape is left out.
fn shapes() -> &'static Shapes {
    static COMPILED: OnceLock<Shapes> = OnceLock::new();
    COMPILED.get_or_init(|| Shapes {
        any: RegexSet::new(SHAPES).unwrap_or_else(|_| RegexSet::empty()),
        each: SHAPES.iter().filter_map(|shape| Regex::new(shape).ok()).collect(),
    })
}

/// Adds where in the text secrets of a known shape stand, in no order; they may overlap.
pub(super) fn find(text: &str, ranges: &mut Vec<Range<usize>>) {
    let shapes = shapes();
    for index in shapes.any.matches(text) {
        if let Some(shape) = shapes.each.get(index) {
            ranges.extend(
                shape.captures_iter(text).filter_map(|found| {
                    found.name("s").or_else(|| found.get(0)).map(|secret| secret.range())
                }),
            );
        }
    }
}

/// The text with another one in place of each secret that is known by its shape: for a tool that cuts texts,
/// because half a secret has no shape any more.
pub fn without_known_secrets<'a>(text: &'a str, instead: &str) -> Cow<'a, str> {
    let mut ranges = Vec::new();
    find(text, &mut ranges);
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    ranges.dedup_by(|next, range| {
        let overlaps = next.start < range.end;
        if overlaps {
            range.end = range.end.max(next.end);
        }
        overlaps
    });
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for range in ranges {
        out.push_str(text.get(done..range.start).unwrap_or_default());
        out.push_str(instead);
        done = range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_compiles() {
        assert_eq!(shapes().each.len(), SHAPES.len());
        assert_eq!(shapes().any.len(), SHAPES.len());
    }

    #[test]
    fn tokens_of_providers_are_known_and_their_neighbours_are_not() {
        let hex = |count: usize| "0123456789abcdef".chars().cycle().take(count).collect::<String>();
        let letters = |count: usize| "aB3dE6gH9jK".chars().cycle().take(count).collect::<String>();
        for secret in [
            format!("rk_test_{}", letters(24)),
            format!("xoxb-1234567890-{}", letters(12)),
            format!("xapp-1-{}", letters(20)),
            "ASIAIOSFODNN7EXAMPLE".to_owned(),
            format!("GOCSPX-{}", letters(28)),
            format!("{}-us6", hex(32)),
            format!("key-{}", hex(32)),
            format!("xkeysib-{}-{}", hex(64), letters(16)),
            format!("shpat_{}", hex(32)),
            format!("sq0atp-{}", letters(22)),
            format!("dop_v1_{}", hex(64)),
            format!("npm_{}", letters(36)),
            format!("hf_{}", letters(34)),
            format!("123456789:AA{}", letters(33)),
        ] {
            assert_eq!(
                without_known_secrets(&format!("it is {secret}, see"), "*"),
                "it is *, see",
                "{secret}"
            );
        }
        for text in [
            "a key-value store and a key-board",
            "asset 0123456789abcdef0123456789abcdef.css in us-east-1",
            "ASIAN and AKIARA",
            "hf_intro, npm_config_cache, sq0 and dop_v1",
            "build 12345678:AA",
        ] {
            assert!(matches!(without_known_secrets(text, "*"), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn private_keys_are_known_whole_cut_and_within_json() {
        for (given, expected) in [
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIB+/=\n-----END RSA PRIVATE KEY-----\nx", "*\nx"),
            (
                "{\"k\":\"-----BEGIN PRIVATE KEY-----\\nMIIB\\n-----END PRIVATE KEY-----\\n\"}",
                "{\"k\":\"*\\n\"}",
            ),
            ("-----BEGIN PRIVATE KEY-----\nMIIB…", "*…"),
            ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2.0 (GNU)\n\nlQ==\n", "*\n"),
            ("-----BEGIN PRIVATE KEY----- stands above the key, then", "* above the key, then"),
            ("-----BEGIN PUBLIC KEY-----\nMIIB", "-----BEGIN PUBLIC KEY-----\nMIIB"),
        ] {
            assert_eq!(without_known_secrets(given, "*"), expected, "{given}");
        }
    }

    #[test]
    fn overlapping_finds_are_one() {
        let text = "API_KEY='sk_live_abcdefghijklmnop'";
        assert_eq!(without_known_secrets(text, "*"), "API_KEY='*'");
    }
}
