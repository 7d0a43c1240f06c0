//! The user's configuration file.
//!
//! ```toml
//! workspace = "/home/u/work"                 # where files are made and changed
//!
//! [site]
//! trust = ["/home/u/private/wp-config.php"]  # files outside the site that may be read
//! env_file = "/etc/shop.env"                 # variables that only the web server has
//!
//! [site.database]                            # in place of what the site's configuration says
//! host = "127.0.0.1:3307"
//! user = "reader"
//! password = "…"
//!
//! [tools]
//! deny = ["db_query", "group:admin"]
//!
//! [tools.file_read]                          # settings of one tool
//! max_bytes = 32768
//!
//! [provider]
//! name = "anthropic"
//! model = "claude-haiku-4-5-20251001"
//!
//! [sites."/srv/shop".site]                   # the same for one site; stronger than the general part
//! env_file = "/etc/other.env"
//! ```
//!
//! An unknown key is an error that names the nearest one. No tool can reach the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};
use siteclaw_agent::wire::ProviderSection;
use siteclaw_core::{Secret, ToolError, suggestion};
use siteclaw_site::{AttachOptions, DatabaseOverride};
use siteclaw_tools::Settings;

use super::exit::Failure;

/// The most bytes a configuration file may have.
const MAX_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    workspace: Option<PathBuf>,
    workspace_in_site: Option<bool>,
    site: SiteSection,
    tools: ToolsSection,
    provider: ProviderSection,
    sites: BTreeMap<PathBuf, PerSite>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PerSite {
    workspace: Option<PathBuf>,
    workspace_in_site: Option<bool>,
    site: SiteSection,
    tools: ToolsSection,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SiteSection {
    trust: Vec<PathBuf>,
    env_file: Option<PathBuf>,
    database: DatabaseSection,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct DatabaseSection {
    host: Option<String>,
    name: Option<String>,
    user: Option<String>,
    password: Option<String>,
}

impl std::fmt::Debug for DatabaseSection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatabaseSection").field("host", &self.host).finish_non_exhaustive()
    }
}

/// What is no list of names is the section of a tool, which the tools' own crate reads.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolsSection {
    deny: Vec<String>,
    #[serde(flatten)]
    settings: Map<String, Value>,
}

/// What the user's file says.
#[derive(Debug, Default)]
pub(crate) struct Config {
    file: File,
    /// Where it was read, or would have been.
    pub(crate) path: Option<PathBuf>,
    pub(crate) found: bool,
}

