//! Judges a candidate: which classes fail, what it costs, and what that says of finer candidates.

use std::sync::OnceLock;

use privet_criteria::{
    Choice, Class, Criterion, Histogram, Merging, Summaries, fewest_suppressed, judge_together,
};
use privet_measure::{Objective, Tally};

use super::columns::QuasiColumn;
use super::rollup::{Classes, Scratch};
use super::snapshot::Snapshot;

/// What is known of a candidate once its classes are formed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// Records in failing classes; all of them are suppressed. Counted up to the point where the candidate is
    /// known to be hopeless, unless asked to go on; `u64::MAX` when no suppression can mend it.
    pub suppressed: u64,
    /// Whether no more records are suppressed than allowed.
    pub safe: bool,
    /// Whether every finer candidate suppresses more than allowed.
    pub hopeless_below: bool,
    /// The metric, when safe.
    pub value: f64,
    /// What suppression adds at least, here and in every finer candidate (additive metrics).
    pub surcharge: f64,
    /// Records that must be suppressed at least, here and in every finer candidate.
    pub least: u64,
    /// The number of classes that are kept.
    pub classes: u64,
    /// Whether the fewest records are suppressed that can be, or it is known that they are too many. Criteria that judge
    /// classes together leave a choice, and looking for the best one has an end.
    pub settled: bool,
}

impl Judgement {
    /// Of a candidate that suppresses too much, as every finer one does.
    pub fn hopeless() -> Self {
        Self {
            suppressed: u64::MAX,
            safe: false,
            hopeless_below: true,
            value: f64::INFINITY,
            surcharge: f64::INFINITY,
            least: 0,
            classes: 0,
            settled: true,
        }
    }
}

/// The histograms that criteria look at, taken from the recorded sensitive combinations.
#[derive(Debug, Clone)]
pub struct Histograms {
    /// Per histogram, and per recorded combination, the code it counts; `None` for a histogram that no
    /// criterion looks at.
    pub code_of: Vec<Option<Vec<u32>>>,
    /// Per histogram the size of its domain.
    pub sizes: Vec<usize>,
    /// The histogram of class labels, for the classification metric.
    pub label: Option<usize>,
}

/// Histograms of all classes are made at once where they have no more counts than this, which stay in the cache.
const MOST_COUNTS: usize = 1 << 18;

impl Histograms {
    /// The size of the domain of the only histogram, and per recorded combination the code it counts, where the
    /// histograms of so many classes can be made at once.
    fn flat(&self, classes: usize) -> Option<(usize, &[u32])> {
        match (&self.sizes[..], &self.code_of[..], self.label) {
            (&[size], [Some(codes)], None) if size <= 64 && classes * size <= MOST_COUNTS => {
                Some((size, codes))
            }
            _ => None,
        }
    }

    /// How many records of a class have its most frequent label.
    fn majority(&self, filled: &[Histogram<'_>]) -> u64 {
        self.label.and_then(|label| filled[label].occurring().max()).map_or(0, u64::from)
    }
}

/// All that judging needs besides the classes themselves.
pub struct Judge<'a> {
    /// The quasi columns.
    pub columns: &'a [QuasiColumn],
    /// What must hold and is seen from counts alone.
    pub counting: Vec<&'a dyn Criterion>,
    /// What must hold and is seen from histograms.
    pub looking: Vec<&'a dyn Criterion>,
    /// Those of them that also judge together what all others keep.
    pub together: Vec<&'a dyn Criterion>,
    /// What is minimized.
    pub objective: &'a Objective,
    /// Per column, level and node what suppressing one record adds (additive metrics).
    pub surcharges: Vec<Vec<Vec<f64>>>,
    /// The most records that may be suppressed.
    pub limit: u64,
    /// Histograms, when any criterion or the metric looks at one.
    pub histograms: Option<Histograms>,
    /// Per number of records, for small classes, what the counting criteria say of them; made when first needed.
    pub small: OnceLock<Vec<(bool, u64)>>,
}

/// Classes of fewer records are looked up.
const SMALL: u64 = 64;

