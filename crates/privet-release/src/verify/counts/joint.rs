//! What views tell together (survey AT-06), computed plainly.
//!
//! A joint cell is a combination of values of all columns that no view excludes. Where views can be taken away one by
//! one, each sharing with the rest only what it shares with one of them (decomposable views, by the reduction of Graham,
//! Yu and Özsoyoğlu), a cell has at most the least of its view counts, and at least their sum less the counts of what is
//! shared (Fréchet; Dobra and Fienberg). Otherwise two linear programs per cell tell.

use std::collections::{BTreeMap, BTreeSet};

use privet_data::Progress;

use super::linear::Equations;
use crate::verify::VerifyError;

/// More joint cells than this are not listed.
const MOST_CELLS: usize = 1 << 20;
/// More joint cells than this take linear programs too long.
const MOST_UNKNOWNS: usize = 1 << 11;

/// The counts of a view: columns in ascending order, and per combination how many records have it.
#[derive(Clone)]
pub(super) struct Marginal {
    pub columns: Vec<usize>,
    pub counts: BTreeMap<Vec<u32>, u64>,
}

impl Marginal {
    /// The counts over some of its columns.
    pub fn sums(&self, columns: &[usize]) -> BTreeMap<Vec<u32>, u64> {
        let at: Vec<usize> =
            self.columns.iter().enumerate().filter(|(_, c)| columns.contains(c)).map(|(i, _)| i).collect();
        let mut sums = BTreeMap::new();
        for (values, count) in &self.counts {
            *sums.entry(at.iter().map(|&i| values[i]).collect()).or_default() += count;
        }
        sums
    }

    fn onto(&self, columns: &[usize]) -> Self {
        let kept = self.columns.iter().copied().filter(|column| columns.contains(column)).collect();
        Self { columns: kept, counts: self.sums(columns) }
    }

    /// The count of a joint cell's values here.
    fn at(&self, cell: &[u32]) -> u64 {
        let key: Vec<u32> = self.columns.iter().map(|&column| cell[column]).collect();
        self.counts.get(&key).copied().unwrap_or(0)
    }
}

/// What was found.
pub(super) struct Told {
    pub cells: u64,
    /// Groups that must exist and have fewer than k records.
    pub small: u64,
    pub smallest_proven: Option<u64>,
    /// Pairs of a group and a sensitive column of which one value alone is possible.
    pub determined: u64,
    pub cells_by: &'static str,
    pub groups_by: &'static str,
}

const CLOSED: &str = "closed";
const PROGRAM: &str = "linear-program";

/// Bounds of all joint cells. Columns below `quasi` are quasi columns. The inner error says why it cannot be told.
pub(super) fn told(
    views: &[Marginal],
    quasi: usize,
    k: u64,
    progress: &dyn Progress,
) -> Result<Result<Told, &'static str>, VerifyError> {
    let views = largest(views);
    progress.stage("joining the views", None);
    let Some(cells) = join(&views, progress)? else {
        return Ok(Err("there are more joint cells than can be listed"));
    };
    let mut group_of: Vec<usize> = Vec::with_capacity(cells.len());
    let mut groups: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    for cell in &cells {
        let next = groups.len();
        group_of.push(*groups.entry(cell[..quasi].to_vec()).or_insert(next));
    }
    let each: Vec<usize> = (0..cells.len()).collect();
    let separators = separators(&views);
    let (bounds, cells_by) = match &separators {
        Some(separators) => (closed(&views, separators, &cells), CLOSED),
        None => match program(&views, &cells, &each, cells.len(), progress)? {
            Ok(bounds) => (bounds, PROGRAM),
            Err(why) => return Ok(Err(why)),
        },
    };
    let sensitive: BTreeSet<usize> = views
        .iter()
        .flat_map(|view| view.columns.iter().copied())
        .filter(|&column| column >= quasi)
        .collect();
    let (group_bounds, groups_by) =
        match closed_groups(&views, &separators, &sensitive, &cells, &bounds, (&group_of, groups.len())) {
            Some(bounds) => (bounds, CLOSED),
            None => match program(&views, &cells, &group_of, groups.len(), progress)? {
                Ok(bounds) => (bounds, PROGRAM),
                Err(why) => return Ok(Err(why)),
            },
        };
    let proven = || group_bounds.iter().filter(|(low, _)| *low > 0).map(|&(_, high)| high);
    let mut determined = 0;
    for column in sensitive {
        let mut values: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); groups.len()];
        for ((cell, &group), &(_, high)) in cells.iter().zip(&group_of).zip(&bounds) {
            if high > 0 {
                values[group].insert(cell[column]);
            }
        }
        determined += values.iter().filter(|values| values.len() == 1).count() as u64;
    }
    Ok(Ok(Told {
        cells: cells.len() as u64,
        small: proven().filter(|&high| high < k).count() as u64,
        smallest_proven: proven().min(),
        determined,
        cells_by,
        groups_by,
    }))
}

