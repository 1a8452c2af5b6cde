//! The sections of releases of counts: `[[views]]` (survey ME-14) and `[[count-tables]]` (survey ME-02) of a job.
//!
//! One job makes either views or tables with totals. Totals are views of fewer columns, and small ones among them are
//! hidden because somebody could subtract them; a view beside them would publish what was hidden. For the same reason
//! tables with totals may share no column. Without a shared column, whatever counts one of them leaves open fit whatever
//! counts another does (any two tables with the same grand total have a joint one), so each is as safe as it is alone.

pub mod promises;

use std::collections::{BTreeMap, BTreeSet};

use privet_attack::ids;
use privet_criteria::Requirement;
use privet_data::Role;
use privet_measure::Metric;
use privet_perturb::tables::Target;
use privet_recode::bucket::{Protection, Suppression, ViewKind};
use privet_recode::lattice::Options;
use privet_release::counts::COUNT;
use serde::Deserialize;

use crate::error::JobError;
use crate::job::Job;

/// The attacks on counts, by the words that files use.
pub const ATTACKS: [&str; 4] = [ids::HOMOGENEITY, ids::MARGINS, ids::SUPPRESSION_RECOVERY, ids::COMPOSITION];

/// A `[[views]]` section: columns that are published together.
#[derive(Debug, Clone)]
pub struct ViewSection {
    /// Quasi and sensitive columns.
    pub columns: Vec<String>,
    /// Counts, or each combination as often as it occurs.
    pub kind: ViewKind,
    /// What this view promises in place of what `[privacy]` says of the same model and column, or besides it.
    pub privacy: Vec<Requirement>,
}

/// The same as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawView {
    columns: Vec<String>,
    #[serde(default)]
    kind: ViewKind,
    #[serde(default)]
    privacy: toml::Table,
}

impl RawView {
    /// Reads its promises; views are counted from 1.
    pub fn read(self, number: usize) -> Result<ViewSection, JobError> {
        let Self { columns, kind, privacy } = self;
        let privacy =
            crate::job::promises(&privacy).map_err(|error| promises::wrong_in_view(number, &error))?;
        Ok(ViewSection { columns, kind, privacy })
    }
}

/// A `[[count-tables]]` section: counts over columns with all their totals, small ones hidden.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CountTableSection {
    /// Quasi and sensitive columns.
    pub columns: Vec<String>,
    /// Counts above 0 and below this are hidden.
    #[serde(default = "threshold")]
    pub threshold: u64,
    /// How far off an outsider must be; the threshold both ways when left out.
    #[serde(default)]
    pub protection: Option<Protection>,
    /// Whether cells without records may be hidden for the sake of others.
    #[serde(default = "yes")]
    pub suppress_zeros: bool,
    /// What is done about small counts.
    #[serde(default)]
    pub method: TableMethod,
    /// Moved counts: what is least; the sum of all moves when left out.
    #[serde(default)]
    pub norm: Option<Norm>,
    /// Changed counts: sets of columns whose totals stay; each column by itself when left out.
    #[serde(default)]
    pub margins: Option<Vec<Vec<String>>>,
    /// Drawn counts: the steps of the walk; a hundred for each record when left out.
    #[serde(default)]
    pub steps: Option<u64>,
    /// Drawn counts: the law that the walk tends to.
    #[serde(default)]
    pub target: Option<Target>,
    /// Drawn counts: the seed; from the operating system when left out.
    #[serde(default)]
    pub seed: Option<u64>,
    /// The level of quasi columns; 0 when left out.
    #[serde(default)]
    pub levels: BTreeMap<String, usize>,
}

fn threshold() -> u64 {
    Suppression::default().threshold
}

fn yes() -> bool {
    Suppression::default().suppress_zeros
}

impl CountTableSection {
    /// The rule by which small counts are hidden.
    pub fn rule(&self) -> Suppression {
        Suppression {
            threshold: self.threshold,
            protection: self.protection,
            suppress_zeros: self.suppress_zeros,
        }
    }

    /// How far below and above a small count an outsider must think possible.
    pub fn protection(&self) -> Protection {
        self.protection.unwrap_or(Protection { lower: self.threshold, upper: self.threshold })
    }
}

/// Whether a job asks for a release of counts.
pub fn asked(job: &Job) -> bool {
    !job.views.is_empty() || !job.count_tables.is_empty()
}

