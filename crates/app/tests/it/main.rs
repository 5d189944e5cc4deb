//! The binary as a person or a script meets it: arguments in, lines, files and an exit code out.
//!
//! Every test starts the real binary with a cleared environment and a home of its own. What it did is read from its output, from
//! files, from a model server's own log or an independent X client, never from its bookkeeping.
//!
//! All of it runs on Linux: `handsight.exe` too is looked at from there, through Wine (`wine_*`).
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a broken test rig should end the test where it breaks"
)]

mod assist;
mod assist_limits;
mod assist_rig;
mod bench;
mod bench_pixel;
mod canary;
mod command_line;
mod cost;
mod deadlines;
mod demo;
mod desktop_faults;
mod dialects;
mod eval;
mod fault_storage;
mod handsight;
mod kill_conversation;
mod kill_run;
mod kill_signals;
mod ocr;
mod one_run;
mod profiles;
mod real_input_desk;
mod real_input_eval;
mod real_input_hud;
mod real_input_manual;
mod real_input_player;
mod real_input_programs;
mod real_input_rig;
mod real_input_stateless;
mod real_input_windows;
mod rig;
mod sixth_profile;
mod solutions;
mod terminal;
mod vendors_server;
mod vnc_run;
mod wine_assist;
mod wine_eval;
mod wine_hud;
mod wine_kill;
mod wine_programs;
mod wine_rig;
mod wires;
mod world_run;
mod xvfb_assist;
mod xvfb_bad_input;
mod xvfb_children;
mod xvfb_cost;
mod xvfb_doctor;
mod xvfb_lifts;
mod xvfb_long;
mod xvfb_look;
mod xvfb_loss;
mod xvfb_manual;
mod xvfb_model_faults;
mod xvfb_one_run;
mod xvfb_pause;
mod xvfb_person;
mod xvfb_picture_formats;
mod xvfb_picture_limit;
mod xvfb_policy;
mod xvfb_recheck;
mod xvfb_run;
mod xvfb_window;
mod xvfb_world;
