//! Controls against their definition, and people in several groups against all worlds.

use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_data::{Coverage, Silent};
use proptest::prelude::*;

use super::*;
use crate::finding::Fate;
use crate::knowledge::{KnownValue, Negation, Prior};

/// A release with one quasi column and one sensitive column.
fn release(rows: &[(u32, u32)]) -> Published {
    let line = |(class, value): &(u32, u32)| format!("c{class},v{value}\n");
    let csv = "class,value\n".to_owned() + &rows.iter().map(line).collect::<String>();
    let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
    let table = read_csv_bytes(csv.as_bytes(), &options).unwrap().table;
    Published::of_table(table, vec![0], vec![1], &Silent).unwrap()
}

/// Everybody is a record and stands where it does.
fn members(release: &Published) -> (Suspects, Truth) {
    let people = Suspects::in_groups(release.group_of.iter().map(|&g| Some(g)), &release.groups);
    let codes = release.sensitive[0].codes.clone().unwrap();
    let truth = Truth {
        record_of: (0..release.table.rows as u32).map(Some).collect(),
        values: vec![codes.into_iter().map(Some).collect()],
        member: vec![Some(true); release.table.rows],
    };
    (people, truth)
}

/// People are called by their numbers.
fn by_number(name: &str) -> Option<u32> {
    name.parse().ok()
}

