//! Turns a template into the text and parameters of one dialect.

use super::scan::quoted_end;
use super::{Argument, Param, Prefixes};
use crate::{DbError, Engine};

/// No server takes more parameters than this in one statement.
const MAX_PARAMETERS: usize = 30_000;
const MAX_TABLE_NAME: usize = 128;

/// A statement as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rendered {
    pub(crate) sql: String,
    pub(crate) params: Vec<Param>,
}

pub(super) fn render(
    template: &str,
    arguments: &[Argument],
    engine: Engine,
    prefixes: &Prefixes,
) -> Result<Rendered, DbError> {
    let mut out = Renderer { engine, sql: String::with_capacity(template.len() + 64), params: Vec::new() };
    let mut arguments = arguments.iter();
    let mut at = 0;
    while let Some(rest) = template.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some(end) = quoted_end(template, at, engine) {
            out.sql.push_str(template.get(at..end).unwrap_or_default());
            at = end;
        } else if let Some(name) = rest.strip_prefix('{') {
            let (name, _) = name.split_once('}').ok_or_else(|| bad_statement("a `{` is not closed", rest))?;
            out.table(name, prefixes)?;
            at += name.len() + 2;
        } else if rest.starts_with("??") {
            out.sql.push('?');
            at += 2;
        } else if let Some(after) = rest.strip_prefix("?*") {
            let Some(Argument::List(values)) = arguments.next() else {
                return Err(bad_parameters("`?*` needs a list that was bound with bind_list"));
            };
            out.list(values, after, rest)?;
            at += 2;
            // An empty `NOT IN (NULL)` is NULL, where it should hold for every row.
            if values.is_empty() && out.ends_with_not_in() && after.starts_with(')') {
                out.sql.push_str(") IS NULL");
                at += 1;
            }
        } else if rest.starts_with('?') {
            let Some(Argument::One(value)) = arguments.next() else {
                return Err(bad_parameters("a `?` has no single value bound to it"));
            };
            out.param(value);
            at += 1;
        } else if rest.starts_with('}') {
            return Err(bad_statement("a `}` was never opened", rest));
        } else {
            let next = rest.find(|c: char| "'\"`[#-/${}?".contains(c)).filter(|next| *next > 0);
            let len = next.unwrap_or_else(|| if starts_plain(rest) { rest.len() } else { 1 });
            out.sql.push_str(rest.get(..len).unwrap_or_default());
            at += len;
        }
    }
    if arguments.next().is_some() {
        return Err(bad_parameters("more values are bound than the statement has places for"));
    }
    if out.params.len() > MAX_PARAMETERS {
        return Err(bad_parameters("a statement takes at most 30000 values: split the list"));
    }
    Ok(Rendered { sql: out.sql, params: out.params })
}

/// Whether no character of the text can begin something that is not plain.
fn starts_plain(rest: &str) -> bool {
    !rest.starts_with(|c: char| "'\"`[#-/${}?".contains(c))
}

struct Renderer {
    engine: Engine,
    sql: String,
    params: Vec<Param>,
}

impl Renderer {
    fn table(&mut self, name: &str, prefixes: &Prefixes) -> Result<(), DbError> {
        let full = match name.strip_prefix("base:") {
            Some(bare) => checked(bare).map(|bare| prefixes.base_table(bare)),
            None => checked(name).map(|bare| prefixes.table(bare)),
        }
        .ok_or_else(|| bad_statement("a table name in braces is malformed", name))?;
        let quoted = quote_table(self.engine, &full)
            .ok_or_else(|| bad_statement("a table's full name is malformed", &full))?;
        self.sql.push_str(&quoted);
        Ok(())
    }

    fn param(&mut self, value: &Param) {
        self.params.push(value.clone());
        match self.engine {
            Engine::Postgres => {
                self.sql.push('$');
                self.sql.push_str(&self.params.len().to_string());
            }
            Engine::MySql | Engine::Sqlite => self.sql.push('?'),
        }
    }

