use privet_criteria::{Requirement, SensitiveColumn, build};
use privet_data::{Domain, Generalization, Hierarchy, Silent};
use privet_measure::Metric;
use privet_recode::lattice::Quasi;
use proptest::prelude::*;

use super::*;

/// A table whose columns hold small numbers, each with the hierarchy value, `*`.
pub(super) struct Table {
    quasi: Vec<Vec<u32>>,
    counts: Vec<Vec<u64>>,
    generalizations: Vec<Generalization>,
    sensitive: Vec<Vec<u32>>,
    values: usize,
    requirements: Vec<Requirement>,
}

fn domain(size: usize) -> Domain {
    let texts = (0..size).map(|value| Box::from(format!("{value}"))).collect();
    Domain::from_sorted(texts, 0, privet_data::Kind::Text)
}

fn count(codes: &[u32], values: usize) -> Vec<u64> {
    let mut counts = vec![0; values];
    codes.iter().for_each(|&code| counts[code as usize] += 1);
    counts
}

impl Table {
    pub fn new(quasi: &[&[u32]], sensitive: &[&[u32]], values: usize, requirements: &[(&str, &str)]) -> Self {
        let sizes: Vec<usize> =
            quasi.iter().map(|codes| codes.iter().max().map_or(2, |&m| m as usize + 1).max(2)).collect();
        let flat = |&size: &usize| Hierarchy::flat(&domain(size)).bind(&domain(size)).unwrap();
        let parse = |(key, text): &(&str, &str)| {
            Requirement::parse(key, &serde_json::from_str(text).unwrap()).unwrap().remove(0)
        };
        Self {
            quasi: quasi.iter().map(|codes| codes.to_vec()).collect(),
            counts: quasi.iter().zip(&sizes).map(|(codes, &size)| count(codes, size)).collect(),
            generalizations: sizes.iter().map(flat).collect(),
            sensitive: sensitive.iter().map(|codes| codes.to_vec()).collect(),
            values,
            requirements: requirements.iter().map(parse).collect(),
        }
    }

    fn bind(&self, sensitive: &[Vec<u32>]) -> Option<Vec<Box<dyn Criterion>>> {
        let domain = domain(self.values);
        let counts: Vec<Vec<u64>> = sensitive.iter().map(|codes| count(codes, self.values)).collect();
        let columns: Vec<SensitiveColumn<'_>> = ["s", "t"]
            .iter()
            .zip(&counts)
            .map(|(&name, counts)| SensitiveColumn { name, domain: &domain, counts, hierarchy: None })
            .collect();
        build(&self.requirements, &columns, None, sensitive[0].len() as u64).ok()
    }

