//! The adversary: a release, what is known besides, and every attack that this is enough for.
//!
//! [`ATTACKS`] lists the attacks by the words that files use. [`Adversary::attack`] makes those that are asked for, or all
//! for which enough is known. An attack that lacks something is not made, and the reason is told: silence must not look
//! like safety.

pub(crate) mod composed;
mod control;
pub(crate) mod exchangeable;
mod fitting;
mod held;
pub(crate) mod insensitive;
pub(crate) mod knowing;
pub(crate) mod least_committed;
pub(crate) mod linkage;
mod nearest;
mod placing;
pub(crate) mod priors;
pub(crate) mod records;
mod seats;
mod skipped;
mod stage;
mod standing;
mod weighing;
pub(crate) mod worst;

pub use control::Strangers;
pub use insensitive::{
    Beside, INSENSITIVE, SENSITIVE, alone, alone_by_one, alone_by_one_of, alone_of, insensitive,
};

use privet_data::{Coverage, Domain, Hierarchy, Kind, Progress};
use privet_release::Published;

use crate::attacks::{ATTACKS, AttackWord, ids};
use crate::chances::Chances;
use crate::finding::{AttackError, Conclusions, Fate, Finding, Found, Score, Whom};
use crate::homogeneity::{self, Similar};
use crate::knowledge::Knowledge;
use crate::link::{self, LinkError, Links, People, Released};
use crate::linking;
use crate::note::Note;
use crate::target::{Place, Suspects, Target, Truth};
use crate::three_risks;

/// A quasi column that the adversary's table shares with the release.
#[derive(Debug, Clone)]
pub struct SharedColumn<'a> {
    /// Its place among the quasi columns of the release.
    pub quasi: usize,
    /// The value of each person, as a code of the coverage's domain; [`link::UNKNOWN`] for any other.
    pub values: &'a [u32],
    /// Per published label the values that it may stand for.
    pub coverage: &'a Coverage,
    /// The values where the column shows means, medians or modes: people are then linked to the nearest.
    pub points: Option<Points<'a>>,
}

/// The values of people in a column of points.
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    /// Their domain.
    pub domain: &'a Domain,
    /// What the values of the column are. It is not for a list of people to say, whose others may be mistyped.
    pub kind: Kind,
}

impl Points<'_> {
    /// Numbers and dates as such; a mean of integers is a decimal.
    fn of_numbers(&self) -> Option<Kind> {
        match self.kind {
            Kind::Integer | Kind::Decimal => Some(Kind::Decimal),
            Kind::Date => Some(Kind::Date),
            Kind::Boolean | Kind::Text => None,
        }
    }

    /// The number of a value, read as of this kind.
    fn number(&self, kind: Kind, code: u32) -> Option<f64> {
        if self.domain.is_missing(code) { None } else { kind.number(self.domain.text(code)) }
    }
}

/// People and what is known of them.
#[derive(Debug, Clone, Default)]
pub struct Crowd<'a> {
    /// How many.
    pub count: usize,
    /// The columns that they share with a release.
    pub shared: Vec<SharedColumn<'a>>,
}

/// Another release about the same people.
#[derive(Debug, Clone)]
pub struct Other<'a> {
    /// The release.
    pub release: &'a Published,
    /// Where the same people may stand in it.
    pub suspects: Suspects,
    /// How they go with it ([`standing`](fn@standing)).
    pub standing: Standing,
    /// Whether it was made from another table than this release, so that what both say is multiplied.
    pub independent: bool,
    /// Whether whoever is in the data that this release was made from, and fits a group there, is in it: it was made from the same
    /// table, and nobody who fits a group was left out.
    pub holds_all: bool,
    /// Whether nobody of the table that it was made from was left out.
    pub is_whole: bool,
}

/// Makes one of [`three_risks::WORDS`], which need the original and cells as values.
pub type Risk<'a> = dyn Fn(&str) -> Result<Vec<Found>, AttackError> + 'a;

/// Makes an attack on a sensitive column that needs more than a release.
pub type Elsewhere<'a> = dyn Fn(usize) -> Result<Option<Found>, AttackError> + 'a;

