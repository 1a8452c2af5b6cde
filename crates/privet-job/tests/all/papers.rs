//! Minimal safe nodes of the worked examples of the sources, as whole jobs.
//!
//! Each entry of the specification that prints a table, its hierarchies and the nodes that are minimal is run
//! from files to a manifest; `minimal-nodes = true` lists the nodes there.

use privet_data::Silent;
use privet_job::{Job, Outcome, RunError, RunOptions, run};
use privet_release::{Manifest, VerifyOptions, verify};

/// A table, its quasi columns with one hierarchy file each, and its sensitive column.
struct Example {
    table: &'static str,
    quasi: &'static [(&'static str, &'static str)],
    sensitive: &'static str,
}

/// papers FX-L1 (Figure 1) with the hierarchies of FX-L4.
const HEART: Example = Example {
    table: "zip,age,nationality,condition\n\
            13053,28,Russian,Heart Disease\n13068,29,American,Heart Disease\n13068,21,Japanese,Viral Infection\n\
            13053,23,American,Viral Infection\n14853,50,Indian,Cancer\n14853,55,Russian,Heart Disease\n\
            14850,47,American,Viral Infection\n14850,49,American,Viral Infection\n13053,31,American,Cancer\n\
            13053,37,Indian,Cancer\n13068,36,Japanese,Cancer\n13068,35,American,Cancer\n",
    quasi: &[
        ("zip", "13053;1305*;130**;*\n13068;1306*;130**;*\n14850;1485*;148**;*\n14853;1485*;148**;*\n"),
        (
            "age",
            "21;2*;<40;*\n23;2*;<40;*\n28;2*;<40;*\n29;2*;<40;*\n31;3*;<40;*\n35;3*;<40;*\n36;3*;<40;*\n37;3*;<40;*\n\
             47;4*;>=40;*\n49;4*;>=40;*\n50;5*;>=40;*\n55;5*;>=40;*\n",
        ),
        ("nationality", "American;*\nIndian;*\nJapanese;*\nRussian;*\n"),
    ],
    sensitive: "condition",
};

/// thesis 1.2 (Examples 2.2-2.5, Figure 2.4), with the sensitive values of Table 2.1.
const CLINIC: Example = Example {
    table: "gender,zip,problem\nM,4370,Cancer\nM,4370,Cancer\nM,4352,Cancer\nF,4373,Chest Pain\nF,4373,Obesity\n\
            F,4350,Flu\n",
    quasi: &[
        ("gender", "M;person\nF;person\n"),
        ("zip", "4370;437*;43**\n4373;437*;43**\n4350;435*;43**\n4352;435*;43**\n"),
    ],
    sensitive: "problem",
};

/// thesis 2.5 (Table 2.8).
const SALARIES: Example = Example {
    table: "age,zip,salary\n17,12K,1000\n19,13K,1010\n20,14K,1020\n24,16K,50000\n29,21K,16000\n34,24K,24000\n\
            39,36K,33000\n45,39K,31000\n",
    quasi: &[
        (
            "age",
            "17;[17-24];*\n19;[17-24];*\n20;[17-24];*\n24;[17-24];*\n29;[29-34];*\n34;[29-34];*\n39;[39-45];*\n45;[39-45];*\n",
        ),
        (
            "zip",
            "12K;[12K-16K];*\n13K;[12K-16K];*\n14K;[12K-16K];*\n16K;[12K-16K];*\n21K;[21K-24K];*\n24K;[21K-24K];*\n\
             36K;[36K-39K];*\n39K;[36K-39K];*\n",
        ),
    ],
    sensitive: "salary",
};

/// papers FX-T1 (Table 20.1) with the hierarchies of FX-T4.
const DISEASES: Example = Example {
    table: "age,zip,disease\n24,10598,HIV\n37,90210,Hepatitis C\n26,10547,HIV\n38,90345,Hepatitis C\n\
            36,89119,Diabetes\n25,02139,HIV\n",
    quasi: &[
        (
            "age",
            "24;(20,30];(20,40];*\n25;(20,30];(20,40];*\n26;(20,30];(20,40];*\n36;(30,40];(20,40];*\n\
             37;(30,40];(20,40];*\n38;(30,40];(20,40];*\n",
        ),
        (
            "zip",
            "10598;NY;Northeastern US;*\n10547;NY;Northeastern US;*\n02139;MA;Northeastern US;*\n\
             90210;CA;Western US;*\n90345;CA;Western US;*\n89119;NV;Western US;*\n",
        ),
    ],
    sensitive: "disease",
};

