//! handsight-desktop
