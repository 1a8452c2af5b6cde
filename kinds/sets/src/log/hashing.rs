//! Hashing of words (survey AP-11, ME-01): the weak method that it is.
//!
//! Every word is replaced by a keyed hash (HMAC with SHA-256, 64 bits of it), the key is drawn from the operating system and thrown
//! away. *Guarantee*: nobody can hash a dictionary and look words up. That is all: equal words stay equal, so frequencies and
//! company give words away (AT-26, AT-27).

use std::fmt::Write;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::Log;
use crate::{Baskets, SetsError};

/// The key of the hashes of one release.
#[derive(Clone)]
pub struct TokenKey([u8; 32]);

impl std::fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenKey")
    }
}

impl TokenKey {
    /// A new key from the operating system.
    ///
    /// # Errors
    /// When the operating system gives no randomness.
    pub fn draw() -> Result<Self, SetsError> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|_| privet_dp::DpError::Generator)?;
        Ok(Self(key))
    }

    #[cfg(test)]
    pub(crate) fn fixed(byte: u8) -> Self {
        Self([byte; 32])
    }

    fn hash(&self, word: &str) -> u64 {
        // cannot fail: HMAC takes keys of any length
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.0).expect("HMAC takes any key");
        mac.update(word.as_bytes());
        let digest = mac.finalize().into_bytes();
        let mut first = [0u8; 8];
        first.copy_from_slice(&digest[..8]); // why: a SHA-256 digest has 32 bytes
        u64::from_be_bytes(first)
    }
}

/// The words of a query: letters and digits, small.
pub fn tokens_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|own: char| !own.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// A log whose words are hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashedLog {
    /// Per query of the log the numbers of its words.
    pub queries: Baskets,
    /// Per word its hash, in rising order: the numbers tell nothing of the words.
    pub hashes: Vec<Box<str>>,
    /// Per word its text. Never published.
    pub words: Vec<Box<str>>,
}

/// Hashes the words of all queries.
pub fn hash_tokens(log: &Log, key: &TokenKey) -> HashedLog {
    let mut words: Vec<&str> = log.texts().iter().flat_map(|text| tokens_of(text)).collect();
    words.sort_unstable();
    words.dedup();
    let mut hashed: Vec<(u64, &str)> = words.iter().map(|word| (key.hash(word), *word)).collect();
    hashed.sort_unstable();
    let number: foldhash::HashMap<&str, u32> =
        hashed.iter().zip(0..).map(|((_, word), number)| (*word, number)).collect();
    let queries = Baskets::of(
        log.texts()
            .iter()
            .map(|text| tokens_of(text).filter_map(|word| number.get(word).copied()).collect::<Vec<_>>()),
    );
    let text_of = |hash: u64| {
        let mut text = String::with_capacity(16);
        // cannot fail: writing to a string
        let _ = write!(text, "{hash:016x}");
        text.into_boxed_str()
    };
    HashedLog {
        queries,
        hashes: hashed.iter().map(|(hash, _)| text_of(*hash)).collect(),
        words: hashed.iter().map(|(_, word)| (*word).into()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::search_log;

    #[test]
    fn equal_words_stay_equal_and_nothing_else_is_shown() {
        let log = search_log();
        let (one, other) = (hash_tokens(&log, &TokenKey::fixed(1)), hash_tokens(&log, &TokenKey::fixed(2)));
        assert_eq!(one.hashes.len(), one.words.len());
        assert!(one.hashes.iter().all(|hash| hash.len() == 16) && one.hashes != other.hashes);
        let tax = one.words.iter().position(|word| &**word == "tax").unwrap() as u32;
        assert_eq!(one.queries.iter().filter(|query| query.contains(&tax)).count(), 2);
        assert_ne!(TokenKey::draw().unwrap().hash("tax"), TokenKey::draw().unwrap().hash("tax"));
        assert_eq!(tokens_of("www.some-church.com").collect::<Vec<_>>(), ["www", "some", "church", "com"]);
    }
}
