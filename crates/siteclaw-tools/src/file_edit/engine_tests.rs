use proptest::prelude::*;
use siteclaw_core::{Masker, Secret};

use super::engine::{Edit, Edited, Problem, apply};
use crate::text::sniff;

const PASSWORD: &str = "correct-horse-7";

fn masker() -> Masker {
    let masker = Masker::new([5; 32]);
    masker.learn([Secret::new(PASSWORD), Secret::new("another-secret")]);
    masker
}

fn edit(old: &str, new: &str) -> Edit {
    Edit { old: old.to_owned(), new: new.to_owned(), count: 1 }
}

fn edited(bytes: &[u8], edits: &[Edit]) -> Result<Edited, Problem> {
    apply(bytes, sniff(bytes, true).unwrap(), &masker(), edits)
}

fn text(bytes: &str, edits: &[Edit]) -> String {
    String::from_utf8(
        edited(bytes.as_bytes(), edits).map_err(|problem| format!("{problem:?}")).unwrap().bytes,
    )
    .unwrap()
}

fn problem(bytes: &str, edits: &[Edit]) -> Problem {
    edited(bytes.as_bytes(), edits).err().unwrap()
}

#[test]
fn one_place_is_changed_and_told() {
    let edited = edited(b"one\ntwo\nthree\n", &[edit("two", "2")]).unwrap();
    assert_eq!((edited.bytes.as_slice(), edited.line, edited.places), (&b"one\n2\nthree\n"[..], 2, 1));
    assert_eq!((edited.before.as_str(), edited.after.as_str()), ("one\ntwo\nthree\n", "one\n2\nthree\n"));
    assert_eq!(text("ab", &[edit("a", "")]), "b");
    assert_eq!(text("x$1\\n.x", &[edit("$1\\n.", "[$0]")]), "x[$0]x", "everything is literal");
    assert_eq!(text("ab", &[edit("b", "b\n")]), "ab\n");
}

#[test]
fn what_does_not_stand_there_once_changes_nothing() {
    assert_eq!(
        problem("one two one", &[edit("one", "1")]),
        Problem::Ambiguous { edit: 0, found: 2, lines: [1, 1, 0] }
    );
    assert_eq!(
        problem("a\nb\na\na\na", &[edit("a", "x")]),
        Problem::Ambiguous { edit: 0, found: 4, lines: [1, 3, 4] }
    );
    assert_eq!(
        problem("aaa", &[edit("aa", "b")]),
        Problem::Ambiguous { edit: 0, found: 2, lines: [1, 1, 0] }
    );
    assert_eq!(problem("one", &[edit("two", "2")]), Problem::NoMatch { edit: 0 });
    assert_eq!(problem("one", &[edit("One", "2")]), Problem::NoMatch { edit: 0 });
    assert_eq!(problem("one", &[edit("", "2")]), Problem::Empty { edit: 0 });
    assert_eq!(problem("one", &[edit("one", "one")]), Problem::NoChange { edit: 0 });
    let thrice = |count| Edit { count, ..edit("a", "b") };
    assert_eq!(text("a.a.a", &[thrice(3)]), "b.b.b");
    assert_eq!(problem("a.a.a", &[thrice(2)]), Problem::Ambiguous { edit: 0, found: 3, lines: [1, 1, 1] });
    assert_eq!(
        problem("aaa", &[Edit { count: 2, ..edit("aa", "b") }]),
        Problem::Ambiguous { edit: 0, found: 2, lines: [1, 1, 0] }
    );
}

#[test]
fn counting_places_of_a_repeated_text_ends() {
    let many = "a".repeat(2 * 1024 * 1024);
    let piece = "a".repeat(1024 * 1024);
    let found = problem(&many, &[edit(&piece, "x")]);
    assert!(matches!(found, Problem::Ambiguous { found: 1001, .. }), "{found:?}");
}

#[test]
fn several_edits_are_found_in_the_text_as_it_was() {
    assert_eq!(text("a b c", &[edit("c", "a"), edit("a", "b"), edit("b", "c")]), "b c a");
    assert_eq!(problem("abc", &[edit("ab", "x"), edit("bc", "y")]), Problem::Overlap { edit: 0, other: 1 });
    assert_eq!(problem("abc", &[edit("a", "x"), edit("z", "y")]), Problem::NoMatch { edit: 1 });
    assert_eq!(text("abc", &[edit("ab", "x"), edit("c", "y")]), "xy", "neighbours do not overlap");
}

