//! Whether the metrics of a manifest are possible for the release that it describes.

use super::super::outcome::Check;
use super::super::table::Released;
use crate::Manifest;
use crate::manifest::Recoding;
use crate::verify::consistency::close;

/// What a search can minimize.
pub(super) const METRICS: [&str; 11] = [
    "loss",
    "height",
    "precision",
    "non-uniform-entropy",
    "discernibility",
    "average-class-size",
    "ambiguity",
    "kullback-leibler",
    "classification",
    "suppressed-cells",
    "sse-sst",
];

pub(super) fn metrics(manifest: &Manifest, released: &Released) -> Check {
    let mut problems = Vec::new();
    for (name, value) in &manifest.metrics {
        if !value.is_finite() {
            problems.push(format!("`{name}` is not a finite number"));
        }
    }
    let squares: f64 = released.classes.iter().map(|class| (class.rows as f64).powi(2)).sum();
    let discernibility = squares + released.input_rows as f64 * released.suppressed as f64;
    let mut recomputed = vec![("discernibility", discernibility)];
    if !released.classes.is_empty() {
        let mean = released.table.rows as f64 / released.classes.len() as f64;
        recomputed.push(("average-class-size", mean));
    }
    recomputed.extend(of_levels(manifest, released));
    let columns = manifest.data.columns.iter().zip(&released.table.columns);
    let in_cells = |recoding: &Recoding| recoding.nodes.as_ref().is_some_and(|nodes| nodes.kind == "cells");
    let stars =
        columns.filter(|(column, _)| column.recoding.as_ref().is_some_and(in_cells)).map(|(_, cells)| {
            let star = cells.texts.iter().position(|text| text == "*");
            star.map_or(0, |star| cells.codes.iter().filter(|&&code| code as usize == star).count())
        });
    recomputed.push(("suppressed-cells", stars.sum::<usize>() as f64));
    let mut checked = 0;
    for (name, value) in recomputed {
        match manifest.metrics.get(name) {
            Some(&said) if !close(said, value) => {
                problems.push(format!("`{name}` is {value}, the manifest says {said}"));
            }
            Some(_) => checked += 1,
            None => {}
        }
    }
    problems.extend(beyond_bounds(manifest, released));
    let well = format!("{} metrics, {checked} of them computed again", manifest.metrics.len());
    Check::of("metrics", well, &problems)
}

/// Metrics that need the original lie between what any original could give: a record could be at most all tuples of the domain
/// (ambiguity), and a reader is at most as surprised as by one of them (Kullback-Leibler divergence: what a group puts on a
/// tuple is at least the share of its records there over the size of the domain).
pub(super) fn beyond_bounds(manifest: &Manifest, released: &Released) -> Vec<String> {
    let recodings = manifest.data.columns.iter().filter_map(|column| column.recoding.as_ref());
    let domain: f64 = recodings.clone().map(|own| (own.leaves.max(1) as f64).ln()).sum();
    let is_unchanged = released.suppressed == 0 && recodings.clone().all(|own| own.level == Some(0));
    let most = |value: f64| if is_unchanged { 0.0 } else { value };
    let bounds = [
        ("ambiguity", if released.input_rows == 0 { 0.0 } else { 1.0 }, most(domain).exp()),
        ("kullback-leibler", 0.0, most(domain)),
        ("classification", 0.0, 1.0),
        ("non-uniform-entropy", 0.0, f64::INFINITY),
        ("suppressed-cells", 0.0, f64::INFINITY),
    ];
    let may_overlap = |own: &Recoding| {
        own.nodes.as_ref().is_some_and(|nodes| !matches!(nodes.kind.as_str(), "cut" | "ranges"))
    };
    let mut problems = Vec::new();
    // Summed over groups it is the divergence only where no two of them reach over the same values.
    if manifest.metrics.contains_key("kullback-leibler")
        && (manifest.kind.separates_values() || recodings.clone().any(may_overlap))
    {
        problems.push(
            "`kullback-leibler` is told of groups that may overlap, where it is not defined so".to_owned(),
        );
    }
    let is_out = |&(name, low, high): &(&str, f64, f64)| {
        manifest.metrics.get(name).is_some_and(|&own| {
            let slack = 1e-9 * own.abs().max(1.0);
            own < low - slack || own > high + slack
        })
    };
    let out = bounds.iter().copied().filter(|own| is_out(own));
    problems.extend(out.map(|(name, ..)| format!("`{name}` is beyond what any original could give")));
    problems
}

/// What the levels of the columns say of a release in which every quasi column is at one level: its height, its loss of
/// precision, and its loss as the mean of those of the columns.
pub(super) fn of_levels(manifest: &Manifest, released: &Released) -> Vec<(&'static str, f64)> {
    let recodings: Vec<&Recoding> =
        manifest.data.columns.iter().filter_map(|column| column.recoding.as_ref()).collect();
    let weights: f64 = recodings.iter().map(|recoding| recoding.weight).sum();
    let levels: Option<Vec<usize>> = recodings.iter().map(|recoding| recoding.level).collect();
    let Some(levels) = levels.filter(|_| weights > 0.0 && weights.is_finite()) else { return Vec::new() };
    let suppressed = released.suppressed as f64 / (released.input_rows as f64).max(1.0);
    let sum = |of: &dyn Fn(&Recoding, f64) -> f64| -> f64 {
        recodings
            .iter()
            .zip(&levels)
            .map(|(recoding, &level)| recoding.weight * of(recoding, level as f64))
            .sum()
    };
    let share = |recoding: &Recoding, level: f64| match recoding.height {
        0 => suppressed,
        height => suppressed + (1.0 - suppressed) * level / height as f64,
    };
    vec![
        ("height", sum(&|_, level| level)),
        ("precision", sum(&share) / weights),
        ("loss", sum(&|recoding, _| recoding.loss) / weights),
    ]
}
