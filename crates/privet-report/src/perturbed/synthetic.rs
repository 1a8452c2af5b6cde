//! The page of synthetic records: which columns were made by what, how often a value is one of the originals, how
//! estimates are combined, and that it is no formal privacy.

use privet_release::PerturbedManifest;
use privet_release::perturbed::Synthesis;

use super::{ATTACKS_MADE, PerturbedFacts, Section, WORDS_USED, files, pictures, reproduce, warned};
use crate::sections::attacks::{figure_of_worst, not_made_at_all};
use crate::sections::{close_table, header, open_table, term};
use crate::text::{count, escape, name, names, number, share};

pub(super) const SECTIONS: [Section; 7] = [
    ("columns", "What was made, and by what", columns),
    ("estimate", "How to estimate from the copies", estimate),
    ("conclude", "What can be concluded, and what cannot", conclude),
    ATTACKS_MADE,
    ("files", "Files", files),
    ("check", "Check it", check),
    WORDS_USED,
];

pub(super) fn verdict(manifest: &PerturbedManifest, facts: &PerturbedFacts, out: &mut String) {
    let Some(own) = manifest.change.synthesis() else { return };
    let what = match own.scope.as_str() {
        "full" => {
            "Every record was drawn anew and stands for nobody, though one may be like somebody’s by chance."
        }
        _ => "Records stand for the people they stood for; some of their columns were made.",
    };
    let part = own.replaced.map_or(String::new(), |replaced| {
        let columns = own.only.iter().flatten().map(|(name, _)| name.as_str());
        format!(
            "<li class=\"open\">Only {} records were replaced, those with certain values in {}; all others are published as they \
             were.</li>\n",
            count(replaced),
            names(columns.collect::<Vec<_>>().into_iter(), 12)
        )
    });
    put!(
        out,
        "<section class=\"verdict open\" aria-labelledby=\"verdict\">\n<h2 id=\"verdict\">Values were drawn from a model of \
         the data</h2>\n<ul class=\"lead\">\n<li class=\"holds\">{what}</li>\n{part}<li class=\"open\">Synthetic records promise no \
         formal privacy: their model was learned from everybody. Of the made records, {} equal a record of the original in \
         every column.</li>\n",
        share(own.copied_records)
    );
    warned(facts, out);
    out.push_str("</ul>\n<dl class=\"figures\">\n");
    term(out, "Tables", &count(own.copies.len() as u64));
    term(out, "Records in each", &count(manifest.data.rows));
    term(out, "Columns made", &count(own.columns.len() as u64));
    term(out, "Model", &escape(&own.model));
    term(out, "Columns removed", &count(manifest.data.removed_columns.len() as u64));
    let attacks = &facts.assessment.attacks;
    figure_of_worst(attacks, not_made_at_all(attacks, &facts.assessment.not_made), out);
    out.push_str(
        "</dl>\n<p class=\"aside\">This page repeats what <code>manifest.json</code> says. Shares compare with the original, \
         and are the publisher’s word.</p>\n</section>\n",
    );
}

fn columns(manifest: &PerturbedManifest, _facts: &PerturbedFacts, out: &mut String) {
    let Some(own) = manifest.change.synthesis() else { return };
    out.push_str(match own.model.as_str() {
        "cart" => "<p>A decision tree for each column; values were drawn from its leaves.</p>\n",
        "regression" => {
            "<p>A regression for each column, on the columns known before it; values were drawn from the posterior.</p>\n"
        }
        "sufficiency" => {
            "<p>Regression coefficients and residual covariances of the made numbers are exactly those of the originals, where \
             categories of fewer than five records are taken together as one.</p>\n"
        }
        "moments" => "<p>Means and covariances of the made numbers are exactly those of the originals.</p>\n",
        "franconi-stander" => "<p>Midpoints of the intervals that other columns predict.</p>\n",
        "latin-hypercube" => "<p>Each column has about its distribution; ranks go together about as they did.</p>\n",
        _ => {
            "<p>Categories were drawn from the law of maximum entropy that has the joint counts of the originals; other columns \
             from regressions. The law has these counts, the tables have them in expectation: a table that was drawn from it \
             differs by chance. What is called margins off below is how far the law is from them.</p>\n"
        }
    });
    if own.forgets_what_stays() {
        out.push_str(
            "<p>This holds among the made columns only: their dependence on columns that stay is lost, so do not relate the \
             ones to the others.</p>\n",
        );
    }
    if let Some(told) = own.told_of_gaps() {
        put!(out, "<p>{}</p>\n", escape(&told));
    }
    open_table(out, "made", "rates", "Made columns, in the order in which they were made");
    header(
        out,
        &[
            "Column",
            "Kind",
            "Made by",
            "#Equal what they replace",
            "#By chance",
            "#Equal a value of one person",
            "",
        ],
    );
    let shares = own
        .columns
        .iter()
        .flat_map(|column| [column.by_chance, column.of_one_record].into_iter().chain(column.equal));
    let end = shares.filter(|share| share.is_finite()).fold(0.0, f64::max);
    let end = if end > 0.0 { end } else { 1.0 };
    for column in &own.columns {
        let figures: Vec<String> = column
            .figures
            .iter()
            .map(|(what, value)| format!("{} {}", escape(&what.replace('-', " ")), number(*value)))
            .collect();
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"made\">{}<small>{}</small></td><td \
             class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td \
             class=\"draw\">{}</td></tr>\n",
            name(&column.name),
            escape(&column.kind),
            escape(&column.made_by),
            figures.join(", "),
            column.equal.map_or("–".to_owned(), share),
            share(column.by_chance),
            share(column.of_one_record),
            pictures::three_bars([column.equal, Some(column.by_chance), Some(column.of_one_record)], end)
        );
    }
    close_table(out);
    out.push_str("<ul class=\"legend\">");
    if own.columns.iter().any(|column| column.equal.is_some()) {
        out.push_str(
            "<li><span class=\"key solid\" aria-hidden=\"true\"></span>equal what they replace</li>",
        );
    }
    put!(
        out,
        "<li><span class=\"key hatched\" aria-hidden=\"true\"></span>would by chance</li><li><span class=\"key\" \
         aria-hidden=\"true\"></span>equal a value of one person</li><li>bars end at {}</li></ul>\n",
        share(end)
    );
    let is_kept = |name: &str| !own.columns.iter().any(|column| column.name == name);
    let kept: Vec<&str> =
        manifest.model.columns.iter().map(|own| own.name.as_str()).filter(|own| is_kept(own)).collect();
    if !kept.is_empty() {
        put!(out, "<p>Published unchanged, in every table: {}.</p>\n", names(kept.iter().copied(), 24));
    }
    let removed = &manifest.data.removed_columns;
    if !removed.is_empty() {
        put!(out, "<p>Not published: {}.</p>\n", names(removed.iter().map(String::as_str), 24));
    }
}

