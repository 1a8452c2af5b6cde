//! The worst that somebody could know: (c,k)-safety (survey PM-12, AT-04) and 3D privacy (PM-13) as attacks.
//!
//! Nobody is said to know it. These tell how little would be needed: a person is exposed when the worst knowledge of this
//! size makes the adversary sure of their value. They have no risk of their own; who wants to bound them promises the
//! criterion of the same name. How much knowledge that is the knowledge file says ([`Strength`](crate::knowledge::Strength)). To be sure
//! that a value is missing is to have learned nothing: no missing value is a target, though it may be what a statement speaks of.
//!
//! The figures come from the fast forms. Where there are few worlds, all of them and all such knowledge are gone through besides, by
//! the definitions alone (`worlds::brute`), and have to say the same.

use std::collections::{BTreeMap, HashMap};

use privet_criteria::{Class, Histogram, Requirement, Summaries, ThreeD, build, ck_chances};
use privet_release::published::SensitiveColumn;

use super::Adversary;
use crate::attacks::{AttackWord, Role};
use crate::finding::{AttackError, Conclusions, Fate, Finding, Found, Score, Unit, Whom, tenths};
use crate::histogram::HistogramOf;
use crate::linking::candidates_alone;
use crate::note::Note;
use crate::target::Target;
use crate::worlds::{
    Bucket, Buckets, Consequent, ck_breach_by_worlds, ck_worst, count_worlds, three_d_breach_by_worlds,
};

/// The word of the attack in files.
pub const BOOLEAN: &str = "boolean";

/// What it is.
pub(crate) const ABOUT_BOOLEAN: AttackWord = AttackWord {
    word: BOOLEAN,
    title: "Facts about people",
    sentence: "The adversary knows facts about who has or does not have which value, and counts in how many of the arrangements that fit both the facts and the release a person has a value.",
    about: "the worst statements that somebody could know ((c,k)-safety)",
    needs: None,
    quick: false,
    role: Role::Informs(
        "it assumes unusually strong knowledge; it tells how little would be needed, and `c-k-safety` bounds it",
    ),
};

/// The word of the attack in files.
pub const THREE_D: &str = "three-d";

/// What it is.
pub(crate) const ABOUT_THREE_D: AttackWord = AttackWord {
    word: THREE_D,
    title: "Knowledge of three kinds",
    sentence: "The adversary knows some values that a person does not have, the values of some other people, and some people who have the same value as that person, whichever of these help most.",
    about: "the worst known values, others and families (3D privacy)",
    needs: None,
    quick: false,
    role: Role::Informs(
        "it assumes unusually strong knowledge; it tells how little would be needed, and the promise `three-d` bounds it",
    ),
};

/// Conjunctions, and pieces of knowledge of the 3D criterion, that are gone through at most, and what is looked up for all of them.
const MOST_KNOWLEDGE: u64 = 300_000;
const MOST_LOOKS: u64 = 20_000_000;

/// Per group how often each of its values occurs, the largest first, and how often none is given.
fn counts(target: &Target<'_>) -> Vec<(Vec<u64>, u64)> {
    let Some(column) = target.column() else { return Vec::new() };
    let of = |group| {
        let (mut counts, mut missing) = (Vec::new(), 0);
        for &(value, count) in column.histograms.of(group) {
            match column.domain.is_missing(value) {
                true => missing += count,
                false => counts.push(count),
            }
        }
        counts.sort_unstable_by(|a: &u64, b| b.cmp(a));
        (counts, missing)
    };
    (0..target.release.groups.len() as u32).map(of).collect()
}

