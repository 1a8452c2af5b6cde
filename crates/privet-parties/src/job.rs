//! The job file of a session: the same bytes for all parties, whose hash they compare before anything else is sent.

mod check;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use privet_data::hierarchy::HierarchySpec;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::PartyError;
use crate::session::tls::parse_fingerprint;
use crate::session::{Endpoint, Limits};

/// The most parties of a session.
pub const MOST_PARTIES: usize = 16;

/// A job as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Job {
    /// How long parties wait for each other.
    #[serde(default)]
    pub session: SessionSection,
    /// Who takes part, in an order that all share.
    pub parties: Vec<PartySection>,
    /// What the columns hold.
    #[serde(default)]
    pub columns: BTreeMap<String, ColumnSection>,
    /// What is computed.
    pub task: Task,
    /// What is not shown.
    #[serde(default)]
    pub privacy: PrivacySection,
    /// What the gate tries before anything is written.
    #[serde(default)]
    pub adversary: AdversarySection,
}

/// Seconds that a party waits.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SessionSection {
    /// For all parties to be there.
    pub connect_seconds: u64,
    /// For a sign of life.
    pub silence_seconds: u64,
    /// For a message of a party that is alive.
    pub step_seconds: u64,
}

impl Default for SessionSection {
    fn default() -> Self {
        Self { connect_seconds: 60, silence_seconds: 15, step_seconds: 600 }
    }
}

/// A party.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PartySection {
    /// What it is called.
    pub name: String,
    /// Host and port where it listens.
    pub address: String,
    /// The SHA-256 of its certificate, as `privet party keys` prints it.
    pub certificate: String,
    /// Its file, relative to its copy of the job file.
    pub input: PathBuf,
    /// Where it writes; relative to its copy of the job file.
    #[serde(default)]
    pub output: Option<PathBuf>,
    /// The ledger that it charges, and the account in it.
    #[serde(default)]
    pub ledger: Option<PathBuf>,
}

/// What a column holds: declared values, or numbers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ColumnSection {
    /// The values, in the order of results.
    #[serde(default)]
    pub values: Vec<String>,
    /// Numbers: the lowest and the highest.
    #[serde(default)]
    pub range: Option<(f64, f64)>,
    /// Numbers as categories: how wide one is.
    #[serde(default)]
    pub step: Option<f64>,
    /// Numbers: digits behind the point that count.
    #[serde(default)]
    pub decimals: u32,
    /// How values are generalized.
    #[serde(default)]
    pub hierarchy: Option<HierarchySpec>,
    /// The party that has the column, where parties have different columns of the same people.
    #[serde(default)]
    pub party: Option<String>,
}

/// What is computed.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", deny_unknown_fields, rename_all = "kebab-case")]
pub enum Task {
    /// How many records have each combination of values.
    Counts {
        /// The columns.
        columns: Vec<String>,
        /// Two parties that check what the others send; these need not be honest then.
        #[serde(default)]
        collectors: Option<[String; 2]>,
        /// With collectors: the most people that a party may have in a cell.
        #[serde(default)]
        most: Option<u64>,
    },
    /// A k-anonymous table of all records.
    Table {
        /// Columns that are generalized.
        quasi: Vec<String>,
        /// A column that is kept.
        #[serde(default)]
        sensitive: Option<String>,
        /// People who look alike.
        k: u64,
    },
    /// Naive Bayes.
    NaiveBayes {
        /// What is predicted.
        class: String,
        /// From what.
        attributes: Vec<String>,
        /// Parties with different columns: what tells people apart.
        #[serde(default)]
        identifier: Option<String>,
    },
    /// A decision tree.
    Tree {
        /// What is predicted.
        class: String,
        /// From what.
        attributes: Vec<String>,
        /// Questions from root to leaf.
        depth: usize,
        /// The least gain of a split, in bits.
        #[serde(default)]
        gain: f64,
    },
    /// k-means.
    Clusters {
        /// Columns of numbers.
        columns: Vec<String>,
        /// How many clusters.
        clusters: usize,
        /// Rounds at most.
        #[serde(default = "twenty")]
        rounds: usize,
        /// Parties with different columns: what tells people apart.
        #[serde(default)]
        identifier: Option<String>,
    },
    /// Association rules.
    Rules {
        /// Transactions that make an itemset large.
        support: u64,
        /// The least confidence.
        confidence: f64,
        /// Items of an itemset at most.
        #[serde(default = "three")]
        longest: usize,
        /// Files of transactions: distinct items of a party at most.
        #[serde(default = "thousand")]
        items: usize,
        /// Files of transactions: what stands between items.
        #[serde(default = "comma")]
        separator: char,
        /// Parties with different columns: what tells people apart. Items are then the columns of this job whose value is the first declared.
        #[serde(default)]
        identifier: Option<String>,
    },
    /// Correlations of all pairs of columns, and a regression when a target is named.
    Correlation {
        /// Columns of numbers.
        columns: Vec<String>,
        /// What is explained by the other columns.
        #[serde(default)]
        target: Option<String>,
        /// What tells people apart.
        identifier: String,
    },
    /// How many people all parties know, or the sum of a column of the second party over these.
    Intersection {
        /// What tells people apart.
        identifier: String,
        /// The second party's column of whole numbers.
        #[serde(default)]
        sum: Option<String>,
    },
    /// The values that some party has in a column.
    Union {
        /// The column.
        column: String,
        /// Distinct values of a party at most.
        #[serde(default = "thousand")]
        items: usize,
    },
}

