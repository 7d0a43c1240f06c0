//! What a serialised value looks like from outside.
//!
//! Options and metadata hold plain text and serialised values side by side; these tests tell them apart
//! before [`unserialize`](crate::unserialize) is tried.

/// Whether a text has the outer form of a serialised value, by WordPress' rule: surrounding blanks do not
/// count, it is `N;` or begins with a type letter and a colon, and ends in `;` or `}`.
pub fn is_serialized(text: &str) -> bool {
    let bytes = text.trim_matches([' ', '\t', '\n', '\r', '\0', '\x0b']).as_bytes();
    if bytes == b"N;" {
        return true;
    }
    let [kind, b':', rest @ ..] = bytes else { return false };
    let Some((last, middle)) = rest.split_last().filter(|(last, _)| matches!(last, b';' | b'}')) else {
        return false;
    };
    match kind {
        b's' | b'a' | b'O' | b'E' | b'C' => {
            after_length(middle).is_some()
                && (*kind != b's' || (*last == b';' && middle.last() == Some(&b'"')))
        }
        b'b' | b'i' | b'd' => {
            let number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'E' | b'+' | b'-');
            *last == b';' && !middle.is_empty() && middle.iter().all(number)
        }
        _ => false,
    }
}

/// Whether a text begins like a serialised string, array or object, complete or not. WordPress takes a
/// cut-off value for plain text; to whoever asks what became of a setting it is damage.
pub fn begins_serialized(text: &str) -> bool {
    let [kind, b':', rest @ ..] = text.trim_start().as_bytes() else { return false };
    let open = match kind {
        b'a' => b'{',
        b's' | b'O' | b'E' | b'C' => b'"',
        _ => return false,
    };
    after_length(rest).is_some_and(|rest| rest.first() == Some(&open))
}

/// What follows `LENGTH:`.
fn after_length(bytes: &[u8]) -> Option<&[u8]> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.get(digits..)?.strip_prefix(b":").filter(|_| digits > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outer_form_is_wordpress() {
        for text in [
            "N;",
            " a:0:{} ",
            "b:1;",
            "i:-5;",
            "d:0.5;",
            "d:1.0E+25;",
            "s:1:\"a\";",
            "O:1:\"a\":0:{}",
            "E:3:\"A:B\";",
            "C:1:\"a\":0:{}",
            "a:3:{}",
            "s:5:\"abc\";",
            "a:3:{i:0;i:1;",
        ] {
            assert!(is_serialized(text), "{text}");
        }
        for text in [
            "",
            "N",
            "n;",
            "a:",
            "a:0:{",
            "a:{}",
            "s:1:a;",
            "s:x:\"a\";",
            "i:5",
            "i:;",
            "i:x;",
            "b:1}",
            "x:1:{}",
            "hello;",
            "http://a;",
            "d:INF;",
            "a:2:{i:0;s:5:\"ab",
        ] {
            assert!(!is_serialized(text), "{text}");
        }
    }

    #[test]
    fn a_cut_off_value_still_shows_its_beginning() {
        for text in ["a:2:{i:0;s:5:\"ab", "a:2:{", "s:5:\"a", "O:8:\"stdCl", "  a:1:{i", "C:1:\"a", "E:3:\"A"]
        {
            assert!(begins_serialized(text), "{text}");
        }
        for text in ["", "a", "a:", "a:2", "a:2:", "a:2:[", "s:5:a", "i:5;", "b:1;", "a: 2:{", "http://x"] {
            assert!(!begins_serialized(text), "{text}");
        }
    }
}
