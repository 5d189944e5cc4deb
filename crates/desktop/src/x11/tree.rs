//! What programs say that they show: AT-SPI, read in bulk beside the X connection.
//!
//! A thread of its own speaks D-Bus, so that no program can hold up a capture: whoever has not answered when the request's time is
//! over is missed, by name. Programs are asked at the same time, each in few and large steps ([`program`]); what they say is then
//! laid on the windows as the X server stacks them ([`place`]), for a program knows nothing of what lies over it. This module
//! refuses to act on a program (there are actions in AT-SPI; the hands move the mouse), to switch accessibility on in a person's
//! session, and to read the text of a field.

mod bus;
mod extents;
mod place;
mod program;
mod role;
mod surfaces;

use super::connection::Link;
use bus::Bus;
use handsight_base::flow::ui::{UiRequest, UiTree};
use handsight_base::port::desktop::DesktopError;
use place::{Scene, Surface};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;
use tokio::time::Instant;
use x11rb::protocol::xproto::Window as XWindow;

/// Where the buses of a session are, as the environment has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Buses {
    /// `AT_SPI_BUS_ADDRESS`: the accessibility bus itself.
    pub accessibility: Option<String>,
    /// `DBUS_SESSION_BUS_ADDRESS`, which knows where the accessibility bus is.
    pub session: Option<String>,
}

/// Beyond the request's own time, for what is done with the answers.
const GRACE: Duration = Duration::from_millis(100);

struct Job {
    request: UiRequest,
    surfaces: Vec<Surface>,
    /// By the root window's property: it names the bus of this display, whatever session we run in.
    named: Option<String>,
    answer: SyncSender<UiTree>,
}

/// The thread that speaks D-Bus, once it is needed.
#[derive(Default)]
pub(crate) struct TreeReader {
    jobs: Option<SyncSender<Job>>,
}

impl TreeReader {
    /// Reads all programs that have a window in the request's area. `ours` is our own overlay, which nothing lies under.
    pub(crate) fn read(
        &mut self,
        link: &Link,
        buses: &Buses,
        ours: Option<XWindow>,
        request: &UiRequest,
    ) -> Result<UiTree, DesktopError> {
        let surfaces = surfaces::stacked(link, ours)?;
        let named = surfaces::bus_of_display(link)?;
        let (answer, answered) = sync_channel(1);
        let job = Job { request: *request, surfaces, named, answer };
        let missed = |why: &str| Ok(UiTree { missed: vec![why.to_owned()], ..UiTree::default() });
        let jobs = match &self.jobs {
            Some(jobs) => jobs.clone(),
            None => match start(buses.clone()) {
                Ok(jobs) => self.jobs.insert(jobs).clone(),
                Err(why) => return missed(&format!("no thread to read programs with: {why}")),
            },
        };
        if jobs.try_send(job).is_ok()
            && let Ok(tree) = answered.recv_timeout(request.within + GRACE)
        {
            return Ok(tree);
        }
        // It is left behind with whatever it waits for.
        self.jobs = None;
        missed("reading the programs took too long")
    }
}

fn start(buses: Buses) -> std::io::Result<SyncSender<Job>> {
    let (jobs, inbox) = sync_channel::<Job>(1);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("ui-tree".to_owned()).spawn(move || {
        let mut bus = Bus::new(buses);
        while let Ok(job) = inbox.recv() {
            let Job { request, surfaces, named, answer } = job;
            let tree = runtime.block_on(walk(&mut bus, &request, surfaces, named.as_deref()));
            // Nobody waits any more if it came too late.
            let _late = answer.send(tree);
        }
    })?;
    Ok(jobs)
}

async fn walk(bus: &mut Bus, request: &UiRequest, surfaces: Vec<Surface>, named: Option<&str>) -> UiTree {
    let until = Instant::now() + request.within;
    let programs = match bus.programs(until, named).await {
        Ok(programs) => programs,
        Err(why) => return UiTree { missed: vec![why], ..UiTree::default() },
    };
    let shown: Vec<Option<u32>> = surfaces
        .iter()
        .filter(|surface| surface.outer.intersect(&request.area).is_some())
        .map(|surface| surface.pid)
        .collect();
    // A program without a window here has nothing to say; one whose process is not known may have any.
    let here = |pid: Option<u32>| pid.is_none_or(|pid| shown.iter().any(|s| s.is_none_or(|p| p == pid)));
    let here: Vec<_> = programs.into_iter().filter(|program| here(program.pid)).collect();
    let pids = here.iter().filter_map(|program| program.pid).collect();
    let scene = Arc::new(Scene { surfaces, pids, area: request.area });
    let read = program::read_all(bus, here, until, (request.nodes, request.told), &scene).await;
    let mut tree = UiTree { nodes: place::place(&read, &scene), ..UiTree::default() };
    for program in read {
        tree.read += program.nodes.len();
        tree.untold += program.untold;
        tree.missed.extend(program.missed);
    }
    tree
}
