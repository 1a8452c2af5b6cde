//! What labels may hide, one by one: bounds that would be wrong if labels were all that is looked at, and bounds that are
//! narrow because the manifest tells what the values behind labels have in common.

use privet_data::Silent;
use privet_job::{Job, RunOptions, Spread, UnfoldOptions, ask, run, unfold};
use privet_measure::answer::Unfolding;

/// Publishes a table of a column `x` and asks; gives the bounds of every count.
fn bounds(values: &[&str], column: &str, search: &str, questions: &[&str]) -> Vec<(f64, f64)> {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = values.iter().map(|value| format!("{value},a\n")).collect();
    std::fs::write(folder.path().join("people.csv"), format!("x,s\n{rows}")).unwrap();
    let (column, file) = column.split_once('|').unwrap_or((column, ""));
    std::fs::write(folder.path().join("x.csv"), file).unwrap();
    let job = format!(
        "[input]\npath = \"people.csv\"\nheader = true\nmissing = [\"\", \"?\"]\n[columns.x]\nrole = \"quasi\"\n{column}\n\
         [columns.s]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 3\n[search]\n{search}\n"
    );
    let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
    let release = run(&Job::parse(&job, &[]).unwrap(), &options, &Silent).unwrap().release;
    let of = |question: &&str| {
        let asked = ask(&release, question, None, Spread::Uniform, &Silent).unwrap();
        let own = asked.answer.lines[0].estimates[0];
        (own.at_least.unwrap(), own.at_most.unwrap())
    };
    questions.iter().map(of).collect()
}

const ABOVE: &str = "select count(*) from data where x > 28.5 and x < 29";

#[test]
fn decimals_behind_labels_of_whole_numbers() {
    let file = "hierarchy = \"x.csv\"|20.5;20-29;*\n28.7;20-29;*\n28.9;20-29;*\n50;40-59;*\n";
    assert_eq!(bounds(&["20.5", "28.7", "28.9"], file, "", &[ABOVE]), [(0.0, 3.0)]);
    // Whole numbers have none there.
    let file = "hierarchy = \"x.csv\"|21;20-29;*\n25;20-29;*\n29;20-29;*\n50;40-59;*\n";
    assert_eq!(bounds(&["21", "25", "29"], file, "", &[ABOVE]), [(0.0, 0.0)]);
}

#[test]
fn years_are_no_days() {
    let years = "hierarchy = { intervals = [10] }";
    let asked = ["select count(*) from data where x < 1950", "select count(*) from data where x <= 1959"];
    assert_eq!(
        bounds(&["1951", "1955", "1958", "1971", "1972", "1975"], years, "", &asked),
        [(0.0, 0.0), (3.0, 3.0)]
    );
    let days = "hierarchy = { dates = [\"decade\"] }";
    let asked = [
        "select count(*) from data where x < '1950-01-01'",
        "select count(*) from data where x <= '1959-12-31'",
        "select count(*) from data where x < '1955-01-01'",
    ];
    let values = ["1951-01-01", "1955-05-05", "1958-07-08", "1971-01-01", "1972-02-02", "1973-03-03"];
    let found = bounds(&values, days, "", &asked);
    assert_eq!(found, [(0.0, 0.0), (3.0, 3.0), (0.0, 3.0)]);
}

#[test]
fn masks_hide_shorter_codes() {
    let mask = "hierarchy = { mask = \"right\", steps = [3] }";
    let asked = ["select count(*) from data where x = 13", "select count(*) from data where x < 13000"];
    assert_eq!(
        bounds(&["13", "130", "13053", "24001", "24002", "24003"], mask, "", &asked),
        [(0.0, 3.0), (0.0, 6.0)]
    );
    // Codes of one length are no shorter.
    assert_eq!(
        bounds(&["13001", "13044", "13053", "24001", "24002", "24003"], mask, "", &asked),
        [(0.0, 0.0), (0.0, 0.0)]
    );
    let asked =
        ["select count(*) from data where x = '13ab1'", "select count(*) from data where x like '13___'"];
    assert_eq!(
        bounds(&["13ab1", "13cd2", "13ef3", "24001", "24002", "24003"], mask, "", &asked),
        [(0.0, 3.0), (3.0, 3.0)]
    );
}

#[test]
fn the_mode_of_a_group_may_be_missing() {
    let search = "algorithm = \"microaggregation\"\npublish = \"modes\"";
    let asked = ["select count(*) from data where x is null", "select count(*) from data where x = 'Bonn'"];
    assert_eq!(bounds(&["?", "?", "Bonn"], "", search, &asked), [(0.0, 3.0), (0.0, 3.0)]);
}

#[test]
fn a_value_that_is_called_like_a_group() {
    let tree = "hierarchy = { tree = { Ulm = [\"Bonn\", \"Metz\"], west = [\"Ulm\"] } }";
    let search = "algorithm = \"top-down-specialization\"";
    let asked = ["select count(*) from data where x = 'Ulm'"];
    let found = bounds(&["Bonn", "Metz", "Metz", "Ulm", "Ulm", "Ulm"], tree, search, &asked);
    assert!(found[0].0 <= 3.0 && found[0].1 >= 3.0, "{found:?}");
    // A group with a name of its own can be asked for.
    let tree = "hierarchy = { tree = { south = [\"Bonn\", \"Metz\"], west = [\"Ulm\", \"Trier\"] } }";
    let asked = ["select count(*) from data where x = 'south'"];
    let found = bounds(&["Bonn", "Metz", "Metz", "Ulm", "Trier", "Ulm"], tree, "", &asked);
    assert_eq!(found, [(3.0, 3.0)]);
}

