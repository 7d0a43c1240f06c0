//! Parsing files, and what `include` brings in.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use php_ast::{Expr, ExprKind, IncludeKind, Program, Stmt, StmtKind, StringPart};
use php_rs_parser::{ParseOptions, parse_arena_with};

use super::MAX_CONFIG_BYTES;
use super::budget::{MAX_FILES, MAX_INCLUDE_DEPTH};
use super::files::stream;
use super::machine::Machine;
use super::scope::{FileContext, decode};
use crate::SourceError;
use crate::config::{Access, Located, Unresolved};
use crate::unknown::Cause;
use crate::value::PhpValue;

/// The parser searches the rest of the text for each heredoc's end: many open ones take minutes.
const MAX_HEREDOCS: usize = 200;

/// A parsed file, with the statements that are whole.
pub(super) struct Parsed<'a> {
    statements: &'a [Stmt<'a, 'a>],
    file: Rc<FileContext<'a>>,
    error: Option<(u32, String)>,
}

impl<'a> Machine<'a> {
    /// Parses a file's bytes. Nesting is bounded by the parser (512 levels), which then reports an error.
    pub(super) fn parse(&self, path: PathBuf, bytes: Vec<u8>) -> Result<Parsed<'a>, &'static str> {
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        let (text, escaped) = decode(bytes);
        self.parse_text(&path, folder, &text, escaped)
    }

    fn parse_text(
        &self,
        path: &Path,
        folder: PathBuf,
        text: &str,
        escaped: bool,
    ) -> Result<Parsed<'a>, &'static str> {
        if text.matches("<<<").take(MAX_HEREDOCS + 1).count() > MAX_HEREDOCS {
            return Err("it has more heredocs than a configuration needs");
        }
        let text: &'a str = self.arena.alloc_str(text);
        let result = parse_arena_with(self.arena, text, &ParseOptions::default());
        let program: &'a Program<'a, 'a> = self.arena.alloc(result.program);
        let file = Rc::new(FileContext {
            path: Arc::from(path),
            text,
            folder,
            map: result.source_map,
            escaped,
            imports: Default::default(),
            namespace: Default::default(),
            env_package: Default::default(),
        });
        // PHP refuses the whole file. What stands before the error is kept, because a site that is down
        // over a slip of the pen is a site to look at; what stands behind it may be anything.
        let first = result
            .errors
            .iter()
            .filter(|error| error.leaves_ast_incomplete())
            .min_by_key(|error| error.span().start);
        let error = first.map(|error| (file.line(error.span()), error.to_string()));
        let limit = first.map_or(u32::MAX, |error| error.span().start);
        let mut whole = program.stmts.iter().take_while(|statement| statement.span.end <= limit).count();
        if first.is_some() {
            // The one before the error may itself lack its end: `$a = 5 6;` is not the assignment of 5.
            let complete = |statement: &Stmt<'_, '_>| file.slice(statement.span).ends_with([';', '}', '>']);
            let last = whole.checked_sub(1).and_then(|last| program.stmts.get(last));
            whole -= usize::from(last.is_some_and(|last| !complete(last)));
        }
        let statements = program.stmts.get(..whole).unwrap_or_default();
        Ok(Parsed { statements, file, error })
    }

    /// Evaluates a parsed file in the current scope; gives what it returns.
    pub(super) fn run_file(&mut self, parsed: Parsed<'a>) -> Option<Located> {
        let caller = std::mem::replace(&mut self.file, parsed.file);
        if let Some((line, message)) = parsed.error {
            // The parser's messages name tokens by kind and do not quote strings.
            self.fault(line, format!("syntax error: {message}; nothing after it was read"));
        }
        for statement in parsed.statements {
            if let StmtKind::Function(declaration) = &statement.kind {
                self.declare(declaration);
            }
        }
        let returned = self.frame(|machine| machine.block(parsed.statements));
        let located = returned.map(|(value, line)| self.located(value, line));
        self.file = caller;
        located
    }

