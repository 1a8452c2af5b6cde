//! The textbook chapter's statements (papers I.5, I.8) and its exercises that ask for software (I.6): Mondrian beside Incognito for k-anonymity,
//! l-diversity and t-closeness (4, 10, 13), reconstruction (3), condensation (5), and re-identification over known attributes (16).

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use super::Papers;
use super::chart::Chart;
use super::data::{self, Heights};
use super::page::{Page, fixed};
use super::program::Desk;
use super::table::{self, Column, Dice, Table};
use crate::cells;

const QUASI: [&str; 7] = ["age", "gender", "race", "marital", "education", "country", "workclass"];

pub fn run(papers: &Papers) -> Result<bool> {
    let mut page = Page::new("textbook", "The textbook's statements and exercises");
    let (mut adult, learning) = data::adult(&papers.data, Heights::Diversity)?;
    let rows: Vec<usize> = match papers.pick(None, Some(3000)) {
        None => (0..learning).collect(),
        Some(rows) => Dice(8).sample(rows, learning),
    };
    adult = adult.records(&rows);
    page.text(&format!(
        "The chapter prints no experiments: it states that Mondrian is more effective than Incognito and that re-identification grows with what is known, \
         and sets exercises. They are done here on {} complete records of UCI Adult (the part for learning), with the hierarchies of the \
         l-diversity experiments; reconstruction on its ages, condensation on the CASC census of 1,080 records.",
        adult.rows()
    ));
    let desk = Desk::new(papers)?;
    adult.write(desk.folder(), "adult")?;
    by_k(papers, &desk, &adult, &mut page)?;
    by_promise(papers, &desk, &adult, &mut page)?;
    bounds(papers, &desk, &adult, &mut page)?;
    known(papers, &desk, &adult, &mut page)?;
    reconstruction(papers, &desk, &adult, &mut page)?;
    condensation(papers, &mut page)?;
    page.text(
        "Exercises that ask for a formula or a proof are tests of the crates: 1 in `crates/privet-perturb/src/noise.rs`, 2 in its \
         `reconstruct/tests.rs`, 6 in `kinds/condensed/tests/condensation.rs`, 7 and 8 in `crates/privet-criteria/src/l_diversity`, 9, \
         11 and 12 in `crates/privet-criteria/src/laws.rs` and `t_closeness`, 14 and 15 in `crates/privet-attack/tests/all/dimensions.rs`. That \
         linking film ratings grows with the ratings known is a statement about other data; it is no part of this page.",
    );
    page.finish(papers)
}

/// What a release by one of the two algorithms costs: discernibility, records of a group, loss.
fn cost(desk: &Desk<'_>, table: &Table, algorithm: &str, promise: &str) -> Result<Option<[f64; 3]>> {
    let job = format!(
        "{}[privacy]\n{promise}\n[search]\nalgorithm = \"{algorithm}\"\n{}",
        table.job("adult", &QUASI, &[("occupation", "sensitive")]),
        if algorithm == "mondrian" { "publish = \"nodes\"\n" } else { "minimize = \"discernibility\"\n" }
    );
    let Some(made) = desk.publish(&job, &[])? else { return Ok(None) };
    let groups = table::published_groups(&table::published(&made.table())?, &QUASI)?;
    Ok(Some([groups.discernibility() as f64, groups.average(), made.number("loss")?]))
}

/// Exercise 4, and the statement that Mondrian is more effective.
fn by_k(papers: &Papers, desk: &Desk<'_>, adult: &Table, page: &mut Page) -> Result<()> {
    page.heading("Mondrian beside Incognito over k (exercise 4)");
    let mut rows = Vec::new();
    let mut chart = Chart::new("discernibility over k", "k", "discernibility").log(0).log(1);
    let mut curves = [Vec::new(), Vec::new()];
    let mut better = [true, true];
    for &k in papers.pick(&[2u32, 5, 10, 25, 50, 100, 250][..], &[2, 10][..]) {
        let both = ["incognito", "mondrian"].map(|own| cost(desk, adult, own, &format!("k-anonymity = {k}")));
        let [incognito, mondrian] = both;
        let (incognito, mondrian) = (incognito?.context("no table")?, mondrian?.context("no table")?);
        better[0] &= mondrian[0] < incognito[0];
        better[1] &= mondrian[2] < incognito[2];
        curves[0].push((f64::from(k), incognito[0]));
        curves[1].push((f64::from(k), mondrian[0]));
        let c_avg = |own: [f64; 3]| fixed(own[1] / f64::from(k), 2);
        rows.push(cells![
            k,
            fixed(incognito[0], 0),
            fixed(mondrian[0], 0),
            c_avg(incognito),
            c_avg(mondrian),
            fixed(incognito[2], 3),
            fixed(mondrian[2], 3)
        ]);
    }
    page.table(
        &["k", "DM: Incognito", "Mondrian", "C_AVG: Incognito", "Mondrian", "loss: Incognito", "Mondrian"],
        &rows,
    );
    let [incognito, mondrian] = curves;
    chart.curve("Incognito", incognito);
    chart.curve("Mondrian", mondrian);
    page.chart("k", chart);
    page.claim("Mondrian is more effective than Incognito: a smaller discernibility for every k", better[0]);
    page.claim("Mondrian is more effective than Incognito: a smaller loss for every k", better[1]);
    Ok(())
}

