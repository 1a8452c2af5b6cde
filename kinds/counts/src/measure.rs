//! Releases of counts beside their original: how small published counts are (survey PM-01), and how far the table that
//! somebody rebuilds from the views is from the original (UM-09 by iterative proportional fitting, US-14).
//!
//! What is rebuilt is the table with the published counts and as few other ties between columns as possible; behind a label its
//! values are taken as equally likely, as they are for records. The divergence is over the columns that the views show.
//!
//! # Guarantee
//! Counts are compared as they are printed; a count that is hidden is no published one. A figure that cannot be worked out is
//! told, with the reason.

use foldhash::HashMap;
use privet_criteria::Requirement;
use privet_data::io::{ReadErrorKind, ReadOptions, read};
use privet_data::{Column, Domain, Progress, Table};
use privet_measure::ipf::{self, FitOptions, Marginal};
use privet_measure::risk::{Zeros, small_counts, smallest_count};
use privet_release::counts::{CountsColumn, CountsManifest, CountsTable, Form, TOTAL};
use privet_release::manifest::Recoding;
use privet_release::published::{Meaning, coverage};
use privet_report::{Assessment, Figure, Risk, Utility};

use crate::assess::measure::{class_ids, figure};
use crate::assess::original::{Given, JobAt, count};
use crate::assess::{MeasureOptions, write};
use crate::attack::read_table;
use crate::error::{JobError, RunError};

/// Counts below this are small where the release promises nothing else.
const SMALL: u64 = 3;

/// Measures a release of counts.
pub(crate) fn measure(
    options: &MeasureOptions,
    manifest: &CountsManifest,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    refuse_others(options)?;
    let mut tables = Vec::new();
    for own in &manifest.tables {
        let table = read_table(&options.release, manifest, own, progress)?;
        tables.push(Counted { cells: cells(own, &table)?, own });
    }
    let given = Given::new(&options.original, options.job.as_deref(), &options.settings)?;
    if given.job_file.is_none() && !options.settings.is_empty() {
        let problem = "--set sets keys of the job; give the job too, with --job or as --original";
        return Err(JobError::new(problem).into());
    }
    let original = original(&given, manifest, progress)?;
    progress.stage("measuring", None);
    let mut utility = Utility::default();
    match rebuilt(&tables, &original, given.job(), &mut utility.notes)? {
        Ok((kl, total_variation)) => {
            let figures = [
                figure(
                    "kl-observed",
                    "Kullback-Leibler divergence over observed values",
                    kl,
                    false,
                    "How surprised somebody would be by the original who believes the table that is fitted to the published counts, \
                     in nats: 0 not at all.",
                ),
                figure(
                    "total-variation",
                    "Total variation distance",
                    total_variation,
                    false,
                    "The largest error in the probability of any event, when it is estimated from the table that is fitted to the \
                     published counts.",
                ),
            ];
            utility.figures.extend(figures.into_iter().flatten());
        }
        Err(why) => utility.notes.push(format!("The divergence of the fitted table is not computed: {why}.")),
    }
    let figures = tables.iter().flat_map(small).collect();
    let risk = Risk { figures, histogram: Vec::new(), notes: Vec::new() };
    let assessment = Assessment { utility: Some(utility), risk: Some(risk), ..Assessment::default() };
    if let Some(path) = &options.report {
        let page = privet_report::owner_counts_html(manifest, &assessment);
        write::whole(path, page.as_bytes())?;
    }
    Ok(assessment)
}

/// The labels of a cell and its count, where that is not hidden.
type Cell = (Vec<Box<str>>, Option<u64>);

/// A published table.
struct Counted<'a> {
    own: &'a CountsTable,
    cells: Vec<Cell>,
}

