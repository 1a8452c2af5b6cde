//! Where synthetic records go: standard output as they come, or a file that is there whole or not at all.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use privet_release::PartialFile;

use crate::exit::Failure;
use crate::terminal::printable;

/// An open destination.
pub struct Output {
    /// None is standard output.
    file: Option<Draft>,
}

/// A file that gets its name when it is whole.
struct Draft {
    file: File,
    name: PartialFile,
    force: bool,
}

impl Output {
    /// Opens a file, or standard output.
    pub fn open(path: Option<&Path>, force: bool) -> Result<Self, Failure> {
        let Some(destination) = path else { return Ok(Self { file: None }) };
        refuse_existing(destination, force)?;
        let failed =
            |error: std::io::Error| Failure::resources(format!("{}: {error}", destination.display()));
        if let Some(folder) = destination.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let name = PartialFile::beside(destination);
        let file = File::create(name.path()).map_err(failed)?;
        Ok(Self { file: Some(Draft { file, name, force }) })
    }

    /// Whether what is written is gone at once, to whoever reads standard output.
    pub fn is_piped(&self) -> bool {
        self.file.is_none()
    }

    /// Writes whole lines and hands them on at once; `false` when the reader went away.
    pub fn write(&mut self, text: &[u8]) -> Result<bool, Failure> {
        let Some(draft) = &mut self.file else {
            let mut out = std::io::stdout().lock();
            return match out.write_all(text).and_then(|()| out.flush()) {
                Ok(()) => Ok(true),
                Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
                Err(error) => Err(Failure::resources(format!("standard output: {error}"))),
            };
        };
        let written = draft.file.write_all(text);
        written.map(|()| true).map_err(|error| failed(draft.name.destination(), error))
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), Failure> {
        let Some(Draft { file, name, force }) = self.file else { return Ok(()) };
        let destination = name.destination().to_owned();
        refuse_existing(&destination, force)?;
        file.sync_all().and_then(|()| name.put()).map_err(|error| failed(&destination, error))
    }
}

fn refuse_existing(destination: &Path, force: bool) -> Result<(), Failure> {
    if std::fs::symlink_metadata(destination).is_ok() && !force {
        return Err(Failure::bad_input(format!(
            "{} exists already; pass --force to replace it, or --output to write elsewhere",
            destination.display()
        )));
    }
    Ok(())
}

fn failed(destination: &Path, error: std::io::Error) -> Failure {
    Failure::resources(format!("{}: {error}", destination.display()))
}

/// Tells something beside the records, on standard error.
pub fn tell(text: &str) {
    // why: when standard error is closed nobody can be told
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(text));
}
