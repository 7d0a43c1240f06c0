//! The tables of WordPress and WooCommerce that the tools read, and nothing of the others.

/// Columns as both databases take them. In SQLite texts compare without regard to case, as WordPress'
/// integration declares them.
pub(crate) const TABLES: [(&str, &str); 27] = [
    (
        "users",
        "ID INTEGER PRIMARY KEY, user_login TEXT, user_pass TEXT, user_nicename TEXT, user_email TEXT, user_url TEXT, \
         user_registered DATETIME, user_activation_key TEXT, user_status INTEGER, display_name TEXT",
    ),
    ("usermeta", "umeta_id INTEGER PRIMARY KEY, user_id INTEGER, meta_key TEXT, meta_value TEXT"),
    (
        "posts",
        "ID INTEGER PRIMARY KEY, post_author INTEGER, post_date DATETIME, post_date_gmt DATETIME, post_content TEXT, \
         post_title TEXT, post_excerpt TEXT, post_status TEXT, post_password TEXT, post_name TEXT, \
         post_modified DATETIME, post_parent INTEGER, menu_order INTEGER, post_type TEXT, comment_count INTEGER, \
         post_mime_type VARCHAR(100) NOT NULL DEFAULT ''",
    ),
    ("postmeta", "meta_id INTEGER PRIMARY KEY, post_id INTEGER, meta_key TEXT, meta_value TEXT"),
    (
        "comments",
        "comment_ID INTEGER PRIMARY KEY, comment_post_ID INTEGER, comment_author TEXT, comment_author_email TEXT, \
         comment_author_url TEXT, comment_author_IP TEXT, comment_date DATETIME, comment_date_gmt DATETIME, \
         comment_content TEXT, comment_approved TEXT, comment_agent TEXT, comment_type TEXT, comment_parent INTEGER, \
         user_id INTEGER",
    ),
    ("options", "option_id INTEGER PRIMARY KEY, option_name TEXT, option_value TEXT, autoload TEXT"),
    ("terms", "term_id INTEGER PRIMARY KEY, name TEXT, slug TEXT"),
    (
        "term_taxonomy",
        "term_taxonomy_id INTEGER PRIMARY KEY, term_id INTEGER, taxonomy TEXT, parent INTEGER, description TEXT, \
         count INTEGER NOT NULL DEFAULT 0",
    ),
    ("commentmeta", "meta_id INTEGER PRIMARY KEY, comment_id INTEGER, meta_key TEXT, meta_value TEXT"),
    ("woocommerce_shipping_zones", "zone_id INTEGER PRIMARY KEY, zone_name TEXT, zone_order INTEGER"),
    (
        "woocommerce_shipping_zone_locations",
        "location_id INTEGER PRIMARY KEY, zone_id INTEGER, location_code TEXT, location_type TEXT",
    ),
    (
        "woocommerce_shipping_zone_methods",
        "zone_id INTEGER, instance_id INTEGER PRIMARY KEY, method_id TEXT, method_order INTEGER, is_enabled INTEGER",
    ),
    (
        "woocommerce_tax_rates",
        "tax_rate_id INTEGER PRIMARY KEY, tax_rate_country VARCHAR(2), tax_rate_state VARCHAR(200), tax_rate VARCHAR(8), \
         tax_rate_name VARCHAR(200), tax_rate_priority INTEGER, tax_rate_compound INTEGER, tax_rate_shipping INTEGER, \
         tax_rate_order INTEGER, tax_rate_class VARCHAR(200)",
    ),
    (
        "woocommerce_tax_rate_locations",
        "location_id INTEGER PRIMARY KEY, location_code TEXT, tax_rate_id INTEGER, location_type TEXT",
    ),
    ("wc_tax_rate_classes", "tax_rate_class_id INTEGER PRIMARY KEY, name TEXT, slug TEXT"),
    (
        "wc_customer_lookup",
        "customer_id INTEGER PRIMARY KEY, user_id INTEGER, username TEXT, first_name TEXT, last_name TEXT, email TEXT, \
         date_registered DATETIME, country TEXT, postcode TEXT, city TEXT, state TEXT",
    ),
    ("term_relationships", "object_id INTEGER, term_taxonomy_id INTEGER"),
    (
        "wc_product_meta_lookup",
        "product_id INTEGER PRIMARY KEY, sku TEXT, onsale INTEGER, min_price DECIMAL(19,4), max_price DECIMAL(19,4), \
         stock_quantity DOUBLE, stock_status TEXT, total_sales INTEGER",
    ),
    (
        "wc_orders",
        "id INTEGER PRIMARY KEY, status TEXT, currency TEXT, type TEXT, total_amount DECIMAL(26,8), \
         customer_id INTEGER, billing_email TEXT, date_created_gmt DATETIME, parent_order_id INTEGER, \
         payment_method TEXT, payment_method_title TEXT, transaction_id TEXT, ip_address TEXT, \
         tax_amount DECIMAL(26,8)",
    ),
    (
        "wc_order_addresses",
        "id INTEGER PRIMARY KEY, order_id INTEGER, address_type TEXT, first_name TEXT, last_name TEXT, company TEXT, \
         city TEXT, country TEXT, email TEXT, phone TEXT",
    ),
    (
        "wc_order_operational_data",
        "id INTEGER PRIMARY KEY, order_id INTEGER, order_key TEXT, date_paid_gmt DATETIME, date_completed_gmt DATETIME, \
         shipping_tax_amount DECIMAL(26,8), shipping_total_amount DECIMAL(26,8), discount_total_amount DECIMAL(26,8)",
    ),
    (
        "wc_order_stats",
        "order_id INTEGER PRIMARY KEY, returning_customer INTEGER, date_paid DATETIME, date_completed DATETIME, \
         total_sales DOUBLE, tax_total DOUBLE, shipping_total DOUBLE",
    ),
    (
        "wc_order_product_lookup",
        "order_item_id INTEGER PRIMARY KEY, order_id INTEGER, product_id INTEGER, product_qty INTEGER, \
         product_net_revenue DOUBLE",
    ),
    ("termmeta", "meta_id INTEGER PRIMARY KEY, term_id INTEGER, meta_key TEXT, meta_value TEXT"),
    ("wc_order_coupon_lookup", "id INTEGER PRIMARY KEY, order_id INTEGER, discount_amount DOUBLE"),
    (
        "woocommerce_order_items",
        "order_item_id INTEGER PRIMARY KEY, order_item_name TEXT, order_item_type TEXT, order_id INTEGER",
    ),
    (
        "woocommerce_order_itemmeta",
        "meta_id INTEGER PRIMARY KEY, order_item_id INTEGER, meta_key TEXT, meta_value TEXT",
    ),
];

