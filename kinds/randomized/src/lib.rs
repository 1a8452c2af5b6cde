//! Randomized records: with a noise model that is published with them, swapped, or synthetic.
//!
//! ```
//! use privet_data::Silent;
//! use privet_randomized::randomize::{RandomizeJob, RandomizeOptions, randomize};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("people.csv"), "smokes\nyes\nno\nno\nyes\nno\n")?;
//! let job = folder.path().join("job.toml");
//! std::fs::write(&job, "[input]\npath = \"people.csv\"\n[columns.smokes]\nrole = \"sensitive\"\nperturb = { response = \"warner\", p = 0.8 }\n")?;
//! let job = RandomizeJob::read(&job, &[])?;
//! let options = RandomizeOptions { base: folder.path().to_owned(), ..RandomizeOptions::default() };
//! assert_eq!(randomize(&job, &options, &Silent)?.records, 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answer;
mod assess;
pub mod judge;
mod layouts;
pub mod randomize;
pub mod reconstruct;

use privet_microdata::{adversary, candidate as run, error, job, load, overwrite, publish};

pub use assess::attack_made;
pub use layouts::{read_changed, read_noise};
