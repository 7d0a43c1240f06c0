//! What comes back: charsets, bytes, and bodies that would not end.

use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use serde_json::{Value, json};
use siteclaw_tools::http_request::Settings;

use super::host::{Answer, Host, answer};
use super::{Door, Names, warnings};

/// The answer of a host that answers so.
async fn got(settings: Settings, respond: impl Fn() -> Answer + Send + Sync + 'static) -> (Value, Host) {
    let host = Host::on("127.0.0.2", move |_| respond()).await;
    let door = Door::with(&Names::default(), &[&host], settings, true);
    (door.get(&format!("http://127.0.0.2:{}/", host.port())).await, host)
}

#[tokio::test]
async fn text_is_decoded_and_bytes_are_base64() {
    for (headers, body, text, encoding) in [
        ("Content-Type: text/html; charset=iso-8859-1\r\n", &b"caf\xe9"[..], "café", "windows-1252"),
        ("Content-Type: text/html\r\n", b"<meta charset=koi8-r>\xc0", "<meta charset=koi8-r>ю", "koi8-r"),
        ("Content-Type: application/json\r\n", b"{\"a\":1}", "{\"a\":1}", "utf-8"),
        ("", b"plain", "plain", "utf-8"),
        ("Content-Type: image/png\r\n", b"\x89PNG\0", "iVBORwA=", "base64"),
    ] {
        let (answer, _) = got(Settings::default(), move || answer(200, headers, body)).await;
        let data = &answer["data"];
        assert_eq!((&data["body"], &data["encoding"]), (&json!(text), &json!(encoding)), "{headers}");
        assert_eq!((&data["bytes"], &data["total_bytes"]), (&json!(body.len()), &json!(body.len())));
        assert_eq!((&data["truncated"], &data["cut_by"]), (&json!(false), &Value::Null));
    }
}

#[tokio::test]
async fn any_status_is_an_answer() {
    for status in [204, 304, 404, 500, 503] {
        let (answer, _) = got(Settings::default(), move || answer(status, "Retry-After: 7\r\n", "")).await;
        assert_eq!(answer["data"]["status"], status);
        assert_eq!(answer["data"]["headers"]["retry-after"], "7");
        assert_eq!(warnings(&answer), ["UNTRUSTED_CONTENT"]);
    }
}

#[tokio::test]
async fn cookies_stay_behind_and_repeats_are_kept() {
    let headers = "Set-Cookie: session=s3cret\r\nLink: <a>\r\nLink: <b>\r\nX-Internal: 1\r\n";
    let (answer, _) = got(Settings::default(), move || answer(200, headers, "")).await;
    assert_eq!(answer["data"]["headers"]["link"], json!(["<a>", "<b>"]));
    assert_eq!(answer["data"]["headers_withheld"], json!(["set-cookie", "x-internal"]));
    assert!(!answer.to_string().contains("s3cret"));
}

#[tokio::test]
async fn a_body_at_the_cap_is_whole_and_one_byte_more_is_cut() {
    let (exact, _) = got(Settings::default(), || answer(200, "", "x".repeat(8192))).await;
    assert_eq!((&exact["data"]["truncated"], &exact["data"]["bytes"]), (&json!(false), &json!(8192)));
    assert_eq!(exact["data"]["body"].as_str().unwrap().len(), 8192);
    let (more, _) = got(Settings::default(), || answer(200, "", "x".repeat(8193))).await;
    assert_eq!((&more["data"]["truncated"], &more["data"]["cut_by"]), (&json!(true), &json!("size")));
    assert_eq!((&more["data"]["bytes"], &more["data"]["total_bytes"]), (&json!(8192), &json!(8193)));
    assert!(warnings(&more).contains(&"OUTPUT_TRUNCATED"));
}

#[tokio::test]
async fn a_character_at_the_cap_is_not_cut_in_two() {
    let settings = Settings { max_bytes: 4, ..Settings::default() };
    let (answer, _) = got(settings, || answer(200, "", "aé€")).await;
    // a and é take three bytes, the fourth is the first of €.
    assert_eq!((&answer["data"]["body"], &answer["data"]["encoding"]), (&json!("aé"), &json!("utf-8")));
}

