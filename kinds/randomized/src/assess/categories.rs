//! Columns of perturbed categories and sets as an adversary sees them who has a file of people: by the published law, each
//! person's value becomes the published one with a known probability (survey AT-17).

use std::path::Path;

use privet_attack::noise::PerturbedCategories;
use privet_attack::noise::categories::MISSING;
use privet_data::Column;
use privet_release::perturbed::{ModelColumn, Perturbation};

use crate::error::{JobError, RunError};
use crate::randomize::items::ReadyItems;
use crate::randomize::model::{Draw, ReadyCategories};

/// A published column beside its original; none where it has noise or is published as it was.
pub(super) fn perturbed(
    model: &ModelColumn,
    published: &Column,
    original: &Column,
    path: &Path,
) -> Result<Option<PerturbedCategories>, RunError> {
    let failed = |source| RunError::Perturb { column: model.name.clone(), source };
    let another = || {
        let problem =
            format!("has values in `{}` that its model does not know: it is another table", model.name);
        RunError::from(JobError::new(problem).at(path))
    };
    let name = model.name.as_str();
    Ok(match &model.perturbation {
        Some(Perturbation::Categories(own)) => {
            let law = ReadyCategories::new(own).map_err(failed)?;
            let codes = |column: &Column| -> Option<Vec<u32>> {
                let of = |code: u32| match column.domain.is_missing(code) {
                    true => Some(law.code_or_missing(column.domain.text(code)).unwrap_or(MISSING)),
                    false => law.code(column.domain.text(code)),
                };
                each(column, of)
            };
            let (published, original) =
                (codes(published).ok_or_else(another)?, codes(original).ok_or_else(another)?);
            Some(match &law.draw {
                Draw::Retention(law) => PerturbedCategories::retained(name, published, original, *law),
                Draw::Matrix(law) => PerturbedCategories::written(name, published, original, law),
            })
        }
        Some(Perturbation::Items(own)) => {
            let law = ReadyItems::new(own).map_err(failed)?;
            // Codes of the columns are the places of their sets; a missing cell is the empty set.
            let sets = |column: &Column| -> Option<Vec<Vec<u32>>> {
                let of = |code: u32| match column.domain.is_missing(code) {
                    true => Some(Vec::new()),
                    false => law.published(column.domain.text(code)),
                };
                (0..column.domain.len() as u32).map(of).collect()
            };
            let codes = (published.codes.clone(), original.codes.clone());
            let sets = (sets(published).ok_or_else(another)?, sets(original).ok_or_else(another)?);
            Some(PerturbedCategories::sets(name, codes, sets, &law.law, law.values.len()).map_err(failed)?)
        }
        _ => None,
    })
}

/// What codes of a column become, if each becomes something.
fn each(column: &Column, of: impl Fn(u32) -> Option<u32>) -> Option<Vec<u32>> {
    let of_code: Vec<Option<u32>> = (0..column.domain.len() as u32).map(of).collect();
    column.codes.iter().map(|&code| of_code.get(code as usize).copied().flatten()).collect()
}

/// Puts records in another order.
pub(super) fn reorder(column: &mut PerturbedCategories, order: &[u32]) {
    let chosen = |codes: &[u32]| {
        order.iter().map(|&record| codes.get(record as usize).copied().unwrap_or(MISSING)).collect()
    };
    (column.published, column.original) = (chosen(&column.published), chosen(&column.original));
}
