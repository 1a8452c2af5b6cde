//! The minimality attack (survey AT-09) and disclosure sets (AT-10) against the search that made a release.
//!
//! It runs the search again on every world, or on a sample of worlds, that the release leaves possible. That takes the
//! table, the job and time, so it is made here and not where attacks read files. `again.rs` runs any search that is not led by
//! chance.

mod again;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use privet_attack::minimality::{Minimality, MinimalityAttack, MinimalityError, Tried};
use privet_attack::worlds::Belief;
use privet_attack::{AttackError, Beliefs, Conclusions, Fate, Finding, Found, Rate, Unit, Whom};
use privet_criteria::{Criterion, SensitiveColumn, build};
use privet_data::Progress;
use privet_recode::lattice::Problem;
use privet_release::Published;

use super::original::{JobAt, Original, count};
use crate::chosen::Chosen;
use crate::countermeasure::{Countermeasure, p_safe};
use crate::error::RunError;
use crate::load::{Loaded, load};
use crate::run::Prepared;

/// All worlds are gone through up to so many.
const MOST_WORLDS: u64 = 5_000;
/// Otherwise so many are drawn.
const SAMPLES: u64 = 300;
/// Tables with more records are attacked only when it is asked for by name.
pub(super) const QUICK: usize = 500;

/// The worlds of a release in which the search would have published just this, by sensitive column.
struct Worked {
    found: Minimality,
    /// The true codes, and the name of the column.
    codes: Vec<u32>,
    name: String,
    /// Per code its text.
    texts: Vec<String>,
    /// Per code whether it stands for a missing value, of which nobody learns anything.
    missing: Vec<bool>,
}

impl Worked {
    /// Those of beliefs that tell something.
    fn telling(&self, mut beliefs: Vec<Belief>) -> Vec<Belief> {
        beliefs.retain(|own| !self.missing.get(own.value as usize).copied().unwrap_or(false));
        beliefs
    }
}

/// The search again, once for each sensitive column, for all attacks that need it.
pub(super) struct Again<'a> {
    job: JobAt<'a>,
    release: &'a Published,
    original: &'a Original,
    confidence: f64,
    seed: u64,
    /// Whether the people who are looked for are those of the original.
    rows_are_people: bool,
    worked: RefCell<HashMap<usize, Result<Rc<Worked>, AttackError>>>,
}

impl<'a> Again<'a> {
    pub fn new(
        job: JobAt<'a>,
        release: &'a Published,
        original: &'a Original,
        settings: &super::Settings<'_>,
        rows_are_people: bool,
    ) -> Self {
        let (confidence, seed) = (settings.confidence, settings.seed);
        Self { job, release, original, confidence, seed, rows_are_people, worked: RefCell::default() }
    }

    fn worked(&self, column: usize, progress: &dyn Progress) -> Result<Rc<Worked>, AttackError> {
        if let Some(known) = self.worked.borrow().get(&column) {
            return known.clone();
        }
        let worked = self.work(column, progress).map(Rc::new);
        self.worked.borrow_mut().insert(column, worked.clone());
        worked
    }

    /// The minimality attack on a sensitive column, by its position among the sensitive columns.
    pub fn minimality(&self, column: usize, progress: &dyn Progress) -> Result<Option<Found>, AttackError> {
        let worked = self.worked(column, progress)?;
        let Worked { found, codes, name, .. } = &*worked;
        let right = |exposed: &[Belief]| {
            exposed.iter().filter(|own| codes.get(own.person as usize) == Some(&own.value)).count() as u64
        };
        let exposed = worked.telling(found.exposed(self.confidence));
        let before = worked.telling(found.before.exposed(self.confidence));
        let more = worked.telling(found.exposed_by_choice(self.confidence)).len();
        let not_proven = worked.telling(found.after.likely(self.confidence)).len() - exposed.len();
        let mut notes = vec![
            gone_through(found),
            format!("Of those who are exposed, the release alone does not tell {more}."),
        ];
        if not_proven > 0 {
            notes.push(format!(
                "Not counted: {not_proven} more of whom the worlds that were drawn make as sure; other worlds may not."
            ));
        }
        let rows = codes.len() as u64;
        let finding = Finding {
            attack: "minimality",
            column: Some(name.clone()),
            assumed: "the identifying columns of everybody, the promises, the algorithm, and that it publishes no more coarsely than it must".to_owned(),
            success: format!(
                "the release, and what the search did not publish, make the adversary at least {} % sure of a value",
                privet_attack::percent(self.confidence)
            ),
            unit: Unit::People,
            exposed: Rate::new(exposed.len() as u64, rows),
            right: (!exposed.is_empty()).then(|| Rate::new(right(&exposed), exposed.len() as u64)),
            control: Some(Rate::new(right(&before), rows)),
            control_group: Some("the same people, by the release alone".to_owned()),
            risk: right(&exposed) as f64 / rows.max(1) as f64,
            not_counted: None,
            histogram: Vec::new(),
            histogram_of: "",
            notes,
        };
        Ok(Some(self.found(finding, column, &worked, &exposed)))
    }

