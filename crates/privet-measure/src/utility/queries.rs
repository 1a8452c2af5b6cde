//! Counting queries over regions of the quasi-identifier: imprecision (survey UM-18) and the relative error of the answer
//! that a reader would give (thesis section 3).
//!
//! A query asks how many records have, in each column, a value of some set. From a release it can be answered in two
//! ways: by counting every record that *may* belong (all records whose region overlaps the query's; the surplus over the
//! truth is the imprecision), or by taking from every record the share of its region that lies in the query. A
//! suppressed record may be any tuple of the domain.

use privet_data::Random;
use rayon::prelude::*;

use super::UtilityError;
use super::spread::Spread;

/// Per column the values that are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    sets: Vec<Option<Vec<u32>>>,
}

impl Query {
    /// Per column the codes that are asked for; `None` for any. A column without codes is never satisfied.
    pub fn new(sets: Vec<Option<Vec<u32>>>) -> Self {
        let sorted = sets.into_iter().map(|set| {
            set.map(|mut codes| {
                codes.sort_unstable();
                codes.dedup();
                codes
            })
        });
        Self { sets: sorted.collect() }
    }

    /// Per column the codes that are asked for, ascending.
    pub fn sets(&self) -> &[Option<Vec<u32>>] {
        &self.sets
    }
}

/// A query's answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// Records of the original that satisfy it.
    pub truth: u64,
    /// Records of the release, and suppressed ones, that may satisfy it.
    pub possible: u64,
    /// How many are expected to when every record is spread evenly over its region.
    pub estimate: f64,
}

impl Answer {
    /// Surplus of records that may satisfy the query over those that do (UM-18). Never negative when every label covers
    /// the value that it was published for.
    pub fn imprecision(&self) -> i64 {
        self.possible as i64 - self.truth as i64
    }

    /// |truth − estimate|/truth; `None` when nothing satisfies the query.
    pub fn relative_error(&self) -> Option<f64> {
        (self.truth > 0).then(|| (self.truth as f64 - self.estimate).abs() / self.truth as f64)
    }
}

/// How well a workload is answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryErrors {
    /// Sum of the imprecisions.
    pub imprecision: i64,
    /// Mean of the relative errors of the queries that something satisfies; `None` when there is no such query.
    pub mean_relative_error: Option<f64>,
    /// How many queries nothing satisfies; they have no relative error.
    pub empty: usize,
}

impl Spread<'_> {
    /// Answers a query from the original and from the release.
    ///
    /// # Errors
    /// When the query has not as many columns as the table.
    pub fn answer(&self, query: &Query) -> Result<Answer, UtilityError> {
        super::same_length("columns of a query", query.sets.len(), self.coverages.len())?;
        let asked: Vec<Asked> = query
            .sets
            .iter()
            .enumerate()
            .filter_map(|(column, set)| Some(Asked::new(self, column, set.as_ref()?)))
            .collect();
        let holds = |tuple: usize| {
            let codes = self.codes(tuple);
            asked.iter().all(|own| own.values[codes[own.column] as usize])
        };
        let all = self.tuple_counts.iter().enumerate();
        let truth = all.filter(|&(tuple, _)| holds(tuple)).map(|(_, &count)| count).sum();
        let (mut possible, mut estimate) = (0, 0.0);
        for (region, &count) in self.region_counts.iter().enumerate() {
            let labels = self.labels(region);
            let share: f64 = asked.iter().map(|own| own.shares[labels[own.column] as usize]).product();
            // Asked column by column: a product of many small shares may come out as 0.
            if asked.iter().all(|own| own.shares[labels[own.column] as usize] > 0.0) {
                possible += count;
                estimate += count as f64 * share;
            }
        }
        if asked.iter().all(|own| own.share_of_domain > 0.0) {
            possible += self.suppressed;
            estimate += self.suppressed as f64 * asked.iter().map(|own| own.share_of_domain).product::<f64>();
        }
        Ok(Answer { truth, possible, estimate })
    }

    /// Answers many queries.
    ///
    /// # Errors
    /// When a query has not as many columns as the table.
    pub fn query_errors(&self, queries: &[Query]) -> Result<QueryErrors, UtilityError> {
        let answers: Result<Vec<Answer>, _> = queries.par_iter().map(|query| self.answer(query)).collect();
        let answers = answers?;
        let errors: Vec<f64> = answers.iter().filter_map(Answer::relative_error).collect();
        Ok(QueryErrors {
            imprecision: answers.iter().map(Answer::imprecision).sum(),
            mean_relative_error: (!errors.is_empty())
                .then(|| errors.iter().sum::<f64>() / errors.len() as f64),
            empty: answers.len() - errors.len(),
        })
    }

    /// How many values each column's domain has: what [`RandomQueries::draw`] asks for.
    pub fn domain_sizes(&self) -> Vec<u32> {
        self.coverages.iter().map(|coverage| coverage.values()).collect()
    }
}

