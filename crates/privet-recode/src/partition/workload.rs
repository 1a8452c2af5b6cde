//! What the data is wanted for, so that the cuts which serve it best are made (LeFevre's workload-aware variants,
//! survey ME-09 with UM-16 to UM-18).
//!
//! Among all allowed cuts of all columns, not only those beside the median, the one is made that leaves the least
//! class entropy, the least variance of a target, or the least imprecision of given queries. Among equals the most
//! even cut, then the first column and the lowest place. A cut that serves nothing is made too, for the result to be
//! minimal. Scores that differ by less than one part in four billion count as equal, so that rounding decides nothing.

use super::candidates::{Cut, below, children};
use super::cutter::{Cutter, Grown, Scratch};
use super::judge::Accept;
use super::rows::Table;
use super::space::Space;
use crate::lattice::{Codes, Problem, SearchError};
use crate::partition::Choose;

/// What a workload-aware search is told besides the problem.
#[derive(Debug, Clone, Copy, Default)]
pub struct Workload<'a> {
    /// Per record the number that a regression predicts; NaN where it is missing. For `choose = "variance"`.
    pub target: Option<&'a [f64]>,
    /// Regions that will be asked for. For `choose = "queries"`.
    pub queries: &'a [Query],
    /// Which of the problem's sensitive columns `three-d` protects.
    pub sensitive: usize,
}

/// A region that will be asked for: a condition for every quasi column, in the order of the problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// One condition for each quasi column.
    pub wanted: Vec<Wanted>,
}

/// A condition on the codes of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Any value.
    Anything,
    /// From one code to another, both included.
    Between(u32, u32),
    /// One of these codes.
    Among(Vec<u32>),
}

impl Wanted {
    /// Whether a code is wanted.
    pub fn holds(&self, code: u32) -> bool {
        match self {
            Wanted::Anything => true,
            Wanted::Between(first, last) => (*first..=*last).contains(&code),
            Wanted::Among(codes) => codes.contains(&code),
        }
    }
}

/// What is minimized.
pub(super) enum Goal<'a> {
    ClassEntropy(Codes<'a>),
    Variance(&'a [f64]),
    Queries(Vec<Region>),
}

impl<'a> Goal<'a> {
    /// What the options and the workload ask for; `None` for the widest column.
    pub fn new(
        choose: Choose,
        problem: &Problem<'a>,
        workload: &Workload<'a>,
        space: &Space,
    ) -> Result<Option<Self>, SearchError> {
        let refused = |problem| Err(SearchError::Parameter { key: "search.mondrian.choose", problem });
        match choose {
            Choose::Width => Ok(None),
            Choose::ClassEntropy => match problem.label {
                Some(label) => Ok(Some(Goal::ClassEntropy(label))),
                None => refused(
                    "is `class-entropy`, which needs a class column; name it with `class` in [search]",
                ),
            },
            Choose::Variance => match workload.target {
                Some(target) if target.len() == problem.rows => Ok(Some(Goal::Variance(target))),
                _ => refused("is `variance`, which needs a target column with a number for every record"),
            },
            Choose::Queries if workload.queries.is_empty() => {
                refused("is `queries`, which needs at least one query")
            }
            Choose::Queries => {
                if workload.queries.iter().any(|query| query.wanted.len() != problem.quasi.len()) {
                    return refused(
                        "is `queries`, and every query must have one condition for each quasi column",
                    );
                }
                Ok(Some(Goal::Queries(
                    workload.queries.iter().map(|query| Region::new(query, space)).collect(),
                )))
            }
        }
    }
}

/// A query in places: per column how many wanted places there are before each place.
pub(super) struct Region {
    before: Vec<Vec<u32>>,
}

impl Region {
    pub fn new(query: &Query, space: &Space) -> Self {
        let column = |(wanted, dimension): (&Wanted, &super::space::Dimension)| {
            let mut is_wanted = vec![false; dimension.places];
            match wanted {
                Wanted::Anything => is_wanted.fill(true),
                Wanted::Between(first, last) => {
                    let end = (*last as usize).saturating_add(1).min(dimension.place_of_code.len());
                    for &place in dimension.place_of_code.get(*first as usize..end).unwrap_or_default() {
                        is_wanted[place as usize] = true;
                    }
                }
                Wanted::Among(codes) => {
                    for place in codes.iter().filter_map(|&code| dimension.place_of_code.get(code as usize)) {
                        is_wanted[*place as usize] = true;
                    }
                }
            }
            let counted = is_wanted.iter().scan(0, |before, &wanted| {
                *before += u32::from(wanted);
                Some(*before)
            });
            std::iter::once(0).chain(counted).collect()
        };
        Self { before: query.wanted.iter().zip(&space.dimensions).map(column).collect() }
    }

    /// Whether a run of places holds a wanted one.
    pub fn meets(&self, column: usize, first: u32, last: u32) -> bool {
        let before = &self.before[column];
        before[last as usize + 1] > before[first as usize]
    }
}

/// The records of a part, summed up one by one.
struct Summary<'a> {
    of: Summed<'a>,
    known: f64,
    /// Class entropy: the sum of c ln c. Variance: the sum of squares around the mean.
    sum: f64,
    mean: f64,
    counts: Vec<u32>,
}