impl Config {
    /// Reads the named file, or the one in the XDG configuration folder if there is one.
    pub(crate) fn load(named: Option<&Path>) -> Result<Self, Failure> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => match default_path() {
                Some(path) => path,
                None => return Ok(Self::default()),
            },
        };
        let text = match read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => {
                return Ok(Self { path: Some(path), ..Self::default() });
            }
            Err(error) => {
                return Err(Failure::usage(format!(
                    "The configuration {} cannot be read: {error}. Name another with --config FILE.",
                    path.display()
                )));
            }
        };
        let wrong = |problem: String| {
            Failure::usage(format!("The configuration {} is wrong: {problem}", path.display()))
        };
        let file = parse(&text).map_err(wrong)?;
        // A slip in a section for another site is told now, not on the day it would have counted.
        for tools in std::iter::once(&file.tools).chain(file.sites.values().map(|site| &site.tools)) {
            Settings::parse(&tools.settings).map_err(|error| wrong(settings_problem(&error)))?;
        }
        Ok(Self { file, path: Some(path), found: true })
    }

    /// The settings of the core tools for a site: its own part, key by key, before the general one.
    pub(crate) fn tool_settings(&self, root: Option<&Path>) -> Result<Settings, Failure> {
        let mut merged = self.file.tools.settings.clone();
        let own = self.per_site(root).map(|(_, site)| &site.tools.settings);
        for (tool, section) in own.into_iter().flatten() {
            match (merged.get_mut(tool), section) {
                (Some(Value::Object(general)), Value::Object(own)) => {
                    general.extend(own.iter().map(|(key, value)| (key.clone(), value.clone())));
                }
                _ => {
                    merged.insert(tool.clone(), section.clone());
                }
            }
        }
        Settings::parse(&merged).map_err(|error| Failure::usage(settings_problem(&error)))
    }

    /// The workspace that the file names for a site, and whether it may lie inside the site.
    pub(crate) fn workspace(&self, root: Option<&Path>) -> (Option<&Path>, bool) {
        let own = self.per_site(root).map(|(_, site)| site);
        let path = own.and_then(|own| own.workspace.as_ref()).or(self.file.workspace.as_ref());
        let in_site = own.and_then(|own| own.workspace_in_site).or(self.file.workspace_in_site);
        (path.map(PathBuf::as_path), in_site.unwrap_or(false))
    }

    /// The deny lists that hold for a site, each with the place where it stands.
    pub(crate) fn deny(&self, root: Option<&Path>) -> Vec<(&[String], String)> {
        let file = self.path.as_deref().unwrap_or(Path::new("siteclaw.toml")).display();
        let mut lists = vec![(self.file.tools.deny.as_slice(), format!("[tools] deny of {file}"))];
        if let Some((path, site)) = self.per_site(root) {
            lists.push((
                site.tools.deny.as_slice(),
                format!("[sites.\"{}\".tools] deny of {file}", path.display()),
            ));
        }
        lists
    }

    /// Who answers.
    pub(crate) const fn provider(&self) -> &ProviderSection {
        &self.file.provider
    }

    /// How a site may be opened.
    pub(crate) fn apply(&self, root: Option<&Path>, options: &mut AttachOptions) {
        let general = &self.file.site;
        let own = self.per_site(root).map(|(_, site)| &site.site);
        options.trust = general.trust.iter().chain(own.iter().flat_map(|own| &own.trust)).cloned().collect();
        options.env_file = own.and_then(|own| own.env_file.clone()).or_else(|| general.env_file.clone());
        let pick = |field: fn(&DatabaseSection) -> &Option<String>| {
            own.and_then(|own| field(&own.database).clone()).or_else(|| field(&general.database).clone())
        };
        options.database = DatabaseOverride {
            host: pick(|database| &database.host),
            name: pick(|database| &database.name),
            user: pick(|database| &database.user),
            password: pick(|database| &database.password).map(Secret::new),
        };
    }

    /// The part for this site: its path as it is written or with links resolved.
    fn per_site(&self, root: Option<&Path>) -> Option<(&PathBuf, &PerSite)> {
        let root = root?;
        let resolved = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        self.file.sites.iter().find(|(path, _)| {
            path.as_path() == root || std::fs::canonicalize(path).is_ok_and(|path| path == resolved)
        })
    }
}

fn settings_problem(error: &ToolError) -> String {
    format!("[tools]: {}", error.message())
}

fn default_path() -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")))?;
    Some(folder.join("siteclaw/siteclaw.toml"))
}

fn read(path: &Path) -> std::io::Result<String> {
    let length = std::fs::metadata(path)?.len();
    if length > MAX_BYTES {
        return Err(std::io::Error::other("it is longer than 1 MiB"));
    }
    std::fs::read_to_string(path)
}

