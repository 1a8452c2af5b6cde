//! The frames that came from a peer and were not taken yet: a queue with a limit, so that a peer cannot fill the memory.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::wire::Header;

/// Frames that wait before the reader stops reading; with the largest frames 32 MiB.
const MOST: usize = 32;

/// A header with its payload.
#[derive(Debug)]
pub(crate) struct Frame {
    pub header: Header,
    pub payload: Vec<u8>,
}

/// What a queue gave.
pub(crate) enum Taken {
    Frame(Frame),
    /// Nothing came in time.
    Empty,
    /// Nothing will come any more.
    Closed,
}

#[derive(Default)]
struct State {
    frames: VecDeque<Frame>,
    is_closed: bool,
}

/// Frames of one peer, in the order in which they came.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    has_changed: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panicked left frames in order: they are pushed and popped whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a frame, and waits while too many wait, for as long as nobody closes the queue.
    pub fn push(&self, frame: Frame) {
        let mut state = self.lock();
        while state.frames.len() >= MOST && !state.is_closed {
            state = self.has_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.frames.push_back(frame);
        self.has_changed.notify_all();
    }

    /// Adds a frame without waiting: between parties of one process.
    pub fn push_at_once(&self, frame: Frame) {
        self.lock().frames.push_back(frame);
        self.has_changed.notify_all();
    }

    /// The next frame; waits so long for one.
    pub fn take(&self, patience: Duration) -> Taken {
        let state = self.lock();
        let waiting = |state: &mut State| state.frames.is_empty() && !state.is_closed;
        let waited = self.has_changed.wait_timeout_while(state, patience, waiting);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match state.frames.pop_front() {
            Some(frame) => {
                self.has_changed.notify_all();
                Taken::Frame(frame)
            }
            None if state.is_closed => Taken::Closed,
            None => Taken::Empty,
        }
    }

    /// No more frames are added; those that wait can be taken.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.has_changed.notify_all();
    }
}
