//! Reconstruction of histories from sketches whose sequences are known (survey AP-14, L1930).
//!
//! With the signs, a sketch is m linear equations in the counts of a person. Histories are sparse, so few equations suffice: terms are
//! chosen one by one that explain most of what is left (orthogonal matching pursuit), and counts are rounded. The control does the
//! same with other signs: what it finds is chance. The source solves a linear program; this finds the same sparse solutions faster.

use serde::Serialize;

use super::Score;
use crate::log::sketch::{History, Signs};

/// What reconstruction reaches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reconstruction {
    /// People whose whole history was found.
    pub people: Score,
    /// Their pairs of term and count: of how many, how many were claimed and how many right.
    pub entries: Score,
}

/// Reconstructs histories from their sketches. `truth` is for scoring alone; histories hold whole counts.
pub fn reconstruct(
    sketches: &[Vec<f64>],
    signs: &Signs,
    terms: u32,
    truth: &[History],
    seed: u64,
) -> Reconstruction {
    let other = Signs::seeded(signs.len(), seed ^ 0x5eed);
    let mut found = Reconstruction { people: Score::default(), entries: Score::default() };
    for (sketch, truth) in sketches.iter().zip(truth) {
        let score = |signs: &Signs| {
            let guess = solve(sketch, &|row, term| signs.sign(row, term), terms);
            let right = guess.iter().filter(|entry| truth.contains(entry)).count() as u64;
            (guess.len() as u64, right, u64::from(&guess == truth))
        };
        let ((claimed, right, whole), (_, chance, chance_whole)) = (score(signs), score(&other));
        found.people.of += 1;
        found.people.sure += 1;
        found.people.right += whole;
        found.people.control += chance_whole;
        found.people.control_of += 1;
        found.entries.of += truth.len() as u64;
        found.entries.sure += claimed;
        found.entries.right += right;
        found.entries.control += chance;
        found.entries.control_of += truth.len() as u64;
    }
    found
}

/// The sparse history of whole counts that explains a sketch; `sign` tells the sign of a term in a component.
pub fn solve(sketch: &[f64], sign: &dyn Fn(usize, u32) -> f64, terms: u32) -> History {
    let components = sketch.len();
    let mut chosen: Vec<u32> = Vec::new();
    let mut counts: Vec<f64> = Vec::new();
    let mut left = sketch.to_vec();
    let energy = |own: &[f64]| own.iter().map(|value| value * value).sum::<f64>();
    let start = energy(&left);
    while chosen.len() < components / 2 && energy(&left) > 1e-6 * start.max(1e-12) {
        let score = |term: u32| left.iter().enumerate().map(|(row, own)| own * sign(row, term)).sum::<f64>();
        let open = (0..terms).filter(|term| !chosen.contains(term));
        let best =
            open.map(|term| (score(term), term)).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((_, best)) = best else { break };
        chosen.push(best);
        let Some(solution) = least_squares(sketch, sign, &chosen) else {
            chosen.pop();
            break;
        };
        counts = solution;
        left = (0..components)
            .map(|row| {
                sketch[row]
                    - chosen.iter().zip(&counts).map(|(&term, own)| own * sign(row, term)).sum::<f64>()
            })
            .collect();
    }
    let mut history: History = chosen.into_iter().zip(counts.iter().map(|own| own.round())).collect();
    history.retain(|entry| entry.1 >= 1.0);
    history.sort_by_key(|entry| entry.0);
    history
}

/// Least squares by the normal equations, small and well conditioned; `None` where they are singular.
fn least_squares(sketch: &[f64], sign: &dyn Fn(usize, u32) -> f64, chosen: &[u32]) -> Option<Vec<f64>> {
    let n = chosen.len();
    let columns: Vec<Vec<f64>> =
        chosen.iter().map(|&term| (0..sketch.len()).map(|row| sign(row, term)).collect()).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut matrix: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| dot(&columns[i], &columns[j])).chain([dot(&columns[i], sketch)]).collect())
        .collect();
    for pivot in 0..n {
        let best = (pivot..n).max_by(|&a, &b| matrix[a][pivot].abs().total_cmp(&matrix[b][pivot].abs()))?;
        matrix.swap(pivot, best);
        if matrix[pivot][pivot].abs() < 1e-9 {
            return None;
        }
        for row in 0..n {
            if row != pivot {
                let factor = matrix[row][pivot] / matrix[pivot][pivot];
                let lead = matrix[pivot].clone();
                matrix[row].iter_mut().zip(&lead).for_each(|(own, other)| *own -= factor * other);
            }
        }
    }
    Some((0..n).map(|row| matrix[row][n] / matrix[row][row]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Random;

    #[test]
    fn published_sequences_give_histories_away() {
        let mut random = Random::new(3);
        let histories: Vec<History> = (0..30)
            .map(|_| {
                let mut terms: Vec<u32> = (0..200).collect();
                random.shuffle(&mut terms);
                let mut own: History =
                    terms[..6].iter().map(|&term| (term, 1.0 + random.below(4) as f64)).collect();
                own.sort_by_key(|entry| entry.0);
                own
            })
            .collect();
        let signs = Signs::seeded(60, 8);
        let sketches: Vec<Vec<f64>> = histories.iter().map(|own| signs.sketch(own, 60)).collect();
        let found = reconstruct(&sketches, &signs, 200, &histories, 1);
        assert!(found.people.right >= 27, "{found:?}");
        assert_eq!(found.people.control, 0);
        assert!(found.entries.control * 5 < found.entries.right);
        // Few components protect: fewer equations than entries.
        let short: Vec<Vec<f64>> = histories.iter().map(|own| signs.sketch(own, 5)).collect();
        assert!(reconstruct(&short, &signs, 200, &histories, 1).people.right <= 3);
    }
}
