//! The accessibility bus: where it is, which programs are on it, and questions asked in bulk.
//!
//! Questions to one program are sent without waiting for each answer, up to a window of them; the client of zbus that waits for one
//! answer at a time would need as many round trips, and its own way of waiting for many costs the square of their number.

use super::Buses;
use futures_core::Stream;
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use zbus::connection::Builder;
use zbus::message::{Message, Type};
use zbus::zvariant::{DynamicDeserialize, OwnedObjectPath};
use zbus::{Connection, MessageStream};

pub(super) const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const APPLICATION: &str = "org.a11y.atspi.Application";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
pub(super) const ROOT: &str = "/org/a11y/atspi/accessible/root";
const REGISTRY: &str = "org.a11y.atspi.Registry";

/// Questions that wait for an answer at one time: enough to hide the way to and fro, few enough for any program's queue.
const OPEN: usize = 256;
/// How long a program that said nothing is not asked again.
const LEFT_ALONE: Duration = Duration::from_secs(5);
/// Connections to programs that are kept.
const KEPT: usize = 64;

/// A thing on the bus: whose it is, and its path there.
pub(super) type Reference = (String, OwnedObjectPath);

/// One question.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) path: String,
    pub(super) interface: &'static str,
    pub(super) member: &'static str,
    pub(super) with: With,
}

/// What a question is asked with.
#[derive(Debug, Clone)]
pub(super) enum With {
    Nothing,
    /// A property by its interface and name.
    Property(&'static str, &'static str),
    Number(u32),
    Text(String),
}

impl Call {
    pub(super) fn new(path: &str, interface: &'static str, member: &'static str) -> Self {
        Self { path: path.to_owned(), interface, member, with: With::Nothing }
    }

    pub(super) fn property(path: &str, interface: &'static str, name: &'static str) -> Self {
        Self { with: With::Property(interface, name), ..Self::new(path, PROPERTIES, "Get") }
    }

    fn message(&self, to: Option<&str>) -> zbus::Result<Message> {
        let mut message = Message::method_call(self.path.as_str(), self.member)?.interface(self.interface)?;
        if let Some(to) = to {
            message = message.destination(to)?;
        }
        match &self.with {
            With::Nothing => message.build(&()),
            With::Property(interface, name) => message.build(&(*interface, *name)),
            With::Number(number) => message.build(number),
            With::Text(text) => message.build(text),
        }
    }
}

/// Reads the body of an answer; `None` if it is none, or another one than was asked for.
pub(super) fn read<T: for<'d> DynamicDeserialize<'d>>(answer: Option<&Message>) -> Option<T> {
    answer?.body().deserialize().ok()
}

/// Asks one program in bulk, until a time.
pub(super) struct Asker {
    connection: Connection,
    answers: MessageStream,
    /// `None` on a connection to the program itself.
    to: Option<String>,
    pub(super) until: Instant,
    /// Time is over, or the program has left: what was not answered by then is not known.
    pub(super) ended: bool,
}

impl Asker {
    pub(super) fn new(connection: Connection, to: Option<String>, until: Instant) -> Self {
        Self { answers: MessageStream::from(&connection), connection, to, until, ended: false }
    }

    /// The answers in the order of the questions; `None` for what was refused or came too late.
    pub(super) async fn ask(&mut self, calls: &[Call]) -> Vec<Option<Message>> {
        let mut answers = vec![None; calls.len()];
        let mut open: HashMap<NonZeroU32, usize> = HashMap::new();
        let mut next = calls.iter().enumerate();
        while !self.ended {
            while open.len() < OPEN {
                let Some((n, call)) = next.next() else { break };
                let Ok(message) = call.message(self.to.as_deref()) else { continue };
                open.insert(message.primary_header().serial_num(), n);
                if !matches!(timeout_at(self.until, self.connection.send(&message)).await, Ok(Ok(()))) {
                    self.ended = true;
                }
            }
            if open.is_empty() {
                break;
            }
            let Some(answer) = self.next().await else {
                self.ended = true;
                break;
            };
            let slot = answer.header().reply_serial().and_then(|serial| open.remove(&serial));
            if let Some(slot) = slot.and_then(|n| answers.get_mut(n)) {
                *slot = (answer.message_type() == Type::MethodReturn).then_some(answer);
            }
        }
        answers
    }

    /// The next message, until time is over.
    async fn next(&mut self) -> Option<Message> {
        let next = std::future::poll_fn(|context| Pin::new(&mut self.answers).poll_next(context));
        timeout_at(self.until, next).await.ok()??.ok()
    }
}

/// A program on the bus.
#[derive(Debug, Clone)]
pub(super) struct OnBus {
    pub(super) name: String,
    pub(super) root: String,
    pub(super) pid: Option<u32>,
}

/// How to reach a program: over the bus, or by a connection of its own. `direct` is unknown until the program was asked.
pub(super) struct Way {
    bus: Connection,
    direct: Option<Option<Connection>>,
}

impl Way {
    /// Somebody to ask it through: the program itself where it takes connections, which saves the way through the daemon. The second is
    /// what was found out about that, if anything was. Waits for the program, so each has to be asked in a task of its own.
    pub(super) async fn asker(self, program: &OnBus, until: Instant) -> (Asker, Option<Option<Connection>>) {
        let Self { bus, direct } = self;
        let (direct, found) = match direct {
            Some(known) => (known, None),
            None => {
                let found = direct_to(&bus, program, until).await;
                (found.clone().flatten(), found)
            }
        };
        let asker = match direct {
            Some(direct) => Asker::new(direct, None, until),
            None => Asker::new(bus, Some(program.name.clone()), until),
        };
        (asker, found)
    }
}

