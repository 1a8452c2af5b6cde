//! Random tables of counts with fixed margins, by a Markov chain (survey ME-36, TH-21; Diaconis and Sturmfels 1998,
//! Dobra 2003).
//!
//! A step takes an edge of the junction tree of the margins, and two records that agree on the columns that both sides
//! of the edge share, and lets them exchange their values of all columns beyond it: in cells, +1 −1 −1 +1 on a square.
//! For two margins of one column each these are the basic moves of two-way tables. For decomposable margins such
//! primitive moves connect all tables with these margins; for others that is wrong, and they are refused.
//!
//! Records are drawn rather than cells, so that no step is wasted on empty cells. With cells x, y before and x′, y′
//! after, a step and its way back have probabilities as n(x)·n(y) to (n(x′)+1)·(n(y′)+1). The hypergeometric law, in
//! which a table is as likely as the number of ways to arrange records into it (1/∏n!), has just this ratio, so every
//! step is taken; for the uniform law it is taken with the inverse of the ratio (Metropolis and Hastings).
//!
//! # Guarantee
//! After any number of steps the margins are exactly those of the original and no count is negative. The stationary
//! law is exactly the one that is asked for. How many steps come near to it is not known in general: take many more
//! than there are records, and look at how far apart two walks are. No formal privacy: margins are published as they
//! are, and a table with few others of the same margins cannot be hidden among them (see [`super::for_each_table`]).

use super::junction::junction_tree;
use super::{Counts, TableError, too_many_records};
use crate::{Coins, Drawn};

/// The most places in lists of records, for all edges together.
const MOST_PLACES: u64 = 1 << 27;

/// How likely each table with the given margins shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// All equally.
    Uniform,
    /// As the number of ways to arrange records into it: what independent shuffling of records gives.
    Hypergeometric,
}

/// A table on its way.
#[derive(Debug, Clone)]
pub struct TableWalk {
    table: Counts,
    target: Target,
    /// The cell of each record.
    cells: Vec<u32>,
    edges: Vec<Walkable>,
}

/// An edge of the junction tree, and the records by what they have on its separator.
#[derive(Debug, Clone)]
struct Walkable {
    /// Stride and size of the columns beyond the edge.
    beyond: Vec<(usize, usize)>,
    /// Other edges to whose separators columns beyond this one belong.
    affected: Vec<usize>,
    /// Per class where it begins in `order`, and how many records it has; neither ever changes.
    classes: Vec<(u32, u32)>,
    /// Records by class.
    order: Vec<u32>,
    /// Per record its place in `order`.
    place: Vec<u32>,
    /// Per record its class.
    class: Vec<u32>,
}

impl Walkable {
    /// The part of a cell's number that columns beyond the edge make.
    fn part(&self, cell: usize) -> usize {
        self.beyond.iter().map(|&(stride, size)| cell / stride % size * stride).sum()
    }

    /// Two records exchange what they have on the separator: as it lies wholly on one side of any other edge, that is
    /// what a step along the other edge does, or nothing.
    fn exchange(&mut self, first: usize, second: usize) {
        if self.class[first] != self.class[second] {
            let (a, b) = (self.place[first] as usize, self.place[second] as usize);
            self.order.swap(a, b);
            self.place.swap(first, second);
            self.class.swap(first, second);
        }
    }
}

