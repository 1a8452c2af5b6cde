//! The referee of the kind `series`: every group has at least m different values, each once, and counterfeits are no more than stated.

use std::collections::{HashMap, HashSet};

use privet_data::io::ReadOptions;
use privet_data::{Column, Equality, Progress, Table};
use privet_release::{Check, OpenError, Promised, Referee, ReleaseFolder, Trusted};
use serde::Deserialize;

/// The referee.
pub struct Series;

/// It, for the list of all.
pub const REFEREE: &dyn Referee = &Series;

const DATA: &str = "data.csv";
const COUNTERFEITS: &str = "counterfeits.csv";
const GROUP: &str = "group";

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Body {
    columns: Vec<String>,
    sensitive: String,
    release: u64,
    rows: u64,
    groups: u64,
    counterfeits: u64,
    #[serde(rename = "waiting")]
    _waiting: u64,
}

impl Referee for Series {
    fn kind(&self) -> &'static str {
        "series"
    }

    fn files(&self, _: &ReleaseFolder) -> Result<Vec<String>, OpenError> {
        Ok(vec![DATA.to_owned(), COUNTERFEITS.to_owned()])
    }

    fn verify(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Check>, OpenError> {
        let body: Body = folder
            .envelope()
            .body()
            .map_err(|source| OpenError::Manifest { folder: folder.path().to_owned(), source })?;
        let options = || ReadOptions { equality: Equality::EXACT, ..ReadOptions::default() }.exactly();
        let data = folder.table(DATA, &options(), progress)?;
        let counts = folder.table(COUNTERFEITS, &options(), progress)?;
        let names: Vec<&str> = data.columns.iter().map(|own| own.name.as_str()).collect();
        let listed = [GROUP]
            .into_iter()
            .chain(body.columns.iter().map(String::as_str))
            .chain([body.sensitive.as_str()]);
        if names != listed.collect::<Vec<_>>() || body.release == 0 {
            return Ok(vec![Check::failed("form", "the columns are not those that the manifest lists")]);
        }
        let groups = groups(&data);
        let mut checks = vec![form(&body, &data, &groups)];
        for promised in &folder.envelope().promises {
            checks.push(match promised.id.as_str() {
                "m-invariance" => unique(promised, &data, &groups),
                "counterfeits" => counterfeits(promised, &body, &counts, &groups),
                _ => Check::failed("promises", "the manifest states a promise that this kind does not have"),
            });
        }
        let has = |id: &str| folder.envelope().promises.iter().any(|own| own.id == id);
        if !has("m-invariance") || !has("counterfeits") {
            checks.push(Check::failed(
                "promises",
                "the manifest does not promise what every release of a series does",
            ));
        }
        Ok(checks)
    }

    fn on_trust(&self) -> &'static [Trusted] {
        &[
            Trusted {
                what: "series",
                why: "that whoever was published before is in a group of the same values: it needs to be known who is in which group",
            },
            Trusted {
                what: "counterfeits",
                why: "which rows belong to nobody, and so how many of them there really are",
            },
        ]
    }

    fn statement(&self, promised: &Promised) -> Option<String> {
        match promised.id.as_str() {
            "m-invariance" => Some(format!(
                "Every group has at least {} sensitive values, all different, and whoever is in several releases is in groups of the same values.",
                promised.whole("m")?
            )),
            "counterfeits" => Some(format!("{} rows belong to nobody.", promised.whole("most")?)),
            _ => None,
        }
    }
}

/// Rows by group.
fn groups(data: &Table) -> HashMap<&str, Vec<usize>> {
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for row in 0..data.rows {
        groups.entry(text(&data.columns[0], row)).or_default().push(row);
    }
    groups
}

fn text(column: &Column, row: usize) -> &str {
    column.domain.text(column.codes[row])
}

fn form(body: &Body, data: &Table, groups: &HashMap<&str, Vec<usize>>) -> Check {
    const NAME: &str = "form";
    if data.rows as u64 != body.rows || groups.len() as u64 != body.groups {
        return Check::failed(NAME, "there are not as many rows and groups as the manifest states");
    }
    let quasi = &data.columns[1..data.columns.len() - 1];
    let same = |rows: &Vec<usize>| {
        rows.iter().all(|&row| quasi.iter().all(|column| text(column, row) == text(column, rows[0])))
    };
    match groups.values().all(same) {
        true => Check::passed(NAME, format!("{} groups, each with one label per column", groups.len())),
        false => Check::failed(NAME, "rows of one group show different labels"),
    }
}

fn unique(promised: &Promised, data: &Table, groups: &HashMap<&str, Vec<usize>>) -> Check {
    const NAME: &str = "m-invariance";
    let Some(m) = promised.whole("m").filter(|m| *m >= 2) else {
        return Check::failed(NAME, "m is not stated");
    };
    let Some(sensitive) = data.columns.last() else {
        return Check::failed(NAME, "there is no sensitive column");
    };
    for rows in groups.values() {
        let values: HashSet<&str> = rows.iter().map(|&row| text(sensitive, row)).collect();
        if values.len() < rows.len() || (rows.len() as u64) < m {
            return Check::failed(
                NAME,
                format!("a group of {} rows has {} different values", rows.len(), values.len()),
            );
        }
    }
    Check::passed(
        NAME,
        format!("every group has at least {m} values, all different; that they stay the same is on trust"),
    )
}

fn counterfeits(
    promised: &Promised,
    body: &Body,
    counts: &Table,
    groups: &HashMap<&str, Vec<usize>>,
) -> Check {
    const NAME: &str = "counterfeits";
    let names: Vec<&str> = counts.columns.iter().map(|own| own.name.as_str()).collect();
    if names != [GROUP, "counterfeits"] {
        return Check::failed(
            NAME,
            format!("{COUNTERFEITS} does not have the columns `group` and `counterfeits`"),
        );
    }
    let (mut all, mut seen) = (0, HashSet::new());
    for row in 0..counts.rows {
        let group = text(&counts.columns[0], row);
        let Ok(number) = text(&counts.columns[1], row).parse::<u64>() else {
            return Check::failed(NAME, "a count is not a whole number");
        };
        let most = groups.get(group).map_or(0, |rows| rows.len() as u64);
        if !seen.insert(group) || number == 0 || number >= most {
            return Check::failed(
                NAME,
                "a group is listed twice, does not exist, or has no person besides its counterfeits",
            );
        }
        all += number;
    }
    match all == body.counterfeits && promised.whole("most") == Some(all) {
        true => Check::passed(NAME, format!("{all} in {} groups, as stated", counts.rows)),
        false => Check::failed(NAME, "there are not as many as the manifest states"),
    }
}
