//! Siteclaw's built-in tools and the policies they stand on.

pub mod root;
