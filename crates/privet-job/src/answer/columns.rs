//! What the columns of a release may stand for, with as much as is known of them.
//!
//! A column that was not recoded holds its values. A hierarchy that is written down says which values are below a label.
//! Every other label is read as anyone would: ranges of numbers and of the calendar, masks, `*`. Means and medians are
//! what to expect of their group and bound nothing. A text that cannot be read may stand for any value. So may, where the
//! manifest says that labels are names, a label that looks like a range; what it looks like is then expected, and no bound.
//! Manifests of earlier versions do not say it; then bounds rest on that reading, and the answer says so.
//!
//! `1950-1959` is a range of whole numbers or a decade of days. It is taken for days when the job or the manifest says so,
//! the question compares the column with a day, or the manifest counts more values than there are whole numbers in the
//! labels.
//!
//! Beside masks a code without a `*` is that code (`13053` next to `130**`): not all values went to the same level.

use std::collections::BTreeSet;

use privet_data::{Column, Coverage, Domain, Hierarchy, Kind};
use privet_measure::answer::{AnswerCells, AnswerColumn, Literal, Question, Region, Values};
use privet_release::manifest::{LabelReading, Recoding};
use privet_release::published::{Meaning, Reading, SensitiveColumn, coverage};

use super::Knowledge;

/// A column of the published table.
pub(super) struct Labelled<'a> {
    pub column: &'a Column,
    pub recoding: Option<&'a Recoding>,
    pub knowledge: &'a Knowledge,
    pub question: &'a Question,
}

/// A sensitive column of which values are counted per bucket.
pub(super) fn counted(own: &SensitiveColumn, groups: usize, knowledge: &Knowledge) -> AnswerColumn {
    let (domain, code_of) = with_missing(&own.domain, &knowledge.missing);
    let recoded = |&(code, count): &(u32, u64)| Some((*code_of.get(code as usize)?, count));
    let histogram = |group: u32| own.histograms.of(group).iter().filter_map(recoded).collect();
    let cells = AnswerCells::PerGroup((0..groups as u32).map(histogram).collect());
    named(AnswerColumn::exact(own.name.clone(), domain, cells), knowledge.hierarchy(&own.name))
}

/// The same values, with these texts counted among the missing ones too; and per old code the new one.
fn with_missing(domain: &Domain, missing: &[String]) -> (Domain, Vec<u32>) {
    let before: BTreeSet<&str> = domain.texts()[..domain.missing() as usize].iter().map(|t| &**t).collect();
    Domain::canonical(domain.texts().to_vec(), |text| {
        before.contains(text) || missing.iter().any(|marker| marker == text)
    })
}

/// Lets questions use the labels of a hierarchy for the values below them.
fn named(mut column: AnswerColumn, hierarchy: Option<&Hierarchy>) -> AnswerColumn {
    let Some(hierarchy) = hierarchy else { return column };
    let mut labels: BTreeSet<&str> =
        hierarchy.levels().iter().flat_map(|level| &level.labels).map(|label| &**label).collect();
    for text in hierarchy.leaves().iter().chain(column.values.texts()) {
        labels.remove(&**text);
    }
    let list: Vec<Box<str>> = labels.into_iter().map(Box::from).collect();
    let labels = Domain::from_sorted(list.clone(), 0, Kind::Text);
    let below = coverage(&labels, &column.values, Meaning { hierarchy: Some(hierarchy), recoding: None });
    for (code, label) in list.into_iter().enumerate() {
        column.named.insert(label, below.of(code as u32).to_vec());
    }
    column
}

/// What an answer owes to reading labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owed {
    /// Bounds hold for what is below labels, whatever that is; expectations take labels for what they look like.
    Expectations,
    /// Nothing tells whether labels hold what they say, and bounds take it that they do.
    Bounds,
}

