//! The experiments of l-diversity (papers III.7): homogeneous groups in minimal k-anonymous tables, and Figures 5, 6 and 7.

use std::collections::BTreeSet;

use anyhow::{Context, Result};

use super::Papers;
use super::chart::Chart;
use super::data::{self, Heights};
use super::page::{Page, fixed};
use super::program::Desk;
use super::table::{Dice, Groups, Table};
use crate::cells;

/// Figure 4, in its order; the eighth column is the other sensitive one (the register, DEF-21).
const ADULT: [&str; 8] = ["age", "gender", "race", "marital", "education", "country", "workclass", "salary"];
const CENSUS: [&str; 8] = [
    "age",
    "sex",
    "race",
    "marital_stat",
    "education",
    "class_of_worker",
    "household",
    "country_of_birth_self",
];

pub fn run(papers: &Papers) -> Result<bool> {
    let mut page = Page::new("diversity", "l-diversity beside k-anonymity");
    let (mut table, _) = data::adult(&papers.data, Heights::Diversity)?;
    if let Some(rows) = papers.pick(None, Some(4000)) {
        table = table.records(&Dice(2).sample(rows, table.rows()));
    }
    page.text(&format!(
        "Machanavajjhala, Gehrke and Kifer, section 6, on the {} complete records of UCI Adult. The other data set, Lands End, is \
         proprietary; for times, UCI Census-Income stands in its place, and its counts of homogeneous groups cannot be made again. \
         Hierarchies are printed by type and height only. Those here are ages from 0 in steps of 5, 10 and 20, marital status with and \
         without a spouse, and education in six and two groups: of twelve combinations the only one that reproduces 12, 1 and 8, so these \
         three counts are chosen, not predicted.",
        table.rows()
    ));
    let desk = Desk::new(papers)?;
    table.write(desk.folder(), "adult")?;
    homogeneity(papers, &desk, &table, &mut page)?;
    times(papers, &desk, &table, &mut page)?;
    utility(papers, &desk, &table, &mut page)?;
    page.finish(papers)
}