/// When to stop looking at classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// As soon as the candidate, and with it every finer one, is known to suppress too much.
    WhenHopeless,
    /// After the last class.
    Never,
}

/// Buffers for the histograms of one class.
#[derive(Debug, Default)]
pub struct HistogramScratch {
    counts: Vec<Vec<u32>>,
    present: Vec<Vec<u32>>,
    failing: Vec<(u32, u64)>,
    volumes: Vec<(u64, f64)>,
    /// The classes that hold by themselves, and what they tell the criteria that judge them together.
    waiting: Vec<Judged>,
    told: Vec<Summaries>,
    /// The histograms of all classes, one after the other, where there is one small one for each.
    flat: Vec<u32>,
    /// Per column and node of the source what suppressing one record adds.
    costs: Vec<f64>,
}

/// A class that was looked at by itself.
#[derive(Debug, Clone, Copy)]
struct Judged {
    class: u32,
    rows: u64,
    volume: f64,
    majority: u64,
}

impl Judge<'_> {
    /// Judges the classes that were formed last from `source` at `levels`.
    pub fn judge<const W: usize>(
        &self,
        scratch: &mut Scratch<W>,
        buffers: &mut HistogramScratch,
        source: &Snapshot<W>,
        levels: &[usize],
        stop: Stop,
    ) -> Judgement {
        let mut flat = None;
        if let Some(histograms) = &self.histograms {
            // Counts are quick to look at and often say enough.
            if stop == Stop::WhenHopeless && self.too_small(&scratch.classes) {
                return Judgement::hopeless();
            }
            flat = histograms.flat(scratch.classes.rows().len());
            match flat {
                Some((width, codes)) => {
                    scratch.classes.count(&source.sensitive, codes, width, &mut buffers.flat);
                }
                None => scratch.classes.list_members(),
            }
        }
        let classes = &scratch.classes;
        let (mut suppressed, mut least, mut kept) = (0u64, 0u64, 0u64);
        let mut tally = Tally::default();
        let (mut hopeless, mut settled) = (false, true);
        buffers.failing.clear();
        buffers.volumes.clear();
        buffers.waiting.clear();
        buffers.told.resize_with(self.together.len(), Summaries::default);
        buffers.told.iter_mut().for_each(Summaries::clear);
        for index in 0..classes.rows().len() {
            let rows = u64::from(classes.rows()[index]);
            let population = classes.population.get(index).map_or(0, |&people| u64::from(people));
            let (mut holds, mut bound) = self.look_at_counts(rows, population, classes.population.is_empty());
            let mut majority = 0;
            if let Some(histograms) = &self.histograms
                && (bound < rows || rows == 0 || histograms.label.is_some())
            {
                if flat.is_none() {
                    buffers.fill(histograms, source, classes.members(index));
                }
                buffers.with_class(histograms, rows, flat.map(|(width, _)| index * width), |filled, told| {
                    let class = Class { rows, population, histograms: filled };
                    let (also, more) = self.look(&self.looking, &class);
                    holds &= also;
                    bound = bound.max(more);
                    if holds && rows > 0 {
                        for (criterion, told) in self.together.iter().zip(told) {
                            told.add(*criterion, &class);
                        }
                    }
                    majority = histograms.majority(filled);
                });
            }
            if rows == 0 {
                // People without records: nothing to suppress, and nothing that suppression could mend.
                if !holds {
                    suppressed = u64::MAX;
                    hopeless = true;
                    break; // no count of records would say more
                }
                continue;
            }
            kept += u64::from(holds);
            if !holds {
                suppressed += rows;
                least += bound;
                buffers.failing.push((index as u32, bound));
                if least > self.limit {
                    hopeless = true;
                    if stop == Stop::WhenHopeless {
                        break;
                    }
                }
            }
            let volume = match self.objective {
                Objective::Grouped(grouped) if grouped.needs_volume() => {
                    self.log_volume(source, classes.example()[index] as usize, levels)
                }
                _ => 0.0,
            };
            let judged = Judged { class: index as u32, rows, volume, majority };
            if holds && !self.together.is_empty() {
                buffers.waiting.push(judged);
            } else {
                self.weigh(&judged, holds, &mut tally, &mut buffers.volumes);
            }
        }
        if !self.together.is_empty() && (!hopeless || stop == Stop::Never) {
            let monotone = self.together.iter().all(|criterion| criterion.merging() != Merging::Arbitrary);
            let rows: Vec<u64> = buffers.waiting.iter().map(|judged| judged.rows).collect();
            let left = self.limit.checked_sub(suppressed).filter(|_| !hopeless);
            let choice = choose(&self.together, &buffers.told, &rows, left);
            settled = left.is_none_or(|left| choice.is_settled(left));
            for (judged, stays) in buffers.waiting.iter().zip(choice.stays) {
                self.weigh(judged, stays, &mut tally, &mut buffers.volumes);
                if !stays {
                    kept -= 1;
                    suppressed = suppressed.saturating_add(judged.rows);
                    // Which records must go, of this class or of another, is not known; that one must, is.
                    buffers.failing.push((judged.class, 0));
                    least = least.max(u64::from(monotone));
                }
            }
            hopeless |= least > self.limit;
        }
        let safe = !hopeless && suppressed <= self.limit;
        let (value, surcharge) = match self.objective {
            _ if hopeless => (f64::INFINITY, f64::INFINITY),
            Objective::Additive(additive) => {
                let (mut all, mut surely) = (0.0, 0.0);
                if !buffers.failing.is_empty() {
                    self.tabulate_surcharges(source, levels, &mut buffers.costs);
                }
                for &(class, bound) in &buffers.failing {
                    let rows = f64::from(classes.rows()[class as usize]);
                    let each =
                        self.surcharge(source, classes.example()[class as usize] as usize, &buffers.costs);
                    all += rows * each;
                    surely += bound as f64 * each;
                }
                (additive.floor(levels) + all, surely)
            }
            Objective::Grouped(grouped) => (grouped.value(&tally, buffers.volumes.iter().copied()), 0.0),
        };
        Judgement {
            suppressed,
            safe,
            hopeless_below: hopeless,
            value,
            surcharge,
            least,
            classes: kept,
            settled,
        }
    }

    /// Whether counts alone tell that more records than allowed must be suppressed, here and in every finer candidate.
    fn too_small(&self, classes: &Classes) -> bool {
        if classes.rows().iter().map(|&rows| u64::from(rows)).sum::<u64>() <= self.limit {
            return false;
        }
        let mut least = 0;
        classes.rows().iter().enumerate().any(|(index, &rows)| {
            let population = classes.population.get(index).map_or(0, |&people| u64::from(people));
            let (holds, bound) =
                self.look_at_counts(u64::from(rows), population, classes.population.is_empty());
            if !holds && rows > 0 {
                least += bound;
            }
            least > self.limit
        })
    }

    /// Adds a class to a metric over classes.
    fn weigh(&self, judged: &Judged, holds: bool, tally: &mut Tally, volumes: &mut Vec<(u64, f64)>) {
        if let Objective::Grouped(grouped) = self.objective {
            grouped.add(tally, judged.rows, judged.volume, judged.majority, holds);
            if holds && grouped.needs_volume() {
                volumes.push((judged.rows, judged.volume));
            }
        }
    }

    /// Whether the classes that were formed last from `source` suppress no more than allowed. The metric is not
    /// looked at, so that columns may have been dropped; nor is what criteria say of classes together.
    pub fn is_safe<const W: usize>(
        &self,
        scratch: &mut Scratch<W>,
        buffers: &mut HistogramScratch,
        source: &Snapshot<W>,
    ) -> bool {
        // Counts are quick to look at and often say enough.
        if !self.is_safe_by(&scratch.classes, |class, _| self.hold(&self.counting, class)) {
            return false;
        }
        let Some(histograms) = self.histograms.as_ref().filter(|_| !self.looking.is_empty()) else {
            return true;
        };
        scratch.classes.list_members();
        let classes = &scratch.classes;
        self.is_safe_by(classes, |class, index| {
            self.hold(&self.counting, class) && {
                buffers.fill(histograms, source, classes.members(index));
                buffers.with(histograms, class.rows, |filled| {
                    self.hold(&self.looking, &Class { histograms: filled, ..*class })
                })
            }
        })
    }

    fn is_safe_by(&self, classes: &Classes, mut holds: impl FnMut(&Class<'_>, usize) -> bool) -> bool {
        let mut suppressed = 0;
        for (index, &rows) in classes.rows().iter().enumerate() {
            let population = classes.population.get(index).map_or(0, |&people| u64::from(people));
            let class = Class { rows: u64::from(rows), population, histograms: &[] };
            if !holds(&class, index) {
                suppressed += class.rows;
                // People without records that fail: no suppression mends that.
                if rows == 0 || suppressed > self.limit {
                    return false;
                }
            }
        }
        true
    }

    /// Whether all of these criteria hold.
    fn hold(&self, criteria: &[&dyn Criterion], class: &Class<'_>) -> bool {
        criteria
            .iter()
            .all(|criterion| (class.rows == 0 && !criterion.judges_absence()) || criterion.holds(class))
    }

    /// The same judge with one criterion only.
    pub fn alone<'b>(&'b self, criterion: &'b dyn Criterion) -> Judge<'b> {
        let looks = !criterion.histograms().is_empty();
        Judge {
            columns: self.columns,
            counting: if looks { Vec::new() } else { vec![criterion] },
            looking: if looks { vec![criterion] } else { Vec::new() },
            together: if criterion.bucket_independent() { Vec::new() } else { vec![criterion] },
            objective: self.objective,
            surcharges: self.surcharges.clone(),
            limit: self.limit,
            histograms: self.histograms.clone(),
            small: OnceLock::new(),
        }
    }

    /// A lower bound of the metric for this candidate and all coarser ones, from classes just formed.
    pub fn bound<const W: usize>(&self, source: &Snapshot<W>, buffers: &mut HistogramScratch) -> f64 {
        let Objective::Grouped(grouped) = self.objective else { return 0.0 };
        let mut tally = Tally::default();
        for tuple in 0..source.len() {
            let rows = u64::from(source.rows.get(tuple));
            if rows == 0 {
                continue;
            }
            let volume =
                if grouped.needs_volume() { self.log_volume(source, tuple, &source.levels) } else { 0.0 };
            let majority = match &self.histograms {
                Some(histograms) if histograms.label.is_some() => {
                    buffers.fill(histograms, source, &[tuple as u32]);
                    buffers.with(histograms, rows, |filled| histograms.majority(filled))
                }
                _ => 0,
            };
            grouped.add(&mut tally, rows, volume, majority, true);
        }
        grouped.bound(&tally, self.limit)
    }

    /// What the counting criteria say of a class. Without a population its size is all that they see.
    fn look_at_counts(&self, rows: u64, population: u64, is_size: bool) -> (bool, u64) {
        let look = |rows| self.look(&self.counting, &Class { rows, population, histograms: &[] });
        if !is_size || rows >= SMALL {
            return look(rows);
        }
        self.small.get_or_init(|| (0..SMALL).map(look).collect())[rows as usize]
    }

    /// Whether all criteria hold, and how many records must leave the class at least.
    fn look(&self, criteria: &[&dyn Criterion], class: &Class<'_>) -> (bool, u64) {
        let mut holds = true;
        let mut bound = 0;
        for criterion in criteria {
            if class.rows == 0 && !criterion.judges_absence() {
                continue;
            }
            if !criterion.holds(class) {
                holds = false;
                if bound < class.rows {
                    bound = bound.max(criterion.least_suppression(class));
                }
            }
        }
        (holds, bound.min(class.rows))
    }

    /// Per column and node of the source what suppressing one record at these levels adds, column after column.
    fn tabulate_surcharges<const W: usize>(
        &self,
        source: &Snapshot<W>,
        levels: &[usize],
        costs: &mut Vec<f64>,
    ) {
        costs.clear();
        for (i, column) in self.columns.iter().enumerate() {
            let own = &self.surcharges[i][levels[i]];
            costs.extend(column.step(source.levels[i], levels[i]).iter().map(|&node| own[node as usize]));
        }
    }

    fn surcharge<const W: usize>(&self, source: &Snapshot<W>, tuple: usize, costs: &[f64]) -> f64 {
        let mut sum = 0.0;
        let mut begin = 0;
        for (i, column) in self.columns.iter().enumerate() {
            sum += costs[begin + source.node(tuple, i)];
            begin += column.size(source.levels[i]);
        }
        sum
    }

    fn log_volume<const W: usize>(&self, source: &Snapshot<W>, tuple: usize, levels: &[usize]) -> f64 {
        let mut sum = 0.0;
        for (i, column) in self.columns.iter().enumerate() {
            let node = column.step(source.levels[i], levels[i])[source.node(tuple, i)];
            sum += column.log_leaves(levels[i])[node as usize];
        }
        sum
    }
}

