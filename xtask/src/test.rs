//! `cargo xtask test`: the tests of all crates, then the documentation, run as it is printed. `cargo xtask soak`: the tests of all
//! crates again and again, property tests with other cases each time, and then `cargo xtask kill`: programs that are killed a
//! thousand times at random moments, which takes minutes and is therefore no part of `test`.
//!
//! Property tests draw their cases from one seed, so that a change passes or fails by what it changes and not by what was drawn; `soak`
//! is what looks for cases that nobody has met.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::postgres::Database;
use crate::shell::Tally;
use crate::{browser, examples, guide, house, kinds, links, papers, reference, shell, site, workspace};

/// What property tests draw from, unless the environment says otherwise.
const SEED: u64 = 1;
/// The name under which `proptest` reads it.
const SEED_NAME: &str = "PROPTEST_RNG_SEED";

/// Tests that kill programs which charge a ledger a thousand times, and executors of a cluster a hundred times: the package, the
/// test's file, its name, and how often it kills. `test` has the same ones with fewer kills.
const KILLS: [(&str, &str, &str, &str); 3] = [
    ("privet-dp", "all", "ledger::thousand_kills_lose_no_charge", "(1000)"),
    ("privet-cli", "cli", "query::a_thousand_kills_lose_no_charge", "(1000)"),
    ("privet-engine", "engine", "cluster::a_hundred_executors_are_killed", "(100)"),
];

/// Pages without commands, whose links are checked.
const ASIDE: [&str; 4] = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

/// Runs everything; true when all of it went well.
pub fn run() -> Result<bool> {
    needed()?;
    let mut total = Tally::default();

    let seed = match std::env::var(SEED_NAME) {
        Ok(seed) => seed.parse().with_context(|| format!("{SEED_NAME} is no whole number"))?,
        Err(_) => SEED,
    };
    step("tests of all crates");
    println!("property tests draw from seed {seed}; `cargo xtask soak` draws from others");
    let database = Database::find();
    total += tests(&["--workspace"], seed, Some(&database))?;

    step("examples of the library");
    total += library_examples()?;

    step("tests of what is built with TLS only");
    total += tests(
        &["--package", "privet-dp", "--features", "tls", "--lib", "--", "ledger::encryption"],
        seed,
        Some(&database),
    )?;

    step("the house");
    let is_kept = house::run(&house::Asked::default())?;
    total += Tally { passed: u64::from(is_kept), failed: u64::from(!is_kept), ..Tally::default() };

    step("experiments of the sources on reduced sizes, beside what is recorded");
    let is_as_recorded = papers::run(&papers::Asked::reduced()).unwrap_or_else(|error| {
        println!("  FAILED   {error:#}");
        false
    });
    total +=
        Tally { passed: u64::from(is_as_recorded), failed: u64::from(!is_as_recorded), ..Tally::default() };

    step("the page in a browser");
    total += browser::run().unwrap_or_else(|error| failed(&error));

    step("commands of the documentation, as printed");
    let documentation = documented().unwrap_or_else(|error| failed(&error));
    total += documentation;

    step("the site");
    total += site::tested().unwrap_or_else(|error| failed(&error));

    step("the Python package");
    let package = packaged().unwrap_or_else(|error| Ok(failed(&error)));
    total += *package.as_ref().unwrap_or(&Tally::default());

    step("left out");
    if let Err(reason) = &package {
        println!("The Python package: {reason}.");
    }
    println!(
        "A thousand kills of programs that charge a ledger: `cargo xtask kill`. Here they were killed 100 times."
    );
    println!("`cargo xtask test` where the documentation prints it: it would run itself.");
    match workspace::shared() {
        Some(folder) => println!("Nothing else: public data sets were found in {}.", folder.display()),
        None => println!(
            "Comparisons with public data sets: there is no ../shared beside the repository. The tests that use it \
             count as passed and say so with `cargo test -- --nocapture`."
        ),
    }
    println!("{}", database.said());
    println!(
        "\nOf these, commands of the documentation: {} well, {} wrong.",
        documentation.passed, documentation.failed
    );
    println!("{} passed, {} failed, {} skipped", total.passed, total.failed, total.skipped);
    Ok(total.failed == 0)
}

/// Tests the Python package beside the program. The inner error says why it could not even be tried.
fn packaged() -> Result<Result<Tally, String>> {
    crate::wheel::package(&workspace::privet()?)
}

/// Tests the Python package as `test` compiled it; true when all of it went well.
pub fn python() -> Result<bool> {
    match packaged()? {
        Ok(tally) => {
            println!("{} passed, {} failed, {} skipped", tally.passed, tally.failed, tally.skipped);
            Ok(tally.failed == 0)
        }
        Err(reason) => {
            println!("skipped: {reason}");
            Ok(true)
        }
    }
}

