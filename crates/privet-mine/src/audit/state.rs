//! What auditors of sums know after some entry of a log, to be kept beside it: so a question costs no elimination of all earlier ones.
//!
//! # Guarantee
//! It is used only for a log that holds its entry, so one that is old, or of another log, changes no decision: what came after the entry is
//! taken from the log. Whoever keeps it must see that nobody changes it, because decisions rest on it; without it everything is taken
//! from the log.

use serde::{Deserialize, Serialize};

/// The row spaces of answered sums, per column and group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditState {
    /// The number and digest of the last entry that it covers.
    pub(super) entry: String,
    pub(super) spaces: Vec<Space>,
}

/// One row space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Space {
    pub column: String,
    pub group: String,
    pub words: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    form: u32,
    entry: String,
    spaces: Vec<Listed>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    column: String,
    group: String,
    words: usize,
}

/// The version of the form.
const FORM: u32 = 1;

impl AuditState {
    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let listed = |own: &Space| Listed {
            column: own.column.clone(),
            group: own.group.clone(),
            words: own.words.len(),
        };
        let header = Header {
            form: FORM,
            entry: self.entry.clone(),
            spaces: self.spaces.iter().map(listed).collect(),
        };
        // Cannot fail: the header holds texts and whole numbers.
        let mut bytes = serde_json::to_vec(&header).unwrap_or_default();
        bytes.push(b'\n');
        let words = self.spaces.iter().flat_map(|own| &own.words);
        words.for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    }

    /// The same from bytes; nothing when they are of another form.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        let header: Header = serde_json::from_slice(&bytes[..end]).ok()?;
        let mut rest = &bytes[end + 1..];
        let mut spaces = Vec::new();
        for Listed { column, group, words } in header.spaces {
            let (own, after) = rest.split_at_checked(words.checked_mul(4)?)?;
            rest = after;
            let words = own.chunks_exact(4).map(|own| u32::from_le_bytes([own[0], own[1], own[2], own[3]]));
            spaces.push(Space { column, group, words: words.collect() });
        }
        (header.form == FORM && rest.is_empty()).then_some(Self { entry: header.entry, spaces })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_back_whole_or_not_at_all() {
        let space = |group: &str, words: &[u32]| Space {
            column: "salary".to_owned(),
            group: group.to_owned(),
            words: words.to_vec(),
        };
        let spaces = vec![space("", &[1, u32::MAX, 10]), space("2", &[])];
        let own = AuditState { entry: "7:ab".to_owned(), spaces };
        let bytes = own.to_bytes();
        assert_eq!(AuditState::from_bytes(&bytes), Some(own));
        for wrong in [&bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat(), b"{}\n", b""] {
            assert_eq!(AuditState::from_bytes(wrong), None);
        }
    }
}