/// The cells of a table; those of microdata are the combinations that occur.
fn cells(own: &CountsTable, table: &Table) -> Result<Vec<Cell>, RunError> {
    let text = |column: &Column, row: usize| {
        column.codes.get(row).map_or("", |&code| column.domain.text(code)).to_owned()
    };
    let labels = |row: usize| -> Vec<Box<str>> {
        table.columns.iter().take(own.columns.len()).map(|column| text(column, row).into()).collect()
    };
    if own.form == Form::Microdata {
        let mut counts: HashMap<Vec<Box<str>>, u64> = HashMap::default();
        (0..table.rows).for_each(|row| *counts.entry(labels(row)).or_default() += 1);
        let mut cells: Vec<_> = counts.into_iter().map(|(labels, count)| (labels, Some(count))).collect();
        cells.sort_unstable();
        return Ok(cells);
    }
    let count = |row: usize| match table.columns.last().map(|column| text(column, row)).as_deref() {
        None | Some("") => Ok(None),
        Some(text) => text
            .parse()
            .map(Some)
            .map_err(|_| JobError::new(format!("there is something else than counts in {}", own.file))),
    };
    (0..table.rows).map(|row| Ok((labels(row), count(row)?))).collect()
}

/// How small the counts of a table are. A cell with nobody in it shows nobody.
fn small(table: &Counted<'_>) -> Vec<Figure> {
    let own = table.own;
    let counts: Vec<u64> = table.cells.iter().filter_map(|cell| cell.1).collect();
    let promised = own.promises.iter().filter_map(|promise| match promise.requirement {
        Requirement::KAnonymity { k } => Some(k),
        _ => None,
    });
    let threshold = own
        .suppression
        .as_ref()
        .map(|hidden| hidden.threshold)
        .or(own.changed.as_ref().map(|changed| changed.threshold))
        .or(promised.max())
        .unwrap_or(SMALL);
    let changed =
        if own.changed.is_some() { " They were changed, and are nobody's true number." } else { "" };
    let smallest = smallest_count(&[&counts], Zeros::Ignore).map(|found| found.count as f64);
    let below = small_counts(&[&counts], threshold, Zeros::Ignore).len();
    let figures = [
        smallest.and_then(|least| {
            figure(
                "smallest-count",
                &format!("Smallest count, {}", own.file),
                least,
                false,
                &format!("The fewest people who are counted together in a published cell or total.{changed}"),
            )
        }),
        figure(
            "small-counts",
            &format!("Counts below {threshold}, {}", own.file),
            below as f64,
            false,
            &format!(
                "Published cells and totals with fewer people than that, cells with nobody left out. Large counts can imply small \
                 ones that are not printed: `privet attack` looks for them.{changed}"
            ),
        ),
    ];
    figures.into_iter().flatten().collect()
}

/// The columns of the original that are counted.
fn original(given: &Given, manifest: &CountsManifest, progress: &dyn Progress) -> Result<Table, RunError> {
    let mut names: Vec<String> =
        manifest.tables.iter().flat_map(|table| &table.columns).map(|column| column.name.clone()).collect();
    names.sort();
    names.dedup();
    let options = ReadOptions { columns: Some(names), ..given.options.clone() };
    let wrong = |problem: String| RunError::from(JobError::new(problem).at(&given.path));
    let table = match read(&given.path, &options, progress) {
        Ok(input) => input.table,
        Err(error) => match &error.kind {
            ReadErrorKind::UnknownColumn { name, .. } => {
                return Err(wrong(format!("has no column {name}, which the release counts")));
            }
            _ => return Err(error.into()),
        },
    };
    match table.rows as u64 == manifest.data.records {
        true => Ok(table),
        false => {
            Err(wrong("is not the original of this release: it has another number of records".to_owned()))
        }
    }
}

/// A column as the tables show it, and the original by its labels.
struct Shown<'a> {
    claim: &'a CountsColumn,
    labels: Vec<Box<str>>,
    place: HashMap<Box<str>, u32>,
}

