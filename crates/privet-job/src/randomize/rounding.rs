//! How finely published numbers are rounded, and how wide noise must be to hide anything.
//!
//! # Guarantee
//! Noise that rounding takes off again is refused. Originals lie on a grid that everybody can guess: days, whole numbers,
//! so many decimals. Where the noise is smaller than the unit of that grid, rounding to it gives every original back; so
//! the standard deviation must be one unit at least. Of multiplied numbers this must hold for half of those that are not
//! 0, which stay 0. Published steps lie between a thousandth of the noise and the noise itself: finer ones show the low
//! digits of floating-point noise, which tell from which value it was added. Where no data is read the grid of numbers is
//! not known, and only that of dates is checked.

use privet_data::{Column, Kind};
use privet_perturb::covariance;
use privet_release::perturbed::NoiseWay;

use super::spec::PerturbSpec;
use crate::error::JobError;

/// The finest unit of decimals that is looked for: beyond it numbers are as good as continuous.
const MOST_DECIMALS: usize = 6;

/// What the data tell of a column of numbers or dates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Grain {
    /// What its values are.
    pub kind: Kind,
    /// What all values are multiples of: 1, or 0.1, 0.01, …
    unit: f64,
    /// The median of the sizes of values that are not 0; absent without any.
    typical: Option<f64>,
    /// The deviation of correlated noise; absent where it cannot be computed.
    correlated: Option<f64>,
}

impl Grain {
    /// Of a column; `None` when it has no value.
    pub fn of(column: &Column, spec: &PerturbSpec) -> Option<Self> {
        let domain = &column.domain;
        let texts = (domain.missing()..domain.len() as u32).map(|code| domain.text(code));
        let decimals = texts.map(decimals_of).max()?.min(MOST_DECIMALS);
        let numbers: Vec<f64> = column.codes.iter().filter_map(|&code| domain.number(code)).collect();
        let mut sizes: Vec<f64> =
            numbers.iter().map(|number| number.abs()).filter(|&size| size > 0.0).collect();
        let middle = sizes.len() / 2;
        let typical = (!sizes.is_empty()).then(|| *sizes.select_nth_unstable_by(middle, f64::total_cmp).1);
        let variance = || covariance(&numbers, 1).ok().and_then(|matrix| matrix.get((0, 0)).copied());
        let correlated =
            spec.correlated_factor().and_then(|factor| variance().map(|variance| (factor * variance).sqrt()));
        let kind = domain.kind();
        let unit = match kind {
            Kind::Decimal => 10f64.powi(-(decimals as i32)),
            _ => 1.0,
        };
        Some(Self { kind, unit, typical, correlated })
    }
}

/// What all originals are multiples of, as far as it is published: what everybody can guess from values without noise. Of
/// multiplied numbers no distribution is reconstructed that could use it.
pub(super) fn unit(
    spec: &PerturbSpec,
    name: &str,
    way: NoiseWay,
    dates: bool,
    grain: Option<Grain>,
) -> Result<Option<f64>, JobError> {
    let wrong = |problem: &str| Err(JobError::key(format!("columns.{name}.perturb.unit"), problem));
    match spec.unit {
        Some(unit) if !(unit > 0.0 && unit.is_finite()) => wrong("must be a number above 0"),
        Some(_) if way == NoiseWay::Multiplicative => {
            wrong("has no use for noise that is multiplied; leave it out")
        }
        Some(unit) if dates && unit.fract() != 0.0 => wrong("of dates must be a whole number of days"),
        Some(unit) => Ok(Some(unit)),
        None if way == NoiseWay::Multiplicative => Ok(None),
        None if dates => Ok(Some(1.0)),
        // Numbers with more decimals than are looked for may be anything.
        None => {
            Ok(grain.map(|grain| grain.unit).filter(|unit| *unit > 1.5 * 10f64.powi(-(MOST_DECIMALS as i32))))
        }
    }
}

/// Decimals that a number needs.
fn decimals_of(text: &str) -> usize {
    if text.contains(['e', 'E']) {
        return MOST_DECIMALS;
    }
    text.split_once('.').map_or(0, |(_, decimals)| decimals.trim_end_matches('0').len())
}

