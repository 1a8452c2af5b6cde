//! Against minimality (survey ME-17): what is done to what is published.

pub(crate) mod distort;
pub(crate) mod p_safe;

pub(crate) use privet_microdata::countermeasure::*;
