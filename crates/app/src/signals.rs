//! Ctrl-C, SIGTERM and their like: the first asks for an orderly end, the second ends at once. On Windows these are Ctrl-C and
//! Ctrl-Break, the closing of the console, log-off and shutdown; Windows gives a process about five seconds for the last three.
//!
//! A thread of its own listens, so that a turn that hangs can still be stopped: it shares nothing with the run but the stop
//! word and the wish for privacy. An end at once is safe for the screen too: the hands see their pipe close and release everything.

use crate::exit::Exit;
use crate::say;
use anyhow::Context as _;
use handsight_base::privacy::Privacy;
use handsight_base::stop::{Stop, StopReason};

/// Begins to listen. Called once, before anything that should be stopped.
pub(crate) fn listen(stop: Stop) -> anyhow::Result<()> {
    listen_for(stop, Privacy::new())
}

/// The same for what a person can also make hold still: by SIGUSR1, until SIGUSR2.
pub(crate) fn listen_for(stop: Stop, privacy: Privacy) -> anyhow::Result<()> {
    let (ready, began) = std::sync::mpsc::sync_channel(1);
    std::thread::Builder::new()
        .name("signals".into())
        .stack_size(256 * 1024)
        .spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
            let outcome = runtime.and_then(|runtime| {
                runtime.block_on(async {
                    let mut signals = Signals::new(privacy)?;
                    let _listening = ready.send(Ok(()));
                    serve(&mut signals, &stop).await;
                    Ok(())
                })
            });
            if let Err(error) = outcome {
                let _nobody = ready.send(Err(error));
            }
        })
        .context("no thread for signals")?;
    began.recv().context("the thread for signals ended")?.context("signals cannot be caught")
}

#[expect(clippy::exit, reason = "the person asked twice; the hands release everything when the pipe closes")]
async fn serve(signals: &mut Signals, stop: &Stop) {
    let first = signals.next().await;
    stop.set(first);
    say::note("stopping; once more to end at once");
    let second = signals.next().await;
    std::process::exit(i32::from(Exit::of_stop(second).code()));
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
    pause: tokio::signal::unix::Signal,
    go_on: tokio::signal::unix::Signal,
    privacy: Privacy,
}

#[cfg(unix)]
impl Signals {
    fn new(privacy: Privacy) -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            pause: signal(SignalKind::user_defined1())?,
            go_on: signal(SignalKind::user_defined2())?,
            privacy,
        })
    }

    async fn next(&mut self) -> StopReason {
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => return StopReason::Interrupt,
                _ = self.terminate.recv() => return StopReason::Terminate,
                _ = self.hangup.recv() => return StopReason::Terminate,
                _ = self.pause.recv() => self.privacy.begin(),
                _ = self.go_on.recv() => self.privacy.end(),
            }
        }
    }
}

#[cfg(windows)]
struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
    pause: tokio::signal::windows::CtrlBreak,
    close: tokio::signal::windows::CtrlClose,
    logoff: tokio::signal::windows::CtrlLogoff,
    shutdown: tokio::signal::windows::CtrlShutdown,
    /// Log-off and shutdown once more: a process that draws is told of them by its windows only.
    session_end: std::sync::Arc<tokio::sync::Notify>,
}

#[cfg(windows)]
impl Signals {
    fn new(_no_such_signals: Privacy) -> std::io::Result<Self> {
        use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_logoff, ctrl_shutdown};
        let session_end = std::sync::Arc::new(tokio::sync::Notify::new());
        let heard = std::sync::Arc::clone(&session_end);
        handsight_desktop::windows::on_session_end(move || heard.notify_one())?;
        Ok(Self {
            interrupt: ctrl_c()?,
            pause: ctrl_break()?,
            close: ctrl_close()?,
            logoff: ctrl_logoff()?,
            shutdown: ctrl_shutdown()?,
            session_end,
        })
    }

    async fn next(&mut self) -> StopReason {
        tokio::select! {
            _ = self.interrupt.recv() => StopReason::Interrupt,
            _ = self.pause.recv() => StopReason::Interrupt,
            _ = self.close.recv() => StopReason::Terminate,
            _ = self.logoff.recv() => StopReason::Terminate,
            _ = self.shutdown.recv() => StopReason::Terminate,
            () = self.session_end.notified() => StopReason::Terminate,
        }
    }
}
