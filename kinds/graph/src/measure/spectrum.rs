//! The largest eigenvalues of the adjacency matrix, by Lanczos' method with full reorthogonalization. Directions are left out.

use privet_data::{Progress, Random};
use rayon::prelude::*;

use crate::{Graph, GraphError};

/// The `count` largest eigenvalues, falling; fewer where the graph is smaller. Eigenvalues that occur several times are
/// listed once.
///
/// # Errors
/// When the person asked to stop.
pub fn spectrum(graph: &Graph, count: usize, progress: &dyn Progress) -> Result<Vec<f64>, GraphError> {
    let flat = graph.is_directed().then(|| graph.without_directions());
    let graph = flat.as_ref().unwrap_or(graph);
    let nodes = graph.nodes();
    let steps = (4 * count + 40).min(nodes);
    let mut random = Random::stream(1, 32);
    let mut vector: Vec<f64> = (0..nodes).map(|_| random.unit() - 0.5).collect();
    normalize(&mut vector);
    let (mut basis, mut diagonal, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..steps {
        progress.check()?;
        let mut next: Vec<f64> = (0..nodes as u32)
            .into_par_iter()
            .with_min_len(1024)
            .map(|node| graph.neighbours(node).iter().map(|&other| vector[other as usize]).sum())
            .collect();
        diagonal.push(dot(&next, &vector));
        basis.push(std::mem::take(&mut vector));
        // Twice is enough.
        for _ in 0..2 {
            for earlier in &basis {
                let part = dot(&next, earlier);
                next.iter_mut().zip(earlier).for_each(|(own, other)| *own -= part * other);
            }
        }
        let length = normalize(&mut next);
        if length < 1e-9 {
            break;
        }
        beside.push(length);
        vector = next;
    }
    let mut values = tridiagonal(&diagonal, &beside);
    values.truncate(count);
    Ok(values)
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn normalize(vector: &mut [f64]) -> f64 {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|own| *own /= length);
    }
    length
}

/// The eigenvalues of a symmetric tridiagonal matrix, falling, by bisection on the number of those below (Sturm).
fn tridiagonal(diagonal: &[f64], beside: &[f64]) -> Vec<f64> {
    let below = |at: f64| {
        let (mut count, mut pivot) = (0, 1.0f64);
        for (place, &own) in diagonal.iter().enumerate() {
            let square = if place == 0 { 0.0 } else { beside[place - 1] * beside[place - 1] };
            pivot = own - at - square / pivot;
            if pivot.abs() < 1e-300 {
                pivot = -1e-300;
            }
            count += usize::from(pivot < 0.0);
        }
        count
    };
    let widest = beside.iter().chain(diagonal).fold(1.0f64, |most, own| most.max(own.abs()));
    let size = diagonal.len();
    let value = |number: usize| {
        let (mut low, mut high) = (-3.0 * widest, 3.0 * widest);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            // The number-th largest is below the middle when at least size - number are.
            if below(middle) >= size - number { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    };
    (0..size).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    /// Known spectra: a clique of n has n-1 and -1; a path of n has 2·cos(πj/(n+1)).
    #[test]
    fn spectra_of_cliques_and_paths() {
        let clique: Vec<(u32, u32)> = (0..12u32).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        let found = spectrum(&Graph::undirected(12, &clique).unwrap().0, 3, &Silent).unwrap();
        assert!((found[0] - 11.0).abs() < 1e-6 && (found[1] + 1.0).abs() < 1e-6, "{found:?}");
        let path: Vec<(u32, u32)> = (0..19).map(|node| (node, node + 1)).collect();
        let found = spectrum(&Graph::undirected(20, &path).unwrap().0, 5, &Silent).unwrap();
        for (place, own) in found.iter().enumerate() {
            let expected = 2.0 * (std::f64::consts::PI * (place + 1) as f64 / 21.0).cos();
            assert!((own - expected).abs() < 1e-6, "{own} {expected}");
        }
        assert!(spectrum(&Graph::undirected(0, &[]).unwrap().0, 3, &Silent).unwrap().is_empty());
    }
}
