//! The page of a perturbed release: the law of each column, what it protects, how far off estimates are, what was
//! published and what can be reconstructed from it, and what cannot be concluded.

mod nullable;
mod pictures;
mod swapped;
mod synthetic;
mod words;

use privet_release::PerturbedManifest;
use privet_release::perturbed::{Change, ModelColumn, Perturbation};

use crate::glossary::{self, CHANCE, WORDS};
use crate::owner::attacks;
use crate::sections::attacks::{Reader, figure_of_worst, not_made_at_all, warning};
use crate::sections::files;
use crate::sections::{close_table, header, open_table, term};
use crate::text::{count, counted, escape, escape_lines, name, names, number, share};
use crate::{Assessment, page};

/// What the page shows beside the manifest; all of it follows from what is published, but for the rates of attacks.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct PerturbedFacts {
    /// The commands that make a release like this one again; never with a seed.
    pub reproduce: Vec<String>,
    /// One for each column of the manifest.
    pub pictures: Vec<PerturbedPicture>,
    /// The attacks that were made before it was published, as readers may know them, and those that were not.
    pub assessment: Assessment,
}

/// What is published of a column, and what can be estimated from it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PerturbedPicture {
    /// Nothing to show.
    Nothing,
    /// Categories.
    Counts {
        /// Value, published share, estimated share, and its standard error.
        #[serde(deserialize_with = "nullable::labelled")]
        bars: Vec<(String, f64, f64, f64)>,
        /// Values that are not among the bars: the rarest.
        left_out: u64,
        /// The standard error of the most uncertain share, times the root of the number of records.
        #[serde(deserialize_with = "nullable::number")]
        error_of_one: f64,
        /// Records with a value.
        records: u64,
        /// What cannot be concluded, as sentences.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    },
    /// Numbers or dates.
    Numbers {
        /// The ends of the axis.
        ends: [String; 2],
        /// Per interval the published and the estimated share; none where no distribution can be estimated.
        #[serde(deserialize_with = "nullable::pairs")]
        bars: Vec<(f64, f64)>,
        /// Per interval the ends of the 95 % interval of the estimated share; none where it is not known.
        #[serde(default, deserialize_with = "nullable::pairs", skip_serializing_if = "Vec::is_empty")]
        intervals: Vec<(f64, f64)>,
        /// What cannot be concluded, as sentences.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
        /// The standard deviation of the noise.
        #[serde(deserialize_with = "nullable::number")]
        noise_deviation: f64,
        /// The standard error of the mean, times the root of the number of records.
        #[serde(deserialize_with = "nullable::number")]
        error_of_one: f64,
        /// The mean.
        mean: Option<String>,
        /// The estimated deviation of the originals.
        deviation: Option<f64>,
        /// Rounds of the reconstruction.
        rounds: u64,
        /// Records with a value.
        records: u64,
    },
}

type Body = fn(&PerturbedManifest, &PerturbedFacts, &mut String);

/// Where it is linked from, what it is called, what is in it.
type Section = (&'static str, &'static str, Body);

const SECTIONS: [Section; 6] = [
    ("columns", "How values were changed, and what can be learned", columns),
    ("conclude", "What can be concluded, and what cannot", conclude),
    ATTACKS_MADE,
    ("files", "Files", files),
    ("check", "Check it, and use it", check),
    WORDS_USED,
];

/// The words of any of these pages.
const WORDS_USED: Section = ("words", WORDS, |_, _, out| glossary::write_used(&CHANCE, out));

/// The attacks of any of these pages.
const ATTACKS_MADE: Section = ("attacks", "Attacks, and who would fall", |_, facts, out| {
    attacks::all(&facts.assessment.attacks, Reader::Anybody, &facts.assessment, out);
});

/// The report of a perturbed release as one HTML page.
#[must_use]
pub fn html(manifest: &PerturbedManifest, facts: &PerturbedFacts) -> String {
    let mut out = String::with_capacity(64 * 1024);
    let (title, verdict, sections): (&str, Body, &[Section]) = match manifest.change {
        Change::Swapped(_) => ("Report on swapped records", swapped::verdict, &swapped::SECTIONS),
        Change::Synthetic(_) => ("Report on synthetic records", synthetic::verdict, &synthetic::SECTIONS),
        Change::Laws => ("Report on perturbed records", verdict, &SECTIONS),
    };
    let below = format!("{} · made by {}", tables(manifest), escape(&manifest.software));
    page::open(&mut out, &manifest.software, title, &below);
    verdict(manifest, facts, &mut out);
    page::contents(&mut out, sections.iter().map(|&(id, title, _)| (id, title)));
    for &(id, title, body) in sections {
        page::open_section(&mut out, id, title);
        body(manifest, facts, &mut out);
        out.push_str("</section>\n");
    }
    page::close(&mut out, &manifest.software, page::PUBLIC);
    out
}

