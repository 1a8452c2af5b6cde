//! Exchangeable people, by sampling (survey AT-12; Kifer's deFinetti attack): what the groups of a large release tell
//! about each other's people.
//!
//! The weight of a world is that of [`ExactDeFinetti`](super::ExactDeFinetti) with naive Bayes. A Gibbs sampler walks
//! through worlds: somebody of a group and somebody else of it, drawn at random, exchange their values with the chance
//! that the exchanged world has against the present one. That chance needs four counts for each column, so a round costs
//! people · columns. What is believed is the mean of these chances over all rounds after `burn_in`. Those of one group with
//! the same quasi columns are believed the same, so their mean is taken; where they are the whole group, frequencies are exact.
//!
//! Worlds fall apart into islands that exchanges between two people seldom leave: where smokers have cancer everywhere, and
//! where they have it nowhere. So now and then two values change places in all groups that have both (`flip.rs`).
//!
//! What it guarantees: twelve walks from different random starts are averaged, and their disagreement is the standard
//! error of each belief; it says how far to trust it, also when a walk stays on its island. Not guaranteed: that the walks
//! together see every island. The same seed gives the same result on any number of threads. Tests hold it to the exact enumeration.
//! Departure: Kifer's algorithm alternates between guessing values and estimating the model; integrating the model out
//! leaves one distribution, of which this is an unbiased walk.

mod flip;

use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;
use rayon::prelude::*;

use super::{Reasoner, ReasonerError, View, check_prior};
use crate::worlds::{Beliefs, Bucket};
use privet_data::Random;

/// The deFinetti attack by sampling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeFinetti {
    /// The rounds that count, of each of twelve walks.
    pub rounds: u32,
    /// The rounds before them.
    pub burn_in: u32,
    /// The seed.
    pub seed: u64,
    /// The Dirichlet prior: how many people of each kind are imagined beforehand.
    pub prior: f64,
}

impl Default for DeFinetti {
    fn default() -> Self {
        Self { rounds: 100, burn_in: 100, seed: 0, prior: 1.0 }
    }
}

/// How many walks are averaged.
const WALKS: u64 = 12;

/// Two values change places once in so many rounds: it takes about as long as a round where all groups have both.
const FLIP_EVERY: u64 = 4;

/// Cells that may be kept for each walk.
const MOST_CELLS: u128 = 1 << 28;

impl Reasoner for DeFinetti {
    fn name(&self) -> &'static str {
        "exchangeability"
    }

    fn beliefs(&self, view: &View<'_>, progress: &dyn Progress) -> Result<Beliefs, ReasonerError> {
        self.posterior(view.qi, view.qi_domains, view.groups, progress)
    }
}

impl DeFinetti {
    /// What is believed about everybody in the groups. `qi` holds per quasi column a code for each person.
    ///
    /// # Errors
    /// When the columns or groups are not well-formed, a parameter is out of range, a column has too many values, or the
    /// person stopped it.
    pub fn posterior(
        &self,
        qi: &[&[u32]],
        qi_domains: &[u32],
        groups: &[Bucket],
        progress: &dyn Progress,
    ) -> Result<Beliefs, ReasonerError> {
        check_prior(self.prior)?;
        if self.rounds == 0 {
            return Err(ReasonerError::Parameter { name: "rounds", problem: "must be at least 1" });
        }
        View { qi, qi_domains, groups }.check()?;
        let board = Board::new(qi, groups)?;
        let each = u64::from(self.rounds) + u64::from(self.burn_in);
        progress.stage("Exchangeable people", Some(each * WALKS));
        let done = AtomicU64::new(0);
        let walks: Result<Vec<Vec<f64>>, ReasonerError> = (0..WALKS)
            .into_par_iter()
            .map(|number| {
                let mut walk = Walk::new(&board, self.prior, Random::stream(self.seed, number));
                for round in 0..each {
                    progress.check()?;
                    if round % FLIP_EVERY == 0 {
                        walk.flip();
                    }
                    walk.round(round >= u64::from(self.burn_in));
                    progress.at(done.fetch_add(1, Ordering::Relaxed) + 1);
                }
                Ok(walk.sums)
            })
            .collect();
        Ok(board.beliefs(groups, &walks?, f64::from(self.rounds)))
    }
}

