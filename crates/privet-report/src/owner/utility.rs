//! What the whole release is still good for: figures, and how far random queries are off.

use privet_release::Manifest;

use crate::sections::term;
use crate::text::{count, sentence, share};
use crate::{Assessment, Facts};

use super::figures;

pub(super) fn write(_manifest: &Manifest, _facts: &Facts, assessment: &Assessment, out: &mut String) {
    all(assessment, out);
}

pub(crate) fn all(assessment: &Assessment, out: &mut String) {
    let Some(utility) = &assessment.utility else {
        out.push_str("<p>What the release is good for was not measured.</p>\n");
        return;
    };
    if utility.figures.is_empty() && utility.queries.is_none() {
        out.push_str("<p>No figure about the whole table was measured.</p>\n");
    }
    figures(out, "utility-table", "Figures about the whole table", &utility.figures);
    for note in &utility.notes {
        put!(out, "<p class=\"aside\">{}</p>\n", sentence(note));
    }
    if let Some(queries) = &utility.queries {
        out.push_str("<h3>Random queries</h3>\n<dl class=\"terms\">\n");
        term(out, "What they ask", &sentence(&queries.about));
        term(out, "How many were asked", &count(queries.queries));
        term(out, "Median relative error", &share(queries.median_relative_error));
        term(out, "Mean relative error", &share(queries.mean_relative_error));
        out.push_str("</dl>\n");
    }
}
