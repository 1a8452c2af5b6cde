//! What the operator hears of a session: what is done now, how much of it, and how many bytes went over the network.

use std::sync::atomic::Ordering;

use privet_data::Progress;

use super::Session;

impl<'p> Session<'p> {
    /// Tells the operator what is done now, and how much was exchanged so far. Where the total is known, the time that is left follows from
    /// [`Session::at`] and [`Session::advance`].
    pub fn stage(&self, name: &str, total: Option<u64>) {
        self.done.store(0, Ordering::Relaxed);
        match self.traffic.sent + self.traffic.received {
            0 => self.progress.stage(name, total),
            bytes => self.progress.stage(&format!("{name} ({} exchanged)", amount(bytes)), total),
        }
    }

    /// Tells the operator how much of the stage is done.
    pub fn at(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.progress.at(done);
    }

    /// Tells the operator that so much more of the stage is done; for steps that do not know what was done before.
    pub fn advance(&self, more: u64) {
        self.progress.at(self.done.fetch_add(more, Ordering::Relaxed) + more);
    }

    /// Who is told of progress and asked whether to stop.
    pub fn progress(&self) -> &'p dyn Progress {
        self.progress
    }
}

/// So many bytes, for people.
fn amount(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}
