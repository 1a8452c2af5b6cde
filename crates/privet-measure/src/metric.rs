//! The names of the metrics.

use serde::{Deserialize, Serialize};

/// What can be minimized. Smaller is better for every one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Mean over quasi columns and records of (leaves covered - 1)/(leaves - 1); a suppressed record costs 1 (survey UM-04).
    #[default]
    Loss,
    /// Sum of the levels (survey UM-02).
    Height,
    /// Mean of level/height over cells, a suppressed record costing 1: one minus Sweeney's precision.
    Precision,
    /// Sum of squared class sizes, plus the size of the table for each suppressed record (survey UM-06).
    Discernibility,
    /// Published records per class (survey UM-07).
    AverageClassSize,
    /// Mean over records of the tuples of the domain that could have become the published one (survey UM-08).
    Ambiguity,
    /// Mean over cells of the bits needed to get the value back, given the published label (non-uniform entropy).
    NonUniformEntropy,
    /// Divergence, in nats, of the quasi-identifier's distribution from the one a reader would rebuild by
    /// spreading every class evenly over the values it covers (survey UM-09).
    KullbackLeibler,
    /// Share of records that are suppressed or not of the majority label of their class (survey UM-05).
    Classification,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Metric; 9] = [
        Metric::Loss,
        Metric::Height,
        Metric::Precision,
        Metric::Discernibility,
        Metric::AverageClassSize,
        Metric::Ambiguity,
        Metric::NonUniformEntropy,
        Metric::KullbackLeibler,
        Metric::Classification,
    ];

    /// The word in job files and manifests.
    pub fn word(self) -> &'static str {
        match self {
            Metric::Loss => "loss",
            Metric::Height => "height",
            Metric::Precision => "precision",
            Metric::Discernibility => "discernibility",
            Metric::AverageClassSize => "average-class-size",
            Metric::Ambiguity => "ambiguity",
            Metric::NonUniformEntropy => "non-uniform-entropy",
            Metric::KullbackLeibler => "kullback-leibler",
            Metric::Classification => "classification",
        }
    }

    /// The metric with this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.word() == word)
    }

    /// Whether it can weigh one column more than another.
    pub fn takes_weights(self) -> bool {
        matches!(self, Metric::Loss | Metric::Height | Metric::Precision | Metric::NonUniformEntropy)
    }

    /// Whether it needs a class column.
    pub fn needs_class(self) -> bool {
        self == Metric::Classification
    }
}
