//! Random tables, jobs and questions.

use std::collections::BTreeSet;
use std::path::Path;

use privet_data::{Kind, date_of};

use super::truth::Original;

/// Knuth's 64-bit linear congruence: the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut own = Self(seed ^ 0x9e37_79b9_7f4a_7c15);
        (0..8).for_each(|_| _ = own.below(2));
        own
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    fn is(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// What is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    Records,
    Counts,
}

/// A table with its job.
pub struct Case {
    pub names: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Texts that stand for a missing value.
    pub missing: Vec<String>,
    pub job: String,
    /// Files of hierarchies.
    pub files: Vec<(String, String)>,
    pub release: Release,
    /// The algorithm, for whoever reads a failure.
    pub kind: &'static str,
    pub questions: usize,
}

/// What the values of a column are drawn from, and how they are generalized.
struct Drawn {
    pool: Vec<String>,
    hierarchy: String,
    file: Option<String>,
}

impl Case {
    pub fn draw(random: &mut Random) -> Self {
        let missing: Vec<String> = match random.below(5) {
            0 => vec![String::new(), "?".into()],
            1 => vec!["?".into()],
            2 => vec![String::new(), "?".into(), "n/a".into()],
            _ => vec![String::new()],
        };
        let (kind, algorithm) = ALGORITHMS[random.below(ALGORITHMS.len())];
        let release = if kind.starts_with("counts") { Release::Counts } else { Release::Records };
        let quasi = 1 + random.below(3);
        let sensitive = 1 + random.below(2);
        let mut names: Vec<String> = (0..quasi).map(|at| format!("q{at}")).collect();
        names.extend((0..sensitive).map(|at| format!("s{at}")));
        let columns: Vec<Drawn> = (0..quasi + sensitive).map(|_| Drawn::draw(random, &missing)).collect();
        let rows = 6 + random.below(30);
        let often = 2 + random.below(12);
        let blank: Vec<bool> = columns.iter().map(|_| random.is(2)).collect();
        let mut table: Vec<Vec<String>> = Vec::new();
        for id in 0..rows {
            let mut row: Vec<String> = Vec::new();
            for (column, &blank) in columns.iter().zip(&blank) {
                let text = match blank && random.is(often) {
                    true => missing[random.below(missing.len())].clone(),
                    false => column.pool[random.below(column.pool.len())].clone(),
                };
                row.push(text);
            }
            row.push(format!("i{id}"));
            table.push(row);
        }
        names.push("id".into());
        let listed: Vec<String> = missing.iter().map(|own| format!("\"{own}\"")).collect();
        let mut job =
            format!("[input]\npath = \"people.csv\"\nheader = true\nmissing = [{}]\n", listed.join(", "));
        let mut files = Vec::new();
        for (name, column) in names.iter().zip(&columns) {
            let role = if name.starts_with('q') { "quasi" } else { "sensitive" };
            let hierarchy = match (&column.file, role) {
                _ if role == "sensitive" => String::new(),
                (Some(text), _) => {
                    files.push((format!("{name}.csv"), text.clone()));
                    format!("hierarchy = \"{name}.csv\"\n")
                }
                (None, _) if column.hierarchy.is_empty() => String::new(),
                (None, _) => format!("hierarchy = {}\n", column.hierarchy),
            };
            job.push_str(&format!("[columns.{name}]\nrole = \"{role}\"\n{hierarchy}"));
        }
        job.push_str("[columns.id]\nrole = \"insensitive\"\n");
        match release {
            Release::Records => {
                let k = 2 + random.below(4);
                let privacy = match kind {
                    _ if kind.ends_with("buckets") => "l-diversity = { l = 2, column = \"s0\" }".to_owned(),
                    _ => format!("k-anonymity = {k}"),
                };
                let suppress = random.of(&["0", "0.1", "0.3", "0.6"]);
                job.push_str(&format!(
                    "[privacy]\n{privacy}\n[search]\nsuppress-at-most = {suppress}\n{algorithm}"
                ));
                if random.is(6) {
                    job.push_str("[sampling]\nfraction = 0.7\nseed = 3\n");
                }
            }
            Release::Counts => {
                let columns: Vec<String> =
                    names[..quasi + sensitive].iter().map(|own| format!("\"{own}\"")).collect();
                let mut views: BTreeSet<Vec<String>> = BTreeSet::new();
                // Tables with totals share no column.
                for _ in 0..if kind == "counts in views" { 1 + random.below(3) } else { 1 } {
                    let mut own: Vec<String> = columns.iter().filter(|_| random.is(2)).cloned().collect();
                    if own.is_empty() {
                        own.push(columns[random.below(columns.len())].clone());
                    }
                    views.insert(own);
                }
                if kind == "counts in views" {
                    job.push_str("[privacy]\nk-anonymity = 2\n");
                }
                for view in views {
                    let list = view.join(", ");
                    if kind == "counts in views" {
                        let kind = random.of(&["counts", "microdata"]);
                        job.push_str(&format!("[[views]]\ncolumns = [{list}]\nkind = \"{kind}\"\n"));
                        continue;
                    }
                    let levels: Vec<String> = view
                        .iter()
                        .filter(|own| own.contains('q'))
                        .filter(|_| random.is(2))
                        .map(|own| format!("{own} = 1"))
                        .collect();
                    let levels = levels.join(", ");
                    job.push_str(&format!(
                        "[[count-tables]]\ncolumns = [{list}]\nthreshold = 3\nlevels = {{ {levels} }}\n"
                    ));
                }
            }
        }
        Self { names, rows: table, missing, job, files, release, kind, questions: 12 }
    }

