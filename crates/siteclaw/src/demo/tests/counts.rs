//! What the demo promises, counted by plain SQL.

use super::Demo;

#[tokio::test]
async fn content_is_as_promised() {
    let mut demo = Demo::new().await;
    assert_eq!(
        demo.rows("SELECT post_status, COUNT(*) FROM wp_posts WHERE post_type='post' GROUP BY 1 ORDER BY 1")
            .await,
        ["auto-draft|4", "draft|28", "future|8", "pending|12", "private|10", "publish|232", "trash|6"]
    );
    assert_eq!(
        demo.rows("SELECT post_status, COUNT(*) FROM wp_posts WHERE post_type='page' GROUP BY 1 ORDER BY 1")
            .await,
        ["draft|2", "private|1", "publish|14", "trash|1"]
    );
    assert_eq!(
        demo.rows(
            "SELECT comment_approved, COUNT(*) FROM wp_comments WHERE comment_type IN \
             ('comment','pingback') GROUP BY 1 ORDER BY 1"
        )
        .await,
        ["0|40", "1|404", "spam|46", "trash|10"]
    );
    assert_eq!(
        demo.rows(
            "SELECT comment_approved, COUNT(*) FROM wp_comments WHERE comment_type='review' GROUP BY 1 \
             ORDER BY 1"
        )
        .await,
        ["0|24", "1|214", "spam|16", "trash|6"]
    );
    let mut by_role = Vec::new();
    for role in ["administrator", "editor", "author", "contributor", "shop_manager", "customer", "subscriber"]
    {
        let sql = format!(
            "SELECT COUNT(*) FROM wp_usermeta WHERE meta_key='wp_capabilities' AND meta_value LIKE \
             '%\"{role}\";b:1%'"
        );
        by_role.push(demo.number(&sql).await);
    }
    // One user is author and shop manager, one is nothing: 61 roles for 60 users less one.
    assert_eq!(by_role, [2, 3, 7, 4, 3, 33, 8]);
    assert_eq!(demo.number("SELECT COUNT(*) FROM wp_users").await, 60);
    assert_eq!(
        demo.number(
            "SELECT COUNT(*) FROM wp_usermeta WHERE meta_key='wp_capabilities' AND meta_value='a:0:{}'"
        )
        .await,
        1
    );
    assert_eq!(
        demo.number(
            "SELECT COUNT(*) FROM wp_posts WHERE post_type='post' AND post_status='draft' AND \
             post_date_gmt='0000-00-00 00:00:00'"
        )
        .await,
        22
    );
    assert_eq!(
        demo.number("SELECT COUNT(*) FROM wp_posts WHERE post_type='post' AND post_password<>''").await,
        3
    );
    assert!(demo.number("SELECT COUNT(*) FROM wp_comments WHERE comment_parent<>0").await > 80);
}

#[tokio::test]
async fn the_shop_is_as_promised() {
    let mut demo = Demo::new().await;
    assert_eq!(
        demo.rows(
            "SELECT t.slug, COUNT(*) FROM wp_posts p JOIN wp_term_relationships r ON r.object_id=p.ID JOIN \
             wp_term_taxonomy x ON x.term_taxonomy_id=r.term_taxonomy_id AND x.taxonomy='product_type' \
             JOIN wp_terms t ON t.term_id=x.term_id WHERE p.post_type='product' GROUP BY 1 ORDER BY 1"
        )
        .await,
        ["external|10", "grouped|6", "simple|150", "variable|34"]
    );
    assert_eq!(
        demo.rows(
            "SELECT post_status, COUNT(*) FROM wp_posts WHERE post_type='product' GROUP BY 1 ORDER BY 1"
        )
        .await,
        ["draft|10", "pending|3", "private|5", "publish|182"]
    );
    assert_eq!(
        demo.rows("SELECT status, COUNT(*) FROM wp_wc_orders WHERE type='shop_order' GROUP BY 1 ORDER BY 1")
            .await,
        [
            "trash|14",
            "wc-cancelled|26",
            "wc-checkout-draft|20",
            "wc-completed|214",
            "wc-failed|16",
            "wc-on-hold|18",
            "wc-pending|16",
            "wc-processing|62",
            "wc-refunded|14",
        ]
    );
    assert_eq!(
        demo.rows(
            "SELECT m.meta_value, COUNT(*) FROM wp_wc_orders_meta m WHERE meta_key='_refund_type' GROUP BY \
             1 ORDER BY 1"
        )
        .await,
        ["full|14", "partial|22"]
    );
    assert_eq!(
        demo.rows(
            "SELECT currency, COUNT(*) FROM wp_wc_orders WHERE type='shop_order' GROUP BY 1 ORDER BY 1"
        )
        .await,
        ["EUR|391", "GBP|9"]
    );
    assert_eq!(
        demo.number(
            "SELECT COUNT(*) FROM wp_wc_orders WHERE status='wc-failed' AND ip_address='203.0.113.66'"
        )
        .await,
        8
    );
    // 2026-11-30 18:00:00 UTC.
    let coupons = "FROM wp_posts p JOIN wp_postmeta e ON e.post_id=p.ID AND e.meta_key='date_expires' JOIN \
         wp_postmeta l ON l.post_id=p.ID AND l.meta_key='usage_limit' JOIN wp_postmeta u ON u.post_id=p.ID \
         AND u.meta_key='usage_count' WHERE p.post_type='shop_coupon' AND p.post_status='publish'";
    let used_up = "l.meta_value+0 > 0 AND u.meta_value+0 >= l.meta_value+0";
    assert_eq!(demo.number(&format!("SELECT COUNT(*) {coupons} AND {used_up}")).await, 3);
    assert_eq!(
        demo.number(&format!("SELECT COUNT(*) {coupons} AND e.meta_value+0 BETWEEN 1 AND 1796061599")).await,
        7
    );
    assert_eq!(
        demo.number(&format!(
            "SELECT COUNT(*) {coupons} AND NOT ({used_up}) AND (e.meta_value IS NULL OR e.meta_value+0 > \
             1796061600)"
        ))
        .await,
        12
    );
}

