//! Publication by graph modification (thesis 2.16, Problem 6.2): groups are chosen, and each is made a clique.
//!
//! Guarantee: the published survey is (k, epsilon, l)-anonymous as asked, with the groups as a witness, whatever the
//! search came to; distortion is what the search tries to keep small.
//!
//! 1. Slicing keeps what already is a group (case 1).
//! 2. Users left over in one Hamming group are merged there (case 2).
//! 3. What is left is grouped across Hamming groups, or borrows from groups of more than k (case 3).
//! 4. A local search moves and exchanges users while that lowers the distortion; up to [`exact::MOST`] users the choice is
//!    exact instead.
//! 5. Each group is completed to a clique, issue by issue ([`rules`]).
//! 6. Sensitive ratings of a group that spread by less than l are blanked. Nothing else happens to sensitive ratings.
//!
//! Defect 14, decided: where a group holds nulls and ratings of one issue, either the ratings are blanked or the nulls are
//! filled with the group's mean, whichever distorts less (or as the job says); each cell that becomes or ceases to be a null
//! counts `r`, its distance by Eq 6.1. The thesis' figures count such a cell as if null were 0. Filled cells are not marked
//! in the release, because the marks would be the flag rows that the groups hide; their number is published.

pub mod exact;
mod grouping;
mod improve;
pub mod rules;

use privet_data::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::decide::Model;
use crate::{NULL, Partition, Ratings, RatingsError, Reach, Semantics, Sensitive, Survey, Triples, judge};

/// How the ratings of an issue are brought within epsilon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Completion {
    /// Ratings outside of the best window of length epsilon move to its nearer end: the least distortion there is.
    #[default]
    Window,
    /// The rules of 2.17, which keep the sum of an issue in a group until the end of the scale is met.
    Centroid,
}

/// What happens to an issue that some of a group rated and others did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reconcile {
    /// Whichever distorts less.
    #[default]
    Cheapest,
    /// Ratings are blanked: nothing is published that nobody gave.
    Blank,
    /// Nulls are filled with the group's mean.
    Fill,
}

/// How to publish.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The promise.
    pub model: Model,
    /// How ratings are brought within epsilon.
    pub completion: Completion,
    /// What happens to nulls beside ratings.
    pub reconcile: Reconcile,
    /// Attempts of the local search per user.
    pub effort: u32,
    /// The seed of the local search. No promise rests on it.
    pub seed: u64,
}

impl Plan {
    /// The usual way to keep a promise.
    pub fn new(model: Model) -> Self {
        Self {
            model,
            completion: Completion::default(),
            reconcile: Reconcile::default(),
            effort: 100,
            seed: 1,
        }
    }
}

/// What a publication changed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Distortion {
    /// Ratings that became other ratings.
    pub changed: u64,
    /// Nulls that became ratings.
    pub filled: u64,
    /// Ratings that became nulls.
    pub blanked: u64,
    /// Sensitive ratings that became nulls.
    pub sensitive_blanked: u64,
    /// The sum of all dissimilarities between cells before and after, in units of ratings.
    pub total: f64,
}

/// A survey that keeps its promise.
#[derive(Debug, Clone)]
pub struct Publication {
    /// The published survey; users as before.
    pub survey: Survey,
    /// The groups.
    pub partition: Partition,
    /// What was changed.
    pub distortion: Distortion,
}

/// The sizes that the search for groups works with, in ticks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pricing {
    pub reach: Reach,
    pub k: usize,
    /// What a cell costs that becomes or ceases to be a null.
    pub null: u64,
    pub reconcile: Reconcile,
    pub completion: Completion,
    pub model: Model,
}

impl Pricing {
    fn new(survey: &Survey, plan: &Plan) -> Result<Self, RatingsError> {
        let reach = plan.model.check(survey)?;
        let null = (survey.scale.null_distance() / survey.scale.step()).round() as u64;
        let k = usize::try_from(plan.model.k).unwrap_or(usize::MAX);
        Ok(Self { reach, k, null, reconcile: plan.reconcile, completion: plan.completion, model: plan.model })
    }
}

