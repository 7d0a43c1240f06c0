//! Proxies: those of the environment are ignored, that of the settings is used.

use std::process::Command;

use serde_json::json;
use siteclaw_tools::http_request::Settings;

use super::host::{Host, answer};
use super::{Door, Names};

#[tokio::test]
async fn a_proxy_of_the_environment_is_ignored() {
    let proxy = Host::on("127.0.0.1", |_| answer(200, "", "by proxy")).await;
    let address = format!("http://{}", proxy.address);
    let output = tokio::task::spawn_blocking(move || {
        Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "--ignored",
                "--nocapture",
                "http::proxy::asks_under_a_proxy_of_the_environment",
            ])
            .envs(
                ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
                    .map(|name| (name, &address)),
            )
            .output()
            .unwrap()
    })
    .await
    .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    assert_eq!(proxy.connections(), 0);
}

/// The body of the test above, in a process of its own: an environment is changed only from outside.
#[tokio::test]
#[ignore = "run by a_proxy_of_the_environment_is_ignored"]
async fn asks_under_a_proxy_of_the_environment() {
    assert!(std::env::var("http_proxy").is_ok());
    let host = Host::on("127.0.0.2", |_| answer(200, "", "direct")).await;
    let names = Names::default().answer("public.example", &["127.0.0.2"]);
    let door = Door::new(&names, &[&host]);
    assert_eq!(door.get(&format!("http://public.example:{}/", host.port())).await["data"]["body"], "direct");
}

#[tokio::test]
async fn a_proxy_of_the_settings_gets_the_request_and_the_host_is_judged_all_the_same() {
    let proxy = Host::on("127.0.0.1", |_| answer(200, "", "by proxy")).await;
    let names =
        Names::default().answer("public.example", &["127.0.0.2"]).answer("loop.example", &["127.0.0.1"]);
    let settings =
        Settings { proxy: Some(format!("http://user:pass@{}", proxy.address)), ..Settings::default() };
    assert!(!format!("{settings:?}").contains("pass@"));
    let door = Door::with(&names, &[], settings, true);
    assert_eq!(door.get("http://public.example/x").await["data"]["body"], "by proxy");
    assert_eq!(proxy.requests()[0].line(), "GET http://public.example/x");
    assert_eq!(proxy.requests()[0].header("proxy-authorization").as_deref(), Some("Basic dXNlcjpwYXNz"));
    for url in ["http://127.0.0.1/", "http://loop.example/", "http://localhost/"] {
        door.refused(json!({"url": url})).await;
    }
    assert_eq!(proxy.connections(), 1);
}
