//! Approvals: bound, consumed, refused.