    /// The disclosure set of the release (survey AT-10, PM-34): every original for which the same would have been
    /// published, and the people who have one value in all of them, whatever anybody believes beforehand.
    pub fn disclosure(&self, column: usize, progress: &dyn Progress) -> Result<Option<Found>, AttackError> {
        let worked = self.worked(column, progress)?;
        let Worked { found, codes, name, .. } = &*worked;
        if matches!(found.tried, Tried::Sampled(_)) {
            return Err(AttackError::TooLarge(format!(
                "more than {MOST_WORLDS} originals would have to be gone through, all of them"
            )));
        }
        let exposed = worked.telling(found.exposed(1.0));
        let before = worked.telling(found.before.exposed(1.0));
        let rows = codes.len() as u64;
        let values_left = |person: &u32| found.after.of(*person).iter().filter(|own| own.1 > 0.0).count();
        let least = found.after.people().iter().map(values_left).min().unwrap_or(0);
        let finding = Finding {
            attack: "disclosure-sets",
            column: Some(name.clone()),
            assumed: "the identifying columns of everybody, the promises and the algorithm".to_owned(),
            success: "in all originals for which the same would have been published the person has one value"
                .to_owned(),
            unit: Unit::People,
            exposed: Rate::new(exposed.len() as u64, rows),
            // The true original is one of them.
            right: (!exposed.is_empty()).then(|| Rate::new(exposed.len() as u64, exposed.len() as u64)),
            control: Some(Rate::new(before.len() as u64, rows)),
            control_group: Some("the same people, by the release alone".to_owned()),
            risk: exposed.len() as f64 / rows.max(1) as f64,
            not_counted: None,
            histogram: Vec::new(),
            histogram_of: "",
            notes: vec![
                gone_through(found),
                format!("The fewest values that are left for anybody: {least}."),
            ],
        };
        Ok(Some(self.found(finding, column, &worked, &exposed)))
    }