/// The divergence and the total variation distance of the original from the table that is fitted to what is published. The
/// inner error says why there is none.
fn rebuilt(
    tables: &[Counted<'_>],
    original: &Table,
    job: Option<JobAt<'_>>,
    notes: &mut Vec<String>,
) -> Result<Result<(f64, f64), String>, RunError> {
    let is_whole =
        |table: &&Counted<'_>| table.own.changed.is_none() && table.cells.iter().all(|cell| cell.1.is_some());
    let (usable, others): (Vec<&Counted<'_>>, Vec<&Counted<'_>>) = tables.iter().partition(is_whole);
    if usable.is_empty() {
        return Ok(Err("in every table counts are hidden or changed".to_owned()));
    }
    if !others.is_empty() {
        let files: Vec<&str> = others.iter().map(|own| own.own.file.as_str()).collect();
        notes.push(format!("Not fitted to, since counts are hidden or changed: {}.", files.join(", ")));
    }
    let columns = match shown(&usable) {
        Ok(columns) => columns,
        Err(why) => return Ok(Err(why)),
    };
    let domains: Vec<usize> = columns.iter().map(|own| own.labels.len()).collect();
    let size = domains.iter().try_fold(1usize, |size, &own| size.checked_mul(own));
    if size.is_none_or(|size| size > ipf::MOST_CELLS) {
        return Ok(Err(ipf::FitError::TooLarge.to_string()));
    }
    let marginals: Vec<Marginal> = usable.iter().map(|table| marginal(table, &columns, &domains)).collect();
    let fitted = match ipf::fit(&domains, &marginals, FitOptions::default()) {
        Ok(fitted) => fitted,
        Err(why) => return Ok(Err(why.to_string())),
    };
    if !fitted.converged {
        notes.push(
            "The fitted table has not settled: the counts of the tables may contradict each other."
                .to_owned(),
        );
    }
    // Per record its cell, and over how many combinations of values that cell is spread.
    let (mut cell_of, mut spread) = (vec![0usize; original.rows], vec![1.0f64; original.rows]);
    let mut codes: Vec<&[u32]> = Vec::new();
    for own in &columns {
        let Some(column) = original.column(&own.claim.name) else { continue };
        let Some(of_value) = labels_of(own, column, job)? else {
            return Ok(Err(format!(
                "what the labels of {} stand for cannot be told; give the job file of the release",
                own.claim.name
            )));
        };
        for ((cell, spread), &code) in cell_of.iter_mut().zip(&mut spread).zip(&column.codes) {
            let (label, values) = of_value[code as usize]; // why: one for each value
            *cell = *cell * own.labels.len() + label as usize;
            *spread *= values;
        }
        codes.push(&column.codes);
    }
    let tuples = class_ids(&codes, original.rows);
    let mut seen: Vec<(u64, f64)> = vec![(0, 0.0); tuples.iter().max().map_or(0, |&last| last as usize + 1)];
    for (record, &tuple) in tuples.iter().enumerate() {
        let own = &mut seen[tuple as usize];
        own.0 += 1;
        own.1 = fitted.joint.get(cell_of[record]).copied().unwrap_or(0.0) / spread[record];
    }
    // Over the combinations that occur: of the others the original has none, and what is fitted to them is missing here.
    let rows = original.rows.max(1) as f64;
    let share = |own: &(u64, f64)| (own.0 as f64 / rows, own.1 / rows);
    let kl: f64 = seen.iter().map(share).map(|(own, told)| own * (own / told).ln()).sum();
    let total_variation: f64 = seen.iter().map(share).map(|(own, told)| (own - told).max(0.0)).sum();
    match kl.is_finite() {
        true => Ok(Ok((kl.max(0.0), total_variation))),
        false => Ok(Err("the fitted table has nobody where the original has somebody".to_owned())),
    }
}

/// The columns of tables, each once, with all their labels.
fn shown<'a>(tables: &[&Counted<'a>]) -> Result<Vec<Shown<'a>>, String> {
    let mut columns: Vec<Shown<'a>> = Vec::new();
    for table in tables {
        for (at, claim) in table.own.columns.iter().enumerate() {
            let place = match columns.iter().position(|own| own.claim.name == claim.name) {
                Some(place) if columns[place].claim.level != claim.level => {
                    return Err(format!("tables show {} on different levels", claim.name));
                }
                Some(place) => place,
                None => {
                    columns.push(Shown { claim, labels: Vec::new(), place: HashMap::default() });
                    columns.len() - 1
                }
            };
            let own = &mut columns[place];
            for label in table.inner().filter_map(|cell| cell.0.get(at)) {
                if !own.place.contains_key(label) {
                    own.place.insert(label.clone(), own.labels.len() as u32);
                    own.labels.push(label.clone());
                }
            }
        }
    }
    Ok(columns)
}

