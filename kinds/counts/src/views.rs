//! Views of one table (survey ME-14): at which levels they are safe, each by itself and all together.
//!
//! Every view is first searched by itself for the levels of least loss at which its promises hold. A column is then
//! taken at the highest level that any view needs, in all of them: a column at two levels would tell more than at one.
//! While a view fails or the views together tell too much, the column that adds least loss is raised; at the end, columns
//! are lowered again where that is safe.
//!
//! **Guarantee.** At the levels found every view keeps every promise of the job that it can break, and those of its own
//! (`promises.rs`), no group of fewer than k records
//! (the least k that a view promises) is proven to exist by all views together, and no sensitive value follows from them. No
//! column can be lowered by itself, when raising was needed. Another choice of levels may lose less.

use privet_criteria::{Criterion, Requirement};
use privet_data::Progress;
use privet_recode::bucket::{Combined, Method, View, ViewCheck, ViewKind, ViewTable, Views};
use privet_recode::lattice::{self, Problem, SearchError};
use privet_release::counts::{CountsColumn, CountsTable, Form, Together, ViewClasses};
use privet_release::manifest::Promise;

use super::promises::Promised;
use super::{Content, Contents, ViewSection};
use crate::alike;
use crate::candidate::Prepared;
use crate::error::RunError;
use crate::job::Job;
use crate::load::Loaded;
use privet_microdata::publish::{evidence_of_values, without_folders};

/// Chooses levels, and makes the tables.
pub(super) fn choose(job: &Job, loaded: &Loaded, progress: &dyn Progress) -> Result<Contents, RunError> {
    let names = Names::new(loaded);
    let wanted: Vec<View> = job.views.iter().map(|view| names.view(view)).collect();
    // Nothing is told about a column that is in no view.
    let all = Promised::new(job, loaded)?;
    let Promised { requirements, of_view } = &all;
    let prepared = Prepared::new(loaded)?;
    let is_wrong = |own: &Requirement| match prepared.criteria(loaded, std::slice::from_ref(own)) {
        Err(RunError::Criterion(error)) => Some(error),
        _ => None,
    };
    let criteria = prepared.criteria(loaded, requirements).map_err(|error| all.blame(error, is_wrong))?;
    let problem = prepared.problem(loaded, job, &criteria);
    // A view that promises less shows smaller groups by itself.
    let sizes = |promised: &Vec<(usize, bool)>| {
        promised.iter().filter_map(|&(at, _)| size(&requirements[at])).max().unwrap_or(1)
    };
    let k = of_view.iter().map(sizes).min().unwrap_or(1);

    let mut levels = vec![0; problem.quasi.len()];
    for (number, (view, promised)) in wanted.iter().zip(of_view).enumerate() {
        let own: Vec<Requirement> = promised.iter().map(|&(at, _)| requirements[at].clone()).collect();
        let criteria = prepared.criteria(loaded, &own)?;
        raise_for(&problem, view, &criteria, &mut levels, progress)
            .map_err(|error| all.refuse(number, error))?;
    }
    let promised: Vec<Vec<usize>> =
        of_view.iter().map(|promised| promised.iter().map(|&(at, _)| at).collect()).collect();
    let settled =
        Search { problem: &problem, wanted: &wanted, promised: &promised, k }.settle(levels, progress)?;
    let safe = settled.map_err(|refusal| match refusal.view {
        Some(view) => all.refuse(view, refusal.error),
        None => refusal.error.into(),
    })?;

    let tables = job.views.iter().enumerate().map(|(number, section)| {
        let promises = of_view[number].iter().map(|&(at, _)| Promise {
            requirement: without_folders(&requirements[at]),
            statement: privet_criteria::statement(&requirements[at], &loaded.sensitive_names()),
            reached: safe.checks[number].reached[at].unwrap_or(0.0),
            worst_class: None,
            evidence: evidence_of_values(loaded, &requirements[at], |column| vec![true; column.domain.len()]),
        });
        let view = &wanted[number];
        let mut content = content(loaded, &names, section, view, &safe.tables[number], &safe.levels);
        content.claim.promises = promises.collect();
        let own = of_view[number].iter().enumerate().filter(|(_, (_, is_own))| *is_own);
        content.claim.own_promises = own.map(|(place, _)| place).collect();
        content.claim.classes =
            Some(ViewClasses { count: safe.checks[number].classes, smallest: safe.checks[number].smallest });
        content
    });
    Ok(Contents { tables: tables.collect(), together: Some(together(&safe.combined)) })
}

