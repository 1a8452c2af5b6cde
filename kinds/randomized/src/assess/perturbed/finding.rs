//! What an attack on perturbed values found, with the law that it was made by.

use privet_attack::ids;
use privet_attack::noise::{Knowing, NoiseFinding, Outcome};
use privet_attack::{Finding, HistogramOf, Note, Rate, Unit};
use privet_data::{Column, Kind};
use privet_perturb::Law;
use privet_release::perturbed::{ModelColumn, NoiseWay, Perturbation};
use privet_report::NotMade;

use crate::randomize::model::noise_of;

/// A law, the factor of correlated noise, and what the texts of the column are.
pub(super) type Told = (Law, Option<f64>, Kind);

/// What is told of a column; none where it holds no numbers, or why it is left out.
pub(super) fn law_of(model: &ModelColumn, column: &Column) -> Result<Option<Told>, &'static str> {
    match &model.perturbation {
        None => Ok(match column.domain.kind() {
            Kind::Date => Some((Law::Keep, None, Kind::Date)),
            Kind::Integer | Kind::Decimal => Some((Law::Keep, None, Kind::Decimal)),
            Kind::Boolean | Kind::Text => None,
        }),
        Some(Perturbation::Categories(_) | Perturbation::Items(_)) => Err(
            "its values are categories; where a γ is promised it bounds what can be believed of one, and `privet verify` \
             computes it anew",
        ),
        Some(Perturbation::Noise(own)) => {
            let kind = if own.dates { Kind::Date } else { Kind::Decimal };
            match (own.way, own.deviation, own.factor) {
                (NoiseWay::Additive, Some(deviation), _) => {
                    Ok(Some((Law::Add(noise_of(own.law, deviation)), None, kind)))
                }
                (NoiseWay::Multiplicative, Some(deviation), _) => {
                    Ok(Some((Law::Multiply(noise_of(own.law, deviation)), None, kind)))
                }
                (NoiseWay::Correlated, _, Some(factor)) => Ok(Some((Law::Keep, Some(factor), kind))),
                _ => Err("the model does not tell how strong its noise is"),
            }
        }
    }
}

/// An attack on noise in the form of all others. `is_scored` says whether the original is there to tell how near it came.
pub(super) fn finding(
    own: NoiseFinding,
    knowing: &Knowing,
    records: u64,
    is_scored: bool,
) -> Result<Finding, NotMade> {
    let column = match own.columns.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    };
    let mut notes = vec![Note::of_original(own.verdict.clone())];
    if own.columns.len() > 1 {
        notes.push(Note::of_original(format!("Columns: `{}`.", own.columns.join("`, `"))));
    }
    let base = Finding {
        attack: own.attack,
        column: column.clone(),
        assumed: own.assumes.to_owned(),
        success: String::new(),
        unit: Unit::Records,
        exposed: Rate::new(0, records),
        right: None,
        control: None,
        control_group: None,
        baseline: None,
        risk: 0.0,
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: HistogramOf::Nothing,
        notes,
    };
    match own.outcome {
        Outcome::NotMade => Err(NotMade::new(own.attack, own.verdict).on(column)),
        Outcome::Estimated { score: Some(score), .. } => {
            // What the attack adds is beyond what everybody has without it: the published values, or the means where these
            // come nearer. Where all have one value, the mean is the attack.
            let is_mean = own.attack != ids::CONSTANT_COLUMN && score.control.rate > score.published.rate;
            let (control, group) = match is_mean {
                true => (score.control, "the same records, estimated by the mean of each column"),
                false => (score.published, "the same records, taken as they are published"),
            };
            let hits = score.recovered.hits;
            Ok(Finding {
                success: format!(
                    "the estimate is within {} deviations of the noise of what the record was",
                    score.tolerance
                ),
                exposed: score.recovered,
                // Only records about which it is right are counted.
                right: (hits > 0).then(|| Rate::new(hits, hits)),
                control: Some(control),
                control_group: Some(group.to_owned()),
                baseline: (own.attack != ids::CONSTANT_COLUMN).then_some(control),
                risk: score.recovered.rate,
                ..base
            })
        }
        Outcome::Estimated { succeeded, expected_error, score: None } => {
            // All or nobody, by an error that is expected: no share of records was counted.
            let exposed = match (succeeded, is_scored) {
                (true, _) => Rate::everybody(records),
                (false, true) => Rate::new(0, records),
                (false, false) => Rate::unknown(),
            };
            let mut notes = base.notes.clone();
            notes.push(Note::no_control(match own.attack {
                ids::CONSTANT_COLUMN => {
                    "There is no control: everybody has the value, or nobody is told any.".to_owned()
                }
                _ => "There is no control: how near the means alone come, only the original shows.".to_owned(),
            }));
            // Whether a column is constant is told by its verdict, and scored where it is.
            if own.attack != ids::CONSTANT_COLUMN {
                let then = match succeeded {
                    true if expected_error <= knowing.tolerance => {
                        "so small that everybody counts until the original shows how many it tells"
                    }
                    true => {
                        "of the column that is recovered most it is so small that everybody counts until the original shows how many it \
                         tells"
                    }
                    false => "how many records it tells, only the original shows",
                };
                notes.push(Note::of_original(format!(
                    "The error that the adversary expects is {expected_error:.2} deviations of the noise; {then}."
                )));
            }
            let success = format!(
                "the error that the adversary expects is at most {} deviations of the noise; then everybody counts",
                knowing.tolerance
            );
            // That it succeeds is known beforehand; that it does not, only the original shows.
            let not_counted = (!succeeded && !is_scored).then(|| {
                "how many records it tells is only known with the original, which is not given".to_owned()
            });
            Ok(Finding { success, exposed, risk: exposed.rate, notes, not_counted, ..base })
        }
        Outcome::Linked { score, .. } => Ok(Finding {
            notes: match score.exposed.of {
                // Readers are told as well: by the rate alone it would seem that all were judged.
                judged if judged < records => {
                    let part = format!(
                        "It was made on a random sample of {judged} of {records} records: on all of them it would take too long."
                    );
                    base.notes.iter().cloned().chain([Note::of_release(part)]).collect()
                }
                _ => base.notes.clone(),
            },
            success: format!(
                "a record is linked to a person with a certainty of at least {}",
                score.confidence
            ),
            exposed: score.exposed,
            right: (score.exposed.hits > 0).then_some(score.right_when_sure),
            control: Some(score.control),
            control_group: Some(
                "the same records, had their people not been in the adversary's file: whoever is taken for them then is not them"
                    .to_owned(),
            ),
            baseline: None,
            risk: score.found.rate,
            ..base
        }),
    }
}
