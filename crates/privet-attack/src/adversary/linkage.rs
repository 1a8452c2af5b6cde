//! Probabilistic record linkage of a table of people with a release (survey AT-24).
//!
//! All pairs of a record and a person are compared. Up to [`MOST_PAIRS`] they are listed. Of more the patterns are counted,
//! and only the pairs at or above the weight from which pairs are called links are listed: links go to the largest weight
//! first, so that nothing below it has a say. No pair is left out, and none is drawn by lot.
//!
//! Numbers that were swapped, averaged or made up are compared by how near they are, all else by whether a label covers a
//! value.
//!
//! What it guarantees: who is called whose is the same either way. What is different in a large table: ties are told of
//! people who would be linked, not of those who fit several records badly, and the number of false links that the model
//! expects is a lower bound, for it does not count what lies below the threshold.

use super::records::conclusions;
use super::{Adversary, Crowd, SharedColumn};
use crate::attacks::{AttackWord, Role};
use crate::finding::{AttackError, Fate, Finding, Found, Score, Unit};
use crate::histogram::HistogramOf;
use crate::link::UNKNOWN;
use crate::linkage::{
    Compared, Link, Linkage, LinkageError, MISSING, MOST_PAIRS, Options, Pairs, Rates, Untied, compare,
    decide, estimate, listed, tally, untied,
};
use crate::note::Note;

/// The word of the attack in files.
pub const RECORD_LINKAGE: &str = "record-linkage";

/// What it is.
pub(crate) const ABOUT_RECORD_LINKAGE: AttackWord = AttackWord {
    word: RECORD_LINKAGE,
    title: "Record linkage",
    sentence: "The adversary compares a list of named people with all published records and ties each person to the most similar one.",
    about: "links that allow for errors (Fellegi and Sunter)",
    needs: Some("people"),
    quick: false,
    role: Role::CountsOnClasses,
};

/// Error rates that thresholds keep.
const RATES: Rates = Rates { false_matches: 0.01, false_rejections: 0.1 };

/// Numbers are near within so many standard deviations of those that are published. Equal ones are no nearer than that:
/// whoever was given exactly this number by a swap is somebody else.
const NEAR: [f64; 2] = [0.5, 0.1];

/// Links that are called, and all that they were chosen from.
struct Called {
    /// The pairs that are listed.
    pairs: Pairs,
    found: Untied,
    linked: Linkage,
    /// How many pairs were compared.
    compared: u128,
    /// Whether all of them are listed.
    is_whole: bool,
}