/// Checks what a job says of views and tables of counts.
pub fn check(job: &Job) -> Result<(), JobError> {
    let wrong = |key: &str, problem: &str| Err(JobError::key(key, problem));
    if asked(job) && job.adversary.knowledge.is_some() {
        return wrong(
            "adversary.knowledge",
            "does not go with counts: they are attacked by what their tables tell, and by somebody who knows who is in the data. \
             Leave it out",
        );
    }
    if asked(job) && job.output.home.is_some() {
        return wrong("output.home", "goes with releases of records; leave it out");
    }
    if !job.views.is_empty() && !job.count_tables.is_empty() {
        return wrong(
            "count-tables",
            "do not go with [[views]] in one job: a view could publish a total that a table hides. Publish the one or \
             the other",
        );
    }
    let search = &job.search;
    let what = "does not go with [[views]] or [[count-tables]]";
    if !search.is::<Options>() {
        return wrong("search.algorithm", &format!("{what}; leave it out"));
    }
    if search.publish.is_some() {
        return wrong("search.publish", &format!("{what}; leave it out"));
    }
    if search.suppress_at_most > 0.0 {
        return wrong("search.suppress-at-most", &format!("{what}: every record is counted. Leave it out"));
    }
    if job.sampling.is_some() {
        return wrong(
            "sampling",
            &format!("{what}: counts of a sample are easily taken for counts of all. Leave it out"),
        );
    }
    if search.minimal_nodes {
        return wrong("search.minimal-nodes", &format!("{what}; leave it out"));
    }
    if search.class.is_some() {
        return wrong("search.class", &format!("{what}; leave it out"));
    }
    if search.minimize.needs_class() || (job.views.is_empty() && search.minimize != Metric::default()) {
        return wrong("search.minimize", "goes with [[views]] only, and without class labels; leave it out");
    }
    if job.views.is_empty() { check_tables(job) } else { check_views(job) }
}

fn check_views(job: &Job) -> Result<(), JobError> {
    for (number, view) in job.views.iter().enumerate() {
        let is_counted = view.kind == ViewKind::Counts;
        check_columns(job, "views.columns", &format!("of view {}", number + 1), &view.columns, is_counted)?;
        let own: BTreeSet<&String> = view.columns.iter().collect();
        if job.views[..number].iter().any(|other| own == other.columns.iter().collect()) {
            let problem = format!("of view {} are those of another view", number + 1);
            return Err(JobError::key("views.columns", problem));
        }
        let publishable = job.columns.values().filter(|column| is_publishable(column.role)).count();
        if own.len() == publishable {
            let problem = format!(
                "of view {} are all quasi and sensitive columns, which is the table itself; leave the views out, or name \
                 fewer columns",
                number + 1
            );
            return Err(JobError::key("views.columns", problem));
        }
    }
    let common = job.privacy.iter().map(|common| (None, common));
    let own = job
        .views
        .iter()
        .zip(1..)
        .flat_map(|(view, number)| view.privacy.iter().map(move |own| (Some(number), own)));
    for (view, requirement) in common.chain(own) {
        let problem = match requirement {
            Requirement::DeltaPresence { .. } | Requirement::KMap { .. } => {
                "cannot be promised of views: it compares classes of all quasi columns with a population"
            }
            Requirement::LDiversity { multi_attribute: true, .. } => {
                "with multi-attribute cannot be promised of views, which part the sensitive columns; leave it out"
            }
            _ => continue,
        };
        return Err(match view {
            None => JobError::key(format!("privacy.{}", requirement.key()), problem),
            Some(number) => JobError::key(
                format!("views.privacy.{}", requirement.key()),
                format!("of view {number} {problem}"),
            ),
        });
    }
    Ok(())
}

fn check_tables(job: &Job) -> Result<(), JobError> {
    let mut taken: BTreeSet<&String> = BTreeSet::new();
    for (number, table) in job.count_tables.iter().enumerate() {
        let of = format!("of table {}", number + 1);
        let wrong = |key: &str, problem: &str| Err(JobError::key(key, format!("{of} {problem}")));
        check_columns(job, "count-tables.columns", &of, &table.columns, true)?;
        if table.columns.iter().any(|name| !taken.insert(name)) {
            return wrong(
                "count-tables.columns",
                "share one with another table: what both tell of it would have to be hidden in both. Publish one table \
                 with the columns of both, or one of them",
            );
        }
        if table.threshold < 2 {
            return wrong("count-tables.threshold", "must be at least 2: no count is above 0 and below 1");
        }
        let Protection { lower, upper } = table.protection();
        if lower == 0 || upper == 0 {
            return wrong("count-tables.protection", "must have a lower and an upper of at least 1");
        }
        check_change(table, &of)?;
        if table.method != TableMethod::Suppress && !job.privacy.is_empty() {
            return Err(JobError::key(
                "privacy",
                "cannot be promised of count tables whose counts are changed; leave it out, or hide counts with method = \
                 \"suppress\"",
            ));
        }
        for name in table.levels.keys() {
            let is_quasi = job.columns.get(name).is_some_and(|column| column.role == Role::Quasi);
            if !is_quasi || !table.columns.contains(name) {
                return wrong("count-tables.levels", "may name quasi columns of the table only");
            }
        }
        for requirement in &job.privacy {
            let k = match requirement {
                Requirement::KAnonymity { k } => *k,
                other => {
                    return Err(JobError::key(
                        format!("privacy.{}", other.key()),
                        "cannot be promised of [[count-tables]]; they hide counts below a threshold. Leave [privacy] out, \
                         or promise k-anonymity alone, which the threshold must then reach",
                    ));
                }
            };
            if k > table.threshold {
                return wrong(
                    "count-tables.threshold",
                    &format!("is below the k of privacy.k-anonymity; it must be at least {k}"),
                );
            }
        }
    }
    Ok(())
}

