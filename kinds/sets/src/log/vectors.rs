//! Queries as vectors: words weighted by how rare they are, and their latent semantic index (survey AP-13).
//!
//! The index is the best approximation of few dimensions of the matrix of queries and words, by orthogonal iteration. It is
//! deterministic: where it starts is seeded.

use foldhash::HashMap;
use privet_data::{Cancelled, Progress, Random};

use super::tokens_of;

/// Vectors of equal dimension, each of length 1 or 0.
#[derive(Debug, Clone)]
pub struct Vectors {
    dimensions: usize,
    values: Vec<f64>,
    words: HashMap<Box<str>, u32>,
    weights: Vec<f64>,
    /// Per word its direction.
    basis: Vec<f64>,
}

/// Sparse rows: per text its words and their weights.
fn weighted(texts: &[Box<str>], words: &HashMap<Box<str>, u32>, weights: &[f64]) -> Vec<Vec<(u32, f64)>> {
    let row = |text: &str| {
        let mut row: Vec<(u32, f64)> = Vec::new();
        for word in tokens_of(text).filter_map(|word| words.get(word).copied()) {
            match row.iter_mut().find(|own| own.0 == word) {
                Some(own) => own.1 += weights[word as usize],
                None => row.push((word, weights[word as usize])),
            }
        }
        row
    };
    texts.iter().map(|text| row(text)).collect()
}

impl Vectors {
    /// The index of texts in so many dimensions; fewer where there are fewer words. Takes time in proportion to words times
    /// dimensions.
    ///
    /// # Errors
    /// When the person asked to stop.
    pub fn index(texts: &[Box<str>], dimensions: usize, progress: &dyn Progress) -> Result<Self, Cancelled> {
        let mut words: HashMap<Box<str>, u32> = HashMap::default();
        let mut frequency: Vec<f64> = Vec::new();
        for text in texts {
            let mut own: Vec<&str> = tokens_of(text).collect();
            own.sort_unstable();
            own.dedup();
            for word in own {
                let next = words.len() as u32;
                let number = *words.entry(word.into()).or_insert(next);
                if number as usize == frequency.len() {
                    frequency.push(0.0);
                }
                frequency[number as usize] += 1.0;
            }
        }
        let weights: Vec<f64> = frequency.iter().map(|own| (1.0 + texts.len() as f64 / own).ln()).collect();
        let rows = weighted(texts, &words, &weights);
        let dimensions = dimensions.clamp(1, words.len().max(1));
        let mut random = Random::new(0x5e75);
        let mut basis: Vec<f64> = (0..words.len() * dimensions).map(|_| random.unit() - 0.5).collect();
        orthonormalize(&mut basis, dimensions);
        for _ in 0..12 {
            progress.check()?;
            let projected = project(&rows, &basis, dimensions);
            let mut next = vec![0.0; basis.len()];
            for (row, own) in rows.iter().zip(projected.chunks(dimensions)) {
                for &(word, weight) in row {
                    let target = &mut next[word as usize * dimensions..][..dimensions];
                    target.iter_mut().zip(own).for_each(|(sum, value)| *sum += weight * value);
                }
            }
            basis = next;
            orthonormalize(&mut basis, dimensions);
        }
        let mut values = project(&rows, &basis, dimensions);
        values.chunks_mut(dimensions).for_each(normalize);
        Ok(Self { dimensions, values, words, weights, basis })
    }

    /// The cosine of two texts of the index.
    pub fn similarity(&self, a: usize, b: usize) -> f64 {
        dot(self.vector(a), self.vector(b))
    }

    fn vector(&self, text: usize) -> &[f64] {
        &self.values[text * self.dimensions..][..self.dimensions]
    }

    /// The text of the index that a new text is nearest to, and the cosine; `None` when they have no word in common.
    pub fn nearest(&self, text: &str) -> Option<(usize, f64)> {
        let row = weighted(&[text.to_lowercase().into()], &self.words, &self.weights);
        let mut own = project(&row, &self.basis, self.dimensions);
        normalize(&mut own);
        if own.iter().all(|value| *value == 0.0) {
            return None;
        }
        let scores = self.values.chunks(self.dimensions).map(|other| dot(&own, other)).enumerate();
        scores.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }
}

fn project(rows: &[Vec<(u32, f64)>], basis: &[f64], dimensions: usize) -> Vec<f64> {
    let mut projected = vec![0.0; rows.len() * dimensions];
    for (row, own) in rows.iter().zip(projected.chunks_mut(dimensions)) {
        for &(word, weight) in row {
            let direction = &basis[word as usize * dimensions..][..dimensions];
            own.iter_mut().zip(direction).for_each(|(sum, value)| *sum += weight * value);
        }
    }
    projected
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn normalize(vector: &mut [f64]) {
    let length = dot(vector, vector).sqrt();
    if length > 1e-12 {
        vector.iter_mut().for_each(|value| *value /= length);
    } else {
        vector.fill(0.0);
    }
}

/// Columns made orthogonal and of length 1 (modified Gram-Schmidt), of a matrix that is kept row by row.
fn orthonormalize(matrix: &mut [f64], columns: usize) {
    for column in 0..columns {
        for before in 0..column {
            let overlap: f64 = matrix.chunks(columns).map(|row| row[column] * row[before]).sum();
            matrix.chunks_mut(columns).for_each(|row| row[column] -= overlap * row[before]);
        }
        let length = matrix.chunks(columns).map(|row| row[column] * row[column]).sum::<f64>().sqrt();
        let scale = if length > 1e-9 { 1.0 / length } else { 0.0 };
        matrix.chunks_mut(columns).for_each(|row| row[column] *= scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;

    #[test]
    fn what_shares_words_is_near() {
        let texts: Vec<Box<str>> = [
            "cheap flights",
            "cheap flights rome",
            "flights rome",
            "apple pie",
            "apple pie recipe",
            "pie recipe",
        ]
        .map(Box::from)
        .to_vec();
        let index = Vectors::index(&texts, 2, &Silent).unwrap();
        assert!(index.similarity(0, 2) > 0.9, "{}", index.similarity(0, 2)); // through their company only
        assert!(index.similarity(0, 3).abs() < 0.1);
        assert!((index.similarity(1, 1) - 1.0).abs() < 1e-9);
        assert!(matches!(index.nearest("Recipe for apple"), Some((3..=5, near)) if near > 0.9));
        assert!(index.nearest("zebra").is_none());
        assert!(Vectors::index(&[], 3, &Silent).unwrap().nearest("x").is_none());
    }
}
