//! Audits that must look at files or at all of the content: what is gone, what nothing refers to, what is there
//! twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use regex::Regex;
use siteclaw_core::{Ctx, ToolError};
use siteclaw_db::Statement;
use siteclaw_php::PhpValue;

use super::Plan;
use super::input::{Audit, number_of};
use super::rows::{path, sizes};
use crate::wordpress::condition::{Condition, as_i64};
use crate::wordpress::options::{Options, ids};
use crate::wordpress::site::Snapshot;
use crate::wordpress::uploads::Uploads;

/// The most files that are looked at.
const MOST_FILES: u64 = 50_000;
/// Posts whose content is read in one statement, and how many such statements there are at most.
const PORTION: u64 = 5_000;
const PORTIONS: u64 = 40;

/// The ids of the files with a trouble, and whether not everything could be looked at.
pub(super) struct Found {
    pub(super) ids: Vec<i64>,
    pub(super) cut: bool,
    /// What was looked through, for meta.
    pub(super) searched: &'static [&'static str],
}

/// Which of the files that pass the filters have the trouble, in the order of the page.
pub(super) async fn of(
    ctx: &Ctx,
    snapshot: &Arc<Snapshot>,
    plan: &Plan,
    uploads: &Uploads,
    filter: &Condition,
) -> Result<Option<Found>, ToolError> {
    Ok(match plan.own.audit {
        Some(Audit::MissingFile) => Some(missing(ctx, snapshot, plan, uploads, filter).await?),
        Some(Audit::Unused) => Some(unused(ctx, snapshot, plan, filter).await?),
        Some(Audit::Duplicates) => Some(duplicates(snapshot, plan, filter).await?),
        _ => None,
    })
}

/// Files in the order of the page: id and `_wp_attached_file`.
async fn files(
    snapshot: &Snapshot,
    plan: &Plan,
    filter: &Condition,
) -> Result<(Vec<(i64, String)>, bool), ToolError> {
    let statement = filter
        .bind(Statement::new(format!(
            "SELECT p.ID, (SELECT f.meta_value FROM {{postmeta}} f WHERE f.post_id = p.ID \
             AND f.meta_key = '_wp_attached_file' ORDER BY f.meta_id LIMIT 1) AS file FROM {{posts}} p WHERE {} \
             ORDER BY {} LIMIT ?",
            filter.text(),
            plan.own.sorting()
        )))
        .bind(as_i64(MOST_FILES));
    let rows = snapshot.rows(&statement).await?;
    let cut = rows.cut || rows.len() as u64 >= MOST_FILES;
    let mut files = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        files.push((row.i64("ID")?, row.opt_text("file")?.unwrap_or_default()));
    }
    Ok((files, cut))
}

async fn missing(
    ctx: &Ctx,
    snapshot: &Arc<Snapshot>,
    plan: &Plan,
    uploads: &Uploads,
    filter: &Condition,
) -> Result<Found, ToolError> {
    let (files, cut) = files(snapshot, plan, filter).await?;
    let local: Vec<(i64, PathBuf)> =
        files.iter().filter_map(|(id, file)| Some((*id, path(uploads, file)?))).collect();
    let there = sizes(ctx, snapshot, local).await?;
    let is_address = |file: &str| file.contains("://");
    let ids = files
        .into_iter()
        .filter(|(id, file)| !is_address(file) && !there.contains_key(id))
        .map(|(id, _)| id)
        .collect();
    Ok(Found { ids, cut, searched: &["uploads folder"] })
}

/// Files of one size, width and height: surely alike only when their bytes are, which a reader can compare.
async fn duplicates(snapshot: &Snapshot, plan: &Plan, filter: &Condition) -> Result<Found, ToolError> {
    let statement = filter
        .bind(Statement::new(format!(
            "SELECT p.ID, {} AS size, {} AS width, {} AS height FROM {{posts}} p JOIN {{postmeta}} m \
             ON m.post_id = p.ID AND m.meta_key = '_wp_attachment_metadata' WHERE {} ORDER BY {} LIMIT ?",
            number_of("filesize"),
            number_of("width"),
            number_of("height"),
            filter.text(),
            plan.own.sorting()
        )))
        .bind(as_i64(MOST_FILES));
    let rows = snapshot.rows(&statement).await?;
    let mut alike: BTreeMap<(i64, Option<i64>, Option<i64>), Vec<i64>> = BTreeMap::new();
    let mut order = Vec::new();
    for row in rows.iter() {
        // Without a size nothing can be said.
        let Some(size) = row.opt_i64("size")? else { continue };
        let key = (size, row.opt_i64("width")?, row.opt_i64("height")?);
        let id = row.i64("ID")?;
        alike.entry(key).or_default().push(id);
        order.push((id, key));
    }
    // Those that are alike stand together, where the first of them would.
    let mut ids: Vec<i64> = Vec::new();
    for (_, key) in order {
        if let Some(group) = alike.remove(&key).filter(|group| group.len() > 1) {
            ids.extend(group);
        }
    }
    Ok(Found {
        ids,
        cut: rows.cut || rows.len() as u64 >= MOST_FILES,
        searched: &["file size, width and height"],
    })
}