impl TableWalk {
    /// A walk that begins at a table and keeps the counts over each of these sets of columns.
    ///
    /// # Errors
    /// When a margin is malformed, a column is in none, the margins are not decomposable, or there are too many records.
    pub fn new(table: Counts, margins: &[Vec<usize>], target: Target) -> Result<Self, TableError> {
        let tree = junction_tree(&table, margins)?;
        let records = table.records();
        let most = MOST_PLACES / (tree.len() as u64 + 1);
        if records > most {
            return Err(too_many_records(records, most));
        }
        let mut cells = Vec::with_capacity(records as usize);
        for (cell, &count) in table.counts.iter().enumerate() {
            cells.extend(std::iter::repeat_n(cell as u32, count as usize));
        }
        let strides = table.strides();
        let edges = tree.iter().map(|edge| {
            let (entry, _) = table.entries(&edge.separator);
            let sizes = table.margin(&edge.separator).unwrap_or_default();
            let mut classes = Vec::with_capacity(sizes.len());
            let mut start = 0;
            for size in sizes {
                classes.push((start, size as u32));
                start += size as u32;
            }
            let mut next: Vec<u32> = classes.iter().map(|&(start, _)| start).collect();
            let mut order = vec![0; cells.len()];
            let (mut place, mut class) = (Vec::with_capacity(cells.len()), Vec::with_capacity(cells.len()));
            for (record, &cell) in cells.iter().enumerate() {
                let own = entry[cell as usize]; // why: one entry per cell
                let at = &mut next[own as usize]; // why: one class per entry
                order[*at as usize] = record as u32; // why: classes are as long as their counts
                place.push(*at);
                class.push(own);
                *at += 1;
            }
            let meets = |other: &[usize]| other.iter().any(|column| edge.beyond.contains(column));
            Walkable {
                beyond: edge
                    .beyond
                    .iter()
                    .filter_map(|&column| Some((*strides.get(column)?, *table.sizes.get(column)?)))
                    .collect(),
                affected: (0..tree.len())
                    .filter(|&other| tree.get(other).is_some_and(|other| meets(&other.separator)))
                    .collect(),
                classes,
                order,
                place,
                class,
            }
        });
        let edges = edges.collect();
        Ok(Self { table, target, cells, edges })
    }

    /// The table as it is now.
    pub fn table(&self) -> &Counts {
        &self.table
    }

    /// One step; whether the table changed.
    ///
    /// # Errors
    /// When the source of randomness fails.
    pub fn step<C: Coins + ?Sized>(&mut self, coins: &mut C) -> Result<bool, TableError> {
        if self.cells.is_empty() || self.edges.is_empty() {
            return Ok(false);
        }
        // why (all of the indexing below): records, cells, classes and edges are numbered below the lengths of their lists,
        // and a class has at least the record that it was found by.
        let chosen = coins.below(self.edges.len() as u64)? as usize;
        let edge = &self.edges[chosen];
        let first = coins.below(self.cells.len() as u64)? as usize;
        let (start, size) = edge.classes[edge.class[first] as usize];
        let second = edge.order[start as usize + coins.below(u64::from(size))? as usize] as usize;
        let (x, y) = (self.cells[first] as usize, self.cells[second] as usize);
        let (of_x, of_y) = (edge.part(x), edge.part(y));
        let (new_x, new_y) = (x - of_x + of_y, y - of_y + of_x);
        if of_x == of_y || new_x == y {
            return Ok(false);
        }
        let counts = &mut self.table.counts;
        if self.target == Target::Uniform {
            let back = (counts[new_x] + 1) as f64 * (counts[new_y] + 1) as f64;
            if !coins.chance(back / (counts[x] as f64 * counts[y] as f64))? {
                return Ok(false);
            }
        }
        counts[x] -= 1;
        counts[y] -= 1;
        counts[new_x] += 1;
        counts[new_y] += 1;
        self.cells[first] = new_x as u32;
        self.cells[second] = new_y as u32;
        for at in 0..self.edges[chosen].affected.len() {
            let other = self.edges[chosen].affected[at];
            self.edges[other].exchange(first, second);
        }
        Ok(true)
    }

    /// Many steps; how many of them changed the table.
    ///
    /// # Errors
    /// When the source of randomness fails.
    pub fn walk<C: Coins + ?Sized>(&mut self, steps: u64, coins: &mut C) -> Result<u64, TableError> {
        let mut taken = 0;
        for _ in 0..steps {
            taken += u64::from(self.step(coins)?);
        }
        Ok(taken)
    }
}