/// The largest chance of a value that is not missing for who knows one implication about people of a group. The consequent
/// is what is to be learned, of person p; the other atom is about p as well, and then of the most frequent other value, or
/// about somebody else, and then of the value that leaves the fewest ways. Missing values count as one that can be spoken
/// of. Without any this is [`ck_worst`], and a test says so.
fn one_statement(counts: &[u64], missing: u64) -> f64 {
    let people = counts.iter().sum::<u64>().saturating_add(missing) as f64;
    let chance = |(at, &count): (usize, &u64)| {
        let own = count as f64;
        let next = counts.get(usize::from(at == 0)).copied().unwrap_or(0);
        let other = next.max(missing) as f64;
        // Ways in which neither holds, as a share of those of p alone: p has neither value, or somebody else has not that.
        let of_somebody = |value: f64, left: f64| people - own - value + own * left / (people - 1.0).max(1.0);
        let neither = (people - own - other).min(of_somebody(other, other)).min(of_somebody(own, own - 1.0));
        own / (own + neither.max(0.0))
    };
    counts.iter().enumerate().filter(|own| *own.1 > 0).map(chance).fold(0.0, f64::max)
}

/// Per group the largest chance of a value that is not missing for who knows so many implications about anybody, where groups with
/// missing values `reach` so much when these count as one that could be learned like any other. Of several implications that is no
/// less than what can be told; of none and of one it is worked out.
fn statements(groups: &[(Vec<u64>, u64)], reach: &[f64], k: u32) -> Vec<f64> {
    let people = |counts: &[u64], missing: u64| counts.iter().sum::<u64>().saturating_add(missing) as f64;
    // In how many worlds somebody elsewhere has not the most frequent value: the two groups where these are fewest.
    let not_elsewhere = |(counts, missing): &(Vec<u64>, u64)| {
        1.0 - counts.first().copied().unwrap_or(0).max(*missing) as f64 / people(counts, *missing).max(1.0)
    };
    let mut least = [(f64::INFINITY, usize::MAX); 2];
    for (number, group) in groups.iter().enumerate().filter(|own| !own.1.0.is_empty()) {
        let own = (not_elsewhere(group), number);
        match own.0 {
            not if not < least[0].0 => least = [own, least[0]],
            not if not < least[1].0 => least[1] = own,
            _ => {}
        }
    }
    let of = |(number, (counts, missing)): (usize, &(Vec<u64>, u64))| {
        let Some(&most) = counts.first() else { return 0.0 };
        let chance = most as f64 / people(counts, *missing);
        match k {
            0 => chance,
            1 => {
                let elsewhere = least[usize::from(least[0].1 == number)].0.min(1.0);
                one_statement(counts, *missing).max(chance / (chance + (1.0 - chance) * elsewhere))
            }
            _ => reach[number],
        }
    };
    groups.iter().enumerate().map(of).collect()
}

/// The groups with a value that is not missing, and as buckets, with all missing values as one; `None` where they are none or too
/// many.
fn buckets(target: &Target<'_>) -> Option<(Vec<usize>, Buckets)> {
    let column = target.column()?;
    let codes = column.domain.len() as u32;
    let of = |group: u32| {
        let cells = column.histograms.of(group).iter();
        let value = |value: u32| if column.domain.is_missing(value) { codes } else { value };
        cells.flat_map(|&(own, count)| std::iter::repeat_n(value(own), count as usize)).collect::<Vec<u32>>()
    };
    // More records than these have more worlds than are gone through, or one value.
    if target.release.table.rows > MOST_PEOPLE {
        return None;
    }
    let mut next = 0;
    let groups = (0..target.release.groups.len()).map(|group| (group, of(group as u32)));
    let told = groups.filter(|(_, values)| values.iter().any(|&value| value != codes));
    let told = told.map(|(group, values)| {
        let people = (next..next + values.len() as u32).collect();
        next += values.len() as u32;
        (group, Bucket { people, values })
    });
    let (groups, list): (Vec<usize>, Vec<Bucket>) = told.unzip();
    let has_missing = list.iter().any(|own| own.values.contains(&codes));
    let buckets = Buckets::new(list, codes + u32::from(has_missing)).ok();
    Some(groups).zip(buckets.filter(|own| !own.list().is_empty()))
}

/// So many records there are at most where all worlds are gone through.
const MOST_PEOPLE: usize = 64;

