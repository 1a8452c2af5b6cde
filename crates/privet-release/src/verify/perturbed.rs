//! A perturbed release as the referee sees it: the law of every column is one, protects what is said, and every
//! published value can have come from it.
//!
//! γ and the beliefs that follow from it are computed anew from the published probabilities (survey PM-15, PM-16), the
//! width of intervals from the published deviation. Whether the values were really drawn by these laws no table shows:
//! that is the publisher's word.

mod noise;

use std::collections::BTreeSet;
use std::path::Path;

use privet_data::{Kind, Progress};

use super::outcome::{Check, Verdict};
use super::table::{self, Table, Written};
use super::{VerifyError, VerifyOptions, items, structure, swapped, synthetic, trust, unreadable};
use crate::perturbed::{
    Amplification, Categories, CategoryLaw, Change, Model, ModelColumn, NoiseColumn, NoiseLaw, NoiseWay,
    Open, PRIORS, Perturbation, PerturbedData, PerturbedManifest, together,
};
use noise::{ROUNDED_OFF, correlated_deviation, is_multiple, is_rounded_off, noise, takes_noise};

/// How far a figure may be from what is computed, relative to it: rounding.
pub(super) const ROUNDING: f64 = 1e-9;

/// Checks a release folder of this kind.
pub(super) fn verify(
    folder: &Path,
    bytes: &[u8],
    options: VerifyOptions<'_>,
) -> Result<Verdict, VerifyError> {
    let progress = options.progress;
    let manifest = match PerturbedManifest::parse(bytes) {
        Ok(manifest) => manifest,
        Err(error) => return unreadable(error),
    };
    let data = &manifest.data;
    let mut checks = vec![structure::seal(bytes, &manifest.seal)];
    let mut tables = manifest.tables();
    tables.push(&data.file);
    checks.extend(structure::files(folder, &manifest.files, &tables, progress)?);
    let intact = checks.iter().all(|check| check.ok);
    checks.push(Check::of("model", "the noise model in the manifest is consistent", &outline(&manifest)));
    checks.extend(match &manifest.change {
        Change::Swapped(own) => swapped::verify(folder, &manifest, own, intact, progress)?,
        Change::Synthetic(own) => synthetic::verify(folder, &manifest, own, intact, progress)?,
        Change::Laws => of_laws(folder, &manifest, intact, progress)?,
    });
    if manifest.randomness == "fixed-seed" {
        let well = "the seed was fixed: whoever knows or guesses it can undo every change";
        checks.push(Check::passed("randomness", well));
    }
    Ok(Verdict { checks, on_trust: trust::of_perturbed(&manifest, options.pages.is_some()) })
}

/// Reads a file of the release.
pub(super) fn read(
    folder: &Path,
    data: &PerturbedData,
    file: &str,
    intact: bool,
    progress: &dyn Progress,
) -> Result<Result<Table, String>, VerifyError> {
    let written =
        Written { format: &data.format, delimiter: data.delimiter, encoding: data.encoding.as_deref() };
    progress.stage("reading the published table", Some(data.rows));
    table::read_file(folder, written, file, |_, _| true, intact, progress)
}

/// What is checked where each column has its own law.
fn of_laws(
    folder: &Path,
    manifest: &PerturbedManifest,
    intact: bool,
    progress: &dyn Progress,
) -> Result<Vec<Check>, VerifyError> {
    let mut checks = laws(&manifest.model);
    match read(folder, &manifest.data, &manifest.data.file, intact, progress)? {
        Ok(table) => checks.extend(records(manifest, &table)),
        Err(problem) => checks.push(Check::failed("table", problem)),
    }
    Ok(checks)
}

