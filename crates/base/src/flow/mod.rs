//! What the nine stages of a turn hand to each other, one file a product.
//!
//! ```text
//! capture -> perceive -> context -> decide -> act -> settle -> verify -> record -> learn
//! Frame      Percept     Prompt     Decision  Receipt Settled   Verdict   Step      Lesson
//! ```

pub mod frame;
