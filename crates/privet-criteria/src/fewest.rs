//! Which classes are suppressed so that the others satisfy criteria that judge classes together (survey Def 4.4 does not
//! hold for them): as few records as possible.
//!
//! A class that is exposed need not be the one to go: without the class that gives it away it may be safe. A *conflict*
//! is a set of classes that is not accepted whatever else is published, so one class of every conflict must go, and the
//! classes that are left satisfy the criteria when no conflict is left among them. The fewest records are found by branch
//! and bound: a class goes or stays, conflicts in which one class is left to go decide it, and disjoint shares of
//! conflicts (the local-ratio bound) say how many records must go at least. Fewer classes expose nobody more, so every
//! class that is left out of a choice only makes the choice safer.
//!
//! Exact as long as the work stays within [`WORK`]; a [`Choice`] says whether it did. The problem is as hard as vertex
//! cover, so no method is quick on every table.

use crate::{Criterion, Summaries, judge_together};

/// How often a class may be looked at before the search for the fewest records ends, but at least [`ROUNDS`] times each.
const WORK: u64 = 1 << 20;
const ROUNDS: u64 = 32;

/// Which classes stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Per class whether it stays. Those that stay satisfy the criteria together.
    pub stays: Vec<bool>,
    /// The records of the classes that go.
    pub suppressed: u64,
    /// No choice suppresses fewer records than this.
    pub at_least: u64,
}

impl Choice {
    /// Whether the choice is known to suppress the fewest records, or every choice to suppress more than `limit`.
    pub fn is_settled(&self, limit: u64) -> bool {
        self.at_least >= self.suppressed || self.at_least > limit
    }
}

/// The classes to suppress, of those that satisfy the criteria by themselves: as few records as possible, when `limit`
/// records or fewer will do. `told` holds, per criterion, what each class told it; `rows` the records of each class.
/// The same classes in the same order give the same choice.
pub fn fewest_suppressed(
    criteria: &[&dyn Criterion],
    told: &[Summaries],
    rows: &[u64],
    limit: u64,
) -> Choice {
    let most = WORK.max(ROUNDS * rows.len() as u64);
    let mut search =
        Search { criteria, told, rows, limit, best: Vec::new(), fewest: u64::MAX, work: 0, most };
    if search.conflicts(&vec![true; rows.len()]).is_empty() {
        return Choice { stays: vec![true; rows.len()], suppressed: 0, at_least: 0 };
    }
    search.offer(judge_together(criteria, told));
    let mut at_least = 0;
    let whole = search.descend(vec![Place::Open; rows.len()], 0, Some(&mut at_least));
    if whole {
        at_least = search.fewest.min(limit.saturating_add(1));
    }
    Choice { at_least: at_least.min(search.fewest), suppressed: search.fewest, stays: search.best }
}

/// What is decided of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Open,
    Stays,
    Gone,
}

struct Search<'a> {
    criteria: &'a [&'a dyn Criterion],
    told: &'a [Summaries],
    rows: &'a [u64],
    limit: u64,
    /// The best choice so far, and its suppressed records.
    best: Vec<bool>,
    fewest: u64,
    /// How often a class was looked at, and how often one may be.
    work: u64,
    most: u64,
}

