//! Lists that hold others than those in the data, against going through all tables that can be made of them.

use std::collections::BTreeMap;

use privet_data::Silent;
use proptest::prelude::*;

use super::tests::{CAP, Table};
use super::*;

/// What is published of people: the labels and the value of each record that is, in order, and how many are not.
type Seen = (Vec<(Vec<String>, u32)>, usize);

/// People with two columns each.
struct People {
    quasi: Vec<[u32; 2]>,
    values: usize,
    promise: (&'static str, &'static str),
    suppress: u64,
}

impl People {
    /// What the search does with some of them, who have these values: per record its labels, or none where it is suppressed.
    fn publish(&self, who: &[usize], values: &[u32]) -> Option<Vec<Option<Vec<String>>>> {
        let column = |at: usize| who.iter().map(|&own| self.quasi[own][at]).collect::<Vec<u32>>();
        let table = Table::new(&[&column(0), &column(1)], &[values], self.values, &[self.promise]);
        table.with_problem(self.suppress, |problem| {
            let found = optimal_levels(problem, &Silent).unwrap()?;
            let labels = |row: usize| {
                let label = |(quasi, level): (&privet_recode::lattice::Quasi<'_>, &GeneralizedLevel)| {
                    level.labels[level.node_of_code[quasi.codes[row] as usize] as usize].to_string()
                };
                problem.quasi.iter().zip(&found.shows).map(label).collect()
            };
            let kept = |row: usize| found.kept[found.class_of[row] as usize].then(|| labels(row));
            Some((0..who.len()).map(kept).collect())
        })?
    }

    fn seen(&self, who: &[usize], values: &[u32]) -> Option<Seen> {
        let published = self.publish(who, values)?;
        let suppressed = published.iter().filter(|own| own.is_none()).count();
        let mut records: Vec<_> =
            published.into_iter().zip(values).filter_map(|(own, &v)| Some((own?, v))).collect();
        records.sort();
        Some((records, suppressed))
    }

    /// The attack. A person fits a group when the release has the labels that the levels of the groups give to the person: with columns
    /// of a value and `*` that is seen from any group.
    fn attack(&self, seen: &Seen, effort: Effort) -> Result<Minimality, MinimalityError> {
        let (records, suppressed) = seen;
        let mut groups: BTreeMap<&[String], Vec<u32>> = BTreeMap::new();
        records.iter().for_each(|(labels, value)| groups.entry(labels).or_default().push(*value));
        let fits = |labels: &[String], own: &[u32; 2]| {
            labels.iter().zip(own).all(|(label, own)| label == "*" || *label == own.to_string())
        };
        let people = self.quasi.len();
        let group_of: Vec<Option<Vec<String>>> = (self.quasi.iter())
            .map(|own| groups.keys().find(|labels| fits(labels, own)).map(|labels| labels.to_vec()))
            .collect();
        let is_in = |person: &u32, labels: &[String]| group_of[*person as usize].as_deref() == Some(labels);
        let classes = groups.iter().map(|(labels, values)| Bucket {
            people: (0..people as u32).filter(|own| is_in(own, labels)).collect(),
            values: values.clone(),
        });
        let free = (0..people as u32).filter(|&own| group_of[own as usize].is_none()).collect();
        let tuples = (0..self.values as u32).map(|code| vec![code]).collect();
        let listed = Listed::new(people, classes.collect(), free, *suppressed, tuples)?;
        let cell_of: Vec<u32> = self.quasi.iter().map(|own| 2 * own[0] + own[1]).collect();
        let leads = |world: &[u32], _: &dyn Progress| {
            let who: Vec<usize> = (0..people).filter(|&own| world[own] != ABSENT).collect();
            let published = self.publish(&who, &listed.codes(world)[0]);
            Ok(published.is_some_and(|published| {
                who.iter().zip(published).all(|(&own, labels)| group_of[own] == labels)
            }))
        };
        let attack = ListAttack {
            listed: &listed,
            cell_of: &cell_of,
            position: 0,
            values: self.values,
            looks_at_values: true,
            effort,
        };
        attack.run(&leads, &Silent)
    }

