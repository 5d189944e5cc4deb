//! Who waits, who is woken.

use super::*;
use std::sync::atomic::AtomicU32;
use std::task::Wake;

/// Counts how often it was woken.
#[derive(Default)]
struct Bell(AtomicU32);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Bell {
    fn rung(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

fn poll(stopped: &mut Stopped, bell: &Arc<Bell>) -> Poll<StopReason> {
    Pin::new(stopped).poll(&mut Context::from_waker(&Arc::clone(bell).into()))
}

#[test]
fn the_first_reason_stays_and_every_clone_hears_it() {
    let stop = Stop::new();
    let other = stop.clone();
    assert_eq!((stop.reason(), stop.is_set()), (None, false));
    assert_eq!(format!("{stop:?}"), "Stop(None)");
    other.set(StopReason::Terminate);
    stop.set(StopReason::Chord);
    assert_eq!((stop.reason(), other.reason()), (Some(StopReason::Terminate), Some(StopReason::Terminate)));
    assert!(!Stop::new().is_set(), "another word is another word");
    for reason in [StopReason::Interrupt, StopReason::Terminate, StopReason::Chord, StopReason::Person] {
        let stop = Stop::new();
        stop.set(reason);
        assert_eq!(stop.reason(), Some(reason));
    }
}

#[test]
fn everyone_who_waits_is_woken_once() {
    let stop = Stop::new();
    let bells: [Arc<Bell>; 3] = Default::default();
    let mut waits: Vec<Stopped> = bells.iter().map(|_| stop.stopped()).collect();
    for (wait, bell) in waits.iter_mut().zip(&bells) {
        assert!(poll(wait, bell).is_pending());
        assert!(poll(wait, bell).is_pending());
    }
    stop.set(StopReason::Person);
    stop.set(StopReason::Person);
    assert_eq!(bells.each_ref().map(|b| b.rung()), [1; 3]);
    for (wait, bell) in waits.iter_mut().zip(&bells) {
        assert_eq!(poll(wait, bell), Poll::Ready(StopReason::Person));
    }
    // Too late to wait.
    assert_eq!(poll(&mut stop.stopped(), &bells[0]), Poll::Ready(StopReason::Person));
}

#[test]
fn the_last_task_that_asked_is_the_one_to_wake() {
    let stop = Stop::new();
    let (first, second): (Arc<Bell>, Arc<Bell>) = Default::default();
    let mut wait = stop.stopped();
    assert!(poll(&mut wait, &first).is_pending());
    assert!(poll(&mut wait, &second).is_pending());
    stop.set(StopReason::Chord);
    assert_eq!((first.rung(), second.rung()), (0, 1));
}

#[test]
fn a_wait_given_up_leaves_nothing_behind() {
    let stop = Stop::new();
    let bell = Arc::<Bell>::default();
    for _ in 0..1_000 {
        assert!(poll(&mut stop.stopped(), &bell).is_pending());
    }
    assert_eq!(Arc::strong_count(&bell), 1, "its wakers are gone");
    stop.set(StopReason::Chord);
    assert_eq!(bell.rung(), 0);
}

#[test]
fn a_word_after_others_is_set_with_any_of_them_and_does_not_set_them() {
    for n in 0..2 {
        let words = [Stop::new(), Stop::new()];
        let after = Stop::after(&[&words[0], &words[1]]);
        let bell = Arc::new(Bell::default());
        let mut wait = after.stopped();
        assert!(poll(&mut wait, &bell).is_pending());
        words[n].set(StopReason::Chord);
        assert_eq!((after.reason(), bell.rung()), (Some(StopReason::Chord), 1));
        assert_eq!(
            Stop::after(&[&words[0], &words[1]]).reason(),
            Some(StopReason::Chord),
            "too late to wait"
        );
    }
    let word = Stop::new();
    let own = Stop::after(&[&word]);
    own.set(StopReason::Person);
    assert!(!word.is_set());
    for _ in 0..100 {
        drop(Stop::after(&[&word]));
    }
    assert!(word.inner.waiting().followers.len() <= 2, "those that are gone are forgotten");
}