fn twenty() -> usize {
    20
}

fn three() -> usize {
    3
}

fn thousand() -> usize {
    1000
}

fn comma() -> char {
    ','
}

/// What is not shown.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PrivacySection {
    /// Counts below this are not opened, not even to the parties.
    pub min_count: u64,
    /// Counts get noise of every party, and every party's ledger is charged this.
    pub epsilon: Option<String>,
    /// Tables: what the release promises besides k-anonymity, in the words of a job for records.
    pub also: Option<toml::Table>,
}

/// What the gate tries.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdversarySection {
    /// The largest share of people about whom an attack may be sure.
    pub max_risk: Option<f64>,
    /// How sure that is.
    pub confidence: Option<f64>,
}

impl Task {
    /// The columns that it uses, without the identifier.
    pub fn columns(&self) -> Vec<&String> {
        match self {
            Self::Counts { columns, .. }
            | Self::Clusters { columns, .. }
            | Self::Correlation { columns, .. } => columns.iter().collect(),
            Self::Table { quasi, sensitive, .. } => quasi.iter().chain(sensitive).collect(),
            Self::NaiveBayes { class, attributes, .. } | Self::Tree { class, attributes, .. } => {
                std::iter::once(class).chain(attributes).collect()
            }
            Self::Rules { .. } | Self::Intersection { .. } | Self::Union { .. } => Vec::new(),
        }
    }

    /// What tells people apart, where parties have different columns of the same people.
    pub fn identifier(&self) -> Option<&String> {
        match self {
            Self::NaiveBayes { identifier, .. }
            | Self::Clusters { identifier, .. }
            | Self::Rules { identifier, .. } => identifier.as_ref(),
            Self::Correlation { identifier, .. } | Self::Intersection { identifier, .. } => Some(identifier),
            Self::Counts { .. } | Self::Table { .. } | Self::Tree { .. } | Self::Union { .. } => None,
        }
    }
}

/// A job that was read and checked.
#[derive(Debug, Clone)]
pub struct ReadJob {
    /// What it says.
    pub job: Job,
    /// The SHA-256 of the file.
    pub hash: [u8; 32],
    /// The folder that paths are relative to.
    pub base: PathBuf,
}

impl ReadJob {
    /// Reads a job file.
    ///
    /// # Errors
    /// When it cannot be read or says something that is not possible.
    pub fn read(path: &Path) -> Result<Self, PartyError> {
        let failed = |error| PartyError::io(path, "cannot be read", error);
        let text = privet_data::io::read_plain_text(path).map_err(failed)?;
        let base = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Self::parse(&text, base)
    }