    /// The same by its definition: of all tables of so many of these people, with any values, those for which the same is published. Gives
    /// how many these are, and per person how often each value.
    fn by_definition(&self, records: usize, seen: &Seen) -> (u128, Vec<Vec<u32>>) {
        let mut with = vec![vec![0; self.values]; self.quasi.len()];
        let mut found = 0;
        for subset in 0u32..1 << self.quasi.len() {
            let who: Vec<usize> = (0..self.quasi.len()).filter(|own| subset >> own & 1 == 1).collect();
            if who.len() != records {
                continue;
            }
            for mut number in 0..self.values.pow(records as u32) {
                let values: Vec<u32> = (0..records)
                    .map(|_| {
                        let value = number % self.values;
                        number /= self.values;
                        value as u32
                    })
                    .collect();
                if self.seen(&who, &values).as_ref() == Some(seen) {
                    found += 1;
                    who.iter().zip(&values).for_each(|(&own, &value)| with[own][value as usize] += 1);
                }
            }
        }
        (found, with)
    }
}

fn effort(worlds_at_most: u64) -> Effort {
    Effort { worlds_at_most, samples: 400, confidence: 0.9, seed: 5 }
}

/// survey FX-6.1: 94085 M, 14085 M, 14085 F, 94085 F, and four more of 14085 F; three have HIV, which is 0.
const HOSPITAL: [[u32; 2]; 8] = [[1, 1], [0, 1], [0, 0], [1, 0], [0, 0], [0, 0], [0, 0], [0, 0]];

fn hospital(others: &[[u32; 2]], values: usize) -> People {
    People { quasi: [&HOSPITAL, others].concat(), values, promise: CAP, suppress: 0 }
}

/// survey AT-09, FX-6.1: a list of the eight people and nothing else tells the three, as the original does.
#[test]
fn survey_fx61_by_a_list_of_all() {
    for (diseases, values, worlds, left) in
        [([0, 0, 1, 0, 1, 1, 1, 1], 2, 56, 1), ([0, 0, 1, 0, 2, 1, 1, 2], 3, 560, 10)]
    {
        let people = hospital(&[], values);
        let seen = people.seen(&[0, 1, 2, 3, 4, 5, 6, 7], &diseases).unwrap();
        let found = people.attack(&seen, effort(5_000)).unwrap();
        assert_eq!((found.tried, found.fitting), (Tried::All(worlds), left));
        let exposed: Vec<u32> =
            found.exposed(1.0).iter().filter(|own| own.value == 0).map(|own| own.person).collect();
        assert_eq!(exposed, [0, 1, 3]);
        assert_eq!(found.before.chance(0, 0), 3.0 / 8.0);
    }
}

