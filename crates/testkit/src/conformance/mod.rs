//! One suite that every desktop backend must pass.
//!
//! A check asks the desktop for something and looks through a [`Witness`] whether exactly that happened: an event nobody
//! asked for fails it. What a backend or its witness cannot do is declared by name in `Terms`, never skipped in silence.

pub mod witness;

pub use witness::Witness;
