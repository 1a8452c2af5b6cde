//! How a job file says where the hierarchy of a column comes from (survey ME-05).
//!
//! A text is a file; a table names one builder by its first word and may hold that builder's other keys
//! and nothing else. Shapes are checked when the job file is read, values when the hierarchy is built.

use super::builders::{
    dates::Dates, groups::Groups, intervals::Intervals, mask::Mask, regions::Regions, tree::Tree,
};
use super::notation::{Keys, Notation};
use super::{Hierarchy, HierarchyError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::PathBuf;

/// Where the hierarchy of a column comes from.
///
/// ```
/// use privet_data::hierarchy::HierarchySpec;
/// #[derive(serde::Deserialize)]
/// struct Column { hierarchy: HierarchySpec }
/// let column: Column = toml::from_str("hierarchy = { intervals = [5, 10], top = 90 }").unwrap();
/// assert!(matches!(column.hierarchy, HierarchySpec::Intervals(_)));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum HierarchySpec {
    /// `"file.csv"`: one row per value, one column per level; or a tree in a `.toml` or `.json` file.
    /// Relative to the folder of the job file.
    File(PathBuf),
    /// `{ intervals = [5, 10, 20], min = 0, top = 90, bottom = 15 }`
    Intervals(Intervals),
    /// `{ mask = "right", symbol = "*", steps = [1, 2, 5] }`
    Mask(Mask),
    /// `{ dates = ["month", "quarter", "year"] }`
    Dates(Dates),
    /// `{ groups = [["a", "b"], ["c"]], merge = [2] }`
    Groups(Groups),
    /// `{ tree = { Europe = ["French", "German"], Asia = { East = ["Japanese"] } } }`
    Tree(Tree),
    /// `{ regions = [500, 5000], by = "right" }`
    Regions(Regions),
}

impl HierarchySpec {
    /// The hierarchy of groups and trees, whatever the column holds; of no leaf for the other builders, which are made from the
    /// values of a column.
    ///
    /// # Errors
    /// When it is not one.
    pub fn written(&self) -> Result<Hierarchy, HierarchyError> {
        match self {
            Self::Groups(groups) => groups.build(),
            Self::Tree(tree) => tree.build(),
            _ => Hierarchy::from_levels(Vec::new(), Vec::new()),
        }
    }

    /// The labels above a value, from level 1 on, where each value is given them by itself, whatever else the column holds:
    /// masks, which are filled up to `longest` characters, and dates. Nothing for a value that cannot have any, and for
    /// the other builders: their labels say what they hold, or are written down.
    pub fn labels_above(&self, value: &str, longest: usize) -> Option<Vec<String>> {
        match self {
            Self::Mask(mask) => Some(mask.labels_above(value, longest)),
            Self::Dates(dates) => dates.labels_above(value),
            Self::File(_) | Self::Intervals(_) | Self::Groups(_) | Self::Tree(_) | Self::Regions(_) => None,
        }
    }
}

/// The word that names a builder, and how its table is read.
type Reader = fn(Keys) -> Result<HierarchySpec, HierarchyError>;

const BUILDERS: [(&str, Reader); 6] = [
    ("intervals", |keys| Intervals::read(keys).map(HierarchySpec::Intervals)),
    ("mask", |keys| Mask::read(keys).map(HierarchySpec::Mask)),
    ("dates", |keys| Dates::read(keys).map(HierarchySpec::Dates)),
    ("groups", |keys| Groups::read(keys).map(HierarchySpec::Groups)),
    ("tree", read_tree),
    ("regions", |keys| Regions::read(keys).map(HierarchySpec::Regions)),
];

const ACCEPTED: &str = "the name of a file, or a table with one of the keys \
    `intervals`, `mask`, `dates`, `groups`, `tree`, `regions`";

/// A tree stands in the job file, or in a file of its own that `tree` names.
fn read_tree(mut keys: Keys) -> Result<HierarchySpec, HierarchyError> {
    let spec = match keys.need("tree")? {
        Notation::Text(path) => {
            let path = PathBuf::from(path);
            if !Tree::is_tree_file(&path) {
                return Err(HierarchyError::parameter(
                    "tree",
                    "names a file that is neither .toml nor .json",
                ));
            }
            HierarchySpec::File(path)
        }
        notation => HierarchySpec::Tree(Tree::read(notation)?),
    };
    keys.finish(&["tree"])?;
    Ok(spec)
}

impl HierarchySpec {
    fn read(notation: Notation) -> Result<Self, HierarchyError> {
        match notation {
            Notation::Text(path) if path.trim().is_empty() => {
                Err(HierarchyError::parameter("hierarchy", format!("is empty; accepted is {ACCEPTED}")))
            }
            Notation::Text(path) => Ok(Self::File(path.into())),
            Notation::Table(table) => {
                let builder = BUILDERS.iter().find(|(name, _)| table.iter().any(|(key, _)| key == name));
                match (builder, table.first()) {
                    (Some((_, read)), _) => read(Keys::new(table)),
                    (None, Some((key, _))) => Err(HierarchyError::parameter(
                        key,
                        format!("names no hierarchy; accepted is {ACCEPTED}"),
                    )),
                    (None, None) => Err(HierarchyError::parameter(
                        "hierarchy",
                        format!("is empty; accepted is {ACCEPTED}"),
                    )),
                }
            }
            other => Err(other.instead_of("hierarchy", ACCEPTED)),
        }
    }

