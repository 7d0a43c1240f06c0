//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{ToolError, code};

use super::WcGetOrders;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::{Order, checked_search};
use crate::wordpress::period::{Period, Range};
use crate::wordpress::woo::orders::{Field, Store};

/// Arguments of `wc_get_orders`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WcGetOrders>,
    /// Only orders of this status. Default all, which leaves out checkout-draft.
    status: Option<Status>,
    /// Only orders of a status that a plugin added, without the wc- in front; in place of status.
    #[schemars(regex(pattern = "^[a-z0-9_-]{1,40}$"))]
    custom_status: Option<String>,
    /// Only orders of the customer with this user id.
    #[schemars(range(min = 1))]
    customer_id: Option<i64>,
    /// Only the order with this id.
    #[schemars(range(min = 1))]
    order_id: Option<i64>,
    /// Order number, or text that e-mail, name or company must hold.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// Only orders with this product or variation.
    #[schemars(range(min = 1))]
    product_id: Option<i64>,
    /// Only orders billed to this country, as two capital letters.
    #[schemars(regex(pattern = "^[A-Z]{2}$"))]
    country: Option<String>,
    /// Only orders paid by this method, by its id or title.
    #[schemars(length(min = 1, max = 100))]
    payment_method: Option<String>,
    /// Smallest total, in the order's currency.
    #[schemars(range(min = 0))]
    min_total: Option<f64>,
    /// Largest total, in the order's currency.
    #[schemars(range(min = 0))]
    max_total: Option<f64>,
    #[serde(flatten)]
    period: Period,
    /// Which date the period is about. Default created.
    date_field: Option<DateField>,
    /// Add the lines of each order: name, SKU, quantity and total.
    #[serde(default)]
    include_items: bool,
    /// Sort by. Default the newest first.
    orderby: Option<OrderBy>,
    /// Direction. Default ASC with orderby; without it the newest stand first.
    order: Option<Order>,
    #[serde(flatten)]
    page: Page<10, 50>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Status {
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

impl Status {
    const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::All => return None,
            Self::Pending => "pending",
            Self::Processing => "processing",
            Self::OnHold => "on-hold",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Refunded => "refunded",
            Self::Failed => "failed",
            Self::CheckoutDraft => "checkout-draft",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum DateField {
    Created,
    Paid,
    Completed,
}

impl DateField {
    pub(super) const fn field(self) -> Field {
        match self {
            Self::Created => Field::Created,
            Self::Paid => Field::Paid,
            Self::Completed => Field::Completed,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OrderBy {
    Total,
    Date,
    DateCreated,
    DatePaid,
    Id,
    Status,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) status: Option<String>,
    pub(super) customer_id: Option<i64>,
    pub(super) order_id: Option<i64>,
    pub(super) search: Option<String>,
    pub(super) product_id: Option<i64>,
    pub(super) country: Option<String>,
    pub(super) payment_method: Option<String>,
    pub(super) min_total: Option<f64>,
    pub(super) max_total: Option<f64>,
    pub(super) period: Range,
    pub(super) date_field: DateField,
    pub(super) items: bool,
    pub(super) page: Page<10, 50>,
    order_by: Option<OrderBy>,
    order: Option<Order>,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        if input.status.is_some() && input.custom_status.is_some() {
            return Err(ToolError::new(
                code::CONFLICTING_MODES,
                "status and custom_status exclude each other.",
            ));
        }
        let custom = input.custom_status.map(|status| match status.strip_prefix("wc-") {
            Some(name) => name.to_owned(),
            None => status,
        });
        let status = custom.or_else(|| input.status.and_then(Status::name).map(str::to_owned));
        Ok(Self {
            status,
            customer_id: input.customer_id,
            order_id: input.order_id,
            search: checked_search(input.search.as_deref())?,
            product_id: input.product_id,
            country: input.country,
            payment_method: input.payment_method,
            min_total: input.min_total,
            max_total: input.max_total,
            period: input.period.checked()?,
            date_field: input.date_field.unwrap_or(DateField::Created),
            items: input.include_items,
            page: input.page,
            order_by: input.orderby,
            order: input.order,
        })
    }
}

impl Checked {
    /// Sorted by the field, then by id; the newest first where nothing is asked for.
    pub(super) fn sorting(&self, store: Store) -> String {
        let id = store.field(Field::Id);
        let Some(by) = self.order_by else {
            return format!("{} DESC, {id} DESC", store.field(Field::Created));
        };
        let direction = self.order.unwrap_or(Order::Asc).sql();
        let field = match by {
            OrderBy::Total => store.amount(Field::Total),
            OrderBy::Date | OrderBy::DateCreated => store.field(Field::Created),
            OrderBy::DatePaid => store.field(Field::Paid),
            OrderBy::Id => return format!("{id} {direction}"),
            OrderBy::Status => store.field(Field::Status),
        };
        // Orders without the date come last, whatever the direction.
        let empty = if by == OrderBy::DatePaid {
            format!("CASE WHEN {field} IS NULL OR {field} = '' THEN 1 ELSE 0 END, ")
        } else {
            String::new()
        };
        format!("{empty}{field} {direction}, {id} {direction}")
    }
}
