//! handsight-store
