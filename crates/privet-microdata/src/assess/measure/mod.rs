//! What a release is still good for, and what its records risk: the figures of the survey's section 4 and of PM-01 to
//! PM-04, from a release beside its original.
//!
//! | file | |
//! | --- | --- |
//! | `table` | figures about identifying columns together, and about numbers |
//! | `columns` | every column before and after |
//! | `extents` | how far the values behind means, medians and modes reach |
//! | `numbers` | columns of numbers and dates before and after |
//! | `pairs` | how strongly columns go together |
//! | `protocol` | who is learned from and who is tested on |
//! | `learners` | what classifiers learn from the release |
//! | `regression` | what a linear regression learns from the release |
//! | `conclusions` | whether means and random queries say the same |

pub mod columns;
pub mod conclusions;
pub mod extents;
pub mod learners;
pub mod numbers;
pub mod pairs;
pub mod protocol;
pub mod regression;
pub mod table;

use std::path::Path;

use privet_attack::Note;
use privet_data::{Coverage, Domain, Kind, Progress, Table};
use privet_measure::utility::{Spread, SpreadColumn, UtilityError};
use privet_release::Published;
use privet_report::{Figure, Utility};

use super::original::{Original, recoding};
use super::people::PeopleTable;
use crate::error::{JobError, RunError};
use extents::{Extents, TooWide};
pub use numbers::standardized;

/// What is wanted.
#[derive(Default)]
pub struct Wanted<'a> {
    /// The columns that classifiers learn to predict.
    pub class: &'a [String],
    /// The columns of numbers that a regression learns to predict.
    pub target: &'a [String],
    /// Records to test on that never were part of the release.
    pub apart: Option<&'a Table>,
    /// How many random queries are asked.
    pub queries: usize,
    /// The seed.
    pub seed: u64,
    /// Where to write what each record risks.
    pub risk_file: Option<&'a Path>,
    /// A table of the population.
    pub population: Option<&'a PeopleTable>,
    /// How many people the original is a random sample of.
    pub population_size: Option<u64>,
    /// From which chance of being found again on records are counted.
    pub risk_threshold: Option<f64>,
}

impl From<UtilityError> for RunError {
    fn from(error: UtilityError) -> Self {
        JobError::new(error.to_string()).into()
    }
}

/// A figure, where it is a number.
pub fn figure(key: &'static str, name: &str, value: f64, is_share: bool, says: &str) -> Option<Figure> {
    let (name, says) = (name.to_owned(), says.to_owned());
    value.is_finite().then_some(Figure { key, name, column: None, value, says, is_share, is_estimate: false })
}

/// A release beside its original, record by record of the original.
pub struct Beside<'a> {
    /// The original.
    pub original: &'a Original,
    /// The release.
    pub release: &'a Published,
    /// Per record whether it is not published.
    pub suppressed: Vec<bool>,
    /// Per quasi column and record the published label; anything where nothing is published.
    pub labels: Vec<Vec<u32>>,
    /// Per quasi column what labels stand for when a figure is to be worked out: a mean is the nearest value.
    pub coverages: Vec<Coverage>,
}

impl<'a> Beside<'a> {
    /// Puts the records of a release beside those of the original.
    pub fn new(original: &'a Original, release: &'a Published) -> Self {
        let rows = original.table.rows;
        let mut suppressed = vec![true; rows];
        for &record in &original.record_of {
            suppressed[record as usize] = false;
        }
        let spread_out = |codes: &[u32]| {
            let mut labels = vec![0; rows];
            for (&code, &record) in codes.iter().zip(&original.record_of) {
                labels[record as usize] = code;
            }
            labels
        };
        let labels = release.quasi.iter().map(|&at| spread_out(&release.table.columns[at].codes)).collect();
        let coverages = release
            .quasi
            .iter()
            .zip(&original.quasi)
            .map(|(&at, own)| {
                let kind =
                    recoding(release, at).and_then(|r| r.nodes.as_ref()).map(|nodes| nodes.kind.as_str());
                match kind {
                    Some("means" | "medians" | "modes") => nearest(
                        &release.table.columns[at].domain,
                        &original.table.columns[own.position].domain,
                    ),
                    _ => own.coverage.clone(),
                }
            })
            .collect();
        Self { original, release, suppressed, labels, coverages }
    }

