//! Greedy clustering (the thesis' baseline in E2: Truta, Campan and Meyer's clustering for p-sensitive k-anonymity,
//! thesis section 6; the thesis only names it).
//!
//! A cluster starts at the record that is farthest from where the last one started, and takes in, one by one, the
//! record with which it loses least, until every criterion holds. While the cluster lacks values for a criterion
//! (fewer than p distinct ones, say; told from its shares of values, so that a small cluster is not said to lack
//! values when it lacks records), records with a new value go first, or, where the criterion tells (categories, weights),
//! with a value that brings the cluster nearer to holding. When the last records make no cluster that holds,
//! each joins the cluster whose loss it increases least. Loss is the sum over the columns of the loss of the lowest
//! node of the hierarchy above all values of the cluster (survey UM-04).
//!
//! It takes any criterion that merging keeps, not p-sensitivity alone. Where single records that join can break one
//! (t-closeness), clusters that fail in the end are merged with the cluster that makes the increase least.
//!
//! # Guarantee
//! Every cluster satisfies every criterion, and so does every union of them; no record is left out. Nothing is said
//! of how far the loss is from the least one. Among equals the record, or cluster, that comes first is taken.
//!
//! # Speed
//! What a record would cost only grows with the cluster. So the costs from the first record of the cluster
//! stay lower bounds, and only records whose bound is below the best so far are looked at again: one full comparison
//! of all records per cluster, where it would otherwise be one per record. Time is still quadratic in the records.

use privet_data::Progress;
use rayon::prelude::*;
use serde::Deserialize;

use super::mdav::numbered;
use super::mend::{Neighbours, least_rows, mend};
use super::require_end;
use super::taxonomy::{Shown, Taxonomy};
use crate::algorithm::{Algorithm, AlgorithmInfo, Publish, Selected, read};
use crate::groups::Groups;
use crate::jury::Jury;
use crate::lattice::{Problem, SearchError};

const ALGORITHM: &str = "clustering";
/// So many records are compared at a time; more run in parallel.
const CHUNK: usize = 1 << 13;

/// Clusters records greedily.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Clustering {}

/// The clusters that were found, and what they cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustered {
    /// Who is with whom.
    pub groups: Groups,
    /// The mean over the records of the weighted mean over the columns of what they lose, from 0 to 1.
    pub loss: f64,
}

impl Clustering {
    /// Forms the clusters.
    ///
    /// # Errors
    /// When a criterion cannot be met by merging clusters, even all records together fail, or the person asked to
    /// stop.
    pub fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Clustered, SearchError> {
        let k = least_rows(problem, ALGORITHM)?;
        require_end(ALGORITHM, problem.rows, k)?;
        let mut jury = Jury::new(problem);
        jury.require_whole(problem.rows)?;
        let taxonomy = Taxonomy::new(problem);
        let (clusters, rest) = grow_all(problem.rows, &taxonomy, k, &mut jury, progress)?;
        let clusters = settle(clusters, rest, &taxonomy, progress)?;
        let shown = |clusters: &[Vec<u32>]| Increases {
            taxonomy: &taxonomy,
            shown: clusters.iter().map(|cluster| show(&taxonomy, cluster)).collect(),
        };
        let clusters = mend(clusters, &mut jury, shown, progress)?;
        if clusters.iter().any(|cluster| !jury.holds_for(cluster)) {
            return Err(SearchError::Unsafe { algorithm: ALGORITHM });
        }
        let weights: f64 = problem.quasi.iter().map(|quasi| quasi.weight).sum();
        let lost: f64 = clusters
            .iter()
            .filter_map(|cluster| show(&taxonomy, cluster))
            .map(|shown| shown.loss * shown.records as f64)
            .sum();
        let most = weights * problem.rows as f64;
        let loss = if most > 0.0 { lost / most } else { 0.0 };
        Ok(Clustered { groups: numbered(problem.rows, &clusters), loss })
    }
}

/// What a cluster shows; nothing when it is empty.
fn show(taxonomy: &Taxonomy, cluster: &[u32]) -> Option<Shown> {
    let (&first, others) = cluster.split_first()?;
    let mut shown = Shown::new(taxonomy, first);
    for &record in others {
        shown.take(taxonomy, &Shown::new(taxonomy, record));
    }
    Some(shown)
}