fn is_publishable(role: Role) -> bool {
    matches!(role, Role::Quasi | Role::Sensitive)
}

fn check_columns(
    job: &Job,
    key: &str,
    of: &str,
    columns: &[String],
    is_counted: bool,
) -> Result<(), JobError> {
    let wrong = |problem: String| Err(JobError::key(key, format!("{of} {problem}")));
    if columns.is_empty() {
        return wrong("are none; name at least one quasi or sensitive column".to_owned());
    }
    for (at, name) in columns.iter().enumerate() {
        match job.columns.get(name).map(|column| column.role) {
            None => return wrong(format!("name {name}, which has no [columns] section")),
            Some(role) if !is_publishable(role) => {
                return wrong(format!(
                    "name {name}, whose role is \"{}\"; quasi and sensitive columns are counted",
                    role.word()
                ));
            }
            Some(_) => {}
        }
        if columns[..at].contains(name) {
            return wrong(format!("name {name} twice"));
        }
        if is_counted && name == COUNT {
            return wrong(format!(
                "name {COUNT}, which is what the column of counts is called; rename it in the input"
            ));
        }
    }
    Ok(())
}

/// What is least where counts are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// The sum of all moves.
    #[default]
    L1,
    /// The largest move, and of tables where that is the same the sum.
    Linf,
}

/// What is done about small counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableMethod {
    /// They are hidden, and others with them.
    #[default]
    Suppress,
    /// They are moved, and others as little as possible.
    Adjust,
    /// The table is replaced by one that is drawn from those with the same totals.
    Resample,
}

/// The most steps.
pub const MOST_STEPS: u64 = 1_000_000_000;

/// The form of the keys that say how counts are changed.
///
/// # Errors
/// When keys do not go together.
pub fn check_change(section: &CountTableSection, of: &str) -> Result<(), JobError> {
    let wrong = |key: &str, problem: &str| Err(JobError::key(key, format!("{of} {problem}")));
    let resamples = section.method == TableMethod::Resample;
    for (key, is_there, may_be, goes_with) in [
        (
            "count-tables.margins",
            section.margins.is_some(),
            section.method != TableMethod::Suppress,
            "\"adjust\" or \"resample\"",
        ),
        ("count-tables.norm", section.norm.is_some(), section.method == TableMethod::Adjust, "\"adjust\""),
        ("count-tables.steps", section.steps.is_some(), resamples, "\"resample\""),
        ("count-tables.target", section.target.is_some(), resamples, "\"resample\""),
        ("count-tables.seed", section.seed.is_some(), resamples, "\"resample\""),
    ] {
        if is_there && !may_be {
            return wrong(key, &format!("goes with method = {goes_with} only"));
        }
    }
    if resamples && section.protection.is_some() {
        return wrong(
            "count-tables.protection",
            "does not go with method = \"resample\", which moves counts by chance alone",
        );
    }
    if resamples && !section.suppress_zeros {
        return wrong(
            "count-tables.suppress-zeros",
            "= false does not go with method = \"resample\", which may fill any cell",
        );
    }
    if resamples && section.columns.len() < 2 {
        return wrong(
            "count-tables.method",
            "= \"resample\" needs at least two columns: the totals of one are its counts",
        );
    }
    if section.steps.is_some_and(|steps| steps == 0 || steps > MOST_STEPS) {
        return wrong("count-tables.steps", "must be from 1 to 1000000000");
    }
    let Some(margins) = &section.margins else { return Ok(()) };
    for margin in margins {
        let is_column = |name: &String| section.columns.contains(name);
        let mut names = margin.clone();
        names.sort();
        names.dedup();
        if margin.is_empty() || names.len() != margin.len() || !margin.iter().all(is_column) {
            return wrong(
                "count-tables.margins",
                "must be lists of columns of the table, each column once in a list",
            );
        }
        if margin.len() == section.columns.len() && section.columns.len() > 1 {
            return wrong(
                "count-tables.margins",
                "have all columns in one list, so that no count could change; name fewer",
            );
        }
    }
    if margins.is_empty() {
        return wrong(
            "count-tables.margins",
            "are none; leave the key out to keep the totals of each column",
        );
    }
    Ok(())
}
