//! Scheduled work: WP-Cron's option and the tables of Action Scheduler.

use std::collections::BTreeMap;

use super::{
    clock::{Clock, DAY, HOUR, NO_DATE},
    md5,
    serialize::{Key, Php, assoc},
    store::{Value, row},
    world::World,
};

/// Hook, recurrence, seconds between two runs, seconds until the next run (negative: overdue).
const EVENTS: &[(&str, &str, i64, i64)] = &[
    ("wp_version_check", "twicedaily", 43_200, 5 * HOUR),
    ("wp_update_plugins", "twicedaily", 43_200, 5 * HOUR + 1800),
    ("wp_update_themes", "twicedaily", 43_200, 6 * HOUR),
    ("wp_scheduled_delete", "daily", DAY, 9 * HOUR),
    ("wp_scheduled_auto_draft_delete", "daily", DAY, 9 * HOUR),
    ("delete_expired_transients", "daily", DAY, 9 * HOUR),
    ("recovery_mode_clean_expired_keys", "daily", DAY, 10 * HOUR),
    ("wp_privacy_delete_old_export_files", "hourly", HOUR, 1200),
    ("wp_site_health_scheduled_check", "weekly", 7 * DAY, 3 * DAY),
    ("woocommerce_cleanup_sessions", "twicedaily", 43_200, 2 * HOUR),
    ("woocommerce_scheduled_sales", "daily", DAY, 6 * HOUR),
    ("woocommerce_cleanup_personal_data", "daily", DAY, 7 * HOUR),
    ("woocommerce_cleanup_logs", "daily", DAY, -3 * HOUR),
    ("woocommerce_geoip_updater", "fifteendays", 15 * DAY, 4 * DAY),
    ("wc_admin_daily", "daily", DAY, 8 * HOUR),
    ("akismet_scheduled_delete", "daily", DAY, 11 * HOUR),
    ("wpseo-reindex", "daily", DAY, 12 * HOUR),
    ("copper_tweaks_export", "hourly", HOUR, -40 * 60),
    // Plugins that are switched off or gone leave their work behind.
    ("legacy_slider_cleanup", "daily", DAY, -20 * DAY),
];

/// The value of option `cron`. `planned` are posts to be published: id and moment.
pub(crate) fn option(clock: &Clock, planned: &[(i64, i64)]) -> Php {
    let end = clock.end();
    let mut times: BTreeMap<i64, Vec<(Key, Php)>> = BTreeMap::new();
    let mut add = |at: i64, hook: &str, recurrence: Option<(&str, i64)>, args: Php| {
        let key = md5::hex(args.to_string().as_bytes());
        let event = match recurrence {
            Some((name, seconds)) => assoc! { "schedule" => name, "args" => args, "interval" => seconds },
            None => assoc! { "schedule" => false, "args" => args },
        };
        times.entry(at).or_default().push((Key::from(hook), Php::map([(key, event)])));
    };
    add(end - 130, "action_scheduler_run_queue", Some(("every_minute", 60)), Php::list(["WP Cron"]));
    for (hook, recurrence, seconds, wait) in EVENTS {
        add(end + wait, hook, Some((recurrence, *seconds)), assoc! {});
    }
    let reader = Php::list(["reader.list@example.org"]);
    add(end - 5 * DAY, "old_newsletter_send", Some(("hourly", HOUR)), reader);
    add(end + 25 * 60, "woocommerce_cancel_unpaid_orders", None, assoc! {});
    for (post, at) in planned {
        add(*at, "publish_future_post", None, Php::list([*post]));
    }
    let mut cron: Vec<(Key, Php)> =
        times.into_iter().map(|(at, hooks)| (Key::Int(at), Php::Array(hooks))).collect();
    cron.push((Key::from("version"), Php::Int(2)));
    Php::Array(cron)
}

/// Action Scheduler's groups, in the order of their ids.
const GROUPS: &[&str] =
    &["action-scheduler-migration", "woocommerce-db-updates", "wc-admin-data", "copper-tweaks"];

