//! Long work from Python: on a thread of its own, without the interpreter lock, with progress, and stopped by `KeyboardInterrupt`.
//!
//! Python delivers signals to its main thread only, and only to code that asks. So the calling thread asks ten times a second while
//! another one works.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use privet_data::Progress;
use pyo3::prelude::*;

use crate::errors::Failure;

/// How long the calling thread waits before it looks for signals again.
const LOOK: Duration = Duration::from_millis(100);

/// Where the work is.
#[derive(Default)]
struct Watched {
    stop: AtomicBool,
    done: AtomicU64,
    /// The stage, with how many units it has.
    stage: Mutex<Option<(String, Option<u64>)>>,
}

impl Progress for Watched {
    fn stage(&self, name: &str, total: Option<u64>) {
        self.done.store(0, Ordering::Relaxed);
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = Some((name.to_owned(), total));
    }

    fn at(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Does the work and tells `progress(stage, done, total)` where it is. What the callback raises stops the work, too.
pub fn watch<T, F>(py: Python<'_>, progress: Option<&Bound<'_, PyAny>>, work: F) -> PyResult<T>
where
    T: Send,
    F: FnOnce(&dyn Progress) -> Result<T, Failure> + Send,
{
    let watched = Watched::default();
    let (sender, receiver) = channel();
    let mut raised = None;
    let result = std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let result = work(&watched);
            // The other end waits as long as this thread runs.
            let _ = sender.send(());
            result
        });
        // A receiver belongs to one thread; it is handed to the waiting one for the while.
        let mut receiver = receiver;
        loop {
            let (back, waited) = py.detach(move || {
                let waited = receiver.recv_timeout(LOOK);
                (receiver, waited)
            });
            receiver = back;
            match waited {
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                    if let Err(error) = py.check_signals().and_then(|()| tell(progress, &watched)) {
                        watched.stop.store(true, Ordering::Relaxed);
                        raised = Some(error);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        py.detach(|| worker.join())
    });
    if let Some(error) = raised {
        return Err(error);
    }
    match result {
        Ok(result) => Ok(result?),
        Err(_) => Err(pyo3::exceptions::PyRuntimeError::new_err(
            "privet has a fault: the work ended in a panic; nothing was published",
        )),
    }
}

/// Calls back.
fn tell(progress: Option<&Bound<'_, PyAny>>, watched: &Watched) -> PyResult<()> {
    let Some(progress) = progress else { return Ok(()) };
    let stage = watched.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match stage {
        Some((name, total)) => progress.call1((name, watched.done.load(Ordering::Relaxed), total)).map(drop),
        None => Ok(()),
    }
}
