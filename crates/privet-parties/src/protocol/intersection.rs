//! Private set intersection from Diffie-Hellman: the elements that all parties hold, how many there are, or the sum of values that go with
//! them (papers T-AL12).
//!
//! Every party has a key of an exponent. A set goes around the ring of parties, and each puts its key on; under all keys equal items are
//! equal elements, in whatever order the keys were put on.
//!
//! # Security
//! Semi-honest parties, decisional Diffie-Hellman in Ristretto, SHA-512 as a random oracle. The sizes of the sets are public.
//!
//! | form | everybody learns besides the sizes | parties |
//! | --- | --- | --- |
//! | [`intersect`] | which of its own items are in the intersection; of three or more parties also which of its own items each other one holds | two or more |
//! | [`cardinality`] | how many items are in all sets; of three or more also in each subset of the sets | two or more |
//! | [`sum`] | how many items are in both, and the sum of the second party's values over them | two |
//!
//! Parties that collude pool what they learn and no more. Whoever may name items freely can test whether somebody else holds them: agree on
//! where the items come from.

use rayon::prelude::*;

use super::group::{Encoded, Key, parse_points};
use super::paillier::{self, CIPHERTEXT_BYTES, SecretKey};
use crate::error::{PartyError, Reason};
use crate::random::Generator;
use crate::session::Session;
use crate::session::wire::{Reader, Tag};

const DOMAIN: &str = "privet intersection";
/// The most items of a party.
pub const MOST_ITEMS: usize = 1 << 26;
/// An element with a ciphertext.
pub(crate) const PAYLOAD_BYTES: usize = 32 + CIPHERTEXT_BYTES;

/// Elements between two looks at whether to stop.
const CHUNK: usize = 1 << 14;

fn receive_points(session: &mut Session<'_>, from: usize) -> Result<Vec<Encoded>, PartyError> {
    let message = session.receive(from, Tag::BlindedSet, 32 * MOST_ITEMS)?;
    session.parse(from, &message, |reader| parse_points(reader, message.len() / 32))
}

/// This party's items under the keys of all parties: in their order, or in one that nobody knows.
fn under_all_keys(
    session: &mut Session<'_>,
    items: &[Vec<u8>],
    is_shuffled: bool,
) -> Result<Vec<Encoded>, PartyError> {
    let mut sorted: Vec<&Vec<u8>> = items.iter().collect();
    sorted.par_sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(PartyError::Input("two records have the same identifier".to_owned()));
    }
    let parties = session.parties();
    let (before, after) = ((session.me() + parties - 1) % parties, (session.me() + 1) % parties);
    let mut generator = Generator::system()?;
    let key = Key::random()?;
    session.stage("hiding the set", Some(items.len() as u64));
    let mut points = Vec::with_capacity(items.len());
    for some in items.chunks(CHUNK) {
        session.progress().check()?;
        points.extend(key.hide(DOMAIN, some));
        session.at(points.len() as u64);
    }
    for round in 0..parties {
        session.send(after, Tag::BlindedSet, points.as_flattened())?;
        points = receive_points(session, before)?;
        if round + 1 < parties {
            session.stage("hiding the set of another party", Some(points.len() as u64));
            let mut hidden = Vec::with_capacity(points.len());
            for some in points.chunks(CHUNK) {
                session.progress().check()?;
                hidden.extend(key.apply(some).map_err(|reason| session.blame(before, reason))?);
                session.at(hidden.len() as u64);
            }
            points = hidden;
            if is_shuffled {
                generator.shuffle(&mut points);
            }
        }
    }
    if points.len() != items.len() {
        return Err(session.blame(before, Reason::Invalid));
    }
    Ok(points)
}

