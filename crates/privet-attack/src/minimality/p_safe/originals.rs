//! The originals that may lead to one of some candidates: who has which sensitive value, people whom none of them tells apart
//! being counted together.
//!
//! People stand in one *cell* when every candidate so far puts them into one class: who of them has which value changes nothing, so an
//! original is how often each cell has each value, and stands for all ways to share these out in the cell. Cells stand in one *block* when
//! candidates put them together, at once or one by way of another. An original that looks like the true one under some
//! candidate has the same values in each block, and so has whatever looks like that one under another: those are all that are listed.

use super::super::ways::Ways;
use super::{HashMap, HashMapExt, PSafeSearchError, PSafelyChosen};

/// The most numbers that all originals together are made of, and that one is.
const MOST_COUNTS: usize = 1 << 26;
const MOST_IN_ONE: usize = 1 << 22;

/// The originals.
pub(super) struct Originals {
    cell_of: Vec<u32>,
    /// Per cell the number of its people, once they are listed.
    sizes: Vec<u32>,
    /// Per person somebody of the same block.
    joined: Vec<u32>,
    /// Per original and cell how often it has each value.
    counts: Vec<u32>,
    /// Per original how many there are like it.
    weights: Vec<u128>,
    values: usize,
    truth: u32,
    started: bool,
}

impl Originals {
    pub fn new(people: usize) -> Self {
        Self {
            cell_of: vec![0; people],
            sizes: Vec::new(),
            joined: (0..people as u32).collect(),
            counts: Vec::new(),
            weights: Vec::new(),
            values: 0,
            truth: 0,
            started: false,
        }
    }

    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// The true original.
    pub fn truth(&self) -> u32 {
        self.truth
    }

    /// Takes another candidate into account. Tells whether cells or blocks are others now, so that originals must be listed anew.
    pub fn tell_apart(&mut self, class_of: &[u32]) -> bool {
        let mut number_of: HashMap<(u32, u32), u32> = HashMap::new();
        let mut changed = !std::mem::replace(&mut self.started, true);
        let before = self.cell_of.iter().max().map_or(0, |&cell| cell + 1);
        for (cell, &class) in self.cell_of.iter_mut().zip(class_of) {
            let next = number_of.len() as u32;
            *cell = *number_of.entry((*cell, class)).or_insert(next);
        }
        changed |= number_of.len() as u32 != before;
        let mut first_of: HashMap<u32, u32> = HashMap::new();
        for (person, &class) in (0u32..).zip(class_of) {
            let first = *first_of.entry(class).or_insert(person);
            let (a, b) = (self.block_of(first), self.block_of(person));
            if a != b {
                self.joined[a.max(b) as usize] = a.min(b);
                changed = true;
            }
        }
        changed
    }

    fn block_of(&mut self, person: u32) -> u32 {
        let mut at = person;
        while self.joined[at as usize] != at {
            let above = self.joined[at as usize];
            self.joined[at as usize] = self.joined[above as usize];
            at = above;
        }
        at
    }

