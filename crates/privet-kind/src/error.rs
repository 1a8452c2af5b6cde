//! What can go wrong with a job or a release on the seam, told to the person who can act.

use std::path::{Path, PathBuf};

use privet_data::Cancelled;
use privet_data::io::{ReadError, WriteError};
use privet_release::{FolderError, ManifestError, OpenError};

/// Whose turn it is after a failure; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The input, the job, or the usage: exit code 2.
    BadInput,
    /// The gate said no, or a promise cannot be kept: exit code 1.
    Refused,
    /// The privacy budget does not suffice: exit code 3.
    Budget,
    /// Memory, disk or time ran out: exit code 4.
    Resources,
    /// The person asked to stop.
    Stopped,
}

/// Why a verb did not do what was asked. No message holds a value of the data.
#[derive(Debug)]
pub struct KindError {
    fault: Fault,
    file: Option<PathBuf>,
    /// The key of the job that is at fault; the message continues the sentence that begins with it.
    key: Option<String>,
    message: String,
}

impl KindError {
    /// An error with a message that says what is wrong, where, and what would be accepted.
    pub fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self { fault, file: None, key: None, message: message.into() }
    }

    /// The input or the job is at fault.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(Fault::BadInput, message)
    }

    /// A key of the job is at fault; `problem` continues the sentence that begins with the key.
    pub fn key(key: impl AsRef<str>, problem: impl AsRef<str>) -> Self {
        Self { key: Some(key.as_ref().to_owned()), ..Self::bad_input(problem.as_ref()) }
    }

    /// What was asked for cannot be kept, or the gate said no.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(Fault::Refused, message)
    }

    /// Something ran out.
    pub fn resources(message: impl Into<String>) -> Self {
        Self::new(Fault::Resources, message)
    }

    /// The file system refused: resources where something ran out, otherwise bad input.
    pub fn io(path: &Path, error: &std::io::Error) -> Self {
        let fault = if ran_out(error) { Fault::Resources } else { Fault::BadInput };
        Self::new(fault, error.to_string()).at(path)
    }

    /// The same error about a file.
    #[must_use]
    pub fn at(mut self, file: &Path) -> Self {
        self.file.get_or_insert_with(|| file.to_owned());
        self
    }

    /// The same error for somebody who does not write keys of a job: `word` has the word for a key, such as a flag.
    #[must_use]
    pub fn in_words_of(mut self, word: impl Fn(&str) -> Option<String>) -> Self {
        if let Some(other) = self.key.as_deref().and_then(word) {
            self.key = Some(other);
            self.file = None;
        }
        self
    }

    /// Whose turn it is.
    pub fn fault(&self) -> Fault {
        self.fault
    }
}

impl std::fmt::Display for KindError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        if let Some(key) = &self.key {
            write!(f, "`{key}` ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for KindError {}

/// Whether the disk, a quota, memory or the number of open files does not suffice.
fn ran_out(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    // Too many open files, in the system or in the process, have no kind of their own.
    const OPEN_FILES: [i32; 2] = [23, 24];
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge | ErrorKind::OutOfMemory
    ) || cfg!(unix) && error.raw_os_error().is_some_and(|code| OPEN_FILES.contains(&code))
}

impl From<Cancelled> for KindError {
    fn from(_: Cancelled) -> Self {
        Self::new(Fault::Stopped, "stopped on request")
    }
}

impl From<ReadError> for KindError {
    fn from(error: ReadError) -> Self {
        let fault = match () {
            () if error.is_cancelled() => Fault::Stopped,
            () if error.is_resources() => Fault::Resources,
            () => Fault::BadInput,
        };
        Self::new(fault, error.to_string())
    }
}

impl From<WriteError> for KindError {
    fn from(error: WriteError) -> Self {
        let fault = match &error {
            WriteError::Cancelled(_) => Fault::Stopped,
            WriteError::Io(source) if ran_out(source) => Fault::Resources,
            _ => Fault::BadInput,
        };
        Self::new(fault, error.to_string())
    }
}

impl From<FolderError> for KindError {
    fn from(error: FolderError) -> Self {
        let fault = match &error {
            FolderError::Io { source, .. } if ran_out(source) => Fault::Resources,
            _ => Fault::BadInput,
        };
        Self::new(fault, error.to_string())
    }
}

impl From<OpenError> for KindError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Cancelled => Cancelled.into(),
            OpenError::Read(error) => error.into(),
            OpenError::Io { path, source } => Self::io(&path, &source),
            other => Self::bad_input(other.to_string()),
        }
    }
}

impl From<ManifestError> for KindError {
    fn from(error: ManifestError) -> Self {
        Self::bad_input(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_can_be_told_as_a_flag() {
        let error = || KindError::key("condensed.k", "must be at least 2").at(Path::new("job.toml"));
        assert_eq!(error().to_string(), "job.toml: `condensed.k` must be at least 2");
        let flag = |key: &str| (key == "condensed.k").then(|| "-k".to_owned());
        assert_eq!(error().in_words_of(flag).to_string(), "`-k` must be at least 2");
        assert_eq!(error().in_words_of(|_| None).to_string(), error().to_string());
    }
}