impl Counted<'_> {
    /// The cells that are no totals.
    fn inner(&self) -> impl Iterator<Item = &Cell> {
        let has_totals = self.own.form == Form::Totals;
        self.cells.iter().filter(move |cell| !has_totals || cell.0.iter().all(|label| **label != *TOTAL))
    }
}

/// A table as counts over all combinations of its labels.
fn marginal(table: &Counted<'_>, columns: &[Shown<'_>], domains: &[usize]) -> Marginal {
    let places: Vec<usize> = table
        .own
        .columns
        .iter()
        .filter_map(|claim| columns.iter().position(|own| own.claim.name == claim.name))
        .collect();
    let mut counts = vec![0.0; places.iter().map(|&place| domains[place]).product()];
    for (labels, count) in table.inner() {
        let cell = labels.iter().zip(&places).fold(0, |cell, (label, &place)| {
            cell * domains[place] + columns[place].place.get(label).map_or(0, |&own| own as usize)
        });
        counts[cell] += count.unwrap_or(0) as f64; // why: a product of places below the domains
    }
    Marginal { columns: places, counts }
}

/// Per value of the original its label, and how many values have that label; `None` where that cannot be told.
fn labels_of(
    own: &Shown<'_>,
    column: &Column,
    job: Option<JobAt<'_>>,
) -> Result<Option<Vec<(u32, f64)>>, RunError> {
    let counts = count(&column.codes, column.domain.len());
    let hierarchy = match job.filter(|_| own.claim.level.is_some()) {
        Some(job) => job.hierarchy(&column.name, &column.domain, &counts)?,
        None => None,
    };
    let (labels, code_of) = Domain::canonical(own.labels.clone(), str::is_empty);
    let recoding = Recoding {
        level: Some(own.claim.level.unwrap_or(0)),
        nodes: None,
        height: own.claim.height.unwrap_or(0),
        leaves: column.domain.len() as u64,
        labels_per_level: Vec::new(),
        reading: own.claim.reading,
        loss: 0.0,
        weight: 1.0,
    };
    let covered = coverage(
        &labels,
        &column.domain,
        Meaning { hierarchy: hierarchy.as_ref(), recoding: Some(&recoding) },
    );
    let mut place = vec![0u32; labels.len()];
    code_of.iter().zip(0..).for_each(|(&code, at)| place[code as usize] = at);
    let inverse = covered.inverse();
    let label = |value: u32| match inverse.of(value).stretch() {
        Some((only, last)) if only == last => Some((place[only as usize], covered.of(only).len() as f64)),
        _ => None,
    };
    Ok((0..column.domain.len() as u32).map(label).collect())
}

/// What goes with releases of records only.
fn refuse_others(options: &MeasureOptions) -> Result<(), JobError> {
    let given = [
        ("--class", !options.class.is_empty()),
        ("--target", !options.target.is_empty()),
        ("--test", options.test.is_some()),
        ("--population", options.population.is_some()),
        ("--population-size", options.population_size.is_some()),
        ("--risk-threshold", options.risk_threshold.is_some()),
        ("--risk-file", options.risk_file.is_some()),
        ("--queries FILE", options.workload.is_some()),
    ];
    match given.iter().find(|own| own.1) {
        None => Ok(()),
        Some((flag, _)) => Err(JobError::new(format!(
            "`{flag}` goes with releases of records; a release of counts is measured by how small its counts are and by the table \
             that is fitted to them"
        ))),
    }
}
