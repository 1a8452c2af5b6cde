//! The plan of a private question: which mechanism answers each figure, what it costs, and how far off it will be.
//!
//! Guarantee: everything in a plan comes from the question and from what is declared; the data is not looked at. The
//! cost of the whole is exactly the epsilon that was asked for: every different figure gets an equal share of it
//! (figures are about the same people, so their losses add up; `shares.rs` has what each gets, and of which noise).
//!
//! Groups are disjoint, and a record is in one of them at most. With c records of a person at most, one person who is
//! added or removed changes all counts together by c, all sums by c·M with M = max(|lower|, |upper|), and the ranks of
//! a group by as many records as the person has in it; so one figure costs as much over all groups as over one. When a
//! person is *replaced*, two groups change. Counts then change by 2c in sum; sums by 2cM, and by c²·max(2M², W²) in
//! sum of squares, W = max(upper, 0) − min(lower, 0): the distance is convex in what each record adds, so it is
//! largest when all c records are alike, at one bound or in no group. Averages and quantiles are made with half of
//! their epsilon for a person who is added or removed: replacing is removing and adding.
//!
//! The k largest groups (`order by count(*) desc limit k`) are the k largest noisy counts. Choosing them one by one
//! (`privet_dp::TopK`, with `--mechanism peeling`) needs noise k times as large for the same epsilon, because keys are
//! declared and all counts are made anyway; but the counts are then not those that won by their noise. The choice gets
//! a share of epsilon like a figure.
//!
//! Who wins by noisy numbers wins partly by noise, so a width that holds for 95 % of all groups need not hold for 95 %
//! of the winners. Where lines are chosen by a figure, its width is therefore one within which *all* groups are at once
//! with a probability of 95 %: it holds for those that are shown, whichever they are. Other figures of the same lines have
//! noise that the choice has not seen, and keep their width.

use std::num::NonZeroUsize;

use privet_dp::ledger::Terms;
use privet_dp::{
    Bounds, Delta, Epsilon, Loss, Mean, Noise, People, Privacy, Quantile, Rational, SmoothMedian, Sum,
};
use privet_measure::answer::{Aggregate, Figure, PrivateQuestion, RankBy, Ranking};

use super::choice::Choice;
use super::constants;
use super::declared::{Declared, Flags, problem};
use super::error::QueryError;
use super::keys::Keys;
use super::marginals::Marginals;
use super::method::Method;
use super::session::Session;
use super::shares::{Scope, Shares};
use super::synthetic::Synthetic;
use super::{Law, NoiseOf, PlannedFigure};

/// The most groups: every one is a line of the answer.
const MOST_GROUPS: usize = 1 << 20;

/// The largest scale of the noise of a count for all of epsilon, as a power of 2. With a share of a thousandth of it, or a
/// Gaussian, noise is still within whole numbers of 64 bits, but for draws that never happen.
const MOST_SCALE_BITS: usize = 48;

/// What will be done.
#[derive(Debug)]
pub(super) struct Plan {
    pub question: PrivateQuestion,
    pub people: People,
    pub per_person: Option<String>,
    /// What the whole question costs.
    pub loss: Loss,
    /// The different figures.
    pub parts: Vec<Part>,
    /// Per figure of the question which part answers it.
    pub part_of: Vec<usize>,
    /// Per column of `group by`.
    pub keys: Vec<Keys>,
    /// The number of groups; 1 without `group by`.
    pub groups: NonZeroUsize,
    /// How it is answered.
    pub way: Way,
    /// Whether deltas are meant as in PM-28.
    pub probabilistic: bool,
    /// Which noise a delta was declared for, and why it is the one or the other.
    pub noise: Option<String>,
    /// How constants are read that could be read otherwise.
    read_as: Vec<String>,
}

/// How a question is answered.
#[derive(Debug)]
pub(super) enum Way {
    /// Every figure of every group has noise of its own.
    Figures,
    /// The same, for groups that are chosen first.
    Chosen(Choice),
    /// Several tables of counts at once, which agree with each other.
    Marginals(Marginals),
    /// Several counting questions at once.
    Session(Session),
    /// Records instead of figures.
    Synthetic(Synthetic),
}

