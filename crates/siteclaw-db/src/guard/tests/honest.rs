//! Queries that people really ask, which must pass: a guard that refuses honest work gets switched off.

use super::check;
use crate::Engine::{self, MySql, Postgres, Sqlite};

fn all_pass(engine: Engine, queries: &[&str]) {
    let refused: Vec<String> = queries
        .iter()
        .filter_map(|sql| check(engine, sql).err().map(|refusal| format!("{sql}\n    {refusal}")))
        .collect();
    assert!(refused.is_empty(), "{} of {} refused:\n{}", refused.len(), queries.len(), refused.join("\n"));
}

/// A shop on WordPress.
pub(super) const SHOP: &[&str] = &[
    "SELECT COUNT(*) FROM wp_users",
    "SELECT post_status, COUNT(*) AS n FROM wp_posts WHERE post_type = 'post' GROUP BY post_status ORDER BY n DESC",
    "SELECT ID, post_title, post_date FROM wp_posts WHERE post_type = 'page' AND post_status = 'publish' ORDER BY post_date DESC LIMIT 10",
    "SELECT DATE_FORMAT(date_created, '%Y-%m') AS month, SUM(net_total) AS revenue, COUNT(*) orders FROM wp_wc_order_stats WHERE status IN ('wc-completed', 'wc-processing') GROUP BY month ORDER BY month",
    "SELECT p.post_title, SUM(l.product_qty) AS sold FROM wp_wc_order_product_lookup l JOIN wp_posts p ON p.ID = l.product_id GROUP BY p.ID, p.post_title ORDER BY sold DESC LIMIT 20",
    "SELECT YEAR(date_created_gmt) y, MONTH(date_created_gmt) m, ROUND(SUM(total_amount), 2) FROM wp_wc_orders GROUP BY y, m WITH ROLLUP",
    "SELECT u.display_name, COUNT(p.ID) posts FROM wp_users u LEFT JOIN wp_posts p ON p.post_author = u.ID AND p.post_type = 'post' GROUP BY u.ID ORDER BY posts DESC",
    "SELECT * FROM wp_posts WHERE post_date >= NOW() - INTERVAL 30 DAY AND post_password = ''",
    "SELECT * FROM wp_wc_orders WHERE date_created_gmt BETWEEN '2026-01-01' AND LAST_DAY('2026-01-01')",
    "SELECT DAYNAME(date_created) d, HOUR(date_created) h, COUNT(*) FROM wp_wc_order_stats GROUP BY 1, 2 HAVING COUNT(*) > 1 ORDER BY FIELD(d, 'Monday', 'Tuesday'), h",
    "WITH monthly AS (SELECT DATE_FORMAT(date_created, '%Y-%m-01') m, SUM(net_total) t FROM wp_wc_order_stats GROUP BY 1) SELECT m, t, t - LAG(t) OVER (ORDER BY m) AS change_ FROM monthly",
    "SELECT customer_id, total_sales, RANK() OVER (PARTITION BY customer_id ORDER BY total_sales DESC) r, SUM(total_sales) OVER (PARTITION BY customer_id ORDER BY date_created ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) running FROM wp_wc_order_stats",
    "SELECT AVG(total_sales) OVER w AS moving FROM wp_wc_order_stats WINDOW w AS (ORDER BY date_created RANGE BETWEEN INTERVAL 7 DAY PRECEDING AND CURRENT ROW)",
    "SELECT NTILE(4) OVER (ORDER BY total_amount), FIRST_VALUE(id) OVER (ORDER BY id), PERCENT_RANK() OVER (ORDER BY id) FROM wp_wc_orders",
    "SELECT option_name, LENGTH(option_value) FROM wp_options WHERE autoload IN ('yes', 'on') ORDER BY LENGTH(option_value) DESC LIMIT 20",
    "SELECT option_value FROM wp_options WHERE option_name = 'blogname'",
    "SELECT SUM(LENGTH(option_value)) / 1024 FROM wp_options WHERE option_name LIKE '\\_transient\\_%'",
    "SELECT pm.meta_key, COUNT(*) c FROM wp_postmeta pm GROUP BY pm.meta_key ORDER BY c DESC LIMIT 50",
    "SELECT p.ID, MAX(CASE WHEN pm.meta_key = '_price' THEN pm.meta_value END) price, MAX(IF(pm.meta_key = '_stock', pm.meta_value, NULL)) stock FROM wp_posts p JOIN wp_postmeta pm ON pm.post_id = p.ID WHERE p.post_type = 'product' GROUP BY p.ID",
    "SELECT CAST(meta_value AS DECIMAL(10,2)) AS price FROM wp_postmeta WHERE meta_key = '_price' AND meta_value REGEXP '^[0-9.]+$'",
    "SELECT t.name, tt.count FROM wp_terms t JOIN wp_term_taxonomy tt USING (term_id) WHERE tt.taxonomy = 'category' ORDER BY tt.count DESC",
    "SELECT GROUP_CONCAT(DISTINCT t.name ORDER BY t.name SEPARATOR ', ') FROM wp_terms t",
    "SELECT p.ID FROM wp_posts p WHERE NOT EXISTS (SELECT 1 FROM wp_term_relationships r WHERE r.object_id = p.ID)",
    "SELECT ID FROM wp_posts WHERE ID NOT IN (SELECT post_id FROM wp_postmeta WHERE meta_key = '_thumbnail_id')",
    "SELECT country, COUNT(*) AS n, ROUND(100 * COUNT(*) / (SELECT COUNT(*) FROM wp_wc_customer_lookup), 1) pct FROM wp_wc_customer_lookup GROUP BY country",
    "SELECT SUBSTRING_INDEX(user_email, '@', -1) AS domain, COUNT(*) FROM wp_users GROUP BY domain",
    "SELECT ID FROM wp_posts UNION ALL SELECT comment_ID FROM wp_comments ORDER BY 1 LIMIT 5, 10",
    "(SELECT ID, post_date FROM wp_posts ORDER BY post_date LIMIT 1) UNION (SELECT ID, post_date FROM wp_posts ORDER BY post_date DESC LIMIT 1)",
    "WITH RECURSIVE days(d) AS (SELECT DATE('2026-01-01') UNION ALL SELECT d + INTERVAL 1 DAY FROM days WHERE d < '2026-01-31') SELECT d.d, COUNT(o.id) FROM days d LEFT JOIN wp_wc_orders o ON DATE(o.date_created_gmt) = d.d GROUP BY d.d",
    "WITH RECURSIVE tree AS (SELECT ID, post_parent, 0 depth FROM wp_posts WHERE post_parent = 0 UNION ALL SELECT p.ID, p.post_parent, t.depth + 1 FROM wp_posts p JOIN tree t ON p.post_parent = t.ID) SELECT MAX(depth) FROM tree",
    "SELECT TIMESTAMPDIFF(DAY, date_created, date_paid) AS days_, COUNT(*) FROM wp_wc_order_stats WHERE date_paid IS NOT NULL GROUP BY days_",
    "SELECT COUNT(DISTINCT customer_id), COUNT(DISTINCT customer_id, status), STDDEV(total_sales), VARIANCE(total_sales) FROM wp_wc_order_stats",
    "SELECT sku, stock_quantity, stock_status <=> 'instock', stock_quantity DIV 10, stock_quantity MOD 10 FROM wp_wc_product_meta_lookup WHERE stock_quantity < 5 AND onsale",
    "SELECT MD5(user_email), SHA2(user_email, 256), CRC32(user_login) FROM wp_users",
    "SELECT JSON_EXTRACT(data, '$.venue'), JSON_UNQUOTE(JSON_EXTRACT(data, '$.a.b')), data->>'$.x' FROM wp_events WHERE JSON_VALID(data)",
    "SELECT JSON_OBJECTAGG(meta_key, meta_value), JSON_ARRAYAGG(post_id) FROM wp_postmeta WHERE post_id = 1",
    "SELECT j.sku, j.qty FROM wp_events e, JSON_TABLE(e.data, '$.items[*]' COLUMNS (sku VARCHAR(20) PATH '$.sku', qty INT PATH '$.qty')) AS j",
    "SELECT ID FROM wp_posts WHERE MATCH(post_title, post_content) AGAINST ('+coffee -tea' IN BOOLEAN MODE)",
    "SELECT ID FROM wp_posts USE INDEX (type_status_date) FORCE INDEX FOR ORDER BY (PRIMARY) WHERE post_type = 'post'",
    "SELECT STRAIGHT_JOIN p.ID FROM wp_posts p STRAIGHT_JOIN wp_postmeta m ON m.post_id = p.ID",
    "SELECT CONCAT_WS(' ', first_name, last_name) AS name, COALESCE(NULLIF(city, ''), 'unknown') FROM wp_wc_customer_lookup",
    "SELECT post_title COLLATE utf8mb4_bin, CONVERT(post_title USING utf8mb4), BINARY post_title FROM wp_posts WHERE post_title LIKE '100\\%' ESCAPE '\\\\'",
    "SELECT IF(returning_customer, 'returning', 'new') kind, COUNT(*) FROM wp_wc_order_stats GROUP BY kind",
    "SELECT FROM_UNIXTIME(UNIX_TIMESTAMP(post_date)), STR_TO_DATE('01,5,2026', '%d,%m,%Y'), WEEK(post_date, 3), QUARTER(post_date), UTC_DATE, CURRENT_DATE, CURDATE(), UTC_TIMESTAMP() FROM wp_posts",
    "SELECT a.ID, b.ID FROM wp_posts a CROSS JOIN wp_posts b WHERE a.post_name = b.post_name AND a.ID < b.ID",
    "SELECT shop.wp_posts.ID, wp_posts.post_title FROM shop.wp_posts",
    "SELECT (post_date > '2026-01-01') AS recent, NOT comment_count, ~menu_order, post_parent XOR menu_order FROM wp_posts",
    "SELECT * FROM wp_posts WHERE ID = ? AND post_status = ?",
    "SELECT 'it''s', \"double\", 'back\\\\slash', '\\n', N'x', _utf8mb4'y', 0x41, x'42', b'01', 1e3, .5 FROM DUAL",
    "SELECT SQL_NO_CACHE SQL_CALC_FOUND_ROWS ID FROM wp_posts",
    "SELECT * FROM wp_published",
    "SELECT x.n FROM (SELECT COUNT(*) AS n FROM wp_posts) AS x",
    "SELECT REGEXP_REPLACE(post_title, '[^a-z]', ''), LPAD(ID, 8, '0'), FORMAT(ID, 2), INET_NTOA(16909060), CONV(ID, 10, 16) FROM wp_posts",
    "SELECT post_author, MEDIAN(comment_count) OVER (PARTITION BY post_author) FROM wp_posts",
    "SELECT DISTINCTROW post_type FROM wp_posts",
    "SELECT SUM(total_sales) FILTERED FROM wp_wc_order_stats",
    "SELECT EXTRACT(YEAR FROM post_date), EXTRACT(QUARTER FROM post_date), ADDDATE(post_date, 3), DATE_ADD(post_date, INTERVAL ID MINUTE) FROM wp_posts",
    "SELECT t.name AS 'Term name', t.slug AS `Slug, long` FROM wp_terms t",
    "SELECT DATABASE(), VERSION()",
    "SELECT WEEKDAY(post_date), WEEKOFYEAR(post_date), PERIOD_DIFF(202601, 202501), MAKEDATE(2026, 32), TIME_TO_SEC(TIMEDIFF(post_date, post_date_gmt)) FROM wp_posts",
];

