//! Stages 6 to 8: planning, asking and performing, under the run's lock.
//!
//! Reads share the lock, at most eight at once. A mutating call holds it alone from its plan to its end,
//! except while a person is asked: then it holds nothing, and plans anew afterwards.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::Value;

use super::stages::{Checked, cancelled_error, digest, needs_approval};
use super::{Executor, Progress};
use crate::cancel::Stop;
use crate::code;
use crate::context::Ctx;
use crate::effects::Effects;
use crate::erased::{ErasedPlan, Input, RawReply};
use crate::error::ToolError;
use crate::event::EventKind;
use crate::registry::Entry;

/// How long a write past its deadline is waited for before its end counts as unknown.
const GRACE: Duration = Duration::from_secs(5);

/// The time a call has left. It stands still while nothing of the tool runs.
struct Deadline {
    left: Duration,
}

impl Executor {
    /// A call that changes nothing.
    pub(super) async fn shared(
        &self,
        ctx: &Ctx,
        checked: Checked,
        progress: &mut Progress,
    ) -> Result<RawReply, ToolError> {
        let Checked { entry, input, effects } = checked;
        let mut deadline = Deadline { left: entry.spec().deadline };
        let order = unless_cancelled(ctx, ctx.run().order().read()).await?;
        let slot = unless_cancelled(ctx, ctx.run().reads().acquire()).await?;
        let mut plan = self.plan(ctx, &entry, input, effects, &mut deadline).await?;
        if needs_approval(effects, ctx.run().is_tainted())
            && let ErasedPlan::Run { preview, witness, .. } = &plan
        {
            let approved = digest(ctx, &entry, &progress.arguments, witness);
            let request = self.approval_request(
                ctx,
                &entry,
                effects,
                &progress.arguments,
                preview.as_deref(),
                &approved,
            );
            let (order, slot) = match self.approve(ctx, request, (order, slot)).await? {
                Some(held) => held,
                None => (
                    unless_cancelled(ctx, ctx.run().order().read()).await?,
                    unless_cancelled(ctx, ctx.run().reads().acquire()).await?,
                ),
            };
            plan = self.replan(ctx, &entry, &progress.arguments, effects, &approved, &mut deadline).await?;
            let reply = self.perform(ctx, &entry, plan, effects, deadline).await;
            drop((order, slot));
            return reply;
        }
        let reply = self.perform(ctx, &entry, plan, effects, deadline).await;
        drop((order, slot));
        reply
    }

    /// A mutating call.
    pub(super) async fn alone(
        &self,
        ctx: &Ctx,
        checked: Checked,
        progress: &mut Progress,
    ) -> Result<RawReply, ToolError> {
        let Checked { entry, input, effects } = checked;
        let mut deadline = Deadline { left: entry.spec().deadline };
        let order = unless_cancelled(ctx, ctx.run().order().write()).await?;
        let (preview, witness) = match self.plan(ctx, &entry, input, effects, &mut deadline).await? {
            ErasedPlan::Done(reply) => return Ok(reply),
            ErasedPlan::Run { preview, witness, .. } => (preview, witness),
        };
        let approved = digest(ctx, &entry, &progress.arguments, &witness);
        let request =
            self.approval_request(ctx, &entry, effects, &progress.arguments, preview.as_deref(), &approved);
        let order = match self.approve(ctx, request, order).await? {
            Some(order) => order,
            None => unless_cancelled(ctx, ctx.run().order().write()).await?,
        };
        let plan = self.replan(ctx, &entry, &progress.arguments, effects, &approved, &mut deadline).await?;
        self.intend(ctx, &entry, &progress.arguments, approved).await?;
        let reply = self.perform(ctx, &entry, plan, effects, deadline).await;
        drop(order);
        reply
    }

    /// Stage 6.
    async fn plan(
        &self,
        ctx: &Ctx,
        entry: &Entry,
        input: Input,
        effects: Effects,
        deadline: &mut Deadline,
    ) -> Result<ErasedPlan, ToolError> {
        // Planning has no effect, so its end is always known.
        let plan = within(ctx, entry, entry.erased.plan(ctx, input), deadline, false).await?;
        ctx.emit(|| EventKind::Planned { effects });
        Ok(plan)
    }

