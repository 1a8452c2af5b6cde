//! `manifest.json` of a perturbed release: records whose values were changed by chance, and the law of that chance.
//!
//! The law is published because everything that can be learned from the records rests on it (survey ME-19 to ME-27); who
//! knows it and one column learns no more of a person's value than what [`Amplification`] says. The seed, when one was fixed, is
//! not in it. A [`ModelFile`] is the same law without records, for respondents who perturb their answers themselves.
//!
//! Swapped and synthetic records have no such law: they say how they were made in [`Swap`] and [`Synthesis`].

mod change;
mod items;
mod open;
mod promise;
mod swap;
mod synthetic;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::manifest::{FORMAT, File};
use crate::seal::{self, Sealable};
use crate::{ManifestError, Shown};
pub use change::Change;
use change::Layout;
pub use items::{Items, SELECT_A_SIZE};
pub use open::{PublishedPerturbed, PublishedRecords};
pub(crate) use promise::together;
pub use promise::{INVARIANT_PRAM, Open, figures_of};
pub use swap::{Swap, SwapWay, SwappedColumn};
pub use synthetic::{CombinationRule, MISSING_BEFORE, MODELS, Synthesis, SyntheticColumn};

/// The word for this kind of release.
pub const PERTURBED: &str = "perturbed";

/// The word for a model without records.
pub const MODEL: &str = "perturbation-model";

/// What people may have believed before, for which a manifest says what they can come to believe.
pub const PRIORS: [f64; 4] = [0.01, 0.05, 0.1, 0.5];

/// What a perturbed release says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Layout", into = "Layout")]
pub struct PerturbedManifest {
    /// The layout of this file.
    pub format: u32,
    /// The program and its version.
    pub software: String,
    /// `perturbed`.
    pub kind: String,
    /// The published table.
    pub data: PerturbedData,
    /// The law of each column.
    pub model: Model,
    /// How the values were changed.
    pub change: Change,
    /// Where randomness came from: `operating-system`, or `fixed-seed` when a seed was given, which is kept secret.
    pub randomness: String,
    /// What the pages show beside all this.
    pub shown: Shown,
    /// The fingerprint of the key that signed it; absent when it is not signed.
    pub signer: Option<String>,
    /// Every other file of the folder.
    pub files: Vec<File>,
    /// SHA-256 of this file with this field empty.
    pub seal: String,
}

/// The published table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerturbedData {
    /// The file; of several copies the first.
    pub file: String,
    /// `csv`, `parquet` or `arrow`.
    pub format: String,
    /// CSV: the delimiter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// CSV: `latin-1`, or UTF-8 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Records, in each file; all of the input unless they are synthetic.
    pub rows: u64,
    /// Perturbed or swapped columns with missing values, which stay missing: how many.
    pub missing: BTreeMap<String, u64>,
    /// Names of input columns that are not published.
    pub removed_columns: Vec<String>,
}

/// The laws of the columns that are published, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Cells that mean "not known". Where they are no value of the column's domain they come out as the empty cell.
    pub missing: Vec<String>,
    /// The columns.
    pub columns: Vec<ModelColumn>,
    /// The most by which all columns together change the odds of anything about a record; absent when a column is
    /// published as it was, has noise, or promises no γ.
    #[serde(default)]
    pub gamma: Option<f64>,
}

/// A column and its law.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelColumn {
    /// Its name.
    pub name: String,
    /// `quasi`, `sensitive` or `insensitive`.
    pub role: String,
    /// How it is perturbed; absent for a column that is published as it was, or that another method than `columns` changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perturbation: Option<Perturbation>,
}

/// How a column is perturbed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Perturbation {
    /// Each value of a domain becomes any value of it with a known probability.
    Categories(Categories),
    /// Noise comes upon numbers or dates.
    Noise(NoiseColumn),
    /// Items of a set are left out and others are added.
    Items(Items),
}

/// A column of categories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Categories {
    /// `warner`, `innocuous`, `retention`, `gamma-diagonal`, `invariant-pram` or `matrix`.
    pub mechanism: String,
    /// All values that can go in and come out.
    pub values: Vec<String>,
    /// Where the values are from: `declared`, `hierarchy`, or `data` when they are those that occur in the input.
    pub domain: String,
    /// The probabilities.
    pub law: CategoryLaw,
    /// What it protects.
    pub protects: Amplification,
}

/// Probabilities of what each value becomes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CategoryLaw {
    /// A value is kept with this probability, and otherwise replaced by any of the domain, itself included, evenly.
    Retention(f64),
    /// Row u, column v: the probability that value u becomes value v.
    Matrix(Vec<Vec<f64>>),
}

/// What anyone can come to believe of an original by this column alone (survey PM-15, PM-16).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amplification {
    /// The most by which this column alone changes the odds of anything about its original; absent when there is no
    /// bound, or the law was made from the data ([`Categories::open`]).
    pub gamma: Option<f64>,
    /// From which belief to which at most.
    pub beliefs: Vec<Belief>,
}

/// Who believed something of an original with probability `prior` believes it with at most `posterior` after seeing
/// this column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Belief {
    /// Before.
    pub prior: f64,
    /// Afterwards, at most.
    pub posterior: f64,
}

/// A column of numbers or dates with noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseColumn {
    /// How the noise comes upon the value.
    pub way: NoiseWay,
    /// Its law; the mean is 0.
    pub law: NoiseLaw,
    /// Its standard deviation, of dates in days; of the factor 1 + noise when multiplicative; absent when correlated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// Correlated: the covariance of the noise is this many times that of the originals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// The values are dates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dates: bool,
    /// Published values are rounded to multiples of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Published values are rounded to so many figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<u32>,
    /// Between which numbers (of dates: days since 1970-01-01) the originals lie, where that was declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// What all originals are multiples of, where that is told: 1 for whole numbers and dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<f64>,
    /// Additive: who knows nothing else can say that the original lies in an interval of this width with confidence
    /// 95 %, and in none that is narrower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<f64>,
}

