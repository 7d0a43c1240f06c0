//! What a MySQL server may send instead of an answer.

use std::time::Duration;

use siteclaw_db::{ConnectSettings, Database, DbError, Limits, Tls, Value};

use super::mysql_server::{Asked, END, OK, column, greeting, honest, packet, packets, start};
use super::{Reply, apart, ask_mysql, hasty, mysql_at};
use crate::servers::rows;

/// Has the server answer to one kind of command, and to all others honestly; gives the error.
async fn refusal(command: u8, reply: Reply) -> DbError {
    let port = start(move |asked| match asked {
        Asked::Command(asked) if asked.first() == Some(&command) => Some(reply.clone()),
        _ => None,
    })
    .await;
    ask_mysql(mysql_at(port, Tls::Preferred)).await.unwrap_err()
}

fn bytes(payloads: &[Vec<u8>]) -> Reply {
    Reply::Bytes(packets(payloads))
}

#[tokio::test]
async fn an_honest_server_is_understood() {
    let port = start(|_| None).await;
    let found = ask_mysql(mysql_at(port, Tls::Preferred)).await.unwrap();
    assert_eq!(found.rows[0].values(), [Value::Text("hello".into())]);
}

/// The driver would reserve as many columns before the first has come.
#[tokio::test]
async fn a_huge_number_of_columns_is_refused() {
    let Some(_peak) = apart(module_path!(), "a_huge_number_of_columns_is_refused", 120) else { return };
    for count in [5000, 4_000_000_000, 64_000_000_000, u64::MAX] {
        for command in [0x03, 0x17] {
            let mut first = vec![0xfe];
            first.extend(u64::to_le_bytes(count));
            let error = refusal(command, bytes(&[first])).await;
            assert!(error.to_string().contains("more columns than any table can have"), "{count}: {error}");
        }
    }
    let many = refusal(0x16, bytes(&[vec![0, 1, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0]])).await;
    assert!(many.to_string().contains("more columns than any table can have"), "{many}");
}

/// What follows an answer unasked could be read as the first packet of the next.
#[tokio::test]
async fn an_answer_to_nothing_is_refused() {
    let Some(_peak) = apart(module_path!(), "an_answer_to_nothing_is_refused", 120) else { return };
    let mut count = vec![0xfe];
    count.extend(u64::to_le_bytes(64_000_000_000));
    // Behind a prepared statement, behind rows and their end, and behind an end that is a row to the driver elsewhere.
    let mut prepared = honest(&[0x16]).unwrap();
    prepared.push(count.clone());
    assert!(refusal(0x16, bytes(&prepared)).await.to_string().contains("it answers to nothing"));
    let mut executed = honest(&[0x17]).unwrap();
    executed.push(count.clone());
    // The rows may have been read before the smuggled packet has come; then the connection is not used again.
    let port = start(move |asked| match asked {
        Asked::Command([0x17, ..]) => Some(bytes(&executed)),
        _ => None,
    })
    .await;
    let settings = mysql_at(port, Tls::Preferred);
    let database = Database::new(ConnectSettings::MySql(settings), hasty());
    for _ in 0..4 {
        let _ = rows(&database, "SELECT a FROM t").await;
    }
    let long_end = [&END[..], &[0; 20]].concat();
    let error = refusal(0x17, bytes(&[vec![1], column("a"), long_end, count])).await;
    assert!(error.to_string().contains("the end of a result is malformed"), "{error}");
}

#[tokio::test]
async fn a_row_without_end_is_too_large() {
    let Some(_peak) = apart(module_path!(), "a_row_without_end_is_too_large", 120) else { return };
    let part = [&[0xff, 0xff, 0xff, 3][..], &[0; 0xff_ffff]].concat();
    let error = refusal(0x17, Reply::Endless(packets(&[vec![1], column("a")]), part)).await;
    assert!(matches!(&error, DbError::TooLarge { statement } if statement == "SELECT a FROM t"), "{error:?}");
}

#[tokio::test]
async fn descriptions_without_end_are_refused() {
    let Some(_peak) = apart(module_path!(), "descriptions_without_end_are_refused", 150) else { return };
    let long = packet(2, &column(&"x".repeat(200)).repeat(200));
    let error =
        refusal(0x16, Reply::Endless(packets(&[vec![0, 1, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0]]), long)).await;
    assert!(error.to_string().contains("described without end"), "{error}");
}

