//! A hierarchy for a quasi column: intervals for numbers, the calendar for dates, masks for codes, a file to edit
//! for names of things.
//!
//! Bounds are rounded to the width of an interval and taken from quantiles, so no single person's value stands in
//! the job file. A starter file keeps frequent values and calls the rest `other`: counts are all that is known
//! without understanding the values, and a person who does is asked to improve it.

use std::collections::HashSet;

use privet_data::{Hierarchy, Kind};

use super::pattern::{Pattern, year_of};
use super::profile::Profile;
use super::words::{Meaning, Words};

/// With so few distinct values a column is published as it is or not at all.
const FLAT: usize = 7;
/// More distinct values than this nobody groups by hand.
const EDITABLE: usize = 1_000;
/// More distinct dates than this are not written to a file.
const MOST_DATES: usize = 100_000;

/// A hierarchy for the job file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proposed {
    /// The value of the key `hierarchy`; none for the value and then `*`.
    pub(super) spec: Option<String>,
    /// How many times a value can be generalized.
    pub(super) height: usize,
    /// What it does or what is left to do, for a comment.
    pub(super) comment: &'static str,
}

fn proposed(spec: String, height: usize, comment: &'static str) -> Proposed {
    Proposed { spec: Some(spec), height, comment }
}

fn flat(comment: &'static str) -> Proposed {
    Proposed { spec: None, height: 1, comment }
}

/// The hierarchy files that belong to a job.
#[derive(Debug, Default)]
pub(super) struct Files {
    texts: Vec<(String, String)>,
    taken: HashSet<String>,
}

impl Files {
    pub(super) fn into_texts(self) -> Vec<(String, String)> {
        self.texts
    }

    /// Keeps a hierarchy under a path made of the column's name. Returns the path.
    fn add(&mut self, column: &str, hierarchy: &Hierarchy) -> Option<String> {
        let mut text = Vec::new();
        privet_data::hierarchy::write_hierarchy(&mut text, hierarchy, b';').ok()?;
        let text = String::from_utf8(text).ok()?;
        let plain: String = column
            .chars()
            .take(40)
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' })
            .collect();
        let plain = plain.trim_matches('-');
        let mut stem = if plain.is_empty() { "column".to_owned() } else { plain.to_owned() };
        let mut number = 1;
        // Some file systems do not tell capitals from small letters.
        while !self.taken.insert(stem.to_ascii_lowercase()) {
            number += 1;
            stem = format!("{}-{number}", if plain.is_empty() { "column" } else { plain });
        }
        let path = format!("hierarchies/{stem}.csv");
        self.texts.push((path.clone(), text));
        Some(path)
    }
}

/// Proposes a hierarchy for a quasi column.
pub(super) fn hierarchy(profile: &Profile<'_>, words: Option<&Words>, files: &mut Files) -> Proposed {
    let meaning = words.map(|w| w.meaning);
    if profile.distinct() == 0 {
        return flat("no value to look at; with none given the hierarchy is the value, then *");
    }
    let postal = meaning == Some(Meaning::PostalCode) || profile.pattern == Some(Pattern::PostalCode);
    if postal && matches!(profile.kind, Kind::Integer | Kind::Text)
        || profile.is_code() && profile.distinct() > FLAT
    {
        return mask(profile);
    }
    if profile.pattern == Some(Pattern::OtherDate) {
        return other_dates(profile, files);
    }
    match profile.kind {
        Kind::Date => dates(profile),
        Kind::Integer if meaning == Some(Meaning::Age) && is_age(profile) => proposed(
            "{ intervals = [5, 10, 20], min = 0, top = 90 }".into(),
            4,
            "the very old are few: 90 and above is one group",
        ),
        // 1 for high school and 2 for a degree are no numbers that have anything between them.
        Kind::Integer if profile.distinct() > FLAT && is_coded(profile, words) => codes(profile, files),
        Kind::Integer if profile.distinct() > 2 && is_coded(profile, words) => {
            flat("few codes: published as they are or not at all, which needs no hierarchy")
        }
        Kind::Integer | Kind::Decimal if profile.distinct() > 5 => intervals(profile),
        Kind::Text if profile.distinct() > FLAT => texts(profile, files),
        _ => flat("few values: published as they are or not at all, which needs no hierarchy"),
    }
}

