//! The leaves of a column that come to a node of a decision tree, and how a split divides them.

use std::rc::Rc;

use super::Span;

/// Which leaves go one way.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// Up to this leaf.
    UpTo(u32),
    /// Per leaf whether it is in.
    Among(Vec<bool>),
}

impl Rule {
    /// Whether a leaf goes that way; `None` for one that the column does not have.
    pub fn holds(&self, leaf: u32) -> Option<bool> {
        match self {
            Rule::UpTo(last) => Some(leaf <= *last),
            Rule::Among(leaves) => leaves.get(leaf as usize).copied(),
        }
    }
}

/// The leaves of a column that come to a node.
#[derive(Debug, Clone)]
pub enum Region {
    /// From one to another.
    Between(Span),
    /// Per leaf how many are in before it; one more at the end.
    Among(Rc<[u32]>),
}

impl Region {
    /// All of so many leaves.
    pub fn all(leaves: u32) -> Self {
        match leaves.checked_sub(1) {
            Some(last) => Region::Between(Span { first: 0, last }),
            None => Region::Among(Rc::from([0])),
        }
    }

    /// How many leaves of a span are in.
    pub fn overlap(&self, span: Span) -> u32 {
        match self {
            Region::Between(own) => (span.last.min(own.last) + 1).saturating_sub(span.first.max(own.first)),
            Region::Among(before) => before[span.last as usize + 1] - before[span.first as usize],
        }
    }

    /// Whether a leaf is in.
    pub fn contains(&self, leaf: u32) -> bool {
        self.overlap(Span::one(leaf)) == 1
    }

    /// From the first that is in to the last, at most.
    pub fn bounds(&self) -> Span {
        match self {
            Region::Between(own) => *own,
            Region::Among(before) => Span { first: 0, last: before.len() as u32 - 2 },
        }
    }

    /// The part for which a rule holds, or for which it does not.
    pub fn part(&self, rule: &Rule, holds: bool) -> Self {
        match (self, rule) {
            (Region::Between(own), &Rule::UpTo(last)) if holds => {
                Region::Between(Span { first: own.first, last: own.last.min(last) })
            }
            (Region::Between(own), &Rule::UpTo(last)) => {
                Region::Between(Span { first: own.first.max(last + 1), last: own.last })
            }
            _ => {
                let leaves = self.bounds().last + 1;
                let mut before = Vec::with_capacity(leaves as usize + 1);
                let mut count = 0;
                for leaf in 0..leaves {
                    before.push(count);
                    count += u32::from(self.contains(leaf) && rule.holds(leaf) == Some(holds));
                }
                before.push(count);
                Region::Among(before.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_regions() {
        let whole = Region::all(6);
        let (low, high) = (whole.part(&Rule::UpTo(2), true), whole.part(&Rule::UpTo(2), false));
        assert_eq!((low.bounds(), high.bounds()), (Span { first: 0, last: 2 }, Span { first: 3, last: 5 }));
        assert_eq!(low.overlap(Span { first: 1, last: 4 }) + high.overlap(Span { first: 1, last: 4 }), 4);
        assert_eq!(low.overlap(Span { first: 4, last: 5 }), 0);
        let even = Rule::Among(vec![true, false, true, false, true, false]);
        let some = whole.part(&even, true);
        assert_eq!(some.overlap(Span { first: 1, last: 4 }), 2);
        assert!(some.contains(4) && !some.contains(5));
        // A part of a part.
        let odd = whole.part(&even, false);
        assert_eq!(odd.part(&Rule::Among(vec![true; 6]), false).overlap(Span { first: 0, last: 5 }), 0);
        assert_eq!(odd.part(&Rule::UpTo(3), true).overlap(Span { first: 0, last: 5 }), 2);
        assert_eq!((even.holds(2), even.holds(6)), (Some(true), None));
    }
}
