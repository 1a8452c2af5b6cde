//! What an entry keeps of a population or of an audited question, encrypted, so that whoever reads a ledger without its key learns
//! neither people nor how many there are, nor what was asked about whom.
//!
//! The bytes are added to a keystream: HMAC-SHA-256 of a random number and a counter, under a secret that follows from the
//! ledger's key. That a change is noticed is the matter of the chain, which covers the text.

use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::LedgerError;
use super::chain::{Seal, hex};
use super::population::Sketch;

/// What such a text begins with.
const FORM: &str = "p1:";
/// The bytes of the random number.
const NONCE: usize = 16;

/// What the text of an audited question begins with, under a key and without one.
const TEXT: &str = "a1:";
const PLAIN: &str = "a0:";

/// A sketch as text; none where there is no key.
pub(super) fn sealed(sketch: &Sketch, seal: &Seal) -> Result<Option<String>, LedgerError> {
    Ok(enclosed(FORM, sketch.bytes(), seal)?.ok())
}

/// The sketch of such a text; none when it is none of this key.
pub(super) fn opened(text: &str, seal: &Seal) -> Result<Option<Sketch>, LedgerError> {
    Ok(disclosed(FORM, text, seal)?.and_then(|bytes| Sketch::parse(&bytes)))
}

/// What a ledger keeps of an audited question: who has no key does not see what was asked about whom.
pub(super) fn sealed_text(text: &str, seal: &Seal) -> Result<String, LedgerError> {
    let kept = enclosed(TEXT, text.as_bytes().to_vec(), seal)?;
    Ok(kept.unwrap_or_else(|_| format!("{PLAIN}{text}")))
}

