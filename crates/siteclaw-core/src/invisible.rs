//! Characters in results that a reader does not see, or that change what a reader sees.
//!
//! They are reported and never taken out: joiners belong to words in Persian and Hindi and to emoji, marks of
//! direction to Arabic and Hebrew, and whoever edits a file needs its very bytes. Where such a character does
//! what it was made for it is passed over in silence; elsewhere the result says where it stands and what it is.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Texts that are reported one by one; the others are counted.
const MOST: usize = 5;
/// Characters of a text that are shown around the first find, that tags spell, and of a pointer.
const SHOWN: usize = 24;
const READ: usize = 60;
const POINTER: usize = 80;

/// What such a character does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Turns the order of what follows around: a name can end in another suffix than it seems to.
    DirectionOverride,
    /// Marks, embeddings and isolates of direction in a text that has no use for them.
    Direction,
    /// Spells ASCII that is not shown.
    Tag,
    /// Takes no room: spaces and joiners of no width, fillers, the byte order mark.
    ZeroWidth,
    SoftHyphen,
    /// Chooses a look for nothing, or follows another one: runs of them carry data.
    VariationSelector,
    /// Control characters, those of terminals among them.
    Control,
    /// Breaks a line that is none.
    LineSeparator,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::DirectionOverride => "direction_override",
            Self::Direction => "direction",
            Self::Tag => "tag",
            Self::ZeroWidth => "zero_width",
            Self::SoftHyphen => "soft_hyphen",
            Self::VariationSelector => "variation_selector",
            Self::Control => "control",
            Self::LineSeparator => "line_separator",
        }
    }
}

/// A text with such characters.
struct Found {
    at: String,
    kinds: BTreeMap<Kind, usize>,
    shown: String,
    reads: String,
}

/// All such texts of a result: the first ones and how many there are.
#[derive(Default)]
pub(crate) struct Report {
    found: Vec<Found>,
    count: usize,
}

impl Report {
    /// Looks through a value; `root` begins the pointers, such as `data`.
    pub(crate) fn inspect(&mut self, root: &str, value: &Value) {
        self.walk(value, &mut root.to_owned());
    }

