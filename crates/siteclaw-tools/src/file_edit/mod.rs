//! `file_edit`: replaces pieces of a file in the workspace, all in one step or none.
//!
//! The file must have been read in this run, or be named by the hash that a read gave, and must not have changed
//! since. Each piece must stand in the file exactly as often as expected. The person who approves sees the diff;
//! what is approved is bound to the file before and after. Everything that no edit names stays byte for byte:
//! [`engine`] says how.
//!
//! Refused: `site:/`, binary files, files over 2 MiB, and what [`PathPolicy`]
//! refuses.

pub mod engine;
#[cfg(test)]
mod engine_tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use siteclaw_core::{Code, Ctx, Effects, Planned, Reply, Tool, ToolError, ToolSpec, code};

use crate::CoreParts;
use crate::classify::{PathPolicy, Purpose};
use crate::file_read::{BINARY_FILE, HASHED_BYTES};
use crate::roots::{Located, Tree};
use crate::seen::content_hash;
use crate::text::{sniff, unified};
use crate::writing::{Change, OWNER_CHANGED, READ_REQUIRED, Writing, stale};
use engine::{Edit, Edited, Problem};

/// The tool's name.
pub const NAME: &str = "file_edit";
/// A piece does not stand in the file.
pub const NO_MATCH: Code = Code::new("NO_MATCH");
/// A piece stands in the file another number of times than expected.
pub const AMBIGUOUS_MATCH: Code = Code::new("AMBIGUOUS_MATCH");
/// Two edits change the same place.
pub const OVERLAPPING_EDITS: Code = Code::new("OVERLAPPING_EDITS");
/// A placeholder in a replacement stands for no secret of the file.
pub const UNKNOWN_SECRET: Code = Code::new("UNKNOWN_SECRET");
/// The file's encoding lacks a character of a replacement.
pub const UNENCODABLE: Code = Code::new("UNENCODABLE");

/// Characters of a diff that a person is shown before approving.
const PREVIEW: usize = 8000;
/// Characters of an answer beside the diff.
const FRAME: usize = 1500;
const MAX_BYTES: usize = HASHED_BYTES as usize;

/// Edits one file.
pub struct FileEdit {
    writing: Writing,
}

impl FileEdit {
    /// The tool over these roots.
    pub fn new(parts: &CoreParts) -> Self {
        Self { writing: Writing::new(parts) }
    }
}

/// Arguments of `file_edit`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file in the workspace.
    path: String,
    /// The piece to replace, exactly as the file has it, without line numbers. It must stand there once.
    old_str: String,
    /// What takes its place; empty to remove it.
    new_str: String,
    /// How often old_str stands in the file; each place is changed. Default 1.
    #[schemars(range(min = 1, max = 1000))]
    expected_count: Option<usize>,
    /// Further edits of the same file in the same step. All are found in the file as it is now and must not overlap.
    #[serde(default)]
    #[schemars(length(max = 49))]
    more_edits: Vec<Piece>,
    /// The hash that file_read gave, if the file was not read in this run.
    #[schemars(length(min = 64, max = 64))]
    expected_hash: Option<String>,
    /// Show the diff and change nothing. Default false.
    #[serde(default)]
    dry_run: bool,
}

/// One more edit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// The piece to replace.
    old_str: String,
    /// What takes its place.
    new_str: String,
    /// How often it stands in the file. Default 1.
    #[schemars(range(min = 1, max = 1000))]
    expected_count: Option<usize>,
}

impl Input {
    fn edits(&self) -> Vec<Edit> {
        let edit = |old: &str, new: &str, count: Option<usize>| Edit {
            old: old.to_owned(),
            new: new.to_owned(),
            count: count.unwrap_or(1),
        };
        let first = edit(&self.old_str, &self.new_str, self.expected_count);
        let more =
            self.more_edits.iter().map(|piece| edit(&piece.old_str, &piece.new_str, piece.expected_count));
        std::iter::once(first).chain(more).collect()
    }
}

