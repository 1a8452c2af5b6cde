//! What the records of a release risk (survey PM-01 to PM-04; special uniques).

use std::path::Path;

use privet_data::Progress;
use privet_measure::risk::{
    RiskError, SpecialUniques, Uncertainty, journalist, least_entropy, least_variance, marketer, prosecutor,
    sample_uniques, spruill, uniques, uniques::UniquesError,
};
use privet_measure::utility::Classes;
use privet_release::Published;
use privet_report::{Figure, Risk, RiskBin};

use super::super::original::Original;
use super::super::people::PeopleTable;
use super::super::write;
use super::numbers::{Numbers, is_numeric};
use super::{Beside, Wanted, class_ids, figure};
use crate::error::{JobError, RunError};

/// From which chance on records are counted, unless another is given.
const THRESHOLD: f64 = 0.2;
/// Special uniques are looked for in sets of so many columns.
const SPECIAL: usize = 3;
/// And in tables of so many records.
const MOST_RECORDS: usize = 200_000;
/// Of so many identifying columns.
const MOST_COLUMNS: usize = 24;
/// Nearest neighbours are looked for among so many records.
const MOST_NEIGHBOURS: usize = 60_000;

/// What the records of a release risk.
pub(in crate::assess) fn risk(
    original: &Original,
    release: &Published,
    wanted: &Wanted<'_>,
    progress: &dyn Progress,
) -> Result<Risk, RunError> {
    let beside = Beside::new(original, release);
    let failed = |error: &dyn std::fmt::Display| RunError::from(JobError::new(error.to_string()));
    let (group_of, groups) = beside.alike();
    let sizes = &groups;
    let threshold = wanted.risk_threshold.unwrap_or(THRESHOLD);
    let limit = percent(threshold);
    let own = prosecutor(sizes, threshold).map_err(|e| failed(&e))?;
    // Lambert's threshold is reached, not exceeded (PM-03).
    let at_threshold: u64 =
        sizes.iter().filter(|&&size| size > 0 && 1.0 / size as f64 >= threshold - 1e-12).sum();
    // Of all people: who is left out is not told at all.
    let all = beside.suppressed.len().max(1) as f64;
    let published = sizes.iter().sum::<u64>() as f64 / all;
    let reached = at_threshold as f64 / all;
    let mut figures = vec![
        figure(
            "prosecutor-highest",
            "Prosecutor: highest",
            own.highest,
            true,
            "The largest chance with which somebody known to be in the data is found again.",
        ),
        figure(
            "prosecutor-average",
            "Prosecutor: average",
            own.average,
            true,
            "The same chance, on average over the records.",
        ),
        figure(
            "prosecutor-above",
            &format!("Prosecutor: records above {limit} %"),
            own.above,
            true,
            &format!("The share of records that are found again with a chance of more than {limit} %."),
        ),
        figure(
            "marketer",
            "Marketer",
            marketer(sizes, None).map_err(|e| failed(&e))?,
            true,
            "The share of all records that somebody would get right who matches as many as possible.",
        ),
        figure(
            "lambert-worst",
            "Lambert: worst case",
            own.highest,
            true,
            "The largest chance that any record is told to be the right person's.",
        ),
        figure(
            "lambert-average",
            "Lambert: average",
            own.average * published,
            true,
            "The same chance, on average over all people; those left out are not told at all.",
        ),
        figure(
            "lambert-threshold",
            &format!("Lambert: people at {limit} % or above"),
            reached,
            true,
            &format!("The share of people for whom that chance is {limit} % or more."),
        ),
    ];
    let mut notes = Vec::new();
    let mut people = None;
    if let Some(population) = wanted.population {
        // Buckets show these columns as they are: who looks alike is one group, whatever bucket it is in.
        let (group_of, groups) = (group_of.clone(), groups.clone());
        let shown = Published { group_of, groups, ..release.clone() };
        let found = people_of_groups(&shown, population, &mut notes)?;
        figures.extend(population_figures(&shown, &found, threshold)?);
        people = Some(found);
    }
    let rows = release.table.rows.max(1) as f64;
    let uniques_after = sample_uniques(sizes, None).map_err(|e| failed(&e))?.sample;
    let originals: Vec<&[u32]> = (0..release.quasi.len()).map(|quasi| beside.quasi_codes(quasi)).collect();
    let before = Classes::of_columns(&originals, None)?;
    figures.push(figure(
        "uniques",
        "Records alone in the release",
        uniques_after as f64 / rows,
        true,
        "Published records that no other equals in all identifying columns.",
    ));
    let class_of = class_ids(&originals, original.table.rows);
    let mut count = vec![0u64; before.count()];
    for &class in &class_of {
        count[class as usize] += 1;
    }
    let alone = count.iter().filter(|&&size| size == 1).count();
    figures.push(figure(
        "uniques-before",
        "Records alone in the original",
        alone as f64 / original.table.rows.max(1) as f64,
        true,
        "Records of the original that no other equals in all identifying columns.",
    ));
    let identifying = "by the values of the original";
    let behind = people_behind(release, wanted);
    figures.extend(estimated_uniques(behind, Stage::Before, &count, original.table.rows, identifying));
    let identifying = "by what is published";
    figures.extend(estimated_uniques(behind, Stage::After, sizes, release.table.rows, identifying));
    figures.extend(uncertainty(release));
    let labels: Vec<&[u32]> =
        release.quasi.iter().map(|&at| release.table.columns[at].codes.as_slice()).collect();
    let (special, found) = special_uniques(&originals, &labels, (original.table.rows, release.table.rows));
    figures.extend(found);
    let fraction = behind.map(|people| original.table.rows as f64 / people).filter(|own| *own <= 1.0);
    let intrusion = match (&special, fraction) {
        (Some(special), Some(fraction)) => {
            let scores = special.intrusion_scores(fraction).map_err(|e| failed(&e))?;
            figures.extend(intrusion_figures(
                special.intrusion_risk(fraction).map_err(|e| failed(&e))?,
                &scores,
            ));
            Some(scores)
        }
        _ => None,
    };
    progress.check()?;
    figures.push(nearest_neighbours(&beside));
    if let Some(path) = wanted.risk_file {
        let after = Grouped {
            group_of: &group_of,
            groups: &groups,
            people: people.as_deref(),
            intrusion: intrusion.as_deref(),
        };
        risk_file(path, &beside, &after, &class_of, &count, special.as_ref())?;
    }
    Ok(Risk { figures: figures.into_iter().flatten().collect(), histogram: histogram(sizes), notes })
}