#[tokio::test]
async fn a_long_body_fits_the_result_and_stays_json() {
    let settings = Settings { max_bytes: 1_000_000, ..Settings::default() };
    let (answer, _) = got(settings, || answer(200, "", "\"\n".repeat(200_000))).await;
    assert!(answer.to_string().chars().count() <= 10_000);
    assert_eq!(answer["data"]["cut_by"], "size");
    assert!(answer["data"]["body"].as_str().unwrap().len() > 3000);
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn compressed_bodies_are_read() {
    let (plain, _) = got(Settings::default(), || {
        answer(200, "Content-Encoding: gzip\r\nContent-Type: text/plain\r\n", gzip("größe".as_bytes()))
    })
    .await;
    assert_eq!(plain["data"]["body"], "größe");
    let (deflated, _) = got(Settings::default(), || {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(b"flat").unwrap();
        answer(200, "Content-Encoding: deflate\r\n", encoder.finish().unwrap())
    })
    .await;
    assert_eq!(deflated["data"]["body"], "flat");
}

#[tokio::test]
async fn what_a_small_body_inflates_to_is_bounded() {
    // 64 MiB of zeros, as gzip 64 KiB; the reader stops at its own cap.
    let bomb = gzip(&vec![b'0'; 64 * 1024 * 1024]);
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    let (answer, _) =
        got(Settings::default(), move || answer(200, "Content-Encoding: gzip\r\n", &bomb)).await;
    assert_eq!((&answer["data"]["bytes"], &answer["data"]["cut_by"]), (&json!(8192), &json!("size")));
}

#[tokio::test]
async fn compression_within_compression_is_left_as_bytes() {
    let twice = gzip(&gzip(&vec![b'0'; 1024 * 1024]));
    let (answer, _) =
        got(Settings::default(), move || answer(200, "Content-Encoding: gzip, gzip\r\n", &twice)).await;
    assert_ne!(answer["data"]["encoding"], "utf-8");
    assert!(answer["data"]["bytes"].as_u64().unwrap() <= 8192);
}

#[tokio::test]
async fn a_body_that_never_ends_is_read_to_the_cap() {
    let (answer, host) = got(Settings::default(), || {
        Answer::Forever(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n".to_vec(), vec![b'x'; 4096])
    })
    .await;
    assert_eq!((&answer["data"]["bytes"], &answer["data"]["cut_by"]), (&json!(8192), &json!("size")));
    // What the sockets hold besides; far from what a reader to the end would take.
    assert!(host.sent() < 16 * 1024 * 1024, "{}", host.sent());
}

#[tokio::test]
async fn a_chunked_body_that_never_ends_is_read_to_the_cap() {
    let (answer, _) = got(Settings::default(), || {
        Answer::Forever(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec(),
            b"3\r\nabc\r\n".to_vec(),
        )
    })
    .await;
    assert_eq!((&answer["data"]["bytes"], &answer["data"]["cut_by"]), (&json!(8192), &json!("size")));
}

#[tokio::test]
async fn a_body_that_drips_ends_with_the_time() {
    let settings = || Settings { timeout_seconds: 1, ..Settings::default() };
    for body in ["", "abc"] {
        let (answer, _) = got(settings(), move || {
            Answer::Stall(format!("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{body}").into_bytes())
        })
        .await;
        assert_eq!((&answer["data"]["body"], &answer["data"]["cut_by"]), (&json!(body), &json!("time")));
        assert!(warnings(&answer).contains(&"BODY_INCOMPLETE"));
    }
    let (drip, _) = got(settings(), || Answer::Drip(b"HTTP/1.1 200 OK\r\n\r\n".to_vec())).await;
    let bytes = drip["data"]["bytes"].as_u64().unwrap();
    assert!((1..=12).contains(&bytes), "{bytes}");
    assert_eq!(drip["data"]["cut_by"], "time");
}

#[tokio::test]
async fn a_body_that_breaks_off_says_so() {
    let (answer, _) = got(Settings::default(), || {
        Answer::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc".to_vec())
    })
    .await;
    assert_eq!((&answer["data"]["body"], &answer["data"]["cut_by"]), (&json!("abc"), &json!("connection")));
    assert_eq!(answer["data"]["total_bytes"], 1000);
}

#[tokio::test]
async fn a_head_that_is_slow_endless_or_no_http_is_an_error() {
    let many: String = (0..200).map(|number| format!("X-{number}: 1\r\n")).collect();
    for (code, answer) in [
        ("TIMEOUT", Answer::Stall(b"HTTP/1.1 200 OK\r\nX: ".to_vec())),
        ("TIMEOUT", Answer::Drip(b"HTTP/1.1 200 OK\r\nX: ".to_vec())),
        ("HTTP_FAILED", Answer::Forever(b"HTTP/1.1 200 OK\r\nX: ".to_vec(), vec![b'x'; 4096])),
        ("HTTP_FAILED", Answer::Bytes(format!("HTTP/1.1 200 OK\r\n{many}\r\n").into_bytes())),
        ("HTTP_FAILED", Answer::Bytes(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec())),
        ("HTTP_FAILED", Answer::Bytes(Vec::new())),
    ] {
        let answer = std::sync::Mutex::new(Some(answer));
        let host = Host::on("127.0.0.2", move |_| {
            answer.lock().unwrap().take().unwrap_or(Answer::Bytes(Vec::new()))
        })
        .await;
        let settings = Settings { timeout_seconds: 1, ..Settings::default() };
        let door = Door::with(&Names::default(), &[&host], settings, true);
        let error = door.refused(json!({"url": format!("http://127.0.0.2:{}/", host.port())})).await;
        assert_eq!((&error["code"], &error["retryable"]), (&json!(code), &json!(true)), "{error}");
        assert_eq!(host.connections(), 1, "nothing is repeated");
    }
}
