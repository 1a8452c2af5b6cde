//! What published labels may stand for.
//!
//! With the hierarchy at hand (an adversary is assumed to have it: it is no secret), a label stands for the values
//! below its node. Without it, labels are read as anyone would: `20-29`, `[20,25)`, `[20,24]`, `[20 to 24]`, `>=90`, `<15`,
//! `130**`, `2024`, `2024-02`, `2024-Q1`, `2020-2029`, `*`. A label that cannot be read excludes no value. So the
//! values of a label are never too few, and a person is never missed for want of knowledge. In a column that the manifest says was
//! published as it was, a label stands for itself. Where it says that labels are names, whatever they look like, they exclude
//! nothing either.
//!
//! Means, medians and modes stand for no set of values: a person may be anywhere around them. They exclude nothing;
//! distances are for record linkage to look at.

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt, HashSet};
use privet_data::{Coverage, Domain, Hierarchy, Kind, Run};

use super::ordered::{Ordered, runs_of};
use crate::manifest::{LabelReading, Recoding};

/// How the labels of a column are to be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meaning<'a> {
    /// The hierarchy of the column, when it is known.
    pub hierarchy: Option<&'a Hierarchy>,
    /// What the manifest says of the column.
    pub recoding: Option<&'a Recoding>,
}

/// Per label of a published column the values of `domain` that it may stand for.
pub fn coverage(labels: &Domain, domain: &Domain, meaning: Meaning<'_>) -> Coverage {
    let values = domain.len() as u32;
    let all = || vec![(0, values.saturating_sub(1))];
    let kind = meaning.recoding.and_then(|recoding| recoding.nodes.as_ref()).map(|nodes| nodes.kind.as_str());
    if matches!(kind, Some("means" | "medians" | "modes")) {
        return Coverage::of_runs(labels.texts().iter().map(|_| all()), values);
    }
    let finder = domain.finder_of(labels.texts());
    let nodes = meaning
        .hierarchy
        .map(|hierarchy| Nodes::new(hierarchy, domain, meaning.recoding.and_then(|r| r.level)));
    let kind_of_values = kind_behind(labels, domain);
    // A column that was published as it was: a label is a value, and nobody's who has another. What is missing may be anything.
    let is_raw =
        meaning.recoding.is_some_and(|recoding| recoding.level == Some(0) && recoding.nodes.is_none());
    // Numbers and dates are the same however they are written, also in a column that holds a few texts besides. Codes are not.
    let are_codes = meaning.recoding.is_some_and(|own| own.reading == Some(LabelReading::Masks));
    let values_read = Ordered::new(labels, domain, kind_of_values);
    let same_number = |label: &str| -> Vec<Run> {
        let mut same = Vec::new();
        let is_comparable = kind_of_values != Kind::Text && !are_codes;
        if let Some(number) = kind_of_values.number(label).filter(|_| is_comparable) {
            values_read.numbers.add(values_read.numbers.between(number, number, false), &mut same);
        }
        same
    };
    let list = |label: &str, is_missing: bool| -> Vec<Run> {
        // Missing is one value, whichever marker of it a table has.
        let is_gone = is_missing && domain.missing() > 0;
        let own = finder.code(label).or(is_gone.then_some(0));
        let below = nodes.as_ref().and_then(|nodes| nodes.below.get(label));
        if own.is_some_and(|code| code < domain.missing()) {
            // Missing values have markers, and no coarser reading; of several markers one may stand for all.
            let beside = below.into_iter().flatten().copied().filter(|&code| code >= domain.missing());
            return std::iter::once((0, domain.missing() - 1))
                .chain(beside.map(|code| (code, code)))
                .collect();
        }
        if let Some(codes) = below {
            return runs_of(codes);
        }
        if is_raw && !is_missing && own.is_none() && Kind::Text != kind_of_values {
            // A date among years, say: what cannot be compared excludes nothing.
            return match kind_of_values.number(label) {
                _ if are_codes => Vec::new(),
                Some(_) => same_number(label),
                None => all(),
            };
        }
        let is_named =
            !is_raw && meaning.recoding.is_some_and(|own| own.reading == Some(LabelReading::Names));
        match Reading::of(label, kind_of_values) {
            _ if is_named => all(),
            Some(reading) => {
                let mut taken: Vec<Run> = own.map(|own| (own, own)).into_iter().collect();
                values_read.add(reading, domain, &mut taken);
                taken
            }
            None if own.is_some() || (is_raw && !is_missing) => {
                let mut same = same_number(label);
                same.extend(own.map(|own| (own, own)));
                same
            }
            None => all(),
        }
    };
    let of_label = |code: u32| list(labels.text(code), labels.is_missing(code));
    Coverage::of_runs((0..labels.len() as u32).map(of_label), values)
}