    /// Lists all originals that have the true values in each block.
    pub fn list(&mut self, codes: &[u32], values: usize, most: usize) -> Result<(), PSafeSearchError> {
        let too_many = PSafeSearchError::TooMany { most };
        let cells = self.cell_of.iter().max().map_or(0, |&cell| cell as usize + 1);
        if cells.saturating_mul(values) > MOST_IN_ONE {
            return Err(too_many);
        }
        let mut sizes = vec![0u32; cells];
        let mut block_of_cell = vec![0u32; cells];
        let mut truth = vec![0u32; cells * values];
        for (person, &code) in (0u32..).zip(codes) {
            let cell = self.cell_of[person as usize] as usize;
            sizes[cell] += 1;
            block_of_cell[cell] = self.block_of(person);
            truth[cell * values + code as usize] += 1;
        }
        let mut blocks: Vec<usize> = (0..cells).collect();
        blocks.sort_by_key(|&cell| block_of_cell[cell]);
        // From block to block every original so far goes with every way to share out the values of the block.
        self.counts = vec![0; cells * values];
        self.weights = vec![1];
        for own in blocks.chunk_by(|&a, &b| block_of_cell[a] == block_of_cell[b]) {
            let mut left = vec![0u32; values];
            for &cell in own {
                let counts = &truth[cell * values..(cell + 1) * values];
                left.iter_mut().zip(counts).for_each(|(left, &count)| *left += count);
            }
            let sizes: Vec<u32> = own.iter().map(|&cell| sizes[cell]).collect();
            let room =
                (most / self.weights.len()).min(MOST_COUNTS / (self.weights.len() * cells * values).max(1));
            let ways = ways(&sizes, &left, room).ok_or(too_many.clone())?;
            if let [(way, more)] = &ways[..] {
                // In place: there may be many such blocks.
                for (original, weight) in
                    self.counts.chunks_mut((cells * values).max(1)).zip(&mut self.weights)
                {
                    for (&cell, shared) in own.iter().zip(way.chunks(values.max(1))) {
                        original[cell * values..][..values].copy_from_slice(shared);
                    }
                    *weight = weight.checked_mul(*more).ok_or(too_many.clone())?;
                }
                continue;
            }
            let (mut counts, mut weights): (Vec<u32>, Vec<u128>) = Default::default();
            for (original, &weight) in self.counts.chunks((cells * values).max(1)).zip(&self.weights) {
                for (way, more) in &ways {
                    let begin = counts.len();
                    counts.extend(original);
                    for (&cell, shared) in own.iter().zip(way.chunks(values.max(1))) {
                        counts[begin + cell * values..][..values].copy_from_slice(shared);
                    }
                    weights.push(weight.checked_mul(*more).ok_or(too_many.clone())?);
                }
            }
            (self.counts, self.weights) = (counts, weights);
        }
        // What is believed adds up weights times people.
        let all = self.weights.iter().try_fold(0u128, |all, &weight| all.checked_add(weight));
        let largest = u128::from(sizes.iter().copied().max().unwrap_or(1).max(1));
        all.and_then(|all| all.checked_mul(largest)).ok_or(too_many)?;
        (self.sizes, self.values) = (sizes, values);
        let at = (0..self.len()).find(|&own| self.counts(own) == truth);
        self.truth = at.expect("the true original is listed") as u32; // why: its values are one way to share themselves out
        Ok(())
    }

    /// How often each cell of an original has each value.
    pub fn counts(&self, original: usize) -> &[u32] {
        let width = self.sizes.len() * self.values;
        &self.counts[original * width..(original + 1) * width]
    }

    /// Per cell its class under a candidate.
    pub fn class_of_cells(&self, class_of: &[u32]) -> Vec<u32> {
        let mut of_cells = vec![0; self.sizes.len()];
        self.cell_of.iter().zip(class_of).for_each(|(&cell, &class)| of_cells[cell as usize] = class);
        of_cells
    }

    /// Per cell and value how much speaks for it, when one of these originals is the true one.
    pub fn beliefs(&self, set: &[u32]) -> Vec<u128> {
        let mut beliefs = vec![0u128; self.sizes.len() * self.values];
        for &original in set {
            let weight = self.weights[original as usize];
            let counts = self.counts(original as usize);
            beliefs.iter_mut().zip(counts).for_each(|(belief, &count)| *belief += weight * u128::from(count));
        }
        beliefs
    }

    /// What is published, when these are its originals.
    pub fn chosen(self, candidate: usize, set: &[u32], beliefs: Vec<u128>) -> PSafelyChosen {
        PSafelyChosen {
            candidate,
            originals: set.iter().map(|&own| self.weights[own as usize]).sum(),
            cells: self.sizes.len(),
            values: self.values,
            set: set.iter().map(|&own| self.counts(own as usize).to_vec()).collect(),
            cell_of: self.cell_of,
            beliefs,
        }
    }
}

/// All ways to share out values among cells of given sizes, per way and cell how often it gets each value, with how often each comes
/// about when people are told apart; `None` where there are more than `most`.
fn ways(sizes: &[u32], values: &[u32], most: usize) -> Option<Vec<(Vec<u32>, u128)>> {
    let mut ways = Ways::new(sizes, values);
    let mut found = Vec::new();
    while let Some(given) = ways.advance() {
        if found.len() >= most {
            return None;
        }
        let given = given.to_vec();
        found.push((given, ways.weight()?));
    }
    Some(found)
}
