//! `wp_query`: posts, pages and custom types.

mod input;
mod search;
mod statement;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use siteclaw_core::{Ctx, Reply, ToolError, ToolSpec, code};
use siteclaw_db::{Row as DbRow, Statement};

use self::input::{Checked, Input, NumberedPage};
use crate::wordpress::authors::without_administrators;
use crate::wordpress::columns::Columns;
use crate::wordpress::listing::{self, Answer, Listing, stated};
use crate::wordpress::modes::{INVALID_STATUS, Mode, Row};
use crate::wordpress::options::{Options, ZONE, ids};
use crate::wordpress::permalink::{self, Link, Links, Post};
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;

type Plan = listing::Plan<WpQuery>;

/// Columns whose text others may have written.
const WRITTEN_BY_AUTHORS: [&str; 3] = ["title", "excerpt", "author"];

/// Statuses that the aggregate counts.
const STATUSES: [&str; 6] = ["publish", "future", "draft", "pending", "private", "trash"];

/// Lists posts, pages and custom types of the site.
pub(crate) struct WpQuery;

/// A page of posts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Posts {
    /// The posts, with the requested columns and their id.
    posts: Vec<Row>,
}

/// Counts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Counts {
    /// Counts by status and type.
    stats: Stats,
}

/// Counts of posts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Stats {
    /// Posts of the requested status, else of all six statuses.
    total: i64,
    /// Posts that pass the filters, by status.
    by_status: Row,
    /// Published posts of the whole site, by type.
    by_type: Row,
    /// Sticky posts of the whole site.
    sticky: usize,
}

impl Listing for WpQuery {
    type Input = Input;
    type Checked = Checked;
    type Pages = NumberedPage;
    type Rows = Posts;
    type Counts = Counts;

    const AREA: &'static str = "wordpress.posts";
    const COLUMNS: Columns = Columns::new(
        &["id", "title", "status", "type", "date", "url", "author", "excerpt"],
        &["modified", "comment_count", "menu_order", "post_parent", "featured"],
    )
    .blocked(
        &[
            "post_content_filtered",
            "to_ping",
            "pinged",
            "post_password",
            "user_pass",
            "user_activation_key",
            "user_email_verified",
            "session_tokens",
        ],
        &[],
    );
    const FILTERS: &'static [&'static str] = &[
        "search",
        "post_type",
        "post_status",
        "author_id",
        "category_name",
        "tag",
        "date_after",
        "date_before",
        "min_comment_count",
        "featured",
    ];

    fn spec() -> ToolSpec {
        stated(
            "wp_query",
            "Lists posts, pages and custom types, or counts them.\nFilters by type, status, author, category, tag, \
             date and words; pages with paged. Set aggregate for counts by status and type, schema for what can be \
             asked.",
        )
        .title("Posts and pages")
        .field_code("post_status", INVALID_STATUS)
        .field_code("posts_per_page", code::INVALID_LIMIT)
        .domains(&["content"])
        .tags(&[
            "post", "posts", "page", "pages", "article", "articles", "content", "blog", "entry", "entries",
            "published", "draft", "pending", "slug", "permalink",
        ])
        .intents(&["list posts", "find pages", "show published content", "search articles"])
        .example("latest published posts", json!({"posts_per_page": 5}))
        .example("how many drafts are there", json!({"aggregate": true, "post_status": "draft"}))
        .example("pages changed last", json!({"post_type": "page", "orderby": "modified"}))
    }

    fn facts() -> Value {
        json!({"states": STATUSES})
    }

    async fn answer(
        _: &Ctx,
        snapshot: &Arc<Snapshot>,
        plan: &Plan,
    ) -> Result<Reply<Answer<Self>>, ToolError> {
        let mut names = vec!["sticky_posts", "WPLANG"];
        names.extend(ZONE);
        names.extend(permalink::OPTIONS);
        let options = Options::read(snapshot, &names).await?;
        let sticky = options.serialised("sticky_posts").map(|value| ids(&value)).unwrap_or_default();
        match plan.mode {
            Mode::Aggregate => aggregate(snapshot, plan, &sticky).await,
            _ => query(snapshot, plan, &options, &sticky).await,
        }
    }
}

