//! `privet mine`: models from job to prediction, and rules that are hidden.

use crate::dir::Dir;

const JOB: &str = "\
kind = \"model\"

[input]
path = \"loans.csv\"
public = [\"gender\", \"married\", \"age\"]
class = \"risk\"

[model]
type = \"tree\"
k = 3
records = true

[output]
folder = \"release\"
";

/// FX-F1 without the car.
fn bank() -> Dir {
    let dir = Dir::new();
    let loans = "gender,married,age,risk\n\
        Male,Yes,Young,Good\nMale,Yes,Young,Good\nMale,Yes,Young,Good\nMale,Yes,Old,Good\nMale,Yes,Old,Bad\nMale,No,Old,Bad\n\
        Female,No,Young,Good\nFemale,No,Old,Good\nFemale,No,Young,Bad\nFemale,Yes,Young,Bad\nFemale,Yes,Young,Bad\nFemale,Yes,Young,Bad\n";
    dir.write("loans.csv", loans).write("job.toml", JOB);
    dir
}

#[test]
fn models_are_made_used_checked_and_linked() {
    let dir = bank();
    dir.expect(0, &["mine", "make", "job.toml"]).prints("links no private value to fewer than 3 people");
    dir.expect(0, &["verify", "release"]);
    dir.write("people.csv", "name,gender,married,age\n\"Ann, a\",Female,Yes,Old\nBob,Male,No,Young\n");
    let said = dir.expect(0, &["mine", "predict", "release", "people.csv", "--output", "said.csv"]);
    said.prints("2 records predicted");
    let expected =
        "name,gender,married,age,prediction\n\"Ann, a\",Female,Yes,Old,Bad\nBob,Male,No,Young,Good\n";
    assert_eq!(dir.text("said.csv"), expected);
    dir.expect(2, &["mine", "predict", "release", "people.csv", "--output", "said.csv"])
        .says("is there already");
    dir.expect(0, &["mine", "check", "release", "-k", "3"]).prints("3-anonymous");
    dir.expect(1, &["mine", "check", "release/model.json", "-k", "4"]).prints("not 4-anonymous: 4 spans");
    dir.expect(2, &["mine", "check", "release", "-k", "13"]).says("from 1 to 12");
    let linked = dir.expect(0, &["mine", "link", "release", "people.csv", "--json"]).json();
    assert_eq!((linked[0]["people"].as_u64(), linked[0]["likely"].as_str()), (Some(3), Some("Bad")));
    dir.write("short.csv", "gender\nMale\n");
    dir.expect(2, &["mine", "link", "release", "short.csv"]).says("no column married");
    // A changed release is not used.
    let model = dir.text("release/model.json");
    dir.write("release/model.json", model.replacen("\"Male\"", "\"Mule\"", 1));
    dir.expect(2, &["mine", "predict", "release", "people.csv"]);
}

#[test]
fn bad_jobs_leave_nothing() {
    for (from, to, says) in [
        ("k = 3", "k = 13", "12 records"),
        ("class = \"risk\"", "class = \"gender\"", "more than once"),
        ("kind = \"model\"", "kind = \"graph\"", "is no job about a model"),
        ("type = \"tree\"", "type = \"bush\"", "model"),
    ] {
        let dir = bank();
        dir.write("job.toml", JOB.replacen(from, to, 1));
        dir.expect(2, &["mine", "make", "job.toml"]).says(says);
        assert_eq!(dir.names("."), ["job.toml", "loans.csv"], "{to}");
    }
    let dir = bank();
    dir.write(
        "loans.csv",
        "gender,married,age,risk\nMale,Yes,Old,Good\nMale,No,Old,Good\nMale,No,Young,Good\n",
    );
    dir.expect(2, &["mine", "make", "job.toml"]).says("one value");
}

/// FX-T8: the supports of frequent patterns tell of two baskets with a and c and without b.
#[test]
fn patterns_are_published_without_channels() {
    let dir = Dir::new();
    dir.write("baskets.txt", "a b c\na b d\na b c\na c d\nb c d\na b c d\na c\nb d\n");
    let asked = ["mine", "patterns", "baskets.txt", "--support", "3", "-k", "3", "--output"];
    dir.expect(0, &[&asked[..], &["less.csv"]].concat()).prints("none follows any more");
    assert!(
        dir.text("less.csv").starts_with("pattern,support\n,8\n") && !dir.text("less.csv").contains("a b c")
    );
    let more = dir.expect(0, &[&asked[..], &["more.csv", "--close", "add", "--json"]].concat()).json();
    assert_eq!((more["frequent"].as_u64(), more["fewest"].as_u64()), (Some(11), Some(1)));
    assert!(dir.text("more.csv").contains("a b c,"));
    dir.expect(2, &["mine", "patterns", "baskets.txt", "--support", "3", "-k", "4", "--output", "no.csv"])
        .says("k may be from 2 to 3");
    assert_eq!(dir.names("."), ["baskets.txt", "less.csv", "more.csv"]);
}

/// FX-T8.
#[test]
fn rules_are_hidden() {
    let dir = Dir::new();
    dir.write("baskets.txt", "a b c\na b d\na b c\na c d\nb c d\na b c d\na c\nb d\n");
    let hide = |rule: &str, method: &str, output: &str, code: i32| {
        let asked = ["mine", "hide", "baskets.txt", "--rule", rule, "--support", "3", "--method", method];
        dir.expect(code, &[&asked[..], &["--confidence", "0.01", "--output", output]].concat())
    };
    hide("a, b", "exact-items", "shared.txt", 0).prints("lost rules 0.00 %");
    assert_eq!(dir.text("shared.txt").lines().filter(|line| line.starts_with("a b")).count(), 2);
    hide("a, b", "border", "shared.txt", 2).says("is there already");
    hide("a, z", "iga", "other.txt", 2).says("no basket holds");
    hide("a, b, d", "iga", "other.txt", 2).says("rule 1");
    hide("a, b", "magic", "other.txt", 2).says("max-fia");
    assert_eq!(dir.names("."), ["baskets.txt", "shared.txt"]);
}
