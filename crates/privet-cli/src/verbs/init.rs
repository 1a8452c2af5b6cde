//! `privet init`: write a first job file by looking at the data.

use std::path::{Path, PathBuf};

use clap::Args;
use privet_data::io::{Encoding, Format, ReadOptions, files_of};
use privet_init::init::{Source, look, propose};
use privet_job::spare_inputs;
use privet_release::PartialFile;

use super::anonymize::tidy;
use super::{Shared, print, print_json};
use crate::exit::{DONE, Failure};
use crate::progress::Bar;
use crate::terminal;

/// Write a first job file by looking at the data; every guess is explained in it
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet init patients.csv                      writes job.toml and hierarchies/
  privet init export.txt --delimiter '|' --output jobs/export.toml")]
pub struct Init {
    /// The table: .csv, .xlsx, .ods, .parquet or .arrow; a folder or a pattern of such files, or - for standard input
    data: PathBuf,
    /// The job file to write; hierarchy files go next to it. With - the job goes to standard output, and they go here
    #[arg(long, short, value_name = "FILE", default_value = "job.toml")]
    output: PathBuf,
    /// Replace files that are already there
    #[arg(long)]
    force: bool,
    /// The format of the table: csv, parquet, arrow, xlsx or ods (default: by its extension)
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,
    /// Spreadsheets: the name of the sheet (default: the only one that holds anything)
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// CSV: the delimiter (default: detected)
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<char>,
    /// CSV: the file is Latin-1 (default: UTF-8, or Windows-1252 where it is not)
    #[arg(long)]
    latin1: bool,
    /// CSV: the quotation mark (default: \")
    #[arg(long, value_name = "CHARACTER")]
    quote: Option<char>,
    /// Leave out so many lines, or rows of a sheet, above the header, such as a title (default: detected)
    #[arg(long, value_name = "LINES")]
    skip: Option<u64>,
    /// CSV: the first line names the columns (default: detected)
    #[arg(long, conflicts_with = "no_header")]
    header: bool,
    /// CSV: the first line is a record, not a header (default: detected)
    #[arg(long)]
    no_header: bool,
}

impl Init {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let bar = Bar::new(shared.quiet || shared.json);
        let folder = privet_job::base_of(&self.output);
        let path = relative(&self.data, &folder);
        let recognised = privet::propose_as(&self.data, &path, &bar);
        bar.clear();
        if let Some((kind, proposal)) = recognised {
            return self.write_shape(kind, &proposal, shared);
        }
        let byte = |flag: &str, character: Option<char>| match character {
            Some(c) if c.is_ascii() => Ok(Some(c as u8)),
            Some(_) => Err(Failure::bad_input(format!("{flag} takes one ASCII character"))),
            None => Ok(None),
        };
        let options = ReadOptions {
            format: self.format,
            delimiter: byte("--delimiter", self.delimiter)?,
            quote: byte("--quote", self.quote)?,
            encoding: self.latin1.then_some(Encoding::Latin1),
            sheet: self.sheet.clone(),
            header: (self.header || self.no_header).then_some(self.header),
            ..ReadOptions::default()
        };
        let bar = Bar::new(shared.quiet || shared.json);
        let (input, options) = look(&self.data, options, self.skip, &bar)?;
        bar.clear();
        // A job file is text, so it would name another file.
        let Some(path) = path.to_str() else {
            return Err(Failure::bad_input(format!(
                "{}: the path is not UTF-8, so no job file can name it; rename the file or the folder first",
                self.data.display()
            )));
        };
        let source = Source { quote: self.quote, ..Source::of(path, &self.data, &input, &options) };
        let name = self.data.file_name().unwrap_or_default().to_string_lossy();
        let proposal = propose(&input.table, &name, &source);

