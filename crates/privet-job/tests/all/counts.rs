//! Releases of counts as whole jobs: views (survey ME-14) and tables with totals (survey ME-02), from files to a release
//! that the referee confirms.

use std::path::Path;

use privet_data::Silent;
use privet_job::{Job, Outcome, RunError, RunOptions, Summary, run};
use privet_release::counts::Form;
use privet_release::{CountsManifest, VerifyOptions, verify};

/// survey FX-1.1.
const PEOPLE: &str = "id,name,age,gender,zip,nationality,condition\n\
    1,Ann,28,F,13053,Russian,Heart disease\n2,Bruce,29,M,13068,Chinese,Heart disease\n\
    3,Cary,21,F,13068,Japanese,Viral infection\n4,Dick,23,M,13053,American,Viral infection\n\
    5,Eshwar,50,M,14853,Indian,Cancer\n6,Fox,55,M,14750,Japanese,Flu\n7,Gary,47,M,14562,Chinese,Heart disease\n\
    8,Helen,49,F,14821,Korean,Flu\n9,Igor,31,M,13222,American,Cancer\n10,Jean,37,F,13227,American,Cancer\n\
    11,Ken,36,M,13228,American,Cancer\n12,Lewis,35,M,13221,American,Cancer\n";

const COLUMNS: &str = "[input]\npath = \"people.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.gender]\nrole = \"quasi\"\n\
    [columns.nationality]\nrole = \"quasi\"\n[columns.condition]\nrole = \"sensitive\"\n";

/// survey FX-1.6: the two marginals.
const VIEWS: &str =
    "[[views]]\ncolumns = [\"gender\", \"nationality\"]\n[[views]]\ncolumns = [\"gender\", \"condition\"]\n";

fn try_run(home: &Path, table: &str, job: &str) -> Result<Summary, RunError> {
    std::fs::write(home.join("people.csv"), table).unwrap();
    let mut job = Job::parse(job, &[])?;
    job.output.replace = true;
    run(&job, &RunOptions { base: home.to_owned(), ..RunOptions::default() }, &Silent)
}

/// Runs a job, has its release verified, and gives back its manifest and files.
struct Released {
    home: tempfile::TempDir,
    manifest: CountsManifest,
}

impl Released {
    fn new(table: &str, job: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let summary = try_run(home.path(), table, job).unwrap_or_else(|error| panic!("{error}\n{job}"));
        let verdict = verify(&summary.release, VerifyOptions::default()).unwrap();
        assert!(verdict.holds(), "{job}\n{table}\n{:#?}", verdict.failures().collect::<Vec<_>>());
        assert!(!verdict.checks.iter().any(|check| check.bounded), "{:?}", verdict.checks);
        let manifest =
            CountsManifest::parse(&std::fs::read(summary.release.join("manifest.json")).unwrap()).unwrap();
        Self { home, manifest }
    }

    fn text(&self, file: &str) -> String {
        std::fs::read_to_string(self.home.path().join("release").join(file)).unwrap()
    }
}

#[test]
fn the_two_marginals_of_the_survey() {
    let released = Released::new(PEOPLE, &format!("{COLUMNS}[privacy]\nk-anonymity = 1\n{VIEWS}"));
    assert_eq!(
        released.text("view-1.csv"),
        "gender,nationality,count\nF,American,1\nF,Japanese,1\nF,Korean,1\nF,Russian,1\nM,American,4\nM,Chinese,2\n\
         M,Indian,1\nM,Japanese,1\n"
    );
    assert_eq!(
        released.text("view-2.csv"),
        "gender,condition,count\nF,Cancer,1\nF,Flu,1\nF,Heart disease,1\nF,Viral infection,1\nM,Cancer,4\nM,Flu,1\n\
         M,Heart disease,2\nM,Viral infection,1\n"
    );
    let manifest = &released.manifest;
    assert_eq!(manifest.data.records, 12);
    assert_eq!(manifest.data.removed_columns, ["id", "name", "age", "zip"]);
    let together = manifest.together.as_ref().unwrap();
    assert_eq!((together.k, together.joint_cells, together.smallest_proven), (1, 32, Some(1)));
    assert_eq!((together.cells_by.as_str(), together.groups_by.as_str()), ("closed", "closed"));
    let text = released.text("manifest.json") + &released.text("report.html");
    assert!(!text.contains("Eshwar") && !text.contains("13053"), "an identifier is told");
    assert!(text.contains("All views together"));
}

