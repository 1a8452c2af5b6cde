//! Whether the reference of the job file names every key that the program knows.
//!
//! The program is asked: a key that does not exist is answered with those that do. What it lists must stand, in
//! backquotes, in one of the pages of the reference.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::Tally;
use crate::workspace::{self, Scratch};

const PAGES: [&str; 2] = ["docs/guide/job-file.md", "docs/guide/job-file-other-releases.md"];

/// The page that explains every attack on releases of records.
const ATTACKS: &str = "docs/guide/attacks.md";
/// The mistake that is answered with their names.
const UNKNOWN_ATTACK: &str = "adversary.attacks=[\"nowhere\"]";

/// A job that is read and goes no further.
const JOB: &str = "\
[input]
path = \"none.csv\"
[columns.a]
role = \"quasi\"
[privacy]
k-anonymity = 2
";

/// Settings with a mistake, each of which makes the program list what it would accept.
const MISTAKES: &[&str] = &[
    "nowhere.x=1",
    "input.nowhere=1",
    "columns.a.nowhere=1",
    "columns.a.role=nowhere",
    "columns.a.hierarchy={ nowhere = 1 }",
    "search.nowhere=1",
    "adversary.nowhere=1",
    "history.nowhere=1",
    "adversary.countermeasure=nowhere",
    UNKNOWN_ATTACK,
    "search.minimize=nowhere",
    "search.algorithm=nowhere",
    "search.incognito.nowhere=1",
    "search.top-down.nowhere=1",
    "search.bottom-up.nowhere=1",
    "search.genetic.nowhere=1",
    "search.simulated-annealing.nowhere=1",
    "search.top-down-specialization.nowhere=1",
    "search.k-optimize.nowhere=1",
    "search.cell-suppression.method=nowhere",
    "search.publish=nowhere",
    "search.mondrian.nowhere=1",
    "search.mondrian.mode=nowhere",
    "search.mondrian.choose=nowhere",
    "search.top-down-local.choose=nowhere",
    "search.local-recoding.start=nowhere",
    "search.microaggregation.nowhere=1",
    "search.microaggregation.method=nowhere",
    "search.microaggregation.scale=nowhere",
    "search.microaggregation.categories=nowhere",
    "search.anatomy.nowhere=1",
    "sampling.nowhere=1",
    "sampling.kind=nowhere",
    "purpose.nowhere=1",
    "views=[{ nowhere = 1 }]",
    "views=[{ columns = [\"a\"], kind = \"nowhere\" }]",
    "count-tables=[{ nowhere = 1 }]",
    "count-tables=[{ columns = [\"a\"], protection = { nowhere = 1 } }]",
    "count-tables=[{ columns = [\"a\"], method = \"nowhere\" }]",
    "count-tables=[{ columns = [\"a\"], target = \"nowhere\" }]",
    "count-tables=[{ columns = [\"a\"], norm = \"nowhere\" }]",
    "query.nowhere=1",
    "query.neighbours=nowhere",
    "engine.nowhere=1",
    "engine.kind=nowhere",
    "output.nowhere=1",
];

/// Compares the program with the page.
pub fn check(program: &Path) -> Result<Tally> {
    let mut page = String::new();
    for name in PAGES {
        page.push_str(&std::fs::read_to_string(workspace::root().join(name)).context(name)?);
    }
    let scratch = Scratch::new()?;
    let job = scratch.path().join("job.toml");
    std::fs::write(&job, JOB)?;
    let ask = |setting: &str| -> Result<String> {
        let answer = Command::new(program).arg("anonymize").arg(&job).args(["--set", setting]).output()?;
        Ok(String::from_utf8_lossy(&answer.stderr).into_owned())
    };
    let mut known = BTreeSet::new();
    let mut silent = Vec::new();
    for &mistake in MISTAKES {
        let words = backquoted(&ask(mistake)?);
        if words.is_empty() {
            silent.push(mistake.to_owned());
        }
        known.extend(words);
    }
    let criteria = listed(&ask("privacy.nowhere=1")?, "the keys are ");
    for key in &criteria {
        let mistake = format!("privacy.{key}={{ nowhere = 1 }}");
        let fields = listed(&ask(&mistake)?, "the fields are ");
        if fields.is_empty() {
            silent.push(mistake);
        }
        known.extend(fields);
    }
    known.extend(criteria);
    let attacks = std::fs::read_to_string(workspace::root().join(ATTACKS)).context(ATTACKS)?;
    let unexplained: Vec<String> = backquoted(&ask(UNKNOWN_ATTACK)?)
        .into_iter()
        .filter(|word| !attacks.contains(&format!("| `{word}` |")))
        .collect();
    if !unexplained.is_empty() {
        println!("  FAILED   {ATTACKS}: not in its table: {unexplained:?}");
        return Ok(Tally { failed: 1, ..Tally::default() });
    }
    let absent: Vec<&String> = known.iter().filter(|word| !page.contains(&format!("`{word}`"))).collect();
    if absent.is_empty() && silent.is_empty() && !known.is_empty() {
        println!(
            "  ok       {} name all {} keys and words that the program knows",
            PAGES.join(" and "),
            known.len()
        );
        return Ok(Tally { passed: 1, ..Tally::default() });
    }
    println!("  FAILED   {}: not in it: {absent:?}; no answer to: {silent:?}", PAGES.join(" and "));
    Ok(Tally { failed: 1, ..Tally::default() })
}

/// The words in backquotes behind "expected" or "accepted", on the same line.
fn backquoted(message: &str) -> Vec<String> {
    let start = message.find("expected").or_else(|| message.find("accepted")).unwrap_or(message.len());
    message[start..]
        .lines()
        .next()
        .unwrap_or_default()
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The words, parted by commas, behind a phrase.
fn listed(message: &str, phrase: &str) -> Vec<String> {
    let Some((_, list)) = message.split_once(phrase) else { return Vec::new() };
    let end = list.find('\n').unwrap_or(list.len());
    list[..end].split(", ").map(|word| word.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_from_messages() {
        let message = "unknown field `x`, expected one of `path`, `format`\nin `input`";
        assert_eq!(backquoted(message), ["path", "format"]);
        assert_eq!(listed("unknown key; the keys are a-b, c\n", "the keys are "), ["a-b", "c"]);
        assert!(listed("nothing", "the keys are ").is_empty());
    }
}
