//! What everybody can guess that values are multiples of: tens, thousands, weeks, bands of any width, the first of a month, a
//! quarter or a year; and the values themselves where many records have each.
//!
//! # Guarantee
//! A unit is noticed when more values than chance would have it are alike in what is left after dividing by it: by three
//! deviations of a binomial share among as many values as the column has in effect (Kish). What all values share makes more of
//! it so by chance: of thousands every other one is a multiple of two thousand. So it is with what some share: of values in
//! fives a third lies on multiples of fifteen, but where most of them do. Looked at are 1, 2, 2.5 and 5
//! times the powers of ten, minutes, hours, days, weeks and dozens of whole numbers, weeks and so many months of dates, and what
//! all values, or the most frequent nine of ten, differ by. The most frequent value is left out of the share: who says it of
//! everybody needs no unit; and a value alone is no reason to notice one. Two values that few records have share nothing, nor
//! do three but a round unit. Where values are few and many records have each, a unit is noticed as well when three multiples of it
//! or more stand out of what lies between them, such as blood pressures in tens: no smooth distribution has such peaks.
//! A value that is no multiple of the base counts as the nearest one, so that a few odd ones
//! hide no unit of the others.
//!
//! Values that several records have each are taken to be known, like the grades of a pay scale ([`Known`]): the nearest known
//! value gives back whose noise stays within half the gap to the next.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use privet_data::date_of;
use privet_release::perturbed::NoiseLaw;

use crate::randomize::model::noise_of;

/// How many deviations above chance a share must be to be noticed.
const NOTICED: f64 = 3.0;

/// So many records for each different value, and values are codes.
const CODED: u64 = 5;

/// Units of time, and dozens, of whole numbers.
const OTHERS: [i64; 9] = [7, 12, 15, 24, 30, 60, 3600, 86_400, 604_800];

/// The largest number of units that is exact, also where the base is a decimal that has no exact number.
const MOST: f64 = 1e15;

/// What values lie on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grid {
    /// Multiples of a number, perhaps all moved by the same.
    Multiples,
    /// One day of every so many months.
    Months(i64),
}

/// A unit that values share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    pub grid: Grid,
    /// In units of the values; of months the mean in days.
    pub size: f64,
    /// How many of the values share it, the most frequent one left out.
    pub share: f64,
    /// Whether all values are multiples of it, moved by nothing.
    pub divides_all: bool,
}

impl Unit {
    /// The least standard deviation of noise behind which rounding to the unit gives back no more originals than rounding noise
    /// of one unit upon values that all share it.
    pub fn least_deviation(&self, law: NoiseLaw) -> f64 {
        if self.share >= 1.0 {
            return self.size;
        }
        let half = 0.5 * self.size;
        let back = |deviation: f64| self.share * noise_of(law, deviation).between(-half, half);
        least(back, given_back(law), self.share, self.size)
    }
}

/// What of values that all share a unit rounding gives back behind noise of one unit: 38 % for normal noise, 29 % for even.
fn given_back(law: NoiseLaw) -> f64 {
    noise_of(law, 1.0).between(-0.5, 0.5)
}

/// The least deviation that gives back no more than `most`, where none gives back `all` and `high` is enough.
fn least(back: impl Fn(f64) -> f64, most: f64, all: f64, mut high: f64) -> f64 {
    if all <= most {
        return 0.0;
    }
    let mut low = 0.0;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if back(middle) > most { low = middle } else { high = middle }
    }
    high
}

/// Values that are known because several records have each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Known {
    /// Halves of the gaps to the next below and above, and the share of the values that have them, the most frequent value left
    /// out. The outermost are taken to have the gap that they have inwards.
    gaps: Vec<([f64; 2], f64)>,
}

impl Known {
    /// What taking the nearest known value may give back beyond what rounding does behind noise of one unit: a few wider gaps.
    const FEW: f64 = 1.05;

