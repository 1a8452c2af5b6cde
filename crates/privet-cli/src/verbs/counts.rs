//! What `privet anonymize` says of a release of counts.

use privet_job::CountsSummary;

use super::assessment::in_short;
use super::grouped;

/// What was done, for a person.
pub fn describe(summary: &CountsSummary) -> String {
    let tables = match summary.tables.len() {
        1 => "one table".to_owned(),
        several => format!("{several} tables"),
    };
    let mut text = format!("Counted {} records in {tables}.\n", grouped(summary.rows));
    for table in &summary.tables {
        let cells = grouped(table.cells);
        let changed = match table.changed.as_deref() {
            Some("adjust") => "small counts moved, others with them",
            Some(_) => "drawn from the tables with the same totals",
            None => "",
        };
        let more = match (table.min_class_size, table.hidden) {
            (Some(smallest), _) => format!("classes of at least {}", grouped(smallest)),
            (None, Some(hidden)) => format!("{} hidden", grouped(hidden)),
            (None, None) => changed.to_owned(),
        };
        text.push_str(&format!("{}: {} ({cells} cells, {more}).\n", table.file, table.columns.join(", ")));
    }
    if let Some(together) = &summary.together {
        let proven = match together.smallest_proven {
            Some(records) => format!("the smallest group that must exist has at most {}", grouped(records)),
            None => "no group must exist".to_owned(),
        };
        text.push_str(&format!(
            "Together: {} joint cells; {proven}; no sensitive value follows.\n",
            grouped(together.joint_cells)
        ));
    }
    let levels: Vec<String> = summary.levels.iter().map(|(name, level)| format!("{name} {level}")).collect();
    if !levels.is_empty() {
        text.push_str(&format!("Levels: {}.\n", levels.join(", ")));
    }
    text.push_str(&in_short(&summary.attacks, &[]));
    let release = summary.release.display();
    text.push_str(&format!(
        "{:.2} s: read {:.2}, search {:.2}, write {:.2}.\n\n\
         Release  {release}\n\
         Report   {}\n\
         Check it with: privet verify {release}",
        summary.seconds.total,
        summary.seconds.read,
        summary.seconds.search,
        summary.seconds.write,
        summary.release.join("report.html").display(),
    ));
    text
}
