//! The stages of a call, in order.

use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Executor, Progress};
use crate::approval::{ApprovalRequest, Decision};
use crate::caller::{Caller, Permission, Refused};
use crate::code;
use crate::context::Ctx;
use crate::effects::Effects;
use crate::envelope::Envelope;
use crate::erased::Input;
use crate::error::ToolError;
use crate::event::EventKind;
use crate::journal::Intent;
use crate::names;
use crate::registry::Entry;
use crate::tidy;

/// Arguments longer than this as JSON are refused: no tool takes more.
const MAX_ARGUMENTS: usize = 16 * 1024 * 1024;

/// A call whose arguments passed the checks that need no plan.
pub(super) struct Checked {
    pub(super) entry: Arc<Entry>,
    pub(super) input: Input,
    pub(super) effects: Effects,
}

impl Executor {
    pub(super) async fn stages(
        &self,
        ctx: &Ctx,
        name: &str,
        progress: &mut Progress,
    ) -> Result<Envelope, ToolError> {
        let checked = self.check(ctx, name, progress)?;
        let entry = Arc::clone(&checked.entry);
        let reply = if checked.effects.is_mutating() {
            self.alone(ctx, checked, progress).await?
        } else {
            self.shared(ctx, checked, progress).await?
        };
        Ok(self.output(ctx, &entry, reply, progress))
    }

    /// Stages 1 to 5: what can be decided from the name, the caller and the arguments.
    pub(super) fn check(&self, ctx: &Ctx, name: &str, progress: &mut Progress) -> Result<Checked, ToolError> {
        let entry = self.lookup(ctx, name)?;
        ctx.emit(|| EventKind::Found);
        allowed(self, ctx.caller(), entry.permission())?;
        ctx.emit(|| EventKind::Allowed);

        let Value::Object(arguments) = &mut progress.arguments else {
            return Err(ToolError::new(
                code::INVALID_ARGUMENT,
                format!("The arguments must be an object, not {}.", kind_of(&progress.arguments)),
            )
            .with("accepted_arguments", entry.checker.accepted().to_vec()));
        };
        let tidied = tidy::tidy(arguments, entry.input_schema());
        ctx.emit(|| EventKind::Tidied { changes: tidied.changes() });
        progress.warnings.extend(tidied.warnings());

        size_checked(&progress.arguments)?;
        entry.checker.check(&progress.arguments)?;
        let input = entry.erased.parse(&progress.arguments)?;
        let effects = input.effects.unwrap_or(entry.spec().effects);
        if !effects.within(entry.spec().effects) {
            return Err(ToolError::new(
                code::INTERNAL,
                format!("The tool '{name}' wants to do more than it states."),
            ));
        }
        progress.effects = Some(effects);
        ctx.emit(|| EventKind::Validated);

        self.guard(&entry, &progress.arguments)?;
        if !input.capabilities.is_empty() {
            let permission = Permission { capabilities: &input.capabilities, ..entry.permission() };
            allowed(self, ctx.caller(), permission)?;
        }
        ctx.emit(|| EventKind::Guarded);
        Ok(Checked { entry, input, effects })
    }

    /// Stage 1. Names are never matched loosely: a look-alike is only suggested.
    fn lookup(&self, ctx: &Ctx, name: &str) -> Result<Arc<Entry>, ToolError> {
        let registry = self.registry();
        let visible = || {
            registry
                .eligible(self.policy(), ctx.caller())
                .into_iter()
                .filter(|entry| ctx.run().offers(entry.spec().name()))
                .map(|entry| entry.spec().name().to_owned())
                .collect::<Vec<_>>()
        };
        match registry.get(name) {
            None => {
                let visible = visible();
                let near = names::nearest(name, visible.iter().map(String::as_str));
                let hint = names::suggestion(name, visible.iter().map(String::as_str))
                    .unwrap_or_else(|| "List the tools to see which there are.".to_owned());
                let shown = crate::error::sanitise_fragment(name, 64);
                Err(ToolError::new(code::UNKNOWN_TOOL, format!("There is no tool named '{shown}'."))
                    .hint(hint)
                    .with("nearest", near.iter().map(|&name| Value::from(name)).collect::<Vec<_>>()))
            }
            Some(_) if !ctx.run().offers(name) => Err(ToolError::new(
                code::TOOL_NOT_OFFERED,
                format!("The tool '{name}' exists but is not offered in this turn."),
            )
            .with("offered", visible())),
            Some(entry) => Ok(Arc::clone(entry)),
        }
    }

    /// Stage 5. Every string is shown to every guard, except in fields that carry content.
    fn guard(&self, entry: &Entry, arguments: &Value) -> Result<(), ToolError> {
        if self.0.argument_guards.is_empty() {
            return Ok(());
        }
        let Value::Object(arguments) = arguments else { return Ok(()) };
        for (name, value) in arguments {
            if !entry.spec().content_fields.contains(&name.as_str()) {
                strings(value, name, &mut |path, text| {
                    self.0
                        .argument_guards
                        .iter()
                        .try_for_each(|guard| guard.check(entry.spec().name(), path, text))
                })?;
            }
        }
        Ok(())
    }

