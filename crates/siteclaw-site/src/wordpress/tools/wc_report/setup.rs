//! How the shop's settings decide what counts: statuses, dates, weeks.

use jiff::civil::Weekday;
use serde_json::{Value, json};
use siteclaw_core::ToolError;
use siteclaw_php::PhpValue;

use super::input::{Basis, Plan};
use crate::wordpress::options::Options;
use crate::wordpress::site::Snapshot;
use crate::wordpress::woo::period::Days;
use crate::wordpress::woo::sales::{Moment, Statuses};

const OPTIONS: [&str; 4] =
    ["start_of_week", "woocommerce_date_type", "woocommerce_excluded_report_order_statuses", "siteurl"];
/// `wc_get_is_paid_statuses()`; plugins may add theirs in code, which cannot be seen.
const PAID: [&str; 2] = ["completed", "processing"];
/// What Analytics leaves out where the shop says nothing.
const EXCLUDED: [&str; 3] = ["pending", "failed", "cancelled"];

/// What counts.
pub(super) struct Setup {
    pub(super) week_start: Weekday,
    pub(super) moment: Moment,
    basis: Basis,
    /// Counted for the basis of paid orders, left out for that of Analytics.
    statuses: Vec<String>,
    admin: String,
}

impl Setup {
    pub(super) async fn read(snapshot: &Snapshot, plan: &Plan) -> Result<Self, ToolError> {
        let options = Options::read(snapshot, &OPTIONS).await?;
        let statuses = match (plan.basis, &plan.statuses) {
            (Basis::PaidStatuses, Some(names)) => names.clone(),
            (Basis::PaidStatuses, None) => PAID.map(str::to_owned).to_vec(),
            (Basis::Analytics, _) => {
                excluded(options.serialised("woocommerce_excluded_report_order_statuses"))
            }
        };
        let moment = match (plan.basis, options.text("woocommerce_date_type")) {
            (Basis::PaidStatuses, _) | (Basis::Analytics, "date_created") => Moment::Created,
            (Basis::Analytics, "date_completed") => Moment::Completed,
            // Also where the shop has never said.
            (Basis::Analytics, _) => Moment::Paid,
        };
        let siteurl = snapshot.settings.siteurl.as_deref().unwrap_or_else(|| options.text("siteurl"));
        Ok(Self {
            week_start: week_start(options.text("start_of_week")),
            moment,
            basis: plan.basis,
            statuses,
            admin: format!("{}/wp-admin/admin.php", siteurl.trim_end_matches('/')),
        })
    }

    /// Whether orders of this status count as sales.
    pub(super) fn counts(&self, status: &str) -> bool {
        let named = self.statuses.iter().any(|name| name == status);
        match self.basis {
            Basis::PaidStatuses => named,
            Basis::Analytics => !named,
        }
    }

    pub(super) fn filter(&self) -> Statuses<'_> {
        match self.basis {
            Basis::PaidStatuses => Statuses::Only(&self.statuses),
            Basis::Analytics => Statuses::Except(&self.statuses),
        }
    }

    /// Names of the rule about statuses, for meta.
    pub(super) fn statuses(&self) -> (&'static str, Value) {
        let key = match self.basis {
            Basis::PaidStatuses => "counted_statuses",
            Basis::Analytics => "excluded_statuses",
        };
        let names: Vec<String> = self.statuses.iter().map(|name| format!("wc-{name}")).collect();
        (key, json!(names))
    }

    /// The screens of the site's admin that show the same: for paid orders one for each status, because the
    /// screen takes one status at a time.
    pub(super) fn screens(&self, days: Option<Days>) -> Value {
        let Some(days) = days else {
            return json!(format!("{}?page=wc-admin&path=%2Fanalytics%2Frevenue", self.admin));
        };
        let period = format!("period=custom&compare=previous_year&after={}&before={}", days.from, days.to);
        match self.basis {
            Basis::Analytics => {
                json!(format!("{}?page=wc-admin&path=%2Fanalytics%2Frevenue&{period}", self.admin))
            }
            Basis::PaidStatuses => json!(
                self.statuses
                    .iter()
                    .map(|name| {
                        format!(
                            "{}?page=wc-admin&path=%2Fanalytics%2Forders&{period}&filter=advanced&status_is={name}",
                            self.admin
                        )
                    })
                    .collect::<Vec<_>>()
            ),
        }
    }
}

fn excluded(stored: Option<PhpValue>) -> Vec<String> {
    let Some(stored) = stored else { return EXCLUDED.map(str::to_owned).to_vec() };
    let names = stored.as_array().into_iter().flat_map(|list| list.values());
    names
        .filter_map(PhpValue::to_text)
        .map(|name| name.strip_prefix("wc-").map_or(name.clone(), str::to_owned))
        .collect()
}

/// The option counts from Sunday, 0; without it weeks begin on Monday, as in a fresh WordPress.
fn week_start(option: &str) -> Weekday {
    let day = option.trim().parse().ok().and_then(|day| Weekday::from_sunday_zero_offset(day).ok());
    day.unwrap_or(Weekday::Monday)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::options::decode;

    #[test]
    fn settings_are_read_as_they_are_stored() {
        assert_eq!(week_start("0"), Weekday::Sunday);
        assert_eq!(week_start("6"), Weekday::Saturday);
        assert_eq!(week_start(""), Weekday::Monday);
        assert_eq!(week_start("9"), Weekday::Monday);
        assert_eq!(excluded(None), EXCLUDED);
        assert_eq!(excluded(decode(r#"a:1:{i:0;s:7:"on-hold";}"#)), ["on-hold"]);
        assert!(excluded(decode("a:0:{}")).is_empty());
    }
}
