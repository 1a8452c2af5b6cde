//! A table of counts with all its totals and hidden cells (survey ME-02).
//!
//! What can be shown from the published cells alone: that all combinations and totals are there, that what is published
//! adds up, that no small count is published, and, for every hidden cell, between which numbers it must lie. Which of the
//! hidden cells are small is not published, so a promise about a small count a becomes: every hidden cell can have several
//! values; none is certainly small unless it is protected as promised; and some hidden cell can be small and is then
//! protected as promised (without one there would be nothing to hide).
//!
//! Intervals are exact for tables of one or two columns. With three or more they are those of linear programs, which
//! leave open what an outsider who tries all whole numbers could exclude; very large tables are looked at sum by sum.

use std::collections::HashMap;

use privet_data::Progress;

use super::labels;
use super::linear::Equations;
use super::network::Network;
use crate::counts::{CountsTable, HiddenCells, TOTAL};
use crate::verify::VerifyError;
use crate::verify::outcome::Check;
use crate::verify::table::Table;

/// More hidden cells than this are looked at sum by sum only: in tables of one or two columns, and of more.
const MOST_ARCS: usize = 1 << 13;
const MOST_UNKNOWNS: usize = 1 << 9;
/// How often intervals are narrowed sum by sum.
const ROUNDS: usize = 64;

/// Checks a table with totals.
pub(super) fn check(
    claim: &CountsTable,
    table: &Table,
    records: u64,
    progress: &dyn Progress,
) -> Result<Vec<Check>, VerifyError> {
    let name = |what: &str| format!("{what} {}", claim.file);
    let Some(suppression) = &claim.suppression else { return Ok(Vec::new()) };
    let cube = match Cube::new(claim, table) {
        Ok(cube) => cube,
        Err(problem) => return Ok(vec![Check::failed(name("counts"), problem)]),
    };
    let hidden: Vec<usize> = (0..cube.counts.len()).filter(|&cell| cube.counts[cell].is_none()).collect();
    let mut problems = labels(claim, cube.sizes.iter().map(|&size| size as u64));
    if cube.counts.len() as u64 != claim.cells || hidden.len() as u64 != suppression.hidden {
        problems.push(format!(
            "{} cells of which {} are hidden, the manifest says {} and {}",
            cube.counts.len(),
            hidden.len(),
            claim.cells,
            suppression.hidden
        ));
    }
    if cube.counts.last() != Some(&Some(records)) {
        problems.push("the grand total is not the number of records that the manifest says".to_owned());
    }
    let well = format!("{} cells, {} of them hidden", cube.counts.len(), hidden.len());
    let mut checks = vec![Check::of(&name("counts"), well, &problems), cube.sums(&name("totals"))];
    let small = |count: &Option<u64>| count.is_some_and(|count| (1..suppression.threshold).contains(&count));
    let shown = cube.counts.iter().filter(|count| small(count)).count();
    checks.push(match shown {
        0 => {
            let well = format!("no count from 1 to {} is published", suppression.threshold - 1);
            Check::passed(name("small counts"), well)
        }
        _ => {
            let line = cube
                .lines
                .iter()
                .zip(&cube.counts)
                .find(|(_, count)| small(count))
                .map_or(0, |(line, _)| line + 2);
            let detail = format!(
                "broken: {shown} counts below {} are published, the first in line {line}",
                suppression.threshold
            );
            Check::failed(name("small counts"), detail)
        }
    });
    if checks.iter().all(|check| check.ok) {
        checks.push(cube.protection(&name("hidden cells"), suppression, &hidden, records, progress)?);
    }
    Ok(checks)
}

/// All cells, the total being the last coordinate of each column, the last column changing fastest.
pub(super) struct Cube {
    pub sizes: Vec<usize>,
    pub counts: Vec<Option<u64>>,
    /// Per cell its line in the file.
    lines: Vec<usize>,
}

