//! Where a site may keep its configuration and its database, and what happens when they change or are gone.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;

use serde_json::{Value, json};
use siteclaw_site::{AttachOptions, DatabaseOverride, Site};

use crate::door::{Door, attach, column};
use crate::shop::{CONFIG, DATABASE, PREFIX, Shop, Store, contents, fill, rows};

const MANAGED: &str = ".ht.0123456789abcdef0123456789abcdef/.ht.sqlite";

#[tokio::test]
async fn every_place_of_the_sqlite_file_is_found() {
    let content = "wp-content/database";
    let define = |name: &str, value: &str| format!("define( '{name}', {value} );");
    for (file, constants, more) in [
        (DATABASE, String::new(), None),
        ("wp-content/database/.ht.sqlite.php", String::new(), None),
        (
            "wp-content/database/.ht.0123456789abcdef0123456789abcdef/.ht.sqlite",
            String::new(),
            Some(format!("<?php\nreturn __DIR__ . '/{MANAGED}';\n")),
        ),
        ("data/site.db", define("FQDB", "ABSPATH . 'data/site.db'"), None),
        ("data/site.db", define("DB_PATH", "ABSPATH . 'data/site.db'"), None),
        ("data/site.db", define("DB_DIR", "ABSPATH . 'data'") + &define("DB_FILE", "'site.db'"), None),
        ("data/.ht.sqlite", define("FQDBDIR", "ABSPATH . 'data/'"), None),
    ] {
        let shop = Shop::files();
        shop.write("wp-config.php", &CONFIG.replace("$table_prefix", &format!("{constants}\n$table_prefix")));
        if let Some(text) = more {
            shop.write(&format!("{content}/db-path.php"), &text);
        }
        std::fs::create_dir_all(shop.path(file).parent().unwrap()).unwrap();
        fill(&shop.path(file), &rows(Store::Own)).await;
        let answer = shop.door().ask("wp_query", json!({})).await;
        assert_eq!(column(&answer["data"]["posts"], "title"), ["Hello & goodbye", "Members only"], "{file}");
    }
}

#[tokio::test]
async fn the_dropin_alone_tells_that_the_database_is_sqlite() {
    let shop = Shop::files();
    shop.write("wp-config.php", &CONFIG.replace("define( 'DB_ENGINE', 'sqlite' );", ""));
    shop.write("wp-content/db.php", "<?php\ndefine( 'SQLITE_DB_DROPIN_VERSION', '1.8.0' );\n");
    fill(&shop.path(DATABASE), &rows(Store::Own)).await;
    shop.door().ask("wc_get_orders", json!({})).await;
}

