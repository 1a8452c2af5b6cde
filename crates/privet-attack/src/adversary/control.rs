//! The control (survey section 6): the same attack on people who are not in the data, so that what the release leaks is
//! told apart from what statistics would tell anyone.
//!
//! Where a table of such people is known (`[control]`), the attack is made on them, among the people who are looked for.
//! Otherwise records are taken out: the same people are attacked by somebody whose copy of the release lacks their own
//! records. Groups stay as they are; nothing is anonymized again, which would need the original and change everybody else.
//! Of few people one record is taken out at a time; of more a tenth at a time; of many one random tenth.
//!
//! What it guarantees: the people who are counted are drawn from those whom the attack counts, everybody equally likely, so
//! the two rates compare; a person without a record in the release is attacked as before. Success is what it is for the
//! attack's risk: sure and right of a value (sure, where the truth is not known), or pointed at, where records are looked
//! for. A tenth takes at most one record out of a group of up to ten people, and no more than a tenth, rounded up, of a
//! larger one: where an attack looks at a person's own group, that is one at a time for small groups. Not guaranteed: that
//! it comes to the same for attacks that look across groups, or where labels overlap.
//! When what the adversary knows contradicts a release without those records, nobody of them is exposed. Whose value the
//! adversary knew beforehand is counted in neither rate.
//!
//! Several releases together (`composition`) have a control only by a table of such people: whose records are whose in the
//! other releases is not known, so they could not be taken out there.
//!
//! The worst that somebody could know (`boolean`, `three-d`) has a control only by a table of such people. Taking a record
//! out makes its group smaller, in which the worst knowledge tells more: the rate would be above that of the attack itself.

use privet_data::{Coverage, Progress, Random};

use super::held::{Held, Part};
use super::{Adversary, Crowd, Other, SharedColumn, linkage, records};
use crate::attacks::ids;
use crate::finding::{AttackError, Conclusions, Fate, Found};
use crate::link::UNKNOWN;
use crate::linking::{WITHOUT, has_single};
use crate::note::Note;
use crate::rate::Rate;
use crate::target::{Suspects, Truth};
use crate::three_risks;

/// Up to so many people one record is taken out at a time.
const ONE_BY_ONE: usize = 40;
/// Up to so many a tenth at a time, of an attack that takes long and of one that does not.
const BY_TENTHS: (usize, usize) = (400, 4_000);
/// Into so many parts people are dealt out.
const FOLDS: usize = 10;

/// Who they are, where a table of them is known.
const STRANGERS: &str = "people of the control table, who are not in the data";

/// Why the worst that somebody could know has no control by taking records out.
const NO_CONTROL: &str = "There is no control: without their records the groups are smaller, less knowledge is needed in \
                          them, and the rate would be about smaller groups rather than about people who are not in the data.";

/// Why several releases together have no control by taking records out.
const NO_COMPOSED_CONTROL: &str = "There is no control: nobody told which record of the other releases is whose, so it cannot \
                                   be taken out of them; a table of people who are not in the data ([control]) would be one.";

/// People who are certainly not in the data.
#[derive(Debug, Clone)]
pub struct Strangers<'a> {
    /// Who they are.
    pub crowd: Crowd<'a>,
    /// Where each would stand in the release.
    pub suspects: &'a Suspects,
    /// What is true of them.
    pub truth: &'a Truth,
    /// Per prior of the knowledge those it is about.
    pub of_prior: &'a [Vec<bool>],
    /// Per other release where each may stand in it.
    pub others: &'a [Suspects],
}

/// Sets a control against what an attack found, and says where it counts what the attack counts.
///
/// Of a class that was formed with people's records the others of the class tell as much without each single one, and were put there
/// with it: taking one out is no measure of what would be known had nothing been published. Of records that are looked up one by one,
/// as where they were swapped or made, it is. So is what is right of people of a control table whose values are known.
pub(super) fn control(
    adversary: &Adversary<'_>,
    word: &str,
    found: &mut [Found],
    progress: &dyn Progress,
) -> Result<(), AttackError> {
    // These bring controls of their own, which are taken off their risk already; where they have none, nobody was tried.
    if three_risks::WORDS.contains(&word) {
        return Ok(());
    }
    set(adversary, word, found, progress)?;
    if adversary.release.manifest.is_none() && adversary.control.is_none() {
        for own in found.iter_mut().filter(|own| own.finding.column.is_some()) {
            own.finding.baseline = own.finding.control;
        }
    }
    Ok(())
}

