//! Decomposition by trust and purpose beside Mondrian and top-down specialization (thesis E3 and E4, chapter 4).

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Context, Result};

use super::Papers;
use super::chart::Chart;
use super::data::{self, Heights};
use super::page::{Page, fixed};
use super::program::{Desk, Made};
use super::table::{self, Column, Dice, Table};
use crate::cells;

const K: u32 = 20;

/// A data set with its columns and class.
struct Set {
    name: &'static str,
    table: Table,
    quasi: Vec<&'static str>,
    class: &'static str,
    /// The records to learn from; the others are for testing.
    learning: usize,
}

/// How a table is published.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    /// By trust, and no promise but the levels.
    Plain,
    /// The same when each column gets the whole degree, which no search of the program does.
    Whole,
    /// By trust, and then until k-anonymous.
    Safe,
    Mondrian,
    Tds,
}

const METHODS: [(Method, &str); 5] = [
    (Method::Plain, "Dec without k"),
    (Method::Whole, "Dec, whole degree"),
    (Method::Safe, "Dec, then k"),
    (Method::Mondrian, "Mondrian"),
    (Method::Tds, "TDS"),
];

struct Study<'a> {
    desk: Desk<'a>,
    set: Set,
}

pub fn run(papers: &Papers) -> Result<bool> {
    let mut page = Page::new("trust", "Anonymization by trust and purpose");
    let sets = [adult(papers)?, survey(papers)?];
    page.text(&format!(
        "Sun's thesis, chapter 4: `Dec` coarsens columns as far as the trust t in the requester and the purpose ask for; Mondrian (Mon) and top-down \
         specialization (TDS) do not know them. Data: the {} complete records of UCI Adult with the seven printed columns; in place of the \
         49,657 records of the American Community Survey, which are not named further, {} people of its excerpt for Massachusetts 2019 with ten \
         columns. k = {K}, weights of utility with β = 1, the quadratic projection, all columns alike unless a purpose is named.",
        sets[0].table.rows(),
        sets[1].table.rows()
    ));
    page.text(
        "The source leaves open: the formula of the projection (defect 10; here a degree of (1 − t)²), what k means for Dec, which takes none \
         (defect 12; here both without k and raised until k-anonymous), and the weighted DM, which has no formula. Here it is the sum \
         over columns of priority times the discernibility of that column alone, divided by the sum of priorities. In place of random t there is \
         t = 0, 0.1, …, 1. Eq. 4.11 divides the degree among the columns, so that with seven or ten of them even no trust at all moves a \
         column by one step or two; *whole degree* is the other reading, in which each column gets the degree of the table. It is made here by \
         writing the labels themselves, and is not a search of the program. Where Dec is raised until k-anonymous, discernibility is minimized.",
    );
    for set in sets {
        let study = Study::new(papers, set)?;
        by_trust(papers, &study, &mut page)?;
        by_k(papers, &study, &mut page)?;
        by_purpose(papers, &study, &mut page)?;
        learned(papers, &study, &mut page)?;
    }
    page.text(
        "Only the whole degree behaves as Figure 4.4 is described: more discernibility than TDS below t = 0.5 and less above, on both data sets. Eq. 4.11 as \
         printed hardly depends on the trust. Why the rest differs: Mondrian cuts groups down to some twice k whatever the table, while Dec moves whole columns, so on Adult it cannot come \
         near; on ten columns Dec without k leaves nearly everybody alone in a group, which is what its low DM means: it is no anonymity. The \
         thesis does not say how k and Dec go together, and with k forced on full columns the trust hardly matters any more.",
    );
    page.finish(papers)
}

fn adult(papers: &Papers) -> Result<Set> {
    let (mut table, mut learning) = data::adult(&papers.data, Heights::Thesis)?;
    if let Some(rows) = papers.pick(None, Some(3000)) {
        table = table.records(&Dice(4).sample(rows, table.rows()));
        learning = rows * 2 / 3;
    }
    let quasi = vec!["age", "workclass", "education", "country", "marital", "race", "gender"];
    Ok(Set { name: "Adult", table, quasi, class: "salary", learning })
}

