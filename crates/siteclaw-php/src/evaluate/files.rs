//! Paths, and questions about files. Every answer comes from the caller's source.

use std::path::{Path, PathBuf};

use super::budget::MAX_STRING;
use super::machine::Machine;
use crate::SourceError;
use crate::config::Access;
use crate::source::normalise;
use crate::unknown::Cause;
use crate::value::PhpValue;

impl Machine<'_> {
    /// The functions that deal with paths and files; nothing for other functions, and for calls whose
    /// path is not known.
    pub(super) fn file_call(&mut self, name: &str, arguments: &[PhpValue], line: u32) -> Option<PhpValue> {
        let known = matches!(
            name,
            "dirname"
                | "basename"
                | "realpath"
                | "file_exists"
                | "is_file"
                | "is_dir"
                | "is_readable"
                | "is_link"
                | "file_get_contents"
        );
        let folder = laravel_folder(name);
        if !known && folder.is_none() {
            return None;
        }
        if let Some(folder) = folder {
            let root = self.options.laravel_root?;
            let base = root.join(folder);
            let part = arguments.first().map_or(Some(String::new()), PhpValue::to_text)?;
            let path = match part.trim_start_matches('/') {
                "" => base,
                part => base.join(part),
            };
            return Some(PhpValue::from(path.to_string_lossy().into_owned()));
        }
        let exists = matches!(name, "file_exists" | "is_file" | "is_dir" | "is_readable" | "is_link");
        let path = match arguments.first()? {
            PhpValue::Unknown(why) if exists && why.stand_in().is_some() => {
                return Some(PhpValue::Bool(false));
            }
            PhpValue::Unknown(why) => return Some(PhpValue::Unknown(why.used())),
            path => path.to_text()?,
        };
        if exists && path.is_empty() {
            return Some(PhpValue::Bool(false));
        }
        Some(match name {
            "dirname" => {
                let levels = arguments.get(1).map_or(Some(1), PhpValue::as_int)?;
                let mut path = path.as_str();
                // A path has fewer levels than bytes.
                for _ in 0..levels.clamp(1, path.len() as i64 + 1) {
                    path = dirname(path);
                }
                PhpValue::from(path)
            }
            "basename" => {
                let base = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                let suffix = arguments.get(1).map_or(Some(String::new()), PhpValue::to_text)?;
                let base = base.strip_suffix(&*suffix).filter(|rest| !rest.is_empty()).unwrap_or(base);
                PhpValue::from(base)
            }
            // By its text: the server's own folders need not be there from where we look.
            "realpath" => PhpValue::from(self.absolute(&path).to_string_lossy().into_owned()),
            "file_get_contents" => self.content(&path, Access::Read, line),
            _ => {
                if let Some(stream) = stream(&path) {
                    return Some(self.no_stream(stream, Access::Exists, line));
                }
                let path = self.absolute(&path);
                match self.source.exists(&path) {
                    Ok(exists) => PhpValue::Bool(exists),
                    Err(error) => self.no_file(&path, &error, Access::Exists, line),
                }
            }
        })
    }

    /// A path that a file names, absolute and normalised.
    pub(super) fn absolute(&self, path: &str) -> PathBuf {
        normalise(Path::new(path), &self.file.folder)
    }

    /// The content of a file that is a value, not code.
    pub(super) fn content(&mut self, path: &str, access: Access, line: u32) -> PhpValue {
        if let Some(stream) = stream(path) {
            return self.no_stream(stream, access, line);
        }
        let path = self.absolute(path);
        let mut result = self.source.read(&path);
        if let (Err(SourceError::Refused | SourceError::NotFound), Some(trusted)) =
            (&result, self.options.trusted_files)
        {
            result = trusted.read(&path);
        }
        match result {
            Ok(bytes) if bytes.len() <= MAX_STRING => {
                if !self.config.files.contains(&path) && self.config.files.len() < super::budget::MAX_FILES {
                    self.config.files.push(path);
                }
                self.bounded(PhpValue::from(bytes), line)
            }
            Ok(_) => self.unknown(Cause::TooLarge, line),
            Err(error) => self.no_file(&path, &error, access, line),
        }
    }

    pub(super) fn no_stream(&mut self, scheme: &str, access: Access, line: u32) -> PhpValue {
        let shown = format!("{scheme}://…");
        self.refuse(Path::new(&shown), access, line);
        self.unknown(Cause::Refused(shown), line)
    }

    pub(super) fn no_file(
        &mut self,
        path: &Path,
        error: &SourceError,
        access: Access,
        line: u32,
    ) -> PhpValue {
        let shown = path.display().to_string();
        if *error == SourceError::Refused {
            self.refuse(path, access, line);
            return self.unknown(Cause::Refused(shown), line);
        }
        self.unknown(Cause::File(shown), line)
    }
}

/// The scheme of a path that names a stream rather than a file. The rest may hold credentials and is not
/// shown.
pub(super) fn stream(path: &str) -> Option<&str> {
    match path.split_once("://") {
        Some((scheme, _)) => Some(scheme),
        None => path.starts_with("data:").then_some("data"),
    }
}

/// The folder under the application's root that a helper of Laravel names.
fn laravel_folder(name: &str) -> Option<&'static str> {
    Some(match name {
        "base_path" => "",
        "app_path" => "app",
        "config_path" => "config",
        "database_path" => "database",
        "public_path" => "public",
        "resource_path" => "resources",
        "lang_path" => "lang",
        "storage_path" => "storage",
        _ => return None,
    })
}

/// PHP's `dirname()` of one level.
fn dirname(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "" } else { "/" };
    }
    match trimmed.rsplit_once('/') {
        None => ".",
        Some((parent, _)) => match parent.trim_end_matches('/') {
            "" => "/",
            parent => parent,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The values are PHP 8.2's.
    #[test]
    fn dirname_follows_php() {
        for (path, expected) in [
            ("/a/b/c.php", "/a/b"),
            ("/a/b/", "/a"),
            ("/a", "/"),
            ("/", "/"),
            ("a.php", "."),
            ("a//b", "a"),
            ("", ""),
            (".", "."),
            ("//a", "/"),
        ] {
            assert_eq!(dirname(path), expected, "{path}");
        }
    }
}
