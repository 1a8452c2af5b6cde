//! The manifest as bytes: its one written form, its seal, and reading it back.
//!
//! The seal is the SHA-256 of `manifest.json` with an empty seal. It shows accidents and careless edits.
//! It is no signature (`signature.rs` makes those): who recomputes it can write anything, which is why `verify`
//! also recomputes what the manifest says from the published table.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::hash::sha256;
use crate::manifest::{FORMAT, File, Manifest};

/// What is wrong with the bytes of a manifest. No message holds what stands in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// Not the JSON that a release has.
    #[error("manifest.json, line {line}, column {column}: {problem}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What kind of mistake it is.
        problem: &'static str,
    },
    /// Written by another version.
    #[error(
        "manifest.json has format {found}; this program reads format {FORMAT}. Use the version of privet that made the release"
    )]
    Format {
        /// The format it says.
        found: u64,
    },
    /// The body of the manifest is not that of its kind.
    #[error(
        "manifest.json: the body does not have the form of its kind; it was changed, or another version wrote it"
    )]
    Body,
    /// A number that JSON cannot hold.
    #[error("the manifest cannot be written: {0}")]
    Unwritable(String),
}

impl ManifestError {
    /// What is wrong, for a file that may have another name.
    pub fn problem(&self) -> String {
        match self {
            Self::Syntax { line, column, problem } => format!("line {line}, column {column}: {problem}"),
            other => other.to_string(),
        }
    }
}

/// The manifest of some kind of release.
pub trait Sealable: Serialize {
    /// Where it lists the files.
    fn files(&mut self) -> &mut Vec<File>;
    /// Where it carries its seal.
    fn seal(&mut self) -> &mut String;
    /// Where it names who signs it.
    fn signer(&mut self) -> &mut Option<String>;
    /// Its numbers with a fraction, each with what it is about.
    fn figures(&self) -> Vec<(&str, f64)>;
}

/// A manifest as it stands in its file, with the seal that it has.
pub(crate) fn to_json(manifest: &impl Sealable) -> Result<String, ManifestError> {
    if let Some((what, _)) = manifest.figures().into_iter().find(|(_, value)| !value.is_finite()) {
        return Err(ManifestError::Unwritable(format!("`{what}` is not a finite number")));
    }
    let mut json =
        serde_json::to_string_pretty(manifest).map_err(|e| ManifestError::Unwritable(e.to_string()))?;
    json.push('\n');
    Ok(json)
}

/// Computes the seal and returns the manifest as it stands in its file.
pub(crate) fn to_json_sealed(manifest: &mut impl Sealable) -> Result<String, ManifestError> {
    manifest.seal().clear();
    let seal = sha256(to_json(manifest)?.as_bytes());
    *manifest.seal() = seal;
    to_json(manifest)
}

/// Reads a manifest of some kind.
pub(crate) fn parse<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, ManifestError> {
    // A newer format may have other fields, so the number is read before anything else.
    #[derive(Deserialize)]
    struct Head {
        format: u64,
    }
    if let Ok(Head { format: found }) = serde_json::from_slice(bytes)
        && found != u64::from(FORMAT)
    {
        return Err(ManifestError::Format { found });
    }
    serde_json::from_slice(bytes).map_err(|error| ManifestError::Syntax {
        line: error.line(),
        column: error.column(),
        problem: match error.classify() {
            serde_json::error::Category::Data => {
                "a field is missing, unknown, or holds something else than it should"
            }
            serde_json::error::Category::Eof => "the file ends too early",
            _ => "not valid JSON",
        },
    })
}

/// The kind of release that a manifest says it is of; none when it names none.
pub fn kind_of(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        kind: String,
    }
    serde_json::from_slice(bytes).ok().map(|Head { kind }| kind)
}

impl Sealable for Manifest {
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
        let promises = self.promises.iter().map(|p| (p.statement.as_str(), p.reached));
        let metrics = self.metrics.iter().map(|(name, &value)| (name.as_str(), value));
        let columns = self.data.columns.iter().filter_map(|c| Some((c.name.as_str(), c.recoding.as_ref()?)));
        let columns = columns.flat_map(|(name, r)| [(name, r.loss), (name, r.weight)]);
        let rest = [("classes", self.classes.mean), ("suppress_at_most", self.search.suppress_at_most)];
        promises.chain(metrics).chain(columns).chain(rest).collect()
    }
}