fn survey(papers: &Papers) -> Result<Set> {
    let table = data::wide_survey(&papers.data)?;
    let rows = papers.pick(table.rows(), 1500);
    // The records stand in the order of regions: they are mixed before some are set apart.
    let table = table.records(&Dice(6).shuffled(rows, table.rows()));
    let quasi = vec![
        "age",
        "region",
        "sex",
        "marital",
        "race",
        "education",
        "tenure",
        "housing",
        "industry",
        "disability",
    ];
    Ok(Set { name: "Survey", table, quasi, class: "income", learning: rows * 2 / 3 })
}

impl<'a> Study<'a> {
    fn new(papers: &'a Papers, set: Set) -> Result<Self> {
        let desk = Desk::new(papers)?;
        set.table.write(desk.folder(), "all")?;
        let parts = [(0..set.learning, "learn"), (set.learning..set.table.rows(), "test")];
        for (range, name) in parts {
            set.table.records(&range.collect::<Vec<usize>>()).write(desk.folder(), name)?;
        }
        Ok(Self { desk, set })
    }

    /// Publishes `all` or `learn`; a purpose is a section of the file of purposes.
    fn publish(
        &self,
        table: &str,
        method: Method,
        k: u32,
        trust: f64,
        purpose: &str,
    ) -> Result<Option<Made>> {
        let purposes = format!("[purposes.own]\nweights = {{ utility = 1 }}\n{purpose}");
        std::fs::write(self.desk.folder().join("purposes.toml"), purposes)?;
        // Hierarchies of all values, for both parts.
        let job = self.set.table.job("all", &self.set.quasi, &[(self.set.class, "sensitive")]);
        let job = job.replacen("all.csv", &format!("{table}.csv"), 1);
        let decomposition = |until_safe: bool| {
            format!(
                "algorithm = \"decomposition\"\n[purpose]\nfile = \"purposes.toml\"\nname = \"own\"\ntrust = {trust:?}\nuntil-safe = {until_safe}\n"
            )
        };
        let (k, search) = match method {
            Method::Whole => return self.publish_whole(table, trust),
            Method::Plain => (1, decomposition(false)),
            Method::Safe => (k, format!("minimize = \"discernibility\"\n{}", decomposition(true))),
            Method::Mondrian => (k, "algorithm = \"mondrian\"\npublish = \"nodes\"\n".to_owned()),
            Method::Tds => {
                (k, format!("algorithm = \"top-down-specialization\"\nclass = \"{}\"\n", self.set.class))
            }
        };
        self.desk.publish(&format!("{job}[privacy]\nk-anonymity = {k}\n[search]\n{search}"), &[])
    }

    /// The level of a column that is as far up as the degree of the trust asks: steps count 1/(height − level), as with β = 1.
    fn level(&self, name: &str, trust: f64) -> Result<usize> {
        let height = self.set.table.column(name)?.height();
        let step = |level: usize| 1.0 / (height - level) as f64;
        let all: f64 = (0..height).map(step).sum();
        let degree = (1.0 - trust).powi(2);
        let mut climbed = 0.0;
        let mut level = 0;
        while level < height && climbed / all < degree - 1e-12 {
            climbed += step(level);
            level += 1;
        }
        Ok(level)
    }

    /// The table on those levels, and the test records on the same, published without any change.
    fn publish_whole(&self, table: &str, trust: f64) -> Result<Option<Made>> {
        let parts = match table {
            "all" => vec![(0..self.set.table.rows(), "whole")],
            _ => vec![
                (0..self.set.learning, "whole"),
                (self.set.learning..self.set.table.rows(), "whole-test"),
            ],
        };
        let column = |own: &Column, range: &Range<usize>| -> Result<Column> {
            let is_quasi = self.set.quasi.contains(&own.name.as_str());
            let level = if is_quasi { self.level(&own.name, trust)? } else { 0 };
            let label = |&code: &u32| own.paths[code as usize][level].as_str();
            let labels: Vec<&str> = own.codes[range.clone()].iter().map(label).collect();
            Ok(Column::new(&own.name, &labels, |_| Vec::new()))
        };
        for (range, name) in parts {
            let columns =
                self.set.table.columns.iter().map(|own| column(own, &range)).collect::<Result<_>>()?;
            Table { columns }.write(self.desk.folder(), name)?;
        }
        let mut job = "[input]\npath = \"whole.csv\"\n".to_owned();
        self.set.quasi.iter().for_each(|name| job.push_str(&format!("[columns.{name}]\nrole = \"quasi\"\n")));
        job.push_str(&format!(
            "[columns.{}]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 1\n",
            self.set.class
        ));
        self.desk.publish(&job, &[])
    }

