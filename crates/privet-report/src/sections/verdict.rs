//! The verdict: in a few plain sentences, what holds. For the reader who reads nothing else.

use privet_release::Manifest;

use crate::Facts;
use crate::asked::{Asked, Judgement};
use crate::form::FormWords;
use crate::text::{count, counted, escape, name, names, number, percent};

use super::attacks::{among, beside, figure_of_worst, not_tried, warning};
use super::{quasi, standing_for_groups, term};

/// What can be said of all promises together.
pub(crate) struct Summary {
    /// `holds`, `fails` or `open`.
    pub class: &'static str,
    /// A sign for it.
    pub mark: &'static str,
    /// In words.
    pub heading: String,
}

/// Judges all promises.
pub(crate) fn summary(manifest: &Manifest) -> Summary {
    let smallest = manifest.classes.min;
    let judged = |what| {
        manifest.promises.iter().filter(|p| Asked::of(p).judge(p.reached, smallest) == what).count() as u64
    };
    let total = manifest.promises.len() as u64;
    let (failed, open) = (judged(Judgement::Fails), judged(Judgement::Open));
    let (class, mark, heading) = if total == 0 {
        ("open", "?", "This release promises nothing".to_owned())
    } else if manifest.data.rows == 0 {
        ("open", "?", "No record is published".to_owned())
    } else if failed > 0 {
        let of =
            if failed == total && total > 1 { "None".to_owned() } else { format!("{failed} of {total}") };
        let heading = match (failed, total) {
            (1, 1) => "The promise does not hold".to_owned(),
            _ if failed == total => format!("{of} of the {total} promises holds"),
            _ => format!("{of} promises {} not hold", if failed == 1 { "does" } else { "do" }),
        };
        ("fails", "✗", heading)
    } else if open > 0 {
        ("open", "?", format!("{open} of {total} promises cannot be judged from the manifest"))
    } else {
        let heading = match total {
            1 => "The promise holds".to_owned(),
            2 => "Both promises hold".to_owned(),
            n => format!("All {n} promises hold"),
        };
        ("holds", "✓", heading)
    };
    Summary { class, mark, heading }
}

/// What a group of records is, and what its values stand for.
fn explain(manifest: &Manifest, out: &mut String) {
    let quasi = quasi(manifest);
    let shown = || names(quasi.iter().map(|(c, _)| c.name.as_str()), 12);
    if !quasi.is_empty() && manifest.kind.separates_values() {
        put!(
            out,
            "<p>A <em>bucket</em> is a group of records whose sensitive values are published together. Its records need \
             not look alike: {} {} published as {}, and whose sensitive value is whose is what is hidden.</p>\n",
            shown(),
            if quasi.len() == 1 { "is" } else { "are" },
            if quasi.len() == 1 { "it is" } else { "they are" }
        );
    } else if !quasi.is_empty() {
        put!(
            out,
            "<p>Records <em>look alike</em> when they have the same values in {}: {}.</p>\n",
            if quasi.len() == 1 { "the identifying column" } else { "all identifying columns" },
            shown()
        );
    }
    let stands = standing_for_groups(manifest);
    if !stands.is_empty() {
        put!(
            out,
            "<p>{} not the values of single people: each stands for a group of records, and nobody in the group need \
             have it.</p>\n",
            match stands.len() {
                1 => format!("The published values of {} are", names(stands.iter().copied(), 12)),
                _ => format!("The published values of the columns {} are", names(stands.iter().copied(), 12)),
            }
        );
    }
}

/// What was published, in numbers.
fn figures(manifest: &Manifest, facts: &Facts, out: &mut String) {
    let data = &manifest.data;
    out.push_str("<dl class=\"figures\">\n");
    term(
        out,
        "Records published",
        &format!("{}<small>of {}</small>", count(data.rows), count(data.input_rows)),
    );
    term(
        out,
        "Records suppressed",
        &format!("{}<small>{}</small>", count(data.suppressed), percent(data.suppressed, data.input_rows)),
    );
    let words = FormWords::of(manifest.kind);
    term(
        out,
        words.smallest,
        &format!("{}<small>{}</small>", count(manifest.classes.min), words.counted(manifest.classes.count)),
    );
    if let Some(&loss) = manifest.metrics.get("loss") {
        term(out, "Loss of detail", &format!("{}<small>0 none, 1 all</small>", number(loss)));
    }
    figure_of_worst(&facts.attacks, not_tried(manifest, &facts.attacks).count(), out);
    out.push_str("</dl>\n");
}

pub(crate) fn write(manifest: &Manifest, facts: &Facts, out: &mut String) {
    let asked: Vec<_> = manifest.promises.iter().map(|p| (p, Asked::of_release(p, manifest))).collect();
    let total = asked.len() as u64;
    let smallest = manifest.classes.min;
    let nothing = manifest.data.rows == 0;
    let Summary { class, mark, heading } = summary(manifest);
    let questions = || beside(manifest, &facts.attacks).into_iter().chain(among(&facts.attacks));
    // Promises that hold are no reason to look safe where an attack finds many.
    let warning = warning(&facts.attacks).filter(|_| !nothing);
    let class = if class == "holds" && warning.is_some() { "holds warned" } else { class };
    put!(
        out,
        "<section class=\"verdict {class}\" aria-labelledby=\"verdict\">\n<h2 id=\"verdict\"><span class=\"mark\" \
         aria-hidden=\"true\">{mark}</span> {heading}</h2>\n"
    );
    if total == 0 {
        out.push_str("<p class=\"lead\">No privacy model was asked for, so nothing protects the people in the table.</p>\n");
        let open: String = questions().map(|own| format!("<li class=\"open\">{own}.</li>\n")).collect();
        if !open.is_empty() {
            put!(out, "<ul class=\"lead\">\n{open}</ul>\n");
        }
    } else if nothing {
        out.push_str(
            "<p class=\"lead\">Every record was suppressed, or the input was empty. There is no published record that a \
             promise could be judged by.</p>\n",
        );
    } else {
        out.push_str("<ul class=\"lead\">\n");
        for (promise, asked) in &asked {
            let (class, word) = match asked.judge(promise.reached, smallest) {
                Judgement::Holds => ("holds", ""),
                Judgement::Fails => ("fails", "<strong>Does not hold:</strong> "),
                Judgement::Open => ("open", "<strong>Not judged:</strong> "),
            };
            put!(out, "<li class=\"{class}\">{word}{}</li>\n", escape(&asked.plain));
        }
        for own in questions() {
            put!(out, "<li class=\"open\">{own}: see <a href=\"#attacks\">attacks</a>.</li>\n");
        }
        if let Some(warning) = &warning {
            put!(out, "<li class=\"warned\">{warning}: see <a href=\"#attacks\">attacks</a>.</li>\n");
        }
        out.push_str("</ul>\n");
        explain(manifest, out);
    }
    if let Some(distorted) = &manifest.data.distorted {
        put!(
            out,
            "<p>Not every published value of {} is true: {} by another, so that the shape of groups tells nothing about \
             them.</p>\n",
            name(&distorted.column),
            counted(distorted.records, "was replaced", "were replaced")
        );
    }
    figures(manifest, facts, out);
    put!(
        out,
        "<p class=\"aside\">This page repeats what <code>manifest.json</code> says. Anyone can check it again from the \
         published files alone: <a href=\"#check\">check it yourself</a>.{}</p>\n</section>\n",
        if facts.attacks.is_empty() {
            ""
        } else {
            " Whether an attack was right can be checked by those who hold the original, and by others only where the release \
             itself proves it."
        }
    );
}
