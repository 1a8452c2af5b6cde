//! The job file of a kind on the seam: sections that all kinds share, and one or more of its own.

use std::path::{Path, PathBuf};

use privet_release::PrivateKey;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::KindError;

/// The sections that every job may have besides those of its kind.
const SHARED: [&str; 4] = ["kind", "input", "output", "adversary"];

/// More bytes than any job file has.
const MOST_BYTES: u64 = 16 << 20;

/// A section of the job file that belongs to a kind, for the reference and for messages.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// Its keys, with one sentence each.
    pub keys: &'static [(&'static str, &'static str)],
}

/// A job file as TOML, with the folder that its paths are relative to.
#[derive(Debug, Clone)]
pub struct JobFile {
    path: PathBuf,
    table: toml::Table,
}

impl JobFile {
    /// Reads a job file and sets keys of it, each as `section.key=value`.
    ///
    /// # Errors
    /// When the file is not TOML, or a setting is not of that form.
    pub fn read(path: &Path, settings: &[String]) -> Result<Self, KindError> {
        let mut table = read_toml(path)?;
        for setting in settings {
            set(&mut table, setting)?;
        }
        Ok(Self { path: path.to_owned(), table })
    }

    /// A job without a file, whose paths are relative to a folder.
    pub fn in_folder(folder: &Path, table: toml::Table) -> Self {
        Self { path: folder.join("job.toml"), table }
    }

    /// The id of the kind that the job names; `None` for a job about records, which names no kind.
    pub fn kind(&self) -> Option<&str> {
        self.table.get("kind")?.as_str()
    }

    /// The job as it stands, with all sections.
    pub fn table(&self) -> &toml::Table {
        &self.table
    }

    /// The same file said in other words: paths are relative to the same folder, and messages name the same file.
    #[must_use]
    pub fn in_other_words(&self, table: toml::Table) -> Self {
        Self { path: self.path.clone(), table }
    }

    /// Where the job file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A path of the job file.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    /// Refuses sections that neither all jobs nor this kind has.
    ///
    /// # Errors
    /// When there is one.
    pub fn check_sections(&self, sections: &[Section]) -> Result<(), KindError> {
        let mut accepted: Vec<&str> = SHARED.to_vec();
        accepted.extend(sections.iter().map(|section| section.name).filter(|name| !SHARED.contains(name)));
        match self.table.keys().find(|key| !accepted.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(KindError::bad_input(format!(
                "unknown key `{key}`; accepted: `{}`",
                accepted.join("`, `")
            ))
            .at(&self.path)),
        }
    }

    /// A section in the form that a kind reads; its default when the job does not have it.
    ///
    /// # Errors
    /// When it has another form.
    pub fn section<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, KindError> {
        match self.table.contains_key(name) {
            true => self.required(name),
            false => Ok(T::default()),
        }
    }

    /// A section that the job must have.
    ///
    /// # Errors
    /// When it is missing or has another form.
    pub fn required<T: DeserializeOwned>(&self, name: &str) -> Result<T, KindError> {
        let Some(value) = self.table.get(name) else {
            return Err(KindError::bad_input(format!("the job needs a section [{name}]")).at(&self.path));
        };
        value.clone().try_into().map_err(|error: toml::de::Error| {
            KindError::bad_input(format!("[{name}]: {}", error.message())).at(&self.path)
        })
    }

    /// Where the release goes.
    ///
    /// # Errors
    /// When the section is missing or has another form.
    pub fn output(&self) -> Result<OutputSection, KindError> {
        self.required("output")
    }

    /// What the release must stand.
    ///
    /// # Errors
    /// When the section has another form or a number is out of range.
    pub fn adversary(&self) -> Result<AdversarySection, KindError> {
        let section: AdversarySection = self.section("adversary")?;
        for (key, limit) in [("max-risk", section.max_risk), ("max-absolute-risk", section.max_absolute_risk)]
        {
            if limit.is_some_and(|limit| !(0.0..=1.0).contains(&limit)) {
                let problem = "must be a share from 0 to 1, such as 0.05";
                return Err(KindError::key(format!("adversary.{key}"), problem).at(&self.path));
            }
        }
        if !(section.confidence > 0.0 && section.confidence <= 1.0) {
            let problem = "must be above 0 and at most 1, such as 0.9";
            return Err(KindError::key("adversary.confidence", problem).at(&self.path));
        }
        Ok(section)
    }
}

