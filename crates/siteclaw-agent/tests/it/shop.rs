//! Tools shaped like those of a shop, with answers that never change.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use siteclaw_agent::{Agent, Offline};
use siteclaw_core::{
    AllowAll, Caller, CountingIds, Ctx, Executor, FixedClock, Masker, Registry, RegistryBuilder, Run,
    Surface, ToolError, ToolSpec, code, tool_fn,
};

/// Noon of the last day of November 2026, a Monday.
pub(crate) fn clock() -> Arc<FixedClock> {
    Arc::new(FixedClock("2026-11-30T12:00:00Z".parse().unwrap()))
}

pub(crate) fn executor(registry: Registry) -> Executor {
    let masker = Arc::new(Masker::new([7; 32]));
    Executor::builder(registry, Arc::new(AllowAll), masker, clock(), Arc::new(CountingIds::default())).build()
}

pub(crate) fn run() -> Run {
    Run::builder("run-7", Caller::console(Surface::Agent, false)).build()
}

/// The shop's tools behind the provider without a model.
pub(crate) fn offline() -> Agent {
    Agent::builder(executor(registry()), Arc::new(Offline::new(clock()))).build()
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Order {
    Asc,
    Desc,
}

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
enum StockStatus {
    All,
    Instock,
    Outofstock,
    Onbackorder,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ProductOrder {
    Price,
    StockQty,
    Name,
    Title,
    Date,
    DateCreated,
    Id,
    TotalSales,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Products {
    columns: Option<Vec<String>>,
    schema: Option<bool>,
    aggregate: Option<bool>,
    stock_status: Option<StockStatus>,
    search: Option<String>,
    /// Slug of a category.
    category: Option<String>,
    on_sale: Option<bool>,
    min_price: Option<f64>,
    max_price: Option<f64>,
    orderby: Option<ProductOrder>,
    order: Option<Order>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    #[schemars(range(min = 0, max = 10_000))]
    offset: Option<i64>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StockFilter {
    All,
    Instock,
    Outofstock,
    Onbackorder,
    Lowstock,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StockOrder {
    StockQty,
    Price,
    Name,
    Id,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Stock {
    schema: Option<bool>,
    aggregate: Option<bool>,
    filter: Option<StockFilter>,
    include_variations: Option<bool>,
    orderby: Option<StockOrder>,
    order: Option<Order>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    offset: Option<i64>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum OrderStatus {
    All,
    Pending,
    Processing,
    OnHold,
    Completed,
    Cancelled,
    Refunded,
    Failed,
    CheckoutDraft,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OrdersOrder {
    Total,
    Date,
    DateCreated,
    DatePaid,
    Id,
    Status,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum DateField {
    Created,
    Paid,
    Completed,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Orders {
    columns: Option<Vec<String>>,
    schema: Option<bool>,
    aggregate: Option<bool>,
    status: Option<OrderStatus>,
    customer_id: Option<i64>,
    order_id: Option<i64>,
    /// Order number, e-mail address, name or company.
    search: Option<String>,
    /// Id of the payment method.
    payment_method: Option<String>,
    min_total: Option<f64>,
    max_total: Option<f64>,
    include_items: Option<bool>,
    /// First day, YYYY-MM-DD.
    date_after: Option<String>,
    /// Last day, YYYY-MM-DD.
    date_before: Option<String>,
    date_field: Option<DateField>,
    orderby: Option<OrdersOrder>,
    order: Option<Order>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    #[schemars(range(min = 0, max = 10_000))]
    offset: Option<i64>,
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

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PluginStatus {
    All,
    Active,
    Inactive,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Plugins {
    schema: Option<bool>,
    aggregate: Option<bool>,
    status: Option<PluginStatus>,
    search: Option<String>,
    #[schemars(range(min = 1, max = 200))]
    limit: Option<i64>,
    offset: Option<i64>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Names {
    One(String),
    Many(Vec<String>),
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Options {
    schema: Option<bool>,
    aggregate: Option<bool>,
    /// Exact names, such as `siteurl` or `blogname`.
    option_name: Option<Names>,
    /// Part of a name.
    search: Option<String>,
    include_values: Option<bool>,
    autoload_only: Option<bool>,
    #[schemars(range(min = 1, max = 200))]
    limit: Option<i64>,
    offset: Option<i64>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sql {
    /// One SELECT statement.
    sql: Option<String>,
    schema: Option<bool>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<i64>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ReportPeriod {
    Today,
    Yesterday,
    ThisWeek,
    ThisMonth,
    LastMonth,
    #[serde(rename = "last_30_days")]
    Last30Days,
    ThisYear,
    Custom,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Report {
    period: Option<ReportPeriod>,
    /// First day of a custom period.
    date_from: Option<String>,
    /// Last day of a custom period.
    date_to: Option<String>,
    #[schemars(range(min = 1, max = 20))]
    top_products: Option<i64>,
    schema: Option<bool>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Customer {
    /// Id of the customer's account.
    #[schemars(range(min = 1))]
    customer_id: i64,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    Error,
    Warning,
    Fatal,
    Notice,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Log {
    #[schemars(range(min = 1, max = 200))]
    lines: Option<i64>,
    search: Option<String>,
    level: Option<Level>,
}

/// A tool that answers from the arguments alone.
fn add<I>(
    builder: RegistryBuilder,
    spec: ToolSpec,
    answer: fn(&Value) -> Result<Value, ToolError>,
) -> RegistryBuilder
where
    I: Serialize + DeserializeOwned + JsonSchema + Clone + Send + Sync + 'static,
{
    let tool = tool_fn(spec, move |_: Ctx, input: I| async move { answer(&json!(input)) });
    builder.tool(tool).unwrap()
}

fn nothing(_: &Value) -> Result<Value, ToolError> {
    Ok(json!({"rows": []}))
}

fn stock(_: &Value) -> Result<Value, ToolError> {
    Ok(json!({"products": [
        {"id": 31, "name": "Blue shirt, long sleeves, organic cotton, size L", "sku": "SH-L", "stock_qty": 2},
        {"id": 7, "name": "Mug", "sku": null, "stock_qty": 1},
    ]}))
}

fn posts(input: &Value) -> Result<Value, ToolError> {
    if input["aggregate"] == true {
        let by_status = json!({"publish": 40, "draft": 2});
        return Ok(json!({"stats": {"total": 42, "by_status": by_status, "sticky": 0}}));
    }
    let row = |id: i64| json!({"id": id, "title": format!("Post {id}"), "status": "publish"});
    Ok(json!({"posts": (1..=23).map(row).collect::<Vec<_>>()}))
}

fn customer(input: &Value) -> Result<Value, ToolError> {
    let message = format!("No customer has the id {}.", input["customer_id"]);
    Err(ToolError::new(code::NOT_FOUND, message).hint("List users with the role customer first."))
}

fn option(input: &Value) -> Result<Value, ToolError> {
    let name = &input["option_name"];
    Ok(json!({"options": [{"option_name": name, "value": "https://shop.example", "found": true}]}))
}

pub(crate) fn registry() -> Registry {
    let mut b = Registry::builder();
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
    b = add::<Orders>(
        b,
        ToolSpec::new("wc_get_orders", "Lists orders of the shop.")
            .domains(&["commerce", "orders"])
            .tags(&[
                "order",
                "purchase",
                "sale",
                "transaction",
                "checkout",
                "refund",
                "refunded",
                "completed",
                "processing",
                "pending",
                "cancelled",
                "total",
                "buyer",
            ])
            .intents(&["list orders", "show purchases", "find a sale", "what did customers buy"]),
        nothing,
    );
    b = add::<Products>(
        b,
        ToolSpec::new("wc_get_products", "Lists products of the shop.")
            .domains(&["commerce", "catalog"])
            .tags(&["product", "item", "sku", "price", "catalog", "listing", "variation", "title"])
            .intents(&["list products", "find an item", "show the catalog", "what do we sell"]),
        nothing,
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
    b = add::<Stock>(
        b,
        ToolSpec::new("wc_stock", "Shows stock levels.")
            .domains(&["commerce", "inventory"])
            .tags(&[
                "stock",
                "inventory",
                "quantity",
                "qty",
                "available",
                "backorder",
                "instock",
                "outofstock",
                "low",
                "levels",
                "remaining",
            ])
            .intents(&["check stock", "show inventory levels", "what is running low"]),
        stock,
    );
    b = add::<Customer>(
        b,
        ToolSpec::new("wc_get_customer", "Looks a customer up.")
            .domains(&["commerce", "customers"])
            .tags(&["customer", "buyer", "shopper", "client", "billing", "shipping", "address", "contact"])
            .intents(&["find a customer", "show buyer details", "look up a shopper"])
            .example("show customer 12", json!({"customer_id": 12})),
        customer,
    );
    b = add::<Options>(
        b,
        ToolSpec::new("wp_option", "Reads settings of the site.")
            .domains(&["settings", "configuration"])
            .tags(&[
                "option",
                "setting",
                "config",
                "configuration",
                "siteurl",
                "home",
                "blogname",
                "permalink",
                "timezone",
                "value",
            ])
            .intents(&["read option", "show setting", "what is the site url"])
            .example("what is the site url", json!({"option_name": "siteurl"})),
        option,
    );
    b = add::<Report>(
        b,
        ToolSpec::new("wc_report", "Sums sales up.")
            .domains(&["commerce", "analytics"])
            .tags(&[
                "report",
                "sales",
                "revenue",
                "earnings",
                "total",
                "summary",
                "analytics",
                "statistics",
                "performance",
                "best",
                "top",
            ])
            .intents(&["sales report", "show revenue", "how are we performing", "top sellers"]),
        nothing,
    );
    b = add::<Sql>(
        b,
        ToolSpec::new("db_query", "Runs one SELECT on the site's database.")
            .domains(&["database", "data"])
            .tags(&["sql", "select", "query", "row", "table", "column", "count", "database", "wpdb"])
            .intents(&["run sql", "query the database", "list rows from a table"]),
        nothing,
    );
    b = add::<Plugins>(
        b,
        ToolSpec::new("wp_plugins", "Lists installed plugins.")
            .domains(&["plugins", "extensions"])
            .tags(&[
                "plugin",
                "extension",
                "addon",
                "active",
                "inactive",
                "installed",
                "activated",
                "deactivated",
                "version",
            ])
            .intents(&["list plugins", "which plugins are active", "show installed extensions"]),
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
    b = add::<Log>(
        b,
        ToolSpec::new("read_log", "Reads the debug log.")
            .domains(&["diagnostics", "system"])
            .tags(&["log", "debug", "error", "warning", "notice", "trace", "stack", "exception", "tail"])
            .intents(&["read the log", "show recent errors", "tail the debug log"]),
        nothing,
    );
    b.build(&[]).unwrap()
}
