//! Records that are unique: estimated in the population, uncertain, and special ones.

use crate::assess::measure::risk::MOST_COLUMNS;
use crate::assess::measure::risk::MOST_RECORDS;
use crate::assess::measure::risk::SPECIAL;
use crate::assess::measure::risk::Stage;
use crate::assess::measure::risk::not_computed;
use privet_measure::risk::{
    SpecialUniques, Uncertainty, least_entropy, least_variance, uniques, uniques::UniquesError,
};
use privet_release::Published;
use privet_report::Figure;

use super::super::figure;
use super::super::numbers::is_numeric;

/// Uniques of the population that a sample was drawn from, by three models and a rule that chooses among them. From the
/// groups of the original they tell whom a release of the values as they are would single out in the population; from those
/// of the release what is left of that, which is nobody wherever at least two records look alike.
pub(super) fn estimated_uniques(
    people: Option<f64>,
    stage: Stage,
    groups: &[u64],
    rows: usize,
    by: &str,
) -> Vec<Option<Figure>> {
    let Some(people) = people else { return Vec::new() };
    let fraction = rows as f64 / people;
    if !(fraction > 0.0 && fraction <= 1.0) {
        return Vec::new();
    }
    let own = uniques::Frequencies::new(groups);
    let says = format!(
        "Of the people whom the sample was drawn from, the share that nobody equals in the identifying columns, {by}, as \
         this model estimates it from the sample."
    );
    let keys = match stage {
        Stage::Before => ["zayatz-before", "snb-before", "pitman-before", "dankar-before"],
        Stage::After => ["zayatz", "snb", "pitman", "dankar"],
    };
    let estimates = [
        ("Zayatz", uniques::zayatz(&own, fraction)),
        ("SNB", uniques::slide_negative_binomial(&own, fraction)),
        ("Pitman", uniques::pitman(&own, fraction)),
        ("Dankar's rule", uniques::dankar(&own, fraction).map(|own| own.1)),
    ];
    let figure_of = |(key, (model, unique)): (&'static str, (&str, Result<f64, UniquesError>))| {
        let name = format!("Uniques in the population, {by} ({model})");
        match unique {
            Ok(unique) => figure(key, &name, unique / people, true, &says),
            // Silence would look like nobody.
            Err(why) => {
                let says = format!("No estimate: {why}.");
                Some(Figure {
                    key,
                    name,
                    column: None,
                    value: f64::NAN,
                    says,
                    is_share: true,
                    is_estimate: true,
                })
            }
        }
    };
    keys.into_iter().zip(estimates).map(figure_of).collect()
}

/// How little may be unknown about the sensitive value of anybody (Duncan and Lambert). A value that is missing may be any,
/// and is taken for the one that leaves the least doubt; a group in which every value is missing tells of nobody what they
/// have.
pub(super) fn uncertainty(release: &Published) -> Vec<Option<Figure>> {
    let mut figures = Vec::new();
    for column in &release.sensitive {
        let of_group = |group: u32| {
            let (missing, told): (Vec<_>, Vec<_>) =
                column.histograms.of(group).iter().partition(|cell| column.domain.is_missing(cell.0));
            let missing: u64 = missing.iter().map(|cell: &(u32, u64)| cell.1).sum();
            (told, missing as f64)
        };
        let groups = || (0..release.groups.len() as u32).map(of_group);
        let entropies = groups().filter_map(|(told, missing)| {
            let weights: Vec<f64> = told.iter().map(|cell| cell.1 as f64).collect();
            least_entropy(&weights, missing).ok()
        });
        let deviations =
            groups().filter(|_| is_numeric(column.domain.kind())).filter_map(|(told, missing)| {
                let numbers: Option<Vec<f64>> =
                    told.iter().map(|cell| column.domain.number(cell.0)).collect();
                let weights: Vec<f64> = told.iter().map(|cell| cell.1 as f64).collect();
                least_variance(&numbers?, &weights, missing).ok().map(f64::sqrt)
            });
        let known = match groups().any(|(_, missing)| missing > 0.0) {
            false => "0 means it is known.",
            true => {
                "0 means it is known, or may be: a missing value is taken for the one that leaves the least in doubt."
            }
        };
        if let Some(own) = Uncertainty::of(deviations) {
            figures.push(Figure {
                key: "uncertainty-deviation",
                name: format!("Least deviation of {}", column.name),
                column: Some(column.name.clone()),
                value: own.least,
                says: format!(
                    "The standard deviation of the numbers that remain possible for the person who is worst off: {known}"
                ),
                is_share: false,
                is_estimate: false,
            });
        }
        if let Some(own) = Uncertainty::of(entropies) {
            figures.push(Figure {
                key: "uncertainty",
                name: format!("Least uncertainty about {}", column.name),
                column: Some(column.name.clone()),
                value: own.least,
                says: format!(
                    "How many yes-or-no questions remain about the sensitive value of the person who is worst off: {known}"
                ),
                is_share: false,
                is_estimate: false,
            });
        }
    }
    figures.into_iter().map(Some).collect()
}

/// Special uniques of the original and of the release, or why they are not looked for.
pub(super) fn special_uniques(
    originals: &[&[u32]],
    labels: &[&[u32]],
    rows: (usize, usize),
) -> (Option<SpecialUniques>, Vec<Option<Figure>>) {
    let (key, name) = ("special-uniques", "Special uniques in the original");
    let why = match (rows.0 > MOST_RECORDS, originals.len() > MOST_COLUMNS) {
        (true, _) => Some(format!("there are more than {MOST_RECORDS} records")),
        (false, true) => Some(format!("there are more than {MOST_COLUMNS} identifying columns")),
        (false, false) => None,
    };
    if let Some(why) = why {
        return (None, vec![not_computed(key, name, &why)]);
    }
    let find = |columns: &[&[u32]]| SpecialUniques::find(columns, SPECIAL.min(columns.len().max(1)));
    let share = |found: &SpecialUniques, rows: usize| {
        let marked = (0..found.records()).filter(|&record| !found.of(record).is_empty()).count();
        marked as f64 / rows.max(1) as f64
    };
    let before = match find(originals) {
        Ok(before) => before,
        Err(why) => return (None, vec![not_computed(key, name, &why.to_string())]),
    };
    let mut figures = vec![figure(
        key,
        name,
        share(&before, rows.0),
        true,
        "Records of the original that at most three identifying columns already single out.",
    )];
    let (key, name) = ("special-uniques-after", "Special uniques in the release");
    figures.push(match find(labels) {
        Ok(after) => figure(
            key,
            name,
            share(&after, rows.1),
            true,
            "Published records that at most three identifying columns single out.",
        ),
        Err(why) => not_computed(key, name, &why.to_string()),
    });
    (Some(before), figures)
}
