//! Tasks over parts with different columns of the same people.

use serde_json::json;

use super::model::Columns;
use super::{Context, Outcome, bayes_outcome, rule_outcome};
use crate::error::PartyError;
use crate::input::{self, LocalTable};
use crate::job::{ColumnSection, Task};
use crate::mining::align::align;
use crate::mining::bayes::{self, Holders};
use crate::mining::joint::Joint;
use crate::mining::{clusters, moments, supports};
use crate::protocol::intersection;
use crate::session::Session;

impl Context<'_> {
    pub(super) fn vertical(
        &self,
        session: &mut Session<'_>,
        table: &LocalTable,
    ) -> Result<Outcome, PartyError> {
        let minimum = self.job.job.privacy.minimum();
        let identifier = self.job.job.task.identifier().cloned().unwrap_or_default();
        let identifiers = table.texts(&identifier)?;
        if let Task::Intersection { sum, .. } = &self.job.job.task {
            return self.intersection(session, table, &identifiers, sum.as_deref());
        }
        if let Task::Counts { .. } = &self.job.job.task {
            let sides = self.job.sides()?;
            return self.association(session, table, &identifiers, &sides);
        }
        let order = align(session, &identifiers, minimum)?;
        let records = order.len();
        let mut joint = Joint::new(session, minimum)?;
        match &self.job.job.task {
            Task::NaiveBayes { class, attributes, .. } => {
                self.naive_bayes(session, &mut joint, table, &order, (class, attributes))
            }
            Task::Clusters { columns, clusters, rounds, .. } => {
                let mut axes = Vec::new();
                let mut holders = Vec::new();
                for name in columns {
                    let declared = self.declared(name)?;
                    holders.push(self.holder(declared));
                    if self.holder(declared) == self.me {
                        axes.push(picked(&table.numbers(name, declared)?, &order));
                    }
                }
                let ranges = self.ranges(columns)?;
                let (found, _) = clusters::vertical(
                    session,
                    &mut joint,
                    records,
                    &axes,
                    (&ranges, &holders),
                    (*clusters, *rounds),
                )?;
                self.cluster_outcome(
                    columns,
                    &found,
                    "who is common to all parties, and which cluster each of these is in, in every round",
                )
            }
            Task::Rules { support, confidence, longest, .. } => {
                let mut items = Vec::new();
                let mut columns = Vec::new();
                for (name, declared) in self.job.job.columns.iter().filter(|(_, own)| own.party.is_some()) {
                    items.push((name.clone(), self.holder(declared)));
                    columns.push(match self.holder(declared) == self.me {
                        true => picked(&table.codes(name, declared)?, &order)
                            .into_iter()
                            .map(|code| code == 0)
                            .collect(),
                        false => Vec::new(),
                    });
                }
                let least = (*support).max(minimum);
                let found = supports::large_itemsets(
                    session,
                    &mut joint,
                    &items,
                    &columns,
                    records,
                    (least, *longest),
                )?;
                rule_outcome(session, found, *confidence, minimum)
            }
            Task::Correlation { columns, target, .. } => {
                self.correlation(session, &mut joint, table, &order, (columns, target.as_ref()))
            }
            _ => Err(PartyError::Job("the task takes no identifier".to_owned())),
        }
    }

    fn intersection(
        &self,
        session: &mut Session<'_>,
        table: &LocalTable,
        identifiers: &[Vec<u8>],
        sum: Option<&str>,
    ) -> Result<Outcome, PartyError> {
        let minimum = self.job.job.privacy.minimum();
        match sum {
            None => {
                let size = intersection::cardinality(session, identifiers)?;
                if (size as u64) < minimum {
                    return Err(PartyError::Refused(
                        "fewer people are common to all parties than the job demands".to_owned(),
                    ));
                }
                Ok(Outcome::new(
                    json!({ "people": size }),
                    "how many people each party knows, and how many all know",
                ))
            }
            Some(column) => {
                let values = if self.me == 1 { self.whole_numbers(table, column)? } else { Vec::new() };
                let (count, sum) = intersection::sum(session, identifiers, &values, minimum)?;
                Ok(Outcome::new(
                    json!({ "people": count, "sum": sum }),
                    "how many people both parties know, and the sum",
                ))
            }
        }
    }

    fn naive_bayes(
        &self,
        session: &mut Session<'_>,
        joint: &mut Joint,
        table: &LocalTable,
        order: &[usize],
        (class, attributes): (&String, &[String]),
    ) -> Result<Outcome, PartyError> {
        let records = order.len();
        let holder = |name: &String| -> Result<(usize, usize), PartyError> {
            let declared = self.declared(name)?;
            Ok((self.holder(declared), input::labels(declared).len()))
        };
        let holders = Holders {
            class: holder(class)?,
            attributes: attributes.iter().map(holder).collect::<Result<_, _>>()?,
        };
        let column = |name: &String| -> Result<Option<Vec<u32>>, PartyError> {
            let declared = self.declared(name)?;
            (self.holder(declared) == self.me)
                .then(|| Ok(picked(&table.codes(name, declared)?, order)))
                .transpose()
        };
        let own_class = column(class)?;
        let own: Vec<Option<Vec<u32>>> = attributes.iter().map(column).collect::<Result<_, _>>()?;
        let views: Vec<Option<&[u32]>> = own.iter().map(Option::as_deref).collect();
        let model = bayes::vertical(session, joint, &holders, records, own_class.as_deref(), &views)?;
        let classes = input::labels(self.declared(class)?);
        let values: Result<Vec<Vec<String>>, PartyError> =
            attributes.iter().map(|name| Ok(input::labels(self.declared(name)?))).collect();
        let columns = Columns { class: (class, &classes), names: attributes, values: &values? };
        bayes_outcome(&model, &columns, self.job.job.privacy.minimum())
    }

    fn correlation(
        &self,
        session: &mut Session<'_>,
        joint: &mut Joint,
        table: &LocalTable,
        order: &[usize],
        (columns, target): (&[String], Option<&String>),
    ) -> Result<Outcome, PartyError> {
        let mut own = Vec::new();
        let (mut holders, mut bits) = (Vec::new(), Vec::new());
        for name in columns {
            let declared = self.declared(name)?;
            holders.push(self.holder(declared));
            bits.push(input::bits(declared));
            if self.holder(declared) == self.me {
                let numbers = picked(&table.numbers(name, declared)?, order);
                own.push(numbers.into_iter().map(i64::unsigned_abs).collect());
            }
        }
        let found = moments::moments(session, joint, &holders, &bits, &own, order.len())?;
        self.moment_outcome(columns, target, &found)
    }

    fn holder(&self, declared: &ColumnSection) -> usize {
        // why: `check` has seen that the party takes part
        declared.party.as_ref().and_then(|party| self.job.party(party)).unwrap_or(0)
    }

    fn whole_numbers(&self, table: &LocalTable, column: &str) -> Result<Vec<u64>, PartyError> {
        let number = |text: Vec<u8>| std::str::from_utf8(&text).ok()?.trim().parse::<u64>().ok();
        let numbers: Option<Vec<u64>> = table.texts(column)?.into_iter().map(number).collect();
        numbers.ok_or_else(|| {
            PartyError::Input(format!("the column `{column}` has something else than whole numbers from 0"))
        })
    }
}

/// The records of common people, in the order of all parties.
fn picked<T: Copy>(own: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|&place| own[place]).collect()
}
