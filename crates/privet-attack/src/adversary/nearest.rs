//! Linking to means, medians and modes (survey ME-11): they stand for no set of values, so a person is looked for in the
//! group whose centre is nearest.
//!
//! What it guarantees: among the groups that the other columns leave, exactly those at the smallest distance, ties within
//! rounding included; the same for any number of threads. What it does not: that the person's own group is the nearest. The
//! adversary takes the best guess, and only the owner's truth can tell how often it is right.
//!
//! The distance is Euclid's: differences of numbers and dates in standard deviations of what is published, and 1 where
//! texts differ or one of two values is missing.

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt};
use privet_data::Domain;
use privet_release::Published;
use rayon::prelude::*;

use super::{Crowd, SharedColumn};
use crate::link::UNKNOWN;
use crate::reproduction::slack;
use crate::target::{Place, Suspects};

/// One column of points, for groups and for people.
struct Axis {
    is_number: bool,
    /// Per group its coordinate; no number where it is missing.
    groups: Vec<f64>,
    /// Per code of the people's domain.
    values: Vec<f64>,
}

impl Axis {
    fn new(release: &Published, shared: &SharedColumn<'_>, first_of_group: &[usize]) -> Option<Self> {
        let points = shared.points?;
        let domain = points.domain;
        let column = &release.table.columns[release.quasi[shared.quasi]];
        if let Some(kind) = points.of_numbers() {
            let number = |code: u32| kind.number(column.domain.text(code));
            let labels: Vec<f64> =
                (0..column.domain.len() as u32).map(|code| number(code).unwrap_or(f64::NAN)).collect();
            let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
            // From the first number on, so that large numbers that differ by little keep their differences.
            let from = column.codes.iter().map(|&code| labels[code as usize]).find(|own| own.is_finite());
            for own in column.codes.iter().map(|&code| labels[code as usize] - from.unwrap_or(0.0)) {
                if own.is_finite() {
                    (count, sum, squares) = (count + 1.0, sum + own, squares + own * own);
                }
            }
            let spread = f64::sqrt(squares / f64::max(count, 1.0) - f64::powi(sum / f64::max(count, 1.0), 2));
            // What is the same everywhere tells nobody from anybody.
            let scale = if spread.is_finite() && spread > 0.0 { 1.0 / spread } else { 0.0 };
            let value = |code: u32| points.number(kind, code).map_or(f64::NAN, |own| own * scale);
            return Some(Self {
                is_number: true,
                groups: first_of_group
                    .iter()
                    .map(|&record| labels[column.codes[record] as usize] * scale)
                    .collect(),
                values: (0..domain.len() as u32).map(value).collect(),
            });
        }
        // Labels are taken as they stand; what is one value among the people is one among the labels.
        let same = domain.sameness();
        let mut number_of: HashMap<Cow<'_, str>, f64> = HashMap::new();
        for text in column.domain.texts().iter().chain(domain.texts()) {
            let next = number_of.len() as f64;
            number_of.entry(same.key(text)).or_insert(next);
        }
        // What is missing is so whichever marker a table has for it.
        let number = |of: &Domain, code: u32| match of.is_missing(code) {
            true => f64::NAN,
            false => number_of.get(&same.key(of.text(code))).copied().unwrap_or(f64::NAN),
        };
        Some(Self {
            is_number: false,
            groups: first_of_group
                .iter()
                .map(|&record| number(&column.domain, column.codes[record]))
                .collect(),
            values: (0..domain.len() as u32).map(|code| number(domain, code)).collect(),
        })
    }

    fn value(&self, code: u32) -> f64 {
        if code == UNKNOWN { f64::NAN } else { self.values.get(code as usize).copied().unwrap_or(f64::NAN) }
    }

    fn squared(&self, a: f64, b: f64) -> f64 {
        match (a.is_nan(), b.is_nan()) {
            (true, true) => 0.0,
            (false, false) if self.is_number => (a - b) * (a - b),
            (false, false) if a == b => 0.0,
            _ => 1.0,
        }
    }
}

/// Whether people are linked to centres.
pub(super) fn applies(crowd: &Crowd<'_>) -> bool {
    crowd.shared.iter().any(|shared| shared.points.is_some())
}

