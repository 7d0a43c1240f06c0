//! Whose rights file work has.
//!
//! Started as root, the program could read what no user of the machine may, for whoever asks. So a root
//! process does all file work with the rights of the site's owner: the effective user, group and groups of
//! the one thread that works are changed before and put back after, also when the work panics. The system
//! then judges every open, create and rename by itself.
//!
//! On Linux these calls are of the thread, not of the process
//! (<https://man7.org/linux/man-pages/man7/credentials.7.html>). Elsewhere a root process does file work as
//! root, and private files of root are refused ([`Options::refuse_private_of_root`]).
//!
//! [`Options::refuse_private_of_root`]: crate::root::Options::refuse_private_of_root

use siteclaw_core::{Code, ToolError};

/// The rights for file work could not be taken on.
pub(super) const RIGHTS_UNAVAILABLE: Code = Code::new("RIGHTS_UNAVAILABLE");

/// Whose rights file work has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The process's own.
    Process,
    /// Those of this user, taken on by a root process.
    User {
        /// The user.
        uid: u32,
        /// The user's group, and the only one.
        gid: u32,
    },
}

impl Identity {
    /// The identity for work on behalf of the owner of a folder: the owner's where this process is root and
    /// the owner is not, else the process's own.
    pub fn on_behalf_of(uid: u32, gid: u32) -> Self {
        if cfg!(target_os = "linux") && is_root() && uid != 0 {
            Self::User { uid, gid }
        } else {
            Self::Process
        }
    }

    /// Does the work with these rights. Fails without doing it when they cannot be taken on.
    pub fn run<T>(self, work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
        match self {
            Self::Process => work(),
            Self::User { uid, gid } => {
                let taken = taken::take(uid, gid)?;
                let result = work();
                drop(taken);
                result
            }
        }
    }
}

/// Whether this process is root.
pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(target_os = "linux")]
mod taken {
    use rustix::fs::{Gid, Uid};
    use rustix::process::{getegid, getgroups};
    use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
    use siteclaw_core::ToolError;

    use super::RIGHTS_UNAVAILABLE;

    /// What the thread had before, put back when dropped.
    pub(super) struct Taken {
        gid: Gid,
        groups: Vec<Gid>,
    }

    pub(super) fn take(uid: u32, gid: u32) -> Result<Taken, ToolError> {
        let refused = |errno: rustix::io::Errno| {
            ToolError::new(
                RIGHTS_UNAVAILABLE,
                "The rights of the site's owner could not be taken on, so no file was touched.",
            )
            .hint("Start siteclaw as the site's owner instead of as root.")
            .source(std::io::Error::from(errno))
        };
        // From here on a failure puts back what was changed until then.
        let taken = Taken { gid: getegid(), groups: getgroups().map_err(refused)? };
        let gid = Gid::from_raw(gid);
        set_thread_groups(&[gid]).map_err(refused)?;
        set_thread_res_gid(None, gid, None).map_err(refused)?;
        // Real and saved user stay root: the thread can go back, and the owner's processes cannot signal it.
        set_thread_res_uid(None, Uid::from_raw(uid), None).map_err(refused)?;
        Ok(taken)
    }

    impl Drop for Taken {
        fn drop(&mut self) {
            let back = set_thread_res_uid(None, Uid::ROOT, None)
                .and_then(|()| set_thread_res_gid(None, self.gid, None))
                .and_then(|()| set_thread_groups(&self.groups));
            if let Err(errno) = back {
                // The thread keeps fewer rights than it had, never more.
                tracing::error!(%errno, "a thread could not take its rights back");
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod taken {
    use siteclaw_core::ToolError;

    pub(super) fn take(_: u32, _: u32) -> Result<(), ToolError> {
        Err(ToolError::new(super::RIGHTS_UNAVAILABLE, "Rights are not taken on here."))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn effective() -> (u32, u32) {
        (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
    }

    #[test]
    fn a_root_process_works_as_the_owner_and_is_itself_again_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let private = folder.path().join("private");
        std::fs::write(&private, "x").unwrap();
        let before = effective();
        let identity = Identity::on_behalf_of(4711, 4712);
        if before.0 != 0 {
            assert_eq!(identity, Identity::Process);
            return;
        }
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&private, std::fs::Permissions::from_mode(0o600)).unwrap();
        let seen = identity.run(|| Ok((effective(), std::fs::read(&private).is_err()))).unwrap();
        assert_eq!(seen, ((4711, 4712), true));
        assert_eq!(effective(), before);

        let panicked = std::panic::catch_unwind(|| identity.run::<()>(|| panic!("fault")));
        assert!(panicked.is_err());
        assert_eq!(effective(), before);
        assert!(std::fs::read(&private).is_ok());
    }

    #[test]
    fn the_owner_root_gives_no_other_rights() {
        assert_eq!(Identity::on_behalf_of(0, 0), Identity::Process);
    }
}
