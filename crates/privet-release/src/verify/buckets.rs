//! A bucketized release (survey ME-13) as the referee sees it: its buckets are the classes, and what it knows of a
//! sensitive column are the values that a bucket holds, not whose they are.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use privet_criteria::Requirement;
use privet_data::Progress;

use super::VerifyError;
use super::outcome::Check;
use super::table::{self, Class, Column, Released, Table, Written};
use super::values::Told;
use crate::Manifest;

/// The column of bucket numbers, where the manifest and the table agree on what stands apart.
fn bucket_column(
    manifest: &Manifest,
    table: &Table,
    (buckets, sensitive): (&[usize], &[usize]),
) -> Result<usize, &'static str> {
    let [bucket] = *buckets else {
        return Err("the manifest must name one column of bucket numbers");
    };
    if !sensitive.is_empty() {
        return Err("a sensitive column stands beside the bucket numbers");
    }
    let apart: Vec<&str> = manifest.data.sensitive_tables.iter().map(|known| known.column.as_str()).collect();
    if table.names.iter().any(|name| apart.contains(&name.as_str())) {
        return Err("a column whose values are counted by bucket stands in the data as well");
    }
    if (1..apart.len()).any(|i| apart[..i].contains(&apart[i])) {
        return Err("two tables of sensitive values are about one column");
    }
    if manifest.data.sensitive_tables.is_empty() {
        return Err("the manifest names no table of sensitive values");
    }
    Ok(bucket)
}

/// Every bucket, and its records.
fn members(class_of: &[u32], buckets: usize) -> (Vec<Class>, Vec<Vec<usize>>) {
    let mut classes: Vec<Class> = vec![Class { record: 0, rows: 0 }; buckets];
    let mut records_of: Vec<Vec<usize>> = vec![Vec::new(); buckets];
    for (record, &class) in class_of.iter().enumerate() {
        let own = &mut classes[class as usize];
        if own.rows == 0 {
            own.record = record as u64 + 1;
        }
        own.rows += 1;
        records_of[class as usize].push(record);
    }
    (classes, records_of)
}

/// Per record the value that it gets when the lines of a table of counts are dealt out, bucket by bucket.
fn dealt(
    [names, values, counts]: [&Column; 3],
    lines: usize,
    class_of_name: &HashMap<&str, usize>,
    records_of: &[Vec<usize>],
    records: usize,
) -> Result<Vec<u32>, &'static str> {
    let mut filled = vec![0usize; records_of.len()];
    let mut codes = vec![0u32; records];
    for line in 0..lines {
        let Some(&class) = class_of_name.get(names.texts[names.codes[line] as usize].as_str()) else {
            return Err("it has a bucket that no record is in");
        };
        let Some(count) = counts.texts[counts.codes[line] as usize].parse::<usize>().ok().filter(|&n| n > 0)
        else {
            return Err("a count is not a whole number above 0");
        };
        let Some(places) =
            filled[class].checked_add(count).and_then(|end| records_of[class].get(filled[class]..end))
        else {
            return Err("a bucket has more values than records");
        };
        places.iter().for_each(|&record| codes[record] = values.codes[line]);
        filled[class] += count;
    }
    if filled.iter().zip(records_of).any(|(&filled, records)| filled != records.len()) {
        return Err("a bucket has fewer values than records");
    }
    Ok(codes)
}

/// Puts the tables of a bucketized release together. Within a bucket values go to records in any order: no promise
/// that such a release can keep depends on it. The inner error is a sentence about what does not fit.
pub(super) fn join(
    folder: &Path,
    manifest: &Manifest,
    mut table: Table,
    intact: bool,
    progress: &dyn Progress,
) -> Result<Result<Released, String>, VerifyError> {
    let roles: Vec<&str> = manifest.data.columns.iter().map(|column| column.role.as_str()).collect();
    let with_role = |role: &str| -> Vec<usize> {
        roles.iter().enumerate().filter(|(_, own)| **own == role).map(|(position, _)| position).collect()
    };
    let bucket = match bucket_column(manifest, &table, (&with_role("bucket"), &with_role("sensitive"))) {
        Ok(bucket) => bucket,
        Err(problem) => return Ok(Err(problem.to_owned())),
    };
    let Column { texts: bucket_names, codes: class_of, .. } = std::mem::take(&mut table.columns[bucket]);
    let (classes, records_of) = members(&class_of, bucket_names.len());
    let class_of_name: HashMap<&str, usize> =
        bucket_names.iter().enumerate().map(|(class, name)| (name.as_str(), class)).collect();
    let mut sensitive = Vec::new();
    let mut rules = BTreeMap::new();
    for known in &manifest.data.sensitive_tables {
        let at = |problem: &str| Ok(Err(format!("{}: {problem}", known.file)));
        let counted = match table::read_file(
            folder,
            Written::of(manifest),
            &known.file,
            |_, _| true,
            intact,
            progress,
        )? {
            Ok(counted) => counted,
            Err(problem) => return Ok(Err(problem)),
        };
        let [names, values, counts] = &counted.columns[..] else {
            return at("it must have three columns: bucket, value, count");
        };
        if counted.names[0] != table.names[bucket]
            || counted.names[1] != known.column
            || counted.names[2] != "count"
        {
            return at("its columns have other names than the manifest says");
        }
        if counted.rows as u64 != known.rows {
            return at("it has another number of lines than the manifest says");
        }
        let lines = counted.rows;
        let codes = match dealt([names, values, counts], lines, &class_of_name, &records_of, table.rows) {
            Ok(codes) => codes,
            Err(problem) => return at(problem),
        };
        let mut column = Column { texts: values.texts.clone(), codes, kinds: None };
        let rule = Told::of(manifest).rule(&known.column, known.alike.as_ref(), &column.texts);
        rule.unite(&mut column);
        rules.insert(table.columns.len(), rule);
        sensitive.push(table.columns.len());
        table.names.push(known.column.clone());
        table.columns.push(column);
    }
    let (input_rows, suppressed) = (manifest.data.input_rows, manifest.data.suppressed);
    let quasi = with_role("quasi");
    Ok(Ok(Released {
        table,
        quasi,
        sensitive,
        classes,
        class_of,
        weights: None,
        rules,
        input_rows,
        suppressed,
    }))
}

