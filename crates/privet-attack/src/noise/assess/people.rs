//! Linking the records of a release to people (survey AT-17), those with missing numbers too.
//!
//! # Guarantee
//! A missing value stays missing, and nothing else becomes missing. So a record is behind one of the people who lack exactly the
//! same numbers, and is compared with these by the numbers that it has: what is found is what going through everybody gives. The
//! variance of noise is that of all records. Records of which the adversary's file has nobody who lacks the same are linked to
//! nobody.

use std::collections::BTreeMap;

use nalgebra::DMatrix;
use privet_perturb::{Law, covariance};

use super::table::{Table, first_factor};
use super::{Knowing, NoiseFinding, Outcome};
use crate::attacks::AttackWord;
use crate::noise::categories::PerturbedCategories;
use crate::noise::linkage::{Link, LinkageScore, Work, link_part};
use crate::noise::records::{NoiseAttackError, NoiseShape, Records};
use crate::percent;
use crate::rate::Rate;

/// The word of the attack in files.
pub const NOISE_LINKAGE: &str = "noise-linkage";

/// What it is.
pub(crate) const ABOUT_NOISE_LINKAGE: AttackWord = AttackWord {
    word: NOISE_LINKAGE,
    title: "Linking in spite of noise",
    sentence: "The adversary has a list of people with their true values and asks for each published record which of them most probably became it by the published law.",
    ..AttackWord::APART
};

/// Records and people that lack the same numbers, by their places.
#[derive(Default)]
struct Part {
    records: Vec<usize>,
    people: Vec<usize>,
}

/// What linking found in all parts.
#[derive(Default)]
struct Found {
    judged: u64,
    right: u64,
    sure: u64,
    both: u64,
    absent: u64,
    links: Vec<(usize, Link, bool)>,
}

