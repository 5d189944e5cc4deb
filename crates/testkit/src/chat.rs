//! A strict model server on this machine, for tests of whoever asks one: chat completions, or another of four APIs.
//!
//! It checks every request against its own reading of the API and answers 400 to what a real service would refuse; a complaint
//! nobody took fails the test when the server is dropped. It shares no code with the product. Its answers come from a script or
//! a closure and may be as broken as a network can make them.

pub mod check;
mod forms;
mod gzip;
mod http;
pub mod malformed;
pub mod meter;
pub mod reply;

pub use check::{Sent, complaints, signature};
pub use malformed::{Expect, Malformed, malformed};
pub use meter::{Meter, Metered};
pub use reply::{Call, End, Reply};

use reply::Computer;

use handsight_base::port::clock::{Clock as _, RealClock};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::Write as _;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// Whose API a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Api {
    /// OpenAI's chat completions.
    #[default]
    Chat,
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Responses.
    Responses,
    /// Gemini's `generateContent`.
    Gemini,
}

impl Api {
    pub const ALL: [Self; 4] = [Self::Chat, Self::Messages, Self::Responses, Self::Gemini];

    /// The name of the wire that speaks it.
    pub const fn wire(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Messages => "messages",
            Self::Responses => "responses",
            Self::Gemini => "gemini",
        }
    }

    const fn key_header(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "authorization",
            Self::Messages => "x-api-key",
            Self::Gemini => "x-goog-api-key",
        }
    }

    /// The model of a call that only counts; empty where the body names it.
    fn counted(self, path: &str) -> Option<&str> {
        let path = path.strip_prefix("/v1/")?;
        match self {
            Self::Messages => (path == "messages/count_tokens").then_some(""),
            Self::Gemini => path.strip_prefix("models/")?.strip_suffix(":countTokens"),
            Self::Chat | Self::Responses => None,
        }
    }

    /// The model and whether a stream is asked for, if the path is that of a call; the model is empty where the body names it.
    fn called(self, path: &str) -> Option<(String, bool)> {
        let path = path.strip_prefix("/v1/")?;
        let fixed = |is: bool| is.then(|| (String::new(), false));
        match self {
            Self::Chat => fixed(path == "chat/completions"),
            Self::Messages => fixed(path == "messages"),
            Self::Responses => fixed(path == "responses"),
            Self::Gemini => {
                let (model, method) = path.strip_prefix("models/")?.split_once(':')?;
                let stream = match method {
                    "generateContent" => false,
                    "streamGenerateContent?alt=sse" => true,
                    _ => return None,
                };
                Some((model.to_owned(), stream))
            }
        }
    }
}

/// A request as it came, checked.
#[derive(Debug)]
pub struct Request {
    /// From 1, over all calls of `chat/completions`.
    pub n: usize,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub json: Value,
    /// The pictures of all messages, decoded.
    pub pictures: Vec<Sent>,
    /// Since the server began.
    pub at: Duration,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// The messages of a role.
    pub fn messages(&self, role: &str) -> Vec<&Value> {
        let all = self.json["messages"].as_array().map_or(&[][..], Vec::as_slice);
        all.iter().filter(|m| m["role"] == role).collect()
    }

    /// The system message's text.
    pub fn system(&self) -> &str {
        self.messages("system").first().and_then(|m| m["content"].as_str()).unwrap_or_default()
    }

    /// Names of the offered tools in their order.
    pub fn tools(&self) -> Vec<&str> {
        let all = self.json["tools"].as_array().map_or(&[][..], Vec::as_slice);
        all.iter().filter_map(|t| t["function"]["name"].as_str()).collect()
    }
}

/// What this server takes.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The ids that `GET /v1/models` lists; `None` answers 404.
    pub models: Option<Vec<String>>,
    /// The size every picture must have.
    pub picture_size: Option<(u32, u32)>,
    /// The bearer key that must come; `None` complains about any `Authorization`.
    pub key: Option<String>,
    /// False answers 400 to any picture, as a model without vision.
    pub takes_pictures: bool,
    /// False answers 400 to `tools`.
    pub takes_tools: bool,
    /// Whether the usage of tokens is told.
    pub tells_usage: bool,
    pub api: Api,
    /// Counts tokens, refuses what is over its limit, and tells what it found in its cache; `None` makes up a number.
    pub meter: Option<Arc<Mutex<Meter>>>,
    /// What the call that counts answers, where the API has one; `None` answers 404.
    pub counts: Option<u64>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            models: Some(vec!["test-model".into()]),
            picture_size: None,
            key: None,
            takes_pictures: true,
            takes_tools: true,
            tells_usage: true,
            api: Api::Chat,
            meter: None,
            counts: None,
        }
    }
}

pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    rules: Rules,
    address: SocketAddr,
    answer: Box<dyn Fn(&Request) -> Reply + Send + Sync>,
    state: Mutex<State>,
    changed: Condvar,
    clock: RealClock,
}

