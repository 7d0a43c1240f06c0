//! What the shop holds. Every number in the tests can be worked out from this page.

/// Every secret in the shop begins with this.
pub(crate) const PLANTED: &str = "PLANTED";

/// People and their roles. Cleo's map holds a role that was taken away again.
pub(crate) const PEOPLE: &str = r#"
INSERT INTO {p}users VALUES
 (1, 'anna', '$P$BPLANTED-user-pass', 'anna', 'anna@shop.example', '', '2026-01-05 09:00:00', 'PLANTED-activation', 0, 'Anna &amp; Co'),
 (2, 'bert', '$P$BPLANTED-user-pass', 'bert', 'bert@mail.example', '', '2026-02-01 10:00:00', '', 0, 'Bert'),
 (3, 'cleo', '$P$BPLANTED-user-pass', 'cleo', 'cleo@shop.example', '', '2026-03-01 11:00:00', '', 0, 'Cleo');
INSERT INTO {p}usermeta VALUES
 (1, 1, '{p}capabilities', 'a:1:{s:13:"administrator";b:1;}'),
 (2, 2, '{p}capabilities', 'a:1:{s:8:"customer";b:1;}'),
 (3, 3, '{p}capabilities', 'a:2:{s:6:"editor";b:1;s:13:"administrator";b:0;}'),
 (4, 1, 'session_tokens', 'a:1:{s:16:"PLANTED-sessions";a:4:{s:10:"expiration";i:1800000000;s:2:"ip";s:17:"PLANTED-session-1";s:2:"ua";s:10:"PLANTED-ua";s:5:"login";i:1764500000;}}'),
 (5, 1, '_application_passwords', 'a:1:{i:0;a:2:{s:4:"uuid";s:1:"x";s:8:"password";s:16:"PLANTED-app-pass";}}');
"#;

/// A post with an entity in its title, a draft that never had a date, and a post that asks for a password.
pub(crate) const POSTS: &str = r#"
INSERT INTO {p}posts VALUES
 (100, 1, '2026-11-20 10:00:00', '2026-11-20 09:00:00', '<p>Now with <b>free</b> delivery.</p>', 'Hello &amp; goodbye', '', 'publish', '', 'hello', '2026-11-21 08:00:00', 0, 0, 'post', 1),
 (101, 3, '2026-11-21 10:00:00', '0000-00-00 00:00:00', 'Soon.', 'Unfinished', '', 'draft', '', '', '2026-11-21 10:00:00', 0, 0, 'post', 0),
 (102, 3, '2026-11-19 10:00:00', '2026-11-19 09:00:00', 'PLANTED-behind-password', 'Members only', '', 'publish', 'PLANTED-post-password', 'members', '2026-11-19 10:00:00', 0, 0, 'post', 0),
 (103, 1, '2026-11-18 10:00:00', '2026-11-18 09:00:00', 'Old.', 'Old', '', 'trash', '', 'old__trashed', '2026-11-18 10:00:00', 0, 0, 'post', 0),
 (104, 1, '2026-01-05 10:00:00', '2026-01-05 09:00:00', 'About us.', 'About', '', 'publish', '', 'about', '2026-01-05 10:00:00', 0, 1, 'page', 0);
INSERT INTO {p}comments VALUES
 (1, 100, 'Visitor &quot;V&quot;', 'v@mail.example', '', '198.51.100.7', '2026-11-22 12:00:00', '2026-11-22 11:00:00', 'Nice <b>mug</b>!', '1', 'Agent', 'comment', 0, 0),
 (2, 501, 'WooCommerce', 'woo@shop.example', '', '', '2026-11-01 12:00:00', '2026-11-01 11:00:00', 'PLANTED-order-note', '1', 'WooCommerce', 'order_note', 0, 0),
 (3, 100, 'Spammer', 's@mail.example', 'https://spam.example', '198.51.100.8', '2026-11-23 12:00:00', '2026-11-23 11:00:00', 'Buy now', 'spam', 'Bot', '', 0, 0),
 (4, 10, 'Bert', 'bert@mail.example', '', '198.51.100.9', '2026-11-24 12:00:00', '2026-11-24 11:00:00', 'Holds coffee.', '0', 'Agent', 'review', 0, 2);
"#;

