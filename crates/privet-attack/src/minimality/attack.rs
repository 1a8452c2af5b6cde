//! The minimality attack (survey AT-09; Wong, Fu, Wang and Pei) on the searches of this program.
//!
//! The adversary knows everybody's quasi-identifier, the criteria and the algorithm. Of the worlds of the release, those
//! remain for which the algorithm would have published just this: the same recoding and the same suppressed classes.
//! Beliefs count only these, and are set against those of random worlds, which count all.
//!
//! Whom the adversary knows is a list. Where it is as long as the table, a world is who has which value; where it holds others too, also
//! who is in the data. Whoever is attacked is attacked given that they are: beliefs about somebody count the worlds that have them.
//!
//! What it guarantees: up to `worlds_at_most` worlds, people who look alike being counted together, it runs the algorithm on every one and
//! is exact. With more, it draws
//! `samples` worlds or more, all equally likely, every belief has its standard error, and somebody is exposed only where a
//! bound that holds for all people together ([`certain`](super::certain)) is high enough; where too few worlds fit for that, the
//! attack is not made. There is no shortcut for large tables:
//! which worlds a finer candidate would have been safe in depends on all classes at once as soon as anything may be
//! suppressed, so a rule for single classes would not be exact. Where no criterion looks at sensitive values, and no label is
//! one, who has which value changes nothing, and no world has to be tried.
//!
//! A record of a suppressed class is published nowhere; its value may be any of the domain, each equally likely. With
//! several sensitive columns, records keep their values together.

use foldhash::{HashMap, HashMapExt};
use privet_criteria::Criterion;
use privet_data::{Cancelled, GeneralizedLevel, Progress};
use privet_recode::cut::AttributeSuppression;
use privet_recode::lattice::{Codes, Options, Problem, SearchError, optimal, partition};
use rayon::prelude::*;

use super::certain::{is_hopeless, least_share, worlds_needed};
use super::listed::{ABSENT, Listed, Source};
use crate::Rate;
use crate::worlds::{Belief, Beliefs, Bucket};

/// Criteria bound to a table with these codes in its sensitive columns; `None` when they cannot be bound to it, so that
/// nothing would be published.
pub type Bind<'a> = dyn Fn(&[Vec<u32>]) -> Option<Vec<Box<dyn Criterion>>> + Sync + 'a;

/// How much is done to go through worlds.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Up to how many worlds all are gone through.
    pub worlds_at_most: u64,
    /// How many are drawn when there are more; up to ten times as many where too few of them fit to show anything.
    pub samples: u64,
    /// How sure of a value one must be: a sample must be large enough to show it.
    pub confidence: f64,
    /// The seed of the draws.
    pub seed: u64,
}

/// The minimality attack on the people of a table, all of whom are in the data.
pub struct MinimalityAttack<'a> {
    /// The table with its true values: the owner's own, to see what would be published.
    pub problem: &'a Problem<'a>,
    /// Which sensitive column beliefs are about.
    pub position: usize,
    /// Binds the criteria to another table, since some compare classes with all of it.
    pub bind: &'a Bind<'a>,
    /// How much is done.
    pub effort: Effort,
}

/// The minimality attack on the people of a list, some of whom may not be in the data.
pub struct ListAttack<'a> {
    /// The people, and what the release shows of them.
    pub listed: &'a Listed,
    /// Per person the cell. The algorithm does not tell people of one cell apart.
    pub cell_of: &'a [u32],
    /// Which sensitive column beliefs are about.
    pub position: usize,
    /// How many values it has.
    pub values: usize,
    /// Whether anything that the algorithm looks at depends on sensitive values.
    pub looks_at_values: bool,
    /// How much is done.
    pub effort: Effort,
}

/// Whether a world leads to the release: per person the number of a tuple, or [`ABSENT`](super::ABSENT).
pub type Leads<'a> = dyn Fn(&[u32], &dyn Progress) -> Result<bool, SearchError> + Sync + 'a;

