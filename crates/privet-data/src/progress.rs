//! How a long operation tells a person where it is, and learns that it should stop.

/// Listens to a long operation.
///
/// Every call is cheap; implementations decide how often to draw.
pub trait Progress: Sync {
    /// A stage begins: its name and, when known, how many units it has.
    fn stage(&self, name: &str, total: Option<u64>);
    /// This many units of the current stage are done.
    fn at(&self, done: u64);
    /// Whether the operation should stop as soon as it can.
    fn cancelled(&self) -> bool {
        false
    }
    /// The error to return when it should stop.
    fn check(&self) -> Result<(), Cancelled> {
        if self.cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// The person asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped on request; nothing was written")]
pub struct Cancelled;

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn at(&self, _done: u64) {}
}
