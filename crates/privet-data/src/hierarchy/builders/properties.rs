//! What holds for every hierarchy that was built over a column: it covers, nests, ends in one label, and loss
//! grows from 0 to 1 (survey ME-05, UM-04).

use super::super::*;
use crate::{Domain, Kind};
use proptest::prelude::*;
use std::path::Path;

fn check(hierarchy: &Hierarchy, column: &Domain) {
    assert!(error::check(hierarchy.leaves(), hierarchy.levels()).is_ok());
    let bound = hierarchy.bind(column).unwrap();
    let top = &bound.levels[bound.height()];
    assert_eq!(top.labels.len(), 1);
    for level in &bound.levels {
        let mut labels = level.labels.to_vec();
        labels.sort();
        labels.dedup();
        assert_eq!(labels.len(), level.labels.len(), "labels are distinct");
        assert_eq!(level.leaves.iter().sum::<u32>(), bound.leaves);
    }
    for code in 0..column.len() as u32 {
        let losses: Vec<f64> = (0..=bound.height()).map(|level| bound.loss(level, code)).collect();
        assert!(losses.is_sorted() && losses[0] == 0.0);
        assert_eq!(losses[bound.height()], if bound.leaves > 1 { 1.0 } else { 0.0 });
    }
    for pair in bound.levels.windows(2) {
        let mut above = vec![None; pair[0].labels.len()];
        for (&node, &parent) in pair[0].node_of_code.iter().zip(&pair[1].node_of_code) {
            assert_eq!(*above[node as usize].get_or_insert(parent), parent, "levels nest");
        }
    }
}

/// Every region below the top holds enough records, unless there is but one.
fn check_regions(hierarchy: &Hierarchy, thresholds: &[u64], counts: &[u64]) {
    for (level, &threshold) in hierarchy.levels().iter().zip(thresholds) {
        let mut held = vec![0; level.labels.len()];
        level.node_of_leaf.iter().zip(counts).for_each(|(&node, &count)| held[node as usize] += count);
        assert!(held.len() == 1 || held.iter().all(|&count| count >= threshold), "{held:?} {threshold}");
    }
}

