//! Which published labels may be a person's.
//!
//! A list of people is somebody else's table: it may be short, hold strangers, and be written otherwise than the data. So
//! whether a label may stand for the value of a person is seen from the two alone, and from what is known of how the column
//! was recoded ([`Recoded`]); never from who else is on the list. (`labels.rs` reads the labels beside the original, whose
//! values are all that there are.)
//!
//! **Guarantee.** A label that stands for a value is never excluded for whoever has it: where nothing tells what a label
//! holds, it excludes nobody. A word such as `European` excludes somebody only where it is known to be a value: the column
//! was published as it was, or its cells are values or `*`, or the hierarchy is at hand. What is not known of a person or
//! not published of a record excludes nothing, nor does a word where numbers or dates stand, unless it is published too.

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use privet_data::hierarchy::HierarchySpec;
use privet_data::{Coverage, Domain, Finder, Hierarchy, Kind, Run};

use super::labels::Reading;
use super::ordered::{ByText, InOrder, runs_of};
use crate::manifest::{LabelReading, Recoding};

/// What is known of how the labels of a column came about, besides what the manifest says.
#[derive(Debug, Clone, Copy, Default)]
pub enum Recoded<'a> {
    /// Nothing: labels are read as anyone would.
    #[default]
    Unknown,
    /// By a hierarchy that is written down: it has every value that the data may have.
    Written(&'a Hierarchy),
    /// By a builder: each value is given its labels by itself, or they say what they hold.
    Made(&'a HierarchySpec),
    /// There is no hierarchy: a label is a value, `*`, or a range.
    Flat,
    /// Nothing was recoded: labels are values.
    Values,
}

/// Per label of a published column the values of people that it may stand for.
pub fn fits(labels: &Domain, people: &Domain, recoded: Recoded<'_>, recoding: Option<&Recoding>) -> Coverage {
    let shown = Shown::new(labels, recoded, recoding);
    let values = Values::new(people, &shown);
    let of_label = |label: u32| shown.codes(label, &values);
    Coverage::of_runs((0..labels.len() as u32).map(of_label), people.len() as u32)
}

/// How many labels of a column exclude nobody although they are not `*`, to whoever has not the hierarchy.
pub fn open_labels(labels: &Domain, recoding: Option<&Recoding>) -> usize {
    let shown = Shown::new(labels, Recoded::Unknown, recoding);
    let is_told = |&label: &u32| !labels.is_missing(label) && !is_star(labels.text(label));
    (0..labels.len() as u32).filter(is_told).filter(|&label| shown.facet(label).is_none()).count()
}

/// What most labels of a column show: numbers, dates, or words.
pub fn kind_shown(labels: &Domain) -> Kind {
    Shown::new(labels, Recoded::Unknown, None).kind
}

fn is_star(label: &str) -> bool {
    !label.is_empty() && label.chars().all(|c| c == '*')
}

/// `[first to last]`, as the program writes ranges.
fn bracket(label: &str) -> Option<&str> {
    label.strip_prefix('[')?.strip_suffix(']').filter(|own| own.contains(" to "))
}

/// The labels of a column.
struct Shown<'a> {
    labels: &'a Domain,
    recoded: Recoded<'a>,
    level: Option<usize>,
    /// What the labels are when they are not all of one level.
    nodes: Option<&'a str>,
    /// The labels that are names of groups, where it is told.
    groups: Option<&'a [String]>,
    /// A label is a value, `*`, or a range.
    is_flat: bool,
    /// A label is a value.
    is_raw: bool,
    is_named: bool,
    /// What can be read are stretches of the calendar, never numbers.
    dates_alone: bool,
    /// What most labels show.
    kind: Kind,
    /// Whether all labels show that.
    is_pure: bool,
}

/// What a label holds, as far as it can be read.
enum Facet<'a> {
    /// A value, and no other.
    Value,
    /// The same characters but where it has `*`.
    Mask(&'a str),
    /// Numbers or days, or both where it looks like both.
    Stretch { numbers: Option<(f64, f64, bool)>, days: Option<(f64, f64, bool)> },
}

