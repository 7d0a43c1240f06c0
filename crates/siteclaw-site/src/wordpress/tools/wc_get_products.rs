//! `wc_get_products`: the catalogue.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use siteclaw_core::{
    Code, Ctx, Eligibility, Paging, Planned, Reply, Tool, ToolError, ToolSpec, Warning, code,
};
use siteclaw_db::{Row as DbRow, Statement};

use super::CAPABILITY;
use crate::wordpress::WordPress;
use crate::wordpress::condition::{Condition, as_i64};
use crate::wordpress::modes::{
    Columns, INVALID_COLUMNS, Mode, Row, checked_search, containing, ignored, schema_page,
};
use crate::wordpress::permalink::{Links, Post};
use crate::wordpress::site::Snapshot;
use crate::wordpress::terms::terms_of;
use crate::wordpress::text;
use crate::wordpress::woo::catalog::{Details, MAX_PRICE, MIN_PRICE, SKU, STOCK_STATUS};
use crate::wordpress::woo::{BLOCKED_FIELDS, BLOCKED_PREFIXES, Shop, quantity_json};

const INVALID_STOCK_STATUS: Code = Code::new("INVALID_STOCK_STATUS");
const INVALID_ORDERBY: Code = Code::new("INVALID_ORDERBY");
const INVALID_ORDER: Code = Code::new("INVALID_ORDER");
const INVALID_STATUS: Code = Code::new("INVALID_STATUS");

const DEFAULT_LIMIT: u64 = 20;

const COLUMNS: Columns = Columns {
    available: &[
        "id",
        "name",
        "sku",
        "stock_status",
        "stock_qty",
        "price",
        "max_price",
        "type",
        "status",
        "catalog_visibility",
        "featured",
        "regular_price",
        "sale_price",
        "on_sale",
        "manage_stock",
        "backorders",
        "date_created",
        "permalink",
        "average_rating",
        "total_sales",
        "variation_count",
        "total_variation_stock",
        "review_count",
        "cost_of_goods",
        "supplier",
        "supplier_sku",
    ],
    default: &["id", "name", "sku", "stock_status", "stock_qty", "price"],
    sensitive: &["cost_of_goods", "supplier", "supplier_sku"],
    expensive: &["variation_count", "total_variation_stock", "review_count"],
    blocked: BLOCKED_FIELDS,
    blocked_prefixes: BLOCKED_PREFIXES,
};

/// Lists products.
pub(crate) struct WcGetProducts {
    site: WordPress,
}

impl WcGetProducts {
    pub(crate) fn new(site: WordPress) -> Self {
        Self { site }
    }
}