impl Search<'_> {
    /// Conflicts among some classes: at least one where there is any.
    fn conflicts(&mut self, present: &[bool]) -> Vec<Vec<u32>> {
        let numbers: Vec<u32> =
            (0u32..).zip(present).filter(|(_, is)| **is).map(|(class, _)| class).collect();
        self.work += numbers.len() as u64 + 1;
        let mut found = Vec::new();
        for (criterion, told) in self.criteria.iter().zip(self.told) {
            let conflicts = match numbers.len() == present.len() {
                true => criterion.conflicts(told),
                false => criterion.conflicts(&told.only(present)),
            };
            let numbered =
                |conflict: Vec<u32>| conflict.iter().map(|&place| numbers[place as usize]).collect();
            found.extend(conflicts.into_iter().map(numbered));
        }
        found
    }

    /// Takes a choice that is better than the best so far.
    fn offer(&mut self, stays: Vec<bool>) {
        let suppressed =
            self.rows.iter().zip(&stays).filter(|(_, stays)| !**stays).map(|(rows, _)| rows).sum();
        if suppressed < self.fewest {
            (self.fewest, self.best) = (suppressed, stays);
        }
    }

    /// A choice of so many records is of no use.
    fn too_many(&self) -> u64 {
        self.fewest.min(self.limit.saturating_add(1))
    }

    fn is_spent(&self) -> bool {
        self.work > self.most
    }

    /// Goes through all choices that agree with what is decided; `gone` records are decided to go. Returns whether that
    /// was done to the end. At the first call `least` takes the bound on all choices.
    fn descend(&mut self, mut places: Vec<Place>, mut gone: u64, least: Option<&mut u64>) -> bool {
        let conflicts = loop {
            if self.is_spent() {
                return false;
            }
            let present: Vec<bool> = places.iter().map(|&place| place != Place::Gone).collect();
            let conflicts = self.conflicts(&present);
            if conflicts.is_empty() {
                self.offer(present);
                return true;
            }
            let mut is_decided = false;
            for conflict in &conflicts {
                let places_of = |class: &&u32| places[**class as usize];
                if conflict.iter().any(|class| places_of(&class) == Place::Gone) {
                    continue;
                }
                let mut open = conflict.iter().filter(|class| places_of(class) == Place::Open);
                match (open.next(), open.next()) {
                    (None, _) => return true,
                    (Some(&only), None) => {
                        places[only as usize] = Place::Gone;
                        gone += self.rows[only as usize];
                        is_decided = true;
                    }
                    _ => {}
                }
            }
            if gone >= self.too_many() {
                return true;
            }
            if !is_decided {
                break conflicts;
            }
        };
        let is_first = least.is_some();
        let bound = self.bound(&places, gone, &conflicts, is_first);
        if let Some(least) = least {
            *least = bound;
        }
        if bound >= self.too_many() {
            return true;
        }
        let Some(class) = self.branch(&places, &conflicts) else { return true };
        let mut without = places.clone();
        without[class] = Place::Gone;
        if !self.descend(without, gone + self.rows[class], None) {
            return false;
        }
        places[class] = Place::Stays;
        self.descend(places, gone, None)
    }

    /// The undecided class that is in most conflicts for its size.
    fn branch(&self, places: &[Place], conflicts: &[Vec<u32>]) -> Option<usize> {
        let mut often = vec![0u64; places.len()];
        for &class in conflicts.iter().flatten() {
            often[class as usize] += u64::from(places[class as usize] == Place::Open);
        }
        let mut best: Option<usize> = None;
        for class in (0..places.len()).filter(|&class| often[class] > 0) {
            let weight = |of: usize| u128::from(often[of]) * u128::from(self.rows[best.unwrap_or(of)]);
            let theirs = best.map_or(0, |best| u128::from(often[best]) * u128::from(self.rows[class]));
            if best.is_none() || weight(class) > theirs {
                best = Some(class);
            }
        }
        best
    }

    /// How many records must go at least, with those that are decided to. Every conflict takes the same share of each of
    /// its classes that may go, and one of them goes; the classes that have no share left are a choice, too.
    fn bound(&mut self, places: &[Place], gone: u64, conflicts: &[Vec<u32>], is_first: bool) -> u64 {
        let left = places.iter().zip(self.rows);
        let mut left: Vec<u64> =
            left.map(|(place, &rows)| if *place == Place::Gone { 0 } else { rows }).collect();
        let (mut least, mut covered) = (gone, Vec::new());
        let mut conflicts = conflicts.to_vec();
        loop {
            for conflict in &conflicts {
                if conflict.iter().any(|&class| left[class as usize] == 0) {
                    continue;
                }
                let open = || conflict.iter().map(|&c| c as usize).filter(|&c| places[c] == Place::Open);
                let Some(share) = open().map(|class| left[class]).min() else { return u64::MAX };
                least += share;
                if least >= self.too_many() {
                    return least;
                }
                for class in open() {
                    left[class] -= share;
                    if left[class] == 0 {
                        covered.push(class);
                    }
                }
            }
            if self.is_spent() {
                return least;
            }
            let present: Vec<bool> = left.iter().map(|&left| left > 0).collect();
            conflicts = self.conflicts(&present);
            if conflicts.is_empty() {
                let mut stays = present;
                if is_first {
                    // Those that lost their share last are the likeliest to be the ones that must go.
                    self.return_classes(&mut stays, &covered);
                }
                self.offer(stays);
                return least;
            }
        }
    }

    /// Lets classes stay after all where that makes no conflict: all of them, or else each half.
    fn return_classes(&mut self, stays: &mut Vec<bool>, classes: &[usize]) {
        if classes.is_empty() || self.work > self.most / 2 {
            return;
        }
        classes.iter().for_each(|&class| stays[class] = true);
        if self.conflicts(stays).is_empty() {
            return;
        }
        classes.iter().for_each(|&class| stays[class] = false);
        if let (first, second @ [_, ..]) = classes.split_at(classes.len() / 2)
            && !first.is_empty()
        {
            self.return_classes(stays, first);
            self.return_classes(stays, second);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{Sample, build_one, column, holds};
    use crate::{Better, Class, Merging};

    const NAMES: [&str; 4] = ["a", "b", "c", "d"];

    fn criterion(requirement: Value) -> Box<dyn Criterion> {
        build_one(requirement, &column(&NAMES, &[9; 4])).unwrap()
    }

    fn asked() -> Vec<Value> {
        vec![
            json!({"criterion": "three-d", "c": 0.8, "m": 1}),
            json!({"criterion": "three-d", "c": 0.9, "m": 2, "l": 1}),
            json!({"criterion": "three-d", "points": [{"c": 0.7}, {"m": 1, "c": 0.85}], "values": {"b": {"k": 1, "m": 1, "c": 0.6}}}),
            json!({"criterion": "c-k-safety", "c": 0.7, "k": 1}),
            json!({"criterion": "c-k-safety", "c": 0.95, "k": 2}),
        ]
    }

    fn told(criterion: &dyn Criterion, classes: &[&Sample]) -> Summaries {
        let mut told = Summaries::default();
        classes.iter().for_each(|class| class.ask(|class| told.add(criterion, class)));
        told
    }

    fn is_safe(criteria: &[&dyn Criterion], classes: &[&Sample]) -> bool {
        criteria.iter().all(|criterion| {
            let reached = criterion.reached_together(&told(*criterion, classes));
            reached.into_iter().all(|reached| criterion.accepts(reached))
        })
    }

    fn choose(criteria: &[&dyn Criterion], classes: &[&Sample], limit: u64) -> Choice {
        let told: Vec<Summaries> = criteria.iter().map(|criterion| told(*criterion, classes)).collect();
        let rows: Vec<u64> = classes.iter().map(|class| class.rows()).collect();
        fewest_suppressed(criteria, &told, &rows, limit)
    }

    /// In the small class one value is frequent, so that a family in it gives away people of the large classes, who are
    /// exposed when a second value is ruled out. Nobody in the small class is exposed, and without it nobody is.
    #[test]
    fn a_class_that_exposes_others_goes_in_their_place() {
        let criterion = criterion(json!({"criterion": "three-d", "c": 0.85, "m": 1, "l": 1}));
        let criteria = [&*criterion];
        let classes: Vec<Sample> = [[45, 40, 8, 7], [29, 7, 7, 7], [90, 80, 16, 14]]
            .iter()
            .map(|counts| Sample::of(counts))
            .collect();
        assert!(classes.iter().all(|class| holds(&*criterion, &class.counts[0])));
        let classes: Vec<&Sample> = classes.iter().collect();
        assert_eq!(
            judge_together(&criteria, &[told(&*criterion, &classes)]),
            [false, true, false],
            "who is exposed"
        );
        let choice = choose(&criteria, &classes, 50);
        assert_eq!((&choice.stays[..], choice.suppressed), (&[true, false, true][..], 50));
        assert!(choice.is_settled(50) && choose(&criteria, &classes, 49).is_settled(49));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(160))]

        /// Of all subsets of the classes, suppressed one by one, none that is safe has fewer records.
        #[test]
        fn no_subset_of_classes_suppresses_fewer_records(
            counts in prop::collection::vec(prop::collection::vec(0u32..7, 4), 1..9),
            one in 0usize..5, other in 0usize..5, share in 0.0f64..1.1,
        ) {
            let built: Vec<Box<dyn Criterion>> =
                [one, other].iter().map(|&which| criterion(asked().swap_remove(which))).collect();
            let criteria: Vec<&dyn Criterion> =
                if one == other { vec![&*built[0]] } else { built.iter().map(|c| &**c).collect() };
            let alone = |counts: &&Vec<u32>| criteria.iter().all(|criterion| holds(*criterion, counts));
            let classes: Vec<Sample> =
                counts.iter().filter(|c| c.iter().sum::<u32>() > 0).filter(alone).map(|c| Sample::of(c)).collect();
            let classes: Vec<&Sample> = classes.iter().collect();
            let of = |stays: &dyn Fn(usize) -> bool| -> Vec<&Sample> {
                (0..classes.len()).filter(|&class| stays(class)).map(|class| classes[class]).collect()
            };
            let records = |classes: &[&Sample]| classes.iter().map(|class| class.rows()).sum::<u64>();
            let all = records(&classes);
            let kept = (0u32..1 << classes.len()).map(|set| of(&|class| set >> class & 1 == 1));
            let most = kept.filter(|kept| is_safe(&criteria, kept)).map(|kept| records(&kept)).max().unwrap();
            let limit = (share * all as f64) as u64;
            let choice = choose(&criteria, &classes, limit);
            let stay = of(&|class| choice.stays[class]);
            prop_assert!(is_safe(&criteria, &stay), "what stays is safe");
            prop_assert_eq!(choice.suppressed, all - records(&stay));
            prop_assert!(choice.is_settled(limit) && choice.at_least <= all - most);
            if all - most <= limit {
                prop_assert_eq!(choice.suppressed, all - most);
            } else {
                prop_assert!(choice.suppressed > limit);
            }
        }

        /// A conflict is not accepted by itself, and there is one wherever a class is not accepted.
        #[test]
        fn conflicts_are_conflicts(counts in prop::collection::vec(prop::collection::vec(0u32..7, 4), 1..9)) {
            for requirement in asked() {
                let criterion = criterion(requirement);
                let classes: Vec<Sample> = counts.iter().map(|counts| Sample::of(counts)).collect();
                let classes: Vec<&Sample> = classes.iter().filter(|class| class.rows() > 0).collect();
                let conflicts = criterion.conflicts(&told(&*criterion, &classes));
                prop_assert_eq!(conflicts.is_empty(), is_safe(&[&*criterion], &classes));
                for conflict in conflicts {
                    let some: Vec<&Sample> = conflict.iter().map(|&class| classes[class as usize]).collect();
                    prop_assert!(!is_safe(&[&*criterion], &some), "{:?}", conflict);
                }
            }
        }
    }

    /// Classes, told apart by their population, of which some pairs are not accepted together.
    struct Pairs {
        pairs: Vec<(u32, u32)>,
        /// Whether it tells pairs, or only that something is not accepted.
        is_telling: bool,
    }

    impl Criterion for Pairs {
        fn key(&self) -> &'static str {
            "pairs"
        }

        fn promise_of(&self, _: crate::Grouping) -> String {
            String::new()
        }

        fn merging(&self) -> Merging {
            Merging::Arbitrary
        }

        fn bucket_independent(&self) -> bool {
            false
        }

        fn holds(&self, _class: &Class<'_>) -> bool {
            true
        }

        fn reached(&self, _class: &Class<'_>) -> f64 {
            0.0
        }

        fn better(&self) -> Better {
            Better::Lower
        }

        fn summarize(&self, class: &Class<'_>, numbers: &mut Vec<f64>) {
            numbers.push(class.population as f64);
        }

        fn reached_together(&self, classes: &Summaries) -> Vec<f64> {
            let mut reached = vec![0.0; classes.len()];
            self.among(classes).into_iter().flatten().for_each(|class| reached[class as usize] = 1.0);
            reached
        }

        fn accepts(&self, reached: f64) -> bool {
            reached < 0.5
        }

        fn conflicts(&self, classes: &Summaries) -> Vec<Vec<u32>> {
            let pairs = self.among(classes);
            if self.is_telling || pairs.is_empty() {
                pairs
            } else {
                vec![(0..classes.len() as u32).collect()]
            }
        }
    }

    impl Pairs {
        fn among(&self, classes: &Summaries) -> Vec<Vec<u32>> {
            let place = |number: u32| classes.iter().position(|told| told[0] == f64::from(number));
            let both = |&(a, b): &(u32, u32)| Some(vec![place(a)? as u32, place(b)? as u32]);
            self.pairs.iter().filter_map(both).collect()
        }

        fn choose(&self, rows: &[u64], limit: u64) -> Choice {
            let mut told = Summaries::default();
            (0..rows.len()).for_each(|number| told.push(&[number as f64]));
            fewest_suppressed(&[self], &[told], rows, limit)
        }

        fn is_kept(&self, stays: &[bool]) -> bool {
            self.pairs.iter().all(|&(a, b)| !(stays[a as usize] && stays[b as usize]))
        }
    }

    proptest! {
        /// Any pairs of classes may be such that one must go: the least weight of a vertex cover.
        #[test]
        fn pairs_are_covered_with_the_fewest_records(
            rows in prop::collection::vec(1u64..9, 10),
            pairs in prop::collection::vec((0u32..10, 0u32..10), 0..20),
            is_telling in any::<bool>(),
            limit in 0u64..60,
        ) {
            let pairs: Vec<(u32, u32)> = pairs.into_iter().filter(|(a, b)| a != b).collect();
            let criterion = Pairs { pairs, is_telling };
            let sets = (0u32..1 << 10).map(|set| (0..10).map(|class| set >> class & 1 == 1).collect::<Vec<bool>>());
            let gone = |stays: &[bool]| rows.iter().zip(stays).filter(|(_, stays)| !**stays).map(|(rows, _)| rows).sum::<u64>();
            let fewest = sets.filter(|stays| criterion.is_kept(stays)).map(|stays| gone(&stays)).min().unwrap();
            let choice = criterion.choose(&rows, limit);
            prop_assert!(criterion.is_kept(&choice.stays) && choice.is_settled(limit) && choice.at_least <= fewest);
            prop_assert_eq!(choice.suppressed, gone(&choice.stays));
            let is_fewest = if fewest <= limit { choice.suppressed == fewest } else { choice.suppressed > limit };
            prop_assert!(is_fewest);
        }
    }

    /// Where the work does not suffice, what stays is safe, the bound is one, and nothing more is claimed.
    #[test]
    fn a_search_that_is_not_ended_says_so() {
        // A graph of 400 classes with three neighbours each, in no order that helps.
        let pairs: Vec<(u32, u32)> = (0..400u32)
            .flat_map(|a| [1, 37, 149].map(|step| (a, (a * 7 + step * (a % 5 + 1)) % 400)))
            .collect();
        let pairs: Vec<(u32, u32)> = pairs.into_iter().filter(|(a, b)| a != b).collect();
        let criterion = Pairs { pairs, is_telling: true };
        let choice = criterion.choose(&[2; 400], 1000);
        assert!(criterion.is_kept(&choice.stays) && !choice.is_settled(1000), "{choice:?}");
        assert!(choice.at_least > 200 && choice.at_least < choice.suppressed && choice.suppressed < 800);
        // Too many by far is proved at once.
        assert!(criterion.choose(&[2; 400], 100).is_settled(100));
    }
}
