//! What is checked before the parser sees a statement: length, comments that run, nesting, operators,
//! statement count and first word.
//!
//! All of it is one pass over characters and one over tokens. The parser and the tree it makes recurse
//! (a chain of 30,000 operators overflows the stack when it is dropped), so nothing reaches them that is
//! deeper than the caps. The tokens are the parser's own: there is no second lexer to disagree with.

use sqlparser::dialect::Dialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, Word};

use super::refusal::{Refusal, RefusalCode};
use crate::Engine;

/// What a text may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caps {
    /// Bytes of text.
    pub(super) bytes: usize,
    /// Brackets and CASE within each other.
    pub(super) nesting: usize,
    /// Operators, joins and set operations altogether.
    pub(super) operators: usize,
}

/// Caps of a statement that a model wrote.
pub(super) const STATEMENT: Caps = Caps { bytes: 16 * 1024, nesting: 64, operators: 1000 };
/// Caps of the text of a view: servers print it with every name qualified.
pub(super) const VIEW: Caps = Caps { bytes: 64 * 1024, nesting: 64, operators: 1000 };

/// Cuts a text into tokens, or says why it may not be parsed.
pub(super) fn prescan(
    engine: Engine,
    dialect: &dyn Dialect,
    sql: &str,
    caps: Caps,
) -> Result<Vec<TokenWithSpan>, Refusal> {
    if sql.len() > caps.bytes {
        return Err(Refusal::new(
            RefusalCode::TooLong,
            format!("The statement is longer than {} bytes.", caps.bytes),
        )
        .hint("Ask for less at once: filter with conditions instead of long lists of values.")
        .with("limit", caps.bytes));
    }
    if sql.contains('\0') {
        return Err(Refusal::new(RefusalCode::Syntax, "The statement holds a NUL character."));
    }
    if engine == Engine::MySql && has_executable_comment(sql) {
        return Err(Refusal::new(
            RefusalCode::Comment,
            "Comments that begin with /*! or /*M! are run by the server and are not allowed.",
        )
        .hint("Write the text of the comment as part of the statement, or leave it out."));
    }
    let mut tokens = Tokenizer::new(dialect, sql).tokenize_with_location().map_err(|error| {
        Refusal::new(RefusalCode::Syntax, format!("The statement cannot be read: {error}."))
    })?;
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_)));
    while tokens.last().is_some_and(|last| matches!(last.token, Token::SemiColon | Token::EOF)) {
        tokens.pop();
    }
    let leading = tokens.iter().take_while(|token| token.token == Token::SemiColon).count();
    tokens.drain(..leading);
    let Some(first) = tokens.first() else {
        return Err(
            Refusal::new(RefusalCode::Empty, "There is no statement.").hint("Write one SELECT statement.")
        );
    };
    if tokens.iter().any(|token| token.token == Token::SemiColon) {
        return Err(Refusal::new(RefusalCode::Multiple, "There is more than one statement.")
            .hint("Send one statement a call; a semicolon may stand only at the end."));
    }
    if !is_first_word(&first.token) {
        return Err(not_a_query());
    }
    measure(&tokens, caps)?;
    if engine == Engine::MySql {
        write_mod_as_sign(&mut tokens);
    }
    Ok(tokens)
}

/// CREATE is let through for the text of a view; as a statement the tree refuses it.
fn is_first_word(first: &Token) -> bool {
    match first {
        Token::LParen => true,
        Token::Word(Word { quote_style: None, keyword, .. }) => matches!(
            keyword,
            Keyword::SELECT
                | Keyword::WITH
                | Keyword::VALUES
                | Keyword::EXPLAIN
                | Keyword::DESC
                | Keyword::DESCRIBE
                | Keyword::CREATE
        ),
        _ => false,
    }
}

/// The refusal of everything that is no query.
pub(super) fn not_a_query() -> Refusal {
    Refusal::new(
        RefusalCode::NotSelect,
        "Only queries are allowed: the statement must begin with SELECT or WITH.",
    )
    .hint("Nothing can be changed here. Ask for the schema to see which tables and columns there are.")
}