    /// The least standard deviation of noise behind which the nearest known value gives back hardly more originals than rounding
    /// does behind noise of one unit.
    pub fn least_deviation(&self, law: NoiseLaw) -> f64 {
        let back = |deviation: f64| -> f64 {
            let noise = noise_of(law, deviation);
            self.gaps.iter().map(|([below, above], share)| share * noise.between(-below, *above)).sum()
        };
        let (share, widest) = (self.share(), self.gaps.iter().flat_map(|own| own.0).fold(0.0, f64::max));
        least(back, Self::FEW * given_back(law), share, 2.0 * widest)
    }

    /// How many of the values they are.
    pub fn share(&self) -> f64 {
        self.gaps.iter().map(|own| own.1).sum()
    }
}

/// What values have in common.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Shared {
    /// Units above the base.
    pub units: Vec<Unit>,
    pub known: Option<Known>,
}

/// What values have in common above `base`: each different value with how many records have it.
pub(super) fn shared(values: &[(f64, u64)], base: f64, dates: bool) -> Shared {
    let Whole { counts, base, is_exact } = whole(values, base);
    let Some(mut most) = counts.keys().next().copied() else { return Shared::default() };
    // The first among equals.
    for (&value, count) in &counts {
        if Some(count) > counts.get(&most) {
            most = value;
        }
    }
    let rest: Vec<(i64, f64)> =
        counts.iter().filter(|own| *own.0 != most).map(|(&own, &count)| (own, count as f64)).collect();
    if rest.is_empty() {
        return Shared::default();
    }
    let weight: f64 = rest.iter().map(|own| own.1).sum();
    let in_effect = weight * weight / rest.iter().map(|own| own.1 * own.1).sum::<f64>();
    // Where many records have each value, these are codes or bands, however few.
    let records: u64 = counts.values().sum();
    let is_coded = records >= CODED * counts.len() as u64;
    // The share of the heaviest class of values that are alike, if it is noticed; at least so many must be.
    let noticed = |class: &dyn Fn(i64) -> Option<i64>, least: usize, chance: f64| {
        let mut classes: HashMap<i64, (f64, f64, usize)> = HashMap::new();
        let all = rest.iter().copied().chain([(most, 0.0)]);
        for (own, count) in all.filter_map(|(value, count)| Some((class(value)?, count))) {
            let slot = classes.entry(own).or_default();
            *slot = (slot.0 + count, slot.1.max(count), slot.2 + 1);
        }
        let least = if is_coded { 2 } else { least };
        let by_chance = chance + NOTICED * (chance * (1.0 - chance) / in_effect).sqrt();
        let shares = classes.into_values().filter(|own| own.2 >= least);
        let shares = shares.map(|(sum, heaviest, _)| (sum / weight, (sum - heaviest) / weight));
        let above =
            shares.filter(|own| own.1 >= by_chance * (1.0 - 1e-9) || is_coded && own.0 >= 1.0 - 1e-12);
        above.map(|own| own.0).max_by(f64::total_cmp)
    };
    let mut found = Vec::new();
    let common = greatest_divisor(counts.keys().map(|own| own - most));
    let (round, seen) = candidates(&counts, &rest, weight, base, dates);
    let peaks = Peaks::new(&counts);
    // Smaller units come first.
    let mut smaller: Vec<(i64, f64)> = Vec::new();
    for &times in round.union(&seen) {
        // Any two values have a difference, and three often a divisor of theirs.
        let least = if round.contains(&times) { 3 } else { 4 };
        let divisor = greatest_divisor([common, times].into_iter());
        let given = if divisor == times { 1 } else { divisor };
        let chance = given as f64 / times as f64;
        let own = noticed(&|value| Some(value.rem_euclid(times)), least, chance);
        let own = own.or_else(|| peaks.share(times, divisor, most, weight));
        // Of what shares a smaller unit some share this one too. That is chance where they are no more than so, and this one is what
        // they share where they are more than half-way from that to all.
        let part = smaller.iter().filter(|part| times % part.0 == 0).max_by_key(|part| part.0).copied();
        let own = match (own, part) {
            (Some(share), Some((part, of))) if share < 0.5 * (1.0 + part as f64 / times as f64) * of => {
                let chance = chance.max(of * part as f64 / times as f64);
                let again = noticed(&|value| Some(value.rem_euclid(times)), least, chance);
                again.or_else(|| peaks.share(times, part.max(divisor), most, weight))
            }
            _ => own,
        };
        if let Some(share) = own {
            smaller.push((times, share));
            let divides_all = is_exact && counts.keys().all(|value| value % times == 0);
            found.push(Unit { grid: Grid::Multiples, size: times as f64 * base, share, divides_all });
        }
    }
    if dates {
        let calendar: HashMap<i64, Day> =
            counts.keys().filter_map(|&day| Some((day, Day::of(day)?))).collect();
        let of = |day: i64| calendar.get(&day);
        let mut shorter: Vec<(i64, f64)> = Vec::new();
        for months in [1, 2, 3, 4, 6, 12] {
            let size = months as f64 * YEAR / 12.0;
            // Of what lies on one day of every month, a third does so of every quarter.
            let parts = shorter.iter().filter(|part| months % part.0 == 0);
            let chance = parts.map(|part| part.1 * part.0 as f64 / months as f64).fold(1.0 / size, f64::max);
            let own = noticed(&|day| of(day).map(|own| 100 * (own.month % months) + own.day), 3, chance);
            // The last of a month is another day in each.
            let last = |day: i64| of(day).filter(|own| own.is_last).map(|own| own.month % months);
            if let Some(share) = own.into_iter().chain(noticed(&last, 3, chance)).max_by(f64::total_cmp) {
                shorter.push((months, share));
                found.push(Unit { grid: Grid::Months(months), size, share, divides_all: false });
            }
        }
    }
    Shared { units: found, known: known(&counts, most, weight, base) }
}

