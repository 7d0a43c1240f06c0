//! `file_read`: the text of one file, a page at a time.
//!
//! A page begins at a line or at a byte of a file of any size; memory stays the same. What does not fit the
//! size limit is had with the next offset, and nothing is cut in the middle of a line that would have fit a
//! page. The text is masked together with what stands around the page, so that a secret across the cut does
//! not show.
//!
//! Refused: what [`PathPolicy`] refuses, links, what is no regular file, binary files, and files that may hold
//! credentials and do.

mod page;
mod slice;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use siteclaw_core::{
    Code, Ctx, Eligibility, Masker, Planned, Reply, Tool, ToolError, ToolSpec, Warning, code,
};

use crate::classify::{PathPolicy, Purpose};
use crate::roots::{Located, Roots};
use crate::{CoreParts, FilesSeen};
use page::{Page, Room};

/// The tool's name.
pub const NAME: &str = "file_read";
/// The file is no text.
pub const BINARY_FILE: Code = Code::new("BINARY_FILE");
/// Some bytes stand for no character of the file's encoding (warning).
pub const INVALID_BYTES: Code = Code::new("INVALID_BYTES");

/// Files up to this many bytes have a hash in the result, by which they can be edited: file_edit takes no
/// longer ones.
pub const HASHED_BYTES: u64 = 2 * 1024 * 1024;

/// Settings of `file_read`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The most bytes of text in one result. Default 16384.
    #[schemars(range(min = 256, max = 1_048_576))]
    pub max_bytes: usize,
    /// Whether files in vendor and node_modules are read. Default false.
    pub packages: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_bytes: 16_384, packages: false }
    }
}

/// Reads one file.
pub struct FileRead {
    roots: Roots,
    masker: Arc<Masker>,
    policy: PathPolicy,
    max_bytes: usize,
}

impl FileRead {
    /// The tool over these roots.
    pub fn new(parts: &CoreParts) -> Self {
        let settings = &parts.settings.file_read;
        Self {
            roots: parts.roots.clone(),
            masker: Arc::clone(&parts.masker),
            policy: parts.settings.path_policy(),
            max_bytes: settings.max_bytes,
        }
    }
}

/// Arguments of `file_read`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file: site:/…, workspace:/…, or a path relative to the workspace and, if it is not there, the site.
    path: String,
    /// The first line, from 1. Default 1.
    #[schemars(range(min = 1))]
    offset: Option<u64>,
    /// The most lines. Default: as many as fit.
    #[schemars(range(min = 1))]
    limit: Option<u64>,
    /// The first byte, from 0, in place of offset: for files with very long lines.
    byte_offset: Option<u64>,
    /// Whether each line begins with its number and a tab. Default false.
    #[serde(default)]
    line_numbers: bool,
}

/// Where a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// At this line, from 1.
    Line(u64),
    /// At this byte, from 0.
    Byte(u64),
}

/// What is to be read.
#[derive(Clone, Debug)]
pub struct Plan {
    path: String,
    start: Start,
    limit: Option<u64>,
    line_numbers: bool,
    /// Whether lines were asked for: then the end of the last one is left out.
    lines: bool,
}

/// What `file_read` returns.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The file, with its root.
    path: String,
    /// The text with its own line ends. Where lines were asked for, the end of the last one is left out.
    content: String,
    /// The first line that was not returned; absent at the end of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// The first byte that was not returned; absent at the end of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_byte_offset: Option<u64>,
    /// SHA-256 of the whole file, for expected_hash; absent for files that are too long to edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

impl Tool for FileRead {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new(
            NAME,
            "Reads the text of one file of the site or the workspace, whole or by lines.\n\
             A long file comes in pages: go on with offset = next_offset, or byte_offset = next_byte_offset. Secrets \
             stand as ⟦secret:…⟧. With line_numbers each line begins with its number and a tab, which are not part of \
             the file: never copy them into file_edit.",
        )
        .title("Read a file")
        .default(true)
        .eligibility(Eligibility::Allowed)
        .field_code("offset", code::INVALID_OFFSET)
        .field_code("byte_offset", code::INVALID_OFFSET)
        .field_code("limit", code::INVALID_LIMIT)
        .settings::<Settings>()
        .domains(&["filesystem"])
        .tags(&["read", "open", "file", "contents", "content", "view", "show", "lines"])
        .intents(&["read file", "show contents", "open the file"])
        .example("show me the contents of app.log", json!({"path": "app.log"}))
        .example("lines 200 to 240 of the theme's functions.php", json!({
            "path": "site:/wp-content/themes/shop/functions.php", "offset": 200, "limit": 41, "line_numbers": true
        }))
    }

    async fn plan(&self, _: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        let start = match (input.offset, input.byte_offset) {
            (Some(_), Some(_)) => {
                return Err(ToolError::new(
                    code::CONFLICTING_MODES,
                    "offset counts lines and byte_offset counts bytes; give one of them.",
                ));
            }
            (_, Some(_)) if input.line_numbers => {
                return Err(ToolError::new(
                    code::CONFLICTING_MODES,
                    "line_numbers needs lines to be counted from the start of the file; byte_offset does not count them.",
                ));
            }
            (_, Some(byte)) => Start::Byte(byte),
            (line, None) => Start::Line(line.unwrap_or(1)),
        };
        // What is wrong with the words alone is said before anything is looked at.
        Located::parse(&input.path)?;
        let lines = input.offset.is_some() || input.limit.is_some() || input.line_numbers;
        let Input { path, limit, line_numbers, .. } = input;
        Ok(Planned::run(Plan { path, start, limit, line_numbers, lines }))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let (plan, masker, policy) = (plan.clone(), self.masker.clone(), self.policy.clone());
        let room = Room::of(ctx.budget(), self.max_bytes);
        let (page, located) = self
            .roots
            .reading(ctx, move |tree, stop| {
                let located = tree.to_read(&plan.path)?;
                policy.admit(Purpose::Read, &located)?;
                let page = page::read(tree, &located, &plan, &masker, &policy, room, stop)?;
                Ok((page, located))
            })
            .await?;
        if let Some(hash) = &page.hash {
            FilesSeen::note(ctx, &located, hash)?;
        }
        Ok(reply(page, &located))
    }
}

fn reply(page: Page, located: &Located) -> Reply<Output> {
    let mut warnings = Vec::new();
    if page.invalid > 0 {
        warnings.push(Warning::new(
            INVALID_BYTES,
            format!("{} places of the text are no {}; they show as U+FFFD.", page.invalid, page.charset),
        ));
    }
    let bytes = page.content.len();
    let truncated = page.next_byte_offset.is_some();
    Reply::new(Output {
        path: located.to_string(),
        content: page.content,
        next_offset: page.next_offset,
        next_byte_offset: page.next_byte_offset,
        hash: page.hash,
    })
    .mode("read")
    .meta("bytes", bytes)
    .meta("truncated", truncated)
    .meta("size_bytes", page.size)
    .meta("encoding", page.charset)
    .meta("line_endings", page.ends)
    .warnings(warnings)
}
