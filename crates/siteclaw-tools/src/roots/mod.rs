//! The two roots of the file tools: `site:/`, which is only read, and `workspace:/`, which is also written.
//!
//! A path is `site:/…`, `workspace:/…` or bare. A bare path means the workspace where something is written;
//! where something is read it means the workspace if it has such a file, else the site. Results name the
//! root. Absolute paths and paths that climb out are refused, links are not followed, and nothing of the
//! program's own state or configuration is beneath either root, whatever the operator chose as workspace.
//!
//! All file work runs in the bounded pool and, in a root process, with the rights of the site's owner
//! ([`Identity`]).

mod error;
mod identity;
mod served;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use siteclaw_core::{Ctx, Stop, ToolError, code};

pub use error::{
    FILE_EXISTS, FILE_TOO_LARGE, NOT_A_FILE, NOT_A_FOLDER, PATH_ABSOLUTE, PATH_INVALID, PATH_SYMLINK,
    PATH_TRAVERSAL, READ_FAILED, READ_ONLY, STALE_FILE, WRITE_FAILED,
};
pub use identity::Identity;

use crate::root::{Options, RelPath, Root, RootError};

/// One of the two roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The site's folder; nothing is written there.
    Site,
    /// The folder where files are made and changed.
    Workspace,
}

impl Place {
    /// What a path in this root begins with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Site => "site:/",
            Self::Workspace => "workspace:/",
        }
    }
}

/// Where the roots are. Everything comes from the operator.
#[derive(Clone, Default)]
pub struct RootsOptions {
    /// The site's folder, if there is a site.
    pub site: Option<PathBuf>,
    /// The workspace. It need not exist: it is made, private, when something is first written.
    pub workspace: Option<PathBuf>,
    /// Files and folders that no tool reaches: the program's configuration and state.
    pub hidden: Vec<PathBuf>,
    /// Folders that a web server is known to serve. No PHP is written in them.
    pub served: Vec<PathBuf>,
    /// Done before each piece of file work: what must be known of the site, so that its secrets are known
    /// before any of its text leaves.
    pub before: Option<Before>,
}

/// Work that is done before file work. It may block.
pub type Before = Arc<dyn Fn() + Send + Sync>;

/// The two roots. Cloning is cheap.
#[derive(Clone)]
pub struct Roots(Arc<Inner>);

struct Inner {
    site: Option<Root>,
    workspace: Option<PathBuf>,
    opened: OnceLock<Root>,
    hidden: Vec<PathBuf>,
    served: Vec<PathBuf>,
    before: Option<Before>,
    identity: Identity,
}

impl fmt::Debug for Roots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Roots")
            .field("site", &self.0.site.as_ref().map(Root::path))
            .field("workspace", &self.0.workspace)
            .field("identity", &self.0.identity)
            .finish_non_exhaustive()
    }
}

impl Roots {
    /// Opens the site's folder. The workspace is opened when it is first needed.
    pub fn open(options: RootsOptions) -> Result<Self, RootError> {
        let RootsOptions { site, workspace, hidden, served, before } = options;
        let site = site.map(|path| open(&path, true, &hidden)).transpose()?;
        let identity = match site.as_ref().map(Root::owner) {
            Some((uid, gid)) => Identity::on_behalf_of(uid, gid),
            None => workspace.as_deref().map_or(Identity::Process, owner_of_existing),
        };
        Ok(Self(Arc::new(Inner {
            site,
            workspace,
            opened: OnceLock::new(),
            hidden,
            served,
            before,
            identity,
        })))
    }

    /// The site's folder, if there is a site. Commands that run with [`identity`](Self::identity) may see it.
    pub fn site(&self) -> Option<&Root> {
        self.0.site.as_ref()
    }

    /// Where the workspace is or will be.
    pub fn workspace_path(&self) -> Option<&Path> {
        self.0.workspace.as_deref()
    }

    /// Whether a web server may serve the workspace: it lies in a folder that is known to be served, or in one
    /// that looks like it.
    pub fn workspace_may_be_served(&self) -> bool {
        self.0.workspace.as_deref().is_some_and(|path| served::may_be(path, &self.0.served))
    }

    fn prepare(&self) {
        if let Some(before) = &self.0.before {
            before();
        }
    }

    /// Whose rights file work has.
    pub fn identity(&self) -> Identity {
        self.0.identity
    }