/// An adversary.
#[derive(Clone)]
pub struct Adversary<'a> {
    /// The release.
    pub release: &'a Published,
    /// The people who are looked for.
    pub crowd: Crowd<'a>,
    /// Where each may stand in the release.
    pub suspects: &'a Suspects,
    /// Whether the people come from a table of the adversary's own, which may hold others than those in the data.
    pub own_table: bool,
    /// What is true of the people, to score by.
    pub truth: Option<&'a Truth>,
    /// People who are certainly not in the data.
    pub control: Option<Strangers<'a>>,
    /// Per sensitive column its hierarchy, when known.
    pub hierarchies: &'a [Option<Hierarchy>],
    /// What is known besides.
    pub knowledge: &'a Knowledge,
    /// The number of the person with a name.
    pub person: &'a dyn Fn(&str) -> Option<u32>,
    /// Whether a text is a value of a sensitive column, by its position, that is known although nobody is published with it: where all
    /// who have it were suppressed.
    pub is_value: &'a dyn Fn(usize, &str) -> bool,
    /// Per prior of the knowledge the people it is about.
    pub of_prior: &'a [Vec<bool>],
    /// Other releases.
    pub others: &'a [Other<'a>],
    /// Runs the search again on other worlds, where the job and the people are at hand: the minimality attack on a sensitive column.
    pub minimality: Option<&'a Elsewhere<'a>>,
    /// The same, as far as all worlds can be gone through: the originals that cannot be told from the true one.
    pub disclosure: Option<&'a Elsewhere<'a>>,
    /// Asks a server with the original behind it, where the adversary has one.
    pub tracker: Option<&'a Elsewhere<'a>>,
    /// Makes the three risks and looks for the closest record, where the original is at hand.
    pub risks: Option<&'a Risk<'a>>,
    /// How sure the adversary must be of a value for it to count as learned.
    pub confidence: f64,
    /// The seed of attacks that draw at random.
    pub seed: u64,
    /// deFinetti's attack, whose time grows with the table, is made on at most so many records: on whole groups, drawn at
    /// random.
    pub most_records: usize,
}

/// What attacks found, and which were not made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attacked {
    /// What was found.
    pub findings: Vec<Finding>,
    /// What is concluded about each person, attack by attack.
    pub conclusions: Vec<Conclusions>,
    /// Attacks that were not made, and why.
    pub not_made: Vec<(&'static str, String)>,
    /// What stood in the way of an attack, at all or on a column of several, but for want of what it needs: whoever asked for it has
    /// not got it.
    pub blocked: Vec<Blocked>,
}

/// An attack that was not made, or not on a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Its word.
    pub attack: &'static str,
    /// The sensitive column, where it was made on others.
    pub column: Option<String>,
    /// Why.
    pub why: String,
}

/// Links people to a release: to all records that labels allow, and where columns show means, medians or modes, of these
/// to the group whose centre is nearest. What such a column shows excludes nobody, whatever its coverage says.
///
/// # Errors
/// When there are too many candidates.
pub fn suspects(release: &Published, crowd: &Crowd<'_>) -> Result<Suspects, LinkError> {
    let labels = crowd.shared.iter().filter(|shared| shared.points.is_none()).cloned();
    let by_labels = Crowd { count: crowd.count, shared: labels.collect() };
    let links = link::link(&released(release, &by_labels), &people(&by_labels))?;
    let suspects = of_links(&links);
    Ok(if nearest::applies(crowd) { nearest::nearest(release, crowd, suspects) } else { suspects })
}

pub(crate) fn of_links(links: &Links) -> Suspects {
    let mut suspects =
        Suspects { profile_of: links.tuple_of_person().to_vec(), starts: vec![0], ..Suspects::default() };
    for tuple in 0..links.tuples() as u32 {
        let places = links.of_tuple(tuple).iter();
        suspects.groups.extend(places.map(|own| Place { group: own.group, records: u64::from(own.records) }));
        suspects.starts.push(suspects.groups.len());
    }
    suspects
}

/// Per person how many records may be theirs by the coverage of every shared column: where it is equality, those that equal
/// theirs.
///
/// # Errors
/// When there are too many candidates.
pub fn equal_records(release: &Published, crowd: &Crowd<'_>) -> Result<Vec<u64>, LinkError> {
    let links = link::link(&released(release, crowd), &people(crowd))?;
    let of_tuple: Vec<u64> = (0..links.tuples() as u32)
        .map(|tuple| links.of_tuple(tuple).iter().map(|own| u64::from(own.records)).sum())
        .collect();
    Ok(links
        .tuple_of_person()
        .iter()
        .map(|&tuple| of_tuple.get(tuple as usize).copied().unwrap_or(0))
        .collect())
}