/// survey AT-09: with five men and five women of each zip on the list the attack tells nothing. By hand: who lives where and who is a man
/// may be exchanged, so that of all four kinds of people the same is believed; in every world three of eight have HIV.
#[test]
fn survey_fx61_is_weakened_by_others_on_the_list() {
    let others: Vec<[u32; 2]> = [[1, 1]; 4].into_iter().chain([[0, 1]; 4]).chain([[1, 0]; 4]).collect();
    let people = hospital(&others, 2);
    let seen = people.seen(&[0, 1, 2, 3, 4, 5, 6, 7], &[0, 0, 1, 0, 1, 1, 1, 1]).unwrap();
    let found = people.attack(&seen, effort(5_000)).unwrap();

    // Worlds by how many of each kind have HIV and how many are in the data without it; both recodings that are finer are unsafe.
    let choose = |of: u128, count: u128| (0..count).fold(1, |ways, at| ways * (of - at) / (at + 1));
    let kinds: Vec<(u128, u128)> =
        (0..=3).flat_map(|sick| (0..=5 - sick).map(move |well| (sick, well))).collect();
    let (mut fitting, mut sick_men, mut men) = (0, 0, 0);
    for a in &kinds {
        for b in &kinds {
            for c in &kinds {
                for d in &kinds {
                    let all = [a, b, c, d];
                    if all.iter().map(|own| own.0).sum::<u128>() != 3
                        || all.iter().map(|own| own.1).sum::<u128>() != 5
                    {
                        continue;
                    }
                    // Men and women of one zip, then of the other.
                    let is_unsafe = |x: &(u128, u128), y: &(u128, u128)| x.0 + y.0 > x.1 + y.1;
                    let by_zip = is_unsafe(a, b) || is_unsafe(c, d);
                    let by_gender = is_unsafe(a, c) || is_unsafe(b, d);
                    if by_zip && by_gender {
                        let ways: u128 =
                            all.iter().map(|own| choose(5, own.0) * choose(5 - own.0, own.1)).product();
                        fitting += ways;
                        sick_men += ways * a.0;
                        men += ways * (a.0 + a.1);
                    }
                }
            }
        }
    }
    assert_eq!(8 * sick_men, 3 * men, "three of eight");
    assert_eq!(found.tried, Tried::All(choose(20, 8) * choose(8, 3)));
    assert_eq!(found.fitting, fitting);
    for person in 0..20 {
        assert!((found.after.chance(person, 0) - 0.375).abs() < 1e-12);
    }
    assert!(found.exposed(0.9).is_empty() && found.exposed_by_choice(0.5).is_empty());
}

#[test]
fn a_list_that_lacks_people_is_refused() {
    let people = hospital(&[], 2);
    let seen = people.seen(&[0, 1, 2, 3, 4, 5, 6, 7], &[0, 0, 1, 0, 1, 1, 1, 1]).unwrap();
    let shorter = People { quasi: HOSPITAL[..6].to_vec(), ..people };
    assert_eq!(shorter.attack(&seen, effort(100)).unwrap_err(), MinimalityError::Lacking { records: 2 });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Nobody, one or two more people than records, some of these perhaps suppressed: as the definition has it, and what is drawn exposes
    /// nobody whom all worlds show safe.
    #[test]
    fn lists_are_gone_through_as_defined(
        quasi in prop::collection::vec(prop::array::uniform2(0u32..2), 6),
        diseases in prop::collection::vec(0u32..2, 6),
        others in 0usize..3,
        suppress in 0u64..3,
        promise in prop::sample::select(vec![
            CAP,
            ("alpha-k", r#"{"alpha": 0.67, "k": 2, "column": "s"}"#),
            ("l-diversity", r#"{"kind": "distinct", "l": 2, "column": "s"}"#),
        ]),
    ) {
        let people = People { quasi, values: 2, promise, suppress };
        let records = 6 - others;
        let truth: Vec<usize> = (0..records).collect();
        let Some(seen) = people.seen(&truth, &diseases[..records]) else { return Err(TestCaseError::reject("the case does not arise")) };
        let found = people.attack(&seen, effort(1 << 20)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let (worlds, with) = people.by_definition(records, &seen);
        prop_assert_eq!(found.fitting, worlds);
        for (person, counts) in (0u32..).zip(&with) {
            let present: u32 = counts.iter().sum();
            prop_assert_eq!(found.after.of(person).is_empty(), present == 0);
            for (value, &count) in (0u32..).zip(counts) {
                let expected = f64::from(count) / f64::from(present.max(1));
                prop_assert!((found.after.chance(person, value) - expected).abs() < 1e-12);
            }
        }
        if let Ok(drawn) = people.attack(&seen, effort(0)) {
            for own in drawn.exposed(0.9) {
                prop_assert!(found.after.chance(own.person, own.value) >= 0.9, "{own:?}");
            }
        }
    }
}
