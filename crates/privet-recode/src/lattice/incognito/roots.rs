//! The roots of the graph of one subset: candidates with no candidate below them. None of them can be marked, so all
//! are checked.
//!
//! With super-roots (papers T-AL5) the frequency set at the lowest levels of all roots is made first, and the roots
//! are formed from it. Many roots together lie so low that it is hardly smaller than the table; so roots that agree in
//! the first columns get a super-root of their own, made from that of the larger part, where there are enough of them.

use privet_data::Progress;
use rayon::prelude::*;

use super::source::{Checked, Source, Used, check};
use super::subset::Subset;
use super::{Search, lowest};

/// A super-root is made for so many roots: making it costs about twice what forming a root costs.
const WORTH_A_SUPER_ROOT: usize = 4;

/// The check of all roots.
pub struct Roots<'s, 'a, const W: usize> {
    /// What all subsets share.
    pub search: &'s Search<'a, W>,
    /// The subset.
    pub subset: &'s Subset,
    /// Its roots, in the order of their numbers.
    pub nodes: &'s [u64],
    /// Their levels.
    pub levels: &'s [Vec<usize>],
    /// Who listens.
    pub progress: &'s dyn Progress,
}

/// What came out for some roots.
#[derive(Default)]
pub struct Outcomes<'a, const W: usize> {
    /// Per root.
    pub checked: Vec<Checked<'a, W>>,
    /// What classes were formed from.
    pub used: Used,
    /// Super-roots that were made.
    pub super_roots: u64,
}

impl<'a, const W: usize> Roots<'_, 'a, W> {
    /// Checks the roots from `first` to before `end`, which agree in the columns before the nth.
    pub fn check(&self, first: usize, end: usize, nth: usize, source: &Source<'a, W>) -> Outcomes<'a, W> {
        if end - first < 2 || !self.search.options.super_roots || nth == self.subset.columns.len() {
            let checked = self.levels[first..end]
                .par_iter()
                .map(|levels| check(self.search, source, levels, self.progress))
                .collect();
            let mut outcomes = Outcomes { checked, ..Outcomes::default() };
            (first..end).for_each(|_| outcomes.used += source.used());
            return outcomes;
        }
        let level = |node: &u64| self.subset.level(*node, nth);
        let mut begin = first;
        let parts: Vec<(usize, usize)> = self.nodes[first..end]
            .chunk_by(|a, b| level(a) == level(b))
            .map(|part| {
                begin += part.len();
                (begin - part.len(), begin)
            })
            .collect();
        let parts: Vec<Outcomes<'a, W>> = parts
            .par_iter()
            .map(|&(begin, stop)| {
                self.check_part(begin, stop, nth + 1, source, begin == first && stop == end)
            })
            .collect();
        let mut outcomes = Outcomes::default();
        for mut part in parts {
            outcomes.checked.append(&mut part.checked);
            outcomes.used += part.used;
            outcomes.super_roots += part.super_roots;
        }
        outcomes
    }

    /// The same with a super-root of their own, unless they are `all` that the source was made for.
    fn check_part(
        &self,
        first: usize,
        end: usize,
        nth: usize,
        source: &Source<'a, W>,
        all: bool,
    ) -> Outcomes<'a, W> {
        let made = (!all && end - first >= WORTH_A_SUPER_ROOT && !self.progress.cancelled())
            .then(|| lowest(&self.levels[first..end]))
            .flatten()
            .and_then(|levels| {
                let engine = self.search.engine;
                self.search
                    .with_buffers(|buffers| engine.roll_up_if_smaller(buffers, source.tuples(), &levels))
            });
        let Some(set) = made else { return self.check(first, end, nth, source) };
        let mut outcomes = self.check(first, end, nth, &Source::set(set));
        outcomes.used += source.used();
        outcomes.super_roots += 1;
        outcomes
    }
}
