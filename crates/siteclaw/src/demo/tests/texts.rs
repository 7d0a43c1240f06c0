//! Dates in two zones, serialised values, secrets, files.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use super::Demo;

#[tokio::test]
async fn local_dates_are_the_utc_ones_in_amsterdam() {
    let mut demo = Demo::new().await;
    let zone = TimeZone::get("Europe/Amsterdam").unwrap();
    let pairs = demo
        .rows(
            "SELECT post_date, post_date_gmt FROM wp_posts WHERE post_date_gmt<>'0000-00-00 00:00:00' \
             UNION ALL SELECT post_modified, post_modified_gmt FROM wp_posts UNION ALL SELECT \
             comment_date, comment_date_gmt FROM wp_comments UNION ALL SELECT date_created, \
             date_created_gmt FROM wp_wc_order_stats",
        )
        .await;
    assert!(pairs.len() > 5000);
    for pair in pairs {
        let (local, utc) = pair.split_once('|').unwrap();
        let utc: DateTime = utc.parse().unwrap();
        let moment: Timestamp = utc.to_zoned_datetime(TimeZone::UTC).unwrap().timestamp();
        let expected = moment.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string();
        assert_eq!(local, expected);
    }
    // Some orders belong to another month in local time.
    assert!(
        demo.number(
            "SELECT COUNT(*) FROM wp_wc_order_stats WHERE \
             substr(date_created,1,7)<>substr(date_created_gmt,1,7)"
        )
        .await
            >= 6
    );
    demo.none(
        "SELECT id FROM wp_wc_orders WHERE date_created_gmt > '2026-11-30 18:00:00' OR date_updated_gmt > \
         '2026-11-30 18:00:00'",
    )
    .await;
    demo.none("SELECT comment_ID FROM wp_comments WHERE comment_date_gmt > '2026-11-30 18:00:00'").await;
    demo.none(
        "SELECT ID FROM wp_posts WHERE post_date_gmt > '2026-11-30 18:00:00' AND post_status<>'future'",
    )
    .await;
}

#[tokio::test]
async fn every_serialised_value_parses() {
    let mut demo = Demo::new().await;
    let mut seen = 0;
    for (table, name, value) in [
        ("options", "option_name", "option_value"),
        ("postmeta", "meta_key", "meta_value"),
        ("usermeta", "meta_key", "meta_value"),
        ("commentmeta", "meta_key", "meta_value"),
        ("woocommerce_order_itemmeta", "meta_key", "meta_value"),
        ("woocommerce_sessions", "session_key", "session_value"),
        ("actionscheduler_actions", "hook", "schedule"),
    ] {
        // A serialised array, object, text, boolean or number ends like this; nothing else in these columns
        // does.
        let sql = format!(
            "SELECT {name}, {value} FROM wp_{table} WHERE {value} GLOB '[aOsbid]:*[;}}]' OR {value} = 'N;'"
        );
        for row in demo.rows(&sql).await {
            let (name, value) = row.split_once('|').unwrap();
            assert_eq!(parse(value.as_bytes()), Some(value.len()), "{table}.{name}: {value:.120}");
            seen += 1;
        }
    }
    assert!(seen > 1500, "{seen}");
    let cron = demo.rows("SELECT option_value FROM wp_options WHERE option_name='cron'").await;
    assert!(cron[0].starts_with("a:") && cron[0].ends_with("s:7:\"version\";i:2;}"));
}