#[tokio::test]
async fn odd_products_are_there() {
    let mut demo = Demo::new().await;
    let published = "FROM wp_posts p JOIN wp_wc_product_meta_lookup l ON l.product_id=p.ID WHERE \
         p.post_type='product' AND p.post_status='publish'";
    let lacks = |key: &str| {
        format!("NOT EXISTS (SELECT 1 FROM wp_postmeta m WHERE m.post_id=p.ID AND m.meta_key='{key}')")
    };
    assert_eq!(demo.number(&format!("SELECT COUNT(*) {published} AND {}", lacks("_price"))).await, 4);
    assert_eq!(demo.number(&format!("SELECT COUNT(*) {published} AND {}", lacks("_sku"))).await, 9);
    assert_eq!(demo.number(&format!("SELECT COUNT(*) {published} AND {}", lacks("_thumbnail_id"))).await, 16);
    assert_eq!(
        demo.number(&format!(
            "SELECT COUNT(*) {published} AND l.stock_quantity<0 AND l.stock_status='onbackorder'"
        ))
        .await,
        4
    );
    assert_eq!(
        demo.number(&format!("SELECT COUNT(*) {published} AND l.stock_status='onbackorder'")).await,
        7
    );
    // Eleven counted down to nothing, three marked by hand, one whose variations are all gone.
    assert_eq!(
        demo.number(&format!("SELECT COUNT(*) {published} AND l.stock_status='outofstock'")).await,
        15
    );
    let threshold =
        "(SELECT m.meta_value+0 FROM wp_postmeta m WHERE m.post_id=p.ID AND m.meta_key='_low_stock_amount')";
    assert_eq!(
        demo.number(&format!("SELECT COUNT(*) {published} AND l.stock_quantity BETWEEN 1 AND {threshold}"))
            .await,
        10
    );
    assert_eq!(
        demo.number(&format!(
            "SELECT COUNT(*) {published} AND {threshold} IS NULL AND l.stock_quantity BETWEEN 1 AND 3"
        ))
        .await,
        8
    );
    // Sales: twenty running of which two should have ended, four yet to come.
    assert_eq!(demo.number(&format!("SELECT COUNT(*) {published} AND l.onsale=1")).await, 20);
    let to = "(SELECT m.meta_value+0 FROM wp_postmeta m WHERE m.post_id=p.ID AND \
         m.meta_key='_sale_price_dates_to')";
    let from = to.replace("_to'", "_from'");
    assert_eq!(
        demo.number(&format!("SELECT COUNT(*) {published} AND l.onsale=1 AND {to} < 1796061600")).await,
        2
    );
    assert_eq!(
        demo.number(&format!("SELECT COUNT(*) {published} AND l.onsale=0 AND {from} > 1796061600")).await,
        4
    );
}

#[tokio::test]
async fn the_summary_says_what_is_there() {
    let mut demo = Demo::new().await;
    let sql = [
        ("posts", "SELECT COUNT(*) FROM wp_posts WHERE post_type='post'"),
        ("pages", "SELECT COUNT(*) FROM wp_posts WHERE post_type='page'"),
        ("revisions", "SELECT COUNT(*) FROM wp_posts WHERE post_type='revision'"),
        ("media files", "SELECT COUNT(*) FROM wp_posts WHERE post_type='attachment'"),
        ("menu items", "SELECT COUNT(*) FROM wp_posts WHERE post_type='nav_menu_item'"),
        ("comments", "SELECT COUNT(*) FROM wp_comments WHERE comment_type IN ('comment','pingback')"),
        ("users", "SELECT COUNT(*) FROM wp_users"),
        ("products", "SELECT COUNT(*) FROM wp_posts WHERE post_type='product'"),
        ("product variations", "SELECT COUNT(*) FROM wp_posts WHERE post_type='product_variation'"),
        ("product reviews", "SELECT COUNT(*) FROM wp_comments WHERE comment_type='review'"),
        ("coupons", "SELECT COUNT(*) FROM wp_posts WHERE post_type='shop_coupon'"),
        ("orders", "SELECT COUNT(*) FROM wp_wc_orders WHERE type='shop_order'"),
        ("refunds", "SELECT COUNT(*) FROM wp_wc_orders WHERE type='shop_order_refund'"),
        ("customers", "SELECT COUNT(*) FROM wp_wc_customer_lookup"),
        ("shipping zones", "SELECT COUNT(*) FROM wp_woocommerce_shipping_zones"),
        ("tax rates", "SELECT COUNT(*) FROM wp_woocommerce_tax_rates"),
        ("scheduled actions", "SELECT COUNT(*) FROM wp_actionscheduler_actions"),
        ("options", "SELECT COUNT(*) FROM wp_options"),
    ];
    for (kind, sql) in sql {
        let found = demo.number(sql).await;
        assert!(found > 0, "no {kind}");
        assert_eq!(demo.summary.count(kind), found as u64, "{kind}");
    }
    assert_eq!(demo.summary.now, "2026-11-30T18:00:00Z");
}