#[test]
fn a_shop_on_wordpress() {
    all_pass(MySql, SHOP);
}

/// An application on PostgreSQL.
pub(super) const APPLICATION: &[&str] = &[
    "SELECT count(*) FROM users",
    "SELECT date_trunc('month', placed_at) AS month, sum(total) AS revenue, count(*) FILTER (WHERE status = 'refunded') AS refunds FROM orders GROUP BY 1 ORDER BY 1",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total), percentile_disc(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY total), mode() WITHIN GROUP (ORDER BY status) FROM orders",
    "SELECT DISTINCT ON (user_id) user_id, id, placed_at FROM orders ORDER BY user_id, placed_at DESC NULLS LAST",
    "SELECT u.email, o.total FROM users u JOIN LATERAL (SELECT total FROM orders WHERE user_id = u.id ORDER BY placed_at DESC LIMIT 1) o ON true",
    "SELECT payload->>'source' AS source, payload #>> '{geo,country}' AS country, count(*) FROM events GROUP BY 1, 2",
    "SELECT id FROM events WHERE payload @> '{\"kind\": \"x\"}' AND payload ? 'user' AND payload ?| ARRAY['a', 'b'] AND payload @? '$.a'",
    "SELECT e.key, e.value, count(*) FROM products, jsonb_each_text(attributes) AS e GROUP BY e.key, e.value",
    "SELECT item->>'sku', (item->>'qty')::int FROM orders o CROSS JOIN LATERAL jsonb_array_elements(o.data->'items') AS item",
    "SELECT i.value->>'sku' FROM orders o, jsonb_array_elements(o.data->'items') AS i",
    "SELECT tag, count(*) FROM products, unnest(tags) AS tag GROUP BY tag ORDER BY 2 DESC",
    "SELECT t.x, t.n FROM products p, unnest(p.tags) WITH ORDINALITY AS t(x, n)",
    "SELECT d::date, count(o.id) FROM generate_series('2026-01-01'::timestamp, '2026-01-31', interval '1 day') AS d LEFT JOIN orders o ON o.placed_at::date = d::date GROUP BY 1",
    "SELECT g.n FROM generate_series(1, 10) AS g(n)",
    "SELECT generate_series FROM generate_series(1, 3)",
    "SELECT extract(epoch FROM shipped_at - placed_at) / 3600 AS hours, age(shipped_at, placed_at), date_part('dow', placed_at) FROM orders",
    "SELECT placed_at AT TIME ZONE 'Europe/Paris', to_char(placed_at, 'YYYY-MM-DD'), now() - interval '7 days', current_date, localtimestamp FROM orders",
    "SELECT country, count(*), round(100.0 * count(*) / sum(count(*)) OVER (), 2) FROM users GROUP BY country",
    "SELECT category, sum(price) FROM products GROUP BY ROLLUP (category)",
    "SELECT category, name, sum(price) FROM products GROUP BY GROUPING SETS ((category), (category, name), ())",
    "SELECT category, name, sum(price), grouping(category) FROM products GROUP BY CUBE (category, name)",
    "WITH RECURSIVE tree AS (SELECT id, name, 0 AS depth, ARRAY[id] AS path FROM categories WHERE parent_id IS NULL UNION ALL SELECT c.id, c.name, t.depth + 1, t.path || c.id FROM categories c JOIN tree t ON c.parent_id = t.id WHERE NOT c.id = ANY(t.path)) SELECT * FROM tree ORDER BY path",
    "WITH first AS MATERIALIZED (SELECT user_id, min(placed_at) AS at FROM orders GROUP BY user_id) SELECT date_trunc('week', at), count(*) FROM first GROUP BY 1",
    "SELECT sum(total) OVER (PARTITION BY user_id ORDER BY placed_at ROWS BETWEEN 3 PRECEDING AND CURRENT ROW), lag(total, 1, 0::numeric) OVER w, ntile(10) OVER w FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY placed_at)",
    "SELECT string_agg(DISTINCT status, ', ' ORDER BY status), array_agg(id ORDER BY id DESC), jsonb_object_agg(id, total), json_agg(o) FROM orders o",
    "SELECT * FROM users WHERE email ILIKE '%@example.com' AND email ~* '^a' AND login !~ 'x' AND login SIMILAR TO '%a%' AND country IS DISTINCT FROM 'FR'",
    "SELECT * FROM users WHERE tags && ARRAY['vip'] OR 'new' = ANY(tags) OR tags @> '{beta}'::text[] OR login LIKE ANY (ARRAY['a%', 'b%'])",
    "SELECT array_length(tags, 1), tags[1], tags[1:2], array_to_string(tags, ','), cardinality(tags) FROM products",
    "SELECT id FROM products WHERE search @@ websearch_to_tsquery('english', 'red shoes') ORDER BY ts_rank(search, plainto_tsquery('red')) DESC",
    "SELECT id, during, lower(during), upper(during), during @> now(), daterange('2026-01-01', '2026-02-01') && daterange('2026-01-15', '2026-03-01') FROM events",
    "SELECT CASE WHEN total > 100 THEN 'big' ELSE 'small' END AS size, width_bucket(total, 0, 1000, 10), greatest(total, 1), nullif(total, 0) FROM orders",
    "SELECT count(*) FROM orders WHERE (user_id, status) IN (SELECT id, 'paid' FROM users)",
    "SELECT count(DISTINCT (user_id, status)), bool_and(total > 0), corr(total, user_id), regr_slope(total, user_id) FROM orders",
    "SELECT row_to_json(o), to_jsonb(o) - 'data', o FROM orders o",
    "SELECT row_to_json(u) FROM users u",
    "SELECT (jsonb_each_text(attributes)).key FROM products",
    "SELECT (ARRAY(SELECT id FROM orders ORDER BY id))[1], ARRAY[1, 2] || 3, array_position(ARRAY['a'], 'a')",
    "SELECT id FROM orders OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY",
    "SELECT id FROM orders LIMIT ALL OFFSET 5",
    "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v(id, name) JOIN orders o USING (id)",
    "VALUES (1, 'a'), (2, 'b')",
    "SELECT 1 EXCEPT SELECT 2 INTERSECT SELECT 3",
    "SELECT public.orders.id, orders.total FROM public.orders",
    "SELECT \"User\".id, \"User\".name FROM \"User\"",
    "SELECT ID, Total FROM Orders",
    "SELECT make_interval(days => 3), substring(email from '@(.*)$'), substring(email from 1 for 3), overlay('abc' placing 'x' from 2), position('@' in email), trim(both ' ' from email), split_part(email, '@', 2) FROM users",
    "SELECT md5(email), encode(sha256(email::bytea), 'hex'), left(email, 3), regexp_replace(email, '@.*', ''), format('%s-%s', id, login), initcap(login) FROM users",
    "SELECT x.a, x.b FROM json_to_recordset('[{\"a\":1,\"b\":\"x\"}]') AS x(a int, b text)",
    "SELECT id FROM orders TABLESAMPLE SYSTEM (10) REPEATABLE (1)",
    "SELECT id FROM ONLY orders",
    "SELECT 'x' COLLATE \"C\", E'tab\\t', $$quote'd$$, 10 % 3, 2 ^ 3, |/ 9, @ -1, 5::bit(4), B'101', date '2026-01-01' + 1",
    "SELECT * FROM orders WHERE id = $1 AND status = $2",
    "SELECT start, release FROM events",
    "SELECT count(*) FROM orders WHERE channel = 'web'::order_channel OR channel = ANY ('{app,shop}'::order_channel[])",
    "SELECT a.x, a.y FROM orders AS a(x, y)",
    "SELECT * FROM big_orders",
    "SELECT pg_catalog.lower(status), current_database(), version() FROM orders",
    "SELECT to_timestamp(1767225600), justify_interval(interval '30 days'), date_bin('15 minutes', placed_at, '2026-01-01'::timestamptz) FROM orders",
    "SELECT o.ctid, o.id FROM orders o NATURAL LEFT JOIN users",
];

