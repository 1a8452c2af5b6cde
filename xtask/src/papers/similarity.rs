//! The similarity attack (thesis E1, chapter 3): on all minimal tables of Adult under p-sensitive k-anonymity (Model 1), its form with
//! categories (p+, Model 2) and its form with weights ((p, alpha), Model 3), which publish groups whose diseases are all of one category.

use anyhow::{Result, ensure};

use super::Papers;
use super::chart::Chart;
use super::data::{self, DISEASES, Heights};
use super::page::{Page, fixed};
use super::program::Desk;
use super::table::{Dice, Table};
use crate::cells;

/// Table 3.7, in its order.
const QUASI: [&str; 7] = ["age", "workclass", "education", "country", "marital", "race", "gender"];
const MODELS: [&str; 3] = ["1: p-sensitive", "2: p⁺-sensitive", "3: (p, α)-sensitive"];
/// Table 3.8: k, p and the attribute disclosures of the three models.
const PRINTED: [(u32, u32, [u32; 3]); 4] =
    [(3, 2, [25, 3, 2]), (4, 2, [30, 4, 6]), (3, 3, [15, 2, 3]), (4, 3, [21, 1, 2])];

/// What the minimal tables of one model give away.
#[derive(Default, Clone)]
struct Found {
    minimal: usize,
    vulnerable: usize,
    /// Groups of one category, over all minimal tables.
    groups: u64,
    /// Records in them in the worst table.
    worst: u64,
    /// Groups of the minimal table that has most.
    most_groups: usize,
    /// Levels climbed as a share of all levels, on average over the minimal tables.
    distortion: f64,
    /// The same of the minimal table that has least.
    least_distortion: f64,
    seconds: f64,
}

struct Study<'a> {
    desk: Desk<'a>,
    table: Table,
}

pub fn run(papers: &Papers) -> Result<bool> {
    let (mut table, _) = data::adult(&papers.data, Heights::Thesis)?;
    if let Some(rows) = papers.pick(None, Some(3000)) {
        table = table.records(&Dice(1).sample(rows, table.rows()));
    }
    let mut page = Page::new("similarity", "The similarity attack on all minimal tables");
    page.text(&format!(
        "Sun's thesis (chapter 3, first set of experiments) adds a disease to each record of Adult, drawn evenly from eight in four categories \
         of two, and lists all minimal full-domain generalizations under three models. A table is *vulnerable* when all diseases of one of \
         its groups are of one category. Records here: {}. Heights of the hierarchies are those of Table 3.7; their labels are not printed, so \
         they are ours, and so are the draws of the diseases. Groups are counted from the levels by this experiment itself.",
        table.rows()
    ));
    let mut study = Study { desk: Desk::new(papers)?, table };
    let quasi = papers.pick(7, 5);
    attack(papers, &mut study, &mut page, quasi)?;
    disclosures(papers, &mut study, &mut page, quasi)?;
    growth(papers, &mut study, &mut page)?;
    page.text(
        "What is different: the thesis does not say which of the seven columns its 21 and 30 tables have, nor prints the labels of its \
         hierarchies, and its diseases are another draw; so only the order of the models can be compared. \"13/21\" is printed as 0.62 %, which is \
         62 % (defect 22). What Table 3.8 counts is not defined (with groups of one category Model 2 must have none for p ≥ 2, and 3, 4, 2 and 1 \
         are printed); here it is groups of one category over all minimal tables. The text says that distortion falls as α grows, but \
         weight ≥ α is stricter the larger α is (defect 17): by the definition the least distortion cannot fall; the mean \
         over the minimal tables can, because other tables are minimal.",
    );
    page.finish(papers)
}

