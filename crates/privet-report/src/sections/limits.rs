//! What the promises leave open, so that nobody reads more into them than they say.

use privet_release::Manifest;

use crate::Facts;
use crate::asked::{Asked, Protects};
use crate::form::FormWords;
use crate::text::{counted, name, names};

use super::quasi;

pub(crate) fn write(manifest: &Manifest, _facts: &Facts, out: &mut String) {
    out.push_str("<ul>\n");
    for own in sentences(manifest) {
        put!(out, "<li>{own}</li>\n");
    }
    out.push_str("</ul>\n");
}

/// What is not promised, an item each; markup.
pub(crate) fn sentences(manifest: &Manifest) -> Vec<String> {
    let mut all = Vec::new();
    let quasi = quasi(manifest);
    all.push(format!(
        "Which columns identify a person is a judgement of the publisher. Here {}. Whoever knows a person’s value in \
         another published column can tell records apart by it.",
        match quasi.len() {
            0 => "no column was treated as identifying".to_owned(),
            1 => format!("it was {}", names(quasi.iter().map(|(c, _)| c.name.as_str()), 12)),
            _ => format!("they were {}", names(quasi.iter().map(|(c, _)| c.name.as_str()), 12)),
        }
    ));
    let protected: Vec<Protects> = manifest.promises.iter().filter_map(|p| Asked::of(p).protects).collect();
    let covers = |name: &str| {
        protected.iter().any(|p| match p {
            Protects::Every => true,
            Protects::Column(column) => column == name,
        })
    };
    let bare: Vec<&str> = manifest
        .data
        .columns
        .iter()
        .filter(|c| c.role == "sensitive" && !covers(&c.name))
        .map(|c| c.name.as_str())
        .collect();
    let form = FormWords::of(manifest.kind);
    if !bare.is_empty() {
        all.push(format!(
            "No promise limits what can be inferred about {}. Where {} happen to share one \
             value there, that value is revealed for all of them.",
            names(bare.iter().copied(), 12),
            form.sharers
        ));
    }
    all.extend(form.limit.map(str::to_owned));
    if let Some(distorted) = &manifest.data.distorted {
        all.push(format!(
            "{} of {} {} not the true {}: promises hold of what is published, and statistics over this column are off by what \
             was replaced.",
            counted(distorted.records, "value", "values"),
            name(&distorted.column),
            if distorted.records == 1 { "is" } else { "are" },
            if distorted.records == 1 { "one" } else { "ones" }
        ));
    }
    let open: Vec<&str> =
        manifest.data.columns.iter().filter(|c| c.role == "insensitive").map(|c| c.name.as_str()).collect();
    if !open.is_empty() {
        all.push(format!(
            "Published unchanged and not protected by any promise: {}.",
            names(open.iter().copied(), 12)
        ));
    }
    all.push(
        "The promises are about this release by itself. Another release about the same people, from here or from \
         elsewhere, can be combined with it."
            .to_owned(),
    );
    all
}
