//! Reading the `[privacy]` section: a key and its value become requirements.
//!
//! One table of keys and fields gives both the checks and the messages, so that a misspelt field is answered
//! with those that exist. Values of lists are never repeated in a message: they may be values of the data.

use serde_json::{Map, Value};

use crate::{CriterionError, Requirement};

/// Every key of the `[privacy]` section.
pub const KEYS: &[&str] = &[
    "k-anonymity",
    "alpha-k",
    "l-diversity",
    "t-closeness",
    "p-sensitivity",
    "concept-diversity",
    "proximity-diversity",
    "delta-presence",
    "k-map",
    "beta-likeness",
    "delta-disclosure",
    "three-d",
    "c-k-safety",
];

/// What a field holds.
#[derive(Clone, Copy)]
enum Holds {
    Whole,
    Number,
    Flag,
    Text,
    Texts,
    Numbers,
    ListsOfTexts,
    Costs,
    Concepts,
    Points,
    ValuePoints,
    OneOf(&'static [&'static str]),
}

/// A field of a requirement: its name, what it holds, whether it must be given.
type Field = (&'static str, Holds, bool);

const COLUMN: Field = ("column", Holds::Text, false);
const DIVERSITY: &[&str] =
    &["distinct", "entropy", "recursive", "positive-disclosure", "negative-positive-disclosure"];

/// The fields of a key. The first is what a number alone stands for, where that is enough.
fn fields(key: &str) -> Option<&'static [Field]> {
    use Holds::{
        Concepts, Costs, Flag, ListsOfTexts, Number, Numbers, OneOf, Points, Text, Texts, ValuePoints, Whole,
    };
    Some(match key {
        "k-anonymity" => &[("k", Whole, true)],
        "alpha-k" => &[("alpha", Number, true), ("k", Whole, true), ("values", Texts, false), COLUMN],
        "l-diversity" => &[
            ("l", Number, true),
            ("kind", OneOf(DIVERSITY), false),
            ("c", Number, false),
            ("c2", Number, false),
            ("allowed", Texts, false),
            ("protected", Texts, false),
            ("multi-attribute", Flag, false),
            COLUMN,
        ],
        "t-closeness" => &[
            ("t", Number, true),
            ("kind", OneOf(&["variational", "kl", "equal", "ordered", "hierarchical", "matrix"]), true),
            ("costs", Costs, false),
            ("hierarchy", Text, false),
            ("order", Texts, false),
            COLUMN,
        ],
        "p-sensitivity" => &[
            ("p", Whole, true),
            ("k", Whole, true),
            ("plus", Flag, false),
            ("alpha", Number, false),
            ("categories", ListsOfTexts, false),
            ("weights", Numbers, false),
            COLUMN,
        ],
        "concept-diversity" => &[
            ("l", Number, true),
            ("kind", OneOf(&["distinct", "entropy", "recursive"]), false),
            ("c", Number, false),
            ("concepts", Concepts, true),
            COLUMN,
        ],
        "proximity-diversity" => &[
            ("l", Number, true),
            ("width", Number, true),
            ("kind", OneOf(&["ranges", "neighbourhood"]), false),
            ("balance", Number, false),
            COLUMN,
        ],
        "delta-presence" => &[("max", Number, true), ("min", Number, false), ("population", Text, true)],
        "k-map" => &[("k", Whole, true), ("population", Text, true)],
        "beta-likeness" => &[("beta", Number, true), ("kind", OneOf(&["basic", "enhanced"]), false), COLUMN],
        "delta-disclosure" => &[("delta", Number, true), COLUMN],
        "three-d" => &[
            ("c", Number, false),
            ("l", Whole, false),
            ("k", Whole, false),
            ("m", Whole, false),
            ("points", Points, false),
            ("values", ValuePoints, false),
            COLUMN,
        ],
        "c-k-safety" => &[("c", Number, true), ("k", Whole, true), COLUMN],
        _ => return None,
    })
}

const POINT: &str = "{ c = …, l = …, k = …, m = … }, where only c is needed";

