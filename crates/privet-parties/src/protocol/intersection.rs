//! Private set intersection from Diffie-Hellman: the elements that all parties hold, how many there are, or the sum of values that go with
//! them (papers T-AL12).
//!
//! Every party has a key of an exponent. A set goes around the ring of parties, and each puts its key on; under all keys equal items are
//! equal elements, in whatever order the keys were put on.
//!
//! # Security
//! Semi-honest parties, decisional Diffie-Hellman in Ristretto, SHA-512 as a random oracle. The sizes of the sets are public. The order of a
//! party's items is not: a party sends its items in a secret order, because the party that puts the last key on recognizes the items that it
//! holds by their place in the list that it received.
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

/// Refuses a set in which an item is there twice: it would count twice.
fn check_distinct(items: &[Vec<u8>]) -> Result<(), PartyError> {
    let mut sorted: Vec<&Vec<u8>> = items.iter().collect();
    sorted.par_sort_unstable();
    match sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        true => Err(PartyError::Input("two records have the same identifier".to_owned())),
        false => Ok(()),
    }
}

/// Refuses values whose sum over some of them could not be told from another one modulo 2^64.
fn check_total(values: &[u64]) -> Result<(), PartyError> {
    let total: u128 = values.iter().map(|&own| u128::from(own)).sum();
    match total >> 63 {
        0 => Ok(()),
        _ => {
            Err(PartyError::Input("the values of the sum are too large: their total reaches 2^63".to_owned()))
        }
    }
}

/// A secret order of so many items, which only this party knows.
fn secret_order(generator: &mut Generator, items: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items).collect();
    generator.shuffle(&mut order);
    order
}

/// The parties before and after this one in the ring of those that take part.
fn neighbours(session: &Session<'_>) -> (usize, usize) {
    let ring = session.taking_part();
    let place = ring.iter().position(|&party| party == session.me()).unwrap_or(0); // why: whoever computes takes part
    (ring[(place + ring.len() - 1) % ring.len()], ring[(place + 1) % ring.len()])
}