/// With k = 2 six groups of one must go: to the branches of a tree, to `*`, or not at all.
#[test]
fn coarser_views_where_they_would_tell_too_much() {
    let tree = "hierarchy = { tree = { Asian = [\"Chinese\", \"Indian\", \"Japanese\", \"Korean\"], Other = [\"American\", \"Russian\"] } }\n";
    let with_tree = COLUMNS.replace("[columns.nationality]\n", &format!("[columns.nationality]\n{tree}"));
    let released = Released::new(PEOPLE, &format!("{with_tree}[privacy]\nk-anonymity = 2\n{VIEWS}"));
    assert_eq!(
        released.text("view-1.csv"),
        "gender,nationality,count\nF,Asian,2\nF,Other,2\nM,Asian,4\nM,Other,4\n"
    );
    let levels: Vec<_> = released.manifest.tables[0].columns.iter().map(|column| column.level).collect();
    assert_eq!(levels, [Some(0), Some(1)]);

    let released = Released::new(PEOPLE, &format!("{COLUMNS}[privacy]\nk-anonymity = 2\n{VIEWS}"));
    assert_eq!(released.text("view-1.csv"), "gender,nationality,count\nF,*,4\nM,*,8\n");

    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("none.csv"), "American\nChinese\nIndian\nJapanese\nKorean\nRussian\n")
        .unwrap();
    let fixed =
        COLUMNS.replace("[columns.nationality]\n", "[columns.nationality]\nhierarchy = \"none.csv\"\n");
    let refused =
        try_run(home.path(), PEOPLE, &format!("{fixed}[privacy]\nk-anonymity = 2\n{VIEWS}")).unwrap_err();
    assert_eq!(refused.outcome(), Outcome::Refused, "{refused}");
    assert!(!home.path().join("release").exists());
}

/// survey AT-06: each view is diverse, together they leave one value; a coarser column helps, without one it is refused.
#[test]
fn views_that_tell_a_value_together() {
    let table = "a,b,s\n0,0,y\n0,1,x\n1,0,z\n0,1,y\n1,1,x\n1,0,y\n";
    let job = "[input]\npath = \"people.csv\"\nheader = true\n[columns.a]\nrole = \"quasi\"\n[columns.b]\nrole = \"quasi\"\n\
               [columns.s]\nrole = \"sensitive\"\n[privacy]\nl-diversity = { l = 2, column = \"s\" }\n\
               [[views]]\ncolumns = [\"a\", \"s\"]\n[[views]]\ncolumns = [\"b\", \"s\"]\n";
    let released = Released::new(table, job);
    let levels: Vec<_> = released.manifest.tables.iter().map(|table| table.columns[0].level).collect();
    assert_eq!(levels.iter().flatten().sum::<usize>(), 1, "one column is raised: {levels:?}");
    assert_eq!(released.manifest.together.as_ref().unwrap().k, 1);

    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("none.csv"), "0\n1\n").unwrap();
    let job = job.replace("role = \"quasi\"\n", "role = \"quasi\"\nhierarchy = \"none.csv\"\n");
    let refused = try_run(home.path(), table, &job).unwrap_err();
    assert_eq!(refused.outcome(), Outcome::Refused);
    assert!(refused.to_string().contains("the views together"), "{refused}");
}

/// Records of a view stand in the order of their values, not in that of the table.
#[test]
fn records_of_a_view_are_sorted() {
    let job = format!(
        "{COLUMNS}[privacy]\nk-anonymity = 1\n{}",
        VIEWS.replace("\"condition\"]", "\"condition\"]\nkind = \"microdata\"")
    );
    let released = Released::new(PEOPLE, &job);
    let text = released.text("view-2.csv");
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(lines.len(), 12);
    assert!(lines.is_sorted(), "{lines:?}");
    assert_eq!(released.manifest.tables[1].form, Form::Microdata);
    assert_eq!(released.manifest.tables[1].cells, 8);
}

