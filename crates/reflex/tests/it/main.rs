//! The offline model from outside: pictures in, scenes and calls out.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests; the figures measured are for a person")]

mod accuracy;
mod draw;
mod hud;
mod play;
mod play_rig;
mod widgets;