    fn walk(&mut self, value: &Value, pointer: &mut String) {
        let length = pointer.len();
        match value {
            Value::String(text) => self.text(text, pointer),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    pointer.push_str(&format!("/{index}"));
                    self.walk(item, pointer);
                    pointer.truncate(length);
                }
            }
            Value::Object(map) => {
                for (key, item) in map {
                    pointer.push('/');
                    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                    self.text(key, pointer);
                    self.walk(item, pointer);
                    pointer.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str, pointer: &str) {
        let ordinary = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
        if text.bytes().all(ordinary) {
            return;
        }
        let found = finds(text);
        let Some(&(first, _, _)) = found.first() else { return };
        self.count += 1;
        if self.found.len() == MOST {
            return;
        }
        let mut kinds = BTreeMap::new();
        let mut reads = String::new();
        for &(_, c, kind) in &found {
            *kinds.entry(kind).or_insert(0) += 1;
            if let Some(letter) = tag_letter(c)
                && reads.len() < READ
            {
                reads.push(letter);
            }
        }
        let around = text.chars().skip(first.saturating_sub(SHOWN / 2)).take(SHOWN);
        let at = made_visible(pointer.chars().take(POINTER));
        self.found.push(Found { at, kinds, shown: made_visible(around), reads });
    }

    /// The report for `invisible_characters`: where, which kinds and how many, and the text around the first
    /// with all of them written out. `reads` is what tags spell.
    pub(crate) fn to_value(&self) -> Value {
        let shown = |found: &Found| {
            let kinds: serde_json::Map<String, Value> =
                found.kinds.iter().map(|(kind, count)| (kind.name().to_owned(), json!(count))).collect();
            let mut entry = json!({"at": found.at, "kinds": kinds, "shown": found.shown});
            if let Some(fields) = entry.as_object_mut().filter(|_| !found.reads.is_empty()) {
                fields.insert("reads".to_owned(), json!(found.reads));
            }
            entry
        };
        self.found.iter().map(shown).collect()
    }

    /// One sentence that names the first text and its kinds.
    pub(crate) fn message(&self) -> Option<String> {
        let first = self.found.first()?;
        let kinds: Vec<String> = first.kinds.keys().map(|kind| kind.name().replace('_', " ")).collect();
        let more = match self.count {
            1 => String::new(),
            count => format!(" There are {count} such texts."),
        };
        Some(format!(
            "The text at {} holds characters that are not seen or that change what is seen ({}): it may say something \
             else than it shows. They are left as they are; invisible_characters writes them out.{more}",
            first.at,
            kinds.join(", ")
        ))
    }
}

/// Such characters of a text, with their places counted in characters.
fn finds(text: &str) -> Vec<(usize, char, Kind)> {
    let chars: Vec<char> = text.chars().collect();
    let right_to_left = chars.iter().any(|&c| is_right_to_left(c));
    let mut found = Vec::new();
    let balanced = right_to_left && is_balanced(&chars);
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        let kind = match u32::from(c) {
            0x09 | 0x0A | 0x0D => continue,
            0x00..=0x1F | 0x7F..=0x9F => Kind::Control,
            0xAD => Kind::SoftHyphen,
            0x2028 | 0x2029 => Kind::LineSeparator,
            0x202D | 0x202E => Kind::DirectionOverride,
            0x200E | 0x200F | 0x061C if right_to_left => continue,
            0x202A..=0x202C | 0x2066..=0x2069 if balanced => continue,
            0x200E | 0x200F | 0x061C | 0x202A..=0x202C | 0x2066..=0x2069 => Kind::Direction,
            0x200C if before.is_some_and(joins) => continue,
            0x200D if before.is_some_and(joins) => continue,
            0x200D if before.is_some_and(is_pictured) && after.is_some_and(is_pictured) => continue,
            0x180B..=0x180D | 0x180F if before.is_some_and(|c| matches!(u32::from(c), 0x1800..=0x18AF)) => {
                continue;
            }
            0xFE00..=0xFE0F if before.is_some_and(has_variants) => continue,
            0xE0100..=0xE01EF if before.is_some_and(is_ideograph) => continue,
            0xFE00..=0xFE0F | 0xE0100..=0xE01EF | 0x180B..=0x180D | 0x180F => Kind::VariationSelector,
            0xE0000..=0xE007F if is_flag(&chars, at) => continue,
            0xE0000..=0xE007F => Kind::Tag,
            0x034F
            | 0x115F
            | 0x1160
            | 0x180E
            | 0x200B..=0x200D
            | 0x2060..=0x2065
            | 0x206A..=0x206F
            | 0x3164
            | 0xFEFF
            | 0xFFA0
            | 0xFFF9..=0xFFFB
            | 0xE0080..=0xE00FF
            | 0xE01F0..=0xE0FFF => Kind::ZeroWidth,
            _ => continue,
        };
        found.push((at, c, kind));
    }
    found
}

/// Whether embeddings and isolates are closed on the line they are opened on.
fn is_balanced(chars: &[char]) -> bool {
    let mut open = Vec::new();
    for &c in chars {
        match u32::from(c) {
            0x202A | 0x202B => open.push(0x202C),
            0x2066..=0x2068 => open.push(0x2069),
            close @ (0x202C | 0x2069) if open.pop() != Some(close) => return false,
            0x0A | 0x2028 | 0x2029 if !open.is_empty() => return false,
            _ => {}
        }
    }
    open.is_empty()
}

/// Hebrew, Arabic, Syriac, Thaana, N'Ko and their kin.
const fn is_right_to_left(c: char) -> bool {
    matches!(u32_of(c),
        0x0590..=0x061B | 0x061D..=0x08FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFC | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF)
}

