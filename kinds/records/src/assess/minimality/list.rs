//! The worlds of a list of people (survey AT-09): who of it is in the data, and who has which sensitive value. Nothing of the original is
//! known but what the release shows, so the job is run on each of them from the beginning: on the table that it would have been given.
//!
//! # Guarantee
//! A world leads to the release where the job publishes the same labels for the same people, and leaves out the same number. People who
//! look alike in all quasi columns are counted together, so searches that go by the order of records are refused.

use std::collections::HashMap;

use privet_attack::minimality::{
    ABSENT, Effort, ListAttack, Listed, Minimality, MinimalityError, looks_at_values,
};
use privet_attack::worlds::Bucket;
use privet_attack::{AttackError, Suspects, Truth};
use privet_data::io::{Format, Input};
use privet_data::{Cells, Column, Domain, Progress, Role, Table};
use privet_recode::lattice::{Problem, SearchError};
use privet_release::Published;

use super::again::{self, NOT_OF_THIS_JOB, OVERLAPPING, POINTS, Shown};
use crate::assess::original::{JobAt, count, recoding};
use crate::assess::people::{PeopleTable, shows_points};
use crate::chosen::Chosen;
use crate::countermeasure::{Countermeasure, p_safe};
use crate::error::RunError;
use crate::load::{Loaded, fit_all, population_of};
use crate::mondrian::MondrianSection;
use crate::run::Prepared;

/// The adversary's list.
#[derive(Clone, Copy)]
pub(in crate::assess) struct List<'a> {
    pub people: &'a PeopleTable,
    /// Where they may stand in the release.
    pub suspects: &'a Suspects,
    /// What is true of them, to score by.
    pub truth: Option<&'a Truth>,
}

/// The people of a list beside a release and its job.
struct Worlds<'a> {
    job: JobAt<'a>,
    release: &'a Published,
    listed: Listed,
    cell_of: Vec<u32>,
    /// The quasi columns of everybody, called as in the release and in its order.
    quasi: Table,
    /// Per person the group that they fit.
    group_of: Vec<Option<u32>>,
    /// Per group its first record.
    first_of: Vec<usize>,
    population: Option<Table>,
}

/// Makes the attack on a sensitive column; also tells, where the list holds others than those in the data, how many it has.
pub(super) fn attack(
    job: JobAt<'_>,
    release: &Published,
    list: List<'_>,
    column: usize,
    effort: Effort,
    progress: &dyn Progress,
) -> Result<(Minimality, Option<String>), AttackError> {
    let worlds = Worlds::new(job, release, list, progress)?;
    let first = worlds.listed.first();
    let looks = worlds.with_problem(&first, |_, problem| looks_at_values(problem)).unwrap_or(true);
    let leads = |world: &[u32], progress: &dyn Progress| worlds.leads(world, progress);
    if !looks && worlds.listed.is_whole() && !leads(&first, progress).map_err(|error| told(error.into()))? {
        return Err(told(MinimalityError::NoneFits));
    }
    let attack = ListAttack {
        listed: &worlds.listed,
        cell_of: &worlds.cell_of,
        position: column,
        values: release.sensitive[column].domain.len(),
        looks_at_values: looks,
        effort,
    };
    let found = attack.run(&leads, progress).map_err(told)?;
    let input = release.manifest.as_ref().map_or(0, |manifest| manifest.data.input_rows);
    let others = format!(
        "The list has {} people and the table {input} records: worlds also differ in who is in the data, and everybody is judged by those \
         that have them.",
        worlds.listed.people()
    );
    Ok((found, (!worlds.listed.is_whole()).then_some(others)))
}

/// Why the attack was not made.
fn told(error: MinimalityError) -> AttackError {
    match error {
        MinimalityError::Cancelled(_) | MinimalityError::Search(SearchError::Cancelled(_)) => {
            AttackError::Cancelled
        }
        MinimalityError::TooLarge { .. }
        | MinimalityError::TooFew { .. }
        | MinimalityError::NeverSure { .. } => AttackError::TooLarge(error.to_string()),
        MinimalityError::Lacking { records } => AttackError::Needs(format!(
            "the list of people lacks some who are in the data ({records} at least), so that what would have been published for others \
             is not known; give a list that holds all of them, written as in the data"
        )),
        MinimalityError::NoneFits => {
            AttackError::Needs(format!("{NOT_OF_THIS_JOB}, and a list that holds the people of the data"))
        }
        other => AttackError::Needs(other.to_string()),
    }
}

