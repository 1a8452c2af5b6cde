//! Taking back splits that do not help prediction. Pruning merges spans, and criteria that a union of satisfying groups satisfies keep
//! holding; [`super::grow`] judges the pruned release once more all the same.

use std::sync::Arc;

use super::{Node, TreeModel, TreeRelease};
use crate::{Examples, MineError};

/// What is cut off after growing.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Pruning {
    /// Nothing.
    #[default]
    None,
    /// Subtrees whose estimated errors are no fewer than those of a leaf. The estimate is the upper end of Wilson's interval, z standard
    /// deviations wide; C4.5's usual confidence of 0.25 is z = 0.6745.
    Pessimistic {
        /// The width.
        z: f64,
    },
    /// Subtrees that make no fewer errors than a leaf on records that were not learned from. They are not published and not
    /// protected by the spans: choose them from elsewhere, or count them as people of the model.
    Holdout(Arc<Examples>),
}

/// The pruned model and how many splits it lost.
pub(super) fn pruned(
    model: &TreeModel,
    examples: &Examples,
    pruning: &Pruning,
) -> Result<(TreeModel, usize), MineError> {
    let trained = TreeRelease::of(model, examples, &[])?;
    let counts = trained.node_counts();
    let errors: Vec<f64> = match pruning {
        Pruning::None => return Ok((model.clone(), 0)),
        &Pruning::Pessimistic { z } => {
            if !(z >= 0.0 && z.is_finite()) {
                return Err(MineError::Parameter { name: "z", value: z, accepted: "a number of at least 0" });
            }
            counts.iter().map(|own| estimated_errors(own, z)).collect()
        }
        Pruning::Holdout(held) => {
            let predictor = trained.predictor();
            let held = TreeRelease::of(model, held, &[])?.node_counts();
            let wrong = |(node, own): (usize, &Vec<u64>)| {
                let predicted = predictor.at(node as u32) as usize;
                (own.iter().sum::<u64>() - own[predicted]) as f64
            };
            held.iter().enumerate().map(wrong).collect()
        }
    };
    let mut of_subtree = errors.clone();
    let mut is_cut = vec![false; model.nodes.len()];
    for place in (0..model.nodes.len()).rev() {
        let node = &model.nodes[place];
        if node.test.is_none() {
            continue;
        }
        let below: f64 = node.children.iter().flatten().map(|&child| of_subtree[child as usize]).sum();
        is_cut[place] = errors[place] <= below + 1e-9;
        of_subtree[place] = below.min(errors[place]);
    }
    let cut = is_cut.iter().filter(|&&own| own).count();
    Ok((compacted(model, &is_cut), cut))
}

/// The upper end of Wilson's interval for the share of records that are not of the majority, times their number.
fn estimated_errors(counts: &[u64], z: f64) -> f64 {
    let records = counts.iter().sum::<u64>() as f64;
    if records == 0.0 {
        return 0.0;
    }
    let share = 1.0 - counts.iter().copied().max().unwrap_or(0) as f64 / records;
    let middle = share + z * z / (2.0 * records);
    let half = z * (share * (1.0 - share) / records + z * z / (4.0 * records * records)).sqrt();
    records * (middle + half) / (1.0 + z * z / records)
}

/// The model with the marked nodes as leaves and what hung below them gone.
fn compacted(model: &TreeModel, is_cut: &[bool]) -> TreeModel {
    let mut is_kept = vec![false; model.nodes.len()];
    for &root in &model.roots {
        is_kept[root as usize] = true;
    }
    for (place, node) in model.nodes.iter().enumerate() {
        if is_kept[place] && !is_cut[place] {
            for &child in node.children.iter().flatten() {
                is_kept[child as usize] = true;
            }
        }
    }
    let mut new = vec![0u32; model.nodes.len()];
    let mut next = 0;
    for (place, &kept) in is_kept.iter().enumerate() {
        new[place] = next;
        next += u32::from(kept);
    }
    let renumbered = |node: &Node, cut: bool| match cut {
        true => Node::default(),
        false => {
            let children = node.children.iter().map(|child| child.map(|own| new[own as usize])).collect();
            Node { test: node.test, children }
        }
    };
    let places = 0..model.nodes.len();
    let nodes =
        places.filter(|&own| is_kept[own]).map(|own| renumbered(&model.nodes[own], is_cut[own])).collect();
    let roots = model.roots.iter().map(|&root| new[root as usize]).collect();
    TreeModel { schema: model.schema.clone(), roots, nodes }
}
