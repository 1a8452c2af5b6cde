//! What an experiment tells: the same lines on the terminal and in a file of `docs/evidence`, and whether its claims hold.

use std::path::Path;

/// Lines, and claims that failed.
#[derive(Default)]
pub struct Page {
    text: String,
    failed: usize,
}

impl Page {
    /// A line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        println!("{}", line.as_ref());
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// A row of a table.
    pub fn row(&mut self, cells: &[&str]) {
        self.line(format!("| {} |", cells.join(" | ")));
    }

    /// The head of a table.
    pub fn head(&mut self, cells: &[&str]) {
        self.line("");
        self.row(cells);
        self.row(&vec!["---"; cells.len()]);
    }

    /// A claim and whether it holds.
    pub fn claim(&mut self, claim: &str, holds: bool) {
        self.failed += usize::from(!holds);
        self.line(format!("- {claim}: **{}**", if holds { "yes" } else { "no" }));
    }

    /// Writes the file; an error when a claim failed.
    pub fn finish(self, file: &Path) -> Result<(), Box<dyn std::error::Error>> {
        std::fs::write(file, self.text)?;
        println!("written to {}", file.display());
        match self.failed {
            0 => Ok(()),
            failed => Err(format!("{failed} claims do not hold").into()),
        }
    }
}
