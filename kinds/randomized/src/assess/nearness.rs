//! Whose records come out again among swapped, synthetic and condensed ones, and who is in the data by the nearest of them (survey AT-31,
//! AT-24).
//!
//! # Guarantee
//! Reproduction is exact: every published column agrees, as values and not as texts. Membership goes by the columns that the control
//! table has, and says when it was made on a sample.

use std::path::Path;

use privet_attack::adversary::{distances, equal_records};
use privet_attack::ids;
use privet_attack::reproduction::{Control, Equal, membership, reproduction};
use privet_attack::{Conclusions, Finding, Found, Note, Whom};
use privet_data::{Progress, Random, Table};
use privet_release::Published;
use privet_report::NotMade;

use super::original::Original;
use super::people::PeopleTable;
use super::records::{Attacked, not_made};
use crate::error::{JobError, RunError};

/// Distances between more pairs of a person and a record than this are worked out for a random sample of people.
const MOST_DISTANCES: usize = 200_000_000;
/// The fewest people of a sample.
const FEWEST: usize = 200;

impl Attacked<'_> {
    /// Reproduction and membership: reproduction over every published column, membership over those that the control table
    /// has too.
    pub(super) fn nearness(&self, stacked: &Table, progress: &dyn Progress) -> Result<Near, RunError> {
        let mut near = Near::default();
        if !self.is_wanted(ids::REPRODUCTION) && !self.is_wanted(ids::MEMBERSHIP) {
            return Ok(near);
        }
        progress.stage("attacking", None);
        progress.check()?;
        let all = (0..stacked.columns.len()).collect();
        let release = Published::of_table(stacked.clone(), all, Vec::new(), progress)?;
        let control = match &self.knowledge.control {
            Some(file) => {
                let table = PeopleTable::read(file, self.knowledge, None, &release, progress)?;
                Some((table, self.knowledge.resolve(&file.path)))
            }
            None => None,
        };
        let columns = release.quasi.len();
        let known = control.as_ref().map_or(columns, |(control, _)| control.shared().len());
        if self.is_wanted(ids::REPRODUCTION) {
            // In fewer columns more records are equal by chance.
            let whole = control.as_ref().filter(|_| known == columns).map(|(control, _)| control);
            let mut found = self.reproduction(&release, whole, progress)?;
            if known < columns {
                found.finding.notes.push(Note::of_original(format!(
                    "The control table has {known} of the {columns} published columns, in which more records are equal by \
                     chance, and is not compared with; give one that has all of them."
                )));
            }
            near.add(found);
        }
        progress.check()?;
        if self.is_wanted(ids::MEMBERSHIP) {
            let found = match &control {
                Some((control, path)) => self.membership(stacked, control, path, progress)?,
                None => None,
            };
            match found {
                Some(mut found) => {
                    if known < columns {
                        found.finding.notes.push(Note::of_original(format!(
                            "The control table has {known} of the {columns} published columns: distances are over these, for \
                             everybody."
                        )));
                    }
                    near.add(found);
                }
                None => {
                    let why = match &control {
                        None => {
                            "it needs people who are certainly not in the data; give [control] in the knowledge file"
                        }
                        Some(_) => "there is nobody in the original, or nobody in the control table",
                    };
                    near.not_made.push(not_made(ids::MEMBERSHIP, why));
                }
            }
        }
        Ok(near)
    }

    /// Who the people of the original are in the file about each person: by themselves, or beside those of a table.
    fn whom(&self) -> Whom {
        match self.knowledge.people {
            Some(_) => Whom::Rows,
            None => Whom::People,
        }
    }

    /// Whose records come out again. The control has every published column.
    fn reproduction(
        &self,
        release: &Published,
        control: Option<&PeopleTable>,
        progress: &dyn Progress,
    ) -> Result<Found, RunError> {
        let equal = |release: &Published, people: &PeopleTable| {
            equal_records(release, &people.crowd()).map_err(|error| JobError::new(error.to_string()))
        };
        let original = Original::of_table(self.table.clone(), &self.path, None, release)?;
        let published = equal(release, &PeopleTable::of_original(&original, release))?;
        let positions: Vec<usize> = original.quasi.iter().map(|own| own.position).collect();
        // The original itself, to tell whose values nobody else has.
        let itself = Published::of_table(self.table.clone(), positions, Vec::new(), progress)?;
        let own = Original::of_table(self.table.clone(), &self.path, None, &itself)?;
        let alike = equal(&itself, &PeopleTable::of_original(&own, &itself))?;
        let others: Vec<u64> = alike.iter().map(|alike| alike.saturating_sub(1)).collect();
        let found = Equal { published: &published, others: &others };
        let columns = release.quasi.len();
        Ok(match control {
            Some(control) => {
                let published = equal(release, control)?;
                let others = equal(&itself, &control.beside(None, &itself, &self.path)?)?;
                let equal = Equal { published: &published, others: &others };
                let who = "people of the control table, who are not in the data";
                reproduction(found, Some(Control { equal, who }), columns, self.whom())
            }
            None if self.published.in_order => {
                let without = self.without_own(release, &original, &published);
                let equal = Equal { published: &without, others: &others };
                let who = "the same people, without the records that came from their own";
                reproduction(found, Some(Control { equal, who }), columns, self.whom())
            }
            None => reproduction(found, None, columns, self.whom()),
        })
    }

    /// Per person how many published records equal theirs, without those that came from their own.
    fn without_own(&self, release: &Published, original: &Original, published: &[u64]) -> Vec<u64> {
        let rows = self.table.rows;
        let is_equal = |record: usize, person: usize| {
            release.quasi.iter().zip(&original.quasi).all(|(&at, own)| {
                let label = release.table.columns.get(at).and_then(|column| column.codes.get(record));
                let value = self.table.columns.get(own.position).and_then(|column| column.codes.get(person));
                label.zip(value).is_some_and(|(&label, &value)| own.coverage.contains(label, value))
            })
        };
        let copies = self.published.tables.len();
        let own =
            |person: usize| (0..copies).filter(|copy| is_equal(copy * rows + person, person)).count() as u64;
        published.iter().enumerate().map(|(person, all)| all.saturating_sub(own(person))).collect()
    }

    /// Membership by the nearest record, of a random sample of people where there are many, over the columns that the control
    /// table has.
    fn membership(
        &self,
        stacked: &Table,
        control: &PeopleTable,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<Option<Found>, RunError> {
        let release = Published::of_table(stacked.clone(), control.shared(), Vec::new(), progress)?;
        let original = Original::of_table(self.table.clone(), &self.path, None, &release)?;
        let people = PeopleTable::of_original(&original, &release);
        let control = control.beside(None, &release, path)?;
        let most = (MOST_DISTANCES / release.groups.len().max(1)).max(FEWEST);
        let sample = |count: usize, stream: u64| {
            let mut chosen: Vec<u32> = (0..count as u32).collect();
            if count > most {
                Random::stream(self.options.seed, stream).shuffle(&mut chosen);
                chosen.truncate(most);
            }
            chosen
        };
        let (crowd, strangers) = (people.crowd(), control.crowd());
        let (members, others) = (sample(crowd.count, 11), sample(strangers.count, 12));
        let near = distances(&release, &crowd, &members);
        let found = membership(&near, &distances(&release, &strangers, &others), self.whom());
        let Some(mut found) = found else { return Ok(None) };
        for (who, made, of) in
            [("people", &members, crowd.count), ("people of the control table", &others, strangers.count)]
        {
            if made.len() < of {
                found.finding.notes.push(Note::of_release(format!(
                    "Made on a random sample: {} of {of} {who}.",
                    made.len()
                )));
            }
        }
        if members.len() < crowd.count {
            // Lines are of everybody, and of most nothing was worked out.
            found.conclusions = None;
            if self.options.people.is_some() {
                let note = "The file of --people has no lines of it, as it was made on a sample.";
                found.finding.notes.push(Note::of_original(note));
            }
        }
        Ok(Some(found))
    }
}

/// What reproduction and membership found.
#[derive(Default)]
pub(super) struct Near {
    pub attacks: Vec<Finding>,
    pub conclusions: Vec<Conclusions>,
    pub not_made: Vec<NotMade>,
}

impl Near {
    fn add(&mut self, found: Found) {
        self.attacks.push(found.finding);
        self.conclusions.extend(found.conclusions);
    }
}
