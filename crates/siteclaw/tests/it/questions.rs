//! Questions as owners of shops and blogs type them, asked of the demo shop without a model.
//!
//! Each line of the two files is a question and what is right: a call with its arguments, `refuse` for an answer
//! that asks nothing of the site, `writes` for one that says that nothing was changed. Several right answers stand
//! between bars; `!word` says that the answer must own up to not having used the word. Rules are made by looking at
//! `tuned.txt` alone; of `held_out.txt` only the rate is looked at.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use siteclaw_agent::{Agent, Answer, Offline};
use siteclaw_core::{
    Caller, CapabilityPolicy, CountingIds, Executor, FixedClock, Masker, Registry, Run, Surface,
};
use siteclaw_site::{AttachOptions, Site};

use crate::binary::NOW;
use crate::shop::{block_on, shop};

/// The tools that the right answers were written for. Others come and go without changing what is right here.
const TOOLS: [&str; 9] = [
    "wp_query",
    "wc_get_orders",
    "wc_get_products",
    "wp_users",
    "wc_stock",
    "wp_option",
    "db_query",
    "wp_plugins",
    "wp_comments",
];

/// What an argument is when it is left out, as the tools' descriptions say it.
const DEFAULTS: [(&str, &str, &str); 16] = [
    ("wp_query", "post_type", "post"),
    ("wp_query", "post_status", "publish"),
    ("wp_query", "orderby", "date"),
    ("wp_query", "order", "DESC"),
    ("wc_get_orders", "status", "all"),
    ("wc_get_orders", "orderby", "date"),
    ("wc_get_orders", "order", "DESC"),
    ("wc_get_products", "status", "publish"),
    ("wc_get_products", "orderby", "date"),
    ("wc_get_products", "order", "DESC"),
    ("wp_users", "orderby", "registered"),
    ("wp_users", "order", "DESC"),
    ("wc_stock", "orderby", "name"),
    ("wc_stock", "order", "ASC"),
    ("wp_comments", "orderby", "comment_date_gmt"),
    ("wp_comments", "order", "DESC"),
];

fn agent() -> Agent {
    let site = Site::attach(&shop(), AttachOptions::default()).unwrap();
    let mut registry = Registry::builder();
    for entry in site.tools().unwrap() {
        if TOOLS.contains(&entry.spec().name()) {
            registry = registry.entry(entry).unwrap();
        }
    }
    let clock = Arc::new(FixedClock(NOW.parse().unwrap()));
    let masker = Arc::new(Masker::new([7; 32]));
    let ids = Arc::new(CountingIds::default());
    let registry = registry.build(&[]).unwrap();
    assert_eq!(registry.entries().len(), TOOLS.len());
    let executor =
        Executor::builder(registry, Arc::new(CapabilityPolicy), masker, clock.clone(), ids).build();
    Agent::builder(executor, Arc::new(Offline::new(clock))).build()
}

/// Leaves out what says no more than the default, where sorting is the default whole.
fn shortened(tool: &str, arguments: &Value) -> Value {
    let mut arguments = arguments.as_object().cloned().unwrap_or_default();
    let is_default = |name: &str, arguments: &Map<String, Value>| {
        arguments.get(name).is_none_or(|value| {
            DEFAULTS.iter().any(|&(of, field, usual)| of == tool && field == name && value == usual)
        })
    };
    let sorted = is_default("orderby", &arguments) && is_default("order", &arguments);
    for (of, field, _) in DEFAULTS {
        let sorts = field == "orderby" || field == "order";
        // With a sort of its own the direction matters.
        if of == tool && (!sorts || sorted) && is_default(field, &arguments) {
            arguments.remove(field);
        }
    }
    Value::Object(arguments)
}

/// Whether the answer is this one: `wc_get_orders status=failed !urgent`, `refuse`, `writes`.
fn fits(expected: &str, answer: &Answer) -> bool {
    let changed_nothing = answer.text.contains("Nothing was changed");
    match (expected, answer.tools_called.as_slice()) {
        ("refuse", []) => !changed_nothing,
        ("writes", []) => changed_nothing,
        ("refuse" | "writes", _) | (_, []) => false,
        (_, [call]) => {
            let (tool, arguments, unused) = parsed(expected);
            let (before, _) = answer.text.split_once("\n\n").unwrap_or((&answer.text, ""));
            let owned_up = before.split_once("Not used: ").map_or("", |(_, words)| words);
            call.success
                && call.name == tool
                && shortened(&tool, &call.input) == shortened(&tool, &arguments)
                && unused.iter().all(|word| owned_up.contains(word.as_str()))
                && (!unused.is_empty() || owned_up.is_empty())
        }
        _ => false,
    }
}

fn parsed(expected: &str) -> (String, Value, Vec<String>) {
    let mut pieces: Vec<String> = Vec::new();
    let mut quoted = false;
    let mut piece = String::new();
    for c in expected.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                piece.push(c);
            }
            ' ' if !quoted => pieces.push(std::mem::take(&mut piece)),
            _ => piece.push(c),
        }
    }
    pieces.push(piece);
    let mut arguments = Map::new();
    let mut unused = Vec::new();
    for piece in &pieces[1..] {
        match piece.split_once('=') {
            Some((name, value)) => {
                let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
                arguments.insert(name.to_owned(), value);
            }
            None => unused.push(piece.trim_start_matches('!').trim_matches('"').to_owned()),
        }
    }
    (pieces[0].clone(), Value::Object(arguments), unused)
}

/// How many lines were answered rightly, of how many, and those that were not.
fn asked(lines: &str) -> (usize, usize, String) {
    let agent = agent();
    let mut wrong = Vec::new();
    let mut all = 0;
    for line in lines.lines() {
        all += 1;
        let (question, expected) = line.split_once(" -> ").unwrap_or_else(|| panic!("{line}"));
        let run = Run::builder("run", Caller::console(Surface::Agent, false)).build();
        let answer = block_on(agent.send(&run, question)).unwrap();
        if !expected.split(" | ").any(|expected| fits(expected, &answer)) {
            let call = match answer.tools_called.first() {
                Some(call) => format!("{} {} {}", call.name, call.input, call.success),
                None => String::new(),
            };
            let head: Vec<&str> = answer.text.lines().take(3).collect();
            wrong.push(format!("{line}\n     {call}\n     {}", head.join(" / ")));
        }
    }
    (all - wrong.len(), all, wrong.join("\n"))
}

#[test]
fn questions_that_the_rules_were_made_for() {
    let (right, all, wrong) = asked(include_str!("questions/tuned.txt"));
    assert!(right * 100 >= all * 97, "{right} of {all}\n{wrong}");
}

#[test]
fn questions_that_the_rules_were_not_made_for() {
    let (right, all, _) = asked(include_str!("questions/held_out.txt"));
    assert!(right * 100 >= all * 93, "{right} of {all}");
}
