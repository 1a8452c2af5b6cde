//! What the columns of a release may stand for, with as much as is known of them.
//!
//! A column that was not recoded holds its values. A hierarchy that is written down says which values are below a label.
//! Every other label is read as anyone would: ranges of numbers and of the calendar, masks, `*`. Means and medians are
//! what to expect of their group and bound nothing. A text that cannot be read may stand for any value. So may, where the
//! manifest says that labels are names, a label that looks like a range; what it looks like is then expected, and no bound.
//!
//! What values behind labels have in common, the manifest tells (`alike`): whether `20-29` may be 29.5, whether `1950-1959`
//! are years or days, whether `13***` may be a shorter code, whether a missing value may be behind a label. Manifests of
//! earlier versions do not say it. Then fractions, shorter codes and missing values are reckoned with, numbers are told from
//! days by how the labels look and what is asked, and the answer says that its bounds rest on that.

use std::collections::BTreeSet;

use privet_data::{Column, Coverage, Domain, Hierarchy, Kind};
use privet_measure::answer::{AnswerCells, AnswerColumn, Comparison, Literal, Question, Region, Values};
use privet_release::manifest::{Alike, LabelReading, Recoding};
use privet_release::published::{Meaning, Reading, SensitiveColumn, coverage};

use super::Knowledge;

/// A column of the published table.
pub struct Labelled<'a> {
    /// The column.
    pub column: &'a Column,
    /// How it was recoded.
    pub recoding: Option<&'a Recoding>,
    /// What the values behind its labels have in common.
    pub alike: Option<&'a Alike>,
    /// What the job file says.
    pub knowledge: &'a Knowledge,
    /// The question.
    pub question: &'a Question,
}

