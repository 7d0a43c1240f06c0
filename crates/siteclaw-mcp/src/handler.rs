//! Requests of the protocol, as far as this server answers them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ErrorCode,
    ListToolsResult, PaginatedRequestParams, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use siteclaw_core::{Cancel, ToolCall, sanitise_fragment};

use crate::answer;
use crate::server::Session;
use crate::turns::Arrived;
use crate::wire::wrong_parameters;

/// Methods that this server answers; a request of one that the SDK could not read has wrong parameters.
const METHODS: [&str; 5] = ["initialize", "ping", "server/discover", "tools/call", "tools/list"];

/// Answers the requests of one session.
pub(crate) struct Handler {
    session: Arc<Session>,
}

impl Handler {
    pub(crate) const fn new(session: Arc<Session>) -> Self {
        Self { session }
    }

    /// Passes a call whose turn it is through the door. One that is cancelled is ended there: a read at once, a
    /// write when its end is known or has been waited for.
    async fn called(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let Session { executor, run, progress, .. } = &*self.session;
        let id = executor.new_id("call");
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let call = ToolCall::new(request.name, arguments).with_id(id.as_str());
        let cancel = Cancel::new();
        let work = AssertUnwindSafe(executor.call_with(run, call, cancel.clone())).catch_unwind();
        let work = async {
            match (progress, context.meta.get_progress_token()) {
                (Some(progress), Some(token)) => {
                    progress.follow(&id, token, &context.peer, executor.masker(), work).await
                }
                _ => work.await,
            }
        };
        tokio::pin!(work);
        let result = tokio::select! {
            biased;
            result = &mut work => result,
            () = context.ct.cancelled() => {
                cancel.cancel();
                // The door ends the call and records it; nobody waits for the answer.
                let _ = work.await;
                return Ok(answer::cancelled());
            }
        };
        match result {
            Ok(outcome) => answer::of(&outcome.envelope),
            Err(_) => {
                tracing::error!(call = id, "a call panicked outside its tool");
                Ok(answer::broken())
            }
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.session.config.clone()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // The list is one page, so no cursor was ever given out.
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params("The list has one page; leave the cursor out.", None));
        }
        let Session { executor, run, tools, .. } = &*self.session;
        let tools = executor
            .registry()
            .eligible(executor.policy(), run.caller())
            .iter()
            .map(|entry| entry.spec().name())
            .filter(|name| run.offers(name))
            .filter_map(|name| tools.get(name).cloned())
            .collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(place) = context.extensions.get::<Arrived>().and_then(Arrived::take) else {
            return Ok(answer::busy(self.session.max_in_flight).into());
        };
        let turn = tokio::select! {
            biased;
            () = context.ct.cancelled() => return Ok(answer::cancelled().into()),
            turn = place.turn() => turn,
        };
        let result = self.called(request, &context).await.map(Into::into);
        drop(turn);
        result
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = sanitise_fragment(&request.method, 64);
        Err(if METHODS.contains(&method.as_str()) {
            wrong_parameters(&method)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("There is no method '{method}' here."), None)
        })
    }

    async fn on_initialized(&self, _: NotificationContext<RoleServer>) {
        tracing::debug!("the client is ready");
    }
}