/// The sets of all parties under all keys, sorted.
fn all_sets(session: &mut Session<'_>, own: &[Encoded]) -> Result<Vec<Vec<Encoded>>, PartyError> {
    // Sorted, they tell nothing of the order of the items.
    let mut sorted = own.to_vec();
    sorted.par_sort_unstable();
    session.broadcast(Tag::BlindedSet, sorted.as_flattened())?;
    let mut sets = vec![Vec::new(); session.parties()];
    for other in session.others() {
        sets[other] = receive_points(session, other)?;
        if !sets[other].is_sorted_by(|a, b| a < b) {
            return Err(session.blame(other, Reason::Invalid));
        }
    }
    let me = session.me();
    sets[me] = sorted;
    Ok(sets)
}

fn is_in_all(sets: &[Vec<Encoded>], point: &Encoded) -> bool {
    sets.iter().all(|set| set.binary_search(point).is_ok())
}

/// The positions of this party's items that all parties hold, in an order that is the same for all parties.
///
/// # Errors
/// When an item is there twice, or the session fails.
pub fn intersect(session: &mut Session<'_>, items: &[Vec<u8>]) -> Result<Vec<usize>, PartyError> {
    let points = under_all_keys(session, items, false)?;
    let sets = all_sets(session, &points)?;
    let mut found: Vec<usize> =
        (0..points.len()).into_par_iter().filter(|&place| is_in_all(&sets, &points[place])).collect();
    found.par_sort_unstable_by_key(|&place| points[place]);
    Ok(found)
}

/// How many items all parties hold.
///
/// # Errors
/// As [`intersect`].
pub fn cardinality(session: &mut Session<'_>, items: &[Vec<u8>]) -> Result<usize, PartyError> {
    let points = under_all_keys(session, items, true)?;
    let sets = all_sets(session, &points)?;
    Ok(points.par_iter().filter(|point| is_in_all(&sets, point)).count())
}

/// Elements with ciphertexts.
pub(crate) fn parse_payload(
    reader: &mut Reader<'_>,
    count: usize,
) -> Result<(Vec<Encoded>, Vec<paillier::Ciphertext>), Reason> {
    let points = parse_points(reader, count)?;
    Ok((points, paillier::parse_ciphertexts(reader, count)?))
}

