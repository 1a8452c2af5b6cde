//! Clusterings by minimum spanning tree whose spans keep k people (Zahn; Friedman, Wolff, Schuster, section 5.2; papers F-AL4).
//!
//! One cluster is cut at the longest edges of the spanning tree, as long as every span keeps its people. Which cluster a record of
//! the domain belongs to is the cluster of the nearest training point, or the one with the nearest centroid; the source leaves it open
//! (DEF-14).
//!
//! # Guarantee
//! [`cluster`] counts the spans of the finished clustering again from nothing. With [`Rule::ThreeWay`] every span has at least k
//! people; with [`Rule::Claim3`] every span of more than one cluster has.
//!
//! A clustering by nearest training point *is* its training points, so only the owner can keep it; what can be published is
//! [`ClusterRelease`], by centroids.

mod boxes;
mod centroid;
mod cut;
mod envelope;
mod line;
mod program;
mod reach;
mod release;
mod space;
mod spanning;
#[cfg(test)]
mod tests;

pub use release::{ClusterError, ClusterRelease, ClusterVerdict};
pub use space::{Axis, AxisDomain, Metric, Points, STEPS, Space};

use std::collections::BTreeMap;

use privet_data::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{MineError, SpanOracle};
use boxes::Boxes;
use reach::{Scratch, Sites, nearest};

/// Which cluster a record of the domain belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Membership {
    /// The cluster of the nearest training point. Regions of clusters are unions of cells, so a cut changes nothing else.
    #[default]
    NearestPoint,
    /// The cluster with the nearest centroid. A cut moves all boundaries, so all spans are computed again.
    NearestCentroid,
}

/// What a cut must leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// At least k people in every span of more than one cluster (Claim 3).
    #[default]
    Claim3,
    /// At least k people in every span, as the source prints it.
    ThreeWay,
}

/// How clusters are formed.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterOptions {
    /// The people that a span keeps.
    pub k: u64,
    /// Which cluster a record belongs to.
    pub membership: Membership,
    /// What a cut must leave.
    pub rule: Rule,
    /// The most clusters.
    pub max_clusters: usize,
    /// The fewest records that a cut leaves on either side of its edge. A centroid of fewer than k records tells of them, so releases
    /// ask for k; the source asks for 1.
    pub min_members: u64,
    /// After so many cuts in a row that were refused, no more are tried.
    pub patience: usize,
}

impl ClusterOptions {
    /// As the source prints it, but for the rule.
    pub fn k_anonymous(k: u64) -> Self {
        Self {
            k,
            membership: Membership::default(),
            rule: Rule::default(),
            max_clusters: usize::MAX,
            min_members: 1,
            patience: usize::MAX,
        }
    }
}

/// The people of one span of a clustering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterSpan {
    /// The clusters that a person with these public attributes may belong to, ascending.
    pub clusters: Vec<u32>,
    /// Per cluster how many records with this span belong to it.
    pub populations: Vec<u64>,
}

/// Records in clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustering {
    /// What was asked.
    pub options: ClusterOptions,
    /// The axes and the metric.
    pub space: Space,
    /// Per record its cluster.
    pub cluster_of: Vec<u32>,
    /// Per cluster its centroid, rounded to the grid.
    pub centroids: Vec<Vec<u32>>,
    /// The spans into which records fall.
    pub spans: Vec<ClusterSpan>,
    /// Per record the position of its span.
    pub span_of: Vec<u32>,
    /// Cuts that were refused because of a span.
    pub refused: usize,
    /// Whether every edge was tried.
    pub exhausted: bool,
    /// The distinct points and their clusters, by which records of the domain are looked up.
    sites: Vec<Vec<u32>>,
    cluster_of_site: Vec<u32>,
}

impl ClusterSpan {
    /// Its people.
    pub fn records(&self) -> u64 {
        self.populations.iter().sum()
    }
}

impl Rule {
    /// Whether a span with this many clusters may have this many people.
    pub fn allows(self, clusters: usize, records: u64, k: u64) -> bool {
        records == 0 || records >= k || (self == Rule::Claim3 && clusters == 1)
    }
}

