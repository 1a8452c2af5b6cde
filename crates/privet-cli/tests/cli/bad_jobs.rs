//! Job files that cannot be used: each is refused with exit code 2 and a message that helps.

use crate::dir::Dir;
use crate::people;

const BASE: &str = r#"[input]
path = "people.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = [5, 10], min = 0 }
[columns.zip]
role = "quasi"
hierarchy = { mask = "right" }
[columns.sex]
role = "quasi"
[columns.disease]
role = "sensitive"
[columns.income]
role = "sensitive"
[privacy]
k-anonymity = 2
[search]
suppress-at-most = 0.1
[output]
folder = "release"
"#;

/// What is replaced in [`BASE`], by what, and what the message must hold.
const EDITS: &[(&str, &str, &str)] = &[
    // Sections and keys.
    ("[input]", "[inputs]", "inputs"),
    ("[input]\npath = \"people.csv\"\n", "", "`privet init data.csv` writes a whole job"),
    ("[search]", "[searching]", "searching"),
    ("[search]\n", "[search]\n[search]\n", "duplicate"),
    ("[privacy]\nk-anonymity = 2\n", "", "privacy"),
    ("k-anonymity = 2\n", "", "promises nothing; give at least one of k-anonymity"),
    ("path = \"people.csv\"\n", "", "path"),
    ("path = \"people.csv\"", "path = \"people.csv\"\npath = \"b.csv\"", "duplicate"),
    ("path = \"people.csv\"", "path = 5", "expected path string"),
    ("path = \"people.csv\"", "path = \"people.csv\"\nfile = 1", "unknown field `file`"),
    (
        "path = \"people.csv\"",
        "path = \"people.csv\"\nformat = \"xls\"",
        "\"csv\", \"parquet\", \"arrow\", \"xlsx\"",
    ),
    ("path = \"people.csv\"", "path = \"people.csv\"\ndelimiter = \",,\"", "delimiter"),
    ("path = \"people.csv\"", "path = \"people.csv\"\ndelimiter = \"\"", "delimiter"),
    ("path = \"people.csv\"", "path = \"people.csv\"\ndelimiter = \"\\n\"", "one ASCII character"),
    ("path = \"people.csv\"", "path = \"people.csv\"\ndelimiter = \"ß\"", "one ASCII character"),
    ("path = \"people.csv\"", "path = \"people.csv\"\nquote = \"“\"", "`input.quote`"),
    (
        "path = \"people.csv\"",
        "path = \"people.csv\"\nquote = \",\"",
        "names columns that the input does not have",
    ),
    ("path = \"people.csv\"", "path = \"people.csv\"\nheader = \"yes\"", "boolean"),
    (
        "path = \"people.csv\"",
        "path = \"people.csv\"\nencoding = \"ebcdic\"",
        "\"utf-8\", \"windows-1252\" or \"latin-1\"",
    ),
    ("path = \"people.csv\"", "path = \"people.csv\"\nmissing = \"?\"", "sequence"),
    ("path = \"people.csv\"", "path = \"people.csv\"\nmissing = [1]", "string"),
    ("path = \"people.csv\"", "path = \"people.csv\"\ndelimiter = \";\"", "set header = false"),
    (
        "path = \"people.csv\"",
        "path = \"people.csv\"\ndelimiter = \";\"\nquote = \";\"",
        "must not be the delimiter",
    ),
    ("path = \"people.csv\"", "path = \"people.csv\"\nheader = false", "names columns that the input"),
    ("path = \"people.csv\"", "path = \"a\\u0000b.csv\"", "cannot be read"),
    // Columns.
    ("role = \"identifier\"", "role = \"id\"", "`identifier`, `quasi`, `sensitive`, `insensitive`"),
    ("role = \"identifier\"", "role = 1", "role"),
    ("role = \"identifier\"", "", "role"),
    ("role = \"identifier\"", "role = \"identifier\"\ncolour = 1", "unknown field `colour`"),
    (
        "role = \"identifier\"",
        "role = \"identifier\"\nweight = 1",
        "`columns.name.weight` goes with role = \"quasi\"",
    ),
    ("role = \"identifier\"", "role = \"identifier\"\nhierarchy = \"a.csv\"", "`columns.name.hierarchy`"),
    ("[columns.name]", "[columns.surname]", "surname"),
    ("[columns.name]", "[columns.NAME]", "did you mean name?"),
    ("[columns.name]", "[columns.name.first]", "first"),
    ("[columns.name]", "[columns.age]", "duplicate"),
    ("role = \"quasi\"", "role = \"insensitive\"", "`columns.age.hierarchy`"),
    ("[columns.sex]\nrole = \"quasi\"", "[columns.sex]\nrole = \"quasi\"\nweight = \"much\"", "weight"),
    ("[columns.sex]\nrole = \"quasi\"", "[columns.sex]\nrole = \"quasi\"\nweight = -0.5", "from 0 to 1e9"),
    // Hierarchies in the job.
    ("{ intervals = [5, 10], min = 0 }", "{ intervals = [] }", "intervals"),
    ("{ intervals = [5, 10], min = 0 }", "{ intervals = [5, 12] }", "multiple"),
    ("{ intervals = [5, 10], min = 0 }", "{ intervals = [0] }", "intervals"),
    ("{ intervals = [5, 10], min = 0 }", "{ intervals = [-5] }", "intervals"),
    ("{ intervals = [5, 10], min = 0 }", "{ intervals = [2.5] }", "whole numbers"),
    ("{ intervals = [5, 10], min = 0 }", "{ intervals = [nan] }", "10^15"),
    ("{ intervals = [5, 10], min = 0 }", "{ intervals = [5], top = 10, bottom = 20 }", "top"),
    ("{ intervals = [5, 10], min = 0 }", "{ intervals = [5], maximum = 3 }", "maximum"),
    ("{ intervals = [5, 10], min = 0 }", "{ interval = [5] }", "`intervals`"),
    ("{ intervals = [5, 10], min = 0 }", "{ dates = [\"year\"] }", "accepted are columns of dates"),
    ("{ intervals = [5, 10], min = 0 }", "{ dates = [\"fortnight\"] }", "quarter"),
    ("{ intervals = [5, 10], min = 0 }", "{ groups = [[\"1\"], [\"2\"]] }", "does not cover"),
    ("{ intervals = [5, 10], min = 0 }", "{ tree = { x = [\"1\"] } }", "does not cover"),
    ("{ intervals = [5, 10], min = 0 }", "{ tree = { } }", "tree"),
    ("{ intervals = [5, 10], min = 0 }", "{ regions = 0 }", "regions"),
    ("{ intervals = [5, 10], min = 0 }", "{ }", "`regions`"),
    ("{ intervals = [5, 10], min = 0 }", "3", "the name of a file"),
    ("{ intervals = [5, 10], min = 0 }", "\"\"", "hierarchy"),
    ("{ intervals = [5, 10], min = 0 }", "\"none.csv\"", "none.csv: cannot be read"),
    ("{ intervals = [5, 10], min = 0 }", "\".\"", "cannot be read"),
    ("{ mask = \"right\" }", "{ mask = \"middle\" }", "\"left\""),
    ("{ mask = \"right\" }", "{ mask = \"right\", symbol = \"xx\" }", "one character"),
    ("{ mask = \"right\" }", "{ mask = \"right\", steps = [3, 1] }", "steps"),
    ("{ mask = \"right\" }", "{ intervals = [5], mask = \"right\" }", "mask"),
    // Promises.
    ("k-anonymity = 2", "k-anonymity = 0", "k must be"),
    ("k-anonymity = 2", "k-anonymity = -1", "whole number"),
    ("k-anonymity = 2", "k-anonymity = 2.5", "whole number"),
    ("k-anonymity = 2", "k-anonymity = \"2\"", "whole number"),
    ("k-anonymity = 2", "k-anonymity = [2]", "expected a table with k"),
    ("k-anonymity = 2", "k-anonymity = 2020-01-01", "k-anonymity"),
    ("k-anonymity = 2", "k-anonymity = nan", "whole number"),
    ("k-anonymity = 2", "k-anonymity = { l = 2 }", "the fields are k"),
    ("k-anonymity = 2", "k-anonymity = 99999999999999999999", "99999999999999999999"),
    ("k-anonymity = 2", "k-anonymity = 9223372036854775807", "k may be at most"),
    ("k-anonymity = 2", "k_anonymity = 2", "the keys are k-anonymity"),
    ("k-anonymity = 2", "differential-privacy = 1", "the keys are k-anonymity"),
    ("k-anonymity = 2", "l-diversity = 2", "the sensitive columns are disease, income"),
    ("k-anonymity = 2", "l-diversity = { l = 2, column = \"age\" }", "age is not a sensitive column"),
    ("k-anonymity = 2", "l-diversity = { l = 0, column = \"disease\" }", "l = 0"),
    ("k-anonymity = 2", "l-diversity = { l = inf, column = \"disease\" }", "l must be a number"),
    (
        "k-anonymity = 2",
        "l-diversity = { l = 2, kind = \"some\", column = \"disease\" }",
        "distinct, entropy, recursive",
    ),
    (
        "k-anonymity = 2",
        "l-diversity = { l = 2, kind = \"recursive\", column = \"disease\" }",
        "c is missing",
    ),
    ("k-anonymity = 2", "t-closeness = 0.2", "expected a table with t, kind"),
    ("k-anonymity = 2", "t-closeness = { t = 2, kind = \"equal\", column = \"disease\" }", "from 0 to 1"),
    (
        "k-anonymity = 2",
        "t-closeness = { t = 0.2, kind = \"ordered\", order = [\"flu\"], column = \"disease\" }",
        "order leaves out",
    ),
    (
        "k-anonymity = 2",
        "t-closeness = { t = 0.2, kind = \"hierarchical\", column = \"disease\" }",
        "hierarchy",
    ),
    (
        "k-anonymity = 2",
        "t-closeness = { t = 0.2, kind = \"matrix\", costs = [[\"a\"]], column = \"disease\" }",
        "[value, value, cost]",
    ),
    ("k-anonymity = 2", "p-sensitivity = { p = 2, k = 2, plus = true, column = \"disease\" }", "categories"),
    ("k-anonymity = 2", "concept-diversity = { l = 2, column = \"disease\" }", "concepts is missing"),
    ("k-anonymity = 2", "proximity-diversity = { l = 2, width = 1, column = \"disease\" }", "disease"),
    ("k-anonymity = 2", "delta-presence = 0.5", "expected a table with max"),
    ("k-anonymity = 2", "delta-presence = { max = 0, population = \"people.csv\" }", "max = 0"),
    ("k-anonymity = 2", "k-map = { k = 0, population = \"people.csv\" }", "k must be"),
    ("k-anonymity = 2", "k-map = { k = 2, population = \"\" }", "privet: "),
    ("k-anonymity = 2", "beta-likeness = { beta = -1, column = \"disease\" }", "beta = -1"),
    ("k-anonymity = 2", "delta-disclosure = { delta = 0, column = \"disease\" }", "delta = 0"),
    // Search and output.
    ("suppress-at-most = 0.1", "suppress-at-most = 1.1", "a share from 0 to 1"),
    ("suppress-at-most = 0.1", "suppress-at-most = -0.1", "a share from 0 to 1"),
    ("suppress-at-most = 0.1", "suppress-at-most = nan", "a share from 0 to 1"),
    ("suppress-at-most = 0.1", "suppress-at-most = \"5 %\"", "suppress-at-most"),
    ("suppress-at-most = 0.1", "suppress_at_most = 0.1", "`suppress-at-most`"),
    ("suppress-at-most = 0.1", "algorithm = \"magic\"", "`optimal`"),
    ("suppress-at-most = 0.1", "minimize = \"pain\"", "`loss`"),
    ("suppress-at-most = 0.1", "minimal-nodes = 1", "boolean"),
    ("suppress-at-most = 0.1", "class = \"nobody\"", "`search.class`"),
    ("folder = \"release\"", "folder = \"\"", "folder"),
    ("folder = \"release\"", "folder = 1", "folder"),
    ("folder = \"release\"", "folder = \"..\"", "folder's name"),
    ("folder = \"release\"", "format = \"pdf\"", "\"csv\", \"parquet\", \"arrow\", \"xlsx\""),
    ("folder = \"release\"", "replace = \"yes\"", "boolean"),
    ("folder = \"release\"", "path = \"x\"", "unknown field `path`"),
    // TOML.
    ("folder = \"release\"", "folder = \"release", "TOML"),
    ("folder = \"release\"", "folder == \"release\"", "TOML"),
    ("folder = \"release\"", "folder", "TOML"),
    ("[output]", "[output", "TOML"),
    ("[columns.sex]", "[columns.]", "TOML"),
    ("{ mask = \"right\" }", "{ mask = \"right\"", "TOML"),
];