/// How often, and from which seed on, `soak` runs.
#[derive(Debug, PartialEq, Eq)]
pub struct Soak {
    rounds: u64,
    first: u64,
}

impl Soak {
    /// From `--rounds N` and `--seed N`.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let mut asked = Self { rounds: 10, first: SEED + 1 };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let place = match *word {
                "--rounds" => &mut asked.rounds,
                "--seed" => &mut asked.first,
                other => {
                    return Err(format!("`soak` does not know `{other}`; it takes --rounds N and --seed N"));
                }
            };
            let number = words.next().and_then(|number| number.parse().ok());
            *place = number.ok_or_else(|| format!("{word} needs a whole number"))?;
        }
        if asked.rounds == 0 || asked.first.checked_add(asked.rounds).is_none() {
            return Err("--rounds needs a whole number from 1 on, and seeds end at 2^64".to_owned());
        }
        Ok(asked)
    }
}

/// Runs the tests of all crates with one seed after another and tells with which something fails; true when nothing does.
pub fn soak(asked: &Soak) -> Result<bool> {
    let database = Database::find();
    let mut failed: Vec<(u64, u64)> = Vec::new();
    for seed in asked.first..asked.first + asked.rounds {
        step(&format!("tests of all crates, seed {seed}"));
        let tally = tests(&["--workspace"], seed, Some(&database))?;
        println!("seed {seed}: {} passed, {} failed", tally.passed, tally.failed);
        if tally.failed > 0 {
            failed.push((seed, tally.failed));
        }
    }
    step("seeds");
    for (seed, tests) in &failed {
        println!("{tests} failed with {SEED_NAME}={seed}; set it and run `cargo test` to see them again");
    }
    println!("{} seeds, {} of them with failures", asked.rounds, failed.len());
    let killed = kill()?;
    Ok(failed.is_empty() && killed)
}

/// Kills programs that charge a ledger a thousand times each; true when no charge was lost.
pub fn kill() -> Result<bool> {
    let mut lost = 0;
    for (package, file, name, _) in KILLS {
        step(&format!("{name} of {package}"));
        let begun = std::time::Instant::now();
        let which = ["--package", package, "--test", file, "--", "--ignored", "--exact", name, "--nocapture"];
        let tally = tests(&which, SEED, None)?;
        // A name that is no test any more would go well without killing anything.
        let is_well = tally.failed == 0 && tally.passed == 1;
        println!("{}, {} seconds", if is_well { "well" } else { "WRONG" }, begun.elapsed().as_secs());
        lost += u64::from(!is_well);
    }
    Ok(lost == 0)
}

/// Runs the examples of the library, which the tests have built.
fn library_examples() -> Result<Tally> {
    let folder = workspace::root().join("crates/privet/examples");
    let built = workspace::target()?.join("debug/examples");
    let mut names: Vec<PathBuf> = std::fs::read_dir(&folder)
        .with_context(|| folder.display().to_string())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    names.sort();
    let mut tally = Tally::default();
    for name in names.iter().filter_map(|path| path.file_stem()) {
        let ended = Command::new(built.join(name)).stdout(Stdio::null()).status();
        let is_well = ended.as_ref().is_ok_and(std::process::ExitStatus::success);
        println!("{} {}", if is_well { "well  " } else { "FAILED" }, name.display());
        tally += Tally { passed: u64::from(is_well), failed: u64::from(!is_well), ..Tally::default() };
    }
    if tally.passed + tally.failed == 0 {
        bail!("{} holds no examples", folder.display());
    }
    Ok(tally)
}

/// Runs the documentation alone; true when all of it went well.
pub fn documentation() -> Result<bool> {
    needed()?;
    let tally = documented()?;
    println!("{} well, {} wrong, {} skipped", tally.passed, tally.failed, tally.skipped);
    Ok(tally.failed == 0)
}

/// Runs the commands of some pages; true when all of them went well.
pub fn pages_alone(names: &[&str]) -> Result<bool> {
    let program = workspace::privet()?;
    let mut tally = Tally::default();
    for name in names {
        tally +=
            shell::run_page(&workspace::root().join(name), &program).unwrap_or_else(|error| failed(&error));
    }
    println!("{} well, {} wrong, {} skipped", tally.passed, tally.failed, tally.skipped);
    Ok(tally.failed == 0)
}

