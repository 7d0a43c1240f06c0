//! Drupal.

mod settings;

pub(crate) use settings::TRAITS;