/// A view within another tells nothing more.
fn largest(views: &[Marginal]) -> Vec<Marginal> {
    let within = |a: &Marginal, b: &Marginal| a.columns.iter().all(|column| b.columns.contains(column));
    let is_needed = |i: usize| {
        let mut others = (0..views.len()).filter(|&j| j != i);
        !others.any(|j| within(&views[i], &views[j]) && (views[i].columns != views[j].columns || j < i))
    };
    (0..views.len()).filter(|&i| is_needed(i)).map(|i| views[i].clone()).collect()
}

/// A value for each column.
type Cell = Vec<u32>;

/// All combinations that no view excludes; `None` when they are too many.
fn join(views: &[Marginal], progress: &dyn Progress) -> Result<Option<Vec<Cell>>, VerifyError> {
    let width = views.iter().flat_map(|view| &view.columns).max().map_or(0, |last| last + 1);
    let mut cells: Vec<Cell> = vec![vec![0; width]];
    let mut waiting: Vec<&Marginal> = views.iter().collect();
    let mut bound: BTreeSet<usize> = BTreeSet::new();
    while !waiting.is_empty() {
        // The view that shares most with those before it, so that not more is listed on the way than need be.
        let shares = |view: &Marginal| view.columns.iter().filter(|column| bound.contains(column)).count();
        let mut best = 0;
        for i in 1..waiting.len() {
            if shares(waiting[i]) > shares(waiting[best]) {
                best = i;
            }
        }
        let view = waiting.remove(best);
        let shared: Vec<usize> =
            view.columns.iter().copied().filter(|column| bound.contains(column)).collect();
        let mut with: BTreeMap<Vec<u32>, Vec<&Vec<u32>>> = BTreeMap::new();
        for values in view.counts.keys() {
            let own = view.columns.iter().zip(values).filter(|(column, _)| shared.contains(column));
            with.entry(own.map(|(_, value)| *value).collect()).or_default().push(values);
        }
        let mut next = Vec::new();
        for cell in &cells {
            progress.check()?;
            let key: Vec<u32> = shared.iter().map(|&column| cell[column]).collect();
            for values in with.get(&key).into_iter().flatten() {
                if next.len() == MOST_CELLS {
                    return Ok(None);
                }
                let mut cell = cell.clone();
                view.columns.iter().zip(values.iter()).for_each(|(&column, &value)| cell[column] = value);
                next.push(cell);
            }
        }
        bound.extend(&view.columns);
        cells = next;
    }
    Ok(Some(cells))
}

/// What each view shares with the rest when it is taken away; `None` when they cannot all be taken away.
fn separators(views: &[Marginal]) -> Option<Vec<Marginal>> {
    let mut left: Vec<&Marginal> = views.iter().collect();
    let mut found = Vec::new();
    while left.len() > 1 {
        let shared_by = |i: usize| -> Vec<usize> {
            let in_others = |column: &usize| {
                left.iter().enumerate().any(|(j, other)| j != i && other.columns.contains(column))
            };
            left[i].columns.iter().copied().filter(in_others).collect()
        };
        let is_ear = |&i: &usize| {
            let shared = shared_by(i);
            let holds = |other: &Marginal| shared.iter().all(|column| other.columns.contains(column));
            left.iter().enumerate().any(|(j, other)| j != i && holds(other))
        };
        let ear = (0..left.len()).find(is_ear)?;
        found.push(left[ear].onto(&shared_by(ear)));
        left.remove(ear);
    }
    Some(found)
}

type Bounds = Vec<(u64, u64)>;

fn closed(views: &[Marginal], separators: &[Marginal], cells: &[Cell]) -> Bounds {
    let bound = |cell: &Cell| {
        let of_views = views.iter().map(|view| view.at(cell));
        let high = of_views.clone().min().unwrap_or(0);
        let sum: i128 = of_views.map(i128::from).sum();
        let shared: i128 = separators.iter().map(|shared| i128::from(shared.at(cell))).sum();
        ((sum - shared).max(0) as u64, high)
    };
    cells.iter().map(bound).collect()
}

/// Bounds of groups without a linear program, where that is exact: there is no sensitive column, or one, in all views
/// (then records with different values do not bear on each other) or in one (then it can be put to any table of the
/// other columns that agrees with the views without it).
fn closed_groups(
    views: &[Marginal],
    separators: &Option<Vec<Marginal>>,
    sensitive: &BTreeSet<usize>,
    cells: &[Cell],
    bounds: &Bounds,
    (group_of, groups): (&[usize], usize),
) -> Option<Bounds> {
    let separators = separators.as_ref()?;
    let mut found = vec![(0, 0); groups];
    let Some(&column) = sensitive.first() else {
        cells.iter().zip(group_of).zip(bounds).for_each(|((_, &group), &bounds)| found[group] = bounds);
        return Some(found);
    };
    let holding = views.iter().filter(|view| view.columns.contains(&column)).count();
    if sensitive.len() > 1 || (holding != views.len() && holding != 1) {
        return None;
    }
    if holding == views.len() {
        for (&group, &(low, high)) in group_of.iter().zip(bounds) {
            found[group] = (found[group].0 + low, found[group].1 + high);
        }
        return Some(found);
    }
    let others =
        |view: &Marginal| -> Vec<usize> { view.columns.iter().copied().filter(|&c| c != column).collect() };
    let without: Vec<Marginal> = views.iter().map(|view| view.onto(&others(view))).collect();
    let of_cells = closed(&without, separators, cells);
    group_of.iter().zip(of_cells).for_each(|(&group, bounds)| found[group] = bounds);
    Some(found)
}

