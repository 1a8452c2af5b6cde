//! Random questions to random releases: the truth, asked of the original, lies within the bounds (survey US-01 to US-04).
//!
//! A table of numbers, days, codes and texts, some missing and some spelled like labels, is published by a random algorithm
//! with random hierarchies. What a question gives on the original is computed here, record by record, from the definition of
//! SQL and nothing of the library but the parsed question. Published records are matched to their originals by a column `id`
//! that stays as it is. Cases are seeded; a failing one is told with its job, its table and its question.
//!
//! `PRIVET_ANSWER_CASES=4000 cargo test -p privet-job --test answers` asks many more.

mod known;
mod tables;
mod truth;

use std::collections::BTreeMap;
use std::path::Path;

use privet_data::Silent;
use privet_job::{Job, RunOptions, Spread, ask, run};
use privet_measure::answer::{Aggregate, Estimate, Question};
use privet_release::{Published, VerifyOptions, verify};

use tables::{Case, Random, Release};
use truth::Original;

/// What happened in all cases.
#[derive(Debug, Default)]
struct Seen {
    releases: BTreeMap<&'static str, u64>,
    answers: u64,
    refused: u64,
    figures: u64,
    /// Figures of which some record is neither certainly in nor certainly out.
    uncertain: u64,
    /// Counts with bounds that exclude something.
    narrowed: u64,
}

#[test]
fn the_truth_lies_within_the_bounds() {
    let cases: u64 = std::env::var("PRIVET_ANSWER_CASES").ok().and_then(|own| own.parse().ok()).unwrap_or(40);
    let first: u64 = std::env::var("PRIVET_ANSWER_FIRST").ok().and_then(|own| own.parse().ok()).unwrap_or(0);
    let folder = tempfile::tempdir().unwrap();
    let mut seen = Seen::default();
    let mut wrong = Vec::new();
    for number in first..first + cases {
        let mut random = Random::new(number);
        let case = Case::draw(&mut random);
        let outcome = ask_all(folder.path(), number, &case, &mut random, &mut seen, &mut wrong);
        *seen.releases.entry(outcome).or_default() += 1;
        if wrong.len() >= 12 {
            break;
        }
    }
    println!("{seen:#?}");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    let published: u64 = seen.releases.iter().filter(|own| *own.0 != "none").map(|own| own.1).sum();
    // A referee that sees nothing, or only bounds that say nothing, would never complain.
    assert!(published * 2 > cases && seen.refused < seen.answers, "{seen:?}");
    assert!(seen.uncertain * 10 > seen.figures && seen.narrowed * 10 > seen.figures, "{seen:?}");
}

/// Publishes a case and asks it questions; tells what was published.
fn ask_all(
    folder: &Path,
    number: u64,
    case: &Case,
    random: &mut Random,
    seen: &mut Seen,
    wrong: &mut Vec<String>,
) -> &'static str {
    case.write(folder);
    // Views that hold all columns are refused, and so are hierarchies that do not fit; other tests look at these.
    let Ok(job) = Job::parse(&case.job, &["output.replace=true".to_owned()]) else { return "none" };
    let options = RunOptions { base: folder.to_owned(), ..RunOptions::default() };
    let release = match run(&job, &options, &Silent) {
        Ok(summary) => summary.release,
        Err(_) => return "none",
    };
    let verdict = verify(&release, VerifyOptions::default()).unwrap();
    assert!(verdict.holds(), "case {number}: {:#?}\n{}", verdict.failures().collect::<Vec<_>>(), case.job);
    let published = (case.release != Release::Counts).then(|| Published::open(&release, &Silent).unwrap());
    let original = Original::new(case, published.as_ref());
    for _ in 0..case.questions {
        let text = tables::question(random, case, &original);
        let with_job = random.below(3) == 0;
        let path = folder.join("job.toml");
        let spread = if case.release != Release::Counts && random.below(4) == 0 {
            Spread::Proportional
        } else {
            Spread::Uniform
        };
        let question = Question::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        seen.answers += 1;
        let asked = match ask(&release, &text, with_job.then_some(path.as_path()), spread, &Silent) {
            Ok(asked) => asked,
            Err(error) => {
                assert_eq!(error.outcome(), privet_job::Outcome::BadInput, "case {number}: {text}: {error}");
                seen.refused += 1;
                continue;
            }
        };
        for line in &asked.answer.lines {
            for (output, own) in question.select.iter().zip(&line.estimates) {
                let Some(truth) =
                    original.figure(&question, &output.aggregate, &asked.answer.group_by, &line.group)
                else {
                    continue;
                };
                seen.figures += 1;
                seen.uncertain += u64::from(own.at_least != own.at_most);
                let is_count = matches!(output.aggregate, Aggregate::Count | Aggregate::CountOf(_));
                let suppressed = if is_count { asked.answer.suppressed as f64 } else { 0.0 };
                let is_narrow = is_count
                    && (own.at_least > Some(0.0)
                        || own.at_most.is_some_and(|most| most - suppressed < asked.answer.records as f64));
                seen.narrowed += u64::from(is_narrow);
                if let Err(problem) = judge(own, truth, suppressed) {
                    let csv = release.join("data.csv");
                    wrong.push(format!(
                        "case {number} ({}): {text} (job: {with_job}) line {:?} {}: truth {truth}, {problem}: {own:?}, {:?}\n{}\n{}\n{}\n{}",
                        case.kind,
                        line.group,
                        output.name,
                        asked.notes,
                        case.job,
                        case.files.iter().map(|(name, text)| format!("{name}:\n{text}")).collect::<String>(),
                        case.csv(),
                        std::fs::read_to_string(csv).unwrap_or_default(),
                    ));
                    return case.kind;
                }
            }
        }
    }
    case.kind
}

/// Whether the truth lies within the bounds, but for rounding, and the expectation too.
fn judge(own: &Estimate, truth: f64, suppressed: f64) -> Result<(), &'static str> {
    let slack = 1e-9 * truth.abs().max(1.0);
    if own.at_least.is_some_and(|least| truth < least - slack) {
        return Err("below at_least");
    }
    // Suppressed records are not among those whose truth is asked for.
    if own.at_most.is_some_and(|most| truth > most - suppressed + slack) {
        return Err("above at_most");
    }
    let Some(expected) = own.expected else { return Ok(()) };
    let slack = 1e-9 * expected.abs().max(1.0);
    let is_out = own.at_least.is_some_and(|least| expected < least - slack)
        || own.at_most.is_some_and(|most| expected > most + slack);
    if is_out { Err("expectation out of bounds") } else { Ok(()) }
}
