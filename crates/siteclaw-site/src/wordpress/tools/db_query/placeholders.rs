//! WordPress' placeholders (`%s`, `%d`, `%f`, as `$wpdb->prepare()` takes them) as the databases' own.

/// The statement with `%s`, `%d` and `%f` outside quotes and comments as `?`, and `%%` as `%`. Without
/// values to bind the text stays as it is, so that `LIKE '%s'` and the remainder operator keep their meaning.
pub(super) fn native(sql: &str, has_bindings: bool) -> String {
    if !has_bindings || !sql.contains('%') {
        return sql.to_owned();
    }
    let mut out = String::with_capacity(sql.len());
    let mut chars = sql.chars().peekable();
    let mut quote: Option<char> = None;
    while let Some(c) = chars.next() {
        match quote {
            Some(open) => {
                out.push(c);
                if c == '\\' {
                    out.extend(chars.next());
                } else if c == open {
                    quote = None;
                }
            }
            None if matches!(c, '\'' | '"' | '`') => {
                quote = Some(c);
                out.push(c);
            }
            None if c == '%' => match chars.peek() {
                Some('s' | 'd' | 'f') => {
                    chars.next();
                    out.push('?');
                }
                Some('%') => {
                    chars.next();
                    out.push('%');
                }
                _ => out.push('%'),
            },
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn placeholders_outside_quotes_become_native() {
        for (sql, expected) in [
            ("a = %s AND b=%d", "a = ? AND b=?"),
            ("a LIKE '%s' AND b = %s", "a LIKE '%s' AND b = ?"),
            ("a = 'it''s %d' AND b = %f", "a = 'it''s %d' AND b = ?"),
            ("a = 'x\\' %s' AND b = %s", "a = 'x\\' %s' AND b = ?"),
            ("a %% 2 = %d", "a % 2 = ?"),
            ("a % 2", "a % 2"),
        ] {
            assert_eq!(native(sql, true), expected, "{sql}");
        }
        assert_eq!(native("a = %s", false), "a = %s");
    }

    proptest! {
        #[test]
        fn any_text_is_taken(sql in any::<String>()) {
            prop_assert_eq!(native(&sql, false), sql.clone());
            let _ = native(&sql, true);
        }
    }
}
