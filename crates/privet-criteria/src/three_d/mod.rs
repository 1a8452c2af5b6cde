//! The basic 3D privacy criterion (survey PM-13, Def 2.4; Chen, LeFevre and Ramakrishnan's privacy skyline), by
//! its closed form, and its skyline and value-specific forms (PM-14).
//!
//! Whoever wants to learn whether a person t has a value s knows (l) values that t does not have, (k) the values of
//! other people, and (m) people of t's same-value family: whoever of them has s tells that t has it too. The release
//! is safe when the chance of "t has s" given any such knowledge stays below c.
//!
//! Closed form: t is in a bucket of n records, s occurs n_s times in it, and the l most frequent other values make up
//! e of it. With R = max(0, n - n_s - e - k) the chance is n_s / (n_s + R·q), where q is the chance that nobody of the
//! family has s: Π_{i<m} max(0, N - N_s - i) / (N - i). A family in another bucket has its counts for N and N_s; one
//! in t's own bucket has N = n - k - 1 and N_s = n_s. The maximum over t, s and the family's bucket decides
//! (congregation: knowledge about at most two buckets is worst).
//!
//! A *skyline* is a set of points (l, k, m, c), all of which must hold; a value may have a point of its own, which then
//! takes the place of the others where s is that value (the survey only names both forms).
//!
//! What it guarantees: the maximum is exact; tests compare it with all worlds and all knowledge on small tables.
//! Nearness to c errs on the safe side: a chance within 1e-12 of c counts as reaching it. Where the printed product
//! would divide by zero (a bucket of fewer than m people, none of whom has s) the family ends with the bucket.
//!
//! The criterion is not bucket-independent (survey TH-09): buckets are judged together. Merging buckets never makes
//! anything likelier; the argument of `ck_safety` holds for any knowledge about single people.

mod criterion;
mod maxima;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::keep::TOLERANCE;

pub(crate) use criterion::ThreeDPrivacy;
pub use maxima::GlobalMaxima;

/// The basic 3D privacy criterion: one point of a skyline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ThreeD {
    /// Values that the person is known not to have.
    #[serde(default)]
    pub l: u32,
    /// Other people whose values are known.
    #[serde(default)]
    pub k: u32,
    /// People of the same-value family.
    #[serde(default)]
    pub m: u32,
    /// The chance that must not be reached.
    pub c: f64,
}

impl ThreeD {
    /// What is wrong with the parameters, if anything is.
    pub fn fault(&self) -> Option<&'static str> {
        (!(self.c > 0.0 && self.c <= 1.0)).then_some("must be above 0 and at most 1")
    }

    /// What it promises, in one sentence for a person.
    pub fn promise(&self) -> String {
        self.promise_of("no sensitive value")
    }

    fn promise_of(&self, what: &str) -> String {
        let Self { l, k, m, c } = self;
        format!(
            "Whoever knows {l} values that a person does not have, the values of {k} other people, and {m} people who \
             would give the person away if they had the same value, learns {what} with a chance of \
             {c} or more."
        )
    }

    /// Whether a chance is safely below c.
    pub fn allows(&self, breach: f64) -> bool {
        breach < self.c - TOLERANCE
    }

    /// The largest chance over a whole table, from the counts of the values in each bucket.
    ///
    /// ```
    /// use privet_criteria::ThreeD;
    /// // Heart disease, flu, a virus infection and cancer; then heart disease twice, flu and cancer.
    /// let buckets = [vec![1, 1, 1, 1], vec![2, 1, 0, 1]];
    /// let breach = ThreeD { l: 0, k: 0, m: 1, c: 0.8 }.breach(&buckets);
    /// assert!((breach - 0.75).abs() < 1e-12);
    /// ```
    pub fn breach(&self, buckets: &[Vec<u32>]) -> f64 {
        Skyline::from(*self).reached(buckets)
    }

    /// The chance that nobody of the family has a value that `having` of `people` have.
    fn nobody(&self, people: u64, having: u64) -> f64 {
        let mut chance = 1.0;
        for i in 0..u64::from(self.m).min(people) {
            if people - i <= having {
                return 0.0;
            }
            chance *= (people - having - i) as f64 / (people - i) as f64;
            if having == 0 {
                break;
            }
        }
        chance
    }

    /// What a bucket of `rows` records says of a value that `own` of them have. `up_to` are the sums of its counts
    /// from the largest: none, the first, the first two, …
    fn facts(&self, slot: usize, rows: u64, own: u64, up_to: &[u64]) -> Facts {
        let distinct = up_to.len() - 1; // why: the sum of no counts is always there
        let most = (self.l as usize).min(distinct);
        // The most frequent *other* values: when the value is itself among them, the next one moves up.
        let among = most > 0 && own >= up_to[most] - up_to[most - 1];
        let excluded = if among { up_to[(most + 1).min(distinct)] - own } else { up_to[most] };
        let remain = (rows - own - excluded).saturating_sub(self.k.into());
        let odds = remain as f64 / own as f64;
        let inside = if remain == 0 { 0.0 } else { self.nobody(rows - u64::from(self.k) - 1, own) };
        Facts { slot, own: odds * inside, alone: odds, family: self.nobody(rows, own) }
    }
}

