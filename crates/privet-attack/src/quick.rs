//! The attacks that need nothing but classes, worked out from classes alone.
//!
//! Before a release is handed over it is attacked by somebody who knows who is in it and how each looks. When everybody is
//! in one class and everybody in the table is looked for, what happens to a person is decided by the class and the value:
//! `linking` and `homogeneity` come to the same without a single list of
//! people. A test holds them to that.

use privet_kind::Basis;
use privet_release::published::Histograms;

use crate::attacks::ids;
use crate::finding::{Bin, Finding, Unit};
use crate::histogram::HistogramOf;
use crate::homogeneity::{Alike, Similar, success};
use crate::linking;
use crate::proximity::{Near, WHAT, Window};
use crate::rate::Rate;

/// Linking: classes of so many records, and so many people whose records were suppressed.
pub fn linking(sizes: &[u64], suppressed: u64) -> Finding {
    let published: u64 = sizes.iter().sum();
    let people = published + suppressed;
    let of_size = |wanted: u64| sizes.iter().filter(|&&size| size == wanted).count() as u64;
    let alone = of_size(1);
    let least = sizes.iter().copied().filter(|&size| size > 0).min();
    let exposed = Rate::new(alone, people);
    Finding {
        exposed,
        right: (alone > 0).then(|| Rate::new(alone, alone)),
        // Whose class has two records would be taken for the other one, were there classes of one.
        control: Some(Rate::new(if alone > 0 { 2 * of_size(2) } else { 0 }, people)),
        control_group: Some(linking::WITHOUT.to_owned()),
        baseline: None,
        risk: exposed.rate,
        histogram: linking::sizes(sizes.iter().map(|&size| (size, size)).chain([(0, suppressed)])),
        notes: linking::notes(least, suppressed, Basis::Release),
        ..linking::blank()
    }
}

/// Homogeneity or shared concepts of a sensitive column over classes, and so many people whose records were suppressed. Codes
/// below `missing` stand for missing values, of which nobody learns anything.
pub fn homogeneity(
    column: &str,
    histograms: &Histograms,
    missing: u32,
    suppressed: u64,
    confidence: f64,
    alike: Option<&Alike>,
) -> Finding {
    let concept = |value: u32| alike.map_or(value, |alike| alike.concept_of[value as usize]);
    let tells = |own: &(u32, u64)| alike.map_or(own.0 >= missing, |alike| alike.tells(own.0));
    let (mut exposed, mut right, mut control, mut published) = (0u64, 0u64, 0u64, 0u64);
    let mut bins = [0u64; 10];
    bins[0] = suppressed;
    let mut counts: Vec<(u32, u64)> = Vec::new();
    for group in 0..histograms.groups() as u32 {
        counts.clear();
        counts.extend(histograms.of(group).iter().map(|&(value, count)| (concept(value), count)));
        if alike.is_some() {
            counts.sort_unstable();
            counts.dedup_by(|next, own| {
                let same = next.0 == own.0;
                own.1 += if same { next.1 } else { 0 };
                same
            });
        }
        let size: u64 = counts.iter().map(|own| own.1).sum();
        if size == 0 {
            continue;
        }
        // How frequent the best guess is; 0 when nothing but missing values is left.
        let most = counts.iter().filter(|own| tells(own)).map(|own| own.1).max().unwrap_or(0);
        published += size;
        let sure = most as f64 / size as f64;
        bins[((sure * 10.0 + 1e-9) as usize).min(9)] += size;
        if most > 0 && sure >= confidence - 1e-12 {
            exposed += size;
            right += most;
        }
        // Without one record of a value: who has it, and would still be told.
        for &(value, count) in &counts {
            let left = |own: &(u32, u64)| (own.1 - u64::from(own.0 == value), std::cmp::Reverse(own.0));
            let Some((best, guess)) = counts.iter().filter(|own| tells(own)).map(left).max() else {
                continue;
            };
            let is_sure = size > 1 && best > 0 && best as f64 / (size - 1) as f64 >= confidence - 1e-12;
            control += if is_sure && guess.0 == value { count } else { 0 };
        }
    }
    let told = Told { exposed, right, control, published, bins };
    let attack = if alike.is_some() { ids::SIMILARITY } else { ids::HOMOGENEITY };
    told.finding(attack, column, success(column, confidence, alike.map(|alike| &*alike.what)), suppressed)
}

/// What values have in common, over classes.
pub fn similarity(
    column: &str,
    histograms: &Histograms,
    missing: u32,
    suppressed: u64,
    confidence: f64,
    similar: &Similar,
) -> Finding {
    match similar {
        Similar::Concepts(alike) => {
            homogeneity(column, histograms, missing, suppressed, confidence, Some(alike))
        }
        Similar::Near(near) => proximity(column, histograms, suppressed, confidence, near),
    }
}

/// Windows of near values, over classes.
fn proximity(
    column: &str,
    histograms: &Histograms,
    suppressed: u64,
    confidence: f64,
    near: &Near,
) -> Finding {
    let mut told = Told::default();
    told.bins[0] = suppressed;
    for group in 0..histograms.groups() as u32 {
        let cells = histograms.of(group);
        let size: u64 = cells.iter().map(|cell| cell.1).sum();
        if size == 0 {
            continue;
        }
        told.published += size;
        let best = near.of_cells(cells, confidence);
        let sure = best.map_or(0.0, |window| window.share);
        told.bins[((sure * 10.0 + 1e-9) as usize).min(9)] += size;
        let in_window = |window: &Window| -> u64 {
            cells.iter().filter(|cell| near.holds(window, cell.0)).map(|cell| cell.1).sum()
        };
        if let Some(window) = best.filter(|window| window.share >= confidence - 1e-12) {
            told.exposed += size;
            told.right += in_window(&window);
        }
        // Without one record no window holds more, of one record less.
        if size == 1 || sure * size as f64 / (size - 1) as f64 + 1e-9 < confidence {
            continue;
        }
        for at in 0..cells.len() {
            let mut left = cells.to_vec();
            left[at].1 -= 1;
            let again = near.of_cells(&left, confidence);
            let is_sure = again.filter(|window| window.share >= confidence - 1e-12);
            told.control +=
                is_sure.filter(|window| near.holds(window, cells[at].0)).map_or(0, |_| cells[at].1);
        }
    }
    told.finding(ids::SIMILARITY, column, success(column, confidence, Some(WHAT)), suppressed)
}

