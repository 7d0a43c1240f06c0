//! The agent from outside: the loop with a scripted provider, and the provider without a language model.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answers;
mod chain;
mod limits;
mod loops;
mod messages;
mod refusals;
mod script;
mod shop;
mod streams;
mod structured;
#[cfg(feature = "wire")]
mod wire;