impl Manifest {
    /// The manifest as it stands in its file, with the seal that it has.
    ///
    /// # Errors
    /// When a number is not finite: JSON would silently turn it into `null`.
    pub fn to_json(&self) -> Result<String, ManifestError> {
        to_json(self)
    }

    /// Computes the seal and returns the manifest as it stands in its file.
    ///
    /// # Errors
    /// As [`to_json`](Self::to_json).
    pub fn to_json_sealed(&mut self) -> Result<String, ManifestError> {
        to_json_sealed(self)
    }

    /// Reads a manifest. Unknown fields are errors, and so is another format. The seal is not judged
    /// here; see [`seal_of`](Self::seal_of).
    ///
    /// # Errors
    /// When it is not a manifest of this format.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        parse(bytes)
    }

    /// The seal that these bytes of a manifest should carry; `None` when they carry none at all.
    pub fn seal_of(bytes: &[u8]) -> Option<String> {
        const FIELD: &[u8] = b"\"seal\": \"";
        let start = bytes.windows(FIELD.len()).rposition(|window| window == FIELD)? + FIELD.len();
        let length = bytes[start..].iter().position(|&b| b == b'"')?;
        let mut unsealed = bytes[..start].to_vec();
        unsealed.extend_from_slice(&bytes[start + length..]);
        Some(sha256(&unsealed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Classes, Data, Search};

    fn small() -> Manifest {
        Manifest {
            format: FORMAT,
            software: "privet 0.1.0".into(),
            kind: crate::manifest::Form::Generalized,
            data: Data {
                file: "data.csv".into(),
                format: "csv".into(),
                delimiter: Some(','),
                encoding: None,
                input_rows: 0,
                rows: 0,
                suppressed: 0,
                columns: vec![],
                removed_columns: vec![],
                equality: Default::default(),
                sensitive_tables: vec![],
                missing: None,
                sample: None,
                distorted: None,
            },
            promises: vec![],
            search: Search {
                algorithm: "optimal".into(),
                guarantee: "none is better".into(),
                minimize: "loss".into(),
                suppress_at_most: 0.1,
                lattice_nodes: Some(1),
                nodes_checked: 1,
                bound: None,
                purpose: None,
                minimal_nodes: None,
                microaggregation: None,
                anatomy: None,
                p_safe: None,
            },
            metrics: [("loss".to_owned(), 0.1 + 0.2)].into(),
            classes: Classes { count: 0, min: 0, max: 0, mean: 0.0, sizes: vec![] },
            randomness: "none".into(),
            unrepeatable: false,
            shown: crate::Shown::default(),
            signer: None,
            files: vec![],
            seal: String::new(),
        }
    }

    #[test]
    fn what_is_written_is_read_and_sealed() {
        let mut manifest = small();
        let json = manifest.to_json_sealed().unwrap();
        let read = Manifest::parse(json.as_bytes()).unwrap();
        assert_eq!(read, manifest);
        assert_eq!(read.to_json().unwrap(), json);
        assert_eq!(Manifest::seal_of(json.as_bytes()), Some(manifest.seal));
    }

    #[test]
    fn every_changed_byte_breaks_the_seal_or_the_reading() {
        let mut manifest = small();
        let json = manifest.to_json_sealed().unwrap().into_bytes();
        for at in 0..json.len() {
            let mut changed = json.clone();
            changed[at] ^= 1;
            let caught = match Manifest::parse(&changed) {
                Ok(read) => Manifest::seal_of(&changed).is_none_or(|seal| seal != read.seal),
                Err(_) => true,
            };
            assert!(caught, "byte {at}");
        }
    }

    #[test]
    fn other_formats_unknown_fields_and_infinities_are_errors() {
        let mut manifest = small();
        let json = manifest.to_json_sealed().unwrap();
        let newer = json.replacen("\"format\": 1", "\"format\": 2", 1);
        assert_eq!(Manifest::parse(newer.as_bytes()), Err(ManifestError::Format { found: 2 }));
        let more = json.replacen("\"format\": 1", "\"format\": 1, \"colour\": 2", 1);
        let error = Manifest::parse(more.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("line 2") && !error.contains("colour"), "{error}");
        manifest.metrics.insert("loss".into(), f64::INFINITY);
        assert!(manifest.to_json_sealed().is_err());
    }
}