#[derive(Clone, Copy)]
enum Summed<'a> {
    Labels(&'a [u32]),
    Numbers(&'a [f64]),
}

impl Summary<'_> {
    fn add(&mut self, record: u32) {
        match self.of {
            Summed::Labels(codes) => {
                let count = &mut self.counts[codes[record as usize] as usize];
                self.sum += x_ln_x(*count + 1) - x_ln_x(*count);
                *count += 1;
                self.known += 1.0;
            }
            Summed::Numbers(target) => {
                let number = target[record as usize];
                if number.is_finite() {
                    self.known += 1.0;
                    let off = number - self.mean;
                    self.mean += off / self.known;
                    self.sum += off * (number - self.mean);
                }
            }
        }
    }

    /// Records times entropy in nats, or records times variance.
    fn cost(&self) -> f64 {
        match self.of {
            Summed::Labels(_) => (self.known * self.known.max(1.0).ln() - self.sum).max(0.0),
            Summed::Numbers(_) => self.sum,
        }
    }

    fn clear(&mut self) {
        (self.known, self.sum, self.mean) = (0.0, 0.0, 0.0);
        self.counts.fill(0);
    }
}

fn x_ln_x(count: u32) -> f64 {
    if count < 2 { 0.0 } else { f64::from(count) * f64::from(count).ln() }
}

/// A cut that leaves enough records in every part, in the order in which cuts are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    score: u64,
    /// Records outside the smallest part.
    uneven: u32,
    column: usize,
    first: u32,
    left: u32,
}

