//! The pages of perturbed records.

use super::*;
use privet_release::perturbed::{
    Amplification, Belief, Categories, CategoryLaw, Model, NoiseColumn, NoiseLaw, NoiseWay, PerturbedData,
};

fn column(name: &str, role: &str, perturbation: Option<Perturbation>) -> ModelColumn {
    ModelColumn { name: name.to_owned(), role: role.to_owned(), perturbation }
}

fn manifest(law: CategoryLaw, gamma: Option<f64>) -> PerturbedManifest {
    let categories = Categories {
        mechanism: "retention".into(),
        values: vec!["<b>yes</b>".into(), "no".into()],
        domain: if gamma.is_some() { "declared" } else { "data" }.into(),
        law,
        protects: Amplification { gamma, beliefs: vec![Belief { prior: 0.05, posterior: 0.5 }] },
    };
    let noise = NoiseColumn {
        way: NoiseWay::Additive,
        law: NoiseLaw::Gaussian,
        deviation: Some(5.0),
        factor: None,
        dates: false,
        step: Some(0.01),
        figures: None,
        range: None,
        unit: None,
        interval_95: Some(19.6),
    };
    PerturbedManifest {
        format: 1,
        software: "privet 0".into(),
        kind: "perturbed".into(),
        data: PerturbedData {
            file: "data.csv".into(),
            format: "csv".into(),
            delimiter: Some(','),
            encoding: None,
            rows: 10,
            missing: [("<i>a</i>".to_owned(), 3)].into(),
            removed_columns: vec!["<s>n</s>".into()],
        },
        model: Model::new(
            vec![String::new()],
            vec![
                column("<i>a</i>", "sensitive", Some(Perturbation::Categories(categories))),
                column("age", "quasi", Some(Perturbation::Noise(noise))),
                column("zip", "quasi", None),
            ],
        ),
        change: Change::Laws,
        randomness: "fixed-seed".into(),
        files: vec![],
        shown: privet_release::Shown::default(),
        signer: None,
        seal: String::new(),
    }
}

#[test]
fn names_and_values_are_no_markup_and_nothing_is_forgotten() {
    let bars = vec![("<b>yes</b>".to_owned(), 0.4, 0.3, 0.1), ("no".to_owned(), 0.6, 0.7, 0.1)];
    let pictures = vec![PerturbedPicture::Counts {
        bars,
        left_out: 2,
        error_of_one: 0.9,
        records: 7,
        warnings: vec!["<u>little</u>".into()],
    }];
    let facts = PerturbedFacts {
        reproduce: vec!["privet randomize <job>".into()],
        pictures,
        assessment: Assessment {
            not_made: vec![crate::NotMade::new("averaging", "<i>once</i>")],
            ..Default::default()
        },
    };
    let page = html(&manifest(CategoryLaw::Retention(0.6), Some(4.0)), &facts);
    for markup in ["<b>", "<u>", "<i>", "<s>", "<job>", "NaN", "<script"] {
        assert!(!page.contains(markup), "{markup}");
    }
    for said in [
        "this column alone changes nobody’s odds about its original by more than a factor of 4",
        "All columns together promise no bound",
        "at most 50",
        "hidden by nothing",
        "3\u{a0}values are missing",
        "fixed seed",
        "2\u{a0}more values are not shown",
        "Shares of values of <bdi class=\"name\">&lt;i&gt;a&lt;/i&gt;</bdi>: as published",
        "Careful:</strong> &lt;u&gt;little",
        "<dt>Kept with a probability (retention)</dt>",
        "<dt>Factor, γ (gamma)</dt>",
        "<dt>Noise</dt>",
        "<dt>95 %, interval</dt>",
        "No attack was made",
        "&lt;i&gt;once",
    ] {
        assert!(page.contains(said), "{said}");
    }
    assert!(!page.contains("<dt>Swapped</dt>") && !page.contains("<dt>Copies</dt>"));
}

