//! The door, from outside.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod approval;
mod concurrency;
mod ends;
mod engine;
mod output;
mod registry;
mod stages;
