//! Answers that lead on.

use serde_json::json;
use siteclaw_tools::http_request::Settings;

use super::host::{Host, answer, leads};
use super::{Door, Names, warnings};

#[tokio::test]
async fn a_redirect_is_followed_and_told() {
    let last = Host::on("127.0.0.3", |_| answer(200, "", "here")).await;
    let to = format!("http://other.example:{}/b", last.port());
    let first = Host::on("127.0.0.2", move |request| match request.line().as_str() {
        "GET /" => leads(301, "/a?x=1"),
        _ => leads(302, &to),
    })
    .await;
    let names =
        Names::default().answer("public.example", &["127.0.0.2"]).answer("other.example", &["127.0.0.3"]);
    let door = Door::new(&names, &[&first, &last]);
    let from = format!("http://public.example:{}", first.port());
    let answer = door.get(&format!("{from}/")).await;
    let data = &answer["data"];
    assert_eq!((&data["status"], &data["body"]), (&json!(200), &json!("here")));
    assert_eq!(data["url"], format!("http://other.example:{}/b", last.port()));
    assert_eq!(
        data["redirects"],
        json!([{"status": 301, "url": format!("{from}/")}, {"status": 302, "url": format!("{from}/a?x=1")}])
    );
    assert_eq!(answer["meta"]["address"], "127.0.0.3");
}