impl Study<'_> {
    /// Draws diseases and writes the table.
    fn draw(&mut self, seed: u64) -> Result<()> {
        self.table.columns.retain(|column| column.name != "disease");
        self.table.columns.push(data::diseases(self.table.rows(), seed));
        self.table.write(self.desk.folder(), "adult")?;
        Ok(())
    }

    /// The minimal tables of a model, attacked.
    fn model(&self, quasi: &[&str], model: usize, k: u32, p: u32, alpha: u32) -> Result<Found> {
        let names: Vec<String> =
            DISEASES.chunks(2).map(|pair| format!("[\"{}\", \"{}\"]", pair[0], pair[1])).collect();
        let categories = format!(", categories = [{}]", names.join(", "));
        let more = match model {
            0 => String::new(),
            1 => format!(", plus = true{categories}"),
            _ => format!(", alpha = {alpha}{categories}"),
        };
        let job = format!(
            "{}[privacy]\np-sensitivity = {{ p = {p}, k = {k}, column = \"disease\"{more} }}\n[search]\nalgorithm = \"incognito\"\n",
            self.table.job("adult", quasi, &[("disease", "sensitive")])
        );
        let Some(made) = self.desk.publish(&job, &[])? else { return Ok(Found::default()) };
        let minimal = made.minimal()?;
        let mut found = Found {
            minimal: minimal.len(),
            seconds: made.search()?,
            least_distortion: 1.0,
            ..Found::default()
        };
        // Levels stand in the order of the table, which is not that of the thesis.
        let order: Vec<&str> = self
            .table
            .columns
            .iter()
            .map(|own| own.name.as_str())
            .filter(|own| quasi.contains(own))
            .collect();
        let heights: usize = order
            .iter()
            .map(|name| self.table.column(name).map(|own| own.height()))
            .sum::<Result<usize>>()?;
        let categories: Vec<u32> =
            self.table.column("disease")?.codes.iter().map(|&code| data::category(code)).collect();
        for node in &minimal {
            ensure!(node.len() == order.len(), "a node has another number of levels than there are columns");
            let levels: Vec<(&str, usize)> = order.iter().copied().zip(node.iter().copied()).collect();
            let groups = self.table.group(&levels)?;
            ensure!(groups.least() >= u64::from(k), "a minimal table is not {k}-anonymous");
            let (alike, records) = groups.homogeneous(&categories);
            found.vulnerable += usize::from(alike > 0);
            found.groups += alike;
            found.worst = found.worst.max(records);
            found.most_groups = found.most_groups.max(groups.count);
            let distortion = node.iter().sum::<usize>() as f64 / heights as f64;
            found.distortion += distortion / minimal.len() as f64;
            found.least_distortion = found.least_distortion.min(distortion);
        }
        Ok(found)
    }
}

/// Printed: 13 of 21 tables of Model 1, 4 of 30 of Model 3, k = p = 2.
fn attack(papers: &Papers, study: &mut Study<'_>, page: &mut Page, quasi: usize) -> Result<()> {
    page.heading("Vulnerable tables, k = p = 2");
    let seeds = papers.pick(5, 2);
    let mut rows = Vec::new();
    let mut shares = [0.0; 3];
    let mut exposed = [0; 3];
    let mut most_groups = 0;
    for seed in 1..=seeds {
        study.draw(seed)?;
        for (model, name) in MODELS.iter().enumerate() {
            let found = study.model(&QUASI[..quasi], model, 2, 2, 1)?;
            let share = found.vulnerable as f64 / found.minimal.max(1) as f64;
            shares[model] += share / seeds as f64;
            exposed[model] += found.worst;
            most_groups = most_groups.max(found.most_groups);
            rows.push(cells![
                format!("{name}, draw {seed}"),
                ["21", "similar to Model 3", "30"][model],
                found.minimal,
                ["13 (62 %)", "similar to Model 3", "4 (13 %)"][model],
                format!("{} ({:.0} %)", found.vulnerable, 100.0 * share),
                ["916 in one table", "–", "–"][model],
                found.worst
            ]);
        }
    }
    page.table(
        &[
            "model",
            "minimal, printed",
            "ours",
            "vulnerable, printed",
            "ours",
            "records, printed",
            "most records in one table, ours",
        ],
        &rows,
    );
    page.claim("some minimal tables of Model 1 are vulnerable to the similarity attack", shares[0] > 0.0);
    page.claim(
        "a smaller share of the minimal tables of Model 3 than of Model 1 is vulnerable, mean over the draws",
        shares[2] < shares[0],
    );
    page.claim("916 records of one minimal table can be told the category of", exposed[0] / seeds >= 916);
    page.check(
        "no table of Model 2 is vulnerable, as p = 2 categories in every group demand",
        exposed[1] == 0,
    );
    page.text(&format!(
        "Diseases drawn evenly do not explain 916 exposed records: two different diseases are of one category with a chance of one in \
         seven, and larger groups far less often, so a table would need some 3,200 groups of two. The minimal tables here have at most \
         {most_groups} groups in all."
    ));
    Ok(())
}

