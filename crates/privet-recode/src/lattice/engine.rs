//! A problem made ready for searching: columns ordered, table reduced, metric prepared.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use privet_criteria::Criterion;
use privet_measure::{Objective, QuasiColumn as MeasuredColumn};

use super::columns::QuasiColumn;
use super::intern::Interner;
use super::judge::{HistogramScratch, Histograms, Judge, Judgement, Stop};
use super::problem::{Codes, Problem, SearchError};
use super::rollup::Scratch;
use super::seen::Gathered;
use super::snapshot::{Records, Snapshot, base_layout};
use super::space::Lattice;

/// The most nodes that a search keeps track of: it holds four or eight bytes for each.
pub const MOST_NODES: u64 = 1 << 31;

/// Snapshots of more tuples than this are large.
const LARGE: usize = 1 << 16;

/// What does not depend on the width of keys.
pub struct Prepared<'a> {
    /// Columns in the order of the search: position `i` is column `order[i]` of the problem.
    pub order: Vec<usize>,
    /// The columns, in that order.
    pub columns: Vec<QuasiColumn>,
    /// The lattice over them.
    pub lattice: Lattice,
    /// The most records that may be suppressed.
    pub limit: u64,
    histograms: Option<Histograms>,
    combination_of_row: Option<Cow<'a, [u32]>>,
    combinations: usize,
    problem: &'a Problem<'a>,
    /// Per listed tuple its records, when the problem lists tuples and not records.
    weights: Option<&'a [u32]>,
}

impl<'a> Prepared<'a> {
    /// Orders the columns and numbers what occurs in them.
    pub fn new(problem: &'a Problem<'a>) -> Result<Self, SearchError> {
        Self::with_weights(problem, None)
    }

    /// The same of a problem whose codes list tuples; `weights` tells the records of each.
    pub fn with_weights(problem: &'a Problem<'a>, weights: Option<&'a [u32]>) -> Result<Self, SearchError> {
        let listed = weights.map_or(problem.rows, <[u32]>::len);
        if problem.rows >= u32::MAX as usize {
            return Err(SearchError::TooManyRows);
        }
        if problem.metric.needs_class() && problem.label.is_none() {
            return Err(SearchError::NoLabel);
        }
        let (order, columns) = ordered_columns(problem);
        let heights: Vec<usize> = columns.iter().map(QuasiColumn::height).collect();
        let lattice = Lattice::new(&heights);
        // Who judges absence cannot be satisfied by suppression.
        let suppressible = !problem.criteria.iter().any(|criterion| criterion.judges_absence());
        let limit = if suppressible { problem.suppress_at_most } else { 0 };

        let mut used: Vec<bool> = vec![false; problem.sensitive.len()];
        for criterion in problem.criteria {
            for histogram in criterion.histograms() {
                used[histogram] = true;
            }
        }
        let label = problem.label.filter(|_| problem.metric.needs_class());
        let mut looked_at: Vec<Codes<'a>> =
            problem.sensitive.iter().zip(&used).filter(|(_, used)| **used).map(|(codes, _)| *codes).collect();
        looked_at.extend(label);
        let (histograms, combination_of_row, combinations) = if looked_at.is_empty() {
            (None, None, 1)
        } else {
            let (of_row, tuples) = combine(&looked_at, listed);
            let mut position = 0;
            let mut next = || {
                position += 1;
                tuples.iter().map(|tuple| tuple[position - 1]).collect::<Vec<u32>>()
            };
            let mut code_of: Vec<Option<Vec<u32>>> = used.iter().map(|&used| used.then(&mut next)).collect();
            let mut sizes: Vec<usize> = problem.sensitive.iter().map(|codes| codes.values).collect();
            let label = label.map(|codes| {
                code_of.push(Some(next()));
                sizes.push(codes.values);
                sizes.len() - 1
            });
            (Some(Histograms { code_of, sizes, label }), Some(of_row), tuples.len())
        };
        Ok(Self {
            order,
            columns,
            lattice,
            limit,
            histograms,
            combination_of_row,
            combinations,
            problem,
            weights,
        })
    }

    /// How many words a key needs.
    pub fn words(&self) -> usize {
        base_layout(&self.columns, self.combinations).words
    }

    /// Levels in the order of the problem.
    pub fn in_problem_order(&self, levels: &[usize]) -> Vec<usize> {
        let mut result = vec![0; levels.len()];
        for (&column, &level) in self.order.iter().zip(levels) {
            result[column] = level;
        }
        result
    }
}

