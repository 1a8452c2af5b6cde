//! `privet plan` and `privet cluster`: what runs on an engine, in builds that have engines.

use clap::Args;

use super::Shared;
use crate::exit::Failure;

/// Say what will run where, how much is read, shuffled and held; nothing is run
#[cfg(feature = "engine")]
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet plan job.toml --engine datafusion
  privet plan job.toml --explain")]
pub struct Plan {
    #[command(flatten)]
    flags: privet_engine::program::PlanFlags,
}

#[cfg(feature = "engine")]
impl Plan {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let bar = crate::progress::Bar::new(shared.quiet || shared.json);
        let text = self.flags.text(shared.threads, shared.json, &bar);
        bar.clear();
        super::print(&text?)?;
        Ok(crate::exit::DONE)
    }
}

/// Start the scheduler or an executor of a cluster
#[cfg(feature = "engine")]
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet cluster scheduler --host 10.0.0.5
  privet cluster executor --scheduler 10.0.0.5:50050 --host 10.0.0.6")]
pub struct Cluster {
    #[command(subcommand)]
    verb: privet_engine::program::ClusterVerb,
}

#[cfg(feature = "engine")]
impl Cluster {
    /// Runs it until the process is ended.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        self.verb.run(shared.threads)?;
        Ok(crate::exit::DONE)
    }
}

/// Say what will run where on an engine (this build leaves engines out: use the program privet-cluster, or build with --features engine)
#[cfg(not(feature = "engine"))]
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet-cluster plan job.toml        the program that has engines; cargo build --release -p privet-engine")]
pub struct Plan {
    /// Whatever else is asked for
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _rest: Vec<String>,
}

/// Start the scheduler or an executor of a cluster (this build leaves engines out, see plan)
#[cfg(not(feature = "engine"))]
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet-cluster scheduler            the program that has engines; cargo build --release -p privet-engine")]
pub struct Cluster {
    /// Whatever else is asked for
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _rest: Vec<String>,
}

#[cfg(not(feature = "engine"))]
impl Plan {
    /// Says how to get it.
    pub fn run(self, _shared: &Shared) -> Result<u8, Failure> {
        Err(left_out())
    }
}

#[cfg(not(feature = "engine"))]
impl Cluster {
    /// Says how to get it.
    pub fn run(self, _shared: &Shared) -> Result<u8, Failure> {
        Err(left_out())
    }
}

#[cfg(not(feature = "engine"))]
fn left_out() -> Failure {
    Failure::bad_input(
        "this build of privet leaves engines out; run the program privet-cluster, which takes the same flags (cargo build --release \
         -p privet-engine), or build this one with them (cargo build --release -p privet-cli --features engine)",
    )
}