fn set(
    adversary: &Adversary<'_>,
    word: &str,
    found: &mut [Found],
    progress: &dyn Progress,
) -> Result<(), AttackError> {
    // These judge records, and have controls of their own.
    if matches!(word, ids::MINIMALITY | ids::DISCLOSURE_SETS | ids::DEFINETTI | ids::TRACKER) {
        return Ok(());
    }
    if let Some(strangers) = &adversary.control {
        against_strangers(adversary, strangers, word, found, progress)?;
        if found.iter().all(|own| own.finding.control_group.as_deref() == Some(STRANGERS)) {
            return Ok(());
        }
    }
    // Where no record is known to be anybody's, as among synthetic ones, there is none to do without.
    if adversary.truth.is_some_and(|truth| truth.record_of.iter().all(Option::is_none)) {
        for own in found.iter_mut().filter(|own| own.finding.control_group.as_deref() == Some(WITHOUT)) {
            (own.finding.control, own.finding.control_group) = (None, None);
        }
        return Ok(());
    }
    // Their records in the other releases would stay, and tell of them.
    if word == ids::COMPOSITION {
        for own in found.iter_mut().filter(|own| own.finding.control.is_none()) {
            own.finding.notes.push(Note::no_control(NO_COMPOSED_CONTROL));
        }
        return Ok(());
    }
    // Smaller groups are no people outside of the data: see above.
    if matches!(word, ids::BOOLEAN | ids::THREE_D) {
        for own in found.iter_mut().filter(|own| own.finding.control.is_none()) {
            own.finding.notes.push(Note::no_control(NO_CONTROL));
        }
        return Ok(());
    }
    // Every record that may be somebody's is one of a group, and all of it may be theirs: without their own, one is left of
    // two only because groups are smaller then (`linking.rs`).
    if matches!(word, ids::LINKING | ids::KNOWN_ATTRIBUTES) && !has_single(&adversary.release.groups) {
        for own in found.iter_mut().filter(|own| own.finding.control.is_none()) {
            own.finding.control = adversary.truth.map(|_| Rate::new(0, own.finding.exposed.of));
            own.finding.control_group = own.finding.control.map(|_| WITHOUT.to_owned());
        }
        return Ok(());
    }
    match found.iter().any(|own| own.finding.control.is_none()) {
        true => without_records(adversary, word, found, progress),
        false => Ok(()),
    }
}

/// Those of the judged against whom an attack succeeds.
fn succeeds<'c>(own: &'c Conclusions, judged: impl Iterator<Item = u32> + 'c) -> u64 {
    let succeeds = |person: u32| match own.fate.get(person as usize) {
        None | Some(Fate::Hidden | Fate::Guessed | Fate::Stated) => false,
        Some(Fate::Wrong) => own.column.is_none(),
        Some(Fate::Exposed | Fate::Right) => true,
    };
    judged.filter(|&person| succeeds(person)).count() as u64
}