/// Exercises 10 and 13.
fn by_promise(papers: &Papers, desk: &Desk<'_>, adult: &Table, page: &mut Page) -> Result<()> {
    page.heading("Both for l-diversity and t-closeness of the occupation (exercises 10 and 13)");
    let promises = [
        ("entropy 2-diversity", "l-diversity = { kind = \"entropy\", l = 2 }"),
        ("entropy 4-diversity", "l-diversity = { kind = \"entropy\", l = 4 }"),
        ("entropy 6-diversity", "l-diversity = { kind = \"entropy\", l = 6 }"),
        ("recursive (3, 3)-diversity", "l-diversity = { kind = \"recursive\", c = 3, l = 3 }"),
        ("recursive (3, 6)-diversity", "l-diversity = { kind = \"recursive\", c = 3, l = 6 }"),
        ("variational 0.4-closeness", "t-closeness = { kind = \"variational\", t = 0.4 }"),
        ("variational 0.2-closeness", "t-closeness = { kind = \"variational\", t = 0.2 }"),
        ("KL 0.5-closeness", "t-closeness = { kind = \"kl\", t = 0.5 }"),
        ("KL 0.2-closeness", "t-closeness = { kind = \"kl\", t = 0.2 }"),
    ];
    let chosen = papers.pick(&promises[..], &promises[4..7]);
    let mut rows = Vec::new();
    let mut better = true;
    for (name, promise) in chosen {
        let [incognito, mondrian] = ["incognito", "mondrian"].map(|own| cost(desk, adult, own, promise));
        let (incognito, mondrian) = (incognito?, mondrian?);
        if let (Some(one), Some(other)) = (incognito, mondrian) {
            better &= other[0] < one[0];
        }
        let told = |own: Option<[f64; 3]>, at: usize, digits: usize| {
            own.map_or_else(|| "none".to_owned(), |own| fixed(own[at], digits))
        };
        rows.push(cells![
            name,
            told(incognito, 0, 0),
            told(mondrian, 0, 0),
            told(incognito, 1, 1),
            told(mondrian, 1, 1),
            told(incognito, 2, 3),
            told(mondrian, 2, 3)
        ]);
    }
    page.table(
        &[
            "promise",
            "DM: Incognito",
            "Mondrian",
            "records of a group: Incognito",
            "Mondrian",
            "loss: Incognito",
            "Mondrian",
        ],
        &rows,
    );
    page.claim("Mondrian has the smaller discernibility for every one of these promises, too", better);
    Ok(())
}

/// T-TH4: no group of strict Mondrian has more than m + 2d(k - 1) records.
fn bounds(papers: &Papers, desk: &Desk<'_>, adult: &Table, page: &mut Page) -> Result<()> {
    page.heading("Size of groups of strict Mondrian");
    let column = |name: &&str| -> Result<Column> {
        let own = adult.column(name)?;
        let numbers: Vec<String> = own.codes.iter().map(u32::to_string).collect();
        Ok(Column::new(name, &numbers.iter().map(String::as_str).collect::<Vec<_>>(), |_| Vec::new()))
    };
    let numbers = Table { columns: QUASI.iter().map(column).collect::<Result<_>>()? };
    numbers.write(desk.folder(), "numbers")?;
    let raw = numbers.group(&QUASI.map(|name| (name, 0)))?;
    let copies = raw.sizes().into_iter().max().unwrap_or(0);
    let mut rows = Vec::new();
    let mut holds = true;
    for &k in papers.pick(&[2u64, 10, 50, 250][..], &[2, 50][..]) {
        let mut job = "[input]\npath = \"numbers.csv\"\n".to_owned();
        QUASI.iter().for_each(|name| job.push_str(&format!("[columns.{name}]\nrole = \"quasi\"\n")));
        job.push_str(&format!(
            "[privacy]\nk-anonymity = {k}\n[search]\nalgorithm = \"mondrian\"\npublish = \"ranges\"\n"
        ));
        let made = desk.must_publish(&job, &[])?;
        let groups = table::published_groups(&table::published(&made.table())?, &QUASI)?;
        let most = groups.sizes().into_iter().max().unwrap_or(0);
        let bound = copies + 2 * QUASI.len() as u64 * (k - 1);
        holds &= most <= bound && groups.least() >= k;
        rows.push(cells![k, groups.count, groups.least(), most, bound]);
    }
    page.text(&format!(
        "The seven columns as numbers; a record occurs up to m = {copies} times. With d columns the chapter bounds a group by m + 2d(k − 1), which needs cuts at both \
         sides of the median."
    ));
    page.table(&["k", "groups", "fewest records", "most records", "bound"], &rows);
    page.check("no group has more than m + 2d(k − 1) records, nor fewer than k", holds);
    Ok(())
}