/// Whether whole numbers number categories: by a name that speaks of categories and of no count of anything.
fn is_coded(profile: &Profile<'_>, words: Option<&Words>) -> bool {
    let of_categories = matches!(
        words.map(|words| words.meaning),
        Some(
            Meaning::Sex
                | Meaning::Origin
                | Meaning::Family
                | Meaning::Work
                | Meaning::Education
                | Meaning::Belief
                | Meaning::Place
                | Meaning::BirthPlace
                | Meaning::Health
                | Meaning::SexualLife
        )
    );
    let codes = [
        "code",
        "class",
        "type",
        "category",
        "status",
        "group",
        "kind",
        "flag",
        "kategorie",
        "klasse",
        "art",
    ];
    (of_categories || super::words::has(profile.name(), &codes))
        && !super::words::has(profile.name(), &COUNTS)
        && profile.may_be_codes()
}

/// Words of names of columns that count or measure.
const COUNTS: [&str; 20] = [
    "num",
    "number",
    "count",
    "anzahl",
    "nombre",
    "numero",
    "years",
    "year",
    "hours",
    "days",
    "months",
    "weeks",
    "size",
    "children",
    "child",
    "kids",
    "kinder",
    "siblings",
    "dependents",
    "score",
];

/// Frequent codes stay, rare ones become `other`.
fn codes(profile: &Profile<'_>, files: &mut Files) -> Proposed {
    let comment = "the numbers are codes of categories, so they have no intervals; put what belongs together in one group";
    Proposed { comment, ..texts(profile, files) }
}

fn is_age(profile: &Profile<'_>) -> bool {
    profile.range().is_some_and(|(least, greatest)| least >= 0.0 && greatest <= 130.0)
}

fn mask(profile: &Profile<'_>) -> Proposed {
    let longest = profile.values().iter().map(|v| v.0.chars().count()).max().unwrap_or(1);
    proposed(
        "{ mask = \"right\", symbol = \"*\" }".into(),
        longest,
        "the last characters go first; right where the first ones are the larger area",
    )
}

/// The units that the span of the dates calls for.
fn dates(profile: &Profile<'_>) -> Proposed {
    let span = match (profile.quantile(0.01), profile.quantile(0.99)) {
        (Some(from), Some(to)) => (to - from) / 365.25,
        _ => 0.0,
    };
    let units: &[&str] = match span {
        s if s > 15.0 => &["month", "year", "decade"],
        s if s > 0.6 => &["month", "quarter", "year"],
        _ => &["month", "year"],
    };
    let spec = format!("{{ dates = [\"{}\"] }}", units.join("\", \""));
    proposed(spec, units.len() + 1, "steps of the calendar")
}

/// Three widths, each twice the one before, the first a fifteenth or so of where most values lie.
fn intervals(profile: &Profile<'_>) -> Proposed {
    let none = || {
        flat(
            "numbers too far apart or too close for intervals; give a hierarchy file if it is to be generalized in steps",
        )
    };
    let (Some((least, greatest)), Some(low), Some(high)) =
        (profile.range(), profile.quantile(0.01), profile.quantile(0.99))
    else {
        return none();
    };
    let span = if high > low { high - low } else { greatest - least };
    if !(span > 1e-9 && least.abs() < 1e15 && greatest.abs() < 1e15) {
        return none();
    }
    let (mut width, mut digits) = nice(span / 20.0);
    if profile.kind == Kind::Integer && width < 2.0 {
        (width, digits) = (2.0, 0);
    }
    let widest = 4.0 * width;
    let number = |value: f64| {
        // Not -0.
        let value = if value == 0.0 { 0.0 } else { value };
        format!("{value:.digits$}")
    };
    let mut spec = format!("{{ intervals = [{}]", [1.0, 2.0, 4.0].map(|f| number(f * width)).join(", "));
    let mut comment = "each width is twice the one before";
    let bottom = (low / widest).floor() * widest;
    let top = (high / widest).ceil() * widest;
    if bottom < top {
        if bottom > least {
            spec += &format!(", bottom = {}", number(bottom));
        }
        if top < greatest {
            spec += &format!(", top = {}", number(top));
        }
        if bottom > least || top < greatest {
            comment = "the few values beyond an end are one group";
        }
    }
    proposed(spec + " }", 4, comment)
}

