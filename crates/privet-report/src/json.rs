//! The facts of the public page as JSON, for programs: `report.json` beside `report.html`.
//!
//! It says what the page says and no more, so it may be published with it: what is promised and reached, attacks, the
//! figures of the manifest, labels with their records under the same rule as on the page. What is no number is `null`. The
//! manifest stands in it without its list of files and its seal, which are made after it; of files it tells those that were
//! finished before it, as the page does.

use privet_release::manifest::{File, Promise};
use privet_release::{CountsManifest, Manifest, PerturbedManifest};
use serde_json::{Value, json};

use crate::asked::{Asked, Judgement};
use crate::sections::attacks::{among, beside, not_tried, warning, worst};
use crate::{CountsFacts, Facts, PerturbedFacts, counts};

/// The layout of the file.
const FORMAT: u32 = 1;

/// The facts of the page of a release of records.
pub(crate) fn public(manifest: &Manifest, facts: &Facts) -> Value {
    let worst = worst(&facts.attacks);
    json!({
        "format": FORMAT,
        "title": facts.title,
        "verdict": {
            "promises": crate::sections::verdict::summary(manifest).heading,
            "attack": worst.map(|worst| worst.attack),
            "column": worst.and_then(|worst| worst.column.as_deref()),
            "risk": worst.map(|worst| worst.risk),
            "warning": warning(&facts.attacks).map(|own| plain(&own)),
            "insensitive_columns": beside(manifest, &facts.attacks).map(|own| plain(&own)),
            "sensitive_columns": among(&facts.attacks).map(|own| plain(&own)),
        },
        "promises": promises(manifest),
        "not_promised": crate::sections::limits::sentences(manifest).iter().map(|own| plain(own)).collect::<Vec<_>>(),
        "attacks": tree(&facts.attacks),
        "not_tried": not_tried(manifest, &facts.attacks).map(|attack| attack.word).collect::<Vec<_>>(),
        "labels": labels(manifest, facts),
        "boxes": tree(&facts.boxes),
        "reproduce": facts.reproduce,
        "files": files(&manifest.files),
        "manifest": with_bins(without_files(tree(manifest)), manifest),
    })
}

/// Markup of this crate as plain text.
pub(crate) fn plain(markup: &str) -> String {
    let mut text = String::with_capacity(markup.len());
    let mut is_tag = false;
    for letter in markup.chars() {
        match letter {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            _ if is_tag => {}
            '\u{a0}' => text.push(' '),
            other => text.push(other),
        }
    }
    // The last one last, so that nothing is read twice.
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

/// With the sizes of classes as the page tells them: no bin reaches beyond the smallest and the largest class.
fn with_bins(mut told: Value, manifest: &Manifest) -> Value {
    let bins = crate::sections::classes::join(&manifest.classes).0;
    if let Some(sizes) = told.pointer_mut("/classes/sizes") {
        *sizes = tree(&bins);
    }
    told
}

/// The facts of the page of a release of counts.
pub(crate) fn of_counts(manifest: &CountsManifest, facts: &CountsFacts) -> Value {
    let table = |table: &privet_release::counts::CountsTable| {
        let smallest = table.classes.as_ref().map_or(0, |classes| classes.smallest);
        let of = |promise: &Promise| judged(promise, smallest, manifest.data.records == 0);
        json!({ "file": table.file, "promises": table.promises.iter().map(of).collect::<Vec<_>>() })
    };
    json!({
        "format": FORMAT,
        "verdict": { "promises": counts::heading(manifest) },
        "tables": manifest.tables.iter().map(table).collect::<Vec<_>>(),
        "attacks": tree(&facts.assessment.attacks),
        "not_made": tree(&facts.assessment.not_made),
        "grids": tree(&facts.grids),
        "reproduce": facts.reproduce,
        "files": files(&manifest.files),
        "manifest": without_files(tree(manifest)),
    })
}

/// The facts of the page of a perturbed release.
pub(crate) fn of_perturbed(manifest: &PerturbedManifest, facts: &PerturbedFacts) -> Value {
    json!({
        "format": FORMAT,
        "columns": tree(&facts.pictures),
        "attacks": tree(&facts.assessment.attacks),
        "not_made": tree(&facts.assessment.not_made),
        "reproduce": facts.reproduce,
        "files": files(&manifest.files),
        "manifest": without_files(tree(manifest)),
    })
}

/// The files that were there when the report was made, as the page lists them.
fn files(files: &[File]) -> Vec<Value> {
    let of = |file: &File| json!({ "name": file.name, "bytes": file.bytes, "sha256": file.sha256 });
    files.iter().map(of).collect()
}

fn without_files(mut manifest: Value) -> Value {
    if let Some(object) = manifest.as_object_mut() {
        object.remove("files");
        // What is shown stands in the report itself.
        object.remove("shown");
        object.remove("signer");
        object.remove("seal");
    }
    manifest
}

/// What can be written. Everything here can, so nothing is lost.
pub(crate) fn tree(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// What was promised, what was reached, and whether that holds.
pub(crate) fn promises(manifest: &Manifest) -> Vec<Value> {
    let of = |promise| judged(promise, manifest.classes.min, manifest.data.rows == 0);
    manifest.promises.iter().map(of).collect()
}

fn judged(promise: &Promise, smallest: u64, is_empty: bool) -> Value {
    let asked = Asked::of(promise);
    let holds = match asked.judge(promise.reached, smallest) {
        _ if is_empty => None,
        Judgement::Holds => Some(true),
        Judgement::Fails => Some(false),
        Judgement::Open => None,
    };
    json!({
        "model": asked.model,
        "statement": promise.statement,
        "required": asked.required,
        "reached": promise.reached,
        "holds": holds,
    })
}

/// Published labels and their records, named under the same rule as on the pages.
pub(crate) fn labels(manifest: &Manifest, facts: &Facts) -> Vec<Value> {
    let is_named = |name: &str| {
        let column = manifest.data.columns.iter().find(|column| column.name == name);
        column.and_then(|column| column.recoding.as_ref()).is_some_and(|recoding| recoding.level != Some(0))
    };
    let of_column = |column: &crate::ColumnFacts| {
        let is_named = is_named(&column.name);
        let all = column.labels.iter().map(|label| match is_named {
            true => json!({ "label": label.label, "records": label.rows }),
            false => json!({ "records": label.rows }),
        });
        let mut told = json!({ "column": column.name, "labels": all.collect::<Vec<_>>() });
        if column.left_out.labels > 0 {
            told["left_out"] = json!(column.left_out);
        }
        if !column.levels.is_empty() {
            told["levels"] = json!(column.levels);
        }
        told
    };
    facts.columns.iter().map(of_column).collect()
}
