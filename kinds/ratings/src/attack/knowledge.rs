//! What an adversary knows: a few ratings of a person, some of them wrong, with rough dates or without.
//!
//! Narayanan and Shmatikov (2008): eight ratings, two of which may be completely wrong, with dates that may be off by
//! fourteen days. Sensitive ratings are never known.

use privet_data::Random;
use serde::{Deserialize, Serialize};

use super::Released;

/// How much is known of a person.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Knowledge {
    /// How many ratings.
    pub known: u32,
    /// How many of them are wrong: another rating on another day.
    pub wrong: u32,
    /// By how much the others are off at most, in units of ratings.
    pub rating_error: f64,
    /// By how many days dates are off at most; none where dates are not known.
    pub days: Option<u32>,
}

impl Default for Knowledge {
    fn default() -> Self {
        Self { known: 8, wrong: 2, rating_error: 0.0, days: Some(14) }
    }
}

/// One rating that the adversary believes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The item of the original.
    pub item: u32,
    /// The item of the release; none where it is not published.
    pub published: Option<u32>,
    /// The rating.
    pub tick: u8,
    /// The day.
    pub day: Option<i32>,
}

/// A person who is attacked, and what is known of them.
#[derive(Debug, Clone)]
pub struct Target {
    /// The user of the original.
    pub user: u32,
    /// The row of the release that is theirs.
    pub row: u32,
    /// What is known.
    pub known: Vec<Known>,
}

/// Draws people with enough ratings, and what is known of each. Known are ratings of items that are published wherever there
/// are enough of them: the stronger adversary.
pub fn targets(on: &Released<'_>, knowledge: &Knowledge, count: usize, seed: u64) -> Vec<Target> {
    let items = on.items();
    let original = on.original;
    let mut order: Vec<u32> = (0..original.users().len() as u32).collect();
    Random::stream(seed, 0).shuffle(&mut order);
    let mut all = Vec::new();
    for user in order {
        if all.len() == count {
            break;
        }
        let mut random = Random::stream(seed, u64::from(user) + 1);
        let row = original.row(user);
        let mut open: Vec<u32> =
            (0..row.of.len() as u32).filter(|&at| !original.is_sensitive(row.of[at as usize])).collect();
        if open.len() < knowledge.known as usize {
            continue;
        }
        random.shuffle(&mut open);
        // Stable: drawn at random among those that are published.
        open.sort_by_key(|&at| items[row.of[at as usize] as usize].is_none());
        open.truncate(knowledge.known as usize);
        // Which of them are wrong must not depend on that order.
        random.shuffle(&mut open);
        let known = open.iter().zip(0u32..).map(|(&at, place)| {
            let at = at as usize;
            let truth = (row.ticks[at], row.days.map(|days| days[at]));
            let (tick, day) = match place < knowledge.wrong {
                true => wrong(on, truth.0, &mut random),
                false => blurred(on, truth, knowledge, &mut random),
            };
            let day = day.filter(|_| knowledge.days.is_some());
            Known { item: row.of[at], published: items[row.of[at] as usize], tick, day }
        });
        let known = known.collect();
        all.push(Target { user, row: on.row_of[user as usize], known });
    }
    all
}

fn wrong(on: &Released<'_>, truth: u8, random: &mut Random) -> (u8, Option<i32>) {
    let levels = on.original.scale().levels();
    let other = (usize::from(truth) + 1 + random.below(usize::from(levels) - 1)) % usize::from(levels);
    let day =
        on.original.days().map(|(first, last)| first + random.below((last - first) as usize + 1) as i32);
    (other as u8, day)
}

fn blurred(
    on: &Released<'_>,
    (tick, day): (u8, Option<i32>),
    knowledge: &Knowledge,
    random: &mut Random,
) -> (u8, Option<i32>) {
    let scale = on.original.scale();
    let most = (knowledge.rating_error / scale.step() + 1e-9).max(0.0) as i32;
    let shift = random.below(2 * most as usize + 1) as i32 - most;
    let tick = (i32::from(tick) + shift).clamp(0, i32::from(scale.levels()) - 1) as u8;
    let off = knowledge.days.unwrap_or(0) as i32;
    let shift = random.below(2 * off as usize + 1) as i32 - off;
    (tick, day.map(|day| day + shift))
}