/// What going through all worlds and all knowledge says besides, where it was done: that it is the same of every group.
fn besides(
    buckets: Option<&(Vec<usize>, Buckets)>,
    fast: &[f64],
    slow: Option<Vec<f64>>,
) -> Result<Option<Note>, AttackError> {
    let Some(((groups, buckets), slow)) = buckets.zip(slow) else { return Ok(None) };
    for (&group, slow) in groups.iter().zip(slow) {
        let fast = fast.get(group).copied().unwrap_or(0.0);
        if (fast - slow).abs() > 1e-9 {
            return Err(AttackError::Internal(format!(
                "of a group the worst knowledge tells {fast:.6} by the fast form and {slow:.6} by going through all worlds"
            )));
        }
    }
    let worlds = count_worlds(buckets.list()).0.map_or(String::new(), |own| format!(" {own}"));
    Ok(Some(Note::of_release(format!(
        "All{worlds} worlds and all such knowledge of them were gone through besides, and tell the same of every group."
    ))))
}

/// How many sets of this size there are.
fn sets(of: usize, size: usize) -> f64 {
    (0..size.min(of)).map(|at| (of - at) as f64 / (at + 1) as f64).product()
}

pub(super) fn boolean(adversary: &Adversary<'_>, target: &Target<'_>) -> Result<Option<Found>, AttackError> {
    let all = counts(target);
    let k = adversary.knowledge.strength.statements;
    // Nothing is said of groups in which nothing is given.
    let with_missing = |(own, missing): &(Vec<u64>, u64)| {
        let all = own.iter().chain([missing]).take(if own.is_empty() { 0 } else { usize::MAX });
        all.map(|&own| u32::try_from(own).unwrap_or(u32::MAX)).collect::<Vec<u32>>()
    };
    let reach = ck_chances(all.iter().map(|own| with_missing(own).into_iter()), k);
    let has_missing = all.iter().any(|(own, missing)| !own.is_empty() && *missing > 0);
    let sure = if has_missing { statements(&all, &reach, k) } else { reach.clone() };
    // Over the whole table a missing value is one like others, where there are others: no less than what can be told.
    let with_missing = |(own, missing): &(Vec<u64>, u64)| own.iter().copied().chain([*missing]).collect();
    let groups: Vec<Vec<u64>> = all.iter().filter(|(own, _)| !own.is_empty()).map(with_missing).collect();
    let worst = |k: u32| ck_worst(&groups, k).chance;
    let mut notes = vec![
        Note::of_release(format!(
            "The worst that any statements about the whole table would tell, with none, one, two and three of them: {:.3}, {:.3}, {:.3}, {:.3}.",
            worst(0),
            worst(1),
            worst(2),
            worst(3)
        )),
        Note::of_release("To bound this, promise `c-k-safety`."),
    ];
    let slow = buckets(target);
    let by_worlds = slow.as_ref().and_then(|own| {
        // With one atom a side: more tell no more (survey PM-12).
        let each = own.1.list().len() as u64 * u64::from(own.1.domain());
        ck_breach_by_worlds(&own.1, k, Consequent::Or, 1, MOST_KNOWLEDGE.min(MOST_LOOKS / each.max(1))).ok()
    });
    notes.extend(besides(slow.as_ref(), &reach, by_worlds)?);
    if has_missing && k > 1 {
        notes.push(Note::of_release(
            "Of several statements, to learn that a value is missing counts like any other for everybody."
                .to_owned(),
        ));
    }
    if has_missing {
        notes.push(Note::of_release(
            "For these figures, to learn that a value is missing counts like any other.",
        ));
    }
    let (known, make) = if k == 1 { ("statement", "makes") } else { ("statements", "make") };
    let success = format!(
        "{k} {known} of the form \"if this person has this value, then that person has that\" about anybody in the \
         data {make} the adversary at least {} % sure of a value",
        crate::percent(adversary.confidence)
    );
    Ok(Some(found(
        BOOLEAN,
        match k {
            1 => "the worst statement of that form that is true, chosen for each person",
            _ => "the worst statements of that form that are true, chosen for each person",
        },
        success,
        adversary,
        target,
        &sure,
        notes,
    )))
}

