//! Golden examples of the survey, from the words of a job to the published law and to what is estimated with it.

use privet_perturb::Population;
use privet_release::perturbed::{Categories, CategoryLaw};

use super::model::ReadyCategories;
use super::spec::{DomainOf, PerturbSpec};
use super::{RandomizeJob, model_only};

/// A domain from the data keeps no promise, even of a law that was asked for by its γ.
#[test]
fn no_promise_over_values_of_the_data() {
    for perturb in ["gamma = 19", "retention = 0.5", "response = \"warner\"\np = 0.75"] {
        let spec: PerturbSpec = toml::from_str(perturb).unwrap();
        let values = vec!["yes".to_owned(), "no".to_owned()];
        let own = spec.categories("x", DomainOf { values, from: "data", counts: None }).unwrap();
        assert_eq!(own.protects.gamma, None, "{perturb}");
        assert!(own.protects.beliefs.iter().all(|belief| belief.posterior == 1.0));
    }
}

fn law(perturb: &str, values: &[&str], counts: Option<Vec<u64>>) -> Categories {
    let spec: PerturbSpec = toml::from_str(perturb).unwrap();
    let values = values.iter().map(|&value| value.to_owned()).collect();
    spec.categories("x", DomainOf { values, from: "declared", counts }).unwrap()
}

fn estimate(law: &Categories, observed: &[u64]) -> Vec<f64> {
    let ready = ReadyCategories::new(law).unwrap();
    ready.estimate(observed, Population::Fixed).unwrap().iter().map(|own| own.value).collect()
}

/// survey PM-16, ME-19: Warner with p = 0.75 has γ = 3 and is (0.1, 0.5)-private; 40 % of yes come from 30 %.
#[test]
fn warner() {
    let law = law("response = \"warner\"\np = 0.75", &["yes", "no"], None);
    assert!((law.protects.gamma.unwrap() - 3.0).abs() < 1e-12);
    let belief = law.protects.beliefs.iter().find(|belief| belief.prior == 0.1).unwrap();
    // γα/(1−α+γα) = 0.3/1.2.
    assert!((belief.posterior - 0.25).abs() < 1e-12 && belief.posterior < 0.5);
    assert!((estimate(&law, &[400, 600])[0] - 300.0).abs() < 1e-9);
}

/// survey ME-20: p = 0.75, a coin of 1/2, 40 % of yes: 36.67 %. Whichever of the two values is yes.
#[test]
fn innocuous() {
    for (values, observed, at) in [(["yes", "no"], [400, 600], 0), (["no", "yes"], [600, 400], 1)] {
        let law = law("response = \"innocuous\"\np = 0.75\nq = 0.5", &values, None);
        assert!((estimate(&law, &observed)[at] - 366.666_666_666).abs() < 1e-6);
    }
}

/// survey ME-21: x(J + (γ−1)I) with x = 1/(γ+K−1); γ is the one that was asked for, and 5 % becomes 50 % at γ = 19.
#[test]
fn gamma_diagonal() {
    let law = law("gamma = 19", &["a", "b", "c"], None);
    let CategoryLaw::Retention(keep) = law.law else { panic!() };
    let even = (1.0 - keep) / 3.0;
    assert!((keep + even - 19.0 / 21.0).abs() < 1e-12 && (even - 1.0 / 21.0).abs() < 1e-12);
    assert!((law.protects.gamma.unwrap() - 19.0).abs() < 1e-9);
    let belief = law.protects.beliefs.iter().find(|belief| belief.prior == 0.05).unwrap();
    assert!((belief.posterior - 0.5).abs() < 1e-9);
}

/// survey ME-26: the printed rows, and counts that stay what they are in expectation.
#[test]
fn invariant_pram() {
    let law = law("pram = 0.5", &["a", "b", "c"], Some(vec![10, 20, 70]));
    let CategoryLaw::Matrix(rows) = &law.law else { panic!() };
    let printed = [0.5, 0.25, 0.25, 0.125, 0.75, 0.125, 0.0357, 0.0357, 0.9286];
    for (found, printed) in rows.iter().flatten().zip(printed) {
        assert!((found - printed).abs() < 5e-5, "{rows:?}");
    }
    // The rows tell that counts are as 1 : 2 : 7, so that no γ is promised.
    assert_eq!(law.protects.gamma, None);
    assert!((rows[0][1] / rows[1][0] - 2.0).abs() < 1e-9 && (rows[0][1] / rows[2][0] - 7.0).abs() < 1e-9);
    let same = estimate(&law, &[10, 20, 70]);
    assert!(same.iter().zip([10.0, 20.0, 70.0]).all(|(a, b)| (a - b).abs() < 1e-9), "{same:?}");
}

/// An output that excludes a value bounds nothing.
#[test]
fn no_bound_is_said() {
    let law = law("pram = 0.5", &["a", "b", "c"], Some(vec![10, 20, 0]));
    assert_eq!(law.protects.gamma, None);
    assert!(law.protects.beliefs.iter().all(|belief| belief.posterior == 1.0));
}

/// survey FX-1.5, ME-27: age += N(0, 4); categories replaced with probability 1/4. A model needs no data.
#[test]
fn the_configuration_of_table_1_5() {
    let job = "input.path = \"none.csv\"\n[columns.age]\nrole = \"quasi\"\nperturb = { noise = \"gaussian\", sd = 2.0 }\n\
               [columns.gender]\nrole = \"quasi\"\nvalues = [\"F\", \"M\"]\nperturb = { retention = 0.75 }\n";
    let job = RandomizeJob::parse(job, &[]).unwrap();
    let model = model_only(&job, std::path::Path::new(".")).unwrap();
    let json = model.to_json().unwrap();
    assert!(json.contains("\"retention\": 0.75") && json.contains("\"deviation\": 2.0"), "{json}");
    let back = privet_release::perturbed::ModelFile::parse(json.as_bytes()).unwrap();
    assert_eq!(back, model);
    // 1 + pK/(1−p) = 7.
    assert!(json.contains("\"gamma\": 7.0"), "{json}");
}