    /// Plans again after a decision; what was approved must be what will run.
    async fn replan(
        &self,
        ctx: &Ctx,
        entry: &Entry,
        arguments: &Value,
        effects: Effects,
        approved: &str,
        deadline: &mut Deadline,
    ) -> Result<ErasedPlan, ToolError> {
        let input = entry.erased.parse(arguments)?;
        let plan = self.plan(ctx, entry, input, effects, deadline).await?;
        let same = match &plan {
            ErasedPlan::Run { witness, .. } => digest(ctx, entry, arguments, witness) == approved,
            ErasedPlan::Done(_) => false,
        };
        if same {
            return Ok(plan);
        }
        Err(ToolError::new(
            code::STALE_APPROVAL,
            "What would run has changed since it was approved, so it did not run.",
        )
        .hint("Look at the present state and make the call again."))
    }

    /// Stage 8.
    async fn perform(
        &self,
        ctx: &Ctx,
        entry: &Entry,
        plan: ErasedPlan,
        effects: Effects,
        mut deadline: Deadline,
    ) -> Result<RawReply, ToolError> {
        let plan = match plan {
            ErasedPlan::Done(reply) => return Ok(reply),
            ErasedPlan::Run { plan, .. } => plan,
        };
        ctx.emit(|| EventKind::Performing);
        let mutating = effects.is_mutating();
        let retries = if mutating { 0 } else { entry.spec().retries };
        let work = entry.erased.execute(ctx, &plan, retries);
        within(ctx, entry, work, &mut deadline, mutating).await
    }
}

/// Runs a tool's work to its end, its deadline or its cancellation, whichever comes first. Panics of the
/// tool end here.
async fn within<T>(
    ctx: &Ctx,
    entry: &Entry,
    work: impl Future<Output = Result<T, ToolError>>,
    deadline: &mut Deadline,
    mutating: bool,
) -> Result<T, ToolError> {
    if ctx.is_cancelled() {
        return Err(cancelled_error());
    }
    let began = tokio::time::Instant::now();
    let abandoned = StopWhenDropped(Some(ctx.stop().clone()));
    let work = AssertUnwindSafe(work).catch_unwind();
    tokio::pin!(work);
    let stopped_by = tokio::select! {
        biased;
        result = &mut work => {
            deadline.left = deadline.left.saturating_sub(began.elapsed());
            abandoned.disarm();
            return unpanicked(entry, result);
        }
        () = ctx.cancelled() => cancelled_error(),
        () = tokio::time::sleep(deadline.left) => ToolError::new(
            code::TIMEOUT,
            format!(
                "'{}' was stopped after {} seconds, its time limit.",
                entry.spec().name(),
                entry.spec().deadline.as_secs_f32()
            ),
        )
        .hint("Ask for less at once.")
        .retryable(),
    };
    drop(abandoned);
    if !mutating {
        return Err(stopped_by);
    }
    match tokio::time::timeout(GRACE, work).await {
        Ok(result) => unpanicked(entry, result),
        Err(_) => Err(ToolError::new(
            code::OUTCOME_UNKNOWN,
            format!(
                "'{}' was stopped while it was changing something; its end is not known.",
                entry.spec().name()
            ),
        )
        .hint("Look at the present state before anything is repeated.")),
    }
}

/// Tells blocking work to stop when nobody waits for the call any more.
struct StopWhenDropped(Option<Stop>);

impl StopWhenDropped {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        if let Some(stop) = &self.0 {
            stop.set();
        }
    }
}

type Panic = Box<dyn std::any::Any + Send>;

fn unpanicked<T>(entry: &Entry, result: Result<Result<T, ToolError>, Panic>) -> Result<T, ToolError> {
    result.unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic without a text".to_owned());
        Err(ToolError::new(
            code::INTERNAL,
            format!("'{}' failed by a fault of its own.", entry.spec().name()),
        )
        .hint("The operator finds the reason in the log.")
        .source(Panicked(text)))
    })
}

/// What a panicking tool said; for the operator's log only.
#[derive(Debug, thiserror::Error)]
#[error("panicked: {0}")]
struct Panicked(String);

/// Waits unless the run is cancelled first.
async fn unless_cancelled<T>(ctx: &Ctx, wait: impl Future<Output = T>) -> Result<T, ToolError> {
    tokio::select! {
        biased;
        () = ctx.cancelled() => Err(cancelled_error()),
        value = wait => Ok(value),
    }
}
