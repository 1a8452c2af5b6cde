//! The verdict of the owner's page: the worst attack against what is accepted, then the promises.

use privet_release::Manifest;
use serde::Serialize;

use privet_attack::Finding;
use privet_attack::ids;

use crate::form::FormWords;
use crate::limits::Limit;
use crate::sections::attacks::{among, beside, title, worst};
use crate::sections::term;
use crate::sections::verdict::{Summary, summary};
use crate::text::{count, counted, number, percent, sentence, set_share, share};
use crate::{Assessment, Facts};

use super::attacks_of;

/// Whether the release may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Judged {
    /// The worst attack stays within what is accepted.
    Accepted,
    /// It does not.
    TooRisky,
    /// No attack was made, its risk is not known, or nothing was said about what is accepted.
    Open,
}

/// Compares attacks with what is accepted.
pub(super) fn judge(attacks: &[Finding], assessment: &Assessment) -> Judged {
    let mut counted = attacks.iter().filter(|own| own.not_counted.is_none()).peekable();
    if counted.peek().is_none() || !assessment.is_limited() || counted.any(|own| own.risk.is_nan()) {
        return Judged::Open;
    }
    match assessment.exceeded_by(attacks) {
        Some(_) => Judged::TooRisky,
        None => Judged::Accepted,
    }
}

/// The attack that a verdict is about: the one that exceeds a limit, or the worst.
pub(super) fn worst_of<'a>(attacks: &'a [Finding], assessment: &Assessment) -> Option<&'a Finding> {
    assessment.exceeded_by(attacks).map(|own| own.finding).or_else(|| worst(attacks))
}

/// The share that an attack reaches, and what of it the release adds; beside what is accepted not rounded to what it is above.
fn against(attacks: &[Finding], own: &Finding, assessment: &Assessment) -> String {
    let exceeded = assessment.exceeded_by(attacks).filter(|exceeded| !exceeded.reached.is_nan());
    let past = exceeded.map(|exceeded| match share(exceeded.reached) == share(exceeded.accepted) {
        true => format!("more than {}", set_share(exceeded.accepted)),
        false => share(exceeded.reached),
    });
    match (exceeded.map(|own| own.limit), past) {
        (Some(Limit::Added), Some(past)) if own.baseline.is_some() => {
            format!("{}, of which the release adds up to {past},", share(own.risk))
        }
        (_, Some(past)) => past,
        (_, None) if own.baseline.is_some() && !own.risk.is_nan() => {
            format!("{}, of which the release adds up to {},", share(own.risk), share(own.added()))
        }
        _ => share(own.risk),
    }
}

/// What is accepted.
fn limits(assessment: &Assessment) -> String {
    match (assessment.max_risk, assessment.max_absolute_risk) {
        (None, None) => "no limit set".to_owned(),
        (Some(added), None) => set_share(added),
        (None, Some(absolute)) => format!("{} in all", set_share(absolute)),
        (Some(added), Some(absolute)) => {
            format!("{} added, {} in all", set_share(added), set_share(absolute))
        }
    }
}

pub(super) fn write(manifest: &Manifest, facts: &Facts, assessment: &Assessment, out: &mut String) {
    let attacks = attacks_of(facts, assessment);
    let worst = worst_of(attacks, assessment);
    let judged = judge(attacks, assessment);
    let promises = summary(manifest);
    let accepted = limits(assessment);
    let heading = match worst {
        Some(worst) => {
            format!(
                "Worst attack: {}, {} of people; accepted: {accepted}",
                title(worst),
                against(attacks, worst, assessment)
            )
        }
        None if attacks.is_empty() => "No attack was made".to_owned(),
        None => "No attack that counts as a risk was made".to_owned(),
    };
    let (class, mark) = match judged {
        _ if promises.class == "fails" => ("fails", "✗"),
        Judged::TooRisky => ("fails", "✗"),
        Judged::Open => ("open", "?"),
        Judged::Accepted if promises.class == "open" => ("open", "?"),
        Judged::Accepted => ("holds", "✓"),
    };
    put!(
        out,
        "<section class=\"verdict {class}\" aria-labelledby=\"verdict\">\n<h2 id=\"verdict\"><span class=\"mark\" \
         aria-hidden=\"true\">{mark}</span> {heading}</h2>\n<ul class=\"lead\">\n"
    );
    put!(
        out,
        "<li class=\"{}\">{}</li>\n",
        if judged == Judged::TooRisky { "fails" } else { "holds" },
        match judged {
            Judged::Accepted => "No attack exposes more people than is accepted.",
            Judged::TooRisky => "This attack exposes more people than is accepted.",
            Judged::Open if worst.is_none() =>
                "Nothing is known about how the release stands up to an adversary.",
            Judged::Open if !assessment.is_limited() => "No limit was set for the share of people exposed.",
            Judged::Open => "The risk cannot be compared with what is accepted.",
        }
    );
    let Summary { class, heading, .. } = promises;
    put!(out, "<li class=\"{class}\">{heading}.</li>\n");
    for own in beside(manifest, attacks).into_iter().chain(among(attacks)) {
        put!(out, "<li class=\"open\">{own}.</li>\n");
    }
    if worst.is_some() || !assessment.not_made.is_empty() {
        put!(
            out,
            "<li>{} made, {} not made.</li>\n",
            counted(attacks.len() as u64, "attack was", "attacks were"),
            counted(assessment.not_made.len() as u64, "was", "were")
        );
    }
    out.push_str("</ul>\n");
    figures_of(manifest, worst, &accepted, out);
    out.push_str("</section>\n");
}