/// Exercise 16: how many people are singled out by so many known columns.
fn known(papers: &Papers, desk: &Desk<'_>, adult: &Table, page: &mut Page) -> Result<()> {
    page.heading("Re-identification over known columns (exercise 16)");
    page.text(
        "The share of people with one record left, on average over which columns are known: in the table as it is, and in releases by Mondrian. For even values in \
         independent columns exercise 15 bounds the chance that somebody else matches by n/R^B.",
    );
    let mut chart = Chart::new("people singled out over known columns", "known columns", "share of people");
    let mut rows: Vec<Vec<String>> = (1..=QUASI.len()).map(|known| cells![known]).collect();
    let mut shares = Vec::new();
    let ks = papers.pick(&[1u32, 2, 5, 20][..], &[1, 5][..]);
    for &k in ks {
        let job = format!(
            "{}[privacy]\nk-anonymity = {k}\n{}",
            adult.job("adult", &QUASI, &[("occupation", "sensitive")]),
            if k > 1 { "[search]\nalgorithm = \"mondrian\"\npublish = \"nodes\"\n" } else { "" }
        );
        desk.must_publish(&job, &[])?;
        let told = desk.json(&[
            "attack",
            "release",
            "--original",
            "job.toml",
            "--attacks",
            "known-attributes",
            "--json",
        ])?;
        let bars = told["attacks"][0]["histogram"].as_array().context("no curve of known columns")?;
        let own: Vec<f64> =
            bars.iter().map(|bar| bar["people"].as_f64().unwrap_or(0.0) / adult.rows() as f64).collect();
        for (row, share) in rows.iter_mut().zip(&own) {
            row.push(format!("{:.2} %", 100.0 * share));
        }
        let name = if k == 1 { "as it is".to_owned() } else { format!("k = {k}") };
        chart.curve(&name, own.iter().enumerate().map(|(at, share)| ((at + 1) as f64, *share)).collect());
        shares.push(own);
    }
    let names: Vec<String> =
        ks.iter().map(|k| if *k == 1 { "as it is".to_owned() } else { format!("k = {k}") }).collect();
    let mut head = vec!["known columns"];
    head.extend(names.iter().map(String::as_str));
    page.table(&head, &rows);
    page.chart("known", chart);
    page.claim(
        "re-identification grows with the number of known columns",
        shares
            .first()
            .is_some_and(|own| own.windows(2).all(|pair| pair[0] <= pair[1]) && own.last() > own.first()),
    );
    page.check(
        "nobody is singled out of a release that is 2-anonymous or more",
        shares.iter().skip(1).flatten().all(|share| *share == 0.0),
    );
    Ok(())
}

