//! What several views tell together (survey AT-06): even views with large counts can prove that a small group exists,
//! or leave only one sensitive value possible for somebody.
//!
//! The joint cells are the combinations of values of all columns of all views that no view excludes; for each, the least
//! and the most records it can have. With decomposable views these bounds have a closed form (Fréchet; Dobra and
//! Fienberg): at most the least of the view counts, at least the sum of the view counts less the sum of the counts of
//! what neighbours in the junction tree share. Otherwise they are found by linear programs, two per cell.
//!
//! **Guarantee.** No table that agrees with all views has a cell outside its bounds. In closed form the bounds are sharp
//! (some table reaches each); by linear program they are as sharp as is possible without using that counts are whole
//! numbers, and then rounded inwards to whole numbers.
//!
//! Bounds of groups (all joint cells with the same quasi values) are found in closed form when no sensitive column, or
//! one column that is in exactly one view or in all of them, is published, and by linear program otherwise. An attacker
//! is taken to know all quasi values of somebody. For somebody known to be in the table the upper bound is what
//! matters, so groups with a small one are listed too; only those that are proven to exist make a release unsafe.

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;

use super::fitting;
use super::junction::{Joined, junction_tree};
use super::program::{Goal, Optimum, Program};
use super::views::{View, ViewTable, Views};
use crate::lattice::SearchError;

/// Joint cells beyond this are not listed.
const MOST_CELLS: usize = 1 << 20;
/// Joint cells beyond this would take linear programs too long.
const MOST_VARIABLES: usize = 1 << 11;
const SLACK: f64 = 1e-4;

/// A column of the joint table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JointColumn {
    /// A quasi column, by its position in the problem.
    Quasi(usize),
    /// A sensitive column, by its position in the problem.
    Sensitive(usize),
}

/// The least and the most records that are possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The least.
    pub low: u64,
    /// The most.
    pub high: u64,
}

/// How bounds were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// In closed form.
    Closed,
    /// By linear programs.
    LinearProgram,
}

/// What is told about a sensitive column.
#[derive(Debug, Clone, PartialEq)]
pub struct Inference {
    /// The sensitive column, by its position in the problem.
    pub column: usize,
    /// Groups for which only one of its values is possible: the group, and the code.
    pub determined: Vec<(u32, u32)>,
    /// The largest estimated probability of a value in a group: the probability, the group, and the code.
    pub largest: Option<(f64, u32, u32)>,
}

/// What views tell together; for the owner.
#[derive(Debug, Clone, PartialEq)]
pub struct Combined {
    /// The columns of all views, quasi columns first.
    pub columns: Vec<JointColumn>,
    /// Per joint cell that is possible its values, in the order of `columns`: nodes and codes. In ascending order.
    pub cells: Vec<Vec<u32>>,
    /// Per joint cell its bounds.
    pub bounds: Vec<Bounds>,
    /// Per joint cell the estimate of maximum entropy (survey US-14).
    pub fitted: Vec<f64>,
    /// How far the estimate still is from the worst count of a view, relative to it.
    pub fitted_off: f64,
    /// Per joint cell its group: cells with the same quasi values. Groups are in the order of their cells.
    pub group_of: Vec<u32>,
    /// Per group its bounds.
    pub group_bounds: Vec<Bounds>,
    /// How the bounds of cells, and those of groups, were found.
    pub methods: (Method, Method),
    /// The k that was asked for.
    pub k: u64,
    /// Groups that must exist and have fewer than k records.
    pub small: Vec<u32>,
    /// Groups that, if they exist, have fewer than k records; those of `small` included.
    pub possibly_small: Vec<u32>,
    /// Per sensitive column in any view what is told about it.
    pub inferences: Vec<Inference>,
}

impl Combined {
    /// The joint cell with these values.
    pub fn cell(&self, values: &[u32]) -> Option<usize> {
        self.cells.binary_search_by(|cell| cell.as_slice().cmp(values)).ok()
    }

