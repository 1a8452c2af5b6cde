//! What if the insensitive columns are known too, or one of several sensitive ones (survey AT-01 with more columns)?
//!
//! A job calls a column insensitive when nobody outside knows it and nobody need be kept from learning it; it is published as it is.
//! Whether that is true only its owner can say. This tells what hangs on it: how many records stand alone once those columns are known
//! besides the quasi columns. Of several sensitive columns somebody may know one, as an insurer knows the bill and not the diagnosis:
//! whose record stands alone by it is told by the others. It is read off the release alone, so everybody who reads it can count the same.

use privet_release::Published;
use rayon::prelude::*;

use super::Adversary;
use crate::attacks::{AttackWord, Role};
use crate::finding::{AttackError, Finding, Found, Unit};
use crate::link::Keys;
use crate::linking;
use crate::note::Note;
use crate::rate::Rate;

/// Why the first only informs.
const NOT_KNOWN_OUTSIDE: &str = "the job says that nobody outside knows these columns; where somebody may, make them quasi, or give them in \
                                 the table of people";

/// Why the second only informs.
const NOT_KNOWN_BY_OTHERS: &str = "what is sensitive is taken to be known to nobody else; where somebody may know one of several such columns, \
                                   name it under `known` of the table of people";

/// The word of the attack in files.
pub const INSENSITIVE: &str = "insensitive-columns";

/// What it is.
pub(crate) const ABOUT_INSENSITIVE: AttackWord = AttackWord {
    word: INSENSITIVE,
    title: "If insensitive columns are known",
    sentence: "The adversary knows also the columns that the job says nobody outside knows, which are published as they are, and looks whose records stand alone then.",
    about: "whose record is alone once the insensitive columns are known too",
    needs: None,
    quick: true,
    role: Role::Informs(NOT_KNOWN_OUTSIDE),
};

/// The word of the attack in files.
pub const SENSITIVE: &str = "sensitive-columns";

/// What it is.
pub(crate) const ABOUT_SENSITIVE: AttackWord = AttackWord {
    word: SENSITIVE,
    title: "If a sensitive column is known",
    sentence: "The adversary knows also one of several sensitive columns, as an insurer knows the bill, and looks whose records stand alone then: their other sensitive values are told.",
    about: "whose record is alone once one of several sensitive columns is known",
    needs: None,
    quick: true,
    role: Role::Informs(NOT_KNOWN_BY_OTHERS),
};

/// A published column that is not quasi: its name, the code of each record, and how many codes there are.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    /// Its name.
    pub name: &'a str,
    /// The code of each record.
    pub codes: &'a [u32],
    /// How many codes there are.
    pub values: usize,
}

/// The positions of the columns that a release calls insensitive, and of which it is not assumed that they are known.
pub fn insensitive(release: &Published) -> Vec<usize> {
    let Some(manifest) = &release.manifest else { return Vec::new() };
    let columns = manifest.data.columns.iter().enumerate();
    let own = columns.filter(|(_, column)| column.role == "insensitive").map(|(position, _)| position);
    own.filter(|position| !release.quasi.contains(position)).collect()
}

pub(super) fn attack(adversary: &Adversary<'_>) -> Result<Vec<Found>, AttackError> {
    let release = adversary.release;
    if release.shows_identities() {
        return Err(AttackError::Needs(crate::attacks::NO_SECRET.to_owned()));
    }
    let columns = insensitive(release).into_iter().filter_map(|at| release.table.columns.get(at));
    let columns: Vec<Beside<'_>> =
        columns.map(|own| Beside { name: &own.name, codes: &own.codes, values: own.domain.len() }).collect();
    if columns.is_empty() {
        return Err(AttackError::Needs("it publishes no insensitive column".to_owned()));
    }
    let suppressed = release.input_rows().saturating_sub(release.table.rows as u64);
    let finding = alone(&release.group_of, &columns, suppressed);
    Ok(vec![Found { finding, conclusions: None, failed: Vec::new() }])
}

/// The same of each sensitive column, where others are learned by it.
pub(super) fn of_sensitive(adversary: &Adversary<'_>) -> Result<Vec<Found>, AttackError> {
    let release = adversary.release;
    let columns = release.sensitive.iter().filter_map(|own| {
        Some(Beside { name: &own.name, codes: own.codes.as_deref()?, values: own.domain.len() })
    });
    let columns: Vec<Beside<'_>> = columns.collect();
    if columns.len() < 2 {
        return Err(AttackError::Needs("it publishes no two sensitive columns record by record".to_owned()));
    }
    let suppressed = release.input_rows().saturating_sub(release.table.rows as u64);
    let found = |own: &Beside<'_>| {
        let finding = alone_by_one(&release.group_of, *own, suppressed);
        Found { finding, conclusions: None, failed: Vec::new() }
    };
    Ok(columns.iter().map(found).collect())
}

