//! The options table: settings, secrets (all of them random), big autoloaded values, caches.

use std::collections::BTreeSet;

use super::{
    clock::{DAY, HOUR},
    cron,
    media::Media,
    pages::Pages,
    plugins,
    posts::Magazine,
    roles,
    seed::Rng,
    serialize::{Php, assoc},
    shop,
    store::row,
    terms::Terms,
    updates::{self, OptionRow},
    words,
    world::{HOST, URL, World},
};

/// Plain settings: autoload value, name, value.
const PLAIN: &str = include_str!("options.txt");

/// What the options point to.
pub(crate) struct Parts<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) pages: &'a Pages,
    pub(crate) media: &'a Media,
    pub(crate) magazine: &'a Magazine,
}

/// Adds all options. A name that comes twice keeps its first value, as the unique key of the table demands.
pub(crate) fn add(world: &mut World, parts: &Parts<'_>) {
    let planned: Vec<(i64, i64)> =
        world.posts().filter(|p| p.kind == "post" && p.status == "future").map(|p| (p.id, p.at)).collect();
    let mut rows: Vec<OptionRow> =
        vec![("cron".to_owned(), cron::option(&world.clock, &planned).to_string(), "on")];
    rows.extend(PLAIN.lines().map(plain));
    rows.extend(settings(world, parts));
    let mut rng = world.rng("secrets");
    rows.extend(secrets(&mut rng));
    rows.extend(bulk(world));
    rows.extend(updates::checks(world));
    rows.extend(updates::transients(world));
    let mut seen = BTreeSet::new();
    for (name, value, autoload) in rows {
        if seen.insert(name.clone()) {
            world.tables.add(
                "options",
                row! { "option_name" => name, "option_value" => value, "autoload" => autoload },
            );
        }
    }
}

