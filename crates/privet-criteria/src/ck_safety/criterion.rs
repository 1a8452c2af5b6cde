//! (c,k)-safety as a criterion that searches and the last gate can ask.
//!
//! [`holds`](Criterion::holds) tells whether a class is safe when it is alone, which is necessary; the classes of a
//! release are judged together.

use super::Knowledge;
use crate::bound::{Bound, Grouping};
use crate::keep::TOLERANCE;
use crate::{Better, Class, Criterion, Merging, Summaries};

/// More implications than this are not computed with: no class of fewer than so many values would be safe.
const MOST_IMPLICATIONS: u64 = 20;

/// Room for up to 5 implications, so that looking at a class allocates nothing.
const ROOM: usize = 63;

/// More classes that are exposed are not looked into at a time.
const MOST_CONFLICTS: usize = 1 << 12;

/// (c,k)-safety of a sensitive column.
pub(crate) struct CKSafety {
    c: f64,
    k: u64,
    knowledge: Knowledge,
    position: usize,
    column: String,
}

impl CKSafety {
    pub fn new(c: f64, k: u64, bound: &Bound<'_>) -> Result<Self, String> {
        if !(c > 0.0 && c <= 1.0) {
            return Err(format!("c = {c} must be above 0 and at most 1"));
        }
        let distinct = bound.distinct();
        // Whoever can rule out all values of a person but one knows that one.
        let most = distinct.saturating_sub(2).min(MOST_IMPLICATIONS);
        if k > most || distinct < 2 {
            return Err(format!(
                "k = {k} but column {} has {distinct} distinct values, and k implications rule out k of them; {}",
                bound.column.name,
                if distinct < 2 {
                    "it must have at least 2 values".to_owned()
                } else {
                    format!("k may be at most {most}")
                }
            ));
        }
        // The most frequent of them all is at least so likely, in any class.
        let least = 1.0 / (distinct - k) as f64;
        if c <= least + TOLERANCE {
            return Err(format!(
                "c = {c}, but one of the {distinct} distinct values of column {} has a chance of at least {least} for \
                 whoever rules out {k} others; c must be above {least}",
                bound.column.name
            ));
        }
        let knowledge = Knowledge { atoms: k as usize + 1 };
        Ok(Self { c, k, knowledge, position: bound.position, column: bound.name() })
    }

    /// Whether k implications rule out all values of the class but one, as they then do in each of its parts.
    fn can_be_ruled_out(&self, class: &Class<'_>) -> bool {
        class.histograms[self.position].present.len() as u64 <= self.k + 1
    }
}

impl Criterion for CKSafety {
    fn key(&self) -> &'static str {
        "c-k-safety"
    }

    fn promise_of(&self, _: Grouping) -> String {
        format!(
            "Whoever knows {} about people of the table, of the kind \"if this person has this value, then that person \
             has that one\", learns no value of {} with a chance of {} or more.",
            match self.k {
                1 => "1 implication".to_owned(),
                k => format!("{k} implications"),
            },
            self.column,
            self.c
        )
    }

    fn merging(&self) -> Merging {
        Merging::Closed
    }

    fn bucket_independent(&self) -> bool {
        false
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        !self.can_be_ruled_out(class) && self.accepts(self.reached(class))
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        let counts = class.histograms[self.position].occurring();
        let (mut on_stack, mut on_heap) = ([0.0; ROOM], Vec::new());
        let room = match on_stack.get_mut(..self.knowledge.room()) {
            Some(room) => room,
            None => {
                on_heap.resize(self.knowledge.room(), 0.0);
                &mut on_heap[..]
            }
        };
        self.knowledge.summarize(counts, room);
        self.knowledge.alone(room)
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn least_suppression(&self, class: &Class<'_>) -> u64 {
        if self.can_be_ruled_out(class) {
            return class.rows;
        }
        // Were all parts kept, they would be safe together, and so would be their union.
        u64::from(!self.holds(class))
    }

    fn least_rows(&self) -> u64 {
        self.k + 2
    }

    fn summarize(&self, class: &Class<'_>, numbers: &mut Vec<f64>) {
        let begin = numbers.len();
        numbers.resize(begin + self.knowledge.room(), 0.0);
        self.knowledge.summarize(class.histograms[self.position].occurring(), &mut numbers[begin..]);
        numbers.truncate(begin + self.knowledge.told());
    }

    fn reached_together(&self, classes: &Summaries) -> Vec<f64> {
        self.knowledge.together(classes)
    }

    fn conflicts(&self, classes: &Summaries) -> Vec<Vec<u32>> {
        let exposed = self.knowledge.together(classes).into_iter().enumerate();
        let exposed = exposed.filter(|(_, reached)| !self.accepts(*reached)).map(|(class, _)| class);
        self.knowledge.exposing(classes, exposed.take(MOST_CONFLICTS))
    }

    fn accepts(&self, reached: f64) -> bool {
        reached < self.c - TOLERANCE
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.position]
    }
}