/// Exercise 3: ages with noise, and their distribution reconstructed.
fn reconstruction(papers: &Papers, desk: &Desk<'_>, adult: &Table, page: &mut Page) -> Result<()> {
    page.heading("Reconstruction of a distribution (exercise 3)");
    let ages = adult.column("age")?;
    let ages: Vec<f64> =
        ages.codes.iter().map(|&code| ages.paths[code as usize][0].parse().unwrap_or(0.0)).collect();
    let mut rows = Vec::new();
    let mut nearer = true;
    for &sd in papers.pick(&[5u32, 10, 20, 40][..], &[10][..]) {
        let job = format!(
            "[input]\npath = \"adult.csv\"\n[columns.age]\nrole = \"quasi\"\nperturb = {{ noise = \"gaussian\", sd = {sd}, step = 1 }}\n"
        );
        std::fs::write(desk.folder().join("noise.toml"), job)?;
        desk.run(&["randomize", "noise.toml", "--output", "noise", "--force", "--quiet", "--seed", "3"])?;
        let mut row = cells![sd];
        for method in ["bayes", "em"] {
            let told =
                desk.json(&["reconstruct", "noise", "age", "--method", method, "--bins", "24", "--json"])?;
            let bins = told["columns"][0]["bins"].as_array().context("no bins")?;
            let (mut published, mut reconstructed) = (0.0, 0.0);
            for bin in bins {
                let number = |key: &str| bin[key].as_f64().with_context(|| format!("a bin without {key}"));
                let (from, to) = (number("from")?, number("to")?);
                let truth =
                    ages.iter().filter(|age| (from..to).contains(*age)).count() as f64 / ages.len() as f64;
                published += (number("published")? - truth).abs() / 2.0;
                reconstructed += (number("share")? - truth).abs() / 2.0;
            }
            if method == "bayes" {
                row.push(fixed(published, 3));
            }
            row.push(fixed(reconstructed, 3));
            nearer &= reconstructed < published;
        }
        rows.push(row);
    }
    page.text("Total variation distance of the shares in 24 intervals from those of the true ages.");
    page.table(&["deviation of the noise", "ages with noise", "iterative Bayes", "EM"], &rows);
    page.claim(
        "the reconstructed distribution is nearer to the truth than the published one, at every noise",
        nearer,
    );
    Ok(())
}

/// Exercise 5: condensation keeps means and correlations.
fn condensation(papers: &Papers, page: &mut Page) -> Result<()> {
    page.heading("Condensation (exercise 5)");
    let desk = Desk::new(papers)?;
    std::fs::copy(papers.data.join("casc-census/census.csv"), desk.folder().join("census.csv"))?;
    let truth = numbers(&table::published(&desk.folder().join("census.csv"))?)?;
    let mut rows = Vec::new();
    let mut chart = Chart::new("largest change of a correlation over k", "k", "change").log(0);
    let mut points = Vec::new();
    let mut means_stay = true;
    for &k in papers.pick(&[5u32, 10, 25, 50, 100, 250][..], &[10][..]) {
        let words = [
            "condense",
            "census.csv",
            "-k",
            &k.to_string(),
            "--seed",
            "1",
            "--decimals",
            "6",
            "--output",
            "synthetic",
        ];
        desk.run(&[&words[..], &["--force", "--quiet"]].concat())?;
        let made = numbers(&table::published(&desk.folder().join("synthetic/records.csv"))?)?;
        let mut mean = 0.0f64;
        for (name, column) in &truth {
            let own = made.get(name).with_context(|| format!("no column {name}"))?;
            mean = mean.max((average(own) - average(column)).abs() / deviation(column));
        }
        let mut correlation = 0.0f64;
        for (at, (one, first)) in truth.iter().enumerate() {
            for (other, second) in truth.iter().skip(at + 1) {
                let change = correlated(&made[one], &made[other]) - correlated(first, second);
                correlation = correlation.max(change.abs());
            }
        }
        means_stay &= mean < 1e-4;
        points.push((f64::from(k), correlation));
        rows.push(cells![k, format!("{mean:.1e}"), fixed(correlation, 3)]);
    }
    page.table(&["k", "largest change of a mean, in deviations", "largest change of a correlation"], &rows);
    chart.curve("13 columns", points.clone());
    page.chart("condensation", chart);
    page.check("means stay, as groups are drawn around their own means (the register, DEF-7)", means_stay);
    page.claim(
        "correlations change by less than a tenth for k up to 50",
        points.iter().all(|(k, change)| *k > 50.0 || *change < 0.1),
    );
    Ok(())
}

fn numbers(columns: &BTreeMap<String, Vec<String>>) -> Result<BTreeMap<String, Vec<f64>>> {
    let parse = |cells: &Vec<String>| {
        cells
            .iter()
            .map(|cell| cell.parse::<f64>().context("a cell that is no number"))
            .collect::<Result<Vec<f64>>>()
    };
    columns.iter().map(|(name, cells)| Ok((name.clone(), parse(cells)?))).collect()
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = average(values);
    average(&values.iter().map(|own| (own - mean).powi(2)).collect::<Vec<f64>>()).sqrt()
}

fn correlated(one: &[f64], other: &[f64]) -> f64 {
    let (a, b) = (average(one), average(other));
    let products: Vec<f64> = one.iter().zip(other).map(|(x, y)| (x - a) * (y - b)).collect();
    average(&products) / (deviation(one) * deviation(other)).max(1e-12)
}
