//! Reads a table nobody has described yet, and finds out what a file leaves unsaid: its encoding, a title above its header.

use std::path::Path;

use privet_data::Progress;
use privet_data::io::{Encoding, Format, Input, ReadErrorKind, ReadOptions, lines_above, read};

use super::{Source, known_names};
use privet_job::RunError;

/// Reads a table. `skip` are the lines above its header; found out when not given.
///
/// # Errors
/// When it cannot be read, or whether its first line is a header stays in doubt.
pub fn look(
    path: &Path,
    mut options: ReadOptions,
    skip: Option<u64>,
    progress: &dyn Progress,
) -> Result<(Input, ReadOptions), RunError> {
    options.skip = match skip {
        Some(lines) => lines,
        None => lines_above(path, &options)?,
    };
    loop {
        let error = match read(path, &options, progress) {
            Ok(input) => return Ok((input, options)),
            Err(error) => error,
        };
        match error.kind.innermost() {
            ReadErrorKind::Utf8 { .. } if options.encoding.is_none() => {
                options.encoding = Some(Encoding::Windows1252);
            }
            ReadErrorKind::HeaderInDoubt { .. } => {
                // What the cells do not tell, the names may.
                options.header = Some(true);
                let input = read(path, &options, progress)?;
                return match 2 * known_names(&input.names) >= input.names.len() {
                    true => Ok((input, options)),
                    false => Err(error.into()),
                };
            }
            _ => return Err(error.into()),
        }
    }
}

impl Source {
    /// What the job says of a table that was looked at: where it is as the job names it, and how it was read.
    pub fn of(named: &str, path: &Path, input: &Input, options: &ReadOptions) -> Self {
        Self {
            path: named.to_owned(),
            format: Format::of(path).is_none().then_some(input.format),
            quote: None,
            delimiter: (input.format == Format::Csv)
                .then(|| input.dialect.as_ref().map(|dialect| dialect.delimiter as char))
                .flatten(),
            missing: options.missing.clone(),
            encoding: options.encoding,
            header: options.header.or(input.dialect.as_ref().map(|dialect| dialect.header)),
            header_given: options.header == Some(true),
            skip: options.skip,
            sheet: options.sheet.clone(),
        }
    }
}
