//! Nobody is exposed whom going through all worlds shows safe, and whoever has one value in all of them is: attacks on small tables,
//! with people in several groups, more people than records, and knowledge about some of them.
//!
//! A world gives every record to somebody of the list whom it fits, or to another, as the list goes with the release (`room.rs`); all
//! such ways are equally probable, or as probable as what is believed of values makes them. What is drawn is held to all worlds where it is drawn: walks in `reasoners/definetti.rs`, worlds of a
//! search in `minimality/attack/tests.rs`.

use privet_data::Silent;
use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_release::published::Histograms;
use proptest::prelude::*;

use super::*;
use crate::knowledge::{KnownValue, Negation, Prior};
use crate::room::Room;

/// Records with a group and a value, and what each shows: buckets show it, classes do not.
#[derive(Debug, Clone)]
struct Small {
    /// Per record its group, its value, and what it shows in a bucket.
    records: Vec<(u32, u32, u32)>,
    /// Per person the groups that fit, as bits, and what they look like; 2 is not known.
    people: Vec<(u32, u32)>,
    bucketized: bool,
}

/// What attacks are made on.
struct Linked {
    release: Published,
    values: Vec<Vec<u32>>,
    coverages: Vec<Coverage>,
}

impl Linked {
    fn crowd(&self) -> Crowd<'_> {
        let shared = self
            .values
            .iter()
            .zip(&self.coverages)
            .enumerate()
            .map(|(quasi, (values, coverage))| SharedColumn { quasi, values, coverage, points: None });
        Crowd { count: self.values[0].len(), shared: shared.collect() }
    }

    fn suspects(&self) -> Suspects {
        suspects(&self.release, &self.crowd()).unwrap()
    }
}

/// A world: per person the value of their record, if they have one; the values of records that are others'; and how many ways there
/// are to have it.
struct World<'a> {
    values: &'a [Option<u32>],
    others: &'a [u32],
    ways: f64,
}

impl Small {
    fn fits(&self, person: usize, record: usize) -> bool {
        let ((groups, look), (group, _, shows)) = (self.people[person], self.records[record]);
        groups >> group & 1 == 1 && (!self.bucketized || look == 2 || look == shows)
    }

    fn fits_any(&self, person: usize) -> bool {
        (0..self.records.len()).any(|record| self.fits(person, record))
    }

    fn linked(&self) -> Linked {
        let line = |own: &(u32, u32, u32)| match self.bucketized {
            true => format!("c{},s{},v{}\n", own.0, own.2, own.1),
            false => format!("c{},v{}\n", own.0, own.1),
        };
        let head = if self.bucketized { "class,shows,value\n" } else { "class,value\n" };
        let csv = head.to_owned() + &self.records.iter().map(line).collect::<String>();
        let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
        let table = read_csv_bytes(csv.as_bytes(), &options).unwrap().table;
        let quasi: Vec<usize> = (0..if self.bucketized { 2 } else { 1 }).collect();
        // A label of a group stands for all masks with its bit, what is shown for itself and for what is not known.
        let number = |text: &str| text[1..].parse::<u32>().unwrap();
        let coverage = |column: usize| {
            let stands_for = |text: &str| -> Vec<u32> {
                match column {
                    0 => (0..8).filter(|mask| mask >> number(text) & 1 == 1).collect(),
                    _ => vec![number(text), 2],
                }
            };
            Coverage::new(table.columns[column].domain.texts().iter().map(|text| stands_for(text)), 8)
        };
        let coverages = quasi.iter().map(|&column| coverage(column)).collect();
        let (masks, looks) = self.people.iter().copied().unzip();
        let values = if self.bucketized { vec![masks, looks] } else { vec![masks] };
        let sensitive = vec![quasi.len()];
        let mut release = Published::of_table(table, quasi, sensitive, &Silent).unwrap();
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
        Linked { release, values, coverages }
    }

