//! Made-up ratings, for tests, demonstrations and measurements. Seeded: the same seed gives the same ratings.

use privet_data::Random;
use rayon::prelude::*;

use crate::{Ratings, RatingsError, Scale, Triples};

/// The size of made-up ratings.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Users.
    pub users: u32,
    /// Items.
    pub items: u32,
    /// Ratings, about.
    pub ratings: u64,
    /// Over how many days they are spread.
    pub days: u32,
}

/// Ratings from 1 to 5 of items of very different popularity (Zipf) by users of different activity and three tastes, over
/// time. Users rate in bouts, so that dates tell them apart as those of real platforms do.
///
/// # Errors
/// When there is no user or no item, or there are more ratings than cells.
pub fn ratings(size: Size, seed: u64) -> Result<Ratings, RatingsError> {
    let Size { users, items, ratings: count, days } = size;
    if users == 0 || items == 0 || days == 0 || count > u64::from(users) * u64::from(items) / 2 {
        let accepted = "users, items and days of at least 1, with ratings for at most half of the cells";
        return Err(RatingsError::Parameter { key: "size", accepted });
    }
    let popularity = Popularity::new(items);
    let mean = count as f64 / f64::from(users);
    let rows: Vec<Vec<(u32, u8, i32)>> =
        (0..users).into_par_iter().map(|user| row(user, mean, days, &popularity, seed)).collect();
    let total = rows.iter().map(Vec::len).sum();
    let mut triples = Triples {
        users: Vec::with_capacity(total),
        items: Vec::with_capacity(total),
        ticks: Vec::with_capacity(total),
        days: Some(Vec::with_capacity(total)),
    };
    for (user, row) in (0..users).zip(rows) {
        for (item, tick, day) in row {
            triples.users.push(user);
            triples.items.push(item);
            triples.ticks.push(tick);
            if let Some(days) = &mut triples.days {
                days.push(day);
            }
        }
    }
    let names =
        |count: u32, letter: char| (0..count).map(|number| format!("{letter}{number}").into()).collect();
    let scale = Scale::whole(1, 5)?;
    Ok(Ratings::from_triples(scale, names(users, 'u'), names(items, 'i'), triples)?.0)
}

/// Items drawn with a chance of 1 / (rank + 10), by a table of equal shares.
struct Popularity {
    table: Vec<u32>,
}

impl Popularity {
    fn new(items: u32) -> Self {
        const SHARES: usize = 1 << 16;
        let weight = |rank: u32| 1.0 / (f64::from(rank) + 10.0);
        let total: f64 = (0..items).map(weight).sum();
        let mut table = Vec::with_capacity(SHARES + items as usize);
        for item in 0..items {
            // Rounded up, so that every item is drawn.
            let shares = (weight(item) / total * SHARES as f64).ceil() as usize;
            table.resize(table.len() + shares, item);
        }
        Self { table }
    }
}

fn row(user: u32, mean: f64, days: u32, popularity: &Popularity, seed: u64) -> Vec<(u32, u8, i32)> {
    let mut random = Random::stream(seed, u64::from(user));
    // Activity is log-normal; its mean is the mean asked for.
    let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
    let count = (mean * (0.8 * normal - 0.32).exp()).round().max(1.0) as usize;
    let (taste, mood) = (user % 3, random.unit() * 2.0 - 1.0);
    let mut bout = random.below(days as usize) as i32;
    let mut seen = foldhash::HashSet::default();
    let mut row = Vec::with_capacity(count);
    // A user who rated nearly everything stops looking for more.
    for _ in 0..count * 4 {
        if row.len() == count {
            break;
        }
        let item = popularity.table[random.below(popularity.table.len())];
        if !seen.insert(item) {
            continue;
        }
        if random.chance(0.1) {
            bout = random.below(days as usize) as i32;
        }
        let liked = if item % 3 == taste { 0.8 } else { -0.2 };
        let quality = f64::from(item.wrapping_mul(2_654_435_761) >> 24) / 128.0 - 1.0;
        let rating = 3.2 + liked + mood * 0.6 + quality * 0.8 + (random.unit() - 0.5) * 2.4;
        row.push((item, (rating.round().clamp(1.0, 5.0) - 1.0) as u8, 12_000 + bout));
    }
    row
}