    /// Per published record who looks like it in all identifying columns, and how many each time. Buckets show these columns
    /// as they are, so those who share a bucket need not look alike.
    pub fn alike(&self) -> (Vec<u32>, Vec<u64>) {
        if !self.release.shows_identities() {
            return (self.release.group_of.clone(), self.release.groups.clone());
        }
        let labels: Vec<&[u32]> =
            self.release.quasi.iter().map(|&at| self.release.table.columns[at].codes.as_slice()).collect();
        let of = class_ids(&labels, self.release.table.rows);
        let mut sizes = vec![0u64; of.iter().max().map_or(0, |&most| most as usize + 1)];
        for &own in &of {
            sizes[own as usize] += 1;
        }
        (of, sizes)
    }

    /// Per published record who cannot be told from it by somebody who looks for its value in this column: who shares its
    /// bucket, where buckets count the values, and who looks like it, where the value is published.
    pub fn groups_of(&self, column: &str) -> Vec<u32> {
        match learners::in_buckets(self.release, column) {
            Some(_) => self.release.group_of.clone(),
            None => self.alike().0,
        }
    }

    /// Which records are not published, when there are any.
    pub fn mask(&self) -> Option<&[bool]> {
        self.suppressed.contains(&true).then_some(&self.suppressed)
    }

    /// The codes of the original in an identifying column.
    pub fn quasi_codes(&self, quasi: usize) -> &[u32] {
        &self.original.table.columns[self.original.quasi[quasi].position].codes
    }
}

/// Labels that are numbers stand for the value nearest to them; others for the value of the same text, or for any.
pub fn nearest(labels: &Domain, values: &Domain) -> Coverage {
    let number = |label: &str| match values.kind() {
        Kind::Integer | Kind::Decimal => label.parse::<f64>().ok(),
        kind => kind.number(label),
    };
    let numbers: Vec<(f64, u32)> =
        (0..values.len() as u32).filter_map(|code| Some((values.number(code)?, code))).collect();
    let finder = values.finder();
    let list = |label: &str| match (number(label), finder.code(label)) {
        (_, Some(code)) => vec![(code, code)],
        (Some(number), None) if !numbers.is_empty() => {
            let above = numbers.partition_point(|own| own.0 < number).min(numbers.len() - 1);
            let below = above.saturating_sub(1);
            let closer = if (numbers[below].0 - number).abs() <= (numbers[above].0 - number).abs() {
                below
            } else {
                above
            };
            vec![(numbers[closer].1, numbers[closer].1)]
        }
        _ => vec![(0, (values.len() as u32).saturating_sub(1))],
    };
    Coverage::of_runs(labels.texts().iter().map(|label| list(label)), values.len() as u32)
}