/// Whether labels hold what anyone reads in them: each value lies in the ranges and masks above it, and a label that is also a
/// value stands for that value alone. What cannot be read holds anything.
#[must_use]
pub fn reading_of(hierarchy: &Hierarchy) -> LabelReading {
    let leaves = hierarchy.leaves();
    let levels = hierarchy.levels().iter().map(|own| (&own.labels[..], &own.node_of_leaf[..]));
    reading_of_levels(leaves, levels)
}

/// The same of some levels: per level its labels, and per value which of them it has.
#[must_use]
pub fn reading_of_levels<'a>(
    values: &'a [Box<str>],
    levels: impl Iterator<Item = (&'a [Box<str>], &'a [u32])>,
) -> LabelReading {
    let levels: Vec<(&[Box<str>], &[u32])> = levels.collect();
    // Of the values, only those matter that are labels as well: they are few where values are many.
    let labels: HashSet<&str> =
        levels.iter().flat_map(|(labels, _)| labels.iter()).map(|label| &**label).collect();
    let texts: HashSet<&str> =
        values.iter().map(|value| &**value).filter(|value| *value == "*" || labels.contains(value)).collect();
    let read: Vec<Vec<Read<'_>>> = levels
        .iter()
        .map(|(labels, _)| labels.iter().map(|label| Read::of(label, &texts)).collect())
        .collect();
    // Where somebody is anything, the label for it must not be a value.
    let mut all_fit = !texts.contains("*");
    let (mut masked, mut hidden, mut all_days) = (false, true, true);
    for (at, value) in values.iter().enumerate() {
        let numbers = [Kind::Decimal.number(value), Kind::Date.number(value)];
        all_days &= numbers[1].is_some() && numbers[0].is_none();
        for ((labels, node_of_value), read) in levels.iter().zip(&read) {
            let node = node_of_value.get(at).map(|&node| node as usize);
            let Some((label, read)) = node.and_then(|node| labels.get(node).zip(read.get(node))) else {
                continue;
            };
            all_fit &= label == value || read.holds(value, &numbers);
            masked |= matches!(read.as_kinds[2], Some(Reading::Mask(_)));
            hidden &= label == value || label.contains('*');
        }
    }
    match all_fit {
        false => LabelReading::Names,
        true if !values.is_empty() && all_days => LabelReading::Dates,
        true if masked && hidden => LabelReading::Masks,
        true => LabelReading::Literal,
    }
}

/// A label in every way in which it can be read: columns of any kind may be behind it; a value is of one.
struct Read<'a> {
    /// As of numbers, of days and of texts.
    as_kinds: [Option<Reading<'a>>; 3],
    /// Itself as a number and as a day.
    own: [Option<f64>; 2],
    /// Whether it is also a value.
    is_value: bool,
}

impl<'a> Read<'a> {
    fn of(label: &'a str, texts: &HashSet<&str>) -> Self {
        Self {
            as_kinds: [Kind::Decimal, Kind::Date, Kind::Text].map(|kind| Reading::of(label, kind)),
            own: [Kind::Decimal.number(label), Kind::Date.number(label)],
            is_value: texts.contains(label),
        }
    }

    /// Whether it holds another text.
    fn holds(&self, value: &str, numbers: &[Option<f64>; 2]) -> bool {
        if self.is_value {
            return false;
        }
        let as_kind = |kind: usize| -> Option<bool> {
            let number = numbers.get(kind).copied().flatten();
            Some(match self.as_kinds.get(kind)? {
                Some(Reading::Between { from, to, open }) => {
                    number.is_some_and(|own| *from <= own && if *open { own < *to } else { own <= *to })
                }
                Some(Reading::Mask(mask)) => masks(mask, value),
                Some(Reading::Everything) => true,
                None => Some(self.own.get(kind).copied().flatten()?) == number,
            })
        };
        let outcomes = [as_kind(0), as_kind(1), as_kind(2)];
        outcomes.iter().all(Option::is_none) || outcomes.contains(&Some(true))
    }
}