    /// Refuses views that prove a group of fewer than k records to exist, or tell a sensitive value for certain.
    ///
    /// # Errors
    /// [`SearchError::ViewsTell`], with how many of each.
    pub fn refuse_unsafe(&self) -> Result<(), SearchError> {
        let determined = self.inferences.iter().map(|inference| inference.determined.len() as u64).sum();
        let small = self.small.len() as u64;
        if small == 0 && determined == 0 {
            return Ok(());
        }
        Err(SearchError::ViewsTell { k: self.k, small, determined })
    }
}

impl Views<'_, '_> {
    /// What the views tell together.
    ///
    /// # Errors
    /// When k is 0, there are too many joint cells, a linear program fails, or the person stopped it.
    pub fn combined(&self, k: u64, progress: &dyn Progress) -> Result<Combined, SearchError> {
        let of = |view: &View| {
            let quasi = view.quasi.iter().map(|&i| JointColumn::Quasi(i));
            quasi.chain(view.sensitive.iter().map(|&i| JointColumn::Sensitive(i))).collect::<Vec<_>>()
        };
        let columns: Vec<Vec<JointColumn>> = self.views.iter().map(of).collect();
        combine(&columns, |view| self.table(&self.views[view]), k, progress)
    }
}

/// What tables of counts over these columns tell together. Columns are in ascending order within each.
pub(super) fn combine(
    columns: &[Vec<JointColumn>],
    table: impl Fn(usize) -> ViewTable,
    k: u64,
    progress: &dyn Progress,
) -> Result<Combined, SearchError> {
    if k == 0 {
        return Err(SearchError::Parameter { key: "views.k", problem: "must be at least 1" });
    }
    let joint = Joint::new(columns, table, progress)?;
    let group_of = joint.groups();
    let groups = group_of.last().map_or(0, |&last| last as usize + 1);
    let sensitive: Vec<usize> =
        (0..joint.columns.len()).filter(|&c| matches!(joint.columns[c], JointColumn::Sensitive(_))).collect();
    let (bounds, method) = if joint.decomposable {
        (joint.closed(&joint.tables, &joint.places), Method::Closed)
    } else {
        let each: Vec<u32> = (0..joint.cells.len() as u32).collect();
        (joint.by_program(&each, joint.cells.len(), progress)?, Method::LinearProgram)
    };
    let (group_bounds, group_method) = match joint.closed_groups(&sensitive, &group_of, groups, &bounds) {
        Some(found) => (found, Method::Closed),
        None => (joint.by_program(&group_of, groups, progress)?, Method::LinearProgram),
    };
    let of_views: Vec<(&[u32], &[u64])> =
        joint.view_cells.iter().zip(&joint.counts).map(|(at, counts)| (&at[..], &counts[..])).collect();
    let fitted = fitting::fit(bounds.iter().map(|bounds| bounds.high > 0), &of_views, progress)?;
    let inferences = sensitive.iter().map(|&s| joint.infer(s, &group_of, &bounds, &fitted.cells)).collect();
    let below_k = |&group: &u32| group_bounds[group as usize].high < k;
    let possibly_small: Vec<u32> = (0..groups as u32).filter(below_k).collect();
    let proven = |group: &&u32| group_bounds[**group as usize].low > 0;
    Ok(Combined {
        small: possibly_small.iter().filter(proven).copied().collect(),
        possibly_small,
        columns: joint.columns,
        cells: joint.cells,
        bounds,
        fitted: fitted.cells,
        fitted_off: fitted.off,
        group_of,
        group_bounds,
        methods: (method, group_method),
        k,
        inferences,
    })
}

/// The columns of all tables, ascending, and the joint cells that no table excludes.
pub(super) fn joint_cells(
    columns: &[Vec<JointColumn>],
    table: impl Fn(usize) -> ViewTable,
    progress: &dyn Progress,
) -> Result<(Vec<JointColumn>, Vec<Vec<u32>>), SearchError> {
    let joint = Joint::new(columns, table, progress)?;
    Ok((joint.columns, joint.cells))
}

