//! Frequent itemsets by depth-first search over compact bit vectors (Zaki's Eclat, with projection and perfect extensions).
//!
//! For every first item, the rarest first, the transactions that hold it are numbered anew, and every later item is a vector of bits
//! over these; deeper down the transactions are numbered anew whenever few are left. Items that all transactions of a prefix
//! hold ("perfect extensions") are not searched: every set of them joins every set below the prefix.
//!
//! Growth: the itemsets that are found, times the transactions of their first item over 64. Search runs on all cores and finds the same
//! itemsets in the same order on any number of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;
use rayon::prelude::*;

use super::Transactions;
use crate::MineError;

/// Itemsets with their supports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Itemsets {
    starts: Vec<usize>,
    items: Vec<u32>,
    supports: Vec<u32>,
}

impl Itemsets {
    fn push(&mut self, itemset: &[u32], support: u32) {
        self.items.extend_from_slice(itemset);
        self.supports.push(support);
        self.starts.push(self.items.len());
    }

    fn empty() -> Self {
        Self { starts: vec![0], ..Self::default() }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.supports.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.supports.is_empty()
    }

    /// The items of one, ascending, and its support.
    pub fn get(&self, place: usize) -> (&[u32], u32) {
        (&self.items[self.starts[place]..self.starts[place + 1]], self.supports[place])
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u32], u32)> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// The supports by itemset.
    pub fn index(&self) -> HashMap<&[u32], u32> {
        let mut index = HashMap::with_capacity(self.len());
        index.extend(self.iter());
        index
    }

    fn append(&mut self, other: Self) {
        let shift = self.items.len();
        self.items.extend(other.items);
        self.supports.extend(other.supports);
        self.starts.extend(other.starts[1..].iter().map(|start| start + shift));
    }
}

/// The itemsets of at least one item that at least `least` transactions hold.
///
/// # Errors
/// When `least` is 0, more than `limit` itemsets are frequent, or the operation was stopped.
pub fn frequent_itemsets(
    transactions: &Transactions,
    least: u64,
    limit: usize,
    progress: &dyn Progress,
) -> Result<Itemsets, MineError> {
    if least == 0 {
        let accepted = "at least 1";
        return Err(MineError::Parameter { name: "the least support", value: 0.0, accepted });
    }
    let search = Search::new(transactions, u32::try_from(least).unwrap_or(u32::MAX), limit);
    progress.stage("frequent itemsets", Some(search.items.len() as u64));
    let found: Result<Vec<Itemsets>, MineError> = (0..search.items.len())
        .into_par_iter()
        .map(|first| {
            progress.check()?;
            search.beginning_with(first, progress)
        })
        .collect();
    let mut all = Itemsets::empty();
    for own in found? {
        all.append(own);
    }
    Ok(all)
}

struct Search {
    least: u32,
    limit: usize,
    count: AtomicUsize,
    /// Frequent items, the rarest first.
    items: Vec<u32>,
    /// Per position in `items` the transactions that hold it.
    holders: Vec<Vec<u32>>,
    /// Transactions as ascending positions in `items`.
    starts: Vec<usize>,
    rows: Vec<u32>,
}

/// An item in the search: its position, the transactions of the prefix that hold it, and how many these are.
struct Member {
    item: u32,
    support: u32,
    bits: Vec<u64>,
}

impl Search {
    fn new(transactions: &Transactions, least: u32, limit: usize) -> Self {
        let supports = transactions.item_supports();
        let mut items: Vec<u32> =
            (0..transactions.domain()).filter(|&item| supports[item as usize] >= least).collect();
        items.sort_unstable_by_key(|&item| (supports[item as usize], item));
        let mut rank = vec![u32::MAX; supports.len()];
        for (place, &item) in items.iter().enumerate() {
            rank[item as usize] = place as u32;
        }
        let (mut starts, mut rows) = (vec![0], Vec::new());
        let mut holders = vec![Vec::new(); items.len()];
        for (place, row) in transactions.rows().enumerate() {
            let first = rows.len();
            rows.extend(row.iter().map(|&item| rank[item as usize]).filter(|&own| own != u32::MAX));
            rows[first..].sort_unstable();
            for &own in &rows[first..] {
                holders[own as usize].push(place as u32);
            }
            starts.push(rows.len());
        }
        Self { least, limit, count: AtomicUsize::new(0), items, holders, starts, rows }
    }

