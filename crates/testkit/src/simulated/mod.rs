//! What a run in virtual time needs around it: a clock that moves only when everybody waits ([`time`]), a desktop whose calls
//! go wrong when a test says so ([`desktop`]), and death without a process.
//!
//! Nothing here draws lots: whoever simulates decides, from a seed, so that a run can be repeated.

pub mod desktop;
pub mod time;

/// What [`die`] throws.
#[derive(Debug, Clone, Copy)]
pub struct Death;

/// The process ends here, as far as one within a process can: the thread unwinds without a word, and nobody gets an answer.
pub fn die() -> ! {
    std::panic::resume_unwind(Box::new(Death))
}
