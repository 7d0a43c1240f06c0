//! `wc_shipping`: zones, methods and their costs, in the order in which WooCommerce looks for a zone.

mod input;
mod settings;
mod zones;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use siteclaw_core::{Code, Ctx, Paging, Planned, Reply, Tool, ToolError, ToolSpec, code};

use self::input::{Input, Plan};
use self::settings::{PICKUP, SHOWN, Settings};
use self::zones::{TABLES, Zone};
use crate::wordpress::WordPress;
use crate::wordpress::listing::{CAPABILITY, stated};
use crate::wordpress::modes::{Row, schema_reply};
use crate::wordpress::options::Options;
use crate::wordpress::text;
use crate::wordpress::woo::Shop;

/// The shop has no zone of this id.
const ZONE_NOT_FOUND: Code = Code::new("ZONE_NOT_FOUND");
/// Settings of a method that is not WooCommerce's own were left out (warning).
const SETTINGS_OMITTED: Code = Code::new("SETTINGS_OMITTED");
/// Places of a zone that are listed.
const MOST_PLACES: usize = 200;

/// Lists shipping zones.
pub(crate) struct WcShipping {
    site: WordPress,
}

impl WcShipping {
    pub(crate) fn new(site: WordPress) -> Self {
        Self { site }
    }
}

/// What the tool returns, by mode.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Output {
    /// Zones.
    Query(Zones),
    /// What the tool can return.
    Schema(Row),
}

/// The zones.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Zones {
    /// In the order in which they are looked through; 0, the rest of the world, comes last.
    zones: Vec<ShownZone>,
    /// Places where customers may fetch their goods, of the checkout block; null where it has none.
    pickup_locations: Option<Value>,
}

/// A zone.
#[derive(Serialize, JsonSchema)]
struct ShownZone {
    id: i64,
    name: String,
    /// Countries, states (`DE:HH`), continents and postcodes; none for the rest of the world.
    locations: Vec<Location>,
    methods: Vec<ShownMethod>,
}

/// A place in a zone.
#[derive(Serialize, JsonSchema)]
struct Location {
    #[serde(rename = "type")]
    kind: String,
    code: String,
}

/// A way of sending.
#[derive(Serialize, JsonSchema)]
struct ShownMethod {
    method_id: String,
    instance_id: i64,
    title: String,
    enabled: bool,
    /// Costs and conditions as the shop wrote them.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Value>,
}

impl Tool for WcShipping {
    type Input = Input;
    type Plan = Plan;
    type Output = Output;

    fn spec(&self) -> ToolSpec {
        stated(
            "wc_shipping",
            "Lists shipping zones with their places and methods, with include_settings their costs.\nTells which zone serves \
             a country or postcode.",
        )
        .title("Shipping")
        .domains(&["commerce", "shipping"])
        .tags(&[
            "shipping", "delivery", "zone", "zones", "method", "methods", "rate", "rates", "carrier", "postage", "region",
            "flat", "pickup",
        ])
        .intents(&[
            "list shipping zones", "show delivery methods", "what are the shipping rates", "do we ship to a country",
        ])
        .example("list the shipping zones", json!({}))
        .example("what does shipping to Germany cost", json!({"country": "DE", "include_settings": true}))
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
        shop.check_tables(&snapshot, &TABLES).await?;
        let all = zones::read(&snapshot).await?;
        let chosen: Vec<&Zone> = match (&plan.place, plan.zone_id) {
            (Some(place), _) => zones::serving(&all, place).into_iter().collect(),
            (None, Some(id)) => vec![all.iter().find(|zone| zone.id == id).ok_or_else(|| missing(&all, id))?],
            (None, None) => all.iter().collect(),
        };
        let settings = Settings::read(&snapshot, &chosen).await?;
        let pickup = Options::read(
            &snapshot,
            &["woocommerce_pickup_location_settings", "pickup_location_pickup_locations"],
        )
        .await?;
        let mut unclassified: Vec<String> = Vec::new();
        let zones: Vec<ShownZone> =
            chosen.iter().map(|zone| shown(zone, plan, &settings, &mut unclassified)).collect();
        let reply = Reply::new(Output::Query(Zones {
            zones,
            pickup_locations: pickup
                .get("pickup_location_pickup_locations")
                .map(|_| settings::pickup_places(&pickup)),
        }));
        let allowed: Vec<&str> = SHOWN.iter().map(|(id, _)| *id).collect();
        let mut reply = reply
            .mode("query")
            .list("zones", Paging::Whole)
            .meta("total", chosen.len())
            .meta("source", snapshot.source())
            .meta("settings_included", plan.settings)
            .meta("allowlisted_method_types", json!(allowed))
            .meta("unclassified_methods", json!(unclassified))
            .meta("currency", shop.currency.as_str())
            .meta("order", "the first zone that holds a place serves it");
        if plan.settings && !unclassified.is_empty() {
            let message = format!(
                "Settings of {} are not shown: they may hold accounts and keys.",
                unclassified.join(", ")
            );
            reply = reply.warn(SETTINGS_OMITTED, message);
        }
        Ok(reply
            .warnings(plan.unused.clone())
            .warn(code::UNTRUSTED_CONTENT, "Names of zones and methods are the shop's own texts."))
    }
}

fn shown(zone: &Zone, plan: &Plan, settings: &Settings, unclassified: &mut Vec<String>) -> ShownZone {
    let methods = zone
        .methods
        .iter()
        .map(|method| {
            let own = settings.shown(&method.id, method.instance);
            if own.is_none() && method.id != PICKUP && !unclassified.contains(&method.id) {
                unclassified.push(method.id.clone());
            }
            ShownMethod {
                method_id: method.id.clone(),
                instance_id: method.instance,
                title: settings.title(&method.id, method.instance),
                enabled: method.enabled,
                settings: own.filter(|_| plan.settings),
            }
        })
        .collect();
    let locations = zone.places.iter().take(MOST_PLACES);
    ShownZone {
        id: zone.id,
        name: text::decode(&zone.name).into_owned(),
        locations: locations
            .map(|(kind, code)| Location { kind: kind.clone(), code: code.clone() })
            .collect(),
        methods,
    }
}

fn missing(zones: &[Zone], id: i64) -> ToolError {
    let known: Vec<Value> = zones.iter().map(|zone| json!({"id": zone.id, "name": zone.name})).collect();
    ToolError::new(ZONE_NOT_FOUND, format!("The shop has no shipping zone {id}.")).with("valid_zones", known)
}

fn schema(plan: Plan) -> Reply<Output> {
    let page = json!({
        "modes": ["schema", "query"],
        "filters": ["zone_id", "country", "state", "postcode"],
        "allowlisted_settings": SHOWN.iter().map(|(id, names)| json!({"method_id": id, "settings": names})).collect::<Vec<_>>(),
        "limits": {"locations": {"maximum": MOST_PLACES}},
        "risk": "read",
        "idempotent": true,
        "phpclaw_capability": "woocommerce.shipping.read",
        "woocommerce_capability": CAPABILITY,
    });
    let page = match page {
        Value::Object(page) => page,
        _ => Row::new(),
    };
    schema_reply(page, plan.unused).map(Output::Schema)
}
