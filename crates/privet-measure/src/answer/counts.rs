//! Answers from published counts (survey US-14, AT-06): views over several sets of columns, or tables with totals of which
//! some counts are hidden.
//!
//! **Expected.** Of views the joint table of counts is fitted by iterative proportional fitting: of all tables with these
//! counts the one of maximum entropy, in which columns that no view holds together are independent given what their views
//! share. Of a table with totals, hidden counts are fitted to the totals in the same way, starting from equal ones. Within
//! a label values are spread as in records.
//!
//! **At least, at most.** Certain for every table of non-negative counts that has what is published. They are the optima of
//! a linear program over the joint cells where these are at most [`MOST_UNKNOWN`], rounded inwards to whole numbers: the
//! best possible bounds but for the gap between whole numbers and others. Beyond, two views are bounded by a maximum flow for
//! each combination of the values that they share, which is exact for counts (Fréchet's max(0, a + b − n) and min(a, b), and
//! more for other conditions); several views by each view alone, which is sound and may be wide.
//!
//! Columns that are not asked about and stand in one view only are summed out first, and views that another view contains
//! are left out. Neither changes an answer: a table with the smaller views can always be cut up into one with the larger.

use foldhash::{HashMap, HashMapExt};

use super::bounds::{Joint, Known};
use super::formula::{Outcome, Plan, evaluate};
use super::records::distinct_lists;
use super::region::Part;
use super::{
    Aggregate, Answer, AnswerColumn, AnswerError, AnswerSource, Estimate, Line, MOST_LINES, Question, Records,
};
use crate::ipf::{FitError, FitOptions, Marginal, fit};

pub use super::bounds::MOST_UNKNOWN;

/// Published counts to be asked.
#[derive(Debug, Clone)]
pub struct Counts {
    /// Every column that is in some table. Who has which label is told by the tables, so `cells` are not looked at.
    columns: Records,
    /// The records that were counted.
    records: u64,
    tables: Vec<CountedTable>,
}

/// A published table of counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedTable {
    /// Its columns, by their positions.
    pub columns: Vec<usize>,
    /// Its cells: a label for each column, `None` for all values together, and the count, `None` when it is hidden.
    pub cells: Vec<(Vec<Option<u32>>, Option<u64>)>,
    /// Whether totals are published and counts may be hidden; otherwise what is not listed is 0.
    pub has_totals: bool,
}

/// What one joint cell adds to a figure.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    count: f64,
    sum: f64,
    least: f64,
    most: f64,
    possible: bool,
    certain: bool,
}

/// A column: its place in the joint cells, its different lists of parts, and per label which of them.
type Cuts = (usize, Vec<Vec<Part>>, Vec<u32>);

impl From<&Outcome> for Share {
    fn from(own: &Outcome) -> Self {
        Self {
            count: own.probability,
            sum: own.sum,
            least: own.least,
            most: own.most,
            possible: own.possible,
            certain: own.certain,
        }
    }
}

impl Counts {
    /// Tables over these columns that all count the same records.
    ///
    /// # Errors
    /// When a table names a column or a label that there is not, or a cell has not one label for each column.
    pub fn new(
        columns: Vec<AnswerColumn>,
        records: u64,
        tables: Vec<CountedTable>,
    ) -> Result<Self, AnswerError> {
        let columns = Records { columns, rows: 0, group_of: Vec::new(), suppressed: 0 };
        for table in &tables {
            for (place, &at) in table.columns.iter().enumerate() {
                let own = columns.column(at)?;
                let fits =
                    |label: &Option<u32>| label.is_none_or(|label| (label as usize) < own.regions.len());
                if !table.cells.iter().all(|(labels, _)| labels.get(place).is_some_and(fits)) {
                    return Err(AnswerError::Unfit { column: own.name.clone() });
                }
            }
        }
        Ok(Self { columns, records, tables })
    }

