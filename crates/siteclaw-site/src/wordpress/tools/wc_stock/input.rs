//! The arguments, and the plan they make.

use super::{COLUMNS, DEFAULT_LIMIT, FROM, MANAGED, QUANTITY, low};
use crate::wordpress::condition::Condition;
use crate::wordpress::modes::{Mode, Order, ignored};
use crate::wordpress::woo::Shop;
use crate::wordpress::woo::catalog::{MIN_PRICE, STOCK_STATUS};
use schemars::JsonSchema;
use serde::Deserialize;
use siteclaw_core::{ToolError, Warning};

/// Arguments of `wc_stock`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Columns to return; ["*"] for all that are neither costly nor sensitive. Usual: id, name, sku, stock_status,
    /// stock_qty, manage_stock, low_stock. Also: threshold, type, parent_id, backorders, price,
    /// total_variation_stock, variation_count, cost_of_goods, supplier, supplier_sku.
    columns: Option<Vec<String>>,
    /// Show what can be asked, without asking the database.
    #[serde(default)]
    schema: bool,
    /// Count by stock status instead of listing.
    #[serde(default)]
    aggregate: bool,
    /// Which products. lowstock: quantity above none and up to the threshold. Default all.
    filter: Option<Filter>,
    /// Whether variations with stock of their own are rows too. Default true.
    include_variations: Option<bool>,
    /// Sort by. Default name; with lowstock the smallest quantity first.
    orderby: Option<OrderBy>,
    /// Direction. Default ASC.
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
pub(super) enum Filter {
    All,
    InStock,
    OutOfStock,
    OnBackorder,
    LowStock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OrderBy {
    StockQty,
    Price,
    Name,
    Id,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) mode: Mode,
    pub(super) columns: Vec<&'static str>,
    pub(super) filter: Filter,
    pub(super) variations: bool,
    pub(super) order_by: Option<OrderBy>,
    pub(super) order: Order,
    pub(super) limit: u64,
    pub(super) offset: u64,
    pub(super) unused: Vec<Warning>,
}

impl Plan {
    pub(super) fn of(input: Input) -> Result<Self, ToolError> {
        let mode = Mode::of(input.schema, input.aggregate)?;
        let given = [
            ("columns", input.columns.is_some()),
            ("filter", input.filter.is_some()),
            ("include_variations", input.include_variations.is_some()),
            ("orderby", input.orderby.is_some()),
            ("order", input.order.is_some()),
            ("limit", input.limit.is_some()),
            ("offset", input.offset.is_some()),
        ];
        let unused = match mode {
            Mode::Query => Vec::new(),
            Mode::Aggregate => ignored("aggregate", &given),
            Mode::Schema => ignored("schema", &given),
        };
        Ok(Self {
            mode,
            columns: COLUMNS.select(input.columns.as_deref())?,
            filter: input.filter.unwrap_or(Filter::All),
            variations: input.include_variations.unwrap_or(true),
            order_by: input.orderby,
            order: input.order.unwrap_or(Order::Asc),
            limit: input.limit.unwrap_or(DEFAULT_LIMIT),
            offset: input.offset.unwrap_or(0),
            unused,
        })
    }

    pub(super) fn name(&self) -> &'static str {
        match self.filter {
            Filter::All => "all",
            Filter::InStock => "instock",
            Filter::OutOfStock => "outofstock",
            Filter::OnBackorder => "onbackorder",
            Filter::LowStock => "lowstock",
        }
    }

    /// What is listed, and from where.
    pub(super) fn condition(&self, shop: &Shop) -> (&'static str, Condition) {
        if self.filter == Filter::LowStock {
            return (MANAGED, low(shop, self.variations));
        }
        let mut condition = Condition::default();
        // A variation that keeps no stock of its own shares its product's; one that is marked as gone is listed.
        let marked = matches!(self.filter, Filter::OutOfStock | Filter::OnBackorder);
        let variation = match (self.variations, marked) {
            (false, _) => "",
            (true, true) => {
                " OR (p.post_type = 'product_variation' AND p.post_status IN ('publish', 'private') \
                 AND pp.post_status = 'publish')"
            }
            (true, false) => {
                " OR (p.post_type = 'product_variation' AND p.post_status IN ('publish', 'private') \
                 AND pp.post_status = 'publish' AND l.stock_quantity IS NOT NULL)"
            }
        };
        condition.plain(&format!("((p.post_type = 'product' AND p.post_status = 'publish'){variation})"));
        if self.filter != Filter::All {
            condition.one(&format!("{STOCK_STATUS} = ?"), self.name());
        }
        (FROM, condition)
    }

    pub(super) fn sorting(&self) -> String {
        let direction = self.order.sql();
        let nulls_last = |field: &str| {
            format!("CASE WHEN {field} IS NULL THEN 1 ELSE 0 END, {field} {direction}, p.ID {direction}")
        };
        match self.order_by {
            None if self.filter == Filter::LowStock => format!("{QUANTITY} {direction}, p.ID {direction}"),
            Some(OrderBy::StockQty) if self.filter == Filter::LowStock => {
                format!("{QUANTITY} {direction}, p.ID {direction}")
            }
            None | Some(OrderBy::Name) => format!("p.post_title {direction}, p.ID {direction}"),
            Some(OrderBy::StockQty) => nulls_last("l.stock_quantity"),
            Some(OrderBy::Price) => nulls_last(MIN_PRICE),
            Some(OrderBy::Id) => format!("p.ID {direction}"),
        }
    }
}
