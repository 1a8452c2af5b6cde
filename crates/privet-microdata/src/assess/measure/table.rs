//! Figures about the identifying columns together: detail, distributions, numbers.

use std::collections::HashSet;

use privet_attack::Note;
use privet_criteria::Requirement;
use privet_data::Hierarchy;
use privet_measure::utility::{
    Bracket, Classes, Climb, Deviation, Spread, conditional_entropy, correlation_error, distortion_ratio,
    entropy_difference, generalization_steps, mean_variation, rank_correlation_error,
    variation_of_covariances, variation_of_means, variation_of_variances,
};
use privet_report::{Figure, Utility};

use super::super::original::recoding;
use super::numbers::{Numbers, relative};
use super::{Beside, figure, spread_out};
use crate::error::RunError;

/// Figures about quasi columns together. `reach` is the release by how far the values behind what it shows reach, where that
/// could be listed.
pub fn table_figures(
    beside: &Beside<'_>,
    spread: &Spread<'_>,
    reach: Option<&Spread<'_>>,
    notes: &mut Vec<Note>,
) -> Result<Vec<Figure>, RunError> {
    let originals: Vec<&[u32]> =
        (0..beside.release.quasi.len()).map(|quasi| beside.quasi_codes(quasi)).collect();
    let groups = spread_out(beside, &beside.alike().0);
    let classes = Classes::new(&groups, beside.mask())?;
    let mut figures = detail_figures(beside, reach);
    figures.extend(class_figures(beside, &classes));
    figures.push(figure(
        "ambiguity-observed",
        "Ambiguity over observed values (AM)",
        reach.map_or(f64::NAN, Spread::ambiguity),
        false,
        "How many combinations of values that occur a published record could stand for, on average; `ambiguity`, as searches have it, \
         counts all values of hierarchies.",
    ));
    figures.extend(estimate_figures(spread)?);
    figures.extend(entropy_figures(beside, &originals)?);
    figures.push(figure(
        "group-entropy",
        "Entropy within groups, summed",
        classes.group_entropy(&originals)?,
        false,
        "How mixed the original values are within groups, summed over groups and columns.",
    ));
    let mut figures: Vec<Figure> = figures.into_iter().flatten().collect();
    figures.extend(distortion(beside, notes)?);
    Ok(figures)
}

/// How many records are published.
fn published_share(beside: &Beside<'_>) -> (f64, f64) {
    let suppressed = beside.suppressed.iter().filter(|gone| **gone).count();
    (suppressed as f64, beside.suppressed.len().max(1) as f64)
}

/// What is left out, and how much detail the rest lost.
fn detail_figures(beside: &Beside<'_>, reach: Option<&Spread<'_>>) -> Vec<Option<Figure>> {
    let losses = reach.map(Spread::losses).unwrap_or_default();
    let total = if reach.is_some() { losses.iter().sum() } else { f64::NAN };
    let mean = total / losses.len().max(1) as f64;
    let (suppressed, rows) = published_share(beside);
    vec![
        figure(
            "suppressed",
            "Records left out",
            suppressed / rows,
            true,
            "The share of the records that are not published at all.",
        ),
        figure(
            "loss-observed",
            "Loss of detail over observed values (LM)",
            mean,
            false,
            "How much of each identifying column's detail is given up, on average: 0 nothing, 1 everything. Counted over the values that \
             occur in the original; `loss`, which a search minimizes, counts over all values of a hierarchy.",
        ),
        figure(
            "loss-observed-sum",
            "Loss of detail over observed values, summed over columns",
            total,
            false,
            "The loss of detail of all identifying columns together, each from 0 to 1.",
        ),
        figure(
            "suppressed-cells",
            "Cells that say nothing",
            reach.map_or(f64::NAN, |own| own.suppressed_cells() as f64),
            false,
            "Cells whose label could be any value, those of records left out included.",
        ),
    ]
}

/// How large groups are.
fn class_figures(beside: &Beside<'_>, classes: &Classes) -> Vec<Option<Figure>> {
    let k = beside.release.manifest.as_ref().and_then(|manifest| {
        manifest.promises.iter().find_map(|promise| match promise.requirement {
            Requirement::KAnonymity { k } => Some(k),
            _ => None,
        })
    });
    let (suppressed, rows) = published_share(beside);
    vec![
        figure(
            "discernibility",
            "Discernibility (DM)",
            classes.discernibility(),
            false,
            "Every record counts the records that look like it; those left out count all.",
        ),
        figure(
            "average-class-size",
            "Records that look alike, on average",
            // Of records that are not there nothing is to be told.
            if suppressed >= rows { f64::NAN } else { classes.average_size() },
            false,
            "How many published records share all identifying columns, on average.",
        ),
        k.and_then(|k| {
            figure(
                "c-avg",
                "The same, over k (C_AVG)",
                classes.normalized_average_size(k).ok()?,
                false,
                "How many times larger than asked for groups are, on average: 1 is the best possible.",
            )
        }),
    ]
}

