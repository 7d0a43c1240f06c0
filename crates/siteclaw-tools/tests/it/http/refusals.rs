//! Hosts that are never asked, each kind beside a twin that is.

use std::net::SocketAddr;

use serde_json::json;
use siteclaw_tools::http_request::Settings;

use super::host::{Host, answer};
use super::{Door, Names};

#[tokio::test]
async fn what_is_not_public_is_refused_and_no_listener_hears_of_it() {
    let inside = Host::on("127.0.0.1", |_| answer(200, "", "secret")).await;
    let port = inside.port();
    let names = Names::default()
        .answer("loop.example", &["127.0.0.1"])
        .answer("mixed.example", &["127.0.0.2", "127.0.0.1"])
        .answer("mapped.example", &["::ffff:127.0.0.1"])
        .answer("metadata.example", &["169.254.169.254"])
        .answer("private.example", &["10.0.0.1"])
        .answer("v6.example", &["fd00:ec2::254"]);
    let door = Door::new(&names, &[&inside]);
    for (host, code) in [
        ("127.0.0.1", "URL_BLOCKED_ADDRESS"),
        ("[::1]", "URL_BLOCKED_ADDRESS"),
        ("0.0.0.0", "URL_BLOCKED_ADDRESS"),
        ("[::]", "URL_BLOCKED_ADDRESS"),
        ("localhost", "URL_BLOCKED_HOST"),
        ("localhost.", "URL_BLOCKED_HOST"),
        ("2130706433", "URL_BLOCKED_ENCODING"),
        ("0x7f.1", "URL_BLOCKED_ENCODING"),
        ("0177.0.0.1", "URL_BLOCKED_ENCODING"),
        ("127.1", "URL_BLOCKED_ENCODING"),
        ("169.254.169.254", "URL_BLOCKED_ADDRESS"),
        ("[fd00:ec2::254]", "URL_BLOCKED_ADDRESS"),
        ("[::ffff:127.0.0.1]", "URL_BLOCKED_ADDRESS"),
        ("[::ffff:7f00:1]", "URL_BLOCKED_ADDRESS"),
        ("[64:ff9b::7f00:1]", "URL_BLOCKED_ADDRESS"),
        ("[2002:7f00:1::]", "URL_BLOCKED_ADDRESS"),
        ("[2001:0:4136:e378:8000:63bf:80ff:fffe]", "URL_BLOCKED_ADDRESS"),
        ("10.1.2.3", "URL_BLOCKED_ADDRESS"),
        ("172.31.0.1", "URL_BLOCKED_ADDRESS"),
        ("192.168.1.1", "URL_BLOCKED_ADDRESS"),
        ("100.64.0.1", "URL_BLOCKED_ADDRESS"),
        ("[fc00::1]", "URL_BLOCKED_ADDRESS"),
        ("[fe80::1]", "URL_BLOCKED_ADDRESS"),
        ("224.0.0.1", "URL_BLOCKED_ADDRESS"),
        ("loop.example", "URL_BLOCKED_ADDRESS"),
        ("mixed.example", "URL_BLOCKED_ADDRESS"),
        ("mapped.example", "URL_BLOCKED_ADDRESS"),
        ("metadata.example", "URL_BLOCKED_ADDRESS"),
        ("private.example", "URL_BLOCKED_ADDRESS"),
        ("v6.example", "URL_BLOCKED_ADDRESS"),
        ("absent.example", "DNS_UNRESOLVED"),
        ("public.example@127.0.0.1", "URL_INVALID"),
        ("public.example\\@127.0.0.1", "URL_INVALID"),
    ] {
        let url = format!("http://{host}:{port}/latest/meta-data/");
        let error = door.refused(json!({"url": url})).await;
        assert_eq!(error["code"], code, "{url}: {error}");
    }
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn a_public_host_is_asked_by_name_and_by_address() {
    let host = Host::on("127.0.0.2", |_| answer(200, "Content-Type: text/plain\r\n", "hello")).await;
    let names = Names::default().answer("public.example", &["127.0.0.2"]);
    let door = Door::new(&names, &[&host]);
    for name in ["public.example", "PUBLIC.example.", "127.0.0.2"] {
        let answer = door.get(&format!("http://{name}:{}/a?b=c", host.port())).await;
        assert_eq!((&answer["data"]["status"], &answer["data"]["body"]), (&json!(200), &json!("hello")));
        assert_eq!(answer["meta"]["address"], "127.0.0.2");
    }
    let requests = host.requests();
    let port = host.port();
    assert_eq!(requests[0].line(), "GET /a?b=c");
    assert_eq!(requests[0].header("host"), Some(format!("public.example:{port}")));
    assert_eq!(requests[1].header("host"), Some(format!("public.example:{port}")));
    assert!(requests[0].header("user-agent").unwrap().starts_with("Siteclaw/"));
    for absent in ["cookie", "authorization", "referer"] {
        assert_eq!(requests[0].header(absent), None, "{absent}");
    }
}

#[tokio::test]
async fn a_name_that_answers_differently_later_changes_nothing() {
    let checked = Host::on("127.0.0.2", |_| answer(200, "", "checked")).await;
    let inside = SocketAddr::new("127.0.0.1".parse().unwrap(), checked.port());
    let inside = Host::at(inside, None, |_| answer(200, "", "inside")).await;
    let names =
        Names::default().answer("rebind.example", &["127.0.0.2"]).answer("rebind.example", &["127.0.0.1"]);
    let door = Door::new(&names, &[&checked]);
    let url = format!("http://rebind.example:{}/", checked.port());
    assert_eq!(door.get(&url).await["data"]["body"], "checked");
    assert_eq!(names.asked(), ["rebind.example"], "the answer that was judged is the one that is used");
    // The second call gets the second answer, and that is judged as well.
    assert_eq!(door.refused(json!({"url": url})).await["code"], "URL_BLOCKED_ADDRESS");
    assert_eq!((checked.connections(), inside.connections()), (1, 0));
}

#[tokio::test]
async fn other_ports_methods_schemes_and_arguments_are_refused() {
    let host = Host::on("127.0.0.2", |_| answer(200, "", "")).await;
    let door = Door::new(&Names::default(), &[]);
    let url = format!("http://127.0.0.2:{}/", host.port());
    for (arguments, code) in [
        (json!({"url": url}), "URL_PORT"),
        (json!({"url": "ftp://127.0.0.2/"}), "URL_SCHEME"),
        (json!({"url": "file:///etc/passwd"}), "URL_SCHEME"),
        (json!({"url": "javascript:alert(1)"}), "URL_SCHEME"),
        (json!({"url": "data:text/plain,x"}), "URL_SCHEME"),
        (json!({"url": "ssh://127.0.0.2"}), "URL_SCHEME"),
        (json!({"url": "http://127.0.0.2/", "method": "PUT"}), "METHOD_NOT_ALLOWED"),
        (json!({"url": "http://127.0.0.2/", "method": "DELETE"}), "METHOD_NOT_ALLOWED"),
        (json!({"url": "http://127.0.0.2/", "method": "PATCH"}), "METHOD_NOT_ALLOWED"),
        (json!({"url": "http://127.0.0.2/", "body": "x"}), "INVALID_ARGUMENT"),
        (json!({"url": "http://127.0.0.2/", "headers": "x"}), "INVALID_ARGUMENT"),
        (json!({"url": "http://127.0.0.2/", "headers": {"Host": "x"}}), "HEADER_NOT_ALLOWED"),
        (json!({"url": "http://127.0.0.2/", "headers": {"Accept": "a\r\nX: 1"}}), "HEADER_NOT_ALLOWED"),
        (json!({"url": "http://127.0.0.2/", "timeout": 1}), "UNKNOWN_ARGUMENT"),
        (json!({"method": "GET"}), "MISSING_ARGUMENT"),
        (json!({"url": ""}), "INVALID_ARGUMENT"),
    ] {
        let error = door.refused(arguments.clone()).await;
        assert_eq!(error["code"], code, "{arguments}: {error}");
    }
    assert_eq!(host.connections(), 0);
}

#[tokio::test]
async fn an_operator_can_close_all_hosts_but_some() {
    let host = Host::on("127.0.0.2", |_| answer(200, "", "")).await;
    let names =
        Names::default().answer("api.example", &["127.0.0.2"]).answer("other.example", &["127.0.0.2"]);
    let settings = Settings { hosts: vec!["api.example".to_owned()], ..Settings::default() };
    let door = Door::with(&names, &[&host], settings, true);
    door.get(&format!("http://api.example:{}/", host.port())).await;
    let error = door.refused(json!({"url": format!("http://other.example:{}/", host.port())})).await;
    assert_eq!(error["code"], "URL_BLOCKED_HOST");
    assert_eq!(host.connections(), 1);
}