/// Numbers of files in content: `wp-image-7`, `"id":7`, `ids="7,8"`.
static BY_ID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"wp-image-(\d+)|"(?:id|mediaId|imageId|attachmentId)":\s*"?(\d+)|\bids?=["']([\d,\s]+)["']|"ids":\[([\d,\s]+)\]|wp-att-(\d+)"#).ok()
});
/// Paths of uploads in content, also with escaped slashes.
static BY_PATH: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"uploads(?:\\?/)((?:[^\s"'<>()\\?#]|\\/)+\.[A-Za-z0-9]{2,5})"#).ok());
/// What WordPress adds to the name of a file's other sizes and of edited files.
static OF_SIZE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:-\d+x\d+|-scaled|-rotated|-e\d{10,})+$").ok());

/// What refers to files.
#[derive(Default)]
struct Used {
    ids: BTreeSet<i64>,
    stems: BTreeSet<String>,
}

impl Used {
    fn read(&mut self, content: &str) {
        for found in BY_ID.iter().flat_map(|pattern| pattern.captures_iter(content)) {
            for part in found.iter().skip(1).flatten() {
                self.ids.extend(part.as_str().split(',').filter_map(|id| id.trim().parse::<i64>().ok()));
            }
        }
        for found in BY_PATH.iter().flat_map(|pattern| pattern.captures_iter(content)) {
            self.stems.extend(found.get(1).map(|path| stem(&path.as_str().replace("\\/", "/"))));
        }
    }

    fn holds(&self, id: i64, file: &str) -> bool {
        self.ids.contains(&id) || self.stems.contains(&stem(file))
    }
}

/// A path without its ending and without what tells one size from another.
fn stem(path: &str) -> String {
    let path = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    match &*OF_SIZE {
        Some(pattern) => pattern.replace(path, "").into_owned(),
        None => path.to_owned(),
    }
}

async fn unused(
    ctx: &Ctx,
    snapshot: &Arc<Snapshot>,
    plan: &Plan,
    filter: &Condition,
) -> Result<Found, ToolError> {
    let (files, mut cut) = files(snapshot, plan, filter).await?;
    let mut used = Used::default();
    let mut last = 0;
    for portion in 0.. {
        if portion == PORTIONS || ctx.is_stopped() {
            cut = true;
            break;
        }
        let statement = Statement::new(
            "SELECT ID, post_content, post_excerpt FROM {posts} WHERE ID > ? AND post_type NOT IN \
             ('revision', 'attachment', 'nav_menu_item') AND post_status NOT IN ('trash', 'auto-draft') AND \
             (post_content LIKE '%uploads%' OR post_content LIKE '%wp-image-%' OR post_content LIKE '%\"id\":%' \
             OR post_content LIKE '%ids=%' OR post_content LIKE '%mediaId%') ORDER BY ID LIMIT ?",
        )
        .bind(last)
        .bind(as_i64(PORTION));
        let rows = snapshot.rows(&statement).await?;
        for row in rows.iter() {
            last = row.i64("ID")?;
            used.read(&row.opt_text("post_content")?.unwrap_or_default());
            used.read(&row.opt_text("post_excerpt")?.unwrap_or_default());
        }
        // A portion that was cut by its bytes goes on after its last post.
        if rows.is_empty() || (!rows.cut && (rows.len() as u64) < PORTION) {
            break;
        }
    }
    meta(snapshot, &mut used).await?;
    settings(snapshot, &mut used).await?;
    let ids = files.into_iter().filter(|(id, file)| !used.holds(*id, file)).map(|(id, _)| id).collect();
    Ok(Found {
        ids,
        cut,
        searched: &[
            "content of posts",
            "thumbnails",
            "product galleries",
            "pictures of categories",
            "page builders' and custom fields",
            "site icon, logo, header and widgets",
        ],
    })
}

