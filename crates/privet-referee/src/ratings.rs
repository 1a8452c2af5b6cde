//! The referee of `ratings`: every promise about published ratings, computed again from the definitions (thesis 1.11).
//!
//! Ratings stay numbers here, rows are maps, and groups are compared member by member: slow and plain on purpose.

use std::collections::{BTreeMap, BTreeSet};

use privet_data::io::ReadOptions;
use privet_data::{Column, Progress, Table};
use privet_release::{Check, OpenError, Promised, Referee, ReleaseFolder, Trusted};
use serde::Deserialize;
use serde_json::Value;

const RATINGS: &str = "ratings.csv";
const GROUPS: &str = "groups.csv";
/// How far sums of decimal numbers may be off.
const ROUNDING: f64 = 1e-9;

/// The referee.
pub struct Ratings;

/// It, for the list of all.
pub const REFEREE: &dyn Referee = &Ratings;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Body {
    scale: Scale,
    users: u32,
    ratings: u64,
    has_days: bool,
    sensitive: Vec<String>,
    publication: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

impl Scale {
    fn is_one(&self) -> bool {
        self.low.is_finite() && self.high > self.low && self.high.is_finite() && self.step > 0.0
    }

    fn holds(&self, rating: f64) -> bool {
        let steps = (rating - self.low) / self.step;
        (self.low - ROUNDING..=self.high + ROUNDING).contains(&rating) && (steps - steps.round()).abs() < 1e-6
    }

    /// How far a null is from a rating (Eq 6.1): the maximum of the scale, or its length where that is more.
    fn null_distance(&self) -> f64 {
        self.high.max(self.high - self.low)
    }
}

/// What the files show: per user the ratings of items, by number of the item.
struct Published {
    body: Body,
    rows: Vec<BTreeMap<u32, f64>>,
    sensitive: BTreeSet<u32>,
    groups: Option<Vec<Vec<u32>>>,
}

impl Published {
    /// The ratings of a user that are not sensitive.
    fn open(&self, user: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let row = self.rows[user as usize].iter().map(|(&item, &rating)| (item, rating));
        row.filter(|(item, _)| !self.sensitive.contains(item))
    }

    /// Whether two users are epsilon-proximate (Def 6.1).
    fn are_proximate(&self, a: u32, b: u32, epsilon: f64) -> bool {
        let (first, second) = (&self.rows[a as usize], &self.rows[b as usize]);
        let apart = |item: u32| match (first.get(&item), second.get(&item)) {
            (Some(a), Some(b)) => (a - b).abs(),
            (None, None) => 0.0,
            _ => self.body.scale.null_distance(),
        };
        let items = self.open(a).chain(self.open(b));
        items.into_iter().all(|(item, _)| apart(item) <= epsilon + ROUNDING)
    }

    /// The least standard deviation of a sensitive item in a group (Eq 6.3); none where nobody rated one.
    fn least_deviation(&self, group: &[u32], as_zero: bool) -> Option<f64> {
        let deviations = self.sensitive.iter().filter_map(|item| {
            let ratings: Vec<f64> =
                group.iter().filter_map(|&user| self.rows[user as usize].get(item).copied()).collect();
            let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
            let nulls = (group.len() - ratings.len()) as f64;
            let sum: f64 = ratings.iter().map(|rating| (rating - mean).powi(2)).sum();
            let square = match as_zero {
                true => (sum + nulls * mean * mean) / group.len() as f64,
                false => sum / ratings.len() as f64,
            };
            (!ratings.is_empty()).then(|| square.sqrt())
        });
        deviations.reduce(f64::min)
    }
}

impl Referee for Ratings {
    fn kind(&self) -> &'static str {
        "ratings"
    }

    fn files(&self, folder: &ReleaseFolder) -> Result<Vec<String>, OpenError> {
        let mut files = vec![RATINGS.to_owned()];
        if has_groups(&body(folder)?) {
            files.push(GROUPS.to_owned());
        }
        Ok(files)
    }

    fn verify(&self, folder: &ReleaseFolder, progress: &dyn Progress) -> Result<Vec<Check>, OpenError> {
        let body = body(folder)?;
        if !body.scale.is_one() {
            return Ok(vec![Check::failed("scale", "the manifest states no scale")]);
        }
        let mut checks = Vec::new();
        let Some(published) = read(folder, body, progress, &mut checks)? else { return Ok(checks) };
        progress.stage("verifying ratings", None);
        for promised in &folder.envelope().promises {
            progress.check()?;
            let check = match promised.id.as_str() {
                "pseudonyms" => Check::passed("pseudonyms", "users are numbers"),
                "k-epsilon" => k_epsilon(&published, promised, progress)?,
                "diversity" => diversity(&published, promised, progress)?,
                _ => Check::failed("promises", "the manifest states a promise that this kind does not have"),
            };
            checks.push(check);
        }
        let promises = |id: &str| folder.envelope().promises.iter().any(|promised| promised.id == id);
        if has_groups(&published.body) != promises("k-epsilon")
            || !(promises("k-epsilon") || promises("pseudonyms"))
        {
            checks.push(Check::failed(
                "promises",
                "what the manifest promises does not fit how it says ratings were published",
            ));
        }
        Ok(checks)
    }

    fn on_trust(&self) -> &'static [Trusted] {
        &[
            Trusted {
                what: "changes",
                why: "how many ratings were moved, filled in, blanked and padded: only the original shows it",
            },
            Trusted {
                what: "sensitive items",
                why: "which items are sensitive: the owner decides, and the manifest says",
            },
        ]
    }

    fn statement(&self, promised: &Promised) -> Option<String> {
        let neighbourhood = || is_neighbourhood(promised);
        match promised.id.as_str() {
            "pseudonyms" => Some("Users are numbered. Nothing else protects them.".to_owned()),
            "k-epsilon" => {
                let (k, epsilon) = (promised.whole("k")?, promised.number("epsilon")?);
                Some(match neighbourhood()? {
                    true => format!(
                        "Every user has ratings of the same items as at least {} others, and each rating differs from theirs by at \
                         most {epsilon}; sensitive items aside.",
                        k.saturating_sub(1)
                    ),
                    false => format!(
                        "Users stand in groups of at least {k}. Within a group all have ratings of the same items, and any two \
                         ratings of an item differ by at most {epsilon}; sensitive items aside."
                    ),
                })
            }
            "diversity" => {
                let l = promised.number("l")?;
                let group = if neighbourhood()? { "Around every user" } else { "In every group" };
                counts_nulls(promised)?;
                Some(format!(
                    "{group} the ratings of each sensitive item have a standard deviation of at least {l}, or there are none."
                ))
            }
            _ => None,
        }
    }
}

