//! The candidates that a search looked at, for whoever wants to see what else could have been published.

use std::sync::Mutex;

use super::judge::Judgement;

/// A candidate that a search looked at and that was not beyond hope.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// The level of each quasi column, in the order of the problem.
    pub levels: Vec<usize>,
    /// Records in classes that fail.
    pub suppressed: u64,
    /// The classes that do not.
    pub classes: u64,
    /// Whether no more records are suppressed than allowed.
    pub safe: bool,
}

/// Gathers candidates while threads look at them.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// `None` once there were too many.
    seen: Mutex<Option<Vec<Seen>>>,
}

/// More candidates than this are no picture, and would take room.
const MOST: usize = 50_000;

impl Gathered {
    pub fn new() -> Self {
        Self { seen: Mutex::new(Some(Vec::new())) }
    }

    /// Notes a candidate, by levels in the order of the search.
    pub fn note(&self, levels: &[usize], judgement: &Judgement) {
        if judgement.hopeless_below || judgement.suppressed == u64::MAX {
            return;
        }
        // why: a thread that panicked while noting leaves at worst a list without its candidate
        let mut seen = self.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(list) = &mut *seen {
            if list.len() == MOST {
                *seen = None;
                return;
            }
            let (suppressed, classes, safe) = (judgement.suppressed, judgement.classes, judgement.safe);
            list.push(Seen { levels: levels.to_vec(), suppressed, classes, safe });
        }
    }

    /// All that were noted, each once, in an order that does not depend on threads; none when there were too many.
    pub fn into_list(self, in_problem_order: impl Fn(&[usize]) -> Vec<usize>) -> Vec<Seen> {
        let seen = self.seen.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut list = seen.unwrap_or_default();
        for own in &mut list {
            own.levels = in_problem_order(&own.levels);
        }
        list.sort();
        list.dedup_by(|a, b| a.levels == b.levels);
        list
    }
}