    /// Does work that reads files, in the bounded pool and with the owner's rights.
    pub async fn reading<T: Send + 'static>(
        &self,
        ctx: &Ctx,
        work: impl FnOnce(&Tree, &Stop) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let roots = self.clone();
        ctx.blocking(move |stop| {
            roots.prepare();
            let tree = Tree { site: roots.0.site.clone(), workspace: roots.existing_workspace()? };
            roots.0.identity.run(|| work(&tree, stop))
        })
        .await
    }

    /// Does work that writes files: as [`reading`](Self::reading), with the workspace made if it is absent.
    pub async fn writing<T: Send + 'static>(
        &self,
        ctx: &Ctx,
        work: impl FnOnce(&Tree, &Stop) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let roots = self.clone();
        ctx.blocking(move |stop| {
            roots.prepare();
            let workspace = Some(roots.made_workspace()?);
            let tree = Tree { site: roots.0.site.clone(), workspace };
            roots.0.identity.run(|| work(&tree, stop))
        })
        .await
    }

    fn existing_workspace(&self) -> Result<Option<Root>, ToolError> {
        if let Some(root) = self.0.opened.get() {
            return Ok(Some(root.clone()));
        }
        let Some(path) = &self.0.workspace else { return Ok(None) };
        match open(path, false, &self.0.hidden) {
            Ok(root) => Ok(Some(self.0.opened.get_or_init(|| root).clone())),
            Err(RootError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error::beneath(Place::Workspace, error, READ_FAILED)),
        }
    }

    fn made_workspace(&self) -> Result<Root, ToolError> {
        if let Some(root) = self.existing_workspace()? {
            return Ok(root);
        }
        let Some(path) = &self.0.workspace else { return Err(no_workspace()) };
        let failed = |error: std::io::Error| {
            ToolError::new(WRITE_FAILED, "The workspace could not be made.")
                .hint("The operator can name another folder with --workspace.")
                .source(error)
        };
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
        if let Identity::User { uid, gid } = self.0.identity {
            std::os::unix::fs::chown(path, Some(uid), Some(gid)).map_err(failed)?;
        }
        self.existing_workspace()?.ok_or_else(no_workspace)
    }
}

fn open(path: &Path, site: bool, hidden: &[PathBuf]) -> Result<Root, RootError> {
    let options = Options { refuse_private_of_root: site && identity::is_root(), ..Options::default() };
    Root::open_with(path, options)?.without(hidden)
}

fn owner_of_existing(path: &Path) -> Identity {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path)
        .map_or(Identity::Process, |metadata| Identity::on_behalf_of(metadata.uid(), metadata.gid()))
}

fn no_workspace() -> ToolError {
    ToolError::new(code::NOT_FOUND, "There is no workspace.")
        .hint("The operator can name one with --workspace DIR.")
}

/// The roots as one piece of work sees them.
#[derive(Debug)]
pub struct Tree {
    site: Option<Root>,
    workspace: Option<Root>,
}

/// A path in one of the roots. It prints as `site:/…` or `workspace:/…`, made fit to print.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Located {
    /// The root.
    pub place: Place,
    /// The path beneath it.
    pub path: RelPath,
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.place.prefix())?;
        if self.path.is_root() { Ok(()) } else { write!(f, "{}", self.path) }
    }
}

impl Located {
    /// Reads a path that somebody wrote. The place is absent for a bare path.
    pub fn parse(text: &str) -> Result<(Option<Place>, RelPath), ToolError> {
        let trimmed = text.trim();
        for place in [Place::Site, Place::Workspace] {
            if let Some(rest) = trimmed.strip_prefix(place.prefix()) {
                let rest = rest.trim_start_matches('/');
                let path = RelPath::parse(rest).map_err(|error| error::of_text(rest, error))?;
                return Ok((Some(place), path));
            }
        }
        if trimmed.is_empty() {
            return Err(ToolError::new(code::MISSING_ARGUMENT, "No path was given."));
        }
        Ok((None, RelPath::parse(trimmed).map_err(|error| error::of_text(trimmed, error))?))
    }

    /// The error of a failure to read this path.
    pub fn error(&self, error: RootError) -> ToolError {
        error::beneath(self.place, error, READ_FAILED)
    }

    /// The error of a failure to write this path.
    pub fn write_error(&self, error: RootError) -> ToolError {
        error::beneath(self.place, error, WRITE_FAILED)
    }
}

impl Tree {
    /// Where a path leads that is to be read.
    pub fn to_read(&self, text: &str) -> Result<Located, ToolError> {
        let (place, path) = Located::parse(text)?;
        let place = place.unwrap_or_else(|| self.place_of(&path));
        Ok(Located { place, path })
    }

    /// Where a path leads that is to be written.
    pub fn to_write(&self, text: &str) -> Result<Located, ToolError> {
        match Located::parse(text)? {
            (Some(Place::Site), path) => Err(ToolError::new(
                READ_ONLY,
                format!("{} is in the site, which is never written.", Located { place: Place::Site, path }),
            )
            .hint("Write to workspace:/… instead.")),
            (_, path) => Ok(Located { place: Place::Workspace, path }),
        }
    }

    /// The root of a place, if it is there.
    pub fn root(&self, place: Place) -> Result<&Root, ToolError> {
        match place {
            Place::Site => self.site.as_ref().ok_or_else(|| {
                ToolError::new(code::NOT_FOUND, "There is no site, only the workspace.")
                    .hint("The operator can name one with --site DIR.")
            }),
            Place::Workspace => self.workspace.as_ref().ok_or_else(|| {
                ToolError::new(code::NOT_FOUND, "The workspace is empty: nothing was written to it yet.")
            }),
        }
    }

    /// The workspace, if it exists yet.
    pub fn workspace(&self) -> Option<&Root> {
        self.workspace.as_ref()
    }

    /// The workspace for a path without a root, if it has something of that name or there is no site.
    fn place_of(&self, path: &RelPath) -> Place {
        let Some(workspace) = &self.workspace else {
            return if self.site.is_some() { Place::Site } else { Place::Workspace };
        };
        let absent = matches!(
            workspace.metadata(path),
            Err(RootError::NotFound { .. } | RootError::NotADirectory { .. })
        );
        if absent && self.site.is_some() { Place::Site } else { Place::Workspace }
    }
}
