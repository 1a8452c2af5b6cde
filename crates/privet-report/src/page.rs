//! The skeleton of the page: head, landmarks, contents. The style stands in `page.css`.
//!
//! The page forbids itself to load anything or to run any script.

use privet_release::Manifest;

use crate::form::FormWords;
use crate::sections::{SECTIONS, heading, kind, verdict};
use crate::text::{counted, escape, name, plain_name};
use crate::{Facts, svg};

/// What the foot of a public page says when attacks were made.
pub(crate) const PUBLIC_WITH_ATTACKS: &str = "from <code>manifest.json</code> and from attacks on the release. It holds no value of \
                                   the original data beyond what is published.";

/// What the foot of a public page says.
pub(crate) const PUBLIC: &str =
    "from <code>manifest.json</code>. It holds no value of the original data beyond what is published.";

const STYLE: &str = include_str!("page.css");

pub(crate) fn render(manifest: &Manifest, facts: &Facts) -> String {
    let mut out = String::with_capacity(64 * 1024);
    let title =
        if facts.title.trim().is_empty() { "Report on a published table" } else { facts.title.trim() };
    let below = format!(
        "{} table {} · made by {}",
        kind(manifest),
        name(&manifest.data.file),
        escape(&manifest.software)
    );
    let tab = match facts.title.trim() {
        "" => format!("Release of {} – privet report", shape(manifest)),
        title => title.to_owned(),
    };
    open_named(&mut out, &manifest.software, &tab, title, &below);
    verdict::write(manifest, facts, &mut out);
    contents(&mut out, SECTIONS.iter().map(|section| (section.id, heading(manifest, section.title))));
    for section in &SECTIONS {
        open_section(&mut out, section.id, heading(manifest, section.title));
        (section.body)(manifest, facts, &mut out);
        out.push_str("</section>\n");
    }
    let foot = if facts.attacks.is_empty() { PUBLIC } else { PUBLIC_WITH_ATTACKS };
    close(&mut out, &manifest.software, foot);
    out
}

/// What tells one release from another among open windows: how large it is. A manifest holds no path.
pub(crate) fn shape(manifest: &Manifest) -> String {
    let groups = FormWords::of(manifest.kind).counted(manifest.classes.count);
    format!("{}, {groups}", counted(manifest.data.rows, "record", "records")).replace('\u{a0}', " ")
}

/// Opens a page, up to its main part. `below` is markup that stands below the title.
pub(crate) fn open(out: &mut String, software: &str, title: &str, below: &str) {
    open_named(out, software, title, title, below);
}

/// The same, with another name for the window.
pub(crate) fn open_named(out: &mut String, software: &str, tab: &str, title: &str, below: &str) {
    put!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"{}\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escape(software),
        plain_name(tab)
    );
    out.push_str("<a class=\"skip\" href=\"#main\">Skip to the report</a>\n");
    out.push_str(svg::DEFINITIONS);
    put!(out, "<header>\n<h1>{}</h1>\n<p class=\"aside\">{below}</p>\n</header>\n", name(title));
    out.push_str("<main id=\"main\" tabindex=\"-1\">\n");
}

/// Whether a text begins as a page that [`open`] opened.
pub(crate) fn is_page(text: &str) -> bool {
    text.starts_with("<!DOCTYPE html>") && text.contains("<meta name=\"generator\" content=\"privet ")
}

/// The table of contents: ids and titles of sections.
pub(crate) fn contents(out: &mut String, sections: impl Iterator<Item = (&'static str, &'static str)>) {
    out.push_str("<nav aria-label=\"Contents\">\n<ol>\n");
    for (id, title) in sections {
        put!(out, "<li><a href=\"#{id}\">{title}</a></li>\n");
    }
    out.push_str("</ol>\n</nav>\n");
}

/// Opens a section with its heading.
pub(crate) fn open_section(out: &mut String, id: &str, title: &str) {
    put!(out, "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\" tabindex=\"-1\">{title}</h2>\n");
}

/// Closes a page. `foot` is markup that says what the page is made from.
pub(crate) fn close(out: &mut String, software: &str, foot: &str) {
    put!(out, "</main>\n<footer>\n<p>Made by {} {foot}</p>\n</footer>\n</body>\n</html>\n", escape(software));
}

pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
