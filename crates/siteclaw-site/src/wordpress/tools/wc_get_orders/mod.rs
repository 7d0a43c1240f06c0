//! `wc_get_orders`: orders of either store.

mod input;
mod rows;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use siteclaw_core::{Ctx, Reply, ToolError, ToolSpec, code, suggestion};
use siteclaw_db::Statement;

use self::input::{Checked, Input};
use crate::wordpress::columns::Columns;
use crate::wordpress::condition::Condition;
use crate::wordpress::listing::{self, Answer, Listing, Page, stated};
use crate::wordpress::modes::{INVALID_STATUS, Mode, Row, containing};
use crate::wordpress::site::Snapshot;
use crate::wordpress::woo::Shop;
use crate::wordpress::woo::orders::{Field, Store};

type Plan = listing::Plan<WcGetOrders>;

/// WooCommerce's own statuses.
const STATUSES: [&str; 8] =
    ["pending", "processing", "on-hold", "completed", "cancelled", "refunded", "failed", "checkout-draft"];

/// Columns with what customers say about themselves.
const PERSONAL: &[&str] = &[
    "billing_email",
    "billing_phone",
    "billing_city",
    "billing_country",
    "shipping_city",
    "shipping_country",
    "customer_ip",
];

/// Secret material of orders and of what gateways keep with them.
const BLOCKED: &[&str] = &[
    "transaction_id",
    "payment_token",
    "payment_tokens",
    "payment_method_token",
    "card_number",
    "card_last4",
    "cvv",
    "gateway_credentials",
    "customer_note_private",
    "order_key",
];
const BLOCKED_PREFIXES: &[&str] =
    &["_stripe_", "_ppcp_", "_paypal_", "_square_", "_braintree_", "_authorize_net_"];

/// Lists orders.
pub(crate) struct WcGetOrders;

/// A page of orders.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Orders {
    /// The orders, with the requested columns.
    orders: Vec<Row>,
}

/// Counts and sums.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Counts {
    /// Orders that pass the filters; unfinished checkouts are not counted.
    total_orders: i64,
    /// Status → orders, unfinished checkouts among them.
    by_status: BTreeMap<String, i64>,
    /// Sums by currency over all counted orders; currencies are never added up.
    totals: Vec<Row>,
}

impl Listing for WcGetOrders {
    type Input = Input;
    type Checked = Checked;
    type Pages = Page<10, 50>;
    type Rows = Orders;
    type Counts = Counts;

    const AREA: &'static str = "woocommerce.orders";
    const COLUMNS: Columns = Columns::new(
        &["id", "status", "total", "currency", "date_created"],
        &[
            "date_paid",
            "date_completed",
            "payment_method",
            "payment_method_title",
            "customer_id",
            "refunded",
            "item_count",
            "billing_email",
            "billing_phone",
            "billing_city",
            "billing_country",
            "shipping_city",
            "shipping_country",
            "customer_ip",
        ],
    )
    .sensitive(PERSONAL, "personal data")
    .expensive(&["item_count"])
    .blocked(BLOCKED, BLOCKED_PREFIXES);
    const FILTERS: &'static [&'static str] = &[
        "status",
        "custom_status",
        "customer_id",
        "order_id",
        "search",
        "product_id",
        "country",
        "payment_method",
        "min_total",
        "max_total",
        "date_after",
        "date_before",
        "date_field",
    ];
    const COUNTED: &'static str = "Count and sum instead of listing.";
    const ORDER_NEEDS_ORDERBY: bool = true;

    fn spec() -> ToolSpec {
        stated(
            "wc_get_orders",
            "Lists the shop's orders with status, total and date, or counts and sums them.\nFinds them by status, \
             period, customer, product, amount, country, payment method, number, e-mail or name; include_items adds the \
             lines. Addresses and e-mail only when those columns are named.",
        )
        .title("Orders")
        .field_code("status", INVALID_STATUS)
        .field_code("custom_status", INVALID_STATUS)
        .domains(&["commerce", "orders"])
        .tags(&[
            "order", "orders", "purchase", "purchases", "sale", "sales", "transaction", "transactions", "checkout",
            "refund", "refunded", "completed", "processing", "pending", "cancelled", "total", "buyer",
        ])
        .intents(&["list orders", "show purchases", "find a sale", "what did customers buy"])
        .example("the latest orders", json!({"limit": 5}))
        .example("orders that are on hold", json!({"status": "on-hold"}))
        .example("how many orders were there in October 2026",
            json!({"aggregate": true, "date_after": "2026-10", "date_before": "2026-10"}))
    }

    fn facts() -> Value {
        json!({"states": STATUSES})
    }

    async fn answer(
        _: &Ctx,
        snapshot: &Arc<Snapshot>,
        plan: &Plan,
    ) -> Result<Reply<Answer<Self>>, ToolError> {
        let shop = Shop::read(snapshot).await?;
        shop.check_order_tables(snapshot).await?;
        let reply = match plan.mode {
            Mode::Aggregate => aggregate(snapshot, &shop, plan).await?,
            _ => query(snapshot, &shop, plan).await?,
        };
        Ok(reply.meta("order_storage", shop.order_storage()).meta("timezone", shop.zone.name()))
    }
}

