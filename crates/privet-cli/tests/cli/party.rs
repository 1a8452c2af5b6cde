//! `privet party`: joint models end as releases that the other verbs take, and the gate judges them before anybody has them.

use crate::dir::Dir;

/// Two parties with keys, and a job that ends with this.
fn parties(dir: &Dir, task: &str) {
    let mut job = String::new();
    // Held until all addresses are chosen, so that none is chosen twice.
    let mut held = Vec::new();
    for name in ["north", "south"] {
        held.push(std::net::TcpListener::bind("127.0.0.1:0").unwrap());
        let address = held[held.len() - 1].local_addr().unwrap();
        let keys = dir.expect(0, &["party", "keys", name, "--json"]).json();
        let print = keys["fingerprint"].as_str().unwrap();
        job += &format!(
            "[[parties]]\nname = \"{name}\"\naddress = \"{address}\"\ncertificate = \"{print}\"\ninput = \"{name}.txt\"\n"
        );
    }
    dir.write("job.toml", job + task);
}

/// Runs both and gives their exit codes and messages.
fn run(dir: &Dir) -> Vec<(Option<i32>, String)> {
    std::thread::scope(|scope| {
        let party = |name: &'static str| {
            scope.spawn(move || {
                let made = dir.privet(&["party", "job.toml", "--as", name, "--quiet", "--force"]);
                (made.code, made.err)
            })
        };
        let both = [party("north"), party("south")];
        both.into_iter().map(|own| own.join().unwrap()).collect()
    })
}

const TREE: &str = "[columns.sex]\nvalues = [\"f\", \"m\"]\n[columns.age]\nvalues = [\"young\", \"old\"]\n[columns.risk]\nvalues = [\"good\", \"bad\"]\n\
    [task]\ntype = \"tree\"\nclass = \"risk\"\nattributes = [\"sex\", \"age\"]\ndepth = 2\n[privacy]\nmin-count = 5\n";

/// Old people are a bad risk but for one in eight.
fn people(first: u32) -> String {
    let mut text = String::from("sex,age,risk\n");
    for i in first..first + 40 {
        let (sex, age) = (["f", "m"][(i % 2) as usize], ["young", "old"][(i / 2 % 2) as usize]);
        let risk = if (age == "old") == (i % 8 != 3) { "bad" } else { "good" };
        text += &format!("{sex},{age},{risk}\n");
    }
    text
}

#[test]
fn joint_trees_are_releases_of_models() {
    let dir = Dir::new();
    parties(&dir, TREE);
    dir.write("north.txt", people(0)).write("south.txt", people(16));
    assert!(run(&dir).iter().all(|(code, _)| *code == Some(0)));
    dir.expect(0, &["verify", "north-result/release"]).prints("people per span");
    assert_eq!(dir.files("north-result/release"), dir.files("south-result/release"));
    dir.expect(0, &["mine", "check", "south-result/release", "-k", "5"]);
    dir.expect(0, &["mine", "predict", "north-result/release", "north.txt"]).prints("bad");
    // The gate of models finds that the risk of nearly everybody follows, so nobody gets the model.
    dir.write("job.toml", dir.text("job.toml") + "[adversary]\nmax-risk = 0.1\nconfidence = 0.8\n");
    let results = run(&dir);
    assert!(results.iter().all(|(code, _)| *code == Some(1)), "{results:?}");
    assert!(results.iter().any(|(_, text)| text.contains("link")), "{results:?}");
}

