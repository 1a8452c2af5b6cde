//! The people whom an adversary knows, what a release shows of them, and the worlds that this leaves: who of them is in the data,
//! and who has which sensitive value.
//!
//! # Guarantee
//! Every world once, or draws that are all equally likely. People of one cell look the same to the algorithm, so that worlds which
//! differ in who of them is who are one, and count as often as there are such worlds.

use super::MinimalityError;
use super::attack::Effort;
use super::ways::{Ways, choose};
use crate::worlds::{Beliefs, Bucket, count_worlds};
use privet_data::Random;

/// In a world: this person is not in the data.
pub const ABSENT: u32 = u32::MAX;

/// People, and what a release shows of them. Values are numbers of tuples: a record keeps those of several columns together.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The published classes: who may stand in each, and a value for each of them; [`ABSENT`] for those for whom it has no record.
    classes: Vec<Bucket>,
    /// Who may have been suppressed, and how many of them were. The others are not in the data.
    free: Vec<u32>,
    suppressed: usize,
    /// Per number a tuple, one code for each sensitive column.
    tuples: Vec<Vec<u32>>,
    people: usize,
}

impl Listed {
    /// So many people: per published class who may stand in it and the values of its records, then who may have been suppressed, and
    /// how many records were. A suppressed record may have each of the values.
    ///
    /// # Errors
    /// When there are more records than people who may have them, or records are suppressed and there are several sensitive columns, or
    /// no value at all.
    pub fn new(
        people: usize,
        mut classes: Vec<Bucket>,
        free: Vec<u32>,
        suppressed: usize,
        tuples: Vec<Vec<u32>>,
    ) -> Result<Self, MinimalityError> {
        if suppressed > 0 && tuples.iter().any(|own| own.len() > 1) {
            return Err(MinimalityError::SuppressedTuples { suppressed });
        }
        if suppressed > 0 && tuples.is_empty() {
            return Err(MinimalityError::NothingPublished);
        }
        let lacking = classes.iter().map(|own| own.values.len().saturating_sub(own.people.len()));
        let lacking = lacking.sum::<usize>() + suppressed.saturating_sub(free.len());
        if lacking > 0 {
            return Err(MinimalityError::Lacking { records: lacking });
        }
        classes.iter_mut().for_each(|own| own.values.resize(own.people.len(), ABSENT));
        Ok(Self { classes, free, suppressed, tuples, people })
    }

    /// How many people there are.
    pub fn people(&self) -> usize {
        self.people
    }

    /// Whether all of them are in the data, in every world.
    pub fn is_whole(&self) -> bool {
        let records = self.classes.iter().flat_map(|own| &own.values).filter(|&&own| own != ABSENT).count();
        records + self.suppressed == self.people
    }

    /// One of the worlds.
    pub fn first(&self) -> Vec<u32> {
        let mut world = vec![ABSENT; self.people];
        for class in &self.classes {
            class.people.iter().zip(&class.values).for_each(|(&own, &value)| world[own as usize] = value);
        }
        self.free.iter().take(self.suppressed).for_each(|&own| world[own as usize] = 0);
        world
    }

    pub(super) fn value(&self, tuple: u32, position: usize) -> u32 {
        self.tuples[tuple as usize][position]
    }

    /// Per sensitive column the codes of those who are in the data.
    pub fn codes(&self, world: &[u32]) -> Vec<Vec<u32>> {
        let columns = self.tuples.first().map_or(0, Vec::len);
        let present = || world.iter().filter(|&&tuple| tuple != ABSENT);
        (0..columns).map(|column| present().map(|&tuple| self.value(tuple, column)).collect()).collect()
    }

    /// Per person the records of the class; none where somebody fits none.
    pub(super) fn candidates(&self) -> Vec<u64> {
        let mut candidates = vec![0; self.people];
        for class in &self.classes {
            let records = class.values.iter().filter(|&&own| own != ABSENT).count() as u64;
            class.people.iter().for_each(|&own| candidates[own as usize] = records);
        }
        candidates
    }