impl<'a> Shown<'a> {
    fn new(labels: &'a Domain, recoded: Recoded<'a>, recoding: Option<&'a Recoding>) -> Self {
        let nodes = recoding.and_then(|own| own.nodes.as_ref()).map(|nodes| nodes.kind.as_str());
        let level = recoding.and_then(|own| own.level);
        let is_raw = matches!(recoded, Recoded::Values) || (level == Some(0) && nodes.is_none());
        let texts = || (labels.missing()..labels.len() as u32).map(|label| labels.text(label));
        let is_flat = nodes == Some("cells") || matches!(recoded, Recoded::Flat);
        let reading = recoding.and_then(|own| own.reading);
        let mut shown = Self {
            labels,
            recoded,
            level,
            nodes,
            groups: recoding.and_then(|own| own.nodes.as_ref()?.groups.as_deref()),
            is_flat: is_flat && level.is_none(),
            is_raw,
            is_named: !is_raw && reading == Some(LabelReading::Names),
            dates_alone: !is_raw && reading == Some(LabelReading::Dates),
            kind: Kind::Text,
            is_pure: false,
        };
        let read: Vec<&str> = match recoded {
            Recoded::Written(hierarchy) => hierarchy.leaves().iter().map(|leaf| &**leaf).collect(),
            _ => texts().filter(|label| !is_star(label)).collect(),
        };
        let is_of = |label: &str, kind: Kind| {
            let is_range = || matches!(Reading::of(label, kind), Some(Reading::Between { .. }));
            number(kind, label).is_some() || (!is_raw && is_range())
        };
        for kind in [Kind::Decimal, Kind::Date] {
            let fit = read.iter().filter(|label| is_of(label, kind)).count();
            if fit * 2 >= read.len() && fit > 0 && shown.kind == Kind::Text {
                (shown.kind, shown.is_pure) = (kind, fit == read.len());
            }
        }
        if let Recoded::Made(HierarchySpec::Dates(_)) = recoded {
            shown.kind = Kind::Date;
        }
        shown
    }

    /// Whether a label is of a missing value, or stands for no set of values: a mean, a median, a mode.
    fn excludes_nothing(&self, label: u32) -> bool {
        self.labels.is_missing(label) || matches!(self.nodes, Some("means" | "medians" | "modes"))
    }

    /// What a label holds; nothing where it excludes nobody.
    fn facet(&self, label: u32) -> Option<Facet<'a>> {
        let text = self.labels.text(label);
        if self.excludes_nothing(label) || is_star(text) {
            return None;
        }
        let range = bracket(text).filter(|_| matches!(self.nodes, Some("ranges" | "group-ranges")));
        if self.is_raw || (self.is_flat && range.is_none() && !text.starts_with('[')) {
            return Some(Facet::Value);
        }
        // What is no group, no range and cannot be read is a value.
        let is_value = !text.starts_with('[')
            && self.groups.is_some_and(|groups| !groups.iter().any(|group| group == text));
        if self.is_named && !(range.is_some() && self.nodes == Some("group-ranges")) {
            return is_value.then_some(Facet::Value);
        }
        let stretch = |kind: Kind| match Reading::of(text, kind) {
            Some(Reading::Between { from, to, open }) => Some((from, to, open)),
            Some(_) => None,
            None => number(kind, text).map(|own| (own, own, false)),
        };
        if range.is_none() && text.contains('*') {
            return Some(Facet::Mask(text));
        }
        let numbers = stretch(Kind::Decimal).filter(|_| !self.dates_alone);
        let days = stretch(Kind::Date);
        // Values are cut into ranges in their order, which among words is not that of numbers.
        if range.is_some() && self.nodes == Some("ranges") && !self.is_pure {
            return None;
        }
        match numbers.is_some() || days.is_some() {
            true => Some(Facet::Stretch { numbers, days }),
            false => is_value.then_some(Facet::Value),
        }
    }

    /// The values of people that a label may stand for.
    fn codes(&self, label: u32, values: &Values<'_>) -> Vec<Run> {
        let text = self.labels.text(label);
        let all = || vec![(0, (values.domain.len() as u32).saturating_sub(1))];
        // A builder's top is above what it cannot read as well.
        if self.excludes_nothing(label) || (values.has_all_labels && is_star(text)) {
            return all();
        }
        let mut codes = values.unknown.clone();
        let own = values.below.get(text);
        codes.extend(own.into_iter().flat_map(|own| runs_of(own)));
        // Ranges are no labels of a builder, and what tells its level is not made from a value.
        let is_made = !text.starts_with('[') && !text.contains(" (level ");
        if values.has_all_labels && is_made {
            codes.extend(values.equal(text));
            if let Some(day) = number(Kind::Date, text) {
                values.days.add(values.days.between(day, day, false), &mut codes);
            }
            return codes;
        }
        if own.is_some() {
            return codes;
        }
        let Some(facet) = self.facet(label) else { return all() };
        codes.extend(values.equal(text));
        match facet {
            Facet::Mask(mask) => {
                values.by_text.add_masked(mask, values.domain, &mut codes);
            }
            Facet::Value => {
                let (own, day) = (number(Kind::Decimal, text), number(Kind::Date, text));
                match own {
                    Some(own) => values.numbers.add(values.numbers.between(own, own, false), &mut codes),
                    // What cannot be compared excludes nothing.
                    None if day.is_some() => values.numbers.add(values.numbers.all(), &mut codes),
                    None => {}
                }
                // Years are published, and days are known.
                let year = match Reading::of(text, Kind::Date) {
                    Some(Reading::Between { from, to, .. }) => Some((from, to)),
                    _ => day.map(|day| (day, day)),
                };
                match year {
                    Some((from, to)) => values.days.add(values.days.between(from, to, false), &mut codes),
                    None if own.is_some() => values.days.add(values.days.all(), &mut codes),
                    None => {}
                }
            }
            Facet::Stretch { numbers, days } => {
                // What cannot be compared excludes nothing.
                match numbers {
                    Some(own) => values.numbers.add_stretch(own, values.domain, &mut codes),
                    None => values.numbers.add(values.numbers.all(), &mut codes),
                }
                match days {
                    Some(own) => values.days.add_stretch(own, values.domain, &mut codes),
                    None => values.days.add(values.days.all(), &mut codes),
                }
                let is_range = |own: Option<(f64, f64, bool)>| own.is_some_and(|own| own.0 < own.1);
                if is_range(numbers) || is_range(days) {
                    // Nor does a word, which may be any of them.
                    codes.extend(&values.runs_of_words);
                }
            }
        }
        codes
    }
}