impl<T: Table> Cutter<'_, T> {
    /// Makes the allowed cut that serves the goal best.
    pub(super) fn cut_by_goal(
        &self,
        goal: &Goal<'_>,
        rows: &[T::Row],
        spare: &mut [T::Row],
        scratch: &mut Scratch,
        accept: &mut impl Accept<T>,
        grown: &mut Grown,
    ) -> bool {
        let mut candidates = Vec::new();
        let mut summary = match goal {
            Goal::ClassEntropy(label) => Some((Summed::Labels(label.codes), vec![0; label.values])),
            Goal::Variance(target) => Some((Summed::Numbers(target), Vec::new())),
            Goal::Queries(_) => None,
        }
        .map(|(of, counts)| Summary { of, known: 0.0, sum: 0.0, mean: 0.0, counts });
        let mut sorted = vec![0; rows.len()];
        let mut cut = Cut::default();
        for column in 0..self.space.dimensions.len() {
            if scratch.first[column] == scratch.last[column] {
                continue;
            }
            self.profile(rows, column, scratch);
            let cuts = match &mut summary {
                Some(summary) => {
                    self.sort(rows, column, &scratch.profile, &mut sorted);
                    self.scored(column, scratch, &sorted, summary, &mut cut, &mut candidates)
                }
                None => self.scored_by_queries(goal, column, rows.len(), scratch, &mut cut, &mut candidates),
            };
            grown.tried += cuts;
        }
        candidates.sort_unstable();
        candidates.into_iter().any(|candidate| {
            let column = candidate.column;
            if self.space.dimensions[column].is_line() {
                below(candidate.first, candidate.left, rows.len() as u32, &mut cut);
            } else {
                self.profile(rows, column, scratch);
                children(&self.space.dimensions[column], &scratch.profile, &mut cut);
            }
            // It has been counted among those tried already.
            grown.tried -= 1;
            let taken = self.attempt(rows, spare, column, &cut, scratch, accept, grown);
            if taken {
                scratch.cut = std::mem::take(&mut cut);
            }
            taken
        })
    }

    /// The records of rows by their place in a column.
    fn sort(&self, rows: &[T::Row], column: usize, profile: &[(u32, u32)], sorted: &mut [u32]) {
        let mut next: Vec<usize> = Vec::with_capacity(profile.len());
        let mut begin = 0;
        for &(_, count) in profile {
            next.push(begin);
            begin += count as usize;
        }
        for row in rows {
            let place = self.table.place(row, column);
            let next = &mut next[profile.partition_point(|&(other, _)| other < place)];
            sorted[*next] = self.table.record(row);
            *next += 1;
        }
    }

    /// Lists the cuts of a column with what they leave of entropy or variance. Gives back how many there are.
    fn scored(
        &self,
        column: usize,
        scratch: &Scratch,
        sorted: &[u32],
        summary: &mut Summary<'_>,
        cut: &mut Cut,
        candidates: &mut Vec<Candidate>,
    ) -> u64 {
        let dimension = &self.space.dimensions[column];
        let rows = sorted.len() as u32;
        summary.clear();
        if !dimension.is_line() {
            children(dimension, &scratch.profile, cut);
            if cut.leaves_at_least(self.rule.least) {
                sorted.iter().for_each(|&record| summary.add(record));
                let scale = scale(summary.of, summary.cost(), rows);
                let (mut cost, mut rest) = (0.0, sorted);
                for &size in &cut.sizes {
                    summary.clear();
                    let (part, after) = rest.split_at(size as usize);
                    part.iter().for_each(|&record| summary.add(record));
                    cost += summary.cost();
                    rest = after;
                }
                let smallest = cut.sizes.iter().min().copied().unwrap_or(0);
                let score = (cost * scale).round() as u64;
                candidates.push(Candidate { score, uneven: rows - smallest, column, first: 0, left: 0 });
            }
            return 1;
        }
        // What is left of each threshold, then what is right of it.
        let mut lefts = Vec::with_capacity(scratch.profile.len());
        let mut at = 0;
        for &(_, count) in &scratch.profile {
            sorted[at..at + count as usize].iter().for_each(|&record| summary.add(record));
            at += count as usize;
            lefts.push(summary.cost());
        }
        let scale = scale(summary.of, summary.cost(), rows);
        summary.clear();
        for (index, &(place, count)) in scratch.profile.iter().enumerate().skip(1).rev() {
            sorted[at - count as usize..at].iter().for_each(|&record| summary.add(record));
            at -= count as usize;
            let smallest = at.min(sorted.len() - at) as u32;
            if u64::from(smallest) >= self.rule.least {
                let score = ((lefts[index - 1] + summary.cost()) * scale).round() as u64;
                candidates.push(Candidate {
                    score,
                    uneven: rows - smallest,
                    column,
                    first: place,
                    left: at as u32,
                });
            }
        }
        scratch.profile.len() as u64 - 1
    }

    /// Lists the cuts of a column with the records that queries meet though they need not want them.
    fn scored_by_queries(
        &self,
        goal: &Goal<'_>,
        column: usize,
        rows: usize,
        scratch: &Scratch,
        cut: &mut Cut,
        candidates: &mut Vec<Candidate>,
    ) -> u64 {
        let Goal::Queries(queries) = goal else { return 0 };
        let dimension = &self.space.dimensions[column];
        let meets_elsewhere = |query: &&Region| {
            let mut others = (0..self.space.dimensions.len()).filter(|&other| other != column);
            others.all(|other| {
                let (first, last) =
                    self.space.dimensions[other].shown(scratch.first[other], scratch.last[other]);
                query.meets(other, first, last)
            })
        };
        let queries: Vec<&Region> = queries.iter().filter(meets_elsewhere).collect();
        let met = |(first, last): (u32, u32), size: u32| {
            u64::from(size) * queries.iter().filter(|query| query.meets(column, first, last)).count() as u64
        };
        let rows = rows as u32;
        if !dimension.is_line() {
            children(dimension, &scratch.profile, cut);
            if cut.leaves_at_least(self.rule.least) {
                let parts = cut.sizes.iter().enumerate();
                let score = parts.map(|(part, &size)| met(cut.run(dimension, part), size)).sum();
                let smallest = cut.sizes.iter().min().copied().unwrap_or(0);
                candidates.push(Candidate { score, uneven: rows - smallest, column, first: 0, left: 0 });
            }
            return 1;
        }
        let mut left = 0;
        for pair in scratch.profile.windows(2) {
            let ((before, count), (place, _)) = (pair[0], pair[1]);
            left += count;
            let smallest = left.min(rows - left);
            if u64::from(smallest) >= self.rule.least {
                let score = met((scratch.first[column], before), left)
                    + met((place, scratch.last[column]), rows - left);
                candidates.push(Candidate { score, uneven: rows - smallest, column, first: place, left });
            }
        }
        scratch.profile.len() as u64 - 1
    }
}

/// Makes whole numbers of costs: entropy per record, variance as a part of what there is.
fn scale(of: Summed<'_>, whole: f64, rows: u32) -> f64 {
    const STEPS: f64 = 4_294_967_296.0;
    match of {
        Summed::Labels(_) => STEPS / f64::from(rows.max(1)),
        Summed::Numbers(_) if whole > 0.0 && whole.is_finite() => STEPS / whole,
        Summed::Numbers(_) => 0.0,
    }
}
