//! From a job to a table with everything the search needs: codes, fitted hierarchies, the population.

mod population;
mod unknown;

use std::collections::BTreeMap;
use std::path::Path;

use privet_criteria::{Requirement, resolve};
use privet_data::hierarchy::{HierarchySpec, build};
use privet_data::io::{Input, ReadOptions, place_of, read};
use privet_data::{
    Column, Domain, Equality, Generalization, GeneralizedLevel, Hierarchy, HierarchyError, Kind, Progress,
    Role, Table,
};
use privet_recode::groups::Groups;
use privet_release::manifest::{Distorted, LabelReading};
use privet_release::published::{reading_of, reading_of_levels};
use privet_release::sha256_of_file;
use rayon::prelude::*;

use crate::alike;
use crate::anatomy::take_buckets;
use crate::buckets::BUCKET;
use crate::counts::promises;
use crate::error::{HierarchyFault, JobError, RunError};
use crate::job::{Job, Publish};
use crate::values;
use population::{Joined, join, read_population};
pub use population::{Population, one_population, population_of};
use unknown::unknown_columns;
pub use unknown::{explain, unknown_among};

/// A table read and fitted to its job.
pub struct Loaded {
    /// The table as it was read.
    pub input: Input,
    /// Names of the input's columns that are not published, in the order of the file.
    pub removed: Vec<String>,
    /// The identifying columns.
    pub quasi: Vec<Quasi>,
    /// The sensitive columns.
    pub sensitive: Vec<Sensitive>,
    /// The requirements, each with its column.
    pub requirements: Vec<Requirement>,
    /// What values were written like, where whoever runs the job should know.
    pub written: Vec<String>,
    /// Columns of whose texts it is not told by their kind alone which are one value.
    pub equality: BTreeMap<String, Equality>,
    /// The table of a population, when a promise compares with one.
    pub population: Option<Population>,
    /// The records of the table from which the input is a sample.
    pub sampled_from: Option<u64>,
    /// Which of its records were drawn.
    pub drawn: Option<Vec<u32>>,
    /// What was replaced in a sensitive column.
    pub distorted: Option<Distorted>,
    /// The codes of that column before, with its position.
    pub true_codes: Option<(usize, Vec<u32>)>,
    /// Who is in which bucket, when a column says so.
    pub given_buckets: Option<Groups>,
}

impl Loaded {
    /// The names of the sensitive columns, in their order.
    pub fn sensitive_names(&self) -> Vec<&str> {
        self.sensitive.iter().map(|own| self.input.table.columns[own.position].name.as_str()).collect()
    }

    /// The table as it was read, before anything was replaced.
    pub fn true_table(&self) -> Table {
        let mut table = self.input.table.clone();
        if let Some((position, codes)) = &self.true_codes {
            table.columns[*position].codes.clone_from(codes);
        }
        table
    }
}

/// A quasi column.
pub struct Quasi {
    /// Its position in the table.
    pub position: usize,
    /// Its hierarchy, fitted to its values.
    pub generalization: Generalization,
    /// Per code how many records have it.
    pub counts: Vec<u64>,
    /// Per code its number, in a column of numbers or dates; NaN for a missing value.
    pub numbers: Option<Vec<f64>>,
    /// How much the metric weighs it.
    pub weight: f64,
    /// Whether the labels of its hierarchy hold what anyone reads in them.
    pub reading: LabelReading,
    /// Whether its labels hide missing values.
    pub hides_missing: bool,
    /// With a population table: the domain of both tables together, and per code of the table the code there.
    joined: Option<Joined>,
}

impl Quasi {
    /// What its codes stand for.
    pub fn domain<'a>(&'a self, column: &'a Column) -> &'a Domain {
        self.joined.as_ref().map_or(&column.domain, |joined| &joined.domain)
    }

    /// One code per record, for the search.
    pub fn codes<'a>(&'a self, column: &'a Column) -> &'a [u32] {
        self.joined.as_ref().map_or(&column.codes, |joined| &joined.codes)
    }

    /// One code per person of the population.
    pub fn population(&self) -> Option<&[u32]> {
        self.joined.as_ref().map(|joined| &*joined.population)
    }

    /// Whether the column, left as it is, can be published as it stood. Several markers of a missing value are one
    /// value to every algorithm, so they are published as one, those that only the population has included.
    pub fn stays_as_it_stood(&self, column: &Column) -> bool {
        self.domain(column).markers().count() <= 1
    }

    /// The label of each code of the table.
    pub fn labels(&self, column: &Column, generalized: &GeneralizedLevel) -> Vec<Box<str>> {
        let label = |code: u32| {
            let code = self.joined.as_ref().map_or(code, |joined| joined.code_of[code as usize]);
            generalized.labels[generalized.node_of_code[code as usize] as usize].clone()
        };
        (0..column.domain.len() as u32).map(label).collect()
    }

