//! From the bytes of a body to a text.
//!
//! The charset is that of a byte order mark, else of the Content-Type, else what HTML or XML says of itself, else
//! UTF-8 where the bytes are valid UTF-8, else windows-1252, as browsers do it. What is no text stays bytes.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How far into a document it is looked for its own word on its charset (the HTML standard says 1024).
const PRESCAN: usize = 1024;
/// How far it is looked for bytes that no text has.
const SNIFF: usize = 8192;

/// A body as far as it was read.
#[derive(Debug, PartialEq)]
pub(super) enum Decoded {
    /// A text.
    Text {
        /// The text, without a byte order mark.
        text: String,
        /// The name of its charset in lower case.
        charset: String,
        /// Whether bytes that the charset does not have became U+FFFD.
        replaced: bool,
    },
    /// Anything else.
    Binary,
}

/// Decodes a body. `whole` says that its end was read: otherwise a character that is cut at the end is left out.
pub(super) fn decode(bytes: &[u8], content_type: Option<&str>, whole: bool) -> Decoded {
    let declared = declared(bytes, content_type);
    let encoding = match declared {
        Some(encoding) => encoding,
        None if is_utf8(bytes, whole) => UTF_8,
        None if is_media(content_type) => return Decoded::Binary,
        None => WINDOWS_1252,
    };
    // UTF-16 text is full of zeros, any other text has none.
    let sixteen = encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE;
    if !sixteen && bytes.iter().take(SNIFF).any(|byte| *byte == 0) {
        return Decoded::Binary;
    }
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let Some(room) = decoder.max_utf8_buffer_length(bytes.len()) else { return Decoded::Binary };
    let mut text = String::with_capacity(room);
    let (_, _, replaced) = decoder.decode_to_string(bytes, &mut text, whole);
    Decoded::Text { text, charset: encoding.name().to_ascii_lowercase(), replaced }
}

fn declared(bytes: &[u8], content_type: Option<&str>) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return Some(encoding);
    }
    let label = content_type.and_then(|text| parameter(text, "charset"));
    if let Some(encoding) = label.and_then(|label| Encoding::for_label(label.as_bytes())) {
        return Some(encoding);
    }
    let media = content_type.map(media_type).unwrap_or_default();
    if !media.contains("html") && !media.contains("xml") {
        return None;
    }
    let start: String = bytes.iter().take(PRESCAN).map(|byte| char::from(*byte)).collect();
    let own = parameter(&start, "charset").or_else(|| parameter(&start, "encoding"))?;
    // A document that can be read far enough to say so is not UTF-16, whatever it says.
    Encoding::for_label(own.as_bytes())
        .map(|encoding| if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

/// The value after `name=`, in quotes or not.
fn parameter<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    while let Some(found) = lower.get(from..)?.find(name) {
        from += found + name.len();
        let Some(rest) = text.get(from..)?.trim_start().strip_prefix('=') else { continue };
        let rest = rest.trim_start().trim_start_matches(['"', '\'']);
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c))).unwrap_or(rest.len());
        return rest.get(..end).filter(|label| !label.is_empty());
    }
    None
}

/// The part of a Content-Type before its parameters, in lower case.
pub(super) fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether the server says that it is no text.
fn is_media(content_type: Option<&str>) -> bool {
    let media = content_type.map(media_type).unwrap_or_default();
    let kind = media.split('/').next().unwrap_or_default();
    let packed = ["application/octet-stream", "application/pdf", "application/zip", "application/gzip"];
    matches!(kind, "image" | "audio" | "video" | "font") || packed.contains(&media.as_str())
}

fn is_utf8(bytes: &[u8], whole: bool) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => !whole && error.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], content_type: &str) -> (String, String, bool) {
        match decode(bytes, Some(content_type).filter(|text| !text.is_empty()), true) {
            Decoded::Text { text, charset, replaced } => (text, charset, replaced),
            Decoded::Binary => panic!("binary: {bytes:?}"),
        }
    }

    #[test]
    fn the_charset_is_that_of_the_header_the_mark_or_the_document() {
        for (bytes, content_type, expected, charset) in [
            (&b"caf\xc3\xa9"[..], "text/plain", "café", "utf-8"),
            (b"caf\xe9", "text/plain", "café", "windows-1252"),
            (b"caf\xe9", "text/plain; charset=ISO-8859-1", "café", "windows-1252"),
            (b"\xc0\xd2", "text/plain; charset=\"koi8-r\"", "юр", "koi8-r"),
            (b"\x83\x65", "text/plain; charset=Shift_JIS", "テ", "shift_jis"),
            (b"\xef\xbb\xbfa", "text/plain; charset=koi8-r", "a", "utf-8"),
            (b"\xff\xfea\0\xe9\0", "text/plain", "aé", "utf-16le"),
            (b"\0a\0b", "text/plain; charset=utf-16be", "ab", "utf-16be"),
            (b"<meta charset=koi8-r>\xc0", "text/html", "<meta charset=koi8-r>ю", "koi8-r"),
            (
                b"<meta http-equiv=x content='text/html; charset=windows-1251'>\xff",
                "text/html",
                "<meta http-equiv=x content='text/html; charset=windows-1251'>я",
                "windows-1251",
            ),
            (b"<?xml encoding='koi8-r'?>\xc0", "application/rss+xml", "<?xml encoding='koi8-r'?>ю", "koi8-r"),
            (b"<meta charset=utf-16>a", "text/html", "<meta charset=utf-16>a", "utf-8"),
            (b"<meta charset=nonsense>a", "text/html", "<meta charset=nonsense>a", "utf-8"),
            (b"charset=koi8-r", "text/plain", "charset=koi8-r", "utf-8"),
            (b"{}", "", "{}", "utf-8"),
        ] {
            assert_eq!(
                text(bytes, content_type),
                (expected.to_owned(), charset.to_owned(), false),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn bytes_that_the_charset_lacks_are_replaced_and_told() {
        assert_eq!(text(b"a\xffb", "text/plain; charset=utf-8"), ("a\u{fffd}b".into(), "utf-8".into(), true));
    }

    #[test]
    fn a_character_that_is_cut_is_left_out() {
        let cut = |bytes: &[u8], content_type| match decode(bytes, content_type, false) {
            Decoded::Text { text, replaced, .. } => (text, replaced),
            Decoded::Binary => panic!("binary"),
        };
        assert_eq!(cut(b"a\xe2\x82", None), ("a".to_owned(), false));
        assert_eq!(cut(b"\xff\xfea\0\xe9", None), ("a".to_owned(), false));
        assert_eq!(cut(b"a\x83", Some("text/plain; charset=shift_jis")), ("a".to_owned(), false));
        assert_eq!(text(b"a\xe2\x82", "text/plain; charset=utf-8").0, "a\u{fffd}");
    }

    #[test]
    fn what_is_no_text_stays_bytes() {
        for (bytes, content_type) in [
            (&b"\x89PNG\r\n\x1a\n\0\0"[..], "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"a\0b", "text/plain"),
            (b"\x1f\x8b\x08", "application/octet-stream"),
        ] {
            assert_eq!(decode(bytes, Some(content_type), true), Decoded::Binary, "{bytes:?}");
        }
        // An image that is a text, and a text that is called an application.
        assert_eq!(text(b"<svg/>", "image/svg+xml").0, "<svg/>");
        assert_eq!(text(b"a,b\n", "application/octet-stream").0, "a,b\n");
    }
}