/// How far the table that a reader would estimate is from the original.
fn estimate_figures(spread: &Spread<'_>) -> Result<Vec<Option<Figure>>, RunError> {
    let rebuilt = spread.reconstruct();
    let (largest, euclidean) = (rebuilt.largest_difference(), rebuilt.norm(2.0)?);
    Ok(vec![
        figure(
            "kl-observed",
            "Kullback-Leibler divergence over observed values",
            rebuilt.kullback_leibler(),
            false,
            "How surprised somebody would be by the original who believes the release and knows which values occur, in nats: 0 not at all; \
             `kullback-leibler`, as searches have it, counts all values of hierarchies.",
        ),
        figure(
            "log-likelihood-ratio",
            "Log-likelihood ratio",
            rebuilt.log_likelihood_ratio(),
            false,
            "The same surprise, summed over all records.",
        ),
        figure(
            "total-variation",
            "Total variation distance",
            rebuilt.total_variation(),
            false,
            "The largest error in the probability of any event, when it is estimated from the release.",
        ),
        figure(
            "hellinger",
            "Hellinger distance",
            rebuilt.hellinger(),
            false,
            "Another distance between the table and what the release says of it, from 0 to 1.",
        ),
        figure(
            "largest-difference",
            "Largest error in one cell",
            largest.most,
            true,
            &told_of(largest, "The largest error in the share of any single combination of values"),
        ),
        figure(
            "l2",
            "Euclidean distance (L2)",
            euclidean.most,
            false,
            &told_of(
                euclidean,
                "The root of the summed squared errors in the shares of all combinations of values",
            ),
        ),
    ])
}

/// How many questions the published columns answer.
fn entropy_figures(beside: &Beside<'_>, originals: &[&[u32]]) -> Result<Vec<Option<Figure>>, RunError> {
    // Records that are left out show nothing: one more label.
    let shown: Vec<Vec<u32>> = beside
        .labels
        .iter()
        .map(|own| {
            own.iter()
                .zip(&beside.suppressed)
                .map(|(&label, &gone)| if gone { u32::MAX } else { label })
                .collect()
        })
        .collect();
    let published: Vec<&[u32]> = shown.iter().map(Vec::as_slice).collect();
    Ok(vec![
        figure(
            "entropy-difference",
            "Bits that no longer tell records apart",
            entropy_difference(originals, &published)?,
            false,
            "How many yes-or-no questions fewer the identifying columns answer.",
        ),
        overall_entropy(beside)?,
        figure(
            "conditional-entropy",
            "Bits that remain unknown",
            conditional_entropy(originals, &published)?,
            false,
            "How many yes-or-no questions remain about the original values of a record when its published ones are known.",
        ),
    ])
}

/// The change of the entropy of all published columns together (Gomatam and Karr, survey UM-12). Of buckets there is none: they
/// do not tell who has which sensitive value.
fn overall_entropy(beside: &Beside<'_>) -> Result<Option<Figure>, RunError> {
    let (original, release) = (&beside.original.table, beside.release);
    if release.separates_values() {
        return Ok(None);
    }
    let mut before: Vec<&[u32]> = Vec::new();
    let mut after: Vec<Vec<u32>> = Vec::new();
    for published in &release.table.columns {
        let Some(own) = original.column(&published.name) else { continue };
        // Records that are left out show nothing: one more label.
        let mut shown = vec![u32::MAX; original.rows];
        for (&code, &record) in published.codes.iter().zip(&beside.original.record_of) {
            shown[record as usize] = code;
        }
        before.push(&own.codes);
        after.push(shown);
    }
    let after: Vec<&[u32]> = after.iter().map(Vec::as_slice).collect();
    Ok(overall(entropy_difference(&before, &after)?))
}

/// The figure of it.
pub fn overall(bits: f64) -> Option<Figure> {
    figure(
        "entropy-difference-all",
        "Bits that all columns no longer tell",
        bits,
        false,
        "How many yes-or-no questions fewer all published columns together answer; below 0, how many more.",
    )
}

/// A sentence about a number that is known, or of which only the upper bound is.
fn told_of(own: Bracket, says: &str) -> String {
    match own.exact() {
        Some(_) => format!("{says}."),
        None => format!("{says}, at most: labels overlap too much to tell it exactly."),
    }
}

