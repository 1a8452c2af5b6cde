//! The referee of the kind `sets`: every promise about published baskets, chunks and queries, computed again from the files.
//!
//! Plain on purpose: sets are counted in tables by their first item, closed sets are intersections of baskets, and nothing is shared
//! with the makers. What would take more than [`MOST`] entries is a failed check and not a silent one.

mod apart;
mod nodes;
mod noise;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use privet_data::io::ReadOptions;
use privet_data::{Column, Progress, Table};
use privet_release::{Check, OpenError, Promised, Referee, ReleaseFolder, Trusted};
use serde::Deserialize;

use crate::charged;

/// The most sets that are held at once.
const MOST: usize = 20_000_000;

/// The referee.
pub struct Sets;

/// It, for the list of all.
pub const REFEREE: &dyn Referee = &Sets;

#[derive(Deserialize)]
#[serde(tag = "form", rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
enum Body {
    Baskets { baskets: u64, catalogue: u64, policies: bool },
    Clusters { baskets: u64 },
    Log { sessions: bool, hashed: bool, clicks: bool },
    Counts { queries: noise::Stated, fresh_scale: Option<String>, clicks: Option<noise::Stated> },
    Covers { sets: u64 },
    Sketches { components: u64, suppressed: u64, unit: bool, signs: bool },
}

fn body(folder: &ReleaseFolder) -> Result<Body, OpenError> {
    folder
        .envelope()
        .body()
        .map_err(|source| OpenError::Manifest { folder: folder.path().to_owned(), source })
}

/// A published table; `None` and a failed check where a cell has not the form that its column needs.
struct Rows {
    table: Table,
}

impl Rows {
    fn read(folder: &ReleaseFolder, name: &str, progress: &dyn Progress) -> Result<Self, OpenError> {
        Ok(Self { table: folder.table(name, &ReadOptions::default().exactly(), progress)? })
    }

    fn column(&self, folder: &ReleaseFolder, file: &str, name: &str) -> Result<&Column, OpenError> {
        self.table.column(name).ok_or_else(|| folder.malformed(file, format!("no column `{name}`")))
    }

    fn numbers<T: std::str::FromStr>(
        &self,
        folder: &ReleaseFolder,
        file: &str,
        name: &str,
    ) -> Result<Vec<T>, OpenError> {
        let column = self.column(folder, file, name)?;
        let number = |&code: &u32| column.domain.text(code).parse().ok();
        let numbers: Option<Vec<T>> = column.codes.iter().map(number).collect();
        numbers.ok_or_else(|| folder.malformed(file, format!("`{name}` holds something else than numbers")))
    }
}

/// All sets of at most `most` items that begin with each item, with the baskets that hold them; shown item by item.
///
/// `show` gets a set and its count; it is told of each set once. Returns false where there are too many sets.
fn count_sets(baskets: &[Vec<u32>], most: usize, show: &mut dyn FnMut(&[u32], u64)) -> bool {
    let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, basket) in baskets.iter().enumerate() {
        for &item in basket {
            holders.entry(item).or_default().push(number);
        }
    }
    for (first, numbers) in holders {
        let mut counts: HashMap<Vec<u32>, u64> = HashMap::new();
        for number in numbers {
            let basket = &baskets[number];
            let later: Vec<u32> = basket.iter().copied().filter(|&item| item > first).collect();
            let mut set = vec![first];
            add_subsets(&later, most - 1, &mut set, &mut counts);
            if counts.len() > MOST {
                return false;
            }
        }
        counts.iter().for_each(|(set, &count)| show(set, count));
    }
    true
}

fn add_subsets(later: &[u32], most: usize, set: &mut Vec<u32>, counts: &mut HashMap<Vec<u32>, u64>) {
    match counts.get_mut(&set[..]) {
        Some(count) => *count += 1,
        None => _ = counts.insert(set.clone(), 1),
    }
    if most == 0 || counts.len() > MOST {
        return;
    }
    for (place, &item) in later.iter().enumerate() {
        set.push(item);
        add_subsets(&later[place + 1..], most - 1, set, counts);
        set.pop();
    }
}

