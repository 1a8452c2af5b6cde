//! Proximity (survey AT-05): salaries of 99, 100 and 101 thousand are three values, and one to whoever wants to know what
//! somebody earns.
//!
//! Numbers and dates are near when they lie within a window of a tenth of the range of what is published. Windows slide: a
//! group tells when at least the share `confidence` of its records lies within some window, wherever it begins. The adversary
//! guesses the window that holds most of what may be a person's, of several the lowest, and is right when the true value is
//! in it: the window of that width around the middle of what it holds.
//!
//! **Guarantee.** Somebody who may stand in several groups is exposed only when one and the same window holds the share in
//! each of them, so that however people stand in groups one is as sure. The control takes a person's own record out and is
//! otherwise the attack itself, with the same width: the range is what is published, whoever is taken out.

use foldhash::{HashMap, HashMapExt};
use privet_data::{Domain, Kind};
use rayon::prelude::*;

use crate::attacks::{AttackWord, Role};
use crate::chances::Chances;
use crate::finding::{Belief, Beliefs, Found, Least, Verdict, Whom};
use crate::homogeneity::{ASSUMED, Alike, success};
use crate::rate::Rate;
use crate::target::{Place, Target};

/// The word of the attack in files.
pub const SIMILARITY: &str = "similarity";

/// What it is.
pub(crate) const ABOUT_SIMILARITY: AttackWord = AttackWord {
    word: SIMILARITY,
    title: "Similarity",
    sentence: "The adversary gathers the records that may be a person’s and looks whether their sensitive values, though different, mean nearly the same.",
    about: "groups whose records agree on a concept or a range",
    needs: None,
    quick: true,
    role: Role::Counts,
};

/// Which values of a column of numbers or dates are near to each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// Per code its number; none for missing values.
    numbers: Vec<Option<f64>>,
    width: f64,
}

/// Values that lie in one window, by their first and their last code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Window {
    first: u32,
    last: u32,
    /// The share of what may be a person's that lies in it.
    pub share: f64,
    /// The least share in a group.
    pub least: f64,
}

/// A group that may hold a person.
#[derive(Debug, Clone)]
struct Group {
    /// Its values with their counts, ascending.
    cells: Vec<(u32, u64)>,
    size: u64,
    /// Records of it that may be the person's.
    records: u64,
    /// How probable it is, on any scale.
    weight: f64,
}

/// What is told of what is near.
pub(crate) const WHAT: &str = "values within a tenth of the range of each other";

impl Near {
    /// A tenth of the range of the values that occur; nothing where they are no numbers, or all the same.
    pub fn new(domain: &Domain, occurs: impl Fn(u32) -> bool) -> Option<Self> {
        if !matches!(domain.kind(), Kind::Integer | Kind::Decimal | Kind::Date) {
            return None;
        }
        let number = |code: u32| domain.number(code).filter(|own| own.is_finite());
        let numbers: Vec<Option<f64>> = (0..domain.len() as u32).map(number).collect();
        let known = || (0..).zip(&numbers).filter(|(code, _)| occurs(*code)).filter_map(|own| *own.1);
        let (low, high) = (known().reduce(f64::min)?, known().reduce(f64::max)?);
        let width = (high - low) / 10.0;
        (width > 0.0 && width.is_finite()).then_some(Self { numbers, width })
    }

    fn number(&self, code: u32) -> Option<f64> {
        self.numbers.get(code as usize).copied().flatten()
    }

    /// How far apart values of a window may lie, what rounding makes of it included.
    fn reach(&self) -> f64 {
        self.width * (1.0 + 1e-9)
    }

    /// Whether a value lies in the window around what a window holds. A value that is never published is in none.
    pub(crate) fn holds(&self, window: &Window, value: u32) -> bool {
        match (self.number(window.first), self.number(window.last), self.number(value)) {
            (Some(first), Some(last), Some(own)) => {
                (own - (first + (last - first) / 2.0)).abs() <= self.reach() / 2.0
            }
            _ => false,
        }
    }

    /// The best window of one group: the quick way to the same as for people.
    pub(crate) fn of_cells(&self, cells: &[(u32, u64)], confidence: f64) -> Option<Window> {
        let size = cells.iter().map(|cell| cell.1).sum();
        self.best(&[Group { cells: cells.to_vec(), size, records: size, weight: 1.0 }], confidence, true)
    }

