//! A genuine WordPress for the tests, installed and filled by its own code.
//!
//! Making it takes a while, so the files, the database as statements and what WordPress says about itself are
//! kept in `target/services/wordpress` until one of its sources changes. Each run gets a copy, with a database on
//! its own server.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Context, Failure, Result};
use crate::mariadb::Mariadb;
use crate::packages::Programs;
use crate::run_folder::RunFolder;
use crate::server;
use crate::workspace::Workspace;

const DATABASE: &str = "quay_journal";
const USER: &str = "quay_rw";
/// What a careless reader of PHP trips over.
const PASSWORD: &str = r#"it's a "test" $HOME; // no comment"#;

/// A site, ready to be looked at.
pub(crate) struct Site {
    /// The folder with wp-config.php.
    pub(crate) folder: PathBuf,
    /// JSON: what WordPress's own API answers; the head of `xtask/php/expected.php` tells its shape.
    pub(crate) expected: PathBuf,
}

/// The parts that are kept between runs.
struct Kept {
    folder: PathBuf,
}

impl Kept {
    fn site(&self) -> PathBuf {
        self.folder.join("site")
    }

    fn statements(&self) -> PathBuf {
        self.folder.join("database.sql")
    }

    fn expected(&self) -> PathBuf {
        self.folder.join("expected.json")
    }

    fn stamp(&self) -> PathBuf {
        self.folder.join("made-from")
    }
}

pub(crate) fn provide(
    workspace: &Workspace,
    programs: &Programs,
    mariadb: &Mariadb,
    run: &RunFolder,
) -> Result<Site> {
    let kept = Kept { folder: workspace.services().join("wordpress") };
    let lock = workspace.services().join("wordpress.lock");
    let lock = File::create(&lock).context(|| format!("writing {}", lock.display()))?;
    lock.lock().context(|| "waiting for another run to make the WordPress".into())?;

    let sources = sources(workspace, programs)?;
    make_database(mariadb)?;
    if fs::read_to_string(kept.stamp()).is_ok_and(|stamp| stamp == sources) {
        mariadb.load(DATABASE, &kept.statements())?;
    } else {
        eprintln!("xtask: making a WordPress (once)");
        make(workspace, programs, mariadb, &kept)?;
        fs::write(kept.stamp(), sources).context(|| format!("writing {}", kept.stamp().display()))?;
    }

    let site = Site { folder: run.path().join("wordpress"), expected: run.path().join("wordpress.json") };
    copy_tree(&kept.site(), &site.folder, &|_| true)?;
    configure(workspace, mariadb, &site.folder)?;
    fs::copy(kept.expected(), &site.expected).context(|| format!("writing {}", site.expected.display()))?;
    Ok(site)
}

fn make(workspace: &Workspace, programs: &Programs, mariadb: &Mariadb, kept: &Kept) -> Result<()> {
    if kept.folder.exists() {
        fs::remove_dir_all(&kept.folder).context(|| format!("removing {}", kept.folder.display()))?;
    }
    copy_tree(&programs.wordpress, &kept.site(), &is_needed)?;
    copy_tree(&workspace.php().join("site"), &kept.site(), &is_part_of_site)?;
    configure(workspace, mariadb, &kept.site())?;
    let script = |name: &str| php(programs, &workspace.php().join(name), &kept.site());
    script("install.php")?;
    script("fill.php")?;
    // The first request after a change writes caches and schedules; the answers are those of a site at rest.
    script("expected.php")?;
    let expected = script("expected.php")?;
    fs::write(kept.expected(), expected).context(|| format!("writing {}", kept.expected().display()))?;
    mariadb.save(DATABASE, &kept.statements())
}

fn make_database(mariadb: &Mariadb) -> Result<()> {
    let password = PASSWORD.replace('\\', r"\\").replace('\'', r"\'");
    mariadb.execute(&format!(
        "CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4; \
         CREATE USER {USER}@'%' IDENTIFIED BY '{password}'; \
         GRANT ALL ON {DATABASE}.* TO {USER}@'%'"
    ))
}