/// What will be changed.
#[derive(Debug)]
pub struct Plan {
    change: Change,
    shown: Shown,
}

/// What the answer says of the change.
#[derive(Clone, Debug)]
struct Shown {
    line: usize,
    places: usize,
    adapted: bool,
    diff: String,
}

/// What `file_edit` returns.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// edited, or unchanged after a dry run.
    status: &'static str,
    /// The file, with its root.
    file: String,
    /// The line on which the first change begins, from 1.
    line_changed: usize,
    /// How many places were changed.
    replacements: usize,
    /// SHA-256 of the file as it is now, for expected_hash.
    hash: String,
    /// What changed, as a unified diff.
    diff: String,
}

impl Tool for FileEdit {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new(
            NAME,
            "Replaces one piece of a file in the workspace, or several in one step.\n\
             Read the file first, or give expected_hash. Copy old_str exactly from the file's text, with enough around it \
             to be unique; never copy the line-number prefix of file_read. A placeholder ⟦secret:…⟧ may be copied and \
             stays the secret it stands for.",
        )
        .title("Edit a file")
        .effects(Effects::WRITES)
        .content_fields(&["old_str", "new_str", "more_edits"])
        .domains(&["filesystem", "code"])
        .tags(&["edit", "replace", "modify", "patch", "change", "file"])
        .intents(&["edit file", "replace string", "change a line in the file"])
        .example("change the timeout in settings.json to 60", json!({
            "path": "settings.json", "old_str": "\"timeout\": 30", "new_str": "\"timeout\": 60"
        }))
    }

    fn effects(&self, input: &Input) -> Option<Effects> {
        input.dry_run.then_some(Effects::READS)
    }

    async fn plan(&self, ctx: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        let policy = self.writing.policy(ctx);
        let (writing, state, dry_run) = (self.writing.clone(), ctx.clone(), input.dry_run);
        let diff_room = ctx.budget().saturating_sub(FRAME);
        let (plan, preview) = self
            .writing
            .roots
            .reading(ctx, move |tree, _| prepare(tree, &writing, &policy, &state, &input, diff_room))
            .await?;
        if dry_run {
            let hash = plan.change.before.clone().unwrap_or_default();
            return Ok(Planned::Done(reply(&plan, "unchanged", hash)));
        }
        let witness = plan.change.witness();
        Ok(Planned::shown(plan, preview, witness))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let kept = self.writing.carry_out(ctx, &plan.change, MAX_BYTES).await?;
        let reply = reply(plan, "edited", plan.change.after.clone());
        Ok(if kept {
            reply
        } else {
            let text = format!("The owner of {} could not be kept; it is yours now.", plan.change.located);
            reply.warn(OWNER_CHANGED, text)
        })
    }
}

fn reply(plan: &Plan, status: &'static str, hash: String) -> Reply<Output> {
    let shown = &plan.shown;
    let reply = Reply::new(Output {
        status,
        file: plan.change.located.to_string(),
        line_changed: shown.line,
        replacements: shown.places,
        hash,
        diff: shown.diff.clone(),
    })
    .mode("edit")
    .meta("line_changed", shown.line);
    if shown.adapted { reply.meta("line_endings_adapted", true) } else { reply }
}

