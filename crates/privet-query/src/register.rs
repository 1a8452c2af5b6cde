//! Where this user's ledgers are: so that a copy of a table in another folder is recognised.
//!
//! One line for each, the path of the ledger and that of its key, in a file of the user's own state
//! (`$XDG_STATE_HOME/privet/ledgers`, usually below ~/.local/state). It holds paths and nothing of any table. It is an aid and no
//! guarantee: where it cannot be written nothing is remembered, and whoever removes it has forgotten.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::population::Known;

/// More lines than this are not read.
const MOST: usize = 1000;

fn file() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = of("XDG_STATE_HOME")
        .or_else(|| of("LOCALAPPDATA"))
        .or_else(|| Some(of("HOME")?.join(".local/state")));
    Some(state?.join("privet").join("ledgers"))
}

/// All that are remembered and still there, or whose key is.
pub(super) fn all() -> Vec<Known> {
    let text = file().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    let known = |line: &str| {
        let (ledger, key) = line.split_once('\t')?;
        let known = Known { ledger: ledger.into(), key: key.into(), is_beside: false };
        (known.ledger.is_file() || known.key.is_file()).then_some(known)
    };
    text.lines().rev().take(MOST).filter_map(known).collect()
}

/// Remembers a ledger. What cannot be written is not remembered.
pub(super) fn remember(ledger: &Path, key: &Path) {
    let line = || {
        let whole = |path: &Path| path.canonicalize().ok()?.to_str().map(str::to_owned);
        let line = format!("{}\t{}\n", whole(ledger)?, whole(key)?);
        (line.chars().filter(|own| own.is_control()).count() == 2).then_some(line)
    };
    let (Some(line), Some(file)) = (line(), file()) else { return };
    if std::fs::read_to_string(&file).is_ok_and(|text| text.split_inclusive('\n').any(|own| own == line)) {
        return;
    }
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    let mut folders = std::fs::DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    }
    // why: an aid; the ledger is open all the same
    let _ = file
        .parent()
        .map_or(Ok(()), |folder| folders.create(folder))
        .and_then(|()| options.open(&file))
        .and_then(|mut own| own.write_all(line.as_bytes()));
}
