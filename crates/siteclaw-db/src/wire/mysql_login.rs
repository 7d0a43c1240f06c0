//! Greeting, encryption and login of a MySQL server.
//!
//! The driver is told that the server cannot encrypt, because the encryption ends here. It logs in by itself, with
//! one exception: where a proof of the password is not enough, a server takes the password as it is over a safe way
//! and encrypted with a key of its own over any other. The driver knows only the latter, so the former is done here:
//! for `caching_sha2_password` (an account that the server has not seen lately) a socket is a safe way as well as an
//! encrypted connection, for `sha256_password` only the latter.
//!
//! Source: "Connection Phase" of MySQL's internals documentation, "Caching SHA-2 Pluggable Authentication" and
//! "SHA-256 Pluggable Authentication" of its reference manual.

use siteclaw_core::Secret;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::mysql::Conversation;
use super::tls::encrypt;
use super::{Encryption, End, MAX_LOGIN, Refusal, Report, Server, relay};

/// Capabilities, as the lower and upper half of the greeting and of the client's answer hold them.
const CAN_ENCRYPT: u32 = 1 << 11;
const NO_ENDS: u32 = 1 << 24;

const MORE_DATA: u8 = 0x01;
const FULL_LOGIN: u8 = 0x04;
const SWITCH: u8 = 0xfe;

/// Packets of a login. An honest one has less than ten.
const MAX_PACKETS: usize = 64;

pub(super) struct Login {
    pub(super) encryption: Encryption,
    pub(super) password: Secret,
    /// Whether the server takes the way for safe although it is not encrypted.
    pub(super) is_local: bool,
}

/// Serves one connection from the greeting to its end.
pub(super) async fn run(
    login: Login,
    server: Server,
    driver: &mut UnixStream,
    report: Report,
) -> Result<(), End> {
    let mut server = Packets::new(server);
    let mut greeting = server.next().await?;
    let Some(can_encrypt) = without_encryption(&mut greeting) else {
        // An error instead of a greeting; what is no greeting at all the driver must not see.
        if greeting.body.first() != Some(&0xff) || greeting.body.len() < 3 {
            return Err(Refusal::Broken("it does not greet as a MySQL server").into());
        }
        driver.write_all(&greeting.bytes()).await?;
        return Ok(());
    };
    let peer = match (login.encryption, can_encrypt) {
        (Encryption::Required(_), false) => {
            return Err(Refusal::Tls("the server does not offer it".to_owned()).into());
        }
        (Encryption::Required(peer) | Encryption::Preferred(peer), true) => Some(peer),
        (Encryption::Preferred(_), false) | (Encryption::Off, _) => None,
    };
    driver.write_all(&greeting.bytes()).await?;
    let mut driver = Packets::new(driver);
    let mut answer = driver.next().await?;
    let Some(mut capabilities) = answer.body.first_chunk().copied().map(u32::from_le_bytes) else {
        return Err(Refusal::Broken("its greeting confuses the driver").into());
    };
    let way = if peer.is_some() {
        Way::Encrypted
    } else if login.is_local {
        Way::Socket
    } else {
        Way::Open
    };
    if let Some(peer) = peer {
        capabilities |= CAN_ENCRYPT;
        let Some(fixed) = answer.body.get_mut(..32) else {
            return Err(Refusal::Broken("its greeting confuses the driver").into());
        };
        for (place, byte) in fixed.iter_mut().zip(capabilities.to_le_bytes()) {
            *place = byte;
        }
        // The first 32 bytes of the answer alone ask for the encryption of what follows.
        let request = Packet { number: answer.number, body: fixed.to_vec() };
        server.write(&request).await?;
        answer.number = answer.number.wrapping_add(1);
        server = Packets::new(encrypt(server.into_stream()?, &peer).await?);
    }
    server.write(&answer).await?;
    let conversation = Conversation::new(capabilities & NO_ENDS == 0, report);
    log_in(&mut server, &mut driver, way, &login.password).await?;
    relay::run(server.into_stream()?, driver.into_stream()?, conversation).await
}

