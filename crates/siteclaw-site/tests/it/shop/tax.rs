//! `wc_tax` on the shop.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::column;

async fn shop() -> Shop {
    let shop = Shop::new(Store::Own).await;
    shop.run(
        "INSERT INTO {p}woocommerce_tax_rates VALUES (1, 'DE', '', '19.0000', 'MwSt.', 1, 0, 1, 0, ''), (2, 'DE', '', '7.0000', 'MwSt. erm.', 1, 0, 1, 1, 'reduced-rate'), \
          (3, 'AT', '', '20.0000', 'USt.', 1, 0, 1, 2, ''), (4, '', '', '2.5000', 'Levy', 2, 1, 0, 3, ''), (5, 'US', 'CA', '7.2500', 'CA', 1, 0, 1, 4, 'books');\
         INSERT INTO {p}woocommerce_tax_rate_locations VALUES (1, '90210', 5, 'postcode'), (2, '90211', 5, 'postcode'), (3, 'LA', 5, 'city');\
         INSERT INTO {p}wc_tax_rate_classes VALUES (1, 'Reduced rate', 'reduced-rate'), (2, 'Zero rate', 'zero-rate');\
         INSERT INTO {p}options (option_name, option_value, autoload) VALUES ('woocommerce_calc_taxes', 'yes', 'on'), ('woocommerce_default_country', 'DE:SH', 'on'), ('woocommerce_shipping_tax_class', 'inherit', 'on')",
    )
    .await;
    shop
}

#[tokio::test]
async fn rates_that_apply_in_a_country_are_those_for_all_countries_too() {
    let shop = shop().await;
    let door = shop.door();
    for (arguments, wanted) in [
        (json!({}), json!([1, 2, 3, 5, 4])),
        (json!({"country": "de"}), json!([1, 2, 4])),
        (json!({"country": "FR"}), json!([4])),
        (json!({"tax_class": "standard"}), json!([1, 3, 4])),
        (json!({"tax_class": "reduced-rate"}), json!([2])),
        (json!({"tax_class": "zero-rate"}), json!([])),
        // No class of the shop, but a rate names it.
        (json!({"tax_class": "books"}), json!([5])),
        (json!({"limit": 2, "offset": 3}), json!([5, 4])),
    ] {
        let answer = door.ask("wc_tax", arguments.clone()).await;
        assert_eq!(json!(column(&answer["data"]["rates"], "id")), wanted, "{arguments}");
    }
    let answer = door.ask("wc_tax", json!({"columns": ["class", "country", "state", "rate", "compound", "postcode_count", "city_count"]})).await;
    let rates = &answer["data"]["rates"];
    assert_eq!(
        rates[0],
        json!({"class": "standard", "country": "DE", "state": null, "rate": "19", "compound": false, "postcode_count": 0, "city_count": 0})
    );
    assert_eq!(
        rates[3],
        json!({"class": "books", "country": "US", "state": "CA", "rate": "7.25", "compound": false, "postcode_count": 2, "city_count": 1})
    );
    assert_eq!((&rates[4]["country"], &rates[4]["compound"]), (&Value::Null, &json!(true)));
    assert_eq!(
        (&answer["meta"]["rate_unit"], &answer["meta"]["tax_enabled"]),
        (&json!("percent"), &json!(true))
    );
    let error = door.refused("wc_tax", json!({"tax_class": "reduced"})).await;
    assert_eq!(error["code"], "UNKNOWN_TAX_CLASS");
    assert_eq!(error["valid_tax_classes"], json!(["books", "reduced-rate", "standard", "zero-rate"]));
    assert_eq!(door.refused("wc_tax", json!({"country": "Germany"})).await["code"], "INVALID_COUNTRY");
}

#[tokio::test]
async fn how_tax_is_set_up_is_told_with_what_lacks() {
    let shop = shop().await;
    let door = shop.door();
    let answer = door.ask("wc_tax", json!({"aggregate": true})).await;
    let data = &answer["data"];
    assert_eq!(
        (
            &data["tax_enabled"],
            &data["prices_include_tax"],
            &data["display_in_shop"],
            &data["tax_based_on"],
            &data["shipping_tax_class"],
            &data["base_country"]
        ),
        (&json!(true), &json!(false), &json!("excl"), &json!("shipping"), &json!("inherit"), &json!("DE"))
    );
    assert_eq!((&data["total_rates"], &data["total_rate_locations"]), (&json!(5), &json!(3)));
    assert_eq!(data["rates_by_country"], json!({"DE": 2, "*": 1, "AT": 1, "US": 1}));
    assert_eq!(data["eu_countries_without_rate"], json!([]), "one rate is for all countries");
    shop.run("DELETE FROM {p}woocommerce_tax_rates WHERE tax_rate_id = 4").await;
    let without = shop.door().ask("wc_tax", json!({"aggregate": true})).await;
    let missing = without["data"]["eu_countries_without_rate"].as_array().unwrap().clone();
    assert_eq!(missing.len(), 25, "27 members less Germany and Austria");
    assert!(missing.contains(&json!("FR")) && !missing.contains(&json!("DE")));
}
