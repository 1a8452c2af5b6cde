//! Good candidates without proof: a first one from the top or from the bottom, better ones nearby, and others after
//! a random step away from the best.

use privet_measure::Objective;

use super::scout::{End, Safe, Scout};
use privet_data::Random;

/// Goes down from the top, each time in the column that saves most, as long as the candidate stays safe.
pub fn descend<const W: usize>(scout: &mut Scout<'_, W>) -> Result<Option<Safe>, End> {
    let mut levels = scout.engine.top();
    let top = scout.judge(&levels)?;
    let mut value = top.value;
    let mut closed = vec![false; levels.len()];
    // Most of the way lies in the upper half of the lattice, which a snapshot of its floor serves.
    let middle: Vec<usize> = levels.iter().map(|height| height / 2).collect();
    scout.prepare(&middle);
    loop {
        let saving = |column: usize| match scout.engine.objective {
            Objective::Additive(additive) => {
                additive.total(column, levels[column]) - additive.total(column, levels[column] - 1)
            }
            // Many more classes for one level: the larger domain splits them more.
            Objective::Grouped(_) => scout.engine.prepared.columns[column].size(levels[column] - 1) as f64,
        };
        let next = (0..levels.len())
            .filter(|&column| levels[column] > 0 && !closed[column])
            .max_by(|&a, &b| saving(a).total_cmp(&saving(b)));
        let Some(column) = next else { return Ok(top.safe.then_some(Safe { levels, value })) };
        levels[column] -= 1;
        let judgement = scout.judge(&levels)?;
        if judgement.safe {
            value = judgement.value;
        } else {
            levels[column] += 1;
            closed[column] = true;
        }
    }
}

/// Goes up from the bottom, each time in the column that joins most values for what it costs, up to a candidate
/// that is safe. Where on this way it is, is found by halving.
pub fn ascend<const W: usize>(scout: &mut Scout<'_, W>) -> Result<Option<Safe>, End> {
    let top = scout.engine.top();
    let mut levels = vec![0; top.len()];
    let joins = |column: usize, level: usize| {
        let size = |level: usize| scout.engine.prepared.columns[column].size(level).max(1) as f64;
        let joined = (size(level) / size(level + 1)).ln();
        match scout.engine.objective {
            Objective::Additive(additive) => {
                let cost = additive.total(column, level + 1) - additive.total(column, level);
                // What costs nothing comes first.
                if cost > 0.0 { joined / cost } else { f64::INFINITY }
            }
            Objective::Grouped(_) => -size(level + 1),
        }
    };
    let mut way: Vec<usize> = Vec::new();
    loop {
        let next = (0..top.len())
            .filter(|&column| levels[column] < top[column])
            .max_by(|&a, &b| joins(a, levels[a]).total_cmp(&joins(b, levels[b])));
        let Some(column) = next else { break };
        levels[column] += 1;
        way.push(column);
    }
    let after = |steps: usize| {
        let mut levels = vec![0; top.len()];
        way[..steps].iter().for_each(|&column| levels[column] += 1);
        levels
    };
    let (mut from, mut to) = (0, way.len());
    while from < to {
        let middle = usize::midpoint(from, to);
        if scout.judge(&after(middle))?.safe {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    let levels = after(to);
    let judgement = scout.judge(&levels)?;
    Ok(judgement.safe.then_some(Safe { levels, value: judgement.value }))
}

/// Moves to the best neighbour as long as it is better: one level up or down in one column, then up in one and down
/// in another.
pub fn improve<const W: usize>(scout: &mut Scout<'_, W>, mut here: Safe) -> Result<Safe, End> {
    loop {
        if let Some(better) = best_of(scout, single_moves(scout, &here.levels), &here)? {
            here = better;
        } else if let Some(better) = best_of(scout, pair_moves(scout, &here.levels), &here)? {
            here = better;
        } else {
            return Ok(here);
        }
    }
}

/// Steps at random into another part of the lattice, climbs until it is safe again, and improves.
pub fn kick<const W: usize>(
    scout: &mut Scout<'_, W>,
    from: &Safe,
    random: &mut Random,
) -> Result<Option<Safe>, End> {
    let top = scout.engine.top();
    let mut levels = from.levels.clone();
    if levels.is_empty() {
        return Ok(None);
    }
    for _ in 0..2 + random.below(3) {
        let column = random.below(levels.len());
        levels[column] = if random.chance(0.5) {
            levels[column].saturating_sub(1 + random.below(2))
        } else {
            top[column].min(levels[column] + 1 + random.below(2))
        };
    }
    loop {
        let judgement = scout.judge(&levels)?;
        if judgement.safe {
            return improve(scout, Safe { levels, value: judgement.value }).map(Some);
        }
        let open: Vec<usize> = (0..top.len()).filter(|&column| levels[column] < top[column]).collect();
        // A top that is not safe: nothing to climb to.
        let Some(&column) = open.get(random.below(open.len())) else { return Ok(None) };
        levels[column] += 1;
    }
}

/// Neighbours that are judged before a better one among them is taken.
const STEP: usize = 16;

/// The best of some neighbours when it is better than where we are. A candidate costs at least its floor, so those
/// with a greater floor than the best need not be looked at.
fn best_of<const W: usize>(
    scout: &mut Scout<'_, W>,
    candidates: Vec<Vec<usize>>,
    here: &Safe,
) -> Result<Option<Safe>, End> {
    let mut by_floor: Vec<(f64, Vec<usize>)> =
        candidates.into_iter().map(|levels| (scout.engine.floor(&levels), levels)).collect();
    by_floor.sort_by(|a, b| a.0.total_cmp(&b.0));
    let finest: Vec<usize> = here.levels.iter().map(|level| level.saturating_sub(1)).collect();
    let mut best: Option<Safe> = None;
    for step in by_floor.chunks(STEP) {
        let least = best.as_ref().map_or(here.value, |best| best.value);
        let worth: Vec<Vec<usize>> =
            step.iter().filter(|(floor, _)| *floor < least).map(|(_, levels)| levels.clone()).collect();
        if worth.is_empty() {
            break;
        }
        let judged = scout.judge_above(&finest, &worth)?;
        for (levels, judgement) in worth.into_iter().zip(judged) {
            let least = best.as_ref().map_or(here.value, |best| best.value);
            if judgement.safe && judgement.value < least {
                best = Some(Safe { levels, value: judgement.value });
            }
        }
    }
    Ok(best)
}

fn single_moves<const W: usize>(scout: &Scout<'_, W>, levels: &[usize]) -> Vec<Vec<usize>> {
    let top = scout.engine.top();
    let mut moves = Vec::new();
    for column in 0..levels.len() {
        let mut to = |level: usize| {
            let mut moved = levels.to_vec();
            moved[column] = level;
            moves.push(moved);
        };
        if levels[column] > 0 {
            to(levels[column] - 1);
        }
        if levels[column] < top[column] {
            to(levels[column] + 1);
        }
    }
    moves
}

fn pair_moves<const W: usize>(scout: &Scout<'_, W>, levels: &[usize]) -> Vec<Vec<usize>> {
    let top = scout.engine.top();
    let mut moves = Vec::new();
    for down in (0..levels.len()).filter(|&column| levels[column] > 0) {
        for up in (0..levels.len()).filter(|&column| column != down && levels[column] < top[column]) {
            let mut moved = levels.to_vec();
            moved[down] -= 1;
            moved[up] += 1;
            moves.push(moved);
        }
    }
    moves
}
