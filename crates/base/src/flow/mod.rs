//! What the nine stages of a turn hand to each other, one file a product.
//!
//! ```text
//! capture -> perceive -> context -> decide -> act -> settle -> verify -> record -> learn
//! Frame      Percept     Prompt     Decision  Receipt Settled   Verdict   Step      Lesson
//! ```
//!
//! Each product holds what later stages need of the one before it, and a frame's pixels end with the context stage.

pub mod action;
pub mod decision;
pub mod format;
pub mod frame;
pub mod intent;
pub mod lesson;
pub mod past;
pub mod percept;
pub mod prompt;
pub mod receipt;
pub mod settled;
pub mod step;
pub mod ui;
pub mod verdict;
