//! The eight platforms.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A platform that Siteclaw can attach to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// WordPress, with or without WooCommerce.
    WordPress,
    /// Drupal 8 and later.
    Drupal,
    /// Joomla 4 and later.
    Joomla,
    /// Magento 2 (Open Source, Adobe Commerce, Mage-OS).
    Magento,
    /// PrestaShop 1.7 and later.
    PrestaShop,
    /// OpenCart 3 and 4 and its forks.
    OpenCart,
    /// A Laravel application.
    Laravel,
    /// A Symfony application.
    Symfony,
}

impl Platform {
    /// The name in configuration, JSON and on the command line: lower case, one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WordPress => "wordpress",
            Self::Drupal => "drupal",
            Self::Joomla => "joomla",
            Self::Magento => "magento",
            Self::PrestaShop => "prestashop",
            Self::OpenCart => "opencart",
            Self::Laravel => "laravel",
            Self::Symfony => "symfony",
        }
    }

    /// The name as the platform writes itself, for sentences.
    pub const fn title(self) -> &'static str {
        match self {
            Self::WordPress => "WordPress",
            Self::Drupal => "Drupal",
            Self::Joomla => "Joomla",
            Self::Magento => "Magento",
            Self::PrestaShop => "PrestaShop",
            Self::OpenCart => "OpenCart",
            Self::Laravel => "Laravel",
            Self::Symfony => "Symfony",
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
