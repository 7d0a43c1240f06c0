//! `wc_report`: what was sold in a period, counted as a shop-keeper counts.
//!
//! Refunds are no orders, goods of cancelled orders are no sales, and currencies are never added up. The answer
//! says which days, statuses and times were counted, and where the site's admin shows the same.

mod figures;
mod goods;
mod groups;
mod input;
mod setup;

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use siteclaw_core::{Code, Ctx, Paging, Planned, Reply, Tool, ToolError, ToolSpec, code};

use self::figures::{Figures, Part, Sums};
use self::goods::{Lines, Seller};
use self::groups::Group;
use self::input::{Basis, Compare, DEFAULT_TOP, GroupBy, Input, MAX_DAYS, Plan};
use self::setup::Setup;
use crate::wordpress::WordPress;
use crate::wordpress::listing::{CAPABILITY, stated};
use crate::wordpress::modes::{INVALID_STATUS, Row, schema_reply};
use crate::wordpress::site::Snapshot;
use crate::wordpress::woo::period::Days;
use crate::wordpress::woo::sales::{Key, Sales, Span};
use crate::wordpress::woo::{Shop, money};

const INVALID_PERIOD: Code = Code::new("INVALID_PERIOD");
/// A period was longer than may be named by dates (warning).
const RANGE_CLAMPED: Code = Code::new("RANGE_CLAMPED");
/// Orders are in several currencies, which are not added up (warning).
const SEVERAL_CURRENCIES: Code = Code::new("SEVERAL_CURRENCIES");
/// The tables of WooCommerce Analytics are not there.
const ANALYTICS_UNAVAILABLE: Code = Code::new("ANALYTICS_UNAVAILABLE");

/// Reports sales.
pub(crate) struct WcReport {
    site: WordPress,
}

impl WcReport {
    pub(crate) fn new(site: WordPress) -> Self {
        Self { site }
    }
}

/// What the tool returns, by mode.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Output {
    /// The figures.
    Report(Box<Report>),
    /// What the tool can return.
    Schema(Row),
}

/// The figures of a period.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Report {
    /// Total sales in the shop's own currency: what customers paid, less what they got back.
    total_revenue: String,
    /// Orders that count, in all currencies.
    order_count: i64,
    /// Worth of an order in the shop's own currency, before refunds.
    avg_order_value: String,
    /// Best sellers by pieces.
    top_products: Vec<Seller>,
    /// How many different products were sold.
    unique_products: i64,
    /// The figures of each currency, the shop's own first.
    totals: Vec<Figures>,
    /// The figures split as group_by says.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<Group>>,
    /// The figures of the days to compare with.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Comparison>,
}

/// Other days beside these.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Comparison {
    /// First of the other days.
    date_from: String,
    /// Last of them.
    date_to: String,
    /// Their figures by currency.
    totals: Vec<Figures>,
    /// Change of total_revenue in percent; null where there was none before.
    revenue_change_percent: Option<String>,
    /// Change of order_count in percent; null where there was none before.
    orders_change_percent: Option<String>,
}

impl Tool for WcReport {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        stated(
            "wc_report",
            "Reports sales of a period: revenue, orders, refunds, tax, average order and best sellers.\nCompares with \
             the period before or the year before, and splits by day, week, month, status, country, payment method, \
             category, coupon or new and returning customers. Each currency for itself; refunds and cancelled orders \
             are no sales.",
        )
        .title("Sales report")
        .field_code("period", INVALID_PERIOD)
        .field_code("statuses", INVALID_STATUS)
        .domains(&["commerce", "analytics"])
        .tags(&[
            "report", "reports", "sales", "revenue", "earnings", "turnover", "income", "total", "totals", "summary",
            "analytics", "stats", "statistics", "performance", "best", "top", "sellers", "month", "week", "year",
            "yesterday", "today", "compare", "trend",
        ])
        .intents(&[
            "sales report", "show revenue", "how are we performing", "top sellers", "how much did we sell",
            "best selling products", "compare sales with last month",
        ])
        .example("how much did we sell this month", json!({}))
        .example("best selling products of last year", json!({"period": "last_year", "top_products": 10}))
        .example("compare revenue of last month with the month before",
            json!({"period": "last_month", "compare": "previous_period"}))
        .example("daily sales of the last 7 days", json!({"period": "last_7_days", "group_by": "day"}))
    }

    async fn plan(&self, _: &Ctx, input: Input) -> Result<Planned<Plan, Output>, ToolError> {
        let plan = Plan::of(input)?;
        if plan.schema {
            return Ok(Planned::Done(schema(plan)));
        }
        Ok(Planned::run(plan))
    }

    async fn perform(&self, ctx: &Ctx, plan: &Plan) -> Result<Reply<Output>, ToolError> {
        let snapshot = self.site.for_call(ctx).await?;
        let shop = Shop::read(&snapshot).await?;
        shop.check_order_tables(&snapshot).await?;
        if plan.group_by == Some(GroupBy::CustomerType) && !snapshot.has_table("wc_order_stats").await? {
            return Err(ToolError::new(
                ANALYTICS_UNAVAILABLE,
                format!(
                    "Who is new is known to the tables of Analytics alone, and {} does not exist.",
                    snapshot.prefixes().table("wc_order_stats")
                ),
            )
            .hint("Choose another group_by, or run WooCommerce's database update."));
        }
        report(ctx, &snapshot, &shop, plan).await
    }
}

