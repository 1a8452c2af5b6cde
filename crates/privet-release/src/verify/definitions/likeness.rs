//! beta-likeness (Cao and Karras) and delta-disclosure (Brickell and Shmatikov): the share of a value in a
//! class against its share in the input.
//!
//! A value that occurs c times among the published records, s of n being suppressed, has a share from c/n to
//! (c+s)/n in the input.

use std::ops::RangeInclusive;

use privet_criteria::LikenessKind;

use super::{Judged, Reach, TOLERANCE, Worst};
use crate::verify::table::Released;

/// Per code of a column between which bounds its share in the input lies.
fn input_shares(column: usize, released: &Released) -> Vec<RangeInclusive<f64>> {
    let n = released.input_rows.max(1) as f64;
    let published = released.histogram(column);
    published.values().map(|&c| c as f64 / n..=(c as f64 + released.suppressed as f64) / n).collect()
}

/// The relative gain (p - q) / q of no value exceeds beta; enhanced: min(beta, -ln q). Reached is the largest gain.
pub(super) fn beta_likeness(beta: f64, kind: LikenessKind, column: usize, released: &Released) -> Judged {
    let input = input_shares(column, released);
    let histograms = released.histograms(column);
    let classes = released.classes.iter().zip(&histograms).map(|(class, histogram)| {
        let mut reach = Reach::exactly(0.0, true);
        for (&code, &count) in histogram {
            let share = count as f64 / class.rows as f64;
            let (least, most) = input[code as usize].clone().into_inner();
            let gain = |q: f64| (share - q) / q;
            reach.low = reach.low.max(gain(most));
            reach.high = reach.high.max(gain(least));
            // The gain falls as q grows, and below the share in the class it falls faster than -ln q: what is
            // broken at the largest possible q is broken at all of them.
            let bound = match kind {
                LikenessKind::Basic => beta,
                LikenessKind::Enhanced => beta.min(-most.ln()),
            };
            reach.broken |= gain(most) > bound + TOLERANCE;
        }
        reach
    });
    Judged::new(Worst::Largest, classes.collect())
}

/// |ln(p / q)| < delta for every value of the input. Reached is the largest |ln(p / q)|, without bound when a
/// value of the input is not in the class.
pub(super) fn delta_disclosure(
    delta: f64,
    domain_size: Option<u64>,
    column: usize,
    released: &Released,
) -> Judged {
    let input = input_shares(column, released);
    let histograms = released.histograms(column);
    let classes = released.classes.iter().zip(&histograms).map(|(class, histogram)| {
        let mut reach = Reach::exactly(0.0, true);
        for (code, range) in (0..).zip(&input) {
            let share = histogram.get(&code).copied().unwrap_or(0) as f64 / class.rows as f64;
            let distance = |q: f64| (share / q).ln().abs();
            let ends = (distance(*range.start()), distance(*range.end()));
            reach.low = reach.low.max(if range.contains(&share) { 0.0 } else { ends.0.min(ends.1) });
            reach.high = reach.high.max(ends.0.max(ends.1));
        }
        Reach { broken: reach.low >= delta, ..reach }
    });
    let mut judged = Judged::new(Worst::Largest, classes.collect());
    let published = input.len() as u64;
    match domain_size {
        // Where nothing is published there is no class to judge.
        _ if released.classes.is_empty() => {}
        Some(size) if size > published => {
            judged.problem = Some(format!(
                "broken: {} values of the input are in no published class at all",
                size - published
            ));
        }
        Some(size) if size < published => {
            judged.problem =
                Some(format!("the table has {published} values, the manifest says the input had {size}"));
        }
        None if released.suppressed > 0 => {
            judged.problem = Some("the manifest does not say how many values the input had".to_owned());
        }
        _ => {}
    }
    judged
}
