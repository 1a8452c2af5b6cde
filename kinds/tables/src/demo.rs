//! The story of `privet demo --shape tables`: a small clinic with patients, visits and diagnoses, generated.

use privet_data::Random;
use privet_kind::Demo;

const PEOPLE: usize = 400;

/// What a job of the story has of its own.
struct Chapter {
    /// What follows `release` and `home` in the names of its folders.
    ending: &'static str,
    /// The role of the ward of a visit, and how many visits of a person are published.
    visits: &'static str,
    suppress_at_most: f64,
    privacy: &'static str,
}

const NAIVE: Chapter = Chapter {
    ending: "-naive",
    visits: "[tables.columns]\nday = { role = \"date\" }\nward = { role = \"insensitive\" }",
    suppress_at_most: 0.0,
    privacy: "k-anonymity = 1",
};
const PATIENTS: Chapter =
    Chapter { ending: "", suppress_at_most: 0.05, privacy: "k-anonymity = 5\nl-diversity = 1.25", ..NAIVE };
const WARDS: Chapter = Chapter {
    ending: "-wards",
    visits: "at-most = 2\n[tables.columns]\nday = { role = \"date\" }\nward = { role = \"quasi\" }",
    suppress_at_most: 0.2,
    ..PATIENTS
};

impl Chapter {
    fn job(&self) -> Vec<u8> {
        let Self { ending, visits, suppress_at_most, privacy } = self;
        let text = format!(
            r#"kind = "tables"

[[tables]]
name = "patients"
path = "patients.csv"
person = "patient"
key = "patient"
[tables.columns]
born = {{ role = "quasi", hierarchy = {{ intervals = [10, 20, 40], min = 1900 }} }}
sex = {{ role = "quasi" }}
district = {{ role = "quasi" }}

[[tables]]
name = "visits"
path = "visits.csv"
person = "patient"
key = "visit"
{visits}

[[tables]]
name = "diagnoses"
path = "diagnoses.csv"
person = "patient"
references = {{ visit = "visits" }}
[tables.columns]
diagnosis = {{ role = "sensitive" }}

[people]
shift-dates = 180
suppress-at-most = {suppress_at_most:?}

[privacy]
{privacy}

[output]
folder = "release{ending}"
home = "home{ending}"
replace = true
"#
        );
        text.into_bytes()
    }
}

pub fn demo() -> Demo {
    let mut random = Random::new(20);
    let mut below = |most: usize| random.below(most);
    let (mut patients, mut visits, mut diagnoses) = (
        "patient,born,sex,district\n".to_owned(),
        "visit,patient,day,ward\n".to_owned(),
        "visit,patient,diagnosis\n".to_owned(),
    );
    let mut number = 0;
    for patient in 0..PEOPLE {
        let born = 1930 + below(80);
        patients += &format!(
            "P{patient:04},{born},{},{}\n",
            ["f", "m"][below(2)],
            ["north", "south", "east"][below(3)]
        );
        for _ in 0..1 + below(4) {
            number += 1;
            let (month, day) = (1 + below(12), 1 + below(28));
            visits += &format!(
                "V{number:05},P{patient:04},2024-{month:02}-{day:02},{}\n",
                ["a", "b", "c"][below(3)]
            );
            let diagnosis = ["asthma", "diabetes", "fracture", "flu", "migraine", "hypertension"][below(6)];
            diagnoses += &format!("V{number:05},P{patient:04},{diagnosis}\n");
        }
    }
    Demo {
        introduction: "A clinic publishes patients, their visits and the diagnoses of each visit. Pseudonyms keep the tables together, so \
                       everybody must be one of five over all of them at once.",
        files: vec![
            ("patients.csv", patients.into_bytes()),
            ("visits.csv", visits.into_bytes()),
            ("diagnoses.csv", diagnoses.into_bytes()),
            ("pseudonyms.toml", NAIVE.job()),
            ("patients.toml", PATIENTS.job()),
            ("wards.toml", WARDS.job()),
        ],
        jobs: vec![
            ("pseudonyms.toml", "Pseudonyms alone"),
            ("patients.toml", "Others know who the patients are"),
            ("wards.toml", "Others also know the wards that a patient visited"),
        ],
    }
}
