//! What the update checks found, and other transients: fresh, expired, and without an end.

use super::{
    clock::{DAY, HOUR},
    plugins::{self, Plugin},
    seed::Rng,
    serialize::{Key, Php, assoc},
    world::{URL, World},
};

/// An option row before it is written: name, value, autoload.
pub(crate) type OptionRow = (String, String, &'static str);

/// The answers of the update servers, an hour old.
pub(crate) fn checks(world: &World) -> Vec<OptionRow> {
    let checked = world.clock.end() - HOUR;
    vec![
        ("_site_transient_update_plugins".to_owned(), plugin_updates(checked).to_string(), "off"),
        ("_site_transient_update_themes".to_owned(), theme_updates(checked).to_string(), "off"),
        ("_site_transient_update_core".to_owned(), core_update(checked).to_string(), "off"),
    ]
}

fn plugin_updates(checked: i64) -> Php {
    let entry = |p: &Plugin, version: &str| {
        let object = assoc! {
            "id" => format!("w.org/plugins/{}", p.slug()), "slug" => p.slug(), "plugin" => p.file,
            "new_version" => version, "url" => format!("https://wordpress.org/plugins/{}/", p.slug()),
            "package" => format!("https://downloads.wordpress.org/plugin/{}.{version}.zip", p.slug()),
            "icons" => assoc! {}, "banners" => assoc! {}, "requires" => "6.8", "tested" => "7.1",
            "requires_php" => "7.4",
        };
        (Key::from(p.file), object.into_object())
    };
    let public = || plugins::ALL.iter().filter(|p| p.public);
    let response = public().filter_map(|p| p.update.map(|v| entry(p, v))).collect();
    let current = public().filter(|p| p.update.is_none()).map(|p| entry(p, p.version)).collect();
    assoc! {
        "last_checked" => checked, "response" => Php::Array(response), "translations" => assoc! {},
        "no_update" => Php::Array(current),
        "checked" => Php::map(plugins::ALL.iter().map(|p| (p.file, p.version))),
    }
    .into_object()
}

fn theme_updates(checked: i64) -> Php {
    assoc! {
        "last_checked" => checked, "checked" => assoc! { "lowland" => "3.2.0", "copper-child" => "1.4.0" },
        "response" => assoc! {
            "lowland" => assoc! {
                "theme" => "lowland", "new_version" => "3.2.1", "url" => "https://themes.example/lowland/",
                "package" => "https://themes.example/lowland.3.2.1.zip", "requires" => "6.6",
                "requires_php" => "7.4",
            },
        },
        "no_update" => assoc! {}, "translations" => assoc! {},
    }
    .into_object()
}

fn core_update(checked: i64) -> Php {
    let package = "https://downloads.wordpress.org/release/wordpress-7.1.1.zip";
    let offer = assoc! {
        "response" => "upgrade", "download" => package, "locale" => "en_US",
        "packages" => assoc! { "full" => package, "partial" => false }.into_object(), "current" => "7.1.1",
        "version" => "7.1.1", "php_version" => "7.4", "mysql_version" => "5.5.5", "new_bundled" => "6.7",
        "partial_version" => "",
    };
    assoc! {
        "updates" => Php::list([offer.into_object()]), "last_checked" => checked, "version_checked" => "7.1",
        "translations" => assoc! {},
    }
    .into_object()
}

/// Transients of plugins: each with its time-out, except some that never end.
pub(crate) fn transients(world: &World) -> Vec<OptionRow> {
    let mut rng = world.rng("transients");
    let end = world.clock.end();
    let mut rows = Vec::new();
    let mut add = |site: &str, name: String, timeout: Option<i64>, value: String| {
        if let Some(timeout) = timeout {
            rows.push((format!("_{site}transient_timeout_{name}"), timeout.to_string(), "off"));
        }
        // Without an end a transient is loaded with every page.
        rows.push((format!("_{site}transient_{name}"), value, if timeout.is_some() { "off" } else { "on" }));
    };
    for n in 0..30 {
        // Every second one has run out: nobody asked for it since.
        let timeout = if n % 2 == 0 { end - rng.range(1, 90) * DAY } else { end + rng.range(1, 29) * DAY };
        let (name, value) = match n % 3 {
            0 => (format!("feed_{}", rng.hex(32)), feed(&mut rng)),
            1 => (format!("wc_report_sales_{}", rng.hex(16)), report(&mut rng)),
            _ => (format!("wpseo_{}", rng.hex(20)), assoc! { "checked" => timeout - DAY, "ok" => true }),
        };
        add("", name, Some(timeout), value.to_string());
    }
    for (name, value) in [
        ("shipping-transient-version", (end - 40 * DAY).to_string()),
        ("product-transient-version", (end - 2 * DAY).to_string()),
        ("orders-transient-version", (end - 900).to_string()),
        ("legacy_slider_slides", Php::list(vec!["slide"; 400]).to_string()),
    ] {
        add("", name.to_owned(), None, value);
    }
    let roots = assoc! { "copper-child" => "/themes", "lowland" => "/themes" };
    add("site_", "theme_roots".to_owned(), Some(end + 1500), roots.to_string());
    add(
        "site_",
        format!("browser_{}", rng.hex(32)),
        Some(end - 12 * DAY),
        assoc! { "name" => "Firefox" }.to_string(),
    );
    rows
}

fn feed(rng: &mut Rng) -> Php {
    let items = (0..5).map(
        |n| assoc! { "title" => super::words::title(rng), "link" => format!("{URL}/magazine/?item={n}") },
    );
    assoc! { "items" => Php::list(items.collect::<Vec<_>>()), "build" => rng.hex(12) }
}

fn report(rng: &mut Rng) -> Php {
    Php::map((1..=30_i64).map(|day| (day, super::money::text(rng.range(10_000, 90_000)))).collect::<Vec<_>>())
}
