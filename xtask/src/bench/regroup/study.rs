//! The tables that are regrouped, the jobs for them, and the records that are set apart.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::super::{Bench, publish, wall};
use crate::workspace;

/// A table, and what is asked of it.
#[derive(Clone)]
pub struct Study {
    pub title: String,
    pub data: PathBuf,
    pub rows: usize,
    pub k: u64,
    quasi: Vec<Quasi>,
    /// The column that is to be told from the others.
    pub class: Option<String>,
    /// The column that anatomy publishes apart, and how many of its values a bucket must hold.
    pub sensitive: Option<(String, u64)>,
}

/// A quasi column with its hierarchy: a file, or a table that names a builder.
#[derive(Clone)]
struct Quasi {
    name: String,
    hierarchy: Option<Value>,
}

impl Study {
    /// A table of the shared data with files of hierarchies beside it.
    fn shared(data: &Path, name: &str, quasi: &[&str]) -> Result<Self> {
        let folder = data.join(name);
        let quasi = quasi.iter().map(|&column| Quasi {
            name: column.to_owned(),
            hierarchy: Some(json!(folder.join(format!("{name}_hierarchy_{column}.csv")))),
        });
        Self::new(name, folder.join(format!("{name}.csv")), quasi.collect())
    }

    fn new(title: &str, data: PathBuf, quasi: Vec<Quasi>) -> Result<Self> {
        let bytes = std::fs::read(&data).with_context(|| data.display().to_string())?;
        let rows = bytes.iter().filter(|&&byte| byte == b'\n').count().saturating_sub(1);
        Ok(Self { title: title.to_owned(), data, rows, k: 5, quasi, class: None, sensitive: None })
    }

    fn titled(mut self, words: &str) -> Self {
        let (title, rows, k) = (&self.title, self.rows, self.k);
        self.title = format!("{title}, {words}, {rows} records, k = {k}");
        self
    }

    /// So many of its records, spread evenly over the table, as a table of their own.
    pub fn part(&self, folder: &Path, rows: usize) -> Result<Self> {
        let data = folder.join("part.csv");
        std::fs::write(&data, spread(&std::fs::read_to_string(&self.data)?, rows))?;
        Ok(Self { title: format!("{}: {rows} of them", self.title), data, rows, ..self.clone() })
    }

    /// Whether a quasi column is one of categories: not all have a hierarchy that only numbers or dates can have.
    pub fn has_categories(&self) -> bool {
        let is_number =
            |hierarchy: &Value| ["intervals", "dates"].iter().any(|key| hierarchy.get(key).is_some());
        !self.quasi.iter().all(|quasi| quasi.hierarchy.as_ref().is_some_and(is_number))
    }

    /// The quasi columns, as the example that measures inside a process takes them.
    pub fn columns(&self, left_out: &[&str]) -> Value {
        let shown = self.quasi.iter().filter(|quasi| !left_out.contains(&quasi.name.as_str()));
        shown.map(|quasi| json!({ "name": quasi.name, "hierarchy": quasi.hierarchy })).collect()
    }

    /// The job file.
    pub fn job(&self, data: &Path, release: &Path) -> String {
        let path = |path: &Path| quoted(&path.to_string_lossy());
        let mut job = format!("[input]\npath = {}\n", path(data));
        for Quasi { name, hierarchy } in &self.quasi {
            job.push_str(&format!("[columns.{}]\nrole = \"quasi\"\n", quoted(name)));
            if let Some(hierarchy) = hierarchy {
                job.push_str(&format!("hierarchy = {}\n", toml(hierarchy)));
            }
        }
        let known = |column: &str| self.quasi.iter().any(|quasi| quasi.name == column);
        let mut others: Vec<&str> = self.class.iter().map(String::as_str).collect();
        others.extend(self.sensitive.iter().map(|(column, _)| column.as_str()));
        others.dedup();
        for column in others.into_iter().filter(|column| !known(column)) {
            job.push_str(&format!("[columns.{}]\nrole = \"insensitive\"\n", quoted(column)));
        }
        job.push_str(&format!("[privacy]\nk-anonymity = {}\n[search]\n", self.k));
        if let Some(class) = &self.class {
            job.push_str(&format!("class = {}\n", quoted(class)));
        }
        job.push_str(&format!("[output]\nfolder = {}\n", path(release)));
        job
    }
}