fn against_strangers(
    adversary: &Adversary<'_>,
    strangers: &Strangers<'_>,
    word: &str,
    found: &mut [Found],
    progress: &dyn Progress,
) -> Result<(), AttackError> {
    let who = STRANGERS;
    let count = strangers.suspects.people();
    if word == ids::KNOWN_ATTRIBUTES {
        let theirs = Adversary { crowd: strangers.crowd.clone(), control: None, ..adversary.clone() };
        let Ok(share) = records::singled_out(&theirs) else { return Ok(()) };
        for own in found {
            own.finding.control = Some(Rate::expected(share * count as f64, count as u64));
            own.finding.control_group = Some(who.to_owned());
        }
        return Ok(());
    }
    let joined = Joined::new(adversary, strangers);
    let both = joined.adversary(adversary);
    let again = match word {
        ids::RECORD_LINKAGE => linkage::linkage_with(adversary, &strangers.crowd, &both),
        _ => both.make(word, progress),
    };
    let again = match again {
        Ok(again) => again,
        Err(AttackError::Cancelled) => return Err(AttackError::Cancelled),
        Err(why) => {
            let note =
                Note::of_original(format!("It could not be made on the people of the control table: {why}"));
            found.iter_mut().for_each(|own| own.finding.notes.push(note.clone()));
            return Ok(());
        }
    };
    let first = adversary.suspects.people() as u32;
    for own in found {
        let same = again.iter().filter(|other| other.finding.column == own.finding.column);
        let Some(conclusions) = same.filter_map(|other| other.conclusions.as_ref()).next() else { continue };
        // Whether a value is right can only be told where it is known; that somebody could be sure of one always.
        let values = conclusions.column.filter(|_| conclusions.chance.is_none());
        let values = values.and_then(|column| strangers.truth.values.get(column));
        let is_known = |person: usize| values.is_none_or(|own| own.get(person).copied().flatten().is_some());
        let judged: Vec<u32> = (0..count).filter(|&p| is_known(p)).map(|p| first + p as u32).collect();
        if judged.is_empty() {
            continue;
        }
        let of = judged.len() as u64;
        own.finding.control = Some(Rate::new(succeeds(conclusions, judged.into_iter()), of));
        own.finding.baseline = own.finding.control.filter(|_| values.is_some());
        own.finding.control_group = Some(who.to_owned());
    }
    Ok(())
}

/// People and strangers as one list, the strangers behind.
struct Joined<'a> {
    suspects: Suspects,
    truth: Truth,
    of_prior: Vec<Vec<bool>>,
    others: Vec<Other<'a>>,
    columns: Vec<(usize, Vec<u32>, Coverage)>,
    count: usize,
}

impl<'a> Joined<'a> {
    fn new(adversary: &Adversary<'a>, strangers: &Strangers<'_>) -> Self {
        let (people, more) = (adversary.suspects.people(), strangers.suspects.people());
        let theirs = strangers.truth;
        let nothing = Truth {
            record_of: vec![None; people],
            values: vec![vec![None; people]; theirs.values.len()],
            member: vec![None; people],
        };
        let mut truth = adversary.truth.cloned().unwrap_or(nothing);
        truth.record_of.extend(&theirs.record_of);
        truth.member.extend(&theirs.member);
        for (own, theirs) in truth.values.iter_mut().zip(&theirs.values) {
            own.extend(theirs);
        }
        let of_prior = (adversary.of_prior.iter().zip(strangers.of_prior))
            .map(|(own, theirs)| own.iter().chain(theirs).copied().collect())
            .collect();
        let others = (adversary.others.iter().zip(strangers.others))
            .map(|(own, theirs)| Other { suspects: chain(&own.suspects, theirs), ..own.clone() })
            .collect();
        Self {
            suspects: chain(adversary.suspects, strangers.suspects),
            truth,
            of_prior,
            others,
            columns: columns(&adversary.crowd, &strangers.crowd),
            count: people + more,
        }
    }

    fn adversary<'j>(&'j self, adversary: &Adversary<'j>) -> Adversary<'j>
    where
        'a: 'j,
    {
        let shared = self.columns.iter().map(|(quasi, values, coverage)| SharedColumn {
            quasi: *quasi,
            values,
            coverage,
            points: None,
        });
        Adversary {
            crowd: Crowd { count: self.count, shared: shared.collect() },
            suspects: &self.suspects,
            truth: Some(&self.truth),
            of_prior: &self.of_prior,
            others: &self.others,
            control: None,
            ..adversary.clone()
        }
    }
}

/// One list of people behind another.
fn chain(a: &Suspects, b: &Suspects) -> Suspects {
    let mut all = a.clone();
    if all.starts.is_empty() {
        all.starts.push(0);
    }
    let (profiles, groups) = (all.profiles() as u32, all.groups.len());
    all.profile_of.extend(b.profile_of.iter().map(|&profile| profile + profiles));
    all.starts.extend(b.starts.iter().skip(1).map(|&start| start + groups));
    all.groups.extend(b.groups.iter().copied());
    all.strangers = a.strangers + b.people();
    all
}

