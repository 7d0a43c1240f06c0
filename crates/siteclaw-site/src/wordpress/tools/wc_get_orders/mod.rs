//! `wc_get_orders`: orders of either store.

mod input;
mod rows;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use siteclaw_core::{Code, Ctx, Eligibility, Planned, Reply, Tool, ToolError, ToolSpec, code, suggestion};
use siteclaw_db::Statement;

use self::input::{Input, Plan};
use super::CAPABILITY;
use crate::wordpress::WordPress;
use crate::wordpress::condition::{Condition, as_i64};
use crate::wordpress::modes::{
    Columns, INVALID_COLUMNS, Mode, Row, containing, counted_page, mark_sensitive, schema_page,
};
use crate::wordpress::site::Snapshot;
use crate::wordpress::woo::Shop;
use crate::wordpress::woo::orders::{Field, Store};

const INVALID_STATUS: Code = Code::new("INVALID_STATUS");
const INVALID_ORDERBY: Code = Code::new("INVALID_ORDERBY");
const INVALID_ORDER: Code = Code::new("INVALID_ORDER");

/// WooCommerce's own statuses.
const STATUSES: [&str; 8] =
    ["pending", "processing", "on-hold", "completed", "cancelled", "refunded", "failed", "checkout-draft"];

const COLUMNS: Columns = Columns {
    available: &[
        "id",
        "status",
        "total",
        "currency",
        "date_created",
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
    default: &["id", "status", "total", "currency", "date_created"],
    sensitive: &[
        "billing_email",
        "billing_phone",
        "billing_city",
        "billing_country",
        "shipping_city",
        "shipping_country",
        "customer_ip",
    ],
    expensive: &["item_count"],
    blocked: &[
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
    ],
    blocked_prefixes: &["_stripe_", "_ppcp_", "_paypal_", "_square_", "_braintree_", "_authorize_net_"],
};

/// Lists orders.
pub(crate) struct WcGetOrders {
    site: WordPress,
}

impl WcGetOrders {
    pub(crate) fn new(site: WordPress) -> Self {
        Self { site }
    }
}

/// What the tool returns, by mode.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Output {
    /// Rows.
    Query {
        /// The orders, with the requested columns.
        orders: Vec<Row>,
    },
    /// Counts and sums.
    Aggregate {
        /// Orders that pass the filters; unfinished checkouts are not counted.
        total_orders: i64,
        /// Status → orders, unfinished checkouts among them.
        by_status: BTreeMap<String, i64>,
        /// Sums by currency over all counted orders; currencies are never added up.
        totals: Vec<Row>,
    },
    /// What the tool can return.
    Schema(Row),
}

impl Tool for WcGetOrders {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new(
            "wc_get_orders",
            "Lists the shop's orders with status, total and date, or counts and sums them.\nFinds them by status, \
             period, customer, product, amount, country, payment method, number, e-mail or name; include_items adds the \
             lines. Addresses and e-mail only when those columns are named.",
        )
        .title("Orders")
        .capability(CAPABILITY)
        .eligibility(Eligibility::Everyone)
        .retries(1)
        .field_code("columns", INVALID_COLUMNS)
        .field_code("status", INVALID_STATUS)
        .field_code("custom_status", INVALID_STATUS)
        .field_code("orderby", INVALID_ORDERBY)
        .field_code("order", INVALID_ORDER)
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

    async fn plan(&self, _: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        let plan = Plan::of(input)?;
        if plan.mode == Mode::Schema {
            return Ok(Planned::Done(schema(plan)));
        }
        Ok(Planned::run(plan))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let snapshot = self.site.for_call(ctx).await?;
        let shop = Shop::read(&snapshot).await?;
        shop.check_order_tables(&snapshot).await?;
        let reply = match plan.mode {
            Mode::Aggregate => aggregate(&snapshot, &shop, plan).await?,
            _ => query(&snapshot, &shop, plan).await?,
        };
        Ok(reply
            .meta("order_storage", shop.order_storage())
            .meta("timezone", shop.zone.name())
            .meta("source", snapshot.source())
            .warnings(plan.unused.clone()))
    }
}

fn schema(plan: Plan) -> Reply<Output> {
    let page = schema_page(
        &COLUMNS,
        json!({
            "states": STATUSES,
            "filters": ["status", "custom_status", "customer_id", "order_id", "search", "product_id", "country", "payment_method",
                        "min_total", "max_total", "date_after", "date_before", "date_field"],
            "sortable_fields": input::ORDER_BY,
            "pagination": {"type": "offset"},
            "limits": {"limit": {"minimum": 1, "maximum": 50, "default": input::DEFAULT_LIMIT}},
            "phpclaw_capability": "woocommerce.orders.read",
            "woocommerce_capability": CAPABILITY,
        }),
    );
    Reply::new(Output::Schema(page))
        .mode("schema")
        .meta("database_query_performed", false)
        .warnings(plan.unused)
        .trusted()
}

/// All filters, the status included.
fn filter(shop: &Shop, plan: &Plan, status: Option<&str>) -> Condition {
    let store = Store::of(shop);
    let mut filter = store.orders(status);
    narrow(&mut filter, shop, plan);
    filter
}