/// Reads one value strictly and gives its length in bytes.
fn parse(text: &[u8]) -> Option<usize> {
    let number = |from: usize, end: u8| {
        let rest = text.get(from..)?;
        let len = rest.iter().position(|b| *b == end)?;
        Some((std::str::from_utf8(&rest[..len]).ok()?.parse::<f64>().ok()?, from + len + 1))
    };
    let quoted = |at: usize, len: usize| {
        (text.get(at)? == &b'"' && text.get(at + len + 1)? == &b'"').then_some(at + len + 2)
    };
    match *text.first()? {
        b'N' => text.starts_with(b"N;").then_some(2),
        b'b' | b'i' | b'd' => Some(number(2, b';')?.1),
        b's' => {
            let (len, at) = number(2, b':')?;
            let end = quoted(at, len as usize)?;
            (text.get(end)? == &b';').then_some(end + 1)
        }
        kind @ (b'a' | b'O') => {
            let mut at = 2;
            if kind == b'O' {
                let (len, name) = number(2, b':')?;
                at = quoted(name, len as usize)? + 1;
            }
            let (count, open) = number(at, b':')?;
            let mut at = open + 1;
            (text.get(open)? == &b'{').then_some(())?;
            for _ in 0..(count as usize) * 2 {
                at += parse(text.get(at..)?)?;
            }
            (text.get(at)? == &b'}').then_some(at + 1)
        }
        _ => None,
    }
}

#[test]
fn the_parser_of_this_test_is_strict() {
    for good in
        ["N;", "i:-3;", "s:3:\"a\"b\";", "a:1:{s:1:\"k\";a:0:{}}", "O:8:\"stdClass\":1:{s:1:\"a\";b:1;}"]
    {
        assert_eq!(parse(good.as_bytes()), Some(good.len()), "{good}");
    }
    for bad in ["s:5:\"abc\";", "s:2:\"abc\";", "a:2:{i:0;i:1;}", "a:1:{i:0;i:1;", "x:1;"] {
        assert_ne!(parse(bad.as_bytes()), Some(bad.len()), "{bad}");
    }
}

#[tokio::test]
async fn secrets_have_the_shapes_of_real_ones() {
    let mut demo = Demo::new().await;
    demo.none(
        "SELECT ID FROM wp_users WHERE NOT ((user_pass LIKE '$wp$2y$10$%' AND LENGTH(user_pass)=63) \
     OR (user_pass LIKE '$P$B%' AND LENGTH(user_pass)=34))",
    )
    .await;
    assert!(demo.number("SELECT COUNT(*) FROM wp_users WHERE user_pass LIKE '$P$%'").await > 5);
    assert!(demo.number("SELECT COUNT(*) FROM wp_usermeta WHERE meta_key='session_tokens'").await > 15);
    assert_eq!(
        demo.number(
            "SELECT COUNT(*) FROM wp_usermeta WHERE meta_key='_application_passwords' AND meta_value LIKE \
             '%\"$generic$%'"
        )
        .await,
        5
    );
    assert_eq!(
        demo.number(
            "SELECT COUNT(*) FROM wp_woocommerce_api_keys WHERE LENGTH(consumer_key)=64 AND \
             consumer_secret LIKE 'cs\\_%' ESCAPE '\\'"
        )
        .await,
        3
    );
    assert_eq!(
        demo.number(
            "SELECT COUNT(*) FROM wp_options WHERE option_name='woocommerce_stripe_settings' AND \
             option_value LIKE '%\"sk\\_live\\_%' ESCAPE '\\'"
        )
        .await,
        1
    );
    assert!(demo.number("SELECT COUNT(*) FROM wp_woocommerce_payment_tokens").await > 5);
    // No mail address outside the reserved domains, no address that somebody could have.
    demo.none(
        "SELECT user_email FROM wp_users WHERE user_email NOT LIKE '%@example.org' AND user_email NOT LIKE \
         '%@example.com' AND user_email NOT LIKE '%@example.net' AND user_email NOT LIKE '%.example'",
    )
    .await;
    demo.none(
        "SELECT ip_address FROM wp_wc_orders WHERE type='shop_order' AND ip_address NOT LIKE '192.0.2.%' \
         AND ip_address NOT LIKE '198.51.100.%' AND ip_address NOT LIKE '203.0.113.%' AND ip_address NOT \
         LIKE '2001:db8:%'",
    )
    .await;
}

