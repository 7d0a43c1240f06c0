//! What a file is to the tools, told from its name: one table for reading, searching, packing, writing,
//! editing and the arguments of commands.
//!
//! A name is folded first (case, compatibility forms, invisible characters), then what editors and hurried
//! people add to it is taken off (`.env~`, `id_rsa.old`, `.wp-config.php.swp`, `server.key.bak.gz`), so that
//! a copy of a secret is a secret. Reading refuses what holds credentials by its purpose. Writing is by an
//! allow-list of text that no server runs; what remains executable in some configuration (`x.php.txt`) is
//! refused by looking at every part between dots.
//!
//! Some names, such as `config.php`, hold credentials in one project and none in the next: for those the
//! verdict is [`Verdict::IfHarmless`], and whoever opens the file looks for secrets in it.
//!
//! ```
//! use siteclaw_tools::classify::{PathPolicy, Purpose, Verdict};
//! use siteclaw_tools::root::RelPath;
//! let policy = PathPolicy::default();
//! let judge = |purpose, path: &str| policy.judge(purpose, &RelPath::parse(path).unwrap());
//! assert_eq!(judge(Purpose::Read, "src/core/app.css"), Verdict::Allowed);
//! assert!(matches!(judge(Purpose::Read, "WP-CONFIG.PHP~"), Verdict::Refused(_)));
//! assert!(matches!(judge(Purpose::Write, "notes.php.txt"), Verdict::Refused(_)));
//! ```

mod fold;
#[rustfmt::skip]
mod tables;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use siteclaw_core::{Code, ToolError, sanitise_fragment};

use crate::root::RelPath;
use crate::roots::Located;
use fold::Name;

/// The path is one that the tools do not touch for this purpose.
pub const PATH_BLOCKED: Code = Code::new("PATH_BLOCKED");
/// PHP is written only where the operator allows it.
pub const PHP_WRITE_DISABLED: Code = Code::new("PHP_WRITE_DISABLED");

/// What somebody wants to do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Return its text.
    Read,
    /// Look for a pattern in it.
    Search,
    /// Put it into an archive.
    Archive,
    /// Create or replace it.
    Write,
    /// Change a part of it.
    Edit,
    /// Hand it to a command.
    Command,
}

impl Purpose {
    const fn changes(self) -> bool {
        matches!(self, Self::Write | Self::Edit)
    }

    const fn participle(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Search => "searched",
            Self::Archive => "packed",
            Self::Write => "written",
            Self::Edit => "edited",
            Self::Command => "handed to a command",
        }
    }
}

/// Whether PHP source may be written and edited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PhpWriting {
    /// The operator has not allowed it.
    #[default]
    Off,
    /// It is allowed, but only with a person at the console.
    NoPerson,
    /// It is allowed, but a web server may serve the workspace.
    Served,
    /// It may.
    Allowed,
}

impl PhpWriting {
    const fn hint(self) -> &'static str {
        match self {
            Self::Off | Self::Allowed => {
                "The operator can set allow_php under [tools.file_write]; it then holds for an interactive console and \
                 a workspace outside every document root."
            }
            Self::NoPerson => {
                "The setting allow_php holds only for an interactive console: a person must be there."
            }
            Self::Served => {
                "The setting allow_php holds only for a workspace outside every document root; name another with \
                 --workspace."
            }
        }
    }
}

/// Why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A folder of keys, credentials, a repository's inner files or the platform's own code.
    SecurityFolder,
    /// A folder of packages.
    NoiseFolder,
    /// A folder whose files a build service runs.
    PipelineFolder,
    /// A platform's core.
    CoreFolder,
    /// Holds credentials or keys by its purpose.
    Secret,
    /// Was opened and holds credentials.
    HoldsSecret,
    /// Decides what a server, package manager or build service does.
    Control,
    /// A server or system would run it.
    Executed,
    /// PHP source, and why it is not written.
    Php(PhpWriting),
    /// A hidden name.
    Hidden,
    /// An extension that is not on the list of those that may be written.
    Extension,
    /// A name that other systems change or keep for themselves.
    Name,
}

impl Reason {
    const fn text(self) -> &'static str {
        match self {
            Self::SecurityFolder => "it lies in a folder that the tools do not enter",
            Self::NoiseFolder => "it lies in a folder of packages",
            Self::PipelineFolder => "it lies in a folder whose files a build service runs",
            Self::CoreFolder => "it lies in the platform's own code",
            Self::Secret => "files of this name hold credentials or keys",
            Self::HoldsSecret => "it holds credentials",
            Self::Control => "it decides what a server, package manager or build service does",
            Self::Executed => "a server or system would run it",
            Self::Php(_) => "it is PHP",
            Self::Hidden => "hidden files and folders configure programs",
            Self::Extension => "its extension is not one of those that may be written",
            Self::Name => {
                "its name ends in a dot or space, holds a colon or is kept by some system for itself"
            }
        }
    }
}

/// What may be done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Allowed,
    /// Go on if the content holds no secret: if the masker finds none in it.
    IfHarmless,
    /// Do not.
    Refused(Reason),
}

