//! Who comes to the hospital: sex, age, home and occupation of people who do not exist.
//!
//! The shares are plausible, not measured: newborns, women between 20 and 40, and the old are over-represented
//! as in any hospital; most patients live near it; work depends on age, sex and place.

use super::names;
use super::random::{Random, Weighted, zipf};

/// The two sexes on the hospital's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sex {
    Female,
    Male,
}

impl Sex {
    pub(super) fn word(self) -> &'static str {
        match self {
            Sex::Female => "female",
            Sex::Male => "male",
        }
    }
}

/// The oldest age that occurs.
pub(super) const OLDEST: usize = 101;

/// Ages between which the weight of an age runs straight: (age, women, men).
const PYRAMID: [(usize, f64, f64); 15] = [
    (0, 26.0, 29.0),
    (1, 6.0, 7.5),
    (5, 2.6, 3.2),
    (12, 2.0, 2.4),
    (17, 3.6, 3.4),
    (23, 6.5, 3.8),
    (30, 13.0, 3.8),
    (36, 8.5, 4.2),
    (44, 5.0, 5.2),
    (55, 7.0, 9.0),
    (65, 9.5, 12.5),
    (75, 13.5, 15.0),
    (84, 16.0, 12.5),
    (92, 5.5, 3.0),
    (OLDEST, 0.15, 0.05),
];

/// An occupation: its name, its group, and its weight among working men, women, and people of small places.
pub(super) struct Occupation {
    pub(super) name: &'static str,
    pub(super) group: &'static str,
    pub(super) status: &'static str,
    weights: [f64; 2],
    rural: f64,
}

const fn work(name: &'static str, group: &'static str, women: f64, men: f64, rural: f64) -> Occupation {
    Occupation { name, group, status: "Employed", weights: [women, men], rural }
}

const fn no_work(name: &'static str, group: &'static str) -> Occupation {
    Occupation { name, group, status: "Not employed", weights: [0.0, 0.0], rural: 1.0 }
}

/// All occupations; those without employment come first.
pub(super) const OCCUPATIONS: [Occupation; 33] = [
    no_work("Child", "Child or in education"),
    no_work("Pupil", "Child or in education"),
    no_work("Student", "Child or in education"),
    no_work("Retired", "Retired"),
    no_work("Homemaker", "Without employment"),
    no_work("Unemployed", "Without employment"),
    work("Nurse", "Health and care", 7.0, 1.3, 1.0),
    work("Care assistant", "Health and care", 5.0, 1.0, 1.2),
    work("Physician", "Health and care", 1.4, 1.3, 0.5),
    work("Pharmacist", "Health and care", 0.6, 0.2, 0.8),
    work("Teacher", "Education", 5.2, 2.1, 0.9),
    work("Childcare worker", "Education", 4.2, 0.4, 1.1),
    work("Clerk", "Office", 11.0, 4.5, 0.9),
    work("Accountant", "Office", 2.6, 2.0, 0.6),
    work("Civil servant", "Office", 3.3, 3.2, 0.8),
    work("Manager", "Office", 2.2, 4.8, 0.5),
    work("Engineer", "Technical", 1.1, 4.9, 0.6),
    work("Software developer", "Technical", 0.8, 3.6, 0.3),
    work("Electrician", "Technical", 0.1, 4.0, 1.3),
    work("Mechanic", "Technical", 0.2, 5.1, 1.4),
    work("Carpenter", "Crafts and production", 0.1, 2.8, 1.7),
    work("Construction worker", "Crafts and production", 0.1, 4.4, 1.4),
    work("Factory worker", "Crafts and production", 2.8, 6.6, 1.2),
    work("Farmer", "Crafts and production", 0.6, 1.3, 7.0),
    work("Baker", "Crafts and production", 0.7, 0.8, 1.2),
    work("Salesperson", "Services", 7.6, 3.0, 0.9),
    work("Cook", "Services", 1.6, 1.7, 0.9),
    work("Hairdresser", "Services", 1.9, 0.2, 1.0),
    work("Cleaner", "Services", 4.3, 0.9, 0.9),
    work("Police officer", "Services", 0.5, 1.3, 0.9),
    work("Truck driver", "Transport", 0.1, 4.3, 1.6),
    work("Warehouse worker", "Transport", 1.2, 3.9, 1.1),
    work("Lawyer", "Professions", 0.5, 0.6, 0.3),
];