/// Per group how many people of a population may stand in it, and at least as many as its records: a population that lacks
/// somebody of the data would make risks too large to be true.
fn people_of_groups(
    release: &Published,
    population: &PeopleTable,
    notes: &mut Vec<String>,
) -> Result<Vec<u64>, RunError> {
    let people = privet_attack::adversary::suspects(release, &population.crowd())
        .map_err(|error| JobError::new(error.to_string()))?;
    let mut sizes = vec![0u64; release.groups.len()];
    for &profile in &people.profile_of {
        for place in people.places(profile) {
            sizes[place.group as usize] += 1;
        }
    }
    let (mut raised, mut lacking) = (0u64, 0u64);
    for (own, &records) in sizes.iter_mut().zip(&release.groups) {
        if *own < records {
            raised += 1;
            lacking += records - *own;
            *own = records;
        }
    }
    if raised > 0 {
        notes.push(format!(
            "The population lacks people of the data: in {raised} of {} groups it has {lacking} people fewer than there are \
             records. There as many people as records are taken, so that a journalist is a prosecutor.",
            release.groups.iter().filter(|records| **records > 0).count()
        ));
    }
    if !population.knows_all(release) {
        notes.push(
            "Of some people of the population a value is missing. They are counted wherever they may stand, which makes the risk \
             by the population rather too small."
                .to_owned(),
        );
    }
    Ok(sizes)
}

