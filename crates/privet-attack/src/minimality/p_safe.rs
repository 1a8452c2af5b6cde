//! A p-safe search (survey ME-17, PM-34; Zhang, Jajodia and Brodsky): candidates are tried from the best to the coarsest, and one
//! is published only where the promises hold of what is left to believe of everybody over all originals for which this same
//! search would have published the same.
//!
//! That is no circle. Whether the first candidate is published depends on no other. Whether a later one is depends on the originals that
//! look the same under it and were not published before, which the earlier candidates decide. So candidates are decided one
//! after the other, each for all originals at once: those that are left and look the same are published together, or none of them is. They
//! are then the disclosure set of what is published.
//!
//! # Guarantee
//! Exact. An original is who has which sensitive value, all of them equally likely; the adversary knows who is in the table, everybody's
//! quasi-identifier, how often each value occurs in all records, and the search. Records that are left out are believed in as all others
//! are, and the promises must hold of them too. Originals are gone through one by one, people whom no candidate tells apart
//! being counted together; where there are more than can be gone through, nothing is decided. Whoever also knows in which order
//! records were published knows more than this.

mod originals;

use foldhash::{HashMap, HashMapExt, HashSet};
use privet_data::{Cancelled, Progress};

use originals::Originals;

/// What a candidate shows of who is who: the same for all originals, since it looks at no sensitive value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    /// Per person the class.
    pub class_of: Vec<u32>,
    /// Per class whether it is published. Of the people of all others together nothing is known but that they are left out.
    pub kept: Vec<bool>,
}

/// A p-safe search.
pub struct PSafeSearch<'a> {
    /// Per person the sensitive value, in the true original.
    pub codes: &'a [u32],
    /// How many different values there are.
    pub values: usize,
    /// Whether the promises hold of a published class, by how often it has each value.
    pub holds: &'a dyn Fn(&[u32]) -> bool,
    /// Whether they hold of what is believed of somebody, by how much speaks for each value.
    pub safe: &'a dyn Fn(&[u128]) -> bool,
    /// The most originals that are gone through.
    pub most: usize,
}

/// What a p-safe search publishes.
#[derive(Debug, Clone)]
pub struct PSafelyChosen {
    /// The candidate, by its place in the list.
    pub candidate: usize,
    /// How many originals lead to this.
    pub originals: u128,
    cell_of: Vec<u32>,
    cells: usize,
    values: usize,
    /// The originals that lead to this, as counts of values by cell.
    set: HashSet<Vec<u32>>,
    /// Per cell and value how much speaks for it.
    beliefs: Vec<u128>,
}

/// Why nothing was decided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PSafeSearchError {
    /// There are too many originals.
    #[error("there are more than {most} originals that would have to be gone through")]
    TooMany {
        /// How many are possible.
        most: usize,
    },
    /// The person asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl PSafelyChosen {
    /// Whether the same would have been published for these values.
    pub fn leads_here(&self, codes: &[u32]) -> bool {
        let mut counts = vec![0u32; self.cells * self.values];
        for (&cell, &code) in self.cell_of.iter().zip(codes) {
            counts[cell as usize * self.values + code as usize] += 1;
        }
        codes.len() == self.cell_of.len() && self.set.contains(&counts)
    }

    /// What is left to believe of a person: how much speaks for each value.
    pub fn belief(&self, person: usize) -> &[u128] {
        let cell = self.cell_of[person] as usize;
        &self.beliefs[cell * self.values..(cell + 1) * self.values]
    }
}