    /// The label of every value of the population.
    pub fn population_labels<'a>(&'a self, generalized: &'a GeneralizedLevel) -> Vec<(&'a str, &'a str)> {
        let Some(joined) = &self.joined else { return Vec::new() };
        let mut seen = vec![false; joined.domain.len()];
        for &code in &joined.population {
            seen[code as usize] = true;
        }
        (0..joined.domain.len())
            .filter(|&code| seen[code])
            .map(|code| {
                let label = &*generalized.labels[generalized.node_of_code[code] as usize];
                (joined.domain.text(code as u32), label)
            })
            .collect()
    }
}

/// A sensitive column.
pub struct Sensitive {
    /// Its position in the table.
    pub position: usize,
    /// How often each value occurs.
    pub counts: Vec<u64>,
    /// The hierarchy that its promises measure by.
    pub hierarchy: Option<Hierarchy>,
}

/// Refuses to match more people than the population has.
fn possible_in(privacy: &[Requirement], people: u64) -> Result<(), JobError> {
    match privacy.iter().any(|own| matches!(own, Requirement::KMap { k, .. } if *k > people)) {
        true => Err(JobError::key(
            "privacy.k-map",
            format!("k may be at most {people}, the records of the population"),
        )),
        false => Ok(()),
    }
}

/// Reads the input and fits the job's hierarchies to it. `base` is the folder of the job file.
pub fn load(job: &Job, base: &Path, progress: &dyn Progress) -> Result<Loaded, RunError> {
    load_showing(job, base, false, progress)
}

/// As [`load`]; `show_values` lets errors about hierarchies tell the values that are not covered.
pub fn load_showing(
    job: &Job,
    base: &Path,
    show_values: bool,
    progress: &dyn Progress,
) -> Result<Loaded, RunError> {
    let mut options = options_of(job, base)?;
    let buckets_from = job.search.buckets_from();
    if let (Some(name), Some(columns)) = (buckets_from, &mut options.columns) {
        columns.push(name.to_owned());
    }
    let path = base.join(&job.input.path);
    let mut input = read(&path, &options, progress).map_err(|error| explain(error, job))?;
    require_columns(job, &input.names)?;
    let (mut sampled_from, mut drawn) = (None, None);
    if let Some(sampling) = &job.sampling {
        sampled_from = Some(input.table.rows as u64);
        let (table, records) = sampling.draw(&input.table, progress)?;
        (input.table, drawn) = (table, Some(records));
        if input.table.rows == 0 {
            return Err(JobError::key("sampling.fraction", "is so small that the sample is empty").into());
        }
    }
    if job.search.published() == Some(Publish::Buckets) && input.names.iter().any(|name| name == BUCKET) {
        let problem =
            "publishes a column of that name, and the input has one already; rename it in the input";
        return Err(JobError::key("search.publish", format!("= \"{BUCKET}s\" {problem}")).into());
    }
    let given_buckets = buckets_from.map(|name| take_buckets(&mut input.table, name)).transpose()?;
    let population_path = one_population(&job.privacy)?;
    let population_table = match population_path {
        Some(path) => Some(read_population(job, &base.join(path), &options, progress)?),
        None => None,
    };
    let counts = |column: &Column| count(&column.codes, column.domain.len());
    if let Some(table) = &population_table {
        possible_in(&job.privacy, table.rows as u64)?;
    }
    // Records of a sample are not those of the file.
    let source = Source { path: &path, options: &options, show_values, has_records: job.sampling.is_none() };
    let mut loaded = fit_from(job, base, input, population_table.as_ref(), counts, Some(&source))?;
    (loaded.sampled_from, loaded.drawn, loaded.given_buckets) = (sampled_from, drawn, given_buckets);
    if let Some(path) = population_path {
        let path = base.join(path);
        let sha256 =
            sha256_of_file(&path).map_err(|error| JobError::new(format!("{}: {error}", path.display())))?;
        loaded.population = Some(Population { sha256 });
    }
    Ok(loaded)
}

/// How the input of a job is read: all columns but identifiers.
pub fn options_of(job: &Job, base: &Path) -> Result<ReadOptions, JobError> {
    let published = job.columns.iter().filter(|(_, column)| column.role != Role::Identifier);
    let columns = published.map(|(name, _)| name.clone()).collect();
    Ok(ReadOptions { columns: Some(columns), ..job.options(base)? })
}

