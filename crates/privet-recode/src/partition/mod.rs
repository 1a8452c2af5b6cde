//! Mondrian: multidimensional recoding by cutting the table into boxes (survey ME-08, ME-09; papers T-AL6; LeFevre,
//! DeWitt and Ramakrishnan).
//!
//! The whole table is cut in two at the median of its widest column, or into the children of a node of a hierarchy,
//! and so are its parts, as long as every part satisfies every criterion. Where the widest column allows no cut the
//! next one is tried.
//!
//! What it guarantees:
//!
//! - every group satisfies every criterion; this is checked once more from the records before anything is handed over;
//! - the result is minimal: no cut of any group that the method makes is allowed (survey TH-10);
//! - with k-anonymity alone and columns of numbers, no group has more than 2k - 1 records in relaxed mode, or more
//!   than m + 2d(k-1) in strict mode, with d columns and at most m equal records (papers T-TH4);
//! - the same groups with any number of threads.
//!
//! It takes criteria that judge a class by itself (survey Def 4.4) and that a union of satisfying classes satisfies
//! (Def 4.3). The 3D criterion, which is not of that kind, has its own search in `three_d.rs` (ME-10). No record is
//! suppressed: `suppress-at-most` plays no part.
//!
//! How it departs from the printed text: the recursion is inside the loop, and the lower end of an upper part is
//! exclusive (ERR-13). It stops when no cut is allowed, not when parts have k records (papers DEF-6). Numbers are cut
//! on both sides of the median (the trap of T-AL6; `one-sided = true` reproduces the printed examples). The width of a
//! column is divided by its width in the whole table and multiplied by its weight. Missing values are parted from
//! numbers where that is allowed, and count as the lowest number where it is not. Survey FX-4.4 is not among the
//! results of median cuts: it needs the thresholds 22 and 24.

mod candidates;
mod chunks;
mod cutter;
mod judge;
mod measures;
mod names;
mod out_of_core;
mod router;
mod rows;
mod space;
mod summaries;
mod three_d;
mod together;
mod tree;
mod workload;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use privet_criteria::{Skyline, ThreeD};
use privet_data::Progress;
use rayon::prelude::*;
use serde::Deserialize;

use crate::groups::Groups;
use crate::lattice::{Codes, Problem, SearchError};
use candidates::Sides;
use cutter::{Cutter, Grown};
use judge::{ALGORITHM, Rule};
use rows::{Table, Visit, with_table};
use space::Space;
use tree::Node;
use workload::Goal;

pub use chunks::{Chunk, Chunks, CodeFile, EachChunk, InMemory, Spilled};
pub use measures::{RangeLoss, class_entropy, imprecision, range_loss, variance};
pub use names::Names;
pub use out_of_core::{FoundInPasses, FoundOutOfCore, bytes_per_record};
pub use summaries::{Summaries, tuple_entropy_in_passes};
pub use tree::Region;
pub use workload::{Query, Wanted, Workload};

/// Cuts the table into boxes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mondrian {
    /// Whether records with equal values may be parted.
    pub mode: Mode,
    /// Which cut is made first.
    pub choose: Choose,
    /// Cuts numbers at {x <= median | x > median} alone, as the survey's examples do. Groups may then be larger than
    /// the bounds say.
    pub one_sided: bool,
    /// A 3D privacy criterion that must hold besides the others, where none of them is one.
    pub three_d: Option<ThreeD>,
    /// The most records that [`search_out_of_core`](Self::search_out_of_core) and
    /// [`search_in_passes`](Self::search_in_passes) hold in memory at once; [`search`](Self::search), which is given
    /// all of them, does not look at it.
    pub memory_limit: Option<u64>,
}

impl Default for Mondrian {
    fn default() -> Self {
        Self {
            mode: Mode::Strict,
            choose: Choose::Width,
            one_sided: false,
            three_d: None,
            memory_limit: None,
        }
    }
}

/// Whether records with equal values may be parted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Equal records stay together.
    #[default]
    Strict,
    /// Records with the median may be divided, in the order of the table, so that both halves are equal.
    Relaxed,
}