/// A table from its counts, row by row.
fn counted(rows: &[&[u64]]) -> String {
    let mut text = "region,disease\n".to_owned();
    for (row, counts) in rows.iter().enumerate() {
        for (column, &count) in counts.iter().enumerate() {
            text.push_str(&format!("r{row},d{column}\n").repeat(count as usize));
        }
    }
    text
}

fn table_job(keys: &str) -> String {
    format!(
        "[input]\npath = \"people.csv\"\n[columns.region]\nrole = \"quasi\"\n[columns.disease]\nrole = \"sensitive\"\n\
         [[count-tables]]\ncolumns = [\"region\", \"disease\"]\n{keys}"
    )
}

/// Of several rectangles that hide a small count, the one through small counts is taken; one small count in a table of
/// four takes the other three.
#[test]
fn small_counts_and_those_that_hide_them() {
    let table = counted(&[&[2, 90, 8], &[80, 70, 60], &[9, 50, 7]]);
    let released =
        Released::new(&table, &table_job("threshold = 4\nprotection = { lower = 2, upper = 2 }\n"));
    assert_eq!(
        released.text("counts.csv"),
        "region,disease,count\nr0,d0,\nr0,d1,90\nr0,d2,\nr0,Total,100\nr1,d0,80\nr1,d1,70\nr1,d2,60\nr1,Total,210\nr2,d0,\n\
         r2,d1,50\nr2,d2,\nr2,Total,66\nTotal,d0,91\nTotal,d1,210\nTotal,d2,75\nTotal,Total,376\n"
    );
    let suppression = released.manifest.tables[0].suppression.as_ref().unwrap();
    assert_eq!(
        (suppression.hidden, suppression.threshold, suppression.lower, suppression.upper),
        (4, 4, 2, 2)
    );
    assert!(released.manifest.together.is_none());
    assert!(released.text("report.html").contains("class=\"grid\""));

    let table = counted(&[&[20, 1], &[15, 30]]);
    let released =
        Released::new(&table, &table_job("threshold = 3\nprotection = { lower = 1, upper = 1 }\n"));
    assert_eq!(released.text("counts.csv").lines().filter(|line| line.ends_with(',')).count(), 4);

    // Nothing is small, nothing is hidden; and a level may be coarser.
    let table = counted(&[&[20, 30], &[15, 0]]);
    let released = Released::new(&table, &table_job("levels = { region = 1 }\n"));
    assert_eq!(
        released.text("counts.csv"),
        "region,disease,count\n*,d0,35\n*,d1,30\n*,Total,65\nTotal,d0,35\nTotal,d1,30\nTotal,Total,65\n"
    );
}

#[test]
fn small_counts_that_cannot_be_hidden_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let refused = try_run(home.path(), &counted(&[&[1]]), &table_job("")).unwrap_err();
    assert_eq!(refused.outcome(), Outcome::Refused, "{refused}");
    assert!(refused.to_string().contains("count-tables.threshold"), "{refused}");
    let out_of_range =
        try_run(home.path(), &counted(&[&[9]]), &table_job("levels = { region = 2 }\n")).unwrap_err();
    assert_eq!(out_of_range.outcome(), Outcome::BadInput);
    assert!(out_of_range.to_string().contains("`count-tables.levels`"), "{out_of_range}");
    let named_so =
        try_run(home.path(), &counted(&[&[9]]).replace("r0", "Total"), &table_job("")).unwrap_err();
    assert_eq!(named_so.outcome(), Outcome::BadInput);
    assert!(named_so.to_string().contains("`count-tables.columns`"), "{named_so}");
}