    /// How many people can have a record of their own at once.
    fn most(&self) -> usize {
        fn go(small: &Small, record: usize, taken: u32) -> usize {
            if record == small.records.len() {
                return 0;
            }
            let mut most = go(small, record + 1, taken);
            for person in (0..small.people.len()).filter(|person| taken >> person & 1 == 0) {
                if small.fits(person, record) {
                    most = most.max(1 + go(small, record + 1, taken | 1 << person));
                }
            }
            most
        }
        go(self, 0, 0)
    }

    /// How the list goes with the release, by trying.
    fn room(&self) -> Room {
        let most = self.most();
        match (0..self.people.len()).filter(|&person| self.fits_any(person)).count() {
            all if all == most => Room::ForAll,
            _ if self.records.len() == most => Room::Filled,
            _ => Room::Uncertain,
        }
    }

    /// Every world that goes with how the list does. A record is somebody's of the list whom it fits, or another's. In a bucket any of
    /// its values may be a record's; in a class records that differ in their value alone are as many.
    fn worlds(&self, room: Room, each: &mut impl FnMut(World<'_>)) {
        struct Walk<'s> {
            small: &'s Small,
            room: Room,
            left: Vec<bool>,
            of: Vec<Option<u32>>,
            /// Records of others.
            open: Vec<usize>,
        }
        fn go(walk: &mut Walk<'_>, record: usize, each: &mut impl FnMut(World<'_>)) {
            let small = walk.small;
            let Some(&(group, own, _)) = small.records.get(record) else {
                let lacks = |person: usize| walk.of[person].is_none() && small.fits_any(person);
                if walk.room == Room::ForAll && (0..small.people.len()).any(lacks) {
                    return;
                }
                let (others, ways) = match small.bucketized {
                    false => (walk.open.iter().map(|&record| small.records[record].1).collect(), 1.0),
                    true => {
                        let left = walk.left.iter().zip(&small.records).filter(|(left, _)| **left);
                        let factorial = |n: usize| (1..=n).product::<usize>() as f64;
                        let open = |group: u32| {
                            walk.open.iter().filter(|&&record| small.records[record].0 == group).count()
                        };
                        (
                            left.map(|(_, own)| own.1).collect::<Vec<u32>>(),
                            (0..3).map(|group| factorial(open(group))).product(),
                        )
                    }
                };
                return each(World { values: &walk.of, others: &others, ways });
            };
            if walk.room != Room::Filled {
                walk.open.push(record);
                go(walk, record + 1, each);
                walk.open.pop();
            }
            for person in 0..small.people.len() {
                if walk.of[person].is_some() || !small.fits(person, record) {
                    continue;
                }
                if !small.bucketized {
                    walk.of[person] = Some(own);
                    go(walk, record + 1, each);
                    walk.of[person] = None;
                    continue;
                }
                for (other, &(theirs, value, _)) in small.records.iter().enumerate() {
                    if theirs == group && walk.left[other] {
                        (walk.left[other], walk.of[person]) = (false, Some(value));
                        go(walk, record + 1, each);
                        (walk.left[other], walk.of[person]) = (true, None);
                    }
                }
            }
        }
        let (left, of) = (vec![true; self.records.len()], vec![None; self.people.len()]);
        go(&mut Walk { small: self, room, left, of, open: Vec::new() }, 0, each);
    }

    /// Per person and value how probable it is for those who are in the data, by worlds of these weights; and per person how
    /// probable it is that they are.
    fn beliefs(&self, weight: impl Fn(&World<'_>) -> f64) -> (Vec<[f64; 3]>, Vec<f64>, f64) {
        let mut of_value = vec![[0.0; 3]; self.people.len()];
        let (mut present, mut all) = (vec![0.0; self.people.len()], 0.0);
        self.worlds(self.room(), &mut |world| {
            let own = world.ways * weight(&world);
            all += own;
            for (person, value) in
                world.values.iter().enumerate().filter_map(|(person, own)| Some((person, (*own)?)))
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
        less in 0usize..3,
        more in 0usize..3,
        fits in prop::collection::vec((1u32..8, 0u32..5), 8),
        bucketized in any::<bool>(),
    ) -> Small {
        // Now and then somebody is not known to look like anything.
        let fits = fits.into_iter().map(|(groups, look)| (groups, if look < 4 { look % 2 } else { 2 }));
        let people = fits.take((records.len() + more).saturating_sub(less).max(1)).collect();
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
            if fate.is_exposed() {
                all.push((person, own.beliefs.of(person as u32).unwrap().best(|_| true).unwrap().0));
            }
        }
    }
    all
}

/// Of those of whom all worlds make so sure of a value, somebody whom an attack does not find to have it, or one that is as probable;
/// nobody where it was not made.
fn missed(adversary: &Adversary<'_>, word: &str, of_value: &[[f64; 3]], sure: f64) -> Option<(usize, usize)> {
    let found = adversary.make(word, &Silent).ok()?;
    let own = found.first()?.conclusions.as_ref()?;
    let domain = &adversary.release.sensitive[0].domain;
    let certain = of_value.iter().enumerate().filter_map(|(person, values)| {
        let all: f64 = values.iter().sum();
        values.iter().position(|own| all > 0.0 && *own >= all * sure).map(|value| (person, value))
    });
    let is_missed = |&(person, value): &(usize, usize)| {
        let guess = own.beliefs.of(person as u32).and_then(|own| own.best(|_| true));
        let is_found = matches!(own.fate[person], Fate::Exposed | Fate::Right | Fate::Wrong | Fate::Stated);
        let guessed = guess.and_then(|own| domain.text(own.0)[1..].parse::<usize>().ok());
        !is_found || guessed.is_none_or(|own| of_value[person][own] < of_value[person][value] * (1.0 - 1e-9))
    };
    certain.into_iter().find(is_missed)
}

/// Per person the value that an attack shows to be the most probable, and how probable it shows it to be.
fn shown(adversary: &Adversary<'_>, word: &str) -> Vec<Option<(usize, f64)>> {
    let Ok(found) = adversary.make(word, &Silent) else { return Vec::new() };
    let beliefs = &found[0].conclusions.as_ref().unwrap().beliefs;
    let value = |code: u32| adversary.release.sensitive[0].domain.text(code)[1..].parse().unwrap();
    let guess = |person: u32| beliefs.of(person)?.guess().map(|own| (value(own.0), own.1));
    (0..beliefs.of_person.len() as u32).map(guess).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn nobody_is_exposed_whom_worlds_show_safe(
        small in small(),
        known in prop::collection::vec((0usize..7, 0u32..3, any::<bool>()), 0..4),
        prior in (0u32..9, 0u32..9, 0usize..128),
        confidence in 3u32..10,
    ) {
        let linked = small.linked();
        let (release, suspects) = (&linked.release, linked.suspects());
        prop_assert_eq!(standing(release, &linked.crowd(), &suspects).room, small.room());
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
            ..Prior::default()
        });
        let of_prior = vec![among.clone()];
        let confidence = f64::from(confidence) / 10.0;
        let by_number = |name: &str| name.parse().ok();
        let adversary = Adversary {
            person: &by_number,
            of_prior: &of_prior,
            crowd: linked.crowd(),
            ..plain_adversary(release, &suspects, &knowledge, confidence)
        };
        // What somebody has who is not in the data is not known, and what is known of them says nothing.
        let holds = |world: &World<'_>| {
            let is_so = |own: &(usize, u32, bool)| world.values[own.0].is_none_or(|value| (own.1 == value) == own.2);
            f64::from(u8::from(known.iter().all(is_so)))
        };
        let total: Vec<f64> =
            (0..3).map(|value| small.records.iter().filter(|own| own.1 == value).count() as f64).collect();
        // Of others nothing is believed but what the release shows of everybody.
        let by_chance = |value: u32| total[value as usize] / small.records.len() as f64;
        let believed = |world: &World<'_>| -> f64 {
            let of = |(person, value): (usize, &Option<u32>)| match (value, among[person]) {
                (None, _) => 1.0,
                (Some(value), true) => shares[*value as usize],
                (Some(value), false) => by_chance(*value),
            };
            world.values.iter().enumerate().map(of).chain(world.others.iter().map(|&own| by_chance(own))).product()
        };
        let plain = small.beliefs(|_| 1.0);
        let knowing = small.beliefs(holds);
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
            // `bayes-optimal` misses nobody whom both its closed form and all worlds make as sure of.
            let mut sure = beliefs.clone();
            if word == "bayes-optimal" {
                let least = confidence + 1e-6;
                for (own, shown) in sure.iter_mut().zip(shown(&adversary, word)) {
                    let is_sure = |&(value, shown): &(usize, f64)| shown >= least && own[value] >= least;
                    let left = shown.filter(is_sure).map_or(3, |own| own.0);
                    own.iter_mut().enumerate().filter(|(value, _)| *value != left).for_each(|(_, own)| *own = 0.0);
                }
            }
            prop_assert_eq!(missed(&adversary, word, &sure, confidence + 1e-6), None, "{}", word);
        }
        // The closed form and the least committed belief are sure of whoever has one value in all worlds, unless that is because of
        // what nobody of some people can have.
        if shares.iter().all(|own| *own > 0.0) {
            prop_assert_eq!(missed(&adversary, "bayes-optimal", &prior.0, 1.0 - 1e-9), None);
            prop_assert_eq!(missed(&adversary, "max-entropy", &plain.0, 1.0 - 1e-9), None);
        }
        // The same for what values have in common: the first two are one concept.
        let hierarchy = [privet_data::hierarchy::parse_hierarchy(b"v0;a;*\nv1;a;*\nv2;b;*\n").ok()];
        let alike = Adversary { hierarchies: &hierarchy, ..adversary.clone() };
        let found = alike.make("similarity", &Silent).unwrap();
        let own = found[0].conclusions.as_ref().unwrap();
        for (person, of_value) in plain.0.iter().enumerate().filter(|(person, _)| plain.1[*person] > 0.0) {
            let concepts = [of_value[0] + of_value[1], of_value[2]];
            let best = concepts[0].max(concepts[1]);
            if (best - confidence).abs() > 1e-6 {
                prop_assert_eq!(own.fate[person].is_exposed(), best > confidence, "similarity: {} {:?}", person, concepts);
            }
        }
        // The least committed belief is no weighing of worlds, but what it takes to be so is possible, and shares that are those of
        // all worlds add nothing to them.
        let (beliefs, present, _) = &plain;
        let sure = |adversary: &Adversary<'_>, least: f64| {
            exposed(adversary, "max-entropy").into_iter().find(|&(person, code)| {
                let value = domain.text(code)[1..].parse::<usize>().unwrap();
                present[person] > 0.0 && beliefs[person][value] < least
            })
        };
        prop_assert_eq!(sure(&adversary, 1e-9), None);
        let told: Vec<usize> = (0..small.people.len()).filter(|&person| among[person]).collect();
        let share = |value: u32| told.iter().map(|&person| beliefs[person][value as usize]).sum::<f64>() / told.len() as f64;
        let knowledge = Knowledge {
            priors: vec![Prior {
                column: None,
                of: Default::default(),
                shares: (0..3).filter(|_| !told.is_empty()).map(|value| (text(value), share(value))).collect(),
                ..Prior::default()
            }],
            ..Knowledge::default()
        };
        prop_assert_eq!(sure(&Adversary { knowledge: &knowledge, ..adversary }, confidence - 1e-5), None);
    }

    /// Membership: who is taken to be in the data is in so many worlds, and nobody is where the list does not hold everybody.
    #[test]
    fn nobody_is_taken_for_a_member_whom_worlds_leave_out(
        small in small(), less in 0usize..4, confidence in 3u32..=10,
    ) {
        let keep = small.people.len().saturating_sub(less).max(1);
        let small = Small { bucketized: false, people: small.people[..keep].to_vec(), ..small };
        let linked = small.linked();
        let suspects = linked.suspects();
        let confidence = f64::from(confidence) / 10.0;
        let knowledge = Knowledge::default();
        let adversary = Adversary {
            crowd: linked.crowd(),
            ..plain_adversary(&linked.release, &suspects, &knowledge, confidence)
        };
        let (_, present, all) = small.beliefs(|world| f64::from(u8::from(world.others.is_empty())));
        let found = records::membership(&adversary).unwrap();
        let fates = &found[0].conclusions.as_ref().unwrap().fate;
        for (person, _) in fates.iter().enumerate().filter(|(_, fate)| fate.is_exposed()) {
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
        is_value: &|_, _| false,
        of_prior: &[],
        others: &[],
        minimality: None,
        disclosure: None,
        tracker: None,
        risks: None,
        confidence,
        seed: 1,
        most_records: 1000,
    }
}

