//! Two releases about the same regions (survey AT-25, ME-18): the American Community Survey of Massachusetts in 2018, and in 2019 with the
//! history of the first. The program does all of it; the page shows what it says.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Papers;
use crate::workspace::{self, Scratch};

const JOB: &str = r#"[input]
path = "2018.csv"
missing = ["N"]
[columns.PUMA]
role = "quasi"
hierarchy = { mask = "right" }
[columns.AGEP]
role = "quasi"
hierarchy = { intervals = [5, 10, 20, 40], min = 0 }
[columns.SEX]
role = "quasi"
[columns.RAC1P]
role = "quasi"
[columns.INDP_CAT]
role = "sensitive"
[privacy]
k-anonymity = 5
l-diversity = { kind = "distinct", l = 3, column = "INDP_CAT" }
[search]
suppress-at-most = 0.1
[history]
[output]
folder = "release-2018"
home = "home"
"#;

/// A way to publish 2019: what it is called, the verb with the files that it takes, and the settings.
struct Way {
    name: &'static str,
    verb: &'static [&'static str],
    set: &'static [&'static str],
}

const AGAIN: &[&str] = &["anonymize", "job.toml", "--input", "2019.csv"];
const APPLY: &[&str] = &["apply", "home/recoding.json", "2019.csv", "--home", "home"];
const WAYS: [Way; 6] = [
    Way { name: "the same job", verb: AGAIN, set: &[] },
    Way { name: "the recoding of 2018", verb: APPLY, set: &[] },
    Way { name: "the same job with l = 6", verb: AGAIN, set: &["privacy.l-diversity.l=6"] },
    Way {
        name: "the same job with k = 50 and l = 8",
        verb: AGAIN,
        set: &["privacy.k-anonymity=50", "privacy.l-diversity.l=8"],
    },
    Way { name: "the same job, 2 % accepted", verb: AGAIN, set: &["history.max-risk=0.02"] },
    Way { name: "the recoding of 2018, 2 % accepted", verb: APPLY, set: &["history.max-risk=0.02"] },
];

pub(super) fn run(papers: &Papers) -> Result<bool> {
    let program = workspace::privet()?;
    let scratch = Scratch::new()?;
    for year in ["2018", "2019"] {
        let from = papers.data.join(format!("nist-acs-excerpts/ma{year}.csv"));
        std::fs::copy(&from, scratch.path().join(format!("{year}.csv")))
            .with_context(|| from.display().to_string())?;
    }
    std::fs::write(scratch.path().join("job.toml"), JOB)?;
    let privet = |words: &[&str]| -> Result<Output> {
        Ok(Command::new(&program).args(words).current_dir(scratch.path()).output()?)
    };
    let first = privet(&["anonymize", "job.toml", "--json"])?;
    ensure!(first.status.success(), "2018: {}", String::from_utf8_lossy(&first.stderr));
    let mut page = String::from(
        "# Two releases of the same regions\n\nThe American Community Survey of Massachusetts as NIST excerpts it, 2018 and 2019. Both years are published by region \
         (PUMA), age, sex and race, with the industry as sensitive column; the second one with the history of the first, which assumes that everybody may be in both. \
         `cargo xtask papers releases` writes this page.\n\nThe job:\n\n```toml\n",
    );
    write!(
        page,
        "{JOB}```\n\n| release | records | loss | what the program says |\n| --- | --- | --- | --- |\n"
    )?;
    writeln!(page, "| 2018 | {} |", figures(&first)?)?;
    // Every way begins with the history as the first release left it.
    copy(&scratch.path().join("home"), &scratch.path().join("before"))?;
    let mut outcomes = Vec::new();
    for (number, way) in WAYS.iter().enumerate() {
        std::fs::remove_dir_all(scratch.path().join("home"))?;
        copy(&scratch.path().join("before"), &scratch.path().join("home"))?;
        let release = format!("release-{number}");
        let mut words = [way.verb, &["--output", release.as_str(), "--json"]].concat();
        way.set.iter().for_each(|set| words.extend(["--set", set]));
        let made = privet(&words)?;
        let code = made.status.code();
        ensure!(matches!(code, Some(0 | 1)), "{}: {}", way.name, String::from_utf8_lossy(&made.stderr));
        let is_published = code == Some(0);
        let told = if is_published { figures(&made)? } else { format!("– | – | {}", refusal(&made)) };
        writeln!(page, "| 2019, {} | {told} |", way.name)?;
        let is_there = scratch.path().join(&release).exists();
        let verifies = is_published && privet(&["verify", &release])?.status.success();
        let listed = privet(&["history", "home", "--json"])?;
        let listed: Value = serde_json::from_slice(&listed.stdout)?;
        let remembered = listed["releases"].as_array().map_or(0, Vec::len);
        outcomes.push((is_published, is_there == is_published, verifies, remembered));
    }
    page.push_str(
        "\nWhy: a class of one year and a class of the other that share a region and an age share only some industries, and for a few people one. The same recoding does not help by \
         itself, because the people of a class are others; more diversity makes classes larger and the overlap richer. m-invariance (`kind = \"series\"`) needs to \
         know who is who in both years, which these excerpts do not say.\n\n",
    );
    let published = outcomes.iter().filter(|own| own.0);
    let claims = [
        ("the same job again is refused, and so is the old recoding", !outcomes[0].0 && !outcomes[1].0),
        ("with 2 % accepted both are published", outcomes[4].0 && outcomes[5].0),
        ("every published release verifies", published.clone().all(|own| own.2)),
        ("what is refused is not there", outcomes.iter().all(|own| own.1)),
        (
            "the history remembers what was published, and nothing else",
            outcomes.iter().all(|own| own.3 == 1 + usize::from(own.0)),
        ),
    ];
    for (claim, holds) in claims {
        writeln!(page, "- {claim}: **{}**", if holds { "yes" } else { "no" })?;
    }
    print!("{page}");
    std::fs::write(papers.evidence.join("releases.md"), page)?;
    Ok(claims.iter().all(|(_, holds)| *holds))
}

/// Cells about a release: records, loss, and what the history told.
fn figures(made: &Output) -> Result<String> {
    let told: Value = serde_json::from_slice(&made.stdout).context("the program tells no summary")?;
    let notes = told["written"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let notes: Vec<&str> = notes.filter(|note| note.contains("histor")).collect();
    let loss = told["loss"].as_f64().map_or("–".to_owned(), |loss| format!("{loss:.4}"));
    let number = |key: &str| told[key].as_u64().with_context(|| format!("the summary has no {key}"));
    let (all, suppressed) = (number("rows")?, number("suppressed")?);
    Ok(format!("{} of {all} | {loss} | published; {}", all - suppressed, notes.join("; ")))
}

/// The first sentence of a refusal.
fn refusal(made: &Output) -> String {
    let said = String::from_utf8_lossy(&made.stderr);
    let last = said.lines().last().unwrap_or_default();
    let text = last.split_once(": ").map_or(last, |(_, text)| text);
    text.split(". Promise").next().unwrap_or(text).to_owned()
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}
