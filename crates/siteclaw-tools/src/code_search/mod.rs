//! `code_search`: lines of files that match a pattern.
//!
//! The files of the site and the workspace are walked in one order and searched by several threads with ripgrep's
//! libraries; a page costs about what it shows, and the next one goes on where it ended. Patterns take time in
//! proportion to the text. Ignore files of a repository hold, and what was left out is told with the reason.
//!
//! Refused: patterns that are too large or that need back-tracking, folders that the tools do not enter, links.
//! Files that hold credentials by their name are passed over. In any other file with a secret it is the masked text
//! that is searched: a pattern never finds what a page would not show.

mod cursor;
mod file;
mod gather;
mod ignores;
mod pattern;
mod rows;
mod skipped;
mod walk;

use std::sync::Arc;
use std::time::{Duration, Instant};

use grep_regex::RegexMatcher;
use ignore::overrides::{Override, OverrideBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use siteclaw_core::{
    Code, Ctx, Masker, Planned, Reply, Stop, Tool, ToolError, ToolSpec, code, sanitise_fragment,
};

use crate::CoreParts;
use crate::classify::{PathPolicy, Purpose, Verdict};
use crate::root::{Kind, RelPath};
use crate::roots::{Located, Place, Roots, Tree};
use crate::text::json_cost;

use cursor::{Cursor, Resume};
use gather::{Gathered, Halt, Search, gather};
use pattern::{Case, Read, Wanted, compile};
use skipped::Skips;
use walk::{Filter, Start, Walk};

pub use pattern::INVALID_PATTERN;
pub use rows::Row;
pub use skipped::Skipped;

/// The tool's name.
pub const NAME: &str = "code_search";
/// The cursor is none, or of another search.
pub const INVALID_CURSOR: Code = Code::new("INVALID_CURSOR");
/// A pattern for paths cannot be read.
pub const INVALID_GLOB: Code = Code::new("INVALID_GLOB");

const MAX_LIMIT: u32 = 1000;
/// Characters of a result that go to everything but the rows.
const FRAME: usize = 2400;
/// Of these, what the list of skipped files may take.
const SKIPPED: usize = 1400;

/// Settings of `code_search`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The most bytes of rows in one result. Default 8192.
    #[schemars(range(min = 1024, max = 1_048_576))]
    pub max_bytes: usize,
    /// Time after which a search gives what it has, in seconds. Default 20.
    #[schemars(range(min = 1, max = 25))]
    pub seconds: u32,
    /// Longer files are skipped, in bytes. Default 268435456.
    #[schemars(range(min = 1))]
    pub max_file_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_bytes: 8192, seconds: 20, max_file_bytes: 256 * 1024 * 1024 }
    }
}

/// Searches files.
pub struct CodeSearch {
    roots: Roots,
    masker: Arc<Masker>,
    policy: PathPolicy,
    settings: Settings,
}

impl CodeSearch {
    /// The tool over these roots.
    pub fn new(parts: &CoreParts) -> Self {
        Self {
            roots: parts.roots.clone(),
            masker: Arc::clone(&parts.masker),
            policy: parts.settings.path_policy(),
            settings: parts.settings.code_search.clone(),
        }
    }
}

