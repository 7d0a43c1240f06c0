//! The catalogue before it is written: 200 products, what is for sale, and what is odd about some.

use super::{
    clock::DAY,
    media::Media,
    seed::Rng,
    shelves::{self, Shelf},
    terms::Terms,
    world::World,
};

/// Drafts, pending and private products; the rest of the 200 is published.
pub(crate) const UNPUBLISHED: &[(usize, &str)] = &[(10, "draft"), (3, "pending"), (5, "private")];
/// Published products without a price.
pub(crate) const NO_PRICE: usize = 4;
/// Products without an article number.
pub(crate) const NO_SKU: usize = 9;
/// Products without a picture.
pub(crate) const NO_PICTURE: usize = 16;
/// Products in grouped sets, and products sold elsewhere.
pub(crate) const GROUPED: usize = 6;
pub(crate) const EXTERNAL: usize = 10;
/// The shop's own low-stock threshold, option `woocommerce_notify_low_stock_amount`.
pub(crate) const LOW_STOCK: i64 = 3;
/// Products with less than no stock, on backorder.
pub(crate) const NEGATIVE: usize = 4;

/// The four product types of WooCommerce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Simple,
    Variable,
    Grouped,
    External,
}

impl Kind {
    /// The slug of the term in taxonomy `product_type`.
    pub(crate) fn slug(self) -> &'static str {
        match self {
            Kind::Simple => "simple",
            Kind::Variable => "variable",
            Kind::Grouped => "grouped",
            Kind::External => "external",
        }
    }
}

/// A lower price, perhaps for a time only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sale {
    pub(crate) price: i64,
    pub(crate) from: Option<i64>,
    pub(crate) to: Option<i64>,
    /// Whether the shop sells at this price. A job sets and lifts this once a day, so it can lag behind the
    /// dates.
    pub(crate) running: bool,
}

/// What is in the warehouse.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stock {
    /// `None`: not counted.
    pub(crate) quantity: Option<i64>,
    /// Marked as sold out by hand.
    pub(crate) out: bool,
    /// `yes` or `notify`; otherwise no backorders.
    pub(crate) backorders: Option<&'static str>,
    /// A threshold of its own.
    pub(crate) low: Option<i64>,
}

impl Stock {
    /// The stock status as WooCommerce stores it.
    pub(crate) fn status(&self) -> &'static str {
        match (self.quantity, self.backorders) {
            (None, _) if self.out => "outofstock",
            (None, _) => "instock",
            (Some(n), _) if n > 0 => "instock",
            (_, Some(_)) => "onbackorder",
            _ => "outofstock",
        }
    }
}

/// One choice of a variable product.
#[derive(Debug, Clone)]
pub(crate) struct Variation {
    pub(crate) id: i64,
    /// Taxonomy, term's slug, term's name.
    pub(crate) attributes: Vec<(&'static str, String, &'static str)>,
    pub(crate) price: i64,
    pub(crate) sale: Option<Sale>,
    pub(crate) stock: Stock,
    pub(crate) enabled: bool,
}

/// A product.
#[derive(Debug, Clone)]
pub(crate) struct Product {
    pub(crate) id: i64,
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) slug: String,
    pub(crate) sku: Option<String>,
    /// Article number of the trade, 13 digits.
    pub(crate) gtin: Option<String>,
    pub(crate) shelf: &'static Shelf,
    pub(crate) status: &'static str,
    pub(crate) at: i64,
    /// Net, in cents; `None` for a variable or grouped product, and where the shop forgot it.
    pub(crate) price: Option<i64>,
    pub(crate) sale: Option<Sale>,
    pub(crate) stock: Stock,
    pub(crate) picture: Option<i64>,
    pub(crate) featured: bool,
    pub(crate) hidden_from_catalog: bool,
    pub(crate) hidden_from_search: bool,
    /// Where a bought file lies.
    pub(crate) download: Option<(String, String)>,
    pub(crate) variations: Vec<Variation>,
    /// Ids of the products in a set.
    pub(crate) children: Vec<i64>,
    /// Pieces sold in orders that count.
    pub(crate) sold: i64,
    /// Approved ratings of one to five stars.
    pub(crate) ratings: [i64; 5],
}

impl Product {
    /// The price the shop asks now.
    pub(crate) fn asking(&self) -> Option<i64> {
        asking(self.price, self.sale)
    }

    /// Whether it can be put into a cart by itself.
    pub(crate) fn sellable(&self) -> bool {
        self.status == "publish"
            && match self.kind {
                Kind::Simple => self.price.is_some(),
                Kind::Variable => true,
                Kind::Grouped | Kind::External => false,
            }
    }

    /// Nothing to be sent: gift cards and guides.
    pub(crate) fn is_virtual(&self) -> bool {
        self.shelf.intangible
    }
}

impl Variation {
    /// The price the shop asks now.
    pub(crate) fn asking(&self) -> i64 {
        asking(Some(self.price), self.sale).unwrap_or(self.price)
    }
}

fn asking(price: Option<i64>, sale: Option<Sale>) -> Option<i64> {
    sale.filter(|s| s.running).map(|s| s.price).or(price)
}

