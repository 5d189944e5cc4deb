//! What the keeper of the clipboard does on Windows.
//!
//! To paste, the engine offers a text: what was on the clipboard until then is read and kept, and the text takes its place as
//! a promise. Windows asks for it when a program reads it, and says which one has the clipboard open: only the program that
//! has the focus counts as the one that pastes, not a manager that reads whatever is new. Then the old contents come back,
//! unless a third program has taken the clipboard meanwhile. This module refuses to paste over contents none of which can be
//! kept.

use super::{Open, Read, formats, memory};
use crate::hands::keeper::{Counter, Next};
use crate::hands::wish::{Done, Granted, Wish, contents};
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::ClipboardContents;
use std::cell::RefCell;
use std::os::windows::io::AsRawHandle;
use std::time::Duration;
use windows::Win32::Foundation::{HANDLE, HWND, LPARAM, LRESULT, WPARAM};
use windows::Win32::System::DataExchange::{GetClipboardOwner, GetOpenClipboardWindow, SetClipboardData};
use windows::Win32::System::LibraryLoader::GetModuleHandleW;
use windows::Win32::System::Threading::INFINITE;
use windows::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DefWindowProcW, DestroyWindow, DispatchMessageW, GetForegroundWindow,
    GetWindowThreadProcessId, HWND_MESSAGE, MSG, MWMO_INPUTAVAILABLE, MsgWaitForMultipleObjectsEx, PM_REMOVE,
    PeekMessageW, QS_ALLINPUT, RegisterClassW, WINDOW_EX_STYLE, WINDOW_STYLE, WM_DESTROYCLIPBOARD,
    WM_RENDERALLFORMATS, WM_RENDERFORMAT, WNDCLASSW,
};
use windows::core::{HSTRING, PCWSTR, w};

/// A program that pastes may open the clipboard several times.
const QUIET: Duration = Duration::from_millis(50);
/// What a person had is not given up because another program has the clipboard open.
const RESTORE: Duration = Duration::from_secs(4);
/// How often it is looked whether a manager has used up the promise.
const LOOK: Duration = Duration::from_millis(20);

/// Keeps the session's clipboard, on the thread that calls, until the hands have gone.
pub(crate) fn keep(counter: &Counter) {
    match Owner::new() {
        Ok(owner) => Clipboard { owner, clock: RealClock::new(), kept: None }.run(counter),
        Err(error) => counter.refuse(&super::why(&error)),
    }
}

struct Clipboard {
    owner: Owner,
    clock: RealClock,
    /// What was there before the offer; `None` if nothing is lent.
    kept: Option<ClipboardContents>,
}

impl Clipboard {
    fn run(mut self, counter: &Counter) {
        loop {
            match counter.next() {
                Next::Wish(ticket, wish) => {
                    let granted = self.grant(wish);
                    counter.answer(ticket, granted);
                }
                Next::Nothing => self.owner.serve(Some(HANDLE(counter.source().as_raw_handle())), None),
                // Windows keeps what is there: nobody has to stay.
                Next::End => return drop(self.restore()),
            }
        }
    }

    fn grant(&mut self, wish: Wish) -> Granted {
        match wish {
            Wish::Offer { formats, lent } => self.offer(&contents(formats), lent),
            Wish::GiveBack { patience } => self.give_back(patience),
        }
    }

    fn offer(&mut self, contents: &ClipboardContents, lent: bool) -> Granted {
        let open = Open::new(Some(self.owner.window))?;
        if !lent {
            self.kept = None;
            promise(None);
            return open.put(contents).map(|()| true.into());
        }
        // A second offer before the first was given back: what is kept stays what a person had.
        let mut unkept = Vec::new();
        if self.kept.is_none() {
            let Read { kept, lost } = open.read_all();
            if kept.formats.is_empty() && !lost.is_empty() {
                return Err(format!("what is on it would be lost: {} cannot be kept", lost.join(", ")));
            }
            (self.kept, unkept) = (Some(kept), lost);
        }
        self.owner.promise(&open, contents)?;
        Ok(Done { yes: true, lost: unkept })
    }

    fn give_back(&mut self, patience: Duration) -> Granted {
        let until = self.clock.now() + patience;
        let mut taken = was_taken();
        while !taken && self.owner.is_owner() && self.clock.now() < until {
            self.owner.serve(None, Some(LOOK.min(until.saturating_sub(self.clock.now()))));
            taken = was_taken();
            if !taken && is_used_up() {
                // A manager has it; whoever comes now would get it from Windows without our seeing it.
                let renewed = Open::new(Some(self.owner.window)).and_then(|open| self.owner.renew(&open));
                // It is not ours any more, which ends the loop, or the next look tries again.
                drop(renewed);
            }
        }
        if taken {
            let quiet = self.clock.now() + QUIET;
            while let Some(left) = quiet.checked_sub(self.clock.now()).filter(|left| !left.is_zero()) {
                self.owner.serve(None, Some(left));
            }
        }
        self.restore()?;
        Ok(taken.into())
    }

    /// Puts back what was lent, unless another program has the clipboard now.
    fn restore(&mut self) -> Result<(), String> {
        promise(None);
        let Some(kept) = &self.kept else { return Ok(()) };
        if self.owner.is_owner() {
            let until = self.clock.now() + RESTORE;
            // Taken and filled in one opening: half of it would be nobody's.
            while let Err(why) = Open::new(Some(self.owner.window)).and_then(|open| open.put(kept)) {
                if self.clock.now() >= until || !self.owner.is_owner() {
                    return Err(why);
                }
            }
        }
        self.kept = None;
        Ok(())
    }
}

