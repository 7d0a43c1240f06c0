//! `wp_option`: settings of the site, without their secrets.

mod blocked;
mod input;
mod values;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use siteclaw_core::{Code, Ctx, Planned, Reply, Tool, ToolError, ToolSpec, code};
use siteclaw_db::{Engine, Statement};

use self::blocked::{BLOCKED, BLOCKED_OPTION, BLOCKED_PARTS, MAX_NAMES, allowed};
use self::input::{Input, Plan, Question, Sort};
use self::values::{VALUE_BYTES, kind_of, show_value};
use crate::wordpress::WordPress;
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{CAPABILITY, Page, Pages, stated};
use crate::wordpress::modes::{Row, containing, schema_reply};
use crate::wordpress::secrets::REDACTED;
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;

const PARTIAL: Code = Code::new("VALUE_SCRUBBING_IS_PARTIAL");

/// Values of the column that say "loaded on every request", of WordPress before and after 6.6.
const AUTOLOADED: [&str; 4] = ["yes", "on", "auto-on", "auto"];

/// The longest value that is read.
const READ_BYTES: usize = 1024 * 1024;

/// Reads options.
pub(crate) struct WpOption {
    site: WordPress,
}

impl WpOption {
    pub(crate) fn new(site: WordPress) -> Self {
        Self { site }
    }
}

/// What the tool returns, by mode.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Output {
    /// Options with name and value, or with name, type and size.
    Options {
        /// The options.
        options: Vec<Row>,
    },
    /// Counts and sizes.
    Aggregate {
        /// Options.
        total_count: i64,
        /// Those that are loaded on every request.
        autoloaded_count: i64,
        /// Bytes of all values.
        total_size_bytes: i64,
        /// Bytes of the autoloaded values.
        autoloaded_size_bytes: i64,
        /// The largest autoloaded options.
        top_autoload: Vec<Row>,
        /// Cached values.
        transients: Row,
    },
    /// What the tool can return.
    Schema(Row),
}

impl Tool for WpOption {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        stated(
            "wp_option",
            "Reads settings of the site by name, or finds them by a part of their name.\nNeeds one of option_name, \
             search, aggregate or schema. Secret options are refused, secret parts of values are taken out.",
        )
        .title("Settings")
        .domains(&["settings", "configuration"])
        .tags(&[
            "option", "options", "setting", "settings", "config", "configuration", "siteurl", "home", "blogname",
            "permalink", "timezone", "value",
        ])
        .intents(&["read option", "show setting", "what is the site url"])
        .example("what is the site url", json!({"option_name": "siteurl"}))
        .example("show the title and time zone settings", json!({"option_name": ["blogname", "timezone_string"]}))
        .example("how large are the autoloaded options", json!({"aggregate": true, "autoload_only": true}))
    }

    async fn plan(&self, _: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        let plan = Plan::of(input)?;
        if matches!(plan.question, Question::Schema) {
            return Ok(Planned::Done(schema(plan)));
        }
        Ok(Planned::run(plan))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let snapshot = self.site.for_call(ctx).await?;
        let reply = match &plan.question {
            Question::Lookup { names, path } => lookup(&snapshot, names, path.as_deref()).await?,
            Question::Search { .. } => search(&snapshot, plan).await?,
            _ => aggregate(&snapshot, plan, ctx.now().as_second()).await?,
        };
        Ok(reply.meta("source", snapshot.source()).warnings(plan.unused.clone()))
    }
}

fn schema(plan: Plan) -> Reply<Output> {
    let mut page = Row::new();
    for facts in [
        json!({
            "modes": ["schema", "aggregate", "lookup", "query"],
            "columns": ["option_name", "value", "found", "value_type", "value_size", "autoload"],
            "blocked_exact": BLOCKED,
            "blocked_substrings": BLOCKED_PARTS,
            "redaction_mark": REDACTED,
            "names": MAX_NAMES,
            "value_bytes": VALUE_BYTES,
            "risk": "read",
            "idempotent": true,
            "phpclaw_capability": "wordpress.options.read",
            "wordpress_capability": CAPABILITY,
        }),
        Page::<50, 200>::facts(),
    ] {
        if let Value::Object(facts) = facts {
            page.extend(facts);
        }
    }
    schema_reply(page, plan.unused).map(Output::Schema)
}

