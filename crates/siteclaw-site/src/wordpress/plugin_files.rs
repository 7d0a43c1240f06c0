//! Plugins on disk, read from the headers of their files.

use siteclaw_php::file_header;
use siteclaw_tools::root::{Kind, RelPath, Root};

use super::version::natural;

/// Bytes in which a header must stand, as in WordPress' `get_file_data()`.
const HEADER_BYTES: usize = 8192;
/// The most entries of the plugins folder, and PHP files of one plugin's folder, that are looked at.
const MAX_ENTRIES: usize = 5000;

/// Files in the content folder that take over a part of WordPress.
const DROP_INS: [&str; 12] = [
    "advanced-cache.php",
    "blog-deleted.php",
    "blog-inactive.php",
    "blog-suspended.php",
    "db-error.php",
    "db.php",
    "fatal-error-handler.php",
    "install.php",
    "maintenance.php",
    "object-cache.php",
    "php-error.php",
    "sunrise.php",
];

/// A plugin as its header describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plugin {
    /// Main file relative to the plugins folder, the key that WordPress uses.
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) author: String,
    pub(crate) description: String,
    pub(crate) url: String,
    pub(crate) text_domain: String,
    /// The lowest WordPress and PHP it asks for; empty where it does not say.
    pub(crate) requires_wordpress: String,
    pub(crate) requires_php: String,
    /// Where it wants its updates from, if not from wordpress.org.
    pub(crate) update_uri: String,
}

impl Plugin {
    /// Folder, or file stem of a plugin that is one file.
    pub(crate) fn slug(&self) -> &str {
        match self.file.split_once('/') {
            Some((folder, _)) => folder,
            None => self.file.strip_suffix(".php").unwrap_or(&self.file),
        }
    }
}

/// Plugins of the plugins folder: PHP files with a header, directly in it or one folder deep, by name.
pub(crate) fn installed(root: &Root, folder: &RelPath) -> Vec<Plugin> {
    let mut plugins = Vec::new();
    for entry in entries(root, folder) {
        match entry.1 {
            Kind::Folder => {
                let Ok(inner) = folder.join(&entry.0) else { continue };
                for file in entries(root, &inner) {
                    if file.1 != Kind::Folder {
                        plugins.extend(read(root, &inner, &file.0, &format!("{}/{}", entry.0, file.0)));
                    }
                }
            }
            _ => plugins.extend(read(root, folder, &entry.0, &entry.0)),
        }
    }
    plugins.sort_by(|a, b| natural(&a.name, &b.name).then_with(|| a.file.cmp(&b.file)));
    plugins
}

/// Must-use plugins: every PHP file directly in their folder is loaded, with a header or without.
pub(crate) fn must_use(root: &Root, folder: &RelPath) -> Vec<Plugin> {
    let mut plugins: Vec<Plugin> = entries(root, folder)
        .into_iter()
        .filter(|(name, kind)| *kind != Kind::Folder && name.ends_with(".php") && name != "index.php")
        .map(|(name, _)| {
            read(root, folder, &name, &name).unwrap_or_else(|| Plugin {
                file: name.clone(),
                name,
                ..Plugin::default()
            })
        })
        .collect();
    plugins.sort_by(|a, b| natural(&a.name, &b.name).then_with(|| a.file.cmp(&b.file)));
    plugins
}

/// The drop-ins that are there.
pub(crate) fn drop_ins(root: &Root, content: &RelPath) -> Vec<Plugin> {
    DROP_INS
        .iter()
        .filter(|name| content.join(name).is_ok_and(|path| root.exists(&path)))
        .map(|&name| {
            read(root, content, name, name).unwrap_or_else(|| Plugin {
                file: name.to_owned(),
                name: name.to_owned(),
                ..Plugin::default()
            })
        })
        .collect()
}

/// Names and kinds in a folder, without dot-names; nothing where it cannot be listed.
fn entries(root: &Root, folder: &RelPath) -> Vec<(String, Kind)> {
    let Ok(listing) = root.list(folder, MAX_ENTRIES) else { return Vec::new() };
    listing
        .entries
        .into_iter()
        .filter_map(|entry| Some((entry.name.to_str()?.to_owned(), entry.kind)))
        .filter(|(name, _)| !name.starts_with('.'))
        .map(|(name, kind)| {
            // A link within the root stands for what it leads to.
            let kind = match kind {
                Kind::Link => folder
                    .join(&name)
                    .and_then(|path| root.metadata(&path))
                    .map_or(Kind::Other, |metadata| metadata.kind),
                kind => kind,
            };
            (name, kind)
        })
        .collect()
}

/// The plugin whose header a file holds, if it holds one.
fn read(root: &Root, folder: &RelPath, name: &str, file: &str) -> Option<Plugin> {
    if !name.ends_with(".php") {
        return None;
    }
    let bytes = root.read(&folder.join(name).ok()?, HEADER_BYTES).ok()?;
    let header = file_header(&bytes.data);
    let field = |name: &str| header.get(name).unwrap_or_default().to_owned();
    let plugin = Plugin {
        file: file.to_owned(),
        name: field("Plugin Name"),
        version: field("Version"),
        author: field("Author"),
        description: field("Description"),
        url: field("Plugin URI"),
        text_domain: field("Text Domain"),
        requires_wordpress: field("Requires at least"),
        requires_php: field("Requires PHP"),
        update_uri: field("Update URI"),
    };
    (!plugin.name.is_empty()).then_some(plugin)
}
