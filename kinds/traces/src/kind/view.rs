//! What a release of traces shows to the verbs, and the original beside it.

use std::path::PathBuf;

use privet_data::Progress;
use privet_kind::{
    Assessment, JobFile, KindError, Original, OwnerFiles, PageSection, Reason, Release, Unmade, Views,
};
use privet_release::ReleaseFolder;

use super::files::{self, FLOWS, Published, RegionRecord, VISITS};
use super::job::{Input, Method, Settings};
use super::make::Body;
use super::{page, places};
use crate::{Flow, Plane, Position, Tiling, Traces, Visit};

/// What is published, by its form.
#[derive(Debug, Clone)]
pub enum Form {
    /// Traces under pseudonyms, with their groups where they have some.
    Traces {
        /// The traces.
        traces: Traces,
        /// Per trace its group.
        groups: Option<Vec<u32>>,
    },
    /// Regions of single positions.
    Regions {
        /// The records.
        records: Vec<RegionRecord>,
        /// The texts of sensitive values.
        values: Vec<String>,
    },
    /// Cells of positions or traces.
    Visits {
        /// Per record its visits and the number of its sensitive value.
        records: Vec<(Vec<Visit>, Option<u32>)>,
        /// The cells.
        tiling: Tiling,
        /// The texts of sensitive values.
        values: Vec<String>,
    },
    /// Flows between cells.
    Flows {
        /// The flows; the cells by their places in `cells`.
        flows: Vec<Flow>,
        /// The cells that occur.
        cells: Vec<crate::Cell>,
        /// The cells.
        tiling: Tiling,
    },
}

/// A release of traces.
#[derive(Debug, Clone)]
pub struct PublishedTraces {
    /// How it was made.
    pub method: Method,
    /// What coordinates are.
    pub plane: Plane,
    /// What is published.
    pub form: Form,
}

/// The original of a release of traces.
#[derive(Debug, Clone)]
pub struct OriginalTraces {
    /// The traces.
    pub traces: Traces,
    /// Per published trace or record the object it is about, where the owner kept it.
    pub who: Option<Vec<u32>>,
    /// The public places of the job.
    pub places: Option<Vec<Position>>,
}

impl PublishedTraces {
    /// The traces that are published.
    ///
    /// # Errors
    /// When the release holds none.
    pub fn traces(&self) -> Result<&Traces, Reason> {
        match &self.form {
            Form::Traces { traces, .. } => Ok(traces),
            _ => Err(Reason::Nothing { what: "trace".to_owned() }),
        }
    }
}

/// The view of a release of traces.
pub(super) fn published(views: Views<'_>) -> Result<&PublishedTraces, Unmade> {
    Ok(views.get::<PublishedTraces>().ok_or(Reason::Nothing { what: "trace".to_owned() })?)
}

/// Opens a release.
pub(super) fn open(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<PublishedTraces, KindError> {
    let body: Body = serde_json::from_value(folder.envelope().body.clone())
        .map_err(|_| KindError::bad_input("the manifest does not describe traces"))?;
    let form = match (&body.method, body.tiling) {
        (Method::Cloaking(_), _) => {
            let (records, values) = files::read_regions(folder, progress)?;
            Form::Regions { records, values }
        }
        (Method::Cells(_), Some(tiling)) => visits(folder, tiling, progress)?,
        (Method::Flows(_), Some(tiling)) => flows(folder, tiling, progress)?,
        (Method::Cells(_) | Method::Flows(_), None) => {
            return Err(KindError::bad_input("the manifest does not say which cells are published"));
        }
        _ => {
            let (traces, groups) = files::read_traces(folder, body.plane, progress)?;
            Form::Traces { traces, groups }
        }
    };
    Ok(PublishedTraces { method: body.method, plane: body.plane, form })
}

fn visits(folder: &ReleaseFolder, tiling: Tiling, progress: &dyn Progress) -> Result<Form, KindError> {
    let table = Published::read(folder, VISITS, progress)?;
    let (numbers, windows) = (table.whole::<u32>("record")?, table.whole::<i64>("span")?);
    let cells = table.parsed("cell", |text| tiling.parse(text))?;
    let (codes, values) = if table.has("value") { table.values("value")? } else { (Vec::new(), Vec::new()) };
    let mut records: Vec<(Vec<Visit>, Option<u32>)> = Vec::new();
    for row in 0..table.rows() {
        let number = numbers[row] as usize;
        if number == records.len() {
            records.push((Vec::new(), codes.get(row).copied()));
        }
        let visit = Visit { window: windows[row], cell: cells[row].0, level: cells[row].1 };
        match records.len().checked_sub(1) {
            Some(last) if last == number => records[last].0.push(visit),
            _ => return Err(table.malformed("the records are not numbered from 0 on")),
        }
    }
    Ok(Form::Visits { records, tiling, values })
}

fn flows(folder: &ReleaseFolder, tiling: Tiling, progress: &dyn Progress) -> Result<Form, KindError> {
    let table = Published::read(folder, FLOWS, progress)?;
    let parse = |text: &str| tiling.parse(text).map(|own| own.0);
    let (origins, destinations) = (table.parsed("origin", parse)?, table.parsed("destination", parse)?);
    let counts = table.whole::<i64>("trips")?;
    let mut cells: Vec<crate::Cell> = origins.iter().chain(&destinations).copied().collect();
    cells.sort_unstable();
    cells.dedup();
    // cannot fail: every cell is in the list
    let number = |cell: &crate::Cell| cells.binary_search(cell).unwrap_or_default() as u32;
    let flows = (0..table.rows()).map(|row| Flow {
        origin: number(&origins[row]),
        destination: number(&destinations[row]),
        count: counts[row],
    });
    Ok(Form::Flows { flows: flows.collect(), cells: cells.clone(), tiling })
}

/// Reads the original.
pub(super) fn original(
    job: &JobFile,
    owner: &OwnerFiles,
    progress: &dyn Progress,
) -> Result<OriginalTraces, KindError> {
    let input: Input = job.required("input")?;
    let (traces, _) = input.read(job, progress)?;
    let who = files::read_who(owner, &traces.names)?;
    let settings = Settings::read(job)?;
    let read = |path: &PathBuf| places::positions(path, &traces.plane, progress);
    let places = settings.places.as_ref().map(read).transpose()?;
    Ok(OriginalTraces { traces, who, places })
}

impl Release for PublishedTraces {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }

    fn heading(&self) -> (String, String) {
        page::heading(self)
    }

    fn sections(&self, assessment: &Assessment) -> Vec<PageSection> {
        page::sections(self, assessment)
    }
}

impl Original for OriginalTraces {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }
}
