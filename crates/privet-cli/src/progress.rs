//! What a person sees while privet works, and how Ctrl-C reaches it.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use indicatif::{ProgressBar, ProgressStyle};
use privet_data::{Notice, Progress};

use crate::exit::Failure;
use crate::terminal::printable;

static STOP: AtomicBool = AtomicBool::new(false);

/// What a running operation has to stop by itself.
const GRACE: Duration = Duration::from_millis(600);
/// What is left to it once it has put something in place.
const LATE: Duration = Duration::from_millis(300);

/// Whether the process is ending, whatever its operation does.
static ENDING: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C, SIGTERM and SIGHUP ask the running operation to stop and clean up. One that does not answer is ended, and
/// what it was writing is removed; a second signal does that at once.
pub fn catch_interrupts() {
    // why: without a handler Ctrl-C ends the process at once, which is the second best
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::SeqCst) {
            end();
        }
        // why: without such a thread the operation is asked, and a second signal ends it
        let _ = std::thread::Builder::new().name("stop".into()).spawn(|| {
            std::thread::sleep(GRACE);
            end();
        });
    });
}

/// Whether the person asked to stop.
pub fn is_stopping() -> bool {
    STOP.load(Ordering::SeqCst)
}

/// Ends the process, and removes what it was writing.
fn end() {
    if ENDING.swap(true, Ordering::SeqCst) {
        return;
    }
    let has_put = privet_release::stop::end();
    if has_put {
        // What was put in place is there; what follows is short.
        ENDING.store(false, Ordering::SeqCst);
        std::thread::sleep(LATE);
        ENDING.store(true, Ordering::SeqCst);
        say("stopped on request, after a result was put in place");
    } else {
        say("stopped on request; what was being written is removed, and a charge to a ledger stays");
    }
    std::process::exit(i32::from(crate::exit::STOPPED));
}

/// Waits for the end of a process that is ending: what its operation comes to then is not its own doing.
pub fn wait_if_ending() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::sleep(GRACE);
    }
}

/// Says what went wrong.
pub fn say_error(failure: &Failure) {
    match is_logging() {
        true => {
            log(&serde_json::json!({ "level": "error", "code": failure.code, "message": failure.message }));
        }
        false => say(&failure.message),
    }
}

/// Tells the person of something that stops nothing.
pub fn warn(text: &str) {
    match is_logging() {
        true => log(&serde_json::json!({ "level": "warning", "message": text })),
        false => say(&format!("warning: {text}")),
    }
}

/// Tells the person something on standard error.
fn say(text: &str) {
    if is_logging() {
        return log(&serde_json::json!({ "level": "info", "message": text }));
    }
    // why: when standard error is closed nobody can be told, and the exit code still says it
    let _ = writeln!(std::io::stderr().lock(), "privet: {}", printable(text));
}

/// When the process began, where it keeps a log.
static LOG: OnceLock<Instant> = OnceLock::new();

/// From now on what happens is told on standard error as JSON, one object on a line.
pub fn begin_log() {
    // why: whoever began it first began it
    let _ = LOG.set(Instant::now());
}

fn is_logging() -> bool {
    LOG.get().is_some()
}

/// Ends the log.
pub fn log_end(code: u8) {
    if is_logging() {
        log(
            &serde_json::json!({ "level": "info", "event": "end", "exit": code, "outcome": crate::exit::word(code) }),
        );
    }
}

/// Writes a line of the log: what happened, when, and how long after the beginning.
fn log(event: &serde_json::Value) {
    let Some(begun) = LOG.get() else { return };
    let mut line = serde_json::Map::new();
    line.insert("time".to_owned(), now().into());
    line.insert("seconds".to_owned(), ((begun.elapsed().as_secs_f64() * 1000.0).round() / 1000.0).into());
    line.extend(event.as_object().cloned().unwrap_or_default());
    // why: when standard error is closed nobody can be told, and the exit code still says it
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(&serde_json::Value::Object(line).to_string()));
}

/// The time of day in UTC, as RFC 3339 writes it.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = ((since.as_secs() / 86_400) as i64, since.as_secs() % 86_400);
    // Days since the 1st of March of the year 0, in eras of 400 years.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        second / 3600,
        second / 60 % 60,
        second % 60,
        since.subsec_millis()
    )
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
        // A log tells stages as they begin.
        if self.stage.is_empty() || self.begun.elapsed() < PATIENCE || is_logging() {
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
            bar.set_message(printable(&self.stage).into_owned());
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
        if is_logging() {
            log(&serde_json::json!({ "level": "info", "event": "stage", "stage": name, "total": total }));
        }
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

    fn notice(&self, notice: Notice) {
        if is_logging() {
            log(&serde_json::json!({ "level": "notice", "message": notice.to_string() }));
        } else if !self.quiet {
            self.clear();
            say(&format!("note: {notice}"));
        }
    }

    fn cancelled(&self) -> bool {
        STOP.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_written_as_rfc_3339_has_it() {
        let time = now();
        assert_eq!((time.len(), &time[10..11], &time[23..]), (24, "T", "Z"), "{time}");
        let year: i64 = time[..4].parse().unwrap();
        assert!((2024..2200).contains(&year), "{time}");
    }

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