    /// The positions of the columns that a question speaks of.
    fn asked(&self, question: &Question) -> Result<Vec<usize>, AnswerError> {
        let mut names: Vec<&str> = question.group_by.iter().map(String::as_str).collect();
        names.extend(question.select.iter().filter_map(|output| output.aggregate.column()));
        question.filter.for_each_test(&mut |test| names.push(&test.column));
        let mut asked: Vec<usize> =
            names.iter().map(|name| self.columns.find(name)).collect::<Result<_, _>>()?;
        asked.sort_unstable();
        asked.dedup();
        Ok(asked)
    }

    fn joint(&self, asked: &[usize]) -> Result<Joint, AnswerError> {
        let holds = |table: &&CountedTable| asked.iter().all(|column| table.columns.contains(column));
        if let Some(table) = self.tables.iter().filter(|table| table.has_totals).find(holds) {
            return of_totals(table, self.records);
        }
        let views: Vec<&CountedTable> = self.tables.iter().filter(|table| !table.has_totals).collect();
        if views.is_empty() {
            return Err(AnswerError::NoTable);
        }
        of_views(&views, asked, self.records, &|column| {
            self.columns.columns.get(column).map_or(0, |own| own.regions.len())
        })
    }

    /// What every joint cell adds to a figure.
    fn shares(&self, joint: &Joint, plan: &Plan) -> Result<Vec<Share>, AnswerError> {
        let mut slots: Vec<Cuts> = Vec::new();
        for slot in &plan.slots {
            let place =
                joint.columns.iter().position(|&own| own == slot.column).ok_or(AnswerError::NoTable)?;
            let (lists, number_of) = distinct_lists(self.columns.column(slot.column)?, &slot.predicates)?;
            slots.push((place, lists, number_of));
        }
        let mut known: HashMap<Vec<u32>, Share> = HashMap::new();
        let mut shares = Vec::with_capacity(joint.cells());
        for cell in 0..joint.cells() {
            let labels = joint.labels(cell);
            let number = |(place, _, number_of): &Cuts| {
                labels.get(*place).and_then(|&label| number_of.get(label as usize)).copied().unwrap_or(0)
            };
            let key: Vec<u32> = slots.iter().map(number).collect();
            let share = match known.get(&key) {
                Some(share) => *share,
                None => {
                    let list = |(slot, &number): (&Cuts, &u32)| -> Vec<Part> {
                        slot.1.get(number as usize).cloned().unwrap_or_default()
                    };
                    let parts: Vec<Vec<Part>> = slots.iter().zip(&key).map(list).collect();
                    let parts: Vec<&[Part]> = parts.iter().map(Vec::as_slice).collect();
                    let share = Share::from(&evaluate(&plan.formula, plan.target, &parts)?);
                    known.insert(key, share);
                    share
                }
            };
            shares.push(share);
        }
        Ok(shares)
    }
}

impl AnswerSource for Counts {
    fn answer(&self, question: &Question) -> Result<Answer, AnswerError> {
        let asked = self.asked(question)?;
        let joint = self.joint(&asked)?;
        let by: Vec<usize> =
            question.group_by.iter().map(|name| self.columns.find(name)).collect::<Result<_, _>>()?;
        let places: Vec<usize> =
            by.iter().filter_map(|column| joint.columns.iter().position(|own| own == column)).collect();
        let line_of = |cell: usize| -> Vec<u32> {
            places.iter().filter_map(|&place| joint.labels(cell).get(place).copied()).collect()
        };
        let mut lines: Vec<Vec<u32>> = (0..joint.cells()).map(line_of).collect();
        let of_cell = lines.clone();
        lines.sort_unstable();
        lines.dedup();
        if lines.is_empty() && by.is_empty() {
            lines.push(Vec::new());
        }
        if lines.len() > MOST_LINES {
            return Err(AnswerError::TooManyLines);
        }
        let mut estimates = vec![Vec::new(); lines.len()];
        for output in &question.select {
            let target = output.aggregate.column().map(|name| self.columns.find(name)).transpose()?;
            let needs_number = matches!(output.aggregate, Aggregate::Sum(_) | Aggregate::Average(_));
            if let Some(column) = target.filter(|_| needs_number)
                && !self.columns.column(column)?.is_numeric()
            {
                return Err(AnswerError::NotNumeric { column: self.columns.column(column)?.name.clone() });
            }
            let plan = Plan::new(&self.columns, &question.filter, target, &[])?;
            let shares = self.shares(&joint, &plan)?;
            // With very many lines a program for each would take long; the simpler bounds are sound too.
            let by_program = lines.len() <= MOST_PROGRAMS;
            for (line, own) in lines.iter().zip(&mut estimates) {
                let shares: Vec<Share> = shares
                    .iter()
                    .zip(&of_cell)
                    .map(|(share, of)| if of == line { *share } else { Share::default() })
                    .collect();
                own.push(self.estimate(&joint, &output.aggregate, &shares, by_program)?);
            }
        }
        let text = |(&column, &label): (&usize, &u32)| {
            let labels = self.columns.columns.get(column).map(|own| &own.labels);
            labels
                .and_then(|labels| labels.get(label as usize))
                .map_or_else(String::new, |text| text.to_string())
        };
        let lines = lines
            .iter()
            .zip(estimates)
            .map(|(line, estimates)| Line { group: by.iter().zip(line).map(text).collect(), estimates });
        Ok(Answer {
            group_by: by
                .iter()
                .map(|&column| self.columns.column(column).map(|own| own.name.clone()))
                .collect::<Result<_, _>>()?,
            figures: question.select.iter().map(|output| output.name.clone()).collect(),
            lines: lines.collect(),
            records: self.records,
            suppressed: 0,
            labels_overlap: false,
        })
    }
}

