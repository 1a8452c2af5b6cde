//! E6: what a release is still good for, over epsilon and k.

use std::path::Path;

use privet_data::Silent;
use privet_ratings::attack::Released;
use privet_ratings::measure::{Statistics, average_ratings, membership_change, statistics};
use privet_ratings::publish::{Completion, Plan, publish, survey_ratings};
use privet_ratings::{DenseItems, Model, NullRule, Ratings, survey};

use crate::Result;
use crate::page::Page;
use crate::plot::plot;

/// Parameters, and what a release with them came to.
struct Figures {
    k: u64,
    epsilon: f64,
    /// Mean relative error of 100 queries, in per cent.
    error: f64,
    /// Share of people whose cluster changed, and its control, in per cent.
    changed: f64,
    control: f64,
    moments: Statistics,
}

const PADDING: NullRule = NullRule::Padding(DenseItems::Most(50));
/// The k and epsilon of the thesis' curves.
const SETTINGS: [(u64, f64); 11] = [
    (10, 0.0),
    (10, 0.5),
    (10, 1.0),
    (10, 1.5),
    (10, 2.0),
    (10, 3.0),
    (20, 2.0),
    (30, 2.0),
    (40, 2.0),
    (50, 2.0),
    (60, 2.0),
];

pub fn run(page: &mut Page, ratings: &Ratings, folder: &Path) -> Result<()> {
    page.line("");
    page.line("## E6: utility");
    page.line("");
    page.line("Errors are those of 100 random queries for the average rating of a movie among people chosen by another one. Memberships are those of k-means with two");
    page.line("clusters; the thesis does not say how many, nor from which starts, so the change that other starts make on the original stands in brackets.");
    let ways = [
        ("the rules of the thesis, nulls padded", PADDING, Completion::Centroid),
        ("windows, nulls padded", PADDING, Completion::Window),
        ("the default: windows, nulls reconciled in groups", NullRule::default(), Completion::Window),
    ];
    let mut found = Vec::new();
    for (name, rule, completion) in ways {
        let figures = SETTINGS
            .map(|(k, epsilon)| figures(ratings, rule, completion, k, epsilon))
            .into_iter()
            .collect::<Result<Vec<_>>>()?;
        table(page, name, &figures);
        found.push(figures);
    }
    compare(page, &found);
    let over_epsilon = |of: &[Figures]| -> Vec<(f64, f64)> {
        of.iter().filter(|own| own.k == 10).map(|own| (own.epsilon, own.error)).collect()
    };
    let over_k = |of: &[Figures]| -> Vec<(f64, f64)> {
        of.iter().filter(|own| own.epsilon == 2.0).map(|own| (own.k as f64, own.changed)).collect()
    };
    page.line("");
    page.line("![query error over epsilon](ratings-error-epsilon.svg)");
    page.line("![membership change over k](ratings-membership-k.svg)");
    for (file, title, of) in [
        (
            "ratings-error-epsilon.svg",
            "Query error (%) over epsilon, k = 10",
            &over_epsilon as &dyn Fn(&[Figures]) -> Vec<(f64, f64)>,
        ),
        ("ratings-membership-k.svg", "Membership change (%) over k, epsilon = 2", &over_k),
    ] {
        let curves: Vec<_> = found.iter().map(|own| of(own)).collect();
        plot(
            folder,
            file,
            title,
            false,
            &[("rules of the thesis", &curves[0]), ("windows", &curves[1]), ("default", &curves[2])],
        )?;
    }
    Ok(())
}

fn figures(
    ratings: &Ratings,
    rule: NullRule,
    completion: Completion,
    k: u64,
    epsilon: f64,
) -> Result<Figures> {
    let rows: Vec<u32> = (0..ratings.users().len() as u32).collect();
    let plan = Plan { completion, ..Plan::new(Model::new(k, epsilon)) };
    let publication = publish(&survey(ratings, rule)?, &plan, &Silent)?;
    if !publication.keeps(&Model::new(k, epsilon), &Silent)? {
        return Err("a release does not keep its promise".into());
    }
    let release = survey_ratings(&publication.survey, ratings)?;
    let on = Released::in_order(ratings, &release, &rows)?;
    let members = membership_change(&on, 2, 1, &Silent)?;
    Ok(Figures {
        k,
        epsilon,
        error: 100.0 * average_ratings(&on, 100, 1)?.mean,
        changed: 100.0 * members.ratio(),
        control: 100.0 * members.control as f64 / members.people as f64,
        moments: statistics(&on),
    })
}

