//! The tests of the crate from outside, one file per subject: one program, so that it is linked once.

mod answers;
mod buckets;
mod counts;
mod golden;
mod mutations;
mod p_safe;
mod papers;
mod peer_optima;
mod referee;
mod resealed;
mod values;
