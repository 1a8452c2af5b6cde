//! The nearest points of a set to a point, by a k-d tree (Friedman, Bentley and Finkel 1977, with the distances to cells
//! kept as in Arya and Mount 1993).
//!
//! # Guarantee
//! Exactly what comparing with every point gives: the nearest by squared distance, the lower number first among equals.
//! Logarithmic time where the nearest points are near; where all points are about as far, every point is looked at.

use rayon::prelude::*;

/// How many of the nearest are found.
pub const NEAREST: usize = 2;

/// Points in a cell that is not split.
const LEAF: usize = 24;

/// A point that is near: its squared distance and its number.
pub type Neighbour = (f64, u32);

/// The nearest points, in order; missing ones are infinitely far.
pub type Neighbours = [Neighbour; NEAREST];

const NOBODY: Neighbours = [(f64::INFINITY, u32::MAX); NEAREST];

enum Cell {
    Leaf { from: usize, to: usize },
    Split { axis: usize, at: f64, below: Box<Cell>, above: Box<Cell> },
}

/// Points, ordered so that those of a cell lie side by side.
pub struct Tree {
    width: usize,
    points: Vec<f64>,
    numbers: Vec<u32>,
    root: Cell,
}

/// A query for all points around it.
struct Around<'q> {
    query: &'q [f64],
    most: f64,
    /// The distances to the cell along the axes.
    offsets: Vec<f64>,
    left_out: bool,
}

impl Tree {
    /// The tree of points with `width` coordinates each; at least one, and fewer than 2³² points.
    pub fn new(points: &[f64], width: usize) -> Self {
        let mut numbers: Vec<u32> = (0..(points.len() / width) as u32).collect();
        let root = split(points, width, &mut numbers, 0);
        let ordered = numbers.iter().flat_map(|&number| point(points, width, number)).copied().collect();
        Self { width, points: ordered, numbers, root }
    }

    /// How many coordinates a point has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The nearest points to each of `queries`.
    pub fn nearest(&self, queries: &[f64]) -> Vec<Neighbours> {
        queries
            .par_chunks_exact(self.width)
            .with_min_len(64)
            .map_init(
                || vec![0.0; self.width],
                |offsets, query| {
                    offsets.fill(0.0);
                    let mut best = NOBODY;
                    self.search(&self.root, query, 0.0, offsets, &mut best);
                    best
                },
            )
            .collect()
    }

    /// The numbers of the points, in the order in which they lie here.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Every point whose squared distance to the query is at most `most`, with some that are farther, nearer cells first,
    /// until `each` says no: the squared distance, and the place in the order of [`Tree::numbers`]. Returns whether points
    /// were left out for being too far.
    pub fn within(&self, query: &[f64], most: f64, each: &mut impl FnMut(Neighbour) -> bool) -> bool {
        let mut around = Around { query, most, offsets: vec![0.0; self.width], left_out: false };
        self.walk(&self.root, 0.0, &mut around, each);
        around.left_out
    }

    /// Whether to go on.
    fn walk(
        &self,
        cell: &Cell,
        far: f64,
        around: &mut Around<'_>,
        each: &mut impl FnMut(Neighbour) -> bool,
    ) -> bool {
        match cell {
            &Cell::Leaf { from, to } => {
                let points = self.points.get(from * self.width..to * self.width).unwrap_or(&[]);
                let mut both = points.chunks_exact(self.width).zip(from as u32..);
                both.all(|(point, place)| each((squared(around.query, point, f64::INFINITY), place)))
            }
            Cell::Split { axis, at, below, above } => {
                let offset = around.query.get(*axis).map_or(0.0, |own| own - at);
                let (near, other) = if offset < 0.0 { (below, above) } else { (above, below) };
                if !self.walk(near, far, around, each) {
                    return false;
                }
                let Some(old) = around.offsets.get(*axis).copied() else { return true };
                let farther = far + (offset * offset - old * old).max(0.0);
                // As in the search for the nearest: a cell that is farther by rounding alone is looked at.
                if farther * (1.0 - 1e-9) > around.most {
                    around.left_out = true;
                    return true;
                }
                set(&mut around.offsets, *axis, offset);
                let goes_on = self.walk(other, farther, around, each);
                set(&mut around.offsets, *axis, old);
                goes_on
            }
        }
    }

    /// Looks into a cell whose squared distance to the query is at least `far`; `offsets` are the distances along the
    /// axes.
    fn search(&self, cell: &Cell, query: &[f64], far: f64, offsets: &mut [f64], best: &mut Neighbours) {
        match cell {
            &Cell::Leaf { from, to } => {
                let points = self.points.get(from * self.width..to * self.width).unwrap_or(&[]);
                let numbers = self.numbers.get(from..to).unwrap_or(&[]);
                for (point, &number) in points.chunks_exact(self.width).zip(numbers) {
                    consider((squared(query, point, best[NEAREST - 1].0), number), best); // why: an array of NEAREST
                }
            }
            Cell::Split { axis, at, below, above } => {
                let offset = query.get(*axis).map_or(0.0, |own| own - at);
                let (near, other) = if offset < 0.0 { (below, above) } else { (above, below) };
                self.search(near, query, far, offsets, best);
                let Some(old) = offsets.get(*axis).copied() else { return };
                let farther = far + (offset * offset - old * old).max(0.0);
                let worst = best[NEAREST - 1].0; // why: an array of NEAREST
                // Sums are rounded: a cell that is farther by rounding alone is looked at.
                if farther * (1.0 - 1e-9) > worst {
                    return;
                }
                set(offsets, *axis, offset);
                self.search(other, query, farther, offsets, best);
                set(offsets, *axis, old);
            }
        }
    }
}

