//! From addresses to a session: every party listens, dials every other, and agrees on the job before anything else is sent.
//!
//! Each pair of parties has two connections, one for each direction, so that a slow reader never blocks what is sent the other way. A stranger
//! who reaches the listener cannot do more than make it try a handshake; strangers never end a session.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use privet_data::Progress;
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, ServerConnection, StreamOwned};
use sha2::{Digest, Sha256};

use super::queue::{Frame, Queue};
use super::tls::{self, Fingerprint, Identity};
use super::wire::{HEADER, Header, Tag};
use super::{Limits, Outgoing, Peer, Session, Shared, Traffic, Transcript, parse_abort};
use crate::error::{Abort, PartyError, Reason};
use crate::random;

/// How a party is reached and known.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// What it is called.
    pub name: String,
    /// Host and port.
    pub address: String,
    /// The SHA-256 of its certificate.
    pub certificate: Fingerprint,
}

/// Between signs of life; a silence limit should be several times that.
const HEARTBEAT: Duration = Duration::from_millis(500);
/// For a peer to read the last frames when the session ends.
const GRACE: Duration = Duration::from_secs(2);
/// For a handshake that makes no progress.
const STALL: Duration = Duration::from_secs(10);

type Reading = StreamOwned<ServerConnection, TcpStream>;
type Writing = StreamOwned<ClientConnection, TcpStream>;

/// What the threads that connect report.
enum Event {
    Accepted(usize, Box<Reading>),
    Dialled(usize, Box<Writing>),
    Failed(usize, Reason),
}

/// The connections to all parties, by their numbers.
struct Streams {
    reading: Vec<Option<Box<Reading>>>,
    writing: Vec<Option<Box<Writing>>>,
}

impl Streams {
    /// A party that is not connected in both directions.
    fn missing(&self, me: usize) -> Option<usize> {
        let is_there = |other: usize| self.reading[other].is_some() && self.writing[other].is_some();
        (0..self.reading.len()).find(|&other| other != me && !is_there(other))
    }
}

/// Connects to all parties and agrees on the job, of which `job` is the hash.
///
/// # Errors
/// When a party cannot be reached in time, is not who it should be, or holds another job.
pub fn connect<'p>(
    parties: &[Endpoint],
    me: usize,
    identity: &Identity,
    job: [u8; 32],
    limits: Limits,
    mut transcript: Option<Transcript>,
    progress: &'p dyn Progress,
) -> Result<Session<'p>, PartyError> {
    let names: Vec<String> = parties.iter().map(|party| party.name.clone()).collect();
    let streams = match streams(parties, me, identity, limits, progress) {
        Ok(streams) => streams,
        Err(error) => {
            if let Some(mut transcript) = transcript.take() {
                transcript.event("abort", serde_json::json!(error.abort(&names[me])));
                // why: the error is what the operator must hear of
                let _ = transcript.finish(false);
            }
            return Err(error);
        }
    };
    let shared = Shared::new();
    let streams = streams.reading.into_iter().zip(streams.writing).enumerate();
    let peer = |(other, (reading, writing)): (usize, (Option<Box<Reading>>, Option<Box<Writing>>))| {
        Some(peer(other, *reading?, *writing?, &names, &shared))
    };
    let peers: Vec<Option<Peer>> = streams.map(peer).collect();
    let mut session = Session {
        me,
        names: names.clone(),
        peers,
        id: [0; 32],
        shared: shared.clone(),
        limits,
        transcript,
        traffic: Traffic::default(),
        kept: None,
        taking_part: (0..names.len()).collect(),
        progress,
        done: AtomicU64::new(0),
    };
    match agree(&mut session, job) {
        Ok(()) => Ok(session),
        // The others are told why.
        Err(error) => Err(match session.end(Err::<(), _>(error)) {
            Err(error) => error,
            Ok(_) => PartyError::Resources("the session could not begin".to_owned()),
        }),
    }
}

