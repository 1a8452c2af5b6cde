//! `privet init`: a first job file for a table nobody has described yet.
//!
//! Every role is a guess with its reason, and every guess leans to the careful side: what is not known to be
//! harmless counts as known to others (survey, section 0: all attributes that are not sensitive go into the
//! quasi-identifier). The job file holds no value of the data; the hierarchy files beside it must.

mod family;
mod guess;
mod look;
mod markers;
mod pattern;
mod profile;
mod propose;
mod words;
mod write;

use std::collections::BTreeMap;

use privet_data::io::{Encoding, Format, ReadOptions, Spelling, respell};
use privet_data::{Role, Table};

pub use look::look;

use guess::Guessed;
use profile::Profile;

/// Fewer records than this say nothing about uniqueness.
const FEW_RECORDS: u64 = 20;
/// With so many distinct values per record hardly two are alike.
const HARDLY_TWO: f64 = 0.3;

/// Where a table came from, for the `[input]` section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// The path as it should stand in the job file.
    pub path: String,
    /// The format, where the extension does not tell.
    pub format: Option<Format>,
    /// The quotation mark of a text file, where it is not the usual one.
    pub quote: Option<char>,
    /// The delimiter of a text file.
    pub delimiter: Option<char>,
    /// The markers of a missing value with which the table was read.
    pub missing: Vec<String>,
    /// The encoding of a text file; said in the job when it is not UTF-8.
    pub encoding: Option<Encoding>,
    /// Whether the first line of a text file names the columns; said in the job when it does not.
    pub header: Option<bool>,
    /// Whether that it does was said, and not found out.
    pub header_given: bool,
    /// Lines above the header.
    pub skip: u64,
    /// The sheet of a spreadsheet, where it was named.
    pub sheet: Option<String>,
}

/// A first job and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The job file.
    pub job: String,
    /// Hierarchy files for a person to edit: path relative to the job file, and text. They hold values of the data.
    pub files: Vec<(String, String)>,
    /// What each column was taken for.
    pub columns: Vec<Guess>,
}

/// What a column was taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// The column.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Why, in a sentence without any value of the data.
    pub reason: String,
}

/// Proposes a job for a table. `file_name` is how the head of the job file calls the data.
pub fn propose(table: &Table, file_name: &str, source: &Source) -> Proposal {
    let spelled = spelled(table, source);
    let (table, spelling) = match &spelled {
        Some((table, spelling)) => (table, spelling.clone()),
        None => (table, BTreeMap::new()),
    };
    let markers = markers::find(table, &source.missing);
    let is_missing = |text: &str| markers.certain.iter().any(|marker| marker == text);
    let profiles: Vec<Profile<'_>> =
        table.columns.iter().map(|column| Profile::new(column, is_missing)).collect();
    let mut guesses: Vec<Guessed> =
        profiles.iter().map(|profile| guess::guess(profile, words::find(profile.name()))).collect();
    family::unite(&profiles, &mut guesses);
    let mut files = propose::Files::default();
    let mut columns: Vec<write::Written<'_>> = Vec::with_capacity(profiles.len());
    for (profile, guessed) in profiles.iter().zip(guesses) {
        let name = profile.name();
        // A job file can speak of one column of a name only.
        let first = !columns.iter().any(|column| column.name == name);
        let hierarchy = (guessed.role == Role::Quasi && first)
            .then(|| propose::hierarchy(profile, words::find(name), &mut files));
        let nearly_unique = profile.present >= FEW_RECORDS && profile.uniqueness() >= HARDLY_TWO;
        let (distinct, most_frequent) = (profile.distinct(), profile.most_frequent());
        columns.push(write::Written { name, guessed, hierarchy, distinct, most_frequent, nearly_unique });
    }
    let job = write::job(&columns, file_name, source, &spelling, &markers, table.rows);
    let columns = columns
        .into_iter()
        .map(|c| Guess { name: c.name.to_owned(), role: c.guessed.role, reason: c.guessed.reason })
        .collect();
    Proposal { job, files: files.into_texts(), columns }
}

/// How many of the names of a header say what their columns hold. A first record hardly ever does, so this tells where the
/// cells do not.
pub fn known_names(names: &[String]) -> usize {
    names.iter().filter(|name| words::find(name).is_some()).count()
}

/// The table with the numbers and dates of its columns in plain form, and how they were spelled, where any were spelled
/// otherwise in one way only.
fn spelled(table: &Table, source: &Source) -> Option<(Table, BTreeMap<String, Spelling>)> {
    let markers = markers::find(table, &source.missing);
    let mut spelling = BTreeMap::new();
    for column in &table.columns {
        let domain = &column.domain;
        let values: Vec<&str> = (domain.missing()..domain.len() as u32)
            .map(|code| domain.text(code))
            .filter(|text| !markers::is_marker(text) && !markers.certain.iter().any(|marker| marker == text))
            .collect();
        if let Some(own) = Spelling::of(values.iter().copied()) {
            spelling.insert(column.name.clone(), own);
        }
    }
    if spelling.is_empty() {
        return None;
    }
    let mut plain = table.clone();
    // Cells that say that nobody knows are listed under `missing` once the column is one of numbers or dates.
    let missing: Vec<String> = table
        .columns
        .iter()
        .flat_map(|column| column.domain.texts())
        .filter(|text| markers::is_marker(text))
        .map(|text| text.to_string())
        .chain(source.missing.iter().cloned())
        .collect();
    let options = ReadOptions { spelling_of: spelling.clone(), missing, ..ReadOptions::default() };
    respell(&mut plain, &options).ok()?;
    Some((plain, spelling))
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::checked;
