//! `project_info`: what a folder holds: the platform with its evidence, projects of Composer, npm, Cargo and
//! Python with their packages, and a tree of its folders.
//!
//! Platforms are recognised by detectors that are handed in ([`Platforms`]): this crate knows none. All
//! detectors are asked and scored, so a folder with the marks of two says so. Nothing is run, links are not
//! followed, and names that tell of secrets are left out and counted.

mod manifests;
mod tree;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use siteclaw_core::{Code, Ctx, Planned, Reply, Stop, Tool, ToolError, ToolSpec, code};

pub use manifests::{Package, Project};
pub use tree::{Node, NodeType};

use crate::CoreParts;
use crate::classify::{PathPolicy, Purpose, Verdict};
use crate::root::{Kind, RelPath, Root};
use crate::roots::{Located, NOT_A_FOLDER, Place, Roots};

/// The tool's name.
pub const NAME: &str = "project_info";
/// The folder is none that may be inspected.
pub const ROOT_INVALID: Code = Code::new("ROOT_INVALID");

/// Characters of an answer beside platforms, packages and tree.
const FRAME: usize = 900;

/// Recognises platforms in a folder.
pub trait Platforms: Send + Sync + 'static {
    /// What speaks for each platform, the best first; platforms that nothing speaks for are left out. Looks at
    /// bounded parts of files beneath the folder and at nothing else.
    fn examine(&self, folder: &Root) -> Vec<Platform>;
}

/// Recognises nothing: for a program that brings no platforms.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPlatforms;

impl Platforms for NoPlatforms {
    fn examine(&self, _: &Root) -> Vec<Platform> {
        Vec::new()
    }
}

/// A platform that a folder may hold.
#[derive(Clone, Debug, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Platform {
    /// Its name, in lower case.
    pub platform: String,
    /// 0 to 100: how much speaks for it; from 60 on it counts as recognised.
    pub score: u8,
    /// Its version, if a file states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where the version is stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version_source: Option<String>,
    /// A distribution or product on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// What was found.
    pub evidence: Vec<Mark>,
}

/// One thing that speaks for or against a platform.
#[derive(Clone, Debug, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Mark {
    /// Where, relative to the folder.
    pub path: String,
    /// Points, negative for what speaks against.
    pub weight: i16,
    /// What it shows.
    pub meaning: String,
}

/// From this score on a platform counts as recognised.
const ENOUGH: u8 = 60;

/// Tells what a folder holds.
pub struct ProjectInfo {
    roots: Roots,
    platforms: Arc<dyn Platforms>,
    policy: PathPolicy,
}

impl ProjectInfo {
    /// The tool over these roots and detectors.
    pub fn new(parts: &CoreParts) -> Self {
        Self {
            roots: parts.roots.clone(),
            platforms: Arc::clone(&parts.platforms),
            policy: parts.settings.path_policy(),
        }
    }
}

/// Arguments of `project_info`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// How many levels of folders the tree shows. Default 2.
    #[schemars(range(min = 1, max = 4))]
    depth: Option<usize>,
    /// The folder. Default the site, or the workspace where there is no site.
    path: Option<String>,
    /// The most files and folders in the tree. Default 200.
    #[schemars(range(min = 1, max = 1000))]
    max_entries: Option<usize>,
}

/// What is to be looked at.
#[derive(Clone, Debug)]
pub struct Plan {
    path: Option<String>,
    depth: usize,
    max_entries: usize,
}

/// What `project_info` returns.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The platform that was recognised, else unknown.
    framework: String,
    /// The folder.
    root: String,
    /// The platforms that something speaks for, the best first.
    platforms: Vec<Platform>,
    /// The projects in the folder itself.
    projects: Vec<Project>,
    /// Packages of the projects with their versions.
    packages: Vec<Package>,
    /// Folders and files, sorted by name.
    file_tree: Vec<Node>,
}

