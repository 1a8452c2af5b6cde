//! What the manifest says of the table, against the table: columns, counts, classes, levels, metrics.
//!
//! Everything that can be computed from the published table alone is computed again.

mod metrics;

use std::collections::{BTreeMap, BTreeSet};

use super::kinds::is_of;
use super::outcome::Check;
use super::table::{Released, Table};
use crate::Manifest;
use crate::manifest::{DependencyLink, Recoding};
use metrics::{METRICS, metrics};

/// Whether two computations of one number agree.
pub(super) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// Whether the table has the columns of the manifest, in their order, with roles that may be published.
pub(super) fn columns(manifest: &Manifest, table: &Table) -> Check {
    let columns = &manifest.data.columns;
    let mut problems = Vec::new();
    if columns.len() != table.names.len() {
        problems.push(format!("the table has {} columns, the manifest {}", table.names.len(), columns.len()));
    }
    for (number, (column, name)) in columns.iter().zip(&table.names).enumerate() {
        if column.name != *name {
            problems
                .push(format!("column {} has another name in the table than in the manifest", number + 1));
        }
        let bucketized = manifest.kind.separates_values();
        let is_bucket = column.role == "bucket" && bucketized;
        if !is_bucket && !["quasi", "sensitive", "insensitive"].contains(&column.role.as_str()) {
            problems.push(format!("column {} has a role that cannot be published", number + 1));
        }
        if (column.role == "quasi") != column.recoding.is_some() {
            problems
                .push(format!("column {}: only quasi columns are recoded, and all of them are", number + 1));
        }
        let is_plain = column.recoding.as_ref().is_none_or(|own| own.level == Some(0) && own.nodes.is_none());
        if let Some((alike, cells)) = column.alike.zip(table.columns.get(number)).filter(|_| is_plain) {
            let markers = manifest.data.missing.iter().flatten();
            let is_known = |text: &&String| !text.is_empty() && !markers.clone().any(|own| own == *text);
            let odd = cells.texts.iter().filter(is_known).filter(|text| !is_of(alike.kind, text)).count();
            let others = cells.kinds.is_some_and(|kinds| !kinds.are(alike.kind));
            if odd > 0 || others {
                problems.push(format!(
                    "column {}: it has values that are not of the kind that the manifest says",
                    number + 1
                ));
            }
        }
    }
    if !manifest.kind.separates_values() && !manifest.data.sensitive_tables.is_empty() {
        problems.push("only a bucketized release has tables of sensitive values".to_owned());
    }
    let removed = &manifest.data.removed_columns;
    let still = table.names.iter().filter(|name| removed.contains(name)).count();
    if still > 0 {
        problems.push(format!("{still} columns that the manifest says were removed are in the table"));
    }
    Check::of("columns", format!("{} columns, as the manifest says", columns.len()), &problems)
}

/// Every other check of this file.
pub(super) fn all(manifest: &Manifest, released: &Released) -> Vec<Check> {
    vec![
        records(manifest, released),
        classes(manifest, released),
        levels(manifest, released),
        metrics(manifest, released),
    ]
}

fn records(manifest: &Manifest, released: &Released) -> Check {
    let data = &manifest.data;
    let share = manifest.search.suppress_at_most;
    let mut problems = Vec::new();
    if data.rows != released.table.rows as u64 {
        problems
            .push(format!("the table has {} records, the manifest says {}", released.table.rows, data.rows));
    }
    if data.rows.checked_add(data.suppressed) != Some(data.input_rows) {
        problems.push(format!(
            "{} published and {} suppressed records do not make {} records of the input",
            data.rows, data.suppressed, data.input_rows
        ));
    }
    if let Some(sample) = &data.sample {
        let wanted = (sample.fraction * sample.from_rows as f64).round() as u64;
        let is_part = sample.fraction > 0.0 && sample.fraction <= 1.0 && data.input_rows <= sample.from_rows;
        let fits = match sample.kind.as_str() {
            "simple" => data.input_rows == wanted.min(sample.from_rows),
            "bernoulli" => true,
            _ => false,
        };
        if !is_part || !fits {
            problems.push("the sample is not what the manifest says of it".to_owned());
        }
    }
    if !(0.0..=1.0).contains(&share) {
        problems.push("the share that may be suppressed is not between 0 and 1".to_owned());
    } else if data.suppressed as f64 > (share * data.input_rows as f64 + 1e-6).floor() {
        problems.push(format!(
            "{} of {} records are suppressed, more than the share {share} that was allowed",
            data.suppressed, data.input_rows
        ));
    }
    let well =
        format!("{} of {} records published, {} suppressed", data.rows, data.input_rows, data.suppressed);
    Check::of("records", well, &problems)
}

