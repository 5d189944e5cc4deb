//! A door between an X client and its server that breaks chosen requests on their way.
//!
//! A broken request names something that does not exist, so it is the real server that refuses it, in its own words and
//! order. File descriptors do not get through this door: a client that hands over memory that way has to find another.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Which request is broken: the major opcode and, of an extension, the minor one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub major: u8,
    pub minor: Option<u8>,
    /// Where in the request the number stands that is made to name nothing.
    pub at: usize,
}

/// Of the core protocol, by its opcode.
pub(crate) const fn core(major: u8, at: usize) -> Fault {
    Fault { major, minor: None, at }
}

const SOCKETS: &str = "/tmp/.X11-unix/X";

type Rewrite = Box<dyn FnMut(&mut Vec<u8>) -> bool + Send>;

#[derive(Default)]
struct Rules {
    rewrite: Mutex<Option<Rewrite>>,
    hits: AtomicUsize,
    ended: AtomicBool,
}

pub(crate) struct FaultProxy {
    display: String,
    socket: String,
    rules: Arc<Rules>,
}

impl FaultProxy {
    /// A door to `display` (`:99`).
    pub(crate) fn before(display: &str) -> Self {
        // Numbers that no server takes by itself; whoever binds one has it.
        let bound = (20_000..30_000).find_map(|number: u16| {
            let socket = format!("{SOCKETS}{number}");
            UnixListener::bind(&socket).ok().map(|listener| (number, socket, listener))
        });
        let (number, socket, listener) = bound.expect("a free display number");
        let server = format!("{SOCKETS}{}", display.trim_start_matches(':'));
        let rules = Arc::new(Rules::default());
        let shared = Arc::clone(&rules);
        std::thread::Builder::new()
            .name("door".into())
            .spawn(move || {
                for client in listener.incoming() {
                    let Ok(client) = client else { return };
                    if shared.ended.load(Ordering::Relaxed) {
                        return;
                    }
                    serve(client, UnixStream::connect(&server).unwrap(), Arc::clone(&shared));
                }
            })
            .unwrap();
        Self { display: format!(":{number}"), socket, rules }
    }

    /// What to connect to in place of `:99`.
    pub(crate) fn display(&self) -> &str {
        &self.display
    }

    /// From now on every such request fails.
    pub(crate) fn break_every(&self, fault: Fault) {
        self.rewrite(move |request| {
            let meant = request[0] == fault.major && fault.minor.is_none_or(|minor| request[1] == minor);
            if meant {
                request[fault.at..fault.at + 4].copy_from_slice(&0xdead_beef_u32.to_ne_bytes());
            }
            meant
        });
    }

    /// From now on every request goes through `rewrite`, which says whether it changed it.
    pub(crate) fn rewrite(&self, rewrite: impl FnMut(&mut Vec<u8>) -> bool + Send + 'static) {
        *self.rules.rewrite.lock().unwrap() = Some(Box::new(rewrite));
        self.rules.hits.store(0, Ordering::Relaxed);
    }

    /// Everything goes through as it is again; how many requests were changed.
    pub(crate) fn mend(&self) -> usize {
        *self.rules.rewrite.lock().unwrap() = None;
        self.rules.hits.load(Ordering::Relaxed)
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.rules.ended.store(true, Ordering::Relaxed);
        // Wakes the listener.
        drop(UnixStream::connect(&self.socket));
        let _gone_already = std::fs::remove_file(&self.socket);
    }
}

fn serve(client: UnixStream, server: UnixStream, rules: Arc<Rules>) {
    let (mut from_server, mut to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let thread = |name: &str| std::thread::Builder::new().name(name.into());
    thread("door out")
        .spawn(move || {
            let _ended = std::io::copy(&mut from_server, &mut to_client);
            let _gone = to_client.shutdown(std::net::Shutdown::Both);
        })
        .unwrap();
    thread("door in")
        .spawn(move || {
            let _ended = requests(&client, &server, &rules);
            let _gone = server.shutdown(std::net::Shutdown::Both);
        })
        .unwrap();
}

/// Passes the setup on, then request by request.
fn requests(mut client: &UnixStream, mut server: &UnixStream, rules: &Rules) -> std::io::Result<()> {
    let mut setup = vec![0; 12];
    client.read_exact(&mut setup)?;
    let padded = |n: usize| n.next_multiple_of(4);
    let length = |at: usize| usize::from(u16::from_ne_bytes([setup[at], setup[at + 1]]));
    let rest = padded(length(6)) + padded(length(8));
    setup.resize(12 + rest, 0);
    client.read_exact(&mut setup[12..])?;
    server.write_all(&setup)?;
    loop {
        let mut request = vec![0; 4];
        client.read_exact(&mut request)?;
        let mut length = usize::from(u16::from_ne_bytes([request[2], request[3]])) * 4;
        if length == 0 {
            request.resize(8, 0);
            client.read_exact(&mut request[4..])?;
            length = u32::from_ne_bytes([request[4], request[5], request[6], request[7]]) as usize * 4;
        }
        let had = request.len();
        request.resize(length, 0);
        client.read_exact(&mut request[had..])?;
        if let Some(rewrite) = rules.rewrite.lock().unwrap().as_mut()
            && rewrite(&mut request)
        {
            rules.hits.fetch_add(1, Ordering::Relaxed);
        }
        server.write_all(&request)?;
    }
}