impl Cube {
    pub fn new(claim: &CountsTable, table: &Table) -> Result<Self, String> {
        let width = claim.columns.len();
        let mut places: Vec<Vec<usize>> = Vec::new();
        let mut sizes = Vec::new();
        for column in &table.columns[..width] {
            let totals = column.texts.iter().filter(|text| *text == TOTAL).count();
            if totals != 1 {
                return Err("a column has no total".to_owned());
            }
            let size = column.texts.len() - 1;
            let mut next = 0;
            let place = column.texts.iter().map(|text| match text == TOTAL {
                true => size,
                false => {
                    next += 1;
                    next - 1
                }
            });
            places.push(place.collect());
            sizes.push(size);
        }
        let cells = sizes.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size + 1));
        if cells != Some(table.rows) {
            return Err("not every combination of labels and totals stands in it once".to_owned());
        }
        let Some(counted) = table.columns.last() else { return Err("it has no counts".to_owned()) };
        let mut numbers = Vec::new();
        for text in &counted.texts {
            numbers.push(match text.as_str() {
                "" => None,
                text => {
                    Some(text.parse::<u64>().map_err(|_| "a count is neither a whole number nor hidden")?)
                }
            });
        }
        let mut counts: Vec<Option<Option<u64>>> = vec![None; table.rows];
        let mut lines = vec![0; table.rows];
        for line in 0..table.rows {
            let coordinates = table.columns[..width].iter().zip(&places).zip(&sizes);
            let cell = coordinates.fold(0, |cell, ((column, place), size)| {
                cell * (size + 1) + place[column.codes[line] as usize]
            });
            if counts[cell].replace(numbers[counted.codes[line] as usize]).is_some() {
                return Err("a combination stands in it twice".to_owned());
            }
            lines[cell] = line;
        }
        Ok(Self { sizes, counts: counts.into_iter().flatten().collect(), lines })
    }

    pub fn coordinates(&self, mut cell: usize) -> Vec<usize> {
        let mut found: Vec<usize> = self
            .sizes
            .iter()
            .rev()
            .map(|size| {
                let at = cell % (size + 1);
                cell /= size + 1;
                at
            })
            .collect();
        found.reverse();
        found
    }

    fn cell(&self, coordinates: &[usize]) -> usize {
        coordinates.iter().zip(&self.sizes).fold(0, |cell, (at, size)| cell * (size + 1) + at)
    }

    /// The parts of a cell along a column in which it is a total.
    fn parts(&self, coordinates: &[usize], column: usize) -> Vec<usize> {
        let mut at = coordinates.to_vec();
        let part = |value| {
            at[column] = value;
            self.cell(&at)
        };
        (0..self.sizes[column]).map(part).collect()
    }

    /// All sums: a total and its parts, along every column.
    fn all_sums(&self) -> impl Iterator<Item = (usize, Vec<usize>)> + '_ {
        (0..self.counts.len()).flat_map(move |cell| {
            let coordinates = self.coordinates(cell);
            let totals: Vec<usize> =
                (0..self.sizes.len()).filter(|&c| coordinates[c] == self.sizes[c]).collect();
            totals.into_iter().map(move |column| (cell, self.parts(&coordinates, column)))
        })
    }

    /// Whether published totals are the sums of their parts, where these are published, and no less than those that are.
    pub fn sums(&self, name: &str) -> Check {
        let mut wrong = 0u64;
        let mut complete = 0u64;
        for (total, parts) in self.all_sums() {
            let Some(total) = self.counts[total] else { continue };
            let known: u128 = parts.iter().filter_map(|&part| self.counts[part]).map(u128::from).sum();
            let is_complete = parts.iter().all(|&part| self.counts[part].is_some());
            complete += u64::from(is_complete);
            wrong += u64::from(known > u128::from(total) || (is_complete && known < u128::from(total)));
        }
        match wrong {
            0 => Check::passed(name, format!("all {complete} sums of published counts add up")),
            _ => {
                Check::failed(name, format!("{wrong} totals do not fit the counts that they are the sums of"))
            }
        }
    }

    /// Whether hidden cells are protected as promised.
    fn protection(
        &self,
        name: &str,
        claim: &HiddenCells,
        hidden: &[usize],
        records: u64,
        progress: &dyn Progress,
    ) -> Result<Check, VerifyError> {
        if hidden.is_empty() {
            return Ok(Check::passed(name, "no cell is hidden"));
        }
        progress.stage("computing what outsiders can compute", Some(hidden.len() as u64));
        let (intervals, exact) = match self.intervals(hidden, records, progress)? {
            Ok(found) => found,
            Err(why) => return Ok(Check::failed(name, why)),
        };
        let HiddenCells { threshold, lower, upper, .. } = *claim;
        // Whether a cell in this interval can be a small count that is protected as promised.
        let is_protected = |&(low, high): &(u64, u64)| match low {
            0 => high > upper,
            _ => {
                let count = low.saturating_add(lower);
                count < threshold && high >= count.saturating_add(upper)
            }
        };
        let line = |i: usize| self.lines[hidden[i]] + 2;
        let mut problems = Vec::new();
        if let Some(i) = intervals.iter().position(|(low, high)| low >= high) {
            problems
                .push(format!("broken: the hidden count in line {} follows from those published", line(i)));
        }
        let is_told = |range: &(u64, u64)| range.0 > 0 && range.1 < threshold && !is_protected(range);
        if let Some(i) = intervals.iter().position(is_told) {
            let width = intervals[i].1 - intervals[i].0;
            problems.push(format!(
                "broken: the hidden count in line {} is certainly below {threshold}, and known up to {width}",
                line(i)
            ));
        }
        if !intervals.iter().any(is_protected) {
            problems.push(format!(
                "broken: no hidden count can be a small one that is protected by {lower} downwards and {upper} upwards"
            ));
        }
        let narrowest = intervals.iter().map(|(low, high)| high.saturating_sub(*low)).min().unwrap_or(0);
        let well = match exact {
            true => format!(
                "{} hidden counts, each known up to {narrowest} at best; none is certainly small and less protected than \
                 promised",
                hidden.len()
            ),
            false => format!(
                "is not contradicted; what an outsider can compute was bounded, not computed exactly, for {} hidden \
                 counts: each known up to {narrowest} at best",
                hidden.len()
            ),
        };
        let reached = Some(narrowest as f64);
        Ok(Check { reached, bounded: !exact, ..Check::of(name, well, &problems) })
    }

    /// Per hidden cell between which numbers it lies, and whether that is all that can be computed from sums.
    #[allow(clippy::type_complexity)] // A result within a result: what was found, or a sentence, or a stop.
    fn intervals(
        &self,
        hidden: &[usize],
        records: u64,
        progress: &dyn Progress,
    ) -> Result<Result<(Vec<(u64, u64)>, bool), &'static str>, VerifyError> {
        const CONTRADICTION: &str = "the published counts contradict each other";
        if self.sizes.len() <= 2 && hidden.len() <= MOST_ARCS {
            let (mut network, arcs) = self.network(records);
            if !network.fill() {
                return Ok(Err(CONTRADICTION));
            }
            let mut found = Vec::with_capacity(hidden.len());
            for cell in hidden {
                progress.check()?;
                found.push(network.range(arcs[cell]));
                progress.at(found.len() as u64);
            }
            return Ok(Ok((found, true)));
        }
        let Some(outer) = self.narrowed(hidden, records, progress)? else { return Ok(Err(CONTRADICTION)) };
        if hidden.len() > MOST_UNKNOWNS {
            return Ok(Ok((outer, false)));
        }
        let equations = self.equations(hidden);
        let mut found = Vec::with_capacity(hidden.len());
        for i in 0..hidden.len() {
            progress.check()?;
            match equations.range(&[i]) {
                Ok(range) => found.push(range),
                Err(why) => return Ok(Err(why)),
            }
            progress.at(found.len() as u64);
        }
        Ok(Ok((found, true)))
    }

    /// The network of a table of one or two columns, and per hidden cell its arc.
    fn network(&self, records: u64) -> (Network, HashMap<usize, usize>) {
        // A table of one column is one of two whose second column has no value but the total.
        let rows = self.sizes[0];
        let columns = self.sizes.get(1).copied().unwrap_or(0);
        let (all, end) = (rows + columns, rows + columns + 1);
        let mut network = Network::new(rows + columns + 2, records);
        let mut arcs = HashMap::new();
        for (cell, count) in self.counts.iter().enumerate() {
            let at = self.coordinates(cell);
            let (row, column) = (at[0], at.get(1).copied().unwrap_or(0));
            let (from, to) = match (row < rows, self.sizes.len() == 2 && column < columns) {
                (true, true) => (row, rows + column),
                (true, false) if self.sizes.len() == 2 => (all, row),
                (true, false) => (all, end),
                (false, true) => (rows + column, end),
                (false, false) => (end, all),
            };
            match *count {
                Some(count) => network.known(from, to, count),
                None => {
                    arcs.insert(cell, network.unknown(from, to));
                }
            }
        }
        (network, arcs)
    }

    /// The equations between hidden cells: one per total, along the first column of which it is one.
    fn equations(&self, hidden: &[usize]) -> Equations {
        let number_of: HashMap<usize, usize> =
            hidden.iter().enumerate().map(|(i, &cell)| (cell, i)).collect();
        let mut equations = Equations::new(hidden.len());
        for cell in 0..self.counts.len() {
            let coordinates = self.coordinates(cell);
            let Some(column) = (0..self.sizes.len()).find(|&c| coordinates[c] == self.sizes[c]) else {
                continue;
            };
            let mut terms = Vec::new();
            let mut known = 0i128;
            let parts = self.parts(&coordinates, column);
            for (cell, sign) in parts.into_iter().map(|part| (part, 1i8)).chain([(cell, -1)]) {
                match self.counts[cell] {
                    Some(count) => known += i128::from(sign) * i128::from(count),
                    None => terms.push((number_of[&cell], f64::from(sign))),
                }
            }
            if !terms.is_empty() {
                equations.add(terms, -known as f64);
            }
        }
        equations
    }

    /// Intervals narrowed sum by sum until nothing changes, or long enough; `None` when a sum cannot hold.
    #[allow(clippy::type_complexity)]
    fn narrowed(
        &self,
        hidden: &[usize],
        records: u64,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<(u64, u64)>>, VerifyError> {
        let mut ranges: Vec<(u64, u64)> =
            self.counts.iter().map(|count| count.map_or((0, records), |count| (count, count))).collect();
        let sums: Vec<(usize, Vec<usize>)> = self.all_sums().collect();
        for _ in 0..ROUNDS {
            progress.check()?;
            let mut changed = false;
            for (total, parts) in &sums {
                let low: u128 = parts.iter().map(|&part| u128::from(ranges[part].0)).sum();
                let high: u128 = parts.iter().map(|&part| u128::from(ranges[part].1)).sum();
                let (from, to) = ranges[*total];
                let whole = (
                    from.max(low.min(u128::from(u64::MAX)) as u64),
                    to.min(high.min(u128::from(u64::MAX)) as u64),
                );
                if whole.0 > whole.1 {
                    return Ok(None);
                }
                changed |= whole != ranges[*total];
                ranges[*total] = whole;
                for &part in parts {
                    let (from, to) = ranges[part];
                    // What the other parts leave at least, and at most.
                    let least = u128::from(whole.0).saturating_sub(high - u128::from(to));
                    let most = u128::from(whole.1).checked_sub(low - u128::from(from));
                    let Some(most) = most else { return Ok(None) };
                    let own = (
                        from.max(least.min(u128::from(u64::MAX)) as u64),
                        to.min(most.min(u128::from(u64::MAX)) as u64),
                    );
                    if own.0 > own.1 {
                        return Ok(None);
                    }
                    changed |= own != (from, to);
                    // The sums of this round stay those of its begin, which is sound: they are wider.
                    ranges[part] = own;
                }
            }
            if !changed {
                break;
            }
        }
        Ok(Some(hidden.iter().map(|&cell| ranges[cell]).collect()))
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use proptest::prelude::*;

    use super::*;

    /// A table with its totals; every cell but the grand total may be hidden.
    fn cube(sizes: &[usize], inner: &[u64], hidden: &[bool]) -> Cube {
        let cells = sizes.iter().map(|size| size + 1).product();
        let mut cube = Cube { sizes: sizes.to_vec(), counts: vec![Some(0); cells], lines: vec![0; cells] };
        let mut given = inner.iter().cycle();
        let mut counts = vec![0; cells];
        for at in 0..cells {
            let coordinates = cube.coordinates(at);
            if coordinates.iter().zip(sizes).all(|(at, size)| at < size) {
                let count = given.next().unwrap();
                for (total, sum) in counts.iter_mut().enumerate() {
                    let covers = cube
                        .coordinates(total)
                        .iter()
                        .zip(&coordinates)
                        .zip(sizes)
                        .all(|((total, at), size)| total == size || total == at);
                    *sum += if covers { *count } else { 0 };
                }
            }
        }
        for (at, count) in counts.into_iter().enumerate() {
            cube.counts[at] = (!hidden[at % hidden.len()] || at + 1 == cells).then_some(count);
        }
        cube
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Flows, linear programs and narrowing agree as they should, and hold the truth.
        #[test]
        fn intervals_in_three_ways(
            inner in prop::collection::vec(0u64..9, 9),
            hidden in prop::collection::vec(any::<bool>(), 16),
            rows in 1usize..4,
            columns in 1usize..4,
        ) {
            let all = vec![false; 16];
            let truth = cube(&[rows, columns], &inner, &all);
            let cube = cube(&[rows, columns], &inner, &hidden);
            let records = cube.counts.last().unwrap().unwrap();
            let unknown: Vec<usize> = (0..cube.counts.len()).filter(|&cell| cube.counts[cell].is_none()).collect();
            let (flows, exact) = cube.intervals(&unknown, records, &Silent).unwrap().unwrap();
            prop_assert!(exact);
            let equations = cube.equations(&unknown);
            let outer = cube.narrowed(&unknown, records, &Silent).unwrap().unwrap();
            for (i, &(low, high)) in flows.iter().enumerate() {
                prop_assert_eq!((low, high), equations.range(&[i]).unwrap());
                prop_assert!(outer[i].0 <= low && high <= outer[i].1);
                let count = truth.counts[unknown[i]].unwrap();
                prop_assert!(low <= count && count <= high);
            }
        }
    }

    #[test]
    fn one_column_and_three() {
        let line = cube(&[3], &[4, 5, 6], &[true, true, false, false]);
        assert_eq!(line.intervals(&[0, 1], 15, &Silent).unwrap().unwrap().0, [(0, 9), (0, 9)]);
        let mut hidden = vec![false; 27];
        [0, 1, 3, 4, 9, 10, 12, 13].into_iter().for_each(|cell| hidden[cell] = true);
        let block = cube(&[2, 2, 2], &[3, 5, 5, 5, 5, 5, 5, 4], &hidden);
        let unknown: Vec<usize> = (0..27).filter(|&cell| block.counts[cell].is_none()).collect();
        let (found, exact) = block.intervals(&unknown, 37, &Silent).unwrap().unwrap();
        // One number is free: 3 + t, 5 - t, 5 - t, 5 + t, …, 4 - t for -3 <= t <= 4.
        assert!(exact);
        assert_eq!((found[0], found[1], found[7]), ((0, 7), (1, 8), (0, 7)));
        let mut wrong = block;
        wrong.counts[2] = Some(99);
        assert!(wrong.intervals(&unknown, 37, &Silent).unwrap().is_err());
    }
}