fn classes(manifest: &Manifest, released: &Released) -> Check {
    let claimed = &manifest.classes;
    let sizes: Vec<u64> = released.classes.iter().map(|class| class.rows).collect();
    let count = sizes.len() as u64;
    let rows: u64 = sizes.iter().sum();
    let smallest = sizes.iter().copied().min().unwrap_or(0);
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let mean = if count == 0 { 0.0 } else { rows as f64 / count as f64 };
    let mut problems = Vec::new();
    for (what, found, said) in [
        ("classes", count, claimed.count),
        ("records in the smallest class", smallest, claimed.min),
        ("records in the largest class", largest, claimed.max),
    ] {
        if found != said {
            problems.push(format!("{found} {what}, the manifest says {said}"));
        }
    }
    if !close(mean, claimed.mean) {
        problems.push(format!("the mean size of a class is {mean}, the manifest says {}", claimed.mean));
    }
    let mut covered = (0, 0);
    let mut after = 0;
    for (number, bin) in claimed.sizes.iter().enumerate() {
        let inside = sizes.iter().filter(|size| (bin.from..=bin.to).contains(size));
        let (found, in_them) = inside.fold((0, 0), |(n, rows), size| (n + 1, rows + size));
        // From a power of two to before the next: nobody chooses bins that look well.
        let is_bin = bin.from.is_power_of_two() && bin.to == 2 * (bin.from - 1) + 1;
        if bin.from <= after && number > 0 || !is_bin || (found, in_them) != (bin.classes, bin.rows) {
            problems.push(format!("bin {} of the histogram of class sizes is wrong", number + 1));
        }
        after = bin.to;
        covered = (covered.0 + found, covered.1 + in_them);
    }
    if covered != (count, rows) {
        problems.push("the histogram of class sizes does not count every class once".to_owned());
    }
    Check::of("classes", format!("{count} classes of {smallest} to {largest} records"), &problems)
}

/// What labels can be that do not all lie on one level.
const KINDS: [&str; 8] =
    ["cut", "ranges", "cells", "group-nodes", "group-ranges", "means", "medians", "modes"];

fn levels(manifest: &Manifest, released: &Released) -> Check {
    let mut problems = Vec::new();
    let bucketized = manifest.kind.separates_values();
    let mut about_people = manifest.promises.iter().filter(|own| own.requirement.population().is_some());
    let of_people = about_people.find_map(|own| own.evidence.population_labels.as_ref());
    let markers = manifest.data.missing.as_deref().unwrap_or_default();
    let recoded = manifest.data.columns.iter().enumerate().filter(|(_, column)| column.recoding.is_some());
    for (quasi, (number, column)) in recoded.enumerate() {
        let Some(recoding) = &column.recoding else { continue };
        let at = format!("column {}", number + 1);
        let labels = &recoding.labels_per_level;
        if labels.len().checked_sub(1) != Some(recoding.height) {
            problems.push(format!(
                "{at}: {} levels are listed, but the top level is {}",
                labels.len(),
                recoding.height
            ));
            continue;
        }
        // Of a table without records the top level alone has a label.
        let grows = manifest.data.input_rows > 0 && labels.windows(2).any(|pair| pair[1] > pair[0]);
        if grows || labels[0] > recoding.leaves {
            problems.push(format!("{at}: a higher level has more labels than a lower one"));
        }
        let texts = &released.table.columns[number].texts;
        let is_shown = |group: &String| texts.iter().any(|text| text == group);
        let distinct = texts.len() as u64;
        // A level may have labels of values that the input does not have: its hierarchy names them, or people of the
        // population that a promise is about have them.
        let of_people = of_people.and_then(|own| own.get(quasi));
        let known = of_people.map_or(distinct, |own| together(texts, own, markers));
        match (recoding.level, &recoding.nodes) {
            (Some(level), None) if level > recoding.height => {
                problems.push(format!("{at}: level {level} is above the top level {}", recoding.height));
            }
            (Some(level), None) if distinct.max(known) > labels[level] => problems.push(format!(
                "{at}: {} distinct labels where level {level} has at most {}",
                distinct.max(known),
                labels[level]
            )),
            (None, Some(nodes)) if distinct != nodes.labels => problems
                .push(format!("{at}: {distinct} distinct labels where the manifest says {}", nodes.labels)),
            (None, Some(nodes)) if !KINDS.contains(&nodes.kind.as_str()) => {
                problems.push(format!("{at}: it was recoded in a way that this version does not know"));
            }
            (None, Some(nodes)) if nodes.groups.iter().flatten().any(|group| !is_shown(group)) => {
                problems.push(format!("{at}: it names a group of values that is not published"));
            }
            (Some(0), None) => {}
            (Some(_), None) | (None, Some(_)) if bucketized => {
                problems.push(format!("{at}: a bucketized release shows values, not labels"));
            }
            (Some(_), None) | (None, Some(_)) => {}
            _ => {
                problems.push(format!("{at}: it must be at one level, or at nodes of several, and not both"));
            }
        }
        if !(-1e-9..=1.0 + 1e-9).contains(&recoding.loss) || recoding.weight < 0.0 {
            problems.push(format!("{at}: its loss is not between 0 and 1, or its weight is negative"));
        }
        // A value itself costs nothing, a suppressed record all.
        let suppressed = released.suppressed as f64 / (released.input_rows as f64).max(1.0);
        if recoding.loss < suppressed - 1e-9 || recoding.level == Some(0) && !close(recoding.loss, suppressed)
        {
            problems.push(format!("{at}: its loss is not the one that its level has"));
        }
    }
    let heights: Vec<usize> =
        manifest.data.columns.iter().filter_map(|column| Some(column.recoding.as_ref()?.height)).collect();
    let mut seen = BTreeSet::new();
    for (number, node) in manifest.search.minimal_nodes.iter().flatten().enumerate() {
        let fits =
            node.len() == heights.len() && node.iter().zip(&heights).all(|(level, height)| level <= height);
        if !fits || !seen.insert(node) {
            problems.push(format!(
                "minimal node {} is not a node of the lattice, or stands there twice",
                number + 1
            ));
        }
    }
    problems.extend(chosen(manifest));
    Check::of("levels", "every quasi column is recoded as the manifest says", &problems)
}

