//! Taxonomies: categories, tags, product categories, brands, attributes, and the counts that follow from
//! them.

use std::collections::BTreeSet;

use super::{store::row, words, world::World};

/// Taxonomy, parent's slug ("" for none), name as stored (with HTML entities).
const TERMS: &[(&str, &str, &str)] = &[
    ("category", "", "Uncategorized"),
    ("product_type", "", "simple"),
    ("product_type", "", "grouped"),
    ("product_type", "", "variable"),
    ("product_type", "", "external"),
    ("product_visibility", "", "exclude-from-search"),
    ("product_visibility", "", "exclude-from-catalog"),
    ("product_visibility", "", "featured"),
    ("product_visibility", "", "outofstock"),
    ("product_visibility", "", "rated-1"),
    ("product_visibility", "", "rated-2"),
    ("product_visibility", "", "rated-3"),
    ("product_visibility", "", "rated-4"),
    ("product_visibility", "", "rated-5"),
    ("product_cat", "", "Uncategorized"),
    ("category", "", "Coffee"),
    ("category", "coffee", "Beans"),
    ("category", "beans", "Single origin"),
    ("category", "beans", "Blends"),
    ("category", "coffee", "Brewing"),
    ("category", "brewing", "Filter"),
    ("category", "brewing", "Espresso"),
    ("category", "brewing", "Cold brew"),
    ("category", "", "Kitchen"),
    ("category", "kitchen", "Knives &amp; boards"),
    ("category", "kitchen", "Cookware"),
    ("category", "kitchen", "Ceramics"),
    ("category", "", "Recipes"),
    ("category", "recipes", "Baking"),
    ("category", "recipes", "Breakfast"),
    ("category", "", "People"),
    ("category", "", "Shop news"),
    ("category", "", "Travel"),
    ("post_tag", "", "how-to"),
    ("post_tag", "", "buying guide"),
    ("post_tag", "", "interview"),
    ("post_tag", "", "water"),
    ("post_tag", "", "grinding"),
    ("post_tag", "", "milk"),
    ("post_tag", "", "care"),
    ("post_tag", "", "repair"),
    ("post_tag", "", "sharpening"),
    ("post_tag", "", "cast iron"),
    ("post_tag", "", "copper"),
    ("post_tag", "", "stoneware"),
    ("post_tag", "", "winter"),
    ("post_tag", "", "summer"),
    ("post_tag", "", "vegetarian"),
    ("post_tag", "", "sourdough"),
    ("post_tag", "", "fair trade"),
    ("post_tag", "", "decaf"),
    ("post_tag", "", "crème"),
    ("post_tag", "", "コーヒー"),
    ("post_tag", "", "gifts"),
    ("post_tag", "", "letters"),
    ("post_tag", "", "test kitchen"),
    ("post_tag", "", "never used"),
    ("product_cat", "", "Coffee"),
    ("product_cat", "coffee", "Filter beans"),
    ("product_cat", "coffee", "Espresso beans"),
    ("product_cat", "coffee", "Decaf"),
    ("product_cat", "", "Brewing"),
    ("product_cat", "brewing", "Drippers"),
    ("product_cat", "brewing", "Presses &amp; pots"),
    ("product_cat", "brewing", "Grinders"),
    ("product_cat", "brewing", "Kettles"),
    ("product_cat", "", "Cups &amp; glasses"),
    ("product_cat", "", "Kitchen"),
    ("product_cat", "kitchen", "Knives"),
    ("product_cat", "kitchen", "Boards"),
    ("product_cat", "kitchen", "Pans"),
    ("product_cat", "kitchen", "Bakeware"),
    ("product_cat", "", "Gifts"),
    ("product_cat", "gifts", "Gift cards"),
    ("product_cat", "gifts", "Sets"),
    ("product_cat", "", "Guides"),
    ("product_cat", "", "Clearance"),
    ("product_tag", "", "bestseller"),
    ("product_tag", "", "handmade"),
    ("product_tag", "", "organic"),
    ("product_tag", "", "new"),
    ("product_tag", "", "dishwasher safe"),
    ("product_tag", "", "induction"),
    ("product_tag", "", "last pieces"),
    ("product_brand", "", "Havenrak"),
    ("product_brand", "", "Linden &amp; Zoon"),
    ("product_brand", "", "Noordkaap"),
    ("product_brand", "", "Atelier Vos"),
    ("product_shipping_class", "", "Bulky"),
    ("product_shipping_class", "", "Fragile"),
    ("pa_colour", "", "Cream"),
    ("pa_colour", "", "Slate"),
    ("pa_colour", "", "Moss"),
    ("pa_colour", "", "Terracotta"),
    ("pa_size", "", "250 g"),
    ("pa_size", "", "500 g"),
    ("pa_size", "", "1 kg"),
    ("pa_grind", "", "Whole bean"),
    ("pa_grind", "", "Filter grind"),
    ("pa_grind", "", "Espresso grind"),
    ("nav_menu", "", "Main menu"),
];

/// A term. Its id is also its term_taxonomy_id, as on a site that never shared terms.
#[derive(Debug)]
pub(crate) struct Term {
    pub(crate) id: i64,
    pub(crate) taxonomy: &'static str,
    pub(crate) name: &'static str,
    pub(crate) slug: String,
    pub(crate) parent: i64,
}

