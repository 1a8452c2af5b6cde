//! Logistic regression (survey US-11): Newton's method, also known as iteratively reweighted least squares.
//!
//! Maximizes Σ (y η − ln(1 + e^η)) − (λ/2) Σ b², where the b are the coefficients of categories and of numbers
//! divided by their deviation; the intercept is free. The small ridge λ keeps coefficients finite where a class is
//! separated perfectly, which a plain maximum does not survive. With more than two classes each is learned against
//! all others, and the one with the highest η is told.
//!
//! # Guarantee
//! The objective is strictly concave and a step is halved until it does not fall, so nothing diverges; `converged`
//! tells whether the maximum was reached. Standard errors are from the inverse of the penalized information; a
//! coefficient that hardly anything but the ridge determines, as that of a constant, has none. The first class is told among equals. The same on any number of threads: sums are over fixed parts, added in order.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use rayon::prelude::*;

use super::LearnError;
use super::coefficient::{Coefficient, coefficients};
use super::design::{Design, Encoded, Reading, Scale};
use crate::classify::{Classifier, Training};

/// How logistic regression learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogisticOptions {
    /// The ridge λ; what is not above 0 counts as that of the default.
    pub ridge: f64,
    /// The most steps.
    pub steps: usize,
}

impl Default for LogisticOptions {
    fn default() -> Self {
        Self { ridge: 1e-3, steps: 50 }
    }
}

/// A coefficient is not determined by the records when the ridge gives more than this share of what is known of it.
const MOST_OF_RIDGE: f64 = 0.1;

/// What logistic regression found.
#[derive(Debug, Clone, PartialEq)]
pub struct LogisticRegression {
    columns: Vec<Encoded>,
    /// The classes that records have, ascending.
    classes: Vec<u32>,
    /// One for each class; with two classes one for the second.
    models: Vec<Binary>,
}

/// One class against the others.
#[derive(Debug, Clone, PartialEq)]
struct Binary {
    /// The intercept first; in moved and divided numbers.
    solved: Vec<f64>,
    coefficients: Vec<Coefficient>,
    converged: bool,
}

impl LogisticRegression {
    /// Learns from records that classifiers learn from, with one scale for each column.
    ///
    /// # Errors
    /// When scales do not fit the columns, or there would be too many features.
    pub fn train(
        training: &Training,
        scales: &[Scale],
        reading: Reading,
        options: LogisticOptions,
    ) -> Result<Self, LearnError> {
        let weighed = |design: Design| match training.weights() {
            [] => Ok(design),
            weights => design.weigh(weights),
        };
        let design = Design::new(training.columns(), scales, reading)?;
        if training.columns().is_empty() {
            // Without columns a design knows of no records; only how frequent classes are can be told.
            let everybody = privet_data::Coverage::identity(1);
            let codes = vec![0; training.rows()];
            let design = Design::from_coverage(&[(&codes, &everybody)], &[Scale::Categories], reading)?;
            let design = weighed(design)?;
            return Self::fit(&design, training.classes(), options);
        }
        Self::fit(&weighed(design)?, training.classes(), options)
    }

    /// Learns the classes of records.
    ///
    /// # Errors
    /// When there is not one class for each record.
    pub fn fit(design: &Design, classes: &[u32], options: LogisticOptions) -> Result<Self, LearnError> {
        if design.rows() != classes.len() {
            return Err(LearnError::Targets { records: design.rows(), targets: classes.len() });
        }
        let mut present = classes.to_vec();
        present.sort_unstable();
        present.dedup();
        let ridge = options.ridge;
        let ridge = if ridge > 0.0 && ridge.is_finite() { ridge } else { LogisticOptions::default().ridge };
        let told: &[u32] = match present.len() {
            0 | 1 => &[],
            2 => &present[1..],
            _ => &present,
        };
        let one = |class: &u32| {
            let mut own = vec![0.0; design.weights.len()];
            for (row, (&tuple, _)) in
                design.tuple_of.iter().zip(classes).enumerate().filter(|own| own.1.1 == class)
            {
                own[tuple as usize] += design.weight(row);
            }
            Problem { design, own, ridge }.solve(options.steps)
        };
        let models = told.par_iter().map(one).collect::<Result<_, _>>()?;
        Ok(Self { columns: design.columns.clone(), classes: present, models })
    }

