//! Writing beneath a root: all or nothing, and never through what somebody put there meanwhile.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

struct Place {
    folder: TempDir,
    root: Root,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        fs::write(folder.path().join("outside"), "outside").unwrap();
        let root = Root::open(folder.path().join("work")).unwrap();
        Self { folder, root }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("work").join(path)
    }

    fn names(&self) -> Vec<String> {
        let listing = self.root.list(&RelPath::root(), 100).unwrap();
        listing.into_iter().map(|entry| entry.name.into_string().unwrap()).collect()
    }

    fn create(&self, path: &str, text: &str) -> Result<(), RootError> {
        let mut draft = self.root.draft(&rel(path), false)?;
        draft.write(text.as_bytes())?;
        draft.create(|| true)
    }

    fn replace(&self, path: &str, held: &Held, text: &str) -> Result<bool, RootError> {
        let mut draft = self.root.draft(&rel(path), true)?;
        draft.write(text.as_bytes())?;
        draft.replace(held, || true)
    }

    fn outside(&self) -> String {
        fs::read_to_string(self.folder.path().join("outside")).unwrap()
    }
}

fn rel(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

#[test]
fn a_new_file_takes_a_free_name_only() {
    let place = Place::new();
    place.create("a.txt", "new").unwrap();
    assert_eq!(fs::read_to_string(place.at("a.txt")).unwrap(), "new");
    let umask = 0o777 & !fs::metadata(place.at("a.txt")).unwrap().permissions().mode();
    assert_eq!(umask & 0o600, 0, "the owner may read and write");
    File::create(place.at("plain")).unwrap();
    let usual = fs::metadata(place.at("plain")).unwrap().permissions().mode();
    assert_eq!(fs::metadata(place.at("a.txt")).unwrap().permissions().mode(), usual);

    assert!(matches!(place.create("a.txt", "again"), Err(RootError::Exists { .. })));
    symlink(place.folder.path().join("outside"), place.at("link")).unwrap();
    symlink(place.folder.path().join("absent"), place.at("dangling")).unwrap();
    for name in ["link", "dangling"] {
        assert!(matches!(place.create(name, "x"), Err(RootError::Exists { .. })), "{name}");
    }
    assert_eq!(fs::read_to_string(place.at("a.txt")).unwrap(), "new");
    assert_eq!((place.outside().as_str(), place.folder.path().join("absent").exists()), ("outside", false));
    assert_eq!(place.names(), ["a.txt", "dangling", "link", "plain"]);
}

#[test]
fn nothing_is_left_of_a_file_that_does_not_get_its_name() {
    let place = Place::new();
    drop(place.root.draft(&rel("a.txt"), true).unwrap());
    let draft = place.root.draft(&rel("a.txt"), true).unwrap();
    assert!(matches!(draft.create(|| false), Err(RootError::Io { .. })));
    assert!(place.names().is_empty());
}

#[test]
fn a_replacement_keeps_mode_and_attributes_and_drops_what_lends_rights() {
    let place = Place::new();
    place.create("a.txt", "old").unwrap();
    fs::set_permissions(place.at("a.txt"), PermissionsExt::from_mode(0o4640)).unwrap();
    let attribute = b"user.note";
    let file = File::open(place.at("a.txt")).unwrap();
    let attributes =
        rustix::fs::fsetxattr(&file, &attribute[..], b"kept", rustix::fs::XattrFlags::empty()).is_ok();
    let owner = if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(place.at("a.txt"), Some(4711), Some(4712)).unwrap();
        fs::set_permissions(place.at("a.txt"), PermissionsExt::from_mode(0o4640)).unwrap();
        (4711, 4712)
    } else {
        let meta = fs::metadata(place.at("a.txt")).unwrap();
        (meta.uid(), meta.gid())
    };
    let held = place.root.hold(&rel("a.txt"), 100).unwrap();
    assert!(place.replace("a.txt", &held, "new").unwrap());
    let meta = fs::metadata(place.at("a.txt")).unwrap();
    assert_eq!((meta.mode() & 0o7777, meta.uid(), meta.gid()), (0o640, owner.0, owner.1));
    assert_eq!(fs::read_to_string(place.at("a.txt")).unwrap(), "new");
    if attributes {
        let mut value = [0; 16];
        let file = File::open(place.at("a.txt")).unwrap();
        let length = rustix::fs::fgetxattr(&file, &attribute[..], &mut value[..]).unwrap();
        assert_eq!(&value[..length], b"kept");
    }
    assert_eq!(place.names(), ["a.txt"]);
}

