//! What the searches over cuts share: the table made ready, how a cut is handed over, and what is said when no
//! cut is safe.

use privet_criteria::Merging;
use privet_measure::{Metric, Objective, QuasiColumn};

use super::information::{information_gain, saving};
use super::taxonomy::Taxonomy;
use super::tuples::{Judge, Scratch, Tuples};
use super::{Found, measure, takes_cuts};
use crate::lattice::{Layout, Problem, SearchError, require_bucket_independent};

/// A problem made ready.
pub struct Setting<'a> {
    problem: &'a Problem<'a>,
    /// Per column its taxonomy.
    pub taxonomies: Vec<Taxonomy>,
    /// The distinct tuples.
    pub tuples: Tuples,
    /// What judges classes of them.
    pub judge: Judge<'a>,
    /// The most records that may be suppressed.
    pub limit: u64,
    /// Whether every cut finer than an unsafe one is unsafe.
    pub monotone: bool,
    /// What one class that holds, or all of them, say of the union of several.
    pub merging: Merging,
    /// Per column and node the information gain; without a class column what the metric saves (loss for metrics
    /// over classes).
    pub gains: Vec<Vec<f64>>,
    /// Per column and node what loss saves.
    pub savings: Vec<Vec<f64>>,
}

/// The keys of the widest class that can be formed in the end have so many words.
const MOST_WORDS: usize = 32;

impl<'a> Setting<'a> {
    /// Makes a problem ready.
    pub fn new(problem: &'a Problem<'a>, algorithm: &'static str) -> Result<Self, SearchError> {
        takes_cuts(problem.metric)?;
        require_bucket_independent(problem, algorithm)?;
        if problem.metric.needs_class() && problem.label.is_none() {
            return Err(SearchError::NoLabel);
        }
        let people = problem.quasi.first().and_then(|quasi| quasi.population).map_or(0, <[u32]>::len);
        if problem.rows.saturating_add(people) >= u32::MAX as usize {
            return Err(SearchError::TooManyRows);
        }
        let words = Layout::new(problem.quasi.iter().map(|q| q.generalization.levels[0].labels.len())).words;
        if words > MOST_WORDS {
            return Err(SearchError::TooWide { words });
        }
        let measured: Vec<QuasiColumn<'_>> = problem
            .quasi
            .iter()
            .map(|q| QuasiColumn { generalization: q.generalization, counts: q.counts, weight: q.weight })
            .collect();
        // Refuses weights before the work, not after it.
        Objective::new(problem.metric, &measured, problem.rows as u64, 0.0)?;

        let taxonomies: Vec<Taxonomy> = problem
            .quasi
            .iter()
            .map(|quasi| {
                let mut occurs = vec![false; quasi.generalization.levels[0].node_of_code.len()];
                for &code in quasi.codes.iter().chain(quasi.population.unwrap_or_default()) {
                    occurs[code as usize] = true;
                }
                Taxonomy::new(quasi.generalization, &occurs)
            })
            .collect();
        let (tuples, judge) = Tuples::new(problem, &taxonomies);
        // Who judges absence cannot be satisfied by suppression.
        let suppressible = !problem.criteria.iter().any(|criterion| criterion.judges_absence());
        let limit = if suppressible { problem.suppress_at_most } else { 0 };
        let all = |merging: &[Merging]| problem.criteria.iter().all(|c| merging.contains(&c.merging()));
        let merging = if all(&[Merging::Absorbing]) {
            Merging::Absorbing
        } else if all(&[Merging::Absorbing, Merging::Closed]) {
            Merging::Closed
        } else {
            Merging::Arbitrary
        };
        let monotone = merging == Merging::Absorbing || (merging == Merging::Closed && limit == 0);

        let weights: f64 = problem.quasi.iter().map(|quasi| quasi.weight).sum();
        let saving = |metric: Metric| -> Vec<Vec<f64>> {
            let column = |(quasi, taxonomy): (&crate::lattice::Quasi<'_>, &Taxonomy)| {
                let scale = quasi.weight / (weights * problem.rows.max(1) as f64);
                saving(metric, taxonomy, quasi.generalization, quasi.codes, scale)
            };
            problem.quasi.iter().zip(&taxonomies).map(column).collect()
        };
        let gains = match problem.label {
            Some(label) => {
                let columns = problem.quasi.iter().zip(&taxonomies);
                columns.map(|(quasi, tree)| information_gain(tree, quasi.codes, label.codes)).collect()
            }
            None => saving(problem.metric),
        };
        let savings = saving(Metric::Loss);
        Ok(Self { problem, taxonomies, tuples, judge, limit, monotone, merging, gains, savings })
    }