/// The mean length of a year in days.
const YEAR: f64 = 365.2425;

/// Different values in order, with how many records have each, and how many have one before it.
struct Peaks {
    values: Vec<(i64, u64)>,
    before: Vec<u64>,
}

impl Peaks {
    fn new(counts: &BTreeMap<i64, u64>) -> Self {
        let values: Vec<(i64, u64)> = counts.iter().map(|(&value, &count)| (value, count)).collect();
        let mut sum = 0;
        let before = values.iter().map(|own| {
            sum += own.1;
            sum - own.1
        });
        Self { before: before.chain([counts.values().sum()]).collect(), values }
    }

    /// How many records have a value above one number and below another.
    fn between(&self, low: i64, high: i64) -> u64 {
        let at = |number: i64| self.values.partition_point(|own| own.0 < number);
        let of = |at: usize| self.before.get(at).copied().unwrap_or(0);
        of(at(high)).saturating_sub(of(at(low.saturating_add(1))))
    }

    /// The largest share of values that are alike by this unit, where most of them stand out: more records have one than twice as many
    /// as have a value between it and the next on either side, on average over those that can be, which are `apart`. Three
    /// must, or chance may have it so.
    fn share(&self, times: i64, apart: i64, most: i64, weight: f64) -> Option<f64> {
        let between = (times / apart.max(1) - 1) as f64;
        if between < 1.0 {
            return None;
        }
        let mut classes: HashMap<i64, (u64, u64, usize)> = HashMap::new();
        for &(value, count) in self.values.iter().filter(|own| own.0 != most) {
            let slot = classes.entry(value.rem_euclid(times)).or_default();
            slot.0 += count;
            let beside = self
                .between(value.saturating_sub(times), value)
                .max(self.between(value, value.saturating_add(times)));
            if count >= CODED && count as f64 > CODED as f64 + 2.0 * beside as f64 / between {
                *slot = (slot.0, slot.1 + count, slot.2 + 1);
            }
        }
        let stands_out = classes.into_values().filter(|own| own.2 >= 3 && 2 * own.1 >= own.0);
        stands_out.map(|own| own.0 as f64 / weight).max_by(f64::total_cmp)
    }
}

