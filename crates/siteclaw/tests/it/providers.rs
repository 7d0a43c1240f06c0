//! Questions that a language model answers.

use serde_json::json;

use crate::binary::User;
use crate::model::{Model, calls, text};
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
