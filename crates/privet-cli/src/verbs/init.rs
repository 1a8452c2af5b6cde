//! `privet init`: write a first job file by looking at the data.

use std::path::{Path, PathBuf};

use clap::Args;
use privet_data::io::{Format, ReadOptions, read};
use privet_job::init::{Source, propose};

use super::anonymize::tidy;
use super::{Shared, print, print_json};
use crate::exit::{DONE, Failure};
use crate::progress::Bar;

/// Write a first job file by looking at the data; every guess is explained in it
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet init patients.csv                      writes job.toml and hierarchies/
  privet init export.txt --delimiter '|' --output jobs/export.toml")]
pub struct Init {
    /// The table: .csv, .parquet or .arrow
    data: PathBuf,
    /// The job file to write; hierarchy files go next to it
    #[arg(long, short, value_name = "FILE", default_value = "job.toml")]
    output: PathBuf,
    /// Replace files that are already there
    #[arg(long)]
    force: bool,
    /// The format of the table: csv, parquet or arrow (default: by its extension)
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,
    /// CSV: the delimiter (default: detected)
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<char>,
    /// CSV: the file is Latin-1 (default: UTF-8)
    #[arg(long)]
    latin1: bool,
    /// CSV: the quotation mark (default: \")
    #[arg(long, value_name = "CHARACTER")]
    quote: Option<char>,
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
        let byte = |flag: &str, character: Option<char>| match character {
            Some(c) if c.is_ascii() => Ok(Some(c as u8)),
            Some(_) => Err(Failure::bad_input(format!("{flag} takes one ASCII character"))),
            None => Ok(None),
        };
        let options = ReadOptions {
            format: self.format,
            delimiter: byte("--delimiter", self.delimiter)?,
            quote: byte("--quote", self.quote)?,
            encoding: self.latin1.then_some(privet_data::io::Encoding::Latin1),
            header: (self.header || self.no_header).then_some(self.header),
            ..ReadOptions::default()
        };
        let bar = Bar::new(shared.quiet || shared.json);
        let input = read(&self.data, &options, &bar).map_err(Failure::bad_input)?;
        bar.clear();
        let folder = privet_job::base_of(&self.output);
        let source = Source {
            path: relative(&self.data, &folder).to_string_lossy().into_owned(),
            delimiter: (input.format == Format::Csv)
                .then(|| input.dialect.as_ref().map(|dialect| dialect.delimiter as char))
                .flatten(),
            format: (Format::of(&self.data).is_none()).then_some(input.format),
            quote: self.quote,
            missing: options.missing,
            encoding: input.dialect.as_ref().map(|dialect| dialect.encoding),
            header: input.dialect.as_ref().map(|dialect| dialect.header),
            header_given: self.header,
        };
        let name = self.data.file_name().unwrap_or_default().to_string_lossy();
        let proposal = propose(&input.table, &name, &source);

        let mut written = vec![self.output.clone()];
        written.extend(proposal.files.iter().map(|(name, _)| tidy(&folder.join(name))));
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
        save(&self.output, &proposal.job)?;

        if shared.json {
            let columns: Vec<_> = proposal
                .columns
                .iter()
                .map(|guess| serde_json::json!({ "name": guess.name, "role": guess.role, "reason": guess.reason }))
                .collect();
            print_json(&serde_json::json!({ "job": self.output, "files": written, "columns": columns }))?;
        } else if !shared.quiet {
            let width = proposal.columns.iter().map(|guess| guess.name.chars().count()).max().unwrap_or(0);
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

/// Writes a file whole or not at all.
fn save(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::resources(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".partial-{}", std::process::id()));
    let draft = PathBuf::from(draft);
    std::fs::write(&draft, text)
        .and_then(|()| std::fs::rename(&draft, path))
        .inspect_err(|_| {
            // why: what cannot be removed was never created
            let _ = std::fs::remove_file(&draft);
        })
        .map_err(failed)
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
    let all = [Format::Csv, Format::Parquet, Format::Arrow];
    all.into_iter()
        .find(|format| format.word() == word)
        .ok_or_else(|| "must be csv, parquet or arrow".to_owned())
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
