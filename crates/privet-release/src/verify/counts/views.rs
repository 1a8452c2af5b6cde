//! Views of one table: each by itself, then whether they agree, then what they tell together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use privet_criteria::Requirement;
use privet_data::Progress;

use super::joint::{self, Marginal};
use super::labels;
use crate::counts::{CountsData, CountsTable, Form, Together};
use crate::verify::VerifyError;
use crate::verify::outcome::Check;
use crate::verify::table::{Released, Table};
use crate::verify::{promises, values};
use crate::{CountsManifest, manifest::Promise};

/// Checks all views.
pub(super) fn check(
    manifest: &CountsManifest,
    together: &Together,
    tables: Vec<Table>,
    progress: &dyn Progress,
) -> Result<Vec<Check>, VerifyError> {
    let mut columns = Columns::of(manifest);
    let mut checks = Vec::new();
    let mut views = Vec::new();
    progress.stage("checking views", Some(tables.len() as u64));
    for (number, (claim, table)) in manifest.tables.iter().zip(tables).enumerate() {
        progress.check()?;
        let weights = match weights(claim, &table, manifest.data.records) {
            Ok(weights) => weights,
            Err(problem) => {
                checks.push(Check::failed(format!("counts {}", claim.file), problem));
                continue;
            }
        };
        let view = columns.marginal(claim, &table, weights.as_deref());
        checks.push(content(claim, &table, &view));
        views.push(view);
        checks.extend(by_itself(claim, table, &manifest.data, weights, progress)?);
        progress.at(number as u64 + 1);
    }
    if views.len() < manifest.tables.len() {
        return Ok(checks);
    }
    let agreeing = agreement(manifest, &views);
    let agree = agreeing.ok;
    checks.push(agreeing);
    if agree {
        checks.push(told(manifest, together, &views, &columns, progress)?);
    }
    Ok(checks)
}

/// The columns of all views, quasi columns first, and the texts of each.
struct Columns {
    names: Vec<String>,
    quasi: usize,
    codes: Vec<HashMap<String, u32>>,
}

impl Columns {
    fn of(manifest: &CountsManifest) -> Self {
        let with_role = |role: &'static str| {
            let columns = manifest.tables.iter().flat_map(|table| &table.columns);
            columns.filter(move |column| column.role == role).map(|column| column.name.clone())
        };
        let quasi: BTreeSet<String> = with_role("quasi").collect();
        let sensitive: BTreeSet<String> = with_role("sensitive").collect();
        let number = quasi.len();
        let names: Vec<String> = quasi.into_iter().chain(sensitive).collect();
        Self { quasi: number, codes: vec![HashMap::new(); names.len()], names }
    }

    /// The counts of a view, with the same codes for the same texts in all views.
    fn marginal(&mut self, claim: &CountsTable, table: &Table, weights: Option<&[u64]>) -> Marginal {
        let mut places: Vec<(usize, usize)> = claim
            .columns
            .iter()
            .enumerate()
            .filter_map(|(at, column)| Some((self.names.iter().position(|name| *name == column.name)?, at)))
            .collect();
        places.sort_unstable();
        let own: Vec<Vec<u32>> = places
            .iter()
            .map(|&(column, at)| {
                let codes = &mut self.codes[column];
                let texts = table.columns[at].texts.iter().map(|text| {
                    let next = codes.len() as u32;
                    *codes.entry(text.clone()).or_insert(next)
                });
                texts.collect()
            })
            .collect();
        let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for line in 0..table.rows {
            let key =
                places.iter().zip(&own).map(|(&(_, at), own)| own[table.columns[at].codes[line] as usize]);
            *counts.entry(key.collect()).or_default() += weights.map_or(1, |weights| weights[line]);
        }
        Marginal { columns: places.into_iter().map(|(column, _)| column).collect(), counts }
    }
}