impl Labelled<'_> {
    /// What is to be said about an answer that uses this column, as `read` gave it.
    pub fn owes(&self, read: &AnswerColumn) -> Option<Owed> {
        let is_read = |region: &Region| match &region.values {
            Values::Range { from, to, spread, .. } => {
                from.is_finite() || to.is_finite() || spread.is_some_and(|(low, high)| low < high)
            }
            Values::Mask => true,
            Values::Listed(_) | Values::Unknown { .. } => false,
        };
        let recoding = self.recoding?;
        let hierarchy = recoding.level != Some(0)
            && matches!(
                recoding.nodes.as_ref().map(|own| own.kind.as_str()),
                None | Some("cut" | "group-nodes")
            );
        if !hierarchy || self.knowledge.knows(&self.column.name) || !read.regions.iter().any(is_read) {
            return None;
        }
        match recoding.reading {
            Some(LabelReading::Literal | LabelReading::Dates) => None,
            Some(LabelReading::Names) => Some(Owed::Expectations),
            None => Some(Owed::Bounds),
        }
    }

    /// Whether labels are names, and the hierarchy that tells what is below them is not at hand.
    fn is_named(&self) -> bool {
        self.recoding.is_some_and(|own| own.reading == Some(LabelReading::Names))
            && !self.knowledge.knows(&self.column.name)
    }

    /// What its labels may stand for.
    pub fn read(&self) -> AnswerColumn {
        let (labels, code_of) = with_missing(&self.column.domain, &self.knowledge.missing);
        let codes: Vec<u32> = self.column.codes.iter().map(|&code| code_of[code as usize]).collect(); // why: its own codes
        let name = self.column.name.clone();
        let hierarchy = self.knowledge.hierarchy(&name);
        let nodes =
            self.recoding.and_then(|recoding| recoding.nodes.as_ref()).map(|nodes| nodes.kind.as_str());
        let is_exact = self.recoding.is_none_or(|recoding| recoding.level == Some(0));
        if is_exact && nodes.is_none() {
            return named(AnswerColumn::exact(name, labels, AnswerCells::PerRecord(codes)), hierarchy);
        }
        let is_typical = matches!(nodes, Some("means" | "medians" | "modes"));
        if let Some(hierarchy) = hierarchy.filter(|_| !is_typical) {
            return named(self.below(&labels, hierarchy, codes), Some(hierarchy));
        }
        let kind = self.kind(&labels);
        let hull = hull(&labels, kind);
        let masks = self.mask_length(&labels);
        let may_be_top = self.may_be_top();
        let region = |label: u32| match (kind, is_typical) {
            _ if labels.is_missing(label) => Region { values: Values::Listed(Vec::new()), or_missing: true },
            (Kind::Integer | Kind::Decimal | Kind::Date, true) => around(labels.text(label), kind),
            (Kind::Integer | Kind::Decimal | Kind::Date, false) if self.is_named() => {
                called(labels.text(label), kind, hull, may_be_top)
            }
            (Kind::Integer | Kind::Decimal | Kind::Date, false) => range(labels.text(label), kind, hull),
            (Kind::Boolean | Kind::Text, _) => self.text(&labels, label, nodes, is_typical, masks),
        };
        AnswerColumn {
            name,
            kind,
            labels: labels.texts().to_vec(),
            regions: (0..labels.len() as u32).map(region).collect(),
            // On one level, and where equal values have equal labels, no two labels share a value.
            exclusive: matches!(nodes, None | Some("cut" | "ranges")),
            values: labels,
            named: Default::default(),
            weights: Vec::new(),
            cells: AnswerCells::PerRecord(codes),
        }
    }

    /// Labels of a hierarchy: the leaves below them, and a missing value below the top.
    fn below(&self, labels: &Domain, hierarchy: &Hierarchy, codes: Vec<u32>) -> AnswerColumn {
        let mut texts: BTreeSet<&str> = hierarchy.leaves().iter().map(|leaf| &**leaf).collect();
        let markers: Vec<&str> = labels.texts()[..labels.missing() as usize].iter().map(|t| &**t).collect();
        // A missing value may stand behind the top even where no marker is published.
        texts.extend(markers.iter().copied().chain(self.knowledge.missing.first().map(|m| m.as_str())));
        let is_marker =
            |text: &str| markers.contains(&text) || self.knowledge.missing.iter().any(|m| m == text);
        let (values, _) = Domain::canonical(texts.into_iter().map(Box::from).collect(), is_marker);
        let below: Coverage =
            coverage(labels, &values, Meaning { hierarchy: Some(hierarchy), recoding: self.recoding });
        AnswerColumn::covered(self.column.name.clone(), labels, values, &below, codes)
    }

    /// What the values behind the labels are.
    fn kind(&self, labels: &Domain) -> Kind {
        let is_day = |text: &str| Kind::Date.number(text).is_some();
        let literals = self.question.literals(|name| name.eq_ignore_ascii_case(&self.column.name));
        let asks_days = literals.iter().any(|own| matches!(own, Literal::Text(text) if is_day(text)));
        let shown: Vec<&str> = labels.texts()[labels.missing() as usize..]
            .iter()
            .map(|label| &**label)
            .filter(|label| Reading::of(label, Kind::Text) != Some(Reading::Everything))
            .collect();
        if shown.is_empty() {
            let asks_numbers = literals.iter().all(|own| matches!(own, Literal::Number(..)));
            return match (asks_days, asks_numbers) {
                (true, _) => Kind::Date,
                (false, true) => Kind::Decimal,
                (false, false) => Kind::Text,
            };
        }
        let spans = |kind| shown.iter().map(|label| span(label, kind)).collect::<Option<Vec<_>>>();
        match (spans(Kind::Decimal), spans(Kind::Date)) {
            (None, None) => Kind::Text,
            (None, Some(_)) => Kind::Date,
            (Some(numbers), days) => {
                let whole: f64 = numbers.iter().map(|(from, to, _)| to - from + 1.0).sum();
                let too_many = self.recoding.is_some_and(|recoding| recoding.leaves as f64 > whole);
                let said = self.knowledge.dates.contains(&self.column.name)
                    || self.recoding.is_some_and(|own| own.reading == Some(LabelReading::Dates));
                if days.is_some() && (said || asks_days || too_many) {
                    return Kind::Date;
                }
                // Whole numbers are labelled `20-24`, others `[20,25)`.
                let is_whole = |label: &str, end: f64| {
                    !end.is_finite() || end.fract() == 0.0 && !label.contains('.') && !label.ends_with(')')
                };
                let all =
                    shown.iter().zip(&numbers).all(|(label, s)| is_whole(label, s.0) && is_whole(label, s.1));
                if all { Kind::Integer } else { Kind::Decimal }
            }
        }
    }

    /// How long the masks among the labels are, where all of them are of one length.
    fn mask_length(&self, labels: &Domain) -> Option<usize> {
        let masks = labels.texts().iter().filter(|text| {
            matches!(Reading::of(text, Kind::Text), Some(Reading::Mask(_))) && !self.is_named()
        });
        let mut lengths = masks.map(|text| text.chars().count());
        let first = lengths.next()?;
        lengths.all(|own| own == first).then_some(first)
    }

    /// Only the top of a hierarchy may stand for a missing value.
    fn may_be_top(&self) -> bool {
        self.recoding.is_none_or(|own| own.level.is_none_or(|level| level >= own.height))
    }

    /// A label of texts.
    fn text(
        &self,
        labels: &Domain,
        label: u32,
        nodes: Option<&str>,
        is_typical: bool,
        masks: Option<usize>,
    ) -> Region {
        let text = labels.text(label);
        // Releases of counts do not tell how many values there are.
        let size = self.recoding.map(|recoding| recoding.leaves).filter(|&leaves| leaves > 0);
        let reading = Reading::of(text, Kind::Text);
        match reading {
            _ if is_typical => {
                Region { values: Values::Unknown { size, expect_label: true }, or_missing: true }
            }
            Some(Reading::Mask(_)) if !self.is_named() => Region { values: Values::Mask, or_missing: false },
            None if nodes == Some("cells") => Region::listed([label]),
            None if masks == Some(text.chars().count()) => Region::listed([label]),
            _ => {
                let or_missing = self.may_be_top();
                Region { values: Values::Unknown { size, expect_label: false }, or_missing }
            }
        }
    }
}

