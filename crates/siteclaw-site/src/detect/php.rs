//! Reads single facts out of PHP source: which version a file states, which class it declares.
//!
//! Platforms state their version as one plain literal (`const VERSION = '10.5.6';`,
//! `define('VERSION', '4.1.0.4');`, `$wp_version = '7.1';`). This scanner splits the source into tokens,
//! so that comments, strings, heredocs and text outside `<?php` cannot pose as code, and looks for that
//! one literal. It evaluates nothing: anything but a literal counts as not stated. Only the value that
//! was asked for is ever copied, so a file with passwords can be asked whether it defines a name.

use std::borrow::Cow;

/// PHP source, decoded leniently.
pub(super) struct Php(String);

#[derive(Clone, Debug, PartialEq)]
enum Token<'a> {
    /// An identifier or keyword; qualified names come whole, without a leading backslash.
    Name(&'a str),
    /// A variable, without the dollar sign.
    Variable(&'a str),
    /// A string; `None` when it interpolates or has escapes beyond `\\` and its own quote.
    Text(Option<Cow<'a, str>>),
    /// The digits of a number, as written.
    Number(&'a str),
    /// One character of punctuation.
    Mark(u8),
}

impl Php {
    pub(super) fn new(source: Vec<u8>) -> Self {
        Self(match String::from_utf8(source) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    /// The literal that a class constant, a top-level `const` or a `define()` of this name has. The first
    /// one counts, as in PHP.
    pub(super) fn constant(&self, wanted: &str) -> Option<String> {
        self.defined(wanted).flatten()
    }

    /// Whether a constant of this name is defined, by whatever expression.
    pub(super) fn defines(&self, wanted: &str) -> bool {
        self.defined(wanted).is_some()
    }

    fn defined(&self, wanted: &str) -> Option<Option<String>> {
        let mut tokens = self.tokens();
        while let Some(token) = tokens.next() {
            let Token::Name(name) = token else { continue };
            let found = if name.eq_ignore_ascii_case("const") {
                // `const VERSION =`, and with a type `const string VERSION =`.
                let mut last = None;
                loop {
                    match tokens.next() {
                        Some(Token::Name(name)) => last = Some(name),
                        Some(Token::Mark(b'=')) => break last == Some(wanted),
                        _ => break false,
                    }
                }
            } else if name.eq_ignore_ascii_case("define") {
                tokens.next() == Some(Token::Mark(b'('))
                    && matches!(tokens.next(), Some(Token::Text(Some(name))) if name == wanted)
                    && tokens.next() == Some(Token::Mark(b','))
            } else {
                false
            };
            if found {
                return Some(tokens.literal());
            }
        }
        None
    }

    /// The literal that is assigned to a variable last.
    pub(super) fn variable(&self, wanted: &str) -> Option<String> {
        let mut tokens = self.tokens();
        let mut value = None;
        while let Some(token) = tokens.next() {
            if token == Token::Variable(wanted) && tokens.next() == Some(Token::Mark(b'=')) {
                value = tokens.literal();
            }
        }
        value
    }

    /// Whether the source declares a class of this name.
    pub(super) fn declares_class(&self, wanted: &str) -> bool {
        let mut after_class = false;
        for token in self.tokens() {
            let Token::Name(name) = token else {
                after_class = false;
                continue;
            };
            if after_class && name.eq_ignore_ascii_case(wanted) {
                return true;
            }
            after_class = name.eq_ignore_ascii_case("class");
        }
        false
    }

    /// Whether the code names this class, with its namespace or after `use`.
    pub(super) fn mentions(&self, wanted: &str) -> bool {
        self.tokens().any(|token| matches!(token, Token::Name(name) if name.eq_ignore_ascii_case(wanted)))
    }

    /// The plain strings of the code, in order.
    pub(super) fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.tokens().filter_map(|token| match token {
            Token::Text(text) => text,
            _ => None,
        })
    }

    fn tokens(&self) -> Tokens<'_> {
        Tokens { rest: &self.0, in_code: false }
    }
}

struct Tokens<'a> {
    rest: &'a str,
    in_code: bool,
}

impl<'a> Tokens<'a> {
    /// The value of a literal that stands alone up to the end of its statement or argument.
    fn literal(&mut self) -> Option<String> {
        let value = match self.next()? {
            Token::Text(text) => text?.into_owned(),
            Token::Number(digits) => digits.to_owned(),
            _ => return None,
        };
        matches!(self.next(), Some(Token::Mark(b';' | b',' | b')')) | None).then_some(value)
    }

    /// Takes `length` bytes off the front; less when that is no boundary.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// Goes behind the next `end`, or to the end of the source.
    fn skip_past(&mut self, end: &str) {
        let at = self.rest.find(end).map_or(self.rest.len(), |at| at + end.len());
        self.take(at);
    }

    /// A line comment ends at the line's end or before `?>`.
    fn skip_line(&mut self) {
        let line = self.rest.split('\n').next().unwrap_or_default();
        self.take(line.find("?>").unwrap_or(line.len()));
    }

    fn quoted(&mut self, quote: u8) -> Token<'a> {
        let body = self.rest.get(1..).unwrap_or_default();
        let mut escaped = false;
        let mut plain = true;
        let mut escapes = false;
        let mut length = body.len();
        for (at, byte) in body.bytes().enumerate() {
            if escaped {
                escaped = false;
                escapes = true;
                // Single quotes keep other backslashes; double quotes give them a meaning.
                plain &= byte == quote || byte == b'\\' || quote == b'\'';
            } else if byte == b'\\' {
                escaped = true;
            } else if byte == quote {
                length = at;
                break;
            } else if quote != b'\'' && byte == b'$' {
                plain = false;
            }
        }
        let text = body.get(..length).unwrap_or_default();
        self.take(length + 2);
        if !plain || quote == b'`' {
            return Token::Text(None);
        }
        Token::Text(Some(if escapes { unescape(text, quote).into() } else { text.into() }))
    }

    /// A heredoc or nowdoc, whose text no one asks for.
    fn heredoc(&mut self) -> Option<Token<'a>> {
        let after = self.rest.strip_prefix("<<<")?.trim_start_matches([' ', '\t']);
        let label = after.trim_start_matches(['\'', '"']);
        let length = name_length(label);
        let label = label.get(..length).filter(|label| !label.is_empty())?;
        self.skip_past("\n");
        while !self.rest.is_empty() {
            let line = self.rest.trim_start_matches([' ', '\t']);
            if let Some(after) = line.strip_prefix(label)
                && name_length(after) == 0
            {
                self.rest = after;
                break;
            }
            self.skip_past("\n");
        }
        Some(Token::Text(None))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if !self.in_code {
                self.skip_past("<?");
                let tag = self.rest.get(..3).is_some_and(|tag| tag.eq_ignore_ascii_case("php"));
                self.take(if tag { 3 } else { 0 });
                self.in_code = tag || self.rest.starts_with('=');
                if self.rest.is_empty() {
                    return None;
                }
                continue;
            }
            self.rest = self.rest.trim_start();
            let rest = self.rest;
            if rest.starts_with("?>") {
                self.in_code = false;
            } else if rest.starts_with("//") || (rest.starts_with('#') && !rest.starts_with("#[")) {
                self.skip_line();
            } else if rest.starts_with("/*") {
                self.take(2);
                self.skip_past("*/");
            } else {
                return self.code();
            }
        }
    }
}