/// All filters but the status.
fn narrow(filter: &mut Condition, shop: &Shop, plan: &Plan) {
    let store = Store::of(shop);
    if let Some(id) = plan.order_id {
        filter.one(&format!("{} = ?", store.field(Field::Id)), id);
    }
    if let Some(id) = plan.customer_id {
        let field = store.field(Field::Customer);
        match store {
            Store::Own => filter.one(&format!("{field} = ?"), id),
            Store::Posts => filter.one(&format!("{field} = ?"), id.to_string()),
        }
    }
    if let Some(text) = &plan.search {
        store.search(filter, text, &containing(text));
    }
    if let Some(product) = plan.product_id {
        store.with_product(filter, product);
    }
    if let Some(country) = &plan.country {
        filter.one(&format!("{} = ?", store.field(Field::BillingCountry)), country.as_str());
    }
    if let Some(method) = &plan.payment_method {
        filter.all(
            &format!(
                "({} = ? OR {} = ?)",
                store.field(Field::PaymentMethod),
                store.field(Field::PaymentTitle)
            ),
            [method.as_str().into(), method.as_str().into()],
        );
    }
    if let Some(total) = plan.min_total {
        filter.one(&format!("{} >= ?", store.amount(Field::Total)), total);
    }
    if let Some(total) = plan.max_total {
        filter.one(&format!("{} <= ?", store.amount(Field::Total)), total);
    }
    for (edge, operator) in [(plan.after, ">="), (plan.before, "<=")] {
        if let Some(local) = edge
            && let Ok(moment) = shop.zone.zone().to_timestamp(local)
            && let Some(gmt) = shop.zone.gmt_of_local(local)
        {
            store.moment(filter, plan.date_field.field(), operator, &gmt, moment.as_second());
        }
    }
}

async fn aggregate(snapshot: &Snapshot, shop: &Shop, plan: &Plan) -> Result<Reply<Output>, ToolError> {
    let store = Store::of(shop);
    let mut all = Condition::default();
    all.plain(match store {
        Store::Own => "o.type = 'shop_order' AND o.status NOT IN ('trash', 'auto-draft', 'draft')",
        Store::Posts => {
            "o.post_type = 'shop_order' AND o.post_status NOT IN ('trash', 'auto-draft', 'draft')"
        }
    });
    narrow(&mut all, shop, plan);
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
        let wanted = plan.status.as_ref().is_none_or(|wanted| *wanted == status);
        if wanted && (status != "checkout-draft" || plan.status.is_some()) {
            total_orders += count;
            let sum = sums.entry(row.opt_text("currency")?.unwrap_or_default()).or_default();
            sum.0 += count;
            let amount = row.opt_decimal("amount")?.unwrap_or_default();
            sum.1 += amount.trim().parse::<rust_decimal::Decimal>().unwrap_or_default();
        }
        *by_status.entry(status).or_default() += count;
    }
    if let Some(wanted) = &plan.status {
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
    Ok(Reply::new(Output::Aggregate { total_orders, by_status, totals }).mode("aggregate").trusted())
}

async fn query(snapshot: &Snapshot, shop: &Shop, plan: &Plan) -> Result<Reply<Output>, ToolError> {
    let store = Store::of(shop);
    let filter = filter(shop, plan, plan.status.as_deref());
    let from = store.from();
    let count = filter.bind(Statement::new(format!("SELECT COUNT(*) {from} WHERE {}", filter.text())));
    let total = snapshot.database()?.scalar_i64(snapshot.prefixes(), &count).await?;
    if total == 0 {
        check_status(snapshot, store, plan).await?;
    }
    let statement = filter
        .bind(Statement::new(format!(
            "SELECT {} {from} WHERE {} ORDER BY {} LIMIT ? OFFSET ?",
            rows::selected(store, &plan.columns),
            filter.text(),
            plan.sorting(store)
        )))
        .bind(as_i64(plan.limit))
        .bind(as_i64(plan.offset));
    let found = snapshot.rows(&statement).await?;
    let orders = rows::shown(snapshot, shop, plan, &found).await?;
    let mut reply =
        Reply::new(Output::Query { orders }).mode("query").meta("columns_returned", json!(plan.columns));
    reply = mark_sensitive(reply, &COLUMNS, &plan.columns, "personal data");
    let written = COLUMNS.sensitive_among(&plan.columns);
    if !written.is_empty() {
        let message = format!("{} were written by customers.", written.join(", "));
        reply =
            reply.meta("untrusted_fields_returned", json!(written)).warn(code::UNTRUSTED_CONTENT, message);
    }
    let paging = counted_page(plan.offset, plan.limit, total);
    Ok(reply.list("orders", paging))
}

/// An unknown status is told apart from one that no order has.
async fn check_status(snapshot: &Snapshot, store: Store, plan: &Plan) -> Result<(), ToolError> {
    let Some(wanted) = plan.status.as_deref().filter(|status| !STATUSES.contains(status)) else {
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
