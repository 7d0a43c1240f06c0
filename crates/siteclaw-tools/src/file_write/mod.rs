//! `file_write`: makes a file in the workspace, or replaces one whole.
//!
//! A new file takes a free name only. A file that is there is replaced only if this run has seen what it
//! holds, or the caller names that by its hash, or says outright that it may be lost; and never when a secret of
//! it would be lost to its placeholder. The file is written whole or not at all; mode, owner and encoding of a
//! replaced file stay.
//!
//! Refused: `site:/`, and what [`PathPolicy`] refuses to be written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use siteclaw_core::{Code, Ctx, Effects, Planned, Reply, Tool, ToolError, ToolSpec, Warning};

use crate::CoreParts;
use crate::classify::{PathPolicy, Purpose};
use crate::root::{Held, RootError};
use crate::roots::{FILE_EXISTS, Located, STALE_FILE, Tree};
use crate::seen::content_hash;
use crate::text::{Charset, Ends, Sniffed, sniff, unified};
use crate::writing::{Change, OWNER_CHANGED, Writing, stale};

/// The tool's name.
pub const NAME: &str = "file_write";
/// The content is longer than the tool takes.
pub const CONTENT_TOO_LARGE: Code = Code::new("CONTENT_TOO_LARGE");
/// A secret of the file would be replaced by the placeholder that stands for it.
pub const SECRET_WOULD_BE_LOST: Code = Code::new("SECRET_WOULD_BE_LOST");
/// The content holds a placeholder, which was written as text (warning).
pub const PLACEHOLDER_WRITTEN: Code = Code::new("PLACEHOLDER_WRITTEN");
/// The file's encoding lacks a character of the content, so it is UTF-8 now (warning).
pub const ENCODING_CHANGED: Code = Code::new("ENCODING_CHANGED");
/// The lines of the file end otherwise than before (warning).
pub const LINE_ENDINGS_CHANGED: Code = Code::new("LINE_ENDINGS_CHANGED");

/// Characters of a diff that a person is shown before approving.
const PREVIEW: usize = 8000;
/// Characters of an answer beside the diff.
const FRAME: usize = 1500;

/// Settings of `file_write`. Those about what may be written hold for `file_edit` too.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The most bytes of a file. Default 10485760.
    #[schemars(range(min = 1, max = 104_857_600))]
    pub max_bytes: usize,
    /// Whether PHP may be written, by a person at an interactive console, in a workspace outside every document
    /// root. Default false.
    pub allow_php: bool,
    /// Extensions that may be written besides the built-in ones. What a server or system runs stays refused.
    pub extensions: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_bytes: 10_485_760, allow_php: false, extensions: Vec::new() }
    }
}

/// Writes one file.
pub struct FileWrite {
    writing: Writing,
    max_bytes: usize,
}

impl FileWrite {
    /// The tool over these roots.
    pub fn new(parts: &CoreParts) -> Self {
        Self { writing: Writing::new(parts), max_bytes: parts.settings.file_write.max_bytes }
    }
}

/// Whether a file may or must be there.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Only a new file.
    Create,
    /// Replace whatever the file holds.
    Overwrite,
}

/// Arguments of `file_write`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file in the workspace; folders that are not there are made.
    path: String,
    /// The whole content of the file.
    content: String,
    /// create: only if there is no such file. overwrite: whatever it holds. Default: create it, or replace what was
    /// read in this run.
    mode: Option<Mode>,
    /// The hash that file_read gave: replace the file only if it still holds that.
    #[schemars(length(min = 64, max = 64))]
    expected_hash: Option<String>,
}

/// What will be written.
#[derive(Debug)]
pub struct Plan {
    change: Change,
    diff: Option<String>,
    warnings: Vec<Warning>,
}

/// What `file_write` returns.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The file, with its root.
    path: String,
    /// Bytes of the file.
    bytes_written: u64,
    /// Whether the file is new.
    created: bool,
    /// SHA-256 of the file, for expected_hash.
    hash: String,
    /// What changed, as a unified diff; absent for a new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