/// Per label of a quasi column its level, and the height of its hierarchy. Where labels are on different levels, the hierarchy
/// tells each: the lowest at which all records that show the label have it, so that a label which stands on several levels
/// counts as few steps as it takes. `None` where a label is no node, or nothing tells the hierarchy.
fn levels(beside: &Beside<'_>, quasi: usize) -> Option<(Vec<u32>, u32)> {
    let at = *beside.release.quasi.get(quasi)?;
    let own = recoding(beside.release, at)?;
    let labels = &beside.release.table.columns[at].domain;
    let height = own.height as u32;
    if let Some(level) = own.level {
        return Some((vec![level as u32; labels.len()], height));
    }
    let original = beside.original.quasi.get(quasi)?;
    let column = beside.original.table.columns.get(original.position)?;
    let hierarchy = match &original.hierarchy {
        Some(hierarchy) => hierarchy.clone(),
        // Without a hierarchy of its own a value is itself or anything.
        None if height == 1 => Hierarchy::flat(&column.domain),
        None => return None,
    };
    let bound = hierarchy.bind(&column.domain).ok().filter(|own| own.height() as u32 == height)?;
    // A label that the release calls a group is none of its values, whatever it looks like.
    let is_group =
        |label: &str| own.nodes.as_ref().is_some_and(|own| own.groups.iter().flatten().any(|g| g == label));
    let lowest = |label: &str| u32::from(is_group(label));
    let mut level_of: Vec<u32> = labels.texts().iter().map(|label| lowest(label)).collect();
    let shows = |level: u32, code: u32, label: &str| {
        let level = &bound.levels[level as usize];
        &*level.labels[level.node_of_code[code as usize] as usize] == label
    };
    let mut seen = HashSet::new();
    for (record, &gone) in beside.suppressed.iter().enumerate() {
        let (label, code) = (beside.labels[quasi][record], column.codes[record]);
        if gone || !seen.insert((label, code)) {
            continue;
        }
        let text = labels.text(label);
        let found = (level_of[label as usize]..=height).find(|&level| shows(level, code, text));
        // A cell that is suppressed says nothing, whatever the top of the hierarchy is called.
        let found = found.or((text == "*").then_some(height))?;
        level_of[label as usize] = found;
    }
    Some((level_of, height))
}

/// The thesis' distortion ratio and the steps that it counts (thesis section 3, survey UM-02), where every label stands on a
/// level of a hierarchy.
fn distortion(beside: &Beside<'_>, notes: &mut Vec<Note>) -> Result<Vec<Figure>, RunError> {
    let (release, count) = (beside.release, beside.release.quasi.len());
    if release.quasi.iter().any(|&at| recoding(release, at).is_none()) {
        return Ok(Vec::new());
    }
    let found: Vec<Option<(Vec<u32>, u32)>> = (0..count).map(|quasi| levels(beside, quasi)).collect();
    let without: Vec<&str> = (release.quasi.iter().zip(&found))
        .filter(|own| own.1.is_none())
        .map(|own| release.table.columns[*own.0].name.as_str())
        .collect();
    if !without.is_empty() {
        notes.push(Note::of_original(format!(
            "The distortion ratio and the steps up the hierarchies are not computed: labels of {} have no level of a hierarchy, \
             as ranges and means have none, or the job that tells the hierarchy is not given.",
            without.join(", ")
        )));
        return Ok(Vec::new());
    }
    let levels: Vec<(Vec<u32>, u32)> = found.into_iter().flatten().collect();
    let climbs: Vec<Climb<'_>> = levels
        .iter()
        .zip(&beside.labels)
        .map(|((level_of_label, height), published)| Climb { published, level_of_label, height: *height })
        .collect();
    let rows = beside.suppressed.len().max(1) as f64;
    let steps: u64 = generalization_steps(&climbs, beside.mask())?.iter().sum();
    let figures = [
        figure(
            "distortion",
            "Distortion ratio",
            distortion_ratio(&climbs, beside.mask())?,
            true,
            "Steps taken up the hierarchies, of all that could be taken.",
        ),
        figure(
            "steps",
            "Steps up the hierarchies per record",
            steps as f64 / rows,
            false,
            "How many times values of a record were replaced by what stands above them, on average; records left out went all \
             the way. Without records left out it is the height of the generalization.",
        ),
    ];
    Ok(figures.into_iter().flatten().collect())
}

/// How many numbers are 0 and became another: a change that is relative to nothing.
fn zeros(numbers: &[Numbers]) -> u64 {
    let cells = numbers.iter().filter(|own| !own.is_date).flat_map(|own| own.before.iter().zip(&own.after));
    cells.filter(|(before, after)| **before == 0.0 && after.is_finite() && **after != 0.0).count() as u64
}

