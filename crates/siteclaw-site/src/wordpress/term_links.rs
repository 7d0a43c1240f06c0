//! Addresses of terms, as `get_term_link()` makes them.
//!
//! Which taxonomies list their ancestors and under which base is registered in code; that of WordPress' and
//! WooCommerce's own is known, for others it can only be inferred.

use std::collections::BTreeMap;

use siteclaw_core::ToolError;
use siteclaw_db::Statement;
use siteclaw_php::PhpValue;

use super::options::Options;
use super::permalink::Link;
use super::site::Snapshot;

/// Options that addresses of terms depend on.
pub(crate) const OPTIONS: [&str; 5] =
    ["home", "permalink_structure", "category_base", "tag_base", "woocommerce_permalinks"];
/// Terms nest no deeper in practice; a cycle ends here.
const MAX_ANCESTORS: usize = 20;

/// A term as far as its address goes.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) id: i64,
    pub(crate) taxonomy: String,
    pub(crate) slug: String,
}

/// The terms of hierarchical taxonomies with their parents.
#[derive(Debug, Default)]
pub(crate) struct Tree(BTreeMap<(String, i64), Node>);

#[derive(Debug)]
struct Node {
    name: String,
    slug: String,
    parent: i64,
}

impl Tree {
    /// Reads the terms of these taxonomies, in one statement.
    pub(crate) async fn read(snapshot: &Snapshot, taxonomies: &[&str]) -> Result<Self, ToolError> {
        let statement = Statement::new(
            "SELECT tt.taxonomy, t.term_id, t.name, t.slug, tt.parent FROM {term_taxonomy} tt \
             JOIN {terms} t ON t.term_id = tt.term_id WHERE tt.taxonomy IN (?*) ORDER BY t.term_id",
        )
        .bind_list(taxonomies.iter().copied());
        let mut nodes = BTreeMap::new();
        for row in snapshot.rows(&statement).await?.iter() {
            let node = Node { name: row.text("name")?, slug: row.text("slug")?, parent: row.i64("parent")? };
            nodes.insert((row.text("taxonomy")?, row.i64("term_id")?), node);
        }
        Ok(Self(nodes))
    }

    /// The names of a term and of those above it, the highest first.
    pub(crate) fn names(&self, taxonomy: &str, term: i64) -> Vec<&str> {
        self.path(taxonomy, term, |node| &node.name)
    }

    fn slugs(&self, taxonomy: &str, term: i64) -> Vec<&str> {
        self.path(taxonomy, term, |node| &node.slug)
    }

    fn path<'a>(
        &'a self,
        taxonomy: &str,
        mut term: i64,
        part: impl Fn(&'a Node) -> &'a String,
    ) -> Vec<&'a str> {
        let mut path = Vec::new();
        while let Some(node) = self.0.get(&(taxonomy.to_owned(), term)).filter(|_| path.len() < MAX_ANCESTORS)
        {
            path.push(part(node).as_str());
            term = node.parent;
        }
        path.reverse();
        path
    }
}

/// How the site builds addresses of terms.
pub(crate) struct TermLinks {
    home: String,
    structure: String,
    category_base: String,
    tag_base: String,
    products: BTreeMap<&'static str, String>,
}

impl TermLinks {
    /// How the site builds addresses. `options` must hold [`OPTIONS`].
    pub(crate) fn new(snapshot: &Snapshot, options: &Options) -> Self {
        let home = snapshot.settings.home.as_deref().unwrap_or_else(|| options.text("home"));
        let bases = options.serialised("woocommerce_permalinks");
        let base = |key: &str, usual: &str| {
            let stored = bases.as_ref().and_then(|bases| bases.get(key)).and_then(PhpValue::to_text);
            let stored = stored.map(|base| base.trim_matches('/').to_owned());
            stored.filter(|base| !base.is_empty()).unwrap_or_else(|| usual.to_owned())
        };
        Self {
            home: home.trim_end_matches('/').to_owned(),
            structure: options.text("permalink_structure").to_owned(),
            category_base: options.text("category_base").trim_matches('/').to_owned(),
            tag_base: options.text("tag_base").trim_matches('/').to_owned(),
            products: BTreeMap::from([
                ("product_cat", base("category_base", "product-category")),
                ("product_tag", base("tag_base", "product-tag")),
            ]),
        }
    }

