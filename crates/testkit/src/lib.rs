//! handsight-testkit