/// The nine quasi columns of the peer's figures for `adult`.
pub const ADULT: [&str; 9] = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
];

const CENSUS: [&str; 9] = [
    "age",
    "class_of_worker",
    "education",
    "marital_stat",
    "race",
    "sex",
    "country_of_birth_self",
    "household",
    "occupation",
];

/// The tables. Their files lie in the folder where they are generated.
pub fn all(bench: &Bench<'_>, folder: &Path) -> Result<Vec<Study>> {
    let mut studies = match workspace::shared() {
        Some(shared) => {
            let data = shared.join("data");
            vec![
                Study::shared(&data, "adult", &ADULT)?.titled(NINE),
                Study {
                    class: Some("salary-class".to_owned()),
                    sensitive: Some(("occupation".to_owned(), 5)),
                    ..Study::shared(&data, "adult", &ADULT[..8])?
                        .titled("eight quasi columns, class salary-class")
                },
                Study {
                    class: Some("income".to_owned()),
                    sensitive: Some(("education".to_owned(), 3)),
                    ..Study::shared(&data, "census9", &CENSUS)?.titled("nine quasi columns, class income")
                },
            ]
        }
        None => {
            println!("there is no ../shared with data: generated admissions instead");
            vec![admissions(bench, &folder.join("demo"))?]
        }
    };
    studies.push(generated(folder, MILLION)?);
    Ok(studies)
}

/// What the title of `adult` with all columns says.
pub const NINE: &str = "nine quasi columns";

/// The program's own demo.
fn admissions(bench: &Bench<'_>, folder: &Path) -> Result<Study> {
    publish::demo(bench, folder, 20_000)?;
    let quasi = [
        ("birth_date", json!({ "dates": ["month", "year", "decade"] })),
        ("sex", Value::Null),
        ("postcode", json!({ "mask": "right", "symbol": "*" })),
        ("occupation", json!(folder.join("hierarchies/occupation.csv"))),
        ("admission_date", json!({ "dates": ["month", "quarter", "year"] })),
    ];
    let quasi = quasi.into_iter().map(|(name, hierarchy)| Quasi {
        name: name.to_owned(),
        hierarchy: Some(hierarchy).filter(|hierarchy| !hierarchy.is_null()),
    });
    let study = Study::new("admissions", folder.join("admissions.csv"), quasi.collect())?;
    Ok(Study {
        class: Some("diagnosis".to_owned()),
        sensitive: Some(("diagnosis".to_owned(), 3)),
        ..study.titled("five quasi columns, class diagnosis")
    })
}

/// How many people are generated.
const MILLION: usize = 1_000_000;
/// The quasi columns of generated people. Two more follow: one that is sensitive, and the class.
const GENERATED: usize = 9;

/// Generated people.
fn generated(folder: &Path, records: usize) -> Result<Study> {
    let (file, columns) = (folder.join("people.csv"), &wall::COLUMNS[..GENERATED + 2]);
    wall::people(&file, columns, records)?;
    let quasi = columns[..GENERATED].iter().enumerate().map(|(number, (_, widths))| Quasi {
        name: format!("c{number}"),
        hierarchy: (!widths.is_empty()).then(|| json!({ "intervals": widths, "min": 0 })),
    });
    let study = Study::new("generated", file, quasi.collect())?;
    Ok(Study {
        class: Some(format!("c{}", GENERATED + 1)),
        sensitive: Some((format!("c{GENERATED}"), 3)),
        ..study.titled("nine quasi columns, class c10")
    })
}

/// The complete records of UCI Adult, the four columns of numbers that the peer groups by.
pub fn adult_numbers(data: &Path, file: &Path) -> Result<Study> {
    let source = data.join("adult-uci/adult.data");
    let text = std::fs::read_to_string(&source).with_context(|| source.display().to_string())?;
    std::fs::write(file, numbers(&text))?;
    let names = NUMBERS.iter().map(|(name, _)| Quasi { name: (*name).to_owned(), hierarchy: None });
    Ok(Study::new("adult-uci", file.to_owned(), names.collect())?.titled("four numeric columns"))
}

/// Columns of numbers and where they are in the file.
const NUMBERS: [(&str, usize); 4] = [("age", 0), ("fnlwgt", 2), ("education-num", 4), ("hours-per-week", 12)];

