//! What a root refuses and gives, with the kernel's resolution and with the walk.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::*;

const BOTH: [Resolution; 2] = [Resolution::Kernel, Resolution::Walk];

/// `outside/secret` beside `site`, which holds `index.php`, `sub/inner.txt` and whatever a test adds.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let place = Self { dir };
        fs::create_dir_all(place.at("site/sub")).unwrap();
        fs::create_dir(place.at("outside")).unwrap();
        fs::write(place.at("outside/secret"), "SECRET").unwrap();
        fs::write(place.at("site/index.php"), "<?php").unwrap();
        fs::write(place.at("site/sub/inner.txt"), "inner").unwrap();
        place
    }

    /// A real path, since the folder for temporary files may itself lie behind a link.
    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    fn link(&self, target: impl AsRef<Path>, at: &str) {
        symlink(target, self.at(at)).unwrap();
    }

    fn root(&self, links: Links, resolution: Resolution) -> Root {
        Root::open_with(self.at("site"), Options { links, resolution, ..Options::default() }).unwrap()
    }
}

fn rel(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn text(root: &Root, path: &str) -> Result<String, RootError> {
    root.read(&rel(path), 1000).map(|bytes| String::from_utf8(bytes.data).unwrap())
}

/// Whether `openat2` is there: some sandboxes that run tests have none.
fn kernel_resolves() -> bool {
    #[cfg(target_os = "linux")]
    let answer = rustix::fs::openat2(
        rustix::fs::CWD,
        ".",
        OFlags::PATH,
        Mode::empty(),
        rustix::fs::ResolveFlags::NO_MAGICLINKS,
    );
    #[cfg(not(target_os = "linux"))]
    let answer = Err::<OwnedFd, _>(rustix::io::Errno::NOSYS);
    answer.is_ok()
}

#[test]
fn the_walk_takes_over_only_where_the_kernel_cannot() {
    let place = Place::new();
    let root = place.root(Links::Refuse, Resolution::Kernel);
    root.read(&rel("sub/inner.txt"), 9).unwrap();
    assert_eq!(root.walks(), !kernel_resolves());
    assert!(place.root(Links::Refuse, Resolution::Walk).walks());
}

#[test]
fn files_are_read_to_the_bound_and_no_further() {
    let place = Place::new();
    for resolution in BOTH {
        let root = place.root(Links::Refuse, resolution);
        let read = |max| root.read(&rel("sub/inner.txt"), max).unwrap();
        assert_eq!(read(5), Bytes { data: b"inner".to_vec(), size: 5, cut: false });
        assert_eq!(read(4), Bytes { data: b"inne".to_vec(), size: 5, cut: true });
        assert_eq!(read(0), Bytes { data: vec![], size: 5, cut: true });
        let tail = |max| root.read_tail(&rel("sub/inner.txt"), max).unwrap();
        assert_eq!(tail(3), Bytes { data: b"ner".to_vec(), size: 5, cut: true });
        assert_eq!(tail(9), Bytes { data: b"inner".to_vec(), size: 5, cut: false });
    }
}

#[test]
fn what_is_absent_or_of_the_wrong_kind_is_said_by_its_path() {
    let place = Place::new();
    for resolution in BOTH {
        let root = place.root(Links::Refuse, resolution);
        let error = text(&root, "sub/none").unwrap_err();
        assert_eq!(error.to_string(), "sub/none does not exist.");
        assert!(matches!(text(&root, "sub"), Err(RootError::NotAFile { .. })));
        assert!(matches!(text(&root, "."), Err(RootError::NotAFile { .. })));
        assert!(matches!(text(&root, "index.php/x"), Err(RootError::NotADirectory { .. })));
        assert!(matches!(root.list(&rel("index.php"), 9), Err(RootError::NotADirectory { .. })));
        assert!(matches!(Root::open(place.at("none")), Err(RootError::NotFound { .. })));
        assert!(matches!(Root::open(place.at("site/index.php")), Err(RootError::NotADirectory { .. })));
    }
}

#[test]
fn a_folder_with_the_same_prefix_is_another_folder() {
    let place = Place::new();
    fs::create_dir(place.at("site-backup")).unwrap();
    fs::write(place.at("site-backup/x"), "SECRET").unwrap();
    place.link("../site-backup/x", "site/x");
    place.link(place.at("site-backup"), "site/backup");
    for resolution in BOTH {
        let root = place.root(Links::WithinRoot, resolution);
        let absolute = place.at("site-backup/x");
        assert!(matches!(RelPath::from_path(&absolute), Err(RootError::Outside { .. })));
        assert!(matches!(root.relative(&absolute), Err(RootError::Outside { .. })));
        assert!(matches!(text(&root, "x"), Err(RootError::Link { .. })));
        assert!(matches!(text(&root, "backup/x"), Err(RootError::Link { .. })));
        assert_eq!(root.relative(&place.at("site/sub")).unwrap(), rel("sub"));
        assert_eq!(root.absolute(&rel("sub")), place.at("site/sub"));
    }
}

#[test]
fn links_that_lead_out_are_refused_and_their_target_named() {
    let place = Place::new();
    place.link(place.at("outside/secret"), "site/file");
    place.link("../outside", "site/folder");
    place.link("../../outside/secret", "site/sub/climbs");
    place.link("folder", "site/chain");
    place.link("/proc/self/root", "site/magic");
    let secret = place.at("outside/secret");
    for resolution in BOTH {
        for links in [Links::Refuse, Links::WithinRoot] {
            let root = place.root(links, resolution);
            for (path, target) in [
                ("file", secret.clone()),
                ("folder/secret", place.at("outside")),
                ("sub/climbs", secret.clone()),
                ("magic/etc/passwd", PathBuf::from("/")),
            ] {
                let error = text(&root, path).unwrap_err();
                assert!(matches!(error, RootError::Link { .. }), "{path}: {error:?}");
                if !(path.starts_with("magic") && links == Links::Refuse) {
                    assert_eq!(error.target(), Some(target.as_path()), "{path}");
                }
                assert!(error.to_string().starts_with(path));
                assert!(!error.to_string().contains("outside"), "{error}");
            }
            assert!(matches!(text(&root, "chain/secret"), Err(RootError::Link { .. })));
            assert!(matches!(root.list(&rel("folder"), 9), Err(RootError::Link { .. })));
            assert!(matches!(root.metadata(&rel("file")), Err(RootError::Link { .. })));
            assert!(matches!(root.folder(&rel("folder")), Err(RootError::Link { .. })));
            assert!(!root.exists(&rel("folder/secret")));
        }
    }
}

#[test]
fn links_that_stay_beneath_are_followed_on_request_only() {
    let place = Place::new();
    place.link("sub/inner.txt", "site/relative");
    place.link(place.at("site/sub/inner.txt"), "site/absolute");
    place.link("../index.php", "site/sub/up");
    place.link("../sub", "site/sub/again");
    place.link("relative", "site/twice");
    place.link("../site/sub", "site/out-and-in");
    place.link(place.at("site"), "site/self");
    let followed = [
        ("relative", "inner"),
        ("absolute", "inner"),
        ("sub/up", "<?php"),
        ("sub/again/again/inner.txt", "inner"),
        ("twice", "inner"),
        ("out-and-in/inner.txt", "inner"),
        ("self/self/index.php", "<?php"),
    ];
    for resolution in BOTH {
        let (refuse, follow) =
            (place.root(Links::Refuse, resolution), place.root(Links::WithinRoot, resolution));
        for (path, content) in followed {
            assert!(matches!(text(&refuse, path), Err(RootError::Link { .. })), "{path}");
            assert_eq!(text(&follow, path).unwrap(), content, "{path}");
        }
        assert_eq!(follow.metadata(&rel("self/sub")).unwrap().kind, Kind::Folder);
        assert_eq!(follow.list(&rel("out-and-in"), 9).unwrap().entries.len(), 3);
        assert_eq!(follow.folder(&rel("out-and-in")).unwrap().path(), place.at("site/sub"));
    }
}

#[test]
fn a_root_named_through_a_link_still_knows_its_own_links() {
    let place = Place::new();
    place.link("site", "current");
    place.link(place.at("current/sub"), "site/by-the-other-name");
    for resolution in BOTH {
        let options = Options { links: Links::WithinRoot, resolution, ..Options::default() };
        let root = Root::open_with(place.at("current"), options).unwrap();
        assert_eq!(root.path(), place.at("site"));
        assert_eq!(text(&root, "by-the-other-name/inner.txt").unwrap(), "inner");
    }
}

#[test]
fn links_without_an_end_are_refused() {
    let place = Place::new();
    place.link("b", "site/a");
    place.link("a", "site/b");
    place.link("deep/deep", "site/deep");
    place.link("gone", "site/dangling");
    place.link("sub/../../outside/secret", "site/winding");
    for resolution in BOTH {
        let root = place.root(Links::WithinRoot, resolution);
        assert!(matches!(text(&root, "a"), Err(RootError::Link { .. })));
        assert!(matches!(text(&root, "deep"), Err(RootError::Link { .. } | RootError::TooLong { .. })));
        assert!(matches!(text(&root, "dangling"), Err(RootError::NotFound { .. })));
        assert!(matches!(text(&root, "winding"), Err(RootError::Link { .. })));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_no_regular_file_is_refused_without_waiting() {
    use rustix::fs::{CWD, FileType};
    let place = Place::new();
    let mode = Mode::RUSR | Mode::WUSR;
    rustix::fs::mknodat(CWD, place.at("site/fifo"), FileType::Fifo, mode, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.at("site/socket")).unwrap();
    for resolution in BOTH {
        let root = place.root(Links::Refuse, resolution);
        for path in ["fifo", "socket"] {
            assert!(matches!(text(&root, path), Err(RootError::NotAFile { .. })), "{path}");
            assert!(matches!(root.open_file(&rel(path)), Err(RootError::NotAFile { .. })), "{path}");
            assert_eq!(root.metadata(&rel(path)).unwrap().kind, Kind::Other);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_machine_s_own_files_are_refused() {
    let own = format!("proc/{}/environ", std::process::id());
    for resolution in BOTH {
        let slash = Root::open_with("/", Options { resolution, ..Options::default() }).unwrap();
        assert_eq!(slash.metadata(&rel(&own)).unwrap().kind, Kind::File);
        assert!(matches!(text(&slash, &own), Err(RootError::NotAFile { .. })));
        assert!(matches!(text(&slash, "proc/self/environ"), Err(RootError::Link { .. })));
        assert!(matches!(text(&slash, "dev/zero"), Err(RootError::NotAFile { .. })));
        let trust = [PathBuf::from("/proc")];
        let site = Root::open(tempfile::tempdir().unwrap().path()).unwrap();
        let error = site.trusted_file(Path::new("/proc/self/environ"), &trust).unwrap_err();
        assert!(matches!(error, RootError::NotAFile { .. }));
    }
}

#[test]
fn a_huge_file_costs_what_is_asked_for() {
    const SIZE: u64 = 50 << 30;
    let place = Place::new();
    fs::File::create(place.at("site/huge.log")).unwrap().set_len(SIZE).unwrap();
    for resolution in BOTH {
        let root = place.root(Links::Refuse, resolution);
        for bytes in [root.read(&rel("huge.log"), 4096), root.read_tail(&rel("huge.log"), 4096)] {
            let bytes = bytes.unwrap();
            assert_eq!((bytes.data.len(), bytes.size, bytes.cut), (4096, SIZE, true));
            assert!(bytes.data.capacity() < 100_000);
        }
    }
}

#[test]
fn listings_are_sorted_by_bytes_and_say_what_is_left_out() {
    let place = Place::new();
    for name in ["b", "B", "a10", "a2", "é"] {
        fs::write(place.at("site/sub").join(name), "12").unwrap();
    }
    place.link("/etc/passwd", "site/sub/z-link");
    for resolution in BOTH {
        let root = place.root(Links::WithinRoot, resolution);
        let names = |listing: &Listing| -> Vec<String> {
            listing.entries.iter().map(|entry| entry.name.to_str().unwrap().to_owned()).collect()
        };
        let all = root.list(&rel("sub"), 100).unwrap();
        assert_eq!(names(&all), ["B", "a10", "a2", "b", "inner.txt", "z-link", "é"]);
        assert_eq!(all.left_out, 0);
        let find = |name: &str| all.entries.iter().find(|entry| entry.name == name).unwrap();
        assert_eq!((find("inner.txt").kind, find("inner.txt").size), (Kind::File, 5));
        assert_eq!(find("z-link").kind, Kind::Link);

        let first = root.list(&rel("sub"), 2).unwrap();
        assert_eq!((names(&first), first.left_out), (vec!["B".into(), "a10".into()], 5));
        assert_eq!(names(&root.list(&rel("."), 9).unwrap()), ["index.php", "sub"]);
    }
}

/// Needs the right to give files away.
#[test]
fn a_private_file_of_another_owner_is_not_read_through_a_hard_link() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let place = Place::new();
    let secret = place.at("outside/secret");
    if chown(&secret, Some(12345), None).is_err() {
        return;
    }
    fs::hard_link(&secret, place.at("site/hard")).unwrap();
    let root = Root::open(place.at("site")).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(matches!(text(&root, "hard"), Err(RootError::ForeignHardLink { .. })));
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(text(&root, "hard").unwrap(), "SECRET");
}

#[test]
fn a_file_outside_is_opened_only_where_the_user_trusts_its_real_place() {
    use std::io::Read;
    let place = Place::new();
    fs::create_dir(place.at("outside-too")).unwrap();
    fs::write(place.at("outside-too/x"), "").unwrap();
    place.link(place.at("outside/secret"), "outside/by-name");
    place.link(place.at("outside"), "trusted-link");
    let secret = place.at("outside/secret");
    for resolution in BOTH {
        let root = place.root(Links::Refuse, resolution);
        let open = |path: &str, trust: &[PathBuf]| {
            root.trusted_file(&place.at(path), trust).map(|mut file| {
                let mut text = String::new();
                file.read_to_string(&mut text).unwrap();
                text
            })
        };
        let refused = |path: &str, trust: PathBuf| {
            let error = open(path, &[trust]).unwrap_err();
            assert!(matches!(error, RootError::Untrusted { .. }), "{path}: {error:?}");
            error.target().unwrap().to_owned()
        };
        assert_eq!(open("outside/secret", std::slice::from_ref(&secret)).unwrap(), "SECRET");
        assert_eq!(open("outside/secret", &[place.at("outside")]).unwrap(), "SECRET");
        assert_eq!(open("outside/by-name", std::slice::from_ref(&secret)).unwrap(), "SECRET");
        assert_eq!(open("site/index.php", &[]).unwrap(), "<?php");

        assert_eq!(refused("outside/secret", place.at("outside/other")), secret);
        assert_eq!(refused("outside/by-name", place.at("outside/by-name")), secret);
        assert_eq!(refused("outside/secret", place.at("trusted-link")), secret);
        assert_eq!(refused("trusted-link/secret", place.at("site")), secret);
        assert_eq!(refused("outside-too/x", place.at("outside")), place.at("outside-too/x"));
        refused("outside/secret", PathBuf::from("/"));
        refused("outside/secret", PathBuf::from("outside"));
        let inside = open("outside", &[place.at("outside")]);
        assert!(matches!(inside, Err(RootError::NotAFile { .. })));
    }
}

/// Another process swaps a folder, and a file, for links to the outside while reads go on.
#[test]
fn a_link_swapped_in_is_refused_every_time() {
    for links in [Links::Refuse, Links::WithinRoot] {
        for resolution in BOTH {
            race(links, resolution, ("sub", "outside"), 2_000);
            // The moment between looking at a file and opening it is short.
            race(links, resolution, ("sub/secret", "outside/secret"), 20_000);
        }
    }
}

fn race(links: Links, resolution: Resolution, (swapped, target): (&str, &str), reads: u32) {
    let place = Place::new();
    fs::write(place.at("site/sub/secret"), "inside").unwrap();
    place.link(place.at(target), "site/spare");
    let root = place.root(links, resolution);
    let stop = AtomicBool::new(false);
    let swap = || {
        while !stop.load(Ordering::Relaxed) {
            for (from, to) in [(swapped, "away"), ("spare", swapped), (swapped, "spare"), ("away", swapped)] {
                fs::rename(place.at("site").join(from), place.at("site").join(to)).unwrap();
            }
        }
    };
    let (mut given, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        let swapper = scope.spawn(swap);
        for _ in 0..2_000_000 {
            match text(&root, "sub/secret") {
                Ok(text) => {
                    if text != "inside" {
                        stop.store(true, Ordering::Relaxed);
                    }
                    assert_eq!(text, "inside");
                    given += 1;
                }
                Err(RootError::Link { .. }) => refused += 1,
                Err(RootError::NotFound { .. } | RootError::NotADirectory { .. }) => {}
                Err(other) => {
                    stop.store(true, Ordering::Relaxed);
                    panic!("{other:?}");
                }
            }
            if given + refused >= reads && given >= 100 && refused >= 100 {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        swapper.join().unwrap();
    });
    assert!(given >= 100 && refused >= 100, "{given} given, {refused} refused: nothing was raced");
}
