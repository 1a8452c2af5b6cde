//! The records of a chosen candidate: who is in which class, and who is suppressed.

use privet_criteria::{Better, Class, Criterion, Histogram};
use rayon::prelude::*;

use super::intern::Interner;
use super::key::{Key, Layout};
use super::problem::{Codes, Problem};

/// The classes of a candidate over the records of the table.
#[derive(Debug, Clone)]
pub struct Partition {
    /// Per record its class. Classes are numbered in the order in which they first appear.
    pub class_of: Vec<u32>,
    /// Per class its records.
    pub rows: Vec<u64>,
    /// Per class its first record.
    pub first: Vec<u32>,
    /// Per class whether all criteria hold, so that it is published.
    pub kept: Vec<bool>,
    /// Per class the records with its most frequent class label; empty without a class column.
    pub majority: Vec<u64>,
    /// Per criterion what the worst published class reaches, and which class that is.
    pub reached: Vec<Option<(f64, u32)>>,
}

/// Forms the classes of a candidate from the records and judges each once more.
pub fn partition(problem: &Problem<'_>, levels: &[usize]) -> Partition {
    let sizes =
        problem.quasi.iter().zip(levels).map(|(q, &level)| q.generalization.levels[level].labels.len());
    let layout = Layout::new(sizes);
    let classes = match layout.words {
        1 => group::<1>(problem, levels, &layout),
        2 => group::<2>(problem, levels, &layout),
        3..=4 => group::<4>(problem, levels, &layout),
        5..=8 => group::<8>(problem, levels, &layout),
        _ => group::<32>(problem, levels, &layout),
    };
    judge(problem, classes)
}

struct Grouped {
    class_of: Vec<u32>,
    rows: Vec<u64>,
    first: Vec<u32>,
    population: Vec<u64>,
}

fn group<'p, const W: usize>(problem: &Problem<'p>, levels: &[usize], layout: &Layout) -> Grouped {
    // Per column and code the bits that it adds to a key.
    let bits: Vec<Vec<u64>> = problem
        .quasi
        .iter()
        .zip(levels)
        .zip(&layout.fields)
        .map(|((quasi, &level), field)| {
            quasi.generalization.levels[level].node_of_code.iter().map(|&node| field.put(node)).collect()
        })
        .collect();
    let pack = |begin: usize, codes: &dyn Fn(usize) -> &'p [u32], keys: &mut [Key<W>]| {
        for (i, (bits, field)) in bits.iter().zip(&layout.fields).enumerate() {
            for (key, &code) in keys.iter_mut().zip(&codes(i)[begin..]) {
                key[field.word] |= bits[code as usize];
            }
        }
    };
    const PART: usize = 1 << 14;
    let mut keys: Vec<Key<W>> = vec![[0; W]; problem.rows];
    keys.par_chunks_mut(PART).enumerate().for_each(|(part, keys)| {
        pack(part * PART, &|i| problem.quasi[i].codes, keys);
    });
    let mut interner = Interner::with_capacity(1024);
    let (mut rows, mut first) = (Vec::new(), Vec::new());
    let class_of = keys
        .iter()
        .enumerate()
        .map(|(row, key)| {
            let (class, new) = interner.intern(key);
            if new {
                rows.push(0u64);
                first.push(row as u32);
            }
            rows[class as usize] += 1;
            class
        })
        .collect();
    let mut population = vec![0u64; rows.len()];
    let people = problem.quasi.first().and_then(|q| q.population).map_or(0, <[u32]>::len);
    let mut person_keys: Vec<Key<W>> = vec![[0; W]; people];
    pack(0, &|i| problem.quasi[i].population.unwrap_or_default(), &mut person_keys);
    for key in &person_keys {
        let (class, new) = interner.intern(key);
        if new {
            population.push(0);
        }
        population[class as usize] += 1;
    }
    population.truncate(rows.len());
    Grouped { class_of, rows, first, population }
}