impl Table<'_> {
    pub(super) fn linkage(
        &self,
        categories: &[PerturbedCategories],
        knowing: &Knowing,
    ) -> Result<NoiseFinding, NoiseAttackError> {
        let numbers = self.columns.iter().map(|column| column.name).filter(|name| !name.is_empty());
        let names = numbers.chain(categories.iter().map(|own| own.name.as_str()));
        let names: Vec<String> = names.map(str::to_owned).collect();
        let finding = |outcome, verdict: String| NoiseFinding {
            attack: NOISE_LINKAGE,
            columns: names.clone(),
            assumes: "a file with the original values of these columns for everybody in the release, and the published \
                      laws",
            outcome,
            verdict,
            links: Vec::new(),
        };
        let records = self.columns.first().map_or(0, |column| column.values.len());
        let has_numbers = self.columns.iter().any(|column| column.values.iter().any(|own| !own.is_nan()));
        let why = if self.columns.iter().any(|column| column.original.is_none()) {
            "the adversary's file is missing; give the original of every column to stand in for it."
        } else if records < 2 {
            "there are fewer than two records."
        } else if categories.is_empty() && !has_numbers {
            "all numbers are missing."
        } else if categories.is_empty() && self.variances.iter().all(|variance| *variance == 0.0) {
            "no column has noise; the values are published as they are."
        } else {
            ""
        };
        if !why.is_empty() {
            return Ok(finding(Outcome::NotMade, why.to_owned()));
        }
        let parts = self.parts(records);
        let pairs = parts.values().map(|own| own.records.len() as f64 * own.people.len() as f64).sum();
        let noise = self.noise()?;
        let mut found = Found::default();
        for (lacks, part) in &parts {
            let held: Vec<usize> = (0..).zip(lacks).filter(|own| !own.1).map(|own| own.0).collect();
            self.link(
                part,
                &held,
                &noise,
                categories,
                knowing,
                Work { pairs, records, quick: knowing.quick },
                &mut found,
            )?;
        }
        found.links.sort_by_key(|own| own.0);
        let rate = |hits| Rate::new(hits, found.judged);
        let score = LinkageScore {
            right: rate(found.right),
            chance: 1.0 / records as f64,
            confidence: knowing.confidence,
            exposed: rate(found.sure),
            right_when_sure: Rate::new(found.both, found.sure),
            found: rate(found.both),
            control: rate(found.absent),
        };
        let succeeded = score.found.low > score.chance && score.right_when_sure.rate > 0.5;
        let verdict = format!(
            "The likeliest person is the right one for {} % of the records (chance: {} %). The adversary is sure of {} % \
             and then right in {} %; of people who are not in the file it would be {} %.{}",
            percent(score.right.rate),
            percent(score.chance),
            percent(score.exposed.rate),
            percent(score.right_when_sure.rate),
            percent(score.control.rate),
            match parts.len() {
                0 | 1 => "",
                _ => " Records with missing numbers are compared with the people who lack the same.",
            }
        );
        Ok(NoiseFinding { links: found.links, ..finding(Outcome::Linked { succeeded, score }, verdict) })
    }

    /// Records and people by which numbers they lack.
    fn parts(&self, records: usize) -> BTreeMap<Vec<bool>, Part> {
        let mut parts: BTreeMap<Vec<bool>, Part> = BTreeMap::new();
        let lacks = |values: Option<&[f64]>, at: usize| {
            values.and_then(|own| own.get(at)).is_none_or(|value| value.is_nan())
        };
        for at in 0..records {
            let published = self.columns.iter().map(|column| lacks(Some(column.values), at)).collect();
            parts.entry(published).or_default().records.push(at);
            let original = self.columns.iter().map(|column| lacks(column.original, at)).collect();
            parts.entry(original).or_default().people.push(at);
        }
        parts
    }

    /// The covariance of the noise of all columns, with what rounding adds: the variance of an even error within one step
    /// (Sheppard).
    fn noise(&self) -> Result<DMatrix<f64>, NoiseAttackError> {
        let both = self.columns.iter().zip(&self.variances);
        let variances = both.map(|(column, variance)| match column.law {
            Law::Add(_) if *variance > 0.0 => variance + column.step * column.step / 12.0,
            _ => *variance,
        });
        let width = self.columns.len();
        let mut noise = DMatrix::from_diagonal(&nalgebra::DVector::from_iterator(width, variances));
        let Some(factor) = first_factor(self.columns) else { return Ok(noise) };
        let shared: Vec<usize> =
            (0..).zip(self.columns).filter(|own| own.1.together.is_some()).map(|own| own.0).collect();
        let of = |at: usize, column: &usize| self.columns.get(*column)?.values.get(at).copied();
        let rows = (0..self.columns.first().map_or(0, |column| column.values.len()))
            .map(|at| shared.iter().filter_map(|column| of(at, column)).collect::<Vec<f64>>())
            .filter(|row| row.len() == shared.len() && row.iter().all(|value| !value.is_nan()));
        let values: Vec<f64> = rows.flatten().collect();
        if values.len() < 2 * shared.len() {
            return Ok(noise);
        }
        let seen = covariance(&values, shared.len())?;
        for (a, &row) in shared.iter().enumerate() {
            for (b, &column) in shared.iter().enumerate() {
                noise[(row, column)] = seen[(a, b)] * (factor / (1.0 + factor)); // why: places of columns, and among the shared ones
            }
        }
        Ok(noise)
    }

    /// Links the records of one part by the columns that they have.
    #[expect(clippy::too_many_arguments, reason = "one call, and each is another thing")]
    fn link(
        &self,
        part: &Part,
        held: &[usize],
        noise: &DMatrix<f64>,
        categories: &[PerturbedCategories],
        knowing: &Knowing,
        work: Work,
        found: &mut Found,
    ) -> Result<(), NoiseAttackError> {
        if part.records.is_empty() {
            return Ok(());
        }
        if part.people.is_empty() {
            // Nobody lacks these numbers, so the adversary sees that the person is not in the file.
            found.judged += part.records.len() as u64;
            return Ok(());
        }
        let column = |place: &usize| self.columns.get(*place);
        let gather = |rows: &[usize], of: &dyn Fn(usize, usize) -> Option<f64>| -> Vec<f64> {
            match held {
                // Nobody has a number: all stand at one place.
                [] => vec![0.0; rows.len()],
                _ => rows
                    .iter()
                    .flat_map(|&row| held.iter().filter_map(move |&place| of(place, row)))
                    .collect(),
            }
        };
        let published = gather(&part.records, &|place, row| column(&place)?.values.get(row).copied());
        let people = gather(&part.people, &|place, row| column(&place)?.original?.get(row).copied());
        let (laws, shape) = match held {
            [] => (Vec::new(), NoiseShape::Independent(vec![0.0])),
            _ => {
                let laws = held.iter().filter_map(column).map(|own| (own.law, own.step)).collect();
                let own = noise.select_rows(held).select_columns(held);
                let shares = held.iter().filter_map(column).any(|own| own.together.is_some());
                let shape = match shares {
                    true => NoiseShape::Known(own),
                    false => NoiseShape::Independent(own.diagonal().iter().copied().collect()),
                };
                (laws, shape)
            }
        };
        let width = held.len().max(1);
        let (published, people) = (Records::new(&published, width)?, Records::new(&people, width)?);
        let categories: Vec<PerturbedCategories> =
            categories.iter().map(|own| own.of(&part.records, &part.people)).collect();
        let links = link_part(published, people, &shape, &laws, &categories, knowing.seed, work)?;
        // Whose a record is: the person of the same place, who lacks the same numbers unless the release is another's.
        let person_of: Vec<u32> = part
            .records
            .iter()
            .map(|record| part.people.binary_search(record).map_or(u32::MAX, |place| place as u32))
            .collect();
        let score = links.score(&person_of, knowing.confidence)?;
        found.judged += score.right.of;
        found.right += score.right.hits;
        found.sure += score.exposed.hits;
        found.both += score.right_when_sure.hits;
        found.absent += score.control.hits;
        let judged = links.judged().iter().zip(links.links());
        found.links.extend(judged.filter_map(|(&own, link)| {
            let record = *part.records.get(own as usize)?;
            let person = part.people.get(link.person as usize).copied();
            let link = Link { person: person.map_or(u32::MAX, |own| own as u32), ..link };
            Some((record, link, person == Some(record)))
        }));
        Ok(())
    }
}
