//! Roles and hierarchies guessed from the data, with reasons.

use privet::{KeptSource, Source};
use privet_data::io::{ReadOptions, read};
use privet_init::init::{self, propose};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::Failure;
use crate::frame;
use crate::watch::watch;

/// Proposes a job for a frame or a file: the text of the job, the hierarchy files beside it and the reasons, as JSON.
#[pyfunction]
#[pyo3(signature = (data, progress=None))]
pub fn suggest(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let source = frame::source(data)?;
    watch(py, progress, move |progress| {
        // The other shapes are recognised by their files, of which a frame has none.
        let kept = KeptSource::new(&source)?;
        let path = kept.path();
        if let Some((kind, proposal)) = privet::propose(path, progress) {
            let told = json!({ "kind": kind, "job": proposal.job, "reasons": proposal.reasons });
            return Ok(told.to_string());
        }
        let input = read(path, &ReadOptions::default(), progress).map_err(privet_kind::KindError::from)?;
        let name = match &source {
            Source::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            _ => "the frame".to_owned(),
        };
        let job_path = match &source {
            Source::File(path) => path.to_string_lossy().into_owned(),
            _ => "data.arrow".to_owned(),
        };
        let source = init::Source { path: job_path, ..init::Source::default() };
        let proposal = propose(&input.table, &name, &source);
        let columns: Vec<_> = proposal
            .columns
            .iter()
            .map(|guess| json!({ "name": guess.name, "role": guess.role, "reason": guess.reason }))
            .collect();
        let told = json!({ "job": proposal.job, "files": proposal.files, "columns": columns });
        Ok::<_, Failure>(told.to_string())
    })
}