fn partial<T>(reply: Reply<T>) -> Reply<T> {
    reply.warn(
        PARTIAL,
        "Secrets are recognised by the names of their keys; a value under another name may still hold one.",
    )
}

async fn lookup(
    snapshot: &Snapshot,
    names: &[String],
    path: Option<&str>,
) -> Result<Reply<Output>, ToolError> {
    let statement = Statement::new(format!(
        "SELECT option_name, SUBSTR(option_value, 1, {READ_BYTES}) AS option_value FROM {{options}} \
         WHERE option_name IN (?*) ORDER BY option_name"
    ))
    .bind_list(names.iter());
    let rows = snapshot.rows(&statement).await?;
    let mut found = std::collections::BTreeMap::new();
    for row in rows.iter() {
        found.insert(row.text("option_name")?, row.opt_text("option_value")?.unwrap_or_default());
    }
    let mut missing = 0;
    let mut options = Vec::with_capacity(names.len());
    for name in names {
        let mut out = Row::new();
        out.insert("option_name".to_owned(), json!(name));
        match overruled(snapshot, name) {
            Some((value, constant)) => {
                out.insert("value".to_owned(), json!(value));
                out.insert("found".to_owned(), json!(true));
                out.insert("overruled_by".to_owned(), json!(constant));
            }
            None => match found.get(name) {
                Some(stored) => {
                    // Title and tagline are stored with entities.
                    let text = matches!(name.as_str(), "blogname" | "blogdescription");
                    let stored = if text { text::decode(stored) } else { stored.as_str().into() };
                    show_value(&mut out, name, &stored, path);
                    out.insert("found".to_owned(), json!(true));
                }
                None => {
                    missing += 1;
                    out.insert("value".to_owned(), Value::Null);
                    out.insert("found".to_owned(), json!(false));
                }
            },
        }
        options.push(out);
    }
    let mut reply = Reply::new(Output::Options { options })
        .mode("lookup")
        .meta("count", names.len() - missing)
        .meta("requested", names.len());
    if missing > 0 {
        reply = reply.meta("note", "An option without a row may still have a default in the code.");
    }
    Ok(partial(reply))
}

/// Constants of the configuration that hold in place of an option.
fn overruled<'a>(snapshot: &'a Snapshot, name: &str) -> Option<(&'a str, &'static str)> {
    let (value, constant) = match name {
        "home" => (&snapshot.settings.home, "WP_HOME"),
        "siteurl" => (&snapshot.settings.siteurl, "WP_SITEURL"),
        _ => return None,
    };
    value.as_deref().map(|value| (value, constant))
}

fn bytes_of_value(snapshot: &Snapshot) -> &'static str {
    // LENGTH counts characters in SQLite.
    if snapshot.source() == Engine::Sqlite.as_str() {
        "LENGTH(CAST(option_value AS BLOB))"
    } else {
        "LENGTH(option_value)"
    }
}

async fn search(snapshot: &Snapshot, plan: &Plan) -> Result<Reply<Output>, ToolError> {
    let Question::Search { text: wanted, values, sort, page } = &plan.question else {
        return Err(ToolError::new(code::INTERNAL, "The plan is no search."));
    };
    let named = |mut condition: Condition| {
        condition.one("option_name LIKE ? ESCAPE '!'", containing(wanted));
        if plan.autoload_only {
            condition.list("autoload IN (?*)", AUTOLOADED);
        }
        condition
    };
    let condition = named(allowed(snapshot, wanted).await?);
    let total = condition.count(snapshot, "FROM {options}").await?;
    let hidden = named(Condition::default()).count(snapshot, "FROM {options}").await? - total;
    let size = bytes_of_value(snapshot);
    let order = match sort {
        Sort::Name => "option_name, option_id",
        Sort::Size => "value_size DESC, option_name, option_id",
    };
    let statement = condition.bind(Statement::new(format!(
        "SELECT option_name, SUBSTR(option_value, 1, {READ_BYTES}) AS option_value, {size} AS value_size, autoload \
         FROM {{options}} WHERE {} ORDER BY {order} LIMIT ? OFFSET ?",
        condition.text()
    )));
    let mut options = Vec::new();
    for row in snapshot.rows(&page.bind(statement)).await?.iter() {
        let stored = row.opt_text("option_value")?.unwrap_or_default();
        let mut out = Row::new();
        out.insert("option_name".to_owned(), json!(row.text("option_name")?));
        out.insert("value_type".to_owned(), json!(kind_of(&stored)));
        out.insert("value_size".to_owned(), json!(row.i64("value_size")?));
        out.insert("autoload".to_owned(), json!(row.opt_text("autoload")?));
        if *values {
            show_value(&mut out, &row.text("option_name")?, &stored, None);
        }
        options.push(out);
    }
    let mut reply = Reply::new(Output::Options { options })
        .mode("query")
        .meta("autoload_filter", plan.autoload_only)
        .list("options", page.of(total));
    if hidden > 0 {
        reply = reply
            .warn(BLOCKED_OPTION, format!("{hidden} matching options may hold secrets and are left out."));
    }
    Ok(partial(reply))
}

