//! The files of the site besides uploads and logs: configuration, version facts, plugins, themes, the
//! drop-in.

use super::{plugins, seed::Rng, world::World};

/// Where the database lies.
pub(crate) const DATABASE: &str = "wp-content/database/.ht.sqlite";

const NOTHING: &str = "<?php\n// Part of the demo shop: WordPress itself is not here.\n";

/// Adds the files.
pub(crate) fn add(world: &mut World) {
    let mut rng = world.rng("files");
    for path in [
        "index.php",
        "wp-load.php",
        "wp-settings.php",
        "wp-blog-header.php",
        "wp-cron.php",
        "wp-login.php",
        "xmlrpc.php",
        "wp-admin/index.php",
        "wp-admin/admin.php",
        "wp-includes/functions.php",
        "wp-includes/class-wpdb.php",
        "wp-content/index.php",
        "wp-content/plugins/index.php",
        "wp-content/themes/index.php",
    ] {
        world.file(path, NOTHING);
    }
    world.file(
        "wp-includes/version.php",
        "<?php\n// Part of the demo shop: the version facts of WordPress 7.1 and nothing else.\n\
         $wp_version = '7.1';\n$wp_db_version = 61833;\n$tinymce_version = '49110-20250317';\n\
         $required_php_version = '7.4';\n$required_php_extensions = array( 'json', 'hash' );\n\
         $required_mysql_version = '5.5.5';\n",
    );
    world.file("wp-config.php", config(&mut rng));
    world.file(
        "wp-content/db.php",
        "<?php\n/**\n * Plugin Name: SQLite integration (Drop-in)\n * Version: 1.0.0\n */\n\
         define( 'SQLITE_DB_DROPIN_VERSION', '1.8.0' );\n\
         // Part of the demo shop: the integration itself is not here.\n",
    );
    world.file("wp-content/database/.htaccess", "DENY FROM ALL");
    world.file("wp-content/database/index.php", NOTHING);
    world.file(
        ".htaccess",
        "# BEGIN WordPress\n<IfModule mod_rewrite.c>\nRewriteEngine On\nRewriteRule . \
     /index.php [L]\n</IfModule>\n# END WordPress\n",
    );
    world.file("robots.txt", "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n");
    add_plugins(world);
    add_themes(world);
}

fn config(rng: &mut Rng) -> String {
    // The characters of the salt service, without the two that would end or escape a PHP text.
    const SALT: &str =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!@#$%^&*()-_ []{}<>~`+=,.;:/?|";
    let keys = [
        "AUTH_KEY",
        "SECURE_AUTH_KEY",
        "LOGGED_IN_KEY",
        "NONCE_KEY",
        "AUTH_SALT",
        "SECURE_AUTH_SALT",
        "LOGGED_IN_SALT",
        "NONCE_SALT",
    ];
    let salts: String = keys
        .iter()
        .map(|key| format!("define( '{key}', {:>w$}'{}' );\n", "", rng.text(SALT, 64), w = 17 - key.len()))
        .collect();
    format!(
        "<?php\n\
         // Configuration of the demo shop. The database is SQLite; the four MySQL settings are not used.\n\
         define( 'DB_ENGINE', 'sqlite' );\n\
         define( 'DB_NAME', 'database_name_here' );\n\
         define( 'DB_USER', 'username_here' );\n\
         define( 'DB_PASSWORD', 'password_here' );\n\
         define( 'DB_HOST', 'localhost' );\n\
         define( 'DB_CHARSET', 'utf8mb4' );\n\
         define( 'DB_COLLATE', '' );\n\n\
         // Keys and salts: random, and good for nothing.\n{salts}\n\
         $table_prefix = 'wp_';\n\n\
         define( 'WP_DEBUG', true );\n\
         define( 'WP_DEBUG_LOG', true );\n\
         define( 'WP_DEBUG_DISPLAY', false );\n\
         define( 'WP_ENVIRONMENT_TYPE', 'local' );\n\
         define( 'WP_POST_REVISIONS', 10 );\n\
         define( 'DISALLOW_FILE_EDIT', true );\n\n\
         if ( ! defined( 'ABSPATH' ) ) {{\n\tdefine( 'ABSPATH', __DIR__ . '/' );\n}}\n\n\
         require_once ABSPATH . 'wp-settings.php';\n"
    )
}

