//! Laravel.

mod configuration;
mod settings;

pub(crate) use settings::TRAITS;