/// Records that stand alone in their class by a sensitive column beside which there are others.
pub fn alone_by_one(group_of: &[u32], column: Beside<'_>, suppressed: u64) -> Finding {
    alone_by_one_of(column.name, sizes_of(group_of, &[column]).into_iter().map(|size| (size, 1)), suppressed)
}

/// The same from how many records look alike: sizes of groups by class and column, and how many groups have each.
pub fn alone_by_one_of(name: &str, sizes: impl Iterator<Item = (u64, u64)>, suppressed: u64) -> Finding {
    Finding {
        attack: SENSITIVE,
        column: Some(name.to_owned()),
        assumed: format!(
            "who is in the data, their identifying columns, and of the sensitive columns one: `{name}`"
        ),
        not_counted: Some(NOT_KNOWN_BY_OTHERS.to_owned()),
        notes: vec![Note::of_original(
            "Whoever stands alone is found by this column, and every other sensitive value of the record is theirs.",
        )],
        ..alone_of(&[name], sizes, suppressed)
    }
}

/// Records that stand alone in their class by these columns. `group_of` has the class of each published record; so many more were
/// suppressed.
pub fn alone(group_of: &[u32], columns: &[Beside<'_>], suppressed: u64) -> Finding {
    let names: Vec<&str> = columns.iter().map(|own| own.name).collect();
    alone_of(&names, sizes_of(group_of, columns).into_iter().map(|size| (size, 1)), suppressed)
}

/// How many records there are of each class and values of the columns.
fn sizes_of(group_of: &[u32], columns: &[Beside<'_>]) -> Vec<u64> {
    let mut keys = Keys::new(group_of.len());
    let groups = group_of.iter().max().map_or(1, |&group| u64::from(group) + 1);
    keys.push(group_of.par_iter().copied(), groups);
    for own in columns {
        keys.push(own.codes.par_iter().copied(), own.values as u64);
    }
    let (alike, first) = keys.finish();
    let mut sizes = vec![0u64; first.len()];
    alike.iter().for_each(|&own| sizes[own as usize] += 1);
    sizes
}

/// The same as [`alone`] from how many records look alike: sizes of groups by class and columns, and how many groups have each.
pub fn alone_of(names: &[&str], sizes: impl Iterator<Item = (u64, u64)>, suppressed: u64) -> Finding {
    let sizes: Vec<(u64, u64)> = sizes.collect();
    let records: u64 = sizes.iter().map(|(size, groups)| size * groups).sum();
    let alone = sizes.iter().filter(|own| own.0 == 1).map(|own| own.1).sum();
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    Finding {
        attack: INSENSITIVE,
        assumed: format!(
            "who is in the data, their identifying columns, and of the insensitive columns: {}",
            names.join(", ")
        ),
        success: "exactly one published record may be the person's, with all that it says of them".to_owned(),
        unit: Unit::People,
        exposed: Rate::new(alone, records + suppressed),
        histogram: linking::sizes(
            sizes.iter().map(|&(size, groups)| (size, size * groups)).chain([(0, suppressed)]),
        ),
        not_counted: Some(NOT_KNOWN_OUTSIDE.to_owned()),
        notes: vec![Note::of_release(
            "Whoever stands alone is found by these columns, and every sensitive value of the record is theirs.",
        )],
        ..linking::blank()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five who look alike, with five different costs and two lengths of stay: by the cost everybody stands alone, by the stay nobody.
    #[test]
    fn what_is_not_assumed_to_be_known_singles_out() {
        let group_of = [0, 0, 0, 0, 0, 1, 1];
        let cost = Beside { name: "cost", codes: &[0, 1, 2, 3, 4, 0, 0], values: 5 };
        let stay = Beside { name: "stay", codes: &[0, 1, 0, 1, 0, 1, 1], values: 2 };
        let rate = |columns: &[Beside<'_>]| {
            let own = alone(&group_of, columns, 3);
            (own.exposed.hits, own.exposed.of, own.risk)
        };
        assert_eq!(rate(&[cost]), (5, 10, 0.0));
        assert_eq!(rate(&[stay]), (0, 10, 0.0));
        assert_eq!(rate(&[stay, cost]), (5, 10, 0.0));
        assert!(alone(&group_of, &[cost], 3).not_counted.is_some());
        let one = alone_by_one(&group_of, cost, 3);
        assert_eq!(
            (one.attack, one.column.as_deref(), one.exposed.hits, one.risk),
            (SENSITIVE, Some("cost"), 5, 0.0)
        );
    }
}
