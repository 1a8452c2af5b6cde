use super::*;

fn table(lines: &[(&[&str], f64)]) -> Table {
    lines.iter().map(|(texts, count)| (texts.iter().map(|own| (*own).to_owned()).collect(), *count)).collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|own| (*own).to_owned()).collect()
}

/// By hand: counts 8 and 0 of ill, 2 and 10 of well. With one more each P(a|ill) = 9/10 and P(a|well) = 3/14; P(ill) = 10/24.
#[test]
fn naive_bayes_by_hand() {
    let own =
        table(&[(&["ill", "a"], 8.0), (&["ill", "b"], -3.0), (&["well", "a"], 2.0), (&["well", "b"], 10.0)]);
    let model = Bayes::new("state", &names(&["sort"]), &[own]);
    assert!((model.classes["ill"] - (10.0f64 / 24.0).ln()).abs() < 1e-12);
    assert!((model.columns["sort"]["a"]["ill"] - 0.9f64.ln()).abs() < 1e-12);
    assert!((model.columns["sort"]["a"]["well"] - (3.0f64 / 14.0).ln()).abs() < 1e-12);
    let of = |text: &'static str| model.predict(&move |_: &str| Some(text)).to_owned();
    // A value that was not declared tells nothing, and then the frequent class is said.
    assert_eq!((of("a"), of("b"), of("c")), ("ill".into(), "well".into(), "well".into()));
    assert_eq!(model.predict(&|_: &str| None), "well");
}

/// The tree asks the column that tells the class, and not the one that tells nothing; small cells are noise.
#[test]
fn a_tree_asks_what_tells() {
    let mut lines = Vec::new();
    for (ward, ill, well) in [("a", 300.0, 10.0), ("b", 20.0, 250.0)] {
        for sex in ["f", "m"] {
            lines.push((vec!["ill".to_owned(), sex.to_owned(), ward.to_owned()], ill));
            lines.push((vec!["well".to_owned(), sex.to_owned(), ward.to_owned()], well));
        }
    }
    let root = tree::grow(&names(&["sex", "ward"]), &lines, 10.0);
    assert_eq!((root.column.as_deref(), root.size()), (Some("ward"), 3));
    let of =
        |ward: &'static str| root.predict(&move |name: &str| (name == "ward").then_some(ward)).to_owned();
    assert_eq!((of("a"), of("b"), of("c")), ("ill".into(), "well".into(), "ill".into()));
    // With noise as wide as the table nothing is told apart.
    assert_eq!(tree::grow(&names(&["sex", "ward"]), &lines, 4000.0).size(), 1);
    // Columns are chosen by what they tell, and as many as the noise allows.
    let ward = table(&[
        (&["ill", "a"], 600.0),
        (&["ill", "b"], 40.0),
        (&["well", "a"], 20.0),
        (&["well", "b"], 500.0),
    ]);
    let sex = table(&[
        (&["ill", "f"], 320.0),
        (&["ill", "m"], 320.0),
        (&["well", "f"], 260.0),
        (&["well", "m"], 260.0),
    ]);
    let both = names(&["sex", "ward"]);
    let chosen = |most, width| tree::columns_worth_asking(&both, &[sex.clone(), ward.clone()], most, width);
    assert_eq!(chosen(1, 10.0), ["ward"]);
    assert_eq!(chosen(2, 10.0), ["ward", "sex"]);
    assert_eq!(chosen(2, 900.0).len(), 1);
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let refused = |columns: &[&str]| {
        let options =
            ClassifierOptions { class: "a".into(), columns: names(columns), ..ClassifierOptions::default() };
        learn_privately(&options, &privet_data::Silent).unwrap_err().to_string()
    };
    assert!(refused(&[]).contains("--from takes"));
    assert!(refused(&["a"]).contains("named twice"));
    assert!(refused(&["b", "b"]).contains("named twice"));
    let half = halved(
        &QueryOptions {
            flags: super::super::Flags {
                epsilon: Some("0.5".into()),
                delta: Some("1e-6".into()),
                ..Default::default()
            },
            ..QueryOptions::default()
        },
        None,
    )
    .unwrap();
    let is = |text: Option<String>, of: &str| {
        text.is_some_and(|own| own.parse::<Epsilon>().unwrap() == of.parse::<Epsilon>().unwrap())
    };
    assert!(is(half.flags.epsilon, "0.25") && is(half.flags.delta, "5e-7"));
    assert!(halved(&QueryOptions::default(), None).is_err());
    assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
}
