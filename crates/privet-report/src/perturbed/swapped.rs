//! The page of swapped records: what was swapped, what stays exactly, how much was moved, and that it is no formal
//! privacy.

use privet_release::PerturbedManifest;
use privet_release::perturbed::{Swap, SwapWay};

use super::{ATTACKS_MADE, PerturbedFacts, Section, WORDS_USED, files, reproduce, warned};
use crate::draw::rate::{self, Fill};
use crate::sections::attacks::{figure_of_worst, not_made_at_all};
use crate::sections::{close_table, header, open_table, term};
use crate::svg;
use crate::text::{count, counted, name, names, number, percent};

pub(super) const SECTIONS: [Section; 6] = [
    ("columns", "What was swapped", columns),
    ("conclude", "What can be concluded, and what cannot", conclude),
    ATTACKS_MADE,
    ("files", "Files", files),
    ("check", "Check it", check),
    WORDS_USED,
];

/// What stays exactly, as a sentence.
fn keeps(swap: &Swap) -> String {
    let other = "With columns that were not swapped, they go together less than before";
    match swap.keeps {
        1 => format!(
            "Every swapped column has the values that it had, each as often. {other}, and so they do with each other."
        ),
        many => format!(
            "Every joint count of up to {} of the swapped columns is exactly that of the input. {other}.",
            count(many)
        ),
    }
}

pub(super) fn verdict(manifest: &PerturbedManifest, facts: &PerturbedFacts, out: &mut String) {
    let Some(swap) = manifest.change.swap() else { return };
    put!(
        out,
        "<section class=\"verdict open\" aria-labelledby=\"verdict\">\n<h2 id=\"verdict\">Values changed places between \
         records</h2>\n<ul class=\"lead\">\n<li class=\"holds\">{}</li>\n<li class=\"open\">Swapping promises no formal \
         privacy: {} of the records are published as they were, and every published value is somebody’s.</li>\n",
        keeps(swap),
        percent(manifest.data.rows.saturating_sub(swap.changed), manifest.data.rows)
    );
    warned(facts, out);
    out.push_str("</ul>\n<dl class=\"figures\">\n");
    term(out, "Records", &count(manifest.data.rows));
    term(out, "Records that changed", &count(swap.changed));
    if let Some(new) = swap.new_records {
        term(out, "Records without an equal among the originals", &count(new));
    }
    term(out, "Columns swapped", &count(swap.columns.len() as u64));
    term(out, "Columns removed", &count(manifest.data.removed_columns.len() as u64));
    let attacks = &facts.assessment.attacks;
    figure_of_worst(attacks, not_made_at_all(attacks, &facts.assessment.not_made), out);
    out.push_str(
        "</dl>\n<p class=\"aside\">This page repeats what <code>manifest.json</code> says. What stays and how much changed \
         compares with the original, and is the publisher’s word.</p>\n</section>\n",
    );
}

fn way(swap: &Swap) -> String {
    match &swap.way {
        SwapWay::Rank { percent } => format!(
            "Each column by itself: each value changed places with one that is at most {}\u{a0}% of the records away in \
             rank.",
            number(*percent)
        ),
        SwapWay::Order { order, share } => format!(
            "Sets of records exchanged values so that every joint count of {order} columns stayed; {}\u{a0}% of the records \
             were asked to change.",
            number(100.0 * share)
        ),
        SwapWay::Margin { share } => format!(
            "Records that agree on all swapped columns but one were paired, and each pair exchanged that value with \
             probability {}.",
            number(*share)
        ),
        SwapWay::Nearest { probability, compared } => format!(
            "Each record was paired with the nearest, by {}, and each pair exchanged the swapped columns together with \
             probability {}.",
            names(compared.iter().map(String::as_str), 12),
            number(*probability)
        ),
    }
}

/// Records that changed beside those that did not.
fn picture(swap: &Swap, rows: u64, out: &mut String) {
    let same = rows.saturating_sub(swap.changed);
    let (changed, kept) = (percent(swap.changed, rows), percent(same, rows));
    out.push_str("<figure>\n");
    out.push_str(&svg::split(
        "swapped-bar",
        "Records that changed",
        &format!(
            "Of {} records, {} have another value than before ({changed}) and {} are published as they were ({kept}).",
            count(rows),
            count(swap.changed),
            count(same)
        ),
        same,
        swap.changed,
    ));
    put!(
        out,
        "\n<figcaption><ul class=\"legend\"><li><span class=\"key solid\" aria-hidden=\"true\"></span>published as they were \
         <b>{}</b> <span class=\"aside\">{kept}</span></li><li><span class=\"key hatched\" aria-hidden=\"true\"></span>changed in a \
         swapped column <b>{}</b> <span class=\"aside\">{changed}</span></li></ul></figcaption>\n</figure>\n",
        count(same),
        count(swap.changed)
    );
}

