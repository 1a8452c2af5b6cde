//! The public data sets of the experiments, with hierarchies as far as the sources print them.
//!
//! Adult: the complete records of both files, 45,222 (papers III.7, thesis E1). Hierarchies are given by type and height only; those here
//! have these heights, and are the combination of the catalogue that reproduces the counts of papers III.7.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::table::{Column, Dice, Table};

/// The nine columns of Adult that the sources use: where they stand, and what they are called here.
const ADULT: [(usize, &str); 9] = [
    (0, "age"),
    (9, "gender"),
    (8, "race"),
    (5, "marital"),
    (3, "education"),
    (13, "country"),
    (1, "workclass"),
    (14, "salary"),
    (6, "occupation"),
];

/// A disease for each record, drawn evenly: thesis E1 adds such a column.
pub const DISEASES: [&str; 8] =
    ["HIV", "Cancer", "Phthisis", "Hepatitis", "Obesity", "Asthma", "Flu", "Indigestion"];

/// Which of the four categories a disease is in: two diseases each.
pub fn category(disease: u32) -> u32 {
    disease / 2
}

/// How the heights of a hierarchy differ between the sources.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Heights {
    /// l-diversity, Figure 4: race has one step.
    Diversity,
    /// Thesis, Table 3.7: race has three levels.
    Thesis,
}

/// The complete records of Adult, those to learn from before those to test on, and how many the first are.
pub fn adult(data: &Path, heights: Heights) -> Result<(Table, usize)> {
    let mut rows = Vec::new();
    let mut learning = 0;
    for file in ["adult.data", "adult.test"] {
        let path = data.join("adult-uci").join(file);
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        rows.extend(text.lines().filter_map(|line| {
            let cells: Vec<String> = line.split(',').map(|cell| cell.trim().to_owned()).collect();
            (cells.len() == 15 && !cells.iter().any(|cell| cell == "?")).then_some(cells)
        }));
        if learning == 0 {
            learning = rows.len();
        }
    }
    ensure!(rows.len() == 45_222, "Adult has {} complete records, not 45,222", rows.len());
    let column = |&(at, name): &(usize, &str)| {
        let values: Vec<&str> = rows.iter().map(|row| row[at].trim_end_matches('.')).collect();
        Column::new(name, &values, |value| above(name, value, heights))
    };
    Ok((Table { columns: ADULT.iter().map(column).collect() }, learning))
}

/// A column of diseases.
pub fn diseases(rows: usize, seed: u64) -> Column {
    let mut dice = Dice(seed);
    let drawn: Vec<&str> = (0..rows).map(|_| DISEASES[dice.roll(8) as usize]).collect();
    // The order of the list, so that a code tells the category.
    let mut column = Column::new("disease", &drawn, |_| Vec::new());
    let place = |name: &str| DISEASES.iter().position(|own| *own == name).unwrap_or(0) as u32;
    let order: Vec<u32> = column.paths.iter().map(|path| place(&path[0])).collect();
    column.codes.iter_mut().for_each(|code| *code = order[*code as usize]);
    column.paths = DISEASES.iter().map(|name| vec![(*name).to_owned(), "*".to_owned()]).collect();
    column
}

/// The labels between a value of Adult and `*`.
fn above(column: &str, value: &str, heights: Heights) -> Vec<String> {
    let owned = |labels: &[&str]| labels.iter().map(|&label| label.to_owned()).collect();
    match column {
        "age" => {
            let age: u32 = value.parse().unwrap_or(0);
            let bin = |width: u32| format!("{}-{}", age / width * width, age / width * width + width - 1);
            vec![bin(5), bin(10), bin(20)]
        }
        "race" if heights == Heights::Thesis => owned(match value {
            "White" => &["white"],
            _ => &["not white"],
        }),
        "marital" => owned(match value {
            "Married-civ-spouse" | "Married-AF-spouse" => &["spouse"],
            _ => &["no spouse"],
        }),
        "education" => owned(match value {
            "Preschool" | "1st-4th" | "5th-6th" | "7th-8th" => &["primary", "up to high school"],
            "9th" | "10th" | "11th" | "12th" => &["secondary", "up to high school"],
            "HS-grad" => &["high school", "up to high school"],
            "Some-college" | "Assoc-acdm" | "Assoc-voc" => &["college", "above high school"],
            "Bachelors" => &["bachelor", "above high school"],
            _ => &["graduate", "above high school"],
        }),
        "workclass" => owned(match value {
            "Private" => &["private"],
            "Self-emp-inc" | "Self-emp-not-inc" => &["self"],
            "Federal-gov" | "Local-gov" | "State-gov" => &["government"],
            _ => &["without pay"],
        }),
        "country" => owned(match value {
            "United-States" | "Outlying-US(Guam-USVI-etc)" | "Canada" => &["North America"],
            "Cuba" | "Jamaica" | "Mexico" | "Puerto-Rico" | "Honduras" | "Columbia" | "Ecuador" | "Haiti"
            | "Dominican-Republic" | "El-Salvador" | "Guatemala" | "Peru" | "Trinadad&Tobago"
            | "Nicaragua" => &["Latin America"],
            "India" | "Iran" | "Philippines" | "Cambodia" | "Thailand" | "Laos" | "Taiwan" | "China"
            | "Japan" | "Vietnam" | "Hong" => &["Asia"],
            _ => &["other countries"],
        }),
        _ => Vec::new(),
    }
}

