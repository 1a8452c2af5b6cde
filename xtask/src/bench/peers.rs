//! What another program reached and needed: `peer-optima.tsv` beside the shared data, and the same jobs for privet.

use std::path::Path;

use anyhow::{Context, Result, bail};

/// One job with the peer's figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Peer {
    /// The data set.
    pub data: String,
    /// Its quasi columns.
    pub quasi: Vec<String>,
    /// What must hold, as in the file: `k=5 entropy-l=3`.
    pub criteria: String,
    /// The share of records that may be suppressed.
    pub suppress_at_most: f64,
    /// The least loss.
    pub optimal_loss: f64,
    /// Seconds for the search.
    pub search: f64,
    /// Seconds for reading, searching and writing to memory.
    pub total: f64,
}

/// The column that the criteria beyond k-anonymity are about.
const SENSITIVE: &str = "occupation";

impl Peer {
    /// Reads the table: comments, a line with the names of its columns, one line per job.
    pub fn table(text: &str) -> Result<Vec<Self>> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let head: Vec<&str> = lines.next().context("the table of peers is empty")?.split('\t').collect();
        lines
            .map(|line| {
                let cells: Vec<&str> = line.split('\t').collect();
                let cell = |name: &str| -> Result<&str> {
                    let position = head.iter().position(|&column| column == name);
                    let cell = position.and_then(|position| cells.get(position));
                    cell.copied().with_context(|| format!("the table of peers lacks {name}"))
                };
                Ok(Self {
                    data: cell("data")?.to_owned(),
                    quasi: cell("quasi_columns")?.split(',').map(str::to_owned).collect(),
                    criteria: cell("criteria")?.to_owned(),
                    suppress_at_most: cell("suppress_at_most")?.parse()?,
                    optimal_loss: cell("optimal_loss")?.parse()?,
                    search: cell("search_s")?.parse()?,
                    total: cell("total_s")?.parse()?,
                })
            })
            .collect()
    }

    /// A short name for the job.
    pub fn name(&self) -> String {
        format!("{} {} {} %", self.data, self.criteria, self.suppress_at_most * 100.0)
    }

    /// How many times faster than the peer the search should be.
    pub fn search_target(&self) -> f64 {
        if self.data == "census9" && self.suppress_at_most > 0.0 {
            50.0
        } else if self.suppress_at_most >= 1.0 {
            // Where everything may be suppressed, suppression prunes nothing.
            40.0
        } else if self.search > 0.5 {
            25.0
        } else {
            10.0
        }
    }

    /// The job file. `data` is the folder of data sets, `release` where the release goes.
    pub fn job(&self, data: &Path, release: &Path) -> Result<String> {
        let folder = data.join(&self.data);
        let path = |path: &Path| quoted(&path.to_string_lossy());
        let mut job = format!("[input]\npath = {}\n", path(&folder.join(format!("{}.csv", self.data))));
        for column in &self.quasi {
            let hierarchy = folder.join(format!("{}_hierarchy_{column}.csv", self.data));
            job.push_str(&format!(
                "[columns.{}]\nrole = \"quasi\"\nhierarchy = {}\n",
                quoted(column),
                path(&hierarchy)
            ));
        }
        let mut privacy = String::from("[privacy]\n");
        let mut about_sensitive = false;
        for criterion in self.criteria.split_whitespace() {
            let (name, value) = criterion.split_once('=').context("a criterion needs a value")?;
            let (key, parameter) = match name {
                "k" => {
                    privacy.push_str(&format!("k-anonymity = {value}\n"));
                    continue;
                }
                "distinct-l" => ("l-diversity", "kind = \"distinct\", l"),
                "entropy-l" => ("l-diversity", "kind = \"entropy\", l"),
                "t-equal" => ("t-closeness", "kind = \"equal\", t"),
                other => bail!("the table of peers has a criterion {other} that is not known here"),
            };
            privacy.push_str(&format!("{key} = {{ {parameter} = {value}, column = \"{SENSITIVE}\" }}\n"));
            about_sensitive = true;
        }
        if about_sensitive {
            job.push_str(&format!("[columns.{SENSITIVE}]\nrole = \"sensitive\"\n"));
        }
        job.push_str(&privacy);
        job.push_str(&format!("[search]\nsuppress-at-most = {}\n", self.suppress_at_most));
        job.push_str(&format!("[output]\nfolder = {}\n", path(release)));
        Ok(job)
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# comment\n\
        data\tquasi_columns\tcriteria\tsuppress_at_most\toptimal_loss\tsearch_s\ttotal_s\n\
        adult\tsex,native-country\tk=5 t-equal=0.2\t0.02\t0.25\t1.5\t2\n";

    #[test]
    fn a_row_becomes_a_job() {
        let peers = Peer::table(TABLE).unwrap();
        assert_eq!((peers.len(), peers[0].name().as_str()), (1, "adult k=5 t-equal=0.2 2 %"));
        assert_eq!(peers[0].search_target(), 25.0);
        let job = peers[0].job(Path::new("data"), Path::new("out")).unwrap();
        assert!(job.contains("[columns.\"native-country\"]"), "{job}");
        assert!(job.contains("adult_hierarchy_sex.csv"), "{job}");
        assert!(
            job.contains("t-closeness = { kind = \"equal\", t = 0.2, column = \"occupation\" }"),
            "{job}"
        );
        assert!(job.contains("[columns.occupation]\nrole = \"sensitive\""), "{job}");
        assert!(Peer::table("# nothing\n").is_err());
    }
}