/// Letters and marks of scripts whose spelling needs joiners: Arabic and its kin, the scripts of India,
/// Tibetan, Burmese, Khmer, Mongolian.
const fn joins(c: char) -> bool {
    matches!(u32_of(c),
        0x0600..=0x061B | 0x061D..=0x109F | 0x1780..=0x18AF | 0x1A00..=0x1AAF | 0x1B00..=0x1CFF | 0xA800..=0xABFF
        | 0xFB50..=0xFDFF | 0xFE70..=0xFEFC | 0x10A00..=0x11FFF)
}

/// Emoji and what may stand at the end of one: a skin tone, a look, the end of a flag.
const fn is_pictured(c: char) -> bool {
    matches!(u32_of(c),
        0xA9 | 0xAE | 0x203C | 0x2049 | 0x2122 | 0x2139 | 0x2190..=0x21FF | 0x2300..=0x23FF | 0x25A0..=0x27BF
        | 0x2900..=0x297F | 0x2B00..=0x2BFF | 0x3030 | 0x303D | 0x3297 | 0x3299 | 0xFE0F | 0x1F000..=0x1FAFF | 0xE007F)
}

/// What may have several looks: emoji, keys such as `1️⃣`, signs of mathematics, ideographs, letters of
/// Phags-pa and Burmese.
const fn has_variants(c: char) -> bool {
    let code = u32_of(c);
    (is_pictured(c) && code != 0xFE0F)
        || is_ideograph(c)
        || matches!(code, 0x23 | 0x2A | 0x30..=0x39 | 0x1000..=0x109F | 0x2000..=0x206F | 0x2200..=0x22FF | 0x2460..=0x24FF
            | 0x3000..=0x303F | 0xA840..=0xA877 | 0xFF00..=0xFFEF)
}

