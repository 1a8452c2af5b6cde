//! `cargo xtask`: what a developer runs. `test` runs everything that CI runs after the linters, `soak` its tests with other cases,
//! `kill` those that kill programs a thousand times, `fuzz` feeds readers damaged files, `docs` the documentation alone, `bench` measures.
//!
//! One file per idea; no dependency on the crates of privet, so that it builds in seconds and looks at the
//! program from outside, as a person does.
#![forbid(unsafe_code)]

mod bench;
mod browser;
mod examples;
mod fuzz;
mod guide;
mod house;
mod kinds;
mod links;
mod markdown;
mod output;
mod papers;
mod pictures;
mod postgres;
mod reference;
mod shell;
mod simulate;
mod site;
mod test;
mod wheel;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
Usage:
  cargo xtask test                          all tests, then every command of README.md and docs/guide as printed
  cargo xtask soak [--rounds N] [--seed N]  all tests again and again, property tests with other cases each time; then kill
  cargo xtask kill                          programs that charge a ledger, killed a thousand times each; takes minutes
  cargo xtask browser                       the page of `privet serve`, driven through the whole flow in Chromium
  cargo xtask fuzz [ENTRY [INPUTS [FIRST]]] damaged and hostile files for every reader; see fuzz/README.md
  cargo xtask python                        the Python package, tested in an environment of its own
  cargo xtask docs [PAGE …]                 only those commands, and the links and keys of the documentation; or the
                                            commands of some pages. PRIVET_PROGRAM names a program that is built already
  cargo xtask site                          the documentation as a web site, with its links and pictures checked
  cargo xtask pictures                      the pictures of the gallery, cut out of new reports
  cargo xtask reference                     the pages of docs/reference, from the registry of kinds
  cargo xtask house [--list] [--record]     how well the house is kept, in numbers that may only get better
  cargo xtask wheel                         the Python package as a wheel, tested in a fresh virtual environment
  cargo xtask bench [--runs N] [SUITE …]    measure; all suites when none is named
  cargo xtask bench --list                  what can be measured
  cargo xtask papers [EXPERIMENT …]         experiments of the sources made again, into docs/evidence; --list names them
  cargo xtask papers --reduced              the same on reduced sizes, compared with what is recorded
  cargo xtask peers                         the same jobs on privet and on other programs, into docs/evidence/peers.md";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test::run(),
        ["soak", rest @ ..] => match test::Soak::parse(rest) {
            Ok(asked) => test::soak(&asked),
            Err(problem) => return usage(&problem),
        },
        ["kill"] => test::kill(),
        ["python"] => test::python(),
        ["browser"] => browser::run().map(|tally| tally.failed == 0),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["docs"] => test::documentation(),
        ["docs", pages @ ..] => test::pages_alone(pages),
        ["site"] => site::run(),
        ["pictures"] => pictures::run(),
        ["reference"] => kinds::write(),
        ["wheel"] => wheel::run(),
        ["house", rest @ ..] => match house::Asked::parse(rest) {
            Ok(asked) => house::run(&asked),
            Err(problem) => return usage(&problem),
        },
        ["bench", rest @ ..] => match bench::Asked::parse(rest) {
            Ok(asked) => bench::run(&asked),
            Err(problem) => return usage(&problem),
        },
        ["papers", rest @ ..] => match papers::Asked::parse(rest) {
            Ok(asked) => papers::run(&asked),
            Err(problem) => return usage(&problem),
        },
        ["peers"] => papers::peers::run(),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        [] => return usage("a task is missing"),
        _ => return usage("there is no such task"),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn usage(problem: &str) -> ExitCode {
    eprintln!("xtask: {problem}\n\n{USAGE}");
    ExitCode::from(2)
}