/// Everything that stays the same during a walk. People are numbered through the groups.
struct Board {
    columns: usize,
    /// Per person and column where the counts of the quasi value begin.
    offsets: Vec<u32>,
    /// How many counts there are.
    cells: usize,
    /// Where each group begins among the people.
    group_begin: Vec<usize>,
    /// The values of each group, each once, ascending, numbered among all; where those of a group begin.
    group_values: Vec<u32>,
    values_begin: Vec<usize>,
    /// Per person a position among the values of the group: one way to give them out.
    start: Vec<u32>,
    /// Per person where the sums begin.
    sums_begin: Vec<usize>,
    sums: usize,
}

impl Board {
    fn new(qi: &[&[u32]], groups: &[Bucket]) -> Result<Self, ReasonerError> {
        let people: Vec<u32> = groups.iter().flat_map(|group| group.people.iter().copied()).collect();
        let mut codes: Vec<u32> = groups.iter().flat_map(|group| group.values.iter().copied()).collect();
        codes.sort_unstable();
        codes.dedup();
        let mut board = Self {
            columns: qi.len(),
            offsets: vec![0; people.len() * qi.len()],
            cells: 0,
            group_begin: vec![0],
            group_values: Vec::new(),
            values_begin: vec![0],
            start: Vec::with_capacity(people.len()),
            sums_begin: Vec::with_capacity(people.len()),
            sums: 0,
        };
        for (number, column) in qi.iter().enumerate() {
            // Only values that occur get counts.
            let mut begin_of: HashMap<u32, u32> = HashMap::new();
            for (row, &person) in people.iter().enumerate() {
                let next = board.cells;
                let mut new = false;
                let begin = *begin_of.entry(column[person as usize]).or_insert_with(|| {
                    new = true;
                    next as u32
                });
                if new {
                    board.cells += codes.len();
                    if board.cells as u128 > MOST_CELLS {
                        let distinct = column.iter().collect::<std::collections::BTreeSet<_>>().len();
                        let needed = distinct as u128 * codes.len() as u128;
                        return Err(ReasonerError::TooLarge {
                            what: "counting quasi values by sensitive values",
                            needed: needed.max(board.cells as u128),
                            most: MOST_CELLS,
                        });
                    }
                }
                board.offsets[row * qi.len() + number] = begin;
            }
        }
        for group in groups {
            let counts = group.counts();
            for (position, &(value, count)) in (0u32..).zip(&counts) {
                board.group_values.push(codes.partition_point(|&code| code < value) as u32);
                board.start.extend(std::iter::repeat_n(position, count as usize));
            }
            board.values_begin.push(board.group_values.len());
            for _ in &group.people {
                board.sums_begin.push(board.sums);
                board.sums += counts.len();
            }
            board.group_begin.push(board.sums_begin.len());
        }
        Ok(board)
    }

    fn beliefs(&self, groups: &[Bucket], walks: &[Vec<f64>], rounds: f64) -> Beliefs {
        let mut beliefs = Beliefs::with_capacity(self.sums_begin.len());
        let n = walks.len() as f64;
        for (group, range) in groups.iter().zip(self.group_begin.windows(2)) {
            let counts = group.counts();
            let mut distribution_of = vec![0; group.people.len()];
            for alike in self.alike(range[0]..range[1]) {
                let size = alike.len() as f64;
                let entries = counts.iter().enumerate().map(|(position, &(value, count))| {
                    // Groups with one value are not walked through.
                    if counts.len() == 1 {
                        return (value, 1.0, 0.0);
                    }
                    if alike.len() == group.people.len() {
                        return (value, f64::from(count) / size, 0.0);
                    }
                    let of = |walk: &Vec<f64>, row: usize| walk[self.sums_begin[row] + position];
                    let chance = |walk: &Vec<f64>| {
                        alike.iter().map(|&row| of(walk, row)).sum::<f64>() / (rounds * size)
                    };
                    let mean = walks.iter().map(chance).sum::<f64>() / n;
                    let squares: f64 = walks.iter().map(|walk| (chance(walk) - mean).powi(2)).sum();
                    (value, mean, (squares / (n - 1.0) / n).sqrt())
                });
                let distribution = beliefs.add_estimated(entries);
                alike.iter().for_each(|&row| distribution_of[row - range[0]] = distribution);
            }
            for (&person, &distribution) in group.people.iter().zip(&distribution_of) {
                beliefs.about(person, distribution);
            }
        }
        beliefs
    }

    /// The people of a group, those with the same quasi columns together.
    fn alike(&self, group: std::ops::Range<usize>) -> Vec<Vec<usize>> {
        let quasi = |row: usize| &self.offsets[row * self.columns..(row + 1) * self.columns];
        let mut rows: Vec<usize> = group.collect();
        rows.sort_by(|&a, &b| quasi(a).cmp(quasi(b)));
        rows.chunk_by(|&a, &b| quasi(a) == quasi(b)).map(<[usize]>::to_vec).collect()
    }
}