/// Goods. The shop calls stock of up to 2 low, the red shirt says 5 for itself.
pub(crate) const GOODS: &str = r#"
INSERT INTO {p}posts VALUES
 (10, 1, '2026-10-01 10:00:00', '2026-10-01 08:00:00', '', 'Mug', '', 'publish', '', 'mug', '2026-10-01 10:00:00', 0, 0, 'product', 0),
 (11, 1, '2026-10-02 10:00:00', '2026-10-02 08:00:00', '', 'T-Shirt', '', 'publish', '', 't-shirt', '2026-10-02 10:00:00', 0, 0, 'product', 0),
 (12, 1, '2026-10-02 10:00:00', '2026-10-02 08:00:00', '', 'T-Shirt - Red', '', 'publish', '', 't-shirt-red', '2026-10-02 10:00:00', 11, 1, 'product_variation', 0),
 (13, 1, '2026-10-02 10:00:00', '2026-10-02 08:00:00', '', 'T-Shirt - Blue', '', 'publish', '', 't-shirt-blue', '2026-10-02 10:00:00', 11, 2, 'product_variation', 0),
 (14, 1, '2026-10-04 10:00:00', '2026-10-04 08:00:00', '', 'Poster', '', 'publish', '', 'poster', '2026-10-04 10:00:00', 0, 0, 'product', 0),
 (15, 1, '2026-10-05 10:00:00', '2026-10-05 08:00:00', '', 'Sticker', '', 'publish', '', 'sticker', '2026-10-05 10:00:00', 0, 0, 'product', 0),
 (16, 1, '2026-10-06 10:00:00', '2026-10-06 08:00:00', '', 'Lamp', '', 'publish', '', 'lamp', '2026-10-06 10:00:00', 0, 0, 'product', 0),
 (17, 1, '2026-10-07 10:00:00', '2026-10-07 08:00:00', '', 'Rug', '', 'publish', '', 'rug', '2026-10-07 10:00:00', 0, 0, 'product', 0),
 (18, 1, '2026-10-08 10:00:00', '2026-10-08 08:00:00', '', 'Vase', '', 'publish', '', 'vase', '2026-10-08 10:00:00', 0, 0, 'product', 0),
 (19, 1, '2026-10-09 10:00:00', '2026-10-09 08:00:00', '', 'Hidden shirt', '', 'draft', '', 'hidden', '2026-10-09 10:00:00', 0, 0, 'product', 0),
 (20, 1, '2026-10-10 10:00:00', '2026-10-10 08:00:00', '', 'Set', '', 'publish', '', 'set', '2026-10-10 10:00:00', 0, 0, 'product', 0),
 (21, 1, '2026-10-11 10:00:00', '2026-10-11 08:00:00', '', 'Cap', '', 'publish', '', 'cap', '2026-10-11 10:00:00', 0, 0, 'product', 0),
 (22, 1, '2026-10-09 10:00:00', '2026-10-09 08:00:00', '', 'Hidden shirt - Small', '', 'publish', '', 'hidden-small', '2026-10-09 10:00:00', 19, 1, 'product_variation', 0),
 (23, 1, '2026-10-12 10:00:00', '2026-10-12 08:00:00', '', 'Ghost', '', 'publish', '', 'ghost', '2026-10-12 10:00:00', 0, 0, 'product', 0);
INSERT INTO {p}wc_product_meta_lookup VALUES
 (10, 'MUG', 0, 10, 10, 3, 'instock', 7),
 (11, '', 0, 15, 18, NULL, 'instock', 4),
 (12, 'TS-RED', 0, 15, 15, 4, 'instock', 3),
 (13, 'TS-BLUE', 1, 18, 18, 4, 'instock', 1),
 (14, '', 0, 0, 0, NULL, 'instock', 0),
 (15, 'STICK', 0, 0, 0, NULL, 'instock', 90),
 (16, 'LAMP', 0, 40, 40, 2, 'instock', 2),
 (17, 'RUG', 0, 99.5, 99.5, -1, 'onbackorder', 1),
 (18, 'VASE', 0, 20, 20, 0, 'outofstock', 5),
 (19, 'HID', 0, 1, 1, NULL, 'instock', 0),
 (20, 'SET', 0, 8, 10, NULL, 'instock', 0),
 (21, 'CAP', 1, 8, 8, NULL, 'instock', 0),
 (22, 'HID-S', 0, 1, 1, 1, 'instock', 0);
