//! Questions that a language model answers.

use std::fs::File;
use std::io::Read;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;

use crate::binary::User;
use crate::model::{Model, calls, events, text};
use crate::shop::{number, shop};

/// A user whose own server answers.
fn user(model: &Model) -> User {
    let user = User::of(&shop()).with("SITECLAW_PROVIDER_KEY", "sesame-open-77");
    user.configure(&format!("[provider]\nbase_url = \"{}\"\nmodel = \"own-1\"\n", model.address));
    user
}

#[test]
fn a_model_asks_for_data_and_answers_from_it() {
    let on_hold =
        number("SELECT COUNT(*) FROM wp_wc_orders WHERE type = 'shop_order' AND status = 'wc-on-hold'");
    let model = Model::start(vec![
        calls(&[("wc_get_orders", json!({"aggregate": true, "status": "on-hold"}))]),
        text(&["There are ", "some."], "stop"),
    ]);
    let answer = user(&model).run(&["--json", "send", "How many orders are on hold?"]);
    answer.text();
    let document = answer.json();
    assert_eq!(
        json!([document["text"], document["provider"], document["model"], document["usage"]["input_tokens"]]),
        json!(["There are some.", "custom", "own-1", 150])
    );
    assert_eq!(document["tools_called"][0]["success"], true);
    let asked = model.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[0].head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", asked[0].head);
    assert!(asked[0].head.contains("authorization: Bearer sesame-open-77\r\n"), "{}", asked[0].head);
    let result = asked[1].body["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(result["role"], "tool");
    assert!(result["content"].as_str().unwrap().contains(&format!("\"total_orders\":{on_hold}")), "{result}");
}

#[test]
fn the_key_is_in_nothing_that_is_shown() {
    let quoting = (401, json!({"error": {"message": "no such key: sesame-open-77"}}).to_string());
    let model = Model::start(vec![quoting]);
    for arguments in
        [&["-vvv", "send", "hello"][..], &["-vvv", "--json", "send", "hello"], &["-vvv", "doctor"]]
    {
        let answer = user(&model).run(arguments);
        assert!(!answer.out.contains("sesame") && !answer.err.contains("sesame"), "{answer:?}");
    }
    let refused = user(&model).run(&["send", "hello"]);
    let line = refused.complaint(4);
    assert!(
        line.starts_with(
            "The provider 'custom' gave no answer: it refused the request (401): no such key: …"
        ),
        "{line}"
    );
}

#[test]
fn an_answer_that_is_not_whole_says_so() {
    for (reason, code, note) in [
        ("length", 0, "The answer is cut short: the model's limit of output was reached.\n"),
        ("content_filter", 4, "The model declined to answer.\n"),
    ] {
        let answer = user(&Model::start(vec![text(&["Half a"], reason)])).run(&["send", "hello"]);
        assert_eq!((answer.code, answer.out.as_str(), answer.err.as_str()), (Some(code), "Half a\n", note));
    }
}

#[test]
fn who_answers_is_said_by_flags_variables_and_the_configuration() {
    let shown = |user: &User, arguments: &[&str]| {
        let answer = user.run(&[arguments, &["--json", "doctor"]].concat());
        let document = answer.json();
        let check = document["checks"].as_array().unwrap().iter().find(|check| check["name"] == "provider");
        check.unwrap()["message"].as_str().unwrap().to_owned()
    };
    let nobody = User::of(&shop());
    assert!(shown(&nobody, &[]).starts_with("No provider is configured; offline answers"));
    let keyed = User::of(&shop()).with("GROQ_API_KEY", "g").with("ANTHROPIC_API_KEY", "a");
    assert_eq!(shown(&keyed, &[]), "anthropic with claude-haiku-4-5-20251001 is set; it was not asked.");
    assert_eq!(
        shown(&keyed, &["--provider", "groq"]),
        "groq with llama-3.1-8b-instant is set; it was not asked."
    );
    let wished = keyed.with("SITECLAW_PROVIDER", "groq").with("SITECLAW_MODEL", "x");
    assert_eq!(shown(&wished, &["--model", "y"]), "groq with y is set; it was not asked.");
    wished.configure("[provider]\nname = \"mistral\"\n");
    assert_eq!(shown(&wished, &[]), "groq with x is set; it was not asked.");

    let misspelt = nobody.run(&["--provider", "antropic", "send", "hello"]);
    assert_eq!(misspelt.complaint(2), "There is no provider 'antropic'. Did you mean 'anthropic'?");
    let keyless = nobody.run(&["--provider", "anthropic", "send", "hello"]);
    assert!(keyless.complaint(2).contains("ANTHROPIC_API_KEY"), "{keyless:?}");
    // To see what a model would see, no key is needed.
    let explained = nobody.run(&["--provider", "ollama", "--json", "explain", "newest orders"]);
    explained.text();
    assert_eq!(explained.json()["profile"], "minimal");
    nobody.configure("[provider]\nnmae = \"groq\"\n");
    assert!(nobody.run(&["site"]).complaint(2).contains("Did you mean 'name'?"));
}

/// A terminal: what a program that has it for its standard output writes, and that output.
fn terminal() -> (File, Stdio) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    (ours.into(), Stdio::from(theirs))
}