/// The input has every column that the job names.
pub fn require_columns(job: &Job, names: &[String]) -> Result<(), JobError> {
    match job.columns.keys().all(|name| names.contains(name)) {
        true => Ok(()),
        false => Err(unknown_columns(job, names)),
    }
}

/// Fits the hierarchies of a job to the domains of its input; `counts` tells per code of a column how many records have
/// it.
pub fn fit_all(
    job: &Job,
    base: &Path,
    input: Input,
    population: Option<&Table>,
    counts: impl Fn(&Column) -> Vec<u64> + Sync,
) -> Result<Loaded, RunError> {
    fit_from(job, base, input, population, counts, None)
}

/// Where a table was read, for messages about its values.
pub struct Source<'a> {
    /// The file.
    pub path: &'a Path,
    /// How it is read.
    pub options: &'a ReadOptions,
    /// Whether the owner asked to see values.
    pub show_values: bool,
    /// Whether the records of the table are those of the file, one by one.
    pub has_records: bool,
}

impl Source<'_> {
    /// What is wrong with the hierarchy of a column, and where in the file.
    fn fault(&self, column: &Column, source: HierarchyError) -> HierarchyFault {
        let codes = source.uncovered().unwrap_or_default();
        // With a population, codes are those of both tables together.
        let is_own = |code: &&u32| (**code as usize) < column.domain.len();
        let codes: Vec<u32> = codes.iter().filter(is_own).copied().collect();
        let record = column.codes.iter().position(|code| codes.contains(code)).filter(|_| self.has_records);
        let first = record.map(|record| place_of(self.path, self.options, record));
        let values = (self.show_values && !codes.is_empty())
            .then(|| codes.iter().map(|&code| column.domain.text(code).to_owned()).collect());
        HierarchyFault { column: column.name.clone(), source, first, values }
    }
}

/// As [`fit_all`]. All hierarchies that are wrong are told at once, in the order of the columns.
pub fn fit_from(
    job: &Job,
    base: &Path,
    mut input: Input,
    population: Option<&Table>,
    counts: impl Fn(&Column) -> Vec<u64> + Sync,
    source: Option<&Source<'_>>,
) -> Result<Loaded, RunError> {
    let written = values::written(job, &input.table.columns);
    let equality = values::told(&input.table.columns, job, base);
    // Records of a class must not be told apart by how a value was typed.
    for column in &mut input.table.columns {
        let role = job.columns.get(&column.name).map(|own| own.role);
        if matches!(role, Some(Role::Quasi | Role::Sensitive)) {
            column.in_one_form();
        }
    }
    let removed: Vec<String> =
        input.names.iter().filter(|name| input.table.position(name).is_none()).cloned().collect();
    let columns = &input.table.columns;
    let fitted: Vec<Fitted> = columns
        .par_iter()
        .enumerate()
        .map(|(position, column)| fit(job, base, position, column, population, &counts))
        .collect::<Vec<_>>()
        .into_iter()
        .zip(columns)
        .map(|(fitted, column)| fitted.map_err(|error| (error, column)))
        .fold(Ok(Vec::new()), gathered)
        .map_err(|errors| of_all(errors, source))?;
    let (mut quasi, mut sensitive) = (Vec::new(), Vec::new());
    for column in fitted {
        match column {
            Fitted::Quasi(column) => quasi.push(column),
            Fitted::Sensitive(column) => sensitive.push(column),
            Fitted::Neither => {}
        }
    }
    let names: Vec<&str> =
        sensitive.iter().map(|s: &Sensitive| input.table.columns[s.position].name.as_str()).collect();
    let requirements = resolve(&job.privacy, &names)?;
    let of_views = promises::own(job, &names)?.into_iter().flatten();
    let all: Vec<Requirement> = requirements.iter().cloned().chain(of_views).collect();
    own_hierarchies(&all, base, &input, &mut sensitive)?;
    Ok(Loaded {
        input,
        removed,
        quasi,
        sensitive,
        requirements,
        written,
        equality,
        population: None,
        sampled_from: None,
        drawn: None,
        distorted: None,
        true_codes: None,
        given_buckets: None,
    })
}

/// What is wrong with columns.
type Faults<'a> = Vec<(HierarchyError, &'a Column)>;

/// All that was fitted, or all that is wrong.
fn gathered<'a>(
    all: Result<Vec<Fitted>, Faults<'a>>,
    next: Result<Fitted, (HierarchyError, &'a Column)>,
) -> Result<Vec<Fitted>, Faults<'a>> {
    match (all, next) {
        (Ok(mut fitted), Ok(next)) => {
            fitted.push(next);
            Ok(fitted)
        }
        (Ok(_), Err(error)) => Err(vec![error]),
        (Err(mut errors), Err(error)) => {
            errors.push(error);
            Err(errors)
        }
        (Err(errors), Ok(_)) => Err(errors),
    }
}