/// The text of an audited question; none when it is none of this key.
pub(super) fn opened_text(text: &str, seal: &Seal) -> Result<Option<String>, LedgerError> {
    if let (Seal::Plain, Some(text)) = (seal, text.strip_prefix(PLAIN)) {
        return Ok(Some(text.to_owned()));
    }
    Ok(disclosed(TEXT, text, seal)?.and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// Bytes that are kept beside a ledger: encrypted, and bound to its key and to what they are for, so that nobody else can read, make or
/// change them.
///
/// # Errors
/// When the key cannot be read.
pub fn seal_beside(key: &Path, purpose: &str, mut bytes: Vec<u8>) -> Result<Vec<u8>, LedgerError> {
    let (stream, mac) = beside(key, purpose)?;
    let mut nonce = [0u8; NONCE];
    let no_random = |_| LedgerError::Storage("the generator of random numbers failed".to_owned());
    getrandom::fill(&mut nonce).map_err(no_random)?;
    add(&stream, &nonce, &mut bytes);
    let tag = mac.chain_update(nonce).chain_update(&bytes).finalize().into_bytes();
    Ok([&tag[..], &nonce, &bytes].concat())
}

/// What [`seal_beside`] sealed; none when it is of another key or purpose, or was changed.
///
/// # Errors
/// When the key cannot be read.
pub fn open_beside(key: &Path, purpose: &str, sealed: &[u8]) -> Result<Option<Vec<u8>>, LedgerError> {
    let (stream, mac) = beside(key, purpose)?;
    let read = || {
        let (tag, rest) = sealed.split_first_chunk::<32>()?;
        mac.chain_update(rest).verify_slice(tag).ok()?;
        let (nonce, rest) = rest.split_first_chunk::<NONCE>()?;
        let mut bytes = rest.to_vec();
        add(&stream, nonce, &mut bytes);
        Some(bytes)
    };
    Ok(read())
}

fn beside(key: &Path, purpose: &str) -> Result<(Hmac<Sha256>, Hmac<Sha256>), LedgerError> {
    let seal = Seal::from_key_file(key)?;
    let secret = |what: &str| {
        let secret = seal.derived(&format!("{what}: {purpose}"))?.ok_or(LedgerError::Key)?;
        Hmac::new_from_slice(&secret).map_err(|_| LedgerError::Key)
    };
    Ok((
        secret("what is kept beside a privet ledger")?,
        secret("the tag of what is kept beside a privet ledger")?,
    ))
}

/// Bytes as text under a key; the bytes themselves where there is none.
fn enclosed(form: &str, mut bytes: Vec<u8>, seal: &Seal) -> Result<Result<String, Vec<u8>>, LedgerError> {
    let Some(stream) = stream(seal)? else { return Ok(Err(bytes)) };
    let mut nonce = [0u8; NONCE];
    let no_random = |_| LedgerError::Storage("the generator of random numbers failed".to_owned());
    getrandom::fill(&mut nonce).map_err(no_random)?;
    add(&stream, &nonce, &mut bytes);
    Ok(Ok(format!("{form}{}{}", hex(&nonce), hex(&bytes))))
}

fn disclosed(form: &str, text: &str, seal: &Seal) -> Result<Option<Vec<u8>>, LedgerError> {
    let Some(stream) = stream(seal)? else { return Ok(None) };
    let read = || {
        let mut bytes = unhex(text.strip_prefix(form)?)?;
        let (nonce, rest) = bytes.split_first_chunk_mut::<NONCE>()?;
        add(&stream, nonce, rest);
        Some(rest.to_vec())
    };
    Ok(read())
}

fn stream(seal: &Seal) -> Result<Option<Hmac<Sha256>>, LedgerError> {
    let Some(secret) = seal.derived("what a privet ledger keeps of people")? else { return Ok(None) };
    Hmac::new_from_slice(&secret).map(Some).map_err(|_| LedgerError::Key)
}

fn add(stream: &Hmac<Sha256>, nonce: &[u8; NONCE], bytes: &mut [u8]) {
    for (at, block) in bytes.chunks_mut(32).enumerate() {
        let mut mac = stream.clone();
        mac.update(nonce);
        mac.update(&(at as u64).to_le_bytes());
        block.iter_mut().zip(mac.finalize().into_bytes()).for_each(|(own, key)| *own ^= key);
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some((16 * digit(*high)? + digit(*low)?) as u8),
        _ => None,
    };
    text.as_bytes().chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sketch_comes_back_with_its_key_alone() {
        let (own, other) = (Seal::Keyed(vec![7; 32]), Seal::Keyed(vec![8; 32]));
        let sketch = Sketch::default();
        let (one, two) = (sealed(&sketch, &own).unwrap().unwrap(), sealed(&sketch, &own).unwrap().unwrap());
        assert_ne!(one, two, "the same people, and nobody sees it");
        assert_eq!(opened(&one, &own).unwrap(), Some(sketch.clone()));
        assert_eq!(opened(&one, &other).unwrap(), None);
        assert_eq!(sealed(&sketch, &Seal::Plain).unwrap(), None);
        for bad in ["", "p1:", "p1:00", "p1:zz", "p2:00"] {
            assert_eq!(opened(bad, &own).unwrap(), None, "{bad}");
        }
    }

    #[test]
    fn what_is_kept_beside_comes_back_with_its_key_and_purpose_alone() {
        let folder = tempfile::tempdir().unwrap();
        let key = |name: &str, byte: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, byte.repeat(32)).unwrap();
            path
        };
        let (own, other) = (key("own", "7"), key("other", "8"));
        let bytes = b"what was asked about whom, and more than one block of it".to_vec();
        let sealed = seal_beside(&own, "state", bytes.clone()).unwrap();
        assert!(!sealed.windows(5).any(|own| own == b"asked"));
        assert_eq!(open_beside(&own, "state", &sealed).unwrap(), Some(bytes));
        assert_eq!(open_beside(&other, "state", &sealed).unwrap(), None);
        assert_eq!(open_beside(&own, "another", &sealed).unwrap(), None);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(open_beside(&own, "state", &changed).unwrap(), None, "{at}");
        }
        assert_eq!(open_beside(&own, "state", &sealed[..40]).unwrap(), None);
        assert!(seal_beside(&folder.path().join("none"), "state", Vec::new()).is_err());
    }

    #[test]
    fn an_audited_question_comes_back_with_its_key_alone() {
        let (own, other) = (Seal::Keyed(vec![7; 32]), Seal::Keyed(vec![8; 32]));
        let text = "{\"people\":[[0,40]]}";
        let kept = sealed_text(text, &own).unwrap();
        assert!(!kept.contains("people"));
        assert_eq!(opened_text(&kept, &own).unwrap().as_deref(), Some(text));
        assert_ne!(opened_text(&kept, &other).unwrap().as_deref(), Some(text));
        assert_eq!(opened_text(&kept, &Seal::Plain).unwrap(), None);
        let plain = sealed_text(text, &Seal::Plain).unwrap();
        assert_eq!(opened_text(&plain, &Seal::Plain).unwrap().as_deref(), Some(text));
        assert_eq!(opened_text(&plain, &own).unwrap(), None, "an unsigned text is none of a signed ledger");
    }
}