const CHILD: u8 = 0;
const PUPIL: u8 = 1;
const STUDENT: u8 = 2;
const RETIRED: u8 = 3;
const HOMEMAKER: u8 = 4;
const UNEMPLOYED: u8 = 5;

/// The big cities: first postcode, how many postcodes, weight. The hospital stands in the first.
const CITIES: [(u32, u32, f64); 9] = [
    (47_001, 24, 360.0),
    (44_101, 9, 85.0),
    (49_201, 6, 48.0),
    (42_301, 5, 36.0),
    (51_001, 12, 40.0),
    (30_101, 18, 22.0),
    (10_001, 30, 5.0),
    (80_001, 16, 2.0),
    (20_001, 14, 2.0),
];

/// Per first digit of the postcode how many of the patients from small places live there.
const REGIONS: [f64; 9] = [0.003, 0.003, 0.04, 0.815, 0.12, 0.01, 0.004, 0.003, 0.002];

/// A postcode: the number, and whether it belongs to a small place.
#[derive(Debug, Clone, Copy)]
struct Postcode {
    number: u32,
    rural: bool,
}

/// Draws people.
pub(super) struct Population {
    sexes_and_ages: Weighted,
    first_names: [[Weighted; 3]; 2],
    surname: Weighted,
    pub(super) surnames: Vec<String>,
    postcodes: Vec<Postcode>,
    postcode: Weighted,
    /// By sex and then by kind of place: city, small place.
    work: [[Weighted; 2]; 2],
}

/// A person, without the dates, which depend on the admission.
#[derive(Debug, Clone, Copy)]
pub(super) struct Person {
    pub(super) sex: Sex,
    pub(super) age: u8,
    pub(super) postcode: u32,
    pub(super) occupation: Option<u8>,
}

impl Population {
    pub(super) fn new() -> Self {
        let (postcodes, weights) = country();
        let names =
            |lists: [&[&str]; 3]| lists.map(|list| Weighted::new(&zipf(list.len(), 4.0).collect::<Vec<_>>()));
        let surnames = names::surnames();
        let work = |sex: usize, rural: bool| {
            let weight = |o: &Occupation| o.weights[sex] * if rural { o.rural } else { 1.0 };
            Weighted::new(&OCCUPATIONS.iter().map(weight).collect::<Vec<_>>())
        };
        Self {
            sexes_and_ages: Weighted::new(&pyramid()),
            first_names: [names(names::WOMEN), names(names::MEN)],
            surname: Weighted::new(&zipf(surnames.len(), 6.0).collect::<Vec<_>>()),
            surnames,
            postcodes,
            postcode: Weighted::new(&weights),
            work: [[work(0, false), work(0, true)], [work(1, false), work(1, true)]],
        }
    }

    pub(super) fn person(&self, random: &mut Random) -> Person {
        let drawn = self.sexes_and_ages.draw(random);
        let sex = if drawn <= OLDEST { Sex::Female } else { Sex::Male };
        let age = (drawn % (OLDEST + 1)) as u8;
        let Postcode { number, rural } = self.postcodes[self.postcode.draw(random)];
        let occupation = self.occupation(random, sex, age, rural);
        Person { sex, age, postcode: number, occupation }
    }

    /// What the form says, or nothing: emergencies leave the field empty more often than others.
    fn occupation(&self, random: &mut Random, sex: Sex, age: u8, rural: bool) -> Option<u8> {
        let u = random.unit();
        let working = self.work[sex as usize][usize::from(rural)].draw(random) as u8;
        if age >= 16 && random.chance(0.035) {
            return None;
        }
        let homemaker = if sex == Sex::Female { 0.09 } else { 0.01 };
        let alternatives: &[(u8, f64)] = match age {
            0..=5 => &[(CHILD, 1.0)],
            6..=15 => &[(PUPIL, 1.0)],
            16..=18 => &[(PUPIL, 0.62), (UNEMPLOYED, 0.04)],
            19..=25 => &[(STUDENT, 0.38), (UNEMPLOYED, 0.07), (HOMEMAKER, homemaker * 0.5)],
            26..=30 => &[(STUDENT, 0.07), (UNEMPLOYED, 0.06), (HOMEMAKER, homemaker)],
            31..=57 => &[(UNEMPLOYED, 0.06), (HOMEMAKER, homemaker)],
            58..=62 => &[(RETIRED, 0.17), (UNEMPLOYED, 0.07), (HOMEMAKER, homemaker)],
            63..=66 => &[(RETIRED, 0.68), (HOMEMAKER, homemaker * 0.5)],
            67..=72 => &[(RETIRED, 0.94)],
            _ => &[(RETIRED, 1.0)],
        };
        let mut reached = 0.0;
        for &(occupation, share) in alternatives {
            reached += share;
            if u < reached {
                return Some(occupation);
            }
        }
        Some(working)
    }