impl Example {
    fn release(&self, privacy: &str, share: f64) -> Result<Manifest, RunError> {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        put("people.csv", self.table);
        let mut job = format!(
            "[input]\npath = \"people.csv\"\nheader = true\n[columns.{}]\nrole = \"sensitive\"\n[privacy]\n{privacy}\n\
             [search]\nminimal-nodes = true\nsuppress-at-most = {share}\n",
            self.sensitive
        );
        for (name, hierarchy) in self.quasi {
            put(&format!("{name}.csv"), hierarchy);
            job.push_str(&format!("[columns.{name}]\nrole = \"quasi\"\nhierarchy = \"{name}.csv\"\n"));
        }
        let job = Job::parse(&job, &[]).unwrap();
        let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
        let summary = run(&job, &options, &Silent)?;
        let verdict = verify(&summary.release, VerifyOptions::default()).unwrap();
        assert!(verdict.holds(), "{privacy}: {:?}", verdict.failures().collect::<Vec<_>>());
        Ok(Manifest::parse(&std::fs::read(summary.release.join("manifest.json")).unwrap()).unwrap())
    }

    /// The minimal nodes, as levels in the order of the columns.
    fn minimal(&self, privacy: &str, share: f64) -> Vec<Vec<usize>> {
        self.release(privacy, share).unwrap().search.minimal_nodes.unwrap()
    }
}

#[test]
fn papers_fx_l4_k_anonymity() {
    assert_eq!(HEART.minimal("k-anonymity = 2", 0.0), [[0, 1, 1], [3, 3, 0]]);
    assert_eq!(HEART.minimal("k-anonymity = 3", 0.0), [[1, 2, 1]]);
    assert_eq!(HEART.minimal("k-anonymity = 4", 0.0), [[1, 2, 1]]);
    assert_eq!(HEART.minimal("k-anonymity = 6", 0.0), [[3, 3, 1]]);
}

#[test]
fn papers_fx_l4_l_diversity() {
    for privacy in [
        "l-diversity = 2",
        "l-diversity = 3",
        "l-diversity = { kind = \"entropy\", l = 1.5 }",
        "l-diversity = { kind = \"entropy\", l = 2 }",
        "l-diversity = { kind = \"entropy\", l = 2.5 }",
        "l-diversity = { kind = \"entropy\", l = 2.8 }",
        "l-diversity = { kind = \"recursive\", c = 2, l = 2 }",
        "l-diversity = { kind = \"recursive\", c = 2.5, l = 3 }",
        "l-diversity = { kind = \"recursive\", c = 3, l = 3 }",
    ] {
        assert_eq!(HEART.minimal(privacy, 0.0), [[1, 2, 1]], "{privacy}");
    }
    for privacy in [
        "l-diversity = { kind = \"entropy\", l = 2.9 }",
        "l-diversity = { kind = \"recursive\", c = 1, l = 2 }",
        "l-diversity = { kind = \"recursive\", c = 2, l = 3 }",
    ] {
        assert_eq!(HEART.minimal(privacy, 0.0), [[3, 3, 1]], "{privacy}");
    }
}

/// MaxSup = 4 of 12: k = 2 is also reached at [0,2,0], and k = 4 at [0,2,1], the lowest of all.
#[test]
fn papers_fx_l4_with_suppression() {
    let four = 4.0 / 12.0;
    assert!(HEART.minimal("k-anonymity = 2", four).contains(&vec![0, 2, 0]));
    let nodes = HEART.minimal("k-anonymity = 4", four);
    assert!(nodes.contains(&vec![0, 2, 1]), "{nodes:?}");
    assert_eq!(nodes.iter().map(|node| node.iter().sum::<usize>()).min(), Some(3), "{nodes:?}");
}

