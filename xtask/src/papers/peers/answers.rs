//! Private answers with the same epsilon: privet, OpenDP and diffprivlib.

use std::collections::HashMap;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Place, fixed, memory, printed, seconds};
use crate::cells;
use crate::papers::page::table as markdown_table;

const EPSILON: &str = "1";
/// Repeated answers of which the error is the mean.
const ANSWERS: usize = 30;

impl Place {
    /// A histogram over 16 keys and an average with bounds, epsilon 1 each.
    pub(super) fn answers(&self, skipped: &mut Vec<String>) -> Result<String> {
        let text = std::fs::read_to_string(self.data.join("adult.csv"))?;
        let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<&str>>());
        let names = lines.next().context("an empty table")?;
        let place =
            |name: &str| names.iter().position(|own| *own == name).with_context(|| format!("no {name}"));
        let (age, education) = (place("age")?, place("education")?);
        let people: Vec<(&str, &str)> = lines.map(|row| (row[age], row[education])).collect();
        let mut csv = "age,education\n".to_owned();
        people.iter().for_each(|(age, education)| csv.push_str(&format!("{age},{education}\n")));
        std::fs::write(self.scratch.path().join("people.csv"), csv)?;
        let mut rows = vec![self.own_answers(&people)?];
        for (python, package) in [(&self.anjana, "opendp"), (&self.diffprivlib, "diffprivlib")] {
            match python {
                Ok(python) => {
                    let times = ANSWERS.to_string();
                    let told = self.python(python, &["answers", package, "people.csv", EPSILON, &times])?;
                    rows.push(cells![
                        format!("{package} {}", told["version"].as_str().unwrap_or("?")),
                        fixed(&told["error"], 2),
                        fixed(&told["error_of_mean"], 4),
                        seconds(told["seconds"].as_f64()),
                        memory(&told)
                    ]);
                }
                Err(reason) => skipped.push(format!("{package}: {reason}")),
            }
        }
        let table = markdown_table(
            &["program", "error of a count", "error of the mean age", "seconds of a histogram", "peak MiB"],
            &rows,
        );
        Ok(format!(
            "\n## Private answers\n\nThe histogram of education (16 declared keys) and the mean age (bounds 17 to 90) of 30,162 people, epsilon {EPSILON} \
             each; mean absolute errors over {ANSWERS} answers. privet's time is of the whole process, which reads the table and charges a ledger; \
             of the others the call on data that is loaded. diffprivlib hides what a record says and takes the number of records for known; the other \
             two hide whether it is there. All three add Laplace noise or its discrete form; errors differ by chance and by that.\n\n{table}"
        ))
    }

    fn own_answers(&self, people: &[(&str, &str)]) -> Result<Vec<String>> {
        let mut truth: HashMap<&str, f64> = HashMap::new();
        people.iter().for_each(|(_, education)| *truth.entry(education).or_default() += 1.0);
        let mean =
            people.iter().filter_map(|(age, _)| age.parse::<f64>().ok()).sum::<f64>() / people.len() as f64;
        let mut keys: Vec<&str> = truth.keys().copied().collect();
        keys.sort_unstable();
        let keys = format!("education={}", keys.join(","));
        let open = [
            "ledger",
            "open",
            "people.csv",
            "--epsilon",
            "1000",
            "--unsigned",
            "--new-population",
            "--quiet",
        ];
        printed(Command::new(&self.program).args(open).current_dir(self.scratch.path()))?;
        let ask = |question: &str, more: [&str; 2]| {
            let words = ["query", "people.csv", question, "--epsilon", EPSILON, "--unsigned", "--json"];
            self.privet(&[&words[..], &more].concat())
        };
        let (mut error, mut error_of_mean, mut best) = (0.0, 0.0, f64::INFINITY);
        for _ in 0..ANSWERS {
            let begun = std::time::Instant::now();
            let told = ask("select education, count(*) from data group by education", ["--keys", &keys])?;
            best = best.min(begun.elapsed().as_secs_f64());
            for line in told["lines"].as_array().context("no lines")? {
                let key = line["group"][0].as_str().unwrap_or_default();
                let value = line["numbers"][0]["value"].as_f64().context("no number")?;
                error +=
                    (value - truth.get(key).copied().unwrap_or(0.0)).abs() / (truth.len() * ANSWERS) as f64;
            }
            let told = ask("select avg(age) from data", ["--bound", "age=17..90"])?;
            let value = told["lines"][0]["numbers"][0]["value"].as_f64().context("no number")?;
            error_of_mean += (value - mean).abs() / ANSWERS as f64;
        }
        Ok(cells!["privet", format!("{error:.2}"), format!("{error_of_mean:.4}"), seconds(Some(best)), "–"])
    }
}
