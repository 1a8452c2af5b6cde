//! What must hold of a class of people: k-anonymity, and l-diversity and t-closeness where people hold several values.
//!
//! - **k** counts people, and where households are known as wholes, households (survey PM-05).
//! - **l**: no value of a sensitive column is held by more than 1/l of the people of the class. Of one value per person this is
//!   l-diversity by frequency (survey PM-08); of several it is the bound on the confidence that a person holds a value.
//! - **t**: everybody spreads weight 1 evenly over the values of the person's rows, and whoever has none holds "none"; the total variation
//!   distance between the class and all is at most t (survey PM-12 with equal distances).

use foldhash::HashMap;

use crate::alike::Numbering;

/// What is promised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Criteria {
    /// People, or households, of a class.
    pub k: u64,
    /// One over the largest share that holds a value.
    pub l: Option<f64>,
    /// The largest distance.
    pub t: Option<f64>,
}

/// Rounding must not decide: shares are sums of a few quotients.
const TOLERANCE: f64 = 1e-9;

/// Per criterion how many people are in classes that fail it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Failing {
    /// By k-anonymity.
    pub k: u64,
    /// By l-diversity.
    pub l: u64,
    /// By t-closeness.
    pub t: u64,
}

/// People in classes, with what they hold.
#[derive(Debug, Clone, Copy)]
pub struct Classified<'a> {
    /// Per person the class.
    pub class_of: &'a [u32],
    /// How many classes there are.
    pub classes: usize,
    /// Per person the household, when households are counted.
    pub household_of: Option<&'a [u32]>,
    /// Per sensitive column, and person, the values, one for each row.
    pub held: &'a [Vec<Vec<u32>>],
}

impl Criteria {
    /// Per class whether all criteria hold, among the people who are `there`, and what fails.
    pub fn judge(&self, of: Classified<'_>, there: &[bool]) -> (Vec<bool>, Failing) {
        let people = || (0..of.class_of.len()).filter(|&person| there[person]);
        let mut size = vec![0_u64; of.classes];
        let mut units = vec![0_u64; of.classes];
        let mut seen = Numbering::default();
        for person in people() {
            let class = of.class_of[person];
            size[class as usize] += 1;
            let is_new = match of.household_of {
                Some(household_of) => {
                    let before = seen.len();
                    seen.of((class, household_of[person])) as usize == before
                }
                None => true,
            };
            units[class as usize] += u64::from(is_new);
        }
        let mut failing = Failing::default();
        let mut holds: Vec<bool> = units.iter().map(|&units| units >= self.k).collect();
        let people_of = |failed: &dyn Fn(usize) -> bool| {
            (0..of.classes).filter(|&class| failed(class)).map(|class| size[class]).sum::<u64>()
        };
        failing.k = people_of(&|class| units[class] < self.k);
        let (mut too_frequent, mut too_far) = (vec![false; of.classes], vec![false; of.classes]);
        for held in of.held {
            if let Some(l) = self.l {
                let mut holders: HashMap<(u32, u32), u64> = HashMap::default();
                for person in people() {
                    let mut own = held[person].clone();
                    own.sort_unstable();
                    own.dedup();
                    own.into_iter()
                        .for_each(|value| *holders.entry((of.class_of[person], value)).or_default() += 1);
                }
                for ((class, _), holders) in holders {
                    let class = class as usize;
                    too_frequent[class] |= holders as f64 * l > size[class] as f64 * (1.0 + TOLERANCE);
                }
            }
            if let Some(t) = self.t {
                for (class, far) in distances(of, held, there, &size).into_iter().enumerate() {
                    too_far[class] |= far > t + TOLERANCE;
                }
            }
        }
        failing.l = people_of(&|class| too_frequent[class]);
        failing.t = people_of(&|class| too_far[class]);
        for class in 0..of.classes {
            holds[class] &= !too_frequent[class] && !too_far[class];
        }
        (holds, failing)
    }
}