/// Publishes a survey.
///
/// # Errors
/// When the model is out of range, there are fewer users than k, or the person asks to stop.
pub fn publish(survey: &Survey, plan: &Plan, progress: &dyn Progress) -> Result<Publication, RatingsError> {
    let pricing = Pricing::new(survey, plan)?;
    let users = survey.users();
    if users < pricing.k {
        return Err(RatingsError::Unreachable { k: plan.model.k, users: users as u64 });
    }
    progress.stage("grouping users", None);
    let partition = if users <= exact::MOST {
        exact::groups(survey, &pricing, progress)?
    } else {
        let first = grouping::groups(survey, &pricing, progress)?;
        improve::improve(survey, &pricing, first, plan.effort, plan.seed, progress)?
    };
    progress.stage("completing groups", None);
    let mut publication = complete(survey, &pricing, partition);
    if plan.model.l > 0.0 && plan.model.semantics == Semantics::Neighbourhood {
        spread_neighbourhoods(&mut publication, plan, progress)?;
    }
    Ok(publication)
}

/// Makes every group a clique.
pub(crate) fn complete(survey: &Survey, pricing: &Pricing, partition: Partition) -> Publication {
    let users = survey.users();
    let done: Vec<(Vec<rules::CompletedRow>, Distortion)> =
        partition.groups.par_iter().map(|group| rules::complete_group(survey, group, pricing)).collect();
    let mut rows: Vec<Option<rules::CompletedRow>> = vec![None; users];
    let mut distortion = Distortion::default();
    let mut sensitive = survey.sensitive.clone();
    for (group, (completed, change)) in partition.groups.iter().zip(done) {
        for (&user, row) in group.iter().zip(completed) {
            rows[user as usize] = Some(row);
        }
        distortion.add(&change);
        let blanked = blank_uniform(survey, &mut sensitive, group, pricing);
        distortion.sensitive_blanked += blanked;
        distortion.total += blanked as f64 * survey.scale.null_distance();
    }
    let (mut starts, mut issue, mut tick) = (vec![0], Vec::new(), Vec::new());
    for row in rows.into_iter().flatten() {
        issue.extend_from_slice(&row.issues);
        tick.extend_from_slice(&row.ticks);
        starts.push(issue.len());
    }
    let published = Survey {
        scale: survey.scale,
        starts,
        issue,
        tick,
        issues: survey.issues.clone(),
        sensitive,
        padded: survey.padded,
    };
    Publication { survey: published, partition, distortion }
}

impl Distortion {
    fn add(&mut self, other: &Self) {
        self.changed += other.changed;
        self.filled += other.filled;
        self.blanked += other.blanked;
        self.sensitive_blanked += other.sensitive_blanked;
        self.total += other.total;
    }
}

/// Blanks the sensitive issues of a group that spread by too little; returns how many ratings.
fn blank_uniform(survey: &Survey, sensitive: &mut Sensitive, group: &[u32], pricing: &Pricing) -> u64 {
    let mut blanked = 0;
    for issue in 0..sensitive.items.len() {
        if pricing.lacks_spread(survey, group, issue) {
            for &user in group {
                blanked += blank(sensitive, user, issue);
            }
        }
    }
    blanked
}

fn blank(sensitive: &mut Sensitive, user: u32, issue: usize) -> u64 {
    let at = user as usize * sensitive.items.len() + issue;
    u64::from(std::mem::replace(&mut sensitive.cells[at], NULL) != NULL)
}

impl Pricing {
    /// Whether the ratings of a sensitive issue in a group spread by less than l.
    fn lacks_spread(&self, survey: &Survey, group: &[u32], issue: usize) -> bool {
        if self.model.l <= 0.0 {
            return false;
        }
        let ticks = group.iter().map(|&user| survey.sensitive.cell(user, issue));
        let spread = crate::spread(survey.scale, ticks, self.model.nulls);
        spread.is_some_and(|spread| spread + 1e-9 < self.model.l)
    }
}

