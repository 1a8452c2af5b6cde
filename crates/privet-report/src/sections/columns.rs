//! Which columns are published, in which role, and which were removed.

use privet_release::Manifest;
use privet_release::manifest::Recoding;

use crate::Facts;
use crate::text::{count, counted, escape, name};

use super::{close_table, header, open_table};

pub(crate) fn write(manifest: &Manifest, facts: &Facts, out: &mut String) {
    let data = &manifest.data;
    if data.columns.is_empty() {
        out.push_str("<p>No column is published.</p>\n");
    } else {
        open_table(out, "columns-table", "columns", "Published columns, in their order");
        header(out, &["Column", "Role", "Published"]);
        for column in &data.columns {
            let nothing = (data.rows == 0).then(|| "nothing: no record is published".to_owned());
            let role = match column.role.as_str() {
                "quasi" => "identifying".to_owned(),
                "bucket" => "number of the bucket".to_owned(),
                other => escape(other),
            };
            let form = match &column.recoding {
                Some(Recoding { level: Some(level @ 1..), height, .. }) => {
                    format!("coarsened to level {} of {}", count(*level as u64), count(*height as u64))
                }
                Some(Recoding { nodes: Some(nodes), .. }) => match nodes.kind.as_str() {
                    "means" | "medians" | "modes" => {
                        format!("one value for each group: {}", counted(nodes.labels, "value", "values"))
                    }
                    "cells" => {
                        let known = facts.columns.iter().find(|own| own.name == column.name);
                        match known.map_or(&[][..], |own| &own.levels) {
                            [1..=u64::MAX, 0] => "unchanged",
                            [0, 1..=u64::MAX] => "every cell replaced by <code>*</code>",
                            [_, 1..=u64::MAX] => "some cells replaced by <code>*</code>",
                            _ => "cells replaced by <code>*</code> where needed",
                        }
                        .to_owned()
                    }
                    _ => format!("coarsened to {}", counted(nodes.labels, "label", "labels")),
                },
                _ => match data.distorted.as_ref().filter(|own| own.column == column.name) {
                    Some(own) => format!("{} replaced by another", counted(own.records, "value", "values")),
                    None => "unchanged".to_owned(),
                },
            };
            put!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{role}</td><td>{}</td></tr>\n",
                name(&column.name),
                nothing.unwrap_or(form)
            );
        }
        close_table(out);
    }
    for table in &data.sensitive_tables {
        put!(
            out,
            "<p>{} is published apart, counted by bucket: {} ({} lines).</p>\n",
            name(&table.column),
            name(&table.file),
            count(table.rows)
        );
    }
    out.push_str("<h3>Removed</h3>\n");
    if data.removed_columns.is_empty() {
        out.push_str("<p>No column of the input was removed.</p>\n");
        return;
    }
    put!(
        out,
        "<p>{} of the input {} not published:</p>\n<ul class=\"names\">",
        counted(data.removed_columns.len() as u64, "column", "columns"),
        if data.removed_columns.len() == 1 { "is" } else { "are" }
    );
    for removed in &data.removed_columns {
        put!(out, "<li>{}</li>", name(removed));
    }
    out.push_str("</ul>\n");
}
