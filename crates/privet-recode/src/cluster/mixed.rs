//! Records of numbers and categories together: Gower's distance over codes.
//!
//! The squared distance of two records is the weighted sum over the columns of the squared distance of their values:
//! the difference of scaled numbers; 0 or 1 for categories that are the same or not, or the share of all leaves that
//! lie under their lowest common node; 1 when one is missing and the other is not, 0 when both are. The centroid
//! takes the mean of the numbers that are known and the most frequent category, the first leaf among equals.
//!
//! One record (or centroid) is compared with all others column by column: a table says per code how far it is away,
//! and the codes are looked up in it. Long scans run in parallel; the order of neighbours has no ties, so the answer
//! is the same for any number of threads.

use rayon::prelude::*;

use super::neighbours::{Geometry, Near, Nearest, Unassigned};

/// So many records are compared at a time.
const CHUNK: usize = 2048;
/// Scans of more records than this run in parallel.
const PARALLEL: usize = 4 * CHUNK;

/// Records by the codes of their columns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mixed {
    rows: usize,
    columns: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    /// One code per record: of a number, or a leaf.
    pub codes: Vec<u32>,
    pub weight: f64,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Per code its scaled number, NaN for a missing value.
    Numbers(Vec<f64>),
    /// The levels of a hierarchy, that of the leaves first; above the last one everything is at distance 1.
    Categories(Vec<Level>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Level {
    pub node_of_leaf: Vec<u32>,
    /// Per node the squared distance of leaves that meet there.
    pub squared: Vec<f64>,
}

/// Where a record or a centroid lies in a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Place {
    /// A number, NaN when it is missing.
    Number(f64),
    Leaf(u32),
}

impl Column {
    fn codes_in_use(&self) -> usize {
        match &self.kind {
            Kind::Numbers(numbers) => numbers.len(),
            Kind::Categories(levels) => levels[0].node_of_leaf.len(),
        }
    }

    fn place(&self, code: u32) -> Place {
        match &self.kind {
            Kind::Numbers(numbers) => Place::Number(numbers[code as usize]),
            Kind::Categories(_) => Place::Leaf(code),
        }
    }

    /// The weighted squared distance.
    fn between(&self, a: Place, b: Place) -> f64 {
        let squared = match (a, b) {
            (Place::Number(x), Place::Number(y)) if x.is_nan() || y.is_nan() => {
                f64::from(u8::from(x.is_nan() != y.is_nan()))
            }
            (Place::Number(x), Place::Number(y)) => (x - y) * (x - y),
            (Place::Leaf(x), Place::Leaf(y)) => self.meet(x, y),
            _ => 1.0,
        };
        self.weight * squared
    }

    fn meet(&self, a: u32, b: u32) -> f64 {
        let Kind::Categories(levels) = &self.kind else { return 1.0 };
        let node = |level: &Level, leaf: u32| level.node_of_leaf[leaf as usize];
        let met = levels.iter().find(|level| node(level, a) == node(level, b));
        met.map_or(1.0, |level| level.squared[node(level, a) as usize])
    }

    /// Per code how far it is away.
    fn table(&self, from: Place, into: &mut Vec<f64>) {
        into.clear();
        into.extend((0..self.codes_in_use() as u32).map(|code| self.between(from, self.place(code))));
    }

    fn center(&self, codes: impl Iterator<Item = u32>) -> Place {
        match &self.kind {
            Kind::Numbers(numbers) => {
                let known = codes.map(|code| numbers[code as usize]).filter(|number| !number.is_nan());
                let (sum, count) = known.fold((0.0, 0u32), |(sum, count), number| (sum + number, count + 1));
                // NaN without known numbers: the middle of missing values is missing.
                Place::Number(sum / f64::from(count))
            }
            Kind::Categories(_) => {
                let mut leaves: Vec<u32> = codes.collect();
                leaves.sort_unstable();
                let runs = leaves.chunk_by(|a, b| a == b);
                Place::Leaf(runs.rev().max_by_key(|run| run.len()).map_or(0, |run| run[0]))
            }
        }
    }

