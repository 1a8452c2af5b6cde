//! Exact hiding by integer programs (papers T-AL10: Menon, Sarkar, Mukherjee; Gkoulalas-Divanis, Verykios).
//!
//! [`by_transactions`]: the fewest transactions that lose every sensitive itemset they hold. Transactions that hold the same sensitive
//! itemsets are alike, so there is one whole number per such class and not one bit per transaction.
//!
//! [`by_items`]: as few border itemsets as possible become infrequent, and among these answers as few single items as possible are
//! removed. Transactions with the same sensitive items and the same border itemsets are alike; a whole number per class and
//! per way to break sensitive itemsets says how many lose which items.
//!
//! The solver is microlp, or HiGHS with the feature `highs`. Support decides here, not confidence. When time runs out, the best answer so far is given with its gap; without any, the heuristic
//! answer is given and no gap is claimed.

use std::collections::BTreeMap;

#[cfg(feature = "highs")]
use good_lp::highs as solver;
#[cfg(not(feature = "highs"))]
use good_lp::microlp as solver;
use good_lp::{
    Expression, ProblemVariables, Solution, SolutionStatus, SolverModel, Variable, WithTimeLimit, constraint,
    variable,
};
use serde::{Deserialize, Serialize};

use super::border::positive_border;
use super::{Task, remove};
use crate::MineError;
use crate::rules::{Transactions, contains};

/// Sensitive items in one transaction beyond which single items are not searched exactly.
const MOST_ITEMS: usize = 12;

/// How long exact methods may take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExactOptions {
    /// Seconds for the solver.
    pub seconds: f64,
}

impl Default for ExactOptions {
    fn default() -> Self {
        Self { seconds: 60.0 }
    }
}

/// How good an exact answer is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Whether the program was solved to the end.
    pub is_optimal: bool,
    /// The relative gap to the best bound that was proven, when time ran out; nothing when no answer of the program was found and a
    /// heuristic one was taken.
    pub gap: Option<f64>,
    /// Transactions that lose an item, or items that are removed.
    pub removed: u64,
    /// Border itemsets that had to become infrequent, where they are looked at.
    pub lost_border: u64,
}

type Answer = (Transactions, Option<Proof>);

/// The fewest transactions that lose all their sensitive itemsets.
pub(super) fn by_transactions(task: &Task<'_>, options: &ExactOptions) -> Result<Answer, MineError> {
    let items: Vec<Vec<u32>> = task.sensitive.iter().map(super::Sensitive::items).collect();
    let mut classes: BTreeMap<Vec<usize>, Vec<u32>> = BTreeMap::new();
    for (place, row) in task.transactions.rows().enumerate() {
        let held: Vec<usize> = (0..items.len()).filter(|&rule| contains(row, &items[rule])).collect();
        if !held.is_empty() {
            classes.entry(held).or_default().push(place as u32);
        }
    }
    let mut program = Program::new();
    let counts: Vec<Variable> =
        classes.values().map(|places| program.whole(places.len() as u64, 1.0)).collect();
    for (rule, sensitive) in task.sensitive.iter().enumerate() {
        let needed = sensitive.needed(task.transactions, task.thresholds, false);
        let of = classes.keys().zip(&counts).filter(|(held, _)| held.contains(&rule));
        program.at_least(of.map(|(_, &count)| (count, 1.0)), needed as f64);
    }
    let solved = program.solve(&counts, options)?;
    let Some(solved) = solved else { return heuristic(task) };
    let supports = task.transactions.item_supports();
    let mut rows = task.rows();
    for ((held, mut places), &count) in classes.into_iter().zip(&solved.values) {
        // The shortest lose least.
        places.sort_by_key(|&place| (task.transactions.row(place as usize).len(), place));
        for &place in places.iter().take(count as usize) {
            break_all(&mut rows[place as usize], &items, held.clone(), &supports);
        }
    }
    let removed = solved.values.iter().sum();
    let proof = Proof { is_optimal: solved.is_optimal, gap: solved.gap, removed, lost_border: 0 };
    Ok((Transactions::new(rows), Some(proof)))
}

/// Removes items until none of the itemsets is held: the one that most of them share, of these the least frequent.
fn break_all(row: &mut Vec<u32>, items: &[Vec<u32>], mut held: Vec<usize>, supports: &[u32]) {
    while !held.is_empty() {
        let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
        for &rule in &held {
            items[rule].iter().for_each(|&item| *shared.entry(item).or_default() += 1);
        }
        let best = shared
            .into_iter()
            .max_by_key(|&(item, count)| (count, std::cmp::Reverse((supports[item as usize], item))));
        let Some((item, _)) = best else { return };
        remove(row, item);
        held.retain(|&rule| !items[rule].contains(&item));
    }
}

