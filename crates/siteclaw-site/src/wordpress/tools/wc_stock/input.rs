//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::ToolError;

use super::{FROM, MANAGED, QUANTITY, WcStock, low};
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::Order;
use crate::wordpress::woo::Shop;
use crate::wordpress::woo::catalog::{MIN_PRICE, STOCK_STATUS};

/// Arguments of `wc_stock`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WcStock>,
    /// Which products. lowstock: quantity above none and up to the threshold. Default all.
    filter: Option<Filter>,
    /// Whether variations with stock of their own are rows too. Default true.
    include_variations: Option<bool>,
    /// Sort by. Default name; with lowstock the smallest quantity first.
    orderby: Option<OrderBy>,
    /// Direction. Default ASC.
    order: Option<Order>,
    #[serde(flatten)]
    page: Page<20, 50>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Filter {
    All,
    InStock,
    OutOfStock,
    OnBackorder,
    LowStock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OrderBy {
    StockQty,
    Price,
    Name,
    Id,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) variations: bool,
    pub(super) page: Page<20, 50>,
    filter: Filter,
    order_by: Option<OrderBy>,
    order: Order,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        Ok(Self {
            variations: input.include_variations.unwrap_or(true),
            page: input.page,
            filter: input.filter.unwrap_or(Filter::All),
            order_by: input.orderby,
            order: input.order.unwrap_or(Order::Asc),
        })
    }
}

impl Checked {
    /// The filter's name.
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
