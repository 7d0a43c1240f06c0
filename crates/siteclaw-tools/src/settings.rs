//! What the operator may set of the core tools: one section a tool, under `[tools.NAME]`.
//!
//! ```
//! use siteclaw_tools::Settings;
//! let written = serde_json::json!({"file_read": {"max_bytes": 4096}});
//! let settings = Settings::parse(written.as_object().unwrap()).unwrap();
//! assert_eq!(settings.file_read.max_bytes, 4096);
//!
//! let misspelt = serde_json::json!({"file_raed": {}});
//! let error = Settings::parse(misspelt.as_object().unwrap()).unwrap_err();
//! assert!(error.message().contains("Did you mean 'file_read'"));
//! ```

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use siteclaw_core::{ToolError, code, parse_settings, sanitise_fragment, suggestion};

use crate::classify::PathPolicy;
#[cfg(feature = "search")]
use crate::code_search;
#[cfg(feature = "http")]
use crate::http_request;
use crate::{file_read, file_write, zip_package};

/// The settings of all core tools. What is not written keeps its default.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `[tools.file_read]`.
    pub file_read: file_read::Settings,
    /// `[tools.code_search]`.
    #[cfg(feature = "search")]
    pub code_search: code_search::Settings,
    /// `[tools.file_write]`.
    pub file_write: file_write::Settings,
    /// `[tools.zip_package]`.
    pub zip_package: zip_package::Settings,
    /// `[tools.http_request]`.
    #[cfg(feature = "http")]
    pub http_request: http_request::Settings,
}

impl Settings {
    /// The rules for paths, as far as the operator may change them.
    pub fn path_policy(&self) -> PathPolicy {
        let extensions = self.file_write.extensions.iter();
        PathPolicy {
            packages: self.file_read.packages,
            extensions: extensions.map(|text| text.trim_start_matches('.').to_lowercase()).collect(),
            ..PathPolicy::default()
        }
    }

    /// The sections there are.
    pub const NAMES: &[&str] = &[
        #[cfg(feature = "http")]
        http_request::NAME,
        file_read::NAME,
        file_write::NAME,
        zip_package::NAME,
        #[cfg(feature = "search")]
        code_search::NAME,
    ];

    /// Reads the sections, tool name → settings. A name that is no tool with settings, an unknown key and a
    /// value that is not allowed are refused with what was probably meant.
    pub fn parse(written: &Map<String, Value>) -> Result<Self, ToolError> {
        let mut settings = Self::default();
        for (name, section) in written {
            match name.as_str() {
                file_read::NAME => take(&mut settings.file_read, name, section)?,
                #[cfg(feature = "search")]
                code_search::NAME => take(&mut settings.code_search, name, section)?,
                file_write::NAME => take(&mut settings.file_write, name, section)?,
                zip_package::NAME => take(&mut settings.zip_package, name, section)?,
                #[cfg(feature = "http")]
                http_request::NAME => take(&mut settings.http_request, name, section)?,
                other => return Err(unknown(other)),
            }
        }
        Ok(settings)
    }
}

fn take<S: DeserializeOwned + JsonSchema>(
    settings: &mut S,
    name: &str,
    section: &Value,
) -> Result<(), ToolError> {
    *settings = parse_settings(name, section)?;
    Ok(())
}

fn unknown(name: &str) -> ToolError {
    let known = Settings::NAMES.iter().copied();
    let hint = suggestion(name, known).map(|hint| format!(" {hint}")).unwrap_or_default();
    let name = sanitise_fragment(name, 64);
    ToolError::new(code::INVALID_ARGUMENT, format!("'{name}' names no tool with settings.{hint}"))
        .with("known", Settings::NAMES.to_vec())
}
