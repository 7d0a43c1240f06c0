//! What a search did not look into, and why.

use schemars::JsonSchema;
use serde::Serialize;

/// Examples that are named for each reason.
const EXAMPLES: usize = 3;

/// Why a file or folder was not looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    /// It holds credentials, by its name or by what is in it.
    Secret,
    /// A folder that the tools do not enter.
    ClosedFolder,
    /// A folder of packages.
    Packages,
    /// A file of ignore rules leaves it out.
    Ignored,
    /// A symbolic link.
    Link,
    /// A FIFO, socket or device.
    Special,
    /// It is no text.
    Binary,
    /// Longer than any file that is searched.
    TooLarge,
    /// It has a line that is too long.
    LongLine,
    /// It may not be read, or reading failed.
    Unreadable,
    /// Deeper than paths may be.
    TooDeep,
    /// A name with control characters.
    Name,
}

impl Reason {
    const fn name(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::ClosedFolder => "closed_folder",
            Self::Packages => "packages",
            Self::Ignored => "ignored",
            Self::Link => "link",
            Self::Special => "special",
            Self::Binary => "binary",
            Self::TooLarge => "too_large",
            Self::LongLine => "long_line",
            Self::Unreadable => "unreadable",
            Self::TooDeep => "too_deep",
            Self::Name => "name",
        }
    }
}

/// Files and folders that were left out for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skipped {
    /// secret, closed_folder, packages, ignored, link, special, binary, too_large, long_line, unreadable, too_deep or name.
    reason: String,
    /// Files and folders; of a folder nothing is counted that lies in it.
    count: u64,
    /// The first few of them; none where the names are a secret too.
    examples: Vec<String>,
}

impl Skipped {
    /// Leaves out the examples for which there is no room.
    pub(super) fn keep_examples(&mut self, keep: impl FnMut(&String) -> bool) {
        self.examples.retain(keep);
    }
}

/// Counts what is left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Skips(Vec<(Reason, u64, Vec<String>)>);

impl Skips {
    /// Counts one. The path is worked out only if it is shown.
    pub(super) fn add(&mut self, reason: Reason, path: impl FnOnce() -> String) {
        let at = match self.0.binary_search_by_key(&reason, |(reason, ..)| *reason) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (reason, 0, Vec::new()));
                at
            }
        };
        if let Some((_, count, examples)) = self.0.get_mut(at) {
            *count += 1;
            if reason != Reason::Secret && examples.len() < EXAMPLES {
                examples.push(path());
            }
        }
    }

    /// Adds what was counted after these.
    pub(super) fn extend(&mut self, more: Self) {
        for (reason, count, examples) in more.0 {
            match self.0.binary_search_by_key(&reason, |(reason, ..)| *reason) {
                Ok(at) => {
                    if let Some((_, all, shown)) = self.0.get_mut(at) {
                        *all += count;
                        let room = EXAMPLES.saturating_sub(shown.len());
                        shown.extend(examples.into_iter().take(room));
                    }
                }
                Err(at) => self.0.insert(at, (reason, count, examples)),
            }
        }
    }

    pub(super) fn list(self) -> Vec<Skipped> {
        let shown = |(reason, count, examples): (Reason, u64, Vec<String>)| Skipped {
            reason: reason.name().to_owned(),
            count,
            examples,
        };
        self.0.into_iter().map(shown).collect()
    }
}
