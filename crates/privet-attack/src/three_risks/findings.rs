//! What the three risks and the closest record amount to, as findings.
//!
//! What a release adds beyond people who are not in the data counts towards `max-risk`; without them, of records that were not
//! formed in groups, what it adds to the same people without their own records. Of groups that is no measure: there only an attack
//! that is asked for by name counts with it. Where own records are not known either, such an attack counts with its whole rate, for
//! nothing shows that less is the release's doing; one that nobody asked for informs.

use privet_data::Progress;

use super::closest::closest;
use super::inference::{inference, is_rough};
use super::linkability::{Sources, linkability};
use super::settings::Risks;
use super::singling_out::{multivariate, univariate};
use super::{Beside, Compared, Effort, Tried};
use crate::attacks::{AttackWord, Role};
use crate::finding::{AttackError, Finding, Found, Unit};
use crate::histogram::HistogramOf;
use crate::note::Note;
use crate::percent;

/// The word of the attack in files.
pub const SINGLING_OUT: &str = "singling-out";

/// What it is.
pub(crate) const ABOUT_SINGLING_OUT: AttackWord = AttackWord {
    word: SINGLING_OUT,
    title: "Singling out",
    sentence: "The adversary looks for descriptions of a few columns that fit one published record, and bets that they fit one person.",
    about: "predicates that hold for one record, and for one person",
    needs: None,
    quick: false,
    role: Role::Counts,
};

/// The word of the attack in files.
pub const SINGLING_OUT_UNIVARIATE: &str = "singling-out-univariate";

/// What it is.
pub(crate) const ABOUT_SINGLING_OUT_UNIVARIATE: AttackWord = AttackWord {
    word: SINGLING_OUT_UNIVARIATE,
    title: "Singling out by one column",
    sentence: "The adversary looks for values that are published once, and for the least and the largest numbers, and bets that they are one person's.",
    about: "the same of one column",
    needs: None,
    quick: false,
    role: Role::Counts,
};

/// The word of the attack in files.
pub const LINKABILITY: &str = "linkability";

/// What it is.
pub(crate) const ABOUT_LINKABILITY: AttackWord = AttackWord {
    word: LINKABILITY,
    title: "Linkability",
    sentence: "Two sources that know different columns of a person each look for the nearest published record, and when both find the same one, they know that both are about the same person.",
    about: "two sources find the same nearest record",
    needs: None,
    quick: false,
    role: Role::Counts,
};

/// The word of the attack in files.
pub const INFERENCE: &str = "inference";

/// What it is.
pub(crate) const ABOUT_INFERENCE: AttackWord = AttackWord {
    word: INFERENCE,
    title: "Inference from the nearest record",
    sentence: "The adversary knows some columns of a person, looks for the nearest published records, and takes the value that these have for the person's.",
    about: "the nearest record tells a value",
    needs: None,
    quick: false,
    role: Role::Counts,
};

/// The word of the attack in files.
pub const CLOSEST_RECORD: &str = "closest-record";

/// What it is.
pub(crate) const ABOUT_CLOSEST_RECORD: AttackWord = AttackWord {
    word: CLOSEST_RECORD,
    title: "Closest record",
    sentence: "The adversary looks how near the nearest published record is to a person, and concludes from that who is in the data.",
    about: "whose nearest record is nearer than that of strangers",
    needs: Some("control"),
    quick: false,
    role: Role::Counts,
};

/// The words of these attacks.
pub const WORDS: [&str; 5] = [SINGLING_OUT, SINGLING_OUT_UNIVARIATE, LINKABILITY, INFERENCE, CLOSEST_RECORD];

/// More comparisons of a cell are not made for one attack.
const MOST_STEPS: usize = 20_000_000_000;

/// What is asked of a release.
pub struct Asked<'a> {
    /// The release beside its original and the control.
    pub beside: &'a Beside<'a>,
    /// What is known, and how often it is tried.
    pub risks: &'a Risks,
    /// The sensitive columns by their places.
    pub sensitive: &'a [usize],
    /// The seed.
    pub seed: u64,
    /// Whether the attack was asked for by name.
    pub by_name: bool,
    /// Whether records were formed group by group, so that others of a group change when one of it is taken out.
    pub of_groups: bool,
}