/// Thumbnails, galleries, pictures of terms, and other meta that holds an id or an address of an upload.
async fn meta(snapshot: &Snapshot, used: &mut Used) -> Result<(), ToolError> {
    let statement = Statement::new(
        "SELECT DISTINCT m.meta_value FROM {postmeta} m JOIN {posts} p ON p.ID = m.post_id \
         WHERE m.meta_key IN ('_thumbnail_id', '_product_image_gallery') AND p.post_type <> 'revision' \
         ORDER BY m.meta_value",
    );
    let terms = Statement::new(
        "SELECT DISTINCT meta_value FROM {termmeta} WHERE meta_key = 'thumbnail_id' ORDER BY meta_value",
    );
    for statement in [statement, terms] {
        for row in snapshot.rows(&statement).await?.iter() {
            let value = row.opt_text("meta_value")?.unwrap_or_default();
            used.ids.extend(value.split(',').filter_map(|id| id.trim().parse::<i64>().ok()));
        }
    }
    let fields = Statement::new(
        "SELECT m.meta_value FROM {postmeta} m JOIN {posts} p ON p.ID = m.post_id WHERE p.post_type NOT IN \
         ('revision', 'attachment') AND m.meta_key NOT IN ('_wp_attached_file', '_wp_attachment_metadata', \
         '_thumbnail_id', '_edit_lock') AND m.meta_value LIKE '%uploads%' ORDER BY m.meta_id LIMIT 50000",
    );
    for row in snapshot.rows(&fields).await?.iter() {
        used.read(&row.opt_text("meta_value")?.unwrap_or_default());
    }
    // Fields of Advanced Custom Fields hold an id; a second row with an underscore in front names the field.
    let numbers = Statement::new(
        "SELECT DISTINCT m.meta_value FROM {postmeta} m JOIN {postmeta} k ON k.post_id = m.post_id \
         AND k.meta_key = CONCAT('_', m.meta_key) AND k.meta_value LIKE 'field!_%' ESCAPE '!' \
         ORDER BY m.meta_value LIMIT 50000",
    );
    let numbers = match snapshot.database()?.engine() {
        siteclaw_db::Engine::Sqlite => Statement::new(
            "SELECT DISTINCT m.meta_value FROM {postmeta} m JOIN {postmeta} k ON k.post_id = m.post_id \
             AND k.meta_key = '_' || m.meta_key AND k.meta_value LIKE 'field!_%' ESCAPE '!' \
             ORDER BY m.meta_value LIMIT 50000",
        ),
        _ => numbers,
    };
    for row in snapshot.rows(&numbers).await?.iter() {
        let value = row.opt_text("meta_value")?.unwrap_or_default();
        match crate::wordpress::options::decode(&value) {
            Some(list) => used.ids.extend(ids(&list)),
            None => used.ids.extend(value.trim().parse::<i64>()),
        }
    }
    Ok(())
}

/// Settings that show pictures.
async fn settings(snapshot: &Snapshot, used: &mut Used) -> Result<(), ToolError> {
    let stylesheet = Options::read(snapshot, &["stylesheet"]).await?;
    let theme = format!("theme_mods_{}", stylesheet.text("stylesheet"));
    let names = ["site_icon", "site_logo", "woocommerce_placeholder_image", theme.as_str()];
    let options = Options::read(snapshot, &names).await?;
    used.ids.extend(names.iter().filter_map(|name| options.text(name).trim().parse::<i64>().ok()));
    if let Some(mods) = options.serialised(&theme) {
        used.ids.extend(mods.get("custom_logo").and_then(PhpValue::as_int));
        used.read(options.text(&theme));
    }
    let widgets = Statement::new(
        "SELECT option_value FROM {options} WHERE option_name LIKE 'widget!_%' ESCAPE '!' ORDER BY option_id LIMIT 500",
    );
    for row in snapshot.rows(&widgets).await?.iter() {
        let value = row.opt_text("option_value")?.unwrap_or_default();
        used.read(&value);
        // Widgets keep the number of their picture under this key.
        for part in value.split("\"attachment_id\";i:").skip(1) {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            used.ids.extend(digits.parse::<i64>());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_content_refers_to_is_found_by_number_and_by_path() {
        let mut used = Used::default();
        used.read(
            r#"<!-- wp:image {"id":7,"sizeSlug":"large"} --><img class="wp-image-8" src="https://s.example/wp-content/uploads/2026/05/boat-1024x768.jpg"/>
            [gallery ids="9, 10"] {"url":"https:\/\/s.example\/wp-content\/uploads\/2026\/06\/quay-scaled.png"} <a href='/wp-content/uploads/terms.pdf?x=1'>"#,
        );
        assert_eq!(used.ids.iter().copied().collect::<Vec<_>>(), [7, 8, 9, 10]);
        for file in ["2026/05/boat.jpg", "2026/06/quay-scaled.png", "2026/06/quay.png", "terms.pdf"] {
            assert!(used.holds(0, file), "{file}: {:?}", used.stems);
        }
        assert!(!used.holds(0, "2026/05/boats.jpg"));
        assert!(used.holds(9, "anything.jpg"));
    }

    #[test]
    fn a_stem_is_the_same_for_all_sizes() {
        for name in [
            "a/b.jpg",
            "a/b-150x150.jpg",
            "a/b-scaled.jpg",
            "a/b-e1700000000.jpg",
            "a/b-e1700000000-300x200.jpg",
        ] {
            assert_eq!(stem(name), "a/b", "{name}");
        }
        assert_eq!(stem("a/b-150x.jpg"), "a/b-150x");
    }
}