pub(super) fn three_d(adversary: &Adversary<'_>, target: &Target<'_>) -> Result<Option<Found>, AttackError> {
    let Some(column) = target.column() else { return Ok(None) };
    let told = (0..column.domain.len() as u32).filter(|&code| !column.domain.is_missing(code));
    let told: Vec<u32> = told.collect();
    let has_missing = told.len() < column.domain.len();
    let strength = &adversary.knowledge.strength;
    if has_missing && told.is_empty() {
        let nobody = vec![0.0; target.release.groups.len()];
        return Ok(Some(three_d_found(adversary, target, &nobody, None)));
    }
    let mut sure = vec![0.0f64; target.release.groups.len()];
    for &point in &strength.three_d {
        let reached = three_d_reached(target, column, &told, (point, &strength.values))?;
        sure.iter_mut().zip(reached).for_each(|(most, own)| *most = most.max(own));
    }
    // The definition has missing values among those that are learned.
    let slow = if has_missing { None } else { buckets(target) };
    let by_worlds = slow.as_ref().and_then(|(_, own)| {
        let of = |point: &[u32; 3]| three_d_by_worlds(own, point.map(|own| own as usize));
        let general: Vec<Vec<Vec<f64>>> = strength.three_d.iter().map(of).collect::<Option<_>>()?;
        let own: HashMap<u32, Vec<Vec<f64>>> = (strength.values.iter())
            .filter_map(|(text, point)| {
                Some((column.domain.code_of(text).filter(|code| told.contains(code))?, point))
            })
            .map(|(code, point)| Some((code, of(point)?)))
            .collect::<Option<_>>()?;
        let of_value = |bucket: usize, code: u32| match own.get(&code) {
            Some(own) => own[bucket][code as usize],
            None => general.iter().map(|own| own[bucket][code as usize]).fold(0.0, f64::max),
        };
        let of_bucket = |bucket: usize| told.iter().map(|&code| of_value(bucket, code)).fold(0.0, f64::max);
        Some((0..slow.as_ref()?.0.len()).map(of_bucket).collect())
    });
    let told = besides(slow.as_ref(), &sure, by_worlds)?;
    Ok(Some(three_d_found(adversary, target, &sure, told)))
}

/// Per group how sure whoever knows so much could be of anybody's value; of some values the file says otherwise (survey PM-14).
fn three_d_reached(
    target: &Target<'_>,
    column: &SensitiveColumn,
    told: &[u32],
    (point, own): ([u32; 3], &BTreeMap<String, [u32; 3]>),
) -> Result<Vec<f64>, AttackError> {
    let at = |[l, k, m]: [u32; 3]| ThreeD { l, k, m, c: 1.0 };
    // Values are the same however they are written.
    let same = column.domain.sameness();
    let of_text = |text: &str| {
        own.get(text)
            .or_else(|| own.iter().find(|own| same.key(own.0) == same.key(text)).map(|own| own.1))
            .copied()
    };
    // Where values may be missing, the others have the point each for itself.
    let values: BTreeMap<String, ThreeD> = match told.len() < column.domain.len() || !own.is_empty() {
        true => (told.iter().map(|&code| column.domain.text(code)))
            .map(|text| (text.to_owned(), at(of_text(text).unwrap_or(point))))
            .collect(),
        false => BTreeMap::new(),
    };
    let rule = Requirement::ThreeD {
        l: 0,
        k: 0,
        m: 0,
        c: None,
        points: if values.is_empty() { vec![at(point)] } else { Vec::new() },
        values,
        column: Some(column.name.clone()),
    };
    let total = column.histograms.total(column.domain.len());
    let bound = privet_criteria::SensitiveColumn {
        name: &column.name,
        domain: &column.domain,
        counts: &total,
        hierarchy: None,
    };
    let built = build(&[rule], &[bound], None, target.release.table.rows as u64);
    let [criterion] = &built.map_err(|error| AttackError::Needs(error.to_string()))?[..] else {
        return Ok(vec![0.0; target.release.groups.len()]);
    };
    let mut classes = Summaries::default();
    let mut counts = vec![0u32; column.domain.len()];
    for (group, &rows) in (0..).zip(&target.release.groups) {
        let cells = column.histograms.of(group);
        let present: Vec<u32> = cells.iter().map(|cell| cell.0).collect();
        for &(value, count) in cells {
            counts[value as usize] = u32::try_from(count).unwrap_or(u32::MAX);
        }
        let histogram = Histogram { counts: &counts, present: &present, total: rows };
        classes.add(&**criterion, &Class { rows, population: 0, histograms: &[histogram] });
        for &value in &present {
            counts[value as usize] = 0;
        }
    }
    Ok(criterion.reached_together(&classes))
}

