//! What a call does to the world.

use serde::{Deserialize, Serialize};

/// The effects of a tool, or of one call of it.
///
/// `writes` makes a call mutating: it runs alone, needs approval, and is never repeated by itself. `sends`
/// means that data leaves this machine; it needs approval once the run is tainted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// Reads files, rows or pages.
    pub reads: bool,
    /// Changes something that outlives the call.
    pub writes: bool,
    /// Sends data to another machine.
    pub sends: bool,
}

impl Effects {
    /// Only computes from its arguments.
    pub const NONE: Self = Self { reads: false, writes: false, sends: false };
    /// Reads and nothing else.
    pub const READS: Self = Self { reads: true, writes: false, sends: false };
    /// Changes state here.
    pub const WRITES: Self = Self { reads: true, writes: true, sends: false };
    /// Asks another machine.
    pub const SENDS: Self = Self { reads: true, writes: false, sends: true };

    /// Whether the call is alone in its run and needs approval.
    pub const fn is_mutating(self) -> bool {
        self.writes
    }

    /// The effects of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            reads: self.reads || other.reads,
            writes: self.writes || other.writes,
            sends: self.sends || other.sends,
        }
    }

    /// Whether every effect of `self` is one that `widest` states.
    pub const fn within(self, widest: Self) -> bool {
        (!self.reads || widest.reads) && (!self.writes || widest.writes) && (!self.sends || widest.sends)
    }
}