/// What a bucket says of one value at one point. Small numbers are the danger.
#[derive(Debug, Clone, Copy)]
struct Facts {
    /// Which value and point.
    slot: usize,
    /// The odds against the value, with the family in the same bucket.
    own: f64,
    /// The odds against the value, without a family.
    alone: f64,
    /// The chance that nobody of a family in this bucket has the value.
    family: f64,
}

/// Points of 3D privacy, all of which must hold; values may have a point of their own (survey PM-14).
///
/// What a table *reaches* is the largest chance when there is one point; with several it is the largest chance as a
/// share of the c that it must stay below.
#[derive(Debug, Clone, PartialEq)]
pub struct Skyline {
    general: Vec<ThreeD>,
    own: BTreeMap<u32, ThreeD>,
    /// The c of the only point.
    only: Option<f64>,
}

impl From<ThreeD> for Skyline {
    fn from(point: ThreeD) -> Self {
        Self::new(vec![point], BTreeMap::new())
    }
}

impl Skyline {
    /// Points for every value, and for some values, by code, one that takes their place. Without points for every
    /// value the others are not protected.
    pub fn new(general: Vec<ThreeD>, own: BTreeMap<u32, ThreeD>) -> Self {
        let mut points = general.iter().chain(own.values());
        let only = points.next().filter(|_| points.next().is_none()).map(|point| point.c);
        Self { general, own, only }
    }

    /// All points.
    pub fn points(&self) -> impl Iterator<Item = &ThreeD> {
        self.general.iter().chain(self.own.values())
    }

    /// What it promises, in a few sentences for a person.
    pub fn promise(&self) -> String {
        let mut sentences: Vec<String> = self.general.iter().map(ThreeD::promise).collect();
        let named = match self.own.len() {
            0 => return sentences.join(" "),
            1 => "one value".to_owned(),
            many => format!("one of {many} values"),
        };
        sentences.extend(self.own.values().map(|point| {
            point.promise_of(&format!("{named} that the promise names")) // why: the values stay unsaid
        }));
        sentences.push(match self.general.is_empty() {
            true => "Other values are not protected.".to_owned(),
            false => "Such a value has this bound in place of the others.".to_owned(),
        });
        sentences.join(" ")
    }

    /// What is reached where a value has this chance at a point.
    fn measure(&self, point: &ThreeD, chance: f64) -> f64 {
        if self.only.is_some() { chance } else { chance / point.c }
    }

    /// Whether what is reached is safely enough.
    pub fn accepts(&self, reached: f64) -> bool {
        reached < self.only.unwrap_or(1.0) - TOLERANCE
    }

    /// What a whole table reaches, from the counts of the values in each bucket.
    pub fn reached(&self, buckets: &[Vec<u32>]) -> f64 {
        let mut maxima = GlobalMaxima::new(self.clone(), buckets.iter().map(Vec::len).max().unwrap_or(0));
        for (number, counts) in (0u32..).zip(buckets) {
            let occurring: Vec<(u32, u32)> = (0u32..).zip(counts.iter().copied()).collect();
            maxima.insert(number, &occurring);
        }
        maxima.reached()
    }

    /// The points that protect a value.
    fn points_of(&self, value: u32) -> &[ThreeD] {
        self.own.get(&value).map_or(&self.general, std::slice::from_ref)
    }

    /// Every value has so many slots, one for each of its points.
    fn width(&self) -> usize {
        self.general.len().max(1)
    }

    /// The slots of a value.
    fn slots_of(&self, value: u32) -> std::ops::Range<usize> {
        let first = value as usize * self.width();
        first..first + self.points_of(value).len()
    }

    /// What is reached where the value of a slot has this chance; 0 where nothing is promised.
    fn measure_at(&self, slot: usize, chance: f64) -> f64 {
        let point = self.points_of((slot / self.width()) as u32).get(slot % self.width());
        point.map_or(0.0, |point| self.measure(point, chance))
    }

    /// What a bucket says of each value that occurs in it, at each of its points.
    fn facts(&self, counts: impl Iterator<Item = (u32, u32)> + Clone, mut say: impl FnMut(Facts)) {
        let occurring = counts.filter(|(_, count)| *count > 0);
        let mut ranked: Vec<u64> = occurring.clone().map(|(_, count)| count.into()).collect();
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        let mut rows = 0;
        let mut up_to = ranked;
        for sum in &mut up_to {
            rows += *sum;
            *sum = rows;
        }
        up_to.insert(0, 0);
        for (value, count) in occurring {
            for (slot, point) in self.slots_of(value).zip(self.points_of(value)) {
                say(point.facts(slot, rows, count.into(), &up_to));
            }
        }
    }
}
