//! The page of `privet serve` in a real browser: Chromium of the machine, driven by playwright-core from `crates/privet-serve/browser`.
//!
//! What is missing (a browser, Node.js, the package registry) is told, and the test counts as skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::shell::Tally;
use crate::workspace;

/// Where the test and its packages are described.
const FOLDER: &str = "crates/privet-serve/browser";
/// What the test needs of that.
const FILES: [&str; 3] = ["package.json", "package-lock.json", "flow.mjs"];
/// The name under which another browser may be given.
const NAME: &str = "PRIVET_TEST_BROWSER";

/// Drives the page through the whole flow.
pub fn run() -> Result<Tally> {
    let skipped = |why: &str| {
        println!("skipped: {why}");
        Ok(Tally { skipped: 1, ..Tally::default() })
    };
    let Some(browser) = browser() else {
        return skipped("there is no Chromium (Debian: chromium); PRIVET_TEST_BROWSER names another");
    };
    if !succeeds(Command::new("node").arg("--version")) {
        return skipped("there is no Node.js (Debian: nodejs, npm)");
    }
    let folder = workspace::target()?.join("browser");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for file in FILES {
        std::fs::copy(workspace::root().join(FOLDER).join(file), folder.join(file)).context(file)?;
    }
    let mut install = Command::new("npm");
    install.args(["ci", "--ignore-scripts", "--no-fund", "--no-audit"]).current_dir(&folder);
    if !succeeds(&mut install) {
        return skipped("the packages of the test could not be installed (npm ci)");
    }
    let built = workspace::cargo().args(["build", "--quiet", "-p", "privet-serve"]).status()?;
    let program = workspace::target()?.join("debug").join("privet-serve");
    if !built.success() {
        return Ok(Tally { failed: 1, ..Tally::default() });
    }
    let status = Command::new("node")
        .arg("flow.mjs")
        .arg(&program)
        .arg(folder.join("screenshots"))
        .env(NAME, browser)
        .current_dir(&folder)
        .status()
        .context("node")?;
    Ok(match status.success() {
        true => Tally { passed: 1, ..Tally::default() },
        false => Tally { failed: 1, ..Tally::default() },
    })
}

fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The browser that the environment names, or the one of the distribution.
fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(NAME).filter(|own| !own.is_empty()) {
        return Some(named.into());
    }
    let usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    usual.into_iter().map(Path::new).find(|path| path.exists()).map(Path::to_owned)
}