    /// Runs the search on the worlds of the release.
    fn work(&self, column: usize, progress: &dyn Progress) -> Result<Worked, AttackError> {
        let Self { job, release, original, .. } = *self;
        let needs = |why: &str| AttackError::Needs(why.to_owned());
        let countermeasure = job.job.adversary.countermeasure;
        if countermeasure == Some(Countermeasure::Distort) {
            return Err(needs(
                "groups were formed without a look at sensitive values, so that there is nothing to work out",
            ));
        }
        if job.job.sampling.is_some() {
            return Err(needs(
                "a sample was drawn first, which the adversary does not know: what was published cannot be worked out again",
            ));
        }
        let loaded = load(job.job, job.base, progress).map_err(|error| needs(&error.to_string()))?;
        if let Some(why) = again::refused(job, &loaded) {
            return Err(needs(why));
        }
        if loaded.requirements.iter().any(|requirement| requirement.needs_joint()) {
            return Err(needs("a criterion looks at several sensitive columns together"));
        }
        let prepared = Prepared::new(&loaded).map_err(|error| needs(&error.to_string()))?;
        let criteria =
            prepared.criteria(&loaded, &loaded.requirements).map_err(|error| needs(&error.to_string()))?;
        let problem = prepared.problem(&loaded, job.job, &criteria);
        let Some(manifest) = &release.manifest else { return Err(needs("the release has no manifest")) };
        let is_p_safe = countermeasure == Some(Countermeasure::PSafe);
        let p_safe = match is_p_safe {
            true => {
                let decided = p_safe::search(job.job, &loaded, &prepared, progress);
                Some(decided.map_err(|error| match error {
                    RunError::Cancelled(_) => AttackError::Cancelled,
                    other => needs(&other.to_string()),
                })?)
            }
            false => None,
        };
        let own = match &p_safe {
            Some(decided) => again::released(&problem, &Chosen::node(decided.found.clone())),
            None => again::again(job, &loaded, &problem, progress).ok().flatten(),
        };
        let own = own.filter(|own| {
            manifest.search.algorithm == job.job.search.algorithm.word()
                && manifest.search.p_safe.is_some() == is_p_safe
                && again::is_released(own, release, original)
        });
        let Some(own) = own else {
            progress.check()?;
            return Err(needs(
                "the job does not lead to this release, so what the search did not publish is not known",
            ));
        };
        if let Some(why) = again::is_open(&own, release, original) {
            return Err(needs(why));
        }
        let bind = |codes: &[Vec<u32>]| bind(&loaded, codes);
        let attack = MinimalityAttack {
            problem: &problem,
            position: column,
            bind: &bind,
            worlds_at_most: MOST_WORLDS,
            samples: SAMPLES,
            confidence: self.confidence,
            seed: self.seed,
        };
        // What a p-safe search publishes was worked out for all originals at once.
        let search = |problem: &Problem<'_>, progress: &dyn Progress| match &p_safe {
            Some(decided) => {
                let leads_here =
                    problem.sensitive.first().is_some_and(|s| decided.chosen.leads_here(s.codes));
                Ok(leads_here.then(|| own.clone()))
            }
            None => again::again(job, &loaded, problem, progress),
        };
        let found = attack.run(&search, progress).map_err(|error| match error {
            MinimalityError::Cancelled(_) => AttackError::Cancelled,
            MinimalityError::TooLarge { .. }
            | MinimalityError::TooFew { .. }
            | MinimalityError::NeverSure { .. } => AttackError::TooLarge(error.to_string()),
            other => needs(&other.to_string()),
        })?;
        let own = &loaded.input.table.columns[loaded.sensitive[column].position];
        let texts = own.domain.texts().iter().map(|text| text.to_string()).collect();
        let missing = (0..own.domain.len() as u32).map(|code| own.domain.is_missing(code)).collect();
        Ok(Worked { found, codes: own.codes.clone(), name: own.name.clone(), texts, missing })
    }

    fn found(&self, finding: Finding, column: usize, worked: &Worked, exposed: &[Belief]) -> Found {
        let rows = worked.codes.len();
        let mut fate = vec![Fate::Hidden; rows];
        for own in exposed {
            if let (Some(fate), Some(truth)) =
                (fate.get_mut(own.person as usize), worked.codes.get(own.person as usize))
            {
                *fate = if *truth == own.value { Fate::Right } else { Fate::Wrong };
            }
        }
        // The search knows the values of the original; the release may have fewer.
        let concepts = Some(worked.texts.clone());
        let belief = |row: u32| {
            let candidates = worked.found.candidates.get(row as usize).copied().unwrap_or(0);
            privet_attack::Belief::of_weights(candidates, worked.found.after.of(row).iter().copied())
        };
        let beliefs = Beliefs {
            of_person: (0..rows as u32).collect(),
            distinct: (0..rows as u32).map(belief).collect(),
        };
        let whom = if self.rows_are_people { Whom::People } else { Whom::Rows };
        let conclusions = Conclusions {
            attack: finding.attack,
            column: Some(column),
            whom,
            beliefs,
            concepts,
            chance: None,
            fate,
            truth: Some(worked.codes.clone()),
        };
        Found { finding, conclusions: Some(conclusions) }
    }
}

fn gone_through(found: &Minimality) -> String {
    let left = found.consistent.hits;
    match found.tried {
        Tried::All(worlds) => {
            format!("All {worlds} worlds were gone through; {left} of them lead to this release.")
        }
        Tried::Sampled(worlds) => {
            format!("Of {worlds} worlds drawn at random, {left} lead to this release.")
        }
        Tried::NoneNeeded => "No promise and nothing else that the search looks at depends on sensitive values, so that all worlds \
                              lead to this release: what was not published tells nothing."
            .to_owned(),
    }
}

/// The criteria of the job for other values in the sensitive columns.
fn bind(loaded: &Loaded, codes: &[Vec<u32>]) -> Option<Vec<Box<dyn Criterion>>> {
    let counts: Vec<Vec<u64>> = loaded
        .sensitive
        .iter()
        .zip(codes)
        .map(|(own, codes)| count(codes, loaded.input.table.columns[own.position].domain.len()))
        .collect();
    let columns: Vec<SensitiveColumn<'_>> = loaded
        .sensitive
        .iter()
        .zip(&counts)
        .map(|(own, counts)| {
            let column = &loaded.input.table.columns[own.position];
            SensitiveColumn {
                name: &column.name,
                domain: &column.domain,
                counts,
                hierarchy: own.hierarchy.as_ref(),
            }
        })
        .collect();
    build(&loaded.requirements, &columns, None, loaded.input.table.rows as u64).ok()
}
