//! WordPress and WooCommerce.

mod authors;
mod checkup;
mod environment;
mod modes;
mod options;
mod permalink;
mod settings;
mod site;
mod text;
mod tools;
mod zone;

pub(crate) use site::WordPress;
pub(crate) use tools::{GROUPS, KNOWN_NAMES};