/// Table 3.8.
fn disclosures(papers: &Papers, study: &mut Study<'_>, page: &mut Page, quasi: usize) -> Result<()> {
    page.heading("Attribute disclosures, Table 3.8");
    let seeds = papers.pick(5, 2);
    let chosen = papers.pick(&PRINTED[..], &PRINTED[..2]);
    let mut totals = vec![([0; 3], [0; 3]); chosen.len()];
    for seed in 1..=seeds {
        study.draw(seed)?;
        for (total, &(k, p, _)) in totals.iter_mut().zip(chosen) {
            for model in 0..3 {
                let found = study.model(&QUASI[..quasi], model, k, p, 1)?;
                total.0[model] += found.groups;
                total.1[model] += found.minimal;
            }
        }
    }
    let mut rows = Vec::new();
    for (total, (k, p, printed)) in totals.iter().zip(chosen) {
        let mean = |sums: [u64; 3]| sums.map(|sum| fixed(sum as f64 / seeds as f64, 1)).join(" / ");
        rows.push(cells![
            format!("k = {k}, p = {p}"),
            printed.map(|own| own.to_string()).join(" / "),
            mean(total.0),
            mean(total.1.map(|own| own as u64))
        ]);
    }
    page.text("Means over the same draws.");
    page.table(
        &["", "printed, Model 1 / 2 / 3", "groups of one category, ours", "minimal tables, ours"],
        &rows,
    );
    let sum = |model: usize| totals.iter().map(|total| total.0[model]).sum::<u64>();
    page.claim(
        "Model 1 has more disclosures than each of the others, all settings together",
        sum(0) > sum(1).max(sum(2)),
    );
    page.check("Model 2 has none", sum(1) == 0);
    Ok(())
}

