//! Traces through every verb: each method is made, proven again by the referee, attacked and measured.

use std::path::Path;

use privet::{AttackOptions, Fault, JobFile, Plan};
use privet_data::Silent;
use privet_release::VerifyOptions;
use privet_traces::generate::{City, city};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (traces, _) = city(&City { people: 60, step: 1200, side: 4000.0, ..City::default() }).unwrap();
    let mut text = String::from("person,time,latitude,longitude,doing\n");
    for (person, points) in traces.iter() {
        for (number, point) in points.iter().enumerate() {
            let at = traces.plane.degrees(point.at).unwrap();
            let doing = ["rest", "work", "shop"][(number + person as usize) % 3];
            text.push_str(&format!(
                "secret{person},{},{:.6},{:.6},{doing}\n",
                point.time, at.latitude, at.longitude
            ));
        }
    }
    std::fs::write(folder.path().join("points.csv"), text).unwrap();
    let shop = |own: u32| {
        format!(
            "{},{},{}\n",
            52.49 + f64::from(own % 7) * 0.01,
            13.35 + f64::from(own % 11) * 0.01,
            1 + own % 5
        )
    };
    let shops: String = (0..60).map(shop).collect();
    std::fs::write(folder.path().join("shops.csv"), format!("latitude,longitude,weight\n{shops}")).unwrap();
    folder
}

fn job(folder: &Path, input: &str, traces: &str) -> JobFile {
    let text = format!(
        "kind = \"traces\"\n[input]\npath = \"points.csv\"\n{input}\n[traces]\n{traces}\nseed = 5\n[output]\nfolder = \"release\"\n\
         home = \"home\"\nreplace = true\n"
    );
    std::fs::write(folder.join("job.toml"), text).unwrap();
    JobFile::read(&folder.join("job.toml"), &[]).unwrap()
}

fn run(folder: &Path, input: &str, traces: &str) -> Result<privet::Report, privet::KindError> {
    privet::run(&job(folder, input, traces), &["privet anonymize job.toml".to_owned()], &Silent)
}

fn attack(folder: &Path, attacks: Option<&[&str]>, knowledge: Option<&str>) -> privet::Assessment {
    let path = knowledge.map(|text| {
        std::fs::write(folder.join("known.toml"), text).unwrap();
        folder.join("known.toml")
    });
    let options = AttackOptions {
        release: folder.join("release"),
        knowledge: path,
        job: Some(folder.join("job.toml")),
        plan: Plan {
            attacks: attacks.map(|own| own.iter().map(|own| own.to_string()).collect()),
            ..Plan::default()
        },
        confidence: 0.9,
        seed: 1,
        report: None,
    };
    privet::attack(&options, &Silent).unwrap()
}

fn risk(assessment: &privet::Assessment, attack: &str, variant: &str) -> f64 {
    let found = assessment.findings.iter().find(|own| own.attack == attack && own.variant == variant);
    found.unwrap_or_else(|| panic!("no finding of {attack}: {assessment:?}")).risk()
}

const CENTRE: &str = "centre = [52.52, 13.4]";
const METHODS: [(&str, &str, &str); 14] = [
    ("", "method = \"pseudonyms\"", "traces.csv"),
    ("", "method = \"never-walk-alone\"\nk = 4\ndelta = 300.0\nstep = 1200\nperiod = 3600", "traces.csv"),
    ("", "method = \"wait-for-me\"\nk = 3\ndelta = 300.0\nspace = 800.0\ntime = 1200", "traces.csv"),
    ("", "method = \"swapping\"\ndistance = 300.0\nstep = 1200", "traces.csv"),
    ("", "method = \"mix-zones\"\nzones = 3\nradius = 300\ntau = 0.6", "traces.csv"),
    ("", "method = \"path-cloaking\"\nstep = 1200\ntime-to-confusion = 3600", "traces.csv"),
    ("", "method = \"cloaking\"\nk = 5", "regions.csv"),
    ("sensitive = \"doing\"", "method = \"cloaking\"\nk = 4\nl = 2\ncrowding = \"hilbert\"", "regions.csv"),
    ("", "method = \"cloaking\"\nk = 4\narea = 10000.0\ncrowding = \"quadtree-nearest\"", "regions.csv"),
    ("sensitive = \"doing\"", "method = \"cells\"\nk = 4\nl = 2", "visits.csv"),
    (
        "sensitive = \"doing\"",
        "method = \"cells\"\nk = 4\ncriteria = { t-closeness = { kind = \"equal\", t = 0.4 }, l-diversity = { kind = \"entropy\", l = 1.5 } }",
        "visits.csv",
    ),
    ("", "method = \"cloaking\"\nk = 4\ncrowding = \"pyramid\"\nplaces = \"shops.csv\"", "regions.csv"),
    (
        CENTRE,
        "method = \"geo-indistinguishability\"\nepsilon = 0.5\nradius = 100\npositions = 6",
        "traces.csv",
    ),
    (
        CENTRE,
        "method = \"flows\"\nepsilon = 2\nbounds = [-4000, -4000, 4000, 4000]\nside = 2000\ntrips = 1",
        "flows.csv",
    ),
];

