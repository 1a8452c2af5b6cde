//! What a person sees while privet works, and how Ctrl-C reaches it.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
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
    state: Mutex<State>,
}

struct State {
    stage: String,
    total: Option<u64>,
    begun: Instant,
    bar: Option<ProgressBar>,
    said: bool,
}

/// Nothing is drawn before this much time has passed: most jobs are done by then.
const PATIENCE: Duration = Duration::from_secs(1);

impl Bar {
    /// A bar, or nothing at all when `quiet`.
    pub fn new(quiet: bool) -> Self {
        let state =
            State { stage: String::new(), total: None, begun: Instant::now(), bar: None, said: false };
        Self { quiet, state: Mutex::new(state) }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        if let Ok(mut state) = self.state.lock()
            && let Some(bar) = state.bar.take()
        {
            bar.finish_and_clear();
        }
    }
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
            state.begun = Instant::now();
            state.said = false;
        }
    }

    fn at(&self, done: u64) {
        if self.quiet {
            return;
        }
        let Ok(mut state) = self.state.try_lock() else { return };
        if state.begun.elapsed() < PATIENCE {
            return;
        }
        if !std::io::stderr().is_terminal() {
            if !state.said {
                say(&format!("{} …", state.stage));
                state.said = true;
            }
            return;
        }
        if state.bar.is_none() {
            let bar = match state.total {
                Some(total) => ProgressBar::new(total).with_style(
                    ProgressStyle::with_template("{msg:>12} {wide_bar} {human_pos}/{human_len}  {eta} left")
                        .unwrap_or_else(|_| ProgressStyle::default_bar()),
                ),
                None => ProgressBar::new_spinner(),
            };
            bar.set_message(state.stage.clone());
            bar.set_elapsed(state.begun.elapsed());
            state.bar = Some(bar);
        }
        if let Some(bar) = &state.bar {
            bar.set_position(done);
        }
    }

    fn cancelled(&self) -> bool {
        STOP.load(Ordering::Relaxed)
    }
}