/// Arguments of `code_search`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text to look for, within one line; with is_regex a regular expression, between delimiters (/…/i) or not.
    #[schemars(length(min = 1, max = 1000))]
    pattern: String,
    /// Whether pattern is a regular expression. Look-around and back-references are not available. Default false.
    #[serde(default)]
    is_regex: bool,
    /// A folder or file: site:/…, workspace:/… or a relative path. Default: the site, then the workspace.
    path: Option<String>,
    /// Only files with this extension, such as php.
    #[schemars(length(min = 1, max = 32))]
    extension: Option<String>,
    /// Only paths that match one of these, such as *.php or themes/**; with ! before it, none that match.
    #[serde(default)]
    #[schemars(length(max = 20))]
    glob: Vec<String>,
    /// How letters are compared; smart is insensitive unless pattern has a capital. Default sensitive.
    #[serde(default)]
    case: Case,
    /// Only whole words. Default false.
    #[serde(default)]
    word: bool,
    /// Lines shown before and after each match. Default 0.
    #[schemars(range(min = 0, max = 5))]
    context_lines: Option<u32>,
    /// Whether files that .gitignore or .ignore leave out are searched too. Default false.
    #[serde(default)]
    include_ignored: bool,
    /// The most rows. Default: as many as fit.
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    limit: Option<u32>,
    /// next_cursor of the page before, with all other arguments unchanged.
    #[schemars(length(min = 1, max = 13_000))]
    cursor: Option<String>,
}

/// What will be searched.
pub struct Plan {
    matcher: RegexMatcher,
    read: Read,
    globs: Override,
    extension: Option<String>,
    include_ignored: bool,
    path: Option<String>,
    context: usize,
    limit: usize,
    cursor: Option<Cursor>,
    /// Whether the text would mean something else as a regular expression.
    looks_like_regex: bool,
}

/// What `code_search` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Lines with a match, in the order of paths and lines.
    results: Vec<Row>,
    /// Whether there is more.
    truncated: bool,
    /// Where the next page begins; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// What was left out on the way, by reason.
    skipped: Vec<Skipped>,
}

impl Tool for CodeSearch {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new(
            NAME,
            "Finds a text or a regular expression in the files of the site and the workspace, line by line.\n\
             Rows come in the order of paths and lines with the line and its number; page with next_cursor. Credentials \
             are never found. Files that a repository ignores, packages (vendor, node_modules) and binary files are \
             left out, and skipped says so.",
        )
        .title("Search files")
        .short("Finds a text or regular expression in files.")
        .default(true)
        .content_fields(&["pattern"])
        .field_code("limit", code::INVALID_LIMIT)
        .settings::<Settings>()
        .domains(&["code", "search"])
        .tags(&["grep", "find", "search", "pattern", "regex", "occurrences", "usage", "code", "files"])
        .intents(&["search code", "find pattern", "locate usage", "where is it used"])
        .example("find every call to buildPayload", json!({"pattern": "buildPayload(", "context_lines": 1}))
        .example("which plugin files register a shortcode", json!({
            "pattern": "add_shortcode\\s*\\(", "is_regex": true, "path": "site:/wp-content/plugins", "extension": "php"
        }))
    }

    async fn plan(&self, ctx: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        if let Some(path) = &input.path {
            Located::parse(path)?;
        }
        let cursor = input.cursor.as_deref().map(Cursor::read).transpose()?;
        let globs = globs(&input.glob)?;
        let extension =
            input.extension.as_deref().map(|text| text.trim().trim_start_matches('.').to_lowercase());
        let (path, include_ignored) = (input.path.clone(), input.include_ignored);
        let context = input.context_lines.unwrap_or(0) as usize;
        let limit = input.limit.unwrap_or(MAX_LIMIT) as usize;
        let looks_like_regex =
            !input.is_regex && input.pattern.contains(['\\', '*', '|', '[', '^', '$', '+', '?', '/']);
        // A large pattern takes a moment to compile.
        let compiled = ctx.blocking(move |_| {
            let Input { pattern, is_regex, case, word, .. } = input;
            compile(&Wanted { pattern: &pattern, is_regex, case, word })
        });
        let (matcher, read) = compiled.await?;
        Ok(Planned::run(Plan {
            matcher,
            read,
            globs,
            extension,
            include_ignored,
            path,
            context,
            limit,
            cursor,
            looks_like_regex,
        }))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let room = ctx.budget().saturating_sub(FRAME).min(self.settings.max_bytes);
        let job = Job {
            matcher: plan.matcher.clone(),
            filter: Filter {
                globs: plan.globs.clone(),
                extension: plan.extension.clone(),
                include_ignored: plan.include_ignored,
                policy: self.policy.clone(),
            },
            masker: Arc::clone(&self.masker),
            settings: self.settings.clone(),
            path: plan.path.clone(),
            context: plan.context,
            limit: plan.limit,
            room,
            cursor: plan.cursor.clone(),
        };
        let page = self.roots.reading(ctx, move |tree, stop| job.run(tree, stop)).await?;
        Ok(reply(page, plan))
    }
}

