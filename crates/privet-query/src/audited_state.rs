//! What auditors know after earlier questions, in a file beside the ledger's key, so that a question need not repeat their elimination.
//!
//! Guarantee: the file is encrypted and bound to the key, and it names the entry of the log that it covers. One that was changed, is of another
//! key or names an entry that the log does not hold is not used; an old one is followed by what the log holds after its entry. Without it
//! a question takes longer and is decided in the same way.

use std::fs;
use std::io::Write;
use std::path::Path;

use privet_dp::ledger::{open_beside, seal_beside};
use privet_mine::audit::AuditState;

use super::place::{Account, with_ending};

/// What the bytes are for.
const PURPOSE: &str = "the state of the auditors";

/// The largest file that is read: a pipe or a device is no state.
const MOST_BYTES: u64 = 1 << 32;

/// The state that is kept; none when there is none that can be used.
pub(super) fn read(account: &Account) -> Option<AuditState> {
    let (path, key) = account.audit_state()?;
    let sealed = privet_data::io::read_plain(&path, MOST_BYTES).ok()?;
    AuditState::from_bytes(&open_beside(key, PURPOSE, &sealed).ok()??)
}

/// Keeps a state. When that fails, the next question takes longer and nothing else is lost.
pub(super) fn keep(account: &Account, state: &AuditState) {
    let Some((path, key)) = account.audit_state() else { return };
    let Ok(sealed) = seal_beside(key, PURPOSE, state.to_bytes()) else { return };
    let draft = with_ending(&path, &format!(".{}", std::process::id()));
    if written(&draft, &sealed).and_then(|()| fs::rename(&draft, &path)).is_err() {
        // Another question may have made it, or the folder is not to be written to.
        let _ = fs::remove_file(&draft);
    }
}

fn written(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
