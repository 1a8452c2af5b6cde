//! A condition made ready, and what it says of one record of which only parts are known.
//!
//! A record is a choice of one part for each column, columns being independent inside a region (survey US-03). The
//! walk chooses column by column and stops as soon as what is chosen decides the condition, so that conjunctions and
//! disjunctions cost as much as their columns have parts, not their product. What it finds is exact: `certain` and
//! `possible` are decided by all combinations of parts, and the probability is the sum of their shares.

use super::Condition;
use super::predicate::Predicate;
use super::region::Part;
use super::{AnswerError, Records};

/// A condition over slots, each a column with the tests on it.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The columns that decide, in the order of their first test.
    pub slots: Vec<Slot>,
    /// The condition.
    pub formula: Node,
    /// The slot whose numbers are asked for.
    pub target: Option<usize>,
}

/// A column with the tests on it.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    /// The position of the column.
    pub column: usize,
    /// The tests; bit `i` of a truth is the outcome of test `i`.
    pub predicates: Vec<Predicate>,
}

/// A condition over slots.
#[derive(Debug, Clone)]
pub(super) enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Test { slot: usize, bit: u32 },
}

impl Plan {
    /// The condition, and that the target (a column) is known.
    pub fn new(
        records: &Records,
        condition: &Condition,
        target: Option<usize>,
        codes: &[(usize, u32)],
    ) -> Result<Self, AnswerError> {
        let mut plan = Self { slots: Vec::new(), formula: Node::All(Vec::new()), target: None };
        let mut conjuncts = match plan.node(records, condition)? {
            Node::All(nodes) => nodes,
            other => vec![other],
        };
        for &(column, code) in codes {
            conjuncts.push(plan.test(records, column, Predicate::is_code(code))?);
        }
        if let Some(column) = target {
            conjuncts.push(plan.test(records, column, Predicate::is_known())?);
            plan.target = plan.slots.iter().position(|slot| slot.column == column);
        }
        plan.formula = Node::All(conjuncts);
        Ok(plan)
    }

    fn node(&mut self, records: &Records, condition: &Condition) -> Result<Node, AnswerError> {
        let mut all = |parts: &[Condition]| -> Result<Vec<Node>, AnswerError> {
            parts.iter().map(|part| self.node(records, part)).collect()
        };
        Ok(match condition {
            Condition::All(parts) => Node::All(flat(all(parts)?, true)),
            Condition::Any(parts) => Node::Any(flat(all(parts)?, false)),
            Condition::Test(test) => {
                let column = records.find(&test.column)?;
                let predicate = Predicate::bind(test, records.column(column)?)?;
                self.test(records, column, predicate)?
            }
        })
    }

    fn test(&mut self, records: &Records, column: usize, predicate: Predicate) -> Result<Node, AnswerError> {
        let slot = match self.slots.iter().position(|slot| slot.column == column) {
            Some(slot) => slot,
            None => {
                self.slots.push(Slot { column, predicates: Vec::new() });
                self.slots.len() - 1
            }
        };
        let tests = &mut self.slots[slot].predicates; // why: found or just added
        let bit = match tests.iter().position(|own| *own == predicate) {
            Some(bit) => bit,
            None => {
                tests.push(predicate);
                tests.len() - 1
            }
        };
        if bit >= u64::BITS as usize {
            return Err(AnswerError::TooManyTests { column: records.column(column)?.name.clone() });
        }
        Ok(Node::Test { slot, bit: bit as u32 })
    }
}

/// Takes nested nodes of the same kind into their parent, so that a conjunction is one list.
fn flat(nodes: Vec<Node>, is_all: bool) -> Vec<Node> {
    let mut list = Vec::with_capacity(nodes.len());
    for node in nodes {
        match node {
            Node::All(inner) if is_all => list.extend(inner),
            Node::Any(inner) if !is_all => list.extend(inner),
            other => list.push(other),
        }
    }
    list
}