    /// Discernibility and C_AVG, counted from the labels.
    fn cost(&self, method: Method, k: u32, trust: f64) -> Result<(f64, f64)> {
        let made = self.publish("all", method, k, trust, "")?.context("a table that cannot be published")?;
        let groups = table::published_groups(&table::published(&made.table())?, &self.set.quasi)?;
        Ok((groups.discernibility() as f64, groups.average() / f64::from(k)))
    }
}

/// Figure 4.4: DM and C_AVG over the trust.
fn by_trust(papers: &Papers, study: &Study<'_>, page: &mut Page) -> Result<()> {
    page.heading(&format!("{}: over the trust, Figure 4.4", study.set.name));
    let trusts: Vec<f64> = papers.pick((0..=10).map(|t| f64::from(t) / 10.0).collect(), vec![0.2, 0.9]);
    let mut found: Vec<Vec<(f64, f64)>> = Vec::new();
    for (method, _) in METHODS {
        let is_flat = matches!(method, Method::Mondrian | Method::Tds);
        let mut own = Vec::new();
        for &trust in &trusts {
            own.push(match own.first() {
                Some(&first) if is_flat => first,
                _ => study.cost(method, K, trust)?,
            });
        }
        found.push(own);
    }
    let rows: Vec<Vec<String>> = trusts
        .iter()
        .enumerate()
        .map(|(at, trust)| {
            let mut row = cells![fixed(*trust, 1)];
            row.extend(found.iter().map(|own| fixed(own[at].0, 0)));
            row.extend(found.iter().map(|own| fixed(own[at].1, 2)));
            row
        })
        .collect();
    let mut head = vec!["t"];
    head.extend(["DM: Dec without k", "whole degree", "then k", "Mondrian", "TDS"]);
    head.extend(["C_AVG: Dec without k", "whole degree", "then k", "Mondrian", "TDS"]);
    page.table(&head, &rows);
    let mut chart =
        Chart::new(&format!("{}: discernibility over the trust", study.set.name), "trust t", "DM").log(1);
    for ((_, name), own) in METHODS.iter().zip(&found) {
        chart.curve(name, trusts.iter().copied().zip(own.iter().map(|cost| cost.0)).collect());
    }
    page.chart(&format!("{}-trust", study.set.name.to_lowercase()), chart);
    let high = || (0..trusts.len()).filter(|&at| trusts[at] > 0.5);
    let low = || (0..trusts.len()).filter(|&at| trusts[at] < 0.5);
    let set = study.set.name;
    for (method, name) in METHODS.iter().map(|own| own.1).enumerate().take(3) {
        for (other, rival) in [(3, "Mondrian"), (4, "TDS")] {
            page.claim(
                &format!("{set}: {name} has a lower DM than {rival} for every t > 0.5"),
                high().all(|at| found[method][at].0 < found[other][at].0),
            );
        }
    }
    page.claim(
        &format!("{set}: DM of Dec (whole degree) is within a factor of two of the others' for t < 0.5"),
        low().all(|at| (3..5).all(|other| (0.5..=2.0).contains(&(found[1][at].0 / found[other][at].0)))),
    );
    page.claim(
        &format!("{set}: C_AVG of Dec without k is lower than the others' for t > 0.5"),
        high().all(|at| found[0][at].1 < found[3][at].1.min(found[4][at].1)),
    );
    page.check(
        &format!("{set}: whoever is trusted more gets no larger DM from Dec without k, in both readings"),
        (0..2).all(|method| found[method].windows(2).all(|pair| pair[1].0 <= pair[0].0)),
    );
    Ok(())
}