/// All filters but the status.
fn narrow(filter: &mut Condition, shop: &Shop, own: &Checked) {
    let store = Store::of(shop);
    if let Some(id) = own.order_id {
        filter.one(&format!("{} = ?", store.field(Field::Id)), id);
    }
    if let Some(id) = own.customer_id {
        let field = store.field(Field::Customer);
        match store {
            Store::Own => filter.one(&format!("{field} = ?"), id),
            Store::Posts => filter.one(&format!("{field} = ?"), id.to_string()),
        }
    }
    if let Some(text) = &own.search {
        store.search(filter, text, &containing(text));
    }
    if let Some(product) = own.product_id {
        store.with_product(filter, product);
    }
    if let Some(country) = &own.country {
        filter.one(&format!("{} = ?", store.field(Field::BillingCountry)), country.as_str());
    }
    if let Some(method) = &own.payment_method {
        filter.all(
            &format!(
                "({} = ? OR {} = ?)",
                store.field(Field::PaymentMethod),
                store.field(Field::PaymentTitle)
            ),
            [method.as_str().into(), method.as_str().into()],
        );
    }
    if let Some(total) = own.min_total {
        filter.one(&format!("{} >= ?", store.amount(Field::Total)), total);
    }
    if let Some(total) = own.max_total {
        filter.one(&format!("{} <= ?", store.amount(Field::Total)), total);
    }
    for (edge, operator) in [(own.period.after, ">="), (own.period.before, "<=")] {
        if let Some(local) = edge
            && let Ok(moment) = shop.zone.zone().to_timestamp(local)
            && let Some(gmt) = shop.zone.gmt_of_local(local)
        {
            store.moment(filter, own.date_field.field(), operator, &gmt, moment.as_second());
        }
    }
}

