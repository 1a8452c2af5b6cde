//! Mondrian for tables that memory does not hold (survey ME-09, the scalable variants; LeFevre and DeWitt's Rothko).
//!
//! 1. Every so-manieth record makes a sample that fits the limit. It is cut into parts that should be small enough.
//! 2. All records are routed through the cuts of the sample and counted. A cut of which a part fails a criterion, or
//!    into children of which the sample missed one, is undone, together with those below it.
//! 3. A part that is still larger than the limit is cut by passes over the table: exact counts of its places decide,
//!    as they would in memory.
//! 4. The other parts are loaded, as many at once as fit the limit, and cut in memory.
//!
//! What it guarantees: every group satisfies every criterion, judged by exact counts, and no cut of any group is allowed
//! (strict mode, widest column first). The first cuts are those of the sample, not at exact medians, so the groups are
//! not those of a search in memory; the bounds on their sizes hold all the same, because they follow from minimality.
//!
//! Memory: at most the limit of records at once, besides the chunk that is being read, and the histograms of the parts.
//! The part of each record is kept in [`Names`], in memory or in a file. The table is read about 2 + 2n/limit times,
//! more when parts remain that the sample did not cut.

use std::sync::atomic::AtomicU64;

use privet_data::Progress;

use super::candidates::{Cut, Sides, attempt_each};
use super::chunks::{Chunk, Chunks};
use super::cutter::{Cutter, Grown};
use super::judge::{Counts, Rule};
use super::names::Names;
use super::router::Router;
use super::rows::{Table, Visit, bytes_of_row, with_table};
use super::space::Space;
use super::{Choose, Mode, Mondrian, require_safe};
use crate::groups::Groups;
use crate::lattice::{Codes, Problem, SearchError};

/// What a search by passes found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundOutOfCore {
    /// Who is with whom.
    pub groups: Groups,
    /// How often the table was read.
    pub passes: u64,
    /// The most records that were held at once.
    pub most_held: usize,
}

/// What a search by passes found that left the group of each record in its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundInPasses {
    /// How many groups there are.
    pub groups: usize,
    /// How often the table was read.
    pub passes: u64,
    /// The most records that were held at once.
    pub most_held: usize,
}

/// The bytes that a search by passes needs for each record that it holds: its codes, its row twice, and what is found
/// for it.
pub fn bytes_per_record(problem: &Problem<'_>) -> u64 {
    let codes = problem.quasi.len() + problem.sensitive.len();
    // The number of the record, its place in the order, and its number with the name of its group.
    4 * codes as u64 + 2 * bytes_of_row(&Space::new(problem)) + 16
}

impl Mondrian {
    /// Looks for groups of records that are read in passes, at most `memory-limit` of them held at once. Of the problem
    /// only what describes the columns is used: its codes may be empty.
    ///
    /// # Errors
    /// As [`search`](Mondrian::search); also when there is no limit, or it is combined with what needs all records.
    pub fn search_out_of_core(
        &self,
        problem: &Problem<'_>,
        chunks: &mut dyn Chunks,
        progress: &dyn Progress,
    ) -> Result<FoundOutOfCore, SearchError> {
        let mut names = Names::in_memory(problem.rows);
        let FoundInPasses { groups, passes, most_held } =
            self.search_in_passes(problem, chunks, &mut names, progress)?;
        Ok(FoundOutOfCore { groups: names.into_groups(groups)?, passes, most_held })
    }

    /// The same, with the group of each record left in its name: from 0 on, in the order in which they first appear.
    ///
    /// # Errors
    /// As [`search_out_of_core`](Mondrian::search_out_of_core); also when there is not one name for each record.
    pub fn search_in_passes(
        &self,
        problem: &Problem<'_>,
        chunks: &mut dyn Chunks,
        names: &mut Names,
        progress: &dyn Progress,
    ) -> Result<FoundInPasses, SearchError> {
        self.check()?;
        let refused = |problem| Err(SearchError::Parameter { key: "search.mondrian.memory-limit", problem });
        let limit = match self.memory_limit {
            Some(limit) if limit > 0 => limit.min(u64::from(u32::MAX)) as usize,
            _ => return refused("must be a number of records above 0"),
        };
        if self.mode != Mode::Strict || self.choose != Choose::Width || self.three_d.is_some() {
            return refused(
                "goes with mode = \"strict\", choose = \"width\" and without three-d; leave it out",
            );
        }
        if names.len() != problem.rows {
            return refused("needs a name for each record");
        }
        if problem.rows >= u32::MAX as usize {
            return Err(SearchError::TooManyRows);
        }
        let (rule, space) = (Rule::new(problem, false)?, Space::new(problem));
        if problem.rows == 0 {
            return Ok(FoundInPasses { groups: 0, passes: 0, most_held: 0 });
        }
        let mut search = OutOfCore {
            problem,
            space: &space,
            rule: &rule,
            sides: self.sides(),
            limit,
            chunks,
            names,
            progress,
            passes: 0,
            most_held: 0,
            next: 1,
        };
        let parts = search.cut_by_sample()?;
        let parts = search.cut_by_passes(parts)?;
        search.finish(&parts)?;
        let groups = search.number()?;
        Ok(FoundInPasses { groups, passes: search.passes, most_held: search.most_held })
    }
}