    fn attack_with<A>(
        &self,
        algorithm: &A,
        suppress: u64,
        most: u64,
        samples: u64,
    ) -> Result<Minimality, MinimalityError>
    where
        A: Fn(&Problem<'_>, &dyn Progress) -> Result<Published<Vec<GeneralizedLevel>>, SearchError> + Sync,
    {
        self.attack_by(algorithm, suppress, most, samples, 0.9, 7)
    }

    fn attack_by<A>(
        &self,
        algorithm: &A,
        suppress: u64,
        most: u64,
        samples: u64,
        confidence: f64,
        seed: u64,
    ) -> Result<Minimality, MinimalityError>
    where
        A: Fn(&Problem<'_>, &dyn Progress) -> Result<Published<Vec<GeneralizedLevel>>, SearchError> + Sync,
    {
        self.with_problem(suppress, |problem| {
            let bind = |codes: &[Vec<u32>]| self.bind(codes);
            let effort = Effort { worlds_at_most: most, samples, confidence, seed };
            MinimalityAttack { problem, position: 0, bind: &bind, effort }.run(algorithm, &Silent)
        })
        .unwrap()
    }

    /// `None` where the promises cannot be bound to the table.
    pub fn with_problem<T>(&self, suppress: u64, then: impl FnOnce(&Problem<'_>) -> T) -> Option<T> {
        let criteria = self.bind(&self.sensitive)?;
        let quasi = self.quasi.iter().zip(&self.counts).zip(&self.generalizations);
        let problem = Problem {
            rows: self.sensitive[0].len(),
            quasi: quasi
                .map(|((codes, counts), generalization)| Quasi {
                    codes,
                    counts,
                    generalization,
                    numbers: None,
                    weight: 1.0,
                    population: None,
                })
                .collect(),
            sensitive: self.sensitive.iter().map(|codes| Codes { codes, values: self.values }).collect(),
            label: None,
            criteria: &criteria,
            metric: Metric::Height,
            suppress_at_most: suppress,
        };
        Some(then(&problem))
    }
}

/// At most half of any class has value 0 (survey PM-33).
pub(super) const CAP: (&str, &str) = ("alpha-k", r#"{"alpha": 0.5, "k": 1, "values": ["0"], "column": "s"}"#);

/// survey FX-4.1: zip and gender; HIV is 0.
fn hospital(diseases: &[u32], values: usize) -> Table {
    Table::new(&[&[1, 0, 0, 1, 0, 0, 0, 0], &[1, 1, 0, 0, 0, 0, 0, 0]], &[diseases], values, &[CAP])
}

/// Attribute suppression as the survey tells it: the first safe set of columns, smallest first.
fn plain(problem: &Problem<'_>, _: &dyn Progress) -> Result<Published<Vec<GeneralizedLevel>>, SearchError> {
    let zip = problem.quasi[0].codes;
    let gender = problem.quasi[1].codes;
    let hiv = problem.sensitive[0].codes;
    for levels in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        let key = |row: usize| {
            (if levels[0] == 0 { zip[row] } else { 9 }, if levels[1] == 0 { gender[row] } else { 9 })
        };
        let safe = (0..8).all(|row| {
            let class = (0..8).filter(|&other| key(other) == key(row));
            let (with, all) = class.fold((0, 0), |(w, n), other| (w + usize::from(hiv[other] == 0), n + 1));
            2 * with <= all
        });
        if safe {
            return Ok(Some(Released::recoded(problem, problem.at(&levels).into_iter().cloned().collect())));
        }
    }
    Ok(None)
}

/// survey FX-6.1: of the 56 placements of three HIV, six are unsafe with genders (zips suppressed), six with zips, and one with both.
#[test]
fn survey_fx61_counts() {
    let (zips, genders) = ([1, 0, 0, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0]);
    let is_unsafe = |column: &[u32; 8], sick: &[usize; 3]| {
        (0..2).any(|own| {
            let with = sick.iter().filter(|&&person| column[person] == own).count();
            2 * with > column.iter().filter(|&&other| other == own).count()
        })
    };
    let placements = (0..8).flat_map(|a| (a + 1..8).flat_map(move |b| (b + 1..8).map(move |c| [a, b, c])));
    let placements: Vec<[usize; 3]> = placements.collect();
    let by_gender: Vec<_> = placements.iter().filter(|own| is_unsafe(&genders, own)).collect();
    let by_zip: Vec<_> = placements.iter().filter(|own| is_unsafe(&zips, own)).collect();
    let both: Vec<_> = by_zip.iter().filter(|own| by_gender.contains(own)).collect();
    assert_eq!((placements.len(), by_gender.len(), by_zip.len()), (56, 6, 6));
    assert_eq!(both, [&&[0, 1, 3]]);
}

/// survey FX-6.1, TH-32: of 56 worlds one remains, and tells who has HIV.
#[test]
fn survey_fx61_one_world() {
    let table = hospital(&[0, 0, 1, 0, 1, 1, 1, 1], 2);
    let found = [
        table.attack_with(&plain, 0, 100, 0).unwrap(),
        table.attack_with(&attribute_suppression, 0, 100, 0).unwrap(),
        table.attack_with(&optimal_levels, 0, 100, 0).unwrap(),
    ];
    for found in found {
        assert_eq!((found.tried, found.fitting), (Tried::All(56), 1));
        for row in 0..8 {
            assert_eq!(found.before.chance(row, 0), 3.0 / 8.0);
            assert_eq!(found.after.chance(row, 0), f64::from(u8::from([0, 1, 3].contains(&row))));
        }
        let exposed: Vec<u32> =
            found.exposed(0.9).iter().filter(|b| b.value == 0).map(|b| b.person).collect();
        assert_eq!(exposed, [0, 1, 3]);
    }
}

/// With the diseases of the text, None and Flu may still be exchanged: ten of 560 worlds.
#[test]
fn survey_fx61_with_all_diseases_and_by_sampling() {
    let table = hospital(&[0, 0, 1, 0, 2, 1, 1, 2], 3);
    let found = table.attack_with(&optimal_levels, 0, 1000, 0).unwrap();
    assert_eq!((found.tried, found.fitting), (Tried::All(560), 10));
    assert_eq!((found.after.chance(3, 0), found.after.chance(2, 1)), (1.0, 0.6));
    let sampled = table.attack_with(&optimal_levels, 0, 100, 2000).unwrap();
    // Hardly any of the first 2000 fit, so more are drawn until enough do to show what all of them agree on.
    let Tried::Sampled(tried @ 2001..20_000) = sampled.tried else { panic!("{:?}", sampled.tried) };
    assert!(sampled.fitting >= 150);
    let enough = table.attack_with(&optimal_levels, 0, 100, 12_000).unwrap();
    assert_eq!(enough.tried, Tried::Sampled(12_000));
    // 1 in 56; the interval holds with 95 %, and the seed is fixed.
    let consistent = Rate::new(sampled.fitting as u64, tried);
    assert!(consistent.low < 1.0 / 56.0 && consistent.high > 1.0 / 56.0);
    assert_eq!(sampled.after.chance(3, 0), 1.0);
    let (chance, error) = (sampled.after.chance(2, 1), sampled.after.standard_error(2, 1));
    assert!((chance - 0.6).abs() < 4.0 * error && error > 0.0, "{chance} ± {error}");
    let who = |found: &Minimality| found.exposed(0.9).iter().map(|own| own.person).collect::<Vec<_>>();
    assert_eq!((who(&sampled), who(&found)), (vec![0, 1, 3], vec![0, 1, 3]));
    // A few worlds that fit and happen to agree are no proof.
    let few = table.attack_with(&optimal_levels, 0, 100, 30).unwrap_err();
    assert!(
        matches!(few, MinimalityError::TooFew { fitting: 0..20, tried: 30..=300, needed: 50.., most: 300 }),
        "{few}"
    );
    let sure = table.attack_by(&optimal_levels, 0, 100, 2000, 1.0, 7).unwrap_err();
    assert_eq!(sure, MinimalityError::NeverSure { confidence: 1.0 });
}

#[test]
fn faults() {
    let unsafe_table = hospital(&[0, 0, 0, 0, 0, 1, 1, 1], 2);
    let nothing = unsafe_table.attack_with(&optimal_levels, 0, 100, 0).unwrap_err();
    assert_eq!(nothing, MinimalityError::NothingPublished);
    let two = Table::new(&[&[0, 0, 1]], &[&[0, 1, 0], &[1, 1, 0]], 2, &[("k-anonymity", "2")]);
    let tuples = two.attack_with(&optimal_levels, 1, 100, 0);
    assert_eq!(tuples.unwrap_err(), MinimalityError::SuppressedTuples { suppressed: 1 });
    struct Stop;
    impl Progress for Stop {
        fn stage(&self, _: &str, _: Option<u64>) {}
        fn at(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    assert!(Quiet(&Stop).check().is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// What k-anonymity alone chooses does not depend on sensitive values: nothing more is learned, suppressed
    /// records included.
    #[test]
    fn k_anonymity_tells_nothing_more(
        quasi in prop::collection::vec(prop::collection::vec(0u32..2, 6), 2),
        sensitive in prop::collection::vec(0u32..2, 6),
        suppress in 0u64..3,
    ) {
        // The second asks no more, and looks at values to do so: all worlds are gone through.
        let idle = ("alpha-k", r#"{"alpha": 1.0, "k": 2, "column": "s"}"#);
        for (promise, looks) in [(("k-anonymity", "2"), false), (idle, true)] {
            let table = Table::new(&[&quasi[0], &quasi[1]], &[&sensitive], 2, &[promise]);
            let found = table.attack_with(&optimal_levels, suppress, 1 << 20, 0).unwrap();
            prop_assert_eq!(found.tried != Tried::NoneNeeded, looks);
            if let Tried::All(worlds) = found.tried {
                prop_assert_eq!(found.fitting, worlds);
            }
            for row in 0..6 {
                for value in 0..2 {
                    let (before, after) = (found.before.chance(row, value), found.after.chance(row, value));
                    prop_assert!((before - after).abs() < 1e-12, "{before} {after}");
                }
            }
            prop_assert!(found.exposed_by_choice(0.5).is_empty());
        }
    }

    /// Nobody is exposed by a sample whom all worlds show safe, at any confidence.
    #[test]
    fn samples_expose_nobody_whom_all_worlds_show_safe(
        quasi in prop::collection::vec(0u32..2, 8), sensitive in prop::collection::vec(0u32..3, 8),
        confidence in 4u32..10, seed in 0u64..1000,
    ) {
        let confidence = f64::from(confidence) / 10.0;
        let table = Table::new(&[&quasi, &[0, 1, 0, 1, 0, 1, 0, 1]], &[&sensitive], 3, &[CAP]);
        let Ok(exact) = table.attack_by(&optimal_levels, 0, 1 << 20, 0, confidence, seed) else { return Err(TestCaseError::reject("the case does not arise")) };
        let Ok(sampled) = table.attack_by(&optimal_levels, 0, 0, 100, confidence, seed) else { return Err(TestCaseError::reject("the case does not arise")) };
        prop_assert!(matches!(sampled.tried, Tried::Sampled(_)));
        for own in sampled.exposed(confidence) {
            let chance = exact.after.chance(own.person, own.value);
            prop_assert!(chance >= confidence - 1e-9, "{own:?} has {chance}");
        }
    }

    /// Two sensitive columns that move together say the same as one of them when they are equal; and the true world
    /// always fits.
    #[test]
    fn tuples_move_together(
        quasi in prop::collection::vec(0u32..2, 6), sensitive in prop::collection::vec(0u32..2, 6),
    ) {
        let one = Table::new(&[&quasi, &[0, 1, 0, 1, 0, 1]], &[&sensitive], 2, &[CAP]);
        let two = Table::new(&[&quasi, &[0, 1, 0, 1, 0, 1]], &[&sensitive, &sensitive], 2, &[CAP]);
        let run = |table: &Table| table.attack_with(&optimal_levels, 0, 1 << 20, 0);
        match (run(&one), run(&two)) {
            (Ok(one), Ok(two)) => {
                prop_assert_eq!((one.tried, one.fitting), (two.tried, two.fitting));
                prop_assert!(one.fitting >= 1);
                for (row, &value) in (0..).zip(&sensitive) {
                    prop_assert!(one.after.chance(row, value) > 0.0, "the truth is possible");
                    prop_assert_eq!(one.after.chance(row, 0), two.after.chance(row, 0));
                }
            }
            (one, two) => prop_assert_eq!(one.unwrap_err(), two.unwrap_err()),
        }
    }
}