prop_compose! {
    /// Two releases of one table, as classes or as buckets, and a list with others on it, or without some: the people of the first records are those of the table.
    fn two()(
        records in prop::collection::vec((0u32..3, 0u32..3, 0u32..3), 2..5),
        others in prop::collection::vec((0u32..8, 0u32..8), 0..3),
        also in prop::collection::vec((0u32..40, 0u32..40), 4),
        lacks in 0usize..8,
        shows in prop::collection::vec((0u32..2, 0u32..5), 7),
        bucketized in any::<(bool, bool)>(),
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
            // Some fit other groups besides their own, and of some it is not known what they look like.
            let own = groups[which].iter().zip(&also).map(|(group, &more)| {
                let more = fit(more);
                1 << group | if more < 8 { more } else { 0 }
            });
            let look = |&(own, known): &(u32, u32)| if known < 4 { own } else { 2 };
            let people: Vec<(u32, u32)> =
                own.chain(others.iter().map(|&own| fit(own))).zip(shows.iter().map(look)).collect();
            let left = people.iter().enumerate().filter(|(at, _)| *at != lacks).map(|(_, &own)| own);
            Small {
                records: groups[which]
                    .iter()
                    .zip(&records)
                    .zip(&shows)
                    .map(|((&group, own), shows)| (group, own.2, shows.0))
                    .collect(),
                people: left.collect(),
                bucketized: if which == 0 { bucketized.0 } else { bucketized.1 },
            }
        };
        (release(0), release(1))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Composition: a world gives the records of each release to people of the list, or to others. Of one table: who is in it is in
    /// both releases, as far as they fit, with the same value; of different tables: who is in both has the same value. Where the list
    /// can be in all releases as it goes with each of them, it is; where not, nothing is certain of it. Beliefs are about people given
    /// that they are in the data.
    #[test]
    fn nobody_is_exposed_by_two_releases_whom_worlds_show_safe(
        (first, second) in two(), same in any::<bool>(), is_whole in any::<bool>(), confidence in 3u32..=10,
    ) {
        let (ours, theirs) = (first.linked(), second.linked());
        let suspects = ours.suspects();
        let (release, other) = (&ours.release, &theirs.release);
        let others = [Other {
            release: other,
            suspects: theirs.suspects(),
            standing: standing(other, &theirs.crowd(), &theirs.suspects()),
            independent: false,
            holds_all: same,
            is_whole,
        }];
        let confidence = f64::from(confidence) / 10.0;
        let knowledge = Knowledge::default();
        let adversary = Adversary {
            others: &others,
            crowd: ours.crowd(),
            ..plain_adversary(release, &suspects, &knowledge, confidence)
        };
        // Whoever fits nowhere in a release that leaves out nobody of the table is not in the table.
        let is_absent = |person: usize| {
            same && (!first.fits_any(person) || (is_whole && !second.fits_any(person)))
        };
        let present = |small: &Small| {
            let mut small = small.clone();
            (0..).zip(&mut small.people).filter(|own| is_absent(own.0)).for_each(|(_, own)| own.0 = 0);
            small
        };
        let (first, second) = (present(&first), present(&second));
        let worlds = |small: &Small, room: Room| {
            let mut all: std::collections::BTreeMap<Vec<Option<u32>>, f64> = Default::default();
            small.worlds(room, &mut |world| *all.entry(world.values.to_vec()).or_default() += world.ways);
            all
        };
        let fits: Vec<(bool, bool)> = (0..first.people.len())
            .map(|person| (first.fits_any(person), second.fits_any(person)))
            .collect();
        let goes_with = |a: &[Option<u32>], b: &[Option<u32>]| {
            let is_so = |person: usize| match (a[person], b[person], fits[person]) {
                (Some(a), Some(b), _) => a == b,
                (None, None, _) => true,
                // The first release leaves out nobody of its table.
                (Some(_), None, (_, there)) => !same || (!there && !is_whole),
                (None, Some(_), _) => !same,
            };
            (0..fits.len()).all(is_so)
        };
        let beliefs = |rooms: (Room, Room)| {
            let (ours, theirs) = (worlds(&first, rooms.0), worlds(&second, rooms.1));
            let mut of_value = vec![[0.0; 3]; first.people.len()];
            let mut any = false;
            for (own, weight) in &ours {
                let other: f64 = theirs.iter().filter(|(other, _)| goes_with(own, other)).map(|own| own.1).sum();
                any |= other > 0.0;
                for (person, value) in own.iter().enumerate().filter_map(|(at, own)| Some((at, (*own)?))) {
                    of_value[person][value as usize] += weight * other;
                }
            }
            any.then_some(of_value)
        };
        let of_value = beliefs((first.room(), second.room()))
            .or_else(|| beliefs((Room::Uncertain, Room::Uncertain)))
            .unwrap();
        let domain = &release.sensitive[0].domain;
        for (person, code) in exposed(&adversary, "composition") {
            let value = domain.text(code)[1..].parse::<usize>().unwrap();
            let present: f64 = of_value[person].iter().sum();
            let chance = of_value[person][value] / present;
            prop_assert!(
                chance >= confidence - 1e-6,
                "{person} has v{value} with {chance}, not {confidence}"
            );
        }
        prop_assert_eq!(missed(&adversary, "composition", &of_value, 1.0 - 1e-9), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Composition with a release that is independent: worlds of the two have nothing to do with each other, so that what each makes of
    /// somebody who is in both is multiplied. Where that leaves nothing to somebody, they are not of both tables, and the list is not
    /// what it says.
    #[test]
    fn independent_releases_are_multiplied(
        (first, second) in two(), confidence in 3u32..=10,
    ) {
        let (ours, theirs) = (first.linked(), second.linked());
        let suspects = ours.suspects();
        let others = [Other {
            release: &theirs.release,
            suspects: theirs.suspects(),
            standing: standing(&theirs.release, &theirs.crowd(), &theirs.suspects()),
            independent: true,
            holds_all: false,
            is_whole: true,
        }];
        let confidence = f64::from(confidence) / 10.0;
        let knowledge = Knowledge::default();
        let adversary = Adversary {
            others: &others,
            crowd: ours.crowd(),
            ..plain_adversary(&ours.release, &suspects, &knowledge, confidence)
        };
        let (_, is_here, _) = first.beliefs(|_| 1.0);
        let (_, is_there, _) = second.beliefs(|_| 1.0);
        let worlds = |small: &Small| {
            let mut all: std::collections::BTreeMap<Vec<Option<u32>>, f64> = Default::default();
            small.worlds(small.room(), &mut |world| *all.entry(world.values.to_vec()).or_default() += world.ways);
            all
        };
        // Whoever is in both has the same value in both; whoever is attacked is in both, where they fit both.
        let mut of_value = vec![[0.0; 3]; first.people.len()];
        let (ours_all, theirs_all) = (worlds(&first), worlds(&second));
        let mut is_possible = false;
        for (a, weight) in &ours_all {
            for (b, other) in &theirs_all {
                if a.iter().zip(b).any(|(a, b)| a.zip(*b).is_some_and(|(a, b)| a != b)) {
                    continue;
                }
                is_possible = true;
                for person in 0..a.len() {
                    let is_so = b[person].is_some() || is_there[person] == 0.0;
                    if let Some(value) = a[person].filter(|_| is_so) {
                        of_value[person][value as usize] += weight * other;
                    }
                }
            }
        }
        if !is_possible {
            prop_assert_eq!(exposed(&adversary, "composition"), []);
            return Ok(());
        }
        for own in &mut of_value {
            let all: f64 = own.iter().sum();
            own.iter_mut().for_each(|own| *own /= f64::max(all, f64::MIN_POSITIVE));
        }
        let is_contradicted = |person: usize| is_here[person] > 0.0 && of_value[person].iter().all(|own| *own == 0.0);
        prop_assume!(!(0..first.people.len()).any(is_contradicted));
        let domain = &ours.release.sensitive[0].domain;
        for (person, code) in exposed(&adversary, "composition").into_iter().filter(|own| is_here[own.0] > 0.0) {
            let value = domain.text(code)[1..].parse::<usize>().unwrap();
            prop_assert!(
                of_value[person][value] >= confidence - 1e-6,
                "{person} has v{value} with {}, not {confidence}", of_value[person][value]
            );
        }
        // Where nobody else may be in both, the product is what all worlds give.
        let in_both: Vec<usize> =
            (0..first.people.len()).filter(|&own| first.fits_any(own) && second.fits_any(own)).collect();
        if let [person] = in_both[..] {
            let is_sure = of_value[person].iter().any(|own| *own >= confidence + 1e-6);
            let is_found = exposed(&adversary, "composition").iter().any(|own| own.0 == person);
            prop_assert!(is_found || !is_sure, "{person} {:?}", of_value[person]);
        }
    }
}

/// Classes of these values, and people with the classes that fit them.
fn classes(values: &[&[u32]], people: &[u32]) -> Small {
    let of = |(group, values): (u32, &&[u32])| values.iter().map(move |&value| (group, value, 0)).collect();
    let records = (0..).zip(values).map(of).collect::<Vec<Vec<_>>>().concat();
    Small { records, people: people.iter().map(|&groups| (groups, 0)).collect(), bucketized: false }
}

/// Two fit both classes, of which one holds each value alone. Whoever is known to have the one takes the last record there, and leaves
/// the other class to the other.
#[test]
fn who_takes_the_last_record_leaves_the_other_class() {
    let small = classes(&[&[0, 0], &[1, 1]], &[1, 2, 3, 3]);
    let (linked, suspects) = (small.linked(), small.linked().suspects());
    let known = KnownValue { person: "2".into(), column: None, value: "v1".into() };
    let knowledge = Knowledge { records: vec![known], ..Knowledge::default() };
    let by_number = |name: &str| name.parse().ok();
    let adversary = Adversary {
        person: &by_number,
        crowd: linked.crowd(),
        ..plain_adversary(&linked.release, &suspects, &knowledge, 1.0)
    };
    assert_eq!(exposed(&adversary, "background-knowledge"), [(0, 0), (1, 1), (3, 0)]);
}

/// The third and the fifth of six are alone in a class of one value. In the other release the fifth then stands with the first, to whom
/// the only record is left that nobody else can have, although no class is certain.
#[test]
fn a_value_that_all_releases_together_exclude() {
    let ours = classes(&[&[2, 0, 1, 0], &[1, 1]], &[1, 1, 1, 2, 1, 2]);
    let theirs = classes(&[&[1, 1], &[0, 0], &[2, 1]], &[4, 6, 7, 7, 7, 6]);
    let (first, second) = (ours.linked(), theirs.linked());
    let suspects = first.suspects();
    let others = [Other {
        release: &second.release,
        suspects: second.suspects(),
        standing: standing(&second.release, &second.crowd(), &second.suspects()),
        independent: false,
        holds_all: true,
        is_whole: true,
    }];
    let knowledge = Knowledge::default();
    let adversary = Adversary {
        others: &others,
        crowd: first.crowd(),
        ..plain_adversary(&first.release, &suspects, &knowledge, 1.0)
    };
    assert_eq!(exposed(&adversary, "composition"), [(0, 2), (1, 0), (3, 1), (5, 1)]);
}
