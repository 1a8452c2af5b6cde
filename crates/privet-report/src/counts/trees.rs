//! The recoding of identifying columns that are counted, each as a small tree, on every level on which a table shows it.
//!
//! The manifest tells how many labels every level has; without that nothing is drawn.

use privet_release::counts::CountsManifest;
use privet_release::manifest::Recoding;

use crate::draw::tree;
use crate::facts::CountsFacts;
use crate::sections::recoding::legend;
use crate::text::{count, name, names, plain_name};

/// A column on one level, and the tables that show it.
struct Shown<'a> {
    name: &'a str,
    level: usize,
    height: usize,
    /// The most labels that a table has of it.
    labels: u64,
    files: Vec<&'a str>,
}

pub(super) fn write(manifest: &CountsManifest, _facts: &CountsFacts, out: &mut String) {
    let all = shown(manifest);
    let labels_of = |own: &Shown<'_>| {
        let mut columns = manifest.tables.iter().flat_map(|table| &table.columns);
        columns.find(|column| column.name == own.name).and_then(|column| column.labels_per_level.as_ref())
    };
    if all.is_empty() {
        out.push_str("<p>No column was treated as identifying.</p>\n");
        return;
    }
    if all.iter().all(|own| labels_of(own).is_none()) {
        out.push_str(
            "<p>On which level a table shows a column stands with the table; how many labels other levels have is not \
             recorded here.</p>\n",
        );
        return;
    }
    legend(false, out);
    out.push_str("<div class=\"cards\">\n");
    for (i, own) in all.iter().enumerate() {
        let Some(labels) = labels_of(own) else { continue };
        put!(
            out,
            "<article class=\"card\" aria-labelledby=\"tree-of-{i}\">\n<h3 id=\"tree-of-{i}\">{}</h3>\n<p>{} in {}.</p>\n",
            name(own.name),
            match own.level {
                0 => "Published as it was".to_owned(),
                level => format!("Level <b>{}</b> of {}", count(level as u64), count(own.height as u64)),
            },
            names(own.files.iter().copied(), 12)
        );
        let recoding = Recoding {
            level: Some(own.level),
            nodes: None,
            height: own.height,
            leaves: labels.first().copied().unwrap_or(0),
            labels_per_level: labels.clone(),
            reading: None,
            loss: 0.0,
            weight: 1.0,
        };
        let title = format!("Hierarchy of {}", plain_name(own.name));
        out.push_str(&tree::draw(&format!("tree-{i}"), &title, &recoding, Some(own.labels), &[]));
        out.push_str("\n</article>\n");
    }
    out.push_str("</div>\n");
}

/// Every column that has a level, on each of its levels once, in the order of the tables.
fn shown(manifest: &CountsManifest) -> Vec<Shown<'_>> {
    let mut all: Vec<Shown<'_>> = Vec::new();
    for table in &manifest.tables {
        for column in &table.columns {
            let (Some(level), Some(height)) = (column.level, column.height) else { continue };
            match all.iter_mut().find(|own| own.name == column.name && own.level == level) {
                Some(own) => {
                    own.labels = own.labels.max(column.labels);
                    own.files.push(&table.file);
                }
                None => all.push(Shown {
                    name: &column.name,
                    level,
                    height,
                    labels: column.labels,
                    files: vec![&table.file],
                }),
            }
        }
    }
    all
}
