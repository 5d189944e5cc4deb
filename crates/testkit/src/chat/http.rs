//! Reading HTTP/1.1 requests and checking what stands around their bodies.

use super::Api;
use std::io::Read as _;
use std::net::{SocketAddr, TcpStream};

const HEAD_CAP: usize = 64 * 1024;
const BODY_CAP: usize = 256 * 1024 * 1024;

/// A request, not looked into yet.
pub(super) struct Raw {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) version: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Raw {
    fn all(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_str()).collect()
    }
}

pub(super) struct Reader<'a> {
    connection: &'a TcpStream,
    /// Read, but not used yet.
    buffer: Vec<u8>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(connection: &'a TcpStream) -> Self {
        Self { connection, buffer: Vec::new() }
    }

    /// The next request; `None` when the caller is done.
    pub(super) fn request(&mut self) -> Result<Option<Raw>, String> {
        let _no_deadline = self.connection.set_read_timeout(None);
        let end = loop {
            if let Some(at) = self.buffer.windows(4).position(|w| w == b"\r\n\r\n") {
                break at;
            }
            if self.buffer.len() > HEAD_CAP {
                return Err("the head of a request is endless".into());
            }
            if !self.more() {
                return if self.buffer.is_empty() {
                    Ok(None)
                } else {
                    Err("half the head of a request".into())
                };
            }
        };
        let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
        let head = String::from_utf8(head).map_err(|_| "a head that is no UTF-8".to_owned())?;
        let mut lines = head.trim_end().split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
        let mut word = || words.next().ok_or("half a request line".to_owned());
        let (method, path, version) = (word()?, word()?, word()?);
        let header = |line: &str| {
            let (name, value) = line.split_once(':').ok_or(format!("the header {line:?} has no value"))?;
            Ok::<_, String>((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers = lines.map(header).collect::<Result<Vec<_>, _>>()?;
        let length = headers.iter().find(|(n, _)| n == "content-length").map(|(_, v)| v.parse::<usize>());
        let length = match length {
            None => 0,
            Some(Ok(n)) if n <= BODY_CAP => n,
            Some(_) => return Err("an impossible content-length".into()),
        };
        while self.buffer.len() < length {
            if !self.more() {
                // A caller may be stopped while it sends.
                return Ok(None);
            }
        }
        let body = self.buffer.drain(..length).collect();
        Ok(Some(Raw { method, path, version, headers, body }))
    }

    fn more(&mut self) -> bool {
        let mut piece = vec![0; 64 * 1024];
        match self.connection.read(&mut piece) {
            Ok(0) | Err(_) => false,
            Ok(n) => {
                self.buffer.extend_from_slice(&piece[..n]);
                true
            }
        }
    }
}

/// What is wrong around the body.
pub(super) fn check(raw: &Raw, address: SocketAddr, api: Api, key: Option<&str>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut must = |good: bool, what: String| {
        if !good {
            wrong.push(what);
        }
    };
    must(raw.version == "HTTP/1.1", format!("version {:?}", raw.version));
    let hosts = raw.all("host");
    let known = [address.to_string(), format!("localhost:{}", address.port())];
    must(hosts.len() == 1 && known.iter().any(|k| k == hosts[0]), format!("host {hosts:?}"));
    let accepts = raw.all("accept");
    let accepted = accepts == ["application/json"] || accepts == ["text/event-stream"];
    must(accepted, format!("accept {accepts:?}"));
    let agents = raw.all("user-agent");
    must(agents.len() == 1 && agents[0].starts_with("handsight/"), format!("user-agent {agents:?}"));
    for unwanted in ["transfer-encoding", "cookie", "expect", "proxy-authorization", "referer"] {
        must(raw.all(unwanted).is_empty(), format!("an unwanted header {unwanted}"));
    }
    for header in ["authorization", "x-api-key", "api-key", "x-goog-api-key"] {
        let authorized = raw.all(header);
        let wanted = key.is_some() && header == api.key_header();
        must(wanted || authorized.is_empty(), "credentials that nobody asked for".into());
        must(authorized.len() <= 1, "several credentials".into());
    }
    if api == Api::Messages {
        let versions = raw.all("anthropic-version");
        must(versions == ["2023-06-01"], format!("anthropic-version {versions:?}"));
    }
    if raw.method == "POST" {
        let types = raw.all("content-type");
        must(types == ["application/json"], format!("content-type {types:?}"));
        must(raw.all("content-length").len() == 1, "no single content-length".into());
    } else {
        must(raw.body.is_empty(), "a body where none belongs".into());
    }
    wrong
}

pub(super) fn key_is_wrong(raw: &Raw, api: Api, key: Option<&str>) -> bool {
    key.is_some_and(|k| {
        let bearer = format!("Bearer {k}");
        let wanted = if api.key_header() == "authorization" { &bearer } else { k };
        raw.all(api.key_header()) != [wanted]
    })
}