async fn report(
    ctx: &Ctx,
    snapshot: &Snapshot,
    shop: &Shop,
    plan: &Plan,
) -> Result<Reply<Output>, ToolError> {
    let setup = Setup::read(snapshot, plan).await?;
    let today = ctx.now().to_zoned_datetime(shop.zone.zone().clone()).date();
    let (days, clamped) = plan.days(today, setup.week_start);
    let span = Span::of(days, &shop.zone, ctx.now());
    let sales = Sales::of(snapshot, shop, span, setup.moment).await?;
    let parts = figures::read(snapshot, shop, &sales, groups::key(plan.group_by)).await?;
    let totals = totals(&parts, &setup, shop);
    // Analytics counts goods by the day of the order, whatever it counts money by.
    let lines = Lines::of(&sales.by_creation(), setup.filter(), only_currency(&parts));
    let (unique_products, top_products) = goods::best(snapshot, shop, &lines, plan.top).await?;
    let groups = match plan.group_by {
        None => None,
        Some(GroupBy::Category) => Some(buckets(goods::categories(snapshot, shop, &lines).await?)),
        Some(GroupBy::Coupon) => Some(buckets(goods::coupons(snapshot, shop, &lines).await?)),
        Some(by) => Some(groups::shares(&parts, by, &setup, shop, plan.basis, days)),
    };
    let main = totals.first().map(|(_, sums)| *sums).unwrap_or_default();
    let order_count = totals.iter().map(|(_, sums)| sums.orders).sum();
    let comparison = match other_days(plan, days) {
        None => None,
        Some(other) => {
            let sales = sales.during(Span::of(Some(other), &shop.zone, ctx.now()));
            let parts = figures::read(snapshot, shop, &sales, Key::Whole).await?;
            Some(comparison(&self::totals(&parts, &setup, shop), other, shop, plan.basis, &main, order_count))
        }
    };
    let shown = |amount: Decimal| shop.money(&amount.to_string()).unwrap_or_default();
    let split = groups.is_some();
    let data = Report {
        total_revenue: shown(main.total_sales()),
        order_count,
        avg_order_value: shown(main.average(plan.basis)),
        top_products,
        unique_products,
        totals: totals.iter().map(|(currency, sums)| sums.shown(currency, shop, plan.basis)).collect(),
        groups,
        comparison,
    };
    let reply = Reply::new(Output::Report(Box::new(data))).mode("report");
    let reply = reply.list(if split { "groups" } else { "top_products" }, Paging::Whole);
    let reply = counted(reply, &parts, &setup, shop, plan);
    let mut reply = reply
        .meta("source", snapshot.source())
        .meta("amounts_from", if sales.many { "orders and wc_order_stats" } else { "orders" })
        .meta("date_from", json!(days.map(|days| days.from.to_string())))
        .meta("date_to", json!(days.map(|days| days.to.to_string())))
        .meta("range_days", json!(days.map(Days::count)))
        .meta("range_clamped", clamped)
        .meta("admin_url", setup.screens(days))
        .warnings(plan.unused.clone());
    if clamped {
        reply = reply.warn(
            RANGE_CLAMPED,
            format!("A period has at most {MAX_DAYS} days here; the first ones were left out. Name the period all for everything."),
        );
    }
    if totals.len() > 1 {
        let list: Vec<&str> = totals.iter().map(|(currency, _)| currency.as_str()).collect();
        reply = reply.warn(
            SEVERAL_CURRENCIES,
            format!(
                "Orders are in {}. total_revenue and avg_order_value are those of {} alone; totals has each.",
                list.join(", "),
                shop.currency
            ),
        );
    }
    Ok(reply
        .warn(code::UNTRUSTED_CONTENT, "Names of products, categories and coupons are the shop's own texts."))
}

/// The currency, where all orders are in one.
fn only_currency(parts: &[Part]) -> Option<&str> {
    let first = parts.first()?.currency.as_str();
    parts.iter().all(|part| part.currency == first).then_some(first)
}

