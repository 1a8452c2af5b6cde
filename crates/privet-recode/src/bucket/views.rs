//! Several views of one table instead of the table (survey ME-14): counts, or records without their order, over sets of
//! quasi columns, at chosen levels, and sensitive columns.
//!
//! **Guarantee.** [`Views::check_each`]: in every view, every class of records alike on its quasi columns satisfies
//! every criterion of the problem that the view can break: those about counts alone (so that without sensitive columns
//! every published count is at least k), and those about a sensitive column that the view holds; those about
//! combinations of sensitive columns when it holds any. With [`Views::promising`] each view has criteria of its own. What views tell together is another question:
//! [`Views::combined`].
//!
//! Counts and records tell the same: a view of records is its counts with each combination written that often. Records
//! must be written in the order of [`ViewTable::cells`], not in that of the table: equal positions would join the views.

use foldhash::{HashMap, HashMapExt};
use privet_criteria::{Class, Criterion, Histogram};
use serde::Deserialize;

use super::buckets::{Dense, note_worst};
use crate::lattice::{Problem, SearchError};

/// How a view is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViewKind {
    /// Each combination once, with its count.
    #[default]
    Counts,
    /// Each combination as often as it occurs.
    Microdata,
}

/// A set of columns to be published together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Positions in the quasi columns of the problem.
    pub quasi: Vec<usize>,
    /// Positions in the sensitive columns of the problem.
    pub sensitive: Vec<usize>,
    /// How it is written.
    pub kind: ViewKind,
}

/// The combinations of a view that occur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewTable {
    /// Nodes of the quasi columns of the view in ascending order of the columns, at their levels, then codes of its
    /// sensitive columns likewise; with the number of records. In ascending order.
    pub cells: Vec<(Vec<u32>, u64)>,
}

/// How a view does by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewCheck {
    /// Its classes: different combinations of quasi values.
    pub classes: u64,
    /// Classes that fail a criterion, and their records.
    pub failing: (u64, u64),
    /// The least records of a class.
    pub smallest: u64,
    /// Per criterion what the worst class reaches; `None` for those that the view cannot break.
    pub reached: Vec<Option<f64>>,
    /// The criteria that fail, as `key: promise`.
    pub fails: Vec<String>,
}

impl ViewCheck {
    /// Whether everything holds.
    pub fn holds(&self) -> bool {
        self.failing.0 == 0
    }
}

/// Views of a table.
pub struct Views<'p, 'a> {
    pub(super) problem: &'p Problem<'a>,
    levels: Vec<usize>,
    /// Each with its columns in ascending order.
    pub(super) views: Vec<View>,
    /// Per view the criteria that it must keep; those that it can break when nothing is said.
    promised: Option<Vec<Vec<usize>>>,
}

impl<'p, 'a> Views<'p, 'a> {
    /// Views of a table with every quasi column at a level, the same in all views.
    ///
    /// # Errors
    /// When there is no view, a view has no column or one twice, or there is no such column or level.
    pub fn new(problem: &'p Problem<'a>, levels: &[usize], views: &[View]) -> Result<Self, SearchError> {
        let wrong = |problem| Err(SearchError::Parameter { key: "views.columns", problem });
        if problem.rows >= u32::MAX as usize {
            return Err(SearchError::TooManyRows);
        }
        let has_level = |(i, &level): (usize, &usize)| level < problem.quasi[i].generalization.levels.len();
        if levels.len() != problem.quasi.len() || !levels.iter().enumerate().all(has_level) {
            let problem = "must give every quasi column one level of its hierarchy";
            return Err(SearchError::Parameter { key: "views.levels", problem });
        }
        if views.is_empty() {
            return wrong("must name at least one view");
        }
        let mut views = views.to_vec();
        for view in &mut views {
            view.quasi.sort_unstable();
            view.sensitive.sort_unstable();
            if view.quasi.is_empty() && view.sensitive.is_empty() {
                return wrong("must name at least one column per view");
            }
            if has_twice(&view.quasi) || has_twice(&view.sensitive) {
                return wrong("must name a column at most once per view");
            }
            let quasi = view.quasi.last().is_none_or(|&last| last < problem.quasi.len());
            let sensitive = view.sensitive.last().is_none_or(|&last| last < problem.sensitive.len());
            if !quasi || !sensitive {
                return wrong("must name quasi and sensitive columns of the table");
            }
        }
        Ok(Self { problem, levels: levels.to_vec(), views, promised: None })
    }

    /// The same views with criteria of their own: per view the positions, in the criteria of the problem, of those that
    /// it must keep. A view that is not told of must keep none.
    #[must_use]
    pub fn promising(self, promised: &[Vec<usize>]) -> Self {
        Self { promised: Some(promised.to_vec()), ..self }
    }

    /// What each view publishes.
    pub fn tables(&self) -> Vec<ViewTable> {
        self.views.iter().map(|view| self.table(view)).collect()
    }

    pub(super) fn table(&self, view: &View) -> ViewTable {
        let grouped = self.group(view, true);
        let mut counts = vec![0u64; grouped.first.len()];
        grouped.class_of.iter().for_each(|&class| counts[class as usize] += 1);
        let mut cells: Vec<(Vec<u32>, u64)> = grouped
            .first
            .iter()
            .zip(counts)
            .map(|(&record, count)| {
                let quasi =
                    view.quasi.iter().map(|&i| self.node(i, self.problem.quasi[i].codes[record as usize]));
                let sensitive =
                    view.sensitive.iter().map(|&i| self.problem.sensitive[i].codes[record as usize]);
                (quasi.chain(sensitive).collect(), count)
            })
            .collect();
        cells.sort_unstable();
        ViewTable { cells }
    }