/// Whether values may be missing behind labels of values, or markers of a missing value stand for values: what missing values
/// show is then not told by looking at a label. Otherwise they show their marker, or what stands for anything: `*`, or the
/// top of a hierarchy that cannot be read. `levels` go up to the top.
#[must_use]
pub fn hides_missing<'a>(
    domain: &Domain,
    markers: &[String],
    levels: impl DoubleEndedIterator<Item = (&'a [Box<str>], &'a [u32])>,
) -> bool {
    let kind = domain.kind();
    let missing = domain.missing() as usize;
    levels.rev().enumerate().any(|(below_top, (labels, node_of_code))| {
        let (of_missing, of_values) = node_of_code.split_at(missing.min(node_of_code.len()));
        let label = |node: &u32| labels.get(*node as usize).map_or("", |label| &**label);
        let is_marker = |text: &str| markers.iter().any(|own| own == text);
        let is_read = |text: &str| match Reading::of(text, kind) {
            Some(Reading::Everything) => false,
            Some(_) => true,
            None => below_top > 0 || kind.number(text).is_some(),
        };
        of_values.iter().any(|node| is_marker(label(node)))
            || of_missing.iter().map(label).any(|text| !is_marker(text) && is_read(text))
    })
}

/// What the values behind labels are, those that were mistyped aside: what most of them are, or else what labels are ranges of.
pub fn kind_behind(labels: &Domain, domain: &Domain) -> Kind {
    let own = mostly(domain);
    if own != Kind::Text {
        return own;
    }
    let values = &domain.texts()[domain.missing() as usize..];
    let shown = &labels.texts()[labels.missing() as usize..];
    let is_of = |kind: Kind| {
        let read = || shown.iter().map(|label| Reading::of(label, kind));
        values.iter().any(|text| kind.number(text).is_some())
            && read().all(|own| matches!(own, Some(Reading::Between { .. } | Reading::Everything)))
            && read().any(|own| matches!(own, Some(Reading::Between { .. })))
    };
    [Kind::Decimal, Kind::Date].into_iter().find(|&kind| is_of(kind)).unwrap_or(Kind::Text)
}

/// What the values of a column are, some that were mistyped aside: half of them decide, of which each counts once.
fn mostly(domain: &Domain) -> Kind {
    if domain.kind() != Kind::Text {
        return domain.kind();
    }
    let values = &domain.texts()[domain.missing() as usize..];
    let fits =
        |kind: Kind| values.iter().filter(|text| kind.number(text).is_some()).count() * 2 >= values.len();
    match [Kind::Decimal, Kind::Date].into_iter().find(|&kind| !values.is_empty() && fits(kind)) {
        Some(kind) => kind,
        None => Kind::Text,
    }
}

/// The values below each label of a hierarchy.
struct Nodes<'a> {
    below: HashMap<&'a str, Vec<u32>>,
}

