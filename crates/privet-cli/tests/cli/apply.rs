//! Reuse: the recoding of a release on new rows, and what makes it refuse.

use crate::dir::Dir;

/// Four people of each age, each of another area.
fn rows(ages: std::ops::Range<usize>) -> String {
    let mut text = "age,postcode,ill\n".to_owned();
    for age in ages {
        for copy in 0..4 {
            let ill = ["flu", "cold", "gout"][(age + copy) % 3];
            text += &format!("{age},{},{ill}\n", 47100 + 100 * copy);
        }
    }
    text
}

fn job(search: &str) -> String {
    format!(
        "[input]\npath = \"old.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = [10, 50], min = 0 }}\n\
         [columns.postcode]\nrole = \"quasi\"\nhierarchy = {{ mask = \"right\" }}\n[columns.ill]\nrole = \"sensitive\"\n\
         [privacy]\nk-anonymity = 4\n[search]\n{search}\n[output]\nhome = \"home\"\n"
    )
}

/// What a column of a release shows, by line.
fn column(text: &str, at: usize) -> Vec<String> {
    text.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().to_owned()).collect()
}

#[test]
fn new_rows_go_where_equal_values_went_and_the_release_verifies() {
    let dir = Dir::new();
    dir.write("old.csv", rows(20..60))
        .write("new.csv", rows(30..75))
        .write("job.toml", job(""))
        .write("few.csv", rows(58..60));
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.expect(0, &["apply", "home/recoding.json", "new.csv", "--output", "again", "--home", "home-again"]);
    dir.expect(0, &["verify", "again"]);
    assert_eq!(dir.json("again/manifest.json")["search"]["algorithm"], "recoding");
    // The same ages have the same labels in both.
    let labels = |input: &str, release: &str| {
        let (values, labels) = (column(&dir.text(input), 0), column(&dir.text(release), 0));
        assert_eq!(values.len(), labels.len());
        values.into_iter().zip(labels).collect::<std::collections::BTreeMap<_, _>>()
    };
    let (old, new) = (labels("old.csv", "release/data.csv"), labels("new.csv", "again/data.csv"));
    assert!((30..60).all(|age: i32| old[&age.to_string()] == new[&age.to_string()]));
    assert_ne!(new["30"], "30");
    // Its own recoding is the same one.
    let columns = |home: &str| dir.json(&format!("{home}/recoding.json"))["columns"][0]["to"].clone();
    assert_eq!(columns("home"), columns("home-again"));
    // Four people of one age, of several postcodes: the promise fails, and the reason is told.
    let said = dir.expect(1, &["apply", "home/recoding.json", "few.csv", "--output", "third"]);
    said.says("k-anonymity fails in");
    assert!(!dir.path("third").exists());
}

#[test]
fn cuts_take_values_that_they_have_not_seen_to_the_group_above() {
    let dir = Dir::new();
    let search = "algorithm = \"top-down-specialization\"\nclass = \"ill\"";
    dir.write("old.csv", rows(20..60)).write("new.csv", rows(15..90)).write("job.toml", job(search));
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.expect(0, &["apply", "home/recoding.json", "new.csv", "--set", "search.suppress-at-most=0.2"]);
    dir.expect(0, &["verify", "release-of-new-rows"]);
}

#[test]
fn a_hierarchy_that_changed_is_refused() {
    let dir = Dir::new();
    let tree = |name: &str| (0..100).map(|age| format!("{age};{name} {};*\n", age / 10)).collect::<String>();
    let of_file = job("").replace("{ intervals = [10, 50], min = 0 }", "\"tree.csv\"");
    dir.write("old.csv", rows(20..60))
        .write("new.csv", rows(40..99))
        .write("job.toml", of_file)
        .write("tree.csv", tree("decade"));
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.expect(0, &["apply", "home/recoding.json", "new.csv", "--output", "fits"]);
    dir.write("tree.csv", tree("ten"));
    dir.expect(2, &["apply", "home/recoding.json", "new.csv"]).says("20 values that both tables hold");
    dir.write("no.json", "{}");
    dir.expect(2, &["apply", "no.json", "new.csv"]).says("is no recoding");
    dir.expect(2, &["anonymize", "job.toml", "--force", "--set", "search.algorithm=recoding"])
        .says("privet apply");
}

