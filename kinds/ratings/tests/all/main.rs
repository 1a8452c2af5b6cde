//! The tests of the kind from outside, one file per subject: one program, so that it is linked once.

mod golden;
mod properties;
mod read;