    /// What random worlds believe of people, given that they are in the data.
    pub(super) fn before(&self, position: usize, values: usize) -> Beliefs {
        let mut beliefs = Beliefs::with_capacity(self.people);
        for class in &self.classes {
            let records = class.values.iter().filter(|&&own| own != ABSENT);
            let mut own: Vec<u32> = records.map(|&tuple| self.value(tuple, position)).collect();
            own.sort_unstable();
            let share = |run: &[u32]| (run[0], run.len() as f64 / own.len() as f64);
            let shared = beliefs.add(own.chunk_by(|a, b| a == b).map(share));
            class.people.iter().for_each(|&person| beliefs.about(person, shared));
        }
        if self.suppressed > 0 {
            let even = beliefs.add((0..values as u32).map(|value| (value, 1.0 / values as f64)));
            self.free.iter().for_each(|&person| beliefs.about(person, even));
        }
        beliefs
    }

    /// How many worlds there are when people are told apart; `None` where that cannot be counted.
    fn count(&self) -> Option<u128> {
        let (free, suppressed) = (u32::try_from(self.free.len()).ok()?, u32::try_from(self.suppressed).ok()?);
        let domain = self.tuples.len() as u128;
        count_worlds(&self.classes)
            .0?
            .checked_mul(choose(free, suppressed)?)?
            .checked_mul(domain.checked_pow(suppressed)?)
    }
}

/// Worlds one after the other: all, or drawn at random. A world is per person the number of a tuple, or [`ABSENT`].
pub(super) struct Source<'a> {
    listed: &'a Listed,
    /// All worlds, part by part; `None` when they are drawn.
    parts: Option<Vec<Part>>,
    begun: bool,
    /// How many worlds are gone through or drawn at least, cells counted together.
    pub steps: u64,
    /// How many there are when people are told apart, where all are gone through.
    pub all: Option<u128>,
    /// Per person whose beliefs are shared: the cells, but single people where worlds are drawn.
    pub cell_of: Vec<u32>,
    random: Random,
    current: Vec<u32>,
}

impl<'a> Source<'a> {
    pub fn new(listed: &'a Listed, cell_of: &[u32], effort: Effort) -> Self {
        let most = effort.worlds_at_most;
        let mut parts: Vec<Part> = listed.classes.iter().map(|own| Part::of_class(own, cell_of)).collect();
        if listed.suppressed > 0 {
            parts.push(Part::of_free(listed, cell_of));
        }
        let steps = parts.iter_mut().try_fold(1u64, |steps, part| {
            let own = part.count(most / steps.max(1))?;
            Some(steps * own)
        });
        // What is believed adds up worlds times people.
        let all = listed.count().filter(|all| all.checked_mul(listed.people as u128).is_some());
        let known = steps.zip(all);
        Self {
            listed,
            parts: known.map(|_| parts),
            begun: false,
            steps: known.map_or(effort.samples, |own| own.0),
            all: known.map(|own| own.1),
            cell_of: match known {
                Some(_) => cell_of.to_vec(),
                None => (0..listed.people as u32).collect(),
            },
            random: Random::stream(effort.seed, 0),
            current: vec![ABSENT; listed.people],
        }
    }

    /// The next world, and how many like it there are.
    pub fn next(&mut self) -> Option<(Vec<u32>, u128)> {
        let Some(parts) = &mut self.parts else { return Some((self.draw(), 1)) };
        let mut is_new = !std::mem::replace(&mut self.begun, true);
        if is_new {
            for part in &mut *parts {
                is_new &= part.advance();
                part.lay(&mut self.current);
            }
        } else {
            // As one counts up: a part that is through begins again, and the one before it goes on.
            for part in parts.iter_mut().rev() {
                is_new = part.advance();
                if !is_new {
                    part.advance();
                }
                part.lay(&mut self.current);
                if is_new {
                    break;
                }
            }
        }
        let weight = || parts.iter().map(|part| part.ways.weight().unwrap_or(0)).product();
        is_new.then(|| (self.current.clone(), weight()))
    }

