//! What of a WordPress database is kept from SQL that a model wrote.
//!
//! Tables of meta are open but for rows whose key may stand for a secret. The options are closed: plugins keep
//! whole arrays of settings, keys among them, under any name, and SQL could take them apart. `wp_option` shows
//! those with the secret parts taken out.

use siteclaw_db::Prefixes;
use siteclaw_db::guard::{SecretRows, SqlPolicy};

/// Parts of keys of user meta whose values are masked.
const USER_PARTS: [&str; 25] = [
    "session",
    "application_password",
    "pass",
    "pwd",
    "secret",
    "token",
    "totp",
    "two_factor",
    "2fa",
    "backup_code",
    "oauth",
    "api",
    "key",
    "private",
    "activation",
    "authenticator",
    "otp",
    "pin_",
    "webauthn",
    "credential",
    "hash",
    "magic",
    "reset",
    "ticket",
    "signature",
];
/// Parts of keys of post, order and item meta whose values are masked.
const META_PARTS: [&str; 23] = [
    "transaction id",
    "transaction_id",
    "_key",
    "token",
    "_stripe_",
    "_ppcp_",
    "_paypal_",
    "_square_",
    "_braintree_",
    "_authorize_net_",
    "_downloadable_files",
    "licen",
    "apikey",
    "secret",
    "pass",
    "pwd",
    "auth",
    "card_",
    "payment_intent",
    "iban",
    "_cc_",
    "cvv",
    "webhook",
];

/// The policy for a site with these prefixes.
///
/// Rules hold for every table whose name ends alike or goes on from there (`wp_usermeta`, `wp_2_options`,
/// `shop_usermeta_old`): a second installation or a backup in the same database holds the same secrets.
pub(crate) fn policy(prefixes: &Prefixes) -> SqlPolicy {
    let table = |name: &str| format!("*{name}*");
    let (users, usermeta) = (prefixes.base_table("users"), prefixes.base_table("usermeta"));
    let mut policy = SqlPolicy::new()
        .secret_column(&table("posts"), "post_password")
        .secret_column(&table("signups"), "activation_key")
        .secret_column(&table("wc_orders"), "transaction_id")
        .secret_column(&table("wc_order_operational_data"), "order_key")
        .secret_column(&table("woocommerce_downloadable_product_permissions"), "order_key")
        .secret_column(&table("wc_webhooks"), "secret")
        .secret_column(&table("actionscheduler_actions"), "args")
        .secret_column(&table("actionscheduler_actions"), "extended_args");
    // Sites may rename the two tables of users.
    for users in [table("users"), users] {
        policy = policy.secret_column(&users, "user_pass").secret_column(&users, "user_activation_key");
    }
    for usermeta in [table("usermeta"), usermeta] {
        policy = policy
            .secret_rows(SecretRows::new(&usermeta, "meta_key", &["meta_value"]).containing(&USER_PARTS));
    }
    for name in ["postmeta", "wc_orders_meta", "woocommerce_order_itemmeta", "commentmeta", "termmeta"] {
        policy = policy
            .secret_rows(SecretRows::new(&table(name), "meta_key", &["meta_value"]).containing(&META_PARTS));
    }
    // Plugins keep arrays with keys in them under every kind of name, so no rule by name holds there.
    for (name, instead) in [("options", Some("Use wp_option.")), ("sitemeta", Some("Use wp_option."))] {
        policy = policy.deny_table(&table(name), instead);
    }
    for name in [
        "woocommerce_api_keys",
        "woocommerce_payment_token",
        "woocommerce_sessions",
        "phpclaw_conversations",
        "phpclaw_messages",
    ] {
        policy = policy.deny_table(&table(name), None);
    }
    policy
}
