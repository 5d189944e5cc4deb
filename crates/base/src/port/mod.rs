//! The ports: what the engine needs from outside, as object-safe traits.
//!
//! Every port has at least two implementations, one of them a fake. Whatever has an effect takes an
//! [`Approved`](crate::gate::Approved) value; whatever may block takes a [`Stop`](crate::stop::Stop).

pub mod clock;
pub mod desktop;
pub mod dialect;
pub mod model;
pub mod perceiver;

use std::future::Future;
use std::pin::Pin;

/// What an object-safe async method returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