/// What both searches look at.
pub(crate) struct Problem<'a> {
    pub space: &'a Space,
    pub options: &'a ClusterOptions,
    /// Distinct records, with how many there are of each.
    pub sites: &'a [Vec<u32>],
    pub weights: &'a [u64],
    /// Distinct public parts as whole records (private positions are 0), with their people.
    pub people: &'a [Vec<u32>],
    pub population: &'a [u64],
    pub progress: &'a dyn Progress,
}

/// What a search found.
pub(crate) struct Partition {
    pub cluster_of_site: Vec<u32>,
    pub refused: usize,
    pub exhausted: bool,
}

/// Clusters records.
///
/// # Errors
/// When k is 0 or above the number of records, or the operation was stopped.
pub fn cluster(
    points: &Points,
    options: &ClusterOptions,
    progress: &dyn Progress,
) -> Result<Clustering, MineError> {
    let records = points.len() as u64;
    if options.k == 0 || options.k > records {
        return Err(MineError::KTooLarge { k: options.k, records });
    }
    let space = points.space();
    let all: Vec<usize> = (0..space.axes.len()).collect();
    let (sites, site_of) = points.distinct(&all);
    let weights = tally(&site_of, sites.len());
    let (people, person_of) = people(points);
    let population = tally(&person_of, people.len());
    let problem = Problem {
        space,
        options,
        sites: &sites,
        weights: &weights,
        people: &people,
        population: &population,
        progress,
    };
    let found = match options.membership {
        Membership::NearestPoint => cut::search(&problem)?,
        Membership::NearestCentroid => centroid::search(&problem)?,
    };
    let clusters = found.cluster_of_site.iter().max().map_or(0, |&last| last as usize + 1);
    let centroids = centroid::centroids(space, &sites, &weights, &found.cluster_of_site, clusters);
    let mut own = Clustering {
        options: options.clone(),
        space: space.clone(),
        cluster_of: Vec::new(),
        centroids,
        spans: Vec::new(),
        span_of: Vec::new(),
        refused: found.refused,
        exhausted: found.exhausted,
        sites,
        cluster_of_site: found.cluster_of_site,
    };
    own.judge(&people, &person_of, &site_of, progress)?;
    Ok(own)
}

/// Distinct public parts as whole records, and which one each record has.
fn people(points: &Points) -> (Vec<Vec<u32>>, Vec<u32>) {
    let space = points.space();
    let public = space.seen(crate::Visibility::Public);
    let (distinct, of_record) = points.distinct(&public);
    let whole = |known: Vec<u32>| {
        let mut record = vec![0; space.axes.len()];
        for (&axis, position) in public.iter().zip(known) {
            record[axis] = position;
        }
        record
    };
    (distinct.into_iter().map(whole).collect(), of_record)
}

fn tally(of_record: &[u32], size: usize) -> Vec<u64> {
    let mut counts = vec![0; size];
    for &own in of_record {
        counts[own as usize] += 1;
    }
    counts
}