/// Listens and dials until every party is connected in both directions.
fn streams(
    parties: &[Endpoint],
    me: usize,
    identity: &Identity,
    limits: Limits,
    progress: &dyn Progress,
) -> Result<Streams, PartyError> {
    let own = &parties[me];
    if identity.fingerprint() != own.certificate {
        return Err(PartyError::Key(
            "the certificate of this party is not the one that the job names for it".to_owned(),
        ));
    }
    progress.stage("waiting for the other parties", None);
    let failed = |party: usize, reason: Reason| {
        PartyError::Abort(Abort { party: parties[party].name.clone(), reason, reported_by: None })
    };
    let deadline = Instant::now() + limits.connect;
    let listener = TcpListener::bind(&own.address)
        .map_err(|error| PartyError::Network { what: format!("cannot listen at {}", own.address), error })?;
    let (events, happened) = mpsc::channel();
    let _accepting = accept(listener, parties, me, identity, deadline, events.clone())?;
    for other in (0..parties.len()).filter(|&other| other != me) {
        begin_dialling(other, &parties[other], identity, deadline, &events)?;
    }
    let mut streams = Streams {
        reading: parties.iter().map(|_| None).collect(),
        writing: parties.iter().map(|_| None).collect(),
    };
    while let Some(missing) = streams.missing(me) {
        progress.check()?;
        match happened.recv_timeout(Duration::from_millis(50)) {
            Ok(Event::Accepted(other, stream)) => {
                // A party that began anew dials again; what was dialled before leads to a process that is gone.
                if streams.writing[other].as_ref().is_some_and(|own| is_closed(&own.sock)) {
                    streams.writing[other] = None;
                    begin_dialling(other, &parties[other], identity, deadline, &events)?;
                }
                streams.reading[other] = Some(stream);
            }
            Ok(Event::Dialled(other, stream)) => streams.writing[other] = Some(stream),
            Ok(Event::Failed(other, reason)) => return Err(failed(other, reason)),
            Err(_) if Instant::now() > deadline => return Err(failed(missing, Reason::Unreachable)),
            Err(_) => {}
        }
    }
    Ok(streams)
}

/// Dials a party in a thread of its own.
fn begin_dialling(
    other: usize,
    party: &Endpoint,
    identity: &Identity,
    deadline: Instant,
    events: &mpsc::Sender<Event>,
) -> Result<(), PartyError> {
    let config = tls::client(identity, party.certificate)?;
    let (address, events) = (party.address.clone(), events.clone());
    std::thread::spawn(move || {
        let event = match dial(&address, config, deadline) {
            Ok(stream) => Event::Dialled(other, Box::new(stream)),
            Err(reason) => Event::Failed(other, reason),
        };
        // why: whoever gave up does not listen any more
        let _ = events.send(event);
    });
    Ok(())
}

/// Whether the other end of a connection on which nothing is received is gone.
fn is_closed(sock: &TcpStream) -> bool {
    let looked = sock.set_nonblocking(true).and_then(|()| sock.peek(&mut [0]));
    let is_open = match looked {
        Ok(count) => count > 0,
        Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
    };
    !(is_open && sock.set_nonblocking(false).is_ok())
}

/// The same job, and a number of this session that no party chose alone.
fn agree(session: &mut Session<'_>, job: [u8; 32]) -> Result<(), PartyError> {
    let nonce: [u8; 32] = random::array()?;
    session.broadcast(Tag::Hello, &[job, nonce].concat())?;
    let mut nonces = vec![[0; 32]; session.parties()];
    nonces[session.me()] = nonce;
    let mut other_job = None;
    for other in session.others() {
        let hello = session.receive_exactly(other, Tag::Hello, 64)?;
        let (theirs, nonce) = session.parse(other, &hello, parse_hello)?;
        if theirs != job {
            other_job.get_or_insert(other);
        }
        nonces[other] = nonce;
    }
    if let Some(other) = other_job {
        return Err(session.blame(other, Reason::DifferentJob));
    }
    let mut hash = Sha256::new();
    hash.update(b"privet party session 1");
    hash.update(job);
    nonces.iter().for_each(|nonce| hash.update(nonce));
    session.id = hash.finalize().into();
    session.broadcast(Tag::Confirm, &session.id())?;
    for other in session.others() {
        if session.receive_exactly(other, Tag::Confirm, 32)? != session.id() {
            return Err(session.blame(other, Reason::Replayed));
        }
    }
    let detail = serde_json::json!({ "job": tls::hex(&job), "session": tls::hex(&session.id), "parties": session.names });
    session.note("begin", detail);
    Ok(())
}

pub(crate) fn parse_hello(reader: &mut super::wire::Reader<'_>) -> Result<([u8; 32], [u8; 32]), Reason> {
    Ok((reader.array()?, reader.array()?))
}

/// Ends accepting when it is dropped: all parties are there, or this one gave up.
struct Accepting(Arc<AtomicBool>);

