//! One named thread that owns something blocking, and an async way to call it.
//!
//! A desktop may hang in the middle of a capture and a journal waits for the disk; neither may stop the loop. Jobs go through a
//! bounded channel and run in their order. This module refuses to wait for a worker that is stuck: the caller's deadline
//! passes, the thread is left behind with whatever it holds, and a new one is started by whoever knows how.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;
use tokio::sync::oneshot;

enum Job<T> {
    Run(Box<dyn FnOnce(&mut T) + Send>),
    /// The last one: the `T` goes with it.
    Take(Box<dyn FnOnce(T) + Send>),
}

/// How many calls may wait; the loop makes one at a time, a stop adds one.
const QUEUE: usize = 4;

pub(crate) struct Worker<T> {
    jobs: SyncSender<Job<T>>,
}

/// Why a call has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    Deadline,
    /// The thread ended: it panicked inside a call.
    Gone,
}

impl<T: 'static> Worker<T> {
    /// Starts a thread that makes its `T` itself, so that a `T` whose making blocks is covered by the deadline too.
    pub(crate) fn spawn<E: Send + 'static>(
        name: &str,
        make: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> std::io::Result<(Self, oneshot::Receiver<Result<(), E>>)> {
        let (jobs, inbox) = sync_channel::<Job<T>>(QUEUE);
        let (ready, made) = oneshot::channel();
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            let mut owned = match make() {
                Ok(owned) => owned,
                Err(error) => {
                    // Nobody waits any more if the deadline passed.
                    let _late = ready.send(Err(error));
                    return;
                }
            };
            // Whoever does not wait for this has a `T` that is made at once.
            let _nobody = ready.send(Ok(()));
            while let Ok(job) = inbox.recv() {
                match job {
                    Job::Run(f) => f(&mut owned),
                    Job::Take(f) => return f(owned),
                }
            }
        })?;
        Ok((Self { jobs }, made))
    }

    /// Queues `f` at once; its result comes by the receiver, which may be dropped.
    pub(crate) fn begin<R: Send + 'static>(
        &self,
        f: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> Result<oneshot::Receiver<R>, NoAnswer> {
        let (answer, result) = oneshot::channel();
        self.queue(Job::Run(Box::new(move |owned| {
            let _late = answer.send(f(owned));
        })))?;
        Ok(result)
    }

    /// Runs `f` on the thread with the `T` itself, which ends the thread, and waits for its result.
    pub(crate) async fn into_inner<R: Send + 'static>(
        self,
        f: impl FnOnce(T) -> R + Send + 'static,
    ) -> Result<R, NoAnswer> {
        let (answer, result) = oneshot::channel();
        self.queue(Job::Take(Box::new(move |owned| {
            let _late = answer.send(f(owned));
        })))?;
        result.await.map_err(|_| NoAnswer::Gone)
    }

    fn queue(&self, job: Job<T>) -> Result<(), NoAnswer> {
        // A full queue means a stuck thread: the deadline would pass anyway.
        self.jobs.try_send(job).map_err(|e| match e {
            std::sync::mpsc::TrySendError::Full(_) => NoAnswer::Deadline,
            std::sync::mpsc::TrySendError::Disconnected(_) => NoAnswer::Gone,
        })
    }

    /// Runs `f` on the thread and waits for its result, at most `deadline`.
    pub(crate) async fn call<R: Send + 'static>(
        &self,
        deadline: Option<Duration>,
        f: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> Result<R, NoAnswer> {
        let result = self.begin(f)?;
        match deadline {
            None => result.await.map_err(|_| NoAnswer::Gone),
            Some(d) => match tokio::time::timeout(d, result).await {
                Ok(Ok(r)) => Ok(r),
                Ok(Err(_)) => Err(NoAnswer::Gone),
                Err(_) => Err(NoAnswer::Deadline),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
    }

    #[test]
    fn calls_run_in_order_on_their_thread() {
        runtime().block_on(async {
            let (worker, made) = Worker::spawn::<()>("w", || Ok(Vec::<u32>::new())).unwrap();
            made.await.unwrap().unwrap();
            for n in 0..3 {
                worker.call(None, move |v| v.push(n)).await.unwrap();
            }
            let (seen, thread) = worker
                .call(None, |v| (v.clone(), std::thread::current().name().map(str::to_owned)))
                .await
                .unwrap();
            assert_eq!(seen, [0, 1, 2]);
            assert_eq!(thread.as_deref(), Some("w"));
        });
    }

    #[test]
    fn a_stuck_call_is_left_behind_at_its_deadline() {
        runtime().block_on(async {
            let (worker, made) = Worker::spawn::<()>("w", || Ok(())).unwrap();
            made.await.unwrap().unwrap();
            let (_hold, gate) = std::sync::mpsc::sync_channel::<()>(1);
            let answer = worker
                .call(Some(Duration::from_millis(30)), move |()| {
                    let _until_dropped = gate.recv();
                })
                .await;
            assert_eq!(answer, Err(NoAnswer::Deadline));
        });
    }

    #[test]
    fn a_panic_in_a_call_is_an_answer() {
        runtime().block_on(async {
            let (worker, made) = Worker::spawn::<()>("w", || Ok(())).unwrap();
            made.await.unwrap().unwrap();
            assert_eq!(worker.call(None, |()| panic!("on purpose")).await, Err(NoAnswer::Gone));
            assert_eq!(worker.call(None, |()| ()).await, Err(NoAnswer::Gone));
        });
    }
}
