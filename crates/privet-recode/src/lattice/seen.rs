//! The candidates that a search looked at, for whoever wants to see what else could have been published.

use std::sync::Mutex;

use super::judge::Judgement;

/// A candidate that a search looked at, all of whose suppressed records were counted.
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

impl Seen {
    pub(super) fn new(levels: &[usize], judgement: &Judgement) -> Self {
        let (suppressed, classes, safe) = (judgement.suppressed, judgement.classes, judgement.safe);
        Self { levels: levels.to_vec(), suppressed, classes, safe }
    }
}

/// Gathers candidates while threads look at them.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    seen: Mutex<Kept>,
}

/// Of too many, those are kept whose mark ends in so many zeros: which ones does not depend on the order in which they come.
#[derive(Debug, Default)]
struct Kept {
    list: Vec<Seen>,
    zeros: u32,
}

/// More candidates than this are no picture, and would take room.
const MOST: usize = 50_000;

/// A number that looks random and depends on levels alone (the mixing of SplitMix64).
fn mark(levels: &[usize]) -> u64 {
    levels.iter().fold(0, |mark: u64, &level| {
        let mut mixed = (mark ^ level as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

impl Gathered {
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes a candidate, by levels in the order of the search, unless it was ruled out before all its records were counted.
    pub fn note(&self, levels: &[usize], judgement: &Judgement) {
        if !judgement.hopeless_below {
            self.note_whole(levels, judgement);
        }
    }

    /// Notes a candidate all of whose records were counted.
    pub fn note_whole(&self, levels: &[usize], judgement: &Judgement) {
        if judgement.suppressed == u64::MAX {
            return;
        }
        // why: a thread that panicked while noting leaves at worst a list without its candidate
        let mut seen = self.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if mark(levels).trailing_zeros() < seen.zeros {
            return;
        }
        seen.list.push(Seen::new(levels, judgement));
        while seen.list.len() > MOST && seen.zeros < u64::BITS {
            seen.zeros += 1;
            let zeros = seen.zeros;
            seen.list.retain(|own| mark(&own.levels).trailing_zeros() >= zeros);
        }
    }

    /// All that were noted, or some of them when there were too many, each once, in an order that does not depend on threads.
    /// `chosen` is always among them.
    pub fn into_list(self, chosen: Seen, in_problem_order: impl Fn(&[usize]) -> Vec<usize>) -> Vec<Seen> {
        let mut list = self.seen.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).list;
        list.push(chosen);
        for own in &mut list {
            own.levels = in_problem_order(&own.levels);
        }
        list.sort();
        list.dedup_by(|a, b| a.levels == b.levels);
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgement(suppressed: u64) -> Judgement {
        Judgement {
            suppressed,
            safe: true,
            hopeless_below: false,
            value: 0.0,
            surcharge: 0.0,
            least: 0,
            classes: 1,
            settled: true,
        }
    }

    /// Of too many candidates the same ones are kept in whatever order they come, and the chosen one is among them.
    #[test]
    fn too_many_are_thinned_and_not_forgotten() {
        let all: Vec<[usize; 3]> = (0..120_000).map(|i| [i % 50, i / 50 % 60, i / 3000]).collect();
        let gathered = |order: &mut dyn Iterator<Item = &[usize; 3]>| {
            let own = Gathered::new();
            order.for_each(|levels| own.note(levels, &judgement(7)));
            own.into_list(Seen::new(&all[77], &judgement(7)), <[usize]>::to_vec)
        };
        let list = gathered(&mut all.iter());
        assert_eq!(list, gathered(&mut all.iter().rev()));
        assert!((MOST / 4..=MOST + 1).contains(&list.len()), "{}", list.len());
        assert!(list.iter().any(|own| own.levels == all[77]));
        // Few are all kept.
        assert_eq!(gathered(&mut all.iter().take(100)).len(), 100);
    }
}