    pub(super) fn include(&mut self, kind: IncludeKind, path: &'a Expr<'a, 'a>, line: u32) -> PhpValue {
        let value = self.eval(path);
        let Some(name) = value.to_text() else {
            let why = self.reason(&value, line).used();
            // A missing variable in the path is the whole reason; name the statement all the same.
            self.unread.push(Unresolved { name: "include".to_owned(), why: why.clone() });
            return PhpValue::Unknown(why);
        };
        if let Some(stream) = stream(&name) {
            return self.no_stream(stream, Access::Include, line);
        }
        let target = self.absolute(&name);
        let base = target.file_name().and_then(|base| base.to_str()).unwrap_or_default();
        if self.options.stop_at.contains(&base) {
            self.stopped = !self.is_speculating();
            return PhpValue::Int(1);
        }
        if target.ends_with("vendor/autoload.php") {
            return self.unknown(Cause::Construct("the class loader"), line);
        }
        let once = matches!(kind, IncludeKind::IncludeOnce | IncludeKind::RequireOnce);
        if once && self.loaded.contains(&target) {
            return PhpValue::Bool(true);
        }
        if self.active.contains(&target) {
            self.fault(
                line,
                format!("{} includes itself; the inner inclusion was left out", target.display()),
            );
            return self.unknown(Cause::Construct("a file that includes itself"), line);
        }
        if self.active.len() > MAX_INCLUDE_DEPTH || self.loaded.len() >= MAX_FILES {
            self.fault(line, format!("{} was not read: too many included files", target.display()));
            return self.unknown(Cause::File(target.display().to_string()), line);
        }
        match self.source.read(&target) {
            Ok(bytes) => self.run_included(target, bytes, line),
            Err(SourceError::NotFound) if matches!(kind, IncludeKind::Include | IncludeKind::IncludeOnce) => {
                PhpValue::Bool(false)
            }
            Err(error) => {
                if error != SourceError::Refused {
                    self.fault(line, format!("{} cannot be read: {error}", target.display()));
                }
                self.no_file(&target, &error, Access::Include, line)
            }
        }
    }

    /// A heredoc that holds `\"`: PHP keeps that backslash, the parser drops it. With the backslash
    /// doubled both agree; `None` where that cannot be done.
    pub(super) fn heredoc_with_quotes(&mut self, source: &str, line: u32) -> Option<PhpValue> {
        let mut text = "<?php return ".to_owned();
        let mut rest = source.chars();
        while let Some(next) = rest.next() {
            text.push(next);
            if next == '\\'
                && let Some(escaped) = rest.next()
            {
                text.push_str(if escaped == '"' { "\\" } else { "" });
                text.push(escaped);
            }
        }
        text.push_str("\n;");
        let (path, folder, escaped) =
            (Arc::clone(&self.file.path), self.file.folder.clone(), self.file.escaped);
        let parsed =
            self.parse_text(&path, folder, &text, escaped).ok().filter(|parsed| parsed.error.is_none())?;
        let Some(StmtKind::Return(Some(expression))) = parsed.statements.first().map(|first| &first.kind)
        else {
            return None;
        };
        let ExprKind::Heredoc { parts, .. } = &expression.kind else { return None };
        parts.iter().all(|part| matches!(part, StringPart::Literal(_))).then_some(())?;
        Some(self.interpolated(parts, line))
    }

    fn run_included(&mut self, target: PathBuf, bytes: Vec<u8>, line: u32) -> PhpValue {
        let size = bytes.len();
        let parsed = match size > MAX_CONFIG_BYTES {
            true => Err("it is too long"),
            false => self.parse(target.clone(), bytes),
        };
        // The text of all files counts as work: parsing it is most of the time.
        self.budget.spend(u32::try_from(size / 4).unwrap_or(u32::MAX));
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(reason) => {
                self.fault(line, format!("{} was not read: {reason}", target.display()));
                return self.unknown(Cause::File(target.display().to_string()), line);
            }
        };
        self.config.files.push(target.clone());
        self.loaded.insert(target.clone());
        self.active.push(target);
        let returned = self.run_file(parsed);
        self.active.pop();
        returned.map_or(PhpValue::Int(1), |located| located.value)
    }

    /// The PHP text of `WORDPRESS_CONFIG_EXTRA`, as if it were included here.
    pub(super) fn run_extra(&mut self, text: &str, line: u32) -> PhpValue {
        let label = Path::new("WORDPRESS_CONFIG_EXTRA");
        let folder = self.file.folder.clone();
        let nested = self.active.iter().any(|active| active == label);
        if text.len() > MAX_CONFIG_BYTES || nested {
            return self.unknown(Cause::TooLarge, line);
        }
        let parsed = match self.parse_text(label, folder, &format!("<?php {text}"), false) {
            Ok(parsed) => parsed,
            Err(reason) => {
                self.fault(line, format!("WORDPRESS_CONFIG_EXTRA was not read: {reason}"));
                return self.unknown(Cause::File(label.display().to_string()), line);
            }
        };
        self.active.push(label.to_owned());
        let returned = self.run_file(parsed);
        self.active.pop();
        returned.map_or(PhpValue::Null, |located| located.value)
    }
}
