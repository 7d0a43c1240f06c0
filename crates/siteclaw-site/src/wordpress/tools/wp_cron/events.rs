//! The events that the option `cron` holds.
//!
//! Facts: `_get_cron_array()`: Unix time → hook → hash of the arguments → schedule, arguments and interval; the key
//! `version` beside the times is no event.

use jiff::Timestamp;
use serde_json::Value;
use siteclaw_php::{PhpKey, PhpValue};

use crate::wordpress::secrets::scrub_named;
use crate::wordpress::text;

/// Characters of an event's arguments that are shown.
const ARGUMENTS: usize = 500;
/// Seconds after which an event that WordPress runs on visits is missed, and one that a job of the server runs.
const MISSED_ON_VISITS: i64 = 5 * 60;
const MISSED_BY_SERVER: i64 = 60 * 60;
/// Up to when lateness is usual where a job of the server runs events.
const USUAL_BY_SERVER: i64 = 15 * 60;

/// Hooks of WordPress itself.
pub(super) const CORE: [&str; 21] = [
    "delete_expired_transients",
    "do_pings",
    "importer_scheduled_cleanup",
    "publish_future_post",
    "recovery_mode_clean_expired_keys",
    "update_network_counts",
    "upgrader_scheduled_cleanup",
    "wp_delete_temp_updater_backups",
    "wp_https_detection",
    "wp_maybe_auto_update",
    "wp_privacy_delete_old_export_files",
    "wp_scheduled_auto_draft_delete",
    "wp_scheduled_delete",
    "wp_site_health_scheduled_check",
    "wp_split_shared_term_batch",
    "wp_update_comment_type_batch",
    "wp_update_plugins",
    "wp_update_themes",
    "wp_update_user_counts",
    "wp_privacy_personal_data_cleanup_requests",
    "wp_version_check",
];

/// An event.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// When it is due, in Unix seconds.
    pub(super) at: i64,
    pub(super) hook: String,
    /// Name of the recurrence; `None` for an event that runs once.
    pub(super) schedule: Option<String>,
    /// Seconds between two runs; 0 for once.
    pub(super) interval: i64,
    arguments: PhpValue,
}

impl Event {
    /// The arguments without secrets, as short JSON.
    pub(super) fn arguments(&self) -> String {
        let mut value = self.arguments.to_json();
        scrub_named("args", &mut value);
        match value {
            Value::Null => "[]".to_owned(),
            value => text::cut(&value.to_string(), ARGUMENTS),
        }
    }

    /// Seconds since it was due; below zero while it is not.
    pub(super) fn late(&self, now: Timestamp) -> i64 {
        now.as_second().saturating_sub(self.at)
    }
}

/// How late is usual, and how late is too late.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub(super) usual: i64,
    pub(super) missed: i64,
}

impl Patience {
    /// `by_server` where the site leaves its events to a job of the server.
    pub(super) const fn of(by_server: bool) -> Self {
        if by_server {
            Self { usual: USUAL_BY_SERVER, missed: MISSED_BY_SERVER }
        } else {
            Self { usual: 0, missed: MISSED_ON_VISITS }
        }
    }
}

/// All events by time and hook; `None` where the option is no list of events.
pub(super) fn read(cron: &PhpValue) -> Option<Vec<Event>> {
    let mut events = Vec::new();
    for (time, hooks) in cron.as_array()?.iter() {
        let PhpKey::Int(at) = time else { continue };
        for (hook, instances) in hooks.as_array().into_iter().flat_map(|hooks| hooks.iter()) {
            for instance in instances.as_array().into_iter().flat_map(|instances| instances.values()) {
                let schedule = instance.get("schedule").filter(|name| name.to_bool() == Some(true));
                events.push(Event {
                    at: *at,
                    hook: hook.to_text(),
                    schedule: schedule.and_then(PhpValue::to_text),
                    interval: instance.get("interval").and_then(PhpValue::as_int).unwrap_or(0),
                    arguments: instance.get("args").cloned().unwrap_or(PhpValue::Null),
                });
            }
        }
    }
    events.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.hook.cmp(&b.hook)));
    Some(events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::options::decode;

    #[test]
    fn events_are_read_and_the_version_is_none() {
        let stored = r#"a:2:{i:1700000000;a:2:{s:16:"wp_version_check";a:1:{s:32:"40cd750bba9870f18aada2478b24840a";a:3:{s:8:"schedule";s:10:"twicedaily";s:4:"args";a:0:{}s:8:"interval";i:43200;}}s:4:"mail";a:1:{s:1:"x";a:2:{s:8:"schedule";b:0;s:4:"args";a:1:{s:5:"token";s:6:"secret";}}}}s:7:"version";i:2;}"#;
        let events = read(&decode(stored).unwrap()).unwrap();
        let shown: Vec<_> = events
            .iter()
            .map(|e| (e.hook.as_str(), e.schedule.as_deref(), e.interval, e.arguments()))
            .collect();
        assert_eq!(
            shown,
            [
                ("mail", None, 0, "{\"token\":\"[redacted]\"}".to_owned()),
                ("wp_version_check", Some("twicedaily"), 43200, "[]".to_owned()),
            ]
        );
        assert_eq!(events[0].late(Timestamp::from_second(1_700_000_060).unwrap()), 60);
    }
}
