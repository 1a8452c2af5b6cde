//! A party that holds the right key and sends what the protocol does not allow, over real connections.

use std::time::Duration;

use privet_data::Silent;
use privet_parties::protocol::sum::Sums;
use privet_parties::session::tls::Identity;
use privet_parties::session::wire::{HEADER, Header, MAX_FRAME, Tag};
use privet_parties::session::{Session, connect};
use privet_parties::{PartyError, Reason};

use crate::setting::Setting;

/// What the honest party finds when the other sends these bytes instead of its masked values.
fn finds(attack: impl Fn(&mut Session<'_>) + Sync) -> PartyError {
    let setting = Setting::counts(2, "connect-seconds = 20\nsilence-seconds = 5\nstep-seconds = 5");
    let job = setting.read();
    std::thread::scope(|scope| {
        let side = |me: usize| {
            let identity =
                Identity::read(&setting.path(&format!("{}.key", crate::setting::NAMES[me]))).unwrap();
            let endpoints = job.endpoints();
            connect(&endpoints, me, &identity, job.hash, job.limits(), None, &Silent).unwrap()
        };
        let attack = &attack;
        let attacker = scope.spawn(move || {
            let mut session = side(1);
            let _sums = Sums::new(&mut session).unwrap();
            attack(&mut session);
            std::thread::sleep(Duration::from_millis(300));
            let _ = session.end(Err::<(), _>(PartyError::Stopped));
        });
        let mut session = side(0);
        let result = Sums::new(&mut session).and_then(|mut sums| {
            let first = sums.sum(&mut session, &[1, 2])?;
            sums.sum(&mut session, &first)
        });
        let error = session.end(result).unwrap_err();
        attacker.join().unwrap();
        error
    })
}

fn header(session: &Session<'_>, length: usize, sequence: u64) -> Header {
    let id = *session.id().first_chunk().unwrap();
    Header { tag: Tag::MaskedSum, is_last: true, length, sequence, session: id }
}

fn frame(header: Header) -> Vec<u8> {
    [&header.bytes()[..], &vec![7; header.length]].concat()
}

#[test]
fn what_the_protocol_does_not_allow_is_named() {
    let reason = |error: PartyError| match error {
        PartyError::Abort(abort) => {
            assert_eq!(abort.party, "south");
            abort.reason
        }
        other => panic!("{other}"),
    };
    // Twice the same message.
    let twice = finds(|session| {
        let own = frame(header(session, 16, session.frames_sent(0)));
        session.send_raw(0, own.clone());
        session.send_raw(0, own);
    });
    assert_eq!(reason(twice), Reason::OutOfTurn);
    // The later message before the earlier one.
    let reordered = finds(|session| {
        let next = session.frames_sent(0);
        session.send_raw(0, frame(header(session, 16, next + 1)));
        session.send_raw(0, frame(header(session, 16, next)));
    });
    assert_eq!(reason(reordered), Reason::OutOfTurn);
    // A message of another session.
    let replayed = finds(|session| {
        let own = Header { session: [9; 8], ..header(session, 16, session.frames_sent(0)) };
        session.send_raw(0, frame(own));
    });
    assert_eq!(reason(replayed), Reason::Replayed);
    // More than the protocol allows: in a message, and in a frame.
    let oversized =
        finds(|session| session.send_raw(0, frame(header(session, 1000, session.frames_sent(0)))));
    assert_eq!(reason(oversized), Reason::Oversized);
    let oversized = finds(|session| {
        let mut bytes = header(session, 16, session.frames_sent(0)).bytes().to_vec();
        bytes[4..8].copy_from_slice(&(MAX_FRAME as u32 + 1).to_le_bytes());
        session.send_raw(0, bytes);
    });
    assert_eq!(reason(oversized), Reason::Oversized);
    // Something else.
    let malformed = finds(|session| session.send_raw(0, vec![0xee; HEADER]));
    assert_eq!(reason(malformed), Reason::Malformed);
    let short = finds(|session| session.send_raw(0, frame(header(session, 8, session.frames_sent(0)))));
    assert_eq!(reason(short), Reason::Malformed);
    let other = finds(|session| {
        let own = Header { tag: Tag::Payload, ..header(session, 16, session.frames_sent(0)) };
        session.send_raw(0, frame(own));
    });
    assert_eq!(reason(other), Reason::OutOfTurn);
}