/// Of the groups that labels leave, those whose centre is nearest.
pub(super) fn nearest(release: &Published, crowd: &Crowd<'_>, linked: Suspects) -> Suspects {
    let mut first_of_group = vec![usize::MAX; release.groups.len()];
    for (record, &group) in release.group_of.iter().enumerate() {
        let first = &mut first_of_group[group as usize];
        *first = (*first).min(record);
    }
    if first_of_group.contains(&usize::MAX) {
        return linked;
    }
    let (axes, values): (Vec<Axis>, Vec<&[u32]>) = crowd
        .shared
        .iter()
        .filter_map(|shared| Some((Axis::new(release, shared, &first_of_group)?, shared.values)))
        .unzip();
    // People who look alike are looked for once.
    let mut number_of: HashMap<(u32, Vec<u32>), u32> = HashMap::new();
    let mut looks: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut profile_of = Vec::with_capacity(linked.people());
    for (person, &profile) in linked.profile_of.iter().enumerate() {
        let own: Vec<u32> = values.iter().map(|codes| codes[person]).collect();
        let next = looks.len() as u32;
        profile_of.push(*number_of.entry((profile, own)).or_insert_with_key(|key| {
            looks.push(key.clone());
            next
        }));
    }
    // Places of one profile in the order of the first axis of numbers, in which most of them are soon too far.
    let first = axes.iter().position(|axis| axis.is_number);
    let mut in_order: HashMap<u32, Vec<Place>> = HashMap::new();
    for (profile, _) in &looks {
        in_order.entry(*profile).or_insert_with(|| sorted(&axes, first, linked.places(*profile).to_vec()));
    }
    let found: Vec<Vec<Place>> = looks
        .par_iter()
        .map(|(profile, codes)| {
            let own: Vec<f64> = axes.iter().zip(codes).map(|(axis, &code)| axis.value(code)).collect();
            let places = in_order.get(profile).map_or(&[][..], Vec::as_slice);
            closest(&axes, first, &own, places).1
        })
        .collect();
    let mut suspects =
        Suspects { profile_of, starts: vec![0], groups: Vec::new(), strangers: linked.strangers };
    for places in found {
        suspects.groups.extend(places);
        suspects.starts.push(suspects.groups.len());
    }
    suspects
}

/// Places in the order of the first axis of numbers, missing coordinates at the end.
fn sorted(axes: &[Axis], first: Option<usize>, mut places: Vec<Place>) -> Vec<Place> {
    if let Some(axis) = first.and_then(|first| axes.get(first)) {
        let at = |place: &Place| axis.groups[place.group as usize];
        let key = |place: &Place| (at(place).is_nan(), at(place), place.group);
        places.sort_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
        });
    }
    places
}

/// Of some people how far the nearest published record is, in the columns that show points: the distance of this file.
/// Infinite where there is no record.
pub fn distances(release: &Published, crowd: &Crowd<'_>, people: &[u32]) -> Vec<f64> {
    let mut first_of_group = vec![usize::MAX; release.groups.len()];
    for (record, &group) in release.group_of.iter().enumerate() {
        if let Some(first) = first_of_group.get_mut(group as usize) {
            *first = (*first).min(record);
        }
    }
    if first_of_group.contains(&usize::MAX) {
        return vec![f64::INFINITY; people.len()];
    }
    let (axes, values): (Vec<Axis>, Vec<&[u32]>) = crowd
        .shared
        .iter()
        .filter_map(|shared| Some((Axis::new(release, shared, &first_of_group)?, shared.values)))
        .unzip();
    let first = axes.iter().position(|axis| axis.is_number);
    let places = release.groups.iter().zip(0..).map(|(&records, group)| Place { group, records }).collect();
    let places = sorted(&axes, first, places);
    people
        .par_iter()
        .map(|&person| {
            let code = |codes: &&[u32]| codes.get(person as usize).copied().unwrap_or(UNKNOWN);
            let own: Vec<f64> =
                axes.iter().zip(&values).map(|(axis, codes)| axis.value(code(codes))).collect();
            closest(&axes, first, &own, &places).0.sqrt()
        })
        .collect()
}