fn buckets(buckets: Vec<goods::Bucket>) -> Vec<Group> {
    buckets.into_iter().map(Group::Goods).collect()
}

/// The counted sums by currency, the shop's own first, also where it has none.
fn totals(parts: &[Part], setup: &Setup, shop: &Shop) -> Vec<(String, Sums)> {
    let mut by_currency: BTreeMap<&str, Sums> = BTreeMap::new();
    for part in parts.iter().filter(|part| setup.counts(&part.status)) {
        by_currency.entry(&part.currency).or_default().add(&part.sums);
    }
    let own = by_currency.remove(shop.currency.as_str()).unwrap_or_default();
    let others = by_currency.into_iter().map(|(currency, sums)| (currency.to_owned(), sums));
    std::iter::once((shop.currency.clone(), own)).chain(others).collect()
}

fn other_days(plan: &Plan, days: Option<Days>) -> Option<Days> {
    match plan.compare? {
        Compare::PreviousPeriod => plan.period.before(days?),
        Compare::PreviousYear => days?.a_year_before(),
    }
}

fn comparison(
    before: &[(String, Sums)],
    days: Days,
    shop: &Shop,
    basis: Basis,
    now: &Sums,
    orders: i64,
) -> Comparison {
    let main = before.first().map(|(_, sums)| *sums).unwrap_or_default();
    let orders_before: i64 = before.iter().map(|(_, sums)| sums.orders).sum();
    let change = |now: Decimal, before: Decimal| {
        let part = (now - before).checked_div(before.abs())?;
        money(&(part * Decimal::ONE_HUNDRED).to_string(), 1)
    };
    Comparison {
        date_from: days.from.to_string(),
        date_to: days.to.to_string(),
        totals: before.iter().map(|(currency, sums)| sums.shown(currency, shop, basis)).collect(),
        revenue_change_percent: change(now.total_sales(), main.total_sales()),
        orders_change_percent: change(orders.into(), orders_before.into()),
    }
}

/// Says in meta what was counted, and how.
fn counted(reply: Reply<Output>, parts: &[Part], setup: &Setup, shop: &Shop, plan: &Plan) -> Reply<Output> {
    let mut others: BTreeMap<&str, i64> = BTreeMap::new();
    for part in parts.iter().filter(|part| !setup.counts(&part.status) && part.sums.orders > 0) {
        *others.entry(&part.status).or_default() += part.sums.orders;
    }
    let (key, statuses) = setup.statuses();
    reply
        .meta("period", plan.period.name())
        .meta("timezone", shop.zone.name())
        .meta("currency", shop.currency.as_str())
        .meta("basis", plan.basis.name())
        .meta("group_by", json!(plan.group_by.map(GroupBy::name)))
        .meta("date_field", setup.moment.name())
        .meta(key, statuses)
        .meta("orders_not_counted", json!(others))
        .meta("order_storage", shop.order_storage())
        .meta("counting", counting(plan.basis))
}

/// How tax, delivery and refunds count, in words.
fn counting(basis: Basis) -> Value {
    let refunds = match basis {
        Basis::PaidStatuses => {
            "taken off on the day of the refund; an order that was refunded in full has the status refunded and \
             counts neither as a sale nor as a refund"
        }
        Basis::Analytics => "taken off on the day of the refund",
    };
    json!({
        "total_revenue": "what customers paid, with tax and delivery, less refunds",
        "refunds": refunds,
        "tax": "in total_sales, not in net_sales",
        "shipping": "in total_sales, not in net_sales",
        "top_products": "by pieces, less those that were given back; variations count for their product",
    })
}

fn schema(plan: Plan) -> Reply<Output> {
    let page = json!({
        "modes": ["schema", "report"],
        "periods": ["today", "yesterday", "this_week", "last_week", "last_7_days", "last_30_days", "this_month",
            "last_month", "this_quarter", "last_quarter", "this_year", "last_year", "all", "custom"],
        "bases": ["paid_statuses", "analytics"],
        "comparisons": ["previous_period", "previous_year"],
        "groups": ["day", "week", "month", "status", "country", "payment_method", "category", "coupon",
            "customer_type"],
        "limits": {
            "top_products": {"minimum": 1, "maximum": 20, "default": DEFAULT_TOP},
            "days": {"maximum": MAX_DAYS},
        },
        "risk": "read",
        "idempotent": true,
        "phpclaw_capability": "woocommerce.reports.read",
        "woocommerce_capability": CAPABILITY,
    });
    let page = match page {
        Value::Object(page) => page,
        _ => Row::new(),
    };
    schema_reply(page, plan.unused).map(Output::Schema)
}
