//! WordPress and WooCommerce.

mod authors;
mod checkup;
mod columns;
mod condition;
mod facts;
mod listing;
mod logs;
mod modes;
mod options;
mod owners;
mod period;
mod permalink;
mod plugin_files;
mod roles;
mod secrets;
mod settings;
mod site;
mod taxonomies;
mod term_links;
mod terms;
mod text;
mod tools;
mod uploads;
mod version;
mod woo;
mod zone;

pub(crate) use site::WordPress;
pub(crate) use tools::{GROUPS, KNOWN_NAMES};
