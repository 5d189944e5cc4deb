//! The seat at a desktop: every call with a deadline, and a way back after a loss.
//!
//! A real desktop sits on a thread of its own; a simulated one is called inline, since it cannot hang. When a call passes its
//! deadline or the connection breaks, nothing more is sent to that desktop: its thread is left behind and a new one connects. Only
//! looking is retried. A call with an effect never is: whether it happened is then unknown, and the turn says so.

use crate::worker::{NoAnswer, Worker};
use handsight_base::lifts::Lifts;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{Desktop, DesktopError, DesktopFault, DesktopInfo, Pulse};
use handsight_base::presence::Presence;
use handsight_base::stop::Stop;
use std::sync::Arc;
use std::time::Duration;

/// Connects to the desktop of a run, the first time and after a loss.
pub type Connect = Arc<dyn Fn() -> Result<Box<dyn Desktop>, DesktopError> + Send + Sync>;

/// How long calls may take.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// One look: capture, geometry, windows (R12).
    pub look: Duration,
    /// Connecting, the hands' process included.
    pub connect: Duration,
    /// How long a lost desktop is waited for before it is given up.
    pub lost: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { look: Duration::from_secs(2), connect: Duration::from_secs(5), lost: Duration::from_secs(10) }
    }
}

pub struct Seat {
    place: Place,
    pub(crate) info: DesktopInfo,
    /// Beats for the hands and listens for the stop chord; ends with the connection.
    watch: Watch,
    /// What the hands hear of the person at the screen.
    pub(crate) presence: Option<Presence>,
    /// What the hands released of what an action had left down.
    pub(crate) lifts: Lifts,
    stop: Stop,
    deadlines: Deadlines,
    clock: Arc<dyn Clock>,
}

/// How often the hands hear that the turn still runs. They give up after 250 ms without.
const BEAT: Duration = Duration::from_millis(100);

/// Between two tries to reach a lost desktop.
const AGAIN: Duration = Duration::from_millis(200);

/// Tasks on the runtime that drives the turn: when that hangs, so do they, and the hands let go.
struct Watch(Vec<tokio::task::JoinHandle<()>>);

impl Watch {
    fn start(pulse: Option<Arc<dyn Pulse>>, chord: Option<Stop>, stop: &Stop) -> Self {
        let mut tasks = Vec::new();
        if let Some(pulse) = pulse {
            tasks.push(tokio::spawn(async move {
                loop {
                    pulse.beat();
                    tokio::time::sleep(BEAT).await;
                }
            }));
        }
        if let Some(chord) = chord {
            let stop = stop.clone();
            tasks.push(tokio::spawn(async move { stop.set(chord.stopped().await) }));
        }
        Self(tasks)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}

enum Place {
    Inline(Box<dyn Desktop>),
    Thread { worker: Worker<Box<dyn Desktop>>, connect: Connect },
}

/// What a desktop has to say of itself once.
struct Greeting {
    info: DesktopInfo,
    pulse: Option<Arc<dyn Pulse>>,
    chord: Option<Stop>,
    presence: Option<Presence>,
    lifts: Lifts,
}

fn greet(desktop: &dyn Desktop) -> Greeting {
    Greeting {
        info: desktop.info(),
        pulse: desktop.pulse(),
        chord: desktop.chord_stop(),
        presence: desktop.presence(),
        lifts: desktop.lifts().unwrap_or_default(),
    }
}

impl Seat {
    /// A desktop that cannot block: a world, a replay, a fake. Called from within a runtime.
    pub fn inline(desktop: Box<dyn Desktop>, clock: Arc<dyn Clock>, stop: Stop) -> Self {
        let Greeting { info, pulse, chord, presence, lifts } = greet(&*desktop);
        let watch = Watch::start(pulse, chord, &stop);
        let (place, deadlines) = (Place::Inline(desktop), Deadlines::default());
        Self { place, info, watch, presence, lifts, stop, deadlines, clock }
    }

    /// A real desktop on a thread of its own.
    pub async fn connect(
        connect: Connect,
        deadlines: Deadlines,
        clock: Arc<dyn Clock>,
        stop: Stop,
    ) -> Result<Self, DesktopError> {
        let (worker, Greeting { info, pulse, chord, presence, lifts }) = start(&connect, deadlines).await?;
        let watch = Watch::start(pulse, chord, &stop);
        let place = Place::Thread { worker, connect };
        Ok(Self { place, info, watch, presence, lifts, stop, deadlines, clock })
    }

    pub const fn info(&self) -> &DesktopInfo {
        &self.info
    }