/// The cells that no view excludes.
struct Joint {
    columns: Vec<JointColumn>,
    quasi: usize,
    decomposable: bool,
    tree: Vec<Joined>,
    /// Views that no other contains: the positions of their columns in `columns`.
    places: Vec<Vec<usize>>,
    tables: Vec<ViewTable>,
    counts: Vec<Vec<u64>>,
    cells: Vec<Vec<u32>>,
    /// Per view and joint cell the cell of the view.
    view_cells: Vec<Vec<u32>>,
}

/// The counts of what two views share.
struct Shared {
    columns: Vec<usize>,
    sums: HashMap<Vec<u32>, u64>,
}

impl Joint {
    fn new(
        of: &[Vec<JointColumn>],
        table: impl Fn(usize) -> ViewTable,
        progress: &dyn Progress,
    ) -> Result<Self, SearchError> {
        let mut columns: Vec<JointColumn> = of.iter().flatten().copied().collect();
        columns.sort_unstable();
        columns.dedup();
        let place = |of: &Vec<JointColumn>| {
            of.iter().filter_map(|column| columns.binary_search(column).ok()).collect::<Vec<usize>>()
        };
        // A view within another tells nothing that the other does not.
        let all: Vec<Vec<usize>> = of.iter().map(place).collect();
        let within = |a: &Vec<usize>, b: &Vec<usize>| a.iter().all(|column| b.binary_search(column).is_ok());
        let largest: Vec<usize> = (0..all.len())
            .filter(|&i| {
                (0..all.len()).all(|j| i == j || !within(&all[i], &all[j]) || (all[i] == all[j] && i < j))
            })
            .collect();
        let places: Vec<Vec<usize>> = largest.iter().map(|&i| all[i].clone()).collect();
        let tables: Vec<ViewTable> = largest.iter().map(|&i| table(i)).collect();
        let (tree, decomposable) = junction_tree(&places);
        progress.stage("joining the views", Some(tree.len() as u64));
        let mut rows = join(columns.len(), &tree, &places, &tables, progress)?;
        rows.sort_unstable();
        let (cells, at): (Vec<Vec<u32>>, Vec<Vec<u32>>) = rows.into_iter().unzip();
        let view_cells = (0..places.len()).map(|view| at.iter().map(|at| at[view]).collect()).collect();
        let counts = tables.iter().map(|table| table.cells.iter().map(|cell| cell.1).collect()).collect();
        let quasi = columns.iter().filter(|column| matches!(column, JointColumn::Quasi(_))).count();
        Ok(Self { columns, quasi, decomposable, tree, places, tables, counts, cells, view_cells })
    }

    /// Per cell its group. Cells are in ascending order, quasi values first.
    fn groups(&self) -> Vec<u32> {
        let mut group = 0;
        let mut of = Vec::with_capacity(self.cells.len());
        for (i, cell) in self.cells.iter().enumerate() {
            if i > 0 && cell[..self.quasi] != self.cells[i - 1][..self.quasi] {
                group += 1;
            }
            of.push(group);
        }
        of
    }

    /// The closed form for tables of views with these columns, in the order of the joint cells.
    fn closed(&self, tables: &[ViewTable], places: &[Vec<usize>]) -> Vec<Bounds> {
        let counts: Vec<HashMap<&[u32], u64>> = tables
            .iter()
            .map(|table| table.cells.iter().map(|(values, n)| (&values[..], *n)).collect())
            .collect();
        // Per edge of the tree the counts of what both ends share.
        let separators: Vec<Shared> = self
            .tree
            .iter()
            .filter(|joined| joined.parent.is_some())
            .map(|joined| {
                let shared = super::junction::shared(&places[joined.view], &joined.separator);
                let mut sums: HashMap<Vec<u32>, u64> = HashMap::new();
                let at: Vec<usize> = shared
                    .iter()
                    .filter_map(|column| places[joined.view].binary_search(column).ok())
                    .collect();
                for (values, count) in &tables[joined.view].cells {
                    *sums.entry(at.iter().map(|&i| values[i]).collect()).or_default() += count;
                }
                Shared { columns: shared, sums }
            })
            .collect();
        let mut key: Vec<u32> = Vec::new();
        let bound = |cell: &Vec<u32>| {
            let (mut sum, mut high) = (0i128, u64::MAX);
            for (counts, places) in counts.iter().zip(places) {
                key.clear();
                key.extend(places.iter().map(|&column| cell[column]));
                let count = counts.get(&key[..]).copied().unwrap_or(0);
                high = high.min(count);
                sum += i128::from(count);
            }
            for Shared { columns, sums } in &separators {
                key.clear();
                key.extend(columns.iter().map(|&column| cell[column]));
                sum -= i128::from(sums.get(&key).copied().unwrap_or(0));
            }
            Bounds { low: sum.max(0) as u64, high }
        };
        self.cells.iter().map(bound).collect()
    }

