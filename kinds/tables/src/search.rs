//! The levels that are published, and who is suppressed.
//!
//! Guarantee: what is found satisfies every criterion with at most the allowed share of people suppressed. Where the lattice is small it has
//! the least loss of all such choices of levels; otherwise no single column of it can go one level down.

use privet_data::Progress;
use privet_kind::KindError;

use crate::alike::{Numbering, classes};
use crate::body::Role;
use crate::criteria::{Classified, Criteria, Failing};
use crate::load::Loaded;

/// Lattices of at most so many nodes, and so many looks at a row, are gone through in order of loss.
const MOST_NODES: u64 = 4096;
const MOST_LOOKS: u64 = 200_000_000;

/// What was chosen.
#[derive(Debug)]
pub struct Chosen {
    /// Per table and quasi column the level.
    pub levels: Vec<Vec<usize>>,
    /// Per table and row whether it is published.
    pub kept: Vec<Vec<bool>>,
    /// Per person whether the person is published.
    pub there: Vec<bool>,
    /// People who are suppressed.
    pub suppressed: u64,
    /// The smallest class.
    pub smallest: u64,
    /// Whether no choice has less loss.
    pub is_best: bool,
    /// Choices that were looked at.
    pub looked_at: u64,
}

/// Rows that may be published at all, in terms of the search.
struct Setting<'a> {
    loaded: &'a Loaded,
    criteria: Criteria,
    linked: bool,
    most_suppressed: u64,
    /// Per table and row whether it stays when nobody is suppressed.
    kept: Vec<Vec<bool>>,
    /// Per person whether any row stays: nobody else is published, or hides anybody.
    visible: Vec<bool>,
    /// Per sensitive column and person the values.
    held: Vec<Vec<Vec<u32>>>,
    /// All quasi columns: table and place within it.
    columns: Vec<(usize, usize)>,
    /// Per quasi column and level the loss of a row on average.
    losses: Vec<Vec<f64>>,
}

/// Looks at a choice of levels.
type Judge<'a> = &'a mut dyn FnMut(&[usize]) -> Result<Result<Judged, Failing>, KindError>;
/// Levels with who is suppressed, or what fails at the top.
type Found = Result<(Vec<usize>, Judged), Failing>;

struct Judged {
    there: Vec<bool>,
    suppressed: u64,
    smallest: u64,
}

/// Finds levels.
pub fn search(
    loaded: &Loaded,
    criteria: Criteria,
    linked: bool,
    suppress_at_most: f64,
    progress: &dyn Progress,
) -> Result<Chosen, KindError> {
    let setting = Setting::new(loaded, criteria, linked, suppress_at_most);
    let heights: Vec<usize> =
        setting.columns.iter().map(|&(table, at)| loaded.tables[table].quasi[at].1.height()).collect();
    let rows: u64 = loaded.tables.iter().map(|table| table.table.rows as u64).sum();
    let nodes = heights.iter().try_fold(1_u64, |all, &height| all.checked_mul(height as u64 + 1));
    let small = nodes.filter(|&nodes| nodes <= MOST_NODES && nodes.saturating_mul(rows) <= MOST_LOOKS);
    let mut looked_at = 0;
    let mut judge = |levels: &[usize]| {
        looked_at += 1;
        progress.check()?;
        Ok::<_, KindError>(setting.judge(levels))
    };
    let found = match small {
        Some(nodes) => {
            progress.stage("searching", Some(nodes));
            setting.least_loss(&heights, nodes, &mut judge)?
        }
        None => {
            progress.stage("searching", None);
            setting.downwards(&heights, &mut judge)?
        }
    };
    let (levels, judged) = found.map_err(|failing| setting.refusal(failing))?;
    let kept = setting.published(&judged.there);
    let mut by_table: Vec<Vec<usize>> = loaded.tables.iter().map(|_| Vec::new()).collect();
    for (&(table, _), level) in setting.columns.iter().zip(levels) {
        by_table[table].push(level);
    }
    Ok(Chosen {
        levels: by_table,
        kept,
        there: judged.there,
        suppressed: judged.suppressed,
        smallest: judged.smallest,
        is_best: small.is_some(),
        looked_at,
    })
}

