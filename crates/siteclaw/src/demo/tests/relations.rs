//! Cached counts, lookups and links agree with what they are about.

use super::Demo;

#[tokio::test]
async fn counts_are_right() {
    let mut demo = Demo::new().await;
    demo.none(
        "SELECT p.ID FROM wp_posts p WHERE p.comment_count <> (SELECT COUNT(*) FROM wp_comments c WHERE \
         c.comment_post_ID=p.ID AND c.comment_approved='1')",
    )
    .await;
    demo.none(
        "SELECT x.term_id, x.count FROM wp_term_taxonomy x WHERE x.count <> (SELECT COUNT(*) FROM \
         wp_term_relationships r JOIN wp_posts p ON p.ID=r.object_id WHERE \
         r.term_taxonomy_id=x.term_taxonomy_id AND p.post_status='publish')",
    )
    .await;
    assert_eq!(
        demo.number(
            "SELECT COUNT(*) FROM wp_term_taxonomy x JOIN wp_terms t USING (term_id) WHERE x.count=0 AND \
             t.slug IN ('travel','never-used','clearance')"
        )
        .await,
        3
    );
    // A category of the shop counts what is below it, without products hidden from the catalogue.
    demo.none(
        "WITH RECURSIVE below(top, id) AS (SELECT term_id, term_id FROM wp_term_taxonomy WHERE \
         taxonomy='product_cat' UNION SELECT b.top, x.term_id FROM below b JOIN wp_term_taxonomy x ON \
         x.parent=b.id AND x.taxonomy='product_cat') SELECT m.term_id, m.meta_value FROM wp_termmeta m \
         WHERE m.meta_key='product_count_product_cat' AND m.meta_value+0 <> ( SELECT COUNT(DISTINCT p.ID) \
         FROM below b JOIN wp_term_relationships r ON r.term_taxonomy_id=b.id JOIN wp_posts p ON \
         p.ID=r.object_id AND p.post_status='publish' WHERE b.top=m.term_id AND NOT EXISTS (SELECT 1 FROM \
         wp_term_relationships h JOIN wp_terms t ON t.term_id=h.term_taxonomy_id WHERE h.object_id=p.ID \
         AND t.slug='exclude-from-catalog'))",
    )
    .await;
    demo.none(
        "SELECT l.product_id FROM wp_wc_product_meta_lookup l JOIN wp_posts p ON p.ID=l.product_id AND \
         p.post_type='product' WHERE l.total_sales <> COALESCE((SELECT SUM(q.product_qty) FROM \
         wp_wc_order_product_lookup q JOIN wp_wc_order_operational_data d ON d.order_id=q.order_id AND \
         d.recorded_sales=1 WHERE q.product_id=l.product_id),0)",
    )
    .await;
    demo.none(
        "SELECT l.product_id FROM wp_wc_product_meta_lookup l JOIN (SELECT c.comment_post_ID id, COUNT(*) \
         n, AVG(m.meta_value) a FROM wp_comments c JOIN wp_commentmeta m ON m.comment_id=c.comment_ID AND \
         m.meta_key='rating' WHERE c.comment_approved='1' GROUP BY 1) r ON r.id=l.product_id WHERE \
         l.rating_count <> r.n OR ABS(l.average_rating - r.a) > 0.0051",
    )
    .await;
    demo.none(
        "SELECT p.post_title FROM wp_posts p JOIN wp_postmeta m ON m.post_id=p.ID AND \
         m.meta_key='usage_count' WHERE p.post_type='shop_coupon' AND ( m.meta_value+0 <> (SELECT COUNT(*) \
         FROM wp_postmeta u WHERE u.post_id=p.ID AND u.meta_key='_used_by') OR m.meta_value+0 <> ( SELECT \
         COUNT(*) FROM wp_wc_order_coupon_lookup c JOIN wp_wc_order_operational_data d USING (order_id) \
         WHERE c.coupon_id=p.ID AND d.coupon_usages_are_counted=1))",
    )
    .await;
}

#[tokio::test]
async fn lookups_of_products_agree_with_their_meta() {
    let mut demo = Demo::new().await;
    let meta = |key: &str| {
        format!(
            "(SELECT m.meta_value FROM wp_postmeta m WHERE m.post_id=l.product_id AND m.meta_key='{key}')"
        )
    };
    demo.none(&format!(
        "SELECT l.product_id FROM wp_wc_product_meta_lookup l WHERE l.sku <> COALESCE({},'') OR \
         l.stock_status <> {} OR COALESCE(l.stock_quantity,'-') <> COALESCE({}+0.0,'-') OR l.tax_class <> \
         {}",
        meta("_sku"),
        meta("_stock_status"),
        meta("_stock"),
        meta("_tax_class")
    ))
    .await;
    demo.none(
        "SELECT l.product_id FROM wp_wc_product_meta_lookup l LEFT JOIN (SELECT post_id, MIN(meta_value+0) \
         low, MAX(meta_value+0) high FROM wp_postmeta WHERE meta_key='_price' GROUP BY 1) m ON \
         m.post_id=l.product_id WHERE ABS(l.min_price - COALESCE(m.low,0)) > 0.001 OR ABS(l.max_price - \
         COALESCE(m.high,0)) > 0.001",
    )
    .await;
    demo.none(
        "SELECT p.ID FROM wp_posts p LEFT JOIN wp_wc_product_meta_lookup l ON l.product_id=p.ID WHERE \
         p.post_type IN ('product','product_variation') AND l.product_id IS NULL",
    )
    .await;
    demo.none("SELECT sku FROM wp_wc_product_meta_lookup WHERE sku<>'' GROUP BY sku HAVING COUNT(*)>1").await;
    demo.none(
        "SELECT p.ID FROM wp_posts p WHERE p.post_type='product_variation' AND NOT EXISTS (SELECT 1 FROM \
         wp_posts q WHERE q.ID=p.post_parent AND q.post_type='product')",
    )
    .await;
}