#[test]
fn a_law_without_a_bound_is_not_praised() {
    let page = html(
        &manifest(CategoryLaw::Matrix(vec![vec![1.0, 0.0], vec![0.5, 0.5]]), None),
        &PerturbedFacts::default(),
    );
    assert!(page.contains("declare values") && page.contains("told that each of them occurred"));
    assert!(page.contains("were not recorded"));
}

/// The owner's page of a release of which everything was measured.
fn owned(manifest: &PerturbedManifest) -> String {
    use crate::{Assessment, ColumnUtility, Fit, Learner, PairUtility, Regression, Utility};
    use privet_attack::Rate;
    let (baseline, raw, released) = (Rate::new(1, 4), Rate::new(3, 4), Rate::new(2, 4));
    let fit = Fit { error: 2.0, determination: Some(0.5) };
    let utility = Utility {
        columns: vec![ColumnUtility::of_values("a", "quasi", vec![(0.5, 0.25), (0.5, 0.75)], false)],
        pairs: vec![PairUtility { a: "a".into(), b: "b".into(), before: 0.5, after: 0.25 }],
        learners: vec![Learner { name: "tree".into(), class: "a".into(), baseline, raw, released }],
        regressions: vec![Regression {
            name: "linear".into(),
            target: "b".into(),
            tested: 4,
            baseline: 4.0,
            raw: fit,
            released: fit,
        }],
        ..Utility::default()
    };
    crate::owner_perturbed_html(manifest, &Assessment { utility: Some(utility), ..Assessment::default() })
}

