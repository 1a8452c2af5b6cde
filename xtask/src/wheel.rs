//! `cargo xtask wheel`: the Python package as a wheel, tested in a fresh virtual environment. `cargo xtask test` tests the same package
//! without optimization and without a wheel, from what the tests of the crates compiled, so that nothing is compiled twice.
//!
//! What is needed comes from the package registry of Python, into `target/python`. Where there is no Python, or nothing can be installed, it
//! says so and nothing is tested.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::Tally;
use crate::workspace;

/// The value, or the reason why it cannot be tried, handed on.
macro_rules! or_return {
    ($tried:expr) => {
        match $tried {
            Ok(value) => value,
            Err(reason) => return Ok(Err(reason)),
        }
    };
}

/// What builds a wheel.
const BUILDER: &[&str] = &["maturin>=1.9,<2"];
/// What the tests need beside the wheel.
const TESTED_WITH: &[&str] = &[
    "pytest",
    "pandas",
    "polars",
    "pyarrow",
    "duckdb",
    "scikit-learn",
    "tqdm",
    "mypy",
    "nbclient",
    "ipykernel",
];

/// Builds the wheel as it is released and tests it; true when all went well.
pub fn run() -> Result<bool> {
    let program = workspace::privet()?;
    let tried = || -> Result<Result<Tally, String>> {
        let home = or_return!(Home::new()?);
        let wheel = or_return!(home.wheel()?);
        println!("{}", wheel.display());
        let python = or_return!(home.environment("tested", TESTED_WITH, Some(&wheel))?);
        Ok(Ok(tested(&python, &program)?))
    };
    match tried()? {
        Ok(tally) => {
            println!("{} passed, {} failed, {} skipped", tally.passed, tally.failed, tally.skipped);
            Ok(tally.failed == 0)
        }
        Err(reason) => bail!("{reason}"),
    }
}

/// Tests the package, built as the tests of the crates are, beside the program. The inner error says why it could not even be tried.
pub fn package(program: &Path) -> Result<Result<Tally, String>> {
    let home = or_return!(Home::new()?);
    let python = or_return!(home.environment("package", TESTED_WITH, None)?);
    let place = "import sysconfig; print(sysconfig.get_path('platlib'), end='')";
    let place = Command::new(&python).args(["-c", place]).output()?;
    let place = PathBuf::from(String::from_utf8(place.stdout)?).join("privet");
    std::fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    for entry in std::fs::read_dir(workspace::root().join("crates/privet-py/python/privet"))? {
        let path = entry?.path();
        let is_source =
            path.extension().is_some_and(|ending| ending == "py" || ending == "pyi" || ending == "typed");
        if let (true, Some(name)) = (is_source, path.file_name()) {
            std::fs::copy(&path, place.join(name))?;
        }
    }
    let ending = if cfg!(windows) { "pyd" } else { "abi3.so" };
    std::fs::copy(native()?, place.join(format!("_native.{ending}")))?;
    Ok(Ok(tested(&python, program)?))
}

/// Builds the native half with what the tests of the crates were built with.
fn native() -> Result<PathBuf> {
    let built = workspace::cargo()
        .args(["build", "--workspace", "--lib", "--tests", "--message-format", "json-render-diagnostics"])
        .stderr(std::process::Stdio::inherit())
        .output()?;
    if !built.status.success() {
        bail!("the native half of the Python package does not build");
    }
    let library = |message: &serde_json::Value| -> Option<PathBuf> {
        let is_native = message["target"]["name"] == "_native" && message["reason"] == "compiler-artifact";
        let files = message["filenames"].as_array().filter(|_| is_native)?;
        let files = files.iter().filter_map(|file| file.as_str().map(PathBuf::from));
        let is_library = |file: &PathBuf| {
            file.extension().is_some_and(|own| ["so", "dylib", "dll"].iter().any(|ending| own == *ending))
        };
        files.into_iter().find(is_library)
    };
    let messages = String::from_utf8_lossy(&built.stdout);
    let mut messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    messages.find_map(|message| library(&message)).context("cargo built no native half of the Python package")
}

/// Runs the tests of the package that this Python has, and checks its types.
fn tested(python: &Path, program: &Path) -> Result<Tally> {
    let mut tally = pytest(python, program)?;
    println!("checking types …");
    match Command::new(python).args(["-m", "mypy"]).current_dir(workspace::root()).status()?.success() {
        true => tally.passed += 1,
        false => tally.failed += 1,
    }
    Ok(tally)
}

/// Where Python is, and the folder that everything goes to.
pub struct Home {
    python: PathBuf,
    folder: PathBuf,
}

