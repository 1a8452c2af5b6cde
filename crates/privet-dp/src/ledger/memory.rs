//! What a key file remembers of the ledgers whose entries it signs: that they were there, and how far they had come.
//!
//! Guarantee: where a remembered ledger is gone, or lacks an entry that was its last one once, that is noticed by whoever
//! holds the key, and nothing is charged. An old copy, put back, and a new ledger beside the old key would both be fresh
//! budgets. It is a memory of the key's owner and not a proof: a key file that may not be written, or that was copied
//! earlier, remembers less, and without the key file nothing is remembered.
//!
//! A key that privet made is one line of 64 digits; below it stands a line for each ledger: `ledger`, the hash of its first
//! entry, the number and the hash of its last one, a check of both, and where it is. Other keys are left as they are, and
//! the lines stand in a file beside them, KEY.seen. A last entry is written over the one before it, in one step.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::chain::{KEY_LINE, Seal, is_made};
use super::{Head, LedgerError};

const WORD: &str = "ledger ";
/// Hexadecimal digits of a hash.
const HASH: usize = 64;
/// Digits of the number of an entry.
const NUMBER: usize = 20;
/// Digits of the check.
const CHECK: usize = 16;

/// Where the ledgers of a key are remembered.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    file: PathBuf,
    /// Where the lines begin.
    start: usize,
    /// Where the ledger at hand is; empty where that cannot be said.
    place: String,
}

/// A ledger that is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Remembered {
    /// Where what changes begins in the file.
    at: u64,
    id: String,
    /// None where the line was not wholly written.
    head: Option<Head>,
    place: String,
}

/// Where a ledger in a file is, as it is remembered.
pub(super) fn place_of(path: &Path) -> String {
    let whole = path.canonicalize().or_else(|_| {
        let folder = path.parent().filter(|own| !own.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok::<_, std::io::Error>(folder.canonicalize()?.join(path.file_name().unwrap_or_default()))
    });
    let text = whole.ok().and_then(|path| path.to_str().map(str::to_owned));
    text.filter(|text| !text.chars().any(char::is_control)).unwrap_or_default()
}

impl Memory {
    /// The memory of a key, and where its ledger is.
    pub fn beside(key: &Path, place: String) -> Result<Self, LedgerError> {
        let bytes = std::fs::read(key).map_err(|_| LedgerError::Key)?;
        if is_made(&bytes) {
            return Ok(Self { file: key.to_owned(), start: KEY_LINE, place });
        }
        let mut name = key.as_os_str().to_owned();
        name.push(".seen");
        Ok(Self { file: name.into(), start: 0, place })
    }

    /// The last entry that was seen of the ledger with this first entry.
    pub fn head(&self, seal: &Seal, id: &str) -> Option<Head> {
        self.all(seal)
            .into_iter()
            .filter(|own| own.id == id)
            .filter_map(|own| own.head)
            .max_by_key(|own| own.sequence)
    }

    /// Refuses a new ledger where one was that is gone.
    pub fn must_allow_new(&self, seal: &Seal) -> Result<(), LedgerError> {
        let all = self.all(seal);
        let is_latest = |at: usize, own: &Remembered| !all[at + 1..].iter().any(|later| later.id == own.id);
        let is_gone = |own: &Remembered| {
            let is_path = own.place.starts_with('/') || Path::new(&own.place).is_absolute();
            !own.place.is_empty() && (own.place == self.place || is_path && !Path::new(&own.place).is_file())
        };
        match all.iter().enumerate().find(|(at, own)| is_latest(*at, own) && is_gone(own)) {
            Some((_, own)) => Err(LedgerError::Gone {
                place: own.place.clone(),
                entries: own.head.as_ref().map_or(1, |head| head.sequence),
            }),
            None => Ok(()),
        }
    }

    /// Remembers the last entry of a ledger. What cannot be written is not remembered.
    pub fn keep(&self, seal: &Seal, id: &str, head: &Head) {
        let _ = self.write(seal, id, head);
    }

    fn write(&self, seal: &Seal, id: &str, head: &Head) -> Result<(), LedgerError> {
        let failed = |_: std::io::Error| LedgerError::Key;
        let fields = fields(seal, id, head)?;
        let known = self.all(seal).into_iter().rev().find(|own| own.id == id && own.place == self.place);
        if known.as_ref().and_then(|own| own.head.as_ref()).is_some_and(|own| own.sequence >= head.sequence) {
            return Ok(());
        }
        let mut options = std::fs::OpenOptions::new();
        match known {
            Some(known) => {
                let mut file = options.write(true).open(&self.file).map_err(failed)?;
                file.seek(SeekFrom::Start(known.at)).map_err(failed)?;
                file.write_all(fields.as_bytes()).map_err(failed)
            }
            None => {
                options.append(true).create(self.start == 0);
                #[cfg(unix)]
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
                let mut file = options.open(&self.file).map_err(failed)?;
                file.write_all(format!("{WORD}{id} {fields} {}\n", self.place).as_bytes()).map_err(failed)
            }
        }
    }

    fn all(&self, seal: &Seal) -> Vec<Remembered> {
        let Ok(bytes) = std::fs::read(&self.file) else { return Vec::new() };
        let mut found = Vec::new();
        let mut at = self.start;
        for line in bytes.get(self.start..).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
            let own = std::str::from_utf8(line).ok().and_then(|line| remembered(line, at, seal));
            found.extend(own);
            at += line.len();
        }
        found
    }
}

