//! The minimality attack (survey AT-09; Wong, Fu, Wang and Pei) on the searches of this program.
//!
//! The adversary knows everybody's quasi-identifier, the criteria and the algorithm. Of the worlds of the release, those
//! remain for which the algorithm would have published just this: the same recoding and the same suppressed classes.
//! Beliefs count only these, and are set against those of random worlds, which count all.
//!
//! What it guarantees: up to `worlds_at_most` worlds it runs the algorithm on every one and is exact. With more, it draws
//! `samples` worlds or more, all equally likely, every belief has its standard error, and somebody is exposed only where a
//! bound that holds for all people together ([`certain`](super::certain)) is high enough; where too few worlds fit for that, the
//! attack is not made. There is no shortcut for large tables:
//! which worlds a finer candidate would have been safe in depends on all classes at once as soon as anything may be
//! suppressed, so a rule for single classes would not be exact. Where no criterion looks at sensitive values, and no label is
//! one, all worlds fit, and none has to be tried.
//!
//! A record of a suppressed class is published nowhere; its value may be any of the domain, each equally likely. With
//! several sensitive columns, records keep their values together.

use foldhash::{HashMap, HashMapExt};
use privet_criteria::Criterion;
use privet_data::{Cancelled, GeneralizedLevel, Progress};
use privet_recode::cut::AttributeSuppression;
use privet_recode::lattice::{Codes, Options, Problem, SearchError, optimal, partition};
use rayon::prelude::*;

use super::certain::{least_share, worlds_needed};
use crate::Rate;
use crate::worlds::{Belief, Beliefs, Bucket, Worlds, count_worlds};
use privet_data::Random;

/// Criteria bound to a table with these codes in its sensitive columns; `None` when they cannot be bound to it, so that
/// nothing would be published.
pub type Bind<'a> = dyn Fn(&[Vec<u32>]) -> Option<Vec<Box<dyn Criterion>>> + Sync + 'a;

/// The minimality attack.
pub struct MinimalityAttack<'a> {
    /// The table with its true values: the owner's own, to see what would be published.
    pub problem: &'a Problem<'a>,
    /// Which sensitive column beliefs are about.
    pub position: usize,
    /// Binds the criteria to another table, since some compare classes with all of it.
    pub bind: &'a Bind<'a>,
    /// Up to how many worlds all are gone through.
    pub worlds_at_most: u64,
    /// How many are drawn when there are more; up to ten times as many where too few of them fit to show anything.
    pub samples: u64,
    /// How sure of a value one must be: a sample must be large enough to show it.
    pub confidence: f64,
    /// The seed of the draws.
    pub seed: u64,
}

/// Which worlds were gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried {
    /// All of them.
    All(u64),
    /// So many, drawn at random.
    Sampled(u64),
    /// None: nothing that the algorithm looks at differs between them, so all lead to this release.
    NoneNeeded,
}