/// What was found, accepted and published, in numbers.
fn figures_of(manifest: &Manifest, worst: Option<&Finding>, accepted: &str, out: &mut String) {
    out.push_str("<dl class=\"figures\">\n");
    if let Some(worst) = worst {
        term(out, "Worst attack", &format!("{}<small>of people</small>", share(worst.risk)));
    }
    term(out, "Accepted", accepted);
    let data = &manifest.data;
    term(
        out,
        "Records published",
        &format!(
            "{}<small>{} suppressed: {}</small>",
            count(data.rows),
            count(data.suppressed),
            percent(data.suppressed, data.input_rows)
        ),
    );
    let classes = &manifest.classes;
    let words = FormWords::of(manifest.kind);
    term(
        out,
        words.smallest,
        &format!("{}<small>{}</small>", count(classes.min), words.counted(classes.count)),
    );
    if let Some(&loss) = manifest.metrics.get("loss") {
        term(out, "Loss of detail", &format!("{}<small>0 none, 1 all</small>", number(loss)));
    }
    out.push_str("</dl>\n");
}

/// Attacks whose control counts what they count, records that are told as nearly without them. That of others counts people who
/// are pointed at although they are not there.
const ESTIMATES: [&str; 5] = [
    ids::CONSTANT_COLUMN,
    ids::SPECTRAL_FILTER,
    ids::BEST_LINEAR_ESTIMATE,
    ids::WAVELET_FILTER,
    ids::KNOWN_POINTS,
];

/// The verdict of a release without classes: the worst attack against what is accepted.
pub(super) fn of_attacks(assessment: &Assessment, out: &mut String) {
    let attacks = &assessment.attacks;
    let worst = worst_of(attacks, assessment);
    let judged = judge(attacks, assessment);
    let (class, mark) = match judged {
        Judged::TooRisky => ("fails", "✗"),
        Judged::Open => ("open", "?"),
        Judged::Accepted => ("holds", "✓"),
    };
    let accepted = limits(assessment);
    // A rate that is reached without the attack is no leak that it found.
    let control = worst
        .filter(|worst| ESTIMATES.contains(&worst.attack))
        .and_then(|worst| worst.control.filter(|control| worst.exposed.low <= control.high));
    let heading = match worst {
        Some(worst) => format!(
            "Worst attack: {}, {} of records{}; accepted: {accepted}",
            title(worst),
            against(attacks, worst, assessment),
            if control.is_some() { ", no more than its control" } else { "" }
        ),
        None => "No attack was made".to_owned(),
    };
    put!(
        out,
        "<section class=\"verdict {class}\" aria-labelledby=\"verdict\">\n<h2 id=\"verdict\"><span class=\"mark\" \
         aria-hidden=\"true\">{mark}</span> {heading}</h2>\n"
    );
    if let Some((control, group)) = control.zip(worst.and_then(|worst| worst.control_group.as_deref())) {
        put!(
            out,
            "<p class=\"lead\">The attack adds nothing that can be told from chance. Its control reaches {}: {}</p>\n",
            share(control.rate),
            sentence(group)
        );
    }
    if !assessment.attacks.is_empty() || !assessment.not_made.is_empty() {
        put!(
            out,
            "<p class=\"lead\">{} made, {} not made.</p>\n",
            counted(assessment.attacks.len() as u64, "attack was", "attacks were"),
            counted(assessment.not_made.len() as u64, "was", "were")
        );
    }
    out.push_str("</section>\n");
}

#[cfg(test)]
mod tests {
    use privet_attack::HistogramOf;

    use super::*;

    fn assessed(risk: f64, accepted: Option<f64>) -> Assessment {
        let own = Finding {
            attack: "linking",
            column: None,
            assumed: String::new(),
            success: String::new(),
            unit: privet_attack::Unit::People,
            exposed: privet_attack::Rate::new(1, 2),
            right: None,
            control: None,
            control_group: None,
            baseline: None,
            risk,
            not_counted: None,
            histogram: Vec::new(),
            histogram_of: HistogramOf::Nothing,
            notes: Vec::new(),
        };
        Assessment { attacks: vec![own], max_risk: accepted, ..Assessment::default() }
    }

    #[test]
    fn the_worst_attack_is_compared_with_what_is_accepted() {
        let judged = |risk: f64, accepted: Option<f64>| {
            let own = assessed(risk, accepted);
            judge(&own.attacks, &own)
        };
        assert_eq!(judged(0.05, Some(0.05)), Judged::Accepted);
        assert_eq!(judged(0.05 + 1e-15, Some(0.05)), Judged::Accepted);
        assert_eq!(judged(0.0501, Some(0.05)), Judged::TooRisky);
        assert_eq!(judged(f64::NAN, Some(0.05)), Judged::Open);
        assert_eq!(judged(f64::INFINITY, Some(0.05)), Judged::TooRisky);
        assert_eq!(judged(0.0, None), Judged::Open);
        assert_eq!(judge(&[], &assessed(0.0, Some(1.0))), Judged::Open);
        let against = |risk: f64, accepted: Option<f64>| {
            let own = assessed(risk, accepted);
            against(&own.attacks, &own.attacks[0], &own)
        };
        assert_eq!(against(0.0501, Some(0.05)), "more than 5\u{a0}%");
        assert_eq!(against(0.0512, Some(0.05)), "5.1\u{a0}%");
        assert_eq!(
            (against(0.05, Some(0.05)), against(0.4036, None)),
            ("5.0\u{a0}%".into(), "40.4\u{a0}%".into())
        );
    }
}
