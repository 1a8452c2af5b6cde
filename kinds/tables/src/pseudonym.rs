//! Keyed pseudonyms and shifts of dates (HMAC-SHA-256): the same in all tables of a release, others in every release.
//!
//! Guarantee: without the key, which stays with the owner, a pseudonym tells nothing of the name, and pseudonyms of two releases cannot
//! be matched. All days of a person are shifted alike, so that intervals stay.

use hmac::{Hmac, KeyInit, Mac};
use privet_data::{Kind, date_of};
use privet_kind::KindError;
use sha2::Sha256;

/// The name of the key among the owner's files.
pub const KEY_FILE: &str = "release.key";

/// The key of a release.
pub struct ReleaseKey([u8; 32]);

impl ReleaseKey {
    /// A key from the operating system.
    pub fn draw() -> Result<Self, KindError> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|_| {
            KindError::resources("the operating system gives no random numbers, and pseudonyms need them")
        })?;
        Ok(Self(key))
    }

    /// As it stands in the owner's file.
    pub fn text(&self) -> String {
        hex(&self.0) + "\n"
    }

    fn code(&self, what: &str, name: &str) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0)
            .unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"));
        mac.update(what.as_bytes());
        mac.update(&[0]);
        mac.update(name.as_bytes());
        mac.finalize().into_bytes().into()
    }

    /// The pseudonym of a name; `what` says of what it is one, such as the table.
    pub fn pseudonym(&self, what: &str, name: &str) -> String {
        hex(&self.code(what, name)[..16])
    }

    /// By how many days the dates of a person are shifted: from 1 to `most`, forwards or backwards.
    pub fn days(&self, person: &str, most: u32) -> i64 {
        let code = self.code(" days", person);
        let number =
            u64::from_le_bytes([code[0], code[1], code[2], code[3], code[4], code[5], code[6], code[7]]);
        // Of 2 to the 64 numbers the remainder favours none by more than one in 10 to the 14.
        let days = (number % (2 * u64::from(most))) as i64;
        if days < i64::from(most) { days - i64::from(most) } else { days - i64::from(most) + 1 }
    }
}

/// A day, or a time of a day, so many days later; nothing for what is no day.
pub fn shifted(text: &str, days: i64) -> Option<String> {
    let day = Kind::Date.number(text)?;
    Some(date_of(day as i64 + days) + text.get(10..)?)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pseudonyms_are_those_of_one_key_and_dates_keep_their_intervals() {
        let (one, other) = (ReleaseKey([1; 32]), ReleaseKey([2; 32]));
        assert_eq!(one.pseudonym("person", "a"), one.pseudonym("person", "a"));
        assert_ne!(one.pseudonym("person", "a"), one.pseudonym("visits", "a"));
        assert_ne!(one.pseudonym("person", "a"), other.pseudonym("person", "a"));
        for person in 0..1000 {
            let days = one.days(&person.to_string(), 30);
            assert!(days != 0 && (-30..=30).contains(&days));
        }
        assert_eq!(shifted("2000-02-28T10:00:00Z", 2).as_deref(), Some("2000-03-01T10:00:00Z"));
        assert_eq!(shifted("yesterday", 2), None);
    }
}
