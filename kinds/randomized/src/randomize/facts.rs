//! What the report of a perturbed release shows beside its manifest: what is published and what can be estimated from
//! it. Everything is computed from the published table.

use privet_data::{Progress, date_of};
use privet_release::PublishedPerturbed;
use privet_report::PerturbedPicture;

use super::model::{self, ReadyLaw};
use crate::error::RunError;
use crate::reconstruct::{Class, ColumnEstimate, ReconstructOptions, one};

/// More values than this are not shown one by one.
const MOST_SHOWN: usize = 24;

/// What can be estimated of each column of a release, from what is published of it.
///
/// # Errors
/// When a law cannot be used.
pub(crate) fn pictures(
    published: &PublishedPerturbed,
    progress: &dyn Progress,
) -> Result<Vec<PerturbedPicture>, RunError> {
    let PublishedPerturbed { manifest, table } = published;
    let ready = model::ready(&manifest.model)?;
    let ready = ready.as_slice();
    let options = ReconstructOptions { bins: 24, ..ReconstructOptions::default() };
    let mut pictures = Vec::new();
    for (position, own) in ready.iter().enumerate() {
        progress.check()?;
        if matches!(own.law, ReadyLaw::Keep) || manifest.data.rows == 0 {
            pictures.push(PerturbedPicture::Nothing);
            continue;
        }
        let found = one(table, ready, position, &Class::all(), &options)?;
        let known = found.records - found.missing.min(found.records);
        let warnings = found.warnings;
        pictures.push(match found.estimate {
            ColumnEstimate::Counts(counts) => {
                let n = (known as f64).max(1.0);
                let worst = counts.values.iter().map(|own| own.standard_error).fold(0.0, f64::max);
                let bars = counts
                    .values
                    .iter()
                    .map(|own| {
                        let share = own.published as f64 / n;
                        (own.value.clone(), share, own.nonnegative / n, own.standard_error / n)
                    })
                    .collect();
                most_frequent(bars, worst, known, warnings)
            }
            ColumnEstimate::Items(found) => {
                let n = (known as f64).max(1.0);
                let worst = found.sets.iter().map(|own| own.standard_error).fold(0.0, f64::max);
                let bars = found
                    .sets
                    .iter()
                    .map(|own| {
                        let share = own.share.clamp(0.0, 1.0);
                        (own.items.join(", "), own.published as f64 / n, share, own.standard_error / n)
                    })
                    .collect();
                most_frequent(bars, worst, known, warnings)
            }
            ColumnEstimate::Numbers(numbers) => {
                let shown = |number: f64| match numbers.dates {
                    true => date_of(number.round().clamp(-719_162.0, 2_932_896.0) as i64),
                    false => short(number),
                };
                PerturbedPicture::Numbers {
                    ends: [
                        numbers.bins.first().map_or(0.0, |bin| bin.from),
                        numbers.bins.last().map_or(0.0, |bin| bin.to),
                    ]
                    .map(shown),
                    bars: numbers.bins.iter().map(|bin| (bin.published, bin.share)).collect(),
                    intervals: numbers.bins.iter().filter_map(|bin| bin.low.zip(bin.high)).collect(),
                    warnings,
                    noise_deviation: numbers.noise_deviation,
                    error_of_one: numbers.mean_standard_error.unwrap_or(0.0) * (known as f64).sqrt(),
                    mean: numbers.mean.map(shown),
                    deviation: numbers.deviation,
                    rounds: numbers.rounds,
                    records: known,
                }
            }
        });
    }
    Ok(pictures)
}

/// A number to three figures, for an axis.
fn short(number: f64) -> String {
    format!("{number:.2e}").parse::<f64>().map_or_else(|_| number.to_string(), |own| own.to_string())
}

/// The bars of the most frequent values: per value its share as published, as estimated, and the error of that.
fn most_frequent(
    mut bars: Vec<(String, f64, f64, f64)>,
    worst: f64,
    records: u64,
    warnings: Vec<String>,
) -> PerturbedPicture {
    let all = bars.len();
    bars.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
    bars.truncate(MOST_SHOWN);
    let left_out = (all - bars.len()) as u64;
    // The error of a share grows as one over the root of the records: told for one record.
    let error_of_one = worst / (records as f64).max(1.0).sqrt();
    PerturbedPicture::Counts { bars, left_out, error_of_one, records, warnings }
}