/// The smallest squared distance, and the places at it, ascending by group.
fn closest(axes: &[Axis], first: Option<usize>, own: &[f64], places: &[Place]) -> (f64, Vec<Place>) {
    let mut best = f64::INFINITY;
    let mut found: Vec<(f64, Place)> = Vec::new();
    let mut look = |place: &Place, best: &mut f64| {
        let terms = axes.iter().zip(own);
        let distance: f64 =
            terms.map(|(axis, &own)| axis.squared(own, axis.groups[place.group as usize])).sum();
        if distance <= slack(*best) {
            *best = best.min(distance);
            found.push((distance, *place));
        }
    };
    match first.filter(|&first| !own[first].is_nan()) {
        None => places.iter().for_each(|place| look(place, &mut best)),
        Some(first) => {
            let at = |place: &Place| axes[first].groups[place.group as usize];
            let here = own[first];
            // Missing coordinates stand at the end and are at distance 1.
            let numbers = places.partition_point(|place| !at(place).is_nan());
            let middle = places[..numbers].partition_point(|place| at(place) < here);
            let (mut below, mut above) = (middle, middle);
            loop {
                let down = below.checked_sub(1).map(|i| (here - at(&places[i])).powi(2));
                let up = (above < numbers).then(|| (at(&places[above]) - here).powi(2));
                let next = match (down, up) {
                    (None, None) => break,
                    (Some(down), up) if up.is_none_or(|up| down <= up) => {
                        below -= 1;
                        (down, below)
                    }
                    (_, up) => {
                        above += 1;
                        (up.unwrap_or(f64::INFINITY), above - 1)
                    }
                };
                if next.0 > slack(best) {
                    break;
                }
                look(&places[next.1], &mut best);
            }
            places[numbers..].iter().for_each(|place| look(place, &mut best));
        }
    }
    let mut places: Vec<Place> =
        found.into_iter().filter(|(distance, _)| *distance <= slack(best)).map(|(_, place)| place).collect();
    places.sort_by_key(|place| place.group);
    (best, places)
}

#[cfg(test)]
mod tests {
    use privet_data::io::{ReadOptions, read_csv_bytes};
    use privet_data::{Coverage, Silent, Table};
    use proptest::prelude::*;

    use super::super::Points;
    use super::*;

    fn table(csv: &str) -> Table {
        read_csv_bytes(csv.as_bytes(), &ReadOptions { header: Some(true), ..ReadOptions::default() })
            .unwrap()
            .table
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Exactly the nearest, as comparing everybody with everything finds.
        #[test]
        fn as_everything_compared(
            groups in prop::collection::vec((0i32..60, 0i32..9, 0u8..3), 1..12),
            people in prop::collection::vec((0i32..60, 0i32..9, 0u8..3), 1..15),
        ) {
            let line = |&(a, b, c): &(i32, i32, u8)| format!("{},{b}.5,{}\n", a * 2, ["x", "y", ""][c as usize]);
            let csv = |rows: &[(i32, i32, u8)]| {
                table(&("a,b,c\n".to_owned() + &rows.iter().map(line).collect::<String>()))
            };
            let release = Published::of_table(csv(&groups), vec![0, 1, 2], vec![], &Silent).unwrap();
            let people = csv(&people);
            let coverage: Vec<Coverage> = (0..3).map(|column| {
                let all = (0..people.columns[column].domain.len() as u32).collect::<Vec<u32>>();
                let labels = release.table.columns[column].domain.len();
                Coverage::new(vec![all; labels], people.columns[column].domain.len() as u32)
            }).collect();
            let shared = (0..3).map(|column| SharedColumn {
                quasi: column,
                values: &people.columns[column].codes,
                coverage: &coverage[column],
                points: Some(Points {
                    domain: &people.columns[column].domain,
                    kind: people.columns[column].domain.kind(),
                }),
            }).collect();
            let crowd = Crowd { count: people.rows, shared };
            let found = super::super::suspects(&release, &crowd).unwrap();
            // By hand.
            let deviation = |column: usize| {
                let own = &release.table.columns[column];
                let numbers: Vec<f64> = own.codes.iter().map(|&code| own.domain.number(code).unwrap()).collect();
                let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
                (numbers.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / numbers.len() as f64).sqrt()
            };
            for person in 0..people.rows {
                let distance = |group: u32| {
                    let record = release.group_of.iter().position(|&own| own == group).unwrap();
                    (0..3).map(|column| {
                        let (own, theirs) = (&people.columns[column], &release.table.columns[column]);
                        let (value, label) = (own.codes[person], theirs.codes[record]);
                        if column == 2 {
                            return f64::from(u8::from(own.domain.text(value) != theirs.domain.text(label)));
                        }
                        let spread = deviation(column);
                        if spread == 0.0 { return 0.0; }
                        ((own.domain.number(value).unwrap() - theirs.domain.number(label).unwrap()) / spread).powi(2)
                    }).sum::<f64>()
                };
                let all: Vec<f64> = (0..release.groups.len() as u32).map(distance).collect();
                let least = all.iter().copied().fold(f64::INFINITY, f64::min);
                let [told] = distances(&release, &crowd, &[person as u32])[..] else { panic!("one distance") };
                prop_assert!((told - least.sqrt()).abs() < 1e-9, "{} {}", told, least.sqrt());
                let expected: Vec<u32> =
                    (0..all.len() as u32).filter(|&g| all[g as usize] <= least + 1e-9 * (1.0 + least)).collect();
                let own: Vec<u32> = found.places_of(person as u32).iter().map(|place| place.group).collect();
                prop_assert_eq!(own, expected);
            }
        }
    }
}