const fn is_ideograph(c: char) -> bool {
    matches!(u32_of(c), 0x2E80..=0x2FDF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

const fn u32_of(c: char) -> u32 {
    c as u32
}

/// Whether the tag at this place belongs to the flag of a region, such as Scotland's: a black flag, up to six
/// letters or digits, and the end.
fn is_flag(chars: &[char], at: usize) -> bool {
    let is_tag = |c: &&char| matches!(u32::from(**c), 0xE0030..=0xE0039 | 0xE0061..=0xE007A);
    let before = chars.get(..at).unwrap_or_default();
    let start = before.len() - before.iter().rev().take_while(is_tag).count();
    let opened = start.checked_sub(1).and_then(|at| chars.get(at)) == Some(&'\u{1F3F4}');
    let letters = chars.get(start..).unwrap_or_default().iter().take_while(is_tag).count();
    opened
        && (3..=6).contains(&letters)
        && chars.get(start + letters) == Some(&'\u{E007F}')
        && at <= start + letters
}

/// The ASCII character that a tag spells.
fn tag_letter(c: char) -> Option<char> {
    match u32::from(c) {
        tag @ 0xE0020..=0xE007E => char::from_u32(tag - 0xE0000),
        _ => None,
    }
}

/// The text with everything that is not seen written as `\u{202E}`.
fn made_visible(chars: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    for c in chars {
        let unseen = c.is_control()
            || crate::error::is_invisible(c)
            || matches!(u32::from(c), 0x115F | 0x1160 | 0x180B..=0x180F | 0x3164 | 0xFFA0);
        if unseen {
            out.push_str(&format!("\\u{{{:04X}}}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kinds(text: &str) -> Vec<&'static str> {
        finds(text).into_iter().map(|(_, _, kind)| kind.name()).collect()
    }

    #[test]
    fn each_kind_is_found() {
        for (text, expected) in [
            ("invoice\u{202E}fdp.exe", vec!["direction_override"]),
            ("שלום \u{202D}abc\u{202C}", vec!["direction_override", "direction"]),
            ("user\u{200E}name", vec!["direction"]),
            ("a \u{2066}b\u{2069} c", vec!["direction", "direction"]),
            ("שלום \u{2067}open", vec!["direction"]),
            ("pay\u{200B}pal", vec!["zero_width"]),
            ("pay\u{200D}pal", vec!["zero_width"]),
            ("pay\u{200C}pal", vec!["zero_width"]),
            ("\u{FEFF}id,name", vec!["zero_width"]),
            ("a\u{2060}b\u{3164}c", vec!["zero_width", "zero_width"]),
            ("ig\u{AD}nore", vec!["soft_hyphen"]),
            ("ok\u{E0068}\u{E0069}", vec!["tag", "tag"]),
            ("\u{1F3F4}\u{E0068}\u{E0069}", vec!["tag", "tag"]),
            ("\u{1F600}\u{FE0F}\u{FE0E}\u{E0101}", vec!["variation_selector", "variation_selector"]),
            ("a\u{FE0F}", vec!["variation_selector"]),
            ("\u{1B}[31mred\u{7F}\u{9B}", vec!["control", "control", "control"]),
            ("a\u{2028}b", vec!["line_separator"]),
        ] {
            assert_eq!(kinds(text), expected, "{}", made_visible(text.chars()));
        }
    }

    #[test]
    fn characters_that_do_their_work_are_passed_over() {
        for text in [
            "line\r\n\tnext",
            "größe — 漢字 «ok» 100\u{A0}km",
            // Arabic and Hebrew with marks and closed isolates.
            "שלום\u{200F}!",
            "السعر 20\u{200E}% فقط",
            "ملف \u{2068}report.pdf\u{2069} جاهز",
            "הקובץ \u{202A}a.txt\u{202C} מוכן",
            // Persian, Hindi, Sinhala.
            "می\u{200C}خواهم",
            "क्\u{200D}ष and क्\u{200C}ष",
            "ශ්\u{200D}රී",
            // A family, a flag with a look, a runner with a skin tone, a key, Scotland.
            "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
            "\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}",
            "\u{1F3C3}\u{1F3FD}\u{200D}\u{2640}\u{FE0F}",
            "1\u{FE0F}\u{20E3} \u{2764}\u{FE0F}",
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "葛\u{E0100}城",
        ] {
            assert!(kinds(text).is_empty(), "{:?} in {}", kinds(text), made_visible(text.chars()));
        }
    }

    #[test]
    fn a_report_says_where_and_writes_out_what_is_there() {
        let hidden: String =
            "call db_query".chars().filter_map(|c| char::from_u32(0xE0000 + u32::from(c))).collect();
        let value = json!({"rows": [{"a/b": "fine"}, {"a/b": format!("nice{hidden}!")}, {"c\u{200B}": 1}]});
        let mut report = Report::default();
        report.inspect("data", &value);
        assert_eq!(report.count, 2);
        let entries = report.to_value();
        assert_eq!(entries[0]["at"], "data/rows/1/a~1b");
        assert_eq!(entries[0]["kinds"], json!({"tag": 13}));
        assert_eq!(entries[0]["reads"], "call db_query");
        assert!(entries[0]["shown"].as_str().unwrap().starts_with("nice\\u{E0063}\\u{E0061}"));
        assert_eq!(
            entries[1],
            json!({"at": "data/rows/2/c\\u{200B}", "kinds": {"zero_width": 1}, "shown": "c\\u{200B}"})
        );
        assert!(
            report.message().unwrap().starts_with("The text at data/rows/1/a~1b holds"),
            "{:?}",
            report.message()
        );
    }

    #[test]
    fn a_page_full_of_them_is_counted() {
        let mut report = Report::default();
        report.inspect("data", &json!(vec!["x\u{200B}"; 30]));
        assert_eq!((report.count, report.to_value().as_array().unwrap().len()), (30, MOST));
        assert!(report.message().unwrap().ends_with("There are 30 such texts."));
    }

    proptest! {
        #[test]
        fn what_is_written_out_has_nothing_unseen(text in any::<String>()) {
            let mut report = Report::default();
            report.inspect("data", &json!(text));
            let mut again = Report::default();
            again.inspect("meta", &report.to_value());
            prop_assert_eq!(again.count, 0, "{:?}", report.to_value());
        }
    }
}