fn measure(tokens: &[TokenWithSpan], caps: Caps) -> Result<(), Refusal> {
    // Counted apart: a column may be called `end`, and must not close a bracket.
    let (mut depth, mut cases, mut operators) = (0_usize, 0_usize, 0_usize);
    for token in tokens {
        match &token.token {
            Token::LParen | Token::LBracket | Token::LBrace => {
                depth += 1;
                operators += usize::from(token.token == Token::LBracket);
            }
            Token::RParen | Token::RBracket | Token::RBrace => depth = depth.saturating_sub(1),
            Token::Word(Word { quote_style: None, keyword, .. }) => match keyword {
                Keyword::CASE => cases += 1,
                Keyword::END => cases = cases.saturating_sub(1),
                keyword if is_operator_word(*keyword) => operators += 1,
                _ => {}
            },
            Token::Word(_)
            | Token::Comma
            | Token::Period
            | Token::SemiColon
            | Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::DoubleQuotedString(_)
            | Token::Placeholder(_) => {}
            _ => operators += 1,
        }
        if depth.max(cases) > caps.nesting {
            return Err(too_deep(&format!(
                "The statement is nested more than {} levels deep.",
                caps.nesting
            )));
        }
    }
    if operators > caps.operators {
        return Err(too_deep(&format!("The statement has more than {} operators.", caps.operators)));
    }
    Ok(())
}

/// The refusal of what would take too much to check.
pub(super) fn too_deep(what: &str) -> Refusal {
    Refusal::new(RefusalCode::TooDeep, what)
        .hint("Split the question into smaller queries, or use IN (…) for a list of values.")
}

fn is_operator_word(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::AND
            | Keyword::OR
            | Keyword::XOR
            | Keyword::NOT
            | Keyword::DIV
            | Keyword::IS
            | Keyword::IN
            | Keyword::AT
            | Keyword::BETWEEN
            | Keyword::LIKE
            | Keyword::ILIKE
            | Keyword::RLIKE
            | Keyword::REGEXP
            | Keyword::SIMILAR
            | Keyword::GLOB
            | Keyword::MATCH
            | Keyword::MEMBER
            | Keyword::OVERLAPS
            | Keyword::OPERATOR
            | Keyword::COLLATE
            | Keyword::NOTNULL
            | Keyword::UNION
            | Keyword::EXCEPT
            | Keyword::INTERSECT
            | Keyword::MINUS
            | Keyword::JOIN
    )
}

/// `a MOD b` is `a % b`; the grammar knows only the sign.
fn write_mod_as_sign(tokens: &mut [TokenWithSpan]) {
    let is_mod = |token: &Token| matches!(token, Token::Word(w) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case("mod"));
    for at in 1..tokens.len() {
        let [.., before, token] = tokens.get_mut(..=at).unwrap_or_default() else { continue };
        let ends_operand = match &before.token {
            Token::Number(..) | Token::RParen | Token::SingleQuotedString(_) | Token::Placeholder(_) => true,
            Token::Word(word) => {
                word.quote_style.is_some()
                    || word.keyword == Keyword::NoKeyword
                    || word.keyword == Keyword::ID
            }
            _ => false,
        };
        if ends_operand && is_mod(&token.token) {
            token.token = Token::Mod;
        }
    }
}