/// Figure 4.5: DM over k at a high and at a low trust.
fn by_k(papers: &Papers, study: &Study<'_>, page: &mut Page) -> Result<()> {
    page.heading(&format!("{}: over k, Figure 4.5", study.set.name));
    let mut rows = Vec::new();
    let mut is_better = true;
    for &k in papers.pick(&[5u32, 10, 20, 50, 100][..], &[5, 20][..]) {
        let dec = [0.2, 0.8].map(|trust| study.cost(Method::Safe, k, trust));
        let [low, high] = dec;
        let (low, high) = (low?, high?);
        let others = [study.cost(Method::Mondrian, k, 0.0)?, study.cost(Method::Tds, k, 0.0)?];
        is_better &= high.0 < others[0].0.min(others[1].0);
        let all = [low, high, others[0], others[1]];
        let mut row = cells![k];
        row.extend(all.iter().map(|cost| fixed(cost.0, 0)));
        row.extend(all.iter().map(|cost| fixed(cost.1, 2)));
        rows.push(row);
    }
    page.table(
        &[
            "k",
            "DM: Dec, t = 0.2",
            "Dec, t = 0.8",
            "Mondrian",
            "TDS",
            "C_AVG: Dec, t = 0.2",
            "Dec, t = 0.8",
            "Mondrian",
            "TDS",
        ],
        &rows,
    );
    page.claim(
        &format!("{}: at t = 0.8 Dec has a better DM than Mondrian and TDS for every k", study.set.name),
        is_better,
    );
    Ok(())
}

/// The discernibility of each column alone, weighted by its priority.
fn weighted(published: &BTreeMap<String, Vec<String>>, priorities: &[(&str, f64)]) -> Result<f64> {
    let mut sum = 0.0;
    for (name, priority) in priorities {
        sum += priority * table::published_groups(published, &[name])?.discernibility() as f64;
    }
    Ok(sum / priorities.iter().map(|own| own.1).sum::<f64>())
}

/// Figure 4.6: weighted DM for two purposes.
fn by_purpose(papers: &Papers, study: &Study<'_>, page: &mut Page) -> Result<()> {
    let set = &study.set;
    page.heading(&format!("{}: by purpose, Figure 4.6", set.name));
    let (tops, bottom) = match set.name {
        "Adult" => (["age", "country"], "workclass"),
        _ => (["age", "region"], "industry"),
    };
    page.text(&format!(
        "Weighted DM in thousands, Dec without k. The most useful column is named, the least useful one is {bottom}; those between stand in the order of the data, with priorities by \
         their variation of information. Eq. 4.11 coarsens the most useful column most (defect 11), so the protecting form (`protect-useful = true`) \
         is given beside it."
    ));
    let mut rows = Vec::new();
    let mut best = [true, true];
    for top in tops {
        let middle = set.quasi.iter().filter(|name| **name != top && **name != bottom);
        let order: Vec<String> =
            std::iter::once(&top).chain(middle).chain([&bottom]).map(|name| format!("\"{name}\"")).collect();
        let purpose = format!("order = [{}]\n", order.join(", "));
        let protecting = format!("{purpose}protect-useful = true\n");
        for &trust in papers.pick(&[0.1, 0.3, 0.5, 0.7, 0.9][..], &[0.9][..]) {
            let published = |method: Method,
                             purpose: &str|
             -> Result<(BTreeMap<String, Vec<String>>, serde_json::Value)> {
                let made =
                    study.publish("all", method, K, trust, purpose)?.context("nothing was published")?;
                Ok((table::published(&made.table())?, made.manifest()?))
            };
            let (dec, manifest) = published(Method::Plain, &purpose)?;
            let told = manifest["search"]["purpose"]["priorities"].as_array().context("no priorities")?;
            let columns = set.table.columns.iter().map(|own| own.name.as_str());
            let columns = columns.filter(|name| set.quasi.contains(name));
            let priorities: Vec<(&str, f64)> =
                columns.zip(told.iter().map(|own| own.as_f64().unwrap_or(0.0))).collect();
            let figures = [
                weighted(&dec, &priorities)?,
                weighted(&published(Method::Plain, &protecting)?.0, &priorities)?,
                weighted(&published(Method::Mondrian, "")?.0, &priorities)?,
                weighted(&published(Method::Tds, "")?.0, &priorities)?,
            ];
            let others = figures[2].min(figures[3]);
            if trust > 0.5 {
                best[0] &= figures[0] < others;
                best[1] &= figures[1] < others;
            }
            let mut row = cells![top, fixed(trust, 1)];
            row.extend(figures.iter().map(|own| fixed(own / 1000.0, 0)));
            rows.push(row);
        }
    }
    page.table(&["most useful", "t", "Dec", "Dec, protecting", "Mondrian", "TDS"], &rows);
    page.claim(&format!("{}: Dec has the least weighted DM for large t, by Eq. 4.11", set.name), best[0]);
    page.claim(
        &format!("{}: Dec has the least weighted DM for large t, protecting the useful", set.name),
        best[1],
    );
    Ok(())
}

