//! Condensation (Aggarwal and Yu; papers T-AL7 and T-AL8, survey ME-12): groups of at least k records are condensed into
//! their number, sums and sums of products, and synthetic records with those moments are published in their place.
//!
//! [`Condensation::condense`] takes a table, [`Stream`] takes records one by one and gives back synthetic ones as groups
//! fill. Columns are numbers; with class labels, each class is condensed by itself and keeps its label. The groups of a
//! table are found in one of several ways ([`Grouping`]), or given ([`Condensation::condense_groups`]).
//!
//! *Guarantee.* What is published is a function of the statistics of groups of at least k records and of random numbers
//! that do not depend on the data: nobody, not even who knows the random numbers, learns more about a record than those
//! statistics tell. This is k-indistinguishability of the statistics. It is **not** differential privacy, and it bounds
//! no inference: the mean of k incomes is told, and a group of k equal records tells their value. No synthetic record is
//! anybody's; values may lie outside the range of the data. Groups are written in an order that tells nothing of that of the
//! records: at random, unless they were found at random.
//!
//! *Departures.* Distances and axes are measured with each column in units of its standard deviation, or the column with
//! the largest numbers alone would decide who is near to whom (`standardize = false` follows the text). Samples are
//! re-centred, without which the mean matches in expectation only (DEF-7). Classes of fewer than k records are withheld.

mod draw;
mod grouping;
mod statistics;
mod stream;
mod tree;
mod ways;

use foldhash::{HashMap, HashMapExt};
use privet_data::{Cancelled, Progress};
use rayon::prelude::*;

use draw::draw;
use privet_recode::groups::Groups;
use privet_recode::lattice::Random;
pub use statistics::{Axes, GroupStatistics};
pub use stream::{Stream, StreamSummary};
pub use ways::Grouping;

/// No number that is condensed may be larger than this, so that no sum of products overflows.
pub const LARGEST: f64 = 1e60;
/// A column that varies less than this counts as constant.
const SMALLEST_UNIT: f64 = 1e-60;
/// The most synthetic records per record.
const MOST: f64 = 1000.0;

/// How records are condensed.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Condensation {
    /// The fewest records in a group; at least 2.
    pub k: u64,
    /// Synthetic records per record. A group of r records gives alpha · r of them, rounded, and at least one.
    pub alpha: f64,
    /// Equal seeds give equal records; without one the operating system gives a random one. Who knows the seed
    /// learns the statistics of the groups, so it is not for publication.
    pub seed: Option<u64>,
    /// Whether the mean of the synthetic records of a group is exactly the mean of the group.
    pub recentre: bool,
    /// Whether each column is measured in units of its standard deviation.
    pub standardize: bool,
    /// How the groups of a table are found. A stream has its own way, and given groups are found already.
    pub grouping: Grouping,
    /// `v-mdav`: how readily a group grows; 0.2 when left out, which suits scattered records; 1.1 suits clustered ones.
    pub gamma: Option<f64>,
}

impl Default for Condensation {
    fn default() -> Self {
        Self {
            k: 10,
            alpha: 1.0,
            seed: None,
            recentre: true,
            standardize: true,
            grouping: Grouping::default(),
            gamma: None,
        }
    }
}

/// Records of numbers, one after another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Records<'a> {
    /// How many numbers a record has.
    pub dimension: usize,
    /// The numbers of the first record, then those of the second, and so on.
    pub values: &'a [f64],
}

/// What is published in place of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Condensed {
    /// The groups; those of a class one after another when they were found at random, in a random order otherwise.
    pub groups: Vec<CondensedGroup>,
    /// Records that are in no group because their class has fewer than k.
    pub withheld: u64,
}

/// What is published in place of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct CondensedGroup {
    /// The class of all its records, when there are classes.
    pub class: Option<u32>,
    /// What was kept of its records.
    pub statistics: GroupStatistics,
    /// The synthetic records, one after another.
    pub records: Vec<f64>,
}

