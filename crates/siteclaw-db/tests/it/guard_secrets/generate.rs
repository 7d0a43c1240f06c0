//! Queries made up at random, with a liking for the ways in which secrets get out.
//!
//! Every choice is taken from a list of bytes, and an empty list gives the plainest query there is, so a
//! failing query shrinks as its bytes do.

use siteclaw_db::Engine;

/// Names in FROM, with the columns they give in order.
const SOURCES: &[(&str, &[&str])] = &[
    ("users", &["id", "login", "pass", "email", "api_key", "score"]),
    ("options", &["id", "name", "value"]),
    ("meta", &["id", "user_id", "mkey", "mvalue"]),
    ("posts", &["id", "user_id", "title", "views"]),
    ("staff", &["id", "who", "p"]),
    ("titles", &["id", "title"]),
    ("nested", &["who", "q"]),
    ("everything", &["id", "login", "pass", "email", "api_key", "score"]),
];

/// What a query has in sight: an alias and the columns that can be asked of it.
#[derive(Clone)]
struct InSight {
    alias: String,
    columns: Vec<String>,
}

pub(crate) struct Generator<'a> {
    engine: Engine,
    /// The name of the database or schema, for qualified names.
    current: &'a str,
    choices: std::slice::Iter<'a, u8>,
    aliases: usize,
    ctes: Vec<InSight>,
    /// How many queries stand around the one that is being made.
    around: usize,
}

impl<'a> Generator<'a> {
    pub(crate) fn new(engine: Engine, current: &'a str, choices: &'a [u8]) -> Self {
        Self { engine, current, choices: choices.iter(), aliases: 0, ctes: Vec::new(), around: 0 }
    }

    /// A statement.
    pub(crate) fn statement(&mut self) -> String {
        let with = if self.chance(3) { self.with() } else { String::new() };
        let body = match self.pick(6) {
            0..=3 => self.select(3, &[]),
            4 => self.set_operation(),
            _ => format!("SELECT * FROM ({}) z", self.select(2, &[])),
        };
        let order = if self.chance(4) { " ORDER BY 1" } else { "" };
        format!("{with}{body}{order}")
    }

    fn with(&mut self) -> String {
        let recursive = self.chance(4);
        let mut parts = Vec::new();
        for _ in 0..=self.pick(2) {
            let name = self.alias("c");
            let (source, columns) = self.source_of_pool();
            let star = self.chance(2);
            let query = if star { format!("SELECT * FROM {source}") } else { self.inner(2, &[]) };
            let renamed: Vec<String> = (0..columns.len()).map(|n| format!("k{n}")).collect();
            if star && self.chance(2) {
                parts.push(format!("{name}({}) AS ({query})", renamed.join(", ")));
                self.ctes.push(InSight { alias: name, columns: renamed });
            } else {
                parts.push(format!("{name} AS ({query})"));
                let columns = if star { columns } else { vec!["x0".into(), "x1".into()] };
                self.ctes.push(InSight { alias: name, columns });
            }
        }
        format!("WITH {}{} ", if recursive { "RECURSIVE " } else { "" }, parts.join(", "))
    }

    fn set_operation(&mut self) -> String {
        let operator = ["UNION ALL", "UNION", "EXCEPT", "INTERSECT"][self.pick(4)];
        let (left, columns) = self.source_of_pool();
        match self.pick(3) {
            0 => format!("SELECT * FROM {left} {operator} SELECT * FROM {left}"),
            1 => {
                let empty = vec!["NULL"; columns.len()].join(", ");
                format!("SELECT {empty} {operator} SELECT * FROM {left}")
            }
            _ => {
                let (a, b) = (self.one_column(), self.one_column());
                format!("{a} {operator} {b}")
            }
        }
    }

    fn one_column(&mut self) -> String {
        let (from, sight) = self.from(1, &[]);
        let expr = self.expr(2, &sight);
        format!("SELECT {} AS x0 FROM {from}", self.as_text(&expr))
    }

