//! Tables of UCI as records to learn from: categories as they are, numbers in eight ranges with as many records each, and levels of four
//! and two ranges above them.

use std::error::Error;
use std::path::Path;

use privet_mine::{Attribute, AttributeDomain, ClassAttribute, Examples, Level, Schema, Values, Visibility};

/// Distinct numbers beyond which a column of numbers is cut into ranges.
const MOST_CATEGORIES: usize = 12;

/// Reads a CSV without quotes; all columns but the class are public.
pub fn read(path: &Path, class: &str) -> Result<Examples, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().ok_or("an empty table")?.split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let (mut attributes, mut columns) = (Vec::new(), Vec::new());
    let mut of_class = None;
    for (place, &name) in head.iter().enumerate() {
        let cells: Vec<&str> = rows.iter().map(|row| row[place]).collect();
        let mut values = cells.clone();
        values.sort_unstable();
        values.dedup();
        if name != class
            && values.len() > MOST_CATEGORIES
            && values.iter().all(|own| own.parse::<f64>().is_ok())
        {
            let (attribute, codes) = ranges(name, &cells);
            attributes.push(attribute);
            columns.push(Values { codes, numbers: Vec::new() });
            continue;
        }
        let codes = cells.iter().map(|own| values.partition_point(|value| value < own) as u32).collect();
        if name == class {
            let values = values.iter().map(|&own| own.to_owned()).collect();
            let own = ClassAttribute { name: name.to_owned(), visibility: Visibility::Private, values };
            of_class = Some((own, codes));
        } else if values.len() > 1 {
            attributes.push(Attribute::categories(name, Visibility::Public, &values));
            columns.push(Values { codes, numbers: Vec::new() });
        }
    }
    let (class, codes) = of_class.ok_or("the class is no column")?;
    Ok(Examples::new(Schema { attributes, class }, columns, codes)?)
}

fn ranges(name: &str, cells: &[&str]) -> (Attribute, Vec<u32>) {
    let numbers: Vec<f64> = cells.iter().filter_map(|cell| cell.parse().ok()).collect();
    let mut sorted = numbers.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut bounds: Vec<f64> = (1..8).map(|part| sorted[part * sorted.len() / 8]).collect();
    bounds.dedup();
    let range = |number: &f64| bounds.partition_point(|bound| bound <= number) as u32;
    let values = (0..=bounds.len()).map(|own| format!("range {own}")).collect::<Vec<_>>();
    let level = |width: u32| {
        let node_of: Vec<u32> = (0..values.len() as u32).map(|own| own / width).collect();
        let nodes = node_of.last().map_or(0, |&last| last + 1);
        Level {
            labels: (0..nodes).map(|own| format!("ranges of {width}, {own}")).collect(),
            node_of,
            is_grouping: false,
        }
    };
    let levels = [2, 4].into_iter().map(level).filter(|own| own.labels.len() > 1).collect();
    let domain = AttributeDomain::Categories { values: values.clone(), levels };
    let attribute = Attribute { name: name.to_owned(), visibility: Visibility::Public, domain };
    (attribute, numbers.iter().map(range).collect())
}