/// Why nothing was condensed. No message holds a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CondenseError {
    /// A parameter is out of range.
    #[error("{key} {problem}")]
    Parameter {
        /// Its name.
        key: &'static str,
        /// What is wrong with it, and what would be accepted.
        problem: &'static str,
    },
    /// Records, classes and groups do not belong together.
    #[error("the records do not fit: {0}")]
    Shape(&'static str),
    /// A number that cannot be condensed.
    #[error("record {record}, column {column}: condensation takes numbers between -1e60 and 1e60 only")]
    Number {
        /// The record, counted from 1.
        record: u64,
        /// The column, counted from 1.
        column: usize,
    },
    /// Nothing is large enough to be published.
    #[error(
        "nothing can be published: the largest group that could be made has {records} records, and k is {k}; use a smaller k or more records"
    )]
    TooFew {
        /// The records of the table, or of its largest class.
        records: u64,
        /// How many are needed.
        k: u64,
    },
    /// A group that was handed in is too small.
    #[error(
        "{small} of the {groups} given groups have fewer than {k} records, the smallest {records}; join them to others, or \
         use a smaller k"
    )]
    SmallGroup {
        /// The records of the smallest.
        records: u64,
        /// How many groups are too small.
        small: u64,
        /// How many groups there are; with classes, a group is parted by them.
        groups: u64,
        /// How many records are needed.
        k: u64,
    },
    /// Groups could not be formed in the way that was asked for.
    #[error("groups could not be formed: {0}")]
    Grouping(String),
    /// The operating system gave no random seed.
    #[error("the operating system gives no random numbers; set a seed")]
    NoSeed,
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Condensation {
    /// Groups the records of each class by nearness, and draws synthetic ones.
    ///
    /// `classes` has one label per record. Classes of fewer than k records are withheld.
    ///
    /// # Errors
    /// When a parameter is out of range, a number is not finite or too large, no class has k records, or the person
    /// stopped it.
    pub fn condense(
        &self,
        records: &Records<'_>,
        classes: Option<&[u32]>,
        progress: &dyn Progress,
    ) -> Result<Condensed, CondenseError> {
        self.check()?;
        let count = records.check()?;
        if classes.is_some_and(|classes| classes.len() != count) {
            return Err(CondenseError::Shape("there must be one class label per record"));
        }
        let seed = self.random_seed()?;
        let units = self.units(records);
        let classes = members_of_classes(count, classes);
        let largest = classes.iter().map(|(_, members)| members.len()).max().unwrap_or(0) as u64;
        if largest < self.k {
            return Err(CondenseError::TooFew { records: largest, k: self.k });
        }
        let several = classes.len() > 1;
        let mut withheld = 0;
        let mut sets = Vec::new();
        for (number, (class, members)) in classes.into_iter().enumerate() {
            if (members.len() as u64) < self.k {
                withheld += members.len() as u64;
                continue;
            }
            progress.stage("grouping", Some(members.len() as u64));
            let scaled = |&member: &u32| records.record(member).iter().zip(&units).map(|(x, unit)| x / unit);
            let positions: Vec<f64> = members.iter().flat_map(scaled).collect();
            let mut random = Random::stream(seed, 2 * number as u64);
            let groups = ways::form(self, positions, records.dimension, &mut random, progress)?;
            let (starts, order) = groups.members();
            sets.extend(starts.windows(2).map(|bounds| {
                let set = &order[bounds[0] as usize..bounds[1] as usize];
                (class, set.iter().map(|&at| members[at as usize]).collect::<Vec<u32>>())
            }));
        }
        // The groups of one class are in a random order already, which classes are not.
        if self.grouping != Grouping::Nearest || several {
            shuffle(&mut sets, seed);
        }
        let groups = self.publish(records, &sets, &units, seed, progress)?;
        Ok(Condensed { groups, withheld })
    }

    /// Draws synthetic records for groups that somebody else has made. With classes, the records of a group that have
    /// the same class make a group of their own, and all of these must have at least k records.
    ///
    /// # Errors
    /// As [`Condensation::condense`], and when a group has fewer than k records.
    pub fn condense_groups(
        &self,
        records: &Records<'_>,
        groups: &Groups,
        classes: Option<&[u32]>,
        progress: &dyn Progress,
    ) -> Result<Condensed, CondenseError> {
        self.check()?;
        let count = records.check()?;
        if groups.of.len() != count || groups.of.iter().any(|&group| group as usize >= groups.count) {
            return Err(CondenseError::Shape("every record must be in one of the groups"));
        }
        if classes.is_some_and(|classes| classes.len() != count) {
            return Err(CondenseError::Shape("there must be one class label per record"));
        }
        let (starts, order) = groups.members();
        let mut sets: Vec<(Option<u32>, Vec<u32>)> = Vec::new();
        for bounds in starts.windows(2) {
            let members = &order[bounds[0] as usize..bounds[1] as usize];
            match classes {
                None if members.is_empty() => {}
                None => sets.push((None, members.to_vec())),
                Some(classes) => {
                    let own: Vec<u32> = members.iter().map(|&record| classes[record as usize]).collect();
                    let parts = members_of_classes(members.len(), Some(&own)).into_iter();
                    sets.extend(parts.map(|(class, places)| {
                        (class, places.into_iter().map(|at| members[at as usize]).collect())
                    }));
                }
            }
        }
        let sizes = || sets.iter().map(|(_, members)| members.len() as u64);
        match sizes().min() {
            None => return Err(CondenseError::TooFew { records: 0, k: self.k }),
            Some(records) if records < self.k => {
                let small = sizes().filter(|&size| size < self.k).count() as u64;
                let groups = sets.len() as u64;
                return Err(CondenseError::SmallGroup { records, small, groups, k: self.k });
            }
            Some(_) => {}
        }
        let seed = self.random_seed()?;
        shuffle(&mut sets, seed);
        let groups = self.publish(records, &sets, &self.units(records), seed, progress)?;
        Ok(Condensed { groups, withheld: 0 })
    }

    /// Condenses each set of records and draws from what is left of it. Every set has random numbers of its own, so
    /// the number of threads does not matter.
    fn publish(
        &self,
        records: &Records<'_>,
        sets: &[(Option<u32>, Vec<u32>)],
        units: &[f64],
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Vec<CondensedGroup>, CondenseError> {
        progress.stage("drawing", None);
        let publish = |(number, (class, members)): (usize, &(Option<u32>, Vec<u32>))| {
            progress.check()?;
            let mut statistics = GroupStatistics::new(records.dimension);
            for &member in members {
                statistics.add(records.record(member));
            }
            let count = ((self.alpha * members.len() as f64).round() as usize).max(1);
            let mut random = Random::stream(seed, 2 * number as u64 + 1);
            let mut drawn = Vec::new();
            draw(&statistics, units, count, self.recentre, &mut random, &mut drawn);
            Ok(CondensedGroup { class: *class, statistics, records: drawn })
        };
        sets.par_iter().enumerate().map(publish).collect()
    }

    /// Refuses parameters that are out of range.
    ///
    /// # Errors
    /// When one is.
    pub fn check(&self) -> Result<(), CondenseError> {
        if self.k < 2 {
            let problem = "must be at least 2: with 1 the records themselves would be published";
            return Err(CondenseError::Parameter { key: "k", problem });
        }
        if self.k > u64::from(u32::MAX) {
            let problem = "must be at most 4294967295";
            return Err(CondenseError::Parameter { key: "k", problem });
        }
        // Written so that NaN is refused too.
        if !(self.alpha > 0.0 && self.alpha <= MOST) {
            let problem = "must be a number above 0 and at most 1000";
            return Err(CondenseError::Parameter { key: "alpha", problem });
        }
        let key = "gamma";
        match self.gamma {
            Some(_) if self.grouping != Grouping::VMdav => {
                Err(CondenseError::Parameter { key, problem: "goes with the grouping v-mdav only" })
            }
            Some(gamma) if !(gamma.is_finite() && gamma >= 0.0) => {
                Err(CondenseError::Parameter { key, problem: "must be a number of at least 0" })
            }
            _ => Ok(()),
        }
    }

    /// The seed, or one from the operating system.
    ///
    /// # Errors
    /// When there is none, and the operating system gives none.
    pub fn random_seed(&self) -> Result<u64, CondenseError> {
        match self.seed {
            Some(seed) => Ok(seed),
            None => getrandom::u64().map_err(|_| CondenseError::NoSeed),
        }
    }

    fn units(&self, records: &Records<'_>) -> Vec<f64> {
        let mut spread = Spread::new(records.dimension);
        for record in records.values.chunks_exact(records.dimension) {
            spread.add(record);
        }
        spread.units(self.standardize)
    }
}

impl Condensed {
    /// How many synthetic records there are.
    pub fn len(&self) -> usize {
        let per_group = |group: &CondensedGroup| group.records.len() / group.statistics.dimension().max(1);
        self.groups.iter().map(per_group).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The records of the smallest group.
    pub fn smallest_group(&self) -> u64 {
        self.groups.iter().map(|group| group.statistics.records()).min().unwrap_or(0)
    }
}

impl<'a> Records<'a> {
    fn record(&self, number: u32) -> &'a [f64] {
        &self.values[number as usize * self.dimension..][..self.dimension]
    }

    /// How many records there are, when all of them can be condensed.
    fn check(&self) -> Result<usize, CondenseError> {
        if self.dimension == 0 || !self.values.len().is_multiple_of(self.dimension) {
            return Err(CondenseError::Shape(
                "every record must have the same number of columns, at least one",
            ));
        }
        if let Some(at) = self.values.iter().position(|&x| !is_condensable(x)) {
            let (record, column) = ((at / self.dimension) as u64 + 1, at % self.dimension + 1);
            return Err(CondenseError::Number { record, column });
        }
        let count = self.values.len() / self.dimension;
        if count >= u32::MAX as usize {
            return Err(CondenseError::Shape("there are more than 4294967294 records"));
        }
        Ok(count)
    }
}

fn is_condensable(x: f64) -> bool {
    x.abs() <= LARGEST
}

/// Puts groups into a random order. They are found in the order of their first records: it would tell in which group
/// the first record of the table is.
fn shuffle(sets: &mut [(Option<u32>, Vec<u32>)], seed: u64) {
    let mut random = Random::stream(seed, u64::MAX);
    for last in (1..sets.len()).rev() {
        sets.swap(last, random.below(last + 1));
    }
}

/// The records of each class, in the order in which classes first appear.
fn members_of_classes(count: usize, classes: Option<&[u32]>) -> Vec<(Option<u32>, Vec<u32>)> {
    let Some(classes) = classes else { return vec![(None, (0..count as u32).collect())] };
    let mut number: HashMap<u32, usize> = HashMap::new();
    let mut members: Vec<(Option<u32>, Vec<u32>)> = Vec::new();
    for (record, &class) in classes.iter().enumerate() {
        let number = *number.entry(class).or_insert_with(|| {
            members.push((Some(class), Vec::new()));
            members.len() - 1
        });
        members[number].1.push(record as u32);
    }
    members
}

/// Mean and variance of each column so far.
#[derive(Debug, Clone)]
struct Spread {
    records: f64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl Spread {
    fn new(dimension: usize) -> Self {
        Self { records: 0.0, mean: vec![0.0; dimension], squares: vec![0.0; dimension] }
    }

    fn add(&mut self, record: &[f64]) {
        self.records += 1.0;
        for ((x, mean), squares) in record.iter().zip(&mut self.mean).zip(&mut self.squares) {
            let off = x - *mean;
            *mean += off / self.records;
            *squares += off * (x - *mean);
        }
    }

    /// The unit of each column: its standard deviation; 1 when it is constant, or units are not asked for.
    fn units(&self, standardize: bool) -> Vec<f64> {
        let unit = |squares: &f64| (squares / self.records.max(1.0)).sqrt();
        let usable = |unit: f64| if standardize && unit > SMALLEST_UNIT { unit } else { 1.0 };
        self.squares.iter().map(unit).map(usable).collect()
    }
}