fn column_of(values: std::collections::BTreeSet<String>, missing: bool) -> Domain {
    let mut values: Vec<Box<str>> = values.into_iter().map(Box::from).collect();
    if missing {
        values.extend([Box::from("?"), Box::from("")]);
    }
    Domain::canonical(values, |value| value == "?" || value.is_empty()).0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn intervals_hold(
        values in prop::collection::btree_set(-500_i64..500, 1..30), decimals in any::<bool>(), missing in any::<bool>(),
        width in 1_i64..9, factors in prop::collection::vec(2_i64..5, 0..4), min in -20_i64..20,
        top in prop::option::of(0_i64..300), bottom in prop::option::of(-300_i64..0),
    ) {
        let text = |v: &i64| if decimals { format!("{:.2}", *v as f64 / 100.0) } else { v.to_string() };
        let column = column_of(values.iter().map(text).collect(), missing);
        let unit = if decimals { 0.01 } else { 1.0 };
        let scale = |v: i64| ((v as f64) * unit * 100.0).round() / 100.0;
        let mut widths = vec![width];
        for factor in factors {
            widths.push(widths[widths.len() - 1] * factor);
        }
        let intervals = Intervals {
            widths: widths.into_iter().map(scale).collect(),
            min: scale(min),
            top: top.map(scale),
            bottom: bottom.map(scale),
        };
        check(&build(&HierarchySpec::Intervals(intervals), Path::new("."), &column, &[]).unwrap(), &column);
    }

    #[test]
    fn masks_and_regions_hold(
        values in prop::collection::btree_map("[ab*é]{1,5}", 0_u64..30, 1..30), missing in any::<bool>(),
        right in any::<bool>(), symbol in prop::sample::select(vec!['*', 'a', '#']),
        steps in prop::collection::btree_set(1_usize..8, 0..4),
        thresholds in prop::collection::btree_set(1_u64..100, 1..4),
        by in prop::sample::select(vec![None, Some(Neighbourhood::Left), Some(Neighbourhood::Right), Some(Neighbourhood::Order)]),
    ) {
        let column = column_of(values.keys().cloned().collect(), missing);
        let counts: Vec<u64> = column.texts().iter().map(|text| values.get(&**text).copied().unwrap_or(9)).collect();
        let side = if right { Side::Right } else { Side::Left };
        let mask = Mask { side, symbol, steps: steps.into_iter().collect() };
        check(&build(&HierarchySpec::Mask(mask), Path::new("."), &column, &[]).unwrap(), &column);
        let thresholds: Vec<u64> = thresholds.into_iter().collect();
        let regions = HierarchySpec::Regions(Regions { thresholds: thresholds.clone(), by });
        let hierarchy = build(&regions, Path::new("."), &column, &counts).unwrap();
        check(&hierarchy, &column);
        check_regions(&hierarchy, &thresholds, &counts[column.missing() as usize..]);
    }

    #[test]
    fn dates_and_regions_of_dates_hold(
        values in prop::collection::btree_map((0_u32..10_000, 1_u32..13, 1_u32..29, any::<bool>()), 0_u64..30, 1..30),
        units in prop::sample::subsequence(
            vec![DateUnit::Day, DateUnit::Month, DateUnit::Quarter, DateUnit::Year, DateUnit::Decade, DateUnit::Century], 1..=6),
        missing in any::<bool>(), threshold in 1_u64..100,
    ) {
        let values: std::collections::BTreeMap<String, u64> = values
            .into_iter()
            .map(|((y, m, d, time), n)| (format!("{y:04}-{m:02}-{d:02}{}", if time { " 10:00" } else { "" }), n))
            .collect();
        let column = column_of(values.keys().cloned().collect(), missing);
        prop_assert_eq!(column.kind(), Kind::Date);
        check(&build(&HierarchySpec::Dates(Dates { units }), Path::new("."), &column, &[]).unwrap(), &column);
        let week = Dates { units: vec![DateUnit::Day, DateUnit::Week] };
        check(&build(&HierarchySpec::Dates(week), Path::new("."), &column, &[]).unwrap(), &column);
        let counts: Vec<u64> = column.texts().iter().map(|text| values.get(&**text).copied().unwrap_or(9)).collect();
        let regions = HierarchySpec::Regions(Regions { thresholds: vec![threshold], by: None });
        let hierarchy = build(&regions, Path::new("."), &column, &counts).unwrap();
        check(&hierarchy, &column);
        check_regions(&hierarchy, &[threshold], &counts[column.missing() as usize..]);
    }

    #[test]
    fn groups_and_trees_hold(
        sizes in prop::collection::vec(1_usize..4, 1..8), merge in prop::collection::vec(2_usize..4, 0..3),
        depths in prop::collection::vec(0_usize..4, 8), missing in any::<bool>(),
    ) {
        let mut next = 0;
        let mut values = || { next += 1; format!("v{next}") };
        let members: Vec<Vec<String>> = sizes.iter().map(|&n| (0..n).map(|_| values()).collect()).collect();
        let column = column_of(members.iter().flatten().cloned().collect(), missing);
        let groups = Groups { groups: members.iter().cloned().map(Group::of).collect(), merge };
        check(&build(&HierarchySpec::Groups(groups), Path::new("."), &column, &[]).unwrap(), &column);
        let mut branches = Vec::new();
        for (i, (values, &depth)) in members.into_iter().zip(&depths).enumerate() {
            let mut branch = Branch::Values(values);
            for d in 0..depth {
                branch = Branch::Branches(vec![(format!("{i}/{d}"), branch)]);
            }
            branches.push((format!("root{i}"), branch));
        }
        check(&build(&HierarchySpec::Tree(Tree { branches }), Path::new("."), &column, &[]).unwrap(), &column);
    }
}