    /// How many steps lead from the finest cuts to the coarsest.
    pub fn steps(&self) -> u64 {
        let inner = |tree: &Taxonomy| tree.nodes().iter().filter(|node| !node.is_leaf()).count() as u64;
        self.taxonomies.iter().map(inner).sum()
    }

    /// The tuples of each class of the coarsest cuts, in the order of the roots.
    pub fn top_classes(&self) -> Vec<Vec<u32>> {
        let mut order: Vec<u32> = (0..self.tuples.len() as u32).collect();
        let columns = self.taxonomies.iter().zip(&self.tuples.leaves);
        let roots: Vec<(&[u32], &[u32])> = columns
            .filter(|(tree, _)| tree.roots().len() > 1)
            .map(|(tree, leaves)| (tree.at_depth(0), &**leaves))
            .collect();
        let compare = |&a: &u32, &b: &u32| {
            let root =
                |tuple: u32| roots.iter().map(move |(root, leaves)| root[leaves[tuple as usize] as usize]);
            root(a).cmp(root(b))
        };
        order.sort_by(compare);
        order.chunk_by(|a, b| compare(a, b).is_eq()).map(<[u32]>::to_vec).collect()
    }

    /// The records and people of tuples.
    pub fn count(&self, members: &[u32]) -> (u64, u64) {
        let sum = |counts: &[u32]| members.iter().map(|&tuple| u64::from(counts[tuple as usize])).sum();
        (sum(&self.tuples.rows), sum(&self.tuples.people))
    }

    /// Says why a search that ends in the coarsest cuts, or starts from them, found nothing: they are not safe,
    /// and with criteria that are monotone nothing is.
    pub fn no_safe_cut(&self, algorithm: &'static str) -> SearchError {
        if !self.monotone {
            return SearchError::NothingFound { algorithm };
        }
        let classes = self.top_classes();
        let mut scratch = Scratch::default();
        // Records in failing classes, or all of them when people without records fail: no suppression mends that.
        let mut failing = |judge: &Judge<'_>| {
            let mut records = 0;
            for class in &classes {
                let (rows, people) = self.count(class);
                if !judge.holds(&mut scratch, &self.tuples, class.iter().copied(), rows, people) {
                    records += if rows == 0 { self.problem.rows as u64 } else { rows };
                }
            }
            records.min(self.problem.rows as u64)
        };
        let mut most = 0;
        let mut criteria = Vec::new();
        for criterion in self.problem.criteria {
            let records = failing(&self.judge.alone(&**criterion));
            if records > self.limit {
                criteria.push(format!("{}: {}", criterion.key(), criterion.promise().trim_end_matches('.')));
                most = most.max(records);
            }
        }
        if criteria.is_empty() {
            criteria.push("the criteria together, though each alone could be met".into());
            most = failing(&self.judge);
        }
        SearchError::NoSafeNode { failing: most, limit: self.limit, criteria }
    }

    /// Hands over a cut, after one more look at the records themselves.
    pub fn finish(
        &self,
        algorithm: &'static str,
        cuts: &[Vec<bool>],
        checked: u64,
    ) -> Result<Found, SearchError> {
        let columns = self.problem.quasi.iter().zip(&self.taxonomies).zip(cuts);
        let columns: Vec<_> =
            columns.map(|((quasi, taxonomy), cut)| taxonomy.publish(quasi.generalization, cut)).collect();
        let (parts, value) = measure(self.problem, &columns)?;
        let failing = parts.rows.iter().zip(&parts.kept).filter(|(_, kept)| !**kept);
        let suppressed = failing.map(|(rows, _)| rows).sum();
        if suppressed > self.limit {
            return Err(SearchError::Unsafe { algorithm });
        }
        Ok(Found { columns, value, bound: None, suppressed, checked })
    }
}
