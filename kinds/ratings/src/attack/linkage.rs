//! The linkage attack of the thesis (section 0, Table 6.1): preferences on some issues, known as ranges, leave candidates.
//!
//! One candidate is an identity disclosure; several who all gave the same rating to a sensitive item are an attribute
//! disclosure.

use privet_data::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Knowledge, Released, scoreboard::enough};
use crate::{ByItem, Ratings, RatingsError};

/// What is known about one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preference {
    /// The item of the release.
    pub item: u32,
    /// The lowest and the highest tick; none where it is known that the person did not rate the item.
    pub ticks: Option<(u8, u8)>,
}

/// The rows that fit all preferences, ascending.
pub fn candidates(release: &Ratings, by_item: &ByItem, preferences: &[Preference]) -> Vec<u32> {
    let fits = |row: u32, preference: &Preference| {
        let tick = release.rating(row, preference.item);
        match (preference.ticks, tick) {
            (None, None) => true,
            (Some((low, high)), Some(tick)) => (low..=high).contains(&tick),
            _ => false,
        }
    };
    let rated = preferences.iter().filter(|preference| preference.ticks.is_some());
    // The rarest item leaves the fewest rows to look at.
    match rated.min_by_key(|preference| by_item.row(preference.item).of.len()) {
        Some(rarest) => {
            let rows = by_item.row(rarest.item).of.iter().copied();
            rows.filter(|&row| preferences.iter().all(|preference| fits(row, preference))).collect()
        }
        None => {
            let rows = 0..release.users().len() as u32;
            rows.filter(|&row| preferences.iter().all(|preference| fits(row, preference))).collect()
        }
    }
}

/// How the linkage attack did.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Linkage {
    /// The people attacked.
    pub targets: u64,
    /// The only candidate is the target: identity disclosure.
    pub identified: u64,
    /// The only candidate is somebody else.
    pub mistaken: u64,
    /// The expected number of right guesses among the candidates.
    pub best_guess: f64,
    /// All candidates gave the target's rating to some sensitive item: attribute disclosure.
    pub disclosed: u64,
    /// Targets who rated a sensitive item.
    pub with_sensitive: u64,
    /// Control: exactly one candidate although the target's row was taken out.
    pub control_single: u64,
    /// Control: all candidates gave the target's rating to some sensitive item although the row was taken out.
    pub control_disclosed: u64,
}

/// Attacks people drawn at random, of whom so many ratings are known to within `tolerance`.
///
/// # Errors
/// When nobody has as many ratings as are known, or the person asks to stop.
pub fn linkage(
    on: &Released<'_>,
    known: u32,
    tolerance: f64,
    count: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Linkage, RatingsError> {
    let knowledge = Knowledge { known, wrong: 0, rating_error: 0.0, days: None };
    let drawn = enough(on, &knowledge, count, seed)?;
    let by_item = on.release.by_item();
    let reach = on.release.scale().reach(tolerance)?.ticks;
    let items = on.items();
    let run = |target: &super::Target| -> Result<Linkage, RatingsError> {
        progress.check()?;
        let preferences: Vec<Preference> = (target.known.iter())
            .filter_map(|known| {
                let range = (known.tick.saturating_sub(reach), known.tick.saturating_add(reach));
                Some(Preference { item: known.published?, ticks: Some(range) })
            })
            .collect();
        let found = candidates(on.release, &by_item, &preferences);
        let others: Vec<u32> = found.iter().copied().filter(|&row| row != target.row).collect();
        let is_in = others.len() < found.len();
        let secrets = sensitive_ratings(on, target.user, &items);
        let learned =
            |rows: &[u32]| secrets.iter().any(|&(item, tick)| all_rated(on.release, rows, item, tick));
        Ok(Linkage {
            targets: 1,
            identified: u64::from(is_in && found.len() == 1),
            mistaken: u64::from(!is_in && found.len() == 1),
            best_guess: if is_in { 1.0 / found.len() as f64 } else { 0.0 },
            disclosed: u64::from(learned(&found)),
            with_sensitive: u64::from(!secrets.is_empty()),
            control_single: u64::from(others.len() == 1),
            control_disclosed: u64::from(learned(&others)),
        })
    };
    let each: Vec<Linkage> = drawn.par_iter().map(run).collect::<Result<_, _>>()?;
    Ok(each.into_iter().fold(Linkage::default(), |a, b| Linkage {
        targets: a.targets + b.targets,
        identified: a.identified + b.identified,
        mistaken: a.mistaken + b.mistaken,
        best_guess: a.best_guess + b.best_guess,
        disclosed: a.disclosed + b.disclosed,
        with_sensitive: a.with_sensitive + b.with_sensitive,
        control_single: a.control_single + b.control_single,
        control_disclosed: a.control_disclosed + b.control_disclosed,
    }))
}

/// The sensitive ratings of a person, by the items of the release.
fn sensitive_ratings(on: &Released<'_>, user: u32, items: &[Option<u32>]) -> Vec<(u32, u8)> {
    let row = on.original.row(user);
    let secret = row.of.iter().zip(row.ticks).filter(|(item, _)| on.original.is_sensitive(**item));
    secret.filter_map(|(&item, &tick)| Some((items[item as usize]?, tick))).collect()
}

fn all_rated(release: &Ratings, rows: &[u32], item: u32, tick: u8) -> bool {
    !rows.is_empty() && rows.iter().all(|&row| release.rating(row, item) == Some(tick))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scale, Triples};

    /// Table 6.1: Alice is found, Bob's sensitive rating is learned although he is not found, Jack is safe.
    #[test]
    fn the_link_attack_of_table_6_1() {
        let rows: [[u8; 4]; 5] = [[6, 1, 0, 6], [1, 6, 0, 1], [2, 5, 0, 1], [1, 0, 5, 1], [2, 0, 6, 5]];
        let mut triples = Triples::default();
        for (user, row) in (0..).zip(rows) {
            for (item, rating) in (0..).zip(row).filter(|(_, rating)| *rating > 0) {
                triples.users.push(user);
                triples.items.push(item);
                triples.ticks.push(rating - 1);
            }
        }
        let names = |count: u32| (0..count).map(|name| name.to_string().into()).collect();
        let (mut ratings, _) =
            Ratings::from_triples(Scale::whole(1, 6).unwrap(), names(5), names(4), triples).unwrap();
        ratings.set_sensitive(["3"]).unwrap();
        let by_item = ratings.by_item();
        let (good, bad, unknown) = (Some((4, 5)), Some((0, 1)), None);
        let find = |all: [Option<(u8, u8)>; 3]| {
            let preferences: Vec<Preference> =
                all.into_iter().zip(0..).map(|(ticks, item)| Preference { item, ticks }).collect();
            candidates(&ratings, &by_item, &preferences)
        };
        let (alice, bob, jack) =
            (find([good, bad, unknown]), find([bad, good, unknown]), find([bad, unknown, good]));
        assert_eq!((&alice[..], &bob[..], &jack[..]), (&[0][..], &[1, 2][..], &[3, 4][..]));
        assert!(all_rated(&ratings, &bob, 3, 0) && !all_rated(&ratings, &jack, 3, 0));
    }
}
