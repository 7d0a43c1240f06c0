//! Tools over the installation: settings, plugins, database and log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use siteclaw_core::{RegistryBuilder, ToolError, ToolSpec};

use super::{add, nothing};

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PluginStatus {
    All,
    Active,
    Inactive,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Plugins {
    schema: Option<bool>,
    aggregate: Option<bool>,
    status: Option<PluginStatus>,
    search: Option<String>,
    #[schemars(range(min = 1, max = 200))]
    limit: Option<i64>,
    offset: Option<i64>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Names {
    One(String),
    Many(Vec<String>),
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Options {
    schema: Option<bool>,
    aggregate: Option<bool>,
    /// Exact names, such as `siteurl` or `blogname`.
    option_name: Option<Names>,
    /// Part of a name.
    search: Option<String>,
    include_values: Option<bool>,
    autoload_only: Option<bool>,
    #[schemars(range(min = 1, max = 200))]
    limit: Option<i64>,
    offset: Option<i64>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sql {
    /// One SELECT statement.
    sql: Option<String>,
    schema: Option<bool>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<i64>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    Error,
    Warning,
    Fatal,
    Notice,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Log {
    #[schemars(range(min = 1, max = 200))]
    lines: Option<i64>,
    search: Option<String>,
    level: Option<Level>,
}

fn option(input: &Value) -> Result<Value, ToolError> {
    let name = &input["option_name"];
    Ok(json!({"options": [{"option_name": name, "value": "https://shop.example", "found": true}]}))
}

/// Adds these tools.
pub(super) fn register(mut b: RegistryBuilder) -> RegistryBuilder {
    b = add::<Options>(
        b,
        ToolSpec::new("wp_option", "Reads settings of the site.")
            .domains(&["settings", "configuration"])
            .tags(&[
                "option",
                "setting",
                "config",
                "configuration",
                "siteurl",
                "home",
                "blogname",
                "permalink",
                "timezone",
                "value",
            ])
            .intents(&["read option", "show setting", "what is the site url"])
            .example("what is the site url", json!({"option_name": "siteurl"})),
        option,
    );
    b = add::<Sql>(
        b,
        ToolSpec::new("db_query", "Runs one SELECT on the site's database.")
            .domains(&["database", "data"])
            .tags(&["sql", "select", "query", "row", "table", "column", "count", "database", "wpdb"])
            .intents(&["run sql", "query the database", "list rows from a table"]),
        nothing,
    );
    b = add::<Plugins>(
        b,
        ToolSpec::new("wp_plugins", "Lists installed plugins.")
            .domains(&["plugins", "extensions"])
            .tags(&[
                "plugin",
                "extension",
                "addon",
                "active",
                "inactive",
                "installed",
                "activated",
                "deactivated",
                "version",
            ])
            .intents(&["list plugins", "which plugins are active", "show installed extensions"]),
        nothing,
    );
    b = add::<Log>(
        b,
        ToolSpec::new("read_log", "Reads the debug log.")
            .domains(&["diagnostics", "system"])
            .tags(&["log", "debug", "error", "warning", "notice", "trace", "stack", "exception", "tail"])
            .intents(&["read the log", "show recent errors", "tail the debug log"]),
        nothing,
    );
    b
}
