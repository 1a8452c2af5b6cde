//! The complete records of UCI Adult over its eight categories, with the hierarchies written down in papers II.6.

use std::path::Path;

use privet_mine::{Attribute, AttributeDomain, ClassAttribute, Examples, Level, Schema, Values, Visibility};

/// The columns of the file that are used: all categories.
pub const COLUMNS: [(usize, &str); 8] = [
    (1, "workclass"),
    (3, "education"),
    (5, "marital-status"),
    (6, "occupation"),
    (7, "relationship"),
    (8, "race"),
    (9, "sex"),
    (13, "native-country"),
];

/// Which node a value is in on each level above it, from the finest level.
fn nodes(column: &str, value: &str) -> Vec<&'static str> {
    match column {
        "workclass" => match value {
            "Private" => vec!["private", "with pay"],
            "Self-emp-inc" | "Self-emp-not-inc" => vec!["self", "with pay"],
            "Federal-gov" | "Local-gov" | "State-gov" => vec!["government", "with pay"],
            _ => vec!["none", "without pay"],
        },
        "education" => match value {
            "Preschool" | "1st-4th" | "5th-6th" | "7th-8th" => vec!["primary", "up to high school"],
            "9th" | "10th" | "11th" | "12th" => vec!["secondary", "up to high school"],
            "HS-grad" => vec!["high school", "up to high school"],
            "Some-college" | "Assoc-acdm" | "Assoc-voc" => vec!["college", "above high school"],
            "Bachelors" => vec!["bachelor", "above high school"],
            _ => vec!["graduate", "above high school"],
        },
        "marital-status" => match value {
            "Married-civ-spouse" | "Married-AF-spouse" => vec!["spouse", "spouse"],
            "Never-married" => vec!["never", "rest"],
            _ => vec!["was or is apart", "rest"],
        },
        "occupation" => match value {
            "Exec-managerial" | "Prof-specialty" | "Sales" | "Adm-clerical" => vec!["white collar"],
            "Tech-support" | "Craft-repair" | "Machine-op-inspct" | "Handlers-cleaners"
            | "Transport-moving" | "Priv-house-serv" => vec!["blue collar"],
            _ => vec!["other"],
        },
        "relationship" => match value {
            "Husband" | "Wife" => vec!["spouse"],
            _ => vec!["rest"],
        },
        "race" => match value {
            "White" => vec!["White"],
            _ => vec!["rest"],
        },
        "native-country" => match value {
            "United-States" | "Outlying-US(Guam-USVI-etc)" | "Canada" => {
                vec!["North America", "North America"]
            }
            "Cuba" | "Jamaica" | "Mexico" | "Puerto-Rico" | "Honduras" | "Columbia" | "Ecuador" | "Haiti"
            | "Dominican-Republic" | "El-Salvador" | "Guatemala" | "Peru" | "Trinadad&Tobago"
            | "Nicaragua" => vec!["Latin America", "rest"],
            "India" | "Iran" | "Philippines" | "Cambodia" | "Thailand" | "Laos" | "Taiwan" | "China"
            | "Japan" | "Vietnam" | "Hong" => vec!["Asia", "rest"],
            _ => vec!["other", "rest"],
        },
        _ => Vec::new(),
    }
}

/// The complete rows of a file, as texts of the used columns and the class.
fn rows(path: &Path) -> std::io::Result<Vec<Vec<String>>> {
    let text = std::fs::read_to_string(path)?;
    let cells = |line: &str| line.split(',').map(|cell| cell.trim().to_owned()).collect::<Vec<String>>();
    let complete = |row: &Vec<String>| row.len() == 15 && !row.iter().any(|cell| cell == "?");
    let pick = |row: Vec<String>| {
        let mut own: Vec<String> = COLUMNS.iter().map(|&(column, _)| row[column].clone()).collect();
        own.push(row[14].trim_end_matches('.').to_owned());
        own
    };
    Ok(text.lines().map(cells).filter(complete).map(pick).collect())
}

/// The training and the test part over one schema, without the named columns.
pub fn read(folder: &Path, without: &[&str]) -> Result<(Examples, Examples), Box<dyn std::error::Error>> {
    let parts = [rows(&folder.join("adult.data"))?, rows(&folder.join("adult.test"))?];
    let all = || parts.iter().flatten();
    let domain = |column: usize| {
        let mut values: Vec<String> = all().map(|row| row[column].clone()).collect();
        values.sort();
        values.dedup();
        values
    };
    let used: Vec<usize> =
        (0..COLUMNS.len()).filter(|&column| !without.contains(&COLUMNS[column].1)).collect();
    let attribute = |&column: &usize| {
        let name = COLUMNS[column].1;
        let values = domain(column);
        let above = values.first().map_or(0, |value| nodes(name, value).len());
        let level = |depth: usize| {
            let own: Vec<&str> = values.iter().map(|value| nodes(name, value)[depth]).collect();
            let mut labels: Vec<&str> = own.clone();
            labels.sort_unstable();
            labels.dedup();
            let node_of = own.iter().map(|node| labels.binary_search(node).unwrap_or(0) as u32).collect();
            Level { labels: labels.into_iter().map(str::to_owned).collect(), node_of, is_grouping: false }
        };
        let levels = (0..above).map(level).collect();
        let domain = AttributeDomain::Categories { values, levels };
        Attribute { name: name.to_owned(), visibility: Visibility::Public, domain }
    };
    let class = ClassAttribute {
        name: "income".to_owned(),
        visibility: Visibility::Private,
        values: domain(COLUMNS.len()),
    };
    let schema = Schema { attributes: used.iter().map(attribute).collect(), class };
    let examples = |rows: &[Vec<String>]| {
        let codes = |column: usize| {
            let values = domain(column);
            rows.iter()
                .map(|row| values.binary_search(&row[column]).unwrap_or(0) as u32)
                .collect::<Vec<u32>>()
        };
        let columns =
            used.iter().map(|&column| Values { codes: codes(column), numbers: Vec::new() }).collect();
        Examples::new(schema.clone(), columns, codes(COLUMNS.len()))
    };
    Ok((examples(&parts[0])?, examples(&parts[1])?))
}