    /// The itemsets whose rarest item is this one.
    fn beginning_with(&self, first: usize, progress: &dyn Progress) -> Result<Itemsets, MineError> {
        let holders = &self.holders[first];
        let words = holders.len().div_ceil(64);
        let later = self.items.len() - first - 1;
        let mut matrix = vec![0u64; words * later];
        let mut supports = vec![0u32; later];
        for (place, &row) in holders.iter().enumerate() {
            let row = &self.rows[self.starts[row as usize]..self.starts[row as usize + 1]];
            for &item in row.iter().rev().take_while(|&&item| item as usize > first) {
                let own = item as usize - first - 1;
                matrix[own * words + place / 64] |= 1 << (place % 64);
                supports[own] += 1;
            }
        }
        let frequent = (0..later).filter(|&own| supports[own] >= self.least);
        let mut members: Vec<Member> = frequent
            .map(|own| Member {
                item: (own + first + 1) as u32,
                support: supports[own],
                bits: matrix[own * words..][..words].to_vec(),
            })
            .collect();
        // The rarest within the prefix first: few stay together with it.
        members.sort_by_key(|member| (member.support, member.item));
        let mut walk = Walk {
            search: self,
            progress,
            prefix: vec![self.items[first]],
            perfect: Vec::new(),
            found: Itemsets::empty(),
            pool: Vec::new(),
            buffer: Vec::new(),
        };
        walk.visit(members, holders.len() as u32, holders.len())?;
        Ok(walk.found)
    }
}

struct Walk<'a> {
    search: &'a Search,
    progress: &'a dyn Progress,
    prefix: Vec<u32>,
    perfect: Vec<u32>,
    found: Itemsets,
    /// Vectors that are free to be used again.
    pool: Vec<Vec<u64>>,
    buffer: Vec<u32>,
}

impl Walk<'_> {
    /// Everything below a prefix with this support, whose members are vectors over `universe` transactions.
    fn visit(&mut self, mut members: Vec<Member>, support: u32, universe: usize) -> Result<(), MineError> {
        let perfect_before = self.perfect.len();
        members.retain_mut(|member| {
            let is_perfect = member.support == support;
            if is_perfect {
                self.perfect.push(self.search.items[member.item as usize]);
                self.pool.push(std::mem::take(&mut member.bits));
            }
            !is_perfect
        });
        self.emit(support)?;
        for at in 0..members.len() {
            let (head, tail) = members.split_at(at + 1);
            let member = &head[at];
            let projects = (member.support as usize) * 3 < universe && tail.len() > 1;
            let mut next = Vec::with_capacity(tail.len());
            let inside = if projects { member.support as usize } else { universe };
            for other in tail {
                let mut bits = self.pool.pop().unwrap_or_default();
                let support = match projects {
                    true => projected(&member.bits, &other.bits, inside, &mut bits),
                    false => intersected(&member.bits, &other.bits, &mut bits),
                };
                match support >= self.search.least {
                    true => next.push(Member { item: other.item, support, bits }),
                    false => self.pool.push(bits),
                }
            }
            self.prefix.push(self.search.items[member.item as usize]);
            self.visit(next, member.support, inside)?;
            self.prefix.pop();
        }
        self.pool.extend(members.into_iter().map(|member| member.bits));
        self.perfect.truncate(perfect_before);
        Ok(())
    }

    /// The prefix with every set of perfect extensions.
    fn emit(&mut self, support: u32) -> Result<(), MineError> {
        let too_many = MineError::TooMany { what: "frequent itemsets", limit: self.search.limit };
        if self.perfect.len() >= usize::BITS as usize - 1 {
            return Err(too_many);
        }
        let sets = 1usize << self.perfect.len();
        let before = self.search.count.fetch_add(sets, Ordering::Relaxed);
        if before.saturating_add(sets) > self.search.limit {
            return Err(too_many);
        }
        if before >> 16 != (before + sets) >> 16 {
            self.progress.check()?;
        }
        for set in 0..sets {
            self.buffer.clear();
            self.buffer.extend_from_slice(&self.prefix);
            let chosen = self.perfect.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
            self.buffer.extend(chosen.map(|(_, item)| *item));
            self.buffer.sort_unstable();
            self.found.push(&self.buffer, support);
        }
        Ok(())
    }
}

