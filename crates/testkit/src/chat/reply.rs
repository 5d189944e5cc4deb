//! What the server answers, and how it breaks on the way.

use super::check::computer;
use super::{Api, forms, gzip, send};
use serde_json::{Value, json};
use std::io;
use std::net::TcpStream;
use std::time::Duration;

/// An answer.
#[derive(Debug, Clone)]
pub enum Reply {
    /// One tool call.
    Call {
        tool: String,
        args: Value,
    },
    /// Calls whose arguments are any text.
    Calls(Vec<Call>),
    Text(String),
    /// Status 200 and this body.
    Json(Value),
    /// Status 200, JSON by its header, and any bytes.
    Body(Vec<u8>),
    Status {
        code: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    Html,
    /// The bytes, packed.
    Gzip(Vec<u8>),
    /// Packed spaces, about this many.
    GzipBomb {
        bytes: u64,
    },
    /// A body in chunks that has no end.
    Endless,
    /// The bytes of another reply up to `at`, then this end.
    Cut {
        of: Box<Self>,
        at: usize,
        end: End,
    },
    /// The body of another reply, one byte in a while.
    Drip {
        of: Box<Self>,
        every: Duration,
    },
    /// Another reply after a while.
    Later {
        after: Duration,
        then: Box<Self>,
    },
    /// Not a byte, then this end.
    Nothing(End),
    /// The script has no more; the server complains.
    OutOfScript,
}

/// What happens to the connection after the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It stays for the next request.
    Open,
    Close,
    /// Closed so that the other side gets an error, not an end (where the system can).
    Reset,
    /// Nothing more comes, until the caller leaves.
    Stall,
}

#[derive(Debug, Clone)]
pub struct Call {
    pub id: String,
    pub name: String,
    pub arguments: String,
}

/// What an answer says about the call it answers.
pub(super) struct Tells {
    pub(super) model: String,
    pub(super) n: usize,
    /// Input and output tokens.
    pub(super) usage: Option<(u64, u64)>,
    /// Of the input, read from a cache.
    pub(super) cached: u64,
    pub(super) api: Api,
    /// Whether it is asked to come as a stream.
    pub(super) stream: bool,
    /// Whether thinking is sent where the API has it.
    pub(super) thinks: bool,
    /// The provider's own computer, if it is offered.
    pub(super) computer: Computer,
}

/// How calls of a provider's own computer look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Computer {
    /// As any call.
    #[default]
    Plain,
    /// As tools of Anthropic's toolset.
    Toolset,
    /// As items of their own, with one action or several.
    Item { batched: bool },
}

impl Computer {
    pub(super) fn of(request: &Value) -> Self {
        let offers =
            |kind: &str| request["tools"].as_array().into_iter().flatten().any(|tool| tool["type"] == kind);
        if offers(computer::TOOLSET) {
            Self::Toolset
        } else if offers("computer") || offers("computer_use_preview") {
            Self::Item { batched: offers("computer") }
        } else {
            Self::Plain
        }
    }
}

impl Tells {
    pub(super) const fn of(api: Api) -> Self {
        Self {
            model: String::new(),
            n: 0,
            usage: None,
            cached: 0,
            api,
            stream: false,
            thinks: false,
            computer: Computer::Plain,
        }
    }

    fn plan(&self, text: Option<&str>, calls: &[Call]) -> Plan {
        let whole = forms::whole(self, text, calls);
        if self.stream {
            with_status(200, &[("content-type", "text/event-stream")], forms::streamed(self.api, &whole))
        } else {
            plain(&whole)
        }
    }
}

/// Bytes and what happens around them.
pub(super) struct Plan {
    wait: Duration,
    head: Vec<u8>,
    body: Vec<u8>,
    /// Between the bytes of the body.
    drip: Option<Duration>,
    /// Sends the body again and again.
    endless: bool,
    end: End,
}

impl Reply {
    pub fn call(tool: &str, args: Value) -> Self {
        Self::Call { tool: tool.to_owned(), args }
    }

    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// An error in the API's form.
    pub fn error(code: u16, message: &str) -> Self {
        let body = json!({"error": {"message": message, "type": "invalid_request_error", "code": code}});
        Self::Status { code, headers: Vec::new(), body: body.to_string().into_bytes() }
    }

    /// A status with one header.
    pub fn status(code: u16, header: (&str, &str), body: &str) -> Self {
        let headers = vec![(header.0.to_owned(), header.1.to_owned())];
        Self::Status { code, headers, body: body.as_bytes().to_vec() }
    }

    /// This reply up to byte `at` of its HTTP text.
    pub fn cut(self, at: usize, end: End) -> Self {
        Self::Cut { of: Box::new(self), at, end }
    }

    pub fn drip(self, every: Duration) -> Self {
        Self::Drip { of: Box::new(self), every }
    }