    fn list(&mut self, values: &[Param], after: &str, rest: &str) -> Result<(), DbError> {
        if !self.sql.ends_with('(') || !after.starts_with(')') {
            return Err(bad_statement("`?*` stands only as `(?*)`", rest));
        }
        if values.is_empty() {
            self.sql.push_str("NULL");
        }
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                self.sql.push_str(", ");
            }
            self.param(value);
        }
        Ok(())
    }

    fn ends_with_not_in(&self) -> bool {
        let words = self.sql.strip_suffix("(NULL").unwrap_or_default();
        let mut words = words.split_ascii_whitespace().rev();
        let mut next = |word: &str| words.next().is_some_and(|found| found.eq_ignore_ascii_case(word));
        next("IN") && next("NOT")
    }
}

fn checked(name: &str) -> Option<&str> {
    let fits = !name.is_empty()
        && name.len() <= MAX_TABLE_NAME
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-'));
    fits.then_some(name)
}

/// Quotes `table` or `database.table`; `None` when a part holds anything but letters, digits, `_`, `$`, `-`.
fn quote_table(engine: Engine, full: &str) -> Option<String> {
    let quote = if engine == Engine::MySql { '`' } else { '"' };
    let mut out = String::with_capacity(full.len() + 4);
    for (i, part) in full.split('.').enumerate() {
        if i > 1 {
            return None;
        }
        if i == 1 {
            out.push('.');
        }
        out.push(quote);
        out.push_str(checked(part)?);
        out.push(quote);
    }
    Some(out)
}

fn bad_statement(problem: &'static str, at: &str) -> DbError {
    DbError::BadStatement { problem, near: siteclaw_core::sanitise_fragment(at, 40) }
}