impl<'a> Setting<'a> {
    fn new(loaded: &'a Loaded, criteria: Criteria, linked: bool, suppress_at_most: f64) -> Self {
        let kept = bounded(loaded);
        let columns: Vec<(usize, usize)> = (loaded.tables.iter().enumerate())
            .flat_map(|(table, own)| (0..own.quasi.len()).map(move |at| (table, at)))
            .collect();
        let losses = columns
            .iter()
            .map(|&(table, at)| {
                let (position, generalization) = &loaded.tables[table].quasi[at];
                let codes = &loaded.tables[table].table.columns[*position].codes;
                let rows = || codes.iter().zip(&kept[table]).filter(|(_, kept)| **kept);
                let of = |level| {
                    rows().map(|(&code, _)| generalization.loss(level, code)).sum::<f64>()
                        / rows().count().max(1) as f64
                };
                (0..generalization.levels.len()).map(of).collect()
            })
            .collect();
        let people = loaded.persons.len();
        let mut held = Vec::new();
        for (table, kept) in loaded.tables.iter().zip(&kept) {
            for at in table.with(Role::Sensitive) {
                let mut of: Vec<Vec<u32>> = vec![Vec::new(); people];
                let column = &table.table.columns[at];
                for row in (0..table.table.rows).filter(|&row| kept[row]) {
                    // A missing value is nothing that is learned.
                    if !column.domain.is_missing(column.codes[row]) {
                        of[table.person_of[row] as usize].push(column.codes[row]);
                    }
                }
                held.push(of);
            }
        }
        // A share of the people, rounded down; the small addend keeps 0.29 of 100 from becoming 28.
        let most_suppressed = (suppress_at_most * people as f64 + 1e-9).floor() as u64;
        let mut visible = vec![false; people];
        for (table, kept) in loaded.tables.iter().zip(&kept) {
            let rows = table.person_of.iter().zip(kept).filter(|(_, kept)| **kept);
            rows.for_each(|(&person, _)| visible[person as usize] = true);
        }
        Self { loaded, criteria, linked, most_suppressed, kept, visible, held, columns, losses }
    }

    /// The first good choice in the order of loss.
    fn least_loss(&self, heights: &[usize], nodes: u64, judge: Judge<'_>) -> Result<Found, KindError> {
        let levels = |mut rest: u64| -> Vec<usize> {
            let mut next = |&height: &usize| {
                let level = rest % (height as u64 + 1);
                rest /= height as u64 + 1;
                level as usize
            };
            heights.iter().map(&mut next).collect()
        };
        let mut all: Vec<(f64, Vec<usize>)> =
            (0..nodes).map(|own| (self.loss(&levels(own)), levels(own))).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        for (_, levels) in all {
            if let Ok(judged) = judge(&levels)? {
                return Ok(Ok((levels, judged)));
            }
        }
        // What fails at the top is what cannot be helped.
        Ok(judge(heights)?.map(|judged| (heights.to_vec(), judged)))
    }

    /// From the top, one column down at a time, as long as that is good: to where the loss is least first.
    fn downwards(&self, heights: &[usize], judge: Judge<'_>) -> Result<Found, KindError> {
        let mut found = match judge(heights)? {
            Err(failing) => return Ok(Err(failing)),
            Ok(judged) => (heights.to_vec(), judged),
        };
        loop {
            let lower = (0..heights.len()).filter(|&at| found.0[at] > 0);
            let mut steps: Vec<Vec<usize>> = lower
                .map(|at| {
                    let mut next = found.0.clone();
                    next[at] -= 1;
                    next
                })
                .collect();
            steps.sort_by(|a, b| self.loss(a).total_cmp(&self.loss(b)));
            let mut better = None;
            for step in steps {
                if let Ok(judged) = judge(&step)? {
                    better = Some((step, judged));
                    break;
                }
            }
            match better {
                Some(next) => found = next,
                None => return Ok(Ok(found)),
            }
        }
    }

    fn loss(&self, levels: &[usize]) -> f64 {
        let sum: f64 = self.losses.iter().zip(levels).map(|(own, &level)| own[level]).sum();
        sum / self.losses.len().max(1) as f64
    }

