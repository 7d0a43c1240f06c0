//! Comparing versions and names as PHP does.

use std::cmp::Ordering;

/// Compares two versions like PHP's `version_compare()`: numbers by value, and
/// `dev < alpha < beta < RC < release < pl`.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let (a, b) = (parts(a), parts(b));
    for index in 0..a.len().max(b.len()) {
        let ordering = match (a.get(index), b.get(index)) {
            (Some(a), Some(b)) => one(a, b),
            // A number that only one has makes it the later; a word such as "beta" makes it the earlier.
            (Some(a), None) => rank(a).cmp(&RELEASE),
            (None, Some(b)) => RELEASE.cmp(&rank(b)),
            (None, None) => Ordering::Equal,
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    Ordering::Equal
}

const RELEASE: i8 = 4;

fn one(a: &str, b: &str) -> Ordering {
    match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        _ => rank(a).cmp(&rank(b)),
    }
}

fn rank(part: &str) -> i8 {
    match part.to_ascii_lowercase().as_str() {
        part if part.starts_with(|c: char| c.is_ascii_digit()) => 5,
        "dev" => 0,
        "alpha" | "a" => 1,
        "beta" | "b" => 2,
        "rc" | "c" => 3,
        "#" => RELEASE,
        "pl" | "p" => 6,
        _ => -1,
    }
}

/// Runs of digits and runs of letters, whatever separates them.
fn parts(version: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut last = None;
    for c in version.trim().chars() {
        let kind = (c.is_ascii_digit(), c.is_alphabetic());
        match (kind, parts.last_mut()) {
            ((false, false), _) => {}
            (_, Some(part)) if last == Some(kind) => part.push(c),
            _ => parts.push(c.to_string()),
        }
        last = Some(kind);
    }
    parts
}

/// Compares names without case, runs of digits by value, like PHP's `strnatcasecmp()`.
pub(crate) fn natural(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let (mut a, mut b) = (a.as_str(), b.as_str());
    loop {
        match (a.chars().next(), b.chars().next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (left, rest_a) = digits(a);
                let (right, rest_b) = digits(b);
                let ordering = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
                if ordering != Ordering::Equal {
                    return ordering;
                }
                (a, b) = (rest_a, rest_b);
            }
            (Some(x), Some(y)) => {
                if x != y {
                    return x.cmp(&y);
                }
                a = a.get(x.len_utf8()..).unwrap_or_default();
                b = b.get(y.len_utf8()..).unwrap_or_default();
            }
        }
    }
}

/// The number at the start, without leading zeros, and the rest.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    (number.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_in_php() {
        for (a, b, expected) in [
            ("1.10", "1.9", Ordering::Greater),
            ("1.0", "1.0.0", Ordering::Less),
            ("2.0-beta2", "2.0", Ordering::Less),
            ("2.0-RC1", "2.0-beta2", Ordering::Greater),
            ("5.2.10", "5.2.10", Ordering::Equal),
            ("1.0-alpha", "1.0-beta", Ordering::Less),
            ("1.0pl1", "1.0", Ordering::Greater),
            ("3", "3.1", Ordering::Less),
        ] {
            assert_eq!(compare(a, b), expected, "{a} {b}");
            assert_eq!(compare(b, a), expected.reverse(), "{b} {a}");
        }
    }

    #[test]
    fn names_sort_naturally() {
        let mut names = ["img12", "IMG10", "img2", "Akismet", "bbPress"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["Akismet", "bbPress", "img2", "IMG10", "img12"]);
    }
}
