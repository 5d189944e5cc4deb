//! What the hands say without being asked, heard at once whatever the engine waits for.

use super::protocol::{Ended, Frames, Reply};
use handsight_base::lifts::{Lifted, Lifts};
use handsight_base::presence::Presence;
use handsight_base::stop::{Stop, StopReason};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Who is told.
pub(super) struct Ears {
    pub(super) chord: Stop,
    pub(super) presence: Option<Presence>,
    pub(super) lifts: Lifts,
}

impl Ears {
    /// Reads replies on a thread of its own, which ends with the pipe, and passes answers on.
    pub(super) fn listen(
        self,
        mut line: impl Read + Send + 'static,
        ended: Arc<AtomicBool>,
    ) -> io::Result<Receiver<Reply>> {
        // There is one question at a time; what does not fit answers questions that were given up.
        let (sender, receiver) = sync_channel(64);
        std::thread::Builder::new().name("hands".to_owned()).spawn(move || {
            let mut frames = Frames::default();
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = line.read(&mut bytes) {
                frames.push(&bytes[..n]);
                while let Ok(Some(reply)) = frames.next::<Reply>() {
                    self.hear(reply, &sender);
                }
            }
            ended.store(true, Ordering::Release);
        })?;
        Ok(receiver)
    }

    fn hear(&self, reply: Reply, sender: &SyncSender<Reply>) {
        match reply {
            Reply::Chord => {
                tracing::warn!("the stop chord was pressed: everything is released, no more input");
                self.chord.set(StopReason::Chord);
            }
            Reply::Person { report } => self.presence.iter().for_each(|presence| presence.hear(report)),
            Reply::Lifted { codes, ended } => {
                tracing::info!(?codes, ?ended, "released without an action");
                self.lifts.hear(match ended {
                    Ended::HeldTooLong => Lifted::TooLong,
                    Ended::Silence => Lifted::Silence,
                    Ended::Asked | Ended::Chord | Ended::Person | Ended::Failed | Ended::FocusMoved => {
                        Lifted::Released
                    }
                });
            }
            reply => {
                let _full = sender.try_send(reply);
            }
        }
    }
}
