//! Every set of at most so many items that some basket holds, each with its exact support.
//!
//! Depth first over projections: the baskets that hold a set, and where the items after it begin. Nothing is guessed and no
//! set is left out; memory grows with the baskets and not with the number of sets. The cost is the number of such sets, each
//! counted once per basket: the sum over baskets of binomial(items, m), which is refused beforehand where it is too much.

use privet_data::Progress;
use rayon::prelude::*;

use crate::{Baskets, SetsError};

/// The most sets, counted once per basket, that are gone through.
pub const MOST_STEPS: u64 = 200_000_000_000;

/// A basket that holds a set, and the place of the item after the set.
#[derive(Clone, Copy, Default)]
struct Entry {
    basket: u32,
    next: u32,
}

/// A set that occurs: its items in rising order, its support, and that of the set without its last item.
#[derive(Debug, Clone, Copy)]
pub struct Occurring<'a> {
    /// The items.
    pub items: &'a [u32],
    /// How many baskets hold all of them.
    pub support: u64,
    /// How many baskets hold all but the last; all baskets for a single item.
    pub before: u64,
}

/// Gathers what one thread sees.
pub(crate) struct Walk<'a> {
    baskets: &'a Baskets,
    codes: usize,
    most: usize,
    /// Where each basket's last items may begin: sets of the largest size end with an item from there on.
    last_from: Option<&'a [u32]>,
}

struct Scratch {
    counts: Vec<u32>,
    prefix: Vec<u32>,
}

impl<'a> Walk<'a> {
    /// Sets of 1 to `most` items.
    pub fn new(baskets: &'a Baskets, most: usize) -> Self {
        Self { baskets, codes: baskets.bound(), most, last_from: None }
    }

    /// The largest sets end with an item at or after these places of their baskets.
    pub fn ending_from(self, places: &'a [u32]) -> Self {
        Self { last_from: Some(places), ..self }
    }

    /// The sum over baskets of the number of their sets.
    pub fn steps(&self) -> u64 {
        let of_basket = |basket: &[u32]| {
            let mut sets = 0u128;
            let mut of_size = 1u128;
            for size in 1..=self.most.min(basket.len()) {
                of_size = of_size * (basket.len() - size + 1) as u128 / size as u128;
                sets += of_size;
                if sets > u128::from(u64::MAX) {
                    return u64::MAX;
                }
            }
            sets as u64
        };
        self.baskets.iter().fold(0u64, |sum, basket| sum.saturating_add(of_basket(basket)))
    }

