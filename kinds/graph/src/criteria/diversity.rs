//! l-diversity of what nodes have, per class of nodes that cannot be told apart (survey AP-05): who knows that a person is
//! one of several still learns what all of them have.

use crate::{Attribute, Classes};

/// How the values of a class are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Diversity {
    /// Distinct values.
    Distinct,
    /// e to the entropy of the values.
    Entropy,
}

/// Per class how many values its members have; a missing value protects nobody and does not count.
#[must_use]
pub fn diversity_of_classes(classes: &Classes, attribute: &Attribute, kind: Diversity) -> Vec<f64> {
    let mut pairs: Vec<(u32, u32)> = (classes.of().iter().zip(&attribute.codes))
        .filter(|(_, code)| !attribute.domain.is_missing(**code))
        .map(|(&class, &code)| (class, code))
        .collect();
    pairs.sort_unstable();
    let mut diversity = vec![0.0; classes.count()];
    for class in pairs.chunk_by(|a, b| a.0 == b.0) {
        let counts = class.chunk_by(|a, b| a == b).map(<[_]>::len);
        diversity[class[0].0 as usize] = match kind {
            Diversity::Distinct => counts.count() as f64,
            Diversity::Entropy => {
                let share = |count: usize| count as f64 / class.len() as f64;
                counts.map(|count| -share(count) * share(count).ln()).sum::<f64>().exp()
            }
        };
    }
    diversity
}
