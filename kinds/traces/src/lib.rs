//! Traces of moving people: what can be published, and who is found all the same (survey 8.3).
//!
//! ```
//! use privet_traces::{parse_time, time_text};
//!
//! assert_eq!(parse_time("2011-02-03T08:34:04+01:00"), parse_time("2011-02-03 07:34:04"));
//! assert_eq!(time_text(86_401), "1970-01-02T00:00:01Z");
//! ```
#![forbid(unsafe_code)]

mod anonymize;
pub mod attack;
mod cells;
mod cloak;
mod criteria;
pub mod distance;
mod error;
mod flows;
mod generalize;
pub mod generate;
mod geo_indistinguishability;
mod kind;
pub mod measure;
mod plane;
mod point;
mod prepare;
mod query;
mod read;
mod time;
mod traces;
mod unlink;

pub use anonymize::{
    ClusterOptions, Clusters, Grouped, Metric, NeverWalkAlone, TraceChanges, Translated, WaitForMe, greedy,
    never_walk_alone, translate, wait_for_me,
};
pub use cells::{Cell, Tiling};
pub use cloak::{
    Cloaked, Cloaks, Crowd, Descent, Pyramid, PyramidProfile, Region, Threat, hilbert_buckets, judge_cloaks,
    quadtree,
};
pub use criteria::{KDelta, are_within, is_k_delta_anonymous, judge_k_delta};
pub use error::TraceError;
pub use flows::{Flow, PrivateFlows, ends_of_trips, quiet_threshold};
pub use generalize::{Generalize, Generalized, GeneralizedRecord, Unit, Visit, generalize, record_labels};
pub use geo_indistinguishability::{PlanarLaplace, Prior};
pub use kind::{Cloaking, Crowding, Form, Method, OriginalTraces, PublishedTraces, TracesKind};
pub use plane::{Degrees, Plane};
pub use point::{LARGEST_COORDINATE, Point, Position, UNITS_PER_METRE, between};
pub use prepare::{Cut, TripOptions, sample_all, sampled, trips};
pub use query::Places;
pub use read::{PointColumns, SameTime, TraceOptions, read, recognize};
pub use time::{LARGEST_TIME, day_and_weekend, parse_time, second_of, time_text};
pub use traces::{Cleaning, Labels, Traces, position_at};
pub use unlink::{
    Link, MOST_EXACT, MixZone, MixZones, Motion, PathCloaking, Posterior, Segments, Swapped, mix_zones,
    path_cloaking, successors, swap_segments,
};