/// The `[output]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OutputSection {
    /// The folder of the release.
    pub folder: PathBuf,
    /// The folder for the owner alone: who is who, and what measuring and attacking found.
    #[serde(default)]
    pub home: Option<PathBuf>,
    /// Whether a release that stands there is replaced.
    #[serde(default)]
    pub replace: bool,
    /// The file of the private key that signs the release.
    #[serde(default)]
    pub sign: Option<PathBuf>,
}

impl OutputSection {
    /// The key that signs, if the job names one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn key(&self, job: &JobFile) -> Result<Option<PrivateKey>, KindError> {
        let read = |path: &PathBuf| {
            PrivateKey::read(&job.resolve(path)).map_err(|error| KindError::bad_input(error.to_string()))
        };
        self.sign.as_ref().map(read).transpose()
    }
}

/// The `[adversary]` section.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdversarySection {
    /// The attacks to make; those of the gate when left out.
    pub attacks: Option<Vec<String>>,
    /// The file that says what the adversary knows besides.
    pub knowledge: Option<PathBuf>,
    /// How sure an adversary must be for a conclusion to count.
    pub confidence: f64,
    /// The largest share that an attack may reach beyond its control; no release is written above it.
    pub max_risk: Option<f64>,
    /// The largest share that an attack may reach, whatever is reached without the release.
    pub max_absolute_risk: Option<f64>,
    /// The seed of attacks that draw at random.
    pub seed: u64,
}

impl Default for AdversarySection {
    fn default() -> Self {
        Self {
            attacks: None,
            knowledge: None,
            confidence: 0.9,
            max_risk: None,
            max_absolute_risk: None,
            seed: 1,
        }
    }
}

/// Reads a TOML file. No message quotes a line of it: a table may have been given by mistake.
pub(crate) fn read_toml(path: &Path) -> Result<toml::Table, KindError> {
    let bytes = privet_data::io::read_plain(path, MOST_BYTES).map_err(|error| KindError::io(path, &error))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| KindError::bad_input("the file is not valid UTF-8; save it as UTF-8").at(path))?;
    text.parse::<toml::Table>().map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        KindError::bad_input(format!("line {line}: the file is not TOML")).at(path)
    })
}

/// Sets `section.key=value`; the value is TOML, or a plain text when it is not.
fn set(table: &mut toml::Table, setting: &str) -> Result<(), KindError> {
    let wrong = || KindError::bad_input("--set takes KEY=VALUE, such as output.replace=true");
    let (path, value) = setting.split_once('=').ok_or_else(wrong)?;
    let (path, value) = (path.trim(), value.trim());
    let parsed = toml::from_str::<toml::Table>(&format!("value = {value}"))
        .ok()
        .filter(|table| table.len() == 1)
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| toml::Value::String(value.to_owned()));
    let mut keys: Vec<&str> = path.split('.').map(str::trim).collect();
    let last = keys.pop().filter(|key| !key.is_empty()).ok_or_else(wrong)?;
    let mut table = table;
    for key in keys {
        let inner = table.entry(key).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        table = inner.as_table_mut().ok_or_else(|| {
            KindError::bad_input("--set: the key lies inside a value that is not a section")
        })?;
    }
    table.insert(last.to_owned(), parsed);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_set_and_unknown_sections_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job.toml");
        std::fs::write(&path, "kind = \"sample\"\n[output]\nfolder = \"out\"\n").unwrap();
        let job = JobFile::read(&path, &["adversary.max-risk=0.1".into(), "output.folder=b".into()]).unwrap();
        assert_eq!(job.kind(), Some("sample"));
        assert_eq!(job.adversary().unwrap().max_risk, Some(0.1));
        assert_eq!(job.resolve(&job.output().unwrap().folder), folder.path().join("b"));
        assert!(job.check_sections(&[]).is_ok());
        let job = JobFile::read(&path, &["other.key=1".into()]).unwrap();
        assert!(job.check_sections(&[]).is_err());
        assert!(JobFile::read(&path, &["adversary.max-risk=7".into()]).unwrap().adversary().is_err());
    }

    #[test]
    fn a_table_given_for_a_job_is_not_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.csv");
        std::fs::write(&path, "name,age\nMallory,41\n").unwrap();
        let message = JobFile::read(&path, &[]).unwrap_err().to_string();
        assert!(message.contains("line 1") && !message.contains("Mallory") && !message.contains("age"));
    }
}
