//! The plain and the Laravel dialect: one variable a line, double-quoted values may span lines.

use super::{Cursor, Dialect, Dotenv, is_blank};
use crate::Environment;

pub(super) fn read(into: &mut Dotenv, text: &str, real: &dyn Environment) {
    let mut cursor = Cursor::new(text);
    loop {
        cursor.take_while(char::is_whitespace);
        match cursor.peek() {
            None => return,
            Some('#') => cursor.skip_line(),
            Some(_) => entry(into, &mut cursor, real),
        }
    }
}

fn entry(into: &mut Dotenv, cursor: &mut Cursor<'_>, real: &dyn Environment) {
    let line = cursor.line;
    let declared = cursor.take_while(|next| !matches!(next, '=' | '\n'));
    let name = clean_name(declared);
    let Some(name) = name.filter(|name| is_name(name)) else {
        into.problem(line, None, "not a variable name");
        return cursor.skip_line();
    };
    if cursor.peek() != Some('=') {
        // `export NAME` and a bare NAME pass a variable through; they set nothing.
        return cursor.skip_line();
    }
    cursor.next();
    cursor.take_while(is_blank);
    let start = cursor.position;
    let value = match cursor.peek() {
        Some('\'') => single_quoted(cursor),
        Some('"') => double_quoted(into, cursor, real),
        _ => Ok(unquoted(into, cursor, real)),
    };
    match value.and_then(|value| end_of_line(cursor).map(|()| value)) {
        Ok(value) => into.set(name, value, line),
        Err(reason) => {
            into.problem(line, Some(name), reason);
            // Go on with the line after the one that began the value: an unclosed quote would otherwise
            // swallow the rest of the file.
            cursor.position = start;
            cursor.line = line;
            cursor.skip_line();
        }
    }
}

fn clean_name(declared: &str) -> Option<&str> {
    let name = declared.trim();
    let name = match name.strip_prefix("export") {
        Some(rest) if rest.starts_with(is_blank) => rest.trim_start(),
        _ => name,
    };
    for quote in ['\'', '"'] {
        if let Some(rest) = name.strip_prefix(quote) {
            return rest.strip_suffix(quote);
        }
    }
    Some(name)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
}

type Value = Result<String, &'static str>;

fn single_quoted(cursor: &mut Cursor<'_>) -> Value {
    cursor.next();
    let value = cursor.take_while(|next| next != '\'').to_owned();
    cursor.next().map(|_| value).ok_or("the single quote is not closed")
}

fn double_quoted(into: &Dotenv, cursor: &mut Cursor<'_>, real: &dyn Environment) -> Value {
    cursor.next();
    let mut value = String::new();
    loop {
        value.push_str(cursor.take_while(|next| !matches!(next, '"' | '\\' | '$')));
        match cursor.peek() {
            None => return Err("the double quote is not closed"),
            Some('$') => reference(into, cursor, real, &mut value),
            Some('\\') => {
                cursor.next();
                escape(into.dialect, cursor, &mut value)?;
            }
            Some(_) => {
                cursor.next();
                return Ok(value);
            }
        }
    }
}

fn escape(dialect: Dialect, cursor: &mut Cursor<'_>, value: &mut String) -> Result<(), &'static str> {
    let next = cursor.next().ok_or("the double quote is not closed")?;
    match next {
        '"' | '\\' | '$' => value.push(next),
        'n' => value.push('\n'),
        'r' => value.push('\r'),
        't' => value.push('\t'),
        'f' => value.push('\x0c'),
        'v' => value.push('\x0b'),
        _ if dialect == Dialect::Laravel => return Err("an escape that the reader does not know"),
        _ => {
            value.push('\\');
            value.push(next);
        }
    }
    Ok(())
}

fn unquoted(into: &Dotenv, cursor: &mut Cursor<'_>, real: &dyn Environment) -> String {
    let mut value = String::new();
    // At the very start the cursor stands after `=` and blanks; a comment may begin there only when
    // there were blanks, which `after_blank` also covers for an empty value.
    let mut after_blank = cursor.text.get(..cursor.position).is_some_and(|before| before.ends_with(is_blank));
    while let Some(next) = cursor.peek() {
        let comment = next == '#' && (after_blank || into.dialect == Dialect::Laravel);
        if next == '\n' || comment || (is_blank(next) && into.dialect == Dialect::Laravel) {
            break;
        }
        after_blank = is_blank(next);
        if next == '$' {
            reference(into, cursor, real, &mut value);
        } else {
            value.push(next);
            cursor.next();
        }
    }
    value.truncate(value.trim_end().len());
    value
}

/// `${NAME}`, or a dollar that is just one. The name must be known; otherwise the text stays.
fn reference(into: &Dotenv, cursor: &mut Cursor<'_>, real: &dyn Environment, value: &mut String) {
    let named = cursor.rest().strip_prefix("${").and_then(|rest| rest.split_once('}')).map(|(name, _)| name);
    match named.filter(|name| is_name(name)) {
        Some(name) if value.len() <= super::MAX_VALUE => {
            match into.look_up(name, real) {
                Some(found) => value.push_str(&found),
                None => {
                    value.push_str("${");
                    value.push_str(name);
                    value.push('}');
                }
            }
            cursor.position += name.len() + 3;
        }
        _ => {
            value.push('$');
            cursor.next();
        }
    }
}

fn end_of_line(cursor: &mut Cursor<'_>) -> Result<(), &'static str> {
    cursor.take_while(is_blank);
    match cursor.peek() {
        None | Some('\n') => Ok(()),
        Some('#') => {
            cursor.take_while(|next| next != '\n');
            Ok(())
        }
        Some(_) => Err("text after the value; quote a value with blanks"),
    }
}
