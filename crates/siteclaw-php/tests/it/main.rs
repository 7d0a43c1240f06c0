//! Configurations of the eight platforms, hostile texts, and properties, through the public door.

// A helper that cannot go on is a failing test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod attacks;
mod decisions;
mod php_forms;
mod properties;
mod site;
mod wordpress;
