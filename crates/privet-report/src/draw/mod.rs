//! The larger drawings, one file each. All read without colour and have a text alternative.

pub(crate) mod bins;
pub(crate) mod distribution;
pub(crate) mod matrix;
pub(crate) mod rate;
pub(crate) mod scatter;
pub(crate) mod tree;