/// How noise comes upon a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseWay {
    /// It is added, independently for each value.
    Additive,
    /// The value is multiplied by 1 + noise.
    Multiplicative,
    /// It is added, and correlated between columns as the originals are. All columns with it belong together.
    Correlated,
}

/// The law of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseLaw {
    /// Normal.
    Gaussian,
    /// Even between two ends.
    Uniform,
}

impl NoiseLaw {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            NoiseLaw::Gaussian => "gaussian",
            NoiseLaw::Uniform => "uniform",
        }
    }
}

impl Model {
    /// Its numbers with a fraction, each with the column it is about.
    fn figures(&self) -> Vec<(&str, f64)> {
        let mut figures = Vec::new();
        for column in &self.columns {
            let mut put = |value: f64| figures.push((column.name.as_str(), value));
            match &column.perturbation {
                None => {}
                Some(Perturbation::Categories(own)) => {
                    match &own.law {
                        CategoryLaw::Retention(keep) => put(*keep),
                        CategoryLaw::Matrix(rows) => rows.iter().flatten().copied().for_each(&mut put),
                    }
                    own.protects.gamma.into_iter().for_each(&mut put);
                    own.protects.beliefs.iter().flat_map(|b| [b.prior, b.posterior]).for_each(put);
                }
                Some(Perturbation::Items(own)) => {
                    own.keep.iter().copied().chain([own.add]).for_each(&mut put);
                    own.protects.gamma.into_iter().for_each(&mut put);
                    own.protects.beliefs.iter().flat_map(|b| [b.prior, b.posterior]).for_each(put);
                }
                Some(Perturbation::Noise(own)) => {
                    let numbers = [own.deviation, own.factor, own.step, own.interval_95];
                    numbers.into_iter().flatten().chain(own.range.into_iter().flatten()).for_each(put);
                }
            }
        }
        figures.extend(self.gamma.map(|gamma| ("gamma", gamma)));
        figures
    }
}

impl Sealable for PerturbedManifest {
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
        let mut figures = self.model.figures();
        match &self.change {
            Change::Laws => {}
            Change::Swapped(swap) => figures.extend(swap.figures()),
            Change::Synthetic(synthesis) => figures.extend(synthesis.figures()),
        }
        figures
    }
}

impl PerturbedManifest {
    /// Why nothing can be estimated from the laws of its columns: it has none.
    pub fn lawless(&self) -> Option<&'static str> {
        match self.change {
            Change::Laws => None,
            Change::Swapped(_) => Some(
                "its records were swapped, and what was swapped cannot be computed back; read its table with your own tools",
            ),
            Change::Synthetic(_) => Some(
                "its records are synthetic; analyse each of its tables with your own tools and combine the estimates with \
                 `privet combine`",
            ),
        }
    }

    /// The files of the published table: all copies, where there are several.
    pub fn tables(&self) -> Vec<&str> {
        match &self.change {
            Change::Synthetic(own) if !own.copies.is_empty() => {
                own.copies.iter().map(String::as_str).collect()
            }
            _ => vec![&self.data.file],
        }
    }

    /// The manifest as it stands in its file, with the seal that it has.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn to_json(&self) -> Result<String, ManifestError> {
        seal::to_json(self)
    }

    /// Computes the seal and returns the manifest as it stands in its file.
    ///
    /// # Errors
    /// As [`to_json`](Self::to_json).
    pub fn to_json_sealed(&mut self) -> Result<String, ManifestError> {
        seal::to_json_sealed(self)
    }

    /// Reads a manifest. Unknown fields are errors, and so is another format.
    ///
    /// # Errors
    /// When it is not a manifest of this format.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        seal::parse(bytes)
    }
}

/// Why a manifest is no model.
const NO_LAW: &str = "swapped and synthetic releases have no law by which records could be perturbed";

/// A model without records: what respondents are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// The layout of this file.
    pub format: u32,
    /// The program and its version.
    pub software: String,
    /// `perturbation-model`.
    pub kind: String,
    /// The laws.
    pub model: Model,
}

impl ModelFile {
    /// The file of a model.
    pub fn new(software: impl Into<String>, model: Model) -> Self {
        Self { format: FORMAT, software: software.into(), kind: MODEL.to_owned(), model }
    }

    /// As it stands in its file.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn to_json(&self) -> Result<String, ManifestError> {
        if let Some((what, _)) = self.model.figures().into_iter().find(|(_, value)| !value.is_finite()) {
            return Err(ManifestError::Unwritable(format!("`{what}` has a number that is not finite")));
        }
        let mut json =
            serde_json::to_string_pretty(self).map_err(|e| ManifestError::Unwritable(e.to_string()))?;
        json.push('\n');
        Ok(json)
    }

    /// Reads a model: a file of its own, or the manifest of a perturbed release.
    ///
    /// # Errors
    /// When it is neither, or of another format.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        if seal::kind_of(bytes).as_deref() == Some(PERTURBED) {
            let manifest = PerturbedManifest::parse(bytes)?;
            if manifest.lawless().is_some() {
                return Err(ManifestError::Syntax { line: 1, column: 1, problem: NO_LAW });
            }
            return Ok(Self::new(manifest.software, manifest.model));
        }
        seal::parse(bytes)
    }
}