/// The 3D criterion by all worlds, where there are few, and little such knowledge.
fn three_d_by_worlds(buckets: &Buckets, [l, k, m]: [usize; 3]) -> Option<Vec<Vec<f64>>> {
    let people: usize = buckets.list().iter().map(|own| own.people.len()).sum();
    let (others, values) = (people.saturating_sub(1), buckets.domain() as usize);
    let facts = (values as f64).powi(k.min(others) as i32);
    let knowledge = buckets.list().len() as f64
        * sets(others, k)
        * sets(others.saturating_sub(k), m)
        * sets(values.saturating_sub(1), l)
        * values as f64
        * facts;
    (knowledge <= MOST_KNOWLEDGE as f64).then(|| three_d_breach_by_worlds(buckets, l, k, m).ok()).flatten()
}

fn three_d_found(
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    sure: &[f64],
    besides: Option<Note>,
) -> Found {
    let mut notes = vec![
        Note::of_release(format!(
            "The surest that anybody could be: {:.3}.",
            sure.iter().copied().fold(0.0, f64::max)
        )),
        Note::of_release("To bound this, promise `three-d`."),
    ];
    notes.extend(besides);
    let many = |own: u32, one: &str, several: &str| match own {
        1 => one.to_owned(),
        own => several.replace("{}", &own.to_string()),
    };
    let knowing = |&[l, k, m]: &[u32; 3]| {
        format!(
            "{} that a person does not have, {}, and {} who would give the person away",
            many(l, "one value", "{} values"),
            many(k, "the value of one other", "the values of {} others"),
            many(m, "one", "{}"),
        )
    };
    let strength = &adversary.knowledge.strength;
    let success = format!(
        "knowing {}{} makes the adversary at least {} % sure of a value",
        strength.three_d.iter().map(knowing).collect::<Vec<String>>().join("; or "),
        if strength.values.is_empty() { "" } else { " (of some values as much as the knowledge file says)" },
        crate::percent(adversary.confidence)
    );
    found(
        THREE_D,
        "the worst such knowledge, chosen for each person",
        success,
        adversary,
        target,
        sure,
        notes,
    )
}