/// What the release is still good for.
pub fn utility(
    original: &Original,
    release: &Published,
    wanted: &Wanted<'_>,
    progress: &dyn Progress,
) -> Result<Utility, RunError> {
    let beside = Beside::new(original, release);
    progress.stage("measuring", None);
    let columns: Vec<SpreadColumn<'_>> = (0..release.quasi.len())
        .map(|quasi| SpreadColumn {
            original: beside.quasi_codes(quasi),
            published: &beside.labels[quasi],
            coverage: &beside.coverages[quasi],
        })
        .collect();
    let spread = Spread::new(&columns, beside.mask())?;
    // What is lost of detail where points are shown: how far their groups reach.
    let extents = Extents::of(&beside);
    let reach = match &extents {
        Some(Ok(own)) => Some(own.spread(&beside)?),
        Some(Err(TooWide)) => None,
        None => Some(spread.clone()),
    };
    let mut notes = said_of(original).into_iter().map(Note::of_original).collect();
    let figures = table::table_figures(&beside, &spread, reach.as_ref(), &mut notes)?;
    let mut utility = Utility { figures, notes, ..Utility::default() };
    if !utility.figures.iter().any(|own| own.key == "kl-observed") {
        utility.remark(
            "The Kullback-Leibler divergence and the likelihood ratio are infinite: for some records nobody shows anything that they \
             could have become, as is so with values that stand for groups.",
        );
    }
    if reach.is_none() {
        utility.remark(
            "Loss of detail, ambiguity and imprecision are not computed: groups reach over too many values.",
        );
    }
    progress.check()?;
    table::number_figures(&beside, &mut utility)?;
    progress.check()?;
    pairs::pairs(&beside, &mut utility)?;
    progress.check()?;
    utility.columns = columns::all_columns(&beside, &spread, reach.as_ref())?;
    utility.figures.extend(conclusions::means(&beside)?);
    utility.queries = conclusions::queries(&beside, &spread, reach.as_ref(), wanted, &mut utility.figures)?;
    progress.check()?;
    each(wanted.class, &mut utility, |class, utility| {
        learners::learners(&beside, class, wanted.apart, utility, progress)
    })?;
    utility.figures.extend(learners::all_classes(&utility.figures, wanted.class.len()));
    each(wanted.target, &mut utility, |target, utility| {
        regression::regression(&beside, target, wanted.apart, utility, progress)
    })?;
    Ok(utility)
}

/// What is to be known of how the release was put beside its original.
pub fn said_of(original: &Original) -> Vec<String> {
    let mut notes = Vec::new();
    if !original.unread.is_empty() {
        notes.push(format!(
            "Labels of {} that only the job explains are taken for any value, so that what is lost is overstated: give the job file in place \
             of the table, or with --job.",
            original.unread.join(", ")
        ));
    }
    if original.may_differ {
        notes.push(
            "Which records were left out is not certain, since labels overlap and another choice fits as well: of several that fit, the \
             first is taken to be the published one."
                .to_owned(),
        );
    }
    notes
}

/// Learns columns one after the other. Of several, what is said says of which.
pub fn each(
    columns: &[String],
    utility: &mut Utility,
    mut learn: impl FnMut(&str, &mut Utility) -> Result<(), RunError>,
) -> Result<(), RunError> {
    for column in columns {
        let (figures, notes) = (utility.figures.len(), utility.notes.len());
        learn(column, utility)?;
        utility.figures.iter_mut().skip(figures).for_each(|own| own.column = Some(column.clone()));
        if columns.len() > 1 {
            utility
                .figures
                .iter_mut()
                .skip(figures)
                .for_each(|own| own.name = format!("{} of {column}", own.name));
            utility
                .notes
                .iter_mut()
                .skip(notes)
                .for_each(|own| own.text = format!("`{column}`: {}", own.text));
        }
    }
    Ok(())
}

/// Per record of the original what a code of its published record is.
pub fn spread_out(beside: &Beside<'_>, codes: &[u32]) -> Vec<u32> {
    let mut out = vec![0; beside.suppressed.len()];
    for (&code, &record) in codes.iter().zip(&beside.original.record_of) {
        out[record as usize] = code;
    }
    out
}

/// Numbers records by their tuples.
pub fn class_ids(columns: &[&[u32]], rows: usize) -> Vec<u32> {
    let mut of = vec![0u32; rows];
    for column in columns {
        let mut number = foldhash::HashMap::<u64, u32>::default();
        for (own, &code) in of.iter_mut().zip(column.iter()) {
            let next = number.len() as u32;
            *own = *number.entry(u64::from(*own) << 32 | u64::from(code)).or_insert(next);
        }
    }
    of
}