    /// Whether a choice of levels is good, and who is suppressed; otherwise what fails.
    fn judge(&self, levels: &[usize]) -> Result<Judged, Failing> {
        if !self.linked {
            return self.judge_rows(levels);
        }
        let tuples: Vec<Vec<(u32, u32)>> =
            (0..self.loaded.tables.len()).map(|table| self.tuples(table, levels)).collect();
        let people = self.loaded.persons.len();
        let household_of = self.loaded.household_of.as_deref();
        let (class_of, classes) = classes(people, &tuples, household_of);
        let of = Classified { class_of: &class_of, classes, household_of, held: &self.held };
        let mut there = self.visible.clone();
        let mut suppressed = 0;
        loop {
            let (holds, failing) = self.criteria.judge(of, &there);
            let mut gone: Vec<bool> =
                (0..people).map(|own| there[own] && !holds[class_of[own] as usize]).collect();
            if let Some(household_of) = household_of {
                // A household without one of its members would be another one.
                let mut torn = vec![false; household_of.iter().max().map_or(0, |&most| most as usize + 1)];
                (0..people).filter(|&own| gone[own]).for_each(|own| torn[household_of[own] as usize] = true);
                gone = (0..people).map(|own| there[own] && torn[household_of[own] as usize]).collect();
            }
            let number = gone.iter().filter(|gone| **gone).count() as u64;
            suppressed += number;
            if suppressed > self.most_suppressed
                || !there.iter().zip(&gone).any(|(there, gone)| *there && !gone)
            {
                return Err(failing);
            }
            if number == 0 {
                break;
            }
            // What all hold has changed, so the others are judged again.
            there.iter_mut().zip(gone).for_each(|(there, gone)| *there &= !gone);
        }
        let mut size = vec![0_u64; classes];
        (0..people).filter(|&own| there[own]).for_each(|own| size[class_of[own] as usize] += 1);
        let smallest = size.into_iter().filter(|&size| size > 0).min().unwrap_or(0);
        Ok(Judged { there, suppressed, smallest })
    }

    /// The same where rows of a person cannot be told to belong together: every tuple is that of enough people.
    fn judge_rows(&self, levels: &[usize]) -> Result<Judged, Failing> {
        let table = &self.loaded.tables[0];
        let rows: Vec<usize> = (0..table.table.rows).filter(|&row| self.kept[0][row]).collect();
        let tuples = self.tuples(0, levels);
        // Whoever has rows in several classes is one person in each of them.
        let mut ones = Numbering::default();
        let mut class_of: Vec<u32> = Vec::new();
        let mut person_of: Vec<u32> = Vec::new();
        let one_of: Vec<usize> = tuples
            .iter()
            .map(|&(person, class)| {
                let one = ones.of((class, person)) as usize;
                if one == class_of.len() {
                    class_of.push(class);
                    person_of.push(person);
                }
                one
            })
            .collect();
        let mut held: Vec<Vec<Vec<u32>>> = Vec::new();
        for at in table.with(Role::Sensitive) {
            let column = &table.table.columns[at];
            let mut of: Vec<Vec<u32>> = vec![Vec::new(); class_of.len()];
            for (&row, &one) in rows.iter().zip(&one_of) {
                if !column.domain.is_missing(column.codes[row]) {
                    of[one].push(column.codes[row]);
                }
            }
            held.push(of);
        }
        let classes = class_of.iter().max().map_or(0, |&most| most as usize + 1);
        let of = Classified { class_of: &class_of, classes, household_of: None, held: &held };
        let class_of_row: Vec<u32> = tuples.iter().map(|own| own.1).collect();
        let held_by_row: Vec<Vec<Vec<u32>>> = (table.with(Role::Sensitive))
            .map(|at| {
                let column = &table.table.columns[at];
                let of = |&row: &usize| match column.domain.is_missing(column.codes[row]) {
                    true => Vec::new(),
                    false => vec![column.codes[row]],
                };
                rows.iter().map(of).collect()
            })
            .collect();
        let rows_as_people =
            Classified { class_of: &class_of_row, classes, household_of: None, held: &held_by_row };
        let people = self.loaded.persons.len();
        let mut there = self.visible.clone();
        let mut suppressed = 0;
        loop {
            let present: Vec<bool> = person_of.iter().map(|&own| there[own as usize]).collect();
            let (holds, mut failing) = self.criteria.judge(of, &present);
            let mut gone = vec![false; people];
            for (one, &class) in class_of.iter().enumerate().filter(|(one, _)| present[*one]) {
                gone[person_of[one] as usize] |= !holds[class as usize];
            }
            // Readers see rows and cannot tell whose they are: what rows hold is bounded like what people hold.
            let seen: Vec<bool> = tuples.iter().map(|&(person, _)| there[person as usize]).collect();
            let (holds, of_rows) = Criteria { k: 1, ..self.criteria }.judge(rows_as_people, &seen);
            (failing.l, failing.t) = (failing.l.max(of_rows.l), failing.t.max(of_rows.t));
            for &(person, class) in tuples.iter().filter(|own| there[own.0 as usize]) {
                gone[person as usize] |= !holds[class as usize];
            }
            let number = gone.iter().filter(|gone| **gone).count() as u64;
            suppressed += number;
            if suppressed > self.most_suppressed
                || !there.iter().zip(&gone).any(|(there, gone)| *there && !gone)
            {
                return Err(failing);
            }
            if number == 0 {
                let mut size = vec![0_u64; classes];
                (class_of.iter().zip(&present))
                    .filter(|(_, there)| **there)
                    .for_each(|(&class, _)| size[class as usize] += 1);
                let smallest = size.into_iter().filter(|&size| size > 0).min().unwrap_or(0);
                return Ok(Judged { there, suppressed, smallest });
            }
            there.iter_mut().zip(gone).for_each(|(there, gone)| *there &= !gone);
        }
    }