/// What changes in a line.
fn fields(seal: &Seal, id: &str, head: &Head) -> Result<String, LedgerError> {
    let check = seal.hash(id, &["the memory of a privet ledger", &head.sequence.to_string(), &head.hash])?;
    let check = check.get(..CHECK).unwrap_or_default();
    Ok(format!("{:0>NUMBER$} {} {check}", head.sequence, head.hash))
}

fn remembered(line: &str, at: usize, seal: &Seal) -> Option<Remembered> {
    let rest = line.strip_prefix(WORD)?.strip_suffix('\n')?;
    let (id, rest) = rest.split_once(' ')?;
    let changing = rest.get(..NUMBER + HASH + CHECK + 2)?;
    let place = rest.get(NUMBER + HASH + CHECK + 3..)?;
    let read = || {
        let (number, hash) = changing.split_once(' ')?;
        let head = Head { sequence: number.parse().ok()?, hash: hash.get(..HASH)?.to_owned() };
        (fields(seal, id, &head).ok()? == changing).then_some(head)
    };
    let offset = at + WORD.len() + id.len() + 1;
    Some(Remembered { at: offset as u64, id: id.to_owned(), head: read(), place: place.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(sequence: u64) -> Head {
        Head { sequence, hash: format!("{sequence:064x}") }
    }

    #[test]
    fn what_was_seen_stays_with_the_key() {
        let folder = tempfile::tempdir().unwrap();
        for content in [format!("{}\n", "a1".repeat(32)), "a key of my own, of bytes".to_owned()] {
            let key = folder.path().join("key");
            std::fs::write(&key, &content).unwrap();
            let before = Seal::from_key_file(&key).unwrap();
            let ledger = folder.path().join("ledger");
            let (one, two) = ("1".repeat(HASH), "2".repeat(HASH));
            let memory = |place: &Path| Memory::beside(&key, place_of(place)).unwrap();
            let own = memory(&ledger);
            assert!(own.must_allow_new(&before).is_ok());
            own.keep(&before, &one, &head(1));
            own.keep(&before, &one, &head(12));
            own.keep(&before, &one, &head(7));
            memory(&folder.path().join("other")).keep(&before, &two, &head(3));
            // The key is the same as it was, whatever is remembered beside it.
            let seal = Seal::from_key_file(&key).unwrap();
            assert_eq!(seal.mark().unwrap(), before.mark().unwrap());
            assert_eq!((own.head(&seal, &one), own.head(&seal, &two)), (Some(head(12)), Some(head(3))));
            assert_eq!(own.head(&Seal::Keyed(vec![9; 16]), &one), None, "it is not this key's memory");
            assert!(matches!(own.must_allow_new(&seal), Err(LedgerError::Gone { entries: 12, .. })));
            // The ledger was moved, and is there.
            std::fs::write(folder.path().join("moved"), "").unwrap();
            std::fs::write(folder.path().join("other"), "").unwrap();
            memory(&folder.path().join("moved")).keep(&seal, &one, &head(13));
            assert!(memory(&folder.path().join("third")).must_allow_new(&seal).is_ok());
            std::fs::remove_file(folder.path().join("other")).unwrap();
            let refused = memory(&folder.path().join("third")).must_allow_new(&seal);
            assert!(matches!(refused, Err(LedgerError::Gone { entries: 3, .. })));
            std::fs::remove_file(folder.path().join("moved")).unwrap();
            let _ = std::fs::remove_file(folder.path().join("key.seen"));
        }
    }

    /// A line that was cut off in the middle is no last entry, and still tells that there was a ledger.
    #[test]
    fn half_a_line_is_half_a_memory() {
        let folder = tempfile::tempdir().unwrap();
        let key = folder.path().join("key");
        std::fs::write(&key, format!("{}\n", "a1".repeat(32))).unwrap();
        let seal = Seal::from_key_file(&key).unwrap();
        let own = Memory::beside(&key, place_of(&folder.path().join("ledger"))).unwrap();
        let id = "1".repeat(HASH);
        own.keep(&seal, &id, &head(5));
        let mut text = std::fs::read_to_string(&key).unwrap();
        let place = text.find("00000005").unwrap();
        text.replace_range(place..place + 8, "00000006");
        std::fs::write(&key, text).unwrap();
        assert_eq!(own.head(&seal, &id), None);
        assert!(own.must_allow_new(&seal).is_err());
        own.keep(&seal, &id, &head(6));
        assert_eq!(own.head(&seal, &id), Some(head(6)));
    }
}
