//! Tools over orders, products and customers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use siteclaw_core::{RegistryBuilder, ToolError, ToolSpec, code};

use super::{Order, add, nothing};

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

fn stock(_: &Value) -> Result<Value, ToolError> {
    Ok(json!({"products": [
        {"id": 31, "name": "Blue shirt, long sleeves, organic cotton, size L", "sku": "SH-L", "stock_qty": 2},
        {"id": 7, "name": "Mug", "sku": null, "stock_qty": 1},
    ]}))
}

fn customer(input: &Value) -> Result<Value, ToolError> {
    let message = format!("No customer has the id {}.", input["customer_id"]);
    Err(ToolError::new(code::NOT_FOUND, message).hint("List users with the role customer first."))
}

/// Adds these tools.
pub(super) fn register(mut b: RegistryBuilder) -> RegistryBuilder {
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
    b
}