    /// Per row that stays the person and the number of its tuple; nothing for a table that others know nothing of.
    fn tuples(&self, table: usize, levels: &[usize]) -> Vec<(u32, u32)> {
        let own = &self.loaded.tables[table];
        let mine = self.columns.iter().zip(levels).filter(|((of, _), _)| *of == table);
        let columns: Vec<(&[u32], &[u32])> = mine
            .map(|(&(_, at), &level)| {
                let (position, generalization) = &own.quasi[at];
                (&*own.table.columns[*position].codes, &*generalization.levels[level].node_of_code)
            })
            .collect();
        if columns.is_empty() {
            return Vec::new();
        }
        // Column by column: the tuple so far, and the next node.
        let mut numbers: Vec<u32> = vec![0; own.table.rows];
        for (codes, node_of_code) in columns {
            let mut numbering = Numbering::default();
            for (row, number) in numbers.iter_mut().enumerate() {
                *number = numbering.of((*number, node_of_code[codes[row] as usize]));
            }
        }
        (0..own.table.rows)
            .filter(|&row| self.kept[table][row])
            .map(|row| (own.person_of[row], numbers[row]))
            .collect()
    }

    /// The rows of those who are published.
    fn published(&self, there: &[bool]) -> Vec<Vec<bool>> {
        let of = |(table, kept): (&crate::load::LoadedTable, &Vec<bool>)| {
            kept.iter().zip(&table.person_of).map(|(kept, &person)| *kept && there[person as usize]).collect()
        };
        self.loaded.tables.iter().zip(&self.kept).map(of).collect()
    }

    fn refusal(&self, failing: Failing) -> KindError {
        let people = self.loaded.persons.len();
        let what: Vec<String> =
            [("k-anonymity", failing.k), ("l-diversity", failing.l), ("t-closeness", failing.t)]
                .into_iter()
                .filter(|(_, people)| *people > 0)
                .map(|(key, people)| format!("{key} fails for {people}"))
                .collect();
        KindError::refused(format!(
            "no release was written: even with every column at its top level, of {people} people {}, and `people.suppress-at-most` allows \
             {} to be suppressed. People differ by how many rows they have in tables with quasi columns: lower `at-most` of these tables, \
             give fewer columns role = \"quasi\", promise less, or allow more",
            what.join(", "),
            self.most_suppressed
        ))
    }
}

/// The rows that stay: at most so many of each person, and none that leads to a row which does not stay.
fn bounded(loaded: &Loaded) -> Vec<Vec<bool>> {
    let mut kept: Vec<Vec<bool>> = loaded.tables.iter().map(|table| table.kept.clone()).collect();
    loop {
        let mut changed = false;
        for (at, table) in loaded.tables.iter().enumerate() {
            for (_, parent, leads) in &table.parents {
                for (row, lead) in leads.iter().enumerate() {
                    let is_lost = lead.is_some_and(|to| !kept[*parent][to as usize]);
                    if is_lost && kept[at][row] {
                        kept[at][row] = false;
                        changed = true;
                    }
                }
            }
            let Some(most) = table.section.at_most else { continue };
            let mut of_person = vec![0_u32; loaded.persons.len()];
            for row in (0..table.table.rows).filter(|&row| table.kept[row]) {
                let own = &mut of_person[table.person_of[row] as usize];
                if kept[at][row] {
                    *own += 1;
                    if *own > most {
                        kept[at][row] = false;
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            return kept;
        }
    }
}