/// A figure and what answers it.
#[derive(Debug)]
pub(super) struct Part {
    pub figure: Figure,
    pub mechanism: Mechanism,
    /// How many groups compete by this figure's noisy numbers to be shown; 1 where none is left out by them.
    pub rivals: u64,
}

/// What answers a figure.
#[derive(Debug)]
pub(super) enum Mechanism {
    Count(Noise),
    Sum { sum: Sum, noise: Noise },
    Average { mean: Box<Mean>, bounds: Bounds },
    Quantile { quantile: Quantile, bounds: Bounds },
    SmoothMedian { median: Box<SmoothMedian>, bounds: Bounds },
}

/// How far off an answer is with a probability of 5 % at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Error {
    /// By this much, in the figure's own unit.
    HalfWidth(f64),
    /// By `noise` divided by the number of records, which is not known before asking, and by `rounding` besides.
    PerRecords { noise: f64, rounding: f64 },
    /// By this many records in its rank; not known where no bound holds whatever the records are.
    Rank(Option<f64>),
    /// By this much divided by the number of records if values lie evenly between their bounds; how far it is for the
    /// data at hand must not be told.
    IfEven(f64),
}

impl Plan {
    /// Plans a question.
    pub fn new(text: &str, declared: &Declared<'_>) -> Result<Self, QueryError> {
        Self::costing(text, declared, declared.budget()?)
    }

    /// Plans a question that costs this much.
    pub fn costing(
        text: &str,
        declared: &Declared<'_>,
        cost: (Epsilon, Option<Delta>),
    ) -> Result<Self, QueryError> {
        let mut plan = Self::planned(text, declared, cost)?;
        let questions = match &plan.way {
            Way::Session(session) => &session.questions[..],
            _ => std::slice::from_ref(&plan.question),
        };
        for question in questions {
            constants::check(question, declared)?;
        }
        plan.read_as = questions.iter().flat_map(|own| constants::remarks(own, declared)).collect();
        Ok(plan)
    }