#[tokio::test]
async fn the_configuration_may_lie_one_level_up() {
    let outer = tempfile::tempdir().unwrap();
    let shop = Shop::new(Store::Own).await;
    let inner = outer.path().join("public");
    copy(shop.root(), &inner);
    std::fs::rename(inner.join("wp-config.php"), outer.path().join("wp-config.php")).unwrap();
    let site = attach(&inner);
    assert_eq!(site.summary()["config"], json!(outer.path().canonicalize().unwrap().join("wp-config.php")));
    Door::of(&site).ask("wp_users", json!({})).await;
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The shape of the official image's configuration.
const IMAGE: &str = r#"<?php
if ( ! function_exists( 'getenv_docker' ) ) {
	function getenv_docker( $env, $default ) {
		if ( $file = getenv( $env . '_FILE' ) ) {
			return rtrim( file_get_contents( $file ), "\r\n" );
		} elseif ( ( $value = getenv( $env ) ) !== false ) {
			return $value;
		}
		return $default;
	}
}
define( 'DB_NAME', getenv_docker( 'WORDPRESS_DB_NAME', 'wordpress' ) );
define( 'DB_USER', getenv_docker( 'WORDPRESS_DB_USER', 'example username' ) );
define( 'DB_PASSWORD', getenv_docker( 'WORDPRESS_DB_PASSWORD', 'example password' ) );
define( 'DB_HOST', getenv_docker( 'WORDPRESS_DB_HOST', 'mysql' ) );
$table_prefix = getenv_docker( 'WORDPRESS_TABLE_PREFIX', 'wp_' );
require_once ABSPATH . 'wp-settings.php';
"#;

#[tokio::test]
async fn a_container_is_read_from_the_variables_that_it_gets() {
    let server = crate::server::Server::new("layout").await;
    let shop = Shop::files();
    shop.write("wp-config.php", IMAGE);
    let secrets = tempfile::tempdir().unwrap();
    std::fs::write(secrets.path().join("password"), format!("{}\n", crate::server::PASSWORD)).unwrap();
    let env = secrets.path().join("site.env");
    let text = format!(
        "WORDPRESS_DB_NAME={name}\nWORDPRESS_DB_USER={name}\nWORDPRESS_DB_HOST={}\nWORDPRESS_DB_PASSWORD_FILE={}\n\
         WORDPRESS_TABLE_PREFIX={PREFIX}\n",
        server.host(),
        secrets.path().join("password").display(),
        name = server.name,
    );
    std::fs::write(&env, text).unwrap();

    let bare = attach(shop.root());
    let error = Door::of(&bare).refused("wp_query", json!({})).await;
    assert_eq!(error["code"], "CONFIG_UNRESOLVED");
    for name in ["WORDPRESS_DB_USER", "WORDPRESS_DB_PASSWORD"] {
        assert!(error["message"].as_str().unwrap().contains(name), "{error}");
    }

    let options = AttachOptions { env_file: Some(env), ..AttachOptions::default() };
    let site = Site::attach(shop.root(), options).unwrap();
    assert_eq!(site.summary()["prefix"], PREFIX);
    let answer = Door::of(&site).ask("wc_get_orders", json!({})).await;
    assert_eq!(answer["meta"]["source"], "mysql");
    assert_eq!(column(&answer["data"]["orders"], "id"), [509, 505, 504, 503, 502, 501]);
}

#[tokio::test]
async fn an_override_holds_in_place_of_the_configuration() {
    let shop = Shop::new(Store::Own).await;
    shop.write("wp-config.php", &CONFIG.replace("'sqlite'", "'mysql'"));
    let server = crate::server::Server::new("override").await;
    let database = DatabaseOverride {
        host: Some(server.host()),
        name: Some(server.name.clone()),
        user: Some(server.name.clone()),
        password: Some(siteclaw_core::Secret::new(crate::server::PASSWORD)),
    };
    let site = Site::attach(shop.root(), AttachOptions { database, ..AttachOptions::default() }).unwrap();
    let answer = Door::of(&site).ask("wp_users", json!({"aggregate": true})).await;
    assert_eq!((&answer["data"]["total_users"], &answer["meta"]["source"]), (&json!(3), &json!("mysql")));
}

#[tokio::test]
async fn one_blog_of_a_network_is_read_with_its_own_prefix_and_the_accounts_of_all() {
    let shop = Shop::files();
    shop.write(
        "wp-config.php",
        &CONFIG.replace(
            "$table_prefix",
            "define( 'MULTISITE', true );\ndefine( 'SUBDOMAIN_INSTALL', false );\n\
             define( 'BLOG_ID_CURRENT_SITE', 2 );\n$table_prefix",
        ),
    );
    let own = rows(Store::Own).replace(PREFIX, "corner_2_");
    fill(
        &shop.path(DATABASE),
        &(own
            + "ALTER TABLE corner_2_users RENAME TO corner_users;
               ALTER TABLE corner_2_usermeta RENAME TO corner_usermeta;
               INSERT INTO corner_users VALUES (9, 'zoe', '', 'zoe', 'z@mail.example', '', '2026-01-01 00:00:00', '', 0, 'Zoe');
               INSERT INTO corner_usermeta VALUES (90, 9, 'corner_capabilities', 'a:1:{s:13:\"administrator\";b:1;}');
               CREATE TABLE corner_sitemeta (meta_id INTEGER PRIMARY KEY, site_id INTEGER, meta_key TEXT, meta_value TEXT);
               INSERT INTO corner_sitemeta VALUES (1, 1, 'active_sitewide_plugins', 'a:1:{s:27:\"woocommerce/woocommerce.php\";i:1760000000;}');
               UPDATE corner_2_options SET option_value = 'a:0:{}' WHERE option_name = 'active_plugins';"),
    )
    .await;
    let site = attach(shop.root());
    assert_eq!((&site.summary()["multisite"], &site.summary()["blog"]), (&json!(true), &json!(2)));
    let door = Door::of(&site);
    let posts = door.ask("wp_query", json!({"columns": ["author"]})).await;
    assert_eq!(column(&posts["data"]["posts"], "author"), ["Anna & Co", "Cleo"]);
    let users = door.ask("wp_users", json!({"aggregate": true})).await;
    assert_eq!(users["data"]["total_users"], json!(3), "Zoe belongs to another blog");
    let listed = door.ask("wp_users", json!({"orderby": "ID", "order": "ASC"})).await;
    assert_eq!(column(&listed["data"]["users"], "user_login"), ["anna", "bert", "cleo"]);
    assert_eq!(column(&listed["data"]["users"], "role"), ["administrator", "customer", "editor"]);
    door.ask("wc_stock", json!({})).await;
    let plugins = door.ask("wp_plugins", json!({"columns": ["name", "active", "network_active"]})).await;
    assert_eq!(
        plugins["data"]["plugins"],
        json!([{"name": "WooCommerce", "active": true, "network_active": true}])
    );
}

#[tokio::test]
async fn the_tables_of_accounts_may_have_names_of_their_own() {
    let shop = Shop::new(Store::Own).await;
    shop.run("ALTER TABLE {p}users RENAME TO people; ALTER TABLE {p}usermeta RENAME TO people_facts;").await;
    let constants =
        "define( 'CUSTOM_USER_TABLE', 'people' );\ndefine( 'CUSTOM_USER_META_TABLE', 'people_facts' );\n";
    shop.write("wp-config.php", &CONFIG.replace("$table_prefix", &format!("{constants}$table_prefix")));
    let answer = shop.door().ask("wp_users", json!({"role": "editor"})).await;
    assert_eq!(column(&answer["data"]["users"], "user_login"), ["cleo"]);
}

#[tokio::test]
async fn a_shop_that_is_off_is_said_to_be_off_and_one_that_is_not_there_has_no_tools() {
    let shop = Shop::new(Store::Own).await;
    shop.run("UPDATE {p}options SET option_value = 'a:0:{}' WHERE option_name = 'active_plugins'").await;
    let door = shop.door();
    for tool in ["wc_get_orders", "wc_get_products", "wc_stock"] {
        assert_eq!(door.refused(tool, json!({})).await["code"], "FEATURE_OFF", "{tool}");
        assert_eq!(door.refused(tool, json!({"aggregate": true})).await["code"], "FEATURE_OFF", "{tool}");
        door.ask(tool, json!({"schema": true})).await;
    }
    door.ask("wp_query", json!({})).await;
    std::fs::remove_dir_all(shop.path("wp-content/plugins/woocommerce")).unwrap();
    let error = shop.door().refused("wc_stock", json!({})).await;
    assert_eq!(error["code"], "UNKNOWN_TOOL");
    let tools = attach(shop.root()).tools().unwrap();
    assert!(tools.len() >= 5, "the tools of WordPress itself stay");
}

#[tokio::test]
async fn a_table_that_is_missing_is_named() {
    let shop = Shop::new(Store::Own).await;
    shop.run("DROP TABLE {p}wc_product_meta_lookup; DROP TABLE {p}wc_orders; DROP TABLE {p}comments;").await;
    let door = shop.door();
    for (tool, arguments, code, table) in [
        ("wc_get_products", json!({}), "SQL_UNKNOWN_TABLE", "corner_wc_product_meta_lookup"),
        ("wc_get_products", json!({"aggregate": true}), "SQL_UNKNOWN_TABLE", "corner_wc_product_meta_lookup"),
        ("wc_stock", json!({"filter": "lowstock"}), "SQL_UNKNOWN_TABLE", "corner_wc_product_meta_lookup"),
        ("wc_get_orders", json!({}), "ORDER_TABLES_MISSING", "corner_wc_orders"),
        ("wp_comments", json!({}), "SQL_UNKNOWN_TABLE", "corner_comments"),
    ] {
        let error = door.refused(tool, arguments).await;
        assert_eq!(error["code"], code, "{tool}: {error}");
        assert!(error["message"].as_str().unwrap().contains(table), "{tool}: {error}");
    }
    door.ask("wp_query", json!({})).await;
}

#[tokio::test]
async fn a_changed_configuration_counts_at_the_next_call() {
    let shop = Shop::new(Store::Own).await;
    let second = rows(Store::Own).replace(PREFIX, "second_");
    fill(
        &shop.path(DATABASE),
        &(second + "UPDATE second_posts SET post_title = 'Elsewhere' WHERE ID = 100;"),
    )
    .await;
    let site = attach(shop.root());
    let door = Door::of(&site);
    let first = async |door: &Door| {
        door.ask("wp_query", json!({"columns": ["title"]})).await["data"]["posts"][0]["title"].clone()
    };
    assert_eq!(first(&door).await, "Hello & goodbye");
    shop.write("wp-config.php", &CONFIG.replace("'corner_'", "'second_'"));
    assert_eq!(first(&door).await, "Elsewhere");
    assert_eq!(site.summary()["prefix"], "second_");
    std::fs::remove_file(shop.path("wp-config.php")).unwrap();
    assert_eq!(door.refused("wp_query", json!({})).await["code"], "CONFIG_UNRESOLVED");
    shop.write("wp-config.php", CONFIG);
    assert_eq!(first(&door).await, "Hello & goodbye");
}

#[tokio::test]
async fn nothing_connects_before_the_first_question() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let shop = Shop::files();
    let host = format!("'{}'", listener.local_addr().unwrap());
    shop.write("wp-config.php", &CONFIG.replace("'sqlite'", "'mysql'").replace("'localhost'", &host));
    let site = attach(shop.root());
    assert!(site.tools().unwrap().len() >= 8);
    assert_eq!(site.summary()["database"]["engine"], "mysql");
    let door = Door::of(&site);
    door.ask("wc_get_orders", json!({"schema": true})).await;
    door.refused("wp_query", json!({"columns": ["user_pass"]})).await;
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);

    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let error = door.refused("wp_query", json!({})).await;
    assert_eq!(error["code"], "DATABASE_UNAVAILABLE");
    assert!(error["message"].as_str().unwrap().contains(&port.to_string()), "{error}");
    // What needs files only goes on.
    door.ask("wc_stock", json!({"schema": true})).await;
    assert!(site.checkup().await.iter().any(|check| check.verdict == siteclaw_site::Verdict::Failed));
}

