//! What an engine is told to publish: where each value goes, and which records are left out.
//!
//! It speaks of *entries*, the distinct values of a column as the engine told them, so that whoever writes needs nothing of
//! hierarchies and searches.

use privet_data::Column;
use privet_data::io::{Format, ViewColumn};

use crate::error::RunError;
use crate::publish::{DataFile, view_of};
use crate::run::Candidate;

pub use privet_data::io::ArrowValues;

/// How the published table comes of the input.
#[derive(Debug, Clone)]
pub struct Recoding {
    /// The columns, in the order in which they are written.
    pub columns: Vec<PublishedColumn>,
    /// Positions of the quasi columns among them.
    pub quasi: Vec<usize>,
    /// Per quasi column and entry the label that it has: entries with the same label have the same number.
    pub node_of_entry: Vec<Vec<u32>>,
    /// Per column and entry the code of its value: entries that are one value have the same. Nothing for a column whose values
    /// are not listed.
    pub code_of_entry: Vec<Vec<u32>>,
    /// The classes that are left out: per class the numbers of the labels of the quasi columns.
    pub suppressed: Vec<Vec<u32>>,
    /// The format of the files.
    pub format: Format,
    /// The name of the file, or of the files with `*` for their number.
    pub file: String,
    /// Records of the input that go to one file, where there are several.
    pub rows_per_file: Option<u64>,
    /// Records of the input, in ascending order, of which is to be told how many before them are left out.
    pub watched: Vec<u64>,
}

/// A column that is published.
#[derive(Debug, Clone)]
pub struct PublishedColumn {
    /// Its name.
    pub name: String,
    /// What becomes of its values.
    pub published: Published,
}

/// What becomes of the values of a column.
#[derive(Debug, Clone)]
pub enum Published {
    /// They stay as they are.
    AsTheyAre,
    /// Each entry goes to a value.
    Values(ArrowValues),
}

impl Recoding {
    /// `by_entry` has the columns of the table with one code for each entry; with `is_coded` the table has entries in place
    /// of all values.
    pub(super) fn new(
        candidate: &Candidate<'_>,
        data: &DataFile,
        by_entry: &[Column],
        is_coded: bool,
        watched: Vec<u64>,
    ) -> Result<Self, RunError> {
        let loaded = candidate.loaded;
        let columns = by_entry.iter().enumerate().map(|(position, column)| {
            let quasi = loaded.quasi.iter().position(|quasi| quasi.position == position);
            let is_listed = is_coded || !loaded.input.table.columns[position].codes.is_empty();
            let view = quasi.map_or(ViewColumn::unchanged(column), |quasi| view_of(candidate, quasi, column));
            let published = match is_listed {
                true => Published::Values(view.arrow_values()?),
                false => Published::AsTheyAre,
            };
            Ok(PublishedColumn { name: column.name.clone(), published })
        });
        let levels = candidate.problem.at(candidate.levels);
        let node_of_entry = loaded.quasi.iter().zip(&levels).map(|(quasi, level)| {
            let codes = &by_entry[quasi.position].codes;
            codes.iter().map(|&code| level.node_of_code[code as usize]).collect()
        });
        let partition = candidate.partition;
        let left_out = (0..partition.rows.len()).filter(|&class| !partition.kept[class]);
        let nodes = |class: usize| {
            let tuple = partition.first[class] as usize;
            let quasi = candidate.problem.quasi.iter().zip(&levels);
            quasi.map(|(quasi, level)| level.node_of_code[quasi.codes[tuple] as usize]).collect()
        };
        Ok(Self {
            columns: columns.collect::<Result<_, RunError>>()?,
            quasi: loaded.quasi.iter().map(|quasi| quasi.position).collect(),
            node_of_entry: node_of_entry.collect(),
            code_of_entry: by_entry.iter().map(|column| column.codes.clone()).collect(),
            suppressed: left_out.map(nodes).collect(),
            format: data.format,
            file: data.name.clone(),
            rows_per_file: candidate.job.output.rows_per_file(),
            watched,
        })
    }
}
