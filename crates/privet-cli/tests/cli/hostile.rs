//! Hostile or broken input, and a system that gives no more: refused in time, with the right exit code, and nothing lost.

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use privet_data::io::{Dialect, Format, View, ViewColumn, write};
use privet_data::{Cells, Column, Domain, Silent};

use crate::dir::{Dir, Run};
use crate::people;

/// Runs the program and fails when it does not end by itself.
#[track_caller]
fn in_time(dir: &Dir, args: &[&str]) -> Run {
    let mut child = dir.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("privet {} does not end", args.join(" "));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Run::of(child.wait_with_output().unwrap(), &args.join(" "))
}

/// The program under a limit of the shell, such as `ulimit -f 1`.
fn limited(dir: &Dir, limit: &str, args: &[&str]) -> Run {
    let program = dir.command(&[]).get_program().to_owned();
    let output = Command::new("sh")
        .args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")])
        .arg(program)
        .args(args)
        .current_dir(dir.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Run::of(output, &args.join(" "))
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_name_of_65536_characters_is_a_column_like_any_other() {
    let dir = Dir::new();
    dir.write("t.csv", format!("{},age\nx,30\ny,31\n", "n".repeat(65_536)));
    dir.expect(0, &["init", "t.csv"]).prints("age");
}

#[test]
fn escape_sequences_of_names_do_not_reach_the_terminal() {
    let dir = Dir::new();
    dir.write("t.csv", "a\u{1b}[2Jb,c\u{9b}d\n1,2\n3,4\n");
    let run = dir.expect(0, &["init", "t.csv"]).prints("a\\u001b[2Jb").prints("c\\u009bd");
    assert!(!run.out.contains(['\u{1b}', '\u{9b}']));
    let run = dir.expect(0, &["init", "t.csv", "--json", "--force"]);
    assert_eq!(run.json()["columns"][1]["name"], "c\u{9b}d");
    let run = dir.expect(2, &["anonymize", "job\u{1b}]0;x.toml"]);
    assert!(!run.err.contains('\u{1b}'), "{run:?}");
}

#[test]
#[cfg(unix)]
fn a_pipe_or_device_in_a_release_is_refused_at_once() {
    let verbs: [&[&str]; 5] = [
        &["verify", "release"],
        &["attack", "release"],
        &["measure", "job.toml", "release"],
        &["answer", "release", "select count(*) from data"],
        &["unfold", "release", "--leaf-sample", "-o", "u.csv"],
    ];
    for name in ["data.csv", "manifest.json", "manifest.sig", "report.html", "report.json"] {
        for device in [false, true] {
            let dir = people::dir(100, "k-anonymity = 2", "");
            dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
            let path = dir.path(format!("release/{name}"));
            if path.exists() {
                std::fs::remove_file(&path).unwrap();
            }
            match device {
                true => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
                false => pipe(&path),
            }
            for args in verbs {
                let code = in_time(&dir, args).code;
                // A release whose table is gone does not hold.
                let refused = code == Some(2) || (code == Some(1) && args[0] == "verify");
                // Only who verifies looks at signatures and pages.
                let is_read = args[0] == "verify" || ["data.csv", "manifest.json"].contains(&name);
                assert!(refused || (!is_read && code == Some(0)), "{name}, {args:?}: {code:?}");
            }
            // Neither is it replaced: what stands there may be anything.
            if name == "manifest.json" {
                in_time(&dir, &["anonymize", "job.toml", "--force"]).expect(2);
            }
        }
    }
}

/// What an owner names is a plain file as well: a pipe would be waited for, and a device has no end.
#[test]
#[cfg(unix)]
fn a_pipe_or_device_for_a_job_or_a_list_is_refused_at_once() {
    let dir = people::dir(100, "k-anonymity = 2", "");
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    pipe(&dir.path("pipe"));
    for file in ["pipe", "/dev/zero"] {
        let hierarchy = format!("columns.age.hierarchy=\"{file}\"");
        let verbs: [&[&str]; 7] = [
            &["anonymize", file],
            &["party", file, "--as", "north"],
            &["attack", "release", "--original", "job.toml", "--knowledge", file],
            &["measure", "job.toml", "release", "--queries", file],
            &["anonymize", "job.toml", "-o", "other", "--set", &hierarchy],
            &["randomize", "people.csv", "--model", file, "-o", "r.csv"],
            &["judge", file],
        ];
        for args in verbs {
            in_time(&dir, args).expect(2);
        }
        assert!(!dir.path("other").exists() && !dir.path("r.csv").exists());
    }
}

#[test]
fn a_file_far_larger_than_its_manifest_says_is_not_read() {
    let dir = people::dir(100, "k-anonymity = 2", "");
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    // A terabyte that takes no place.
    let file = std::fs::OpenOptions::new().write(true).open(dir.path("release/data.csv")).unwrap();
    if file.set_len(1 << 40).is_err() {
        return;
    }
    assert_ne!(in_time(&dir, &["verify", "release"]).code, Some(0));
    in_time(&dir, &["attack", "release"]).expect(2);
}

#[test]
#[cfg(unix)]
fn sigterm_ends_a_verb_that_waits_for_ever() {
    let dir = people::dir(50, "k-anonymity = 2", "");
    pipe(&dir.path("pipe.csv"));
    dir.write("pipe.toml", people::job("k-anonymity = 2", "").replace("people.csv", "pipe.csv"));
    let verbs: [&[&str]; 3] = [
        &["init", "pipe.csv", "-o", "new.toml"],
        &["anonymize", "pipe.toml"],
        &["condense", "pipe.csv", "-k", "2", "-o", "c.csv"],
    ];
    for args in verbs {
        let mut child = dir.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(300));
        assert!(child.try_wait().unwrap().is_none(), "{args:?} does not wait");
        let begun = Instant::now();
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
        let status: ExitStatus = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None if begun.elapsed() > Duration::from_secs(10) => {
                    child.kill().unwrap();
                    panic!("{args:?} goes on");
                }
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        assert_eq!(status.code(), Some(130), "{args:?}");
        assert_eq!(dir.names("."), ["job.toml", "people.csv", "pipe.csv", "pipe.toml"], "{args:?}");
    }
}

#[test]
fn a_small_file_that_holds_a_large_table_ends_for_want_of_resources() {
    let dir = Dir::new();
    let (domain, _) = Domain::canonical(vec!["x".into()], |_| false);
    let rows = 1_000_000;
    let column = Column { name: "a".into(), codes: vec![0; rows], domain, cells: Cells::Plain };
    let view = View { columns: vec![ViewColumn::unchanged(&column)], rows, kept: None };
    let mut bytes = Vec::new();
    write(&mut bytes, &view, Format::Parquet, &Dialect::default(), &Silent).unwrap();
    assert!(bytes.len() < 20_000);
    dir.write("t.parquet", bytes);
    dir.expect(4, &["init", "t.parquet", "--max-input", "1MB"]).says("takes 4.0 MB").says("--max-input");
    dir.expect(2, &["init", "t.parquet", "--max-input", "some"]).says("512MB");
    dir.expect(0, &["init", "t.parquet", "--max-input", "5MB", "--quiet"]);
    // A column of one value is guessed to be insensitive, and a job needs one that is not.
    let anonymize =
        |set: &str| dir.privet(&["anonymize", "job.toml", "--set", "columns.a.role=\"quasi\"", "--set", set]);
    anonymize("input.max-input=\"1MB\"").expect(4).says("takes 4.0 MB");
    anonymize("input.max-input=\"1\"").expect(2).says("512MB");
}

#[test]
#[cfg(target_os = "linux")]
fn memory_that_cannot_be_had_is_a_lack_of_resources_and_no_abort() {
    let dir = Dir::new();
    let mut text = String::from("a,b\n");
    (0..400_000).for_each(|row| text.push_str(&format!("value {row},a longer text for {row}\n")));
    dir.write("t.csv", text);
    let args = ["init", "t.csv", "--header", "--threads", "1", "--max-input", "1TB"];
    // The system kills a program that does not even fit itself, which no allocator can tell: builds differ in what they take.
    let starts = |kilobytes: &u32| {
        let limit = format!("ulimit -v {kilobytes}; exec \"$0\" --version");
        let mut shell = Command::new("sh");
        shell.args(["-c", &limit]).arg(dir.command(&[]).get_program()).stdin(Stdio::null());
        shell.output().unwrap().status.success()
    };
    let least = (1..100u32).map(|step| step * 10_000).find(starts).unwrap();
    for more in [20_000, 40_000, 60_000] {
        limited(&dir, &format!("ulimit -v {}", least + more), &args)
            .expect(4)
            .says("memory does not suffice");
    }
    dir.expect(0, &["init", "t.csv", "--header", "--threads", "1", "--quiet"]);
}

/// A file that may not grow is the nearest to a full disk that needs no privileges; it used to be bad input, or a signal.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_lack_of_resources_wherever_it_is_met() {
    let dir = people::dir(3_000, "k-anonymity = 2", "");
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir.write("n.csv", (0..3_000).fold("x,y\n".to_owned(), |text, i| format!("{text}{i},{}\n", i * 7 % 100)));
    let names = dir.names(".");
    let verbs: [&[&str]; 7] = [
        &["anonymize", "job.toml", "-o", "other"],
        &["anonymize", "job.toml", "-o", "other", "--home", "home"],
        &["measure", "job.toml", "release", "--risk-file", "risk.csv"],
        &["measure", "job.toml", "release", "--report", "m.html"],
        &["attack", "release", "--original", "job.toml", "--report", "a.html"],
        &["unfold", "release", "--leaf-sample", "-o", "u.csv"],
        &["condense", "n.csv", "-k", "20", "-o", "c.csv"],
    ];
    for args in verbs {
        limited(&dir, "ulimit -f 8", args).expect(4);
        assert_eq!(dir.names("."), names, "{args:?}");
    }
    limited(&dir, "ulimit -f 8", &["demo", "--folder", "demo"]).expect(4);
}

