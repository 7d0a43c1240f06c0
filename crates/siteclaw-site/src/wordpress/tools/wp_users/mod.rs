//! `wp_users`: accounts and their roles.

mod input;
mod rows;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use siteclaw_core::{Code, Ctx, Eligibility, Planned, Reply, Tool, ToolError, ToolSpec, code, suggestion};
use siteclaw_db::Statement;

use self::input::{Input, Plan};
use super::CAPABILITY;
use crate::wordpress::WordPress;
use crate::wordpress::condition::{Condition, as_i64};
use crate::wordpress::modes::{
    Columns, INVALID_COLUMNS, Mode, Row, containing, counted_page, like, mark_sensitive, schema_page,
};
use crate::wordpress::roles::Roles;
use crate::wordpress::site::Snapshot;

const INVALID_ROLE: Code = Code::new("INVALID_ROLE");
const UNKNOWN_ROLE: Code = Code::new("UNKNOWN_ROLE");
const INVALID_ORDERBY: Code = Code::new("INVALID_ORDERBY");
const INVALID_ORDER: Code = Code::new("INVALID_ORDER");

const COLUMNS: Columns = Columns {
    available: &[
        "id",
        "display_name",
        "user_login",
        "role",
        "user_registered",
        "user_nicename",
        "user_email",
        "user_url",
        "user_status",
        "last_login",
        "post_count",
    ],
    default: &["id", "display_name", "user_login", "role", "user_registered"],
    sensitive: &["user_email"],
    expensive: &["last_login", "post_count"],
    blocked: &[
        "user_pass",
        "user_activation_key",
        "user_email_verified",
        "session_tokens",
        "spam",
        "deleted",
    ],
    blocked_prefixes: &[],
};

/// Lists accounts.
pub(crate) struct WpUsers {
    site: WordPress,
}

impl WpUsers {
    pub(crate) fn new(site: WordPress) -> Self {
        Self { site }
    }
}

/// What the tool returns, by mode.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Output {
    /// Rows.
    Query {
        /// The accounts, with the requested columns.
        users: Vec<Row>,
    },
    /// Counts.
    Aggregate {
        /// All accounts.
        total_users: i64,
        /// Role → its label and how many hold it; those without a role stand under `none`.
        by_role: BTreeMap<String, RoleCount>,
    },
    /// What the tool can return.
    Schema(Row),
}

/// How many accounts hold a role.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct RoleCount {
    label: String,
    count: i64,
    /// `runtime` for a role that a plugin registers in code.
    #[serde(skip_serializing_if = "Option::is_none")]
    registration: Option<&'static str>,
}

impl Tool for WpUsers {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new(
            "wp_users",
            "Lists accounts with their roles, or counts them by role.\nFinds them by role, login or name. E-mail \
             addresses, last login and number of posts only when those columns are named.",
        )
        .title("Users")
        .capability(CAPABILITY)
        .eligibility(Eligibility::Everyone)
        .retries(1)
        .field_code("columns", INVALID_COLUMNS)
        .field_code("role", INVALID_ROLE)
        .field_code("orderby", INVALID_ORDERBY)
        .field_code("order", INVALID_ORDER)
        .domains(&["users", "accounts"])
        .tags(&[
            "user", "users", "account", "accounts", "member", "members", "author", "authors", "subscriber", "editor",
            "administrator", "admin", "role", "roles", "login", "email", "registered",
        ])
        .intents(&["list users", "find account", "who are the authors", "show administrators"])
        .example("show administrators", json!({"role": "administrator"}))
        .example("how many users are there", json!({"aggregate": true}))
        .example("newest accounts", json!({"orderby": "registered", "limit": 5}))
    }

    async fn plan(&self, _: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        let plan = Plan::of(input)?;
        if plan.mode == Mode::Schema {
            return Ok(Planned::Done(schema(plan)));
        }
        Ok(Planned::run(plan))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let snapshot = self.site.for_call(ctx).await?;
        let roles = Roles::read(&snapshot).await?;
        match plan.mode {
            Mode::Aggregate => aggregate(&snapshot, plan, &roles).await,
            _ => query(&snapshot, plan, &roles).await,
        }
    }
}

fn schema(plan: Plan) -> Reply<Output> {
    let page = schema_page(
        &COLUMNS,
        json!({
            "filters": ["role", "search", "user_id"],
            "sortable_fields": input::ORDER_BY,
            "pagination": {"type": "offset"},
            "limits": {"limit": {"minimum": 1, "maximum": 100, "default": input::DEFAULT_LIMIT}},
            "phpclaw_capability": "wordpress.users.read",
            "wordpress_capability": CAPABILITY,
        }),
    );
    Reply::new(Output::Schema(page))
        .mode("schema")
        .meta("database_query_performed", false)
        .warnings(plan.unused)
        .trusted()
}

/// The key under which the blog keeps its users' roles.
fn capabilities_key(snapshot: &Snapshot) -> String {
    format!("{}capabilities", snapshot.prefixes().part)
}

