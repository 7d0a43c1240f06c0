//! The plugins of the site: headers as they stand in the main files, and whether they are active.

/// A plugin. The headers of well-known ones are theirs; the code is not here.
#[derive(Debug)]
pub(crate) struct Plugin {
    /// Main file below the plugins folder.
    pub(crate) file: &'static str,
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) author: &'static str,
    pub(crate) description: &'static str,
    /// More header lines.
    pub(crate) more: &'static [(&'static str, &'static str)],
    pub(crate) active: bool,
    /// Known to wordpress.org.
    pub(crate) public: bool,
    /// A newer version.
    pub(crate) update: Option<&'static str>,
}

impl Plugin {
    /// The folder, or the file's stem for a plugin of one file.
    pub(crate) fn slug(&self) -> &'static str {
        self.file.split_once('/').map_or_else(|| self.file.trim_end_matches(".php"), |(folder, _)| folder)
    }
}

/// An active plugin whose folder is gone.
pub(crate) const GONE: &str = "old-newsletter/old-newsletter.php";

/// Everything in the plugins folder.
pub(crate) const ALL: &[Plugin] = &[
    Plugin {
        file: "akismet/akismet.php",
        name: "Akismet Anti-spam: Spam Protection",
        version: "5.7.2",
        author: "Automattic - Anti-spam Team",
        description: "Stand-in with the header of Akismet.",
        more: &[
            ("Plugin URI", "https://akismet.com/"),
            ("Requires at least", "5.8"),
            ("Requires PHP", "7.2"),
            ("License", "GPLv2 or later"),
            ("Text Domain", "akismet"),
        ],
        active: true,
        public: true,
        update: None,
    },
    Plugin {
        file: "brewing-quotes.php",
        name: "Brewing Quotes",
        version: "1.0.3",
        author: "Copper & Crema",
        description: "Shows a line about coffee in the admin screens.",
        more: &[("Text Domain", "brewing-quotes"), ("Update URI", "false")],
        active: false,
        public: false,
        update: None,
    },
    Plugin {
        file: "copper-packing/main.php",
        name: "Copper Packing Slips",
        version: "2.3.0",
        author: "Copper & Crema",
        description: "Prints packing slips and passes parcels to the carrier.",
        more: &[
            ("Requires Plugins", "woocommerce"),
            ("WC requires at least", "9.0"),
            ("WC tested up to", "11.0"),
            ("Text Domain", "copper-packing"),
        ],
        active: true,
        public: false,
        update: None,
    },
    Plugin {
        file: "legacy-slider/legacy-slider.php",
        name: "Legacy Slider",
        version: "2.8.1",
        author: "Slide Brothers",
        description: "Moving pictures for the front page. No longer in use.",
        more: &[("Requires PHP", "5.6"), ("Text Domain", "legacy-slider")],
        active: false,
        public: false,
        update: None,
    },
    Plugin {
        file: "query-monitor/query-monitor.php",
        name: "Query Monitor",
        version: "4.0.7",
        author: "John Blackbourn",
        description: "Stand-in with the header of Query Monitor.",
        more: &[
            ("Plugin URI", "https://querymonitor.com/"),
            ("Requires at least", "6.2"),
            ("Requires PHP", "7.4"),
            ("Text Domain", "query-monitor"),
        ],
        active: false,
        public: true,
        update: None,
    },
    Plugin {
        file: "sqlite-database-integration/load.php",
        name: "SQLite Database Integration",
        version: "2.1.15",
        author: "The WordPress Team",
        description: "Stand-in with the header of the SQLite integration.",
        more: &[
            ("Requires at least", "6.4"),
            ("Requires PHP", "7.2"),
            ("Text Domain", "sqlite-database-integration"),
        ],
        active: true,
        public: true,
        update: None,
    },
    Plugin {
        file: "woocommerce/woocommerce.php",
        name: "WooCommerce",
        version: "11.0.1",
        author: "Automattic",
        description: "Stand-in with the header of WooCommerce.",
        more: &[
            ("Plugin URI", "https://woocommerce.com/"),
            ("Author URI", "https://woocommerce.com"),
            ("Requires at least", "6.9"),
            ("Requires PHP", "7.4"),
            ("Text Domain", "woocommerce"),
            ("Domain Path", "/i18n/languages/"),
        ],
        active: true,
        public: true,
        update: Some("11.0.2"),
    },
    Plugin {
        file: "woocommerce-gateway-stripe/woocommerce-gateway-stripe.php",
        name: "WooCommerce Stripe Gateway",
        version: "10.2.0",
        author: "Stripe",
        description: "Stand-in with the header of the Stripe gateway.",
        more: &[
            ("Requires Plugins", "woocommerce"),
            ("WC requires at least", "9.6"),
            ("WC tested up to", "11.0"),
            ("Text Domain", "woocommerce-gateway-stripe"),
        ],
        active: true,
        public: true,
        update: None,
    },
    Plugin {
        file: "wordpress-seo/wp-seo.php",
        name: "Yoast SEO",
        version: "27.3",
        author: "Team Yoast",
        description: "Stand-in with the header of Yoast SEO.",
        more: &[("Requires at least", "6.8"), ("Requires PHP", "7.4"), ("Text Domain", "wordpress-seo")],
        active: true,
        public: true,
        update: Some("27.4"),
    },
];