    fn select(&mut self, depth: usize, outer: &[InSight]) -> String {
        let (from, mut sight) = self.from(depth, outer);
        sight.extend_from_slice(outer);
        let grouped = self.chance(5);
        let items = if grouped {
            let key = self.expr(1, &sight);
            let filter =
                if self.chance(3) { format!(" HAVING count(*) > {}", self.pick(2)) } else { String::new() };
            let aggregate = self.aggregate(&sight);
            let filter =
                format!("{}{}", self.condition(&sight, depth), format_args!(" GROUP BY {key}{filter}"));
            return format!("SELECT {key} AS x0, {aggregate} AS x1 FROM {from}{filter}");
        } else {
            match self.pick(6) {
                0 => "*".to_owned(),
                1 => match sight.first() {
                    Some(first) => format!("{}.*", first.alias),
                    None => "*".to_owned(),
                },
                2 => {
                    let (a, b) = (self.aggregate(&sight), self.aggregate(&sight));
                    format!("{a} AS x0, {b} AS x1")
                }
                _ => {
                    let (a, b) = (self.expr(depth, &sight), self.expr(depth, &sight));
                    format!("{a} AS x0, {b} AS x1")
                }
            }
        };
        let distinct = if self.chance(6) { "DISTINCT " } else { "" };
        let condition = self.condition(&sight, depth);
        format!("SELECT {distinct}{items} FROM {from}{condition}")
    }

    /// A query that another one goes on working with.
    fn inner(&mut self, depth: usize, outer: &[InSight]) -> String {
        self.around += 1;
        let query = self.select(depth, outer);
        self.around -= 1;
        query
    }

    fn condition(&mut self, sight: &[InSight], depth: usize) -> String {
        if !self.chance(2) {
            return String::new();
        }
        let (a, b) = (self.expr(1, sight), self.expr(1, sight));
        let test = match self.pick(7) {
            0 => format!("{} LIKE '%z%'", self.as_text(&a)),
            1 => format!("{} = {}", self.as_text(&a), self.as_text(&b)),
            2 => format!("{} > 'm'", self.as_text(&a)),
            3 => format!("{a} IS NOT NULL"),
            4 => format!("length({}) > 10", self.as_text(&a)),
            5 if depth > 0 => format!("EXISTS ({})", self.select(depth - 1, sight)),
            6 if depth > 0 => format!("{} IN ({})", self.as_text(&a), self.one_column()),
            _ => format!("{} <> ''", self.as_text(&a)),
        };
        format!(" WHERE {test}")
    }

    fn from(&mut self, depth: usize, outer: &[InSight]) -> (String, Vec<InSight>) {
        let (mut text, first) = self.source(depth, outer);
        let mut sight = vec![first];
        if depth > 0 && self.chance(3) {
            let (right, second) = self.source(depth - 1, outer);
            let shared = second.columns.first().filter(|name| sight[0].columns.contains(name)).cloned();
            let join = match (self.pick(6), shared) {
                (0, _) => format!(", {right}"),
                (1, _) => format!(" CROSS JOIN {right}"),
                (2, _) => format!(" NATURAL JOIN {right}"),
                (3, Some(shared)) => format!(" JOIN {right} USING ({shared})"),
                (4, Some(shared)) => {
                    format!(" LEFT JOIN {right} ON {}.{shared} = {}.{shared}", sight[0].alias, second.alias)
                }
                _ => {
                    let both = [sight[0].clone(), second.clone()];
                    let (a, b) = (self.column(&both), self.column(&both));
                    format!(" JOIN {right} ON {} = {}", self.as_text(&a), self.as_text(&b))
                }
            };
            text.push_str(&join);
            sight.push(second);
        }
        (text, sight)
    }

