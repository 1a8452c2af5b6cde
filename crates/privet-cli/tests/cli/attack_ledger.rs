//! `privet attack ledger`, and `privet mine private` with the ledger that pays for it.

use crate::dir::Dir;

/// 64 people who are told apart by number; those with a number of which the bits have an odd sum are ill.
fn people() -> Dir {
    let dir = Dir::new();
    let mut text = "number,ward,state,age,cost\n".to_owned();
    for number in 0u32..64 {
        let state = if number.count_ones() % 2 == 1 { "ill" } else { "well" };
        let (ward, age) = (number % 4, 20 + number);
        text.push_str(&format!("{number},{ward},{state},{age},{}\n", 100 + 3 * age + number % 5));
    }
    dir.write("people.csv", text);
    dir
}

/// survey AT-20: exact counts up to each number tell everybody; the limit turns this into exit code 1.
#[test]
fn given_answers_are_attacked() {
    let dir = people();
    let mut answers = "question,answer\n".to_owned();
    for end in 1..=64u32 {
        let ill = (0..end).filter(|own| own.count_ones() % 2 == 1).count();
        answers.push_str(&format!(
            "\"select count(*) from data where number < {end} and state = 'ill'\",{ill}\n"
        ));
    }
    dir.write("answers.csv", answers);
    let asked = ["attack", "ledger", "people.csv", "--secret", "state = 'ill'", "--answers", "answers.csv"];
    let all = dir.expect(0, &[&asked[..], &["--public", "number,ward"]].concat());
    all.prints("right about 64 of 64 people (100.0 %); guessing is right for 50.0 %")
        .prints("There is no ledger")
        .prints("Each person is taken to have one record.");
    let limited = [&asked[..], &["--public", "number,ward", "--max-risk", "0.5"]].concat();
    dir.expect(1, &limited).says("more than --max-risk allows");
    let json = dir.expect(1, &[&limited[..], &["--json"]].concat()).json();
    assert_eq!((json["risk"].as_f64(), json["secrets"][0]["from"].as_str()), (Some(1.0), Some("given")));
}

/// survey AT-20, AT-23: what an account allows, beside exact answers. Nothing is charged.
#[test]
fn allowed_answers_are_attacked() {
    let dir = people();
    dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", "1"]);
    let before = dir.expect(0, &["ledger", "show", "people.csv", "--json"]).json();
    let asked = ["attack", "ledger", "people.csv", "--secret", "state = 'ill'", "--public", "number"];
    let json = dir.expect(0, &[&asked[..], &["--json"]].concat()).json();
    assert_eq!(json["allowed"]["epsilon"].as_str(), Some("1"));
    let secrets = json["secrets"].as_array().unwrap();
    let of = |from: &str| secrets.iter().find(|own| own["from"] == from).unwrap();
    assert_eq!(of("exact")["right"]["rate"].as_f64(), Some(1.0));
    assert!((of("allowed")["most"].as_f64().unwrap() - 0.731_058).abs() < 1e-6);
    // The exact answers are a comparison and no risk of the account: four deviations above its bound at most.
    assert!(json["risk"].as_f64().unwrap() < 2.0 * (0.7311 - 0.5) + 8.0 * 0.0573, "{json}");
    let line = ["attack", "ledger", "people.csv", "--explained", "cost", "--explaining", "age"];
    let bounds = ["--bound", "age=0..100", "--bound", "cost=0..500"];
    dir.expect(0, &[&line[..], &bounds[..]].concat()).prints("the line for `cost` is 0.0");
    let after = dir.expect(0, &["ledger", "show", "people.csv", "--json"]).json();
    assert_eq!(before, after);
}

/// A limit that nothing was held to does not count as kept: nobody can be named, or no secret is named.
#[test]
fn limits_that_cannot_be_checked_are_refused() {
    let dir = people();
    dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", "1"]);
    let limited = |more: &[&str]| {
        let asked = [&["attack", "ledger", "people.csv", "--max-risk", "0.5"][..], more].concat();
        dir.expect(2, &asked).says("--max-risk cannot be checked");
    };
    limited(&["--secret", "state = 'ill'", "--public", "ward"]);
    limited(&[
        "--explained",
        "cost",
        "--explaining",
        "age",
        "--bound",
        "age=0..100",
        "--bound",
        "cost=0..500",
    ]);
}

