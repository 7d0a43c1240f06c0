//! Siteclaw's built-in tools and the policies they stand on.
//!
//! Each tool has a folder of its own. What several share are policies that can be read and tested alone:
//! [`root`] (one folder, opened once), [`roots`] (`site:/` and `workspace:/`), [`classify`] (what a file is
//! to the tools), `network` (which hosts of the web may be asked). [`core_tools`] makes the tools from what the program hands in; nothing here reads arguments
//! or environment.

pub mod classify;
#[cfg(feature = "search")]
pub mod code_search;
pub mod file_edit;
pub mod file_read;
pub mod file_write;
#[cfg(feature = "http")]
pub mod http_request;
#[cfg(feature = "network")]
pub mod network;
pub mod project_info;
pub mod root;
pub mod roots;
mod seen;
mod settings;
pub mod text;
mod writing;
pub mod zip_package;

use std::sync::Arc;

use siteclaw_core::{Entry, Masker, RegistryError, ToolError};

pub use seen::{FilesSeen, content_hash};
pub use settings::Settings;

use roots::Roots;

/// What the core tools are made from.
#[derive(Clone)]
pub struct CoreParts {
    /// `site:/` and `workspace:/`.
    pub roots: Roots,
    /// What the operator has set.
    pub settings: Settings,
    /// The engine's masker: what leaves by a tool and what comes back into a file must name a secret alike.
    pub masker: Arc<Masker>,
    /// Who recognises platforms in a folder.
    pub platforms: Arc<dyn project_info::Platforms>,
}

/// Why the core tools cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CoreToolsError {
    /// A tool cannot be registered.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// What the operator has set cannot be used.
    #[error("{}", .0.message())]
    Settings(#[from] ToolError),
}

/// The core tools, in the order in which they are listed. `db_query` is the site's own.
pub fn core_tools(parts: &CoreParts) -> Result<Vec<Entry>, CoreToolsError> {
    Ok(vec![
        #[cfg(feature = "http")]
        Entry::new(http_request::HttpRequest::new(&parts.settings.http_request)?)?,
        Entry::new(file_read::FileRead::new(parts))?,
        Entry::new(file_write::FileWrite::new(parts))?,
        Entry::new(file_edit::FileEdit::new(parts))?,
        Entry::new(project_info::ProjectInfo::new(parts))?,
        Entry::new(zip_package::ZipPackage::new(parts))?,
        #[cfg(feature = "search")]
        Entry::new(code_search::CodeSearch::new(parts))?,
    ])
}

/// The names of all core tools, whether or not this build and site have them: a deny list may name them.
pub const CORE_TOOLS: &[&str] = &[
    "shell_exec",
    "http_request",
    "file_read",
    "file_write",
    "file_edit",
    "code_search",
    "project_info",
    "db_query",
    "zip_package",
    "load_skill",
];