/// Which classes stay, of those that hold by themselves: suppressing the fewest records where some number of them may be,
/// and otherwise whoever is not exposed.
pub(super) fn choose(
    together: &[&dyn Criterion],
    told: &[Summaries],
    rows: &[u64],
    limit: Option<u64>,
) -> Choice {
    match limit {
        Some(limit) => fewest_suppressed(together, told, rows, limit),
        None => {
            let stays = judge_together(together, told);
            let gone = rows.iter().zip(&stays).filter(|(_, stays)| !**stays);
            Choice { suppressed: gone.map(|(rows, _)| rows).sum(), at_least: 0, stays }
        }
    }
}

impl HistogramScratch {
    fn fill<const W: usize>(&mut self, histograms: &Histograms, source: &Snapshot<W>, tuples: &[u32]) {
        self.counts.resize_with(histograms.sizes.len(), Vec::new);
        self.present.resize_with(histograms.sizes.len(), Vec::new);
        for (h, code_of) in histograms.code_of.iter().enumerate() {
            let Some(code_of) = code_of else { continue };
            let (counts, present) = (&mut self.counts[h], &mut self.present[h]);
            counts.resize(histograms.sizes[h], 0);
            for &tuple in tuples {
                for i in source.sensitive.of(tuple as usize) {
                    let code = code_of[source.sensitive.values.get(i) as usize];
                    let count = &mut counts[code as usize];
                    if *count == 0 {
                        present.push(code);
                    }
                    *count += source.sensitive.counts.get(i);
                }
            }
        }
    }