/// Item 7: readers of columns panicked on one changed byte in thirty, and two files ended the process.
#[test]
fn a_damaged_file_of_columns_is_bad_input_and_no_panic() {
    let dir = Dir::new();
    let (domain, codes) =
        Domain::canonical((0..50).map(|n| format!("value {n}").into()).collect(), |_| false);
    let column = Column { name: "a".into(), codes, domain, cells: Cells::Plain };
    let view = View { columns: vec![ViewColumn::unchanged(&column)], rows: 50, kept: None };
    let mut random = people::Random(7);
    for (format, name) in [(Format::Parquet, "t.parquet"), (Format::Arrow, "t.arrow")] {
        let mut whole = Vec::new();
        write(&mut whole, &view, format, &Dialect::default(), &Silent).unwrap();
        for _ in 0..40 {
            let mut bytes = whole.clone();
            // Where lengths and metadata stand: near the beginning and the end.
            let near = random.below(200.min(whole.len() as u64)) as usize;
            let at = if random.below(2) == 0 { near } else { whole.len() - 1 - near };
            bytes[at] ^= 1 << random.below(8);
            dir.write(name, bytes);
            let run = in_time(&dir, &["init", name, "-o", "new.toml", "--force", "--quiet"]);
            assert!(matches!(run.code, Some(0 | 2 | 4)), "{name}, byte {at}: {run:?}");
            assert!(!run.err.contains("panicked"), "{name}, byte {at}: {run:?}");
        }
    }
}

