//! The tests of the crate from outside, one file per subject: one program, so that it is linked once.

mod common;
mod counts;
mod crash;
mod evidence;
mod folder;
mod golden;
mod mutations;
mod values;