#[test]
fn every_method_is_made_proven_attacked_and_measured() {
    let folder = folder();
    for (input, traces, file) in METHODS {
        let report = run(folder.path(), input, traces).unwrap_or_else(|error| panic!("{traces}: {error}"));
        assert!(!report.promises.is_empty(), "{traces}");
        let release = folder.path().join("release");
        let verdict = privet::verify(&release, VerifyOptions::default()).unwrap();
        assert!(verdict.holds(), "{traces}: {:?}", verdict.checks);
        for published in [file, "report.html", "manifest.json"] {
            let text = std::fs::read_to_string(release.join(published)).unwrap();
            assert!(!text.contains("secret"), "{traces}: {published} names a person");
        }
        let assessed = attack(folder.path(), None, None);
        assert!(assessed.findings.len() + assessed.not_made.len() >= 5, "{traces}");
        let measured = privet::measure(&folder.path().join("job.toml"), &release, None, &Silent).unwrap();
        assert!(!measured.figures.is_empty(), "{traces}");
    }
}

#[test]
fn pseudonyms_are_broken_and_groups_and_cells_are_not() {
    let folder = folder();
    run(folder.path(), "", METHODS[0].1).unwrap();
    let naive = attack(folder.path(), None, None);
    assert!(risk(&naive, "home-work", "home") > 0.8 && risk(&naive, "few-points", "8 known points") > 0.8);
    run(folder.path(), "sensitive = \"doing\"", METHODS[9].1).unwrap();
    let cells = attack(folder.path(), None, None);
    assert_eq!(risk(&cells, "few-points", "1 known points"), 0.0);
    run(folder.path(), "", METHODS[8].1).unwrap();
    let nearest = risk(&attack(folder.path(), None, None), "outliers", "");
    run(folder.path(), "", METHODS[6].1).unwrap();
    let reciprocal = risk(&attack(folder.path(), None, None), "outliers", "");
    assert!(reciprocal == 0.0 && nearest > 0.0, "{nearest}");
}

#[test]
fn knowledge_is_used() {
    let folder = folder();
    run(folder.path(), "", METHODS[0].1).unwrap();
    std::fs::rename(folder.path().join("release"), folder.path().join("earlier")).unwrap();
    std::fs::rename(folder.path().join("home"), folder.path().join("home-earlier")).unwrap();
    // The same people under other pseudonyms.
    let again = job(folder.path(), "", METHODS[0].1).path().to_owned();
    let again = JobFile::read(&again, &["traces.seed=9".to_owned()]).unwrap();
    privet::run(&again, &["privet anonymize job.toml".to_owned()], &Silent).unwrap();
    let known = "[two-releases]\nrelease = \"earlier\"\nhome = \"home-earlier\"\n";
    let linked = attack(folder.path(), Some(&["two-releases"]), Some(known));
    let finding = &linked.findings[0];
    assert!(finding.right.unwrap().rate() > finding.control.unwrap().rate() + 0.2, "{finding:?}");
    std::fs::write(folder.path().join("clinics.csv"), "latitude,longitude\n52.52,13.4\n52.515,13.405\n")
        .unwrap();
    let known = "[sensitive-places]\nplaces = \"clinics.csv\"\nradius = 700.0\nshortest = 3600\n";
    let found = attack(folder.path(), Some(&["sensitive-places"]), Some(known));
    assert!(found.findings[0].sure.hits > 0, "{:?}", found.findings);
}

#[test]
fn changed_files_and_promises_are_found() {
    let folder = folder();
    run(folder.path(), "", METHODS[1].1).unwrap();
    let release = folder.path().join("release");
    let file = release.join("traces.csv");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen(".0", ".1", 1)).unwrap();
    assert!(!privet::verify(&release, VerifyOptions::default()).is_ok_and(|own| own.holds()));
}

#[test]
fn the_gate_refuses_what_attacks_break() {
    let folder = folder();
    let text = std::fs::read_to_string(job(folder.path(), "", METHODS[0].1).path()).unwrap();
    std::fs::write(folder.path().join("job.toml"), format!("{text}[adversary]\nmax-risk = 0.1\n")).unwrap();
    let job = JobFile::read(&folder.path().join("job.toml"), &[]).unwrap();
    let refused = privet::run(&job, &["privet anonymize job.toml".to_owned()], &Silent).unwrap_err();
    assert_eq!(refused.fault(), Fault::Refused);
    assert!(!folder.path().join("release").exists());
}

