//! The tests of the crate from outside, one file per subject: one program, so that it is linked once.

mod check;
mod counts;
mod owner;
mod page;
mod samples;
mod style;