/// How many fall.
#[derive(Default)]
struct Told {
    exposed: u64,
    right: u64,
    control: u64,
    published: u64,
    bins: [u64; 10],
}

impl Told {
    fn finding(&self, attack: &'static str, column: &str, success: String, suppressed: u64) -> Finding {
        let people = self.published + suppressed;
        let bin =
            |bin: usize| Bin { from: bin as f64 / 10.0, to: (bin + 1) as f64 / 10.0, people: self.bins[bin] };
        Finding {
            attack,
            column: Some(column.to_owned()),
            assumed: crate::homogeneity::ASSUMED.to_owned(),
            success,
            unit: Unit::People,
            exposed: Rate::new(self.exposed, people),
            right: (self.exposed > 0).then(|| Rate::new(self.right, self.exposed)),
            control: Some(Rate::new(self.control, people)),
            control_group: Some(linking::WITHOUT.to_owned()),
            baseline: None,
            risk: self.right as f64 / people.max(1) as f64,
            not_counted: None,
            histogram: (0..10).map(bin).collect(),
            histogram_of: HistogramOf::Certainty,
            notes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Table;
    use privet_release::Published;
    use privet_release::published::SensitiveColumn;
    use proptest::prelude::*;

    use super::*;
    use crate::target::{Suspects, Target, Truth};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// From classes alone as from lists of people.
        #[test]
        fn classes_tell_the_same_as_people(
            rows in prop::collection::vec((0u32..6, 0u32..4), 1..40),
            suppressed in 0u64..4,
            confidence in prop::sample::select(vec![0.4, 0.5, 0.75, 1.0]),
            similar in any::<bool>(),
            first_is_missing in any::<bool>(),
        ) {
            // Groups in the order of their first records.
            let mut seen: Vec<u32> = Vec::new();
            let group_of: Vec<u32> = rows.iter().map(|row| {
                let place = seen.iter().position(|own| *own == row.0).unwrap_or_else(|| { seen.push(row.0); seen.len() - 1 });
                place as u32
            }).collect();
            let mut groups = vec![0u64; seen.len()];
            group_of.iter().for_each(|&group| groups[group as usize] += 1);
            let codes: Vec<u32> = rows.iter().map(|row| row.1).collect();
            let histograms = Histograms::count(&group_of, groups.len(), &codes);
            let domain = privet_data::Domain::canonical(["a", "b", "c", "d"].map(Box::from).to_vec(), |text| first_is_missing && text == "a").0;
            let sensitive = SensitiveColumn { name: "s".into(), domain, codes: Some(codes.clone()), histograms: histograms.clone() };
            let release = Published {
                manifest: None,
                table: Table { columns: Vec::new(), rows: rows.len() },
                quasi: Vec::new(),
                group_of: group_of.clone(),
                groups: groups.clone(),
                sensitive: vec![sensitive],
            };
            let out = suppressed as usize;
            let people = Suspects::in_groups(group_of.iter().map(|&g| Some(g)).chain(vec![None; out]), &groups);
            let truth = Truth {
                record_of: (0..rows.len() as u32).map(Some).chain(vec![None; out]).collect(),
                values: vec![codes.iter().map(|&code| Some(code)).chain(vec![Some(0); out]).collect()],
                member: vec![Some(true); rows.len() + out],
            };
            let target = Target { release: &release, sensitive: Some(0), people: &people, truth: Some(&truth) };
            let alike = similar.then(|| Alike {
                concept_of: if first_is_missing { vec![3, 0, 1, 2] } else { vec![0, 0, 1, 2] },
                what: "x".into(),
                labels: ["x", "y", "z", ""].map(String::from).to_vec(),
                missing: vec![false, false, false, first_is_missing],
            });
            let slow = crate::homogeneity::attack(&target, confidence, alike.as_ref()).unwrap().finding;
            let missing = u32::from(first_is_missing);
            let quick = homogeneity("s", &histograms, missing, suppressed, confidence, alike.as_ref());
            prop_assert_eq!(slow, quick);
            // The same numbers, by what is near.
            let texts = ["0", "7", "10", "100"].map(Box::from).to_vec();
            let domain = privet_data::Domain::canonical(texts, |text| first_is_missing && text == "0").0;
            let near = Near::new(&domain, |code| codes.contains(&code));
            let mut release = release.clone();
            release.sensitive[0].domain = domain;
            let target = Target { release: &release, ..target };
            if let Some(near) = near.map(Similar::Near) {
                let slow = crate::homogeneity::similarity(&target, confidence, &near).unwrap().finding;
                prop_assert_eq!(slow, similarity("s", &histograms, missing, suppressed, confidence, &near));
            }
            // From a list of people, the numbers are the owner's; from the published classes, everybody's.
            let mut slow = linking::attack(&Target { sensitive: None, ..target }).finding;
            slow.notes.iter_mut().for_each(|note| note.basis = Basis::Release);
            prop_assert_eq!(slow, linking(&groups, suppressed));
        }
    }
}