    /// Shows the histogram of a class that begins at a place of the flat ones, or else the filled ones, which it empties;
    /// beside it what classes told.
    fn with_class<R>(
        &mut self,
        histograms: &Histograms,
        rows: u64,
        flat: Option<usize>,
        look: impl FnOnce(&[Histogram<'_>], &mut [Summaries]) -> R,
    ) -> R {
        let mut told = std::mem::take(&mut self.told);
        let result = match flat {
            None => self.with(histograms, rows, |filled| look(filled, &mut told)),
            Some(begin) => {
                let counts = &self.flat[begin..begin + histograms.sizes[0]];
                let mut present = [0u32; 64];
                let mut values = 0;
                for (code, &count) in (0u32..).zip(counts) {
                    present[values] = code;
                    values += usize::from(count > 0);
                }
                look(&[Histogram { counts, present: &present[..values], total: rows }], &mut told)
            }
        };
        self.told = told;
        result
    }

    /// Shows the filled histograms and empties them.
    fn with<R>(&mut self, histograms: &Histograms, rows: u64, look: impl FnOnce(&[Histogram<'_>]) -> R) -> R {
        let view = |h: usize| Histogram { counts: &self.counts[h], present: &self.present[h], total: rows };
        // The usual case of one histogram allocates nothing.
        let result = match histograms.sizes.len() {
            1 => look(&[view(0)]),
            many => look(&(0..many).map(view).collect::<Vec<_>>()),
        };
        for (counts, present) in self.counts.iter_mut().zip(&mut self.present) {
            for code in present.drain(..) {
                counts[code as usize] = 0;
            }
        }
        result
    }
}
