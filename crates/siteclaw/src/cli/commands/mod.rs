//! One command a file.

pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod site;
pub(crate) mod tools;
