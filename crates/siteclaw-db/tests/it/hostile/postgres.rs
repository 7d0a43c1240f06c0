//! What a PostgreSQL server may send instead of an answer.

use siteclaw_db::{DbError, Rows, Tls, Value};

use super::postgres_server::{description, honest, message, ready, row, start};
use super::{Reply, apart, ask_postgres, postgres_at};

/// Has the server answer to one kind of message of the statement, and to all others honestly; gives the error.
async fn refusal(tag: u8, reply: Reply) -> DbError {
    let port = start(move |(asked, _)| (asked == tag).then(|| reply.clone())).await;
    ask_postgres(postgres_at(port, Tls::Preferred)).await.unwrap_err()
}

#[tokio::test]
async fn an_honest_server_is_understood() {
    let port = start(|_| None).await;
    let found = ask_postgres(postgres_at(port, Tls::Preferred)).await.unwrap();
    assert_eq!(found.rows[0].values(), [Value::Text("hello".into())]);
}

/// The driver would reserve as much before it has come.
#[tokio::test]
async fn a_huge_length_is_refused() {
    let Some(_peak) = apart(module_path!(), "a_huge_length_is_refused", 120) else { return };
    for len in [u32::MAX, i32::MAX.cast_unsigned(), 17_000_000, 3, 0] {
        for (asked, tag) in [(0, b'R'), (b'Q', b'C'), (b'P', b'1'), (b'E', b'D'), (b'D', b'T'), (b'S', b'Z')]
        {
            let error = refusal(asked, Reply::Bytes([&[tag][..], &len.to_be_bytes()].concat())).await;
            let broken = matches!(&error, DbError::Other { class, .. } if class == "protocol");
            assert!(broken || matches!(error, DbError::TooLarge { .. }), "{len} {tag}: {error:?}");
        }
    }
}

#[tokio::test]
async fn a_row_without_end_is_too_large() {
    let Some(_peak) = apart(module_path!(), "a_row_without_end_is_too_large", 120) else { return };
    let head = [&b"D"[..], &1_000_000_000_u32.to_be_bytes()].concat();
    let port = start(move |(tag, body)| {
        // The first executed statement sets the session up.
        let statement = tag == b'E' && body.len() == 5;
        statement.then(|| Reply::Endless(head.clone(), vec![0; 65536]))
    })
    .await;
    let error = ask_postgres(postgres_at(port, Tls::Preferred)).await.unwrap_err();
    assert!(matches!(error, DbError::TooLarge { .. }), "{error:?}");
}

/// Counts and lengths within a message that point beyond it.
#[tokio::test]
async fn counts_that_do_not_hold_are_errors() {
    let Some(_peak) = apart(module_path!(), "counts_that_do_not_hold_are_errors", 150) else { return };
    let replies: Vec<(u8, Vec<u8>)> = vec![
        (b'D', [message(b't', &[0xff, 0xff]), message(b'T', &[0xff, 0xff])].concat()),
        (b'D', [message(b't', &[0, 0]), message(b'T', &[0xff, 0xff, b'a', 0])].concat()),
        (b'D', message(b't', b"")),
        (b'E', message(b'D', &[0xff, 0xff])),
        (b'E', message(b'D', &[0, 1, 0x7f, 0xff, 0xff, 0xff])),
        (b'E', message(b'D', &[0, 1, 0, 0, 0, 9, b'x'])),
        (b'E', message(b'D', b"")),
        (b'E', message(b'C', b"")),
        (b'E', message(b'E', b"")),
        (b'E', message(b'E', b"SERROR\0C")),
        (b'E', message(b'N', b"M\xff\xfe\0C\xff\0\0")),
        (b'E', message(b'S', b"no end")),
        (b'E', message(b'A', b"")),
        (b'S', message(b'Z', b"")),
        (0, message(b'R', b"")),
        (0, message(b'R', &[0, 0, 0, 10])),
        (0, message(b'R', &[0, 0, 0, 10, b'x'])),
        (0, message(b'R', &[0, 0, 0, 5])),
        (0, message(b'K', b"")),
        (0, b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()),
    ];
    for (tag, bytes) in replies {
        let error = refusal(tag, Reply::Bytes([bytes.clone(), ready()].concat())).await;
        assert!(!error.to_string().is_empty(), "{tag} {bytes:?}");
    }
}

