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
//! Memory: at most the limit of records at once, besides the chunk that is being read; four bytes for each record, for
//! the answer; and the histograms of the parts. The table is read about 2 + 2n/limit times, more when parts remain
//! that the sample did not cut.

use std::sync::atomic::AtomicU64;

use privet_data::Progress;

use super::candidates::{Cut, Sides, attempt_each};
use super::chunks::{Chunk, Chunks};
use super::cutter::{Cutter, Grown};
use super::judge::{Counts, Rule};
use super::rows::{Table, Visit, with_table};
use super::space::Space;
use super::tree::Node;
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
        if problem.rows >= u32::MAX as usize {
            return Err(SearchError::TooManyRows);
        }
        let (rule, space) = (Rule::new(problem, false)?, Space::new(problem));
        let mut of = vec![0u32; problem.rows];
        if problem.rows > 0 {
            let mut search = OutOfCore {
                problem,
                space: &space,
                rule: &rule,
                sides: self.sides(),
                limit,
                chunks,
                progress,
                passes: 0,
                most_held: 0,
                next: 1,
            };
            let parts = search.cut_by_sample(&mut of)?;
            let parts = search.cut_by_passes(&mut of, parts)?;
            search.finish(&mut of, &parts)?;
            let (passes, most_held) = (search.passes, search.most_held);
            return Ok(FoundOutOfCore { groups: Groups::numbered(&of), passes, most_held });
        }
        Ok(FoundOutOfCore { groups: Groups::default(), passes: 0, most_held: 0 })
    }
}

/// A part that stands by itself: its name in the answer, and its records.
type Part = (u32, usize);

/// A search in progress.
struct OutOfCore<'a, 'p> {
    problem: &'a Problem<'p>,
    space: &'a Space,
    rule: &'a Rule<'a>,
    sides: Sides,
    limit: usize,
    chunks: &'a mut dyn Chunks,
    progress: &'a dyn Progress,
    passes: u64,
    most_held: usize,
    /// The next unused name of a part.
    next: u32,
}

/// Records that were loaded.
#[derive(Default)]
struct Loaded {
    records: Vec<u32>,
    quasi: Vec<Vec<u32>>,
    sensitive: Vec<Vec<u32>>,
}

impl Loaded {
    fn push(&mut self, chunk: &Chunk<'_>, at: usize) {
        self.records.push((chunk.first + at) as u32);
        self.quasi.resize_with(chunk.quasi.len(), Vec::new);
        self.sensitive.resize_with(chunk.sensitive.len(), Vec::new);
        let columns =
            self.quasi.iter_mut().zip(chunk.quasi).chain(self.sensitive.iter_mut().zip(chunk.sensitive));
        for (to, from) in columns {
            to.push(from[at]);
        }
    }
}