fn bad_parameters(problem: &str) -> DbError {
    DbError::BadParameters { problem: problem.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{DbError, Engine, Param, Prefixes, Statement};

    fn prefixes() -> Prefixes {
        let mut prefixes = Prefixes::new("wp_2_", "wp_");
        prefixes.renamed.insert("users".into(), "shared.people".into());
        prefixes
    }

    fn sql(engine: Engine, statement: &Statement) -> String {
        statement.sql(engine, &prefixes()).unwrap()
    }

    #[test]
    fn table_names_take_their_prefix_and_the_dialects_quotes() {
        let table = [
            ("SELECT 1 FROM {posts} p", "SELECT 1 FROM `wp_2_posts` p", "SELECT 1 FROM \"wp_2_posts\" p"),
            ("{base:blogs}", "`wp_blogs`", "\"wp_blogs\""),
            (
                "{users},{base:users}",
                "`shared`.`people`,`shared`.`people`",
                "\"shared\".\"people\",\"shared\".\"people\"",
            ),
            ("'{posts}' {posts}", "'{posts}' `wp_2_posts`", "'{posts}' \"wp_2_posts\""),
            ("/* {posts} ? */ 1", "/* {posts} ? */ 1", "/* {posts} ? */ 1"),
            ("{a-b$c}", "`wp_2_a-b$c`", "\"wp_2_a-b$c\""),
        ];
        for (template, mysql, others) in table {
            assert_eq!(sql(Engine::MySql, &Statement::new(template)), mysql);
            assert_eq!(sql(Engine::Postgres, &Statement::new(template)), others);
            assert_eq!(sql(Engine::Sqlite, &Statement::new(template)), others);
        }
    }

    #[test]
    fn malformed_names_are_refused() {
        for template in
            ["{", "{}", "{posts", "{a b}", "{a`b}", "{a\"b}", "{a.b}", "{base:}", "{part:x}", "}", "{{x}}"]
        {
            for engine in [Engine::MySql, Engine::Postgres, Engine::Sqlite] {
                let result = Statement::new(template).sql(engine, &prefixes());
                assert!(matches!(result, Err(DbError::BadStatement { .. })), "{template} {result:?}");
            }
        }
        let hostile = Prefixes::single("wp_` UNION SELECT 1 -- ");
        let result = Statement::new("SELECT 1 FROM {posts}").sql(Engine::MySql, &hostile);
        assert!(matches!(result, Err(DbError::BadStatement { .. })), "{result:?}");
        let mut deep = Prefixes::single("");
        deep.renamed.insert("users".into(), "a.b.c".into());
        assert!(Statement::new("{users}").sql(Engine::MySql, &deep).is_err());
    }

    #[test]
    fn parameters_are_numbered_for_postgres_only() {
        let statement =
            Statement::new("a = ? AND b IN (?*) AND c ?? 'k' AND d = '?'").bind("x").bind_list([1, 2]);
        assert_eq!(sql(Engine::Postgres, &statement), "a = $1 AND b IN ($2, $3) AND c ? 'k' AND d = '?'");
        assert_eq!(sql(Engine::MySql, &statement), "a = ? AND b IN (?, ?) AND c ? 'k' AND d = '?'");
        let rendered = statement.render(Engine::Sqlite, &prefixes()).unwrap();
        assert_eq!(rendered.params, [Param::Text("x".into()), Param::Int(1), Param::Int(2)]);
    }

    #[test]
    fn an_empty_list_holds_nothing_and_its_negation_everything() {
        let empty: [i64; 0] = [];
        let inside = Statement::new("x IN (?*) AND y").bind_list(empty);
        assert_eq!(sql(Engine::Sqlite, &inside), "x IN (NULL) AND y");
        let outside = Statement::new("x not  in (?*) AND y").bind_list(empty);
        assert_eq!(sql(Engine::Sqlite, &outside), "x not  in (NULL) IS NULL AND y");
    }

    #[test]
    fn parameters_that_do_not_fit_are_an_error() {
        let none: [i64; 0] = [];
        let table = [
            Statement::new("?"),
            Statement::new("1").bind(1),
            Statement::new("? ?").bind(1),
            Statement::new("?").bind(1).bind(2),
            Statement::new("(?*)").bind(1),
            Statement::new("?").bind_list([1]),
            Statement::new("'?'").bind(1),
            Statement::new("IN (?*)").bind_list(vec![1; 30_001]),
            Statement::new("1").bind_list(none),
        ];
        for statement in table {
            let result = statement.sql(Engine::Postgres, &prefixes());
            assert!(matches!(result, Err(DbError::BadParameters { .. })), "{statement:?} {result:?}");
        }
        let loose = Statement::new("x = ?*").bind_list([1]).sql(Engine::MySql, &prefixes());
        assert!(matches!(loose, Err(DbError::BadStatement { .. })), "{loose:?}");
    }

    #[test]
    fn nothing_of_a_value_reaches_the_text() {
        let statement = Statement::new("SELECT ?").bind("'; DROP TABLE x -- {posts} ?");
        assert_eq!(sql(Engine::MySql, &statement), "SELECT ?");
    }

    proptest! {
        #[test]
        fn the_renderer_never_panics(template in "[a-z'\"`\\[\\]{}?*$#/\\-\\\\\n é]{0,40}", binds in 0usize..4) {
            for engine in [Engine::MySql, Engine::Postgres, Engine::Sqlite] {
                let statement = Statement::new(template.clone()).binds(vec![1; binds]).bind_list([1]);
                let _ = statement.sql(engine, &prefixes());
            }
        }

        #[test]
        fn literals_stay_as_they_are(text in "[^'\\\\]{0,40}") {
            let template = format!("SELECT '{text}' FROM {{posts}}");
            for (engine, table) in [(Engine::MySql, "`wp_2_posts`"), (Engine::Postgres, "\"wp_2_posts\"")] {
                let sql = Statement::new(template.clone()).sql(engine, &prefixes()).unwrap();
                prop_assert_eq!(sql, format!("SELECT '{text}' FROM {table}"));
            }
        }
    }
}
