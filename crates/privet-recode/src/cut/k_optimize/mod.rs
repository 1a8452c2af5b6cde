//! k-Optimize (Bayardo, Agrawal, ICDE 2005; papers II.7, survey ME-07): the best of all recodings that cut the
//! ordered values of each column into ranges.
//!
//! The values of a column are ordered as the leaves of its hierarchy are. The *alphabet* is the boundaries between
//! neighbouring values that occur, a candidate is a set of boundaries, and records in classes that fail a criterion are
//! suppressed. The set-enumeration tree over all candidates is searched by branch and bound; see `tree.rs`.
//!
//! # Guarantee
//!
//! What is found is safe: its classes are formed once more from the records before it is handed over. `bound` is
//! proven: no candidate within the suppression limit has a smaller value. When neither limit struck it equals the
//! value, which then is the optimum.
//!
//! # Bounds
//!
//! Let a node have the head H and the tail A, and let S be a candidate of it, H ⊆ S ⊆ H ∪ A. The class of a record
//! under S contains its class under H ∪ A and lies within its class under H. Therefore:
//!
//! - *Discernibility.* A published record costs the size of its class: at least the size of its class under H ∪ A, and
//!   at least as many records as any class needs (k). A suppressed one costs n, which is no less. Of each class of H at
//!   least as many records are suppressed as the criteria say must leave it before it can be cut into classes that
//!   all hold (`Criterion::least_suppression`): all of a failing class when the criterion is absorbing, as
//!   k-anonymity is; at least one, or what the model can prove, when it is closed under merging; none is assumed
//!   otherwise. Each of them adds n minus the most that a record of the class was counted with.
//! - *Classification.* Records outside the majority label of their class only become more when classes merge, so those
//!   under H ∪ A are a bound; and a class costs at least the records that must leave it.
//! - *The limit.* The records that must leave the classes of H are suppressed by every S.
//!
//! Nothing else is asked of the criteria, so every criterion is accepted. A boundary v leaves the tail when these
//! bounds rule out H ∪ {v}, and joins the head when they rule out H with the tail A \ {v}. For absorbing criteria a
//! boundary also leaves the tail when it cannot pay anywhere: every class of H that it cuts gets a failing part, which
//! is worth no better cut than uncut (`Judge::may_pay`). Then S without it is in the node, costs no more than S,
//! and suppresses no more.
//!
//! # Departures from the paper
//!
//! The paper suppresses without limit and knows k-anonymity only; here the limit of the problem and any criteria
//! hold. It searches in depth; here the node with the smallest bound is next, for only that raises the proven bound
//! of a search that is cut short. Boundaries that must be present are found as well as those that must not, and the
//! search begins with a greedy candidate. Its condition for boundaries that cannot pay is checked against n: cutting
//! off a few records to be suppressed can pay under discernibility where a class has more than half of all records.

mod alphabet;
mod boundaries;
mod greedy;
mod grouping;
mod judge;
mod probe;
mod tree;
mod tuples;

use std::time::{Duration, Instant};

use privet_data::Progress;
use privet_measure::Metric;

use self::alphabet::Alphabet;
use self::boundaries::Boundaries;
use self::greedy::Greedy;
use self::judge::Judge;
use self::probe::Prober;
use self::tree::{Outcome, Tree};
use self::tuples::Tuples;
use super::{Found, measure};
use crate::algorithm::{Algorithm, AlgorithmInfo, Selected, read};
use crate::lattice::{Partition, Problem, Quasi, SearchError, partition, require_bucket_independent};

/// The word for it in job files.
const NAME: &str = "k-optimize";
/// Words of a key, beyond which classes cannot be formed.
const MOST_WORDS: usize = 32;

/// The parameters of k-Optimize. When a limit strikes, the best candidate so far is returned with a proven bound.
#[derive(Debug, Clone, PartialEq, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KOptimize {
    /// The most seconds that the search may take, up to half of them for the candidate it begins with. Where it
    /// stops then depends on the machine.
    pub time_limit: Option<f64>,
    /// The most nodes of the tree that are looked at; the same ones on every machine. 1,000 when neither limit is given.
    pub node_limit: Option<u64>,
}

/// The nodes that are looked at when no limit is given: enough to be exact for small alphabets, and seconds rather than
/// days for large ones.
const BY_DEFAULT: u64 = 1_000;

impl KOptimize {
    /// Searches for the recoding into ranges that minimizes discernibility or classification.
    ///
    /// # Errors
    /// When a parameter is out of range, the metric is another one, no candidate is safe, none was met before a limit
    /// struck, or the person stopped it.
    pub fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Found, SearchError> {
        let started = Instant::now();
        let time_limit = self.duration()?;
        refuse(problem)?;
        let alphabet = Alphabet::new(problem);
        let words = key_words(&alphabet);
        if words > MOST_WORDS {
            return Err(SearchError::TooWide { words });
        }
        let (judge, counted) = Judge::new(problem);
        let tuples = Tuples::reduce(problem, &alphabet, &counted);
        let prober = Prober { alphabet: &alphabet, tuples: &tuples, judge: &judge };

        let until = time_limit.and_then(|limit| started.checked_add(limit / 2));
        let greedy = Greedy::new(&prober, until, progress);
        let first = greedy.run()?;
        let deadline = time_limit.and_then(|limit| started.checked_add(limit));
        let node_limit = self.node_limit.or(self.time_limit.is_none().then_some(BY_DEFAULT));
        let tree = Tree { prober: &prober, deadline, node_limit, progress };
        let Outcome { best, bound, finished, probes } = tree.search(Some(first))?;
        let Some((_, set)) = best else {
            return Err(if finished {
                no_safe_candidate(problem, &alphabet, judge.limit)
            } else {
                SearchError::NothingFound { algorithm: NAME }
            });
        };

        let columns = alphabet.recode(problem, &set, &|_, _| true);
        let (parts, value) = measure(problem, &columns)?;
        let held = held(problem, &parts);
        let columns = alphabet.recode(problem, &set, &|column, leaf| held[column][leaf as usize]);
        let failing = parts.rows.iter().zip(&parts.kept).filter(|(_, kept)| !**kept);
        let suppressed: u64 = failing.map(|(rows, _)| rows).sum();
        if suppressed > judge.limit {
            return Err(SearchError::Unsafe { algorithm: NAME });
        }
        let bound = match problem.metric {
            _ if finished => value,
            Metric::Classification => bound as f64 / problem.rows.max(1) as f64,
            _ => bound as f64,
        };
        let checked = greedy.probes() + probes;
        Ok(Found { columns, value, bound: Some(bound.min(value)), suppressed, checked })
    }