    pub fn csv(&self) -> String {
        let cell = |text: &String| match text.contains([',', '"']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.clone(),
        };
        let line = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        line(&self.names) + &self.rows.iter().map(line).collect::<String>()
    }

    /// Writes the table, its hierarchies and its job.
    pub fn write(&self, folder: &Path) {
        std::fs::write(folder.join("people.csv"), self.csv()).unwrap();
        std::fs::write(folder.join("job.toml"), &self.job).unwrap();
        for (name, text) in &self.files {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }
}

const ALGORITHMS: [(&str, &str); 24] = [
    ("optimal", ""),
    ("optimal", ""),
    ("optimal, height", "minimize = \"height\"\n"),
    ("datafly", "algorithm = \"datafly\"\n"),
    ("specialization", "algorithm = \"top-down-specialization\"\n"),
    ("generalization", "algorithm = \"bottom-up-generalization\"\n"),
    (
        "k-optimize",
        "algorithm = \"k-optimize\"\nminimize = \"discernibility\"\n[search.k-optimize]\nnode-limit = 30\n",
    ),
    ("attributes", "algorithm = \"attribute-suppression\"\n"),
    ("cells", "algorithm = \"cell-suppression\"\n"),
    ("mondrian", "algorithm = \"mondrian\"\n"),
    (
        "mondrian nodes",
        "algorithm = \"mondrian\"\npublish = \"nodes\"\n[search.mondrian]\nmode = \"relaxed\"\n",
    ),
    ("mondrian in passes", "algorithm = \"mondrian\"\n[search.mondrian]\nmemory-limit = 7\n"),
    ("local nodes", "algorithm = \"top-down-local\"\n"),
    ("local ranges", "algorithm = \"top-down-local\"\npublish = \"ranges\"\n"),
    ("local recoding", "algorithm = \"local-recoding\"\n"),
    ("clustering", "algorithm = \"clustering\"\n"),
    ("means", "algorithm = \"microaggregation\"\n"),
    ("medians", "algorithm = \"microaggregation\"\npublish = \"medians\"\n"),
    ("modes", "algorithm = \"microaggregation\"\npublish = \"modes\"\n"),
    ("anatomy buckets", "algorithm = \"anatomy\"\n[search.anatomy]\nseed = 5\n"),
    ("mondrian buckets", "algorithm = \"mondrian\"\npublish = \"buckets\"\n"),
    ("clustering buckets", "algorithm = \"clustering\"\npublish = \"buckets\"\n"),
    ("counts in views", ""),
    ("counts in tables", ""),
];

/// Values of one kind, and hierarchies that go with them.
impl Drawn {
    fn draw(random: &mut Random, missing: &[String]) -> Self {
        let (mut pool, hierarchies): (Vec<String>, &[&str]) = match random.below(11) {
            0 => (
                (0..9).map(|_| (random.below(75) as i64 - 15).to_string()).collect(),
                &[
                    "{ intervals = [5, 10, 20] }",
                    "{ intervals = [7], top = 40, bottom = -3 }",
                    "{ regions = [3, 8] }",
                    "{ mask = \"right\" }",
                    "{ mask = \"left\" }",
                ],
            ),
            1 => (
                [
                    "20", "20.5", "21.25", "29.5", "29.9", "30", "-3.25", "0.5", "1e1", "45", "19.99",
                    "39.5", "29.0",
                ]
                .map(String::from)
                .to_vec(),
                &[
                    "{ intervals = [5, 10] }",
                    "{ intervals = [2.5, 5], top = 39.5 }",
                    "{ regions = [3] }",
                    "{ mask = \"right\" }",
                ],
            ),
            2 => (
                (0..8).map(|_| (1948 + random.below(30)).to_string()).collect(),
                &["{ intervals = [5, 10] }", "{ intervals = [1, 10] }", "{ mask = \"right\" }"],
            ),
            3 => (
                (0..9).map(|_| date_of(-8000 + random.below(6000) as i64)).collect(),
                &[
                    "{ dates = [\"month\", \"year\", \"decade\"] }",
                    "{ dates = [\"year\", \"century\"] }",
                    "{ dates = [\"week\"] }",
                    "{ dates = [\"quarter\"] }",
                    "{ regions = [3] }",
                    "{ mask = \"right\", steps = [3, 6] }",
                ],
            ),
            4 => (
                (0..8).map(|_| format!("{}T10:00", date_of(18_250 + random.below(500) as i64))).collect(),
                &["{ dates = [\"day\", \"month\"] }", "{ dates = [\"year\"] }"],
            ),
            5 => (
                (0..8)
                    .map(|_| {
                        format!("{:05}", [0, 13_000, 13_050, 14_850][random.below(4)] + random.below(30))
                    })
                    .collect(),
                &[
                    "{ mask = \"right\" }",
                    "{ mask = \"right\", steps = [1, 3] }",
                    "{ mask = \"left\" }",
                    "{ mask = \"right\", symbol = \"0\" }",
                    "{ regions = [3], by = \"right\" }",
                ],
            ),
            6 => (
                ["1", "13", "130", "1305", "13053", "2", "24", "2405", "139", "-3"][..7 + random.below(4)]
                    .iter()
                    .map(|&own| own.into())
                    .collect(),
                &[
                    "{ mask = \"right\" }",
                    "{ mask = \"left\" }",
                    "{ mask = \"right\", steps = [2, 4] }",
                    "{ regions = [3], by = \"left\" }",
                    "{ intervals = [100, 1000] }",
                ],
            ),
            7 => (
                ["E1", "E11", "E11.9", "F1", "F10", "12", "121", "13", "1a1", "E1***", "12*"]
                    [..6 + random.below(6)]
                    .iter()
                    .map(|&own| own.into())
                    .collect(),
                &[
                    "{ mask = \"right\" }",
                    "{ mask = \"left\" }",
                    "{ mask = \"right\", symbol = \"#\" }",
                    "{ regions = [3] }",
                ],
            ),
            8 => (["yes", "f", "no", "t"].map(String::from).to_vec(), &[""]),
            9 => (
                ["Bonn", "Ulm", "Trier", "Metz"].map(String::from).to_vec(),
                &[
                    "{ tree = { south = [\"Ulm\"], west = [\"Bonn\", \"Trier\", \"Metz\"] } }",
                    "{ groups = [[\"Bonn\", \"Ulm\"], [\"Trier\", \"Metz\"]] }",
                    "{ tree = { Ulm = [\"Ulm\", \"Bonn\"], Bonn = [\"Trier\", \"Metz\"] } }",
                    "{ mask = \"right\" }",
                    "{ regions = [3], by = \"order\" }",
                ],
            ),
            _ => {
                let mut own: Vec<String> = [
                    "Bonn",
                    "south",
                    "20-29",
                    "*",
                    "13***",
                    "2020",
                    "25",
                    "g1",
                    "<5",
                    "[1 to 5]",
                    "1950-1959",
                    "7.5",
                ]
                .iter()
                .filter(|_| random.is(2))
                .map(|&own| own.into())
                .collect();
                own.push("west".into());
                (own, &["{ mask = \"right\" }", "{ regions = [3] }"])
            }
        };
        pool.sort();
        pool.dedup();
        match random.below(4) {
            0 => Self { pool, hierarchy: String::new(), file: None },
            1 => {
                let file = written(random, &pool, missing);
                Self { pool, hierarchy: String::new(), file: Some(file) }
            }
            _ => {
                let hierarchy = (*random.of(hierarchies)).to_owned();
                // Something mistyped, now and then.
                if random.is(12) && hierarchy.contains("mask") {
                    pool.push("unknown".into());
                }
                Self { pool, hierarchy, file: None }
            }
        }
    }
}

/// A hierarchy that is written down: neighbours together or anyhow, called by what they are or by something else.
fn written(random: &mut Random, pool: &[String], missing: &[String]) -> String {
    let kind = Kind::of(pool.iter().map(String::as_str));
    let mut leaves = pool.to_vec();
    leaves.sort_by(|a, b| kind.order(a, b));
    let groups = 2 + random.below(3);
    let by_order = !random.is(3);
    let count = leaves.len();
    let mut group_of: Vec<usize> =
        (0..count).map(|at| if by_order { at * groups / count } else { random.below(groups) }).collect();
    if random.is(3) {
        let marker = missing[random.below(missing.len())].clone();
        leaves.push(if marker.is_empty() { "?".into() } else { marker });
        group_of.push(random.below(groups));
    }
    let style = random.below(5);
    let mut labels: Vec<String> = Vec::new();
    for group in 0..groups {
        let own: Vec<&String> = leaves[..count]
            .iter()
            .zip(&group_of)
            .filter(|(_, of)| **of == group)
            .map(|(leaf, _)| leaf)
            .collect();
        let numbers: Vec<f64> = own.iter().filter_map(|leaf| kind.number(leaf)).collect();
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min).floor();
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut label = match (style, kind) {
            (0 | 1, Kind::Integer | Kind::Decimal) if !numbers.is_empty() => match random.below(5) {
                0 => format!("[{low},{})", high.floor() + 1.0),
                1 => format!("{low}-{}", high.ceil() - 1.0),
                2 => format!("{low}-{}", high.floor()),
                _ => format!("{low}-{}", high.ceil()),
            },
            (0 | 1, Kind::Date) if !numbers.is_empty() => {
                let year = |days: f64| date_of(days as i64)[..4].to_owned();
                match random.below(3) {
                    0 => year(low),
                    _ => format!("{}-{}", year(low), year(high)),
                }
            }
            (2, _) => pool[random.below(pool.len())].clone(),
            (3, _) => {
                let longest = own.iter().map(|leaf| leaf.len()).max().unwrap_or(2);
                let first = own.first().map_or("x", |leaf| &leaf[..1]);
                format!("{first}{}", "*".repeat(longest - 1))
            }
            _ => (*random.of(&["g1", "g2", "south", "metro", "?", "young", "20-29", "2020"])).to_owned(),
        };
        while labels.contains(&label) || label.is_empty() {
            label.push('x');
        }
        labels.push(label);
    }
    let top = match random.below(6) {
        0 => "Any".to_owned(),
        1 => "0-99".to_owned(),
        2 => labels[0].clone(),
        _ => "*".to_owned(),
    };
    let two = random.is(2);
    let mut text = String::new();
    for (leaf, &group) in leaves.iter().zip(&group_of) {
        let middle = if two { format!(";{}", ["low", "high"][group * 2 / groups]) } else { String::new() };
        text.push_str(&format!("{leaf};{}{middle};{top}\n", labels[group]));
    }
    text
}