/// Lines that get bounds by linear programs.
const MOST_PROGRAMS: usize = 100;

impl Counts {
    fn estimate(
        &self,
        joint: &Joint,
        aggregate: &Aggregate,
        shares: &[Share],
        by_program: bool,
    ) -> Result<Estimate, AnswerError> {
        let finite = |number: f64| Some(number).filter(|number| number.is_finite());
        // What has no weight counts nothing, even where the other factor is not known.
        let total = |of: fn(&Share) -> f64| -> f64 {
            let all = joint.expected.iter().zip(shares).map(|(&weight, share)| (weight, of(share)));
            crate::exact::sum(
                all.filter(|(weight, share)| *weight != 0.0 && *share != 0.0)
                    .map(|(weight, share)| (weight * share, 1)),
            )
        };
        let (count, sum) = (total(|share| share.count), total(|share| share.sum));
        Ok(match aggregate {
            Aggregate::Count | Aggregate::CountOf(_) => {
                let of = |is: bool| if is { 1.0 } else { 0.0 };
                let least: Vec<f64> = shares.iter().map(|share| of(share.certain)).collect();
                let most: Vec<f64> = shares.iter().map(|share| of(share.possible)).collect();
                let (low, high) = joint.bounds(&least, &most, by_program)?;
                // What a linear program is off by grows with its numbers; counts are whole.
                let slack = 1e-6 + 1e-9 * self.records as f64;
                Estimate {
                    expected: finite(count),
                    at_least: low.map(|low| (low - slack).ceil().max(0.0)),
                    at_most: high.map(|high| (high + slack).floor()),
                    share: finite(count / self.records as f64),
                    ..Estimate::default()
                }
            }
            Aggregate::Sum(_) => {
                let low = |share: &Share| match (share.possible, share.certain) {
                    (false, _) => 0.0,
                    (true, true) => share.least,
                    (true, false) => share.least.min(0.0),
                };
                let high = |share: &Share| match (share.possible, share.certain) {
                    (false, _) => 0.0,
                    (true, true) => share.most,
                    (true, false) => share.most.max(0.0),
                };
                let least: Vec<f64> = shares.iter().map(low).collect();
                let most: Vec<f64> = shares.iter().map(high).collect();
                let (low, high) = joint.bounds(&least, &most, by_program)?;
                Estimate { expected: finite(sum), at_least: low, at_most: high, ..Estimate::default() }
            }
            Aggregate::Average(_) => {
                let possible = || {
                    let some = |cell: usize| !matches!(joint.known.get(cell), Some(Known::Count(0)));
                    shares.iter().enumerate().filter(move |(cell, share)| share.possible && some(*cell))
                };
                let low = possible().map(|(_, share)| share.least).fold(f64::INFINITY, f64::min);
                let high = possible().map(|(_, share)| share.most).fold(f64::NEG_INFINITY, f64::max);
                Estimate {
                    expected: finite(sum / count),
                    at_least: finite(low),
                    at_most: finite(high),
                    ..Estimate::default()
                }
            }
        })
    }
}