fn adversary<'a>(
    release: &'a Published,
    suspects: &'a Suspects,
    truth: Option<&'a Truth>,
    knowledge: &'a Knowledge,
    of_prior: &'a [Vec<bool>],
) -> Adversary<'a> {
    Adversary {
        release,
        crowd: Crowd::default(),
        suspects,
        own_table: false,
        truth,
        control: None,
        hierarchies: &[],
        knowledge,
        person: &by_number,
        of_prior,
        others: &[],
        minimality: None,
        disclosure: None,
        tracker: None,
        confidence: 0.6,
        seed: 1,
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Taking records out and attacking again comes to what is worked out without doing so.
    #[test]
    fn taking_records_out_is_what_is_worked_out(rows in prop::collection::vec((0u32..4, 0u32..3), 1..20)) {
        let release = release(&rows);
        let (people, truth) = members(&release);
        let knowledge = Knowledge::default();
        let adversary = adversary(&release, &people, Some(&truth), &knowledge, &[]);
        for word in ["homogeneity", "linking"] {
            let mut found = adversary.make(word, &Silent).unwrap();
            let expected = found[0].finding.control.take();
            control::control(&adversary, word, &mut found, &Silent).unwrap();
            prop_assert_eq!(found[0].finding.control, expected);
            prop_assert_eq!(found[0].finding.control_group.as_deref(), Some(linking::WITHOUT));
        }
    }

    /// Somebody who may stand in several groups, and knowledge about several people: as all ways in which they can be
    /// records say.
    #[test]
    fn several_groups_are_weighed_as_worlds_are(
        values in prop::collection::vec(0u32..3, 4..9),
        cut in 1usize..4,
        // The first two people may stand in either group, the third in the first alone.
        known in prop::collection::vec((0u32..3, 0u32..3, any::<bool>()), 1..4),
    ) {
        let rows: Vec<(u32, u32)> = values.iter().enumerate().map(|(at, &v)| (u32::from(at >= cut), v)).collect();
        let release = release(&rows);
        let sizes = release.groups.clone();
        let both: Vec<Place> = (0..2).map(|group| Place { group, records: sizes[group as usize] }).collect();
        let suspects = Suspects {
            profile_of: vec![0, 0, 1, 0],
            starts: vec![0, 2, 3],
            groups: both.iter().chain(&both[..1]).copied().collect(),
        };
        let text = |value: u32| format!("v{value}");
        let mut knowledge = Knowledge::default();
        for &(person, value, has) in &known {
            let (person, column) = (person.to_string(), None);
            match has {
                true => knowledge.records.push(KnownValue { person, column, value: text(value) }),
                false => knowledge.negations.push(Negation { person, column, not: vec![text(value)] }),
            }
        }
        let domain = &release.sensitive[0].domain;
        // To deny a value that is not published says nothing, and nobody is spoken of by it.
        let known: Vec<(u32, u32, bool)> =
            known.into_iter().filter(|own| own.2 || domain.code_of(&text(own.1)).is_some()).collect();
        // Every way in which the four people can be records.
        let allowed = |person: usize, record: usize| person != 2 || release.group_of[record] == 0;
        let codes = release.sensitive[0].codes.clone().unwrap();
        let holds = |of: &[usize; 4]| known.iter().all(|&(person, value, has)| {
            (domain.text(codes[of[person as usize]]) == text(value)) == has
        });
        let mut counts = vec![vec![0u64; domain.len()]; 4];
        let mut all = 0u64;
        let records = rows.len();
        for way in 0..records.pow(4) {
            let of = [way % records, way / records % records, way / records.pow(2) % records, way / records.pow(3)];
            let distinct = (0..4).all(|a| (0..a).all(|b| of[a] != of[b]));
            if distinct && (0..4).all(|person| allowed(person, of[person])) && holds(&of) {
                all += 1;
                (0..4).for_each(|person| counts[person][codes[of[person]] as usize] += 1);
            }
        }
        let spoken: Vec<usize> = (0..3).filter(|&p| known.iter().any(|own| own.0 as usize == p)).collect();
        // Who is not spoken of is not placed: the others take whatever is left, so all ways count the same.
        let adversary = adversary(&release, &suspects, None, &knowledge, &[]);
        let found = adversary.make("background-knowledge", &Silent);
        // Without three free places somewhere a way may be missing although those who are spoken of have one.
        if all == 0 || known.is_empty() {
            return Ok(());
        }
        // A value that is known and never published is a contradiction, and so no way.
        let found = found.unwrap();
        let beliefs = &found[0].conclusions.as_ref().unwrap().beliefs;
        for &person in &spoken {
            for value in 0..domain.len() as u32 {
                let expected = weigh(&spoken, person, value, &codes, &release, &known, domain, &text);
                let own = beliefs.of(person as u32).unwrap().of(value);
                prop_assert!((own - expected).abs() < 1e-9, "{own} {expected}");
            }
        }
        // The fourth may stand anywhere.
        let total: f64 = beliefs.of(3).unwrap().values.iter().map(|own| own.1).sum();
        prop_assert!((total - 1.0).abs() < 1e-9);
        if spoken.len() == 3 {
            for value in 0..domain.len() as u32 {
                let expected = counts[3][value as usize] as f64 / all as f64;
                prop_assert!((beliefs.of(3).unwrap().of(value) - expected).abs() < 1e-9);
            }
        }
    }
}

/// The chance of a value over all ways in which those who are spoken of can be records.
#[allow(clippy::too_many_arguments)]
fn weigh(
    spoken: &[usize],
    person: usize,
    value: u32,
    codes: &[u32],
    release: &Published,
    known: &[(u32, u32, bool)],
    domain: &Domain,
    text: &dyn Fn(u32) -> String,
) -> f64 {
    let records = codes.len();
    let (mut with, mut all) = (0u64, 0u64);
    for way in 0..records.pow(spoken.len() as u32) {
        let of: Vec<usize> = (0..spoken.len()).map(|at| way / records.pow(at as u32) % records).collect();
        let distinct = (0..of.len()).all(|a| (0..a).all(|b| of[a] != of[b]));
        let allowed = spoken.iter().zip(&of).all(|(&p, &record)| p != 2 || release.group_of[record] == 0);
        let record = |p: usize| of[spoken.iter().position(|&own| own == p).unwrap()];
        let holds = known
            .iter()
            .all(|&(p, value, has)| (domain.text(codes[record(p as usize)]) == text(value)) == has);
        if distinct && allowed && holds {
            all += 1;
            with += u64::from(codes[record(person)] == value);
        }
    }
    with as f64 / all as f64
}

