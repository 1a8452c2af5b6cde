//! The demo: a hospital's admissions, made by a seeded generator, with a job that anonymizes them.
//!
//! Nobody in the data exists. The same number of rows and the same seed give the same bytes on every machine, and
//! the first n rows of a larger data set are the smaller one. Each row is one patient's first admission, so a
//! record is a person, which is what k-anonymity counts.

mod calendar;
mod files;
mod hospital;
mod names;
mod people;
mod random;

pub use files::{DemoError, DemoFiles, write_demo};

use std::io::{self, Write};

use calendar::Date;
use hospital::{DIAGNOSES, Hospital};
use people::{OCCUPATIONS, Population, Sex};
use random::Random;

/// How many rows the demo has.
pub const ROWS: usize = 20_000;
/// The seed of the demo.
pub const SEED: u64 = 2024;

/// The header of the data, which is the order of the columns.
pub const COLUMNS: [&str; 10] = [
    "patient_id",
    "name",
    "birth_date",
    "sex",
    "postcode",
    "occupation",
    "admission_date",
    "length_of_stay",
    "diagnosis",
    "cost",
];

/// Invented admissions to an invented hospital.
#[derive(Debug, Clone)]
pub struct Admissions {
    records: Vec<Admission>,
    surnames: Vec<String>,
}

/// One row. Days count from 1970-01-01.
#[derive(Debug, Clone, Copy)]
struct Admission {
    patient_id: u64,
    first_name: &'static str,
    surname: u16,
    birth: i32,
    sex: Sex,
    postcode: u32,
    occupation: Option<u8>,
    admitted: i32,
    stay: hospital::Stay,
}

/// Makes so many admissions.
pub fn admissions(rows: usize, seed: u64) -> Admissions {
    let population = Population::new();
    let hospital = Hospital::new();
    let mut random = Random::new(seed);
    let records = (0..rows as u64)
        .map(|i| {
            let person = population.person(&mut random);
            let admitted = hospital.day(&mut random);
            let date = Date::from_days(admitted);
            let stay = hospital.stay(&mut random, &person, date.month);
            let since_birthday = hospital::days_since_birthday(&mut random, stay.diagnosis);
            let birth = date.years_before(i32::from(person.age)).days() - since_birthday;
            let (first_name, surname) = population.name(&mut random, person.sex, Date::from_days(birth).year);
            Admission {
                // The factor has none in common with ten: every patient gets a number of their own.
                patient_id: (i.wrapping_mul(7_368_787_013) + 1_234_567_891) % 10_000_000_000,
                first_name,
                surname,
                birth,
                sex: person.sex,
                postcode: person.postcode,
                occupation: person.occupation,
                admitted,
                stay,
            }
        })
        .collect();
    Admissions { records, surnames: population.surnames }
}

impl Admissions {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.records.len()
    }

    /// Writes a CSV file with a header, comma-separated, UTF-8. An occupation that nobody asked for is empty.
    ///
    /// # Errors
    /// When the sink fails.
    pub fn write_csv<W: Write>(&self, mut sink: W) -> io::Result<()> {
        const BLOCK: usize = 1 << 16;
        let mut block = Vec::with_capacity(BLOCK + 256);
        block.extend_from_slice(COLUMNS.join(",").as_bytes());
        block.push(b'\n');
        for record in &self.records {
            self.row(record, &mut block);
            if block.len() >= BLOCK {
                sink.write_all(&block)?;
                block.clear();
            }
        }
        sink.write_all(&block)
    }

    /// The CSV file as bytes.
    pub fn csv(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(100 * (self.records.len() + 2));
        let written = self.write_csv(&mut bytes);
        debug_assert!(written.is_ok(), "a vector takes every byte");
        bytes
    }

    fn row(&self, record: &Admission, out: &mut Vec<u8>) {
        out.push(b'P');
        digits(out, record.patient_id, 10);
        out.push(b',');
        out.extend_from_slice(record.first_name.as_bytes());
        out.push(b' ');
        out.extend_from_slice(self.surnames[record.surname as usize].as_bytes());
        out.push(b',');
        date(out, record.birth);
        out.push(b',');
        out.extend_from_slice(record.sex.word().as_bytes());
        out.push(b',');
        digits(out, u64::from(record.postcode), 5);
        out.push(b',');
        if let Some(occupation) = record.occupation {
            out.extend_from_slice(OCCUPATIONS[occupation as usize].name.as_bytes());
        }
        out.push(b',');
        date(out, record.admitted);
        out.push(b',');
        digits(out, u64::from(record.stay.days), 1);
        out.push(b',');
        out.extend_from_slice(DIAGNOSES[record.stay.diagnosis as usize].name.as_bytes());
        out.push(b',');
        digits(out, u64::from(record.stay.cost), 1);
        out.push(b'\n');
    }
}

/// A number with at least so many digits.
fn digits(out: &mut Vec<u8>, mut number: u64, least: usize) {
    let mut buffer = [b'0'; 20];
    let mut start = buffer.len();
    while number > 0 || buffer.len() - start < least {
        start -= 1;
        buffer[start] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&buffer[start..]);
}

fn date(out: &mut Vec<u8>, days: i32) {
    let Date { year, month, day } = Date::from_days(days);
    digits(out, year.unsigned_abs().into(), 4);
    out.push(b'-');
    digits(out, month.into(), 2);
    out.push(b'-');
    digits(out, day.into(), 2);
}

#[cfg(test)]
mod tests;
