//! Names in the form in which they are compared.

use std::ffi::OsStr;

use siteclaw_core::is_invisible;
use unicode_normalization::UnicodeNormalization;

use super::tables;

/// One name of a path, folded: a file system that ignores case or compatibility forms would open the same
/// file by it.
#[derive(Debug)]
pub(super) struct Name {
    folded: String,
    /// The name without decorations, and each form on the way there.
    bare: Vec<String>,
    odd: bool,
}

impl Name {
    /// The names that one component stands for: a backslash separates too, as it would on other systems.
    pub(super) fn split(component: &OsStr) -> Vec<Self> {
        component.to_string_lossy().split('\\').filter(|part| !part.is_empty()).map(Self::new).collect()
    }

    fn new(text: &str) -> Self {
        let visible = text.chars().filter(|c| !is_invisible(*c));
        // Lower case twice around the compatibility form: the Kelvin sign and ligatures are letters too.
        let folded: String = visible.nfkc().flat_map(char::to_lowercase).nfkc().collect();
        let odd = text.ends_with(['.', ' '])
            || text.contains(':')
            || text.chars().any(is_invisible)
            || tables::DEVICE_NAMES.contains(&folded.split('.').next().unwrap_or_default());
        let folded = folded.trim_end_matches(['.', ' ']).to_owned();
        let folded = folded.split("::$").next().unwrap_or_default().to_owned();
        let bare = undecorated(&folded);
        Self { folded, bare, odd }
    }

    pub(super) fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.folded.as_str())
    }

    /// Whether some system would store or open it under another name.
    pub(super) const fn is_odd(&self) -> bool {
        self.odd
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.folded.starts_with('.')
    }

    /// The parts after the first dot that does not lead the name.
    pub(super) fn extensions(&self) -> impl Iterator<Item = &str> {
        self.folded.trim_start_matches('.').split('.').skip(1)
    }

    /// Whether a file of this name, or the file it is a copy of, holds credentials by its purpose.
    pub(super) fn is_secret(&self) -> bool {
        self.bare.iter().any(|name| is_secret(name)) && !self.is_sample()
    }

    /// Whether its content decides.
    pub(super) fn is_perhaps_secret(&self) -> bool {
        self.is_sample() || self.bare.iter().any(|name| tables::PERHAPS_SECRET_FILES.contains(&name.as_str()))
    }

    /// `.env.example` and its like.
    fn is_sample(&self) -> bool {
        let ending = self.folded.strip_prefix(".env.").or_else(|| self.folded.strip_prefix("env."));
        ending.is_some_and(|ending| tables::SAMPLE_ENDINGS.contains(&ending))
    }
}

fn is_secret(name: &str) -> bool {
    let plain = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
    let environment = name.strip_prefix(".env").is_some_and(plain);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    environment
        || name.starts_with("wp-config.")
        || name.starts_with("wp-config-")
        || name == "wp-config"
        || (name.starts_with("service-account") && extension == Some("json"))
        || tables::SECRET_FILES.contains(&name)
        || extension.is_some_and(|extension| tables::SECRET_EXTENSIONS.contains(&extension))
}

/// The name, and the name after each decoration that can be taken off it.
fn undecorated(name: &str) -> Vec<String> {
    let mut forms = vec![name.to_owned()];
    let mut current = name;
    // A vim swap file hides the name behind a dot, emacs puts it between or behind signs.
    let hidden_copy = name.strip_prefix('.').filter(|rest| rest.contains(".sw"));
    let emacs = name.strip_prefix(".#").or_else(|| name.strip_prefix('#'));
    let copy = name.strip_prefix("copy of ").or_else(|| name.strip_prefix("backup of "));
    if let Some(rest) = hidden_copy.or(emacs).or(copy) {
        forms.push(rest.to_owned());
        current = rest;
    }
    for _ in 0..8 {
        let Some(shorter) = without_one(current) else { break };
        forms.push(shorter.to_owned());
        current = shorter;
    }
    forms
}

fn without_one(name: &str) -> Option<&str> {
    let cut = name.trim_end_matches(['~', '#', ' ']);
    if cut.len() < name.len() && !cut.is_empty() {
        return Some(cut);
    }
    if let Some((stem, last)) = name.rsplit_once(['.', '_', '-', ' ']).filter(|(stem, _)| !stem.is_empty()) {
        let number = |c: char| c.is_ascii_digit() || matches!(c, '(' | ')');
        if tables::DECORATIONS.contains(&last) || (!last.is_empty() && last.chars().all(number)) {
            return Some(stem);
        }
    }
    None
}