/// The joint cells of a table with totals: its inner cells, of which some are hidden.
fn of_totals(table: &CountedTable, records: u64) -> Result<Joint, AnswerError> {
    let width = table.columns.len();
    let mut joint = Joint { columns: table.columns.clone(), ..Joint::default() };
    for (labels, count) in &table.cells {
        if let Some(inner) = labels.iter().copied().collect::<Option<Vec<u32>>>() {
            joint.labels.extend(inner);
            joint.known.push(count.map_or(Known::Hidden, Known::Count));
        }
    }
    let cells = joint.known.len();
    // What a published total is the total of, less what is known of it.
    let mut sums = vec![((0..cells).collect::<Vec<usize>>(), records)];
    let by_label: Vec<HashMap<u32, Vec<usize>>> = (0..width)
        .map(|column| {
            let mut own: HashMap<u32, Vec<usize>> = HashMap::new();
            for cell in 0..cells {
                own.entry(joint.labels[cell * width + column]).or_default().push(cell); // why: one label for each column
            }
            own
        })
        .collect();
    for (labels, count) in table.cells.iter().filter(|(labels, _)| labels.contains(&None)) {
        let Some(count) = count else { continue };
        // The shortest list of cells with one of the labels, and of those the ones with all.
        let some = labels
            .iter()
            .zip(&by_label)
            .filter_map(|(label, own)| own.get(&(*label)?))
            .min_by_key(|own| own.len());
        let Some(some) = some else { continue };
        let fits = |&&cell: &&usize| {
            let own = &joint.labels[cell * width..(cell + 1) * width]; // why: one label for each column
            labels.iter().zip(own).all(|(label, own)| label.is_none_or(|label| label == *own))
        };
        sums.push((some.iter().filter(fits).copied().collect(), *count));
    }
    joint.sums = sums;
    joint.fit_hidden()?;
    Ok(joint)
}

/// A view while columns are summed out.
struct Margin {
    columns: Vec<usize>,
    cells: HashMap<Vec<u32>, u64>,
}

impl Margin {
    fn without(&self, place: usize) -> Self {
        let mut columns = self.columns.clone();
        columns.remove(place);
        let mut cells: HashMap<Vec<u32>, u64> = HashMap::new();
        for (labels, count) in &self.cells {
            let mut labels = labels.clone();
            labels.remove(place);
            *cells.entry(labels).or_default() += count;
        }
        Self { columns, cells }
    }
}