#[derive(Default)]
struct State {
    requests: Vec<Arc<Request>>,
    complaints: Vec<String>,
    /// Calls that counted, or wanted to.
    counted: usize,
    /// When a caller left before it had its answer.
    left: Vec<Duration>,
    /// Weak, so that a connection really closes when its thread lets go of it.
    connections: Vec<Weak<TcpStream>>,
    workers: Vec<JoinHandle<()>>,
    closing: bool,
}

impl Server {
    /// Answers with these replies in their order; one call more is a complaint.
    pub fn scripted(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::scripted_with(Rules::default(), replies)
    }

    pub fn scripted_with(rules: Rules, replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Mutex<VecDeque<Reply>> = Mutex::new(replies.into_iter().collect());
        Self::with(rules, move |_| {
            replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front().unwrap_or(Reply::OutOfScript)
        })
    }

    /// Answers with what the closure says.
    pub fn with(rules: Rules, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port on this machine");
        let address = listener.local_addr().expect("the port that was bound");
        let shared = Arc::new(Shared {
            rules,
            address,
            answer: Box::new(answer),
            state: Mutex::default(),
            changed: Condvar::new(),
            clock: RealClock::new(),
        });
        let accepting = {
            let shared = Arc::clone(&shared);
            let accept = move || shared.accept(&listener);
            std::thread::Builder::new().name("chat-accept".into()).spawn(accept).expect("a thread")
        };
        Self { address, shared, accepting: Some(accepting) }
    }

    /// `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Calls of `chat/completions` so far, without those that were complained about.
    pub fn requests(&self) -> Vec<Arc<Request>> {
        self.shared.state().requests.clone()
    }

    /// Calls so far that counted, or wanted to.
    pub fn counted(&self) -> usize {
        self.shared.state().counted
    }

    /// Waits until `n` calls came, or panics.
    #[track_caller]
    pub fn wait_for(&self, n: usize) -> Vec<Arc<Request>> {
        let enough = |s: &mut State| s.requests.len() < n && s.complaints.is_empty();
        let state = self.shared.wait(enough);
        assert!(
            state.requests.len() >= n,
            "{} of {n} calls came; {:?}",
            state.requests.len(),
            state.complaints
        );
        state.requests.clone()
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> usize {
        self.shared.state().connections.len()
    }

    /// When a caller left without its answer, since the server began.
    pub fn left(&self) -> Option<Duration> {
        self.shared.state().left.first().copied()
    }

    /// Waits until a caller has left without its answer, or panics; when it was, since the server began.
    #[track_caller]
    pub fn wait_for_leave(&self) -> Duration {
        let state = self.shared.wait(|s| s.left.is_empty());
        *state.left.first().expect("the caller stayed")
    }

    /// Since the server began, as [`Request::at`] counts.
    pub fn now(&self) -> Duration {
        self.shared.clock.now()
    }

    /// What was wrong with requests so far. Taking them is what keeps the drop from failing the test.
    pub fn take_complaints(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.state().complaints)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let (connections, workers) = {
            let mut state = self.shared.state();
            state.closing = true;
            (std::mem::take(&mut state.connections), std::mem::take(&mut state.workers))
        };
        self.shared.changed.notify_all();
        for connection in connections.iter().filter_map(Weak::upgrade) {
            let _closed_already = connection.shutdown(Shutdown::Both);
        }
        // Wakes the accepting thread.
        drop(TcpStream::connect(self.address));
        for thread in self.accepting.take().into_iter().chain(workers) {
            let _panicked = thread.join();
        }
        let complaints = self.take_complaints();
        if !complaints.is_empty() && !std::thread::panicking() {
            panic!("the chat server complains:\n  {}", complaints.join("\n  "));
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, unfinished: impl FnMut(&mut State) -> bool) -> MutexGuard<'_, State> {
        let waited = self.changed.wait_timeout_while(self.state(), crate::wait::PATIENCE, unfinished);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        for connection in listener.incoming() {
            let Ok(connection) = connection else { continue };
            let mut state = self.state();
            if state.closing {
                return;
            }
            let connection = Arc::new(connection);
            state.connections.push(Arc::downgrade(&connection));
            let shared = Arc::clone(self);
            let work = move || shared.serve(&connection);
            state.workers.extend(std::thread::Builder::new().name("chat-serve".into()).spawn(work));
        }
    }

    /// One connection: request after request, until either side closes it.
    fn serve(&self, connection: &TcpStream) {
        let mut reader = http::Reader::new(connection);
        loop {
            let raw = match reader.request() {
                Ok(Some(raw)) => raw,
                Ok(None) => return,
                Err(why) => {
                    if !self.state().closing {
                        self.complain(vec![why]);
                    }
                    return;
                }
            };
            let (reply, tells) = self.reply_to(raw);
            let plan = reply.plan(&tells);
            if !plan.play(connection, || self.left()) {
                return;
            }
        }
    }

