//! What every release that a job makes has in common: its pages, and what its promises rest on.

use privet_criteria::{DistanceKind, Requirement};
use privet_data::Column;
use privet_release::Draft;
use privet_release::manifest::Evidence;
use privet_report::PageError;

use crate::error::RunError;
use crate::load::Loaded;

/// Adds a report to what will be put in place.
pub fn write_report(draft: &Draft, name: &str, bytes: &[u8]) -> Result<(), RunError> {
    let mut file = draft.create(name)?;
    std::io::Write::write_all(&mut file, bytes)
        .map_err(|source| privet_release::FolderError::Io { path: draft.path().join(name), source })?;
    file.finish()?;
    Ok(())
}

/// Adds the pages of a release.
pub fn write_pages(draft: &Draft, pages: Result<Vec<(String, Vec<u8>)>, PageError>) -> Result<(), RunError> {
    for (name, bytes) in pages.map_err(RunError::Pages)? {
        write_report(draft, &name, &bytes)?;
    }
    Ok(())
}

/// Paths in a published manifest are file names: where a file lies at home is nobody's business.
pub fn without_folders(requirement: &Requirement) -> Requirement {
    let mut requirement = requirement.clone();
    match &mut requirement {
        Requirement::TCloseness { hierarchy: Some(path), .. }
        | Requirement::DeltaPresence { population: path, .. }
        | Requirement::KMap { population: path, .. } => {
            *path = path.file_name().unwrap_or_default().into();
        }
        _ => {}
    }
    requirement
}

/// What a promise about a sensitive column rests on; `is_published` tells which of its values are.
pub fn evidence_of_values(
    loaded: &Loaded,
    requirement: &Requirement,
    is_published: impl FnOnce(&Column) -> Vec<bool>,
) -> Evidence {
    let mut evidence = Evidence::default();
    let Some(sensitive) = loaded
        .sensitive
        .iter()
        .find(|s| Some(loaded.input.table.columns[s.position].name.as_str()) == requirement.column())
    else {
        return evidence;
    };
    let column = &loaded.input.table.columns[sensitive.position];
    let is_published = is_published(column);
    let published = || {
        (0..column.domain.len() as u32)
            .filter(|&code| is_published[code as usize])
            .map(|code| (code, column.domain.text(code).to_owned()))
    };
    match requirement {
        Requirement::TCloseness { kind: DistanceKind::Ordered, order, .. } => {
            // An order names every value of the input, and may name others, which have no rank.
            let mut rank: Vec<u64> = (0..column.domain.len() as u64).collect();
            let named = order.iter().filter_map(|text| column.domain.code_of(text));
            named.zip(0..).for_each(|(code, place)| rank[code as usize] = place);
            evidence.domain_size = Some(column.domain.len() as u64);
            evidence.ranks = Some(published().map(|(code, text)| (text, rank[code as usize])).collect());
        }
        Requirement::TCloseness { kind: DistanceKind::Hierarchical, .. } => {
            if let Some(generalization) =
                sensitive.hierarchy.as_ref().and_then(|h| h.bind(&column.domain).ok())
            {
                // The value itself, and not the one marker that stands for all of them in the hierarchy.
                let chain = |code: u32| {
                    let above = generalization.levels.iter().skip(1);
                    let labels = above.map(|l| &l.labels[l.node_of_code[code as usize] as usize]);
                    let value = std::iter::once(column.domain.text(code));
                    value.chain(labels.map(|label| &**label)).map(str::to_owned).collect()
                };
                evidence.ancestors = Some(published().map(|(code, text)| (text, chain(code))).collect());
            }
        }
        Requirement::DeltaDisclosure { .. } => evidence.domain_size = Some(column.domain.len() as u64),
        Requirement::ProximityDiversity { .. } => {
            evidence.missing =
                published().filter(|(code, _)| column.domain.is_missing(*code)).map(|(_, t)| t).collect();
        }
        _ => {}
    }
    evidence
}
