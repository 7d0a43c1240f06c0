//! Attaching to a website from the outside: which platform a folder holds, how it is configured, and the
//! tools for it.
//!
//! [`Site::attach`] recognises the platform from files alone. Nothing connects before the first query, and
//! no PHP runs. A configuration that cannot be read is the error of the tools that need it; the others go on.
//!
//! Deliberately absent: this crate writes nothing, reads no arguments and no environment of its own, and a
//! platform never uses another.

mod address;
mod attach;
mod checkup;
mod configured;
mod connection;
mod core_tables;
pub mod detect;
mod drupal;
mod dsn;
mod environment;
mod evaluated;
mod files;
mod joomla;
mod laravel;
mod live;
mod magento;
mod opencart;
mod prestashop;
mod secrets;
mod symfony;
mod watch;
mod wordpress;

pub use attach::{AttachOptions, DatabaseOverride, ProcessEnv, SecretsHook, Site, SiteError};
pub use checkup::{Check, Verdict};