/// As few lost border itemsets, then as few removed items, as possible.
pub(super) fn by_items(task: &Task<'_>, options: &ExactOptions) -> Result<Answer, MineError> {
    let items: Vec<Vec<u32>> = task.sensitive.iter().map(super::Sensitive::items).collect();
    let mut relevant: Vec<u32> = items.iter().flatten().copied().collect();
    relevant.sort_unstable();
    relevant.dedup();
    let mut border = positive_border(task.transactions, task.sensitive, task.thresholds, task.progress)?;
    border.retain(|own| own.iter().any(|item| relevant.binary_search(item).is_ok()));
    let Some(classes) = Class::all(task, &items, &relevant, &border)? else { return heuristic(task) };

    let mut program = Program::new();
    let mut choices: Vec<(usize, usize, Variable)> = Vec::new();
    for (at, class) in classes.iter().enumerate() {
        let most = class.places.len() as u64;
        let own: Vec<Variable> =
            class.ways.iter().map(|way| program.whole(most, way.removed.len() as f64)).collect();
        program.at_most(own.iter().map(|&count| (count, 1.0)), most as f64);
        choices.extend(own.into_iter().enumerate().map(|(way, count)| (at, way, count)));
    }
    for (rule, sensitive) in task.sensitive.iter().enumerate() {
        let needed = sensitive.needed(task.transactions, task.thresholds, false);
        let of = choices.iter().filter(|(at, way, _)| classes[*at].ways[*way].broken.contains(&rule));
        program.at_least(of.map(|&(_, _, count)| (count, 1.0)), needed as f64);
    }
    // A lost border itemset costs more than all removals together could.
    let holders: usize = classes.iter().map(|class| class.places.len()).sum();
    let penalty = (holders * relevant.len() + 1) as f64;
    let mut lost: Vec<Variable> = Vec::new();
    for (place, own) in border.iter().enumerate() {
        let support = task.transactions.support(own);
        let touching = |(at, way, _): &&(usize, usize, Variable)| {
            let class = &classes[*at];
            class.border.contains(&place) && class.ways[*way].removed.iter().any(|item| own.contains(item))
        };
        let touched: Vec<(Variable, f64)> =
            choices.iter().filter(touching).map(|&(_, _, count)| (count, 1.0)).collect();
        let spare = support.saturating_sub(task.thresholds.support) as f64;
        let reach: usize = classes
            .iter()
            .filter(|class| class.border.contains(&place))
            .map(|class| class.places.len())
            .sum();
        if touched.is_empty() || reach as f64 <= spare {
            continue;
        }
        let is_lost = program.whole(1, penalty);
        lost.push(is_lost);
        program.at_most(touched.into_iter().chain([(is_lost, spare - reach as f64)]), spare);
    }
    let mut asked: Vec<Variable> = choices.iter().map(|(_, _, count)| *count).collect();
    asked.extend(&lost);
    let Some(solved) = program.solve(&asked, options)? else { return heuristic(task) };
    let mut rows = task.rows();
    let mut used = vec![0usize; classes.len()];
    let mut removed = 0;
    for (&(at, way, _), &count) in choices.iter().zip(&solved.values) {
        let class = &classes[at];
        for &place in &class.places[used[at]..used[at] + count as usize] {
            for &item in &class.ways[way].removed {
                remove(&mut rows[place as usize], item);
                removed += 1;
            }
        }
        used[at] += count as usize;
    }
    let lost_border = solved.values[choices.len()..].iter().sum();
    let proof = Proof { is_optimal: solved.is_optimal, gap: solved.gap, removed, lost_border };
    Ok((Transactions::new(rows), Some(proof)))
}

/// No answer of the program in time: that of the border-based method.
fn heuristic(task: &Task<'_>) -> Result<Answer, MineError> {
    let found = super::border::hidden(task)?;
    let changed = found.rows().zip(task.transactions.rows()).filter(|(a, b)| a != b).count() as u64;
    let proof = Proof { is_optimal: false, gap: None, removed: changed, lost_border: 0 };
    Ok((found, Some(proof)))
}

/// Transactions with the same sensitive items and the same border itemsets.
struct Class {
    places: Vec<u32>,
    /// Positions of the border itemsets that they hold.
    border: Vec<usize>,
    ways: Vec<Way>,
}

/// Items whose removal breaks sensitive itemsets, none of them in vain.
struct Way {
    removed: Vec<u32>,
    broken: Vec<usize>,
}

impl Class {
    /// All classes; nothing when a transaction has too many sensitive items.
    fn all(
        task: &Task<'_>,
        items: &[Vec<u32>],
        relevant: &[u32],
        border: &[Vec<u32>],
    ) -> Result<Option<Vec<Self>>, MineError> {
        let mut classes: BTreeMap<(Vec<u32>, Vec<usize>), Vec<u32>> = BTreeMap::new();
        for (place, row) in task.transactions.rows().enumerate() {
            if !items.iter().any(|own| contains(row, own)) {
                continue;
            }
            task.progress.check()?;
            let own: Vec<u32> =
                row.iter().copied().filter(|item| relevant.binary_search(item).is_ok()).collect();
            if own.len() > MOST_ITEMS {
                return Ok(None);
            }
            let held = (0..border.len()).filter(|&at| contains(row, &border[at])).collect();
            classes.entry((own, held)).or_default().push(place as u32);
        }
        let class = |((own, border), places): ((Vec<u32>, Vec<usize>), Vec<u32>)| Self {
            places,
            border,
            ways: ways(&own, items),
        };
        Ok(Some(classes.into_iter().map(class).collect()))
    }
}