/// The law of each column, and what all of them promise together.
pub(crate) fn laws(model: &Model) -> Vec<Check> {
    let mut checks = Vec::new();
    for (number, column) in model.columns.iter().enumerate() {
        let Some(perturbation) = &column.perturbation else { continue };
        let (well, problems) = match perturbation {
            Perturbation::Categories(own) => categories(own),
            Perturbation::Noise(own) => noise(own),
            Perturbation::Items(own) => items::law(own),
        };
        checks.push(Check::of(&format!("law of column {}", number + 1), well, &problems));
    }
    let found = together(&model.columns);
    let is_said = match (model.gamma, found) {
        (Some(said), Some(found)) => near(said, found),
        (said, found) => said == found,
    };
    let problems = match is_said {
        true => Vec::new(),
        false => vec!["the manifest says another γ for all columns together than their laws have".to_owned()],
    };
    let well = match found {
        Some(gamma) => format!(
            "the odds of anything about a record without missing values change by a factor of at most {}, the product of all columns",
            figures(gamma)
        ),
        None => "no bound on what they tell of a record: a column is published as it was, has noise, or promises none"
            .to_owned(),
    };
    checks.push(Check::of("all columns together", well, &problems));
    checks
}

/// What of the manifest cannot be, whatever the table holds.
fn outline(manifest: &PerturbedManifest) -> Vec<String> {
    let mut problems = Vec::new();
    let columns = &manifest.model.columns;
    let is_of_laws = matches!(manifest.change, Change::Laws);
    if !["operating-system", "fixed-seed"].contains(&manifest.randomness.as_str()) {
        problems.push("it does not say where randomness came from".to_owned());
    }
    let has_laws = columns.iter().any(|column| column.perturbation.is_some());
    if !is_of_laws && has_laws {
        problems.push("a column has a law, and its method has none".to_owned());
    }
    if !is_of_laws && manifest.model.gamma.is_some() {
        problems.push("it promises a γ, and its method promises none".to_owned());
    }
    let shown = &manifest.shown;
    let drawn = if is_of_laws { columns.len() } else { 0 };
    if !(shown.columns.is_empty() && shown.grids.is_empty() && shown.boxes.is_none())
        || shown.pictures.len() != drawn
    {
        problems.push("drawings are shown that its method does not have, or lack".to_owned());
    }
    if is_of_laws && !has_laws {
        problems.push("no column is perturbed, so there is nothing to rely on".to_owned());
    }
    let mut names = BTreeSet::new();
    for (number, column) in columns.iter().enumerate() {
        let at = number + 1;
        if !names.insert(&column.name) {
            problems.push(format!("column {at} has the name of another"));
        }
        if !["quasi", "sensitive", "insensitive"].contains(&column.role.as_str()) {
            problems.push(format!("column {at} has a role that no published column has"));
        }
        if manifest.data.removed_columns.contains(&column.name) {
            problems.push(format!("column {at} is said to be removed"));
        }
    }
    let factors: Vec<Option<f64>> = columns.iter().filter_map(correlated).collect();
    if factors.iter().any(|factor| Some(factor) != factors.first()) {
        problems.push("columns with correlated noise have different factors".to_owned());
    }
    problems
}

fn correlated(column: &ModelColumn) -> Option<Option<f64>> {
    match &column.perturbation {
        Some(Perturbation::Noise(own)) if own.way == NoiseWay::Correlated => Some(own.factor),
        _ => None,
    }
}