    /// Positions of a first name and of a surname for somebody born in this year: generations overlap.
    pub(super) fn name(&self, random: &mut Random, sex: Sex, birth_year: i32) -> (&'static str, u16) {
        let shifted = birth_year + random.below(17) as i32 - 8;
        let generation = usize::from(shifted >= 1960) + usize::from(shifted >= 1995);
        let lists = if sex == Sex::Female { &names::WOMEN } else { &names::MEN };
        let first = self.first_names[sex as usize][generation].draw(random);
        (lists[generation][first], self.surname.draw(random) as u16)
    }
}

/// The weight of every age of women, then of men.
fn pyramid() -> Vec<f64> {
    let mut weights = vec![0.0; 2 * (OLDEST + 1)];
    for pair in PYRAMID.windows(2) {
        let ((from, women, men), (to, next_women, next_men)) = (pair[0], pair[1]);
        for age in from..=to {
            let share = (age - from) as f64 / (to - from) as f64;
            weights[age] = women + share * (next_women - women);
            weights[OLDEST + 1 + age] = men + share * (next_men - men);
        }
    }
    weights
}

/// The postcodes of an invented country: a few cities, and small places that follow Zipf's law.
fn country() -> (Vec<Postcode>, Vec<f64>) {
    let mut postcodes = Vec::new();
    let mut weights = Vec::new();
    for (first, count, weight) in CITIES {
        // Quarters of a city differ in size, too.
        let shares: Vec<f64> = zipf(count as usize, 3.0).collect();
        let total: f64 = shares.iter().sum();
        for (i, share) in shares.into_iter().enumerate() {
            postcodes.push(Postcode { number: first + 2 * i as u32, rural: false });
            weights.push(weight * share / total);
        }
    }
    // The country is the same whatever the seed of its people.
    let mut random = Random::new(4711);
    let city_districts: Vec<u32> = CITIES.iter().map(|(first, ..)| first / 100).collect();
    for (region, share) in REGIONS.into_iter().enumerate() {
        let mut places = Vec::new();
        let count = if share > 0.1 { 110 } else { 45 };
        while places.len() < count {
            let number = 10_000 * (region as u32 + 1) + 10 * random.below(1_000) as u32;
            if !city_districts.contains(&(number / 100)) && !places.contains(&number) {
                places.push(number);
            }
        }
        let shares: Vec<f64> = zipf(count, 3.0).collect();
        let total: f64 = shares.iter().sum();
        postcodes.extend(places.into_iter().map(|number| Postcode { number, rural: true }));
        weights.extend(shares.into_iter().map(|s| 430.0 * share * s / total));
    }
    (postcodes, weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn postcodes_have_five_digits_and_none_twice() {
        let (postcodes, weights) = country();
        let distinct: HashSet<u32> = postcodes.iter().map(|p| p.number).collect();
        assert_eq!(distinct.len(), postcodes.len());
        assert_eq!(weights.len(), postcodes.len());
        assert!(distinct.iter().all(|n| (10_000..100_000).contains(n)));
    }

    #[test]
    fn every_working_person_has_work() {
        assert!(OCCUPATIONS[..6].iter().all(|o| o.status == "Not employed"));
        assert!(
            OCCUPATIONS[6..].iter().all(|o| o.status == "Employed" && o.weights.iter().all(|&w| w > 0.0))
        );
        assert_eq!(OCCUPATIONS[RETIRED as usize].name, "Retired");
        assert_eq!(OCCUPATIONS[UNEMPLOYED as usize].name, "Unemployed");
        let names: HashSet<&str> = OCCUPATIONS.iter().map(|o| o.name).collect();
        assert_eq!(names.len(), OCCUPATIONS.len());
    }

    #[test]
    fn the_pyramid_has_its_bumps() {
        let weights = pyramid();
        assert!(weights[0] > 4.0 * weights[3]);
        assert!(weights[30] > 3.0 * weights[OLDEST + 1 + 30]);
        assert!(weights[80] > 2.0 * weights[45]);
        assert!(weights.iter().all(|&w| w > 0.0));
    }
}
