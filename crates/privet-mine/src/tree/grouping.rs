//! Splits of categories in two: a group of values and the rest, beyond the levels of the hierarchy.
//!
//! A node of a level has as many children as the level has nodes, and each must keep its people; two groups leave more records together, so
//! more splits stay legal where k is large. The groups that are tried are those below a place in the order of the codes and in the order of
//! the share of the most frequent class (for two classes the best split of the whole table is among these: Breiman and others 1984), and
//! single nodes of every level.
//!
//! Which groups are tried follows from the table, as cuts of numbers do; what a tree tells is judged by its spans alone. Groups that
//! no test asks for are not published.

use std::collections::BTreeSet;

use super::{Test, TreeModel};
use crate::{Attribute, AttributeDomain, Examples, Level, Schema};

/// The most groups that are tried per order and per level.
const MOST: usize = 64;
/// The most values that a label lists.
const LISTED: usize = 6;

/// The schema of the examples with groups of every attribute's values as further levels.
pub(super) fn with_groupings(examples: &Examples) -> Schema {
    let mut schema = examples.schema().clone();
    let totals = examples.class_counts();
    let class = (0..totals.len()).max_by_key(|&class| totals[class]).unwrap_or(0) as u32;
    for (place, attribute) in schema.attributes.iter_mut().enumerate() {
        let size = attribute.size();
        let found = groupings(attribute, &shares(examples, place, size, class));
        if let AttributeDomain::Categories { values, levels } = &mut attribute.domain {
            levels.extend(found.into_iter().map(|in_group| grouping(values, &in_group)));
        }
    }
    schema
}

/// Per value how many records have the class, and how many there are.
fn shares(examples: &Examples, attribute: usize, size: usize, class: u32) -> Vec<(u64, u64)> {
    let mut shares = vec![(0, 0); size];
    if size > 0 {
        for (&code, &own) in examples.column(attribute).codes.iter().zip(examples.classes()) {
            let share: &mut (u64, u64) = &mut shares[code as usize];
            share.0 += u64::from(own == class);
            share.1 += 1;
        }
    }
    shares
}

/// Per grouping, which values are in the group; none that a level has already, and none twice.
fn groupings(attribute: &Attribute, shares: &[(u64, u64)]) -> Vec<Vec<bool>> {
    let size = attribute.size();
    if size < 3 {
        return Vec::new();
    }
    let by_code: Vec<usize> = (0..size).collect();
    let mut by_share: Vec<usize> = (0..size).filter(|&code| shares[code].1 > 0).collect();
    // a/b before c/d exactly when a·d < c·b.
    by_share.sort_by_key(|&code| code);
    by_share.sort_by(|&a, &b| {
        let ((of_a, all_a), (of_b, all_b)) = (shares[a], shares[b]);
        (u128::from(of_a) * u128::from(all_b)).cmp(&(u128::from(of_b) * u128::from(all_a)))
    });
    let mut seen: BTreeSet<Vec<bool>> = BTreeSet::new();
    // Levels of two nodes are tried as they are.
    for level in attribute.levels().iter().filter(|level| level.labels.len() == 2) {
        seen.insert(normal(level.node_of.iter().map(|&node| node == 1).collect()));
    }
    let mut found = Vec::new();
    let mut add = |in_group: Vec<bool>| {
        let own = normal(in_group);
        if own.contains(&true) && seen.insert(own.clone()) {
            found.push(own);
        }
    };
    for order in [by_code, by_share] {
        let cuts = order.len().saturating_sub(1);
        for cut in (1..=cuts.min(MOST)).map(|cut| if cuts > MOST { cut * cuts / MOST } else { cut }) {
            let mut in_group = vec![false; size];
            order[..cut].iter().for_each(|&code| in_group[code] = true);
            add(in_group);
        }
    }
    for level in (0..=attribute.levels().len()).filter(|&level| attribute.nodes(level) <= MOST) {
        for node in 0..attribute.nodes(level) as u32 {
            add((0..size as u32).map(|code| attribute.node(level, code) == node).collect());
        }
    }
    found
}

/// The same two groups, the first value being outside.
fn normal(in_group: Vec<bool>) -> Vec<bool> {
    match in_group.first() {
        Some(true) => in_group.iter().map(|own| !own).collect(),
        _ => in_group,
    }
}

fn grouping(values: &[String], in_group: &[bool]) -> Level {
    let of = |side: bool| {
        let own = values.iter().zip(in_group).filter(|(_, own)| **own == side);
        own.map(|(value, _)| value.as_str()).collect::<Vec<_>>()
    };
    let (outside, inside) = (of(false), of(true));
    let listed = |own: &[&str]| match own.len() {
        0..=LISTED => own.join(" | "),
        more => format!("{} | and {} more", own[..LISTED - 1].join(" | "), more + 1 - LISTED),
    };
    let labels = match inside.len() <= outside.len() {
        true => vec![format!("not {}", listed(&inside)), listed(&inside)],
        false => vec![listed(&outside), format!("not {}", listed(&outside))],
    };
    let node_of = in_group.iter().map(|&own| u32::from(own)).collect();
    Level { labels, node_of, is_grouping: true }
}

/// The model without the groups that no test asks for.
pub(super) fn without_unused(model: &TreeModel) -> TreeModel {
    let mut own = model.clone();
    for (place, attribute) in own.schema.attributes.iter_mut().enumerate() {
        let AttributeDomain::Categories { levels, .. } = &mut attribute.domain else { continue };
        let asked: BTreeSet<usize> = (model.nodes.iter())
            .filter_map(|node| match node.test {
                Some(Test::Category { attribute, level }) if attribute == place => Some(level),
                _ => None,
            })
            .collect();
        let is_kept: Vec<bool> = (levels.iter().enumerate())
            .map(|(before, level)| !level.is_grouping || asked.contains(&(before + 1)))
            .collect();
        let mut new = vec![0];
        for &kept in &is_kept {
            new.push(new[new.len() - 1] + usize::from(kept));
        }
        let mut kept = is_kept.iter();
        levels.retain(|_| kept.next() == Some(&true));
        for node in &mut own.nodes {
            if let Some(Test::Category { attribute, level }) = &mut node.test
                && *attribute == place
            {
                *level = new[*level];
            }
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Visibility;

    /// Four colours of which the last two go with the class: both orders and every single value, each split once.
    #[test]
    fn groups_are_those_by_hand() {
        let colours = Attribute::categories("colour", Visibility::Public, &["a", "b", "c", "d"]);
        let shares = [(1, 10), (9, 10), (2, 10), (8, 10)];
        let found = groupings(&colours, &shares);
        let text = |own: &Vec<bool>| own.iter().map(|&own| if own { '1' } else { '0' }).collect::<String>();
        let found: Vec<String> = found.iter().map(text).collect();
        // By codes a, ab, abc; by shares a, ac, acd; single values b and c are left.
        assert_eq!(found, ["0111", "0011", "0001", "0101", "0100", "0010"]);
        let AttributeDomain::Categories { values, .. } = &colours.domain else { unreachable!() };
        let level = grouping(values, &[false, true, false, true]);
        assert_eq!(
            (level.labels, level.node_of),
            (vec!["not b | d".into(), "b | d".into()], vec![0, 1, 0, 1])
        );
        assert!(groupings(&Attribute::categories("x", Visibility::Public, &["a", "b"]), &[]).is_empty());
    }
}