    fn node(&self, column: usize, code: u32) -> u32 {
        self.problem.quasi[column].generalization.levels[self.levels[column]].node_of_code[code as usize]
    }

    /// Judges each view by itself, as if it were all that is published.
    pub fn check_each(&self) -> Vec<ViewCheck> {
        self.views.iter().enumerate().map(|(number, view)| self.check(number, view)).collect()
    }

    fn check(&self, number: usize, view: &View) -> ViewCheck {
        let criteria = &self.problem.criteria;
        let applies: Vec<bool> = match &self.promised {
            Some(promised) => {
                let own = promised.get(number);
                (0..criteria.len()).map(|at| own.is_some_and(|own| own.contains(&at))).collect()
            }
            None => criteria.iter().map(|criterion| self.applies(&**criterion, view)).collect(),
        };
        let grouped = self.group(view, false);
        let classes = grouped.first.len();
        // Records in the order of their classes.
        let order = super::buckets::counting_order(&grouped.class_of, classes);
        let mut members =
            order.chunk_by(|&a, &b| grouped.class_of[a as usize] == grouped.class_of[b as usize]);
        let sensitive = &self.problem.sensitive;
        let mut dense: Vec<Dense> = sensitive.iter().map(|column| Dense::new(column.values)).collect();
        let mut worst = vec![None; criteria.len()];
        let mut fails = vec![false; criteria.len()];
        let mut check = ViewCheck {
            classes: classes as u64,
            failing: (0, 0),
            smallest: 0,
            reached: Vec::new(),
            fails: Vec::new(),
        };
        // Combinations that only people of the population table have come after those of records, and have none.
        for (number, &people) in grouped.population.iter().enumerate() {
            let records = if number < classes { members.next().unwrap_or_default() } else { &[] };
            for (dense, column) in dense.iter_mut().zip(sensitive) {
                records.iter().for_each(|&record| dense.fill(&[(column.codes[record as usize], 1)]));
            }
            let histograms: Vec<Histogram<'_>> = dense.iter().map(Dense::view).collect();
            let class = Class { rows: records.len() as u64, population: people, histograms: &histograms };
            let mut holds = true;
            for (i, criterion) in criteria.iter().enumerate() {
                if !applies[i] || (records.is_empty() && !criterion.judges_absence()) {
                    continue;
                }
                if !criterion.holds(&class) {
                    fails[i] = true;
                    holds = false;
                }
                if !records.is_empty() {
                    note_worst(&**criterion, criterion.reached(&class), number as u32, &mut worst[i]);
                }
            }
            if !holds {
                check.failing.0 += 1;
                check.failing.1 += class.rows;
            }
            if number < classes {
                check.smallest = if number == 0 { class.rows } else { check.smallest.min(class.rows) };
            }
            dense.iter_mut().for_each(Dense::clear);
        }
        check.reached = worst.into_iter().map(|worst| worst.map(|(reached, _)| reached)).collect();
        check.fails = criteria
            .iter()
            .zip(fails)
            .filter(|&(_, fails)| fails)
            .map(|(criterion, _)| {
                format!("{}: {}", criterion.key(), criterion.promise().trim_end_matches('.'))
            })
            .collect();
        check
    }

    /// Whether a view could break a criterion.
    fn applies(&self, criterion: &dyn Criterion, view: &View) -> bool {
        let looks_at = criterion.histograms();
        let in_any = |position: &usize| self.views.iter().any(|view| view.sensitive.contains(position));
        looks_at.is_empty()
            || looks_at.iter().any(|position| view.sensitive.contains(position))
            // A histogram that no view publishes may be the one over combinations.
            || (!view.sensitive.is_empty() && looks_at.iter().any(|position| !in_any(position)))
    }

    /// Groups the records by the columns of a view; people of the population table by its quasi columns.
    fn group(&self, view: &View, with_sensitive: bool) -> Grouped {
        let rows = self.problem.rows;
        let population = |i: usize| self.problem.quasi[i].population.unwrap_or_default();
        let people = if with_sensitive { 0 } else { view.quasi.first().map_or(0, |&i| population(i).len()) };
        let mut class_of = vec![0u32; rows + people];
        let quasi = view.quasi.iter().map(|&i| {
            let codes = self.problem.quasi[i].codes.iter().chain(&population(i)[..people]);
            codes.map(|&code| self.node(i, code)).collect::<Vec<u32>>()
        });
        let sensitive = view.sensitive.iter().map(|&i| self.problem.sensitive[i].codes.to_vec());
        for nodes in quasi.chain(sensitive.take(if with_sensitive { usize::MAX } else { 0 })) {
            // Classes of the columns so far, told apart by the next one.
            let mut number: HashMap<(u32, u32), u32> = HashMap::new();
            for (class, node) in class_of.iter_mut().zip(nodes) {
                let next = number.len() as u32;
                *class = *number.entry((*class, node)).or_insert(next);
            }
        }
        let mut first = Vec::new();
        for (record, &class) in class_of[..rows].iter().enumerate() {
            if class as usize == first.len() {
                first.push(record as u32);
            }
        }
        let classes = class_of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut population = vec![0; classes];
        class_of[rows..].iter().for_each(|&class| population[class as usize] += 1);
        class_of.truncate(rows);
        Grouped { class_of, first, population }
    }
}

/// Records and people by combinations of values, numbered in the order in which they first appear.
struct Grouped {
    class_of: Vec<u32>,
    /// Per class with records its first record.
    first: Vec<u32>,
    /// Per class its people; those without records come last.
    population: Vec<u64>,
}

fn has_twice(sorted: &[usize]) -> bool {
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}