impl<'a> Nodes<'a> {
    /// Those of one level, when the whole column stands on it; otherwise of all. Values that the hierarchy does not
    /// know may stand behind a single top label only.
    fn new(hierarchy: &'a Hierarchy, domain: &Domain, level: Option<usize>) -> Self {
        let same = domain.sameness();
        let leaf_of: HashMap<Cow<'_, str>, usize> =
            hierarchy.leaves().iter().enumerate().map(|(leaf, text)| (same.key(text), leaf)).collect();
        let mut leaves: Vec<Option<usize>> =
            domain.texts().iter().map(|text| leaf_of.get(&*same.key(text)).copied()).collect();
        // As `Hierarchy::bind` has it: all markers are one value. One that is no leaf joins a label that is spelled like it,
        // and what is above that.
        let missing = domain.missing() as usize;
        let markers: Vec<&str> = domain.markers().collect();
        let of_marker = || markers.iter().find_map(|marker| leaf_of.get(&*same.key(marker)).copied());
        if let Some(covered) = leaves[..missing].iter().find_map(|&leaf| leaf).or_else(of_marker) {
            leaves[..missing].iter_mut().for_each(|leaf| *leaf = leaf.or(Some(covered)));
        }
        let mut companions: Vec<usize> = Vec::new();
        let mut below: HashMap<&str, Vec<u32>> = HashMap::new();
        let wanted = |number: usize| level.is_none_or(|level| level == number);
        if wanted(0) {
            for leaf in hierarchy.leaves() {
                below.entry(leaf).or_default();
            }
            for (code, leaf) in leaves.iter().enumerate() {
                if let Some(leaf) = leaf {
                    below.entry(&hierarchy.leaves()[*leaf]).or_default().push(code as u32);
                }
            }
        }
        for (number, own) in hierarchy.levels().iter().enumerate() {
            let spelled_like =
                own.labels.iter().zip(0u32..).filter(|(label, _)| markers.contains(&&***label));
            companions.extend(
                spelled_like.filter_map(|(_, node)| own.node_of_leaf.iter().position(|&of| of == node)),
            );
            if !wanted(number + 1) {
                continue;
            }
            let is_top = number + 1 == hierarchy.height() && own.labels.len() == 1;
            for label in &own.labels {
                below.entry(label).or_default();
            }
            for (code, leaf) in leaves.iter().enumerate() {
                let mut push =
                    |node: u32| below.entry(&own.labels[node as usize]).or_default().push(code as u32);
                match leaf {
                    Some(leaf) => push(own.node_of_leaf[*leaf]),
                    None if is_top => push(0),
                    None if code < missing => {
                        companions.iter().for_each(|&leaf| push(own.node_of_leaf[leaf]));
                    }
                    None => {}
                }
            }
        }
        // A label that no value of the domain is below, but whose text is a marker of a missing value there.
        below.retain(|label, codes| !(codes.is_empty() && markers.contains(label)));
        Self { below }
    }
}

/// A label as anyone reads it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reading<'a> {
    /// Any value, a missing one included.
    Everything,
    /// Numbers or days from one to another; the end excluded or not.
    Between {
        /// From here.
        from: f64,
        /// To here.
        to: f64,
        /// Whether the end is excluded.
        open: bool,
    },
    /// The same characters but where the label has `*`.
    Mask(&'a str),
}

impl<'a> Reading<'a> {
    /// Reads a label of a column that holds values of this kind; nothing when it cannot be read, or is a plain value.
    pub fn of(label: &'a str, kind: Kind) -> Option<Self> {
        if !label.is_empty() && label.chars().all(|c| c == '*') {
            return Some(Self::Everything);
        }
        // What would hold nothing was meant otherwise, such as a month behind a year.
        let between =
            |from: f64, to: f64, open: bool| (from <= to).then_some(Self::Between { from, to, open });
        if let Some((from, to)) =
            label.strip_prefix('[').and_then(|l| l.strip_suffix(']')).and_then(|l| l.split_once(" to "))
        {
            return between(kind.number(from)?, kind.number(to)?, false);
        }
        if let Some((from, to)) =
            label.strip_prefix('[').and_then(|l| l.strip_suffix(']')).and_then(|l| l.split_once(','))
        {
            return between(kind.number(from.trim())?, kind.number(to.trim())?, false);
        }
        match kind {
            Kind::Integer | Kind::Decimal => {
                if let Some((from, to)) =
                    label.strip_prefix('[').and_then(|l| l.strip_suffix(')')).and_then(|l| l.split_once(','))
                {
                    return between(kind.number(from.trim())?, kind.number(to.trim())?, true);
                }
                if let Some(from) = label.strip_prefix(">=") {
                    return between(kind.number(from.trim())?, f64::INFINITY, false);
                }
                if let Some(to) = label.strip_prefix('<') {
                    return between(f64::NEG_INFINITY, kind.number(to.trim())?, true);
                }
                if label.contains('*') {
                    return Some(Self::Mask(label));
                }
                // The dash between two numbers, of which the first may be negative.
                let dash = label
                    .char_indices()
                    .skip(1)
                    .find(|&(at, c)| c == '-' && label[..at].ends_with(|d: char| d.is_ascii_digit()));
                let (from, to) = dash.map(|(at, _)| (&label[..at], &label[at + 1..]))?;
                between(kind.number(from)?, kind.number(to)?, false)
            }
            Kind::Date => dates(label),
            Kind::Boolean | Kind::Text => label.contains('*').then_some(Self::Mask(label)),
        }
    }