/// The numbers of the complete records, as a CSV.
fn numbers(text: &str) -> String {
    let mut table = NUMBERS.map(|(name, _)| name).join(";") + "\n";
    for line in text.lines() {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() == 15 && !cells.contains(&"?") {
            table.push_str(&NUMBERS.map(|(_, place)| cells[place]).join(";"));
            table.push('\n');
        }
    }
    table
}

/// Two thirds of the records of a CSV to learn from and one third set apart, each with the header: every third record
/// is set apart.
pub fn split(text: &str) -> (String, String) {
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default();
    let mut parts = (format!("{head}\n"), format!("{head}\n"));
    for (number, line) in lines.filter(|line| !line.is_empty()).enumerate() {
        let part = if number % 3 == 2 { &mut parts.1 } else { &mut parts.0 };
        part.push_str(line);
        part.push('\n');
    }
    parts
}

/// The header of a CSV and so many of its records, spread evenly over it.
fn spread(text: &str, rows: usize) -> String {
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let mut part = lines.next().unwrap_or_default().to_owned() + "\n";
    let lines: Vec<&str> = lines.collect();
    let rows = rows.min(lines.len());
    for row in 0..rows {
        part.push_str(lines[row * lines.len() / rows]);
        part.push('\n');
    }
    part
}

/// A TOML string.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A value as TOML writes it, on one line.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let keys: Vec<String> =
                table.iter().map(|(key, value)| format!("{key} = {}", toml(value))).collect();
            format!("{{ {} }}", keys.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study() -> Study {
        Study {
            title: "t".to_owned(),
            data: "t.csv".into(),
            rows: 4,
            k: 5,
            quasi: vec![
                Quasi { name: "native-country".to_owned(), hierarchy: Some(json!("h.csv")) },
                Quasi { name: "age".to_owned(), hierarchy: Some(json!({ "intervals": [5, 10], "min": 0 })) },
                Quasi { name: "sex".to_owned(), hierarchy: None },
            ],
            class: Some("salary".to_owned()),
            sensitive: Some(("sex".to_owned(), 2)),
        }
    }

    #[test]
    fn every_third_record_is_set_apart() {
        let (train, test) = split("a;b\n1\n2\n3\n4\n5\n6\n7\n");
        assert_eq!(train, "a;b\n1\n2\n4\n5\n7\n");
        assert_eq!(test, "a;b\n3\n6\n");
        assert_eq!(split("a\n"), ("a\n".to_owned(), "a\n".to_owned()));
    }

    #[test]
    fn a_part_is_spread_over_the_table() {
        assert_eq!(spread("a\n0\n1\n2\n3\n4\n5\n", 3), "a\n0\n2\n4\n");
        assert_eq!(spread("a\n0\n1\n", 3), "a\n0\n1\n");
    }

    #[test]
    fn a_study_becomes_a_job() {
        let job = study().job(Path::new("in.csv"), Path::new("out"));
        assert!(
            job.contains("[columns.\"native-country\"]\nrole = \"quasi\"\nhierarchy = \"h.csv\"\n"),
            "{job}"
        );
        assert!(job.contains("hierarchy = { intervals = [5,10], min = 0 }\n"), "{job}");
        assert!(job.contains("[columns.\"sex\"]\nrole = \"quasi\"\n[columns.\"salary\"]"), "{job}");
        assert!(job.contains("[columns.\"salary\"]\nrole = \"insensitive\"\n"), "{job}");
        assert!(job.contains("[search]\nclass = \"salary\"\n[output]"), "{job}");
        // Each column once, or the job is refused.
        assert_eq!(job.matches("[columns.").count(), 4);
    }

    #[test]
    fn columns_that_are_published_apart_are_left_out() {
        let names = |columns: Value| -> Vec<String> {
            let columns = columns.as_array().unwrap().clone();
            columns.iter().map(|column| column["name"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(study().columns(&[])), ["native-country", "age", "sex"]);
        assert_eq!(names(study().columns(&["sex"])), ["native-country", "age"]);
    }

    #[test]
    fn numbers_of_complete_records() {
        let cells = "39, State-gov, 77516, Bachelors, 13, a, b, c, d, e, 2174, 0, 40, United-States, <=50K";
        let text = format!("{cells}\n{}\n\n|1x3 Cross validator\n", cells.replace("State-gov", "?"));
        assert_eq!(numbers(&text), "age;fnlwgt;education-num;hours-per-week\n39;77516;13;40\n");
    }
}