    fn planned(
        text: &str,
        declared: &Declared<'_>,
        (epsilon, delta): (Epsilon, Option<Delta>),
    ) -> Result<Self, QueryError> {
        let (people, per_person) = declared.people()?;
        let flags = declared.flags;
        if Rational::from(people.contributions()) / epsilon.value() > Rational::from(1u64 << MOST_SCALE_BITS)
        {
            return Err(problem(
                "epsilon is so small that the noise could be larger than whole numbers of 64 bits can be, and nothing could be \
                 learned from the answer; ask with a larger one",
            ));
        }
        let whole = |question, loss, way, keys, groups| Self {
            question,
            people,
            per_person: per_person.clone(),
            loss,
            parts: Vec::new(),
            part_of: Vec::new(),
            keys,
            groups,
            way,
            probabilistic: flags.probabilistic,
            noise: None,
            read_as: Vec::new(),
        };
        if flags.method == Some(Method::Sulq) {
            let session = Session::new(text, people, &declared.privacy(&epsilon, delta.as_ref()))?;
            let (question, loss) = (session.first().clone(), session.loss().clone());
            return Ok(whole(question, loss, Way::Session(session), Vec::new(), NonZeroUsize::MIN));
        }
        let question = PrivateQuestion::parse(text)?;
        let keys = question.group_by.iter().map(|column| declared.keys(column));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let records =
            flags.synthetic.is_some() || matches!(flags.method, Some(Method::Dirichlet | Method::AlphaBeta));
        if !question.grouping_sets.is_empty() {
            if records || flags.method == Some(Method::Peeling) {
                return Err(problem("`grouping sets`, `cube` and `rollup` are answered by counts alone"));
            }
            let privacy = declared.privacy(&epsilon, delta.as_ref());
            let is_open = flags.method.is_none();
            let marginals = Marginals::new(&question, people, &keys, &privacy, is_open)?;
            let (loss, lines) = (marginals.loss().clone(), marginals.lines());
            return Ok(whole(question, loss, Way::Marginals(marginals), keys, lines));
        }
        let groups = keys.iter().try_fold(1usize, |groups, own| groups.checked_mul(own.len()));
        let groups = groups.filter(|&groups| groups <= MOST_GROUPS).and_then(NonZeroUsize::new);
        let groups = groups.ok_or_else(|| {
            problem(format!(
                "the question has more than {MOST_GROUPS} groups, one for each combination of declared keys, and nearly \
                 all would be noise; group by fewer columns"
            ))
        })?;
        if records {
            let synthetic = Synthetic::new(&question, people, groups, &epsilon, flags)?;
            let loss = Privacy::Pure(epsilon).loss();
            return Ok(whole(question, loss, Way::Synthetic(synthetic), keys, groups));
        }
        let mut different: Vec<&Figure> = Vec::new();
        let mut part_of = Vec::new();
        for output in &question.select {
            let place = different.iter().position(|figure| **figure == output.figure);
            part_of.push(place.unwrap_or(different.len()));
            if place.is_none() {
                different.push(&output.figure);
            }
        }
        let is_chosen = flags.method == Some(Method::Peeling);
        let is_grouped = !keys.is_empty();
        // Peeling has noise of its own, so figures do not compete by theirs.
        let decides = match is_chosen {
            true => None,
            false => deciding(&question, groups).and_then(|place| part_of.get(place).copied()),
        };
        let rivals = |place: usize| if decides == Some(place) { groups.get() as u64 } else { 1 };
        let asked: Vec<(&Figure, u64)> =
            different.iter().enumerate().map(|(place, figure)| (*figure, rivals(place))).collect();
        let scope = Scope { people, is_grouped, declared };
        let shares = Shares::new(&asked, u64::from(is_chosen), (&epsilon, delta.as_ref()), &scope)?;
        let way = match is_chosen {
            true => Way::Chosen(Choice::new(&question, people, groups, &shares.epsilon)?),
            false => Way::Figures,
        };
        let parts = different.into_iter().enumerate().map(|(place, figure)| {
            let mechanism = shares.mechanism(place, figure, &scope)?;
            Ok(Part { figure: figure.clone(), mechanism, rivals: rivals(place) })
        });
        let parts = parts.collect::<Result<Vec<_>, QueryError>>()?;
        let loss = shares.total(&epsilon, delta.as_ref())?;
        let name = |part: usize| {
            let output = part_of.iter().position(|own| *own == part).and_then(|at| question.select.get(at));
            output.map_or("", |own| own.name.as_str())
        };
        let names: Vec<&str> = (0..parts.len()).map(name).collect();
        let noise = shares.remark(&parts, &names);
        Ok(Self { parts, part_of, noise, ..whole(question, loss, way, keys, groups) })
    }

    /// The figures, and how far off they will be.
    pub fn figures(&self) -> Vec<PlannedFigure> {
        match &self.way {
            Way::Figures | Way::Chosen(_) => {
                let of = |(name, &part): (&str, &usize)| self.parts.get(part).map(|part| part.planned(name));
                self.question
                    .select
                    .iter()
                    .map(|own| own.name.as_str())
                    .zip(&self.part_of)
                    .filter_map(of)
                    .collect()
            }
            Way::Marginals(marginals) => vec![marginals.planned()],
            Way::Session(session) => session.planned(),
            Way::Synthetic(synthetic) => vec![synthetic.planned()],
        }
    }

    /// What there is to know where only some lines are shown, chosen by their noisy numbers.
    fn chosen_by_noise(&self) -> Option<String> {
        let place = deciding(&self.question, self.groups)?;
        let output = self.question.select.get(place)?;
        let mut remark = match &output.figure {
            Figure::SmoothMedian { .. } => {
                "Lines are chosen by their noisy numbers, which tend to lie beyond the truth.".to_owned()
            }
            _ => format!(
                "Lines are chosen by their noisy numbers, which tend to lie beyond the truth; so that the width of `{}` holds \
                 for them too, it is one within which all {} groups are at once with a probability of 95 %.",
                output.name, self.groups
            ),
        };
        let is_count = matches!(output.figure, Figure::Aggregate(Aggregate::Count | Aggregate::CountOf(_)));
        if is_count && self.question.order.is_some_and(|own| own.descending) {
            remark.push_str(" `--mechanism peeling` counts the largest groups afresh.");
        }
        Some(remark)
    }

