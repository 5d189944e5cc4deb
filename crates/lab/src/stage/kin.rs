//! Whatever an attempt starts, and what that starts in turn, ends with it.
//!
//! On Linux a program leads a process group, and what leaves its group is found by a mark in its environment. On Windows all of it is
//! in one job. Nothing that somebody else started is touched.

use std::process::{Child, Command};

/// The variable that marks everything an attempt started.
const MARK: &str = "HANDSIGHT_CASE";

/// The processes of one attempt.
#[derive(Debug)]
pub(super) struct Kin {
    mark: String,
    #[cfg(windows)]
    job: Option<handsight_desktop::windows::Job>,
}

impl Kin {
    /// None yet. `mark` is like no other attempt's.
    pub(super) const fn new(mark: String) -> Self {
        Self {
            mark,
            #[cfg(windows)]
            job: None,
        }
    }

    /// Starts one more; `leads` if it is to have a group of its own.
    pub(super) fn spawn(&mut self, command: &mut Command, leads: bool) -> std::io::Result<Child> {
        command.env(MARK, &self.mark);
        #[cfg(unix)]
        if leads {
            std::os::unix::process::CommandExt::process_group(command, 0);
        }
        #[cfg(windows)]
        {
            let _all_are_in_the_job = leads;
            let job = match self.job.take() {
                Some(job) => job,
                None => handsight_desktop::windows::Job::new()?,
            };
            let job = self.job.insert(job);
            let mut child = command.spawn()?;
            job.take(&mut child).inspect_err(|_| end(&mut child))?;
            Ok(child)
        }
        #[cfg(not(windows))]
        command.spawn()
    }

    /// Ends all that carries the mark or is in the job: programs that left their group.
    pub(super) fn end(&mut self) {
        #[cfg(windows)]
        if let Some(job) = self.job.take() {
            // Closing it does the same, a moment later.
            let _closed_at_once = job.end();
        }
        #[cfg(target_os = "linux")]
        end_marked(&self.mark);
    }
}

/// Ends a program and the process group it leads.
pub(super) fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        // Once it was waited for, its number may be another's.
        if !matches!(child.try_wait(), Ok(Some(_)))
            && let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
        {
            let _ended_meanwhile = kill_process_group(pid, Signal::KILL);
        }
    }
    let _ended_meanwhile = child.kill().and_then(|()| child.wait());
}

#[cfg(target_os = "linux")]
fn end_marked(mark: &str) {
    use rustix::process::{Pid, Signal, kill_process};
    use std::fs;
    let wanted = format!("{MARK}={mark}");
    for entry in fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok) {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        let (Some(pid), Ok(environment)) = (pid, fs::read(entry.path().join("environ"))) else { continue };
        if environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()) {
            let _ended_meanwhile = kill_process(pid, Signal::KILL);
        }
    }
}