#[test]
fn a_weight_that_sums_cannot_hold_is_bad_input() {
    let dir = people::dir(100, "k-anonymity = 2", "");
    for weight in ["1e308", "1e10", "inf", "nan", "-1"] {
        let set = format!("columns.age.weight={weight}");
        dir.expect(2, &["anonymize", "job.toml", "--set", &set])
            .says("`columns.age.weight` must be a number from 0 to 1e9");
    }
    dir.expect(0, &["anonymize", "job.toml", "--set", "columns.age.weight=1e9", "--quiet"]);
}

#[test]
fn what_is_read_is_never_written_over() {
    let dir = people::dir(100, "k-anonymity = 2", "");
    let table = dir.bytes("people.csv");
    let job = dir.bytes("job.toml");
    dir.write("hierarchies/age.csv", "age,sex\n30,f\n31,m\n32,f\n");
    let hierarchy = dir.bytes("hierarchies/age.csv");
    let mut verbs: Vec<Vec<&str>> = vec![
        vec!["init", "people.csv", "-o", "people.csv", "--force"],
        vec!["init", "people.csv", "-o", "./hierarchies/../people.csv", "--force"],
        vec!["condense", "people.csv", "-k", "2", "--stream", "-o", "people.csv", "--force"],
        vec!["anonymize", "job.toml", "-o", ".", "--force"],
    ];
    #[cfg(unix)]
    {
        std::fs::hard_link(dir.path("people.csv"), dir.path("hard.csv")).unwrap();
        std::os::unix::fs::symlink("people.csv", dir.path("soft.csv")).unwrap();
        verbs.push(vec!["init", "people.csv", "-o", "hard.csv", "--force"]);
        verbs.push(vec!["init", "people.csv", "-o", "soft.csv", "--force"]);
        verbs.push(vec!["condense", "people.csv", "-k", "2", "--stream", "-o", "hard.csv", "--force"]);
    }
    for args in verbs {
        dir.expect(2, &args).says("would be lost");
        assert!(dir.bytes("people.csv") == table && dir.bytes("job.toml") == job, "{args:?}");
    }
    // The hierarchy that `init` would write lies where the table does.
    let again = dir.privet(&["init", "hierarchies/age.csv", "--force"]);
    assert!(dir.bytes("hierarchies/age.csv") == hierarchy, "{again:?}");
}

