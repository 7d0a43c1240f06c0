//! Addresses of posts, worked out from the site's own options.
//!
//! The rules are those of WordPress' `get_permalink()`, `_get_page_link()` and `get_post_permalink()`. What
//! plugins register in code (other types' bases) can only be inferred, and is marked so.

use std::collections::{BTreeMap, BTreeSet};

use siteclaw_core::ToolError;
use siteclaw_db::Statement;
use siteclaw_php::PhpValue;

use super::options::Options;
use super::site::Snapshot;

/// Options that addresses depend on.
pub(crate) const OPTIONS: [&str; 7] = [
    "home",
    "permalink_structure",
    "show_on_front",
    "page_on_front",
    "default_category",
    "woocommerce_permalinks",
    "category_base",
];

/// Pages nest no deeper in practice; a cycle ends here.
const MAX_ANCESTORS: usize = 10;

/// A post as far as its address goes.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) status: String,
    pub(crate) slug: String,
    /// `post_date`, the site's clock.
    pub(crate) date: String,
    pub(crate) parent: i64,
    /// `user_nicename` of the author.
    pub(crate) author: String,
}

/// An address, and whether it rests on a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) url: String,
    pub(crate) inferred: bool,
}

/// How the site builds addresses.
pub(crate) struct Links {
    home: String,
    structure: String,
    front_page: Option<i64>,
    default_category: i64,
    product_base: String,
}

/// What addresses need beside the post itself.
#[derive(Default)]
struct Relations {
    /// Page → (slug, parent).
    pages: BTreeMap<i64, (String, i64)>,
    /// Post → slug path of its category, parents first.
    categories: BTreeMap<i64, String>,
}

impl Links {
    /// How the site builds addresses. `options` must hold [`OPTIONS`].
    pub(crate) fn new(snapshot: &Snapshot, options: &Options) -> Self {
        let home = snapshot.settings.home.as_deref().unwrap_or_else(|| options.text("home"));
        let front = options.text("page_on_front").parse().ok().filter(|&id: &i64| id > 0);
        let product_base = options
            .serialised("woocommerce_permalinks")
            .and_then(|value| value.get("product_base").and_then(PhpValue::to_text))
            .map(|base| base.trim_matches('/').to_owned())
            .filter(|base| !base.is_empty())
            .unwrap_or_else(|| "product".to_owned());
        Self {
            home: home.trim_end_matches('/').to_owned(),
            structure: options.text("permalink_structure").to_owned(),
            front_page: front.filter(|_| options.text("show_on_front") == "page"),
            default_category: options.text("default_category").parse().unwrap_or(0),
            product_base,
        }
    }

    /// The addresses of a page of posts, with a bounded number of statements.
    pub(crate) async fn of(
        &self,
        snapshot: &Snapshot,
        posts: &[Post],
    ) -> Result<BTreeMap<i64, Link>, ToolError> {
        let mut relations = Relations::default();
        if !self.structure.is_empty() {
            let pretty: Vec<&Post> = posts.iter().filter(|post| post.is_pretty()).collect();
            let parents = pretty.iter().filter(|post| post.kind == "page").map(|post| post.parent);
            relations.pages = ancestors(snapshot, parents).await?;
            if self.structure.contains("%category%") {
                let ids: Vec<i64> =
                    pretty.iter().filter(|post| post.kind == "post").map(|post| post.id).collect();
                relations.categories = category_paths(snapshot, &ids, self.default_category).await?;
            }
        }
        Ok(posts.iter().map(|post| (post.id, self.one(post, &relations))).collect())
    }

