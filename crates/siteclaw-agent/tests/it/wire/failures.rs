//! What goes wrong between here and a server, whatever its form.

use std::time::Duration;

use serde_json::json;
use siteclaw_agent::wire::{Kind, Setup};
use siteclaw_agent::{Provider, ProviderError};

use super::server::{Part, Prepared, Server, document, events};
use super::{KEY, Talk, hello, remote, setup};

const REMOTE: [Kind; 7] =
    [Kind::Anthropic, Kind::OpenAi, Kind::Groq, Kind::Gemini, Kind::Mistral, Kind::DeepSeek, Kind::Custom];

async fn error(setup: Setup) -> ProviderError {
    Talk::new(&hello(), &[]).with(&remote(setup)).await.0.unwrap_err()
}

#[tokio::test]
async fn the_status_is_looked_at_before_the_body_by_every_provider() {
    for kind in REMOTE {
        for stream in [true, false] {
            let limited = json!({"error": {"message": "slow down", "type": "rate_limit_error"}});
            let server = Server::start(vec![
                document(429, limited).header("retry-after", "7"),
                document(503, "<html>Bad gateway</html>"),
                document(401, json!({"error": {"message": format!("Incorrect API key provided: {KEY}")}})),
                document(400, json!({"error": {"message": "prompt is too long: 9 tokens > 8 maximum"}})),
            ])
            .await;
            let ask = || error(Setup { stream, ..setup(kind, &server) });
            let name = kind.name();
            assert_eq!(
                ask().await,
                ProviderError::Limited {
                    retry_after: Some(Duration::from_secs(7)),
                    message: "slow down".to_owned()
                },
                "{name}"
            );
            let failed =
                ProviderError::Failed { status: 503, retry_after: None, message: "Bad gateway".to_owned() };
            assert_eq!(ask().await, failed, "{name}");
            let refused = ask().await.to_string();
            assert!(
                refused.starts_with(
                    "it refused the request (401): Incorrect API key provided: …; check the key"
                ),
                "{name}: {refused}"
            );
            assert!(refused.contains(kind.key_variable().unwrap_or("the key")), "{name}: {refused}");
            assert!(matches!(ask().await, ProviderError::TooLong(_)), "{name}");
        }
    }
}

#[tokio::test]
async fn nobody_listening_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let setup = Setup { base_url: Some(format!("http://{address}")), ..Setup::new(Kind::Ollama, None) };
    match error(setup).await {
        ProviderError::Unreachable(message) => {
            assert!(message.contains(&address.to_string()) && message.contains("refused"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_falls_silent_is_given_up() {
    let quiet = Duration::from_millis(50);
    let silent = Prepared { parts: vec![Part::Hang], ..events([""; 0]) };
    let half = events(["{\"choices\": []}"]).then(Part::Hang);
    // A refusal whose body does not come is still that refusal.
    let refusal = Prepared { status: 403, ..events([""; 0]) }.then(Part::Hang);
    let server = Server::start(vec![silent, half, refusal]).await;
    for _ in 0..2 {
        let setup = Setup { silence: quiet, ..setup(Kind::OpenAi, &server) };
        assert_eq!(error(setup).await, ProviderError::Silent(quiet));
    }
    let setup = Setup { silence: quiet, ..setup(Kind::OpenAi, &server) };
    assert!(matches!(error(setup).await, ProviderError::Refused { status: 403, .. }));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = Server::start(vec![]).await;
    let moved = Prepared { status: 307, headers: vec![("location", other.address.clone())], parts: vec![] };
    let server = Server::start(vec![moved]).await;
    match error(setup(Kind::Anthropic, &server)).await {
        ProviderError::Refused { status: 307, message } => {
            assert!(message.contains(&other.address), "{message}")
        }
        error => panic!("{error:?}"),
    }
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn what_is_no_json_is_unreadable() {
    let server = Server::start(vec![
        events(["{\"choices\": ["]),
        document(200, "Hello"),
        document(200, json!({"choices": []})),
    ])
    .await;
    for _ in 0..3 {
        let error = error(setup(Kind::OpenAi, &server)).await;
        assert!(matches!(error, ProviderError::Unreadable(_)), "{error:?}");
    }
}

#[tokio::test]
async fn one_turn_is_one_request_to_one_address() {
    let server = Server::start(vec![document(500, ""), document(200, json!({}))]).await;
    error(setup(Kind::Mistral, &server)).await;
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_preview_is_what_would_be_sent_without_the_key() {
    use siteclaw_agent::{Choice, Live, Turn};
    for kind in REMOTE {
        let server = Server::start(vec![document(500, "")]).await;
        let provider = remote(setup(kind, &server));
        let messages = hello();
        let request = siteclaw_core::router::Request::new(provider.name(), "", "x");
        let routed = siteclaw_core::router::route(&request, &[]);
        let turn = Turn {
            messages: &messages,
            tools: &[],
            available: &[],
            routed: &routed,
            choice: Choice::Free,
            shape: None,
            live: Live::default(),
        };
        let preview = provider.preview(turn).unwrap();
        assert!(provider.complete(turn).await.is_err());
        let asked = server.asked().remove(0);
        assert_eq!(preview["body"], asked.body, "{}", kind.name());
        assert_eq!(preview["url"], format!("{}{}", server.address, asked.target));
        let headers = preview["headers"].as_object().unwrap();
        assert!(headers.values().any(|value| value == "(the key)") && !preview.to_string().contains(KEY));
        for name in headers.keys() {
            assert!(asked.header(name).is_some(), "{name}");
        }
    }
}
