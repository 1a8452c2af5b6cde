//! The minimality attack (survey AT-09) and disclosure sets (AT-10) against the search that made a release.
//!
//! It runs the search again on every world, or on a sample of worlds, that the release leaves possible. That takes the
//! people, the job and time, so it is made here and not where attacks read files. `again.rs` runs any search that is not led by
//! chance, `list.rs` on a list of people of whom some may not be in the data. The original says who is in it where there is no list; beside
//! a list it only tells who is right.

mod again;
mod list;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use privet_attack::ids;
use privet_attack::minimality::{Effort, Minimality, MinimalityAttack, MinimalityError, Tried};
use privet_attack::worlds::Belief;
use privet_attack::{
    AttackError, Beliefs, Conclusions, Fate, Finding, Found, HistogramOf, Note, Rate, Unit, Whom,
};
use privet_criteria::{Criterion, SensitiveColumn, build};
use privet_data::Progress;
use privet_recode::lattice::Problem;
use privet_release::Published;

pub(super) use list::List;

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

/// Whom the adversary knows.
#[derive(Clone, Copy)]
pub(super) enum Who<'a> {
    /// Everybody of the original.
    Original(&'a Original),
    /// The people of a list.
    List(List<'a>),
}

/// The worlds of a release in which the search would have published just this, by sensitive column.
struct Worked {
    found: Minimality,
    /// What else is to be told of the worlds.
    note: Option<Note>,
    /// Per person the true code, where it is known.
    truth: Vec<Option<u32>>,
    /// Per person whether they are known not to be in the data, and so are not counted.
    is_outside: Vec<bool>,
    /// The name of the column.
    name: String,
    /// Per code its text, where codes are not those of the release.
    texts: Option<Vec<String>>,
    /// Per code whether it stands for a missing value, of which nobody learns anything.
    missing: Vec<bool>,
}

impl Worked {
    /// Those of beliefs that tell something of somebody who may be in the data.
    fn telling(&self, mut beliefs: Vec<Belief>) -> Vec<Belief> {
        beliefs.retain(|own| {
            !self.missing.get(own.value as usize).copied().unwrap_or(false)
                && !self.is_outside.get(own.person as usize).copied().unwrap_or(false)
        });
        beliefs
    }

    /// How many are counted.
    fn people(&self) -> u64 {
        self.is_outside.iter().filter(|outside| !**outside).count() as u64
    }

    /// Whether a belief is right, where that is known.
    fn is_right(&self, own: &Belief) -> Option<bool> {
        let truth = self.truth.get(own.person as usize).copied().flatten()?;
        Some(truth == own.value)
    }

    /// Of how many the adversary is sure and right; where that is not known, the adversary is taken to be right.
    fn right(&self, exposed: &[Belief]) -> u64 {
        exposed.iter().filter(|own| self.is_right(own) != Some(false)).count() as u64
    }

    /// The same of those of whom it is known.
    fn known_right(&self, exposed: &[Belief]) -> Option<Rate> {
        let known: Vec<bool> = exposed.iter().filter_map(|own| self.is_right(own)).collect();
        let right = known.iter().filter(|right| **right).count() as u64;
        (!known.is_empty()).then(|| Rate::new(right, known.len() as u64))
    }
}

/// The search again, once for each sensitive column, for all attacks that need it.
pub(super) struct Again<'a> {
    job: JobAt<'a>,
    release: &'a Published,
    who: Who<'a>,
    confidence: f64,
    seed: u64,
    worked: RefCell<HashMap<usize, Result<Rc<Worked>, AttackError>>>,
}

impl<'a> Again<'a> {
    pub fn new(job: JobAt<'a>, release: &'a Published, who: Who<'a>, settings: &super::Settings<'_>) -> Self {
        let (confidence, seed) = (settings.confidence, settings.seed);
        Self { job, release, who, confidence, seed, worked: RefCell::default() }
    }

    fn worked(&self, column: usize, progress: &dyn Progress) -> Result<Rc<Worked>, AttackError> {
        if let Some(known) = self.worked.borrow().get(&column) {
            return known.clone();
        }
        let worked = self.work(column, progress).map(Rc::new);
        self.worked.borrow_mut().insert(column, worked.clone());
        worked
    }