/// What kind of records these are.
pub(crate) fn kind(manifest: &PerturbedManifest) -> &'static str {
    match manifest.change {
        Change::Swapped(_) => "swapped records",
        Change::Synthetic(_) => "synthetic records",
        Change::Laws => "perturbed records",
    }
}

/// The table, or all copies of it, as markup.
pub(crate) fn tables(manifest: &PerturbedManifest) -> String {
    match manifest.change.synthesis().map(|own| own.copies.as_slice()) {
        Some(copies @ [_, _, ..]) => format!("Tables {}", names(copies.iter().map(String::as_str), 24)),
        Some([only]) => format!("Table {}", name(only)),
        _ => format!("Table {}", name(&manifest.data.file)),
    }
}

fn perturbed(manifest: &PerturbedManifest) -> impl Iterator<Item = (usize, &ModelColumn, &Perturbation)> {
    let columns = manifest.model.columns.iter().enumerate();
    columns.filter_map(|(at, column)| Some((at, column, column.perturbation.as_ref()?)))
}

fn untouched<'a>(manifest: &'a PerturbedManifest, role: &str) -> Vec<&'a str> {
    let columns = manifest.model.columns.iter();
    let own = columns.filter(|column| column.perturbation.is_none() && column.role == role);
    own.map(|column| column.name.as_str()).collect()
}

/// The look of a verdict: where an attack finds many it is not one of safety.
fn looks(class: &str, facts: &PerturbedFacts) -> String {
    match warning(&facts.assessment.attacks) {
        Some(_) if class == "holds" => "holds warned".to_owned(),
        _ => class.to_owned(),
    }
}

/// What the worst attack finds, where it finds many, as an item of the verdict.
fn warned(facts: &PerturbedFacts, out: &mut String) {
    if let Some(warning) = warning(&facts.assessment.attacks) {
        put!(out, "<li class=\"warned\">{warning}: see <a href=\"#attacks\">attacks</a>.</li>\n");
    }
}

fn verdict(manifest: &PerturbedManifest, facts: &PerturbedFacts, out: &mut String) {
    let (class, said) = words::together(&manifest.model);
    let looks = looks(class, facts);
    put!(
        out,
        "<section class=\"verdict {looks}\" aria-labelledby=\"verdict\">\n<h2 id=\"verdict\">Values were changed by chance, by \
         laws that are published</h2>\n<ul class=\"lead\">\n",
    );
    for (_, column, perturbation) in perturbed(manifest) {
        let (class, said) = words::protection(perturbation);
        put!(out, "<li class=\"{class}\">{}: {said}</li>\n", name(&column.name));
    }
    put!(out, "<li class=\"{class}\">{said}</li>\n");
    let open: Vec<&str> = ["quasi", "sensitive"].iter().flat_map(|role| untouched(manifest, role)).collect();
    if !open.is_empty() {
        put!(
            out,
            "<li class=\"open\">{} {} published as {} and {} hidden by nothing.</li>\n",
            names(open.iter().copied(), 12),
            if open.len() == 1 { "is" } else { "are" },
            if open.len() == 1 { "it was" } else { "they were" },
            if open.len() == 1 { "is" } else { "are" }
        );
    }
    warned(facts, out);
    out.push_str("</ul>\n<dl class=\"figures\">\n");
    term(out, "Records", &count(manifest.data.rows));
    let many = perturbed(manifest).count();
    term(out, "Perturbed columns", &count(many as u64));
    term(out, "Published as they were", &count((manifest.model.columns.len() - many) as u64));
    term(out, "Columns removed", &count(manifest.data.removed_columns.len() as u64));
    let attacks = &facts.assessment.attacks;
    figure_of_worst(attacks, not_made_at_all(attacks, &facts.assessment.not_made), out);
    out.push_str(
        "</dl>\n<p class=\"aside\">This page repeats what <code>manifest.json</code> says, and shows what anyone can compute \
         from the published table. That values were really drawn by these laws is the publisher’s word: no table can show \
         it.</p>\n</section>\n",
    );
}

