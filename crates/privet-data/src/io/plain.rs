//! Plain files only: what a release or a file of columns is read from is never a pipe, a device or a folder.
//!
//! A pipe waits for a writer that may never come, and a device such as `/dev/zero` has no end. Whether a file is plain is
//! asked of the open file, so that nobody can put something else in its place in between.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a plain file for reading, without waiting.
///
/// # Errors
/// When there is none, it is not plain, or the system refuses.
pub fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe without a writer opens at once.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file")),
    }
}

/// Reads a plain file of at most so many bytes.
///
/// # Errors
/// As [`open_plain`]; also when the file is larger.
pub fn read_plain(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_plain(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    if size <= most {
        bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX))?;
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if size > most || bytes.len() as u64 > most {
        let problem = format!("it is larger than the {most} bytes that are read of such a file");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// The most bytes that are read of a text that people write by hand, such as a job.
const MOST_OF_A_TEXT: u64 = 64 << 20;

/// Reads a plain file of text that people write by hand, such as a job: at most 64 MiB of UTF-8.
///
/// # Errors
/// As [`read_plain`]; also when the file is not valid UTF-8 ([`io::ErrorKind::InvalidData`]).
pub fn read_plain_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_plain(path, MOST_OF_A_TEXT)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not valid UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_plain_and_utf_8() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "é").unwrap();
        assert_eq!(read_plain_text(&path).unwrap(), "é");
        std::fs::write(&path, b"\xe9").unwrap();
        assert_eq!(read_plain_text(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
        #[cfg(unix)]
        assert_eq!(read_plain_text(Path::new("/dev/zero")).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn devices_folders_and_large_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_plain(&path, 5).unwrap(), b"12345");
        assert_eq!(read_plain(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(open_plain(folder.path()).is_err());
        #[cfg(unix)]
        assert_eq!(open_plain(Path::new("/dev/zero")).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    /// It would wait for somebody who writes.
    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        if made.is_ok_and(|status| status.success()) {
            assert!(open_plain(&path).unwrap_err().to_string().contains("not a plain file"));
        }
    }
}