#[test]
fn on_a_terminal_text_appears_while_it_is_written() {
    let said = |text: &str| json!({"choices": [{"delta": {"content": text}}]});
    let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    let (model, go) = Model::in_two(events(&[said("First \u{1b}[2K")]), events(&[said("second."), end]));
    let (mut screen, output) = terminal();
    let user = user(&model);
    let mut child = user.command(&["send", "hello"]).stdout(output).stderr(Stdio::null()).spawn().unwrap();
    let mut seen = String::new();
    let mut bytes = [0; 256];
    // The model says its second word only when the first is on the screen: otherwise this would never end.
    while !seen.contains("First") {
        let count = screen.read(&mut bytes).unwrap();
        seen.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
    }
    assert!(!seen.contains("second"), "{seen}");
    go.send(()).unwrap();
    // The terminal's end shows as an error.
    while let Ok(count @ 1..) = screen.read(&mut bytes) {
        seen.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(seen, "First [2Ksecond.\r\n");
}

#[test]
fn what_is_said_beside_calls_is_no_answer_where_nobody_looks_on() {
    let model = Model::start(vec![
        calls(&[("wc_get_orders", json!({"aggregate": true}))]),
        text(&["Some ", "orders."], "stop"),
    ]);
    let answer = user(&model).run(&["send", "How many orders are there?"]);
    assert_eq!(answer.text(), "Some orders.\n");
    assert!(answer.err.contains("✓ wc_get_orders: done in "), "{answer:?}");
}

#[test]
fn a_run_ends_at_its_limits_and_says_so() {
    let again = calls(&[("wc_get_orders", json!({"aggregate": true}))]);
    let model = Model::start(vec![again.clone(), again.clone(), text(&["As far as I got."], "stop")]);
    let limited = user(&model);
    let settings = format!("[provider]\nbase_url = \"{}\"\nmodel = \"own-1\"\n", model.address);
    limited.configure(&format!("{settings}max_iterations = 3\n"));
    let answer = limited.run(&["send", "How many orders are there?"]);
    assert_eq!((answer.code, answer.out.as_str()), (Some(1), "As far as I got.\n"), "{answer:?}");
    assert!(answer.err.contains("The limit of turns was reached."), "{answer:?}");
    let asked = model.asked();
    assert_eq!((asked.len(), asked[2].body["tool_choice"].as_str()), (3, Some("none")));

    let model = Model::start(vec![again]);
    let limited = user(&model);
    let settings = format!("[provider]\nbase_url = \"{}\"\nmodel = \"own-1\"\n", model.address);
    limited.configure(&format!("{settings}max_run_tokens = 100\n"));
    let answer = limited.run(&["--json", "send", "How many orders are there?"]);
    assert_eq!((answer.code, answer.json()["end"].as_str()), (Some(1), Some("out_of_tokens")), "{answer:?}");
    assert!(model.asked().is_empty());
}

#[test]
fn a_dry_run_shows_what_would_be_sent_and_sends_nothing() {
    let model = Model::start(vec![text(&["Hello."], "stop")]);
    let user = user(&model);
    let shown = user.run(&["send", "--dry-run", "newest", "orders"]);
    let first = format!("POST {}/v1/chat/completions\n", model.address);
    assert!(shown.text().starts_with(&first), "{shown:?}");
    assert!(shown.out.contains("authorization: (the key)\n") && !shown.out.contains("sesame"), "{shown:?}");
    let document = user.run(&["--json", "send", "--dry-run", "newest", "orders"]).json();
    assert!(model.asked().is_empty());
    // It is what is sent then, byte for byte but for the key.
    user.run(&["send", "newest", "orders"]).text();
    assert_eq!(document["request"]["body"], model.asked()[0].body);
    assert_eq!(json!([document["provider"], document["model"]]), json!(["custom", "own-1"]));
    let body = document["request"]["body"].as_object().unwrap();
    let printed = shown.out.split_once("\n\n").unwrap().1;
    assert_eq!(serde_json::from_str::<serde_json::Value>(printed).unwrap(), json!(body));
    // No key is needed to look, and without a model nothing would leave.
    let keyless = User::of(&shop());
    let anthropic = keyless.run(&["--provider", "anthropic", "send", "--dry-run", "hello"]);
    assert!(anthropic.text().starts_with("POST https://api.anthropic.com/v1/messages\n"), "{anthropic:?}");
    assert!(keyless.run(&["send", "--dry-run", "hello"]).text().starts_with("Nothing would be sent"));
    let offline = keyless.run(&["--json", "send", "--dry-run", "hello"]).json();
    assert_eq!(offline, json!({"provider": "offline", "model": "none", "request": null}));
}

#[test]
fn the_log_of_a_run_has_a_line_for_what_happens_and_no_secret() {
    let model = Model::start(vec![
        calls(&[("wc_get_orders", json!({"aggregate": true, "search": "sesame-open-77"}))]),
        text(&["Some."], "stop"),
    ]);
    let user = user(&model);
    let file = user.home.path().join("run.jsonl");
    let log = file.to_str().unwrap();
    user.run(&["send", "--log", log, "is sesame-open-77 an order?"]).text();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("sesame"), "{text}");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(
        events,
        [
            "conversation.said",
            "model.asked",
            "model.replied",
            "tool.called",
            "tool.answered",
            "conversation.said",
            "conversation.said",
            "model.asked",
            "model.replied",
            "conversation.said",
            "run.ended"
        ]
    );
    let host = model.address.strip_prefix("http://").unwrap();
    let replied = &lines[2];
    assert_eq!(
        json!([
            replied["provider"],
            replied["host"],
            replied["usage"]["input_tokens"],
            replied["calls"],
            replied["at"]
        ]),
        json!(["custom", host, 50, 1, crate::binary::NOW])
    );
    assert!(replied["bytes"].as_u64().unwrap() > 1_000, "{replied}");
    assert!(lines.iter().all(|line| line["run"] == lines[0]["run"]));
    // A second run adds to it, and a failure is in it too.
    let broken = Model::start(vec![(401, json!({"error": "no"}).to_string())]);
    user.configure(&format!("[provider]\nbase_url = \"{}\"\nmodel = \"own-1\"\n", broken.address));
    assert_eq!(user.run(&["send", "--log", log, "hello"]).code, Some(4));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.lines().count() > lines.len() && text.lines().last().unwrap().contains("run.failed"),
        "{text}"
    );
    let nowhere = user.run(&["send", "--log", "/nowhere/at/all", "hello"]);
    assert!(nowhere.complaint(2).contains("/nowhere/at/all"), "{nowhere:?}");
}

