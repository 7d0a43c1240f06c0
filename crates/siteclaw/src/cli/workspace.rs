//! Where the file tools work: `site:/` is the site's folder, `workspace:/` the one that `--workspace`, the
//! configuration or, failing both, the state folder gives.
//!
//! A workspace inside the site is refused unless the configuration says so: what is written there may be
//! served. The configuration and the state are beneath neither root.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use siteclaw_site::Site;
use siteclaw_tools::roots::{Roots, RootsOptions};

use super::args::Global;
use super::config::Config;
use super::exit::Failure;
use super::state::State;

pub(crate) fn roots(
    global: &Global,
    config: &Config,
    state: &State,
    site: Option<&Site>,
) -> Result<Roots, Failure> {
    let root = site.map(Site::root);
    let (configured, in_site) = config.workspace(root);
    let named = global.workspace.as_deref().or(configured);
    let workspace = match named {
        Some(path) => Some(named_workspace(path, root, in_site)?),
        None => state.folder().map(|folder| default_workspace(folder, root)),
    };
    let learner = site.cloned();
    let mut hidden: Vec<PathBuf> = state.folder().map(Path::to_owned).into_iter().collect();
    hidden.extend(config.path.clone());
    let options = RootsOptions {
        site: root.map(Path::to_owned),
        workspace,
        hidden: hidden.into_iter().map(|path| std::path::absolute(&path).unwrap_or(path)).collect(),
        served: site.map(|site| site.detection().site.docroot.clone()).into_iter().collect(),
        before: learner.map(|site| Arc::new(move || site.learn_secrets()) as Arc<dyn Fn() + Send + Sync>),
    };
    Roots::open(options).map_err(Failure::usage)
}

/// A folder that somebody named. It must exist, so that a slip makes no folder somewhere.
fn named_workspace(path: &Path, site: Option<&Path>, in_site: bool) -> Result<PathBuf, Failure> {
    let shown = path.display();
    let real = path.canonicalize().map_err(|error| {
        Failure::usage(format!(
            "The workspace {shown} cannot be opened: {error}. Make the folder or name another."
        ))
    })?;
    if !real.is_dir() {
        return Err(Failure::usage(format!("The workspace {shown} is no folder.")));
    }
    if real.parent().is_none() {
        return Err(Failure::usage("The whole file system is no workspace; name a folder.".to_owned()));
    }
    let inside = site.is_some_and(|site| real.starts_with(site));
    if inside && !in_site {
        return Err(Failure::usage(format!(
            "The workspace {shown} lies inside the site, where a web server may serve what is written. Name another \
             folder, or set workspace_in_site = true in the configuration."
        )));
    }
    Ok(real)
}

/// A folder of the state for each site, told by its real path.
fn default_workspace(state: &Path, site: Option<&Path>) -> PathBuf {
    let state = std::path::absolute(state).unwrap_or_else(|_| state.to_owned());
    match site {
        Some(site) => {
            let digest = Sha256::digest(site.as_os_str().as_encoded_bytes());
            let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            state.join("sites").join(name).join("workspace")
        }
        None => state.join("workspace"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_inside_the_site_must_be_set_so() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().canonicalize().unwrap().join("site");
        std::fs::create_dir_all(site.join("uploads")).unwrap();
        std::fs::create_dir_all(folder.path().join("site-work")).unwrap();
        let named = |path: &str, in_site| named_workspace(&folder.path().join(path), Some(&site), in_site);
        assert!(named("site/uploads", false).unwrap_err().message.contains("workspace_in_site"));
        assert_eq!(named("site/uploads", true).unwrap(), site.join("uploads"));
        assert!(named("site-work", false).is_ok());
        assert!(named("nowhere", false).unwrap_err().message.contains("cannot be opened"));
        assert!(named_workspace(Path::new("/"), None, true).is_err());
    }

    #[test]
    fn each_site_has_a_workspace_of_its_own() {
        let of = |site| default_workspace(Path::new("/s"), site);
        let (one, other) = (of(Some(Path::new("/srv/a"))), of(Some(Path::new("/srv/b"))));
        assert_ne!(one, other);
        assert!(one.starts_with("/s/sites") && one.ends_with("workspace"));
        assert_eq!(of(None), Path::new("/s/workspace"));
    }
}