        let to_standard_output = self.output == Path::new("-");
        let mut written = Vec::new();
        if !to_standard_output {
            written.push(self.output.clone());
        }
        written.extend(proposal.files.iter().map(|(name, _)| tidy(&folder.join(name))));
        // Before anything is written: a hierarchy may lie where the table does.
        written
            .iter()
            .try_for_each(|path| spare_inputs(path, files_of(&self.data).iter().map(PathBuf::as_path)))
            .map_err(Failure::bad_input)?;
        if let Some(there) = written.iter().find(|path| path.exists())
            && !self.force
        {
            return Err(Failure::bad_input(format!(
                "{} exists already; pass --force to replace it, or --output to write elsewhere",
                there.display()
            )));
        }
        for (name, text) in &proposal.files {
            save(&folder.join(name), text)?;
        }
        if to_standard_output {
            print(&proposal.job)?;
            return Ok(DONE);
        }
        save(&self.output, &proposal.job)?;

        if shared.json {
            let columns: Vec<_> = proposal
                .columns
                .iter()
                .map(|guess| serde_json::json!({ "name": guess.name, "role": guess.role, "reason": guess.reason }))
                .collect();
            print_json(&serde_json::json!({ "job": self.output, "files": written, "columns": columns }))?;
        } else if !shared.quiet {
            let width = terminal::width(proposal.columns.iter().map(|guess| guess.name.as_str()));
            let mut text = String::new();
            for guess in &proposal.columns {
                text.push_str(&format!(
                    "{:width$}  {:11}  {}\n",
                    guess.name,
                    guess.role.word(),
                    guess.reason
                ));
            }
            text.push_str("\nWrote ");
            let names: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
            text.push_str(&names.join(", "));
            text.push_str(&format!(
                ".\nRead it, correct it, then: privet anonymize {}",
                self.output.display()
            ));
            print(&text)?;
        }
        Ok(DONE)
    }
}

impl Init {
    /// Writes the job of a kind that recognised its shape.
    fn write_shape(&self, kind: &str, proposal: &privet::Proposal, shared: &Shared) -> Result<u8, Failure> {
        if self.output == Path::new("-") {
            print(&proposal.job)?;
            return Ok(DONE);
        }
        spare_inputs(&self.output, [self.data.as_path()]).map_err(Failure::bad_input)?;
        if self.output.exists() && !self.force {
            return Err(Failure::bad_input(format!(
                "{} exists already; pass --force to replace it, or --output to write elsewhere",
                self.output.display()
            )));
        }
        save(&self.output, &proposal.job)?;
        if shared.json {
            let told = serde_json::json!({ "job": self.output, "kind": kind, "reasons": proposal.reasons });
            print_json(&told)?;
        } else if !shared.quiet {
            let reasons: String = proposal.reasons.iter().map(|own| format!("  - {own}\n")).collect();
            let job = self.output.display();
            print(&format!(
                "The data have the shape `{kind}`:\n{reasons}\nWrote {job}.\nRead it, correct it, then: privet anonymize {job}"
            ))?;
        }
        Ok(DONE)
    }
}

/// Writes a file whole or not at all.
fn save(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::resources(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let draft = PartialFile::beside(path);
    std::fs::write(draft.path(), text).and_then(|()| draft.put()).map_err(failed)
}

/// The path of a file as seen from a folder, so that a job file can be moved together with its data.
fn relative(file: &Path, folder: &Path) -> PathBuf {
    let (Ok(file), Ok(folder)) = (std::path::absolute(file), std::path::absolute(folder)) else {
        return file.to_owned();
    };
    let shared = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    // Nothing but the root in common: an absolute path says it better.
    if shared <= 1 {
        return file;
    }
    let up = folder.components().skip(shared).map(|_| std::path::Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

/// A format by its word in job files.
fn format(word: &str) -> Result<Format, String> {
    Format::ALL
        .into_iter()
        .find(|format| format.word() == word)
        .ok_or_else(|| "must be csv, parquet, arrow, xlsx or ods".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_names_its_data_from_its_own_folder() {
        assert_eq!(relative(Path::new("a/b.csv"), Path::new(".")), Path::new("a/b.csv"));
        assert_eq!(relative(Path::new("b.csv"), Path::new("jobs/x")), Path::new("../../b.csv"));
    }
}