/// The connection to the accessibility bus, and to programs that take one of their own.
pub(super) struct Bus {
    buses: Buses,
    connection: Option<Connection>,
    direct: HashMap<String, Option<Connection>>,
    /// Programs that said nothing, and until when they are not asked again.
    silent: HashMap<String, Instant>,
}

impl Bus {
    pub(super) fn new(buses: Buses) -> Self {
        Self { buses, connection: None, direct: HashMap::new(), silent: HashMap::new() }
    }

    /// Every program on the bus. `named` is where the display says that its bus is.
    pub(super) async fn programs(
        &mut self,
        until: Instant,
        named: Option<&str>,
    ) -> Result<Vec<OnBus>, String> {
        let connection = self.connect(until, named).await?;
        let mut registry = Asker::new(connection.clone(), Some(REGISTRY.into()), until);
        let answers = registry.ask(&[Call::new(ROOT, ACCESSIBLE, "GetChildren")]).await;
        let Some(children) = read::<Vec<Reference>>(answers.first().and_then(Option::as_ref)) else {
            self.connection = None;
            return Err("the accessibility bus does not answer".to_owned());
        };
        let pid = |(name, _): &Reference| Call {
            with: With::Text(name.clone()),
            ..Call::new("/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID")
        };
        let calls: Vec<Call> = children.iter().map(pid).collect();
        let mut daemon = Asker::new(connection, Some("org.freedesktop.DBus".into()), until);
        let pids = daemon.ask(&calls).await;
        let on_bus = |((name, root), pid): (Reference, Option<Message>)| OnBus {
            name,
            root: root.as_str().to_owned(),
            pid: read(pid.as_ref()),
        };
        self.direct.retain(|name, _| children.iter().any(|(there, _)| there == name));
        self.silent.retain(|_, until| *until > Instant::now());
        Ok(children.into_iter().zip(pids).map(on_bus).collect())
    }

    /// What there is to ask a program through, before it is asked anything itself.
    pub(super) fn way(&self, program: &OnBus) -> Option<Way> {
        let direct = self
            .direct
            .get(&program.name)
            .cloned()
            .filter(|known| known.as_ref().is_none_or(|connection| !connection.is_closed()));
        Some(Way { bus: self.connection.clone()?, direct })
    }

    /// A program that said nothing in its time is not waited for in every turn.
    pub(super) fn leave_alone(&mut self, program: String) {
        self.silent.insert(program, Instant::now() + LEFT_ALONE);
    }

    pub(super) fn is_left_alone(&self, program: &OnBus) -> bool {
        self.silent.contains_key(&program.name)
    }

    /// Keeps the connection to a program for the next time; `None` if it takes none.
    pub(super) fn keep(&mut self, program: String, direct: Option<Connection>) {
        if self.direct.len() < KEPT {
            self.direct.insert(program, direct);
        }
    }

    async fn connect(&mut self, until: Instant, named: Option<&str>) -> Result<Connection, String> {
        if let Some(connection) = self.connection.clone().filter(|connection| !connection.is_closed()) {
            return Ok(connection);
        }
        self.direct.clear();
        let mut found = self.buses.accessibility.clone().or_else(|| named.map(str::to_owned));
        if found.is_none()
            && let Some(session) = &self.buses.session
        {
            found = by_session(session, until).await;
        }
        let Some(address) = found else {
            return Err("there is no accessibility bus (the package at-spi2-core brings it)".to_owned());
        };
        let connecting = async { Builder::address(address.as_str())?.max_queued(OPEN * 2).build().await };
        match timeout_at(until, connecting).await {
            Ok(Ok(connection)) => Ok(self.connection.insert(connection).clone()),
            Ok(Err(why)) => Err(format!("the accessibility bus takes no connection: {why}")),
            Err(_) => Err("the accessibility bus does not answer".to_owned()),
        }
    }
}

/// The session bus knows where the accessibility bus is, and starts it if need be.
async fn by_session(session: &str, until: Instant) -> Option<String> {
    let connecting = async { Builder::address(session)?.build().await };
    let session = timeout_at(until, connecting).await.ok()?.ok()?;
    let mut asker = Asker::new(session, Some("org.a11y.Bus".into()), until);
    let answers = asker.ask(&[Call::new("/org/a11y/bus", "org.a11y.Bus", "GetAddress")]).await;
    read::<String>(answers.first()?.as_ref()).filter(|address| !address.is_empty())
}

/// The connection of a program's own; `None` within if it takes none, and without if it did not say in time.
async fn direct_to(bus: &Connection, program: &OnBus, until: Instant) -> Option<Option<Connection>> {
    let mut asker = Asker::new(bus.clone(), Some(program.name.clone()), until);
    let answers = asker.ask(&[Call::new(&program.root, APPLICATION, "GetApplicationBusAddress")]).await;
    if asker.ended {
        return None;
    }
    let address =
        read::<String>(answers.first().and_then(Option::as_ref)).filter(|address| !address.is_empty());
    let Some(address) = address else { return Some(None) };
    let connecting = async { Builder::address(address.as_str())?.p2p().max_queued(OPEN * 2).build().await };
    timeout_at(until, connecting).await.ok().map(std::result::Result::ok)
}