    /// Stage 7. A gate that decides at once decides under the call's lock, which is handed back: nothing gets in
    /// between. A gate that takes its time holds no lock.
    pub(super) async fn approve<G>(
        &self,
        ctx: &Ctx,
        request: ApprovalRequest,
        lock: G,
    ) -> Result<Option<G>, ToolError> {
        ctx.emit(|| EventKind::ApprovalAsked);
        let mut deciding = ctx.run().gate().decide(&request);
        let (decision, lock) = match (&mut deciding).now_or_never() {
            Some(decision) => (decision, Some(lock)),
            None => {
                drop(lock);
                let decision = tokio::select! {
                    biased;
                    () = ctx.cancelled() => return Err(cancelled_error()),
                    decision = deciding => decision,
                };
                (decision, None)
            }
        };
        ctx.emit(|| EventKind::ApprovalDecided { approved: decision == Decision::Approved });
        match decision {
            Decision::Approved => Ok(lock),
            Decision::Denied { reason } => Err(ToolError::new(
                code::APPROVAL_DENIED,
                format!("The call of '{}' was not approved: {reason}", request.tool),
            )
            .hint("Go on without it, or ask for something else.")),
            Decision::Pending { handle } => Err(ToolError::new(
                code::APPROVAL_PENDING,
                format!("The call of '{}' waits for a decision.", request.tool),
            )
            .with("approval", handle)),
        }
    }

    /// What a gate is shown, secrets masked.
    pub(super) fn approval_request(
        &self,
        ctx: &Ctx,
        entry: &Entry,
        effects: Effects,
        arguments: &Value,
        preview: Option<&str>,
        digest: &str,
    ) -> ApprovalRequest {
        let mut shown = arguments.clone();
        self.masker().mask_value(&mut shown);
        ApprovalRequest {
            run: ctx.run().id().to_owned(),
            call: ctx.call_id().to_owned(),
            tool: entry.spec().name().to_owned(),
            arguments: shown,
            preview: preview.map(|text| self.masker().mask(text).into_owned()),
            effects,
            tainted: ctx.run().is_tainted(),
            caller: ctx.caller().clone(),
            digest: digest.to_owned(),
        }
    }

    /// Keeps the intent of a mutating call. If it cannot be kept, nothing is performed.
    pub(super) async fn intend(
        &self,
        ctx: &Ctx,
        entry: &Entry,
        arguments: &Value,
        digest: String,
    ) -> Result<(), ToolError> {
        let mut arguments = arguments.clone();
        self.masker().mask_value(&mut arguments);
        let intent = Intent {
            run: ctx.run().id().to_owned(),
            call: ctx.call_id().to_owned(),
            tool: entry.spec().name().to_owned(),
            arguments,
            digest,
            caller: ctx.caller().clone(),
            at: ctx.now(),
        };
        self.0.journal.intent(&intent).await.map_err(|error| {
            ToolError::new(
                code::JOURNAL_UNAVAILABLE,
                "Nothing was changed, because the record of it could not be written.",
            )
            .hint("The operator finds the reason in the log.")
            .source(error)
        })
    }
}

/// Stage 2, and the second half of stage 5.
fn allowed(executor: &Executor, caller: &Caller, permission: Permission<'_>) -> Result<(), ToolError> {
    let tool = permission.tool;
    executor.policy().allows(caller, permission).map_err(|refused| match refused {
        Refused::Missing(capability) => ToolError::new(
            code::FORBIDDEN,
            format!("{} may not call '{tool}': the capability '{capability}' is missing.", caller.label()),
        )
        .hint("An administrator of the site can grant it.")
        .with("capability", capability),
        Refused::NotInteractive => ToolError::new(
            code::FORBIDDEN,
            format!("'{tool}' may be called only from a console with a person at it."),
        ),
    })
}

/// Whether a gate must be asked.
pub(super) const fn needs_approval(effects: Effects, tainted: bool) -> bool {
    effects.writes || (effects.sends && tainted)
}

/// Binds a decision to what will run: tool, schema, arguments, witness, caller and run.
pub(super) fn digest(ctx: &Ctx, entry: &Entry, arguments: &Value, witness: &Value) -> String {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        // Lengths keep neighbouring parts apart.
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    part(entry.spec().name().as_bytes());
    part(canonical(entry.input_schema()).as_bytes());
    part(canonical(arguments).as_bytes());
    part(canonical(witness).as_bytes());
    part(ctx.caller().label().as_bytes());
    part(ctx.run().id().as_bytes());
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// JSON with the keys of every object sorted.
fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                entries.sort_by_key(|(key, _)| *key);
                Value::Object(entries.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
            other => other.clone(),
        }
    }
    sorted(value).to_string()
}

/// The error of a cancelled call that had no effect.
pub(super) fn cancelled_error() -> ToolError {
    ToolError::new(code::CANCELLED, "The call was cancelled before it had any effect.")
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Text in arguments is bounded without writing them out.
fn size_checked(arguments: &Value) -> Result<(), ToolError> {
    fn size(value: &Value) -> usize {
        match value {
            Value::String(text) => text.len() + 2,
            Value::Array(items) => items.iter().map(size).sum::<usize>() + 2,
            Value::Object(map) => {
                map.iter().map(|(key, value)| key.len() + 3 + size(value)).sum::<usize>() + 2
            }
            _ => 8,
        }
    }
    if size(arguments) > MAX_ARGUMENTS {
        return Err(ToolError::new(
            code::INVALID_ARGUMENT,
            format!("The arguments are longer than {} MiB.", MAX_ARGUMENTS / 1024 / 1024),
        ));
    }
    Ok(())
}

/// Shows every string in the value, with the path to it.
fn strings(
    value: &Value,
    path: &str,
    show: &mut impl FnMut(&str, &str) -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    match value {
        Value::String(text) => show(path, text),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| strings(item, &format!("{path}[{index}]"), show)),
        Value::Object(map) => map.iter().try_for_each(|(key, item)| {
            show(path, key)?;
            strings(item, &format!("{path}.{key}"), show)
        }),
        _ => Ok(()),
    }
}