    /// The spread of values around their middle: of numbers the sum of squares around their mean, and for missing
    /// among known ones that of the indicator of missing; of categories the squared distances of all pairs over the
    /// number of records, which is the sum of squares around the middle of points that lie so far apart (there are
    /// some: both distances of categories are ultrametric). So parts never have more of it than the whole.
    fn spread(&self, codes: &[u32]) -> f64 {
        let count = codes.len() as f64;
        let squares = match &self.kind {
            Kind::Numbers(numbers) => {
                let known: Vec<f64> =
                    codes.iter().map(|&code| numbers[code as usize]).filter(|x| !x.is_nan()).collect();
                let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
                let around: f64 = known.iter().map(|x| (x - mean) * (x - mean)).sum();
                around + known.len() as f64 * (count - known.len() as f64) / count.max(1.0)
            }
            Kind::Categories(levels) => pairs(levels, codes) / count.max(1.0),
        };
        self.weight * squares
    }
}

/// The sum of squared distances over all pairs of leaves. All pairs count as far apart as the top; going down, those
/// that are still together in a node are taken closer.
fn pairs(levels: &[Level], leaves: &[u32]) -> f64 {
    let pairs_of = |count: usize| (count as f64) * (count as f64 - 1.0) / 2.0;
    let mut leaves = leaves.to_vec();
    let mut sum = pairs_of(leaves.len());
    for (number, level) in levels.iter().enumerate().rev() {
        let node = |leaf: u32| level.node_of_leaf[leaf as usize];
        leaves.sort_unstable_by_key(|&leaf| node(leaf));
        for run in leaves.chunk_by(|&a, &b| node(a) == node(b)) {
            let above = levels
                .get(number + 1)
                .map_or(1.0, |above| above.squared[above.node_of_leaf[run[0] as usize] as usize]);
            sum -= (above - level.squared[node(run[0]) as usize]) * pairs_of(run.len());
        }
    }
    sum.max(0.0)
}

impl Mixed {
    /// Records of these columns; each has a code per record.
    pub fn new(rows: usize, columns: Vec<Column>) -> Self {
        Self { rows, columns }
    }

    fn places(&self, record: u32) -> impl Iterator<Item = Place> + '_ {
        self.columns.iter().map(move |column| column.place(column.codes[record as usize]))
    }
}

impl Geometry for Mixed {
    type Center = Vec<Place>;

    fn rows(&self) -> usize {
        self.rows
    }

    fn center(&self, records: &[u32]) -> Vec<Place> {
        let of = |column: &Column| column.center(records.iter().map(|&record| column.codes[record as usize]));
        self.columns.iter().map(of).collect()
    }

    fn between(&self, a: &Vec<Place>, b: &Vec<Place>) -> f64 {
        self.columns.iter().zip(a.iter().zip(b)).map(|(column, (&a, &b))| column.between(a, b)).sum()
    }

    fn to_center(&self, center: &Vec<Place>, record: u32) -> f64 {
        let columns = self.columns.iter().zip(center.iter().zip(self.places(record)));
        columns.map(|(column, (&a, b))| column.between(a, b)).sum()
    }

    fn spread(&self, records: &[u32]) -> f64 {
        let of = |column: &Column| {
            let codes: Vec<u32> = records.iter().map(|&record| column.codes[record as usize]).collect();
            column.spread(&codes)
        };
        self.columns.iter().map(of).sum()
    }
}

/// The middle of a column, from which values are taken out.
#[derive(Debug)]
enum Middle {
    Number { sum: f64, known: usize },
    Counts(Vec<u32>),
}

impl Middle {
    fn new(column: &Column, codes: &[u32]) -> Self {
        match &column.kind {
            Kind::Numbers(numbers) => {
                let known =
                    codes.iter().map(|&code| numbers[code as usize]).filter(|number| !number.is_nan());
                let (sum, known) = known.fold((0.0, 0), |(sum, known), number| (sum + number, known + 1));
                Middle::Number { sum, known }
            }
            Kind::Categories(_) => {
                let mut counts = vec![0; column.codes_in_use()];
                codes.iter().for_each(|&code| counts[code as usize] += 1);
                Middle::Counts(counts)
            }
        }
    }

    fn remove(&mut self, place: Place) {
        match (self, place) {
            (Middle::Number { sum, known }, Place::Number(number)) if !number.is_nan() => {
                *sum -= number;
                *known -= 1;
            }
            (Middle::Counts(counts), Place::Leaf(leaf)) => counts[leaf as usize] -= 1,
            _ => {}
        }
    }

    fn place(&self) -> Place {
        match self {
            Middle::Number { known: 0, .. } => Place::Number(f64::NAN),
            Middle::Number { sum, known } => Place::Number(sum / *known as f64),
            Middle::Counts(counts) => {
                let most = counts.iter().copied().max().unwrap_or(0);
                Place::Leaf(counts.iter().position(|&count| count == most).unwrap_or(0) as u32)
            }
        }
    }
}

