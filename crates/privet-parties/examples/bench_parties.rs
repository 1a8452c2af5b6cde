//! What the protocols cost over TLS on this machine's loopback: `cargo run --release -p privet-parties --example bench_parties -- [PART …]`.
//!
//! Prints one JSON array. Every party is a thread with connections of its own; all share the cores of the machine. Data sets are read from the
//! folder that PRIVET_SHARED names, and left out where it is not there.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use privet_data::Silent;
use privet_parties::PartyError;
use privet_parties::mining::clusters;
use privet_parties::mining::joint::Joint;
use privet_parties::mining::rules::{RuleOptions, Supports, large_itemsets};
use privet_parties::mining::tree::{Tree, TreeOptions, grow};
use privet_parties::protocol::extension::{CHUNK, Receiver, Sender};
use privet_parties::protocol::intersection::{self, cardinality, intersect};
use privet_parties::protocol::sum::Sums;
use privet_parties::protocol::union::union;
use privet_parties::protocol::valid_sum;
use privet_parties::session::tls::{Identity, make_keys, parse_fingerprint};
use privet_parties::session::{Endpoint, Limits, Session, Traffic, connect, run_local};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Runs a protocol as so many parties over TLS: what each got, the seconds of the slowest, and the bytes that all sent.
fn loopback<T: Send>(
    parties: usize,
    run: impl Fn(&mut Session<'static>) -> Result<T, PartyError> + Sync,
) -> Result<(Vec<T>, f64, u64), Failure> {
    let folder = tempfile::tempdir()?;
    let (mut held, mut endpoints, mut identities) = (Vec::new(), Vec::new(), Vec::new());
    for party in 0..parties {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        held.push(listener);
        let made = make_keys(&folder.path().join(format!("party-{party}")))?;
        let certificate = parse_fingerprint(&made.fingerprint).ok_or("no fingerprint")?;
        endpoints.push(Endpoint { name: format!("party-{party}"), address, certificate });
        identities.push(Identity::read(&made.key)?);
    }
    drop(held);
    let limits = Limits { step: Duration::from_secs(3600), ..Limits::default() };
    let results: Vec<Result<(T, f64, Traffic), PartyError>> = std::thread::scope(|scope| {
        let side = |me: usize| {
            let (endpoints, identity, run) = (&endpoints, &identities[me], &run);
            scope.spawn(move || {
                let mut session = connect(endpoints, me, identity, [1; 32], limits, None, &Silent)?;
                let begun = Instant::now();
                let result = run(&mut session);
                let seconds = begun.elapsed().as_secs_f64();
                let (value, traffic) = session.end(result)?;
                Ok((value, seconds, traffic))
            })
        };
        let threads: Vec<_> = (0..parties).map(side).collect();
        // why: a benchmark shows the panic of a party
        threads.into_iter().map(|thread| thread.join().expect("a party panicked")).collect()
    });
    let mut values = Vec::new();
    let (mut seconds, mut bytes) = (0.0f64, 0);
    for result in results {
        let (value, own, traffic) = result?;
        values.push(value);
        seconds = seconds.max(own);
        bytes += traffic.sent;
    }
    Ok((values, seconds, bytes))
}

fn items(from: u64, count: u64) -> Vec<Vec<u8>> {
    (from..from + count).map(|own| format!("person {own:012}").into_bytes()).collect()
}

fn intersection(count: u64, rows: &mut Vec<Value>) -> Result<(), Failure> {
    let sets = [items(0, count), items(count / 2, count)];
    let (found, seconds, bytes) = loopback(2, |session| Ok(intersect(session, &sets[session.me()])?.len()))?;
    let is_right = found.iter().all(|own| *own as u64 == count - count / 2);
    rows.push(json!({ "what": format!("intersection of {count} x {count}"), "seconds": seconds, "bytes": bytes, "right": is_right, "limit": if count >= 1_000_000 { 150.0 } else { 30.0 } }));
    Ok(())
}

fn sizes(count: u64, rows: &mut Vec<Value>) -> Result<(), Failure> {
    let sets = [items(0, count), items(count / 2, count)];
    let (found, seconds, bytes) = loopback(2, |session| cardinality(session, &sets[session.me()]))?;
    let is_right = found.iter().all(|own| *own as u64 == count - count / 2);
    rows.push(json!({ "what": format!("cardinality of {count} x {count}"), "seconds": seconds, "bytes": bytes, "right": is_right, "limit": 30.0 }));
    Ok(())
}

fn transfers(rows: &mut Vec<Value>) -> Result<(), Failure> {
    let count = 1usize << 24;
    let (found, seconds, bytes) = loopback(2, |session| {
        // The hashes of the last message, to be compared; all are computed.
        let mut last = zeroize::Zeroizing::new(Vec::new());
        if session.me() == 0 {
            let mut sender = Sender::new(session, 1)?;
            for _ in 0..count / CHUNK {
                let rows = sender.extend(session, 1, CHUNK)?;
                last = rows.hashes(1);
                std::hint::black_box(sender.other(&rows).hashes(1));
            }
        } else {
            let mut receiver = Receiver::new(session, 0)?;
            let choices = vec![0; CHUNK / 64];
            for _ in 0..count / CHUNK {
                last = receiver.extend(session, 0, &choices, CHUNK)?.hashes(1);
            }
        }
        Ok(last)
    })?;
    let is_right = found[0] == found[1] && found[0].len() == CHUNK;
    rows.push(json!({ "what": "2^24 oblivious transfers", "seconds": seconds, "bytes": bytes, "right": is_right, "limit": 10.0 }));
    Ok(())
}

fn sums(rows: &mut Vec<Value>) -> Result<(), Failure> {
    let cells = 1_000_000;
    let (found, seconds, bytes) = loopback(3, |session| {
        let own: Vec<u64> = (0..cells).map(|cell| cell * (session.me() as u64 + 1)).collect();
        let sums = Sums::new(session)?.sum(session, &own)?;
        Ok(sums.iter().zip(0..).all(|(sum, cell)| *sum == 6 * cell))
    })?;
    rows.push(json!({ "what": "sum of 1000000 cells, 3 parties", "seconds": seconds, "bytes": bytes, "right": found.iter().all(|own| *own), "limit": 2.0 }));
    Ok(())
}

/// Counts of one party that two others check.
fn valid_sums(rows: &mut Vec<Value>) -> Result<(), Failure> {
    let cells = 4096;
    let collectors = [0, 1];
    let (found, seconds, bytes) = loopback(3, |session| {
        let own: Vec<u64> = (0..cells).map(|cell| cell * (session.me() as u64 + 1)).collect();
        let shares = valid_sum::shares(session, collectors, &own, 1 << 16)?;
        let open = |shares: Vec<u64>| {
            session.among(&collectors, |session| Sums::new(session)?.sum(session, &shares))
        };
        let opened = shares.map(open).transpose()?;
        let sums = valid_sum::tell(session, collectors, opened, own.len())?;
        Ok(sums.iter().zip(0..).all(|(sum, cell)| *sum == 6 * cell))
    })?;
    rows.push(json!({ "what": "sum of 4096 cells with proofs, 3 parties", "seconds": seconds, "bytes": bytes, "right": found.iter().all(|own| *own), "limit": 10.0 }));
    Ok(())
}

/// How the seconds of a protocol grow with its input, which is doubled: the exponent of n.
fn grows(
    rows: &mut Vec<Value>,
    (what, first, doublings): (&str, u64, u32),
    run: impl Fn(u64) -> Result<f64, Failure>,
) -> Result<(), Failure> {
    let mut all = Vec::new();
    for doubling in 0..=doublings {
        all.push(run(first << doubling)?);
    }
    let exponent = (all[all.len() - 1] / all[0]).log2() / f64::from(doublings);
    let each: Vec<String> = all.iter().map(|own| format!("{own:.2}")).collect();
    let what =
        format!("{what}, {first} doubled {doublings} times: {} s, exponent {exponent:.2}", each.join(", "));
    rows.push(json!({ "what": what, "seconds": all.iter().sum::<f64>(), "right": exponent < 1.3, "exponent": exponent }));
    Ok(())
}

fn growth(rows: &mut Vec<Value>) -> Result<(), Failure> {
    grows(rows, ("intersection", 25_000, 3), |count| {
        let sets = [items(0, count), items(count / 2, count)];
        Ok(loopback(2, |session| intersect(session, &sets[session.me()]))?.1)
    })?;
    grows(rows, ("union", 2_000, 3), |count| {
        let sets = [items(0, count), items(count / 2, count)];
        Ok(loopback(2, |session| union(session, &sets[session.me()], count as usize))?.1)
    })?;
    grows(rows, ("sum of cells, 3 parties", 500_000, 3), |count| {
        let own = vec![7u64; count as usize];
        Ok(loopback(3, |session| Sums::new(session)?.sum(session, &own))?.1)
    })?;
    grows(rows, ("comparison with a minimum, 3 parties", 25_000, 3), |count| {
        let own = vec![7u64; count as usize];
        Ok(loopback(3, |session| Joint::new(session, 20)?.open(session, &own))?.1)
    })
}

fn shared() -> Option<PathBuf> {
    std::env::var_os("PRIVET_SHARED").map(PathBuf::from).filter(|own| own.is_dir())
}

fn rules(rows: &mut Vec<Value>) -> Result<(), Failure> {
    let Some(text) =
        shared().and_then(|own| std::fs::read_to_string(own.join("groceries/groceries.dat")).ok())
    else {
        rows.push(json!({ "what": "association rules on groceries: no data set here" }));
        return Ok(());
    };
    let transactions: Vec<BTreeSet<String>> =
        text.lines().map(|line| line.split_ascii_whitespace().map(str::to_owned).collect()).collect();
    let options = RuleOptions { support: 100, confidence: 0.3, longest: 4, items: 200 };
    let (found, seconds, bytes) = loopback(3, |session| {
        let mut joint = Joint::new(session, 20)?;
        let own: Vec<BTreeSet<String>> = transactions.iter().skip(session.me()).step_by(3).cloned().collect();
        Ok(large_itemsets(session, &mut joint, &own, options)?.supports)
    })?;
    // One owner of all transactions, mined by other code.
    let begun = Instant::now();
    let data = privet_mine::rules::Transactions::parse(&text)?;
    let itemsets = privet_mine::rules::frequent_itemsets(&data, 100, 1_000_000, &Silent)?;
    let mut known = privet_mine::rules::channels::supports_of(&itemsets, transactions.len() as u64);
    known.retain(|set, _| set.len() <= options.longest);
    let closed = privet_mine::rules::channels::close_by_leaving_out(&known, 20, &Silent)?;
    let central: Supports = itemsets
        .iter()
        .filter(|(set, _)| closed.supports.contains_key(*set))
        .map(|(set, support)| {
            let mut names: Vec<String> = set.iter().map(ToString::to_string).collect();
            names.sort_unstable();
            (names, u64::from(support))
        })
        .collect();
    let alone = begun.elapsed().as_secs_f64();
    let is_right = found.iter().all(|own| *own == central);
    let what = format!("rules on groceries, 3 parties, {} itemsets", central.len());
    rows.push(json!({ "what": what, "seconds": seconds, "bytes": bytes, "right": is_right, "alone": alone, "limit": 60.0 }));
    Ok(())
}

fn tree(rows: &mut Vec<Value>) -> Result<(), Failure> {
    let Some(text) = shared().and_then(|own| std::fs::read_to_string(own.join("adult/adult.csv")).ok())
    else {
        rows.push(json!({ "what": "tree on adult: no data set here" }));
        return Ok(());
    };
    let records: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(';').collect()).collect();
    let code = |column: usize| -> (Vec<u32>, usize) {
        let values: BTreeSet<&str> = records.iter().map(|own| own[column]).collect();
        let values: Vec<&str> = values.into_iter().collect();
        (
            records.iter().map(|own| values.binary_search(&own[column]).unwrap_or(0) as u32).collect(),
            values.len(),
        )
    };
    let attributes: Vec<(Vec<u32>, usize)> = [0, 2, 3, 4, 6, 7].into_iter().map(code).collect();
    let (class, classes) = code(8);
    let sizes: Vec<usize> = attributes.iter().map(|own| own.1).collect();
    for minimum in [0u64, 20] {
        let side = |session: &mut Session<'static>| -> Result<Tree, PartyError> {
            let mut joint = Joint::new(session, minimum)?;
            let (me, parties) = (session.me(), session.parties());
            let pick =
                |own: &Vec<u32>| -> Vec<u32> { own.iter().skip(me).step_by(parties).copied().collect() };
            let columns: Vec<Vec<u32>> = attributes.iter().map(|own| pick(&own.0)).collect();
            let views: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
            let options = TreeOptions { depth: 4, gain: 0.0 };
            grow(session, &mut joint, (&pick(&class), classes), &views, &sizes, options)
        };
        let (found, seconds, bytes) = loopback(3, side)?;
        // One owner of all records.
        let begun = Instant::now();
        let central = run_local(1, side).swap_remove(0)?;
        let alone = begun.elapsed().as_secs_f64();
        let is_right = found.iter().all(|own| *own == central) && central.nodes.len() > 10;
        let what = format!("tree on adult, 3 parties, at least {minimum}, {} nodes", central.nodes.len());
        rows.push(json!({ "what": what, "seconds": seconds, "bytes": bytes, "right": is_right, "alone": alone, "limit": 120.0 }));
    }
    Ok(())
}