    /// The window that the adversary guesses: of those that hold the share in every group, or, where none does, of all, the one
    /// that holds most of what may be the person's; the lowest among equals. Where it is counted how probable the groups are, no group
    /// has to hold the share by itself.
    fn best(&self, groups: &[Group], confidence: f64, is_counted: bool) -> Option<Window> {
        let total: f64 = groups.iter().map(|group| group.weight).sum();
        // One group is counted in whole records, so that nothing is rounded.
        let weight = |group: &Group| match groups.len() {
            1 => 1.0,
            _ => group.weight / group.size.max(1) as f64,
        };
        let whole: f64 = match groups {
            [one] => one.size as f64,
            _ => total,
        };
        let mut cells: Vec<(u32, f64, usize, u64)> = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let own = group.cells.iter().filter(|cell| cell.1 > 0);
            cells.extend(own.map(|&(code, count)| (code, weight(group) * count as f64, at, count)));
        }
        cells.retain(|cell| self.number(cell.0).is_some());
        let number = |cell: &(u32, f64, usize, u64)| self.number(cell.0).unwrap_or(f64::NAN);
        cells.sort_by(|a, b| number(a).total_cmp(&number(b)).then(a.0.cmp(&b.0)).then(a.2.cmp(&b.2)));
        // Weights of the cells before each.
        let mut before = Vec::with_capacity(cells.len() + 1);
        before.push(0.0);
        cells.iter().for_each(|cell| before.push(before[before.len() - 1] + cell.1));
        let enough = |at: usize, held: u64| held as f64 / groups[at].size.max(1) as f64 >= confidence - 1e-9;
        let mut held = vec![0u64; groups.len()];
        let mut tell = (0..groups.len()).filter(|&at| enough(at, 0)).count();
        let mut best: Option<((bool, f64), usize, usize)> = None;
        let mut end = 0;
        for start in 0..cells.len() {
            while end < cells.len() && number(&cells[end]) - number(&cells[start]) <= self.reach() {
                let (_, _, at, count) = cells[end];
                tell -= usize::from(enough(at, held[at]));
                held[at] += count;
                tell += usize::from(enough(at, held[at]));
                end += 1;
            }
            let share = (before[end] - before[start]) / whole.max(f64::MIN_POSITIVE);
            let found = (is_counted || tell == groups.len(), share);
            let is_better = best.is_none_or(|(own, ..)| match found.0 == own.0 {
                true => found.1 > own.1 + 1e-12,
                false => found.0,
            });
            if is_better {
                best = Some((found, start, end));
            }
            let (_, _, at, count) = cells[start];
            tell -= usize::from(enough(at, held[at]));
            held[at] -= count;
            tell += usize::from(enough(at, held[at]));
        }
        best.map(|((_, share), start, end)| {
            let mut held = vec![0u64; groups.len()];
            cells[start..end].iter().for_each(|cell| held[cell.2] += cell.3);
            let shares = held.iter().zip(groups).map(|(&held, own)| held as f64 / own.size.max(1) as f64);
            let least = if is_counted { share } else { shares.reduce(f64::min).unwrap_or(0.0) };
            Window { first: cells[start].0, last: cells[end - 1].0, share, least }
        })
    }
}

/// The groups that may hold somebody, without a record of this value in one of them.
fn groups(
    target: &Target<'_>,
    profile: u32,
    own: Option<(u32, u32)>,
    chances: &Chances,
) -> (Vec<Group>, bool) {
    let Some(column) = target.column() else { return (Vec::new(), false) };
    let (weights, is_counted) = chances.weights(target.people, profile);
    let group = |(place, weight): (&Place, f64)| {
        let mut cells = column.histograms.of(place.group).to_vec();
        let size = target.release.groups.get(place.group as usize).copied().unwrap_or(0);
        match own.filter(|own| own.0 == place.group) {
            None => Group { cells, size, records: place.records, weight },
            Some((_, value)) => {
                if let Some(cell) = cells.iter_mut().find(|cell| cell.0 == value) {
                    cell.1 = cell.1.saturating_sub(1);
                }
                let less = |count: u64| count.saturating_sub(1);
                let weight = weight * less(place.records) as f64 / place.records.max(1) as f64;
                Group { cells, size: less(size), records: less(place.records), weight }
            }
        }
    };
    let all = target.people.places(profile).iter().zip(weights).map(group);
    (all.filter(|group| group.records > 0 && group.weight > 0.0).collect(), is_counted)
}

