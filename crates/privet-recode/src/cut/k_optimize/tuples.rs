//! The table reduced to the distinct tuples of its quasi-identifier.

use super::alphabet::Alphabet;
use super::boundaries::Boundaries;
use super::grouping::Grouping;
use crate::lattice::{Codes, Problem};

/// The distinct tuples of the records, and of the people of the population table when there is one.
pub(super) struct Tuples {
    /// Per column, per tuple its value.
    pub values: Vec<Vec<u32>>,
    /// Per tuple its records.
    pub rows: Vec<u64>,
    /// Per tuple its people.
    pub people: Vec<u64>,
    starts: Vec<usize>,
    entries: Vec<Entry>,
}

/// So many records of a tuple have this code in the column that a histogram counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub histogram: u32,
    pub code: u32,
    pub count: u32,
}

impl Tuples {
    /// Reduces the table. `columns` are the columns that are counted, each with the number of its histogram.
    pub fn reduce(problem: &Problem<'_>, alphabet: &Alphabet, columns: &[(usize, Codes<'_>)]) -> Self {
        let people = problem.quasi.first().and_then(|quasi| quasi.population).map_or(0, <[u32]>::len);
        let everybody = problem.rows + people;
        let values: Vec<Vec<u32>> = problem
            .quasi
            .iter()
            .zip(&alphabet.columns)
            .map(|(quasi, column)| {
                let codes = quasi.codes.iter().chain(quasi.population.unwrap_or_default());
                codes.map(|&code| column.value_of_code[code as usize]).collect()
            })
            .collect();
        let grouping = Grouping::new(&values, &alphabet.runs(&Boundaries::all(alphabet.len())), everybody);
        let mut rows = vec![0; grouping.len()];
        let mut people = vec![0; grouping.len()];
        for (item, &tuple) in grouping.group_of.iter().enumerate() {
            if item < problem.rows {
                rows[tuple as usize] += 1;
            } else {
                people[tuple as usize] += 1;
            }
        }
        let values = values
            .iter()
            .map(|column| grouping.first.iter().map(|&item| column[item as usize]).collect())
            .collect();

        let mut marks: Vec<(u32, u32, u32)> = Vec::with_capacity(columns.len() * problem.rows);
        for &(histogram, codes) in columns {
            let pairs = grouping.group_of.iter().zip(codes.codes);
            marks.extend(pairs.map(|(&tuple, &code)| (tuple, histogram as u32, code)));
        }
        marks.sort_unstable();
        let mut starts = vec![0usize; grouping.len() + 1];
        let mut entries = Vec::new();
        for same in marks.chunk_by(|a, b| a == b) {
            let (tuple, histogram, code) = same[0];
            entries.push(Entry { histogram, code, count: same.len() as u32 });
            starts[tuple as usize + 1] = entries.len();
        }
        for tuple in 0..grouping.len() {
            starts[tuple + 1] = starts[tuple + 1].max(starts[tuple]);
        }
        Self { values, rows, people, starts, entries }
    }

    /// The number of tuples.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// What is counted of a tuple.
    pub fn entries(&self, tuple: u32) -> &[Entry] {
        let tuple = tuple as usize;
        &self.entries[self.starts[tuple]..self.starts[tuple + 1]]
    }
}
