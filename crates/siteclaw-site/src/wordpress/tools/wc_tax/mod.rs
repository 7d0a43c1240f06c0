//! `wc_tax`: tax rates and how the shop reckons tax.

mod input;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use siteclaw_core::{Code, Ctx, Paging, Reply, ToolError, ToolSpec, code, suggestion};
use siteclaw_db::{Row as DbRow, Statement};

use self::input::{Checked, Input, RatePage};
use crate::wordpress::columns::Columns;
use crate::wordpress::condition::as_i64;
use crate::wordpress::listing::{self, Answer, Listing, stated};
use crate::wordpress::modes::{Mode, Row, shown};
use crate::wordpress::options::Options;
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;
use crate::wordpress::woo::places::EUROPEAN_UNION;
use crate::wordpress::woo::{BLOCKED_PREFIXES, Shop, quantity};

type Plan = listing::Plan<WcTax>;

/// The shop has no tax class of this slug.
const UNKNOWN_TAX_CLASS: Code = Code::new("UNKNOWN_TAX_CLASS");
/// A country that is not written as two letters.
const INVALID_COUNTRY: Code = Code::new("INVALID_COUNTRY");
/// Countries that counts name.
const MOST_COUNTRIES: usize = 50;

const TABLES: [&str; 3] = ["woocommerce_tax_rates", "woocommerce_tax_rate_locations", "wc_tax_rate_classes"];
const FROM: &str = "FROM {woocommerce_tax_rates} r";
/// Settings of tax.
const OPTIONS: [&str; 8] = [
    "woocommerce_calc_taxes",
    "woocommerce_prices_include_tax",
    "woocommerce_tax_based_on",
    "woocommerce_tax_display_shop",
    "woocommerce_tax_display_cart",
    "woocommerce_tax_round_at_subtotal",
    "woocommerce_shipping_tax_class",
    "woocommerce_default_country",
];

/// Lists tax rates.
pub(crate) struct WcTax;

/// A page of rates.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Rates {
    /// The rates by priority, with the requested columns. An empty country or state is everywhere: null.
    rates: Vec<Row>,
}

/// Settings and counts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Counts {
    tax_enabled: bool,
    /// Whether prices are entered with tax.
    prices_include_tax: bool,
    /// incl or excl: how the shop shows prices.
    display_in_shop: String,
    /// incl or excl: how cart and checkout show them.
    display_in_cart: String,
    /// shipping, billing or base: whose address decides.
    tax_based_on: String,
    round_at_subtotal: bool,
    /// The class that delivery is taxed by; inherit takes that of the goods.
    shipping_tax_class: String,
    /// Where the shop is.
    base_country: String,
    /// Slug → name; standard is the usual one.
    tax_classes: BTreeMap<String, String>,
    total_rates: i64,
    /// Postcodes and cities that rates are narrowed to.
    total_rate_locations: i64,
    /// Country → rates, the most first; * for all countries.
    rates_by_country: Row,
    /// Members of the European Union without a standard rate; null for a shop elsewhere.
    eu_countries_without_rate: Option<Vec<String>>,
}

impl Listing for WcTax {
    type Input = Input;
    type Checked = Checked;
    type Pages = RatePage;
    type Rows = Rates;
    type Counts = Counts;