    /// Whose records do not count. It is always said: whether there are such is nothing that the data may be asked for.
    fn left_out(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(person) = &self.per_person {
            remarks.push(format!(
                "Records without a value of `{person}` count nowhere, because it is not known whose they are."
            ));
        }
        let mut columns: Vec<String> = Vec::new();
        for part in self.parts.iter().filter(|part| part.bounds().is_some()) {
            let column = part.figure.column().map(|column| format!("`{column}`"));
            columns.extend(column.filter(|column| !columns.contains(column)));
        }
        if !columns.is_empty() {
            remarks.push(format!(
                "Records whose value of {} is missing or no number (a word, NaN, inf) are left out of its figures; numbers \
                 outside the bounds count as the nearest one.",
                columns.join(" or ")
            ));
        }
        remarks
    }

    /// To what the numbers of each column are rounded, and how far that may move the figures. It is always said: whether
    /// values have more decimals than their grid is nothing that the data may be asked for.
    fn rounded(&self) -> Vec<String> {
        let mut remarks: Vec<String> = Vec::new();
        let mut told: Vec<&str> = Vec::new();
        for part in &self.parts {
            let (Some(column), Some(bounds)) = (part.figure.column(), part.bounds()) else { continue };
            if told.contains(&column) {
                continue;
            }
            told.push(column);
            let unit = unit(bounds);
            let half = unit / 2.0;
            let to = if unit == 1.0 { "whole numbers".to_owned() } else { format!("multiples of {unit}") };
            let of_column = || self.parts.iter().filter(|own| own.figure.column() == Some(column));
            let mut moved = Vec::new();
            if of_column().any(|own| matches!(own.mechanism, Mechanism::Average { .. })) {
                moved.push(format!("an average by at most {half}, which its width includes"));
            }
            if of_column().any(|own| matches!(own.mechanism, Mechanism::Sum { .. })) {
                moved.push(format!("a sum by at most {half} for each record, which its width leaves out"));
            }
            if of_column().any(|own| {
                matches!(own.mechanism, Mechanism::Quantile { .. } | Mechanism::SmoothMedian { .. })
            }) {
                moved.push(format!("a median or quantile by at most {half}, besides its noise"));
            }
            remarks.push(format!(
                "The numbers of `{column}` are rounded to {to} first (--grid sets the unit); if they have more digits, that moves \
                 {}.",
                moved.join("; ")
            ));
        }
        remarks
    }

