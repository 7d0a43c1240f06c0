-- The tables and keys of WordPress and WooCommerce, as far as the measured tools read them.

CREATE TABLE wp_posts (
    ID bigint(20) unsigned NOT NULL AUTO_INCREMENT,
    post_author bigint(20) unsigned NOT NULL DEFAULT 0,
    post_date datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
    post_date_gmt datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
    post_content longtext NOT NULL,
    post_title text NOT NULL,
    post_excerpt text NOT NULL,
    post_status varchar(20) NOT NULL DEFAULT 'publish',
    comment_status varchar(20) NOT NULL DEFAULT 'open',
    ping_status varchar(20) NOT NULL DEFAULT 'open',
    post_password varchar(255) NOT NULL DEFAULT '',
    post_name varchar(200) NOT NULL DEFAULT '',
    to_ping text NOT NULL DEFAULT '',
    pinged text NOT NULL DEFAULT '',
    post_modified datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
    post_modified_gmt datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
    post_content_filtered longtext NOT NULL DEFAULT '',
    post_parent bigint(20) unsigned NOT NULL DEFAULT 0,
    guid varchar(255) NOT NULL DEFAULT '',
    menu_order int(11) NOT NULL DEFAULT 0,
    post_type varchar(20) NOT NULL DEFAULT 'post',
    post_mime_type varchar(100) NOT NULL DEFAULT '',
    comment_count bigint(20) NOT NULL DEFAULT 0,
    PRIMARY KEY (ID),
    KEY post_name (post_name(191)),
    KEY type_status_date (post_type, post_status, post_date, ID),
    KEY post_parent (post_parent),
    KEY post_author (post_author)
);

CREATE TABLE wp_postmeta (
    meta_id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
    post_id bigint(20) unsigned NOT NULL DEFAULT 0,
    meta_key varchar(255) DEFAULT NULL,
    meta_value longtext,
    PRIMARY KEY (meta_id),
    KEY post_id (post_id),
    KEY meta_key (meta_key(191))
);

CREATE TABLE wp_options (
    option_id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
    option_name varchar(191) NOT NULL DEFAULT '',
    option_value longtext NOT NULL,
    autoload varchar(20) NOT NULL DEFAULT 'yes',
    PRIMARY KEY (option_id),
    UNIQUE KEY option_name (option_name),
    KEY autoload (autoload)
);

CREATE TABLE wp_users (
    ID bigint(20) unsigned NOT NULL AUTO_INCREMENT,
    user_login varchar(60) NOT NULL DEFAULT '',
    user_pass varchar(255) NOT NULL DEFAULT '',
    user_nicename varchar(50) NOT NULL DEFAULT '',
    user_email varchar(100) NOT NULL DEFAULT '',
    user_url varchar(100) NOT NULL DEFAULT '',
    user_registered datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
    user_activation_key varchar(255) NOT NULL DEFAULT '',
    user_status int(11) NOT NULL DEFAULT 0,
    display_name varchar(250) NOT NULL DEFAULT '',
    PRIMARY KEY (ID),
    KEY user_login_key (user_login),
    KEY user_nicename (user_nicename),
    KEY user_email (user_email)
);

CREATE TABLE wp_usermeta (
    umeta_id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
    user_id bigint(20) unsigned NOT NULL DEFAULT 0,
    meta_key varchar(255) DEFAULT NULL,
    meta_value longtext,
    PRIMARY KEY (umeta_id),
    KEY user_id (user_id),
    KEY meta_key (meta_key(191))
);

CREATE TABLE wp_terms (
    term_id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
    name varchar(200) NOT NULL DEFAULT '',
    slug varchar(200) NOT NULL DEFAULT '',
    term_group bigint(10) NOT NULL DEFAULT 0,
    PRIMARY KEY (term_id),
    KEY slug (slug(191)),
    KEY name (name(191))
);

CREATE TABLE wp_term_taxonomy (
    term_taxonomy_id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
    term_id bigint(20) unsigned NOT NULL DEFAULT 0,
    taxonomy varchar(32) NOT NULL DEFAULT '',
    description longtext NOT NULL DEFAULT '',
    parent bigint(20) unsigned NOT NULL DEFAULT 0,
    count bigint(20) NOT NULL DEFAULT 0,
    PRIMARY KEY (term_taxonomy_id),
    UNIQUE KEY term_id_taxonomy (term_id, taxonomy),
    KEY taxonomy (taxonomy)
);

CREATE TABLE wp_term_relationships (
    object_id bigint(20) unsigned NOT NULL DEFAULT 0,
    term_taxonomy_id bigint(20) unsigned NOT NULL DEFAULT 0,
    term_order int(11) NOT NULL DEFAULT 0,
    PRIMARY KEY (object_id, term_taxonomy_id),
    KEY term_taxonomy_id (term_taxonomy_id)
);

CREATE TABLE wp_wc_product_meta_lookup (
    product_id bigint(20) NOT NULL,
    sku varchar(100) DEFAULT '',
    `virtual` tinyint(1) DEFAULT 0,
    downloadable tinyint(1) DEFAULT 0,
    min_price decimal(19,4) DEFAULT NULL,
    max_price decimal(19,4) DEFAULT NULL,
    onsale tinyint(1) DEFAULT 0,
    stock_quantity double DEFAULT NULL,
    stock_status varchar(100) DEFAULT 'instock',
    rating_count bigint(20) DEFAULT 0,
    average_rating decimal(3,2) DEFAULT 0.00,
    total_sales bigint(20) DEFAULT 0,
    tax_status varchar(100) DEFAULT 'taxable',
    tax_class varchar(100) DEFAULT '',
    PRIMARY KEY (product_id),
    KEY `virtual` (`virtual`),
    KEY downloadable (downloadable),
    KEY stock_status (stock_status),
    KEY stock_quantity (stock_quantity),
    KEY onsale (onsale),
    KEY min_max_price (min_price, max_price),
    KEY sku (sku(50))
);

-- A plugin's table without any key that helps.
CREATE TABLE wp_events (
    id bigint(20) unsigned NOT NULL,
    kind varchar(20) NOT NULL,
    label varchar(100) NOT NULL,
    note text NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE wp_events_small LIKE wp_events;