/// Every attack on people has a control, and it is over people whom the attack counts.
#[test]
fn every_attack_has_a_control() {
    let rows: Vec<(u32, u32)> = (0..60).map(|n| (n / 6, (n * 7 + n / 11) % 3)).collect();
    let release = release(&rows);
    let (people, truth) = members(&release);
    let knowledge = Knowledge {
        negations: vec![Negation { person: "3".into(), column: None, not: vec!["v0".into()] }],
        priors: vec![Prior {
            column: None,
            of: Default::default(),
            shares: [("v1".to_owned(), 0.35)].into_iter().collect(),
        }],
        ..Knowledge::default()
    };
    let mut of_prior = vec![vec![false; 60]];
    of_prior[0][..20].fill(true);
    let adversary = adversary(&release, &people, Some(&truth), &knowledge, &of_prior);
    let made = [
        "linking",
        "homogeneity",
        "background-knowledge",
        "bayes-optimal",
        "boolean",
        "three-d",
        "definetti",
        "max-entropy",
        "independence",
    ];
    let attacked = adversary.attack(Some(&words(&made)), &Silent).unwrap();
    assert_eq!((attacked.findings.len(), &attacked.not_made[..]), (made.len(), &[][..]));
    for finding in &attacked.findings {
        let control = finding.control.unwrap_or_else(|| panic!("{}", finding.attack));
        assert!(control.of > 0 && control.of <= 60 && finding.control_group.is_some(), "{}", finding.attack);
    }
    // The same again.
    assert_eq!(adversary.attack(Some(&words(&made)), &Silent).unwrap(), attacked);
    assert_eq!(attacked.conclusions.len(), made.len());
    assert!(attacked.conclusions.iter().all(|own| own.fate.len() == 60));
}

/// Strangers are attacked as people are: they fall where statistics tells, and are counted by themselves.
#[test]
fn strangers_are_attacked_as_well() {
    // A class with one value, one with two.
    let release = release(&[(0, 0), (0, 0), (0, 0), (1, 1), (1, 2), (1, 1), (1, 2)]);
    let (people, truth) = members(&release);
    // Two in the first class, one of whom has its value; two in the second; one nowhere; one of unknown value.
    let groups = [Some(0), Some(0), Some(1), Some(1), None, Some(0)];
    let suspects = Suspects::in_groups(groups.into_iter(), &release.groups);
    let theirs = Truth {
        record_of: vec![None; 6],
        values: vec![vec![Some(0), Some(1), Some(1), Some(2), Some(0), None]],
        member: vec![Some(false); 6],
    };
    let knowledge = Knowledge {
        negations: vec![Negation { person: "3".into(), column: None, not: vec!["v2".into()] }],
        priors: vec![Prior {
            column: None,
            of: Default::default(),
            shares: [("v1".to_owned(), 0.5)].into_iter().collect(),
        }],
        ..Knowledge::default()
    };
    // Of those in the second class half have v1, as the class shows.
    let of_prior = vec![vec![false, false, false, true, true, true, true]];
    let of_theirs = vec![vec![false, false, true, true, false, false]];
    let coverage = Coverage::new([vec![0], vec![1]], 2);
    let shared =
        SharedColumn { quasi: 0, values: &[0, 0, 1, 1, link::UNKNOWN, 0], coverage: &coverage, points: None };
    let strangers = Strangers {
        crowd: Crowd { count: 6, shared: vec![shared] },
        suspects: &suspects,
        truth: &theirs,
        of_prior: &of_theirs,
        others: &[],
    };
    let adversary = Adversary {
        control: Some(strangers),
        ..adversary(&release, &people, Some(&truth), &knowledge, &of_prior)
    };
    let made = [
        "linking",
        "homogeneity",
        "background-knowledge",
        "bayes-optimal",
        "boolean",
        "three-d",
        "max-entropy",
        "independence",
    ];
    let attacked = adversary.attack(Some(&words(&made)), &Silent).unwrap();
    assert_eq!(attacked.findings.len(), made.len(), "{:?}", attacked.not_made);
    let control = |word: &str| {
        let found = attacked.findings.iter().find(|own| own.attack == word).unwrap();
        assert!(found.control_group.as_ref().is_some_and(|who| who.contains("control table")), "{word}");
        let control = found.control.unwrap();
        (control.hits, control.of)
    };
    assert_eq!(control("homogeneity"), (1, 5));
    assert_eq!(control("linking"), (0, 6));
    // Somebody else has v1, so the others of that class have v2 with two of three.
    assert_eq!(control("background-knowledge"), (2, 5));
    assert_eq!(
        control("boolean"),
        (5, 6),
        "one or two values fall to one statement; who stands nowhere does not"
    );
    assert_eq!(control("three-d").1, 6);
    for word in ["bayes-optimal", "max-entropy", "independence"] {
        assert_eq!(control(word).1, 5, "{word}");
    }
}

