//! Naive Bayes over parts of a table: the counts of classes, and of each attribute's values within a class.
//!
//! Horizontal parts add their counts by secure sums. Vertical parts compute them as scalar products of indicator columns between the party that
//! has the class and each that has an attribute.
//!
//! # What is revealed
//! The model: counts that reach the minimum, and which do. Of other counts nothing, not even by subtraction: where the values of an attribute
//! that are hidden within a class are fewer people together than the minimum, the first of the others is hidden too.

use serde::{Deserialize, Serialize};

use super::joint::{Joint, cross_count};
use crate::error::PartyError;
use crate::protocol::product::{pack, receive_sums, send_sums};
use crate::session::Session;

/// A model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NaiveBayes {
    /// Records per class; nothing where they are fewer than the minimum.
    pub classes: Vec<Option<u64>>,
    /// Per attribute, per class and then per value.
    pub attributes: Vec<Vec<Vec<Option<u64>>>>,
}

/// Opens shares of the counts of a model: of each class, then of each attribute within each class.
fn open(
    session: &mut Session<'_>,
    joint: &mut Joint,
    shares: &[u64],
    classes: usize,
    sizes: &[usize],
) -> Result<NaiveBayes, PartyError> {
    let minimum = joint.minimum();
    if minimum <= 1 {
        let opened = joint.open(session, shares)?;
        return Ok(NaiveBayes::of_counts(opened.into_iter(), classes, sizes));
    }
    let is_small = joint.small(session, &shares[..classes])?;
    if is_small.contains(&true) {
        return Err(PartyError::Refused("a class has fewer people than the minimum".to_owned()));
    }
    let mut shown = joint.reached(session, shares, minimum)?;
    let mut rows = Vec::new();
    let mut start = classes;
    for size in sizes {
        for _ in 0..classes {
            rows.push(start..start + size);
            start += size;
        }
    }
    let rest = |row: &std::ops::Range<usize>| {
        let hidden = row.clone().filter(|&place| !shown[place]).map(|place| shares[place]);
        hidden.fold(0u64, u64::wrapping_add)
    };
    let rests: Vec<u64> = rows.iter().map(rest).collect();
    let is_small = joint.small(session, &rests)?;
    for (row, _) in rows.into_iter().zip(is_small).filter(|(_, small)| *small) {
        if let Some(first) = row.into_iter().find(|&place| shown[place]) {
            shown[first] = false;
        }
    }
    let chosen: Vec<u64> = shares.iter().zip(&shown).filter(|(_, shown)| **shown).map(|own| *own.0).collect();
    let mut opened = joint.sums.sum(session, &chosen)?.into_iter();
    let counts = shown.into_iter().map(|shown| if shown { opened.next() } else { None });
    Ok(NaiveBayes::of_counts(counts, classes, sizes))
}

impl NaiveBayes {
    fn of_counts(mut counts: impl Iterator<Item = Option<u64>>, classes: usize, sizes: &[usize]) -> Self {
        let mut take = |count: usize| counts.by_ref().take(count).collect::<Vec<_>>();
        Self {
            classes: take(classes),
            attributes: sizes.iter().map(|&size| (0..classes).map(|_| take(size)).collect()).collect(),
        }
    }

    /// The likeliest class of a record, with one imagined record per value (Laplace); what was not opened counts as none.
    pub fn predict(&self, values: &[usize]) -> usize {
        let score = |class: usize| {
            let records = self.classes[class].unwrap_or(0) as f64;
            let likelihood = self.attributes.iter().zip(values).map(|(attribute, &value)| {
                let counts = &attribute[class];
                let count = counts.get(value).copied().flatten().unwrap_or(0) as f64;
                ((count + 1.0) / (records + counts.len() as f64)).ln()
            });
            (records + 1.0).ln() + likelihood.sum::<f64>()
        };
        (0..self.classes.len()).max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a))).unwrap_or(0)
    }
}