#[test]
fn joint_clusters_and_rules_are_releases_of_models() {
    let dir = Dir::new();
    let clusters = "[columns.age]\nrange = [0, 100]\n[columns.visits]\nrange = [0, 20]\n\
        [task]\ntype = \"clusters\"\ncolumns = [\"age\", \"visits\"]\nclusters = 3\n[privacy]\nmin-count = 4\n";
    parties(&dir, clusters);
    // Two groups, and two people by themselves, who must not be a cluster.
    let table = |i: u32| {
        format!(
            "age,visits\n{}\n5{i},20\n",
            (0..20)
                .map(|own| format!("{},{}", 10 + 70 * (own % 2) + i, own % 3))
                .collect::<Vec<_>>()
                .join("\n")
        )
    };
    dir.write("north.txt", table(1)).write("south.txt", table(2));
    assert!(run(&dir).iter().all(|(code, _)| *code == Some(0)));
    dir.expect(0, &["verify", "north-result/release"]);
    dir.expect(0, &["attack", "north-result/release"]).prints("centroids");
    let model = dir.json("north-result/release/model.json");
    let populations = model["model"]["spans"][0]["populations"].as_array().unwrap();
    assert!(populations.iter().all(|own| own.as_u64() >= Some(4)));
    assert_eq!(populations.iter().filter_map(serde_json::Value::as_u64).sum::<u64>(), 42);

    let dir = Dir::new();
    let rules = "[task]\ntype = \"rules\"\nsupport = 6\nconfidence = 0.6\nseparator = \" \"\n[privacy]\nmin-count = 2\n";
    parties(&dir, rules);
    let baskets =
        "bread milk\nbread milk eggs\nbread milk\nmilk\nbread milk\neggs milk\nbread\neggs milk\nmilk eggs\n";
    dir.write("north.txt", baskets).write("south.txt", baskets);
    assert!(run(&dir).iter().all(|(code, _)| *code == Some(0)));
    dir.expect(0, &["verify", "south-result/release"]);
    let model = dir.json("south-result/release/model.json");
    assert_eq!(model["model"]["records"], 18);
    let rule = &model["model"]["rules"][0];
    assert_eq!([&rule["support"], &rule["antecedent_support"], &rule["consequent_support"]], [8, 10, 16]);
}

/// `--force` replaces an earlier result and nothing else: a party's table may lie in the folder that its job names.
#[test]
fn force_removes_no_file_that_the_party_did_not_write() {
    let dir = Dir::new();
    parties(&dir, TREE);
    dir.write("north.txt", people(0)).write("south.txt", people(16));
    let refused = |foreign: &str| {
        let before = (dir.names("north-result"), dir.bytes(foreign));
        dir.expect(2, &["party", "job.toml", "--as", "north", "--force"]).says("north-result");
        assert!((dir.names("north-result"), dir.bytes(foreign)) == before, "{foreign}");
    };
    // Not even what looks like a result.
    dir.write("north-result/result.json", "{}").write("north-result/notes.txt", "mine");
    refused("north-result/notes.txt");
    std::fs::remove_dir_all(dir.path("north-result")).unwrap();
    assert!(run(&dir).iter().all(|(code, _)| *code == Some(0)));
    dir.write("north-result/notes.txt", "mine");
    refused("north-result/notes.txt");
    std::fs::remove_file(dir.path("north-result/notes.txt")).unwrap();
    dir.write("north-result/release/notes.txt", "mine");
    refused("north-result/release/notes.txt");
    std::fs::remove_file(dir.path("north-result/release/notes.txt")).unwrap();
    // A party's own table within its output.
    let job = dir.text("job.toml");
    dir.write("job.toml", job.replace("input = \"north.txt\"", "input = \"north-result/release/data.csv\""));
    dir.expect(2, &["party", "job.toml", "--as", "north", "--force"]).says("would be lost");
    dir.write("job.toml", job);
    assert!(run(&dir).iter().all(|(code, _)| *code == Some(0)), "an earlier result is replaced");
    dir.expect(0, &["verify", "north-result/release"]);
}

/// What a party writes lies in a draft that others cannot read, and that `privet clean` removes when the party was killed.
#[test]
#[cfg(target_os = "linux")]
fn a_draft_of_a_party_is_private_and_cleaned() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Dir::new();
    parties(&dir, TREE);
    dir.write("north.txt", people(0));
    // The other party does not come.
    let mut child = dir.command(&["party", "job.toml", "--as", "north", "--quiet"]).spawn().unwrap();
    let is_draft = |name: &String| name.starts_with(".north-result.partial-");
    let found = (0..2_000).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        dir.names(".").into_iter().find(is_draft)
    });
    let draft = found.expect("a party begins with its draft");
    dir.expect(0, &["clean", "--dry-run"]).prints("in use");
    let mode = std::fs::metadata(dir.path(&draft)).unwrap().permissions().mode();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(mode & 0o777, 0o700);
    dir.expect(0, &["clean"]).prints("removed");
    assert!(!dir.names(".").iter().any(is_draft));
}