/// One walk through worlds.
struct Walk<'a> {
    board: &'a Board,
    prior: f64,
    random: Random,
    /// Per person the position of the present value among those of the group.
    present: Vec<u32>,
    /// How many people have a quasi value and a sensitive value.
    counts: Vec<u32>,
    /// Per person and value of the group the sum of its chances.
    sums: Vec<f64>,
}

impl<'a> Walk<'a> {
    fn new(board: &'a Board, prior: f64, mut random: Random) -> Self {
        let mut present = board.start.clone();
        let mut counts = vec![0u32; board.cells];
        for (group, range) in board.group_begin.windows(2).enumerate() {
            random.shuffle(&mut present[range[0]..range[1]]);
            for (row, &position) in (range[0]..range[1]).zip(&present[range[0]..range[1]]) {
                let value = board.group_values[board.values_begin[group] + position as usize];
                for &offset in &board.offsets[row * board.columns..(row + 1) * board.columns] {
                    counts[(offset + value) as usize] += 1;
                }
            }
        }
        Self { board, prior, random, present, counts, sums: vec![0.0; board.sums] }
    }

    /// Everybody meets somebody else of the group.
    fn round(&mut self, counted: bool) {
        let board = self.board;
        for (group, range) in board.group_begin.windows(2).enumerate() {
            let (begin, size) = (range[0], range[1] - range[0]);
            let values = &board.group_values[board.values_begin[group]..board.values_begin[group + 1]];
            if values.len() < 2 {
                continue;
            }
            for i in begin..begin + size {
                // Anybody of the group but i.
                let mut j = begin + self.random.below(size - 1);
                j += usize::from(j >= i);
                let (own, other) = (self.present[i], self.present[j]);
                let sums = &mut self.sums[board.sums_begin[i]..][..values.len()];
                if own == other {
                    if counted {
                        sums[own as usize] += 1.0;
                    }
                    continue;
                }
                let (s, t) = (values[own as usize], values[other as usize]);
                let (mine, theirs) = (
                    &board.offsets[i * board.columns..(i + 1) * board.columns],
                    &board.offsets[j * board.columns..(j + 1) * board.columns],
                );
                let mut odds = 1.0f64;
                for (&a, &b) in mine.iter().zip(theirs) {
                    if a != b {
                        let count =
                            |offset: u32, value: u32| f64::from(self.counts[(offset + value) as usize]);
                        let gain = (count(a, t) + self.prior) * (count(b, s) + self.prior);
                        let loss = (count(a, s) - 1.0 + self.prior) * (count(b, t) - 1.0 + self.prior);
                        odds = (odds * (gain / loss)).clamp(1e-200, 1e200);
                    }
                }
                let exchange = odds / (1.0 + odds);
                if counted {
                    sums[own as usize] += 1.0 - exchange;
                    sums[other as usize] += exchange;
                }
                if self.random.unit() < exchange {
                    self.present.swap(i, j);
                    for (&a, &b) in mine.iter().zip(theirs) {
                        self.counts[(a + s) as usize] -= 1;
                        self.counts[(a + t) as usize] += 1;
                        self.counts[(b + t) as usize] -= 1;
                        self.counts[(b + s) as usize] += 1;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use proptest::prelude::*;

    use super::super::exact::tests::anatomy;
    use super::super::{ExactDeFinetti, Model, RandomWorlds};
    use super::*;

    /// survey FX-6.4: 5/32 within 0.01, more than five standard errors.
    #[test]
    fn survey_fx64_golden() {
        let (smokers, groups) = anatomy();
        let attack = DeFinetti { rounds: 4000, burn_in: 50, ..DeFinetti::default() };
        let beliefs = attack.posterior(&[&smokers], &[2], &groups, &Silent).unwrap();
        for (person, expected) in [(5, 5.0 / 32.0), (11, 5.0 / 32.0), (4, 27.0 / 32.0), (0, 0.5), (7, 0.5)] {
            let (found, error) = (beliefs.chance(person, 0), beliefs.standard_error(person, 0));
            assert!((found - expected).abs() < 0.01 && error < 0.005, "{person}: {found} ± {error}");
        }
        assert!(beliefs.largest_error() < 0.005);
    }

    /// The same seed, the same beliefs, on one thread or many; another seed, others.
    #[test]
    fn seeds_decide() {
        let (smokers, groups) = anatomy();
        let run = |seed: u64| {
            let attack = DeFinetti { rounds: 20, burn_in: 5, seed, prior: 0.5 };
            attack.posterior(&[&smokers], &[2], &groups, &Silent).unwrap().chance(11, 0)
        };
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(run(3), alone.install(|| run(3)));
        assert_ne!(run(3), run(4));
    }

    #[test]
    fn faults_and_edges() {
        let none = DeFinetti { rounds: 0, ..DeFinetti::default() };
        assert!(none.posterior(&[], &[], &[], &Silent).is_err());
        let bad = DeFinetti { prior: f64::NAN, ..DeFinetti::default() };
        assert!(bad.posterior(&[], &[], &[], &Silent).is_err());
        let attack = DeFinetti { rounds: 50, burn_in: 5, ..DeFinetti::default() };
        assert!(attack.posterior(&[], &[], &[], &Silent).unwrap().people().is_empty());
        // Without columns there is nothing to learn from.
        let groups =
            [Bucket { people: vec![0, 1], values: vec![3, 9] }, Bucket { people: vec![2], values: vec![9] }];
        let beliefs = attack.posterior(&[], &[], &groups, &Silent).unwrap();
        assert_eq!((beliefs.chance(0, 3), beliefs.of(2)), (0.5, &[(9, 1.0)][..]));
        struct Stop;
        impl Progress for Stop {
            fn stage(&self, _: &str, _: Option<u64>) {}
            fn at(&self, _: u64) {}
            fn cancelled(&self) -> bool {
                true
            }
        }
        let stopped = attack.posterior(&[], &[], &groups, &Stop).unwrap_err();
        assert!(matches!(stopped, ReasonerError::Cancelled(_)));
    }

    /// People in groups whose sensitive value goes with their first columns.
    pub fn correlated(
        people: u32,
        columns: u32,
        size: u32,
        values: u32,
    ) -> (Vec<Vec<u32>>, Vec<Bucket>, Vec<u32>) {
        let mut random = Random::stream(people.into(), 17);
        let truth: Vec<u32> = (0..people).map(|_| random.below(values as usize) as u32).collect();
        let quasi = (0..columns).map(|column| {
            let code = |&value: &u32| match random.below(2) {
                0 => (value * (column + 3)) % 100,
                _ => random.below(100) as u32,
            };
            truth.iter().map(code).collect()
        });
        let quasi: Vec<Vec<u32>> = quasi.collect();
        let group = |begin: u32| {
            let people: Vec<u32> = (begin..(begin + size).min(people)).collect();
            let values = people.iter().map(|&person| truth[person as usize]).collect();
            Bucket { people, values }
        };
        let groups = (0..people).step_by(size as usize).map(group).collect();
        (quasi, groups, truth)
    }

    fn learns(people: u32, columns: u32, size: u32, values: u32, rounds: u32) {
        let (quasi, groups, truth) = correlated(people, columns, size, values);
        let quasi: Vec<&[u32]> = quasi.iter().map(Vec::as_slice).collect();
        let domains = vec![100; quasi.len()];
        let attack = DeFinetti { rounds, burn_in: rounds, ..DeFinetti::default() };
        let view = View { qi: &quasi, qi_domains: &domains, groups: &groups };
        let truth = |person: u32| truth.get(person as usize).copied();
        let learned = attack.beliefs(&view, &Silent).unwrap().accuracy(truth);
        let random = RandomWorlds::default().beliefs(&view, &Silent).unwrap().accuracy(truth);
        assert!(learned.low > random.high + 0.2, "{learned:?} {random:?}");
    }

    /// Groups that are 4-diverse tell a lot when the sensitive value goes with the quasi-identifier.
    #[test]
    fn learns_from_other_groups() {
        learns(1000, 6, 4, 14, 40);
    }

    /// The size of the published experiments; run with `--release -- --ignored`.
    #[test]
    #[ignore = "takes long without optimization"]
    fn thirty_thousand_people() {
        let started = std::time::Instant::now();
        learns(30_000, 8, 10, 200, 100);
        learns(30_000, 8, 4, 14, 100);
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }

    /// Sixty groups with one A and one B, and columns that go with them: which value goes with which column nobody can tell, so
    /// by symmetry everybody has either with one half, though all worlds lie on two islands.
    #[test]
    fn islands_are_left() {
        let mut random = Random::stream(7, 0);
        let mut quasi = vec![Vec::new(); 3];
        for value in (0..120u32).map(|person| person % 2) {
            for column in &mut quasi {
                let is_own = random.unit() < 0.95;
                column.push(if is_own { value } else { random.below(2) as u32 });
            }
        }
        let group = |number: u32| Bucket { people: vec![2 * number, 2 * number + 1], values: vec![0, 1] };
        let groups: Vec<Bucket> = (0..60).map(group).collect();
        let quasi: Vec<&[u32]> = quasi.iter().map(Vec::as_slice).collect();
        for seed in 0..6 {
            let attack = DeFinetti { seed, ..DeFinetti::default() };
            let beliefs = attack.posterior(&quasi, &[2, 2, 2], &groups, &Silent).unwrap();
            assert!(beliefs.exposed(0.6).is_empty(), "{:?}", beliefs.exposed(0.6));
            assert!((0..120).all(|person| (beliefs.chance(person, 0) - 0.5).abs() < 0.05));
        }
    }

    /// Who looks like all others of the group has what its frequencies say, exactly.
    #[test]
    fn those_who_look_alike_are_believed_alike() {
        let values = [0, 0, 0, 0, 0, 0, 0, 0, 1];
        let group =
            |number: u32| Bucket { people: (9 * number..9 * number + 9).collect(), values: values.to_vec() };
        let groups: Vec<Bucket> = (0..40).map(group).collect();
        let quasi: Vec<u32> = (0..360).map(|person| person / 9).collect();
        let beliefs = DeFinetti::default().posterior(&[&quasi], &[40], &groups, &Silent).unwrap();
        assert!((0..360).all(|person| beliefs.of(person) == [(0, 8.0 / 9.0), (1, 1.0 / 9.0)]));
        assert_eq!((beliefs.largest_error(), beliefs.exposed(0.9).len()), (0.0, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Nobody is exposed by walks whom all worlds show safe.
        #[test]
        fn walks_expose_nobody_whom_all_worlds_show_safe(
            codes in prop::collection::vec(prop::collection::vec((0u32..20, 0u32..2), 12), 1..4),
            values in prop::collection::vec(0u32..2, 12),
            confidence in 5u32..10,
            seed in 0u64..1000,
        ) {
            // Columns that mostly go with the value, in pairs and triples: worlds that lie on islands.
            let quasi: Vec<Vec<u32>> = codes
                .iter()
                .map(|own| own.iter().zip(&values).map(|(own, value)| if own.0 < 18 { *value } else { own.1 }).collect())
                .collect();
            let groups: Vec<Bucket> = [0..2u32, 2..4, 4..7, 7..9, 9..12]
                .map(|range| Bucket {
                    values: range.clone().map(|person| values[person as usize]).collect(),
                    people: range.collect(),
                })
                .to_vec();
            let quasi: Vec<&[u32]> = quasi.iter().map(Vec::as_slice).collect();
            let domains = vec![2; quasi.len()];
            let view = View { qi: &quasi, qi_domains: &domains, groups: &groups };
            let exact = ExactDeFinetti { prior: 1.0, model: Model::NaiveBayes, limit: 10_000 };
            let exact = exact.beliefs(&view, &Silent).unwrap();
            let sampled = DeFinetti { seed, ..DeFinetti::default() }.beliefs(&view, &Silent).unwrap();
            let confidence = f64::from(confidence) / 10.0;
            for own in sampled.exposed(confidence) {
                let chance = exact.chance(own.person, own.value);
                prop_assert!(chance >= confidence - 1e-9, "{own:?} has {chance}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// Against all worlds: within six standard errors and 0.01, and the seed is fixed.
        #[test]
        fn equals_all_worlds(
            codes in prop::collection::vec(prop::collection::vec(0u32..3, 10), 2),
            values in prop::collection::vec(0u32..3, 10),
            prior in 0.3f64..3.0,
        ) {
            let groups: Vec<Bucket> = [0..3u32, 3..6, 6..10]
                .map(|range| Bucket {
                    values: range.clone().map(|person| values[person as usize]).collect(),
                    people: range.collect(),
                })
                .to_vec();
            let quasi: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
            let view = View { qi: &quasi, qi_domains: &[3, 3], groups: &groups };
            let exact = ExactDeFinetti { prior, model: Model::NaiveBayes, limit: 10_000 };
            let exact = exact.beliefs(&view, &Silent).unwrap();
            let attack = DeFinetti { rounds: 2000, burn_in: 200, seed: 5, prior };
            let sampled = attack.beliefs(&view, &Silent).unwrap();
            for person in 0..10 {
                for value in 0..3 {
                    let (found, expected) = (sampled.chance(person, value), exact.chance(person, value));
                    let error = sampled.standard_error(person, value);
                    prop_assert!((found - expected).abs() < 6.0 * error + 0.01, "{found} ± {error}, exactly {expected}");
                }
            }
        }
    }
}