fn plain(line: &'static str) -> OptionRow {
    let (autoload, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
    (name.to_owned(), value.to_owned(), autoload)
}

fn settings(world: &World, parts: &Parts<'_>) -> Vec<OptionRow> {
    let end = world.clock.end();
    let Parts { terms, pages, media, magazine } = parts;
    let page = |slug: &str| pages.id(slug).to_string();
    let children = |taxonomy: &str| {
        Php::map(terms.children(taxonomy).into_iter().map(|(parent, below)| (parent, Php::list(below))))
            .to_string()
    };
    let mut active: Vec<&str> = plugins::ALL.iter().filter(|p| p.active).map(|p| p.file).collect();
    active.push(plugins::GONE);
    active.sort_unstable();
    let menu = terms.id("nav_menu", "main-menu");
    let child_theme = assoc! {
        0 => false, "nav_menu_locations" => assoc! { "primary" => menu }, "custom_logo" => media.logo,
        "custom_css_post_id" => -1,
    };
    let permalinks = assoc! {
        "product_base" => "product", "category_base" => "product-category", "tag_base" => "product-tag",
        "attribute_base" => "", "use_verbose_page_rules" => false,
    };
    let account = assoc! { "account_name" => "Copper & Crema", "bank_name" => "Example", "iban" => "NL00EXPL0000000000" };
    let widgets = assoc! { 2 => assoc! { "content" => "<!-- wp:search /-->" }, "_multiwidget" => 1 };
    let sidebars = assoc! { "wp_inactive_widgets" => assoc! {}, "sidebar-1" => Php::list(["block-2"]), "array_version" => 3 };
    let seo = assoc! { "title-post" => "%%title%% %%sep%% %%sitename%%", "separator" => "sc-dash" };
    let empty = || assoc! {}.to_string();
    let mut rows: Vec<OptionRow> = Vec::new();
    let mut set = |name: &str, value: String, autoload| rows.push((name.to_owned(), value, autoload));
    set("wp_user_roles", roles::all().to_string(), "on");
    set("active_plugins", Php::list(active).to_string(), "on");
    set(
        "recently_activated",
        assoc! { "query-monitor/query-monitor.php" => end - 4 * DAY }.to_string(),
        "off",
    );
    set("auto_update_plugins", Php::list(["akismet/akismet.php"]).to_string(), "off");
    set("uninstall_plugins", empty(), "off");
    set("sticky_posts", Php::list(magazine.sticky.iter().copied()).to_string(), "on");
    set("page_on_front", page("home"), "on");
    set("page_for_posts", page("magazine"), "on");
    set("wp_page_for_privacy_policy", page("privacy-policy"), "on");
    set("woocommerce_shop_page_id", page("shop"), "on");
    set("woocommerce_cart_page_id", page("cart"), "off");
    set("woocommerce_checkout_page_id", page("checkout"), "off");
    set("woocommerce_myaccount_page_id", page("my-account"), "off");
    set("woocommerce_refund_returns_page_id", page("refund-policy"), "auto");
    set("woocommerce_placeholder_image", media.placeholder.to_string(), "on");
    set("woocommerce_permalinks", permalinks.to_string(), "auto");
    set("default_product_cat", terms.id("product_cat", "uncategorized").to_string(), "auto");
    set("category_children", children("category"), "auto");
    set("product_cat_children", children("product_cat"), "auto");
    set("theme_mods_copper-child", child_theme.to_string(), "auto");
    set(
        "theme_mods_lowland",
        assoc! { "nav_menu_locations" => assoc! { "primary" => menu } }.to_string(),
        "off",
    );
    set("admin_email_lifespan", (end + 100 * DAY).to_string(), "on");
    set("woocommerce_admin_install_timestamp", (end - 780 * DAY).to_string(), "auto");
    set("widget_text", empty(), "on");
    set("widget_categories", empty(), "on");
    set("widget_block", widgets.to_string(), "auto");
    set("sidebars_widgets", sidebars.to_string(), "auto");
    set("woocommerce_specific_ship_to_countries", empty(), "on");
    set(
        "woocommerce_bacs_settings",
        assoc! { "enabled" => "yes", "title" => "Bank transfer" }.to_string(),
        "auto",
    );
    set(
        "woocommerce_cod_settings",
        assoc! { "enabled" => "no", "title" => "Cash on delivery" }.to_string(),
        "auto",
    );
    set("woocommerce_bacs_accounts", Php::list([account]).to_string(), "auto");
    set("wpseo_titles", seo.to_string(), "on");
    rows.extend(shop::method_settings().into_iter().map(|(name, value)| (name, value.to_string(), "auto")));
    rows
}

/// Values that nobody may see in an answer.
fn secrets(rng: &mut Rng) -> Vec<OptionRow> {
    // Put together here, so that no scanner of this repository mistakes the pattern for a key.
    let mut key = |kind: &str, mode: &str| format!("{kind}_{mode}_{}", rng.alnum(40));
    let stripe = assoc! {
        "enabled" => "yes", "title" => "Credit card (Stripe)", "testmode" => "no",
        "publishable_key" => key("pk", "live"), "secret_key" => key("sk", "live"),
        "test_secret_key" => key("sk", "test"), "webhook_secret" => key("whsec", "x"),
    };
    let mail = assoc! {
        "host" => "smtp.example", "port" => 587, "user" => format!("mailer@{HOST}"),
        "password" => rng.alnum(18), "from" => format!("orders@{HOST}"),
    };
    let packing = format!(
        "{{\"carrier\":{{\"endpoint\":\"https://carrier.example/v2\",\"api_token\":\"{}\"}},\"printer\":\"zebra\"}}",
        rng.hex(40)
    );
    vec![
        ("woocommerce_stripe_settings".to_owned(), stripe.to_string(), "auto"),
        ("copper_mail_settings".to_owned(), mail.to_string(), "on"),
        ("copper_packing_settings".to_owned(), packing, "auto"),
        ("mailserver_pass".to_owned(), rng.alnum(14), "on"),
        ("wordpress_api_key".to_owned(), rng.hex(12), "on"),
        (
            "legacy_slider_update_url".to_owned(),
            format!("https://updates.example/slider?site={HOST}&license={}", rng.alnum(32)),
            "yes",
        ),
        (
            "copper_packing_feed".to_owned(),
            format!("https://stock:{}@feeds.example/stock.csv", rng.alnum(16)),
            "off",
        ),
    ]
}

/// Values that make a site slow or a table fat.
fn bulk(world: &World) -> Vec<OptionRow> {
    let mut rng = world.rng("bulk");
    let end = world.clock.end();
    let mut slides = Vec::new();
    for n in 0..1500_i64 {
        let file = format!("{URL}/wp-content/uploads/slider/{n}.jpg");
        slides.push((n, assoc! { "file" => file, "text" => words::paragraph(&mut rng) }));
    }
    let index = (0..1100_i64).map(|n| (format!("post-{n}"), words::sentence(&mut rng))).collect::<Vec<_>>();
    let rules: Vec<(String, String)> =
        ["product", "product-category", "product-tag", "magazine", "magazine/category", "magazine/tag"]
            .iter()
            .flat_map(|base| {
                ["", "/feed/(feed|rdf|rss|rss2|atom)", "/page/?([0-9]{1,})", "/comment-page-([0-9]{1,})"].map(
                    |tail| {
                        (
                            format!("{base}/([^/]+){tail}/?$"),
                            format!("index.php?base={base}&name=$matches[1]&rest=$matches[2]"),
                        )
                    },
                )
            })
            .collect();
    let report = (0..1500_i64).map(|n| {
        let sum = super::money::text(rng.range(0, 99_999));
        (n, assoc! { "day" => world.clock.gmt(end - n * HOUR), "sum" => sum })
    });
    vec![
        ("legacy_slider_cache".to_owned(), Php::map(slides).to_string(), "yes"),
        ("wpseo_index_snapshot".to_owned(), Php::map(index).to_string(), "auto"),
        ("rewrite_rules".to_owned(), Php::map(rules).to_string(), "on"),
        ("copper_packing_history".to_owned(), Php::map(report.collect::<Vec<_>>()).to_string(), "no"),
    ]
}