/// Two releases that are diverse alone: the second is refused, and nothing is remembered of it.
#[test]
fn a_history_refuses_what_releases_tell_together() {
    let dir = Dir::new();
    // By age alone: tens in the first release, those from 5 to 14 and so on in the second.
    let rows = |shift: usize| {
        let ill = |age: usize| {
            ["flu", "cold", "gout", "ague", "mumps", "croup", "cough", "fever"][(age / 5 + shift) % 8]
        };
        let line = |age: usize| format!("{age},{}\n", ill(age));
        (0..80).flat_map(|age| std::iter::repeat_n(line(age), 3)).collect::<String>()
    };
    let job = |min: usize| {
        format!(
            "[input]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = [10, 20], min = {min} }}\n[columns.ill]\n\
             role = \"sensitive\"\n[privacy]\nk-anonymity = 20\nl-diversity = {{ kind = \"distinct\", l = 2 }}\n[search]\nsuppress-at-most = 0.2\n[history]\n\
             [output]\nfolder = \"release-{min}\"\nhome = \"home\"\n"
        )
    };
    dir.write("data.csv", format!("age,ill\n{}", rows(0))).write("a.toml", job(0)).write("b.toml", job(5));
    dir.expect(0, &["anonymize", "a.toml"]);
    // A recoding without --home, or with another one, was compared with no earlier release.
    dir.write("shifted.csv", format!("age,ill\n{}", rows(1)));
    let apply = ["apply", "home/recoding.json", "shifted.csv", "--output", "applied"];
    dir.expect(1, &apply).says("together with earlier releases");
    dir.expect(2, &[&apply[..], &["--home", "elsewhere"]].concat()).says("beside the recoding");
    assert!(!dir.path("applied").exists() && !dir.path("elsewhere").exists());
    dir.expect(0, &["apply", "home/recoding.json", "data.csv", "--output", "applied", "--home", "home"]);
    assert_eq!(dir.json("home/history.json")["releases"].as_array().map(Vec::len), Some(2));
    let before = dir.bytes("home/history.json");
    dir.expect(1, &["anonymize", "b.toml"]).says("together with earlier releases");
    assert!(!dir.path("release-5").exists() && dir.bytes("home/history.json") == before);
    // The same recoding again tells nothing more, and what the steward accepts goes through.
    dir.expect(0, &["anonymize", "a.toml", "--output", "again", "--set", "history.continues=true"]);
    dir.expect(0, &["verify", "again"]);
    dir.expect(0, &["anonymize", "b.toml", "--set", "history.max-risk=1"]);
    assert_eq!(dir.json("home/history.json")["releases"].as_array().map(Vec::len), Some(4));
    dir.expect(0, &["history", "home"]).prints("4. generalized");
    dir.expect(2, &["history", "release-0"]).says("no history");
    // Private answers about the same table are in the same list, without being told where.
    dir.expect(0, &["ledger", "open", "data.csv", "--epsilon", "1", "--quiet"]);
    dir.expect(0, &["query", "data.csv", "select count(*) from data", "--epsilon", "0.25", "--quiet"]);
    dir.expect(0, &["history", "home"]).prints("Private answers about data.csv");
    let told = dir.expect(0, &["history", "home", "--json"]).json();
    assert_eq!(told["answers"][0]["entries"].as_array().map(Vec::len), Some(2), "{told:#}");
    dir.write("home/history.json", "{}");
    dir.expect(2, &["anonymize", "a.toml", "--force"]).says("is no history");
}

/// A noisy release of a search log that charged a ledger stands in the list of the owner's folder, and so does the ledger.
#[test]
fn noisy_releases_stand_in_the_same_list() {
    let dir = Dir::new();
    let rows: String = (0..400).map(|user| format!("u{user},topic {}\n", user % 2)).collect();
    dir.write("log.csv", format!("user,query\n{rows}")).write(
        "job.toml",
        "kind = \"sets\"\n[input]\npath = \"log.csv\"\nform = \"log\"\nperson = \"user\"\nquery = \"query\"\n[sets]\nmethod = \"zealous\"\n\
         epsilon = \"1\"\ndelta = \"1e-6\"\npeople = 5\nledger = \"searches.ledger\"\naccount = \"searches\"\n[output]\nfolder = \"release\"\n\
         home = \"home\"\nreplace = true\n",
    );
    let open =
        ["ledger", "open", "log.csv", "--ledger", "searches.ledger", "--account", "searches", "--unsigned"];
    dir.expect(0, &[&open[..], &["--epsilon", "2", "--delta", "1e-5", "--quiet"]].concat());
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.expect(0, &["history", "home"]).prints("1. sets, noisy").prints("searches in searches.ledger");
    dir.expect(0, &["anonymize", "job.toml"]);
    let told = dir.expect(0, &["history", "home", "--json"]).json();
    assert_eq!(told["releases"].as_array().map(Vec::len), Some(2), "{told:#}");
    // The opening of the account and two charges, listed once.
    assert_eq!(told["answers"].as_array().map(Vec::len), Some(1), "{told:#}");
    assert_eq!(told["answers"][0]["entries"].as_array().map(Vec::len), Some(3), "{told:#}");
    dir.expect(3, &["anonymize", "job.toml"]);
}