/// Files that hold no job at all.
const WHOLE: &[(&str, &str)] = &[
    ("", "input"),
    ("\u{feff}", "input"),
    ("\n\n# nothing\n", "input"),
    ("input = 5", "input"),
    ("name,age\nbob,3\n", "TOML"),
    ("{\"input\": {\"path\": \"people.csv\"}}", "TOML"),
    ("<job/>", "TOML"),
    ("[[input]]\npath = \"people.csv\"\n", "input"),
    ("\0\0\0\0", "TOML"),
    ("[input]\npath = \"people.csv\"\n[privacy]\nk-anonymity = 2\n", "columns"),
    (
        "[input]\npath = \"people.csv\"\n[columns]\n[privacy]\nk-anonymity = 2\n",
        "no column with role = \"quasi\"",
    ),
    (
        "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 2\n",
        "no column with role = \"quasi\"",
    ),
    ("[input]\npath = \"people.csv\"\ncolumns = 3\n[privacy]\nk-anonymity = 2\n", "columns"),
    (
        "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n[privacy]\nl-diversity = 2\n",
        "it needs a sensitive column",
    ),
];

fn refused(dir: &Dir, job: &str, fragment: &str) {
    dir.write("job.toml", job);
    let run = dir.privet(&["anonymize", "job.toml"]);
    assert_eq!(run.code, Some(2), "{job}\n{run:#?}");
    assert!(run.err.contains(fragment), "{fragment:?} is not said of\n{job}\n{}", run.err);
    assert!(run.out.is_empty(), "{run:?}");
    let left = dir.names(".");
    assert_eq!(left, ["job.toml", "people.csv"], "{job}");
}

