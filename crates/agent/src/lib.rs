//! handsight-agent
