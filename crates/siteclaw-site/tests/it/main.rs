//! The tools of a site, asked through the one door: against a WordPress that `cargo xtask test` installs, and
//! against shops on SQLite whose every answer was worked out by hand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod cost;
mod door;
mod journal;
mod layouts;
mod platforms;
mod refusals;
mod secrets;
mod server;
mod shop;
mod swapped;
