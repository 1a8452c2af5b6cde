//! What is published of a clustering: centroids and the populations of spans, as documented JSON that can be verified alone.
//!
//! Only clusterings by nearest centroid can be published. A clustering by nearest training point is a function of all training points,
//! private attributes included: publishing the function publishes the records.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::reach::{Scratch, Sites, nearest};
use super::{ClusterSpan, Clustering, Membership, Points, Rule, Space};
use crate::{ExactProblem, MineError, SpanOracle};

/// A clustering by nearest centroid with the populations of its spans.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterRelease {
    /// The version of this form, 1.
    pub version: u32,
    /// The records that were clustered.
    pub records: u64,
    /// The people of every span that the rule looks at.
    pub k: u64,
    /// Which spans the rule looks at.
    pub rule: Rule,
    /// The axes and the metric.
    pub space: Space,
    /// Per cluster the position of its centroid on every axis.
    pub centroids: Vec<Vec<u32>>,
    /// The spans into which records fall.
    pub spans: Vec<ClusterSpan>,
}

/// Why a published clustering is not accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The space is wrong.
    #[error(transparent)]
    Space(MineError),
    /// A version that this program does not know.
    #[error("the clustering is of version {version}; this program reads version 1")]
    Version {
        /// The version.
        version: u32,
    },
    /// A centroid that is not in the space.
    #[error("centroid {cluster} is outside the space, or has another number of positions")]
    Centroid {
        /// The cluster.
        cluster: usize,
    },
    /// A span that names clusters that do not exist, is listed twice or holds nobody.
    #[error("span {span} names clusters that do not exist, is listed twice or holds no record")]
    Span {
        /// Its position.
        span: usize,
    },
    /// Populations that do not add up.
    #[error("the spans hold {counted} records, the clustering claims {declared}")]
    Records {
        /// What is claimed.
        declared: u64,
        /// What the spans hold.
        counted: u64,
    },
}

/// What verifying a published clustering found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterVerdict {
    /// The people of the smallest span of more than one cluster.
    pub reached: Option<u64>,
    /// Positions of the spans that break the rule.
    pub violations: Vec<usize>,
    /// The people in spans of one cluster, about whose private attributes the clustering says nothing.
    pub silent: u64,
}

impl ClusterVerdict {
    /// Whether the promise holds.
    pub fn holds(&self) -> bool {
        self.violations.is_empty()
    }
}

impl ClusterRelease {
    /// What of a clustering can be published.
    ///
    /// # Errors
    /// When records belong to the cluster of the nearest training point.
    pub fn of(clustering: &Clustering) -> Result<Self, MineError> {
        if clustering.options.membership == Membership::NearestPoint {
            return Err(MineError::NotExact { reason: ExactProblem::TrainingPoints });
        }
        Ok(Self {
            version: 1,
            records: clustering.cluster_of.len() as u64,
            k: clustering.options.k,
            rule: clustering.options.rule,
            space: clustering.space.clone(),
            centroids: clustering.centroids.clone(),
            spans: clustering.spans.clone(),
        })
    }

    /// Verifies the clustering from what is published alone: its spans fit its clusters, the populations add up and the rule holds.
    /// Whether the spans are those of the people needs their public attributes: see [`SpanOracle`] and [`crate::Release::link`].
    ///
    /// # Errors
    /// When what is published contradicts itself.
    pub fn verify(&self) -> Result<ClusterVerdict, ClusterError> {
        if self.version != 1 {
            return Err(ClusterError::Version { version: self.version });
        }
        self.space.check().map_err(ClusterError::Space)?;
        for (cluster, centroid) in self.centroids.iter().enumerate() {
            let fits = centroid.len() == self.space.axes.len()
                && centroid.iter().zip(&self.space.axes).all(|(&at, axis)| at <= axis.last());
            if !fits {
                return Err(ClusterError::Centroid { cluster });
            }
        }
        let mut seen = HashSet::new();
        for (place, span) in self.spans.iter().enumerate() {
            let fits = span.clusters.windows(2).all(|pair| pair[0] < pair[1])
                && span.clusters.last().is_some_and(|&last| (last as usize) < self.centroids.len())
                && span.populations.len() == span.clusters.len()
                && span.records() > 0
                && seen.insert(&span.clusters);
            if !fits {
                return Err(ClusterError::Span { span: place });
            }
        }
        let counted = self.spans.iter().map(ClusterSpan::records).sum();
        if counted != self.records {
            return Err(ClusterError::Records { declared: self.records, counted });
        }
        let many = self.spans.iter().filter(|span| span.clusters.len() > 1);
        let breaks = |span: &ClusterSpan| !self.rule.allows(span.clusters.len(), span.records(), self.k);
        Ok(ClusterVerdict {
            reached: many.map(ClusterSpan::records).min(),
            violations: (0..self.spans.len()).filter(|&place| breaks(&self.spans[place])).collect(),
            silent: self.spans.iter().filter(|span| span.clusters.len() == 1).map(ClusterSpan::records).sum(),
        })
    }

    /// The distances of points to the nearest of some centroids, squared under the Euclidean metric, summed in steps of the grid.
    pub fn spread(&self, points: &Points, centroids: &[Vec<u32>]) -> f64 {
        let all: Vec<usize> = (0..self.space.axes.len()).collect();
        let least = |row: usize| {
            let record = points.record(row);
            let lengths = centroids.iter().map(|own| self.space.distance(&all, &record, own));
            lengths.min().unwrap_or(0) as f64
        };
        (0..points.len()).map(least).sum()
    }

    /// The centroid of all points as one cluster.
    pub fn single_centroid(&self, points: &Points) -> Vec<Vec<u32>> {
        let all: Vec<usize> = (0..self.space.axes.len()).collect();
        let (sites, of_record) = points.distinct(&all);
        let weights = super::tally(&of_record, sites.len());
        super::centroid::centroids(&self.space, &sites, &weights, &vec![0; sites.len()], 1)
    }

    /// Per record the clusters that it may belong to, given its public positions.
    pub fn spans_of(&self, records: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let oracle = Sites::new(&self.space, &self.centroids);
        let mut scratch = Scratch::default();
        let span = |record: &Vec<u32>| {
            let mut reached = Vec::new();
            oracle.reachable(record, &mut scratch, &mut reached);
            reached
        };
        records.iter().map(span).collect()
    }

    /// The cluster of a record, given as positions, one per axis.
    pub fn predict(&self, record: &[u32]) -> u32 {
        nearest(&self.space, &self.centroids, record)
    }
}

/// Records are positions, one per axis.
impl SpanOracle for ClusterRelease {
    type Record = [u32];

    fn span(&self, record: &[u32], key: &mut Vec<u32>) {
        let mut reached = Vec::new();
        let oracle = Sites::new(&self.space, &self.centroids);
        oracle.reachable(record, &mut Scratch::default(), &mut reached);
        key.extend(reached);
    }

    fn classes(&self, span: &[u32]) -> u64 {
        span.len() as u64
    }

    fn class(&self, record: &[u32], key: &mut Vec<u32>) {
        key.push(self.predict(record));
    }
}