/// What the attack found.
#[derive(Debug, Clone)]
pub struct Minimality {
    /// Which worlds were gone through.
    pub tried: Tried,
    /// How many of them the algorithm would have published in the same way; when all were tried, the interval says
    /// nothing.
    pub consistent: Rate,
    /// Per record how many published records may be it: those of its class, or none where it is suppressed.
    pub candidates: Vec<u64>,
    /// What random worlds believe. People are numbered by their records.
    pub before: Beliefs,
    /// What is believed when the choice of the release is taken into account.
    pub after: Beliefs,
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
        "{fitting} of {tried} worlds that were drawn would have been published in this way, and it takes {needed} to be sure of \
         anybody; on a smaller table more of them can be gone through"
    )]
    TooFew {
        /// How many fit.
        fitting: u64,
        /// How many were drawn.
        tried: u64,
        /// How many must fit.
        needed: u64,
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
                let fitting = self.consistent.hits;
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
        let values = problem.sensitive[position].values;
        if problem.rows.saturating_mul(values) > 1 << 28 {
            return Err(MinimalityError::TooLarge { rows: problem.rows, values });
        }
        let quiet = Quiet(progress);
        let published = algorithm(problem, &quiet)?.ok_or(MinimalityError::NothingPublished)?;
        let seen = Seen::new(problem, &published.class_of, &published.kept)?;
        if !looks_at_values(problem) {
            let before = seen.before(position, values);
            let (tried, consistent) = (Tried::NoneNeeded, Rate::new(0, 0));
            let candidates = seen.candidates();
            return Ok(Minimality { tried, consistent, candidates, after: before.clone(), before });
        }
        let (exact, _) = count_worlds(&seen.buckets);
        let domain = problem.sensitive[position].values as u128;
        let all = (0..seen.free.len()).try_fold(exact, |all, _| Some(all?.checked_mul(domain))).flatten();
        let all = all.and_then(|all| u64::try_from(all).ok()).filter(|&all| all <= self.worlds_at_most);
        let total = all.unwrap_or(self.samples);
        let needed = match all {
            Some(_) => 1,
            None => worlds_needed(self.confidence, problem.rows)
                .ok_or(MinimalityError::NeverSure { confidence: self.confidence })?,
        };
        let mut source = Source::new(&seen, problem, all.is_some(), self);

        progress.stage("Worlds of the release", Some(total));
        let mut with = vec![0u64; problem.rows * values];
        let (mut tried, mut fitting) = (0u64, 0u64);
        const BATCH: u64 = 64;
        let patience = if all.is_some() { total } else { total.saturating_mul(10) };
        // Twice as many as are needed when all agree, so that some may not.
        let enough = needed.saturating_mul(2);
        while tried < total || (fitting < enough && tried < patience) {
            progress.check()?;
            if tried == total {
                progress.stage("More worlds of the release", Some(patience));
            }
            let left = if tried < total { total - tried } else { patience - tried };
            let batch: Vec<Vec<u32>> =
                std::iter::from_fn(|| source.next()).take(BATCH.min(left) as usize).collect();
            if batch.is_empty() {
                break;
            }
            let fits: Result<Vec<bool>, MinimalityError> = batch
                .par_iter()
                .map(|world| {
                    let codes = seen.codes(world);
                    let Some(criteria) = (self.bind)(&codes) else { return Ok(false) };
                    let other = other_world(problem, &codes, &criteria);
                    Ok(algorithm(&other, &quiet)?.as_ref() == Some(&published))
                })
                .collect();
            for (world, fits) in batch.iter().zip(fits?) {
                tried += 1;
                if fits {
                    fitting += 1;
                    for (row, &tuple) in world.iter().enumerate() {
                        with[row * values + seen.value(tuple, position) as usize] += 1;
                    }
                }
            }
            progress.at(tried);
        }
        let sampled = all.is_none();
        if fitting < needed {
            return Err(match sampled {
                true => MinimalityError::TooFew { fitting, tried, needed },
                false => MinimalityError::NoneFits,
            });
        }
        Ok(Minimality {
            tried: if sampled { Tried::Sampled(tried) } else { Tried::All(tried) },
            consistent: Rate::new(fitting, tried),
            candidates: seen.candidates(),
            before: seen.before(position, values),
            after: after(&with, values, fitting, sampled),
        })
    }
}

/// Whether anything that an algorithm looks at depends on sensitive values: a criterion, or the labels of records.
fn looks_at_values(problem: &Problem<'_>) -> bool {
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

/// What the adversary sees: which values each class has, and whose values are nowhere.
struct Seen {
    /// The published classes; their values are numbers of tuples of sensitive values.
    buckets: Vec<Bucket>,
    /// The records of suppressed classes.
    free: Vec<u32>,
    /// Per number a tuple, one code for each sensitive column.
    tuples: Vec<Vec<u32>>,
    rows: usize,
}

impl Seen {
    fn new(problem: &Problem<'_>, class_of: &[u32], kept: &[bool]) -> Result<Self, MinimalityError> {
        let mut tuples: Vec<Vec<u32>> = Vec::new();
        let mut number_of: HashMap<Vec<u32>, u32> = HashMap::new();
        if let [only] = &problem.sensitive[..] {
            // Suppressed records may have values that are published nowhere, so all have numbers: their codes.
            tuples = (0..only.values as u32).map(|code| vec![code]).collect();
            number_of = tuples.iter().cloned().zip(0..).collect();
        }
        let mut buckets = vec![Bucket::default(); kept.len()];
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
            buckets[class as usize].people.push(row);
            buckets[class as usize].values.push(number);
        }
        if problem.sensitive.len() > 1 && !free.is_empty() {
            return Err(MinimalityError::SuppressedTuples { suppressed: free.len() });
        }
        Ok(Self { buckets, free, tuples, rows: problem.rows })
    }

    fn value(&self, tuple: u32, position: usize) -> u32 {
        self.tuples[tuple as usize][position]
    }

    /// Per sensitive column the codes of a world.
    fn codes(&self, world: &[u32]) -> Vec<Vec<u32>> {
        let columns = self.tuples.first().map_or(0, Vec::len);
        (0..columns).map(|column| world.iter().map(|&tuple| self.value(tuple, column)).collect()).collect()
    }

    /// Per record the records of its class; none where it is suppressed.
    fn candidates(&self) -> Vec<u64> {
        let mut candidates = vec![0; self.rows];
        for bucket in &self.buckets {
            bucket.people.iter().for_each(|&row| candidates[row as usize] = bucket.people.len() as u64);
        }
        candidates
    }

    /// What random worlds believe.
    fn before(&self, position: usize, values: usize) -> Beliefs {
        let mut beliefs = Beliefs::with_capacity(self.rows);
        for bucket in &self.buckets {
            let mut own: Vec<u32> = bucket.values.iter().map(|&tuple| self.value(tuple, position)).collect();
            own.sort_unstable();
            let share = |run: &[u32]| (run[0], run.len() as f64 / own.len() as f64);
            let shared = beliefs.add(own.chunk_by(|a, b| a == b).map(share));
            bucket.people.iter().for_each(|&row| beliefs.about(row, shared));
        }
        let even = beliefs.add((0..values as u32).map(|value| (value, 1.0 / values as f64)));
        self.free.iter().for_each(|&row| beliefs.about(row, even));
        beliefs
    }
}

