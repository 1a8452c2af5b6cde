//! What is handed over: the release as an archive, and scripts that make it again.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;

/// The files of a release folder as an archive. The same release gives the same bytes.
pub(crate) fn archive(folder: &Path) -> Result<Vec<u8>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("the archive cannot be made: {error}");
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(&error))? {
        let entry = entry.map_err(|error| failed(&error))?;
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort();
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().last_modified_time(zip::DateTime::default());
    for name in names {
        let bytes = fs::read(folder.join(&name)).map_err(|error| failed(&error))?;
        let options = options.large_file(bytes.len() as u64 >= 1 << 32);
        archive.start_file(format!("release/{name}"), options).map_err(|error| failed(&error))?;
        archive.write_all(&bytes).map_err(|error| failed(&error))?;
    }
    Ok(archive.finish().map_err(|error| failed(&error))?.into_inner())
}

/// A shell script that makes the same release.
pub(crate) const SHELL: &str = "#!/bin/sh\n# Makes the release that the job file asks for, and proves it from the published files.\n\
     # The job file and the data lie beside this script.\nset -eu\nprivet anonymize job.toml\nprivet verify release\n";

/// The same in Python.
pub(crate) const PYTHON: &str = "\"\"\"Makes the release that the job file asks for, and proves it from the published files.\n\n\
     The job file and the data lie beside this script.\n\"\"\"\n\nimport privet\n\n\
     release = privet.Job.read(\"job.toml\").run()\nassert release.verify(), \"a promise does not hold\"\nprint(release.frame)\n";
