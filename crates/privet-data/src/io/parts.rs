//! One table in several files: a folder, a pattern such as `2026-*.csv`, or standard input (`-`).
//!
//! The files of a folder or pattern are one table, in the order of their names, as if they were one file: they have the same
//! columns and are written alike. Files whose names begin with `.` or `_` are those of programs and are left out, and so are
//! folders. What is wrong with a file is told with its name and line.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use memchr::memchr_iter;

use super::csv_read::Start;
use super::error::ReadErrorKind;
use super::extent::input_limit;
use super::options::{Format, ReadOptions};

/// What a path stands for.
pub(super) enum Source {
    /// Standard input.
    Standard,
    /// One file, whatever kind of file.
    File,
    /// Several files, in their order.
    Parts(Vec<PathBuf>),
}

impl Source {
    /// What a path stands for, and the format of what is there.
    pub(super) fn of(path: &Path, options: &ReadOptions) -> Result<(Self, Format), ReadErrorKind> {
        let format_of = |path: &Path| options.format.or_else(|| Format::of(path));
        if is_standard_input(path) {
            return Ok((Self::Standard, options.format.unwrap_or(Format::Csv)));
        }
        let problem = |problem: String| ReadErrorKind::Parts { problem };
        let Some(files) = listed(path, options.format)? else {
            return Ok((Self::File, format_of(path).ok_or(ReadErrorKind::UnknownFormat)?));
        };
        let Some(first) = files.first() else {
            let what = if path.is_dir() { "the folder holds" } else { "the pattern stands for" };
            return Err(problem(format!(
                "{what} no table; accepted are .csv, .tsv, .txt, .parquet, .pq, .arrow, .ipc and .feather files; a spreadsheet is named by itself"
            )));
        };
        let format = format_of(first).ok_or(ReadErrorKind::UnknownFormat)?;
        match files.iter().find(|file| format_of(file) != Some(format)) {
            Some(other) => Err(problem(format!(
                "{} and {} have different formats; the files of one table have one",
                name_of(first),
                name_of(other)
            ))),
            None => Ok((Self::Parts(files), format)),
        }
    }
}

/// Whether a path stands for standard input: its last part is `-`, and no such file exists.
pub fn is_standard_input(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new("-")) && !path.exists()
}

/// The files that a path stands for: those of a folder or of a pattern, and itself otherwise.
pub fn files_of(path: &Path) -> Vec<PathBuf> {
    // why: what cannot be listed is told by whoever reads it
    listed(path, None).ok().flatten().unwrap_or_else(|| vec![path.to_owned()])
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The files of a folder or pattern, sorted; nothing when the path is neither.
fn listed(path: &Path, format: Option<Format>) -> Result<Option<Vec<PathBuf>>, ReadErrorKind> {
    let (folder, pattern) = if path.is_dir() {
        (path, None)
    } else {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match name.contains(['*', '?']) && !path.exists() {
            true => (
                path.parent().filter(|own| !own.as_os_str().is_empty()).unwrap_or(Path::new(".")),
                Some(name),
            ),
            false => return Ok(None),
        }
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        if name.starts_with(['.', '_']) || pattern.as_ref().is_some_and(|pattern| !matches(pattern, &name)) {
            continue;
        }
        if path.is_dir() {
            // Its name holds the value of a column that its files lack.
            if name.contains('=') {
                let problem = "the folder holds folders named COLUMN=VALUE, whose columns stand in no file; write the column \
                               into the files, name one of these folders, or read folders of Parquet files with an engine \
                               (--engine datafusion)";
                return Err(ReadErrorKind::Parts { problem: problem.to_owned() });
            }
            continue;
        }
        if pattern.is_some() || format.is_some() || Format::of(&path).is_some() {
            files.push(path);
        }
    }
    files.sort();
    Ok(Some(files))
}

/// Whether a name fits a pattern, in which `*` stands for any characters and `?` for one.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut read) = (0, 0);
    // Where the last star stands, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    while read < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(&own) if own == '?' || own == name[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                (at, read) = (place + 1, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|&own| own == '*')
}