    fn one(&self, post: &Post, relations: &Relations) -> Link {
        if post.kind == "page" && self.front_page == Some(post.id) {
            return known(format!("{}/", self.home));
        }
        if self.structure.is_empty() || !post.is_pretty() {
            return self.plain(post);
        }
        match post.kind.as_str() {
            "post" => known(format!("{}{}", self.home, self.substituted(post, relations))),
            "page" => {
                let mut path = vec![post.slug.clone()];
                let mut parent = post.parent;
                while let Some((slug, next)) =
                    relations.pages.get(&parent).filter(|_| path.len() < MAX_ANCESTORS)
                {
                    path.push(slug.clone());
                    parent = *next;
                }
                path.reverse();
                let index = if self.structure.starts_with("/index.php/") { "/index.php" } else { "" };
                known(format!("{}{index}/{}{}", self.home, path.join("/"), self.slash()))
            }
            "attachment" => Link { inferred: true, ..self.plain(post) },
            "product" if !self.product_base.contains('%') => {
                known(format!("{}/{}/{}{}", self.home, self.product_base, post.slug, self.slash()))
            }
            kind => {
                let front = self.structure.split('%').next().unwrap_or("/");
                let url = format!("{}{front}{kind}/{}{}", self.home, post.slug, self.slash());
                Link { url, inferred: true }
            }
        }
    }

    fn plain(&self, post: &Post) -> Link {
        let (home, id) = (&self.home, post.id);
        match post.kind.as_str() {
            "post" => known(format!("{home}/?p={id}")),
            "page" => known(format!("{home}/?page_id={id}")),
            "attachment" => known(format!("{home}/?attachment_id={id}")),
            kind if post.status == "publish" => {
                Link { url: format!("{home}/?{kind}={}", post.slug), inferred: true }
            }
            kind => Link { url: format!("{home}/?post_type={kind}&p={id}"), inferred: false },
        }
    }

    fn substituted(&self, post: &Post, relations: &Relations) -> String {
        let part = |from: usize, to: usize| post.date.get(from..to).unwrap_or_default();
        let category = relations.categories.get(&post.id).map_or("uncategorized", String::as_str);
        self.structure
            .replace("%year%", part(0, 4))
            .replace("%monthnum%", part(5, 7))
            .replace("%day%", part(8, 10))
            .replace("%hour%", part(11, 13))
            .replace("%minute%", part(14, 16))
            .replace("%second%", part(17, 19))
            .replace("%post_id%", &post.id.to_string())
            .replace("%postname%", &post.slug)
            .replace("%author%", &post.author)
            .replace("%category%", category)
    }

    fn slash(&self) -> &'static str {
        if self.structure.ends_with('/') { "/" } else { "" }
    }
}

impl Post {
    /// Whether the post has an address of its own rather than one by its id.
    fn is_pretty(&self) -> bool {
        matches!(self.status.as_str(), "publish" | "private" | "inherit")
    }
}

const fn known(url: String) -> Link {
    Link { url, inferred: false }
}

/// The pages above, level by level.
async fn ancestors(
    snapshot: &Snapshot,
    parents: impl Iterator<Item = i64>,
) -> Result<BTreeMap<i64, (String, i64)>, ToolError> {
    let mut pages = BTreeMap::new();
    let mut wanted: BTreeSet<i64> = parents.filter(|&parent| parent > 0).collect();
    for _ in 0..MAX_ANCESTORS {
        if wanted.is_empty() {
            break;
        }
        let statement =
            Statement::new("SELECT ID, post_name, post_parent FROM {posts} WHERE ID IN (?*) ORDER BY ID")
                .bind_list(wanted.iter().copied());
        let mut next = BTreeSet::new();
        for row in snapshot.rows(&statement).await?.iter() {
            let parent = row.i64("post_parent")?;
            pages.insert(row.i64("ID")?, (row.text("post_name")?, parent));
            next.insert(parent);
        }
        wanted = next.into_iter().filter(|id| *id > 0 && !pages.contains_key(id)).collect();
    }
    Ok(pages)
}