/// The count of every line, where lines have counts. They add up to the records.
fn weights(claim: &CountsTable, table: &Table, records: u64) -> Result<Option<Vec<u64>>, String> {
    let (weights, sum) = match claim.form {
        Form::Microdata => (None, Some(table.rows as u64)),
        _ => {
            let Some(counts) = table.columns.last() else { return Err("it has no counts".to_owned()) };
            let numbers: Vec<Option<u64>> =
                counts.texts.iter().map(|text| text.parse().ok().filter(|&number| number > 0)).collect();
            let of_lines: Option<Vec<u64>> =
                counts.codes.iter().map(|&code| numbers[code as usize]).collect();
            let Some(weights) = of_lines else {
                return Err("a count is not a whole number above 0".to_owned());
            };
            let sum = weights.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
            (Some(weights), sum)
        }
    };
    match sum {
        Some(sum) if sum == records => Ok(weights),
        Some(sum) => Err(format!("it counts {sum} records, the manifest says {records}")),
        None => Err("it counts more records than there can be".to_owned()),
    }
}

/// What the manifest says of a view, against the view.
fn content(claim: &CountsTable, table: &Table, view: &Marginal) -> Check {
    let mut problems = Vec::new();
    let cells = view.counts.len() as u64;
    if cells != claim.cells {
        problems.push(format!("{cells} different combinations, the manifest says {}", claim.cells));
    }
    // Neither places nor repetitions may tell more than the counts: equal lines stand together, or once.
    let columns = &table.columns[..claim.columns.len()];
    let differs = |line: &usize| columns.iter().any(|column| column.codes[*line] != column.codes[line - 1]);
    let runs = match claim.form {
        Form::Microdata if table.rows > 0 => 1 + (1..table.rows).filter(differs).count(),
        _ => table.rows,
    };
    if runs as u64 != cells {
        problems.push("a combination stands in several places".to_owned());
    }
    problems.extend(labels(claim, columns.iter().map(|column| column.texts.len() as u64)));
    Check::of(
        &format!("counts {}", claim.file),
        format!("{cells} combinations, all records counted"),
        &problems,
    )
}

/// A view as if it were all that is published.
fn by_itself(
    claim: &CountsTable,
    mut table: Table,
    data: &CountsData,
    weights: Option<Vec<u64>>,
    progress: &dyn Progress,
) -> Result<Vec<Check>, VerifyError> {
    let rules = values::unite_counted(&mut table, claim, data);
    let with_role = |role: &str| -> Vec<usize> {
        let columns = claim.columns.iter().enumerate();
        columns.filter(|(_, column)| column.role == role).map(|(at, _)| at).collect()
    };
    let released =
        Released::weighted(table, rules, (with_role("quasi"), with_role("sensitive")), weights, progress)?;
    let count = released.classes.len() as u64;
    let smallest = released.classes.iter().map(|class| class.rows).min().unwrap_or(0);
    let mut problems = Vec::new();
    if let Some(classes) = &claim.classes {
        for (what, found, said) in
            [("classes", count, classes.count), ("records in the smallest class", smallest, classes.smallest)]
        {
            if found != said {
                problems.push(format!("{found} {what}, the manifest says {said}"));
            }
        }
    }
    let well = format!("{count} classes of at least {smallest} records");
    let sensitive: Vec<&str> =
        released.sensitive.iter().map(|&at| released.table.names[at].as_str()).collect();
    let mut checks = vec![Check::of(&format!("classes {}", claim.file), well, &problems)];
    for (number, promise) in claim.promises.iter().enumerate() {
        let check = match refusal(promise) {
            Some(why) => promises::refused(promise, why, number),
            None => promises::check(promise, &released, None, false, number),
        };
        if let Some(words) = promises::worded(promise, &sensitive, false, number) {
            checks.push(Check { name: format!("{}, {}", claim.file, words.name), ..words });
        }
        let own = if claim.own_promises.contains(&number) { " (this view's own)" } else { "" };
        checks.push(Check { name: format!("{}, {}{own}", claim.file, check.name), ..check });
    }
    Ok(checks)
}

