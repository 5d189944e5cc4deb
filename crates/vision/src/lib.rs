//! handsight-vision
