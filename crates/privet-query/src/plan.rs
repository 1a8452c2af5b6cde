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
    Bounds, Delta, Epsilon, Loss, Mean, Noise, People, Privacy, Quantile, Rational, SmoothMedian, Spread, Sum,
};
use privet_measure::answer::{
    Aggregate, ExplainedBy, Figure, ModelQuestion, PrivateQuestion, RankBy, Ranking,
};

use super::choice::Choice;
use super::constants;
use super::declared::{Declared, Flags, problem};
use super::error::QueryError;
use super::keys::Keys;
use super::marginals::Marginals;
use super::method::Method;
use super::model::Model;
use super::origin::Sources;
use super::session::Session;
use super::shares::{Scope, Shares};
use super::synthetic::Synthetic;
use super::tree::Tree;
use super::unknown::{Unknown, halved};
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
    /// How groups are found whose keys are not declared.
    pub unknown: Option<Unknown>,
    /// The tables and lines that records come from.
    pub sources: Sources,
    /// The bounds of the columns from which figures are computed.
    computed_from: Vec<(String, Bounds)>,
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
    /// Records from tables of one and of two columns.
    Tree(Tree),
    /// The coefficients of a regression.
    Model(Model),
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
    Spread { spread: Box<Spread>, bounds: Bounds },
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
    /// By something that is worked out beside the answer, from noisy numbers; of 1,000 records by this much.
    Beside { of_thousand: f64 },
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
            unknown: None,
            sources: Sources::default(),
            computed_from: Vec::new(),
            probabilistic: flags.probabilistic,
            noise: None,
            read_as: Vec::new(),
        };
        if flags.method == Some(Method::Sulq) {
            let session = Session::new(text, people, &declared.privacy(&epsilon, delta.as_ref()))?;
            if session.questions.iter().any(|own| !own.is_plain()) {
                return Err(problem("--mechanism sulq counts records of one table as it stands"));
            }
            let (question, loss) = (session.first().clone(), session.loss().clone());
            return Ok(whole(question, loss, Way::Session(session), Vec::new(), NonZeroUsize::MIN));
        }
        let question = PrivateQuestion::parse(text)?;
        let sources = Sources::new(&question, declared, per_person.as_deref(), people.contributions())?;
        let people = match sources.is_per_person() {
            true if flags.max_records.is_some_and(|most| most > 1) => {
                return Err(problem(
                    "the subquery makes one line of all records of a person, so --max-records has no use; leave it out",
                ));
            }
            true => People::one_record_each(people.neighbours()),
            false => people,
        };
        let keys = question.group_by.iter().map(|column| declared.keys(column));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        // Limits by group are kept where figures are computed by group; several tables and records have a person's records all.
        let unlimited = People::new(people.neighbours(), people.contributions())?;
        let is_unknown = keys.iter().any(|own| own.is_unknown);
        let is_special = !question.grouping_sets.is_empty()
            || flags.synthetic.is_some()
            || matches!(
                flags.method,
                Some(Method::Dirichlet | Method::AlphaBeta | Method::Peeling | Method::Marginals)
            );
        if is_special && (is_unknown || !question.origin.is_plain()) {
            return Err(problem(
                "keys that are not declared, joins and subqueries go with a plain `group by` and noise on every figure",
            ));
        }
        let records =
            flags.synthetic.is_some() || matches!(flags.method, Some(Method::Dirichlet | Method::AlphaBeta));
        if let Some(model) = &question.model {
            if flags.method.is_some_and(|own| !matches!(own, Method::Laplace | Method::Gaussian)) {
                return Err(problem(
                    "a regression has Laplace noise, or Gaussian noise with a --delta or --rho; leave --mechanism out",
                ));
            }
            let privacy = declared.privacy(&epsilon, delta.as_ref());
            let person = per_person.as_deref();
            let scope = Scope { people, is_grouped: false, declared, person, computed: &question.computed };
            let model = Model::new(&question, model, people, |name| scope.bounds(name), &privacy)?;
            let numbers = model.question.numbers();
            let computed = question.computed.iter().flat_map(|(_, formula)| formula.columns());
            let is_column = |name: &&str| !question.computed.iter().any(|own| own.0 == **name);
            let named = numbers.iter().copied().filter(|name| is_column(name)).chain(computed);
            let computed_from = named.map(|name| Ok((name.to_owned(), declared.bounds(name)?)));
            let computed_from = computed_from.collect::<Result<_, QueryError>>()?;
            let loss = model.loss().clone();
            let own = whole(question, loss, Way::Model(model), keys, NonZeroUsize::MIN);
            let own = Self { sources, computed_from, people, ..own };
            own.sources.must_tell(&own.outer_columns())?;
            return Ok(own);
        }
        if flags.method == Some(Method::Marginals) {
            let privacy = declared.privacy(&epsilon, delta.as_ref());
            let tree = Tree::new(&question, unlimited, &keys, &privacy, flags)?;
            let combinations = keys.iter().fold(1usize, |all, own| all.saturating_mul(own.len()));
            let groups = NonZeroUsize::new(combinations).unwrap_or(NonZeroUsize::MIN);
            return Ok(whole(question, tree.loss().clone(), Way::Tree(tree), keys, groups));
        }
        if !question.grouping_sets.is_empty() {
            if records || flags.method == Some(Method::Peeling) {
                return Err(problem("`grouping sets`, `cube` and `rollup` are answered by counts alone"));
            }
            let privacy = declared.privacy(&epsilon, delta.as_ref());
            let is_open = flags.method.is_none();
            let marginals = Marginals::new(&question, unlimited, &keys, &privacy, is_open)?;
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
        let person = per_person.as_deref();
        let scope = Scope { people, is_grouped, declared, person, computed: &question.computed };
        let left = if is_unknown { Some(halved(delta.as_ref())?) } else { delta.clone() };
        let shares = Shares::new(&asked, u64::from(is_chosen), (&epsilon, left.as_ref()), &scope)?;
        let way = match is_chosen {
            true => Way::Chosen(Choice::new(&question, people, groups, &shares.epsilon)?),
            false => Way::Figures,
        };
        let parts = different.into_iter().enumerate().map(|(place, figure)| {
            let mechanism = shares.mechanism(place, figure, &scope)?;
            Ok(Part { figure: figure.clone(), mechanism, rivals: rivals(place) })
        });
        let parts = parts.collect::<Result<Vec<_>, QueryError>>()?;
        let mut loss = shares.total(&epsilon, left.as_ref())?;
        let unknown = match (is_unknown, &delta) {
            (true, Some(delta)) => {
                let own = Unknown::new(&question, people, &parts, &epsilon, &loss, delta)?;
                loss = Loss::new(epsilon.value().clone(), delta.value().clone())?;
                Some(own)
            }
            _ => None,
        };
        let name = |part: usize| {
            let output = part_of.iter().position(|own| *own == part).and_then(|at| question.select.get(at));
            output.map_or("", |own| own.name.as_str())
        };
        let names: Vec<&str> = (0..parts.len()).map(name).collect();
        let noise = shares.remark(&parts, &names);
        let columns = question.computed.iter().flat_map(|(_, formula)| formula.columns());
        let bounds = |name: &str| Ok((name.to_owned(), declared.bounds(name)?));
        let computed_from = columns.map(bounds).collect::<Result<_, QueryError>>()?;
        let own = Self {
            parts,
            part_of,
            noise,
            unknown,
            sources,
            computed_from,
            ..whole(question, loss, way, keys, groups)
        };
        own.sources.must_tell(&own.outer_columns())?;
        Ok(Self { people, ..own })
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
            Way::Tree(tree) => vec![tree.planned()],
            Way::Model(model) => model.planned(),
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
            if self.is_computed(column) {
                remarks.push(format!(
                    "The columns of `{column}` are rounded to their grids (--grid sets the unit) before it is computed; the widths leave that \
                     rounding out."
                ));
                continue;
            }
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
            Way::Tree(tree) => tree.remarks(),
            Way::Model(model) => model.remarks(),
        };
        remarks.extend(self.unknown.as_ref().map(Unknown::remark));
        remarks.extend(self.sources.remarks());
        remarks.extend(self.rounded());
        remarks.extend(self.left_out());
        remarks.extend(self.noise.clone());
        if self.loss.rho().is_some() {
            remarks.push(
                "The cost is a concentrated loss (rho): that of many questions adds up to far less than as epsilons. An epsilon and a delta follow from \
                 it, and stand beside it."
                    .to_owned(),
            );
        }
        remarks.extend(self.calibrations());
        remarks.extend(self.ranks_if_even());
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

    /// How far off ranks are in kinder tables than the worst.
    fn ranks_if_even(&self) -> Option<String> {
        let even = |part: &Part| match &part.mechanism {
            Mechanism::Quantile { quantile, .. } => quantile.rank_error_95_if_even(part.rivals),
            _ => None,
        };
        let widest = self.parts.iter().filter_map(even).reduce(f64::max)?.ceil();
        Some(format!(
            "Widths in ranks hold for every table. Where values are spread evenly near the quantile, {widest} ranks hold with about 95 %."
        ))
    }

    /// Why Gaussian noise is as large as it is, once for all figures that have the same reason.
    fn calibrations(&self) -> Vec<String> {
        let noises = self.parts.iter().filter_map(|part| match &part.mechanism {
            Mechanism::Count(noise) | Mechanism::Sum { noise, .. } => Some(noise),
            _ => None,
        });
        let others = match &self.way {
            Way::Marginals(own) => Some(own.noise()),
            Way::Session(own) => Some(own.noise()),
            Way::Model(own) => Some(own.noise()),
            _ => None,
        };
        let mut told: Vec<String> = noises.chain(others).filter_map(|own| own.calibration()).collect();
        told.dedup();
        told.into_iter().map(|own| format!("{own}.")).collect()
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
        let bounded = |bounds: &Bounds| {
            format!("{} to {} in {}", bounds.lower(), bounds.upper(), bounds.grid().units_per_one())
        };
        for part in &self.parts {
            add("noise", &part.law());
            part.bounds().into_iter().for_each(|bounds| add("bounds", &bounded(bounds)));
        }
        if let Way::Model(model) = &self.way {
            let all = model.explained.iter().chain(&model.explaining);
            all.for_each(|bounds| add("bounds", &bounded(bounds)));
        }
        let limits = (self.people.groups(), self.people.per_group());
        if limits != (self.people.contributions(), self.people.contributions()) {
            add("groups", &limits.0.to_string());
            add("records in a group", &limits.1.to_string());
        }
        if let Some(unknown) = &self.unknown {
            add("least count of a group", &unknown.threshold.least().to_string());
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

    /// Whether a figure of this name is about no column, but about what is computed from some.
    fn is_computed(&self, name: &str) -> bool {
        self.question.computed.iter().any(|own| own.0 == name)
    }

    /// The declared bounds of a column from which a figure is computed.
    pub fn bounds_of_column(&self, name: &str) -> Option<Bounds> {
        self.computed_from.iter().find(|own| own.0 == name).map(|own| own.1)
    }

    /// Every column that the data must have.
    pub fn columns(&self) -> Vec<String> {
        self.sources.needed(self.outer_columns())
    }

    /// Every column that the question looks at, of the table or of what is made of it.
    pub fn outer_columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = self.question.group_by.clone();
        columns.extend(self.per_person.clone());
        let figured = self.parts.iter().filter_map(|part| part.figure.column());
        columns.extend(figured.filter(|name| !self.is_computed(name)).map(str::to_owned));
        columns.extend(self.computed_from.iter().map(|own| own.0.clone()));
        if let Some(ModelQuestion { explained: ExplainedBy::LogOdds(condition), .. }) = &self.question.model {
            condition.for_each_test(&mut |test| columns.push(test.column.clone()));
        }
        for (_, formula) in &self.question.computed {
            columns.extend(formula.columns().into_iter().map(str::to_owned));
        }
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
            | Mechanism::Spread { bounds, .. }
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
            Mechanism::Spread { spread, .. } => {
                Error::Beside { of_thousand: spread.half_width_95_of_all(1000, self.rivals) }
            }
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
            Error::Beside { of_thousand } => (None, Some(of_thousand * 1000.0), None),
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
        let rank_error_95_if_even = match &self.mechanism {
            Mechanism::Quantile { quantile, .. } => {
                quantile.rank_error_95_if_even(self.rivals).map(f64::ceil)
            }
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
            rank_error_95_if_even,
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
            Mechanism::Spread { spread, bounds } => {
                let [count, sum, squares] = spread.noises();
                let one = units_per_one(bounds);
                vec![
                    NoiseOf::new("count", count, 1.0),
                    NoiseOf::new("sum about the middle of the bounds", sum, one),
                    NoiseOf::new("sum of squares about the middle of the bounds", squares, one * one),
                ]
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
            Mechanism::Spread { spread, bounds } => {
                let [count, sum, squares] = spread.noises();
                let one = units_per_one(bounds);
                let squared = match one * one {
                    1.0 => squares.to_string(),
                    own => format!("{squares} in units of {}", 1.0 / own),
                };
                format!("sum of squares: {squared}; sum: {}; count: {count}", in_units(sum, bounds))
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