    /// What else there is to know of how it is answered, in sentences.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = match &self.way {
            Way::Figures => self.chosen_by_noise().into_iter().collect(),
            Way::Chosen(choice) => vec![choice.remark()],
            Way::Marginals(marginals) => marginals.remarks(&self.keys),
            Way::Session(session) => vec![session.remark()],
            Way::Synthetic(synthetic) => synthetic.remarks(),
        };
        remarks.extend(self.rounded());
        remarks.extend(self.left_out());
        remarks.extend(self.noise.clone());
        remarks.extend(self.read_as.iter().cloned());
        if self.parts.iter().any(|part| matches!(part.mechanism, Mechanism::SmoothMedian { .. })) {
            remarks.push(
                "The noise of a smooth median is made for the values in the table, so its size is not told; the width in \
                 the plan is for values that lie evenly between their bounds."
                    .to_owned(),
            );
        }
        if self.probabilistic {
            remarks.push(
                "Delta is the probability of noisy numbers for which e^epsilon does not hold (the probabilistic form)."
                    .to_owned(),
            );
        }
        remarks
    }

    /// The labels of a group, one for each column of `group by`; the last column varies fastest.
    pub fn labels(&self, group: usize) -> Vec<Option<String>> {
        let label = |(key, own): (usize, &Keys)| Some(own.label(key).to_owned());
        self.keys_of(group).into_iter().zip(&self.keys).map(label).collect()
    }

    /// The position of a group's key in each column of `group by`.
    pub fn keys_of(&self, group: usize) -> Vec<usize> {
        let mut rest = group;
        let mut keys: Vec<usize> = self
            .keys
            .iter()
            .rev()
            .map(|own| {
                let key = rest % own.len().max(1);
                rest /= own.len().max(1);
                key
            })
            .collect();
        keys.reverse();
        keys
    }

    /// The tables that it is about, as the question names them.
    pub fn tables(&self) -> Vec<&str> {
        match &self.way {
            Way::Session(session) => session.questions.iter().map(|own| own.table.as_str()).collect(),
            _ => vec![&self.question.table],
        }
    }

    /// What the ledger takes the fingerprint of: the question and all that is declared for it. Every part comes with its
    /// length, so that no two questions read the same.
    pub fn fingerprinted(&self, question: &str, flags: &Flags) -> String {
        let mut text = String::new();
        let mut add = |what: &str, value: &str| text.push_str(&format!("{what} {}:{value}\n", value.len()));
        add("question", question);
        add("terms", &self.terms().to_string());
        add("records", &self.people.contributions().to_string());
        for own in &self.keys {
            add("group by", &own.column);
            own.keys.iter().for_each(|key| add("key", key));
            own.other.iter().for_each(|label| add("other", label));
        }
        for part in &self.parts {
            add("noise", &part.law());
            if let Some(bounds) = part.bounds() {
                let (lower, upper) = (bounds.lower(), bounds.upper());
                add("bounds", &format!("{lower} to {upper} in {}", bounds.grid().units_per_one()));
            }
        }
        add("mechanism", &flags.method.map_or_else(String::new, |own| own.to_string()));
        add("delta", flags.delta.as_deref().unwrap_or_default());
        add("probabilistic", if self.probabilistic { "yes" } else { "no" });
        add("synthetic", &flags.synthetic.map_or_else(String::new, |own| own.to_string()));
        text
    }

    /// Whom its answer protects.
    pub fn terms(&self) -> Terms {
        let (neighbours, records) = (self.people.neighbours(), self.people.contributions());
        Terms { neighbours, person: self.per_person.clone(), records }
    }

    /// Every column that the data must have.
    pub fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = self.question.group_by.clone();
        columns.extend(self.per_person.clone());
        columns.extend(self.parts.iter().filter_map(|part| part.figure.column().map(str::to_owned)));
        self.question.filter.for_each_test(&mut |test| columns.push(test.column.clone()));
        if let Way::Session(session) = &self.way {
            columns.extend(session.columns());
        }
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}

/// The place of the figure by whose noisy numbers some groups are left out.
fn deciding(question: &PrivateQuestion, groups: NonZeroUsize) -> Option<usize> {
    match question.order? {
        Ranking { by: RankBy::Figure(place), .. } if question.limit? < groups.get() => Some(place),
        _ => None,
    }
}

impl Part {
    /// The declared bounds of its column.
    fn bounds(&self) -> Option<&Bounds> {
        match &self.mechanism {
            Mechanism::Count(_) => None,
            Mechanism::Sum { sum, .. } => Some(&sum.bounds),
            Mechanism::Average { bounds, .. }
            | Mechanism::Quantile { bounds, .. }
            | Mechanism::SmoothMedian { bounds, .. } => Some(bounds),
        }
    }

