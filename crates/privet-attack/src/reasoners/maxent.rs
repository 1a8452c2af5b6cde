//! Maximum entropy (survey AT-13; Du, Teng and Zhu's Privacy-MaxEnt): of all beliefs that fit the release and what is
//! known in numbers, those that assume nothing else.
//!
//! The unknowns are P(person has value). The release says that everybody has one value and how often each occurs in a
//! group; knowledge says that the chances of some cells add up to a number, to at most it or to at least it: 0.3 of the
//! women under 30 have flu. The entropy −Σ p ln p is maximized by Bregman's method: every constraint in turn scales
//! its cells by the factor that makes it hold, which is ascent on its dual variable; that of an inequality keeps its
//! sign. Without knowledge this is n(s)/n at once: random worlds.
//!
//! What must be 0 or 1 by one constraint alone is settled beforehand, again and again.
//!
//! What it guarantees: at the end no constraint is off by more than `tolerance`, and a constraint that is not tight has
//! no influence; beliefs are those of maximum entropy up to that. Groups that the knowledge does not touch are exact.
//! Departures: unknowns are per person, where the paper joins people with equal quasi-identifiers of a group; by symmetry
//! these get equal chances. Sums of chances can be constrained, differences cannot.

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;

use super::{Reasoner, ReasonerError, View};
use crate::worlds::{Beliefs, Buckets, WorldsError};

/// How a sum relates to its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It is the bound.
    Equal,
    /// It is at most the bound.
    AtMost,
    /// It is at least the bound.
    AtLeast,
}

/// What is known: the chances of some cells, each named once, add up to something.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// The cells: a person and a value each.
    pub cells: Vec<(u32, u32)>,
    /// How the sum relates to the bound.
    pub relation: Relation,
    /// The bound.
    pub bound: f64,
}

impl Constraint {
    /// A share of these people has the value: the form of statistical knowledge, P(s | some quasi values).
    pub fn share(people: &[u32], value: u32, relation: Relation, share: f64) -> Self {
        Self {
            cells: people.iter().map(|&person| (person, value)).collect(),
            relation,
            bound: share * people.len() as f64,
        }
    }
}

/// Maximum entropy under constraints.
#[derive(Debug, Clone, PartialEq)]
pub struct MaxEnt {
    /// What is known besides the release.
    pub constraints: Vec<Constraint>,
    /// By how much a constraint may be off at the end.
    pub tolerance: f64,
    /// How often each constraint is looked at, at most.
    pub rounds: u32,
}

impl Default for MaxEnt {
    fn default() -> Self {
        Self { constraints: Vec::new(), tolerance: 1e-9, rounds: 100_000 }
    }
}

impl Reasoner for MaxEnt {
    fn name(&self) -> &'static str {
        "maximum entropy"
    }

    fn beliefs(&self, view: &View<'_>, progress: &dyn Progress) -> Result<Beliefs, ReasonerError> {
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(ReasonerError::Parameter {
                name: "tolerance",
                problem: "must be above 0 and below 1",
            });
        }
        let groups = view.check()?;
        let mut program = Program::new(&groups, &self.constraints)?;
        program.solve(self, progress)?;
        let mut beliefs = Beliefs::with_capacity(view.groups.len());
        for (number, group) in view.groups.iter().enumerate() {
            let counts = group.counts();
            match program.begin.get(&number) {
                None => {
                    let total = group.values.len() as f64;
                    let shared =
                        beliefs.add(counts.iter().map(|&(value, count)| (value, f64::from(count) / total)));
                    group.people.iter().for_each(|&person| beliefs.about(person, shared));
                }
                Some(&begin) => {
                    let width = counts.len();
                    for (row, &person) in group.people.iter().enumerate() {
                        let cells = &program.cells[begin + row * width..][..width];
                        let own =
                            beliefs.add(counts.iter().zip(cells).map(|(&(value, _), &cell)| (value, cell)));
                        beliefs.about(person, own);
                    }
                }
            }
        }
        Ok(beliefs)
    }
}

/// A sum of cells and what it must be.
struct Row {
    cells: Vec<u32>,
    relation: Relation,
    bound: f64,
    /// The logarithm of the factor that it contributes; never below 0 for "at least", never above for "at most".
    multiplier: f64,
}

struct Program {
    cells: Vec<f64>,
    rows: Vec<Row>,
    /// Per touched group its first cell; cells go by person, then by value.
    begin: HashMap<usize, usize>,
}

