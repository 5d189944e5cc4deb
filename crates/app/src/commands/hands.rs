//! `__hands`: the process that moves mouse and keyboard and outlives the engine; see `handsight_desktop::hands`.

use handsight_desktop::hands::supervise;
use std::ffi::OsString;
use std::process::ExitCode;

pub(crate) fn run() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    u8::try_from(supervise(&arguments)).map_or(ExitCode::FAILURE, ExitCode::from)
}
