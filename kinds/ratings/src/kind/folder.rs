//! From a job to the files of a release, and back.

use std::io::Write;
use std::path::Path;

use privet_data::Progress;
use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_kind::{JobFile, KindError, Original, Outcome, OwnerFiles, Views};
use privet_release::{Draft, Promised, Randomness, ReleaseFolder};
use serde::{Deserialize, Serialize};

use super::job::{Method, Settings, read_input};
use crate::publish::{Completion, Distortion, Reconcile, publish};
use crate::write::quoted;
use crate::{
    Model, NullRule, Partition, Ratings, RatingsInput, RatingsOptions, Row, Scale, judge, read, survey,
    write_triples,
};

pub(super) const RATINGS: &str = "ratings.csv";
pub(super) const GROUPS: &str = "groups.csv";
const WHO: &str = "who.csv";

/// What a release of ratings states besides its promises.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Body {
    pub scale: Scale,
    pub users: u32,
    pub ratings: u64,
    pub has_days: bool,
    /// The sensitive items, by name.
    pub sensitive: Vec<String>,
    pub publication: Stated,
}

/// How the ratings were published.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "method")]
pub(super) enum Stated {
    /// Numbers for users and nothing else.
    Pseudonyms {},
    /// Groups within epsilon.
    #[serde(rename_all = "kebab-case")]
    Proximity {
        null_rule: NullRule,
        completion: Completion,
        reconcile: Reconcile,
        groups: u64,
        /// Cells that padding filled before groups were formed.
        padded: u64,
        distortion: Distortion,
    },
}

/// What a release shows: its ratings, users by number, and its groups.
#[derive(Debug, Clone)]
pub struct PublishedRatings {
    /// The ratings; the name of a user is the number.
    pub ratings: Ratings,
    /// The groups; none under plain pseudonyms.
    pub groups: Option<Partition>,
    pub(super) body: Body,
    /// What is promised; none under plain pseudonyms.
    pub(super) model: Option<Model>,
}

/// The original of a release, and the row of the release that is each user's.
#[derive(Debug, Clone)]
pub struct OriginalRatings {
    /// The ratings.
    pub ratings: Ratings,
    /// Per user the row of the release; none where the owner does not know who is who.
    pub row_of: Option<Vec<u32>>,
}

impl Original for OriginalRatings {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }
}

pub(super) fn make(job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
    let settings: Settings = job.section("ratings")?;
    let input = read_input(job, progress)?;
    match settings.method {
        Method::Pseudonyms => pseudonyms(input, draft),
        Method::Proximity => proximity(&settings, input, draft, progress),
    }
}

fn pseudonyms(input: RatingsInput, draft: &Draft) -> Result<Outcome, KindError> {
    let users = input.ratings.users().len() as u32;
    let groups = (0..users).map(|user| vec![user]).collect();
    let (number_of, _) = numbering(&input.ratings, groups);
    write_ratings(draft, &input.ratings, &number_of)?;
    let body = body(&input.ratings, &input.ratings, Stated::Pseudonyms {});
    let mut summary = read_summary(&input);
    summary.push(("published".to_owned(), "all ratings, users by number".to_owned()));
    finish(&input, &number_of, body, vec![Promised::new("pseudonyms")], Randomness::None, summary)
}

fn proximity(
    settings: &Settings,
    input: RatingsInput,
    draft: &Draft,
    progress: &dyn Progress,
) -> Result<Outcome, KindError> {
    let (plan, null_rule) = (settings.plan(), settings.null_rule()?);
    let survey = survey(&input.ratings, null_rule)?;
    let publication = publish(&survey, &plan, progress)?;
    if !publication.keeps(&plan.model, progress)? {
        return Err(KindError::refused("the groups do not keep the promise; no release was written"));
    }
    let verdict = judge(&publication.survey, &plan.model.with(crate::Semantics::Neighbourhood), progress)?;
    let published = publication.ratings(&input.ratings)?;
    let smallest = publication.partition.smallest();
    let count = publication.partition.groups.len() as u64;
    let (number_of, group_of) = numbering(&published, publication.partition.groups);
    write_ratings(draft, &published, &number_of)?;
    write_groups(draft, &group_of)?;
    let distortion = publication.distortion;
    let model = plan.model;
    let mut promises = vec![
        Promised::new("k-epsilon")
            .with("k", model.k)
            .with("epsilon", model.epsilon)
            .with("semantics", serde_json::to_value(model.semantics).unwrap_or_default())
            .reaching(match model.semantics {
                crate::Semantics::Partition => smallest as f64,
                crate::Semantics::Neighbourhood => verdict.smallest as f64,
            }),
    ];
    if model.l > 0.0 {
        promises.push(
            Promised::new("diversity")
                .with("l", model.l)
                .with("epsilon", model.epsilon)
                .with("semantics", serde_json::to_value(model.semantics).unwrap_or_default())
                .with("nulls", serde_json::to_value(model.nulls).unwrap_or_default()),
        );
    }
    let stated = Stated::Proximity {
        null_rule,
        completion: plan.completion,
        reconcile: plan.reconcile,
        groups: count,
        padded: survey.padded,
        distortion,
    };
    let body = body(&published, &input.ratings, stated);
    let mut summary = read_summary(&input);
    summary.extend([
        ("published".to_owned(), format!("{} ratings of {} items", published.len(), published.items().len())),
        ("groups".to_owned(), format!("{count}, the smallest of {smallest} users")),
        (
            "changed".to_owned(),
            format!(
                "{} ratings moved, {} filled in, {} blanked, {} sensitive ones blanked, {} padded",
                distortion.changed,
                distortion.filled,
                distortion.blanked,
                distortion.sensitive_blanked,
                survey.padded
            ),
        ),
    ]);
    finish(&input, &number_of, body, promises, Randomness::Seeded, summary)
}