pub use nearest::distances;
use standing::sharpened;
pub use standing::{Standing, standing};

fn released<'a>(release: &'a Published, crowd: &Crowd<'a>) -> Released<'a> {
    let label = |shared: &SharedColumn<'_>| &*release.table.columns[release.quasi[shared.quasi]].codes;
    Released {
        labels: crowd.shared.iter().map(label).collect(),
        coverage: crowd.shared.iter().map(|shared| shared.coverage).collect(),
        groups: &release.group_of,
    }
}

fn people<'a>(crowd: &Crowd<'a>) -> People<'a> {
    People { values: crowd.shared.iter().map(|shared| shared.values).collect(), count: crowd.count }
}

impl From<LinkError> for AttackError {
    fn from(error: LinkError) -> Self {
        Self::TooLarge(error.to_string())
    }
}

/// What it takes to run a search again.
const NEEDS_JOB_AND_PEOPLE: &str = "it needs the job file, and the people: [people] in the knowledge file, or the original; and where these are \
                                    many, to be asked for by name";

/// What scores the three risks.
const NEEDS_ORIGINAL: &str = "it needs the original, by which it is scored: give --original";

/// Attacks that reason about who stands where.
const SHARPENED: [&str; 8] = [
    ids::HOMOGENEITY,
    ids::SIMILARITY,
    ids::BACKGROUND_KNOWLEDGE,
    ids::BAYES_OPTIMAL,
    ids::MAX_ENTROPY,
    ids::INDEPENDENCE,
    ids::DEFINETTI,
    ids::COMPOSITION,
];

impl<'a> Adversary<'a> {
    /// Makes attacks: those with these words, or all for which enough is known.
    ///
    /// # Errors
    /// When the knowledge cannot be understood, or the person asks to stop.
    pub fn attack(&self, words: Option<&[String]>, progress: &dyn Progress) -> Result<Attacked, AttackError> {
        // A mistake in what is known must not look like safety, whichever attacks are asked for.
        knowing::check(self)?;
        let mut attacked = Attacked::default();
        let wanted =
            |attack: &&AttackWord| words.is_none_or(|words| words.iter().any(|word| word == attack.word));
        for attack in ATTACKS.iter().filter(wanted) {
            progress.check()?;
            progress.stage("attacking", None);
            let found = self.make(attack.word, progress).and_then(|mut found| {
                control::control(self, attack.word, &mut found, progress)?;
                if attack.word == ids::MAX_ENTROPY {
                    least_committed::growth(self, &mut found, progress)?;
                }
                found.iter_mut().for_each(|own| self.of_the_data(own));
                Ok(found)
            });
            match found {
                // Silence would look like safety.
                Ok(found) if found.is_empty() => {
                    let why = "nothing that the adversary knows is about anybody in this release";
                    attacked.not_made.push((attack.word, why.to_owned()));
                    let why = why.to_owned();
                    attacked.blocked.push(Blocked { attack: attack.word, column: None, why });
                }
                Ok(found) => {
                    // What was not given for a column was not asked for there.
                    let failed = found.iter().flat_map(|own| &own.failed);
                    let failed = failed
                        .filter(|own| !matches!(own.1, AttackError::Needs(_) | AttackError::OfNobody(_)));
                    attacked.blocked.extend(failed.map(|(column, why)| Blocked {
                        attack: attack.word,
                        column: Some(column.clone()),
                        why: why.to_string(),
                    }));
                    let not_counted = attack.not_counted(self.release.shows_identities());
                    for mut own in found {
                        if let Some(why) = not_counted {
                            own.finding.risk = 0.0;
                            own.finding.not_counted = Some(why.to_owned());
                        }
                        attacked.findings.push(own.finding);
                        attacked.conclusions.extend(own.conclusions);
                    }
                }
                Err(
                    error @ (AttackError::Cancelled | AttackError::Knowledge(_) | AttackError::Internal(_)),
                ) => return Err(error),
                Err(error) => {
                    let why = error.to_string();
                    if !matches!(error, AttackError::OfNobody(_)) {
                        let why = why.clone();
                        attacked.blocked.push(Blocked { attack: attack.word, column: None, why });
                    }
                    attacked.not_made.push((attack.word, why));
                }
            }
        }
        Ok(attacked)
    }

