//! Figures 6, 7, 8 and Table 6 of Friedman, Wolff and Schuster, on UCI Adult (papers II.6).
//!
//! ```text
//! cargo run --release -p privet-mine --example papers_friedman -- <folder of adult-uci> [folder for plots]
//! ```

#[path = "common/adult.rs"]
mod adult;

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use privet_criteria::Requirement;
use privet_mine::Examples;
use privet_mine::tree::{GrowOptions, Grown, Pruning, confidence_limit, grow};

const KS: [u64; 13] = [10, 25, 50, 75, 100, 150, 200, 250, 500, 750, 1000, 1500, 2000];

/// Table 6: the range that k-Optimize reaches, and the paper's tree.
const TABLE_6: [(u64, &str, u64); 4] =
    [(10, "5,230-5,280", 5198), (25, "5,280-5,330", 5273), (50, "5,350-5,410", 5379), (100, "5,460", 5439)];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: papers_friedman <adult-uci> [plots]")?);
    let plots = arguments.next().map(PathBuf::from);
    let (train, test) = adult::read(&folder, &[])?;
    let majority = train.class_counts()[0] as f64 / train.len() as f64;
    println!("UCI Adult, complete records, 8 categories: {} train, {} test", train.len(), test.len());
    println!("majority {majority:.5} (F-TH7: 0.75108)\n");
    figures_6_and_7(&train, &test, plots.as_deref())?;
    table_6(&folder)?;
    figure_8(&train, &test, plots.as_deref())
}

fn tree(train: &Examples, k: u64) -> Result<Grown, Box<dyn Error>> {
    Ok(grow(train, &GrowOptions::k_anonymous(k))?)
}

fn root(grown: &Grown) -> String {
    match grown.release.model.nodes[0].test {
        Some(privet_mine::tree::Test::Category { attribute, level }) => {
            format!("{}, level {level}", grown.release.model.schema.attributes[attribute].name)
        }
        _ => "none".to_owned(),
    }
}

/// The paper prints axes (17.4 to 19.5 % error, 0 to 25 % exposed) and a few sentences; its curves are lost.
fn figures_6_and_7(train: &Examples, test: &Examples, plots: Option<&Path>) -> Result<(), Box<dyn Error>> {
    println!(
        "Figure 6 (error; printed: between 17.4 and 19.5 %) and Figure 7 (exposed; printed: between 0 and 25 %)"
    );
    println!(
        "{:>6} {:>8} {:>9} {:>7} {:>7} {:>8}  root",
        "k", "error %", "exposed %", "CM", "leaves", "seconds"
    );
    let (mut errors, mut exposed) = (Vec::new(), Vec::new());
    let mut all = 0.0;
    for k in [1].into_iter().chain(KS) {
        let start = Instant::now();
        let grown = tree(train, k)?;
        let seconds = start.elapsed().as_secs_f64();
        let release = &grown.release;
        let verdict = release.verify()?;
        let error = 100.0 * release.predictor().error(test);
        let share = 100.0 * verdict.exposed as f64 / train.len() as f64;
        println!(
            "{k:>6} {error:>8.2} {share:>9.1} {:>7} {:>7} {seconds:>8.3}  {}",
            release.minority(),
            release.model.leaves().count(),
            root(&grown)
        );
        if k > 1 {
            all += seconds;
            errors.push((k as f64, error));
            exposed.push((k as f64, share));
        }
    }
    println!("every k of the paper together: {all:.3} s (printed: up to 6 s for each)");
    let pruned = GrowOptions { pruning: Pruning::Pessimistic { z: 0.6745 }, ..GrowOptions::k_anonymous(1) };
    let baseline = 100.0 * grow(train, &pruned)?.release.predictor().error(test);
    println!("pruned as C4.5 prunes, without anonymity: {baseline:.2} %");
    println!(
        "printed: a bad point at k = 750 with Relationship at its lowest level as root; at 1000 that is"
    );
    println!(
        "illegal, Marital Status at its second lowest level becomes root, and the error is lower again.\n"
    );
    if let Some(folder) = plots {
        let baseline = KS.map(|k| (k as f64, baseline)).to_vec();
        plot(
            folder,
            "figure-6.svg",
            "Error (%) over k",
            true,
            &[("k-anonymous", &errors), ("C4.5", &baseline)],
        )?;
        plot(folder, "figure-7.svg", "Exposed (%) over k", true, &[("k-anonymous", &exposed)])?;
    }
    Ok(())
}