/// FX-L3 is the node [1,2,1]: three classes of four, 2.8-diverse (2^1.5), discernibility 48.
#[test]
fn papers_fx_l3_is_what_comes_out() {
    let manifest =
        HEART.release("k-anonymity = 4\nl-diversity = { kind = \"entropy\", l = 2.8 }", 0.0).unwrap();
    assert_eq!((manifest.classes.count, manifest.classes.min, manifest.classes.max), (3, 4, 4));
    assert_eq!(manifest.metrics["discernibility"], 48.0);
    assert!(
        (manifest.promises[1].reached - 2.0_f64.powf(1.5)).abs() < 1e-9,
        "{}",
        manifest.promises[1].reached
    );
}

#[test]
fn thesis_1_2_minimal_nodes() {
    assert_eq!(CLINIC.minimal("k-anonymity = 2", 0.0), [[0, 2], [1, 1]]);
    assert_eq!(CLINIC.minimal("k-anonymity = 3", 0.0), [[0, 2]]);
    assert_eq!(CLINIC.minimal("k-anonymity = 4", 0.0), [[1, 2]]);
    assert_eq!(CLINIC.minimal("k-anonymity = 2\nl-diversity = 2", 0.0), [[1, 1]]);
    assert_eq!(CLINIC.minimal("k-anonymity = 3\nl-diversity = 2", 0.0), [[1, 2]]);
    assert_eq!(CLINIC.minimal("l-diversity = { kind = \"entropy\", l = 2 }", 0.0), [[1, 1]]);
    assert_eq!(CLINIC.minimal("l-diversity = { kind = \"entropy\", l = 3 }", 0.0), [[1, 2]]);
    let none = CLINIC.release("l-diversity = { kind = \"entropy\", l = 4 }", 0.0).unwrap_err();
    assert!(none.to_string().contains("l-diversity"), "{none}");
    assert!(matches!(none.outcome(), Outcome::Refused | Outcome::BadInput));
}

/// Table 2.10: classes of 4, 2 and 2 records, discernibility 24, mean class size 8/3.
#[test]
fn thesis_2_5_minimal_height_2() {
    for privacy in [
        "k-anonymity = 2",
        "k-anonymity = 2\nl-diversity = 2",
        "k-anonymity = 2\nl-diversity = { kind = \"entropy\", l = 2 }",
    ] {
        assert_eq!(SALARIES.minimal(privacy, 0.0), [[1, 1]], "{privacy}");
    }
    let manifest = SALARIES.release("k-anonymity = 2\nl-diversity = 2", 0.0).unwrap();
    assert_eq!((manifest.classes.count, manifest.classes.min, manifest.classes.max), (3, 2, 4));
    assert_eq!(manifest.metrics["discernibility"], 24.0);
    assert!((manifest.metrics["average-class-size"] - 8.0 / 3.0).abs() < 1e-12);
}

#[test]
fn papers_fx_t4_minimal_nodes() {
    assert_eq!(DISEASES.minimal("k-anonymity = 2", 0.0), [[1, 2]]);
    assert_eq!(DISEASES.minimal("k-anonymity = 3", 0.0), [[1, 2]]);
    assert_eq!(DISEASES.minimal("k-anonymity = 6", 0.0), [[2, 3]]);
    assert_eq!(DISEASES.minimal("k-anonymity = 2", 2.0 / 6.0), [[1, 1]]);
    assert_eq!(DISEASES.minimal("l-diversity = { kind = \"entropy\", l = 2 }", 0.0), [[2, 3]]);
}

/// FX-T3, the node <A1,Z2>: two classes, discernibility 18; variational distance 1/2, KL ln 2, and with
/// d(HIV, Hepatitis C) = 1/2 an earth mover's distance of 1/3.
#[test]
fn papers_fx_t3_distances() {
    for (privacy, expected) in [
        ("t-closeness = { kind = \"variational\", t = 0.5 }", 0.5),
        ("t-closeness = { kind = \"equal\", t = 0.5 }", 0.5),
        ("t-closeness = { kind = \"kl\", t = 0.7 }", 2.0_f64.ln()),
        (
            "t-closeness = { kind = \"matrix\", t = 0.34, costs = [[\"HIV\", \"Hepatitis C\", 0.5]] }",
            1.0 / 3.0,
        ),
    ] {
        let manifest = DISEASES.release(&format!("k-anonymity = 3\n{privacy}"), 0.0).unwrap();
        assert_eq!((manifest.classes.count, manifest.metrics["discernibility"]), (2, 18.0), "{privacy}");
        assert!((manifest.promises[1].reached - expected).abs() < 1e-9, "{privacy}");
    }
}
