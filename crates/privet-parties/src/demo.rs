//! Owners that do not exist, with keys, a job and their people, for `privet party demo`: three hospitals that want one table, or two hospitals
//! and a registry that want diagnoses by exposures.

use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use crate::error::PartyError;
use crate::random::Generator;
use crate::session::tls::make_keys;

/// What a demo shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Story {
    /// Three hospitals and one k-anonymous table.
    Table,
    /// Two hospitals and a registry, and counts of diagnoses by exposures.
    Association,
}

impl Story {
    /// The parties of the demo.
    pub fn names(self) -> [&'static str; 3] {
        match self {
            Self::Table => ["north", "south", "west"],
            Self::Association => ["north", "south", "registry"],
        }
    }
}

/// Writes keys, tables and a job into a folder that is new or holds an earlier demo; the path of the job.
///
/// # Errors
/// When the folder holds something else, or cannot be written.
pub fn write_demo(folder: &Path, patients: usize, seed: u64, story: Story) -> Result<PathBuf, PartyError> {
    let mark = folder.join("privet-party-demo");
    let failed = |error| PartyError::io(folder, "cannot be written", error);
    if folder.exists() {
        if !mark.exists() {
            let error = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
            return Err(PartyError::io(folder, "holds something else than an earlier demo", error));
        }
        std::fs::remove_dir_all(folder).map_err(failed)?;
    }
    std::fs::create_dir_all(folder).map_err(failed)?;
    std::fs::write(&mark, "Made by `privet party demo`, which replaces this folder.\n").map_err(failed)?;
    // Addresses that are free now; held until all are chosen, so that none is chosen twice.
    let mut held = Vec::new();
    let mut job = String::from("# The same file for all three parties.\n[session]\nconnect-seconds = 30\n");
    for (place, name) in story.names().iter().enumerate() {
        let unusable = |error| PartyError::Network { what: "no free port".to_owned(), error };
        let listener = TcpListener::bind("127.0.0.1:0").map_err(unusable)?;
        let address = listener.local_addr().map_err(unusable)?;
        held.push(listener);
        let keys = make_keys(&folder.join(name))?;
        let table = match story {
            Story::Table => table(patients, seed, place),
            Story::Association => linked_table(patients, seed, place),
        };
        std::fs::write(folder.join(format!("{name}.csv")), table).map_err(failed)?;
        // why: writing to a string cannot fail
        let _ = write!(
            job,
            "\n[[parties]]\nname = \"{name}\"\naddress = \"{address}\"\ncertificate = \"{}\"\ninput = \"{name}.csv\"\noutput = \"{name}-result\"\n",
            keys.fingerprint
        );
    }
    job += match story {
        Story::Table => JOB,
        Story::Association => ASSOCIATION,
    };
    let path = folder.join("job.toml");
    std::fs::write(&path, job).map_err(failed)?;
    Ok(path)
}

const JOB: &str = r#"
[columns.age]
range = [0, 100]
step = 5
[columns.sex]
values = ["f", "m"]
[columns.postcode]
values = ["1011", "1012", "1021", "1022", "2011", "2012"]
hierarchy = { mask = "right" }
[columns.diagnosis]
values = ["asthma", "diabetes", "flu", "fracture", "hypertension"]

[task]
type = "table"
quasi = ["age", "sex", "postcode"]
sensitive = "diagnosis"
k = 10

[adversary]
max-risk = 0.05
"#;

const ASSOCIATION: &str = r#"
[columns.diagnosis]
values = ["asthma", "fibrosis", "fracture"]
parties = ["north", "south"]
[columns.exposure]
values = ["none", "dust", "solvent"]
party = "registry"

[task]
type = "counts"
identifier = "person"
columns = ["diagnosis", "exposure"]

[privacy]
min-count = 10
"#;

/// The exposure of a person, the same whoever asks.
fn exposure(seed: u64, person: u64) -> usize {
    Generator::new((u128::from(seed) << 64 | 1 << 32 | u128::from(person)).to_le_bytes()).below(3) as usize
}

/// A hospital's patients, or the people whom the registry knows. Every hospital treats its own part of the country, and the registry has two
/// of three people in it.
fn linked_table(patients: usize, seed: u64, place: usize) -> String {
    let mut generator = Generator::new((u128::from(seed) << 64 | place as u128).to_le_bytes());
    let count = patients as u64;
    if place == 2 {
        let mut text = String::from("person,exposure\n");
        for person in (0..2 * count).filter(|_| generator.below(3) < 2) {
            // why: writing to a string cannot fail
            let _ = writeln!(text, "p{person},{}", ["none", "dust", "solvent"][exposure(seed, person)]);
        }
        return text;
    }
    let mut text = String::from("person,diagnosis\n");
    for person in place as u64 * count..(place as u64 + 1) * count {
        // Dust makes fibrosis likelier.
        let is_fibrosis = generator.below(10) < if exposure(seed, person) == 1 { 6 } else { 2 };
        let diagnosis =
            if is_fibrosis { "fibrosis" } else { ["asthma", "fracture"][generator.below(2) as usize] };
        // why: writing to a string cannot fail
        let _ = writeln!(text, "p{person},{diagnosis}");
    }
    text
}

/// A hospital's patients.
fn table(patients: usize, seed: u64, place: usize) -> String {
    let mut generator = Generator::new((u128::from(seed) << 64 | place as u128).to_le_bytes());
    let mut text = String::from("age,sex,postcode,diagnosis\n");
    let postcodes = ["1011", "1012", "1021", "1022", "2011", "2012"];
    let diagnoses = ["asthma", "diabetes", "flu", "fracture", "hypertension"];
    for _ in 0..patients {
        let age = (generator.below(50) + generator.below(50)).min(99);
        let sex = ["f", "m"][generator.below(2) as usize];
        // Each hospital has most of its patients from its own part of the country.
        let spread = 2 + generator.below(5);
        let near = (2 * place as u64 + generator.below(spread)) % 6;
        let diagnosis = diagnoses[generator.below(5) as usize];
        // why: writing to a string cannot fail
        let _ = writeln!(text, "{age},{sex},{},{diagnosis}", postcodes[near as usize]);
    }
    text
}