/// E4: how often naive Bayes and a decision tree are right that learned from the tables.
fn learned(papers: &Papers, study: &Study<'_>, page: &mut Page) -> Result<()> {
    let set = &study.set;
    page.heading(&format!("{}: what is learned from the tables", set.name));
    page.text(&format!(
        "Share of records told right, class {}, of {} records set apart. Weka's NaiveBayes and J48 stand in the thesis; here they are the \
         program's naive Bayes and pruned decision tree (C4.5). The thesis tests on anonymized records too; here tests are on records as they are, \
         but for *whole degree*.",
        set.class,
        set.table.rows() - set.learning
    ));
    let mut rows = Vec::new();
    let mut rates: BTreeMap<String, [[f64; 2]; 2]> = BTreeMap::new();
    let mut measured = |name: &str, method: Method, trust: f64| -> Result<()> {
        study.publish("learn", method, K, trust, "")?.context("nothing was published")?;
        let test = if method == Method::Whole { "whole-test.csv" } else { "test.csv" };
        let found = study.desk.learners(set.class, test)?;
        let percent = |rate: f64| format!("{:.2} %", 100.0 * rate);
        rows.push(cells![name, percent(found[0][0]), percent(found[1][0])]);
        if method == Method::Tds {
            rows.push(cells!["no anonymity", percent(found[0][1]), percent(found[1][1])]);
        }
        rates.insert(name.to_owned(), found);
        Ok(())
    };
    for &trust in papers.pick(&[0.2, 0.5, 0.9][..], &[0.2, 0.9][..]) {
        measured(&format!("Dec without k, t = {trust}"), Method::Plain, trust)?;
        measured(&format!("Dec, whole degree, t = {trust}"), Method::Whole, trust)?;
        measured(&format!("Dec, then k, t = {trust}"), Method::Safe, trust)?;
    }
    measured("Mondrian", Method::Mondrian, 0.0)?;
    measured("TDS", Method::Tds, 0.0)?;
    page.table(&["table", "naive Bayes", "C4.5"], &rows);
    let rate = |name: &str, learner: usize| rates.get(name).map_or(0.0, |own| own[learner][0]);
    if set.name == "Adult" {
        for name in ["Dec without k", "Dec, whole degree", "Dec, then k"] {
            let own = format!("{name}, t = 0.9");
            page.claim(
                &format!("Adult, t = 0.9: {name} is more accurate than Mondrian and TDS, both classifiers"),
                (0..2).all(|at| rate(&own, at) > rate("Mondrian", at).max(rate("TDS", at))),
            );
        }
    } else {
        for name in ["Dec without k", "Dec, whole degree", "Dec, then k"] {
            let own = format!("{name}, t = 0.2");
            page.claim(
                &format!("Survey, t = 0.2: the accuracy of {name} is between those of Mondrian and TDS, both classifiers"),
                (0..2).all(|at| {
                    let (one, other) = (rate("Mondrian", at), rate("TDS", at));
                    (one.min(other)..=one.max(other)).contains(&rate(&own, at))
                }),
            );
        }
    }
    Ok(())
}
