//! A page of evidence: prose, tables of what is printed beside what comes out, pictures, and claims with whether they hold.
//!
//! A *claim* is the source's: that it does not hold is a finding. A *check* is ours: that it does not hold is a mistake, and the experiment
//! fails. What does not depend on the clock is kept apart, so that a reduced run can be compared with what is recorded.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::chart::Chart;
use super::{Mode, Papers};

/// What an experiment tells.
pub struct Page {
    name: &'static str,
    text: String,
    /// Lines that are the same in every run.
    lasting: String,
    charts: Vec<(String, Chart)>,
    failed: Vec<String>,
    has_times: bool,
}

/// The file that reduced runs are compared with.
const RECORDED: &str = "xtask/src/papers/recorded";

impl Page {
    /// An empty page.
    pub fn new(name: &'static str, title: &str) -> Self {
        let text = format!("# {title}\n");
        Self { name, text, lasting: String::new(), charts: Vec::new(), failed: Vec::new(), has_times: false }
    }

    /// A paragraph.
    pub fn text(&mut self, text: &str) {
        let _ = writeln!(self.text, "\n{text}");
    }

    /// A heading.
    pub fn heading(&mut self, title: &str) {
        let _ = writeln!(self.text, "\n## {title}");
    }

    /// A table of what is the same in every run.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let lines = table(head, rows);
        let _ = write!(self.text, "\n{lines}");
        self.lasting.push_str(&lines);
    }

    /// A table with times or memory in it.
    pub fn measured(&mut self, head: &[&str], rows: &[Vec<String>]) {
        if !std::mem::replace(&mut self.has_times, true) {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            self.text(&format!(
                "(Times here are of a machine with {cores} cores that others used too; ratios within a table tell something, single times do not, and a claim about times may come out otherwise in another run.)"
            ));
        }
        let _ = write!(self.text, "\n{}", table(head, rows));
    }

    /// A picture.
    pub fn chart(&mut self, part: &str, chart: Chart) {
        let _ = writeln!(self.text, "\n![{}]({}-{part}.svg)", chart.title, self.name);
        self.charts.push((format!("{}-{part}.svg", self.name), chart));
    }

    /// A claim of the source, and whether it holds.
    pub fn claim(&mut self, claim: &str, holds: bool) {
        let line = line(claim, holds);
        self.lasting.push_str(&line);
        self.list(&line);
    }

    /// A claim of the source about times: whether it holds depends on the machine.
    pub fn claim_of_times(&mut self, claim: &str, holds: bool) {
        self.list(&line(claim, holds));
    }

    /// A claim that one thing takes less time than another, by the ratio of their times. Within a quarter it stays open: such differences are
    /// those of the machine.
    pub fn claim_of_ratio(&mut self, claim: &str, ratio: f64) {
        match ratio {
            _ if ratio < 0.8 => self.claim_of_times(claim, true),
            _ if ratio > 1.25 => self.claim_of_times(claim, false),
            _ => self.list(&format!("- {claim}: **open**, the times are within a quarter of each other\n")),
        }
    }

    /// What must hold here whatever the source says.
    pub fn check(&mut self, check: &str, holds: bool) {
        self.claim(check, holds);
        if !holds {
            self.failed.push(check.to_owned());
        }
    }

    fn list(&mut self, line: &str) {
        let is_first = !self.text.lines().last().is_some_and(|last| last.starts_with("- "));
        if is_first {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }

    /// Writes the page and its pictures, or compares what lasts with what is recorded. False when a check fails or something differs.
    pub fn finish(self, papers: &Papers) -> Result<bool> {
        for failed in &self.failed {
            println!("FAILED: {failed}");
        }
        let holds = self.failed.is_empty();
        match papers.mode {
            Mode::Full => {
                println!("{}", self.text);
                for (file, chart) in &self.charts {
                    write(&papers.evidence.join(file), &chart.svg())?;
                }
                write(&papers.evidence.join(format!("{}.md", self.name)), &self.text)?;
                Ok(holds)
            }
            Mode::Record => {
                write(&papers.root.join(RECORDED).join(format!("{}.txt", self.name)), &self.lasting)?;
                Ok(holds)
            }
            Mode::Reduced => Ok(self.is_as_recorded(papers)? && holds),
        }
    }

    fn is_as_recorded(&self, papers: &Papers) -> Result<bool> {
        let file = papers.root.join(RECORDED).join(format!("{}.txt", self.name));
        let recorded = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        if recorded == self.lasting {
            println!("as recorded: {} lines", recorded.lines().count());
            return Ok(true);
        }
        let (mut was, mut is) = (recorded.lines(), self.lasting.lines());
        loop {
            match (was.next(), is.next()) {
                (None, None) => bail!("{} differs in its line ends", file.display()),
                (one, other) if one == other => {}
                (one, other) => {
                    println!(
                        "DIFFERS\n  recorded: {}\n  now:      {}",
                        one.unwrap_or("-"),
                        other.unwrap_or("-")
                    );
                    return Ok(false);
                }
            }
        }
    }
}

/// How a claim stands on a page; the index reads it from there.
fn line(claim: &str, holds: bool) -> String {
    format!("- {claim}: **{}**\n", if holds { "yes" } else { "no" })
}

/// A table in Markdown.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut lines = format!("| {} |\n|{}\n", head.join(" | "), " --- |".repeat(head.len()));
    for row in rows {
        let _ = writeln!(lines, "| {} |", row.join(" | "));
    }
    lines
}

fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(file, text).with_context(|| file.display().to_string())?;
    println!("written to {}", file.display());
    Ok(())
}

/// A number with so many digits behind the point.
pub fn fixed(number: f64, digits: usize) -> String {
    format!("{number:.digits$}")
}

/// A row of a table.
#[macro_export]
macro_rules! cells {
    ($($cell:expr),* $(,)?) => { vec![$($cell.to_string()),*] };
}
