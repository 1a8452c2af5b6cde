//! Minimum cell suppression (survey ME-04): single cells of the quasi-identifier are published as `*`, as few as
//! possible, so that every record looks like at least k - 1 others.
//!
//! The records are divided into groups of at least k. Within a group a column on which its records disagree is
//! suppressed, so a group costs its records × its varying columns (survey UM-03). The minimum is NP-hard; there
//! is one file per method, each with what it guarantees:
//!
//! | method | guarantee | tables |
//! | --- | --- | --- |
//! | `exact` | the optimum | 18 different records, more when many are equal |
//! | `meyerson-williams` | (2k-1)(2k-2)/k · H(2k-1) times the optimum | 20,000 different records |
//! | `aggarwal` | 3k - 3 times the optimum | any |
//!
//! All are deterministic. Hierarchies, the metric and `suppress-at-most` play no part: a cell is published as it
//! is or as `*`, and no record is left out. Records of different groups may come out equal; that only makes
//! classes larger. Two markers of a missing value are two values here, which errs on the safe side.

mod aggarwal;
mod exact;
mod group;
mod meyerson_williams;
mod tuples;

use privet_data::Progress;

use crate::algorithm::{Algorithm, AlgorithmInfo, Selected, read};
use crate::lattice::{Problem, SearchError};
use group::{Group, total_cells};
use tuples::{Tuples, nearness};

const ALGORITHM: &str = "cell-suppression";

/// Suppresses single cells for k-anonymity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CellSuppression {
    /// How the groups are found.
    pub method: Method,
}

/// How the groups are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The optimum, by dynamic programming; for small tables.
    Exact,
    /// Greedy cover by balls, made a partition.
    MeyersonWilliams,
    /// A forest of nearest neighbours, cut into groups.
    #[default]
    Aggarwal,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Per record its group. Groups are numbered in the order in which they first appear.
    pub class_of: Vec<u32>,
    /// Per group and quasi column, in the order of the problem, whether it is published as `*`.
    pub suppressed: Vec<Vec<bool>>,
    /// The suppressed cells.
    pub cells: u64,
    /// No k-anonymous release suppresses fewer cells than this.
    pub bound: Option<u64>,
}

impl CellSuppression {
    /// Looks for groups.
    ///
    /// # Errors
    /// When anything but k-anonymity is asked for, there are fewer than k records, a quasi column already holds
    /// the value `*`, the table is too large for the method, or the person stopped it.
    pub fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Found, SearchError> {
        let k = required_k(problem)?;
        if problem.rows >= u32::MAX as usize {
            return Err(SearchError::TooManyRows);
        }
        if problem.holds_star() {
            return Err(SearchError::Parameter {
                key: "search.algorithm",
                problem: "is `cell-suppression`, which publishes suppressed cells as `*`, and a quasi column already \
                          holds that as a value; write the value in another way, or use `optimal`",
            });
        }
        if problem.rows == 0 {
            return Ok(Found { class_of: Vec::new(), suppressed: Vec::new(), cells: 0, bound: Some(0) });
        }
        if (problem.rows as u64) < k {
            return Err(SearchError::NoSafeNode {
                failing: problem.rows as u64,
                // No record is ever left out, whatever may be.
                limit: 0,
                criteria: problem
                    .criteria
                    .iter()
                    .map(|criterion| {
                        format!("{}: {}", criterion.key(), criterion.promise().trim_end_matches('.'))
                    })
                    .collect(),
            });
        }
        progress.stage("finding the distinct records", None);
        let tuples = Tuples::new(problem)?;
        progress.check()?;
        let (groups, bound) = self.groups(&tuples, k, progress)?;
        publish(problem, &tuples, &groups, k, bound)
    }

    /// The groups, and what no grouping can go below.
    fn groups(
        &self,
        tuples: &Tuples,
        k: u64,
        progress: &dyn Progress,
    ) -> Result<(Vec<Group>, u64), SearchError> {
        if tuples.copies.iter().all(|&copies| copies >= k) {
            let groups = (0..tuples.len()).map(|tuple| Group::of(tuples, tuple, tuples.copies[tuple]));
            return Ok((groups.collect(), 0));
        }
        match self.method {
            Method::Exact => {
                let groups = exact::solve(tuples, k, progress)?;
                let optimum = total_cells(&groups);
                Ok((groups, optimum))
            }
            Method::MeyersonWilliams => {
                meyerson_williams::require_size(tuples)?;
                let near = nearness(tuples, k, progress)?;
                let groups = meyerson_williams::solve(tuples, k, progress)?;
                Ok((groups, near.bound))
            }
            Method::Aggarwal => {
                let near = nearness(tuples, k, progress)?;
                let groups = aggarwal::solve(tuples, k, &near.first, progress)?;
                Ok((groups, near.bound))
            }
        }
    }
}

