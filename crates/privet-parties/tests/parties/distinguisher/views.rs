//! Views of a party, features of views, and the distance between two samples of them.

use privet_parties::PartyError;
use privet_parties::session::{Session, run_local};

/// Bytes of a message that are looked at.
const BYTES: usize = 64;
/// Blocks whose relations are looked at.
const BLOCKS: usize = 24;
/// Standard deviations from which on a bit differs.
pub const FAR: f64 = 7.0;

/// The messages that a party received, and then features.
pub type View = Vec<Vec<u8>>;

/// Which of the first blocks of this size are equal, and which of two that follow each other in a message is larger; one byte each.
fn relations(view: &View, size: usize) -> Vec<u8> {
    let blocks: Vec<(usize, &[u8])> = view
        .iter()
        .enumerate()
        .flat_map(|(message, bytes)| bytes.chunks_exact(size).map(move |block| (message, block)))
        .take(BLOCKS)
        .collect();
    let mut bits = Vec::new();
    for (place, (message, block)) in blocks.iter().enumerate() {
        bits.extend(blocks[place + 1..].iter().map(|(_, other)| u8::from(block == other)));
        let next = blocks.get(place + 1).filter(|(other, _)| other == message);
        bits.extend(next.map(|(_, other)| u8::from(block > other)));
    }
    bits
}

/// A view with the relations of its blocks.
fn with_relations(mut view: View) -> View {
    let (narrow, wide) = (relations(&view, 8), relations(&view, 32));
    view.extend([narrow, wide]);
    view
}

/// The largest number of standard deviations by which a bit differs, and how many bits were compared. Lengths that differ are infinite.
pub fn distance(a: &[View], b: &[View]) -> (f64, usize) {
    let shape = |view: &View| view.iter().map(Vec::len).collect::<Vec<_>>();
    if a.iter().chain(b).any(|view| shape(view) != shape(&a[0])) {
        return (f64::INFINITY, 0);
    }
    let related = |views: &[View]| views.iter().cloned().map(with_relations).collect::<Vec<_>>();
    let (a, b) = (related(a), related(b));
    let (mut most, mut bits) = (0.0f64, 0);
    for message in 0..a[0].len() {
        // Features are looked at to their end; they are short.
        let is_feature = message + 2 >= a[0].len();
        let looked_at = if is_feature { a[0][message].len() } else { a[0][message].len().min(BYTES) };
        for byte in 0..looked_at {
            for bit in 0..if is_feature { 1 } else { 8 } {
                let ones = |views: &[View]| {
                    views.iter().filter(|view| view[message][byte] >> bit & 1 == 1).count() as f64
                };
                let (x, y) = (ones(&a) / a.len() as f64, ones(&b) / b.len() as f64);
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

/// What party `watcher` sees in so many runs of a protocol with these inputs. What the protocol gives back is part of its view.
pub fn views<I: Sync, S>(
    (parties, watcher): (usize, usize),
    runs: usize,
    inputs: &[I],
    prepare: impl Fn(&mut Session<'static>) -> Result<S, PartyError> + Sync,
    protocol: impl Fn(&mut Session<'static>, &mut S, &I) -> Result<Vec<u8>, PartyError> + Sync,
) -> Vec<View> {
    let mut all = run_local(parties, |session| {
        let mut state = prepare(session)?;
        let mut views = Vec::new();
        session.take_received();
        for _ in 0..runs {
            let feature = protocol(session, &mut state, &inputs[session.me()])?;
            let mut view = session.take_received();
            view.push(feature);
            views.push(view);
        }
        Ok(views)
    });
    all.swap_remove(watcher).unwrap()
}

pub fn assert_same(name: &str, a: &[View], b: &[View]) {
    let (far, bits) = distance(a, b);
    assert!(bits > 100 && bits < 150_000, "{name}: {bits} bits");
    assert!(far < FAR, "{name}: a bit differs by {far} standard deviations");
}

pub fn assert_found(name: &str, a: &[View], b: &[View]) {
    let (far, _) = distance(a, b);
    assert!(far > FAR, "{name}: nothing is found, {far} standard deviations");
}

/// Items from words.
pub fn items(own: &[&str]) -> Vec<Vec<u8>> {
    own.iter().map(|own| own.as_bytes().to_vec()).collect()
}