impl Drop for Accepting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Accepts until that is ended; every handshake has a thread, so that nobody waits for a stranger. A party may come more than once: it counts
/// as one, and its last connection is the one that is used.
fn accept(
    listener: TcpListener,
    parties: &[Endpoint],
    me: usize,
    identity: &Identity,
    deadline: Instant,
    events: mpsc::Sender<Event>,
) -> Result<Accepting, PartyError> {
    let peers: Vec<Fingerprint> = parties.iter().map(|party| party.certificate).collect();
    let config = tls::server(identity, peers.iter().copied().filter(|own| *own != peers[me]).collect())?;
    let unusable = |error| PartyError::Network { what: "the listener cannot be used".to_owned(), error };
    listener.set_nonblocking(true).map_err(unusable)?;
    let accepting = Accepting(Arc::default());
    let is_ended = accepting.0.clone();
    std::thread::spawn(move || {
        while Instant::now() < deadline && !is_ended.load(Ordering::Relaxed) {
            let Ok((stream, _)) = listener.accept() else {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            let (config, events, peers) = (config.clone(), events.clone(), peers.clone());
            std::thread::spawn(move || {
                let Some((fingerprint, stream)) = handshake(stream, config) else { return };
                let Some(other) = peers.iter().position(|own| *own == fingerprint) else { return };
                // why: whoever gave up does not listen any more
                let _ = events.send(Event::Accepted(other, Box::new(stream)));
            });
        }
    });
    Ok(accepting)
}

fn handshake(stream: TcpStream, config: Arc<rustls::ServerConfig>) -> Option<(Fingerprint, Reading)> {
    stream.set_nonblocking(false).ok()?;
    stream.set_nodelay(true).ok()?;
    stream.set_read_timeout(Some(STALL)).ok()?;
    stream.set_write_timeout(Some(STALL)).ok()?;
    let mut stream = StreamOwned::new(ServerConnection::new(config).ok()?, stream);
    // One byte tells the other side that its certificate was accepted; nothing else goes this way.
    stream.write_all(&[1]).and_then(|()| stream.flush()).ok()?;
    let fingerprint = tls::fingerprint(stream.conn.peer_certificates()?.first()?);
    Some((fingerprint, stream))
}

/// Dials until somebody answers; a certificate that is not the pinned one is no reason to try again.
fn dial(address: &str, config: Arc<rustls::ClientConfig>, deadline: Instant) -> Result<Writing, Reason> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Reason::Unreachable);
        }
        match attempt(address, config.clone(), left.min(STALL)) {
            Ok(stream) => return Ok(stream),
            Err(Reason::Unreachable) => std::thread::sleep(Duration::from_millis(50)),
            Err(reason) => return Err(reason),
        }
    }
}

fn attempt(address: &str, config: Arc<rustls::ClientConfig>, patience: Duration) -> Result<Writing, Reason> {
    let gone = |_: std::io::Error| Reason::Unreachable;
    let address = address.to_socket_addrs().map_err(gone)?.next().ok_or(Reason::Unreachable)?;
    let stream = TcpStream::connect_timeout(&address, patience).map_err(gone)?;
    stream.set_nodelay(true).map_err(gone)?;
    stream.set_read_timeout(Some(patience)).map_err(gone)?;
    stream.set_write_timeout(Some(STALL)).map_err(gone)?;
    // The name is of no importance: certificates are known by their hash.
    let name = ServerName::try_from("privet.party").map_err(|_| Reason::Resources)?;
    let connection = ClientConnection::new(config, name).map_err(|_| Reason::Resources)?;
    let mut stream = StreamOwned::new(connection, stream);
    let mut accepted = [0];
    stream.read_exact(&mut accepted).map_err(|error| refusal(&error))?;
    Ok(stream)
}

/// What it means that a handshake failed.
fn refusal(error: &std::io::Error) -> Reason {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(_)) => Reason::WrongCertificate,
        Some(rustls::Error::AlertReceived(_)) => Reason::CertificateRefused,
        Some(_) => Reason::Malformed,
        None => Reason::Unreachable,
    }
}

