//! `win32-witness`: an independent Windows program that tests look through. It shows windows, reports what the system
//! delivers to them, and says which keys are down.
//!
//! With no argument it serves [`handsight_testkit::witness_protocol`] on its standard input and output. `win32-witness
//! windows` prints every top-level window as one JSON line and ends. It uses plain Win32 and nothing of the product's.

#![cfg_attr(windows, windows_subsystem = "console")]

#[cfg(windows)]
mod clipboard;
#[cfg(windows)]
mod keys;
#[cfg(windows)]
mod listed;
#[cfg(windows)]
mod paint;
#[cfg(windows)]
mod seen;
#[cfg(windows)]
mod server;
#[cfg(windows)]
mod window;

#[cfg(windows)]
fn main() {
    server::dpi_aware();
    match std::env::args().nth(1).as_deref() {
        None => server::serve(),
        Some("windows") => listed::print(),
        Some(other) => panic!("win32-witness [windows], not {other:?}"),
    }
}

#[cfg(not(windows))]
fn main() {
    panic!("win32-witness is a Windows program: cargo xtask windows");
}