/// Per class the total variation distance of what its people hold from what all hold.
fn distances(of: Classified<'_>, held: &[Vec<u32>], there: &[bool], size: &[u64]) -> Vec<f64> {
    const NONE: u32 = u32::MAX;
    let mut all: HashMap<u32, f64> = HashMap::default();
    let mut own: HashMap<(u32, u32), f64> = HashMap::default();
    let mut people = 0.0;
    for person in (0..of.class_of.len()).filter(|&person| there[person]) {
        people += 1.0;
        let values: &[u32] = if held[person].is_empty() { &[NONE] } else { &held[person] };
        for &value in values {
            let weight = 1.0 / values.len() as f64;
            *all.entry(value).or_default() += weight;
            *own.entry((of.class_of[person], value)).or_default() += weight;
        }
    }
    // Half the sum of the differences is the sum of what the class has too much.
    let mut far = vec![0.0; of.classes];
    for ((class, value), weight) in own {
        let more = weight / size[class as usize] as f64 - all[&value] / people;
        far[class as usize] += more.max(0.0);
    }
    far
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn judged(
        criteria: Criteria,
        class_of: &[u32],
        held: Vec<Vec<u32>>,
        households: Option<&[u32]>,
    ) -> (Vec<bool>, Failing) {
        let classes = class_of.iter().max().map_or(0, |&most| most as usize + 1);
        let of = Classified { class_of, classes, household_of: households, held: &[held] };
        criteria.judge(of, &vec![true; class_of.len()])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        /// By brute force over classes, people and values: who is in a class that fails k, l or t.
        #[test]
        fn classes_hold_by_definition(
            people in prop::collection::vec((0u32..4, 0u32..5, prop::collection::vec(0u32..4, 0..4), any::<bool>()), 1..14),
            k in 1u64..5, l in 1.0f64..4.0, t in 0.0f64..1.0, by_household in any::<bool>(),
        ) {
            let class_of: Vec<u32> = people.iter().map(|own| own.0).collect();
            let household_of: Vec<u32> = people.iter().map(|own| own.1).collect();
            let held = [people.iter().map(|own| own.2.clone()).collect::<Vec<_>>()];
            let there: Vec<bool> = people.iter().map(|own| own.3).collect();
            let households = by_household.then_some(&household_of[..]);
            let of = Classified { class_of: &class_of, classes: 4, household_of: households, held: &held };
            let (holds, failing) = Criteria { k, l: Some(l), t: Some(t) }.judge(of, &there);
            let all: Vec<_> = people.iter().filter(|own| own.3).collect();
            // Everybody spreads weight 1 over the rows; whoever has none holds the value 9.
            let weight = |own: &(u32, u32, Vec<u32>, bool), value: u32| match own.2.len() {
                0 => f64::from(u8::from(value == 9)),
                rows => own.2.iter().filter(|held| **held == value).count() as f64 / rows as f64,
            };
            let mut expected = Failing::default();
            for class in 0..4u32 {
                let members: Vec<_> = all.iter().filter(|own| own.0 == class).collect();
                let size = members.len() as f64;
                let units = match by_household {
                    true => members.iter().map(|own| own.1).collect::<std::collections::BTreeSet<_>>().len(),
                    false => members.len(),
                };
                let is_small = (units as u64) < k;
                let is_frequent = (0..4).any(|value| {
                    let holders = members.iter().filter(|own| own.2.contains(&value)).count() as f64;
                    holders > 0.0 && holders / size > 1.0 / l + 1e-9
                });
                let share = |people: &[&&(u32, u32, Vec<u32>, bool)], value| {
                    people.iter().map(|own| weight(own, value)).sum::<f64>() / people.len().max(1) as f64
                };
                let everybody: Vec<&&(u32, u32, Vec<u32>, bool)> = all.iter().collect();
                let far = [0, 1, 2, 3, 9].map(|value| (share(&members, value) - share(&everybody, value)).abs());
                let is_far = !members.is_empty() && far.iter().sum::<f64>() / 2.0 > t + 1e-9;
                let count = |fails: bool| if fails { members.len() as u64 } else { 0 };
                expected.k += count(is_small);
                expected.l += count(is_frequent);
                expected.t += count(is_far);
                prop_assert_eq!(holds[class as usize], !is_small && !is_frequent && !is_far);
            }
            prop_assert_eq!(failing, expected);
        }
    }

    #[test]
    fn people_are_counted_and_not_rows() {
        let k = Criteria { k: 2, l: None, t: None };
        assert_eq!(
            judged(k, &[0, 0, 1], vec![vec![]; 3], None),
            (vec![true, false], Failing { k: 1, l: 0, t: 0 })
        );
        // Two members of one household are one household.
        assert_eq!(judged(k, &[0, 0, 1], vec![vec![]; 3], Some(&[7, 7, 8])).0, [false, false]);
    }

    #[test]
    fn who_holds_several_values_is_counted_once_for_each() {
        // Four people; value 1 is held by three of them, twice by the first.
        let held = vec![vec![1, 1], vec![1, 2], vec![1], vec![3]];
        let l = |l| judged(Criteria { k: 1, l: Some(l), t: None }, &[0; 4], held.clone(), None).0[0];
        assert!(l(4.0 / 3.0) && !l(1.4));
        // By hand: class 0 holds {1: 1}, all hold {1: 3/4, 2: 1/4}: a quarter apart.
        let t = |t| {
            let held = vec![vec![1], vec![1, 2], vec![2, 1], vec![1]];
            judged(Criteria { k: 1, l: None, t: Some(t) }, &[0, 1, 1, 0], held, None).0
        };
        assert_eq!(t(0.25), [true, true]);
        assert_eq!(t(0.2), [false, false]);
    }
}
