//! What the records of a release risk (survey PM-01 to PM-04; special uniques).

mod uniques;

use std::path::Path;

use privet_data::Progress;
use privet_measure::risk::{
    RiskError, SpecialUniques, journalist, marketer, prosecutor, sample_uniques, spruill,
};
use privet_measure::utility::Classes;
use privet_release::Published;
use privet_report::{Figure, Risk, RiskBin};

use super::super::original::Original;
use super::super::people::PeopleTable;
use super::super::write;
use super::numbers::Numbers;
use super::{Beside, Wanted, class_ids, figure};
use crate::error::{JobError, RunError};
use uniques::{estimated_uniques, special_uniques, uncertainty};

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

/// What cannot be computed, as an error of the job.
fn failed(error: &dyn std::fmt::Display) -> RunError {
    JobError::new(error.to_string()).into()
}

/// What the records of a release risk.
pub(in crate::assess) fn risk(
    original: &Original,
    release: &Published,
    wanted: &Wanted<'_>,
    progress: &dyn Progress,
) -> Result<Risk, RunError> {
    let beside = Beside::new(original, release);
    let (group_of, groups) = beside.alike();
    let sizes = &groups;
    let threshold = wanted.risk_threshold.unwrap_or(THRESHOLD);
    // Of all people: who is left out is not told at all.
    let all = beside.suppressed.len().max(1) as f64;
    let mut figures = chances_by_size(sizes, threshold, all)?;
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
    let originals: Vec<&[u32]> = (0..release.quasi.len()).map(|quasi| beside.quasi_codes(quasi)).collect();
    let before = Classes::of_columns(&originals, None)?;
    let class_of = class_ids(&originals, original.table.rows);
    let mut count = vec![0u64; before.count()];
    for &class in &class_of {
        count[class as usize] += 1;
    }
    figures.extend(alone_figures(sizes, release.table.rows, &count, original.table.rows)?);
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

/// The share of records that no other equals, in the release and in the original: groups by their sizes, and records in all.
fn alone_figures(
    sizes: &[u64],
    published: usize,
    before: &[u64],
    originals: usize,
) -> Result<[Option<Figure>; 2], RunError> {
    let uniques_after = sample_uniques(sizes, None).map_err(|e| failed(&e))?.sample;
    let alone = before.iter().filter(|&&size| size == 1).count();
    Ok([
        figure(
            "uniques",
            "Records alone in the release",
            uniques_after as f64 / published.max(1) as f64,
            true,
            "Published records that no other equals in all identifying columns.",
        ),
        figure(
            "uniques-before",
            "Records alone in the original",
            alone as f64 / originals.max(1) as f64,
            true,
            "Records of the original that no other equals in all identifying columns.",
        ),
    ])
}

/// The chances that follow from the sizes of groups; `all` is how many people there are, published or not.
fn chances_by_size(sizes: &[u64], threshold: f64, all: f64) -> Result<Vec<Option<Figure>>, RunError> {
    let limit = percent(threshold);
    let own = prosecutor(sizes, threshold).map_err(|e| failed(&e))?;
    // Lambert's threshold is reached, not exceeded (PM-03).
    let at_threshold: u64 =
        sizes.iter().filter(|&&size| size > 0 && 1.0 / size as f64 >= threshold - 1e-12).sum();
    let published = sizes.iter().sum::<u64>() as f64 / all;
    let reached = at_threshold as f64 / all;
    Ok(vec![
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
    ])
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