/// What comes unasked, and what the driver keeps, has bounds.
#[tokio::test]
async fn settings_and_answers_without_end_are_refused() {
    let Some(_peak) = apart(module_path!(), "settings_and_answers_without_end_are_refused", 150) else {
        return;
    };
    let settings: Vec<u8> = (0..300)
        .flat_map(|number| message(b'S', format!("s{number}\0{}\0", "x".repeat(8000)).as_bytes()))
        .collect();
    let error = refusal(0, Reply::Endless(Vec::new(), settings)).await;
    assert!(error.to_string().contains("it has settings without end"), "{error}");
    let error = refusal(b'Q', Reply::Endless(description(&["a\0"]), row(&["x"]))).await;
    assert!(error.to_string().contains("described without end"), "{error}");
    let error = refusal(0, Reply::Bytes([honest(0, &[]), row(&["unasked"])].concat())).await;
    assert!(error.to_string().contains("it answers to nothing"), "{error}");
}

/// Types that are made of one another are held in one another, and let go of one within the other.
#[tokio::test]
async fn types_without_end_do_not_fill_the_stack() {
    let Some(_peak) = apart(module_path!(), "types_without_end_do_not_fill_the_stack", 250) else { return };
    assert!(nested_domains(4_000).await.is_ok());
    let error = nested_domains(400_000).await.unwrap_err();
    assert!(error.to_string().contains("described without end"), "{error}");
}

/// Asks a server whose column is a domain over a domain over a domain…
async fn nested_domains(depth: u32) -> Result<Rows, DbError> {
    let columns = [
        "oid",
        "pretty_name",
        "catalog_name",
        "original_name",
        "typtype",
        "typcategory",
        "typelem",
        "typbasetype",
        "rngsubtype",
        "enum_labels",
        "record_attributes",
    ];
    let names: Vec<String> = columns.iter().map(|name| format!("{name}\0")).collect();
    let mut described = description(&names.iter().map(String::as_str).collect::<Vec<_>>());
    // The types of the columns, as PostgreSQL has them.
    let oids: [u32; 11] = [26, 25, 19, 25, 18, 18, 26, 26, 26, 1009, 2287];
    let mut at = 7;
    for (name, oid) in names.iter().zip(oids) {
        at += name.len() + 6;
        described[at..at + 4].copy_from_slice(&oid.to_be_bytes());
        at += 12;
    }
    // Domains, each over the next.
    let domain = |number: u32| {
        let mut body = 11_u16.to_be_bytes().to_vec();
        let own = (100_000 + number).to_string();
        let base = if number == depth { "25".to_owned() } else { (100_001 + number).to_string() };
        for value in [
            Some(own.as_str()),
            Some("d"),
            Some("d"),
            None,
            Some("d"),
            Some("N"),
            None,
            Some(&base),
            None,
            Some("{}"),
            Some("{}"),
        ] {
            match value {
                Some(value) => {
                    body.extend(u32::try_from(value.len()).unwrap().to_be_bytes());
                    body.extend(value.as_bytes());
                }
                None => body.extend([0xff; 4]),
            }
        }
        message(b'D', &body)
    };
    let types =
        [described, (0..=depth).rev().flat_map(domain).collect(), message(b'C', b"SELECT 1\0"), ready()]
            .concat();
    let mut of_domain = description(&["a\0"]);
    of_domain[7 + 2 + 6..7 + 2 + 10].copy_from_slice(&100_000_u32.to_be_bytes());
    let described = [message(b't', &[0, 0]), of_domain].concat();
    let asked = std::sync::Mutex::new(Vec::new());
    let port = start(move |(tag, body)| {
        if tag == b'P' {
            asked.lock().unwrap().clone_from(&body.to_vec());
        }
        let ours = String::from_utf8_lossy(&asked.lock().unwrap()).contains("SELECT a FROM t");
        match tag {
            b'D' if ours => Some(Reply::Bytes(described.clone())),
            b'Q' if String::from_utf8_lossy(body).contains("pg_type") => Some(Reply::Bytes(types.clone())),
            _ => None,
        }
    })
    .await;
    ask_postgres(postgres_at(port, Tls::Preferred)).await
}
