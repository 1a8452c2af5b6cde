//! Nobody is exposed whom going through all worlds shows safe: attacks on small tables, with people in several groups, more
//! people than records, and knowledge about some of them.
//!
//! A world gives every record to somebody whom it fits; all such ways are equally probable, or as probable as what is believed
//! of values makes them. What is drawn is held to all worlds where it is drawn: walks in `reasoners/definetti.rs`, worlds of a
//! search in `minimality/attack/tests.rs`.

use privet_data::Silent;
use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_release::published::Histograms;
use proptest::prelude::*;

use super::*;
use crate::finding::Fate;
use crate::knowledge::{KnownValue, Negation, Prior};

/// Records with a group and a value, and what each shows: buckets show it, classes do not.
#[derive(Debug, Clone)]
struct Small {
    /// Per record its group, its value, and what it shows in a bucket.
    records: Vec<(u32, u32, u32)>,
    /// Per person the groups that fit, as bits, and what they look like.
    people: Vec<(u32, u32)>,
    bucketized: bool,
}

impl Small {
    fn fits(&self, person: usize, record: usize) -> bool {
        let ((groups, look), (group, _, shows)) = (self.people[person], self.records[record]);
        groups >> group & 1 == 1 && (!self.bucketized || look == shows)
    }

    fn release(&self) -> Published {
        let line = |own: &(u32, u32, u32)| format!("c{},v{}\n", own.0, own.1);
        let csv = "class,value\n".to_owned() + &self.records.iter().map(line).collect::<String>();
        let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
        let table = read_csv_bytes(csv.as_bytes(), &options).unwrap().table;
        let mut release = Published::of_table(table, vec![0], vec![1], &Silent).unwrap();
        // Groups by their own numbers.
        let groups = self.records.iter().map(|own| own.0).max().unwrap_or(0) + 1;
        release.group_of = self.records.iter().map(|own| own.0).collect();
        release.groups =
            (0..groups).map(|g| self.records.iter().filter(|own| own.0 == g).count() as u64).collect();
        let column = &mut release.sensitive[0];
        let codes = column.codes.clone().unwrap();
        column.histograms = Histograms::count(&release.group_of, groups as usize, &codes);
        if self.bucketized {
            column.codes = None;
        }
        release
    }

    fn suspects(&self, groups: usize) -> Suspects {
        let mut suspects = Suspects { starts: vec![0], ..Suspects::default() };
        let mut looks: Vec<(u32, u32)> = self.people.clone();
        looks.sort_unstable();
        looks.dedup();
        for look in &looks {
            let person = self.people.iter().position(|own| own == look).unwrap();
            for group in 0..groups as u32 {
                let fits = |&record: &usize| self.records[record].0 == group && self.fits(person, record);
                let records = (0..self.records.len()).filter(fits).count() as u64;
                if records > 0 {
                    suspects.groups.push(Place { group, records });
                }
            }
            suspects.starts.push(suspects.groups.len());
        }
        suspects.profile_of =
            self.people.iter().map(|own| looks.binary_search(own).unwrap() as u32).collect();
        suspects
    }

    /// Every world: per person the value of their record, if they have one. In a bucket any of its values may be a record's; in
    /// a class records that differ in their value alone are as many.
    fn worlds(&self, each: &mut impl FnMut(&[Option<u32>])) {
        fn go(
            small: &Small,
            record: usize,
            left: &mut Vec<bool>,
            of: &mut Vec<Option<u32>>,
            each: &mut impl FnMut(&[Option<u32>]),
        ) {
            let Some(&(group, own, _)) = small.records.get(record) else { return each(of) };
            for person in 0..small.people.len() {
                if of[person].is_some() || !small.fits(person, record) {
                    continue;
                }
                if !small.bucketized {
                    of[person] = Some(own);
                    go(small, record + 1, left, of, each);
                    of[person] = None;
                    continue;
                }
                for (other, &(theirs, value, _)) in small.records.iter().enumerate() {
                    if theirs == group && left[other] {
                        (left[other], of[person]) = (false, Some(value));
                        go(small, record + 1, left, of, each);
                        (left[other], of[person]) = (true, None);
                    }
                }
            }
        }
        go(self, 0, &mut vec![true; self.records.len()], &mut vec![None; self.people.len()], each);
    }