/// Which cut is made first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    /// That of the column in which the records are widest.
    #[default]
    Width,
    /// That which leaves the least entropy of the class column (survey UM-16).
    ClassEntropy,
    /// That which leaves the least variance of a target (survey UM-17).
    Variance,
    /// That which makes given queries most precise (survey UM-18).
    Queries,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Who is with whom.
    pub groups: Groups,
    /// Cuts that were looked at.
    pub tried: u64,
    /// Cuts that were made.
    pub made: u64,
    nodes: Vec<Node>,
    /// Per group, as they are listed in the tree, its number.
    listed: Vec<u32>,
}

impl Found {
    /// Per group and quasi column, in the order of the problem that was searched, what the cuts leave to it. In strict
    /// mode no two regions overlap and together they are everything that holds a record, so for two columns of
    /// numbers they are a picture of rectangles.
    pub fn regions(&self, problem: &Problem<'_>) -> Vec<Vec<Region>> {
        let mut by_group = vec![Vec::new(); self.groups.count];
        let listed = tree::regions(&self.nodes, &Space::new(problem));
        for (&group, region) in self.listed.iter().zip(listed) {
            by_group[group as usize] = region;
        }
        by_group
    }
}

impl Mondrian {
    /// Looks for groups.
    ///
    /// # Errors
    /// When a parameter is out of range, a criterion is not of the kind that parts can be judged by, the workload lacks
    /// what `choose` needs, the table as a whole fails a criterion, or the person stopped it.
    pub fn search(
        &self,
        problem: &Problem<'_>,
        workload: &Workload<'_>,
        progress: &dyn Progress,
    ) -> Result<Found, SearchError> {
        self.check()?;
        if problem.rows >= u32::MAX as usize {
            return Err(SearchError::TooManyRows);
        }
        let skyline = self.skyline(problem, workload)?;
        let rule = Rule::new(problem, self.three_d.is_none() && skyline.is_some())?;
        let space = Space::new(problem);
        let goal = Goal::new(self.choose, problem, workload, &space)?;
        if problem.rows == 0 {
            let groups = Groups::default();
            return Ok(Found { groups, tried: 0, made: 0, nodes: Vec::new(), listed: Vec::new() });
        }
        let mut whole = rule.counts();
        if !rule.criteria.is_empty() {
            (0..problem.rows as u32).for_each(|record| rule.count_record(&mut whole, record));
        }
        require_safe(problem, &rule, &whole)?;
        progress.stage("cutting the table", Some(problem.rows as u64));
        let codes: Vec<&[u32]> = problem.quasi.iter().map(|quasi| quasi.codes).collect();
        let mut order = vec![0; problem.rows];
        let search =
            Search { options: self, space: &space, rule: &rule, goal, skyline, order: &mut order, progress };
        let grown = with_table(&space, &codes, problem.rows, search)?;
        let found = number(grown, &order);
        verify(problem, &rule, &found.groups)?;
        Ok(found)
    }

    /// Whether the parameters are in range; a search checks them too.
    ///
    /// # Errors
    /// When one is not; the error names it.
    pub fn check(&self) -> Result<(), SearchError> {
        let refused = |key, problem| Err(SearchError::Parameter { key, problem });
        if let Some(problem) = self.three_d.and_then(|rule| rule.fault()) {
            return refused("search.mondrian.three-d.c", problem);
        }
        if self.one_sided && (self.mode == Mode::Relaxed || self.choose != Choose::Width) {
            return refused(
                "search.mondrian.one-sided",
                "must be false unless mode is `strict` and choose is `width`: otherwise there are no sides to leave out",
            );
        }
        Ok(())
    }

    /// The 3D privacy that must hold, of this option or of the criteria, and the sensitive column that it is about.
    fn skyline<'a>(
        &self,
        problem: &'a Problem<'_>,
        workload: &Workload<'_>,
    ) -> Result<Option<(Skyline, &'a Codes<'a>)>, SearchError> {
        let refused = |key, problem| Err(SearchError::Parameter { key, problem });
        let mut asked = problem.criteria.iter().filter_map(|criterion| {
            Some((criterion.skyline()?.clone(), criterion.histograms().first().copied()?))
        });
        let (skyline, sensitive) = match (self.three_d, asked.next()) {
            (None, None) => return Ok(None),
            (Some(rule), _) => (rule.into(), workload.sensitive),
            (None, Some(one)) if asked.next().is_none() => one,
            (None, Some(_)) => {
                return refused(
                    "privacy.three-d",
                    "is asked for twice, and `mondrian` watches over one column; give that one all its points in one \
                     table, or use algorithm = \"optimal\"",
                );
            }
        };
        match problem.sensitive.get(sensitive) {
            Some(codes) => Ok(Some((skyline, codes))),
            None => refused(
                "search.mondrian.three-d",
                "needs a sensitive column; give a column the role `sensitive`",
            ),
        }
    }

    fn sides(&self) -> Sides {
        match self.mode {
            Mode::Relaxed => Sides::Halves,
            Mode::Strict if self.one_sided => Sides::Lower,
            Mode::Strict => Sides::Both,
        }
    }
}