/// The intersection and its size.
fn intersected(a: &[u64], b: &[u64], out: &mut Vec<u64>) -> u32 {
    out.clear();
    out.extend(a.iter().zip(b).map(|(a, b)| a & b));
    out.iter().map(|word| word.count_ones()).sum()
}

/// The intersection, numbered by the bits of the first set, and its size.
fn projected(mask: &[u64], bits: &[u64], size: usize, out: &mut Vec<u64>) -> u32 {
    out.clear();
    out.resize(size.div_ceil(64), 0);
    let (mut place, mut count) = (0usize, 0);
    for (&mask, &bits) in mask.iter().zip(bits) {
        let mut common = mask & bits;
        count += common.count_ones();
        while common != 0 {
            let bit = common & common.wrapping_neg();
            let before = place + (mask & (bit - 1)).count_ones() as usize;
            out[before / 64] |= 1 << (before % 64);
            common ^= bit;
        }
        place += mask.count_ones() as usize;
    }
    count
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use privet_data::Silent;
    use proptest::prelude::*;

    use super::*;

    fn by_hand(transactions: &Transactions, least: u64) -> BTreeMap<Vec<u32>, u32> {
        let items: Vec<u32> = (0..transactions.domain()).collect();
        (1..1u32 << items.len())
            .map(|set| items.iter().copied().filter(|item| set >> item & 1 == 1).collect::<Vec<u32>>())
            .map(|itemset| (itemset.clone(), transactions.support(&itemset) as u32))
            .filter(|(_, support)| u64::from(*support) >= least)
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn itemsets_are_those_by_hand(
            rows in prop::collection::vec(prop::collection::vec(0u32..8, 0..8), 1..90), least in 1u64..12
        ) {
            let transactions = Transactions::new(rows);
            let found = frequent_itemsets(&transactions, least, 1000, &Silent).unwrap();
            let own: BTreeMap<Vec<u32>, u32> = found.iter().map(|(set, support)| (set.to_vec(), support)).collect();
            prop_assert_eq!(own.len(), found.len());
            prop_assert_eq!(own, by_hand(&transactions, least));
        }
    }

    #[test]
    fn too_many_is_an_error() {
        let transactions = Transactions::new(vec![(0..20).collect(), (0..20).collect()]);
        let error = frequent_itemsets(&transactions, 1, 1000, &Silent).unwrap_err();
        assert_eq!(error, MineError::TooMany { what: "frequent itemsets", limit: 1000 });
        assert!(frequent_itemsets(&transactions, 0, 1000, &Silent).is_err());
    }

    /// FX-T8.
    #[test]
    fn fx_t8_has_eleven_itemsets() {
        let transactions = crate::fixtures::fx_t8();
        let found = frequent_itemsets(&transactions, 3, 100, &Silent).unwrap();
        let index = found.index();
        let support = |set: &[u32]| index.get(set).copied();
        let printed: [(&[u32], u32); 11] = [
            (&[0], 6),
            (&[1], 6),
            (&[2], 6),
            (&[3], 5),
            (&[0, 1], 4),
            (&[0, 2], 5),
            (&[0, 3], 3),
            (&[1, 2], 4),
            (&[1, 3], 4),
            (&[2, 3], 3),
            (&[0, 1, 2], 3),
        ];
        assert_eq!(found.len(), printed.len());
        assert!(printed.iter().all(|&(set, count)| support(set) == Some(count)));
    }
}