    fn work(&self, column: usize, progress: &dyn Progress) -> Result<Worked, AttackError> {
        if let Some(why) = again::refused(self.job) {
            return Err(AttackError::Needs(why.to_owned()));
        }
        let effort = Effort {
            worlds_at_most: MOST_WORLDS,
            samples: SAMPLES,
            confidence: self.confidence,
            seed: self.seed,
        };
        match self.who {
            Who::Original(original) => self.of_original(original, column, effort, progress),
            Who::List(list) => self.of_list(list, column, effort, progress),
        }
    }

    /// Whom the adversary is said to know.
    fn known(&self) -> &'static str {
        match self.who {
            Who::Original(_) => "the identifying columns of everybody",
            Who::List(_) => "the people of the list with their identifying columns",
        }
    }

    /// The minimality attack on a sensitive column, by its position among the sensitive columns.
    pub fn minimality(&self, column: usize, progress: &dyn Progress) -> Result<Option<Found>, AttackError> {
        let worked = self.worked(column, progress)?;
        let Worked { found, name, .. } = &*worked;
        let exposed = worked.telling(found.exposed(self.confidence));
        let before = worked.telling(found.before.exposed(self.confidence));
        let more = worked.telling(found.exposed_by_choice(self.confidence)).len();
        let not_proven = worked.telling(found.after.likely(self.confidence)).len() - exposed.len();
        let mut notes = vec![gone_through(found)];
        notes.extend(worked.note.clone());
        notes.push(Note::of_original(format!(
            "Of those who are exposed, the release alone does not tell {more}."
        )));
        if not_proven > 0 {
            notes.push(Note::of_release(format!(
                "Not counted: {not_proven} more of whom the worlds that were drawn make as sure; other worlds may not."
            )));
        }
        let people = worked.people();
        let finding = Finding {
            attack: ids::MINIMALITY,
            column: Some(name.clone()),
            assumed: format!(
                "{}, the promises, the algorithm, and that it publishes no more coarsely than it must",
                self.known()
            ),
            success: format!(
                "the release, and what the search did not publish, make the adversary at least {} % sure of a value",
                privet_attack::percent(self.confidence)
            ),
            unit: Unit::People,
            exposed: Rate::new(exposed.len() as u64, people),
            right: worked.known_right(&exposed),
            control: Some(Rate::new(worked.right(&before), people)),
            control_group: Some("the same people, by the release alone".to_owned()),
            baseline: None,
            risk: worked.right(&exposed) as f64 / people.max(1) as f64,
            not_counted: None,
            histogram: Vec::new(),
            histogram_of: HistogramOf::Nothing,
            notes,
        };
        Ok(Some(self.found(finding, column, &worked, &exposed)))
    }

    /// The disclosure set of the release (survey AT-10, PM-34): every original for which the same would have been
    /// published, and the people who have one value in all of them, whatever anybody believes beforehand.
    pub fn disclosure(&self, column: usize, progress: &dyn Progress) -> Result<Option<Found>, AttackError> {
        let worked = self.worked(column, progress)?;
        let Worked { found, name, .. } = &*worked;
        if matches!(found.tried, Tried::Sampled(_)) {
            return Err(AttackError::TooLarge(format!(
                "more than {MOST_WORLDS} originals would have to be gone through, all of them"
            )));
        }
        let mut exposed = worked.telling(found.exposed(1.0));
        // However few worlds have another value, it is another value.
        exposed.retain(|own| found.after.of(own.person).len() == 1);
        let before = worked.telling(found.before.exposed(1.0));
        let people = worked.people();
        let values_left = |person: &u32| found.after.of(*person).iter().filter(|own| own.1 > 0.0).count();
        let least = found.after.people().iter().map(values_left).min().unwrap_or(0);
        let finding = Finding {
            attack: ids::DISCLOSURE_SETS,
            column: Some(name.clone()),
            assumed: format!("{}, the promises and the algorithm", self.known()),
            success: "in all originals for which the same would have been published the person has one value"
                .to_owned(),
            unit: Unit::People,
            exposed: Rate::new(exposed.len() as u64, people),
            right: worked.known_right(&exposed),
            control: Some(Rate::new(worked.right(&before), people)),
            control_group: Some("the same people, by the release alone".to_owned()),
            baseline: None,
            risk: worked.right(&exposed) as f64 / people.max(1) as f64,
            not_counted: None,
            histogram: Vec::new(),
            histogram_of: HistogramOf::Nothing,
            notes: std::iter::once(gone_through(found))
                .chain(worked.note.clone())
                .chain([Note::of_release(format!("The fewest values that are left for anybody: {least}."))])
                .collect(),
        };
        Ok(Some(self.found(finding, column, &worked, &exposed)))
    }

    /// Runs the search on the worlds in which people of a list are in the data.
    fn of_list(
        &self,
        list: List<'_>,
        column: usize,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Worked, AttackError> {
        let (found, note) = list::attack(self.job, self.release, list, column, effort, progress)?;
        let own = &self.release.sensitive[column];
        let people = list.people.count();
        let truth = list.truth.and_then(|own| own.values.get(column).cloned());
        let member = list.truth.map(|own| own.member.iter().map(|member| *member == Some(false)).collect());
        Ok(Worked {
            found,
            note: note.map(Note::of_original),
            truth: truth.unwrap_or_else(|| vec![None; people]),
            is_outside: member.unwrap_or_else(|| vec![false; people]),
            name: own.name.clone(),
            texts: None,
            missing: (0..own.domain.len() as u32).map(|code| own.domain.is_missing(code)).collect(),
        })
    }

    /// Runs the search on the worlds of the people of the original.
    fn of_original(
        &self,
        original: &Original,
        column: usize,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Worked, AttackError> {
        let Self { job, release, .. } = *self;
        let needs = |why: &str| AttackError::Needs(why.to_owned());
        let countermeasure = job.job.adversary.countermeasure;
        let loaded = load(job.job, job.base, progress).map_err(|error| needs(&error.to_string()))?;
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
            manifest.search.algorithm == job.job.search.word()
                && manifest.search.p_safe.is_some() == is_p_safe
                && again::is_released(own, release, original)
        });
        let Some(own) = own else {
            progress.check()?;
            return Err(needs(again::NOT_OF_THIS_JOB));
        };
        if let Some(why) = again::is_open(&own, release, original) {
            return Err(needs(why));
        }
        let bind = |codes: &[Vec<u32>]| bind(&loaded, codes);
        let attack = MinimalityAttack { problem: &problem, position: column, bind: &bind, effort };
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
        Ok(Worked {
            found,
            note: None,
            truth: own.codes.iter().map(|&code| Some(code)).collect(),
            is_outside: vec![false; own.codes.len()],
            name: own.name.clone(),
            // The search knows the values of the original; the release may have fewer.
            texts: Some(texts),
            missing,
        })
    }

    fn found(&self, finding: Finding, column: usize, worked: &Worked, exposed: &[Belief]) -> Found {
        let people = worked.truth.len();
        let mut fate = vec![Fate::Hidden; people];
        for own in exposed {
            if let Some(fate) = fate.get_mut(own.person as usize) {
                *fate = match worked.is_right(own) {
                    None => Fate::Exposed,
                    Some(true) => Fate::Right,
                    Some(false) => Fate::Wrong,
                };
            }
        }
        let belief = |person: u32| {
            let candidates = worked.found.candidates.get(person as usize).copied().unwrap_or(0);
            privet_attack::Belief::of_weights(candidates, worked.found.after.of(person).iter().copied())
        };
        let beliefs = Beliefs {
            of_person: (0..people as u32).collect(),
            distinct: (0..people as u32).map(belief).collect(),
        };
        let codes = || worked.truth.iter().copied().collect::<Option<Vec<u32>>>();
        let conclusions = Conclusions {
            attack: finding.attack,
            column: Some(column),
            whom: Whom::People,
            beliefs,
            concepts: worked.texts.clone(),
            chance: None,
            fate,
            truth: worked.texts.as_ref().and_then(|_| codes()),
        };
        Found { finding, conclusions: Some(conclusions), failed: Vec::new() }
    }
}

fn gone_through(found: &Minimality) -> Note {
    let left = found.fitting;
    Note::of_release(match found.tried {
        Tried::All(worlds) => {
            format!("All {worlds} worlds were gone through; {left} of them lead to this release.")
        }
        Tried::Sampled(worlds) => {
            format!("Of {worlds} worlds drawn at random, {left} lead to this release.")
        }
        Tried::NoneNeeded => "No promise and nothing else that the search looks at depends on sensitive values, so that all worlds \
                              lead to this release: what was not published tells nothing."
            .to_owned(),
    })
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