/// The shared columns of two crowds over one domain: the values of the first, those of the second, and one that any label
/// may stand for, for the people of whom a column is not known.
fn columns(a: &Crowd<'_>, b: &Crowd<'_>) -> Vec<(usize, Vec<u32>, Coverage)> {
    let of = |own: &SharedColumn<'_>| {
        let theirs = b.shared.iter().find(|theirs| theirs.quasi == own.quasi);
        let first = own.coverage.values();
        let anything = first + theirs.map_or(0, |theirs| theirs.coverage.values());
        let codes = own.values.iter().copied();
        let values = match theirs {
            Some(theirs) => {
                let shifted = |&code: &u32| if code == UNKNOWN { UNKNOWN } else { code + first };
                codes.chain(theirs.values.iter().map(shifted)).collect()
            }
            None => codes.chain(std::iter::repeat_n(anything, b.count)).collect(),
        };
        let list = |label: u32| {
            let mut list = own.coverage.of(label).runs().to_vec();
            let theirs = theirs.iter().flat_map(|theirs| theirs.coverage.of(label).runs());
            list.extend(theirs.map(|run| (run.0 + first, run.1 + first)));
            list.push((anything, anything));
            list
        };
        let coverage = Coverage::of_runs((0..own.coverage.labels() as u32).map(list), anything + 1);
        (own.quasi, values, coverage)
    };
    a.shared.iter().map(of).collect()
}

fn without_records(
    adversary: &Adversary<'_>,
    word: &str,
    found: &mut [Found],
    progress: &dyn Progress,
) -> Result<(), AttackError> {
    let Some(truth) = adversary.truth else { return Ok(()) };
    // Who is not in the data is not counted, and has no record to be taken out.
    let target = adversary.target(None);
    let inside: Vec<u32> =
        (0..adversary.suspects.people() as u32).filter(|&person| !target.is_outside(person)).collect();
    let people = inside.len();
    let takes_long = matches!(
        word,
        ids::MAX_ENTROPY | ids::BACKGROUND_KNOWLEDGE | ids::RECORD_LINKAGE | ids::INDEPENDENCE
    );
    let group_of: Vec<Option<u32>> = inside
        .iter()
        .map(|&person| {
            let record = truth.record_of.get(person as usize).copied().flatten()?;
            adversary.release.group_of.get(record as usize).copied()
        })
        .collect();
    let mut folds = folds(&group_of, if takes_long { BY_TENTHS.0 } else { BY_TENTHS.1 }, adversary.seed);
    for own in folds.iter_mut().flatten() {
        *own = inside.get(*own as usize).copied().unwrap_or(*own);
    }
    let (mut hits, mut of, mut expected) = (vec![0u64; found.len()], vec![0u64; found.len()], 0.0);
    for fold in &folds {
        progress.check()?;
        for (own, of) in found.iter().zip(&mut of) {
            let fate = |person: &u32| own.conclusions.as_ref()?.fate.get(*person as usize);
            *of += fold.iter().filter(|person| fate(person) != Some(&Fate::Stated)).count() as u64;
        }
        let held = Held::new(adversary, truth, fold)?;
        if word == ids::KNOWN_ATTRIBUTES {
            let part = Part::new(adversary, fold);
            let Ok(share) = records::singled_out(&part.adversary(held.adversary(adversary))) else {
                return Ok(());
            };
            expected += share * fold.len() as f64;
            continue;
        }
        let again = match held.adversary(adversary).make(word, progress) {
            Ok(again) => again,
            Err(AttackError::Contradiction(_) | AttackError::Impossible(_) | AttackError::OfNobody(_)) => {
                continue;
            }
            Err(AttackError::Cancelled) => return Err(AttackError::Cancelled),
            Err(_) => return Ok(()),
        };
        for (own, hits) in found.iter().zip(&mut hits) {
            let same = again.iter().filter(|other| other.finding.column == own.finding.column);
            if let Some(conclusions) = same.filter_map(|other| other.conclusions.as_ref()).next() {
                *hits += succeeds(conclusions, fold.iter().copied());
            }
        }
    }
    let who = match folds.as_slice() {
        [one] if one.len() < people => "a random tenth of the people, attacked without their records",
        [first, ..] if first.len() > 1 => {
            "the same people, a tenth at a time, attacked without their records"
        }
        _ => WITHOUT,
    };
    let counted = hits.into_iter().zip(of);
    for (own, (hits, of)) in found.iter_mut().zip(counted).filter(|(own, _)| own.finding.control.is_none()) {
        let hits = if word == ids::KNOWN_ATTRIBUTES { expected } else { hits as f64 };
        own.finding.control = Some(Rate::expected(hits, of));
        own.finding.control_group = Some(who.to_owned());
    }
    Ok(())
}

