//! All attacks that were made, and those that were not.

use privet_attack::Finding;
use privet_release::Manifest;

use crate::sections::attacks::{Reader, findings, titled};
use crate::sections::{close_table, header, open_table};
use crate::text::{count, sentence};
use crate::{Assessment, Facts};

use super::attacks_of;

/// Attacks that were not made, told one by one.
const MOST: usize = 100;

pub(super) fn write(_manifest: &Manifest, facts: &Facts, assessment: &Assessment, out: &mut String) {
    all(attacks_of(facts, assessment), Reader::Owner, assessment, out);
}

/// These attacks, and those that were not made.
pub(crate) fn all(made: &[Finding], reader: Reader, assessment: &Assessment, out: &mut String) {
    if made.is_empty() {
        out.push_str("<p>No attack was made.</p>\n");
    } else {
        findings(made, reader, out);
    }
    let not_made = &assessment.not_made;
    if not_made.is_empty() {
        return;
    }
    out.push_str("<h3>Not made</h3>\n");
    open_table(out, "not-made-table", "columns", "Attacks that were not made, and why");
    header(out, &["Attack", "Why not"]);
    for attack in not_made.iter().take(MOST) {
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
            titled(&attack.attack),
            sentence(&attack.why)
        );
    }
    close_table(out);
    if not_made.len() > MOST {
        put!(out, "<p class=\"aside\">and {} more</p>\n", count((not_made.len() - MOST) as u64));
    }
}