    /// Whether every parameter is in range.
    ///
    /// # Errors
    /// When one is not; the error names its key.
    pub fn check(&self) -> Result<(), SearchError> {
        self.duration().map(|_| ())
    }

    /// The time limit, when both limits are in range.
    fn duration(&self) -> Result<Option<Duration>, SearchError> {
        if self.node_limit == Some(0) {
            return Err(SearchError::Parameter {
                key: "search.k-optimize.node-limit",
                problem: "must be a whole number of at least 1",
            });
        }
        let Some(seconds) = self.time_limit else { return Ok(None) };
        if !(seconds.is_finite() && seconds > 0.0) {
            return Err(SearchError::Parameter {
                key: "search.k-optimize.time-limit",
                problem: "must be a number of seconds above 0",
            });
        }
        // More than a duration can hold is as good as no limit.
        Ok(Duration::try_from_secs_f64(seconds).ok())
    }
}

/// Refuses problems that the search is not made for.
fn refuse(problem: &Problem<'_>) -> Result<(), SearchError> {
    if !matches!(problem.metric, Metric::Discernibility | Metric::Classification) {
        return Err(SearchError::NotForMetric {
            algorithm: NAME,
            accepts: "discernibility or classification",
        });
    }
    if problem.metric.needs_class() && problem.label.is_none() {
        return Err(SearchError::NoLabel);
    }
    let people = problem.quasi.first().and_then(|quasi| quasi.population).map_or(0, <[u32]>::len);
    if problem.rows.saturating_add(people) >= u32::MAX as usize {
        return Err(SearchError::TooManyRows);
    }
    require_bucket_independent(problem, NAME)
}

/// The words of 64 bits that the finest candidate needs for a key; no field crosses words.
fn key_words(alphabet: &Alphabet) -> usize {
    let (mut words, mut used) = (1, 0);
    for column in &alphabet.columns {
        let bits = usize::BITS - column.leaf_of_value.len().saturating_sub(1).leading_zeros();
        if used + bits > u64::BITS {
            words += 1;
            used = 0;
        }
        used += bits;
    }
    words
}

/// Per column and leaf whether a record of a class that is kept has it.
fn held(problem: &Problem<'_>, parts: &Partition) -> Vec<Vec<bool>> {
    let held = |quasi: &Quasi<'_>| {
        let Some(values) = quasi.generalization.levels.first() else { return Vec::new() };
        let mut held = vec![false; values.labels.len()];
        for (&code, &class) in quasi.codes.iter().zip(&parts.class_of) {
            held[values.node_of_code[code as usize] as usize] |= parts.kept[class as usize];
        }
        held
    };
    problem.quasi.iter().map(held).collect()
}

/// Says what fails when every column is one range.
fn no_safe_candidate(problem: &Problem<'_>, alphabet: &Alphabet, limit: u64) -> SearchError {
    let coarsest = alphabet.recode(problem, &Boundaries::none(alphabet.len()), &|_, _| true);
    let coarsest: Vec<_> = coarsest.iter().collect();
    let parts = partition(problem, &coarsest);
    let failing = parts.rows.iter().zip(&parts.kept).filter(|(_, kept)| !**kept).map(|(rows, _)| rows).sum();
    let mut criteria = Vec::new();
    for criterion in problem.criteria {
        let alone = Problem {
            quasi: problem.quasi.clone(),
            sensitive: problem.sensitive.clone(),
            criteria: std::slice::from_ref(criterion),
            label: None,
            ..*problem
        };
        if partition(&alone, &coarsest).kept.contains(&false) {
            let promise = criterion.promise();
            criteria.push(format!("{}: {}", criterion.key(), promise.trim_end_matches('.')));
        }
    }
    if criteria.is_empty() {
        criteria.push("people of the population table without records".into());
    }
    SearchError::NoSafeNode { failing, limit, criteria }
}

impl KOptimize {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "k-optimize",
        summary: "The best ordered partitions (Bayardo and Agrawal).",
        guarantees: &[
            "The promises hold. No way to cut the ordered values of the columns into ranges is better than the bound that is stated; where the bound is reached, none is better than this one.",
        ],
        judges_together: false,
        needs_monotone: false,
        publishes: None,
        read: read::<KOptimize>,
    };
}

impl Algorithm for KOptimize {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn check(&self) -> Result<(), SearchError> {
        Self::check(self)
    }

    fn is_timed(&self) -> bool {
        self.time_limit.is_some()
    }

    fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Selected, SearchError> {
        Ok(Selected::Cut { found: self.search(problem, progress)?, kind: "ranges", minimal: None })
    }
}
