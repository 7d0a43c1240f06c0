//! The programs of the system that the tests need, and the Debian packages that bring them.
//!
//! Nothing is installed that is there already, and no package that sets up a web server: MariaDB comes as its
//! programs alone, WordPress is unpacked without being installed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::account;
use crate::failure::{Context, Failure, Result};
use crate::workspace::Workspace;

const WORDPRESS: &str = "usr/share/wordpress";

/// Where everything was found.
pub(crate) struct Programs {
    pub(crate) mariadbd: PathBuf,
    pub(crate) mariadb_install_db: PathBuf,
    pub(crate) mariadb: PathBuf,
    pub(crate) mariadb_dump: PathBuf,
    pub(crate) initdb: PathBuf,
    pub(crate) postgres: PathBuf,
    pub(crate) pg_isready: PathBuf,
    pub(crate) php: PathBuf,
    /// The folder of a genuine WordPress.
    pub(crate) wordpress: PathBuf,
}

/// Finds all programs, after installing what is missing.
pub(crate) fn provide(workspace: &Workspace) -> Result<Programs> {
    let missing = missing_packages();
    let no_wordpress = find_wordpress(workspace).is_none();
    if !missing.is_empty() || no_wordpress {
        let wanted: Vec<&str> = missing.iter().copied().chain(no_wordpress.then_some("wordpress")).collect();
        may_install(&wanted)?;
        update()?;
        install(&missing)?;
        if no_wordpress {
            unpack_wordpress(workspace)?;
        }
    }
    let program = |name: &'static str| {
        find(name).ok_or_else(|| {
            Failure::new(format!("{name} was not found, not even after installing its package"))
        })
    };
    Ok(Programs {
        mariadbd: program("mariadbd")?,
        mariadb_install_db: program("mariadb-install-db")?,
        mariadb: program("mariadb")?,
        mariadb_dump: program("mariadb-dump")?,
        initdb: program("initdb")?,
        postgres: program("postgres")?,
        pg_isready: program("pg_isready")?,
        php: program("php")?,
        wordpress: find_wordpress(workspace).ok_or_else(|| Failure::new("no WordPress was found"))?,
    })
}

/// Makes sure of one program; `packages` are what Debian calls it.
pub(crate) fn provide_program(name: &str, packages: &[&str]) -> Result<PathBuf> {
    if find(name).is_none() {
        install_packages(packages)?;
    }
    find(name)
        .ok_or_else(|| Failure::new(format!("{name} was not found, not even after installing its package")))
}

/// Installs packages, or says that somebody has to.
pub(crate) fn install_packages(packages: &[&str]) -> Result<()> {
    may_install(packages)?;
    update()?;
    install(packages)
}

fn may_install(packages: &[&str]) -> Result<()> {
    if account::is_root() && find("apt-get").is_some() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "these packages are missing and installing them takes root and apt-get:\n  \
         apt-get install --no-install-recommends {}",
        packages.join(" ")
    )))
}

fn missing_packages() -> Vec<&'static str> {
    let wanted = [
        ("mariadbd", "mariadb-server-core"),
        ("mariadb", "mariadb-client-core"),
        ("mariadb-dump", "mariadb-client"),
        ("initdb", "postgresql"),
        ("zstd", "zstd"),
        ("php", "php-cli"),
    ];
    let absent = wanted.iter().filter(|(program, _)| find(program).is_none());
    let mut missing: Vec<&str> = absent.map(|(_, package)| *package).collect();
    if !php_knows_mysql() {
        missing.push("php-mysql");
    }
    missing
}

fn php_knows_mysql() -> bool {
    let Some(php) = find("php") else { return false };
    let listed = Command::new(php).arg("-m").output();
    listed
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).lines().any(|module| module == "mysqli"))
}

/// A program by name; servers lie outside an ordinary user's search path.
fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders = postgres_folders();
    folders.extend(env::split_paths(&path));
    folders.extend(["/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from));
    folders.into_iter().map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Debian keeps each PostgreSQL in a folder of its own, so that several fit on a machine; the newest comes first.
fn postgres_folders() -> Vec<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, bin)| bin.join("initdb").is_file())
        .collect();
    found.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, bin)| bin).collect()
}

fn find_wordpress(workspace: &Workspace) -> Option<PathBuf> {
    let installed = Path::new("/").join(WORDPRESS);
    let unpacked = package_folder(workspace).join(WORDPRESS);
    [installed, unpacked].into_iter().find(|folder| folder.join("wp-includes/version.php").is_file())
}

fn package_folder(workspace: &Workspace) -> PathBuf {
    workspace.services().join("wordpress-package")
}

/// Debian's package depends on a web server that would start at once; only its files are needed.
fn unpack_wordpress(workspace: &Workspace) -> Result<()> {
    let folder = package_folder(workspace);
    fs::create_dir_all(&folder).context(|| format!("making {}", folder.display()))?;
    run(apt_get().current_dir(&folder).args(["download", "-qq", "wordpress"]))?;
    let entries = fs::read_dir(&folder).context(|| format!("reading {}", folder.display()))?;
    let packages = entries.flatten().map(|entry| entry.path());
    let package =
        packages.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "deb"));
    let package = package.ok_or_else(|| Failure::new("apt-get download brought no WordPress"))?;
    run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&folder))?;
    fs::remove_file(&package).context(|| format!("removing {}", package.display()))
}

fn update() -> Result<()> {
    eprintln!("xtask: apt-get update");
    run(apt_get().args(["update", "-qq"]))
}

fn install(packages: &[&str]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    eprintln!("xtask: apt-get install {}", packages.join(" "));
    run(apt_get().args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages))
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    // Another package manager may be at work: wait for it.
    command
        .args(["-o", "DPkg::Lock::Timeout=300"])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null());
    command
}

/// Quiet while all goes well.
fn run(command: &mut Command) -> Result<()> {
    let output = command.output().context(|| format!("running {command:?}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(Failure::new(format!(
        "{command:?} failed ({})\n{}",
        output.status,
        String::from_utf8_lossy(&said).trim()
    )))
}