/// The nine identifying columns of UCI Census-Income (KDD) with the hierarchies that lie beside them; `rows` of them in random order.
pub fn census(data: &Path, rows: usize) -> Result<Table> {
    let folder = data.join("census9");
    let text = std::fs::read_to_string(folder.join("census9.csv"))?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().context("an empty table")?.split(';').collect();
    let all: Vec<Vec<&str>> = lines.map(|line| line.split(';').collect()).collect();
    let chosen = Dice(20).shuffled(rows, all.len());
    let column = |(at, name): (usize, &&str)| -> Result<Column> {
        let file = folder.join(format!("census9_hierarchy_{name}.csv"));
        let hierarchy = std::fs::read_to_string(&file).unwrap_or_default();
        let paths: std::collections::HashMap<&str, Vec<String>> = hierarchy
            .lines()
            .filter_map(|line| {
                let labels: Vec<&str> = line.split(';').collect();
                let (value, above) = labels.split_first()?;
                let above = above.get(..above.len().saturating_sub(1))?;
                Some((*value, above.iter().map(|&label| label.to_owned()).collect()))
            })
            .collect();
        let values: Vec<&str> = chosen.iter().map(|&row| all[row][at]).collect();
        Ok(Column::new(name, &values, |value| paths.get(value).cloned().unwrap_or_default()))
    };
    Ok(Table { columns: names.iter().enumerate().map(column).collect::<Result<_>>()? })
}

/// People of the American Community Survey of Massachusetts, 2019, with an income: age, region, industry, and income in thousands, cut to
/// 1 to 100 as in thesis E2.
pub fn survey(data: &Path) -> Result<Table> {
    let text = std::fs::read_to_string(data.join("nist-acs-excerpts/ma2019.csv"))?;
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let names = lines.next().context("an empty table")?;
    let place = |name: &str| names.iter().position(|own| *own == name).with_context(|| format!("no {name}"));
    let (age, region, industry, group, income) =
        (place("AGEP")?, place("PUMA")?, place("INDP")?, place("INDP_CAT")?, place("PINCP")?);
    let rows: Vec<Vec<&str>> = lines.filter(|row| row[income].parse::<f64>().is_ok()).collect();
    let of = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<&str>>();
    let groups: std::collections::HashMap<&str, String> =
        rows.iter().map(|row| (row[industry], format!("group {}", row[group]))).collect();
    let thousands = |row: &Vec<&str>| {
        let dollars: f64 = row[income].parse().unwrap_or(0.0);
        format!("{}k", (dollars / 1000.0).round().clamp(1.0, 100.0))
    };
    let incomes: Vec<String> = rows.iter().map(thousands).collect();
    let incomes: Vec<&str> = incomes.iter().map(String::as_str).collect();
    Ok(Table {
        columns: vec![
            Column::new("age", &of(age), |value| above("age", value, Heights::Thesis)),
            Column::new("region", &of(region), |value| vec![value.chars().take(5).collect()]),
            Column::new("industry", &of(industry), |value| vec![groups[value].clone()]),
            Column::new("income", &incomes, |_| Vec::new()),
        ],
    })
}

/// The same survey with ten identifying columns, for chapter 4, and whether somebody has an income of 40,000 dollars or more.
pub fn wide_survey(data: &Path) -> Result<Table> {
    const COLUMNS: [(&str, &str); 9] = [
        ("PUMA", "region"),
        ("SEX", "sex"),
        ("MSP", "marital"),
        ("RAC1P", "race"),
        ("EDU", "education"),
        ("OWN_RENT", "tenure"),
        ("HOUSING_TYPE", "housing"),
        ("INDP_CAT", "industry"),
        ("DPHY", "disability"),
    ];
    let text = std::fs::read_to_string(data.join("nist-acs-excerpts/ma2019.csv"))?;
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let names = lines.next().context("an empty table")?;
    let place = |name: &str| names.iter().position(|own| *own == name).with_context(|| format!("no {name}"));
    let (age, income) = (place("AGEP")?, place("PINCP")?);
    let rows: Vec<Vec<&str>> = lines.filter(|row| row[income].parse::<f64>().is_ok()).collect();
    let of = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<&str>>();
    let labels = |name: &str, value: &str| -> Vec<String> {
        let number: u32 = value.parse().unwrap_or(0);
        match name {
            "region" => vec![value.chars().take(5).collect()],
            "marital" => vec![if number == 1 { "with spouse" } else { "without spouse" }.to_owned()],
            "race" => vec![if number == 1 { "race 1" } else { "other race" }.to_owned()],
            "education" => {
                vec![format!("step {}", number / 2), format!("steps {}", number / 4)]
            }
            "industry" => vec![format!("industries {}", number / 4), format!("sectors {}", number / 8)],
            _ => Vec::new(),
        }
    };
    let mut columns = vec![Column::new("age", &of(age), |value| above("age", value, Heights::Thesis))];
    for (source, name) in COLUMNS {
        columns.push(Column::new(name, &of(place(source)?), |value| labels(name, value)));
    }
    let class = |row: &Vec<&str>| match row[income].parse::<f64>() {
        Ok(dollars) if dollars >= 40_000.0 => "40000 or more",
        _ => "below 40000",
    };
    columns.push(Column::new("income", &rows.iter().map(class).collect::<Vec<_>>(), |_| Vec::new()));
    Ok(Table { columns })
}