#[test]
fn missing_values_show_their_markers_or_hide_behind_labels() {
    let asked = ["select count(*) from data where x is null", "select count(x) from data"];
    assert_eq!(bounds(&["?", "?", "?", "7", "7", "7"], "", "", &asked), [(3.0, 3.0), (3.0, 3.0)]);
    let file = "hierarchy = \"x.csv\"|21;young;*\n25;young;*\n?;young;*\n50;old;*\n";
    assert_eq!(bounds(&["?", "21", "25"], file, "", &asked), [(0.0, 3.0), (0.0, 3.0)]);
    let file = "hierarchy = \"x.csv\"|21;young;*\n25;young;*\n24;young;*\n50;old;*\n";
    assert_eq!(bounds(&["24", "21", "25"], file, "", &asked), [(0.0, 0.0), (3.0, 3.0)]);
}

/// Publishes a table with a job in the same folder; gives both.
fn published(table: &str, job: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), table).unwrap();
    let job = format!("[input]\npath = \"people.csv\"\nheader = true\n{job}");
    std::fs::write(folder.path().join("job.toml"), &job).unwrap();
    let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
    let release = run(&Job::parse(&job, &[]).unwrap(), &options, &Silent).unwrap().release;
    (folder, release)
}

#[test]
fn a_missing_value_is_possible_behind_the_top_and_not_expected() {
    let rows: String = (0..300).map(|at| format!("{},{at}\n", if at % 2 == 0 { "M" } else { "F" })).collect();
    let (folder, release) = published(
        &format!("sex,s\n{rows}"),
        "[columns.sex]\nrole = \"quasi\"\nhierarchy = { groups = [{ label = \"any\", values = [\"M\", \"F\"] }] }\n\
         [columns.s]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 300\n",
    );
    let job = folder.path().join("job.toml");
    for job in [None, Some(job.as_path())] {
        for spread in [Spread::Uniform, Spread::Proportional] {
            let of = |question: &str| {
                let own = ask(&release, question, job, spread, &Silent).unwrap().answer.lines[0].estimates[0];
                (own.expected.unwrap(), own.at_least.unwrap(), own.at_most.unwrap())
            };
            assert_eq!(of("select count(*) from data where sex = 'M'"), (150.0, 0.0, 300.0));
            assert_eq!(of("select count(*) from data where sex is null").0, 0.0);
            // Nothing says that there is no missing value behind the top.
            assert_eq!(of("select count(*) from data where sex is null").2, 300.0);
        }
    }
    let output = folder.path().join("sampled.csv");
    let options = UnfoldOptions {
        release,
        how: Unfolding::Leaves,
        seed: 7,
        job: Some(job),
        output: output.clone(),
        force: false,
    };
    unfold(&options, &Silent).unwrap();
    let sampled = std::fs::read_to_string(output).unwrap();
    assert!(
        sampled.lines().skip(1).all(|line| line.starts_with("M,") || line.starts_with("F,")),
        "{sampled}"
    );
}

#[test]
fn like_is_answered_where_cells_are_suppressed() {
    let table = "zip,day,s\n13050,2024-01-05,a\n13050,2024-01-05,b\n13050,2024-01-05,c\n13051,2024-02-01,a\n13051,2024-02-01,b\n\
                 13051,2024-02-01,c\n14850,2023-05-05,a\n14851,2022-06-06,b\n14852,2021-07-07,c\n";
    let (_folder, release) = published(
        table,
        "[columns.zip]\nrole = \"quasi\"\n[columns.day]\nrole = \"quasi\"\n[columns.s]\nrole = \"sensitive\"\n[privacy]\n\
         k-anonymity = 3\n[search]\nalgorithm = \"cell-suppression\"\n",
    );
    let shown = std::fs::read_to_string(release.join("data.csv")).unwrap();
    assert!(shown.contains("13050") && shown.contains("13051") && shown.contains('*'), "{shown}");
    let hidden = shown.lines().filter(|line| line.starts_with('*')).count() as f64;
    let of = |question: &str| {
        let asked = ask(&release, question, None, Spread::Uniform, &Silent).unwrap();
        let own = asked.answer.lines[0].estimates[0];
        (own.at_least.unwrap(), own.at_most.unwrap())
    };
    assert_eq!(of("select count(*) from data where zip like '1305%'"), (6.0, 6.0 + hidden));
    assert_eq!(of("select count(*) from data where zip not like '1305%'"), (0.0, hidden));
    assert_eq!(of("select count(*) from data where zip like '1305%' and zip > 13050"), (3.0, 3.0 + hidden));
    // A day of which nothing is shown may have any form, and be any day.
    let both = of("select count(*) from data where day like '2024%' and day = '2024-02-01'");
    assert!(both.0 <= 3.0 && 3.0 <= both.1, "{both:?}");
    let other = of("select count(*) from data where day like '202%' and day = '2022-06-06'");
    assert!(other.0 <= 1.0 && 1.0 <= other.1, "{other:?}");
}
