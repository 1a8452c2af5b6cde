//! What every full-domain search shares: the problem is made ready once, the strategy looks at candidates,
//! and what it chose is judged once more before it is handed over.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use privet_criteria::Merging;
use privet_data::Progress;
use privet_measure::Objective;

use super::engine::{Buffers, Engine, MOST_NODES, Prepared, objective, reduce, tuple_entropy};
use super::problem::{Found, Problem, SearchError};
use super::seen::{Gathered, Seen};

/// What searches take that judge one class after the other.
pub(crate) const BUCKET_INDEPENDENT: &str = "criteria that judge every class by itself (bucket-independence)";

/// Refuses criteria that judge all classes together (survey Def 4.4 does not hold for them).
pub(crate) fn require_bucket_independent(
    problem: &Problem<'_>,
    algorithm: &'static str,
) -> Result<(), SearchError> {
    match problem.criteria.iter().find(|criterion| !criterion.bucket_independent()) {
        None => Ok(()),
        Some(criterion) => Err(SearchError::NotForCriterion {
            algorithm,
            criterion: criterion.key(),
            accepts: BUCKET_INDEPENDENT,
        }),
    }
}

/// A way of looking for a candidate in the lattice. Levels are in the order of the engine's columns.
pub trait Strategy {
    /// The word for it in job files.
    fn name(&self) -> &'static str;

    /// Whether it numbers the nodes of the lattice, so that there must not be too many of them.
    fn enumerates(&self) -> bool {
        true
    }

    /// Whether it rests on this: what is more general than a safe candidate is safe.
    fn needs_monotone(&self) -> bool {
        false
    }

    /// Whether it may choose a candidate where a finer one is just as good: then the finer one is taken.
    fn leaves_ties(&self) -> bool {
        false
    }

    /// Whether it looks at candidates through `Engine::check` and the like alone, so that criteria may judge all
    /// classes of a candidate together.
    fn judges_together(&self) -> bool {
        false
    }

    /// Looks for a candidate.
    fn search<const W: usize>(
        &self,
        engine: &Engine<'_, W>,
        progress: &dyn Progress,
    ) -> Result<Outcome, SearchError>;
}

/// What a strategy came to.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The candidate it chose, which must be safe; `None` when it found none.
    pub best: Option<Vec<usize>>,
    /// How often the classes of a candidate were formed: twice where two questions were asked of one, and, by searches over
    /// subsets of the columns, once for each candidate of a subset. So it may be more than the lattice has nodes.
    pub checked: u64,
    /// No safe candidate has a smaller value of the metric than this; `None` when nothing is known.
    pub bound: Option<f64>,
    /// The safe candidates that it promises to list: all minimal ones, or all of the least height.
    pub minimal: Option<Vec<Vec<usize>>>,
}

/// Runs a strategy on a problem.
///
/// # Errors
/// When the problem is not one for this strategy, no safe candidate was found, or the person stopped it.
pub fn run<S: Strategy>(
    problem: &Problem<'_>,
    strategy: &S,
    progress: &dyn Progress,
) -> Result<Found, SearchError> {
    run_prepared(Prepared::new(problem)?, problem, strategy, progress)
}

/// Runs a strategy on a problem whose codes list distinct tuples in place of records: `weights` tells how many records
/// each has. `problem.rows` and the counts of the columns are those of the records. The same tuple may be listed more
/// than once.
///
/// What is found is what [`run`] finds for the records; `problem.quasi[..].population` must be of people, as there.
///
/// # Errors
/// As [`run`].
pub fn run_weighted<S: Strategy>(
    problem: &Problem<'_>,
    weights: &[u32],
    strategy: &S,
    progress: &dyn Progress,
) -> Result<Found, SearchError> {
    run_prepared(Prepared::with_weights(problem, Some(weights))?, problem, strategy, progress)
}

fn run_prepared<S: Strategy>(
    mut prepared: Prepared<'_>,
    problem: &Problem<'_>,
    strategy: &S,
    progress: &dyn Progress,
) -> Result<Found, SearchError> {
    if !strategy.judges_together() {
        require_bucket_independent(problem, strategy.name())?;
    }
    if strategy.enumerates() && prepared.lattice.len() > MOST_NODES {
        let product: f64 = prepared.columns.iter().map(|column| column.height() as f64 + 1.0).product();
        return Err(SearchError::TooManyNodes { nodes: format!("{product:.3e}"), most: MOST_NODES });
    }
    if strategy.needs_monotone() {
        require_monotone(&prepared, problem, strategy.name())?;
    }
    match prepared.words() {
        1 => run_wide::<1, S>(&mut prepared, problem, strategy, progress),
        2 => run_wide::<2, S>(&mut prepared, problem, strategy, progress),
        3..=4 => run_wide::<4, S>(&mut prepared, problem, strategy, progress),
        5..=32 => run_wide::<32, S>(&mut prepared, problem, strategy, progress),
        words => Err(SearchError::TooWide { words }),
    }
}