    /// Who is known not to be in the data is not counted: a longer list of people must not make a release look safer, and of
    /// them nothing is learned.
    fn of_the_data(&self, found: &mut Found) {
        let target = self.target(None);
        // `known-attributes` leaves them out itself: it counts people over many subsets of columns.
        let is_counted = |own: &&Conclusions| own.whom == Whom::People && own.attack != ids::KNOWN_ATTRIBUTES;
        let Some(own) = found.conclusions.as_ref().filter(is_counted) else { return };
        let all = || own.fate.iter().copied().zip(0..);
        if !all().any(|(_, person)| target.is_outside(person)) {
            // Whoever would be taken for a member without their own record is not told by it.
            let finding = &mut found.finding;
            if let Some(control) =
                finding.control.filter(|_| finding.attack == ids::MEMBERSHIP && finding.not_counted.is_none())
            {
                finding.risk = (finding.risk - control.rate).max(0.0);
            }
            return;
        }
        let finding = &mut found.finding;
        let inside: Vec<Fate> =
            all().filter(|(_, person)| !target.is_outside(*person)).map(|(fate, _)| fate).collect();
        let score = Score::count(&inside);
        if finding.not_counted.is_none() {
            finding.risk = score.risk();
        }
        // Who is taken for a member and is none is what membership is about.
        if finding.attack == ids::MEMBERSHIP {
            // What is told of members as of everybody else tells nobody's presence.
            let others: Vec<Fate> =
                all().filter(|(_, person)| target.is_outside(*person)).map(|(fate, _)| fate).collect();
            let others = Score::count(&others).exposed();
            if finding.not_counted.is_none() {
                // How well members are told from others, however sure that makes of any of them.
                let told = own.chance.as_deref().and_then(|chances| records::told_apart(self, chances));
                let advantage = told.map_or(0.0, |own| own.advantage);
                finding.risk = advantage.max(score.risk() - others.rate).max(0.0);
            }
            finding.notes.push(Note::of_original(format!(
                "Of {} people of the list who are in the data, or may be, {} % are taken for members with that confidence, of the {} others \
                 {} %; the risk is the advantage, the most by which the former exceed the latter for any degree of confidence.",
                inside.len(),
                crate::percent(score.risk()),
                others.of,
                crate::percent(others.rate)
            )));
            return;
        }
        (finding.exposed, finding.right) = (score.exposed(), score.right());
        let sure = |(fate, person): (Fate, u32)| target.is_outside(person) && fate.is_exposed();
        finding.notes.push(Note::of_original(format!(
            "People of the list who are not in the data, and are not counted: {}; of {} of them the adversary would be sure, and wrong.",
            own.fate.len() - inside.len(),
            all().filter(|own| sure(*own)).count()
        )));
    }

    /// Makes an attack. Those that reason about who stands where leave out where nobody can, if all of the list are in the data.
    fn make(&self, word: &str, progress: &dyn Progress) -> Result<Vec<Found>, AttackError> {
        if !SHARPENED.contains(&word) {
            return self.made(word, progress);
        }
        let is_composed = word == ids::COMPOSITION;
        if let Some((suspects, others)) = is_composed.then(|| composed::present(self)).flatten() {
            return Adversary { suspects: &suspects, others: &others, ..self.clone() }.make(word, progress);
        }
        let own = sharpened(&self.standing(), self.suspects, &self.release.groups);
        let others = self.others.iter().filter(|_| is_composed);
        let others: Vec<Option<Suspects>> =
            others.map(|own| sharpened(&own.standing, &own.suspects, &own.release.groups)).collect();
        let is_sharp = own.is_some() || others.iter().any(Option::is_some);
        let has_independent = is_composed && self.others.iter().any(|own| own.independent);
        if !is_sharp && !has_independent {
            return self.made(word, progress);
        }
        let others: Vec<Other<'_>> = (self.others.iter().zip(others))
            .map(|(own, sharp)| Other {
                suspects: sharp.unwrap_or_else(|| own.suspects.clone()),
                ..own.clone()
            })
            .collect();
        let sharp = Adversary {
            suspects: own.as_ref().unwrap_or(self.suspects),
            others: if is_composed { &others } else { self.others },
            ..self.clone()
        };
        // A list that cannot be in all releases at once says nothing of who stands where, nor of who is in an independent table.
        if is_composed && (composed::is_refuted(&sharp) || (has_independent && composed::is_refuted(self))) {
            return self.of_one_table(word, progress);
        }
        let mut found = sharp.made(word, progress)?;
        // Without their own record nobody is where the others leave no room.
        let has_control = found.iter().any(|own| own.finding.control.is_some());
        let plain = if has_control { self.made(word, progress)? } else { Vec::new() };
        for own in &mut found {
            if let Some(plain) = plain.iter().find(|plain| plain.finding.column == own.finding.column) {
                (own.finding.control, own.finding.control_group) =
                    (plain.finding.control, plain.finding.control_group.clone());
            }
        }
        Ok(found)
    }

