//! Step 6 for kinds on the seam, such as graphs and ratings: what was done, what attacks found, and what is left of the data.

use maud::{Markup, html};
use privet::{Assessment, AttackOptions, Plan};
use privet_release::ManifestFile;
use serde_json::Value;

use super::grouped;
use crate::picture::{bar, percent};
use crate::project::{Project, plain};
use crate::tasks::{Failure, State, Task};

/// The manifest of the release, where it is of a kind on the seam.
pub(super) fn manifest(project: &Project) -> Option<ManifestFile> {
    ManifestFile::read(&project.release())
        .ok()
        .filter(|own| own.kind().is_some_and(|kind| privet::kind(kind).is_some()))
}

/// Makes the attacks of the kind on the release, scored with the original that the job names.
pub(super) fn attack(project: &Project, manifest: &ManifestFile, task: &Task) -> Result<Assessment, Failure> {
    let options = AttackOptions {
        release: project.release(),
        knowledge: None,
        job: Some(project.job_path()),
        plan: Plan::default(),
        confidence: 0.9,
        seed: 1,
        report: None,
    };
    privet::attack_manifest(manifest, &options, task).map_err(|error| {
        let state = match error.fault() {
            privet::Fault::Stopped => State::Stopped,
            _ => State::Failed,
        };
        Failure { state, message: plain(&error.to_string(), project.folder()) }
    })
}

/// What the run said: promises, what was done, findings and figures.
pub(super) fn show(kind: &str, summary: &Value, attacked: Option<&Assessment>) -> Markup {
    let Ok(of_run) = Assessment::deserialized(&summary["assessment"]) else {
        return html! { p { "What attacks found cannot be read. Make the release again." } };
    };
    let texts = |value: &Value| value.as_array().cloned().unwrap_or_default();
    html! {
        p { "The release is of the kind " code { (kind) } "." }
        @for promise in texts(&summary["promises"]).iter().filter_map(Value::as_str) { p class="statement" { (promise) } }
        dl class="facts" { @for pair in texts(&summary["summary"]) {
            div { dt { (pair[0].as_str().unwrap_or_default()) } dd { (pair[1].as_str().unwrap_or_default()) } }
        } }
        (findings(kind, attacked.unwrap_or(&of_run)))
        (figures(&of_run))
    }
}

fn findings(kind: &str, assessment: &Assessment) -> Markup {
    let info = |id: &str| privet::kind(kind)?.attacks().iter().map(|own| own.info()).find(|own| own.id == id);
    let share = |own: privet_kind::Share| {
        html! {
            @if own.of == 0 { "nobody was counted" }
            @else { (bar(own.rate())) " " strong { (percent(own.rate())) } " (" (grouped(own.hits)) " of " (grouped(own.of)) ")" }
        }
    };
    html! {
        h2 { "Attacks" }
        @if assessment.findings.is_empty() { p { "No attack was made." } }
        @for own in &assessment.findings {
            @let info = info(&own.attack);
            article class="attack" {
                h3 { (info.map_or(own.attack.as_str(), |info| info.title)) @if !own.variant.is_empty() { ", " (own.variant) } }
                @if let Some(info) = info { p { (info.sentence) } }
                dl {
                    dt { "The adversary is sure" } dd { (share(own.sure)) }
                    @if let Some(right) = own.right { dt { "Sure and right" } dd { (share(right)) } }
                    @if let Some(control) = own.control { dt { "Right without the release, or by chance" } dd { (share(control)) } }
                }
                @if !own.counts { p class="hint" { "Does not count towards the limits of the job." } }
                @for note in &own.notes { p class="hint" { (note.text) } }
            }
        }
        @for own in &assessment.not_made {
            p class="hint" { (info(&own.id).map_or(own.id.as_str(), |info| info.title)) ": not made. " (own.reason.sentence()) }
        }
    }
}

fn figures(assessment: &Assessment) -> Markup {
    let number = |value: f64, is_share: bool| if is_share { percent(value) } else { format!("{value:.3}") };
    html! {
        @if !assessment.figures.is_empty() {
            h2 { "What is left of the data" }
            div class="scroll" tabindex="0" role="region" aria-label="Figures of the original and of the release" { table {
                thead { tr { th scope="col" { "Figure" } th scope="col" { "Original" } th scope="col" { "Release" } } }
                tbody { @for own in &assessment.figures {
                    tr { th scope="row" { (own.name) } td { @match own.before { Some(before) => (number(before, own.is_share)), None => "–" } }
                        td { (number(own.after, own.is_share)) } }
                } }
            } }
        }
        @for own in &assessment.not_measured { p class="hint" { (own.id) ": not measured. " (own.reason.sentence()) } }
    }
}