    /// How far off an answer will be, or all those that compete.
    pub fn error(&self) -> Error {
        match &self.mechanism {
            Mechanism::Count(noise) => Error::HalfWidth(noise.half_width_95_of_all(self.rivals)),
            Mechanism::Sum { sum, noise } => {
                Error::HalfWidth(noise.half_width_95_of_all(self.rivals) / units_per_one(&sum.bounds))
            }
            Mechanism::Average { mean, bounds } => Error::PerRecords {
                noise: mean.half_width_95_of_all(1, self.rivals),
                rounding: unit(bounds) / 2.0,
            },
            Mechanism::Quantile { quantile, .. } => {
                Error::Rank(quantile.rank_error_95_of_all(self.rivals).map(f64::ceil))
            }
            Mechanism::SmoothMedian { median, bounds } => {
                let half = median.half_width_95_times_records_of_all(self.rivals);
                Error::IfEven(half / units_per_one(bounds))
            }
        }
    }

    /// As it is told before anything is spent.
    fn planned(&self, name: &str) -> PlannedFigure {
        let (half, times, rank) = match self.error() {
            Error::HalfWidth(half) => (Some(half), None, None),
            Error::PerRecords { noise: times, .. } | Error::IfEven(times) => (None, Some(times), None),
            Error::Rank(rank) => (None, None, rank),
        };
        let rounding = match self.error() {
            Error::PerRecords { rounding, .. } => Some(rounding),
            _ => None,
        };
        let spread = match &self.mechanism {
            Mechanism::Count(noise) => Some(Law::of(noise, 1.0)),
            Mechanism::Sum { sum, noise } => Some(Law::of(noise, units_per_one(&sum.bounds))),
            _ => None,
        };
        let untold = match self.error() {
            Error::IfEven(_) => {
                Some("its noise is made for the values in the table, so the size of it would tell of them")
            }
            Error::Rank(None) => {
                Some("with so little epsilon no bound on its rank holds, whatever the records are")
            }
            _ => None,
        };
        PlannedFigure {
            name: name.to_owned(),
            noise: self.law(),
            law: spread,
            half_width_95: half,
            half_width_95_times_records: times,
            rounding,
            rank_error_95: rank,
            rounded_to: self.bounds().map(unit),
            noises: self.noises(),
            untold: untold.map(str::to_owned),
        }
    }

    /// The draws of noise that it is made with, each with what it hides.
    fn noises(&self) -> Vec<NoiseOf> {
        match &self.mechanism {
            Mechanism::Count(noise) => vec![NoiseOf::new("count", noise, 1.0)],
            Mechanism::Sum { sum, noise } => vec![NoiseOf::new("sum", noise, units_per_one(&sum.bounds))],
            Mechanism::Average { mean, bounds } => {
                let (sum, count) = mean.noises();
                let sum = NoiseOf::new("sum about the middle of the bounds", sum, units_per_one(bounds));
                std::iter::once(sum).chain(count.map(|own| NoiseOf::new("count", own, 1.0))).collect()
            }
            // One is drawn by weights, the noise of the other hangs on the values.
            Mechanism::Quantile { .. } | Mechanism::SmoothMedian { .. } => Vec::new(),
        }
    }

    /// The law of its noise.
    pub fn law(&self) -> String {
        match &self.mechanism {
            Mechanism::Count(noise) => noise.to_string(),
            Mechanism::Sum { sum, noise } => in_units(noise, &sum.bounds),
            Mechanism::Average { mean, bounds } => {
                let (sum, count) = mean.noises();
                let count = count.map_or_else(|| "exact".to_owned(), Noise::to_string);
                format!("sum: {}; count: {count}", in_units(sum, bounds))
            }
            Mechanism::Quantile { bounds, .. } => {
                format!("exponential mechanism, {} points", bounds.width() + 1)
            }
            Mechanism::SmoothMedian { .. } => "discrete Laplace, scale by smooth sensitivity".to_owned(),
        }
    }
}

pub(super) fn units_per_one(bounds: &Bounds) -> f64 {
    bounds.grid().units_per_one() as f64
}

/// What numbers are rounded to.
fn unit(bounds: &Bounds) -> f64 {
    1.0 / units_per_one(bounds)
}

fn in_units(noise: &Noise, bounds: &Bounds) -> String {
    match bounds.grid().units_per_one() {
        1 => noise.to_string(),
        _ => format!("{noise} in units of {}", unit(bounds)),
    }
}
