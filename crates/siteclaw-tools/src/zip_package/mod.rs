//! `zip_package`: packs a folder into an archive that a content management system can be given to install.
//!
//! The archive is streamed into a private folder of the workspace, read back whole, and gets its name only then
//! and only if that is free. Secrets, keys, repositories, links and devices are left out and listed. There are
//! limits on files, bytes and depth, and nothing is left of an archive that hits one.

mod gather;
mod pack;

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use siteclaw_core::{Code, Ctx, Effects, Masker, Paging, Planned, Reply, Tool, ToolError, ToolSpec, code};

pub use gather::Skipped;

use crate::CoreParts;
use crate::classify::{PathPolicy, Purpose, Verdict};
use crate::root::{Kind, RelPath, Root};
use crate::roots::{FILE_EXISTS, Located, NOT_A_FOLDER, Place, Roots, Tree};
use gather::Gathered;

/// The tool's name.
pub const NAME: &str = "zip_package";
/// The folder holds more than an archive may.
pub const ARCHIVE_TOO_LARGE: Code = Code::new("ARCHIVE_TOO_LARGE");
/// The archive could not be read back.
pub const ARCHIVE_DAMAGED: Code = Code::new("ARCHIVE_DAMAGED");
/// There is nothing to pack.
pub const NOTHING_TO_PACK: Code = Code::new("NOTHING_TO_PACK");
/// The name is not one that an archive may have.
pub const INVALID_NAME: Code = Code::new("INVALID_NAME");

/// The private folder of the workspace in which archives are made.
const FOLDER: &str = "packages";
/// The most characters of an archive's name.
const MAX_NAME: usize = 100;
/// Files that a preview names.
const PREVIEWED: usize = 20;

/// Settings of `zip_package`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The most files of an archive. Default 50000.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_files: usize,
    /// The most bytes of the files of an archive. Default 2147483648.
    #[schemars(range(min = 1))]
    pub max_bytes: u64,
    /// How many levels of folders are packed. Default 32.
    #[schemars(range(min = 1, max = 60))]
    pub max_depth: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_files: 50_000, max_bytes: 2 << 30, max_depth: 32 }
    }
}

/// What an archive may hold.
#[derive(Clone, Copy, Debug)]
struct Limits {
    files: usize,
    bytes: u64,
    depth: usize,
}

/// Packs one folder.
pub struct ZipPackage {
    roots: Roots,
    masker: Arc<Masker>,
    policy: PathPolicy,
    limits: Limits,
}

impl ZipPackage {
    /// The tool over these roots.
    pub fn new(parts: &CoreParts) -> Self {
        let settings = &parts.settings.zip_package;
        Self {
            roots: parts.roots.clone(),
            masker: Arc::clone(&parts.masker),
            policy: parts.settings.path_policy(),
            limits: Limits {
                files: settings.max_files,
                bytes: settings.max_bytes,
                depth: settings.max_depth,
            },
        }
    }
}

/// Arguments of `zip_package`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The folder to pack: site:/…, workspace:/…, or a path relative to the workspace and, if it is not there, the
    /// site.
    source_dir: String,
    /// The archive's name without .zip, and the folder in it: 1 to 100 letters, digits, _ and -.
    output_name: String,
}

/// What will be packed.
#[derive(Debug)]
pub struct Plan {
    source: Located,
    output: RelPath,
    gathered: Gathered,
}

/// What `zip_package` returns.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// created.
    status: &'static str,
    /// The archive, with its root.
    zip_path: String,
    /// How many files it holds.
    files: usize,
    /// Bytes of the archive.
    size_bytes: u64,
    /// Bytes of the files in it.
    source_bytes: u64,
    /// SHA-256 of the archive.
    sha256: String,
    /// What was left out, and why.
    skipped: Vec<Skipped>,
}

