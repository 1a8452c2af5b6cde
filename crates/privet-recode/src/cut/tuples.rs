//! A table reduced to its distinct tuples, for searches over cuts: after this, no record is looked at again.

use foldhash::{HashMap, HashMapExt};
use privet_criteria::{Class, Criterion, Histogram};
use rayon::prelude::*;

use super::taxonomy::Taxonomy;
use crate::lattice::Problem;

/// The distinct tuples of the quasi-identifier, of records and of people of the population table.
#[derive(Debug)]
pub struct Tuples {
    /// Per column and tuple the leaf of the column's taxonomy.
    pub leaves: Vec<Vec<u32>>,
    /// Per tuple its records.
    pub rows: Vec<u32>,
    /// Per tuple the people of the population table.
    pub people: Vec<u32>,
    // The sensitive combinations of tuple t and how often each occurs: positions starts[t]..starts[t + 1].
    starts: Vec<u32>,
    combinations: Vec<(u32, u32)>,
}

impl Tuples {
    /// Reduces a table. Also gives what judges its classes.
    pub fn new<'a>(problem: &Problem<'a>, taxonomies: &[Taxonomy]) -> (Self, Judge<'a>) {
        let rows = problem.rows;
        let people = problem.quasi.first().and_then(|quasi| quasi.population).map_or(0, <[u32]>::len);
        let columns = problem.quasi.iter().zip(taxonomies).map(|(quasi, taxonomy)| {
            let codes = quasi.codes.iter().chain(quasi.population.unwrap_or_default());
            (taxonomy.leaves().len(), codes.map(|&code| taxonomy.leaf_of_code(code)).collect())
        });
        let (tuple_of, first) = number(rows + people, columns);
        let mut tuples = Self {
            leaves: Vec::new(),
            rows: vec![0; first.len()],
            people: vec![0; first.len()],
            starts: Vec::new(),
            combinations: Vec::new(),
        };
        tuple_of[..rows].iter().for_each(|&tuple| tuples.rows[tuple as usize] += 1);
        tuple_of[rows..].iter().for_each(|&tuple| tuples.people[tuple as usize] += 1);
        for (quasi, taxonomy) in problem.quasi.iter().zip(taxonomies) {
            let code = |at: usize| match at.checked_sub(rows) {
                None => quasi.codes[at],
                Some(person) => quasi.population.unwrap_or_default()[person],
            };
            tuples.leaves.push(first.iter().map(|&at| taxonomy.leaf_of_code(code(at as usize))).collect());
        }
        let judge = tuples.note_sensitive(problem, &tuple_of[..rows]);
        (tuples, judge)
    }

    fn note_sensitive<'a>(&mut self, problem: &Problem<'a>, tuple_of: &[u32]) -> Judge<'a> {
        let criteria = problem.criteria.iter().map(|criterion| &**criterion);
        let (counting, looking): (Vec<&dyn Criterion>, Vec<&dyn Criterion>) =
            criteria.partition(|criterion| criterion.histograms().is_empty());
        let mut used = vec![false; problem.sensitive.len()];
        for histogram in looking.iter().flat_map(|criterion| criterion.histograms()) {
            used[histogram] = true;
        }
        let sizes = problem.sensitive.iter().map(|codes| codes.values).collect();
        if looking.is_empty() {
            return Judge { counting, looking, code_of: vec![None; used.len()], sizes };
        }
        let looked_at = problem.sensitive.iter().zip(&used).filter(|(_, used)| **used);
        let looked_at = looked_at.map(|(codes, _)| (codes.values, codes.codes.to_vec()));
        let (combination_of, first) = number(problem.rows, looked_at);
        let code_of = |(codes, used): (&crate::lattice::Codes<'_>, &bool)| {
            used.then(|| first.iter().map(|&record| codes.codes[record as usize]).collect())
        };
        let code_of = problem.sensitive.iter().zip(&used).map(code_of).collect();

        let pair = |(&tuple, &combination): (&u32, &u32)| u64::from(tuple) << 32 | u64::from(combination);
        let mut pairs: Vec<u64> = tuple_of.iter().zip(&combination_of).map(pair).collect();
        pairs.par_sort_unstable();
        for run in pairs.chunk_by(|a, b| a == b) {
            let tuple = (run[0] >> 32) as usize;
            self.starts.resize(tuple + 1, self.combinations.len() as u32);
            self.combinations.push((run[0] as u32, run.len() as u32));
        }
        self.starts.resize(self.rows.len() + 1, self.combinations.len() as u32);
        Judge { counting, looking, code_of, sizes }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    fn combinations(&self, tuple: u32) -> &[(u32, u32)] {
        &self.combinations[self.starts[tuple as usize] as usize..self.starts[tuple as usize + 1] as usize]
    }
}