/// The step of noise that is added, after all that can be said about its width was looked at.
pub(super) fn step(
    spec: &PerturbSpec,
    name: &str,
    way: NoiseWay,
    dates: bool,
    grain: Option<Grain>,
) -> Result<Option<f64>, JobError> {
    let key = |what: &str| format!("columns.{name}.perturb.{what}");
    let unit = if dates { Some(1.0) } else { grain.map(|grain| grain.unit) };
    let (said, width) = match way {
        NoiseWay::Correlated => ("factor", grain.and_then(|grain| grain.correlated)),
        NoiseWay::Additive => ("sd", spec.sd),
        NoiseWay::Multiplicative => {
            ("sd", grain.map_or(spec.sd, |grain| grain.typical.zip(spec.sd).map(|(size, sd)| size * sd)))
        }
    };
    if let (Some(width), Some(unit)) = (width, unit)
        && width < unit * (1.0 - 1e-9)
    {
        let what = if dates { "a day" } else { "the unit in which the values are written" };
        return Err(JobError::key(
            key(said),
            format!(
                "makes noise with a standard deviation below {what}, so that rounding gives the originals back; make it larger"
            ),
        ));
    }
    if way == NoiseWay::Multiplicative {
        return Ok(None);
    }
    let step = match spec.step {
        Some(step) if dates && (step < 1.0 || step.fract() != 0.0) => {
            return Err(JobError::key(key("step"), "of dates must be a whole number of days"));
        }
        Some(step) => step,
        None if dates => 1.0,
        None => {
            let width = width.filter(|width| *width > 0.0).unwrap_or(1.0);
            let power = (width / 100.0).log10().floor().clamp(-300.0, 300.0) as i32;
            format!("1e{power}").parse().unwrap_or(1.0)
        }
    };
    if width.is_some_and(|width| step > width) {
        return Err(JobError::key(
            key("step"),
            "must not be above the standard deviation of the noise: rounding would outweigh it",
        ));
    }
    if !dates && width.is_some_and(|width| step < width / 1000.0 * (1.0 - 1e-9)) {
        return Err(JobError::key(
            key("step"),
            "must not be below a thousandth of the standard deviation of the noise: low digits would tell how it was drawn",
        ));
    }
    Ok(Some(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::{Cells, Domain};

    fn grain(cells: &[&str], spec: &PerturbSpec) -> Option<Grain> {
        let (domain, codes) =
            Domain::canonical(cells.iter().map(|&cell| cell.into()).collect(), str::is_empty);
        Grain::of(&Column { name: "x".into(), codes, domain, cells: Cells::Plain }, spec)
    }

    fn spec(text: &str) -> PerturbSpec {
        toml::from_str(text).unwrap()
    }

    /// Whatever the grid of the originals is, noise below its unit is refused and noise of one unit is not.
    #[test]
    fn noise_below_the_unit_of_the_data_is_refused() {
        for (cells, unit) in [
            (&["20", "37", "41", ""][..], 1.0),
            (&["2020-01-31", "2021-05-05"], 1.0),
            (&["1.5", "2.50", "4"], 0.1),
            (&["0.25", "1e-7"], 1e-6),
        ] {
            for (share, is_well) in [(0.99, false), (1.0, true), (50.0, true)] {
                let own = spec(&format!("noise = \"gaussian\"\nsd = {:e}", share * unit));
                let grain = grain(cells, &own);
                let dates = grain.is_some_and(|grain| grain.kind == Kind::Date);
                let found = step(&own, "x", NoiseWay::Additive, dates, grain);
                assert_eq!(found.is_ok(), is_well, "{cells:?} {share}: {found:?}");
                assert!(found.is_err() || found.unwrap().unwrap() <= share * unit * (1.0 + 1e-9));
            }
        }
    }

    /// Correlated noise follows the spread of the data: a constant column would be published as it is.
    #[test]
    fn correlated_noise_needs_a_spread() {
        let own = spec("noise = \"correlated\"\nfactor = 0.5");
        for (cells, is_well) in
            [(&["20", "37", "41"][..], true), (&["20", "21"], false), (&["7", "7.0"], false)]
        {
            let found = step(&own, "x", NoiseWay::Correlated, false, grain(cells, &own));
            assert_eq!(found.is_ok(), is_well, "{cells:?}: {found:?}");
        }
        assert_eq!(grain(&[""], &own), None);
    }

    #[test]
    fn steps_lie_between_a_thousandth_of_the_noise_and_the_noise() {
        for (text, is_well) in [
            ("step = 0.005", true),
            ("step = 0.0049", false),
            ("step = 5.0", true),
            ("step = 5.1", false),
            ("", true),
        ] {
            let own = spec(&format!("noise = \"gaussian\"\nsd = 5.0\n{text}"));
            assert_eq!(step(&own, "x", NoiseWay::Additive, false, None).is_ok(), is_well, "{text}");
        }
        // Half of the numbers that are not 0 must move by a unit.
        let own = spec("noise = \"multiplicative\"\nsd = 0.1");
        for (cells, is_well) in [(&["0", "5", "10", "30"][..], true), (&["0", "5", "9", "30"], false)] {
            let found = step(&own, "x", NoiseWay::Multiplicative, false, grain(cells, &own));
            assert_eq!(found.is_ok(), is_well, "{cells:?}");
        }
    }
}