    const AREA: &'static str = "woocommerce.tax";
    const COLUMNS: Columns = Columns::new(
        &["id", "class", "country", "state", "rate", "name", "priority"],
        &["compound", "shipping", "order", "postcode_count", "city_count"],
    )
    .expensive(&["postcode_count", "city_count"])
    .blocked(&["user_pass"], BLOCKED_PREFIXES);
    const FILTERS: &'static [&'static str] = &["tax_class", "country"];
    const COUNTED: &'static str = "Show how tax is set up, and count rates, instead of listing.";

    fn spec() -> ToolSpec {
        stated(
            "wc_tax",
            "Lists tax rates by class and country, or shows how the shop reckons tax.\nWith a country, rates for all countries \
             are listed too, because they apply; for a shop in the European Union it names members without a rate.",
        )
        .title("Tax rates")
        .field_code("country", INVALID_COUNTRY)
        .domains(&["commerce", "tax"])
        .tags(&[
            "tax", "taxes", "vat", "gst", "rate", "rates", "class", "classes", "taxable", "exempt", "country", "state",
        ])
        .intents(&["list tax rates", "show vat settings", "how is tax configured"])
        .example("tax rates for Germany", json!({"country": "DE"}))
        .example("how is tax configured", json!({"aggregate": true}))
    }

    async fn answer(
        _: &Ctx,
        snapshot: &Arc<Snapshot>,
        plan: &Plan,
    ) -> Result<Reply<Answer<Self>>, ToolError> {
        let shop = Shop::read(snapshot).await?;
        shop.check_tables(snapshot, &TABLES).await?;
        let classes = classes(snapshot).await?;
        if let Some(class) = &plan.own.tax_class
            && !classes.contains_key(class)
        {
            let error =
                ToolError::new(UNKNOWN_TAX_CLASS, format!("The shop has no tax class '{}'.", shown(class)));
            let error = match suggestion(class, classes.keys().map(String::as_str)) {
                Some(hint) => error.hint(hint),
                None => error,
            };
            return Err(error.with("valid_tax_classes", classes.into_keys().collect::<Vec<_>>()));
        }
        let options = Options::read(snapshot, &OPTIONS).await?;
        let reply = match plan.mode {
            Mode::Aggregate => aggregate(snapshot, plan, &options, classes).await?,
            _ => query(snapshot, plan).await?,
        };
        Ok(reply
            .meta("tax_enabled", options.text("woocommerce_calc_taxes") == "yes")
            .meta("rate_unit", "percent"))
    }
}

/// Slug → name of the classes: the shop's, and those that only rates name.
async fn classes(snapshot: &Snapshot) -> Result<BTreeMap<String, String>, ToolError> {
    let statement = Statement::new("SELECT slug, name FROM {wc_tax_rate_classes} ORDER BY slug");
    let mut classes = BTreeMap::from([("standard".to_owned(), "Standard".to_owned())]);
    for row in snapshot.rows(&statement).await?.iter() {
        classes.insert(row.text("slug")?, text::decode(&row.text("name")?).into_owned());
    }
    let used = Statement::new(
        "SELECT DISTINCT tax_rate_class FROM {woocommerce_tax_rates} WHERE tax_rate_class <> '' ORDER BY tax_rate_class",
    );
    for row in snapshot.rows(&used).await?.iter() {
        let slug = row.text("tax_rate_class")?;
        classes.entry(slug.clone()).or_insert(slug);
    }
    Ok(classes)
}

async fn aggregate(
    snapshot: &Snapshot,
    plan: &Plan,
    options: &Options,
    tax_classes: BTreeMap<String, String>,
) -> Result<Reply<Answer<WcTax>>, ToolError> {
    let filter = plan.own.filter();
    let statement = filter.bind(Statement::new(format!(
        "SELECT r.tax_rate_country AS country, COUNT(*) AS n, \
         SUM(CASE WHEN r.tax_rate_class = '' THEN 1 ELSE 0 END) AS standard {FROM} WHERE {} \
         GROUP BY r.tax_rate_country ORDER BY n DESC, country",
        filter.text()
    )));
    let (mut total, mut countries, mut with_standard) = (0, Row::new(), Vec::new());
    for row in snapshot.rows(&statement).await?.iter() {
        let (country, count) = (row.text("country")?, row.i64("n")?);
        total += count;
        if row.i64("standard")? > 0 {
            with_standard.push(country.clone());
        }
        if countries.len() < MOST_COUNTRIES {
            countries.insert(if country.is_empty() { "*".to_owned() } else { country }, json!(count));
        }
    }
    let places = filter.bind(Statement::new(format!(
        "SELECT COUNT(*) FROM {{woocommerce_tax_rate_locations}} l JOIN {{woocommerce_tax_rates}} r \
         ON r.tax_rate_id = l.tax_rate_id WHERE {}",
        filter.text()
    )));
    let base = options.text("woocommerce_default_country");
    let base = base.split(':').next().unwrap_or_default().to_owned();
    let everywhere = with_standard.iter().any(String::is_empty);
    let without = || {
        let missing =
            EUROPEAN_UNION.iter().filter(|country| !with_standard.iter().any(|known| known == *country));
        missing.filter(|_| !everywhere).map(|country| (*country).to_owned()).collect::<Vec<_>>()
    };
    // A question about one country says nothing of the others.
    let is_asked = plan.own.country.is_none() && EUROPEAN_UNION.contains(&base.as_str());
    let yes = |name: &str| options.text(name) == "yes";
    let or = |name: &str, usual: &str| match options.text(name) {
        "" => usual.to_owned(),
        stored => stored.to_owned(),
    };
    Ok(plan
        .counts(Counts {
            tax_enabled: yes("woocommerce_calc_taxes"),
            prices_include_tax: yes("woocommerce_prices_include_tax"),
            display_in_shop: or("woocommerce_tax_display_shop", "excl"),
            display_in_cart: or("woocommerce_tax_display_cart", "excl"),
            tax_based_on: or("woocommerce_tax_based_on", "shipping"),
            round_at_subtotal: yes("woocommerce_tax_round_at_subtotal"),
            shipping_tax_class: match options.text("woocommerce_shipping_tax_class") {
                "" => "standard".to_owned(),
                class => class.to_owned(),
            },
            eu_countries_without_rate: is_asked.then(without),
            base_country: base,
            tax_classes,
            total_rates: total,
            total_rate_locations: snapshot.database()?.scalar_i64(snapshot.prefixes(), &places).await?,
            rates_by_country: countries,
        })
        .warn(code::UNTRUSTED_CONTENT, "Names of classes are the shop's own texts."))
}