fn judge(problem: &Problem<'_>, classes: Grouped) -> Partition {
    let Grouped { class_of, rows, first, population } = classes;
    let looks = problem.criteria.iter().any(|criterion| !criterion.histograms().is_empty());
    let listed = looks || problem.label.is_some();
    let members = listed.then(|| Members::new(&class_of, rows.len()));
    let mut histograms: Vec<Counted<'_>> =
        if looks { problem.sensitive.iter().map(Counted::new).collect() } else { Vec::new() };
    let mut label = problem.label.as_ref().map(Counted::new);
    let mut partition = Partition {
        kept: Vec::with_capacity(rows.len()),
        majority: Vec::new(),
        reached: vec![None; problem.criteria.len()],
        class_of: Vec::new(),
        first,
        rows,
    };
    for (class, &people) in population.iter().enumerate() {
        let records = members.as_ref().map_or(&[][..], |members| members.of(class));
        for histogram in &mut histograms {
            histogram.fill(records);
        }
        let views: Vec<Histogram<'_>> = histograms.iter().map(Counted::view).collect();
        let view = Class { rows: partition.rows[class], population: people, histograms: &views };
        let kept = problem.criteria.iter().all(|criterion| criterion.holds(&view));
        if kept {
            for (criterion, worst) in problem.criteria.iter().zip(&mut partition.reached) {
                note_worst(&**criterion, &view, class as u32, worst);
            }
        }
        partition.kept.push(kept);
        if let Some(label) = &mut label {
            label.fill(records);
            partition.majority.push(label.view().occurring().max().map_or(0, u64::from));
            label.clear();
        }
        for histogram in &mut histograms {
            histogram.clear();
        }
    }
    partition.class_of = class_of;
    partition
}

fn note_worst(criterion: &dyn Criterion, view: &Class<'_>, class: u32, worst: &mut Option<(f64, u32)>) {
    let reached = criterion.reached(view);
    let worse = match (*worst, criterion.better()) {
        (None, _) => true,
        (Some((so_far, _)), Better::Higher) => reached < so_far,
        (Some((so_far, _)), Better::Lower) => reached > so_far,
    };
    if worse {
        *worst = Some((reached, class));
    }
}

/// The records of each class.
struct Members {
    starts: Vec<u32>,
    records: Vec<u32>,
}

impl Members {
    fn new(class_of: &[u32], classes: usize) -> Self {
        let mut starts = vec![0u32; classes + 1];
        for &class in class_of {
            starts[class as usize + 1] += 1;
        }
        for class in 0..classes {
            starts[class + 1] += starts[class];
        }
        let mut next = starts.clone();
        let mut records = vec![0; class_of.len()];
        for (record, &class) in class_of.iter().enumerate() {
            records[next[class as usize] as usize] = record as u32;
            next[class as usize] += 1;
        }
        Self { starts, records }
    }

    fn of(&self, class: usize) -> &[u32] {
        &self.records[self.starts[class] as usize..self.starts[class + 1] as usize]
    }
}

/// A histogram that is filled for one class after the other.
struct Counted<'a> {
    codes: &'a [u32],
    counts: Vec<u32>,
    present: Vec<u32>,
    total: u64,
}

impl<'a> Counted<'a> {
    fn new(codes: &Codes<'a>) -> Self {
        Self { codes: codes.codes, counts: vec![0; codes.values], present: Vec::new(), total: 0 }
    }

    fn fill(&mut self, records: &[u32]) {
        for &record in records {
            let code = self.codes[record as usize];
            if self.counts[code as usize] == 0 {
                self.present.push(code);
            }
            self.counts[code as usize] += 1;
        }
        self.total = records.len() as u64;
    }

    fn view(&self) -> Histogram<'_> {
        Histogram { counts: &self.counts, present: &self.present, total: self.total }
    }

    fn clear(&mut self) {
        for code in self.present.drain(..) {
            self.counts[code as usize] = 0;
        }
    }
}
