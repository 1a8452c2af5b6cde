//! The verdict of the owner's page: the worst attack against what is accepted, then the promises.

use privet_release::Manifest;
use serde::Serialize;

use crate::sections::attacks::{title, worst};
use crate::sections::term;
use crate::sections::verdict::{Summary, summary};
use crate::text::{count, counted, number, percent, sentence, set_share, share};
use crate::{Assessment, Facts};

use super::attacks_of;

/// How far the last bits of a computation may carry a risk past what is accepted.
const NOISE: f64 = 1e-12;

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

/// Compares the worst attack with what is accepted.
pub(super) fn judge(risk: Option<f64>, accepted: Option<f64>) -> Judged {
    match (risk, accepted) {
        (Some(risk), Some(accepted)) if !risk.is_nan() && !accepted.is_nan() => {
            if risk <= accepted + NOISE {
                Judged::Accepted
            } else {
                Judged::TooRisky
            }
        }
        _ => Judged::Open,
    }
}

/// A risk beside what is accepted: not rounded to what it is above.
fn against(risk: f64, accepted: Option<f64>) -> String {
    match accepted.filter(|_| judge(Some(risk), accepted) == Judged::TooRisky) {
        Some(accepted) if share(risk) == share(accepted) => format!("more than {}", set_share(accepted)),
        _ => share(risk),
    }
}

pub(super) fn write(manifest: &Manifest, facts: &Facts, assessment: &Assessment, out: &mut String) {
    let attacks = attacks_of(facts, assessment);
    let worst = worst(attacks);
    let judged = judge(worst.map(|worst| worst.risk), assessment.max_risk);
    let promises = summary(manifest);
    let accepted = assessment.max_risk.map_or("not said".to_owned(), set_share);
    let heading = match worst {
        Some(worst) => {
            format!(
                "Worst attack: {}, {} of people; accepted: {accepted}",
                title(worst),
                against(worst.risk, assessment.max_risk)
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
            Judged::Open if assessment.max_risk.is_none() => "What share of people is accepted was not said.",
            Judged::Open => "The risk cannot be compared with what is accepted.",
        }
    );
    let Summary { class, heading, .. } = promises;
    put!(out, "<li class=\"{class}\">{heading}.</li>\n");
    if worst.is_some() || !assessment.not_made.is_empty() {
        put!(
            out,
            "<li>{} made, {} not made.</li>\n",
            counted(attacks.len() as u64, "attack was", "attacks were"),
            counted(assessment.not_made.len() as u64, "was", "were")
        );
    }
    out.push_str("</ul>\n<dl class=\"figures\">\n");
    if let Some(worst) = worst {
        term(
            out,
            "Worst attack",
            &format!("{}<small>of people</small>", against(worst.risk, assessment.max_risk)),
        );
    }
    term(out, "Accepted", &accepted);
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
    term(
        out,
        if manifest.kind == "bucketized" { "Smallest bucket" } else { "Smallest class" },
        &format!(
            "{}<small>{}</small>",
            count(classes.min),
            match manifest.kind.as_str() {
                "bucketized" => counted(classes.count, "bucket", "buckets"),
                _ => counted(classes.count, "class", "classes"),
            }
        ),
    );
    if let Some(&loss) = manifest.metrics.get("loss") {
        term(out, "Loss of detail", &format!("{}<small>0 none, 1 all</small>", number(loss)));
    }
    out.push_str("</dl>\n</section>\n");
}

/// Attacks whose control counts what they count, records that are told as nearly without them. That of others counts people who
/// are pointed at although they are not there.
const ESTIMATES: [&str; 5] =
    ["constant-column", "spectral-filter", "best-linear-estimate", "wavelet-filter", "known-points"];

/// The verdict of a release without classes: the worst attack against what is accepted.
pub(super) fn of_attacks(assessment: &Assessment, out: &mut String) {
    let worst = worst(&assessment.attacks);
    let judged = judge(worst.map(|worst| worst.risk), assessment.max_risk);
    let (class, mark) = match judged {
        Judged::TooRisky => ("fails", "✗"),
        Judged::Open => ("open", "?"),
        Judged::Accepted => ("holds", "✓"),
    };
    let accepted = assessment.max_risk.map_or("not said".to_owned(), set_share);
    // A rate that is reached without the attack is no leak that it found.
    let control = worst
        .filter(|worst| ESTIMATES.contains(&worst.attack))
        .and_then(|worst| worst.control.filter(|control| worst.exposed.low <= control.high));
    let heading = match worst {
        Some(worst) => format!(
            "Worst attack: {}, {} of records{}; accepted: {accepted}",
            title(worst),
            against(worst.risk, assessment.max_risk),
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
    use super::*;

    #[test]
    fn the_worst_attack_is_compared_with_what_is_accepted() {
        assert_eq!(judge(Some(0.05), Some(0.05)), Judged::Accepted);
        assert_eq!(judge(Some(0.05 + 1e-15), Some(0.05)), Judged::Accepted);
        assert_eq!(judge(Some(0.0501), Some(0.05)), Judged::TooRisky);
        assert_eq!(judge(Some(f64::NAN), Some(0.05)), Judged::Open);
        assert_eq!(judge(Some(f64::INFINITY), Some(0.05)), Judged::TooRisky);
        assert_eq!(judge(Some(0.0), None), Judged::Open);
        assert_eq!(judge(None, Some(1.0)), Judged::Open);
        assert_eq!(against(0.0501, Some(0.05)), "more than 5\u{a0}%");
        assert_eq!(against(0.0512, Some(0.05)), "5.1\u{a0}%");
        assert_eq!(
            (against(0.05, Some(0.05)), against(0.4036, None)),
            ("5.0\u{a0}%".into(), "40.4\u{a0}%".into())
        );
    }
}
