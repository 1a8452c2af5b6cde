//! Times of everything in this crate that can take long, with the limits that are set for them.
//!
//! ```text
//! cargo run --release -p privet-mine --example bench_mine -- <folder of data sets> [name of one benchmark]
//! ```

#[path = "common/adult.rs"]
mod adult;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_data::{Random, Silent};
use privet_mine::audit::{AuditQuestion, AuditTerms, AuditedTable, Decision, ExtremeAuditor, SumAuditor};
use privet_mine::cluster::{Axis, AxisDomain, ClusterOptions, Membership, Metric, Points, Space, cluster};
use privet_mine::hide::{ExactOptions, Method, Sensitive, Thresholds, hide, report};
use privet_mine::rules::channels::rules_without_channels;
use privet_mine::rules::{Rule, RuleOptions, Transactions, frequent_itemsets, largest_safe_subset, rules_of};
use privet_mine::tree::{GrowOptions, grow};
use privet_mine::{Attribute, ClassAttribute, Examples, Schema, Values, Visibility};

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let mut arguments = std::env::args().skip(1);
    let data = arguments.next().ok_or("usage: bench_mine <folder of data sets> [benchmark]")?;
    let only = arguments.next();
    let data = Path::new(&data);
    let all: [(&str, &dyn Fn() -> Outcome); 12] = [
        ("adult", &|| adult_trees(data)),
        ("trees", &large_trees),
        ("clusters", &clusters),
        ("gower", &mixed_clusters),
        ("itemsets", &|| itemsets(data)),
        ("rules", &|| rules(data)),
        ("safe-rules", &|| safe_rules(data)),
        ("hiding", &|| hiding(data)),
        ("sums", &sums),
        ("following", &following_sums),
        ("audited", &audited_table),
        ("maxima", &maxima),
    ];
    for (name, run) in all {
        if only.as_deref().is_none_or(|only| only == name) {
            run()?;
        }
    }
    Ok(())
}

/// One line of JSON: what took how long, and how long it may take.
fn told(what: &str, took: Duration, limit: f64) {
    found(what, took, limit, serde_json::json!({}));
}

/// The same with what was found.
fn found(what: &str, took: Duration, limit: f64, found: serde_json::Value) {
    let seconds = took.as_secs_f64();
    println!("{}", serde_json::json!({ "what": what, "seconds": seconds, "limit": limit, "found": found }));
}

fn adult_trees(data: &Path) -> Outcome {
    let (train, _) = adult::read(&data.join("adult-uci"), &[])?;
    let start = Instant::now();
    for k in [10, 25, 50, 75, 100, 150, 200, 250, 500, 750, 1000, 1500, 2000] {
        grow(&train, &GrowOptions::k_anonymous(k))?;
    }
    told("Adult, a tree at every k of the paper, together", start.elapsed(), 0.5);
    Ok(())
}

/// Ten attributes of 2 to 16 values, a class that four of them decide with noise; twice the records take about twice as long.
fn large_trees() -> Outcome {
    for records in [500_000usize, 1_000_000] {
        let mut random = Random::new(1);
        let (mut attributes, mut columns) = (Vec::new(), Vec::new());
        for place in 0..10u32 {
            let size = 2 + place * 14 / 9;
            let names: Vec<String> = (0..size).map(|value| value.to_string()).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            attributes.push(Attribute::categories(&format!("a{place}"), Visibility::Public, &names));
            let codes = (0..records).map(|_| random.below(size as usize) as u32).collect();
            columns.push(Values { codes, numbers: Vec::new() });
        }
        let class = (0..records)
            .map(|row| {
                let score = columns[9].codes[row] + columns[7].codes[row] + columns[2].codes[row];
                u32::from(score > 14) ^ u32::from(random.below(10) == 0)
            })
            .collect();
        let values = vec!["no".to_owned(), "yes".to_owned()];
        let class_attribute =
            ClassAttribute { name: "class".into(), visibility: Visibility::Private, values };
        let examples = Examples::new(Schema { attributes, class: class_attribute }, columns, class)?;
        let start = Instant::now();
        let grown = grow(&examples, &GrowOptions::k_anonymous(50))?;
        let leaves = grown.release.model.leaves().count();
        told(&format!("tree on {records} x 10, k = 50 ({leaves} leaves)"), start.elapsed(), 5.0);
    }
    Ok(())
}

