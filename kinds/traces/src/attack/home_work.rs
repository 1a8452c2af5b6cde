//! Home and work against fixed pseudonyms (survey AP-17, strawman 1): where a trace stays at night is where somebody lives,
//! where it stays on workdays is where the person works. A directory tells the rest.

use foldhash::HashMap;

use crate::point::{Point, Position};
use crate::time::{day_and_weekend, second_of};

/// The side of the squares that stays are counted in, in centimetres.
const SIDE: i64 = 25_000;

/// Where somebody seems to live and work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HomeWork {
    /// Where most time of nights (21:00 to 06:00) is spent.
    pub home: Option<Position>,
    /// Where most time of workdays (10:00 to 16:00) is spent.
    pub work: Option<Position>,
}

/// Finds home and work in the points of a trace. `offset`: seconds to add to times for local time.
pub fn home_and_work(points: &[Point], offset: i64) -> HomeWork {
    let local = |point: &&Point| second_of(point.time + offset);
    let at_night = points.iter().filter(|own| !(6 * 3600..21 * 3600).contains(&local(own)));
    let at_work = points
        .iter()
        .filter(|own| (10 * 3600..16 * 3600).contains(&local(own)) && !day_and_weekend(own.time + offset).1);
    HomeWork { home: haunt(at_night.map(|own| own.at)), work: haunt(at_work.map(|own| own.at)) }
}

/// The mean position around the square with the most positions.
fn haunt(positions: impl Iterator<Item = Position>) -> Option<Position> {
    let mut squares: HashMap<(i64, i64), (i64, i64, i64)> = HashMap::default();
    for at in positions {
        let square = (i64::from(at.x).div_euclid(SIDE), i64::from(at.y).div_euclid(SIDE));
        let own = squares.entry(square).or_default();
        *own = (own.0 + 1, own.1 + i64::from(at.x), own.2 + i64::from(at.y));
    }
    let (square, _) = squares.iter().max_by_key(|own| (own.1.0, std::cmp::Reverse(*own.0)))?;
    // A home at the edge of a square lies in two.
    let near = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (square.0 + x, square.1 + y)));
    let sums = near
        .filter_map(|own| squares.get(&own))
        .fold((0, 0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1, sum.2 + own.2));
    Some(Position { x: (sums.1 / sums.0) as i32, y: (sums.2 / sums.0) as i32 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{City, city};

    /// AP-17: with fixed pseudonyms, nearly everybody's home and work are found to 250 metres.
    #[test]
    fn fixed_pseudonyms_show_home_and_work() {
        let (traces, residents) = city(&City { people: 50, days: 2, ..City::default() }).unwrap();
        let found: Vec<HomeWork> = traces.iter().map(|own| home_and_work(own.1, 0)).collect();
        let near = |a: Option<Position>, b: Position| a.is_some_and(|own| own.distance(b) < 250.0);
        let homes = found.iter().zip(&residents).filter(|(own, truth)| near(own.home, truth.home)).count();
        let works = found.iter().zip(&residents).filter(|(own, truth)| near(own.work, truth.work)).count();
        assert!(homes >= 48 && works >= 45, "{homes} {works}");
        // The control: somebody else's.
        let others = found.iter().zip(residents.iter().cycle().skip(1));
        assert!(others.filter(|(own, truth)| near(own.home, truth.home)).count() < 15);
        assert_eq!(home_and_work(&[], 0), HomeWork::default());
    }
}