/// One line that says where and what, with the nearest key for a misspelt one. The text of the file is not
/// quoted: it may hold a password.
fn parse(text: &str) -> Result<File, String> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error
            .span()
            .and_then(|span| text.get(..span.start))
            .map_or(1, |before| before.matches('\n').count() + 1);
        let message = error.message().lines().next().unwrap_or_default();
        let mut quoted = message.split('`').skip(1).step_by(2);
        let hint = match (message.starts_with("unknown field"), quoted.next()) {
            (true, Some(given)) => suggestion(given, quoted).map(|hint| format!(" {hint}")),
            _ => None,
        };
        let end = if message.ends_with('.') { "" } else { "." };
        format!("line {line}: {message}{end}{}", hint.unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config { file: parse(text).unwrap(), path: Some("/c.toml".into()), found: true }
    }

    #[test]
    fn a_misspelt_key_is_answered_with_the_nearest() {
        let error = parse("[site]\n\ntrsut = []\n").unwrap_err();
        assert_eq!(
            error,
            "line 3: unknown field `trsut`, expected one of `trust`, `env_file`, `database`. Did you mean 'trust'?"
        );
        assert!(parse("[sites.\"/a\".sitte]\n").unwrap_err().contains("Did you mean 'site'?"));
        assert!(parse("[site.database]\npassword = 7").unwrap_err().starts_with("line 2: "));
        assert!(parse("[provider]\nmodle = \"x\"").unwrap_err().contains("Did you mean 'model'?"));
        assert!(parse("[provider]\neffort = \"hihg\"").unwrap_err().starts_with("line 2: "));
    }

    #[test]
    fn the_part_for_a_site_is_stronger_and_lists_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().display();
        let config = config(&format!(
            "[site]\ntrust = [\"/a\"]\nenv_file = \"/e\"\n[site.database]\nuser = \"u\"\nhost = \"h\"\n\
             [tools]\ndeny = [\"x\"]\n[sites.\"{root}\".site]\ntrust = [\"/b\"]\n\
             [sites.\"{root}\".site.database]\nuser = \"own\"\n[sites.\"{root}\".tools]\ndeny = [\"y\"]\n"
        ));
        let mut options = AttachOptions::default();
        config.apply(Some(folder.path()), &mut options);
        assert_eq!(options.trust, [PathBuf::from("/a"), PathBuf::from("/b")]);
        assert_eq!(options.env_file, Some(PathBuf::from("/e")));
        assert_eq!(options.database.user.as_deref(), Some("own"));
        assert_eq!(options.database.host.as_deref(), Some("h"));
        assert_eq!(config.deny(Some(folder.path())).len(), 2);
        assert_eq!(config.deny(Some(Path::new("/elsewhere"))).len(), 1);
    }

    #[test]
    fn settings_of_tools_are_read_key_by_key_and_a_site_s_own_are_stronger() {
        let folder = tempfile::tempdir().unwrap();
        let config = config(&format!(
            "[tools.file_read]\nmax_bytes = 1000\npackages = true\n\
             [sites.\"{}\".tools.file_read]\nmax_bytes = 2000\n",
            folder.path().display()
        ));
        let read = |root| config.tool_settings(root).unwrap().file_read;
        assert_eq!((read(None).max_bytes, read(None).packages), (1000, true));
        assert_eq!((read(Some(folder.path())).max_bytes, read(Some(folder.path())).packages), (2000, true));
    }

    #[test]
    fn a_slip_in_a_setting_is_told_when_the_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("c.toml");
        for (text, part) in [
            ("[tools.file_read]\nmax_byte = 5000\n", "Did you mean 'max_bytes'?"),
            ("[tools.file_raed]\n", "Did you mean 'file_read'"),
            ("[sites.\"/elsewhere\".tools.file_read]\nmax_bytes = 1\n", "max_bytes must be at least 256"),
        ] {
            std::fs::write(&file, text).unwrap();
            let message = Config::load(Some(&file)).unwrap_err().message;
            assert!(message.contains(part) && message.contains("c.toml"), "{message}");
        }
    }

    #[test]
    fn no_password_is_quoted_in_a_complaint() {
        for text in [
            "[site.database]\npassword = \"hunter22\"\npasword = \"hunter22\"\n",
            "[provider]\nkey = [\"hunter22\"]\n",
        ] {
            let error = parse(text).unwrap_err();
            assert!(!error.contains("hunter22"), "{error}");
        }
        let shown = format!("{:?}", config("[provider]\nkey = \"hunter22\"\n"));
        assert!(!shown.contains("hunter22"), "{shown}");
    }
}