/// Makes up the catalogue, in the order in which the products were entered.
pub(crate) fn plan(world: &mut World, terms: &Terms, media: &Media) -> Vec<Product> {
    let mut rng = world.rng("products");
    let end = world.clock.end();
    let mut products: Vec<Product> = Vec::new();
    let mut names = Vec::new();
    for shelf in shelves::ALL {
        for n in 0..shelf.count {
            let name = shelf.name(&mut rng, n, &mut names);
            let variable = n < shelf.variable;
            let mut product = blank(&mut rng, shelf, name, end);
            if variable {
                product.kind = Kind::Variable;
                product.variations = variations(&mut rng, terms, shelf);
            } else {
                product.price = Some(rng.range(shelf.price.0 / 25, shelf.price.1 / 25) * 25);
                if !shelf.intangible && rng.chance(88) {
                    product.stock.quantity = Some(rng.range(LOW_STOCK + 10, 140));
                }
            }
            if shelf.category == "guides" {
                product.download = media.guides.get(n).map(|url| (rng.uuid(), url.clone()));
            }
            products.push(product);
        }
    }
    for n in 0..GROUPED + EXTERNAL {
        let (kind, shelf) =
            if n < GROUPED { (Kind::Grouped, &shelves::SETS) } else { (Kind::External, &shelves::ELSEWHERE) };
        let name = shelf.name(&mut rng, n, &mut names);
        let mut product = blank(&mut rng, shelf, name, end);
        product.kind = kind;
        if kind == Kind::External {
            product.price = Some(rng.range(1000, 20_000));
        }
        products.push(product);
    }
    products.sort_by_key(|p| p.at);
    for (number, product) in products.iter_mut().enumerate() {
        product.id = world.post_id();
        product.sku = Some(format!("CC-{}-{:04}", product.shelf.code, number + 1001));
        product.gtin =
            (product.kind == Kind::Simple && rng.chance(20)).then(|| gtin(rng.range(0, 999_999_999)));
        product.picture = rng.pick(&media.products).copied();
        for variation in &mut product.variations {
            variation.id = world.post_id();
        }
    }
    spoil(&mut rng, &mut products, end);
    fill_sets(&mut rng, &mut products);
    products
}

/// An article number of the range kept for use inside a shop, with its check digit.
fn gtin(n: i64) -> String {
    let digits = format!("200{n:09}");
    let sum: u32 = digits
        .chars()
        .filter_map(|c| c.to_digit(10))
        .zip([1, 3].into_iter().cycle())
        .map(|(d, w)| d * w)
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

fn blank(rng: &mut Rng, shelf: &'static Shelf, name: String, end: i64) -> Product {
    let slug = super::words::slug(&name);
    Product {
        id: 0,
        kind: Kind::Simple,
        name,
        slug,
        sku: None,
        gtin: None,
        shelf,
        status: "publish",
        at: end - rng.range(366, 780) * DAY - rng.range(0, DAY),
        price: None,
        sale: None,
        stock: Stock::default(),
        picture: None,
        featured: false,
        hidden_from_catalog: false,
        hidden_from_search: false,
        download: None,
        variations: Vec::new(),
        children: Vec::new(),
        sold: 0,
        ratings: [0; 5],
    }
}

fn variations(rng: &mut Rng, terms: &Terms, shelf: &Shelf) -> Vec<Variation> {
    let attribute = |taxonomy: &'static str, n: usize| {
        terms.of(taxonomy).nth(n).map(|t| (taxonomy, t.slug.clone(), t.name))
    };
    let base = rng.range(shelf.price.0 / 25, shelf.price.1 / 25) * 25;
    let choices: Vec<(Vec<_>, i64)> = if shelf.reduced {
        // Three sizes, whole or ground for filter.
        (0..6)
            .map(|i| {
                (
                    [attribute("pa_size", i / 2), attribute("pa_grind", i % 2)]
                        .into_iter()
                        .flatten()
                        .collect(),
                    [base, base * 19 / 10, base * 35 / 10][i / 2],
                )
            })
            .collect()
    } else {
        (0..3 + rng.below(2)).map(|i| (attribute("pa_colour", i).into_iter().collect(), base)).collect()
    };
    choices
        .into_iter()
        .map(|(attributes, price)| Variation {
            id: 0,
            attributes,
            // Whole five-cent steps.
            price: price / 5 * 5,
            sale: None,
            stock: Stock { quantity: Some(rng.range(LOW_STOCK + 2, 80)), ..Stock::default() },
            enabled: true,
        })
        .collect()
}

