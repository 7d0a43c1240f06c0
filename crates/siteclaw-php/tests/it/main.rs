//! Configurations of the eight platforms, hostile texts, and properties, through the public door.

mod attacks;
mod decisions;
mod php_forms;
mod properties;
mod site;
mod wordpress;