/// Why a view cannot keep a promise, when it cannot.
fn refusal(promise: &Promise) -> Option<&'static str> {
    match promise.requirement {
        Requirement::DeltaPresence { .. } | Requirement::KMap { .. } => {
            Some("it compares with a population, which views do not")
        }
        Requirement::LDiversity { multi_attribute: true, .. } => {
            Some("it speaks of all sensitive columns of a record, which views part")
        }
        _ => None,
    }
}

/// Whether any two views count the same in the columns that they share.
fn agreement(manifest: &CountsManifest, views: &[Marginal]) -> Check {
    let mut problems = Vec::new();
    for (second, b) in views.iter().enumerate() {
        for (first, a) in views[..second].iter().enumerate() {
            let shared: Vec<usize> = a.columns.iter().copied().filter(|c| b.columns.contains(c)).collect();
            if a.columns == b.columns {
                let (one, other) = (&manifest.tables[first].file, &manifest.tables[second].file);
                problems.push(format!("{one} and {other} are views of the same columns"));
            }
            if a.sums(&shared) != b.sums(&shared) {
                problems.push(format!(
                    "{} and {} count differently in the columns that they share",
                    manifest.tables[first].file, manifest.tables[second].file
                ));
            }
        }
    }
    Check::of("views agree", "all views count the same in the columns that they share", &problems)
}

/// What the views tell together, against what the manifest says.
fn told(
    manifest: &CountsManifest,
    claim: &Together,
    views: &[Marginal],
    columns: &Columns,
    progress: &dyn Progress,
) -> Result<Check, VerifyError> {
    const NAME: &str = "views together";
    let told = match joint::told(views, columns.quasi, claim.k, progress)? {
        Ok(told) => told,
        Err(why) => {
            let detail = format!("cannot be judged here: {why}. Each view by itself is as promised");
            return Ok(Check { bounded: true, ..Check::passed(NAME, detail) });
        }
    };
    let mut problems = Vec::new();
    let of_view = |promises: &[Promise]| {
        promises.iter().filter_map(|promise| size(&promise.requirement)).max().unwrap_or(1)
    };
    let least = manifest.tables.iter().map(|table| of_view(&table.promises)).min().unwrap_or(1);
    // Larger groups than are promised would be a promise that nobody made.
    if claim.k != least {
        problems.push(format!("judged for groups of {}, but {least} records are promised", claim.k));
    }
    if told.small > 0 {
        problems.push(format!(
            "broken: {} groups of fewer than {} records with the same quasi values are proven to exist",
            told.small, claim.k
        ));
    }
    if told.determined > 0 {
        let which = "combinations of quasi values one sensitive value alone is possible";
        problems.push(format!("broken: for {} {which}", told.determined));
    }
    if claim.determined != told.determined || claim.joint_cells != told.cells {
        problems.push(format!(
            "{} joint cells and {} values that follow, the manifest says {} and {}",
            told.cells, told.determined, claim.joint_cells, claim.determined
        ));
    }
    if claim.smallest_proven != told.smallest_proven {
        problems.push(
            "the smallest group that is proven to exist is not the one that the manifest says".to_owned(),
        );
    }
    for (found, said) in [(told.cells_by, &claim.cells_by), (told.groups_by, &claim.groups_by)] {
        if found != said {
            problems.push("bounds were found in another way than the manifest says".to_owned());
        }
    }
    let group = match told.smallest_proven {
        Some(records) => format!(
            "the smallest group with the same quasi values that is proven to exist has at most {records}"
        ),
        None => "no group with the same quasi values is proven to exist".to_owned(),
    };
    let well =
        format!("of {} joint cells none tells too much: {group}, no sensitive value follows", told.cells);
    let reached = told.smallest_proven.map(|records| records as f64);
    Ok(Check { reached, ..Check::of(NAME, well, &problems) })
}

/// The size of classes that a promise asks for.
fn size(requirement: &Requirement) -> Option<u64> {
    match requirement {
        Requirement::KAnonymity { k }
        | Requirement::AlphaK { k, .. }
        | Requirement::PSensitivity { k, .. } => Some(*k),
        _ => None,
    }
}