fn body(folder: &ReleaseFolder) -> Result<Body, OpenError> {
    folder.envelope().body().map_err(|_| {
        folder.malformed(privet_release::MANIFEST, "the body is not that of a release of ratings")
    })
}

fn has_groups(body: &Body) -> bool {
    body.publication.get("method").and_then(Value::as_str) == Some("proximity")
}

/// Reads the files and checks what the body states; nothing where they cannot be read on.
fn read(
    folder: &ReleaseFolder,
    body: Body,
    progress: &dyn Progress,
    checks: &mut Vec<Check>,
) -> Result<Option<Published>, OpenError> {
    let table = folder.table(RATINGS, &ReadOptions::default().exactly(), progress)?;
    let missing = || {
        folder.malformed(
            RATINGS,
            "the columns are not `user`, `item` and `rating`, and `day` where days are stated",
        )
    };
    let expected: &[&str] =
        if body.has_days { &["user", "item", "rating", "day"] } else { &["user", "item", "rating"] };
    if !table.columns.iter().map(|column| column.name.as_str()).eq(expected.iter().copied()) {
        return Err(missing());
    }
    let [user, item, rating] = [&table.columns[0], &table.columns[1], &table.columns[2]];
    let numbers = whole_numbers(user).ok_or_else(|| folder.malformed(RATINGS, "a user is not a number"))?;
    let mut rows = vec![BTreeMap::new(); body.users as usize];
    let (mut repeated, mut beyond, mut off) = (0u64, 0u64, 0u64);
    for (at, &number) in numbers.iter().enumerate().take(table.rows) {
        let value = rating.domain.text(rating.codes[at]).parse::<f64>().ok();
        let value = value.filter(|&value| body.scale.holds(value));
        match (value, rows.get_mut(number as usize)) {
            (None, _) => off += 1,
            (_, None) => beyond += 1,
            (Some(value), Some(row)) => repeated += u64::from(row.insert(item.codes[at], value).is_some()),
        }
    }
    let passed = repeated + beyond + off == 0;
    checks.push(match passed {
        true => Check::passed("ratings", format!("{} ratings, all on the scale, each of a user and an item once", table.rows)),
        false => Check::failed(
            "ratings",
            format!("{off} are off the scale, {beyond} of users beyond the stated number, {repeated} repeat a user and an item"),
        ),
    });
    checks.push(match body.ratings == table.rows as u64 {
        true => Check::passed("size", format!("{} ratings of {} users, as stated", body.ratings, body.users)),
        false => Check::failed("size", "the file holds another number of ratings than the manifest states"),
    });
    let wanted: BTreeSet<&str> = body.sensitive.iter().map(String::as_str).collect();
    let sensitive =
        (0..item.domain.len() as u32).filter(|&code| wanted.contains(item.domain.text(code))).collect();
    let groups = if has_groups(&body) { Some(groups(folder, &body, progress, checks)?) } else { None };
    Ok(passed.then_some(Published { body, rows, sensitive, groups }))
}

