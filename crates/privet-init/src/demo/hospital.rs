//! Why people are there and what it takes: diagnosis, admission date, days of stay, cost.
//!
//! A diagnosis depends on age, sex and season; the stay and the cost on the diagnosis and the age.

use super::calendar::{Date, weekday};
use super::people::Person;
#[cfg(test)]
use super::people::Sex;
use super::random::{Random, Weighted};

/// The first day on which somebody is admitted.
pub(super) const FIRST_DAY: Date = Date::new(2023, 1, 1);
/// The last one.
pub(super) const LAST_DAY: Date = Date::new(2024, 12, 31);

/// The ages at which the bands of [`Diagnosis::bands`] begin. Pregnancy is between 16 and 48, diseases of the
/// prostate begin at 46.
const BANDS: [u8; 11] = [0, 1, 5, 16, 25, 35, 46, 49, 60, 70, 80];

/// A diagnosis and how it is distributed.
pub(super) struct Diagnosis {
    pub(super) name: &'static str,
    pub(super) chapter: &'static str,
    /// Its weight in each band of age.
    bands: [f64; 11],
    /// How much more or less often women and men have it.
    sexes: [f64; 2],
    /// How much more often it is in winter than in summer.
    winter: f64,
    /// The median stay in days at the age of 40.
    stay: f64,
    /// The cost at admission, and of each day.
    cost: [f64; 2],
}

const fn diagnosis(
    chapter: &'static str,
    name: &'static str,
    bands: [f64; 11],
    sexes: [f64; 2],
    winter: f64,
    stay: f64,
    cost: [f64; 2],
) -> Diagnosis {
    Diagnosis { name, chapter, bands, sexes, winter, stay, cost }
}

const BOTH: [f64; 2] = [1.0, 1.0];
const WOMEN: [f64; 2] = [1.0, 0.0];
const MEN: [f64; 2] = [0.0, 1.0];