    /// Reads a job from its text.
    ///
    /// # Errors
    /// As [`ReadJob::read`].
    pub fn parse(text: &str, base: PathBuf) -> Result<Self, PartyError> {
        let job: Job = toml::from_str(text).map_err(|error| PartyError::Job(error.message().to_owned()))?;
        let read = Self { job, hash: Sha256::digest(text.as_bytes()).into(), base };
        read.check()?;
        Ok(read)
    }

    /// Whether parties have different columns of the same people.
    pub fn is_vertical(&self) -> bool {
        self.job.task.identifier().is_some()
    }

    /// The number of a party.
    pub fn party(&self, name: &str) -> Option<usize> {
        self.job.parties.iter().position(|party| party.name == name)
    }

    /// How all parties are reached.
    pub fn endpoints(&self) -> Vec<Endpoint> {
        let endpoint = |party: &PartySection| Endpoint {
            name: party.name.clone(),
            address: party.address.clone(),
            certificate: parse_fingerprint(&party.certificate).unwrap_or_default(), // why: `check` has parsed it
        };
        self.job.parties.iter().map(endpoint).collect()
    }

    /// How long to wait.
    pub fn limits(&self) -> Limits {
        let SessionSection { connect_seconds, silence_seconds, step_seconds } = self.job.session;
        let [connect, silence, step] = [connect_seconds, silence_seconds, step_seconds]
            .map(|own| Duration::from_secs(own.clamp(1, 86_400)));
        Limits { connect, silence, step }
    }

    /// Where a party writes.
    pub fn output(&self, party: usize) -> PathBuf {
        let own = &self.job.parties[party];
        self.base.join(own.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}-result", own.name))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(task: &str, columns: &str) -> String {
        let party = |name: &str, digit: char| {
            format!(
                "[[parties]]\nname = \"{name}\"\naddress = \"127.0.0.1:1\"\ncertificate = \"{}\"\ninput = \"a.csv\"\n",
                digit.to_string().repeat(64)
            )
        };
        format!("{}{}{columns}\n[task]\n{task}\n", party("a", '1'), party("b", '2'))
    }

    #[test]
    fn jobs_are_checked() {
        let parse = |text: &str| ReadJob::parse(text, PathBuf::new()).map_err(|error| error.to_string());
        let counts = "type = \"counts\"\ncolumns = [\"sex\"]";
        let sex = "[columns.sex]\nvalues = [\"f\", \"m\"]";
        assert!(parse(&text(counts, sex)).is_ok());
        assert!(parse(&text(counts, "")).unwrap_err().contains("not declared"));
        assert!(parse(&text(counts, "[columns.sex]")).unwrap_err().contains("needs either"));
        assert!(parse(&text(counts, &format!("{sex}\nparty = \"c\""))).unwrap_err().contains("party"));
        assert!(parse(&text(counts, sex).replace("\"b\"", "\"a\"")).unwrap_err().contains("same name"));
        assert!(parse(&text(counts, sex).replace(&"2".repeat(64), "x")).unwrap_err().contains("SHA-256"));
        assert!(parse(&text("type = \"table\"\nquasi = []\nk = 0", sex)).is_err());
        let risk = "[adversary]\nmax-risk = 0.1";
        assert!(parse(&text(&format!("{counts}\n{risk}"), sex)).unwrap_err().contains("max-risk"));
        assert!(parse(&text(&format!("{counts}\n[privacy]\nmin-count = 2\n{risk}"), sex)).is_ok());
        for (collectors, problem) in [
            ("collectors = [\"a\", \"a\"]\nmost = 5", "two of the job's parties"),
            ("collectors = [\"a\", \"b\"]\nmost = 5", "at least three"),
            ("most = 5", "names none"),
        ] {
            let error = parse(&text(&format!("{counts}\n{collectors}"), sex)).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
        let ages = "[columns.age]\nrange = [0, 3]\ndecimals = 6";
        let clusters = "type = \"clusters\"\ncolumns = [\"age\"]\nclusters = 2";
        assert!(parse(&text(clusters, ages)).unwrap_err().contains("2^20"));
        let one = text(counts, sex);
        assert_ne!(parse(&one).unwrap().hash, parse(&format!("{one}\n")).unwrap().hash);
    }
}