impl Asked<'_> {
    fn effort(&self) -> Effort {
        let cells = (self.beside.records * self.beside.columns.len()).max(1);
        let attacks = self.risks.attacks.min((MOST_STEPS / cells).max(Risks::FEWEST));
        Effort { attacks, seed: self.seed }
    }

    /// Makes an attack.
    ///
    /// # Errors
    /// When it lacks something, or the person asks to stop.
    pub fn attack(&self, word: &str, progress: &dyn Progress) -> Result<Vec<Found>, AttackError> {
        progress.check()?;
        if self.beside.columns.is_empty() {
            return Err(needs("the release has no column in common with the original"));
        }
        match word {
            SINGLING_OUT => self.singling_out(),
            SINGLING_OUT_UNIVARIATE => self.univariate(),
            LINKABILITY => self.linkability(),
            INFERENCE => self.inference(progress),
            CLOSEST_RECORD => self.closest(),
            _ => Err(needs("there is no such attack")),
        }
    }

    fn singling_out(&self) -> Result<Vec<Found>, AttackError> {
        let width = self.risks.predicate_columns.min(self.beside.columns.len());
        let tried = multivariate(self.beside, width, self.effort())
            .ok_or_else(|| needs("no predicate holds for one published record and no other"))?;
        let assumed = format!(
            "the published table; a predicate is about {width} random columns of a record, and holds for no other record"
        );
        Ok(vec![self.finding(SINGLING_OUT, None, assumed, SINGLED_OUT, Unit::Predicates, &tried)])
    }

    fn univariate(&self) -> Result<Vec<Found>, AttackError> {
        let tried = univariate(self.beside, self.effort())
            .ok_or_else(|| needs("no value of a column is published only once"))?;
        let assumed = "the published table; a predicate is about one column: a value that is published once, the least or \
                       the largest number"
            .to_owned();
        Ok(vec![self.finding(SINGLING_OUT_UNIVARIATE, None, assumed, SINGLED_OUT, Unit::Predicates, &tried)])
    }

    fn linkability(&self) -> Result<Vec<Found>, AttackError> {
        let names = |own: &[String]| self.beside.places(own.iter().map(String::as_str));
        let (first, second) = match self.risks.first.is_empty() {
            false => (names(&self.risks.first), names(&self.risks.second)),
            true => (0..self.beside.columns.len()).partition(|at| at % 2 == 0),
        };
        let sources = Sources { first, second, neighbours: self.risks.neighbours };
        let tried = linkability(self.beside, &sources, self.effort())
            .ok_or_else(|| needs("two sources need a column each, and there are too few"))?;
        let assumed = format!(
            "two sources that know {} and {} columns of a person; each takes the nearest {} of the published records",
            sources.first.len(),
            sources.second.len(),
            match sources.neighbours {
                1 => "one".to_owned(),
                more => more.to_string(),
            }
        );
        let success = "both sources find a record in common";
        Ok(vec![self.finding(LINKABILITY, None, assumed, success, Unit::People, &tried)])
    }

    fn inference(&self, progress: &dyn Progress) -> Result<Vec<Found>, AttackError> {
        let secrets = match self.risks.secrets.is_empty() {
            true => self.sensitive.to_vec(),
            false => self.beside.places(self.risks.secrets.iter().map(String::as_str)),
        };
        let mut found = Vec::new();
        for &secret in &secrets {
            progress.check()?;
            let known = match self.risks.known.is_empty() {
                true => (0..self.beside.columns.len()).filter(|at| *at != secret).collect(),
                false => self.beside.places(self.risks.known.iter().map(String::as_str)),
            };
            let Some(column) = self.beside.columns.get(secret) else { continue };
            let Some(tried) = inference(self.beside, &known, secret, self.effort()) else { continue };
            let assumed = format!(
                "{} other columns of a person; the nearest published records are taken for theirs",
                known.len()
            );
            let success = match is_rough(column) {
                true => "the guess is within 5 % of the person's number",
                false => "the guess is the person's value",
            };
            let name = Some(column.name.clone());
            found.push(self.finding(INFERENCE, name, assumed, success, Unit::People, &tried));
        }
        match found.is_empty() {
            true => Err(needs(
                "there is no sensitive column beside another one; name columns under `secrets` of [risks] in the knowledge file",
            )),
            false => Ok(found),
        }
    }

    fn closest(&self) -> Result<Vec<Found>, AttackError> {
        let told = closest(self.beside, self.effort()).ok_or_else(|| {
            needs("it needs people who are certainly not in the data; give [control] in the knowledge file")
        })?;
        let finding = Finding {
            attack: CLOSEST_RECORD,
            column: None,
            assumed: "every published column of a person that the control table has, and people who are not in the data to \
                      compare with"
                .to_owned(),
            success: "a published record is so near that the person is rightly taken for one who is in the data".to_owned(),
            unit: Unit::People,
            exposed: told.members,
            right: None,
            control: Some(told.strangers),
            control_group: Some(STRANGERS.to_owned()),
            // The risk is the advantage, of which the control is taken off already.
            baseline: None,
            risk: told.advantage(),
            not_counted: None,
            histogram: Vec::new(),
            histogram_of: HistogramOf::Nothing,
            notes: vec![Note::of_original(format!(
                "Telling who is in the data from who is not: area under the curve {:.3} (0.5 is guessing), advantage {:.3}. The \
                 distance that tells was chosen on one half of the people and judged on the other.",
                told.auc,
                told.advantage()
            ))],
        };
        Ok(vec![Found { finding, conclusions: None, failed: Vec::new() }])
    }

    fn finding(
        &self,
        attack: &'static str,
        column: Option<String>,
        assumed: String,
        success: &str,
        unit: Unit,
        tried: &Tried,
    ) -> Found {
        let mut notes = vec![Note::of_original(format!(
            "Guessing at random from what is published succeeds in {} %.",
            percent(tried.baseline.rate)
        ))];
        let mut not_counted = None;
        // Without somebody's own record groups are smaller than they were published, and the attack fails for that too: of groups only
        // people who are not in the data show what is the release's doing.
        let is_real = !self.of_groups || matches!(tried.control, Some((Compared::Strangers, _)));
        let risk = match tried.added() {
            Some(added) if !is_real && !self.by_name => {
                notes.push(Note::of_original(format!(
                    "Beyond what the same people without their own records show it reaches {} % ({} to {} % with a confidence of 95 %).",
                    percent(added.risk),
                    percent(added.low),
                    percent(added.high)
                )));
                not_counted = Some(
                    "it is set against the same people without their own records alone, from groups that are smaller than they were \
                     published; give people who are not in the data as [control] in the knowledge file, or ask for it by name"
                        .to_owned(),
                );
                0.0
            }
            Some(added) => {
                notes.push(Note::of_original(format!(
                    "What the release adds beyond the control is {} % ({} to {} % with a confidence of 95 %): of those whom the attack \
                     would miss, the share that it reaches. This is compared with a limit.",
                    percent(added.risk),
                    percent(added.low),
                    percent(added.high)
                )));
                added.risk
            }
            None if self.by_name => {
                notes.push(
                    Note::of_original("Without a control nothing tells how much of this is the release's doing, and all of it counts; people who are \
                     not in the data can be given as [control] in the knowledge file."
                        .to_owned()));
                tried.attack.rate
            }
            None => {
                not_counted = Some(
                    "without a control nothing tells how much of it is the release's doing; give people who are not in the data as \
                     [control] in the knowledge file, or ask for it by name"
                        .to_owned(),
                );
                0.0
            }
        };
        if tried.attack.of < self.risks.attacks as u64 && unit == Unit::Predicates {
            notes.push(Note::of_original(format!(
                "Only {} predicates were found that hold for one published record.",
                tried.attack.of
            )));
        }
        if tried.attack.of < self.beside.people as u64 && unit == Unit::People {
            notes.push(Note::of_release(format!(
                "Made on a random sample: {} of {} people.",
                tried.attack.of, self.beside.people
            )));
        }
        let (control, control_group) = match &tried.control {
            None => (None, None),
            Some((Compared::Strangers, rate)) => {
                let strangers = self.beside.strangers.unwrap_or(0);
                if unit == Unit::Predicates && strangers != self.beside.people {
                    notes.push(Note::of_original(format!(
                        "The control table has {strangers} people and the original {}; the control is what would be singled out of \
                         as many people as these.",
                        self.beside.people
                    )));
                }
                (Some(*rate), Some(STRANGERS.to_owned()))
            }
            Some((Compared::WithoutOwn, rate)) => (
                Some(*rate),
                Some("the same people, without the records that came from their own".to_owned()),
            ),
        };
        let finding = Finding {
            attack,
            column,
            assumed,
            success: success.to_owned(),
            unit,
            exposed: tried.attack,
            right: None,
            control,
            control_group,
            // The risk is what is added beyond the control already.
            baseline: None,
            risk,
            not_counted,
            histogram: Vec::new(),
            histogram_of: HistogramOf::Nothing,
            notes,
        };
        Found { finding, conclusions: None, failed: Vec::new() }
    }
}

const STRANGERS: &str = "people of the control table, who are not in the data";
const SINGLED_OUT: &str = "the predicate holds for exactly one person of the original";

fn needs(why: &str) -> AttackError {
    AttackError::Needs(why.to_owned())
}