    pub fn later(self, after: Duration) -> Self {
        Self::Later { after, then: Box::new(self) }
    }

    /// Length of its HTTP text, for cutting it.
    pub fn http_len(&self, model: &str) -> usize {
        self.http_len_of(Api::Chat, model, false)
    }

    /// The same for another API, streamed or not.
    pub fn http_len_of(&self, api: Api, model: &str, stream: bool) -> usize {
        let tells = Tells { model: model.to_owned(), n: 1, usage: Some((1, 1)), stream, ..Tells::of(api) };
        let plan = self.plan(&tells);
        plan.head.len() + plan.body.len()
    }

    pub(super) fn plan(&self, tells: &Tells) -> Plan {
        match self {
            Self::Call { tool, args } => {
                let call =
                    Call { id: format!("call_{}", tells.n), name: tool.clone(), arguments: args.to_string() };
                tells.plan(None, &[call])
            }
            Self::Calls(calls) => tells.plan(None, calls),
            Self::Text(text) => tells.plan(Some(text), &[]),
            Self::Json(body) => plain(body),
            Self::Body(body) => with_status(200, &[("content-type", "application/json")], body.clone()),
            Self::Status { code, headers, body } => {
                let headers: Vec<(&str, &str)> =
                    headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
                with_status(*code, &headers, body.clone())
            }
            Self::Html => {
                let body = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Sign in</body></html>\n";
                with_status(200, &[("content-type", "text/html")], body.to_vec())
            }
            Self::Gzip(bytes) => packed(gzip::stored(bytes)),
            Self::GzipBomb { bytes } => packed(gzip::bomb(*bytes)),
            Self::Endless => {
                let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
                let body = [b"4000\r\n".as_slice(), &[b' '; 0x4000], b"\r\n"].concat();
                Plan { head: head.to_vec(), body, endless: true, ..empty(End::Close) }
            }
            Self::Cut { of, at, end } => {
                let mut plan = of.plan(tells);
                plan.head.append(&mut plan.body);
                plan.head.truncate(*at);
                plan.end = *end;
                plan
            }
            Self::Drip { of, every } => Plan { drip: Some(*every), ..of.plan(tells) },
            Self::Later { after, then } => Plan { wait: *after, ..then.plan(tells) },
            Self::Nothing(end) => empty(*end),
            Self::OutOfScript => Self::error(500, "the script is over").plan(tells),
        }
    }
}

fn plain(body: &Value) -> Plan {
    with_status(200, &[("content-type", "application/json")], body.to_string().into_bytes())
}

fn packed(body: Vec<u8>) -> Plan {
    with_status(200, &[("content-type", "application/json"), ("content-encoding", "gzip")], body)
}

fn with_status(code: u16, headers: &[(&str, &str)], body: Vec<u8>) -> Plan {
    let mut head = format!("HTTP/1.1 {code} Because\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    Plan { head: head.into_bytes(), body, ..empty(End::Open) }
}

const fn empty(end: End) -> Plan {
    Plan { wait: Duration::ZERO, head: Vec::new(), body: Vec::new(), drip: None, endless: false, end }
}

impl Plan {
    /// Sends it. True if the connection stays; `left` is called if the caller goes away first.
    pub(super) fn play(mut self, connection: &TcpStream, left: impl Fn()) -> bool {
        if !self.wait.is_zero() && !stays(connection, Some(self.wait)) {
            left();
            return false;
        }
        if self.drip.is_none() && !self.endless {
            // In one piece: a second small one would wait for the first's acknowledgement.
            self.head.append(&mut self.body);
        }
        let mut sent = send(connection, &self.head);
        for byte in self.body.chunks(1).take_while(|_| self.drip.is_some()) {
            sent = sent && send(connection, byte) && stays(connection, self.drip);
        }
        while self.endless && sent {
            sent = send(connection, &self.body);
        }
        if !sent {
            left();
            return false;
        }
        match self.end {
            End::Open => return true,
            End::Close => {}
            End::Reset => linger_not(connection),
            End::Stall => {
                stays(connection, None);
                left();
            }
        }
        false
    }
}

/// Waits; true if the caller is still there afterwards. `None` waits until it leaves.
fn stays(connection: &TcpStream, for_: Option<Duration>) -> bool {
    if connection.set_read_timeout(for_).is_err() {
        return false;
    }
    match connection.peek(&mut [0]) {
        // A request inside an answer: nobody does that who is still waiting.
        Ok(_) => false,
        Err(e) => matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut),
    }
}

/// Makes the close that follows a reset.
#[cfg(target_os = "linux")]
fn linger_not(connection: &TcpStream) {
    rustix::net::sockopt::set_socket_linger(connection, Some(Duration::ZERO)).expect("a socket option");
}

#[cfg(not(target_os = "linux"))]
fn linger_not(_connection: &TcpStream) {}
