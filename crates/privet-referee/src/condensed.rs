//! The referee of condensed records (papers T-AL7): every group stands for at least k records, and the published records are as many as
//! were drawn from the groups, of numbers and nothing else.

use privet_data::io::ReadOptions;
use privet_data::{Column, Progress, Table};
use privet_release::{Check, OpenError, Promised, Referee, ReleaseFolder, Trusted};
use serde::Deserialize;

/// The files of a release.
const RECORDS: &str = "records.csv";
const GROUPS: &str = "groups.csv";

/// The referee.
pub struct Condensed;

/// It, for the list of all.
pub const REFEREE: &dyn Referee = &Condensed;

/// The body of the manifest, written again.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Body {
    columns: Vec<String>,
    class: Option<String>,
    grouping: String,
    withheld: u64,
}

impl Referee for Condensed {
    fn kind(&self) -> &'static str {
        "condensed"
    }

    fn files(&self, _: &ReleaseFolder) -> Result<Vec<String>, OpenError> {
        Ok(vec![RECORDS.to_owned(), GROUPS.to_owned()])
    }

    fn verify(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Check>, OpenError> {
        let body: Body = folder
            .envelope()
            .body()
            .map_err(|_| folder.malformed("manifest.json", "its body is not that of condensed records"))?;
        let named = ReadOptions { header: Some(true), delimiter: Some(b','), ..ReadOptions::default() };
        let records = folder.table(RECORDS, &named, progress)?;
        let groups = folder.table(GROUPS, &named, progress)?;
        let (Some(sizes), Some(drawn)) = (wholes(&groups, "records"), wholes(&groups, "drawn")) else {
            return Err(
                folder.malformed(GROUPS, "it needs the columns `records` and `drawn`, of whole numbers")
            );
        };
        let mut checks = vec![columns(&body, &records), told(&body)];
        let total: u64 = drawn.iter().sum();
        checks.push(match total == records.rows as u64 {
            true => Check::passed("records", format!("all {total} records were drawn from the groups")),
            false => Check::failed(
                "records",
                format!("{total} records were drawn from the groups, and {} are published", records.rows),
            ),
        });
        for promised in &folder.envelope().promises {
            let k = promised.whole("k").filter(|&k| k >= 2).unwrap_or(u64::MAX);
            checks.push(match sizes.iter().position(|&size| size < k) {
                None if !sizes.is_empty() => {
                    Check::passed("groups", format!("every group stands for at least {k} records"))
                }
                None => Check::failed("groups", "there is no group".to_owned()),
                Some(row) => {
                    Check::failed("groups", format!("group {} stands for fewer than {k} records", row + 1))
                }
            });
            let smallest = sizes.iter().min().map_or(f64::NAN, |&size| size as f64);
            if promised.reached != Some(smallest) {
                checks.push(Check::failed("smallest group", "is not the smallest of the groups".to_owned()));
            }
        }
        if folder.envelope().promises.is_empty() {
            checks.push(Check::failed("promises", "the manifest promises nothing"));
        }
        Ok(checks)
    }

    fn on_trust(&self) -> &'static [Trusted] {
        &[Trusted {
            what: "condensation",
            why: "that the records were drawn from the means and covariances of these groups, and that the groups are of the original: the \
                  published records do not show it",
        }]
    }

    fn statement(&self, promised: &Promised) -> Option<String> {
        let k = promised.whole("k")?;
        (promised.id == "condensed").then(|| {
            format!(
                "Every published record is synthetic: it was drawn from the means and covariances of a group of at least {k} records."
            )
        })
    }
}

/// Whether what the manifest tells of the groups can be.
fn told(body: &Body) -> Check {
    let is_word = ["nearest", "mdav", "v-mdav", "mondrian", "given"].contains(&body.grouping.as_str());
    match (is_word, body.withheld > 0 && body.class.is_none()) {
        (true, false) => Check::passed("grouping", format!("`{}`", body.grouping)),
        (false, _) => Check::failed("grouping", "is no way to form groups".to_owned()),
        (_, true) => {
            Check::failed("withheld", "records are only withheld by classes, and there is none".to_owned())
        }
    }
}

/// Whether the published columns are those that the manifest names, and hold numbers where it says so.
fn columns(body: &Body, records: &Table) -> Check {
    let is_class = |own: &&Column| body.class.as_ref() == Some(&own.name);
    let classes = records.columns.iter().filter(is_class).count();
    let numbers: Vec<&Column> = records.columns.iter().filter(|own| !is_class(own)).collect();
    let is_right = numbers.iter().map(|own| &own.name).eq(&body.columns);
    if !is_right || classes != usize::from(body.class.is_some()) {
        return Check::failed("columns", "are not those that the manifest names".to_owned());
    }
    let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
    let wrong = numbers.iter().find(|own| !own.codes.iter().all(|&code| is_number(own.domain.text(code))));
    match wrong {
        None => Check::passed("columns", format!("{} columns of numbers", body.columns.len())),
        Some(own) => Check::failed("columns", format!("`{}` holds what is no number", own.name)),
    }
}

fn wholes(table: &Table, name: &str) -> Option<Vec<u64>> {
    let column = table.column(name)?;
    column.codes.iter().map(|&code| column.domain.text(code).parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use privet_data::Silent;
    use privet_release::{Draft, Envelope};

    use super::*;

    const RIGHT: &str = "a,b\n1.5,2\n-3,4\n0,1\n";

    /// Whether a release of these files is well.
    fn holds(records: &str, groups: &str, k: u64, smallest: f64) -> bool {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("release");
        let draft = Draft::begin(&folder, false).unwrap();
        for (name, text) in [(RECORDS, records), (GROUPS, groups)] {
            let mut file = draft.create(name).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.finish().unwrap();
        }
        let body =
            serde_json::json!({ "columns": ["a", "b"], "class": null, "grouping": "mdav", "withheld": 0 });
        let mut envelope = Envelope::new("condensed", body);
        envelope.promises = vec![Promised::new("condensed").with("k", k).reaching(smallest)];
        draft.commit(envelope).unwrap();
        let folder = ReleaseFolder::open(&folder, &Silent).unwrap();
        Condensed.verify(&folder, &Silent).is_ok_and(|checks| checks.iter().all(|check| check.ok))
    }

    #[test]
    fn what_is_stated_is_computed_again() {
        assert!(holds(RIGHT, "records,drawn\n4,2\n3,1\n", 3, 3.0));
        assert!(!holds(RIGHT, "records,drawn\n4,2\n3,1\n", 4, 3.0), "a group of fewer than k");
        assert!(!holds(RIGHT, "records,drawn\n4,2\n3,2\n", 3, 3.0), "more drawn than published");
        assert!(!holds(RIGHT, "records,drawn\n4,2\n3,1\n", 3, 4.0), "not the smallest");
        assert!(!holds(RIGHT, "records,drawn\n4,x\n3,1\n", 3, 3.0), "no number");
        assert!(!holds("a,c\n1,2\n3,4\n5,6\n", "records,drawn\n4,2\n3,1\n", 3, 3.0), "another column");
        assert!(
            !holds("a,b\n1,x\n3,4\n5,6\n", "records,drawn\n4,2\n3,1\n", 3, 3.0),
            "a value that is no number"
        );
    }
}
