//! Attacks expose nobody whom going through all originals shows safe, and hide nobody whom it does not.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::dir::Dir;

fn finding<'a>(assessed: &'a Value, attack: &str) -> &'a Value {
    let all = assessed["attacks"].as_array().unwrap();
    all.iter().find(|own| own["attack"] == attack).unwrap_or_else(|| panic!("no {attack} in {assessed:#}"))
}

fn exposed(assessed: &Value, attack: &str) -> (u64, u64) {
    let rate = &finding(assessed, attack)["exposed"];
    (rate["hits"].as_u64().unwrap(), rate["of"].as_u64().unwrap())
}

fn job(quasi: &[&str], privacy: &str, more: &str, folder: &str) -> String {
    let columns: String = quasi.iter().map(|name| format!("[columns.{name}]\nrole = \"quasi\"\n")).collect();
    format!(
        "[input]\npath = \"data.csv\"\n[columns.name]\nrole = \"identifier\"\n{columns}[columns.d]\nrole = \"sensitive\"\n\
         [privacy]\n{privacy}\n{more}\n[output]\nfolder = \"{folder}\"\n"
    )
}

/// Eight of nine have flu in every class: 0.889 of it is less than 0.9, and nothing that was not published tells more.
#[test]
fn what_depends_on_no_value_tells_none() {
    let dir = Dir::new();
    let mut rows = String::from("name,g,d\n");
    for person in 0..360 {
        rows.push_str(&format!(
            "P{person},g{},{}\n",
            person / 9,
            if person % 9 == 0 { "hiv" } else { "flu" }
        ));
    }
    dir.write("data.csv", rows).write("job.toml", job(&["g"], "k-anonymity = 1", "", "release"));
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let attacks = ["--attacks", "homogeneity,minimality,definetti"];
    let args = [&["attack", "release", "--original", "job.toml", "--json"][..], &attacks].concat();
    let assessed = dir.expect(0, &args).json();
    for attack in ["homogeneity", "minimality", "definetti"] {
        assert_eq!(exposed(&assessed, attack), (0, 360), "{attack}");
    }
    let notes = finding(&assessed, "minimality")["notes"].to_string();
    assert!(notes.contains("tells nothing"), "{notes}");
}

/// survey FX-6.4: 5/32, exactly.
#[test]
fn few_worlds_are_gone_through() {
    let dir = Dir::new();
    let smokers = ["y", "y", "n", "n", "y", "n", "y", "y", "n", "n", "y", "n"];
    let values =
        ["Cancer", "Flu", "Flu", "None", "Cancer", "None", "Cancer", "None", "Flu", "None", "Cancer", "None"];
    let mut rows = String::from("name,smoker,b,d\n");
    for (person, (smoker, value)) in smokers.iter().zip(values).enumerate() {
        rows.push_str(&format!("P{person},{smoker},b{},{value}\n", person / 2));
    }
    let more = "[columns.b]\nrole = \"identifier\"\n[search]\nalgorithm = \"anatomy\"\n[search.anatomy]\n\
                buckets-from = \"b\"\n";
    let own = job(&["smoker"], "l-diversity = { kind = \"distinct\", l = 2 }", more, "release");
    dir.write("data.csv", rows).write("job.toml", own);
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let args =
        ["attack", "release", "--original", "job.toml", "--attacks", "definetti", "--people", "who.csv"];
    dir.expect(0, &args);
    let who = dir.text("who.csv");
    assert!(who.contains("\n6,definetti,d,2,no,None,0.8438,yes,None 0.8438; Cancer 0.156"), "{who}");
}

