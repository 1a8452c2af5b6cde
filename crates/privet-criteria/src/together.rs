//! Classes that are judged together: what each of them tells, and which of them are left.
//!
//! A criterion that is not bucket-independent (survey Def 4.4) sees a class among all others. So that a search can ask
//! it about a million classes, a class tells it a few numbers ([`Criterion::summarize`]), and these are all it sees.

use crate::{Class, Criterion};

/// The numbers that classes tell a criterion, class by class, in one buffer.
#[derive(Debug, Clone, Default)]
pub struct Summaries {
    numbers: Vec<f64>,
    /// Per class where its numbers end.
    ends: Vec<usize>,
}

impl Summaries {
    /// Forgets all classes and keeps the room.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.ends.clear();
    }

    /// Adds what a class tells a criterion.
    pub fn add(&mut self, criterion: &dyn Criterion, class: &Class<'_>) {
        criterion.summarize(class, &mut self.numbers);
        self.ends.push(self.numbers.len());
    }

    /// Adds what a class told.
    pub(crate) fn push(&mut self, told: &[f64]) {
        self.numbers.extend_from_slice(told);
        self.ends.push(self.numbers.len());
    }

    /// Adds what other classes told.
    pub fn append(&mut self, others: &Self) {
        others.iter().for_each(|told| self.push(told));
    }

    /// How many classes told something.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What a class told; nothing for a class that is not there.
    pub fn of(&self, class: usize) -> &[f64] {
        let begin = match class {
            0 => 0,
            _ => self.ends.get(class - 1).copied().unwrap_or(0),
        };
        let end = self.ends.get(class).copied().unwrap_or(begin);
        self.numbers.get(begin..end).unwrap_or_default()
    }

    /// What each class told.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> + Clone {
        (0..self.ends.len()).map(|class| self.of(class))
    }

    /// What the classes told, in another order: by place the class that comes there.
    #[must_use]
    pub fn in_order(&self, order: &[usize]) -> Self {
        let mut ordered = Self::default();
        order.iter().for_each(|&class| ordered.push(self.of(class)));
        ordered
    }

    /// What some of the classes told: those that are kept.
    #[must_use]
    pub fn only(&self, kept: &[bool]) -> Self {
        let mut some = Self::default();
        self.iter().zip(kept).filter(|(_, kept)| **kept).for_each(|(told, _)| some.push(told));
        some
    }
}

/// Which classes are left when every class goes that is exposed, one criterion after the other: a class goes when what it
/// reaches among those that are left so far is not enough. What is left satisfies all of the criteria, because no class
/// reaches anything worse when others go. Fewer may have to go: see [`fewest_suppressed`](crate::fewest_suppressed). `told` holds, per criterion, what each class told it.
pub fn judge_together(criteria: &[&dyn Criterion], told: &[Summaries]) -> Vec<bool> {
    let mut kept = vec![true; told.iter().map(Summaries::len).max().unwrap_or(0)];
    for (criterion, told) in criteria.iter().zip(told) {
        let reached = if kept.iter().all(|&kept| kept) {
            criterion.reached_together(told)
        } else {
            criterion.reached_together(&told.only(&kept))
        };
        let still = kept.iter_mut().filter(|kept| **kept);
        for (kept, reached) in still.zip(reached) {
            *kept = criterion.accepts(reached);
        }
    }
    kept
}