impl Referee for Sets {
    fn kind(&self) -> &'static str {
        "sets"
    }

    fn files(&self, folder: &ReleaseFolder) -> Result<Vec<String>, OpenError> {
        let names: Vec<&str> = match body(folder)? {
            Body::Baskets { policies: false, .. } => vec!["items.csv", "baskets.csv"],
            Body::Baskets { policies: true, .. } => vec!["items.csv", "baskets.csv", "protected.csv"],
            Body::Clusters { .. } => vec!["clusters.csv", "chunks.csv"],
            Body::Log { .. } => vec!["log.csv"],
            Body::Counts { clicks: None, .. } => vec!["queries.csv"],
            Body::Counts { clicks: Some(_), .. } => vec!["queries.csv", "clicks.csv"],
            Body::Covers { .. } => vec!["covers.csv"],
            Body::Sketches { signs: false, .. } => vec!["sketches.csv"],
            Body::Sketches { signs: true, .. } => vec!["sketches.csv", "signs.csv"],
        };
        Ok(names.into_iter().map(str::to_owned).collect())
    }

    fn verify(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Check>, OpenError> {
        let mut checks = match body(folder)? {
            Body::Baskets { baskets, catalogue, policies } => {
                nodes::verify(folder, baskets, catalogue, policies, progress)?
            }
            Body::Clusters { baskets } => apart::verify(folder, baskets, progress)?,
            Body::Log { sessions, hashed, clicks } => verify_log(folder, sessions, hashed, clicks, progress)?,
            Body::Counts { queries, fresh_scale, clicks } => {
                noise::verify(folder, &queries, fresh_scale.as_deref(), clicks.as_ref(), progress)?
            }
            Body::Covers { sets } => verify_covers(folder, sets, progress)?,
            Body::Sketches { components, suppressed, unit, .. } => {
                verify_sketches(folder, components, suppressed, unit, progress)?
            }
        };
        if folder.envelope().promises.is_empty() {
            checks.push(Check::failed("promises", "the manifest promises nothing"));
        }
        Ok(checks)
    }

    fn on_trust(&self) -> &'static [Trusted] {
        &[
            Trusted {
                what: "one basket per person",
                why: "that a basket holds all items of one person and no other person has it: the input alone shows it",
            },
            Trusted {
                what: "how queries were counted",
                why: "that a person counts for a limited number of queries, and that sessions of one query are of different people: \
                      the log alone shows it",
            },
            Trusted {
                what: "how noise and signs were drawn",
                why: "that they come from the operating system and nobody kept them",
            },
            Trusted {
                what: "the variance of sketches",
                why: "that estimated counts and similarities vary enough: it takes the histories to compute how much they do",
            },
        ]
    }

    fn statement(&self, promised: &Promised) -> Option<String> {
        let share = |name: &str| promised.number(name);
        Some(match promised.id.as_str() {
            "k-m-anonymity" => {
                let (k, m) = (promised.whole("k")?, promised.whole("m")?);
                format!(
                    "Whoever knows up to {m} items of a person finds at least {k} baskets that fit, or none (k^m-anonymity)."
                )
            }
            "coherence" => {
                let (h, k, p) = (share("h")?, promised.whole("k")?, promised.whole("p")?);
                format!(
                    "Whoever knows up to {p} public items of a person finds at least {k} baskets that fit, and no more than {h} of \
                     them hold the same sensitive item ((h,k,p)-coherence)."
                )
            }
            "item-diversity" => {
                let (l, m) = (share("l")?, promised.whole("m")?);
                format!(
                    "Of the baskets that fit up to {m} known public items, at most one in {l} holds the same sensitive item \
                     (l-diversity)."
                )
            }
            "rho-uncertainty" => {
                let rho = share("rho")?;
                let known =
                    promised.whole("most").map_or("any items".to_owned(), |own| format!("up to {own} items"));
                format!(
                    "Whoever knows {known} of a person concludes no sensitive item with a confidence above {rho} (rho-uncertainty)."
                )
            }
            "protected-sets" => {
                let k = promised.whole("k")?;
                format!("At least {k} baskets, or none, hold all items of each protected set.")
            }
            "query-threshold" => {
                let people = promised.whole("people")?;
                format!("At least {people} people asked each published query.")
            }
            "differential-privacy" => {
                let (epsilon, delta) = (promised.word("epsilon")?, promised.word("delta")?);
                let kind = match promised.word("kind")? {
                    "approximate" => "differential privacy",
                    "probabilistic" => "probabilistic differential privacy",
                    _ => return None,
                };
                let people = promised.whole("people")?;
                format!(
                    "The release has ({epsilon}, {delta})-{kind} for persons who are added or removed, and no query of fewer than \
                     {people} people leaves. {}",
                    charged::ledger(promised)
                )
            }
            "deniability" => {
                let (size, people) = (promised.whole("size")?, promised.whole("people")?);
                let (ratio, similarity) = (share("ratio")?, share("similarity")?);
                format!(
                    "Each set has {size} queries of at least {people} people each, none {ratio} times as popular as another, whose words are \
                     at most {similarity} alike (cosine)."
                )
            }
            "delta-anonymity" => {
                let delta = share("delta")?;
                format!(
                    "Every count that is estimated from a sketch has a variance above {delta} (delta-anonymity)."
                )
            }
            "k-variance" => {
                let k = promised.whole("neighbours")?;
                format!(
                    "The similarity of a sketch with each of its {k} nearest neighbours varies by more than it differs from certainty (k-variance)."
                )
            }
            _ => return None,
        })
    }
}

