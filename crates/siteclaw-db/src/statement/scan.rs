//! Finds the parts of an SQL text in which characters mean nothing: literals, quoted names, comments.
//!
//! This serves our own templates and the placeholders of printed statements. It decides no policy: what a
//! model wrote is parsed by the guard.

use crate::Engine;

/// The end (exclusive) of the quoted text or comment that begins at byte `at`, or `None` when code stands
/// there. An unclosed one reaches to the end of the text.
///
/// `at` and the result lie on character boundaries, because all delimiters are ASCII.
pub(crate) fn quoted_end(sql: &str, at: usize, engine: Engine) -> Option<usize> {
    let bytes = sql.as_bytes();
    let next = bytes.get(at + 1).copied();
    match *bytes.get(at)? {
        b'\'' => {
            let backslash = match engine {
                Engine::MySql => true,
                Engine::Postgres => is_escape_string(bytes, at),
                Engine::Sqlite => false,
            };
            Some(closing(bytes, at, b'\'', backslash))
        }
        b'"' => Some(closing(bytes, at, b'"', engine == Engine::MySql)),
        b'`' if engine != Engine::Postgres => Some(closing(bytes, at, b'`', false)),
        b'[' if engine == Engine::Sqlite => Some(closing(bytes, at, b']', false)),
        b'#' if engine == Engine::MySql => Some(line_end(bytes, at)),
        b'-' if next == Some(b'-') => {
            // MySQL takes `--1` for arithmetic.
            let comment = engine != Engine::MySql
                || bytes.get(at + 2).is_none_or(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control());
            comment.then(|| line_end(bytes, at))
        }
        b'/' if next == Some(b'*') => Some(comment_end(bytes, at, engine == Engine::Postgres)),
        b'$' if engine == Engine::Postgres => dollar_end(sql, at),
        _ => None,
    }
}

/// Whether this byte may stand in an identifier, so that a `$` or `?` after it is no placeholder's start.
pub(crate) fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn closing(bytes: &[u8], at: usize, quote: u8, backslash: bool) -> usize {
    let mut i = at + 1;
    while let Some(&byte) = bytes.get(i) {
        if backslash && byte == b'\\' {
            i += 2;
        } else if byte != quote {
            i += 1;
        } else if quote != b']' && bytes.get(i + 1) == Some(&quote) {
            i += 2;
        } else {
            return i + 1;
        }
    }
    bytes.len()
}

/// `E'…'`: the one PostgreSQL literal in which a backslash escapes.
fn is_escape_string(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let letter = bytes.get(before).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e'));
    let alone =
        before.checked_sub(1).and_then(|i| bytes.get(i)).is_none_or(|byte| !is_identifier_byte(*byte));
    letter && alone
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes.iter().skip(at).position(|byte| *byte == b'\n').map_or(bytes.len(), |offset| at + offset + 1)
}

fn comment_end(bytes: &[u8], at: usize, nests: bool) -> usize {
    let mut depth = 1_usize;
    let mut i = at + 2;
    while i < bytes.len() {
        match (bytes.get(i), bytes.get(i + 1)) {
            (Some(b'*'), Some(b'/')) => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return i;
                }
            }
            (Some(b'/'), Some(b'*')) if nests => {
                depth += 1;
                i += 2;
            }
            _ => i += 1,
        }
    }
    bytes.len()
}

/// `$tag$ … $tag$`.
fn dollar_end(sql: &str, at: usize) -> Option<usize> {
    let before = at.checked_sub(1).and_then(|i| sql.as_bytes().get(i));
    if before.is_some_and(|byte| is_identifier_byte(*byte)) {
        return None;
    }
    let rest = sql.get(at + 1..)?;
    let tag_len = rest.bytes().position(|byte| byte == b'$')?;
    let tag = rest.get(..tag_len)?;
    let named =
        tag.bytes().all(is_identifier_byte) && !tag.bytes().next().is_some_and(|b| b.is_ascii_digit());
    if !named {
        return None;
    }
    let delimiter = sql.get(at..at + tag_len + 2)?;
    let body = at + tag_len + 2;
    let end = sql.get(body..)?.find(delimiter).map(|offset| body + offset + delimiter.len());
    Some(end.unwrap_or(sql.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with everything that is quoted replaced by `_`.
    fn code(sql: &str, engine: Engine) -> String {
        let mut out = String::new();
        let mut at = 0;
        while at < sql.len() {
            if let Some(end) = quoted_end(sql, at, engine) {
                out.push('_');
                at = end;
            } else {
                let c = sql[at..].chars().next().unwrap();
                out.push(c);
                at += c.len_utf8();
            }
        }
        out
    }

    #[test]
    fn each_dialect_has_its_own_quotes() {
        use Engine::{MySql, Postgres, Sqlite};
        let table = [
            (MySql, r"a 'it''s ?' b", "a _ b"),
            (MySql, r"a 'it\'s ?' b", "a _ b"),
            (MySql, r#"a "x\"?" b"#, "a _ b"),
            (MySql, "a `x``?` b", "a _ b"),
            (MySql, "a # ?\nb", "a _b"),
            (MySql, "a -- ?\nb", "a _b"),
            (MySql, "a --1 b", "a --1 b"),
            (MySql, "a /* ? /* */ b", "a _ b"),
            (MySql, "a [0] b", "a [0] b"),
            (MySql, "a $$ ? $$ b", "a $$ ? $$ b"),
            (Postgres, r"a 'x\' b", "a _ b"),
            (Postgres, r"a E'x\'?' b", "a E_ b"),
            (Postgres, r"a note'x\' b", "a note_ b"),
            (Postgres, "a --? b", "a _"),
            (Postgres, "a /* ? /* */ ? */ b", "a _ b"),
            (Postgres, "a $q$ ? $ $q$ b", "a _ b"),
            (Postgres, "a $1 b", "a $1 b"),
            (Postgres, "a `x` b", "a `x` b"),
            (Postgres, "a # b", "a # b"),
            (Postgres, "x[1] 'unclosed ?", "x[1] _"),
            (Sqlite, r"a 'x\' b", "a _ b"),
            (Sqlite, "a [x ? y] b", "a _ b"),
            (Sqlite, "a `x` b", "a _ b"),
            (Sqlite, "größe '?' é", "größe _ é"),
        ];
        for (engine, sql, expected) in table {
            assert_eq!(code(sql, engine), expected, "{engine:?} {sql}");
        }
    }
}
