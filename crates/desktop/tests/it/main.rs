//! What this crate does on real screens, seen by independent programs.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a broken rig should end the test where it breaks"
)]
#![expect(clippy::disallowed_methods, reason = "tests read their own environment and the machine's clock")]

mod alone;
#[cfg(target_os = "linux")]
mod fault_proxy;
mod hands_rig;
#[cfg(target_os = "linux")]
mod kill_hands;
mod replay_conformance;
mod replay_rig;
mod replay_witness;
#[cfg(target_os = "linux")]
mod rig;
#[cfg(target_os = "linux")]
mod vnc_capture;
#[cfg(target_os = "linux")]
mod vnc_conformance;
#[cfg(target_os = "linux")]
mod vnc_faults;
#[cfg(target_os = "linux")]
mod vnc_hands;
#[cfg(target_os = "linux")]
mod vnc_hostile;
#[cfg(target_os = "linux")]
mod vnc_kill;
#[cfg(target_os = "linux")]
mod vnc_rig;
#[cfg(target_os = "linux")]
mod vnc_x11vnc_conformance;
#[cfg(windows)]
mod wine_capture;
#[cfg(windows)]
mod wine_clipboard;
#[cfg(windows)]
mod wine_conformance;
#[cfg(windows)]
mod wine_hands;
#[cfg(windows)]
mod wine_kill_hands;
#[cfg(windows)]
mod wine_overlay;
#[cfg(windows)]
mod wine_overlay_faults;
#[cfg(windows)]
mod wine_panes;
#[cfg(windows)]
mod wine_person;
#[cfg(windows)]
mod wine_rig;
#[cfg(windows)]
mod wine_scaled_conformance;
#[cfg(windows)]
mod wine_scaled_eyes;
#[cfg(windows)]
mod wine_scaled_overlay;
#[cfg(windows)]
mod wine_test_window;
#[cfg(windows)]
mod wine_typing;
#[cfg(windows)]
mod wine_windows;
#[cfg(target_os = "linux")]
mod xvfb_addressee;
#[cfg(target_os = "linux")]
mod xvfb_capture;
#[cfg(target_os = "linux")]
mod xvfb_capture_speed;
#[cfg(target_os = "linux")]
mod xvfb_clipboard;
#[cfg(target_os = "linux")]
mod xvfb_conformance;
#[cfg(target_os = "linux")]
mod xvfb_faults;
#[cfg(target_os = "linux")]
mod xvfb_hands;
#[cfg(target_os = "linux")]
mod xvfb_host;
#[cfg(target_os = "linux")]
mod xvfb_overlay;
#[cfg(target_os = "linux")]
mod xvfb_person;
#[cfg(target_os = "linux")]
mod xvfb_repaint;
#[cfg(target_os = "linux")]
mod xvfb_stop;
#[cfg(target_os = "linux")]
mod xvfb_typing;
#[cfg(target_os = "linux")]
mod xvfb_windows;
