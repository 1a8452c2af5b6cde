//! How time and memory grow with the records: every algorithm and every kind of release on tables of n, 2n and 4n records,
//! with what is done with the release afterwards.
//!
//! The exponent is log2 of what doubling the larger half costs in processor seconds, which other programs on the machine
//! disturb least; that of memory is computed alike. Where linear growth is promised (n log n counts as that), more than [`BAR`] of either is
//! a failure. Methods that compare all records with each other say so; they are measured and not judged. The last row is three million
//! records cut by Mondrian with ranges, which may hold [`MOST_BYTES`] at most.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::grid::Grid;
use super::{Bench, Outcome};
use crate::workspace::Scratch;

/// No exponent above this where linear time is promised.
const BAR: f64 = 1.3;
/// Times below this are those of starting the program, and grow by chance.
const NOISE: f64 = 0.3;

/// Memory below this is that of the program itself, of threads and of what the allocator keeps.
const SMALL: f64 = 128.0;
/// What three million records cut by Mondrian may hold.
const MOST_BYTES: f64 = 500e6;
/// The records of the last row.
const MANY: usize = 3_000_000;

/// What is promised of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    Linear,
    /// It compares records with each other.
    Quadratic,
}

/// A kind of release.
struct Kind {
    name: &'static str,
    verb: &'static str,
    /// Its least records.
    records: usize,
    promise: Promise,
    /// The role of the column with many values, and its other keys.
    many: &'static str,
    /// The other sections of the job; the whole job where it names its kind.
    sections: &'static str,
    /// What is done with the release.
    then: &'static [&'static str],
}

const QUASI: &str = "role = \"quasi\"";
const AS_IT_IS: &str = "role = \"insensitive\"";

const fn release(
    name: &'static str,
    records: usize,
    many: &'static str,
    sections: &'static str,
    then: &'static [&'static str],
) -> Kind {
    Kind { name, verb: "anonymize", records, promise: Promise::Linear, many, sections, then }
}

/// A search by levels or cuts, with what stands in its section besides.
macro_rules! search {
    ($name:literal, $section:literal) => {
        release(
            $name,
            50_000,
            AS_IT_IS,
            concat!(
                "[privacy]\nk-anonymity = 20\n[search]\nsuppress-at-most = 0.02\nalgorithm = \"",
                $name,
                "\"\n",
                $section
            ),
            &[],
        )
    };
}

