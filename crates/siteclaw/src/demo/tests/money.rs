//! Orders add up, and what reports read says the same as the orders.

use super::Demo;

/// The sum of a meta value over the items of one order, in cents.
fn items(kind: &str, keys: &str) -> String {
    format!(
        "COALESCE((SELECT SUM(ROUND(m.meta_value*100)) FROM wp_woocommerce_order_items i JOIN \
         wp_woocommerce_order_itemmeta m ON m.order_item_id=i.order_item_id AND m.meta_key IN ({keys}) \
         WHERE i.order_id=o.id AND i.order_item_type IN ({kind})),0)"
    )
}

#[tokio::test]
async fn an_order_is_the_sum_of_its_items() {
    let mut demo = Demo::new().await;
    let goods = items("'line_item','fee'", "'_line_total'");
    let shipping = items("'shipping'", "'cost'");
    let taxes = items("'tax'", "'tax_amount','shipping_tax_amount'");
    demo.none(&format!(
        "SELECT o.id, o.total_amount, {goods}, {shipping}, {taxes} FROM wp_wc_orders o WHERE \
         o.type='shop_order' AND ROUND(o.total_amount*100) <> {goods} + {shipping} + {taxes}"
    ))
    .await;
    // The tax lines say the same as the lines they are on.
    let cart_tax = items("'line_item','fee'", "'_line_tax'");
    let tax_lines = items("'tax'", "'tax_amount'");
    let shipping_tax = items("'shipping'", "'total_tax'");
    demo.none(&format!(
        "SELECT o.id FROM wp_wc_orders o JOIN wp_wc_order_operational_data d ON d.order_id=o.id WHERE \
         o.type='shop_order' AND (ROUND(o.tax_amount*100) <> {cart_tax} OR {cart_tax} <> {tax_lines} OR \
         ROUND(d.shipping_tax_amount*100) <> {shipping_tax} OR ROUND(d.shipping_total_amount*100) <> \
         {shipping})"
    ))
    .await;
    // Every sum is whole cents, nothing is negative, nobody buys nothing.
    demo.none("SELECT id FROM wp_wc_orders WHERE ABS(total_amount*100 - ROUND(total_amount*100)) > 0.0001")
        .await;
    demo.none(
        "SELECT id FROM wp_wc_orders o WHERE type='shop_order' AND (total_amount < 0 OR NOT EXISTS (SELECT \
         1 FROM wp_woocommerce_order_items i WHERE i.order_id=o.id AND order_item_type='line_item'))",
    )
    .await;
    assert_eq!(demo.number("SELECT COUNT(*) FROM wp_wc_orders WHERE typeof(total_amount)<>'real'").await, 0);
}

#[tokio::test]
async fn discounts_and_refunds_fit_their_orders() {
    let mut demo = Demo::new().await;
    let before = items("'line_item'", "'_line_subtotal'");
    let after = items("'line_item'", "'_line_total'");
    let coupon = items("'coupon'", "'discount_amount'");
    demo.none(&format!(
        "SELECT o.id, {before}, {after}, {coupon} FROM wp_wc_orders o JOIN wp_wc_order_operational_data d \
         ON d.order_id=o.id WHERE o.type='shop_order' AND ({before} - {after} <> {coupon} OR {coupon} <> \
         ROUND(d.discount_total_amount*100))"
    ))
    .await;
    assert!(
        demo.number("SELECT COUNT(*) FROM wp_woocommerce_order_items WHERE order_item_type='coupon'").await
            > 40
    );
    demo.none(
        "SELECT r.id FROM wp_wc_orders r JOIN wp_wc_orders o ON o.id=r.parent_order_id JOIN \
         wp_wc_orders_meta t ON t.order_id=r.id AND t.meta_key='_refund_type' JOIN wp_wc_orders_meta a ON \
         a.order_id=r.id AND a.meta_key='_refund_amount' WHERE r.type='shop_order_refund' AND \
         (ROUND(a.meta_value*100) <> -ROUND(r.total_amount*100) OR (t.meta_value='full') <> \
         (ROUND(r.total_amount*100) = -ROUND(o.total_amount*100)) OR (t.meta_value='full') <> \
         (o.status='wc-refunded') OR -r.total_amount > o.total_amount OR r.date_created_gmt <= \
         o.date_created_gmt)",
    )
    .await;
    assert_eq!(
        demo.number("SELECT COUNT(*) FROM wp_woocommerce_order_itemmeta WHERE meta_key='_refunded_item_id'")
            .await,
        10
    );
    // Prices are those of the catalogue, or lower: no line costs nothing before its discount.
    demo.none(
        "SELECT meta_id FROM wp_woocommerce_order_itemmeta m JOIN wp_woocommerce_order_items i USING \
         (order_item_id) JOIN wp_wc_orders o ON o.id=i.order_id WHERE o.type='shop_order' AND \
         meta_key='_line_subtotal' AND meta_value+0 <= 0",
    )
    .await;
}