fn read_summary(input: &RatingsInput) -> Vec<(String, String)> {
    let ratings = &input.ratings;
    let size = format!(
        "{} ratings of {} items by {} users",
        ratings.len(),
        ratings.items().len(),
        ratings.users().len()
    );
    let mut summary = vec![("read".to_owned(), size)];
    let repairs = input.repairs;
    let repaired = [
        (repairs.repeated, "ratings replaced by a later one of the same user and item"),
        (repairs.unrated, "rows without a rating left out"),
        (repairs.empty_users, "users without a rating left out"),
    ];
    for (count, what) in repaired.into_iter().filter(|(count, _)| *count > 0) {
        summary.push(("repaired".to_owned(), format!("{count} {what}")));
    }
    summary
}

fn finish(
    input: &RatingsInput,
    number_of: &[u32],
    body: Body,
    promises: Vec<Promised>,
    randomness: Randomness,
    summary: Vec<(String, String)>,
) -> Result<Outcome, KindError> {
    let mut who = String::from("user,number\n");
    for (user, number) in input.ratings.users().iter().zip(number_of) {
        who.push_str(&format!("{},{number}\n", quoted(user)));
    }
    let body = serde_json::to_value(body)
        .map_err(|_| KindError::bad_input("the manifest cannot be written: a number is not finite"))?;
    let owner = OwnerFiles::default().with(WHO, who.into_bytes());
    Ok(Outcome { body, promises, randomness, owner, summary })
}

fn body(published: &Ratings, original: &Ratings, publication: Stated) -> Body {
    let sensitive = (0..published.items().len() as u32).filter(|&item| published.is_sensitive(item));
    Body {
        scale: original.scale(),
        users: original.users().len() as u32,
        ratings: published.len() as u64,
        has_days: published.has_days(),
        sensitive: sensitive.map(|item| published.items()[item as usize].to_string()).collect(),
        publication,
    }
}

/// Numbers users by what is published of them: within a group by their rows, groups by the rows of their users. Returned
/// are the number of each user and, per number, the group.
fn numbering(published: &Ratings, mut groups: Vec<Vec<u32>>) -> (Vec<u32>, Vec<u32>) {
    let key = |user: u32| -> (&[u32], &[u8], Option<&[i32]>) {
        let Row { of, ticks, days } = published.row(user);
        (of, ticks, days)
    };
    for group in &mut groups {
        group.sort_by(|&a, &b| key(a).cmp(&key(b)));
    }
    groups.sort_by(|a, b| a.iter().map(|&user| key(user)).cmp(b.iter().map(|&user| key(user))));
    let mut number_of = vec![0; published.users().len()];
    let mut group_of = Vec::with_capacity(number_of.len());
    for (group, at) in groups.iter().zip(0u32..) {
        for &user in group {
            number_of[user as usize] = group_of.len() as u32;
            group_of.push(at);
        }
    }
    (number_of, group_of)
}

fn write_ratings(draft: &Draft, ratings: &Ratings, number_of: &[u32]) -> Result<(), KindError> {
    let mut file = draft.create(RATINGS)?;
    write_triples(&mut file, ratings, number_of)
        .map_err(|error| KindError::io(Path::new(RATINGS), &error))?;
    file.finish()?;
    Ok(())
}

fn write_groups(draft: &Draft, group_of: &[u32]) -> Result<(), KindError> {
    let mut text = String::from("user,group\n");
    for (number, group) in group_of.iter().enumerate() {
        text.push_str(&format!("{number},{group}\n"));
    }
    let mut file = draft.create(GROUPS)?;
    file.write_all(text.as_bytes()).map_err(|error| KindError::io(Path::new(GROUPS), &error))?;
    file.finish()?;
    Ok(())
}