    /// Whether a label that is read like this holds a value of this kind.
    pub fn takes(&self, domain: &Domain, code: u32, kind: Kind) -> bool {
        match self {
            Self::Everything => true,
            Self::Between { from, to, open } => match kind.number(domain.text(code)) {
                _ if domain.is_missing(code) => false,
                Some(number) => *from <= number && if *open { number < *to } else { number <= *to },
                // What cannot be read in a column of numbers may be any of them.
                None => true,
            },
            Self::Mask(mask) => !domain.is_missing(code) && masks(mask, domain.text(code)),
        }
    }
}

/// Whether a mask may stand for a value: the same characters but where it has `*`. Masks of short values are filled up to
/// the length of the longest, at the end or at the beginning, so a value may be shorter.
pub(super) fn masks(mask: &str, value: &str) -> bool {
    let (mask, value): (Vec<char>, Vec<char>) = (mask.chars().collect(), value.chars().collect());
    let Some(longer) = mask.len().checked_sub(value.len()) else { return false };
    let fits = |mask: &[char]| mask.iter().zip(&value).all(|(mask, own)| *mask == '*' || mask == own);
    let filled = |mask: &[char]| mask.iter().all(|mask| *mask == '*');
    (fits(&mask[..value.len()]) && filled(&mask[value.len()..]))
        || (fits(&mask[longer..]) && filled(&mask[..longer]))
}

