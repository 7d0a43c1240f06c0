//! The command line and the library as their users meet them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod bad_input;
mod binary;
mod commands;
mod configuration;
mod demo;
mod hosts;
mod library;
mod mariadb;
mod mcp;
mod model;
mod providers;
mod questions;
mod shop;
mod untouched;