    /// The bounds of groups in closed form, where there is one.
    fn closed_groups(
        &self,
        sensitive: &[usize],
        group_of: &[u32],
        groups: usize,
        bounds: &[Bounds],
    ) -> Option<Vec<Bounds>> {
        let holding = |column: usize| self.places.iter().filter(|places| places.contains(&column)).count();
        match *sensitive {
            _ if !self.decomposable => None,
            [] => Some(bounds.to_vec()),
            [column] if holding(column) == self.places.len() => {
                // Records with different values are independent of each other: so are their bounds.
                let mut sums = vec![Bounds { low: 0, high: 0 }; groups];
                for (&group, bounds) in group_of.iter().zip(bounds) {
                    sums[group as usize].low += bounds.low;
                    sums[group as usize].high += bounds.high;
                }
                Some(sums)
            }
            [column] if holding(column) == 1 => Some(self.without(column, group_of, groups)),
            _ => None,
        }
    }

    /// The bounds of groups when one column, in one view alone, tells their cells apart: any table of the other columns
    /// that agrees with the views without it can be given its values so that it agrees with the view that has it.
    fn without(&self, column: usize, group_of: &[u32], groups: usize) -> Vec<Bounds> {
        let mut places = self.places.clone();
        let mut tables = self.tables.clone();
        for (places, table) in places.iter_mut().zip(&mut tables) {
            if let Some(at) = places.iter().position(|&place| place == column) {
                places.remove(at);
                let mut sums: HashMap<Vec<u32>, u64> = HashMap::new();
                for (mut values, count) in table.cells.drain(..) {
                    values.remove(at);
                    *sums.entry(values).or_default() += count;
                }
                table.cells = sums.into_iter().collect();
            }
        }
        let mut bounds = vec![Bounds { low: 0, high: 0 }; groups];
        for (&group, found) in group_of.iter().zip(self.closed(&tables, &places)) {
            bounds[group as usize] = found;
        }
        bounds
    }