#[tokio::test]
async fn options_cover_every_autoload_value_and_both_kinds_of_transient() {
    let mut demo = Demo::new().await;
    let kinds = demo.rows("SELECT DISTINCT autoload FROM wp_options ORDER BY 1").await;
    assert_eq!(kinds, ["auto", "auto-off", "auto-on", "no", "off", "on", "yes"]);
    assert!(
        demo.number(
            "SELECT SUM(LENGTH(CAST(option_value AS BLOB))) FROM wp_options WHERE autoload IN \
             ('yes','on','auto','auto-on')"
        )
        .await
            > 800_000
    );
    let timeouts = "FROM wp_options WHERE (option_name LIKE '\\_transient\\_timeout\\_%' ESCAPE '\\' OR \
         option_name LIKE '\\_site\\_transient\\_timeout\\_%' ESCAPE '\\') AND option_value+0";
    assert_eq!(demo.number(&format!("SELECT COUNT(*) {timeouts} < 1796061600")).await, 16);
    assert_eq!(demo.number(&format!("SELECT COUNT(*) {timeouts} > 1796061600")).await, 16);
    let updates = demo
        .rows("SELECT option_value FROM wp_options WHERE option_name='_site_transient_update_plugins'")
        .await;
    assert!(
        updates[0].contains("s:8:\"response\";a:2:{s:27:\"woocommerce/woocommerce.php\""),
        "{:.200}",
        updates[0]
    );
}

#[tokio::test]
async fn files_are_where_the_media_library_says_but_for_nine() {
    let mut demo = Demo::new().await;
    let files = demo.rows("SELECT meta_value FROM wp_postmeta WHERE meta_key='_wp_attached_file'").await;
    let uploads = demo.summary.dir.join("wp-content/uploads");
    assert_eq!(files.iter().filter(|f| !uploads.join(f).is_file()).count(), 9);
    let without_alt = "SELECT COUNT(*) FROM wp_posts p LEFT JOIN wp_postmeta m ON m.post_id=p.ID AND \
         m.meta_key='_wp_attachment_image_alt' WHERE p.post_mime_type='image/png' AND p.post_title NOT \
         LIKE 'woocommerce%' AND COALESCE(m.meta_value,'')=''";
    assert_eq!(demo.number(without_alt).await, 18);
    let first = files.iter().find(|f| f.ends_with(".png") && uploads.join(f).is_file()).unwrap();
    let size = std::fs::metadata(uploads.join(first)).unwrap().len();
    let meta = demo
        .rows(&format!(
            "SELECT m.meta_value FROM wp_postmeta m JOIN wp_postmeta f ON f.post_id=m.post_id AND \
             f.meta_value='{first}' WHERE m.meta_key='_wp_attachment_metadata'"
        ))
        .await;
    assert!(meta[0].contains(&format!("s:8:\"filesize\";i:{size};s:5:\"sizes\"")), "{}", meta[0]);
    for file in [
        "wp-config.php",
        "wp-includes/version.php",
        "wp-load.php",
        "wp-settings.php",
        "wp-content/mu-plugins/copper-tweaks.php",
        "wp-content/plugins/brewing-quotes.php",
        "wp-content/themes/copper-child/style.css",
        "wp-content/db.php",
        "wp-content/database/.htaccess",
    ] {
        assert!(demo.summary.dir.join(file).is_file(), "{file}");
    }
    assert!(!demo.summary.dir.join("wp-content/plugins/old-newsletter").exists());
    let log = std::fs::read_to_string(demo.summary.dir.join("wp-content/debug.log")).unwrap();
    let entries = log.lines().filter(|l| l.starts_with('[')).count();
    assert_eq!(entries, 460);
    for level in ["Fatal error", "Parse error", "Warning", "Notice", "Deprecated"] {
        assert!(log.contains(&format!("] PHP {level}:  ")), "{level}");
    }
    assert!(log.contains("\nStack trace:\n#0 ") && log.contains("WordPress database error "));
}