#[tokio::test]
async fn nothing_points_into_the_void() {
    let mut demo = Demo::new().await;
    for (meta, owner, table, key) in [
        ("postmeta", "post_id", "posts", "ID"),
        ("usermeta", "user_id", "users", "ID"),
        ("commentmeta", "comment_id", "comments", "comment_ID"),
        ("termmeta", "term_id", "terms", "term_id"),
        ("wc_orders_meta", "order_id", "wc_orders", "id"),
        ("woocommerce_order_itemmeta", "order_item_id", "woocommerce_order_items", "order_item_id"),
        ("woocommerce_order_items", "order_id", "wc_orders", "id"),
        ("wc_order_addresses", "order_id", "wc_orders", "id"),
        ("comments", "comment_post_ID", "posts", "ID"),
        ("term_relationships", "object_id", "posts", "ID"),
        ("term_relationships", "term_taxonomy_id", "term_taxonomy", "term_taxonomy_id"),
        ("woocommerce_payment_tokenmeta", "payment_token_id", "woocommerce_payment_tokens", "token_id"),
        ("actionscheduler_logs", "action_id", "actionscheduler_actions", "action_id"),
        ("woocommerce_shipping_zone_locations", "zone_id", "woocommerce_shipping_zones", "zone_id"),
        ("posts", "post_author", "users", "ID"),
    ] {
        assert!(demo.number(&format!("SELECT COUNT(*) FROM wp_{meta}")).await > 0, "{meta}");
        demo.none(&format!(
            "SELECT m.{owner} FROM wp_{meta} m WHERE NOT EXISTS (SELECT 1 FROM wp_{table} t WHERE \
             t.{key}=m.{owner})"
        ))
        .await;
    }
    demo.none(
        "SELECT c.comment_ID FROM wp_comments c WHERE c.comment_parent<>0 AND NOT EXISTS (SELECT 1 FROM \
         wp_comments p WHERE p.comment_ID=c.comment_parent AND p.comment_post_ID=c.comment_post_ID AND \
         p.comment_date_gmt<=c.comment_date_gmt)",
    )
    .await;
    demo.none(
        "SELECT m.post_id FROM wp_postmeta m WHERE m.meta_key='_thumbnail_id' AND m.meta_value<>'0' AND \
         NOT EXISTS (SELECT 1 FROM wp_posts a WHERE a.ID=m.meta_value AND a.post_type='attachment')",
    )
    .await;
    demo.none("SELECT name FROM wp_terms GROUP BY term_id HAVING COUNT(*)>1").await;
    demo.none(
        "SELECT post_type, post_name FROM wp_posts WHERE post_name<>'' AND post_type NOT IN ('revision') \
         GROUP BY 1,2 HAVING COUNT(*)>1",
    )
    .await;
}

#[tokio::test]
async fn every_order_has_its_placeholder_and_trashed_things_their_past() {
    let mut demo = Demo::new().await;
    demo.none(
        "SELECT o.id FROM wp_wc_orders o LEFT JOIN wp_posts p ON p.ID=o.id AND \
         p.post_type='shop_order_placehold' AND p.post_status='draft' WHERE p.ID IS NULL OR \
         p.post_date_gmt<>o.date_created_gmt",
    )
    .await;
    assert_eq!(
        demo.number("SELECT COUNT(*) FROM wp_posts WHERE post_type='shop_order_placehold'").await,
        436
    );
    demo.none(
        "SELECT ID FROM wp_posts p WHERE post_status='trash' AND (post_name NOT LIKE '%\\_\\_trashed' \
         ESCAPE '\\' OR NOT EXISTS (SELECT 1 FROM wp_postmeta m WHERE m.post_id=p.ID AND \
         m.meta_key='_wp_trash_meta_status'))",
    )
    .await;
    demo.none(
        "SELECT id FROM wp_wc_orders o WHERE status='trash' AND NOT EXISTS (SELECT 1 FROM \
         wp_wc_orders_meta m WHERE m.order_id=o.id AND m.meta_key='_wp_trash_meta_status')",
    )
    .await;
    // A verified reviewer bought the product.
    demo.none(
        "SELECT c.comment_ID FROM wp_comments c JOIN wp_commentmeta m ON m.comment_id=c.comment_ID AND \
         m.meta_key='verified' AND m.meta_value='1' WHERE NOT EXISTS (SELECT 1 FROM wp_wc_orders o JOIN \
         wp_wc_order_product_lookup l ON l.order_id=o.id WHERE o.billing_email=c.comment_author_email AND \
         l.product_id=c.comment_post_ID AND o.date_created_gmt<c.comment_date_gmt)",
    )
    .await;
    // Paid before finished, and never before it was ordered.
    demo.none(
        "SELECT d.order_id FROM wp_wc_order_operational_data d JOIN wp_wc_orders o ON o.id=d.order_id \
         WHERE d.date_paid_gmt<=o.date_created_gmt OR d.date_completed_gmt<d.date_paid_gmt OR \
         (o.type='shop_order' AND (d.date_completed_gmt IS NOT NULL)<>(o.status='wc-completed'))",
    )
    .await;
}
