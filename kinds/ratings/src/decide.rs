//! Deciding (k, epsilon)- and (k, epsilon, l)-anonymity, and the searches over one of the three (thesis 2.19 to 2.23).
//!
//! - Neighbourhoods are decided exactly, by the smallest degree (Thm 6.1) and the spread of each neighbourhood.
//! - Partitions: every neighbourhood must have k members, which is necessary (Cor 6.1); then slicing looks for groups, which
//!   are a witness; where it finds none, small components are searched exhaustively; else the answer is "undecided".
//!
//! Thm 7.1 and Lemma 7.1 are false as printed (section 4) and prune nothing here. Success of the greedy search is not
//! monotone in epsilon (defect 27), so [`Search::Scan`] looks at every epsilon of the scale; [`Search::Bisection`] is the
//! thesis' binary search. Under neighbourhoods and without l both give the same.

use std::ops::ControlFlow;

use privet_data::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::criteria::Summary;
use crate::{
    ExactDecomposition, Neighbours, Partition, Points, ProximityGraph, RatingsError, Reach, SdNulls,
    Semantics, Slicing, Survey, hamming_groups, partition,
};

/// A promise about ratings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The least members of a group.
    pub k: u64,
    /// How far ratings within a group are apart at most.
    pub epsilon: f64,
    /// The least standard deviation of every sensitive issue within a group; 0 asks for none.
    pub l: f64,
    /// What a group is.
    pub semantics: Semantics,
    /// How nulls count in the standard deviation.
    pub nulls: SdNulls,
}

impl Model {
    /// (k, epsilon)-anonymity by partition.
    pub fn new(k: u64, epsilon: f64) -> Self {
        Self { k, epsilon, l: 0.0, semantics: Semantics::Partition, nulls: SdNulls::Skip }
    }

    /// The same with sensitive ratings that spread by at least `l`.
    pub fn with_l(self, l: f64) -> Self {
        Self { l, ..self }
    }

    /// The same with other groups.
    pub fn with(self, semantics: Semantics) -> Self {
        Self { semantics, ..self }
    }

    pub(crate) fn check(&self, survey: &Survey) -> Result<Reach, RatingsError> {
        if self.k == 0 {
            return Err(RatingsError::Parameter { key: "k", accepted: "at least 1" });
        }
        let most = (survey.scale.high() - survey.scale.low()) / 2.0;
        if !(0.0..=most + 1e-9).contains(&self.l) {
            return Err(RatingsError::Parameter {
                key: "l",
                accepted: "between 0 and half the length of the scale (Thm 7.2)",
            });
        }
        survey.scale.reach(self.epsilon)
    }
}

/// What a decision came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The survey has the property.
    Holds,
    /// The survey does not have it.
    Fails,
    /// The search found no partition, and too many users are left to try all.
    Undecided,
}

/// A decision and what supports it.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The decision.
    pub outcome: Outcome,
    /// The size of the smallest group that was found. Neighbourhoods are counted up to k.
    pub smallest: u64,
    /// The users in groups that are too small or not diverse.
    pub failing: u64,
    /// The least standard deviation of a sensitive issue in a group; none where no group has a sensitive rating, or nobody
    /// asked for l.
    pub least_spread: Option<f64>,
    /// The groups that were found, under the partition semantics.
    pub witness: Option<Partition>,
}

/// Whether a spread suffices. Groups without a rating of the issue disclose none.
fn is_diverse(spread: Option<f64>, l: f64) -> bool {
    spread.is_none_or(|spread| spread + 1e-9 >= l)
}

