//! Search words, split as WordPress splits them (`WP_Query::parse_search`).

/// A word or phrase that must, or must not, occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) text: String,
    pub(super) excluded: bool,
}

/// English words that are not searched for, as WordPress' default list has them.
const STOPWORDS: [&str; 29] = [
    "about", "an", "are", "as", "at", "be", "by", "com", "for", "from", "how", "in", "is", "it", "of", "on",
    "or", "that", "the", "this", "to", "was", "what", "when", "where", "who", "will", "with", "www",
];

/// With more words than this the whole text is one phrase.
const MAX_TERMS: usize = 9;

/// The terms of a search text. Quoted phrases stay whole, `-` excludes, one-letter words and stopwords go;
/// when none or more than nine remain, the whole text is one phrase.
pub(super) fn terms(text: &str) -> Vec<Term> {
    let kept: Vec<Term> = pieces(text)
        .into_iter()
        .filter(|piece| {
            let single = piece.len() == 1 && piece.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
            !piece.is_empty() && !single && !STOPWORDS.contains(&piece.to_lowercase().as_str())
        })
        .map(|piece| match piece.strip_prefix('-') {
            Some(rest) if !rest.is_empty() => Term { text: rest.to_owned(), excluded: true },
            _ => Term { text: piece, excluded: false },
        })
        .collect();
    if kept.is_empty() || kept.len() > MAX_TERMS {
        return vec![Term { text: text.to_owned(), excluded: false }];
    }
    kept
}

/// Quoted phrases and runs between blanks, commas and plus signs. Quotes at the ends go, and so do blanks,
/// but those of a phrase whose quotes are closed: a reader put them there to find whole words.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut quoted = false;
    let trimmed = |piece: &mut String| std::mem::take(piece).trim_matches(['"', '\'', ' ']).to_owned();
    for c in text.chars() {
        match c {
            '"' if quoted => {
                pieces.push(std::mem::take(&mut piece).trim_matches(['"', '\'']).to_owned());
                quoted = false;
            }
            '"' => {
                pieces.push(trimmed(&mut piece));
                quoted = true;
            }
            ' ' | '\t' | '\r' | '\n' | ',' | '+' if !quoted => pieces.push(trimmed(&mut piece)),
            c => piece.push(c),
        }
    }
    pieces.push(trimmed(&mut piece));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        terms(text)
            .into_iter()
            .map(|term| if term.excluded { format!("NOT {}", term.text) } else { term.text })
            .collect()
    }

    #[test]
    fn texts_are_split_as_wordpress_splits_them() {
        assert_eq!(split("coffee grinder"), ["coffee", "grinder"]);
        assert_eq!(split("\"cold brew\" -decaf"), ["cold brew", "NOT decaf"]);
        assert_eq!(split("\" brew \" \"unclosed "), [" brew ", "unclosed"]);
        assert_eq!(split("salt and rope"), ["salt", "and", "rope"]);
        assert_eq!(split("how to brew the coffee"), ["brew", "coffee"]);
        assert_eq!(split("a,b c+dd"), ["dd"]);
        assert_eq!(split("the"), ["the"]);
        assert_eq!(split("w1 w2 w3 w4 w5 w6 w7 w8 w9 w10"), ["w1 w2 w3 w4 w5 w6 w7 w8 w9 w10"]);
        assert_eq!(split("\"unclosed phrase"), ["unclosed phrase"]);
        assert_eq!(split("- x"), ["- x"]);
    }
}