/// The attack, with all records that may be somebody's as probable.
pub fn attack(target: &Target<'_>, confidence: f64, near: &Near) -> Option<Found> {
    attack_by(target, confidence, near, &Chances::default())
}

/// The attack by how probable it is that people stand where they may.
pub(crate) fn attack_by(
    target: &Target<'_>,
    confidence: f64,
    near: &Near,
    chances: &Chances,
) -> Option<Found> {
    let column = target.column()?;
    let best: Vec<Option<Window>> = (0..target.people.profiles() as u32)
        .into_par_iter()
        .map(|profile| {
            let (groups, is_counted) = groups(target, profile, None, chances);
            near.best(&groups, confidence, is_counted)
        })
        .collect();
    // Windows are numbered by what they hold.
    let mut number_of: HashMap<(u32, u32), u32> = HashMap::new();
    let mut labels: Vec<String> = Vec::new();
    let mut distinct: Vec<Belief> = Vec::with_capacity(best.len());
    for (profile, window) in (0..).zip(&best) {
        let candidates = target.people.places(profile).iter().map(|place| place.records).sum();
        let values = window.iter().map(|own| {
            let number = *number_of.entry((own.first, own.last)).or_insert_with(|| {
                let (first, last) = (column.domain.text(own.first), column.domain.text(own.last));
                labels.push(if first == last { first.to_owned() } else { format!("{first} to {last}") });
                labels.len() as u32 - 1
            });
            (number, own.share)
        });
        distinct.push(Belief { candidates, values: values.collect() });
    }
    let window_of = |person: u32| {
        let profile = target.people.profile_of.get(person as usize)?;
        best.get(*profile as usize).copied().flatten()
    };
    // The truth in terms of windows: that of the person where it holds the true value, or none.
    let truth = target.truth.map(|truth| {
        let mut truth = truth.clone();
        let own = truth.values.get_mut(target.sensitive.unwrap_or(0)).into_iter().flatten();
        for (person, value) in (0..).zip(own).filter_map(|(person, own)| Some((person, own.as_mut()?))) {
            let number = |window: Window| number_of.get(&(window.first, window.last)).copied();
            let held = window_of(person).filter(|window| near.holds(window, *value));
            *value = held.and_then(number).unwrap_or(u32::MAX);
        }
        truth
    });
    let control =
        target.truth.is_some().then(|| without_own_record(target, near, &best, chances, confidence));
    let missing = vec![false; labels.len()];
    let alike = Alike { concept_of: Vec::new(), what: WHAT.to_owned(), labels, missing };
    let beliefs = Beliefs { of_person: target.people.profile_of.clone(), distinct };
    let least = |person: u32, _: u32| window_of(person).map_or(0.0, |window| window.least);
    Some(
        Verdict {
            attack: SIMILARITY,
            assumed: ASSUMED.to_owned(),
            success: success(&column.name, confidence, Some(WHAT)),
            confidence,
            target: Target { truth: truth.as_ref(), ..*target },
            whom: Whom::People,
            beliefs,
            alike: Some(&alike),
            control,
            stated: Vec::new(),
            least: Some(Least::wherever(least)),
            notes: Vec::new(),
        }
        .found(),
    )
}

/// The people about whom the adversary would be sure, and right, had their own record not been published.
fn without_own_record(
    target: &Target<'_>,
    near: &Near,
    best: &[Option<Window>],
    chances: &Chances,
    confidence: f64,
) -> (Rate, String) {
    let (mut hits, mut people) = (0, 0);
    let mut known: HashMap<(u32, Option<u32>, Option<u32>), bool> = HashMap::new();
    for (person, &profile) in (0..).zip(&target.people.profile_of) {
        if target.is_outside(person) {
            continue;
        }
        people += 1;
        let places = target.people.places(profile);
        let truth = target.value_of(person);
        let own = target.group_of(person).filter(|own| places.iter().any(|place| place.group == *own));
        let falls = known.entry((profile, own.filter(|_| truth.is_some()), truth)).or_insert_with(|| {
            // Without a record no window holds more, of one candidate less.
            let candidates: u64 = places.iter().map(|place| place.records).sum();
            let most = best.get(profile as usize).copied().flatten().map_or(0.0, |window| window.share);
            let by_records = chances.of_profile(target.people, profile).is_none();
            if by_records
                && most * candidates as f64 / candidates.saturating_sub(1).max(1) as f64 + 1e-9 < confidence
            {
                return false;
            }
            let (left, is_counted) = groups(target, profile, own.zip(truth), chances);
            near.best(&left, confidence, is_counted).is_some_and(|window| {
                let is_right = truth.is_none_or(|truth| near.holds(&window, truth));
                is_right && window.share >= confidence - 1e-12 && window.least >= confidence - 1e-9
            })
        });
        hits += u64::from(*falls);
    }
    (Rate::new(hits, people), crate::linking::WITHOUT.to_owned())
}

