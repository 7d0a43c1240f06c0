//! What a PostgreSQL server may say.
//!
//! Its messages bear their length, and the driver reserves as much before they have come. Beside that, the driver
//! keeps what it looks up for itself (types and tables of columns, by the simple protocol) whole and for the life of
//! a connection, and settings for as long; so both have bounds.
//!
//! Source: "Frontend/Backend Protocol" of PostgreSQL's documentation; and the driver (`sqlx-postgres` 0.9,
//! `connection/stream.rs` and `connection/resolve.rs`).

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::frames::{Frames, Judge, Layout, Message};
use super::relay::{self, Inspector};
use super::tls::encrypt;
use super::{
    Encryption, End, MAX_DESCRIPTION, MAX_DESCRIPTIONS, MAX_LOGIN, MAX_MESSAGE, Refusal, Report, Server,
};

/// Asks for encryption: length and code.
const ENCRYPT: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

/// The longest error or notice; they may quote a statement.
const MAX_NOTICE: usize = 1024 * 1024;
/// Settings that a server reports; it has a dozen. Each is a name and a word or two.
const MAX_SETTINGS: usize = 256;
const MAX_SETTING: usize = 8 * 1024;
/// Rows that the driver looked up for itself, over the life of a connection. Types that are made of one another are
/// kept nested in it, and so deep nesting ends here too. A connection that has seen half of it is worn.
const MAX_LOOKED_UP: usize = 4096;

/// Serves one connection from its first byte to its end.
pub(super) async fn run(
    encryption: Encryption,
    mut server: Server,
    driver: &mut UnixStream,
    report: Report,
) -> Result<(), End> {
    server = match encryption {
        Encryption::Off => server,
        Encryption::Preferred(peer) => match offers(&mut server).await? {
            true => encrypt(server, &peer).await?,
            false => server,
        },
        Encryption::Required(peer) => match offers(&mut server).await? {
            true => encrypt(server, &peer).await?,
            false => return Err(Refusal::Tls("the server does not offer it".to_owned()).into()),
        },
    };
    relay::run(server, driver, Conversation::new(report)).await
}

/// Whether the server encrypts. It answers with one byte, and must not say more before it does.
async fn offers(server: &mut Server) -> Result<bool, End> {
    server.write_all(&ENCRYPT).await?;
    server.flush().await?;
    match server.read_u8().await? {
        b'S' => Ok(true),
        b'N' => Ok(false),
        _ => Err(Refusal::Broken("it does not answer as a PostgreSQL server").into()),
    }
}

struct Conversation {
    up: Frames,
    down: Frames,
    judge: Referee,
}

impl Conversation {
    fn new(report: Report) -> Self {
        let judge = Referee { due: 1, ..Referee::new(report) };
        Self { up: Frames::new(Layout::PostgresClient), down: Frames::new(Layout::Postgres), judge }
    }
}

impl Inspector for Conversation {
    fn asked(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.up.observe(bytes, &mut Requests(&mut self.judge))
    }

    fn answered(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.down.observe(bytes, &mut self.judge)
    }
}

struct Referee {
    /// Answers that are to come, each ended by the server's being ready. The first is that to the login.
    due: u32,
    /// Whether nobody has logged in yet.
    is_stranger: bool,
    /// Whether the driver asks by the simple protocol, whose answers it keeps.
    is_simple: bool,
    settings: usize,
    looked_up: usize,
    described: u64,
    report: Report,
}

impl Referee {
    const fn new(report: Report) -> Self {
        Self { due: 0, is_stranger: true, is_simple: false, settings: 0, looked_up: 0, described: 0, report }
    }

    fn describe(&mut self, len: usize) -> Result<(), Refusal> {
        let len = len as u64;
        self.described = self.described.saturating_add(len);
        if self.described > MAX_DESCRIPTIONS / 2 {
            self.report.wear();
        }
        if len > MAX_DESCRIPTION || self.described > MAX_DESCRIPTIONS {
            return Err(Refusal::Broken("the columns of a result are described without end"));
        }
        Ok(())
    }

    fn row(&mut self) -> Result<(), Refusal> {
        if self.is_simple {
            self.looked_up += 1;
            if self.looked_up > MAX_LOOKED_UP / 2 {
                self.report.wear();
            }
            if self.looked_up > MAX_LOOKED_UP {
                return Err(Refusal::Broken("its types and tables are described without end"));
            }
        }
        Ok(())
    }

    fn setting(&mut self, len: usize) -> Result<(), Refusal> {
        self.settings += 1;
        if self.settings > MAX_SETTINGS || len > MAX_SETTING {
            return Err(Refusal::Broken("it has settings without end"));
        }
        Ok(())
    }
}

/// The driver's side: which answers are due.
struct Requests<'a>(&'a mut Referee);

impl Judge for Requests<'_> {
    fn header(&mut self, message: Message) -> Result<(), Refusal> {
        match message.tag {
            b'Q' => {
                self.0.is_simple = true;
                self.0.due += 1;
            }
            b'S' => {
                self.0.is_simple = false;
                self.0.due += 1;
            }
            _ => {}
        }
        Ok(())
    }

    fn head(&mut self, _: Message, _: &[u8]) -> Result<(), Refusal> {
        Ok(())
    }
}

impl Judge for Referee {
    fn header(&mut self, message: Message) -> Result<(), Refusal> {
        let Message { tag, len } = message;
        if len > MAX_MESSAGE {
            return Err(Refusal::TooLong);
        }
        if self.is_stranger && len > MAX_LOGIN {
            return Err(Refusal::Broken("a message of the login is too long"));
        }
        match tag {
            b'E' | b'N' if len > MAX_NOTICE => return Err(Refusal::Broken("an error is too long")),
            b'E' | b'N' | b'A' => return Ok(()),
            b'S' => return self.setting(len),
            _ if self.due == 0 => return Err(Refusal::Broken("it answers to nothing")),
            b'T' | b't' => self.describe(len)?,
            b'D' => self.row()?,
            b'Z' => {
                self.due -= 1;
                self.is_stranger = false;
            }
            _ => {}
        }
        Ok(())
    }

    fn head(&mut self, _: Message, _: &[u8]) -> Result<(), Refusal> {
        Ok(())
    }
}
