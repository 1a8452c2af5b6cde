//! Naive Bayes: every count is none or at least k, and so are the people whose values are hidden within a class, and those whose class is.

use privet_release::{Check, ReleaseFolder};
use serde::Deserialize;
use serde_json::Value;

use super::read;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    version: u32,
    records: u64,
    k: u64,
    class: Column,
    attributes: Vec<Column>,
    classes: Vec<Option<u64>>,
    counts: Vec<Vec<Vec<Option<u64>>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    #[serde(rename = "name")]
    _name: String,
    values: Vec<String>,
}

/// The people of every group of a row: those that are shown, and all that are hidden together.
fn row(counts: &[Option<u64>], all: u64, values: usize) -> Option<Vec<u64>> {
    let mut groups = Vec::new();
    let (mut rest, mut hides) = (all, false);
    for count in counts {
        match count {
            Some(count) => {
                rest = rest.checked_sub(*count)?;
                groups.push(*count);
            }
            None => hides = true,
        }
    }
    groups.push(rest);
    (counts.len() == values && (hides || rest == 0)).then_some(groups)
}

impl Release {
    fn groups(&self) -> Option<Vec<u64>> {
        let classes = self.class.values.len();
        let mut groups = row(&self.classes, self.records, classes)?;
        if self.version != 1 || self.counts.len() != self.attributes.len() {
            return None;
        }
        for (attribute, counts) in self.attributes.iter().zip(&self.counts) {
            if counts.len() != classes {
                return None;
            }
            for (class, counts) in counts.iter().enumerate() {
                match self.classes[class] {
                    Some(all) => groups.extend(row(counts, all, attribute.values.len())?),
                    None if counts.iter().any(Option::is_some) => return None,
                    None => {}
                }
            }
        }
        groups.retain(|people| *people > 0);
        Some(groups)
    }
}

/// The checks of a release. `records` is what the manifest states, `more` whether it states files that naive Bayes does not have.
pub(super) fn checks(folder: &ReleaseFolder, value: &Value, (records, more): (u64, bool)) -> Vec<Check> {
    const NAME: &str = "people per count";
    let release: Release = match read(value) {
        Ok(release) => release,
        Err(problem) => return vec![Check::failed("model", problem)],
    };
    let Some(groups) = release.groups().filter(|_| !more) else {
        return vec![Check::failed("model", "the counts contradict each other or the number of records")];
    };
    let mut checks =
        vec![Check::passed("model", format!("{} counts and differences fit together", groups.len()))];
    if release.records != records {
        checks.push(Check::failed("records", "the counts are of another number of records than is stated"));
    }
    let promises = &folder.envelope().promises;
    let Some(promised) =
        promises.iter().find(|own| own.id == "k-anonymous-counts").filter(|_| promises.len() == 1)
    else {
        checks.push(Check::failed("promises", "what is promised of the counts is not known"));
        return checks;
    };
    let least = groups.iter().min().copied();
    checks.push(match promised.whole("k").filter(|k| (1..=release.records).contains(k)) {
        None => Check::failed(NAME, "k is missing, 0, or above the number of records"),
        Some(_) if promised.reached != least.map(|own| own as f64) => {
            Check::failed(NAME, "the smallest group that is stated is not that of the counts")
        }
        Some(k) if release.k < k || least.is_some_and(|least| least < k) => {
            Check::failed(NAME, format!("a group has fewer than {k} people"))
        }
        Some(_) => Check::passed(NAME, format!("the smallest group has {} people", least.unwrap_or(0))),
    });
    checks
}
