//! Products as rows: posts, meta, terms, lookup tables.

use std::collections::BTreeSet;

use super::{
    clock::DAY,
    money::{real, text},
    products::{Kind, Product, Sale, Stock, Variation},
    seed::Rng,
    serialize::{Php, assoc},
    store::{Value, row},
    terms::Terms,
    words::{block, paragraph, sentence},
    world::{Post, URL, World},
};

const VERSION: &str = "11.0.1";

/// Adds the posts and terms; meta and lookups follow in [`finish`], when sales and ratings are known.
pub(crate) fn add(world: &mut World, terms: &mut Terms, products: &[Product]) {
    let mut rng = world.rng("product rows");
    for product in products {
        let undated = matches!(product.status, "draft" | "pending");
        world.add_post(Post {
            status: product.status,
            dated: !undated,
            modified: (product.at + rng.range(1, 300) * DAY).min(world.clock.end() - DAY),
            title: product.name.clone(),
            content: format!("{}\n\n{}", block(&paragraph(&mut rng)), block(&paragraph(&mut rng))),
            excerpt: if rng.chance(92) { sentence(&mut rng) } else { String::new() },
            name: if undated { String::new() } else { product.slug.clone() },
            comments_open: true,
            guid: format!("{URL}/?post_type=product&p={}", product.id),
            ..Post::new("product", product.id, product.at)
        });
        for (order, variation) in (1..).zip(&product.variations) {
            let names: Vec<&str> = variation.attributes.iter().map(|(_, _, name)| *name).collect();
            let slugs: Vec<&str> = variation.attributes.iter().map(|(_, slug, _)| slug.as_str()).collect();
            let facts: Vec<String> = variation
                .attributes
                .iter()
                .map(|(taxonomy, _, name)| format!("{taxonomy}: {name}"))
                .collect();
            world.add_post(Post {
                status: if variation.enabled { "publish" } else { "private" },
                title: format!("{} - {}", product.name, names.join(", ")),
                excerpt: facts.join(", "),
                name: format!("{}-{}", product.slug, slugs.join("-")),
                parent: product.id,
                order,
                ..Post::new("product_variation", variation.id, product.at + 60)
            });
        }
        if let Some(picture) = product.picture.and_then(|id| world.post_mut(id))
            && picture.parent == 0
        {
            picture.parent = product.id;
        }
        classify(&mut rng, terms, product);
    }
}

fn classify(rng: &mut Rng, terms: &mut Terms, product: &Product) {
    let id = product.id;
    terms.attach_slug(id, "product_type", product.kind.slug());
    terms.attach_slug(id, "product_cat", product.shelf.category);
    if rng.chance(6) {
        terms.attach_slug(id, "product_cat", "gifts");
    }
    let brand = ["havenrak", "linden-zoon", "noordkaap", "atelier-vos"];
    terms.attach_slug(id, "product_brand", rng.word(&brand));
    for tag in ["bestseller", "handmade", "organic", "new", "dishwasher-safe", "induction"] {
        if rng.chance(14) {
            terms.attach_slug(id, "product_tag", tag);
        }
    }
    if product.stock.quantity.is_some_and(|n| (1..=3).contains(&n)) {
        terms.attach_slug(id, "product_tag", "last-pieces");
    }
    terms.attach_slug(id, "product_shipping_class", product.shelf.shipping);
    for (taxonomy, slug, _) in product.variations.iter().flat_map(|v| &v.attributes) {
        terms.attach_slug(id, taxonomy, slug);
    }
    for (slug, yes) in [
        ("featured", product.featured),
        ("exclude-from-catalog", product.hidden_from_catalog),
        ("exclude-from-search", product.hidden_from_search),
        ("outofstock", stock_status(product) == "outofstock"),
    ] {
        if yes {
            terms.attach_slug(id, "product_visibility", slug);
        }
    }
}

/// A variable product is sold out when all its choices are.
fn stock_status(product: &Product) -> &'static str {
    if product.kind != Kind::Variable {
        return product.stock.status();
    }
    let choices: Vec<&str> = product.variations.iter().map(|v| v.stock.status()).collect();
    ["instock", "onbackorder"].into_iter().find(|s| choices.contains(s)).unwrap_or("outofstock")
}

