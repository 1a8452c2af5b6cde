//! Where `privet condense` reads: a file, or standard input, which a release reads twice and is therefore kept for a while.

use std::fs::File;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use privet_data::Progress;
use privet_data::io::ReadErrorKind;
use tempfile::TempDir;

use crate::exit::{Failure, STOPPED};
use crate::progress::Bar;

/// A table that can be read more than once.
pub struct Source {
    path: PathBuf,
    /// Holds what came through a pipe until it was condensed.
    _kept: Option<TempDir>,
}

impl Source {
    /// A file as it stands; what comes through a pipe is kept in a folder that nobody but this user can look into.
    pub fn of(path: Option<&Path>, bar: &Bar) -> Result<Self, Failure> {
        let path = path.filter(|path| path.as_os_str() != "-");
        if let Some(path) = path.filter(|path| path.is_file() || !path.exists() || path.is_dir()) {
            return Ok(Self { path: path.to_owned(), _kept: None });
        }
        let mut reader = reader(path, bar)?;
        let kept = private_folder()?;
        let copy = kept.path().join("standard input.csv");
        let mut file =
            File::create(&copy).map_err(|error| Failure::io(&copy, "cannot be written", &error))?;
        let mut chunk = vec![0; 64 << 10];
        loop {
            let unread = |error: std::io::Error| match bar.check() {
                Err(cancelled) => Failure { code: STOPPED, message: cancelled.to_string() },
                Ok(()) => Failure::bad_input(format!("standard input: {}", ReadErrorKind::Io(error))),
            };
            let count = reader.read(&mut chunk).map_err(unread)?;
            if count == 0 {
                return Ok(Self { path: copy, _kept: Some(kept) });
            }
            file.write_all(&chunk[..count])
                .map_err(|error| Failure::io(&copy, "cannot be written", &error))?;
        }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A folder that goes when it is dropped, and that nobody but this user can look into.
pub fn private_folder() -> Result<TempDir, Failure> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("privet-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir().map_err(|error| Failure::io(&std::env::temp_dir(), "cannot be written", &error))
}

/// A file, or standard input.
pub fn reader<'a>(path: Option<&Path>, bar: &'a Bar) -> Result<Box<dyn Read + 'a>, Failure> {
    match path {
        Some(path) => match File::open(path) {
            Ok(file) => Ok(Box::new(file)),
            Err(error) => {
                Err(Failure::bad_input(format!("{}: {}", path.display(), ReadErrorKind::Io(error))))
            }
        },
        None if std::io::stdin().is_terminal() => {
            Err(Failure::bad_input("no input: name a table, or pipe a CSV in"))
        }
        None => Ok(Box::new(Interruptible::new(bar))),
    }
}

/// Standard input that Ctrl-C reaches even while nothing arrives: another thread does the waiting.
struct Interruptible<'a> {
    arriving: Receiver<std::io::Result<Vec<u8>>>,
    rest: Vec<u8>,
    taken: usize,
    bar: &'a Bar,
}

impl<'a> Interruptible<'a> {
    fn new(bar: &'a Bar) -> Self {
        let (sender, arriving) = sync_channel(2);
        std::thread::spawn(move || {
            let mut chunk = vec![0; 64 << 10];
            loop {
                let read = std::io::stdin().lock().read(&mut chunk);
                let is_last = matches!(read, Ok(0) | Err(_));
                // Nobody listens any more once the verb has ended.
                if sender.send(read.map(|count| chunk[..count].to_vec())).is_err() || is_last {
                    return;
                }
            }
        });
        Self { arriving, rest: Vec::new(), taken: 0, bar }
    }
}

impl Read for Interruptible<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.rest.len() {
            match self.arriving.recv_timeout(Duration::from_millis(100)) {
                Ok(read) => {
                    self.rest = read?;
                    self.taken = 0;
                    if self.rest.is_empty() {
                        return Ok(0);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) => self.bar.check().map_err(std::io::Error::other)?,
            }
        }
        let count = buffer.len().min(self.rest.len() - self.taken);
        (&mut buffer[..count]).write_all(&self.rest[self.taken..][..count])?;
        self.taken += count;
        Ok(count)
    }
}