/// Links records and people; `most` pairs at most are listed.
fn called(columns: &[Compared<'_>], rows: (usize, usize), most: usize) -> Result<Called, LinkageError> {
    let compared = rows.0 as u128 * rows.1 as u128;
    if compared <= most as u128 {
        let pairs = compare(columns, &[])?;
        let estimation = estimate(&pairs, &Options::default());
        let found = untied(&pairs, &estimation);
        let linked = decide(&pairs, &estimation, &found.links, RATES)?;
        return Ok(Called { pairs, found, linked, compared, is_whole: true });
    }
    let counted = tally(columns)?;
    let estimation = estimate(&counted.pairs, &Options::default());
    let upper = decide(&counted.pairs, &estimation, &[], RATES)?.thresholds.upper;
    let weight = |place: usize| estimation.weights.get(place).copied().unwrap_or(f64::NEG_INFINITY);
    let pairs = listed(columns, &counted, |place| weight(place) > 0.0 && weight(place) >= upper)?;
    let found = untied(&pairs, &estimation);
    let linked = decide(&counted.pairs, &estimation, &found.links, RATES)?;
    Ok(Called { pairs, found, linked, compared, is_whole: false })
}

/// Numbers that were published in place of others, so that being near says something: a column of records and people.
struct Numbers {
    left: Vec<f64>,
    right: Vec<f64>,
    /// The standard deviation of what is published.
    spread: f64,
}

impl Numbers {
    /// `None` for categories, and for labels that stand for sets of values, in which a value is or is not.
    fn new(adversary: &Adversary<'_>, shared: &SharedColumn<'_>) -> Option<Self> {
        let points = shared.points?;
        let kind = points.of_numbers()?;
        let left = adversary.release.table.columns[adversary.release.quasi[shared.quasi]].numbers_as(kind);
        let number = |&code: &u32| points.number(kind, code).unwrap_or(f64::NAN);
        let right =
            shared.values.iter().map(|code| if *code == UNKNOWN { f64::NAN } else { number(code) }).collect();
        let known = || left.iter().copied().filter(|own| own.is_finite());
        let count = known().count().max(1) as f64;
        let mean = known().sum::<f64>() / count;
        let variance = known().map(|own| (own - mean).powi(2)).sum::<f64>() / count;
        Some(Self { left, right, spread: variance.sqrt() })
    }

    /// The same column for more people, those of another table behind.
    fn and(mut self, other: Option<Self>, count: usize) -> Self {
        match other {
            Some(other) => self.right.extend(other.right),
            None => self.right.extend(std::iter::repeat_n(f64::NAN, count)),
        }
        self
    }
}

pub(super) fn linkage(adversary: &Adversary<'_>) -> Result<Vec<Found>, AttackError> {
    let numbers = adversary.crowd.shared.iter().map(|own| Numbers::new(adversary, own)).collect();
    linked(adversary, numbers)
}

/// The attack on people with those of a control table behind them. `joined` has both over one domain of codes, which tells
/// nothing of how near numbers are; the adversary itself does.
pub(super) fn linkage_with(
    adversary: &Adversary<'_>,
    strangers: &Crowd<'_>,
    joined: &Adversary<'_>,
) -> Result<Vec<Found>, AttackError> {
    let numbers = |own: &SharedColumn<'_>| {
        let theirs = strangers.shared.iter().find(|theirs| theirs.quasi == own.quasi);
        let theirs = theirs.and_then(|theirs| Numbers::new(adversary, theirs));
        Some(Numbers::new(adversary, own)?.and(theirs, strangers.count))
    };
    linked(joined, adversary.crowd.shared.iter().map(numbers).collect())
}

