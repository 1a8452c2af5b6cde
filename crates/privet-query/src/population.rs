//! Who is in a table, as its ledger marks people; and other ledgers that may know them already.
//!
//! Guarantee: an account that is opened for a table is compared with every account of its own ledger, of the ledgers beside
//! the table and beside the ledger, and of those that this user opened earlier on this machine (`register.rs`). What cannot be
//! compared, because its key is not there or it cannot be read, is told by name. A ledger that is gone while its key file is still
//! beside the table or the new ledger is an error, under whatever name the new one is opened. Ledgers without a key know nobody.

use std::path::{Path, PathBuf};

use privet_data::{Progress, Table};
use privet_dp::ledger::{Access, CodedColumn, Ledger, LedgerError, Marker, Population, SqliteLedger};

use super::place::with_ending;
use super::register;
use super::waiting::TRY;

/// Who is in a table. `only_persons` leaves the records aside.
pub(super) fn population(
    table: &Table,
    person: Option<&str>,
    marker: &Marker,
    only_persons: bool,
) -> Population {
    let columns: Vec<CodedColumn<'_>> = table
        .columns
        .iter()
        .map(|column| CodedColumn {
            name: &column.name,
            texts: (0..column.domain.len() as u32)
                .map(|code| (!column.domain.is_missing(code)).then(|| column.domain.text(code)))
                .collect(),
            codes: &column.codes,
        })
        .collect();
    match only_persons {
        true => Population::of_persons(&columns, person, &marker.persons, &marker.key),
        false => Population::of(&columns, person, &marker.persons, &marker.key),
    }
}

/// A ledger in a file that may know the people of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub ledger: PathBuf,
    pub key: PathBuf,
    /// Whether it stands, or stood, beside the table or the new ledger.
    pub is_beside: bool,
}

impl Known {
    /// Where it is, or was.
    fn place(&self) -> Option<PathBuf> {
        let folder = self.ledger.parent().filter(|own| !own.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let of_folder = || Some(folder.canonicalize().ok()?.join(self.ledger.file_name()?));
        self.ledger.canonicalize().ok().or_else(of_folder)
    }
}

/// The ledgers beside these files, and those that were opened earlier, but for `own`; also those of which only the key is left.
pub(super) fn known(files: &[&Path], own: Option<&Path>) -> Vec<Known> {
    let own = own.and_then(|own| own.canonicalize().ok());
    let mut found: Vec<Known> = Vec::new();
    let folders = files.iter().map(|file| match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    });
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let is_ledger = |path: &Path| path.extension().is_some_and(|ending| ending == "ledger");
        let of = |path: PathBuf| match path.extension() {
            Some(ending) if ending == "key" => Some(path.with_extension("")).filter(|own| is_ledger(own)),
            _ => Some(path).filter(|own| is_ledger(own)),
        };
        let files = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file());
        let mut ledgers: Vec<PathBuf> = files.filter_map(of).collect();
        ledgers.sort();
        ledgers.dedup();
        found.extend(ledgers.into_iter().map(|ledger| Known {
            key: with_ending(&ledger, ".key"),
            ledger,
            is_beside: true,
        }));
    }
    found.extend(register::all());
    let mut seen: Vec<PathBuf> = own.into_iter().collect();
    found.retain(|known| match known.place() {
        Some(path) if !seen.contains(&path) => {
            seen.push(path);
            true
        }
        _ => false,
    });
    found
}

/// Refuses a table whose people have an account in one of these ledgers. Gives back those that could not be looked at.
pub(super) fn must_be_unknown(
    table: &Table,
    person: Option<&str>,
    known: &[Known],
    progress: &dyn Progress,
) -> Result<Vec<PathBuf>, LedgerError> {
    let mut unseen = Vec::new();
    for Known { ledger, key, is_beside } in known {
        progress.stage("comparing with other ledgers", None);
        if progress.cancelled() {
            return Err(LedgerError::Stopped);
        }
        if !ledger.is_file() {
            // Whoever was in it may be in this table.
            match (is_beside, SqliteLedger::must_allow_new(ledger, key)) {
                (true, Err(gone @ LedgerError::Gone { .. })) => return Err(gone),
                (false, Err(LedgerError::Gone { .. })) => unseen.push(ledger.clone()),
                _ => {}
            }
            continue;
        }
        let access = Access { patience: TRY, ..Access::with(Some(key)) };
        let related = || -> Result<Option<LedgerError>, LedgerError> {
            let mut other = SqliteLedger::find(ledger, &access)?;
            let Some(marker) = other.marker(None)? else { return Ok(None) };
            let population = population(table, person, &marker, false);
            Ok(other.related(&population)?.into_iter().next().map(Into::into))
        };
        match related() {
            Ok(None) => {}
            Ok(Some(LedgerError::SamePeople { account, kinship, .. })) => {
                let ledger = Some(ledger.display().to_string());
                return Err(LedgerError::SamePeople { account, kinship, ledger });
            }
            Ok(Some(other)) => return Err(other),
            Err(_) => unseen.push(ledger.clone()),
        }
    }
    Ok(unseen)
}