async fn aggregate(
    snapshot: &Snapshot,
    plan: &Plan,
    sticky: &[i64],
) -> Result<Reply<Answer<WpQuery>>, ToolError> {
    let filter = statement::Filter::of(snapshot, plan, sticky, false).await?;
    let by_status = snapshot.rows(&filter.counts()).await?;
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for row in by_status.iter() {
        counts.insert(row.text("post_status")?, row.i64("n")?);
    }
    let of = |status: &str| counts.get(status).copied().unwrap_or(0);
    let total = match plan.own.status {
        status if plan.own.status_given && status != "any" => of(status),
        _ => STATUSES.iter().map(|status| of(status)).sum(),
    };
    let by_type = snapshot
        .rows(&Statement::new(
            "SELECT post_type, COUNT(*) AS n FROM {posts} WHERE post_status IN ('publish', 'inherit') \
             GROUP BY post_type ORDER BY post_type",
        ))
        .await?;
    let mut types = Row::new();
    for row in by_type.iter() {
        let kind = row.text("post_type")?;
        if statement::is_searchable(&kind) {
            types.insert(kind, json!(row.i64("n")?));
        }
    }
    let by_status = STATUSES.iter().map(|status| ((*status).to_owned(), json!(of(status)))).collect();
    let stats = Stats { total, by_status, by_type: types, sticky: sticky.len() };
    Ok(plan.counts(Counts { stats }).trusted())
}

async fn query(
    snapshot: &Snapshot,
    plan: &Plan,
    options: &Options,
    sticky: &[i64],
) -> Result<Reply<Answer<WpQuery>>, ToolError> {
    let filter = statement::Filter::of(snapshot, plan, sticky, true).await?;
    let total = filter.total(snapshot).await?;
    let rows = snapshot.rows(&filter.page(snapshot, plan)).await?;
    let links = if plan.wants("url") {
        let posts = rows.iter().map(linked).collect::<Result<Vec<_>, ToolError>>()?;
        Links::new(snapshot, options).of(snapshot, &posts).await?
    } else {
        BTreeMap::new()
    };
    let locale = options.text("WPLANG");
    let mut posts = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        posts.push(shown(row, plan, &links, sticky, locale)?);
    }
    let mut reply = plan.rows(Posts { posts }).meta("timezone", options.zone().name());
    let written = plan.wanted(&WRITTEN_BY_AUTHORS);
    if !written.is_empty() {
        let authors = rows.iter().map(|row| row.i64("post_author")).collect::<Result<Vec<_>, _>>()?;
        let others = without_administrators(snapshot, authors).await?;
        if !others.is_empty() {
            reply = reply
                .meta("non_administrator_authors", others)
                .meta("untrusted_fields_returned", json!(written))
                .warn(
                    code::UNTRUSTED_CONTENT,
                    format!("{} may hold text of authors who are no administrators.", written.join(", ")),
                );
        }
    }
    Ok(reply.list("posts", plan.own.page.of(total)))
}

fn linked(row: &DbRow) -> Result<Post, ToolError> {
    Ok(Post {
        id: row.i64("ID")?,
        kind: row.text("post_type")?,
        status: row.text("post_status")?,
        slug: row.text("post_name")?,
        date: row.text("post_date")?,
        parent: row.i64("post_parent")?,
        author: row.opt_text("user_nicename")?.unwrap_or_default(),
    })
}

/// A row with the requested columns; the id always stands first.
fn shown(
    row: &DbRow,
    plan: &Plan,
    links: &BTreeMap<i64, Link>,
    sticky: &[i64],
    locale: &str,
) -> Result<Row, ToolError> {
    let id = row.i64("ID")?;
    let mut out = Row::new();
    out.insert("id".to_owned(), json!(id));
    for &column in &plan.columns {
        let value = match column {
            "title" => json!(text::decode(&row.text("post_title")?)),
            "status" => json!(row.text("post_status")?),
            "type" => json!(row.text("post_type")?),
            "date" => json!(row.text("post_date")?),
            "modified" => json!(row.text("post_modified")?),
            "author" => json!(row.opt_text("display_name")?.map(|name| text::decode(&name).into_owned())),
            "comment_count" => json!(row.i64("comment_count")?),
            "menu_order" => json!(row.i64("menu_order")?),
            "post_parent" => json!(row.i64("post_parent")?),
            "featured" => json!(sticky.contains(&id)),
            "url" => {
                let link = links.get(&id);
                if link.is_some_and(|link| link.inferred) {
                    out.insert("url_is_inferred".to_owned(), json!(true));
                }
                json!(link.map(|link| link.url.as_str()))
            }
            "excerpt" => excerpt(row, &mut out, locale)?,
            _ => continue,
        };
        out.insert(column.to_owned(), value);
    }
    Ok(out)
}

/// The excerpt; none for a post that asks its readers for a password.
fn excerpt(row: &DbRow, out: &mut Row, locale: &str) -> Result<Value, ToolError> {
    if row.i64("has_password")? != 0 {
        out.insert("password_protected".to_owned(), json!(true));
        return Ok(json!(""));
    }
    Ok(json!(text::excerpt(&row.text("content")?, locale)))
}