/// Whether a value reads as a point of 3D privacy.
fn is_point(value: &Value) -> bool {
    value.as_object().is_some_and(|point| {
        point.contains_key("c")
            && point.iter().all(|(name, value)| match name.as_str() {
                "c" => Holds::Number.accepts(value),
                "l" | "k" | "m" => Holds::Whole.accepts(value),
                _ => false,
            })
    })
}

impl Holds {
    fn accepts(self, value: &Value) -> bool {
        let texts = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
        match self {
            Holds::Whole => value.as_u64().is_some(),
            Holds::Number => value.is_number(),
            Holds::Flag => value.is_boolean(),
            Holds::Text => value.is_string(),
            Holds::Texts => texts(value),
            Holds::Numbers => value.as_array().is_some_and(|list| list.iter().all(Value::is_number)),
            Holds::ListsOfTexts => value.as_array().is_some_and(|list| list.iter().all(texts)),
            Holds::Costs => value.as_array().is_some_and(|list| {
                list.iter().all(|entry| match entry.as_array().map(Vec::as_slice) {
                    Some([from, to, cost]) => from.is_string() && to.is_string() && cost.is_number(),
                    _ => false,
                })
            }),
            Holds::Concepts => value.as_object().is_some_and(|concepts| concepts.values().all(texts)),
            Holds::Points => {
                value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(is_point))
            }
            Holds::ValuePoints => {
                value.as_object().is_some_and(|values| !values.is_empty() && values.values().all(is_point))
            }
            Holds::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        }
    }

    fn expected(self) -> String {
        match self {
            Holds::Whole => "a whole number that is not negative".to_owned(),
            Holds::Number => "a number".to_owned(),
            Holds::Flag => "true or false".to_owned(),
            Holds::Text => "a text in quotation marks".to_owned(),
            Holds::Texts => "a list of texts".to_owned(),
            Holds::Numbers => "a list of numbers".to_owned(),
            Holds::ListsOfTexts => "a list of lists of texts".to_owned(),
            Holds::Costs => "a list of [value, value, cost]".to_owned(),
            Holds::Concepts => "a table of concepts, each a list of texts".to_owned(),
            Holds::Points => format!("a list of {POINT}"),
            Holds::ValuePoints => format!("a table with a value's own {POINT} by each value"),
            Holds::OneOf(words) => format!("one of {}", words.join(", ")),
        }
    }
}

impl Requirement {
    /// Reads one entry of the `[privacy]` section: a number alone where one parameter is enough
    /// (`k-anonymity = 5`), a table, or a list of tables.
    ///
    /// # Errors
    /// When the key or a field is unknown, a field is missing or of the wrong type; the message says what
    /// would be accepted.
    ///
    /// ```
    /// use privet_criteria::Requirement;
    /// let asked = Requirement::parse("k-anonymity", &serde_json::json!(5)).unwrap();
    /// assert_eq!(asked, [Requirement::KAnonymity { k: 5 }]);
    /// ```
    pub fn parse(key: &str, value: &Value) -> Result<Vec<Requirement>, CriterionError> {
        let Some(fields) = fields(key) else {
            let problem = format!("unknown key; the keys are {}", KEYS.join(", "));
            return Err(CriterionError::new(key, problem));
        };
        match value {
            Value::Object(table) => Ok(vec![from_table(key, fields, table)?]),
            Value::Array(tables) if tables.iter().all(Value::is_object) && !tables.is_empty() => tables
                .iter()
                .filter_map(Value::as_object)
                .map(|table| from_table(key, fields, table))
                .collect(),
            number if fields.iter().filter(|(_, _, needed)| *needed).count() <= 1 && !value.is_array() => {
                let table = Map::from_iter([(fields[0].0.to_owned(), number.clone())]);
                Ok(vec![from_table(key, fields, &table)?])
            }
            _ => Err(CriterionError::new(
                key,
                format!("expected a table with {}, or a list of such tables", names(fields)),
            )),
        }
    }
}

