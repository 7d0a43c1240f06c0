//! From a driver's error to a [`DbError`].

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use siteclaw_core::sanitise_fragment;

use super::{DbError, mysql, postgres, sqlite};
use crate::Engine;

/// What an error message may name: never more than this.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) engine: Engine,
    /// Address or path of the database.
    pub(crate) address: String,
    pub(crate) user: String,
    pub(crate) database: String,
    pub(crate) statement_time: Duration,
}

impl Place {
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(&self.address)
    }
}

/// Names what went wrong.
pub(crate) fn classify(error: sqlx::Error, place: &Place) -> DbError {
    match &error {
        sqlx::Error::Database(database) => {
            let message = database.message().to_owned();
            if let Some(error_) = database.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>() {
                let number = error_.number();
                return mysql::classify(number, &message, place, Box::new(error));
            }
            let code = database.code().unwrap_or_default().into_owned();
            match place.engine {
                Engine::Sqlite => {
                    sqlite::classify(code.parse().unwrap_or_default(), &message, place, Box::new(error))
                }
                Engine::MySql | Engine::Postgres => {
                    postgres::classify(&code, &message, place, Box::new(error))
                }
            }
        }
        sqlx::Error::Io(io) if place.engine == Engine::Sqlite => {
            DbError::FileUnreadable { path: place.path(), reason: reason_of(io) }
        }
        sqlx::Error::Io(_) | sqlx::Error::WorkerCrashed => {
            DbError::ConnectionLost { address: place.address.clone(), source: Some(Box::new(error)) }
        }
        sqlx::Error::Tls(reason) => DbError::TlsFailed {
            address: place.address.clone(),
            reason: sanitise_fragment(&reason.to_string(), 160),
        },
        sqlx::Error::Protocol(text) => match text.split_once("unknown authentication plugin: ") {
            Some((_, plugin)) => DbError::AuthPluginUnsupported {
                // The driver adds its own place in the code.
                plugin: sanitise_fragment(plugin.split_whitespace().next().unwrap_or_default(), 64),
                user: place.user.clone(),
            },
            None => other(super::PROTOCOL, "the server's answer was not understood", error),
        },
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
            other("decode", "a value could not be read", error)
        }
        sqlx::Error::Encode(_) | sqlx::Error::InvalidArgument(_) => {
            DbError::BadParameters { problem: "a value cannot be sent to the server".to_owned() }
        }
        _ => other("driver", "the driver gave up", error),
    }
}

fn other(class: &str, meaning: &str, error: sqlx::Error) -> DbError {
    DbError::Other { class: class.to_owned(), meaning: meaning.to_owned(), source: Some(Box::new(error)) }
}

/// A few words of our own for a failed connection or an unreadable file.
pub(crate) fn reason_of(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "the connection was refused".to_owned(),
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::TimedOut => "no answer in time".to_owned(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => {
            "the connection was closed at once".to_owned()
        }
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            "the host is unreachable".to_owned()
        }
        _ => sanitise_fragment(&error.to_string(), 120),
    }
}

/// The first text between the quotes, made fit for a message.
pub(super) fn between(text: &str, open: char, close: char) -> Option<String> {
    let (_, rest) = text.split_once(open)?;
    let (inside, _) = rest.split_once(close)?;
    Some(name(inside))
}

/// A name out of a server's message, cut to a length that no honest name has.
pub(super) fn name(text: &str) -> String {
    sanitise_fragment(text, 64)
}

#[cfg(test)]
pub(super) fn test_place(engine: Engine) -> Place {
    Place {
        engine,
        address: "db.example.org:3306".into(),
        user: "shop".into(),
        database: "shop_live".into(),
        statement_time: Duration::from_secs(20),
    }
}