/// Begins the threads that read from and write to a peer.
fn peer(other: usize, reading: Reading, writing: Writing, names: &[String], shared: &Arc<Shared>) -> Peer {
    let incoming: Arc<Queue> = Arc::default();
    let heard = Arc::new(AtomicU64::new(shared.millis()));
    let (frames, outgoing) = mpsc::channel();
    {
        let (incoming, heard, shared, names) =
            (incoming.clone(), heard.clone(), shared.clone(), names.to_vec());
        std::thread::spawn(move || {
            let end = read(reading, other, &incoming, &heard, &shared, &names);
            if let Some(abort) = end {
                shared.fail(abort);
            }
            incoming.close();
        });
    }
    let for_writing = shared.clone();
    let thread = std::thread::spawn(move || {
        // why: without the limit a write would wait for the system, which is only slower to notice
        let _ = writing.sock.set_write_timeout(Some(Duration::from_secs(1)));
        write(writing, &outgoing, &for_writing);
    });
    Peer {
        outgoing: Outgoing::Thread { frames, thread: Some(thread) },
        incoming,
        heard,
        is_done: false,
        sent: 0,
        received: 0,
    }
}

/// Reads frames until the connection ends; why the session cannot go on, unless the party had said that it is done.
fn read(
    mut stream: Reading,
    other: usize,
    incoming: &Queue,
    heard: &AtomicU64,
    shared: &Shared,
    names: &[String],
) -> Option<Abort> {
    let blame = |reason| Some(Abort { party: names[other].clone(), reason, reported_by: None });
    // Signs of life are awaited where a message is; a read may wait as long as it likes.
    if stream.sock.set_read_timeout(None).is_err() {
        return blame(Reason::Resources);
    }
    let mut is_done = false;
    loop {
        let mut bytes = [0; HEADER];
        if stream.read_exact(&mut bytes).is_err() {
            return if is_done { None } else { blame(Reason::Disappeared) };
        }
        let header = match Header::parse(&bytes) {
            Ok(header) => header,
            Err(reason) => return blame(reason),
        };
        let mut payload = vec![0; header.length];
        if stream.read_exact(&mut payload).is_err() {
            return blame(Reason::Disappeared);
        }
        heard.store(shared.millis(), Ordering::Relaxed);
        match header.tag {
            Tag::Heartbeat if payload.is_empty() => {}
            Tag::Heartbeat => return blame(Reason::Malformed),
            Tag::Abort => {
                let Ok((party, reason)) = parse_abort(&payload) else { return blame(Reason::Malformed) };
                let Some(party) = names.get(usize::from(party)) else { return blame(Reason::Malformed) };
                let reported_by = (*party != names[other]).then(|| names[other].clone());
                return Some(Abort { party: party.clone(), reason, reported_by });
            }
            tag => {
                is_done |= tag == Tag::Goodbye;
                incoming.push(Frame { header, payload });
            }
        }
    }
}

/// Writes frames, and signs of life when there are none, until nobody has any to write.
fn write(mut stream: Writing, frames: &mpsc::Receiver<Vec<u8>>, shared: &Shared) {
    let alive =
        Header { tag: Tag::Heartbeat, is_last: true, length: 0, sequence: u64::MAX, session: [0; 8] }.bytes();
    loop {
        let is_written = match frames.recv_timeout(HEARTBEAT) {
            Ok(frame) => put(&mut stream, &frame, shared),
            Err(mpsc::RecvTimeoutError::Timeout) => put(&mut stream, &alive, shared),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                stream.conn.send_close_notify();
                // why: whoever is gone does not need to be told
                let _ = stream.flush();
                let _ = stream.sock.shutdown(std::net::Shutdown::Write);
                return;
            }
        };
        if !is_written {
            // The thread that reads from this party notices that it is gone, or the one that waits that it is silent.
            return;
        }
    }
}

/// Writes all bytes, however long the peer takes to read them, unless the session ends; whether they were written.
fn put(stream: &mut Writing, bytes: &[u8], shared: &Shared) -> bool {
    use std::io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    let mut rest = bytes;
    let mut stalled = Instant::now();
    loop {
        let step = if rest.is_empty() { stream.flush().map(|()| 0) } else { stream.write(rest) };
        match step {
            Ok(_) if rest.is_empty() => return true,
            Ok(count) => (rest, stalled) = (&rest[count..], Instant::now()),
            // Rustls keeps what it took, so the rest can be offered again.
            Err(error) if matches!(error.kind(), Interrupted | TimedOut | WouldBlock) => {
                if shared.is_ending.load(Ordering::Relaxed) && stalled.elapsed() > GRACE {
                    return false;
                }
            }
            Err(_) => return false,
        }
    }
}
