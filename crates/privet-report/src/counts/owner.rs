//! The owner's page of a release of counts: how small its counts are, and how far the table that somebody fits to them is from
//! the original. It must not be published.

use privet_release::CountsManifest;

use crate::facts::CountsFacts;
use crate::glossary::{self, WORDS};
use crate::owner::{BANNER, FOOT, figures, utility};
use crate::sections::attacks::Reader;
use crate::text::{counted, escape};
use crate::{Assessment, page};

type Body = fn(&CountsManifest, &Assessment, &mut String);

const SECTIONS: [(&str, &str, Body); 5] = [
    ("risk", "How small published counts are", |_, assessment, out| risk(assessment, out)),
    ("utility", "What the tables are still good for", |_, assessment, out| utility::all(assessment, out)),
    ("tables", "Tables", |manifest, _, out| super::tables(manifest, &CountsFacts::default(), out)),
    ("promises", "What was promised, and what was reached", |manifest, _, out| {
        super::promises(manifest, &CountsFacts::default(), out);
    }),
    ("words", WORDS, |manifest, assessment, out| {
        glossary::write_of_counts(manifest, !assessment.attacks.is_empty(), out);
    }),
];

pub(crate) fn html(manifest: &CountsManifest, assessment: &Assessment) -> String {
    let mut out = String::with_capacity(32 * 1024);
    let below = format!(
        "{} · made by {}",
        counted(manifest.tables.len() as u64, "table of counts", "tables of counts"),
        escape(&manifest.software)
    );
    page::open(&mut out, &manifest.software, "Assessment of published counts", &below);
    out.push_str(BANNER);
    super::verdict(manifest, Reader::Owner, &mut out);
    page::contents(&mut out, SECTIONS.iter().map(|&(id, title, _)| (id, title)));
    for (id, title, body) in SECTIONS {
        page::open_section(&mut out, id, title);
        body(manifest, assessment, &mut out);
        out.push_str("</section>\n");
    }
    page::close(&mut out, &manifest.software, FOOT);
    out
}

fn risk(assessment: &Assessment, out: &mut String) {
    match &assessment.risk {
        Some(risk) if !risk.figures.is_empty() => {
            figures(out, "risk-table", "Small counts, table by table", &risk.figures);
        }
        _ => out.push_str("<p>How small counts are was not measured.</p>\n"),
    }
}
