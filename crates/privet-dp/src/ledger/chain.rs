//! The hash chain: every entry's hash covers the entry and the hash before it.
//!
//! SHA-256, or HMAC-SHA-256 with a key. Without a key the chain shows accidents and careless edits; whoever can write
//! the file can also recompute it. With a key that the writer of the file does not have, no entry can be changed,
//! inserted or taken out of the middle unnoticed. Entries cut off the end are found by comparing with a
//! [`super::Head`] kept elsewhere. Fields are hashed with their lengths, so that none can pass for part of another.

use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::LedgerError;

/// What signs entries.
#[derive(Clone)]
pub(super) enum Seal {
    Plain,
    Keyed(Vec<u8>),
}

/// The bytes of a key that privet made: 64 digits and a line feed.
pub(super) const KEY_LINE: usize = 65;

/// Whether a key file is one that privet made, with whatever is remembered below the key.
pub(super) fn is_made(bytes: &[u8]) -> bool {
    let Some((key, rest)) = bytes.split_at_checked(KEY_LINE) else { return false };
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    key.last() == Some(&b'\n')
        && key[..KEY_LINE - 1].iter().all(is_digit)
        && (rest.is_empty() || rest.starts_with(b"ledger "))
}

/// The hash before the first entry.
pub(super) const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

impl Seal {
    pub fn from_key_file(path: &Path) -> Result<Self, LedgerError> {
        let mut key = std::fs::read(path).map_err(|_| LedgerError::Key)?;
        if is_made(&key) {
            key.truncate(KEY_LINE);
        }
        if key.len() < 16 {
            return Err(LedgerError::Key);
        }
        Ok(Self::Keyed(key))
    }

    /// A secret for one purpose that follows from the key; none without a key.
    pub fn derived(&self, purpose: &str) -> Result<Option<[u8; 32]>, LedgerError> {
        let Self::Keyed(key) = self else { return Ok(None) };
        let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| LedgerError::Key)?;
        mac.update(b"derived secret: ");
        mac.update(purpose.as_bytes());
        Ok(Some(mac.finalize().into_bytes().into()))
    }

    /// What a ledger keeps of its key, to tell another key from a changed entry: 31 bits that follow from it, from which
    /// it cannot be found; 0 without a key.
    pub fn mark(&self) -> Result<i32, LedgerError> {
        if let Self::Plain = self {
            return Ok(0);
        }
        let hash = self.hash(START, &["the key of a privet ledger"])?;
        let bits = u32::from_str_radix(hash.get(..8).unwrap_or_default(), 16).unwrap_or(0);
        Ok((bits >> 1 | 1) as i32)
    }

    /// Refuses a key, or none, that does not fit a mark. Ledgers of earlier versions have none.
    pub fn must_fit(&self, mark: i32) -> Result<(), LedgerError> {
        match (mark, self) {
            (0, _) => Ok(()),
            (_, Self::Plain) => Err(LedgerError::KeyMissing),
            (mark, own) if own.mark()? == mark => Ok(()),
            _ => Err(LedgerError::OtherKey),
        }
    }

    /// The hash of an entry as hexadecimal text.
    pub fn hash(&self, previous: &str, fields: &[&str]) -> Result<String, LedgerError> {
        let mut message = Vec::new();
        for field in std::iter::once(&previous).chain(fields) {
            message.extend_from_slice(&(field.len() as u64).to_le_bytes());
            message.extend_from_slice(field.as_bytes());
        }
        match self {
            Self::Plain => Ok(hex(&Sha256::digest(&message))),
            Self::Keyed(key) => {
                let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| LedgerError::Key)?;
                mac.update(&message);
                Ok(hex(&mac.finalize().into_bytes()))
            }
        }
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        // RFC 4231, test case 2: key "Jefe", data "what do ya want for nothing?".
        let mut mac = Hmac::<Sha256>::new_from_slice(b"Jefe").unwrap();
        mac.update(b"what do ya want for nothing?");
        assert_eq!(
            hex(&mac.finalize().into_bytes()),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(hex(&Sha256::digest(b"abc"))[..16], *"ba7816bf8f01cfea");
    }

    #[test]
    fn marks_tell_keys_apart() {
        let (one, two) = (Seal::Keyed(vec![7; 16]), Seal::Keyed(vec![8; 16]));
        assert_eq!(Seal::Plain.mark().unwrap(), 0);
        let mark = one.mark().unwrap();
        assert!(mark > 0 && one.must_fit(mark).is_ok() && one.must_fit(0).is_ok());
        assert!(matches!(two.must_fit(mark), Err(LedgerError::OtherKey)));
        assert!(matches!(Seal::Plain.must_fit(mark), Err(LedgerError::KeyMissing)));
    }

    #[test]
    fn fields_do_not_run_together() {
        let seal = Seal::Plain;
        assert_ne!(seal.hash(START, &["ab", "c"]).unwrap(), seal.hash(START, &["a", "bc"]).unwrap());
        let keyed = Seal::Keyed(vec![7; 16]);
        assert_ne!(seal.hash(START, &["a"]).unwrap(), keyed.hash(START, &["a"]).unwrap());
    }
}
