//! The manifest of every kind of release on the seam: what all kinds state in one form, and a body per kind.
//!
//! The envelope holds no time and no path, so the same job on the same input gives the same bytes. It holds no sentence either:
//! the sentence of a promise is derived from its id and its parameters wherever the promise is shown.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::manifest::{FORMAT, File};
use crate::seal::{self, ManifestError, Sealable};

/// What a release states about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// The layout of this file.
    pub format: u32,
    /// The program and its version.
    pub software: String,
    /// The id of the kind.
    pub kind: String,
    /// What holds, with the parameters of each promise.
    pub promises: Vec<Promised>,
    /// Where randomness came from.
    pub randomness: Randomness,
    /// What only this kind states; the kind and its referee agree on its form.
    pub body: Value,
    /// What attacks found before the release was published: an assessment, as the pages show it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub assessment: Value,
    /// The commands that make the release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reproduce: Vec<String>,
    /// The fingerprint of the key that signed it; absent when it is not signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// Every other file of the folder.
    pub files: Vec<File>,
    /// SHA-256 of this file with this field empty.
    pub seal: String,
}

/// A promise: which one, and with which numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promised {
    /// The id of the promise, such as `k-degree`.
    pub id: String,
    /// Its parameters, such as `k`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Value>,
    /// What the published files reach, where that is a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<f64>,
}

impl Promised {
    /// A promise without parameters.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), parameters: BTreeMap::new(), reached: None }
    }

    /// The same promise with a parameter.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// The same promise with what is reached.
    #[must_use]
    pub fn reaching(mut self, reached: f64) -> Self {
        self.reached = Some(reached);
        self
    }

    /// A parameter that is a whole number.
    pub fn whole(&self, name: &str) -> Option<u64> {
        self.parameters.get(name)?.as_u64()
    }

    /// A parameter that is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.parameters.get(name)?.as_f64()
    }

    /// A parameter that is a word.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.parameters.get(name)?.as_str()
    }
}

/// Where the randomness of a release came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Randomness {
    /// The mechanism is deterministic.
    #[default]
    None,
    /// A generator with a seed that the owner keeps; no differential privacy rests on it.
    Seeded,
    /// The operating system, through exact samplers.
    System,
}

impl Envelope {
    /// The envelope of a release of this kind, made by this version; files, signer and seal come when it is written.
    pub fn new(kind: impl Into<String>, body: Value) -> Self {
        Self {
            format: FORMAT,
            software: software(),
            kind: kind.into(),
            promises: Vec::new(),
            randomness: Randomness::None,
            body,
            assessment: Value::Null,
            reproduce: Vec::new(),
            signer: None,
            files: Vec::new(),
            seal: String::new(),
        }
    }

    /// Reads an envelope. Unknown fields are errors, and so is another format. The seal is judged by `verify`.
    ///
    /// # Errors
    /// When these bytes are not an envelope of this format.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        seal::parse(bytes)
    }

    /// The body in the form of its kind.
    ///
    /// # Errors
    /// When the body has another form.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, ManifestError> {
        T::deserialize(&self.body).map_err(|_| ManifestError::Body)
    }

    /// The envelope as it stands in its file, sealed.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn to_json_sealed(&mut self) -> Result<String, ManifestError> {
        seal::to_json_sealed(self)
    }
}

/// The program and its version, as releases state them.
pub fn software() -> String {
    format!("privet {}", env!("CARGO_PKG_VERSION"))
}

impl Sealable for Envelope {
    fn files(&mut self) -> &mut Vec<File> {
        &mut self.files
    }

    fn seal(&mut self) -> &mut String {
        &mut self.seal
    }

    fn signer(&mut self) -> &mut Option<String> {
        &mut self.signer
    }

    fn figures(&self) -> Vec<(&str, f64)> {
        self.promises.iter().filter_map(|own| Some((own.id.as_str(), own.reached?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_reads_back_as_it_was_written() {
        let mut envelope = Envelope::new("graph", serde_json::json!({ "nodes": 4, "share": 0.1 }));
        envelope.promises.push(Promised::new("k-degree").with("k", 2).reaching(2.0));
        let text = envelope.to_json_sealed().unwrap();
        let read = Envelope::parse(text.as_bytes()).unwrap();
        assert_eq!(read, envelope);
        assert_eq!(read.promises[0].whole("k"), Some(2));
        assert_eq!(crate::Manifest::seal_of(text.as_bytes()), Some(read.seal));
        assert!(Envelope::parse(text.replace("\"kind\"", "\"sort\"").as_bytes()).is_err());
    }

    #[test]
    fn a_number_that_is_not_finite_is_not_written() {
        let mut envelope = Envelope::new("graph", Value::Null);
        envelope.promises.push(Promised::new("k-degree").reaching(f64::NAN));
        assert!(envelope.to_json_sealed().is_err());
    }
}