    fn source(&mut self, depth: usize, outer: &[InSight]) -> (String, InSight) {
        if !self.ctes.is_empty() && self.chance(2) {
            let at = self.pick(self.ctes.len());
            let cte = self.ctes[at].clone();
            let alias = self.alias("t");
            return (format!("{} AS {alias}", cte.alias), InSight { alias, columns: cte.columns });
        }
        if depth > 0 && self.chance(4) {
            let alias = self.alias("d");
            if self.chance(2) {
                let (source, columns) = self.source_of_pool();
                let lateral = if self.chance(5) { "LATERAL " } else { "" };
                return (format!("{lateral}(SELECT * FROM {source}) AS {alias}"), InSight { alias, columns });
            }
            let query = self.inner(depth - 1, outer);
            return (
                format!("({query}) AS {alias}"),
                InSight { alias, columns: vec!["x0".into(), "x1".into()] },
            );
        }
        let (source, columns) = self.source_of_pool();
        match self.pick(4) {
            0 => {
                let bare = source.rsplit('.').next().unwrap_or(&source).to_owned();
                (source, InSight { alias: bare, columns })
            }
            1 if self.engine == Engine::Postgres => {
                let alias = self.alias("r");
                let renamed: Vec<String> = (0..columns.len()).map(|n| format!("k{n}")).collect();
                (format!("{source} AS {alias}({})", renamed.join(", ")), InSight { alias, columns: renamed })
            }
            _ => {
                let alias = self.alias("t");
                (format!("{source} {alias}"), InSight { alias, columns })
            }
        }
    }

    /// A table or view, spelt in one of many ways.
    fn source_of_pool(&mut self) -> (String, Vec<String>) {
        let (name, columns) = SOURCES[self.pick(SOURCES.len())];
        let name = self.spelt(name);
        let name = match self.pick(5) {
            0 => format!("{}.{name}", self.current),
            1 if self.engine == Engine::Postgres && self.chance(2) => format!("ONLY {name}"),
            _ => name,
        };
        (name, columns.iter().map(|column| (*column).to_owned()).collect())
    }

    fn spelt(&mut self, name: &str) -> String {
        let mark = if self.engine == Engine::MySql { '`' } else { '"' };
        match self.pick(5) {
            1 => format!("{mark}{name}{mark}"),
            2 if self.engine != Engine::MySql => name.to_uppercase(),
            3 if self.engine == Engine::Sqlite => format!("[{name}]"),
            _ => name.to_owned(),
        }
    }

    fn column(&mut self, sight: &[InSight]) -> String {
        let Some(source) = sight.get(self.pick(sight.len().max(1))) else { return "1".to_owned() };
        let mut column = source.columns[self.pick(source.columns.len())].clone();
        // Secret columns by name are refused, which ends the query: not too often.
        if matches!(column.as_str(), "pass" | "api_key") && !self.chance(12) {
            column.clone_from(&source.columns[0]);
        }
        let column = self.spelt(&column);
        match self.pick(6) {
            0 => column,
            1 => format!("{}.{}.{column}", self.current, source.alias),
            _ => format!("{}.{column}", source.alias),
        }
    }

    fn expr(&mut self, depth: usize, sight: &[InSight]) -> String {
        if depth == 0 || !self.chance(2) {
            return self.column(sight);
        }
        let inner = self.expr(depth - 1, sight);
        let text = self.as_text(&inner);
        match self.pick(16) {
            0 => format!("upper({text})"),
            1 => format!("substr({text}, 1, 4)"),
            2 => format!("length({text})"),
            3 => format!("replace({text}, 'a', 'b')"),
            4 => format!("coalesce({text}, 'none')"),
            5 => format!("CASE WHEN {text} > 'm' THEN 'high' ELSE 'low' END"),
            6 => format!("({})", self.one_scalar(sight)),
            7 => format!("nullif({text}, 'x')"),
            8 => self.whole_row(sight),
            9 if self.engine == Engine::Sqlite => format!("hex({text})"),
            9 => format!("md5({text})"),
            10 if self.engine == Engine::MySql => format!("concat({text}, '!')"),
            10 => format!("({text} || '!')"),
            11 => format!("min({text}) OVER (PARTITION BY {text})"),
            12 => format!("dense_rank() OVER (ORDER BY {text})"),
            13 => self.number(&inner),
            14 => self.json(&text, sight),
            _ => format!("trim({text})"),
        }
    }

    fn one_scalar(&mut self, sight: &[InSight]) -> String {
        let (from, mut mine) = self.from(0, sight);
        mine.extend_from_slice(sight);
        self.around += 1;
        let aggregate = self.aggregate(&mine);
        self.around -= 1;
        format!("SELECT {aggregate} FROM {from}")
    }

