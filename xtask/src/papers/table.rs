//! Tables of public data with their hierarchies, as experiments give them to the program and look at them on their own.
//!
//! Groups are counted here a second time, from levels or from published labels, so that what a page tells about a release does not come
//! from the program that made it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A column: its distinct values with the labels above each, and a code per record.
#[derive(Clone)]
pub struct Column {
    pub name: String,
    /// For each value its labels, from the value itself to `*`.
    pub paths: Vec<Vec<String>>,
    pub codes: Vec<u32>,
}

impl Column {
    /// A column of these values; `above` tells the labels above a value, the last of which is left out: it is `*`.
    pub fn new(name: &str, values: &[&str], above: impl Fn(&str) -> Vec<String>) -> Self {
        let distinct: Vec<&str> = values.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let place: HashMap<&str, u32> =
            distinct.iter().enumerate().map(|(code, value)| (*value, code as u32)).collect();
        let path = |value: &&str| {
            let own = std::iter::once((*value).to_owned());
            own.chain(above(value)).chain(std::iter::once("*".to_owned())).collect()
        };
        Self {
            name: name.to_owned(),
            paths: distinct.iter().map(path).collect(),
            codes: values.iter().map(|value| place[value]).collect(),
        }
    }

    /// Its steps from the values to `*`.
    pub fn height(&self) -> usize {
        self.paths.first().map_or(0, |path| path.len() - 1)
    }

    /// The label of every record on a level, as a code.
    fn at(&self, level: usize) -> Vec<u32> {
        let labels: BTreeSet<&str> = self.paths.iter().map(|path| path[level].as_str()).collect();
        let labels: Vec<&str> = labels.into_iter().collect();
        let code = |path: &Vec<String>| labels.binary_search(&path[level].as_str()).unwrap_or(0) as u32;
        let codes: Vec<u32> = self.paths.iter().map(code).collect();
        self.codes.iter().map(|&code_of| codes[code_of as usize]).collect()
    }

    /// The lowest level on which each label stands.
    pub fn levels(&self) -> HashMap<&str, usize> {
        let mut levels = HashMap::new();
        for level in (0..=self.height()).rev() {
            levels.extend(self.paths.iter().map(|path| (path[level].as_str(), level)));
        }
        levels
    }
}

/// Columns of equal length.
#[derive(Clone)]
pub struct Table {
    pub columns: Vec<Column>,
}

impl Table {
    /// A column by its name.
    pub fn column(&self, name: &str) -> Result<&Column> {
        let found = self.columns.iter().find(|column| column.name == name);
        found.with_context(|| format!("there is no column {name}"))
    }

    /// How many records.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.codes.len())
    }

    /// Some of its records, in this order.
    pub fn records(&self, chosen: &[usize]) -> Self {
        let column = |column: &Column| {
            let value = |&row: &usize| column.paths[column.codes[row] as usize][0].as_str();
            let paths: HashMap<&str, &Vec<String>> =
                column.paths.iter().map(|path| (path[0].as_str(), path)).collect();
            let values: Vec<&str> = chosen.iter().map(value).collect();
            let above = |value: &str| paths[value][1..paths[value].len() - 1].to_vec();
            Column::new(&column.name, &values, above)
        };
        Self { columns: self.columns.iter().map(column).collect() }
    }

    /// Writes `NAME.csv`, and beside it a hierarchy for each column.
    pub fn write(&self, folder: &Path, name: &str) -> Result<PathBuf> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let mut text = format!("{}\n", names.join(","));
        for row in 0..self.rows() {
            let cells = self.columns.iter().map(|own| own.paths[own.codes[row] as usize][0].as_str());
            text.push_str(&cells.collect::<Vec<&str>>().join(","));
            text.push('\n');
        }
        for column in &self.columns {
            let lines: Vec<String> = column.paths.iter().map(|path| path.join(";")).collect();
            std::fs::write(
                folder.join(format!("{name}-{}.hierarchy", column.name)),
                lines.join("\n") + "\n",
            )?;
        }
        let file = folder.join(format!("{name}.csv"));
        std::fs::write(&file, text).with_context(|| file.display().to_string())?;
        Ok(file)
    }

    /// The sections of a job file about a table that `write` wrote: `quasi` columns with their hierarchies, the other ones by their role.
    pub fn job(&self, name: &str, quasi: &[&str], others: &[(&str, &str)]) -> String {
        let mut text = format!("[input]\npath = \"{name}.csv\"\n");
        for column in quasi {
            // why: writing to a string cannot fail
            let _ = write!(
                text,
                "[columns.{column}]\nrole = \"quasi\"\nhierarchy = \"{name}-{column}.hierarchy\"\n"
            );
        }
        for (column, role) in others {
            let _ = write!(text, "[columns.{column}]\nrole = \"{role}\"\n");
        }
        text
    }

    /// The groups of records that look alike when these columns stand on these levels.
    pub fn group(&self, levels: &[(&str, usize)]) -> Result<Groups> {
        let mut groups = Groups { of: vec![0; self.rows()], count: 1 };
        for (name, level) in levels {
            groups = groups.divided(&self.column(name)?.at(*level));
        }
        Ok(groups)
    }
}

/// Which group each record is in.
#[derive(Clone)]
pub struct Groups {
    pub of: Vec<u32>,
    pub count: usize,
}