#[tokio::test]
async fn analytics_agree_with_the_orders() {
    let mut demo = Demo::new().await;
    demo.none(
        "SELECT o.id FROM wp_wc_orders o LEFT JOIN wp_wc_order_stats s ON s.order_id=o.id WHERE s.order_id \
         IS NULL",
    )
    .await;
    demo.none(
        "SELECT o.id FROM wp_wc_orders o JOIN wp_wc_order_stats s ON s.order_id=o.id WHERE \
         ROUND(s.total_sales*100) <> ROUND(o.total_amount*100) OR s.parent_id <> o.parent_order_id OR \
         s.date_created_gmt <> o.date_created_gmt OR ABS(s.total_sales - s.tax_total - s.shipping_total - \
         s.net_total) > 0.001",
    )
    .await;
    demo.none(
        "SELECT o.id FROM wp_wc_orders o JOIN wp_wc_order_stats s ON s.order_id=o.id WHERE \
         o.type='shop_order' AND s.status <> CASE o.status WHEN 'trash' THEN 'wc-trash' ELSE o.status END",
    )
    .await;
    // A line's row has the line's figures, and the rows of an order share out its shipping.
    demo.none(
        "SELECT l.order_item_id FROM wp_wc_order_product_lookup l JOIN wp_wc_orders o ON o.id=l.order_id \
         AND o.type='shop_order' WHERE l.product_qty <> (SELECT meta_value+0 FROM \
         wp_woocommerce_order_itemmeta m WHERE m.order_item_id=l.order_item_id AND meta_key='_qty') OR \
         ABS(l.product_net_revenue - (SELECT meta_value FROM wp_woocommerce_order_itemmeta m WHERE \
         m.order_item_id=l.order_item_id AND meta_key='_line_total')) > 0.001 OR l.product_id <> (SELECT \
         meta_value+0 FROM wp_woocommerce_order_itemmeta m WHERE m.order_item_id=l.order_item_id AND \
         meta_key='_product_id') OR l.variation_id <> (SELECT meta_value+0 FROM \
         wp_woocommerce_order_itemmeta m WHERE m.order_item_id=l.order_item_id AND \
         meta_key='_variation_id')",
    )
    .await;
    demo.none(
        "SELECT s.order_id FROM wp_wc_order_stats s JOIN wp_wc_order_product_lookup l ON \
         l.order_id=s.order_id WHERE s.parent_id=0 GROUP BY s.order_id HAVING SUM(l.product_qty) <> \
         s.num_items_sold OR ABS(SUM(l.shipping_amount) - s.shipping_total) > 0.001",
    )
    .await;
    demo.none(
        "SELECT t.order_id FROM wp_wc_order_tax_lookup t GROUP BY t.order_id HAVING ABS(SUM(t.total_tax) - \
         (SELECT s.tax_total FROM wp_wc_order_stats s WHERE s.order_id=t.order_id)) > 0.001",
    )
    .await;
    demo.none(
        "SELECT c.order_id FROM wp_wc_order_coupon_lookup c JOIN wp_wc_order_operational_data d ON \
         d.order_id=c.order_id WHERE ABS(c.discount_amount - d.discount_total_amount) > 0.001",
    )
    .await;
    // What was refunded in full cancels out.
    demo.none(
        "SELECT o.id FROM wp_wc_orders o JOIN wp_wc_order_stats s ON s.order_id=o.id OR s.parent_id=o.id \
         WHERE o.status='wc-refunded' GROUP BY o.id HAVING ABS(SUM(s.net_total)) > 0.001 OR \
         ABS(SUM(s.tax_total)) > 0.001 OR SUM(s.num_items_sold) <> 0",
    )
    .await;
}

#[tokio::test]
async fn customers_are_numbered_once_and_return_when_they_bought_before() {
    let mut demo = Demo::new().await;
    demo.none("SELECT email FROM wp_wc_customer_lookup GROUP BY email HAVING COUNT(*) > 1").await;
    demo.none(
        "SELECT o.id FROM wp_wc_orders o JOIN wp_wc_order_stats s ON s.order_id=o.id LEFT JOIN \
         wp_wc_customer_lookup c ON c.customer_id=s.customer_id WHERE o.type='shop_order' AND \
         (c.customer_id IS NULL OR c.email <> o.billing_email OR COALESCE(c.user_id,0) <> o.customer_id)",
    )
    .await;
    demo.none(
        "SELECT s.order_id FROM wp_wc_order_stats s WHERE s.parent_id=0 AND s.returning_customer <> EXISTS \
         ( SELECT 1 FROM wp_wc_order_stats e WHERE e.customer_id=s.customer_id AND e.parent_id=0 AND \
         e.order_id < s.order_id AND e.status NOT IN \
         ('wc-pending','wc-failed','wc-cancelled','wc-trash','wc-checkout-draft'))",
    )
    .await;
    assert!(demo.number("SELECT SUM(returning_customer) FROM wp_wc_order_stats").await > 100);
    demo.none(
        "SELECT m.user_id FROM wp_usermeta m WHERE m.meta_key='wc_money_spent_wp' AND ABS(m.meta_value - \
         (SELECT SUM(total_amount) FROM wp_wc_orders o WHERE o.customer_id=m.user_id AND o.status IN \
         ('wc-processing','wc-completed'))) > 0.001",
    )
    .await;
}