/// What a query asks of one column.
struct Asked {
    column: usize,
    values: Vec<bool>,
    /// Per label the share of its values that are asked for.
    shares: Vec<f64>,
    share_of_domain: f64,
}

impl Asked {
    fn new(spread: &Spread<'_>, column: usize, set: &[u32]) -> Self {
        let coverage = spread.coverages[column];
        let mut values = vec![false; coverage.values() as usize];
        set.iter().for_each(|&code| {
            if let Some(own) = values.get_mut(code as usize) {
                *own = true;
            }
        });
        let mut before = vec![0u32; values.len() + 1];
        for (code, &is_asked) in values.iter().enumerate() {
            before[code + 1] = before[code] + u32::from(is_asked);
        }
        let share = |label: u32| {
            let own = coverage.of(label);
            let asked = own.runs().iter().map(|run| before[run.1 as usize + 1] - before[run.0 as usize]);
            let common: u32 = asked.sum();
            f64::from(common) / own.len().max(1) as f64
        };
        let shares = (0..coverage.labels() as u32).map(share).collect();
        let share_of_domain = f64::from(before[values.len()]) / values.len().max(1) as f64;
        Self { column, values, shares, share_of_domain }
    }
}

/// A workload of random range queries. Ranges run over codes: where codes have no order, they are sets like any other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomQueries {
    /// How many queries.
    pub count: usize,
    /// How many columns each restricts; at most as many as there are.
    pub dimensions: usize,
    /// Which share of the domain each asks for, about: every restricted column is cut to the same share of its values,
    /// and to one value at least.
    pub selectivity: f64,
    /// The same seed gives the same queries.
    pub seed: u64,
}

impl Default for RandomQueries {
    /// A hundred queries, as in the thesis, over two columns and a tenth of the domain.
    fn default() -> Self {
        Self { count: 100, dimensions: 2, selectivity: 0.1, seed: 0 }
    }
}

impl RandomQueries {
    /// Draws the queries for columns with so many values.
    ///
    /// # Errors
    /// When the selectivity is not above 0 and at most 1, or no column is to be restricted.
    pub fn draw(&self, domain_sizes: &[u32]) -> Result<Vec<Query>, UtilityError> {
        if !(self.selectivity > 0.0 && self.selectivity <= 1.0) {
            return Err(UtilityError::Parameter {
                what: "the selectivity",
                accepted: "above 0 and at most 1",
            });
        }
        if self.dimensions == 0 {
            return Err(UtilityError::Parameter {
                what: "the number of restricted columns",
                accepted: "at least 1",
            });
        }
        let dimensions = self.dimensions.min(domain_sizes.len());
        let share = self.selectivity.powf(1.0 / dimensions.max(1) as f64);
        let mut random = Random::new(self.seed);
        let mut columns: Vec<usize> = (0..domain_sizes.len()).collect();
        let query = |_| {
            let mut sets = vec![None; domain_sizes.len()];
            for drawn in 0..dimensions {
                let other = drawn + random.below(columns.len() - drawn);
                columns.swap(drawn, other);
                let values = domain_sizes[columns[drawn]];
                let width = ((f64::from(values) * share).round() as u32).clamp(values.min(1), values);
                let from = random.below((values - width) as usize + 1) as u32;
                sets[columns[drawn]] = Some((from..from + width).collect());
            }
            Query { sets }
        };
        Ok((0..self.count).map(query).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_queries_fit_and_repeat() {
        let draw = RandomQueries { count: 200, dimensions: 2, selectivity: 0.25, seed: 7 };
        let queries = draw.draw(&[10, 4, 1, 0]).unwrap();
        assert_eq!(queries.len(), 200);
        assert_eq!(queries, draw.draw(&[10, 4, 1, 0]).unwrap());
        assert_ne!(queries, RandomQueries { seed: 8, ..draw }.draw(&[10, 4, 1, 0]).unwrap());
        let mut used = [0; 4];
        for query in &queries {
            assert_eq!(query.sets().iter().flatten().count(), 2);
            for (column, set) in query.sets().iter().enumerate() {
                if let Some(set) = set {
                    used[column] += 1;
                    // Half of each column, one value at least, none of a column without values.
                    assert_eq!(set.len(), [5, 2, 1, 0][column]);
                    assert!(set.last().is_none_or(|&last| last < [10, 4, 1, 0][column]));
                }
            }
        }
        // Each column is drawn half of the time: 100 of 200, give or take 7 standard deviations of 7.1.
        assert!(used.iter().all(|&times| (50..150).contains(&times)), "{used:?}");
        let first = queries.iter().filter_map(|query| query.sets()[0].as_ref()).map(|set| set[0]);
        assert_eq!((first.clone().min(), first.max()), (Some(0), Some(5)));
        assert_eq!(draw.draw(&[]).unwrap()[0].sets().len(), 0);
        for selectivity in [0.0, -1.0, 1.5, f64::NAN] {
            assert!(RandomQueries { selectivity, ..draw }.draw(&[3]).is_err());
        }
        assert!(RandomQueries { dimensions: 0, ..draw }.draw(&[3]).is_err());
    }
}