    /// Shows every set to `visit`, which tells whether sets that begin with it are wanted too. One state per thread; the
    /// states come back in the order of the items.
    pub fn run<S: Send + Default>(
        &self,
        progress: &dyn Progress,
        visit: impl Fn(&mut S, Occurring<'_>) -> bool + Sync,
    ) -> Result<Vec<S>, SetsError> {
        self.run_from(&|_| true, progress, visit)
    }

    /// As [`run`](Self::run), for sets whose first item fulfils a condition.
    pub fn run_from<S: Send + Default>(
        &self,
        is_first: &(dyn Fn(u32) -> bool + Sync),
        progress: &dyn Progress,
        visit: impl Fn(&mut S, Occurring<'_>) -> bool + Sync,
    ) -> Result<Vec<S>, SetsError> {
        if self.steps() > MOST_STEPS {
            return Err(SetsError::TooLarge {
                what: "going through all sets of items",
                most: MOST_STEPS,
                advice: "ask about smaller sets (m), or shorten the longest baskets",
            });
        }
        if self.most == 0 {
            return Ok(Vec::new());
        }
        let (starts, entries) = self.first_level();
        let all = self.baskets.len() as u64;
        let fresh = || (S::default(), Scratch { counts: vec![0; self.codes], prefix: Vec::new() });
        let states: Result<Vec<S>, SetsError> = (0..self.codes as u32)
            .into_par_iter()
            .filter(|&item| starts[item as usize] < starts[item as usize + 1] && is_first(item))
            .try_fold(fresh, |(mut state, mut scratch), item| {
                progress.check()?;
                let own = &entries[starts[item as usize]..starts[item as usize + 1]];
                let is_last = self.most == 1;
                let allowed = match (is_last, self.last_from) {
                    (true, Some(places)) => own.iter().any(|e| e.next > places[e.basket as usize]),
                    _ => true,
                };
                let shown = Occurring { items: &[item], support: own.len() as u64, before: all };
                if allowed && visit(&mut state, shown) && !is_last {
                    scratch.prefix.clear();
                    scratch.prefix.push(item);
                    self.descend(&mut state, &mut scratch, own, &visit);
                }
                Ok::<_, SetsError>((state, scratch))
            })
            .map(|own| own.map(|(state, _)| state))
            .collect();
        states
    }

    /// Per item the baskets that hold it.
    fn first_level(&self) -> (Vec<usize>, Vec<Entry>) {
        let mut starts = vec![0usize; self.codes + 1];
        for &item in self.baskets.flat() {
            starts[item as usize + 1] += 1;
        }
        for item in 0..self.codes {
            starts[item + 1] += starts[item];
        }
        let mut cursor = starts.clone();
        let mut entries = vec![Entry::default(); self.baskets.total()];
        for (number, basket) in self.baskets.iter().enumerate() {
            for (place, &item) in basket.iter().enumerate() {
                entries[cursor[item as usize]] = Entry { basket: number as u32, next: place as u32 + 1 };
                cursor[item as usize] += 1;
            }
        }
        (starts, entries)
    }

    fn rest(&self, entry: Entry, is_last: bool) -> &'a [u32] {
        let from = match (is_last, self.last_from) {
            (true, Some(places)) => entry.next.max(places[entry.basket as usize]),
            _ => entry.next,
        };
        &self.baskets.basket(entry.basket as usize)[from as usize..]
    }

    fn descend<S>(
        &self,
        state: &mut S,
        scratch: &mut Scratch,
        entries: &[Entry],
        visit: &(impl Fn(&mut S, Occurring<'_>) -> bool + Sync),
    ) {
        let size = scratch.prefix.len() + 1;
        let is_last = size == self.most;
        let mut touched: Vec<(u32, u32)> = Vec::new();
        for &entry in entries {
            for &item in self.rest(entry, is_last) {
                let count = &mut scratch.counts[item as usize];
                if *count == 0 {
                    touched.push((item, 0));
                }
                *count += 1;
            }
        }
        touched.sort_unstable();
        for (item, count) in &mut touched {
            *count = std::mem::take(&mut scratch.counts[*item as usize]);
        }
        let before = entries.len() as u64;
        let mut deeper: Vec<(u32, u32)> = Vec::new();
        for &(item, count) in &touched {
            scratch.prefix.push(item);
            let shown = Occurring { items: &scratch.prefix, support: u64::from(count), before };
            if visit(state, shown) && !is_last {
                deeper.push((item, count));
            }
            scratch.prefix.pop();
        }
        drop(touched);
        if deeper.is_empty() {
            return;
        }
        self.project(state, scratch, entries, &deeper, visit);
    }

    /// Goes on with each of the items, over the baskets that hold it besides the set.
    fn project<S>(
        &self,
        state: &mut S,
        scratch: &mut Scratch,
        entries: &[Entry],
        deeper: &[(u32, u32)],
        visit: &(impl Fn(&mut S, Occurring<'_>) -> bool + Sync),
    ) {
        // Cursors count from 1, so that 0 says that an item is not wanted.
        let mut total = 0u32;
        for &(item, count) in deeper {
            scratch.counts[item as usize] = total + 1;
            total += count;
        }
        let mut projected = vec![Entry::default(); total as usize];
        for &entry in entries {
            let basket = self.baskets.basket(entry.basket as usize);
            for (place, &item) in basket.iter().enumerate().skip(entry.next as usize) {
                let cursor = &mut scratch.counts[item as usize];
                if *cursor > 0 {
                    projected[*cursor as usize - 1] = Entry { basket: entry.basket, next: place as u32 + 1 };
                    *cursor += 1;
                }
            }
        }
        for &(item, _) in deeper {
            scratch.counts[item as usize] = 0;
        }
        let mut start = 0;
        for &(item, count) in deeper {
            let end = start + count as usize;
            scratch.prefix.push(item);
            self.descend(state, scratch, &projected[start..end], visit);
            scratch.prefix.pop();
            start = end;
        }
    }
}

/// Per item the baskets that hold it, in rising order: supports of chosen sets by intersection.
#[derive(Debug, Clone)]
pub struct Lists {
    starts: Vec<usize>,
    baskets: Vec<u32>,
}

impl Lists {
    /// The lists of items below `codes`.
    pub fn new(baskets: &Baskets, codes: usize) -> Self {
        Self::of(codes, baskets.len(), |number, add| baskets.basket(number).iter().copied().for_each(add))
    }

    /// The lists of codes that `codes_of` tells for each basket; a code that is told twice for a basket counts once.
    pub(crate) fn of(codes: usize, baskets: usize, codes_of: impl Fn(usize, &mut dyn FnMut(u32))) -> Self {
        let mut last = vec![u32::MAX; codes];
        let mut starts = vec![0usize; codes + 1];
        for number in 0..baskets {
            codes_of(number, &mut |code| {
                if last[code as usize] != number as u32 {
                    last[code as usize] = number as u32;
                    starts[code as usize + 1] += 1;
                }
            });
        }
        for code in 0..codes {
            starts[code + 1] += starts[code];
        }
        let mut cursor = starts.clone();
        let mut lists = vec![0u32; starts[codes]];
        last.fill(u32::MAX);
        for number in 0..baskets {
            codes_of(number, &mut |code| {
                if last[code as usize] != number as u32 {
                    last[code as usize] = number as u32;
                    lists[cursor[code as usize]] = number as u32;
                    cursor[code as usize] += 1;
                }
            });
        }
        Self { starts, baskets: lists }
    }

    /// The baskets of a code.
    pub fn list(&self, code: u32) -> &[u32] {
        &self.baskets[self.starts[code as usize]..self.starts[code as usize + 1]]
    }

    /// How many baskets hold all the codes, or `most` if there are more: counting ends there.
    pub fn support(&self, set: &[u32], most: u64) -> u64 {
        let mut lists: Vec<&[u32]> = set.iter().map(|&code| self.list(code)).collect();
        lists.sort_unstable_by_key(|list| list.len());
        let Some((shortest, others)) = lists.split_first_mut() else {
            return most;
        };
        let mut count = 0;
        'baskets: for &basket in *shortest {
            for list in others.iter_mut() {
                *list = &list[gallop(list, basket)..];
                match list.first() {
                    None => return count,
                    Some(&own) if own != basket => continue 'baskets,
                    Some(_) => {}
                }
            }
            count += 1;
            if count >= most {
                return count;
            }
        }
        count
    }
}

/// The place of the first number that is not below the wanted one.
fn gallop(list: &[u32], wanted: u32) -> usize {
    let mut step = 1;
    while step <= list.len() && list[step - 1] < wanted {
        step *= 2;
    }
    let low = step / 2;
    low + list[low..list.len().min(step)].partition_point(|&own| own < wanted)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use privet_data::Silent;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Every set of at most `most` items that occurs, by going through all subsets of all baskets.
    pub(crate) fn all_sets(baskets: &Baskets, most: usize) -> BTreeMap<Vec<u32>, u64> {
        let mut sets = BTreeMap::new();
        for basket in baskets.iter() {
            for mask in 1u32..1 << basket.len() {
                if mask.count_ones() as usize <= most {
                    let set: Vec<u32> =
                        (0..basket.len()).filter(|&i| mask >> i & 1 == 1).map(|i| basket[i]).collect();
                    *sets.entry(set).or_insert(0) += 1;
                }
            }
        }
        sets
    }

    pub(crate) fn small_baskets(items: u32, longest: usize) -> impl Strategy<Value = Baskets> {
        proptest::collection::vec(proptest::collection::vec(0..items, 0..=longest), 0..14)
            .prop_map(Baskets::of)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn all_sets_are_seen_once(baskets in small_baskets(7, 6), most in 1usize..5) {
            let seen = Walk::new(&baskets, most)
                .run(&Silent, |all: &mut Vec<(Vec<u32>, u64, u64)>, own| {
                    all.push((own.items.to_vec(), own.support, own.before));
                    true
                })
                .unwrap();
            let expected = all_sets(&baskets, most);
            let seen: Vec<_> = seen.into_iter().flatten().collect();
            prop_assert_eq!(seen.len(), expected.len());
            let lists = Lists::new(&baskets, 7);
            for (set, support, before) in seen {
                prop_assert_eq!(expected.get(&set), Some(&support));
                prop_assert_eq!(before, baskets.support(&set[..set.len() - 1]));
                prop_assert_eq!(lists.support(&set, u64::MAX), support);
                prop_assert_eq!(lists.support(&set, 2), support.min(2));
            }
            prop_assert_eq!(Walk::new(&baskets, most).steps(), expected.values().sum::<u64>());
        }
    }

    #[test]
    fn too_much_is_refused_beforehand() {
        let baskets = Baskets::of(std::iter::once(0..100_000u32));
        let walk = Walk::new(&baskets, 3);
        assert!(matches!(walk.run(&Silent, |_: &mut (), _| true), Err(SetsError::TooLarge { .. })));
        assert_eq!(Walk::new(&baskets, 1).steps(), 100_000);
        assert_eq!(Walk::new(&baskets, 60).steps(), u64::MAX);
    }
}
