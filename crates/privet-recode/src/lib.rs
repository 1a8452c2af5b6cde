//! Mechanisms that keep records truthful: generalization over lattices.
#![forbid(unsafe_code)]