/// Where `first to last` may be divided.
fn divisions(range: &str) -> impl Iterator<Item = (&str, &str)> {
    range.match_indices(" to ").map(|(at, to)| (&range[..at], &range[at + to.len()..]))
}

fn number(kind: Kind, text: &str) -> Option<f64> {
    kind.number(text).filter(|own| own.is_finite())
}

/// The values of people, ready to be looked up.
struct Values<'a> {
    domain: &'a Domain,
    numbers: InOrder,
    days: InOrder,
    by_text: ByText,
    /// Those that are neither.
    words: Vec<u32>,
    runs_of_words: Vec<Run>,
    /// Those that any label may stand for.
    unknown: Vec<Run>,
    finder: Finder<'a>,
    /// Per label of the hierarchy the values below it.
    below: HashMap<String, Vec<u32>>,
    /// Whether `below` has every label that a value may be given above itself.
    has_all_labels: bool,
}

impl<'a> Values<'a> {
    fn new(domain: &'a Domain, shown: &Shown<'_>) -> Self {
        let codes = || domain.missing()..domain.len() as u32;
        let (mut numbers, mut days, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for code in codes() {
            let text = domain.text(code);
            match (number(Kind::Decimal, text), number(Kind::Date, text)) {
                (Some(own), _) => numbers.push((own, code)),
                (None, Some(own)) => days.push((own, code)),
                (None, None) => words.push(code),
            }
        }
        let mut values = Self {
            domain,
            numbers: InOrder::new(numbers),
            days: InOrder::new(days),
            by_text: ByText::new(domain, shown.labels),
            runs_of_words: runs_of(&words),
            words,
            unknown: domain.missing().checked_sub(1).map(|last| (0, last)).into_iter().collect(),
            finder: domain.finder(),
            below: HashMap::new(),
            has_all_labels: false,
        };
        let mut meant: HashSet<&str> = HashSet::new();
        match shown.recoded {
            Recoded::Written(hierarchy) => {
                meant.extend(hierarchy.leaves().iter().map(|leaf| &**leaf));
                values.written(hierarchy, shown);
            }
            Recoded::Made(spec) if !shown.is_raw => values.made(spec, shown),
            _ => {}
        }
        if !matches!(shown.recoded, Recoded::Written(_)) {
            meant.extend(shown.labels.texts().iter().map(|label| &**label));
        }
        // A word where numbers or dates stand, or one of these where the other does.
        let has_labels = matches!(shown.recoded, Recoded::Written(_)) || values.has_all_labels;
        let (numbers, days) = (&values.numbers, &values.days);
        let others: Vec<u32> = match shown.kind {
            Kind::Date if has_labels => [&values.words, numbers.codes(numbers.all())].concat(),
            Kind::Decimal if has_labels => [&values.words, days.codes(days.all())].concat(),
            Kind::Date | Kind::Decimal => values.words.clone(),
            _ => Vec::new(),
        };
        let mut others: Vec<u32> =
            others.into_iter().filter(|&code| !meant.contains(domain.text(code))).collect();
        others.sort_unstable();
        values.unknown.extend(runs_of(&others));
        values
    }

    /// The values below each label of a hierarchy that is written down: of one level, when the whole column stands on it, otherwise of
    /// all. A value that it does not have is behind a single top label alone.
    fn written(&mut self, hierarchy: &Hierarchy, shown: &Shown<'_>) {
        let leaves = hierarchy.leaves();
        let same_text = self.domain.sameness();
        let mut leaf_of: HashMap<Cow<'_, str>, usize> = HashMap::with_capacity(leaves.len());
        leaf_of.extend(leaves.iter().enumerate().map(|(leaf, text)| (same_text.key(text), leaf)));
        let in_order = |kind: Kind| {
            let own = leaves.iter().zip(0..).filter_map(|(leaf, at)| Some((number(kind, leaf)?, at)));
            InOrder::new(own.collect())
        };
        let (numbers, days) = (in_order(Kind::Decimal), in_order(Kind::Date));
        // Numbers and dates are the same however they are written.
        let of_value = |text: &str| -> Vec<usize> {
            let own = leaf_of.get(&*same_text.key(text)).copied();
            let same = |kind: Kind, order: &InOrder| {
                let own = number(kind, text).into_iter();
                let same = own.flat_map(|own| order.codes(order.between(own, own, false)));
                same.map(|&leaf| leaf as usize).collect::<Vec<_>>()
            };
            match own {
                Some(own) => vec![own],
                None => [same(Kind::Decimal, &numbers), same(Kind::Date, &days)].concat(),
            }
        };
        let known = self.domain.missing()..self.domain.len() as u32;
        let of_code: Vec<(u32, Vec<usize>)> =
            known.map(|code| (code, of_value(self.domain.text(code)))).collect();
        let wanted = |level: usize| shown.level.is_none_or(|own| own == level);
        let below = &mut self.below;
        if wanted(0) {
            for leaf in leaves {
                below.entry(leaf.to_string()).or_default();
            }
            for (code, own) in &of_code {
                own.iter().for_each(|&leaf| below.entry(leaves[leaf].to_string()).or_default().push(*code));
            }
        }
        for (number, level) in hierarchy.levels().iter().enumerate().filter(|(at, _)| wanted(at + 1)) {
            let is_top = number + 1 == hierarchy.height() && level.labels.len() == 1;
            let mut of_node: Vec<Vec<u32>> = vec![Vec::new(); level.labels.len()];
            for (code, own) in &of_code {
                own.iter().for_each(|&leaf| of_node[level.node_of_leaf[leaf] as usize].push(*code));
                if is_top && own.is_empty() {
                    of_node[0].push(*code);
                }
            }
            for (label, own) in level.labels.iter().zip(of_node) {
                // Of two labels of one cut that read alike, the second tells its level.
                below.entry(format!("{label} (level {})", number + 1)).or_default().extend(&own);
                below.entry(label.to_string()).or_default().extend(own);
            }
        }
        if shown.nodes != Some("ranges") {
            return;
        }
        // Ranges follow the order in which the leaves are written down; what is missing comes behind them.
        let mut by_leaf: Vec<(usize, u32)> =
            of_code.iter().flat_map(|(code, own)| own.iter().map(|&leaf| (leaf, *code))).collect();
        by_leaf.sort_unstable();
        let at = |text: &str| match text {
            "(missing)" => Some(leaf_of.get("").copied().unwrap_or(leaves.len())),
            text => leaf_of.get(text).copied(),
        };
        for label in shown.labels.texts() {
            let Some(range) = bracket(label) else { continue };
            let divided = divisions(range).filter_map(|(first, last)| Some((at(first)?, at(last)?)));
            let runs: Vec<(usize, usize)> = divided.collect();
            let mut inside: Vec<u32> = Vec::new();
            for &(first, last) in &runs {
                let from = by_leaf.partition_point(|own| own.0 < first);
                let inside_run = by_leaf[from..].iter().take_while(|own| own.0 <= last);
                inside.extend(inside_run.map(|own| own.1));
            }
            if !runs.is_empty() {
                inside.sort_unstable();
                inside.dedup();
                below.entry(label.to_string()).or_default().extend(inside);
            }
        }
    }

    /// The values below each label that a builder gives to a value by itself.
    fn made(&mut self, spec: &HierarchySpec, shown: &Shown<'_>) {
        let is_mask = |label: &&str| match spec {
            HierarchySpec::Mask(mask) => label.contains(mask.symbol),
            _ => false,
        };
        let lengths: HashSet<usize> = match spec {
            HierarchySpec::Mask(_) => {
                let labels = shown.labels.texts().iter().map(|label| &**label);
                labels.filter(is_mask).map(|label| label.chars().count()).collect()
            }
            HierarchySpec::Dates(_) => [0].into_iter().collect(),
            _ => return,
        };
        self.has_all_labels = true;
        for code in self.domain.missing()..self.domain.len() as u32 {
            for &length in &lengths {
                let labels = spec.labels_above(self.domain.text(code), length).unwrap_or_default();
                let wanted = |(level, _): &(usize, String)| shown.level.is_none_or(|own| own == level + 1);
                for (_, label) in labels.into_iter().enumerate().filter(wanted) {
                    self.below.entry(label).or_default().push(code);
                }
            }
        }
    }

    fn equal(&self, text: &str) -> Option<Run> {
        let code = self.finder.code(text).filter(|&code| !self.domain.is_missing(code));
        code.map(|code| (code, code))
    }
}

#[cfg(test)]
mod tests;
