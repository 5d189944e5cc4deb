//! handsight-pixel