/// A sensitive column of which values are counted per bucket.
pub fn counted(
    own: &SensitiveColumn,
    alike: Option<&Alike>,
    groups: usize,
    knowledge: &Knowledge,
) -> AnswerColumn {
    let (domain, code_of) = with_missing(&own.domain, &knowledge.missing);
    let domain = of_kind(domain, alike);
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

/// The same values as of the kind that those of the input are, of which only some may be published.
fn of_kind(domain: Domain, alike: Option<&Alike>) -> Domain {
    let Some(kind) = alike.map(|own| own.kind) else { return domain };
    let fits = match kind {
        Kind::Integer | Kind::Decimal | Kind::Date => {
            domain.texts()[domain.missing() as usize..].iter().all(|text| kind.number(text).is_some())
        }
        Kind::Boolean | Kind::Text => true,
    };
    if fits { Domain::from_sorted(domain.texts().to_vec(), domain.missing(), kind) } else { domain }
}

/// Lets questions use the labels of a hierarchy for the values below them.
pub fn named(mut column: AnswerColumn, hierarchy: Option<&Hierarchy>) -> AnswerColumn {
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

/// Whether a text may be a value although it is a label: labels are names, or nothing says that they are not.
pub fn is_ambiguous(recoding: &Recoding) -> bool {
    matches!(recoding.reading, None | Some(LabelReading::Names))
}

/// What an answer owes to reading labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owed {
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
            Values::Mask { .. } => true,
            Values::Listed(_) | Values::Unknown { .. } => false,
        };
        let recoding = self.recoding?;
        let hierarchy = recoding.level != Some(0)
            && matches!(
                recoding.nodes.as_ref().map(|own| own.kind.as_str()),
                None | Some("cut" | "group-nodes")
            );
        let name = &self.column.name;
        if !hierarchy || self.knowledge.hierarchy(name).is_some() || !read.regions.iter().any(is_read) {
            return None;
        }
        match recoding.reading {
            Some(LabelReading::Names) => Some(Owed::Expectations),
            Some(_) if self.alike.is_some() => None,
            _ if self.knowledge.knows(name) => None,
            _ => Some(Owed::Bounds),
        }
    }

    /// Whether labels are names, and the hierarchy that tells what is below them is not at hand.
    fn is_named(&self) -> bool {
        self.recoding.is_some_and(|own| own.reading == Some(LabelReading::Names))
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
            let labels = of_kind(labels, self.alike);
            return named(AnswerColumn::exact(name, labels, AnswerCells::PerRecord(codes)), hierarchy);
        }
        let is_typical = matches!(nodes, Some("means" | "medians" | "modes"));
        if let Some(hierarchy) = hierarchy.filter(|_| !is_typical) {
            return named(self.below(&labels, hierarchy, codes), Some(hierarchy));
        }
        let kind = self.kind(&labels);
        let hull = hull(&labels, kind);
        let is_masked = !self.is_named()
            && kind != Kind::Date
            && labels.texts().iter().any(|text| matches!(Reading::of(text, kind), Some(Reading::Mask(_))));
        let as_texts = self.asks_form() && !is_typical && self.hides_whole_values(&labels, kind, nodes);
        let region = |label: u32| {
            let text = labels.text(label);
            let values = match kind {
                _ if labels.is_missing(label) && !is_typical && !self.hides_missing() => {
                    return Region { values: Values::Listed(Vec::new()), or_missing: true };
                }
                _ if as_texts => self.text(text, label, kind, nodes, is_typical),
                Kind::Integer | Kind::Decimal | Kind::Date if is_typical => around(text, kind),
                Kind::Integer | Kind::Decimal | Kind::Date if self.is_named() => called(text, kind, hull),
                Kind::Integer | Kind::Decimal | Kind::Date
                    if !is_masked || !self.is_itself(nodes) && span(text, kind).is_some() =>
                {
                    range(text, kind, hull)
                }
                _ => self.text(text, label, kind, nodes, is_typical),
            };
            let is_open = match &values {
                Values::Range { from, to, .. } => from.is_infinite() && to.is_infinite(),
                Values::Unknown { .. } => true,
                Values::Mask { .. } | Values::Listed(_) => false,
            };
            let is_anything = Reading::of(text, kind) == Some(Reading::Everything);
            let or_missing =
                is_typical || self.hides_missing() || is_open && (is_anything || self.may_be_top());
            Region { values, or_missing }
        };
        AnswerColumn {
            name,
            kind,
            labels: labels.texts().to_vec(),
            regions: (0..labels.len() as u32).map(region).collect(),
            // On one level, and where equal values have equal labels, no two labels share a value.
            exclusive: matches!(nodes, None | Some("cut" | "ranges")),
            ambiguous: self.recoding.is_some_and(is_ambiguous),
            // Codes that are shown in full are numbers where values are.
            values: Domain::from_sorted(labels.texts().to_vec(), labels.missing(), kind),
            named: Default::default(),
            weights: Vec::new(),
            cells: AnswerCells::PerRecord(codes),
        }
    }

    /// Whether the question asks for the form of its texts.
    fn asks_form(&self) -> bool {
        let mut asks = false;
        self.question.filter.for_each_test(&mut |test| {
            asks |= matches!(test.comparison, Comparison::Like(_))
                && test.column.eq_ignore_ascii_case(&self.column.name);
        });
        asks
    }

    /// Whether a value is shown as it is or not at all, so that what is shown is a text and no range.
    fn hides_whole_values(&self, labels: &Domain, kind: Kind, nodes: Option<&str>) -> bool {
        nodes == Some("cells")
            || (labels.missing()..labels.len() as u32)
                .all(|label| Reading::of(labels.text(label), kind) == Some(Reading::Everything))
    }

    /// Whether a missing value may stand behind any label. Manifests that do not tell exclude nothing.
    fn hides_missing(&self) -> bool {
        self.alike.is_none_or(|own| own.hides_missing)
    }

    /// Labels of a hierarchy: the leaves below them, and a missing value below the top.
    fn below(&self, labels: &Domain, hierarchy: &Hierarchy, codes: Vec<u32>) -> AnswerColumn {
        let kind = self.alike.map(|own| own.kind);
        // What cannot be a value of the column is none, although it is written down.
        let may_be = |text: &str| match kind {
            Some(kind @ (Kind::Integer | Kind::Decimal | Kind::Date)) => kind.number(text).is_some(),
            _ => true,
        };
        let markers: Vec<&str> = labels.texts()[..labels.missing() as usize].iter().map(|t| &**t).collect();
        let is_marker =
            |text: &str| markers.contains(&text) || self.knowledge.missing.iter().any(|m| m == text);
        let leaves = hierarchy.leaves().iter().map(|leaf| &**leaf);
        let mut texts: BTreeSet<&str> = leaves.filter(|leaf| may_be(leaf) || is_marker(leaf)).collect();
        // A missing value may stand behind the top even where no marker is published.
        texts.extend(markers.iter().copied().chain(self.knowledge.missing.first().map(|m| m.as_str())));
        let (values, _) = Domain::canonical(texts.into_iter().map(Box::from).collect(), is_marker);
        let values = of_kind(values, self.alike);
        let below: Coverage =
            coverage(labels, &values, Meaning { hierarchy: Some(hierarchy), recoding: self.recoding });
        let mut column = AnswerColumn::covered(self.column.name.clone(), labels, values, &below, codes);
        // A marker that the hierarchy does not list is no value like the others: it may stand there, and is not expected.
        let written: BTreeSet<&str> = hierarchy.leaves().iter().map(|leaf| &**leaf).collect();
        let is_unwritten =
            |code: u32| column.values.is_missing(code) && !written.contains(column.values.text(code));
        for (_, region) in (0u32..).zip(&mut column.regions).filter(|own| !labels.is_missing(own.0)) {
            let Values::Listed(list) = &mut region.values else { continue };
            let kept: Vec<u32> = list.iter().copied().filter(|&code| !is_unwritten(code)).collect();
            if !kept.is_empty() && kept.len() < list.len() {
                *list = kept;
                region.or_missing = true;
            }
        }
        column
    }

    /// What the values behind the labels are: what the manifest says, or else what it looks like.
    fn kind(&self, labels: &Domain) -> Kind {
        if let Some(alike) = self.alike {
            return alike.kind;
        }
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
                if days.is_some() && (said || asks_days || too_many) { Kind::Date } else { Kind::Decimal }
            }
        }
    }

    /// Only the top of a hierarchy may stand for a missing value, where labels do not hide any.
    fn may_be_top(&self) -> bool {
        self.recoding.is_none_or(|own| own.level.is_none_or(|level| level >= own.height))
    }

    /// Whether a label that cannot be read is the value itself.
    fn is_itself(&self, nodes: Option<&str>) -> bool {
        nodes == Some("cells") || self.recoding.is_some_and(|own| own.reading == Some(LabelReading::Masks))
    }

    /// A label of texts, or of numbers that are masked.
    fn text(&self, text: &str, label: u32, kind: Kind, nodes: Option<&str>, is_typical: bool) -> Values {
        // Releases of counts do not tell how many values there are.
        let size = self.recoding.map(|recoding| recoding.leaves).filter(|&leaves| leaves > 0);
        match Reading::of(text, kind) {
            _ if is_typical => Values::Unknown { size, expect_label: true },
            Some(Reading::Mask(_)) if !self.is_named() => {
                let length = self.alike.and_then(|own| own.length);
                Values::Mask {
                    one_length: length == Some(text.chars().count()),
                    digits: self.alike.is_some_and(|own| own.digits),
                }
            }
            // A code that is shown in full beside masks, or a cell that was not suppressed.
            None if self.is_itself(nodes) => Values::Listed(vec![label]),
            _ => Values::Unknown { size, expect_label: false },
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

/// A label of numbers or days.
fn range(label: &str, kind: Kind, hull: Option<(f64, f64)>) -> Values {
    let whole = kind != Kind::Decimal;
    let (from, to) = (f64::NEG_INFINITY, f64::INFINITY);
    match span(label, kind) {
        Some((from, to, open)) => Values::Range { from, to, open, whole, spread: None },
        None => Values::Range { from, to, open: false, whole, spread: hull },
    }
}

/// A label that is a name: any value, and what it looks like is to be expected.
fn called(label: &str, kind: Kind, hull: Option<(f64, f64)>) -> Values {
    let whole = kind != Kind::Decimal;
    let looks = span(label, kind).filter(|own| own.0.is_finite() && own.1.is_finite());
    let spread = match looks {
        Some((from, to, true)) if whole => Some((from, to.ceil() - 1.0)),
        Some((from, to, _)) => Some((from, to)),
        None => hull,
    };
    Values::Range { from: f64::NEG_INFINITY, to: f64::INFINITY, open: false, whole, spread }
}

/// A mean or median: what to expect, and no bound.
fn around(label: &str, kind: Kind) -> Values {
    let spread = kind.number(label).filter(|number| number.is_finite()).map(|number| (number, number));
    Values::Range { from: f64::NEG_INFINITY, to: f64::INFINITY, open: false, whole: false, spread }
}