/// Points of two public and one private number in forty clouds.
fn points(records: usize) -> Result<Points, Box<dyn Error>> {
    let mut random = Random::new(2);
    let mut axes: Vec<Axis> =
        (0..2).map(|place| Axis::numbers(&format!("p{place}"), Visibility::Public, 0.0, 1.0)).collect();
    axes.push(Axis::numbers("private", Visibility::Private, 0.0, 1.0));
    let mut number = || random.below(1 << 20) as f64 / f64::from(1 << 20);
    let centres: Vec<[f64; 3]> = (0..40).map(|_| [number(), number(), number()]).collect();
    let mut columns = vec![Vec::new(); 3];
    for record in 0..records {
        for (axis, column) in columns.iter_mut().enumerate() {
            let noise = (number() + number() + number() - 1.5) * 0.05;
            let value = (centres[record % 40][axis] + noise).clamp(0.0, 1.0);
            column.push(axes[axis].position(value).unwrap_or(0));
        }
    }
    Ok(Points::new(Space { axes, metric: Metric::Euclidean }, columns)?)
}

fn clusters() -> Outcome {
    for records in [10_000, 20_000] {
        let points = points(records)?;
        let start = Instant::now();
        let found = cluster(&points, &ClusterOptions::k_anonymous(10), &Silent)?;
        let what = format!("clusters of {records} points, nearest point ({} clusters)", found.clusters());
        told(&what, start.elapsed(), 5.0);
    }
    let points = points(20_000)?;
    let options = ClusterOptions {
        membership: Membership::NearestCentroid,
        min_members: 10,
        patience: 50,
        ..ClusterOptions::k_anonymous(10)
    };
    let start = Instant::now();
    let found = cluster(&points, &options, &Silent)?;
    told(
        &format!("clusters of 20000 points, nearest centroid ({} clusters)", found.clusters()),
        start.elapsed(),
        5.0,
    );
    Ok(())
}

/// Clusters as a job asks for them, where points are not told apart by one private number: categories by Gower's distance, and two private
/// numbers.
fn mixed_clusters() -> Outcome {
    for records in [5_000usize, 10_000, 20_000] {
        let mut random = Random::new(6);
        let category = |name: &str, visibility| {
            let values = (0..6).map(|value| value.to_string()).collect();
            Axis { name: name.to_owned(), visibility, domain: AxisDomain::Categories { values } }
        };
        let number = |name: &str, visibility| Axis::numbers(name, visibility, 0.0, 1.0);
        let (public, private) = (Visibility::Public, Visibility::Private);
        let numbers = [number("age", public), number("size", public), number("cost", private)];
        let gower = [category("ward", public), category("illness", private)];
        let euclid = [number("stay", private)];
        for (name, metric, others) in
            [("Gower", Metric::Gower, &gower[..]), ("two private numbers", Metric::Euclidean, &euclid[..])]
        {
            let axes: Vec<Axis> = numbers.iter().chain(others).cloned().collect();
            let mut columns = vec![Vec::new(); axes.len()];
            for record in 0..records {
                for (axis, column) in axes.iter().zip(&mut columns) {
                    let noise = (0..3).map(|_| random.unit()).sum::<f64>() / 3.0;
                    let near = f64::from((record % 40) as u32) / 40.0;
                    column.push(match axis.domain {
                        AxisDomain::Numbers { .. } => axis.position(0.7 * near + 0.3 * noise).unwrap_or(0),
                        AxisDomain::Categories { .. } => {
                            if random.chance(0.9) {
                                record as u32 % 40 % 6
                            } else {
                                random.below(6) as u32
                            }
                        }
                    });
                }
            }
            let points = Points::new(Space { axes, metric }, columns)?;
            let options = ClusterOptions {
                membership: Membership::NearestCentroid,
                min_members: 10,
                patience: 200,
                ..ClusterOptions::k_anonymous(10)
            };
            let start = Instant::now();
            let found = cluster(&points, &options, &Silent)?;
            let what = format!("clusters of {records} points, {name} ({} clusters)", found.clusters());
            told(&what, start.elapsed(), 5.0);
        }
    }
    Ok(())
}

fn transactions(path: &Path) -> Result<Transactions, Box<dyn Error>> {
    Ok(Transactions::parse(&std::fs::read_to_string(path)?)?)
}

