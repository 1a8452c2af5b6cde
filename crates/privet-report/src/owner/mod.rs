//! The owner's page: what measuring and attacking the release found, beside what the release itself says.
//!
//! It compares with the original, so it is never part of a release. It still names no value of the original: columns,
//! published labels, counts and shares are all.

pub(crate) mod attacks;
mod columns;
mod curve;
mod json;
mod learners;
mod pairs;
mod risk;
pub(crate) mod utility;
mod verdict;

use privet_attack::Finding;
use privet_release::Manifest;
use privet_release::perturbed::{Change, PerturbedManifest};

use crate::glossary::{self, WORDS};
use crate::sections::attacks::Reader;
use crate::sections::{
    COARSENED, LOOK_ALIKE, check, classes, files, heading, kind, metrics, promises, recoding, records,
    search, words,
};
use crate::text::{escape, name, value};
use crate::{Assessment, Facts, Figure, page, perturbed};

pub(crate) use json::{is_json, json};

type Body = fn(&Manifest, &Facts, &Assessment, &mut String);

/// What is folded below the pictures, in the order in which it is read: who is at risk, what is left of the data, how it came about.
const FOLDED: [(&str, &str, Body); 16] = [
    ("promises", "What was promised, and what was reached", |m, f, _, out| promises::write(m, f, out)),
    ("attacks", "Attacks", attacks::write),
    ("risk", "What single records risk", risk::write),
    ("classes", LOOK_ALIKE, |m, f, _, out| classes::write(m, f, out)),
    ("curve", "What else could have been published", curve::write),
    ("utility", "What the release is still good for", utility::write),
    ("distributions", "How far each column is off", columns::distances),
    ("pairs", "Columns that go together", pairs::write),
    ("learners", "Learning from the release", learners::write),
    ("recoding", COARSENED, |m, f, _, out| recoding::write(m, f, out)),
    ("metrics", "What it cost", |m, f, _, out| metrics::write(m, f, out)),
    ("records", "Records", |m, f, _, out| records::write(m, f, out)),
    ("search", "How this version was chosen", |m, f, _, out| search::write(m, f, out)),
    ("files", "Files of the release", |m, _, _, out| files::list(m, out)),
    ("check", "Check it yourself", |m, f, _, out| check::write(m, f, out)),
    ("words", WORDS, |m, _, _, out| words::list(&glossary::words(m, true, true), out)),
];

/// What was not attacked, which comes right after the verdict.
const NOT_ATTACKED: (&str, &str) = ("not-attacked", "What was not attacked");
/// The pictures, which come next.
const PICTURES: (&str, &str) = ("pictures", "Risk and detail in pictures");

/// The three pictures that tell most: risks of records, columns before and after, and what else could have been published.
fn pictures(manifest: &Manifest, assessment: &Assessment, out: &mut String) {
    let mut is_drawn = risk::picture(assessment, out);
    let mut drawn = String::new();
    if columns::picture(assessment, &mut drawn) {
        put!(out, "<h3>Columns before and after</h3>\n{drawn}");
        is_drawn = true;
    }
    drawn.clear();
    if curve::picture(manifest, assessment, &mut drawn) {
        put!(out, "<h3>Loss and risk of the versions that the search looked at</h3>\n{drawn}");
        is_drawn = true;
    }
    if !is_drawn {
        out.push_str("<p>Nothing was measured that could be drawn.</p>\n");
    }
}

/// A section that is open.
fn open(out: &mut String, (id, title): (&str, &str), body: impl FnOnce(&mut String)) {
    page::open_section(out, id, title);
    body(out);
    out.push_str("</section>\n");
}

/// A section that is folded below its heading.
fn folded(out: &mut String, (id, title): (&str, &str), body: impl FnOnce(&mut String)) {
    open(out, (id, title), |out| {
        put!(out, "<details><summary>Show: {title}</summary>\n");
        body(out);
        out.push_str("</details>\n");
    });
}

pub(crate) const BANNER: &str = "<p class=\"banner\" role=\"note\"><strong>For the owner of the original only. Do not publish this \
                      page.</strong></p>\n";

pub(crate) const FOOT: &str = "from the release and from the original. It names no value of the original, but it tells what only its \
                    owner may know. Do not publish it.";