    /// The taxonomies whose ancestors must be known for these terms.
    pub(crate) fn hierarchical(terms: &[Term]) -> Vec<&str> {
        ["category", "product_cat"]
            .into_iter()
            .filter(|name| terms.iter().any(|term| term.taxonomy == *name))
            .collect()
    }

    /// The address of a term.
    pub(crate) fn of(&self, term: &Term, tree: &Tree) -> Link {
        let known = |url: String| Link { url, inferred: false };
        let (home, slug) = (&self.home, &term.slug);
        if self.structure.is_empty() {
            return match term.taxonomy.as_str() {
                "category" => known(format!("{home}/?cat={}", term.id)),
                "post_tag" => known(format!("{home}/?tag={slug}")),
                taxonomy => Link {
                    url: format!("{home}/?{taxonomy}={slug}"),
                    inferred: !self.products.contains_key(taxonomy),
                },
            };
        }
        let front = self.structure.split('%').next().unwrap_or("/");
        let slash = if self.structure.ends_with('/') { "/" } else { "" };
        let path = || {
            let path = tree.slugs(&term.taxonomy, term.id);
            if path.is_empty() { slug.clone() } else { path.join("/") }
        };
        let based = |base: &str, usual: &str, path: &str| {
            let start = if base.is_empty() { format!("{front}{usual}") } else { format!("/{base}") };
            known(format!("{home}{start}/{path}{slash}"))
        };
        match term.taxonomy.as_str() {
            "category" => based(&self.category_base, "category", &path()),
            "post_tag" => based(&self.tag_base, "tag", slug),
            "post_format" => based("", "type", slug.strip_prefix("post-format-").unwrap_or(slug)),
            taxonomy => match self.products.get(taxonomy) {
                Some(base) if taxonomy == "product_cat" => known(format!("{home}/{base}/{}{slash}", path())),
                Some(base) => known(format!("{home}/{base}/{slug}{slash}")),
                None => Link { url: format!("{home}{front}{taxonomy}/{slug}{slash}"), inferred: true },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(structure: &str, category_base: &str) -> TermLinks {
        TermLinks {
            home: "https://s.example".to_owned(),
            structure: structure.to_owned(),
            category_base: category_base.to_owned(),
            tag_base: String::new(),
            products: BTreeMap::from([("product_cat", "product-category".to_owned())]),
        }
    }

    #[test]
    fn structures_give_the_addresses_wordpress_gives() {
        let node = |slug: &str, parent| Node { name: slug.to_owned(), slug: slug.to_owned(), parent };
        let mut tree = Tree::default();
        for taxonomy in ["category", "product_cat"] {
            tree.0.insert((taxonomy.to_owned(), 1), node("top", 2));
            // Its own ancestor: a cycle ends.
            tree.0.insert((taxonomy.to_owned(), 2), node("root", 0));
        }
        let url = |structure: &str, base: &str, taxonomy: &str| {
            let slug = if taxonomy == "post_format" { "post-format-quote" } else { "top" };
            let term = Term { id: 1, taxonomy: taxonomy.to_owned(), slug: slug.to_owned() };
            links(structure, base).of(&term, &tree).url
        };
        for (structure, base, taxonomy, expected) in [
            ("/%postname%/", "", "category", "/category/root/top/"),
            ("/blog/%author%/%postname%/", "", "category", "/blog/category/root/top/"),
            ("/blog/%author%/%postname%/", "topics", "category", "/topics/root/top/"),
            ("/archives/%post_id%", "", "post_tag", "/archives/tag/top"),
            ("/%postname%/", "", "post_format", "/type/quote/"),
            ("/blog/%postname%/", "", "product_cat", "/product-category/root/top/"),
            ("/%postname%/", "", "season", "/season/top/"),
            ("", "", "category", "/?cat=1"),
            ("", "", "post_tag", "/?tag=top"),
            ("", "", "season", "/?season=top"),
        ] {
            assert_eq!(
                url(structure, base, taxonomy),
                format!("https://s.example{expected}"),
                "{structure} {taxonomy}"
            );
        }
    }
}