impl Node {
    /// The outcome as far as the chosen truths decide it.
    fn outcome(&self, chosen: &[Option<u64>]) -> Option<bool> {
        match self {
            Node::Test { slot, bit } => {
                chosen.get(*slot).copied().flatten().map(|truth| truth >> bit & 1 == 1)
            }
            Node::All(nodes) => decided(nodes, chosen, false),
            Node::Any(nodes) => decided(nodes, chosen, true),
        }
    }

    /// Calls `see` with every slot that it tests.
    pub fn for_each_slot(&self, see: &mut impl FnMut(usize)) {
        match self {
            Node::Test { slot, .. } => see(*slot),
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| node.for_each_slot(see)),
        }
    }
}

/// One node with the outcome `by` decides all of them; otherwise all must be known.
fn decided(nodes: &[Node], chosen: &[Option<u64>], by: bool) -> Option<bool> {
    let mut outcome = Some(!by);
    for node in nodes {
        match node.outcome(chosen) {
            Some(own) if own == by => return Some(by),
            Some(_) => {}
            None => outcome = None,
        }
    }
    outcome
}

/// What a condition says of a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outcome {
    /// Some record that fits the labels meets the condition.
    pub possible: bool,
    /// Every record that fits the labels meets it.
    pub certain: bool,
    /// The share of those that meet it; NaN where it cannot be told.
    pub probability: f64,
    /// The expected number of the target over those that meet it, the others counting 0; NaN where it cannot be told.
    pub sum: f64,
    /// The least number of the target among those that meet it.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

/// Conditions that entangle so many parts are refused rather than left running.
const MOST_STEPS: u32 = 1 << 20;

/// Evaluates a condition on a record that is known up to these parts, one list per slot.
pub(super) fn evaluate(
    formula: &Node,
    target: Option<usize>,
    parts: &[&[Part]],
) -> Result<Outcome, AnswerError> {
    let mut walk = Walk {
        formula,
        target,
        parts,
        chosen: vec![None; parts.len()],
        steps: 0,
        failed: false,
        outcome: Outcome {
            possible: false,
            certain: false,
            probability: 0.0,
            sum: 0.0,
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        },
    };
    walk.choose(0, 1.0, None)?;
    let Walk { mut outcome, failed, .. } = walk;
    outcome.certain = outcome.possible && !failed;
    if outcome.certain {
        outcome.probability = 1.0;
    }
    Ok(outcome)
}

struct Walk<'a> {
    formula: &'a Node,
    target: Option<usize>,
    parts: &'a [&'a [Part]],
    chosen: Vec<Option<u64>>,
    steps: u32,
    failed: bool,
    outcome: Outcome,
}

impl Walk<'_> {
    fn choose(&mut self, slot: usize, weight: f64, number: Option<Part>) -> Result<(), AnswerError> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(AnswerError::TooEntangled);
        }
        match self.formula.outcome(&self.chosen) {
            Some(true) => {
                let outcome = &mut self.outcome;
                outcome.possible = true;
                outcome.probability += weight;
                if let Some(part) = number {
                    outcome.sum += times(weight, part.mean);
                    outcome.least = outcome.least.min(part.least);
                    outcome.most = outcome.most.max(part.most);
                }
            }
            Some(false) => self.failed = true,
            None => {
                let Some(&parts) = self.parts.get(slot) else { return Ok(()) };
                for part in parts {
                    self.chosen[slot] = Some(part.truth); // why: as long as the list of parts
                    let number = if self.target == Some(slot) { Some(*part) } else { number };
                    self.choose(slot + 1, times(weight, part.share), number)?;
                }
                self.chosen[slot] = None; // why: as long as the list of parts
            }
        }
        Ok(())
    }
}

/// What has no weight counts nothing, even where the other factor is not known.
fn times(weight: f64, other: f64) -> f64 {
    if weight == 0.0 || other == 0.0 { 0.0 } else { weight * other }
}