/// Numbers the combinations of columns that occur, in the order in which they first appear: per row its number,
/// and per number its first row. A column is the number of its codes, and a code per row.
fn number(rows: usize, columns: impl Iterator<Item = (usize, Vec<u32>)>) -> (Vec<u32>, Vec<u32>) {
    let mut keys = vec![0u64; rows];
    let mut span = 1u64;
    for (size, codes) in columns {
        let size = (size as u64).clamp(1, 1 << 32);
        span = span.checked_mul(size).unwrap_or_else(|| {
            // Fewer than 2^32 rows have fewer than 2^32 numbers, so the product fits.
            compress(&mut keys).len() as u64 * size
        });
        for (key, code) in keys.iter_mut().zip(codes) {
            *key = *key * size + u64::from(code);
        }
    }
    let first = compress(&mut keys);
    (keys.into_iter().map(|number| number as u32).collect(), first)
}

/// Replaces keys by numbers, and gives the first row of each number.
fn compress(keys: &mut [u64]) -> Vec<u32> {
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    let mut first = Vec::new();
    for (row, key) in keys.iter_mut().enumerate() {
        let number = *numbers.entry(*key).or_insert_with(|| {
            first.push(row as u32);
            first.len() as u32 - 1
        });
        *key = u64::from(number);
    }
    first
}

/// Judges classes of tuples.
pub struct Judge<'a> {
    counting: Vec<&'a dyn Criterion>,
    looking: Vec<&'a dyn Criterion>,
    // Per histogram, and per sensitive combination, the code that it counts; `None` when nobody looks at it.
    code_of: Vec<Option<Vec<u32>>>,
    sizes: Vec<usize>,
}

/// Histograms of one class.
#[derive(Debug, Default)]
pub struct Scratch {
    counts: Vec<Vec<u32>>,
    present: Vec<Vec<u32>>,
}

impl<'a> Judge<'a> {
    /// Whether it looks at the tuples of a class, not only at how many records and people it has.
    pub fn looks(&self) -> bool {
        !self.looking.is_empty()
    }

    /// The same with one criterion only.
    pub fn alone(&self, criterion: &'a dyn Criterion) -> Self {
        let looks = !criterion.histograms().is_empty();
        Self {
            counting: if looks { Vec::new() } else { vec![criterion] },
            looking: if looks { vec![criterion] } else { Vec::new() },
            code_of: self.code_of.clone(),
            sizes: self.sizes.clone(),
        }
    }

    /// Whether all criteria hold for a class with these tuples, records and people. Of people without records
    /// only the criteria that judge absence speak.
    pub fn holds(
        &self,
        scratch: &mut Scratch,
        tuples: &Tuples,
        members: impl Iterator<Item = u32>,
        rows: u64,
        people: u64,
    ) -> bool {
        let holds = |criteria: &[&dyn Criterion], class: &Class<'_>| {
            criteria
                .iter()
                .filter(|criterion| class.rows > 0 || criterion.judges_absence())
                .all(|criterion| criterion.holds(class))
        };
        if !holds(&self.counting, &Class { rows, population: people, histograms: &[] }) {
            return false;
        }
        if self.looking.is_empty() {
            return true;
        }
        scratch.counts.resize_with(self.sizes.len(), Vec::new);
        scratch.present.resize_with(self.sizes.len(), Vec::new);
        for (h, code_of) in self.code_of.iter().enumerate() {
            if code_of.is_some() {
                scratch.counts[h].resize(self.sizes[h], 0);
            }
        }
        for tuple in members {
            for &(combination, count) in tuples.combinations(tuple) {
                for (h, code_of) in self.code_of.iter().enumerate() {
                    let Some(code_of) = code_of else { continue };
                    let code = code_of[combination as usize];
                    let place = &mut scratch.counts[h][code as usize];
                    if *place == 0 {
                        scratch.present[h].push(code);
                    }
                    *place += count;
                }
            }
        }
        let view = |(counts, present)| Histogram { counts, present, total: rows };
        let counted = scratch.counts.iter().map(|counts| &**counts).zip(scratch.present.iter().map(|p| &**p));
        let views: Vec<Histogram<'_>> = counted.map(view).collect();
        let result = holds(&self.looking, &Class { rows, population: people, histograms: &views });
        for (counts, present) in scratch.counts.iter_mut().zip(&mut scratch.present) {
            present.drain(..).for_each(|code| counts[code as usize] = 0);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_numbered_as_they_appear() {
        let columns = || [(3, vec![2, 0, 2, 1, 0]), (2, vec![1, 1, 1, 0, 0])].into_iter();
        assert_eq!(number(5, columns()), (vec![0, 1, 0, 2, 3], vec![0, 1, 3, 4]));
        assert_eq!(number(2, std::iter::empty()), (vec![0, 0], vec![0]));
        assert_eq!(number(0, columns()), (vec![], vec![]));
    }

    #[test]
    fn products_of_domains_may_exceed_a_word() {
        let wide = usize::try_from(u32::MAX).unwrap();
        let column = |codes: &[u32]| (wide, codes.to_vec());
        let columns =
            [column(&[7, 7, 9, 7]), column(&[1, 1, 1, 0]), column(&[5, 6, 5, 5]), column(&[0, 0, 0, 0])];
        assert_eq!(number(4, columns.into_iter()), (vec![0, 1, 2, 3], vec![0, 1, 2, 3]));
    }
}
