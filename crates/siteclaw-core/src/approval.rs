//! Asking before something is changed or sent.
//!
//! The door asks a gate with exactly what will run. The decision is bound to a digest over tool, schema,
//! arguments, the plan's witness, caller and run; after the wait the plan is made again and must give the
//! same digest, else the call ends with `STALE_APPROVAL`.

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::caller::Caller;
use crate::effects::Effects;

/// What a gate decides on.
#[derive(Clone, Debug)]
pub struct ApprovalRequest {
    /// The run the call belongs to.
    pub run: String,
    /// The call.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The arguments as they will run: tidied and validated, secrets masked.
    pub arguments: Value,
    /// What the tool shows of its plan, secrets masked.
    pub preview: Option<String>,
    /// What the call would do.
    pub effects: Effects,
    /// Whether untrusted text has entered the run.
    pub tainted: bool,
    /// Who asks.
    pub caller: Caller,
    /// The digest that the decision is bound to, 64 hexadecimal digits.
    pub digest: String,
}

/// What a gate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run exactly this.
    Approved,
    /// Do not run it; the reason reaches the model.
    Denied {
        /// One sentence.
        reason: String,
    },
    /// Nobody has decided yet; the run must wait.
    Pending {
        /// Where the decision is awaited, for whoever continues the run.
        handle: String,
    },
}

/// Decides about calls that write, or that send from a tainted run.
pub trait ApprovalGate: Send + Sync + 'static {
    /// Decides. While it waits the call holds no lock and its deadline stands still.
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Decision>;
}

/// Denies everything: the gate of a surface on which nobody can be asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct DenyAll;

impl ApprovalGate for DenyAll {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Decision> {
        Box::pin(std::future::ready(Decision::Denied {
            reason: "Nobody can be asked here, so calls that change or send something are denied.".to_owned(),
        }))
    }
}
