//! What of a WordPress database is kept from SQL that a model wrote.
//!
//! Key-value tables are open but for rows whose key may stand for a secret. Plugins keep whole arrays of
//! settings, keys among them, under one name, so names that end like settings are masked too: `wp_option`
//! shows those with only the secret parts taken out.

use siteclaw_db::Prefixes;
use siteclaw_db::guard::{SecretRows, SqlPolicy};

/// Parts of names of options whose values are masked.
const OPTION_PARTS: [&str; 24] = [
    "pass",
    "pwd",
    "secret",
    "key",
    "token",
    "salt",
    "credential",
    "licen",
    "auth",
    "oauth",
    "smtp",
    "api",
    "stripe",
    "paypal",
    "ppcp",
    "braintree",
    "square",
    "klarna",
    "mollie",
    "webhook",
    "private",
    "session",
    "recovery",
    "_transient_",
];
/// Ends of names under which plugins keep arrays of settings.
const OPTION_ENDS: [&str; 4] = ["_settings", "_options", "_config", "_configuration"];
/// Parts of keys of user meta whose values are masked.
const USER_PARTS: [&str; 16] = [
    "session_tokens",
    "application_passwords",
    "pass",
    "pwd",
    "secret",
    "token",
    "totp",
    "two_factor",
    "2fa",
    "backup_code",
    "oauth",
    "api_key",
    "apikey",
    "private",
    "activation",
    "authenticator",
];
/// Parts of keys of post, order and item meta whose values are masked.
const META_PARTS: [&str; 18] = [
    "_transaction_id",
    "_order_key",
    "_payment_token",
    "payment_method_token",
    "_stripe_",
    "_ppcp_",
    "_paypal_",
    "_square_",
    "_braintree_",
    "_authorize_net_",
    "_downloadable_files",
    "licen",
    "api_key",
    "secret",
    "password",
    "private_key",
    "access_token",
    "card_",
];

/// The policy for a site with these prefixes, for every blog of a network.
pub(crate) fn policy(prefixes: &Prefixes) -> SqlPolicy {
    let base = &prefixes.base;
    // `wp_*options` covers `wp_options` and `wp_2_options`.
    let table = |name: &str| format!("{base}*{name}");
    let users = prefixes.base_table("users");
    let usermeta = prefixes.base_table("usermeta");
    let mut policy = SqlPolicy::new()
        .secret_column(&users, "user_pass")
        .secret_column(&users, "user_activation_key")
        .secret_column(&table("posts"), "post_password")
        .secret_column(&table("signups"), "activation_key")
        .secret_column(&table("wc_orders"), "transaction_id")
        .secret_column(&table("wc_order_operational_data"), "order_key")
        .secret_column(&table("woocommerce_downloadable_product_permissions"), "order_key")
        .secret_column(&table("wc_webhooks"), "secret")
        .secret_rows(SecretRows::new(&usermeta, "meta_key", &["meta_value"]).containing(&USER_PARTS))
        .secret_rows(
            SecretRows::new(&table("options"), "option_name", &["option_value"])
                .exact(&["mailserver_login", "recovery_keys"])
                .containing(&OPTION_PARTS)
                .ending(&OPTION_ENDS),
        )
        .secret_rows(
            SecretRows::new(&table("sitemeta"), "meta_key", &["meta_value"])
                .containing(&OPTION_PARTS)
                .ending(&OPTION_ENDS),
        );
    for name in ["postmeta", "wc_orders_meta", "woocommerce_order_itemmeta", "commentmeta", "termmeta"] {
        policy = policy
            .secret_rows(SecretRows::new(&table(name), "meta_key", &["meta_value"]).containing(&META_PARTS));
    }
    for name in [
        "woocommerce_api_keys",
        "woocommerce_payment_tokens",
        "woocommerce_payment_tokenmeta",
        "woocommerce_sessions",
        "phpclaw_conversations",
        "phpclaw_messages",
    ] {
        policy = policy.deny_table(&table(name), None);
    }
    policy
}
