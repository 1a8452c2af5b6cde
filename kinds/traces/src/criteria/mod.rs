//! Criteria of published traces, on their points alone.

mod k_delta;

pub use k_delta::{KDelta, are_within, is_k_delta_anonymous, judge_k_delta};
