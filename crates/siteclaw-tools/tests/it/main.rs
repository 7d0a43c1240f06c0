//! The core tools through the door, over real folders.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(feature = "search")]
mod code_search;
mod door;
mod file_edit;
mod file_read;
mod file_write;
#[cfg(feature = "http")]
mod http;
mod paths;
mod project_info;
mod zip_package;
