//! Which files a run has seen, and what they held then.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use siteclaw_core::{Ctx, RunState, ToolError};

use crate::roots::Located;

/// The files that a run has read or written, with the hash of their content at that time. It is kept with the
/// run: two runs know nothing of each other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FilesSeen(BTreeMap<String, String>);

impl RunState for FilesSeen {
    const KEY: &'static str = "files_seen";
}

impl FilesSeen {
    /// Notes what a file held when it was read or written just now.
    pub fn note(ctx: &Ctx, file: &Located, hash: &str) -> Result<(), ToolError> {
        ctx.update(|seen: &mut Self| seen.0.insert(file.to_string(), hash.to_owned())).map(|_| ())
    }

    /// What the file held when this run saw it last.
    pub fn hash_of(ctx: &Ctx, file: &Located) -> Result<Option<String>, ToolError> {
        Ok(ctx.state::<Self>()?.0.get(&file.to_string()).cloned())
    }
}

/// The hash of a file's content: SHA-256, 64 hexadecimal digits.
pub fn content_hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
