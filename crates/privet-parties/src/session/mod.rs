//! A session: parties that hold the same job, connected pairwise, and messages between them in an agreed order.
//!
//! Guarantee: a message is delivered whole, once, in order, from the party that holds the pinned certificate, within this session and no other;
//! or the session ends within its time limits with an [`Abort`] that names a party and a reason. The network may drop, delay, repeat or change
//! bytes as it likes. An abort carries a party and a reason and nothing else.

mod connect;
mod local;
mod progress;
mod queue;
pub mod tls;
mod transcript;
pub mod wire;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use privet_data::Progress;

pub(crate) use connect::parse_hello;
pub use connect::{Endpoint, connect};
pub use local::{local, run_local};
use queue::{Frame, Queue, Taken};
pub use transcript::{Transcript, verify_transcript};
use wire::{HEADER, Header, MAX_FRAME, Reader, Tag};

use crate::error::{Abort, PartyError, Reason};

/// How long a party waits.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For all parties to be connected.
    pub connect: Duration,
    /// For a sign of life of a peer whose message is awaited.
    pub silence: Duration,
    /// For a message of a peer that is alive.
    pub step: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(60),
            silence: Duration::from_secs(15),
            step: Duration::from_secs(600),
        }
    }
}

/// What a thread of a connection knows of the session.
struct Shared {
    begun: Instant,
    failure: Mutex<Option<Abort>>,
    /// Whether this party is leaving.
    is_ending: AtomicBool,
}

impl Shared {
    fn new() -> Arc<Self> {
        Arc::new(Self { begun: Instant::now(), failure: Mutex::new(None), is_ending: AtomicBool::new(false) })
    }

    fn millis(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }

    /// Notes why the session cannot go on; the first reason stays.
    fn fail(&self, abort: Abort) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(abort);
    }

    fn failure(&self) -> Option<Abort> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Where frames for a peer go.
enum Outgoing {
    /// To the thread that writes to its connection.
    Thread { frames: mpsc::Sender<Vec<u8>>, thread: Option<std::thread::JoinHandle<()>> },
    /// To a party of the same process.
    Local(Arc<Queue>),
}

/// Another party.
struct Peer {
    outgoing: Outgoing,
    incoming: Arc<Queue>,
    heard: Arc<AtomicU64>,
    /// Whether it said that the protocol is complete.
    is_done: bool,
    sent: u64,
    received: u64,
}

/// How many bytes went to and came from other parties.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Traffic {
    /// Payload bytes sent.
    pub sent: u64,
    /// Payload bytes received.
    pub received: u64,
    /// Messages sent and received.
    pub messages: u64,
}

/// One party's side of a session.
pub struct Session<'p> {
    me: usize,
    names: Vec<String>,
    peers: Vec<Option<Peer>>,
    id: [u8; 32],
    shared: Arc<Shared>,
    limits: Limits,
    transcript: Option<Transcript>,
    traffic: Traffic,
    /// What was received, where a test looks at it.
    kept: Option<Vec<Vec<u8>>>,
    /// The parties that take part in what is computed now; all, but within [`Session::among`].
    taking_part: Vec<usize>,
    progress: &'p dyn Progress,
    /// Units of the stage that are done.
    done: AtomicU64,
}

impl<'p> Session<'p> {
    /// This party's number.
    pub fn me(&self) -> usize {
        self.me
    }

    /// How many parties there are.
    pub fn parties(&self) -> usize {
        self.names.len()
    }