/// What was promised and what came of it. Windows asks for it by calling the window's procedure, which knows no more than
/// its thread.
#[derive(Default)]
struct Promise {
    formats: Vec<(u32, Vec<u8>)>,
    taken: bool,
    used_up: bool,
}

thread_local! {
    static PROMISE: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

fn promise(new: Option<Promise>) {
    PROMISE.with_borrow_mut(|promise| *promise = new);
}

fn was_taken() -> bool {
    PROMISE.with_borrow(|promise| promise.as_ref().is_some_and(|p| p.taken))
}

fn is_used_up() -> bool {
    PROMISE.with_borrow(|promise| promise.as_ref().is_some_and(|p| p.used_up))
}

/// A window that nobody sees, which owns the clipboard.
struct Owner {
    window: HWND,
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
impl Owner {
    fn new() -> windows::core::Result<Self> {
        let class = w!("HandsightClipboard");
        let (style, ex) = (WINDOW_STYLE(0), WINDOW_EX_STYLE(0));
        // By its title a person knows whose window owns the clipboard.
        let name = HSTRING::from("handsight clipboard");
        // SAFETY: the class names a procedure of ours; texts end with a zero. A second registration fails and does no harm.
        unsafe {
            let instance = GetModuleHandleW(None)?.into();
            RegisterClassW(&WNDCLASSW {
                lpfnWndProc: Some(procedure),
                hInstance: instance,
                lpszClassName: class,
                ..WNDCLASSW::default()
            });
            let (parent, instance) = (Some(HWND_MESSAGE), Some(instance));
            let name = PCWSTR(name.as_ptr());
            let window = CreateWindowExW(ex, class, name, style, 0, 0, 0, 0, parent, None, instance, None)?;
            Ok(Self { window })
        }
    }

    /// True while nobody else has taken the clipboard.
    fn is_owner(&self) -> bool {
        // SAFETY: it only answers.
        unsafe { GetClipboardOwner() }.is_ok_and(|owner| owner == self.window)
    }

    /// Takes the open clipboard with a promise of these contents.
    fn promise(&self, open: &Open, contents: &ClipboardContents) -> Result<(), String> {
        let mut formats = Vec::with_capacity(contents.formats.len());
        for (name, bytes) in &contents.formats {
            formats.push((formats::number_of(name)?, bytes.clone()));
        }
        promise(Some(Promise { formats, ..Promise::default() }));
        self.renew(open)
    }

    /// Takes the open clipboard with what was promised.
    fn renew(&self, open: &Open) -> Result<(), String> {
        // It tells the owner, us, that its contents have gone.
        let kept = PROMISE.take();
        open.empty()?;
        PROMISE.set(kept);
        PROMISE.with_borrow_mut(|promise| {
            let Some(promise) = promise else { return Ok(()) };
            promise.used_up = false;
            for (format, bytes) in &promise.formats {
                if *format == formats::CF_UNICODETEXT {
                    // SAFETY: no handle is a promise. It is made by "failing", without an error.
                    let _promised = unsafe { SetClipboardData(*format, None) };
                } else {
                    memory::give(*format, bytes).map_err(|error| super::why(&error))?;
                }
            }
            Ok(())
        })
    }

    /// Serves whoever asks until `bell` is signalled, a message came, or the time is over.
    fn serve(&self, bell: Option<HANDLE>, wait: Option<Duration>) {
        let millis = wait.map_or(INFINITE, |wait| wait.as_millis() as u32 + 1);
        let mut message = MSG::default();
        // SAFETY: the handle is open; messages belong to this thread's windows.
        unsafe {
            MsgWaitForMultipleObjectsEx(bell.as_slice().into(), millis, QS_ALLINPUT, MWMO_INPUTAVAILABLE);
            while PeekMessageW(&raw mut message, None, 0, 0, PM_REMOVE).as_bool() {
                DispatchMessageW(&raw const message);
            }
        }
    }
}

impl Drop for Owner {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: the window belongs to this thread.
        let _destroyed = unsafe { DestroyWindow(self.window) };
    }
}

#[expect(unsafe_code, reason = "Windows calls it")]
unsafe extern "system" fn procedure(window: HWND, message: u32, w: WPARAM, l: LPARAM) -> LRESULT {
    match message {
        WM_RENDERFORMAT => {
            render(w.0 as u32, is_pasting());
            LRESULT(0)
        }
        // The window is destroyed while it owns the clipboard: what is promised is not left behind.
        WM_RENDERALLFORMATS => LRESULT(0),
        // Another program has taken it.
        WM_DESTROYCLIPBOARD => {
            PROMISE.with_borrow_mut(|promise| promise.iter_mut().for_each(|p| p.formats.clear()));
            LRESULT(0)
        }
        // SAFETY: what came in goes on.
        _ => unsafe { DefWindowProcW(window, message, w, l) },
    }
}

/// Keeps a promise. The clipboard is open for whoever reads.
fn render(format: u32, pasting: bool) {
    PROMISE.with_borrow_mut(|promise| {
        let Some(promise) = promise else { return };
        let Some((_, bytes)) = promise.formats.iter().find(|(f, _)| *f == format) else { return };
        let _given = memory::give(format, bytes);
        promise.taken |= pasting;
        promise.used_up = true;
    });
}

/// True if the program that has the clipboard open is the one that has the focus, or does not say who it is.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn is_pasting() -> bool {
    // SAFETY: windows that are gone have no process.
    unsafe {
        let Ok(reader) = GetOpenClipboardWindow() else { return true };
        let process = |window| {
            let mut pid = 0;
            GetWindowThreadProcessId(window, Some(&raw mut pid));
            pid
        };
        process(reader) == process(GetForegroundWindow())
    }
}
