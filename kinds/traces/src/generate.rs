//! A made-up city, for tests, the demonstration and measurements. Seeded: the same seed gives the same traces.
//!
//! People have a home and a place of work, drawn around a few centres so that some regions are crowded and some empty.
//! Every day they leave home, move on a grid of streets to work, some by way of a third place, and come back.

use privet_data::Random;

use crate::point::{LARGEST_COORDINATE, Point, Position};
use crate::{Plane, TraceError, Traces};

/// A city and who moves in it.
#[derive(Debug, Clone, Copy)]
pub struct City {
    /// The number of people.
    pub people: usize,
    /// The number of days.
    pub days: u32,
    /// Seconds between two points.
    pub step: i64,
    /// The side of the city in metres.
    pub side: f64,
    /// The day of the first point, since 1970-01-01.
    pub first_day: i64,
    /// The seed.
    pub seed: u64,
}

impl Default for City {
    fn default() -> Self {
        Self { people: 200, days: 1, step: 300, side: 10_000.0, first_day: 20_773, seed: 1 }
    }
}

/// A person of a made-up city: what attacks try to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resident {
    /// Where the person lives.
    pub home: Position,
    /// Where the person works.
    pub work: Position,
}

/// Somewhere around one of the centres of a city.
fn around_centre(city: &City, centres: &[(f64, f64)], random: &mut Random) -> Position {
    let (x, y) = centres[random.below(centres.len())];
    // A sum of uniform numbers is bell-shaped enough for a city.
    let mut spread = || (0..4).map(|_| random.unit() - 0.5).sum::<f64>() * city.side / 6.0;
    let half = city.side / 2.0;
    let (x, y) = ((x + spread()).clamp(-half, half), (y + spread()).clamp(-half, half));
    // Houses stand at streets: every 100 metres.
    let snap = |metres: f64| (metres / 100.0).round() * 100.0;
    Position::from_metres(snap(x), y).unwrap_or_default()
}

/// The way along streets: first to the east or west, then to the north or south.
fn way(from: Position, to: Position) -> [Position; 3] {
    [from, Position { x: to.x, y: from.y }, to]
}

fn along(way: &[Position], share: f64) -> Position {
    let lengths: Vec<f64> = way.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let mut rest = share.clamp(0.0, 1.0) * lengths.iter().sum::<f64>();
    for (pair, &length) in way.windows(2).zip(&lengths) {
        if rest <= length && length > 0.0 {
            let mix = |a: i32, b: i32| (f64::from(a) + rest / length * f64::from(b - a)).round() as i32;
            return Position { x: mix(pair[0].x, pair[1].x), y: mix(pair[0].y, pair[1].y) };
        }
        rest -= length;
    }
    way.last().copied().unwrap_or_default()
}

/// Makes the traces of a city, one for each person and all days, and who the people are.
///
/// # Errors
/// When the side is no length, or the step is not above 0.
pub fn city(city: &City) -> Result<(Traces, Vec<Resident>), TraceError> {
    if !(city.side > 0.0 && city.side * 50.0 <= f64::from(LARGEST_COORDINATE)) {
        return Err(TraceError::parameter("side", "above 0 and at most 20,000,000 metres"));
    }
    if city.step <= 0 || city.days == 0 {
        return Err(TraceError::parameter("step", "above 0 seconds, on at least one day"));
    }
    let mut random = Random::stream(city.seed, 0);
    let mut somewhere = |share: f64| (random.unit() - 0.5) * city.side * share;
    let homes: Vec<(f64, f64)> = (0..6).map(|_| (somewhere(0.9), somewhere(0.9))).collect();
    let offices: Vec<(f64, f64)> = (0..3).map(|_| (somewhere(0.4), somewhere(0.4))).collect();
    let mut traces = Traces::on(Plane::Local { latitude: 52.52, longitude: 13.4 });
    let mut residents = Vec::with_capacity(city.people);
    let mut points = Vec::new();
    for person in 0..city.people {
        let mut random = Random::stream(city.seed, 1 + person as u64);
        let own = Resident {
            home: around_centre(city, &homes, &mut random),
            work: around_centre(city, &offices, &mut random),
        };
        let speed = 4.0 + 8.0 * random.unit();
        points.clear();
        for day in 0..i64::from(city.days) {
            a_day(city, own, speed, (city.first_day + day) * 86_400, &mut random, &mut points);
        }
        traces.push(person as u32, &points)?;
        residents.push(own);
    }
    Ok((traces, residents))
}

/// One day: at home, to work, perhaps somewhere in between, and home. Every point is off by a few metres.
fn a_day(
    city: &City,
    own: Resident,
    speed: f64,
    midnight: i64,
    random: &mut Random,
    points: &mut Vec<Point>,
) {
    let leaves = 6.5 * 3600.0 + 2.5 * 3600.0 * random.unit();
    let returns = 16.0 * 3600.0 + 3.0 * 3600.0 * random.unit();
    let detour = random.chance(0.3).then(|| {
        let half = city.side / 2.0;
        Position::from_metres((random.unit() - 0.5) * half, (random.unit() - 0.5) * half).unwrap_or_default()
    });
    let there = way(own.home, own.work);
    let mut back = vec![own.work];
    back.extend(detour.iter().flat_map(|&stop| way(own.work, stop)));
    back.extend(way(detour.unwrap_or(own.work), own.home));
    let length =
        |way: &[Position]| way.windows(2).map(|pair| pair[0].distance(pair[1])).sum::<f64>().max(1.0);
    let (out, home) = (length(&there) / speed, length(&back) / speed);
    for number in 0..86_400 / city.step {
        let second = (number * city.step) as f64;
        let at = if second < leaves {
            own.home
        } else if second < returns {
            along(&there, (second - leaves) / out)
        } else {
            along(&back, (second - returns) / home)
        };
        let jitter = |random: &mut Random| ((random.unit() + random.unit() - 1.0) * 1000.0) as i32;
        let at = Position { x: at.x + jitter(random), y: at.y + jitter(random) };
        points.push(Point { time: midnight + number * city.step, at });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_city() {
        let few = City { people: 5, days: 2, ..City::default() };
        let ((a, who), (b, _)) = (city(&few).unwrap(), city(&few).unwrap());
        assert_eq!(a.all_points(), b.all_points());
        assert_eq!(a.len(), 5);
        assert_eq!(a.points(0).len(), 2 * 288);
        // People are at home at night, to some metres.
        assert!(a.points(3)[0].at.distance(who[3].home) < 20.0);
        assert!(city(&City { side: f64::NAN, ..few }).is_err());
    }
}
