//! What the protection cost: the loss of each column, and every metric with its meaning.

use privet_release::Manifest;

use crate::Facts;
use crate::form::FormWords;
use crate::glossary;
use crate::text::{escape, number, plain_name};

use super::recoding::losses;
use super::{close_table, header, open_table};

pub(crate) fn write(manifest: &Manifest, _facts: &Facts, out: &mut String) {
    losses(manifest, out);
    if manifest.metrics.is_empty() {
        out.push_str("<p>No metric was computed.</p>\n");
        return;
    }
    open_table(out, "metrics-table", "metrics", "All metrics");
    header(out, &["Metric, and what it says", "#Value"]);
    // What was minimized comes first: it is what the choice was made by.
    let (first, others): (Vec<_>, Vec<_>) =
        manifest.metrics.iter().partition(|(word, _)| **word == manifest.search.minimize);
    for (word, &value) in first.into_iter().chain(others) {
        let explained = glossary::metric(word, FormWords::of(manifest.kind));
        let title = match &explained {
            Some(explained) => format!("{} <code>{}</code>", explained.title, escape(word)),
            None => format!("<code>{}</code>", plain_name(word)),
        };
        let minimized = if *word == manifest.search.minimize && super::search::led(&manifest.search.algorithm)
        {
            " <span class=\"tag\">minimized</span>"
        } else {
            ""
        };
        put!(
            out,
            "<tr><th scope=\"row\">{title}{minimized}<small>{}</small></th><td class=\"number\">{}</td></tr>\n",
            match explained {
                Some(own) => own.meaning,
                None => "This report has no explanation for this metric.",
            },
            // The search counts all suppressed records as one class; of nobody there is no average.
            match word.as_str() {
                "average-class-size" if manifest.data.rows == 0 => "–".to_owned(),
                _ => number(value),
            }
        );
    }
    close_table(out);
}
