//! Releases that change no value of a record: counts, samples, and records whose sensitive values are published apart
//! from the rest.
//!
//! | file | what is published | guarantee |
//! | --- | --- | --- |
//! | `anatomy` | quasi values as they are, sensitive values per bucket (survey ME-13) | the criteria hold in every bucket, and nobody's value is likelier than 1/l |
//! | `merging` | | the same where buckets of l records do not satisfy the criteria |
//! | `dealing` | | the same with buckets that are like the table |
//! | `judge` | | whether a bucket keeps all that |
//! | `buckets` | the same for a partition of another method | the criteria hold in every bucket |
//! | `given` | the same for a partition that somebody gives | besides, no bucket tells a value that no criterion is about |
//! | `views` | counts over several sets of columns (survey ME-14) | the criteria hold in every view |
//! | `combined` | what all views imply together (survey AT-06) | exact bounds of every joint cell |
//! | `margins` | | the same from published counts alone |
//! | `count_table`, `protection` | one table of counts with its totals (survey ME-02) | no small count can be told from the rest |
//! | `attack` | | what an outsider can compute from a table with suppressed cells |
//! | `sampling` | a part of the records (survey ME-15) | every part of its size is equally likely |
//!
//! None of these hides who is in the table: where quasi values are published as they are, presence can be linked.

mod anatomy;
mod attack;
mod boxes;
mod buckets;
mod combined;
mod count_table;
mod dealing;
mod fitting;
mod given;
mod judge;
mod junction;
mod margins;
mod merging;
mod program;
mod protection;
mod sampling;
mod views;

pub use anatomy::Anatomy;
pub use attack::{Interval, Published, attack_interval};
pub use buckets::{Buckets, SensitiveTable, bucketize};
pub use combined::{Bounds, Combined, Inference, JointColumn, Method};
pub use count_table::CountTable;
pub use given::GivenBuckets;
pub use margins::{Margin, combined_margins, joint_cells};
pub use protection::{CellState, Protected, Protection, Suppression};
pub use sampling::{Sampling, SamplingKind};
pub use views::{View, ViewCheck, ViewKind, ViewTable, Views};