fn whole_numbers(column: &Column) -> Option<Vec<u32>> {
    let of_code: Option<Vec<u32>> = column.domain.texts().iter().map(|text| text.parse().ok()).collect();
    let of_code = of_code?;
    Some(column.codes.iter().map(|&code| of_code[code as usize]).collect())
}

fn groups(
    folder: &ReleaseFolder,
    body: &Body,
    progress: &dyn Progress,
    checks: &mut Vec<Check>,
) -> Result<Vec<Vec<u32>>, OpenError> {
    let table: Table = folder.table(GROUPS, &ReadOptions::default().exactly(), progress)?;
    let malformed = || folder.malformed(GROUPS, "the columns are not `user` and `group`, with numbers");
    let (Some(user), Some(group)) = (table.column("user"), table.column("group")) else {
        return Err(malformed());
    };
    let users = whole_numbers(user).ok_or_else(malformed)?;
    let numbers = whole_numbers(group).ok_or_else(malformed)?;
    let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut seen = vec![0u32; body.users as usize];
    let mut beyond = 0;
    for (&user, &group) in users.iter().zip(&numbers) {
        match seen.get_mut(user as usize) {
            Some(seen) => *seen += 1,
            None => beyond += 1,
        }
        if user < body.users {
            members.entry(group).or_default().push(user);
        }
    }
    let groups: Vec<Vec<u32>> = members.into_values().collect();
    let once = beyond == 0 && seen.iter().all(|&count| count == 1);
    checks.push(match once {
        true => Check::passed("groups", format!("every user stands in one of {} groups", groups.len())),
        false => {
            Check::failed("groups", "a user stands in no group, in several, or is not one of the release")
        }
    });
    let stated = body.publication.get("groups").and_then(Value::as_u64);
    if stated != Some(groups.len() as u64) {
        checks.push(Check::failed("groups", "the manifest states another number of groups"));
    }
    Ok(groups)
}