pub(crate) fn render(manifest: &Manifest, facts: &Facts, assessment: &Assessment) -> String {
    let mut out = String::with_capacity(128 * 1024);
    let title = match facts.title.trim() {
        "" => "Assessment of a published table".to_owned(),
        title => format!("Assessment: {title}"),
    };
    let below = format!(
        "{} table {} · made by {}",
        kind(manifest),
        name(&manifest.data.file),
        escape(&manifest.software)
    );
    let tab = match facts.title.trim() {
        "" => format!("Assessment of a release of {} – privet report", page::shape(manifest)),
        _ => title.clone(),
    };
    page::open_named(&mut out, &manifest.software, &tab, &title, &below);
    out.push_str(BANNER);
    verdict::write(manifest, facts, assessment, &mut out);
    let sections = FOLDED.iter().map(|&(id, title, _)| (id, heading(manifest, title)));
    page::contents(&mut out, [NOT_ATTACKED, PICTURES].into_iter().chain(sections));
    open(&mut out, NOT_ATTACKED, |out| attacks::not_made(assessment, out));
    open(&mut out, PICTURES, |out| pictures(manifest, assessment, out));
    for (id, title, body) in FOLDED {
        folded(&mut out, (id, heading(manifest, title)), |out| body(manifest, facts, assessment, out));
    }
    page::close(&mut out, &manifest.software, FOOT);
    out
}

/// A part of the owner's page of a perturbed release.
type PerturbedBody = fn(&PerturbedManifest, &Assessment, &mut String);

/// Its columns before and after, which are its picture.
const DISTRIBUTIONS: (&str, &str) = ("distributions", "Columns before and after");

/// What is folded below; sections of which nothing was measured are left out.
const PERTURBED: [(&str, &str, PerturbedBody); 6] = [
    ("attacks", "Attacks", |_, assessment, out| {
        attacks::made(&assessment.attacks, Reader::Owner, out);
    }),
    ("utility", "What the release is still good for", |_, assessment, out| utility::all(assessment, out)),
    ("pairs", "Columns that go together", |_, assessment, out| pairs::all(assessment, out)),
    ("learners", "Learning from the release", |_, assessment, out| learners::all(assessment, out)),
    ("files", "Files of the release", |manifest, _, out| files::table(&manifest.files, out)),
    ("words", WORDS, |_, _, out| glossary::write_used(&glossary::CHANCE, out)),
];

/// Whether there is anything to say.
fn is_told(id: &str, manifest: &PerturbedManifest, assessment: &Assessment) -> bool {
    let utility = assessment.utility.as_ref();
    match id {
        "pairs" => utility.is_some_and(|own| !own.pairs.is_empty()),
        "learners" => utility.is_some_and(|own| {
            !own.learners.is_empty() || !own.regressions.is_empty() || own.protocol.is_some()
        }),
        "files" => !manifest.files.is_empty(),
        _ => true,
    }
}

/// The page of perturbed, swapped or synthetic records: they have no classes, and their promises stand on their own page.
pub(crate) fn render_perturbed(manifest: &PerturbedManifest, assessment: &Assessment) -> String {
    let mut out = String::with_capacity(64 * 1024);
    let below = format!("{} · made by {}", perturbed::tables(manifest), escape(&manifest.software));
    let title = format!("Assessment of {}", perturbed::kind(manifest));
    page::open(&mut out, &manifest.software, &title, &below);
    out.push_str(BANNER);
    verdict::of_attacks(assessment, &mut out);
    let sections = || PERTURBED.into_iter().filter(|&(id, ..)| is_told(id, manifest, assessment));
    let listed = sections().map(|(id, title, _)| (id, title));
    page::contents(&mut out, [NOT_ATTACKED, DISTRIBUTIONS].into_iter().chain(listed));
    open(&mut out, NOT_ATTACKED, |out| attacks::not_made(assessment, out));
    open(&mut out, DISTRIBUTIONS, |out| {
        columns::as_published(assessment, matches!(manifest.change, Change::Laws), out);
    });
    for (id, title, body) in sections() {
        folded(&mut out, (id, title), |out| body(manifest, assessment, out));
    }
    page::close(&mut out, &manifest.software, FOOT);
    out
}

/// The attacks that were made: those of the assessment, or else those that the release tells of.
fn attacks_of<'a>(facts: &'a Facts, assessment: &'a Assessment) -> &'a [Finding] {
    if assessment.attacks.is_empty() { &facts.attacks } else { &assessment.attacks }
}

/// Figures with what they say.
pub(crate) fn figures(out: &mut String, id: &str, caption: &str, figures: &[Figure]) {
    use crate::sections::{close_table, header, open_table};
    if figures.is_empty() {
        return;
    }
    open_table(out, id, "metrics", caption);
    header(out, &["Figure, and what it says", "#Value"]);
    for figure in figures {
        put!(
            out,
            "<tr><th scope=\"row\">{}<small>{}</small></th><td class=\"number\">{}</td></tr>\n",
            name(&figure.name),
            crate::text::sentence(&figure.says),
            match figure.value.is_nan() {
                true => figure.without_value().to_owned(),
                false => value(figure.value, figure.is_share),
            }
        );
    }
    close_table(out);
}