/// Weights by age:                                   0    1    5   16   25   35   46   49   60   70   80
#[rustfmt::skip]
pub(super) const DIAGNOSES: [Diagnosis; 46] = [
    diagnosis("Circulatory", "Heart failure",           [0.2, 0.0, 0.0, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 8.5,12.0], BOTH, 1.3, 8.0, [900.0, 420.0]),
    diagnosis("Circulatory", "Myocardial infarction",   [0.0, 0.0, 0.0, 0.0, 0.2, 1.2, 3.0, 5.0, 6.0, 5.0, 4.0], [0.6, 1.4], 1.2, 6.0, [5200.0, 680.0]),
    diagnosis("Circulatory", "Angina pectoris",         [0.0, 0.0, 0.0, 0.0, 0.2, 1.0, 2.5, 4.5, 5.5, 5.0, 3.0], [0.7, 1.3], 1.1, 3.0, [2100.0, 450.0]),
    diagnosis("Circulatory", "Atrial fibrillation",     [0.0, 0.0, 0.0, 0.2, 0.4, 0.8, 1.6, 3.0, 5.0, 6.0, 5.5], BOTH, 1.0, 3.5, [800.0, 430.0]),
    diagnosis("Circulatory", "Stroke",                  [0.1, 0.0, 0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 4.5, 6.0, 7.5], BOTH, 1.1, 9.0, [3100.0, 640.0]),
    diagnosis("Circulatory", "Varicose veins",          [0.0, 0.0, 0.0, 0.3, 1.0, 1.8, 2.0, 2.0, 1.5, 0.7, 0.2], [1.5, 0.6], 0.9, 2.0, [1700.0, 320.0]),
    diagnosis("Respiratory", "Pneumonia",               [5.0, 6.0, 2.5, 1.2, 0.9, 1.2, 1.4, 2.2, 3.2, 5.0, 8.0], BOTH, 1.9, 7.0, [700.0, 410.0]),
    diagnosis("Respiratory", "Influenza",               [3.0, 5.0, 3.0, 1.5, 1.2, 1.0, 1.0, 1.2, 1.5, 2.2, 3.0], BOTH,14.0, 5.0, [500.0, 380.0]),
    diagnosis("Respiratory", "Chronic obstructive lung disease", [0.0, 0.0, 0.0, 0.0, 0.1, 0.5, 1.4, 3.0, 4.5, 4.5, 3.0], [0.8, 1.2], 1.4, 7.0, [800.0, 400.0]),
    diagnosis("Respiratory", "Asthma",                  [0.5, 4.0, 5.0, 2.0, 1.0, 0.9, 0.8, 0.7, 0.5, 0.4, 0.3], BOTH, 1.2, 3.5, [500.0, 370.0]),
    diagnosis("Respiratory", "Acute bronchitis",        [7.0, 6.0, 1.5, 0.8, 0.5, 0.5, 0.5, 0.6, 0.7, 0.9, 1.2], BOTH, 2.6, 4.0, [400.0, 360.0]),
    diagnosis("Respiratory", "Chronic tonsillitis",     [0.0, 3.0, 6.0, 7.0, 3.0, 1.2, 0.4, 0.2, 0.1, 0.0, 0.0], [1.2, 0.9], 1.0, 4.0, [1300.0, 340.0]),
    diagnosis("Digestive", "Appendicitis",              [0.1, 1.0, 9.0, 9.0, 4.5, 2.8, 1.8, 1.3, 1.0, 0.7, 0.4], BOTH, 0.9, 4.0, [2400.0, 390.0]),
    diagnosis("Digestive", "Gallstones",                [0.0, 0.0, 0.1, 1.5, 4.0, 4.5, 4.5, 4.2, 3.5, 2.6, 1.8], [1.4, 0.6], 1.0, 4.0, [2700.0, 390.0]),
    diagnosis("Digestive", "Inguinal hernia",           [1.5, 2.0, 1.2, 1.0, 1.2, 1.8, 2.5, 3.2, 3.2, 2.5, 1.2], [0.3, 1.7], 0.9, 2.0, [2000.0, 350.0]),
    diagnosis("Digestive", "Gastroenteritis",           [6.0, 9.0, 4.5, 3.0, 1.6, 1.2, 1.2, 1.3, 1.4, 1.9, 2.6], BOTH, 1.5, 3.0, [350.0, 360.0]),
    diagnosis("Digestive", "Gastric ulcer",             [0.0, 0.0, 0.1, 0.6, 0.9, 1.3, 1.6, 2.0, 2.0, 2.0, 2.0], [0.8, 1.2], 1.1, 5.0, [1300.0, 410.0]),
    diagnosis("Digestive", "Alcoholic liver disease",   [0.0, 0.0, 0.0, 0.1, 0.6, 1.6, 2.4, 2.8, 2.0, 0.8, 0.2], [0.5, 1.5], 1.0, 8.0, [900.0, 430.0]),
    diagnosis("Injury", "Fracture of femur",            [0.0, 0.5, 0.6, 0.6, 0.4, 0.5, 0.7, 1.1, 2.0, 4.5,10.0], [1.3, 0.7], 1.3,11.0, [5600.0, 430.0]),
    diagnosis("Injury", "Fracture of forearm",          [0.0, 2.0, 7.0, 2.0, 1.3, 1.4, 1.7, 2.0, 2.1, 2.2, 2.3], BOTH, 1.1, 3.0, [2300.0, 360.0]),
    diagnosis("Injury", "Fracture of lower leg",        [0.0, 0.9, 2.2, 2.5, 2.3, 2.6, 2.6, 2.4, 1.7, 1.2, 1.0], BOTH, 1.2, 6.0, [3300.0, 380.0]),
    diagnosis("Injury", "Concussion",                   [4.0, 8.0, 9.0, 6.0, 2.2, 1.5, 1.2, 1.1, 1.2, 2.0, 4.0], [0.9, 1.1], 0.9, 1.5, [300.0, 390.0]),
    diagnosis("Injury", "Injury of knee ligaments",     [0.0, 0.0, 1.2, 5.0, 4.5, 4.0, 2.8, 1.8, 0.6, 0.1, 0.0], [0.7, 1.3], 1.1, 2.5, [2900.0, 370.0]),
    diagnosis("Injury", "Burn",                         [0.6, 2.2, 0.6, 0.5, 0.5, 0.5, 0.4, 0.4, 0.3, 0.3, 0.3], [0.8, 1.2], 1.1, 7.0, [2100.0, 620.0]),
    diagnosis("Musculoskeletal", "Osteoarthritis of hip",  [0.0, 0.0, 0.0, 0.0, 0.1, 0.6, 1.8, 3.4, 5.0, 5.0, 2.0], [1.1, 0.9], 0.9, 8.0, [6400.0, 370.0]),
    diagnosis("Musculoskeletal", "Osteoarthritis of knee", [0.0, 0.0, 0.0, 0.0, 0.1, 0.5, 1.6, 3.2, 4.8, 4.6, 1.4], [1.2, 0.8], 0.9, 8.0, [6100.0, 370.0]),
    diagnosis("Musculoskeletal", "Intervertebral disc disorder", [0.0, 0.0, 0.2, 1.4, 3.4, 5.0, 5.0, 4.2, 2.8, 1.8, 0.9], BOTH, 1.0, 6.0, [1500.0, 370.0]),
    diagnosis("Neoplasms", "Breast cancer",             [0.0, 0.0, 0.0, 0.1, 0.8, 3.0, 5.0, 5.0, 4.2, 3.2, 2.0], [1.0, 0.01], 1.0, 5.0, [4300.0, 440.0]),
    diagnosis("Neoplasms", "Lung cancer",               [0.0, 0.0, 0.0, 0.0, 0.1, 0.5, 1.4, 3.0, 4.0, 3.2, 1.4], [0.7, 1.3], 1.0, 7.0, [3900.0, 520.0]),
    diagnosis("Neoplasms", "Colon cancer",              [0.0, 0.0, 0.0, 0.1, 0.3, 0.7, 1.3, 2.2, 3.2, 3.6, 2.6], BOTH, 1.0,10.0, [6200.0, 490.0]),
    diagnosis("Neoplasms", "Prostate cancer",           [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.6, 3.0, 5.5, 4.5, 2.2], MEN, 1.0, 6.0, [5300.0, 430.0]),
    diagnosis("Neoplasms", "Leukaemia",                 [0.2, 1.6, 1.2, 0.5, 0.4, 0.4, 0.5, 0.7, 1.0, 1.1, 0.7], BOTH, 1.0,14.0, [4800.0, 760.0]),
    diagnosis("Pregnancy and birth", "Spontaneous delivery", [0.0, 0.0, 0.0,14.0,60.0,16.0, 0.1, 0.0, 0.0, 0.0, 0.0], WOMEN, 1.0, 3.0, [1600.0, 330.0]),
    diagnosis("Pregnancy and birth", "Caesarean section",    [0.0, 0.0, 0.0, 4.0,24.0, 9.0, 0.1, 0.0, 0.0, 0.0, 0.0], WOMEN, 1.0, 5.0, [3200.0, 350.0]),
    diagnosis("Pregnancy and birth", "Complication of pregnancy", [0.0, 0.0, 0.0, 6.0,15.0, 6.0, 0.1, 0.0, 0.0, 0.0, 0.0], WOMEN, 1.0, 3.0, [600.0, 360.0]),
    diagnosis("Perinatal", "Prematurity",               [24.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], BOTH, 1.0,18.0, [2600.0, 690.0]),
    diagnosis("Perinatal", "Neonatal jaundice",         [22.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], BOTH, 1.0, 3.0, [300.0, 390.0]),
    diagnosis("Mental", "Depressive episode",           [0.0, 0.0, 1.2, 5.5, 4.2, 4.6, 4.6, 4.0, 2.2, 1.4, 0.9], [1.3, 0.7], 1.2,24.0, [500.0, 270.0]),
    diagnosis("Mental", "Alcohol dependence",           [0.0, 0.0, 0.1, 3.0, 4.5, 6.5, 7.0, 5.0, 2.2, 0.6, 0.1], [0.5, 1.5], 1.1, 9.0, [400.0, 290.0]),
    diagnosis("Mental", "Schizophrenia",                [0.0, 0.0, 0.0, 2.2, 3.0, 2.8, 2.2, 1.6, 0.8, 0.4, 0.1], [0.8, 1.2], 1.0,26.0, [500.0, 280.0]),
    diagnosis("Genitourinary", "Urinary tract infection", [3.5, 2.2, 1.2, 2.2, 1.4, 1.0, 1.0, 1.2, 1.8, 3.2, 5.5], [1.5, 0.6], 0.9, 5.0, [400.0, 370.0]),
    diagnosis("Genitourinary", "Kidney stones",         [0.0, 0.0, 0.2, 1.6, 3.0, 4.2, 4.2, 3.6, 2.6, 1.5, 0.7], [0.6, 1.4], 0.7, 2.5, [1700.0, 360.0]),
    diagnosis("Genitourinary", "Enlarged prostate",     [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4, 2.2, 4.5, 4.8, 2.8], MEN, 1.0, 5.0, [3100.0, 370.0]),
    diagnosis("Endocrine", "Diabetes mellitus",         [0.1, 1.0, 2.2, 1.4, 1.0, 1.4, 2.0, 2.8, 3.2, 3.2, 2.8], BOTH, 1.0, 8.0, [700.0, 370.0]),
    diagnosis("Nervous", "Epilepsy",                    [3.0, 5.0, 4.0, 3.0, 1.8, 1.5, 1.4, 1.4, 1.4, 1.6, 1.6], BOTH, 1.0, 4.0, [800.0, 420.0]),
    diagnosis("Infectious", "HIV disease",              [0.0, 0.0, 0.0, 0.2, 0.7, 0.8, 0.7, 0.5, 0.2, 0.1, 0.0], [0.3, 1.7], 1.0, 9.0, [1900.0, 480.0]),
];