fn is_neighbourhood(promised: &Promised) -> Option<bool> {
    match promised.word("semantics")? {
        "neighbourhood" => Some(true),
        "partition" => Some(false),
        _ => None,
    }
}

/// Whether nulls count as zero.
fn counts_nulls(promised: &Promised) -> Option<bool> {
    match promised.word("nulls")? {
        "as-zero" => Some(true),
        "skip" => Some(false),
        _ => None,
    }
}

/// Users whose open items are the same, in the order of their numbers. Others are proximate only where epsilon reaches across
/// nulls, and then everybody is.
fn same_items(published: &Published, epsilon: f64) -> Vec<Vec<u32>> {
    let users = 0..published.rows.len() as u32;
    if epsilon + ROUNDING >= published.body.scale.null_distance() {
        return vec![users.collect()];
    }
    let mut by_items: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for user in users {
        by_items.entry(published.open(user).map(|(item, _)| item).collect()).or_default().push(user);
    }
    by_items.into_values().collect()
}

/// Comparisons of two users that are made for one promise; more would take hours.
const MOST: u64 = 5_000_000_000;

/// The users within epsilon of each user, the user included, by the definition. False where that takes too many comparisons.
fn neighbourhoods(
    published: &Published,
    epsilon: f64,
    progress: &dyn Progress,
    each: &mut dyn FnMut(&[u32]),
) -> Result<bool, OpenError> {
    let mut compared = 0u64;
    for users in same_items(published, epsilon) {
        let windows = Windows::new(published, users, epsilon);
        for place in 0..windows.users.len() {
            progress.check()?;
            let around = windows.around(place);
            compared = compared.saturating_add(around.len() as u64);
            if compared > MOST {
                return Ok(false);
            }
            let user = windows.users[place].1;
            let is_near = |own: &&(f64, u32)| published.are_proximate(user, own.1, epsilon);
            let mut near: Vec<u32> = around.iter().filter(is_near).map(|own| own.1).collect();
            near.sort_unstable();
            each(&near);
        }
    }
    Ok(true)
}

/// Users in the order of their ratings of one item: whoever is within epsilon in all items is so in this one.
struct Windows {
    users: Vec<(f64, u32)>,
    epsilon: f64,
}

impl Windows {
    /// The item is the one whose most frequent rating is rarest, so that windows are short. Users have the same items, or epsilon reaches
    /// across nulls and nothing is left out.
    fn new(published: &Published, users: Vec<u32>, epsilon: f64) -> Self {
        let all = |users: Vec<u32>| users.into_iter().map(|user| (0.0, user)).collect();
        if epsilon + ROUNDING >= published.body.scale.null_distance() {
            return Self { users: all(users), epsilon };
        }
        let mut counts: BTreeMap<u32, BTreeMap<u64, u64>> = BTreeMap::new();
        for &user in &users {
            for (item, rating) in published.open(user) {
                *counts.entry(item).or_default().entry(rating.to_bits()).or_default() += 1;
            }
        }
        let most = |own: &BTreeMap<u64, u64>| own.values().copied().max().unwrap_or(0);
        let Some((&item, _)) = counts.iter().min_by_key(|(_, own)| most(own)) else {
            return Self { users: all(users), epsilon };
        };
        let rating = |user: u32| published.rows[user as usize].get(&item).copied().unwrap_or(0.0);
        let mut users: Vec<(f64, u32)> = users.into_iter().map(|user| (rating(user), user)).collect();
        users.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Self { users, epsilon }
    }

    /// The users who may be within epsilon of the one at a place.
    fn around(&self, place: usize) -> &[(f64, u32)] {
        let (own, reach) = (self.users[place].0, self.epsilon + 2.0 * ROUNDING);
        let from = self.users.partition_point(|other| other.0 < own - reach);
        let to = self.users.partition_point(|other| other.0 <= own + reach);
        &self.users[from..to]
    }
}

