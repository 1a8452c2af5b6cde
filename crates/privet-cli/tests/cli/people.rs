//! An invented table that every test understands, and the jobs that go with it.

use std::fmt::Write;

use crate::dir::{CANARY, Dir};

pub const DISEASES: [&str; 6] = ["flu", "gastritis", "ulcer", "bronchitis", "cancer", "healthy"];

/// A generator that is the same everywhere (Knuth's 64-bit linear congruence).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// People with a name (which holds the canary), three quasi columns, two sensitive ones and a note.
pub fn table(rows: usize, seed: u64) -> String {
    let mut random = Random(seed);
    let mut text = String::from("name,age,zip,sex,disease,income,note\n");
    for row in 0..rows {
        let age = 18 + random.below(30) + random.below(30);
        let zip = 47_000 + 100 * random.below(4) + 10 * random.below(3) + random.below(3);
        let sex = ["f", "m"][random.below(2) as usize];
        let disease = DISEASES[random.below(4).max(random.below(6)) as usize];
        let income = 1_000 * (3 + random.below(9));
        writeln!(text, "{CANARY} {row},{age},{zip},{sex},{disease},{income},n{}", random.below(3)).unwrap();
    }
    text
}

/// A job for [`table`] with these sections in place of `[privacy]` and `[search]`.
pub fn job(privacy: &str, search: &str) -> String {
    format!(
        r#"[input]
path = "people.csv"

[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = {{ intervals = [5, 10, 20], min = 0 }}
[columns.zip]
role = "quasi"
hierarchy = {{ mask = "right" }}
[columns.sex]
role = "quasi"
[columns.disease]
role = "sensitive"
hierarchy = {{ tree = {{ chest = ["flu", "bronchitis"], stomach = ["gastritis", "ulcer"], other = ["cancer", "healthy"] }} }}
[columns.income]
role = "sensitive"
[columns.note]
role = "insensitive"

[privacy]
{privacy}

[search]
{search}
"#
    )
}

/// A directory with `people.csv` and `job.toml`.
pub fn dir(rows: usize, privacy: &str, search: &str) -> Dir {
    let dir = Dir::new();
    dir.write("people.csv", table(rows, 1)).write("job.toml", job(privacy, search));
    dir
}

/// A directory with a table of two quasi columns and a job with flat hierarchies.
pub fn table_of(rows: &str, privacy: &str, search: &str, input: &str) -> Dir {
    let dir = Dir::new();
    dir.write("t.csv", format!("a,b\n{rows}"));
    dir.write(
        "job.toml",
        format!(
            "[input]\npath = \"t.csv\"\nheader = true\n{input}\n[columns.a]\nrole = \"quasi\"\n[columns.b]\nrole = \"quasi\"\n\
             [privacy]\n{privacy}\n[search]\n{search}\n"
        ),
    );
    dir
}