/// The least of 1, 2, 5, 10, 20, 50, … that is not below the wish, and its digits after the point.
fn nice(wish: f64) -> (f64, usize) {
    let mut exponent = wish.log10().floor() as i32 - 1;
    loop {
        for step in [1.0, 2.0, 5.0] {
            let digits = usize::try_from(-exponent).unwrap_or(0);
            let value =
                if exponent < 0 { step / 10_f64.powi(-exponent) } else { step * 10_f64.powi(exponent) };
            if value >= wish * 0.999_999 {
                return (value, digits);
            }
        }
        exponent += 1;
    }
}

/// Dates that the calendar builder does not read: a file that takes them to years and decades.
fn other_dates(profile: &Profile<'_>, files: &mut Files) -> Proposed {
    let comment = "the dates are not written YYYY-MM-DD, so a file takes them to years and decades";
    if profile.distinct() > MOST_DATES {
        return flat(
            "too many dates that are not written YYYY-MM-DD; write them so, and { dates = [\"month\", \"year\"] } will do",
        );
    }
    let year = |text: &str| year_of(text.trim());
    let label = |text: &str, width: u32| -> Box<str> {
        match year(text) {
            None => "other".into(),
            Some(year) if width == 1 => year.to_string().into(),
            Some(year) => format!("{}-{}", year / width * width, year / width * width + width - 1).into(),
        }
    };
    let levels = [1, 10].map(|width| profile.values().iter().map(|v| label(v.0, width)).collect()).to_vec();
    file(profile, levels, files, comment)
}

/// Frequent values stay, rare ones become `other`.
fn texts(profile: &Profile<'_>, files: &mut Files) -> Proposed {
    if profile.distinct() > EDITABLE {
        if let Some(length) = profile.same_length.filter(|&l| (2..=12).contains(&l)) {
            let spec = "{ mask = \"right\", symbol = \"*\" }".into();
            return proposed(spec, length, "codes of one length: the last characters go first");
        }
        return flat(
            "too many values for a file to start from; give a hierarchy file if it is to be generalized in steps",
        );
    }
    let mut levels: Vec<Vec<Box<str>>> = Vec::new();
    let mut kept_before = profile.distinct();
    for share in [0.01, 0.05] {
        let keep = |count: u64| count as f64 >= share * profile.present as f64;
        let kept = profile.values().iter().filter(|v| keep(v.1)).count();
        // A level must merge at least two values that the level below tells apart, and leave some apart.
        let below = if levels.is_empty() { kept_before } else { kept_before + 1 };
        if kept >= 2 && kept + 2 <= below {
            levels.push(
                profile
                    .values()
                    .iter()
                    .map(|v| if keep(v.1) { v.0.into() } else { "other".into() })
                    .collect(),
            );
            kept_before = kept;
        }
    }
    file(
        profile,
        levels,
        files,
        "a start made by frequency: rare values become \"other\"; put what belongs together in one group",
    )
}

/// A file with these levels between the values and `*`.
fn file(
    profile: &Profile<'_>,
    mut levels: Vec<Vec<Box<str>>>,
    files: &mut Files,
    comment: &'static str,
) -> Proposed {
    levels.push(vec!["*".into(); profile.distinct()]);
    let height = levels.len();
    let leaves = profile.values().iter().map(|v| v.0.into()).collect();
    let path = Hierarchy::new(leaves, levels).ok().and_then(|h| files.add(profile.name(), &h));
    match path {
        Some(path) => proposed(format!("\"{path}\""), height, comment),
        None => flat("the value, then *; give a hierarchy file if it is to be generalized in steps"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nice_widths_are_one_two_five() {
        for (wish, expected) in [
            (4.0, 5.0),
            (5.0, 5.0),
            (5.1, 10.0),
            (0.013, 0.02),
            (1.0, 1.0),
            (999.0, 1000.0),
            (0.5, 0.5),
            (3e8, 5e8),
        ] {
            let (width, digits) = nice(wish);
            assert!((width / expected - 1.0).abs() < 1e-9, "{wish}: {width}");
            assert_eq!(format!("{width:.digits$}").parse::<f64>().unwrap(), expected);
        }
    }
}