impl Tool for ProjectInfo {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new(
            NAME,
            "Shows what the site or a folder is: platform and version with the evidence, packages, and a tree of its folders.\n\
             Call it first on a new task about files. It only reads.",
        )
        .title("Project overview")
        .default(true)
        .domains(&["project"])
        .tags(&["project", "framework", "packages", "composer", "structure", "tree", "dependencies", "folders"])
        .intents(&["inspect project", "detect framework", "show the folder structure", "list installed packages"])
        .example("what framework is this project", json!({}))
        .example("show the structure of the theme folder", json!({"path": "site:/wp-content/themes", "depth": 3}))
    }

    async fn plan(&self, _: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        if let Some(path) = &input.path {
            Located::parse(path)?;
        }
        Ok(Planned::run(Plan {
            path: input.path,
            depth: input.depth.unwrap_or(2).clamp(1, tree::MAX_DEPTH),
            max_entries: input.max_entries.unwrap_or(200),
        }))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let (plan, platforms, policy) = (plan.clone(), Arc::clone(&self.platforms), self.policy.clone());
        let room = ctx.budget().saturating_sub(FRAME);
        self.roots
            .reading(ctx, move |roots, stop| {
                let located = match &plan.path {
                    Some(path) => roots.to_read(path)?,
                    None => {
                        let place =
                            if roots.root(Place::Site).is_ok() { Place::Site } else { Place::Workspace };
                        Located { place, path: RelPath::root() }
                    }
                };
                inspect(roots.root(located.place)?, &located, &plan, platforms.as_ref(), &policy, room, stop)
            })
            .await
    }
}

fn inspect(
    root: &Root,
    located: &Located,
    plan: &Plan,
    platforms: &dyn Platforms,
    policy: &PathPolicy,
    room: usize,
    stop: &Stop,
) -> Result<Reply<Output>, ToolError> {
    let metadata = root.metadata(&located.path).map_err(|error| located.error(error))?;
    if metadata.kind != Kind::Folder {
        return Err(ToolError::new(NOT_A_FOLDER, format!("{located} is no folder.")));
    }
    if let Verdict::Refused(reason) = policy.judge_folder(Purpose::Search, &located.path) {
        return Err(PathPolicy::refusal(Purpose::Search, &located.to_string(), reason));
    }
    let folder = root.folder(&located.path).map_err(|error| located.error(error))?;
    if folder.path().parent().is_none() {
        return Err(ToolError::new(ROOT_INVALID, "The root of the file system is no project.")
            .hint("Name a folder in it."));
    }
    let mut found = platforms.examine(&folder);
    // Evidence has at most a quarter of the room, packages a third of what is left, the tree the rest.
    let mut left = room;
    let evidence = cut(&mut found, left / 4);
    left -= evidence;
    let (projects, mut packages) = manifests::find(&folder, &RelPath::root());
    let named = packages.len();
    left = left.saturating_sub(size(&projects));
    left -= cut(&mut packages, left / 3);
    let tree = tree::build(root, &located.path, plan.depth, plan.max_entries, left, policy, stop)?;
    let framework = found.first().filter(|best| best.score >= ENOUGH).map(|best| best.platform.clone());
    let left_out = named - packages.len();
    let mut reply = Reply::new(Output {
        framework: framework.unwrap_or_else(|| "unknown".to_owned()),
        root: located.to_string(),
        platforms: found,
        projects,
        packages,
        file_tree: tree.nodes,
    })
    .mode("project_info")
    .meta("depth", plan.depth)
    .meta("entries", tree.shown)
    .meta("truncated", tree.left_out > 0 || left_out > 0);
    if tree.left_out > 0 {
        reply = reply.meta("entries_left_out", tree.left_out);
    }
    if tree.hidden > 0 {
        reply = reply.meta("secret_names_left_out", tree.hidden);
    }
    if left_out > 0 {
        let text = format!("{left_out} of {named} packages are left out; file_read shows the lock file.");
        reply = reply.meta("packages_left_out", left_out).warn(code::OUTPUT_TRUNCATED, text);
    }
    Ok(reply)
}

/// Drops rows from the end until the rest fits, and tells what the rest takes.
fn cut<T: Serialize>(rows: &mut Vec<T>, room: usize) -> usize {
    let mut taken = 0;
    let fitting = rows.iter().take_while(|row| {
        let cost = size(row) + 1;
        let fits = taken + cost <= room;
        if fits {
            taken += cost;
        }
        fits
    });
    let kept = fitting.count();
    rows.truncate(kept);
    taken
}

fn size(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.chars().count())
}
