//! The space that is cut: every quasi column as a line of places.
//!
//! A column of numbers has one place per number, in their order. Its missing values, however they are marked, share
//! one place below all numbers. A column without numbers has one place per leaf of its hierarchy, ordered so that
//! every node of every level is an unbroken run of places. So a part of the table is a box, the first and last
//! place of its records in a column tell its width there, and every cut of a column is one between places.

use crate::lattice::{Problem, Quasi};

/// All quasi columns.
#[derive(Debug)]
pub(super) struct Space {
    pub dimensions: Vec<Dimension>,
}

/// One quasi column.
#[derive(Debug)]
pub(super) struct Dimension {
    /// Per code its place.
    pub place_of_code: Vec<u32>,
    /// How many places there are.
    pub places: usize,
    /// Per place its first and last code.
    codes: Vec<(u32, u32)>,
    weight: f64,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    Line(Line),
    Tree(Tree),
}

/// A column of numbers or dates.
#[derive(Debug)]
struct Line {
    /// Per place its number; NaN for the place of missing values.
    numbers: Vec<f64>,
    /// One by the distance from the least to the greatest number; 0 when that is not finite, and widths are then
    /// counted in places.
    scale: f64,
    /// Whether place 0 is that of missing values.
    missing: bool,
}

/// A column that only has a hierarchy.
#[derive(Debug)]
struct Tree {
    levels: usize,
    /// Per place and level the node.
    nodes: Vec<u32>,
    /// Per place and level the share of the domain that the node covers.
    losses: Vec<f64>,
}

impl Space {
    pub fn new(problem: &Problem<'_>) -> Self {
        Self { dimensions: problem.quasi.iter().map(Dimension::new).collect() }
    }

    /// The most places of a column.
    pub fn most_places(&self) -> usize {
        self.dimensions.iter().map(|dimension| dimension.places).max().unwrap_or(0)
    }
}

impl Dimension {
    fn new(quasi: &Quasi<'_>) -> Self {
        let weight = if quasi.weight > 0.0 { quasi.weight } else { 0.0 };
        let (place_of_code, shape) = match quasi.numbers {
            Some(numbers) => Line::places(numbers),
            None => Tree::places(quasi),
        };
        let places = place_of_code.iter().max().map_or(0, |&place| place as usize + 1);
        let mut codes = vec![(u32::MAX, 0); places];
        for (code, &place) in (0u32..).zip(&place_of_code) {
            let (first, last) = &mut codes[place as usize];
            *first = code.min(*first);
            *last = code.max(*last);
        }
        Self { place_of_code, places, codes, weight, shape }
    }

    /// Whether it is a line of numbers.
    pub fn is_line(&self) -> bool {
        matches!(self.shape, Shape::Line(_))
    }

    /// Whether records between these places are missing values and numbers both.
    pub fn is_mixed(&self, lo: u32, hi: u32) -> bool {
        matches!(&self.shape, Shape::Line(line) if line.missing && lo == 0 && hi > 0)
    }

    /// How wide records between these places lie, from 0 to 1, times the weight of the column: the distance of
    /// numbers by that of all, the loss of the lowest node above. Missing values and numbers together are as
    /// wide as everything.
    pub fn width(&self, lo: u32, hi: u32) -> f64 {
        if lo == hi {
            return 0.0;
        }
        let width = match &self.shape {
            Shape::Line(line) if line.missing && lo == 0 => 1.0,
            Shape::Line(line) if line.scale > 0.0 => {
                (line.numbers[hi as usize] - line.numbers[lo as usize]) * line.scale
            }
            Shape::Line(line) => {
                let known = line.numbers.len() - usize::from(line.missing);
                f64::from(hi - lo) / known.saturating_sub(1).max(1) as f64
            }
            Shape::Tree(tree) => match tree.level_above(lo, hi) {
                level if level == tree.levels => 1.0,
                level => tree.losses[lo as usize * tree.levels + level],
            },
        };
        width * self.weight
    }

