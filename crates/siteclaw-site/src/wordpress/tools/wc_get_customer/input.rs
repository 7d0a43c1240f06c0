//! The arguments, and the plan they make.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{Code, ToolError, code};

use super::WcGetCustomer;
use crate::wordpress::listing::{Modes, Page};
use crate::wordpress::modes::{Order, checked_search};
use crate::wordpress::period::{Period, Range};

/// An id that no customer can have.
pub(super) const INVALID_CUSTOMER_ID: Code = Code::new("INVALID_CUSTOMER_ID");

/// Arguments of `wc_get_customer`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(flatten)]
    modes: Modes<WcGetCustomer>,
    /// The customer with this user id.
    #[schemars(extend("exclusiveMinimum" = 0))]
    customer_id: Option<i64>,
    /// Text that name, login or e-mail must hold; guests are found too.
    #[schemars(length(max = 1000))]
    search: Option<String>,
    /// List customers by this, guests among them.
    orderby: Option<OrderBy>,
    /// Direction. Default DESC.
    order: Option<Order>,
    #[serde(flatten)]
    period: Period,
    #[serde(flatten)]
    page: Page<10, 50>,
}

/// What customers are listed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OrderBy {
    /// What they spent, in the shop's own currency.
    TotalSpent,
    OrderCount,
    LastOrder,
    FirstOrder,
}

/// Checked arguments.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) customer_id: Option<i64>,
    pub(super) search: Option<String>,
    pub(super) order_by: OrderBy,
    pub(super) order: Order,
    pub(super) period: Range,
    pub(super) page: Page<10, 50>,
}

impl TryFrom<Input> for Checked {
    type Error = ToolError;

    fn try_from(input: Input) -> Result<Self, ToolError> {
        let period = input.period.checked()?;
        let open = Range { after: None, before: None };
        let lists = input.search.is_some() || input.orderby.is_some() || period != open;
        if input.customer_id.is_none() && !lists && !input.modes.is_schema() && !input.modes.is_aggregate() {
            return Err(ToolError::new(code::INVALID_ARGUMENT, "customer_id is missing.").hint(
                "Give customer_id, search for a name or e-mail, or list customers with orderby total_spent.",
            ));
        }
        Ok(Self {
            customer_id: input.customer_id,
            search: checked_search(input.search.as_deref())?,
            order_by: input.orderby.unwrap_or(OrderBy::TotalSpent),
            order: input.order.unwrap_or(Order::Desc),
            period,
            page: input.page,
        })
    }
}