/// Which worlds were gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried {
    /// All of them, so many when people are told apart.
    All(u128),
    /// So many, drawn at random.
    Sampled(u64),
    /// None: nothing that the algorithm looks at depends on who has which value.
    NoneNeeded,
}

/// What the attack found.
#[derive(Debug, Clone)]
pub struct Minimality {
    /// Which worlds were gone through.
    pub tried: Tried,
    /// How many of them the algorithm would have published in the same way.
    pub fitting: u128,
    /// Per person how many published records may be theirs: those of the class, or none where they fit none.
    pub candidates: Vec<u64>,
    /// What random worlds believe of people, given that they are in the data.
    pub before: Beliefs,
    /// What is believed when the choice of the release is taken into account. Nothing of those who are in none of these worlds.
    pub after: Beliefs,
    /// Per person in how many of the worlds that were drawn and fit they are in the data.
    present: Vec<u64>,
}

/// Why the attack was not made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MinimalityError {
    /// There is no such sensitive column.
    #[error("the problem has {columns} sensitive columns; position {position} is none of them")]
    NoColumn {
        /// What was asked for.
        position: usize,
        /// How many there are.
        columns: usize,
    },
    /// The algorithm publishes nothing for the true table.
    #[error("the algorithm publishes nothing for this table, so there is nothing to attack")]
    NothingPublished,
    /// Records are suppressed, and there are several sensitive columns.
    #[error(
        "{suppressed} records are suppressed and there are several sensitive columns; what a suppressed record may hold \
         is known for one sensitive column only"
    )]
    SuppressedTuples {
        /// How many.
        suppressed: usize,
    },
    /// The table is too large to keep count.
    #[error(
        "{rows} records with {values} possible values each are too many for this attack; use a smaller table"
    )]
    TooLarge {
        /// The records.
        rows: usize,
        /// The possible values.
        values: usize,
    },
    /// Too few of the worlds that were drawn fit.
    #[error(
        "{fitting} of {tried} worlds that were drawn would have been published in this way, and it takes {needed} of {most} to be sure \
         of anybody; on a smaller table more of them can be gone through"
    )]
    TooFew {
        /// How many fit.
        fitting: u64,
        /// How many were drawn.
        tried: u64,
        /// How many must fit.
        needed: u64,
        /// Of how many that are drawn at most.
        most: u64,
    },
    /// A sample is never enough.
    #[error(
        "there are more worlds than can be gone through, and a sample of them makes nobody {} % sure of a value; ask for less \
         confidence",
        crate::percent(*confidence)
    )]
    NeverSure {
        /// How sure one wants to be.
        confidence: f64,
    },
    /// The people are not all who are in the data.
    #[error("{records} more records than people who may have them: some of those in the data are not known")]
    Lacking {
        /// Records that nobody may have.
        records: usize,
    },
    /// No world at all fits: the algorithm does not give the same for the same table.
    #[error("no world would have been published in this way, not even the true one")]
    NoneFits,
    /// The algorithm failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// What an algorithm publishes for a table, but for the sensitive values.
#[derive(Debug, Clone, PartialEq)]
pub struct Released<S> {
    /// Per record its class. Classes are numbered in the order in which they first appear.
    pub class_of: Vec<u32>,
    /// Per class whether it is published.
    pub kept: Vec<bool>,
    /// What classes show: equal where the same is published.
    pub shows: S,
}

/// The same; `None` when nothing is published.
pub type Published<S> = Option<Released<S>>;

impl Released<Vec<GeneralizedLevel>> {
    /// Of a recoding, which tells per quasi column where its values go.
    pub fn recoded(problem: &Problem<'_>, recoding: Vec<GeneralizedLevel>) -> Self {
        let parts = partition(problem, &recoding.iter().collect::<Vec<_>>());
        Self { class_of: parts.class_of, kept: parts.kept, shows: recoding }
    }
}

