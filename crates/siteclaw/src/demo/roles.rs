//! The roles of WordPress and WooCommerce and what each may do: option `wp_user_roles`.

use super::serialize::{Php, assoc};

const EDITOR: &str = "moderate_comments manage_categories manage_links upload_files unfiltered_html \
 edit_posts \
    edit_others_posts edit_published_posts publish_posts edit_pages read level_7 level_6 level_5 level_4 \
    level_3 level_2 \
    level_1 level_0 edit_others_pages edit_published_pages publish_pages delete_pages delete_others_pages \
    delete_published_pages delete_posts delete_others_posts delete_published_posts delete_private_posts \
    edit_private_posts read_private_posts delete_private_pages edit_private_pages read_private_pages";
const ADMINISTRATOR: &str = "switch_themes edit_themes activate_plugins edit_plugins edit_users edit_files \
    manage_options import level_10 level_9 level_8 delete_users create_users unfiltered_upload \
    edit_dashboard \
    update_plugins delete_plugins install_plugins update_themes install_themes update_core list_users \
    remove_users \
    promote_users edit_theme_options delete_themes export";
const SHOP_MANAGER: &str = "level_9 level_8 level_7 level_6 level_5 level_4 level_3 level_2 level_1 \
 level_0 read \
    read_private_pages read_private_posts edit_posts edit_pages edit_published_posts edit_published_pages \
    edit_private_pages edit_private_posts edit_others_posts edit_others_pages publish_posts publish_pages \
    delete_posts \
    delete_pages delete_private_pages delete_private_posts delete_published_pages delete_published_posts \
    delete_others_posts delete_others_pages manage_categories manage_links moderate_comments upload_files \
    export import \
    list_users edit_theme_options";
const AUTHOR: &str = "upload_files edit_posts edit_published_posts publish_posts read level_2 level_1 \
 level_0 \
    delete_posts delete_published_posts";

/// What WooCommerce lets shop managers and administrators do: 54 rights.
fn shop() -> Vec<String> {
    let mut caps: Vec<String> =
        ["manage_woocommerce", "create_customers", "view_woocommerce_reports"].map(str::to_owned).into();
    for kind in ["product", "shop_order", "shop_coupon"] {
        caps.extend(["edit", "read", "delete"].map(|verb| format!("{verb}_{kind}")));
        caps.extend(
            [
                "edit",
                "edit_others",
                "publish",
                "read_private",
                "delete",
                "delete_private",
                "delete_published",
                "delete_others",
                "edit_private",
                "edit_published",
            ]
            .map(|verb| format!("{verb}_{kind}s")),
        );
        caps.extend(["manage", "edit", "delete", "assign"].map(|verb| format!("{verb}_{kind}_terms")));
    }
    caps
}

fn role(name: &str, lists: &[&str], more: &[String]) -> Php {
    let words = lists.iter().flat_map(|list| list.split_whitespace()).map(str::to_owned);
    let caps = Php::map(words.chain(more.iter().cloned()).map(|cap| (cap, true)));
    assoc! { "name" => name, "capabilities" => caps }
}

/// The option's value.
pub(crate) fn all() -> Php {
    let shop = shop();
    assoc! {
        "administrator" => role("Administrator", &[ADMINISTRATOR, EDITOR], &shop),
        "editor" => role("Editor", &[EDITOR], &[]),
        "author" => role("Author", &[AUTHOR], &[]),
        "contributor" => role("Contributor", &["edit_posts read level_1 level_0 delete_posts"], &[]),
        "subscriber" => role("Subscriber", &["read level_0"], &[]),
        "customer" => role("Customer", &["read"], &[]),
        "shop_manager" => role("Shop manager", &[SHOP_MANAGER], &shop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roles_have_as_many_rights_as_in_a_fresh_shop() {
        // Counted in a fresh install of WordPress 7.1 with WooCommerce 11.0.1.
        let text = all().to_string();
        for (role, rights) in
            [("Administrator", 115), ("Editor", 34), ("Author", 10), ("Contributor", 5), ("Shop manager", 93)]
        {
            let head = format!("s:{}:\"{role}\";s:12:\"capabilities\";a:{rights}:{{", role.len());
            assert!(text.contains(&head), "{role} should have {rights} rights");
        }
    }
}
