//! `privet init` for baskets and logs, and the story of `privet demo`.

use std::fmt::Write;

use privet_data::Random;
use privet_kind::{Demo, Proposal, Sample};

use crate::generate::Zipf;
use crate::seconds_of;

/// Recognises baskets, pairs and logs. It never quotes a value.
pub(super) fn recognise(sample: &Sample<'_>) -> Option<Proposal> {
    let name = sample.path.to_str()?;
    table(sample, name).or_else(|| lines(sample, name))
}

/// A table with a column that repeats people and one that names queries or items.
fn table(sample: &Sample<'_>, name: &str) -> Option<Proposal> {
    let table = sample.table.filter(|table| table.rows >= 20 && (2..=8).contains(&table.columns.len()))?;
    let find = |words: &[&str]| {
        table.columns.iter().find(|column| {
            let own = column.name.to_lowercase();
            words.iter().any(|word| own.contains(word))
        })
    };
    let person =
        find(&["user", "client", "person", "customer", "session", "basket", "transaction", "order"])?;
    // Several rows of a person are what tells these from a table with one row each.
    let repeats = person.domain.len() * 5 <= table.rows * 4;
    let query = find(&["query", "search"]).filter(|own| own.name != person.name);
    let item = find(&["item", "product", "article", "document"]).filter(|own| own.name != person.name);
    let time = table.columns.iter().find(|column| {
        let texts = column.domain.texts();
        column.name.to_lowercase().contains("time")
            && texts.iter().take(20).all(|text| seconds_of(text).is_some())
    });
    if !repeats {
        return None;
    }
    if let Some(query) = query {
        let mut job = format!(
            "kind = \"sets\"\n\n[input]\npath = {}\nform = \"log\"\nperson = {}\nquery = {}\n",
            quoted(name),
            quoted(&person.name),
            quoted(&query.name)
        );
        if let Some(time) = time {
            // cannot fail: writing to a string
            let _ = writeln!(job, "time = {}", quoted(&time.name));
        }
        job.push_str(
            "\n[sets]\nmethod = \"threshold\"\npeople = 10                # no query of fewer people leaves\n\n[output]\nfolder = \
             \"release\"\nhome = \"home\"\n",
        );
        let reasons = vec!["One column repeats people and another holds their queries.".to_owned()];
        return Some(Proposal { confidence: 0.8, reasons, job });
    }
    let item = item?;
    let job = format!(
        "kind = \"sets\"\n\n[input]\npath = {}\nform = \"pairs\"\nperson = {}\nitem = {}\n{BASKET_METHOD}",
        quoted(name),
        quoted(&person.name),
        quoted(&item.name)
    );
    let reasons = vec!["One column repeats people and another names their items.".to_owned()];
    Some(Proposal { confidence: 0.7, reasons, job })
}

const BASKET_METHOD: &str = "\n[sets]\nmethod = \"disassociation\"\nk = 5\nm = 2                      # items that an adversary knows of \
                             a person\nlargest-cluster = 30\n\n[output]\nfolder = \"release\"\nhome = \"home\"\n";

/// Lines of whole numbers of different lengths.
fn lines(sample: &Sample<'_>, name: &str) -> Option<Proposal> {
    let is_basket_file = name.to_lowercase().ends_with(".dat");
    // The last line may be cut.
    let mut lines: Vec<&str> = sample.head.lines().collect();
    lines.pop();
    let lengths: Vec<usize> =
        lines.iter().map(|line| line.split(' ').filter(|own| !own.is_empty()).count()).collect();
    let numbers = lines
        .iter()
        .all(|line| line.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ' || byte == b'\r'));
    let varied = lengths.iter().any(|&own| own > 1) && lengths.iter().any(|&own| own != lengths[0]);
    if lines.len() < 5 || !numbers || !(varied || is_basket_file) {
        return None;
    }
    let job =
        format!("kind = \"sets\"\n\n[input]\npath = {}\nform = \"lines\"\n{BASKET_METHOD}", quoted(name));
    let reasons =
        vec!["Every line is a list of whole numbers, and the lists have different lengths.".to_owned()];
    Some(Proposal { confidence: 0.9, reasons, job })
}

fn quoted(text: &str) -> String {
    toml_text(text)
}

/// A TOML basic string.
fn toml_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for own in text.chars() {
        match own {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            own if own.is_control() => {
                // cannot fail: writing to a string
                let _ = write!(quoted, "\\u{:04X}", own as u32);
            }
            own => quoted.push(own),
        }
    }
    quoted.push('"');
    quoted
}

const KINDS: [(&str, [&str; 6]); 6] = [
    ("bakery", ["bread", "rolls", "croissant", "pretzel", "cake", "rye bread"]),
    ("dairy", ["milk", "butter", "cheese", "yogurt", "cream", "goat cheese"]),
    ("fruit", ["apples", "bananas", "oranges", "grapes", "figs", "quinces"]),
    ("drinks", ["water", "juice", "coffee", "tea", "beer", "absinthe"]),
    ("household", ["soap", "detergent", "candles", "matches", "sponges", "moth balls"]),
    ("pharmacy", ["plasters", "aspirin", "cough drops", "vitamins", "pregnancy test", "nicotine gum"]),
];

/// Baskets of a shop: few things are bought by nearly all, some by nearly nobody.
fn shop() -> Vec<u8> {
    let items: Vec<&str> = (0..6).flat_map(|rank| KINDS.iter().map(move |kind| kind.1[rank])).collect();
    let zipf = Zipf::new(items.len(), 1.1);
    let mut random = Random::stream(20, 1);
    let mut text = String::new();
    for _ in 0..2500 {
        let mut basket: Vec<&str> =
            (0..1 + random.below(7)).map(|_| items[zipf.draw(&mut random) as usize]).collect();
        basket.sort_unstable();
        basket.dedup();
        // cannot fail: writing to a string
        let _ = writeln!(text, "{}", basket.join(","));
    }
    text.into_bytes()
}

