//! `privet mine patterns`: frequent patterns that tell of no few people.

use std::path::PathBuf;

use clap::Args;
use privet::models::{Closing, PatternOptions, SafePatterns, safe_patterns};

use super::query::can_be_written;
use super::{Shared, grouped, mine, print, print_json};
use crate::exit::{DONE, Failure};
use crate::progress::Bar;

#[derive(Debug, Args)]
pub struct Patterns {
    /// The baskets: a text with one per line
    baskets: PathBuf,
    /// What makes a pattern frequent: a number of baskets, or a share below 1
    #[arg(long, value_name = "NUMBER")]
    support: f64,
    /// The baskets that every pattern that follows from the supports must have, or none
    #[arg(short, value_name = "K")]
    k: u64,
    /// What is done where fewer have one: add (raise supports, as if k more had it) or leave-out (patterns and all that contain them)
    #[arg(long, value_name = "NAME", default_value = "leave-out", value_parser = closing)]
    close: Closing,
    /// Between the items of a basket (default: blanks)
    #[arg(long, value_name = "CHARACTER")]
    separator: Option<char>,
    /// Where the patterns go: a CSV that is not there yet
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

fn closing(word: &str) -> Result<Closing, String> {
    let found = serde_json::from_value(serde_json::Value::from(word));
    found.map_err(|_| "accepted: add, leave-out".to_owned())
}

/// Patterns beyond which it is an error.
const MOST: usize = 5_000_000;

/// Runs it.
pub fn run(own: &Patterns, shared: &Shared) -> Result<u8, Failure> {
    can_be_written(&own.output)?;
    let text = mine::text_of(&own.baskets)?;
    let options = PatternOptions { support: own.support, k: own.k, closing: own.close, limit: MOST };
    let bar = Bar::new(shared.quiet || shared.json);
    let found = safe_patterns(&text, own.separator, &options, &bar)?;
    bar.clear();
    mine::write(&own.output, &found.text)?;
    if shared.json {
        print_json(&found)?;
    } else if !shared.quiet {
        print(&told(&found, own))?;
    }
    Ok(DONE)
}

fn told(found: &SafePatterns, own: &Patterns) -> String {
    let mut text = format!(
        "{} patterns have a support of {} baskets. ",
        grouped(found.frequent as u64),
        grouped(found.support)
    );
    text.push_str(&match found.fewest {
        None => format!("No pattern of fewer than {} baskets follows from their supports.\n", found.k),
        Some(fewest) => format!(
            "{} patterns of fewer than {} baskets followed from their supports, the rarest of {fewest}.\n",
            grouped(found.channels as u64),
            found.k
        ),
    });
    text.push_str(&match own.close {
        Closing::Add => {
            format!("Supports were raised by {:.2} % in all; none follows any more.\n", 100.0 * found.raised)
        }
        Closing::LeaveOut => format!("{} patterns were left out; none follows any more.\n", found.left_out),
    });
    text + &format!("{} patterns are in {}.", grouped(found.patterns as u64), own.output.display())
}