/// Every file with its length and time of change.
fn listing(folder: &Path, found: &mut BTreeMap<std::path::PathBuf, (u64, std::time::SystemTime)>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let meta = entry.metadata().unwrap();
        found.insert(entry.path(), (meta.len(), meta.modified().unwrap()));
        if meta.is_dir() {
            listing(&entry.path(), found);
        }
    }
}

#[tokio::test]
async fn nothing_is_written_to_the_site() {
    let shop = Shop::new(Store::Own).await;
    let mut before = BTreeMap::new();
    listing(shop.root(), &mut before);
    let site = attach(shop.root());
    let door = Door::of(&site);
    for tool in [
        "wp_query",
        "wp_users",
        "wp_option",
        "wp_plugins",
        "wp_comments",
        "wc_get_products",
        "wc_stock",
        "wc_get_orders",
    ] {
        door.ask(tool, json!({"aggregate": true})).await;
        let arguments =
            if tool == "wp_option" { json!({"search": "shop"}) } else { json!({"columns": ["*"]}) };
        door.ask(tool, arguments).await;
    }
    site.checkup().await;
    let mut after = BTreeMap::new();
    listing(shop.root(), &mut after);
    assert_eq!(before, after);
    assert!(before.len() > 8);
}

/// Something of everything that the shop lacks.
const MORE: &str = r#"
INSERT INTO {p}posts VALUES (950, 1, '2026-05-01 10:00:00', '2026-05-01 08:00:00', '', 'Boat', 'A caption', 'inherit', '', 'boat', '2026-05-01 10:00:00', 100, 0, 'attachment', 0),
 (951, 1, '2026-05-02 10:00:00', '2026-05-02 08:00:00', '', 'Quay', '', 'inherit', '', 'quay', '2026-05-02 10:00:00', 0, 0, 'attachment', 0);