/// Journalist and marketer against a population, of which so many people may stand in each group.
fn population_figures(
    release: &Published,
    sizes: &[u64],
    threshold: f64,
) -> Result<Vec<Option<Figure>>, RunError> {
    let failed = |error: RiskError| RunError::from(JobError::new(error.to_string()));
    let own = journalist(&release.groups, sizes, threshold).map_err(failed)?;
    let uniques = sample_uniques(&release.groups, Some(sizes)).map_err(failed)?;
    Ok(vec![
        figure(
            "journalist-highest",
            "Journalist: highest",
            own.highest,
            true,
            "The largest chance with which somebody of the population is found again, when it is not known who is in the data.",
        ),
        figure(
            "journalist-average",
            "Journalist: average",
            own.average,
            true,
            "The same chance, on average over the records.",
        ),
        figure(
            "journalist-above",
            &format!("Journalist: records above {} %", percent(threshold)),
            own.above,
            true,
            &format!("The share of records for which that chance is more than {} %.", percent(threshold)),
        ),
        figure(
            "marketer-population",
            "Marketer, against the population",
            marketer(&release.groups, Some(sizes)).map_err(failed)?,
            true,
            "The share of records that somebody would get right who matches them with the whole population.",
        ),
        figure(
            "population-uniques",
            "Records alone in the population",
            uniques.population.unwrap_or(0) as f64 / release.table.rows.max(1) as f64,
            true,
            "Published records that fit one person of the population alone.",
        ),
    ])
}

/// Whose groups uniques are estimated from.
#[derive(Clone, Copy)]
enum Stage {
    Before,
    After,
}

/// How many people the records are a random sample of: as is said, or as the release tells of its own sample.
fn people_behind(release: &Published, wanted: &Wanted<'_>) -> Option<f64> {
    let own = || Some(release.manifest.as_ref()?.data.sample.as_ref()?.from_rows);
    wanted.population_size.or_else(own).map(|people| people.max(1) as f64)
}

