//! `privet init`: a first job file for a table nobody has described yet.
//!
//! Every role is a guess with its reason, and every guess leans to the careful side: what is not known to be
//! harmless counts as known to others (survey, section 0: all attributes that are not sensitive go into the
//! quasi-identifier). The job file holds no value of the data; the hierarchy files beside it must.

mod guess;
mod markers;
mod pattern;
mod profile;
mod propose;
mod words;
mod write;

use privet_data::io::{Encoding, Format};
use privet_data::{Role, Table};

use profile::Profile;

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
    let markers = markers::find(table, &source.missing);
    let mut columns = Vec::with_capacity(table.columns.len());
    let mut files = propose::Files::default();
    for column in &table.columns {
        let profile = Profile::new(column, |text| markers.certain.iter().any(|m| m == text));
        let words = words::find(&column.name);
        let guessed = guess::guess(&profile, words);
        // A job file can speak of one column of a name only.
        let first = !columns.iter().any(|c: &write::Written<'_>| c.name == column.name);
        let hierarchy =
            (guessed.role == Role::Quasi && first).then(|| propose::hierarchy(&profile, words, &mut files));
        columns.push(write::Written { name: &column.name, guessed, hierarchy, distinct: profile.distinct() });
    }
    let job = write::job(&columns, file_name, source, &markers, table.rows);
    let columns = columns
        .into_iter()
        .map(|c| Guess { name: c.name.to_owned(), role: c.guessed.role, reason: c.guessed.reason })
        .collect();
    Proposal { job, files: files.into_texts(), columns }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::checked;