#[cfg(test)]
mod tests {
    use privet_data::io::{ReadOptions, read_csv_bytes};
    use privet_data::{Silent, Table};
    use privet_release::Published;
    use privet_release::published::{Histograms, SensitiveColumn};
    use proptest::prelude::*;

    use super::*;
    use crate::homogeneity::tests::everyone;
    use crate::target::{Suspects, Truth};

    fn published(csv: &str) -> Published {
        let table = read_csv_bytes(csv.as_bytes(), &ReadOptions::default()).unwrap().table;
        Published::of_table(table, vec![0], vec![1], &Silent).unwrap()
    }

    /// Exposed, right and control of the attack on everybody.
    fn falls(release: &Published, confidence: f64) -> (u64, u64, u64) {
        let (people, truth) = everyone(release);
        let target = Target { release, sensitive: Some(0), people: &people, truth: Some(&truth) };
        let near = Near::new(&release.sensitive[0].domain, |_| true).unwrap();
        let finding = attack(&target, confidence, &near).unwrap().finding;
        let right = finding.right.map_or(0, |right| right.hits);
        (finding.exposed.hits, right, finding.control.unwrap().hits)
    }

    /// survey AT-05: salaries of 99, 100 and 101 thousand are one, wherever the range of all begins.
    #[test]
    fn salaries_around_a_hundred_thousand_are_one() {
        let rest = "2,20000\n2,180000\n2,60000\n";
        let release = published(&format!("zip,salary\n1,99000\n1,100000\n1,101000\n{rest}"));
        let (people, truth) = everyone(&release);
        let target = Target { release: &release, sensitive: Some(0), people: &people, truth: Some(&truth) };
        assert_eq!(crate::homogeneity::attack(&target, 0.6, None).unwrap().finding.exposed.hits, 0);
        // The two others tell of each of the three what they tell of themselves.
        assert_eq!(falls(&release, 1.0), (3, 3, 3));
        let near = Near::new(&release.sensitive[0].domain, |_| true).unwrap();
        let conclusions = attack(&target, 1.0, &near).unwrap().conclusions.unwrap();
        assert_eq!(conclusions.concepts.unwrap()[0], "99000 to 101000");
        // 16,000 apart is a tenth of the range, and one more is not.
        let at = |salary: u64| falls(&published(&format!("zip,salary\n1,84000\n1,{salary}\n{rest}")), 1.0).0;
        assert_eq!((at(100_000), at(100_001)), (2, 0));
    }

    /// By hand, a tenth of the range being 10: without their own record nobody is told what only their record told.
    #[test]
    fn what_the_others_do_not_tell_is_not_in_the_control() {
        let ends = "2,0\n2,100\n";
        assert_eq!(falls(&published(&format!("g,n\n1,10\n1,30\n{ends}")), 1.0), (0, 0, 0));
        // 40 and 44 are two of three; who has 60 is told wrongly, and without one record of the two none is left to agree with.
        assert_eq!(falls(&published(&format!("g,n\n1,40\n1,44\n1,60\n{ends}")), 0.6), (3, 2, 0));
        // 47 alone would tell 42 to 52.
        assert_eq!(falls(&published(&format!("g,n\n1,42\n1,47\n{ends}")), 1.0), (2, 2, 2));
        assert_eq!(falls(&published(&format!("g,n\n1,41\n1,47\n{ends}")), 1.0), (2, 2, 0));
        // A missing value is near to none, and counts.
        assert_eq!(falls(&published(&format!("g,n\n1,41\n1,\n{ends}")), 0.6).0, 0);
    }