/// A stretch of the calendar.
fn dates(label: &str) -> Option<Reading<'_>> {
    let day = |year: i64, month: i64| {
        let (year, month) = (year + (month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1);
        Kind::Date.number(&format!("{year:04}-{month:02}-01"))
    };
    let until = |from: f64, to: f64| Some(Reading::Between { from, to, open: true });
    let digits = |text: &str, length: usize| {
        (text.len() == length && text.bytes().all(|b| b.is_ascii_digit()))
            .then(|| text.parse::<i64>().ok())?
    };
    if let Some(year) = digits(label, 4) {
        return until(day(year, 1)?, day(year + 1, 1)?);
    }
    let (first, rest) = label.split_once('-')?;
    let year = digits(first, 4)?;
    if let Some(last) = digits(rest, 4) {
        return until(day(year, 1)?, day(last + 1, 1)?);
    }
    if let Some(quarter) = rest.strip_prefix('Q').and_then(|q| digits(q, 1)).filter(|q| (1..=4).contains(q)) {
        return until(day(year, 3 * quarter - 2)?, day(year, 3 * quarter + 1)?);
    }
    let month = digits(rest, 2).filter(|month| (1..=12).contains(month))?;
    until(day(year, month)?, day(year, month + 1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hierarchy(leaves: &[&str], level: &[&str]) -> Hierarchy {
        let texts = |own: &[&str]| own.iter().map(|&text| text.into()).collect::<Vec<Box<str>>>();
        Hierarchy::new(texts(leaves), vec![texts(level)]).unwrap()
    }

    #[test]
    fn labels_of_written_hierarchies_are_compared_with_their_values() {
        use LabelReading::{Dates, Literal, Masks, Names};
        for (leaves, level, expected) in [
            (["21", "39", "40"], ["20-39", "20-39", "40-59"], Literal),
            // As in the hierarchy of adult: 40 is called one of 20 to 39.
            (["21", "39", "40"], ["20-39", "20-39", "20-39"], Names),
            (["21", "39", "40"], ["<40", "<40", ">=40"], Literal),
            (["21", "39", "40"], ["<40", "<40", "<40"], Names),
            (["21", "39", "40"], ["20", "40", "40"], Names),
            (["21", "39", "40"], ["young", "*", "*"], Literal),
            (["13053", "13068", "14850"], ["130**", "130**", "148**"], Masks),
            // One label is no mask: whether it is a value cannot be told.
            (["13053", "13068", "14850"], ["130**", "130**", "metro"], Literal),
            (["13053", "13", "14"], ["13***", "13***", "14***"], Masks),
            (["13053", "13068", "14850"], ["130**", "130**", "130**"], Names),
            (["1951-03-04", "1959-12-31", "1960-01-01"], ["1950-1959", "1950-1959", "1960-1969"], Dates),
            (["1951-03-04", "1959-12-31", "1960-01-01"], ["1950-1959", "1950-1959", "1950-1959"], Names),
            (["flu", "cold", "cancer"], ["infection", "infection", "tumour"], Literal),
            // The name of a value for others too.
            (["flu", "cold", "cancer"], ["flu", "flu", "cancer"], Names),
            (["21", "unknown", "40"], ["20-39", "20-39", "40-59"], Names),
            // Values that are spelled like the label of others.
            (["20-29", "25", "40"], ["young", "20-29", "old"], Names),
            (["E1***", "E11.9", "F1"], ["E1***", "E1***", "F1***"], Names),
            (["*", "a", "b"], ["x", "x", "y"], Names),
            // The number nearest to it lies beyond the end that is left out.
            (["0.39999999999999999999", "0.35", "0.3"], ["[0.3,0.4)", "[0.3,0.4)", "[0.3,0.4)"], Names),
        ] {
            assert_eq!(reading_of(&hierarchy(&leaves, &level)), expected, "{level:?}");
        }
    }

    #[test]
    fn labels_that_hide_missing_values_are_noticed() {
        let texts = |own: &[&str]| own.iter().map(|&text| text.into()).collect::<Vec<Box<str>>>();
        let markers = ["".to_owned(), "?".to_owned()];
        let hides = |values: &[&str], levels: &[(&[&str], &[u32])]| {
            let (domain, _) = Domain::canonical(texts(values), |text| text.is_empty() || text == "?");
            let levels: Vec<(Vec<Box<str>>, Vec<u32>)> =
                levels.iter().map(|own| (texts(own.0), own.1.to_vec())).collect();
            hides_missing(&domain, &markers, levels.iter().map(|own| (own.0.as_slice(), own.1.as_slice())))
        };
        // A marker of its own, then the top.
        assert!(!hides(&["?", "21", "45"], &[(&["?", "20-29", "40-49"], &[0, 1, 2]), (&["*"], &[0, 0, 0])]));
        assert!(!hides(&["?", "21", "45"], &[(&["Any"], &[0, 0, 0])]));
        // Behind a range, behind a word below the top, behind a top that reads as a range.
        assert!(hides(&["?", "21", "45"], &[(&["20-29", "40-49"], &[0, 0, 1]), (&["*"], &[0, 0, 0])]));
        assert!(hides(&["?", "21", "45"], &[(&["young", "old"], &[0, 0, 1]), (&["*"], &[0, 0, 0])]));
        assert!(hides(&["?", "21", "45"], &[(&["20-59"], &[0, 0, 0])]));
        // A marker that is the label of values, whether any is missing or not.
        assert!(hides(&["21", "45"], &[(&["?", "old"], &[0, 1]), (&["*"], &[0, 0])]));
        assert!(!hides(&["21", "45"], &[(&["20-59"], &[0, 0])]));
    }

    #[test]
    fn names_exclude_nobody() {
        let texts = |own: &[&str]| own.iter().map(|&text| text.into()).collect::<Vec<Box<str>>>();
        let (labels, _) = Domain::canonical(texts(&["20-39", "40-59"]), |_| false);
        let (values, _) = Domain::canonical(texts(&["21", "40"]), |_| false);
        let mut recoding = Recoding {
            level: Some(1),
            nodes: None,
            height: 2,
            leaves: 2,
            labels_per_level: vec![2, 2, 1],
            reading: None,
            loss: 0.5,
            weight: 1.0,
        };
        let count = |recoding: &Recoding| {
            let meaning = Meaning { hierarchy: None, recoding: Some(recoding) };
            coverage(&labels, &values, meaning).of(0).len()
        };
        assert_eq!(count(&recoding), 1);
        recoding.reading = Some(LabelReading::Literal);
        assert_eq!(count(&recoding), 1);
        recoding.reading = Some(LabelReading::Names);
        assert_eq!(count(&recoding), 2);
    }
}
