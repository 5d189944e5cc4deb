//! Round trips and refusals of every conversion.