    /// A call that changes nothing: retried on a fresh connection until `deadlines.lost` has passed.
    pub(crate) async fn look<R: Send + 'static>(
        &mut self,
        what: &'static str,
        f: impl Fn(&mut dyn Desktop) -> Result<R, DesktopError> + Send + Sync + Clone + 'static,
    ) -> Result<R, DesktopError> {
        let began = self.clock.now();
        loop {
            let error = match self.once(what, Some(self.deadlines.look), f.clone()).await {
                Err(error) if error.fault() == DesktopFault::Retry => error,
                answer => return answer,
            };
            if self.stop.is_set() {
                return Err(DesktopError::Stopped);
            }
            let waited = self.clock.now().saturating_sub(began);
            if waited >= self.deadlines.lost {
                return Err(DesktopError::Lost {
                    why: format!("{error}; given up after {:.1} s", waited.as_secs_f64()),
                });
            }
            tracing::warn!(%error, "the desktop is lost; connecting again");
            self.reconnect(self.deadlines.lost - waited).await?;
        }
    }

    /// A look that a turn can do without: once, and what it does not bring is not waited for.
    pub(crate) async fn glance<R: Send + 'static>(
        &mut self,
        what: &'static str,
        f: impl FnOnce(&mut dyn Desktop) -> Result<R, DesktopError> + Send + 'static,
    ) -> Result<R, DesktopError> {
        self.once(what, Some(self.deadlines.look), f).await
    }

    /// A call with an effect: once, with a deadline of its own. After a loss the effect is unknown.
    pub(crate) async fn act<R: Send + 'static>(
        &mut self,
        what: &'static str,
        deadline: Duration,
        f: impl FnOnce(&mut dyn Desktop) -> Result<R, DesktopError> + Send + 'static,
    ) -> Result<R, DesktopError> {
        self.once(what, Some(deadline), f).await
    }

    async fn once<R: Send + 'static>(
        &mut self,
        call: &'static str,
        deadline: Option<Duration>,
        f: impl FnOnce(&mut dyn Desktop) -> Result<R, DesktopError> + Send + 'static,
    ) -> Result<R, DesktopError> {
        match &mut self.place {
            Place::Inline(desktop) => f(&mut **desktop),
            Place::Thread { worker, .. } => {
                match worker.call(deadline, move |desktop| f(&mut **desktop)).await {
                    Ok(answer) => answer,
                    Err(NoAnswer::Deadline) => {
                        Err(DesktopError::Deadline { call, after: deadline.unwrap_or_default() })
                    }
                    Err(NoAnswer::Gone) => {
                        Err(DesktopError::Lost { why: format!("its thread ended during `{call}`") })
                    }
                }
            }
        }
    }

    /// Connects again on a new thread, trying for `left`.
    async fn reconnect(&mut self, left: Duration) -> Result<(), DesktopError> {
        let Place::Thread { worker, connect } = &mut self.place else {
            // There is no connection to make again; what is lost needs time to come back.
            self.clock.sleep(AGAIN).await;
            return Ok(());
        };
        let began = self.clock.now();
        loop {
            match start(connect, self.deadlines).await {
                Ok((fresh, Greeting { info, pulse, chord, presence, lifts })) => {
                    *worker = fresh;
                    (self.info, self.presence, self.lifts) = (info, presence, lifts);
                    self.watch = Watch::start(pulse, chord, &self.stop);
                    return Ok(());
                }
                Err(error) if self.clock.now().saturating_sub(began) >= left => {
                    return Err(DesktopError::Lost { why: error.to_string() });
                }
                Err(error) => tracing::debug!(%error, "no connection yet"),
            }
            self.clock.sleep(AGAIN).await;
        }
    }
}

async fn start(
    connect: &Connect,
    deadlines: Deadlines,
) -> Result<(Worker<Box<dyn Desktop>>, Greeting), DesktopError> {
    let make = Arc::clone(connect);
    let (worker, made) = Worker::spawn("desktop", move || make()).map_err(|e| DesktopError::Unusable {
        why: format!("no thread for it: {e}"),
        remedy: "Free some memory.".into(),
    })?;
    match tokio::time::timeout(deadlines.connect, made).await {
        Ok(Ok(answer)) => answer?,
        Ok(Err(_)) => return Err(DesktopError::Lost { why: "its thread ended while connecting".into() }),
        Err(_) => return Err(DesktopError::Deadline { call: "connect", after: deadlines.connect }),
    }
    let greeting = worker
        .call(Some(deadlines.look), |desktop| greet(&**desktop))
        .await
        .map_err(|_| DesktopError::Deadline { call: "info", after: deadlines.look })?;
    Ok((worker, greeting))
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Seat({} {})", self.info.backend, self.info.detail)
    }
}
