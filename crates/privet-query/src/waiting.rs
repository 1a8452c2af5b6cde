//! Waiting for a ledger that another program holds: said at once, with who it is, and ended by Ctrl-C.
//!
//! Guarantee: what is tried again has done nothing before (a ledger that is locked undoes what it began), so waiting charges
//! nobody twice.

use std::time::{Duration, Instant};

use privet_data::{Notice, Progress};
use privet_dp::ledger::{LedgerError, PATIENCE};

/// How long one try waits by itself: less than a person waits without a word.
pub(super) const TRY: Duration = Duration::from_millis(300);

/// Does something with a ledger, for as long as others hold it at most a minute. `place` is the ledger, for people.
pub(super) fn patiently<T>(
    progress: &dyn Progress,
    place: &str,
    act: impl FnMut() -> Result<T, LedgerError>,
) -> Result<T, LedgerError> {
    within(PATIENCE, progress, place, act)
}

fn within<T>(
    patience: Duration,
    progress: &dyn Progress,
    place: &str,
    mut act: impl FnMut() -> Result<T, LedgerError>,
) -> Result<T, LedgerError> {
    let begun = Instant::now();
    let mut is_told = false;
    loop {
        let holder = match act() {
            Err(LedgerError::Locked { holder }) => holder,
            other => {
                if is_told {
                    progress.stage("", None);
                }
                return other;
            }
        };
        if progress.cancelled() {
            return Err(LedgerError::Stopped);
        }
        if begun.elapsed() >= patience {
            return Err(LedgerError::Locked { holder });
        }
        if !is_told {
            progress.notice(Notice::Locked { place: place.to_owned(), holder });
            progress.stage("waiting for the ledger", None);
            is_told = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Hears what is said, and asks to stop after so many looks.
    struct Ear {
        said: Mutex<Vec<String>>,
        looks: AtomicU32,
    }

    impl Progress for Ear {
        fn stage(&self, _name: &str, _total: Option<u64>) {}
        fn at(&self, _done: u64) {}
        fn notice(&self, notice: Notice) {
            self.said.lock().unwrap().push(notice.to_string());
        }
        fn cancelled(&self) -> bool {
            self.looks.fetch_sub(1, Ordering::SeqCst) == 0
        }
    }

    fn ear(looks: u32) -> Ear {
        Ear { said: Mutex::default(), looks: looks.into() }
    }

    #[test]
    fn a_locked_ledger_is_waited_for_aloud_until_it_is_free_or_somebody_stops() {
        let mut tries = 0;
        let mut locked = |free_after: u32| {
            tries += 1;
            match tries > free_after {
                true => Ok(tries),
                false => Err(LedgerError::Locked { holder: Some("process 7 (sqlite3)".to_owned()) }),
            }
        };
        let own = ear(1000);
        assert_eq!(within(PATIENCE, &own, "a.ledger", || locked(3)).unwrap(), 4);
        let said = own.said.into_inner().unwrap();
        assert!(
            said.len() == 1 && said[0].contains("a.ledger, which process 7 (sqlite3) has locked"),
            "{said:?}"
        );
        let own = ear(2);
        assert!(matches!(within(PATIENCE, &own, "a", || locked(1000)), Err(LedgerError::Stopped)));
        let out = within(Duration::ZERO, &ear(1000), "a", || locked(1000));
        assert!(matches!(out, Err(LedgerError::Locked { holder: Some(_) })));
        let other = within(PATIENCE, &ear(9), "a", || Err::<(), _>(LedgerError::NoAccount));
        assert!(matches!(other, Err(LedgerError::NoAccount)));
    }
}