async fn query(snapshot: &Snapshot, plan: &Plan) -> Result<Reply<Answer<WcTax>>, ToolError> {
    let filter = plan.own.filter();
    let total = filter.count(snapshot, FROM).await?;
    let places = |kind: &str| {
        format!(
            "(SELECT COUNT(*) FROM {{woocommerce_tax_rate_locations}} l WHERE l.tax_rate_id = r.tax_rate_id \
             AND l.location_type = '{kind}')"
        )
    };
    let statement = filter
        .bind(Statement::new(format!(
            "SELECT r.tax_rate_id, r.tax_rate_class, r.tax_rate_country, r.tax_rate_state, r.tax_rate, r.tax_rate_name, \
             r.tax_rate_priority, r.tax_rate_compound, r.tax_rate_shipping, r.tax_rate_order, {} AS postcodes, \
             {} AS cities {FROM} WHERE {} ORDER BY r.tax_rate_priority, r.tax_rate_id LIMIT ? OFFSET ?",
            places("postcode"),
            places("city"),
            filter.text()
        )))
        .bind(as_i64(plan.own.page.limit()))
        .bind(as_i64(plan.own.page.offset()));
    let rows = snapshot.rows(&statement).await?;
    let rates = rows.iter().map(|row| rate(row, plan)).collect::<Result<Vec<_>, _>>()?;
    let filters = json!({"tax_class": plan.own.tax_class, "country": plan.own.country});
    let mut reply = plan.rows(Rates { rates }).meta("filters", filters);
    if plan.wants("name") {
        reply = reply
            .meta("untrusted_fields_returned", json!(["name"]))
            .warn(code::UNTRUSTED_CONTENT, "Names of rates are the shop's own texts.");
    }
    let paging = Paging::Offset {
        offset: plan.own.page.offset(),
        limit: plan.own.page.limit(),
        total: u64::try_from(total).ok(),
        has_more: false,
    };
    Ok(reply.list("rates", paging))
}

fn rate(row: &DbRow, plan: &Plan) -> Result<Row, ToolError> {
    // An empty text stands for every place.
    let place = |column: &str| -> Result<Value, ToolError> {
        let text = row.text(column)?;
        Ok(if text.is_empty() { Value::Null } else { json!(text) })
    };
    let mut out = Row::new();
    for &column in &plan.columns {
        let value = match column {
            "id" => json!(row.i64("tax_rate_id")?),
            "class" => json!(match row.text("tax_rate_class")?.as_str() {
                "" => "standard".to_owned(),
                class => class.to_owned(),
            }),
            "country" => place("tax_rate_country")?,
            "state" => place("tax_rate_state")?,
            "rate" => json!(quantity(&row.text("tax_rate")?)),
            "name" => json!(text::decode(&row.text("tax_rate_name")?)),
            "priority" => json!(row.i64("tax_rate_priority")?),
            "compound" => json!(row.bool("tax_rate_compound")?),
            "shipping" => json!(row.bool("tax_rate_shipping")?),
            "order" => json!(row.i64("tax_rate_order")?),
            "postcode_count" => json!(row.i64("postcodes")?),
            _ => json!(row.i64("cities")?),
        };
        out.insert(column.to_owned(), value);
    }
    Ok(out)
}
