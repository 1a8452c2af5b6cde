//! The earth mover's distance over a hierarchy (survey PM-26, papers I.2 closed forms; Li et al.): two values are
//! level(lowest common ancestor) / height apart.
//!
//! Mass that must leave a node goes up one level and down one on the other side, half a level's cost each way.
//! So the distance is the mean, over the levels below the top, of the variational distance between the nodes of
//! that level: linear in the size of the tree.

use super::{Distance, most_kept};
use crate::Histogram;
use crate::bound::Bound;

/// Earth mover's distance over the levels of a hierarchy.
pub(crate) struct Hierarchical {
    /// The codes in an order in which the leaves of every node are neighbours.
    order: Vec<u32>,
    /// The levels below the top, from the leaves.
    levels: Vec<Level>,
}

struct Level {
    /// Per place in the order whether the next place belongs to another node.
    ends: Vec<bool>,
    /// Per node, in the order, its share of the input.
    shares: Vec<f64>,
}

impl Hierarchical {
    pub fn new(bound: &Bound<'_>) -> Result<Self, String> {
        let name = bound.column.name;
        let Some(hierarchy) = bound.column.hierarchy else {
            return Err(format!(
                "kind hierarchical needs a hierarchy; give one here or under [columns.{name}]"
            ));
        };
        let fitted = hierarchy
            .bind(bound.column.domain)
            .map_err(|error| format!("hierarchy of column {name}: {error}"))?;
        let Some((top, below)) = fitted.levels.split_last().filter(|(_, below)| !below.is_empty()) else {
            return Err(format!("the hierarchy of column {name} must have a level above the values"));
        };
        if top.node_of_code.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(format!(
                "the hierarchy of column {name} must end in a single label at its top level"
            ));
        }
        // At the lowest level every value is its own, also where the hierarchy takes several markers of a
        // missing value for one.
        let node_of = |number: usize, code: u32| match number {
            0 => code,
            _ => below[number].node_of_code[code as usize],
        };
        let mut order: Vec<u32> = (0..bound.column.domain.len() as u32).collect();
        order.sort_by_cached_key(|&code| {
            (0..below.len()).rev().map(|number| node_of(number, code)).collect::<Vec<_>>()
        });
        let shares = bound.shares();
        let levels = (0..below.len())
            .map(|number| {
                let node = |place: usize| order.get(place).map(|&code| node_of(number, code));
                let ends: Vec<bool> = (0..order.len()).map(|place| node(place) != node(place + 1)).collect();
                let shares = sums(&ends, order.iter().map(|&code| shares[code as usize])).collect();
                Level { ends, shares }
            })
            .collect();
        Ok(Self { order, levels })
    }

    /// Per level the records of a class in each node.
    fn counts(&self, level: &Level, histogram: &Histogram<'_>) -> impl Iterator<Item = f64> {
        sums(&level.ends, self.order.iter().map(|&code| f64::from(histogram.counts[code as usize])))
    }
}

/// Sums values up to each end.
fn sums(ends: &[bool], values: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
    let mut sum = 0.0;
    values.zip(ends).filter_map(move |(value, &end)| {
        sum += value;
        end.then(|| std::mem::take(&mut sum))
    })
}

impl Distance for Hierarchical {
    fn distance(&self, histogram: &Histogram<'_>) -> f64 {
        let each = 1.0 / histogram.total as f64;
        let variational = |level: &Level| -> f64 {
            self.counts(level, histogram)
                .zip(&level.shares)
                .map(|(count, share)| (count * each - share).max(0.0))
                .sum()
        };
        self.levels.iter().map(variational).sum::<f64>() / self.levels.len() as f64
    }

    fn most_kept(&self, histogram: &Histogram<'_>, t: f64) -> u64 {
        let parts: Vec<(f64, f64)> = self
            .levels
            .iter()
            .flat_map(|level| self.counts(level, histogram).zip(level.shares.iter().copied()))
            .collect();
        most_kept(histogram.total, t, self.levels.len() as f64, &parts.into_iter())
    }

    fn name(&self) -> String {
        "earth mover's distance over the hierarchy".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::t_closeness::tests::{closeness, distance};
    use crate::testing::{build_one, column};
    use privet_data::Hierarchy;

    fn boxed(texts: &[&str]) -> Vec<Box<str>> {
        texts.iter().map(|&text| text.into()).collect()
    }

    const DISEASES: [&str; 6] =
        ["gastric ulcer", "gastritis", "stomach cancer", "flu", "bronchitis", "pneumonia"];

    #[test]
    fn papers_fx_t7_the_stomach_example() {
        let branches = boxed(&["stomach", "stomach", "stomach", "lung", "lung", "lung"]);
        let tree = Hierarchy::new(boxed(&DISEASES), vec![branches, boxed(&["*"; 6])]).unwrap();
        let sensitive = column(&DISEASES, &[1; 6]).with_hierarchy(tree);
        let of = |kind: &str, class: &[u32]| distance(closeness(kind, 0.1), &sensitive, class);
        let (stomach, mixed) = (&[1, 1, 1, 0, 0, 0], &[1, 0, 0, 1, 1, 0]);
        assert!((of("variational", stomach) - 0.5).abs() < 1e-12);
        assert!((of("hierarchical", stomach) - 0.5).abs() < 1e-12);
        assert!((of("variational", mixed) - 0.5).abs() < 1e-12, "TV cannot see it");
        assert!((of("hierarchical", mixed) - 1.0 / 3.0).abs() < 1e-12, "EMD can");
    }

    #[test]
    fn a_hierarchy_must_be_there_cover_the_values_and_end_in_one_label() {
        let problem =
            |sensitive| build_one(closeness("hierarchical", 0.1), &sensitive).err().unwrap().problem;
        let plain = || column(&["a", "b"], &[1, 1]);
        assert!(problem(plain()).contains("needs a hierarchy"));
        let two_tops = Hierarchy::new(boxed(&["a", "b"]), vec![boxed(&["x", "y"])]).unwrap();
        assert!(problem(plain().with_hierarchy(two_tops)).contains("single label"));
        let uncovering = Hierarchy::new(boxed(&["a"]), vec![boxed(&["*"])]).unwrap();
        assert!(problem(plain().with_hierarchy(uncovering)).starts_with("hierarchy of column"));
        let flat = Hierarchy::new(boxed(&["a", "b"]), vec![]).unwrap();
        assert!(problem(plain().with_hierarchy(flat)).contains("level above"));
    }
}
