//! Action Scheduler's queue, in which WooCommerce and others keep their jobs.
//!
//! Facts: its tables `actionscheduler_actions` and `actionscheduler_logs`; an action that runs as soon as possible
//! carries the moment it was queued as its time, so it is past due at once.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use siteclaw_core::ToolError;
use siteclaw_db::Statement;

use crate::wordpress::site::Snapshot;
use crate::wordpress::text;
use crate::wordpress::zone::Zone;

const MOST: i64 = 30;
const MESSAGES: i64 = 5;
/// Characters of what the log says of a failure.
const MESSAGE: usize = 300;
/// Minutes after which an action counts as past due, and one that runs as stuck.
const PAST_DUE: i64 = 15;
const STUCK: i64 = 5;

/// The queue.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Queue {
    pending: i64,
    /// Pending ones that should have run more than 15 minutes ago.
    past_due: i64,
    in_progress: i64,
    /// Those in progress that nothing was heard of for more than 5 minutes.
    stuck: i64,
    failed: i64,
    /// The hooks with the most waiting or failed actions.
    hooks: Vec<Hook>,
    /// What was logged of the last failures.
    failures: Vec<Failure>,
}

/// Actions of one hook in one status.
#[derive(Serialize, JsonSchema)]
struct Hook {
    hook: String,
    status: String,
    count: i64,
    past_due: i64,
    /// Time of the oldest, on the site's clock.
    oldest: Option<String>,
}

/// A failure.
#[derive(Serialize, JsonSchema)]
struct Failure {
    hook: String,
    /// When, on the site's clock.
    at: Option<String>,
    message: String,
}

/// Reads the queue, in two statements; `None` where the site has none.
pub(super) async fn read(
    snapshot: &Snapshot,
    zone: &Zone,
    now: Timestamp,
) -> Result<Option<Queue>, ToolError> {
    let schema = snapshot.database()?.schema().await?;
    let is_there = |name: &str| {
        let table = snapshot.prefixes().table(name);
        schema.tables.keys().any(|known| known.eq_ignore_ascii_case(&table))
    };
    if !is_there("actionscheduler_actions") {
        return Ok(None);
    }
    let before = |minutes: i64| Zone::gmt(now.checked_sub(SignedDuration::from_mins(minutes)).unwrap_or(now));
    let statement = Statement::new(
        "SELECT a.hook, a.status, COUNT(*) AS n, \
         SUM(CASE WHEN a.status = 'pending' AND a.scheduled_date_gmt < ? THEN 1 ELSE 0 END) AS past_due, \
         SUM(CASE WHEN a.status = 'in-progress' AND a.last_attempt_gmt < ? THEN 1 ELSE 0 END) AS stuck, \
         CAST(MIN(a.scheduled_date_gmt) AS CHAR) AS oldest FROM {actionscheduler_actions} a \
         WHERE a.status IN ('pending', 'in-progress', 'failed') GROUP BY a.hook, a.status ORDER BY n DESC, a.hook, a.status",
    )
    .bind(before(PAST_DUE))
    .bind(before(STUCK));
    let mut queue = Queue {
        pending: 0,
        past_due: 0,
        in_progress: 0,
        stuck: 0,
        failed: 0,
        hooks: Vec::new(),
        failures: Vec::new(),
    };
    for row in snapshot.rows(&statement).await?.iter() {
        let (status, count, past_due) = (row.text("status")?, row.i64("n")?, row.i64("past_due")?);
        match status.as_str() {
            "pending" => queue.pending += count,
            "failed" => queue.failed += count,
            _ => queue.in_progress += count,
        }
        queue.past_due += past_due;
        queue.stuck += row.i64("stuck")?;
        if i64::try_from(queue.hooks.len()).is_ok_and(|shown| shown < MOST) {
            let oldest = row.opt_text("oldest")?.and_then(|oldest| zone.local_of_gmt(&oldest));
            queue.hooks.push(Hook { hook: row.text("hook")?, status, count, past_due, oldest });
        }
    }
    if queue.failed > 0 && is_there("actionscheduler_logs") {
        queue.failures = failures(snapshot, zone).await?;
    }
    Ok(Some(queue))
}

async fn failures(snapshot: &Snapshot, zone: &Zone) -> Result<Vec<Failure>, ToolError> {
    let statement = Statement::new(
        "SELECT a.hook, l.message, CAST(l.log_date_gmt AS CHAR) AS at_gmt FROM {actionscheduler_logs} l \
         JOIN {actionscheduler_actions} a ON a.action_id = l.action_id WHERE a.status = 'failed' \
         AND l.message LIKE '%fail%' ORDER BY l.log_id DESC LIMIT ?",
    )
    .bind(MESSAGES);
    let mut failures = Vec::new();
    for row in snapshot.rows(&statement).await?.iter() {
        failures.push(Failure {
            hook: row.text("hook")?,
            at: row.opt_text("at_gmt")?.and_then(|at| zone.local_of_gmt(&at)),
            message: text::cut(&row.opt_text("message")?.unwrap_or_default(), MESSAGE),
        });
    }
    Ok(failures)
}
