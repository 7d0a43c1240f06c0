//! The items of a menu: those of classic menus are posts with meta, those of block themes stand in a post's blocks.

use std::collections::BTreeMap;

use serde_json::Value;
use siteclaw_core::ToolError;
use siteclaw_db::Statement;
use siteclaw_php::PhpValue;

use crate::wordpress::options::{Options, decode};
use crate::wordpress::permalink::{self, Links, Post};
use crate::wordpress::site::Snapshot;
use crate::wordpress::term_links::{self, Term, TermLinks, Tree};

/// Items of one menu that are read.
const MOST_ITEMS: i64 = 2_000;
/// Items nest no deeper in practice; a cycle ends here.
pub(super) const MAX_DEPTH: usize = 10;

/// An item.
#[derive(Clone, Debug, Default)]
pub(super) struct Item {
    /// Id of the item; for blocks its place in the menu.
    pub(super) id: i64,
    pub(super) title: String,
    pub(super) url: String,
    /// post_type, taxonomy, custom or post_type_archive.
    pub(super) kind: String,
    pub(super) object: String,
    pub(super) object_id: i64,
    pub(super) parent: i64,
    pub(super) target: String,
    pub(super) classes: Vec<String>,
    pub(super) description: String,
    /// Why the target cannot be reached; `None` where it can.
    pub(super) broken: Option<&'static str>,
}

/// The items of a classic menu in their order.
pub(super) async fn classic(snapshot: &Snapshot, menu: i64) -> Result<Vec<Item>, ToolError> {
    let statement = Statement::new(
        "SELECT p.ID, p.post_title, SUBSTR(p.post_content, 1, 2048) AS post_content FROM {posts} p \
         JOIN {term_relationships} r ON r.object_id = p.ID \
         JOIN {term_taxonomy} tt ON tt.term_taxonomy_id = r.term_taxonomy_id \
         WHERE tt.taxonomy = 'nav_menu' AND tt.term_id = ? AND p.post_type = 'nav_menu_item' \
         AND p.post_status = 'publish' ORDER BY p.menu_order, p.ID LIMIT ?",
    )
    .bind(menu)
    .bind(MOST_ITEMS);
    let rows = snapshot.rows(&statement).await?;
    let mut items = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        items.push(Item {
            id: row.i64("ID")?,
            title: row.text("post_title")?,
            description: row.opt_text("post_content")?.unwrap_or_default(),
            ..Item::default()
        });
    }
    meta(snapshot, &mut items).await?;
    resolve(snapshot, &mut items).await?;
    Ok(items)
}

async fn meta(snapshot: &Snapshot, items: &mut [Item]) -> Result<(), ToolError> {
    if items.is_empty() {
        return Ok(());
    }
    let statement = Statement::new(
        "SELECT post_id, meta_key, meta_value FROM {postmeta} WHERE post_id IN (?*) \
         AND meta_key LIKE '!_menu!_item!_%' ESCAPE '!' ORDER BY post_id, meta_id DESC",
    )
    .bind_list(items.iter().map(|item| item.id));
    let index: BTreeMap<i64, usize> =
        items.iter().enumerate().map(|(index, item)| (item.id, index)).collect();
    // The first row of a key counts, so it is read last.
    for row in snapshot.rows(&statement).await?.iter() {
        let Some(item) = index.get(&row.i64("post_id")?).and_then(|index| items.get_mut(*index)) else {
            continue;
        };
        let value = row.opt_text("meta_value")?.unwrap_or_default();
        let number = || value.trim().parse().unwrap_or(0);
        match row.text("meta_key")?.as_str() {
            "_menu_item_type" => item.kind = value,
            "_menu_item_object" => item.object = value,
            "_menu_item_object_id" => item.object_id = number(),
            "_menu_item_menu_item_parent" => item.parent = number(),
            "_menu_item_url" => item.url = value,
            "_menu_item_target" => item.target = value,
            "_menu_item_classes" => {
                let list = decode(&value);
                let classes =
                    list.as_ref().and_then(PhpValue::as_array).into_iter().flat_map(|list| list.values());
                item.classes = classes.filter_map(PhpValue::to_text).collect();
            }
            _ => {}
        }
    }
    Ok(())
}

