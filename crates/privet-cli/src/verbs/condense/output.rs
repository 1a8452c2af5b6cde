//! Where synthetic records go: standard output as they come, or a file that is there whole or not at all.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::exit::Failure;

/// An open destination.
pub struct Output {
    /// None is standard output.
    file: Option<Draft>,
}

/// A file that gets its name when it is whole.
struct Draft {
    file: File,
    path: PathBuf,
    destination: PathBuf,
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
        let mut draft = destination.as_os_str().to_owned();
        draft.push(format!(".partial-{}", std::process::id()));
        let path = PathBuf::from(draft);
        let file = File::create(&path).map_err(failed)?;
        Ok(Self { file: Some(Draft { file, path, destination: destination.to_owned(), force }) })
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
        written.map(|()| true).map_err(|error| failed(&draft.destination, error))
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<(), Failure> {
        let Some(draft) = &mut self.file else { return Ok(()) };
        refuse_existing(&draft.destination, draft.force)?;
        let renamed = draft.file.sync_all().and_then(|()| std::fs::rename(&draft.path, &draft.destination));
        renamed.map_err(|error| failed(&draft.destination, error))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // why: a draft that got its name is not there any more
        let _ = std::fs::remove_file(&self.path);
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
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
