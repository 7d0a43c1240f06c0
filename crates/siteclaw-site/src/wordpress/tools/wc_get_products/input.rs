//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::{WcGetProducts, order};
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::{Order, checked_search, containing};
use crate::wordpress::site::Snapshot;
use crate::wordpress::terms::terms_of;
use crate::wordpress::woo::catalog::{MAX_PRICE, MIN_PRICE, SKU, STOCK_STATUS};

/// Arguments of `wc_get_products`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WcGetProducts>,
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
    #[serde(flatten)]
    page: Page<20, 50>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum StockStatus {
    All,
    InStock,
    OutOfStock,
    OnBackorder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Publish,
    Draft,
    Pending,
    Private,
    Future,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Missing {
    Image,
    Sku,
    Price,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OrderBy {
    Price,
    StockQty,
    Name,
    Title,
    Date,
    DateCreated,
    TotalSales,
    Id,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) order: String,
    pub(super) page: Page<20, 50>,
    stock_status: Option<&'static str>,
    search: Option<String>,
    status: &'static str,
    kind: Option<String>,
    category: Option<String>,
    min_price: Option<f64>,
    max_price: Option<f64>,
    missing: Option<Missing>,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        Ok(Self {
            order: order(input.orderby, input.order),
            page: input.page,
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
        })
    }
}

impl Checked {
    pub(super) async fn filter(&self, snapshot: &Snapshot) -> Result<Condition, ToolError> {
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
