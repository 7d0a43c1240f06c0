//! Catalogues shaped like real sites: a WordPress shop on MySQL, an application on PostgreSQL, a small
//! one on SQLite.

use std::collections::BTreeMap;

use crate::guard::{SecretRows, SqlPolicy};
use crate::{Column, Engine, Schema, Table, TableKind};

pub(super) fn table(name: &str, columns: &str) -> Table {
    let columns = columns
        .split(',')
        .map(|column| {
            let (name, data_type) = column.trim().split_once(' ').unwrap_or((column.trim(), "text"));
            Column { name: name.into(), data_type: data_type.replace(';', ","), nullable: true }
        })
        .collect();
    Table { name: name.into(), kind: TableKind::Base, columns, row_estimate: None, bytes: None }
}

pub(super) fn view(name: &str, columns: &str, definition: &str) -> Table {
    Table { kind: TableKind::View(Some(definition.into())), ..table(name, columns) }
}

pub(super) fn of(engine: Engine, current: &str, tables: Vec<Table>) -> Schema {
    let tables: BTreeMap<_, _> = tables.into_iter().map(|table| (table.name.clone(), table)).collect();
    Schema { engine, current: current.into(), tables }
}

pub(super) fn schema(engine: Engine) -> Schema {
    match engine {
        Engine::MySql => of(engine, "shop", mysql()),
        Engine::Postgres => of(engine, "public", postgres()),
        Engine::Sqlite => of(engine, "main", sqlite()),
    }
}

pub(super) fn policy(engine: Engine) -> SqlPolicy {
    match engine {
        Engine::MySql => SqlPolicy::new()
            .deny_table("wp_woocommerce_api_keys", None)
            .deny_table("wp_phpclaw_*", Some("Use memory_search."))
            .deny_table("wp_woocommerce_sessions", None)
            .secret_column("wp_wc_webhooks", "secret")
            .allow_column("wp_posts", "post_password")
            .secret_rows(
                SecretRows::new("wp_*options", "option_name", &["option_value"])
                    .exact(&["mailserver_pass"])
                    .ending(&["_salt", "_key"])
                    .starting(&["_transient_feed_"])
                    .containing(&["password", "secret", "token"]),
            )
            .secret_rows(
                SecretRows::new("wp_usermeta", "meta_key", &["meta_value"])
                    .exact(&["session_tokens", "_application_passwords"]),
            ),
        Engine::Postgres => {
            SqlPolicy::new().deny_table("messenger_messages", None).secret_column("users", "totp")
        }
        Engine::Sqlite => SqlPolicy::new(),
    }
}