impl Tool for FileWrite {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new(
            NAME,
            "Creates a file in the workspace, or replaces one whole.\n\
             The site itself is never written. A file that is there is replaced only after it was read in this run, \
             with expected_hash, or with mode overwrite; to change a part of it use file_edit. Only text formats that \
             no server runs are written.",
        )
        .title("Write a file")
        .effects(Effects::WRITES)
        .content_fields(&["content"])
        .settings::<Settings>()
        .domains(&["filesystem"])
        .tags(&["write", "create", "save", "file", "new", "store"])
        .intents(&["write file", "create file", "save contents", "save to a file"])
        .example("save this report to notes.md", json!({"path": "notes.md", "content": "# Report\n\nAll orders are shipped.\n"}))
    }

    async fn plan(&self, ctx: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        if input.content.len() > self.max_bytes {
            return Err(ToolError::new(
                CONTENT_TOO_LARGE,
                format!(
                    "The content has {} bytes, more than the {} that are written.",
                    input.content.len(),
                    self.max_bytes
                ),
            ));
        }
        let policy = self.writing.policy(ctx);
        let (writing, state, max_bytes) = (self.writing.clone(), ctx.clone(), self.max_bytes);
        let diff_room = ctx.budget().saturating_sub(FRAME);
        let (plan, preview) = self
            .writing
            .roots
            .reading(ctx, move |tree, _| {
                prepare(tree, &writing, &policy, &state, &input, max_bytes, diff_room)
            })
            .await?;
        let witness = plan.change.witness();
        Ok(Planned::shown(plan, preview, witness))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let kept = self.writing.carry_out(ctx, &plan.change, self.max_bytes).await?;
        let Change { located, before, bytes, after } = &plan.change;
        let created = before.is_none();
        let what = if created { "made" } else { "replaced" };
        let mut reply = Reply::new(Output {
            path: located.to_string(),
            bytes_written: bytes.len() as u64,
            created,
            hash: after.clone(),
            diff: plan.diff.clone(),
        })
        .mode("write")
        .meta("message", format!("{located} was {what}: {} bytes.", bytes.len()))
        .warnings(plan.warnings.clone());
        if !kept {
            reply = reply
                .warn(OWNER_CHANGED, format!("The owner of {located} could not be kept; it is yours now."));
        }
        // Nothing of a new file was written by others.
        Ok(if created { reply.trusted() } else { reply })
    }
}

fn prepare(
    tree: &Tree,
    writing: &Writing,
    policy: &PathPolicy,
    ctx: &Ctx,
    input: &Input,
    max_bytes: usize,
    diff_room: usize,
) -> Result<(Plan, String), ToolError> {
    let located = Writing::locate(tree, policy, Purpose::Write, &input.path)?;
    if located.path.is_root() {
        return Err(ToolError::new(
            crate::roots::NOT_A_FILE,
            format!("{located} is a folder; name a file in it."),
        ));
    }
    writing.admit_content(Purpose::Write, &located, &input.content)?;
    let present = present(tree, &located, max_bytes)?;
    let hash = present.as_ref().map(|held| content_hash(held.bytes()));
    let expected = Writing::expected(ctx, &located, input.expected_hash.as_deref())?;
    check(&located, input, hash.as_deref(), expected.as_deref())?;
    let shown = located.to_string();
    let mut warnings = Vec::new();
    let Some(held) = present else {
        if input.content.contains("⟦secret:") {
            warnings.push(placeholder_warning());
        }
        let masked = writing.masker.mask(&input.content);
        let preview = unified(&shown, None, &masked, PREVIEW);
        let change = Change::new(located, None, input.content.clone().into_bytes());
        return Ok((Plan { change, diff: None, warnings }, preview));
    };
    let sniffed = sniff(held.bytes(), true);
    let bytes = encoded(&input.content, sniffed, &mut warnings);
    let old = text_of(held.bytes(), sniffed);
    keep_secrets(writing, &located, &old, &input.content, &mut warnings)?;
    let (was, is) = (Ends::of(&old), Ends::of(&input.content));
    if was == Ends::Crlf && is == Ends::Lf {
        warnings.push(Warning::new(
            LINE_ENDINGS_CHANGED,
            "The lines of the file ended in \\r\\n and end in \\n now; write \\r\\n to keep them.",
        ));
    }
    let (before, after) = (writing.masker.mask(&old), writing.masker.mask(&input.content));
    let diff = unified(&shown, Some(&before), &after, diff_room);
    let preview = unified(&shown, Some(&before), &after, PREVIEW);
    Ok((Plan { change: Change::new(located, hash, bytes), diff: Some(diff), warnings }, preview))
}