/// A search that waits for its rows.
struct Search<'a> {
    options: &'a Mondrian,
    space: &'a Space,
    rule: &'a Rule<'a>,
    goal: Option<Goal<'a>>,
    skyline: Option<(Skyline, &'a Codes<'a>)>,
    order: &'a mut [u32],
    progress: &'a dyn Progress,
}

impl Visit for Search<'_> {
    type Output = Result<Grown, SearchError>;

    fn visit<T: Table>(self, table: &T, rows: Vec<T::Row>) -> Self::Output {
        let cutter = Cutter {
            table,
            space: self.space,
            rule: self.rule,
            sides: self.options.sides(),
            goal: self.goal.as_ref(),
            enough: 0,
            progress: self.progress,
            done: AtomicU64::new(0),
        };
        match self.skyline {
            Some((skyline, sensitive)) => three_d::run(&cutter, &skyline, sensitive, rows, self.order),
            None => Ok(cutter.run(rows, self.order)?),
        }
    }
}

/// Refuses a table that fails as a whole.
fn require_safe(problem: &Problem<'_>, rule: &Rule<'_>, whole: &judge::Counts) -> Result<(), SearchError> {
    let rows = problem.rows as u64;
    if rule.holds(rows, whole) {
        return Ok(());
    }
    // No record is ever left out, whatever may be.
    let criteria = rule.failing_as_a_whole(problem, rows, whole);
    Err(SearchError::NoSafeTable { criteria })
}

/// Numbers the groups in the order in which they first appear. The records of a group are in their order, so its first
/// one is the first to appear.
fn number(grown: Grown, order: &[u32]) -> Found {
    let sizes = grown.nodes.iter().filter(|node| node.parts == 0).map(|node| node.rows as usize);
    let mut rest = order;
    let members: Vec<&[u32]> = sizes
        .map(|size| {
            let (group, after) = rest.split_at(size);
            rest = after;
            group
        })
        .collect();
    let mut starts = vec![false; order.len()];
    members.iter().filter_map(|group| group.first()).for_each(|&record| starts[record as usize] = true);
    let mut count = 0;
    let of: Vec<AtomicU32> = starts
        .into_iter()
        .map(|starts| {
            let number = count;
            count += u32::from(starts);
            AtomicU32::new(number)
        })
        .collect();
    let listed: Vec<u32> = members
        .iter()
        .map(|group| group.first().map_or(0, |&record| of[record as usize].load(Ordering::Relaxed)))
        .collect();
    members.par_iter().zip(&listed).with_min_len(1 << 10).for_each(|(group, &number)| {
        group.iter().for_each(|&record| of[record as usize].store(number, Ordering::Relaxed));
    });
    let groups = Groups { of: of.into_iter().map(AtomicU32::into_inner).collect(), count: count as usize };
    Found { groups, tried: grown.tried, made: grown.made, nodes: grown.nodes, listed }
}

/// Checks every group once more, from its records.
fn verify(problem: &Problem<'_>, rule: &Rule<'_>, groups: &Groups) -> Result<(), SearchError> {
    let unsafe_groups = SearchError::Unsafe { algorithm: ALGORITHM };
    let mut sizes = vec![0u64; groups.count];
    groups.of.iter().for_each(|&group| sizes[group as usize] += 1);
    if groups.of.len() != problem.rows || sizes.iter().any(|&size| size < rule.least) {
        return Err(unsafe_groups);
    }
    if rule.criteria.is_empty() {
        return Ok(());
    }
    let (starts, records) = groups.members();
    let mut counts = rule.counts();
    for bounds in starts.windows(2) {
        let members = &records[bounds[0] as usize..bounds[1] as usize];
        counts.clear();
        members.iter().for_each(|&record| rule.count_record(&mut counts, record));
        if !rule.holds(members.len() as u64, &counts) {
            return Err(unsafe_groups);
        }
    }
    Ok(())
}