/// A question that fits the columns of a case, mostly.
pub fn question(random: &mut Random, case: &Case, original: &Original) -> String {
    let names: Vec<&String> = case.names.iter().filter(|own| *own != "id").collect();
    let name = |random: &mut Random| names[random.below(names.len())].clone();
    let mut select = Vec::new();
    for _ in 0..1 + random.below(2) {
        select.push(match random.below(5) {
            0 => format!("sum({})", name(random)),
            1 => format!("avg({})", name(random)),
            2 => format!("count({})", name(random)),
            _ => "count(*)".to_owned(),
        });
    }
    let filter = match random.below(8) {
        0 => String::new(),
        _ => format!(" where {}", condition(random, &names, original, 2)),
    };
    let group_by = match random.below(4) {
        0 if case.release == Release::Records => format!(" group by {}", name(random)),
        _ => String::new(),
    };
    format!("select {} from data{filter}{group_by}", select.join(", "))
}

fn condition(random: &mut Random, names: &[&String], original: &Original, depth: usize) -> String {
    if depth > 0 {
        let parts = |random: &mut Random| {
            let left = condition(random, names, original, depth - 1);
            (left, condition(random, names, original, depth - 1))
        };
        match random.below(6) {
            0 => {
                let (left, right) = parts(random);
                return format!("({left} and {right})");
            }
            1 => {
                let (left, right) = parts(random);
                return format!("({left} or {right})");
            }
            2 => return format!("not ({})", parts(random).0),
            _ => {}
        }
    }
    let name = names[random.below(names.len())];
    let column = original.column(name);
    let not = if random.is(4) { "not " } else { "" };
    match random.below(10) {
        0 => format!("{name} is {not}null"),
        1 => format!("{name} {not}in ({}, {})", constant(random, column), constant(random, column)),
        2 => format!("{name} {not}between {} and {}", constant(random, column), constant(random, column)),
        3 => {
            let text = raw(random, column);
            let at = random.below(text.len() + 1);
            let form = match random.below(3) {
                0 => format!("{}%", &text[..at]),
                1 => format!("%{}", &text[at..]),
                _ if at < text.len() => format!("{}_{}", &text[..at], &text[at + 1..]),
                _ => text,
            };
            format!("{name} {not}like '{}'", form.replace('\'', "''"))
        }
        4 | 5 => format!("{name} {} {}", random.of(&["=", "<>"]), constant(random, column)),
        _ => format!("{name} {} {}", random.of(&["<", "<=", ">", ">=", "="]), constant(random, column)),
    }
}

/// A text of the column: a value of somebody, or a label.
fn raw(random: &mut Random, column: &super::truth::Column) -> String {
    match &column.labels {
        Some(labels) if random.is(4) => labels[random.below(labels.len())].clone(),
        _ => column.some_value(random.below(1000)),
    }
}

/// A constant near a value, as it is or quoted.
fn constant(random: &mut Random, column: &super::truth::Column) -> String {
    let mut text = raw(random, column);
    if let Ok(number) = text.parse::<f64>()
        && random.is(2)
    {
        text = (number + [0.0, 0.5, -0.5, 1.0, -1.0, 0.0][random.below(6)]).to_string();
    } else if let Some(days) = Kind::Date.number(&text)
        && random.is(2)
    {
        text = date_of(days as i64 + random.below(41) as i64 - 20);
    }
    let is_plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-')
        && text.parse::<f64>().is_ok_and(f64::is_finite);
    match is_plain && !random.is(3) {
        true => text,
        false => format!("'{}'", text.replace('\'', "''")),
    }
}