/// Between two parties: how many items both hold, and the sum of the second party's values over these. With fewer than `at_least` items in
/// both the first party refuses, and nobody learns a sum. The second party gives its values.
///
/// # Errors
/// When there are other than two parties, too few items in both, or the session fails.
pub fn sum(
    session: &mut Session<'_>,
    items: &[Vec<u8>],
    values: &[u64],
    at_least: u64,
) -> Result<(u64, u64), PartyError> {
    if session.parties() != 2 {
        return Err(PartyError::Job("sums over an intersection are between two parties".to_owned()));
    }
    let mut generator = Generator::system()?;
    let key = Key::random()?;
    if session.me() == 0 {
        session.send(1, Tag::BlindedSet, key.hide(DOMAIN, items).as_flattened())?;
        let mut own = receive_points(session, 1)?;
        own.par_sort_unstable();
        let message = session.receive_exactly(1, Tag::PaillierKey, paillier::KEY_BYTES)?;
        let public = session.parse(1, &message, paillier::parse_key)?;
        let message = session.receive(1, Tag::Payload, PAYLOAD_BYTES * (MOST_ITEMS >> 4))?;
        let (points, ciphertexts) =
            session.parse(1, &message, |reader| parse_payload(reader, message.len() / PAYLOAD_BYTES))?;
        let points = key.apply(&points).map_err(|reason| session.blame(1, reason))?;
        let both = points.iter().zip(&ciphertexts).filter(|(point, _)| own.binary_search(point).is_ok());
        let both: Vec<&paillier::Ciphertext> = both.map(|(_, own)| own).collect();
        let count = both.len() as u64;
        if count < at_least {
            return Err(PartyError::Refused(
                "fewer records are in both sets than the job demands".to_owned(),
            ));
        }
        // A fresh encryption of 0 makes the product tell nothing of its factors.
        let total = both.into_iter().fold(public.encrypt(0)?, |total, own| public.add(&total, own));
        session.send(1, Tag::PaillierCiphertexts, &public.bytes(&[total]))?;
        session.send(1, Tag::Size, &count.to_le_bytes())?;
        let sum = session.receive_u64s(1, Tag::Output, 1)?[0];
        return Ok((count, sum));
    }
    let secret = SecretKey::generate()?;
    let theirs = receive_points(session, 0)?;
    let mut theirs = key.apply(&theirs).map_err(|reason| session.blame(0, reason))?;
    generator.shuffle(&mut theirs);
    session.send(0, Tag::BlindedSet, theirs.as_flattened())?;
    let mut order: Vec<usize> = (0..items.len()).collect();
    generator.shuffle(&mut order);
    let shuffled: Vec<&Vec<u8>> = order.iter().map(|&place| &items[place]).collect();
    let public = secret.public();
    let ciphertexts: Result<Vec<_>, _> =
        order.par_iter().map(|&place| public.encrypt(values[place])).collect();
    let mut payload = key.hide(DOMAIN, &shuffled).as_flattened().to_vec();
    payload.extend(public.bytes(&ciphertexts?));
    session.send(0, Tag::PaillierKey, &public.key_bytes())?;
    session.send(0, Tag::Payload, &payload)?;
    let message = session.receive_exactly(0, Tag::PaillierCiphertexts, CIPHERTEXT_BYTES)?;
    let total = session.parse(0, &message, |reader| paillier::parse_ciphertexts(reader, 1))?;
    let count = session.receive_u64s(0, Tag::Size, 1)?[0];
    let sum = secret.decrypt_u64(&total[0]);
    session.send(0, Tag::Output, &sum.to_le_bytes())?;
    Ok((count, sum))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    fn items(set: &BTreeSet<u16>) -> Vec<Vec<u8>> {
        set.iter().rev().map(|own| format!("patient {own}").into_bytes()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn the_intersection_is_that_of_the_sets(
            sets in proptest::collection::vec(proptest::collection::btree_set(0u16..60, 0..40), 2..4),
        ) {
            let expected = sets.iter().skip(1).fold(sets[0].clone(), |all, own| &all & own);
            let results = run_local(sets.len(), |session| {
                let own = items(&sets[session.me()]);
                let found = intersect(session, &own)?;
                let size = cardinality(session, &own)?;
                Ok((found.into_iter().map(|place| own[place].clone()).collect::<Vec<_>>(), size))
            });
            let mut orders = BTreeSet::new();
            for result in results {
                let (found, size) = result.unwrap();
                prop_assert_eq!(size, expected.len());
                let set: BTreeSet<Vec<u8>> = found.iter().cloned().collect();
                prop_assert_eq!(set, items(&expected).into_iter().collect::<BTreeSet<_>>());
                orders.insert(found);
            }
            prop_assert_eq!(orders.len(), 1);
        }
    }

    #[test]
    fn sums_are_those_of_items_in_both() {
        let sets: [BTreeSet<u16>; 2] = [(0..20).collect(), (15..30).collect()];
        let values: Vec<u64> = sets[1].iter().rev().map(|own| u64::from(*own) * 1000).collect();
        for (at_least, is_refused) in [(5, false), (6, true)] {
            let results =
                run_local(2, |session| sum(session, &items(&sets[session.me()]), &values, at_least));
            match is_refused {
                false => assert!(results.into_iter().all(|own| own.unwrap() == (5, 85_000))),
                true => assert!(matches!(results[0], Err(PartyError::Refused(_)))),
            }
        }
    }

    #[test]
    fn an_identifier_that_is_there_twice_is_refused() {
        let results = run_local(2, |session| cardinality(session, &[b"a".to_vec(), b"a".to_vec()]));
        assert!(results.iter().all(|own| matches!(own, Err(PartyError::Input(_)))));
    }
}