fn columns(manifest: &PerturbedManifest, facts: &PerturbedFacts, out: &mut String) {
    for (at, column, perturbation) in perturbed(manifest) {
        put!(out, "<h3>{}</h3>\n<p>{}</p>\n", name(&column.name), words::law(perturbation));
        if let Some(missing) = manifest.data.missing.get(&column.name) {
            put!(
                out,
                "<p>{} missing and stayed so: that a value is missing is not hidden.</p>\n",
                counted(*missing, "value is", "values are")
            );
        }
        let picture = facts.pictures.get(at).unwrap_or(&PerturbedPicture::Nothing);
        out.push_str("<div class=\"pair\">\n");
        pictures::law(out, &format!("law-{}", at + 1), perturbation, picture);
        let unit = match perturbation {
            Perturbation::Noise(own) if own.dates => "\u{a0}days",
            _ => "",
        };
        pictures::error(out, &format!("error-{}", at + 1), picture, unit);
        out.push_str("</div>\n");
        match picture {
            PerturbedPicture::Nothing => {}
            PerturbedPicture::Counts { bars, left_out, warnings, .. } => {
                shares(out, &format!("shares-{}", at + 1), &column.name, bars, *left_out);
                warn(out, warnings);
            }
            PerturbedPicture::Numbers {
                bars, intervals, ends, mean, deviation, rounds, warnings, ..
            } => {
                if !bars.is_empty() {
                    let id = format!("distribution-{}", at + 1);
                    pictures::distribution(out, &id, ends, bars, intervals, *rounds);
                }
                warn(out, warnings);
                // A date is shown as it is written, a number as all numbers are.
                let shown = |mean: &String| mean.parse().map_or_else(|_| escape(mean), number);
                let mean = mean.as_ref().map_or("not known".to_owned(), shown);
                let deviation = deviation
                    .map_or("not known: the noise is larger than what was seen".to_owned(), |own| {
                        format!("{}{unit}", number(own))
                    });
                out.push_str("<dl class=\"row\">\n");
                term(out, "Estimated mean of the originals", &mean);
                term(out, "Estimated standard deviation", &deviation);
                out.push_str("</dl>\n");
            }
        }
    }
    let kept = untouched(manifest, "insensitive");
    if !kept.is_empty() {
        put!(out, "<p>Published unchanged: {}.</p>\n", names(kept.iter().copied(), 24));
    }
    let removed = &manifest.data.removed_columns;
    if !removed.is_empty() {
        put!(out, "<p>Not published: {}.</p>\n", names(removed.iter().map(String::as_str), 24));
    }
}

/// What cannot be concluded from an estimate.
fn warn(out: &mut String, warnings: &[String]) {
    for own in warnings {
        put!(out, "<p class=\"aside\"><strong>Careful:</strong> {}</p>\n", escape(own));
    }
}

/// Published and estimated shares of values.
fn shares(out: &mut String, id: &str, column: &str, bars: &[(String, f64, f64, f64)], left_out: u64) {
    let end = bars.iter().map(|bar| bar.1.max(bar.2 + 1.96 * bar.3)).fold(0.0, f64::max);
    let caption =
        format!("Shares of values of {}: as published, and as estimated for the originals", name(column));
    open_table(out, id, "rates", &caption);
    header(out, &["Value", "#Published", "#Estimated", "#± 95 %", ""]);
    for (value, published, estimated, error) in bars {
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"draw\">{}</td></tr>\n",
            name(value),
            share(*published),
            share(*estimated),
            share(1.96 * error),
            pictures::two_bars(*published, *estimated, 1.96 * error, end)
        );
    }
    close_table(out);
    out.push_str(
        "<ul class=\"legend\"><li><span class=\"key hatched\" aria-hidden=\"true\"></span>published</li><li><span class=\"key \
         solid\" aria-hidden=\"true\"></span>estimated, not negative</li><li><span class=\"key whiskers\" \
         aria-hidden=\"true\"></span>95 %</li></ul>\n",
    );
    if left_out > 0 {
        put!(
            out,
            "<p class=\"aside\">{} not shown.</p>\n",
            counted(left_out, "more value is", "more values are")
        );
    }
}