#[test]
fn what_cannot_be_attacked_is_refused() {
    let dir = people();
    for (args, says) in [
        (&["attack", "ledger", "people.csv"][..], "say what the adversary is after"),
        (&["attack", "ledger", "people.csv", "--secret", "state = 'ill'"], "there is no ledger"),
        (&["attack", "ledger", "people.csv", "--secret", "state = 'ill'", "--targets", "4"], "--targets"),
        (&["attack", "ledger", "nothing.csv", "--secret", "state = 'ill'"], "nothing.csv"),
        (&["attack"], "required"),
    ] {
        dir.expect(2, args).says(says);
    }
}

const LEARNED: [&str; 13] = [
    "mine",
    "private",
    "people.csv",
    "--class",
    "state",
    "--from",
    "ward,half",
    "--keys",
    "state=ill,well",
    "--keys",
    "ward=0,1,2,3",
    "--keys",
    "half=low,high",
];

/// Half `low` is well, half `high` is ill, but for one in ten.
fn classes() -> Dir {
    let dir = Dir::new();
    let mut text = "ward,half,state\n".to_owned();
    for number in 0u32..2000 {
        let (half, usual, other) =
            if number % 2 == 0 { ("low", "well", "ill") } else { ("high", "ill", "well") };
        let state = if number % 20 < 2 { other } else { usual };
        text.push_str(&format!("{},{half},{state}\n", number / 2 % 4));
    }
    dir.write("people.csv", text);
    dir
}

/// Both learners find the column that tells, charge what they cost, and predict with the file that they wrote.
#[test]
fn private_classifiers_are_learned_and_used() {
    for (learner, nodes) in [("bayes", None), ("tree", Some("A tree of"))] {
        let dir = classes();
        dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", "2"]);
        let asked = [
            &LEARNED[..],
            &["--learner", learner, "--epsilon", "1", "--test", "people.csv", "--output", "model.json"],
        ]
        .concat();
        let learned = dir.expect(0, &asked).prints("predicted rightly").prints("Left after this: epsilon 1");
        if let Some(nodes) = nodes {
            learned.prints(nodes);
        }
        dir.write("new.csv", "ward,half\n1,low\n2,high\n");
        let said = dir.expect(0, &["mine", "predict", "model.json", "new.csv"]);
        assert_eq!(said.out, "ward,half,prediction\n1,low,well\n2,high,ill\n", "{learner}");
        dir.write("short.csv", "ward\n1\n");
        dir.expect(2, &["mine", "predict", "model.json", "short.csv"]).says("no column `half`");
        // A file that is there is found out before anything is charged, and the budget ends.
        dir.expect(2, &asked).says("is there already");
        let again = [&asked[..asked.len() - 1], &["other.json"]].concat();
        dir.expect(0, &again);
        let third = [&asked[..asked.len() - 1], &["third.json"]].concat();
        dir.expect(3, &third);
        assert!(!dir.names(".").contains(&"third.json".to_owned()));
    }
}

/// A tree asks twice: the delta of the job file is charged once in all, not by each of its questions.
#[test]
fn a_tree_charges_the_delta_of_a_job_once() {
    let dir = classes();
    dir.write("job.toml", "[input]\npath = \"people.csv\"\n\n[query]\nepsilon = 1\ndelta = 1e-6\n");
    dir.expect(0, &["ledger", "open", "people.csv", "--epsilon", "2", "--delta", "1e-6"]);
    let mut asked = LEARNED.to_vec();
    asked[2] = "job.toml";
    asked.extend(["--learner", "tree", "--epsilon", "1", "--output", "model.json", "--json"]);
    let json = dir.expect(0, &asked).json();
    let charged: f64 = json["costs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["delta"].as_str().unwrap().parse::<f64>().unwrap())
        .sum();
    assert!(charged <= 1e-6 * (1.0 + 1e-9), "{json}");
}
