//! `[history]`: what was published before about the same people, looked at before anything is published again.
//!
//! Guarantee: with a history, no release is written by which, together with any earlier one that can be judged, more than the accepted
//! share of its people has fewer possible sensitive values than asked for, or one with a larger posterior; where each earlier table is
//! part of the new one, records that cannot be the target's are left out first. What is not judged is said. What is published is remembered in the owner's folder, with the release and not after it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use privet_history::{
    Class, ColumnLabels, Composed, Correspondence, Entry, History, Limits, Recorded, TooMany, Unjudged,
    compose, correspondence, unjudged,
};
use privet_microdata::history::HistorySection;
use privet_release::Manifest;

use crate::chosen::Place;
use crate::error::{JobError, RunError};
use crate::job::Job;
use crate::run::Candidate;

/// What a candidate says about people; an error where equal values may be in different classes.
fn recorded(candidate: &Candidate<'_>) -> Result<Recorded, JobError> {
    let Candidate { loaded, problem, chosen, partition, .. } = candidate;
    let table = &loaded.input.table;
    let levels = problem.at(candidate.levels);
    let mut columns = Vec::new();
    let mut label_of: Vec<Vec<Box<str>>> = Vec::new();
    for ((quasi, place), level) in loaded.quasi.iter().zip(&chosen.places).zip(levels) {
        if matches!(place, Place::Cells { .. }) {
            let problem = "needs an algorithm that gives equal values one label, such as \"optimal\"; this one forms groups of records";
            return Err(JobError::key("history", problem));
        }
        let column = &table.columns[quasi.position];
        let labels = quasi.labels(column, level);
        let texts = column.domain.texts().iter().zip(&labels);
        let labels_of_texts = texts.map(|(text, label)| (text.to_string(), label.to_string())).collect();
        columns.push(ColumnLabels { column: column.name.clone(), labels: labels_of_texts });
        label_of.push(labels);
    }
    let sensitive = loaded.sensitive_names().into_iter().map(str::to_owned).collect();
    let mut classes: Vec<Class> = partition
        .first
        .iter()
        .zip(&partition.rows)
        .map(|(&record, &rows)| {
            let label = |(quasi, labels): (&crate::load::Quasi, &Vec<Box<str>>)| {
                labels[table.columns[quasi.position].codes[record as usize] as usize].to_string()
            };
            let labels = loaded.quasi.iter().zip(&label_of).map(label).collect();
            Class { labels, rows, held: vec![BTreeMap::new(); loaded.sensitive.len()] }
        })
        .collect();
    for (at, own) in loaded.sensitive.iter().enumerate() {
        let column = &table.columns[own.position];
        let mut counted: foldhash::HashMap<(u32, u32), u64> = foldhash::HashMap::default();
        for (&class, &code) in partition.class_of.iter().zip(&column.codes) {
            *counted.entry((class, code)).or_default() += 1;
        }
        for ((class, code), count) in counted {
            classes[class as usize].held[at].insert(column.domain.text(code).to_owned(), count);
        }
    }
    let kept = classes.into_iter().zip(&partition.kept).filter(|(_, kept)| **kept).map(|(class, _)| class);
    Ok(Recorded::Classes { columns, sensitive, classes: kept.collect() })
}

/// Everybody who is about to be published, by quasi values.
fn people(candidate: &Candidate<'_>) -> BTreeMap<Vec<String>, u64> {
    let Candidate { loaded, partition, .. } = candidate;
    let columns: Vec<_> =
        loaded.quasi.iter().map(|quasi| &loaded.input.table.columns[quasi.position]).collect();
    let mut of_codes: foldhash::HashMap<Vec<u32>, u64> = foldhash::HashMap::default();
    let published = |row: &usize| partition.kept[partition.class_of[*row] as usize];
    for row in (0..loaded.input.table.rows).filter(published) {
        *of_codes.entry(columns.iter().map(|column| column.codes[row]).collect()).or_default() += 1;
    }
    let text = |codes: Vec<u32>| {
        codes.iter().zip(&columns).map(|(&code, own)| own.domain.text(code).to_owned()).collect()
    };
    of_codes.into_iter().map(|(codes, count)| (text(codes), count)).collect()
}

/// Where the history of a job is.
fn path_of(job: &Job, base: &Path) -> Option<PathBuf> {
    Some(base.join(job.output.home.as_ref()?).join(&job.history.as_ref()?.file))
}

fn read(path: &Path) -> Result<History, JobError> {
    History::read(path).map_err(|error| JobError::new(error.to_string()).at(path))
}

