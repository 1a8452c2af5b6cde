//! Who is who: the owner's table of ids and published numbers. It is never published.

use privet_kind::{KindError, OwnerFiles};

use crate::NOBODY;

/// The name of the file in the owner's folder.
pub const FILE: &str = "who-is-who.csv";

/// The table: per node of the original its id and its published node, or its cluster.
pub fn write(ids: &[Box<str>], truth: &[u32]) -> Vec<u8> {
    let mut text = String::from("published,id\n");
    for (id, node) in ids.iter().zip(truth) {
        let number = if *node == NOBODY { String::new() } else { node.to_string() };
        text.push_str(&format!("{number},\"{}\"\n", id.replace('"', "\"\"")));
    }
    text.into_bytes()
}

/// The published node of each person, where the owner kept the table.
pub fn read(owner: &OwnerFiles, ids: &[Box<str>]) -> Result<Option<Vec<u32>>, KindError> {
    let Some(bytes) = owner.get(FILE) else { return Ok(None) };
    let wrong = || {
        KindError::bad_input(format!(
            "`{FILE}` of the owner's folder does not fit the input; make the release again, or name its input"
        ))
    };
    let text = std::str::from_utf8(bytes).map_err(|_| wrong())?;
    let mut rest = text.strip_prefix("published,id\n").ok_or_else(wrong)?;
    let mut truth = Vec::with_capacity(ids.len());
    // The ids are known, so every line is known but for its number.
    for id in ids {
        let (number, after) = rest.split_once(',').ok_or_else(wrong)?;
        let line = format!("\"{}\"\n", id.replace('"', "\"\""));
        rest = after.strip_prefix(line.as_str()).ok_or_else(wrong)?;
        truth.push(match number {
            "" => NOBODY,
            own => own.parse().map_err(|_| wrong())?,
        });
    }
    if rest.is_empty() { Ok(Some(truth)) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let ids: Vec<Box<str>> = ["a", "b\"\n,", ""].map(Box::from).to_vec();
        let bytes = write(&ids, &[2, NOBODY, 0]);
        let owner = OwnerFiles::default().with(FILE, bytes);
        assert_eq!(read(&owner, &ids).unwrap(), Some(vec![2, NOBODY, 0]));
        assert!(read(&owner, &ids[..2]).is_err());
        assert!(read(&owner, &["a", "b", ""].map(Box::from)).is_err());
        assert_eq!(read(&OwnerFiles::default(), &ids).unwrap(), None);
    }
}
