//! Evaluating a platform's configuration with the files and variables that the site may use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use siteclaw_core::ToolError;
use siteclaw_php::{Config, Options, PhpValue};
use siteclaw_tools::root::Root;

use crate::connection::{Origin, unreadable};
use crate::environment::Variables;
use crate::files::SiteFiles;
use crate::live::Place;
use crate::watch::Watch;

/// An evaluated configuration and the variables that it saw.
pub(crate) struct Evaluated {
    pub(crate) config: Config,
    pub(crate) variables: Variables,
}

/// What is known before the first line of a configuration.
#[derive(Default)]
pub(crate) struct Beforehand {
    pub(crate) constants: BTreeMap<String, PhpValue>,
    pub(crate) variables: BTreeMap<String, PhpValue>,
    /// Whether the folders of `storage_path()` and its kin are those of the site's root.
    pub(crate) is_laravel: bool,
}

impl Evaluated {
    /// Evaluates a file with the variables of the `.env` files from the site's root down to its folder.
    pub(crate) fn plain(
        place: &Place,
        root: &Root,
        path: &Path,
        prepare: impl FnOnce(&mut Beforehand),
    ) -> Result<Self, ToolError> {
        let variables = Variables::plain(root, &folders(&place.root, path), &place.options);
        Self::with(place, root, path, variables, prepare)
    }

    /// Evaluates a file with these variables.
    pub(crate) fn with(
        place: &Place,
        root: &Root,
        path: &Path,
        variables: Variables,
        prepare: impl FnOnce(&mut Beforehand),
    ) -> Result<Self, ToolError> {
        let config = evaluate(place, root, path, &variables, prepare)?;
        Ok(Self { config, variables })
    }

    /// What an error about missing parts needs to know.
    pub(crate) fn origin(&self) -> Origin<'_> {
        Origin { config: Some(&self.config), env_problem: self.variables.problem.as_deref() }
    }

    /// Files whose change makes the result stale.
    pub(crate) fn files(&self) -> Watch {
        self.variables.files.clone()
    }
}

/// Evaluates one file. It may include files of the site and files that the operator trusts.
pub(crate) fn evaluate(
    place: &Place,
    root: &Root,
    path: &Path,
    variables: &Variables,
    prepare: impl FnOnce(&mut Beforehand),
) -> Result<Config, ToolError> {
    let mut beforehand = Beforehand::default();
    prepare(&mut beforehand);
    let mut trust = place.options.trust.clone();
    // The platform itself may look for its configuration outside its folder, so that one file is part of it.
    trust.extend(place.config.clone());
    let files = SiteFiles::new(root.clone(), trust, variables.files.clone());
    let secret_files =
        SiteFiles::new(root.clone(), variables.secret_files(&place.options), variables.files.clone());
    let options = Options {
        constants: &beforehand.constants,
        variables: &beforehand.variables,
        trusted_files: Some(&secret_files),
        laravel_root: beforehand.is_laravel.then_some(place.root.as_path()),
        ..Options::default()
    };
    siteclaw_php::evaluate(path, &files, &variables.environment(&place.options), &options)
        .map_err(|error| unreadable(path, error))
}

/// Folders whose `.env` files the site may use: that of the configuration and those up to the root, which
/// comes first.
fn folders(root: &Path, config: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = config
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(root))
        .map(Path::to_path_buf)
        .collect();
    folders.reverse();
    folders
}
