//! Sessions without a network, between parties of one process.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use privet_data::Silent;

use super::queue::Queue;
use super::{Limits, Outgoing, Peer, Session, Shared, Traffic};
use crate::error::PartyError;

/// Sessions between so many parties of one process, without a network: for tests, and for trying protocols.
pub fn local(parties: usize) -> Vec<Session<'static>> {
    let queues: Vec<Vec<Arc<Queue>>> =
        (0..parties).map(|_| (0..parties).map(|_| Arc::default()).collect()).collect();
    let session = |me: usize| {
        let peer = |other: usize| {
            (other != me).then(|| Peer {
                outgoing: Outgoing::Local(queues[me][other].clone()),
                incoming: queues[other][me].clone(),
                heard: Arc::new(AtomicU64::new(u64::MAX)),
                is_done: false,
                sent: 0,
                received: 0,
            })
        };
        Session {
            me,
            names: (0..parties).map(|party| format!("party-{party}")).collect(),
            peers: (0..parties).map(peer).collect(),
            id: [7; 32],
            shared: Shared::new(),
            limits: Limits { step: Duration::from_secs(120), ..Limits::default() },
            transcript: None,
            traffic: Traffic::default(),
            kept: None,
            taking_part: (0..parties).collect(),
            progress: &Silent,
            done: AtomicU64::new(0),
        }
    };
    (0..parties).map(session).collect()
}

/// Runs the same protocol as every party of a local session, each in a thread, and gives what each got.
///
/// # Panics
/// When a party's code panics.
pub fn run_local<T: Send>(
    parties: usize,
    run: impl Fn(&mut Session<'static>) -> Result<T, PartyError> + Sync,
) -> Vec<Result<T, PartyError>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = local(parties)
            .into_iter()
            .map(|mut session| {
                let run = &run;
                scope.spawn(move || run(&mut session))
            })
            .collect();
        // why: a panic of a party is a bug, and the caller's thread should show it
        threads.into_iter().map(|thread| thread.join().expect("a party panicked")).collect()
    })
}