/// How sure somebody could be of people. Who may stand in several groups is believed the mixture of them, each by its
/// records: the worst knowledge about a group tells nothing about one who stands elsewhere. Since the worst of each may be
/// about another value, this bounds what one such statement could tell; for people of one group it is exact.
fn found(
    attack: &'static str,
    assumed: &str,
    success: String,
    adversary: &Adversary<'_>,
    target: &Target<'_>,
    sure: &[f64],
    mut notes: Vec<Note>,
) -> Found {
    let chances = |profile: u32| {
        let places = target.people.places(profile);
        let candidates = places.iter().map(|place| place.records).sum::<u64>().max(1) as f64;
        let own = places.iter().map(|place| (place, sure.get(place.group as usize).copied().unwrap_or(0.0)));
        own.fold((0.0, 0.0f64), |(mixture, worst), (place, own)| {
            (mixture + own * place.records as f64 / candidates, worst.max(own))
        })
    };
    let of_profile: Vec<(f64, f64)> = (0..target.people.profiles() as u32).map(chances).collect();
    let own = |profile: &u32| of_profile.get(*profile as usize).copied().unwrap_or_default();
    let is_sure = |chance: f64| chance >= adversary.confidence - 1e-12;
    let chance: Vec<f64> = target.people.profile_of.iter().map(|profile| own(profile).0).collect();
    let fate: Vec<Fate> = chance.iter().map(|&own| Fate::of(is_sure(own).then_some(None))).collect();
    let score = Score::count(&fate);
    let in_one = target.people.profile_of.iter().filter(|profile| is_sure(own(profile).1)).count() as u64;
    if in_one > score.exposed().hits {
        notes.push(Note::of_release(format!(
            "Some people may stand in several groups, and count by the mixture of these; {in_one} would be exposed to \
             somebody who also knew in which."
        )));
    }
    let finding = Finding {
        attack,
        column: target.column().map(|column| column.name.clone()),
        assumed: format!("who is in the data, their identifying columns, and {assumed}"),
        success,
        unit: Unit::People,
        exposed: score.exposed(),
        right: None,
        control: None,
        control_group: None,
        baseline: None,
        // How little would be needed, not what anybody knows: it does not count as an attack that succeeded.
        risk: 0.0,
        not_counted: None,
        histogram: tenths(chance.iter().copied()),
        histogram_of: HistogramOf::WorstCertainty,
        notes,
    };
    let conclusions = Conclusions {
        attack,
        column: target.sensitive,
        whom: Whom::People,
        beliefs: candidates_alone(target.people, &target.people.candidates()),
        concepts: None,
        chance: Some(chance),
        fate,
        truth: None,
    };
    Found { finding, conclusions: Some(conclusions), failed: Vec::new() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The code of a missing value.
    const MISSING: u32 = 9;

    /// Per group: all ways to give its values out and those of the others, at most one statement "if this then that" of one atom a side
    /// about anybody, all targets that are not missing.
    fn by_worlds(groups: &[Vec<u32>], k: u32) -> Vec<f64> {
        let mut worlds: Vec<Vec<u32>> = vec![Vec::new()];
        for values in groups {
            let mut ways = Vec::new();
            permute(0, &mut values.clone(), &mut ways);
            worlds = (worlds.iter())
                .flat_map(|world| ways.iter().map(move |way| [&world[..], &way[..]].concat()))
                .collect();
        }
        fn permute(at: usize, order: &mut Vec<u32>, ways: &mut Vec<Vec<u32>>) {
            if at == order.len() {
                ways.push(order.clone());
                return;
            }
            for other in at..order.len() {
                order.swap(at, other);
                permute(at + 1, order, ways);
                order.swap(at, other);
            }
        }
        let mut codes = groups.concat();
        codes.sort_unstable();
        codes.dedup();
        let people = groups.concat().len();
        let atoms: Vec<(usize, u32)> = (0..people).flat_map(|p| codes.iter().map(move |&v| (p, v))).collect();
        let pairs = atoms.iter().flat_map(|&when| atoms.iter().map(move |&then| Some((when, then))));
        let known: Vec<_> = if k == 0 { vec![None] } else { pairs.collect() };
        let mut worst = vec![0.0f64; groups.len()];
        for known in known {
            let fits = |world: &&Vec<u32>| {
                known.is_none_or(|(when, then)| world[when.0] != when.1 || world[then.0] == then.1)
            };
            let left: Vec<&Vec<u32>> = worlds.iter().filter(fits).collect();
            let mut begin = 0;
            for (worst, values) in worst.iter_mut().zip(groups) {
                for value in codes.iter().filter(|&&value| value != MISSING && !left.is_empty()) {
                    let with = left.iter().filter(|world| world.get(begin) == Some(value)).count();
                    *worst = worst.max(with as f64 / left.len() as f64);
                }
                begin += values.len();
            }
        }
        worst
    }

    fn counted(values: &[u32]) -> (Vec<u64>, u64) {
        let many = |own: u32| values.iter().filter(|&&value| value == own).count() as u64;
        let mut counts: Vec<u64> = (0..4).map(many).filter(|&own| own > 0).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        (counts, many(MISSING))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// survey PM-12, AT-04: no statement and one, about anybody, where some values are missing, against all worlds and all statements.
        #[test]
        fn statements_against_all_worlds(
            one in prop::collection::vec(0u32..4, 1..5),
            two in prop::collection::vec(0u32..4, 0..4),
            missing in prop::collection::vec(any::<bool>(), 8),
        ) {
            let mut next = missing.iter();
            let mut blank = |own: Vec<u32>| -> Vec<u32> {
                own.into_iter().map(|own| if next.next() == Some(&true) && own > 1 { MISSING } else { own }).collect()
            };
            let mut groups = vec![blank(one), blank(two)];
            // Nothing is said of groups in which nothing is given.
            groups.retain(|own| own.iter().any(|own| *own != MISSING));
            let counted: Vec<(Vec<u64>, u64)> = groups.iter().map(|own| counted(own)).collect();
            for k in 0..2 {
                let (own, expected) = (statements(&counted, &[], k), by_worlds(&groups, k));
                for (own, expected) in own.iter().zip(&expected) {
                    prop_assert!((own - expected).abs() < 1e-9, "{k} {groups:?}: {own} {expected}");
                }
            }
        }

        /// Without missing values it is the general algorithm, whose largest is that of the whole table.
        #[test]
        fn one_statement_is_the_general_one(
            mut groups in prop::collection::vec(prop::collection::vec(1u64..30, 1..8), 1..5),
            k in 0u32..4,
        ) {
            groups.iter_mut().for_each(|own| own.sort_unstable_by(|a, b| b.cmp(a)));
            let of_each = ck_chances(groups.iter().map(|own| own.iter().map(|&own| own as u32)), k);
            let largest = of_each.iter().copied().fold(0.0, f64::max);
            prop_assert!((largest - ck_worst(&groups, k).chance).abs() < 1e-9);
            let counted: Vec<(Vec<u64>, u64)> = groups.into_iter().map(|own| (own, 0)).collect();
            for (own, general) in statements(&counted, &of_each, k).iter().zip(&of_each) {
                prop_assert!((own - general).abs() < 1e-9, "{k} {counted:?}: {own} {general}");
            }
        }
    }

    /// A statement may speak of people of other groups: of the first class of FX-1.3 by itself one tells 1/2, and 3/5 beside {c, c, d}.
    #[test]
    fn statements_speak_of_other_groups() {
        let classes: [&[u32]; 2] = [&[1, 1, 1], &[2, 1]];
        let of_each = ck_chances(classes.iter().map(|own| own.iter().copied()), 1);
        assert!((of_each[0] - 3.0 / 5.0).abs() < 1e-12 && of_each[1] == 1.0, "{of_each:?}");
        assert_eq!(by_worlds(&[vec![0, 1, 2], vec![0, 0, 1]], 1), of_each);
    }

    #[test]
    fn what_tells_something_else_is_a_mistake() {
        let class = Bucket { people: vec![0, 1, 2, 3], values: vec![0, 0, 1, 2] };
        let class = (vec![1], Buckets::new(vec![class], 3).unwrap());
        let told = besides(Some(&class), &[1.0, 0.5], Some(vec![0.5])).unwrap().unwrap();
        assert!(told.text.starts_with("All 12 worlds and all such knowledge"), "{told:?}");
        assert_eq!(besides(Some(&class), &[1.0, 0.5], None), Ok(None));
        let otherwise = besides(Some(&class), &[0.75, 0.5], Some(vec![0.75]));
        assert!(matches!(otherwise, Err(AttackError::Internal(_))));
    }

    #[test]
    fn nothing_but_missing_values_tells_nothing() {
        assert_eq!((one_statement(&[], 5), one_statement(&[], 0), one_statement(&[1], 0)), (0.0, 0.0, 1.0));
        assert_eq!(statements(&[(vec![], 4), (vec![3, 2, 1], 2)], &[1.0, 1.0], 2), [0.0, 1.0]);
    }
}