/// Finds titles and addresses of what items lead to, and items that lead nowhere.
pub(super) async fn resolve(snapshot: &Snapshot, items: &mut [Item]) -> Result<(), ToolError> {
    let names: Vec<&str> = permalink::OPTIONS.into_iter().chain(term_links::OPTIONS).collect();
    let options = Options::read(snapshot, &names).await?;
    let posts = posts(snapshot, &options, items).await?;
    let terms = terms(snapshot, &options, items).await?;
    let home = snapshot.settings.home.as_deref().unwrap_or_else(|| options.text("home"));
    let front = options.text("permalink_structure").split('%').next().unwrap_or("/").to_owned();
    for item in items {
        match item.kind.as_str() {
            "post_type" => match posts.get(&item.object_id) {
                None => item.broken = Some("missing"),
                Some(target) => {
                    item.broken = match target.status.as_str() {
                        "publish" | "inherit" => None,
                        "trash" => Some("trashed"),
                        _ => Some("unpublished"),
                    };
                    take(item, &target.title, &target.url);
                }
            },
            "taxonomy" => match terms.get(&(item.object.clone(), item.object_id)) {
                None => item.broken = Some("missing"),
                Some(target) => take(item, &target.title, &target.url),
            },
            "post_type_archive" if item.url.is_empty() => {
                item.url = format!("{}{front}{}/", home.trim_end_matches('/'), item.object);
            }
            _ => {}
        }
    }
    Ok(())
}

fn take(item: &mut Item, title: &str, url: &str) {
    if item.title.is_empty() {
        title.clone_into(&mut item.title);
    }
    url.clone_into(&mut item.url);
}

/// What an item leads to.
struct Target {
    title: String,
    url: String,
    status: String,
}

async fn posts(
    snapshot: &Snapshot,
    options: &Options,
    items: &[Item],
) -> Result<BTreeMap<i64, Target>, ToolError> {
    let ids: Vec<i64> =
        items.iter().filter(|item| item.kind == "post_type").map(|item| item.object_id).collect();
    let mut targets = BTreeMap::new();
    if ids.is_empty() {
        return Ok(targets);
    }
    let statement = Statement::new(
        "SELECT p.ID, p.post_title, p.post_type, p.post_status, p.post_name, CAST(p.post_date AS CHAR) AS post_date, \
         p.post_parent, u.user_nicename FROM {posts} p LEFT JOIN {base:users} u ON u.ID = p.post_author \
         WHERE p.ID IN (?*) ORDER BY p.ID",
    )
    .bind_list(ids);
    let rows = snapshot.rows(&statement).await?;
    let mut posts = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        posts.push(Post {
            id: row.i64("ID")?,
            kind: row.text("post_type")?,
            status: row.text("post_status")?,
            slug: row.text("post_name")?,
            date: row.text("post_date")?,
            parent: row.i64("post_parent")?,
            author: row.opt_text("user_nicename")?.unwrap_or_default(),
        });
    }
    let links = Links::new(snapshot, options).of(snapshot, &posts).await?;
    for (row, post) in rows.iter().zip(posts) {
        let url = links.get(&post.id).map(|link| link.url.clone()).unwrap_or_default();
        targets.insert(post.id, Target { title: row.text("post_title")?, url, status: post.status });
    }
    Ok(targets)
}

async fn terms(
    snapshot: &Snapshot,
    options: &Options,
    items: &[Item],
) -> Result<BTreeMap<(String, i64), Target>, ToolError> {
    let ids: Vec<i64> =
        items.iter().filter(|item| item.kind == "taxonomy").map(|item| item.object_id).collect();
    let mut targets = BTreeMap::new();
    if ids.is_empty() {
        return Ok(targets);
    }
    let statement = Statement::new(
        "SELECT t.term_id, t.name, t.slug, tt.taxonomy FROM {terms} t JOIN {term_taxonomy} tt \
         ON tt.term_id = t.term_id WHERE t.term_id IN (?*) ORDER BY t.term_id, tt.taxonomy",
    )
    .bind_list(ids);
    let rows = snapshot.rows(&statement).await?;
    let mut terms = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        terms.push(Term {
            id: row.i64("term_id")?,
            taxonomy: row.text("taxonomy")?,
            slug: row.text("slug")?,
        });
    }
    let hierarchical = TermLinks::hierarchical(&terms);
    let tree =
        if hierarchical.is_empty() { Tree::default() } else { Tree::read(snapshot, &hierarchical).await? };
    let links = TermLinks::new(snapshot, options);
    for (row, term) in rows.iter().zip(terms) {
        let target = Target {
            title: row.text("name")?,
            url: links.of(&term, &tree).url,
            status: "publish".to_owned(),
        };
        targets.insert((term.taxonomy, term.id), target);
    }
    Ok(targets)
}

