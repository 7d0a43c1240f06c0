//! Pages (with a hierarchy and those that the shop needs), reusable blocks, and the menu.

use super::{
    clock::DAY,
    serialize::Php,
    store::Value,
    terms::Terms,
    words::{block, heading, paragraph, slug},
    world::{Post, URL, World},
};

/// Title as stored, parent's slug, status.
const PAGES: &[(&str, &str, &str)] = &[
    ("Home", "", "publish"),
    ("Magazine", "", "publish"),
    ("Shop", "", "publish"),
    ("Cart", "", "publish"),
    ("Checkout", "", "publish"),
    ("My account", "", "publish"),
    ("About us", "", "publish"),
    ("Our roastery", "about-us", "publish"),
    ("The team", "about-us", "publish"),
    ("Tasting notes", "our-roastery", "publish"),
    ("Visit us", "", "publish"),
    ("Shipping &amp; returns", "", "publish"),
    ("Privacy policy", "", "publish"),
    ("Contact", "", "publish"),
    ("Refund policy", "", "draft"),
    ("Summer party", "about-us", "draft"),
    ("Wholesale prices", "", "private"),
    ("Old brewing guide", "", "trash"),
];

/// The pages' ids by slug.
#[derive(Debug, Default)]
pub(crate) struct Pages(Vec<(String, i64)>);

impl Pages {
    /// The id of a page, 0 when there is none.
    pub(crate) fn id(&self, slug: &str) -> i64 {
        self.0.iter().find(|(s, _)| s == slug).map_or(0, |(_, id)| *id)
    }
}

/// Adds the pages and two reusable blocks.
pub(crate) fn add(world: &mut World) -> Pages {
    let mut rng = world.rng("pages");
    let end = world.clock.end();
    let mut pages = Pages::default();
    for (i, (title, parent, status)) in PAGES.iter().copied().enumerate() {
        let id = world.post_id();
        let name = slug(title);
        let at = end - 786 * DAY + i as i64 * 1_750;
        // A draft that was never dated has neither UTC date nor, here, a slug.
        let undated = status == "draft";
        let content = match name.as_str() {
            "shop" | "magazine" => String::new(),
            "cart" | "checkout" => format!(
                "<!-- wp:woocommerce/{name} -->\n<div class=\"wp-block-woocommerce-{name} alignwide \
                 is-loading\"></div>\n<!-- /wp:woocommerce/{name} -->"
            ),
            "my-account" => "<!-- wp:shortcode -->[woocommerce_my_account]<!-- /wp:shortcode -->".to_owned(),
            _ => format!(
                "{}\n\n{}\n\n{}",
                block(&paragraph(&mut rng)),
                heading(title),
                block(&paragraph(&mut rng))
            ),
        };
        world.add_post(Post {
            status,
            dated: !undated,
            at: if undated { end - 9 * DAY - i as i64 } else { at },
            modified: if undated { end - 9 * DAY - i as i64 } else { at + rng.range(0, 700) * DAY },
            title: title.to_owned(),
            content,
            name: match status {
                "draft" => String::new(),
                "trash" => format!("{name}__trashed"),
                _ => name.clone(),
            },
            parent: pages.id(parent),
            order: i as i64,
            ..Post::new("page", id, at)
        });
        world.tables.meta(
            "postmeta",
            id,
            "_wp_page_template",
            if name == "home" { "template-home.php" } else { "default" },
        );
        if status == "trash" {
            world.tables.metas(
                "postmeta",
                id,
                [
                    ("_wp_trash_meta_status", Value::from("publish")),
                    ("_wp_trash_meta_time", Value::from((end - 6 * DAY).to_string())),
                    ("_wp_desired_post_slug", Value::from(name.as_str())),
                ],
            );
        }
        pages.0.push((name, id));
    }
    for title in ["Newsletter call", "Opening hours"] {
        let id = world.post_id();
        world.add_post(Post {
            title: title.to_owned(),
            name: slug(title),
            content: block(&paragraph(&mut rng)),
            ..Post::new("wp_block", id, end - 410 * DAY)
        });
    }
    pages
}

/// What a menu entry points to.
enum Target {
    Page(&'static str),
    Term(&'static str, &'static str),
    Post(i64),
    Url(&'static str),
}

/// Adds the menu. `unpublished` is a post in the trash that an entry still points to.
pub(crate) fn add_menu(world: &mut World, terms: &mut Terms, pages: &Pages, unpublished: i64) {
    let menu = terms.id("nav_menu", "main-menu");
    let entries: Vec<(&str, Target, bool)> = vec![
        ("", Target::Page("home"), false),
        ("", Target::Page("shop"), false),
        ("", Target::Term("product_cat", "coffee"), true),
        ("", Target::Term("product_cat", "brewing"), true),
        ("Kitchen tools", Target::Term("product_cat", "kitchen"), true),
        ("", Target::Page("magazine"), false),
        ("", Target::Term("category", "recipes"), true),
        ("Last year's favourites", Target::Post(unpublished), true),
        ("", Target::Page("about-us"), false),
        ("", Target::Page("visit-us"), true),
        ("Instagram", Target::Url("https://social.example/@coppercrema"), false),
    ];
    let at = world.clock.end() - 200 * DAY;
    let mut parent = 0;
    for (order, (label, target, below)) in (1..).zip(entries) {
        let id = world.post_id();
        let (kind, object, object_id, url) = match target {
            Target::Page(name) => ("post_type", "page", pages.id(name), ""),
            Target::Term(taxonomy, name) => ("taxonomy", taxonomy, terms.id(taxonomy, name), ""),
            Target::Post(post) => ("post_type", "post", post, ""),
            Target::Url(url) => ("custom", "custom", id, url),
        };
        if !below {
            parent = id;
        }
        world.add_post(Post {
            title: label.to_owned(),
            name: if label.is_empty() { id.to_string() } else { slug(label) },
            order,
            guid: format!("{URL}/?p={id}"),
            ..Post::new("nav_menu_item", id, at + order)
        });
        world.tables.metas(
            "postmeta",
            id,
            [
                ("_menu_item_type", Value::from(kind)),
                ("_menu_item_menu_item_parent", Value::from(if below { parent } else { 0 }.to_string())),
                ("_menu_item_object_id", Value::from(object_id.to_string())),
                ("_menu_item_object", Value::from(object)),
                ("_menu_item_target", Value::from(if kind == "custom" { "_blank" } else { "" })),
                ("_menu_item_classes", Value::from(Php::list([""]))),
                ("_menu_item_xfn", Value::from("")),
                ("_menu_item_url", Value::from(url)),
            ],
        );
        terms.attach(id, menu);
    }
}