impl<'a> Tokens<'a> {
    fn code(&mut self) -> Option<Token<'a>> {
        let rest = self.rest;
        let first = *rest.as_bytes().first()?;
        if let Some(heredoc) = self.heredoc() {
            return Some(heredoc);
        }
        Some(match first {
            b'\'' | b'"' | b'`' => self.quoted(first),
            b'$' if name_length(rest.get(1..).unwrap_or_default()) > 0 => {
                self.take(1);
                Token::Variable(self.take(name_length(self.rest)))
            }
            b'0'..=b'9' => {
                let digits = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'));
                Token::Number(self.take(digits.unwrap_or(rest.len())))
            }
            _ => {
                self.rest = rest.strip_prefix('\\').unwrap_or(rest);
                let length = qualified_length(self.rest);
                if length > 0 {
                    Token::Name(self.take(length))
                } else if first == b'\\' {
                    Token::Mark(first)
                } else {
                    self.take(rest.chars().next().map_or(1, char::len_utf8));
                    Token::Mark(first)
                }
            }
        })
    }
}

fn is_name_char(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii()
}

fn name_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    text.find(|c| !is_name_char(c)).unwrap_or(text.len())
}

fn qualified_length(text: &str) -> usize {
    if !text.starts_with(|c: char| is_name_char(c) && !c.is_ascii_digit()) {
        return 0;
    }
    let end = text.find(|c| !is_name_char(c) && c != '\\').unwrap_or(text.len());
    text.get(..end).map_or(0, |name| name.trim_end_matches('\\').len())
}