    /// The level of the lowest node above two places; one more than the top where even the top tells them apart.
    /// 0 in a column of numbers.
    pub fn level_above(&self, lo: u32, hi: u32) -> usize {
        match &self.shape {
            Shape::Line(_) => 0,
            Shape::Tree(tree) => tree.level_above(lo, hi),
        }
    }

    /// The node of a place at a level of its hierarchy.
    pub fn node(&self, place: u32, level: usize) -> u32 {
        match &self.shape {
            Shape::Line(_) => place,
            Shape::Tree(tree) => tree.nodes[place as usize * tree.levels + level],
        }
    }

    /// The first and the last place that have the same node at a level.
    pub fn run(&self, place: u32, level: usize) -> (u32, u32) {
        let node = self.node(place, level);
        let same = |other: &u32| self.node(*other, level) == node;
        let first = (0..place).rev().take_while(same).last().unwrap_or(place);
        let last = (place + 1..self.places as u32).take_while(same).last().unwrap_or(place);
        (first, last)
    }

    /// The run of places that records between two places show: all below their lowest node, or just that run in a
    /// column of numbers. Missing values and numbers together show everything.
    pub fn shown(&self, first: u32, last: u32) -> (u32, u32) {
        let everything = (0, self.places.saturating_sub(1) as u32);
        match &self.shape {
            Shape::Line(_) if self.is_mixed(first, last) => everything,
            Shape::Line(_) => (first, last),
            Shape::Tree(tree) => match tree.level_above(first, last) {
                level if level == tree.levels => everything,
                level => self.run(first, level),
            },
        }
    }

    /// The codes between two places.
    pub fn codes_between(&self, first: u32, last: u32) -> (u32, u32) {
        let most = self.places.saturating_sub(1);
        match self.codes.get((first as usize).min(most)..=(last as usize).min(most)) {
            Some(codes) => {
                let first = codes.iter().map(|codes| codes.0).min().unwrap_or(0);
                let last = codes.iter().map(|codes| codes.1).max().unwrap_or(0);
                (first, last)
            }
            None => (0, 0),
        }
    }

    /// The node above all places between two, as level and node; `None` where even the top tells them apart.
    pub fn node_above(&self, first: u32, last: u32) -> Option<(usize, u32)> {
        let last = last.min(self.places.saturating_sub(1) as u32);
        match &self.shape {
            Shape::Tree(tree) if self.places > 0 => {
                let level = tree.level_above(first, last);
                (level < tree.levels).then(|| (level, self.node(first, level)))
            }
            _ => None,
        }
    }
}

impl Line {
    /// Per code its place, and the line.
    fn places(numbers: &[f64]) -> (Vec<u32>, Shape) {
        let missing = numbers.first().is_some_and(|number| number.is_nan());
        let mut places: Vec<f64> = Vec::new();
        let mut place_of_code = Vec::with_capacity(numbers.len());
        for &number in numbers {
            let same =
                places.last().is_some_and(|&last| last == number || (last.is_nan() && number.is_nan()));
            if !same {
                places.push(number);
            }
            place_of_code.push(places.len() as u32 - 1);
        }
        let known = &places[usize::from(missing)..];
        let range = match (known.first(), known.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0.0,
        };
        let scale = if range.is_finite() && range > 0.0 { (1.0 / range).min(f64::MAX) } else { 0.0 };
        (place_of_code, Shape::Line(Self { numbers: places, scale, missing }))
    }
}

impl Tree {
    /// Per code its place, and the tree.
    fn places(quasi: &Quasi<'_>) -> (Vec<u32>, Shape) {
        let all = &quasi.generalization.levels;
        let path = |code: usize| all.iter().rev().map(move |level| level.node_of_code[code]);
        let mut codes: Vec<usize> = (0..all.first().map_or(0, |leaves| leaves.node_of_code.len())).collect();
        codes.sort_by(|&a, &b| path(a).cmp(path(b)));
        let mut place_of_code = vec![0; codes.len()];
        let (mut nodes, mut losses) = (Vec::new(), Vec::new());
        let mut previous: Option<usize> = None;
        let mut places = 0;
        for &code in &codes {
            let leaf = |code: usize| all[0].node_of_code[code];
            if previous.is_none_or(|previous| leaf(previous) != leaf(code)) {
                places += 1;
                for level in all {
                    let node = level.node_of_code[code];
                    nodes.push(node);
                    losses.push(quasi.generalization.node_loss(level.leaves[node as usize]));
                }
            }
            place_of_code[code] = places - 1;
            previous = Some(code);
        }
        (place_of_code, Shape::Tree(Self { levels: all.len(), nodes, losses }))
    }