/// All of standard input. It can be read once only, so it is kept for whoever reads the table again.
pub(super) fn standard_input() -> Result<&'static [u8], ReadErrorKind> {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    if BYTES.get().is_none() {
        let limit = input_limit();
        let mut bytes = Vec::new();
        io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(ReadErrorKind::TooLarge { needed: bytes.len() as u64, limit });
        }
        // why: whoever was quicker has read the same
        let _ = BYTES.set(bytes);
    }
    Ok(BYTES.get().map_or(&[], |bytes| bytes))
}

/// Several CSV files as one: the header of the first, and the records of all.
pub(super) struct Chain {
    files: std::vec::IntoIter<PathBuf>,
    options: ReadOptions,
    /// How the first file begins.
    first: Option<Start>,
    current: Option<io::Chain<Cursor<Vec<u8>>, File>>,
    ends_with_newline: bool,
    lines: u64,
    begun: Arc<Mutex<Vec<Begun>>>,
}

/// A file that is being read: the line of the whole on which it begins, and which of its own that is.
struct Begun {
    path: PathBuf,
    line: u64,
    own_line: u64,
}

/// Tells which file a line of the whole is in.
pub(super) struct Lines(Arc<Mutex<Vec<Begun>>>);

/// Why the next file is not read: an error of reading must be one of the system.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Fault(String);

impl Chain {
    pub(super) fn new(files: Vec<PathBuf>, options: &ReadOptions) -> (Self, Lines) {
        let begun = Arc::new(Mutex::new(Vec::new()));
        let chain = Self {
            files: files.into_iter(),
            options: options.clone(),
            first: None,
            current: None,
            ends_with_newline: true,
            lines: 0,
            begun: Arc::clone(&begun),
        };
        (chain, Lines(begun))
    }

    /// Begins the next file; `false` when there is none.
    fn begin(&mut self) -> io::Result<bool> {
        let Some(path) = self.files.next() else { return Ok(false) };
        let fault = |problem: String| io::Error::other(Fault(problem));
        let mut file = super::open_plain(&path)?;
        let mut line = 1;
        let head = match &self.first {
            None => {
                let start =
                    Start::read(&mut file, &self.options).map_err(|error| fault(error.to_string()))?;
                let sample = start.sample.clone();
                // From here on everything is as it is here.
                self.options.delimiter = Some(start.dialect.delimiter);
                self.options.quote = Some(start.dialect.quote);
                self.options.header = Some(start.dialect.header);
                self.first = Some(start);
                Cursor::new(sample)
            }
            Some(first) => {
                let start = Start::read(&mut file, &self.options).map_err(|error| {
                    let problem = error.to_string();
                    fault(format!("{}: {problem}", path.display()))
                })?;
                if start.names != first.names {
                    let problem = "has other columns than the first file, or others in their place";
                    return Err(fault(format!("{}: {problem}", path.display())));
                }
                line = start.line;
                let mut head = Cursor::new(start.sample);
                head.set_position(start.body as u64);
                head
            }
        };
        let begun = Begun { path, line: self.lines + 1, own_line: line };
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).push(begun);
        self.current = Some(head.chain(file));
        Ok(true)
    }
}

impl Read for Chain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(current) = &mut self.current {
                let read = current.read(buffer)?;
                if read > 0 {
                    self.lines += memchr_iter(b'\n', &buffer[..read]).count() as u64;
                    self.ends_with_newline = buffer[read - 1] == b'\n';
                    return Ok(read);
                }
                self.current = None;
                if !self.ends_with_newline && self.files.len() > 0 {
                    // The last record of a file ends where the file does.
                    self.ends_with_newline = true;
                    self.lines += 1;
                    buffer[0] = b'\n';
                    return Ok(1);
                }
            }
            if !self.begin()? {
                return Ok(0);
            }
        }
    }
}

impl Lines {
    /// The file that a line of the whole is in, and the line there.
    pub(super) fn file(&self, line: u64) -> Option<(PathBuf, u64)> {
        let begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = begun.iter().rev().find(|own| own.line <= line)?;
        Some((own.path.clone(), line - own.line + own.own_line))
    }