/// Takes the backslash from `\\` and from the quote; other backslashes of single quotes stay.
fn unescape(text: &str, quote: u8) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(&next) if c == '\\' && (next == '\\' || next == char::from(quote)) => {
                out.push(next);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn php(source: &str) -> Php {
        Php::new(source.as_bytes().to_vec())
    }

    #[test]
    fn the_usual_ways_to_state_a_version_are_read() {
        let constant = |source| php(source).constant("VERSION");
        let cases = [
            "<?php\nclass Drupal { const VERSION = '10.5.6'; }",
            "<?php final class V { public const string VERSION='10.5.6'; }",
            "<?php const VERSION = \"10.5.6\";",
            "<?php\ndefine('VERSION', '10.5.6');",
            "<?PHP \\define( \"VERSION\" , '10.5.6', true );",
            "<?php defined('VERSION') || \\define('VERSION', '10.5.6');",
            "#!/usr/bin/env php\n<?php const OTHER = ['a' => 1]; const VERSION = '10.5.6';",
            "<?= 1 ?><?php const VERSION = '10.5.6' ?>",
        ];
        for source in cases {
            assert_eq!(constant(source).as_deref(), Some("10.5.6"), "{source}");
        }
        assert_eq!(constant("<?php class V { const VERSION = 5; }").as_deref(), Some("5"));
        assert_eq!(php("<?php $wp_version = '7.1';").variable("wp_version").as_deref(), Some("7.1"));
    }

    #[test]
    fn what_only_looks_like_code_is_passed_over() {
        let decoys = [
            "const VERSION = '6.6';",
            "<?php // const VERSION = '6.6';",
            "<?php # const VERSION = '6.6';",
            "<?php /* const VERSION = '6.6'; */",
            "<?php /** a\n * const VERSION = '6.6'; */",
            "<?php $a = \"const VERSION = '6.6';\";",
            "<?php $a = 'it\\'s const VERSION = \"6.6\";';",
            "<?php $a = <<<X\nconst VERSION = '6.6';\nX;\n",
            "<?php $a = <<<'X'\n  const VERSION = '6.6';\n  X;\n",
            "<?php ?> const VERSION = '6.6';",
            "<?php // ?> const VERSION = '6.6';",
            "<?php undefine('VERSION', '6.6');",
            "<?php $VERSION = '6.6';",
            "<?php const VERSION_ID = '6.6';",
        ];
        for source in decoys {
            assert_eq!(php(source).constant("VERSION"), None, "{source}");
            let followed = format!("{source}\n<?php ?><?php\nconst VERSION = '7.0';");
            assert_eq!(php(&followed).constant("VERSION").as_deref(), Some("7.0"), "{followed}");
        }
        assert_eq!(php("<?php #[A] const VERSION = '7';").constant("VERSION").as_deref(), Some("7"));
    }

    #[test]
    fn only_a_literal_counts_and_the_first_definition_holds() {
        for source in [
            "<?php const VERSION = '1' . '2';",
            "<?php const VERSION = Version::VERSION;",
            "<?php define('VERSION', \"1.$x\");",
            "<?php define('VERSION', getenv('V'));",
            "<?php define('VERSION', \"1\\x31\");",
        ] {
            assert_eq!(php(source).constant("VERSION"), None, "{source}");
            assert!(php(source).defines("VERSION"));
        }
        let twice = php("<?php define('V', '1'); define('V', '2'); $v = '1'; $v = '2'; $v .= '3';");
        assert_eq!(twice.constant("V").as_deref(), Some("1"));
        assert_eq!(twice.variable("v").as_deref(), Some("2"));
        assert_eq!(php(r"<?php define('V', 'a\\b\'c\d');").constant("V").as_deref(), Some(r"a\b'c\d"));
    }

    #[test]
    fn classes_and_names_are_found_in_code_only() {
        assert!(php("<?php class JConfig {}").declares_class("JConfig"));
        assert!(php("<?php abstract /* x */ CLASS jconfig {}").declares_class("JConfig"));
        assert!(!php("<?php // class JConfig {}").declares_class("JConfig"));
        assert!(!php("<?php new JConfig;").declares_class("JConfig"));
        let laravel = php("<?php $app = new \\Illuminate\\Foundation\\Application();");
        assert!(laravel.mentions("Illuminate\\Foundation\\Application"));
        assert!(!php("<?php '\\Illuminate\\Foundation\\Application'").mentions("Illuminate\\Foundation"));
        let texts: Vec<_> =
            php("<?php require __DIR__ . '/wp/x.php'; \"$y\";").texts().map(String::from).collect();
        assert_eq!(texts, ["/wp/x.php"]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_scanned_to_their_end(source in prop::collection::vec(any::<u8>(), 0..200)) {
            let php = Php::new([b"<?php ", source.as_slice()].concat());
            prop_assert!(php.tokens().count() <= 6 + 3 * source.len());
        }

        #[test]
        fn any_mixture_of_php_is_scanned_to_its_end(source in "(<\\?php|\\?>|<<<A|\nA|'|\"|\\\\|/\\*|//|#|\\$|é|x| |\n|1|;){0,60}") {
            let php = php(&source);
            prop_assert!(php.tokens().count() <= source.len());
            let _ = (php.constant("x"), php.variable("x"), php.declares_class("x"));
        }
    }
}