/// Adds the queue: most work done, some waiting, some late, some failed, two stuck.
pub(crate) fn add_queue(world: &mut World, order_ids: &[i64], sales: &[(i64, i64)]) {
    let mut rng = world.rng("queue");
    let end = world.clock.end();
    for slug in GROUPS {
        world.tables.add("actionscheduler_groups", row! { "slug" => *slug });
    }
    // Hook, arguments, group, status, when.
    let mut actions: Vec<(&str, String, i64, &str, i64)> = Vec::new();
    for id in order_ids.iter().rev().take(220) {
        actions.push((
            "wc-admin_import_orders",
            format!("[{id}]"),
            3,
            "complete",
            end - rng.range(HOUR, 30 * DAY),
        ));
    }
    for (product, at) in sales {
        actions.push((
            "wc_product_end_scheduled_sale",
            format!("{{\"product_id\":{product}}}"),
            2,
            "pending",
            *at,
        ));
    }
    for n in 0..14 {
        actions.push((
            "copper_tweaks_parcel_sync",
            format!("{{\"parcel\":{n}}}"),
            4,
            "pending",
            end - rng.range(1, 40) * HOUR,
        ));
    }
    for n in 0..9 {
        actions.push((
            "copper_tweaks_invoice_mail",
            format!("{{\"order\":{n}}}"),
            4,
            "failed",
            end - rng.range(1, 9) * DAY,
        ));
    }
    for _ in 0..3 {
        actions.push((
            "woocommerce_run_product_attribute_lookup_update_callback",
            "[1,2]".to_owned(),
            2,
            "failed",
            end - rng.range(10, 25) * DAY,
        ));
    }
    for n in 0..4 {
        actions.push((
            "copper_tweaks_old_job",
            format!("{{\"n\":{n}}}"),
            4,
            "canceled",
            end - rng.range(2, 20) * DAY,
        ));
    }
    for n in 0..2 {
        actions.push((
            "copper_tweaks_stock_export",
            format!("{{\"run\":{n}}}"),
            4,
            "in-progress",
            end - (5 + n) * HOUR,
        ));
    }
    actions.sort_by(|a, b| (a.4, a.0, &a.1).cmp(&(b.4, b.0, &b.1)));
    for ((hook, args, group, status, at), id) in actions.into_iter().zip(1_i64..) {
        add_action(world, id, (hook, args, group, status), at);
    }
}

fn add_action(
    world: &mut World,
    id: i64,
    (hook, args, group, status): (&str, String, i64, &'static str),
    at: i64,
) {
    let tried = (at + 45).min(world.clock.end() - 30);
    let clock = world.clock.clone();
    let (gmt, local) = match status {
        "pending" | "canceled" => (NO_DATE.to_owned(), NO_DATE.to_owned()),
        _ => (clock.gmt(tried), clock.local(tried)),
    };
    // The class keeps the moment twice, in properties of its own and of its parent.
    let schedule = Php::Object(
        "ActionScheduler_SimpleSchedule",
        vec![
            ("\0*\0scheduled_timestamp".to_owned(), Php::Int(at)),
            ("\0ActionScheduler_SimpleSchedule\0timestamp".to_owned(), Php::Int(at)),
        ],
    );
    world.tables.add(
        "actionscheduler_actions",
        row! {
            "action_id" => id, "hook" => hook, "status" => status, "scheduled_date_gmt" => clock.gmt(at),
            "scheduled_date_local" => clock.local(at), "args" => args, "schedule" => schedule,
            "group_id" => group, "attempts" => if matches!(status, "pending" | "canceled") { 0 } else { 1 },
            "last_attempt_gmt" => gmt, "last_attempt_local" => local,
            "claim_id" => if status == "in-progress" { 1 } else { 0 }, "extended_args" => Value::Null,
        },
    );
    let mut log = |message: &str, at: i64| {
        world.tables.add(
            "actionscheduler_logs",
            row! {
                "action_id" => id, "message" => message, "log_date_gmt" => clock.gmt(at),
                "log_date_local" => clock.local(at),
            },
        );
    };
    log("action created", at - 60);
    match status {
        "complete" => {
            log("action started via WP Cron", tried);
            log("action complete via WP Cron", tried + 1);
        }
        "failed" => {
            log("action started via WP Cron", tried);
            log(
                "action failed via WP Cron: cURL error 28: Operation timed out after 5001 milliseconds",
                tried + 5,
            );
        }
        "in-progress" => log("action started via WP Cron", tried),
        "canceled" => log("action canceled", at),
        _ => {}
    }
}
