//! `wp_query`: posts, pages and custom types.

mod input;
mod search;
mod statement;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use siteclaw_core::{Code, Ctx, Eligibility, Paging, Planned, Reply, Tool, ToolError, ToolSpec, code};
use siteclaw_db::{Row as DbRow, Statement};

use self::input::{Input, Plan};
use super::CAPABILITY;
use crate::wordpress::WordPress;
use crate::wordpress::authors::without_administrators;
use crate::wordpress::modes::{Columns, INVALID_COLUMNS, Mode, Row, schema_page};
use crate::wordpress::options::{Options, ZONE, ids};
use crate::wordpress::permalink::{self, Link, Links, Post};
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;

const INVALID_STATUS: Code = Code::new("INVALID_STATUS");
const INVALID_ORDERBY: Code = Code::new("INVALID_ORDERBY");
const INVALID_ORDER: Code = Code::new("INVALID_ORDER");

/// Columns whose text others may have written.
const WRITTEN_BY_AUTHORS: [&str; 3] = ["title", "excerpt", "author"];

/// Statuses that the aggregate counts.
const STATUSES: [&str; 6] = ["publish", "future", "draft", "pending", "private", "trash"];

const COLUMNS: Columns = Columns {
    available: &[
        "id",
        "title",
        "status",
        "type",
        "date",
        "url",
        "author",
        "excerpt",
        "modified",
        "comment_count",
        "menu_order",
        "post_parent",
        "featured",
    ],
    default: &["id", "title", "status", "type", "date", "url", "author", "excerpt"],
    sensitive: &[],
    expensive: &[],
    blocked: &[
        "post_content_filtered",
        "to_ping",
        "pinged",
        "post_password",
        "user_pass",
        "user_activation_key",
        "user_email_verified",
        "session_tokens",
    ],
    blocked_prefixes: &[],
};

/// Lists posts, pages and custom types of the site.
pub(crate) struct WpQuery {
    site: WordPress,
}

impl WpQuery {
    pub(crate) fn new(site: WordPress) -> Self {
        Self { site }
    }
}

/// What the tool returns, by mode.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Output {
    /// Rows.
    Query {
        /// The posts, with the requested columns and their id.
        posts: Vec<Row>,
    },
    /// Counts.
    Aggregate {
        /// Counts by status and type.
        stats: Stats,
    },
    /// What the tool can return.
    Schema(Row),
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

impl Tool for WpQuery {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new(
            "wp_query",
            "Lists posts, pages and custom types, or counts them.\nFilters by type, status, author, category, tag, \
             date and words; pages with paged. Set aggregate for counts by status and type, schema for what can be \
             asked.",
        )
        .title("Posts and pages")
        .capability(CAPABILITY)
        .eligibility(Eligibility::Everyone)
        .retries(1)
        .field_code("columns", INVALID_COLUMNS)
        .field_code("post_status", INVALID_STATUS)
        .field_code("posts_per_page", code::INVALID_LIMIT)
        .field_code("orderby", INVALID_ORDERBY)
        .field_code("order", INVALID_ORDER)
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

    async fn plan(&self, _: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        let plan = Plan::of(input)?;
        if plan.mode == Mode::Schema {
            return Ok(Planned::Done(schema(&plan)));
        }
        Ok(Planned::run(plan))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let snapshot = self.site.for_call(ctx).await?;
        let mut names = vec!["sticky_posts", "WPLANG"];
        names.extend(ZONE);
        names.extend(permalink::OPTIONS);
        let options = Options::read(&snapshot, &names).await?;
        let sticky = options.serialised("sticky_posts").map(|value| ids(&value)).unwrap_or_default();
        if plan.mode == Mode::Aggregate {
            return aggregate(&snapshot, plan, &sticky).await;
        }
        query(&snapshot, plan, &options, &sticky).await
    }
}

fn schema(plan: &Plan) -> Reply<Output> {
    let page = schema_page(
        &COLUMNS,
        json!({
            "states": STATUSES,
            "filters": ["search", "post_type", "post_status", "author_id", "category_name", "tag", "date_after",
                        "date_before", "min_comment_count", "featured"],
            "sortable_fields": input::ORDER_BY,
            "pagination": {"type": "paged", "page": "paged", "size": "posts_per_page"},
            "limits": {"posts_per_page": {"minimum": 1, "maximum": 50, "default": 10}},
            "phpclaw_capability": "wordpress.posts.read",
            "wordpress_capability": CAPABILITY,
        }),
    );
    Reply::new(Output::Schema(page))
        .mode("schema")
        .meta("database_query_performed", false)
        .warnings(plan.ignored())
        .trusted()
}

async fn aggregate(snapshot: &Snapshot, plan: &Plan, sticky: &[i64]) -> Result<Reply<Output>, ToolError> {
    let filter = statement::Filter::of(snapshot, plan, sticky, false).await?;
    let by_status = snapshot.rows(&filter.counts()).await?;
    let mut counts: std::collections::BTreeMap<String, i64> = std::collections::BTreeMap::new();
    for row in by_status.iter() {
        counts.insert(row.text("post_status")?, row.i64("n")?);
    }
    let of = |status: &str| counts.get(status).copied().unwrap_or(0);
    let total = match plan.status.as_str() {
        status if plan.status_given && status != "any" => of(status),
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
    Ok(Reply::new(Output::Aggregate { stats })
        .mode("aggregate")
        .meta("source", snapshot.source())
        .warnings(plan.ignored())
        .trusted())
}

async fn query(
    snapshot: &Snapshot,
    plan: &Plan,
    options: &Options,
    sticky: &[i64],
) -> Result<Reply<Output>, ToolError> {
    let filter = statement::Filter::of(snapshot, plan, sticky, true).await?;
    let total = snapshot.database()?.scalar_i64(snapshot.prefixes(), &filter.total()).await?;
    let rows = snapshot.rows(&filter.page(snapshot, plan)).await?;
    let links = if plan.columns.contains(&"url") {
        let posts = rows.iter().map(linked).collect::<Result<Vec<_>, ToolError>>()?;
        Links::new(snapshot, options).of(snapshot, &posts).await?
    } else {
        std::collections::BTreeMap::new()
    };
    let locale = options.text("WPLANG");
    let mut posts = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        posts.push(shown(row, plan, &links, sticky, locale)?);
    }
    let zone = options.zone();
    let paging = Paging::Numbered {
        page: plan.page,
        size: plan.size,
        total: u64::try_from(total).unwrap_or(0),
        size_field: "posts_per_page",
    };
    let mut reply = Reply::new(Output::Query { posts })
        .mode("query")
        .meta("columns_returned", json!(plan.columns))
        .meta("timezone", zone.name())
        .meta("source", snapshot.source());
    let written: Vec<&str> =
        plan.columns.iter().filter(|column| WRITTEN_BY_AUTHORS.contains(column)).copied().collect();
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
    Ok(reply.warnings(plan.ignored()).list("posts", paging))
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
    links: &std::collections::BTreeMap<i64, Link>,
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
