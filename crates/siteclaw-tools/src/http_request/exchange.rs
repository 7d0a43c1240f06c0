//! A request with its redirects.

use reqwest::Response;
use siteclaw_core::{Ctx, ToolError, sanitise_fragment};
use tokio::time::Instant;

use super::answer::Followed;
use super::client::Message;
use super::follow::{self, Hop};
use super::{Asked, HttpRequest, failure};
use crate::network::CheckedUrl;

/// The last answer of a chain.
pub(super) struct Exchange {
    /// The URL that gave it.
    pub(super) url: CheckedUrl,
    /// The answer, its body not read.
    pub(super) response: Response,
    /// The answers before it.
    pub(super) redirects: Vec<Followed>,
    /// Why an answer that leads on was not followed. Only after a POST: what it did must not be lost with its
    /// answer, while a GET just fails.
    pub(super) not_followed: Option<ToolError>,
}

impl HttpRequest {
    /// Asks, and asks on where the answer leads, until an answer leads nowhere.
    pub(super) async fn exchange(
        &self,
        ctx: &Ctx,
        plan: &Asked,
        deadline: Instant,
    ) -> Result<Exchange, ToolError> {
        let (url, mut message) = (plan.url.clone(), plan.message.clone());
        let response = self.ask(ctx, url.clone(), message.clone(), deadline).await?;
        let mut last = Exchange { url, response, redirects: Vec::new(), not_followed: None };
        loop {
            let on = match self.next(&last, &message) {
                Ok(None) => return Ok(last),
                Ok(Some(Hop { url, message })) => {
                    let answer = self.ask(ctx, url.clone(), message.clone(), deadline).await;
                    answer.map(|response| (url, message, response)).map_err(|error| led_astray(error, &last))
                }
                Err(error) => Err(error),
            };
            match on {
                Ok((url, sent, response)) => {
                    last.redirects.push(Followed {
                        status: last.response.status().as_u16(),
                        url: last.url.to_string(),
                    });
                    message = sent;
                    last = Exchange { url, response, ..last };
                }
                Err(error) if plan.message.is_safe() => return Err(error),
                Err(error) => return Ok(Exchange { not_followed: Some(error), ..last }),
            }
        }
    }

    /// Where an answer leads, as far as its text may be followed.
    fn next(&self, last: &Exchange, sent: &Message) -> Result<Option<Hop>, ToolError> {
        if self.max_redirects == 0 {
            return Ok(None);
        }
        let (status, headers) = (last.response.status(), last.response.headers());
        let Some(hop) = follow::next(&last.url, sent, status, headers)? else { return Ok(None) };
        if last.redirects.len() == self.max_redirects {
            let why = format!("{} redirects are the most that are followed.", self.max_redirects);
            return Err(failure::redirect(&last.url, status.as_u16(), &why));
        }
        match self.policy.check(&hop.url) {
            Ok(()) => Ok(Some(hop)),
            Err(refused) => Err(failure::redirect_to(&last.url, status.as_u16(), &refused)),
        }
    }

    /// Counts a request, judges the addresses of its host and sends it to them.
    async fn ask(
        &self,
        ctx: &Ctx,
        url: CheckedUrl,
        message: Message,
        deadline: Instant,
    ) -> Result<Response, ToolError> {
        let now = ctx.now().as_millisecond();
        self.pace.admit(&url.host().shown(), now).map_err(|seconds| failure::too_often(&url, seconds))?;
        let vetted = self.policy.vet(url).await?;
        self.connector.send(&vetted, message, deadline).await
    }
}

/// An error of a later hop, with who led there.
fn led_astray(error: ToolError, last: &Exchange) -> ToolError {
    let url = sanitise_fragment(last.url.as_str(), 200);
    let text = format!("{url} answered {} and led on. {}", last.response.status().as_u16(), error.message());
    let mut told = ToolError::new(error.code(), text).with("redirected_by", url);
    if let Some(hint) = error.hint_text() {
        told = told.hint(hint);
    }
    if error.is_retryable() {
        told = told.retryable();
    }
    told.source(error)
}