/// Names of others on the list hide nobody: whoever is attacked is in the data, and so in all releases of it.
#[test]
fn a_longer_list_hides_nobody() {
    let dir = Dir::new();
    let (mut rows, mut people) = (String::from("name,q0,q1,d\n"), String::from("name,q0,q1\n"));
    for person in 0..16 {
        let (row, column) = (person / 4, person % 4);
        rows.push_str(&format!("P{person},r{row},c{column},v{}\n", 4 * (row % 2) + column));
        people.push_str(&format!("P{person},r{row},c{column}\n"));
    }
    let others: String = (0..4).map(|other| format!("X{other},r{other},c{other}\n")).collect();
    dir.write("data.csv", rows).write("people.csv", &people).write("more.csv", people + &others);
    for (number, quasi) in ["q0", "q1"].iter().enumerate() {
        let name = format!("job{number}.toml");
        dir.write(&name, job(&[quasi], "k-anonymity = 1", "", &format!("rel{number}")));
        dir.expect(0, &["anonymize", &name, "--quiet"]);
    }
    let attack = |list: &str, more: &str, code: i32| {
        dir.write(
            "knowledge.toml",
            format!(
                "job = \"job0.toml\"\n[people]\npath = \"{list}\"\nname = \"name\"\n[[releases]]\nfolder = \"rel1\"\n\
                 job = \"job1.toml\"\n{more}\n"
            ),
        );
        let args = ["attack", "rel0", "--knowledge", "knowledge.toml", "--original", "data.csv"];
        let more = ["--attacks", "composition", "--max-risk", "0.05", "--json"];
        dir.expect(code, &[&args[..], &more].concat()).json()
    };
    assert_eq!(exposed(&attack("people.csv", "", 1), "composition"), (16, 16));
    assert_eq!(exposed(&attack("more.csv", "", 1), "composition"), (16, 16));
    // Of another table it is not said who is in it.
    assert_eq!(exposed(&attack("more.csv", "same-table = false", 0), "composition"), (0, 16));
}

/// One of four has hiv, whatever is believed of each of them.
#[test]
fn beliefs_that_cannot_be_true_together_expose_nobody() {
    let dir = Dir::new();
    dir.write("data.csv", "name,g,h,d\nP0,x,m,flu\nP1,x,m,flu\nP2,x,m,flu\nP3,x,m,hiv\nP4,x,f,flu\n");
    dir.write("job.toml", job(&["g"], "k-anonymity = 5", "", "release"));
    dir.write(
        "knowledge.toml",
        "job = \"job.toml\"\n[people]\npath = \"data.csv\"\nname = \"name\"\n[[priors]]\nwhere = { h = \"m\" }\n\
         shares = { hiv = 0.999, flu = 0.001 }\n[[priors]]\nwhere = { h = \"f\" }\nshares = { hiv = 0.001, flu = 0.999 }\n",
    );
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let args = ["attack", "release", "--knowledge", "knowledge.toml", "--original", "data.csv", "--json"];
    let more = ["--attacks", "bayes-optimal,independence", "--people", "who.csv"];
    let assessed = dir.expect(0, &[&args[..], &more].concat()).json();
    assert_eq!((exposed(&assessed, "bayes-optimal"), exposed(&assessed, "independence")), ((1, 5), (1, 5)));
    assert!(
        finding(&assessed, "bayes-optimal")["notes"].to_string().contains("Not counted as exposed: 4 more")
    );
    assert!(dir.text("who.csv").contains("P0,bayes-optimal,d,5,no,hiv,0.98"), "the formula is shown");
}

/// A list that does not hold everybody makes nobody certain.
#[test]
fn a_list_that_is_seen_to_lack_people_proves_nothing() {
    let dir = Dir::new();
    dir.write("data.csv", "name,g,d\nA,x,flu\nB,x,hiv\nC,x,flu\nD,y,flu\nE,y,hiv\nF,y,cold\n");
    dir.write("people.csv", "name,g\nS1,x\nS2,x\nS3,y\nD,y\n");
    dir.write("job.toml", job(&["g"], "k-anonymity = 3", "", "release"));
    dir.write("knowledge.toml", "job = \"job.toml\"\n[people]\npath = \"people.csv\"\nname = \"name\"\n");
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    let args = ["attack", "release", "--knowledge", "knowledge.toml", "--attacks", "membership", "--json"];
    let assessed = dir.expect(0, &args).json();
    assert_eq!(exposed(&assessed, "membership"), (0, 4));
    assert!(finding(&assessed, "membership")["notes"].to_string().contains("4 who seem to be in the data"));
}

