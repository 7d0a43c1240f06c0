//! `wc_shipping` on the shop.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::{column, warnings};

async fn shop() -> Shop {
    let shop = Shop::new(Store::Own).await;
    shop.run(
        "INSERT INTO {p}woocommerce_shipping_zones VALUES (1, 'Germany', 1), (2, 'Kiel &amp; around', 0), (3, 'Europe', 2);\
         INSERT INTO {p}woocommerce_shipping_zone_locations VALUES (1, 1, 'DE', 'country'), (2, 2, 'DE', 'country'), (3, 2, '24100...24159', 'postcode'), (4, 3, 'EU', 'continent');\
         INSERT INTO {p}woocommerce_shipping_zone_methods VALUES (1, 1, 'flat_rate', 1, 1), (1, 2, 'free_shipping', 2, 0), (2, 3, 'local_pickup', 1, 1), (3, 4, 'parcel_api', 1, 1), (0, 5, 'flat_rate', 1, 1);\
         INSERT INTO {p}terms VALUES (60, 'Bulky', 'bulky');\
         INSERT INTO {p}term_taxonomy VALUES (60, 60, 'product_shipping_class', 0);\
         INSERT INTO {p}options (option_name, option_value, autoload) VALUES \
          ('woocommerce_flat_rate_1_settings', 'a:5:{s:5:\"title\";s:6:\"Parcel\";s:4:\"cost\";s:4:\"4.90\";s:13:\"class_cost_60\";s:5:\"12.00\";s:13:\"no_class_cost\";s:1:\"0\";s:7:\"api_key\";s:15:\"PLANTED-carrier\";}', 'on'), \
          ('woocommerce_free_shipping_2_settings', 'a:2:{s:8:\"requires\";s:10:\"min_amount\";s:10:\"min_amount\";s:2:\"60\";}', 'on'), \
          ('woocommerce_parcel_api_4_settings', 'a:2:{s:5:\"title\";s:7:\"Courier\";s:7:\"account\";s:15:\"PLANTED-account\";}', 'on')",
    )
    .await;
    shop
}

#[tokio::test]
async fn zones_come_in_the_order_in_which_they_are_looked_through() {
    let shop = shop().await;
    let door = shop.door();
    let answer = door.ask("wc_shipping", json!({})).await;
    let zones = &answer["data"]["zones"];
    assert_eq!(column(zones, "id"), [2, 1, 3, 0]);
    assert_eq!(column(zones, "name"), ["Kiel & around", "Germany", "Europe", "Rest of the world"]);
    assert_eq!(
        zones[1]["methods"],
        json!([
            {"method_id": "flat_rate", "instance_id": 1, "title": "Parcel", "enabled": true},
            // It was saved as it came, so it has the title it comes with.
            {"method_id": "free_shipping", "instance_id": 2, "title": "Free shipping", "enabled": false},
        ])
    );
    assert_eq!(zones[0]["locations"][1], json!({"type": "postcode", "code": "24100...24159"}));
    assert_eq!(answer["meta"]["unclassified_methods"], json!(["parcel_api"]));
    assert_eq!(warnings(&answer), ["UNTRUSTED_CONTENT"]);
    assert_eq!(answer["data"]["pickup_locations"], Value::Null);
}

#[tokio::test]
async fn the_zone_that_serves_a_place_is_found() {
    let shop = shop().await;
    let door = shop.door();
    for (arguments, wanted) in [
        (json!({"country": "DE", "postcode": "24103"}), 2),
        (json!({"country": "DE", "postcode": "10115"}), 1),
        (json!({"country": "AT"}), 3),
        (json!({"country": "US", "state": "CA"}), 0),
        (json!({"zone_id": 3}), 3),
        (json!({"zone_id": 0}), 0),
    ] {
        let answer = door.ask("wc_shipping", arguments.clone()).await;
        assert_eq!(column(&answer["data"]["zones"], "id"), [wanted], "{arguments}");
    }
    let error = door.refused("wc_shipping", json!({"zone_id": 9})).await;
    assert_eq!(error["code"], "ZONE_NOT_FOUND");
    assert_eq!(error["valid_zones"].as_array().unwrap().len(), 4);
    for (arguments, code) in [
        (json!({"postcode": "24103"}), "INVALID_ARGUMENT"),
        (json!({"country": "Germany"}), "INVALID_ARGUMENT"),
        (json!({"country": "DE", "zone_id": 1}), "CONFLICTING_MODES"),
    ] {
        assert_eq!(door.refused("wc_shipping", arguments.clone()).await["code"], code, "{arguments}");
    }
}

#[tokio::test]
async fn settings_are_those_on_the_list_alone() {
    let shop = shop().await;
    let answer = shop.door().ask("wc_shipping", json!({"include_settings": true})).await;
    let zones = &answer["data"]["zones"];
    assert_eq!(
        zones[1]["methods"][0]["settings"],
        json!({"title": "Parcel", "cost": "4.90", "no_class_cost": "0", "class_costs": {"Bulky": "12.00"}})
    );
    assert_eq!(zones[1]["methods"][1]["settings"], json!({"requires": "min_amount", "min_amount": "60"}));
    assert!(zones[2]["methods"][0].get("settings").is_none());
    assert_eq!(zones[2]["methods"][0]["title"], "Courier");
    assert!(!answer.to_string().contains("PLANTED"), "{answer}");
    assert_eq!(warnings(&answer), ["SETTINGS_OMITTED", "UNTRUSTED_CONTENT"]);
    shop.run("DROP TABLE {p}woocommerce_shipping_zone_locations").await;
    let error = shop.door().refused("wc_shipping", json!({})).await;
    assert_eq!(error["code"], "TABLE_MISSING");
    assert!(
        error["message"].as_str().unwrap().contains("corner_woocommerce_shipping_zone_locations"),
        "{error}"
    );
}