fn table_6(folder: &Path) -> Result<(), Box<dyn Error>> {
    let (train, _) = adult::read(folder, &["relationship"])?;
    println!("Table 6, CM without Relationship");
    println!("{:>6} {:>13} {:>8} {:>6}", "k", "k-Optimize", "printed", "ours");
    for (k, range, printed) in TABLE_6 {
        let ours = tree(&train, k)?.release.minority();
        let beside = if ours <= printed { "at or under" } else { "ABOVE" };
        println!("{k:>6} {range:>13} {printed:>8} {ours:>6}  {beside}");
    }
    println!(
        "The paper's hierarchies are not printed; ours are those of papers II.6, so values differ by about 1 %."
    );
    println!("k-Optimize also uses Age, which the tree does not.\n");
    Ok(())
}

/// Printed: axis 17.5 to 25 %; no significant penalty while the limit is high; 85 % and below prohibits a useful tree.
fn figure_8(train: &Examples, test: &Examples, plots: Option<&Path>) -> Result<(), Box<dyn Error>> {
    println!("Figure 8 (error over the confidence limit; printed: between 17.5 and 25 %)");
    let mut points = Vec::new();
    for limit in [0.99, 0.97, 0.95, 0.925, 0.90, 0.875, 0.85, 0.80, 0.751] {
        let requirements: Vec<Requirement> = vec![confidence_limit(train.schema(), limit)?];
        match grow(train, &GrowOptions { requirements, ..GrowOptions::default() }) {
            Ok(grown) => {
                let error = 100.0 * grown.release.predictor().error(test);
                points.push((100.0 * limit, error));
                println!("{:>6.1} % {error:>8.2} %  root {}", 100.0 * limit, root(&grown));
            }
            // The share of the majority in the whole table is 75.1 %: no tree can have less.
            Err(error) => println!("{:>6.1} %        -  {error}", 100.0 * limit),
        }
    }
    println!(
        "printed: every root split yields a node above 85 %. With the hierarchies of II.6 one does not: race in two"
    );
    println!("groups gives 73.6 % and 84.2 % (DEF-24), so 85 % still allows a small tree.");
    if let Some(folder) = plots {
        plot(
            folder,
            "figure-8.svg",
            "Error (%) over the confidence limit (%)",
            false,
            &[("l-diverse", &points)],
        )?;
    }
    Ok(())
}

/// A curve. A name and its points.
type Curve<'a> = (&'a str, &'a [(f64, f64)]);

/// Curves as SVG.
fn plot(
    folder: &Path,
    name: &str,
    title: &str,
    is_log: bool,
    curves: &[Curve<'_>],
) -> Result<(), Box<dyn Error>> {
    let scale = |x: f64| if is_log { x.log10() } else { x };
    let all = || curves.iter().flat_map(|(_, points)| points.iter());
    let range = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let ends = all().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        (ends.0, if ends.1 > ends.0 { ends.1 } else { ends.0 + 1.0 })
    };
    let (x0, x1) = range(&|point| scale(point.0));
    let (y0, y1) = range(&|point| point.1);
    let place = |&(x, y): &(f64, f64)| {
        (60.0 + 520.0 * (scale(x) - x0) / (x1 - x0), 330.0 - 280.0 * (y - y0) / (y1 - y0))
    };
    let mut out = String::from(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 380" font-family="sans-serif" font-size="12">"#,
    );
    writeln!(
        out,
        r#"<rect width="640" height="380" fill="white"/><text x="60" y="24" font-size="15">{title}</text>"#
    )?;
    writeln!(out, r##"<path d="M60 50V330H580" fill="none" stroke="#444"/>"##)?;
    writeln!(out, r#"<text x="8" y="334">{y0:.1}</text><text x="8" y="54">{y1:.1}</text>"#)?;
    for ((name, points), colour) in curves.iter().zip(["#1b6ca8", "#c05020", "#3a8a3a"]) {
        let line: Vec<String> = points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        writeln!(
            out,
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"/>"#,
            line.join(" ")
        )?;
        for point in *points {
            let (x, y) = place(point);
            writeln!(
                out,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="3" fill="{colour}"><title>{name}: {} {:.2}</title></circle>"#,
                point.0, point.1
            )?;
        }
        if let Some((x, y)) = points.last().map(place) {
            writeln!(
                out,
                r#"<text x="{:.1}" y="{:.1}" fill="{colour}" text-anchor="end">{name}</text>"#,
                x,
                y - 8.0
            )?;
        }
    }
    for &(x, _) in curves.first().map_or(&[][..], |(_, points)| points) {
        writeln!(out, r#"<text x="{:.1}" y="348" text-anchor="middle">{x}</text>"#, place(&(x, y0)).0)?;
    }
    out.push_str("</svg>\n");
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(name), out)?;
    Ok(())
}