/// Adds meta and lookups, and the terms that ratings bring.
pub(crate) fn finish(world: &mut World, terms: &mut Terms, products: &[Product]) {
    let mut rng = world.rng("product meta");
    let prices: Vec<(i64, Option<i64>)> = products.iter().map(|p| (p.id, p.asking())).collect();
    for product in products {
        let children: Vec<i64> = product
            .children
            .iter()
            .filter_map(|id| prices.iter().find(|(p, _)| p == id).and_then(|(_, price)| *price))
            .collect();
        let asked: BTreeSet<i64> = match product.kind {
            Kind::Variable => {
                product.variations.iter().filter(|v| v.enabled).map(Variation::asking).collect()
            }
            Kind::Grouped => {
                [children.iter().min(), children.iter().max()].into_iter().flatten().copied().collect()
            }
            _ => product.asking().into_iter().collect(),
        };
        add_meta(world, &mut rng, product, &asked);
        add_lookup(world, product, &asked);
        for variation in &product.variations {
            add_variation(world, product, variation);
            for (taxonomy, slug, _) in &variation.attributes {
                world.tables.add(
                    "wc_product_attributes_lookup",
                    row! {
                        "product_id" => variation.id, "product_or_parent_id" => product.id,
                        "taxonomy" => *taxonomy, "term_id" => terms.id(taxonomy, slug),
                        "is_variation_attribute" => true,
                        "in_stock" => variation.stock.status() != "outofstock",
                    },
                );
            }
        }
        if let Some(average) = average(product) {
            terms.attach_slug(product.id, "product_visibility", &format!("rated-{}", (average + 50) / 100));
        }
    }
}

/// The average rating in hundredths of a star.
fn average(product: &Product) -> Option<i64> {
    let count: i64 = product.ratings.iter().sum();
    let stars: i64 = product.ratings.iter().zip(1..).map(|(n, stars)| n * stars).sum();
    (count > 0).then(|| super::money::divide(stars * 100, count))
}

fn tax_class(product: &Product) -> &'static str {
    if product.shelf.reduced { "reduced-rate" } else { "" }
}

fn yes(yes: bool) -> Value {
    Value::from(if yes { "yes" } else { "no" })
}

fn add_meta(world: &mut World, rng: &mut Rng, product: &Product, asked: &BTreeSet<i64>) {
    let count: i64 = product.ratings.iter().sum();
    let mut meta: Vec<(&str, Value)> = Vec::new();
    if let Some(sku) = &product.sku {
        meta.push(("_sku", Value::from(sku)));
    }
    if let Some(price) = product.price {
        meta.push(("_regular_price", Value::from(text(price))));
    }
    add_sale(&mut meta, product.sale);
    let intangible = product.is_virtual();
    meta.extend([
        ("total_sales", Value::from(product.sold.to_string())),
        ("_tax_status", Value::from("taxable")),
        ("_tax_class", Value::from(tax_class(product))),
        ("_sold_individually", yes(product.shelf.category == "gift-cards")),
        ("_virtual", yes(intangible)),
        ("_downloadable", yes(product.download.is_some())),
        ("_download_limit", Value::from("-1")),
        ("_download_expiry", Value::from("-1")),
        ("_wc_average_rating", Value::from(average(product).map_or("0".to_owned(), text))),
        ("_wc_review_count", Value::from(count.to_string())),
        ("_product_version", Value::from(VERSION)),
    ]);
    add_stock(&mut meta, &product.stock, stock_status(product));
    if !intangible {
        meta.push(("_weight", Value::from(text(rng.range(10, 400)))));
    }
    if let Some(picture) = product.picture {
        meta.push(("_thumbnail_id", Value::from(picture.to_string())));
    }
    if count > 0 {
        let given = product.ratings.iter().copied().zip(1_i64..).filter(|(n, _)| *n > 0);
        meta.push(("_wc_rating_count", Value::from(Php::map(given.map(|(n, stars)| (stars, n))))));
    }
    if product.kind == Kind::External {
        meta.push(("_product_url", Value::from(format!("https://partner.example/item/{}", product.id))));
        meta.push(("_button_text", Value::from("See at our partner")));
    }
    if product.kind == Kind::Grouped {
        meta.push(("_children", Value::from(Php::list(product.children.iter().copied()))));
    }
    if product.kind == Kind::Variable {
        meta.push(("_product_attributes", Value::from(attributes(product))));
    }
    if let Some((id, url)) = &product.download {
        let file =
            assoc! { "id" => id.as_str(), "name" => "Guide", "file" => url.as_str(), "enabled" => true };
        meta.push(("_downloadable_files", Value::from(Php::map([(id.as_str(), file)]))));
    }
    meta.extend(asked.iter().map(|price| ("_price", Value::from(text(*price)))));
    if product.kind == Kind::Simple && !intangible && rng.chance(40) {
        let cost = product.price.unwrap_or(2000) * rng.range(40, 65) / 100;
        meta.push(("_wc_cog_cost", Value::from(text(cost))));
        meta.push((
            "_supplier",
            Value::from(rng.word(&["Groothandel De Kade", "Imports North", "Maas Tools"])),
        ));
        meta.push(("_supplier_sku", Value::from(format!("S{}", rng.range(10_000, 99_999)))));
    }
    meta.extend(product.gtin.iter().map(|number| ("_global_unique_id", Value::from(number))));
    world.tables.metas("postmeta", product.id, meta);
}