/// The rules, with what the operator may change of them.
#[derive(Clone, Debug, Default)]
pub struct PathPolicy {
    /// Whether folders of packages (`vendor`, `node_modules`) are read.
    pub packages: bool,
    /// Whether PHP source may be written and edited.
    pub php: PhpWriting,
    /// Extensions that may be written besides the built-in ones. What a server runs stays refused.
    pub extensions: BTreeSet<String>,
}

impl PathPolicy {
    /// Judges a path beneath a root.
    pub fn judge(&self, purpose: Purpose, path: &RelPath) -> Verdict {
        let names: Vec<Name> = path.components().flat_map(Name::split).collect();
        let Some((last, folders)) = names.split_last() else { return Verdict::Allowed };
        if let Some(reason) = self.folder_reason(purpose, folders, last) {
            return Verdict::Refused(reason);
        }
        if last.is_secret() {
            return Verdict::Refused(Reason::Secret);
        }
        if purpose.changes() {
            let found = folders.iter().find_map(hidden_folder).or_else(|| self.unwritable(last));
            return found.map_or(Verdict::Allowed, Verdict::Refused);
        }
        if last.is_perhaps_secret() { Verdict::IfHarmless } else { Verdict::Allowed }
    }

    /// Judges a folder that is about to be entered or listed.
    pub fn judge_folder(&self, purpose: Purpose, path: &RelPath) -> Verdict {
        let names: Vec<Name> = path.components().flat_map(Name::split).collect();
        let Some((last, folders)) = names.split_last() else { return Verdict::Allowed };
        let reason = self.folder_reason(purpose, folders, last).or_else(|| {
            let named = last.is(tables::NOISE_FOLDERS) && self.refuses_noise(purpose);
            named.then_some(Reason::NoiseFolder)
        });
        reason.map_or(Verdict::Allowed, Verdict::Refused)
    }

    /// Whether packages are out of bounds: an archive needs them to run.
    const fn refuses_noise(&self, purpose: Purpose) -> bool {
        purpose.changes() || (!self.packages && !matches!(purpose, Purpose::Archive | Purpose::Command))
    }

    fn folder_reason(&self, purpose: Purpose, folders: &[Name], last: &Name) -> Option<Reason> {
        let mut all = folders.iter().chain([last]);
        if all.any(|name| name.is(tables::SECURITY_FOLDERS)) {
            return Some(Reason::SecurityFolder);
        }
        if self.refuses_noise(purpose) && folders.iter().any(|name| name.is(tables::NOISE_FOLDERS)) {
            return Some(Reason::NoiseFolder);
        }
        if !purpose.changes() {
            return None;
        }
        if folders.iter().any(|name| name.is(tables::PIPELINE_FOLDERS)) {
            return Some(Reason::PipelineFolder);
        }
        folders.first().is_some_and(|name| name.is(tables::CORE_FOLDERS)).then_some(Reason::CoreFolder)
    }

    fn unwritable(&self, name: &Name) -> Option<Reason> {
        if name.is_odd() {
            return Some(Reason::Name);
        }
        if name.is(tables::CONTROL_FILES) {
            return Some(Reason::Control);
        }
        if name.is_hidden() && !name.is(tables::PLAIN_DOT_FILES) {
            return Some(Reason::Hidden);
        }
        let parts: Vec<&str> = name.extensions().collect();
        let (last, middle) = parts.split_last()?;
        if middle.iter().any(|part| tables::SERVED_EXTENSIONS.contains(part)) {
            return Some(Reason::Executed);
        }
        if tables::PHP_EXTENSIONS.contains(last) {
            return (self.php != PhpWriting::Allowed).then_some(Reason::Php(self.php));
        }
        if tables::SERVED_EXTENSIONS.contains(last) || tables::EXECUTED_EXTENSIONS.contains(last) {
            return Some(Reason::Executed);
        }
        let listed = tables::WRITABLE_EXTENSIONS.contains(last) || self.extensions.contains(*last);
        if listed || name.is(tables::PLAIN_DOT_FILES) { None } else { Some(Reason::Extension) }
    }

    /// Refuses a path that its name alone refuses. What is left to the content passes here.
    pub fn admit(&self, purpose: Purpose, located: &Located) -> Result<(), ToolError> {
        match self.judge(purpose, &located.path) {
            Verdict::Refused(reason) => Err(Self::refusal(purpose, &located.to_string(), reason)),
            Verdict::Allowed | Verdict::IfHarmless => Ok(()),
        }
    }

    /// The error of a refusal. `shown` is the path as results name it.
    pub fn refusal(purpose: Purpose, shown: &str, reason: Reason) -> ToolError {
        let path = sanitise_fragment(shown, 200);
        if let Reason::Php(writing) = reason {
            return ToolError::new(
                PHP_WRITE_DISABLED,
                format!("{path} is PHP, which is not {} here.", purpose.participle()),
            )
            .hint(writing.hint());
        }
        let error = ToolError::new(
            PATH_BLOCKED,
            format!("{path} is not {}: {}.", purpose.participle(), reason.text()),
        );
        if reason == Reason::Extension {
            return error.hint("Choose a text format, or ask the operator to add the extension.");
        }
        error
    }
}

fn hidden_folder(name: &Name) -> Option<Reason> {
    if name.is_odd() {
        return Some(Reason::Name);
    }
    (name.is_hidden() && !name.is(tables::PLAIN_DOT_FOLDERS)).then_some(Reason::Hidden)
}