fn itemsets(data: &Path) -> Outcome {
    for (name, share) in [("fimi-chess/chess.dat", 0.6), ("fimi-mushroom/mushroom.dat", 0.1)] {
        let own = transactions(&data.join(name))?;
        let least = (own.len() as f64 * share).ceil() as u64;
        let start = Instant::now();
        let found = frequent_itemsets(&own, least, 10_000_000, &Silent)?;
        let took = start.elapsed();
        let supports: u64 = found.iter().map(|(_, support)| u64::from(support)).sum();
        let told = serde_json::json!({
            "file": name, "support": least, "itemsets": found.len(), "supports": supports
        });
        self::found(&format!("itemsets of {name} at {least}"), took, 1.0, told);
    }
    Ok(())
}

fn rules(data: &Path) -> Outcome {
    let own = transactions(&data.join("groceries/groceries.dat"))?;
    let start = Instant::now();
    let found = frequent_itemsets(&own, 10, 10_000_000, &Silent)?;
    let rules = rules_of(&found, &RuleOptions::default(), &Silent)?;
    let what = format!("groceries at 10, rules of confidence 0.5 ({} of {})", rules.len(), found.len());
    told(&what, start.elapsed(), 1.0);
    Ok(())
}

/// The rules of groceries that may be published when the most frequent item is private.
fn safe_rules(data: &Path) -> Outcome {
    let own = transactions(&data.join("groceries/groceries.dat"))?;
    let supports = own.item_supports();
    let private = (0..own.domain()).max_by_key(|&item| supports[item as usize]).unwrap_or(0);
    for most in [250usize, 500, 1000] {
        let found = frequent_itemsets(&own, 20, 10_000_000, &Silent)?;
        let mut rules =
            rules_of(&found, &RuleOptions { confidence: 0.3, ..RuleOptions::default() }, &Silent)?;
        rules.truncate(most);
        let start = Instant::now();
        let safe = largest_safe_subset(&own, &rules, &[private], 10, &Silent)?;
        let what = format!("safe rules of groceries, k = 10 ({} of {})", safe.kept.len(), rules.len());
        told(&what, start.elapsed(), 5.0);
        let start = Instant::now();
        let kept: Vec<Rule> = safe.kept.iter().map(|&place| rules[place].clone()).collect();
        let closed = rules_without_channels(&kept, &[private], own.len() as u64, 10, &Silent)?;
        let what = format!("channels of these closed ({} of {})", closed.len(), kept.len());
        told(&what, start.elapsed(), 5.0);
    }
    Ok(())
}

fn hiding(data: &Path) -> Outcome {
    let own = transactions(&data.join("groceries/groceries.dat"))?;
    let thresholds = Thresholds { support: 49, confidence: 0.3 };
    let mined = thresholds.mine(&own, 10_000_000, &Silent)?;
    let step = mined.len() / 5;
    let sensitive: Vec<Sensitive> = (0..5)
        .map(|place| &mined[place * step])
        .map(|rule| Sensitive::rule(&rule.antecedent, &rule.consequent))
        .collect();
    for (method, limit) in [
        (Method::RemoveTransactions, 1.0),
        (Method::MaxFia, 1.0),
        (Method::MinFia, 1.0),
        (Method::Iga, 1.0),
        (Method::Naive, 1.0),
        (Method::RaiseAntecedent, 1.0),
        (Method::Border, 1.0),
        (Method::ExactTransactions, 60.0),
        (Method::ExactItems, 60.0),
    ] {
        let start = Instant::now();
        let hidden = hide(&own, &sensitive, &thresholds, method, &ExactOptions::default(), &Silent);
        let took = start.elapsed();
        match hidden {
            Ok(hidden) => {
                let cost = report(&own, &hidden.transactions, &sensitive, &thresholds, 10_000_000, &Silent)?;
                let told = serde_json::json!({
                    "rules": mined.len(), "changed": hidden.changed, "failure": cost.hiding_failure(), "lost": cost.misses_cost(),
                    "ghosts": cost.artifacts(), "dissimilarity": cost.dissimilarity, "proof": hidden.proof
                });
                found(&format!("hiding 5 of groceries, {method:?}"), took, limit, told);
            }
            Err(error) => println!(
                "{}",
                serde_json::json!({ "what": format!("{method:?}"), "refused": error.to_string() })
            ),
        }
    }
    Ok(())
}