fn prepare(
    tree: &Tree,
    writing: &Writing,
    policy: &PathPolicy,
    ctx: &Ctx,
    input: &Input,
    diff_room: usize,
) -> Result<(Plan, String), ToolError> {
    let located = Writing::locate(tree, policy, Purpose::Edit, &input.path)?;
    let expected = Writing::expected(ctx, &located, input.expected_hash.as_deref())?;
    let held =
        tree.root(located.place)?.hold(&located.path, MAX_BYTES).map_err(|error| located.error(error))?;
    let Some(expected) = expected else {
        return Err(ToolError::new(READ_REQUIRED, format!("{located} was not read in this run."))
            .hint("Read it with file_read first, or give the hash of an earlier read as expected_hash."));
    };
    let hash = content_hash(held.bytes());
    if hash != expected {
        return Err(stale(&located));
    }
    let sniffed = sniff(held.bytes(), true).ok_or_else(|| {
        ToolError::new(BINARY_FILE, format!("{located} is no text, and only text is edited."))
    })?;
    let edited = engine::apply(held.bytes(), sniffed, &writing.masker, &input.edits())
        .map_err(|problem| refusal(&located, problem, input))?;
    if edited.bytes.len() > MAX_BYTES {
        return Err(ToolError::new(
            crate::roots::FILE_TOO_LARGE,
            format!(
                "{located} would have {} bytes, more than the {MAX_BYTES} that are edited.",
                edited.bytes.len()
            ),
        ));
    }
    writing.admit_content(Purpose::Edit, &located, &edited.after)?;
    let Edited { bytes, before, after, line, places, adapted } = edited;
    let name = located.to_string();
    let diff = unified(&name, Some(&before), &after, diff_room);
    let preview = unified(&name, Some(&before), &after, PREVIEW);
    let change = Change::new(located, Some(hash), bytes);
    Ok((Plan { change, shown: Shown { line, places, adapted, diff } }, preview))
}

/// A problem in words. No text of the file or the edits is in them.
fn refusal(located: &Located, problem: Problem, input: &Input) -> ToolError {
    let which = |edit: usize| match (input.more_edits.len(), edit) {
        (0, _) => "old_str".to_owned(),
        (_, 0) => "old_str of the first edit".to_owned(),
        (_, edit) => format!("old_str of more_edits[{}]", edit - 1),
    };
    let unchanged = "Nothing was changed.";
    match problem {
        Problem::Empty { edit } => {
            ToolError::new(code::MISSING_ARGUMENT, format!("{} is empty.", which(edit)))
        }
        Problem::NoChange { edit } => ToolError::new(
            code::INVALID_ARGUMENT,
            format!("{} and its new_str are the same.", which(edit)),
        ),
        Problem::NoMatch { edit } => ToolError::new(
            NO_MATCH,
            format!("{} does not stand in {located}. {unchanged}", which(edit)),
        )
        .hint("It must be an exact copy, spaces and line ends included, without line numbers."),
        Problem::Ambiguous { edit, found, lines } => {
            let lines: Vec<usize> = lines.into_iter().filter(|line| *line > 0).collect();
            let times = if found > 1000 { "more than 1000".to_owned() } else { found.to_string() };
            ToolError::new(
                AMBIGUOUS_MATCH,
                format!("{} stands in {located} {times} times. {unchanged}", which(edit)),
            )
            .hint("Copy more of what stands around it, or give expected_count to change each place.")
            .with("matches", found)
            .with("lines", lines)
        }
        Problem::CutsSecret { edit } => ToolError::new(
            NO_MATCH,
            format!("{} cuts a placeholder ⟦secret:…⟧. {unchanged}", which(edit)),
        )
        .hint("Copy placeholders whole."),
        Problem::Overlap { edit, other } => ToolError::new(
            OVERLAPPING_EDITS,
            format!("{} and {} change the same place of {located}. {unchanged}", which(edit), which(other)),
        )
        .hint("Make them one edit."),
        Problem::UnknownSecret { edit } => ToolError::new(
            UNKNOWN_SECRET,
            format!("The replacement of {} holds a placeholder that stands for no secret of {located}. {unchanged}", which(edit)),
        )
        .hint("Only placeholders that the file itself shows can be used."),
        Problem::Unencodable { edit, lacking } => ToolError::new(
            UNENCODABLE,
            format!("The encoding of {located} has no '{lacking}', which the replacement of {} holds. {unchanged}", which(edit)),
        ),
    }
}
