//! Tools over content and the people who write it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use siteclaw_core::{RegistryBuilder, ToolError, ToolSpec};

use super::{Order, add, nothing};

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
enum PostOrder {
    #[serde(rename = "date")]
    Date,
    #[serde(rename = "title")]
    Title,
    #[serde(rename = "modified")]
    Modified,
    ID,
    #[serde(rename = "rand")]
    Rand,
    #[serde(rename = "comment_count")]
    CommentCount,
    #[serde(rename = "menu_order")]
    MenuOrder,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    columns: Option<Vec<String>>,
    schema: Option<bool>,
    aggregate: Option<bool>,
    /// Words in title, excerpt or content.
    search: Option<String>,
    /// Type of the posts: `post`, `page`, `attachment`, any other registered type, or `any`.
    post_type: Option<String>,
    /// `publish`, `draft`, `pending`, `private`, `future`, `trash` or `any`.
    post_status: Option<String>,
    #[schemars(range(min = 1, max = 50))]
    posts_per_page: Option<i64>,
    #[schemars(range(min = 1))]
    paged: Option<i64>,
    orderby: Option<PostOrder>,
    order: Option<Order>,
    author_id: Option<i64>,
    /// Slug of a category.
    category_name: Option<String>,
    /// Slug of a tag.
    tag: Option<String>,
    /// First date, YYYY-MM-DD.
    date_after: Option<String>,
    /// Last date, YYYY-MM-DD.
    date_before: Option<String>,
    min_comment_count: Option<i64>,
    featured: Option<bool>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CommentStatus {
    All,
    Approve,
    Hold,
    Spam,
    Trash,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
enum CommentOrder {
    #[serde(rename = "comment_date_gmt")]
    Date,
    #[serde(rename = "comment_ID")]
    Id,
    #[serde(rename = "comment_author")]
    Author,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Comments {
    schema: Option<bool>,
    aggregate: Option<bool>,
    status: Option<CommentStatus>,
    #[schemars(range(min = 1))]
    post_id: Option<i64>,
    search: Option<String>,
    /// `comment`, `pingback`, `trackback` or `review`.
    r#type: Option<String>,
    /// First date.
    date_after: Option<String>,
    /// Last date.
    date_before: Option<String>,
    orderby: Option<CommentOrder>,
    order: Option<Order>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    offset: Option<i64>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum UserOrder {
    Registered,
    DisplayName,
    Login,
    #[serde(rename = "ID")]
    Id,
    PostCount,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Users {
    schema: Option<bool>,
    aggregate: Option<bool>,
    /// Role slug: `administrator`, `editor`, `author`, `subscriber`, `customer`, `shop_manager` or another one.
    role: Option<String>,
    search: Option<String>,
    user_id: Option<i64>,
    orderby: Option<UserOrder>,
    order: Option<Order>,
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    offset: Option<i64>,
}

fn posts(input: &Value) -> Result<Value, ToolError> {
    if input["aggregate"] == true {
        let by_status = json!({"publish": 40, "draft": 2});
        return Ok(json!({"stats": {"total": 42, "by_status": by_status, "sticky": 0}}));
    }
    let row = |id: i64| json!({"id": id, "title": format!("Post {id}"), "status": "publish"});
    Ok(json!({"posts": (1..=23).map(row).collect::<Vec<_>>()}))
}

/// Adds these tools.
pub(super) fn register(mut b: RegistryBuilder) -> RegistryBuilder {
    b = add::<Query>(
        b,
        ToolSpec::new("wp_query", "Lists posts, pages and other content.")
            .domains(&["content"])
            .tags(&[
                "post",
                "posts",
                "page",
                "pages",
                "article",
                "articles",
                "content",
                "blog",
                "entry",
                "published",
                "draft",
                "pending",
                "slug",
                "permalink",
            ])
            .intents(&["list posts", "find pages", "show published content", "search articles"])
            .example("latest published posts", json!({"post_status": "publish"})),
        posts,
    );
    b = add::<Users>(
        b,
        ToolSpec::new("wp_users", "Lists user accounts.")
            .domains(&["users", "accounts"])
            .tags(&[
                "user",
                "account",
                "member",
                "author",
                "subscriber",
                "editor",
                "administrator",
                "admin",
                "role",
                "login",
                "email",
                "registered",
            ])
            .intents(&["list users", "find account", "who are the authors", "show administrators"]),
        nothing,
    );
    b = add::<Comments>(
        b,
        ToolSpec::new("wp_comments", "Lists comments.")
            .domains(&["comments", "engagement"])
            .tags(&[
                "comment",
                "reply",
                "discussion",
                "approved",
                "pending",
                "spam",
                "moderation",
                "commenter",
            ])
            .intents(&["list comments", "show recent discussion", "find pending comments"]),
        nothing,
    );
    b
}
