//! Programs started for one test: with a cleared environment, a home of their own, and a certain end.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// A started program with all it started itself; both are killed by pid when this is dropped.
#[derive(Debug)]
pub struct Program {
    child: Child,
    name: String,
}

impl Program {
    /// Starts `command` as the leader of a process group of its own.
    ///
    /// # Panics
    /// When it cannot be started.
    #[track_caller]
    pub fn start(command: &mut Command) -> Self {
        use std::os::unix::process::CommandExt;
        let name = command.get_program().to_string_lossy().into_owned();
        match command.process_group(0).spawn() {
            Ok(child) => Self { child, name },
            Err(why) => panic!("{name} does not start: {why}"),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its pipes, where the command asked for some.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Sends a signal to the program alone.
    pub fn signal(&self, signal: Signal) {
        signal_pid(self.pid(), signal);
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it still runs after `deadline`.
    #[track_caller]
    pub fn wait(&mut self, deadline: Duration) -> ExitStatus {
        let what = format!("the end of {}", self.name);
        crate::wait::until(&what, deadline, || self.ended())
    }

    /// Kills the group, ungently, and reaps the program.
    pub fn kill(&mut self) {
        if self.ended().is_none() {
            if let Some(pid) = i32::try_from(self.pid()).ok().and_then(Pid::from_raw) {
                // Its children too: `dbus-run-session editor` leaves an editor behind otherwise.
                let _gone_already = kill_process_group(pid, Signal::KILL);
            }
            drop(self.child.wait());
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Sends `signal` to one process; that it is gone already is no error.
pub fn signal_pid(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _gone_already = kill_process(pid, signal);
    }
}
