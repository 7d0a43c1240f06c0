//! Progress of tools, on its way to the client that asked for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use siteclaw_core::{Event, EventKind, Masker, Observer};
use tokio::sync::watch;

/// A report without a known part done counts as this much, because a client may rely on growing numbers.
const STEP: f64 = 0.001;
/// Characters of a report's text.
const MAX_MESSAGE: usize = 500;

type Reports = HashMap<String, watch::Sender<Option<Report>>>;

/// Hands the progress that tools report to the client whose call it is.
///
/// It must watch the executor ([`ExecutorBuilder::observer`](siteclaw_core::ExecutorBuilder::observer)) and be
/// given to the server ([`McpOptions::progress`](crate::McpOptions::progress)); clones are one observer. Of
/// reports that come faster than the client reads, the newest is sent.
#[derive(Clone, Default)]
pub struct McpObserver(Arc<Mutex<Reports>>);

#[derive(Clone)]
struct Report {
    message: String,
    fraction: Option<f64>,
}

impl std::fmt::Debug for McpObserver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpObserver").finish_non_exhaustive()
    }
}

impl Observer for McpObserver {
    fn observe(&self, event: &Event) {
        if let EventKind::Progress { message, fraction } = &event.kind
            && let Some(reports) = self.reports().get(event.call.as_ref())
        {
            reports.send_replace(Some(Report { message: message.clone(), fraction: *fraction }));
        }
    }
}

impl McpObserver {
    /// An observer of no call yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn reports(&self) -> std::sync::MutexGuard<'_, Reports> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work of a call and tells the client meanwhile what the call reports. All reports are written
    /// before this returns: after its answer a call must be silent.
    pub(crate) async fn follow<T>(
        &self,
        call: &str,
        token: ProgressToken,
        peer: &Peer<RoleServer>,
        masker: &Masker,
        work: impl Future<Output = T>,
    ) -> T {
        let (sender, mut reports) = watch::channel(None);
        self.reports().insert(call.to_owned(), sender);
        let listening = Listening { observer: self, call };
        let work = async {
            let result = work.await;
            drop(listening);
            result
        };
        let tell = async {
            let mut reached = 0.0;
            while reports.changed().await.is_ok() {
                let Some(report) = reports.borrow_and_update().clone() else { continue };
                let told = peer.notify_progress(notification(&report, &mut reached, token.clone(), masker));
                if told.await.is_err() {
                    break;
                }
            }
        };
        futures_util::future::join(work, tell).await.0
    }
}

/// Forgets the call however its work ends.
struct Listening<'a> {
    observer: &'a McpObserver,
    call: &'a str,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.observer.reports().remove(self.call);
    }
}

/// The report in the protocol's form. Its number is beyond that of the one before, as the protocol asks.
fn notification(
    report: &Report,
    reached: &mut f64,
    token: ProgressToken,
    masker: &Masker,
) -> ProgressNotificationParam {
    let known = report.fraction.filter(|fraction| fraction.is_finite());
    *reached = known.unwrap_or_default().clamp(0.0, 1.0).max(*reached + STEP);
    let message: String = masker.mask(&report.message).chars().take(MAX_MESSAGE).collect();
    let notification = ProgressNotificationParam::new(token, *reached).with_message(message);
    if known.is_some() { notification.with_total(1.0) } else { notification }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::*;

    #[test]
    fn the_number_grows_with_every_report_whatever_the_tool_says() {
        let masker = Masker::new([7; 32]);
        let mut reached = 0.0;
        let told: Vec<_> = [None, Some(0.5), Some(0.5), Some(f64::NAN), Some(0.25), Some(7.0)]
            .into_iter()
            .map(|fraction| {
                let report = Report { message: "x".repeat(900), fraction };
                notification(&report, &mut reached, ProgressToken(NumberOrString::Number(1)), &masker)
            })
            .collect();
        assert!(told.windows(2).all(|pair| pair[0].progress < pair[1].progress), "{told:?}");
        assert_eq!(told[1].progress, 0.5);
        assert_eq!((told[0].total, told[1].total), (None, Some(1.0)));
        assert_eq!(told[0].message.as_ref().map(String::len), Some(500));
    }
}