/// For each post the slug path of its category with the lowest id.
async fn category_paths(
    snapshot: &Snapshot,
    posts: &[i64],
    default: i64,
) -> Result<BTreeMap<i64, String>, ToolError> {
    if posts.is_empty() {
        return Ok(BTreeMap::new());
    }
    let terms = Statement::new(
        "SELECT t.term_id, t.slug, tt.parent FROM {terms} t JOIN {term_taxonomy} tt ON tt.term_id = t.term_id \
         WHERE tt.taxonomy = 'category' ORDER BY t.term_id",
    );
    let mut slugs: BTreeMap<i64, (String, i64)> = BTreeMap::new();
    for row in snapshot.rows(&terms).await?.iter() {
        slugs.insert(row.i64("term_id")?, (row.text("slug")?, row.i64("parent")?));
    }
    let related = Statement::new(
        "SELECT r.object_id, MIN(tt.term_id) AS term_id FROM {term_relationships} r \
         JOIN {term_taxonomy} tt ON tt.term_taxonomy_id = r.term_taxonomy_id \
         WHERE tt.taxonomy = 'category' AND r.object_id IN (?*) GROUP BY r.object_id ORDER BY r.object_id",
    )
    .bind_list(posts.iter().copied());
    let mut first: BTreeMap<i64, i64> = BTreeMap::new();
    for row in snapshot.rows(&related).await?.iter() {
        first.insert(row.i64("object_id")?, row.i64("term_id")?);
    }
    let path = |mut term: i64| {
        let mut path = Vec::new();
        while let Some((slug, parent)) = slugs.get(&term).filter(|_| path.len() < MAX_ANCESTORS) {
            path.push(slug.as_str());
            term = *parent;
        }
        path.reverse();
        path.join("/")
    };
    Ok(posts.iter().map(|post| (*post, path(first.get(post).copied().unwrap_or(default)))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(structure: &str) -> Links {
        Links {
            home: "https://x.example".to_owned(),
            structure: structure.to_owned(),
            front_page: Some(2),
            default_category: 1,
            product_base: "shop".to_owned(),
        }
    }

    fn post(kind: &str, status: &str) -> Post {
        Post {
            id: 7,
            kind: kind.to_owned(),
            status: status.to_owned(),
            slug: "hello".to_owned(),
            date: "2026-03-09 08:05:04".to_owned(),
            parent: 4,
            author: "anna".to_owned(),
        }
    }

    fn url(structure: &str, kind: &str, status: &str) -> String {
        let mut relations = Relations::default();
        relations.pages.insert(4, ("about".to_owned(), 3));
        relations.pages.insert(3, ("company".to_owned(), 0));
        relations.categories.insert(7, "news/local".to_owned());
        links(structure).one(&post(kind, status), &relations).url
    }

    #[test]
    fn structures_give_the_addresses_wordpress_gives() {
        for (structure, kind, expected) in [
            ("/%year%/%monthnum%/%day%/%postname%/", "post", "https://x.example/2026/03/09/hello/"),
            ("/archives/%post_id%", "post", "https://x.example/archives/7"),
            ("/%category%/%postname%/", "post", "https://x.example/news/local/hello/"),
            ("/blog/%author%/%postname%/", "post", "https://x.example/blog/anna/hello/"),
            ("/index.php/%year%/%postname%/", "post", "https://x.example/index.php/2026/hello/"),
            ("/index.php/%year%/%postname%/", "page", "https://x.example/index.php/company/about/hello/"),
            ("/blog/%postname%/", "page", "https://x.example/company/about/hello/"),
            ("/archives/%post_id%", "page", "https://x.example/company/about/hello"),
            ("/%postname%/", "product", "https://x.example/shop/hello/"),
            ("/blog/%postname%/", "event", "https://x.example/blog/event/hello/"),
            ("", "post", "https://x.example/?p=7"),
            ("", "page", "https://x.example/?page_id=7"),
            ("", "event", "https://x.example/?event=hello"),
        ] {
            assert_eq!(url(structure, kind, "publish"), expected, "{structure} {kind}");
        }
    }

    #[test]
    fn unpublished_posts_go_by_their_id() {
        assert_eq!(url("/%postname%/", "post", "draft"), "https://x.example/?p=7");
        assert_eq!(url("/%postname%/", "event", "future"), "https://x.example/?post_type=event&p=7");
        assert_eq!(url("/%postname%/", "post", "private"), "https://x.example/hello/");
    }
}