    /// Checks a request and asks for its answer.
    fn reply_to(&self, raw: http::Raw) -> (Reply, reply::Tells) {
        let api = self.rules.api;
        let mut tells = reply::Tells::of(api);
        let mut complaints = http::check(&raw, self.address, api, self.rules.key.as_deref());
        if raw.method == "GET" && raw.path == "/v1/models" {
            self.complain(complaints);
            return (self.models(), tells);
        }
        if let Some(model) = api.counted(&raw.path).filter(|_| raw.method == "POST") {
            complaints.extend(check::count::wrong(api, model, &raw.body));
            self.complain(complaints);
            return (self.count(), tells);
        }
        let Some((model, stream)) = api.called(&raw.path).filter(|_| raw.method == "POST") else {
            complaints.push(format!("{} {} is no call of this API", raw.method, raw.path));
            self.complain(complaints);
            return (Reply::error(404, "no such call"), tells);
        };
        if http::key_is_wrong(&raw, api, self.rules.key.as_deref()) {
            return (Reply::error(401, "Incorrect API key provided"), tells);
        }
        let (json, pictures) = check::body(api, &model, &raw.body, self.rules.picture_size, &mut complaints);
        check::computer::headers(&json, &raw.headers, &mut complaints);
        tells.stream = stream || json["stream"] == true;
        let accepts = raw.headers.iter().any(|(n, v)| n == "accept" && v == "text/event-stream");
        if accepts != tells.stream {
            complaints.push("a stream is asked for by the header or the body alone".into());
        }
        if !complaints.is_empty() {
            let told = complaints.join("; ");
            self.complain(complaints);
            return (Reply::error(400, &told), tells);
        }
        if !pictures.is_empty() && !self.rules.takes_pictures {
            return (Reply::error(400, "this model does not support image input"), tells);
        }
        if json.get("tools").is_some() && !self.rules.takes_tools {
            return (Reply::error(400, "this model does not support tools"), tells);
        }
        let metered = self.rules.meter.as_ref().map(|m| {
            let mut meter = m.lock().unwrap_or_else(PoisonError::into_inner);
            meter.take(&json)
        });
        if let Some(Err(why)) = &metered {
            self.complain(vec![why.clone()]);
            return (Reply::error(400, why), tells);
        }
        let request = {
            let mut state = self.state();
            let n = state.requests.len() + 1;
            let (path, headers, body) = (raw.path, raw.headers, raw.body);
            let request = Arc::new(Request { n, path, headers, body, json, pictures, at: self.clock.now() });
            state.requests.push(Arc::clone(&request));
            request
        };
        self.changed.notify_all();
        tells.model = request.json["model"].as_str().unwrap_or(&model).to_owned();
        tells.thinks = request.json.get("thinking").is_some() || request.json.get("include").is_some();
        tells.n = request.n;
        tells.computer = Computer::of(&request.json);
        // Any number will do, as long as a test can compute it again.
        tells.usage = self.rules.tells_usage.then(|| (request.body.len() as u64 / 4, 17));
        if let Some(Ok(Metered { input, cached })) = metered {
            (tells.usage, tells.cached) = (Some((input, 17)), cached);
        }
        let reply = (self.answer)(&request);
        if matches!(reply, Reply::OutOfScript) {
            self.complain(vec![format!("call {} came after the end of the script", request.n)]);
        }
        (reply, tells)
    }

    fn count(&self) -> Reply {
        self.state().counted += 1;
        let Some(tokens) = self.rules.counts else { return Reply::error(404, "no such call") };
        let name = if self.rules.api == Api::Gemini { "totalTokens" } else { "input_tokens" };
        Reply::Json(json!({name: tokens}))
    }

    fn models(&self) -> Reply {
        match &self.rules.models {
            None => Reply::error(404, "there is no list of models"),
            Some(ids) if self.rules.api == Api::Gemini => {
                let rows: Vec<Value> = ids.iter().map(|id| json!({"name": format!("models/{id}")})).collect();
                Reply::Json(json!({"models": rows}))
            }
            Some(ids) => {
                let rows: Vec<Value> = ids.iter().map(|id| json!({"id": id, "object": "model"})).collect();
                Reply::Json(json!({"object": "list", "data": rows}))
            }
        }
    }

    fn complain(&self, complaints: Vec<String>) {
        self.state().complaints.extend(complaints);
        self.changed.notify_all();
    }

    /// The caller closed its connection while it was owed an answer.
    fn left(&self) {
        let now = self.clock.now();
        let mut state = self.state();
        if !state.closing {
            state.left.push(now);
        }
        drop(state);
        self.changed.notify_all();
    }
}

/// Sends `bytes` without caring whether they arrive: the caller may have left.
fn send(mut connection: &TcpStream, bytes: &[u8]) -> bool {
    connection.write_all(bytes).and_then(|()| connection.flush()).is_ok()
}

#[cfg(test)]
mod tests;
