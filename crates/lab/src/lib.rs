//! The judge of every profile: suites of cases, the controls that run beside a model, checkers, scores and the report.
//!
//! A suite is data ([`suite`]). For each of its cases, seeds and players ([`eval`]) `app` plays one ordinary run, through the same
//! engine, gate and hands whoever plays; a checker ([`check`]) or the world itself says what came of it, never the model. Three
//! controls ([`control`]) prove that the suite measures something: who does nothing must win nothing, who knows the way must win
//! everything, and who does anything shows what chance is worth.
//!
//! Nothing here looks at what a model thinks, repairs a verdict afterwards, or counts what could not be judged as a success or a
//! failure. The crate prints nothing and reads no environment; it starts only the programs that a case names.

pub mod check;
pub mod control;
pub mod document;
pub mod eval;
pub mod kept;
pub mod report;
pub mod score;
pub mod stage;
pub mod stats;
pub mod suite;
pub mod table;