fn globs(patterns: &[String]) -> Result<Override, ToolError> {
    let wrong = |pattern: &str, error: &ignore::Error| {
        let (pattern, reason) = (sanitise_fragment(pattern, 100), sanitise_fragment(&error.to_string(), 200));
        ToolError::new(INVALID_GLOB, format!("'{pattern}' is no pattern for paths: {reason}."))
            .hint("* stands for any name or part of one, ** for any folders, ? for one character, {a,b} for either.")
    };
    let mut builder = OverrideBuilder::new("");
    for pattern in patterns {
        builder.add(pattern).map_err(|error| wrong(pattern, &error))?;
    }
    builder.build().map_err(|error| wrong("glob", &error))
}

/// A search as a thread does it.
struct Job {
    matcher: RegexMatcher,
    filter: Filter,
    masker: Arc<Masker>,
    settings: Settings,
    path: Option<String>,
    context: usize,
    limit: usize,
    room: usize,
    cursor: Option<Cursor>,
}

/// What a job gives.
struct Page {
    rows: Vec<Row>,
    skips: Skips,
    files: u64,
    /// Rows that are known to be there, these included.
    known: usize,
    next: Option<Cursor>,
    /// Whether there is more.
    more: bool,
    /// Whether there may be more because the time was over.
    late: bool,
    /// Whether all files were searched, from the first one on.
    complete: bool,
}

impl Job {
    fn run(&self, tree: &Tree, stop: &Stop) -> Result<Page, ToolError> {
        let halt_at = Instant::now() + Duration::from_secs(self.settings.seconds.into());
        let mut page = Page {
            rows: Vec::new(),
            skips: Skips::default(),
            files: 0,
            known: 0,
            next: None,
            more: false,
            late: false,
            complete: self.cursor.is_none(),
        };
        let mut room = self.room;
        for at in self.starts(tree)? {
            let halt = Halt::new(stop, halt_at);
            let most = (self.limit - page.rows.len()).saturating_add(1);
            let gathered = self.search(tree, &at, &halt, most, room)?;
            if stop.is_set() {
                return Err(ToolError::new(code::CANCELLED, "The search was stopped."));
            }
            page.skips.extend(gathered.skips);
            page.files += gathered.files;
            page.known += gathered.rows.len();
            for row in gathered.rows {
                let cost = row.cost();
                if page.rows.len() == self.limit || (cost > room && !page.rows.is_empty()) {
                    break;
                }
                room = room.saturating_sub(cost);
                page.rows.push(row);
            }
            if page.rows.len() < page.known || !gathered.complete {
                page.late = gathered.late && page.rows.len() == page.known;
                page.complete = false;
                page.more = true;
                page.next = self.next(&page, gathered.last, at.place);
                break;
            }
        }
        Ok(page)
    }

    /// Where the next page begins: after the last row, or after the last file when the time was over.
    fn next(&self, page: &Page, last: Option<RelPath>, place: Place) -> Option<Cursor> {
        if page.late {
            let after = last.map(|path| Cursor { place, path, line: u64::MAX });
            return after.or_else(|| self.cursor.clone());
        }
        let row = page.rows.last()?;
        Some(Cursor { place: row.at.place, path: row.at.path.clone(), line: row.line })
    }

