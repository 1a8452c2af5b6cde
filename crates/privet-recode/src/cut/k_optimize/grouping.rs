//! Groups items by their runs, and finds the group on the other side of a boundary. Exact for any number of
//! columns: those whose numbers do not fit one word are taken in turns.

use foldhash::{HashMap, HashMapExt};

use super::alphabet::Runs;

/// Groups of items that share the run of every column.
pub(super) struct Grouping {
    /// Per item its group, numbered in the order in which they first appear.
    pub group_of: Vec<u32>,
    /// Per group its first item.
    pub first: Vec<u32>,
    turns: Vec<Turn>,
    /// Per column the turn in which it is taken and what one run more adds there; none with a single run.
    place: Vec<Option<(usize, u64)>>,
}

/// Some columns whose combinations of runs fit half a word.
struct Turn {
    combinations: u64,
    /// Per item the combination.
    key: Vec<u64>,
    /// Group of the turns before × combination → group.
    groups: HashMap<u64, u32>,
}

const HALF: u64 = 1 << 32;

impl Grouping {
    /// Groups items whose values are given column by column.
    pub fn new(columns: &[Vec<u32>], runs: &[Runs], items: usize) -> Self {
        let mut place = Vec::with_capacity(runs.len());
        let mut products: Vec<u64> = Vec::new();
        for runs in runs {
            let many = runs.len() as u64;
            if many == 1 {
                place.push(None);
                continue;
            }
            if products.last().is_none_or(|product| product * many > HALF) {
                products.push(1);
            }
            let turn = products.len() - 1;
            place.push(Some((turn, products[turn])));
            products[turn] *= many;
        }
        let mut group_of = vec![0u32; items];
        let mut first: Vec<u32> = if items > 0 { vec![0] } else { Vec::new() };
        let mut turns = Vec::with_capacity(products.len());
        for (turn, &combinations) in products.iter().enumerate() {
            let mut key = vec![0u64; items];
            for ((values, runs), place) in columns.iter().zip(runs).zip(&place) {
                let Some((_, one_more)) = place.filter(|place| place.0 == turn) else { continue };
                let adds: Vec<u64> = runs.of_value.iter().map(|&run| u64::from(run) * one_more).collect();
                key.iter_mut().zip(values).for_each(|(key, &value)| *key += adds[value as usize]);
            }
            first.clear();
            let mut groups = HashMap::with_capacity(1024);
            for (item, (group, key)) in group_of.iter_mut().zip(&key).enumerate() {
                *group = *groups.entry(u64::from(*group) * combinations + key).or_insert_with(|| {
                    first.push(item as u32);
                    first.len() as u32 - 1
                });
            }
            turns.push(Turn { combinations, key, groups });
        }
        Self { group_of, first, turns, place }
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// The group that differs from this one only by being in the next run of one column. It must not be asked for
    /// a group in the last run.
    pub fn next_to(&self, group: usize, column: usize) -> Option<usize> {
        let (changed, one_more) = self.place[column]?;
        let item = self.first[group] as usize;
        let mut found = 0u32;
        for (number, turn) in self.turns.iter().enumerate() {
            let key = turn.key[item] + if number == changed { one_more } else { 0 };
            found = *turn.groups.get(&(u64::from(found) * turn.combinations + key))?;
        }
        Some(found as usize)
    }
}

/// Lists that lie one behind the other.
pub(super) struct Lists {
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Lists {
    /// No group.
    pub fn none() -> Self {
        Self { starts: vec![0], all: Vec::new() }
    }

    /// The items of each group, ascending.
    pub fn of_groups(group_of: &[u32], groups: usize) -> Self {
        let mut starts = vec![0u32; groups + 1];
        for &group in group_of {
            starts[group as usize + 1] += 1;
        }
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut all = vec![0; group_of.len()];
        for (item, &group) in group_of.iter().enumerate() {
            all[next[group as usize] as usize] = item as u32;
            next[group as usize] += 1;
        }
        Self { starts, all }
    }

    /// The items of a group.
    pub fn of(&self, group: usize) -> &[u32] {
        &self.all[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve columns of 256 runs need three turns.
    #[test]
    fn wide_keys_are_exact() {
        let runs =
            |many: usize| Runs { of_value: (0..many as u32).collect(), boundaries: (1..many).collect() };
        let all: Vec<Runs> = (0..12).map(|_| runs(256)).collect();
        let mut columns: Vec<Vec<u32>> = vec![vec![7; 5]; 12];
        columns[11][1] = 8;
        columns[0][2] = 8;
        columns[4][3] = 6;
        let grouping = Grouping::new(&columns, &all, 5);
        assert_eq!(grouping.turns.len(), 3);
        assert_eq!(grouping.group_of, [0, 1, 2, 3, 0]);
        assert_eq!(grouping.next_to(0, 11), Some(1));
        assert_eq!(grouping.next_to(0, 0), Some(2));
        assert_eq!(grouping.next_to(0, 4), None);
        assert_eq!(grouping.next_to(3, 4), Some(0));
        assert_eq!(Lists::of_groups(&grouping.group_of, grouping.len()).of(0), [0, 4]);
    }

    #[test]
    fn no_column_and_no_item() {
        assert_eq!(Grouping::new(&[], &[], 3).group_of, [0, 0, 0]);
        assert_eq!(Grouping::new(&[], &[], 0).len(), 0);
    }
}
