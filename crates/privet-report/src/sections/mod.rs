//! The sections of the page, one file each, in the order in which they are read.

pub(crate) mod attacks;
mod boxes;
pub(crate) mod check;
pub(crate) mod classes;
mod columns;
pub(crate) mod files;
pub(crate) mod limits;
pub(crate) mod metrics;
pub(crate) mod promises;
pub(crate) mod recoding;
pub(crate) mod records;
pub(crate) mod search;
pub(crate) mod verdict;
pub(crate) mod words;

use privet_release::Manifest;
use privet_release::manifest::{DataColumn, Recoding};

use crate::Facts;
use crate::form::FormWords;
use crate::glossary::WORDS;
use crate::page::capitalized;

/// A section: where it is linked from, what it is called, what is in it.
pub(crate) struct Section {
    /// Its id in the page.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Writes what stands below the heading.
    pub body: fn(&Manifest, &Facts, &mut String),
}

pub(crate) const LOOK_ALIKE: &str = "How many records look alike";
pub(crate) const COARSENED: &str = "How the identifying columns were coarsened";

/// The sections after the verdict.
pub(crate) const SECTIONS: [Section; 12] = [
    Section { id: "promises", title: "What was promised, and what was reached", body: promises::write },
    Section { id: "limits", title: "What is not promised", body: limits::write },
    Section { id: "attacks", title: "Attacks that were tried first", body: attacks::write },
    Section { id: "records", title: "Records", body: records::write },
    Section { id: "recoding", title: COARSENED, body: recoding::write },
    Section { id: "classes", title: LOOK_ALIKE, body: classes::write },
    Section { id: "metrics", title: "What it cost", body: metrics::write },
    Section { id: "search", title: "How this version was chosen", body: search::write },
    Section { id: "columns", title: "Columns published and removed", body: columns::write },
    Section { id: "files", title: "Files", body: files::write },
    Section { id: "check", title: "Check it yourself", body: check::write },
    Section { id: "words", title: WORDS, body: words::write },
];

/// The heading of a section, in words that fit what the classes of a release are.
pub(crate) fn heading<'a>(manifest: &Manifest, title: &'a str) -> &'a str {
    match (FormWords::of(manifest.kind).heading(title), title) {
        (Some(own), _) => own,
        (None, COARSENED) if !standing_for_groups(manifest).is_empty() => {
            "What became of the identifying columns"
        }
        _ => title,
    }
}

/// What kind of table a release is, as its page names it.
pub(crate) fn kind(manifest: &Manifest) -> String {
    match standing_for_groups(manifest).is_empty() {
        true => capitalized(manifest.kind.word()),
        false => "Microaggregated".to_owned(),
    }
}

/// The columns whose values stand for groups of records: means, medians and most frequent values.
pub(crate) fn standing_for_groups(manifest: &Manifest) -> Vec<&str> {
    let stands = |recoding: &Recoding| {
        let kind = recoding.nodes.as_ref().map(|nodes| nodes.kind.as_str());
        matches!(kind, Some("means" | "medians" | "modes"))
    };
    quasi(manifest)
        .into_iter()
        .filter(|(_, own)| stands(own))
        .map(|(column, _)| column.name.as_str())
        .collect()
}

/// The quasi columns with their recoding.
fn quasi(manifest: &Manifest) -> Vec<(&DataColumn, &Recoding)> {
    manifest.data.columns.iter().filter_map(|c| c.recoding.as_ref().map(|r| (c, r))).collect()
}

/// Opens a table that scrolls by itself on a narrow screen and can be reached by keyboard.
pub(crate) fn open_table(out: &mut String, id: &str, class: &str, caption: &str) {
    put!(
        out,
        "<div class=\"scroll\" role=\"region\" aria-labelledby=\"{id}\" tabindex=\"0\">\n<table class=\"{class}\">\n\
         <caption id=\"{id}\">{caption}</caption>\n"
    );
}

pub(crate) fn close_table(out: &mut String) {
    out.push_str("</tbody>\n</table>\n</div>\n");
}

/// The header of a table; a heading that starts with `#` stands over numbers. One without words stands over drawings of the
/// numbers beside them, and is told to those who hear the page.
pub(crate) fn header(out: &mut String, headings: &[&str]) {
    out.push_str("<thead><tr>");
    for heading in headings {
        match heading.strip_prefix('#') {
            Some(text) => put!(out, "<th scope=\"col\" class=\"number\">{text}</th>"),
            None if heading.is_empty() => {
                out.push_str("<th scope=\"col\"><span class=\"hidden\">Drawn</span></th>");
            }
            None => put!(out, "<th scope=\"col\">{heading}</th>"),
        }
    }
    out.push_str("</tr></thead>\n<tbody>\n");
}

/// A term and what is said of it; `value` is markup.
pub(crate) fn term(out: &mut String, term: &str, value: &str) {
    put!(out, "<div><dt>{term}</dt><dd>{value}</dd></div>\n");
}