/// The items of a block theme's navigation: its link, submenu and home blocks in their order. Pages that a list of
/// pages shows by itself are one item.
pub(super) fn of_blocks(content: &str, home: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut open: Vec<i64> = Vec::new();
    for comment in content.split("<!--").skip(1) {
        let Some((comment, _)) = comment.split_once("-->") else { continue };
        let comment = comment.trim();
        if comment.starts_with("/wp:navigation-submenu") {
            open.pop();
            continue;
        }
        let Some(block) = comment.strip_prefix("wp:") else { continue };
        let closes_itself = block.ends_with('/');
        let (name, attributes) = block.trim_end_matches('/').trim().split_once(' ').unwrap_or((block, ""));
        let name = name.trim_end_matches('/').trim();
        let attributes: Value = serde_json::from_str(attributes.trim()).unwrap_or(Value::Null);
        let text = |key: &str| attributes.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind = match text("kind").as_str() {
            "post-type" => "post_type",
            "taxonomy" => "taxonomy",
            "post-type-archive" => "post_type_archive",
            _ => "custom",
        };
        let id = i64::try_from(items.len()).unwrap_or(i64::MAX - 1) + 1;
        let parent = open.last().copied().unwrap_or(0);
        let item = match name {
            "navigation-link" | "navigation-submenu" => Item {
                id,
                title: text("label"),
                url: text("url"),
                kind: kind.to_owned(),
                // A tag is called tag in blocks and post_tag in the database.
                object: match text("type").as_str() {
                    "tag" => "post_tag".to_owned(),
                    other => other.to_owned(),
                },
                object_id: attributes.get("id").and_then(Value::as_i64).unwrap_or(0),
                parent,
                target: if attributes.get("opensInNewTab") == Some(&Value::Bool(true)) {
                    "_blank".to_owned()
                } else {
                    String::new()
                },
                classes: text("className").split_whitespace().map(str::to_owned).collect(),
                description: text("description"),
                broken: None,
            },
            "home-link" => Item {
                id,
                title: text("label"),
                url: format!("{}/", home.trim_end_matches('/')),
                kind: "custom".to_owned(),
                parent,
                ..Item::default()
            },
            "page-list" => Item {
                id,
                title: "All pages".to_owned(),
                kind: "custom".to_owned(),
                object: "page-list".to_owned(),
                parent,
                ..Item::default()
            },
            _ => continue,
        };
        if name == "navigation-submenu" && !closes_itself && open.len() < MAX_DEPTH {
            open.push(id);
        }
        items.push(item);
        if i64::try_from(items.len()).is_ok_and(|count| count >= MOST_ITEMS) {
            break;
        }
    }
    items
}

/// How deep each item lies, by following its parents.
pub(super) fn depths(items: &[Item]) -> BTreeMap<i64, u64> {
    let parents: BTreeMap<i64, i64> = items.iter().map(|item| (item.id, item.parent)).collect();
    items
        .iter()
        .map(|item| {
            let (mut depth, mut above) = (0, item.parent);
            while let Some(next) = parents.get(&above).filter(|_| depth < MAX_DEPTH as u64) {
                depth += 1;
                above = *next;
            }
            (item.id, depth)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_become_items_with_their_parents() {
        let content = r#"<!-- wp:home-link {"label":"Start"} /-->
            <!-- wp:navigation-submenu {"label":"Shop","type":"page","id":7,"url":"https://s.example/shop/","kind":"post-type"} -->
            <!-- wp:navigation-link {"label":"Rope -- strong","type":"tag","id":3,"kind":"taxonomy","opensInNewTab":true} /-->
            <!-- /wp:navigation-submenu -->
            <!-- wp:navigation-link {"label":"Elsewhere","url":"https://e.example"} /-->
            <!-- wp:page-list /--><!-- wp:paragraph --><p>x</p><!-- /wp:paragraph --><!-- broken"#;
        let items = of_blocks(content, "https://s.example");
        let shown: Vec<_> = items
            .iter()
            .map(|item| (item.id, item.title.as_str(), item.kind.as_str(), item.object_id, item.parent))
            .collect();
        assert_eq!(
            shown,
            [
                (1, "Start", "custom", 0, 0),
                (2, "Shop", "post_type", 7, 0),
                (3, "Rope -- strong", "taxonomy", 3, 2),
                (4, "Elsewhere", "custom", 0, 0),
                (5, "All pages", "custom", 0, 0),
            ]
        );
        assert_eq!((items[2].object.as_str(), items[2].target.as_str()), ("post_tag", "_blank"));
        assert_eq!(depths(&items)[&3], 1);
    }

    #[test]
    fn a_cycle_of_parents_ends() {
        let item = |id, parent| Item { id, parent, ..Item::default() };
        assert_eq!(depths(&[item(1, 2), item(2, 1)])[&1], MAX_DEPTH as u64);
    }
}
