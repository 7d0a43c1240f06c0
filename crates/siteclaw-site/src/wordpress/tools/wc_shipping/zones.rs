//! Zones, their places and methods, and which of them serves a place.

use std::collections::BTreeMap;

use siteclaw_core::ToolError;
use siteclaw_db::Statement;

use super::input::Place;
use crate::wordpress::site::Snapshot;
use crate::wordpress::woo::places::{is_on, postcode_matches};

/// The tables of zones; a shop that has never saved a zone may lack rows, never tables.
pub(super) const TABLES: [&str; 3] = [
    "woocommerce_shipping_zones",
    "woocommerce_shipping_zone_locations",
    "woocommerce_shipping_zone_methods",
];

/// A zone in the order in which WooCommerce looks for one.
pub(super) struct Zone {
    pub(super) id: i64,
    pub(super) name: String,
    /// Type and code: country, state, continent or postcode.
    pub(super) places: Vec<(String, String)>,
    pub(super) methods: Vec<Method>,
}

/// A way of sending in a zone.
pub(super) struct Method {
    pub(super) id: String,
    pub(super) instance: i64,
    pub(super) enabled: bool,
}

/// All zones by their order, the rest of the world last.
pub(super) async fn read(snapshot: &Snapshot) -> Result<Vec<Zone>, ToolError> {
    let zones = Statement::new(
        "SELECT zone_id, zone_name FROM {woocommerce_shipping_zones} ORDER BY zone_order, zone_id LIMIT 1000",
    );
    let mut all = Vec::new();
    for row in snapshot.rows(&zones).await?.iter() {
        all.push(Zone {
            id: row.i64("zone_id")?,
            name: row.text("zone_name")?,
            places: Vec::new(),
            methods: Vec::new(),
        });
    }
    all.push(Zone { id: 0, name: "Rest of the world".to_owned(), places: Vec::new(), methods: Vec::new() });
    let index: BTreeMap<i64, usize> = all.iter().enumerate().map(|(index, zone)| (zone.id, index)).collect();
    let places = Statement::new(
        "SELECT zone_id, location_type, location_code FROM {woocommerce_shipping_zone_locations} \
         ORDER BY zone_id, location_id",
    );
    for row in snapshot.rows(&places).await?.iter() {
        if let Some(zone) = index.get(&row.i64("zone_id")?).and_then(|index| all.get_mut(*index)) {
            zone.places.push((row.text("location_type")?, row.text("location_code")?));
        }
    }
    let methods = Statement::new(
        "SELECT zone_id, instance_id, method_id, is_enabled FROM {woocommerce_shipping_zone_methods} \
         ORDER BY zone_id, method_order, instance_id",
    );
    for row in snapshot.rows(&methods).await?.iter() {
        if let Some(zone) = index.get(&row.i64("zone_id")?).and_then(|index| all.get_mut(*index)) {
            zone.methods.push(Method {
                id: row.text("method_id")?,
                instance: row.i64("instance_id")?,
                enabled: row.bool("is_enabled")?,
            });
        }
    }
    Ok(all)
}

/// The zone that serves a place: the first one that holds it, however exactly, and its postcode where it names
/// any (`WC_Shipping_Zone_Data_Store::get_zone_id_from_package()`); else the rest of the world.
pub(super) fn serving<'a>(zones: &'a [Zone], place: &Place) -> Option<&'a Zone> {
    let holds = |zone: &&Zone| {
        let is = |kind: &'static str| {
            zone.places.iter().filter(move |(found, _)| found == kind).map(|(_, code)| code)
        };
        let state = format!("{}:{}", place.country, place.state);
        let named = zone.places.iter().any(|(kind, _)| kind != "postcode");
        let by_place = !named
            || is("country").any(|code| *code == place.country)
            || (!place.state.is_empty() && is("state").any(|code| *code == state))
            || is("continent").any(|code| is_on(&place.country, code));
        let postcodes: Vec<&String> = is("postcode").collect();
        let by_postcode =
            postcodes.is_empty() || postcodes.iter().any(|rule| postcode_matches(&place.postcode, rule));
        zone.id != 0 && by_place && by_postcode
    };
    zones.iter().find(holds).or_else(|| zones.iter().find(|zone| zone.id == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(id: i64, places: &[(&str, &str)]) -> Zone {
        let places = places.iter().map(|(kind, code)| ((*kind).to_owned(), (*code).to_owned())).collect();
        Zone { id, name: String::new(), places, methods: Vec::new() }
    }

    #[test]
    fn the_first_zone_that_holds_a_place_serves_it() {
        let zones = [
            zone(4, &[("country", "DE"), ("postcode", "24*")]),
            zone(1, &[("country", "DE")]),
            zone(2, &[("state", "US:CA")]),
            zone(3, &[("continent", "EU")]),
            zone(5, &[("country", "FR")]),
            zone(0, &[]),
        ];
        for (country, state, postcode, expected) in [
            ("DE", "", "24103", 4),
            ("DE", "", "10115", 1),
            ("DE", "", "", 1),
            ("US", "CA", "", 2),
            ("US", "NY", "", 0),
            // The continent stands before it.
            ("FR", "", "", 3),
            ("JP", "", "", 0),
        ] {
            let place =
                Place { country: country.to_owned(), state: state.to_owned(), postcode: postcode.to_owned() };
            assert_eq!(
                serving(&zones, &place).map(|zone| zone.id),
                Some(expected),
                "{country} {state} {postcode}"
            );
        }
    }
}