fn of_all(errors: Faults<'_>, source: Option<&Source<'_>>) -> RunError {
    let fault = |(error, column): (HierarchyError, &Column)| match source {
        Some(source) => source.fault(column, error),
        None => HierarchyFault { column: column.name.clone(), source: error, first: None, values: None },
    };
    RunError::Hierarchies(errors.into_iter().map(fault).collect())
}

/// A column with what its role asks for.
enum Fitted {
    Quasi(Quasi),
    Sensitive(Sensitive),
    Neither,
}

/// Counts the values of a column and fits its hierarchy to them.
fn fit(
    job: &Job,
    base: &Path,
    position: usize,
    column: &Column,
    population: Option<&Table>,
    counts: &(impl Fn(&Column) -> Vec<u64> + Sync),
) -> Result<Fitted, HierarchyError> {
    let Some(wanted) = job.columns.get(&column.name) else { return Ok(Fitted::Neither) };
    Ok(match wanted.role {
        Role::Quasi => {
            let joined = population.and_then(|table| Some(join(column, table.column(&column.name)?)));
            let domain = joined.as_ref().map_or(&column.domain, |joined| &joined.domain);
            let counts = match &joined {
                Some(joined) => count(&joined.codes, domain.len()),
                None => counts(column),
            };
            let (generalization, reading) = match &wanted.hierarchy {
                Some(spec) => {
                    let hierarchy = build(spec, base, domain, &counts)?;
                    (hierarchy.bind(domain)?, reading_of(&hierarchy))
                }
                None => {
                    let flat = Generalization::flat(domain)?;
                    let missing = domain.missing() as usize;
                    let levels =
                        flat.levels[1..].iter().map(|own| (&own.labels[..], &own.node_of_code[missing..]));
                    let reading = reading_of_levels(&domain.texts()[missing..], levels);
                    (flat, reading)
                }
            };
            let hides_missing = alike::hides(job, domain, &generalization.levels[1..]);
            let numbers = numbers(domain);
            let weight = wanted.weight.unwrap_or(1.0);
            let quasi =
                Quasi { position, generalization, counts, numbers, weight, reading, hides_missing, joined };
            Fitted::Quasi(quasi)
        }
        Role::Sensitive => {
            let counts = counts(column);
            let hierarchy = match &wanted.hierarchy {
                Some(spec) => Some(build(spec, base, &column.domain, &counts)?),
                None => None,
            };
            Fitted::Sensitive(Sensitive { position, counts, hierarchy })
        }
        Role::Identifier | Role::Insensitive => Fitted::Neither,
    })
}

/// A hierarchy that a requirement names stands in for the column's own.
fn own_hierarchies(
    requirements: &[Requirement],
    base: &Path,
    input: &Input,
    sensitive: &mut [Sensitive],
) -> Result<(), RunError> {
    for requirement in requirements {
        let Requirement::TCloseness { hierarchy: Some(path), column: Some(name), .. } = requirement else {
            continue;
        };
        for column in sensitive.iter_mut().filter(|s| input.table.columns[s.position].name == *name) {
            let domain = &input.table.columns[column.position].domain;
            let hierarchy = build(&HierarchySpec::File(path.clone()), base, domain, &column.counts)
                .map_err(|source| RunError::Hierarchy { column: name.clone(), source })?;
            column.hierarchy = Some(hierarchy);
        }
    }
    Ok(())
}

/// The numbers of a column's values, when it has numbers.
fn numbers(domain: &Domain) -> Option<Vec<f64>> {
    let is_number = matches!(domain.kind(), Kind::Integer | Kind::Decimal | Kind::Date);
    let number = |code| domain.number(code).unwrap_or(f64::NAN);
    is_number.then(|| (0..domain.len() as u32).map(number).collect())
}

/// How often each value occurs.
fn count(codes: &[u32], values: usize) -> Vec<u64> {
    /// Records that are often alike would wait for each other at one counter.
    const TABLES: usize = 4;
    let mut counts = vec![0u64; TABLES * values];
    let (fours, rest) = codes.as_chunks::<TABLES>();
    for four in fours {
        for (table, &code) in four.iter().enumerate() {
            counts[table * values + code as usize] += 1;
        }
    }
    for &code in rest {
        counts[code as usize] += 1;
    }
    (0..values).map(|value| (0..TABLES).map(|table| counts[table * values + value]).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::unknown::distance;

    #[test]
    fn names_are_compared_without_case_and_separators() {
        assert_eq!(distance("marital_status", "Marital-Status"), 0);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
    }
}