impl Home {
    /// Looks for a Python that is new enough.
    pub fn new() -> Result<Result<Self, String>> {
        let asked = std::env::var_os("PRIVET_PYTHON").map(PathBuf::from);
        let names = asked.into_iter().chain(["python3", "python"].map(PathBuf::from));
        let is_new = |python: &PathBuf| {
            let check = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
            Command::new(python).args(["-c", check]).output().is_ok_and(|ran| ran.status.success())
        };
        let found = names.into_iter().find(is_new);
        let Some(python) = found else {
            return Ok(Err("there is no Python 3.10 or newer with venv (Debian: python3-venv)".to_owned()));
        };
        let folder = workspace::target()?.join("python");
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(Ok(Self { python, folder }))
    }

    /// A fresh virtual environment with these packages; the path of its Python.
    pub fn environment(
        &self,
        name: &str,
        packages: &[&str],
        wheel: Option<&Path>,
    ) -> Result<Result<PathBuf, String>> {
        let place = self.folder.join(name);
        let made = Command::new(&self.python).args(["-m", "venv", "--clear"]).arg(&place).output()?;
        if !made.status.success() {
            return Ok(Err(format!("python3 -m venv: {}", first_line(&made.stderr))));
        }
        let python = [place.join("bin/python"), place.join("Scripts/python.exe")];
        let python =
            python.into_iter().find(|path| path.is_file()).context("the environment has no Python")?;
        println!("installing {} …", packages.join(" "));
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
        let installed = install.args(wheel).output()?;
        match installed.status.success() {
            true => Ok(Ok(python)),
            false => Ok(Err(format!("pip installs nothing here: {}", first_line(&installed.stderr)))),
        }
    }

    /// A virtual environment with these packages, kept from an earlier time when it was made for the same ones.
    pub fn kept_environment(&self, name: &str, packages: &[&str]) -> Result<Result<PathBuf, String>> {
        let (stamp, asked) = (self.folder.join(name).join("packages.txt"), packages.join("\n"));
        let python = self.folder.join(name).join("bin/python");
        if python.is_file() && std::fs::read_to_string(&stamp).is_ok_and(|made| made == asked) {
            return Ok(Ok(python));
        }
        let made = self.environment(name, packages, None)?;
        if made.is_ok() {
            std::fs::write(&stamp, asked)?;
        }
        Ok(made)
    }

    /// Builds the wheel as it is released.
    pub fn wheel(&self) -> Result<Result<PathBuf, String>> {
        let python = or_return!(self.environment("builder", BUILDER, None)?);
        let folder = self.folder.join("wheels");
        if folder.is_dir() {
            std::fs::remove_dir_all(&folder)?;
        }
        println!("building the wheel …");
        let mut command = Command::new(&python);
        command.args(["-m", "maturin", "build", "--release", "--quiet", "--locked", "--out"]).arg(&folder);
        let built = command.current_dir(workspace::root()).status()?;
        if !built.success() {
            bail!("the wheel does not build: {built}");
        }
        let files = std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path()));
        let wheels: Vec<PathBuf> = files.collect::<Result<_>>()?;
        match &wheels[..] {
            [wheel] => Ok(Ok(wheel.clone())),
            _ => bail!("{} holds {} files instead of one wheel", folder.display(), wheels.len()),
        }
    }
}

fn pytest(python: &Path, program: &Path) -> Result<Tally> {
    let mut command = Command::new(python);
    command.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"]);
    let ran = command.current_dir(workspace::root()).env("PRIVET_PROGRAM", program).output()?;
    let said = String::from_utf8_lossy(&ran.stdout);
    print!("{said}{}", String::from_utf8_lossy(&ran.stderr));
    let mut tally = said.lines().rev().find_map(counted).unwrap_or_default();
    if !ran.status.success() && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok(tally)
}

/// The numbers in `3 failed, 12 passed, 1 skipped in 4.56s`.
fn counted(line: &str) -> Option<Tally> {
    let (counts, _) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
    let mut tally = Tally::default();
    for part in counts.split(", ") {
        let (number, word) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match word {
            "passed" => tally.passed += number,
            "failed" | "error" | "errors" => tally.failed += number,
            "skipped" => tally.skipped += number,
            _ => {}
        }
    }
    Some(tally)
}

fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it does not say why").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_pytest_are_counted() {
        let tally = counted("3 failed, 12 passed, 1 skipped, 2 warnings in 4.56s");
        assert_eq!(tally, Some(Tally { passed: 12, failed: 3, skipped: 1 }));
        assert_eq!(counted("1 error in 0.10s"), Some(Tally { passed: 0, failed: 1, skipped: 0 }));
        assert_eq!(counted("= 7 passed in 1.00s ="), Some(Tally { passed: 7, failed: 0, skipped: 0 }));
        assert_eq!(counted("tests/test_a.py ....  [100%]"), None);
    }
}
