//! Controls against their definition, and people in several groups against all worlds.

use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_data::{Coverage, Silent};
use proptest::prelude::*;

use super::*;
use crate::finding::Fate;
use crate::knowledge::{KnownValue, Negation, Prior, Strength};
use crate::note::Topic;

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

/// A release of buckets: per record what it shows, its bucket, and its value, which the bucket alone tells.
fn buckets(rows: &[(u32, u32, u32)]) -> (Published, Truth) {
    let shown: Vec<(u32, u32)> = rows.iter().map(|row| (row.0, row.2)).collect();
    let mut release = release(&shown);
    let mut numbers: Vec<u32> = rows.iter().map(|row| row.1).collect();
    numbers.sort_unstable();
    numbers.dedup();
    release.group_of = rows.iter().map(|row| numbers.partition_point(|&own| own < row.1) as u32).collect();
    release.groups = vec![0; numbers.len()];
    for &group in &release.group_of {
        release.groups[group as usize] += 1;
    }
    let column = &mut release.sensitive[0];
    let codes = column.codes.take().unwrap();
    column.histograms =
        privet_release::published::Histograms::count(&release.group_of, numbers.len(), &codes);
    let truth = Truth {
        record_of: (0..rows.len() as u32).map(Some).collect(),
        values: vec![codes.into_iter().map(Some).collect()],
        member: vec![Some(true); rows.len()],
    };
    (release, truth)
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
        is_value: &|_, _| false,
        of_prior,
        others: &[],
        minimality: None,
        disclosure: None,
        tracker: None,
        risks: None,
        confidence: 0.6,
        seed: 1,
        most_records: 200_000,
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

    /// The same for buckets, whose records show their quasi columns: without the record a person is in no bucket, but for
    /// those of others who look the same.
    #[test]
    fn taking_records_out_of_buckets(rows in prop::collection::vec((0u32..6, 0u32..3, 0u32..3), 1..20)) {
        let (release, truth) = buckets(&rows);
        let column = &release.table.columns[0];
        let all = (0..column.domain.len() as u32).map(|code| vec![code]);
        let coverage = Coverage::new(all, column.domain.len() as u32);
        let shared = SharedColumn { quasi: 0, values: &column.codes, coverage: &coverage, points: None };
        let crowd = Crowd { count: rows.len(), shared: vec![shared] };
        let people = suspects(&release, &crowd).unwrap();
        let knowledge = Knowledge::default();
        let adversary = Adversary { crowd, ..adversary(&release, &people, Some(&truth), &knowledge, &[]) };
        let mut found = adversary.make("homogeneity", &Silent).unwrap();
        let expected = found[0].finding.control.take().unwrap();
        control::control(&adversary, "homogeneity", &mut found, &Silent).unwrap();
        prop_assert_eq!(found[0].finding.control, Some(expected));
        let is_alone = |own: &(u32, u32, u32)| rows.iter().filter(|other| other.0 == own.0).count() == 1;
        if rows.iter().all(is_alone) {
            prop_assert_eq!(expected.hits, 0);
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
            ..Suspects::default()
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
        let adversary = adversary(&release, &suspects, None, &knowledge, &[]);
        let found = adversary.made("background-knowledge", &Silent);
        // Without three free places somewhere a way may be missing although those who are spoken of have one.
        prop_assume!(all > 0 && !known.is_empty());
        // A value that is known and never published is a contradiction, and so no way.
        let found = found.unwrap();
        let beliefs = &found[0].conclusions.as_ref().unwrap().beliefs;
        for (person, counts) in counts.iter().enumerate() {
            for value in 0..domain.len() as u32 {
                let expected = counts[value as usize] as f64 / all as f64;
                let own = beliefs.of(person as u32).unwrap().of(value);
                prop_assert!((own - expected).abs() < 1e-9, "{person}: {own} {expected}");
            }
        }
    }
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
            ..Prior::default()
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
        // Without their records groups are smaller, and the worst that somebody could know tells more.
        if matches!(finding.attack, "boolean" | "three-d") {
            assert!(
                finding.control.is_none() && finding.notes.iter().any(|note| note.topic == Topic::NoControl)
            );
            continue;
        }
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
            ..Prior::default()
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
    // Two values in the first class, of which a statement leaves one; six different ones in the second.
    let release = release(&[(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5)]);
    let suspects = Suspects {
        profile_of: vec![0, 1],
        starts: vec![0, 1, 3],
        groups: vec![
            Place { group: 0, records: 2 },
            Place { group: 0, records: 2 },
            Place { group: 1, records: 6 },
        ],
        ..Suspects::default()
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
    assert!(found.finding.notes.iter().any(|note| note.text.contains("2 would be exposed")));
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

/// survey AT-04: to be sure that nothing is given is to know nothing, whatever is known besides.
#[test]
fn no_knowledge_makes_a_missing_value_learned() {
    let options = ReadOptions { header: Some(true), missing: vec![String::new()], ..ReadOptions::default() };
    for (csv, exposed) in [("class,value\n1,\n1,\n2,\n2,\n", 0), ("class,value\n1,\n1,\n2,x\n2,x\n", 2)] {
        let table = read_csv_bytes(csv.as_bytes(), &options).unwrap().table;
        let release = Published::of_table(table, vec![0], vec![1], &Silent).unwrap();
        let (people, truth) = members(&release);
        let knowledge = Knowledge::default();
        let adversary = adversary(&release, &people, Some(&truth), &knowledge, &[]);
        let all = ["homogeneity", "boolean", "three-d", "definetti"];
        let attacked = adversary.attack(Some(&words(&all)), &Silent).unwrap();
        assert_eq!((attacked.findings.len(), &attacked.not_made[..]), (all.len(), &[][..]));
        for own in &attacked.findings {
            assert_eq!(own.exposed.hits, exposed, "{} {csv}", own.attack);
        }
    }
}

/// What the adversary knew beforehand is not learned from the release: who is stated, or follows from what is, counts in no
/// rate. Where somebody else falls by it, that counts.
#[test]
fn what_is_stated_is_not_counted() {
    let release = release(&[(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]);
    let (people, truth) = members(&release);
    let says = |text: &str| crate::knowledge::Statement::Plain(text.to_owned());
    let knowledge = Knowledge {
        records: vec![KnownValue { person: "0".into(), column: None, value: "v0".into() }],
        statements: vec![says("\"0\" = v0 -> \"2\" = v0"), says("\"2\" != v0 or \"3\" = v1")],
        ..Knowledge::default()
    };
    let adversary = adversary(&release, &people, Some(&truth), &knowledge, &[]);
    let attacked = adversary.attack(Some(&words(&["background-knowledge"])), &Silent).unwrap();
    let (own, fate) = (&attacked.findings[0], &attacked.conclusions[0].fate);
    assert_eq!(fate[..], [Fate::Stated, Fate::Right, Fate::Stated, Fate::Stated, Fate::Right]);
    assert_eq!((own.exposed.hits, own.exposed.of), (2, 2));
    assert_eq!(own.control.map(|control| control.of), Some(2));
    assert!(
        own.notes.iter().any(|note| note.text.contains("left out") && note.text.ends_with(": 3.")),
        "{:?}",
        own.notes
    );
    assert_eq!(own.histogram.iter().map(|bin| bin.people).sum::<u64>(), 2);
}

/// A mistake in what is known is an error whichever attacks are asked for, and tells nothing of what stands there.
#[test]
fn mistakes_in_knowledge_stop_every_attack() {
    let release = release(&[(0, 0), (0, 1)]);
    let (people, truth) = members(&release);
    let person = |name: &str| (name == "Ann").then_some(0);
    let says = |text: &str| crate::knowledge::Statement::Plain(text.to_owned());
    let known = |person: &str, column: Option<&str>| KnownValue {
        person: person.into(),
        column: column.map(str::to_owned),
        value: "v0".into(),
    };
    let wrong = [
        (
            Knowledge { statements: vec![says("Ann = v0"), says("(((")], ..Knowledge::default() },
            "the 2. of them",
        ),
        (Knowledge { statements: vec![says("Eve = v0")], ..Knowledge::default() }, "`statements`"),
        (Knowledge { records: vec![known("Eve", None)], ..Knowledge::default() }, "the 1. of them"),
        (Knowledge { records: vec![known("Ann", Some("Eve"))], ..Knowledge::default() }, "`value`"),
        (
            Knowledge {
                negations: vec![Negation { person: "Eve".into(), column: None, not: vec![] }],
                ..Knowledge::default()
            },
            "`negations`",
        ),
    ];
    for (knowledge, says) in &wrong {
        let adversary =
            Adversary { person: &person, ..adversary(&release, &people, Some(&truth), knowledge, &[]) };
        for asked in [None, Some(words(&["homogeneity"]))] {
            match adversary.attack(asked.as_deref(), &Silent) {
                Err(AttackError::Knowledge(why)) => {
                    assert!(why.contains(says) && !why.contains("Eve"), "{why}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// survey AT-12 on a part: whole groups, a number that is told, and about as much learned as on everything. Two groups of
/// three show one kind of people and one value, which teaches what the third holds, but for every tenth of these.
#[test]
fn definetti_on_a_sample() {
    let row = |n: u32| {
        let group = n / 2;
        let shown = if group % 3 == 2 { n % 2 } else { group % 3 };
        let is_odd = group % 3 == 2 && (group / 3).is_multiple_of(10);
        (shown, group, if is_odd { 1 - shown } else { shown })
    };
    let rows: Vec<(u32, u32, u32)> = (0..1200).map(row).collect();
    let (release, truth) = buckets(&rows);
    let people = Suspects::in_groups(release.group_of.iter().map(|&group| Some(group)), &release.groups);
    let knowledge = Knowledge::default();
    let whole = Adversary { confidence: 0.8, ..adversary(&release, &people, Some(&truth), &knowledge, &[]) };
    let part = Adversary { most_records: 301, ..whole.clone() };
    let made = |own: &Adversary<'_>| own.make("definetti", &Silent).unwrap().remove(0).finding;
    let (whole, own) = (made(&whole), made(&part));
    assert_eq!((whole.exposed.of, own.exposed.of), (1200, 300));
    assert!(
        whole.exposed.rate > 0.9 && own.exposed.rate > 0.9,
        "{} {}",
        whole.exposed.rate,
        own.exposed.rate
    );
    assert!((whole.risk - own.risk).abs() < 0.08, "{} {}", whole.risk, own.risk);
    assert!(own.notes.iter().any(|note| note.text.contains("300 of 1200 records")), "{:?}", own.notes);
    assert_eq!(made(&part), own);
}

/// survey AT-13 at the edge: of a class with two v0 and one each of v1 and v2 nobody of two can have v0 more often than the
/// shares say, and only at the limit. The belief is told with how near it came.
#[test]
fn max_entropy_without_room() {
    let release = release(&[(0, 0), (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (1, 2)]);
    let (people, truth) = members(&release);
    let shares = |all: [(&str, f64); 3]| Prior {
        column: None,
        of: Default::default(),
        shares: all.into_iter().map(|(value, share)| (value.to_owned(), share)).collect(),
        ..Prior::default()
    };
    // Three of the first class and one of the second: v1 and v2 of the first can only be theirs.
    let knowledge =
        Knowledge { priors: vec![shares([("v0", 0.25), ("v1", 0.25), ("v2", 0.5)])], ..Knowledge::default() };
    let of_prior = vec![vec![true, true, true, false, true, false, false, false]];
    let adversary = adversary(&release, &people, Some(&truth), &knowledge, &of_prior);
    let found = adversary.make("max-entropy", &Silent).unwrap().remove(0);
    assert!(
        found.finding.notes.iter().any(|note| note.text.contains("hardly any room")),
        "{:?}",
        found.finding.notes
    );
    // The fourth of the first class has v0: the other three have v0, v1 and v2 between them.
    let beliefs = found.conclusions.unwrap().beliefs;
    assert!(beliefs.of(3).unwrap().of(0) > 0.99, "{:?}", beliefs.of(3));
}

/// survey TH-31, AT-13 through the knowledge: that at least half of those like one of two have v0 leaves them at one half, and so does that
/// at most 0.8 do; at least 0.8 and at most 0.1 are used up. Bounds are for `max-entropy` alone.
#[test]
fn bounded_shares_commit_no_further_than_they_must() {
    let release = release(&[(0, 0), (0, 1)]);
    let (people, truth) = members(&release);
    let of_prior = vec![vec![true, false]];
    for (at_least, at_most, expected) in
        [(Some(0.5), None, 0.5), (Some(0.8), None, 0.8), (None, Some(0.8), 0.5), (None, Some(0.1), 0.1)]
    {
        let bound = |own: Option<f64>| own.map(|own| ("v0".to_owned(), own)).into_iter().collect();
        let prior = Prior { at_least: bound(at_least), at_most: bound(at_most), ..Prior::default() };
        let knowledge = Knowledge { priors: vec![prior], ..Knowledge::default() };
        let adversary = adversary(&release, &people, Some(&truth), &knowledge, &of_prior);
        let found = adversary.make("max-entropy", &Silent).unwrap().remove(0);
        let own = found.conclusions.unwrap().beliefs.of(0).unwrap().of(0);
        assert!((own - expected).abs() < 1e-5, "{at_least:?} {at_most:?}: {own}");
        for word in ["bayes-optimal", "independence"] {
            assert!(matches!(adversary.make(word, &Silent), Err(AttackError::Needs(_))), "{word}");
        }
    }
}

/// One more on the list than a class has records, all of which have one value: whoever is in the data has it (survey AT-02, FX-1.2). Without
/// their own record everybody of the class is told by the others' of it, in all attacks that go by priors as by homogeneity.
#[test]
fn a_longer_list_hides_nobody_of_a_homogeneous_class() {
    let rows: Vec<(u32, u32)> = [(0, 0), (0, 0), (0, 1), (0, 1), (1, 2), (1, 3), (1, 0), (1, 3)]
        .into_iter()
        .chain([(2, 2); 4])
        .collect();
    let release = release(&rows);
    let (_, truth) = members(&release);
    let shares = |all: &[(&str, f64)]| Prior {
        shares: all.iter().map(|own| (own.0.to_owned(), own.1)).collect(),
        ..Prior::default()
    };
    for more in [0, 1] {
        let groups = release.group_of.iter().map(|&group| Some(group)).chain(vec![Some(2); more]);
        let people = Suspects::in_groups(groups, &release.groups);
        let mut truth = truth.clone();
        truth.record_of.extend(vec![None; more]);
        truth.values[0].extend(vec![Some(3); more]);
        truth.member.extend(vec![Some(false); more]);
        let of_prior = vec![vec![true; 12 + more]];
        // Of the shares of all that which is true is the only one that does not contradict the release.
        for (word, prior) in [
            ("homogeneity", shares(&[("v0", 0.05)])),
            ("bayes-optimal", shares(&[("v0", 0.05)])),
            ("independence", shares(&[("v0", 0.05)])),
            ("max-entropy", shares(&[("v0", 3.0 / (12 + more) as f64)])),
        ] {
            let knowledge = Knowledge { priors: vec![prior], ..Knowledge::default() };
            let adversary = Adversary {
                confidence: 0.9,
                ..adversary(&release, &people, Some(&truth), &knowledge, &of_prior)
            };
            let found = adversary.attack(Some(&words(&[word])), &Silent).unwrap();
            let own = &found.findings[0];
            assert_eq!((own.exposed.hits, own.exposed.of), (4, 12), "{word} {:?}", own.notes);
            assert_eq!(own.control.map(|own| (own.hits, own.of)), Some((4, 12)), "{word} {more}");
        }
    }
}

/// Every attack declares whether it counts; those that only inform have no risk and say why.
#[test]
fn every_attack_has_a_role() {
    let informs = |is_bucketized: bool| -> Vec<&str> {
        ATTACKS.iter().filter(|own| own.not_counted(is_bucketized).is_some()).map(|own| own.word).collect()
    };
    assert_eq!(informs(false), ["insensitive-columns", "sensitive-columns", "boolean", "three-d", "tracker"]);
    assert_eq!(
        informs(true),
        [
            "linking",
            "insensitive-columns",
            "sensitive-columns",
            "boolean",
            "three-d",
            "record-linkage",
            "known-attributes",
            "tracker"
        ]
    );
    let by_default = |is_bucketized: bool| -> Vec<&str> {
        ATTACKS.iter().filter(|own| own.by_default(is_bucketized)).map(|own| own.word).collect()
    };
    assert_eq!(by_default(false), ["linking", "homogeneity", "similarity"]);
    assert_eq!(by_default(true), ["homogeneity", "similarity", "definetti"]);
    let release = release(&[(0, 0), (0, 0)]);
    let (people, truth) = members(&release);
    let knowledge = Knowledge::default();
    let adversary = adversary(&release, &people, Some(&truth), &knowledge, &[]);
    let attacked = adversary.attack(Some(&words(&["homogeneity", "boolean"])), &Silent).unwrap();
    for own in &attacked.findings {
        assert_eq!((own.exposed.hits, own.not_counted.is_some()), (2, own.attack == "boolean"));
        assert_eq!(own.risk, if own.attack == "boolean" { 0.0 } else { 1.0 });
        assert_eq!(own.public().risk, own.risk);
    }
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

/// survey PM-12, AT-04, on the first two classes of FX-1.3: as much knowledge as the file says, and all worlds beside it.
#[test]
fn the_worst_knowledge_is_as_strong_as_the_file_says() {
    let rows = [(0, 0), (0, 3), (0, 1), (0, 2), (1, 2), (1, 3), (1, 0), (1, 0)];
    let release = release(&rows);
    let (people, truth) = members(&release);
    for (statements, exposed) in [(0, 0), (1, 0), (2, 4), (3, 8)] {
        let strength = Strength { statements, ..Strength::default() };
        let knowledge = Knowledge { strength, ..Knowledge::default() };
        let adversary =
            Adversary { confidence: 1.0, ..adversary(&release, &people, Some(&truth), &knowledge, &[]) };
        let found = adversary.attack(Some(&words(&["boolean"])), &Silent).unwrap();
        let finding = &found.findings[0];
        assert_eq!(finding.exposed.hits, exposed, "{statements}");
        assert!(finding.notes[0].text.contains("0.500, 0.750, 1.000, 1.000"), "{:?}", finding.notes);
        let gone_through = finding.notes.iter().any(|own| own.text.starts_with("All 288 worlds"));
        assert!(gone_through || statements > 1, "{:?}", finding.notes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// On small tables the worst knowledge of any strength is what all worlds say; if not, the attack fails.
    #[test]
    fn the_worst_knowledge_is_what_worlds_say(
        rows in prop::collection::vec((0u32..2, 0u32..3), 2..7),
        statements in 0u32..3,
        three_d in prop::collection::vec(prop::array::uniform3(0u32..3), 1..3),
        of_first in prop::option::of(prop::array::uniform3(0u32..3)),
    ) {
        let first_value = format!("v{}", rows[0].1);
        let values = of_first.map(|own| (first_value, own)).into_iter().collect();
        let strength = Strength { statements, three_d: three_d.clone(), values };
        let mut rows = rows;
        rows.sort_unstable();
        let first = rows[0].0;
        rows.iter_mut().for_each(|own| own.0 = u32::from(own.0 != first));
        let release = release(&rows);
        let (people, truth) = members(&release);
        let knowledge = Knowledge { strength, ..Knowledge::default() };
        let adversary = adversary(&release, &people, Some(&truth), &knowledge, &[]);
        let found = adversary.attack(Some(&words(&["boolean", "three-d"])), &Silent);
        let found = found.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let said = |own: &Finding| own.notes.iter().any(|own| own.text.contains("were gone through besides"));
        prop_assert!(statements > 1 || said(&found.findings[0]), "{:?}", found.findings[0].notes);
        prop_assert!(said(&found.findings[1]), "{three_d:?} {:?}", found.findings[1].notes);
    }
}

/// survey AT-13: who knows that all women have the one value and no man has it is sure of everybody, and who knows no rule of nobody.
#[test]
fn more_rules_expose_more() {
    let rows: Vec<(u32, u32)> = (0..12).map(|n| (n / 6, if n < 6 { n / 3 } else { n % 2 })).collect();
    let release = release(&rows);
    let (people, truth) = members(&release);
    let sex: Vec<u32> = rows.iter().map(|own| own.1).collect();
    let coverage = Coverage::new((0..2).map(|_| vec![0, 1]), 2);
    let shared = vec![SharedColumn { quasi: 0, values: &sex, coverage: &coverage, points: None }];
    let rules = Some(crate::knowledge::Rules { top: 2, support: 3 });
    let knowledge = Knowledge { rules, ..Knowledge::default() };
    let adversary = Adversary {
        crowd: Crowd { count: 12, shared },
        confidence: 0.9,
        ..adversary(&release, &people, Some(&truth), &knowledge, &[])
    };
    let mut found = adversary.made("max-entropy", &Silent).unwrap();
    assert_eq!(found[0].finding.exposed.hits, 12);
    assert_eq!(found[0].finding.right.map(|own| own.hits), Some(12));
    least_committed::growth(&adversary, &mut found, &Silent).unwrap();
    let told = "With the 0, 1, 2 strongest rules of each kind: 0, 12, 12 people exposed.";
    assert!(found[0].finding.notes.iter().any(|own| own.text == told), "{:?}", found[0].finding.notes);
    // Whose rules they would be is not known of another list.
    let other = Adversary { own_table: true, ..adversary.clone() };
    assert!(matches!(other.made("max-entropy", &Silent), Err(AttackError::Needs(_))));
}