impl Groups {
    /// The same groups, divided by one more column.
    pub fn divided(&self, codes: &[u32]) -> Self {
        const NEW: u32 = u32::MAX;
        let width = codes.iter().max().map_or(1, |most| *most as usize + 1);
        let mut of = Vec::with_capacity(codes.len());
        let mut count = 0;
        let mut number = |place: &mut u32| {
            if *place == NEW {
                *place = count;
                count += 1;
            }
            *place
        };
        let pairs = self.of.iter().zip(codes).map(|(&group, &code)| group as usize * width + code as usize);
        // A pair is looked up in a plain list while that is not much longer than the table.
        if self.count * width <= 8 * codes.len() + 1024 {
            let mut seen = vec![NEW; self.count * width];
            of.extend(pairs.map(|pair| number(&mut seen[pair])));
        } else {
            let mut seen: HashMap<usize, u32> = HashMap::new();
            of.extend(pairs.map(|pair| number(seen.entry(pair).or_insert(NEW))));
        }
        Self { of, count: count as usize }
    }

    /// How many records each has.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes = vec![0; self.count];
        self.of.iter().for_each(|&group| sizes[group as usize] += 1);
        sizes
    }

    /// Discernibility: every record counts the records that look like it.
    pub fn discernibility(&self) -> u64 {
        self.sizes().iter().map(|size| size * size).sum()
    }

    /// Records of a group, on average.
    pub fn average(&self) -> f64 {
        self.of.len() as f64 / self.count.max(1) as f64
    }

    /// The fewest records of a group.
    pub fn least(&self) -> u64 {
        self.sizes().into_iter().min().unwrap_or(0)
    }

    /// How often each code occurs in each group.
    pub fn counts(&self, codes: &[u32]) -> Vec<BTreeMap<u32, u64>> {
        let mut counts = vec![BTreeMap::new(); self.count];
        for (&group, &code) in self.of.iter().zip(codes) {
            *counts[group as usize].entry(code).or_insert(0) += 1;
        }
        counts
    }

    /// Groups in which all records have one code, and the records in them.
    pub fn homogeneous(&self, codes: &[u32]) -> (u64, u64) {
        let alike = self.counts(codes).into_iter().filter(|counts| counts.len() == 1);
        alike.fold((0, 0), |(groups, records), counts| (groups + 1, records + counts.values().sum::<u64>()))
    }
}

/// A published CSV without quotation marks: its columns by name.
pub fn published(file: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().context("an empty table")?.split(',').collect();
    let mut columns = vec![Vec::new(); names.len()];
    for line in lines {
        for (column, cell) in columns.iter_mut().zip(line.split(',')) {
            column.push(cell.trim_matches('"').to_owned());
        }
    }
    Ok(names.into_iter().map(str::to_owned).zip(columns).collect())
}

/// Groups of published records with equal labels in these columns.
pub fn published_groups(columns: &BTreeMap<String, Vec<String>>, quasi: &[&str]) -> Result<Groups> {
    let rows = columns.values().next().map_or(0, Vec::len);
    let mut groups = Groups { of: vec![0; rows], count: 1 };
    for name in quasi {
        groups = groups.divided(&codes(columns.get(*name).with_context(|| format!("no column {name}"))?));
    }
    Ok(groups)
}

/// Texts as codes, in the order of their first occurrence.
pub fn codes(texts: &[String]) -> Vec<u32> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let mut found = Vec::with_capacity(texts.len());
    for text in texts {
        let next = seen.len() as u32;
        found.push(*seen.entry(text.as_str()).or_insert(next));
    }
    found
}

/// Numbers that look random and are the same on every machine (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    /// A number below `below`.
    pub fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % below
    }

    /// `count` different numbers below `below`, in order.
    pub fn sample(&mut self, count: usize, below: usize) -> Vec<usize> {
        let mut drawn = self.shuffled(count, below);
        drawn.sort_unstable();
        drawn
    }

    /// `count` different numbers below `below`, in any order.
    pub fn shuffled(&mut self, count: usize, below: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..below).collect();
        for at in 0..count.min(below) {
            let other = at + self.roll((below - at) as u64) as usize;
            all.swap(at, other);
        }
        all.truncate(count);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        // thesis Table 4.1 (a)
        let rows = [
            ["male", "middle", "4350"],
            ["male", "middle", "4350"],
            ["male", "young", "4351"],
            ["female", "young", "4352"],
            ["female", "old", "4353"],
            ["female", "old", "4353"],
        ];
        let column = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<&str>>();
        let none = |_: &str| Vec::new();
        Table {
            columns: vec![
                Column::new("gender", &column(0), none),
                Column::new("age", &column(1), none),
                Column::new("postcode", &column(2), |code| vec![format!("{}*", &code[..3])]),
            ],
        }
    }

    #[test]
    fn groups_and_their_measures() {
        let table = table();
        let groups = table.group(&[("gender", 1), ("age", 0), ("postcode", 1)]).unwrap();
        assert_eq!((groups.count, groups.least(), groups.discernibility()), (3, 2, 12));
        let raw = table.group(&[("gender", 0), ("age", 0), ("postcode", 0)]).unwrap();
        assert_eq!((raw.count, raw.least()), (4, 1));
        assert_eq!(groups.homogeneous(&[0, 0, 1, 0, 0, 0]), (2, 4));
        assert_eq!(table.column("postcode").unwrap().levels()["435*"], 1);
        assert_eq!(table.records(&[2, 4]).column("age").unwrap().paths.len(), 2);
    }

    #[test]
    fn samples_repeat() {
        let (mut one, mut other) = (Dice(7), Dice(7));
        let drawn = one.sample(5, 100);
        assert_eq!(drawn, other.sample(5, 100));
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]) && drawn.len() == 5);
    }
}