    fn write(&self) -> Notation {
        match self {
            Self::File(path) => Notation::Text(path.to_string_lossy().into_owned()),
            Self::Intervals(intervals) => intervals.write(),
            Self::Mask(mask) => mask.write(),
            Self::Dates(dates) => dates.write(),
            Self::Groups(groups) => groups.write(),
            Self::Tree(tree) => Notation::Table(vec![("tree".into(), tree.write())]),
            Self::Regions(regions) => regions.write(),
        }
    }
}

impl Serialize for HierarchySpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for HierarchySpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(Notation::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Serialize, Deserialize, PartialEq)]
    struct Line {
        hierarchy: HierarchySpec,
    }

    fn read(text: &str) -> Result<HierarchySpec, String> {
        toml::from_str::<Line>(&format!("hierarchy = {text}"))
            .map(|line| line.hierarchy)
            .map_err(|error| error.message().to_string())
    }

    const FORMS: [&str; 15] = [
        "\"file.csv\"",
        "{ intervals = [5, 10, 20], min = 0, top = 90, bottom = 15 }",
        "{ intervals = [0.5, 1] }",
        "{ mask = \"right\" }",
        "{ mask = \"left\", symbol = \"#\", steps = [1, 2, 5] }",
        "{ dates = [\"day\", \"month\", \"quarter\", \"year\", \"decade\", \"century\"] }",
        "{ dates = [\"week\"] }",
        "{ groups = [[\"a\", \"b\"], [\"c\"]], merge = [2, 4] }",
        "{ groups = [{ label = \"low\", values = [\"a\", 5] }, { label = \"high\", values = [2020-01-01] }] }",
        "{ groups = [[[\"a\"], [\"b\"]], { label = \"z\", groups = [[\"c\"]] }] }",
        "{ tree = { Europe = [\"French\"], Asia = { East = [\"Japanese\", true, 1.5] } } }",
        "{ tree = \"countries.json\" }",
        "{ regions = 1000 }",
        "{ regions = [500, 5000], by = \"left\" }",
        "{ regions = 20, by = \"order\" }",
    ];

    #[test]
    fn every_form_of_a_job_file_is_read_and_written_back() {
        for form in FORMS {
            let spec = read(form).unwrap_or_else(|error| panic!("{form}: {error}"));
            let written = toml::to_string(&Line { hierarchy: spec.clone() }).unwrap();
            assert_eq!(toml::from_str::<Line>(&written).unwrap().hierarchy, spec, "{form} became {written}");
            let json = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<HierarchySpec>(&json).unwrap(), spec, "{form} became {json}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_what_is_accepted() {
        for (form, key, accepted) in [
            ("\"\"", "hierarchy", "`intervals`"),
            ("5", "hierarchy", "the name of a file"),
            ("true", "hierarchy", "the name of a file"),
            ("[1]", "hierarchy", "the name of a file"),
            ("{}", "hierarchy", "`regions`"),
            ("{ interval = [5] }", "interval", "`intervals`"),
            ("{ intervals = [5], tops = 90 }", "tops", "`bottom`"),
            ("{ intervals = [5], mask = \"right\" }", "mask", "`top`"),
            ("{ intervals = \"5\" }", "intervals", "a list"),
            ("{ intervals = [\"5\"] }", "intervals", "a number"),
            ("{ intervals = [5], top = \"90\" }", "top", "a number"),
            ("{ mask = \"middle\" }", "mask", "\"left\""),
            ("{ mask = 5 }", "mask", "\"left\""),
            ("{ mask = \"right\", symbol = \"**\" }", "symbol", "one character"),
            ("{ mask = \"right\", symbol = \"\" }", "symbol", "one character"),
            ("{ mask = \"right\", steps = [0] }", "steps", "from 1"),
            ("{ mask = \"right\", steps = [-1] }", "steps", "from 1"),
            ("{ mask = \"right\", step = [1] }", "step", "`steps`"),
            ("{ dates = [\"fortnight\"] }", "dates", "\"quarter\""),
            ("{ dates = \"month\" }", "dates", "a list"),
            ("{ dates = [\"month\"], min = 0 }", "min", "`dates`"),
            ("{ groups = { a = 1 } }", "groups", "a list"),
            ("{ groups = [\"a\"] }", "groups", "a list of values"),
            ("{ groups = [[\"a\", [\"b\"]]] }", "groups", "either values or groups"),
            ("{ groups = [{ label = \"a\" }] }", "values", "needed"),
            ("{ groups = [{ label = \"a\", value = [\"b\"] }] }", "values", "needed"),
            ("{ groups = [{ name = \"a\", values = [\"b\"] }] }", "name", "`label`"),
            ("{ groups = [[\"a\"]], merge = [0] }", "merge", "from 1"),
            ("{ tree = [\"a\"] }", "tree", "a table"),
            ("{ tree = { a = \"b\" } }", "tree", "a list of values"),
            ("{ tree = \"countries.csv\" }", "tree", ".json"),
            ("{ tree = { a = [\"b\"] }, top = 5 }", "top", "`tree`"),
            ("{ regions = -1 }", "regions", "from 1"),
            ("{ regions = 1.5 }", "regions", "from 1"),
            ("{ regions = [] , by = \"up\" }", "by", "\"order\""),
            ("{ regions = 5, top = 5 }", "top", "`by`"),
        ] {
            let error = read(form).expect_err(form);
            assert!(error.starts_with(&format!("`{key}`")), "{form}: {error}");
            assert!(error.contains(accepted), "{form}: {error}");
        }
    }

    #[test]
    fn a_key_that_occurs_twice_is_refused() {
        let json = "{\"tree\": {\"a\": [\"x\"], \"a\": [\"y\"]}}";
        assert!(serde_json::from_str::<HierarchySpec>(json).unwrap_err().to_string().contains("twice"));
    }
}
