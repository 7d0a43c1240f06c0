//! One command a file.

pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod mcp;
pub(crate) mod send;
pub(crate) mod site;
pub(crate) mod tools;