fn set(offsets: &mut [f64], axis: usize, offset: f64) {
    if let Some(own) = offsets.get_mut(axis) {
        *own = offset;
    }
}

/// Puts a point among the nearest if it belongs there.
pub fn consider(own: Neighbour, best: &mut Neighbours) {
    let before = |a: Neighbour, b: Neighbour| a.0 < b.0 || (a.0 == b.0 && a.1 < b.1);
    let place = best.iter().position(|other| before(own, *other));
    if let Some(place) = place {
        best[place..].rotate_right(1); // why: a place of the array
        best[place] = own; // why: as above
    }
}

/// The squared distance, or infinity as soon as it is above `most`.
pub fn squared(a: &[f64], b: &[f64], most: f64) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.chunks(4).zip(b.chunks(4)) {
        sum += a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        if sum > most {
            return f64::INFINITY;
        }
    }
    sum
}

fn point(points: &[f64], width: usize, number: u32) -> &[f64] {
    let from = number as usize * width;
    points.get(from..from + width).unwrap_or(&[])
}

/// Splits points at the median of the axis along which they spread most.
fn split(points: &[f64], width: usize, numbers: &mut [u32], from: usize) -> Cell {
    let leaf = Cell::Leaf { from, to: from + numbers.len() };
    if numbers.len() <= LEAF {
        return leaf;
    }
    let mut bounds = vec![(f64::INFINITY, f64::NEG_INFINITY); width];
    for &number in &*numbers {
        for ((low, high), value) in bounds.iter_mut().zip(point(points, width, number)) {
            *low = low.min(*value);
            *high = high.max(*value);
        }
    }
    let spread = |own: &(f64, f64)| own.1 - own.0;
    let mut axis = 0;
    let mut widest = 0.0;
    for (own, bounds) in bounds.iter().enumerate() {
        if spread(bounds) > widest {
            (axis, widest) = (own, spread(bounds));
        }
    }
    if widest <= 0.0 {
        // All points are the same.
        return leaf;
    }
    let value = |number: u32| point(points, width, number).get(axis).copied().unwrap_or(0.0);
    let middle = numbers.len() / 2;
    let (_, median, _) =
        numbers.select_nth_unstable_by(middle, |&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
    let at = value(*median);
    let (below, above) = numbers.split_at_mut(middle);
    let (below, above) = if middle > 4096 {
        rayon::join(|| split(points, width, below, from), || split(points, width, above, from + middle))
    } else {
        (split(points, width, below, from), split(points, width, above, from + middle))
    };
    Cell::Split { axis, at, below: Box::new(below), above: Box::new(above) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute(points: &[f64], width: usize, queries: &[f64]) -> Vec<Neighbours> {
        let one = |query: &[f64]| {
            let mut best = NOBODY;
            for (number, point) in points.chunks_exact(width).enumerate() {
                consider((squared(query, point, f64::INFINITY), number as u32), &mut best);
            }
            best
        };
        queries.chunks_exact(width).map(one).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Few different coordinates, so that many distances are equal.
        #[test]
        fn is_what_comparing_with_all_gives(
            width in 1usize..6,
            coarse in any::<bool>(),
            points in prop::collection::vec(-50i32..50, 5..900),
            queries in prop::collection::vec(-60i32..60, 5..100),
        ) {
            let number = |own: &i32| if coarse { f64::from(own / 15) } else { f64::from(*own) + f64::from(*own).sin() };
            let points: Vec<f64> = points.iter().map(number).collect();
            let queries: Vec<f64> = queries.iter().map(number).collect();
            let points = &points[..points.len() / width * width];
            let tree = Tree::new(points, width);
            prop_assert_eq!(tree.nearest(&queries), brute(points, width, &queries));
            // All within a distance are met, each once; those left out are farther.
            for (query, most) in queries.chunks_exact(width).zip([0.0, 30.0, 900.0, f64::INFINITY]) {
                let mut met = vec![0; points.len() / width];
                let left_out = tree.within(query, most, &mut |(_, place)| {
                    met[tree.numbers()[place as usize] as usize] += 1;
                    true
                });
                for (point, &times) in points.chunks_exact(width).zip(&met) {
                    let is_near = squared(query, point, f64::INFINITY) <= most;
                    prop_assert!(times == 1 || times == 0 && !is_near && left_out, "{} {}", times, is_near);
                }
                let mut looked = 0;
                tree.within(query, f64::INFINITY, &mut |_| { looked += 1; looked < 3 });
                prop_assert_eq!(looked, met.len().min(3));
            }
        }
    }

    /// Large enough to be split among threads.
    #[test]
    fn any_number_of_threads() {
        let mut random = privet_data::Random::new(3);
        let points: Vec<f64> = (0..60_000).map(|_| (random.unit() * 300.0).floor()).collect();
        let queries: Vec<f64> = (0..1500).map(|_| random.unit() * 300.0).collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Tree::new(&points, 3).nearest(&queries))
        };
        assert_eq!(with(1), with(4));
    }

    #[test]
    fn edges() {
        assert_eq!(Tree::new(&[], 2).nearest(&[1.0, 2.0]), [NOBODY]);
        assert!(Tree::new(&[1.0, 2.0], 2).nearest(&[]).is_empty());
        let same = Tree::new(&[3.0; 1000], 1).nearest(&[4.0]);
        assert_eq!(same, [[(1.0, 0), (1.0, 1)]]);
    }
}
