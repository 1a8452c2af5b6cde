//! A temporary directory, and the built program running in it.
//!
//! Every run is held to what must never happen: no panic, no exit code of one, and no word of the canary that
//! tests plant in cells which must not be told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A value that stands in data and must never stand in a message.
pub const CANARY: &str = "SECRET-7731";

/// A directory that goes when the test ends, and beside it what the program remembers of its user.
pub struct Dir(tempfile::TempDir, tempfile::TempDir);

impl Dir {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_slice(&self.bytes(name)).unwrap()
    }

    /// What stands in a folder, hidden names included, sorted.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Every file of a folder with its bytes.
    pub fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        self.names(folder)
            .into_iter()
            .map(|name| (name.clone(), self.bytes(&format!("{folder}/{name}"))))
            .collect()
    }

    /// The program, to be run in this directory.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_privet"));
        command
            .args(args)
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .env("XDG_STATE_HOME", self.1.path());
        command
    }

    /// Runs the program to its end.
    pub fn privet(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).output().unwrap(), &args.join(" "))
    }

    /// Runs it and expects this exit code.
    pub fn expect(&self, code: i32, args: &[&str]) -> Run {
        self.privet(args).expect(code)
    }
}

/// What a run of the program said and how it ended.
#[derive(Debug)]
pub struct Run {
    pub command: String,
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    pub fn of(output: Output, command: &str) -> Self {
        let run = Self {
            command: command.to_owned(),
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!run.err.contains("panicked") && run.code != Some(101), "{run:?}");
        assert!(!run.out.contains(CANARY) && !run.err.contains(CANARY), "a value was told: {run:?}");
        run
    }

    /// Expects an exit code; an error comes with exactly one message, and success with none.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "privet {}: {self:#?}", self.command);
        assert!(code != 2 || self.err.contains("privet: ") || self.err.starts_with("error: "), "{self:#?}");
        self
    }

    /// Expects a piece of text on standard error.
    #[track_caller]
    pub fn says(self, fragment: &str) -> Self {
        assert!(self.err.contains(fragment), "{fragment:?} is not said: {self:#?}");
        self
    }

    /// Expects a piece of text on standard output.
    #[track_caller]
    pub fn prints(self, fragment: &str) -> Self {
        assert!(self.out.contains(fragment), "{fragment:?} is not printed: {self:#?}");
        self
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}