/// Uniques of the population that a sample was drawn from, by three models and a rule that chooses among them. From the
/// groups of the original they tell whom a release of the values as they are would single out in the population; from those
/// of the release what is left of that, which is nobody wherever at least two records look alike.
fn estimated_uniques(
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
fn uncertainty(release: &Published) -> Vec<Option<Figure>> {
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

/// A figure that is not worked out; silence would look like no risk.
fn not_computed(key: &'static str, name: &str, why: &str) -> Option<Figure> {
    let says = format!("Not computed: {why}.");
    Some(Figure {
        key,
        name: name.to_owned(),
        column: None,
        value: f64::NAN,
        says,
        is_share: true,
        is_estimate: false,
    })
}

/// Special uniques of the original and of the release, or why they are not looked for.
fn special_uniques(
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

/// What special uniques risk as a sample of a population: DIS and DIS-SUDA.
fn intrusion_figures(risk: f64, scores: &[f64]) -> [Option<Figure>; 2] {
    [
        figure(
            "dis",
            "Uniques matched rightly (DIS)",
            risk,
            true,
            "How likely a match with a record that is alone in the original is right, given how large a sample of the population \
             it is.",
        ),
        figure(
            "dis-suda-highest",
            "Special uniques matched rightly: highest (DIS-SUDA)",
            scores.iter().copied().fold(0.0, f64::max),
            true,
            "The same for the record of the original that is the most special.",
        ),
    ]
}

/// Spruill: records whose nearest original, by numbers, is their own. Records without a number in some column are left out on
/// both sides: with fewer to take for each other, nobody looks safer for it.
fn nearest_neighbours(beside: &Beside<'_>) -> Option<Figure> {
    let (key, name) = ("spruill", "Spruill's risk");
    let numbers = beside.all_numbers();
    if numbers.is_empty() {
        return None;
    }
    if beside.release.table.rows > MOST_NEIGHBOURS {
        return not_computed(key, name, &format!("there are more than {MOST_NEIGHBOURS} published records"));
    }
    let columns = numbers.len();
    let numbers: Vec<(Vec<f64>, Vec<f64>)> = numbers.iter().map(Numbers::standardized).collect();
    let before = |record: usize| numbers.iter().map(move |own| own.0[record]);
    let after = |record: usize| numbers.iter().map(move |own| own.1[record]);
    // Per record its place among those that have all numbers.
    let mut place = vec![None; beside.original.table.rows];
    let (mut raw, mut originals) = (Vec::new(), 0usize);
    for (record, place) in place.iter_mut().enumerate() {
        if before(record).all(f64::is_finite) {
            raw.extend(before(record));
            *place = Some(originals);
            originals += 1;
        }
    }
    let (mut released, mut origin) = (Vec::new(), Vec::new());
    for record in beside.original.record_of.iter().map(|&record| record as usize) {
        if let Some(place) = place[record].filter(|_| after(record).all(f64::is_finite)) {
            released.extend(after(record));
            origin.push(place);
        }
    }
    let gaps = beside.release.table.rows - origin.len();
    if origin.is_empty() {
        return not_computed(key, name, "no published record has a number in every column of numbers");
    }
    let found = match spruill(&raw, &released, columns, &origin, originals) {
        Ok(found) => found,
        Err(why) => return not_computed(key, name, &why.to_string()),
    };
    let mut says = "Of all records of the original, the share that is published and whose nearest original, by their numbers, is their own.".to_owned();
    if gaps > 0 {
        says.push_str(&format!(" Left out: {gaps} published records without a number in some column."));
    }
    figure(key, name, found.risk, true, &says)
}

/// A share in per cent, as it is written.
fn percent(share: f64) -> String {
    ((share * 1e4).round() / 100.0).to_string()
}

fn histogram(sizes: &[u64]) -> Vec<RiskBin> {
    let bounds = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 1.0 / 3.0, 0.5, 1.0];
    let mut records = vec![0u64; bounds.len() - 1];
    for &size in sizes.iter().filter(|&&size| size > 0) {
        let risk = 1.0 / size as f64;
        let bin = bounds[1..].iter().position(|&to| risk <= to + 1e-12).unwrap_or(records.len() - 1);
        records[bin] += size;
    }
    (0..records.len())
        .map(|bin| RiskBin { from: bounds[bin], to: bounds[bin + 1], records: records[bin] })
        .collect()
}

/// Who looks alike in a release.
struct Grouped<'a> {
    /// Per published record its group.
    group_of: &'a [u32],
    /// Per group its records.
    groups: &'a [u64],
    /// Per group the people of the population that may stand in it, where there is one.
    people: Option<&'a [u64]>,
    /// Per record of the original its risk by DIS-SUDA, where it is known what the records are a sample of.
    intrusion: Option<&'a [f64]>,
}

/// A CSV with what each record risks, by the number of the record in the original.
fn risk_file(
    path: &Path,
    beside: &Beside<'_>,
    after: &Grouped<'_>,
    class_of: &[u32],
    sizes: &[u64],
    special: Option<&SpecialUniques>,
) -> Result<(), RunError> {
    let mut text =
        String::from("record,published,records_alike_before,records_alike_after,prosecutor_risk,suda_score");
    text.push_str(if after.intrusion.is_some() { ",dis_suda_score" } else { "" });
    text.push_str(if after.people.is_some() { ",journalist_risk\n" } else { "\n" });
    let mut group = vec![None; beside.suppressed.len()];
    for (&own, &record) in after.group_of.iter().zip(&beside.original.record_of) {
        group[record as usize] = Some(own);
    }
    let scores = special.map(SpecialUniques::scores);
    for record in 0..beside.suppressed.len() {
        let size = group[record].map(|own| after.groups[own as usize]);
        text.push_str(&format!(
            "{},{},{},{},{},{}",
            record + 1,
            if size.is_some() { "yes" } else { "no" },
            sizes[class_of[record] as usize],
            size.map_or(String::new(), |size| size.to_string()),
            size.map_or(String::new(), |size| format!("{:.6}", 1.0 / size.max(1) as f64)),
            scores.as_ref().map_or(String::new(), |scores| format!("{}", scores[record])),
        ));
        if let Some(scores) = after.intrusion {
            text.push_str(&format!(",{:.6}", scores[record]));
        }
        if let Some(people) = after.people {
            let of_group = |own: u32| format!("{:.6}", 1.0 / people[own as usize].max(1) as f64);
            text.push_str(&format!(",{}", group[record].map_or(String::new(), of_group)));
        }
        text.push('\n');
    }
    write::whole(path, text.as_bytes())
}
