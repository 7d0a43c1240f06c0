//! What a value looks like, by itself.

use super::names::Verdict;

/// Longer texts are documents, not tokens.
const LONGEST: usize = 4096;

/// What stands for "set", "not set" or a choice, whatever its name promises.
const WORDS: [&str; 18] = [
    "0",
    "1",
    "yes",
    "no",
    "on",
    "off",
    "true",
    "false",
    "null",
    "none",
    "default",
    "disabled",
    "enabled",
    "auto",
    "required",
    "optional",
    "cram-md5",
    "digest-md5",
];

/// Beginnings of the names of licences that texts and code are under.
const LICENCES: [&str; 11] =
    ["gpl", "lgpl", "agpl", "mit", "apache", "bsd", "mpl", "cc", "isc", "gnu", "public"];

/// Whether a text under a name of this verdict is secret.
pub(super) fn is_secret(verdict: Verdict, text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || WORDS.contains(&text.trim_end_matches(['.', '!']).to_ascii_lowercase().as_str()) {
        return false;
    }
    match verdict {
        Verdict::Plain => false,
        Verdict::Near => is_random(text),
        Verdict::Likely => is_token(text),
        Verdict::Secret => true,
    }
}

/// One piece without blanks that is no word, number, date, address or licence.
fn is_token(text: &str) -> bool {
    let length = text.chars().count();
    if !(8..=LONGEST).contains(&length) || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    let open = text.contains("://")
        || text.starts_with(['/', '#', '<', '{', '['])
        || LICENCES.iter().any(|name| lower.starts_with(name))
        || text.bytes().all(|byte| byte.is_ascii_digit() || b".:-T/+".contains(&byte)) && length < 20
        || is_address(text);
    if open {
        return false;
    }
    let has = |test: fn(&u8) -> bool| text.as_bytes().iter().any(test);
    let (digit, lower) = (has(u8::is_ascii_digit), has(u8::is_ascii_lowercase));
    let (upper, inner) = (has(u8::is_ascii_uppercase), text.bytes().skip(1).any(|b| b.is_ascii_uppercase()));
    digit && (lower || upper) || lower && inner || length >= 20
}

/// An e-mail address.
fn is_address(text: &str) -> bool {
    text.split_once('@').is_some_and(|(_, host)| host.contains('.') && !host.contains(['@', '/', ':']))
}

/// A run of letters and digits as only a machine makes them: long, mixed, and with few repeats.
fn is_random(text: &str) -> bool {
    if text.len() > LONGEST || text.contains("://") || text.contains(char::is_whitespace) {
        return false;
    }
    is_uuid(text)
        || text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|run| run.len() >= 16 && is_mixed(run) && entropy(run) >= 3.0)
}

/// Digits scattered among letters, or both cases scattered: `summer2026sale` and `WooCommerceProducts` are not.
fn is_mixed(run: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        _ => 2,
    };
    let bytes = run.as_bytes();
    let changes = bytes.windows(2).filter(|pair| matches!(pair, [a, b] if kind(*a) != kind(*b))).count();
    let few = if bytes.iter().any(u8::is_ascii_digit) { 4 } else { 3 };
    changes * few >= bytes.len()
        || bytes.iter().all(u8::is_ascii_hexdigit) && bytes.iter().any(u8::is_ascii_digit)
}

/// Bits by character.
fn entropy(run: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in run.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = run.len() as f64;
    let bits = |count: &u32| {
        let share = f64::from(*count) / total;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') && lengths.eq([8, 4, 4, 4, 12])
}

/// A whole text of at least 32 hexadecimal digits: keys are made like this, but checksums too.
pub(super) fn is_long_hex(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_under_a_likely_name_is_secret_and_a_setting_is_not() {
        for text in [
            "Zx81kq90",
            "ab12cd34-us6",
            "PLANTED-token",
            "abcdefghijklmnopqrst",
            "a1b2c3d4e5f6",
            "123456789012345678901",
        ] {
            assert!(is_secret(Verdict::Likely, text), "{text}");
        }
        for text in [
            "yes",
            "enabled",
            "Best regards, Ann",
            "GPL-2.0-or-later",
            "https://example.org/api2",
            "login",
            "CRAM-MD5",
            "ann2@example.org",
            "2026-11-30",
            "2026-11-30T08:00:00",
            "12345678",
            "/var/keys/x1.pem",
            "homepage",
            "#aabbcc11",
            "10.0.0.5:8080",
        ] {
            assert!(!is_secret(Verdict::Likely, text), "{text}");
        }
    }

    #[test]
    fn only_what_a_machine_made_is_secret_near_a_service() {
        for text in [
            "f47ac10b-58cc-4372-a567-0e02b2c3d479",
            "4eC39HqLyjWDarjtT1zdp7dc",
            "AQ2b8fK3m9Zx7Lq1",
            "0123456789abcdef0123456789abcdef",
        ] {
            assert!(is_secret(Verdict::Near, text), "{text}");
        }
        for text in [
            "WooCommerceProductsImport",
            "credit-card-payment-gateway",
            "summer2026campaign",
            "https://x.example/4eC39HqLyjWDarjtT1zdp7dc",
            "yes",
            "1700000000",
            "Payment by card 4eC39HqLyjWDarjtT1zdp7dc",
            "aaaaaaaaaaaaaaaaaaaa1",
            "version_10_2_3_beta",
        ] {
            assert!(!is_secret(Verdict::Near, text), "{text}");
        }
    }

    #[test]
    fn under_a_secret_name_only_choices_are_shown() {
        assert!(is_secret(Verdict::Secret, "abc"));
        assert!(!is_secret(Verdict::Secret, "No"));
        assert!(!is_secret(Verdict::Secret, " "));
        assert!(!is_secret(Verdict::Plain, "4eC39HqLyjWDarjtT1zdp7dc"));
    }
}