/// γ of a law, or what is wrong with it. Infinite where an output excludes a value.
fn gamma(own: &Categories) -> Result<f64, String> {
    let size = own.values.len();
    match &own.law {
        CategoryLaw::Retention(keep) if !(0.0..=1.0).contains(keep) => {
            Err("the probability of keeping a value is none".to_owned())
        }
        CategoryLaw::Retention(keep) => {
            let other = (1.0 - keep) / size as f64;
            Ok(if other > 0.0 { (keep + other) / other } else { f64::INFINITY })
        }
        CategoryLaw::Matrix(rows) => {
            if rows.len() != size || rows.iter().any(|row| row.len() != size) {
                return Err("the matrix has not one row and one column for each value".to_owned());
            }
            for (number, row) in rows.iter().enumerate() {
                let is_probable = row.iter().all(|entry| (0.0..=1.0).contains(entry));
                if !is_probable || (row.iter().sum::<f64>() - 1.0).abs() > ROUNDING {
                    return Err(format!("row {} of the matrix is no distribution", number + 1));
                }
            }
            let mut gamma: f64 = 1.0;
            for output in 0..size {
                let entries = rows.iter().map(|row| row[output]); // why: every row has one entry for each value
                let (least, most) =
                    entries.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), e| (a.min(e), b.max(e)));
                // An output that never comes tells nothing.
                if most > 0.0 {
                    gamma = gamma.max(if least > 0.0 { most / least } else { f64::INFINITY });
                }
            }
            Ok(gamma)
        }
    }
}

pub(super) fn near(said: f64, found: f64) -> bool {
    (said - found).abs() <= ROUNDING * found.abs().max(1.0)
}

/// Whether the beliefs that are stated follow from γ.
pub(super) fn follow(protects: &Amplification, gamma: f64) -> bool {
    let follows = |prior: f64| {
        if gamma.is_infinite() { 1.0 } else { gamma * prior / (1.0 - prior + gamma * prior) }
    };
    let beliefs = &protects.beliefs;
    beliefs.len() == PRIORS.len()
        && beliefs.iter().zip(PRIORS).all(|(b, prior)| b.prior == prior && near(b.posterior, follows(prior)))
}

fn categories(own: &Categories) -> (String, Vec<String>) {
    let mut problems = Vec::new();
    let distinct: BTreeSet<&String> = own.values.iter().collect();
    if own.values.len() < 2 || distinct.len() != own.values.len() {
        problems.push("its domain needs at least two values, each once".to_owned());
    }
    if !["declared", "hierarchy", "data"].contains(&own.domain.as_str()) {
        problems.push("it does not say where its domain is from".to_owned());
    }
    let gamma = match gamma(own) {
        Ok(gamma) => gamma,
        Err(problem) => {
            problems.push(problem);
            return (String::new(), problems);
        }
    };
    if !own.has_its_form(ROUNDING) {
        problems.push("its probabilities have not the form that its mechanism stands for".to_owned());
    }
    let origin = Open::of_origin(&own.mechanism, &own.domain);
    // What was made from the data bounds nothing, whatever its probabilities are.
    let gamma = if origin.is_some() { f64::INFINITY } else { gamma };
    let said = own.protects.gamma;
    if origin.is_some() && said.is_some() {
        problems.push("the manifest promises a γ of a law that was made from the data".to_owned());
    }
    if !said.map_or(gamma.is_infinite(), |said| near(said, gamma)) {
        problems.push("the manifest says another γ than its probabilities have".to_owned());
    }
    if !follow(&own.protects, gamma) {
        problems
            .push("the manifest says other beliefs than follow from the probabilities of its law".to_owned());
    }
    let well = if gamma.is_finite() {
        format!(
            "this column alone changes the odds of anything about its original, where none is missing, by a factor of at most {}",
            figures(gamma)
        )
    } else {
        format!("a law; {}", origin.unwrap_or(Open::Excludes).words())
    };
    (well, problems)
}

/// A number to four figures, rounded up: it promises no more than is true.
pub(super) fn figures(value: f64) -> String {
    let scale = 10f64.powi(3 - value.abs().max(1e-300).log10().floor() as i32);
    let up = (value * scale * (1.0 - 1e-9)).ceil() / scale;
    format!("{}", (up * 1e9).round() / 1e9)
}