async fn aggregate(
    snapshot: &Snapshot,
    shop: &Shop,
    plan: &Plan,
) -> Result<Reply<Answer<WcGetOrders>>, ToolError> {
    let store = Store::of(shop);
    let mut all = Condition::default();
    all.plain(match store {
        Store::Own => "o.type = 'shop_order' AND o.status NOT IN ('trash', 'auto-draft', 'draft')",
        Store::Posts => {
            "o.post_type = 'shop_order' AND o.post_status NOT IN ('trash', 'auto-draft', 'draft')"
        }
    });
    narrow(&mut all, shop, &plan.own);
    let (status, currency) = (store.field(Field::Status), store.field(Field::Currency));
    let statement = all.bind(Statement::new(format!(
        "SELECT {status} AS status, {currency} AS currency, COUNT(*) AS n, SUM({}) AS amount {} WHERE {} \
         GROUP BY {status}, {currency} ORDER BY currency, status",
        store.amount(Field::Total),
        store.from(),
        all.text()
    )));
    let mut by_status: BTreeMap<String, i64> = STATUSES.iter().map(|name| ((*name).to_owned(), 0)).collect();
    let mut sums: BTreeMap<String, (i64, rust_decimal::Decimal)> = BTreeMap::new();
    let mut total_orders = 0;
    for row in snapshot.rows(&statement).await?.iter() {
        let status = row.text("status")?;
        let status = status.strip_prefix("wc-").unwrap_or(&status).to_owned();
        let count = row.i64("n")?;
        let wanted = plan.own.status.as_ref().is_none_or(|wanted| *wanted == status);
        if wanted && (status != "checkout-draft" || plan.own.status.is_some()) {
            total_orders += count;
            let sum = sums.entry(row.opt_text("currency")?.unwrap_or_default()).or_default();
            sum.0 += count;
            let amount = row.opt_decimal("amount")?.unwrap_or_default();
            sum.1 += amount.trim().parse::<rust_decimal::Decimal>().unwrap_or_default();
        }
        *by_status.entry(status).or_default() += count;
    }
    if let Some(wanted) = &plan.own.status {
        // Beside the one that was asked for, the others would read like its parts.
        by_status.retain(|status, _| status == wanted);
    }
    let totals = sums
        .into_iter()
        .map(|(currency, (count, sum))| {
            let average = if count == 0 { sum } else { sum / rust_decimal::Decimal::from(count) };
            Row::from_iter([
                ("currency".to_owned(), json!(currency)),
                ("orders".to_owned(), json!(count)),
                ("sum".to_owned(), json!(shop.money(&sum.to_string()))),
                ("average".to_owned(), json!(shop.money(&average.to_string()))),
            ])
        })
        .collect();
    Ok(plan.counts(Counts { total_orders, by_status, totals }).trusted())
}

async fn query(
    snapshot: &Snapshot,
    shop: &Shop,
    plan: &Plan,
) -> Result<Reply<Answer<WcGetOrders>>, ToolError> {
    let store = Store::of(shop);
    let mut filter = store.orders(plan.own.status.as_deref());
    narrow(&mut filter, shop, &plan.own);
    let from = store.from();
    let total = filter.count(snapshot, from).await?;
    if total == 0 {
        check_status(snapshot, store, plan).await?;
    }
    let statement = filter.bind(Statement::new(format!(
        "SELECT {} {from} WHERE {} ORDER BY {} LIMIT ? OFFSET ?",
        rows::selected(store, &plan.columns),
        filter.text(),
        plan.own.sorting(store)
    )));
    let found = snapshot.rows(&plan.own.page.bind(statement)).await?;
    let orders = rows::shown(snapshot, shop, plan, &found).await?;
    let mut reply = plan.rows(Orders { orders });
    let written = plan.wanted(PERSONAL);
    if !written.is_empty() {
        let message = format!("{} were written by customers.", written.join(", "));
        reply =
            reply.meta("untrusted_fields_returned", json!(written)).warn(code::UNTRUSTED_CONTENT, message);
    }
    Ok(reply.list("orders", plan.own.page.of(total)))
}

/// An unknown status is told apart from one that no order has.
async fn check_status(snapshot: &Snapshot, store: Store, plan: &Plan) -> Result<(), ToolError> {
    let Some(wanted) = plan.own.status.as_deref().filter(|status| !STATUSES.contains(status)) else {
        return Ok(());
    };
    let field = store.field(Field::Status);
    let kind = match store {
        Store::Own => "o.type = 'shop_order'",
        Store::Posts => "o.post_type = 'shop_order'",
    };
    let from = match store {
        Store::Own => "{wc_orders} o",
        Store::Posts => "{posts} o",
    };
    let statement =
        Statement::new(format!("SELECT DISTINCT {field} AS status FROM {from} WHERE {kind} ORDER BY status"));
    let mut known: Vec<String> = STATUSES.iter().map(|status| (*status).to_owned()).collect();
    for row in snapshot.rows(&statement).await?.iter() {
        let status = row.text("status")?;
        if let Some(status) = status.strip_prefix("wc-")
            && !known.iter().any(|known| known == status)
        {
            known.push(status.to_owned());
        }
    }
    if known.iter().any(|known| known == wanted) {
        return Ok(());
    }
    let error = ToolError::new(INVALID_STATUS, format!("The shop has no order status '{wanted}'."));
    let error = match suggestion(wanted, known.iter().map(String::as_str)) {
        Some(hint) => error.hint(hint),
        None => error,
    };
    Err(error.with("valid_statuses", known))
}
