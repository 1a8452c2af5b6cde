//! Long work: one task after the other on a thread of its own, with progress that any number of pages may watch, and a way to stop.
//!
//! A task belongs to the program and not to a page, so it goes on when the page is closed or loaded again. One runs at a time, because each
//! may take a quarter of the memory; the others wait, and there is a limit to how many do.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use privet_data::{Notice, Progress};
use serde::Serialize;

/// Tasks that wait.
const MOST_WAITING: usize = 16;
/// Tasks that are remembered.
const MOST_KNOWN: usize = 64;

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    Waiting,
    Running,
    Done,
    /// The gate or a search said no: a result, and not a fault.
    Refused,
    Failed,
    Stopped,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Running => "running",
            State::Done => "done",
            State::Refused => "refused",
            State::Failed => "failed",
            State::Stopped => "stopped",
        }
    }

    pub fn is_over(self) -> bool {
        !matches!(self, State::Waiting | State::Running)
    }
}

/// What came of a task that was not done.
pub(crate) struct Failure {
    pub state: State,
    pub message: String,
}

impl Failure {
    pub fn failed(message: impl Into<String>) -> Self {
        Self { state: State::Failed, message: message.into() }
    }

    /// By the outcome of a job.
    pub fn of(outcome: privet_job::Outcome, message: String) -> Self {
        let state = match outcome {
            privet_job::Outcome::Refused | privet_job::Outcome::Budget => State::Refused,
            privet_job::Outcome::Stopped => State::Stopped,
            _ => State::Failed,
        };
        Self { state, message }
    }
}

/// A task, as pages see it.
pub(crate) struct Task {
    pub id: u64,
    /// The project that it belongs to.
    pub project: String,
    /// What it does.
    pub title: String,
    stop: AtomicBool,
    done: AtomicU64,
    told: Mutex<Told>,
}

#[derive(Clone)]
struct Told {
    state: State,
    stage: String,
    total: Option<u64>,
    message: String,
    notices: Vec<String>,
}

/// A task at one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Snapshot {
    pub id: u64,
    pub title: String,
    pub state: State,
    pub stage: String,
    pub done: u64,
    pub total: Option<u64>,
    pub message: String,
    pub notices: Vec<String>,
}

impl Task {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn state(&self) -> State {
        self.told().state
    }

    /// Whether somebody asked it to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn snapshot(&self) -> Snapshot {
        let Told { state, stage, total, message, notices } = self.told().clone();
        let done = self.done.load(Ordering::Relaxed);
        Snapshot { id: self.id, title: self.title.clone(), state, stage, done, total, message, notices }
    }
}

impl Progress for Task {
    fn stage(&self, name: &str, total: Option<u64>) {
        self.done.store(0, Ordering::Relaxed);
        let mut told = self.told();
        (told.stage, told.total) = (name.to_owned(), total);
    }

