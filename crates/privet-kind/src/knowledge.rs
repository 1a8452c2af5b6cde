//! What the adversary is assumed to know: a TOML file with a section per attack.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::error::KindError;
use crate::job::read_toml;

/// What the adversary knows.
#[derive(Debug, Clone)]
pub struct Knowledge {
    table: toml::Table,
    file: Option<PathBuf>,
    /// The seed of attacks that draw at random.
    pub seed: u64,
    /// How sure an adversary must be for a conclusion to count.
    pub confidence: f64,
}

impl Default for Knowledge {
    fn default() -> Self {
        Self { table: toml::Table::new(), file: None, seed: 1, confidence: 0.9 }
    }
}

impl Knowledge {
    /// Reads a knowledge file. Every section must be that of one of these attacks.
    ///
    /// # Errors
    /// When the file is not TOML, or a section belongs to no attack: knowledge that nobody uses is a mistake.
    pub fn read(path: &Path, attacks: &[&str]) -> Result<Self, KindError> {
        let table = read_toml(path)?;
        for key in table.keys() {
            if !attacks.contains(&key.as_str()) {
                let accepted = attacks.join("`, `");
                let problem = format!(
                    "the knowledge file has a section that no attack on this release uses; accepted: `{accepted}`"
                );
                return Err(KindError::bad_input(problem).at(path));
            }
        }
        Ok(Self { table, file: Some(path.to_owned()), ..Self::default() })
    }

    /// What a knowledge file says, for whoever checks its sections later.
    ///
    /// # Errors
    /// When the file is not TOML.
    pub fn of_file(path: &Path) -> Result<Self, KindError> {
        Ok(Self { table: read_toml(path)?, file: Some(path.to_owned()), ..Self::default() })
    }

    /// The knowledge file.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// What is known for an attack, if the file says anything about it.
    ///
    /// # Errors
    /// When the section does not have the form that the attack reads.
    pub fn section<T: DeserializeOwned>(&self, attack: &str) -> Result<Option<T>, KindError> {
        let Some(value) = self.table.get(attack) else { return Ok(None) };
        let read = value.clone().try_into().map_err(|error: toml::de::Error| {
            let error = KindError::bad_input(format!("[{attack}]: {}", error.message()));
            self.file.iter().fold(error, |error, file| error.at(file))
        });
        read.map(Some)
    }

    /// Whether the file says anything for an attack.
    pub fn has(&self, attack: &str) -> bool {
        self.table.contains_key(attack)
    }

    /// A path of the knowledge file, which is relative to the folder of that file.
    pub fn path(&self, path: &Path) -> PathBuf {
        match self.file.as_deref().and_then(Path::parent) {
            Some(base) => base.join(path),
            None => path.to_owned(),
        }
    }
}