/// The records that have no group yet; answers by looking at all of them.
#[derive(Debug)]
pub(crate) struct MixedScan<'a> {
    mixed: &'a Mixed,
    // Those that are left, in any order, with their codes column by column.
    records: Vec<u32>,
    codes: Vec<Vec<u32>>,
    place: Vec<u32>,
    middles: Vec<Middle>,
    // Middles are made anew when so few are left, so that rounding errors do not pile up.
    renew_at: usize,
    // Per column and code how far it is from what is asked about.
    tables: Vec<Vec<f64>>,
}

impl<'a> MixedScan<'a> {
    pub fn new(mixed: &'a Mixed) -> Self {
        let records: Vec<u32> = (0..mixed.rows as u32).collect();
        let mut scan = Self {
            mixed,
            place: records.clone(),
            records,
            codes: mixed.columns.iter().map(|column| column.codes.clone()).collect(),
            middles: Vec::new(),
            renew_at: 0,
            tables: vec![Vec::new(); mixed.columns.len()],
        };
        scan.renew();
        scan
    }

    fn renew(&mut self) {
        let columns = self.mixed.columns.iter().zip(&self.codes);
        self.middles = columns.map(|(column, codes)| Middle::new(column, codes)).collect();
        self.renew_at = self.records.len() / 2;
    }

    fn ask(&mut self, from: impl Iterator<Item = Place>) {
        for ((column, table), place) in self.mixed.columns.iter().zip(&mut self.tables).zip(from) {
            column.table(place, table);
        }
    }

    /// What a fold makes of each chunk of distances.
    fn scan<T: Send>(&self, fold: impl Fn(&[u32], &[f64]) -> T + Sync) -> Vec<T> {
        let chunk = |(number, records): (usize, &[u32])| {
            let mut sums = [0.0; CHUNK];
            let begin = number * CHUNK;
            for (codes, table) in self.codes.iter().zip(&self.tables) {
                for (sum, &code) in sums.iter_mut().zip(&codes[begin..begin + records.len()]) {
                    *sum += table[code as usize];
                }
            }
            fold(records, &sums[..records.len()])
        };
        if self.records.len() > PARALLEL {
            self.records.par_chunks(CHUNK).enumerate().map(chunk).collect()
        } else {
            self.records.chunks(CHUNK).enumerate().map(chunk).collect()
        }
    }

    fn farthest(&self) -> Option<u32> {
        let best = self.scan(|records, distances| {
            let near = records.iter().zip(distances);
            near.fold(None, |best, (&record, &distance)| Near::farther(best, Some(Near { distance, record })))
        });
        best.into_iter().fold(None, Near::farther).map(|best| best.record)
    }
}

impl Unassigned for MixedScan<'_> {
    fn len(&self) -> usize {
        self.records.len()
    }

    fn farthest_from_centroid(&mut self) -> Option<u32> {
        let center: Vec<Place> = self.middles.iter().map(Middle::place).collect();
        self.ask(center.into_iter());
        self.farthest()
    }

    fn farthest_from(&mut self, record: u32) -> Option<u32> {
        self.ask(self.mixed.places(record));
        self.farthest()
    }

    fn nearest(&mut self, record: u32, most: usize, into: &mut Vec<Near>) {
        self.ask(self.mixed.places(record));
        let parts = self.scan(|records, distances| {
            let (mut nearest, mut sorted) = (Nearest::default(), Vec::new());
            nearest.keep(most);
            for (&record, &distance) in records.iter().zip(distances) {
                nearest.offer(Near { distance, record });
            }
            nearest.drain_sorted(&mut sorted);
            sorted
        });
        let mut nearest = Nearest::default();
        nearest.keep(most);
        parts.into_iter().flatten().for_each(|near| nearest.offer(near));
        nearest.drain_sorted(into);
    }

    fn remove(&mut self, record: u32) {
        let place = self.place[record as usize] as usize;
        self.records.swap_remove(place);
        for codes in &mut self.codes {
            codes.swap_remove(place);
        }
        if let Some(&moved) = self.records.get(place) {
            self.place[moved as usize] = place as u32;
        }
        let places = self.mixed.places(record);
        self.middles.iter_mut().zip(places).for_each(|(middle, place)| middle.remove(place));
        if self.records.len() <= self.renew_at {
            self.renew();
        }
    }
}