/// A part that stands by itself: its name, and its records.
type Part = (u32, usize);

/// A search in progress.
struct OutOfCore<'a, 'p> {
    problem: &'a Problem<'p>,
    space: &'a Space,
    rule: &'a Rule<'a>,
    sides: Sides,
    limit: usize,
    chunks: &'a mut dyn Chunks,
    names: &'a mut Names,
    progress: &'a dyn Progress,
    passes: u64,
    most_held: usize,
    /// The next unused name of a part.
    next: u32,
}

/// Records that were loaded.
struct Loaded {
    records: Vec<u32>,
    quasi: Vec<Vec<u32>>,
    sensitive: Vec<Vec<u32>>,
}

impl Loaded {
    /// Room for so many records, and no more.
    fn of(problem: &Problem<'_>, rows: usize) -> Self {
        let column = || Vec::with_capacity(rows);
        Self {
            records: column(),
            quasi: problem.quasi.iter().map(|_| column()).collect(),
            sensitive: problem.sensitive.iter().map(|_| column()).collect(),
        }
    }

    fn push(&mut self, chunk: &Chunk<'_>, at: usize) {
        self.records.push((chunk.first + at) as u32);
        let columns =
            self.quasi.iter_mut().zip(chunk.quasi).chain(self.sensitive.iter_mut().zip(chunk.sensitive));
        for (to, from) in columns {
            to.push(from[at]);
        }
    }
}

/// Passes on that a person asked to stop, and nothing else: what is cut in memory is a part of a larger stage.
struct Quiet<'a>(&'a dyn Progress);

impl Progress for Quiet<'_> {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn at(&self, _done: u64) {}
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