    /// Per person and value how probable it is for those who are in the data, by worlds of these weights; and per person how
    /// probable it is that they are.
    fn beliefs(&self, weight: impl Fn(&[Option<u32>]) -> f64) -> (Vec<[f64; 3]>, Vec<f64>, f64) {
        let mut of_value = vec![[0.0; 3]; self.people.len()];
        let (mut present, mut all) = (vec![0.0; self.people.len()], 0.0);
        self.worlds(&mut |values| {
            let own = weight(values);
            all += own;
            for (person, value) in
                values.iter().enumerate().filter_map(|(person, own)| Some((person, (*own)?)))
            {
                of_value[person][value as usize] += own;
                present[person] += own;
            }
        });
        for (values, present) in of_value.iter_mut().zip(&present) {
            values.iter_mut().for_each(|own| *own /= f64::max(*present, f64::MIN_POSITIVE));
        }
        present.iter_mut().for_each(|own| *own /= f64::max(all, f64::MIN_POSITIVE));
        (of_value, present, all)
    }
}

prop_compose! {
    fn small()(
        records in prop::collection::vec((0u32..3, 0u32..3, 0u32..2), 2..6),
        more in 0usize..3,
        fits in prop::collection::vec((1u32..8, 0u32..2), 8),
        bucketized in any::<bool>(),
    ) -> Small {
        let people = fits.into_iter().take(records.len() + more).collect();
        let mut numbers: Vec<u32> = records.iter().map(|own| own.0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let records = records.into_iter().map(|(group, value, shows)| {
            (numbers.partition_point(|&own| own < group) as u32, value, shows)
        }).collect();
        Small { records, people, bucketized }
    }
}

fn exposed(adversary: &Adversary<'_>, word: &str) -> Vec<(usize, u32)> {
    let Ok(found) = adversary.make(word, &Silent) else { return Vec::new() };
    let mut all = Vec::new();
    for own in found.iter().filter_map(|own| own.conclusions.as_ref()) {
        for (person, fate) in own.fate.iter().enumerate() {
            if matches!(fate, Fate::Exposed | Fate::Right | Fate::Wrong) {
                all.push((person, own.beliefs.of(person as u32).unwrap().best(|_| true).unwrap().0));
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn nobody_is_exposed_whom_worlds_show_safe(
        small in small(),
        known in prop::collection::vec((0usize..7, 0u32..3, any::<bool>()), 0..4),
        prior in (1u32..9, 1u32..9, 0usize..128),
        confidence in 3u32..10,
    ) {
        let release = small.release();
        let suspects = small.suspects(release.groups.len());
        let text = |value: u32| format!("v{value}");
        let domain = &release.sensitive[0].domain;
        let known: Vec<(usize, u32, bool)> = known
            .into_iter()
            .filter(|own| own.0 < small.people.len() && domain.code_of(&text(own.1)).is_some())
            .collect();
        let mut knowledge = Knowledge::default();
        for &(person, value, has) in &known {
            let (person, column) = (person.to_string(), None);
            match has {
                true => knowledge.records.push(KnownValue { person, column, value: text(value) }),
                false => knowledge.negations.push(Negation { person, column, not: vec![text(value)] }),
            }
        }
        let among: Vec<bool> = (0..small.people.len()).map(|person| prior.2 >> person & 1 == 1).collect();
        let shares = [prior.0, prior.1, 18 - prior.0 - prior.1].map(|own| f64::from(own) / 18.0);
        knowledge.priors.push(Prior {
            column: None,
            of: Default::default(),
            shares: (0..3).map(|value| (text(value), shares[value as usize])).collect(),
        });
        let of_prior = vec![among.clone()];
        let confidence = f64::from(confidence) / 10.0;
        let by_number = |name: &str| name.parse().ok();
        let adversary = Adversary {
            person: &by_number,
            of_prior: &of_prior,
            ..plain_adversary(&release, &suspects, &knowledge, confidence)
        };
        // What somebody has who is not in the data is not known, and what is known of them says nothing.
        let holds = |values: &[Option<u32>]| {
            known.iter().all(|&(person, value, has)| values[person].is_none_or(|own| (own == value) == has))
        };
        let total: Vec<f64> =
            (0..3).map(|value| small.records.iter().filter(|own| own.1 == value).count() as f64).collect();
        let believed = |values: &[Option<u32>]| -> f64 {
            let of = |(person, value): (usize, &Option<u32>)| match (value, among[person]) {
                (None, _) => 1.0,
                (Some(value), true) => shares[*value as usize],
                (Some(value), false) => total[*value as usize] / small.records.len() as f64,
            };
            values.iter().enumerate().map(of).product()
        };
        let plain = small.beliefs(|_| 1.0);
        let knowing = small.beliefs(|values| f64::from(u8::from(holds(values))));
        let prior = small.beliefs(believed);
        for (word, (beliefs, present, all)) in [
            ("homogeneity", &plain),
            ("background-knowledge", &knowing),
            ("independence", &prior),
            ("bayes-optimal", &prior),
        ] {
            if *all == 0.0 {
                continue;
            }
            for (person, code) in exposed(&adversary, word) {
                let value = domain.text(code)[1..].parse::<usize>().unwrap();
                // Who is in no world is nobody's.
                prop_assert!(
                    present[person] == 0.0 || beliefs[person][value] >= confidence - 1e-6,
                    "{word}: {person} has v{value} with {}, not {confidence}", beliefs[person][value]
                );
            }
        }
    }

    /// Membership: who is taken to be in the data is in so many worlds, and nobody is where the list does not hold everybody.
    #[test]
    fn nobody_is_taken_for_a_member_whom_worlds_leave_out(
        small in small(), less in 0usize..4, confidence in 3u32..=10,
    ) {
        let keep = small.people.len().saturating_sub(less).max(1);
        let small = Small { bucketized: false, people: small.people[..keep].to_vec(), ..small };
        let release = small.release();
        let suspects = small.suspects(release.groups.len());
        // A label stands for all looks that fit its group.
        let fits = |group: usize| (0..8u32).filter(move |look| look >> group & 1 == 1).collect();
        let coverage = Coverage::new((0..release.groups.len()).map(fits), 8);
        let looks: Vec<u32> = small.people.iter().map(|own| own.0).collect();
        let shared = vec![SharedColumn { quasi: 0, values: &looks, coverage: &coverage, points: None }];
        let confidence = f64::from(confidence) / 10.0;
        let knowledge = Knowledge::default();
        let adversary = Adversary {
            crowd: Crowd { count: small.people.len(), shared },
            ..plain_adversary(&release, &suspects, &knowledge, confidence)
        };
        let (_, present, all) = small.beliefs(|_| 1.0);
        let found = records::membership(&adversary).unwrap();
        let fates = &found[0].conclusions.as_ref().unwrap().fate;
        for (person, _) in fates.iter().enumerate().filter(|(_, fate)| **fate != Fate::Hidden) {
            prop_assert!(all > 0.0, "the list does not hold everybody");
            prop_assert!(present[person] >= confidence - 1e-6, "{person} is there with {}", present[person]);
        }
    }
}

/// Somebody who knows nothing besides who may stand where.
fn plain_adversary<'a>(
    release: &'a Published,
    suspects: &'a Suspects,
    knowledge: &'a Knowledge,
    confidence: f64,
) -> Adversary<'a> {
    Adversary {
        release,
        crowd: Crowd::default(),
        suspects,
        own_table: true,
        truth: None,
        control: None,
        hierarchies: &[],
        knowledge,
        person: &|_| None,
        of_prior: &[],
        others: &[],
        minimality: None,
        disclosure: None,
        tracker: None,
        confidence,
        seed: 1,
        most_records: 1000,
    }
}

prop_compose! {
    /// Two releases of one table, and a list with others on it: the people of the first records are those of the table.
    fn two()(
        records in prop::collection::vec((0u32..3, 0u32..3, 0u32..3), 2..6),
        others in prop::collection::vec((0u32..8, 0u32..8), 0..3),
        also in prop::collection::vec((0u32..40, 0u32..40), 5),
    ) -> (Small, Small) {
        let numbers = |group: &dyn Fn(&(u32, u32, u32)) -> u32| -> Vec<u32> {
            let mut own: Vec<u32> = records.iter().map(group).collect();
            own.sort_unstable();
            own.dedup();
            records.iter().map(|record| own.partition_point(|&own| own < group(record)) as u32).collect()
        };
        let groups = [numbers(&|own| own.0), numbers(&|own| own.1)];
        let release = |which: usize| {
            let fit = |own: (u32, u32)| if which == 0 { own.0 } else { own.1 };
            // Some fit other groups besides their own.
            let own = groups[which].iter().zip(&also).map(|(group, &more)| {
                let more = fit(more);
                (1 << group | if more < 8 { more } else { 0 }, 0)
            });
            Small {
                records: groups[which].iter().zip(&records).map(|(&group, own)| (group, own.2, 0)).collect(),
                people: own.chain(others.iter().map(|&own| (fit(own), 0))).collect(),
                bucketized: false,
            }
        };
        (release(0), release(1))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Composition: a world gives the records of both releases to people, of one table to the same, with the same values; of
    /// different tables with the same values for those who are in both. Beliefs are about people given that they are in the data.
    #[test]
    fn nobody_is_exposed_by_two_releases_whom_worlds_show_safe(
        (first, second) in two(), same in any::<bool>(), confidence in 3u32..=10,
    ) {
        let (release, other) = (first.release(), second.release());
        let (suspects, theirs) = (first.suspects(release.groups.len()), second.suspects(other.groups.len()));
        let others = [Other { release: &other, suspects: theirs, independent: false, holds_all: same }];
        let confidence = f64::from(confidence) / 10.0;
        let knowledge = Knowledge::default();
        let adversary =
            Adversary { others: &others, ..plain_adversary(&release, &suspects, &knowledge, confidence) };
        let worlds = |small: &Small| {
            let mut all: std::collections::BTreeMap<Vec<Option<u32>>, f64> = Default::default();
            small.worlds(&mut |values| *all.entry(values.to_vec()).or_default() += 1.0);
            all
        };
        let (ours, theirs) = (worlds(&first), worlds(&second));
        let goes_with = |a: &[Option<u32>], b: &[Option<u32>]| match same {
            true => a == b,
            false => a.iter().zip(b).all(|(a, b)| a.is_none() || b.is_none() || a == b),
        };
        let mut of_value = vec![[0.0; 3]; first.people.len()];
        for (own, weight) in &ours {
            let other: f64 = theirs.iter().filter(|(other, _)| goes_with(own, other)).map(|own| own.1).sum();
            for (person, value) in own.iter().enumerate().filter_map(|(at, own)| Some((at, (*own)?))) {
                of_value[person][value as usize] += weight * other;
            }
        }
        let domain = &release.sensitive[0].domain;
        for (person, code) in exposed(&adversary, "composition") {
            let value = domain.text(code)[1..].parse::<usize>().unwrap();
            let present: f64 = of_value[person].iter().sum();
            let chance = of_value[person][value] / present;
            prop_assert!(
                present == 0.0 || chance >= confidence - 1e-6,
                "{person} has v{value} with {chance}, not {confidence}"
            );
        }
    }
}