#[tokio::test]
async fn each_hop_is_judged_like_the_first() {
    let inside = Host::on("127.0.0.1", |_| answer(200, "", "secret")).await;
    let names = Names::default()
        .answer("public.example", &["127.0.0.2"])
        .answer("loop.example", &["127.0.0.1"])
        .answer("mixed.example", &["127.0.0.2", "169.254.169.254"]);
    let inner = inside.port();
    for (location, code, cause) in [
        (
            "http://169.254.169.254/latest/meta-data/".to_owned(),
            "REDIRECT_REFUSED",
            Some("URL_BLOCKED_ADDRESS"),
        ),
        (format!("http://127.0.0.1:{inner}/"), "REDIRECT_REFUSED", Some("URL_BLOCKED_ADDRESS")),
        (format!("http://0x7f.1:{inner}/"), "REDIRECT_REFUSED", Some("URL_BLOCKED_ENCODING")),
        (format!("//127.1:{inner}/"), "REDIRECT_REFUSED", Some("URL_BLOCKED_ENCODING")),
        (format!("http://[::ffff:127.0.0.1]:{inner}/"), "REDIRECT_REFUSED", Some("URL_BLOCKED_ADDRESS")),
        (format!("http://localhost:{inner}/"), "REDIRECT_REFUSED", Some("URL_BLOCKED_HOST")),
        (format!("http://user@public.example:{inner}/"), "REDIRECT_REFUSED", Some("URL_INVALID")),
        ("http://public.example:22/".to_owned(), "REDIRECT_REFUSED", Some("URL_PORT")),
        ("file:///etc/passwd".to_owned(), "REDIRECT_REFUSED", Some("URL_SCHEME")),
        ("gopher://public.example/".to_owned(), "REDIRECT_REFUSED", Some("URL_SCHEME")),
        // Names are judged once they are resolved.
        (format!("http://loop.example:{inner}/"), "URL_BLOCKED_ADDRESS", None),
        (format!("http://mixed.example:{inner}/"), "URL_BLOCKED_ADDRESS", None),
    ] {
        let place = location.clone();
        let first = Host::on("127.0.0.2", move |_| leads(302, &place)).await;
        let door = Door::new(&names, &[&first, &inside]);
        let error = door.refused(json!({"url": format!("http://public.example:{}/r", first.port())})).await;
        assert_eq!(error["code"], code, "{location}: {error}");
        assert_eq!(error["cause"].as_str(), cause, "{location}");
        assert!(error["message"].as_str().unwrap().contains("public.example"), "{error}");
        assert_eq!(first.connections(), 1);
    }
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn a_chain_has_an_end() {
    let host = Host::on("127.0.0.2", |_| leads(302, "/again")).await;
    let url = format!("http://127.0.0.2:{}/", host.port());
    let door = Door::new(&Names::default(), &[&host]);
    assert_eq!(door.refused(json!({"url": url})).await["code"], "REDIRECT_REFUSED");
    assert_eq!(host.connections(), 6, "the first and five redirects");

    // Where none is followed the answer itself is the result.
    let settings = Settings { max_redirects: 0, ..Settings::default() };
    let answer = Door::with(&Names::default(), &[&host], settings, true).get(&url).await;
    assert_eq!(
        (&answer["data"]["status"], &answer["data"]["headers"]["location"]),
        (&json!(302), &json!("/again"))
    );
    assert_eq!(host.connections(), 7);
}

#[tokio::test]
async fn what_identifies_stays_with_the_origin_it_was_given_for() {
    let last = Host::on("127.0.0.3", |_| answer(200, "", "")).await;
    let to = format!("http://127.0.0.3:{}/", last.port());
    let first = Host::on("127.0.0.2", move |request| match request.line().as_str() {
        "GET /" => leads(302, "/same"),
        _ => leads(302, &to),
    })
    .await;
    let settings = Settings { request_headers: vec!["Authorization".to_owned()], ..Settings::default() };
    let door = Door::with(&Names::default(), &[&first, &last], settings, true);
    let headers = json!({"Authorization": "Bearer t0ken", "Accept": "text/html", "If-None-Match": "e"});
    door.ask(json!({"url": format!("http://127.0.0.2:{}/", first.port()), "headers": headers})).await;
    let (stayed, left) = (&first.requests()[1], &last.requests()[0]);
    assert_eq!(stayed.header("authorization").as_deref(), Some("Bearer t0ken"));
    assert_eq!(left.header("authorization"), None);
    assert_eq!(left.header("if-none-match"), None);
    assert_eq!(left.header("accept").as_deref(), Some("text/html"));
}

#[tokio::test]
async fn a_post_becomes_a_get_or_stays_with_its_origin() {
    let last = Host::on("127.0.0.3", |_| answer(200, "", "other")).await;
    let to = format!("http://127.0.0.3:{}/", last.port());
    let first = Host::on("127.0.0.2", move |request| match request.line().as_str() {
        "POST /see-other" => leads(303, "/done"),
        "POST /keep" => leads(307, "/kept"),
        "POST /away" => leads(307, &to),
        "POST /inside" => leads(302, "http://127.0.0.1/"),
        "POST /nowhere" => leads(303, "http://absent.example/"),
        _ => answer(200, "", "done"),
    })
    .await;
    let door = Door::new(&Names::default(), &[&first, &last]);
    let post = async |path: &str| {
        let url = format!("http://127.0.0.2:{}{path}", first.port());
        door.ask(json!({"url": url, "method": "POST", "body": "a=1"})).await
    };
    assert_eq!(post("/see-other").await["data"]["body"], "done");
    assert_eq!(post("/keep").await["data"]["body"], "done");
    let lines: Vec<(String, String)> =
        first.requests().iter().map(|request| (request.line(), request.body.clone())).collect();
    let expected =
        [("POST /see-other", "a=1"), ("GET /done", ""), ("POST /keep", "a=1"), ("POST /kept", "a=1")];
    assert_eq!(lines, expected.map(|(line, body)| (line.to_owned(), body.to_owned())));

    // What it did must not be lost, so the answer that is not followed is the result.
    for (path, status) in [("/away", 307), ("/inside", 302), ("/nowhere", 303)] {
        let answer = post(path).await;
        assert_eq!(answer["data"]["status"], status, "{path}");
        assert!(warnings(&answer).contains(&"REDIRECT_NOT_FOLLOWED"), "{answer}");
    }
    assert_eq!(last.connections(), 0);
}