UPDATE {p}posts SET post_mime_type = 'image/jpeg' WHERE ID IN (950, 951);
INSERT INTO {p}postmeta (post_id, meta_key, meta_value) VALUES (950, '_wp_attached_file', '2026/05/boat.jpg'), (951, '_wp_attached_file', '2026/05/quay.jpg'), (950, '_wp_attachment_image_alt', 'A boat'),
 (950, '_wp_attachment_metadata', 'a:4:{s:5:"width";i:3000;s:6:"height";i:600;s:8:"filesize";i:5000;s:5:"sizes";a:0:{}}');
INSERT INTO {p}comments VALUES (20, 10, 'Gina', 'g@mail.example', '', '198.51.100.9', '2026-11-01 12:00:00', '2026-11-01 11:00:00', 'Good', '1', 'Agent', 'review', 0, 0);
INSERT INTO {p}commentmeta (comment_id, meta_key, meta_value) VALUES (20, 'rating', '4'), (20, 'verified', '1');
INSERT INTO {p}posts VALUES (800, 1, '2026-06-01 10:00:00', '2026-06-01 08:00:00', '', 'SUMMER', '', 'publish', '', '', '2026-06-01 10:00:00', 0, 0, 'shop_coupon', 0),
 (801, 1, '2026-06-01 10:00:00', '2026-06-01 08:00:00', '', '', '', 'publish', '', '', '2026-06-01 10:00:00', 0, 1, 'nav_menu_item', 0);