    fn number(&mut self, inner: &str) -> String {
        match self.engine {
            Engine::MySql => format!("CAST({inner} AS UNSIGNED)"),
            // Fails on text: the message of the server must tell no secret either.
            Engine::Postgres => format!("CAST({inner} AS integer)"),
            Engine::Sqlite => format!("CAST({inner} AS INTEGER)"),
        }
    }

    fn json(&mut self, text: &str, sight: &[InSight]) -> String {
        let other = self.column(sight);
        match self.engine {
            Engine::MySql => format!("JSON_OBJECT({text}, {other})"),
            Engine::Postgres => format!("jsonb_build_object('k', {text}, 'v', {other})::text"),
            Engine::Sqlite => format!("json_object({text}, {other})"),
        }
    }

    /// Takes a row as a value, where there is such a thing.
    fn whole_row(&mut self, sight: &[InSight]) -> String {
        let Some(source) = sight.get(self.pick(sight.len().max(1))) else { return "1".to_owned() };
        let alias = &source.alias;
        if self.engine != Engine::Postgres {
            return self.column(sight);
        }
        match self.pick(8) {
            0 => format!("row_to_json({alias})::text"),
            1 => format!("{alias}::text"),
            2 => format!("to_jsonb({alias})::text"),
            3 => format!("{alias}.row_to_json::text"),
            4 => format!("CAST({alias} AS text)"),
            5 => format!("md5({alias}::text)"),
            6 => format!("concat({alias})"),
            _ => format!("(jsonb_each_text(to_jsonb({alias}))).value"),
        }
    }

    fn aggregate(&mut self, sight: &[InSight]) -> String {
        let inner = self.expr(1, sight);
        let text = self.as_text(&inner);
        let all = self.pick(7);
        match (all, self.engine) {
            (0, _) => format!("max({text})"),
            (1, _) => format!("min({text})"),
            (2, _) => "count(*)".to_owned(),
            (3, _) => format!("count(DISTINCT {text})"),
            (4, Engine::MySql) => format!("GROUP_CONCAT({text} ORDER BY {text} SEPARATOR ';')"),
            (5, Engine::MySql) => self.in_any_order(format!("JSON_ARRAYAGG({text})")),
            (_, Engine::MySql) => self.in_any_order(format!("JSON_OBJECTAGG({text}, {text})")),
            (4, Engine::Postgres) => format!("string_agg({text}, ';' ORDER BY {text})"),
            (5, Engine::Postgres) => match sight.first() {
                Some(first) => self.in_any_order(format!("json_agg({})::text", first.alias)),
                None => "count(*)".to_owned(),
            },
            (_, Engine::Postgres) => self.in_any_order(format!("array_agg({text})::text")),
            (4, Engine::Sqlite) => self.in_any_order(format!("group_concat({text}, ';')")),
            (5, Engine::Sqlite) => self.in_any_order(format!("json_group_array({text})")),
            (_, Engine::Sqlite) => self.in_any_order(format!("json_group_object({text}, {text})")),
        }
    }

    /// An aggregate whose parts come in the order the server likes, another in each group. That is told apart
    /// from a secret only while nothing ranks or compares it, so a query around it gets its length.
    fn in_any_order(&self, aggregate: String) -> String {
        match (self.around, self.engine) {
            (0, _) => aggregate,
            (_, Engine::MySql) => format!("CHAR_LENGTH({aggregate})"),
            _ => format!("length({aggregate})"),
        }
    }

    fn as_text(&self, expr: &str) -> String {
        match self.engine {
            Engine::MySql => format!("CAST({expr} AS CHAR)"),
            Engine::Postgres => format!("({expr})::text"),
            Engine::Sqlite => format!("CAST({expr} AS TEXT)"),
        }
    }

    fn alias(&mut self, letter: &str) -> String {
        self.aliases += 1;
        format!("{letter}{}", self.aliases)
    }

    fn pick(&mut self, from: usize) -> usize {
        usize::from(self.choices.next().copied().unwrap_or(0)) % from
    }

    /// True once in `n` times, and never when the choices are used up.
    fn chance(&mut self, n: usize) -> bool {
        self.pick(n) == n - 1
    }
}