fn from_table(
    key: &str,
    fields: &[Field],
    table: &Map<String, Value>,
) -> Result<Requirement, CriterionError> {
    let error = |problem: String| CriterionError::new(key, problem);
    for (name, value) in table {
        let Some((_, holds, _)) = fields.iter().find(|(field, ..)| field == name) else {
            return Err(error(format!("unknown field {name}; the fields are {}", names(fields))));
        };
        if !holds.accepts(value) {
            return Err(error(format!("{name} must be {}", holds.expected())));
        }
    }
    if let Some((name, holds, _)) =
        fields.iter().find(|(name, _, needed)| *needed && !table.contains_key(*name))
    {
        return Err(error(format!("{name} is missing; it must be {}", holds.expected())));
    }
    let mut tagged = table.clone();
    tagged.insert("criterion".to_owned(), Value::String(key.to_owned()));
    serde_json::from_value(Value::Object(tagged))
        .map_err(|_| error(format!("it cannot be read; the fields are {}", names(fields))))
}

fn names(fields: &[Field]) -> String {
    fields.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DiversityKind, LikenessKind};
    use serde_json::json;

    fn problem(key: &str, value: &Value) -> String {
        Requirement::parse(key, value).unwrap_err().to_string()
    }

    #[test]
    fn numbers_tables_and_lists_are_read() {
        assert_eq!(Requirement::parse("k-anonymity", &json!(5)).unwrap(), [Requirement::KAnonymity { k: 5 }]);
        assert_eq!(
            Requirement::parse("k-anonymity", &json!({"k": 5})).unwrap(),
            [Requirement::KAnonymity { k: 5 }]
        );
        let two = json!([{"l": 2, "column": "a"}, {"kind": "entropy", "l": 2.5, "column": "b"}]);
        let two = Requirement::parse("l-diversity", &two).unwrap();
        assert_eq!((two.len(), two[0].column(), two[1].column()), (2, Some("a"), Some("b")));
        assert!(matches!(two[1], Requirement::LDiversity { kind: DiversityKind::Entropy, l: 2.5, .. }));
        let gain = Requirement::parse("beta-likeness", &json!(1.5)).unwrap();
        assert!(matches!(gain[0], Requirement::BetaLikeness { beta: 1.5, kind: LikenessKind::Basic, .. }));
        let chance = Requirement::parse("three-d", &json!(0.5)).unwrap();
        assert!(matches!(chance[0], Requirement::ThreeD { l: 0, k: 0, m: 0, c: Some(0.5), .. }));
        // A point may leave out what it does not ask for.
        let points = Requirement::parse("three-d", &json!({"points": [{"c": 1, "m": 1}]})).unwrap();
        assert_eq!(points[0].points(), [crate::ThreeD { l: 0, k: 0, m: 1, c: 1.0 }]);
    }

    #[test]
    fn every_field_is_read_back() {
        for (key, value) in [
            ("k-anonymity", json!({"k": 5})),
            ("alpha-k", json!({"alpha": 0.5, "k": 5, "values": ["a"], "column": "s"})),
            (
                "l-diversity",
                json!({"kind": "negative-positive-disclosure", "l": 2.0, "c": 1.0, "c2": 5.0, "allowed": ["a"],
                       "protected": ["b"], "multi-attribute": true, "column": "s"}),
            ),
            ("t-closeness", json!({"kind": "matrix", "t": 0.5, "costs": [["a", "b", 0.5]], "column": "s"})),
            ("t-closeness", json!({"kind": "ordered", "t": 0.5, "order": ["a", "b"]})),
            ("t-closeness", json!({"kind": "hierarchical", "t": 0.5, "hierarchy": "tree.csv"})),
            (
                "p-sensitivity",
                json!({"p": 2, "k": 5, "plus": true, "alpha": 1.0, "categories": [["a"], ["b"]], "weights": [0.0, 1.0],
                       "column": "s"}),
            ),
            (
                "concept-diversity",
                json!({"l": 2.0, "kind": "recursive", "c": 1.0, "concepts": {"x": ["a"]}, "column": "s"}),
            ),
            (
                "proximity-diversity",
                json!({"kind": "neighbourhood", "l": 2.0, "width": 1.0, "balance": 0.5, "column": "s"}),
            ),
            ("delta-presence", json!({"min": 0.1, "max": 0.5, "population": "p.csv"})),
            ("k-map", json!({"k": 5, "population": "p.csv"})),
            ("beta-likeness", json!({"beta": 1.0, "kind": "enhanced", "column": "s"})),
            ("delta-disclosure", json!({"delta": 1.0, "column": "s"})),
            ("three-d", json!({"l": 1, "k": 2, "m": 3, "c": 0.9, "column": "s"})),
            (
                "three-d",
                json!({"points": [{"l": 1, "k": 0, "m": 0, "c": 0.9}, {"l": 0, "k": 0, "m": 2, "c": 0.5}],
                       "values": {"a": {"l": 0, "k": 1, "m": 0, "c": 0.25}}, "column": "s"}),
            ),
            ("c-k-safety", json!({"c": 0.8, "k": 2, "column": "s"})),
        ] {
            let requirement = Requirement::parse(key, &value).unwrap().remove(0);
            assert_eq!(requirement.key(), key);
            let mut written = serde_json::to_value(&requirement).unwrap();
            let written = written.as_object_mut().unwrap();
            assert_eq!(written.remove("criterion"), Some(json!(key)));
            for (name, expected) in value.as_object().unwrap() {
                assert_eq!(written.get(name), Some(expected), "{key} {name}");
            }
        }
        assert!(KEYS.iter().all(|key| fields(key).is_some()));
    }

    #[test]
    fn messages_say_what_would_be_accepted() {
        assert!(problem("m-invariance", &json!(5)).contains("the keys are k-anonymity, alpha-k"));
        assert_eq!(
            problem("k-anonymity", &json!({"k": 5, "kk": 1})),
            "[privacy] k-anonymity: unknown field kk; the fields are k"
        );
        assert!(problem("k-anonymity", &json!("5")).contains("k must be a whole number"));
        assert!(problem("k-anonymity", &json!(5.5)).contains("whole number"));
        assert!(problem("k-anonymity", &json!(-5)).contains("whole number"));
        assert!(problem("k-anonymity", &json!(null)).contains("whole number"));
        assert!(problem("k-anonymity", &json!([])).contains("expected a table with k"));
        assert!(problem("t-closeness", &json!(0.2)).contains("expected a table with t, kind"));
        assert!(
            problem("t-closeness", &json!({"t": 0.2}))
                .contains("kind is missing; it must be one of variational")
        );
        assert!(
            problem("t-closeness", &json!({"t": 0.2, "kind": "emd"}))
                .contains("kind must be one of variational")
        );
        assert!(problem("l-diversity", &json!({"l": "two"})).contains("l must be a number"));
        let secret = problem("alpha-k", &json!({"alpha": 0.5, "k": 2, "values": ["secret", 7]}));
        assert!(secret.contains("values must be a list of texts") && !secret.contains("secret"));
        assert!(problem("concept-diversity", &json!({"l": 2})).contains("concepts is missing"));
        assert!(problem("c-k-safety", &json!({"c": 0.5})).contains("k is missing"));
        assert!(problem("c-k-safety", &json!(0.5)).contains("expected a table with c, k"));
        for points in
            [json!([]), json!([0.5]), json!([{"l": 1}]), json!([{"c": 0.5, "n": 1}]), json!({"c": 0.5})]
        {
            let message = problem("three-d", &json!({"points": points}));
            assert!(message.contains("points must be a list of { c = …"), "{message}");
        }
        let secret = problem("three-d", &json!({"values": {"secret": {"c": 0.5, "l": -1}}}));
        assert!(secret.contains("values must be a table") && !secret.contains("secret"), "{secret}");
    }

    #[test]
    fn population_and_joint_are_told() {
        let map = Requirement::parse("k-map", &json!({"k": 5, "population": "p.csv"})).unwrap();
        assert_eq!(map[0].population(), Some(std::path::Path::new("p.csv")));
        let multi = Requirement::parse("l-diversity", &json!({"l": 2, "multi-attribute": true})).unwrap();
        assert!(multi[0].needs_joint() && multi[0].population().is_none() && !map[0].needs_joint());
        assert_eq!(multi[0].clone().with_column("s".into()).column(), Some("s"));
        assert_eq!(map[0].clone().with_column("s".into()), map[0]);
    }
}
