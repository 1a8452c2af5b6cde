//! Runs millions of mutated inputs through an entry, in one process and on one thread, with the stable compiler.
//!
//! `privet-fuzz ENTRY [INPUTS [FIRST]]`. Inputs are numbered, and a number is enough to make the input again:
//! `privet-fuzz ENTRY --show NUMBER` writes it to standard output. An input that panics is told, and counted; one that takes
//! longer than a second too. A child process does the work, so that an abort is found as well and does not end the run.

use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use privet_fuzz::{ENTRIES, Entry, Random, mutate};

/// Inputs of one child process.
const BATCH: u64 = 200_000;
const SLOW: Duration = Duration::from_secs(1);
/// So many of each kind are told one by one.
const MOST_TOLD: usize = 20;

static PLACE: Mutex<String> = Mutex::new(String::new());

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.replace('_', "").parse::<u64>().ok();
    let of = |name: &str| ENTRIES.iter().find(|entry| entry.name == name);
    match words.as_slice() {
        [name, "--show", at] => match (of(name), number(at)) {
            (Some(entry), Some(at)) => {
                let bytes = mutate(&mut Random::new(at), &(entry.seeds)(), entry.is_text);
                std::io::stdout().write_all(&bytes).expect("standard output");
                return ExitCode::SUCCESS;
            }
            _ => return usage(),
        },
        [name, "--child", first, count] => {
            let (Some(entry), Some(first), Some(count)) = (of(name), number(first), number(count)) else { return usage() };
            return child(entry, first, count);
        }
        [name, rest @ ..] if rest.len() <= 2 => {
            let inputs = rest.first().map_or(Some(1_000_000), |text| number(text));
            let first = rest.get(1).map_or(Some(0), |text| number(text));
            let (Some(entry), Some(inputs), Some(first)) = (of(name), inputs, first) else { return usage() };
            return all(entry, inputs, first);
        }
        _ => {}
    }
    usage()
}

fn usage() -> ExitCode {
    let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
    eprintln!("privet-fuzz ENTRY [INPUTS [FIRST]], or ENTRY --show NUMBER; entries: {}", names.join(", "));
    ExitCode::from(2)
}

/// Runs a batch here. Each line of its output is `what number detail`.
fn child(entry: &Entry, first: u64, count: u64) -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, |place| format!("{}:{}", place.file(), place.line()));
        *PLACE.lock().unwrap_or_else(|own| own.into_inner()) = place;
    }));
    let seeds = (entry.seeds)();
    for (at, seed) in seeds.iter().enumerate() {
        if !(entry.run)(seed) {
            println!("refused {at} seed");
        }
    }
    let mut accepted: u64 = 0;
    for number in first..first + count {
        let bytes = mutate(&mut Random::new(number), &seeds, entry.is_text);
        if number % 1000 == 0 {
            println!("at {number} -");
        }
        let begun = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| (entry.run)(&bytes))) {
            Ok(valid) => accepted += u64::from(valid),
            Err(_) => println!("panic {number} {}", PLACE.lock().unwrap_or_else(|own| own.into_inner())),
        }
        if begun.elapsed() > SLOW {
            println!("slow {number} {}s", begun.elapsed().as_secs());
        }
    }
    println!("accepted {accepted} -");
    ExitCode::SUCCESS
}

/// Runs batches in children, one after another.
fn all(entry: &Entry, inputs: u64, first: u64) -> ExitCode {
    let begun = Instant::now();
    let program = std::env::current_exe().expect("the program's own path");
    let mut found: BTreeMap<(String, String), Vec<u64>> = BTreeMap::new();
    let (mut done, mut accepted) = (0, 0);
    while done < inputs {
        let (from, count) = (first + done, BATCH.min(inputs - done));
        let run = |from: u64, count: u64| {
            Command::new(&program)
                .args([entry.name, "--child", &from.to_string(), &count.to_string()])
                // Small files are read on one thread anyway; others would only wait for work.
                .env("RAYON_NUM_THREADS", "1")
                .stderr(Stdio::null())
                .output()
                .expect("a child process")
        };
        let output = run(from, count);
        let mut last = from;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let mut words = line.splitn(3, ' ');
            let (what, number) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let number: u64 = number.parse().unwrap_or_default();
            match what {
                "at" => last = number.max(from),
                "accepted" => accepted += number,
                _ => {
                    let detail = words.next().unwrap_or_default();
                    found.entry((what.to_owned(), detail.to_owned())).or_default().push(number);
                }
            }
        }
        if output.status.success() {
            done += count;
        } else {
            // One of the next thousand ended the process: find which.
            let end = (last + 1000).min(from + count);
            let guilty = (last..end).find(|&number| !run(number, 1).status.success());
            let status = output.status.to_string();
            found.entry(("abort".to_owned(), status)).or_default().push(guilty.unwrap_or(last));
            done = guilty.unwrap_or(end).max(last) + 1 - first;
        }
        let seconds = begun.elapsed().as_secs_f64();
        eprintln!("{}: {done} of {inputs} inputs, {:.0} a second", entry.name, done as f64 / seconds);
    }
    let findings: usize = found.values().map(Vec::len).sum();
    println!(
        "{}: {inputs} inputs, {accepted} accepted, {findings} findings, {:.0} s",
        entry.name,
        begun.elapsed().as_secs_f64()
    );
    for ((what, detail), numbers) in &found {
        let some: Vec<String> = numbers.iter().take(MOST_TOLD).map(u64::to_string).collect();
        println!("  {what} {detail}: {} inputs, such as {}", numbers.len(), some.join(" "));
    }
    ExitCode::from(u8::from(findings > 0))
}