/// Every set of items that breaks sensitive itemsets and of which each item breaks one that no other does.
fn ways(own: &[u32], items: &[Vec<u32>]) -> Vec<Way> {
    let held: Vec<usize> = (0..items.len()).filter(|&rule| contains(own, &items[rule])).collect();
    let mut ways = Vec::new();
    for set in 1..1u32 << own.len() {
        let removed: Vec<u32> = own
            .iter()
            .enumerate()
            .filter(|(place, _)| set >> place & 1 == 1)
            .map(|(_, item)| *item)
            .collect();
        let hits = |rule: &usize| items[*rule].iter().filter(|item| removed.contains(item)).count();
        let is_needed = |item: &u32| held.iter().any(|rule| hits(rule) == 1 && items[*rule].contains(item));
        if removed.iter().all(is_needed) {
            let broken = held.iter().copied().filter(|rule| hits(rule) > 0).collect();
            ways.push(Way { removed, broken });
        }
    }
    ways
}

/// An integer program that minimizes.
struct Program {
    variables: ProblemVariables,
    /// The same variables, which need not be whole numbers.
    #[cfg(feature = "highs")]
    relaxed: ProblemVariables,
    objective: Expression,
    constraints: Vec<good_lp::Constraint>,
}

struct Solved {
    values: Vec<u64>,
    is_optimal: bool,
    gap: Option<f64>,
}

impl Program {
    fn new() -> Self {
        Self {
            variables: ProblemVariables::new(),
            #[cfg(feature = "highs")]
            relaxed: ProblemVariables::new(),
            objective: Expression::from(0.0),
            constraints: Vec::new(),
        }
    }

    fn whole(&mut self, most: u64, cost: f64) -> Variable {
        let own = self.variables.add(variable().integer().min(0.0).max(most as f64));
        // Variables are numbered in their order, so both stand for the same.
        #[cfg(feature = "highs")]
        self.relaxed.add(variable().min(0.0).max(most as f64));
        self.objective.add_mul(cost, own);
        own
    }

    fn at_least(&mut self, terms: impl IntoIterator<Item = (Variable, f64)>, bound: f64) {
        let sum = sum(terms);
        self.constraints.push(constraint!(sum >= bound));
    }

    fn at_most(&mut self, terms: impl IntoIterator<Item = (Variable, f64)>, bound: f64) {
        let sum = sum(terms);
        self.constraints.push(constraint!(sum <= bound));
    }

    /// The values of some variables in the best answer; nothing when time ran out before there was one.
    fn solve(self, asked: &[Variable], options: &ExactOptions) -> Result<Option<Solved>, MineError> {
        if !(options.seconds > 0.0 && options.seconds.is_finite()) {
            let accepted = "above 0";
            return Err(MineError::Parameter {
                name: "the solver's seconds",
                value: options.seconds,
                accepted,
            });
        }
        #[cfg(feature = "highs")]
        let (objective, relaxation) =
            (self.objective.clone(), (self.relaxed, self.objective.clone(), self.constraints.clone()));
        let mut model =
            self.variables.minimise(self.objective).using(solver).with_time_limit(options.seconds);
        for constraint in self.constraints {
            model.add_constraint(constraint);
        }
        match model.solve() {
            Ok(solution) => {
                let values = asked.iter().map(|&own| solution.value(own).round().max(0.0) as u64).collect();
                let is_optimal = matches!(solution.status(), SolutionStatus::Optimal);
                #[cfg(feature = "highs")]
                let gap = || relative_gap(solution.eval(&objective), relaxation, options.seconds);
                #[cfg(not(feature = "highs"))]
                let gap = || solution.into_inner().gap();
                let gap = if is_optimal { Some(0.0) } else { gap() };
                Ok(Some(Solved { values, is_optimal, gap }))
            }
            // Time ran out before there was an answer.
            Err(good_lp::ResolutionError::Other(_)) => Ok(None),
            Err(error) => Err(MineError::Program { reason: error.to_string() }),
        }
    }
}

/// How far an answer is from the best of the program without whole numbers, which no answer is better than: what HiGHS proved on the way is
/// not told to us, and this bound is weaker.
#[cfg(feature = "highs")]
fn relative_gap(
    found: f64,
    (variables, objective, constraints): (ProblemVariables, Expression, Vec<good_lp::Constraint>),
    seconds: f64,
) -> Option<f64> {
    let mut model = variables.minimise(objective.clone()).using(solver).with_time_limit(seconds);
    for constraint in constraints {
        model.add_constraint(constraint);
    }
    let solution = model.solve().ok()?;
    let is_solved = matches!(solution.status(), SolutionStatus::Optimal);
    let bound = solution.eval(&objective);
    is_solved.then(|| if found > bound { (found - bound) / found.abs() } else { 0.0 })
}

fn sum(terms: impl IntoIterator<Item = (Variable, f64)>) -> Expression {
    let mut sum = Expression::from(0.0);
    for (own, factor) in terms {
        sum.add_mul(factor, own);
    }
    sum
}