INSERT INTO {p}postmeta (post_id, meta_key, meta_value) VALUES
 (10, '_price', '10'), (10, '_regular_price', '10'), (10, '_manage_stock', 'yes'), (10, '_stock', '3'), (10, '_thumbnail_id', '900'), (10, '_wc_average_rating', '4.50'), (10, 'total_sales', '7'),
 (10, '_global_unique_id', '4006381333931'), (10, '_cost_of_goods', '3.2'), (10, '_supplier', 'Potter'), (10, '_downloadable_files', 'PLANTED-download'), (10, '_license_key', 'PLANTED-licence'), (10, '_acmeClientSecret', 'PLANTED-client'), (10, '_focus_keyword', 'tea'),
 (11, '_price', '15'), (11, '_price', '18'), (11, '_manage_stock', 'no'), (11, '_thumbnail_id', '901'),
 (12, '_price', '15'), (12, '_regular_price', '15'), (12, '_manage_stock', 'yes'), (12, '_stock', '4'), (12, '_low_stock_amount', '5'),
 (13, '_price', '18'), (13, '_regular_price', '20'), (13, '_sale_price', '18'), (13, '_manage_stock', 'yes'), (13, '_stock', '4'), (13, '_low_stock_amount', ''),
 (14, '_price', ''), (14, '_manage_stock', 'no'),
 (15, '_price', '0'), (15, '_regular_price', '0'), (15, '_manage_stock', 'no'), (15, '_thumbnail_id', '902'),
 (16, '_price', '40'), (16, '_regular_price', '40'), (16, '_manage_stock', 'yes'), (16, '_stock', '2'), (16, '_thumbnail_id', '903'),
 (17, '_price', '99.5'), (17, '_regular_price', '99.5'), (17, '_manage_stock', 'yes'), (17, '_stock', '-1'), (17, '_backorders', 'notify'), (17, '_thumbnail_id', '904'),
 (18, '_price', '20'), (18, '_regular_price', '20'), (18, '_manage_stock', 'yes'), (18, '_stock', '0'), (18, '_thumbnail_id', '905'),
 (19, '_price', '1'),
 (20, '_children', 'a:2:{i:0;i:10;i:1;i:21;}'), (20, '_price', '8'), (20, '_price', '10'), (20, '_thumbnail_id', '906'),
 (21, '_price', '8'), (21, '_regular_price', '9'), (21, '_sale_price', '8'), (21, '_sale_price_dates_to', '1790000000'), (21, '_thumbnail_id', '907'),
 (22, '_manage_stock', 'yes'), (22, '_stock', '1'),
 (23, '_sku', 'GHOST'), (23, '_price', '5'), (23, '_stock_status', 'instock'), (23, '_thumbnail_id', '908');
INSERT INTO {p}terms VALUES (1, 'variable', 'variable'), (2, 'grouped', 'grouped'), (3, 'simple', 'simple'), (4, 'Home', 'home'), (5, 'Lighting', 'lighting'),
 (6, 'featured', 'featured'), (7, 'exclude-from-search', 'exclude-from-search'), (8, 'exclude-from-catalog', 'exclude-from-catalog'), (9, 'News', 'news'), (10, 'Offers', 'offers');
INSERT INTO {p}term_taxonomy VALUES (11, 1, 'product_type', 0), (12, 2, 'product_type', 0), (13, 3, 'product_type', 0), (14, 4, 'product_cat', 0), (15, 5, 'product_cat', 4),
 (16, 6, 'product_visibility', 0), (17, 7, 'product_visibility', 0), (18, 8, 'product_visibility', 0), (19, 9, 'category', 0), (20, 10, 'category', 9);
INSERT INTO {p}term_relationships VALUES (11, 11), (20, 12), (10, 13), (16, 15), (15, 16), (15, 17), (18, 17), (18, 18), (100, 20);
"#;