#[test]
fn what_randomize_reads_is_never_written_over() {
    let dir = Dir::new();
    dir.write("t.csv", "smokes,age\nyes,30\nno,31\n");
    dir.write(
        "r.toml",
        "[input]\npath = \"t.csv\"\n[columns.smokes]\nrole = \"sensitive\"\nvalues = [\"yes\", \"no\"]\n\
         perturb = { response = \"warner\", p = 0.8 }\n[columns.age]\nrole = \"insensitive\"\n",
    );
    dir.expect(0, &["randomize", "r.toml", "--model-only", "-o", "model.json", "--quiet"]);
    let before = dir.files(".");
    let verbs: [&[&str]; 5] = [
        &["randomize", "t.csv", "--model", "model.json", "-o", "t.csv", "--force"],
        &["randomize", "t.csv", "--model", "model.json", "-o", "model.json", "--force"],
        &["randomize", "r.toml", "--model-only", "-o", "r.toml", "--force"],
        &["randomize", "r.toml", "--model-only", "-o", "t.csv", "--force"],
        &["randomize", "r.toml", "-o", ".", "--force"],
    ];
    for args in verbs {
        dir.expect(2, args).says("would be lost");
        assert!(dir.files(".") == before, "{args:?}");
    }
}

#[test]
#[cfg(unix)]
fn a_draft_is_for_its_owner_until_it_is_published() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| std::fs::symlink_metadata(path).map(|found| found.permissions().mode() & 0o777);
    let dir = people::dir(20_000, "k-anonymity = 5", "suppress-at-most = 0.02");
    let mut child = dir.command(&["anonymize", "job.toml", "--quiet"]).stderr(Stdio::null()).spawn().unwrap();
    let mut looked = 0;
    while child.try_wait().unwrap().is_none() {
        for name in dir.names(".").into_iter().filter(|name| name.starts_with(".release.partial")) {
            let folder = dir.path(&name);
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let found = mode(&folder.join(entry.file_name()));
                // It may have been published in between.
                if found.is_ok_and(|found| found != 0o600) && folder.exists() {
                    // In this order: in between it may get its name.
                    assert!(folder.join("manifest.json").exists() || dir.path("release").exists());
                }
                looked += 1;
            }
        }
    }
    assert!(child.wait().unwrap().success());
    assert!(looked > 0, "no draft was seen");
    dir.write("usual/file", "");
    assert_eq!(mode(&dir.path("release")).unwrap(), mode(&dir.path("usual")).unwrap());
    for name in dir.names("release") {
        let path = dir.path(format!("release/{name}"));
        assert_eq!(mode(&path).unwrap(), mode(&dir.path("usual/file")).unwrap(), "{name}");
    }
    assert!(!dir.names("release").iter().any(|name| name.starts_with('.')));
}

