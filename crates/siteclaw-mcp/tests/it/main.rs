//! The server as a client sees it: over streams in this process, and over those of a child process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod calls;
mod cancel;
mod child;
mod client;
mod listing;
mod order;
mod progress;
mod tools;
mod wire;