#[test]
fn swapped_and_synthetic_records_are_not_praised() {
    use privet_release::perturbed::{Swap, SwapWay, SwappedColumn, Synthesis, SyntheticColumn};
    let mut own = manifest(CategoryLaw::Retention(0.6), Some(4.0));
    own.model.columns.iter_mut().for_each(|column| column.perturbation = None);
    own.change = Change::Swapped(Swap {
        way: SwapWay::Nearest { probability: 0.5, compared: vec!["<u>zip</u>".into()] },
        columns: vec![SwappedColumn {
            name: "<i>a</i>".into(),
            distinct: 2,
            changed: 4,
            window: None,
            mean_rank_distance: None,
        }],
        keeps: 1,
        changed: 4,
        new_records: None,
    });
    let page = html(&own, &PerturbedFacts::default());
    for said in [
        "no formal privacy: 60",
        "3\u{a0}values are missing",
        "fixed seed",
        "swapped records",
        "<dt>Swapped</dt>",
    ] {
        assert!(page.contains(said), "{said}");
    }
    assert!(!page.contains("<dt>Posterior</dt>"));
    let owners = owned(&own);
    assert!(owners.contains("Assessment of swapped records"), "{owners}");
    // There is no law, so none is spoken of.
    assert!(!owners.contains("law of its noise") && !owners.contains("<dt>Law</dt>"));
    assert!(!page.contains("<dt>Law</dt>") && !page.contains("<dt>Estimated, reconstructed</dt>"));
    // 4 of 10 records changed: in the picture of all, and in that of the column. No ranks were moved.
    for drawn in [
        "Of 10 records, 4 have another value than before (40.0\u{a0}%) and 6 are published as they were",
        "<rect class=\"solid\" x=\"0\" y=\"1\" width=\"60%\"",
        "<rect class=\"hatched\" x=\"0\" y=\"4\" width=\"40%\"",
    ] {
        assert!(page.contains(drawn), "{drawn}");
    }
    assert!(!page.contains("ranks that it moved"));
    let Change::Swapped(swapped) = &mut own.change else { panic!("not swapped") };
    (swapped.columns[0].window, swapped.columns[0].mean_rank_distance) = (Some(8), Some(2.0));
    let page = html(&own, &PerturbedFacts::default());
    assert!(page.contains("ranks that it moved") && page.contains("y=\"4\" width=\"25%\""));
    assert!(!page.contains("<i>") && !page.contains("<u>") && !page.contains("privet reconstruct"));
    own.change = Change::Synthetic(Synthesis {
        only: None,
        replaced: None,
        model: "cart".into(),
        scope: "partial".into(),
        copies: vec!["data-1.csv".into(), "data-2.csv".into()],
        columns: vec![SyntheticColumn {
            name: "<i>a</i>".into(),
            kind: "category".into(),
            made_by: "tree".into(),
            figures: [("leaves".to_owned(), 3.0)].into(),
            decimals: None,
            equal: Some(0.5),
            by_chance: 0.25,
            of_one_record: 0.125,
        }],
        copied_records: 0.1,
        rule: Some(privet_release::perturbed::CombinationRule {
            rule: "partially-synthetic".into(),
            size: None,
        }),
    });
    let page = html(&own, &PerturbedFacts::default());
    for said in ["no formal privacy", "leaves 3", "--rule partially-synthetic", "data-2.csv", "12.5"] {
        assert!(page.contains(said), "{said}");
    }
    assert!(page.contains("<dt>Synthetic, made</dt>") && page.contains("<dt>Copies</dt>"));
    // All copies are named, and everything that was measured is told.
    let owners = owned(&own);
    for said in [
        "Assessment of synthetic records",
        "data-1.csv",
        "data-2.csv",
        "Columns that go together",
        "tree</bdi> predicts",
        "linear</bdi> predicts",
        "the release as published",
        "<dt>Cramér’s V</dt>",
        "<dt>Regression, R²</dt>",
        "<dt>Total variation distance</dt>",
        "Words used here",
    ] {
        assert!(owners.contains(said), "{said}");
    }
    // What was not measured has no part.
    let bare = crate::owner_perturbed_html(&own, &Assessment::default());
    assert!(!bare.contains("Columns that go together") && !bare.contains("Learning from the release"));
    // The largest of the three shares is the end of the axis.
    for drawn in [
        "<rect class=\"solid\" x=\"0\" y=\"4\" width=\"100%\"",
        "<rect class=\"hatched\" x=\"0\" y=\"15\" width=\"50%\"",
        "<rect class=\"empty\" x=\"0\" y=\"26\" width=\"25%\"",
        "equal what they replace</li>",
    ] {
        assert!(page.contains(drawn), "{drawn}");
    }
    // Only some models know nothing of the columns that stay.
    let lost = "dependence on columns that stay is lost";
    assert!(!page.contains(lost));
    for (model, scope, is_lost) in
        [("moments", "partial", true), ("latin-hypercube", "partial", true), ("moments", "full", false)]
    {
        let Change::Synthetic(made) = &mut own.change else { panic!("not synthetic") };
        (made.model, made.scope) = (model.into(), scope.into());
        assert_eq!(html(&own, &PerturbedFacts::default()).contains(lost), is_lost, "{model} {scope}");
    }
    // The law of maximum entropy has the joint counts; tables drawn from it have them in expectation.
    for (model, is_drawn) in [("maximum-entropy", true), ("moments", false)] {
        let Change::Synthetic(made) = &mut own.change else { panic!("not synthetic") };
        (made.model, made.scope, made.rule) = (model.into(), "full".into(), None);
        made.columns[0].equal = None;
        let page = html(&own, &PerturbedFacts::default());
        assert_eq!(page.contains("in expectation"), is_drawn, "{model}");
        assert_eq!(page.contains("differ by chance"), is_drawn, "{model}");
        assert_eq!(page.contains("keep statistics by construction"), !is_drawn, "{model}");
        assert!(!page.contains("equal what they replace</li>"));
    }
    assert!(!page.contains("<i>") && !page.contains("privet reconstruct"));
}