impl Tool for ZipPackage {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new(
            NAME,
            "Packs a folder of the workspace or the site into a zip archive in the workspace, ready to be uploaded.\n\
             All files lie in one folder of the archive's name. Credentials, keys, repositories and links are left out \
             and listed. The archive is verified; an existing one is never replaced.",
        )
        .title("Pack a folder")
        .effects(Effects::WRITES)
        .deadline(Duration::from_secs(300))
        .settings::<Settings>()
        .domains(&["filesystem", "packaging"])
        .tags(&["zip", "archive", "package", "bundle", "compress", "plugin", "theme"])
        .intents(&["package directory", "create zip", "zip a folder"])
        .example("zip up the build folder", json!({"source_dir": "build", "output_name": "build"}))
        .example("pack the plugin so that I can upload it", json!({
            "source_dir": "workspace:/my-plugin", "output_name": "my-plugin"
        }))
    }

    async fn plan(&self, ctx: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        check_name(&input.output_name)?;
        let (policy, masker, limits) = (self.policy.clone(), Arc::clone(&self.masker), self.limits);
        let plan = self
            .roots
            .reading(ctx, move |tree, stop| {
                let source = source(tree, &input.source_dir, &policy)?;
                let output = RelPath::parse(&format!("{FOLDER}/{}.zip", input.output_name))
                    .map_err(|error| source.error(error))?;
                if tree.workspace().is_some_and(|workspace| is_taken(workspace, &output)) {
                    return Err(exists(&output));
                }
                let root = tree.root(source.place)?;
                let gathered =
                    gather::gather(root, &source, &input.output_name, limits, &policy, &masker, stop)?;
                if gathered.files.is_empty() {
                    return Err(ToolError::new(
                        NOTHING_TO_PACK,
                        format!("{source} holds no file that may be packed."),
                    )
                    .with("skipped", gathered.skipped_in_all));
                }
                Ok(Plan { source, output, gathered })
            })
            .await?;
        let preview = preview(&plan);
        let witness = json!({
            "source": plan.source.to_string(), "output": plan.output.to_string(),
            "files": plan.gathered.files.len(), "bytes": plan.gathered.bytes
        });
        Ok(Planned::shown(plan, preview, witness))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let (source, output, mut gathered) =
            (plan.source.clone(), plan.output.clone(), plan.gathered.clone());
        let (limits, watch) = (self.limits, ctx.clone());
        let all = gathered.files.len();
        self.roots
            .writing(ctx, move |tree, stop| {
                let at = Located { place: Place::Workspace, path: output };
                let workspace = tree.root(Place::Workspace)?;
                let folder = RelPath::parse(FOLDER).map_err(|error| at.write_error(error))?;
                workspace.make_private_folder(&folder).map_err(|error| at.write_error(error))?;
                let mut draft = workspace.draft(&at.path, true).map_err(|error| at.write_error(error))?;
                let root = tree.root(source.place)?;
                let progress = |done: usize| {
                    if done.is_multiple_of(500) {
                        watch.progress(format!("{done} of {all} files"), Some(done as f64 / all as f64));
                    }
                };
                let packed = pack::pack(root, &source, &mut gathered, &mut draft, limits, stop, progress)?;
                if packed.files.is_empty() {
                    return Err(ToolError::new(NOTHING_TO_PACK, format!("{source} holds no file any more.")));
                }
                draft.create(|| !stop.is_set()).map_err(|error| match error {
                    crate::root::RootError::Exists { .. } => exists(&at.path),
                    other => at.write_error(other),
                })?;
                Ok(reply(&at, packed, gathered))
            })
            .await
    }
}

fn reply(at: &Located, packed: pack::Packed, gathered: Gathered) -> Reply<Output> {
    Reply::new(Output {
        status: "created",
        zip_path: at.to_string(),
        files: packed.files.len(),
        size_bytes: packed.size,
        source_bytes: packed.source_bytes,
        sha256: packed.sha256,
        skipped: gathered.skipped,
    })
    .mode("package")
    .meta("skipped_in_all", gathered.skipped_in_all)
    .list("skipped", Paging::Whole)
}

/// The folder that is packed.
fn source(tree: &Tree, path: &str, policy: &PathPolicy) -> Result<Located, ToolError> {
    let source = tree.to_read(path)?;
    if let Verdict::Refused(reason) = policy.judge_folder(Purpose::Archive, &source.path) {
        return Err(PathPolicy::refusal(Purpose::Archive, &source.to_string(), reason));
    }
    let found = tree.root(source.place)?.metadata(&source.path).map_err(|error| source.error(error))?;
    if found.kind != Kind::Folder {
        return Err(ToolError::new(NOT_A_FOLDER, format!("{source} is no folder.")));
    }
    if source.place == Place::Workspace && source.path.as_path().starts_with(FOLDER) {
        return Err(ToolError::new(
            code::INVALID_ARGUMENT,
            format!("{source} holds archives that were made before."),
        )
        .hint("Name the folder that is to be packed."));
    }
    Ok(source)
}

/// Whether something bears the name; a link does too.
fn is_taken(workspace: &Root, output: &RelPath) -> bool {
    !matches!(
        workspace.metadata(output),
        Err(crate::root::RootError::NotFound { .. } | crate::root::RootError::NotADirectory { .. })
    )
}

fn exists(output: &RelPath) -> ToolError {
    ToolError::new(
        FILE_EXISTS,
        format!("workspace:/{output} exists already, and archives are never replaced."),
    )
    .hint("Choose another output_name.")
}

/// Names are refused, not repaired: an archive must have the name that was asked for.
fn check_name(name: &str) -> Result<(), ToolError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let device = ["con", "prn", "aux", "nul"].contains(&name.to_ascii_lowercase().as_str())
        || (name.len() == 4
            && name
                .get(..3)
                .is_some_and(|port| ["com", "lpt"].contains(&port.to_ascii_lowercase().as_str()))
            && name.ends_with(|c: char| c.is_ascii_digit()));
    if (1..=MAX_NAME).contains(&name.len()) && name.chars().all(plain) && !device && !name.starts_with('-') {
        return Ok(());
    }
    let shown = siteclaw_core::sanitise_fragment(name, 64);
    Err(ToolError::new(INVALID_NAME, format!("'{shown}' is no name for an archive."))
        .hint("Use 1 to 100 letters, digits, _ and -, no - first, without .zip."))
}

/// What a person sees before approving.
fn preview(plan: &Plan) -> String {
    let Gathered { files, bytes, skipped, skipped_in_all } = &plan.gathered;
    let mut lines =
        vec![format!("{} → workspace:/{}: {} files, {bytes} bytes", plan.source, plan.output, files.len())];
    lines.extend(files.iter().take(PREVIEWED).map(|file| format!("  {} ({} bytes)", file.name, file.size)));
    if files.len() > PREVIEWED {
        lines.push(format!("  … {} more", files.len() - PREVIEWED));
    }
    if *skipped_in_all > 0 {
        lines.push(format!("Left out: {skipped_in_all}"));
        lines.extend(
            skipped.iter().take(PREVIEWED).map(|skipped| format!("  {}: {}", skipped.path, skipped.reason)),
        );
    }
    lines.join("\n")
}
