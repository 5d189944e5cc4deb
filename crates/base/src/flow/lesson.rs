//! What a turn left for later turns: in `stateless` the reason for the HUD, and nothing else.

use super::step::Step;

#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    pub step: Step,
    /// Replaces the carried text; `None` keeps it.
    pub carry: Option<String>,
}