    fn draw(&mut self) -> Vec<u32> {
        let Self { listed, random, current, .. } = self;
        let mut values = Vec::new();
        for class in &listed.classes {
            values.clear();
            values.extend(&class.values);
            random.shuffle(&mut values);
            class.people.iter().zip(&values).for_each(|(&own, &value)| current[own as usize] = value);
        }
        if listed.suppressed > 0 {
            values.clear();
            values.extend((0..listed.suppressed).map(|_| random.below(listed.tuples.len()) as u32));
            if listed.suppressed < listed.free.len() {
                values.resize(listed.free.len(), ABSENT);
                random.shuffle(&mut values);
            }
            listed.free.iter().zip(&values).for_each(|(&own, &value)| current[own as usize] = value);
        }
        current.clone()
    }
}

/// All ways in which some people have some values.
struct Part {
    /// Cell by cell its people.
    cells: Vec<Vec<u32>>,
    /// The values, and how often each occurs.
    values: Vec<u32>,
    counts: Vec<u32>,
    /// So many of the values, from the first on, may share what they occur together in every way.
    open: usize,
    ways: Ways,
}

impl Part {
    fn new(people: &[u32], cell_of: &[u32], values: Vec<u32>, counts: Vec<u32>, open: usize) -> Self {
        let mut sorted = people.to_vec();
        sorted.sort_by_key(|&own| cell_of[own as usize]);
        let same = |a: &u32, b: &u32| cell_of[*a as usize] == cell_of[*b as usize];
        let cells: Vec<Vec<u32>> = sorted.chunk_by(same).map(<[u32]>::to_vec).collect();
        let ways = Self::ways(&cells, &counts);
        Self { cells, values, counts, open, ways }
    }

    fn ways(cells: &[Vec<u32>], counts: &[u32]) -> Ways {
        let sizes: Vec<u32> = cells.iter().map(|own| own.len() as u32).collect();
        Ways::new(&sizes, counts)
    }

    fn of_class(class: &Bucket, cell_of: &[u32]) -> Self {
        let (values, counts) = class.counts().into_iter().unzip();
        Self::new(&class.people, cell_of, values, counts, 0)
    }

    fn of_free(listed: &Listed, cell_of: &[u32]) -> Self {
        let domain = listed.tuples.len();
        let values = (0..domain as u32).chain([ABSENT]).collect();
        let mut counts = vec![0; domain + 1];
        counts[0] = listed.suppressed as u32;
        counts[domain] += (listed.free.len() - listed.suppressed) as u32;
        Self::new(&listed.free, cell_of, values, counts, domain)
    }

    /// Goes on to the next way, or tells that there is none; then it begins again.
    fn advance(&mut self) -> bool {
        if self.ways.advance().is_some() {
            return true;
        }
        let open = &mut self.counts[..self.open];
        let Some((last, others)) = open.split_last_mut() else { return false };
        let moved = std::mem::take(last);
        let at = others.iter().rposition(|&count| count > 0);
        match at {
            // From one value to the next, with all that the last had.
            Some(at) => {
                open[at] -= 1;
                open[at + 1] += moved + 1;
            }
            None => open[0] += moved,
        }
        self.ways = Self::ways(&self.cells, &self.counts);
        at.is_some() && self.ways.advance().is_some()
    }

    /// How many ways there are; `None` where they are more than so many. It stands at the beginning again.
    fn count(&mut self, most: u64) -> Option<u64> {
        let mut count = 0;
        while self.advance() {
            count += 1;
            if count > most {
                return None;
            }
        }
        Some(count)
    }

    /// Gives the people their values; who of a cell has which is all the same.
    fn lay(&self, world: &mut [u32]) {
        let width = self.values.len();
        for (people, given) in self.cells.iter().zip(self.ways.given().chunks(width.max(1))) {
            let values = self.values.iter().zip(given);
            let values = values.flat_map(|(&value, &count)| std::iter::repeat_n(value, count as usize));
            people.iter().zip(values).for_each(|(&own, value)| world[own as usize] = value);
        }
    }
}
