//! The one integration binary.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a broken rig should end the test where it breaks"
)]

mod conformance;
mod episode;
mod old_ways;
mod rig;
mod wrong;