    fn at(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn notice(&self, notice: Notice) {
        let notice = notice.to_string();
        let mut told = self.told();
        if told.notices.len() < 20 && !told.notices.contains(&notice) {
            told.notices.push(notice);
        }
    }
}

type Work = Box<dyn FnOnce(&Task) -> Result<String, Failure> + Send>;

struct Queue {
    waiting: VecDeque<(Arc<Task>, Work)>,
    known: VecDeque<Arc<Task>>,
    next: u64,
    is_ending: bool,
}

/// All tasks.
pub(crate) struct Tasks {
    queue: Arc<(Mutex<Queue>, Condvar)>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tasks {
    pub fn new() -> Self {
        let queue = Queue { waiting: VecDeque::new(), known: VecDeque::new(), next: 1, is_ending: false };
        let queue = Arc::new((Mutex::new(queue), Condvar::new()));
        let own = Arc::clone(&queue);
        let worker = std::thread::Builder::new().name("tasks".into()).spawn(move || work(&own)).ok();
        Self { queue, worker: Mutex::new(worker) }
    }

    /// Puts work into the queue.
    pub fn begin(
        &self,
        project: &str,
        title: &str,
        work: impl FnOnce(&Task) -> Result<String, Failure> + Send + 'static,
    ) -> Result<u64, String> {
        let mut queue = lock(&self.queue.0);
        if queue.waiting.len() >= MOST_WAITING {
            return Err(format!("{MOST_WAITING} tasks are waiting; wait for one, or stop one"));
        }
        let told = Told {
            state: State::Waiting,
            stage: String::new(),
            total: None,
            message: String::new(),
            notices: Vec::new(),
        };
        let task = Arc::new(Task {
            id: queue.next,
            project: project.to_owned(),
            title: title.to_owned(),
            stop: AtomicBool::new(false),
            done: AtomicU64::new(0),
            told: Mutex::new(told),
        });
        queue.next += 1;
        if queue.known.len() >= MOST_KNOWN
            && let Some(old) = queue.known.iter().position(|own| own.state().is_over())
        {
            queue.known.remove(old);
        }
        queue.known.push_back(Arc::clone(&task));
        queue.waiting.push_back((Arc::clone(&task), Box::new(work)));
        self.queue.1.notify_one();
        Ok(task.id)
    }

    /// The tasks of a project, the newest first.
    pub fn of(&self, project: &str) -> Vec<Arc<Task>> {
        lock(&self.queue.0).known.iter().rev().filter(|own| own.project == project).cloned().collect()
    }

    pub fn is_busy(&self, project: &str) -> bool {
        self.of(project).iter().any(|own| !own.state().is_over())
    }

    /// Asks a task of a project to stop; one that waits never begins.
    pub fn stop(&self, project: &str, id: u64) {
        for task in self.of(project).iter().filter(|own| own.id == id) {
            task.stop.store(true, Ordering::Relaxed);
            let mut told = task.told();
            if told.state == State::Waiting {
                told.state = State::Stopped;
            }
        }
    }

    /// Stops everything and waits for it.
    pub fn end(&self) {
        {
            let mut queue = lock(&self.queue.0);
            queue.is_ending = true;
            queue.waiting.clear();
            queue.known.iter().for_each(|own| own.stop.store(true, Ordering::Relaxed));
        }
        self.queue.1.notify_one();
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(worker) = worker {
            // why: a thread that panicked has ended, too
            let _ = worker.join();
        }
    }
}

fn work(shared: &(Mutex<Queue>, Condvar)) {
    loop {
        let (task, work) = {
            let mut queue = lock(&shared.0);
            loop {
                if queue.is_ending {
                    return;
                }
                match queue.waiting.pop_front() {
                    Some(next) => break next,
                    None => queue = shared.1.wait(queue).unwrap_or_else(PoisonError::into_inner),
                }
            }
        };
        if task.cancelled() {
            continue;
        }
        task.told().state = State::Running;
        // A panic may quote data, so what it says is not told.
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&task)));
        let (state, message) = match outcome {
            Ok(Ok(message)) => (State::Done, message),
            Ok(Err(Failure { message, .. })) if task.cancelled() => (State::Stopped, message),
            Ok(Err(Failure { state, message })) => (state, message),
            Err(_) => (
                State::Failed,
                "privet has a fault: the task ended in a panic; nothing was published".to_owned(),
            ),
        };
        let mut told = task.told();
        (told.state, told.message, told.stage) = (state, message, String::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn wait(tasks: &Tasks, id: u64, state: State) {
        let since = Instant::now();
        while tasks.of("p").iter().find(|own| own.id == id).unwrap().state() != state {
            assert!(since.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn until_stopped(task: &Task) -> Result<String, Failure> {
        while !task.cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(Failure::failed("stopped on request"))
    }

    #[test]
    fn tasks_run_one_after_the_other_and_can_be_stopped() {
        let tasks = Tasks::new();
        let first = tasks.begin("p", "first", until_stopped).unwrap();
        let second = tasks.begin("p", "second", |_| Ok("done".to_owned())).unwrap();
        wait(&tasks, first, State::Running);
        wait(&tasks, second, State::Waiting);
        tasks.stop("other", first);
        tasks.stop("p", first);
        wait(&tasks, first, State::Stopped);
        wait(&tasks, second, State::Done);
        assert!(!tasks.is_busy("p"));
        let panicked = tasks.begin("p", "third", |_| panic!("Smith")).unwrap();
        wait(&tasks, panicked, State::Failed);
        assert!(!tasks.of("p")[0].snapshot().message.contains("Smith"));
        tasks.end();
    }

    #[test]
    fn the_queue_has_an_end_and_what_waits_can_be_stopped() {
        let tasks = Tasks::new();
        let first = tasks.begin("p", "first", until_stopped).unwrap();
        wait(&tasks, first, State::Running);
        let waiting: Vec<u64> =
            (0..MOST_WAITING).map(|_| tasks.begin("p", "more", |_| Ok(String::new())).unwrap()).collect();
        assert!(tasks.begin("p", "too many", |_| Ok(String::new())).is_err());
        tasks.stop("p", waiting[3]);
        wait(&tasks, waiting[3], State::Stopped);
        tasks.end();
        assert!(tasks.of("p").iter().all(|own| own.state() != State::Running));
    }
}