/// Random questions about 10,000 people, in two mixtures: groups of a few, and halves of everybody.
fn sums() -> Outcome {
    for (name, share) in [("about 5 of", 0.0005), ("about 100 of", 0.01), ("about half of", 0.5)] {
        let mut random = Random::new(3);
        let mut auditor = SumAuditor::new(10_000, &[]);
        let (mut answered, mut slowest) = (0, Duration::ZERO);
        let start = Instant::now();
        for _ in 0..10_000 {
            let people: Vec<u32> = (0..10_000u32).filter(|_| random.chance(share)).collect();
            if people.is_empty() {
                continue;
            }
            let decision = Instant::now();
            answered += u32::from(auditor.ask(&people) == Decision::Answer);
            slowest = slowest.max(decision.elapsed());
        }
        let what = format!("10,000 sums over {name} 10,000 people ({answered} answered)");
        let milliseconds = slowest.as_secs_f64() * 1e3;
        found(&what, start.elapsed(), 100.0, serde_json::json!({ "slowest decision, ms": milliseconds }));
        // Every single decision has ten milliseconds.
        told(&format!("the slowest of these decisions, about {name} all"), slowest, 0.01);
    }
    Ok(())
}

/// Questions that follow from earlier ones, which must be proven: unions of answered questions about different people.
fn following_sums() -> Outcome {
    for answered in [500usize, 1000, 2000] {
        let mut random = Random::new(7);
        let mut auditor = SumAuditor::new(10_000, &[]);
        let mut parts: Vec<Vec<u32>> = Vec::new();
        while parts.len() < answered {
            let people: Vec<u32> = (0..10_000u32).filter(|_| random.chance(0.002)).collect();
            if people.len() > 2 && auditor.ask(&people) == Decision::Answer {
                parts.push(people);
            }
        }
        let (mut asked, mut slowest) = (0, Duration::ZERO);
        while asked < 100 {
            let mut union = parts[random.below(answered)].clone();
            let other = &parts[random.below(answered)];
            if other.iter().any(|person| union.contains(person)) {
                continue;
            }
            union.extend(other);
            union.sort_unstable();
            let decision = Instant::now();
            if auditor.ask(&union) != Decision::Answer {
                return Err("a union of answered questions was denied".into());
            }
            slowest = slowest.max(decision.elapsed());
            asked += 1;
        }
        told(&format!("the slowest of 100 sums that follow from {answered} others"), slowest, 0.01);
    }
    Ok(())
}

/// A question through the table after so many others, from the log alone and with what was kept.
fn audited_table() -> Outcome {
    let mut text = "number,salary\n".to_owned();
    (0..10_000u32).for_each(|person| text.push_str(&format!("{person},{}\n", 1000 + person * 37 % 977)));
    let options = ReadOptions { header: Some(true), ..ReadOptions::default().exactly() };
    let table = read_csv_bytes(text.as_bytes(), &options)?.table;
    let terms = || AuditTerms { public: vec!["number".to_owned()], ..AuditTerms::default() };
    let mut random = Random::new(8);
    let (mut lines, mut state) = (Vec::new(), None);
    for asked in 1..=1000u32 {
        // Even distances between ends, so that none is denied.
        let (low, width) = (random.below(9_000), 2 * random.below(400) + 9);
        let question = format!("select sum(salary) from data where number between {low} and {}", low + width);
        let question = AuditQuestion::parse(&question)?;
        if asked == 1000 {
            let start = Instant::now();
            let _ =
                AuditedTable::open(&table, terms(), None, &lines, None, &Silent)?.ask("ann", &question)?;
            told("question 1,000 through the table, from the log alone", start.elapsed(), 60.0);
        }
        let start = Instant::now();
        let mut auditors =
            AuditedTable::resume(&table, terms(), None, &lines, None, state.as_ref(), &Silent)?;
        if auditors.eliminated() >= 16 {
            state = auditors.state();
        }
        auditors.ask("ann", &question)?.kept(|line| -> Result<(), Box<dyn Error>> {
            lines.push(line);
            Ok(())
        })?;
        if asked % 250 == 0 {
            told(&format!("question {asked} through the table, with what was kept"), start.elapsed(), 1.0);
        }
    }
    Ok(())
}

fn maxima() -> Outcome {
    let mut random = Random::new(4);
    let values: Vec<f64> = (0..10_000).map(|_| random.below(1000) as f64).collect();
    let mut auditor = ExtremeAuditor::maxima(values.len());
    let mut answered = 0;
    let start = Instant::now();
    for _ in 0..10_000 {
        let people: Vec<u32> = (0..10_000u32).filter(|_| random.below(100) == 0).collect();
        if auditor.decide(&people) == Decision::Answer {
            answered += 1;
            let answer = auditor.answer(&people, &values);
            auditor.record(&people, answer);
        }
    }
    told(
        &format!("10,000 maxima over about 100 of 10,000 people ({answered} answered)"),
        start.elapsed(),
        100.0,
    );
    Ok(())
}