fn run_wide<const W: usize, S: Strategy>(
    prepared: &mut Prepared<'_>,
    problem: &Problem<'_>,
    strategy: &S,
    progress: &dyn Progress,
) -> Result<Found, SearchError> {
    let started = Instant::now();
    let base = reduce::<W>(prepared);
    let reduction = started.elapsed();
    let objective = objective(prepared, &base)?;
    let mut engine = Engine::new(prepared, base, &objective);
    let outcome = strategy.search(&engine, progress)?;
    let unsettled = engine.unsettled.load(Ordering::Relaxed);
    let Some(mut levels) = outcome.best else { return Err(no_safe_node(&engine, problem, unsettled)) };
    if strategy.leaves_ties() {
        lower(&engine, &mut levels);
    }
    let judgement = engine.check(&mut Buffers::default(), &engine.base, &levels);
    if !judgement.safe {
        return Err(SearchError::Unsafe { algorithm: strategy.name() });
    }
    let chosen = Seen::new(&levels, &judgement);
    let seen =
        std::mem::take(&mut engine.seen).into_list(chosen, |levels| engine.prepared.in_problem_order(levels));
    let in_problem_order = |levels: &Vec<usize>| engine.prepared.in_problem_order(levels);
    let minimal = outcome.minimal.map(|nodes| {
        let mut nodes: Vec<Vec<usize>> = nodes.iter().map(in_problem_order).collect();
        nodes.sort();
        nodes
    });
    Ok(Found {
        levels: in_problem_order(&levels),
        value: judgement.value,
        // The last digit of a value depends on the snapshot that it was summed over. Where it is not known whether fewer
        // records could have been suppressed, neither is what a candidate could have cost.
        bound: outcome.bound.filter(|_| unsettled == 0).map(|bound| bound.min(judgement.value)),
        suppressed: judgement.suppressed,
        classes: judgement.classes,
        lattice_nodes: engine.prepared.lattice.len(),
        nodes_checked: outcome.checked,
        reduction,
        tuple_entropy: tuple_entropy(&engine.base, problem.rows),
        minimal,
        seen,
    })
}

/// Goes down in columns as long as that costs nothing: of equally good candidates the finer one is of more use, and a
/// search that leaves out what cannot be better does not meet it. Like the last look at what was chosen, this is not
/// counted.
fn lower<const W: usize>(engine: &Engine<'_, W>, levels: &mut [usize]) {
    let mut buffers = Buffers::default();
    let mut value = None;
    for column in 0..levels.len() {
        while levels[column] > 0 {
            let floor = engine.floor(levels);
            levels[column] -= 1;
            // Before suppression a metric over columns is less wherever a finer level makes a difference.
            if matches!(engine.objective, Objective::Additive(_)) && engine.floor(levels) < floor {
                levels[column] += 1;
                break;
            }
            let finer = engine.check(&mut buffers, &engine.base, levels);
            levels[column] += 1;
            let own = *value.get_or_insert_with(|| engine.check(&mut buffers, &engine.base, levels).value);
            if !finer.safe || finer.value > own {
                break;
            }
            value = Some(finer.value);
            levels[column] -= 1;
        }
    }
}

/// Refuses criteria under which a candidate may fail that is more general than a safe one. Where records may
/// be suppressed, a failing class must also never make a class fail that it is merged with.
fn require_monotone(
    prepared: &Prepared<'_>,
    problem: &Problem<'_>,
    algorithm: &'static str,
) -> Result<(), SearchError> {
    for criterion in problem.criteria {
        let enough = match criterion.merging() {
            Merging::Absorbing => true,
            Merging::Closed => prepared.limit == 0,
            Merging::Arbitrary => false,
        };
        if !enough {
            return Err(SearchError::NotMonotone {
                algorithm,
                criterion: criterion.key(),
                with_suppression: criterion.merging() == Merging::Closed,
            });
        }
    }
    Ok(())
}

/// Says what fails at the top of the lattice.
fn no_safe_node<const W: usize>(
    engine: &Engine<'_, W>,
    problem: &Problem<'_>,
    unsettled: u64,
) -> SearchError {
    let limit = engine.prepared.limit;
    let top: Vec<usize> = engine.prepared.columns.iter().map(|column| column.height()).collect();
    let mut failing = 0;
    let mut criteria = Vec::new();
    for criterion in problem.criteria {
        let alone = Engine {
            judge: engine.judge.alone(&**criterion),
            prepared: engine.prepared,
            base: engine.base.clone(),
            objective: engine.objective,
            most_classes: usize::MAX,
            seen: Gathered::new(),
            unsettled: AtomicU64::new(0),
        };
        let judgement = alone.check_all(&mut Buffers::default(), &alone.base, &top);
        if !judgement.safe {
            let promise = criterion.promise();
            criteria.push(format!("{}: {}", criterion.key(), promise.trim_end_matches('.')));
            failing = failing.max(judgement.suppressed);
        }
    }
    if criteria.is_empty() {
        criteria.push("the criteria together, though each alone could be met".into());
        failing = engine.check_all(&mut Buffers::default(), &engine.base, &top).suppressed;
    }
    let failing = failing.min(problem.rows as u64);
    match unsettled {
        0 => SearchError::NoSafeNode { failing, limit, criteria },
        candidates => SearchError::Unsettled { candidates, limit, criteria },
    }
}