/// Writes the site's wp-config.php, which names this run's server.
fn configure(workspace: &Workspace, mariadb: &Mariadb, site: &Path) -> Result<()> {
    let template = workspace.php().join("site/wp-config.php");
    let text = fs::read_to_string(&template).context(|| format!("reading {}", template.display()))?;
    let text = text.replace("@DATABASE@", DATABASE).replace("@USER@", USER);
    let text = text.replace("@PASSWORD@", &PASSWORD.replace('\\', r"\\").replace('\'', r"\'"));
    let text = text.replace("@PORT@", &mariadb.port.to_string());
    let file = site.join("wp-config.php");
    fs::write(&file, text).context(|| format!("writing {}", file.display()))
}

/// Runs a script on a site; its output, or what it complained about.
fn php(programs: &Programs, script: &Path, site: &Path) -> Result<Vec<u8>> {
    let mut command = server::clean_command(&programs.php);
    command.args(["-d", "memory_limit=1G", "-d", "display_errors=stderr", "-d", "log_errors=0"]);
    command.arg(script).arg(site).stdin(Stdio::null());
    let output = command.output().context(|| format!("running {}", script.display()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    Err(Failure::new(format!("{} failed ({})\n{}", script.display(), output.status, said.trim())))
}

/// Everything the kept site depends on, as one line.
fn sources(workspace: &Workspace, programs: &Programs) -> Result<String> {
    let mut files = vec![programs.wordpress.join("wp-includes/version.php")];
    list_files(&workspace.php(), &mut files)?;
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in &files {
        let content = fs::read(file).context(|| format!("reading {}", file.display()))?;
        hasher.write(file.as_os_str().as_encoded_bytes());
        hasher.write(&content.len().to_le_bytes());
        hasher.write(&content);
    }
    hasher.write(include_bytes!("wordpress.rs"));
    let version = Command::new(&programs.php).arg("--version").output();
    hasher.write(&version.context(|| "asking PHP for its version".into())?.stdout);
    Ok(format!("{:016x}\n", hasher.finish()))
}

fn list_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).context(|| format!("reading {}", folder.display()))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            list_files(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Debian's stub of a configuration reads /etc; scripts and pictures for browsers are four fifths of the size.
fn is_needed(path: &Path) -> bool {
    let inside = |part: &str| path.to_string_lossy().contains(part);
    if path.file_name().is_some_and(|name| name == "wp-config.php") || inside("/wp-content/languages") {
        return false;
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    path.is_dir() || inside("/themes/") || matches!(extension, Some("php" | "json" | "html" | "txt"))
}

fn is_part_of_site(path: &Path) -> bool {
    path.file_name().is_none_or(|name| name != ".gitattributes")
}

/// Copies the chosen files of a tree over another; links are followed, dangling ones left out.
fn copy_tree(from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<()> {
    fs::create_dir_all(to).context(|| format!("making {}", to.display()))?;
    let entries = fs::read_dir(from).context(|| format!("reading {}", from.display()))?;
    for entry in entries {
        let entry = entry.context(|| format!("reading {}", from.display()))?;
        let (source, copy) = (entry.path(), to.join(entry.file_name()));
        if !wanted(&source) || !source.exists() {
            continue;
        }
        if source.is_dir() {
            copy_tree(&source, &copy, wanted)?;
        } else {
            fs::copy(&source, &copy).context(|| format!("copying {}", source.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_copy_has_what_links_point_to_and_nothing_unwanted() {
        let scratch = std::env::temp_dir().join(format!("siteclaw-xtask-{}-copy", std::process::id()));
        let from = scratch.join("wordpress");
        fs::create_dir_all(from.join("wp-includes/js")).unwrap();
        fs::write(scratch.join("elsewhere.php"), "<?php // linked").unwrap();
        symlink(scratch.join("elsewhere.php"), from.join("wp-includes/linked.php")).unwrap();
        symlink("/nonexistent/nowhere.php", from.join("wp-includes/dangling.php")).unwrap();
        for file in ["wp-config.php", "wp-load.php", "wp-includes/js/big.js"] {
            fs::write(from.join(file), "x").unwrap();
        }
        let to = scratch.join("copy");

        copy_tree(&from, &to, &is_needed).unwrap();

        let linked = to.join("wp-includes/linked.php");
        assert_eq!(fs::read_to_string(&linked).unwrap(), "<?php // linked");
        assert!(!linked.is_symlink() && to.join("wp-load.php").is_file());
        for absent in ["wp-config.php", "wp-includes/dangling.php", "wp-includes/js/big.js"] {
            assert!(!to.join(absent).exists(), "{absent}");
        }
        fs::remove_dir_all(scratch).unwrap();
    }
}
