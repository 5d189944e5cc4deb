//! The offline model: it reads the picture it is sent and answers in the dialect it was asked in.
//!
//! It gets what any vision-language model gets, the system prompt with the task, one picture and the tools, and nothing
//! else: no world, no desktop, no file, no earlier turn. The same request gives the same bytes. What it wants to remember
//! it writes into the `reason` of its call and reads off the next picture. It refuses to guess on a picture it cannot
//! read.

pub mod eye;