/// All ways to give out values.
fn orders(mut values: Vec<&'static str>) -> Vec<Vec<&'static str>> {
    values.sort_unstable();
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    for _ in 0..values.len() {
        let mut next = Vec::new();
        for begun in &all {
            let mut left = values.clone();
            begun.iter().for_each(|own| {
                left.remove(left.iter().position(|other| other == own).unwrap());
            });
            left.dedup();
            next.extend(left.into_iter().map(|value| [&begun[..], &[value]].concat()));
        }
        all = next;
    }
    all
}

/// survey AT-09, AT-10 against any search that is not led by chance: what it concludes is what running the program on every
/// original gives that the release leaves possible.
#[test]
fn every_search_is_run_again() {
    let dir = Dir::new();
    let ages = ["21", "22", "23", "24", "31", "32", "33", "34"];
    let (three, two) = (
        ["flu", "flu", "flu", "hiv", "hiv", "hiv", "flu", "flu"],
        ["flu", "flu", "flu", "hiv", "hiv", "flu", "flu", "flu"],
    );
    let table = |values: &[&str]| {
        let rows = ages.iter().zip(values).enumerate();
        let rows: String = rows.map(|(person, (age, value))| format!("P{person},{age},{value}\n")).collect();
        format!("name,age,d\n{rows}")
    };
    let hierarchy = "hierarchy = { intervals = [2, 4, 20], min = 20 }\n";
    let searches = [
        ("mondrian", three),
        ("samarati", two),
        ("datafly", two),
        ("top-down-specialization", two),
        ("optimal", two),
    ];
    for (algorithm, truth) in searches {
        let own = job(
            &["age"],
            "alpha-k = { alpha = 0.5, k = 1, values = [\"hiv\"] }",
            &format!("[search]\nalgorithm = \"{algorithm}\"\n"),
            "release",
        );
        let own = own.replace(
            "[columns.age]\nrole = \"quasi\"\n",
            &format!("[columns.age]\nrole = \"quasi\"\n{hierarchy}"),
        );
        dir.write("job.toml", own).write("data.csv", table(&truth));
        let published = |folder: &str| {
            let text = dir.text(&format!("{folder}/data.csv"));
            let mut lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
            lines.sort();
            lines
        };
        dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force"]);
        let release = published("release");
        let args = ["attack", "release", "--original", "job.toml", "--json", "--people", "who.csv"];
        let more = ["--attacks", "minimality,disclosure-sets", "--confidence", "0.9"];
        let run = dir.privet(&[&args[..], &more].concat());
        let assessed = run.json();
        // The same is concluded from a list of these people, in another order and without the table.
        let people: String =
            ages.iter().enumerate().rev().map(|(person, age)| format!("P{person},{age}\n")).collect();
        dir.write("people.csv", format!("name,age\n{people}")).write(
            "knowledge.toml",
            "job = \"job.toml\"\n[people]\npath = \"people.csv\"\nname = \"name\"\n",
        );
        std::fs::remove_file(dir.path("data.csv")).unwrap();
        let args = ["attack", "release", "--knowledge", "knowledge.toml", "--json", "--people", "listed.csv"];
        let listed = dir.expect(0, &[&args[..], &more].concat()).json();
        for attack in ["minimality", "disclosure-sets"] {
            let (own, original) = (finding(&listed, attack), finding(&assessed, attack));
            assert_eq!((&own["exposed"], &own["notes"]), (&original["exposed"], &original["notes"]));
            assert!(own["right"].is_null(), "{algorithm}: nothing tells who is right");
        }
        // Classes as they are published, by their labels, in the order of the table.
        let text = dir.text("release/data.csv");
        let labels: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        assert_eq!(labels.len(), 8, "{algorithm}: nothing is suppressed");
        let mut classes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        labels.iter().enumerate().for_each(|(person, label)| classes.entry(label).or_default().push(person));
        let mut worlds: Vec<Vec<&str>> = vec![vec![""; 8]];
        for people in classes.values() {
            let ways = orders(people.iter().map(|&person| truth[person]).collect());
            let mut next = Vec::new();
            for world in &worlds {
                for way in &ways {
                    let mut world = world.clone();
                    people.iter().zip(way).for_each(|(&person, value)| world[person] = value);
                    next.push(world);
                }
            }
            worlds = next;
        }
        let (mut left, mut with_hiv) = (0.0, [0.0; 8]);
        for world in &worlds {
            dir.write("data.csv", table(world));
            let run = dir.privet(&["anonymize", "job.toml", "--quiet", "--force", "--output", "other"]);
            if run.code == Some(0) && published("other") == release {
                left += 1.0;
                world
                    .iter()
                    .zip(&mut with_hiv)
                    .for_each(|(value, own)| *own += f64::from(u8::from(*value == "hiv")));
            }
        }
        let notes = finding(&assessed, "disclosure-sets")["notes"].to_string();
        let expected = format!("All {} worlds were gone through; {left} of them lead", worlds.len());
        assert!(notes.contains(&expected), "{algorithm}: {notes}, not {expected}");
        let who = dir.text("who.csv");
        for (person, with) in with_hiv.iter().enumerate() {
            let line =
                who.lines().find(|line| line.starts_with(&format!("{},minimality,", person + 1))).unwrap();
            let (hiv, flu) = (with / left, 1.0 - with / left);
            let told =
                |value: &str, chance: f64| chance == 0.0 || line.contains(&format!("{value} {chance:.4}"));
            assert!(told("hiv", hiv) && told("flu", flu), "{algorithm}: {line}, not {hiv}");
            let listed = dir.text("listed.csv");
            let same =
                listed.lines().find(|line| line.starts_with(&format!("P{person},minimality,"))).unwrap();
            let possible = |line: &str| line.rsplit(',').next().map(str::to_owned);
            assert_eq!(possible(same), possible(line), "{algorithm}");
            // The class is there, and whether the best guess is right.
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells[3].parse::<usize>().unwrap(), classes[labels[person]].len(), "{line}");
            assert_eq!(cells[7], if cells[5] == truth[person] { "yes" } else { "no" }, "{line}");
        }
        assert!(left < worlds.len() as f64, "{algorithm}: what was not published tells something");
    }
}