/// Lengths within a packet that point beyond it, packets without content, and every honest packet cut short.
#[tokio::test]
async fn lengths_that_do_not_hold_are_errors() {
    let Some(_peak) = apart(module_path!(), "lengths_that_do_not_hold_are_errors", 150) else { return };
    let long_text = |size: &[u8]| [&[3][..], b"def", size, b"shop"].concat();
    let replies: Vec<(u8, Vec<Vec<u8>>)> = vec![
        (0x17, vec![vec![1], long_text(&[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])]),
        (0x17, vec![vec![1], long_text(&[0xfd, 0xff, 0xff, 0xff])]),
        (0x17, vec![vec![1], long_text(&[250])]),
        (0x17, vec![vec![1], column("a"), [&[0, 0, 0xfe][..], &[0xff; 8], b"hello"].concat()]),
        (0x17, vec![vec![1], column("a"), vec![0, 0, 200, 1]]),
        (0x17, vec![vec![1], column("a"), vec![0]]),
        (0x17, vec![vec![1], column("a"), vec![7, 7, 7]]),
        (0x17, vec![vec![0xfb], b"/etc/passwd".to_vec()]),
        (0x17, vec![vec![0]]),
        (0x17, vec![vec![0xff]]),
        (0x17, vec![vec![0xff, 1, 2]]),
        (0x17, vec![Vec::new()]),
        (0x16, vec![vec![0; 5]]),
        (0x16, vec![Vec::new()]),
        (0x03, vec![vec![1]]),
        (0x03, vec![vec![2], column("a"), column("b"), vec![0xfd, 0xff, 0xff, 0xff], END.to_vec()]),
    ];
    for (command, payloads) in replies {
        let error = refusal(command, bytes(&payloads)).await;
        assert!(!error.to_string().is_empty(), "{command} {payloads:?}");
    }
    for command in [0x16, 0x17] {
        let whole = packets(&honest(&[command]).unwrap());
        for len in 0..whole.len() {
            // A cut packet: the connection waits for the rest, so the length in its header is cut with it.
            let cut = honest(&[command]).unwrap().into_iter().map(|payload| {
                let keep = len % (payload.len() + 1);
                payload[..keep].to_vec()
            });
            let reply = bytes(&cut.collect::<Vec<_>>());
            let port = start(move |asked| match asked {
                Asked::Command(asked) if asked.first() == Some(&command) => Some(reply.clone()),
                _ => None,
            })
            .await;
            let limits = Limits { statement_time: Duration::from_millis(20), ..hasty() };
            let settings = ConnectSettings::MySql(mysql_at(port, Tls::Preferred));
            let _ = rows(&Database::new(settings, limits), "SELECT a FROM t").await;
        }
    }
}

/// The greeting is the first that anybody says, so anything may come.
#[tokio::test]
async fn a_greeting_that_is_none_is_an_error() {
    let Some(_peak) = apart(module_path!(), "a_greeting_that_is_none_is_an_error", 120) else { return };
    let honest = greeting(true);
    let mut greetings: Vec<Vec<u8>> = (0..honest.len()).map(|len| honest[..len].to_vec()).collect();
    greetings.push(b"\xff".to_vec());
    greetings.push(b"\xff\x10\x04Too many connections".to_vec());
    greetings.push(b"SSH-2.0-OpenSSH_9.2".to_vec());
    greetings.push(vec![10; 60_000]);
    for payload in greetings {
        let port = start(move |asked| match asked {
            Asked::Greeting => Some(Reply::Bytes(packet(0, &payload))),
            _ => Some(Reply::Bytes(packet(2, &OK))),
        })
        .await;
        let limits = Limits { connect_timeout: Duration::from_millis(200), ..hasty() };
        let settings = ConnectSettings::MySql(mysql_at(port, Tls::Preferred));
        let result = rows(&Database::new(settings, limits), "SELECT 1").await;
        assert!(result.is_err());
    }
    // A server that speaks first and is none: a web server waits, a mail server greets.
    let port =
        start(|_| Some(Reply::Endless(b"220 mail.example.org ESMTP\r\n".to_vec(), vec![b'x'; 65536]))).await;
    let error = ask_mysql(mysql_at(port, Tls::Preferred)).await.unwrap_err();
    assert!(error.to_string().contains("a packet of the login is too long"), "{error}");
}

/// What passes between driver and server is on its way for a moment. A program that closes and ends must not cut its
/// goodbye off, or the server's log fills with broken connections.
#[test]
fn a_goodbye_reaches_the_server_before_the_program_ends() {
    let (tell, told) = std::sync::mpsc::channel();
    let (hear_port, port) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let port = start(move |asked| {
                if let Asked::Command([0x01, ..]) = asked {
                    tell.send(()).unwrap();
                }
                None
            });
            hear_port.send(port.await).unwrap();
            std::future::pending::<()>().await;
        });
    });
    let port = port.recv().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let settings = ConnectSettings::MySql(mysql_at(port, Tls::Preferred));
        let database = Database::new(settings, hasty());
        rows(&database, "SELECT a FROM t").await.unwrap();
        database.close().await;
    });
    drop(runtime);
    told.recv_timeout(Duration::from_secs(5)).unwrap();
}