/// The sum of values over an intersection: a Paillier ciphertext per item.
fn paillier(rows: &mut Vec<Value>) -> Result<(), Failure> {
    let count = 2_000u64;
    let sets = [items(0, count), items(count / 2, count)];
    let values: Vec<u64> = (0..count).collect();
    let expected = (count / 2, (0..count / 2).sum::<u64>());
    let (found, seconds, bytes) =
        loopback(2, |session| intersection::sum(session, &sets[session.me()], &values, 0))?;
    let is_right = found.iter().all(|own| *own == expected);
    rows.push(json!({ "what": format!("sum over an intersection of {count} x {count}"), "seconds": seconds, "bytes": bytes, "right": is_right }));
    Ok(())
}

/// k-means over three parties, with and without a minimum; without one it is that of one owner.
fn clusters(rows: &mut Vec<Value>) -> Result<(), Failure> {
    let points: Vec<Vec<i64>> =
        (0..90_000i64).map(|own| vec![(own * 7919) % 1000, (own * 104_729 + own / 7) % 1000]).collect();
    for minimum in [0u64, 10] {
        let side = |session: &mut Session<'static>| {
            let mut joint = Joint::new(session, minimum)?;
            let own: Vec<Vec<i64>> =
                points.iter().skip(session.me()).step_by(session.parties()).cloned().collect();
            clusters::horizontal(session, &mut joint, &own, &[(0, 1000); 2], (5, 15))
        };
        let (found, seconds, bytes) = loopback(3, side)?;
        let central = run_local(1, side).swap_remove(0)?;
        let is_right = found.iter().all(|own| *own == central);
        let what = format!("5 clusters of {} points, 3 parties, at least {minimum}", points.len());
        rows.push(json!({ "what": what, "seconds": seconds, "bytes": bytes, "right": is_right }));
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |part: &str| asked.is_empty() || asked.iter().any(|own| own == part);
    let mut rows = Vec::new();
    if is_asked("transfers") {
        transfers(&mut rows)?;
    }
    if is_asked("sums") {
        sums(&mut rows)?;
    }
    if is_asked("proofs") {
        valid_sums(&mut rows)?;
    }
    if is_asked("rules") {
        rules(&mut rows)?;
    }
    if is_asked("tree") {
        tree(&mut rows)?;
    }
    if is_asked("clusters") {
        clusters(&mut rows)?;
    }
    if is_asked("paillier") {
        paillier(&mut rows)?;
    }
    if is_asked("cardinality") {
        sizes(100_000, &mut rows)?;
    }
    if is_asked("intersection") {
        intersection(1_000_000, &mut rows)?;
    }
    if is_asked("growth") {
        growth(&mut rows)?;
    }
    println!("{}", Value::Array(rows));
    Ok(())
}