/// Looks at a candidate together with everything that was published before. What is found, for the owner.
pub(crate) fn gate(candidate: &Candidate<'_>, base: &Path) -> Result<Vec<String>, RunError> {
    let (Some(section), Some(path)) = (&candidate.job.history, path_of(candidate.job, base)) else {
        return Ok(Vec::new());
    };
    let history = read(&path)?;
    let newest = recorded(candidate)?;
    let earlier: Vec<&Recorded> = history.releases.iter().map(|own| &own.recorded).collect();
    if earlier.is_empty() {
        return Ok(vec!["the history begins with this release".to_owned()]);
    }
    let people = people(candidate);
    // With each earlier release, and with all of them.
    let mut worst = Composed::default();
    let limits = Limits { least: section.least, most_posterior: section.max_posterior };
    let mut largest: f64 = 0.0;
    let each = earlier.iter().map(std::slice::from_ref).chain([&earlier[..]]);
    for some in each {
        let composed = compose(&newest, some, &people, limits);
        let limit = (section.max_risk * composed.people as f64 + 1e-9).floor() as u64;
        if composed.exposed > limit {
            return Err(RunError::Composed {
                people: composed.people,
                exposed: composed.exposed,
                certain: composed.certain,
                least: section.least,
                most: section.max_posterior,
                accepted: section.max_risk,
            });
        }
        largest = largest.max(composed.largest_posterior);
        if composed.exposed >= worst.exposed {
            worst = composed;
        }
    }
    let mut notes = vec![format!(
        "with the {} releases of the history, {} of {} people who may be in one of them have fewer than {} possible sensitive values",
        earlier.len(),
        worst.exposed,
        worst.people,
        section.least
    )];
    if largest > 0.0 {
        let limit =
            section.max_posterior.map_or("no limit is set".to_owned(), |own| format!("{own} is accepted"));
        notes.push(format!(
            "the largest posterior of a sensitive value, releases together, is {largest:.3} ({limit})"
        ));
    }
    notes.extend(not_judged(&newest, &earlier));
    // A release with noise has no classes, and a ledger counts what it tells.
    let earlier: Vec<&Recorded> =
        earlier.into_iter().filter(|own| !matches!(own, Recorded::Noisy { .. })).collect();
    if section.continues && !earlier.is_empty() {
        notes.push(corresponds(section, &newest, &earlier)?);
    }
    Ok(notes)
}

/// What the gate says nothing about, in plain words.
fn not_judged(newest: &Recorded, earlier: &[&Recorded]) -> Vec<String> {
    let reasons = [
        (Unjudged::Form, "they are no releases of classes by columns"),
        (Unjudged::Columns, "they have quasi columns that this release does not have"),
        (Unjudged::Sensitive, "they have no sensitive column in common with this release"),
    ];
    let count = |reason| earlier.iter().filter(|own| unjudged(newest, own) == Some(reason)).count();
    let said = |(reason, why): (Unjudged, &str)| match count(reason) {
        0 => None,
        count => Some(format!(
            "not judged: what {count} of the {} earlier releases tell of sensitive values together with this one; {why}",
            earlier.len()
        )),
    };
    reasons.into_iter().filter_map(said).collect()
}

/// The correspondence attacks on this release and each earlier one, and what they leave.
fn corresponds(
    section: &HistorySection,
    newest: &Recorded,
    earlier: &[&Recorded],
) -> Result<String, RunError> {
    let mut least = Correspondence::default();
    for own in earlier {
        let found = correspondence(own, newest).map_err(|why| match why {
            TooMany::Pairs => JobError::key(
                "history.continues",
                "asks for attacks on more pairs of classes than can be looked at",
            ),
            TooMany::Columns => JobError::key(
                "history.continues",
                "compares with an earlier release of other columns; give both the same quasi and sensitive columns",
            ),
        })?;
        let left = found.least();
        if left.is_some_and(|left| left < section.least_left) {
            return Err(RunError::Corresponds { left: left.unwrap_or(0), least: section.least_left });
        }
        least = least.or_less(found);
    }
    let word = |own: Option<u64>| own.map_or("nobody to attack".to_owned(), |own| own.to_string());
    Ok(format!(
        "records left of the smallest class by correspondence attacks with {} earlier releases: forward {}, cross {}, backward {}",
        earlier.len(),
        word(least.forward),
        word(least.cross),
        word(least.backward)
    ))
}

/// The history with this release: where it is written, and what.
pub(crate) fn remembered(
    candidate: &Candidate<'_>,
    manifest: &Manifest,
    base: &Path,
) -> Result<Option<(PathBuf, String)>, RunError> {
    let Some(path) = path_of(candidate.job, base) else { return Ok(None) };
    let mut history = read(&path)?;
    let recorded = recorded(candidate)?;
    history.is_about(&base.join(&candidate.job.input.path));
    history.releases.push(Entry {
        release: manifest.seal.clone(),
        kind: manifest.kind.word().to_owned(),
        recorded,
    });
    Ok(Some((path, history.to_json())))
}
