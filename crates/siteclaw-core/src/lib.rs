//! The contract of Siteclaw's tools, and the one door that every call of every tool passes.
//!
//! A [`Tool`] is a typed input, plan and output. A [`Registry`] holds tools by name. An [`Executor`] passes
//! a [`ToolCall`] of a [`Run`] through ten stages (lookup, capability, tidy, validate, argument guards, plan,
//! approval, perform, output, record) and always gives an [`Outcome`] with an [`Envelope`].
//!
//! Deliberately absent: this crate opens no file and no socket, reads no environment, prints nothing, and
//! takes time, ids and keys only from those who build the engine.

#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]

mod approval;
mod blocking;
mod caller;
mod cancel;
mod clock;
mod closure;
pub mod code;
mod context;
mod dialect;
mod effects;
mod envelope;
mod erased;
mod error;
mod event;
mod executor;
mod fit;
mod guard;
mod invisible;
mod journal;
mod mask;
mod names;
mod registry;
mod reply;
pub mod router;
mod run;
mod schema;
mod secret;
mod settings;
mod spec;
mod tidy;
mod tool;
mod validate;
mod validity;

pub use approval::{ApprovalGate, ApprovalRequest, Decision, DenyAll};
pub use caller::{AllowAll, Caller, CallerKind, CapabilityPolicy, Permission, Policy, Refused, Surface};
pub use cancel::{Cancel, Stop};
pub use clock::{Clock, CountingIds, FixedClock, Ids, SystemClock};
pub use closure::{FnTool, tool_fn};
pub use context::Ctx;
pub use dialect::Dialect;
pub use effects::Effects;
pub use envelope::{Envelope, Warning};
pub use error::{Code, ToolError, is_invisible, sanitise_fragment};
pub use event::{Event, EventKind, Observer};
pub use executor::{Executor, ExecutorBuilder, Outcome, Step, ToolCall};
pub use guard::{ArgumentGuard, Finding, OutputGuard, PhraseGuard};
pub use journal::{Intent, Journal, JournalError, LogJournal, Record};
pub use mask::{Masker, Span, Traced, without_known_secrets};
pub use names::{nearest, suggestion};
pub use registry::{Entry, Registry, RegistryBuilder, RegistryError};
pub use reply::{Paging, Reply};
pub use run::{Offered, PARALLEL_READS, RESULT_BUDGET, Run, RunBuilder, RunSnapshot, RunState};
pub use schema::{SchemaError, of as schema_of};
pub use secret::Secret;
pub use settings::parse as parse_settings;
pub use spec::{CORE_CAPABILITY, Eligibility, Example, Routing, ToolSpec, Trust};
pub use tool::{Planned, Recovery, Tool};
pub use validate::check_value;

pub use futures_util::future::BoxFuture;
