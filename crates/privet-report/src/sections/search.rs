//! How the published candidate was chosen, and what is known of the choice.

use privet_release::Manifest;
use privet_release::manifest::{Anatomy, Microaggregation, PSafe, Purpose};

use crate::form::FormWords;
use crate::text::{count, escape, name, names, number, percent};
use crate::{Facts, glossary};

use super::{quasi, term};

/// Minimal nodes shown one by one.
const MOST_NODES: usize = 20;

/// Whether a search is led by the metric that the manifest names.
pub(super) fn led(algorithm: &str) -> bool {
    ![
        "datafly",
        "decomposition",
        "recoding",
        "top-down-specialization",
        "bottom-up-generalization",
        "mondrian",
        "top-down-local",
        "local-recoding",
        "clustering",
        "microaggregation",
        "anatomy",
    ]
    .contains(&algorithm)
}

/// How far the published candidate can be from the best one.
fn known(value: f64, bound: f64) -> String {
    let gap = value - bound;
    if gap <= 1e-9 * value.abs().max(1.0) {
        return "No candidate of the space that was searched is better.".to_owned();
    }
    format!("No safe candidate is below {}; this one is at {}.", number(bound), number(value))
}

fn purposes(out: &mut String, purpose: &Purpose, columns: &str) {
    let who = match &purpose.requester {
        Some(requester) => format!("{}, trusted {}", escape(requester), number(purpose.trust)),
        None => format!("a requester trusted {}", number(purpose.trust)),
    };
    term(
        out,
        "Other releases",
        "This release was made for one requester. Whoever gets hold of the release of another can join the two, record \
         by record where other columns are published unchanged, and then knows more than either promises.",
    );
    term(out, "Purpose", &escape(&purpose.purpose));
    term(out, "For", &who);
    term(out, "Degree of anonymization asked for", &number(purpose.degree));
    let priorities: Vec<String> = purpose.priorities.iter().map(|&p| number(p)).collect();
    let levels: Vec<String> = purpose.levels.iter().map(ToString::to_string).collect();
    let shown = format!("{columns}: priorities {}, levels ⟨{}⟩", priorities.join("; "), levels.join(", "));
    term(out, "What that means for the columns", &shown);
}

/// What microaggregation formed its groups by.
fn aggregated(out: &mut String, told: &Microaggregation) {
    let columns = names(told.key_columns.iter().map(String::as_str), 24);
    let chosen = match told.dependency_tree.is_empty() {
        true => String::new(),
        false => ": the key attributes, on which the other columns depend".to_owned(),
    };
    term(out, "Groups are formed by", &format!("<code>{}</code> on {columns}{chosen}", escape(&told.method)));
    term(
        out,
        "Distances within groups",
        &format!(
            "{} of {} (SSE of SST, the squared distances by which groups were formed, of all columns, scaled and weighted): {}",
            number(told.sse),
            number(told.sst),
            number(told.ratio())
        ),
    );
    if !told.dependency_tree.is_empty() {
        let mut shown =
            "Columns that tell most about each other, with how many bits one leaves open of the other, both \
                         ways together<ul class=\"nodes\">"
                .to_owned();
        for link in &told.dependency_tree {
            let [a, b] = &link.columns;
            let apart = number(link.variation_of_information);
            put!(shown, "<li>{} and {}: {apart}</li>", name(a), name(b));
        }
        shown.push_str("</ul>");
        term(out, "Dependency tree", &shown);
    }
}

/// How buckets came about.
fn divided(out: &mut String, told: &Anatomy, manifest: &Manifest) {
    let column = manifest.data.sensitive_tables.first().map_or(String::new(), |table| name(&table.column));
    match told.l {
        Some(l) if l > 1 => term(
            out,
            "Different values in a bucket (l)",
            &format!("{l}: no value of {column} is in more than 1/{l} of a bucket"),
        ),
        Some(_) => term(
            out,
            "Different values in a bucket (l)",
            "The promises ask for none: they compare each bucket with the whole table.",
        ),
        None => {}
    }
    if let (Some(from), Some(given)) = (&told.buckets_from, told.given_buckets) {
        let left = manifest.classes.count;
        let merged = match given > left {
            true => format!("; some of them failed and were merged with others, {} are left", count(left)),
            false => String::new(),
        };
        term(
            out,
            "Who shares a bucket",
            &format!(
                "was said by {}, a column of the input that is not published: it gave {} buckets{merged}. Whoever knows that \
                 column of a person knows the bucket, and the other way round.",
                name(from),
                count(given)
            ),
        );
    }
}