/// A person in several groups counts by the mixture of them, and the worst of them is told.
#[test]
fn the_worst_knowledge_of_several_groups_is_mixed() {
    // One value in the first class, which is sure; six different ones in the second.
    let release = release(&[(0, 0), (0, 0), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5)]);
    let suspects = Suspects {
        profile_of: vec![0, 1],
        starts: vec![0, 1, 3],
        groups: vec![
            Place { group: 0, records: 2 },
            Place { group: 0, records: 2 },
            Place { group: 1, records: 6 },
        ],
    };
    let knowledge = Knowledge::default();
    let adversary = Adversary { confidence: 0.9, ..adversary(&release, &suspects, None, &knowledge, &[]) };
    let found = adversary.make("boolean", &Silent).unwrap().remove(0);
    assert_eq!(found.finding.exposed.hits, 1);
    let own = found.conclusions.unwrap();
    assert_eq!(own.fate, [Fate::Exposed, Fate::Hidden]);
    // Of six different values one statement leaves no more than a half.
    let chance = own.chance.unwrap();
    assert!(chance[0] == 1.0 && chance[1] > 0.25 && chance[1] < 0.25 + 0.75 * 0.5, "{chance:?}");
    assert!(found.finding.notes.iter().any(|note| note.contains("2 would be exposed")));
}

/// A class in which every value is missing tells nothing about anybody.
#[test]
fn missing_values_expose_nobody() {
    let csv = "class,value\n1,\n1,\n1,\n2,x\n2,x\n3,\n3,\n3,\n3,x\n";
    let options = ReadOptions { header: Some(true), missing: vec![String::new()], ..ReadOptions::default() };
    let table = read_csv_bytes(csv.as_bytes(), &options).unwrap().table;
    let release = Published::of_table(table, vec![0], vec![1], &Silent).unwrap();
    let (people, truth) = members(&release);
    let knowledge = Knowledge::default();
    let adversary = adversary(&release, &people, Some(&truth), &knowledge, &[]);
    let found = adversary.make("homogeneity", &Silent).unwrap().remove(0);
    assert_eq!((found.finding.exposed.hits, found.finding.control.unwrap().hits), (2, 2));
    let low = Adversary { confidence: 0.25, ..adversary };
    assert_eq!(low.make("homogeneity", &Silent).unwrap()[0].finding.exposed.hits, 6, "a quarter has x");
}

/// Nobody and nothing.
#[test]
fn no_people_and_no_records() {
    let release = release(&[]);
    let (people, truth) = members(&release);
    let knowledge = Knowledge::default();
    let adversary = adversary(&release, &people, Some(&truth), &knowledge, &[]);
    let attacked = adversary.attack(None, &Silent).unwrap();
    assert!(attacked.findings.iter().all(|own| own.exposed.hits == 0 && own.risk == 0.0));
}