/// What the worlds that fit believe.
fn after(with: &[u64], values: usize, fitting: u64, sampled: bool) -> Beliefs {
    let mut beliefs = Beliefs::default();
    for (row, counts) in (0u32..).zip(with.chunks(values.max(1))) {
        let rates = (0u32..).zip(counts).map(|(value, &count)| (value, count, Rate::new(count, fitting)));
        let own = if sampled {
            // Half the 95 % interval, as a standard error: also where nothing, or everything, was seen.
            beliefs.add_estimated(
                rates.map(|(value, _, rate)| (value, rate.rate, (rate.high - rate.low) / 2.0 / 1.96)),
            )
        } else {
            beliefs.add(rates.filter(|(_, count, _)| *count > 0).map(|(value, _, rate)| (value, rate.rate)))
        };
        beliefs.about(row, own);
    }
    beliefs
}

/// Worlds one after the other: all, or drawn at random. A world is per record the number of its tuple.
struct Source<'a> {
    seen: &'a Seen,
    /// All worlds of the published classes; `None` when worlds are drawn.
    worlds: Option<Worlds>,
    random: Random,
    domain: u32,
    /// The values of the suppressed records, counting up; `None` before the first and after the last.
    free: Option<Vec<u32>>,
    current: Vec<u32>,
}

impl<'a> Source<'a> {
    fn new(seen: &'a Seen, problem: &Problem<'_>, all: bool, attack: &MinimalityAttack<'_>) -> Self {
        let worlds = all.then(|| Worlds::new(&seen.buckets, attack.worlds_at_most).ok()).flatten();
        Self {
            seen,
            worlds,
            random: Random::stream(attack.seed, 0),
            domain: problem.sensitive[attack.position].values as u32,
            free: None,
            current: vec![0; problem.rows],
        }
    }

    fn next(&mut self) -> Option<Vec<u32>> {
        let seen = self.seen;
        let Some(worlds) = &mut self.worlds else { return Some(self.draw()) };
        // The suppressed records count up within each world of the published classes.
        let counted_up = self.free.as_mut().is_some_and(|free| {
            let at = free.iter().rposition(|&value| value + 1 < self.domain);
            if let Some(at) = at {
                free[at] += 1;
                free[at + 1..].fill(0);
            }
            at.is_some()
        });
        if !counted_up {
            let world = worlds.advance()?;
            let people = seen.buckets.iter().flat_map(|bucket| &bucket.people);
            people.zip(world).for_each(|(&row, &tuple)| self.current[row as usize] = tuple);
            self.free = Some(vec![0; seen.free.len()]);
        }
        let free = self.free.iter().flatten();
        seen.free.iter().zip(free).for_each(|(&row, &value)| self.current[row as usize] = value);
        Some(self.current.clone())
    }

    fn draw(&mut self) -> Vec<u32> {
        let mut values = Vec::new();
        for bucket in &self.seen.buckets {
            values.clear();
            values.extend(&bucket.values);
            self.random.shuffle(&mut values);
            bucket.people.iter().zip(&values).for_each(|(&row, &tuple)| self.current[row as usize] = tuple);
        }
        for &row in &self.seen.free {
            self.current[row as usize] = self.random.below(self.domain as usize) as u32;
        }
        self.current.clone()
    }
}

#[cfg(test)]
mod tests;