/// Whether `/*!` or `/*M!` opens a comment. Strings, quoted names and inert comments are stepped over.
fn has_executable_comment(sql: &str) -> bool {
    let bytes = sql.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let mut i = 0;
    while i < bytes.len() {
        match at(i) {
            quote @ (b'\'' | b'"' | b'`') => {
                i += 1;
                while i < bytes.len() && at(i) != quote {
                    i += if at(i) == b'\\' && quote != b'`' { 2 } else { 1 };
                }
            }
            b'#' => i = line_end(bytes, i),
            b'-' if at(i + 1) == b'-' && (at(i + 2) <= b' ') => i = line_end(bytes, i),
            b'/' if at(i + 1) == b'*' => {
                if at(i + 2) == b'!' || (at(i + 2) | 0x20 == b'm' && at(i + 3) == b'!') {
                    return true;
                }
                i += 2;
                while i < bytes.len() && !(at(i) == b'*' && at(i + 1) == b'/') {
                    i += 1;
                }
                i += 1;
            }
            _ => {}
        }
        i += 1;
    }
    false
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes.iter().skip(from).position(|byte| *byte == b'\n').map_or(bytes.len(), |length| from + length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlparser::dialect::MySqlDialect;

    fn code(sql: &str) -> Option<RefusalCode> {
        prescan(Engine::MySql, &MySqlDialect {}, sql, STATEMENT).err().map(|refusal| refusal.code)
    }

    #[test]
    fn executable_comments_are_seen_outside_strings_and_other_comments() {
        for (sql, expected) in [
            ("SELECT 1 /*!50000 x */", true),
            ("SELECT 1 /*! x */", true),
            ("SELECT 1 /*M! x */", true),
            ("SELECT 1 /*m!100100 x */", true),
            ("SELECT '/*! x */'", false),
            ("SELECT \"/*! x */\", `/*!`", false),
            ("SELECT 'it\\'s /*! x */'", false),
            ("SELECT 'a' /*! x */", true),
            ("SELECT 'a\\\\' /*! x */", true),
            ("SELECT '''' /*! x */", true),
            ("SELECT `a\\` /*! x */", true),
            ("SELECT 1 -- /*! x */", false),
            ("SELECT 1 --/*! x */", true),
            ("SELECT 1 # /*! x */\n /*! y */", true),
            ("SELECT 1 /* /*! x */", false),
            ("SELECT 1 /* a */ /*! x */", true),
            ("SELECT 1 /", false),
            ("SELECT 1 /*", false),
        ] {
            assert_eq!(has_executable_comment(sql), expected, "{sql}");
        }
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert_eq!(code(&format!("SELECT '{}'", "(".repeat(500))), None);
        assert_eq!(code(&format!("SELECT {}1{}", "(".repeat(64), ")".repeat(64))), None);
        assert_eq!(
            code(&format!("SELECT {}1{}", "(".repeat(65), ")".repeat(65))),
            Some(RefusalCode::TooDeep)
        );
        assert_eq!(
            code(&format!("SELECT {}1{}", "(end,".repeat(65), ")".repeat(65))),
            Some(RefusalCode::TooDeep)
        );
        assert_eq!(
            code(&format!("SELECT {}1{}", "CASE WHEN 1 THEN ".repeat(65), " END".repeat(65))),
            Some(RefusalCode::TooDeep)
        );
    }

    #[test]
    fn operators_are_counted_in_signs_and_words() {
        assert_eq!(code(&format!("SELECT 1{}", "+1".repeat(1000))), None);
        assert_eq!(code(&format!("SELECT 1{}", "+1".repeat(1001))), Some(RefusalCode::TooDeep));
        assert_eq!(code(&format!("SELECT 1{}", " OR 1".repeat(1001))), Some(RefusalCode::TooDeep));
        assert_eq!(code(&format!("SELECT 1 WHERE 1 IN (1{})", ",1".repeat(5000))), None);
    }

    #[test]
    fn one_statement_of_the_right_kind() {
        assert_eq!(code(" ; ; "), Some(RefusalCode::Empty));
        assert_eq!(code("-- only this"), Some(RefusalCode::Empty));
        assert_eq!(code("SELECT 1;"), None);
        assert_eq!(code("SELECT 1;;"), None);
        assert_eq!(code("SELECT 1; SELECT 2"), Some(RefusalCode::Multiple));
        assert_eq!(code("; SELECT 1"), None);
        assert_eq!(code("SELECT ';'"), None);
        assert_eq!(code("PRAGMA x"), Some(RefusalCode::NotSelect));
        assert_eq!(code("`SELECT` 1"), Some(RefusalCode::NotSelect));
    }
}