fn columns(manifest: &PerturbedManifest, _facts: &PerturbedFacts, out: &mut String) {
    let Some(swap) = manifest.change.swap() else { return };
    put!(out, "<p>{}</p>\n", way(swap));
    picture(swap, manifest.data.rows, out);
    open_table(out, "swapped", "rates", "Columns whose values changed places");
    header(out, &["Column", "#Records that changed", "#Most ranks", "#Ranks on average", ""]);
    let rows = manifest.data.rows.max(1) as f64;
    let widest = swap.columns.iter().filter_map(|own| own.window).max();
    for own in &swap.columns {
        let mut drawing = rate::bar(&[(own.changed as f64 / rows, Fill::Hatched)], None, 1.0);
        if let (Some(window), Some(mean), Some(widest)) = (own.window, own.mean_rank_distance, widest) {
            // Both by the widest window, so that columns can be compared.
            let parts = [(window as f64, Fill::Empty), (mean, Fill::Solid)];
            drawing.push_str(&rate::bar(&parts, None, widest as f64));
        }
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td \
             class=\"number\">{}</td><td class=\"draw\">{drawing}</td></tr>\n",
            name(&own.name),
            count(own.changed),
            own.window.map_or("–".to_owned(), count),
            own.mean_rank_distance.map_or("–".to_owned(), number)
        );
    }
    close_table(out);
    out.push_str(
        "<ul class=\"legend\"><li><span class=\"key hatched\" aria-hidden=\"true\"></span>records that changed, of all</li>",
    );
    if widest.is_some() {
        out.push_str(
            "<li><span class=\"key\" aria-hidden=\"true\"></span>ranks that a value may move</li><li><span class=\"key solid\" \
             aria-hidden=\"true\"></span>ranks that it moved on average</li>",
        );
    }
    out.push_str("</ul>\n");
    for (own, many) in &manifest.data.missing {
        put!(
            out,
            "<p>{}: {} missing, as many as before.</p>\n",
            name(own),
            counted(*many, "value is", "values are")
        );
    }
    let is_kept = |own: &str| !swap.columns.iter().any(|column| column.name == own);
    let kept: Vec<&str> =
        manifest.model.columns.iter().map(|own| own.name.as_str()).filter(|own| is_kept(own)).collect();
    if !kept.is_empty() {
        put!(out, "<p>Published unchanged: {}.</p>\n", names(kept.iter().copied(), 24));
    }
    let removed = &manifest.data.removed_columns;
    if !removed.is_empty() {
        put!(out, "<p>Not published: {}.</p>\n", names(removed.iter().map(String::as_str), 24));
    }
}

fn conclude(manifest: &PerturbedManifest, _facts: &PerturbedFacts, out: &mut String) {
    let Some(swap) = manifest.change.swap() else { return };
    put!(out, "<h3>Can</h3>\n<ul>\n<li>{}</li>\n", keeps(swap));
    out.push_str(match swap.way {
        SwapWay::Nearest { .. } => {
            "<li>Nearly what goes with the compared columns: partners are near each other in them.</li>\n"
        }
        SwapWay::Rank { .. } => {
            "<li>Nearly what goes with a swapped number: it moved by few ranks, so correlations are a little weaker than they \
             were.</li>\n"
        }
        SwapWay::Order { .. } | SwapWay::Margin { .. } => "",
    });
    out.push_str(
        "</ul>\n<h3>Cannot</h3>\n<ul>\n<li>Which record was swapped with which. There is no law by which it could be computed \
         back, and no error can be stated.</li>\n<li>That nobody is found: who is looked for by columns that were not swapped \
         is found as before, and her swapped values are those of somebody alike, or still her own.</li>\n<li>This is not \
         differential privacy, and no k-anonymity.</li>\n",
    );
    if manifest.randomness == "fixed-seed" {
        out.push_str(
            "<li>Here chance came from a fixed seed, which is not published. Whoever knows or guesses it can undo \
             swaps.</li>\n",
        );
    }
    out.push_str("<li>Records stand in the order of the input, and none was left out.</li>\n</ul>\n");
}

fn check(manifest: &PerturbedManifest, facts: &PerturbedFacts, out: &mut String) {
    out.push_str(
        "<h3>Verify</h3>\n<p>This re-checks every fingerprint, and that what is said of the table fits it. Put the name of the \
         release’s folder for <code>FOLDER</code>.</p>\n<pre><code>privet verify FOLDER</code></pre>\n",
    );
    reproduce(manifest, facts, out);
}