    /// Groups of numbers, some of them missing, from 0 to 100 at least.
    fn of_groups(groups: &[Vec<Option<u32>>]) -> Published {
        let ends = [vec![Some(0), Some(100)]];
        let all: Vec<&Vec<Option<u32>>> = groups.iter().chain(&ends).collect();
        let text = |own: &Option<u32>| own.map_or(String::new(), |own| own.to_string());
        let mut texts: Vec<Box<str>> = all.iter().copied().flatten().map(|own| text(own).into()).collect();
        texts.sort();
        texts.dedup();
        let domain = Domain::canonical(texts, str::is_empty).0;
        let group_of: Vec<u32> = (0..).zip(&all).flat_map(|(group, own)| vec![group; own.len()]).collect();
        let codes: Vec<u32> =
            all.iter().copied().flatten().map(|own| domain.code_of(&text(own)).unwrap()).collect();
        let sizes: Vec<u64> = all.iter().map(|own| own.len() as u64).collect();
        let histograms = Histograms::count(&group_of, sizes.len(), &codes);
        Published {
            manifest: None,
            table: Table { columns: Vec::new(), rows: codes.len() },
            quasi: Vec::new(),
            group_of,
            groups: sizes,
            sensitive: vec![SensitiveColumn { name: "n".into(), domain, codes: Some(codes), histograms }],
        }
    }

    /// People who may stand in the groups whose bits are set, and in their own.
    fn who_may_stand(release: &Published, masks: &[u8]) -> Suspects {
        let mut suspects = Suspects { starts: vec![0], ..Suspects::default() };
        for (person, &own) in release.group_of.iter().enumerate() {
            let mask = masks.get(person).copied().unwrap_or(0);
            let is_in = |group: &u32| *group == own || (mask >> group & 1 == 1 && *group < 3);
            let places = (0..release.groups.len() as u32).filter(is_in);
            let place = |group: u32| Place { group, records: release.groups[group as usize] };
            suspects.groups.extend(places.map(place));
            suspects.starts.push(suspects.groups.len());
            suspects.profile_of.push(person as u32);
        }
        suspects
    }

    /// The numbers of the groups of a person, without their own record where it is taken out.
    fn numbers_of(
        release: &Published,
        people: &Suspects,
        person: u32,
        out: Option<usize>,
    ) -> Vec<Vec<Option<f64>>> {
        let column = &release.sensitive[0];
        let of = |place: &Place| {
            let records = (0..release.table.rows).filter(|&record| release.group_of[record] == place.group);
            let codes = records.filter(|&record| Some(record) != out);
            codes.map(|record| column.domain.number(column.codes.as_ref().unwrap()[record])).collect()
        };
        people.places_of(person).iter().map(of).filter(|own: &Vec<_>| !own.is_empty()).collect()
    }