pub(super) fn open(folder: &ReleaseFolder, progress: &dyn Progress) -> Result<PublishedRatings, KindError> {
    let body: Body = folder.envelope().body()?;
    let options = RatingsOptions {
        user: Some("user".into()),
        item: Some("item".into()),
        rating: Some("rating".into()),
        time: body.has_days.then(|| "day".into()),
        scale: Some(body.scale),
        ..RatingsOptions::default()
    };
    let input = read(&folder.file(RATINGS)?, &options, progress)?;
    let malformed = |file, problem: &str| KindError::from(folder.malformed(file, problem));
    if input.repairs != crate::Repairs::default() || input.ratings.len() as u64 != body.ratings {
        return Err(malformed(RATINGS, "the file holds other ratings than the manifest states"));
    }
    let numbers: Option<Vec<u32>> = input.ratings.users().iter().map(|name| name.parse().ok()).collect();
    let numbers = numbers.ok_or_else(|| malformed(RATINGS, "a user is not a number"))?;
    let mut ratings = input
        .ratings
        .spread_users(body.users, &numbers)
        .ok_or_else(|| malformed(RATINGS, "the numbers of users are not those that the manifest states"))?;
    let known: foldhash::HashSet<&str> = ratings.items().iter().map(|item| &**item).collect();
    // A sensitive item may have lost all its ratings.
    let sensitive: Vec<&String> =
        body.sensitive.iter().filter(|name| known.contains(name.as_str())).collect();
    let sensitive: Vec<String> = sensitive.into_iter().cloned().collect();
    ratings.set_sensitive(sensitive.iter().map(String::as_str))?;
    let groups = match body.publication {
        Stated::Pseudonyms {} => None,
        Stated::Proximity { .. } => Some(read_groups(folder, &body, progress)?),
    };
    let model = promised(&folder.envelope().promises);
    Ok(PublishedRatings { ratings, groups, body, model })
}

/// The model that a manifest promises.
fn promised(promises: &[Promised]) -> Option<Model> {
    let of = |id: &str| promises.iter().find(|own| own.id == id);
    let word = |own: &Promised, name: &str| own.word(name).map(serde_json::Value::from);
    let groups = of("k-epsilon")?;
    let semantics = serde_json::from_value(word(groups, "semantics")?).ok()?;
    let model = Model::new(groups.whole("k")?, groups.number("epsilon")?).with(semantics);
    let Some(diversity) = of("diversity") else { return Some(model) };
    let nulls = serde_json::from_value(word(diversity, "nulls")?).ok()?;
    Some(Model { l: diversity.number("l")?, nulls, ..model })
}

fn read_groups(folder: &ReleaseFolder, body: &Body, progress: &dyn Progress) -> Result<Partition, KindError> {
    let table = folder.table(GROUPS, &ReadOptions::default().exactly(), progress)?;
    let malformed = |problem: &str| KindError::from(folder.malformed(GROUPS, problem));
    let (Some(users), Some(groups)) = (table.column("user"), table.column("group")) else {
        return Err(malformed("the columns `user` and `group` are missing"));
    };
    let mut members: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
    for (&user, &group) in users.codes.iter().zip(&groups.codes) {
        let parse =
            |text: &str| text.parse::<u32>().map_err(|_| malformed("a user or a group is not a number"));
        let (user, group) = (parse(users.domain.text(user))?, parse(groups.domain.text(group))?);
        if user >= body.users {
            return Err(malformed("a user has a number that the manifest does not allow"));
        }
        members.entry(group).or_default().push(user);
    }
    Ok(Partition::new(members.into_values().collect()))
}

pub(super) fn original(
    job: &JobFile,
    owner: &OwnerFiles,
    progress: &dyn Progress,
) -> Result<OriginalRatings, KindError> {
    let input = read_input(job, progress)?;
    let Some(bytes) = owner.get(WHO) else {
        return Ok(OriginalRatings { ratings: input.ratings, row_of: None });
    };
    let wrong = || {
        KindError::bad_input(
            "who.csv does not fit the input; it is the one that `anonymize` wrote for this job",
        )
    };
    let table = read_csv_bytes(bytes, &ReadOptions::default().exactly())?.table;
    let (Some(users), Some(numbers)) = (table.column("user"), table.column("number")) else {
        return Err(wrong());
    };
    let place: foldhash::HashMap<&str, usize> =
        input.ratings.users().iter().enumerate().map(|(at, name)| (&**name, at)).collect();
    let mut row_of = vec![u32::MAX; place.len()];
    for (&user, &number) in users.codes.iter().zip(&numbers.codes) {
        let at = place.get(users.domain.text(user)).ok_or_else(wrong)?;
        row_of[*at] = numbers.domain.text(number).parse().map_err(|_| wrong())?;
    }
    if row_of.contains(&u32::MAX) {
        return Err(wrong());
    }
    Ok(OriginalRatings { ratings: input.ratings, row_of: Some(row_of) })
}
