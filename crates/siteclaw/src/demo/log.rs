//! Logs of the last thirty days: PHP's in debug.log, WooCommerce's in its folder.

use super::{
    clock::{Clock, DAY},
    seed::Rng,
    world::World,
};

/// Entries of debug.log.
const ENTRIES: usize = 420;
/// The site's folder on the made-up server.
const ROOT: &str = "/var/www/copper-crema";

/// File below wp-content, line, level, message.
type Cause = (&'static str, u32, &'static str, &'static str);
/// What goes wrong, and how often.
const CAUSES: &[(u32, Cause)] = &[
    (26, ("plugins/legacy-import/parser.php", 88, "Warning", "Undefined array key \"weight\"")),
    (
        22,
        (
            "plugins/copper-packing/main.php",
            214,
            "Deprecated",
            "strtotime(): Passing null to parameter #1 ($datetime) of type string is deprecated",
        ),
    ),
    (
        16,
        (
            "plugins/wordpress-seo/src/indexables.php",
            412,
            "Notice",
            "Function _load_textdomain_just_in_time was called <strong>incorrectly</strong>. Translation \
             loading for the <code>wordpress-seo</code> domain was triggered too early.",
        ),
    ),
    (14, ("themes/copper-child/functions.php", 57, "Warning", "Attempt to read property \"ID\" on null")),
    (
        8,
        (
            "plugins/woocommerce/includes/wc-core-functions.php",
            1904,
            "Deprecated",
            "Creation of dynamic property WC_Product_Simple::$packing is deprecated",
        ),
    ),
    (7, ("mu-plugins/copper-tweaks.php", 31, "Notice", "ob_end_flush(): Failed to delete and flush buffer")),
];

/// Adds all log files.
pub(crate) fn add(world: &mut World) {
    let mut rng = world.rng("log");
    let (clock, end) = (world.clock.clone(), world.clock.end());
    let mut times: Vec<i64> = (0..ENTRIES).map(|_| end - rng.range(60, 30 * DAY)).collect();
    // One bad evening: the same fatal error again and again.
    let outage = end - 4 * DAY - 7200;
    times.extend((0..40).map(|n| outage + n * 45));
    times.sort_unstable();
    let mut text = String::new();
    for at in times {
        let in_outage = (outage..outage + 1800).contains(&at);
        text.push_str(&entry(&mut rng, &clock, at, in_outage));
    }
    world.file("wp-content/debug.log", text);
    for (source, days) in [("fatal-errors", 4), ("stripe", 0), ("stripe", 1), ("copper-packing", 2)] {
        let at = end - days * DAY;
        let name = format!("{source}-{}-{}.log", clock.utc(at, "%Y-%m-%d"), rng.hex(32));
        let lines: String =
            (0..12).map(|n| shop_line(&mut rng, &clock, source, at - 3600 + n * 240)).collect();
        world.file(format!("wp-content/uploads/wc-logs/{name}"), lines);
    }
    world.file("wp-content/uploads/wc-logs/.htaccess", "deny from all\n");
    world.file("wp-content/uploads/wc-logs/index.html", "");
}

fn entry(rng: &mut Rng, clock: &Clock, at: i64, outage: bool) -> String {
    let time = clock.utc(at, "%d-%b-%Y %H:%M:%S UTC");
    if outage || rng.chance(5) {
        return fatal(&time, outage);
    }
    match rng.below(60) {
        0 => format!(
            "[{time}] PHP Parse error:  syntax error, unexpected token \"}}\", expecting end of file in \
             {ROOT}/wp-content/themes/copper-child/functions.php on line 73\n"
        ),
        1 | 2 => format!(
            "[{time}] WordPress database error no such table: wp_old_newsletter_list for query SELECT * \
             FROM wp_old_newsletter_list WHERE status = 'queued' LIMIT 20 made by \
             do_action_ref_array('old_newsletter_send')\n"
        ),
        3 => {
            format!("[{time}] Copper Packing: carrier answered 503, will try again (token={})\n", rng.hex(24))
        }
        _ => {
            let (file, line, level, message) = rng.weighted(CAUSES).unwrap_or(("index.php", 1, "Notice", ""));
            format!("[{time}] PHP {level}:  {message} in {ROOT}/wp-content/{file} on line {line}\n")
        }
    }
}

fn fatal(time: &str, outage: bool) -> String {
    let content = format!("{ROOT}/wp-content");
    let (message, file, line) = if outage {
        (
            "Uncaught Error: Call to undefined function copper_packing_carrier()",
            format!("{content}/plugins/copper-packing/main.php"),
            141,
        )
    } else {
        (
            "Uncaught TypeError: count(): Argument #1 ($value) must be of type Countable|array, null given",
            format!("{content}/plugins/legacy-import/parser.php"),
            120,
        )
    };
    format!(
        "[{time}] PHP Fatal error:  {message} in {file}:{line}\nStack trace:\n\
         #0 {ROOT}/wp-includes/class-wp-hook.php(324): {{closure}}(Object(WC_Order))\n\
         #1 {ROOT}/wp-includes/class-wp-hook.php(348): WP_Hook->apply_filters('', Array)\n\
         #2 {ROOT}/wp-includes/plugin.php(517): WP_Hook->do_action(Array)\n\
         #3 {content}/plugins/woocommerce/includes/class-wc-order.php(402): \
         do_action('woocommerce_ord...', 1204, Object(WC_Order))\n\
         #4 {{main}}\n  thrown in {file} on line {line}\n"
    )
}

fn shop_line(rng: &mut Rng, clock: &Clock, source: &str, at: i64) -> String {
    let time = clock.utc(at, "%Y-%m-%dT%H:%M:%S+00:00");
    match source {
        "fatal-errors" => format!(
            "{time} CRITICAL Uncaught Error: Call to undefined function copper_packing_carrier() in \
             {ROOT}/wp-content/plugins/copper-packing/main.php:141 CONTEXT: \
             {{\"error\":{{\"type\":1,\"line\":141}}}}\n"
        ),
        "stripe" => {
            let (level, what) = rng
                .word(&[
                    "INFO Payment confirmed",
                    "INFO Webhook received",
                    "ERROR Card declined: insufficient funds",
                ])
                .split_once(' ')
                .unwrap_or(("INFO", ""));
            format!("{time} {level} {what} for pi_3{}\n", rng.alnum(23))
        }
        _ => format!("{time} WARNING Parcel {} has no weight, 1 kg assumed\n", rng.range(10_000, 99_999)),
    }
}
