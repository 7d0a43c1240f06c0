//! The rows of a page of files: what the database says of them, and what lies on the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use siteclaw_core::{Ctx, ToolError};
use siteclaw_db::{Row as DbRow, Rows, Statement};
use siteclaw_php::PhpValue;

use super::Plan;
use crate::wordpress::modes::Row;
use crate::wordpress::options::decode;
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;
use crate::wordpress::uploads::Uploads;

/// Characters of a description that are shown.
const DESCRIPTION: usize = 300;
/// Columns that need the file's size on the disk.
const OF_DISK: [&str; 3] = ["file_size", "file_size_bytes", "stored"];

/// What WordPress has noted about a file.
#[derive(Default)]
struct Notes {
    file: Option<String>,
    alt: Option<String>,
    metadata: Option<PhpValue>,
}

impl Notes {
    fn number(&self, key: &str) -> Option<i64> {
        let value = self.metadata.as_ref()?.get(key)?;
        value.as_int().or_else(|| value.to_text()?.trim().parse().ok())
    }
}

/// The requested columns of each file.
pub(super) async fn shown(
    ctx: &Ctx,
    snapshot: &Arc<Snapshot>,
    plan: &Plan,
    uploads: &Uploads,
    found: &Rows,
) -> Result<Vec<Row>, ToolError> {
    let ids = found.iter().map(|row| row.i64("ID")).collect::<Result<Vec<_>, _>>()?;
    let notes = notes(snapshot, &ids).await?;
    let sizes = if plan.wanted(&OF_DISK).is_empty() {
        BTreeMap::new()
    } else {
        let files: Vec<(i64, PathBuf)> = notes
            .iter()
            .filter_map(|(id, notes)| Some((*id, path(uploads, notes.file.as_deref()?)?)))
            .collect();
        sizes(ctx, snapshot, files).await?
    };
    let remote = if plan.wants("stored") { remote(snapshot, &ids).await? } else { BTreeSet::new() };
    let none = Notes::default();
    found
        .iter()
        .map(|row| {
            let id = row.i64("ID")?;
            let notes = notes.get(&id).unwrap_or(&none);
            one(row, plan, uploads, id, notes, sizes.get(&id).copied(), remote.contains(&id))
        })
        .collect()
}

fn one(
    row: &DbRow,
    plan: &Plan,
    uploads: &Uploads,
    id: i64,
    notes: &Notes,
    on_disk: Option<u64>,
    remote: bool,
) -> Result<Row, ToolError> {
    let size = on_disk.or_else(|| notes.number("filesize").and_then(|size| u64::try_from(size).ok()));
    let mut out = Row::new();
    for &column in &plan.columns {
        let value = match column {
            "id" => json!(id),
            "title" => json!(text::decode(&row.text("post_title")?)),
            "url" => json!(notes.file.as_deref().map(|file| url(uploads, file))),
            "mime_type" => json!(row.text("post_mime_type")?),
            "date" => json!(row.text("post_date")?),
            "modified" => json!(row.text("post_modified")?),
            "file_size" => json!(size.map(text::size)),
            "file_size_bytes" => json!(size),
            "width" => json!(notes.number("width")),
            "height" => json!(notes.number("height")),
            "alt_text" => json!(notes.alt.as_deref().map(text::decode)),
            "caption" => json!(text::plain(&row.text("post_excerpt")?)),
            "description" => json!(text::cut(&text::plain(&row.text("post_content")?), DESCRIPTION)),
            "post_parent" => json!(row.i64("post_parent")?),
            "author" => json!(row.i64("post_author")?),
            "file_name" => {
                json!(notes.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file)))
            }
            _ => json!(match (remote, on_disk) {
                (true, _) => "remote",
                (false, Some(_)) => "local",
                (false, None) => "missing",
            }),
        };
        out.insert(column.to_owned(), value);
    }
    Ok(out)
}

/// The notes of these files, in one statement.
async fn notes(snapshot: &Snapshot, ids: &[i64]) -> Result<BTreeMap<i64, Notes>, ToolError> {
    let mut all: BTreeMap<i64, Notes> = BTreeMap::new();
    if ids.is_empty() {
        return Ok(all);
    }
    let statement = Statement::new(
        "SELECT post_id, meta_key, meta_value FROM {postmeta} WHERE post_id IN (?*) AND meta_key IN \
         ('_wp_attached_file', '_wp_attachment_metadata', '_wp_attachment_image_alt') ORDER BY post_id, meta_id",
    )
    .bind_list(ids.iter().copied());
    for row in snapshot.rows(&statement).await?.iter() {
        let notes = all.entry(row.i64("post_id")?).or_default();
        let value = row.opt_text("meta_value")?.unwrap_or_default();
        // Of several rows the first counts.
        match row.text("meta_key")?.as_str() {
            "_wp_attached_file" => notes.file = notes.file.take().or(Some(value)),
            "_wp_attachment_image_alt" => notes.alt = notes.alt.take().or(Some(value)),
            _ => notes.metadata = notes.metadata.take().or_else(|| decode(&value)),
        }
    }
    Ok(all)
}

/// The file's address (`wp_get_attachment_url()`).
pub(super) fn url(uploads: &Uploads, file: &str) -> String {
    if file.contains("://") {
        return file.to_owned();
    }
    let folder = format!("{}/", uploads.folder.to_string_lossy());
    format!("{}/{}", uploads.url, file.strip_prefix(&folder).unwrap_or(file).trim_start_matches('/'))
}

/// Where the file lies; `None` for one that is an address.
pub(super) fn path(uploads: &Uploads, file: &str) -> Option<PathBuf> {
    // An absolute path replaces the folder it is joined to.
    (!file.contains("://") && !file.is_empty()).then(|| uploads.folder.join(file))
}

/// The sizes of those files that are there, within the site's folder.
pub(super) async fn sizes(
    ctx: &Ctx,
    snapshot: &Arc<Snapshot>,
    files: Vec<(i64, PathBuf)>,
) -> Result<BTreeMap<i64, u64>, ToolError> {
    let site = Arc::clone(snapshot);
    ctx.blocking(move |stop| {
        let mut sizes = BTreeMap::new();
        for (id, path) in files {
            if stop.is_set() {
                break;
            }
            let beneath = crate::files::below(&site.root, &path);
            if let Some(metadata) = beneath.and_then(|path| site.root.metadata(&path).ok()) {
                sizes.insert(id, metadata.size);
            }
        }
        Ok(sizes)
    })
    .await
}

/// Files that a plugin has moved to a store elsewhere.
async fn remote(snapshot: &Snapshot, ids: &[i64]) -> Result<BTreeSet<i64>, ToolError> {
    let mut remote = BTreeSet::new();
    if ids.is_empty() || !snapshot.has_table("as3cf_items").await? {
        return Ok(remote);
    }
    let statement = Statement::new(
        "SELECT source_id FROM {as3cf_items} WHERE source_type = 'media-library' AND source_id IN (?*) ORDER BY source_id",
    )
    .bind_list(ids.iter().copied());
    for row in snapshot.rows(&statement).await?.iter() {
        remote.insert(row.i64("source_id")?);
    }
    Ok(remote)
}