    /// The bounds of sums of cells by linear programs.
    fn by_program(
        &self,
        sum_of: &[u32],
        sums: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<Bounds>, SearchError> {
        if self.cells.len() > MOST_VARIABLES {
            return Err(SearchError::TooManyCells {
                what: "the joint table of the views, which are not decomposable,",
                cells: self.cells.len().to_string(),
                most: MOST_VARIABLES as u64,
            });
        }
        let mut program =
            Program { bounds: vec![(0.0, f64::INFINITY); self.cells.len()], equalities: Vec::new() };
        for (at, counts) in self.view_cells.iter().zip(&self.counts) {
            let mut terms: Vec<Vec<(usize, f64)>> = vec![Vec::new(); counts.len()];
            at.iter().enumerate().for_each(|(cell, &at)| terms[at as usize].push((cell, 1.0)));
            program
                .equalities
                .extend(terms.into_iter().zip(counts).map(|(terms, &count)| (terms, count as f64)));
        }
        let mut members: Vec<Vec<(usize, f64)>> = vec![Vec::new(); sums];
        sum_of.iter().enumerate().for_each(|(cell, &sum)| members[sum as usize].push((cell, 1.0)));
        progress.stage("computing bounds", Some(sums as u64));
        let mut bounds = Vec::with_capacity(sums);
        for objective in &members {
            progress.check()?;
            let optimum = |goal| match program.optimize(objective, goal)? {
                Optimum::At(value, _) => Ok(value),
                // The true table is a solution, and no cell is above the count of a view.
                Optimum::Unbounded | Optimum::Infeasible => {
                    Err(SearchError::NoBounds { problem: "the counts of the views contradict each other" })
                }
            };
            bounds.push(Bounds {
                low: (optimum(Goal::Least)? - SLACK).ceil().max(0.0) as u64,
                high: (optimum(Goal::Most)? + SLACK).floor().max(0.0) as u64,
            });
            progress.at(bounds.len() as u64);
        }
        Ok(bounds)
    }

    /// What is told about a sensitive column.
    fn infer(&self, column: usize, group_of: &[u32], bounds: &[Bounds], fitted: &[f64]) -> Inference {
        let JointColumn::Sensitive(position) = self.columns[column] else {
            return Inference { column, determined: Vec::new(), largest: None };
        };
        let mut inference = Inference { column: position, determined: Vec::new(), largest: None };
        let mut values: Vec<(u32, f64)> = Vec::new();
        let mut begin = 0;
        for run in group_of.chunk_by(|a, b| a == b) {
            let cells = begin..begin + run.len();
            begin = cells.end;
            values.clear();
            let possible = cells.filter(|&cell| bounds[cell].high > 0);
            values.extend(possible.map(|cell| (self.cells[cell][column], fitted[cell])));
            values.sort_by_key(|&(code, _)| code);
            let all: f64 = values.iter().map(|&(_, estimate)| estimate).sum();
            let mut different = 0;
            for same in values.chunk_by(|a, b| a.0 == b.0) {
                different += 1;
                let share = same.iter().map(|&(_, estimate)| estimate).sum::<f64>() / all;
                if all > 0.0 && inference.largest.is_none_or(|(largest, ..)| share > largest) {
                    inference.largest = Some((share, run[0], same[0].0));
                }
            }
            if different == 1 {
                inference.determined.push((run[0], values[0].0));
            }
        }
        inference
    }
}

/// The natural join of views in the order of their tree: values of all columns, and per view the position of its cell.
type Row = (Vec<u32>, Vec<u32>);

fn join(
    columns: usize,
    tree: &[Joined],
    places: &[Vec<usize>],
    tables: &[ViewTable],
    progress: &dyn Progress,
) -> Result<Vec<Row>, SearchError> {
    let mut rows: Vec<Row> = vec![(vec![0; columns], vec![0; tables.len()])];
    let mut bound = vec![false; columns];
    for (done, joined) in tree.iter().enumerate() {
        progress.at(done as u64);
        let (places, table) = (&places[joined.view], &tables[joined.view]);
        let shared: Vec<usize> = (0..places.len()).filter(|&i| bound[places[i]]).collect();
        let mut with: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
        for (number, (values, _)) in table.cells.iter().enumerate() {
            with.entry(shared.iter().map(|&i| values[i]).collect()).or_default().push(number as u32);
        }
        let mut next: Vec<Row> = Vec::new();
        for (cell, at) in &rows {
            let key: Vec<u32> = shared.iter().map(|&i| cell[places[i]]).collect();
            for &number in with.get(&key).map_or(&[][..], |numbers| numbers) {
                if next.len() == MOST_CELLS {
                    return Err(SearchError::TooManyCells {
                        what: "the joint table of the views",
                        cells: format!("more than {MOST_CELLS}"),
                        most: MOST_CELLS as u64,
                    });
                }
                let (mut cell, mut at) = (cell.clone(), at.clone());
                let values = &table.cells[number as usize].0;
                places.iter().zip(values).for_each(|(&place, &value)| cell[place] = value);
                at[joined.view] = number;
                next.push((cell, at));
            }
            if next.len().is_multiple_of(1 << 12) {
                progress.check()?;
            }
        }
        places.iter().for_each(|&place| bound[place] = true);
        rows = next;
    }
    Ok(rows)
}
