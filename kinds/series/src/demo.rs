//! The story of `privet demo --shape series`: a hospital publishes every quarter; patients come and go.

use privet_data::Random;
use privet_kind::Demo;

const JOB: &str = r#"kind = "series"

[input]
path = "quarter-1.csv"

[series]
person = "patient"
sensitive = "diagnosis"
m = 3

[series.columns]
age = {}
sex = {}

[output]
folder = "release-1"
home = "home"
replace = true
"#;

pub fn demo() -> Demo {
    let mut random = Random::new(7);
    let people: Vec<String> = (0..240)
        .map(|patient| {
            let diagnosis = ["asthma", "diabetes", "fracture", "flu", "migraine"][random.below(5)];
            format!("P{patient:04},{},{},{diagnosis}\n", 18 + random.below(70), ["f", "m"][random.below(2)])
        })
        .collect();
    let quarter = |from: usize, to: usize| {
        let rows: String = people[from..to].concat();
        format!("patient,age,sex,diagnosis\n{rows}").into_bytes()
    };
    let job = |number: usize| {
        let text = JOB
            .replace("quarter-1", &format!("quarter-{number}"))
            .replace("release-1", &format!("release-{number}"));
        text.into_bytes()
    };
    Demo {
        introduction: "A hospital publishes its patients every quarter: some are gone, others are new. Whoever compares the releases learns \
                       no more than from one of them.",
        files: vec![
            ("quarter-1.csv", quarter(0, 120)),
            ("quarter-2.csv", quarter(50, 180)),
            ("quarter-3.csv", quarter(100, 240)),
            ("first.toml", job(1)),
            ("second.toml", job(2)),
            ("third.toml", job(3)),
        ],
        jobs: vec![
            ("first.toml", "The first quarter"),
            ("second.toml", "The second, with counterfeits for those who are gone"),
            ("third.toml", "The third"),
        ],
    }
}
