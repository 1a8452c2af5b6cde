//! A release from which the records of some people were taken out, for a control (`control.rs`).
//!
//! What it guarantees: groups keep their labels and lose exactly those records and their sensitive values; people are
//! linked to what is left as they were to the whole. A record of a bucket whose values the owner does not tell stays.

use foldhash::{HashMap, HashMapExt};
use privet_data::{Cells, Column, Table};
use privet_release::Published;
use privet_release::published::{Histograms, SensitiveColumn};

use super::{Adversary, Crowd, SharedColumn, suspects};
use crate::finding::AttackError;
use crate::target::{Place, Suspects, Truth};

/// A release without the records of some people.
pub(super) struct Held {
    release: Published,
    suspects: Suspects,
    truth: Truth,
}

/// Some of the people alone.
pub(super) struct Part<'a> {
    values: Vec<(SharedColumn<'a>, Vec<u32>)>,
    count: usize,
}

impl<'a> Part<'a> {
    pub fn new(adversary: &Adversary<'a>, people: &[u32]) -> Self {
        let own = |shared: &SharedColumn<'a>| {
            let values = people.iter().filter_map(|&person| shared.values.get(person as usize).copied());
            (shared.clone(), values.collect())
        };
        Part { values: adversary.crowd.shared.iter().map(own).collect(), count: people.len() }
    }

    pub fn adversary<'p>(&'p self, whole: Adversary<'p>) -> Adversary<'p> {
        let shared = self.values.iter().map(|(own, values)| SharedColumn { values, ..own.clone() });
        Adversary { crowd: Crowd { count: self.count, shared: shared.collect() }, ..whole }
    }
}

impl Held {
    pub fn new(adversary: &Adversary<'_>, truth: &Truth, fold: &[u32]) -> Result<Self, AttackError> {
        let own = adversary.release;
        let mut gone = vec![false; own.table.rows];
        // What is taken out of buckets, whose records do not show their values.
        let mut taken: Vec<HashMap<(u32, u32), u64>> = vec![HashMap::new(); own.sensitive.len()];
        for &person in fold {
            let Some(record) = truth.record_of.get(person as usize).copied().flatten() else { continue };
            let Some(&group) = own.group_of.get(record as usize) else { continue };
            let counted: Option<Vec<(usize, u32)>> = own
                .sensitive
                .iter()
                .enumerate()
                .filter(|(_, column)| column.codes.is_none())
                .map(|(at, column)| {
                    let value = truth.values.get(at)?.get(person as usize).copied().flatten()?;
                    let before = taken[at].get(&(group, value)).copied().unwrap_or(0);
                    let cell = column.histograms.of(group).iter().find(|cell| cell.0 == value)?;
                    (cell.1 > before).then_some((at, value))
                })
                .collect();
            // A record whose values the owner does not tell stays.
            let Some(counted) = counted.filter(|_| !gone[record as usize]) else { continue };
            gone[record as usize] = true;
            for (at, value) in counted {
                *taken[at].entry((group, value)).or_default() += 1;
            }
        }
        let (release, number_of_group, number_of_record) = without(own, &gone, &taken);
        let suspects = if adversary.crowd.count > 0 {
            suspects(&release, &adversary.crowd)?
        } else {
            // People who are records stay where they were looked for.
            let group = |person: usize| {
                let places: &[Place] = adversary.suspects.places_of(person as u32);
                number_of_group.get(places.first()?.group as usize).copied().flatten()
            };
            Suspects::in_groups((0..adversary.suspects.people()).map(group), &release.groups)
        };
        let mut truth = truth.clone();
        for record in &mut truth.record_of {
            *record = record.and_then(|record| number_of_record.get(record as usize).copied().flatten());
        }
        for &person in fold {
            if let Some(member) = truth.member.get_mut(person as usize) {
                *member = Some(false);
            }
        }
        Ok(Self { release, suspects, truth })
    }

    pub fn adversary<'h>(&'h self, adversary: &Adversary<'h>) -> Adversary<'h> {
        Adversary {
            release: &self.release,
            suspects: &self.suspects,
            truth: Some(&self.truth),
            control: None,
            ..adversary.clone()
        }
    }
}

/// The release without some records; per group and per record its new number, if it is left.
pub(super) type Without = (Published, Vec<Option<u32>>, Vec<Option<u32>>);

/// `taken` says per sensitive column what goes with these records out of buckets that stay.
pub(super) fn without(own: &Published, gone: &[bool], taken: &[HashMap<(u32, u32), u64>]) -> Without {
    let mut left = own.groups.clone();
    for (&group, _) in own.group_of.iter().zip(gone).filter(|(_, gone)| **gone) {
        left[group as usize] -= 1;
    }
    let number = |counts: &mut dyn Iterator<Item = bool>| -> Vec<Option<u32>> {
        let mut next = 0;
        let numbered = counts.map(|stays| {
            next += u32::from(stays);
            stays.then(|| next - 1)
        });
        numbered.collect()
    };
    let number_of_group = number(&mut left.iter().map(|&records| records > 0));
    let number_of_record = number(&mut gone.iter().map(|&gone| !gone));
    let keep = |codes: &[u32]| -> Vec<u32> {
        codes.iter().zip(gone).filter(|(_, gone)| !**gone).map(|(&code, _)| code).collect()
    };
    let group_of: Vec<u32> =
        keep(&own.group_of).into_iter().map(|group| number_of_group[group as usize].unwrap_or(0)).collect(); // why: a record is left in it
    let groups: Vec<u64> = left.iter().copied().filter(|&records| records > 0).collect();
    let sensitive = own
        .sensitive
        .iter()
        .zip(taken)
        .map(|(column, taken)| {
            let codes = column.codes.as_deref().map(keep);
            let histograms = match &codes {
                Some(codes) => Histograms::count(&group_of, groups.len(), codes),
                None => {
                    let cells = (0..).zip(&number_of_group).filter_map(|(group, &new)| Some((group, new?)));
                    let cells = cells.flat_map(|(group, new): (u32, u32)| {
                        let own = column.histograms.of(group).iter();
                        own.filter_map(move |&(value, count)| {
                            let taken = taken.get(&(group, value)).copied().unwrap_or(0);
                            (count > taken).then(|| (new, value, count - taken))
                        })
                    });
                    Histograms::of_cells(cells, groups.len())
                }
            };
            SensitiveColumn { name: column.name.clone(), domain: column.domain.clone(), codes, histograms }
        })
        .collect();
    let rows = group_of.len();
    let columns = own.table.columns.iter().map(|column| Column {
        name: column.name.clone(),
        codes: keep(&column.codes),
        domain: column.domain.clone(),
        cells: Cells::Plain,
    });
    let release = Published {
        manifest: own.manifest.clone(),
        table: Table { columns: columns.collect(), rows },
        quasi: own.quasi.clone(),
        group_of,
        groups,
        sensitive,
    };
    (release, number_of_group, number_of_record)
}
