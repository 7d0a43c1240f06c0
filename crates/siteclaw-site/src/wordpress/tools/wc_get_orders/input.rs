//! The arguments, and the plan they make.

use jiff::civil::DateTime;
use schemars::JsonSchema;
use serde::Deserialize;
use siteclaw_core::{ToolError, Warning, code};

use super::COLUMNS;
use crate::wordpress::modes::{Mode, Order, checked_edge, checked_search, ignored};
use crate::wordpress::woo::orders::{Field, Store};
use crate::wordpress::zone::Edge;

pub(super) const DEFAULT_LIMIT: u64 = 10;
/// What rows can be sorted by.
pub(super) const ORDER_BY: [&str; 6] = ["total", "date", "date_created", "date_paid", "id", "status"];

/// Arguments of `wc_get_orders`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Columns to return; ["*"] for all but item_count and the personal ones. Usual: id, status, total, currency,
    /// date_created. Also: date_paid, date_completed, payment_method, payment_method_title, customer_id, refunded,
    /// item_count, billing_email, billing_phone, billing_city, billing_country, shipping_city, shipping_country,
    /// customer_ip.
    columns: Option<Vec<String>>,
    /// Show what can be asked, without asking the database.
    #[serde(default)]
    schema: bool,
    /// Count, sum and average instead of listing.
    #[serde(default)]
    aggregate: bool,
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
    /// From this day or time on, inclusive, on the shop's clock: 2026-11-30, 2026-11 or 2026-11-30T08:00:00.
    #[schemars(length(max = 30))]
    date_after: Option<String>,
    /// Up to this day or time, inclusive.
    #[schemars(length(max = 30))]
    date_before: Option<String>,
    /// Which date the period is about. Default created.
    date_field: Option<DateField>,
    /// Add the lines of each order: name, SKU, quantity and total.
    #[serde(default)]
    include_items: bool,
    /// Sort by. Default the newest first.
    orderby: Option<OrderBy>,
    /// Direction. Default ASC with orderby; without it the newest stand first.
    order: Option<Order>,
    /// Rows to return. Default 10.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u64>,
    /// Rows to pass over. Default 0.
    #[schemars(range(min = 0, max = 10_000))]
    offset: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
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
pub(crate) struct Plan {
    pub(super) mode: Mode,
    pub(super) columns: Vec<&'static str>,
    pub(super) status: Option<String>,
    pub(super) customer_id: Option<i64>,
    pub(super) order_id: Option<i64>,
    pub(super) search: Option<String>,
    pub(super) product_id: Option<i64>,
    pub(super) country: Option<String>,
    pub(super) payment_method: Option<String>,
    pub(super) min_total: Option<f64>,
    pub(super) max_total: Option<f64>,
    pub(super) after: Option<DateTime>,
    pub(super) before: Option<DateTime>,
    pub(super) date_field: DateField,
    pub(super) items: bool,
    pub(super) limit: u64,
    pub(super) offset: u64,
    pub(super) unused: Vec<Warning>,
    order_by: Option<OrderBy>,
    order: Option<Order>,
}

impl Plan {
    pub(super) fn of(input: Input) -> Result<Self, ToolError> {
        let mode = Mode::of(input.schema, input.aggregate)?;
        let rows_only = [
            ("columns", input.columns.is_some()),
            ("include_items", input.include_items),
            ("orderby", input.orderby.is_some()),
            ("order", input.order.is_some()),
            ("limit", input.limit.is_some()),
            ("offset", input.offset.is_some()),
        ];
        let filters = [
            ("status", input.status.is_some()),
            ("custom_status", input.custom_status.is_some()),
            ("customer_id", input.customer_id.is_some()),
            ("order_id", input.order_id.is_some()),
            ("search", input.search.is_some()),
            ("product_id", input.product_id.is_some()),
            ("country", input.country.is_some()),
            ("payment_method", input.payment_method.is_some()),
            ("min_total", input.min_total.is_some()),
            ("max_total", input.max_total.is_some()),
            ("date_after", input.date_after.is_some()),
            ("date_before", input.date_before.is_some()),
            ("date_field", input.date_field.is_some()),
        ];
        let unused = match mode {
            Mode::Query if input.orderby.is_none() => {
                ignored("an unsorted", &[("order", input.order.is_some())])
            }
            Mode::Query => Vec::new(),
            Mode::Aggregate => ignored("aggregate", &rows_only),
            Mode::Schema => [ignored("schema", &rows_only), ignored("schema", &filters)].concat(),
        };
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
            mode,
            columns: COLUMNS.select(input.columns.as_deref())?,
            status,
            customer_id: input.customer_id,
            order_id: input.order_id,
            search: checked_search(input.search.as_deref())?,
            product_id: input.product_id,
            country: input.country,
            payment_method: input.payment_method,
            min_total: input.min_total,
            max_total: input.max_total,
            after: checked_edge("date_after", input.date_after.as_deref(), Edge::After)?,
            before: checked_edge("date_before", input.date_before.as_deref(), Edge::Before)?,
            date_field: input.date_field.unwrap_or(DateField::Created),
            items: input.include_items,
            limit: input.limit.unwrap_or(DEFAULT_LIMIT),
            offset: input.offset.unwrap_or(0),
            unused,
            order_by: input.orderby,
            order: input.order,
        })
    }

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
