//! How well classifiers and regressions learn from the release, beside guessing and beside the original.

use privet_attack::Topic;
use privet_release::Manifest;

use crate::draw::rate::Fill;
use crate::sections::attacks::{row, scale};
use crate::sections::{close_table, header, open_table};
use crate::text::{count, name, sentence, value};
use crate::{Assessment, Facts, Regression};

/// Classifiers told one by one.
const MOST: usize = 60;

pub(super) fn write(_manifest: &Manifest, _facts: &Facts, assessment: &Assessment, out: &mut String) {
    all(assessment, out);
}

pub(super) fn all(assessment: &Assessment, out: &mut String) {
    let learners = assessment.utility.as_ref().map_or(&[][..], |utility| &utility.learners);
    let regressions = assessment.utility.as_ref().map_or(&[][..], |utility| &utility.regressions);
    if learners.is_empty() && regressions.is_empty() {
        nothing(assessment, out);
        return;
    }
    if let Some(protocol) = assessment.utility.as_ref().and_then(|utility| utility.protocol.as_ref()) {
        let word = if protocol.strict { "Strict." } else { "Not strict." };
        put!(out, "<p><strong>{word}</strong> {}</p>\n", sentence(&protocol.says()));
    }
    regression_table(regressions, out);
    if learners.is_empty() {
        return;
    }
    out.push_str(
        "<p>Each classifier was trained twice, on the original and on the release, and tested on raw records that \
         neither saw. A release is of use where the solid bar comes near the hatched one and stays above the empty \
         one.</p>\n<ul class=\"legend\"><li><span class=\"key empty\" aria-hidden=\"true\"></span>guessing the most \
         frequent class</li><li><span class=\"key hatched\" aria-hidden=\"true\"></span>trained on the original</li><li>\
         <span class=\"key solid\" aria-hidden=\"true\"></span>trained on the release</li><li><span class=\"key \
         whiskers\" aria-hidden=\"true\"></span>95\u{a0}% interval</li></ul>\n<div class=\"pair\">\n",
    );
    for (i, learner) in learners.iter().take(MOST).enumerate() {
        out.push_str("<div>\n");
        let caption = format!("{} predicts {}", name(&learner.name), name(&learner.class));
        open_table(out, &format!("learner-{i}"), "rates", &caption);
        header(out, &["Trained on", "#Right", &scale(1.0)]);
        row(out, "Nothing: guessing", "", &learner.baseline, Fill::Empty, 1.0);
        row(out, "The original", "", &learner.raw, Fill::Hatched, 1.0);
        row(out, "The release", "", &learner.released, Fill::Solid, 1.0);
        close_table(out);
        out.push_str("</div>\n");
    }
    out.push_str("</div>\n");
    if learners.len() > MOST {
        put!(out, "<p class=\"aside\">and {} more</p>\n", count((learners.len() - MOST) as u64));
    }
}

/// Why nothing was learned: nothing was named, or what was named could not be learned.
fn nothing(assessment: &Assessment, out: &mut String) {
    let utility = assessment.utility.as_ref();
    // Who is learned from and tested on is told as soon as a column to predict is named.
    let Some(utility) = utility.filter(|own| own.protocol.is_some()) else {
        out.push_str("<p>Nothing was learned from the release: no column to predict was named.</p>\n");
        return;
    };
    out.push_str("<p>A column to predict was named, but nothing could be learned from the release.</p>\n");
    for note in utility.notes.iter().filter(|note| note.topic == Topic::NotLearned) {
        put!(out, "<p>{}</p>\n", sentence(&note.text));
    }
}

/// How far regressions are off.
fn regression_table(regressions: &[Regression], out: &mut String) {
    for (i, own) in regressions.iter().take(MOST).enumerate() {
        let caption = format!(
            "{} predicts {}, tested on {} records: how far it is off, typically, and the share of the variance that it \
             explains (R²; below 0 is worse than guessing)",
            name(&own.name),
            name(&own.target),
            count(own.tested)
        );
        open_table(out, &format!("regression-{i}"), "metrics", &caption);
        header(out, &["Trained on", "#Error", "#R²"]);
        let mut row = |trained: &str, error: f64, determination: Option<f64>| {
            let determination = determination.map_or_else(|| "–".to_owned(), |own| value(own, false));
            put!(
                out,
                "<tr><th scope=\"row\">{trained}</th><td class=\"number\">{}</td><td class=\"number\">{determination}</td></tr>\n",
                value(error, false)
            );
        };
        row("Nothing: guessing the mean", own.baseline, Some(0.0).filter(|_| own.baseline > 0.0));
        row("The original", own.raw.error, own.raw.determination);
        row("The release", own.released.error, own.released.determination);
        close_table(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Protocol, Utility};

    #[test]
    fn a_column_that_was_named_is_not_called_unnamed() {
        let page = |utility: Utility| {
            let mut out = String::new();
            all(&Assessment { utility: Some(utility), ..Assessment::default() }, &mut out);
            out
        };
        assert!(page(Utility::default()).contains("no column to predict was named"));
        let mut utility = Utility { protocol: Some(Protocol::default()), ..Utility::default() };
        utility.not_learned("It did not converge: <why>.");
        utility.remark("Linear regression was not fitted to something else.");
        let failed = page(utility);
        assert!(
            failed.contains("A column to predict was named") && !failed.contains("no column"),
            "{failed}"
        );
        // What is shown is decided by the topic of a remark and not by its words.
        assert!(
            failed.contains("It did not converge: &lt;why&gt;.") && !failed.contains("something else"),
            "{failed}"
        );
    }
}