/// The values that several records have each, if there are two.
fn known(counts: &BTreeMap<i64, u64>, most: i64, weight: f64, base: f64) -> Option<Known> {
    let known: Vec<(i64, u64)> =
        counts.iter().filter(|own| *own.1 >= CODED).map(|(&value, &count)| (value, count)).collect();
    let value = |at: Option<usize>| at.and_then(|at| known.get(at)).map(|own| own.0);
    let mut shares: BTreeMap<[i64; 2], f64> = BTreeMap::new();
    for (at, &(own, count)) in known.iter().enumerate().filter(|own| own.1.0 != most) {
        let below = value(at.checked_sub(1)).map(|other| own - other);
        let above = value(Some(at + 1)).map(|other| other - own);
        let gaps = [below.or(above)?, above.or(below)?];
        *shares.entry(gaps).or_default() += count as f64 / weight;
    }
    let halves = |gaps: [i64; 2]| gaps.map(|gap| 0.5 * gap as f64 * base);
    let gaps: Vec<([f64; 2], f64)> = shares.into_iter().map(|(gaps, share)| (halves(gaps), share)).collect();
    (!gaps.is_empty()).then_some(Known { gaps })
}

/// Values in units of a base.
struct Whole {
    /// How many records have each, in order.
    counts: BTreeMap<i64, u64>,
    base: f64,
    /// Whether all values are multiples of the base.
    is_exact: bool,
}

/// Values as the nearest multiples of the base, or of so many times ten times it that nine of ten are no larger than what can
/// be counted exactly. The others are left out.
fn whole(values: &[(f64, u64)], mut base: f64) -> Whole {
    let values = || values.iter().copied().filter(|own| own.1 > 0 && own.0.is_finite());
    let all: u64 = values().map(|own| own.1).sum();
    let beyond = |base: f64| values().filter(|own| (own.0 / base).abs() > MOST).map(|own| own.1).sum::<u64>();
    while 10 * beyond(base) > all {
        // Not times ten, which would add up what rounding makes.
        base = 10f64.powf(base.log10().round() + 1.0);
    }
    let mut found = Whole { counts: BTreeMap::new(), base, is_exact: true };
    for (value, count) in values() {
        let times = value / base;
        found.is_exact &= times.abs() <= MOST && (times - times.round()).abs() <= 1e-6 * times.abs().max(1.0);
        if times.abs() <= MOST {
            *found.counts.entry(times.round() as i64).or_insert(0) += count;
        }
    }
    found
}

