//! The referee of the toy kind `sample`: every published count is at least what was promised.

use privet_data::Progress;
use privet_data::io::ReadOptions;
use privet_release::{Check, OpenError, Promised, Referee, ReleaseFolder};

/// The file of a release.
const FILE: &str = "tally.csv";

/// The referee.
pub struct Sample;

/// It, for the list of all.
pub const REFEREE: &dyn Referee = &Sample;

impl Referee for Sample {
    fn kind(&self) -> &'static str {
        "sample"
    }

    fn files(&self, _: &ReleaseFolder) -> Result<Vec<String>, OpenError> {
        Ok(vec![FILE.to_owned()])
    }

    fn verify(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Check>, OpenError> {
        let table = folder.table(FILE, &ReadOptions::default(), progress)?;
        let people = table.column("people").ok_or_else(|| folder.malformed(FILE, "no column `people`"))?;
        let counts: Option<Vec<u64>> =
            people.codes.iter().map(|&code| people.domain.text(code).parse().ok()).collect();
        let counts = counts.ok_or_else(|| folder.malformed(FILE, "a count is not a whole number"))?;
        let mut checks = Vec::new();
        for promised in &folder.envelope().promises {
            let least = promised.whole("least").unwrap_or(u64::MAX);
            checks.push(match counts.iter().position(|&count| count < least) {
                None => Check::passed("least count", format!("every count is at least {least}")),
                Some(row) => Check::failed("least count", format!("record {} has a smaller count", row + 1)),
            });
        }
        if checks.is_empty() {
            checks.push(Check::failed("promises", "the manifest promises nothing"));
        }
        Ok(checks)
    }

    fn statement(&self, promised: &Promised) -> Option<String> {
        let least = promised.whole("least")?;
        (promised.id == "least-count").then(|| format!("Every published count is at least {least}."))
    }
}