impl OutOfCore<'_, '_> {
    /// One pass over the table, record by record, each with its name. Names are kept when they may change.
    fn pass(
        &mut self,
        renames: bool,
        mut each: impl FnMut(&Chunk<'_>, usize, &mut u32),
    ) -> Result<(), SearchError> {
        self.passes += 1;
        let Self { progress, names, chunks, .. } = self;
        chunks.pass(&mut |chunk| {
            progress.check()?;
            names.look(chunk.first, chunk.rows, |names| {
                names.iter_mut().enumerate().for_each(|(at, name)| each(chunk, at, name));
                Ok::<bool, SearchError>(renames)
            })?;
            progress.at((chunk.first + chunk.rows) as u64);
            Ok(())
        })
    }

    fn stage(&self, name: &str) {
        self.progress.stage(name, Some(self.problem.rows as u64));
    }

    /// Cuts loaded records.
    fn cut_loaded(
        &self,
        loaded: &Loaded,
        rule: &Rule<'_>,
        enough: usize,
    ) -> Result<(Grown, Vec<u32>), SearchError> {
        let codes: Vec<&[u32]> = loaded.quasi.iter().map(|codes| &codes[..]).collect();
        let visit = CutLoaded { space: self.space, rule, sides: self.sides, enough, progress: self.progress };
        with_table(self.space, &codes, loaded.records.len(), visit)
    }

    /// Steps 1 and 2: names the part of every record, and lists the parts.
    fn cut_by_sample(&mut self) -> Result<Vec<Part>, SearchError> {
        self.stage("taking a sample");
        let stride = self.problem.rows.div_ceil(self.limit);
        let mut sample = Loaded::of(self.problem, self.problem.rows.div_ceil(stride));
        self.pass(false, |chunk, at, _| {
            if (chunk.first + at) % stride == 0 {
                sample.push(chunk, at);
            }
        })?;
        self.most_held = self.most_held.max(sample.records.len());
        // Twice what a part needs, so that few cuts turn out to be wrong.
        let least = (2 * self.rule.least).div_ceil(stride as u64).max(2);
        let (grown, _) = self.cut_loaded(&sample, &Rule::of_size(least), self.limit / 2 / stride)?;
        drop(sample);
        self.stage("counting the parts of the sample");
        let mut router = Router::new(&grown.nodes, self.rule);
        let space = self.space;
        let rule = self.rule;
        self.pass(true, |chunk, at, name| {
            let node = router
                .route(|column| space.dimensions[column].place_of_code[chunk.quasi[column][at] as usize]);
            *name = node as u32;
            router.rows[node] += 1;
            rule.count(&mut router.counts[node], |position| chunk.sensitive[position][at]);
        })?;
        let part_of_node = router.settle(rule);
        require_safe(self.problem, rule, &router.counts[0])?;
        self.names.change(|_, names| {
            names.iter_mut().for_each(|node| *node = part_of_node[*node as usize] as u32);
            Ok(true)
        })?;
        self.next = grown.nodes.len() as u32;
        let settled =
            (0..grown.nodes.len()).filter(|&node| part_of_node[node] == node && router.is_part[node]);
        Ok(settled.map(|node| (node as u32, router.rows[node])).collect())
    }

    /// Step 3: cuts parts that are larger than the limit.
    fn cut_by_passes(&mut self, parts: Vec<Part>) -> Result<Vec<Part>, SearchError> {
        let (mut large, mut small): (Vec<Part>, Vec<Part>) =
            parts.into_iter().partition(|part| part.1 > self.limit);
        while let Some((name, rows)) = large.pop() {
            self.stage("cutting a large part");
            let Some((column, cut)) = self.allowed_cut(name, rows)? else { continue };
            let first = self.next;
            self.next += cut.sizes.len() as u32;
            let space = self.space;
            self.pass(true, |chunk, at, own| {
                if *own == name {
                    let place = space.dimensions[column].place_of_code[chunk.quasi[column][at] as usize];
                    *own = first + cut.part_of(place) as u32;
                }
            })?;
            for (name, &size) in (first..).zip(&cut.sizes) {
                let fits = size as usize <= self.limit;
                if fits { &mut small } else { &mut large }.push((name, size as usize));
            }
        }
        Ok(small)
    }

    /// The first cut of a part that exact counts allow.
    fn allowed_cut(&mut self, name: u32, rows: usize) -> Result<Option<(usize, Cut)>, SearchError> {
        let space = self.space;
        let mut counts: Vec<Vec<u32>> = space.dimensions.iter().map(|d| vec![0; d.places]).collect();
        self.pass(false, |chunk, at, own| {
            if *own == name {
                for ((counts, dimension), codes) in counts.iter_mut().zip(&space.dimensions).zip(chunk.quasi)
                {
                    counts[dimension.place_of_code[codes[at] as usize] as usize] += 1;
                }
            }
        })?;
        let profiles: Vec<Vec<(u32, u32)>> = counts
            .into_iter()
            .map(|counts| (0u32..).zip(counts).filter(|&(_, count)| count > 0).collect())
            .collect();
        let width = |column: usize| match (profiles[column].first(), profiles[column].last()) {
            (Some(first), Some(last)) => space.dimensions[column].width(first.0, last.0),
            _ => 0.0,
        };
        let mut columns: Vec<(usize, f64)> =
            (0..profiles.len()).map(|column| (column, width(column))).collect();
        columns.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut cut = Cut::default();
        for (column, _) in columns {
            let mut failed = Ok(());
            let taken = attempt_each(
                &space.dimensions[column],
                &profiles[column],
                rows as u32,
                self.sides,
                &mut cut,
                |cut| match self.is_allowed(name, column, cut) {
                    Ok(allowed) => allowed,
                    Err(error) => {
                        failed = Err(error);
                        true
                    }
                },
            );
            failed?;
            if taken {
                return Ok(Some((column, cut)));
            }
        }
        Ok(None)
    }

    /// Whether every part of a cut satisfies every criterion.
    fn is_allowed(&mut self, name: u32, column: usize, cut: &Cut) -> Result<bool, SearchError> {
        if !cut.leaves_at_least(self.rule.least) || self.rule.criteria.is_empty() {
            return Ok(cut.leaves_at_least(self.rule.least));
        }
        let (space, rule) = (self.space, self.rule);
        let mut counts: Vec<Counts> = cut.sizes.iter().map(|_| rule.counts()).collect();
        self.pass(false, |chunk, at, own| {
            if *own == name {
                let place = space.dimensions[column].place_of_code[chunk.quasi[column][at] as usize];
                rule.count(&mut counts[cut.part_of(place)], |position| chunk.sensitive[position][at]);
            }
        })?;
        Ok(cut.sizes.iter().zip(&counts).all(|(&size, counts)| rule.holds(size.into(), counts)))
    }

    /// Step 4: loads parts and cuts them in memory.
    fn finish(&mut self, parts: &[Part]) -> Result<(), SearchError> {
        let divisible = parts.iter().filter(|part| part.1 as u64 >= 2 * self.rule.least);
        let mut waiting = divisible.copied().peekable();
        while waiting.peek().is_some() {
            let mut slot_of_part = vec![u32::MAX; self.next as usize];
            let mut held = 0;
            let mut batch: Vec<Loaded> = Vec::new();
            while let Some((name, rows)) =
                waiting.next_if(|part| batch.is_empty() || held + part.1 <= self.limit)
            {
                slot_of_part[name as usize] = batch.len() as u32;
                batch.push(Loaded::of(self.problem, rows));
                held += rows;
            }
            self.stage("cutting parts in memory");
            self.pass(false, |chunk, at, name| {
                let slot = slot_of_part.get(*name as usize);
                if let Some(loaded) = slot.and_then(|&slot| batch.get_mut(slot as usize)) {
                    loaded.push(chunk, at);
                }
            })?;
            self.most_held = self.most_held.max(batch.iter().map(|loaded| loaded.records.len()).sum());
            let mut renamed: Vec<(u32, u32)> = Vec::with_capacity(held);
            for loaded in batch {
                self.cut_part(&loaded, &mut renamed)?;
            }
            renamed.sort_unstable();
            let mut rest = &renamed[..];
            self.names.change(|first, names| {
                let here = rest.partition_point(|&(record, _)| (record as usize) < first + names.len());
                let (these, after) = rest.split_at(here);
                rest = after;
                these.iter().for_each(|&(record, name)| names[record as usize - first] = name);
                Ok(!these.is_empty())
            })?;
        }
        Ok(())
    }

    /// Cuts a part that was loaded, and notes the new name of each of its records.
    fn cut_part(&mut self, loaded: &Loaded, renamed: &mut Vec<(u32, u32)>) -> Result<(), SearchError> {
        let domain = self.problem.sensitive.iter().map(|column| column.values);
        let codes = loaded.sensitive.iter().zip(domain);
        let sensitive: Vec<Codes<'_>> = codes.map(|(codes, values)| Codes { codes, values }).collect();
        let rule = self.rule.over(&sensitive);
        let (grown, order) = self.cut_loaded(loaded, &rule, 0)?;
        let mut rest = &order[..];
        for node in grown.nodes.iter().filter(|node| node.parts == 0) {
            let (members, after) = rest.split_at(node.rows as usize);
            rest = after;
            renamed.extend(members.iter().map(|&at| (loaded.records[at as usize], self.next)));
            self.next += 1;
        }
        Ok(())
    }

    /// Numbers the groups in the order in which they first appear.
    fn number(&mut self) -> Result<usize, SearchError> {
        const NEW: u32 = u32::MAX;
        let mut number = vec![NEW; self.next as usize];
        let mut count = 0;
        self.names.change(|_, names| {
            for name in names {
                let number = &mut number[*name as usize];
                if *number == NEW {
                    *number = count;
                    count += 1;
                }
                *name = *number;
            }
            Ok(true)
        })?;
        Ok(count as usize)
    }
}

/// A cut of loaded records that waits for their rows.
struct CutLoaded<'a> {
    space: &'a Space,
    rule: &'a Rule<'a>,
    sides: Sides,
    enough: usize,
    progress: &'a dyn Progress,
}

impl Visit for CutLoaded<'_> {
    type Output = Result<(Grown, Vec<u32>), SearchError>;

    fn visit<T: Table>(self, table: &T, rows: Vec<T::Row>) -> Self::Output {
        let Self { space, rule, sides, enough, progress } = self;
        let mut order = vec![0; rows.len()];
        let (progress, done) = (&Quiet(progress), AtomicU64::new(0));
        let cutter = Cutter { table, space, rule, sides, goal: None, enough, progress, done };
        let grown = cutter.run(rows, &mut order)?;
        Ok((grown, order))
    }
}
