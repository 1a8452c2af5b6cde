//! What single records risk: figures, and how many records risk how much.

use privet_release::Manifest;

use crate::draw::bins::{self, Bar};
use crate::form::FormWords;
use crate::text::escape;
use crate::{Assessment, Facts};

use super::figures;

pub(super) fn write(manifest: &Manifest, _facts: &Facts, assessment: &Assessment, out: &mut String) {
    let Some(risk) = assessment.risk.as_ref().filter(|r| !r.figures.is_empty() || !r.histogram.is_empty())
    else {
        out.push_str("<p>The risks of single records were not measured.</p>\n");
        return;
    };
    if let Some(risk) = FormWords::of(manifest.kind).risk_of_records {
        out.push_str(risk);
    }
    figures(out, "risk-table", "Risk figures", &risk.figures);
    for note in &risk.notes {
        put!(out, "<p>{}</p>\n", escape(note));
    }
}

/// How many records risk how much, when that was measured; whether it was.
pub(super) fn picture(assessment: &Assessment, out: &mut String) -> bool {
    let Some(risk) = &assessment.risk else { return false };
    let bars: Vec<Bar> =
        risk.histogram.iter().map(|bin| Bar { from: bin.from, to: bin.to, many: bin.records }).collect();
    if bars.is_empty() {
        return false;
    }
    let title = "Records by their risk of re-identification";
    put!(out, "<figure>\n<figcaption>{title}</figcaption>\n");
    out.push_str(&bins::draw(
        "risk-chart",
        (title, "their risk of re-identification"),
        &bars,
        "records",
        false,
    ));
    out.push_str("\n</figure>\n");
    true
}