    /// The folders or files in which the search begins, those before the cursor left out.
    fn starts(&self, tree: &Tree) -> Result<Vec<Located>, ToolError> {
        let mut starts = match &self.path {
            Some(path) => vec![self.start(tree, path)?],
            None => {
                let whole = |place| Located { place, path: RelPath::root() };
                let there =
                    [Place::Site, Place::Workspace].into_iter().filter(|place| tree.root(*place).is_ok());
                let starts: Vec<Located> = there.map(whole).collect();
                if starts.is_empty() {
                    tree.root(Place::Workspace)?;
                }
                starts
            }
        };
        if let Some(cursor) = &self.cursor {
            let beneath = |at: &Located| {
                at.place == cursor.place && cursor.path.as_path().starts_with(at.path.as_path())
            };
            let Some(first) = starts.iter().position(beneath) else {
                return Err(ToolError::new(
                    INVALID_CURSOR,
                    "The cursor belongs to a search in another place.",
                )
                .hint("Leave cursor out, or repeat the arguments of the page before."));
            };
            starts.drain(..first);
        }
        Ok(starts)
    }

    fn start(&self, tree: &Tree, path: &str) -> Result<Located, ToolError> {
        let at = tree.to_read(path)?;
        let metadata = tree.root(at.place)?.metadata(&at.path).map_err(|error| at.error(error))?;
        let verdict = match metadata.kind {
            Kind::Folder => self.filter.policy.judge_folder(Purpose::Search, &at.path),
            _ => self.filter.policy.judge(Purpose::Search, &at.path),
        };
        match verdict {
            Verdict::Refused(reason) => Err(PathPolicy::refusal(Purpose::Search, &at.to_string(), reason)),
            Verdict::Allowed | Verdict::IfHarmless => Ok(at),
        }
    }

    fn search(
        &self,
        tree: &Tree,
        at: &Located,
        halt: &Halt<'_>,
        most: usize,
        room: usize,
    ) -> Result<Gathered, ToolError> {
        let cursor = self.cursor.as_ref().filter(|cursor| cursor.place == at.place);
        let resume = cursor.and_then(|cursor| Resume::new(cursor, &at.path));
        let root = tree.root(at.place)?;
        let walk = Walk::new(&self.filter, Start { root, at, resume })?;
        let search = Search {
            matcher: &self.matcher,
            masker: &self.masker,
            filter: &self.filter,
            context: self.context,
            max_bytes: self.settings.max_file_bytes,
            most,
            room,
        };
        Ok(gather(&search, at.place, walk, halt))
    }
}

fn reply(page: Page, plan: &Plan) -> Reply<Output> {
    let next_cursor = page.next.as_ref().map(Cursor::write);
    let truncated = page.more;
    let shown = page.rows.len();
    let mut reply = Reply::new(Output {
        results: page.rows,
        truncated,
        next_cursor,
        skipped: fitted(page.skips.list(), SKIPPED),
    })
    .mode("search")
    .meta("truncated", truncated)
    .meta("matches_returned", shown)
    .meta("files_searched", page.files)
    .meta("pattern_read_as", plan.read.name());
    if page.complete {
        reply = reply.meta("matches_total", shown);
    } else if plan.cursor.is_none() {
        reply = reply.meta("matches_at_least", page.known);
    }
    if page.late {
        reply = reply.warn(
            code::OUTPUT_TRUNCATED,
            "The time for one search was over before all files were searched. Go on with next_cursor, or narrow path.",
        );
    }
    if shown == 0 && plan.looks_like_regex {
        reply = reply.meta(
            "hint",
            "Nothing has this text as it stands. Set is_regex to look for it as a regular expression.",
        );
    }
    reply
}

/// The list with as many examples as there is room for.
fn fitted(mut list: Vec<Skipped>, room: usize) -> Vec<Skipped> {
    let mut left = room;
    for skipped in &mut list {
        skipped.keep_examples(|example| {
            let cost = json_cost(example) + 3;
            left.checked_sub(cost).map(|less| left = less).is_some()
        });
    }
    list
}
