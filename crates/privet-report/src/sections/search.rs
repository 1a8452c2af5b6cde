//! How the published candidate was chosen, and what is known of the choice.

use privet_release::Manifest;

use crate::text::{count, escape, names, number, percent};
use crate::{Facts, glossary};

use super::{quasi, term};

/// Minimal nodes shown one by one.
const MOST_NODES: usize = 20;

pub(crate) fn write(manifest: &Manifest, _facts: &Facts, out: &mut String) {
    let search = &manifest.search;
    out.push_str("<dl class=\"terms\">\n");
    term(out, "Algorithm", &format!("<code>{}</code>", escape(&search.algorithm)));
    term(out, "What it guarantees", &escape(&search.guarantee));
    let title = glossary::metric(&search.minimize).map(|e| e.title);
    let word = format!("<code>{}</code>", escape(&search.minimize));
    term(out, "What it minimizes", &title.map_or(word.clone(), |title| format!("{title} ({word})")));
    term(out, "Candidates in the lattice", &count(search.lattice_nodes));
    term(
        out,
        "Candidates examined",
        &format!("{} ({})", count(search.nodes_checked), percent(search.nodes_checked, search.lattice_nodes)),
    );
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
        term(out, "Least coarse safe candidates", &shown);
    }
    out.push_str("</dl>\n");
}