fn add_sale(meta: &mut Vec<(&str, Value)>, sale: Option<Sale>) {
    if let Some(sale) = sale {
        meta.push(("_sale_price", Value::from(text(sale.price))));
        for (key, at) in [("_sale_price_dates_from", sale.from), ("_sale_price_dates_to", sale.to)] {
            meta.extend(at.map(|at| (key, Value::from(at.to_string()))));
        }
    }
}

fn add_stock(meta: &mut Vec<(&str, Value)>, stock: &Stock, status: &'static str) {
    meta.extend([
        ("_manage_stock", yes(stock.quantity.is_some())),
        ("_backorders", Value::from(stock.backorders.unwrap_or("no"))),
        ("_stock", stock.quantity.map(|n| n.to_string()).into()),
        ("_stock_status", Value::from(status)),
    ]);
    meta.extend(stock.low.map(|n| ("_low_stock_amount", Value::from(n.to_string()))));
}

fn attributes(product: &Product) -> Php {
    let mut taxonomies: Vec<&'static str> = Vec::new();
    for (taxonomy, _, _) in product.variations.iter().flat_map(|v| &v.attributes) {
        if !taxonomies.contains(taxonomy) {
            taxonomies.push(taxonomy);
        }
    }
    Php::map(taxonomies.into_iter().zip(0_i64..).map(|(taxonomy, position)| {
        let facts = assoc! {
            "name" => taxonomy, "value" => "", "position" => position, "is_visible" => 1, "is_variation" => 1,
            "is_taxonomy" => 1,
        };
        (taxonomy, facts)
    }))
}

fn add_variation(world: &mut World, product: &Product, variation: &Variation) {
    let sku = product.sku.as_ref().map(|sku| {
        let parts: Vec<String> =
            variation.attributes.iter().map(|(_, slug, _)| slug.to_uppercase()).collect();
        format!("{sku}-{}", parts.join("-"))
    });
    let mut meta = vec![
        ("_variation_description", Value::from("")),
        ("_regular_price", Value::from(text(variation.price))),
        ("total_sales", Value::from("0")),
        ("_tax_status", Value::from("taxable")),
        ("_tax_class", Value::from("parent")),
        ("_sold_individually", yes(false)),
        ("_virtual", yes(false)),
        ("_downloadable", yes(false)),
        ("_download_limit", Value::from("-1")),
        ("_download_expiry", Value::from("-1")),
        ("_wc_average_rating", Value::from("0")),
        ("_wc_review_count", Value::from("0")),
        ("_price", Value::from(text(variation.asking()))),
        ("_product_version", Value::from(VERSION)),
        ("_thumbnail_id", Value::from("0")),
    ];
    meta.extend(sku.iter().map(|sku| ("_sku", Value::from(sku))));
    add_sale(&mut meta, variation.sale);
    add_stock(&mut meta, &variation.stock, variation.stock.status());
    world.tables.metas("postmeta", variation.id, meta);
    for (taxonomy, slug, _) in &variation.attributes {
        world.tables.meta("postmeta", variation.id, &format!("attribute_{taxonomy}"), slug.as_str());
    }
    let price = real(variation.asking());
    world.tables.add(
        "wc_product_meta_lookup",
        row! {
            "product_id" => variation.id, "sku" => sku.unwrap_or_default(), "min_price" => price,
            "max_price" => price, "onsale" => variation.sale.is_some_and(|s| s.running),
            "stock_quantity" => variation.stock.quantity.map(|n| n as f64),
            "stock_status" => variation.stock.status(), "tax_class" => "parent",
        },
    );
}

fn add_lookup(world: &mut World, product: &Product, asked: &BTreeSet<i64>) {
    // Without a price the table says 0, not NULL.
    let price = |cents: Option<&i64>| real(cents.copied().unwrap_or(0));
    let single = matches!(product.kind, Kind::Simple | Kind::External);
    world.tables.add(
        "wc_product_meta_lookup",
        row! {
            "product_id" => product.id, "sku" => product.sku.clone().unwrap_or_default(),
            "global_unique_id" => product.gtin.clone().unwrap_or_default(),
            "virtual" => product.is_virtual(), "downloadable" => product.download.is_some(),
            "min_price" => price(asked.first()), "max_price" => price(asked.last()),
            "onsale" => single && product.sale.is_some_and(|s| s.running),
            "stock_quantity" => product.stock.quantity.map(|n| n as f64),
            "stock_status" => stock_status(product), "rating_count" => product.ratings.iter().sum::<i64>(),
            "average_rating" => real(average(product).unwrap_or(0)), "total_sales" => product.sold,
            "tax_class" => tax_class(product),
        },
    );
}
