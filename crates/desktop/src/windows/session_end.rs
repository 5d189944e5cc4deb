//! Log-off and shutdown: Windows tells a program that draws by a message to its windows, not by an event of its console.
//!
//! So there is a window that nobody sees, on a thread of its own, which only listens. Windows ends the process a few seconds after
//! it was told, or as soon as the window has answered; so the answer waits for the run to end in order. This module refuses
//! to hold a log-off up: it never says no.

use super::system::{why, wide};
use std::ffi::c_void;
use std::io;
use std::sync::mpsc::sync_channel;
use std::time::Duration;
use windows::Win32::Foundation::{HWND, LPARAM, LRESULT, WPARAM};
use windows::Win32::System::LibraryLoader::GetModuleHandleW;
use windows::Win32::UI::WindowsAndMessaging::{
    CREATESTRUCTW, CreateWindowExW, DefWindowProcW, DispatchMessageW, GWLP_USERDATA, GetMessageW,
    GetWindowLongPtrW, MSG, RegisterClassExW, SetWindowLongPtrW, WINDOW_EX_STYLE, WM_ENDSESSION, WM_NCCREATE,
    WM_QUERYENDSESSION, WNDCLASSEXW, WS_POPUP,
};
use windows::core::{PCWSTR, w};

const CLASS: PCWSTR = w!("HandsightSessionEnd");
/// Windows waits for five seconds before it ends a process by force.
const PATIENCE: Duration = Duration::from_secs(4);

struct Listener {
    ending: Box<dyn Fn() + Send>,
    patience: Duration,
}

/// Calls `ending` when the person logs off or the machine shuts down, and keeps Windows waiting for up to 4 s; the process ends
/// by itself meanwhile. Called once, with a thread that stays until then.
pub fn on_session_end(ending: impl Fn() + Send + 'static) -> io::Result<()> {
    listen(Listener { ending: Box::new(ending), patience: PATIENCE })
}

fn listen(listener: Listener) -> io::Result<()> {
    let (ready, began) = sync_channel(1);
    std::thread::Builder::new().name("session-end".into()).stack_size(256 * 1024).spawn(move || {
        // Windows keeps a pointer to it; it lives as long as the loop.
        let listener = Box::new(listener);
        match open(&listener) {
            Err(error) => {
                let _nobody = ready.send(Err(io::Error::other(why(&error))));
            }
            Ok(_window) => {
                let _listening = ready.send(Ok(()));
                serve();
            }
        }
    })?;
    began.recv().map_err(io::Error::other)?
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn open(listener: &Listener) -> windows::core::Result<HWND> {
    // SAFETY: the class and its procedure live as long as the process, the listener as long as the thread. The second time the
    // class is there already.
    unsafe {
        let module = GetModuleHandleW(None)?.into();
        let class = WNDCLASSEXW {
            cbSize: size_of::<WNDCLASSEXW>() as u32,
            lpfnWndProc: Some(procedure),
            hInstance: module,
            lpszClassName: CLASS,
            ..WNDCLASSEXW::default()
        };
        RegisterClassExW(&raw const class);
        let title = wide("handsight");
        let given = Some(std::ptr::from_ref(listener).cast::<c_void>());
        let none = WINDOW_EX_STYLE(0);
        let title = PCWSTR(title.as_ptr());
        // Top-level, though never shown: Windows tells no others.
        CreateWindowExW(none, CLASS, title, WS_POPUP, 0, 0, 0, 0, None, None, Some(module), given)
    }
}

#[expect(unsafe_code, reason = "the loop of a thread with a window")]
fn serve() {
    let mut message = MSG::default();
    // SAFETY: `message` is ours.
    while unsafe { GetMessageW(&raw mut message, None, 0, 0) }.0 > 0 {
        // SAFETY: as above.
        unsafe { DispatchMessageW(&raw const message) };
    }
}

#[expect(unsafe_code, reason = "the procedure of a window")]
unsafe extern "system" fn procedure(window: HWND, message: u32, word: WPARAM, long: LPARAM) -> LRESULT {
    // SAFETY: `open` gave the listener with the creation of the window, and it lives as long as the window's thread.
    unsafe {
        if message == WM_NCCREATE {
            let given = (*(long.0 as *const CREATESTRUCTW)).lpCreateParams;
            SetWindowLongPtrW(window, GWLP_USERDATA, given as isize);
        }
        let listener = (GetWindowLongPtrW(window, GWLP_USERDATA) as *const Listener).as_ref();
        match (message, listener) {
            (WM_QUERYENDSESSION, _) => LRESULT(1),
            // It was taken back if the number is zero.
            (WM_ENDSESSION, Some(listener)) if word.0 != 0 => {
                (listener.ending)();
                std::thread::park_timeout(listener.patience);
                LRESULT(0)
            }
            _ => DefWindowProcW(window, message, word, long),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use windows::Win32::UI::WindowsAndMessaging::{FindWindowW, SendMessageW};

    #[expect(unsafe_code, reason = "calls of the Windows API")]
    fn tell(message: u32, word: usize) -> isize {
        // SAFETY: numbers only.
        unsafe {
            let window = FindWindowW(CLASS, None).expect("the listener's window");
            SendMessageW(window, message, Some(WPARAM(word)), Some(LPARAM(0))).0
        }
    }

    #[test]
    fn a_log_off_is_heard_and_one_that_was_taken_back_is_not() {
        let heard = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&heard);
        let ending = Box::new(move || {
            count.fetch_add(1, Ordering::AcqRel);
        });
        listen(Listener { ending, patience: Duration::from_millis(1) }).unwrap();
        assert_eq!(tell(WM_QUERYENDSESSION, 0), 1, "it never says no");
        tell(WM_ENDSESSION, 0);
        assert_eq!(heard.load(Ordering::Acquire), 0);
        tell(WM_ENDSESSION, 1);
        assert_eq!(heard.load(Ordering::Acquire), 1);
    }
}
