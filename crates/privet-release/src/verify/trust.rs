//! What a release says that its files cannot show: the verdict names it, so that nobody takes a checked release for one of
//! which every word was checked.

use serde::Serialize;

use super::counts::is_drawn;
use crate::counts::CountsManifest;
use crate::perturbed::Change;
use crate::perturbed::PerturbedManifest;
use crate::{Manifest, Shown};

/// Something that is stated by the publisher and cannot be checked from the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Trusted {
    /// What it is about, in a word.
    pub what: &'static str,
    /// What it is, and why no file shows it.
    pub why: &'static str,
}

const ATTACKS: Trusted = Trusted {
    what: "attacks",
    why: "what attacks found before it was published, and which were not made: they need the original",
};

const COMMANDS: Trusted = Trusted {
    what: "commands",
    why: "the commands that are said to have made it: the job and the input stay at home",
};

const INPUT: Trusted = Trusted {
    what: "input",
    why: "how many records the input had, how they were sampled, which texts of it were compared as codes, and which of its columns are not \
          published",
};

const ROLES: Trusted = Trusted {
    what: "roles",
    why: "which of the columns that no promise is about are sensitive: that is a judgement, not a fact of the table",
};

const HIERARCHIES: Trusted = Trusted {
    what: "hierarchies",
    why: "the hierarchies behind the labels: their heights, leaves and levels that are not published, and what labels hold",
};

const HIDDEN: Trusted = Trusted {
    what: "hidden values",
    why: "what the values behind labels have in common, and that a column of numbers held nothing wider than its kind says",
};

const SEARCH: Trusted = Trusted {
    what: "search",
    why: "how the release was chosen among others, and that none is better: the search needs the original",
};

const COST: Trusted = Trusted {
    what: "cost",
    why: "figures of loss that compare with the original or with hierarchies; they are held within the bounds that the table gives",
};

const EVIDENCE: Trusted = Trusted {
    what: "evidence",
    why: "what promises rest on beyond the table: ranks of values, hierarchies of sensitive values, sizes of domains",
};

const RANDOMNESS: Trusted = Trusted {
    what: "randomness",
    why: "where randomness came from, and that published values were drawn as is said: a table shows neither",
};

const CHANGES: Trusted = Trusted {
    what: "changes",
    why: "how many values were changed or are those of the original, and by how much: that compares with the original",
};

const LAW: Trusted = Trusted {
    what: "law",
    why: "that originals come from the domain, the range and the unit that the law was made for",
};

const TABLES: Trusted = Trusted {
    what: "tables",
    why: "that the counts are those of the input, and that what was changed was changed as is said",
};

const PAGES: Trusted =
    Trusted { what: "pages", why: "the report: nothing that makes pages was at hand to compare it with" };

fn of_pages(shown: &Shown, compared: bool) -> Vec<Trusted> {
    let mut told = Vec::new();
    if !compared {
        told.push(PAGES);
    }
    if !shown.attacks.is_empty() || !shown.not_made.is_empty() {
        told.push(ATTACKS);
    }
    if !shown.reproduce.is_empty() {
        told.push(COMMANDS);
    }
    told
}

/// Of a release of records.
pub(super) fn of_records(manifest: &Manifest, compared: bool) -> Vec<Trusted> {
    let mut told = vec![INPUT, ROLES, HIERARCHIES, HIDDEN, SEARCH, COST];
    if manifest.promises.iter().any(|promise| promise.evidence != crate::manifest::Evidence::default()) {
        told.push(EVIDENCE);
    }
    if manifest.randomness != "none" {
        told.push(RANDOMNESS);
    }
    told.extend(of_pages(&manifest.shown, compared));
    told
}

/// Of a release of counts.
pub(super) fn of_counts(manifest: &CountsManifest, compared: bool) -> Vec<Trusted> {
    let mut told = vec![INPUT, TABLES, ROLES, HIERARCHIES, HIDDEN];
    let mut promises = manifest.tables.iter().flat_map(|table| &table.promises);
    if promises.any(|promise| promise.evidence != crate::manifest::Evidence::default()) {
        told.push(EVIDENCE);
    }
    if manifest.tables.iter().any(is_drawn) {
        told.push(RANDOMNESS);
    }
    told.extend(of_pages(&manifest.shown, compared));
    told
}

/// Of a release whose values were changed by chance.
pub(super) fn of_perturbed(manifest: &PerturbedManifest, compared: bool) -> Vec<Trusted> {
    let mut told = vec![INPUT, ROLES, RANDOMNESS];
    told.push(if matches!(manifest.change, Change::Laws) { LAW } else { CHANGES });
    told.extend(of_pages(&manifest.shown, compared));
    told
}
