//! Three hospitals that do not exist, with keys, a job and their patients, for `privet party demo`.

use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use crate::error::PartyError;
use crate::random::Generator;
use crate::session::tls::make_keys;

/// The parties of the demo.
pub const NAMES: [&str; 3] = ["north", "south", "west"];

/// Writes keys, tables and a job into a folder that is new or holds an earlier demo; the path of the job.
///
/// # Errors
/// When the folder holds something else, or cannot be written.
pub fn write_demo(folder: &Path, patients: usize, seed: u64) -> Result<PathBuf, PartyError> {
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
    let mut job = String::from("# The same file for all three hospitals.\n[session]\nconnect-seconds = 30\n");
    for (place, name) in NAMES.iter().enumerate() {
        let unusable = |error| PartyError::Network { what: "no free port".to_owned(), error };
        let listener = TcpListener::bind("127.0.0.1:0").map_err(unusable)?;
        let address = listener.local_addr().map_err(unusable)?;
        held.push(listener);
        let keys = make_keys(&folder.join(name))?;
        std::fs::write(folder.join(format!("{name}.csv")), table(patients, seed, place)).map_err(failed)?;
        // why: writing to a string cannot fail
        let _ = write!(
            job,
            "\n[[parties]]\nname = \"{name}\"\naddress = \"{address}\"\ncertificate = \"{}\"\ninput = \"{name}.csv\"\noutput = \"{name}-result\"\n",
            keys.fingerprint
        );
    }
    job += JOB;
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
