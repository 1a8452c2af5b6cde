//! `privet serve`: the page in the browser, in builds that have it.

use clap::Args;

use super::Shared;
use crate::exit::Failure;

/// Open the page in the browser: data, roles, hierarchies, promises, result, all on this machine
#[cfg(feature = "serve")]
#[derive(Debug, Args)]
pub struct Serve {
    #[command(flatten)]
    args: privet_serve::ServeArgs,
}

#[cfg(feature = "serve")]
impl Serve {
    /// Runs it until it is asked to stop.
    pub fn run(self, _shared: &Shared) -> Result<u8, Failure> {
        let options = privet_serve::Options::from(self.args);
        let told = |address: &str| {
            // why: a standard output that is closed has nobody who could open the address
            let _ = super::print(address);
        };
        match privet_serve::serve(&options, &crate::progress::is_stopping, &told) {
            Ok(()) => Ok(crate::exit::DONE),
            Err(error @ privet_serve::ServeError::Usage(_)) => Err(Failure::bad_input(error)),
            Err(error) => Err(Failure::resources(error)),
        }
    }
}

/// Open the page in the browser (this build leaves it out: use the program privet-serve, or build with --features serve)
#[cfg(not(feature = "serve"))]
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet-serve                        the program that has the page; cargo build --release -p privet-serve")]
pub struct Serve {
    /// Whatever else is asked for
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _rest: Vec<String>,
}

#[cfg(not(feature = "serve"))]
impl Serve {
    /// Says how to get it.
    pub fn run(self, _shared: &Shared) -> Result<u8, Failure> {
        Err(Failure::bad_input(
            "this build of privet leaves the page out; run the program privet-serve, which takes the same flags (cargo build --release \
             -p privet-serve), or build this one with it (cargo build --release --features serve)",
        ))
    }
}