/// Statements with the prefix for `{p}`. Rows of posts need not say that they are no
/// files, nor terms how often they are used.
pub(crate) fn prefixed(sql: &str, prefix: &str) -> String {
    let posts = "{p}posts (ID, post_author, post_date, post_date_gmt, post_content, post_title, post_excerpt, \
                 post_status, post_password, post_name, post_modified, post_parent, menu_order, post_type, comment_count)";
    ["VALUES", "SELECT"]
        .iter()
        .fold(sql.to_owned(), |sql, word| {
            sql.replace(&format!("{{p}}posts {word}"), &format!("{posts} {word}"))
        })
        .replace(
            "{p}term_taxonomy VALUES",
            "{p}term_taxonomy (term_taxonomy_id, term_id, taxonomy, parent) VALUES",
        )
        .replace("{p}", prefix)
}

/// The statements that make the tables in SQLite.
pub(crate) fn for_sqlite(prefix: &str) -> String {
    TABLES
        .iter()
        .map(|(name, columns)| {
            let columns =
                columns.replace(" TEXT", " TEXT COLLATE NOCASE").replace(" DATETIME", " TEXT COLLATE NOCASE");
            format!("CREATE TABLE {prefix}{name} ({columns});")
        })
        .collect()
}

/// The statements that make the tables in MySQL.
pub(crate) fn for_mysql(prefix: &str) -> String {
    TABLES
        .iter()
        .map(|(name, columns)| {
            let columns = columns.replace("PRIMARY KEY", "PRIMARY KEY AUTO_INCREMENT");
            format!("CREATE TABLE {prefix}{name} ({columns});")
        })
        .collect()
}
