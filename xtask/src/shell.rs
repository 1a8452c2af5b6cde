//! Runs the commands of a page exactly as they are printed.
//!
//! `cargo …` runs in the root of the repository, as a reader of the README would run it; everything else in a scratch
//! folder of the page, with the freshly built program on the path. What `cargo install` installs goes to the scratch
//! folder too. Commands of one page see each other's files.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::markdown::{self, Printed};
use crate::output;
use crate::workspace::{self, Scratch};

/// How many commands went well, went wrong, and were left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// Runs all commands of a page. `program` is the built `privet`.
pub fn run_page(page: &Path, program: &Path) -> Result<Tally> {
    let root = workspace::root();
    let name = page.strip_prefix(&root).unwrap_or(page).display().to_string();
    let text = std::fs::read_to_string(page).with_context(|| name.clone())?;
    let scratch = Scratch::new()?;
    let place = Place { root, scratch: scratch.path().to_owned(), program: program.to_owned() };
    let mut tally = Tally::default();
    for command in markdown::commands(&text) {
        let first = command.text.lines().next().unwrap_or_default();
        let at = format!("{name}:{}: {first}", command.line);
        if command.text.trim() == "cargo xtask test" {
            println!("  skipped  {at} (this is it)");
            tally.skipped += 1;
            continue;
        }
        if command.text.starts_with("cargo ") && workspace::is_named() {
            println!("  skipped  {at} (the program is not to be built)");
            tally.skipped += 1;
            continue;
        }
        match place.run(&command)? {
            None => {
                println!("  ok       {at}");
                tally.passed += 1;
            }
            Some(problem) => {
                println!("  FAILED   {at}\n{}", indented(&problem));
                tally.failed += 1;
            }
        }
    }
    Ok(tally)
}

/// Where commands run.
struct Place {
    root: PathBuf,
    scratch: PathBuf,
    program: PathBuf,
}

impl Place {
    /// Runs a command; tells what is wrong with how it went.
    fn run(&self, printed: &Printed) -> Result<Option<String>> {
        let for_cargo = printed.text.starts_with("cargo ");
        let folder = if for_cargo { &self.root } else { &self.scratch };
        let installed = self.scratch.join(".installed");
        let mut path = vec![installed.join("bin")];
        let released = self.program.parent();
        path.extend(released.map(Path::to_owned));
        // `privet-cluster` takes half an hour to build as it is released: pages run the one that the tests built.
        path.extend(released.and_then(Path::parent).map(|target| target.join("debug")));
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let ran = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &printed.text])
            .current_dir(folder)
            .env("PATH", std::env::join_paths(path)?)
            .env("CARGO_INSTALL_ROOT", &installed)
            // What the program remembers of its user stays with the commands of the page.
            .env("XDG_STATE_HOME", self.scratch.join(".state"))
            // A nested cargo is told by its own place which package it works on.
            .env_remove("CARGO_MANIFEST_DIR")
            .stdin(Stdio::null())
            .output()
            .context("bash is needed to run the commands of the documentation")?;
        let answer = String::from_utf8_lossy(&ran.stdout);
        let shown = format!("{answer}{}", String::from_utf8_lossy(&ran.stderr));
        if ran.status.code() != Some(printed.exit) {
            return Ok(Some(format!("{}, expected exit code {}\n{shown}", ran.status, printed.exit)));
        }
        Ok(match &printed.output {
            // What goes to standard error on a slow machine, such as progress, may be there or not.
            Some(said) if !output::matches(said, &answer) && !output::matches(said, &shown) => {
                Some(format!("the page says that it prints\n{}\nand it prints\n{shown}", said.join("\n")))
            }
            _ => None,
        })
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("           {line}\n")).collect()
}