    /// The numbers of the other parties that take part, in order.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (me, parties) = (self.me, self.taking_part.clone());
        parties.into_iter().filter(move |&party| party != me)
    }

    /// The numbers of the parties that take part, in order.
    pub fn taking_part(&self) -> &[usize] {
        &self.taking_part
    }

    /// Whether this party is the first of those that take part.
    pub fn is_first(&self) -> bool {
        self.taking_part.first() == Some(&self.me)
    }

    /// Computes something between some parties, of which this is one, while the others wait.
    ///
    /// # Errors
    /// What `compute` says.
    pub fn among<T>(
        &mut self,
        parties: &[usize],
        compute: impl FnOnce(&mut Self) -> Result<T, PartyError>,
    ) -> Result<T, PartyError> {
        let mut few = parties.to_vec();
        few.sort_unstable();
        let all = std::mem::replace(&mut self.taking_part, few);
        let result = compute(self);
        self.taking_part = all;
        result
    }

    /// The name of a party.
    pub fn name(&self, party: usize) -> &str {
        &self.names[party]
    }

    /// The names of all parties.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What all messages of this session are bound to: a hash of the job and of a fresh number of every party.
    pub fn id(&self) -> [u8; 32] {
        self.id
    }

    /// What went over the network so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Adds a line to the transcript.
    pub fn note(&mut self, name: &str, detail: serde_json::Value) {
        if let Some(transcript) = &mut self.transcript {
            transcript.event(name, detail);
        }
    }

    /// The error that ends the session because of a party.
    pub fn blame(&self, party: usize, reason: Reason) -> PartyError {
        PartyError::Abort(Abort { party: self.names[party].clone(), reason, reported_by: None })
    }

    /// Sends a message; returns at once, whatever the network does.
    ///
    /// # Errors
    /// When the session has failed.
    pub fn send(&mut self, to: usize, tag: Tag, payload: &[u8]) -> Result<(), PartyError> {
        self.check()?;
        self.traffic.sent += payload.len() as u64;
        self.traffic.messages += 1;
        if let Some(transcript) = &mut self.transcript {
            transcript.message(true, &self.names[to], tag, payload);
        }
        let session = self.session_of(tag);
        let peer = self.peers[to].as_mut().ok_or_else(no_peer)?;
        let mut rest = payload;
        loop {
            let (now, later) = rest.split_at(rest.len().min(MAX_FRAME));
            let header =
                Header { tag, is_last: later.is_empty(), length: now.len(), sequence: peer.sent, session };
            peer.sent += 1;
            peer.put(header, now);
            rest = later;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    /// Sends the same message to all others.
    ///
    /// # Errors
    /// As [`Session::send`].
    pub fn broadcast(&mut self, tag: Tag, payload: &[u8]) -> Result<(), PartyError> {
        self.others().try_for_each(|party| self.send(party, tag, payload))
    }

    /// Bytes as they are, for tests of what a party may send that does not keep to the protocol.
    #[doc(hidden)]
    pub fn send_raw(&mut self, to: usize, bytes: Vec<u8>) {
        if let Some(Peer { outgoing: Outgoing::Thread { frames, .. }, .. }) = &self.peers[to] {
            let _ = frames.send(bytes);
        }
    }

    /// How many frames were sent to a party, for such tests.
    #[doc(hidden)]
    pub fn frames_sent(&self, to: usize) -> u64 {
        self.peers[to].as_ref().map_or(0, |peer| peer.sent)
    }

    /// What was received since this was called last, for tests of what a party sees.
    #[doc(hidden)]
    pub fn take_received(&mut self) -> Vec<Vec<u8>> {
        self.kept.replace(Vec::new()).unwrap_or_default()
    }

    /// The next message of a party, which must be about this and of at most so many bytes.
    ///
    /// # Errors
    /// When the party sends something else, is silent, late or gone, or the session has failed.
    pub fn receive(&mut self, from: usize, tag: Tag, at_most: usize) -> Result<Vec<u8>, PartyError> {
        let mut message = Vec::new();
        let begun = Instant::now();
        loop {
            let frame = self.frame(from, begun)?;
            let peer = self.peers[from].as_mut().ok_or_else(no_peer)?;
            let expected = peer.received;
            peer.received += 1;
            if frame.header.session != self.session_of(frame.header.tag) {
                return Err(self.blame(from, Reason::Replayed));
            }
            if frame.header.sequence != expected || frame.header.tag != tag {
                return Err(self.blame(from, Reason::OutOfTurn));
            }
            if message.len() + frame.payload.len() > at_most {
                return Err(self.blame(from, Reason::Oversized));
            }
            if !frame.header.is_last && frame.payload.len() != MAX_FRAME {
                return Err(self.blame(from, Reason::Malformed));
            }
            match message.is_empty() {
                true => message = frame.payload,
                false => message.extend_from_slice(&frame.payload),
            }
            if frame.header.is_last {
                break;
            }
        }
        self.traffic.received += message.len() as u64;
        self.traffic.messages += 1;
        if let Some(transcript) = &mut self.transcript {
            transcript.message(false, &self.names[from], tag, &message);
        }
        if let Some(kept) = &mut self.kept {
            kept.push(message.clone());
        }
        Ok(message)
    }

    /// The next message, which must have exactly so many bytes.
    ///
    /// # Errors
    /// As [`Session::receive`].
    pub fn receive_exactly(&mut self, from: usize, tag: Tag, length: usize) -> Result<Vec<u8>, PartyError> {
        let message = self.receive(from, tag, length)?;
        if message.len() != length {
            return Err(self.blame(from, Reason::Malformed));
        }
        Ok(message)
    }

    /// The next message, which must be exactly so many numbers.
    ///
    /// # Errors
    /// As [`Session::receive`].
    pub fn receive_u64s(&mut self, from: usize, tag: Tag, count: usize) -> Result<Vec<u64>, PartyError> {
        let message = self.receive_exactly(from, tag, count * 8)?;
        Ok(message.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
    }

    /// Reads a message by a parser; what the parser refuses ends the session because of the sender.
    ///
    /// # Errors
    /// When the parser refuses, or bytes are left over.
    pub fn parse<'m, T>(
        &self,
        from: usize,
        message: &'m [u8],
        parser: impl FnOnce(&mut Reader<'m>) -> Result<T, Reason>,
    ) -> Result<T, PartyError> {
        let mut reader = Reader::new(message);
        let parsed = parser(&mut reader).and_then(|parsed| reader.finish().map(|()| parsed));
        parsed.map_err(|reason| self.blame(from, reason))
    }

    fn session_of(&self, tag: Tag) -> [u8; 8] {
        // Before there is a session there is nothing to be bound to.
        if tag == Tag::Hello { [0; 8] } else { self.id.first_chunk().copied().unwrap_or_default() }
    }

    fn frame(&mut self, from: usize, begun: Instant) -> Result<Frame, PartyError> {
        loop {
            let peer = self.peers[from].as_ref().ok_or_else(no_peer)?;
            match peer.incoming.take(Duration::from_millis(50)) {
                Taken::Frame(frame) => return Ok(frame),
                Taken::Closed => {
                    self.check()?;
                    return Err(self.blame(from, Reason::Disappeared));
                }
                Taken::Empty => {}
            }
            self.check()?;
            let heard = peer.heard.load(Ordering::Relaxed);
            if self.shared.millis().saturating_sub(heard) > self.limits.silence.as_millis() as u64 {
                return Err(self.blame(from, Reason::Silent));
            }
            if begun.elapsed() > self.limits.step {
                return Err(self.blame(from, Reason::Late));
            }
        }
    }

    /// Ends with an error when a connection broke, a party aborted, or the operator wants to stop.
    fn check(&self) -> Result<(), PartyError> {
        self.progress.check()?;
        match self.shared.failure() {
            Some(abort) => Err(PartyError::Abort(abort)),
            None => Ok(()),
        }
    }

    /// Ends the session: after a success all say so to each other, and after an error all are told of it.
    ///
    /// # Errors
    /// The error that it is given, or what went wrong while ending.
    pub fn end<T>(mut self, result: Result<T, PartyError>) -> Result<(T, Traffic), PartyError> {
        let result = result.and_then(|value| self.say_goodbye().map(|()| value));
        match &result {
            Ok(_) => self.note("end", serde_json::json!({ "traffic": self.traffic })),
            Err(error) => {
                let abort = error.abort(&self.names[self.me]);
                self.note("abort", serde_json::json!(abort));
                let party = self.names.iter().position(|name| *name == abort.party).unwrap_or(self.me);
                let payload = [party as u8, abort.reason.code()];
                let header = Header {
                    tag: Tag::Abort,
                    is_last: true,
                    length: payload.len(),
                    sequence: u64::MAX,
                    session: self.session_of(Tag::Abort),
                };
                for peer in self.peers.iter_mut().flatten() {
                    peer.put(header, &payload);
                }
            }
        }
        let traffic = self.traffic;
        let is_complete = result.is_ok();
        let written = self.transcript.take().map_or(Ok(()), |transcript| transcript.finish(is_complete));
        drop(self);
        let value = result?;
        written.map_err(|error| PartyError::Network {
            what: "the transcript cannot be written".to_owned(),
            error,
        })?;
        Ok((value, traffic))
    }

    fn say_goodbye(&mut self) -> Result<(), PartyError> {
        self.broadcast(Tag::Goodbye, &[])?;
        for party in self.others() {
            self.receive_exactly(party, Tag::Goodbye, 0)?;
            if let Some(peer) = &mut self.peers[party] {
                peer.is_done = true;
            }
        }
        Ok(())
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.shared.is_ending.store(true, Ordering::Relaxed);
        for peer in self.peers.iter_mut().flatten() {
            peer.incoming.close();
            match &mut peer.outgoing {
                Outgoing::Local(queue) => queue.close(),
                Outgoing::Thread { frames, thread } => {
                    // Without a sender the thread writes what is left, says that nothing follows, and ends; its writes have a time limit.
                    *frames = mpsc::channel().0;
                    if let Some(thread) = thread.take() {
                        // why: a thread that panicked has nothing more to write
                        let _ = thread.join();
                    }
                }
            }
        }
    }
}

impl Peer {
    fn put(&mut self, header: Header, payload: &[u8]) {
        match &self.outgoing {
            Outgoing::Thread { frames, .. } => {
                let mut bytes = Vec::with_capacity(HEADER + payload.len());
                bytes.extend_from_slice(&header.bytes());
                bytes.extend_from_slice(payload);
                // why: where the thread has ended, it has noted why, and the next receive tells
                let _ = frames.send(bytes);
            }
            Outgoing::Local(queue) => queue.push_at_once(Frame { header, payload: payload.to_vec() }),
        }
    }
}

pub(crate) fn no_peer() -> PartyError {
    PartyError::Resources("a party has no connection to itself".to_owned())
}

/// What an abort says: a party's number and a reason.
pub(crate) fn parse_abort(body: &[u8]) -> Result<(u8, Reason), Reason> {
    let mut reader = Reader::new(body);
    let (party, code) = (reader.u8()?, reader.u8()?);
    reader.finish()?;
    Ok((party, Reason::from_code(code).ok_or(Reason::Malformed)?))
}
