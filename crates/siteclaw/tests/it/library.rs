//! The crate as a library: its weight, a loop of one's own, and engines side by side.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::json;
use siteclaw::{Caller, CapabilityPolicy, Claw, Ctx, Surface, ToolError, ToolSpec, tool_fn};

use crate::shop::block_on;

#[path = "../../examples/foreign_loop.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example is a program of its own")]
mod foreign_loop;

#[test]
fn without_features_no_database_parser_protocol_or_web_client_comes_along() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "-p", "siteclaw", "--no-default-features", "-e", "normal"])
        .args(["--prefix", "none", "--format", "{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let crates: BTreeSet<&str> = text.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    let names: BTreeSet<&str> = crates.iter().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains("siteclaw-core"), "{names:?}");
    for absent in [
        "sqlx",
        "sqlx-core",
        "libsqlite3-sys",
        "php-rs-parser",
        "rmcp",
        "reqwest",
        "hyper",
        "clap",
        "sqlparser",
    ] {
        assert!(!names.contains(absent), "{absent}");
    }
    assert!(crates.len() <= 120, "{} crates", crates.len());
}

#[test]
fn a_loop_of_ones_own_uses_schemas_callers_and_contexts() {
    let lines = block_on(foreign_loop::run()).unwrap();
    assert_eq!(
        lines,
        [
            "offered: find_order",
            "anna: Order 7 of shop north is packed.",
            "bert: user:bert may not call 'find_order': the capability 'view_orders' is missing.",
        ]
    );
}

/// An engine with one tool that tells which engine it is in, and counts within its run.
fn engine(name: &'static str) -> Claw {
    #[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
    struct Input {
        secret: String,
    }
    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Output {
        engine: String,
        text: String,
    }
    let tool = tool_fn(ToolSpec::new("who", "Tells the engine."), move |_: Ctx, input: Input| async move {
        Ok::<_, ToolError>(Output { engine: name.to_owned(), text: format!("it is {}", input.secret) })
    });
    Claw::builder(CapabilityPolicy).tool(tool).unwrap().build().unwrap()
}

#[test]
fn two_engines_in_one_process_share_nothing() {
    let (north, south) = (engine("north"), engine("south"));
    north.executor().masker().learn(vec![siteclaw::Secret::new("open-sesame-77")]);
    let ask = |claw: &Claw| {
        let run = claw.run(Caller::console(Surface::Library, false)).build();
        let id = run.id().to_owned();
        let outcome = block_on(claw.call(&run, "who", json!({"secret": "open-sesame-77"})));
        (outcome.envelope.to_value()["data"].clone(), id)
    };
    let (from_north, north_run) = ask(&north);
    let (from_south, south_run) = ask(&south);
    assert_eq!((&from_north["engine"], &from_south["engine"]), (&json!("north"), &json!("south")));
    // What one has learnt to hide the other has never heard of.
    assert!(!from_north["text"].as_str().unwrap().contains("sesame"), "{from_north}");
    assert_eq!(from_south["text"], "it is open-sesame-77");
    // Ids are counted by each for itself.
    assert_eq!(north_run, south_run);
    // Their placeholders differ, because the keys do.
    south.executor().masker().learn(vec![siteclaw::Secret::new("open-sesame-77")]);
    assert_ne!(ask(&south).0["text"], ask(&north).0["text"]);
}