/// Whether every user has `k` users within epsilon, the user included. Users with near numbers are compared first, because makers number
/// groups one after the other; the comparison ends at the k-th, or with the first user who has too few.
fn all_have(published: &Published, k: u64, epsilon: f64, progress: &dyn Progress) -> Result<bool, OpenError> {
    for users in same_items(published, epsilon) {
        for (place, &user) in users.iter().enumerate() {
            progress.check()?;
            let (before, after) = (users[..place].iter().rev(), users[place + 1..].iter());
            let mut found = 1;
            let (mut before, mut after) = (before.copied(), after.copied());
            while found < k {
                let pair = [after.next(), before.next()];
                if pair == [None, None] {
                    return Ok(false);
                }
                let near =
                    pair.into_iter().flatten().filter(|&own| published.are_proximate(user, own, epsilon));
                found += near.count() as u64;
            }
        }
    }
    Ok(true)
}

fn k_epsilon(
    published: &Published,
    promised: &Promised,
    progress: &dyn Progress,
) -> Result<Check, OpenError> {
    const NAME: &str = "k-epsilon";
    let parameters = (promised.whole("k"), promised.number("epsilon"), is_neighbourhood(promised));
    let (Some(k), Some(epsilon), Some(neighbourhood)) = parameters else {
        return Ok(Check::failed(NAME, "the promise lacks k, epsilon or what a group is"));
    };
    let mut smallest = u64::MAX;
    if neighbourhood {
        let holds = !published.rows.is_empty() && all_have(published, k, epsilon, progress)?;
        // The maker counts up to k.
        smallest = if holds { k.max(1) } else { 0 };
    } else {
        for group in published.groups.iter().flatten() {
            progress.check()?;
            smallest = smallest.min(group.len() as u64);
            for (at, &a) in group.iter().enumerate() {
                if let Some(b) = group[at + 1..].iter().find(|&&b| !published.are_proximate(a, b, epsilon)) {
                    let detail =
                        format!("users {a} and {b} stand in one group and are further apart than {epsilon}");
                    return Ok(Check::failed(NAME, detail));
                }
            }
        }
    }
    if smallest == u64::MAX || smallest < k {
        return Ok(Check::failed(NAME, format!("a group has fewer than {k} users")));
    }
    Ok(match promised.reached == Some(smallest as f64) {
        true => Check::passed(NAME, format!("the smallest group has {smallest} users within {epsilon}")),
        false => Check::failed(NAME, "the manifest states another size of the smallest group"),
    })
}

fn diversity(
    published: &Published,
    promised: &Promised,
    progress: &dyn Progress,
) -> Result<Check, OpenError> {
    const NAME: &str = "diversity";
    let parameters = (
        promised.number("l"),
        promised.number("epsilon"),
        is_neighbourhood(promised),
        counts_nulls(promised),
    );
    let (Some(l), Some(epsilon), Some(neighbourhood), Some(as_zero)) = parameters else {
        return Ok(Check::failed(NAME, "the promise lacks l, epsilon, what a group is or how nulls count"));
    };
    let mut least = f64::INFINITY;
    let mut look =
        |group: &[u32]| least = least.min(published.least_deviation(group, as_zero).unwrap_or(f64::INFINITY));
    if neighbourhood {
        if !neighbourhoods(published, epsilon, progress, &mut look)? {
            let detail = format!(
                "deciding takes more than {MOST} comparisons; publish disjoint groups (`semantics = \"partition\"`)"
            );
            return Ok(Check::failed(NAME, detail));
        }
    } else {
        published.groups.iter().flatten().for_each(|group| look(group));
    }
    Ok(match least + ROUNDING >= l {
        true if least.is_finite() => {
            Check::passed(NAME, format!("the least standard deviation is {least:.3}"))
        }
        true => Check::passed(NAME, "no sensitive rating is published"),
        false => Check::failed(NAME, format!("a standard deviation is {least:.3}, below {l}")),
    })
}