#[test]
#[cfg(target_os = "linux")]
fn drafts_of_killed_runs_are_removed_and_nothing_else() {
    let dir = people::dir(20_000, "k-anonymity = 5", "suppress-at-most = 0.02");
    let is_draft = |name: &String| name.starts_with(".release.partial");
    for _ in 0..50 {
        let mut child = dir
            .command(&["anonymize", "job.toml"])
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while !dir.names(".").iter().any(is_draft) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if dir.names(".").iter().any(is_draft) {
            break;
        }
        let _ = std::fs::remove_dir_all(dir.path("release"));
    }
    let left = dir.names(".").into_iter().find(is_draft).expect("a killed run leaves a draft");
    // Somebody else's, by the same name.
    dir.write(".films.partial-4194999-0/film.part", "x");
    dir.expect(0, &["clean", "--dry-run"])
        .prints(&format!("removed   ./{left}"))
        .prints("foreign   ./.films");
    assert!(dir.names(".").contains(&left));
    let run = dir.expect(0, &["clean", "--json"]);
    assert_eq!(run.json()["found"].as_array().unwrap().len(), 2);
    assert_eq!(dir.names("."), [".films.partial-4194999-0", "job.toml", "people.csv"]);
    dir.expect(2, &["clean", "nowhere"]).says("cannot be read");
    std::fs::remove_dir_all(dir.path(".films.partial-4194999-0")).unwrap();
    dir.expect(0, &["clean"]).prints("Nothing was left behind");
}

#[test]
fn formulas_are_told_by_their_number_and_can_be_made_texts() {
    let dir = Dir::new();
    let mut text = String::from("age,note\n");
    for row in 0..40 {
        text.push_str(&format!("{},{}\n", 30 + row % 2, if row % 4 == 0 { "=cmd|calc!A0" } else { "fine" }));
    }
    dir.write("t.csv", text);
    dir.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.note]\nrole = \"insensitive\"\n\
         [privacy]\nk-anonymity = 2\n",
    );
    let run = dir.expect(0, &["anonymize", "job.toml"]).says("10 cells of the table are formulas");
    assert!(!run.err.contains("cmd") && dir.text("release/data.csv").contains(",=cmd"));
    let prefixed = ["anonymize", "job.toml", "--force", "--set", "input.formulas=\"prefix\""];
    let run = dir.expect(0, &prefixed);
    assert!(!run.err.contains("formula"), "{run:?}");
    let data = dir.text("release/data.csv");
    assert_eq!((data.matches(",'=cmd").count(), data.matches(",=cmd").count()), (10, 0));
    dir.expect(0, &["verify", "release", "--quiet"]);
}