async fn aggregate(snapshot: &Snapshot, plan: &Plan, now: i64) -> Result<Reply<Output>, ToolError> {
    let size = bytes_of_value(snapshot);
    let mut filter = Condition::default();
    if plan.autoload_only {
        filter.list("autoload IN (?*)", AUTOLOADED);
    }
    let statement = Statement::new(format!(
        "SELECT COUNT(*) AS total, COALESCE(SUM({size}), 0) AS bytes, \
         COALESCE(SUM(CASE WHEN autoload IN (?*) THEN 1 ELSE 0 END), 0) AS autoloaded, \
         COALESCE(SUM(CASE WHEN autoload IN (?*) THEN {size} ELSE 0 END), 0) AS autoloaded_bytes, \
         COALESCE(SUM(CASE WHEN option_name LIKE ? ESCAPE '!' OR option_name LIKE ? ESCAPE '!' THEN 1 ELSE 0 END), 0) \
         AS transients, \
         COALESCE(SUM(CASE WHEN option_name LIKE ? ESCAPE '!' OR option_name LIKE ? ESCAPE '!' THEN {size} ELSE 0 END), \
         0) AS transient_bytes, \
         COALESCE(SUM(CASE WHEN (option_name LIKE ? ESCAPE '!' OR option_name LIKE ? ESCAPE '!') \
         AND CAST(option_value AS DECIMAL(20)) < ? THEN 1 ELSE 0 END), 0) AS expired \
         FROM {{options}} WHERE {}",
        filter.text()
    ))
    .bind_list(AUTOLOADED)
    .bind_list(AUTOLOADED)
    .binds(["!_transient!_%", "!_site!_transient!_%", "!_transient!_%", "!_site!_transient!_%"])
    .binds(["!_transient!_timeout!_%", "!_site!_transient!_timeout!_%"])
    .bind(now);
    let row = snapshot
        .row(&filter.bind(statement))
        .await?
        .ok_or_else(|| ToolError::new(code::INTERNAL, "The database counted nothing."))?;
    let top = Statement::new(format!(
        "SELECT option_name, {size} AS value_size FROM {{options}} WHERE autoload IN (?*) \
         ORDER BY value_size DESC, option_name LIMIT 10"
    ))
    .bind_list(AUTOLOADED);
    let mut top_autoload = Vec::new();
    for row in snapshot.rows(&top).await?.iter() {
        top_autoload.push(Row::from_iter([
            ("option_name".to_owned(), json!(row.text("option_name")?)),
            ("value_size".to_owned(), json!(row.i64("value_size")?)),
        ]));
    }
    let transients = Row::from_iter([
        ("count".to_owned(), json!(row.i64("transients")?)),
        ("bytes".to_owned(), json!(row.i64("transient_bytes")?)),
        ("expired".to_owned(), json!(row.i64("expired")?)),
    ]);
    Ok(Reply::new(Output::Aggregate {
        total_count: row.i64("total")?,
        autoloaded_count: row.i64("autoloaded")?,
        total_size_bytes: row.i64("bytes")?,
        autoloaded_size_bytes: row.i64("autoloaded_bytes")?,
        top_autoload,
        transients,
    })
    .mode("aggregate")
    .meta("autoload_filter", plan.autoload_only))
}
