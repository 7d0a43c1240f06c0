//! Names that read like another: letters of one script in place of those of another.

use unicode_security::{MixedScript, skeleton};

/// The parts of an ASCII (IDNA) host name, in Unicode, that may be taken for others: letters of several scripts
/// in one part, or a part all of whose letters look like ASCII ones though the last part of the name is ASCII.
pub(super) fn lookalikes(ascii: &str) -> Vec<String> {
    if !ascii.split('.').any(|label| label.starts_with("xn--")) {
        return Vec::new();
    }
    let (unicode, _) = idna::domain_to_unicode(ascii);
    let in_ascii_zone = unicode.rsplit('.').next().is_some_and(str::is_ascii);
    unicode
        .split('.')
        .filter(|label| {
            !label.is_ascii() && (!label.is_single_script() || (in_ascii_zone && reads_as_ascii(label)))
        })
        .map(str::to_owned)
        .collect()
}

fn reads_as_ascii(label: &str) -> bool {
    skeleton(label).all(|c| c.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(host: &str) -> Vec<String> {
        lookalikes(&idna::domain_to_ascii(host).unwrap())
    }

    #[test]
    fn letters_that_pose_as_others_are_found() {
        // Cyrillic throughout, then one Cyrillic letter among Latin ones, then Greek.
        assert_eq!(found("аррӏе.com"), ["аррӏе"]);
        assert_eq!(found("www.pаypal.com"), ["pаypal"]);
        assert_eq!(found("gοοgle.com"), ["gοοgle"]);
    }

    #[test]
    fn honest_names_of_any_script_are_left_alone() {
        for host in [
            "example.com",
            "münchen.de",
            "größe.example",
            "café.fr",
            "пример.рф",
            "сор.рф",
            "例え.jp",
            "παράδειγμα.gr",
        ] {
            assert_eq!(found(host), Vec::<String>::new(), "{host}");
        }
    }
}