impl Program {
    fn new(groups: &Buckets, constraints: &[Constraint]) -> Result<Self, ReasonerError> {
        let mut program = Self { cells: Vec::new(), rows: Vec::new(), begin: HashMap::new() };
        let fault = |problem| Err(ReasonerError::Parameter { name: "constraint", problem });
        let mut places: HashMap<u32, usize> = HashMap::new();
        for (number, constraint) in constraints.iter().enumerate() {
            if !(constraint.bound.is_finite() && constraint.bound >= 0.0) {
                return fault("must have a bound of at least 0");
            }
            let mut cells = Vec::with_capacity(constraint.cells.len());
            for &(person, value) in &constraint.cells {
                let Some(group) = groups.bucket_of(person) else {
                    return Err(WorldsError::NotInRelease { statement: number + 1 }.into());
                };
                let counts = groups.list()[group].counts();
                let begin = match program.begin.get(&group) {
                    Some(&begin) => begin,
                    None => program.add_group(groups, group, &mut places),
                };
                // A value that the group does not have adds nothing to the sum.
                if let Ok(column) = counts.binary_search_by_key(&value, |&(value, _)| value) {
                    let row = places.get(&person).copied().unwrap_or(0); // why: `add_group` placed all of the group
                    cells.push((begin + row * counts.len() + column) as u32);
                }
            }
            cells.sort_unstable();
            if cells.windows(2).any(|pair| pair[0] == pair[1]) {
                return fault("must name each person and value once");
            }
            program.rows.push(Row {
                cells,
                relation: constraint.relation,
                bound: constraint.bound,
                multiplier: 0.0,
            });
        }
        Ok(program)
    }

    /// Adds the cells of a group, and what the release says of them. Gives its first cell.
    fn add_group(&mut self, groups: &Buckets, number: usize, places: &mut HashMap<u32, usize>) -> usize {
        let group = &groups.list()[number];
        let counts = group.counts();
        let (begin, people, width) = (self.cells.len(), group.people.len(), counts.len());
        self.cells.resize(begin + people * width, 1.0);
        self.begin.insert(number, begin);
        places.extend(group.people.iter().copied().zip(0..));
        let mut equal = |cells: Vec<u32>, bound: f64| {
            self.rows.push(Row { cells, relation: Relation::Equal, bound, multiplier: 0.0 });
        };
        for (column, &(_, count)) in counts.iter().enumerate() {
            equal((0..people).map(|row| (begin + row * width + column) as u32).collect(), count.into());
        }
        for row in 0..people {
            equal((0..width).map(|column| (begin + row * width + column) as u32).collect(), 1.0);
        }
        begin
    }

    fn solve(&mut self, limits: &MaxEnt, progress: &dyn Progress) -> Result<(), ReasonerError> {
        self.settle()?;
        progress.stage("Maximum entropy", None);
        let mut off = self.off();
        for round in 0..limits.rounds {
            if off <= limits.tolerance {
                return Ok(());
            }
            progress.check()?;
            progress.at(u64::from(round) + 1);
            for row in &mut self.rows {
                row.project(&mut self.cells)?;
            }
            off = self.off();
        }
        if off <= limits.tolerance {
            return Ok(());
        }
        Err(ReasonerError::NotConverged { rounds: limits.rounds, off, tolerance: limits.tolerance })
    }

    /// Settles what must be 0 or 1, as far as one constraint at a time tells, and leaves it out of the sums. Scaling
    /// would only creep towards it.
    fn settle(&mut self) -> Result<(), ReasonerError> {
        const NEARLY: f64 = 1e-12;
        let mut settled = vec![None; self.cells.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for row in &mut self.rows {
                let certain = row.cells.iter().filter(|&&cell| settled[cell as usize] == Some(1.0)).count();
                row.bound -= certain as f64;
                row.cells.retain(|&cell| settled[cell as usize].is_none());
                let open = row.cells.len() as f64;
                let (at_least, at_most) =
                    (row.relation != Relation::AtMost, row.relation != Relation::AtLeast);
                if (at_least && row.bound > open + NEARLY) || (at_most && row.bound < -NEARLY) {
                    return Err(WorldsError::Conflict.into());
                }
                // No chance is above 1, or below 0.
                let all = at_least && row.bound >= open - NEARLY;
                let none = at_most && row.bound <= NEARLY;
                if (all || none) && !row.cells.is_empty() {
                    let value = if none { 0.0 } else { 1.0 };
                    row.cells.iter().for_each(|&cell| settled[cell as usize] = Some(value));
                    changed = true;
                }
            }
        }
        for (cell, settled) in self.cells.iter_mut().zip(settled) {
            *cell = settled.unwrap_or(*cell);
        }
        self.rows
            .retain(|row| !row.cells.is_empty() && (row.bound > 0.0 || row.relation != Relation::AtLeast));
        Ok(())
    }

