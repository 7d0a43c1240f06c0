//! The rows of a page, with the columns that need more than the account's own row.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};
use siteclaw_core::ToolError;
use siteclaw_db::{Rows, Statement};
use siteclaw_php::PhpValue;

use super::Plan;
use crate::wordpress::modes::Row;
use crate::wordpress::options::decode;
use crate::wordpress::roles::Roles;
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;

/// Usermeta in which plugins keep the time of the last login, in Unix seconds.
const LOGIN_KEYS: [&str; 5] =
    ["last_login", "wp-last-login", "when_last_login", "wc_last_active", "wfls-last-login"];
/// WordPress' own sessions: token → {expiration, ip, ua, login}. Only the times leave.
const SESSIONS: &str = "session_tokens";

/// The requested columns of each row.
pub(super) async fn shown(
    snapshot: &Snapshot,
    plan: &Plan,
    roles: &Roles,
    found: &Rows,
) -> Result<Vec<Row>, ToolError> {
    let ids = found.iter().map(|row| row.i64("ID")).collect::<Result<Vec<_>, _>>()?;
    let logins =
        if plan.columns.contains(&"last_login") { logins(snapshot, &ids).await? } else { BTreeMap::new() };
    let posts =
        if plan.columns.contains(&"post_count") { posts(snapshot, &ids).await? } else { BTreeMap::new() };
    let mut rows = Vec::with_capacity(found.len());
    for row in found.iter() {
        let id = row.i64("ID")?;
        let mut out = Row::new();
        for &column in &plan.columns {
            let value = match column {
                "id" => json!(id),
                "display_name" => json!(text::decode(&row.text("display_name")?)),
                "role" => {
                    let stored = row.opt_text("capabilities")?.unwrap_or_default();
                    match roles.held(&stored) {
                        Some(held) => json!(held.join(",")),
                        None if stored.is_empty() => json!(""),
                        None => {
                            out.insert("role_state".to_owned(), json!("corrupt_serialisation"));
                            json!("")
                        }
                    }
                }
                "last_login" => match logins.get(&id) {
                    Some((moment, source)) => {
                        out.insert("last_login_source".to_owned(), json!(source));
                        json!(moment)
                    }
                    None => Value::Null,
                },
                "post_count" => json!(posts.get(&id).copied().unwrap_or(0)),
                "user_status" => json!(row.i64("user_status")?),
                column => json!(row.opt_text(column)?),
            };
            out.insert(column.to_owned(), value);
        }
        rows.push(out);
    }
    Ok(rows)
}

/// The latest known login of each account and where it is known from.
async fn logins(
    snapshot: &Snapshot,
    ids: &[i64],
) -> Result<BTreeMap<i64, (String, &'static str)>, ToolError> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let statement = Statement::new(
        "SELECT user_id, meta_key, meta_value FROM {base:usermeta} WHERE user_id IN (?*) AND meta_key IN (?*) \
         ORDER BY umeta_id",
    )
    .bind_list(ids.iter().copied())
    .bind_list(LOGIN_KEYS.iter().chain(std::iter::once(&SESSIONS)).copied());
    let mut latest: BTreeMap<i64, (i64, &'static str)> = BTreeMap::new();
    for row in snapshot.rows(&statement).await?.iter() {
        let key = row.text("meta_key")?;
        let stored = row.opt_text("meta_value")?.unwrap_or_default();
        let (seconds, source) = match LOGIN_KEYS.iter().find(|known| **known == key) {
            Some(known) => (stored.trim().parse().unwrap_or(0), *known),
            None => (latest_session(&stored), "session"),
        };
        let entry = latest.entry(row.i64("user_id")?).or_insert((0, source));
        if seconds > entry.0 {
            *entry = (seconds, source);
        }
    }
    let readable = |(id, (seconds, source)): (i64, (i64, &'static str))| {
        let moment = Timestamp::from_second(seconds).ok().filter(|_| seconds > 0)?;
        Some((id, (moment.to_string(), source)))
    };
    Ok(latest.into_iter().filter_map(readable).collect())
}

fn latest_session(stored: &str) -> i64 {
    let sessions = decode(stored);
    let logins = sessions.as_ref().and_then(PhpValue::as_array).into_iter().flat_map(|array| array.values());
    logins.filter_map(|session| session.get("login").and_then(PhpValue::as_int)).max().unwrap_or(0)
}

/// Published and private posts of each account.
async fn posts(snapshot: &Snapshot, ids: &[i64]) -> Result<BTreeMap<i64, i64>, ToolError> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let statement = Statement::new(
        "SELECT post_author, COUNT(*) AS n FROM {posts} WHERE post_type = 'post' \
         AND post_status IN ('publish', 'private') AND post_author IN (?*) GROUP BY post_author ORDER BY post_author",
    )
    .bind_list(ids.iter().copied());
    let mut counts = BTreeMap::new();
    for row in snapshot.rows(&statement).await?.iter() {
        counts.insert(row.i64("post_author")?, row.i64("n")?);
    }
    Ok(counts)
}