/// Figures 3.2 and 3.3: time and distortion over the number of columns, and over alpha.
fn growth(papers: &Papers, study: &mut Study<'_>, page: &mut Page) -> Result<()> {
    page.heading("Time and distortion over the number of columns, Figures 3.2 and 3.3");
    let (k, p, alpha) = papers.pick((4, 4, 4), (2, 2, 2));
    page.text(&format!(
        "k = {k}, p = {p} (printed: p = 4, α = 4), α = {alpha} unless another one is named. Times are the best of three runs of the search."
    ));
    let most = papers.pick(7, 4);
    let mut charts = [
        Chart::new("time of the search over the number of columns", "identifying columns", "seconds").log(1),
        Chart::new("distortion ratio over the number of columns", "identifying columns", "distortion ratio"),
    ];
    let mut found: Vec<Vec<Found>> = Vec::new();
    for columns in 2..=most {
        let models = (0..3).map(|model| {
            let mut best = study.model(&QUASI[..columns], model, k, p, alpha)?;
            for _ in 1..papers.pick(3, 1) {
                best.seconds = best.seconds.min(study.model(&QUASI[..columns], model, k, p, alpha)?.seconds);
            }
            Ok(best)
        });
        found.push(models.collect::<Result<_>>()?);
    }
    let point =
        |at: usize, model: usize, value: &dyn Fn(&Found) -> f64| ((at + 2) as f64, value(&found[at][model]));
    for (model, name) in MODELS.iter().enumerate() {
        charts[0].curve(name, (0..found.len()).map(|at| point(at, model, &|own| own.seconds)).collect());
        charts[1].curve(name, (0..found.len()).map(|at| point(at, model, &|own| own.distortion)).collect());
    }
    let row = |at: usize, value: &dyn Fn(&Found) -> String| {
        let mut row = cells![at + 2];
        row.extend(found[at].iter().map(value));
        row
    };
    let head = ["columns", MODELS[0], MODELS[1], MODELS[2]];
    page.text("Distortion ratio, on average over the minimal tables:");
    page.table(
        &head,
        &(0..found.len()).map(|at| row(at, &|own| fixed(own.distortion, 3))).collect::<Vec<_>>(),
    );
    page.text("Milliseconds of the search:");
    page.measured(
        &head,
        &(0..found.len()).map(|at| row(at, &|own| fixed(own.seconds * 1e3, 2))).collect::<Vec<_>>(),
    );
    let [time, distortion] = charts;
    page.chart("time", time);
    page.chart("distortion", distortion);
    let mean = |model: usize, value: &dyn Fn(&Found) -> f64| -> f64 {
        found.iter().map(|own| value(&own[model])).sum::<f64>() / found.len() as f64
    };
    page.claim(
        "distortion is larger with all columns than with two",
        (0..3).all(|model| {
            found.first().map(|own| own[model].distortion) < found.last().map(|own| own[model].distortion)
        }),
    );
    page.claim(
        "distortion rises with every further column",
        (0..3).all(|model| {
            found.windows(2).all(|pair| pair[0][model].distortion <= pair[1][model].distortion + 1e-9)
        }),
    );
    page.claim(
        "Model 3 distorts more than Model 2, on average",
        mean(2, &|own| own.distortion) > mean(1, &|own| own.distortion),
    );
    page.claim_of_times(
        "the search takes longer with more columns",
        (0..3).all(|model| {
            found.first().map(|own| own[model].seconds) < found.last().map(|own| own[model].seconds)
        }),
    );
    page.claim_of_ratio(
        "p⁺ is faster than (p, α), on average",
        mean(1, &|own| own.seconds) / mean(2, &|own| own.seconds),
    );
    over_alpha(study, page, most, k, p, papers.pick(3, 1))
}

fn over_alpha(study: &Study<'_>, page: &mut Page, columns: usize, k: u32, p: u32, runs: usize) -> Result<()> {
    let best = |model: usize, alpha: u32| -> Result<Found> {
        let mut best = study.model(&QUASI[..columns], model, k, p, alpha)?;
        for _ in 1..runs {
            best.seconds = best.seconds.min(study.model(&QUASI[..columns], model, k, p, alpha)?.seconds);
        }
        Ok(best)
    };
    let without = best(1, 0)?;
    let (mut rows, mut times) = (Vec::new(), Vec::new());
    let (mut least, mut gaps) = (Vec::new(), Vec::new());
    for alpha in [1, 2, 4, 6, 8] {
        let found = best(2, alpha)?;
        rows.push(cells![alpha, found.minimal, fixed(found.least_distortion, 3), fixed(found.distortion, 3)]);
        times.push(cells![alpha, fixed(found.seconds * 1e3, 2), fixed(without.seconds * 1e3, 2)]);
        least.push(found.least_distortion);
        gaps.push(found.seconds / without.seconds);
    }
    page.text("Model 3 over α:");
    page.table(&["α", "minimal tables", "least distortion ratio", "mean distortion ratio"], &rows);
    page.measured(&["α", "milliseconds of Model 3", "of Model 2, which has no α"], &times);
    page.claim("the least distortion falls as α grows", least.first() > least.last());
    page.check(
        "the least distortion never falls from one α to the next larger one",
        least.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12),
    );
    if let [first, .., last] = gaps[..] {
        page.claim_of_ratio(
            "the gap in time to p⁺ widens with α, from the least α to the largest",
            first / last,
        );
    }
    Ok(())
}