#[test]
fn an_application_on_postgres() {
    all_pass(Postgres, APPLICATION);
}

/// A small application on SQLite.
pub(super) const SMALL: &[&str] = &[
    "SELECT count(*) FROM users",
    "SELECT strftime('%Y-%m', published_at) AS month, count(*), total(views) FROM posts GROUP BY month",
    "SELECT date('now', '-7 days'), julianday('now'), unixepoch(published_at), datetime(views, 'unixepoch') FROM posts",
    "SELECT u.name, count(p.id) AS n FROM users u LEFT JOIN posts p ON p.user_id = u.id GROUP BY u.id HAVING n > 1",
    "SELECT json_extract(meta, '$.tags[0]'), meta->'$.a', meta->>'b' FROM posts",
    "SELECT p.id, j.value FROM posts p, json_each(p.meta, '$.tags') AS j",
    "SELECT json_group_array(title), json_group_object(id, title), group_concat(title, ' | ' ORDER BY id) FROM posts",
    "SELECT row_number() OVER (PARTITION BY user_id ORDER BY views DESC) AS r, sum(views) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM posts",
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 10) SELECT x FROM n",
    "WITH n(x) AS (VALUES (1), (2)) SELECT x FROM n",
    "SELECT title FROM posts WHERE title GLOB 'A*' OR title LIKE '%x%' ESCAPE '\\' OR id IN (1, 2)",
    "SELECT id FROM posts WHERE user_id IN users",
    "SELECT max(views, 10), iif(views > 5, 'hot', 'cold'), printf('%.2f', views), round(views / 3.0, 2), typeof(meta) FROM posts",
    "SELECT [title], `body`, \"views\" FROM [posts] WHERE views == 3",
    "SELECT 'it''s', x'41', 1e3, current_timestamp, CAST(views AS TEXT) COLLATE NOCASE FROM posts",
    "SELECT main.posts.id, posts.rowid FROM main.posts",
    "SELECT count(*) FILTER (WHERE is_admin) FROM users",
    "SELECT * FROM popular",
    "SELECT a.id FROM posts a, posts b ON a.id = b.id WHERE (a.id, b.id) = (1, 1)",
    "SELECT id FROM posts UNION SELECT id FROM comments EXCEPT SELECT id FROM users ORDER BY 1 LIMIT 5 OFFSET 2",
    "SELECT id FROM posts INDEXED BY posts_user WHERE user_id = ?",
    "SELECT substr(title, 1, 3), instr(title, 'a'), trim(title, 'x'), ltrim(title), replace(title, 'a', 'b'), hex(title), coalesce(title, body), ifnull(title, ''), nullif(title, ''), abs(-1), unicode(title), char(65) FROM posts",
    "SELECT * FROM (SELECT id FROM posts) WHERE id IS NOT NULL AND id NOTNULL",
    "SELECT CASE views WHEN 1 THEN 'one' END FROM posts ORDER BY title COLLATE NOCASE DESC NULLS LAST",
    "SELECT value FROM settings WHERE key = 'title'",
];

#[test]
fn a_small_application_on_sqlite() {
    all_pass(Sqlite, SMALL);
}
