//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::WpMedia;
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::{Order, checked_search, containing, like};
use crate::wordpress::period::{Period, Range};

/// Arguments of `wp_media`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WpMedia>,
    /// Kind: image, video, audio, application/pdf or any MIME type.
    #[schemars(regex(pattern = "^[a-zA-Z0-9.+-]{1,60}(/[a-zA-Z0-9.+*-]{1,60})?$"))]
    mime_type: Option<String>,
    /// Words that title, caption, description or file name must hold.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Only files that were uploaded to the post with this id; 0 for those that belong to none.
    #[schemars(range(min = 0))]
    post_parent: Option<i64>,
    /// Only files of the user with this id.
    #[schemars(range(min = 1))]
    author: Option<i64>,
    #[serde(flatten)]
    period: Period,
    /// Only images without an alternative text.
    #[serde(default)]
    missing_alt: bool,
    /// Only files with this trouble.
    audit: Option<Audit>,
    /// Sort by. Default date.
    orderby: Option<OrderBy>,
    /// Direction. Default DESC.
    order: Option<Order>,
    #[serde(flatten)]
    page: Page<20, 100>,
}

/// A trouble that files may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Audit {
    /// The file is gone from the disk.
    MissingFile,
    /// An image wider than 2560 pixels or larger than 1 MB.
    Oversized,
    /// An image of which no smaller sizes were made.
    NoSizes,
    /// Not found in content, thumbnails, galleries and settings.
    Unused,
    /// The same size, width and height as another.
    Duplicates,
}

impl Audit {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::MissingFile => "missing_file",
            Self::Oversized => "oversized",
            Self::NoSizes => "no_sizes",
            Self::Unused => "unused",
            Self::Duplicates => "duplicates",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OrderBy {
    Date,
    Modified,
    Title,
    MimeType,
    Id,
    FileSize,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) audit: Option<Audit>,
    pub(super) page: Page<20, 100>,
    mime_type: Option<String>,
    words: Vec<String>,
    post_parent: Option<i64>,
    author: Option<i64>,
    period: Range,
    missing_alt: bool,
    order_by: OrderBy,
    order: Order,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        let search = checked_search(input.search.as_deref())?.unwrap_or_default();
        Ok(Self {
            audit: input.audit,
            page: input.page,
            mime_type: input.mime_type,
            words: search.split_whitespace().map(str::to_owned).collect(),
            post_parent: input.post_parent,
            author: input.author,
            period: input.period.checked()?,
            missing_alt: input.missing_alt,
            order_by: input.orderby.unwrap_or(OrderBy::Date),
            order: input.order.unwrap_or(Order::Desc),
        })
    }
}

/// The whole number behind a key of the serialised metadata `m`, the first one: the keys of the file itself stand
/// before those of its smaller sizes. Both engines read a number at the start of a text.
pub(super) fn number_of(key: &str) -> String {
    let mark = format!("\"{key}\";i:");
    let length = mark.len();
    format!(
        "CASE WHEN INSTR(m.meta_value, '{mark}') > 0 THEN \
         CAST(SUBSTR(m.meta_value, INSTR(m.meta_value, '{mark}') + {length}, 12) AS DECIMAL(20)) END"
    )
}

/// A value worked out from a file's metadata.
fn of_metadata(expression: &str) -> String {
    format!(
        "(SELECT {expression} FROM {{postmeta}} m WHERE m.post_id = p.ID \
         AND m.meta_key = '_wp_attachment_metadata' ORDER BY m.meta_id LIMIT 1)"
    )
}

/// The widest image and the largest file that are not called oversized.
const WIDEST: i64 = 2560;
const LARGEST: i64 = 1024 * 1024;

impl Checked {
    /// The filters that counts have too.
    pub(super) fn common(&self) -> Condition {
        let mut filter = Condition::default();
        filter.plain("p.post_type = 'attachment' AND p.post_status = 'inherit'");
        for word in &self.words {
            filter.same(
                "(p.post_title LIKE ? ESCAPE '!' OR p.post_excerpt LIKE ? ESCAPE '!' OR p.post_content LIKE ? ESCAPE '!' \
                 OR EXISTS (SELECT 1 FROM {postmeta} f WHERE f.post_id = p.ID AND f.meta_key = '_wp_attached_file' \
                 AND f.meta_value LIKE ? ESCAPE '!'))",
                containing(word),
            );
        }
        if let Some(author) = self.author {
            filter.one("p.post_author = ?", author);
        }
        self.period.narrow(&mut filter, "p.post_date");
        filter
    }

    /// All filters but those of audits that must look at files.
    pub(super) fn filter(&self) -> Condition {
        let mut filter = self.common();
        match self.mime_type.as_deref() {
            None => {}
            Some(kind) if kind.ends_with("/*") => {
                filter.one(
                    "p.post_mime_type LIKE ? ESCAPE '!'",
                    format!("{}%", like(kind.trim_end_matches('*'))),
                );
            }
            Some(kind) if kind.contains('/') => filter.one("p.post_mime_type = ?", kind),
            Some(kind) => filter.one("p.post_mime_type LIKE ? ESCAPE '!'", format!("{}/%", like(kind))),
        }
        if let Some(parent) = self.post_parent {
            filter.one("p.post_parent = ?", parent);
        }
        if self.missing_alt {
            filter.plain(
                "p.post_mime_type LIKE 'image/%' AND NOT EXISTS (SELECT 1 FROM {postmeta} a WHERE a.post_id = p.ID \
                 AND a.meta_key = '_wp_attachment_image_alt' AND TRIM(a.meta_value) <> '')",
            );
        }
        match self.audit {
            Some(Audit::Oversized) => {
                let (width, size) = (of_metadata(&number_of("width")), of_metadata(&number_of("filesize")));
                filter.all(
                    &format!("p.post_mime_type LIKE 'image/%' AND ({width} > ? OR {size} > ?)"),
                    [WIDEST.into(), LARGEST.into()],
                );
            }
            Some(Audit::NoSizes) => filter.plain(
                "p.post_mime_type LIKE 'image/%' AND p.post_mime_type <> 'image/svg+xml' AND NOT EXISTS \
                 (SELECT 1 FROM {postmeta} m WHERE m.post_id = p.ID AND m.meta_key = '_wp_attachment_metadata' \
                 AND m.meta_value LIKE '%\"sizes\";a:%' AND m.meta_value NOT LIKE '%\"sizes\";a:0:%')",
            ),
            _ => {}
        }
        filter
    }

    /// Sorted by the field, then by id; files of unknown size come last.
    pub(super) fn sorting(&self) -> String {
        let direction = self.order.sql();
        let field = match self.order_by {
            OrderBy::Id => return format!("p.ID {direction}"),
            OrderBy::Date => "p.post_date".to_owned(),
            OrderBy::Modified => "p.post_modified".to_owned(),
            OrderBy::Title => "p.post_title".to_owned(),
            OrderBy::MimeType => "p.post_mime_type".to_owned(),
            OrderBy::FileSize => {
                let size = of_metadata(&number_of("filesize"));
                return format!(
                    "CASE WHEN {size} IS NULL THEN 1 ELSE 0 END, {size} {direction}, p.ID {direction}"
                );
            }
        };
        format!("{field} {direction}, p.ID {direction}")
    }
}