fn conclude(manifest: &PerturbedManifest, _facts: &PerturbedFacts, out: &mut String) {
    out.push_str("<h3>Can</h3>\n<ul>\n");
    let has = |wanted: fn(&Perturbation) -> bool| perturbed(manifest).any(|(_, _, own)| wanted(own));
    let categories = has(|own| matches!(own, Perturbation::Categories(_) | Perturbation::Items(_)));
    let noise = has(|own| matches!(own, Perturbation::Noise(_)));
    if categories {
        out.push_str(
            "<li>How many records had a value, or a combination of values, with an error that is stated beside it. The error \
             of a share shrinks with the root of the number of records: four times the records, half the error.</li>\n",
        );
    }
    if noise {
        out.push_str(
            "<li>Means and sums of numbers, and the shape of their distribution, of all records or of those that agree in \
             columns published as they were.</li>\n",
        );
    }
    out.push_str("</ul>\n<h3>Cannot</h3>\n<ul>\n<li>What any one person’s value was. A published value is not hers.</li>\n");
    if categories {
        out.push_str(
            "<li>Counts of few records: below some dozens the error is larger than the count. Counting the published values \
             as if they were true gives wrong shares, drawn towards each other.</li>\n",
        );
    }
    if noise {
        out.push_str(
            "<li>How many records lie between two numbers, by counting published ones: noise widens every distribution. \
             Extremes, ranks and quantiles of published numbers are not those of the originals.</li>\n<li>Noise on numbers \
             promises no bound on what can be learned. Where columns depend on each other, or somebody knows much of a \
             record, part of it can be filtered out.</li>\n",
        );
    }
    out.push_str(
        "<li>Links between perturbed columns of one record: each is changed by itself, so dependence looks weaker than it \
         is.</li>\n<li>Who perturbs the same records twice, with new chance, tells more: two releases can be averaged.</li>\n\
         <li>This is not differential privacy.</li>\n",
    );
    if manifest.randomness == "fixed-seed" {
        out.push_str(
            "<li>Here chance came from a fixed seed, which is not published. Whoever knows or guesses it can undo every \
             change.</li>\n",
        );
    }
    let from_data: Vec<&str> = perturbed(manifest)
        .filter(|(_, _, own)| matches!(own, Perturbation::Categories(own) if own.domain == "data"))
        .map(|(_, column, _)| column.name.as_str())
        .collect();
    if !from_data.is_empty() {
        put!(
            out,
            "<li>The values that {} can have were taken from the data, so it is told that each of them occurred.</li>\n",
            names(from_data.iter().copied(), 12)
        );
    }
    out.push_str("<li>Records stand in the order of the input, and none was left out.</li>\n</ul>\n");
}

fn files(manifest: &PerturbedManifest, _facts: &PerturbedFacts, out: &mut String) {
    if !manifest.files.is_empty() {
        files::table(&manifest.files, out);
    }
    put!(
        out,
        "<p>{} written as {}. <code>report.json</code> holds the facts of this page for programs. Sizes and fingerprints of all \
         files, and every parameter, stand in \
         <code>manifest.json</code>.</p>\n",
        match manifest.change.synthesis() {
            Some(own) => format!("The tables {} are", names(own.copies.iter().map(String::as_str), 12)),
            None => format!("The table {} is", name(&manifest.data.file)),
        },
        escape(&manifest.data.format)
    );
}

fn check(manifest: &PerturbedManifest, facts: &PerturbedFacts, out: &mut String) {
    out.push_str(
        "<h3>Verify</h3>\n<p>This re-checks every fingerprint, that every law is one and protects what is said, and that every \
         published value can have come from it. Put the name of the release’s folder for <code>FOLDER</code>.</p>\n<pre>\
         <code>privet verify FOLDER</code></pre>\n<h3>Estimate</h3>\n<p>From the release alone, with errors:</p>\n<pre><code>\
         privet reconstruct FOLDER\nprivet answer FOLDER \"select count(*) from data where …\"</code></pre>\n",
    );
    reproduce(manifest, facts, out);
}

fn reproduce(manifest: &PerturbedManifest, facts: &PerturbedFacts, out: &mut String) {
    out.push_str("<h3>Reproduce</h3>\n");
    if facts.reproduce.is_empty() {
        out.push_str("<p>The commands that made this release were not recorded.</p>\n");
        return;
    }
    let again = match manifest.randomness.as_str() {
        "fixed-seed" => {
            "Chance came from a seed that the publisher keeps: with it, the same input gives the same files, byte for byte."
        }
        _ => "Chance came from the operating system: another run makes other values in the same way.",
    };
    put!(
        out,
        "<p>Whoever holds the original data and the job file makes a release like this one with these commands and \
         {}.</p>\n<pre><code>{}</code></pre>\n<p>{again}</p>\n",
        escape(&manifest.software),
        escape_lines(&facts.reproduce.join("\n"))
    );
}

#[cfg(test)]
mod tests;