#[test]
fn private_methods_need_a_public_plane() {
    let folder = folder();
    let refused = run(folder.path(), "", METHODS[12].1).unwrap_err();
    assert!(refused.to_string().contains("input.centre"), "{refused}");
    assert!(run(folder.path(), "", METHODS[13].1).is_err());
}

#[test]
fn the_same_job_gives_the_same_bytes() {
    let folder = folder();
    for (input, traces, file) in &METHODS[..12] {
        let bytes = || {
            run(folder.path(), input, traces).unwrap();
            ["manifest.json", file, "report.html"]
                .map(|own| std::fs::read(folder.path().join("release").join(own)).unwrap())
        };
        assert!(bytes() == bytes(), "{traces}");
    }
}

/// US-19: whoever sends a region and picks from the candidates finds what is true, and gets more than that.
#[test]
fn questions_about_regions_are_answered_truly() {
    let folder = folder();
    for traces in [METHODS[11].1, "method = \"cloaking\"\nk = 6\nplaces = \"shops.csv\""] {
        run(folder.path(), "", traces).unwrap();
        let measured =
            privet::measure(&folder.path().join("job.toml"), &folder.path().join("release"), None, &Silent);
        let measured = measured.unwrap();
        let figure = |name: &str| {
            measured
                .figures
                .iter()
                .find(|own| own.name == name)
                .unwrap_or_else(|| panic!("{name}: {measured:?}"))
                .after
        };
        assert_eq!(figure("true answers found"), 1.0);
        assert!(figure("candidates for the nearest place") >= 1.0);
    }
    let refused = run(
        folder.path(),
        "",
        "method = \"swapping\"\ndistance = 300.0\nstep = 1200\nplaces = \"shops.csv\"",
    );
    assert!(refused.unwrap_err().to_string().contains("traces.places"));
}

/// Noisy positions that are moved to the best guess by public places lie on no grid, and nearer to where people are.
#[test]
fn noise_is_remapped_by_public_places_alone() {
    let folder = folder();
    let noisy = METHODS[12].1;
    run(folder.path(), CENTRE, &format!("{noisy}\nprior = \"shops.csv\"")).unwrap();
    let release = folder.path().join("release");
    let verdict = privet::verify(&release, VerifyOptions::default()).unwrap();
    let check = verdict.checks.iter().find(|own| own.name == "geo-indistinguishability").unwrap();
    assert!(verdict.holds() && check.bounded && check.detail.contains("public places"), "{verdict:?}");
    let text = std::fs::read_to_string(release.join("report.html")).unwrap();
    assert!(text.contains("No ledger was charged") && text.contains("moved to the best guess"));
    // All positions lie within the places that the public table names.
    let table =
        privet_data::io::read(&release.join("traces.csv"), &privet_data::io::ReadOptions::default(), &Silent);
    let table = table.unwrap().table;
    let latitudes = table.column("latitude").unwrap().numbers_as(privet_data::Kind::Decimal);
    assert!(latitudes.iter().all(|own| (52.489..52.551).contains(own)));
    let refused = run(folder.path(), "", "method = \"pseudonyms\"\nprior = \"shops.csv\"").unwrap_err();
    assert!(refused.to_string().contains("traces.prior"), "{refused}");
}

/// What a criterion says of cells is judged again from the file: a promise of more fails, and one that cannot be judged is not made.
#[test]
fn criteria_of_cells_are_judged_again() {
    let folder = folder();
    run(folder.path(), METHODS[10].0, METHODS[10].1).unwrap();
    let path = folder.path().join("release").join(privet_release::MANIFEST);
    let mut envelope = privet_release::Envelope::parse(&std::fs::read(&path).unwrap()).unwrap();
    let promise = envelope
        .promises
        .iter_mut()
        .find(|own| own.id == "criterion" && own.parameters["requirement"]["criterion"] == "l-diversity");
    promise.unwrap().parameters.get_mut("requirement").unwrap()["l"] = 2.99.into();
    std::fs::write(&path, envelope.to_json_sealed().unwrap()).unwrap();
    let verdict = privet::verify(&folder.path().join("release"), VerifyOptions::default()).unwrap();
    assert!(verdict.checks.iter().any(|own| !own.ok && own.name == "l-diversity"), "{:?}", verdict.checks);
    let ordered =
        "method = \"cells\"\nk = 4\ncriteria = { t-closeness = { kind = \"hierarchical\", t = 0.4 } }";
    assert!(run(folder.path(), METHODS[10].0, ordered).is_err());
    let refused = run(folder.path(), "", METHODS[10].1).unwrap_err();
    assert!(refused.to_string().contains("traces.criteria"), "{refused}");
}

#[test]
fn the_demonstration_runs() {
    let kind = privet::kind("traces").unwrap();
    let demo = kind.demo().unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in &demo.files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    for (name, _) in &demo.jobs {
        let job = JobFile::read(&folder.path().join(name), &[]).unwrap();
        privet::run(&job, &["privet demo".to_owned()], &Silent)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
