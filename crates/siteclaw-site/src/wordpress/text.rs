//! Text as readers see it: without tags, entities decoded, cut at words or characters.

use std::borrow::Cow;

/// Words of an excerpt.
const EXCERPT_WORDS: usize = 30;

/// Decodes HTML entities once: titles, names and comments are stored with them.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    html_escape::decode_html_entities(text)
}

/// The text without tags, comments (block delimiters among them) and the bodies of script and style,
/// white space collapsed, entities decoded once.
pub(crate) fn plain(html: &str) -> String {
    let mut out = String::with_capacity(html.len().min(4096));
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        let (before, tag) = rest.split_at(open);
        out.push_str(before);
        rest = after_tag(tag).unwrap_or_else(|| {
            // A lone '<' is text.
            out.push('<');
            tag.get(1..).unwrap_or_default()
        });
    }
    out.push_str(rest);
    let decoded = decode(&out);
    collapse(&decoded)
}

/// What follows the tag at the start of the text, or `None` where the '<' begins no tag.
fn after_tag(tag: &str) -> Option<&str> {
    if let Some(comment) = tag.strip_prefix("<!--") {
        return Some(comment.split_once("-->").map_or("", |(_, rest)| rest));
    }
    let name: String = tag
        .chars()
        .skip(1)
        .skip_while(|&c| c == '/')
        .take_while(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase();
    if name.is_empty() && !tag.starts_with("<!") && !tag.starts_with("<?") {
        return None;
    }
    let end = tag.find('>')?;
    let rest = tag.get(end + 1..)?;
    if matches!(name.as_str(), "script" | "style") && !tag.starts_with("</") {
        let close = format!("</{name}");
        // ASCII lower-casing keeps every byte's place.
        let lower = rest.to_ascii_lowercase();
        return Some(match lower.find(&close) {
            Some(at) => {
                let closing = rest.get(at..).unwrap_or_default();
                closing.find('>').and_then(|end| closing.get(end + 1..)).unwrap_or_default()
            }
            None => "",
        });
    }
    Some(rest)
}

/// One space for any run of white space.
pub(crate) fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The first 30 words of a post's content; 30 characters in languages that are counted by characters
/// (`zh`, `ja` and `ko` locales, as WordPress' translations of its word count say).
pub(crate) fn excerpt(content: &str, locale: &str) -> String {
    let text = plain(&without_line_shortcodes(content));
    if ["zh", "ja", "ko"].iter().any(|language| locale.starts_with(language)) {
        return cut(&text, EXCERPT_WORDS);
    }
    let mut words = text.split(' ');
    let kept: Vec<&str> = words.by_ref().take(EXCERPT_WORDS).collect();
    let kept = kept.join(" ");
    if words.next().is_some() { kept + "…" } else { kept }
}

/// At most `max` characters, with an ellipsis when cut.
pub(crate) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default().trim_end()),
    }
}

/// A number of bytes as people read it: `512 B`, `1.4 MB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];
    let (mut whole, mut unit) = (bytes, 0);
    let mut scale = 1u64;
    while whole >= 1024 && unit + 1 < UNITS.len() {
        whole /= 1024;
        scale *= 1024;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or_default();
    if unit == 0 { format!("{bytes} B") } else { format!("{:.1} {name}", bytes as f64 / scale as f64) }
}

/// Drops lines that are nothing but a shortcode, such as `[gallery ids="1,2"]`.
fn without_line_shortcodes(content: &str) -> Cow<'_, str> {
    let is_shortcode = |line: &str| {
        let line = line.trim();
        line.len() > 2
            && line.starts_with('[')
            && line.ends_with(']')
            && !line.get(1..line.len() - 1).unwrap_or_default().contains(['[', ']'])
    };
    if !content.lines().any(is_shortcode) {
        return Cow::Borrowed(content);
    }
    Cow::Owned(content.lines().filter(|line| !is_shortcode(line)).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tags_comments_and_scripts_go_and_text_stays() {
        for (html, expected) in [
            ("<!-- wp:paragraph -->\n<p>Hello <b>world</b>.</p>\n<!-- /wp:paragraph -->", "Hello world."),
            ("a<br>b", "ab"),
            ("<STYLE>p{}</STYLE>x<script>alert('<p>')</script >y", "xy"),
            ("1 < 2 and <3", "1 < 2 and <3"),
            ("Tom &amp; Jerry &#8211; &quot;x&quot; &amp;lt;", "Tom & Jerry – \"x\" &lt;"),
            ("unclosed <b", "unclosed <b"),
            ("<!-- never closed", ""),
        ] {
            assert_eq!(plain(html), expected, "{html}");
        }
    }

    #[test]
    fn sizes_are_written_for_people() {
        for (bytes, text) in
            [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KB"), (29_832, "29.1 KB"), (1_468_006, "1.4 MB")]
        {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn an_excerpt_has_thirty_words_or_characters() {
        let words: Vec<String> = (1..=31).map(|n| format!("w{n}")).collect();
        assert_eq!(excerpt(&words[..30].join(" "), ""), words[..30].join(" "));
        assert_eq!(excerpt(&words.join(" "), "de_DE"), words[..30].join(" ") + "…");
        let text = "漢".repeat(31);
        assert_eq!(excerpt(&text, "zh_CN"), "漢".repeat(30) + "…");
        assert_eq!(excerpt("Intro\n[gallery ids=\"1,2\"]\nsee [note]", ""), "Intro see [note]");
    }

    proptest! {
        #[test]
        fn any_text_is_plain_in_the_end(html in "[ -~<>/!\\-äß漢]{0,200}") {
            let text = plain(&html);
            prop_assert!(!text.contains("  "));
            let _ = excerpt(&html, "ja");
        }
    }
}