/// Runs the documentation.
fn documented() -> Result<Tally> {
    let program = workspace::privet()?;
    workspace::cluster()?;
    let mut pages = pages()?;
    let mut tally = Tally::default();
    for page in &pages {
        tally += shell::run_page(page, &program).unwrap_or_else(|error| failed(&error));
    }
    tally += examples::check(&program).unwrap_or_else(|error| failed(&error));
    tally += reference::check(&program).unwrap_or_else(|error| failed(&error));
    tally += kinds::check(&program).unwrap_or_else(|error| failed(&error));
    // The README is a page of the site, and no page of the guide.
    tally += guide::check(&pages[1..]).unwrap_or_else(|error| failed(&error));
    pages.extend(markdown_of("docs/evidence")?);
    pages.extend(markdown_of(kinds::FOLDER)?);
    pages.extend(ASIDE.map(|page| workspace::root().join(page)));
    tally += links::check(&pages).unwrap_or_else(|error| failed(&error));
    Ok(tally)
}

/// What cannot even be tried counts as failed, and the rest goes on.
fn failed(error: &anyhow::Error) -> Tally {
    println!("  FAILED   {error:#}");
    Tally { failed: 1, ..Tally::default() }
}

fn step(name: &str) {
    println!("\n== {name}");
}

/// What is needed besides cargo, which is running.
fn needed() -> Result<()> {
    let bash = Command::new("bash").args(["-c", "exit 0"]).status();
    if !bash.is_ok_and(|status| status.success()) {
        bail!("bash is needed to run the commands of the documentation; install it and try again");
    }
    println!("needed: cargo and bash, both found. The Python package is tested as well where Python is.");
    Ok(())
}

/// Runs `cargo test` with these arguments and counts tests by what they print.
fn tests(which: &[&str], seed: u64, database: Option<&Database>) -> Result<Tally> {
    let mut command = workspace::cargo();
    command.args(["test", "--no-fail-fast", "--quiet"]).args(which).env(SEED_NAME, seed.to_string());
    if let Some(database) = database {
        database.tell(&mut command);
    }
    let mut running = command.stdout(Stdio::piped()).spawn().context("cargo test")?;
    let mut tally = Tally::default();
    if let Some(output) = running.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line?;
            println!("{line}");
            tally += counted(&line).unwrap_or_default();
        }
    }
    let ended = running.wait()?;
    if !ended.success() && tally.failed == 0 {
        println!("cargo test: {ended}");
        tally.failed = 1;
    }
    Ok(tally)
}

/// The numbers in `test result: ok. 12 passed; 0 failed; 1 ignored; …`.
fn counted(line: &str) -> Option<Tally> {
    let result = line.trim().strip_prefix("test result: ")?;
    let number = |word: &str| -> Option<u64> {
        let (before, _) = result.split_once(word)?;
        before.rsplit([' ', ';', '.']).find(|part| !part.is_empty())?.parse().ok()
    };
    Some(Tally { passed: number(" passed")?, failed: number(" failed")?, skipped: number(" ignored")? })
}

/// The README, then the guide in the order in which it is read.
fn pages() -> Result<Vec<PathBuf>> {
    let mut pages = markdown_of("docs/guide")?;
    pages.insert(0, workspace::root().join("README.md"));
    Ok(pages)
}

/// The pages of a folder, by name.
fn markdown_of(folder: &str) -> Result<Vec<PathBuf>> {
    let mut pages: Vec<PathBuf> = std::fs::read_dir(workspace::root().join(folder))
        .with_context(|| folder.to_owned())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_and_seeds() {
        assert_eq!(Soak::parse(&[]), Ok(Soak { rounds: 10, first: 2 }));
        assert_eq!(Soak::parse(&["--seed", "7", "--rounds", "3"]), Ok(Soak { rounds: 3, first: 7 }));
        for words in [&["--rounds"][..], &["--rounds", "0"], &["--seed", "x"], &["twice"]] {
            assert!(Soak::parse(words).is_err(), "{words:?}");
        }
    }

    /// What `kill` names is there, ignored otherwise, and kills as often as it says.
    #[test]
    fn a_thousand_kills_are_run() {
        for (package, file, name, kills) in KILLS {
            let folder = workspace::root().join("crates").join(package).join("tests");
            let place = match name.split_once("::") {
                Some((module, _)) => folder.join(file).join(format!("{module}.rs")),
                None => folder.join(format!("{file}.rs")),
            };
            let text = std::fs::read_to_string(place).unwrap();
            let test = name.rsplit("::").next().unwrap();
            let (before, after) = text.split_once(&format!("fn {test}() {{")).unwrap();
            assert!(before.trim_end().rsplit('\n').next().unwrap().starts_with("#[ignore"), "{name}");
            assert!(after.split('}').next().unwrap().contains(kills), "{name}");
        }
    }

    #[test]
    fn results_are_counted() {
        let line =
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s";
        assert_eq!(counted(line), Some(Tally { passed: 12, failed: 0, skipped: 1 }));
        let line = "test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(counted(line), Some(Tally { passed: 2, failed: 3, skipped: 0 }));
        assert_eq!(counted("running 12 tests"), None);
    }
}