    /// Whether all maxima were reached.
    pub fn converged(&self) -> bool {
        self.models.iter().all(|model| model.converged)
    }

    /// The classes that records have, ascending.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// The coefficients of a class against all others, in the units of the data, the intercept first. With two
    /// classes only the second has any; with one, none.
    pub fn coefficients(&self, class: u32) -> &[Coefficient] {
        let place = self.classes.binary_search(&class).ok();
        let place = if self.models.len() == 1 { place.and_then(|place| place.checked_sub(1)) } else { place };
        place.and_then(|place| self.models.get(place)).map_or(&[], |model| &model.coefficients)
    }

    fn score(&self, model: &Binary, record: &[Option<u32>]) -> f64 {
        let leaf = |place: usize| record.get(place).copied().flatten();
        let Some((intercept, others)) = model.solved.split_first() else { return 0.0 };
        let terms = self.columns.iter().enumerate().map(|(place, own)| own.dot(leaf(place), others));
        intercept + terms.sum::<f64>()
    }
}

impl Classifier for LogisticRegression {
    fn predict(&self, record: &[Option<u32>]) -> Option<u32> {
        if let ([first, second], [model]) = (&self.classes[..], &self.models[..]) {
            return Some(if self.score(model, record) > 0.0 { *second } else { *first });
        }
        let mut best = (*self.classes.first()?, f64::NEG_INFINITY);
        for (&class, model) in self.classes.iter().zip(&self.models) {
            let score = self.score(model, record);
            if score > best.1 {
                best = (class, score);
            }
        }
        Some(best.0)
    }
}

/// One class against the others: per tuple the records that have it.
struct Problem<'a> {
    design: &'a Design,
    own: Vec<f64>,
    ridge: f64,
}

/// Slope and curvature of the objective.
struct Local {
    gradient: DVector<f64>,
    information: DMatrix<f64>,
}

