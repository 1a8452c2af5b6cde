//! The tests of the crate from outside, one file per subject: one program, so that it is linked once.

mod composition;
mod dimensions;
mod link;
mod linkage;
mod margins;
mod membership;
mod noise;
mod tracker;
