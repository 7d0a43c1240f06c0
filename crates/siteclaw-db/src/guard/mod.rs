//! The guard for SQL that a model wrote.
