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
    message: String,
}

impl KindError {
    /// An error with a message that says what is wrong, where, and what would be accepted.
    pub fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self { fault, file: None, message: message.into() }
    }

    /// The input or the job is at fault.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(Fault::BadInput, message)
    }

    /// A key of the job is at fault; `problem` continues the sentence that begins with the key.
    pub fn key(key: impl AsRef<str>, problem: impl AsRef<str>) -> Self {
        Self::bad_input(format!("`{}` {}", key.as_ref(), problem.as_ref()))
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

    /// Whose turn it is.
    pub fn fault(&self) -> Fault {
        self.fault
    }
}

impl std::fmt::Display for KindError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}: {}", file.display(), self.message),
            None => f.write_str(&self.message),
        }
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