/// A label as numbers or days: from, to, and whether the end is left out.
fn span(label: &str, kind: Kind) -> Option<(f64, f64, bool)> {
    let own = match Reading::of(label, kind) {
        Some(Reading::Between { from, to, open }) => (from, to, open && to.is_finite()),
        Some(Reading::Everything | Reading::Mask(_)) => return None,
        None => {
            kind.number(label).filter(|number| number.is_finite()).map(|number| (number, number, false))?
        }
    };
    (own.0 < own.1 || own.0 == own.1 && !own.2).then_some(own)
}

/// Where the labels with two ends lie: values behind `*` are expected to lie there too.
fn hull(labels: &Domain, kind: Kind) -> Option<(f64, f64)> {
    let mut hull: Option<(f64, f64)> = None;
    for label in &labels.texts()[labels.missing() as usize..] {
        if let Some((from, to, open)) = span(label, kind).filter(|s| s.0.is_finite() && s.1.is_finite()) {
            let last = if open && kind != Kind::Decimal { to - 1.0 } else { to };
            hull = Some(hull.map_or((from, last), |(low, high)| (low.min(from), high.max(last))));
        }
    }
    hull
}

fn range(label: &str, kind: Kind, hull: Option<(f64, f64)>) -> Region {
    let whole = kind != Kind::Decimal;
    match span(label, kind) {
        Some((from, to, open)) => {
            Region { values: Values::Range { from, to, open, whole, spread: None }, or_missing: false }
        }
        None => {
            let (from, to) = (f64::NEG_INFINITY, f64::INFINITY);
            Region { values: Values::Range { from, to, open: false, whole, spread: hull }, or_missing: true }
        }
    }
}

/// A label that is a name: any value, and what it looks like is to be expected.
fn called(label: &str, kind: Kind, hull: Option<(f64, f64)>, may_be_top: bool) -> Region {
    let whole = kind != Kind::Decimal;
    let looks = span(label, kind).filter(|own| own.0.is_finite() && own.1.is_finite());
    let spread = match looks {
        Some((from, to, true)) if whole => Some((from, to.ceil() - 1.0)),
        Some((from, to, _)) => Some((from, to)),
        None => hull,
    };
    let (from, to) = (f64::NEG_INFINITY, f64::INFINITY);
    Region { values: Values::Range { from, to, open: false, whole, spread }, or_missing: may_be_top }
}

/// A mean or median: what to expect, and no bound.
fn around(label: &str, kind: Kind) -> Region {
    let spread = kind.number(label).filter(|number| number.is_finite()).map(|number| (number, number));
    let (from, to) = (f64::NEG_INFINITY, f64::INFINITY);
    Region { values: Values::Range { from, to, open: false, whole: false, spread }, or_missing: true }
}
