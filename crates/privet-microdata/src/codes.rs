//! Codes that are made of digits, such as postal codes: neighbours in their order may be close, and half way between two
//! of them is nothing. They have ranges, and no means.
//!
//! Nothing in the values tells codes from numbers; the hierarchy of the column does. `mask`, and `regions` by the letters
//! of one side, take values for codes; so does a hierarchy that is written down when each of its labels is the value with
//! characters replaced by `*` at one end (`4767*`, `476**`, or `**671`).

use privet_data::hierarchy::{HierarchySpec, Neighbourhood};
use privet_data::{Generalization, Hierarchy};

/// Whether a hierarchy takes values for codes; `is_masked` tells whether its labels are masked values.
pub fn is_of_codes(spec: &HierarchySpec, is_masked: impl FnOnce() -> bool) -> bool {
    match spec {
        HierarchySpec::Mask(_) => true,
        HierarchySpec::Regions(regions) => {
            matches!(regions.by, Some(Neighbourhood::Left | Neighbourhood::Right))
        }
        HierarchySpec::File(_) | HierarchySpec::Groups(_) | HierarchySpec::Tree(_) => is_masked(),
        HierarchySpec::Intervals(_) | HierarchySpec::Dates(_) => false,
    }
}

/// Whether the labels of a hierarchy are masked values.
pub fn masks(hierarchy: &Hierarchy) -> bool {
    are_masks(hierarchy.levels().iter().flat_map(|level| {
        let nodes = hierarchy.leaves().iter().zip(&level.node_of_leaf);
        nodes.map(|(leaf, &node)| (&**leaf, &*level.labels[node as usize]))
    }))
}

/// The same for a hierarchy that was fitted to the values of a column.
pub fn generalizes_by_masks(generalization: &Generalization) -> bool {
    let Some((values, above)) = generalization.levels.split_first() else { return false };
    are_masks(above.iter().flat_map(|level| {
        let codes = values.node_of_code.iter().zip(&level.node_of_code);
        codes.map(|(&leaf, &node)| (&*values.labels[leaf as usize], &*level.labels[node as usize]))
    }))
}

/// Whether labels are their values, masked at one end, the same for all, and some of them in part. A label that is the
/// value, or stars alone, says nothing either way.
fn are_masks<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> bool {
    let (mut at_right, mut at_left, mut in_part) = (true, true, false);
    for (value, label) in pairs {
        if label == value || label.bytes().all(|byte| byte == b'*') {
            continue;
        }
        let (begin, end) = (label.trim_end_matches('*'), label.trim_start_matches('*'));
        at_right &= begin.len() < label.len() && begin.len() < value.len() && value.starts_with(begin);
        at_left &= end.len() < label.len() && end.len() < value.len() && value.ends_with(end);
        if !(at_right || at_left) {
            return false;
        }
        in_part = true;
    }
    in_part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hierarchy(leaves: &[&str], levels: &[&[&str]]) -> Hierarchy {
        let texts = |own: &[&str]| own.iter().map(|&text| text.into()).collect::<Vec<Box<str>>>();
        Hierarchy::new(texts(leaves), levels.iter().map(|level| texts(level)).collect()).unwrap()
    }

    #[test]
    fn masked_values_are_codes() {
        let codes = ["47677", "47678", "47905"];
        for (levels, expected) in [
            (vec![&["4767*", "4767*", "4790*"][..], &["47***", "47***", "47***"]], true),
            (vec![&["4767*", "4767*", "4790*"][..], &["*", "*", "*"]], true),
            (vec![&["**677", "**678", "**905"][..], &["*", "*", "*"]], true),
            (vec![&["476*", "476*", "479*"][..]], true),
            // One side or the other.
            (vec![&["4767*", "4767*", "4790*"][..], &["4****", "4****", "*****"]], true),
            (vec![&["4767*", "4767*", "*7905"][..]], false),
            (vec![&["north", "north", "south"][..], &["*", "*", "*"]], false),
            (vec![&["4767*", "4767*", "south"][..]], false),
            (vec![&["4768*", "4768*", "4790*"][..]], false),
            (vec![&["*", "*", "*"][..]], false),
            (vec![&codes[..], &["*", "*", "*"]], false),
        ] {
            let own = hierarchy(&codes, &levels);
            assert_eq!(masks(&own), expected, "{levels:?}");
            let (domain, _) = privet_data::Domain::canonical(own.leaves().to_vec(), |_| false);
            assert_eq!(generalizes_by_masks(&own.bind(&domain).unwrap()), expected, "{levels:?}");
        }
    }
}