pub(crate) fn least(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The least spread of the sensitive issues in a group.
pub(crate) fn group_spread(survey: &Survey, group: &[u32], nulls: SdNulls) -> Option<f64> {
    let spreads = (0..survey.sensitive.items.len()).map(|issue| {
        let ticks = group.iter().map(|&user| survey.sensitive.cell(user, issue));
        crate::spread(survey.scale, ticks, nulls)
    });
    spreads.fold(None, least)
}

/// Decides a model.
///
/// ```
/// use privet_data::Silent;
/// use privet_ratings::{Model, NULL, Outcome, Scale, Survey, judge};
/// // t1 to t3 of Table 6.1 (a): within 5 of each other, and not within 4.
/// let rows = [([5, 0], 5), ([0, 5], 0), ([1, 4], 0)].map(|(row, secret)| (row.to_vec(), vec![secret]));
/// let survey = Survey::dense(Scale::whole(1, 6)?, &rows);
/// assert_eq!(judge(&survey, &Model::new(3, 5.0), &Silent)?.outcome, Outcome::Holds);
/// assert_eq!(judge(&survey, &Model::new(3, 4.0), &Silent)?.outcome, Outcome::Fails);
/// # Ok::<(), privet_ratings::RatingsError>(())
/// ```
///
/// # Errors
/// When the model is out of range, or the person asks to stop.
pub fn judge(survey: &Survey, model: &Model, progress: &dyn Progress) -> Result<Verdict, RatingsError> {
    let reach = model.check(survey)?;
    match model.semantics {
        Semantics::Neighbourhood => judge_neighbourhoods(survey, model, reach, model.k, progress),
        Semantics::Partition => judge_partition(survey, model, reach, progress),
    }
}

/// Users counted up to `most`: enough to decide.
fn judge_neighbourhoods(
    survey: &Survey,
    model: &Model,
    reach: Reach,
    most: u64,
    progress: &dyn Progress,
) -> Result<Verdict, RatingsError> {
    let spreads = model.l > 0.0;
    let of_group = |group: &crate::HammingGroup| -> Result<(u64, u64, Option<f64>), RatingsError> {
        progress.check()?;
        if group.users.len() == 1 && !spreads {
            return Ok((1, u64::from(model.k > 1), None));
        }
        let points = Points::of(survey, group);
        let sorted = Slicing::new(&points, reach.ticks);
        let summaries = if spreads { summaries(survey, &points) } else { Vec::new() };
        let of_point = |point: u32| -> Result<(u64, u64, Option<f64>), RatingsError> {
            if point.is_multiple_of(256) {
                progress.check()?;
            }
            let (size, spread) = neighbourhood(survey, model, &sorted, &points, &summaries, point, most);
            let fails = size < model.k || !is_diverse(spread, if spreads { model.l } else { 0.0 });
            Ok((size, if fails { points.weight(point) } else { 0 }, spread))
        };
        let start = (u64::MAX, 0, None);
        (0..points.len() as u32).into_par_iter().map(of_point).try_reduce(|| start, |a, b| Ok(merge(a, b)))
    };
    let groups = hamming_groups(survey, reach);
    let start = (u64::MAX, 0, None);
    let (smallest, failing, least_spread) =
        groups.par_iter().map(of_group).try_reduce(|| start, |a, b| Ok(merge(a, b)))?;
    let smallest = if groups.is_empty() { 0 } else { smallest };
    let outcome = if failing == 0 && !groups.is_empty() { Outcome::Holds } else { Outcome::Fails };
    Ok(Verdict { outcome, smallest, failing, least_spread, witness: None })
}

fn merge(a: (u64, u64, Option<f64>), b: (u64, u64, Option<f64>)) -> (u64, u64, Option<f64>) {
    (a.0.min(b.0), a.1 + b.1, least(a.2, b.2))
}

/// Per point and sensitive issue what its users rated.
fn summaries(survey: &Survey, points: &Points) -> Vec<Summary> {
    let width = survey.sensitive.items.len();
    let mut all = vec![Summary::default(); width * points.len()];
    for point in 0..points.len() as u32 {
        for &user in points.members(point) {
            let row = survey.sensitive.row(user);
            for (summary, &tick) in all[point as usize * width..].iter_mut().zip(row) {
                summary.add(tick);
            }
        }
    }
    all
}

fn neighbourhood(
    survey: &Survey,
    model: &Model,
    sorted: &Slicing<'_>,
    points: &Points,
    summaries: &[Summary],
    point: u32,
    most: u64,
) -> (u64, Option<f64>) {
    let width = survey.sensitive.items.len();
    let (mut size, mut merged) = (0, vec![Summary::default(); if summaries.is_empty() { 0 } else { width }]);
    sorted.near(point, |other| {
        size += points.weight(other);
        for (summary, part) in
            merged.iter_mut().zip(&summaries[other as usize * merged_width(summaries, width)..])
        {
            summary.merge(part);
        }
        // With a spread to find the whole neighbourhood is needed.
        if summaries.is_empty() && size >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let spread = merged.iter().map(|summary| summary.spread(survey.scale, model.nulls)).fold(None, least);
    (size.min(most), spread)
}

fn merged_width(summaries: &[Summary], width: usize) -> usize {
    if summaries.is_empty() { 0 } else { width }
}

fn judge_partition(
    survey: &Survey,
    model: &Model,
    reach: Reach,
    progress: &dyn Progress,
) -> Result<Verdict, RatingsError> {
    let necessary = judge_neighbourhoods(survey, &model.with_l(0.0), reach, model.k, progress)?;
    // Slicing is of use even where it cannot succeed: it says how large groups are.
    let mut witness = partition(survey, reach, model.k, progress)?;
    let mut verdict = judge_groups(survey, model, &witness);
    if verdict.failing > 0 && necessary.outcome == Outcome::Fails {
        verdict.outcome = Outcome::Fails;
    } else if verdict.failing > 0 {
        match exact_partition(survey, model, reach, &witness, progress)? {
            Exact::Found(groups) => {
                witness = groups;
                verdict = judge_groups(survey, model, &witness);
            }
            Exact::None => verdict.outcome = Outcome::Fails,
            Exact::TooLarge => verdict.outcome = Outcome::Undecided,
        }
    }
    verdict.witness = Some(witness);
    Ok(verdict)
}

/// Judges groups that are known to be pairwise within epsilon.
fn judge_groups(survey: &Survey, model: &Model, partition: &Partition) -> Verdict {
    let of_group = |group: &Vec<u32>| {
        let size = group.len() as u64;
        let spread = if model.l > 0.0 { group_spread(survey, group, model.nulls) } else { None };
        let fails = size < model.k || !is_diverse(spread, model.l);
        (size, if fails { size } else { 0 }, spread)
    };
    let (smallest, failing, least_spread) =
        partition.groups.par_iter().map(of_group).reduce(|| (u64::MAX, 0, None), merge);
    let is_empty = partition.groups.is_empty();
    let outcome = if failing == 0 && !is_empty { Outcome::Holds } else { Outcome::Fails };
    let smallest = if is_empty { 0 } else { smallest };
    Verdict { outcome, smallest, failing, least_spread, witness: None }
}

enum Exact {
    Found(Partition),
    None,
    TooLarge,
}

/// Searches every component of a failing Hamming group exhaustively. Components in which all groups hold are left as they are.
fn exact_partition(
    survey: &Survey,
    model: &Model,
    reach: Reach,
    found: &Partition,
    progress: &dyn Progress,
) -> Result<Exact, RatingsError> {
    let holds = |group: &[u32]| {
        let spread = if model.l > 0.0 { group_spread(survey, group, model.nulls) } else { None };
        group.len() as u64 >= model.k && is_diverse(spread, model.l)
    };
    let mut is_failing = vec![false; survey.users()];
    for group in found.groups.iter().filter(|group| !holds(group)) {
        group.iter().for_each(|&user| is_failing[user as usize] = true);
    }
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut searched = vec![false; survey.users()];
    for hamming in hamming_groups(survey, reach) {
        if !hamming.users.iter().any(|&user| is_failing[user as usize]) {
            continue;
        }
        progress.check()?;
        // A graph of a few hundred nodes is quickly made; more would not fall into small components.
        if hamming.users.len() > 512 {
            return Ok(Exact::TooLarge);
        }
        let (graph, users) = local_graph(survey, &hamming.users, reach);
        for component in graph.components() {
            if !component.iter().any(|&node| is_failing[users[node as usize] as usize]) {
                continue;
            }
            let named =
                |nodes: &[u32]| -> Vec<u32> { nodes.iter().map(|&node| users[node as usize]).collect() };
            let k = usize::try_from(model.k).unwrap_or(usize::MAX);
            match ExactDecomposition::of(&graph, &component, k, &|nodes| holds(&named(nodes))) {
                Some(Some(cliques)) => {
                    component.iter().for_each(|&node| searched[users[node as usize] as usize] = true);
                    groups.extend(cliques.iter().map(|clique| named(clique)));
                }
                Some(None) => return Ok(Exact::None),
                None => return Ok(Exact::TooLarge),
            }
        }
    }
    let kept = found.groups.iter().filter(|group| !searched[group[0] as usize]);
    groups.extend(kept.cloned());
    Ok(Exact::Found(Partition::new(groups)))
}

/// The proximity graph of some users, and who its nodes are.
fn local_graph(survey: &Survey, users: &[u32], reach: Reach) -> (ProximityGraph, Vec<u32>) {
    let mut edges = Vec::new();
    for (a, &first) in users.iter().enumerate() {
        for (b, &second) in users.iter().enumerate().skip(a + 1) {
            if crate::is_clique(survey, &[first, second], reach) {
                edges.push((a as u32, b as u32));
            }
        }
    }
    (ProximityGraph::of_edges(users.len(), &edges), users.to_vec())
}

/// How a search goes through the epsilons of the scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// From 0 on, one after another: the smallest epsilon at which the decision succeeds.
    #[default]
    Scan,
    /// The thesis' binary search: an epsilon at which the decision succeeds and below which it failed where it was asked.
    Bisection,
}

/// What a search over epsilon came to: the data is (k, epsilon, l)-anonymous.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The epsilon.
    pub epsilon: f64,
    /// The size of the smallest group.
    pub k: u64,
    /// The least standard deviation of a sensitive issue in a group; none where there is no sensitive rating.
    pub l: Option<f64>,
    /// The groups, under the partition semantics.
    pub partition: Option<Partition>,
}

/// The smallest epsilon at which a survey is (k, epsilon)-anonymous (2.21). None where it never is: too few users.
///
/// # Errors
/// When the person asks to stop.
pub fn smallest_epsilon(
    survey: &Survey,
    k: u64,
    semantics: Semantics,
    search: Search,
    progress: &dyn Progress,
) -> Result<Option<Answer>, RatingsError> {
    over_epsilons(survey, search, |epsilon| {
        let model = Model::new(k, epsilon).with(semantics);
        let verdict = judge(survey, &model, progress)?;
        match verdict.outcome {
            Outcome::Holds => reached(survey, &model, verdict.witness, progress).map(Some),
            _ => Ok(None),
        }
    })
}

/// The smallest epsilon at which every group spreads by at least `l` in every sensitive issue (2.22). None where no groups
/// do: the data as a whole spreads by less (Cor 7.1).
///
/// Groups of a partition are those of slicing, in which nobody is left alone where that can be helped.
///
/// # Errors
/// When `l` is out of range, or the person asks to stop.
pub fn smallest_epsilon_for_l(
    survey: &Survey,
    l: f64,
    semantics: Semantics,
    search: Search,
    progress: &dyn Progress,
) -> Result<Option<Answer>, RatingsError> {
    over_epsilons(survey, search, |epsilon| {
        let model = Model::new(1, epsilon).with(semantics).with_l(l);
        let reach = model.check(survey)?;
        let (holds, witness) = match semantics {
            Semantics::Neighbourhood => (judge(survey, &model, progress)?.outcome == Outcome::Holds, None),
            Semantics::Partition => {
                let groups = partition(survey, reach, 2, progress)?;
                (judge_groups(survey, &model, &groups).outcome == Outcome::Holds, Some(groups))
            }
        };
        if holds { reached(survey, &model, witness, progress).map(Some) } else { Ok(None) }
    })
}

/// The k and the l that groups at an epsilon have.
fn reached(
    survey: &Survey,
    model: &Model,
    witness: Option<Partition>,
    progress: &dyn Progress,
) -> Result<Answer, RatingsError> {
    // An l of next to nothing has all spreads computed.
    let asked = Model { k: 1, l: f64::MIN_POSITIVE, ..*model };
    let verdict = match &witness {
        Some(groups) => judge_groups(survey, &asked, groups),
        None => judge_neighbourhoods(survey, &asked, model.check(survey)?, u64::MAX, progress)?,
    };
    Ok(Answer { epsilon: model.epsilon, k: verdict.smallest, l: verdict.least_spread, partition: witness })
}

fn over_epsilons(
    survey: &Survey,
    search: Search,
    mut at: impl FnMut(f64) -> Result<Option<Answer>, RatingsError>,
) -> Result<Option<Answer>, RatingsError> {
    let epsilons = survey.scale.epsilons();
    match search {
        Search::Scan => {
            for epsilon in epsilons {
                if let Some(answer) = at(epsilon)? {
                    return Ok(Some(answer));
                }
            }
            Ok(None)
        }
        Search::Bisection => {
            let (mut low, mut high) = (0, epsilons.len() - 1);
            let Some(mut best) = at(epsilons[high])? else { return Ok(None) };
            while low < high {
                let middle = low.midpoint(high);
                match at(epsilons[middle])? {
                    Some(answer) => (best, high) = (answer, middle),
                    None => low = middle + 1,
                }
            }
            Ok(Some(best))
        }
    }
}

/// The largest k at an epsilon (2.19): exact under neighbourhoods; under partitions the largest that was found, which is at
/// most that of the neighbourhoods (Cor 6.1).
///
/// # Errors
/// When epsilon is out of range, or the person asks to stop.
pub fn largest_k(
    survey: &Survey,
    epsilon: f64,
    semantics: Semantics,
    progress: &dyn Progress,
) -> Result<Answer, RatingsError> {
    let model = Model::new(1, epsilon).with(semantics);
    let reach = model.check(survey)?;
    let most = judge_neighbourhoods(survey, &model, reach, u64::MAX, progress)?.smallest;
    if semantics == Semantics::Neighbourhood {
        return reached(survey, &model, None, progress);
    }
    // k-decomposable for one k is so for every smaller one (Prop 6.1), so a bisection is right where decisions are.
    let (mut low, mut high) = (1, most.max(1));
    let mut best = judge(survey, &model, progress)?.witness.unwrap_or_default();
    let mut size = best.smallest() as u64;
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        let verdict = judge(survey, &Model { k: middle, ..model }, progress)?;
        match (verdict.outcome, verdict.witness) {
            (Outcome::Holds, Some(witness)) => {
                low = middle.max(verdict.smallest);
                if verdict.smallest > size {
                    (size, best) = (verdict.smallest, witness);
                }
            }
            _ => high = middle - 1,
        }
    }
    reached(survey, &model, Some(best), progress)
}