/// Per person the sites that it may be nearest to. People are looked at in an order in which neighbours follow each other, because the
/// sites of one bound those of the next.
pub(crate) fn reaches(
    space: &Space,
    sites: &[Vec<u32>],
    people: &[Vec<u32>],
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, MineError> {
    let oracle = Sites::new(space, sites);
    let order = Boxes::new(space, &space.seen(crate::Visibility::Public), people).order;
    let one = |scratch: &mut Scratch, &person: &u32| {
        let mut out = Vec::new();
        oracle.reachable(&people[person as usize], scratch, &mut out);
        out
    };
    let mut reached = vec![Vec::new(); people.len()];
    progress.stage("reachable points", Some(people.len() as u64));
    for (block, some) in order.chunks(BLOCK).enumerate() {
        progress.check()?;
        let found: Vec<Vec<u32>> = some.par_iter().with_min_len(64).map_init(Scratch::default, one).collect();
        for (&person, sites) in some.iter().zip(found) {
            reached[person as usize] = sites;
        }
        progress.at((block * BLOCK + some.len()) as u64);
    }
    Ok(reached)
}

/// People between two looks at whether to stop.
const BLOCK: usize = 4096;

impl Clustering {
    /// The number of clusters.
    pub fn clusters(&self) -> usize {
        self.centroids.len()
    }

    /// Counts the spans from nothing, and puts records into clusters and spans.
    fn judge(
        &mut self,
        people: &[Vec<u32>],
        person_of: &[u32],
        site_of: &[u32],
        progress: &dyn Progress,
    ) -> Result<(), MineError> {
        let span_of_person = self.spans_of(people, progress)?;
        let by_centroid = self.options.membership == Membership::NearestCentroid;
        let cluster_of_site: Vec<u32> = match by_centroid {
            true => {
                let oracle = Sites::new(&self.space, &self.centroids);
                self.sites.par_iter().map(|site| oracle.nearest(site)).collect()
            }
            false => self.cluster_of_site.clone(),
        };
        self.cluster_of = site_of.iter().map(|&site| cluster_of_site[site as usize]).collect();
        let mut spans: BTreeMap<Vec<u32>, (u32, Vec<u64>)> = BTreeMap::new();
        for (row, &person) in person_of.iter().enumerate() {
            let clusters = &span_of_person[person as usize];
            if !spans.contains_key(clusters) {
                spans.insert(clusters.clone(), (0, vec![0; clusters.len()]));
            }
            let Some((_, populations)) = spans.get_mut(clusters) else { continue };
            if let Ok(place) = clusters.binary_search(&self.cluster_of[row]) {
                populations[place] += 1;
            }
        }
        for (position, (_, (number, _))) in spans.iter_mut().enumerate() {
            *number = position as u32;
        }
        let number = |person: &u32| spans.get(&span_of_person[*person as usize]).map_or(0, |(own, _)| *own);
        self.span_of = person_of.iter().map(number).collect();
        let span = |(clusters, (_, populations))| ClusterSpan { clusters, populations };
        self.spans = spans.into_iter().map(span).collect();
        Ok(())
    }

    fn spans_of(&self, people: &[Vec<u32>], progress: &dyn Progress) -> Result<Vec<Vec<u32>>, MineError> {
        match self.options.membership {
            Membership::NearestCentroid => reaches(&self.space, &self.centroids, people, progress),
            Membership::NearestPoint => {
                let clusters = |sites: Vec<u32>| self.clusters_of(&sites);
                let reached = reaches(&self.space, &self.sites, people, progress)?;
                Ok(reached.into_iter().map(clusters).collect())
            }
        }
    }

    fn clusters_of(&self, sites: &[u32]) -> Vec<u32> {
        let mut clusters: Vec<u32> = sites.iter().map(|&site| self.cluster_of_site[site as usize]).collect();
        clusters.sort_unstable();
        clusters.dedup();
        clusters
    }

    /// Whether every span has the people that the rule asks for.
    pub fn holds(&self) -> bool {
        let allowed = |span: &ClusterSpan| {
            self.options.rule.allows(span.clusters.len(), span.records(), self.options.k)
        };
        self.spans.iter().all(allowed)
    }

    /// The squared distances (Gower: the distances) of records to the centroids of their clusters, summed, in steps of the grid.
    pub fn spread(&self, points: &Points) -> f64 {
        let all: Vec<usize> = (0..self.space.axes.len()).collect();
        let of = |(row, &cluster): (usize, &u32)| {
            self.space.distance(&all, &points.record(row), &self.centroids[cluster as usize]) as f64
        };
        self.cluster_of.iter().enumerate().map(of).sum()
    }
}

/// Records are positions, one per axis.
impl SpanOracle for Clustering {
    type Record = [u32];

    fn span(&self, record: &[u32], key: &mut Vec<u32>) {
        let mut reached = Vec::new();
        match self.options.membership {
            Membership::NearestCentroid => {
                let oracle = Sites::new(&self.space, &self.centroids);
                oracle.reachable(record, &mut Scratch::default(), &mut reached);
                key.extend(reached);
            }
            Membership::NearestPoint => {
                let oracle = Sites::new(&self.space, &self.sites);
                oracle.reachable(record, &mut Scratch::default(), &mut reached);
                key.extend(self.clusters_of(&reached));
            }
        }
    }

    fn classes(&self, span: &[u32]) -> u64 {
        span.len() as u64
    }

    fn class(&self, record: &[u32], key: &mut Vec<u32>) {
        key.push(match self.options.membership {
            Membership::NearestCentroid => nearest(&self.space, &self.centroids, record),
            Membership::NearestPoint => {
                self.cluster_of_site[nearest(&self.space, &self.sites, record) as usize]
            }
        });
    }
}
