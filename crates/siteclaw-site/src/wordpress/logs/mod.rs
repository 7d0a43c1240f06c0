//! The site's logs: which there are, and their entries.
//!
//! Only files that WordPress, PHP or WooCommerce write by their own rules are looked at, never one that a call
//! names. A log outside the site is opened only where the operator trusts its place: the path in a configuration
//! is the site's word, not the operator's.

use siteclaw_core::Code;

mod entry;
mod read;
mod redact;
mod sources;

pub(crate) use entry::{Component, Entry, Level};
pub(crate) use read::{Read, newest_first};
pub(crate) use redact::redacted;
pub(crate) use sources::{Source, debug_log, find};

/// There is no log, or it cannot be read.
pub(crate) const LOG_UNAVAILABLE: Code = Code::new("LOG_UNAVAILABLE");