async fn aggregate(snapshot: &Snapshot, plan: &Plan, roles: &Roles) -> Result<Reply<Output>, ToolError> {
    // Few distinct maps exist, however many accounts there are.
    let join = if snapshot.settings.multisite { "JOIN" } else { "LEFT JOIN" };
    let statement = Statement::new(format!(
        "SELECT c.meta_value AS capabilities, COUNT(DISTINCT u.ID) AS n FROM {{base:users}} u \
         {join} {{base:usermeta}} c ON c.user_id = u.ID AND c.meta_key = ? GROUP BY c.meta_value ORDER BY n DESC"
    ))
    .bind(capabilities_key(snapshot));
    let mut by_role: BTreeMap<String, RoleCount> = BTreeMap::new();
    for slug in roles.slugs() {
        by_role.insert(
            slug.to_owned(),
            RoleCount { label: roles.label(slug).to_owned(), ..RoleCount::default() },
        );
    }
    let mut total = 0;
    for row in snapshot.rows(&statement).await?.iter() {
        let count = row.i64("n")?;
        total += count;
        let stored = row.opt_text("capabilities")?.unwrap_or_default();
        let held = roles.held(&stored).unwrap_or_default();
        let names = if held.is_empty() { vec!["none".to_owned()] } else { held };
        for name in names {
            let entry = by_role.entry(name.clone()).or_insert_with(|| RoleCount {
                label: if name == "none" { "No role".to_owned() } else { name.clone() },
                count: 0,
                registration: (name != "none").then_some("runtime"),
            });
            entry.count += count;
        }
    }
    by_role
        .entry("none".to_owned())
        .or_insert_with(|| RoleCount { label: "No role".to_owned(), ..RoleCount::default() });
    Ok(Reply::new(Output::Aggregate { total_users: total, by_role })
        .mode("aggregate")
        .meta("source", snapshot.source())
        .warnings(plan.unused.clone()))
}

async fn query(snapshot: &Snapshot, plan: &Plan, roles: &Roles) -> Result<Reply<Output>, ToolError> {
    let mut filter = Condition::default();
    let key = capabilities_key(snapshot);
    if snapshot.settings.multisite {
        filter.one(
            "EXISTS (SELECT 1 FROM {base:usermeta} m WHERE m.user_id = u.ID AND m.meta_key = ?)",
            key.as_str(),
        );
    }
    if let Some(role) = &plan.role {
        // A role is held where its entry is true: `s:6:"editor";b:1;`.
        filter.all(
            "EXISTS (SELECT 1 FROM {base:usermeta} m WHERE m.user_id = u.ID AND m.meta_key = ? \
             AND m.meta_value LIKE ? ESCAPE '!')",
            [key.as_str().into(), format!("%\"{}\";b:1;%", like(role)).into()],
        );
    }
    if let Some(text) = &plan.search {
        filter.same("(u.user_login LIKE ? ESCAPE '!' OR u.display_name LIKE ? ESCAPE '!')", containing(text));
    }
    if let Some(id) = plan.user_id {
        filter.one("u.ID = ?", id);
    }
    let count =
        filter.bind(Statement::new(format!("SELECT COUNT(*) FROM {{base:users}} u WHERE {}", filter.text())));
    let total = snapshot.database()?.scalar_i64(snapshot.prefixes(), &count).await?;
    if let Some(role) = &plan.role
        && total == 0
        && !roles.is_registered(role)
    {
        return Err(unknown_role(role, roles));
    }
    let statement = Statement::new(format!(
        "SELECT u.ID, u.display_name, u.user_login, u.user_nicename, u.user_email, u.user_url, u.user_status, \
         CAST(u.user_registered AS CHAR) AS user_registered, \
         (SELECT m.meta_value FROM {{base:usermeta}} m WHERE m.user_id = u.ID AND m.meta_key = ? \
          ORDER BY m.umeta_id LIMIT 1) AS capabilities{} \
         FROM {{base:users}} u WHERE {} ORDER BY {} LIMIT ? OFFSET ?",
        plan.counted_column(),
        filter.text(),
        plan.order()
    ))
    .bind(key);
    let statement = filter.bind(statement).bind(as_i64(plan.limit)).bind(as_i64(plan.offset));
    let found = snapshot.rows(&statement).await?;
    let users = rows::shown(snapshot, plan, roles, &found).await?;
    let mut reply = Reply::new(Output::Query { users })
        .mode("query")
        .meta("columns_returned", json!(plan.columns))
        .meta("filters", json!({"role": plan.role, "search_applied": plan.search.is_some()}))
        .meta("source", snapshot.source());
    reply = mark_sensitive(reply, &COLUMNS, &plan.columns, "personal data");
    if plan.columns.contains(&"display_name") {
        reply = reply
            .meta("untrusted_fields_returned", json!(["display_name"]))
            .warn(code::UNTRUSTED_CONTENT, "display_name is text that the users chose.");
    }
    let paging = counted_page(plan.offset, plan.limit, total);
    Ok(reply.warnings(plan.unused.clone()).list("users", paging))
}

fn unknown_role(role: &str, roles: &Roles) -> ToolError {
    let valid: Vec<&str> = roles.slugs().collect();
    let error = ToolError::new(
        UNKNOWN_ROLE,
        format!("There is no role '{}'.", siteclaw_core::sanitise_fragment(role, 64)),
    );
    let error = match suggestion(role, valid.iter().copied()) {
        Some(hint) => error.hint(hint),
        None => error,
    };
    error.with("valid_roles", valid)
}