/// A figure about columns of numbers: its key, its name, its value, whether it is a share, and what it says.
type NumberRow = (&'static str, &'static str, Option<f64>, bool, String);

/// How much of what goes together goes together still.
fn pair_rows(before: &[&[f64]], after: &[&[f64]]) -> Result<[NumberRow; 3], RunError> {
    Ok([
        (
            "variation-of-covariances",
            "Change of covariances",
            variation_of_covariances(before, after, Deviation::Relative)?.mean,
            true,
            "How far the covariances of columns are from what the release says, relative to the covariances."
                .to_owned(),
        ),
        (
            "correlation-error",
            "Change of correlations",
            correlation_error(before, after)?,
            false,
            "How far correlations (from -1 to 1) are from what the release says, on average.".to_owned(),
        ),
        (
            "rank-correlation-error",
            "Change of rank correlations",
            rank_correlation_error(before, after)?,
            false,
            "The same for correlations of ranks (Spearman).".to_owned(),
        ),
    ])
}

/// Says how many numbers nothing is relative to.
fn remark_on_zeros(numbers: &[Numbers], utility: &mut Utility) {
    let zeros = zeros(numbers);
    if zeros > 0 {
        let what = if zeros == 1 { "number that was 0 is" } else { "numbers that were 0 are" };
        utility.remark(format!(
            "Change of single numbers: {zeros} {what} left out, since nothing is relative to 0."
        ));
    }
}

/// Figures about columns of numbers: what moments become when a label is read as the mean of its values.
pub fn number_figures(beside: &Beside<'_>, utility: &mut Utility) -> Result<(), RunError> {
    let numbers = beside.all_numbers();
    if numbers.is_empty() {
        return Ok(());
    }
    let before: Vec<&[f64]> = numbers.iter().map(|own| own.before.as_slice()).collect();
    let after: Vec<&[f64]> = numbers.iter().map(|own| own.after.as_slice()).collect();
    let groups = spread_out(beside, &beside.release.group_of);
    let standardized: Vec<Vec<f64>> = numbers.iter().map(|own| own.standardized().0).collect();
    let squares = Classes::new(&groups, beside.mask())?
        .sum_of_squares(&standardized.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
    // Buckets show every number as it is: nothing of their spread is hidden within them.
    let in_buckets = beside.release.shows_identities();
    let has_dates = numbers.iter().any(|own| own.is_date);
    let to = |what: &str| match has_dates {
        false => format!("relative to {what}"),
        true => {
            format!("relative to {what}; of dates, which have no zero, relative to their standard deviation")
        }
    };
    let mut figures: Vec<NumberRow> = vec![
        (
            "sse-sst",
            "Spread of numbers lost (SSE/SST)",
            (!in_buckets && beside.original.knows_codes).then(|| squares.ratio()),
            true,
            "How much of the spread of the identifying columns of numbers, each by its standard deviation, lies within \
             groups, and so can no longer be seen."
                .to_owned(),
        ),
        (
            "mean-variation",
            "Change of single numbers",
            relative(&numbers, mean_variation)?,
            true,
            format!(
                "How far a number is from what the release says instead, on average, {}.",
                to("the number")
            ),
        ),
        (
            "variation-of-means",
            "Change of means",
            relative(&numbers, variation_of_means)?,
            true,
            format!("How far the means of columns are from what the release says, {}.", to("the means")),
        ),
        (
            "variation-of-variances",
            "Change of variances",
            variation_of_variances(&before, &after, Deviation::Relative)?.mean,
            true,
            "How far the variances of columns are from what the release says, relative to the variances."
                .to_owned(),
        ),
    ];
    // Of pairs also those with columns that show what they held: what went with the coarsened one is lost too.
    let others = beside.other_numbers();
    let (before, after): (Vec<&[f64]>, Vec<&[f64]>) =
        numbers.iter().chain(&others).map(|own| (own.before.as_slice(), own.after.as_slice())).unzip();
    if before.len() > 1 {
        figures.extend(pair_rows(&before, &after)?);
    }
    remark_on_zeros(&numbers, utility);
    for (key, name, value, is_share, says) in figures {
        match value.and_then(|value| figure(key, name, value, is_share, &says)) {
            Some(figure) => utility.figures.push(figure),
            // Nothing is wrong with it: buckets hide nothing of these columns.
            None if key == "sse-sst" && in_buckets => {}
            None => {
                let columns: Vec<&str> = numbers.iter().map(|own| own.name.as_str()).collect();
                utility.remark(format!(
                    "{name} has no finite value for the columns of numbers ({}).",
                    columns.join(", ")
                ));
            }
        }
    }
    Ok(())
}