fn shelves() -> Vec<u8> {
    let rows = KINDS.iter().flat_map(|kind| kind.1.iter().map(move |item| format!("{item};{};*\n", kind.0)));
    rows.collect::<String>().into_bytes()
}

/// A search log: topics that many ask about, and queries that name who asks.
fn searches() -> Vec<u8> {
    let topics = [
        "weather",
        "train times",
        "news",
        "football scores",
        "bread recipe",
        "cinema tonight",
        "tax form",
        "flu symptoms",
    ];
    let zipf = Zipf::new(topics.len(), 0.9);
    let mut random = Random::stream(20, 2);
    let mut text = String::from("user,query,time\n");
    for user in 0..3000 {
        let mut at = 1_800_000_000 + random.below(5_000_000);
        for _ in 0..1 + random.below(6) {
            at += random.below(90_000);
            let query = match random.chance(0.04) {
                true => format!("tax number {}", 100_000_000 + random.below(900_000_000)),
                false => topics[zipf.draw(&mut random) as usize].to_owned(),
            };
            // cannot fail: as above
            let _ = writeln!(text, "u{user},{query},{at}");
        }
    }
    text.into_bytes()
}

pub(super) fn demo() -> Demo {
    let job = |text: &str| text.as_bytes().to_vec();
    Demo {
        introduction: "A shop has the baskets of 2,500 customers and the searches of 3,000 visitors. Whoever was seen with two things \
                       in the cart can be found among the baskets, and some people typed their tax number.",
        files: vec![
            ("baskets.txt", shop()),
            ("shelves.csv", shelves()),
            ("searches.csv", searches()),
            (
                "four-items.toml",
                job("# The adversary saw four things in the cart.\n[known-items]\nitems = 4\n"),
            ),
            (
                "naive.toml",
                job(
                    "kind = \"sets\"\n\n[input]\npath = \"baskets.txt\"\nform = \"lines\"\nseparator = \",\"\nhierarchy = \
                     \"shelves.csv\"\n\n[sets]\nmethod = \"apriori\"\nk = 2\nm = 1\n\n[adversary]\nknowledge = \"four-items.toml\"\n\n[output]\nfolder = \"naive\"\nhome = \
                     \"naive-home\"\nreplace = true\n",
                ),
            ),
            (
                "generalized.toml",
                job(
                    "kind = \"sets\"\n\n[input]\npath = \"baskets.txt\"\nform = \"lines\"\nseparator = \",\"\nhierarchy = \
                     \"shelves.csv\"\n\n[sets]\nmethod = \"apriori\"\nk = 5\nm = 2\n\n[adversary]\nmax-risk = \
                     0.01\n\n[output]\nfolder = \"generalized\"\nhome = \"generalized-home\"\nreplace = true\n",
                ),
            ),
            (
                "taken-apart.toml",
                job(
                    "kind = \"sets\"\n\n[input]\npath = \"baskets.txt\"\nform = \"lines\"\nseparator = \",\"\nsensitive = \
                     [\"pregnancy test\", \"nicotine gum\"]\n\n[sets]\nmethod = \"disassociation\"\nk = 5\nm = \
                     2\nlargest-cluster = 40\n\n[adversary]\nmax-risk = 0.01\n\n[output]\nfolder = \"taken-apart\"\nhome = \
                     \"taken-apart-home\"\nreplace = true\n",
                ),
            ),
            (
                "searches.toml",
                job(
                    "kind = \"sets\"\n\n[input]\npath = \"searches.csv\"\nform = \"log\"\nperson = \"user\"\nquery = \
                     \"query\"\ntime = \"time\"\n\n[sets]\nmethod = \"korolova\"\nepsilon = \"1\"\ndelta = \"1e-6\"\npeople = \
                     5\nqueries-per-person = 3\n\n[output]\nfolder = \"queries\"\nhome = \"queries-home\"\nreplace = true\n",
                ),
            ),
        ],
        jobs: vec![
            ("naive.toml", "Names are gone, and every item was bought twice: four known items find people."),
            (
                "generalized.toml",
                "Rare items become shelves, so that two known items fit at least five baskets or none.",
            ),
            (
                "taken-apart.toml",
                "Every item stays, and nobody is told which rare items stood together in one basket.",
            ),
            (
                "searches.toml",
                "Queries of many people with noisy counts; tax numbers are of one person each and never leave.",
            ),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::io::{ReadOptions, read_csv_bytes};
    use std::path::Path;

    #[test]
    fn shapes_are_recognised_and_tables_of_people_are_not() {
        let lines = Sample { path: Path::new("x/a.dat"), head: "1 2 3\n4\n5 6\n1\n2 9\n3 1\n8", table: None };
        assert!(recognise(&lines).unwrap().job.contains("form = \"lines\""));
        let log = read_csv_bytes(&searches(), &ReadOptions::default()).unwrap();
        let sample = Sample { path: Path::new("searches.csv"), head: "", table: Some(&log.table) };
        let job = recognise(&sample).unwrap().job;
        assert!(job.contains("query = \"query\"") && job.contains("time = \"time\""));
        let people: String = (0..50).map(|own| format!("{own},{},{}\n", own % 7, own % 3)).collect();
        let people =
            read_csv_bytes(format!("user,item,age\n{people}").as_bytes(), &ReadOptions::default()).unwrap();
        assert!(
            recognise(&Sample { path: Path::new("p.csv"), head: "", table: Some(&people.table) }).is_none()
        );
        assert!(recognise(&Sample { path: Path::new("p.txt"), head: "a b\nc\n", table: None }).is_none());
    }
}