#[test]
fn formulas_are_told_and_made_texts_whatever_shape_the_data_have() {
    let dir = Dir::new();
    dir.write("edges.csv", "a,b\n1,2\n2,3\n3,1\n")
        .write("nodes.csv", "id,note\n1,=cmd|calc!A0\n2,fine\n3,\n");
    dir.write(
        "graph.toml",
        "kind = \"graph\"\n[input]\nedges = \"edges.csv\"\nsource = \"a\"\ntarget = \"b\"\nnodes = \"nodes.csv\"\nid = \"id\"\n\
         attributes = { note = \"insensitive\" }\n[graph]\nmethod = \"pseudonyms\"\n[output]\nfolder = \"graph\"\n",
    );
    dir.write("ratings.csv", "user,item,rating\n1,\"=HYPERLINK(1)\",3\n2,\"=HYPERLINK(1)\",4\n2,film,1\n");
    dir.write(
        "ratings.toml",
        "kind = \"ratings\"\n[input]\npath = \"ratings.csv\"\nscale = { low = 1, high = 5 }\n[ratings]\nmethod = \"pseudonyms\"\n\
         [output]\nfolder = \"ratings\"\n",
    );
    for (job, said, cell) in [
        ("graph", "1 cell of the table is a formula", "cmd|"),
        ("ratings", "2 cells of the table are formulas", "HYPERLINK"),
    ] {
        let file = format!("{job}.toml");
        let run = dir.expect(0, &["anonymize", &file]).says(said);
        assert!(!run.err.contains(cell), "{run:?}");
        let prefix = ["anonymize", &file, "--force", "--set", "input.formulas=\"prefix\""];
        let run = dir.expect(0, &prefix);
        assert!(!run.err.contains("formula"), "{run:?}");
        let published = dir.files(job).into_iter().filter(|(name, _)| name.ends_with(".csv"));
        let text: String = published.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
        assert!(text.contains(&format!("'={cell}")) && !text.contains(&format!(",={cell}")), "{text}");
    }
}

/// Nodes and edges count against the size of an input, and a pipe is not waited for.
#[test]
fn a_graph_that_is_too_large_ends_for_want_of_resources() {
    let dir = Dir::new();
    let ring = |nodes: u32| {
        let mut text = String::from("<graphml><graph edgedefault=\"undirected\">");
        (0..nodes).for_each(|node| text.push_str(&format!("<node id=\"n{node}\"/>")));
        let edge = |node: u32| format!("<edge source=\"n{node}\" target=\"n{}\"/>", (node + 1) % nodes);
        (0..nodes).for_each(|node| text.push_str(&edge(node)));
        text + "</graph></graphml>"
    };
    dir.write("large.graphml", ring(20_000)).write("small.graphml", ring(50));
    let job = |edges: &str| {
        format!(
            "kind = \"graph\"\n[input]\nedges = \"{edges}\"\n[graph]\nmethod = \"pseudonyms\"\n[output]\nfolder = \"out\"\n"
        )
    };
    dir.write("large.toml", job("large.graphml")).write("small.toml", job("small.graphml"));
    dir.expect(4, &["anonymize", "large.toml", "--max-input", "1MB"]).says("--max-input");
    assert!(!dir.path("out").exists());
    dir.expect(0, &["anonymize", "small.toml", "--max-input", "1MB", "--quiet"]);
    #[cfg(unix)]
    {
        pipe(&dir.path("pipe.graphml"));
        dir.write("pipe.toml", job("pipe.graphml"));
        in_time(&dir, &["anonymize", "pipe.toml", "--force"]).expect(2);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_table_whose_name_is_not_utf_8_gets_no_job_that_cannot_find_it() {
    use std::os::unix::ffi::OsStrExt;
    let dir = Dir::new();
    let name = std::ffi::OsStr::from_bytes(b"t\xff.csv");
    std::fs::write(dir.path(name), "a,b\n1,2\n").unwrap();
    let output = dir.command(&["init"]).arg(name).output().unwrap();
    Run::of(output, "init").expect(2).says("is not UTF-8");
    assert_eq!(dir.names(".").len(), 1);
}
