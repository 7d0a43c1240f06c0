//! The Symfony dialect: values like words of a shell.

use super::{Cursor, Dotenv, is_blank};
use crate::Environment;

/// Why a value could not be read.
enum Trouble {
    Line(&'static str),
    /// A command would have to be run for it.
    Command,
}

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
    let exported = match cursor.rest().strip_prefix("export") {
        Some(rest) if rest.starts_with(is_blank) => {
            cursor.pass("export");
            cursor.take_while(is_blank);
            true
        }
        _ => false,
    };
    let name = cursor.take_while(|next| next.is_ascii_alphanumeric() || next == '_');
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        into.problem(line, None, "not a variable name");
        return cursor.skip_line();
    }
    match cursor.peek() {
        Some('=') => cursor.next(),
        None | Some('\n' | '#') if exported => return cursor.skip_line(),
        Some(next) if is_blank(next) => {
            into.problem(line, Some(name), "blanks before the equals sign");
            return cursor.skip_line();
        }
        _ => {
            into.problem(line, Some(name), "no equals sign after the name");
            return cursor.skip_line();
        }
    };
    let start = cursor.position;
    match words(into, cursor, real) {
        Ok(value) => into.set(name, value, line),
        Err(trouble) => {
            match trouble {
                Trouble::Line(reason) => into.problem(line, Some(name), reason),
                Trouble::Command => into.set_unknown(name, line, "needs a command, which is never run"),
            }
            cursor.position = start;
            cursor.line = line;
            cursor.skip_line();
        }
    }
}

/// The pieces of a value, joined.
fn words(into: &mut Dotenv, cursor: &mut Cursor<'_>, real: &dyn Environment) -> Result<String, Trouble> {
    let number = cursor.line;
    let line = cursor.rest().split('\n').next().unwrap_or("");
    let blanks = line.trim_start_matches(is_blank);
    if blanks.is_empty() || blanks.starts_with('#') {
        // `A=#x` is empty here: nothing but a comment follows the equals sign.
        cursor.pass(line);
        return Ok(String::new());
    }
    if line.starts_with(is_blank) {
        return Err(Trouble::Line("blanks after the equals sign"));
    }
    let mut value = String::new();
    loop {
        match cursor.peek() {
            None | Some('\n') => return Ok(value),
            Some('\'') => {
                cursor.next();
                value.push_str(cursor.take_while(|next| next != '\''));
                cursor.next().ok_or(Trouble::Line("the single quote is not closed"))?;
            }
            Some('"') => {
                let raw = double_quoted(cursor)?;
                let raw = raw.replace("\\\"", "\"").replace("\\r", "\r").replace("\\n", "\n");
                value.push_str(&resolve(into, &raw, number, real)?.replace("\\\\", "\\"));
            }
            Some(_) => {
                let raw = bare(cursor);
                let resolved = resolve(into, &raw, number, real)?.replace("\\\\", "\\");
                if resolved == raw && raw.contains(char::is_whitespace) {
                    return Err(Trouble::Line("a value with blanks must be quoted"));
                }
                value.push_str(&resolved);
                if cursor.peek() == Some('#') {
                    cursor.take_while(|next| next != '\n');
                    return Ok(value);
                }
            }
        }
        if value.len() > super::MAX_VALUE {
            return Err(Trouble::Line("the value is too long"));
        }
    }
}

/// The text between double quotes, escapes and all.
fn double_quoted(cursor: &mut Cursor<'_>) -> Result<String, Trouble> {
    cursor.next();
    let mut raw = String::new();
    loop {
        let next = cursor.next().ok_or(Trouble::Line("the double quote is not closed"))?;
        match next {
            '"' => return Ok(raw),
            '\\' => {
                raw.push(next);
                raw.push(cursor.next().ok_or(Trouble::Line("the double quote is not closed"))?);
            }
            _ => raw.push(next),
        }
    }
}

/// Unquoted text up to a quote, a comment or the end of the line.
fn bare(cursor: &mut Cursor<'_>) -> String {
    let mut raw = String::new();
    while let Some(next) = cursor.peek() {
        let comment = next == '#' && raw.ends_with(is_blank);
        if matches!(next, '\n' | '"' | '\'') || comment {
            break;
        }
        cursor.next();
        match (next, cursor.peek()) {
            ('\\', Some(quote @ ('"' | '\''))) => {
                raw.push(quote);
                cursor.next();
            }
            _ => raw.push(next),
        }
    }
    raw.truncate(raw.trim_end().len());
    raw
}

/// Replaces `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME:=default}`; a backslash before the dollar
/// keeps it.
fn resolve(into: &mut Dotenv, raw: &str, line: u32, real: &dyn Environment) -> Result<String, Trouble> {
    let mut result = String::new();
    let mut rest = raw;
    while let Some(dollar) = rest.find('$') {
        let before = rest.get(..dollar).unwrap_or("");
        let after = rest.get(dollar + 1..).unwrap_or("");
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        if backslashes % 2 == 1 {
            result.push_str(before.get(..before.len() - 1).unwrap_or(""));
            result.push('$');
            rest = after;
            continue;
        }
        result.push_str(before);
        if after.starts_with('(') {
            return Err(Trouble::Command);
        }
        let (found, left) = variable(into, after, line, real)?;
        match found {
            Some(found) => result.push_str(&found),
            None => result.push('$'),
        }
        rest = left;
        if result.len() > super::MAX_VALUE {
            return Err(Trouble::Line("the value is too long"));
        }
    }
    result.push_str(rest);
    Ok(result)
}

/// The variable that the text after a dollar names, and the text after it.
fn variable<'a>(
    into: &mut Dotenv,
    after: &'a str,
    line: u32,
    real: &dyn Environment,
) -> Result<(Option<String>, &'a str), Trouble> {
    let braced = after.strip_prefix('{');
    let text = braced.unwrap_or(after);
    let end = text.find(|next: char| !next.is_ascii_alphanumeric() && next != '_').unwrap_or(text.len());
    let (name, mut left) = text.split_at_checked(end).unwrap_or((text, ""));
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        return Ok((None, after));
    }
    let mut default = None;
    if braced.is_some() {
        let (inner, behind) = left.split_once('}').ok_or(Trouble::Line("the brace is not closed"))?;
        default = inner.strip_prefix(":-").map(|text| (text, false));
        default = default.or(inner.strip_prefix(":=").map(|text| (text, true)));
        if default.is_none() && !inner.is_empty() {
            return Err(Trouble::Line("a reference that the reader does not know"));
        }
        left = behind;
    }
    let found = into.look_up(name, real);
    if found.is_none() && into.unknown.contains(name) {
        return Err(Trouble::Command);
    }
    let found = found.unwrap_or_default();
    match default {
        Some((text, assign)) if found.is_empty() => {
            if text.contains(['\'', '"', '{', '$']) {
                return Err(Trouble::Line("a default with a character that is not allowed there"));
            }
            if assign {
                into.set(name, text.to_owned(), line);
            }
            Ok((Some(text.to_owned()), left))
        }
        _ => Ok((Some(found), left)),
    }
}
