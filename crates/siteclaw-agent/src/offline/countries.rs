//! Countries by their names in English, as ISO 3166-1 codes.

use celes::Country;

use super::words::Reading;

/// Words of the longest name that is read.
const LONGEST: usize = 4;

/// Names that people write in place of those of the standard.
const SHORT: &[(&str, &str)] = &[
    ("uk", "GB"),
    ("britain", "GB"),
    ("great britain", "GB"),
    ("england", "GB"),
    ("scotland", "GB"),
    ("wales", "GB"),
    ("united kingdom", "GB"),
    ("us", "US"),
    ("usa", "US"),
    ("america", "US"),
    ("united states", "US"),
    ("the netherlands", "NL"),
    ("netherlands", "NL"),
    ("czech republic", "CZ"),
    ("south korea", "KR"),
    ("russia", "RU"),
    ("turkey", "TR"),
    ("vietnam", "VN"),
    ("ivory coast", "CI"),
    ("uae", "AE"),
];

/// The code of the country that is named from this place on, and how many words name it.
pub(super) fn named(reading: &Reading, place: usize) -> Option<(&'static str, usize)> {
    (1..=LONGEST).rev().find_map(|length| {
        let words: Vec<&str> = (place..place + length).map(|place| reading.at(place)).collect();
        if words.iter().any(|word| word.is_empty()) {
            return None;
        }
        Some((code(&words.join(" "))?, length))
    })
}

fn code(name: &str) -> Option<&'static str> {
    if let Some((_, code)) = SHORT.iter().find(|(short, _)| *short == name) {
        return Some(code);
    }
    if name.chars().count() < 4 {
        return None;
    }
    let bare: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let country = Country::from_name(&bare).or_else(|_| Country::from_name(format!("the{bare}")));
    country.or_else(|_| Country::from_alias(&bare)).ok().map(|country| country.alpha2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_and_of_several_words_are_read() {
        let table = [
            ("germany", Some(("DE", 1))),
            ("united states", Some(("US", 2))),
            ("uk please", Some(("GB", 1))),
            ("south africa", Some(("ZA", 2))),
            ("netherlands", Some(("NL", 1))),
            ("new zealand today", Some(("NZ", 2))),
            ("switzerland", Some(("CH", 1))),
            ("czech republic", Some(("CZ", 2))),
            ("anna", None),
            ("de", None),
            ("narnia", None),
        ];
        for (message, expected) in table {
            assert_eq!(named(&Reading::of(message), 0), expected, "{message}");
        }
    }
}
