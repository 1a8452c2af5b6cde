//! What the whole release is still good for: figures, and how far random queries and the owner's own are off.

use privet_release::Manifest;

use crate::sections::{close_table, header, open_table, term};
use crate::text::{count, name, number, sentence, share};
use crate::{Assessment, Facts, Workload};

use super::figures;

/// Answers told one by one.
const MOST: usize = 500;

pub(super) fn write(_manifest: &Manifest, _facts: &Facts, assessment: &Assessment, out: &mut String) {
    all(assessment, out);
}

pub(crate) fn all(assessment: &Assessment, out: &mut String) {
    let Some(utility) = &assessment.utility else {
        out.push_str("<p>What the release is good for was not measured.</p>\n");
        return;
    };
    if utility.figures.is_empty() && utility.queries.is_none() && utility.workload.is_none() {
        out.push_str("<p>No figure about the whole table was measured.</p>\n");
    }
    figures(out, "utility-table", "Figures about the whole table", &utility.figures);
    for note in &utility.notes {
        put!(out, "<p class=\"aside\">{}</p>\n", sentence(&note.text));
    }
    if let Some(queries) = &utility.queries {
        out.push_str("<h3>Random queries</h3>\n<dl class=\"terms\">\n");
        term(out, "What they ask", &sentence(&queries.about));
        term(out, "How many were asked", &count(queries.queries));
        term(out, "Median relative error", &share(queries.median_relative_error));
        term(out, "Mean relative error", &share(queries.mean_relative_error));
        out.push_str("</dl>\n");
    }
    if let Some(own) = &utility.workload {
        workload(own, out);
    }
}

/// The owner's own questions, each with its true answer.
fn workload(own: &Workload, out: &mut String) {
    let errors = &own.errors;
    let of = |part: u64, whole: u64| format!("{} of {}", count(part), count(whole));
    out.push_str("<h3>Queries of your own</h3>\n<dl class=\"terms\">\n");
    for (word, error) in [
        ("Median relative error", errors.median_relative_error),
        ("Mean relative error", errors.mean_relative_error),
    ] {
        term(out, word, &error.map_or_else(|| "none".to_owned(), share));
    }
    term(out, "Off by no more than a tenth", &of(errors.within_tenth, errors.compared));
    term(out, "True answer within the bounds", &of(errors.within_bounds, errors.bounded));
    out.push_str("</dl>\n");
    for note in own.left_out().iter().chain(&own.notes) {
        put!(out, "<p class=\"aside\">{}</p>\n", sentence(note));
    }
    open_table(out, "workload", "metrics", "Each figure of the file, by the line of its question");
    header(
        out,
        &["Line", "Figure", "#True answer", "#Expected", "#Off by", "#At least", "#At most", "Within bounds"],
    );
    for answer in own.answers.iter().take(MOST) {
        let told = &answer.compared;
        put!(out, "<tr><th scope=\"row\">{}</th><td>{}</td>", count(answer.line), name(&answer.figure));
        let or_none = |own: Option<f64>| own.map_or_else(|| "–".to_owned(), number);
        // Nothing is relative to 0: there the error itself is told.
        let error = told.relative_error.map_or_else(|| or_none(told.absolute_error), share);
        let [truth, expected, least, most] =
            [told.truth, told.expected, told.at_least, told.at_most].map(or_none);
        for cell in [truth, expected, error, least, most] {
            put!(out, "<td class=\"number\">{cell}</td>");
        }
        let within = told.within_bounds.map_or("–", |is| if is { "yes" } else { "no" });
        put!(out, "<td>{within}</td></tr>\n");
    }
    close_table(out);
    if own.answers.len() > MOST {
        put!(out, "<p class=\"aside\">and {} more</p>\n", count((own.answers.len() - MOST) as u64));
    }
}