/// Three columns; two tables without a shared column; empty tables and single values.
#[test]
fn other_shapes() {
    let columns = "[input]\npath = \"people.csv\"\n[columns.gender]\nrole = \"quasi\"\n[columns.nationality]\nrole = \"quasi\"\n\
                   [columns.condition]\nrole = \"sensitive\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [20, 40] }\n";
    let rule = "threshold = 3\nprotection = { lower = 1, upper = 1 }\n";
    let three = format!(
        "{columns}[[count-tables]]\ncolumns = [\"gender\", \"condition\", \"age\"]\n{rule}levels = {{ age = 2 }}\n"
    );
    let header = PEOPLE.lines().next().unwrap();
    let many = format!(
        "{header}\n{}",
        PEOPLE.lines().skip(1).map(|line| format!("{line}\n").repeat(3)).collect::<String>()
    );
    let released = Released::new(&many, &three);
    assert_eq!(
        released.manifest.tables[0].cells,
        3 * 5 * (released.manifest.tables[0].columns[2].labels + 1)
    );

    let two = format!(
        "{columns}[[count-tables]]\ncolumns = [\"gender\", \"nationality\"]\n{rule}[[count-tables]]\ncolumns = [\"condition\"]\n"
    );
    let released = Released::new(&many, &two);
    let files: Vec<&str> = released.manifest.tables.iter().map(|table| table.file.as_str()).collect();
    assert_eq!(files, ["counts-1.csv", "counts-2.csv"]);

    // k-anonymity asks for no more than that the threshold reaches it.
    Released::new(&many, &format!("{two}[privacy]\nk-anonymity = 3\n"));

    let nobody = format!("{header}\n");
    let home = tempfile::tempdir().unwrap();
    assert!(matches!(try_run(home.path(), &nobody, &two), Err(RunError::Empty(_))));
    assert!(!home.path().join("release").exists());

    // A view of a sensitive column alone, and of one column.
    let alone = VIEWS.replace("[\"gender\", \"condition\"]", "[\"condition\"]");
    Released::new(PEOPLE, &format!("{COLUMNS}[privacy]\nk-anonymity = 3\nl-diversity = 2\n{alone}"));
}

#[test]
fn other_formats_and_missing_values() {
    let table = "town,sex,ill\nBonn,f,a\n,f,b\n,m,a\nBonn,m,\nUlm,f,\nUlm,m,b\n?,f,a\n".to_owned();
    let table = format!(
        "{table}{}",
        table.lines().skip(1).map(|line| format!("{line}\n").repeat(2)).collect::<String>()
    );
    let columns = "[input]\npath = \"people.csv\"\nmissing = [\"\", \"?\"]\n[columns.town]\nrole = \"quasi\"\n\
                   [columns.sex]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n";
    for format in ["csv", "parquet", "arrow"] {
        let output = format!("[output]\nformat = \"{format}\"\n");
        let views = "[[views]]\ncolumns = [\"town\", \"sex\"]\n[[views]]\ncolumns = [\"ill\", \"town\"]\nkind = \"microdata\"\n";
        let released =
            Released::new(&table, &format!("{columns}[privacy]\nk-anonymity = 3\n{views}{output}"));
        assert_eq!(released.manifest.tables[1].file, format!("view-2.{format}"));
        let tables = "[[count-tables]]\ncolumns = [\"ill\", \"town\"]\nthreshold = 4\nprotection = { lower = 1, upper = 1 }\n";
        let released = Released::new(&table, &format!("{columns}{tables}{output}"));
        assert!(released.manifest.tables[0].suppression.as_ref().unwrap().hidden > 0);
    }
}

#[test]
fn the_same_job_gives_the_same_bytes() {
    let job = format!("{COLUMNS}[privacy]\nk-anonymity = 2\n{VIEWS}");
    let files = |released: &Released| {
        ["view-1.csv", "view-2.csv", "report.html", "manifest.json"].map(|file| released.text(file))
    };
    assert_eq!(files(&Released::new(PEOPLE, &job)), files(&Released::new(PEOPLE, &job)));
}