fn add_plugins(world: &mut World) {
    for plugin in plugins::ALL {
        let mut header = format!(
            "<?php\n/**\n * Plugin Name: {}\n * Description: {}\n * Version: {}\n * Author: {}\n",
            plugin.name, plugin.description, plugin.version, plugin.author
        );
        for (name, value) in plugin.more {
            header.push_str(&format!(" * {name}: {value}\n"));
        }
        header.push_str(" */\n\ndefined( 'ABSPATH' ) || exit;\n");
        if plugin.slug() == "copper-packing" {
            header.push_str(PACKING);
        }
        world.file(format!("wp-content/plugins/{}", plugin.file), header);
        if plugin.public {
            world.file(
                format!("wp-content/plugins/{}/readme.txt", plugin.slug()),
                format!("=== {} ===\nStable tag: {}\nTested up to: 7.1\n", plugin.name, plugin.version),
            );
        }
    }
    world.file(
        "wp-content/plugins/legacy-import/parser.php",
        "<?php\n// Left over from an import; no plugin header, so WordPress does not list it.\n",
    );
    world.file(
        "wp-content/mu-plugins/copper-tweaks.php",
        "<?php\n/**\n * Plugin Name: Copper Tweaks\n * Description: Small changes for this shop.\n * Version: 0.9.1\n * Author: Copper & Crema\n */\n\n\
         defined( 'ABSPATH' ) || exit;\n\nadd_filter( 'woocommerce_low_stock_amount', fn( $n ) => max( 1, (int) $n ) );\n",
    );
}

/// Some code of the shop's own, to be searched and read.
const PACKING: &str = "
add_action( 'woocommerce_order_status_processing', 'copper_packing_queue' );

/**
 * Puts a paid order on the packing list.
 */
function copper_packing_queue( $order_id ) {
\t$order = wc_get_order( $order_id );
\tif ( ! $order || ! $order->needs_shipping_address() ) {
\t\treturn;
\t}
\tas_enqueue_async_action( 'copper_tweaks_parcel_sync', array( 'order' => $order_id ), 'copper-tweaks' );
}

/**
 * Gives the weight of an order in kilograms; products without a weight count as one.
 */
function copper_packing_weight( WC_Order $order ) {
\t$sum = 0.0;
\tforeach ( $order->get_items() as $item ) {
\t\t$product = $item->get_product();
\t\t$sum    += ( (float) $product->get_weight() ?: 1.0 ) * $item->get_quantity();
\t}
\treturn $sum;
}
";

fn add_themes(world: &mut World) {
    let theme = |name: &str, version: &str, more: &str| {
        format!(
            "/*\nTheme Name: {name}\nVersion: {version}\nAuthor: Copper & Crema\nRequires at least: \
             6.6\nRequires PHP: 7.4\n{more}*/\n"
        )
    };
    world.file("wp-content/themes/lowland/style.css", theme("Lowland", "3.2.0", "Text Domain: lowland\n"));
    world.file("wp-content/themes/lowland/index.php", NOTHING);
    world.file(
        "wp-content/themes/lowland/functions.php",
        "<?php\nadd_action( 'after_setup_theme', function () {\n\tregister_nav_menus( array( 'primary' => \
         'Primary menu', 'footer' => 'Footer menu' ) );\n\tadd_theme_support( 'woocommerce' );\n} );\n",
    );
    world.file("wp-content/themes/lowland/template-home.php", "<?php\n/* Template Name: Home */\n");
    world.file(
        "wp-content/themes/copper-child/style.css",
        theme("Copper child", "1.4.0", "Template: lowland\nText Domain: copper-child\n"),
    );
    world.file(
        "wp-content/themes/copper-child/functions.php",
        "<?php\nadd_action( 'wp_enqueue_scripts', function () {\n\twp_enqueue_style( 'copper', \
         get_stylesheet_uri(), array( 'lowland' ), '1.4.0' );\n} );\n",
    );
}
