//! All attacks that were made, and those that were not.

use privet_attack::Finding;
use privet_release::Manifest;

use crate::glossary;
use crate::sections::attacks::{Reader, findings, title_of_not_made};
use crate::sections::{close_table, header, open_table};
use crate::text::{count, sentence};
use crate::{Assessment, Facts};

use super::attacks_of;

/// Attacks that were not made, told one by one.
const MOST: usize = 100;

pub(super) fn write(_manifest: &Manifest, facts: &Facts, assessment: &Assessment, out: &mut String) {
    made(attacks_of(facts, assessment), Reader::Owner, out);
}

/// These attacks, and those that were not made.
pub(crate) fn all(attacks: &[Finding], reader: Reader, assessment: &Assessment, out: &mut String) {
    made(attacks, reader, out);
    if !assessment.not_made.is_empty() {
        out.push_str("<h3>Not made</h3>\n");
        not_made(assessment, out);
    }
}

/// These attacks.
pub(super) fn made(attacks: &[Finding], reader: Reader, out: &mut String) {
    match attacks.is_empty() {
        true => out.push_str("<p>No attack was made.</p>\n"),
        false => findings(attacks, reader, out),
    }
}

/// What was not attacked: the attacks that were not made, and why.
pub(super) fn not_made(assessment: &Assessment, out: &mut String) {
    let not_made = &assessment.not_made;
    if not_made.is_empty() {
        out.push_str("<p>No attack was left out.</p>\n");
        return;
    }
    open_table(out, "not-made-table", "columns", "Attacks that were not made, and why");
    header(out, &["Attack", "Why not"]);
    for attack in not_made.iter().take(MOST) {
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
            title_of_not_made(attack),
            sentence(&named(&attack.why))
        );
    }
    close_table(out);
    if not_made.len() > MOST {
        put!(out, "<p class=\"aside\">and {} more</p>\n", count((not_made.len() - MOST) as u64));
    }
}

/// With the titles of attacks for their words, which stand between backticks.
fn named(why: &str) -> String {
    let parts: Vec<&str> = why.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return why.to_owned();
    }
    let part = |(i, part): (usize, &&str)| match glossary::attack(part).filter(|_| i % 2 == 1) {
        Some(explained) => format!("“{}”", explained.title),
        None if i % 2 == 1 => format!("`{part}`"),
        None => (*part).to_owned(),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_attacks_by_their_titles() {
        assert_eq!(named("`reproduction` tells it"), "“Records that come out again” tells it");
        assert_eq!(named("see `[time]` of the file"), "see `[time]` of the file");
        assert_eq!(named("one ` alone"), "one ` alone");
    }
}