INSERT INTO {p}postmeta (post_id, meta_key, meta_value) VALUES (800, 'coupon_amount', '12.5'), (800, 'date_expires', '1796040001'), (800, 'usage_limit', '5'), (800, 'usage_count', '5'),
 (801, '_menu_item_type', 'taxonomy'), (801, '_menu_item_object', 'product_cat'), (801, '_menu_item_object_id', '5');
INSERT INTO {p}terms VALUES (50, 'Footer', 'footer');
INSERT INTO {p}term_taxonomy VALUES (50, 50, 'nav_menu', 0);
INSERT INTO {p}term_relationships VALUES (801, 50);
INSERT INTO {p}woocommerce_shipping_zones VALUES (1, 'Germany', 1);
INSERT INTO {p}woocommerce_shipping_zone_locations VALUES (1, 1, 'DE', 'country');
INSERT INTO {p}woocommerce_shipping_zone_methods VALUES (1, 1, 'flat_rate', 1, 1);
INSERT INTO {p}woocommerce_tax_rates VALUES (1, 'DE', '', '19.0000', 'MwSt.', 1, 0, 1, 0, '');
INSERT INTO {p}woocommerce_tax_rate_locations VALUES (1, '24103', 1, 'postcode');
INSERT INTO {p}wc_customer_lookup VALUES (1, 2, 'bert', 'Bert', 'Berg', 'bert@mail.example', '2026-02-01 10:00:00', 'DE', '24103', 'Kiel', ''), (2, NULL, '', 'Gina', 'Guest', 'guest@mail.example', NULL, 'AT', '1010', 'Wien', '');
INSERT INTO {p}options (option_name, option_value, autoload) VALUES ('cron', 'a:1:{i:1796036400;a:1:{s:8:"acme_run";a:1:{s:1:"x";a:3:{s:8:"schedule";s:5:"daily";s:4:"args";a:0:{}s:8:"interval";i:86400;}}}}', 'on');
"#;