fn mysql() -> Vec<Table> {
    vec![
        table(
            "wp_posts",
            "ID bigint, post_author bigint, post_date datetime, post_date_gmt datetime, post_content longtext, post_title text, \
             post_excerpt text, post_status varchar(20), comment_status varchar(20), post_password varchar(255), \
             post_name varchar(200), post_modified datetime, post_parent bigint, guid varchar(255), menu_order int, \
             post_type varchar(20), post_mime_type varchar(100), comment_count bigint",
        ),
        table("wp_postmeta", "meta_id bigint, post_id bigint, meta_key varchar(255), meta_value longtext"),
        table(
            "wp_users",
            "ID bigint, user_login varchar(60), user_pass varchar(255), user_nicename varchar(50), user_email varchar(100), \
             user_url varchar(100), user_registered datetime, user_activation_key varchar(255), user_status int, display_name varchar(250)",
        ),
        table("wp_usermeta", "umeta_id bigint, user_id bigint, meta_key varchar(255), meta_value longtext"),
        table(
            "wp_options",
            "option_id bigint, option_name varchar(191), option_value longtext, autoload varchar(20)",
        ),
        table(
            "wp_comments",
            "comment_ID bigint, comment_post_ID bigint, comment_author tinytext, comment_author_email varchar(100), \
             comment_date datetime, comment_content text, comment_approved varchar(20), comment_type varchar(20), \
             comment_parent bigint, user_id bigint",
        ),
        table("wp_terms", "term_id bigint, name varchar(200), slug varchar(200), term_group bigint"),
        table(
            "wp_term_taxonomy",
            "term_taxonomy_id bigint, term_id bigint, taxonomy varchar(32), description longtext, parent bigint, count bigint",
        ),
        table("wp_term_relationships", "object_id bigint, term_taxonomy_id bigint, term_order int"),
        table(
            "wp_wc_orders",
            "id bigint, status varchar(20), currency varchar(10), type varchar(20), tax_amount decimal(26;8), \
             total_amount decimal(26;8), customer_id bigint, billing_email varchar(320), date_created_gmt datetime, \
             date_updated_gmt datetime, parent_order_id bigint, payment_method varchar(100), customer_note text",
        ),
        table("wp_wc_orders_meta", "id bigint, order_id bigint, meta_key varchar(255), meta_value text"),
        table(
            "wp_wc_order_stats",
            "order_id bigint, parent_id bigint, date_created datetime, date_paid datetime, num_items_sold int, \
             total_sales double, tax_total double, shipping_total double, net_total double, returning_customer tinyint(1), \
             status varchar(200), customer_id bigint",
        ),
        table(
            "wp_wc_order_product_lookup",
            "order_item_id bigint, order_id bigint, product_id bigint, variation_id bigint, customer_id bigint, \
             date_created datetime, product_qty int, product_net_revenue double, product_gross_revenue double",
        ),
        table(
            "wp_wc_product_meta_lookup",
            "product_id bigint, sku varchar(100), min_price decimal(19;4), max_price decimal(19;4), onsale tinyint(1), \
             stock_quantity double, stock_status varchar(100), total_sales bigint",
        ),
        table(
            "wp_wc_customer_lookup",
            "customer_id bigint, user_id bigint, username varchar(60), first_name varchar(255), last_name varchar(255), \
             email varchar(100), date_registered timestamp, country char(2), city varchar(100)",
        ),
        table(
            "wp_woocommerce_api_keys",
            "key_id bigint, user_id bigint, consumer_key char(64), consumer_secret char(43)",
        ),
        table("wp_woocommerce_sessions", "session_id bigint, session_key char(32), session_value longtext"),
        table(
            "wp_wc_webhooks",
            "webhook_id bigint, status varchar(200), name text, secret text, topic varchar(200)",
        ),
        table(
            "wp_events",
            "id bigint, start datetime, end datetime, release varchar(20), lock int, title text, data json",
        ),
        table("wp_phpclaw_messages", "id bigint, body text"),
        view(
            "wp_staff",
            "id bigint, login varchar(60), mail varchar(100), p varchar(255)",
            "select `u`.`ID` AS `id`,`u`.`user_login` AS `login`,`u`.`user_email` AS `mail`,`u`.`user_pass` AS `p` from `shop`.`wp_users` `u`",
        ),
        view(
            "wp_published",
            "ID bigint, post_title text",
            "select `shop`.`wp_posts`.`ID` AS `ID`,`shop`.`wp_posts`.`post_title` AS `post_title` from `shop`.`wp_posts` where (`shop`.`wp_posts`.`post_status` = 'publish')",
        ),
        view(
            "wp_staff_names",
            "login varchar(60), q varchar(255)",
            "select `wp_staff`.`login` AS `login`,`wp_staff`.`p` AS `q` from `shop`.`wp_staff`",
        ),
        view("wp_accounts", "User varchar(80)", "select `mysql`.`user`.`User` AS `User` from `mysql`.`user`"),
        view("wp_loop", "a int", "select `wp_loop`.`a` AS `a` from `shop`.`wp_loop`"),
        view("wp_slow", "a int", "select sleep(9) AS `a`"),
        Table { kind: TableKind::View(None), ..table("wp_hidden", "a int") },
    ]
}

fn postgres() -> Vec<Table> {
    vec![
        table(
            "users",
            "id bigint, email text, login character varying(60), password_hash text, totp text, roles jsonb, created_at timestamp with time zone, \
             country text, tags text[]",
        ),
        table(
            "orders",
            "id bigint, user_id bigint, status text, channel order_channel, total numeric(12;2), currency text, placed_at timestamp with time zone, \
             shipped_at timestamp with time zone, data jsonb",
        ),
        table(
            "order_items",
            "id bigint, order_id bigint, product_id bigint, quantity integer, price numeric(12;2)",
        ),
        table(
            "products",
            "id bigint, name text, category text, price numeric(12;2), tags text[], attributes jsonb, search tsvector",
        ),
        table(
            "events",
            "id uuid, kind text, payload jsonb, at timestamp with time zone, during tstzrange, start integer, release text",
        ),
        table("User", "id bigint, name text, api_key text"),
        table("categories", "id bigint, parent_id bigint, name text"),
        table("messenger_messages", "id bigint, body text, headers text"),
        view(
            "user_list",
            "id bigint, email text, h text",
            " SELECT users.id,\n    users.email,\n    users.password_hash AS h\n   FROM users;",
        ),
        view(
            "big_orders",
            "id bigint, total numeric",
            " SELECT orders.id,\n    orders.total\n   FROM orders\n  WHERE orders.total > 1000::numeric;",
        ),
        view("roles", "rolname text", " SELECT pg_roles.rolname\n   FROM pg_roles;"),
    ]
}

fn sqlite() -> Vec<Table> {
    vec![
        table(
            "users",
            "id INTEGER, name TEXT, email TEXT, password TEXT, remember_token TEXT, created_at DATETIME, is_admin BOOLEAN",
        ),
        table(
            "posts",
            "id INTEGER, user_id INTEGER, title TEXT, body TEXT, views INTEGER, published_at DATETIME, meta JSON, order_no INTEGER",
        ),
        table("comments", "id INTEGER, post_id INTEGER, author TEXT, body TEXT, created_at DATETIME"),
        table("settings", "key TEXT, value TEXT"),
        view(
            "authors",
            "id, who, pw",
            "CREATE VIEW authors(id, who, pw) AS SELECT id, name, password FROM users",
        ),
        view("popular", "id, title", "CREATE VIEW popular AS SELECT id, title FROM posts WHERE views > 100"),
    ]
}
