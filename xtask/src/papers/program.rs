//! The program, run from outside as a person runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Papers;
use crate::workspace::{self, Scratch};

/// Names a built program that is to be used instead of building one.
const PROGRAM: &str = "PRIVET_PROGRAM";

/// The program that the environment names, or else one that is built as it is released.
pub fn find() -> Result<PathBuf> {
    match std::env::var_os(PROGRAM).map(PathBuf::from) {
        Some(program) if program.is_file() => Ok(program),
        Some(program) => bail!("{PROGRAM} names {}, where no program is", program.display()),
        None => workspace::privet(),
    }
}

/// A scratch folder with the program at hand.
pub struct Desk<'a> {
    papers: &'a Papers,
    scratch: Scratch,
}

/// A release with what the program said of it.
pub struct Made {
    pub folder: PathBuf,
    pub summary: Value,
}

impl<'a> Desk<'a> {
    /// An empty one.
    pub fn new(papers: &'a Papers) -> Result<Self> {
        Ok(Self { papers, scratch: Scratch::new()? })
    }

    /// Where files go.
    pub fn folder(&self) -> &Path {
        self.scratch.path()
    }

    /// Runs the program; its standard output, and whether it ended well.
    fn ran(&self, words: &[&str]) -> Result<(Vec<u8>, Option<i32>, String)> {
        let ran = Command::new(self.papers.program()?).args(words).current_dir(self.folder()).output()?;
        Ok((ran.stdout, ran.status.code(), String::from_utf8_lossy(&ran.stderr).trim().to_owned()))
    }

    /// Runs the program and reads the object that it prints.
    pub fn json(&self, words: &[&str]) -> Result<Value> {
        let (said, code, problem) = self.ran(words)?;
        match code {
            Some(0) => serde_json::from_slice(&said).context("the program printed no JSON"),
            _ => bail!("privet {}: {problem}", words.join(" ")),
        }
    }

    /// Runs the program for what it writes.
    pub fn run(&self, words: &[&str]) -> Result<()> {
        let (_, code, problem) = self.ran(words)?;
        match code {
            Some(0) => Ok(()),
            _ => bail!("privet {}: {problem}", words.join(" ")),
        }
    }

    /// Publishes a job with some keys set; nothing when the promises cannot be kept.
    pub fn publish(&self, job: &str, settings: &[String]) -> Result<Option<Made>> {
        let file = self.folder().join("job.toml");
        std::fs::write(&file, job)?;
        let folder = self.folder().join("release");
        let mut words = vec!["anonymize", "job.toml", "--json", "--force", "--output", "release"];
        settings.iter().for_each(|setting| words.extend(["--set", setting.as_str()]));
        let (said, code, problem) = self.ran(&words)?;
        match code {
            Some(0) => {
                let summary = serde_json::from_slice(&said).context("the program printed no JSON")?;
                Ok(Some(Made { folder, summary }))
            }
            Some(1) => Ok(None),
            _ => bail!("privet {}: {problem}", words.join(" ")),
        }
    }

    /// How often classifiers of a class are right that learn from the release of `job.toml` and are tested on other records: naive Bayes and a
    /// decision tree, from the release and, behind it, from the original.
    pub fn learners(&self, class: &str, test: &str) -> Result<[[f64; 2]; 2]> {
        let words = ["measure", "job.toml", "release", "--class", class, "--test", test, "--json"];
        let told = self.json(&words)?;
        let learners = told["utility"]["learners"].as_array().context("no learners were measured")?;
        let rate = |name: &str, of: &str| -> Result<f64> {
            let own =
                learners.iter().find(|own| own["name"] == name).with_context(|| format!("no {name}"))?;
            own[of]["rate"].as_f64().with_context(|| format!("no rate of {name}"))
        };
        let both = |name: &str| -> Result<[f64; 2]> { Ok([rate(name, "released")?, rate(name, "raw")?]) };
        let [bayes, tree] = ["naive Bayes", "decision tree"].map(both);
        Ok([bayes?, tree?])
    }

    /// The same where the promises can be kept.
    pub fn must_publish(&self, job: &str, settings: &[String]) -> Result<Made> {
        let made = self.publish(job, settings)?;
        made.with_context(|| format!("no release keeps the promises: {}", settings.join(" ")))
    }
}

impl Made {
    /// A number of the summary.
    pub fn number(&self, key: &str) -> Result<f64> {
        self.summary[key].as_f64().with_context(|| format!("no {key} in the summary"))
    }

    /// Seconds of the search.
    pub fn search(&self) -> Result<f64> {
        self.summary["seconds"]["search"].as_f64().context("no seconds in the summary")
    }

    /// The manifest of the release.
    pub fn manifest(&self) -> Result<Value> {
        Ok(serde_json::from_slice(&std::fs::read(self.folder.join("manifest.json"))?)?)
    }

    /// All minimal choices of levels, in the order in which the job's quasi columns stand in the table.
    pub fn minimal(&self) -> Result<Vec<Vec<usize>>> {
        let manifest = self.manifest()?;
        let nodes =
            manifest["search"]["minimal_nodes"].as_array().context("no minimal nodes in the manifest")?;
        let level = |level: &Value| level.as_u64().map(|level| level as usize);
        let node = |node: &Value| node.as_array()?.iter().map(level).collect::<Option<Vec<usize>>>();
        nodes.iter().map(node).collect::<Option<_>>().context("a minimal node that is none")
    }

    /// The published table.
    pub fn table(&self) -> PathBuf {
        self.folder.join("data.csv")
    }
}