/// How many labels a table and a population have together; markers of a missing value count as one.
fn together(published: &[String], of_people: &BTreeMap<String, String>, markers: &[String]) -> u64 {
    let one = |label: &String| match markers.contains(label) {
        true => String::new(),
        false => label.clone(),
    };
    let labels: BTreeSet<String> = published.iter().chain(of_people.values()).map(one).collect();
    labels.len() as u64
}

/// How many choices of levels there are under hierarchies of these heights.
fn nodes(heights: impl Iterator<Item = usize>) -> u64 {
    heights.map(|height| (height as u64).saturating_add(1)).fold(1, u64::saturating_mul)
}

/// What the search says of its choice, against the choice.
fn chosen(manifest: &Manifest) -> Vec<String> {
    let search = &manifest.search;
    let recodings: Vec<&Recoding> =
        manifest.data.columns.iter().filter_map(|column| column.recoding.as_ref()).collect();
    let levels: Option<Vec<usize>> = recodings.iter().map(|recoding| recoding.level).collect();
    let mut problems = Vec::new();
    if let Some(bound) = search.bound {
        let value = manifest.metrics.get(&search.minimize).copied();
        if !bound.is_finite() {
            problems.push("the bound of the search is not a finite number".to_owned());
        } else if value.is_some_and(|value| bound > value && !close(bound, value)) {
            problems.push("the bound of the search is above what it found".to_owned());
        }
    }
    let below =
        |a: &[usize], b: &[usize]| a != b && a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x <= y);
    if let (Some(nodes), Some(levels)) = (&search.minimal_nodes, &levels) {
        if nodes.iter().any(|node| nodes.iter().any(|other| below(other, node))) {
            problems.push("a minimal node lies above another".to_owned());
        }
        let lists_its_own = ["samarati", "incognito", "hash-table"].contains(&search.algorithm.as_str());
        if lists_its_own && !nodes.contains(levels) {
            problems.push("the published levels are none of the minimal nodes".to_owned());
        }
        let sum = |node: &Vec<usize>| node.iter().map(|&level| level as u128).sum::<u128>();
        if search.algorithm == "samarati" && nodes.iter().any(|node| sum(node) != sum(levels)) {
            problems.push("the nodes of least height have different heights".to_owned());
        }
    }
    let is_metric = |name: &str| METRICS.contains(&name);
    if !is_metric(&search.minimize) || !manifest.metrics.keys().all(|name| is_metric(name)) {
        problems.push("it tells of a metric that this version does not know".to_owned());
    }
    let heights: Vec<usize> = recodings.iter().map(|own| own.height).collect();
    // A purpose leaves the candidates at or above the levels that it asks for.
    let left = search.purpose.as_ref().map(|purpose| {
        nodes(heights.iter().zip(&purpose.levels).map(|(height, least)| height.saturating_sub(*least)))
    });
    let all = nodes(heights.iter().copied());
    if search.lattice_nodes.is_some_and(|said| said != all && Some(said) != left) {
        problems.push("the lattice has another number of candidates than its hierarchies make".to_owned());
    }
    problems.extend(aggregated(manifest));
    if let Some(purpose) = &search.purpose {
        let fits = purpose.levels.len() == recodings.len() && purpose.priorities.len() == recodings.len();
        if !fits
            || levels
                .as_ref()
                .is_none_or(|own| own.iter().zip(&purpose.levels).any(|(own, least)| own < least))
        {
            problems.push("a column is below the level that the purpose asks for".to_owned());
        }
        let shares = [purpose.trust, purpose.degree];
        if shares.iter().chain(&purpose.priorities).any(|share| !(0.0..=1.0).contains(share)) {
            problems.push("the trust, the degree or a priority is not between 0 and 1".to_owned());
        }
    }
    problems
}

