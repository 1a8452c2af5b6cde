//! No command writes over a file that it reads, by whatever name, link or path the two are given.

use std::path::Path;

pub use privet_data::io::{is_same_file, real};

use crate::error::JobError;

/// Refuses to write a file that is read.
///
/// # Errors
/// When `output` is one of the `inputs`.
pub fn spare_inputs<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<(), JobError> {
    match inputs.into_iter().any(|input| is_same_file(output, input)) {
        true => {
            let problem = "is read by this command and would be lost; name another file to write to";
            Err(JobError::new(problem).at(output))
        }
        false => Ok(()),
    }
}

/// Refuses to write a release over the files of a job: the job file itself, and all that it names. `folder` is the one that
/// is replaced, from the folder where the command was typed.
///
/// # Errors
/// When one of these files lies in it.
pub fn spare_job(job: &Path, folder: &Path) -> Result<(), JobError> {
    let mut inputs = crate::assess::places::Inputs::default();
    inputs.names(Some(job));
    inputs.spare_read_in(folder)
}

/// Refuses to replace a folder in which something lies that is read. One without a name of its own (`..`, `/`) can be no release
/// folder and is never replaced: its drafts refuse it and say why.
pub fn spare_inputs_within<'a>(
    folder: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), JobError> {
    if folder.file_name().is_none() {
        return Ok(());
    }
    let place = real(folder);
    // A hard link to a file of the folder stays when the folder goes.
    match inputs.into_iter().any(|input| real(input).starts_with(&place)) {
        true => {
            let problem =
                "holds a file that this command reads, which would be lost; name another folder to write to";
            Err(JobError::new(problem).at(folder))
        }
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_spared_by_every_name_that_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("data.csv"), "x").unwrap();
        std::fs::write(at("other.csv"), "x").unwrap();
        std::fs::create_dir(at("sub")).unwrap();
        let refused = |name: &str| spare_inputs(&at(name), [at("data.csv").as_path()]).is_err();
        assert!(refused("data.csv") && refused("sub/../data.csv"));
        assert!(!refused("other.csv") && !refused("new.csv"));
        #[cfg(unix)]
        {
            std::fs::hard_link(at("data.csv"), at("hard.csv")).unwrap();
            std::os::unix::fs::symlink(at("data.csv"), at("soft.csv")).unwrap();
            std::os::unix::fs::symlink(at("sub"), at("way")).unwrap();
            assert!(refused("hard.csv") && refused("soft.csv") && refused("way/../data.csv"));
        }
        assert!(spare_inputs_within(&at("sub"), [at("data.csv").as_path()]).is_ok());
        assert!(spare_inputs_within(folder.path(), [at("data.csv").as_path()]).is_err());
        assert!(spare_inputs_within(&at("sub/."), [at("sub/data.csv").as_path()]).is_err());
        for nameless in [at("sub/.."), "/".into()] {
            assert!(spare_inputs_within(&nameless, [at("data.csv").as_path()]).is_ok());
            assert!(privet_release::Draft::begin(&nameless, true).is_err(), "and it is refused there");
        }
    }
}