/// What is led by chance is not run again; with names, records of the original are called by theirs.
#[test]
fn chance_is_not_run_again_and_rows_have_names() {
    let dir = Dir::new();
    dir.write("data.csv", "name,age,d\nAnn,21,flu\nBob,22,flu\nCid,23,cold\nDan,24,hiv\nEve,31,hiv\nFay,32,hiv\nGil,33,cold\nHal,34,flu\n");
    let attack = |algorithm: &str, code: i32| {
        let more = format!("[search]\nalgorithm = \"{algorithm}\"\n");
        let ages = "[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [2, 4, 20], min = 20 }\n";
        let own =
            job(&[], "l-diversity = { kind = \"distinct\", l = 2 }", &format!("{ages}{more}"), "release");
        dir.write("job.toml", own);
        dir.expect(0, &["anonymize", "job.toml", "--quiet", "--force"]);
        dir.write("knowledge.toml", "job = \"job.toml\"\n[people]\npath = \"data.csv\"\nname = \"name\"\n");
        let args = ["attack", "release", "--knowledge", "knowledge.toml", "--original", "job.toml"];
        let more = ["--attacks", "minimality", "--people", "who.csv"];
        dir.expect(code, &[&args[..], &more].concat())
    };
    attack("genetic", 2).says("led by random numbers");
    attack("anatomy", 2).says("drawn by chance");
    // Groups that were formed by closeness may overlap, and then it is not known who is in which.
    attack("top-down-local", 2).says("groups overlap");
    attack("mondrian", 0);
    let who = dir.text("who.csv");
    assert!(who.contains("\nBob,minimality,d,"), "{who}");
}