/// How much busier a day of the week is, from Monday.
const WEEK: [f64; 7] = [1.32, 1.18, 1.12, 1.10, 0.98, 0.66, 0.64];
/// How much busier a month is.
const YEAR: [f64; 12] = [1.14, 1.15, 1.07, 0.98, 0.96, 0.95, 0.93, 0.91, 0.96, 0.99, 1.02, 0.98];
/// How much of winter there is in a month.
const WINTER: [f64; 12] = [1.0, 1.0, 0.55, 0.2, 0.05, 0.0, 0.0, 0.0, 0.05, 0.15, 0.4, 0.85];

/// Draws what happens to a person in the hospital.
pub(super) struct Hospital {
    day: Weighted,
    /// By band of age, sex and month.
    diagnosis: Vec<Weighted>,
}

/// A stay.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stay {
    pub(super) diagnosis: u8,
    pub(super) days: u16,
    pub(super) cost: u32,
}

impl Hospital {
    pub(super) fn new() -> Self {
        let first = FIRST_DAY.days();
        let day = |day: i32| WEEK[weekday(day)] * YEAR[Date::from_days(day).month as usize - 1];
        let mut tables = Vec::new();
        for band in 0..BANDS.len() {
            for sex in 0..2 {
                for winter in WINTER {
                    let weight = |d: &Diagnosis| {
                        // Summer has weight 1 and winter `winter`, scaled so that a year keeps its sum roughly.
                        let season = (1.0 + winter * (d.winter - 1.0)) / (1.0 + 0.35 * (d.winter - 1.0));
                        d.bands[band] * d.sexes[sex] * season
                    };
                    tables.push(Weighted::new(&DIAGNOSES.iter().map(weight).collect::<Vec<_>>()));
                }
            }
        }
        Self {
            day: Weighted::new(&(first..=LAST_DAY.days()).map(day).collect::<Vec<_>>()),
            diagnosis: tables,
        }
    }