/// How safe a password is on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Encrypted,
    Socket,
    Open,
}

/// Passes the login on until the server has decided.
async fn log_in(
    server: &mut Packets<Server>,
    driver: &mut Packets<&mut UnixStream>,
    way: Way,
    password: &Secret,
) -> Result<(), End> {
    for _ in 0..MAX_PACKETS {
        let packet = tokio::select! {
            packet = server.next() => packet?,
            packet = driver.next() => {
                server.write(&packet?).await?;
                continue;
            }
        };
        let wants_password = match packet.body.as_slice() {
            [] => return Err(Refusal::Broken("a packet is empty").into()),
            [MORE_DATA] => return Err(Refusal::Broken("a packet of the login is empty").into()),
            [MORE_DATA, FULL_LOGIN] => way != Way::Open,
            [SWITCH, plugin @ ..] => way == Way::Encrypted && plugin.starts_with(b"sha256_password\0"),
            _ => false,
        };
        if wants_password {
            let mut body = password.expose().as_bytes().to_vec();
            body.push(0);
            server.write(&Packet { number: packet.number.wrapping_add(1), body }).await?;
            continue;
        }
        let decided = matches!(packet.body.first(), Some(0x00 | 0xff));
        driver.write(&packet).await?;
        if decided {
            return Ok(());
        }
    }
    Err(Refusal::Broken("the login has no end").into())
}

/// Takes the offer of encryption out of a greeting; tells whether there was one, and nothing for what is no greeting
/// of the version that is known.
fn without_encryption(greeting: &mut Packet) -> Option<bool> {
    let (version, rest) = greeting.body.split_first_mut()?;
    if *version != 10 {
        return None;
    }
    let name = rest.iter().position(|byte| *byte == 0)?;
    // Connection number (4), scramble (8), a zero, then the lower half of the capabilities.
    let low = rest.get_mut(name + 1 + 4 + 8 + 1..)?;
    let high_bit = low.get_mut(1)?;
    let offered = u32::from(*high_bit) << 8 & CAN_ENCRYPT != 0;
    *high_bit &= !CAN_ENCRYPT.to_le_bytes()[1];
    Some(offered)
}

struct Packet {
    number: u8,
    body: Vec<u8>,
}

impl Packet {
    fn bytes(&self) -> Vec<u8> {
        let [a, b, c, _] = u32::try_from(self.body.len()).unwrap_or(u32::MAX).to_le_bytes();
        let mut bytes = vec![a, b, c, self.number];
        bytes.extend(&self.body);
        bytes
    }
}

/// Whole packets of a stream.
struct Packets<S> {
    stream: S,
    read: Vec<u8>,
}

impl<S: AsyncRead + AsyncWriteExt + Unpin> Packets<S> {
    fn new(stream: S) -> Self {
        Self { stream, read: Vec::new() }
    }

    /// The next packet; what was read of it is kept if nobody waits any longer.
    async fn next(&mut self) -> Result<Packet, End> {
        loop {
            if let Some(&[a, b, c, number]) = self.read.first_chunk::<4>() {
                let len = usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16;
                if len > MAX_LOGIN {
                    return Err(Refusal::Broken("a packet of the login is too long").into());
                }
                if self.read.len() >= len + 4 {
                    let body = self.read.drain(..len + 4).skip(4).collect();
                    return Ok(Packet { number, body });
                }
            }
            if self.stream.read_buf(&mut self.read).await? == 0 {
                return Err(End::Gone);
            }
        }
    }

    async fn write(&mut self, packet: &Packet) -> Result<(), End> {
        self.stream.write_all(&packet.bytes()).await?;
        Ok(self.stream.flush().await?)
    }

    /// The stream, if nothing was read ahead: what came before an encryption would count as encrypted, and what came
    /// with the end of a login as an answer.
    fn into_stream(self) -> Result<S, Refusal> {
        match self.read.is_empty() {
            true => Ok(self.stream),
            false => Err(Refusal::Broken("it speaks before it is asked")),
        }
    }
}