/// All combinations of levels of columns, in order.
fn lattice(table: &Table, columns: &[&'static str]) -> Result<Vec<Vec<(&'static str, usize)>>> {
    let mut nodes: Vec<Vec<(&str, usize)>> = vec![Vec::new()];
    for name in columns {
        let height = table.column(name)?.height();
        let with = |node: &Vec<(&'static str, usize)>, level: usize| {
            let mut node = node.clone();
            node.push((*name, level));
            node
        };
        nodes = nodes.iter().flat_map(|node| (0..=height).map(move |level| with(node, level))).collect();
    }
    Ok(nodes)
}

/// The minimal 6-anonymous tables over the first five columns, and which of them have homogeneous groups.
fn homogeneity(papers: &Papers, desk: &Desk<'_>, table: &Table, page: &mut Page) -> Result<()> {
    page.heading("Homogeneity attack, k = 6, first five columns");
    let quasi = &ADULT[..5];
    let job = format!(
        "{}[privacy]\nk-anonymity = 6\n[search]\nalgorithm = \"incognito\"\n",
        table.job("adult", quasi, &[("occupation", "sensitive"), ("salary", "sensitive")])
    );
    let minimal = desk.must_publish(&job, &[])?.minimal()?;
    let mut rows = Vec::new();
    let mut vulnerable = [0, 0];
    let mut recursive = false;
    for node in &minimal {
        let levels: Vec<(&str, usize)> = quasi.iter().copied().zip(node.iter().copied()).collect();
        let groups = table.group(&levels)?;
        let told = ["occupation", "salary"].map(|name| Ok(groups.homogeneous(&table.column(name)?.codes)));
        let [occupation, salary] = told.map(|own: Result<(u64, u64)>| own);
        let (occupation, salary) = (occupation?, salary?);
        vulnerable[0] += usize::from(occupation.0 > 0);
        vulnerable[1] += usize::from(salary.0 > 0);
        recursive |= salary.0 == 0 && is_recursive(&groups, &table.column("salary")?.codes, 6.0, 2);
        let digits: Vec<String> = node.iter().map(usize::to_string).collect();
        rows.push(cells![
            digits.join(" "),
            groups.count,
            fixed(groups.average(), 0),
            format!("{} groups, {} records", occupation.0, occupation.1),
            format!("{} groups, {} records", salary.0, salary.1)
        ]);
    }
    page.table(
        &[
            "levels of age, gender, race, marital status, education",
            "groups",
            "records each",
            "alike in occupation",
            "alike in salary",
        ],
        &rows,
    );
    page.table(
        &["", "printed", "ours"],
        &[
            cells!["minimal tables, occupation", 12, minimal.len()],
            cells!["vulnerable", 1, vulnerable[0]],
            cells!["minimal tables, salary", 9, minimal.len()],
            cells!["vulnerable", 8, vulnerable[1]],
        ],
    );
    let skewed = format!(
        "minimal tables with groups above 1,000 records on average occur{}",
        papers.pick("", " (reduced: above 100)")
    );
    let limit = papers.pick(1000.0, 100.0);
    let averages: Vec<f64> = minimal
        .iter()
        .map(|node| {
            Ok(table.group(&quasi.iter().copied().zip(node.iter().copied()).collect::<Vec<_>>())?.average())
        })
        .collect::<Result<_>>()?;
    page.claim("12 tables are minimal", minimal.len() == 12);
    page.claim("1 of them is vulnerable in occupation", vulnerable[0] == 1);
    page.claim("8 are vulnerable in salary", vulnerable[1] == 8);
    page.claim("9 tables are minimal when salary is sensitive", minimal.len() == 9);
    page.claim("a table that is not vulnerable in salary is recursive (6,2)-diverse", recursive);
    page.claim(&skewed, averages.iter().any(|average| *average > limit));
    page.text(
        "12 and 9 minimal tables for the same columns and the same k cannot both be: k-anonymity does not look at the sensitive column (the \
         register, DEF-18). The ratio of salaries is 3.03, printed as 4 (DEF-19).",
    );
    Ok(())
}

/// Whether every group is recursive (c, l)-diverse.
fn is_recursive(groups: &Groups, codes: &[u32], c: f64, l: usize) -> bool {
    groups.counts(codes).into_iter().all(|counts| {
        let mut counts: Vec<u64> = counts.into_values().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let rest: u64 = counts.iter().skip(l - 1).sum();
        counts.first().is_none_or(|first| (*first as f64) < c * rest as f64)
    })
}

/// Whether every group is entropy l-diverse.
fn is_entropy(groups: &Groups, codes: &[u32], l: f64) -> bool {
    groups.counts(codes).into_iter().all(|counts| {
        let all = counts.values().sum::<u64>() as f64;
        let entropy: f64 =
            counts.values().map(|&count| -(count as f64 / all) * (count as f64 / all).ln()).sum();
        entropy >= l.ln() - 1e-12
    })
}

/// Figures 5 and 6: time to list all 6-anonymous and all entropy 6-diverse tables, over 3 to 8 columns.
fn times(papers: &Papers, desk: &Desk<'_>, table: &Table, page: &mut Page) -> Result<()> {
    page.heading("Time over the number of columns, Figures 5 and 6");
    page.text(
        "Incognito lists all minimal tables for k = 6 and for entropy 6-diversity (Census-Income: 4-diversity of the occupation, which has \
         no table of entropy 6); the best of three runs of the search. The eighth column of Adult is its salary class (DEF-21).",
    );
    let census = data::census(&papers.data, papers.pick(299_285, 2000))?;
    census.write(desk.folder(), "census")?;
    let sets: [(&str, &Table, &[&str; 8], &str, u32); 2] =
        [("adult", table, &ADULT, "occupation", 6), ("census", &census, &CENSUS, "occupation", 4)];
    let mut chart = Chart::new("time to list all minimal tables", "identifying columns", "seconds").log(1);
    let (mut rows, mut counted) = (Vec::new(), Vec::new());
    let mut ratios = Vec::new();
    for (name, table, quasi, sensitive, l) in sets {
        let mut curves = [Vec::new(), Vec::new()];
        for columns in 3..=papers.pick(8, 5) {
            let promises = [
                "k-anonymity = 6".to_owned(),
                format!("l-diversity = {{ kind = \"entropy\", l = {l}, column = \"{sensitive}\" }}"),
            ];
            let mut row = cells![name, columns];
            let mut count = cells![name, columns];
            let mut seconds = Vec::new();
            for (promise, curve) in promises.iter().zip(&mut curves) {
                let job = format!(
                    "{}[privacy]\n{promise}\n[search]\nalgorithm = \"incognito\"\n",
                    table.job(name, &quasi[..columns], &[(sensitive, "sensitive")])
                );
                let mut best = f64::INFINITY;
                let mut minimal = 0;
                for _ in 0..papers.pick(3, 1) {
                    if let Some(made) = desk.publish(&job, &[])? {
                        best = best.min(made.search()?);
                        minimal = made.minimal()?.len();
                    }
                }
                count.push(minimal.to_string());
                row.push(if best.is_finite() { fixed(best * 1e3, 1) } else { "none keeps it".to_owned() });
                if best.is_finite() {
                    curve.push((columns as f64, best));
                    seconds.push(best);
                }
            }
            if let [k, l] = seconds[..] {
                ratios.push(l / k);
                row.push(fixed(l / k, 2));
            }
            rows.push(row);
            counted.push(count);
        }
        let [k, l] = curves;
        chart.curve(&format!("{name}, 6-anonymity"), k);
        chart.curve(&format!("{name}, entropy l-diversity"), l);
    }
    page.text("Minimal tables:");
    page.table(&["data", "columns", "6-anonymous", "entropy l-diverse"], &counted);
    page.text("Milliseconds of the search:");
    page.measured(&["data", "columns", "6-anonymous", "entropy l-diverse", "ratio"], &rows);
    page.chart("time", chart);
    page.claim_of_times(
        "times for k-anonymity and entropy l-diversity are similar (within a factor of three each way)",
        !ratios.is_empty() && ratios.iter().all(|ratio| (1.0 / 3.0..=3.0).contains(ratio)),
    );
    page.claim_of_times("l-diversity is sometimes faster", ratios.iter().any(|ratio| *ratio < 1.0));
    Ok(())
}

/// The least height, average size of a group and discernibility of the nodes that keep a promise.
fn least(nodes: &[(usize, Groups)], keeps: impl Fn(&Groups) -> bool) -> Option<(usize, f64, u64)> {
    let safe: Vec<&(usize, Groups)> = nodes.iter().filter(|(_, groups)| keeps(groups)).collect();
    Some((
        safe.iter().map(|own| own.0).min()?,
        safe.iter().map(|own| own.1.average()).min_by(f64::total_cmp)?,
        safe.iter().map(|own| own.1.discernibility()).min()?,
    ))
}

/// Figure 7: the least height, average size of groups and discernibility, over all tables and on a sample of 5 %.
fn utility(papers: &Papers, desk: &Desk<'_>, table: &Table, page: &mut Page) -> Result<()> {
    page.heading("Utility, Figure 7");
    page.text(
        "Columns: age, gender, race, marital status; sensitive: occupation (which column is sensitive is not printed). All combinations of \
         levels are gone through by this experiment; the program's `optimal` search is asked for the same minima.",
    );
    let mut heights = Chart::new("least height, all records", "k and l", "height");
    let mut sizes = Chart::new("least average size of a group, sample of 5 %", "k and l", "records");
    let (mut within, mut comparable, mut smaller, mut agrees) = (true, true, false, true);
    let sample = table.records(&Dice(5).sample(table.rows() / 20, table.rows()));
    for (part, table, factor) in [("all records", table, 0), ("a sample of 5 %", &sample, 1)] {
        let quasi = &ADULT[..4];
        let codes = &table.column("occupation")?.codes;
        let node = |levels: Vec<(&'static str, usize)>| {
            Ok((levels.iter().map(|own| own.1).sum(), table.group(&levels)?))
        };
        let nodes: Vec<(usize, Groups)> =
            lattice(table, quasi)?.into_iter().map(node).collect::<Result<_>>()?;
        let mut rows = Vec::new();
        let mut curves: [[Vec<(f64, f64)>; 3]; 2] = Default::default();
        for number in [2u32, 4, 6, 8] {
            let found = [
                least(&nodes, |groups| groups.least() >= u64::from(number)),
                least(&nodes, |groups| is_entropy(groups, codes, f64::from(number))),
                least(&nodes, |groups| is_recursive(groups, codes, 3.0, number as usize)),
            ];
            for ((name, told), at) in
                ["k-anonymity", "entropy", "recursive (3, l)"].iter().zip(&found).zip(0..)
            {
                let Some((height, size, dm)) = told else {
                    rows.push(cells![number, name, "none", "none", "none"]);
                    continue;
                };
                rows.push(cells![number, name, height, fixed(*size, 1), dm]);
                curves[0][at].push((f64::from(number), *height as f64));
                curves[1][at].push((f64::from(number), *size));
            }
            if let [Some(k), Some(entropy), Some(recursive)] = found {
                if factor == 0 {
                    within &= [entropy.0, recursive.0].iter().all(|height| (k.0..=k.0 + 1).contains(height));
                } else {
                    comparable &= [entropy, recursive].iter().all(|own| own.1 <= 3.0 * k.1);
                }
                smaller |= recursive.1 < entropy.1 - 1e-9;
            }
            if factor == 0 {
                agrees &= is_what_the_program_finds(desk, table, quasi, number, &found)?;
            }
        }
        page.text(&format!("On {part}:"));
        page.table(
            &["k or l", "promise", "least height", "least average group", "least discernibility"],
            &rows,
        );
        let [first, second] = curves;
        let (chart, curves) = if factor == 0 { (&mut heights, first) } else { (&mut sizes, second) };
        for (name, points) in ["k-anonymity", "entropy l-diversity", "recursive (3, l)"].iter().zip(curves) {
            chart.curve(name, points);
        }
    }
    page.chart("height", heights);
    page.chart("size", sizes);
    page.claim("least heights are equal or differ by one, all records", within);
    page.claim(
        "on the sample, the best average groups are comparable (within a factor of three)",
        comparable,
    );
    page.claim("recursive (3, l)-diversity permits smaller groups than entropy l-diversity", smaller);
    page.check("the program's searches find the same least heights, averages and discernibilities", agrees);
    let ages: Vec<u32> = table
        .column("age")?
        .codes
        .iter()
        .map(|&code| table.column("age").map(|own| own.paths[code as usize][0].parse().unwrap_or(0)))
        .collect::<Result<_>>()?;
    let between = |from: u32, to: u32| ages.iter().filter(|age| (from..=to).contains(*age)).count();
    page.table(
        &["people aged", "printed", "ours"],
        &[cells!["81 to 90", "114", between(81, 90)], cells!["31 to 40", "12,291", between(31, 40)]],
    );
    let _ = papers;
    Ok(())
}

/// Whether searches for the least of each of the three metrics find these.
fn is_what_the_program_finds(
    desk: &Desk<'_>,
    table: &Table,
    quasi: &[&str],
    number: u32,
    found: &[Option<(usize, f64, u64)>; 3],
) -> Result<bool> {
    let promises = [
        format!("k-anonymity = {number}"),
        format!("l-diversity = {{ kind = \"entropy\", l = {number}, column = \"occupation\" }}"),
        format!("l-diversity = {{ kind = \"recursive\", c = 3, l = {number}, column = \"occupation\" }}"),
    ];
    let mut agrees = true;
    for (promise, found) in promises.iter().zip(found) {
        let job =
            format!("{}[privacy]\n{promise}\n", table.job("adult", quasi, &[("occupation", "sensitive")]));
        let mut told = BTreeSet::new();
        for metric in ["height", "average-class-size", "discernibility"] {
            let made = desk.publish(&job, &[format!("search.minimize=\"{metric}\"")])?;
            match (&made, found) {
                (None, None) => {}
                (Some(made), Some((height, size, dm))) => {
                    let expected = match metric {
                        "height" => *height as f64,
                        "discernibility" => *dm as f64,
                        _ => *size,
                    };
                    let value = made.number(metric)?;
                    if (value - expected).abs() > 1e-9 * expected.max(1.0) {
                        told.insert(format!("{promise}: {metric} {value} beside {expected}"));
                    }
                }
                _ => {
                    told.insert(format!("{promise}: only one finds a table"));
                }
            }
        }
        told.iter().for_each(|line| println!("{line}"));
        agrees &= told.is_empty();
    }
    let _ = found.first().context("no promises")?;
    Ok(agrees)
}