/// The k that is asked for: 1 when nothing is.
fn required_k(problem: &Problem<'_>) -> Result<u64, SearchError> {
    let mut k = 1;
    for criterion in problem.criteria {
        if criterion.key() != "k-anonymity" {
            return Err(SearchError::NotForCriterion {
                algorithm: ALGORITHM,
                criterion: criterion.key(),
                accepts: "k-anonymity alone",
            });
        }
        k = k.max(criterion.least_rows());
    }
    Ok(k)
}

/// Hands the groups to the records, and checks from the records themselves that every group is large enough.
fn publish(
    problem: &Problem<'_>,
    tuples: &Tuples,
    groups: &[Group],
    k: u64,
    bound: u64,
) -> Result<Found, SearchError> {
    // Per tuple the groups that still want copies of it; records take them in their order.
    let mut wanted: Vec<Vec<(u32, u64)>> = vec![Vec::new(); tuples.len()];
    for (number, group) in groups.iter().enumerate().rev() {
        for &(tuple, copies) in &group.members {
            wanted[tuple as usize].push((number as u32, copies));
        }
    }
    const UNNAMED: u32 = u32::MAX;
    let mut name = vec![UNNAMED; groups.len()];
    let mut first: Vec<usize> = Vec::new();
    let mut rows: Vec<u64> = Vec::new();
    let mut class_of = Vec::with_capacity(problem.rows);
    for (record, &tuple) in tuples.of_record.iter().enumerate() {
        let Some((group, copies)) = wanted[tuple as usize].last_mut() else {
            return Err(SearchError::Unsafe { algorithm: ALGORITHM });
        };
        let class = &mut name[*group as usize];
        if *class == UNNAMED {
            *class = first.len() as u32;
            first.push(record);
            rows.push(0);
        }
        class_of.push(*class);
        rows[*class as usize] += 1;
        *copies -= 1;
        if *copies == 0 {
            wanted[tuple as usize].pop();
        }
    }
    if rows.iter().any(|&rows| rows < k) {
        return Err(SearchError::Unsafe { algorithm: ALGORITHM });
    }
    let mut suppressed = vec![vec![false; problem.quasi.len()]; first.len()];
    for (column, quasi) in problem.quasi.iter().enumerate() {
        let values: Vec<u32> = tuples::published(quasi).collect();
        for (value, &class) in values.iter().zip(&class_of) {
            if *value != values[first[class as usize]] {
                suppressed[class as usize][column] = true;
            }
        }
    }
    let stars = |columns: &Vec<bool>| columns.iter().filter(|&&suppressed| suppressed).count() as u64;
    let cells = suppressed.iter().zip(&rows).map(|(columns, rows)| stars(columns) * rows).sum();
    Ok(Found { class_of, suppressed, cells, bound: Some(bound) })
}

const EXACT: &str = "The promises hold, and no such release replaces fewer cells.";
const MEYERSON_WILLIAMS: &str = "The promises hold, and at most (2k - 1)(2k - 2)/k times the sum of 1/1 to 1/(2k - 1) as many cells are replaced as any such release must replace.";

impl CellSuppression {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "cell-suppression",
        summary: "Single cells published as `*`.",
        guarantees: &[
            "The promises hold, and at most 3k - 3 times as many cells are replaced as any such release must replace.",
            EXACT,
            MEYERSON_WILLIAMS,
        ],
        judges_together: false,
        needs_monotone: false,
        publishes: None,
        read: read::<CellSuppression>,
    };
}

impl Algorithm for CellSuppression {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn guarantee(&self) -> &'static str {
        match self.method {
            Method::Aggarwal => Self::INFO.guarantees[0],
            Method::Exact => EXACT,
            Method::MeyersonWilliams => MEYERSON_WILLIAMS,
        }
    }

    fn depends_on_order(&self) -> bool {
        true
    }

    fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Selected, SearchError> {
        self.search(problem, progress).map(Selected::Cells)
    }
}
