//! Private answers, charged to a ledger.

use std::path::PathBuf;

use privet::{KeptSource, Source};
use privet_measure::answer::PrivateQuestion;
use privet_query::{self as private, Flags, LedgerFlags, Method, Neighbourhood, QueryOptions};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::errors::Failure;
use crate::frame;
use crate::watch::watch;

/// What stands for the path of a frame: no file is read.
const FRAME: &str = "data.arrow";

/// What is declared with a question, from keyword arguments.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    epsilon: Option<String>,
    delta: Option<String>,
    neighbours: Option<String>,
    per_person: Option<String>,
    max_records: Option<u32>,
    #[serde(default)]
    bounds: Vec<String>,
    #[serde(default)]
    grids: Vec<String>,
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    others: Vec<String>,
    mechanism: Option<String>,
    #[serde(default)]
    probabilistic: bool,
    synthetic: Option<u64>,
    rho: Option<String>,
    max_groups: Option<u32>,
    max_per_group: Option<u32>,
    #[serde(default)]
    unknown_keys: Vec<String>,
    #[serde(default)]
    tables: Vec<String>,
    job: Option<PathBuf>,
    analyst: Option<String>,
    since: Option<String>,
    #[serde(default)]
    ledger: Place,
}

/// Which ledger and account pay.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    ledger: Option<String>,
    signing_key: Option<PathBuf>,
    account: Option<String>,
    #[serde(default)]
    unsigned: bool,
    #[serde(default)]
    unencrypted: bool,
    #[serde(default)]
    new_population: bool,
}

impl From<Place> for LedgerFlags {
    fn from(place: Place) -> Self {
        Self {
            ledger: place.ledger,
            signing_key: place.signing_key,
            account: place.account,
            unsigned: place.unsigned,
            unencrypted: place.unencrypted,
            new_population: place.new_population,
        }
    }
}

impl Declared {
    fn read(text: &str) -> Result<Self, Failure> {
        serde_json::from_str(text).map_err(|error| Failure::invalid(error.to_string()))
    }

    fn flags(&self) -> Result<Flags, Failure> {
        let neighbours = self.neighbours.as_deref().map(|word| match word {
            "add-remove" => Ok(Neighbourhood::AddRemove),
            "replace" => Ok(Neighbourhood::Replace),
            _ => Err(Failure::invalid("`neighbours` must be \"add-remove\" or \"replace\"")),
        });
        let method = self.mechanism.as_deref().map(|word| {
            word.parse::<Method>().map_err(|_| {
                Failure::invalid(format!("`mechanism` must be one of {}", Method::WORDS.join(", ")))
            })
        });
        Ok(Flags {
            epsilon: self.epsilon.clone(),
            delta: self.delta.clone(),
            neighbours: neighbours.transpose()?,
            per_person: self.per_person.clone(),
            max_records: self.max_records,
            bounds: self.bounds.clone(),
            grids: self.grids.clone(),
            keys: self.keys.clone(),
            others: self.others.clone(),
            method: method.transpose()?,
            probabilistic: self.probabilistic,
            synthetic: self.synthetic,
            rho: self.rho.clone(),
            max_groups: self.max_groups,
            max_per_group: self.max_per_group,
            unknown_keys: self.unknown_keys.clone(),
            tables: self.tables.clone(),
        })
    }

    fn options(self, source: Source, question: String) -> Result<QueryOptions, Failure> {
        let flags = self.flags()?;
        let (data, frame) = match source {
            Source::File(path) => (path, None),
            Source::Frame(frame) => (PathBuf::from(FRAME), Some(frame.at(FRAME))),
            _ => return Err(Failure::invalid("the data is neither a file nor a frame")),
        };
        Ok(QueryOptions {
            data,
            question,
            job: self.job,
            flags,
            ledger: self.ledger.into(),
            analyst: self.analyst,
            since: self.since,
            frame,
        })
    }
}

/// Opens an account; answers what was opened, as JSON.
#[pyfunction]
#[pyo3(signature = (data, declared, progress=None))]
pub fn open_ledger(
    py: Python<'_>,
    data: Option<&Bound<'_, PyAny>>,
    declared: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let source = data.map(frame::source).transpose()?;
    let declared = Declared::read(declared)?;
    watch(py, progress, move |progress| {
        let kept = source.as_ref().map(KeptSource::new).transpose()?;
        let (flags, people) = (LedgerFlags::from(declared.ledger.clone()), declared.flags()?);
        let epsilon = declared.epsilon.as_deref().ok_or_else(|| Failure::invalid("`epsilon` is missing"))?;
        let delta = declared.delta.as_deref();
        let data = kept.as_ref().map(KeptSource::path);
        let opened = private::open_account(data, &flags, &people, epsilon, delta, progress)?;
        Ok(serde_json::to_string(&opened)?)
    })
}

/// The entries of a ledger, as JSON.
#[pyfunction]
#[pyo3(signature = (declared, progress=None))]
pub fn show_ledger(py: Python<'_>, declared: &str, progress: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let declared = Declared::read(declared)?;
    watch(py, progress, move |progress| {
        let shown = private::show_ledger(None, &LedgerFlags::from(declared.ledger), progress)?;
        Ok(serde_json::to_string(&shown)?)
    })
}

/// Answers a question and charges for it; the answer as JSON.
#[pyfunction]
#[pyo3(signature = (data, question, declared, progress=None))]
pub fn query(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    question: String,
    declared: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let source = frame::source(data)?;
    let declared = Declared::read(declared)?;
    watch(py, progress, move |progress| {
        let options = declared.options(source, question)?;
        Ok(serde_json::to_string(&private::query(&options, progress)?)?)
    })
}

/// The columns that a question groups by; none for what is not one plain question, which is refused where it is asked.
#[pyfunction]
pub fn grouped_by(question: &str) -> Vec<String> {
    PrivateQuestion::parse(question).map(|own| own.group_by).unwrap_or_default()
}

/// What a question would cost and how far off its numbers would be, as JSON. Nothing is charged.
#[pyfunction]
#[pyo3(signature = (data, question, declared, progress=None))]
pub fn plan(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    question: String,
    declared: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let source = frame::source(data)?;
    let declared = Declared::read(declared)?;
    watch(py, progress, move |progress| {
        let options = declared.options(source, question)?;
        let (planned, refusal) = private::plan_query(&options, progress)?;
        match refusal {
            Some(refusal) => Err(refusal.into()),
            None => Ok(serde_json::to_string(&planned)?),
        }
    })
}
