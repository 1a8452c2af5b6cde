//! The tracker attack (survey AT-08, PM-32) on a server that answers counts from the original, beside the release.
//!
//! The adversary finds a formula that means neither few nor nearly all records, and with it every count that the server
//! refuses (where there is none, two questions that differ by the person, if the server answers both): how many people share a person's quasi columns, and how many of them have each sensitive value. That is exact. It
//! says nothing about the release: it is here because a release is no safer than what else is told about the same people.
//!
//! Every question goes over the whole table, so people are drawn at random when there are many.

use privet_attack::ids;
use privet_attack::knowledge::QueryServer;
use privet_attack::tracker::{Formula, GeneralTracker, Server, values_among};
use privet_attack::{AttackError, Finding, Found, HistogramOf, Note, Rate, Unit};
use privet_data::{Progress, Random};
use privet_release::Published;

use super::Settings;
use super::original::Original;

/// People who are asked about at most.
const MOST_ASKED: usize = 100;

/// Makes the attack on a sensitive column, by its position among the sensitive columns.
pub(super) fn attack(
    server: &QueryServer,
    original: &Original,
    release: &Published,
    column: usize,
    settings: &Settings<'_>,
    progress: &dyn Progress,
) -> Result<Option<Found>, AttackError> {
    let needs = |why: &str| AttackError::Needs(why.to_owned());
    let table = &original.table;
    let Some(sensitive) = original.sensitive.get(column).map(|&position| &table.columns[position]) else {
        return Ok(None);
    };
    let mut codes: Vec<&[u32]> =
        original.quasi.iter().map(|quasi| &*table.columns[quasi.position].codes).collect();
    codes.push(&sensitive.codes);
    let last = codes.len() - 1;
    let asked =
        Server::new(codes.clone(), Vec::new(), server.smallest).map_err(|error| needs(&error.to_string()))?;
    // A formula that splits the table, of whatever column: values one by one, and all below one.
    let splits = codes.iter().enumerate().flat_map(|(at, own)| {
        let most = own.iter().max().copied().unwrap_or(0);
        let step = (most / 64).max(1);
        (0..=most)
            .step_by(step as usize)
            .flat_map(move |code| [Formula::Below(at, code), Formula::Is(at, code)])
    });
    // Where none is far enough from few on both sides, people are told by two questions that differ by them.
    let tracker = GeneralTracker::find(&asked, splits);
    let mut people: Vec<u32> = (0..table.rows as u32).collect();
    Random::stream(settings.seed, 8).shuffle(&mut people);
    people.truncate(MOST_ASKED);
    let (mut exposed, mut right, mut control) = (0u64, 0u64, 0u64);
    let is_sure = |count: u64, of: u64| of > 0 && count as f64 / of as f64 >= settings.confidence - 1e-12;
    let mut answered = 0;
    for &person in &people {
        progress.check().map_err(|_| AttackError::Cancelled)?;
        let parts = codes.iter().enumerate().take(last);
        let parts: Vec<Formula> = parts.map(|(at, own)| Formula::Is(at, own[person as usize])).collect();
        let values = values_among(&asked, tracker.as_ref(), &parts, last, sensitive.domain.len() as u32)
            .map_err(|error| needs(&error.to_string()))?;
        let Some(values) = values else { continue };
        answered += 1;
        let of: u64 = values.iter().map(|own| own.1).sum();
        let truth = sensitive.codes[person as usize];
        // Of the values that tell something the most frequent, the first of them.
        let best = |without: u64| {
            let left =
                |&(value, count): &(u32, u64)| (count - if value == truth { without } else { 0 }, value);
            let told = values.iter().filter(|own| !sensitive.domain.is_missing(own.0)).map(left);
            told.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)))
        };
        if let Some((count, value)) = best(0).filter(|own| is_sure(own.0, of)) {
            exposed += 1;
            right += u64::from(value == truth && count > 0);
        }
        control +=
            u64::from(best(1).is_some_and(|own| is_sure(own.0, of - 1) && own.1 == truth && own.0 > 0));
    }
    if answered == 0 {
        return Err(needs(
            "the server answers no question that splits the table, and no two that differ by the people who are asked about",
        ));
    }
    let of = people.len() as u64;
    let mut notes = vec![Note::of_release(
        "This is about the server, not about the release: it tells the same whatever is published.",
    )];
    if tracker.is_none() {
        notes.push(Note::of_original(format!(
            "No formula of one column is a general tracker; {answered} of {of} people are told by two questions that differ by them."
        )));
    }
    if people.len() < table.rows {
        notes.push(Note::of_release(format!(
            "People who were asked about, drawn at random: {of} of {}.",
            table.rows
        )));
    }
    let finding = Finding {
        attack: ids::TRACKER,
        column: release.sensitive.get(column).map(|own| own.name.clone()),
        assumed: format!(
            "the quasi columns of people, and a server that counts records of the original, at least {k} and at most all but {k}",
            k = server.smallest
        ),
        success: format!(
            "from answers that the server gives, at least {} % of the records with the person's quasi columns have one value",
            privet_attack::percent(settings.confidence)
        ),
        unit: Unit::People,
        exposed: Rate::new(exposed, of),
        right: (exposed > 0).then(|| Rate::new(right, exposed)),
        control: Some(Rate::new(control, of)),
        control_group: Some("the same people, asked about without their own record".to_owned()),
        baseline: None,
        risk: right as f64 / of.max(1) as f64,
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: HistogramOf::Nothing,
        notes,
    };
    Ok(Some(Found { finding, conclusions: None, failed: Vec::new() }))
}