    fn level_above(&self, lo: u32, hi: u32) -> usize {
        let path = |place: u32| &self.nodes[place as usize * self.levels..][..self.levels];
        let pairs = path(lo).iter().zip(path(hi));
        pairs.take_while(|(a, b)| a != b).count()
    }
}

#[cfg(test)]
mod tests {
    use privet_data::{Domain, Generalization, Hierarchy};

    use super::*;

    fn quasi<'a>(generalization: &'a Generalization, numbers: Option<&'a [f64]>) -> Quasi<'a> {
        Quasi { codes: &[], counts: &[], generalization, numbers, weight: 1.0, population: None }
    }

    fn generalization(lines: &[[&str; 3]]) -> Generalization {
        let texts = |level: usize| lines.iter().map(|line| Box::from(line[level])).collect::<Vec<Box<str>>>();
        let (domain, _) = Domain::canonical(texts(0), |_| false);
        Hierarchy::new(texts(0), vec![texts(1), texts(2)]).unwrap().bind(&domain).unwrap()
    }

    #[test]
    fn every_node_is_a_run_of_places() {
        let generalization = generalization(&[
            ["a", "x", "p"],
            ["b", "y", "p"],
            ["c", "x", "p"],
            ["d", "z", "q"],
            ["e", "z", "q"],
        ]);
        let dimension = Dimension::new(&quasi(&generalization, None));
        assert_eq!(dimension.place_of_code, [0, 2, 1, 3, 4]);
        assert_eq!(dimension.level_above(0, 1), 1);
        assert_eq!(dimension.level_above(0, 2), 2);
        assert_eq!(dimension.level_above(0, 4), 3, "two tops: a root above them");
        assert_eq!(dimension.width(0, 4), 1.0);
        assert_eq!(dimension.width(3, 4), 0.25);
        assert_eq!(dimension.run(1, 2), (0, 2));
        assert_eq!(dimension.node_above(0, 4), None);
        assert_eq!(dimension.node_above(3, 9), Some((1, 2)));
    }

    #[test]
    fn missing_values_share_a_place_below_the_numbers() {
        let generalization = generalization(&[["a", "x", "p"]]);
        let numbers = [f64::NAN, f64::NAN, 1.0, 1.0, 5.0];
        let dimension = Dimension::new(&quasi(&generalization, Some(&numbers)));
        assert_eq!(dimension.place_of_code, [0, 0, 1, 1, 2]);
        assert!(dimension.is_mixed(0, 1) && !dimension.is_mixed(1, 2) && !dimension.is_mixed(0, 0));
        assert_eq!((dimension.width(0, 1), dimension.width(1, 2), dimension.width(0, 0)), (1.0, 1.0, 0.0));
        assert_eq!(dimension.codes_between(1, 2), (2, 4));
    }

    #[test]
    fn widths_are_finite_whatever_the_numbers() {
        let generalization = generalization(&[["a", "x", "p"]]);
        for numbers in [
            &[f64::NEG_INFINITY, 0.0, f64::INFINITY][..],
            &[f64::MIN, 0.0, f64::MAX],
            &[0.0, f64::MIN_POSITIVE / 4.0, f64::MIN_POSITIVE],
            &[f64::NAN, f64::NAN],
            &[],
            &[f64::INFINITY],
        ] {
            let dimension = Dimension::new(&quasi(&generalization, Some(numbers)));
            for lo in 0..dimension.places as u32 {
                for hi in lo..dimension.places as u32 {
                    assert!(dimension.width(lo, hi).is_finite(), "{numbers:?}");
                }
            }
        }
    }
}