impl OutOfCore<'_, '_> {
    /// One pass over the table, record by record.
    fn pass(&mut self, mut each: impl FnMut(&Chunk<'_>, usize)) -> Result<(), SearchError> {
        self.passes += 1;
        let progress = self.progress;
        self.chunks.pass(&mut |chunk| {
            progress.check()?;
            (0..chunk.rows).for_each(|at| each(chunk, at));
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
        let visit = CutLoaded { space: self.space, rule, sides: self.sides, enough };
        with_table(self.space, &codes, loaded.records.len(), visit)
    }

    /// Steps 1 and 2: names the part of every record in `of`, and lists the parts.
    fn cut_by_sample(&mut self, of: &mut [u32]) -> Result<Vec<Part>, SearchError> {
        self.stage("taking a sample");
        let stride = self.problem.rows.div_ceil(self.limit);
        let mut sample = Loaded::default();
        self.pass(|chunk, at| {
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
        self.pass(|chunk, at| {
            let node = router
                .route(|column| space.dimensions[column].place_of_code[chunk.quasi[column][at] as usize]);
            of[chunk.first + at] = node as u32;
            router.rows[node] += 1;
            rule.count(&mut router.counts[node], |position| chunk.sensitive[position][at]);
        })?;
        let part_of_node = router.settle(rule);
        require_safe(self.problem, rule, &router.counts[0])?;
        of.iter_mut().for_each(|node| *node = part_of_node[*node as usize] as u32);
        self.next = grown.nodes.len() as u32;
        let settled =
            (0..grown.nodes.len()).filter(|&node| part_of_node[node] == node && router.is_part[node]);
        Ok(settled.map(|node| (node as u32, router.rows[node])).collect())
    }

    /// Step 3: cuts parts that are larger than the limit.
    fn cut_by_passes(&mut self, of: &mut [u32], parts: Vec<Part>) -> Result<Vec<Part>, SearchError> {
        let (mut large, mut small): (Vec<Part>, Vec<Part>) =
            parts.into_iter().partition(|part| part.1 > self.limit);
        while let Some((name, rows)) = large.pop() {
            self.stage("cutting a large part");
            let Some((column, cut)) = self.allowed_cut(of, name, rows)? else { continue };
            let first = self.next;
            self.next += cut.sizes.len() as u32;
            let space = self.space;
            self.pass(|chunk, at| {
                let own = &mut of[chunk.first + at];
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
    fn allowed_cut(
        &mut self,
        of: &[u32],
        name: u32,
        rows: usize,
    ) -> Result<Option<(usize, Cut)>, SearchError> {
        let space = self.space;
        let mut counts: Vec<Vec<u32>> = space.dimensions.iter().map(|d| vec![0; d.places]).collect();
        self.pass(|chunk, at| {
            if of[chunk.first + at] == name {
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
                |cut| match self.is_allowed(of, name, column, cut) {
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
    fn is_allowed(&mut self, of: &[u32], name: u32, column: usize, cut: &Cut) -> Result<bool, SearchError> {
        if !cut.leaves_at_least(self.rule.least) || self.rule.criteria.is_empty() {
            return Ok(cut.leaves_at_least(self.rule.least));
        }
        let (space, rule) = (self.space, self.rule);
        let mut counts: Vec<Counts> = cut.sizes.iter().map(|_| rule.counts()).collect();
        self.pass(|chunk, at| {
            if of[chunk.first + at] == name {
                let place = space.dimensions[column].place_of_code[chunk.quasi[column][at] as usize];
                rule.count(&mut counts[cut.part_of(place)], |position| chunk.sensitive[position][at]);
            }
        })?;
        Ok(cut.sizes.iter().zip(&counts).all(|(&size, counts)| rule.holds(size.into(), counts)))
    }

    /// Step 4: loads parts and cuts them in memory.
    fn finish(&mut self, of: &mut [u32], parts: &[Part]) -> Result<(), SearchError> {
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
                batch.push(Loaded::default());
                held += rows;
            }
            self.stage("cutting parts in memory");
            self.pass(|chunk, at| {
                let name = of[chunk.first + at] as usize;
                if let Some(loaded) = slot_of_part.get(name).and_then(|&slot| batch.get_mut(slot as usize)) {
                    loaded.push(chunk, at);
                }
            })?;
            self.most_held = self.most_held.max(batch.iter().map(|loaded| loaded.records.len()).sum());
            for loaded in &batch {
                let domain = self.problem.sensitive.iter().map(|column| column.values);
                let codes = loaded.sensitive.iter().zip(domain);
                let sensitive: Vec<Codes<'_>> =
                    codes.map(|(codes, values)| Codes { codes, values }).collect();
                let rule = self.rule.over(&sensitive);
                let (grown, order) = self.cut_loaded(loaded, &rule, 0)?;
                let mut rest = &order[..];
                for node in grown.nodes.iter().filter(|node| node.parts == 0) {
                    let (members, after) = rest.split_at(node.rows as usize);
                    rest = after;
                    members.iter().for_each(|&at| of[loaded.records[at as usize] as usize] = self.next);
                    self.next += 1;
                }
            }
        }
        Ok(())
    }
}

/// A cut of loaded records that waits for their rows.
struct CutLoaded<'a> {
    space: &'a Space,
    rule: &'a Rule<'a>,
    sides: Sides,
    enough: usize,
}

impl Visit for CutLoaded<'_> {
    type Output = Result<(Grown, Vec<u32>), SearchError>;

    fn visit<T: Table>(self, table: &T, rows: Vec<T::Row>) -> Self::Output {
        let Self { space, rule, sides, enough } = self;
        let mut order = vec![0; rows.len()];
        let (progress, done) = (&privet_data::Silent, AtomicU64::new(0));
        let cutter = Cutter { table, space, rule, sides, goal: None, enough, progress, done };
        let grown = cutter.run(rows, &mut order)?;
        Ok((grown, order))
    }
}

/// The cuts of a sample, and what they make of all records.
struct Router<'n> {
    nodes: &'n [Node],
    above: Vec<usize>,
    below: Vec<Vec<usize>>,
    /// Per node the records that stay at it, until all is settled: then those of a part.
    rows: Vec<usize>,
    counts: Vec<Counts>,
    /// Whether a node is a part of its own or below one, once all is settled.
    is_part: Vec<bool>,
}

impl<'n> Router<'n> {
    fn new(nodes: &'n [Node], rule: &Rule<'_>) -> Self {
        let (mut above, mut below) = (vec![0; nodes.len()], vec![Vec::new(); nodes.len()]);
        let mut open: Vec<(usize, u32)> = Vec::new();
        for (number, node) in nodes.iter().enumerate() {
            if let Some((parent, to_come)) = open.last_mut() {
                above[number] = *parent;
                below[*parent].push(number);
                *to_come -= 1;
            }
            open.push((number, node.parts));
            while let Some(&(_, 0)) = open.last() {
                open.pop();
            }
        }
        let counts = nodes.iter().map(|_| rule.counts()).collect();
        Self { nodes, above, below, rows: vec![0; nodes.len()], counts, is_part: vec![false; nodes.len()] }
    }

    /// Where a record with these places ends: at a part, or at a cut of which no part takes it.
    fn route(&self, place: impl Fn(usize) -> u32) -> usize {
        let mut at = 0;
        while let Some(&first) = self.below[at].first() {
            let place = place(self.nodes[first].entry.column as usize);
            let takes = |&&part: &&usize| {
                let entry = self.nodes[part].entry;
                entry.first <= place && place <= entry.last
            };
            match self.below[at].iter().find(takes) {
                Some(&part) => at = part,
                None => break,
            }
        }
        at
    }

    /// Undoes cuts that are not allowed, from the last to the first. Gives back per node the part that it belongs to.
    fn settle(&mut self, rule: &Rule<'_>) -> Vec<usize> {
        let mut safe = vec![false; self.nodes.len()];
        // Parts come after what they are parts of.
        for node in (0..self.nodes.len()).rev() {
            let missed = self.rows[node] > 0;
            let allowed =
                !self.below[node].is_empty() && !missed && self.below[node].iter().all(|&part| safe[part]);
            for part in std::mem::take(&mut self.below[node]) {
                self.rows[node] += self.rows[part];
                let (before, from) = self.counts.split_at_mut(part);
                before[node].merge(&from[0]);
            }
            self.is_part[node] = !allowed;
            safe[node] = allowed || rule.holds(self.rows[node] as u64, &self.counts[node]);
        }
        let mut part_of_node: Vec<usize> = (0..self.nodes.len()).collect();
        for node in 1..self.nodes.len() {
            let above = part_of_node[self.above[node]];
            if self.is_part[above] {
                part_of_node[node] = above;
            }
        }
        part_of_node
    }
}
