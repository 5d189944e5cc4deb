//! Bytes from and to a VNC server: buffered, with a deadline, encrypted or not.
//!
//! Every read has an end: the deadline of the call it belongs to. Large pictures are read straight into their place. This
//! module refuses to allocate by a server's word: whoever asks for bytes brings the room for them.

use super::address::VncAddress;
use super::trouble::Trouble;
use handsight_base::port::clock::{Clock, RealClock};
use rustls::{ClientConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::time::Duration;

/// What is read at a time.
const BUFFER: usize = 256 << 10;
/// For the server to take what is sent.
const TAKE: Duration = Duration::from_secs(2);

enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
    /// Between the two.
    Nothing,
}

impl Stream {
    fn socket(&self) -> io::Result<&TcpStream> {
        match self {
            Self::Plain(socket) => Ok(socket),
            Self::Tls(tls) => Ok(&tls.sock),
            Self::Nothing => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(into),
            Self::Tls(tls) => tls.read(into),
            Self::Nothing => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.write_all(bytes),
            Self::Tls(tls) => tls.write_all(bytes).and_then(|()| tls.flush()),
            Self::Nothing => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

/// One connection.
pub(crate) struct Wire {
    stream: Stream,
    buffer: Vec<u8>,
    /// What of the buffer was not consumed yet.
    from: usize,
    to: usize,
    clock: RealClock,
    /// The end of the present call.
    until: Duration,
    patience: Duration,
}

impl Wire {
    /// Connects within `patience`, which all addresses of the host share.
    pub(crate) fn connect(server: &VncAddress, patience: Duration) -> Result<Self, Trouble> {
        let clock = RealClock::new();
        let addresses = (server.host.as_str(), server.port).to_socket_addrs().map_err(|why| {
            Trouble::unusable(
                format!("cannot be found ({why})"),
                "Check the name, or write the address in numbers.",
            )
        })?;
        let mut refused = None;
        for address in addresses {
            let left = patience.saturating_sub(clock.now());
            if left.is_zero() {
                break;
            }
            match TcpStream::connect_timeout(&address, left) {
                Ok(socket) => {
                    socket.set_nodelay(true)?;
                    socket.set_write_timeout(Some(TAKE))?;
                    let stream = Stream::Plain(socket);
                    let buffer = vec![0; BUFFER];
                    return Ok(Self { stream, buffer, from: 0, to: 0, until: patience, patience, clock });
                }
                Err(why) => refused = Some(why),
            }
        }
        Err(Trouble::unusable(
            match refused {
                Some(why) if why.kind() == io::ErrorKind::ConnectionRefused => {
                    "cannot be reached: nobody listens there".to_owned()
                }
                Some(why) => format!("cannot be reached ({why})"),
                None => format!("cannot be reached within {:.1} s", patience.as_secs_f64()),
            },
            "Start it, or correct --desktop vnc:HOST[:PORT] (a number below 100 is a display: 5900 + N).",
        ))
    }

    /// From now on this connection speaks TLS.
    pub(crate) fn secure(&mut self, tls: ClientConnection) -> Result<(), Trouble> {
        if self.from < self.to {
            return Err(Trouble::broken("more words before the encryption began"));
        }
        let Stream::Plain(socket) = std::mem::replace(&mut self.stream, Stream::Nothing) else {
            return Err(Trouble::broken("encryption asked for twice"));
        };
        self.stream = Stream::Tls(Box::new(StreamOwned::new(tls, socket)));
        Ok(())
    }

    /// Carries the TLS handshake to its end; the reason of a refusal is for `told`.
    pub(crate) fn shake_hands(&mut self, told: impl Fn(&rustls::Error) -> Trouble) -> Result<(), Trouble> {
        let left = self.left()?;
        let Stream::Tls(tls) = &mut self.stream else { return Ok(()) };
        tls.sock.set_read_timeout(Some(left))?;
        while tls.conn.is_handshaking() {
            let StreamOwned { conn, sock } = tls.as_mut();
            if let Err(why) = conn.complete_io(sock) {
                return Err(match why.get_ref().and_then(|e| e.downcast_ref::<rustls::Error>()) {
                    Some(error) => told(error),
                    None if is_silence(&why) => Trouble::Stalled(self.patience),
                    None => why.into(),
                });
            }
        }
        Ok(())
    }

    /// A new call begins: everything until the next one has so long.
    pub(crate) fn allow(&mut self, patience: Duration) {
        self.patience = patience;
        self.until = self.clock.now() + patience;
    }

    /// Of the present call.
    pub(crate) fn left(&self) -> Result<Duration, Trouble> {
        let left = self.until.saturating_sub(self.clock.now());
        if left.is_zero() { Err(Trouble::Stalled(self.patience)) } else { Ok(left) }
    }

    /// What to wait on for more to come; what is encrypted may be here already.
    #[cfg(unix)]
    pub(crate) fn fd(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        self.stream.socket().ok().map(std::os::fd::AsFd::as_fd)
    }

    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        self.stream
            .write_all(bytes)
            .map_err(|why| if is_silence(&why) { Trouble::Stalled(TAKE) } else { why.into() })
    }

    /// True if there is something to read, or something comes within `patience`.
    pub(crate) fn has_input(&mut self, patience: Duration) -> Result<bool, Trouble> {
        if self.from < self.to {
            return Ok(true);
        }
        let socket = self.stream.socket()?;
        if patience.is_zero() {
            socket.set_nonblocking(true)?;
            let read = self.stream.read(&mut self.buffer);
            self.stream.socket()?.set_nonblocking(false)?;
            self.came(read)
        } else {
            socket.set_read_timeout(Some(patience))?;
            let read = self.stream.read(&mut self.buffer);
            self.came(read)
        }
    }

    fn came(&mut self, read: io::Result<usize>) -> Result<bool, Trouble> {
        match read {
            Ok(0) => Err(Trouble::Closed),
            Ok(n) => {
                (self.from, self.to) = (0, n);
                Ok(true)
            }
            Err(why) if is_silence(&why) || why.kind() == io::ErrorKind::Interrupted => Ok(false),
            Err(why) => Err(why.into()),
        }
    }

    /// Waits for bytes in the empty buffer.
    fn fill(&mut self) -> Result<(), Trouble> {
        loop {
            let left = self.left()?;
            if self.has_input(left)? {
                return Ok(());
            }
        }
    }

    /// What is in the buffer, at most `most` bytes and at least one; it counts as read.
    pub(crate) fn some(&mut self, most: usize) -> Result<&[u8], Trouble> {
        if self.from == self.to {
            self.fill()?;
        }
        let taken = self.from..self.to.min(self.from.saturating_add(most));
        self.from = taken.end;
        Ok(&self.buffer[taken])
    }

    pub(crate) fn read_exact(&mut self, mut into: &mut [u8]) -> Result<(), Trouble> {
        while !into.is_empty() {
            // A large rest goes to its place directly.
            if self.from == self.to && into.len() >= BUFFER {
                let left = self.left()?;
                self.stream.socket()?.set_read_timeout(Some(left))?;
                match self.stream.read(into) {
                    Ok(0) => return Err(Trouble::Closed),
                    Ok(n) => into = &mut into[n..],
                    Err(why) if is_silence(&why) || why.kind() == io::ErrorKind::Interrupted => {}
                    Err(why) => return Err(why.into()),
                }
                continue;
            }
            let bytes = self.some(into.len())?;
            let (now, rest) = into.split_at_mut(bytes.len());
            now.copy_from_slice(bytes);
            into = rest;
        }
        Ok(())
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Trouble> {
        let mut bytes = [0; N];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Trouble> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Trouble> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Trouble> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Trouble> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    pub(crate) fn skip(&mut self, mut count: usize) -> Result<(), Trouble> {
        while count > 0 {
            count -= self.some(count)?.len();
        }
        Ok(())
    }

    /// `length` bytes of which the first `kept` are returned.
    pub(crate) fn text(&mut self, length: usize, kept: usize) -> Result<Vec<u8>, Trouble> {
        let mut text = vec![0; length.min(kept)];
        self.read_exact(&mut text)?;
        self.skip(length - text.len())?;
        Ok(text)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Ok(socket) = self.stream.socket() {
            let _gone_already = socket.shutdown(Shutdown::Both);
        }
    }
}

/// A read timeout, by either of its names.
fn is_silence(why: &io::Error) -> bool {
    matches!(why.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
