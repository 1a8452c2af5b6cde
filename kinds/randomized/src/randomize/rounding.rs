//! How finely published numbers are rounded, and how wide noise must be to hide anything.
//!
//! # Guarantee
//! Noise that rounding takes off again is refused. Originals lie on a grid that everybody can guess: days, whole numbers,
//! so many decimals, a unit that is declared, thousands, bands, years (`units.rs`). Where the noise is smaller than the unit
//! of that grid, rounding to it gives every original back; so
//! the standard deviation must be one unit at least. Where only some values share a unit, rounding to it may give back as
//! many as it then does where all share it. Of multiplied numbers this must hold for half of those that are not
//! 0, which stay 0. Published steps lie between a thousandth of the noise and the noise itself: finer ones show the low
//! digits of floating-point noise, which tell from which value it was added. Where no data is read the grid of numbers is
//! not known, and only a declared unit and that of dates are checked.

mod units;

use privet_data::{Column, Kind};
use privet_perturb::covariance;
use privet_release::perturbed::{NoiseLaw, NoiseWay};

use super::spec::PerturbSpec;
use crate::error::JobError;
use units::{Grid, Shared, shared};

/// The finest unit of decimals that is looked for: beyond it numbers are as good as continuous.
const MOST_DECIMALS: usize = 6;

/// What the data tell of a column of numbers or dates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grain {
    /// What its values are.
    pub kind: Kind,
    /// The unit in which all values are written: 1, or 0.1, 0.01, …
    unit: f64,
    /// What values share besides.
    shared: Shared,
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
        let mut records = vec![0u64; domain.len()];
        for &code in &column.codes {
            if let Some(slot) = records.get_mut(code as usize) {
                *slot += 1;
            }
        }
        let counted = (0..).zip(&records).filter_map(|(code, &count)| Some((domain.number(code)?, count)));
        let shared = match kind {
            Kind::Boolean | Kind::Text => Shared::default(),
            _ => shared(&counted.collect::<Vec<_>>(), unit, kind == Kind::Date),
        };
        Some(Self { kind, unit, shared, typical, correlated })
    }

    /// The largest unit that divides all values.
    fn common(&self) -> f64 {
        self.shared.units.iter().filter(|own| own.divides_all).map(|own| own.size).fold(self.unit, f64::max)
    }
}

