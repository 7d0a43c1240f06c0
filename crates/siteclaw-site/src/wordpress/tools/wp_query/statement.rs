//! The statements of `wp_query`, built from fixed pieces and bound values.

use siteclaw_core::{Code, ToolError, suggestion};
use siteclaw_db::{Engine, Statement};

use super::Plan;
use super::input::OrderBy;
use crate::wordpress::condition::{Condition, as_i64};
use crate::wordpress::modes::containing;
use crate::wordpress::site::Snapshot;
use crate::wordpress::terms::terms_of;

const UNKNOWN_POST_TYPE: Code = Code::new("UNKNOWN_POST_TYPE");

/// Types that WordPress and its usual plugins keep out of searches; `any` leaves them out.
const UNSEARCHED_TYPES: [&str; 26] = [
    "revision",
    "nav_menu_item",
    "custom_css",
    "customize_changeset",
    "oembed_cache",
    "user_request",
    "wp_block",
    "wp_template",
    "wp_template_part",
    "wp_global_styles",
    "wp_navigation",
    "wp_font_family",
    "wp_font_face",
    "product_variation",
    "shop_order",
    "shop_order_refund",
    "shop_order_placehold",
    "shop_coupon",
    "acf-field-group",
    "acf-field",
    "acf-post-type",
    "acf-taxonomy",
    "scheduled-action",
    "forum",
    "topic",
    "reply",
];

/// Statuses that `any` leaves out.
const UNSEARCHED_STATUSES: [&str; 6] =
    ["trash", "auto-draft", "wc-checkout-draft", "spam", "orphan", "hidden"];

/// Types that are known although a site may have no row of them.
const BUILT_IN: [&str; 3] = ["post", "page", "attachment"];

/// A post that is related to one of the terms.
const RELATED: &str =
    "EXISTS (SELECT 1 FROM {term_relationships} r WHERE r.object_id = p.ID AND r.term_taxonomy_id IN (?*))";

/// Bytes of content that an excerpt is made from.
const CONTENT: usize = 65_535;

/// Whether `any` covers a type.
pub(super) fn is_searchable(kind: &str) -> bool {
    !UNSEARCHED_TYPES.contains(&kind)
}

/// The WHERE of a query with its values.
pub(super) struct Filter(Condition);

impl Filter {
    /// The filter of a plan. `with_status` is false where counts by status are wanted.
    pub(super) async fn of(
        snapshot: &Snapshot,
        plan: &Plan,
        sticky: &[i64],
        with_status: bool,
    ) -> Result<Self, ToolError> {
        let mut filter = Condition::default();
        let own = &plan.own;
        if own.kind == "any" {
            filter.list("p.post_type NOT IN (?*)", UNSEARCHED_TYPES);
        } else {
            known_type(snapshot, &own.kind).await?;
            filter.one("p.post_type = ?", own.kind.as_str());
        }
        if !with_status {
            filter.one("p.post_status <> ?", "auto-draft");
        } else if own.status == "any" {
            filter.list("p.post_status NOT IN (?*)", UNSEARCHED_STATUSES);
        } else {
            filter.one("p.post_status = ?", own.status);
        }
        if let Some(author) = own.author {
            filter.one("p.post_author = ?", author);
        }
        own.period.narrow(&mut filter, "p.post_date");
        if let Some(count) = own.min_comments {
            filter.one("p.comment_count >= ?", count);
        }
        if own.sticky_only {
            filter.list("p.ID IN (?*)", sticky.iter().copied());
        }
        for term in &own.search {
            let (operator, joined) = if term.excluded { ("NOT LIKE", "AND") } else { ("LIKE", "OR") };
            let columns = ["p.post_title", "p.post_excerpt", "p.post_content"];
            let parts = columns.map(|column| format!("{column} {operator} ? ESCAPE '!'"));
            filter.same(&format!("({})", parts.join(&format!(" {joined} "))), containing(&term.text));
        }
        if let Some(slug) = &own.category {
            let terms = terms_of(snapshot, "category", slug, true).await?;
            filter.list(RELATED, terms);
        }
        if let Some(slug) = &own.tag {
            let terms = terms_of(snapshot, "post_tag", slug, false).await?;
            filter.list(RELATED, terms);
        }
        Ok(Self(filter))
    }

    /// How many rows there are.
    pub(super) async fn total(&self, snapshot: &Snapshot) -> Result<i64, ToolError> {
        self.0.count(snapshot, "FROM {posts} p").await
    }

    /// Counts by status.
    pub(super) fn counts(&self) -> Statement {
        self.0.bind(Statement::new(format!(
            "SELECT p.post_status, COUNT(*) AS n FROM {{posts}} p WHERE {} GROUP BY p.post_status \
             ORDER BY p.post_status",
            self.0.text()
        )))
    }

    /// One page of rows.
    pub(super) fn page(&self, snapshot: &Snapshot, plan: &Plan) -> Statement {
        let content = if plan.wants("excerpt") {
            format!(
                ", CASE WHEN p.post_password = '' THEN 0 ELSE 1 END AS has_password, \
                 SUBSTR(p.post_content, 1, {CONTENT}) AS content"
            )
        } else {
            String::new()
        };
        let direction = plan.own.order.sql();
        let order = match plan.own.order_by {
            OrderBy::Date => format!("p.post_date {direction}, p.ID {direction}"),
            OrderBy::Title => format!("p.post_title {direction}, p.ID {direction}"),
            OrderBy::Modified => format!("p.post_modified {direction}, p.ID {direction}"),
            OrderBy::Id => format!("p.ID {direction}"),
            OrderBy::CommentCount => format!("p.comment_count {direction}, p.ID {direction}"),
            OrderBy::MenuOrder => format!("p.menu_order {direction}, p.ID {direction}"),
            OrderBy::Rand if snapshot.source() == Engine::Sqlite.as_str() => "RANDOM()".to_owned(),
            OrderBy::Rand => "RAND()".to_owned(),
        };
        let page = plan.own.page;
        let statement = self.0.bind(Statement::new(format!(
            "SELECT p.ID, p.post_title, p.post_status, p.post_type, p.post_name, p.post_parent, p.menu_order, \
             p.comment_count, p.post_author, CAST(p.post_date AS CHAR) AS post_date, \
             CAST(p.post_modified AS CHAR) AS post_modified, u.display_name, u.user_nicename{content} \
             FROM {{posts}} p LEFT JOIN {{base:users}} u ON u.ID = p.post_author WHERE {} \
             ORDER BY {order} LIMIT ? OFFSET ?",
            self.0.text()
        )));
        statement.bind(as_i64(page.size())).bind(as_i64(page.offset()))
    }
}

/// Refuses a type of which the site has no row, with the nearest ones.
async fn known_type(snapshot: &Snapshot, kind: &str) -> Result<(), ToolError> {
    if BUILT_IN.contains(&kind) {
        return Ok(());
    }
    let rows =
        snapshot.rows(&Statement::new("SELECT DISTINCT post_type FROM {posts} ORDER BY post_type")).await?;
    let kinds = rows.iter().map(|row| row.text("post_type")).collect::<Result<Vec<_>, _>>()?;
    if kinds.iter().any(|known| known == kind) {
        return Ok(());
    }
    let error = ToolError::new(UNKNOWN_POST_TYPE, format!("The site has no content of the type '{kind}'."));
    let error = match suggestion(kind, kinds.iter().map(String::as_str)) {
        Some(hint) => error.hint(hint),
        None => error,
    };
    Err(error.with("valid_post_types", kinds))
}