    /// The largest violation of a constraint, or of "not tight, so without influence".
    fn off(&self) -> f64 {
        self.rows.iter().map(|row| row.off(&self.cells)).fold(0.0, f64::max)
    }
}

impl Row {
    fn sum(&self, cells: &[f64]) -> f64 {
        self.cells.iter().map(|&cell| cells[cell as usize]).sum()
    }

    fn off(&self, cells: &[f64]) -> f64 {
        let over = self.sum(cells) - self.bound;
        match self.relation {
            Relation::AtMost if self.multiplier == 0.0 => over.max(0.0),
            Relation::AtLeast if self.multiplier == 0.0 => (-over).max(0.0),
            _ => over.abs(),
        }
    }

    /// Scales the cells so that the constraint holds, as far as the sign of the multiplier allows.
    fn project(&mut self, cells: &mut [f64]) -> Result<(), ReasonerError> {
        let sum = self.sum(cells);
        // All bounds are above 0 and so are all cells, until constraints that contradict each other shrink them away.
        if sum <= 0.0 {
            return Err(WorldsError::Conflict.into());
        }
        let wanted = self.multiplier + (self.bound / sum).ln();
        let multiplier = match self.relation {
            Relation::Equal => wanted,
            Relation::AtMost => wanted.min(0.0),
            Relation::AtLeast => wanted.max(0.0),
        };
        let factor = (multiplier - self.multiplier).exp();
        self.multiplier = multiplier;
        if factor != 1.0 {
            self.cells.iter().for_each(|&cell| cells[cell as usize] *= factor);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Silent;
    use proptest::prelude::*;

    use super::super::RandomWorlds;
    use super::*;
    use crate::worlds::{Bucket, Worlds};

    fn believe(groups: &[Bucket], constraints: &[Constraint]) -> Result<Beliefs, ReasonerError> {
        let view = View { qi: &[], qi_domains: &[], groups };
        MaxEnt { constraints: constraints.to_vec(), ..MaxEnt::default() }.beliefs(&view, &Silent)
    }

    /// survey TH-31: that a coin shows heads with a chance of at least one half leaves it at one half. (The three quarters of whoever
    /// believes all chances equally likely beforehand are another belief, which nothing here has.)
    #[test]
    fn survey_th31_a_coin() {
        let coin = [Bucket { people: vec![0, 1], values: vec![0, 1] }];
        let heads = |relation, bound| believe(&coin, &[Constraint { cells: vec![(0, 0)], relation, bound }]);
        assert!((heads(Relation::AtLeast, 0.5).unwrap().chance(0, 0) - 0.5).abs() < 1e-9);
        assert!((heads(Relation::AtLeast, 0.8).unwrap().chance(0, 0) - 0.8).abs() < 1e-8);
        assert!((heads(Relation::AtMost, 0.8).unwrap().chance(0, 0) - 0.5).abs() < 1e-9);
        assert!((heads(Relation::AtMost, 0.1).unwrap().chance(1, 0) - 0.9).abs() < 1e-8);
    }

    /// Two groups; a share of people of both has a value. What one group cannot hold the other must.
    #[test]
    fn shares_over_groups() {
        let groups = [
            Bucket { people: vec![0, 1, 2], values: vec![0, 1, 2] },
            Bucket { people: vec![3, 4], values: vec![0, 1] },
            Bucket { people: vec![5, 6], values: vec![0, 1] },
        ];
        let beliefs = believe(&groups, &[Constraint::share(&[0, 3], 0, Relation::Equal, 0.7)]).unwrap();
        assert!((beliefs.chance(0, 0) + beliefs.chance(3, 0) - 1.4).abs() < 1e-8);
        assert!(beliefs.chance(0, 0) > 1.0 / 3.0 && beliefs.chance(3, 0) > 0.5);
        assert!((beliefs.chance(1, 0) - beliefs.chance(2, 0)).abs() < 1e-9, "alike");
        assert_eq!(beliefs.chance(5, 0), 0.5, "untouched");
    }

    #[test]
    fn faults() {
        let groups = [Bucket { people: vec![0, 1], values: vec![0, 1] }];
        let one = |cells: &[(u32, u32)], bound| {
            believe(&groups, &[Constraint { cells: cells.to_vec(), relation: Relation::Equal, bound }])
        };
        assert!(matches!(one(&[(0, 0)], f64::NAN), Err(ReasonerError::Parameter { .. })));
        assert!(matches!(one(&[(0, 0), (0, 0)], 1.0), Err(ReasonerError::Parameter { .. })));
        assert!(matches!(
            one(&[(9, 0)], 1.0),
            Err(ReasonerError::Worlds(WorldsError::NotInRelease { statement: 1 }))
        ));
        assert!(matches!(one(&[(0, 7)], 0.5), Err(ReasonerError::Worlds(WorldsError::Conflict))));
        assert_eq!(one(&[(0, 0)], 0.0).unwrap().of(0), [(0, 0.0), (1, 1.0)]);
        let view = View { qi: &[], qi_domains: &[], groups: &groups };
        let impossible = Constraint::share(&[0, 1], 0, Relation::AtLeast, 0.9);
        let hopeless = MaxEnt { constraints: vec![impossible], rounds: 50, ..MaxEnt::default() };
        let found = hopeless.beliefs(&view, &Silent);
        assert!(matches!(found, Err(ReasonerError::NotConverged { rounds: 50, .. })), "{found:?}");
        let careless = MaxEnt { tolerance: f64::NAN, ..MaxEnt::default() };
        assert!(careless.beliefs(&view, &Silent).is_err());
    }

    fn entropy(cells: &[f64]) -> f64 {
        cells.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Without knowledge, and with knowledge that says what random worlds say, it is random worlds.
        #[test]
        fn without_knowledge_random_worlds(values in prop::collection::vec(0u32..3, 1..6), told in any::<bool>()) {
            let people: Vec<u32> = (0..values.len() as u32).collect();
            let groups = [Bucket { people: people.clone(), values: values.clone() }];
            let random = RandomWorlds::default();
            let random = random.beliefs(&View { qi: &[], qi_domains: &[], groups: &groups }, &Silent).unwrap();
            let known = Constraint::share(&people[..1], values[0], Relation::Equal, random.chance(0, values[0]));
            let beliefs = believe(&groups, if told { std::slice::from_ref(&known) } else { &[] }).unwrap();
            for &person in &people {
                for value in 0..3 {
                    prop_assert!((beliefs.chance(person, value) - random.chance(person, value)).abs() < 1e-8);
                }
            }
        }

        /// Knowledge that some mixture of worlds satisfies: the constraints hold, and on the line from the answer to
        /// that mixture, which is feasible throughout, entropy only falls.
        #[test]
        fn nothing_feasible_has_more_entropy(
            values in prop::collection::vec(prop::collection::vec(0u32..3, 2..4), 2),
            mixture in prop::collection::vec(0.05f64..1.0, 36),
            asked in prop::collection::vec((0usize..40, 0usize..40, 0usize..3), 1..4),
        ) {
            let mut next = 0;
            let groups: Vec<Bucket> = values.iter().map(|values| {
                next += values.len() as u32;
                Bucket { people: (next - values.len() as u32..next).collect(), values: values.clone() }
            }).collect();
            let people = next as usize;
            let mut worlds = Worlds::new(&groups, 36).unwrap();
            let mut feasible = vec![0.0; people * 3];
            let mut total = 0.0;
            for weight in mixture {
                let Some(world) = worlds.advance() else { break };
                total += weight;
                for (person, &value) in world.iter().enumerate() {
                    feasible[person * 3 + value as usize] += weight;
                }
            }
            feasible.iter_mut().for_each(|p| *p /= total);
            let constraints: Vec<Constraint> = asked.iter().map(|&(a, b, relation)| {
                let mut cells = vec![a % (people * 3), b % (people * 3)];
                cells.dedup();
                let sum: f64 = cells.iter().map(|&cell| feasible[cell]).sum();
                let relation = [Relation::Equal, Relation::AtMost, Relation::AtLeast][relation];
                let cells = cells.into_iter().map(|cell| ((cell / 3) as u32, (cell % 3) as u32)).collect();
                Constraint { cells, relation, bound: sum }
            }).collect();
            let view = View { qi: &[], qi_domains: &[], groups: &groups };
            let engine = MaxEnt { constraints: constraints.clone(), tolerance: 1e-7, rounds: 200_000 };
            let beliefs = engine.beliefs(&view, &Silent).unwrap();
            for constraint in &constraints {
                let sum: f64 = constraint.cells.iter().map(|&(person, value)| beliefs.chance(person, value)).sum();
                let over = sum - constraint.bound;
                prop_assert!(over < 1e-6 || constraint.relation == Relation::AtLeast);
                prop_assert!(over > -1e-6 || constraint.relation == Relation::AtMost);
            }
            let found: Vec<f64> = (0..people * 3).map(|cell| beliefs.chance((cell / 3) as u32, (cell % 3) as u32)).collect();
            let most = entropy(&found);
            for step in 1..=10 {
                let t = f64::from(step) / 10.0;
                let between: Vec<f64> = found.iter().zip(&feasible).map(|(a, b)| a + t * (b - a)).collect();
                prop_assert!(entropy(&between) <= most + 1e-5, "{} {most}", entropy(&between));
            }
        }
    }
}