/// The quasi columns in the order of the search, and their places in the problem. Large domains come first: fixing their
/// levels early makes the snapshots below them small.
pub(super) fn ordered_columns(problem: &Problem<'_>) -> (Vec<usize>, Vec<QuasiColumn>) {
    let mut order: Vec<usize> = (0..problem.quasi.len()).collect();
    let all: Vec<QuasiColumn> = problem
        .quasi
        .iter()
        .map(|quasi| {
            let mut occurs: Vec<bool> = quasi.counts.iter().map(|&count| count > 0).collect();
            for &code in quasi.population.unwrap_or_default() {
                occurs[code as usize] = true;
            }
            QuasiColumn::new(quasi.generalization, &occurs)
        })
        .collect();
    order.sort_by_key(|&i| std::cmp::Reverse(all[i].size(0)));
    let mut slots: Vec<Option<QuasiColumn>> = all.into_iter().map(Some).collect();
    let columns = order.iter().filter_map(|&i| slots[i].take()).collect();
    (order, columns)
}

/// Numbers the combinations of several columns that occur. One column stays as it is.
fn combine<'a>(columns: &[Codes<'a>], rows: usize) -> (Cow<'a, [u32]>, Vec<Vec<u32>>) {
    if let [only] = columns {
        return (Cow::Borrowed(only.codes), (0..only.values as u32).map(|code| vec![code]).collect());
    }
    let mut numbers: Vec<u32> = vec![0; rows];
    let mut tuples: Vec<Vec<u32>> = vec![Vec::new()];
    for column in columns {
        let mut interner = Interner::<1>::with_capacity(1024);
        let mut extended = Vec::new();
        for (number, &code) in numbers.iter_mut().zip(column.codes) {
            let (id, new) = interner.intern(&[u64::from(*number) << 32 | u64::from(code)]);
            if new {
                let mut tuple: Vec<u32> = tuples[*number as usize].clone();
                tuple.push(code);
                extended.push(tuple);
            }
            *number = id;
        }
        tuples = extended;
    }
    (Cow::Owned(numbers), tuples)
}

/// A problem reduced to its distinct tuples.
pub struct Engine<'a, const W: usize> {
    /// What does not depend on the width of keys.
    pub prepared: &'a Prepared<'a>,
    /// The distinct tuples of the table.
    pub base: Snapshot<W>,
    /// The judge.
    pub judge: Judge<'a>,
    /// The metric, over columns in the order of the search.
    pub objective: &'a Objective,
    /// With more classes than this, too many are too small, here and in every finer candidate.
    pub most_classes: usize,
    /// The candidates that were looked at.
    pub(super) seen: Gathered,
    /// Candidates of which it is not known whether fewer records could have been suppressed.
    pub(super) unsettled: AtomicU64,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Buffers<const W: usize> {
    /// For grouping.
    pub scratch: Scratch<W>,
    /// For judging.
    pub histograms: HistogramScratch,
}

/// The base snapshot of a problem.
pub fn reduce<const W: usize>(prepared: &Prepared<'_>) -> Snapshot<W> {
    let quasi: Vec<&[u32]> = prepared.order.iter().map(|&i| prepared.problem.quasi[i].codes).collect();
    let population: Vec<&[u32]> =
        prepared.order.iter().filter_map(|&i| prepared.problem.quasi[i].population).collect();
    let records = Records {
        quasi: &quasi,
        population: &population,
        sensitive: prepared.combination_of_row.as_deref(),
        rows: prepared.weights.map_or(prepared.problem.rows, <[u32]>::len),
        weights: prepared.weights,
    };
    Snapshot::reduce(&prepared.columns, &records, &base_layout(&prepared.columns, prepared.combinations))
}

/// The metric of a problem, over columns in the order of the search.
pub fn objective<const W: usize>(
    prepared: &Prepared<'_>,
    base: &Snapshot<W>,
) -> Result<Objective, SearchError> {
    let problem = prepared.problem;
    let columns: Vec<MeasuredColumn<'_>> = prepared
        .order
        .iter()
        .map(|&i| MeasuredColumn {
            generalization: problem.quasi[i].generalization,
            counts: problem.quasi[i].counts,
            weight: problem.quasi[i].weight,
        })
        .collect();
    Ok(Objective::new(problem.metric, &columns, problem.rows as u64, tuple_entropy(base, problem.rows))?)
}

/// Sum over the distinct tuples of p ln p.
pub fn tuple_entropy<const W: usize>(base: &Snapshot<W>, rows: usize) -> f64 {
    let n = rows.max(1) as f64;
    let share = |rows: u32| f64::from(rows) / n;
    base.rows.iter().filter(|&rows| rows > 0).map(|rows| share(rows) * share(rows).ln()).sum()
}

/// When a class needs m records and at most `limit` of n records are suppressed, there are at most `limit`
/// classes that are too small, and (n - limit)/m others.
fn most_classes(prepared: &Prepared<'_>) -> usize {
    let problem = prepared.problem;
    // Classes of people without records are not counted in records.
    if problem.quasi.iter().any(|quasi| quasi.population.is_some()) {
        return usize::MAX;
    }
    let needed = problem.criteria.iter().map(|criterion| criterion.least_rows()).max().unwrap_or(1).max(1);
    let limit = prepared.limit.min(problem.rows as u64);
    (limit + (problem.rows as u64 - limit) / needed) as usize
}

