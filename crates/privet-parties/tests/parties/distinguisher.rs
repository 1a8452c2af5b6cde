//! What a party sees must not depend on inputs that lead to the same result: views of two inputs are compared bit by bit.
//!
//! Per bit of the first bytes of every message, the shares of ones in two samples are compared. False alarms: a bit whose share is the same is
//! more than 7 standard deviations off in fewer than one of 10^11 comparisons (with the half count of both samples as variance); with at most
//! 10^5 bits, fewer than one of 10^6 runs of this test fails without a reason. A broken protocol must be found, so the test can fail.

use privet_parties::PartyError;
use privet_parties::protocol::compare::{Width, at_least};
use privet_parties::protocol::extension::Transfers;
use privet_parties::protocol::intersection::cardinality;
use privet_parties::protocol::product::{Side, scalar_products};
use privet_parties::protocol::sum::Sums;
use privet_parties::random::Generator;
use privet_parties::session::wire::{Tag, u64s};
use privet_parties::session::{Session, run_local};

/// Bytes of a message that are looked at.
const BYTES: usize = 64;

type View = Vec<Vec<u8>>;

/// The largest number of standard deviations by which a bit differs, and how many bits were compared. Lengths that differ are infinite.
fn distance(a: &[View], b: &[View]) -> (f64, usize) {
    let shape = |view: &View| view.iter().map(Vec::len).collect::<Vec<_>>();
    if a.iter().chain(b).any(|view| shape(view) != shape(&a[0])) {
        return (f64::INFINITY, 0);
    }
    let (mut most, mut bits) = (0.0f64, 0);
    for message in 0..a[0].len() {
        for byte in 0..a[0][message].len().min(BYTES) {
            for bit in 0..8 {
                let ones = |views: &[View]| {
                    views.iter().filter(|view| view[message][byte] >> bit & 1 == 1).count() as f64
                };
                let (x, y) = (ones(a) / a.len() as f64, ones(b) / b.len() as f64);
                let share = (x + y) / 2.0;
                let deviation =
                    (share * (1.0 - share) * (1.0 / a.len() as f64 + 1.0 / b.len() as f64)).sqrt();
                if x != y {
                    most = most.max((x - y).abs() / deviation.max(0.01));
                }
                bits += 1;
            }
        }
    }
    (most, bits)
}

/// What party `watcher` sees in so many runs of a protocol with these inputs.
fn views<I: Sync, S>(
    parties: usize,
    watcher: usize,
    runs: usize,
    inputs: &[I],
    prepare: impl Fn(&mut Session<'static>) -> Result<S, PartyError> + Sync,
    protocol: impl Fn(&mut Session<'static>, &mut S, &I) -> Result<(), PartyError> + Sync,
) -> Vec<View> {
    let mut all = run_local(parties, |session| {
        let mut state = prepare(session)?;
        let mut views = Vec::new();
        session.take_received();
        for _ in 0..runs {
            protocol(session, &mut state, &inputs[session.me()])?;
            views.push(session.take_received());
        }
        Ok(views)
    });
    all.swap_remove(watcher).unwrap()
}

const FAR: f64 = 7.0;

fn assert_same(name: &str, a: &[View], b: &[View]) {
    let (far, bits) = distance(a, b);
    assert!(bits > 100 && bits < 100_000, "{name}: {bits} bits");
    assert!(far < FAR, "{name}: a bit differs by {far} standard deviations");
}

#[test]
fn sums_show_the_sum_alone() {
    let run = |inputs: [[u64; 2]; 3]| {
        views(3, 2, 600, &inputs, Sums::new, |session, sums, own| sums.sum(session, own).map(|_| ()))
    };
    // The watcher's own input and the sums are the same.
    assert_same("sum", &run([[1000, 0], [0, 77], [5, 5]]), &run([[0, 70], [1000, 7], [5, 5]]));
}

#[test]
fn comparisons_show_the_answers_alone() {
    let run = |inputs: [[u64; 3]; 2]| {
        views(2, 1, 200, &inputs, Transfers::new, |session, transfers, own| {
            at_least(session, transfers, own, 10, Width::Bits32).map(|_| ())
        })
    };
    assert_same("comparison", &run([[9, 100, 0], [1, 1, 1]]), &run([[20, 900_000, 8], [1, 1, 1]]));
}

#[test]
fn products_show_nothing() {
    let run = |inputs: [[u64; 3]; 2], watcher: usize| {
        views(2, watcher, 200, &inputs, Transfers::new, |session, transfers, own| {
            let columns = [own.to_vec()];
            let side = match session.me() {
                0 => Side::Bits { column: own, bits: 8, width: 1 },
                _ => Side::Numbers { columns: &columns, bits: 8 },
            };
            scalar_products(session, transfers, 1 - session.me(), side).map(|_| ())
        })
    };
    assert_same("product", &run([[0, 0, 0], [7, 7, 7]], 1), &run([[255, 1, 128], [7, 7, 7]], 1));
    assert_same("product", &run([[3, 2, 1], [0, 0, 0]], 0), &run([[3, 2, 1], [u64::MAX, 1 << 40, 5]], 0));
}

#[test]
fn cardinalities_show_sizes_alone() {
    let items = |own: &[&str]| own.iter().map(|own| own.as_bytes().to_vec()).collect::<Vec<_>>();
    let run = |inputs: [Vec<Vec<u8>>; 2]| {
        views(2, 1, 120, &inputs, |_| Ok(()), |session, (), own| cardinality(session, own).map(|_| ()))
    };
    let own = items(&["c", "d", "e"]);
    let a = run([items(&["a", "b", "c"]), own.clone()]);
    let b = run([items(&["e", "x", "y"]), own]);
    assert_same("cardinality", &a, &b);
}

/// A sum whose masks have 8 bits only: what the first party adds shows in the bits above.
fn broken_sum(
    session: &mut Session<'_>,
    generator: &mut Generator,
    own: &[u64; 2],
) -> Result<(), PartyError> {
    if session.me() == 0 {
        let masked: Vec<u64> = own.iter().map(|value| value.wrapping_add(generator.below(256))).collect();
        return session.send(1, Tag::RingSum, &u64s(&masked));
    }
    if session.me() == 1 {
        session.receive_u64s(0, Tag::RingSum, 2)?;
    }
    Ok(())
}

#[test]
fn a_broken_protocol_is_found() {
    let run = |inputs: [[u64; 2]; 2]| views(2, 1, 200, &inputs, |_| Generator::system(), broken_sum);
    let (far, _) = distance(&run([[1000, 0], [0, 0]]), &run([[0, 0], [1000, 0]]));
    assert!(far > FAR, "{far}");
    // And one that hides values but not how many there are.
    let lengths = |count: usize| vec![vec![vec![0; count]]; 10];
    assert_eq!(distance(&lengths(3), &lengths(4)).0, f64::INFINITY);
    // The same views are not found.
    let same = run([[5, 5], [0, 0]]);
    assert!(distance(&same, &same).0 < FAR);
}
