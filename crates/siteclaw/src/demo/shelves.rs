//! What stands on which shelf of the shop: names, prices and tax class of the products.

use super::{seed::Rng, words::capitalise};

/// A group of similar products.
#[derive(Debug)]
pub(crate) struct Shelf {
    /// Slug of the product category.
    pub(crate) category: &'static str,
    /// Part of the article numbers.
    pub(crate) code: &'static str,
    /// How many products, and how many of them have variations.
    pub(crate) count: usize,
    pub(crate) variable: usize,
    /// Net prices in cents, from and to.
    pub(crate) price: (i64, i64),
    /// Whether the reduced rate of tax applies (food).
    pub(crate) reduced: bool,
    /// Whether nothing is sent.
    pub(crate) intangible: bool,
    /// Slug of a shipping class.
    pub(crate) shipping: &'static str,
    series: &'static [&'static str],
    nouns: &'static [&'static str],
}

impl Shelf {
    /// A name that no product has yet.
    pub(crate) fn name(&self, rng: &mut Rng, n: usize, taken: &mut Vec<String>) -> String {
        let mut name = self.draw(rng);
        for _ in 0..60 {
            if !taken.contains(&name) {
                break;
            }
            name = self.draw(rng);
        }
        if taken.contains(&name) {
            name = format!("{name} no. {}", n + 1);
        }
        taken.push(name.clone());
        name
    }

    fn draw(&self, rng: &mut Rng) -> String {
        let (series, noun) = (rng.word(self.series), rng.word(self.nouns));
        if series.is_empty() { capitalise(noun) } else { format!("{series} {noun}") }
    }
}

const ORIGINS: &[&str] = &[
    "Guji",
    "Huila",
    "Sidama",
    "Nyeri",
    "Antigua",
    "Cerrado",
    "Aceh",
    "Tarrazú",
    "Kayanza",
    "Marcala",
    "Cajamarca",
    "Lintong",
    "Kochere",
    "Nariño",
    "Yirga",
    "Harar",
];
const SERIES: &[&str] = &[
    "Havenrak",
    "Linden",
    "Noordkaap",
    "Atelier",
    "Lowland",
    "Tramkade",
    "Werf",
    "Duo",
    "Kustlijn",
    "Molenaar",
];

const BEANS: Shelf = Shelf {
    category: "filter-beans",
    code: "FB",
    count: 24,
    variable: 10,
    price: (850, 1650),
    reduced: true,
    intangible: false,
    shipping: "",
    series: ORIGINS,
    nouns: &["washed", "natural", "honey", "peaberry"],
};
const WARE: Shelf = Shelf {
    category: "drippers",
    code: "DR",
    count: 20,
    variable: 0,
    price: (600, 4500),
    reduced: false,
    intangible: false,
    shipping: "",
    series: SERIES,
    nouns: &["pour-over dripper", "glass server", "paper filters", "dripper stand", "filter box"],
};

/// Products that are simple or variable: 184.
pub(crate) const ALL: &[Shelf] = &[
    BEANS,
    Shelf {
        category: "espresso-beans",
        code: "EB",
        count: 16,
        variable: 6,
        nouns: &["espresso", "dark roast", "espresso reserve"],
        ..BEANS
    },
    Shelf { category: "decaf", code: "DC", count: 6, variable: 2, nouns: &["decaf"], ..BEANS },
    WARE,
    Shelf {
        category: "presses-pots",
        code: "PP",
        count: 14,
        price: (2200, 7900),
        nouns: &["French press", "moka pot", "cold brew jar", "siphon"],
        ..WARE
    },
    Shelf {
        category: "grinders",
        code: "GR",
        count: 12,
        price: (4500, 28_500),
        shipping: "bulky",
        nouns: &["hand grinder", "electric grinder", "burr set"],
        ..WARE
    },
    Shelf {
        category: "kettles",
        code: "KT",
        count: 14,
        variable: 2,
        price: (3900, 16_900),
        shipping: "bulky",
        nouns: &["gooseneck kettle", "stove kettle", "temperature kettle"],
        ..WARE
    },
    Shelf {
        category: "cups-glasses",
        code: "CU",
        count: 24,
        variable: 12,
        price: (700, 3200),
        shipping: "fragile",
        nouns: &["espresso cup", "mug", "latte bowl", "tasting glass", "saucer"],
        ..WARE
    },
    Shelf {
        category: "knives",
        code: "KN",
        count: 12,
        price: (2400, 18_900),
        nouns: &["chef's knife", "bread knife", "paring knife", "whetstone"],
        ..WARE
    },
    Shelf {
        category: "boards",
        code: "BO",
        count: 10,
        price: (1900, 9900),
        nouns: &["oak board", "walnut board", "beech board"],
        ..WARE
    },
    Shelf {
        category: "pans",
        code: "PA",
        count: 12,
        price: (2900, 22_900),
        shipping: "bulky",
        nouns: &["cast-iron pan", "copper saucepan", "carbon-steel wok", "crêpe pan"],
        ..WARE
    },
    Shelf {
        category: "bakeware",
        code: "BK",
        count: 10,
        variable: 2,
        price: (900, 4900),
        nouns: &["cake tin", "loaf tin", "rolling pin", "proofing basket"],
        ..WARE
    },
    Shelf {
        category: "gift-cards",
        code: "GC",
        count: 4,
        price: (2500, 10_000),
        intangible: true,
        series: &["Gift card"],
        nouns: &["spring", "summer", "autumn", "winter"],
        ..WARE
    },
    Shelf {
        category: "guides",
        code: "GD",
        count: super::media::GUIDES,
        price: (400, 1200),
        reduced: true,
        intangible: true,
        series: &["Guide:"],
        nouns: &["filter coffee", "espresso at home", "sharpening", "cold brew", "cast iron", "sourdough"],
        ..WARE
    },
];

/// Grouped products.
pub(crate) const SETS: Shelf =
    Shelf { category: "sets", code: "SE", nouns: &["starter set", "gift set", "weekend set"], ..WARE };

/// External products, sold by a partner.
pub(crate) const ELSEWHERE: Shelf = Shelf {
    category: "kitchen",
    code: "EX",
    series: &["Partner"],
    nouns: &[
        "espresso machine",
        "roasting class",
        "coffee table book",
        "water filter",
        "cupping course",
        "apron",
        "tea towel set",
        "cleaning kit",
        "barista course",
        "tamper",
    ],
    ..WARE
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shelves_hold_150_simple_and_34_variable_products() {
        assert_eq!(ALL.iter().map(|s| s.count).sum::<usize>(), 184);
        assert_eq!(ALL.iter().map(|s| s.variable).sum::<usize>(), 34);
    }
}
