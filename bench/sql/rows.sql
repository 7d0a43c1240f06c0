-- The same rows in every run: what looks like chance is a checksum of the row's number.

INSERT INTO wp_options (option_name, option_value) VALUES
    ('siteurl', 'https://large.example'),
    ('home', 'https://large.example'),
    ('permalink_structure', '/%year%/%monthnum%/%postname%/'),
    ('show_on_front', 'posts'),
    ('default_category', '1'),
    ('sticky_posts', 'a:0:{}'),
    ('timezone_string', 'Europe/Vienna'),
    ('active_plugins', 'a:1:{i:0;s:27:"woocommerce/woocommerce.php";}'),
    ('wp_user_roles', 'a:1:{s:13:"administrator";a:2:{s:4:"name";s:13:"Administrator";s:12:"capabilities";a:1:{s:14:"manage_options";b:1;}}}'),
    ('woocommerce_db_version', '10.3.0'),
    ('woocommerce_currency', 'EUR'),
    ('woocommerce_price_num_decimals', '2'),
    ('woocommerce_manage_stock', 'yes'),
    ('woocommerce_notify_low_stock_amount', '2'),
    ('woocommerce_notify_no_stock_amount', '0'),
    ('woocommerce_custom_orders_table_enabled', 'yes');

INSERT INTO wp_users (ID, user_login, user_nicename, user_email, display_name)
SELECT seq, CONCAT('author', seq), CONCAT('author-', seq), CONCAT('author', seq, '@large.example'), CONCAT('Author ', seq)
FROM seq_1_to_40;
INSERT INTO wp_usermeta (user_id, meta_key, meta_value)
SELECT seq, 'wp_capabilities', IF(seq <= 3, 'a:1:{s:13:"administrator";b:1;}', 'a:1:{s:6:"author";b:1;}')
FROM seq_1_to_40;

INSERT INTO wp_terms (term_id, name, slug) SELECT seq, CONCAT('Topic ', seq), CONCAT('topic-', seq) FROM seq_1_to_50;
INSERT INTO wp_terms (term_id, name, slug) VALUES (51, 'simple', 'simple');
INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy)
SELECT term_id, term_id, IF(term_id = 51, 'product_type', 'category') FROM wp_terms;

-- 100,000 posts over eleven years, nine of ten published.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_title,
    post_content, post_excerpt, post_status, post_name, post_type, comment_count)
SELECT seq, 1 + CRC32(seq) % 40, moment, moment, moment, moment, CONCAT('What happened on day ', seq),
    REPEAT(CONCAT('<p>Paragraph of post ', seq, ' with enough words for an excerpt &amp; a little more.</p>\n'), 12),
    '', IF(CRC32(seq) % 10 = 0, 'draft', 'publish'), CONCAT('what-happened-', seq), 'post', CRC32(seq) % 7
FROM (SELECT seq, TIMESTAMP('2015-01-01') + INTERVAL seq * 58 MINUTE AS moment FROM seq_1_to_100000) numbers;
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) SELECT seq, 1 + CRC32(seq) % 50 FROM seq_1_to_100000;

-- 50,000 products, one of twenty out of stock.
INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_title,
    post_content, post_excerpt, post_status, post_name, post_type)
SELECT 200000 + seq, 1, moment, moment, moment, moment, CONCAT('Product ', LPAD(CRC32(seq) % 100000, 5, '0'), ' of ', seq),
    REPEAT('A thing that is made to be sold. ', 12), '', 'publish', CONCAT('product-', seq), 'product'
FROM (SELECT seq, TIMESTAMP('2020-01-01') + INTERVAL seq HOUR AS moment FROM seq_1_to_50000) numbers;
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) SELECT 200000 + seq, 51 FROM seq_1_to_50000;
INSERT INTO wp_wc_product_meta_lookup (product_id, sku, min_price, max_price, stock_quantity, stock_status)
SELECT 200000 + seq, CONCAT('SKU-', seq), 5 + seq % 200, 5 + seq % 200,
    IF(CRC32(seq) % 20 = 0, 0, 1 + CRC32(seq) % 90), IF(CRC32(seq) % 20 = 0, 'outofstock', 'instock')
FROM seq_1_to_50000;
INSERT INTO wp_postmeta (post_id, meta_key, meta_value)
SELECT 200000 + seq, meta_key, CASE meta_key
    WHEN '_sku' THEN CONCAT('SKU-', seq)
    WHEN '_price' THEN 5 + seq % 200
    WHEN '_regular_price' THEN 5 + seq % 200
    WHEN '_stock' THEN IF(CRC32(seq) % 20 = 0, 0, 1 + CRC32(seq) % 90)
    WHEN '_stock_status' THEN IF(CRC32(seq) % 20 = 0, 'outofstock', 'instock')
    WHEN '_manage_stock' THEN 'yes'
    ELSE 'no' END
FROM seq_1_to_50000 JOIN (
    SELECT '_sku' AS meta_key UNION ALL SELECT '_price' UNION ALL SELECT '_regular_price' UNION ALL SELECT '_stock'
    UNION ALL SELECT '_stock_status' UNION ALL SELECT '_manage_stock' UNION ALL SELECT '_backorders'
) metas;

INSERT INTO wp_events (id, kind, label, note)
SELECT seq, ELT(1 + CRC32(seq) % 4, 'login', 'view', 'order', 'error'), CONCAT('event ', CRC32(seq)),
    CONCAT('Event number ', seq, ': ', REPEAT('something was noted down here; ', 4))
FROM seq_1_to_1000000;
INSERT INTO wp_events_small SELECT * FROM wp_events WHERE id <= 10000;