    /// The error with the file that it is in, and the line there.
    pub(super) fn place(&self, mut kind: ReadErrorKind) -> ReadErrorKind {
        if let ReadErrorKind::Io(error) = &kind
            && let Some(Fault(problem)) = error.get_ref().and_then(|own| own.downcast_ref())
        {
            return ReadErrorKind::Parts { problem: problem.clone() };
        }
        let Some(line) = kind.line_mut() else { return kind };
        let Some((path, own)) = self.file(*line) else { return kind };
        *line = own;
        ReadErrorKind::Part { path, kind: Box::new(kind) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::io::{place_of, read, stream};
    use std::ops::ControlFlow;

    #[test]
    fn names_fit_patterns() {
        for (pattern, name, fits) in [
            ("*.csv", "a.csv", true),
            ("2026-??.csv", "2026-01.csv", true),
            ("2026-??.csv", "2026-1.csv", false),
            ("*a*b*", "xaxxbx", true),
            ("*a*b", "xaxxbx", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn the_files_of_a_folder_are_one_table() {
        let folder = folder(&[
            ("b.csv", "\u{feff}age,city\r\n31,Bonn\r\n\"32\",Ulm"),
            ("a.csv", "age,city\n30,Köln"),
            ("c.csv", "age,city\n33,Bonn\n"),
            ("_SUCCESS", ""),
            (".hidden.csv", "x"),
            ("notes.md", "x"),
        ]);
        let whole = folder.path().join("whole.tsv");
        for path in [folder.path().to_owned(), folder.path().join("*.csv")] {
            let input = read(&path, &ReadOptions::default(), &Silent).unwrap();
            assert_eq!(input.table.rows, 4);
            let ages = &input.table.columns[0];
            let texts: Vec<&str> = ages.codes.iter().map(|&code| ages.domain.text(code)).collect();
            assert_eq!(texts, ["30", "31", "32", "33"]);
            let mut rows = 0;
            let streamed = stream(&path, &ReadOptions::default(), &Silent, &mut |more, _| {
                rows += more;
                ControlFlow::Continue(())
            });
            assert_eq!((streamed.unwrap().table.rows, rows), (4, 4));
        }
        std::fs::write(whole, "age,city\n30,Köln\n").unwrap();
        assert_eq!(
            read(&folder.path().join("c*.csv"), &ReadOptions::default(), &Silent).unwrap().table.rows,
            1
        );
    }

    #[test]
    fn a_fault_is_told_with_its_file_and_line() {
        let message = |files: &[(&str, &str)]| {
            let folder = folder(files);
            read(folder.path(), &ReadOptions::default(), &Silent).unwrap_err().to_string()
        };
        let found = message(&[("a.csv", "age,city\n30,x\n31,y"), ("b.csv", "age,city\n30,x\n31,y,z\n")]);
        assert!(found.contains("b.csv: line 3: 3 cells where 2"), "{found}");
        let found = message(&[("a.csv", "age,city\n30,x\n31\n"), ("b.csv", "age,city\n30,x\n")]);
        assert!(found.contains("a.csv: line 3: 1 cells where 2"), "{found}");
        let found = message(&[("a.csv", "age,city\n30,x\n"), ("b.csv", "city,age\nx,30\n")]);
        assert!(found.contains("b.csv: has other columns"), "{found}");
        let lines = folder(&[("a.csv", "a,b\n1,\"x\ny\"\n2,x"), ("b.csv", "a,b\n\n3,x\n")]);
        let place = |record| place_of(lines.path(), &ReadOptions::default(), record);
        assert_eq!(place(0), "line 2 of a.csv");
        assert_eq!(place(1), "line 4 of a.csv");
        assert_eq!(place(2), "line 3 of b.csv");
        assert_eq!(place(3), "record 4");
        assert_eq!(place_of(&lines.path().join("b.csv"), &ReadOptions::default(), 0), "line 3");
        let found = message(&[("a.csv", "age\n30\n"), ("b.parquet", "")]);
        assert!(found.contains("different formats"), "{found}");
        assert!(message(&[]).contains("holds no table"));
    }
}