#[tokio::test]
async fn both_engines_give_one_answer() {
    for store in [Store::Own, Store::Posts] {
        let shop = Shop::new(store).await;
        shop.run(MORE).await;
        let sqlite = shop.door();
        let server = crate::server::Server::new(&format!("same_{store:?}").to_lowercase()).await;
        server.fill(&(contents(store) + MORE)).await;
        let other = Shop::files();
        other.write("wp-config.php", &server.config());
        let mysql = other.door();
        for (tool, arguments) in [
            ("wp_query", json!({"post_type": "any", "post_status": "any", "columns": ["*"]})),
            ("wp_query", json!({"search": "hello", "aggregate": true})),
            ("wp_query", json!({"category_name": "news"})),
            ("wp_users", json!({"columns": ["id", "user_login", "role", "last_login", "post_count"]})),
            ("wp_users", json!({"aggregate": true})),
            ("wp_comments", json!({"columns": ["*"]})),
            ("wp_comments", json!({"aggregate": true})),
            ("wp_option", json!({"search": "shop", "include_values": true, "sort": "size"})),
            ("wp_option", json!({"aggregate": true})),
            ("wp_plugins", json!({"columns": ["*"]})),
            ("wc_get_products", json!({"columns": ["*"], "orderby": "price", "limit": 50})),
            (
                "wc_get_products",
                json!({"columns": ["id", "variation_count", "total_variation_stock", "cost_of_goods"]}),
            ),
            ("wc_get_products", json!({"aggregate": true})),
            ("wc_get_products", json!({"min_price": 8, "max_price": 15.5, "orderby": "stock_qty"})),
            ("wc_get_products", json!({"search": "ts-red"})),
            ("wc_stock", json!({"columns": ["*"], "limit": 50, "orderby": "stock_qty"})),
            ("wc_stock", json!({"filter": "lowstock", "columns": ["id", "threshold", "stock_qty"]})),
            ("wc_stock", json!({"aggregate": true})),
            ("wc_get_orders", json!({"columns": ["*"], "include_items": true})),
            (
                "wc_get_orders",
                json!({"columns": ["id", "item_count", "customer_ip", "billing_city"], "orderby": "total"}),
            ),
            ("wc_get_orders", json!({"aggregate": true, "date_after": "2026-11"})),
            ("wc_get_orders", json!({"date_field": "paid", "date_before": "2026-11-02"})),
            ("wc_get_orders", json!({"orderby": "date_paid", "min_total": 12.5})),
            ("wc_get_orders", json!({"search": "berg", "product_id": 10})),
            ("wc_report", json!({"period": "all", "group_by": "month", "top_products": 20})),
            ("wp_media", json!({"columns": ["*"], "orderby": "file_size"})),
            ("wp_media", json!({"aggregate": true})),
            ("wp_media", json!({"audit": "unused"})),
            ("wp_media", json!({"audit": "duplicates", "mime_type": "image"})),
            ("wp_media", json!({"audit": "no_sizes", "missing_alt": true})),
            ("wp_media", json!({"audit": "oversized"})),
            ("wp_cron", json!({"aggregate": true})),
            ("wp_taxonomy", json!({"columns": ["*"], "recount": true})),
            ("wp_taxonomy", json!({"hide_empty": true, "orderby": "count", "order": "DESC"})),
            ("wp_taxonomy", json!({"aggregate": true})),
            ("wp_menus", json!({})),
            ("wp_menus", json!({"menu": "footer", "columns": ["*"]})),
            ("wc_categories", json!({"columns": ["*"]})),
            ("wc_categories", json!({"aggregate": true, "hide_empty": true})),
            ("wc_reviews", json!({"columns": ["*"], "min_rating": 1, "unanswered": true})),
            ("wc_reviews", json!({"aggregate": true, "min_reviews": 1})),
            ("wc_coupons", json!({"columns": ["*"], "status": "active"})),
            ("wc_coupons", json!({"aggregate": true})),
            ("wc_shipping", json!({"include_settings": true, "country": "DE"})),
            ("wc_tax", json!({"columns": ["id", "rate", "postcode_count"], "country": "DE"})),
            ("wc_tax", json!({"aggregate": true})),
            (
                "wc_get_customer",
                json!({"orderby": "total_spent", "columns": ["customer_id", "average_order", "last_order", "spent_by_currency", "email"]}),
            ),
            ("wc_get_customer", json!({"search": "mail.example", "orderby": "order_count", "order": "ASC"})),
            ("wc_get_customer", json!({"aggregate": true, "date_after": "2026-11"})),
            ("wc_report", json!({"period": "this_year", "group_by": "day", "compare": "previous_year"})),
            ("wc_report", json!({"basis": "analytics", "group_by": "week", "period": "last_30_days"})),
            ("wc_report", json!({"period": "all", "group_by": "status", "basis": "analytics"})),
            (
                "wc_report",
                json!({"period": "all", "group_by": "country", "statuses": ["packed", "completed"]}),
            ),
            ("wc_report", json!({"period": "all", "group_by": "payment_method"})),
            ("wc_report", json!({"period": "all", "group_by": "customer_type"})),
            ("wc_report", json!({"period": "all", "group_by": "category"})),
            ("wc_report", json!({"period": "all", "group_by": "coupon"})),
        ] {
            let ours: Value = mysql.ask(tool, arguments.clone()).await["data"].clone();
            assert_eq!(
                ours,
                sqlite.ask(tool, arguments.clone()).await["data"],
                "{store:?} {tool} {arguments}"
            );
        }
    }
}