const KINDS: &[Kind] = &[
    release(
        "optimal",
        200_000,
        AS_IT_IS,
        "[privacy]\nk-anonymity = 20\n[search]\nsuppress-at-most = 0.02\n",
        &["verify", "measure"],
    ),
    release(
        "datafly",
        200_000,
        QUASI,
        "[privacy]\nk-anonymity = 20\n[search]\nalgorithm = \"datafly\"\nsuppress-at-most = 0.02\n",
        &[],
    ),
    release(
        "mondrian, ranges",
        200_000,
        QUASI,
        "[privacy]\nk-anonymity = 20\n[search]\nalgorithm = \"mondrian\"\n",
        &["verify"],
    ),
    release(
        "mondrian, nodes",
        200_000,
        QUASI,
        "[privacy]\nk-anonymity = 20\n[search]\nalgorithm = \"mondrian\"\npublish = \"nodes\"\n",
        &["verify", "attack"],
    ),
    release(
        "mondrian, medians",
        200_000,
        QUASI,
        "[privacy]\nk-anonymity = 20\n[search]\nalgorithm = \"mondrian\"\npublish = \"medians\"\n",
        &["verify"],
    ),
    release(
        "mondrian, in passes",
        200_000,
        QUASI,
        "[privacy]\nk-anonymity = 20\n[search]\nalgorithm = \"mondrian\"\n[search.mondrian]\nmemory-limit = 50_000\n",
        &[],
    ),
    release(
        "top-down-local",
        100_000,
        QUASI,
        "[privacy]\nk-anonymity = 20\n[search]\nalgorithm = \"top-down-local\"\n",
        &[],
    ),
    release(
        "local-recoding",
        50_000,
        QUASI,
        "[privacy]\nk-anonymity = 20\n[search]\nalgorithm = \"local-recoding\"\n",
        &[],
    ),
    Kind {
        promise: Promise::Quadratic,
        ..release(
            "clustering",
            5_000,
            QUASI,
            "[privacy]\nk-anonymity = 20\n[search]\nalgorithm = \"clustering\"\n",
            &[],
        )
    },
    Kind {
        promise: Promise::Quadratic,
        ..release(
            "microaggregation",
            10_000,
            QUASI,
            "[privacy]\nk-anonymity = 20\n[search]\nalgorithm = \"microaggregation\"\n",
            &[],
        )
    },
    release(
        "anatomy",
        100_000,
        QUASI,
        "[privacy]\nl-diversity = { l = 3, column = \"disease\" }\n[search]\nalgorithm = \"anatomy\"\n",
        &["verify"],
    ),
    release(
        "views",
        100_000,
        AS_IT_IS,
        "[privacy]\nk-anonymity = 5\n[[views]]\ncolumns = [\"sex\", \"age\", \"disease\"]\n[[views]]\ncolumns = [\"sex\", \"zip\"]\n",
        &["verify"],
    ),
    Kind {
        verb: "randomize",
        ..release(
            "laws",
            100_000,
            "role = \"sensitive\"\nperturb = { noise = \"multiplicative\", sd = 0.2 }",
            "",
            &["verify"],
        )
    },
    // Above so many records the attacks before it is handed over compare no more than this.
    Kind {
        verb: "randomize",
        promise: Promise::Quadratic,
        ..release(
            "swapped",
            20_000,
            "role = \"sensitive\"",
            "[randomize]\nmethod = \"swap\"\nswap = \"rank\"\ncolumns = [\"income\", \"age\"]\npercent = 3\n",
            &["verify"],
        )
    },
    Kind {
        verb: "randomize",
        ..release(
            "synthetic",
            20_000,
            "role = \"sensitive\"",
            "[randomize]\nmethod = \"synthetic\"\nmodel = \"cart\"\nscope = \"partial\"\ncolumns = [\"income\", \"age\"]\ncopies = 2\n",
            &["verify"],
        )
    },
    Kind { verb: "condense", ..release("condensed", 100_000, "", "", &[]) },
    search!("samarati", ""),
    search!("incognito", ""),
    search!("hash-table", ""),
    search!("top-down", ""),
    search!("bottom-up", ""),
    search!("genetic", ""),
    search!("simulated-annealing", ""),
    search!("top-down-specialization", ""),
    search!("bottom-up-generalization", ""),
    search!("k-optimize", "minimize = \"discernibility\"\n[search.k-optimize]\ntime-limit = 5\n"),
    search!("attribute-suppression", ""),
    Kind {
        promise: Promise::Quadratic,
        ..release(
            "cell-suppression",
            1_000,
            AS_IT_IS,
            "[privacy]\nk-anonymity = 5\n[search]\nalgorithm = \"cell-suppression\"\n[search.cell-suppression]\nmethod = \"aggarwal\"\n",
            &[],
        )
    },
    release(
        "count tables",
        100_000,
        AS_IT_IS,
        "[privacy]\nk-anonymity = 5\n[[count-tables]]\ncolumns = [\"sex\", \"disease\"]\n",
        &["verify"],
    ),
    release(
        "series",
        20_000,
        "",
        "kind = \"series\"\n[input]\npath = \"table.csv\"\n[series]\nperson = \"person\"\nsensitive = \"disease\"\nm = 3\n\
         [series.columns]\nage = {}\nsex = {}\n",
        &["verify"],
    ),
    release(
        "model, tree",
        100_000,
        "",
        "kind = \"model\"\n[input]\npath = \"table.csv\"\npublic = [\"age\", \"sex\"]\nclass = \"disease\"\n[model]\ntype = \"tree\"\nk = 20\n",
        &["verify"],
    ),
    release(
        "tables",
        20_000,
        "",
        "kind = \"tables\"\n[[tables]]\nname = \"people\"\npath = \"table.csv\"\nperson = \"person\"\n\
         columns = { age = { role = \"quasi\", hierarchy = { intervals = [5, 10, 20], min = 0 } }, sex = { role = \"quasi\" } }\n\
         [people]\nsuppress-at-most = 0.05\n[privacy]\nk-anonymity = 5\n",
        &["verify"],
    ),
];

