//! Whether what is stated of noise follows from its law, and whether published values can have come about by it.

use privet_data::Kind;

use super::super::table::{self};
use crate::perturbed::{NoiseColumn, NoiseLaw, NoiseWay, figures_of};
use crate::verify::perturbed::ROUNDING;
use crate::verify::perturbed::figures;
use crate::verify::perturbed::near;

/// The quantile of the normal distribution that leaves 2.5 % above.
pub(super) const NORMAL_95: f64 = 1.959_963_984_540_054;

pub(super) fn noise(own: &NoiseColumn) -> (String, Vec<String>) {
    let mut problems = Vec::new();
    let is_above_0 = |number: Option<f64>| number.is_some_and(|number| number > 0.0 && number.is_finite());
    let of_way = match own.way {
        NoiseWay::Additive | NoiseWay::Multiplicative => is_above_0(own.deviation) && own.factor.is_none(),
        NoiseWay::Correlated => {
            is_above_0(own.factor) && own.deviation.is_none() && own.law == NoiseLaw::Gaussian
        }
    };
    if !of_way {
        problems.push("its noise has no width, or another than its way asks for".to_owned());
    }
    let is_rounded = match (own.step, own.figures) {
        (Some(step), None) => {
            // Dates are whole days: no low digit tells how they were drawn.
            let finest =
                if own.dates { 1.0 } else { own.deviation.unwrap_or(0.0) / 1000.0 * (1.0 - ROUNDING) };
            let coarsest = own.deviation.unwrap_or(f64::INFINITY) * (1.0 + ROUNDING);
            own.way != NoiseWay::Multiplicative
                && step > 0.0
                && step.is_finite()
                && (finest..=coarsest).contains(&step)
        }
        (None, Some(figures)) => {
            own.way == NoiseWay::Multiplicative
                && (1..=figures_of(own.deviation.unwrap_or(1.0))).contains(&figures)
        }
        _ => false,
    };
    if !is_rounded {
        problems.push(
            "it does not say how its values are rounded, or rounds them too finely or too coarsely"
                .to_owned(),
        );
    }
    if own.range.is_some_and(|[low, high]| low.partial_cmp(&high) != Some(std::cmp::Ordering::Less)) {
        problems.push("the declared range of its originals is none".to_owned());
    }
    if own.unit.is_some_and(|unit| !(unit > 0.0 && unit.is_finite())) {
        problems.push("what its originals are multiples of is no number above 0".to_owned());
    }
    let deviation = own.deviation.filter(|_| own.way == NoiseWay::Additive);
    if is_rounded_off(own, deviation) {
        problems.push(ROUNDED_OFF.to_owned());
    }
    let width = own.deviation.filter(|_| own.way == NoiseWay::Additive).map(|deviation| match own.law {
        NoiseLaw::Gaussian => 2.0 * NORMAL_95 * deviation,
        NoiseLaw::Uniform => 2.0 * 0.95 * 3f64.sqrt() * deviation,
    });
    let is_width = match (width, own.interval_95) {
        (Some(width), Some(said)) => near(said, width),
        (None, None) => true,
        _ => false,
    };
    if !is_width {
        problems.push("the manifest says another width of intervals than follows from its noise".to_owned());
    }
    let well = match (own.way, width) {
        (NoiseWay::Additive, Some(width)) => format!(
            "{} noise; an interval that contains an original with 95 % is {} wide",
            own.law.word(),
            figures(width)
        ),
        (NoiseWay::Multiplicative, _) => format!("{} noise on a factor", own.law.word()),
        _ => "noise that is correlated as the originals are".to_owned(),
    };
    (well, problems)
}

/// Why noise below a unit is none.
pub(super) const ROUNDED_OFF: &str = "the standard deviation of its noise is below the unit that all originals are multiples of, so that \
                           rounding to it gives them back; it must be one unit at least";

/// Whether noise of a deviation is below the unit of the originals.
pub(super) fn is_rounded_off(own: &NoiseColumn, deviation: Option<f64>) -> bool {
    own.unit.zip(deviation).is_some_and(|(unit, deviation)| deviation < unit * (1.0 - ROUNDING))
}

/// The most that the deviation of correlated noise can be, which its factor and the published numbers tell: d/(1+d) of their
/// variance is noise. Chance makes that of few records smaller than it is; five deviations are allowed for it.
pub(super) fn correlated_deviation(own: &NoiseColumn, found: &table::Column) -> Option<f64> {
    let factor = own.factor.filter(|_| own.way == NoiseWay::Correlated)?;
    let kind = if own.dates { Kind::Date } else { Kind::Decimal };
    let of_text: Vec<Option<f64>> = found.texts.iter().map(|text| kind.number(text)).collect();
    let numbers = || found.codes.iter().filter_map(|&code| of_text.get(code as usize).copied().flatten());
    let count = numbers().count() as f64;
    let mean = numbers().map(|number| number / count).sum::<f64>();
    let variance = numbers().map(|number| (number - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    Some((factor / (1.0 + factor) * variance).sqrt() * (1.0 + 5.0 / (2.0 * count.max(1.0)).sqrt()))
}

/// Whether neighbouring numbers lie so near each other, where a number lies, that noise of this step can have come upon it and
/// was not rounded off: by four to a step at least.
pub(super) fn takes_noise(number: f64, own: &NoiseColumn) -> bool {
    own.step.is_none_or(|step| 4.0 * (number.abs().next_up() - number.abs()) <= step)
}

/// Whether a number is a multiple of a step, but for the digits in which steps such as 1/3 are written and the last bits of
/// the number itself.
pub(super) fn is_multiple(number: f64, step: f64) -> bool {
    let nearest = (number / step).round() * step;
    (number - nearest).abs() <= 2e-9 * step + 8.0 * f64::EPSILON * number.abs()
}
