//! The tests of the crate from outside, one file per subject: one program, so that it is linked once.

mod condensed;
mod graph;
mod private;
mod randomized;
mod ratings;
mod records;
mod sets;
mod stories;
mod toy;
mod traces;