/// How many times the base a unit may be: round numbers, and what is seen from the values.
fn candidates(
    counts: &BTreeMap<i64, u64>,
    rest: &[(i64, f64)],
    weight: f64,
    base: f64,
    dates: bool,
) -> (BTreeSet<i64>, BTreeSet<i64>) {
    let (mut round, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let (Some((&low, _)), Some((&high, _))) = (counts.first_key_value(), counts.last_key_value()) else {
        return (round, seen);
    };
    seen.insert(greatest_divisor(counts.keys().map(|own| own - low)));
    seen.insert(greatest_divisor(counts.keys().copied()));
    // The most frequent values that make up nine of ten.
    let mut by_count = rest.to_vec();
    by_count.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut sum = 0.0;
    let frequent = by_count.iter().take_while(|own| {
        let is_needed = sum < 0.9 * weight;
        sum += own.1;
        is_needed
    });
    let frequent: Vec<i64> = frequent.map(|own| own.0).collect();
    if let [first, others @ ..] = &frequent[..] {
        seen.insert(greatest_divisor(others.iter().map(|own| own - first)));
    }
    if dates {
        round.insert(7);
    } else {
        let mut power = 1i64;
        while power <= (high - low) / 2 {
            round.extend([2, 5, 10, 25].map(|times| power.saturating_mul(times)));
            power = power.saturating_mul(10);
        }
        if base == 1.0 {
            round.extend(OTHERS);
        }
    }
    for own in [&mut round, &mut seen] {
        own.retain(|times| *times > 1 && *times <= high - low);
    }
    (round, seen)
}

/// The greatest common divisor of numbers; 0 where all are 0.
fn greatest_divisor(numbers: impl Iterator<Item = i64>) -> i64 {
    numbers.fold(0, |a, b| {
        let (mut a, mut b) = (a, b.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}

/// A day of the calendar.
struct Day {
    month: i64,
    day: i64,
    /// Whether it is the last of its month.
    is_last: bool,
}

impl Day {
    fn of(date: i64) -> Option<Self> {
        let parts = |date: i64| {
            let text = date_of(date);
            let mut parts = text.rsplit('-').map(|part| part.parse::<i64>().ok());
            let (day, month) = (parts.next()??, parts.next()??);
            Some((month, day))
        };
        let (month, day) = parts(date)?;
        Some(Self { month, day, is_last: parts(date + 1)?.1 == 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Kind;

    fn of(values: impl IntoIterator<Item = f64>, base: f64, dates: bool) -> Vec<Unit> {
        let values: Vec<(f64, u64)> = values.into_iter().map(|value| (value, 1)).collect();
        shared(&values, base, dates).units
    }

    /// The unit that asks for most noise.
    fn largest(found: &[Unit]) -> Option<(f64, f64)> {
        let least = |own: &&Unit| own.least_deviation(NoiseLaw::Gaussian);
        let most = found.iter().max_by(|a, b| least(a).total_cmp(&least(b)));
        most.map(|own| (own.size, own.share))
    }

    /// Hours of work: two in five are forty, most others in fives. Multiples of fifteen are a third of these, as many as chance has
    /// it; tens are what is left of them where nobody says five.
    #[test]
    fn multiples_of_a_unit_that_values_share_are_no_other() {
        let fives = [
            (40, 15_217),
            (50, 2819),
            (45, 1824),
            (60, 1475),
            (35, 1297),
            (20, 1224),
            (30, 1149),
            (55, 694),
            (25, 674),
            (48, 517),
            (38, 476),
            (15, 404),
            (70, 291),
            (10, 278),
            (32, 266),
            (24, 252),
            (65, 244),
            (36, 220),
            (42, 219),
            (44, 212),
            (16, 205),
            (12, 173),
            (43, 151),
            (37, 149),
            (8, 145),
            (52, 138),
            (80, 133),
            (56, 97),
            (28, 86),
            (99, 85),
            (46, 82),
            (72, 71),
            (18, 75),
            (6, 64),
            (5, 60),
            (75, 66),
            (33, 39),
            (84, 45),
            (90, 29),
            (27, 30),
        ];
        let found = |values: &[(i32, u64)]| {
            let values: Vec<(f64, u64)> = values.iter().map(|own| (f64::from(own.0), own.1)).collect();
            shared(&values, 1.0, false).units
        };
        let has = |units: &[Unit], size: f64| units.iter().any(|own| own.size == size);
        let all = found(&fives);
        assert!(has(&all, 5.0) && !has(&all, 15.0), "{all:?}");
        assert!(largest(&all).is_some_and(|own| own.0 == 5.0), "{all:?}");
        let tens: Vec<(i32, u64)> =
            fives.iter().filter(|own| own.0 % 10 != 5).map(|own| (own.0, own.1)).collect();
        assert!(has(&found(&tens), 10.0));
    }

    /// Times in microseconds, of whole seconds, and in nanoseconds: larger than what is counted in ones.
    #[test]
    fn units_of_large_numbers_are_noticed() {
        for power in [1e6, 1e9] {
            let found = of((0..400u64).map(|at| power * (1_700_000_000 + odd(at)) as f64), 1.0, false);
            let seconds = found.iter().find(|own| own.size == power).unwrap_or_else(|| panic!("{found:?}"));
            assert_eq!(seconds.share, 1.0);
        }
    }

    /// A number that looks like any.
    fn odd(at: u64) -> u64 {
        (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % 99_991
    }

    #[test]
    fn what_most_values_are_multiples_of() {
        // 95 of 100 are multiples of 1,000.
        let mostly = (0..1000u64).map(|at| if at % 20 == 0 { odd(at) } else { 1000 * (odd(at) % 90) } as f64);
        let found = of(mostly, 1.0, false);
        let thousand = found.iter().find(|own| own.size == 1000.0).unwrap();
        assert!((0.94..0.97).contains(&thousand.share) && !thousand.divides_all, "{found:?}");
        // Eight bands of 10,000, by their ends and by their middles.
        for (moved, divides_all) in [(0.0, true), (5000.0, false)] {
            let bands = (0..400u64).map(|at| 10_000.0 * (odd(at) % 8) as f64 + moved);
            let found = of(bands, 1.0, false);
            let band = found.iter().find(|own| own.size == 10_000.0).unwrap();
            assert_eq!((band.share, band.divides_all), (1.0, divides_all), "{found:?}");
            assert_eq!(largest(&found).unwrap().0, 10_000.0, "{found:?}");
        }
        // Bands that nobody would call round.
        let found = of((0..400u64).map(|at| 3.7 * (odd(at) % 9) as f64), 0.1, false);
        assert!(found.iter().any(|own| (own.size - 3.7).abs() < 1e-9 && own.share == 1.0), "{found:?}");
        // Mostly whole, where some have decimals.
        let found = of(
            (0..500u64).map(|at| if at % 10 == 0 { 0.01 } else { 0.0 } + (odd(at) % 70) as f64),
            0.01,
            false,
        );
        assert!(found.iter().any(|own| own.size == 1.0 && own.share > 0.85), "{found:?}");
    }

    /// Numbers that share nothing: no unit asks for more noise than the one in which they are written.
    #[test]
    fn what_is_of_any_size_shares_nothing() {
        let any: Vec<f64> = (0..2000u64).map(|at| odd(at) as f64).collect();
        let ages: Vec<f64> = (0..2000u64).map(|at| (17 + odd(at) % 70) as f64).collect();
        // Most have the same value, which is a multiple of much, and the others are any.
        let zeros: Vec<f64> =
            (0..2000u64).map(|at| if at % 12 == 0 { odd(at) as f64 } else { 0.0 }).collect();
        let few = vec![20.0, 37.0, 41.0];
        for values in [any, ages, zeros, few, vec![7.0; 9], vec![]] {
            for law in [NoiseLaw::Gaussian, NoiseLaw::Uniform] {
                let found = of(values.iter().copied(), 1.0, false);
                assert!(found.iter().all(|own| own.least_deviation(law) <= 1.15), "{found:?}");
            }
        }
        // Two or three numbers always differ by something; where many have them they are codes.
        assert_eq!(of([20.0, 60.0], 1.0, false), []);
        assert_eq!(largest(&of([0.0, 100.0].repeat(40), 1.0, false)), Some((100.0, 1.0)));
        assert_eq!(largest(&of([3.0, 8.0].repeat(40), 1.0, false)), Some((5.0, 1.0)));
        assert_eq!(of([1e300, 2e300], 1.0, false), []);
        assert_eq!(of([0.25, 0.5], 0.1, false), []);
    }

    /// A value with more decimals than are counted, or larger than can be counted.
    #[test]
    fn an_odd_value_hides_no_unit() {
        for (odd_one, base, times) in [(0.123_456_7, 1e-6, 1e3), (1e300, 1.0, 1e3), (0.123_456_7, 1e-6, 1e9)]
        {
            let values = (0..1000u64).map(|at| times * (odd(at) % 90) as f64).chain([odd_one]);
            let found = of(values, base, false);
            let (size, share) = largest(&found).unwrap();
            assert!((size / times - 1.0).abs() < 1e-9 && share > 0.99, "{odd_one} {times}: {found:?}");
            assert!(found.iter().all(|own| !own.divides_all), "{found:?}");
        }
    }

    /// Half of all thousands are even ones, and a frequent value is like itself.
    #[test]
    fn what_is_so_by_chance_is_no_unit() {
        for law in [NoiseLaw::Gaussian, NoiseLaw::Uniform] {
            let least = |found: &[Unit]| found.iter().map(|own| own.least_deviation(law)).fold(0.0, f64::max);
            let found = of((0..1000u64).map(|at| 1000.0 * (odd(at) % 90) as f64), 1.0, false);
            assert_eq!(least(&found), 1000.0, "{law:?} {found:?}");
            let skewed = (0..2000u64).map(|at| match at % 10 {
                0..5 => 0.0,
                5..8 => 1.0,
                _ => (2 + odd(at) % 58) as f64,
            });
            let found = of(skewed, 1.0, false);
            assert!(least(&found) <= 1.0, "{law:?} {found:?}");
        }
    }

    /// Grades of a pay scale that are multiples of nothing are known all the same: whatever the gaps, the nearest one gives back
    /// no more than rounding to a unit does.
    #[test]
    fn values_of_many_records_are_known() {
        let even = [31_207.0, 38_119.0, 44_873.0, 53_411.0, 67_039.0];
        let steep: Vec<f64> = (0..10).map(|at| 100.0 * f64::from(1 << at)).collect();
        for grades in [&even[..], &steep] {
            let counts: Vec<(f64, u64)> = grades.iter().map(|&own| (own, 60)).chain([(9.0, 61)]).collect();
            let own = shared(&counts, 1.0, false).known.unwrap();
            assert!((own.share() - 1.0).abs() < 1e-9);
            for (law, most) in [(NoiseLaw::Gaussian, 0.382_925), (NoiseLaw::Uniform, 0.288_675)] {
                let noise = noise_of(law, own.least_deviation(law));
                // By hand; 9 is known too, and stands below all.
                let mut all = vec![9.0];
                all.extend(grades);
                let back: f64 = (1..all.len())
                    .map(|at| {
                        let below = 0.5 * (all[at] - all[at - 1]);
                        let above = all.get(at + 1).map_or(below, |next| 0.5 * (next - all[at]));
                        noise.between(-below, above) / grades.len() as f64
                    })
                    .sum();
                assert!((back / most - 1.05).abs() < 1e-6, "{law:?}: {back}");
            }
        }
        // Every number of a range: the noise of one unit is enough, also where a few are missing at its end.
        for gap in [0, 3] {
            let ages = (17..90u64).map(|own| (own as f64, 400)).chain([((90 + gap) as f64, 9), (3.0, 500)]);
            let own = shared(&ages.collect::<Vec<_>>(), 1.0, false).known.unwrap();
            for law in [NoiseLaw::Gaussian, NoiseLaw::Uniform] {
                assert!(own.least_deviation(law) <= 1.0, "{own:?}");
            }
        }
        // Not where hardly anything is repeated.
        let any: Vec<(f64, u64)> = (0..3000u64).map(|at| (odd(at) as f64, 1 + at % 2)).collect();
        assert_eq!(shared(&any, 1.0, false).known, None);
        assert_eq!(shared(&[(4.0, 50), (7.0, 2)], 1.0, false).known, None);
    }

    /// Blood pressures, most of which are rounded to tens or fives: few multiples, and many records of each.
    #[test]
    fn few_multiples_of_many_records_stand_out() {
        let bell = |value: i64| (-0.5 * ((value - 80) as f64 / 10.0).powi(2)).exp();
        for (unit, rounded) in [(10, 0.5), (10, 0.9), (5, 0.4), (5, 0.6)] {
            let count = |value: i64| {
                let own = 200.0 * bell(value) * (1.0 - rounded);
                let heap: f64 = (0..unit).map(|at| 200.0 * rounded * bell(value + at - unit / 2)).sum();
                (own + if value % unit == 0 { heap } else { 0.0 }).round() as u64
            };
            let counts: Vec<(f64, u64)> = (40..121).map(|value| (value as f64, count(value))).collect();
            let found = shared(&counts, 1.0, false).units;
            let tens = found.iter().find(|own| own.size == unit as f64);
            assert!(tens.is_some_and(|own| own.share > 0.4), "{unit} {rounded}: {found:?}");
        }
        // Smooth ones have no peaks, however steep.
        let smooth: [fn(i64) -> f64; 3] = [
            |own| 5000.0 * 0.6f64.powi(own as i32),
            |own| 900.0 * (-0.5 * ((own - 30) as f64 / 4.0).powi(2)).exp(),
            |own| if own == 0 { 5000.0 } else { 2000.0 / (own * own) as f64 },
        ];
        for count in smooth {
            let counts: Vec<(f64, u64)> =
                (0..60).map(|own| (own as f64, count(own).round() as u64)).collect();
            let found = shared(&counts, 1.0, false).units;
            for law in [NoiseLaw::Gaussian, NoiseLaw::Uniform] {
                assert!(found.iter().all(|own| own.least_deviation(law) <= 1.15), "{found:?}");
            }
        }
    }

    #[test]
    fn days_of_the_calendar() {
        let day = |text: String| Kind::Date.number(&text).unwrap();
        let years = |month_and_day: &'static str| {
            of((0..200u64).map(|at| day(format!("{}-{month_and_day}", 1930 + odd(at) % 70))), 1.0, true)
        };
        for month_and_day in ["01-01", "07-01", "12-31"] {
            let found = years(month_and_day);
            let (size, share) = largest(&found).unwrap();
            assert!((size - 365.2425).abs() < 1e-9 && share == 1.0, "{month_and_day}: {found:?}");
        }
        let months = of(
            (0..300u64).map(|at| day(format!("20{:02}-{:02}-01", odd(at) % 20, 1 + odd(at + 7) % 12))),
            1.0,
            true,
        );
        assert!((largest(&months).unwrap().0 - 30.436_875).abs() < 1e-9, "{months:?}");
        let ends = of((0..24).map(|at| day(format!("20{:02}-{:02}-01", at, 1 + at % 12)) - 1.0), 1.0, true);
        assert!(ends.iter().any(|own| own.grid == Grid::Months(1) && own.share == 1.0), "{ends:?}");
        // The first day of a quarter, the last of a half-year.
        for (months, moved) in [(3, 0.0), (6, 1.0)] {
            let month = |at: u64| 1 + months * (odd(at + 7) % (12 / months));
            let first = |at: u64| day(format!("20{:02}-{:02}-01", odd(at) % 20, month(at)));
            let found = of((0..300u64).map(|at| first(at) - moved), 1.0, true);
            let (size, share) = largest(&found).unwrap();
            assert!((size - months as f64 * 30.436_875).abs() < 1e-9 && share == 1.0, "{found:?}");
        }
        // One day of the week.
        let mondays = of((0..300u64).map(|at| 4.0 + 7.0 * (odd(at) % 900) as f64), 1.0, true);
        assert!(
            mondays.iter().any(|own| own.size == 7.0 && own.share == 1.0 && !own.divides_all),
            "{mondays:?}"
        );
        let any = of((0..2000u64).map(|at| (odd(at) % 20_000) as f64), 1.0, true);
        assert!(any.iter().all(|own| own.least_deviation(NoiseLaw::Gaussian) <= 1.0), "{any:?}");
        assert_eq!(of([day("2020-01-31".into()), day("2021-05-05".into())], 1.0, true), []);
    }

    /// Of values that all share a unit noise of one unit leaves 38 % (even noise 29 %): no share may leave more.
    #[test]
    fn the_least_noise_leaves_as_many_as_noise_of_a_unit() {
        for (law, most) in [(NoiseLaw::Gaussian, 0.382_925), (NoiseLaw::Uniform, 0.288_675)] {
            for share in [0.2, 0.5, 0.7, 0.95, 1.0] {
                let unit = Unit { grid: Grid::Multiples, size: 1000.0, share, divides_all: false };
                let least = unit.least_deviation(law);
                if share <= most {
                    assert_eq!(least, 0.0);
                    continue;
                }
                let back = share * noise_of(law, least).between(-500.0, 500.0);
                assert!((back - most).abs() < 1e-5 && least <= 1000.0, "{law:?} {share} {least} {back}");
            }
        }
    }
}