/// The size of classes that a promise asks for.
fn size(requirement: &Requirement) -> Option<u64> {
    match requirement {
        Requirement::KAnonymity { k }
        | Requirement::AlphaK { k, .. }
        | Requirement::PSensitivity { k, .. } => Some(*k),
        _ => None,
    }
}

/// Raises the levels to those at which a view by itself loses least.
fn raise_for(
    problem: &Problem<'_>,
    view: &View,
    criteria: &[Box<dyn Criterion>],
    levels: &mut [usize],
    progress: &dyn Progress,
) -> Result<(), SearchError> {
    if view.quasi.is_empty() {
        return Ok(());
    }
    let own = Problem {
        rows: problem.rows,
        quasi: view.quasi.iter().map(|&column| problem.quasi[column]).collect(),
        sensitive: problem.sensitive.clone(),
        label: None,
        criteria,
        metric: problem.metric,
        suppress_at_most: 0,
    };
    let found = lattice::optimal(&own, lattice::Options::default(), progress)?;
    for (&column, level) in view.quasi.iter().zip(found.levels) {
        levels[column] = levels[column].max(level);
    }
    Ok(())
}

/// Levels at which everything holds.
struct Safe {
    levels: Vec<usize>,
    checks: Vec<ViewCheck>,
    tables: Vec<ViewTable>,
    combined: Combined,
}

/// Why levels do not do, and which view is at fault when one is.
struct Refusal {
    view: Option<usize>,
    error: SearchError,
}

struct Search<'p, 'a> {
    problem: &'p Problem<'a>,
    wanted: &'p [View],
    /// Per view which criteria it must keep.
    promised: &'p [Vec<usize>],
    k: u64,
}

impl Search<'_, '_> {
    fn settle(
        &self,
        mut levels: Vec<usize>,
        progress: &dyn Progress,
    ) -> Result<Result<Safe, Refusal>, SearchError> {
        let mut raised = false;
        let mut safe = loop {
            match self.judge(&levels, progress)? {
                Ok(safe) => break safe,
                Err(refusal) => {
                    let Some(column) = self.cheapest(&levels) else { return Ok(Err(refusal)) };
                    levels[column] += 1;
                    raised = true;
                }
            }
        };
        while raised {
            let mut columns: Vec<usize> =
                (0..levels.len()).filter(|&column| safe.levels[column] > 0).collect();
            let saved = |column: usize| {
                self.loss(column, safe.levels[column]) - self.loss(column, safe.levels[column] - 1)
            };
            columns.sort_by(|&a, &b| saved(b).total_cmp(&saved(a)).then(a.cmp(&b)));
            raised = false;
            for column in columns {
                let mut lower = safe.levels.clone();
                lower[column] -= 1;
                if let Ok(found) = self.judge(&lower, progress)? {
                    safe = found;
                    raised = true;
                    break;
                }
            }
        }
        Ok(Ok(safe))
    }

    /// Whether everything holds at these levels; the inner error says what does not.
    fn judge(&self, levels: &[usize], progress: &dyn Progress) -> Result<Result<Safe, Refusal>, SearchError> {
        progress.check()?;
        let views = Views::new(self.problem, levels, self.wanted)?.promising(self.promised);
        let checks = views.check_each();
        if let Some((view, check)) = checks.iter().enumerate().find(|(_, check)| !check.holds()) {
            let criteria = check.fails.clone();
            let error = SearchError::NoSafeNode { failing: check.failing.1, limit: 0, criteria };
            return Ok(Err(Refusal { view: Some(view), error }));
        }
        let combined = match views.combined(self.k, progress) {
            Ok(combined) => combined,
            // Coarser views have fewer joint cells.
            Err(error @ SearchError::TooManyCells { .. }) => return Ok(Err(Refusal { view: None, error })),
            Err(error) => return Err(error),
        };
        Ok(match combined.refuse_unsafe() {
            Ok(()) => Ok(Safe { levels: levels.to_vec(), checks, tables: views.tables(), combined }),
            Err(error) => Err(Refusal { view: None, error }),
        })
    }

    /// The column of a view that adds least loss when it is raised; the first of equals.
    fn cheapest(&self, levels: &[usize]) -> Option<usize> {
        let is_used = |column: &usize| self.wanted.iter().any(|view| view.quasi.contains(column));
        let has_more = |&column: &usize| levels[column] < self.problem.quasi[column].generalization.height();
        let added = |column: usize| self.loss(column, levels[column] + 1) - self.loss(column, levels[column]);
        (0..levels.len())
            .filter(is_used)
            .filter(has_more)
            .min_by(|&a, &b| added(a).total_cmp(&added(b)).then(a.cmp(&b)))
    }

