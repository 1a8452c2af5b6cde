//! Panics of the libraries that read Parquet and Arrow stop here.
//!
//! These libraries panic on some files that were damaged or made to break them. What a panic says may quote the file, so
//! nothing of it is shown: the caller learns that there was one, and refuses the file.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use super::error::ReadErrorKind;

thread_local! {
    /// How many guards the thread is within.
    static GUARDS: Cell<u32> = const { Cell::new(0) };
}

/// Runs work that may panic. `None` when it did; nothing is printed then.
///
/// # Examples
/// ```
/// use privet_data::io::guarded;
///
/// assert_eq!(guarded(|| 1), Some(1));
/// assert_eq!(guarded(|| [1][std::hint::black_box(2)]), None);
/// ```
pub fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    static SILENCED: Once = Once::new();
    SILENCED.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if GUARDS.get() == 0 {
                usual(panic);
            }
        }));
    });
    GUARDS.set(GUARDS.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARDS.set(GUARDS.get() - 1);
    done.ok()
}

/// Runs a part of reading a file of this format. A panic is damage.
pub(super) fn reading<T>(
    format: &'static str,
    work: impl FnOnce() -> Result<T, ReadErrorKind>,
) -> Result<T, ReadErrorKind> {
    let damaged = || ReadErrorKind::Damaged { format, problem: "it is damaged".to_owned() };
    guarded(work).unwrap_or_else(|| Err(damaged()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_damage_and_the_next_file_is_read() {
        let outcome: Result<(), _> = reading("Arrow", || panic!("Smith"));
        let message = outcome.unwrap_err().to_string();
        assert_eq!(message, "not a readable Arrow file: it is damaged");
        assert!(reading("Arrow", || Ok(1)).is_ok());
        assert_eq!(GUARDS.get(), 0);
    }
}