/// The joint cells of views that no view excludes.
fn of_views(
    views: &[&CountedTable],
    asked: &[usize],
    records: u64,
    labels_of: &dyn Fn(usize) -> usize,
) -> Result<Joint, AnswerError> {
    let mut margins: Vec<Margin> = Vec::new();
    for view in views {
        let mut cells: HashMap<Vec<u32>, u64> = HashMap::new();
        for (labels, count) in &view.cells {
            if let (Some(labels), Some(count)) = (labels.iter().copied().collect::<Option<Vec<u32>>>(), count)
            {
                *cells.entry(labels).or_default() += count;
            }
        }
        if cells.values().sum::<u64>() != records {
            return Err(AnswerError::Inconsistent);
        }
        margins.push(Margin { columns: view.columns.clone(), cells });
    }
    while let Some((view, place)) = unneeded(&margins, asked) {
        margins[view] = margins[view].without(place); // why: found in it
    }
    while let Some(view) = contained(&margins) {
        margins.remove(view);
        while let Some((view, place)) = unneeded(&margins, asked) {
            margins[view] = margins[view].without(place); // why: found in it
        }
    }
    let mut columns: Vec<usize> = margins.iter().flat_map(|own| own.columns.iter().copied()).collect();
    columns.sort_unstable();
    columns.dedup();
    if asked.iter().any(|column| !columns.contains(column)) {
        return Err(AnswerError::NoTable);
    }
    let domains: Vec<usize> = columns.iter().map(|&column| labels_of(column)).collect();
    let place_of = |column: usize| columns.iter().position(|&own| own == column).unwrap_or(0);
    let marginals: Vec<Marginal> = margins
        .iter()
        .map(|own| {
            let places: Vec<usize> = own.columns.iter().map(|&column| place_of(column)).collect();
            let sizes: Vec<usize> = places.iter().map(|&place| domains[place]).collect(); // why: places of domains
            let cells = sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
            let mut counts = vec![0.0; cells.filter(|&cells| cells <= crate::ipf::MOST_CELLS).unwrap_or(0)];
            for (labels, &count) in &own.cells {
                let at = labels.iter().zip(&sizes).fold(0usize, |at, (&label, &size)| {
                    at.saturating_mul(size).saturating_add(label as usize)
                });
                if let Some(slot) = counts.get_mut(at) {
                    *slot += count as f64;
                }
            }
            Marginal { columns: places, counts }
        })
        .collect();
    let fitted = fit(&domains, &marginals, FitOptions::default()).map_err(|error| match error {
        FitError::TooLarge | FitError::Cells { .. } => AnswerError::JointTooLarge,
        _ => AnswerError::Inconsistent,
    })?;
    if !fitted.converged && fitted.distance > 0.5 {
        return Err(AnswerError::Inconsistent);
    }
    // Cells that no view excludes, in the order of the fitted table.
    let mut joint = Joint { columns: columns.clone(), ..Joint::default() };
    let mut number_of: Vec<HashMap<Vec<u32>, usize>> = vec![HashMap::new(); margins.len()];
    let mut members: Vec<Vec<(Vec<usize>, u64)>> = vec![Vec::new(); margins.len()];
    let mut labels = vec![0u32; domains.len()];
    for &expected in &fitted.joint {
        let keys: Vec<Vec<u32>> = margins
            .iter()
            .map(|own| own.columns.iter().map(|&column| labels[place_of(column)]).collect()) // why: places of labels
            .collect();
        if margins.iter().zip(&keys).all(|(own, key)| own.cells.get(key).is_some_and(|&count| count > 0)) {
            let cell = joint.known.len();
            joint.labels.extend(&labels);
            joint.known.push(Known::Hidden);
            joint.expected.push(expected);
            for ((own, key), (numbers, members)) in
                margins.iter().zip(keys).zip(number_of.iter_mut().zip(&mut members))
            {
                let count = own.cells.get(&key).copied().unwrap_or(0);
                let next = numbers.len();
                let number = *numbers.entry(key).or_insert(next);
                if number == next {
                    members.push((Vec::new(), count));
                }
                if let Some(member) = members.get_mut(number) {
                    member.0.push(cell);
                }
            }
        }
        for (label, &size) in labels.iter_mut().zip(&domains).rev() {
            *label += 1;
            if (*label as usize) < size {
                break;
            }
            *label = 0;
        }
    }
    for own in members {
        let begin = joint.sums.len();
        joint.sums.extend(own);
        joint.partitions.push(begin..joint.sums.len());
    }
    if let [a, b] = &margins[..] {
        let shared = a.columns.iter().filter(|column| b.columns.contains(column));
        joint.shared = shared.map(|&column| place_of(column)).collect();
    }
    Ok(joint)
}

/// A column that nobody asked about and that one view alone holds.
fn unneeded(margins: &[Margin], asked: &[usize]) -> Option<(usize, usize)> {
    margins.iter().enumerate().find_map(|(view, own)| {
        let is_free = |column: &usize| {
            !asked.contains(column)
                && margins.iter().filter(|other| other.columns.contains(column)).count() == 1
        };
        Some((view, own.columns.iter().position(is_free)?))
    })
}

/// A view whose columns all stand in another one.
fn contained(margins: &[Margin]) -> Option<usize> {
    (0..margins.len()).find(|&view| {
        let own = &margins[view].columns; // why: in range
        margins.iter().enumerate().any(|(other, theirs)| {
            let within = own.iter().all(|column| theirs.columns.contains(column));
            other != view && within && (own.len() < theirs.columns.len() || other < view)
        })
    })
}
