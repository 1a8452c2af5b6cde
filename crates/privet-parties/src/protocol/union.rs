//! Secure set union: everybody learns the items that some party holds, and not which (papers T-AL12; Kantarcıoğlu and Clifton).
//!
//! Every party fills its set up with fake items to the same public size and puts it under the keys of all parties on the way around the ring,
//! shuffled at every stop. The first party puts all sets together and drops what is there twice; then the keys come off in the ring, and the
//! fakes, which are marked, are dropped.
//!
//! # Security
//! Semi-honest parties, decisional Diffie-Hellman in Ristretto. Fakes hide how many items a party holds; shuffles hide whose an item is. What
//! is revealed besides the union: the first party learns how many items each pair of parties has in common, but not which; the last learns
//! how many fakes there were in all. The first party and one that colludes with it learn nothing of whose an item is as long as one more party
//! keeps its shuffle to itself: with two parties, whoever does not hold an item knows that the other does.

use std::collections::BTreeSet;

use super::group::{Encoded, Key, LONGEST_ITEM, embed, item, parse_points};
use crate::error::{PartyError, Reason};
use crate::random::{self, Generator};
use crate::session::Session;
use crate::session::wire::Tag;

/// The longest item: one byte tells fakes.
pub const LONGEST: usize = LONGEST_ITEM - 1;
const REAL: u8 = 0;
const FAKE: u8 = 1;

fn points_of(session: &mut Session<'_>, from: usize, at_most: usize) -> Result<Vec<Encoded>, PartyError> {
    let message = session.receive(from, Tag::UnionSet, 32 * at_most)?;
    session.parse(from, &message, |reader| parse_points(reader, message.len() / 32))
}

/// The union of all parties' items, each of which has at most `size` of them, sorted.
///
/// # Errors
/// When there are too many items or one is too long, or the session fails.
pub fn union(session: &mut Session<'_>, items: &[Vec<u8>], size: usize) -> Result<Vec<Vec<u8>>, PartyError> {
    let own: BTreeSet<&Vec<u8>> = items.iter().collect();
    if own.len() > size {
        return Err(PartyError::Input("there are more items than the job allows".to_owned()));
    }
    if own.iter().any(|item| item.len() > LONGEST) {
        return Err(PartyError::Input(format!(
            "an item has more than {LONGEST} bytes: use codes instead of names"
        )));
    }
    let mut points = Vec::with_capacity(size);
    for own in &own {
        points.push(embed(&[&[REAL], own.as_slice()].concat())?);
    }
    while points.len() < size {
        points.push(embed(&[&[FAKE], &random::array::<LONGEST>()?[..]].concat())?);
    }
    let parties = session.parties();
    let (before, after) = ((session.me() + parties - 1) % parties, (session.me() + 1) % parties);
    let mut generator = Generator::system()?;
    let key = Key::random()?;
    let blame = |session: &Session<'_>, reason| session.blame(before, reason);
    points = key.apply(&points).map_err(|reason| blame(session, reason))?;
    generator.shuffle(&mut points);
    for round in 0..parties {
        session.send(after, Tag::UnionSet, points.as_flattened())?;
        points = points_of(session, before, size)?;
        if points.len() != size {
            return Err(session.blame(before, Reason::Malformed));
        }
        if round + 1 < parties {
            points = key.apply(&points).map_err(|reason| blame(session, reason))?;
            generator.shuffle(&mut points);
        }
    }
    let off = key.inverse();
    if session.me() == 0 {
        let mut all: BTreeSet<Encoded> = points.into_iter().collect();
        for other in session.others() {
            all.extend(points_of(session, other, size)?);
        }
        let mut all =
            off.apply(&all.into_iter().collect::<Vec<_>>()).map_err(|reason| blame(session, reason))?;
        generator.shuffle(&mut all);
        session.send(after, Tag::UnionSet, all.as_flattened())?;
        points = points_of(session, before, parties * size)?;
    } else {
        session.send(0, Tag::UnionSet, points.as_flattened())?;
        let all = points_of(session, before, parties * size)?;
        points = off.apply(&all).map_err(|reason| blame(session, reason))?;
        generator.shuffle(&mut points);
        if after == 0 {
            // The last: what is left are the items.
            let mut real = Vec::new();
            for point in points {
                let marked = item(&point).map_err(|reason| blame(session, reason))?;
                if marked.first() == Some(&REAL) {
                    real.push(point);
                }
            }
            real.sort_unstable();
            points = real;
            session.broadcast(Tag::UnionSet, points.as_flattened())?;
        } else {
            session.send(after, Tag::UnionSet, points.as_flattened())?;
            points = points_of(session, parties - 1, parties * size)?;
        }
    }
    let mut items = Vec::with_capacity(points.len());
    for point in &points {
        match item(point).map(<[u8]>::split_first) {
            Ok(Some((&REAL, rest))) => items.push(rest.to_vec()),
            _ => return Err(session.blame(parties - 1, Reason::Invalid)),
        }
    }
    items.sort_unstable();
    Ok(items)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn the_union_is_that_of_the_sets(
            sets in proptest::collection::vec(proptest::collection::btree_set("[a-e]{0,3}", 0..12), 2..5),
        ) {
            let expected: BTreeSet<Vec<u8>> = sets.iter().flatten().map(|own| own.clone().into_bytes()).collect();
            let expected: Vec<Vec<u8>> = expected.into_iter().collect();
            let results = run_local(sets.len(), |session| {
                let own: Vec<Vec<u8>> = sets[session.me()].iter().map(|own| own.clone().into_bytes()).collect();
                union(session, &own, 12)
            });
            for result in results {
                prop_assert_eq!(result.unwrap(), expected.clone());
            }
        }
    }

    #[test]
    fn items_that_are_too_long_are_refused_before_anything_is_sent() {
        for (length, is_refused) in [(LONGEST, false), (LONGEST + 1, true)] {
            let results = run_local(2, |session| {
                let result = union(session, &[vec![b'x'; length]], 2);
                Ok((result, session.traffic().sent))
            });
            for result in results {
                let (result, sent) = result.unwrap();
                assert_eq!((result.is_err(), sent == 0), (is_refused, is_refused), "{length}");
            }
        }
    }

    /// FX-T10, set union: powers modulo 2027 under the keys 5, 13 and 17; toy size.
    #[test]
    fn fx_t10_union() {
        let power = |base: u64, exponent: u64| (0..exponent).fold(1, |product, _| product * base % 2027);
        let under_all = |own: &[u64], keys: [u64; 3]| -> BTreeSet<u64> {
            own.iter().map(|&own| keys.into_iter().fold(own, power)).collect()
        };
        let orders = [[5, 13, 17], [13, 17, 5], [17, 5, 13]];
        let sets = [vec![101, 202], vec![101, 303], vec![303]];
        let all: BTreeSet<u64> =
            sets.iter().zip(orders).flat_map(|(own, keys)| under_all(own, keys)).collect();
        assert_eq!(all, BTreeSet::from([95, 915, 1263]));
        let inverse = |key: u64| (1..2026).find(|own| own * key % 2026 == 1).unwrap();
        let items = under_all(&all.into_iter().collect::<Vec<_>>(), [5, 13, 17].map(inverse));
        assert_eq!(items, BTreeSet::from([101, 202, 303]));
    }
}
