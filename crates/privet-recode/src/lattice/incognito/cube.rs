//! The cube: the frequency sets of all subsets of the columns, ungeneralized, made before the search (papers T-AL5,
//! bottom-up precomputation).
//!
//! Each is projected from the smallest of those with one column more, beginning with the table, which is that of all
//! columns. Where a projection would hardly be smaller it is not made: the larger one serves in its place, and the
//! cube takes little more room than what it saves.

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;
use rayon::prelude::*;

use super::super::problem::SearchError;
use super::Search;
use super::source::Source;

/// Frequency sets by subset.
pub struct Cube<'a, const W: usize> {
    by_mask: HashMap<u64, Source<'a, W>>,
    whole: Source<'a, W>,
    /// Frequency sets that were made.
    pub sets: u64,
    /// Their cells.
    pub cells: u64,
}

impl<'a, const W: usize> Cube<'a, W> {
    /// Makes the frequency sets of all subsets.
    pub fn new(search: &Search<'a, W>, progress: &dyn Progress) -> Result<Self, SearchError> {
        let columns = search.free.len();
        let all = (1u64 << columns) - 1;
        progress.stage("projecting the table on subsets of columns", Some(all));
        let whole = Source::Whole(&search.engine.base);
        let mut cube = Self { by_mask: HashMap::new(), whole: whole.clone(), sets: 0, cells: 0 };
        cube.by_mask.insert(all, whole);
        // By size, so that all subsets with one column more are there. The empty one is never asked for.
        let mut masks: Vec<u64> = (1..all).collect();
        masks.sort_by_key(|mask| std::cmp::Reverse(mask.count_ones()));
        for size in masks.chunk_by(|a, b| a.count_ones() == b.count_ones()) {
            let made: Vec<Source<'a, W>> = size
                .par_iter()
                .map(|&mask| {
                    let more = (0..columns).map(|i| mask | 1 << i).filter(|&more| more != mask);
                    let nearest = more
                        .map(|more| cube.set(more))
                        .min_by_key(|source| source.tuples().len())
                        .unwrap_or_else(|| cube.whole.clone());
                    if progress.cancelled() {
                        return nearest;
                    }
                    let levels = search.levels(&search.subset(mask), 0);
                    let engine = search.engine;
                    search
                        .with_buffers(|buffers| engine.roll_up_if_smaller(buffers, nearest.tuples(), &levels))
                        .map_or(nearest, Source::set)
                })
                .collect();
            progress.check()?;
            for (&mask, source) in size.iter().zip(made) {
                let levels = search.levels(&search.subset(mask), 0);
                if source.tuples().levels == levels {
                    cube.sets += 1;
                    cube.cells += source.tuples().len() as u64;
                }
                cube.by_mask.insert(mask, source);
            }
            progress.at(cube.by_mask.len() as u64);
        }
        Ok(cube)
    }

    /// What the classes of a subset are formed from.
    pub fn set(&self, mask: u64) -> Source<'a, W> {
        self.by_mask.get(&mask).unwrap_or(&self.whole).clone()
    }
}
