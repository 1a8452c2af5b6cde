//! The input of a job in a temporary file: what went by is numbered cell by cell, and read back as codes.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;

use privet_criteria::Joint;
use privet_data::io::{Input, ReadOptions, stream};
use privet_data::{Cancelled, Column, Progress};
use privet_recode::lattice::SearchError;
use privet_recode::partition::{Chunk, Chunks, CodeFile};

use super::budget::Reading;
use crate::error::RunError;
use crate::job::Job;
use crate::load::{Loaded, explain};

/// An input that went by.
pub(super) struct Spilled {
    /// Per column that is published the entry of each record; see [`stream`].
    pub file: CodeFile,
    pub input: Input,
    /// Per column and entry how many records have it.
    entries: Vec<Vec<u64>>,
}

impl Spilled {
    /// Reads an input into a temporary file in a folder.
    pub fn read(
        job: &Job,
        path: &Path,
        options: &ReadOptions,
        (folder, chunk, mut reading): (&Path, usize, Reading),
        progress: &dyn Progress,
    ) -> Result<Self, RunError> {
        let mut file: Option<CodeFile> = None;
        let mut entries: Vec<Vec<u64>> = Vec::new();
        let mut too_little = None;
        let mut keep = |rows: usize, columns: &[&[u32]]| {
            entries.resize(columns.len(), Vec::new());
            for (counts, column) in entries.iter_mut().zip(columns) {
                for &entry in *column {
                    if entry as usize >= counts.len() {
                        reading.met(entry as usize + 1 - counts.len());
                        counts.resize(entry as usize + 1, 0);
                    }
                    counts[entry as usize] += 1;
                }
            }
            too_little = reading.fault();
            if too_little.is_some() {
                return Err(SearchError::Cancelled(Cancelled));
            }
            if file.is_none() {
                file = Some(CodeFile::create(folder, columns.len(), chunk)?);
            }
            file.as_mut().map_or(Ok(()), |file| file.push(rows, columns))
        };
        let mut failed = None;
        let read = stream(path, options, progress, &mut |rows, columns| match keep(rows, columns) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        });
        if let Some(error) = too_little {
            return Err(error.into());
        }
        if let Some(error) = failed {
            return Err(error.into());
        }
        let input = read.map_err(|error| explain(error, job))?;
        let file = match file {
            Some(file) => file,
            None => CodeFile::create(folder, input.table.columns.len(), chunk)?,
        };
        Ok(Self { file, input, entries })
    }

    /// Per code of a column how many records have it.
    pub fn counts(&self) -> HashMap<String, Vec<u64>> {
        let columns = self.input.table.columns.iter().enumerate();
        let count = |(position, column): (usize, &Column)| {
            let mut counts = vec![0; column.domain.len()];
            let entries = self.entries.get(position).map_or(&[][..], |entries| entries);
            for (&code, &records) in column.codes.iter().zip(entries) {
                counts[code as usize] += records;
            }
            (column.name.clone(), counts)
        };
        columns.map(count).collect()
    }
}

/// The records of a temporary file as codes.
pub(super) struct Coded<'a> {
    file: &'a mut CodeFile,
    quasi: Vec<Place<'a>>,
    sensitive: Vec<Place<'a>>,
    label: Option<Place<'a>>,
    /// Per combination of sensitive values its number, when a criterion looks at them.
    combinations: Option<HashMap<Box<[u32]>, u32>>,
}

/// A column of the file, and per entry its code.
struct Place<'a> {
    position: usize,
    code_of: &'a [u32],
}

impl Place<'_> {
    fn codes(&self, columns: &[&[u32]], codes: &mut Vec<u32>) -> Result<(), SearchError> {
        let entries = columns.get(self.position).copied().unwrap_or_default();
        if entries.iter().max().is_some_and(|&entry| entry as usize >= self.code_of.len()) {
            return Err(damaged());
        }
        codes.clear();
        codes.extend(entries.iter().map(|&entry| self.code_of[entry as usize]));
        Ok(())
    }
}

impl<'a> Coded<'a> {
    pub fn new(file: &'a mut CodeFile, loaded: &'a Loaded, job: &Job) -> Self {
        let table = &loaded.input.table;
        let place = |position: usize| Place { position, code_of: &table.columns[position].codes };
        let label = job.search.class.as_deref().and_then(|name| table.position(name));
        Self {
            file,
            quasi: loaded.quasi.iter().map(|quasi| place(quasi.position)).collect(),
            sensitive: loaded.sensitive.iter().map(|sensitive| place(sensitive.position)).collect(),
            label: label.map(place),
            combinations: None,
        }
    }

    /// The file, once no more codes are needed.
    pub fn into_file(self) -> &'a mut CodeFile {
        self.file
    }

    /// Numbers the combinations of all sensitive columns that occur, in the order of the records, and tells the number
    /// of each record's from now on.
    pub fn combine(&mut self, progress: &dyn Progress) -> Result<Joint, SearchError> {
        let mut numbers: HashMap<Box<[u32]>, u32> = HashMap::new();
        let mut combinations: Vec<Vec<u32>> = Vec::new();
        let mut combination = Vec::new();
        self.pass(&mut |chunk| {
            progress.check()?;
            for at in 0..chunk.rows {
                combination.clear();
                combination.extend(chunk.sensitive.iter().map(|codes| codes[at]));
                if !numbers.contains_key(&combination[..]) {
                    numbers.insert(combination.as_slice().into(), combinations.len() as u32);
                    combinations.push(combination.clone());
                }
            }
            Ok(())
        })?;
        self.combinations = Some(numbers);
        Ok(Joint { combinations })
    }
}

impl Chunks for Coded<'_> {
    fn pass(
        &mut self,
        each: &mut dyn FnMut(&Chunk<'_>) -> Result<(), SearchError>,
    ) -> Result<(), SearchError> {
        let Self { file, quasi, sensitive, label, combinations } = self;
        let places: Vec<&Place<'_>> = quasi.iter().chain(&*sensitive).chain(&*label).collect();
        let mut codes: Vec<Vec<u32>> = vec![Vec::new(); places.len()];
        let (mut joint, mut combination) = (Vec::new(), Vec::new());
        file.pass(&mut |first, rows, columns| {
            for (place, codes) in places.iter().zip(&mut codes) {
                place.codes(columns, codes)?;
            }
            let all: Vec<&[u32]> = codes.iter().map(|codes| &codes[..]).collect();
            let (quasi, rest) = all.split_at(quasi.len());
            let (own, label) = rest.split_at(sensitive.len());
            let mut sensitive = own.to_vec();
            if let Some(numbers) = combinations {
                joint.clear();
                for at in 0..rows {
                    combination.clear();
                    combination.extend(own.iter().map(|codes| codes[at]));
                    joint.push(*numbers.get(&combination[..]).ok_or_else(damaged)?);
                }
                sensitive.push(&joint);
            }
            each(&Chunk { first, rows, quasi, sensitive: &sensitive, label: label.first().copied() })
        })
    }
}

/// The file does not hold what was written.
fn damaged() -> SearchError {
    SearchError::Temporary { done: "read", kind: ErrorKind::InvalidData }
}
