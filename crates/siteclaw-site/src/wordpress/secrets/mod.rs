//! What of a WordPress site is secret, and how it is kept back.
//!
//! One recogniser serves all: [`names`] judges what a name says of its value, [`values`] what a value looks
//! like, [`scrub`] takes secrets out of stored values with both, and [`policy`] keeps rows of meta from SQL
//! that a model wrote by the same words. What a plugin stores under an innocent name and in an innocent
//! shape cannot be told, so answers with stored values say that the scrubbing is partial.

pub(crate) mod names;
mod policy;
mod scrub;
mod texts;
mod values;
mod words;

pub(crate) use policy::policy;
pub(crate) use scrub::{scrub_named, scrubbed_at};
pub(crate) use texts::{damaged, scrubbed as scrubbed_text};

/// What stands in place of a scrubbed value.
pub(crate) const REDACTED: &str = "[redacted]";
