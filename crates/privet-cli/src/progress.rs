//! What a person sees while privet works, and how Ctrl-C reaches it.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use privet_data::Progress;

use crate::exit::Failure;

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C asks the running operation to stop and clean up; a second one ends the process.
pub fn catch_interrupts() {
    // why: without a handler Ctrl-C ends the process at once, which is the second best
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(crate::exit::STOPPED));
        }
    });
}

/// Says what went wrong.
pub fn say_error(failure: &Failure) {
    say(&failure.message);
}

/// Tells the person something on standard error.
fn say(text: &str) {
    // why: when standard error is closed nobody can be told, and the exit code still says it
    let _ = writeln!(std::io::stderr().lock(), "privet: {text}");
}

/// A bar on the terminal for anything that takes longer than a second; a line per stage where there is no
/// terminal.
pub struct Bar {
    quiet: bool,
    state: Arc<Mutex<State>>,
}

struct State {
    stage: String,
    total: Option<u64>,
    done: u64,
    begun: Instant,
    bar: Option<ProgressBar>,
    said: bool,
}

/// Nothing is drawn before this much time has passed: most jobs are done by then.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often stages are looked after.
const TICK: Duration = Duration::from_millis(250);

impl Bar {
    /// A bar, or nothing at all when `quiet`.
    pub fn new(quiet: bool) -> Self {
        let state = State {
            stage: String::new(),
            total: None,
            done: 0,
            begun: Instant::now(),
            bar: None,
            said: false,
        };
        let state = Arc::new(Mutex::new(state));
        if !quiet {
            watch(Arc::downgrade(&state));
        }
        Self { quiet, state }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        let Ok(mut state) = self.state.lock() else { return };
        state.stage.clear();
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl State {
    /// Shows the stage, once it has taken longer than one waits without a word.
    fn draw(&mut self) {
        if self.stage.is_empty() || self.begun.elapsed() < PATIENCE {
            return;
        }
        if !std::io::stderr().is_terminal() {
            if !self.said {
                say(&format!("{} …", self.stage));
                self.said = true;
            }
            return;
        }
        if self.bar.is_none() {
            let bar = match self.total {
                Some(total) => ProgressBar::new(total).with_style(
                    ProgressStyle::with_template("{msg:>12} {wide_bar} {human_pos}/{human_len}  {eta} left")
                        .unwrap_or_else(|_| ProgressStyle::default_bar()),
                ),
                None => ProgressBar::new_spinner(),
            };
            bar.set_message(self.stage.clone());
            bar.set_elapsed(self.begun.elapsed());
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }
}

/// Looks after stages that do not count: whatever takes long is shown.
fn watch(state: Weak<Mutex<State>>) {
    // why: without such a thread stages that count are still shown
    let _ = std::thread::Builder::new().name("progress".into()).spawn(move || {
        loop {
            std::thread::sleep(TICK);
            let Some(state) = state.upgrade() else { return };
            if let Ok(mut state) = state.lock() {
                state.draw();
            };
        }
    });
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Progress for Bar {
    fn stage(&self, name: &str, total: Option<u64>) {
        self.clear();
        if let Ok(mut state) = self.state.lock() {
            state.stage = name.to_owned();
            state.total = total;
            state.done = 0;
            state.begun = Instant::now();
            state.said = false;
        }
    }

    fn at(&self, done: u64) {
        if self.quiet {
            return;
        }
        let Ok(mut state) = self.state.try_lock() else { return };
        state.done = done;
        state.draw();
    }

    fn cancelled(&self) -> bool {
        STOP.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stage that says nothing of how far it is must still be shown, and none after it is over.
    #[test]
    fn a_long_stage_is_shown_although_it_does_not_count() {
        let bar = Bar::new(false);
        bar.stage("thinking", None);
        let shown = || {
            let state = bar.state.lock().unwrap();
            state.said || state.bar.is_some()
        };
        assert!(!shown());
        std::thread::sleep(PATIENCE + 4 * TICK);
        assert!(shown());
        bar.clear();
        assert!(bar.state.lock().unwrap().stage.is_empty());
    }
}