/// This party's items under the keys of all parties: in their order, or in one that nobody knows.
fn under_all_keys(
    session: &mut Session<'_>,
    items: &[Vec<u8>],
    is_shuffled: bool,
) -> Result<Vec<Encoded>, PartyError> {
    check_distinct(items)?;
    let parties = session.taking_part().len();
    let (before, after) = neighbours(session);
    let mut generator = Generator::system()?;
    let key = Key::random()?;
    let order = secret_order(&mut generator, items.len());
    session.stage("hiding the set", Some(items.len() as u64));
    let mut points = Vec::with_capacity(items.len());
    for some in order.chunks(CHUNK) {
        session.progress().check()?;
        let some: Vec<&Vec<u8>> = some.iter().map(|&place| &items[place]).collect();
        points.extend(key.hide(DOMAIN, &some));
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
    if is_shuffled {
        return Ok(points);
    }
    let mut in_order = points.clone();
    order.iter().zip(points).for_each(|(&place, point)| in_order[place] = point);
    Ok(in_order)
}

/// The sets of all parties under all keys, sorted.
fn all_sets(session: &mut Session<'_>, own: &[Encoded]) -> Result<Vec<Vec<Encoded>>, PartyError> {
    // Sorted, they tell nothing of the order of the items.
    let mut sorted = own.to_vec();
    sorted.par_sort_unstable();
    session.broadcast(Tag::BlindedSet, sorted.as_flattened())?;
    let mut sets = Vec::with_capacity(session.taking_part().len());
    for other in session.others() {
        let set = receive_points(session, other)?;
        if !set.is_sorted_by(|a, b| a < b) {
            return Err(session.blame(other, Reason::Invalid));
        }
        sets.push(set);
    }
    sets.push(sorted);
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
/// When there are other than two parties, an item is there twice, the values could sum up to 2^63 or more, too few items are in both, or the
/// session fails.
pub fn sum(
    session: &mut Session<'_>,
    items: &[Vec<u8>],
    values: &[u64],
    at_least: u64,
) -> Result<(u64, u64), PartyError> {
    if session.me() == 0 || session.parties() != 2 {
        return sum_of_first(session, items, at_least);
    }
    check_distinct(items)?;
    if values.len() != items.len() {
        return Err(PartyError::Input("there is not one value for every item".to_owned()));
    }
    check_total(values)?;
    sum_of_second(session, items, values, &SecretKey::generate()?)
}

/// The first party's side: it counts what is in both, and adds ciphertexts.
///
/// # Errors
/// As [`sum`].
#[doc(hidden)]
pub fn sum_of_first(
    session: &mut Session<'_>,
    items: &[Vec<u8>],
    at_least: u64,
) -> Result<(u64, u64), PartyError> {
    if session.parties() != 2 {
        return Err(PartyError::Job("sums over an intersection are between two parties".to_owned()));
    }
    check_distinct(items)?;
    let mut generator = Generator::system()?;
    let key = Key::random()?;
    let order = secret_order(&mut generator, items.len());
    let shuffled: Vec<&Vec<u8>> = order.iter().map(|&place| &items[place]).collect();
    session.send(1, Tag::BlindedSet, key.hide(DOMAIN, &shuffled).as_flattened())?;
    let mut own = receive_points(session, 1)?;
    own.par_sort_unstable();
    let message = session.receive_exactly(1, Tag::PaillierKey, paillier::KEY_BYTES)?;
    let public = session.parse(1, &message, paillier::parse_key)?;
    let message = session.receive(1, Tag::Payload, PAYLOAD_BYTES * (MOST_ITEMS >> 4))?;
    let (points, ciphertexts) =
        session.parse(1, &message, |reader| parse_payload(reader, message.len() / PAYLOAD_BYTES))?;
    let points = key.apply(&points).map_err(|reason| session.blame(1, reason))?;
    let mut distinct = points.clone();
    distinct.par_sort_unstable();
    if distinct.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(session.blame(1, Reason::Invalid));
    }
    let both = points.iter().zip(&ciphertexts).filter(|(point, _)| own.binary_search(point).is_ok());
    let both: Vec<&paillier::Ciphertext> = both.map(|(_, own)| own).collect();
    let count = both.len() as u64;
    if count < at_least {
        return Err(PartyError::Refused("fewer records are in both sets than the job demands".to_owned()));
    }
    // A fresh encryption of 0 makes the product tell nothing of its factors.
    let total = both.into_iter().fold(public.encrypt(0)?, |total, own| public.add(&total, own));
    session.send(1, Tag::PaillierCiphertexts, &public.bytes(&[total]))?;
    session.send(1, Tag::Size, &count.to_le_bytes())?;
    let sum = session.receive_u64s(1, Tag::Output, 1)?[0];
    Ok((count, sum))
}

/// The second party's side, which holds the values and the key.
///
/// # Errors
/// As [`sum`].
#[doc(hidden)]
pub fn sum_of_second(
    session: &mut Session<'_>,
    items: &[Vec<u8>],
    values: &[u64],
    secret: &SecretKey,
) -> Result<(u64, u64), PartyError> {
    let mut generator = Generator::system()?;
    let key = Key::random()?;
    let theirs = receive_points(session, 0)?;
    let mut theirs = key.apply(&theirs).map_err(|reason| session.blame(0, reason))?;
    generator.shuffle(&mut theirs);
    session.send(0, Tag::BlindedSet, theirs.as_flattened())?;
    let order = secret_order(&mut generator, items.len());
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]
        #[test]
        fn sums_are_the_central_ones(
            first in proptest::collection::btree_set(0u16..40, 0..25),
            second in proptest::collection::btree_map(0u16..40, 0u64..1 << 40, 0..25),
        ) {
            let holders: BTreeSet<u16> = second.keys().copied().collect();
            let values: Vec<u64> = second.values().rev().copied().collect();
            let both: Vec<u64> = first.iter().filter_map(|own| second.get(own).copied()).collect();
            let expected = (both.len() as u64, both.iter().sum::<u64>());
            static KEY: std::sync::OnceLock<SecretKey> = std::sync::OnceLock::new();
            let secret = KEY.get_or_init(|| SecretKey::generate().unwrap());
            let results = run_local(2, |session| match session.me() {
                0 => sum_of_first(session, &items(&first), 0),
                _ => sum_of_second(session, &items(&holders), &values, secret),
            });
            for result in results {
                prop_assert_eq!(result.unwrap(), expected);
            }
        }
    }

    #[test]
    fn an_identifier_that_is_there_twice_is_refused() {
        let results = run_local(2, |session| cardinality(session, &[b"a".to_vec(), b"a".to_vec()]));
        assert!(results.iter().all(|own| matches!(own, Err(PartyError::Input(_)))));
    }

    /// A person who stood twice in a file was added twice, without a word.
    #[test]
    fn sums_refuse_an_identifier_that_is_there_twice() {
        let twice = [b"a".to_vec(), b"a".to_vec()];
        let once = [b"a".to_vec(), b"b".to_vec()];
        for careless in 0..2 {
            let results = run_local(2, |session| {
                let own = if session.me() == careless { &twice } else { &once };
                sum(session, own, &[1, 2], 0)
            });
            assert!(matches!(results[careless], Err(PartyError::Input(_))), "{careless}");
            assert!(results[1 - careless].is_err());
        }
        // A second party that does not look at its own items is noticed by the first.
        let secret = SecretKey::generate().unwrap();
        let results = run_local(2, |session| match session.me() {
            0 => sum_of_first(session, &once, 0),
            _ => sum_of_second(session, &twice, &[1, 2], &secret),
        });
        match results[0].as_ref().unwrap_err() {
            PartyError::Abort(abort) => assert_eq!(abort.reason, Reason::Invalid),
            other => panic!("{other}"),
        }
    }

    /// A sum modulo 2^64 was taken for the sum.
    #[test]
    fn sums_refuse_values_that_could_pass_what_a_number_holds() {
        assert!(check_total(&[u64::MAX >> 1, 0]).is_ok());
        for values in [[u64::MAX >> 1, 1], [u64::MAX, u64::MAX]] {
            let own = [b"a".to_vec(), b"b".to_vec()];
            let results = run_local(2, |session| sum(session, &own, &values, 0));
            assert!(matches!(results[1], Err(PartyError::Input(_))));
        }
    }

    /// The second party, which follows the protocol but keeps the order of what it receives: where in the first party's list are the items
    /// that both hold?
    fn places_of_common_items(items_of_first: &[Vec<u8>], items_of_second: &[Vec<u8>]) -> Vec<usize> {
        let results = run_local(2, |session| {
            if session.me() == 0 {
                cardinality(session, items_of_first)?;
                return Ok(Vec::new());
            }
            let key = Key::random()?;
            session.send(0, Tag::BlindedSet, key.hide(DOMAIN, items_of_second).as_flattened())?;
            let received = receive_points(session, 0)?;
            let both_keys = key.apply(&received).map_err(|reason| session.blame(0, reason))?;
            session.send(0, Tag::BlindedSet, both_keys.as_flattened())?;
            let own = receive_points(session, 0)?;
            let mut sorted = own.clone();
            sorted.sort_unstable();
            session.broadcast(Tag::BlindedSet, sorted.as_flattened())?;
            receive_points(session, 0)?;
            Ok((0..both_keys.len()).filter(|&place| own.contains(&both_keys[place])).collect())
        });
        results.into_iter().nth(1).unwrap().unwrap()
    }

    /// The places were those of the file, so a party learned which rows of the other's file are common. False alarms: a place among 16 that
    /// is uniform stays the same in 12 runs in fewer than one of 10^13 tests.
    #[test]
    fn the_order_of_a_file_does_not_show_in_the_intersection() {
        let file: Vec<Vec<u8>> = (0..16u8).map(|own| vec![own]).collect();
        let places: BTreeSet<usize> = (0..12)
            .map(|_| {
                let found = places_of_common_items(&file, &[vec![3], vec![200]]);
                assert_eq!(found.len(), 1);
                found[0]
            })
            .collect();
        assert!(places.len() > 1, "{places:?}");
    }

    /// Two of three parties intersect their sets, and the third takes no part.
    #[test]
    fn some_parties_intersect_among_themselves() {
        let results = run_local(3, |session| {
            let own: Vec<Vec<u8>> = (0..4u8).map(|own| vec![own + session.me() as u8]).collect();
            match session.me() {
                1 => Ok(Vec::new()),
                _ => session.among(&[0, 2], |session| {
                    Ok(intersect(session, &own)?.into_iter().map(|place| own[place][0]).collect::<Vec<u8>>())
                }),
            }
        });
        let found: Vec<Vec<u8>> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!(found[0], found[2]);
        assert_eq!(found[0].iter().copied().collect::<BTreeSet<u8>>(), BTreeSet::from([2, 3]));
    }
}