/// All terms, and what they are attached to.
#[derive(Debug)]
pub(crate) struct Terms {
    all: Vec<Term>,
    links: BTreeSet<(i64, i64)>,
}

impl Terms {
    /// Reads the list; ids follow its order.
    pub(crate) fn new() -> Self {
        let mut terms = Terms { all: Vec::new(), links: BTreeSet::new() };
        for ((taxonomy, parent, name), id) in TERMS.iter().copied().zip(1..) {
            let parent = if parent.is_empty() { 0 } else { terms.id(taxonomy, parent) };
            terms.all.push(Term { id, taxonomy, name, slug: words::slug(name), parent });
        }
        terms
    }

    /// The id of a term, 0 when there is none.
    pub(crate) fn id(&self, taxonomy: &str, slug: &str) -> i64 {
        self.all.iter().find(|t| t.taxonomy == taxonomy && t.slug == slug).map_or(0, |t| t.id)
    }

    /// The terms of a taxonomy.
    pub(crate) fn of<'a>(&'a self, taxonomy: &'a str) -> impl Iterator<Item = &'a Term> {
        self.all.iter().filter(move |t| t.taxonomy == taxonomy)
    }

    /// Attaches a term to a post; a second time changes nothing.
    pub(crate) fn attach(&mut self, post: i64, term: i64) {
        if term != 0 {
            self.links.insert((post, term));
        }
    }

    /// Attaches a term named by taxonomy and slug.
    pub(crate) fn attach_slug(&mut self, post: i64, taxonomy: &str, slug: &str) {
        self.attach(post, self.id(taxonomy, slug));
    }

    /// The children of terms, as options `category_children` and `product_cat_children` keep them.
    pub(crate) fn children(&self, taxonomy: &str) -> Vec<(i64, Vec<i64>)> {
        self.of(taxonomy)
            .map(|t| (t.id, self.of(taxonomy).filter(|c| c.parent == t.id).map(|c| c.id).collect::<Vec<_>>()))
            .filter(|(_, children)| !children.is_empty())
            .collect()
    }

    /// A term and everything below it.
    fn branch(&self, term: i64) -> Vec<i64> {
        let mut branch = vec![term];
        // A parent always comes before its children in the list, so one pass finds all.
        for t in &self.all {
            if branch.contains(&t.parent) {
                branch.push(t.id);
            }
        }
        branch
    }

    /// Writes terms, relations and counts. The posts must be known by now: only published ones count.
    pub(crate) fn finish(&self, world: &mut World) {
        let published: BTreeSet<i64> =
            world.posts().filter(|p| p.status == "publish").map(|p| p.id).collect();
        let hidden = self.id("product_visibility", "exclude-from-catalog");
        for term in &self.all {
            let direct =
                self.links.iter().filter(|(post, t)| *t == term.id && published.contains(post)).count();
            world
                .tables
                .add("terms", row! { "term_id" => term.id, "name" => term.name, "slug" => &term.slug });
            world.tables.add(
                "term_taxonomy",
                row! {
                    "term_taxonomy_id" => term.id, "term_id" => term.id, "taxonomy" => term.taxonomy,
                    "description" => describe(term), "parent" => term.parent, "count" => direct as i64,
                },
            );
            if matches!(term.taxonomy, "product_cat" | "product_tag" | "product_brand") {
                // The shop front counts products below a category too, and leaves out those hidden from the
                // catalog.
                let branch = self.branch(term.id);
                let shown: BTreeSet<i64> = self
                    .links
                    .iter()
                    .filter(|(post, t)| {
                        branch.contains(t)
                            && published.contains(post)
                            && !self.links.contains(&(*post, hidden))
                    })
                    .map(|(post, _)| *post)
                    .collect();
                world.tables.meta("termmeta", term.id, "order", "0");
                let key = format!("product_count_{}", term.taxonomy);
                world.tables.meta("termmeta", term.id, &key, shown.len().to_string());
            }
            if term.taxonomy == "product_cat" {
                for below in self.branch(term.id) {
                    world.tables.add(
                        "wc_category_lookup",
                        row! { "category_tree_id" => term.id, "category_id" => below },
                    );
                }
            }
        }
        for (post, term) in &self.links {
            world
                .tables
                .add("term_relationships", row! { "object_id" => *post, "term_taxonomy_id" => *term });
        }
    }
}

fn describe(term: &Term) -> String {
    match (term.taxonomy, term.parent) {
        ("category", 0) if term.id > 1 => {
            format!("Everything the magazine has on {}.", term.name.to_lowercase())
        }
        ("product_cat", 0) if term.id > 20 => format!("{} that we use ourselves.", term.name),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_parent_exists_and_slugs_are_unique_in_a_taxonomy() {
        let terms = Terms::new();
        for (term, (_, parent, _)) in terms.all.iter().zip(TERMS) {
            assert_eq!(term.parent == 0, parent.is_empty(), "{} has no parent {parent}", term.name);
            assert_eq!(terms.of(term.taxonomy).filter(|t| t.slug == term.slug).count(), 1, "{}", term.slug);
        }
        let coffee = terms.id("category", "coffee");
        assert_eq!(terms.branch(coffee).len(), 8, "coffee, beans and brewing with five below them");
    }
}