/// This party's counts: of classes, then of each attribute within each class.
fn local_counts(class: &[u32], classes: usize, attributes: &[&[u32]], sizes: &[usize]) -> Vec<u64> {
    let mut counts = cross_count(&[class], &[classes]);
    for (column, &size) in attributes.iter().zip(sizes) {
        counts.extend(cross_count(&[class, column], &[classes, size]));
    }
    counts
}

/// Learns over horizontal parts.
///
/// # Errors
/// When the session fails.
pub fn horizontal(
    session: &mut Session<'_>,
    joint: &mut Joint,
    (class, classes): (&[u32], usize),
    attributes: &[&[u32]],
    sizes: &[usize],
) -> Result<NaiveBayes, PartyError> {
    let counts = local_counts(class, classes, attributes, sizes);
    open(session, joint, &counts, classes, sizes)
}

/// Who holds what of a vertical table; the same for all parties.
#[derive(Debug, Clone)]
pub struct Holders {
    /// The party with the class, and how many there are.
    pub class: (usize, usize),
    /// Per attribute the party that has it, and how many values it has.
    pub attributes: Vec<(usize, usize)>,
}

/// Learns over vertical parts of the same records in the same order. `class` is given by its holder, and per attribute its column by its.
///
/// # Errors
/// When the session fails.
pub fn vertical(
    session: &mut Session<'_>,
    joint: &mut Joint,
    holders: &Holders,
    records: usize,
    class: Option<&[u32]>,
    attributes: &[Option<&[u32]>],
) -> Result<NaiveBayes, PartyError> {
    let (holder, classes) = holders.class;
    let sizes: Vec<usize> = holders.attributes.iter().map(|&(_, size)| size).collect();
    let me = session.me();
    // This party's shares, in the order of a model.
    let mut shares = class.map_or_else(|| vec![0; classes], |class| cross_count(&[class], &[classes]));
    let starts: Vec<usize> = sizes
        .iter()
        .scan(classes, |start, size| {
            *start += classes * size;
            Some(*start - classes * size)
        })
        .collect();
    shares.resize(classes + classes * sizes.iter().sum::<usize>(), 0);
    let transfers = joint.transfers(session)?;
    for party in 0..session.parties() {
        let theirs: Vec<usize> =
            (0..sizes.len()).filter(|&attribute| holders.attributes[attribute].0 == party).collect();
        let width: usize = theirs.iter().map(|&attribute| sizes[attribute]).sum();
        if theirs.is_empty() || (me != party && me != holder) {
            continue;
        }
        if party == holder {
            for &attribute in &theirs {
                if let (Some(class), Some(column)) = (class, attributes[attribute]) {
                    let counts = cross_count(&[class, column], &[classes, sizes[attribute]]);
                    shares[starts[attribute]..starts[attribute] + counts.len()].copy_from_slice(&counts);
                }
            }
            continue;
        }
        for own_class in 0..classes {
            let sums = if me == holder {
                let bits = pack(class.unwrap_or_default().iter().map(|own| *own as usize == own_class));
                receive_sums(session, transfers.receiver(party)?, party, (records, width), &bits)?
            } else {
                let columns: Vec<(&[u32], usize)> = theirs
                    .iter()
                    .scan(0, |start, &attribute| {
                        let begin = *start;
                        *start += sizes[attribute];
                        Some((attributes[attribute].unwrap_or_default(), begin))
                    })
                    .collect();
                let value = |row: usize, own: &mut [u64]| {
                    own.fill(0);
                    columns.iter().for_each(|(column, begin)| own[begin + column[row] as usize] = 1);
                };
                send_sums(session, transfers.sender(holder)?, holder, (records, width), &value)?
            };
            let mut sums = sums.into_iter();
            for &attribute in &theirs {
                let begin = starts[attribute] + own_class * sizes[attribute];
                shares[begin..begin + sizes[attribute]]
                    .iter_mut()
                    .zip(sums.by_ref())
                    .for_each(|(to, own)| *to = own);
            }
        }
    }
    open(session, joint, &shares, classes, &sizes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::run_local;

    /// What one owner of all records would count and show; nothing where a class is too small.
    fn central(table: &[[u32; 3]], minimum: u64) -> Option<NaiveBayes> {
        let column = |place: usize| table.iter().map(|own| own[place]).collect::<Vec<u32>>();
        let counts = local_counts(&column(0), 2, &[&column(1), &column(2)], &[3, 4]);
        if counts[..2].iter().any(|&own| 0 < own && own < minimum) {
            return None;
        }
        let shown = counts.into_iter().map(|own| (own >= minimum).then_some(own));
        let mut model = NaiveBayes::of_counts(shown, 2, &[3, 4]);
        for (class, row) in model.attributes.iter_mut().flat_map(|own| own.iter_mut().enumerate()) {
            let shown: u64 = row.iter().flatten().sum();
            let rest = model.classes[class].unwrap_or(0) - shown;
            if 0 < rest && rest < minimum {
                *row.iter_mut().find(|own| own.is_some()).unwrap() = None;
            }
        }
        Some(model)
    }

    fn table() -> impl Strategy<Value = Vec<[u32; 3]>> {
        proptest::collection::vec((0u32..2, 0u32..3, 0u32..4).prop_map(|(a, b, c)| [a, b, c]), 30..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5))]
        #[test]
        fn horizontal_parts_give_the_central_model(table in table(), parties in 2usize..4) {
            let results = run_local(parties, |session| {
                let mut joint = Joint::new(session, 3)?;
                let own: Vec<&[u32; 3]> = table.iter().skip(session.me()).step_by(parties).collect();
                let column = |place: usize| own.iter().map(|own| own[place]).collect::<Vec<u32>>();
                horizontal(session, &mut joint, (&column(0), 2), &[&column(1), &column(2)], &[3, 4])
            });
            for result in results {
                prop_assert_eq!(result.ok(), central(&table, 3));
            }
        }

        #[test]
        fn vertical_parts_give_the_central_model(table in table(), is_third in any::<bool>()) {
            let holders = Holders { class: (0, 2), attributes: vec![(1, 3), (if is_third { 2 } else { 0 }, 4)] };
            let parties = if is_third { 3 } else { 2 };
            let column = |place: usize| table.iter().map(|own| own[place]).collect::<Vec<u32>>();
            let columns = [column(0), column(1), column(2)];
            let results = run_local(parties, |session| {
                let mut joint = Joint::new(session, 3)?;
                let me = session.me();
                let class = (me == 0).then_some(&columns[0][..]);
                let held = |attribute: usize| {
                    (holders.attributes[attribute].0 == me).then_some(&columns[attribute + 1][..])
                };
                vertical(session, &mut joint, &holders, table.len(), class, &[held(0), held(1)])
            });
            for result in results {
                prop_assert_eq!(result.ok(), central(&table, 3));
            }
        }
    }

    /// Five, three and one people have the values of a class: the one must not follow from nine people less eight.
    #[test]
    fn what_is_hidden_does_not_follow_from_what_is_shown() {
        let values = [0, 0, 0, 0, 0, 1, 1, 1, 2];
        let results = run_local(2, |session| {
            let mut joint = Joint::new(session, 3)?;
            let own: Vec<u32> = values.into_iter().skip(session.me()).step_by(2).collect();
            horizontal(session, &mut joint, (&vec![0; own.len()], 2), &[&own], &[3])
        });
        for result in results {
            let model = result.unwrap();
            assert_eq!(model.classes, [Some(9), None]);
            assert_eq!(model.attributes[0][0], [None, Some(3), None]);
        }
    }

    #[test]
    fn the_likelier_class_is_predicted() {
        let model = central(&[[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 2, 3], [1, 2, 3]], 0).unwrap();
        assert_eq!([model.predict(&[0, 0]), model.predict(&[2, 3])], [0, 1]);
    }
}
