//! Parties that follow the protocol and compute more from what they see; and broken protocols, which must be found.

use privet_parties::PartyError;
use privet_parties::protocol::group::Key;
use privet_parties::protocol::intersection::{cardinality, intersect};
use privet_parties::random::Generator;
use privet_parties::session::Session;
use privet_parties::session::wire::{Tag, u64s};

use super::views::{View, assert_found, assert_same, distance, items, views};

type Points = Vec<[u8; 32]>;

fn points(session: &mut Session<'_>) -> Result<Points, PartyError> {
    let message = session.receive(0, Tag::BlindedSet, 1 << 16)?;
    Ok(message.as_chunks().0.to_vec())
}

/// The second party of an intersection, which keeps the order of what it receives: a byte per place of the first party's list, 1 where the
/// item that stands there is common.
fn curious(session: &mut Session<'_>, own: &[Vec<u8>]) -> Result<Vec<u8>, PartyError> {
    let key = Key::random()?;
    session.send(0, Tag::BlindedSet, key.hide("privet intersection", own).as_flattened())?;
    let received = points(session)?;
    let both_keys = key.apply(&received).map_err(|reason| session.blame(0, reason))?;
    session.send(0, Tag::BlindedSet, both_keys.as_flattened())?;
    let own = points(session)?;
    let mut sorted = own.clone();
    sorted.sort_unstable();
    session.broadcast(Tag::BlindedSet, sorted.as_flattened())?;
    points(session)?;
    Ok(both_keys.iter().map(|point| u8::from(own.contains(point))).collect())
}

/// The first party of an intersection that sends its items in the order of its file, as this crate once did.
fn in_the_order_of_the_file(session: &mut Session<'_>, own: &[Vec<u8>]) -> Result<(), PartyError> {
    let read = |session: &mut Session<'_>| -> Result<Points, PartyError> {
        Ok(session.receive(1, Tag::BlindedSet, 1 << 16)?.as_chunks().0.to_vec())
    };
    let key = Key::random()?;
    session.send(1, Tag::BlindedSet, key.hide("privet intersection", own).as_flattened())?;
    let mut theirs = key.apply(&read(session)?).map_err(|reason| session.blame(1, reason))?;
    Generator::system()?.shuffle(&mut theirs);
    session.send(1, Tag::BlindedSet, theirs.as_flattened())?;
    let mut own = read(session)?;
    own.sort_unstable();
    session.broadcast(Tag::BlindedSet, own.as_flattened())?;
    read(session).map(|_| ())
}

/// What the curious second party learns of a first party that holds the same items in two orders.
fn both_orders(
    first: impl Fn(&mut Session<'_>, &[Vec<u8>]) -> Result<(), PartyError> + Sync,
) -> [Vec<View>; 2] {
    let watched = items(&["c", "q", "r"]);
    [["a", "b", "c", "d"], ["c", "d", "b", "a"]].map(|file| {
        let inputs = [items(&file), watched.clone()];
        views(
            (2, 1),
            120,
            &inputs,
            |_| Ok(()),
            |session, (), own| match session.me() {
                0 => first(session, own).map(|()| Vec::new()),
                _ => curious(session, own),
            },
        )
    })
}

/// Which rows of a file are common was seen by the party that puts the last key on.
#[test]
fn intersections_do_not_show_which_rows_are_common() {
    let [a, b] = both_orders(|session, own| cardinality(session, own).map(|_| ()));
    assert_same("cardinality", &a, &b);
    let [a, b] = both_orders(|session, own| intersect(session, own).map(|_| ()));
    assert_same("intersect", &a, &b);
}

#[test]
fn an_intersection_without_a_shuffle_is_found() {
    let [a, b] = both_orders(in_the_order_of_the_file);
    assert_found("order of the file", &a, &b);
}

/// Sums under masks of these bits; the same mask for all cells, or one each.
fn broken_sum(
    session: &mut Session<'_>,
    own: &[u64; 2],
    (bits, is_shared): (u32, bool),
) -> Result<Vec<u8>, PartyError> {
    let mut generator = Generator::system()?;
    if session.me() == 0 {
        let mut mask = || generator.u64() >> (64 - bits);
        let first = mask();
        let second = if is_shared { first } else { mask() };
        let masked = [own[0].wrapping_add(first), own[1].wrapping_add(second)];
        session.send(1, Tag::RingSum, &u64s(&masked))?;
    } else {
        session.receive_u64s(0, Tag::RingSum, 2)?;
    }
    Ok(Vec::new())
}

#[test]
fn broken_protocols_are_found() {
    let run = |own: [u64; 2], how| {
        views((2, 1), 200, &[own, [0, 0]], |_| Ok(()), move |session, (), own| broken_sum(session, own, how))
    };
    // Masks of 8 bits: what is added shows in the bits above.
    assert_found("short masks", &run([1000, 0], (8, false)), &run([0, 1000], (8, false)));
    // One mask for both cells: every bit by itself is uniform, and whether the cells are equal shows.
    assert_found("one mask", &run([500, 500], (64, true)), &run([1000, 0], (64, true)));
    assert_same("one mask each", &run([500, 500], (64, false)), &run([1000, 0], (64, false)));
    // A list that is sorted by what it hides.
    let sorted = |order: [u64; 2]| -> Vec<View> {
        let mut generator = Generator::system().unwrap();
        let mut below = || generator.below(1 << 62);
        let view = |mut own: [u64; 2]| {
            own.sort_unstable();
            vec![u64s(&[own[order[0] as usize], own[order[1] as usize]])]
        };
        (0..200).map(|_| view([below(), below()])).collect()
    };
    assert_found("order", &sorted([0, 1]), &sorted([1, 0]));
    // One that hides values but not how many there are.
    let lengths = |count: usize| vec![vec![vec![0; count]]; 10];
    assert_eq!(distance(&lengths(3), &lengths(4)).0, f64::INFINITY);
    // The same views are not found.
    let same = run([5, 5], (8, false));
    assert!(distance(&same, &same).0 < super::views::FAR);
}