#[test]
fn secrets_come_back_as_they_were() {
    let placeholder = masker().placeholder(PASSWORD);
    let file = format!("user = shop\npass = {PASSWORD}\n");
    let copied = format!("shop\npass = {placeholder}");
    assert_eq!(
        text(&file, &[edit(&copied, &copied.replace("shop", "reader"))]),
        format!("user = reader\npass = {PASSWORD}\n")
    );
    let moved = format!("{placeholder}\n# was {placeholder}");
    assert_eq!(
        text(&file, &[edit(&placeholder, &moved)]),
        format!("user = shop\npass = {PASSWORD}\n# was {PASSWORD}\n")
    );
    let edited = edited(file.as_bytes(), &[edit("shop", "x")]).unwrap();
    assert!(!edited.before.contains(PASSWORD) && !edited.after.contains(PASSWORD));

    let foreign = masker().placeholder("another-secret");
    assert_eq!(problem(&file, &[edit("shop", &foreign)]), Problem::UnknownSecret { edit: 0 });
    assert_eq!(
        problem(&file, &[edit(&placeholder[..placeholder.len() - 3], "x")]),
        Problem::CutsSecret { edit: 0 }
    );
    // The secret itself is no way to find its place: what a model does not see it cannot probe for.
    assert_eq!(problem(&file, &[edit(PASSWORD, "x")]), Problem::NoMatch { edit: 0 });
    let literal = format!("see {foreign} there");
    assert_eq!(text(&literal, &[edit("there", &format!("{foreign}!"))]), format!("see {foreign} {foreign}!"));
    assert_eq!(text("a", &[edit("a", "⟦secret: not one ⟦secret:")]), "⟦secret: not one ⟦secret:");
}

#[test]
fn line_ends_of_the_file_are_kept() {
    let adapted = edited(b"one\r\ntwo\r\nthree\r\n", &[edit("one\ntwo", "1\n2\n2b")]).unwrap();
    assert_eq!((adapted.bytes.as_slice(), adapted.adapted), (&b"1\r\n2\r\n2b\r\nthree\r\n"[..], true));
    assert_eq!(text("one\r\ntwo\r\n", &[edit("two", "2\n3")]), "one\r\n2\r\n3\r\n");
    assert_eq!(text("one\ntwo\n", &[edit("one\r\ntwo", "1\r\n2")]), "1\n2\n");
    assert_eq!(
        text("a\r\nb\nc\r\n", &[edit("b\nc", "x\ny")]),
        "a\r\nx\ny\r\n",
        "what matches is taken as it is"
    );
    assert!(!edited(b"one\r\ntwo", &[edit("one", "1")]).unwrap().adapted);
}

#[test]
fn other_encodings_stay_what_they_are() {
    let latin = edited(b"gr\xF6\xDFe \x81 x", &[edit("größe", "Größen")]).unwrap();
    assert_eq!(latin.bytes, b"Gr\xF6\xDFen \x81 x");
    assert_eq!(
        edited(b"gr\xF6\xDFe", &[edit("e", "₽")]).err(),
        Some(Problem::Unencodable { edit: 0, lacking: '₽' })
    );
    assert_eq!(edited(b"\xEF\xBB\xBFa", &[edit("a", "b")]).unwrap().bytes, b"\xEF\xBB\xBFb");
    // A mark, an unpaired surrogate that stands for nothing, and a change behind it.
    let utf16 = edited(b"\xFF\xFEa\0\x00\xD8b\0", &[edit("b", "ö")]).unwrap();
    assert_eq!(utf16.bytes, b"\xFF\xFEa\0\x00\xD8\xF6\0");
    let broken = edited(b"\xEF\xBB\xBFa\xFFb\xE2\x82c", &[edit("c", "d"), edit("a", "e")]).unwrap();
    assert_eq!(broken.bytes, b"\xEF\xBB\xBFe\xFFb\xE2\x82d");
}

/// What the engine must do, on text without secrets and of one kind of line ends, by plain replacement.
fn model(text: &str, old: &str, new: &str) -> Option<String> {
    let overlapping =
        (0..text.len()).filter(|&at| text.is_char_boundary(at) && text[at..].starts_with(old)).count();
    (overlapping == 1).then(|| text.replacen(old, new, 1))
}

proptest! {
    #[test]
    fn a_single_edit_is_a_plain_replacement_in_every_encoding(
        text in "[abö\n]{0,40}", old in "[abö\n]{1,3}", new in "[abcö\n]{0,4}", encoding in 0..3_u8,
    ) {
        prop_assume!(old != new);
        let encode = |text: &str| -> Vec<u8> {
            match encoding {
                0 => text.as_bytes().to_owned(),
                1 => [b"\xFE\xFF".to_vec(), text.encode_utf16().flat_map(u16::to_be_bytes).collect()].concat(),
                _ => [b"\xEF\xBB\xBF".to_vec(), text.as_bytes().to_owned()].concat(),
            }
        };
        let result = edited(&encode(&text), &[edit(&old, &new)]).map(|edited| edited.bytes).ok();
        prop_assert_eq!(result, model(&text, &old, &new).map(|text| encode(&text)));
    }

    #[test]
    fn what_no_edit_names_stays_byte_for_byte(
        parts in prop::collection::vec(prop::sample::select(vec![
            &b"x"[..], b"\n", b"\r\n", b"\xFF", b"\xC3\xB6", b"correct-horse-7", b"another-secret", b" ",
        ]), 0..20),
        bom in any::<bool>(),
    ) {
        let mut file = if bom { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
        file.extend(parts.concat());
        let before = file.len();
        file.extend_from_slice(b"HERE");
        file.extend(parts.concat());
        let edited = edited(&file, &[edit("HERE", "there")]).unwrap();
        prop_assert_eq!(&edited.bytes[..before], &file[..before]);
        prop_assert_eq!(&edited.bytes[before..before + 5], b"there");
        prop_assert_eq!(&edited.bytes[before + 5..], &file[before + 4..]);
        prop_assert!(!edited.after.contains(PASSWORD) && !edited.before.contains(PASSWORD));
    }
}
