//! Where things are: relative paths, overrides, names that are not plain, places that cannot be written.

use std::os::unix::fs::PermissionsExt;

use crate::dir::Dir;
use crate::people;

#[test]
fn paths_of_a_job_are_relative_to_its_folder_and_flags_to_the_caller() {
    let dir = Dir::new();
    dir.write("in/data/people.csv", people::table(60, 1))
        .write("in/job.toml", people::job("k-anonymity = 2", "").replace("people.csv", "data/people.csv"))
        .write("elsewhere/x", "")
        .write("other.csv", people::table(40, 2));
    dir.expect(0, &["anonymize", "in/job.toml"]).prints("in/release");
    dir.expect(0, &["verify", "in/release"]);
    let mut command = dir.command(&["anonymize", "../in/job.toml", "--output", "here", "--json"]);
    let output = command.current_dir(dir.path("elsewhere")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(dir.names("elsewhere/here"), ["data.csv", "manifest.json", "report.html", "report.json"]);
    assert!(dir.files("elsewhere/here") == dir.files("in/release"));
    let input = ["anonymize", "in/job.toml", "--input", "other.csv", "--output", "o", "--json"];
    assert_eq!(dir.expect(0, &input).json()["rows"].as_u64(), Some(40));
    assert_eq!(dir.names("."), ["elsewhere", "in", "o", "other.csv"]);
}

#[test]
fn keys_are_set_from_the_command_line() {
    let dir = people::dir(200, "k-anonymity = 2", "");
    let set = |settings: &[&str]| {
        let mut args = vec!["anonymize", "job.toml", "--force", "--json"];
        settings.iter().for_each(|setting| args.extend(["--set", setting]));
        dir.privet(&args)
    };
    let k = |settings: &[&str]| set(settings).expect(0).json()["min_class_size"].as_u64().unwrap();
    assert!(k(&["privacy.k-anonymity=20"]) >= 20);
    assert!(k(&["privacy.k-anonymity = 20", "privacy.k-anonymity=30"]) >= 30, "the last one counts");
    assert!(k(&["privacy.k-anonymity={ k = 25 }"]) >= 25);
    let suppressed = set(&["search.suppress-at-most=0.1", "privacy.k-anonymity=5"]).expect(0).json();
    assert!((1..=20).contains(&suppressed["suppressed"].as_u64().unwrap()), "{suppressed}");
    assert_eq!(set(&["search.minimize=height"]).expect(0).json()["metric"].as_str(), Some("height"));
    set(&["columns.\"age\".hierarchy={ intervals = [10] }"]).expect(0);
    assert!(set(&["columns.sex.role=identifier"]).expect(0).json()["levels"].get("sex").is_none());
    set(&["nonsense"]).expect(2).says("KEY=VALUE");
    set(&["=1"]).expect(2).says("--set");
    set(&["a..b=1"]).expect(2).says("--set");
    set(&["search.minimise=loss"]).expect(2).says("minimise").says("minimize");
    set(&["input.path.x=1"]).expect(2).says("not a table");
    set(&["privacy.k-anonymity="]).expect(2).says("whole number");
    set(&["search=3"]).expect(2);
}

#[test]
fn folders_are_made_and_names_need_not_be_plain() {
    let dir = Dir::new();
    let folder = "größere Daten/år 2024 (neu)";
    dir.write(&format!("{folder}/people.csv"), people::table(60, 1));
    let job = people::job("k-anonymity = 2", "") + "[output]\nfolder = \"a/b c/вывод\"\n";
    dir.write(&format!("{folder}/my job.toml"), job);
    dir.expect(0, &["anonymize", &format!("{folder}/my job.toml")]).prints("вывод");
    dir.expect(0, &["verify", &format!("{folder}/a/b c/вывод")]);
    dir.expect(0, &["anonymize", &format!("{folder}/my job.toml"), "--output", "new/deep/er"]);
    dir.expect(0, &["verify", "new/deep/er/"]);
    assert_eq!(dir.names("new/deep"), ["er"]);
    dir.expect(0, &["init", &format!("{folder}/people.csv"), "--output", &format!("{folder}/x/first.toml")]);
    assert!(dir.text(&format!("{folder}/x/first.toml")).contains("../people.csv"));
}

#[test]
fn columns_need_not_have_plain_names() {
    let dir = Dir::new();
    dir.write("t.csv", "\"marital status\",\"a.b\",\"ü,\"\"q\"\"\",x\nm,1,p,9\nm,1,q,9\ns,2,p,9\ns,2,q,9\n");
    dir.expect(0, &["init", "t.csv", "--quiet"]);
    let job = "[input]\npath = \"t.csv\"\n[columns.\"marital status\"]\nrole = \"quasi\"\n\
               [columns.\"a.b\"]\nrole = \"quasi\"\n[columns.'ü,\"q\"']\nrole = \"sensitive\"\n\
               [privacy]\nl-diversity = 2\n";
    dir.write("own.toml", job);
    dir.expect(0, &["anonymize", "own.toml"]);
    let expected = "\"marital status\",\"a.b\",\"ü,\"\"q\"\"\"\nm,1,p\nm,1,q\ns,2,p\ns,2,q\n";
    assert_eq!(dir.text("release/data.csv"), expected);
    dir.expect(0, &["verify", "release"]);
}

#[test]
fn a_place_that_cannot_be_written_is_a_lack_of_resources() {
    let dir = people::dir(60, "k-anonymity = 2", "");
    dir.write("file", "x");
    dir.expect(4, &["anonymize", "job.toml", "--output", "file/release"]).says("file");
    dir.expect(4, &["demo", "--rows", "10", "--folder", "file/demo"]).says("file/demo");
    dir.expect(4, &["init", "people.csv", "--output", "file/job.toml"]).says("file/job.toml");

    std::fs::create_dir(dir.path("locked")).unwrap();
    std::fs::set_permissions(dir.path("locked"), std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(dir.path("locked/probe"), "").is_ok() {
        println!("skipped: this user may write into folders that are locked");
        return;
    }
    dir.expect(4, &["anonymize", "job.toml", "--output", "locked/release"]).says("locked");
    assert!(dir.names("locked").is_empty());
}

/// `--force` replaces a release, not what somebody put beside its files.
#[test]
fn files_that_privet_did_not_write_are_never_lost() {
    let dir = people::dir(60, "k-anonymity = 2", "");
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.write("release/notes.txt", "keep me");
    let before = dir.files("release");
    dir.expect(2, &["anonymize", "job.toml", "--force"]).says("holds 1 files besides its release");
    assert!(before == dir.files("release"));
    std::fs::remove_file(dir.path("release/notes.txt")).unwrap();
    dir.expect(0, &["anonymize", "job.toml", "--force"]);
}

#[test]
fn more_threads_than_a_machine_has_are_refused() {
    let dir = people::dir(60, "k-anonymity = 2", "");
    for threads in ["0", "513", "100000"] {
        dir.expect(2, &["anonymize", "job.toml", "--threads", threads]).says("--threads");
    }
}

/// A file whose name tells nothing, with a header that looks like a record: `init` takes what it is told and writes it
/// into the job.
#[test]
fn init_is_told_what_it_cannot_find_out() {
    let dir = Dir::new();
    let rows: String = (0..50).map(|i| format!("'{}';'{}'\n", 1000 + i % 7, 20 + i % 9)).collect();
    dir.write("people.data", format!("'1';'2'\n{rows}"));
    dir.expect(2, &["init", "people.data"]).says("format");
    dir.expect(2, &["init", "people.data", "--format", "xls"]);
    dir.expect(2, &["init", "people.data", "--format", "csv", "--quote", "ü"]).says("--quote");
    dir.expect(0, &["init", "people.data", "--format", "csv", "--quote", "'", "--header"]);
    let job = dir.text("job.toml");
    for line in ["format = \"csv\"", "quote = \"'\"", "header = true"] {
        assert!(job.contains(line), "{line} is not in {job}");
    }
    dir.expect(0, &["anonymize", "job.toml", "--set", "privacy.k-anonymity=2", "--force"]);
}