/// Settings, among them secrets under many names and in many wrappings.
pub(crate) const SETTINGS: &str = r#"
INSERT INTO {p}options (option_name, option_value, autoload) VALUES
 ('siteurl', 'https://shop.example', 'on'), ('home', 'https://shop.example', 'on'), ('blogname', 'Corner &amp; Shop', 'on'),
 ('permalink_structure', '/%postname%/', 'on'), ('timezone_string', 'Europe/Berlin', 'on'), ('gmt_offset', '0', 'on'), ('default_category', '9', 'on'),
 ('active_plugins', 'a:1:{i:0;s:27:"woocommerce/woocommerce.php";}', 'on'), ('sticky_posts', 'a:1:{i:0;s:3:"100";}', 'on'),
 ('woocommerce_db_version', '11.0.1', 'on'), ('woocommerce_currency', 'EUR', 'on'), ('woocommerce_price_num_decimals', '2', 'on'),
 ('woocommerce_notify_low_stock_amount', '2', 'on'), ('woocommerce_notify_no_stock_amount', '0', 'on'), ('woocommerce_manage_stock', 'yes', 'on'),
 ('{p}user_roles', 'a:3:{s:13:"administrator";a:2:{s:4:"name";s:13:"Administrator";s:12:"capabilities";a:1:{s:14:"manage_options";b:1;}}s:6:"editor";a:2:{s:4:"name";s:6:"Editor";s:12:"capabilities";a:1:{s:10:"edit_posts";b:1;}}s:8:"customer";a:2:{s:4:"name";s:8:"Customer";s:12:"capabilities";a:1:{s:4:"read";b:1;}}}', 'on'),
 ('auth_key', 'PLANTED-auth-key', 'no'), ('auth_salt', 'PLANTED-auth-salt', 'no'), ('logged_in_key', 'PLANTED-logged-in', 'no'), ('nonce_salt', 'PLANTED-nonce', 'no'),
 ('maps_api_key', 'PLANTED-maps', 'on'), ('MAILSERVER_PASS', 'PLANTED-mailserver', 'on'), ('mailserver_pass', 'PLANTED-mailserver', 'on'), ('smtp_pass', 'PLANTED-plain', 'on'), ('mailer_apikey', 'PLANTED-plain-key', 'on'),
 ('shop_smtp', 'a:3:{s:4:"host";s:12:"mail.example";s:8:"password";s:12:"PLANTED-smtp";s:4:"auth";a:1:{s:12:"Secret-Thing";s:11:"PLANTED-two";}}', 'off'),
 ('shop_object', 'O:8:"stdClass":2:{s:4:"name";s:1:"x";s:11:"accessToken";s:14:"PLANTED-object";}', 'off'),
 ('shop_json', '{"region":"eu","client_secret":"PLANTED-json","deep":[{"apiKey":"PLANTED-deep"}]}', 'off'),
 ('shop_twice', 's:53:"a:1:{s:8:"password";s:24:"PLANTED-serialised-twice";}";', 'off'),
 ('shop_nested', 'a:1:{s:5:"inner";s:46:"a:1:{s:10:"passphrase";s:14:"PLANTED-nested";}";}', 'off'),
 ('shop_broken', 'a:2:{s:4:"host";s:9:"mail.example";s:8:"password";s:14:"PLANTED-broken";}', 'off'),
 ('shop_dsn', 'smtp://quay:PLANTED-dsn@mail.example:25', 'off'), ('shop_update', 'https://updates.example/?license=PLANTED-license&v=2', 'off'),
 ('stripe_key', 'PLANTED-stripe1', 'on'), ('sendgrid-key', 'PLANTED-sendgrid1', 'on'), ('mailchimp_api', 'PLANTED-chimp1', 'on'), ('acmeLicenseKey', 'PLANTED-acme', 'on'),
 ('relay_signature', 'PLANTED-signature', 'on'), ('acme_pwd', 'PLANTED-pwd', 'on'), ('gateway_live', 'a:1:{s:5:"value";s:26:"sk_live_PLANTED00PLANTED00";}', 'on'),
 ('acme_pairs', '[{"name":"consumer_key","value":"PLANTED-pair"},{"key":"api_signature","value":"PLANTED-pair-2"},["bot_token","PLANTED-pair-3"]]', 'on'),
 ('acme_tail', ' {"licenseKey":"PLANTED-tail","inner":{"clientSecret":"PLANTED-inner"}} <!-- end -->', 'on'),
 ('acme_script', 'window.acme = {"accessToken": "PLANTED-script", mode: 1};', 'on'), ('acme_ini', 'host = h
smtp_pass = PLANTED-ini', 'on'),
 ('blog_public', '1', 'on'), ('keyword_list', 'Zx81kq90, tea', 'on'), ('monkey', 'Zx81kq90', 'on'), ('nav_menu_options', 'a:1:{s:8:"auto_add";a:0:{}}', 'on'), ('passage', 'Zx81kq90', 'on'),
 ('primary_key_column', 'post_id2A', 'on'), ('tokenizer', 'Zx81kq90', 'on'),
 ('phpclaw_settings', 'PLANTED-own', 'on'), ('shop_address', 'Quay 7', 'on'), ('_transient_timeout_shop_cache', '1700000000', 'off'), ('_transient_shop_cache', 'old', 'off');
"#;