/// What holds also against those who know the search.
fn p_safe(out: &mut String, told: &PSafe) {
    let many = if told.originals >= 1 << 53 { " or more" } else { "" };
    term(
        out,
        "Against those who know the search",
        &format!(
            "What a search did not publish can tell something as well. This one was p-safe: {}{many} originals, told by who has which value \
             of {}, lead to just this release, and the promises hold also of what is left to believe of each person when all of them are \
             equally likely. Better candidates were passed over where they would have told more. Not covered: whoever knows in which order \
             the records stood in the input, since they are published in that order.",
            count(told.originals),
            name(&told.column)
        ),
    );
}

pub(crate) fn write(manifest: &Manifest, _facts: &Facts, out: &mut String) {
    let search = &manifest.search;
    out.push_str("<dl class=\"terms\">\n");
    term(out, "Algorithm", &format!("<code>{}</code>", escape(&search.algorithm)));
    term(out, "What it guarantees", &escape(&search.guarantee));
    let title = glossary::metric(&search.minimize, FormWords::of(manifest.kind)).map(|e| e.title);
    let word = format!("<code>{}</code>", escape(&search.minimize));
    // Some searches are not led by the metric that the job names; it only says how good the result is.
    let led = led(&search.algorithm);
    term(
        out,
        if led { "What it minimizes" } else { "What the result is measured by" },
        &title.map_or(word.clone(), |title| format!("{title} ({word})")),
    );
    let mut examined = count(search.nodes_checked);
    if let Some(nodes) = search.lattice_nodes {
        term(out, "Candidates in the lattice", &count(nodes));
        match search.nodes_checked <= nodes {
            true => put!(examined, " ({})", percent(search.nodes_checked, nodes)),
            // Nobody looks at more candidates than there are.
            false => examined.push_str(", with those of fewer columns and those that were looked at twice"),
        }
    }
    if search.nodes_checked > 0 {
        term(out, "Candidates examined", &examined);
    }
    if let (Some(bound), Some(&value)) = (search.bound, manifest.metrics.get(&search.minimize)) {
        term(out, "What is known of the best", &known(value, bound));
    }
    if let Some(purpose) = &search.purpose {
        purposes(out, purpose, &names(quasi(manifest).iter().map(|(c, _)| c.name.as_str()), 12));
    }
    if let Some(told) = &search.microaggregation {
        aggregated(out, told);
    }
    if let Some(told) = &search.anatomy {
        divided(out, told, manifest);
    }
    if let Some(told) = &search.p_safe {
        p_safe(out, told);
    }
    let limit = search.suppress_at_most;
    let limit = if limit.is_finite() { format!("{}\u{a0}%", number(limit * 100.0)) } else { number(limit) };
    term(out, "Most records that may be suppressed", &format!("{limit} of the input"));
    term(out, "Randomness", &escape(&manifest.randomness));
    if let Some(nodes) = &search.minimal_nodes {
        let mut shown = format!("{} in all", count(nodes.len() as u64));
        if !nodes.is_empty() {
            put!(shown, ", as levels of {}", names(quasi(manifest).iter().map(|(c, _)| c.name.as_str()), 12));
            shown.push_str("<ul class=\"nodes\">");
            for node in nodes.iter().take(MOST_NODES) {
                let levels: Vec<String> = node.iter().map(ToString::to_string).collect();
                put!(shown, "<li>⟨{}⟩</li>", levels.join(", "));
            }
            if nodes.len() > MOST_NODES {
                put!(
                    shown,
                    "<li>and {} more in <code>manifest.json</code></li>",
                    count((nodes.len() - MOST_NODES) as u64)
                );
            }
            shown.push_str("</ul>");
        }
        let title = match search.algorithm.as_str() {
            "samarati" => "Safe candidates of the least height",
            "attribute-suppression" => "Smallest safe sets of columns to hide, as levels",
            _ => "Least coarse safe candidates",
        };
        term(out, title, &shown);
    }
    out.push_str("</dl>\n");
}
