//! What the provider without a model does not answer, and what it owns up to.

use std::sync::Arc;

use serde_json::{Value, json};
use siteclaw_agent::{Agent, Offline};
use siteclaw_core::{Ctx, Effects, Planned, Registry, Reply, Tool, ToolError, ToolSpec, code, tool_fn};

use super::messages::call;
use super::shop::{clock, executor, offline, run};

#[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
struct Note {
    note_id: i64,
}

/// Counts all notes, whatever it is asked.
struct Notes;

impl Tool for Notes {
    type Input = Note;
    type Plan = ();
    type Output = Value;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new("notes", "Counts notes.").tags(&["note", "notes"])
    }

    async fn plan(&self, _: &Ctx, _: Note) -> Result<Planned<(), Value>, ToolError> {
        Ok(Planned::run(()))
    }

    async fn perform(&self, _: &Ctx, (): &()) -> Result<Reply<Value>, ToolError> {
        let message = "note_id has no meaning in aggregate mode.";
        Ok(Reply::new(json!({"total": 3})).warn(code::IGNORED_ARGUMENT, message))
    }
}

/// What the first lines of an answer say was not used.
fn not_used(text: &str) -> &str {
    let above = text.split_once("\n\n").map_or(text, |(above, _)| above);
    let words = above.split_once("Not used: ").map_or("", |(_, words)| words);
    words.split_once(". The answer").map_or("", |(words, _)| words)
}

#[tokio::test]
async fn what_is_not_used_is_said_above_the_answer() {
    let table = [
        ("urgent orders", "wc_get_orders", json!({}), "“urgent”"),
        ("show slow plugins", "wp_plugins", json!({}), "“slow”"),
        (
            "open orders today",
            "wc_get_orders",
            json!({"date_after": "2026-11-30", "date_before": "2026-11-30"}),
            "“open”",
        ),
        ("all orders", "wc_get_orders", json!({}), ""),
        ("I would like to see the orders please", "wc_get_orders", json!({}), ""),
        ("tell me about orders", "wc_get_orders", json!({}), ""),
    ];
    let agent = offline();
    for (message, tool, arguments, left) in table {
        let answer = agent.send(&run(), message).await.unwrap();
        let called = &answer.tools_called[0];
        assert_eq!((called.name.as_str(), &called.input), (tool, &arguments), "{message}");
        assert_eq!(not_used(&answer.text), left, "{message}");
    }
}

#[tokio::test]
async fn an_argument_that_the_tool_passed_over_is_told_above_the_answer() {
    let registry = Registry::builder().tool(Notes).unwrap().build(&[]).unwrap();
    let agent = Agent::builder(executor(registry), Arc::new(Offline::new(clock()))).build();
    let answer = agent.send(&run(), "count note 5").await.unwrap();
    assert_eq!(
        answer.text,
        "No language model was used. Made no difference: note_id has no meaning in aggregate mode. The answer may be \
         wider than the question.\nAsked of notes: note_id = 5.\n\ntotal: 3"
    );
}

#[tokio::test]
async fn a_question_is_never_answered_more_widely_than_it_was_asked() {
    let table = [
        ("orders that are not completed", "wc_get_orders", "“not completed”"),
        ("pending or failed orders", "wc_get_orders", "“pending”, “failed”"),
        ("orders from Germany", "wc_get_orders", "“from Germany”"),
        ("order on 10/11/2026", "wc_get_orders", "“on 10/11/2026”"),
        ("stock of \"Blue shirt\" by warehouse", "wc_stock", "“Blue shirt”, “by warehouse”"),
        ("products between 10 and 20 kilos", "wc_get_products", "“between 10”, “20 kilos”"),
        ("orders with more than 3 items", "wc_get_orders", "“than 3”"),
        ("posts that are not featured", "wp_query", "“not featured”"),
        ("plugins updated yesterday", "wp_plugins", "“updated yesterday”"),
        ("users since October", "wp_users", "“since October”"),
        ("posts by Anna", "wp_query", "“by Anna”"),
        ("orders by country", "wc_get_orders", "“by country”"),
        ("best customers", "wc_get_customer", "“best”"),
        ("comments without replies", "wp_comments", "“without replies”"),
        ("orders and comments of today", "wc_get_orders", "“comments”"),
    ];
    let agent = offline();
    let mut wrong = Vec::new();
    for (message, tool, left) in table {
        let answer = agent.send(&run(), message).await.unwrap();
        assert_eq!(answer.tools_called, [], "{message}: {}", answer.text);
        let said = format!("{tool} fits, but these words could not be used: {left}.");
        if !answer.text.contains(&said) {
            wrong.push(format!("{message}\n  wanted {said}\n  got    {}", answer.text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn what_no_tool_can_change_is_not_looked_up_instead() {
    let table = [
        (
            "delete order 5",
            "No registered tool can delete that. Nothing was changed.",
            "wc_get_orders can show what is there (order_id = 5): ask without “delete”.",
        ),
        (
            "please publish the draft",
            "No registered tool can publish that. Nothing was changed.",
            "(post_status = draft)",
        ),
        (
            "lösche alle spam kommentare",
            "No registered tool can delete that. Nothing was changed.",
            "(status = spam)",
        ),
        ("sing me a song and delete it", "No registered tool can delete that. Nothing was changed.", ""),
        ("how do I add a product", "no tool explains how to add something", "nothing was asked of the site"),
    ];
    for (message, first, second) in table {
        let answer = offline().send(&run(), message).await.unwrap();
        assert_eq!(answer.tools_called, [], "{message}");
        assert!(answer.text.contains(first) && answer.text.contains(second), "{message}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_change_goes_to_the_tool_that_makes_it() {
    let spec = ToolSpec::new("note_delete", "Deletes a note.")
        .effects(Effects::WRITES)
        .tags(&["note", "notes"])
        .intents(&["delete a note"]);
    let tool =
        tool_fn(
            spec,
            |_: Ctx, note: Note| async move { Ok::<_, ToolError>(json!({"deleted": note.note_id})) },
        );
    let registry = Registry::builder().tool(tool).unwrap().build(&[]).unwrap();
    let agent = Agent::builder(executor(registry), Arc::new(Offline::new(clock()))).build();
    let answer = agent.send(&run(), "delete note 5").await.unwrap();
    // Without anybody to ask it is not approved, but it was the right call.
    assert_eq!(answer.tools_called[0].input, json!({"note_id": 5}));
    assert!(!answer.tools_called[0].success);
    let other = agent.send(&run(), "publish note 5").await.unwrap();
    assert!(
        other.text.contains("No registered tool can publish that. Nothing was changed."),
        "{}",
        other.text
    );
}

#[tokio::test]
async fn figures_come_from_a_tool_that_sums_or_not_at_all() {
    // This shop has a report.
    let (name, _) = call(&offline(), "revenue this month").await;
    assert_eq!(name, "wc_report");
    for (message, words) in [
        ("average price of products", "average"),
        ("median order", "median"),
        ("total value of stock", "total value"),
    ] {
        let answer = offline().send(&run(), message).await.unwrap();
        assert_eq!(answer.tools_called, [], "{message}: {}", answer.text);
        assert!(answer.text.contains(&format!("No tool works out “{words}”")), "{message}: {}", answer.text);
        assert!(answer.text.contains("Nearest: db_query runs one SELECT that you write."), "{}", answer.text);
    }
}
