//! Who serves a model, and how it is spoken to.
//!
//! A *provider* is a TOML file (`providers/`), a *wire* is the JSON of an HTTP API (`wire/`), a *dialect* is how a model writes
//! what it wants (`dialect/`). [`Remote`] joins a provider and a wire into the [`Model`] port; [`Scripted`] and [`Recorded`]
//! are models without a network; [`Retrying`] waits and asks again; [`Metered`] reserves what a
//! call may cost before it is made.
//!
//! This crate reads no environment, prints nothing and starts no thread: keys, addresses and files come in as values. It never
//! turns a broken reply into a usable one, and no text that leaves it holds a key.
//!
//! [`Model`]: handsight_base::port::model::Model

pub mod cassette;
pub mod count;
pub mod dialect;
pub mod endpoint;
mod fitting;
mod heal;
mod http;
mod limiter;
mod metered;
pub mod probe;
pub mod provider;
pub mod recorded;
pub mod reference;
mod remote;
mod retry;
pub mod scripted;
mod secret;
mod stream;
mod usage;
pub mod wire;

pub use dialect::DIALECTS;
pub use endpoint::Endpoint;
pub use heal::Healing;
pub use http::Deadlines;
pub use limiter::Limiter;
pub use metered::{Account, Metered};
pub use provider::{PROVIDERS, Provider, Providers, SetupError};
pub use recorded::{Recorded, Recording};
pub use reference::{ModelRef, ModelRole, OFFLINE};
pub use remote::{Remote, Setup};
pub use retry::{RetryPolicy, Retrying};
pub use scripted::Scripted;
pub use secret::Secret;
pub use usage::{AtMost, LongPrice, Price, Tariff};
