//! handsight-model