impl PSafeSearch<'_> {
    /// Decides among candidates, from the first to the last; `None` where none is safe. `grouping` gives a candidate by its place, and
    /// nothing after the last.
    ///
    /// # Errors
    /// When there are too many originals, or the person stopped it.
    pub fn decide(
        &self,
        mut grouping: impl FnMut(usize) -> Option<Grouping>,
        progress: &dyn Progress,
    ) -> Result<Option<PSafelyChosen>, PSafeSearchError> {
        let mut tried: Vec<Schema> = Vec::new();
        let mut originals = Originals::new(self.codes.len());
        // Whether each original is published, by one of those that were tried.
        let mut published: Vec<bool> = Vec::new();
        for candidate in 0.. {
            progress.check()?;
            let Some(grouping) = grouping(candidate) else { break };
            progress.at(candidate as u64);
            let schema = Schema::new(&grouping);
            let changed = originals.tell_apart(&schema.class_of);
            tried.push(schema);
            let since = match changed {
                true => {
                    originals.list(self.codes, self.values, self.most)?;
                    published = vec![false; originals.len()];
                    0
                }
                false => tried.len() - 1,
            };
            let mut judged = Judged::default();
            for (at, schema) in tried.iter().enumerate().skip(since) {
                progress.check()?;
                let set = self.stage(schema, &originals, &mut published, &mut judged);
                // Earlier ones are decided for the true original already; it was passed over.
                if at + 1 == tried.len()
                    && let Some((set, beliefs)) = set
                {
                    return Ok(Some(originals.chosen(candidate, &set, beliefs)));
                }
            }
        }
        Ok(None)
    }

    /// Decides one candidate for all originals that are not published yet. Gives the disclosure set of the true original, and what it
    /// leaves to believe, where that is published now.
    fn stage(
        &self,
        schema: &Schema,
        originals: &Originals,
        published: &mut [bool],
        judged: &mut Judged,
    ) -> Option<(Vec<u32>, Vec<u128>)> {
        let class_of_cell = originals.class_of_cells(&schema.class_of);
        let mut alike: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
        let mut shown = vec![0u32; schema.kept.len() * self.values];
        for original in (0..originals.len()).filter(|&own| !published[own]) {
            shown.fill(0);
            let counts = originals.counts(original);
            for (&class, counts) in class_of_cell.iter().zip(counts.chunks(self.values.max(1))) {
                let at = class as usize * self.values;
                shown[at..].iter_mut().zip(counts).for_each(|(shown, &count)| *shown += count);
            }
            match alike.get_mut(&shown) {
                Some(set) => set.push(original as u32),
                None => _ = alike.insert(shown.clone(), vec![original as u32]),
            }
        }
        let mut of_truth = None;
        for (shown, set) in alike {
            let mut classes = shown.chunks(self.values.max(1)).zip(&schema.kept);
            let is_kept = classes.all(|(counts, &kept)| {
                !kept || *judged.of_class.entry(counts.to_vec()).or_insert_with(|| (self.holds)(counts))
            });
            if !is_kept {
                continue;
            }
            let beliefs = originals.beliefs(&set);
            let is_safe = beliefs.chunks(self.values.max(1)).all(|belief| {
                let belief = reduced(belief);
                *judged.of_belief.entry(belief).or_insert_with_key(|belief| (self.safe)(belief))
            });
            if !is_safe {
                continue;
            }
            set.iter().for_each(|&own| published[own as usize] = true);
            if set.contains(&originals.truth()) {
                of_truth = Some((set, beliefs));
            }
        }
        of_truth
    }
}

/// What was judged before: few different histograms occur.
#[derive(Default)]
struct Judged {
    of_class: HashMap<Vec<u32>, bool>,
    of_belief: HashMap<Vec<u128>, bool>,
}

/// A grouping in which all who are left out are one class, and classes are numbered in the order in which they come.
struct Schema {
    class_of: Vec<u32>,
    kept: Vec<bool>,
}

impl Schema {
    fn new(grouping: &Grouping) -> Self {
        let mut number_of: HashMap<Option<u32>, u32> = HashMap::new();
        let mut kept = Vec::new();
        let class_of = grouping.class_of.iter().map(|&class| {
            let is_kept = grouping.kept[class as usize];
            *number_of.entry(is_kept.then_some(class)).or_insert_with(|| {
                kept.push(is_kept);
                kept.len() as u32 - 1
            })
        });
        let class_of = class_of.collect();
        Self { class_of, kept }
    }
}

/// The same weights without what they have in common.
pub(super) fn reduced(weights: &[u128]) -> Vec<u128> {
    let divisor = weights.iter().fold(0, |divisor, &weight| gcd(divisor, weight)).max(1);
    weights.iter().map(|&weight| weight / divisor).collect()
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests;
