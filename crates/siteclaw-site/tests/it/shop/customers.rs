//! `wc_get_customer` on the shop, once in each of WooCommerce's two stores.
//!
//! Bert (2) paid 25 and 40 euros and ordered for 30 francs, which is on hold; Gina, a guest, paid 12.50 and cancelled 90;
//! Cleo (3) has a packed order of 5, which is not paid.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::{column, warnings};

const BOTH: [Store; 2] = [Store::Own, Store::Posts];

async fn shop(store: Store) -> Shop {
    let shop = Shop::new(store).await;
    shop.run(
        "INSERT INTO {p}wc_customer_lookup VALUES (1, 2, 'bert', 'Bert', 'Berg', 'bert@mail.example', '2026-02-01 10:00:00', 'DE', '24103', 'Kiel', ''), \
          (2, NULL, '', 'Gina', 'Guest', 'Guest@mail.example', NULL, 'AT', '1010', 'Wien', ''), (3, 3, 'cleo', 'Cleo', 'Clark', 'cleo@shop.example', '2026-03-01 11:00:00', 'DE', '24103', 'Kiel', ''), \
          (4, 1, 'anna', 'Anna', '', 'anna@shop.example', '2026-01-05 09:00:00', 'DE', '', '', '')",
    )
    .await;
    shop
}

#[tokio::test]
async fn a_customer_is_counted_as_woocommerce_counts() {
    for store in BOTH {
        let shop = shop(store).await;
        let door = shop.door();
        let answer = door.ask("wc_get_customer", json!({"customer_id": 2})).await;
        assert_eq!(
            answer["data"]["customers"],
            // The refund of ten is not taken off, as WooCommerce does not.
            json!([{"customer_id": 2, "order_count": 3, "total_spent": "65.00"}]),
            "{store:?}"
        );
        assert_eq!((&answer["meta"]["mode"], &answer["meta"]["count"]), (&json!("lookup"), &json!(1)));
        assert_eq!(warnings(&answer), Vec::<String>::new());
        let columns = json!([
            "is_guest",
            "average_order",
            "first_order",
            "last_order",
            "spent_by_currency",
            "is_returning",
            "registered",
            "country",
            "name",
            "email",
            "city"
        ]);
        let more = door.ask("wc_get_customer", json!({"customer_id": 2, "columns": columns})).await;
        assert_eq!(
            more["data"]["customers"][0],
            json!({"is_guest": false, "average_order": "32.50", "first_order": "2026-10-31 23:30:00", "last_order": "2026-11-11 13:00:00",
                   "spent_by_currency": {"EUR": "65.00"}, "is_returning": true, "registered": "2026-02-01 11:00:00", "country": "DE",
                   "name": "Bert Berg", "email": "bert@mail.example", "city": "Kiel"}),
            "{store:?}"
        );
        assert_eq!(warnings(&more), ["SENSITIVE_DATA", "UNTRUSTED_CONTENT"]);
        let none = door.ask("wc_get_customer", json!({"customer_id": 1, "columns": ["customer_id", "order_count", "total_spent", "last_order", "average_order"]})).await;
        assert_eq!(
            none["data"]["customers"],
            json!([{"customer_id": 1, "order_count": 0, "total_spent": "0.00", "last_order": null, "average_order": null}])
        );
        assert_eq!(
            door.refused("wc_get_customer", json!({"customer_id": 99})).await["code"],
            "CUSTOMER_NOT_FOUND"
        );
        assert_eq!(
            door.refused("wc_get_customer", json!({"customer_id": 0})).await["code"],
            "INVALID_CUSTOMER_ID"
        );
        assert_eq!(door.refused("wc_get_customer", json!({})).await["code"], "INVALID_ARGUMENT");
    }
}

#[tokio::test]
async fn customers_are_listed_with_guests_among_them() {
    let rows = |answer: &Value| -> Value {
        let rows = answer["data"]["customers"].as_array().unwrap().iter();
        rows.map(|row| json!([row["customer_id"], row["is_guest"], row["order_count"], row["total_spent"]]))
            .collect()
    };
    let (bert, gina, cleo) =
        (json!([2, false, 3, "65.00"]), json!([null, true, 2, "12.50"]), json!([3, false, 1, "0.00"]));
    for store in BOTH {
        let shop = shop(store).await;
        let door = shop.door();
        for (arguments, wanted) in [
            (json!({"orderby": "total_spent"}), json!([bert, gina, cleo])),
            (json!({"orderby": "order_count", "order": "ASC"}), json!([cleo, gina, bert])),
            (json!({"orderby": "last_order"}), json!([cleo, gina, bert])),
            (json!({"orderby": "first_order", "order": "ASC", "limit": 1}), json!([bert])),
            (json!({"search": "gina"}), json!([gina])),
            (json!({"search": "GUEST@mail"}), json!([gina])),
            (json!({"search": "bert berg"}), json!([bert])),
            (json!({"search": "mail.example"}), json!([bert, gina])),
            (json!({"search": "anna"}), json!([])),
            (json!({"date_after": "2026-11-12"}), json!([[null, true, 1, "0.00"], cleo])),
        ] {
            let mut asked = arguments.clone();
            asked["columns"] = json!(["customer_id", "is_guest", "order_count", "total_spent"]);
            let answer = door.ask("wc_get_customer", asked).await;
            let mut found = rows(&answer);
            if arguments.get("date_after").is_some() {
                // Both spent nothing in the time, so their ids decide.
                found.as_array_mut().unwrap().sort_by_key(|row| row[0].is_number());
            }
            assert_eq!(found, wanted, "{store:?} {arguments}");
            if arguments.get("limit").is_none() {
                assert_eq!(
                    answer["meta"]["total"],
                    wanted.as_array().unwrap().len(),
                    "{store:?} {arguments}"
                );
            }
        }
        let counts = door.ask("wc_get_customer", json!({"aggregate": true})).await;
        assert_eq!(
            counts["data"],
            json!({"customers": 3, "members": 2, "guests": 1, "returning": 2, "orders": 6}),
            "{store:?}"
        );
        let all = door.ask("wc_get_customer", json!({"orderby": "total_spent", "columns": ["*"]})).await;
        for hidden in ["name", "email", "city", "postcode"] {
            assert!(all["data"]["customers"][0].get(hidden).is_none(), "{hidden}");
        }
        assert_eq!(column(&all["data"]["customers"], "country"), ["DE", "AT", "DE"]);
    }
}
