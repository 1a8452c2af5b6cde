//! How well classifiers learn from the release, beside guessing and beside the original.

use privet_release::Manifest;

use crate::draw::rate::Fill;
use crate::sections::attacks::{row, scale};
use crate::sections::{close_table, header, open_table};
use crate::text::{count, name};
use crate::{Assessment, Facts};

/// Classifiers told one by one.
const MOST: usize = 60;

pub(super) fn write(_manifest: &Manifest, _facts: &Facts, assessment: &Assessment, out: &mut String) {
    let learners = assessment.utility.as_ref().map_or(&[][..], |utility| &utility.learners);
    if learners.is_empty() {
        out.push_str("<p>No classifier was trained.</p>\n");
        return;
    }
    out.push_str(
        "<p>Each classifier was trained twice, on the original and on the release, and tested on original records that \
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
