//! The optima that another program reached on real tables: ours are the same.
//!
//! The tables are not part of the project. Where they are not beside it, this test says so and passes.

use std::path::{Path, PathBuf};

use privet_data::Silent;
use privet_job::{Job, RunOptions, run};

#[test]
fn our_optimum_is_theirs() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(table) = std::fs::read_to_string(shared.join("oracles/peer-optima.tsv")) else {
        println!("skipped: the shared tables are not beside the project");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let header: Vec<&str> = lines.next().unwrap().split('\t').collect();
    for (number, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |name: &str| cells[header.iter().position(|column| *column == name).unwrap()];
        let job = Job::parse(&job(&shared, &cell, number), &[]).unwrap();
        let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
        let summary = run(&job, &options, &Silent).unwrap();
        let theirs: f64 = cell("optimal_loss").parse().unwrap();
        let ours = summary.metrics["loss"];
        assert!((ours - theirs).abs() < 1e-9, "{line}: ours {ours}");
        assert_eq!(summary.lattice_nodes.unwrap().to_string(), cell("lattice_nodes"), "{line}");
        let verdict = privet_release::verify(&summary.release, Default::default()).unwrap();
        assert!(verdict.holds(), "{line}: {:?}", verdict.failures().collect::<Vec<_>>());
    }
}

fn job<'a>(shared: &Path, cell: &dyn Fn(&str) -> &'a str, number: usize) -> String {
    let data = cell("data");
    let file = |name: String| -> PathBuf { shared.join("data").join(data).join(name) };
    let mut text = format!("[input]\npath = {:?}\n", file(format!("{data}.csv")));
    for column in cell("quasi_columns").split(',') {
        let hierarchy = file(format!("{data}_hierarchy_{column}.csv"));
        text.push_str(&format!("[columns.{column}]\nrole = \"quasi\"\nhierarchy = {hierarchy:?}\n"));
    }
    let mut privacy = String::from("[privacy]\n");
    for criterion in cell("criteria").split(' ') {
        let (name, value) = criterion.split_once('=').unwrap();
        if name != "k" {
            text.push_str("[columns.occupation]\nrole = \"sensitive\"\n");
        }
        privacy.push_str(&match name {
            "k" => format!("k-anonymity = {value}\n"),
            "distinct-l" => format!("l-diversity = {{ kind = \"distinct\", l = {value} }}\n"),
            "entropy-l" => format!("l-diversity = {{ kind = \"entropy\", l = {value} }}\n"),
            "t-equal" => format!("t-closeness = {{ kind = \"equal\", t = {value} }}\n"),
            other => panic!("the table of optima has a criterion that this test does not know: {other}"),
        });
    }
    let limit = cell("suppress_at_most");
    format!("{text}{privacy}[search]\nsuppress-at-most = {limit}\n[output]\nfolder = \"release{number}\"\n")
}
