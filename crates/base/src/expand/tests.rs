//! Every action as its primitives.
