//! Which records agree on some columns.

use foldhash::{HashMap, HashMapExt};

use super::UtilityError;

/// The group of a record that is left out.
pub(super) const NONE: u32 = u32::MAX;

/// Records by what they have in some columns. Groups are numbered in the order in which they first occur, so that the
/// numbers, and every sum over groups, are the same whenever the records are.
#[derive(Debug, Clone)]
pub(super) struct Grouping {
    /// Per record its group, or [`NONE`].
    pub of: Vec<u32>,
    /// Per group its first record.
    pub first: Vec<usize>,
    /// Per group how many records it has.
    pub sizes: Vec<u64>,
}

/// Groups `rows` records by columns of that many codes.
///
/// # Errors
/// When a column or the mask has another length, or records are too many to be numbered.
pub(super) fn group(
    columns: &[&[u32]],
    rows: usize,
    left_out: Option<&[bool]>,
) -> Result<Grouping, UtilityError> {
    for column in columns {
        super::same_length("codes of a column", column.len(), rows)?;
    }
    if rows >= NONE as usize {
        return Err(UtilityError::Parameter { what: "the number of records", accepted: "below 4294967295" });
    }
    let mut of = vec![0; rows];
    if let Some(mask) = left_out {
        super::same_length("marks of suppressed records", mask.len(), rows)?;
        of.iter_mut().zip(mask).filter(|(_, out)| **out).for_each(|(own, _)| *own = NONE);
    }
    // Column by column: a group so far and a code make a new group. No key is wider than a word, however many columns.
    let mut number: HashMap<u64, u32> = HashMap::new();
    for column in columns {
        number.clear();
        for (own, &code) in of.iter_mut().zip(*column) {
            if *own != NONE {
                let next = number.len() as u32;
                *own = *number.entry(u64::from(*own) << 32 | u64::from(code)).or_insert(next);
            }
        }
    }
    let (mut first, mut sizes) = (Vec::new(), Vec::new());
    for (row, &own) in of.iter().enumerate().filter(|(_, own)| **own != NONE) {
        if own as usize == sizes.len() {
            first.push(row);
            sizes.push(0);
        }
        sizes[own as usize] += 1;
    }
    Ok(Grouping { of, first, sizes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_as_they_occur() {
        let (a, b) = ([5, 5, 1, 5, 1], [9, 8, 9, 9, 9]);
        let groups = group(&[&a, &b], 5, None).unwrap();
        assert_eq!((groups.of, groups.first), (vec![0, 1, 2, 0, 2], vec![0, 1, 2]));
        assert_eq!(groups.sizes, [2, 1, 2]);
        let some = group(&[&a, &b], 5, Some(&[true, false, false, false, true])).unwrap();
        assert_eq!((some.of, some.sizes), (vec![NONE, 0, 1, 2, NONE], vec![1, 1, 1]));
        assert_eq!(group(&[], 3, None).unwrap().sizes, [3]);
        assert!(group(&[], 0, None).unwrap().sizes.is_empty());
        assert!(group(&[&a], 4, None).is_err() && group(&[&a], 5, Some(&[true])).is_err());
    }
}
