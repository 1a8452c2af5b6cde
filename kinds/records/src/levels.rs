//! On which levels of its hierarchy the published labels of a column lie, for the tree that the report draws.

use std::collections::HashMap;

use privet_data::{Generalization, GeneralizedLevel};

use crate::chosen::Place;

/// Where labels of several levels are published, per level of the hierarchy how many of its labels are: each label on the
/// finest level that has it. Of cells that are hidden or not, the values and whether any is hidden.
pub(crate) fn levels_of(
    place: &Place,
    hierarchy: &Generalization,
    generalized: &GeneralizedLevel,
    rows: &[u64],
) -> Vec<u64> {
    let kind = match place {
        Place::Level(_) => return Vec::new(),
        Place::Nodes { kind, .. } | Place::Cells { kind, .. } => *kind,
    };
    let published = || rows.iter().enumerate().filter(|(_, rows)| **rows > 0).map(|(node, _)| node);
    match kind {
        "cells" => {
            let values = published().filter(|&node| generalized.leaves[node] == 1).count() as u64;
            vec![values, u64::from(published().any(|node| generalized.leaves[node] != 1))]
        }
        "cut" | "group-nodes" => {
            let mut level_of: HashMap<(&str, u32), usize> = HashMap::new();
            for (level, own) in hierarchy.levels.iter().enumerate() {
                for (label, &leaves) in own.labels.iter().zip(&own.leaves) {
                    level_of.entry((&**label, leaves)).or_insert(level);
                }
            }
            let mut levels = vec![0; hierarchy.levels.len()];
            for node in published() {
                match level_of.get(&(&*generalized.labels[node], generalized.leaves[node])) {
                    Some(&level) => levels[level] += 1,
                    // Half of the truth is not told.
                    None => return Vec::new(),
                }
            }
            levels
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use privet_data::{Domain, Hierarchy};

    use super::*;

    #[test]
    fn labels_are_counted_on_their_levels() {
        let text = |own: &[&str]| own.iter().map(|own| Box::from(*own)).collect::<Vec<Box<str>>>();
        let leaves = text(&["20", "21", "22", "23", "30"]);
        let (domain, _) = Domain::canonical(leaves.clone(), |_| false);
        let levels = vec![text(&["20-21", "20-21", "22-23", "22-23", "30"]), text(&["*"; 5])];
        let own = Hierarchy::new(leaves, levels).unwrap().bind(&domain).unwrap();
        // 20 and 21 as they are, 22-23, and 30, which is a label of two levels; nobody shows `*`.
        let cut = GeneralizedLevel {
            labels: text(&["20", "21", "22-23", "30", "*"]).into(),
            leaves: vec![1, 1, 2, 1, 5],
            node_of_code: vec![0, 1, 2, 2, 3],
        };
        let place = |kind| Place::Nodes { kind, level: cut.clone() };
        assert_eq!(levels_of(&place("cut"), &own, &cut, &[3, 1, 4, 2, 0]), [3, 1, 0]);
        assert_eq!(levels_of(&place("cut"), &own, &cut, &[0, 0, 4, 0, 2]), [0, 1, 1]);
        assert_eq!(levels_of(&place("cells"), &own, &cut, &[3, 1, 0, 2, 9]), [3, 1]);
        assert_eq!(levels_of(&place("cells"), &own, &cut, &[3, 1, 0, 2, 0]), [3, 0]);
        assert!(levels_of(&place("ranges"), &own, &cut, &[3, 1, 4, 2, 0]).is_empty());
        assert!(levels_of(&Place::Level(1), &own, &cut, &[3, 1, 4, 2, 0]).is_empty());
    }
}