    /// Makes an attack without the releases of independent tables, of which it is not known who of the list is in them.
    fn of_one_table(&self, word: &str, progress: &dyn Progress) -> Result<Vec<Found>, AttackError> {
        let others: Vec<Other<'_>> = self.others.iter().filter(|own| !own.independent).cloned().collect();
        match others.len() {
            all if all == self.others.len() => self.made(word, progress),
            0 => Err(AttackError::Contradiction(
                "the list of people cannot be in this release and in those of independent tables at once as it stands: it holds others, or \
                 lacks people, so that nothing can be concluded from those"
                    .to_owned(),
            )),
            _ => Adversary { others: &others, ..self.clone() }.make(word, progress),
        }
    }

    fn made(&self, word: &str, progress: &dyn Progress) -> Result<Vec<Found>, AttackError> {
        match word {
            ids::LINKING => Ok(vec![self.linking()]),
            INSENSITIVE => insensitive::attack(self),
            SENSITIVE => insensitive::of_sensitive(self),
            ids::HOMOGENEITY => self.homogeneity().map(|found| self.looked_again(found)),
            ids::SIMILARITY => self.similarity().map(|found| self.looked_again(found)),
            ids::BACKGROUND_KNOWLEDGE => {
                self.of_columns(|target, column| knowing::background(self, target, column, progress))
            }
            ids::BAYES_OPTIMAL => {
                self.of_columns(|target, column| priors::bayes_optimal(self, target, column, progress))
            }
            ids::MAX_ENTROPY => {
                self.of_columns(|target, column| least_committed::max_entropy(self, target, column, progress))
            }
            ids::INDEPENDENCE => {
                self.of_columns(|target, column| priors::independence(self, target, column, progress))
            }
            ids::BOOLEAN => self.of_columns(|target, _| worst::boolean(self, target)),
            ids::THREE_D => self.of_columns(|target, _| worst::three_d(self, target)),
            ids::MINIMALITY => self.elsewhere(self.minimality, NEEDS_JOB_AND_PEOPLE),
            ids::DISCLOSURE_SETS => self.elsewhere(self.disclosure, NEEDS_JOB_AND_PEOPLE),
            ids::TRACKER => self.elsewhere(
                self.tracker,
                "it needs [server] in the knowledge file, and the original behind it",
            ),
            ids::DEFINETTI => self.of_columns(|target, _| exchangeable::attack(self, target, progress)),
            ids::COMPOSITION => self.of_columns(|target, _| composed::attack(self, target)),
            ids::RECORD_LINKAGE => linkage::linkage(self),
            ids::MEMBERSHIP => records::membership(self),
            ids::KNOWN_ATTRIBUTES => records::known_attributes(self),
            word if three_risks::WORDS.contains(&word) => match self.risks {
                Some(risks) => risks(word),
                None => Err(AttackError::Needs(NEEDS_ORIGINAL.to_owned())),
            },
            _ => Err(AttackError::Needs("there is no such attack".to_owned())),
        }
    }

    /// An attack that is made elsewhere, where it can be.
    fn elsewhere(&self, attack: Option<&Elsewhere<'_>>, needs: &str) -> Result<Vec<Found>, AttackError> {
        match attack {
            Some(attack) => self.of_columns(|_, column| attack(column)),
            None => Err(AttackError::Needs(needs.to_owned())),
        }
    }

    /// How the people go with the release.
    fn standing(&self) -> Standing {
        standing(self.release, &self.crowd, self.suspects)
    }

    /// How probable it is that people stand where they may. Where they are linked to the nearest, nobody is certain to fit.
    fn chances(&self) -> Chances {
        match nearest::applies(&self.crowd) {
            true => Chances::default(),
            false => standing::chances(&self.standing(), self.suspects, &self.release.groups),
        }
    }