/// survey ME-26: the law of invariant PRAM tells all counts, whatever γ it has.
#[test]
fn laws_made_of_the_data_are_not_praised() {
    let mut own = manifest(CategoryLaw::Matrix(vec![vec![0.8, 0.2], vec![0.2, 0.8]]), Some(4.0));
    own.model.columns.truncate(1);
    own.model = Model::new(vec![], own.model.columns);
    let said = "by more than a factor of 4, the product of all";
    assert!(html(&own, &PerturbedFacts::default()).contains(said));
    for (mechanism, domain, told) in [
        ("invariant-pram", "declared", "tell the counts of all its values"),
        ("warner", "data", "declare values"),
    ] {
        let Some(Perturbation::Categories(law)) = &mut own.model.columns[0].perturbation else { panic!() };
        (law.mechanism, law.domain) = (mechanism.into(), domain.into());
        own.model = Model::new(vec![], own.model.columns);
        let page = html(&own, &PerturbedFacts::default());
        assert!(page.contains(told) && !page.contains("factor of 4") && page.contains("promise no bound"));
    }
}

/// Without the probability nobody can estimate anything from the answers.
#[test]
fn randomized_responses_tell_their_probability() {
    let page = |mechanism: &str, rows: [[f64; 2]; 2]| {
        let rows = rows.map(|row| row.to_vec()).to_vec();
        let mut own = manifest(CategoryLaw::Matrix(rows), Some(4.0));
        let Some(Perturbation::Categories(law)) = &mut own.model.columns[0].perturbation else { panic!() };
        law.mechanism = mechanism.into();
        html(&own, &PerturbedFacts::default())
    };
    let warner = page("warner", [[0.8, 0.2], [0.2, 0.8]]);
    assert!(warner.contains("after Warner: the truth with probability 0.8, and otherwise"), "{warner}");
    assert!(warner.contains("a value stays the same with probability 0.8."), "{warner}");
    // The truth in 0.7 of the answers, and otherwise yes with probability 0.4.
    let innocuous = page("innocuous", [[0.82, 0.18], [0.12, 0.88]]);
    assert!(
        innocuous.contains("innocuous question: the truth with probability 0.7, and otherwise"),
        "{innocuous}"
    );
    assert!(
        innocuous.contains("with probability 0.82, and <bdi class=\"name\">no</bdi> with probability 0.88.")
    );
    assert!(innocuous.contains("with probability 0.82 to 0.88, depending on the value."), "{innocuous}");
}

#[test]
fn an_attack_that_adds_nothing_is_no_leak() {
    use crate::Assessment;
    use privet_attack::{Finding, HistogramOf, Note, Rate, Unit};
    let own = manifest(CategoryLaw::Retention(0.6), Some(4.0));
    let page = |hits: u64| {
        let attack = Finding {
            attack: "best-linear-estimate",
            column: None,
            assumed: "the release".into(),
            success: "the estimate is near".into(),
            unit: Unit::Records,
            exposed: Rate::new(hits, 1_000),
            right: Some(Rate::new(hits, hits)),
            control: Some(Rate::new(380, 1_000)),
            control_group: Some("the same records, taken as they are published".into()),
            baseline: None,
            risk: hits as f64 / 1_000.0,
            not_counted: None,
            histogram: vec![],
            histogram_of: HistogramOf::Nothing,
            notes: vec![Note::of_release("Of 5848 people and 400000000 pairs 2727.0 in `2024`.")],
        };
        crate::owner_perturbed_html(&own, &Assessment { attacks: vec![attack], ..Assessment::default() })
    };
    let nothing = page(390);
    assert!(nothing.contains("39.0\u{a0}% of records, no more than its control; accepted"), "{nothing}");
    assert!(
        nothing.contains("Its control reaches 38.0\u{a0}%: The same records, taken as they are published.")
    );
    assert!(nothing.contains("Records that are exposed") && !nothing.contains("People who are exposed"));
    assert!(!nothing.contains("is not known, so all"), "whether rightly is known: {nothing}");
    assert!(
        nothing.contains("Of 5,848 people and 400,000,000 pairs 2,727.0 in <code>2024</code>."),
        "{nothing}"
    );
    assert!(!page(600).contains("no more than its control"));
    // Where no attack was asked for, none is counted.
    let bare = crate::owner_perturbed_html(&own, &Assessment::default());
    assert!(!bare.contains("0\u{a0}attacks") && !bare.contains("0 attacks"), "{bare}");
}