/// What microaggregation says of its groups. SSE and SST need the original, and so does `sse-sst`, which is about columns of
/// numbers alone; that they can be, the tree and the key attributes that follow from it (thesis 2.12) do not.
fn aggregated(manifest: &Manifest) -> Vec<String> {
    let ratio = manifest.metrics.get("sse-sst").copied();
    let Some(told) = &manifest.search.microaggregation else {
        let problem = "SSE/SST is told, and not what the groups were formed by".to_owned();
        return ratio.map(|_| problem).into_iter().collect();
    };
    let mut problems = Vec::new();
    let are_squares = |x: f64| x.is_finite() && x >= 0.0;
    if !are_squares(told.sse) || !are_squares(told.sst) || told.sse > told.sst && !close(told.sse, told.sst) {
        problems.push("SSE and SST must be numbers of at least 0, and SSE no larger than SST".to_owned());
    }
    if ratio.is_some_and(|ratio| !(-1e-9..=1.0 + 1e-9).contains(&ratio)) {
        problems.push("`sse-sst` is not between 0 and 1".to_owned());
    }
    let quasi: Vec<&str> = manifest
        .data
        .columns
        .iter()
        .filter(|column| column.recoding.is_some())
        .map(|column| column.name.as_str())
        .collect();
    let keys = match told.method.as_str() {
        "ama" if !told.dependency_tree.is_empty() => key_columns(&quasi, &told.dependency_tree),
        // Without a promise about sizes every record is a group, and nothing needs to be chosen.
        "ama" | "mdav" | "v-mdav" | "univariate" if told.dependency_tree.is_empty() => Some(quasi),
        _ => None,
    };
    if keys.is_none_or(|keys| keys != told.key_columns) {
        problems.push("groups were not formed by the columns that the method looks at".to_owned());
    }
    problems
}

/// The key attributes of a dependency tree, in the order of the columns: those of most links, as few as have as many links
/// as there are columns. `None` when the links are no spanning tree.
fn key_columns<'a>(quasi: &[&'a str], links: &[DependencyLink]) -> Option<Vec<&'a str>> {
    let mut part: Vec<usize> = (0..quasi.len()).collect();
    let mut degrees = vec![0usize; quasi.len()];
    for link in links {
        let place = |name: &str| quasi.iter().position(|own| *own == name);
        let (a, b) = (place(&link.columns[0])?, place(&link.columns[1])?);
        let apart = link.variation_of_information;
        // Entropies are sums of rounded numbers: what should be 0 may be a little less.
        if part[a] == part[b] || !(apart.is_finite() && apart > -1e-6) {
            return None;
        }
        let (from, to) = (part[a], part[b]);
        part.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
        degrees[a] += 1;
        degrees[b] += 1;
    }
    if links.len() + 1 != quasi.len().max(1) {
        return None;
    }
    let mut order: Vec<usize> = (0..quasi.len()).collect();
    order.sort_by_key(|&column| std::cmp::Reverse(degrees[column]));
    let mut sum = 0;
    let needed = order.iter().take_while(|&&column| {
        let is_needed = sum < quasi.len();
        sum += degrees[column];
        is_needed
    });
    let mut keys: Vec<usize> = needed.copied().collect();
    keys.sort_unstable();
    Some(keys.into_iter().map(|column| quasi[column]).collect())
}