    /// The target, for a sensitive column.
    fn target(&self, sensitive: Option<usize>) -> Target<'a> {
        Target { release: self.release, sensitive, people: self.suspects, truth: self.truth }
    }

    /// Makes an attack on each sensitive column.
    fn of_columns(
        &self,
        attack: impl Fn(&Target<'a>, usize) -> Result<Option<Found>, AttackError>,
    ) -> Result<Vec<Found>, AttackError> {
        if self.release.sensitive.is_empty() {
            return Err(AttackError::Needs("the release has no sensitive column".to_owned()));
        }
        let mut found: Vec<Found> = Vec::new();
        let mut failed = Vec::new();
        for column in 0..self.release.sensitive.len() {
            match attack(&self.target(Some(column)), column) {
                Ok(Some(own)) => found.push(own),
                Ok(None) => {}
                Err(
                    error @ (AttackError::Cancelled | AttackError::Knowledge(_) | AttackError::Internal(_)),
                ) => return Err(error),
                Err(why) => failed.push((column, why)),
            }
        }
        // What fails on one column must not hide what was found on another, nor be hidden by it.
        match found.last_mut() {
            Some(found) => {
                for (column, why) in failed {
                    let name = &self.release.sensitive[column].name;
                    found.finding.notes.push(Note::of_release(format!("It was not made on `{name}`: {why}")));
                    found.failed.push((name.clone(), why));
                }
            }
            None => {
                if let Some((_, why)) = failed.into_iter().next() {
                    return Err(why);
                }
            }
        }
        Ok(found)
    }

    /// Where people are linked to the nearest, there is always one, so what they would be told without their own records is
    /// found by looking again, not by taking a record off.
    fn looked_again(&self, mut found: Vec<Found>) -> Vec<Found> {
        if nearest::applies(&self.crowd) {
            for own in &mut found {
                (own.finding.control, own.finding.control_group) = (None, None);
            }
        }
        found
    }

    fn linking(&self) -> Found {
        let target = self.target(None);
        let mut found = linking::attack(&target);
        let finding = &mut found.finding;
        if nearest::applies(&self.crowd) {
            // There is always a nearest record, so who would be pointed at without their own is found by looking again.
            (finding.control, finding.control_group) = (None, None);
            let what = match self.release.manifest {
                Some(_) => {
                    "Some columns show means, medians or modes, which exclude nobody: each person was linked to the group \
                     whose centre is nearest."
                }
                None => {
                    "Published values need not be the person's, and those that were changed exclude nobody: each person was linked to the nearest \
                     records."
                }
            };
            finding
                .notes
                .push(Note::of_original(format!("{what} Such a link is the best guess, and may be wrong.")));
            if let Some(truth) = self.truth {
                let published =
                    (0..self.suspects.people() as u32).filter(|&person| target.group_of(person).is_some());
                let at_home = |person: &u32| {
                    let own = target.group_of(*person);
                    self.suspects.places_of(*person).iter().any(|place| Some(place.group) == own)
                };
                let home = published.filter(at_home).count() as u64;
                let of = truth.record_of.iter().flatten().count() as u64;
                if of > 0 {
                    finding.notes.push(Note::of_original(format!(
                        "The nearest group is the person's own for {home} of {of}."
                    )));
                }
            }
        }
        found
    }

    fn homogeneity(&self) -> Result<Vec<Found>, AttackError> {
        let chances = self.chances();
        self.of_columns(|target, _| Ok(homogeneity::attack_by(target, self.confidence, None, &chances)))
    }

    fn similarity(&self) -> Result<Vec<Found>, AttackError> {
        let needs = "no sensitive column has a hierarchy, or is a column of numbers: nothing says which values are alike";
        let alone =
            "it has no hierarchy, and is no column of numbers: nothing says which of its values are alike";
        let chances = self.chances();
        let mut left_out = Vec::new();
        let of = |column: usize| {
            let domain = &self.release.sensitive[column].domain;
            Similar::new(domain, self.hierarchies.get(column).and_then(Option::as_ref), |_| true)
        };
        for (column, own) in self.release.sensitive.iter().enumerate() {
            if of(column).is_none() {
                left_out.push(own.name.as_str());
            }
        }
        let mut found = self.of_columns(|target, column| {
            let similar = of(column);
            Ok(similar
                .and_then(|similar| homogeneity::similarity_by(target, self.confidence, &similar, &chances)))
        })?;
        let Some(last) = found.last_mut() else { return Err(AttackError::Needs(needs.to_owned())) };
        for name in left_out {
            last.finding.notes.push(Note::of_release(format!("It was not made on `{name}`: {alone}")));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod enumerated;
#[cfg(test)]
mod tests;
