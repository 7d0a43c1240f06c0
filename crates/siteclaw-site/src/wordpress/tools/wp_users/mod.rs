//! `wp_users`: accounts and their roles.

mod input;
mod rows;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use siteclaw_core::{Code, Ctx, Reply, ToolError, ToolSpec, code, suggestion};
use siteclaw_db::Statement;

use self::input::{Checked, Input};
use crate::wordpress::columns::Columns;
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{self, Answer, Listing, Page, stated};
use crate::wordpress::modes::{Mode, Row, containing, like};
use crate::wordpress::roles::Roles;
use crate::wordpress::site::Snapshot;

type Plan = listing::Plan<WpUsers>;

const INVALID_ROLE: Code = Code::new("INVALID_ROLE");
const UNKNOWN_ROLE: Code = Code::new("UNKNOWN_ROLE");

/// Lists accounts.
pub(crate) struct WpUsers;

/// A page of accounts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Users {
    /// The accounts, with the requested columns.
    users: Vec<Row>,
}

/// Counts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Counts {
    /// All accounts.
    total_users: i64,
    /// Role → its label and how many hold it; those without a role stand under `none`.
    by_role: BTreeMap<String, RoleCount>,
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

impl Listing for WpUsers {
    type Input = Input;
    type Checked = Checked;
    type Pages = Page<20, 100>;
    type Rows = Users;
    type Counts = Counts;

    const AREA: &'static str = "wordpress.users";
    const COLUMNS: Columns = Columns::new(
        &["id", "display_name", "user_login", "role", "user_registered"],
        &["user_nicename", "user_email", "user_url", "user_status", "last_login", "post_count"],
    )
    .sensitive(&["user_email"], "personal data")
    .expensive(&["last_login", "post_count"])
    .blocked(
        &["user_pass", "user_activation_key", "user_email_verified", "session_tokens", "spam", "deleted"],
        &[],
    );
    const FILTERS: &'static [&'static str] = &["role", "search", "user_id"];
    const ROW_FILTERS: &'static [&'static str] = Self::FILTERS;
    const COUNTED: &'static str = "Count by role instead of listing.";

    fn spec() -> ToolSpec {
        stated(
            "wp_users",
            "Lists accounts with their roles, or counts them by role.\nFinds them by role, login or name. E-mail \
             addresses, last login and number of posts only when those columns are named.",
        )
        .title("Users")
        .field_code("role", INVALID_ROLE)
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

    async fn answer(
        _: &Ctx,
        snapshot: &Arc<Snapshot>,
        plan: &Plan,
    ) -> Result<Reply<Answer<Self>>, ToolError> {
        let roles = Roles::read(snapshot).await?;
        match plan.mode {
            Mode::Aggregate => aggregate(snapshot, plan, &roles).await,
            _ => query(snapshot, plan, &roles).await,
        }
    }
}

/// The key under which the blog keeps its users' roles.
fn capabilities_key(snapshot: &Snapshot) -> String {
    format!("{}capabilities", snapshot.prefixes().part)
}

async fn aggregate(
    snapshot: &Snapshot,
    plan: &Plan,
    roles: &Roles,
) -> Result<Reply<Answer<WpUsers>>, ToolError> {
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
    Ok(plan.counts(Counts { total_users: total, by_role }))
}

async fn query(snapshot: &Snapshot, plan: &Plan, roles: &Roles) -> Result<Reply<Answer<WpUsers>>, ToolError> {
    let mut filter = Condition::default();
    let key = capabilities_key(snapshot);
    if snapshot.settings.multisite {
        filter.one(
            "EXISTS (SELECT 1 FROM {base:usermeta} m WHERE m.user_id = u.ID AND m.meta_key = ?)",
            key.as_str(),
        );
    }
    if let Some(role) = &plan.own.role {
        // A role is held where its entry is true: `s:6:"editor";b:1;`.
        filter.all(
            "EXISTS (SELECT 1 FROM {base:usermeta} m WHERE m.user_id = u.ID AND m.meta_key = ? \
             AND m.meta_value LIKE ? ESCAPE '!')",
            [key.as_str().into(), format!("%\"{}\";b:1;%", like(role)).into()],
        );
    }
    if let Some(text) = &plan.own.search {
        filter.same("(u.user_login LIKE ? ESCAPE '!' OR u.display_name LIKE ? ESCAPE '!')", containing(text));
    }
    if let Some(id) = plan.own.user_id {
        filter.one("u.ID = ?", id);
    }
    let total = filter.count(snapshot, "FROM {base:users} u").await?;
    if let Some(role) = &plan.own.role
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
        plan.own.counted_column(),
        filter.text(),
        plan.own.order()
    ))
    .bind(key);
    let found = snapshot.rows(&plan.own.page.bind(filter.bind(statement))).await?;
    let users = rows::shown(snapshot, plan, roles, &found).await?;
    let mut reply = plan
        .rows(Users { users })
        .meta("filters", json!({"role": plan.own.role, "search_applied": plan.own.search.is_some()}));
    if plan.wants("display_name") {
        reply = reply
            .meta("untrusted_fields_returned", json!(["display_name"]))
            .warn(code::UNTRUSTED_CONTENT, "display_name is text that the users chose.");
    }
    Ok(reply.list("users", plan.own.page.of(total)))
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