/// Neighbourhoods overlap, so that blanking one may leave another with too little: repeated until all hold. Each round
/// blanks at least one rating, and without ratings everything holds.
fn spread_neighbourhoods(
    publication: &mut Publication,
    plan: &Plan,
    progress: &dyn Progress,
) -> Result<(), RatingsError> {
    let reach = plan.model.check(&publication.survey)?;
    let pricing = Pricing::new(&publication.survey, plan)?;
    loop {
        progress.check()?;
        let survey = publication.survey.clone();
        let mut blanked = 0;
        for hamming in crate::hamming_groups(&survey, reach) {
            let points = crate::Points::of(&survey, &hamming);
            let sorted = crate::Slicing::new(&points, reach.ticks);
            for point in 0..points.len() as u32 {
                let near = crate::Neighbours::list(&sorted, point);
                let group: Vec<u32> = near.iter().flat_map(|&point| points.members(point)).copied().collect();
                blanked += blank_uniform(&survey, &mut publication.survey.sensitive, &group, &pricing);
            }
        }
        publication.distortion.sensitive_blanked += blanked;
        publication.distortion.total += blanked as f64 * survey.scale.null_distance();
        if blanked == 0 {
            return Ok(());
        }
    }
}

impl Publication {
    /// Whether the published survey keeps the promise, decided from the survey and the groups alone.
    ///
    /// # Errors
    /// When the model is out of range, or the person asks to stop.
    pub fn keeps(&self, model: &Model, progress: &dyn Progress) -> Result<bool, RatingsError> {
        let reach = model.check(&self.survey)?;
        let mut seen = vec![false; self.survey.users()];
        for group in &self.partition.groups {
            for &user in group {
                if std::mem::replace(&mut seen[user as usize], true) {
                    return Ok(false);
                }
            }
            let spread = crate::decide::group_spread(&self.survey, group, model.nulls);
            let diverse = model.l <= 0.0 || spread.is_none_or(|spread| spread + 1e-9 >= model.l);
            let diverse = diverse || model.semantics == Semantics::Neighbourhood;
            if (group.len() as u64) < model.k || !crate::is_clique(&self.survey, group, reach) || !diverse {
                return Ok(false);
            }
        }
        let covered = seen.into_iter().all(|seen| seen);
        Ok(match model.semantics {
            Semantics::Partition => covered,
            Semantics::Neighbourhood => {
                covered && judge(&self.survey, model, progress)?.outcome == crate::Outcome::Holds
            }
        })
    }

    /// The published ratings: the issues and the sensitive items, users as before, without days.
    ///
    /// # Errors
    /// When the survey was not made from these ratings.
    pub fn ratings(&self, original: &Ratings) -> Result<Ratings, RatingsError> {
        survey_ratings(&self.survey, original)
    }
}

/// The ratings that a survey holds, users as before, without days. Items keep their names and stand in their old order.
///
/// # Errors
/// When the survey was not made from these ratings.
pub fn survey_ratings(survey: &Survey, original: &Ratings) -> Result<Ratings, RatingsError> {
    let mut kept: Vec<u32> = survey.issues.iter().chain(&survey.sensitive.items).copied().collect();
    kept.sort_unstable();
    let beyond = kept.last().is_some_and(|&item| item as usize >= original.items().len());
    if beyond || survey.users() != original.users().len() {
        return Err(RatingsError::Mismatch { what: "the survey was not made from these ratings" });
    }
    let mut place = vec![0u32; original.items().len()];
    kept.iter().zip(0..).for_each(|(&item, at)| place[item as usize] = at);
    let mut triples = Triples::default();
    for user in 0..survey.users() as u32 {
        let (issues, ticks) = survey.row(user);
        let open = issues.iter().zip(ticks).map(|(&issue, &tick)| (survey.issues[issue as usize], tick));
        let secret = survey.sensitive.items.iter().copied().zip(survey.sensitive.row(user).iter().copied());
        for (item, tick) in open.chain(secret).filter(|(_, tick)| *tick != NULL) {
            triples.users.push(user);
            triples.items.push(place[item as usize]);
            triples.ticks.push(tick);
        }
    }
    let items: Vec<Box<str>> = kept.iter().map(|&item| original.items()[item as usize].clone()).collect();
    let sensitive: Vec<&str> =
        survey.sensitive.items.iter().map(|&item| &*original.items()[item as usize]).collect();
    let (mut ratings, _) = Ratings::from_triples(survey.scale, original.users().to_vec(), items, triples)?;
    ratings.set_sensitive(sensitive)?;
    Ok(ratings)
}