    /// The mean loss of a column at a level, times its weight.
    fn loss(&self, column: usize, level: usize) -> f64 {
        let quasi = &self.problem.quasi[column];
        let of = |(code, &rows): (usize, &u64)| rows as f64 * quasi.generalization.loss(level, code as u32);
        let sum: f64 = quasi.counts.iter().enumerate().map(of).sum();
        quasi.weight * sum / self.problem.rows.max(1) as f64
    }
}

/// Where columns of a job stand in the problem.
struct Names<'a> {
    quasi: Vec<&'a str>,
    sensitive: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn new(loaded: &'a Loaded) -> Self {
        let name = |position: usize| loaded.input.table.columns[position].name.as_str();
        Self {
            quasi: loaded.quasi.iter().map(|quasi| name(quasi.position)).collect(),
            sensitive: loaded.sensitive.iter().map(|sensitive| name(sensitive.position)).collect(),
        }
    }

    fn view(&self, section: &ViewSection) -> View {
        let places = |names: &[&str]| -> Vec<usize> {
            let is_in = |(_, name): &(usize, &&str)| section.columns.iter().any(|column| column == *name);
            names.iter().enumerate().filter(is_in).map(|(place, _)| place).collect()
        };
        View { quasi: places(&self.quasi), sensitive: places(&self.sensitive), kind: section.kind }
    }
}

/// The lines of a view, its columns in the order of the job.
fn content(
    loaded: &Loaded,
    names: &Names<'_>,
    section: &ViewSection,
    view: &View,
    table: &ViewTable,
    levels: &[usize],
) -> Content {
    let is_counted = section.kind == ViewKind::Counts;
    let repeated = |count: u64| if is_counted { 1 } else { count as usize };
    let mut columns = Vec::new();
    let mut claims = Vec::new();
    for name in &section.columns {
        let quasi = view.quasi.iter().position(|&column| names.quasi[column] == name);
        let (at, labels, level, alike) = match quasi {
            Some(at) => {
                let column = view.quasi[at];
                let own = &loaded.quasi[column];
                let labels = own.generalization.levels[levels[column]].labels.to_vec();
                let alike = alike::behind(
                    &loaded.input.table.columns[own.position].domain,
                    own.reading,
                    own.hides_missing,
                );
                let known = &own.generalization;
                let level = (levels[column], known.height(), own.reading, known.labels_per_level());
                (at, labels, Some(level), alike)
            }
            None => {
                let Some(at) = view.sensitive.iter().position(|&column| names.sensitive[column] == name)
                else {
                    continue;
                };
                let position = loaded.sensitive[view.sensitive[at]].position;
                let domain = &loaded.input.table.columns[position].domain;
                (view.quasi.len() + at, domain.texts().to_vec(), None, alike::plain(domain))
            }
        };
        let lines =
            table.cells.iter().flat_map(|(values, count)| std::iter::repeat_n(values[at], repeated(*count)));
        let codes: Vec<u32> = lines.collect();
        let mut seen = vec![false; labels.len()];
        codes.iter().for_each(|&code| seen[code as usize] = true);
        claims.push(CountsColumn {
            name: name.clone(),
            role: if level.is_some() { "quasi" } else { "sensitive" }.to_owned(),
            level: level.as_ref().map(|own| own.0),
            height: level.as_ref().map(|own| own.1),
            labels: seen.iter().filter(|seen| **seen).count() as u64,
            reading: level.as_ref().map(|own| own.2),
            labels_per_level: level.map(|own| own.3),
            alike: Some(alike),
        });
        columns.push((labels, codes));
    }
    Content {
        claim: CountsTable {
            file: String::new(),
            form: if is_counted { Form::Counts } else { Form::Microdata },
            columns: claims,
            cells: table.cells.len() as u64,
            classes: None,
            promises: Vec::new(),
            own_promises: Vec::new(),
            suppression: None,
            changed: None,
        },
        columns,
        counts: is_counted.then(|| table.cells.iter().map(|(_, count)| Some(*count)).collect()),
    }
}

fn together(combined: &Combined) -> Together {
    let by = |method: Method| match method {
        Method::Closed => "closed",
        Method::LinearProgram => "linear-program",
    };
    let proven = combined.group_bounds.iter().filter(|bounds| bounds.low > 0);
    Together {
        k: combined.k,
        joint_cells: combined.cells.len() as u64,
        smallest_proven: proven.map(|bounds| bounds.high).min(),
        determined: combined.inferences.iter().map(|inference| inference.determined.len() as u64).sum(),
        cells_by: by(combined.methods.0).to_owned(),
        groups_by: by(combined.methods.1).to_owned(),
    }
}