    /// By trying all windows that begin or end at a value, and some between: the greatest pooled share of those that hold the
    /// share in every group, and what the lowest of these holds.
    fn by_trying(groups: &[Vec<Option<f64>>], confidence: f64) -> Option<(f64, f64, f64)> {
        let values: Vec<f64> = groups.iter().flatten().flatten().copied().collect();
        let mut best: Option<(f64, f64, f64)> = None;
        let mut starts: Vec<f64> = values.iter().flat_map(|own| [*own, own - 10.0, own - 3.5]).collect();
        starts.sort_by(f64::total_cmp);
        for start in starts {
            let is_in = |own: &f64| start - 1e-9 <= *own && *own <= start + 10.0 + 1e-9;
            let share = |own: &Vec<Option<f64>>| {
                own.iter().flatten().filter(|own| is_in(own)).count() as f64 / own.len() as f64
            };
            if !groups.iter().all(|own| share(own) >= confidence - 1e-9) {
                continue;
            }
            let all: usize = groups.iter().map(Vec::len).sum();
            let held: Vec<f64> = values.iter().copied().filter(is_in).collect();
            let pooled = held.len() as f64 / all as f64;
            if best.is_none_or(|own| pooled > own.0 + 1e-12) && !held.is_empty() {
                let (low, high) = held
                    .iter()
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |own, &n| (own.0.min(n), own.1.max(n)));
                best = Some((pooled, low, high));
            }
        }
        best
    }

    fn value() -> impl Strategy<Value = Option<u32>> {
        prop_oneof![8 => (30u32..56).prop_map(Some), 1 => (0u32..100).prop_map(Some), 1 => Just(None)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Who is exposed, rightly, and by the control: as trying all windows gives.
        #[test]
        fn as_all_windows_tried(
            groups in prop::collection::vec(prop::collection::vec(value(), 1..7), 1..4),
            masks in prop::collection::vec(0u8..8, 18),
            confidence in prop::sample::select(vec![0.4, 0.5, 0.67, 0.8, 1.0]),
        ) {
            let release = of_groups(&groups);
            let people = who_may_stand(&release, &masks);
            let (_, truth) = everyone(&release);
            let target = Target { release: &release, sensitive: Some(0), people: &people, truth: Some(&truth) };
            let near = Near::new(&release.sensitive[0].domain, |_| true).unwrap();
            let found = attack(&target, confidence, &near).unwrap();
            let column = &release.sensitive[0];
            let number = |person: u32| column.domain.number(column.codes.as_ref().unwrap()[person as usize]);
            let is_right = |(_, low, high): (f64, f64, f64), own: Option<f64>| {
                own.is_some_and(|own| (own - (low + high) / 2.0).abs() <= 5.0 + 1e-6)
            };
            let (mut exposed, mut right, mut control) = (0, 0, 0);
            for person in 0..people.people() as u32 {
                let tried = by_trying(&numbers_of(&release, &people, person, None), confidence);
                exposed += u64::from(tried.is_some());
                right += u64::from(tried.is_some_and(|own| is_right(own, number(person))));
                let without = numbers_of(&release, &people, person, Some(person as usize));
                let tried = by_trying(&without, confidence).filter(|_| !without.is_empty());
                control += u64::from(tried.is_some_and(|own| is_right(own, number(person))));
            }
            prop_assert_eq!(found.finding.exposed.hits, exposed);
            prop_assert_eq!(found.finding.right.map_or(0, |own| own.hits), right);
            prop_assert_eq!(found.finding.control.map(|own| own.hits), Some(control));
        }

        /// Nobody is exposed whom going through all worlds shows safe: of whom no window is as probable, over all ways in which
        /// people can be the records.
        #[test]
        fn nobody_whom_all_worlds_show_safe(
            groups in prop::collection::vec(prop::collection::vec(value(), 1..3), 1..3),
            masks in prop::collection::vec(0u8..8, 6),
            confidence in prop::sample::select(vec![0.5, 0.67, 0.8, 1.0]),
        ) {
            let release = of_groups(&groups);
            let people = who_may_stand(&release, &masks);
            let target = Target { release: &release, sensitive: Some(0), people: &people, truth: None::<&Truth> };
            let near = Near::new(&release.sensitive[0].domain, |_| true).unwrap();
            let fates = attack(&target, confidence, &near).unwrap().conclusions.unwrap().fate;
            let rows = release.table.rows;
            let may_be = |person: usize, record: usize| {
                people.places_of(person as u32).iter().any(|place| place.group == release.group_of[record])
            };
            // Per person how many worlds give them each record.
            let mut worlds = vec![vec![0u64; rows]; rows];
            let mut record_of = Vec::new();
            fn place(rows: usize, may_be: &dyn Fn(usize, usize) -> bool, record_of: &mut Vec<usize>, worlds: &mut [Vec<u64>]) {
                let person = record_of.len();
                if person == rows {
                    record_of.iter().enumerate().for_each(|(person, &record)| worlds[person][record] += 1);
                    return;
                }
                for record in 0..rows {
                    if may_be(person, record) && !record_of.contains(&record) {
                        record_of.push(record);
                        place(rows, may_be, record_of, worlds);
                        record_of.pop();
                    }
                }
            }
            place(rows, &may_be, &mut record_of, &mut worlds);
            let column = &release.sensitive[0];
            let number = |record: usize| column.domain.number(column.codes.as_ref().unwrap()[record]);
            for person in (0..rows).filter(|&person| fates[person].is_exposed()) {
                let all: u64 = worlds[person].iter().sum();
                let chance = |start: f64| {
                    let is_in = |record: &usize| number(*record).is_some_and(|own| start <= own && own <= start + 10.0 + 1e-6);
                    (0..rows).filter(is_in).map(|record| worlds[person][record]).sum::<u64>() as f64 / all as f64
                };
                let most = (0..rows).filter_map(number).map(chance).fold(0.0, f64::max);
                prop_assert!(most >= confidence - 1e-9, "{} {}", person, most);
            }
        }
    }
}