/// What a run took.
#[derive(Debug, Clone, Copy)]
struct Cost {
    seconds: f64,
    mebibytes: f64,
}

pub fn run(bench: &Bench<'_>) -> Result<Outcome> {
    if !Path::new("/proc/self/stat").exists() {
        println!("this system does not tell what another process takes: nothing is measured");
        return Ok(Outcome { grid: Grid::new(&["kind"]), rows: Vec::new(), right: true });
    }
    let scratch = Scratch::new()?;
    let mut grid = Grid::new(&[
        "kind", "verb", "records", "s", "MiB", "2n s", "MiB", "4n s", "MiB", "time", "memory", "",
    ]);
    let (mut rows, mut right) = (Vec::new(), true);
    for kind in KINDS {
        println!("… {}", kind.name);
        let mut costs: Vec<(&str, Vec<Cost>)> = std::iter::once(kind.verb)
            .chain(kind.then.iter().copied())
            .map(|verb| (verb, Vec::new()))
            .collect();
        for times in [1, 2, 4] {
            make(kind, kind.records * times, scratch.path())?;
            for (verb, costs) in &mut costs {
                costs.push(
                    cost(bench.program, verb, scratch.path())
                        .with_context(|| format!("{}, {verb}", kind.name))?,
                );
            }
        }
        for (verb, costs) in costs {
            let [_, second, last] = costs[..] else { bail!("three sizes are measured") };
            let exponent = (last.seconds / second.seconds).log2();
            let memory = (last.mebibytes / second.mebibytes).log2();
            let is_quick = last.seconds < NOISE || exponent <= BAR;
            let is_small = last.mebibytes < SMALL || memory <= BAR;
            let verdict = match kind.promise {
                Promise::Quadratic => "compares records",
                Promise::Linear => of_growth(is_quick, is_small),
            };
            right &= !verdict.starts_with("FAIL");
            let mut row = vec![kind.name.to_owned(), verb.to_owned(), kind.records.to_string()];
            row.extend(
                costs.iter().flat_map(|own| [format!("{:.2}", own.seconds), format!("{:.0}", own.mebibytes)]),
            );
            row.extend([format!("{exponent:.2}"), format!("{memory:.2}"), verdict.to_owned()]);
            grid.row(row);
            let sizes = costs.iter().map(|own| json!({ "seconds": own.seconds, "mebibytes": own.mebibytes }));
            rows.push(json!({
                "kind": kind.name, "verb": verb, "records": kind.records, "sizes": sizes.collect::<Vec<_>>(),
                "exponent": exponent, "memory_exponent": memory, "verdict": verdict,
            }));
        }
    }
    right &= many(bench, scratch.path(), &mut grid, &mut rows)?;
    Ok(Outcome { grid, rows, right })
}

fn of_growth(is_quick: bool, is_small: bool) -> &'static str {
    match (is_quick, is_small) {
        (true, true) => "PASS",
        (false, true) => "FAIL (time)",
        (true, false) => "FAIL (memory)",
        (false, false) => "FAIL (time, memory)",
    }
}

/// Three million records, cut by Mondrian with ranges.
fn many(
    bench: &Bench<'_>,
    folder: &Path,
    grid: &mut Grid,
    rows: &mut Vec<serde_json::Value>,
) -> Result<bool> {
    let kind = KINDS.iter().find(|kind| kind.name == "mondrian, ranges").context("Mondrian is measured")?;
    println!("… {}, {MANY} records", kind.name);
    make(kind, MANY, folder)?;
    let Cost { seconds, mebibytes } = cost(bench.program, kind.verb, folder)?;
    let is_small = mebibytes * f64::from(1 << 20) < MOST_BYTES;
    let verdict = if is_small { "PASS" } else { "FAIL (memory)" };
    let mut row = vec![kind.name.to_owned(), kind.verb.to_owned(), MANY.to_string()];
    row.extend([format!("{seconds:.2}"), format!("{mebibytes:.0}")]);
    row.extend(std::iter::repeat_n(String::new(), 6));
    row.push(verdict.to_owned());
    grid.row(row);
    rows.push(json!({
        "kind": kind.name, "verb": kind.verb, "records": MANY, "verdict": verdict,
        "sizes": [{ "seconds": seconds, "mebibytes": mebibytes }],
    }));
    Ok(is_small)
}