/// Arguments of `wc_get_products`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Columns to return; ["*"] for all that are neither costly nor sensitive. Usual: id, name, sku, stock_status,
    /// stock_qty, price. Also: max_price, type, status, catalog_visibility, featured, regular_price, sale_price,
    /// on_sale, manage_stock, backorders, date_created, permalink, average_rating, total_sales, variation_count,
    /// total_variation_stock, review_count, cost_of_goods, supplier, supplier_sku.
    columns: Option<Vec<String>>,
    /// Show what can be asked, without asking the database.
    #[serde(default)]
    schema: bool,
    /// Count by stock status instead of listing.
    #[serde(default)]
    aggregate: bool,
    /// Only products with this stock status. Default all.
    stock_status: Option<StockStatus>,
    /// Text that name, SKU or GTIN must hold, those of variations included; or a product's id.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Only products of this status. Default publish.
    status: Option<Status>,
    /// Only products of this type: simple, variable, grouped, external or another.
    #[serde(rename = "type")]
    #[schemars(length(min = 1, max = 50))]
    kind: Option<String>,
    /// Slug of a product category; its sub-categories count too.
    #[schemars(length(min = 1, max = 200))]
    category: Option<String>,
    /// Lowest price, in the shop's currency.
    #[schemars(range(min = 0))]
    min_price: Option<f64>,
    /// Highest price, in the shop's currency.
    #[schemars(range(min = 0))]
    max_price: Option<f64>,
    /// Only products that lack this.
    missing: Option<Missing>,
    /// Sort by. Default date_created, newest first.
    orderby: Option<OrderBy>,
    /// Direction. Default ASC with orderby; without it DESC.
    order: Option<Order>,
    /// Rows to return. Default 20.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u64>,
    /// Rows to pass over. Default 0.
    #[schemars(range(min = 0, max = 10_000))]
    offset: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StockStatus {
    All,
    InStock,
    OutOfStock,
    OnBackorder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Publish,
    Draft,
    Pending,
    Private,
    Future,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Missing {
    Image,
    Sku,
    Price,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OrderBy {
    Price,
    StockQty,
    Name,
    Title,
    Date,
    DateCreated,
    TotalSales,
    Id,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Order {
    Asc,
    Desc,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Plan {
    mode: Mode,
    columns: Vec<&'static str>,
    stock_status: Option<&'static str>,
    search: Option<String>,
    status: &'static str,
    kind: Option<String>,
    category: Option<String>,
    min_price: Option<f64>,
    max_price: Option<f64>,
    missing: Option<Missing>,
    order: String,
    limit: u64,
    offset: u64,
    unused: Vec<Warning>,
}

/// What the tool returns, by mode.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Output {
    /// Rows.
    Query {
        /// The products, with the requested columns.
        products: Vec<Row>,
    },
    /// Counts.
    Aggregate {
        /// Products that pass the filters.
        total_products: i64,
        /// Stock status → how many of them.
        by_stock_status: BTreeMap<String, i64>,
    },
    /// What the tool can return.
    Schema(Row),
}

impl Tool for WcGetProducts {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new(
            "wc_get_products",
            "Lists the shop's products with SKU, stock and price, or counts them by stock status.\nFinds them by name, \
             SKU, category, type, price or what they lack. Variations are not listed; use wc_stock for their stock.",
        )
        .title("Products")
        .capability(CAPABILITY)
        .eligibility(Eligibility::Everyone)
        .retries(1)
        .field_code("columns", INVALID_COLUMNS)
        .field_code("stock_status", INVALID_STOCK_STATUS)
        .field_code("status", INVALID_STATUS)
        .field_code("orderby", INVALID_ORDERBY)
        .field_code("order", INVALID_ORDER)
        .domains(&["commerce", "catalog"])
        .tags(&[
            "product", "products", "item", "items", "sku", "price", "prices", "catalog", "catalogue", "listing",
            "variation", "variations", "title",
        ])
        .intents(&["list products", "find an item", "show the catalog", "what do we sell"])
        .example("what do we sell", json!({}))
        .example("the cheapest products", json!({"orderby": "price", "limit": 5}))
        .example("products without an image", json!({"missing": "image"}))
    }

    async fn plan(&self, _: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        let plan = Plan::of(input)?;
        if plan.mode == Mode::Schema {
            return Ok(Planned::Done(schema(plan)));
        }
        Ok(Planned::run(plan))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let snapshot = self.site.snapshot()?;
        let shop = Shop::read(&snapshot).await?;
        match plan.mode {
            Mode::Aggregate => aggregate(&snapshot, plan).await,
            _ => query(&snapshot, &shop, plan, ctx.now().as_second()).await,
        }
    }
}

impl Plan {
    fn of(input: Input) -> Result<Self, ToolError> {
        let mode = Mode::of(input.schema, input.aggregate)?;
        let rows_only = [
            ("columns", input.columns.is_some()),
            ("orderby", input.orderby.is_some()),
            ("order", input.order.is_some()),
            ("limit", input.limit.is_some()),
            ("offset", input.offset.is_some()),
        ];
        let filters = [
            ("stock_status", input.stock_status.is_some()),
            ("search", input.search.is_some()),
            ("status", input.status.is_some()),
            ("type", input.kind.is_some()),
            ("category", input.category.is_some()),
            ("min_price", input.min_price.is_some()),
            ("max_price", input.max_price.is_some()),
            ("missing", input.missing.is_some()),
        ];
        let unused = match mode {
            Mode::Query if input.orderby.is_none() => {
                ignored("an unsorted", &[("order", input.order.is_some())])
            }
            Mode::Query => Vec::new(),
            Mode::Aggregate => ignored("aggregate", &rows_only),
            Mode::Schema => [ignored("schema", &rows_only), ignored("schema", &filters)].concat(),
        };
        Ok(Self {
            mode,
            columns: COLUMNS.select(input.columns.as_deref())?,
            stock_status: input.stock_status.and_then(|status| match status {
                StockStatus::All => None,
                StockStatus::InStock => Some("instock"),
                StockStatus::OutOfStock => Some("outofstock"),
                StockStatus::OnBackorder => Some("onbackorder"),
            }),
            search: checked_search(input.search.as_deref())?,
            status: match input.status.unwrap_or(Status::Publish) {
                Status::Publish => "publish",
                Status::Draft => "draft",
                Status::Pending => "pending",
                Status::Private => "private",
                Status::Future => "future",
            },
            kind: input.kind,
            category: input.category,
            min_price: input.min_price,
            max_price: input.max_price,
            missing: input.missing,
            order: order(input.orderby, input.order),
            limit: input.limit.unwrap_or(DEFAULT_LIMIT),
            offset: input.offset.unwrap_or(0),
            unused,
        })
    }

    async fn filter(&self, snapshot: &Snapshot) -> Result<Condition, ToolError> {
        let mut filter = Condition::default();
        filter.plain("p.post_type = 'product'");
        filter.one("p.post_status = ?", self.status);
        if let Some(status) = self.stock_status {
            filter.one(&format!("{STOCK_STATUS} = ?"), status);
        }
        if let Some(text) = &self.search {
            let pattern = containing(text);
            let id = text.trim().parse::<i64>().unwrap_or(0);
            filter.all(
                &format!("(p.post_title LIKE ? ESCAPE '!' OR {SKU} LIKE ? ESCAPE '!' OR p.ID = ? \
                 OR EXISTS (SELECT 1 FROM {{posts}} v JOIN {{wc_product_meta_lookup}} vl ON vl.product_id = v.ID \
                 WHERE v.post_parent = p.ID AND v.post_type = 'product_variation' AND vl.sku LIKE ? ESCAPE '!') \
                 OR EXISTS (SELECT 1 FROM {{postmeta}} g WHERE g.post_id = p.ID AND g.meta_key = '_global_unique_id' \
                 AND g.meta_value = ?))"),
                [
                    pattern.as_str().into(),
                    pattern.as_str().into(),
                    id.into(),
                    pattern.as_str().into(),
                    text.trim().into(),
                ],
            );
        }
        if let Some(kind) = &self.kind {
            let related = "(SELECT 1 FROM {term_relationships} r JOIN {term_taxonomy} tt \
                           ON tt.term_taxonomy_id = r.term_taxonomy_id JOIN {terms} t ON t.term_id = tt.term_id \
                           WHERE r.object_id = p.ID AND tt.taxonomy = 'product_type'";
            if kind == "simple" {
                // A product without a type is a simple one.
                filter.plain(&format!("NOT EXISTS {related} AND t.slug <> 'simple')"));
            } else {
                filter.one(&format!("EXISTS {related} AND t.slug = ?)"), kind.as_str());
            }
        }
        if let Some(slug) = &self.category {
            let terms = terms_of(snapshot, "product_cat", slug, true).await?;
            filter.list(
                "EXISTS (SELECT 1 FROM {term_relationships} r WHERE r.object_id = p.ID \
                 AND r.term_taxonomy_id IN (?*))",
                terms,
            );
        }
        let priced = "EXISTS (SELECT 1 FROM {postmeta} m WHERE m.post_id = p.ID AND m.meta_key = '_price' \
                      AND m.meta_value <> '')";
        if self.min_price.is_some() || self.max_price.is_some() {
            filter.plain(priced);
        }
        if let Some(price) = self.min_price {
            filter.one(&format!("{MAX_PRICE} >= ?"), price);
        }
        if let Some(price) = self.max_price {
            filter.one(&format!("{MIN_PRICE} <= ?"), price);
        }
        match self.missing {
            Some(Missing::Image) => filter.plain(
                "NOT EXISTS (SELECT 1 FROM {postmeta} m WHERE m.post_id = p.ID AND m.meta_key = '_thumbnail_id' \
                 AND m.meta_value NOT IN ('', '0'))",
            ),
            Some(Missing::Sku) => filter.plain(&format!("COALESCE({SKU}, '') = ''")),
            Some(Missing::Price) => filter.plain(&format!("NOT {priced}")),
            None => {}
        }
        Ok(filter)
    }
}

/// Rows without the value come last, whatever the direction.
fn order(by: Option<OrderBy>, direction: Option<Order>) -> String {
    let Some(by) = by else { return "p.post_date DESC, p.ID DESC".to_owned() };
    let direction = if direction == Some(Order::Desc) { "DESC" } else { "ASC" };
    let nulls_last = |field: &str| {
        format!("CASE WHEN {field} IS NULL THEN 1 ELSE 0 END, {field} {direction}, p.ID {direction}")
    };
    match by {
        OrderBy::Price => format!(
            "CASE WHEN EXISTS (SELECT 1 FROM {{postmeta}} m WHERE m.post_id = p.ID AND m.meta_key = '_price' \
             AND m.meta_value <> '') THEN 0 ELSE 1 END, {MIN_PRICE} {direction}, p.ID {direction}"
        ),
        OrderBy::StockQty => nulls_last("l.stock_quantity"),
        OrderBy::TotalSales => nulls_last("l.total_sales"),
        OrderBy::Name | OrderBy::Title => format!("p.post_title {direction}, p.ID {direction}"),
        OrderBy::Date | OrderBy::DateCreated => format!("p.post_date {direction}, p.ID {direction}"),
        OrderBy::Id => format!("p.ID {direction}"),
    }
}

fn schema(plan: Plan) -> Reply<Output> {
    let page = schema_page(
        &COLUMNS,
        json!({
            "filters": ["stock_status", "search", "status", "type", "category", "min_price", "max_price", "missing"],
            "stock_statuses": ["all", "instock", "outofstock", "onbackorder"],
            "sortable_fields": ["price", "stock_qty", "name", "title", "date", "date_created", "total_sales", "id"],
            "pagination": {"type": "offset"},
            "limits": {"limit": {"minimum": 1, "maximum": 50, "default": DEFAULT_LIMIT}},
            "phpclaw_capability": "woocommerce.products.read",
            "woocommerce_capability": CAPABILITY,
        }),
    );
    Reply::new(Output::Schema(page))
        .mode("schema")
        .meta("database_query_performed", false)
        .warnings(plan.unused)
        .trusted()
}

async fn aggregate(snapshot: &Snapshot, plan: &Plan) -> Result<Reply<Output>, ToolError> {
    let filter = plan.filter(snapshot).await?;
    let statement = filter.bind(Statement::new(format!(
        "SELECT COALESCE({STOCK_STATUS}, 'unknown') AS status, COUNT(*) AS n FROM {{posts}} p \
         LEFT JOIN {{wc_product_meta_lookup}} l ON l.product_id = p.ID WHERE {} GROUP BY 1 ORDER BY 1",
        filter.text()
    )));
    let mut by_stock_status: BTreeMap<String, i64> =
        ["instock", "outofstock", "onbackorder"].iter().map(|status| ((*status).to_owned(), 0)).collect();
    for row in snapshot.rows(&statement).await?.iter() {
        *by_stock_status.entry(row.text("status")?).or_default() += row.i64("n")?;
    }
    let total_products = by_stock_status.values().sum();
    Ok(Reply::new(Output::Aggregate { total_products, by_stock_status })
        .mode("aggregate")
        .meta("source", snapshot.source())
        .warnings(plan.unused.clone())
        .trusted())
}

async fn query(snapshot: &Snapshot, shop: &Shop, plan: &Plan, now: i64) -> Result<Reply<Output>, ToolError> {
    let filter = plan.filter(snapshot).await?;
    let from = "FROM {posts} p LEFT JOIN {wc_product_meta_lookup} l ON l.product_id = p.ID";
    let count = filter.bind(Statement::new(format!("SELECT COUNT(*) {from} WHERE {}", filter.text())));
    let total = snapshot.database()?.scalar_i64(snapshot.prefixes(), &count).await?;
    let statement = filter
        .bind(Statement::new(format!(
            "SELECT p.ID, p.post_title, p.post_status, p.post_name, CAST(p.post_date AS CHAR) AS post_date, l.sku, \
             l.stock_status, l.stock_quantity, COALESCE(l.onsale, 0) AS onsale {from} WHERE {} ORDER BY {} LIMIT ? OFFSET ?",
            filter.text(),
            plan.order
        )))
        .bind(as_i64(plan.limit))
        .bind(as_i64(plan.offset));
    let rows = snapshot.rows(&statement).await?;
    let ids = rows.iter().map(|row| row.i64("ID")).collect::<Result<Vec<_>, _>>()?;
    let details = Details::read(snapshot, &ids, now).await?;
    let links = if plan.columns.contains(&"permalink") {
        let posts = rows.iter().map(linked).collect::<Result<Vec<_>, ToolError>>()?;
        Links::new(snapshot, &shop.options).of(snapshot, &posts).await?
    } else {
        BTreeMap::new()
    };
    let mut products = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        let id = row.i64("ID")?;
        let mut out = Row::new();
        for &column in &plan.columns {
            let value = match column {
                "on_sale" => json!(details.on_sale(id, row.i64("onsale")? != 0, now)),
                "permalink" => json!(links.get(&id).map(|link| link.url.as_str())),
                column => match details.column(id, column, shop) {
                    Some(value) => value,
                    None => own(row, column, &details, id)?,
                },
            };
            out.insert(column.to_owned(), value);
        }
        products.push(out);
    }
    let mut reply = Reply::new(Output::Query { products })
        .mode("query")
        .meta("columns_returned", json!(plan.columns))
        .meta("currency", shop.currency.as_str())
        .meta("source", snapshot.source());
    let sensitive = COLUMNS.sensitive_among(&plan.columns);
    if !sensitive.is_empty() {
        reply = reply
            .meta("sensitive_fields_returned", json!(sensitive))
            .warn(code::SENSITIVE_DATA, format!("{} are commercially sensitive.", sensitive.join(", ")));
    }
    let paging = Paging::Offset {
        offset: plan.offset,
        limit: plan.limit,
        total: u64::try_from(total).ok(),
        has_more: false,
    };
    Ok(reply.warnings(plan.unused.clone()).list("products", paging))
}

/// A column of the product's own row; the lookup row may be missing.
fn own(row: &DbRow, column: &str, details: &Details, id: i64) -> Result<Value, ToolError> {
    let stored = |key: &str| Some(details.meta(id, key).to_owned()).filter(|text| !text.is_empty());
    Ok(match column {
        "id" => json!(id),
        "name" => json!(text::decode(&row.text("post_title")?)),
        "sku" => json!(row.opt_text("sku")?.filter(|sku| !sku.is_empty()).or_else(|| stored("_sku"))),
        "status" => json!(row.text("post_status")?),
        "stock_status" => json!(row.opt_text("stock_status")?.or_else(|| stored("_stock_status"))),
        "stock_qty" => quantity_json(row.opt_decimal("stock_quantity")?.as_deref()),
        "date_created" => json!(row.text("post_date")?),
        _ => Value::Null,
    })
}

fn linked(row: &DbRow) -> Result<Post, ToolError> {
    Ok(Post {
        id: row.i64("ID")?,
        kind: "product".to_owned(),
        status: row.text("post_status")?,
        slug: row.text("post_name")?,
        date: row.text("post_date")?,
        parent: 0,
        author: String::new(),
    })
}
