//! Attacking and measuring on the seam: every attack and measure of a kind, and which of them could not be made.

use privet_data::Progress;
use privet_kind::{
    Assessment, Exceeded, Fault, Kind, KindError, Knowledge, Limit, Need, NotMade, Reason, Standing, Unmade,
    Views,
};

/// Which attacks to make, and what they may reach.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The attacks by name; those of the gate when left out.
    pub attacks: Option<Vec<String>>,
    /// The limit on what a release adds.
    pub max_risk: Option<f64>,
    /// The limit on what an attack reaches.
    pub max_absolute_risk: Option<f64>,
}

/// Makes the attacks of a kind on a release. An attack that the plan names or the knowledge file speaks of, and that cannot be
/// made, is an error: what was asked for is never left out silently.
pub(crate) fn attack(
    kind: &dyn Kind,
    release: Views<'_>,
    original: Option<Views<'_>>,
    known: &Knowledge,
    plan: &Plan,
    progress: &dyn Progress,
) -> Result<Assessment, KindError> {
    let named = |id: &str| plan.attacks.iter().flatten().any(|name| name == id);
    if let Some(unknown) = plan.attacks.iter().flatten().find(|name| !ids(kind).contains(&name.as_str())) {
        // A name of an attack is a word of the job, not a value of the data.
        let accepted = ids(kind).join("`, `");
        return Err(KindError::bad_input(format!(
            "unknown attack `{unknown}` for releases of kind `{}`; accepted: `{accepted}`",
            kind.id()
        )));
    }
    let mut assessment = Assessment {
        max_risk: plan.max_risk,
        max_absolute_risk: plan.max_absolute_risk,
        ..Assessment::default()
    };
    progress.stage("attacking", Some(kind.attacks().len() as u64));
    for (done, attack) in kind.attacks().iter().enumerate() {
        progress.check()?;
        let info = attack.info();
        let is_asked = named(info.id) || known.has(info.id);
        let is_made = is_asked || plan.attacks.is_none() && info.standing != Standing::OnRequest;
        if !is_made {
            let reason = Reason::Missing { need: Need::Section };
            if plan.attacks.is_none() {
                assessment.not_made.push(NotMade { id: info.id.to_owned(), reason });
            }
            continue;
        }
        match attack.run(release, original, known, progress) {
            Ok(mut findings) => {
                // What is asked for by name counts.
                findings.iter_mut().for_each(|own| own.counts |= named(info.id));
                assessment.findings.extend(findings);
            }
            Err(Unmade::Reason(reason)) if is_asked => {
                return Err(KindError::bad_input(format!(
                    "the attack `{}` was asked for and cannot be made. {}",
                    info.id,
                    reason.sentence()
                )));
            }
            Err(Unmade::Reason(reason)) => {
                assessment.not_made.push(NotMade { id: info.id.to_owned(), reason });
            }
            Err(Unmade::Failed(error)) => return Err(error),
            Err(_) => return Err(KindError::bad_input(format!("the attack `{}` failed", info.id))),
        }
        progress.at(done as u64 + 1);
    }
    Ok(assessment)
}

/// The ids of the attacks of a kind.
pub(crate) fn ids(kind: &dyn Kind) -> Vec<&'static str> {
    kind.attacks().iter().map(|attack| attack.info().id).collect()
}

/// Makes the measures of a kind.
pub(crate) fn measure(
    kind: &dyn Kind,
    release: Views<'_>,
    original: Views<'_>,
    assessment: &mut Assessment,
    progress: &dyn Progress,
) -> Result<(), KindError> {
    progress.stage("measuring", Some(kind.measures().len() as u64));
    for (done, measure) in kind.measures().iter().enumerate() {
        progress.check()?;
        let id = measure.info().id.to_owned();
        match measure.run(release, original, progress) {
            Ok(figures) => assessment.figures.extend(figures),
            Err(Unmade::Reason(reason)) => assessment.not_measured.push(NotMade { id, reason }),
            Err(Unmade::Failed(error)) => return Err(error),
            Err(_) => return Err(KindError::bad_input(format!("the measure `{id}` failed"))),
        }
        progress.at(done as u64 + 1);
    }
    Ok(())
}

/// The refusal of a release that exceeds a limit.
pub(crate) fn refusal(exceeded: &Exceeded<'_>) -> KindError {
    KindError::new(Fault::Refused, format!("{} No release was written.", sentence(exceeded)))
}

/// The refusal of a release whose limit no attack could check.
pub(crate) fn unchecked(limit: Limit) -> KindError {
    KindError::new(Fault::Refused, format!("{} No release was written.", unchecked_sentence(limit)))
}

/// What a limit means that no attack was made for.
pub(crate) fn unchecked_sentence(limit: Limit) -> String {
    format!(
        "No attack that counts towards `{}` was made, so nothing shows that the limit is kept. Give the knowledge that an attack \
         needs, name attacks that can be made on this release, or leave the limit out.",
        limit.key()
    )
}

/// What exceeds which limit.
pub(crate) fn sentence(exceeded: &Exceeded<'_>) -> String {
    let Exceeded { finding, limit, reached, accepted } = exceeded;
    let variant = match finding.variant.as_str() {
        "" => String::new(),
        variant => format!(" ({variant})"),
    };
    let reached = match reached.is_nan() {
        true => "a share that nobody knows".to_owned(),
        false => format!("{} %", percent(*reached)),
    };
    let beyond = match finding.control.filter(|_| *limit == Limit::Added) {
        Some(control) => format!(" beyond its control of {} %", percent(control.rate())),
        None => String::new(),
    };
    format!(
        "The attack `{}`{variant} reaches {reached}{beyond}; `{}` accepts {} %.",
        finding.attack,
        limit.key(),
        percent(*accepted)
    )
}

/// A share in per cent, with two digits behind the point.
pub(crate) fn percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
