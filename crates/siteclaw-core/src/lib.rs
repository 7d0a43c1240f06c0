//! The contract of Siteclaw's tools and the one door that every call passes.

pub mod code;
mod error;
mod secret;

pub use error::{Code, ToolError, is_invisible, sanitise_fragment};
pub use secret::Secret;