/// Why a list is not enough to work out again what was published, where it is not.
fn refused(job: JobAt<'_>) -> Option<&'static str> {
    let search = &job.job.search;
    let by_order = search.algorithm.depends_on_order();
    let target = search.parameters::<MondrianSection>().and_then(|own| own.target.as_deref());
    let is_listed = |name: &str| {
        let role = job.job.columns.get(name).map(|column| column.role);
        matches!(role, Some(Role::Quasi | Role::Sensitive))
    };
    if by_order {
        return Some(
            "what the search publishes may depend on the order of records, which a list of people does not tell; leave out [people] to \
             take those of the original, in their order",
        );
    }
    let mut looked_at = search.class.as_deref().into_iter().chain(target);
    (!looked_at.all(is_listed)).then_some(
        "the search looked at a column that is neither quasi nor sensitive, which a list of people does not tell; leave out [people] to take \
         those of the original",
    )
}

impl<'a> Worlds<'a> {
    fn new(
        job: JobAt<'a>,
        release: &'a Published,
        list: List<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, AttackError> {
        let needs = |why: &str| AttackError::Needs(why.to_owned());
        let Some(manifest) = &release.manifest else { return Err(needs("the release has no manifest")) };
        let is_p_safe = job.job.adversary.countermeasure == Some(Countermeasure::PSafe);
        if manifest.search.algorithm != job.job.search.word() || manifest.search.p_safe.is_some() != is_p_safe
        {
            return Err(needs(NOT_OF_THIS_JOB));
        }
        if release.separates_values() {
            return Err(needs("it is not certain who of a list is in which bucket"));
        }
        if release.quasi.iter().any(|&own| shows_points(release, own)) {
            return Err(needs(POINTS));
        }
        if !list.people.knows_all(release) {
            return Err(needs(
                "the list of people does not tell every quasi column of everybody on it, so that it is not known what the search would have \
                 been given",
            ));
        }
        let people = list.people.count();
        let mut group_of = Vec::with_capacity(people);
        for person in 0..people as u32 {
            group_of.push(match list.suspects.places_of(person) {
                [] => None,
                [place] => Some(place.group),
                _ => return Err(needs(OVERLAPPING)),
            });
        }
        // Equal values may have been published and suppressed, where labels are those of groups.
        let suppressed = manifest.data.suppressed;
        let is_alike = |&own: &usize| {
            let known = recoding(release, own);
            let kind = known.and_then(|own| Some(own.nodes.as_ref()?.kind.as_str()));
            known.is_some_and(|own| own.level.is_some()) || matches!(kind, Some("cut" | "ranges"))
        };
        let fit = group_of.iter().flatten().count();
        if suppressed > 0 && !release.quasi.iter().all(is_alike) && fit != release.table.rows {
            return Err(needs(OVERLAPPING));
        }
        if let Some(why) = refused(job) {
            return Err(needs(why));
        }
        let quasi = list.people.quasi(release);
        let listed = listed(release, &group_of, suppressed as usize).map_err(told)?;
        let mut first_of = vec![usize::MAX; release.groups.len()];
        for (record, &group) in release.group_of.iter().enumerate().rev() {
            first_of[group as usize] = record;
        }
        let population =
            population_of(job.job, job.base, progress).map_err(|error| needs(&error.to_string()))?;
        Ok(Self { job, release, listed, cell_of: cells(&quasi), quasi, group_of, first_of, population })
    }

    /// The table of a world, in the order of columns of the release; values that nobody of it has leave the domains, as if it was read.
    fn table(&self, world: &[u32]) -> Table {
        let present: Vec<u32> =
            (0u32..).zip(world).filter(|(_, tuple)| **tuple != ABSENT).map(|(person, _)| person).collect();
        let everybody: Vec<u32> = (0..present.len() as u32).collect();
        let column = |name: &str, codes: &[u32], domain: &Domain| Column {
            name: name.to_owned(),
            codes: codes.to_vec(),
            domain: domain.clone(),
            cells: Cells::Plain,
        };
        let sensitive = self.release.sensitive.iter().zip(self.listed.codes(world));
        let sensitive = sensitive.map(|(own, codes)| column(&own.name, &codes, &own.domain)).collect();
        let sensitive = Table { columns: sensitive, rows: present.len() }.select(&everybody);
        let mut quasi = self.quasi.select(&present);
        for column in &mut quasi.columns {
            let (domain, code_of) = column.domain.like(column.domain.texts().to_vec(), |_| false);
            column.codes.iter_mut().for_each(|code| *code = code_of[*code as usize]);
            column.domain = domain;
        }
        let mut columns: Vec<Column> = quasi.columns.into_iter().chain(sensitive.columns).collect();
        columns.sort_by_key(|own| self.release.table.position(&own.name));
        Table { columns, rows: present.len() }
    }

    /// The world as the search is given it; `None` where the job cannot be run on it.
    fn with_problem<T>(&self, world: &[u32], then: impl FnOnce(Given<'_>, &Problem<'_>) -> T) -> Option<T> {
        let table = self.table(world);
        let names = table.columns.iter().map(|own| own.name.clone()).collect();
        let input = Input { table, names, format: Format::Csv, dialect: None, bytes: 0 };
        let counts = |own: &Column| count(&own.codes, own.domain.len());
        let loaded = fit_all(self.job.job, self.job.base, input, self.population.as_ref(), counts).ok()?;
        let prepared = Prepared::new(&loaded).ok()?;
        let criteria = prepared.criteria(&loaded, &loaded.requirements).ok()?;
        let problem = prepared.problem(&loaded, self.job.job, &criteria);
        Some(then(Given { loaded: &loaded, prepared: &prepared }, &problem))
    }

    /// Whether the job publishes the release for a world.
    fn leads(&self, world: &[u32], progress: &dyn Progress) -> Result<bool, SearchError> {
        let JobAt { job, .. } = self.job;
        let is_p_safe = job.adversary.countermeasure == Some(Countermeasure::PSafe);
        self.with_problem(world, |given, problem| {
            let found = match is_p_safe {
                false => again::again(self.job, given.loaded, problem, progress)?,
                true => match p_safe::search(job, given.loaded, given.prepared, progress) {
                    Ok(decided) => again::released(problem, &Chosen::node(decided.found)),
                    Err(RunError::NothingSafe { .. }) => None,
                    Err(RunError::Cancelled(cancelled)) => return Err(cancelled.into()),
                    Err(RunError::Search(error)) => return Err(error),
                    Err(_) => {
                        return Err(SearchError::NothingFound { algorithm: job.search.word() });
                    }
                },
            };
            Ok(found.is_some_and(|found| self.is_released(world, given.loaded, &found)))
        })
        .unwrap_or(Ok(false))
    }

    /// Whether everybody of a world is published with the labels that the release has for them, and left out where it has none.
    fn is_released(
        &self,
        world: &[u32],
        loaded: &Loaded,
        found: &privet_attack::minimality::Released<Vec<Shown>>,
    ) -> bool {
        let present = world.iter().zip(&self.group_of).filter(|(tuple, _)| **tuple != ABSENT);
        let groups: Vec<Option<u32>> = present.map(|(_, group)| *group).collect();
        let is_kept = |class: u32| found.kept[class as usize];
        if !found.class_of.iter().zip(&groups).all(|(&class, group)| is_kept(class) == group.is_some()) {
            return false;
        }
        let columns = loaded.quasi.iter().zip(&found.shows).zip(&self.release.quasi);
        columns.into_iter().all(|((quasi, shown), &at)| {
            let own = &loaded.input.table.columns[quasi.position];
            let level = if let Shown::Level(level) = shown { Some(*level) } else { None };
            if recoding(self.release, at).and_then(|own| own.level) != level {
                return false;
            }
            // What is published as it was is the value by which people were found to fit.
            let labels = match shown {
                Shown::Level(0) => return true,
                Shown::Level(level) => Some(quasi.labels(own, &quasi.generalization.levels[*level])),
                Shown::Nodes(nodes) => Some(quasi.labels(own, nodes)),
                Shown::Labels(_) => None,
            };
            let published = &self.release.table.columns[at];
            (0..groups.len()).all(|row| {
                let Some(group) = groups[row] else { return true };
                let label = match (shown, &labels) {
                    (Shown::Labels(of_class), _) => &of_class[found.class_of[row] as usize],
                    (_, Some(of_code)) => &of_code[own.codes[row] as usize],
                    (_, None) => return false,
                };
                **label == *published.domain.text(published.codes[self.first_of[group as usize]])
            })
        })
    }
}

/// A world as a job has read it.
struct Given<'a> {
    loaded: &'a Loaded,
    prepared: &'a Prepared,
}

/// What the release shows of people who fit these groups: those who fit none may have been suppressed.
fn listed(
    release: &Published,
    group_of: &[Option<u32>],
    suppressed: usize,
) -> Result<Listed, MinimalityError> {
    let mut tuples: Vec<Vec<u32>> = Vec::new();
    if let [only] = &release.sensitive[..] {
        // Suppressed records may have each value.
        tuples = (0..only.domain.len() as u32).map(|code| vec![code]).collect();
    }
    let mut number_of: HashMap<Vec<u32>, u32> = tuples.iter().cloned().zip(0..).collect();
    let mut classes = vec![Bucket::default(); release.groups.len()];
    for (record, &group) in release.group_of.iter().enumerate() {
        let codes = release.sensitive.iter().filter_map(|own| own.codes.as_ref()?.get(record).copied());
        let tuple: Vec<u32> = codes.collect();
        let number = *number_of.entry(tuple.clone()).or_insert_with(|| {
            tuples.push(tuple);
            (tuples.len() - 1) as u32
        });
        classes[group as usize].values.push(number);
    }
    let mut free = Vec::new();
    for (person, group) in (0u32..).zip(group_of) {
        match group {
            Some(group) => classes[*group as usize].people.push(person),
            None => free.push(person),
        }
    }
    Listed::new(group_of.len(), classes, free, suppressed, tuples)
}

/// Per person a number that those have who are alike in all columns.
fn cells(quasi: &Table) -> Vec<u32> {
    let mut number_of: HashMap<Vec<u32>, u32> = HashMap::new();
    let key = |person: usize| quasi.columns.iter().map(|own| own.codes[person]).collect::<Vec<u32>>();
    (0..quasi.rows)
        .map(|person| {
            let next = number_of.len() as u32;
            *number_of.entry(key(person)).or_insert(next)
        })
        .collect()
}