/// A table after a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked {
    /// The table.
    pub table: Counts,
    /// How many steps changed the table on the way.
    pub taken: u64,
    /// How many records would have to change to come back to the original.
    pub moved_records: u64,
}

/// The table after so many steps of a walk that keeps the margins.
///
/// # Errors
/// When a margin is malformed, a column is in none, the margins are not decomposable, there are too many records, or the
/// source of randomness fails.
pub fn sample_table<C: Coins + ?Sized>(
    table: &Counts,
    margins: &[Vec<usize>],
    target: Target,
    steps: u64,
    coins: &mut C,
) -> Result<Drawn<Walked>, TableError> {
    let mut walk = TableWalk::new(table.clone(), margins, target)?;
    let taken = walk.walk(steps, coins)?;
    let moved_records = table.distance(&walk.table.counts);
    Ok(Drawn { value: Walked { table: walk.table, taken, moved_records }, source: coins.source() })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::normal::two_sided_quantile;
    use crate::tables::for_each_table;
    use crate::testing::assert_mean;
    use crate::{SeededCoins, Source};

    fn fibre(table: &Counts, margins: &[Vec<usize>]) -> BTreeSet<Vec<u64>> {
        let mut tables = BTreeSet::new();
        let listed = for_each_table(table, margins, 1 << 20, |counts| {
            tables.insert(counts.to_vec());
        });
        assert!(matches!(listed, Ok(Some(_))));
        tables
    }

    fn models() -> Vec<Vec<Vec<usize>>> {
        vec![
            vec![vec![0, 1], vec![1, 2]],
            vec![vec![0, 2], vec![1]],
            vec![vec![0], vec![1], vec![2]],
            vec![vec![2, 0], vec![0, 1], vec![0]],
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn margins_stay(counts in prop::collection::vec(0u64..5, 12), model in 0usize..4, seed in 0u64..1000) {
            let table = Counts::new(vec![2, 3, 2], counts).unwrap();
            let margins = &models()[model];
            for target in [Target::Uniform, Target::Hypergeometric] {
                let out = sample_table(&table, margins, target, 300, &mut SeededCoins::new(seed)).unwrap();
                prop_assert_eq!(out.source, Source::Seeded);
                for margin in margins {
                    prop_assert_eq!(out.value.table.margin(margin), table.margin(margin));
                }
                prop_assert_eq!(out.value.table.records(), table.records());
                let apart: u64 = table.counts().iter().zip(out.value.table.counts()).map(|(a, b)| a.abs_diff(*b)).sum();
                prop_assert_eq!(out.value.moved_records, apart / 2);
            }
        }
    }

    /// survey TH-21: from every 2×2×2 table of up to 4 records, and for each decomposable model, the walk comes to every
    /// table with the same margins, and to no other.
    #[test]
    fn every_table_is_reached() {
        let mut coins = SeededCoins::new(8);
        let start = Counts::new(vec![2, 2, 2], vec![4, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        for counts in fibre(&start, &[]) {
            let table = Counts::new(vec![2, 2, 2], counts).unwrap();
            for margins in models() {
                let mut walk = TableWalk::new(table.clone(), &margins, Target::Uniform).unwrap();
                let expected = fibre(&table, &margins);
                let mut seen = BTreeSet::from([table.counts().to_vec()]);
                for _ in 0..20_000 {
                    if seen.len() == expected.len() {
                        break;
                    }
                    walk.step(&mut coins).unwrap();
                    seen.insert(walk.table().counts().to_vec());
                }
                assert_eq!(seen, expected);
                walk.walk(20, &mut coins).unwrap();
                assert!(expected.contains(walk.table().counts()));
            }
        }
    }

    /// Pearson's statistic of how often tables were seen, and what it exceeds with a probability of 1e-6 (Wilson and
    /// Hilferty) when they have these weights and what was seen is independent.
    fn chi_square(seen: &BTreeMap<Vec<u64>, u32>, weights: &BTreeMap<Vec<u64>, f64>) -> (f64, f64) {
        let draws = f64::from(seen.values().sum::<u32>());
        let sum: f64 = weights.values().sum();
        assert!(seen.keys().all(|table| weights.contains_key(table)));
        let statistic = weights
            .iter()
            .map(|(table, weight)| {
                let expected = draws * weight / sum;
                assert!(expected > 5.0, "too few draws for the approximation");
                (f64::from(seen.get(table).copied().unwrap_or(0)) - expected).powi(2) / expected
            })
            .sum();
        let freedom = weights.len() as f64 - 1.0;
        let part = 2.0 / (9.0 * freedom);
        (statistic, freedom * (1.0 - part + two_sided_quantile(1.0 - 2e-6) * part.sqrt()).powi(3))
    }

    /// Frequencies of the chain against the law, on all tables with the margins. Only every 60th table is counted, after
    /// which walks on so few tables have forgotten where they were. False alarm: 1e-6 for each of 6 comparisons. The wrong
    /// law is told apart by the same draws, so the test can fail.
    #[test]
    fn stationary_law() {
        let three = Counts::new(vec![3, 3], vec![2, 0, 0, 0, 2, 0, 0, 1, 1]).unwrap();
        let chain =
            Counts::new(vec![2, 2, 2, 2], [[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1]].concat());
        let cross = Counts::new(vec![2, 3, 2], vec![2, 0, 1, 1, 0, 2, 0, 1, 1, 0, 1, 0]).unwrap();
        let cases = [
            (three, vec![vec![0], vec![1]]),
            (chain.unwrap(), vec![vec![0, 1], vec![1, 2], vec![2, 3]]),
            (cross, vec![vec![0, 1], vec![0, 2]]),
        ];
        let mut coins = SeededCoins::new(21);
        for (table, margins) in &cases {
            let tables = fibre(table, margins);
            assert!(tables.len() > 10, "{}", tables.len());
            let factorial = |count: u64| (1..=count).map(|i| i as f64).product::<f64>();
            let arrangements =
                |counts: &Vec<u64>| 1.0 / counts.iter().map(|&n| factorial(n)).product::<f64>();
            let even: BTreeMap<_, _> = tables.iter().map(|counts| (counts.clone(), 1.0)).collect();
            let ways: BTreeMap<_, _> = tables.iter().map(|c| (c.clone(), arrangements(c))).collect();
            for (target, law, wrong) in
                [(Target::Uniform, &even, &ways), (Target::Hypergeometric, &ways, &even)]
            {
                let mut walk = TableWalk::new(table.clone(), margins, target).unwrap();
                walk.walk(2000, &mut coins).unwrap();
                let mut seen = BTreeMap::new();
                for _ in 0..8000 {
                    walk.walk(60, &mut coins).unwrap();
                    *seen.entry(walk.table().counts().to_vec()).or_insert(0u32) += 1;
                }
                let (statistic, most) = chi_square(&seen, law);
                assert!(statistic <= most, "{statistic} above {most}");
                let (statistic, most) = chi_square(&seen, wrong);
                assert!(statistic > most, "the other law cannot be told apart");
            }
        }
    }

    /// survey FX-1.6: gender, nationality and condition with the two published margins. By the hypergeometric law the mean
    /// of a cell is n(g,nat)·n(g,cond)/n(g); the bounds are those of Fréchet, and all are reached. False alarm: 1e-6 for
    /// all 4 means, of every 100th table.
    #[test]
    fn bounds_and_means_of_two_published_margins() {
        // Nationalities: Russian, Japanese, Korean, American, Chinese, Indian. Conditions: HD, VI, Flu, Ca. Of FX-1.1.
        let gender = [0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1];
        let nationality = [0, 4, 1, 3, 5, 1, 4, 2, 3, 3, 3, 3];
        let condition = [0, 0, 1, 1, 3, 2, 0, 2, 3, 3, 3, 3];
        let table = Counts::of(&[&gender, &nationality, &condition], &[2, 6, 4]).unwrap();
        assert_eq!(table.margin(&[0, 1]).unwrap(), [1, 1, 1, 1, 0, 0, 0, 1, 0, 4, 2, 1]);
        assert_eq!(table.margin(&[0, 2]).unwrap(), [1, 1, 1, 1, 2, 1, 1, 4]);
        let margins = [vec![0, 1], vec![0, 2]];
        let mut walk = TableWalk::new(table, &margins, Target::Hypergeometric).unwrap();
        let mut coins = SeededCoins::new(16);
        let (draws, mut sums) = (4000, [0u64; 48]);
        let (mut least, mut most) = ([u64::MAX; 48], [0u64; 48]);
        for _ in 0..draws {
            walk.walk(100, &mut coins).unwrap();
            for (cell, &count) in walk.table().counts().iter().enumerate() {
                sums[cell] += count;
                least[cell] = least[cell].min(count);
                most[cell] = most[cell].max(count);
            }
        }
        let at =
            |gender: usize, nationality: usize, condition: usize| (gender * 6 + nationality) * 4 + condition;
        assert!(least.iter().all(|&least| least == 0));
        let wide = [(at(1, 3, 3), 4), (at(1, 3, 0), 2), (at(1, 4, 0), 2), (at(1, 4, 3), 2)];
        for (cell, &most) in most.iter().enumerate() {
            match wide.iter().find(|(wide, _)| *wide == cell) {
                Some(&(_, bound)) => assert_eq!(most, bound),
                None => assert!(most <= 1),
            }
        }
        // Cell, mean, and (group of the gender, its nationality, its condition) for the hypergeometric variance.
        let means = [
            (at(1, 3, 3), 2.0, (8.0, 4.0, 4.0)),
            (at(1, 4, 3), 1.0, (8.0, 2.0, 4.0)),
            (at(1, 5, 3), 0.5, (8.0, 1.0, 4.0)),
            (at(0, 2, 1), 0.25, (4.0, 1.0, 1.0)),
        ];
        for (cell, mean, (n, a, b)) in means {
            let variance: f64 = a * b / n * (1.0 - b / n) * (n - a) / (n - 1.0);
            assert_mean(sums[cell] as f64 / f64::from(draws), mean, (variance / f64::from(draws)).sqrt(), 4);
        }
    }

    #[test]
    fn edges() {
        let mut coins = SeededCoins::new(1);
        let cube = Counts::new(vec![2, 2, 2], vec![1; 8]).unwrap();
        let pairs = [vec![0, 1], vec![1, 2], vec![0, 2]];
        let refused = sample_table(&cube, &pairs, Target::Uniform, 10, &mut coins);
        assert_eq!(refused.unwrap_err(), TableError::NotDecomposable);
        // The whole table as its own margin, no record, no value, one record: nothing can move.
        let whole = sample_table(&cube, &[vec![0, 1, 2]], Target::Uniform, 10, &mut coins).unwrap().value;
        assert_eq!((whole.table, whole.taken, whole.moved_records), (cube, 0, 0));
        for (sizes, counts) in
            [(vec![2, 2], vec![0; 4]), (vec![0, 2], vec![]), (vec![2, 2], vec![1, 0, 0, 0])]
        {
            let table = Counts::new(sizes, counts).unwrap();
            let out = sample_table(&table, &[vec![0], vec![1]], Target::Uniform, 10, &mut coins).unwrap();
            assert_eq!((out.value.table, out.value.taken), (table, 0));
        }
        let huge = Counts::new(vec![2, 1], vec![1 << 40, 0]).unwrap();
        assert!(TableWalk::new(huge, &[vec![0], vec![1]], Target::Uniform).is_err());
    }
}
