//! The minimality attack (survey AT-09; Wong, Fu, Wang and Pei) on the searches of this program.
//!
//! The adversary knows everybody's quasi-identifier, the criteria and the algorithm. Of the worlds of the release, those
//! remain for which the algorithm would have published just this: the same recoding and the same suppressed classes.
//! Beliefs count only these, and are set against those of random worlds, which count all.
//!
//! What it guarantees: up to `worlds_at_most` worlds it runs the algorithm on every one and is exact. With more, it draws
//! `samples` worlds, all equally likely, and every belief has its standard error. There is no shortcut for large tables:
//! which worlds a finer candidate would have been safe in depends on all classes at once as soon as anything may be
//! suppressed, so a rule for single classes would not be exact.
//!
//! A record of a suppressed class is published nowhere; its value may be any of the domain, each equally likely. With
//! several sensitive columns, records keep their values together.

use foldhash::{HashMap, HashMapExt};
use privet_criteria::Criterion;
use privet_data::{Cancelled, GeneralizedLevel, Progress};
use privet_recode::cut::AttributeSuppression;
use privet_recode::lattice::{Codes, Options, Problem, SearchError, optimal, partition};
use rayon::prelude::*;

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
    /// How many are drawn when there are more.
    pub samples: u64,
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
}

/// What the attack found.
#[derive(Debug, Clone)]
pub struct Minimality {
    /// Which worlds were gone through.
    pub tried: Tried,
    /// How many of them the algorithm would have published in the same way; when all were tried, the interval says
    /// nothing.
    pub consistent: Rate,
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
    /// No world that was tried fits.
    #[error(
        "none of {tried} worlds that were tried would have been published in this way; on a smaller table more of them can be"
    )]
    NoneFits {
        /// How many were tried.
        tried: u64,
    },
    /// The algorithm failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// What an algorithm publishes: per quasi column where its values go; `None` when it publishes nothing.
pub type Published = Option<Vec<GeneralizedLevel>>;

/// The optimal full-domain search, for [`MinimalityAttack::run`].
///
/// # Errors
/// When the search fails for another reason than that no candidate is safe.
pub fn optimal_levels(problem: &Problem<'_>, progress: &dyn Progress) -> Result<Published, SearchError> {
    match optimal(problem, Options::default(), progress) {
        Ok(found) => Ok(Some(problem.at(&found.levels).into_iter().cloned().collect())),
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
) -> Result<Published, SearchError> {
    match (AttributeSuppression {}).search(problem, progress) {
        Ok(found) => Ok(Some(found.found.columns)),
        Err(SearchError::NoSafeNode { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Minimality {
    /// Whom the choice of the release exposes: the value is believed with at least this chance, and random worlds
    /// would not. The surest first.
    pub fn exposed(&self, at_least: f64) -> Vec<Belief> {
        let mut exposed = self.after.exposed(at_least);
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
    pub fn run<A>(&self, algorithm: &A, progress: &dyn Progress) -> Result<Minimality, MinimalityError>
    where
        A: Fn(&Problem<'_>, &dyn Progress) -> Result<Published, SearchError> + Sync,
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
        let parts = partition(problem, &published.iter().collect::<Vec<_>>());
        let seen = Seen::new(problem, &parts.class_of, &parts.kept)?;
        let (exact, _) = count_worlds(&seen.buckets);
        let domain = problem.sensitive[position].values as u128;
        let all = (0..seen.free.len()).try_fold(exact, |all, _| Some(all?.checked_mul(domain))).flatten();
        let all = all.and_then(|all| u64::try_from(all).ok()).filter(|&all| all <= self.worlds_at_most);
        let total = all.unwrap_or(self.samples);
        let mut source = Source::new(&seen, problem, all.is_some(), self);

        progress.stage("Worlds of the release", Some(total));
        let mut with = vec![0u64; problem.rows * values];
        let (mut tried, mut fitting) = (0u64, 0u64);
        const BATCH: u64 = 64;
        while tried < total {
            progress.check()?;
            let batch: Vec<Vec<u32>> =
                std::iter::from_fn(|| source.next()).take(BATCH.min(total - tried) as usize).collect();
            if batch.is_empty() {
                break;
            }
            let fits: Result<Vec<bool>, MinimalityError> = batch
                .par_iter()
                .map(|world| {
                    let codes = seen.codes(world);
                    let Some(criteria) = (self.bind)(&codes) else { return Ok(false) };
                    let other = other_world(problem, &codes, &criteria);
                    let Some(recoding) = algorithm(&other, &quiet)? else { return Ok(false) };
                    if recoding != published {
                        return Ok(false);
                    }
                    // The same recoding has the same classes; which of them are kept depends on the values.
                    Ok(partition(&other, &recoding.iter().collect::<Vec<_>>()).kept == parts.kept)
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
        if fitting == 0 {
            return Err(MinimalityError::NoneFits { tried });
        }
        let sampled = all.is_none();
        Ok(Minimality {
            tried: if sampled { Tried::Sampled(tried) } else { Tried::All(tried) },
            consistent: Rate::new(fitting, tried),
            before: seen.before(position, values),
            after: after(&with, values, fitting, sampled),
        })
    }
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