/// Gives some products the states that questions are asked about. Each deck deals a product one state at
/// most.
fn spoil(rng: &mut Rng, products: &mut [Product], end: i64) {
    let mut hidden = deck(rng, products, |p| p.kind == Kind::Simple && !p.is_virtual());
    for (count, status) in UNPUBLISHED {
        deal(&mut hidden, products, *count, |p| p.status = status);
    }
    let tangible = |p: &Product| p.kind == Kind::Simple && p.status == "publish" && !p.is_virtual();
    let mut prices = deck(rng, products, tangible);
    deal(&mut prices, products, NO_PRICE, |p| p.price = None);
    for n in 0..24 {
        deal(&mut prices, products, 1, |p| p.sale = p.price.map(|price| sale(n, price, end)));
    }
    let mut stocks = deck(rng, products, |p| tangible(p) && p.price.is_some());
    let mut draw = Rng::stream(rng.next(), "stock");
    deal(&mut stocks, products, NEGATIVE, |p| {
        p.stock = Stock { quantity: Some(-draw.range(1, 7)), backorders: Some("notify"), ..Stock::default() };
    });
    deal(&mut stocks, products, 3, |p| {
        p.stock = Stock { quantity: Some(0), backorders: Some("yes"), ..Stock::default() };
    });
    deal(&mut stocks, products, 11, |p| p.stock = Stock { quantity: Some(0), ..Stock::default() });
    deal(&mut stocks, products, 3, |p| p.stock = Stock { out: true, ..Stock::default() });
    deal(&mut stocks, products, 10, |p| {
        p.stock = Stock { quantity: Some(draw.range(LOW_STOCK + 1, 12)), low: Some(12), ..Stock::default() };
    });
    deal(&mut stocks, products, 8, |p| {
        p.stock = Stock { quantity: Some(draw.range(1, LOW_STOCK)), ..Stock::default() };
    });
    let mut data = deck(rng, products, |p| p.status == "publish" && p.kind == Kind::Simple);
    deal(&mut data, products, NO_SKU, |p| p.sku = None);
    deal(&mut data, products, NO_PICTURE, |p| p.picture = None);
    deal(&mut data, products, 8, |p| p.featured = true);
    deal(&mut data, products, 3, |p| {
        p.hidden_from_catalog = true;
        p.hidden_from_search = true;
    });
    deal(&mut data, products, 2, |p| p.hidden_from_search = true);
    deal(&mut data, products, 2, |p| p.hidden_from_catalog = true);
    let mut choices = deck(rng, products, |p| p.kind == Kind::Variable);
    deal(&mut choices, products, 1, |p| p.variations.iter_mut().for_each(|v| v.stock.quantity = Some(0)));
    deal(&mut choices, products, 6, |p| {
        if let Some(v) = p.variations.first_mut() {
            v.stock = Stock { quantity: Some(5), low: Some(8), ..Stock::default() };
        }
    });
    // Here the parent's threshold applies to its choices.
    deal(&mut choices, products, 3, |p| {
        p.stock.low = Some(10);
        if let Some(v) = p.variations.last_mut() {
            v.stock.quantity = Some(7);
        }
    });
    deal(&mut choices, products, 8, |p| {
        if let Some(v) = p.variations.last_mut() {
            v.sale = Some(Sale { price: v.price * 4 / 5, from: None, to: None, running: true });
        }
    });
    deal(&mut choices, products, 2, |p| {
        if let Some(v) = p.variations.last_mut() {
            v.enabled = false;
        }
    });
}

/// The four cases of a sale: without dates, within its window, window over but the price still low, window
/// ahead.
fn sale(n: i64, price: i64, end: i64) -> Sale {
    let lower = price * 4 / 5;
    let (from, to, running) = match n {
        0..10 => (None, None, true),
        10..18 => (Some(end - (5 + n) * DAY), Some(end + (2 + n) * DAY), true),
        18..20 => (Some(end - 30 * DAY), Some(end - DAY - n * 3600), true),
        _ => (Some(end + (3 + n) * DAY), Some(end + (10 + n) * DAY), false),
    };
    Sale { price: lower, from, to, running }
}

fn deck(rng: &mut Rng, products: &[Product], keep: impl Fn(&Product) -> bool) -> Vec<usize> {
    let mut deck: Vec<usize> = products.iter().enumerate().filter(|(_, p)| keep(p)).map(|(i, _)| i).collect();
    rng.shuffle(&mut deck);
    deck
}

fn deal(deck: &mut Vec<usize>, products: &mut [Product], n: usize, mut change: impl FnMut(&mut Product)) {
    for index in deck.drain(..n.min(deck.len())) {
        if let Some(product) = products.get_mut(index) {
            change(product);
        }
    }
}

fn fill_sets(rng: &mut Rng, products: &mut [Product]) {
    let mut singles = deck(rng, products, |p| p.sellable() && p.kind == Kind::Simple && !p.is_virtual());
    for i in 0..products.len() {
        if products.get(i).is_some_and(|p| p.kind == Kind::Grouped) {
            let mut children: Vec<i64> =
                singles.drain(..3.min(singles.len())).filter_map(|s| products.get(s).map(|p| p.id)).collect();
            children.sort_unstable();
            if let Some(set) = products.get_mut(i) {
                set.children = children;
            }
        }
    }
}

/// When sales end: product and moment.
pub(crate) fn ends(products: &[Product]) -> Vec<(i64, i64)> {
    products
        .iter()
        .filter_map(|p| p.sale.filter(|s| s.running).and_then(|s| s.to).map(|to| (p.id, to)))
        .collect()
}