impl Problem<'_> {
    fn solve(&self, steps: usize) -> Result<Binary, LearnError> {
        let size = self.design.features + 1;
        let (own, all): (f64, f64) = (self.own.iter().sum(), self.design.weights.iter().sum());
        let mut solved = DVector::zeros(size);
        // Where the share of the class is right without any feature.
        solved[0] = ((own + 0.5) / (all - own + 0.5)).ln();
        let mut value = self.objective(&solved);
        let mut converged = false;
        let mut local = self.local(&solved);
        let mut factor = self.factor(&local.information)?;
        for _ in 0..steps {
            let step = factor.solve(&local.gradient);
            // Twice what the step promises to gain. Once that is little, this step is the last, and squares it away.
            let promised = local.gradient.dot(&step);
            converged = promised <= 1e-9 * (1.0 + value.abs());
            let mut share = 1.0;
            let next = loop {
                let next = &solved + &step * share;
                let reached = self.objective(&next);
                if reached >= value {
                    value = reached;
                    break Some(next);
                }
                share *= 0.5;
                if share < 1e-9 {
                    break None;
                }
            };
            // No step is better: rounding is all that is left.
            let Some(next) = next else { break };
            solved = next;
            local = self.local(&solved);
            factor = self.factor(&local.information)?;
            if converged {
                break;
            }
        }
        let variance = |sum: &[(usize, f64)]| {
            let mut own = DVector::zeros(size);
            sum.iter().for_each(|&(place, factor)| own[place] += factor);
            let spread = factor.solve(&own);
            let variance = own.dot(&spread);
            // What the ridge alone holds in place has a variance too, and says nothing of the records: of aᵀ C a, with C the
            // inverse of information and ridge, the part λ |C a|² comes from the ridge.
            let of_ridge = self.ridge * spread.iter().skip(1).map(|own| own * own).sum::<f64>();
            (variance.is_finite() && of_ridge <= MOST_OF_RIDGE * variance).then_some(variance)
        };
        let solved: Vec<f64> = solved.iter().copied().collect();
        let coefficients = coefficients(&self.design.columns, &solved, variance);
        Ok(Binary { solved, coefficients, converged })
    }

    fn factor(&self, information: &DMatrix<f64>) -> Result<Cholesky<f64, Dyn>, LearnError> {
        let mut added = 0.0;
        for _ in 0..12 {
            let mut own = information.clone();
            (0..own.nrows()).for_each(|place| own[(place, place)] += added);
            if let Some(factor) = Cholesky::new(own) {
                return Ok(factor);
            }
            // Rounding may take away what little the ridge adds; then a little more does.
            added = if added == 0.0 { 1e-10 * (1.0 + information.trace()) } else { added * 10.0 };
        }
        Err(LearnError::Decomposition)
    }

    /// Parts of the tuples that do not depend on the number of threads; few, for each has a matrix of its own.
    fn parts(&self) -> impl IndexedParallelIterator<Item = std::ops::Range<usize>> {
        let tuples = self.design.weights.len();
        let size = tuples.div_ceil(8).max(1024);
        (0..tuples.div_ceil(size))
            .into_par_iter()
            .map(move |part| part * size..((part + 1) * size).min(tuples))
    }

    fn eta(&self, row: &[(u32, f64)], solved: &DVector<f64>) -> f64 {
        row.iter().fold(solved[0], |sum, &(feature, value)| sum + solved[feature as usize + 1] * value)
    }

    fn objective(&self, solved: &DVector<f64>) -> f64 {
        let part = |tuples: std::ops::Range<usize>| {
            let mut row = Vec::new();
            let mut sum = 0.0;
            for tuple in tuples {
                self.design.read_tuple(tuple, &mut row);
                let eta = self.eta(&row, solved);
                // ln(1 + e^η) without overflow.
                let log = eta.max(0.0) + (-eta.abs()).exp().ln_1p();
                sum += self.own[tuple] * eta - self.design.weights[tuple] * log;
            }
            sum
        };
        let sums: Vec<f64> = self.parts().map(part).collect();
        let squares: f64 = solved.iter().skip(1).map(|b| b * b).sum();
        sums.iter().sum::<f64>() - 0.5 * self.ridge * squares
    }

    fn local(&self, solved: &DVector<f64>) -> Local {
        let size = self.design.features + 1;
        let part = |tuples: std::ops::Range<usize>| {
            let mut gradient = vec![0.0; size];
            let mut upper = vec![0.0; size * size];
            let mut row = Vec::new();
            for tuple in tuples {
                self.design.read_tuple(tuple, &mut row);
                let probability = 1.0 / (1.0 + (-self.eta(&row, solved)).exp());
                let weight = self.design.weights[tuple];
                let slope = self.own[tuple] - weight * probability;
                let curve = weight * probability * (1.0 - probability);
                gradient[0] += slope;
                upper[0] += curve;
                for (place, &(feature, value)) in row.iter().enumerate() {
                    let feature = feature as usize + 1;
                    gradient[feature] += slope * value;
                    upper[feature] += curve * value;
                    let times = curve * value;
                    let line = &mut upper[feature * size..(feature + 1) * size];
                    for &(other, value) in &row[place..] {
                        line[other as usize + 1] += times * value;
                    }
                }
            }
            (gradient, upper)
        };
        let parts: Vec<(Vec<f64>, Vec<f64>)> = self.parts().map(part).collect();
        let mut gradient = DVector::zeros(size);
        let mut information = DMatrix::zeros(size, size);
        for (slopes, upper) in &parts {
            for (sum, slope) in gradient.iter_mut().zip(slopes) {
                *sum += slope;
            }
            for row in 0..size {
                for column in row..size {
                    information[(column, row)] += upper[row * size + column];
                }
            }
        }
        for row in 0..size {
            for column in row + 1..size {
                information[(row, column)] = information[(column, row)];
            }
        }
        for place in 1..size {
            gradient[place] -= self.ridge * solved[place];
            information[(place, place)] += self.ridge;
        }
        Local { gradient, information }
    }
}
