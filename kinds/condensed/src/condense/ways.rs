//! The ways in which a static condensation may form its groups (survey ME-12 leaves the grouping open; ME-09, ME-11 and
//! thesis 2.14 have the others).
//!
//! *Guarantee.* Every record is in one group and every group has at least k records, whichever way is chosen: k to 2k - 1
//! for `mdav` and `v-mdav`. `nearest` depends on the seed; the others on the records alone, with any number of threads.

use privet_criteria::Requirement;
use privet_data::{Generalization, GeneralizedLevel, Progress};
use privet_measure::Metric;
use serde::Deserialize;

use super::grouping::nearest_groups;
use super::{Condensation, CondenseError};
use privet_recode::cluster::{GAMMA, Points, mdav};
use privet_recode::groups::Groups;
use privet_recode::lattice::{Problem, Quasi, Random, SearchError};
use privet_recode::partition::{Mondrian, Workload};

/// How groups are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// A random record and its k - 1 nearest, again and again (papers T-AL7).
    #[default]
    Nearest,
    /// MDAV: groups of k from the outside in (thesis 2.14).
    Mdav,
    /// V-MDAV: the same with groups that grow where records lie close.
    VMdav,
    /// Mondrian: boxes, cut at medians; equal records stay together (survey ME-09).
    Mondrian,
}

impl Grouping {
    /// The word in job files and on command lines.
    pub fn word(self) -> &'static str {
        match self {
            Grouping::Nearest => "nearest",
            Grouping::Mdav => "mdav",
            Grouping::VMdav => "v-mdav",
            Grouping::Mondrian => "mondrian",
        }
    }
}

/// Groups of at least k of these points, of which there are at least k. `positions` holds their coordinates, in units
/// of the columns, one point after another.
pub(super) fn form(
    options: &Condensation,
    positions: Vec<f64>,
    dimension: usize,
    random: &mut Random,
    progress: &dyn Progress,
) -> Result<Groups, CondenseError> {
    let rows = positions.len() / dimension.max(1);
    // why: there are at least k records, so k fits
    let k = options.k as usize;
    Ok(match options.grouping {
        Grouping::Nearest => nearest_groups(positions, dimension, k, random, progress)?,
        Grouping::Mdav => mdav::fast(&Points::new(rows, positions), k, progress)?,
        Grouping::VMdav => {
            let gamma = options.gamma.unwrap_or(GAMMA);
            mdav::variable(&Points::new(rows, positions), k, gamma, progress)?
        }
        Grouping::Mondrian => boxes(&positions, rows, dimension, options.k, progress)?,
    })
}

/// The boxes of Mondrian.
fn boxes(
    positions: &[f64],
    rows: usize,
    dimension: usize,
    k: u64,
    progress: &dyn Progress,
) -> Result<Groups, CondenseError> {
    let columns: Vec<Coded> = (0..dimension).map(|at| Coded::new(positions, at, dimension)).collect();
    let quasi = columns.iter().map(|column| Quasi {
        codes: &column.codes,
        counts: &column.counts,
        generalization: &column.generalization,
        numbers: Some(&column.numbers),
        weight: 1.0,
        population: None,
    });
    let criteria = privet_criteria::build(&[Requirement::KAnonymity { k }], &[], None, rows as u64)
        .map_err(|error| CondenseError::Grouping(error.to_string()))?;
    let problem = Problem {
        rows,
        quasi: quasi.collect(),
        sensitive: Vec::new(),
        label: None,
        criteria: &criteria,
        metric: Metric::Loss,
        suppress_at_most: 0,
    };
    match Mondrian::default().search(&problem, &Workload::default(), progress) {
        Ok(found) => Ok(found.groups),
        Err(SearchError::Cancelled(cancelled)) => Err(cancelled.into()),
        Err(other) => Err(CondenseError::Grouping(other.to_string())),
    }
}

/// A column of numbers as codes in their order.
struct Coded {
    codes: Vec<u32>,
    counts: Vec<u64>,
    numbers: Vec<f64>,
    /// Nothing but the values: boxes of numbers need no hierarchy.
    generalization: Generalization,
}

impl Coded {
    fn new(positions: &[f64], at: usize, dimension: usize) -> Self {
        // Zero has one sign here, or equal numbers would be told apart.
        let values = || positions.iter().skip(at).step_by(dimension.max(1)).map(|x| x + 0.0);
        let mut numbers: Vec<f64> = values().collect();
        numbers.sort_unstable_by(f64::total_cmp);
        numbers.dedup();
        let codes: Vec<u32> =
            values().map(|x| numbers.partition_point(|other| other.total_cmp(&x).is_lt()) as u32).collect();
        let mut counts = vec![0; numbers.len()];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        let leaves = numbers.len() as u32;
        let level = GeneralizedLevel {
            node_of_code: (0..leaves).collect(),
            labels: vec![Box::from(""); numbers.len()].into(),
            leaves: vec![1; numbers.len()],
        };
        Self { codes, counts, numbers, generalization: Generalization { leaves, levels: vec![level] } }
    }
}