/// The attack, with the columns of numbers that are compared by how near they are.
fn linked(adversary: &Adversary<'_>, numbers: Vec<Option<Numbers>>) -> Result<Vec<Found>, AttackError> {
    let shared = &adversary.crowd.shared;
    // Swapped records differ from the people's own values, so that the original itself is such a table.
    let is_swapped = adversary.release.manifest.is_none()
        && adversary.truth.is_some_and(|truth| truth.record_of.iter().any(Option::is_some));
    if !adversary.own_table && !is_swapped {
        return Err(AttackError::Needs(
            "it needs a table of people whose values may differ from those in the data; give [people] in the knowledge file"
                .to_owned(),
        ));
    }
    let right: Vec<Vec<u32>> = shared
        .iter()
        .map(|own| own.values.iter().map(|&value| if value == UNKNOWN { MISSING } else { value }).collect())
        .collect();
    let columns: Vec<Compared<'_>> = shared
        .iter()
        .zip(&right)
        .zip(&numbers)
        .map(|((own, right), numbers)| match numbers {
            Some(Numbers { left, right, spread }) => {
                Compared::Numbers { left, right, within: NEAR.map(|near| near * spread).to_vec() }
            }
            None => Compared::Labels {
                left: &adversary.release.table.columns[adversary.release.quasi[own.quasi]].codes,
                right,
                coverage: own.coverage,
            },
        })
        .collect();
    let too_large = |error: LinkageError| AttackError::TooLarge(error.to_string());
    let rows = (adversary.release.table.rows, adversary.crowd.count);
    let Called { pairs, found, linked, compared, is_whole } =
        called(&columns, rows, MOST_PAIRS).map_err(too_large)?;
    // Few of very many wrong pairs are still many: a link counts when the model itself believes it.
    let is_sure = |link: &&Link| link.probability >= adversary.confidence;
    let called: Vec<(u32, u32)> =
        linked.matches().filter(is_sure).map(|link| (link.person, link.record)).collect();
    let estimated_false: f64 = linked.matches().filter(is_sure).map(|link| 1.0 - link.probability).sum();
    let doubted = linked.matches().count() - called.len();
    let own =
        |person: u32| adversary.truth.map(|truth| truth.record_of.get(person as usize).copied().flatten());
    let mut fate = vec![Fate::Hidden; adversary.crowd.count];
    for &(person, record) in &called {
        fate[person as usize] = Fate::of(Some(own(person).map(|own| own == Some(record))));
    }
    let score = Score::count(&fate);
    let mut notes = vec![Note::of_release(match called.is_empty() {
        true => format!("No pair is called a link that counts. Pairs compared: {compared}, which are all."),
        false => format!(
            "Of these links the model itself expects {}{:.1} to be false. Pairs compared: {compared}, which are all.",
            if is_whole { "" } else { "at least " },
            estimated_false
        ),
    })];
    if doubted > 0 {
        notes.push(Note::of_release(format!(
            "{doubted} more links are the best there are, but the model itself is less than {} % sure of each: they do not \
             count.",
            crate::percent(adversary.confidence)
        )));
    }
    let is_linked = {
        let mut linked = vec![false; adversary.crowd.count];
        found.links.iter().for_each(|link| linked[link.person as usize] = true);
        linked
    };
    let people = 0..adversary.crowd.count as u32;
    let tied = |person: &u32| found.of_person[*person as usize] > 0 && !is_linked[*person as usize];
    let ties = people.clone().filter(tied).count();
    if ties > 0 {
        notes.push(Note::of_release(format!(
            "For {ties} people several records, or for a record several people, fit equally well: nobody is told apart, and \
             none of them counts as exposed."
        )));
        if adversary.truth.is_some() {
            let lot = |person: u32| {
                own(person).flatten().map_or(0.0, |record| found.by_lot(&pairs, record, person))
            };
            let by_lot: f64 = people.filter(tied).map(lot).sum();
            notes.push(Note::of_original(format!(
                "Drawing lots among these would be right for {by_lot:.1} of them."
            )));
        }
    }
    let finding = Finding {
        attack: RECORD_LINKAGE,
        column: None,
        assumed: "an identified table of people, which may be wrong in places".to_owned(),
        success: format!(
            "one record fits the person better than any other, nobody else fits it as well, and by the model it is the \
             person's with at least {} %",
            crate::percent(adversary.confidence)
        ),
        unit: Unit::People,
        exposed: score.exposed(),
        right: score.right(),
        control: None,
        control_group: None,
        baseline: None,
        risk: score.risk(),
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: HistogramOf::Nothing,
        notes,
    };
    Ok(vec![Found {
        finding,
        conclusions: Some(conclusions(adversary, RECORD_LINKAGE, None, fate)),
        failed: Vec::new(),
    }])
}

#[cfg(test)]
mod tests {
    use privet_data::Random;

    use super::*;

    /// The same links are called whether pairs are listed or counted: people with errors in a tenth of their values.
    #[test]
    fn counted_pairs_call_the_same_links() {
        for seed in 1..4 {
            let mut random = Random::new(seed);
            let (mut left, mut right): (Vec<Vec<u32>>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
            for values in [30, 12, 20, 2] {
                let records: Vec<u32> = (0..150).map(|_| random.below(values) as u32).collect();
                let people = (0..200).map(|person| match records.get(person) {
                    Some(&own) if !random.chance(0.1) => own,
                    _ => random.below(values) as u32,
                });
                right.push(people.collect());
                left.push(records);
            }
            let columns: Vec<Compared<'_>> =
                left.iter().zip(&right).map(|(left, right)| Compared::Codes { left, right }).collect();
            let own = |most: usize| {
                let called = called(&columns, (150, 200), most).unwrap();
                let links: Vec<(u32, u32)> =
                    called.linked.matches().map(|link| (link.record, link.person)).collect();
                (links, called.linked.thresholds, called.linked.estimated_false, called.is_whole)
            };
            let (whole, counted) = (own(MOST_PAIRS), own(0));
            assert!(whole.0.len() > 50 && whole.3 && !counted.3, "{}", whole.0.len());
            assert_eq!((&whole.0, whole.1), (&counted.0, counted.1));
            assert!(counted.2 <= whole.2 + 1e-9, "{} {}", counted.2, whole.2);
        }
    }
}
