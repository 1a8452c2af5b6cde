//! How good a release is: utility metrics.
#![forbid(unsafe_code)]