/// Whose records are taken out together: of each group as few as can be, and at most one where a group has no more
/// people than there are folds. `group_of` tells of each person the group of their record, if they have one.
fn folds(group_of: &[Option<u32>], by_tenths: usize, seed: u64) -> Vec<Vec<u32>> {
    let people = group_of.len();
    if people <= ONE_BY_ONE {
        return (0..people as u32).map(|person| vec![person]).collect();
    }
    let mut random = Random::stream(seed, u64::from(u32::MAX));
    let mut order: Vec<u32> = (0..people as u32).collect();
    random.shuffle(&mut order);
    // People of a group stand together, in random order, and are dealt out like cards.
    order.sort_by_key(|&person| group_of.get(person as usize).copied().flatten());
    let mut folds: Vec<Vec<u32>> = vec![Vec::new(); FOLDS];
    for (&person, fold) in order.iter().zip((0..FOLDS).cycle()) {
        if let Some(fold) = folds.get_mut(fold) {
            fold.push(person);
        }
    }
    if people > by_tenths {
        // Any of them, so that everybody is as likely to be judged.
        folds = vec![folds.swap_remove(random.below(FOLDS))]; // why: below the number of folds
    }
    folds.iter_mut().for_each(|fold| fold.sort_unstable());
    folds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of up to ten lose one record at a time, larger ones a tenth; everybody is judged once.
    #[test]
    fn small_groups_lose_one_at_a_time() {
        let sizes = [1usize, 2, 5, 9, 10, 11, 25, 100, 3, 7];
        let mut group_of: Vec<Option<u32>> =
            sizes.iter().zip(0..).flat_map(|(&size, group)| vec![Some(group); size]).collect();
        group_of.extend([None; 4]);
        let folds = folds(&group_of, 4000, 3);
        let mut judged: Vec<u32> = folds.concat();
        judged.sort_unstable();
        assert_eq!(judged, (0..group_of.len() as u32).collect::<Vec<_>>());
        for fold in &folds {
            for (&size, group) in sizes.iter().zip(0..) {
                let gone = fold.iter().filter(|&&person| group_of[person as usize] == Some(group)).count();
                assert!(gone <= size.div_ceil(FOLDS), "{gone} of {size}");
            }
        }
    }

    /// Where one tenth is judged, everybody is as likely to be in it: of 50 people over 4000 seeds each is in 400, with a
    /// deviation of 19. False alarm: six deviations, 1e-7.
    #[test]
    fn everybody_is_as_likely_to_be_judged() {
        let group_of: Vec<Option<u32>> = (0..50).map(|person| (person < 45).then_some(person / 7)).collect();
        let mut drawn = vec![0u32; 50];
        for seed in 0..4000 {
            let own = folds(&group_of, 40, seed);
            assert_eq!(own.len(), 1);
            own[0].iter().for_each(|&person| drawn[person as usize] += 1);
        }
        assert!(drawn.iter().all(|&count| (286..=514).contains(&count)), "{drawn:?}");
    }

    #[test]
    fn few_people_one_by_one() {
        assert!(folds(&[], 10, 1).is_empty());
        assert_eq!(folds(&[None, Some(1)], 10, 1), [[0], [1]]);
    }
}