fn table(page: &mut Page, name: &str, figures: &[Figures]) {
    page.line("");
    page.line(format!("### {}{}", name[..1].to_uppercase(), &name[1..]));
    page.head(&[
        "k",
        "ε",
        "query error %",
        "membership change % (other starts)",
        "⟨c,c⟩ before",
        "after",
        "SD before",
        "after",
        "ε/2",
    ]);
    for own in figures {
        page.row(&[
            &own.k.to_string(),
            &own.epsilon.to_string(),
            &format!("{:.1}", own.error),
            &format!("{:.1} ({:.1})", own.changed, own.control),
            &format!("{:.1}", own.moments.centroid_before),
            &format!("{:.1}", own.moments.centroid_after),
            &format!("{:.2}", own.moments.sd_before),
            &format!("{:.2}", own.moments.sd_after),
            &format!("{:.2}", own.epsilon / 2.0),
        ]);
    }
}

/// The sentences of the thesis beside the worst of ours.
fn compare(page: &mut Page, found: &[Vec<Figures>]) {
    let most = |way: usize, keep: &dyn Fn(&Figures) -> bool, of: &dyn Fn(&Figures) -> f64| {
        found[way].iter().filter(|own| keep(own)).map(of).fold(0.0, f64::max)
    };
    let each = |keep: &dyn Fn(&Figures) -> bool, of: &dyn Fn(&Figures) -> f64| {
        (0..found.len()).map(|way| format!("{:.1}", most(way, keep, of))).collect::<Vec<_>>().join(" / ")
    };
    let at_ten = |own: &Figures| own.k == 10 && own.epsilon > 0.0;
    let at_zero = |own: &Figures| own.epsilon == 0.0;
    let over_k = |own: &Figures| own.epsilon == 2.0;
    let at_sixty = |own: &Figures| own.k == 60;
    let error = |own: &Figures| own.error;
    let changed = |own: &Figures| own.changed;
    let centroid =
        |own: &Figures| 100.0 * (own.moments.centroid_after / own.moments.centroid_before - 1.0).abs();
    let all = |_: &Figures| true;
    page.line("");
    page.line("### Beside the thesis");
    page.line("");
    page.line("Ours: the most over the settings, for the three ways in turn.");
    page.head(&["", "thesis", "ours", "why"]);
    page.row(&[
        "query error %, k = 10 over ε above 0",
        "below 15, rising with ε",
        &each(&at_ten, &error),
        "it falls here: the larger ε, the fewer ratings move",
    ]);
    page.row(&[
        "query error %, ε = 0",
        "not run",
        &each(&at_zero, &error),
        "the rows of a group are equal; the thesis begins at ε = 1",
    ]);
    page.row(&[
        "query error %, ε = 2 over k",
        "up to 20 (MovieLens), 25 (Netflix), rising",
        &each(&over_k, &error),
        "half-star steps, and groups that are improved by local search",
    ]);
    page.row(&[
        "membership change %, k = 60",
        "below 15, rising with k",
        &each(&at_sixty, &changed),
        "up to 56 % for padded windows at k = 10 and ε below 2, where k-means finds another second cluster; the other ways keep it",
    ]);
    page.row(&["⟨c,c⟩ apart, %", "close to the original", &each(&all, &centroid), ""]);
    page.row(&[
        "SD of an item",
        "at most ε/2",
        "see the tables",
        "ε/2 bounds the SD within a group, not that of a whole column, which also has the differences between groups",
    ]);
    page.line("");
    page.claim(
        "queries at k = 10 and ε above 0 err by less than 15 %",
        (0..3).all(|way| most(way, &at_ten, &error) < 15.0),
    );
    page.claim(
        "queries at ε = 2 err by at most 20 % for every k",
        (0..3).all(|way| most(way, &over_k, &error) <= 20.0),
    );
    page.claim(
        "fewer than 15 % of people change their cluster at k = 60, with the rules of the thesis",
        most(0, &at_sixty, &changed) < 15.0,
    );
    page.claim("centroids stay within 5 %", (0..3).all(|way| most(way, &all, &centroid) < 5.0));
}