/// Writes the table of so many records and the job.
fn make(kind: &Kind, records: usize, folder: &Path) -> Result<()> {
    let mut state = 5u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    // A kind that names itself may be about people with names.
    let names_its_kind = kind.sections.starts_with("kind =");
    let mut text = String::from("age,zip,sex,income,disease,note");
    text.push_str(if names_its_kind { ",person\n" } else { "\n" });
    for person in 0..records {
        let (age, zip, sex) =
            (18 + below(30) + below(30), 10_000 + below(90_000), ["f", "m"][below(2) as usize]);
        let (income, disease, note) = (below(1_000_000), below(12), below(50));
        write!(text, "{age},{zip},{sex},{income},d{disease},n{note}")?;
        if names_its_kind {
            write!(text, ",p{person}")?;
        }
        text.push('\n');
    }
    std::fs::write(folder.join("table.csv"), text)?;
    let output = "[output]\nfolder = \"release\"\nreplace = true\n";
    if names_its_kind {
        return Ok(std::fs::write(folder.join("job.toml"), kind.sections.to_owned() + output)?);
    }
    let is_randomized = kind.verb == "randomize";
    let hierarchy = |own: &'static str| if is_randomized { "" } else { own };
    let job = format!(
        "[input]\npath = \"table.csv\"\n[columns.age]\nrole = \"quasi\"\n{}\n[columns.zip]\nrole = \"{}\"\n{}\n[columns.sex]\n\
         role = \"{}\"\n[columns.income]\n{}\n[columns.disease]\nrole = \"sensitive\"\n[columns.note]\nrole = \"insensitive\"\n{}{output}",
        hierarchy("hierarchy = { intervals = [5, 10, 20], min = 0 }"),
        if is_randomized { "insensitive" } else { "quasi" },
        hierarchy("hierarchy = { mask = \"right\" }"),
        if is_randomized { "insensitive" } else { "quasi" },
        kind.many,
        kind.sections,
    );
    Ok(std::fs::write(folder.join("job.toml"), job)?)
}

/// Runs the program once and tells what it took: the least of several moments is never more than that.
fn cost(program: &Path, verb: &str, folder: &Path) -> Result<Cost> {
    let arguments: &[&str] = match verb {
        "verify" => &["release"],
        "measure" => &["table.csv", "release", "--job", "job.toml"],
        "attack" => &["release", "--original", "table.csv", "--job", "job.toml"],
        "condense" => &[
            "table.csv",
            "--columns",
            "age,income",
            "-k",
            "20",
            "--seed",
            "1",
            "--output",
            "condensed.csv",
            "--force",
        ],
        _ => &["job.toml"],
    };
    let errors = folder.join("errors.txt");
    let mut child = Command::new(program)
        .arg(verb)
        .args(arguments)
        .arg("--quiet")
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(&errors)?)
        .spawn()?;
    let mut own = Cost { seconds: 0.0, mebibytes: 0.0 };
    let status = loop {
        if let Some(now) = told(child.id()) {
            own = Cost { seconds: now.seconds.max(own.seconds), mebibytes: now.mebibytes.max(own.mebibytes) };
        }
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    // A release that can be attacked is measured all the same.
    match status.code() {
        Some(0 | 1) => Ok(own),
        _ => bail!("{status}: {}", std::fs::read_to_string(errors)?.trim()),
    }
}

/// What the system says of a process.
fn told(process: u32) -> Option<Cost> {
    // Ticks of a hundredth of a second, behind the name, which may hold blanks.
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks = fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes = peak.trim().trim_end_matches(" kB").parse::<f64>().ok()?;
    Some(Cost { seconds: ticks / 100.0, mebibytes: kibibytes / 1024.0 })
}
