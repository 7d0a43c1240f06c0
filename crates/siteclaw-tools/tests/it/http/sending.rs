//! How requests go out and how they fail.

use std::net::SocketAddr;

use serde_json::json;
use siteclaw_tools::http_request::Settings;
use tokio::net::TcpListener;

use super::host::{Answer, Host, answer};
use super::{Door, Names, warnings};

/// A port on which nobody listens.
async fn closed() -> SocketAddr {
    TcpListener::bind("127.0.0.2:0").await.unwrap().local_addr().unwrap()
}

#[tokio::test]
async fn headers_and_the_type_of_a_body_go_out_as_given() {
    let host = Host::on("127.0.0.2", |_| answer(200, "", "")).await;
    let door = Door::new(&Names::default(), &[&host]);
    let url = format!("http://127.0.0.2:{}/", host.port());
    let headers = json!({"Accept-Language": "de", "Range": "bytes=0-99"});
    door.ask(json!({"url": url, "headers": headers})).await;
    door.ask(json!({"url": url, "method": "POST", "body": "a=1&b=2"})).await;
    door.ask(json!({"url": url, "method": "POST", "body": "x", "headers": {"content-type": "text/csv"}}))
        .await;
    door.ask(json!({"url": url, "method": "POST"})).await;
    let requests = host.requests();
    assert_eq!(requests[0].header("accept-language").as_deref(), Some("de"));
    assert_eq!(requests[0].header("range").as_deref(), Some("bytes=0-99"));
    assert_eq!(requests[1].header("content-type").as_deref(), Some("application/x-www-form-urlencoded"));
    assert_eq!(
        (requests[2].header("content-type").as_deref(), requests[2].body.as_str()),
        (Some("text/csv"), "x")
    );
    assert_eq!(
        (requests[3].line().as_str(), requests[3].header("content-length").as_deref()),
        ("POST /", Some("0"))
    );
}

#[tokio::test]
async fn a_host_that_cannot_be_reached_changed_nothing() {
    let nobody = closed().await;
    let host = Host::on("127.0.0.3", |_| answer(200, "", "")).await;
    let settings = Settings { ports: vec![nobody.port()], ..Settings::default() };
    let door = Door::with(&Names::default(), &[&host], settings, true);
    let url = format!("http://{nobody}/");
    let get = door.refused(json!({"url": url})).await;
    assert_eq!((&get["code"], &get["retryable"]), (&json!("HTTP_FAILED"), &json!(true)));
    assert!(get["message"].as_str().unwrap().contains("Connection refused"), "{get}");
    let post = door.refused(json!({"url": url, "method": "POST"})).await;
    assert_eq!((&post["code"], &post["retryable"]), (&json!("HTTP_FAILED"), &json!(false)));
}

#[tokio::test]
async fn a_post_without_an_answer_has_an_unknown_end() {
    let mute = Host::on("127.0.0.2", |_| Answer::Stall(Vec::new())).await;
    let rude = Host::on("127.0.0.3", |_| Answer::Bytes(Vec::new())).await;
    let settings = Settings { timeout_seconds: 1, ..Settings::default() };
    let door = Door::with(&Names::default(), &[&mute, &rude], settings, true);
    for host in [&mute, &rude] {
        let error = door
            .refused(json!({"url": format!("http://{}/", host.address), "method": "POST", "body": "x"}))
            .await;
        assert_eq!(
            (&error["code"], &error["retryable"]),
            (&json!("OUTCOME_UNKNOWN"), &json!(false)),
            "{error}"
        );
        assert_eq!(host.requests().len(), 1, "never sent twice");
    }
}

#[tokio::test]
async fn one_host_is_asked_so_often_in_a_minute() {
    let host = Host::on("127.0.0.2", |_| answer(200, "", "")).await;
    let settings = Settings { requests_per_minute: 2, ..Settings::default() };
    let door = Door::with(&Names::default(), &[&host], settings, true);
    let url = format!("http://127.0.0.2:{}/", host.port());
    door.get(&url).await;
    door.get(&url).await;
    let error = door.refused(json!({"url": url})).await;
    assert_eq!((&error["code"], &error["retry_after_seconds"]), (&json!("RATE_LIMITED"), &json!(60)));
    assert_eq!(host.connections(), 2);
}

#[tokio::test]
async fn a_name_that_poses_as_another_is_told() {
    let host = Host::on("127.0.0.2", |_| answer(200, "", "")).await;
    let names = Names::default()
        .answer("xn--pypal-4ve.com", &["127.0.0.2"])
        .answer("xn--mnchen-3ya.de", &["127.0.0.2"]);
    let door = Door::new(&names, &[&host]);
    let posing = door.get(&format!("http://pаypal.com:{}/", host.port())).await;
    assert!(warnings(&posing).contains(&"LOOKALIKE_HOST"), "{posing}");
    let honest = door.get(&format!("http://münchen.de:{}/", host.port())).await;
    assert_eq!(warnings(&honest), ["UNTRUSTED_CONTENT"]);
}
