//! Small tables of the sources, written down as texts.

use privet_criteria::{Criterion, Requirement, SensitiveColumn, build};
use privet_data::{Domain, Generalization, Hierarchy};
use privet_measure::Metric;
use privet_recode::lattice::{Codes, Problem, Quasi};

/// A table with hierarchies, one sensitive column named `s`, and criteria.
pub struct Fixture {
    quasi: Vec<Column>,
    sensitive: Column,
    pub criteria: Vec<Box<dyn Criterion>>,
    rows: usize,
}

struct Column {
    domain: Domain,
    codes: Vec<u32>,
    counts: Vec<u64>,
    numbers: Option<Vec<f64>>,
    generalization: Generalization,
}

impl Column {
    fn new(texts: &[&str], hierarchy: impl FnOnce(&Domain) -> Hierarchy) -> Self {
        let mut distinct: Vec<Box<str>> = texts.iter().map(|&text| text.into()).collect();
        distinct.sort();
        distinct.dedup();
        let (domain, _) = Domain::canonical(distinct, |_| false);
        let codes: Vec<u32> = texts.iter().map(|text| domain.code_of(text).unwrap()).collect();
        let mut counts = vec![0; domain.len()];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        let generalization = hierarchy(&domain).bind(&domain).unwrap();
        let numbers = (0..domain.len() as u32).map(|code| domain.number(code)).collect();
        Self { domain, codes, counts, numbers, generalization }
    }
}

/// A quasi column: a text per record, and per distinct value its labels from the finest level above it to the
/// top.
pub type QuasiTexts<'a> = (Vec<&'a str>, Vec<Vec<&'a str>>);

impl Fixture {
    /// Puts a table together; `requirements` are those of the `[privacy]` section.
    pub fn new(quasi: &[QuasiTexts<'_>], sensitive: &[&str], requirements: &[Requirement]) -> Self {
        let quasi: Vec<Column> = quasi
            .iter()
            .map(|(texts, lines)| {
                Column::new(texts, |_| {
                    let leaves = lines.iter().map(|line| line[0].into()).collect();
                    let levels = (1..lines[0].len())
                        .map(|level| lines.iter().map(|line| line[level].into()).collect())
                        .collect();
                    Hierarchy::new(leaves, levels).unwrap()
                })
            })
            .collect();
        let rows = sensitive.len();
        let sensitive = Column::new(sensitive, Hierarchy::flat);
        let column = SensitiveColumn {
            name: "s",
            domain: &sensitive.domain,
            counts: &sensitive.counts,
            hierarchy: None,
        };
        let criteria = build(requirements, &[column], None, rows as u64).unwrap();
        Self { quasi, sensitive, criteria, rows }
    }

    /// The problem that a search is given.
    pub fn problem(&self, metric: Metric, suppress_at_most: u64) -> Problem<'_> {
        Problem {
            rows: self.rows,
            quasi: self
                .quasi
                .iter()
                .map(|column| Quasi {
                    codes: &column.codes,
                    counts: &column.counts,
                    generalization: &column.generalization,
                    numbers: column.numbers.as_deref(),
                    weight: 1.0,
                    population: None,
                })
                .collect(),
            sensitive: vec![Codes { codes: &self.sensitive.codes, values: self.sensitive.domain.len() }],
            label: Some(Codes { codes: &self.sensitive.codes, values: self.sensitive.domain.len() }),
            criteria: &self.criteria,
            metric,
            suppress_at_most,
        }
    }
}

/// papers FX-L1 (Figure 1 of "l-diversity") with the hierarchies of FX-L4; columns zip, age, nationality.
pub fn figure_one(requirements: &[Requirement]) -> Fixture {
    let zip = [
        "13053", "13068", "13068", "13053", "14853", "14853", "14850", "14850", "13053", "13053", "13068",
        "13068",
    ];
    let age = ["28", "29", "21", "23", "50", "55", "47", "49", "31", "37", "36", "35"];
    let nation = [
        "Russian", "American", "Japanese", "American", "Indian", "Russian", "American", "American",
        "American", "Indian", "Japanese", "American",
    ];
    let ill = ["HD", "HD", "VI", "VI", "Ca", "HD", "VI", "VI", "Ca", "Ca", "Ca", "Ca"];
    let zips = vec![
        vec!["13053", "1305*", "130**", "*"],
        vec!["13068", "1306*", "130**", "*"],
        vec!["14850", "1485*", "148**", "*"],
        vec!["14853", "1485*", "148**", "*"],
    ];
    let decade = |age: &str| match age {
        "21" | "23" | "28" | "29" => ("2*", "<40"),
        "31" | "35" | "36" | "37" => ("3*", "<40"),
        "47" | "49" => ("4*", ">=40"),
        _ => ("5*", ">=40"),
    };
    let ages = age.iter().map(|&age| vec![age, decade(age).0, decade(age).1, "*"]).collect();
    let nations = ["American", "Indian", "Japanese", "Russian"].iter().map(|&n| vec![n, "*"]).collect();
    Fixture::new(
        &[(zip.to_vec(), zips), (age.to_vec(), ages), (nation.to_vec(), nations)],
        &ill,
        requirements,
    )
}