/// Whether a table has the records and columns that the manifest says.
pub(super) fn shape(manifest: &PerturbedManifest, table: &Table) -> Vec<String> {
    let data = &manifest.data;
    let mut problems = Vec::new();
    if table.rows as u64 != data.rows {
        problems.push(format!("it has {} records, the manifest says {}", table.rows, data.rows));
    }
    if !are_named(manifest, table) {
        problems.push("it has other columns than the manifest says".to_owned());
    }
    problems
}

/// Whether a table has the columns of the manifest, in their order.
pub(super) fn are_named(manifest: &PerturbedManifest, table: &Table) -> bool {
    manifest.model.columns.iter().map(|column| &column.name).eq(&table.names)
}

/// Whether the records are those of the model.
fn records(manifest: &PerturbedManifest, table: &Table) -> Vec<Check> {
    let data = &manifest.data;
    let columns = &manifest.model.columns;
    let well = format!("{}: {} records", data.file, table.rows);
    let mut checks = vec![Check::of("table", well, &shape(manifest, table))];
    if !are_named(manifest, table) {
        return checks;
    }
    let mut missing = std::collections::BTreeMap::new();
    let mut problems = Vec::new();
    for (number, (column, found)) in columns.iter().zip(&table.columns).enumerate() {
        let Some(perturbation) = &column.perturbation else { continue };
        let domain: BTreeSet<&str> = match perturbation {
            Perturbation::Categories(own) => own.values.iter().map(String::as_str).collect(),
            Perturbation::Items(own) => own.values.iter().map(String::as_str).collect(),
            Perturbation::Noise(_) => BTreeSet::new(),
        };
        let markers = &manifest.model.missing;
        let outcomes: Vec<Outcome> =
            found.texts.iter().map(|text| judge(text, perturbation, &domain, markers)).collect();
        let (mut gone, mut wrong) = (0u64, None);
        for (record, &code) in found.codes.iter().enumerate() {
            match outcomes.get(code as usize) {
                Some(Outcome::Missing) => gone += 1,
                Some(Outcome::Value) => {}
                _ => wrong = wrong.or(Some(record)),
            }
        }
        if let Some(record) = wrong {
            problems.push(format!(
                "column {}, record {}: the value cannot have come from the law of the column",
                number + 1,
                record + 1
            ));
        }
        if gone > 0 {
            missing.insert(column.name.clone(), gone);
        }
        if let Perturbation::Noise(own) = perturbation
            && is_rounded_off(own, correlated_deviation(own, found))
        {
            problems.push(format!("column {}: {ROUNDED_OFF}", number + 1));
        }
    }
    let well = "every perturbed value is one that its law can give";
    checks.push(Check::of("values", well, &problems));
    let problems = match missing == data.missing {
        true => Vec::new(),
        false => vec!["another number of values is missing than the manifest says".to_owned()],
    };
    let well = match data.missing.values().sum::<u64>() {
        0 => "no perturbed value is missing".to_owned(),
        many => format!("{many} are missing as they were: that a value is missing is not hidden"),
    };
    checks.push(Check::of("missing values", well, &problems));
    checks
}

/// What a published text is.
enum Outcome {
    Value,
    Missing,
    Wrong,
}

fn judge(text: &str, perturbation: &Perturbation, domain: &BTreeSet<&str>, missing: &[String]) -> Outcome {
    let is_missing = missing.iter().any(|marker| marker == text);
    let is_value = match perturbation {
        Perturbation::Categories(_) => domain.contains(text),
        // An empty cell is the empty set.
        Perturbation::Items(own) => items::is_set(text, own, domain),
        Perturbation::Noise(_) if is_missing => false,
        Perturbation::Noise(own) => {
            let kind = if own.dates { Kind::Date } else { Kind::Decimal };
            kind.number(text).filter(|number| number.is_finite()).is_some_and(|number| {
                is_within_reach(number, own)
                    && takes_noise(number, own)
                    && match own.step {
                        Some(step) => is_multiple(number, step),
                        None => own.figures.is_none_or(|most| has_figures(number, most)),
                    }
            })
        }
    };
    match (is_value, is_missing) {
        (true, _) => Outcome::Value,
        (false, true) => Outcome::Missing,
        (false, false) => Outcome::Wrong,
    }
}

