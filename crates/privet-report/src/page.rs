//! The skeleton of the page: head, landmarks, contents. The style stands in `page.css`.
//!
//! The page forbids itself to load anything or to run any script.

use privet_release::Manifest;

use crate::sections::{SECTIONS, verdict};
use crate::text::{escape, name, plain_name};
use crate::{Facts, svg};

const STYLE: &str = include_str!("page.css");

pub(crate) fn render(manifest: &Manifest, facts: &Facts) -> String {
    let mut out = String::with_capacity(64 * 1024);
    let title =
        if facts.title.trim().is_empty() { "Report on a published table" } else { facts.title.trim() };
    put!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"{}\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escape(&manifest.software),
        plain_name(title)
    );
    out.push_str("<a class=\"skip\" href=\"#main\">Skip to the report</a>\n");
    out.push_str(svg::DEFINITIONS);
    put!(
        out,
        "<header>\n<h1>{}</h1>\n<p class=\"aside\">{} table {} · made by {}</p>\n</header>\n",
        name(title),
        capitalized(&escape(&manifest.kind)),
        name(&manifest.data.file),
        escape(&manifest.software)
    );
    out.push_str("<main id=\"main\" tabindex=\"-1\">\n");
    verdict(manifest, facts, &mut out);
    out.push_str("<nav aria-label=\"Contents\">\n<ol>\n");
    for section in &SECTIONS {
        put!(out, "<li><a href=\"#{}\">{}</a></li>\n", section.id, section.title);
    }
    out.push_str("</ol>\n</nav>\n");
    for section in &SECTIONS {
        put!(
            out,
            "<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\" tabindex=\"-1\">{1}</h2>\n",
            section.id,
            section.title
        );
        (section.body)(manifest, facts, &mut out);
        out.push_str("</section>\n");
    }
    put!(
        out,
        "</main>\n<footer>\n<p>Made by {} from <code>manifest.json</code>. It holds no value of the original data beyond \
         what is published.</p>\n</footer>\n</body>\n</html>\n",
        escape(&manifest.software)
    );
    out
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