/// How estimates are combined.
fn words_of_rule(own: &Synthesis) -> String {
    match &own.rule {
        Some(rule) if own.copies.len() > 1 => format!(
            "<p>Analyse each table as if it were the original; write the estimates and their variances into a file, a line for \
             each table, and combine them. The rule counts both how sure an estimate is within a table and how much it varies \
             between tables.{}</p>\n<pre><code>privet combine estimates.csv {}</code></pre>\n",
            match own.with_gaps().next() {
                Some(_) => {
                    " It takes no account of values that were missing in the original: where these matter, intervals are too narrow."
                }
                None => "",
            },
            escape(&rule.flags())
        ),
        Some(_) => "<p>There is one table only: estimates have no interval that takes account of the model. Ask the publisher \
                    for several.</p>\n"
            .to_owned(),
        None if own.model == "maximum-entropy" => {
            "<p>Tables of this model are draws of one law, which has the joint counts of the originals; the counts of a table \
             have them in expectation and differ by chance. They are no draws of a posterior, so there is no rule by which the \
             error of an estimate could be stated.</p>\n"
                .to_owned()
        }
        None => "<p>Tables of this model keep statistics by construction and are no draws of a posterior: there is no rule by \
                 which the error of an estimate could be stated.</p>\n"
            .to_owned(),
    }
}

fn estimate(manifest: &PerturbedManifest, _facts: &PerturbedFacts, out: &mut String) {
    if let Some(own) = manifest.change.synthesis() {
        out.push_str(&words_of_rule(own));
    }
}

fn conclude(manifest: &PerturbedManifest, _facts: &PerturbedFacts, out: &mut String) {
    let Some(own) = manifest.change.synthesis() else { return };
    out.push_str(
        "<h3>Can</h3>\n<ul>\n<li>What the model knows: how made columns go together with those it was learned from.</li>\n\
         </ul>\n<h3>Cannot</h3>\n<ul>\n<li>What the model does not know. A dependence that is not in it is not in the \
         tables.</li>\n<li>What any one person’s made value was.</li>\n",
    );
    out.push_str(match own.scope.as_str() {
        "full" => {
            "<li>That nobody is told of: single outliers move the parameters, and a category that one person has may come \
             out again.</li>\n"
        }
        _ => {
            "<li>That nobody is found: who is looked for by columns that were not made is found as before.</li>\n<li>Records \
             stand in the order of the input, and none was left out.</li>\n"
        }
    });
    out.push_str("<li>This is not differential privacy.</li>\n");
    if manifest.randomness == "fixed-seed" {
        out.push_str(
            "<li>Here chance came from a fixed seed, which is not published and must stay secret.</li>\n",
        );
    }
    out.push_str("</ul>\n");
}

fn check(manifest: &PerturbedManifest, facts: &PerturbedFacts, out: &mut String) {
    out.push_str(
        "<h3>Verify</h3>\n<p>This re-checks every fingerprint, that all tables are there with the records and columns that are \
         said, and that the rule of combination is the one of the model. Put the name of the release’s folder for \
         <code>FOLDER</code>.</p>\n<pre><code>privet verify FOLDER</code></pre>\n",
    );
    reproduce(manifest, facts, out);
}