/// Bounds of sums of cells by linear programs.
fn program(
    views: &[Marginal],
    cells: &[Cell],
    sum_of: &[usize],
    sums: usize,
    progress: &dyn Progress,
) -> Result<Result<Bounds, &'static str>, VerifyError> {
    if cells.len() > MOST_UNKNOWNS {
        return Ok(Err("the views are not decomposable and have too many joint cells for linear programs"));
    }
    let mut equations = Equations::new(cells.len());
    for view in views {
        let mut members: BTreeMap<Vec<u32>, Vec<(usize, f64)>> = BTreeMap::new();
        for (i, cell) in cells.iter().enumerate() {
            let key = view.columns.iter().map(|&column| cell[column]).collect();
            members.entry(key).or_default().push((i, 1.0));
        }
        for (key, count) in &view.counts {
            equations.add(members.remove(key).unwrap_or_default(), *count as f64);
        }
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); sums];
    sum_of.iter().enumerate().for_each(|(cell, &sum)| members[sum].push(cell));
    progress.stage("computing bounds", Some(sums as u64));
    let mut bounds = Vec::with_capacity(sums);
    for cells in &members {
        progress.check()?;
        match equations.range(cells) {
            Ok(range) => bounds.push(range),
            Err(why) => return Ok(Err(why)),
        }
        progress.at(bounds.len() as u64);
    }
    Ok(Ok(bounds))
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use proptest::prelude::*;

    use super::*;

    fn marginal(rows: &[Vec<u32>], columns: &[usize]) -> Marginal {
        let mut counts = BTreeMap::new();
        for row in rows {
            *counts.entry(columns.iter().map(|&column| row[column]).collect()).or_default() += 1;
        }
        Marginal { columns: columns.to_vec(), counts }
    }

    fn views(rows: &[Vec<u32>], columns: &[&[usize]]) -> Vec<Marginal> {
        columns.iter().map(|columns| marginal(rows, columns)).collect()
    }

    #[test]
    fn decomposable_views_are_told_from_others() {
        let rows = [vec![0, 0, 0, 0]];
        for (columns, is_decomposable) in [
            (&[&[0, 1][..], &[1, 2]][..], true),
            (&[&[0, 1], &[2, 3], &[1, 2]], true),
            (&[&[0], &[1]], true),
            (&[&[0, 1], &[1, 2], &[0, 2]], false),
            (&[&[0, 1], &[1, 2], &[2, 3], &[0, 3]], false),
        ] {
            assert_eq!(separators(&views(&rows, columns)).is_some(), is_decomposable, "{columns:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// The closed form is what linear programs find, for cells and for groups.
        #[test]
        fn closed_form_against_programs(
            rows in prop::collection::vec(prop::collection::vec(0u32..3, 4), 1..14),
            which in 0usize..5,
        ) {
            let sets: [&[&[usize]]; 5] = [
                &[&[0, 1][..], &[1, 2]][..],
                &[&[0, 1], &[1, 2], &[2, 3]],
                &[&[0, 1, 2], &[0, 3]],
                &[&[0, 1], &[2, 3]],
                &[&[0, 3], &[1, 3], &[2, 3]],
            ];
            let columns = sets[which];
            let views = views(&rows, columns);
            let cells = join(&views, &Silent).unwrap().unwrap();
            let separators = separators(&views);
            let bounds = closed(&views, separators.as_ref().unwrap(), &cells);
            let each: Vec<usize> = (0..cells.len()).collect();
            prop_assert_eq!(&bounds, &program(&views, &cells, &each, cells.len(), &Silent).unwrap().unwrap());
            let mut groups = BTreeMap::new();
            let mut group_of = Vec::new();
            for cell in &cells {
                let next = groups.len();
                group_of.push(*groups.entry(cell[..cell.len().min(3)].to_vec()).or_insert(next));
            }
            let sensitive: BTreeSet<usize> = columns.concat().into_iter().filter(|&column| column == 3).collect();
            let found = closed_groups(&views, &separators, &sensitive, &cells, &bounds, (&group_of, groups.len()));
            let programmed = program(&views, &cells, &group_of, groups.len(), &Silent).unwrap().unwrap();
            prop_assert_eq!(found.unwrap(), programmed);
        }
    }
}