/// Whether even noise can have brought a number from where the originals are declared to lie.
fn is_within_reach(number: f64, own: &NoiseColumn) -> bool {
    let (Some([low, high]), Some(deviation)) = (own.range, own.deviation) else { return true };
    if (own.way, own.law) != (NoiseWay::Additive, NoiseLaw::Uniform) {
        return true;
    }
    let reach = 3f64.sqrt() * deviation + 0.5 * own.step.unwrap_or(0.0);
    let slack = 1e-9 * reach + 8.0 * f64::EPSILON * number.abs();
    (low - reach - slack..=high + reach + slack).contains(&number)
}

/// Whether a number has no more than so many figures.
fn has_figures(number: f64, most: u32) -> bool {
    let places = most.clamp(1, 17) as usize - 1;
    format!("{number:.places$e}").parse::<f64>().is_ok_and(|rounded| rounded == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Even noise of deviation 5 reaches 8.66, and rounding to 0.01 a little farther; other noise reaches everywhere.
    #[test]
    fn even_noise_does_not_reach_everywhere() {
        let own = NoiseColumn {
            way: NoiseWay::Additive,
            law: NoiseLaw::Uniform,
            deviation: Some(5.0),
            factor: None,
            dates: false,
            step: Some(0.01),
            figures: None,
            range: Some([60.0, 61.0]),
            unit: None,
            interval_95: None,
        };
        for (number, expected) in [(51.34, true), (51.33, false), (69.66, true), (69.67, false), (60.5, true)]
        {
            assert_eq!(is_within_reach(number, &own), expected, "{number}");
        }
        assert!(is_within_reach(1e6, &NoiseColumn { law: NoiseLaw::Gaussian, ..own }));
        assert!(is_within_reach(1e6, &NoiseColumn { range: None, ..own }));
    }

    /// Beside 4111111111111111111 numbers lie 512 apart, and noise of deviation 4 would be rounded off.
    #[test]
    fn noise_that_large_numbers_swallow_is_none() {
        let own = NoiseColumn {
            way: NoiseWay::Additive,
            law: NoiseLaw::Gaussian,
            deviation: Some(4.0),
            factor: None,
            dates: false,
            step: Some(0.01),
            figures: None,
            range: None,
            unit: None,
            interval_95: None,
        };
        let perturbation = |step: f64| Perturbation::Noise(NoiseColumn { step: Some(step), ..own });
        let judged = |text: &str, step: f64| {
            matches!(judge(text, &perturbation(step), &BTreeSet::new(), &[]), Outcome::Value)
        };
        assert!(!judged("4111111111111111168", 0.01) && judged("4111111111111111168", 4096.0));
        assert!(judged("41.11", 0.01) && judged("-41111111111.11", 0.01));
    }

    #[test]
    fn large_numbers_are_judged_as_strictly_as_small_ones() {
        for (number, step, expected) in [
            (43.27, 0.01, true),
            (43.275, 0.01, false),
            (1e9 + 0.01, 0.01, true),
            (1e9 + 0.015, 0.01, false),
            (123_456_789_012.0, 10.0, false),
            (123_456_789_010.0, 10.0, true),
            (-7.0 / 3.0, 1.0 / 3.0, true),
            (-2.333_333_333_3, 1.0 / 3.0, true),
            (-2.333_333, 1.0 / 3.0, false),
            (0.0, 0.25, true),
        ] {
            assert_eq!(is_multiple(number, step), expected, "{number} {step}");
        }
        assert!(has_figures(1234.0, 4) && has_figures(0.001_234, 4) && has_figures(0.0, 1));
        assert!(!has_figures(1234.5, 4) && !has_figures(-0.012_345, 4));
    }
}
