//! The binary as a person or a script meets it: arguments in, lines, files and an exit code out.
//!
//! Every test starts the real binary with a cleared environment and a home of its own. What it did is read from its output, from
//! files, from a model server's own log or an independent X client, never from its bookkeeping.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a broken test rig should end the test where it breaks"
)]

#[cfg(target_os = "linux")]
mod bench;
mod bench_pixel;
mod canary;
mod command_line;
mod cost;
mod demo;
#[cfg(target_os = "linux")]
mod desktop_faults;
#[cfg(target_os = "linux")]
mod fault_storage;
mod handsight;
#[cfg(target_os = "linux")]
mod kill_run;
#[cfg(target_os = "linux")]
mod kill_signals;
#[cfg(target_os = "linux")]
mod one_run;
mod profiles;
#[cfg(target_os = "linux")]
mod real_input_desk;
#[cfg(target_os = "linux")]
mod real_input_hud;
#[cfg(target_os = "linux")]
mod real_input_manual;
#[cfg(target_os = "linux")]
mod real_input_player;
#[cfg(target_os = "linux")]
mod real_input_programs;
#[cfg(target_os = "linux")]
mod real_input_rig;
#[cfg(target_os = "linux")]
mod real_input_stateless;
#[cfg(target_os = "linux")]
mod real_input_windows;
#[cfg(target_os = "linux")]
mod rig;
#[cfg(target_os = "linux")]
mod vnc_run;
#[cfg(target_os = "linux")]
mod wine_hud;
#[cfg(target_os = "linux")]
mod wine_kill;
#[cfg(target_os = "linux")]
mod wine_programs;
#[cfg(target_os = "linux")]
mod wine_rig;
#[cfg(target_os = "linux")]
mod wires;
#[cfg(target_os = "linux")]
mod world_run;
#[cfg(target_os = "linux")]
mod xvfb_bad_input;
#[cfg(target_os = "linux")]
mod xvfb_cost;
#[cfg(target_os = "linux")]
mod xvfb_doctor;
#[cfg(target_os = "linux")]
mod xvfb_long;
#[cfg(target_os = "linux")]
mod xvfb_loss;
#[cfg(target_os = "linux")]
mod xvfb_manual;
#[cfg(target_os = "linux")]
mod xvfb_model_faults;
#[cfg(target_os = "linux")]
mod xvfb_one_run;
#[cfg(target_os = "linux")]
mod xvfb_picture_limit;
#[cfg(target_os = "linux")]
mod xvfb_run;
#[cfg(target_os = "linux")]
mod xvfb_window;
#[cfg(target_os = "linux")]
mod xvfb_world;
