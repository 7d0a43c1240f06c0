//! What of a WordPress database is kept from SQL that a model wrote.
//!
//! Tables of meta are open but for rows whose key may stand for a secret. The options are closed: plugins keep
//! whole arrays of settings, keys among them, under any name, and SQL could take them apart. `wp_option` shows
//! those with the secret parts taken out.

use siteclaw_db::Prefixes;
use siteclaw_db::guard::{SecretRows, SqlPolicy};

use super::words::{ENDS, HARMLESS, PARTS};

/// Parts of keys of user meta whose values are masked, beside those of every meta.
const USER_PARTS: [&str; 14] = [
    "session",
    "totp",
    "two_factor",
    "2fa",
    "api",
    "private",
    "authenticator",
    "otp",
    "pin_",
    "webauthn",
    "hash",
    "magic",
    "reset",
    "ticket",
];
/// Parts of keys of post, order, item, comment and term meta whose values are masked, beside those of every meta.
const META_PARTS: [&str; 12] = [
    "transaction id",
    "transaction_id",
    "_stripe_",
    "_ppcp_",
    "_paypal_",
    "_square_",
    "_braintree_",
    "_authorize_net_",
    "_downloadable_files",
    "card_",
    "payment_intent",
    "iban",
];

/// The policy for a site with these prefixes.
///
/// Rules hold for every table whose name ends alike or goes on from there (`wp_usermeta`, `wp_2_options`,
/// `shop_usermeta_old`): a second installation or a backup in the same database holds the same secrets.
pub(crate) fn policy(prefixes: &Prefixes) -> SqlPolicy {
    let table = |name: &str| format!("*{name}*");
    let mut policy = SqlPolicy::new()
        .secret_column(&table("posts"), "post_password")
        .secret_column(&table("signups"), "activation_key")
        .secret_column(&table("wc_orders"), "transaction_id")
        .secret_column(&table("wc_order_operational_data"), "order_key")
        .secret_column(&table("woocommerce_downloadable_product_permissions"), "order_key")
        .secret_column(&table("wc_webhooks"), "secret")
        .secret_column(&table("actionscheduler_actions"), "args")
        .secret_column(&table("actionscheduler_actions"), "extended_args");
    // Sites may rename the two tables of users, so their names count whatever they are.
    for users in named(prefixes.base_table("users"), "users") {
        policy = policy.secret_column(&users, "user_pass").secret_column(&users, "user_activation_key");
    }
    for usermeta in named(prefixes.base_table("usermeta"), "usermeta") {
        policy = policy.secret_rows(meta(&usermeta, &USER_PARTS));
    }
    for name in ["postmeta", "wc_orders_meta", "woocommerce_order_itemmeta", "commentmeta", "termmeta"] {
        policy = policy.secret_rows(meta(&table(name), &META_PARTS));
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

/// The pattern for tables of a name, and the name itself where the pattern does not hold for it.
fn named(name: String, usual: &str) -> Vec<String> {
    let pattern = format!("*{usual}*");
    if name.contains(usual) { vec![pattern] } else { vec![pattern, name] }
}

/// Rows of a table of meta whose keys stand for secrets. The last words are parts of some tables' keys only.
fn meta(table: &str, parts: &[&str]) -> SecretRows {
    SecretRows::new(table, "meta_key", &["meta_value"])
        .containing(&PARTS)
        .containing(parts)
        .ending(&ENDS)
        .disregarding(&HARMLESS)
}

#[cfg(test)]
mod tests {
    use super::super::names::{Verdict, is_suspect, tests::spellings};
    use super::*;

    #[test]
    fn sql_sees_no_row_whose_key_the_recogniser_takes_for_a_secret() {
        let rows = meta("*postmeta*", &META_PARTS);
        for name in spellings() {
            assert!(is_suspect(&name), "{name}");
            assert!(rows.covers(&name), "{name}");
        }
    }

    #[test]
    fn sql_sees_meta_that_only_looks_like_it() {
        let (users, posts) = (meta("*usermeta*", &USER_PARTS), meta("*postmeta*", &META_PARTS));
        for key in [
            "blog_public",
            "_yoast_wpseo_focuskeywords",
            "keyword_list",
            "monkey",
            "passage",
            "passenger_names",
            "primary_key_column",
            "tokenizer",
            "compass",
            "_wp_page_template",
            "_thumbnail_id",
            "post_author_override",
            "_oembed_time_stamp",
            "nickname",
            "rich_editing",
        ] {
            assert!(!posts.covers(key), "{key}");
            assert!(!users.covers(key), "{key}");
            assert_ne!(super::super::names::verdict(key), Verdict::Secret, "{key}");
        }
    }

    #[test]
    fn renamed_tables_of_users_are_covered_once() {
        assert_eq!(named("wp_users".to_owned(), "users"), ["*users*"]);
        assert_eq!(named("shared_members".to_owned(), "users"), ["*users*", "shared_members"]);
    }
}
