//! Parties on this machine, with keys and a job.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use privet_parties::PartyError;
use privet_parties::compute::Product;
use privet_parties::job::{AdversarySection, ReadJob};
use privet_parties::run::Gate;
use privet_parties::session::tls::make_keys;

pub const NAMES: [&str; 3] = ["north", "south", "west"];

/// A folder with keys, tables and a job for so many parties.
pub struct Setting {
    pub folder: tempfile::TempDir,
    pub job: PathBuf,
}

impl Setting {
    pub fn new(parties: usize, session: &str, task: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut held = Vec::new();
        let mut job = format!("[session]\n{session}\n");
        for name in &NAMES[..parties] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            held.push(listener);
            let keys = make_keys(&folder.path().join(name)).unwrap();
            job += &format!(
                "[[parties]]\nname = \"{name}\"\naddress = \"{address}\"\ncertificate = \"{}\"\ninput = \"{name}.csv\"\n",
                keys.fingerprint
            );
        }
        job += task;
        let path = folder.path().join("job.toml");
        std::fs::write(&path, job).unwrap();
        Self { folder, job: path }
    }

    /// Counts of two columns, with a table for every party.
    pub fn counts(parties: usize, session: &str) -> Self {
        let task = "[columns.sex]\nvalues = [\"f\", \"m\"]\n[columns.town]\nvalues = [\"Bonn\", \"Ulm\", \"Secretville\"]\n\
            [task]\ntype = \"counts\"\ncolumns = [\"sex\", \"town\"]\n";
        let setting = Self::new(parties, session, task);
        for (place, name) in NAMES[..parties].iter().enumerate() {
            let mut table = String::from("sex,town\n");
            (0..=place).for_each(|_| table += "f,Bonn\nm,Ulm\nm,Ulm\n");
            if place == 1 {
                table += "f,Secretville\n";
            }
            std::fs::write(setting.path(&format!("{name}.csv")), table).unwrap();
        }
        setting
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn read(&self) -> ReadJob {
        ReadJob::read(&self.job).unwrap()
    }
}

/// No release is made of counts without a minimum.
pub struct NoGate;

impl Gate for NoGate {
    fn release(
        &self,
        _: &Product,
        _: Option<&toml::Table>,
        _: &AdversarySection,
        _: &Path,
        _: &dyn privet_data::Progress,
    ) -> Result<Vec<u8>, PartyError> {
        Ok(Vec::new())
    }
}