/// Persons, or sessions, per query.
fn verify_log(
    folder: &ReleaseFolder,
    sessions: bool,
    hashed: bool,
    clicks: bool,
    progress: &dyn Progress,
) -> Result<Vec<Check>, OpenError> {
    const FILE: &str = "log.csv";
    let rows = Rows::read(folder, FILE, progress)?;
    let persons: Vec<u64> = rows.numbers(folder, FILE, "person")?;
    let query = rows.column(folder, FILE, "query")?;
    let address = rows.column(folder, FILE, "address")?;
    let mut checks = Vec::new();
    let shown = address.codes.iter().filter(|&&code| !address.domain.is_missing(code)).count();
    checks.push(match clicks || shown == 0 {
        true => Check::passed("addresses", "addresses stand where the manifest says so"),
        false => Check::failed(
            "addresses",
            format!("{shown} rows have an address, and the manifest says none has"),
        ),
    });
    let is_hash = |text: &str| {
        text.split(' ')
            .filter(|word| !word.is_empty())
            .all(|word| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    if hashed {
        let plain = query
            .codes
            .iter()
            .filter(|&&code| !query.domain.is_missing(code) && !is_hash(query.domain.text(code)))
            .count();
        checks.push(match plain {
            0 => Check::passed("hashes", "every word is a hash"),
            rows => Check::failed("hashes", format!("{rows} rows hold words that are no hash")),
        });
    }
    for promised in &folder.envelope().promises {
        if promised.id != "query-threshold" {
            checks.push(Check::failed(promised.id.clone(), "this form of release has no such promise"));
            continue;
        }
        let people = promised.whole("people").unwrap_or(u64::MAX);
        let mut of_query: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
        for (&code, &person) in query.codes.iter().zip(&persons) {
            of_query.entry(code).or_default().insert(person);
        }
        let least = of_query.values().map(|own| own.len() as u64).min();
        let unit = if sessions { "sessions, which may be fewer people," } else { "people" };
        let check = match least {
            Some(least) if least < people => {
                Check::failed("query threshold", format!("a query is of {least} {unit} and not of {people}"))
            }
            Some(least) => {
                let detail = format!("every query is of {least} {unit} or more");
                // Sessions of one person are not told apart from those of several.
                Check { bounded: sessions, ..Check::passed("query threshold", detail) }
            }
            None => Check::passed("query threshold", "no query is published"),
        };
        checks.push(check);
    }
    Ok(checks)
}

/// Cover sets: a partition into sets of one size, of queries that enough people asked, about as popular, and of other words.
fn verify_covers(
    folder: &ReleaseFolder,
    sets: u64,
    progress: &dyn Progress,
) -> Result<Vec<Check>, OpenError> {
    const FILE: &str = "covers.csv";
    const NAME: &str = "deniability";
    let rows = Rows::read(folder, FILE, progress)?;
    let query = rows.column(folder, FILE, "query")?;
    let (numbers, people): (Vec<u64>, Vec<u64>) =
        (rows.numbers(folder, FILE, "set")?, rows.numbers(folder, FILE, "people")?);
    let mut of: BTreeMap<u64, Vec<(&str, u64)>> = BTreeMap::new();
    for ((&number, &count), &code) in numbers.iter().zip(&people).zip(&query.codes) {
        of.entry(number).or_default().push((query.domain.text(code), count));
    }
    let distinct: BTreeSet<u32> = query.codes.iter().copied().collect();
    let mut checks = vec![match of.len() as u64 == sets && distinct.len() == query.codes.len() {
        true => Check::passed("form", format!("{sets} sets; every query is in one of them")),
        false => Check::failed("form", "there are not as many sets as stated, or a query is in two of them"),
    }];
    for promised in &folder.envelope().promises {
        let asked = (
            promised.whole("size"),
            promised.whole("people"),
            promised.number("ratio"),
            promised.number("similarity"),
        );
        let (Some(size), Some(least), Some(ratio), Some(similarity)) = asked else {
            checks.push(Check::failed(NAME, "the promise lacks a number"));
            continue;
        };
        let words = |text: &str| -> BTreeSet<String> { text.split_whitespace().map(str::to_owned).collect() };
        let alike = |one: &str, other: &str| {
            let (one, other) = (words(one), words(other));
            one.intersection(&other).count() as f64 / ((one.len() * other.len()) as f64).sqrt().max(1.0)
        };
        let holds = |set: &Vec<(&str, u64)>| {
            let (fewest, most) = (set.iter().map(|own| own.1).min(), set.iter().map(|own| own.1).max());
            let (fewest, most) = (fewest.unwrap_or(0), most.unwrap_or(0));
            let differ =
                |at: usize| set[at + 1..].iter().all(|other| alike(set[at].0, other.0) <= similarity + 1e-9);
            set.len() as u64 == size
                && fewest >= least
                && most as f64 <= fewest as f64 * ratio * (1.0 + 1e-9)
                && (0..set.len()).all(differ)
        };
        let posterior = |set: &Vec<(&str, u64)>| {
            let all: u64 = set.iter().map(|own| own.1).sum();
            set.iter().map(|own| own.1).max().unwrap_or(0) as f64 / all.max(1) as f64
        };
        let worst = of.values().map(posterior).fold(0.0, f64::max);
        let as_stated = promised.reached.is_some_and(|reached| (reached - worst).abs() < 1e-9);
        checks.push(match promised.id == "deniability" && of.values().all(holds) && as_stated {
            true => {
                Check::passed(NAME, format!("the likeliest member of any set has a posterior of {worst:.4}"))
            }
            false => Check::failed(
                NAME,
                "a set is too small, too rare, too unequal or too much alike, or its posterior is another",
            ),
        });
    }
    Ok(checks)
}

/// The form of sketches. What they promise needs the histories, so that no check of a promise is more than bounded.
fn verify_sketches(
    folder: &ReleaseFolder,
    components: u64,
    suppressed: u64,
    unit: bool,
    progress: &dyn Progress,
) -> Result<Vec<Check>, OpenError> {
    const FILE: &str = "sketches.csv";
    let rows = Rows::read(folder, FILE, progress)?;
    let (numbers, of): (Vec<u64>, Vec<u64>) =
        (rows.numbers(folder, FILE, "sketch")?, rows.numbers(folder, FILE, "component")?);
    let values: Vec<f64> = rows.numbers(folder, FILE, "value")?;
    let mut lengths: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    numbers
        .iter()
        .zip(&of)
        .for_each(|(&number, &component)| _ = lengths.entry(number).or_default().insert(component));
    let in_order = lengths.iter().enumerate().all(|(place, (&number, own))| {
        place as u64 == number
            && own.iter().copied().eq(0..own.len() as u64)
            && own.len() as u64 <= components
    });
    let total: usize = lengths.values().map(BTreeSet::len).sum();
    let mut checks =
        vec![match in_order && total == values.len() && values.iter().all(|own| own.is_finite()) {
            true => Check::passed(
                "form",
                format!(
                    "{} sketches of at most {components} components; {suppressed} people have none",
                    lengths.len()
                ),
            ),
            false => Check::failed(
                "form",
                "components are not numbered from 0 on, or there are more than the manifest says",
            ),
        }];
    for promised in &folder.envelope().promises {
        checks.push(match (promised.id.as_str(), unit) {
            ("delta-anonymity", _) | ("k-variance", true) => Check {
                bounded: true,
                ..Check::passed(
                    promised.id.clone(),
                    "is not contradicted; only the histories show the variances, which are the publisher's word",
                )
            },
            _ => Check::failed(promised.id.clone(), "this form of release has no such promise"),
        });
    }
    Ok(checks)
}