impl<'a, const W: usize> Engine<'a, W> {
    /// Puts the parts together.
    pub fn new(prepared: &'a mut Prepared<'_>, base: Snapshot<W>, objective: &'a Objective) -> Self
    where
        'a: 'a,
    {
        let histograms = prepared.histograms.take();
        let prepared: &'a Prepared<'_> = prepared;
        let surcharges = match objective {
            Objective::Additive(additive) => prepared
                .columns
                .iter()
                .enumerate()
                .map(|(i, column)| {
                    (0..=column.height())
                        .map(|level| {
                            let all = additive.surcharge(i, level);
                            column.hierarchy_nodes(level).iter().map(|&node| all[node as usize]).collect()
                        })
                        .collect()
                })
                .collect(),
            Objective::Grouped(_) => Vec::new(),
        };
        let (counting, looking): (Vec<&dyn Criterion>, Vec<&dyn Criterion>) = prepared
            .problem
            .criteria
            .iter()
            .map(|criterion| &**criterion)
            .partition(|criterion| criterion.histograms().is_empty());
        let together = looking.iter().copied().filter(|criterion| !criterion.bucket_independent()).collect();
        let judge = Judge {
            columns: &prepared.columns,
            counting,
            looking,
            together,
            objective,
            surcharges,
            limit: prepared.limit,
            histograms,
            small: OnceLock::new(),
        };
        Self {
            most_classes: most_classes(prepared),
            prepared,
            base,
            judge,
            objective,
            seen: Gathered::new(),
            unsettled: AtomicU64::new(0),
        }
    }

    /// The records of the table.
    pub fn rows(&self) -> u64 {
        self.prepared.problem.rows as u64
    }

    /// The levels of the most general candidate.
    pub fn top(&self) -> Vec<usize> {
        self.prepared.columns.iter().map(QuasiColumn::height).collect()
    }

    /// The metric of a candidate before any record is suppressed, below which it cannot be; 0 where only its
    /// classes could tell.
    pub fn floor(&self, levels: &[usize]) -> f64 {
        match self.objective {
            Objective::Additive(additive) => additive.floor(levels),
            Objective::Grouped(_) => 0.0,
        }
    }

    /// Like [`check`](Self::check), but does not stop as soon as the candidate is known to be hopeless, so that
    /// `suppressed` counts all records of failing classes.
    pub fn check_all(&self, buffers: &mut Buffers<W>, source: &Snapshot<W>, levels: &[usize]) -> Judgement {
        buffers.scratch.group(&self.prepared.columns, source, levels, usize::MAX);
        let stop = Stop::Never;
        let judgement = self.judge.judge(&mut buffers.scratch, &mut buffers.histograms, source, levels, stop);
        self.seen.note_whole(levels, &judgement);
        self.count_unsettled(&judgement);
        judgement
    }

    /// Forms the classes of a candidate from a finer snapshot and judges them.
    pub fn check(&self, buffers: &mut Buffers<W>, source: &Snapshot<W>, levels: &[usize]) -> Judgement {
        if !buffers.scratch.group(&self.prepared.columns, source, levels, self.most_classes) {
            return Judgement::hopeless();
        }
        let stop = Stop::WhenHopeless;
        let judgement = self.judge.judge(&mut buffers.scratch, &mut buffers.histograms, source, levels, stop);
        self.seen.note(levels, &judgement);
        self.count_unsettled(&judgement);
        judgement
    }

    fn count_unsettled(&self, judgement: &Judgement) {
        if !judgement.settled {
            self.unsettled.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The snapshot of a candidate, unless it would hardly be smaller than what it is made from: then it would
    /// only take room.
    pub fn roll_up_if_smaller(
        &self,
        buffers: &mut Buffers<W>,
        source: &Snapshot<W>,
        levels: &[usize],
    ) -> Option<Snapshot<W>> {
        // A large one must be much smaller, and since even trying takes much room it is estimated first.
        let large = source.len() > LARGE;
        let most = if large { source.len() / 4 } else { source.len() * 3 / 4 };
        if large && buffers.scratch.estimate(&self.prepared.columns, source, levels) > most {
            return None;
        }
        let columns = &self.prepared.columns;
        let whole = buffers.scratch.group(columns, source, levels, most);
        whole.then(|| buffers.scratch.snapshot(columns, source, levels))
    }

    /// The snapshot of a candidate, from a finer one.
    pub fn roll_up(&self, buffers: &mut Buffers<W>, source: &Snapshot<W>, levels: &[usize]) -> Snapshot<W> {
        buffers.scratch.group(&self.prepared.columns, source, levels, usize::MAX);
        buffers.scratch.snapshot(&self.prepared.columns, source, levels)
    }
}
