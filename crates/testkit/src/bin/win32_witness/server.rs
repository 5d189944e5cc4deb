//! Answers what is asked on standard input; everything of the windows happens on the first thread.

#![expect(unsafe_code, reason = "Win32")]
#![expect(clippy::expect_used, reason = "a witness that cannot work ends, and the test with it")]

use crate::seen::{self, forget, now_ms, shown};
use crate::{clipboard, keys, paint, window};
use handsight_testkit::witness_protocol::{Ask, Deed, Said, VERSION, Which};
use std::io::{BufRead as _, Write as _};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::{Duration, Instant};
use windows::Win32::Foundation::{HWND, LPARAM, WPARAM};
use windows::Win32::System::Threading::GetCurrentThreadId;
use windows::Win32::UI::HiDpi::{DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, SetProcessDpiAwarenessContext};
use windows::Win32::UI::WindowsAndMessaging::{
    DestroyWindow, DispatchMessageW, GetMessageW, MSG, MWMO_INPUTAVAILABLE, MsgWaitForMultipleObjectsEx,
    PM_REMOVE, PeekMessageW, PostThreadMessageW, QS_ALLINPUT, SetProcessDPIAware, SetTimer, TranslateMessage,
    WM_APP,
};

/// How long a window may take for what was asked.
const PATIENCE: Duration = Duration::from_secs(10);

/// Places are physical pixels: by monitor where the system can, else for the whole system.
pub(crate) fn dpi_aware() {
    // SAFETY: called before the first window.
    unsafe {
        if SetProcessDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2).is_err() {
            let _was_already = SetProcessDPIAware();
        }
    }
}

/// Serves until standard input ends.
pub(crate) fn serve() {
    let (asks, asked) = sync_channel::<Ask>(64);
    // SAFETY: a number.
    let thread = unsafe { GetCurrentThreadId() };
    let wake = move || {
        // Before there is a queue this fails; the timer wakes then.
        // SAFETY: a thread of ours.
        let _no_queue_yet = unsafe { PostThreadMessageW(thread, WM_APP, WPARAM(0), LPARAM(0)) };
    };
    let reader = std::thread::Builder::new().name("asks".into()).spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            match serde_json::from_str(&line) {
                Ok(ask) => match asks.send(ask) {
                    Ok(()) => wake(),
                    Err(_) => break,
                },
                Err(why) => say(&Said::Failed { why: format!("{why}: {line}") }),
            }
        }
        drop(asks);
        wake();
    });
    reader.expect("a thread starts");
    window::register().expect("a window class");
    let owner = window::owner().expect("a hidden window");
    // Messages to a thread are lost in Windows' own loops (a window that is moved): then the timer wakes.
    // SAFETY: a timer of this thread.
    unsafe { SetTimer(None, 0, 20, None) };
    let mut message = MSG::default();
    // SAFETY: the usual loop.
    while unsafe { GetMessageW(&raw mut message, None, 0, 0) }.0 > 0 {
        dispatch(&message);
        if !answer_all(&asked, owner) {
            break;
        }
    }
    for which in [Which::Main, Which::Other] {
        let _was_open = window::close(which);
    }
    // SAFETY: ours.
    let _ends_anyway = unsafe { DestroyWindow(owner) };
}

/// False at the end of standard input.
fn answer_all(asked: &Receiver<Ask>, owner: HWND) -> bool {
    loop {
        match asked.try_recv() {
            Ok(ask) => {
                let said = answer(ask, owner).unwrap_or_else(|why| Said::Failed { why });
                say(&said);
            }
            Err(TryRecvError::Empty) => return true,
            Err(TryRecvError::Disconnected) => return false,
        }
    }
}

fn answer(ask: Ask, owner: HWND) -> Result<Said, String> {
    let done = |()| Said::Done;
    match ask {
        Ask::Hello => Ok(Said::Ready { version: VERSION, pid: std::process::id() }),
        Ask::Open { window, client, seed, framed } => window::open(window, client, seed, framed).map(done),
        Ask::Place { window, client } => window::place(window, client).map(done),
        Ask::Paint { window, seed } => window::repaint(window, seed).map(done),
        Ask::Close { window } => window::close(window).map(done),
        Ask::Focus { window } => window::focus(window).map(done),
        Ask::Events => {
            drain();
            Ok(Said::Events { events: seen::with(|state| state.events.clone()) })
        }
        Ask::Forget => {
            drain();
            forget(window::pointer());
            Ok(Said::Done)
        }
        Ask::Text { window } => {
            drain();
            Ok(Said::Text { text: seen::text(window) })
        }
        Ask::Held => Ok(Said::Held { held: keys::held() }),
        Ask::Pointer => Ok(Said::Place { at: window::pointer() }),
        Ask::Now => Ok(Said::Millis { millis: now_ms() }),
        Ask::At { events, deed } => {
            drain();
            seen::with(|state| state.at = Some((events.max(1), deed)));
            Ok(Said::Done)
        }
        Ask::Cursor => {
            let cursor = paint::red_pointer()?;
            seen::with(|state| state.cursor = Some(cursor));
            Ok(Said::Done)
        }
        Ask::Clipboard => Ok(Said::Text { text: clipboard::text()? }),
        Ask::SetClipboard { text } => clipboard::set(owner, &text).map(done),
    }
}

/// Does what was to be done with the event that is handled now.
pub(crate) fn perform(deed: Deed) {
    let millis = now_ms();
    match deed {
        Deed::Tell => {}
        Deed::Close => {
            let _was_open = window::close(Which::Main);
        }
        Deed::Unfocus => yield_focus(),
        Deed::Yield => {
            let _was_open = window::close(Which::Main);
            yield_focus();
        }
    }
    say(&Said::Told { millis });
}

fn yield_focus() {
    if let Some(other) = shown(Which::Other) {
        window::take_focus(other.handle);
    }
}

fn say(said: &Said) {
    let line = serde_json::to_string(said).expect("it is plain data");
    let mut out = std::io::stdout().lock();
    // Nobody listens any more: standard input ends too, and with it the program.
    let _nobody = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Handles messages until `condition` holds.
#[expect(clippy::disallowed_methods, reason = "a real window takes real time")]
pub(crate) fn pump_until(what: &str, mut condition: impl FnMut() -> bool) -> Result<(), String> {
    let began = Instant::now();
    loop {
        drain();
        if condition() {
            return Ok(());
        }
        if began.elapsed() > PATIENCE {
            return Err(format!("not within {PATIENCE:?}: {what}"));
        }
        // SAFETY: waits for a message, 10 ms at most.
        unsafe { MsgWaitForMultipleObjectsEx(None, 10, QS_ALLINPUT, MWMO_INPUTAVAILABLE) };
    }
}

/// Handles the messages that are there.
fn drain() {
    let mut message = MSG::default();
    // SAFETY: takes messages of this thread.
    while unsafe { PeekMessageW(&raw mut message, None, 0, 0, PM_REMOVE) }.as_bool() {
        dispatch(&message);
    }
}

fn dispatch(message: &MSG) {
    // SAFETY: a message Windows gave.
    unsafe {
        let _made_no_text = TranslateMessage(message);
        DispatchMessageW(message);
    }
}
