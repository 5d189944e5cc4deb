//! The binary as a person or a script meets it: arguments in, lines, files and an exit code out.
//!
//! Every test starts the real binary with a cleared environment and a home of its own. What it did is read from its output, from
//! files, from a model server's own log or an independent X client, never from its bookkeeping.

mod command_line;
mod handsight;
mod profiles;