/// Knuth's 64-bit linear congruence: the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// Random jobs on random small tables: whatever is published, the referee must confirm; what is not is refused.
#[test]
fn the_referee_confirms_whatever_is_published() {
    let (mut published, mut refused) = (0, 0);
    for case in 0..60 {
        let random = &mut Random(case);
        let rows = 5 + random.below(30);
        let mut table = "age,town,sex,ill,pay\n".to_owned();
        for _ in 0..rows {
            let age = 20 + random.below(30);
            let town = random.of(&["Bonn", "Ulm", "Trier", "", "?", "Bonn"]);
            let (sex, ill, pay) = (
                random.of(&["f", "m"]),
                random.of(&["a", "b", "c", "a", ""]),
                random.of(&["100", "200", "900", "?"]),
            );
            table.push_str(&format!("{age},{town},{sex},{ill},{pay}\n"));
        }
        let mut job = "[input]\npath = \"people.csv\"\nmissing = [\"\", \"?\"]\n[columns.age]\nrole = \"quasi\"\n\
                       hierarchy = { intervals = [5, 10], min = 0 }\n[columns.town]\nrole = \"quasi\"\n[columns.sex]\n\
                       role = \"quasi\"\nhierarchy = \"sex.csv\"\n[columns.ill]\nrole = \"sensitive\"\n[columns.pay]\nrole = \"sensitive\"\n"
            .to_owned();
        if case % 3 == 0 {
            let columns = random.of(&[
                "\"town\", \"ill\"",
                "\"sex\"",
                "\"age\", \"sex\"",
                "\"sex\", \"town\", \"ill\"",
            ]);
            let protection = 1 + random.below(3);
            job.push_str(&format!(
                "[[count-tables]]\ncolumns = [{columns}]\nthreshold = {}\nprotection = {{ lower = {protection}, upper = {} }}\nsuppress-zeros = {}\n",
                2 + random.below(4),
                1 + random.below(4),
                random.of(&["true", "false"])
            ));
            if columns.contains("age") {
                job.push_str("levels = { age = 2 }\n");
            }
        } else {
            let sets: [&[&str]; 7] = [
                &["\"town\", \"sex\"", "\"sex\", \"ill\""],
                &["\"age\", \"ill\"", "\"town\", \"ill\""],
                &["\"town\", \"sex\"", "\"sex\", \"age\"", "\"town\", \"age\""],
                &["\"town\", \"ill\"", "\"sex\", \"pay\""],
                &["\"ill\", \"pay\"", "\"sex\""],
                &["\"town\", \"ill\"", "\"sex\", \"ill\"", "\"town\", \"sex\", \"pay\""],
                &["\"age\", \"town\", \"sex\", \"ill\"", "\"town\", \"sex\""],
            ];
            for columns in sets[random.below(sets.len())] {
                job.push_str(&format!(
                    "[[views]]\ncolumns = [{columns}]\nkind = \"{}\"\n",
                    random.of(&["counts", "microdata"])
                ));
            }
            job.push_str(&format!("[privacy]\nk-anonymity = {}\n", 1 + random.below(5)));
            job.push_str(random.of(&[
                "",
                "l-diversity = { l = 2, column = \"ill\" }\n",
                "l-diversity = { kind = \"entropy\", l = 1.5, column = \"ill\" }\n",
                "t-closeness = { kind = \"equal\", t = 0.4, column = \"ill\" }\n",
                "t-closeness = { kind = \"ordered\", t = 0.4, column = \"pay\" }\n",
                "p-sensitivity = { p = 2, k = 3, column = \"ill\" }\n",
                "alpha-k = { alpha = 0.8, k = 2, column = \"ill\" }\n",
                "beta-likeness = { beta = 2, column = \"ill\" }\n",
                "delta-disclosure = { delta = 1.5, column = \"ill\" }\n",
                "proximity-diversity = { l = 2, width = 150, column = \"pay\" }\n",
            ]));
        }
        let home = tempfile::tempdir().unwrap();
        // Nobody's sex can be coarsened, so that some promises cannot be kept.
        std::fs::write(home.path().join("sex.csv"), "f\nm\n").unwrap();
        match try_run(home.path(), &table, &job) {
            Ok(summary) => {
                let verdict = verify(&summary.release, VerifyOptions::default()).unwrap();
                let failures: Vec<_> = verdict.failures().collect();
                assert!(verdict.holds(), "case {case}: {failures:#?}\n{job}\n{table}");
                published += 1;
            }
            Err(error) => {
                assert_eq!(error.outcome(), Outcome::Refused, "case {case}: {error}\n{job}\n{table}");
                refused += 1;
            }
        }
    }
    assert!(published > 30 && refused > 2, "{published} published, {refused} refused");
}