#[test]
fn only_what_was_read_is_replaced() {
    type Change = fn(&Place);
    let changes: [(&str, Change); 5] = [
        ("other content", |place| fs::write(place.at("a.txt"), "theirs").unwrap()),
        ("another file", |place| {
            fs::write(place.at("b"), "old").unwrap();
            fs::rename(place.at("b"), place.at("a.txt")).unwrap();
        }),
        ("a link", |place| {
            fs::remove_file(place.at("a.txt")).unwrap();
            symlink(place.folder.path().join("outside"), place.at("a.txt")).unwrap();
        }),
        ("a folder", |place| {
            fs::remove_file(place.at("a.txt")).unwrap();
            fs::create_dir(place.at("a.txt")).unwrap();
        }),
        ("nothing", |place| fs::remove_file(place.at("a.txt")).unwrap()),
    ];
    for (what, change) in changes {
        let place = Place::new();
        place.create("a.txt", "old").unwrap();
        let held = place.root.hold(&rel("a.txt"), 100).unwrap();
        change(&place);
        let before = fs::symlink_metadata(place.at("a.txt")).map(|meta| meta.ino()).ok();
        let refused = place.replace("a.txt", &held, "ours");
        assert!(matches!(refused, Err(RootError::Changed { .. })), "{what}: {refused:?}");
        assert_eq!(fs::symlink_metadata(place.at("a.txt")).map(|meta| meta.ino()).ok(), before, "{what}");
        assert_eq!(place.outside(), "outside", "{what}");
        assert!(place.names().len() <= 1, "{what}: {:?}", place.names());
    }
}

#[test]
fn folders_are_made_beneath_and_never_through_a_link() {
    let place = Place::new();
    place.root.make_folders(&rel("a/b/c")).unwrap();
    place.root.make_folders(&rel("a/b/c")).unwrap();
    place.create("a/b/c/x.txt", "x").unwrap();
    symlink(place.folder.path(), place.at("up")).unwrap();
    assert!(matches!(place.root.make_folders(&rel("up/new")), Err(RootError::Link { .. })));
    assert!(matches!(place.create("up/x.txt", "x"), Err(RootError::Link { .. })));
    place.create("file", "x").unwrap();
    assert!(matches!(place.root.make_folders(&rel("file/new")), Err(RootError::NotADirectory { .. })));
    assert!(!place.folder.path().join("new").exists() && !place.folder.path().join("x.txt").exists());
}

#[test]
fn what_is_hidden_is_neither_replaced_nor_written_into() {
    let place = Place::new();
    place.create("rules", "deny").unwrap();
    place.root.make_folders(&rel("state")).unwrap();
    let root = place.root.without(&[place.at("rules"), place.at("state")]).unwrap();
    for path in ["rules", "state/x.txt"] {
        assert!(matches!(root.draft(&rel(path), true), Err(RootError::PermissionDenied { .. })), "{path}");
    }
    assert!(root.make_folders(&rel("state/deep")).is_err());
    assert!(root.draft(&rel("free"), true).is_ok());
}

/// A second thread swaps the target for a link to a file outside and back, as fast as it can.
#[test]
fn a_target_that_is_swapped_for_a_link_is_never_written_through() {
    let place = Place::new();
    let (target, spare) = (place.at("a.txt"), place.at("spare"));
    let done = AtomicBool::new(false);
    fs::write(&target, "old").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = symlink(place.folder.path().join("outside"), &spare);
                let _ = fs::rename(&spare, &target);
                let _ = fs::write(&spare, "old");
                let _ = fs::rename(&spare, &target);
            }
        });
        let mut replaced = 0;
        for _ in 0..60 {
            if let Ok(held) = place.root.hold(&rel("a.txt"), 100)
                && place.replace("a.txt", &held, "ours").is_ok()
            {
                replaced += 1;
            }
            let _ = place.create("a.txt", "ours");
        }
        done.store(true, Ordering::Relaxed);
        println!("replaced {replaced} of 60");
    });
    assert_eq!(place.outside(), "outside");
    assert!(place.names().iter().all(|name| !Root::is_draft(name.as_ref())), "{:?}", place.names());
}

/// A second thread swaps the folder of the target for a link to a folder outside.
#[test]
fn a_folder_that_is_swapped_for_a_link_leads_nowhere() {
    let place = Place::new();
    let elsewhere = place.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::create_dir(place.at("sub")).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = fs::rename(place.at("sub"), place.at("kept"));
                let _ = symlink(&elsewhere, place.at("sub"));
                let _ = fs::remove_file(place.at("sub"));
                let _ = fs::rename(place.at("kept"), place.at("sub"));
            }
        });
        for _ in 0..60 {
            let _ = place.root.make_folders(&rel("sub/deep"));
            let _ = place.create("sub/new.txt", "ours");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn what_is_written_is_what_is_read(old in prop::collection::vec(any::<u8>(), 0..300_000), new in prop::collection::vec(any::<u8>(), 0..1000)) {
        let place = Place::new();
        fs::write(place.at("a"), &old).unwrap();
        let held = place.root.hold(&rel("a"), 400_000).unwrap();
        prop_assert_eq!(held.bytes(), &old[..]);
        let mut draft = place.root.draft(&rel("a"), true).unwrap();
        draft.write(&new).unwrap();
        draft.replace(&held, || true).unwrap();
        prop_assert_eq!(fs::read(place.at("a")).unwrap(), new);
    }
}
