//! What file_write and file_edit share: who may write what, and putting a file in its place.

use std::sync::Arc;

use serde_json::{Value, json};
use siteclaw_core::{CallerKind, Code, Ctx, Masker, Stop, ToolError};

use crate::classify::{PathPolicy, PhpWriting, Purpose, Reason};
use crate::root::{Held, RelPath};
use crate::roots::{Located, Roots, STALE_FILE, Tree};
use crate::seen::content_hash;
use crate::{CoreParts, FilesSeen};

/// The file belongs to somebody else now, because its owner could not be kept (warning).
pub(crate) const OWNER_CHANGED: Code = Code::new("OWNER_CHANGED");
/// The file must be read in this run, or be named by its hash, before it is changed.
pub(crate) const READ_REQUIRED: Code = Code::new("READ_REQUIRED");

/// Bytes written between two looks at the stop signal.
const PIECE: usize = 256 * 1024;

/// What the tools that write hold.
#[derive(Clone)]
pub(crate) struct Writing {
    pub(crate) roots: Roots,
    pub(crate) masker: Arc<Masker>,
    policy: PathPolicy,
    allow_php: bool,
}

/// A file that is to take another's place, or a free name.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) located: Located,
    /// The hash of what is there now; `None` for a new file.
    pub(crate) before: Option<String>,
    /// What will be there.
    pub(crate) bytes: Arc<[u8]>,
    /// Its hash.
    pub(crate) after: String,
}

impl Change {
    pub(crate) fn new(located: Located, before: Option<String>, bytes: Vec<u8>) -> Self {
        let after = content_hash(&bytes);
        Self { located, before, bytes: bytes.into(), after }
    }

    /// What an approval is bound to.
    pub(crate) fn witness(&self) -> Value {
        json!({"path": self.located.to_string(), "before": self.before, "after": self.after})
    }
}

impl Writing {
    pub(crate) fn new(parts: &CoreParts) -> Self {
        Self {
            roots: parts.roots.clone(),
            masker: Arc::clone(&parts.masker),
            policy: parts.settings.path_policy(),
            allow_php: parts.settings.file_write.allow_php,
        }
    }

    /// The rules for this caller.
    pub(crate) fn policy(&self, ctx: &Ctx) -> PathPolicy {
        let person = matches!(ctx.caller().kind, CallerKind::Console { interactive: true });
        let php = match (self.allow_php, person) {
            (false, _) => PhpWriting::Off,
            (true, false) => PhpWriting::NoPerson,
            (true, true) if self.roots.workspace_may_be_served() => PhpWriting::Served,
            (true, true) => PhpWriting::Allowed,
        };
        PathPolicy { php, ..self.policy.clone() }
    }

    /// Where a path leads that is to be written, if it may be.
    pub(crate) fn locate(
        tree: &Tree,
        policy: &PathPolicy,
        purpose: Purpose,
        path: &str,
    ) -> Result<Located, ToolError> {
        let located = tree.to_write(path)?;
        policy.admit(purpose, &located)?;
        Ok(located)
    }

    /// Refuses PHP in a file of any name where a web server may serve it: a server can be told to run files of
    /// every name.
    pub(crate) fn admit_content(
        &self,
        purpose: Purpose,
        located: &Located,
        text: &str,
    ) -> Result<(), ToolError> {
        let holds_php = text.contains("<?php") || text.contains("<?=");
        if holds_php && self.roots.workspace_may_be_served() {
            let reason = Reason::Php(PhpWriting::Served);
            return Err(PathPolicy::refusal(purpose, &located.to_string(), reason));
        }
        Ok(())
    }

    /// The hash that a file must have to be changed: the one that was named, else the one it had when this run
    /// saw it.
    pub(crate) fn expected(
        ctx: &Ctx,
        located: &Located,
        named: Option<&str>,
    ) -> Result<Option<String>, ToolError> {
        match named {
            Some(hash) => Ok(Some(hash.to_ascii_lowercase())),
            None => FilesSeen::hash_of(ctx, located),
        }
    }

    /// Writes the file. Between the look at what is there and the new file's taking its place nothing that
    /// others write is lost. Returns whether the owner could be kept.
    pub(crate) async fn carry_out(
        &self,
        ctx: &Ctx,
        change: &Change,
        max_bytes: usize,
    ) -> Result<bool, ToolError> {
        let work = change.clone();
        let kept = self.roots.writing(ctx, move |tree, stop| write(tree, &work, max_bytes, stop)).await?;
        FilesSeen::note(ctx, &change.located, &change.after)?;
        Ok(kept)
    }
}

/// The error of a file that is not what it was.
pub(crate) fn stale(located: &Located) -> ToolError {
    ToolError::new(STALE_FILE, format!("{located} has changed since it was read; nothing was written."))
        .hint("Read it again and make the change to what it holds now.")
}

fn write(tree: &Tree, change: &Change, max_bytes: usize, stop: &Stop) -> Result<bool, ToolError> {
    let located = &change.located;
    let root = tree.root(located.place)?;
    let failed = |error| located.write_error(error);
    let held: Option<Held> = match &change.before {
        None => {
            let parent = located.path.parent().unwrap_or_else(RelPath::root);
            root.make_folders(&parent).map_err(failed)?;
            None
        }
        Some(before) => {
            let held = root.hold(&located.path, max_bytes).map_err(failed)?;
            if content_hash(held.bytes()) != *before {
                return Err(stale(located));
            }
            Some(held)
        }
    };
    let mut draft = root.draft(&located.path, held.is_some()).map_err(failed)?;
    for piece in change.bytes.chunks(PIECE) {
        if stop.is_set() {
            return Err(stopped());
        }
        draft.write(piece).map_err(failed)?;
    }
    let go_on = || !stop.is_set();
    match &held {
        None => draft.create(go_on).map(|()| true),
        Some(held) => draft.replace(held, go_on),
    }
    .map_err(failed)
}

fn stopped() -> ToolError {
    ToolError::new(siteclaw_core::code::CANCELLED, "The call was stopped before anything was written.")
}