/// The optimal full-domain search, for [`MinimalityAttack::run`].
///
/// # Errors
/// When the search fails for another reason than that no candidate is safe.
pub fn optimal_levels(
    problem: &Problem<'_>,
    progress: &dyn Progress,
) -> Result<Published<Vec<GeneralizedLevel>>, SearchError> {
    match optimal(problem, Options::default(), progress) {
        Ok(found) => {
            let recoding = problem.at(&found.levels).into_iter().cloned().collect();
            Ok(Some(Released::recoded(problem, recoding)))
        }
        Err(SearchError::NoSafeNode { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Attribute suppression, for [`MinimalityAttack::run`].
///
/// # Errors
/// When the search fails for another reason than that no candidate is safe.
pub fn attribute_suppression(
    problem: &Problem<'_>,
    progress: &dyn Progress,
) -> Result<Published<Vec<GeneralizedLevel>>, SearchError> {
    match (AttributeSuppression {}).search(problem, progress) {
        Ok(found) => Ok(Some(Released::recoded(problem, found.found.columns))),
        Err(SearchError::NoSafeNode { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Minimality {
    /// How sure of a value of a person one is at least: as sure as shown where all worlds were gone through.
    pub fn least(&self, person: u32, value: u32) -> f64 {
        let chance = self.after.chance(person, value);
        match self.tried {
            Tried::Sampled(_) => {
                let fitting = self.present.get(person as usize).copied().unwrap_or(0);
                let hits = (chance * fitting as f64).round() as u64;
                least_share(hits, fitting, self.after.people().len())
            }
            Tried::All(_) | Tried::NoneNeeded => chance,
        }
    }

    /// Whom the release and its choice expose: the value is believed with at least this chance, whatever worlds were drawn.
    /// The surest first.
    pub fn exposed(&self, at_least: f64) -> Vec<Belief> {
        let mut exposed = self.after.likely(at_least);
        exposed.retain(|belief| self.least(belief.person, belief.value) >= at_least - 1e-12);
        exposed
    }

    /// Those of them whom random worlds would not expose.
    pub fn exposed_by_choice(&self, at_least: f64) -> Vec<Belief> {
        let mut exposed = self.exposed(at_least);
        exposed.retain(|belief| self.before.chance(belief.person, belief.value) < at_least - 1e-12);
        exposed
    }
}

/// Passes on that a person wants to stop, and nothing else: the runs within an attack are no stages of it.
struct Quiet<'a>(&'a dyn Progress);

impl Progress for Quiet<'_> {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn at(&self, _done: u64) {}
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

impl MinimalityAttack<'_> {
    /// Makes the attack on what the algorithm publishes.
    ///
    /// # Errors
    /// When the position is no sensitive column, nothing is published, the algorithm fails, no world fits, or the
    /// person stopped it.
    pub fn run<A, S>(&self, algorithm: &A, progress: &dyn Progress) -> Result<Minimality, MinimalityError>
    where
        A: Fn(&Problem<'_>, &dyn Progress) -> Result<Published<S>, SearchError> + Sync,
        S: PartialEq + Sync,
    {
        let (problem, position) = (self.problem, self.position);
        let columns = problem.sensitive.len();
        if position >= columns {
            return Err(MinimalityError::NoColumn { position, columns });
        }
        let published = algorithm(problem, &Quiet(progress))?.ok_or(MinimalityError::NothingPublished)?;
        let listed = listed(problem, &published.class_of, &published.kept)?;
        let leads = |world: &[u32], quiet: &dyn Progress| {
            let codes = listed.codes(world);
            let Some(criteria) = (self.bind)(&codes) else { return Ok(false) };
            let other = other_world(problem, &codes, &criteria);
            Ok(algorithm(&other, quiet)?.as_ref() == Some(&published))
        };
        // Algorithms may go by the order of records, so that no two of them are alike.
        let cell_of: Vec<u32> = (0..problem.rows as u32).collect();
        let attack = ListAttack {
            listed: &listed,
            cell_of: &cell_of,
            position,
            values: problem.sensitive[position].values,
            looks_at_values: looks_at_values(problem),
            effort: self.effort,
        };
        attack.run(&leads, progress)
    }
}

impl ListAttack<'_> {
    /// Makes the attack.
    ///
    /// # Errors
    /// When the algorithm fails, no world fits or too few of them, there are too many people, or the person stopped it.
    pub fn run(&self, leads: &Leads<'_>, progress: &dyn Progress) -> Result<Minimality, MinimalityError> {
        let Self { listed, position, values, effort, .. } = *self;
        let people = listed.people();
        if people.saturating_mul(values) > 1 << 28 {
            return Err(MinimalityError::TooLarge { rows: people, values });
        }
        let (before, candidates) = (listed.before(position, values), listed.candidates());
        if !self.looks_at_values {
            let (tried, after) = (Tried::NoneNeeded, before.clone());
            return Ok(Minimality { tried, fitting: 0, candidates, before, after, present: Vec::new() });
        }
        let quiet = Quiet(progress);
        let mut source = Source::new(listed, self.cell_of, effort);
        let needed = match source.all {
            Some(_) => 1,
            None => worlds_needed(effort.confidence, people)
                .ok_or(MinimalityError::NeverSure { confidence: effort.confidence })?,
        };

        let total = source.steps;
        progress.stage("Worlds of the release", Some(total));
        let cells = source.cell_of.iter().max().map_or(0, |&cell| cell as usize + 1);
        let mut with = vec![0u128; cells * values];
        // How many were tried and fit, and how many the latter are when people are told apart.
        let (mut tried, mut fits, mut fitting) = (0u64, 0u64, 0u128);
        const BATCH: u64 = 64;
        let patience = if source.all.is_some() { total } else { total.saturating_mul(10) };
        // Twice as many as are needed when all agree, so that some may not.
        let enough = needed.saturating_mul(2);
        while tried < total || (fits < enough && tried < patience) {
            progress.check()?;
            if tried == total {
                progress.stage("More worlds of the release", Some(patience));
            }
            let left = if tried < total { total - tried } else { patience - tried };
            let batch: Vec<(Vec<u32>, u128)> =
                std::iter::from_fn(|| source.next()).take(BATCH.min(left) as usize).collect();
            if batch.is_empty() {
                break;
            }
            let found: Result<Vec<bool>, SearchError> =
                batch.par_iter().map(|(world, _)| leads(world, &quiet)).collect();
            for ((world, weight), is_fit) in batch.iter().zip(found?) {
                tried += 1;
                if !is_fit {
                    continue;
                }
                (fits, fitting) = (fits + 1, fitting + weight);
                for (&cell, &tuple) in source.cell_of.iter().zip(world).filter(|(_, tuple)| **tuple != ABSENT)
                {
                    with[cell as usize * values + listed.value(tuple, position) as usize] += weight;
                }
            }
            progress.at(tried);
            if source.all.is_none() && is_hopeless(fits, tried, needed, patience) {
                break;
            }
        }
        if fits < needed {
            return Err(match source.all {
                None => MinimalityError::TooFew { fitting: fits, tried, needed, most: patience },
                Some(_) => MinimalityError::NoneFits,
            });
        }
        let of_cell = |cell: &[u128]| cell.iter().sum::<u128>() as u64;
        let present = match source.all {
            None => with.chunks(values.max(1)).map(of_cell).collect(),
            Some(_) => Vec::new(),
        };
        Ok(Minimality {
            tried: source.all.map_or(Tried::Sampled(tried), Tried::All),
            fitting,
            candidates,
            before,
            after: after(&with, values, &source.cell_of, source.all.is_none()),
            present,
        })
    }
}

/// Whether anything that an algorithm looks at depends on sensitive values: a criterion, or the labels of records.
pub fn looks_at_values(problem: &Problem<'_>) -> bool {
    let is_sensitive =
        |label: &Codes<'_>| problem.sensitive.iter().any(|own| std::ptr::eq(own.codes, label.codes));
    problem.criteria.iter().any(|own| !own.histograms().is_empty())
        || problem.label.as_ref().is_some_and(is_sensitive)
}

/// The problem with other sensitive values.
fn other_world<'a>(
    problem: &Problem<'a>,
    codes: &'a [Vec<u32>],
    criteria: &'a [Box<dyn Criterion>],
) -> Problem<'a> {
    let replaced = |column: &Codes<'a>| {
        let same = problem.sensitive.iter().position(|own| std::ptr::eq(own.codes, column.codes));
        match same.and_then(|at| codes.get(at)) {
            Some(codes) => Codes { codes, values: column.values },
            None => *column,
        }
    };
    Problem {
        rows: problem.rows,
        quasi: problem.quasi.clone(),
        sensitive: (0..)
            .zip(&problem.sensitive)
            .map(|(at, own): (usize, _)| {
                codes.get(at).map_or(*own, |codes| Codes { codes, values: own.values })
            })
            .collect(),
        // Labels that are a sensitive column change with it.
        label: problem.label.as_ref().map(replaced),
        criteria,
        metric: problem.metric,
        suppress_at_most: problem.suppress_at_most,
    }
}

/// The people of a table, and what is published of them.
fn listed(problem: &Problem<'_>, class_of: &[u32], kept: &[bool]) -> Result<Listed, MinimalityError> {
    let mut tuples: Vec<Vec<u32>> = Vec::new();
    let mut number_of: HashMap<Vec<u32>, u32> = HashMap::new();
    if let [only] = &problem.sensitive[..] {
        // Suppressed records may have values that are published nowhere, so all have numbers: their codes.
        tuples = (0..only.values as u32).map(|code| vec![code]).collect();
        number_of = tuples.iter().cloned().zip(0..).collect();
    }
    let mut classes = vec![Bucket::default(); kept.len()];
    let mut free = Vec::new();
    for (row, &class) in (0u32..).zip(class_of) {
        if !kept[class as usize] {
            free.push(row);
            continue;
        }
        let tuple: Vec<u32> = problem.sensitive.iter().map(|column| column.codes[row as usize]).collect();
        let number = *number_of.entry(tuple.clone()).or_insert_with(|| {
            tuples.push(tuple);
            (tuples.len() - 1) as u32
        });
        classes[class as usize].people.push(row);
        classes[class as usize].values.push(number);
    }
    let suppressed = free.len();
    if problem.sensitive.len() > 1 && suppressed > 0 {
        return Err(MinimalityError::SuppressedTuples { suppressed });
    }
    Listed::new(problem.rows, classes, free, suppressed, tuples)
}

/// What the worlds that fit believe of each person, by how often each cell has each value in them.
fn after(with: &[u128], values: usize, cell_of: &[u32], sampled: bool) -> Beliefs {
    let mut beliefs = Beliefs::default();
    let mut of_cell = Vec::new();
    for counts in with.chunks(values.max(1)) {
        let present: u128 = counts.iter().sum();
        let shares = (0u32..).zip(counts).map(|(value, &count)| (value, count));
        of_cell.push((present > 0).then(|| match sampled {
            // Half the 95 % interval, as a standard error: also where nothing, or everything, was seen.
            true => beliefs.add_estimated(shares.map(|(value, count)| {
                let rate = Rate::new(count as u64, present as u64);
                (value, rate.rate, (rate.high - rate.low) / 2.0 / 1.96)
            })),
            false => beliefs.add(
                shares.filter(|own| own.1 > 0).map(|(value, count)| (value, count as f64 / present as f64)),
            ),
        }));
    }
    for (person, &cell) in (0u32..).zip(cell_of) {
        if let Some(own) = of_cell.get(cell as usize).copied().flatten() {
            beliefs.about(person, own);
        }
    }
    beliefs
}

#[cfg(test)]
mod lists;
#[cfg(test)]
mod tests;