/// The clusters that hold, and the records of the last one if it does not.
fn grow_all(
    rows: usize,
    taxonomy: &Taxonomy,
    k: usize,
    jury: &mut Jury<'_>,
    progress: &dyn Progress,
) -> Result<(Vec<Vec<u32>>, Vec<u32>), SearchError> {
    progress.stage("clustering records", Some(rows as u64));
    let mut open = Open::new(rows, taxonomy);
    let mut clusters = Vec::with_capacity(rows / k.max(1));
    let looks = !jury.only_counts();
    open.compare_with(&Growing::new(taxonomy, 0));
    while let Some(seed) = open.farthest() {
        progress.check()?;
        progress.at((rows - open.records.len()) as u64);
        let mut growing = Growing::new(taxonomy, open.take(seed));
        open.compare_with(&growing);
        let mut cluster = vec![growing.seed];
        jury.clear();
        jury.add(&[growing.seed]);
        while cluster.len() < k || !jury.holds() {
            let lacking = if looks { jury.lacking(k) } else { Vec::new() };
            let new = if lacking.is_empty() {
                None
            } else {
                open.cheapest(&growing, |record| jury.is_lacked(record, &lacking))
            };
            let Some(place) = new.or_else(|| open.cheapest(&growing, |_| true)) else {
                return Ok((clusters, cluster));
            };
            let record = open.take(place);
            growing.take(record);
            jury.add(&[record]);
            cluster.push(record);
            if cluster.len().is_multiple_of(1024) {
                progress.check()?;
            }
        }
        clusters.push(cluster);
    }
    Ok((clusters, Vec::new()))
}

/// A cluster that grows around its first record.
struct Growing<'a> {
    taxonomy: &'a Taxonomy,
    seed: u32,
    levels: Vec<u32>,
    // Per leaf of any column what the cluster would lose in that column with it.
    losses: Vec<f64>,
}

impl<'a> Growing<'a> {
    fn new(taxonomy: &'a Taxonomy, seed: u32) -> Self {
        let width = taxonomy.width();
        let losses = vec![0.0; taxonomy.first[width]];
        let mut growing = Self { taxonomy, seed, levels: vec![0; width], losses };
        // Without records there is nothing to compare with.
        if taxonomy.leaves.len() >= (seed as usize + 1) * width {
            (0..width).for_each(|column| growing.tabulate(column));
        }
        growing
    }

    fn tabulate(&mut self, column: usize) {
        let taxonomy = self.taxonomy;
        let (own, level) = (taxonomy.record(self.seed)[column], self.levels[column]);
        let leaves = taxonomy.first[column]..taxonomy.first[column + 1];
        for (loss, leaf) in self.losses[leaves.clone()].iter_mut().zip(leaves) {
            *loss = taxonomy.loss(own, level.max(taxonomy.meet(own, leaf as u32)));
        }
    }

    fn take(&mut self, record: u32) {
        let taxonomy = self.taxonomy;
        for (column, &leaf) in taxonomy.record(record).iter().enumerate() {
            let meet = taxonomy.meet(taxonomy.record(self.seed)[column], leaf);
            if meet > self.levels[column] {
                self.levels[column] = meet;
                self.tabulate(column);
            }
        }
    }

    /// What each record would lose with a record of these leaves.
    fn with(&self, leaves: &[u32]) -> f64 {
        leaves.iter().fold(0.0, |sum, &leaf| sum + self.losses[leaf as usize])
    }
}

/// The records that are in no cluster yet, in any order.
struct Open {
    width: usize,
    records: Vec<u32>,
    leaves: Vec<u32>,
    // What each costs at least in the cluster that grows, and what it cost when that began.
    bounds: Vec<f64>,
    at_first: Vec<f64>,
}

/// A place among the open records, by what it costs; the record decides among equals.
#[derive(Clone, Copy)]
struct Candidate {
    cost: f64,
    record: u32,
    place: usize,
}

impl Candidate {
    fn cheaper(a: Option<Candidate>, b: Option<Candidate>) -> Option<Candidate> {
        match (a, b) {
            (Some(a), Some(b)) if (b.cost, b.record) < (a.cost, a.record) => Some(b),
            (a, b) => a.or(b),
        }
    }
}

impl Open {
    fn new(rows: usize, taxonomy: &Taxonomy) -> Self {
        Self {
            width: taxonomy.width(),
            records: (0..rows as u32).collect(),
            leaves: taxonomy.leaves.clone(),
            bounds: vec![0.0; rows],
            at_first: vec![0.0; rows],
        }
    }

    /// Takes out the record at a place; the last one moves there.
    fn take(&mut self, place: usize) -> u32 {
        let last = self.records.len() - 1;
        self.leaves.copy_within(last * self.width.., place * self.width);
        self.leaves.truncate(last * self.width);
        self.bounds.swap_remove(place);
        self.at_first.swap_remove(place);
        self.records.swap_remove(place)
    }

