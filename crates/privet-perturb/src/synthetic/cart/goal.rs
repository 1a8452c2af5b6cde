//! What makes a split good: the squares of numbers (least squares) or of class counts (Gini impurity), kept up to date
//! while rows move from one side to the other.
//!
//! # Guarantee
//! Sums of numbers are measured from the mean of the node, in units of the largest distance from the mean of the column,
//! so that neither large numbers nor outliers drown the rest. A node costs as much as it has rows and classes, however
//! many classes there are elsewhere.

/// What the leaves of a tree should agree on. Rows are moved, one by one, from the second side of a split to the first.
pub(super) trait Goal {
    /// Puts all rows of a node on the second side. Tells what a split must be worth more than, so that it is no work of
    /// rounding; `None` when the rows do not differ.
    fn begin(&mut self, rows: &[u32]) -> Option<f64>;
    /// Puts them there again.
    fn again(&mut self);
    /// Moves a row.
    fn take(&mut self, row: u32);
    /// What the split is worth: the larger, the less its sides vary within.
    fn worth(&self) -> f64;
    /// What categories are ordered by the mean of.
    fn score(&self, row: u32) -> f64;
}

/// Numbers, least squares.
pub(super) struct Numbers {
    /// Per record, between −1 and 1.
    scaled: Vec<f64>,
    /// The mean of the node: sums are measured from it, so that a node of nearly equal values is still told apart.
    mean: f64,
    /// The rows and the sum of a side; the sum over both sides is 0.
    rows: f64,
    first: (f64, f64),
}

impl Numbers {
    pub(super) fn new(values: &[f64], rows: &[u32]) -> Self {
        let of = |row: &u32| values[*row as usize];
        let mean = rows.iter().map(|row| of(row) / rows.len() as f64).sum::<f64>();
        let most = rows.iter().map(|row| (of(row) - mean).abs()).fold(0.0, f64::max);
        // Sums of squares of large numbers would lose what small ones tell, or overflow.
        // What is smaller than any column measures is no difference.
        let scale = if most > 1e-300 { 1.0 / most } else { 0.0 };
        let scaled = values.iter().map(|value| (value - mean) * scale).collect();
        Self { scaled, mean: 0.0, rows: 0.0, first: (0.0, 0.0) }
    }
}

impl Goal for Numbers {
    fn begin(&mut self, rows: &[u32]) -> Option<f64> {
        let one = rows.first().map_or(0.0, |&row| self.scaled[row as usize]);
        let (mut sum, mut differ) = (0.0, false);
        for &row in rows {
            let value = self.scaled[row as usize];
            sum += value - one;
            differ |= value != one;
        }
        self.rows = rows.len() as f64;
        self.mean = one + sum / self.rows;
        self.first = (0.0, 0.0);
        let squares: f64 = rows.iter().map(|&row| (self.scaled[row as usize] - self.mean).powi(2)).sum();
        differ.then_some(1e-10 * squares)
    }

    fn again(&mut self) {
        self.first = (0.0, 0.0);
    }

    fn take(&mut self, row: u32) {
        self.first.0 += 1.0;
        self.first.1 += self.scaled[row as usize] - self.mean;
    }

    fn worth(&self) -> f64 {
        // The sum of the second side is that of the first with the other sign.
        self.first.1 * self.first.1 * (1.0 / self.first.0 + 1.0 / (self.rows - self.first.0))
    }

    fn score(&self, row: u32) -> f64 {
        self.scaled[row as usize]
    }
}

/// Classes, Gini impurity.
pub(super) struct Classes<'a> {
    codes: &'a [u32],
    /// Per class the rows of each side.
    first: Vec<f64>,
    second: Vec<f64>,
    /// Per side the rows and the sum of squared class counts.
    sides: [(f64, f64); 2],
    /// The classes of the node and their rows: only these are cleared, for there may be far more classes than rows.
    present: Vec<(u32, f64)>,
    whole: (f64, f64),
    lead: u32,
}

impl<'a> Classes<'a> {
    /// Codes are below `classes`.
    pub(super) fn new(codes: &'a [u32], classes: usize) -> Self {
        let none = vec![0.0; classes];
        let sides = [(0.0, 0.0); 2];
        Self {
            codes,
            first: none.clone(),
            second: none,
            sides,
            present: Vec::new(),
            whole: (0.0, 0.0),
            lead: 0,
        }
    }
}

impl Goal for Classes<'_> {
    fn begin(&mut self, rows: &[u32]) -> Option<f64> {
        for (class, _) in self.present.drain(..) {
            self.second[class as usize] = 0.0;
        }
        for &row in rows {
            let class = self.codes[row as usize];
            let count = &mut self.second[class as usize];
            if *count == 0.0 {
                self.present.push((class, 0.0));
            }
            *count += 1.0;
        }
        let (mut squares, mut most) = (0.0, 0.0);
        for (class, count) in &mut self.present {
            *count = self.second[*class as usize];
            squares += *count * *count;
            if *count > most || (*count == most && *class < self.lead) {
                (most, self.lead) = (*count, *class);
            }
        }
        let all = rows.len() as f64;
        self.whole = (all, squares);
        self.again();
        (most < all).then(|| squares / all + 1e-10 * all)
    }

    fn again(&mut self) {
        for &(class, count) in &self.present {
            (self.first[class as usize], self.second[class as usize]) = (0.0, count);
        }
        self.sides = [(0.0, 0.0), self.whole];
    }

    fn take(&mut self, row: u32) {
        let class = self.codes[row as usize] as usize;
        let [first, second] = &mut self.sides;
        first.0 += 1.0;
        first.1 += 2.0 * self.first[class] + 1.0;
        self.first[class] += 1.0;
        second.0 -= 1.0;
        second.1 -= 2.0 * self.second[class] - 1.0;
        self.second[class] -= 1.0;
    }

    fn worth(&self) -> f64 {
        self.sides.iter().map(|(rows, squares)| squares / rows).sum()
    }

    fn score(&self, row: u32) -> f64 {
        f64::from(self.codes[row as usize] == self.lead)
    }
}