/// The file as it is, if there is one.
fn present(tree: &Tree, located: &Located, max_bytes: usize) -> Result<Option<Held>, ToolError> {
    let Some(root) = tree.workspace() else { return Ok(None) };
    match root.hold(&located.path, max_bytes) {
        Ok(held) => Ok(Some(held)),
        // A part of the path that is a file shows when the folders are made.
        Err(RootError::NotFound { .. }) => Ok(None),
        Err(error) => Err(located.write_error(error)),
    }
}

/// Whether what is there may be replaced.
fn check(
    located: &Located,
    input: &Input,
    present: Option<&str>,
    expected: Option<&str>,
) -> Result<(), ToolError> {
    let Some(present) = present else {
        return match &input.expected_hash {
            None => Ok(()),
            Some(_) => Err(ToolError::new(
                STALE_FILE,
                format!("{located} is not there any more; nothing was written."),
            )
            .hint("Leave expected_hash out to create it.")),
        };
    };
    if input.mode == Some(Mode::Create) {
        return Err(ToolError::new(FILE_EXISTS, format!("{located} exists already."))
            .hint("Choose another name, or change the file with file_edit."));
    }
    match expected {
        Some(expected) if expected == present => Ok(()),
        // A hash that was named is a condition, whatever the mode.
        Some(_) if input.mode == Some(Mode::Overwrite) && input.expected_hash.is_none() => Ok(()),
        Some(_) => Err(stale(located)),
        None if input.mode == Some(Mode::Overwrite) => Ok(()),
        None => Err(ToolError::new(FILE_EXISTS, format!("{located} exists, and this run has not read it."))
            .hint("Read it first, or say mode overwrite if what it holds may be lost.")),
    }
}

/// A rewritten file must not hold placeholders where its secrets were.
fn keep_secrets(
    writing: &Writing,
    located: &Located,
    old: &str,
    content: &str,
    warnings: &mut Vec<Warning>,
) -> Result<(), ToolError> {
    if !content.contains("⟦secret:") {
        return Ok(());
    }
    let traced = writing.masker.trace(old);
    let stands_for_one = |placeholder: &str| content.contains(placeholder) && !old.contains(placeholder);
    let mut placeholders = traced.spans().iter().filter_map(|span| traced.text().get(span.masked.clone()));
    if placeholders.any(stands_for_one) {
        return Err(ToolError::new(
            SECRET_WOULD_BE_LOST,
            format!("{located} holds a secret whose placeholder is in the content; writing it would lose the secret."),
        )
        .hint("Change the file with file_edit, which keeps its secrets."));
    }
    if content.matches("⟦secret:").count() > old.matches("⟦secret:").count() {
        warnings.push(placeholder_warning());
    }
    Ok(())
}

fn placeholder_warning() -> Warning {
    Warning::new(
        PLACEHOLDER_WRITTEN,
        "The content holds a placeholder ⟦secret:…⟧, which is written as this text: only file_edit puts a secret in its place.",
    )
}

/// The content in the encoding of the file that it replaces.
fn encoded(content: &str, sniffed: Option<Sniffed>, warnings: &mut Vec<Warning>) -> Vec<u8> {
    let Some(sniffed) = sniffed else { return content.as_bytes().to_owned() };
    let mark: &[u8] = match (sniffed.mark, sniffed.charset) {
        (0, _) => &[],
        (_, Charset::Utf16Le) => b"\xFF\xFE",
        (_, Charset::Utf16Be) => b"\xFE\xFF",
        _ => b"\xEF\xBB\xBF",
    };
    match sniffed.charset.encode(content) {
        Ok(bytes) => [mark, &bytes].concat(),
        Err(lacking) => {
            warnings.push(Warning::new(
                ENCODING_CHANGED,
                format!("{} has no '{lacking}', so the file is UTF-8 now.", sniffed.charset.name()),
            ));
            content.as_bytes().to_owned()
        }
    }
}

/// The text of a file; of a binary one nothing.
fn text_of(bytes: &[u8], sniffed: Option<Sniffed>) -> String {
    let Some(sniffed) = sniffed else { return String::new() };
    sniffed.charset.decode(bytes.get(sniffed.mark..).unwrap_or_default()).text
}