/// What the manifest says of how the buckets came about, when it does: an l, or the column that gave them.
pub(super) fn divided(manifest: &Manifest, released: &Released) -> Option<Check> {
    let told = manifest.search.anatomy.as_ref()?;
    let mut problems = Vec::new();
    if !manifest.kind.separates_values() || manifest.search.algorithm != "anatomy" {
        problems.push("the release tells of buckets, and is not made of any".to_owned());
        return Some(Check::of("buckets", String::new(), &problems));
    }
    let is_spoken_of = |name: &str| {
        manifest.promises.iter().any(|promise| promise.requirement.column().is_some_and(|own| own == name))
    };
    // The sensitive columns of which something is claimed.
    let claimed = |is_meant: &dyn Fn(usize, &str) -> bool| -> Vec<usize> {
        let columns = released.sensitive.iter().enumerate();
        let meant = columns.filter(|&(number, &at)| is_meant(number, &released.table.names[at]));
        meant.map(|(_, &at)| at).collect()
    };
    let well = match (told.l, &told.buckets_from, told.given_buckets) {
        (Some(l), None, None) => {
            if l == 0 {
                problems.push("l must be at least 1".to_owned());
            }
            let fail = claimed(&|number, name| number == 0 || !is_spoken_of(name))
                .into_iter()
                .filter(|&at| {
                    let too_many = |most: u64, rows: u64| u128::from(most) * u128::from(l) > u128::from(rows);
                    most_of_buckets(released, at).zip(&released.classes).any(|(m, c)| too_many(m, c.rows))
                })
                .count();
            if fail > 0 {
                problems.push(format!(
                    "a value is in more than 1/{l} of a bucket; sensitive columns in which one is: {fail}"
                ));
            }
            match l {
                1 => "the promises compare them with the table, and ask for no number of different values"
                    .to_owned(),
                _ => format!("no value of the first sensitive column is in more than 1/{l} of a bucket"),
            }
        }
        (None, Some(name), Some(given)) => {
            let stands = released.table.names.contains(name);
            if stands || !manifest.data.removed_columns.contains(name) {
                problems
                    .push("the column that gave the buckets must be one that is not published".to_owned());
            }
            if given < manifest.classes.count {
                problems.push("there are more buckets than were given".to_owned());
            }
            let tells = claimed(&|_, name| !is_spoken_of(name))
                .into_iter()
                .filter(|&at| {
                    let codes = &released.table.columns[at].codes;
                    codes.windows(2).any(|pair| pair[0] != pair[1])
                        && most_of_buckets(released, at).zip(&released.classes).any(|(m, c)| m == c.rows)
                })
                .count();
            if tells > 0 {
                problems.push(format!(
                    "a bucket tells the value of everybody in it in {tells} sensitive columns without a promise"
                ));
            }
            format!(
                "given by a column that is not published: {given} buckets, of which {} are left",
                manifest.classes.count
            )
        }
        _ => {
            problems
                .push("buckets have either an l or a column that gave them, with their number".to_owned());
            String::new()
        }
    };
    Some(Check::of("buckets", well, &problems))
}

/// Per bucket how many of its records have its most frequent value of a column.
fn most_of_buckets(released: &Released, column: usize) -> impl Iterator<Item = u64> {
    let mut counts: HashMap<(u32, u32), u64> = HashMap::new();
    let mut most = vec![0; released.classes.len()];
    for (&class, &code) in released.class_of.iter().zip(&released.table.columns[column].codes) {
        let count = counts.entry((class, code)).or_default();
        *count += 1;
        most[class as usize] = (*count).max(most[class as usize]);
    }
    most.into_iter()
}

/// Why a bucketized release cannot keep a promise, when it cannot: its quasi columns are published as they are.
pub(super) fn refusal(requirement: &Requirement) -> Option<&'static str> {
    match requirement {
        Requirement::KAnonymity { .. }
        | Requirement::AlphaK { .. }
        | Requirement::PSensitivity { .. }
        | Requirement::DeltaPresence { .. }
        | Requirement::KMap { .. } => {
            Some("it speaks of records that look alike, and a bucketized release shows every record as it is")
        }
        Requirement::LDiversity { multi_attribute: true, .. } => {
            Some("it speaks of several sensitive columns of one record, which buckets tear apart")
        }
        _ => None,
    }
}
