//! The gate before condensed records are handed over: they are attacked beside what they were made from, and nothing is written
//! above a limit, or where what is asked for cannot be tried.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use privet_data::{Cells, Column, Domain, Table};
use privet_job::assess::{AttackOptions, Condensed, gate_condensed};
use privet_report::{Assessment, NotMade};

use crate::exit::Failure;
use crate::progress::Bar;

/// Which attacks the records must stand, as `privet attack` has it.
#[derive(Debug, Args)]
pub struct Gate {
    /// The attacks to make before anything is written, separated by commas (default: those that take seconds)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    attacks: Option<Vec<String>>,
    /// What the adversary knows (a TOML file with [people], [control] or [risks])
    #[arg(long, value_name = "FILE")]
    knowledge: Option<PathBuf>,
    /// How sure the adversary must be of a class for it to count as learned
    #[arg(long, value_name = "SHARE", default_value_t = 0.9)]
    confidence: f64,
    /// Write nothing when the records add more than this share of people to those about whom an attack is sure and right without
    /// them, as far as a control tells that
    #[arg(long, value_name = "SHARE")]
    max_risk: Option<f64>,
    /// Write nothing when an attack is sure and right about more than this share of people
    #[arg(long, value_name = "SHARE")]
    max_absolute_risk: Option<f64>,
}

impl Gate {
    /// Refuses flags that a stream cannot keep.
    pub fn must_be_unasked(&self) -> Result<(), Failure> {
        let asked = [
            ("--attacks", self.attacks.is_some()),
            ("--knowledge", self.knowledge.is_some()),
            ("--max-risk", self.max_risk.is_some()),
            ("--max-absolute-risk", self.max_absolute_risk.is_some()),
        ];
        match asked.iter().find(|own| own.1) {
            None => Ok(()),
            Some((flag, _)) => Err(Failure::bad_input(format!(
                "{flag} does not go with --stream: its records are written as groups fill, and no table is kept to attack them \
                 beside. Condense the whole table, or attack what was written with `privet attack`"
            ))),
        }
    }

    /// The knowledge file, which is not to be written over.
    pub fn knowledge(&self) -> Option<&Path> {
        self.knowledge.as_deref()
    }

    /// Attacks records that are about to be written.
    pub fn pass(&self, made: &Condensed<'_>, bar: &Bar) -> Result<Assessment, Failure> {
        let words =
            |words: &Vec<String>| words.iter().map(|word| word.trim().to_owned()).collect::<Vec<String>>();
        let options = AttackOptions {
            attacks: self.attacks.as_ref().map(words),
            knowledge: self.knowledge.clone(),
            confidence: self.confidence,
            max_risk: self.max_risk,
            max_absolute_risk: self.max_absolute_risk,
            seed: 1,
            ..AttackOptions::default()
        };
        gate_condensed(made, &options, bar).map_err(|error| {
            let failure = Failure::from(error);
            // What a job file would say with a key.
            Failure { message: failure.message.replace("`adversary.", "`--"), ..failure }
        })
    }
}

/// Why records of a stream are not attacked.
pub fn of_a_stream() -> NotMade {
    NotMade::new(
        "all attacks",
        "the records of a stream are written as groups fill, and no table is kept to attack them beside; attack what was \
              written with `privet attack`",
    )
}

/// A table of these columns: per column its name, and its cells.
pub fn table(columns: Vec<(&str, Vec<String>)>) -> Table {
    let rows = columns.first().map_or(0, |own| own.1.len());
    let column = |(name, cells): (&str, Vec<String>)| {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut values: Vec<Box<str>> = Vec::new();
        let codes: Vec<u32> = (cells.into_iter())
            .map(|cell| {
                *numbers.entry(cell).or_insert_with_key(|cell| {
                    values.push(cell.as_str().into());
                    values.len() as u32 - 1
                })
            })
            .collect();
        let (domain, code_of) = Domain::canonical(values, str::is_empty);
        // cannot fail: every code is the position of a value
        let codes = codes.into_iter().map(|code| code_of[code as usize]).collect();
        Column { name: name.to_owned(), codes, domain, cells: Cells::Plain }
    };
    Table { columns: columns.into_iter().map(column).collect(), rows }
}
