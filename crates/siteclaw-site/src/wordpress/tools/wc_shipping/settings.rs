//! What may be shown of a method's settings: costs and conditions of WooCommerce's own methods, by a list. Others keep
//! accounts and keys there.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use siteclaw_core::ToolError;
use siteclaw_db::Statement;
use siteclaw_php::PhpValue;

use super::zones::Zone;
use crate::wordpress::options::{Options, decode};
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;

/// Method → the settings that may be shown.
pub(super) const SHOWN: [(&str, &[&str]); 3] = [
    ("flat_rate", &["title", "tax_status", "cost"]),
    ("free_shipping", &["title", "requires", "min_amount", "ignore_discounts"]),
    ("local_pickup", &["title", "tax_status", "cost"]),
];
/// The method of the checkout block's pickup places.
pub(super) const PICKUP: &str = "pickup_location";
/// Method → the title it has until somebody gives it another.
const TITLES: [(&str, &str); 4] = [
    ("flat_rate", "Flat rate"),
    ("free_shipping", "Free shipping"),
    ("local_pickup", "Local pickup"),
    (PICKUP, "Pickup"),
];
const CLASS_COST: &str = "class_cost_";

/// The settings of all methods, and the names of shipping classes.
#[derive(Default)]
pub(super) struct Settings {
    methods: BTreeMap<i64, PhpValue>,
    classes: BTreeMap<i64, String>,
}

impl Settings {
    /// Reads the settings of the zones' methods.
    pub(super) async fn read(snapshot: &Snapshot, zones: &[&Zone]) -> Result<Self, ToolError> {
        let instances: Vec<(i64, String)> = zones
            .iter()
            .flat_map(|zone| &zone.methods)
            .map(|method| {
                (method.instance, format!("woocommerce_{}_{}_settings", method.id, method.instance))
            })
            .collect();
        if instances.is_empty() {
            return Ok(Self::default());
        }
        let names: Vec<&str> = instances.iter().map(|(_, name)| name.as_str()).collect();
        let options = Options::read(snapshot, &names).await?;
        let methods = instances
            .iter()
            .filter_map(|(instance, name)| Some((*instance, decode(options.get(name)?)?)))
            .collect();
        let statement = Statement::new(
            "SELECT t.term_id, t.name FROM {terms} t JOIN {term_taxonomy} tt ON tt.term_id = t.term_id \
             WHERE tt.taxonomy = 'product_shipping_class' ORDER BY t.term_id",
        );
        let mut classes = BTreeMap::new();
        for row in snapshot.rows(&statement).await?.iter() {
            classes.insert(row.i64("term_id")?, text::decode(&row.text("name")?).into_owned());
        }
        Ok(Self { methods, classes })
    }

    /// The title, or the one a method of this kind has by itself.
    pub(super) fn title(&self, method: &str, instance: i64) -> String {
        let own = self.methods.get(&instance).and_then(|settings| settings.get("title"));
        let own = own.and_then(PhpValue::to_text).filter(|title| !title.is_empty());
        let usual = || TITLES.iter().find(|(id, _)| *id == method).map_or(method, |(_, title)| title);
        text::decode(&own.unwrap_or_else(|| usual().to_owned())).into_owned()
    }

    /// What may be shown; `None` for a method that is not on the list.
    pub(super) fn shown(&self, method: &str, instance: i64) -> Option<Value> {
        let (_, names) = SHOWN.iter().find(|(id, _)| *id == method)?;
        let Some(settings) = self.methods.get(&instance) else { return Some(json!({})) };
        let mut shown = Map::new();
        for name in *names {
            if let Some(value) = settings.get(name).and_then(PhpValue::to_text) {
                shown.insert((*name).to_owned(), json!(value));
            }
        }
        if method == "flat_rate" {
            let mut costs = Map::new();
            for (key, value) in settings.as_array().into_iter().flat_map(|settings| settings.iter()) {
                let (key, value) = (key.to_text(), value.to_text().filter(|cost| !cost.is_empty()));
                let class = key.strip_prefix(CLASS_COST).and_then(|id| id.parse::<i64>().ok());
                if let (Some(class), Some(cost)) = (class, &value) {
                    let name = self.classes.get(&class).cloned().unwrap_or_else(|| format!("class {class}"));
                    costs.insert(name, json!(cost));
                }
                if let Some(cost) = value.filter(|_| key == "no_class_cost") {
                    shown.insert("no_class_cost".to_owned(), json!(cost));
                }
            }
            if !costs.is_empty() {
                shown.insert("class_costs".to_owned(), Value::Object(costs));
            }
        }
        Some(Value::Object(shown))
    }
}

/// The places where customers of the checkout block may fetch their goods.
pub(super) fn pickup_places(options: &Options) -> Value {
    let stored = options.serialised("pickup_location_pickup_locations");
    let places = stored.as_ref().and_then(PhpValue::as_array).into_iter().flat_map(|list| list.values());
    places
        .map(|place| {
            let of = |path: &[&str]| place.at(path).and_then(PhpValue::to_text).unwrap_or_default();
            json!({
                "name": of(&["name"]),
                "address": {
                    "address_1": of(&["address", "address_1"]),
                    "city": of(&["address", "city"]),
                    "state": of(&["address", "state"]),
                    "postcode": of(&["address", "postcode"]),
                    "country": of(&["address", "country"]),
                },
                "details": text::plain(&of(&["details"])),
                "enabled": place.get("enabled").and_then(PhpValue::to_bool).unwrap_or(false),
            })
        })
        .collect()
}
