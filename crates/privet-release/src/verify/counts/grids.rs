//! The drawings of tables with totals, against these tables: every count that is drawn is the published one.

use std::collections::HashMap;

use crate::counts::{COUNT, CountsManifest, Form, TOTAL};
use crate::shown::Grid;
use crate::verify::outcome::Check;
use crate::verify::table::Table;

/// A drawing of more labels than this could not be read, so there is none.
const MOST_DRAWN: usize = 40;

/// Whether each table of two columns that is small enough is drawn, and as it is.
pub(super) fn check(manifest: &CountsManifest, tables: &[Table]) -> Check {
    let mut problems = Vec::new();
    let drawn: Vec<usize> = manifest.shown.grids.iter().map(|grid| grid.table).collect();
    let expected: Vec<usize> = (0..tables.len())
        .filter(|&at| {
            let own = &manifest.tables[at];
            let labels = |column: usize| tables[at].columns[column].texts.len();
            own.form == Form::Totals && own.columns.len() == 2 && labels(0).max(labels(1)) <= MOST_DRAWN + 1
        })
        .collect();
    if drawn != expected {
        problems.push("other tables are drawn than those of two columns with totals".to_owned());
    } else {
        for grid in &manifest.shown.grids {
            if !is_drawn_as_it_is(grid, &tables[grid.table]) {
                problems.push(format!("the drawing of table {} shows another table", grid.table + 1));
            }
        }
    }
    Check::of("drawings", "drawings show the published counts", &problems)
}

fn is_drawn_as_it_is(grid: &Grid, table: &Table) -> bool {
    let [rows, columns, counts] = &table.columns[..] else { return false };
    if table.names.last().is_none_or(|name| name != COUNT) || grid.counts.len() != table.rows {
        return false;
    }
    let mut published: HashMap<(&str, &str), Option<u64>> = HashMap::new();
    for line in 0..table.rows {
        let key = (
            rows.texts[rows.codes[line] as usize].as_str(),
            columns.texts[columns.codes[line] as usize].as_str(),
        );
        published.insert(key, counts.texts[counts.codes[line] as usize].parse().ok());
    }
    let is_last = |labels: &[String]| labels.last().is_some_and(|label| label == TOTAL);
    let cells = grid.rows.iter().flat_map(|row| grid.columns.iter().map(move |column| (row, column)));
    is_last(&grid.rows)
        && is_last(&grid.columns)
        && grid.rows.len() * grid.columns.len() == grid.counts.len()
        && published.len() == table.rows
        && cells
            .zip(&grid.counts)
            .all(|((row, column), count)| published.get(&(row.as_str(), column.as_str())) == Some(count))
}
