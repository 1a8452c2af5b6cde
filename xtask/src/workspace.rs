//! Where things are: the repository, the folder that cargo builds in, the program, a place for scratch files.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, bail};

/// The root of the repository.
pub fn root() -> PathBuf {
    // As cargo says it now, not as it was when this was built: clones may share what they build.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = here.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    here.parent().unwrap_or(&here).to_owned()
}

/// The folder beside the repository with public data sets and figures of other programs, when it is there.
pub fn shared() -> Option<PathBuf> {
    let folder = root().parent()?.join("shared");
    folder.join("data").is_dir().then_some(folder)
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// The folder that cargo builds in.
pub fn target() -> Result<PathBuf> {
    let asked = cargo().args(["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&asked.stdout).context("cargo metadata")?;
    Ok(metadata["target_directory"].as_str().context("cargo metadata names no target directory")?.into())
}

/// The variable that names a program which is built already.
const PROGRAM: &str = "PRIVET_PROGRAM";

/// Whether the environment names a program, so that none is to be built.
pub fn is_named() -> bool {
    std::env::var_os(PROGRAM).is_some()
}

/// Builds the program as it is released and tells where it is; or takes the one that `PRIVET_PROGRAM` names.
pub fn privet() -> Result<PathBuf> {
    if let Some(program) = std::env::var_os(PROGRAM).map(PathBuf::from) {
        let program = program.canonicalize().with_context(|| format!("{PROGRAM}: {}", program.display()))?;
        println!("the program is {}, which {PROGRAM} names", program.display());
        return Ok(program);
    }
    println!("building the program …");
    built(&["--package", "privet-cli"])
}

/// Builds the program that runs jobs on engines as tests do: with the features of the whole workspace, or DataFusion is built twice.
pub fn cluster() -> Result<()> {
    println!("building privet-cluster …");
    let built = cargo().args(["build", "--workspace", "--bin", "privet-cluster"]).status()?;
    if !built.success() {
        bail!("privet-cluster does not build");
    }
    Ok(())
}

/// Builds an example of a crate as it would be released and tells where it is.
pub fn example(package: &str, name: &str) -> Result<PathBuf> {
    println!("building the example {name} of {package} …");
    built(&["--package", package, "--example", name])
}

/// As [`example`], of a crate without its features.
pub fn example_without(package: &str, name: &str) -> Result<PathBuf> {
    println!("building the example {name} of {package} without features …");
    built(&["--package", package, "--no-default-features", "--example", name])
}

fn built(what: &[&str]) -> Result<PathBuf> {
    let built = cargo()
        .args(["build", "--release", "--message-format", "json-render-diagnostics"])
        .args(what)
        .stderr(std::process::Stdio::inherit())
        .output()?;
    if !built.status.success() {
        bail!("it does not build: cargo build --release {}", what.join(" "));
    }
    let messages = String::from_utf8_lossy(&built.stdout);
    let program = messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message["executable"].as_str()?))
    });
    program.context("cargo built no program")
}

/// A folder for scratch files that is gone afterwards.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one.
    pub fn new() -> Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("privet-xtask-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // why: what cannot be removed lies in the system's folder for such things
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