#[test]
fn a_month_may_cost_so_much_and_no_more() {
    // 100 tokens read for 10 dollars a million and 10 written for 100: 0.002 dollars an answer.
    let model = Model::start(vec![text(&["Hello."], "stop")]);
    let settings = format!(
        "[provider]\nbase_url = \"{}\"\nmodel = \"own-1\"\nmax_cost_per_month = 0.003\n",
        model.address
    );
    let prices = "[provider.prices.\"own-1\"]\ninput = 10\noutput = 100\n";
    let user = user(&model);
    user.configure(&settings);
    let unpriced = user.run(&["send", "hello"]);
    assert!(unpriced.complaint(2).contains("[provider.prices.\"own-1\"]"), "{unpriced:?}");
    user.configure(&format!("{settings}{prices}"));
    let first = user.run(&["--json", "send", "hello"]);
    first.text();
    assert_eq!(first.json()["cost_usd"], json!(0.002));
    user.run(&["send", "hello"]).text();
    let stopped = user.run(&["send", "hello"]);
    let line = stopped.complaint(4);
    assert!(line.contains("this month cost $0.0040") && line.contains("allows $0.0030"), "{line}");
    assert_eq!(model.asked().len(), 2);
    let file = user.home.path().join(".local/state/siteclaw/spend/2026-11.jsonl");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(kept.lines().filter(|line| line.contains("\"nanodollars\":2000000")).count(), 2, "{kept}");
    // A month begins anew; a file that cannot be read stops what is limited.
    let december = user.with("SITECLAW_NOW", "2026-12-01");
    december.run(&["send", "hello"]).text();
    std::fs::write(&file, "{}\n").unwrap();
    let november = december.with("SITECLAW_NOW", "2026-11-30");
    let broken = november.run(&["send", "hello"]);
    assert!(broken.complaint(4).contains("line 1 of "), "{broken:?}");
    let bill = november.run(&["-v", "--provider", "offline", "send", "newest orders"]);
    assert!(bill.err.contains("offline none: "), "{bill:?}");
    november.configure("[provider]\nmax_cost_per_month = -1\nname = \"ollama\"\n");
    assert!(november.run(&["send", "hello"]).complaint(2).contains("max_cost_per_month"));
}

#[test]
fn another_provider_answers_where_the_first_is_down() {
    let down = Model::start(vec![(503, "<html>Bad gateway</html>".to_owned())]);
    let model = Model::start(vec![text(&["Hello."], "stop")]);
    let user = User::of(&shop()).with("SITECLAW_PROVIDER_KEY", "one").with("OTHER_KEY", "two");
    user.configure(&format!(
        "[provider]\nbase_url = \"{}\"\nmodel = \"own-1\"\nretries = 0\n\
         [[provider.fallback]]\nbase_url = \"{}\"\nmodel = \"own-2\"\nkey_env = \"OTHER_KEY\"\n",
        down.address, model.address
    ));
    let answer = user.run(&["--json", "send", "hello"]);
    answer.text();
    assert_eq!(json!([answer.json()["text"], answer.json()["model"]]), json!(["Hello.", "own-2"]));
    assert!(
        answer.err.contains("… custom: it failed (503): Bad gateway; asking custom instead\n"),
        "{answer:?}"
    );
    assert!(down.asked()[0].head.contains("Bearer one") && model.asked()[0].head.contains("Bearer two"));
}