    /// The day of an admission, since 1970-01-01.
    pub(super) fn day(&self, random: &mut Random) -> i32 {
        FIRST_DAY.days() + self.day.draw(random) as i32
    }

    pub(super) fn stay(&self, random: &mut Random, person: &Person, month: u32) -> Stay {
        let band = BANDS.partition_point(|&from| from <= person.age) - 1;
        let table = (band * 2 + person.sex as usize) * 12 + month as usize - 1;
        let drawn = self.diagnosis[table].draw(random);
        let diagnosis = &DIAGNOSES[drawn];
        let age = f64::from(person.age);
        let slower = if age > 40.0 { 1.0 + (age - 40.0) / 110.0 } else { 1.0 };
        let days = (diagnosis.stay * slower * random.log_normal(0.55)).clamp(1.0, 180.0) as u16;
        let [admission, each_day] = diagnosis.cost;
        let cost = (admission + each_day * f64::from(days)) * (0.95 + age / 600.0) * random.log_normal(0.22);
        Stay { diagnosis: drawn as u8, days, cost: (cost / 10.0) as u32 * 10 }
    }
}

/// Days between birth and admission beyond the whole years: those born early or with jaundice are days old.
pub(super) fn days_since_birthday(random: &mut Random, diagnosis: u8) -> i32 {
    let perinatal = DIAGNOSES[diagnosis as usize].chapter == "Perinatal";
    random.below(if perinatal { 6 } else { 365 }) as i32
}

/// Whether only women can have it, or only men.
#[cfg(test)]
pub(super) fn only(diagnosis: &Diagnosis) -> Option<Sex> {
    match diagnosis.sexes {
        [0.0, _] => Some(Sex::Male),
        [_, 0.0] => Some(Sex::Female),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn diagnoses_differ_and_every_band_has_some() {
        let names: HashSet<&str> = DIAGNOSES.iter().map(|d| d.name).collect();
        assert_eq!(names.len(), DIAGNOSES.len());
        for band in 0..BANDS.len() {
            for sex in 0..2 {
                assert!(DIAGNOSES.iter().filter(|d| d.bands[band] * d.sexes[sex] > 0.0).count() >= 10);
            }
        }
        assert_eq!(DIAGNOSES.iter().filter(|d| only(d) == Some(Sex::Female)).count(), 3);
        assert_eq!(DIAGNOSES.iter().filter(|d| only(d) == Some(Sex::Male)).count(), 2);
    }
}