/// What all originals are multiples of, as far as it is published: what everybody can guess from values without noise. Of
/// multiplied numbers no distribution is reconstructed that could use it.
pub(super) fn unit(
    spec: &PerturbSpec,
    name: &str,
    way: NoiseWay,
    dates: bool,
    grain: Option<&Grain>,
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
        None => Ok(grain.map(Grain::common).filter(|unit| *unit > 1.5 * 10f64.powi(-(MOST_DECIMALS as i32)))),
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
    law: NoiseLaw,
    grain: Option<&Grain>,
) -> Result<Option<f64>, JobError> {
    let key = |what: &str| format!("columns.{name}.perturb.{what}");
    let (said, width) = match way {
        NoiseWay::Correlated => ("factor", grain.and_then(|grain| grain.correlated)),
        NoiseWay::Additive => ("sd", spec.sd),
        NoiseWay::Multiplicative => {
            ("sd", grain.map_or(spec.sd, |grain| grain.typical.zip(spec.sd).map(|(size, sd)| size * sd)))
        }
    };
    if let Some(width) = width
        && let Some((least, what)) = too_wide(spec, dates, law, grain, width)
    {
        // What is said is the width, a factor of the values or a factor of their variance.
        let least = match way {
            NoiseWay::Additive => least,
            NoiseWay::Multiplicative => spec.sd.unwrap_or(1.0) * least / width,
            NoiseWay::Correlated => spec.factor.unwrap_or(1.0) * (least / width).powi(2),
        };
        // A constant column has no spread that a factor could make larger.
        let accepted = match least.is_finite() {
            true => format!("at least {} is accepted", upwards(least)),
            false => "use another noise".to_owned(),
        };
        return Err(JobError::key(
            key(said),
            format!(
                "makes noise with a standard deviation below {what}, so that rounding gives the originals back; {accepted}"
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

/// The unit that asks for more noise than there is, by the least deviation that would do, and what it is.
fn too_wide(
    spec: &PerturbSpec,
    dates: bool,
    law: NoiseLaw,
    grain: Option<&Grain>,
    width: f64,
) -> Option<(f64, String)> {
    let written = match dates {
        true => Some((1.0, "a day".to_owned())),
        false => grain.map(|own| (own.unit, "the unit in which the values are written".to_owned())),
    };
    let declared = spec.unit.map(|unit| (unit, "the unit that is declared".to_owned()));
    let part_of = |share: f64| match share >= 1.0 - 1e-9 {
        true => ("", "all values".to_owned()),
        false => ("what hides ", format!("{} % of the values", (100.0 * share).floor())),
    };
    let units = grain.into_iter().flat_map(|own| &own.shared.units).map(|unit| {
        let (hides, part) = part_of(unit.share);
        let what = match unit.grid {
            Grid::Multiples => format!("{hides}a unit of {} that {part} share", figures(unit.size)),
            Grid::Months(1) => format!("{hides}a month, and {part} lie on one day of it"),
            Grid::Months(12) => format!("{hides}a year, and {part} lie on one day of it"),
            Grid::Months(months) => format!("{hides}{months} months, and {part} lie on one day of them"),
        };
        (unit.least_deviation(law), what)
    });
    let known = grain.and_then(|own| own.shared.known.as_ref()).map(|known| {
        let what = format!(
            "what hides the next value, and {} are values that several records have",
            part_of(known.share()).1
        );
        (known.least_deviation(law), what)
    });
    let all = written.into_iter().chain(declared).chain(units).chain(known);
    all.filter(|(least, _)| width < least * (1.0 - 1e-9)).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// A number to ten figures, without what computing adds.
fn figures(number: f64) -> f64 {
    format!("{number:.9e}").parse().unwrap_or(number)
}

/// A number to three figures, not below it.
fn upwards(number: f64) -> f64 {
    let exact = figures(number);
    let (rounded, figure) =
        (format!("{exact:.2e}"), 10f64.powf(exact.abs().max(1e-300).log10().floor() - 2.0));
    let rounded: f64 = rounded.parse().unwrap_or(exact);
    match rounded >= exact {
        true => rounded,
        false => format!("{:.2e}", rounded + figure).parse().unwrap_or(exact),
    }
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
                let dates = grain.as_ref().is_some_and(|grain| grain.kind == Kind::Date);
                let found = step(&own, "x", NoiseWay::Additive, dates, NoiseLaw::Gaussian, grain.as_ref());
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
            let found =
                step(&own, "x", NoiseWay::Correlated, false, NoiseLaw::Gaussian, grain(cells, &own).as_ref());
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
            assert_eq!(
                step(&own, "x", NoiseWay::Additive, false, NoiseLaw::Gaussian, None).is_ok(),
                is_well,
                "{text}"
            );
        }
        // Half of the numbers that are not 0 must move by a unit.
        let own = spec("noise = \"multiplicative\"\nsd = 0.1");
        for (cells, is_well) in [(&["0", "6", "10", "31"][..], true), (&["0", "6", "9", "31"], false)] {
            let found = step(
                &own,
                "x",
                NoiseWay::Multiplicative,
                false,
                NoiseLaw::Gaussian,
                grain(cells, &own).as_ref(),
            );
            assert_eq!(found.is_ok(), is_well, "{cells:?}");
        }
    }

    /// A declared unit counts as the one in which values are written does, with and without data.
    #[test]
    fn noise_below_a_declared_unit_is_refused() {
        for (law, word) in [(NoiseLaw::Gaussian, "gaussian"), (NoiseLaw::Uniform, "uniform")] {
            for (sd, is_well) in [(100.0, false), (990.0, false), (1000.0, true), (5000.0, true)] {
                let own = spec(&format!("noise = \"{word}\"\nsd = {sd:?}\nunit = 1000.0"));
                let data = grain(&["1000", "4000", "7000"], &own);
                for grain in [None, data.as_ref()] {
                    let found = step(&own, "x", NoiseWay::Additive, false, law, grain);
                    assert_eq!(found.is_ok(), is_well, "{word} {sd}: {found:?}");
                    let told = found.map_or_else(|error| error.to_string(), |_| String::new());
                    assert!(is_well || told.contains("at least 1000 is accepted"), "{told}");
                }
            }
        }
    }

    /// What values share is refused as what they are written in is: all of them, most of them, bands, days of the year.
    #[test]
    fn noise_below_a_unit_that_values_share_is_refused() {
        let odd = |at: u64| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % 99_991;
        let thousands: Vec<String> = (0..500).map(|at| (1000 * (odd(at) % 90)).to_string()).collect();
        let mostly: Vec<String> = (0..500)
            .map(|at| if at % 20 == 0 { odd(at) } else { 1000 * (odd(at) % 90) }.to_string())
            .collect();
        let bands: Vec<String> = (0..500).map(|at| (10_000 * (odd(at) % 8) + 5_000).to_string()).collect();
        let years: Vec<String> = (0..500).map(|at| format!("{}-01-01", 1930 + odd(at) % 70)).collect();
        // The middles of bands of 10,000 are multiples of 5,000.
        for (cells, least, common) in [
            (thousands, 1000.0, 1000.0),
            (mostly, 944.0, 1.0),
            (bands, 10_000.0, 5000.0),
            (years, 366.0, 1.0),
        ] {
            let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
            for (times, is_well) in [(0.1, false), (0.98, false), (1.01, true), (10.0, true)] {
                let sd = times * least;
                let own = spec(&format!("noise = \"gaussian\"\nsd = {sd:?}"));
                let grain = grain(&cells, &own).unwrap();
                let dates = grain.kind == Kind::Date;
                let found = step(&own, "x", NoiseWay::Additive, dates, NoiseLaw::Gaussian, Some(&grain));
                assert_eq!(found.is_ok(), is_well, "{least} {times}: {found:?}");
                let told = found.map_or_else(|error| error.to_string(), |_| String::new());
                assert!(is_well || told.contains("is accepted"), "{told}");
                assert!(is_well || dates || told.contains("a unit of 1000"), "{told}");
                // What divides all values is published with the law, where the noise hides it.
                let unit = unit(&own, "x", NoiseWay::Additive, dates, Some(&grain)).unwrap();
                assert_eq!(unit, Some(common));
            }
        }
        // Correlated and multiplied noise are as wide as the data make them.
        let cells: Vec<String> = (0..500).map(|at| (1000 * (odd(at) % 9)).to_string()).collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        for (text, way, is_well) in [
            ("noise = \"correlated\"\nfactor = 0.01", NoiseWay::Correlated, false),
            ("noise = \"correlated\"\nfactor = 0.2", NoiseWay::Correlated, true),
            ("noise = \"multiplicative\"\nsd = 0.05", NoiseWay::Multiplicative, false),
            ("noise = \"multiplicative\"\nsd = 0.3", NoiseWay::Multiplicative, true),
        ] {
            let own = spec(text);
            let found = step(&own, "x", way, false, NoiseLaw::Gaussian, grain(&cells, &own).as_ref());
            assert_eq!(found.is_ok(), is_well, "{text}: {found:?}");
        }
    }

    #[test]
    fn what_is_accepted_is_rounded_upwards() {
        for (number, told) in [
            (1000.0, 1000.0),
            (943.21, 944.0),
            (365.2425, 366.0),
            (0.1, 0.1),
            (9999.0, 10_000.0),
            (0.012_301, 0.0124),
        ] {
            assert_eq!(upwards(number), told);
        }
    }
}