    /// What every record costs in a cluster that begins.
    fn compare_with(&mut self, growing: &Growing<'_>) {
        let width = self.width;
        let leaves = &self.leaves;
        self.bounds.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, bounds)| {
            for (i, bound) in bounds.iter_mut().enumerate() {
                let begin = (chunk * CHUNK + i) * width;
                *bound = growing.with(&leaves[begin..begin + width]);
            }
        });
        self.at_first.copy_from_slice(&self.bounds);
    }

    /// The place of the record that was farthest when the last cluster began.
    fn farthest(&self) -> Option<usize> {
        let all = self.at_first.iter().zip(&self.records).enumerate();
        let farthest = all.reduce(|best, next| {
            let ((_, (cost, record)), (_, (next_cost, next_record))) = (best, next);
            if next_cost > cost || (next_cost == cost && next_record < record) { next } else { best }
        });
        farthest.map(|(place, _)| place)
    }

    /// The place of the record that costs least, of those that are wanted.
    fn cheapest(&mut self, growing: &Growing<'_>, wanted: impl Fn(u32) -> bool + Sync) -> Option<usize> {
        let Self { width, records, leaves, bounds, .. } = self;
        let search = |(chunk, (bounds, records)): (usize, (&mut [f64], &[u32]))| {
            let mut best: Option<Candidate> = None;
            let mut below = (f64::INFINITY, u32::MAX);
            for (i, (bound, &record)) in bounds.iter_mut().zip(records).enumerate() {
                if *bound > below.0 || (*bound == below.0 && record > below.1) || !wanted(record) {
                    continue;
                }
                let place = chunk * CHUNK + i;
                *bound = growing.with(&leaves[place * *width..(place + 1) * *width]);
                best = Candidate::cheaper(best, Some(Candidate { cost: *bound, record, place }));
                below = best.map_or(below, |best| (best.cost, best.record));
            }
            best
        };
        let best = if records.len() > 2 * CHUNK {
            let chunks = bounds.par_chunks_mut(CHUNK).zip(records.par_chunks(CHUNK)).enumerate();
            chunks.map(search).reduce(|| None, Candidate::cheaper)
        } else {
            let chunks = bounds.chunks_mut(CHUNK).zip(records.chunks(CHUNK)).enumerate();
            chunks.map(search).fold(None, Candidate::cheaper)
        };
        best.map(|best| best.place)
    }
}

/// Lets each remaining record join the cluster whose loss it increases least; they are a cluster when there is none.
fn settle(
    mut clusters: Vec<Vec<u32>>,
    rest: Vec<u32>,
    taxonomy: &Taxonomy,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, SearchError> {
    if rest.is_empty() || clusters.is_empty() {
        clusters.extend((!rest.is_empty()).then_some(rest));
        return Ok(clusters);
    }
    progress.stage("settling the last records", Some(rest.len() as u64));
    let mut rest = rest;
    rest.sort_unstable();
    let mut increases =
        Increases { taxonomy, shown: clusters.iter().map(|cluster| show(taxonomy, cluster)).collect() };
    for (done, &record) in rest.iter().enumerate() {
        progress.check()?;
        progress.at(done as u64);
        let alone = Shown::new(taxonomy, record);
        if let Some(nearest) = increases.least(&alone, usize::MAX) {
            clusters[nearest].push(record);
            if let Some(shown) = &mut increases.shown[nearest] {
                shown.take(taxonomy, &alone);
            }
        }
    }
    Ok(clusters)
}

/// What clusters show; nothing for one that went up in another.
struct Increases<'a> {
    taxonomy: &'a Taxonomy,
    shown: Vec<Option<Shown>>,
}

impl Increases<'_> {
    /// The cluster whose union with another loses least more; not this one.
    fn least(&self, other: &Shown, but: usize) -> Option<usize> {
        let increase = |(number, shown): (usize, &Option<Shown>)| match shown {
            Some(shown) if number != but => Some((shown.increase(self.taxonomy, other), number)),
            _ => None,
        };
        let least = |a: (f64, usize), b: (f64, usize)| if b < a { b } else { a };
        let clusters = self.shown.par_iter().with_min_len(1024).enumerate().filter_map(increase);
        clusters.reduce_with(least).map(|(_, number)| number)
    }
}

impl Neighbours for Increases<'_> {
    fn nearest(&self, of: usize) -> Option<usize> {
        self.least(self.shown[of].as_ref()?, of)
    }

    fn merged(&mut self, _groups: &[Vec<u32>], into: usize, from: usize) {
        let from = self.shown[from].take();
        if let (Some(into), Some(from)) = (&mut self.shown[into], from) {
            into.take(self.taxonomy, &from);
        }
    }
}

impl Clustering {
    /// What it is.
    pub const INFO: AlgorithmInfo = AlgorithmInfo {
        id: "clustering",
        summary: "Clusters that lose little.",
        guarantees: &["The promises hold in every group. Other groups may lose less."],
        judges_together: false,
        needs_monotone: false,
        publishes: Some(Publish::Nodes),
        read: read::<Clustering>,
    };
}

impl Algorithm for Clustering {
    fn info(&self) -> &'static AlgorithmInfo {
        &Self::INFO
    }

    fn depends_on_order(&self) -> bool {
        true
    }

    fn search(&self, problem: &Problem<'_>, progress: &dyn Progress) -> Result<Selected, SearchError> {
        Ok(Selected::Groups(self.search(problem, progress)?.groups))
    }
}
