//! The tests of the crate from outside, one file per subject: one program, so that it is linked once.

mod classify;
mod learn;
mod utility;