#[test]
fn edited_jobs_are_refused_with_what_would_be_accepted() {
    let dir = Dir::new();
    dir.write("people.csv", people::table(40, 1)).write("job.toml", BASE);
    dir.expect(0, &["anonymize", "job.toml"]);
    std::fs::remove_dir_all(dir.path("release")).unwrap();
    for (from, to, fragment) in EDITS {
        assert!(BASE.contains(from), "{from}");
        refused(&dir, &BASE.replacen(from, to, 1), fragment);
    }
}

#[test]
fn files_that_are_no_job_are_refused() {
    let dir = Dir::new();
    dir.write("people.csv", people::table(40, 1));
    for (job, fragment) in WHOLE {
        refused(&dir, job, fragment);
    }
    // Deep nesting and long keys are refused or read, and end the program in the usual way.
    let deep = format!("{}\nx = {}{}", BASE, "[".repeat(100_000), "]".repeat(100_000));
    refused(&dir, &deep, "job.toml");
    let tables = format!("{BASE}\n[{}]\n", vec!["a"; 20_000].join("."));
    refused(&dir, &tables, "job.toml");
    let tree = format!("{{ tree = {}{{ x = [\"20\"] }}{} }}", "{ a = ".repeat(5_000), " }".repeat(5_000));
    refused(&dir, &BASE.replace("{ intervals = [5, 10], min = 0 }", &tree), "job.toml");
}
