//! `wc_reviews` on the shop.

use serde_json::{Value, json};

use super::{Shop, Store};
use crate::door::{column, warnings};

/// Beside the one that waits since the 24th: four of the mug (5, 4, 1, and one in the bin), one of the lamp (2), an
/// answer to the bad one, and an old one that only its stars tell from a comment.
async fn shop() -> Shop {
    let shop = Shop::new(Store::Own).await;
    for (id, product, day, status, kind, parent, stars, text) in [
        (20, 10, 1, "1", "review", 0, "5", "Lovely <b>mug</b>"),
        (21, 10, 2, "1", "review", 0, "4", "Good"),
        (22, 10, 3, "1", "review", 0, "1", "It broke"),
        (23, 10, 4, "1", "comment", 22, "", "We are sorry"),
        (24, 16, 5, "1", "review", 0, "2", "Dim"),
        (25, 10, 6, "trash", "review", 0, "1", "x"),
        (26, 16, 7, "spam", "review", 0, "5", "Buy"),
        (27, 11, 8, "1", "", 0, "3", "Old shop"),
        (28, 11, 9, "1", "comment", 0, "", "A question"),
    ] {
        shop.run(&format!(
            "INSERT INTO {{p}}comments VALUES ({id}, {product}, 'Gina', 'g@mail.example', '', '198.51.100.9', '2026-11-0{day} 12:00:00', '2026-11-0{day} 11:00:00', '{text}', '{status}', 'Agent', '{kind}', {parent}, 0)"
        ))
        .await;
        if !stars.is_empty() {
            let key = if id == 27 { "_wc_rating" } else { "rating" };
            shop.run(&format!("INSERT INTO {{p}}commentmeta (comment_id, meta_key, meta_value) VALUES ({id}, '{key}', '{stars}'), ({id}, 'verified', '{}')", id % 2)).await;
        }
    }
    shop
}

#[tokio::test]
async fn reviews_are_listed_the_newest_first_without_answers() {
    let shop = shop().await;
    let door = shop.door();
    let answer = door.ask("wc_reviews", json!({})).await;
    let rows = &answer["data"]["reviews"];
    assert_eq!(column(rows, "id"), [4, 27, 24, 22, 21, 20]);
    assert_eq!(
        rows[5],
        json!({"id": 20, "product_id": 10, "product_name": "Mug", "author": "Gina", "rating": 5, "status": "approved", "date": "2026-11-01 12:00:00", "preview": "Lovely mug"})
    );
    assert_eq!((&rows[0]["rating"], &rows[0]["status"]), (&Value::Null, &json!("pending")));
    assert_eq!(warnings(&answer), ["UNTRUSTED_CONTENT"]);
    for (arguments, wanted) in [
        (json!({"status": "pending"}), json!([4])),
        (json!({"status": "approved", "product_id": 10}), json!([22, 21, 20])),
        (json!({"status": "spam"}), json!([26])),
        (json!({"status": "trash"}), json!([25])),
        (json!({"min_rating": 4}), json!([21, 20])),
        (json!({"max_rating": 2}), json!([24, 22])),
        (json!({"max_rating": 2, "unanswered": true}), json!([24])),
        (json!({"search": "BROKE"}), json!([22])),
        (json!({"date_after": "2026-11-03", "date_before": "2026-11-05"}), json!([24, 22])),
        (json!({"limit": 2, "offset": 1}), json!([27, 24])),
    ] {
        let answer = door.ask("wc_reviews", arguments.clone()).await;
        assert_eq!(json!(column(&answer["data"]["reviews"], "id")), wanted, "{arguments}");
    }
    let named = door.ask("wc_reviews", json!({"columns": ["author_email", "verified", "answered"], "product_id": 10, "status": "approved"})).await;
    assert_eq!(
        named["data"]["reviews"][0],
        json!({"author_email": "g@mail.example", "verified": false, "answered": true})
    );
    assert_eq!(warnings(&named), ["SENSITIVE_DATA"]);
    let all = door.ask("wc_reviews", json!({"columns": ["*"]})).await;
    assert!(all["data"]["reviews"][0].get("author_email").is_none());
    for wrong in [0, 6] {
        assert_eq!(door.refused("wc_reviews", json!({"min_rating": wrong})).await["code"], "INVALID_RATING");
    }
}

#[tokio::test]
async fn the_average_is_over_all_approved_ratings() {
    let shop = shop().await;
    let door = shop.door();
    let answer = door.ask("wc_reviews", json!({"aggregate": true, "min_reviews": 1})).await;
    let ranked = |id: i64, name: &str, average: &str, reviews: i64| json!({"product_id": id, "name": name, "average_rating": average, "reviews": reviews});
    let (mug, lamp, shirt) =
        (ranked(10, "Mug", "3.33", 3), ranked(16, "Lamp", "2.00", 1), ranked(11, "T-Shirt", "3.00", 1));
    assert_eq!(
        answer["data"],
        json!({
            "total_reviews": 6, "by_status": {"approved": 5, "pending": 1, "spam": 1, "trash": 1},
            // 5 + 4 + 1 + 2 + 3 by 5.
            "average_rating": "3.00", "rated_sample": 5, "by_rating": {"1": 1, "2": 1, "3": 1, "4": 1, "5": 1},
            "best": [mug, shirt, lamp], "worst": [lamp, shirt, mug]
        })
    );
    let few = door.ask("wc_reviews", json!({"aggregate": true})).await;
    assert_eq!(few["data"]["best"].as_array().unwrap().len(), 1, "one product has three reviews");
    let none = door.ask("wc_reviews", json!({"aggregate": true, "product_id": 20})).await;
    assert_eq!((&none["data"]["average_rating"], &none["data"]["rated_sample"]), (&Value::Null, &json!(0)));
}
