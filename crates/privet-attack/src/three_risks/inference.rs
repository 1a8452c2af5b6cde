//! Attribute inference (WP216): who knows some columns of a person looks for the nearest published records and takes their
//! secret for the person's.
//!
//! Of records that are equally near the value that most of them have is taken, or, of numbers of which only the rough size
//! is asked, the median. A number is right within 5 % where the column has more than [`FEW_NUMBERS`] different ones, and
//! exactly otherwise. A label that stands for several values is a random one of them, or the middle of its interval.

use privet_data::Random;
use rayon::prelude::*;

use super::distance::Whose;
use super::{Beside, Column, Compared, Effort, Label, Nearest, Tried, Value, sample};
use crate::rate::Rate;

/// A column of up to so many different numbers must be guessed exactly.
pub const FEW_NUMBERS: usize = 20;

/// How far a guess may be off, as a share of the true number.
pub const TOLERANCE: f64 = 0.05;

/// What an adversary guesses.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Guess {
    Missing,
    Number(f64),
    Text(u32),
    Nothing,
}

/// Tries to infer the secret of people by the columns that are known; `None` when there is nobody or nothing is known.
pub fn inference(beside: &Beside<'_>, known: &[usize], secret: usize, effort: Effort) -> Option<Tried> {
    let column = beside.columns.get(secret)?;
    if known.is_empty() || beside.people == 0 || beside.records == 0 {
        return None;
    }
    let nearest = Nearest::new(beside, known);
    let is_rough = is_rough(column);
    let rate = |whose: Whose, of: usize, without_own: bool, stream: u64| -> Rate {
        let targets = sample(of, effort.attacks, effort.seed, stream);
        let is_right = |buffers: &mut (Vec<f32>, Vec<f32>, Vec<u32>), person: &u32| {
            let own = beside.own.filter(|_| without_own).map_or_else(Vec::new, |own| own(*person));
            let mut random = Random::stream(effort.seed ^ stream, u64::from(*person));
            nearest.distances(whose, *person, &mut buffers.0, &mut buffers.1);
            Nearest::nearest(&buffers.0, &own, &mut buffers.2);
            let guess = of_records(column, &buffers.2, is_rough, &mut random);
            is_right(column, whose, *person, guess, is_rough)
        };
        let hits = targets.par_iter().map_init(Default::default, is_right).filter(|own| *own).count();
        Rate::new(hits as u64, targets.len() as u64)
    };
    let attack = rate(Whose::Original, beside.people, false, 31);
    let all = [known, &[secret]].concat();
    let control = match (beside.strangers_with(&all), beside.own) {
        (Some(strangers), _) => Some((Compared::Strangers, rate(Whose::Control, strangers, false, 32))),
        (None, Some(_)) => Some((Compared::WithoutOwn, rate(Whose::Original, beside.people, true, 31))),
        (None, None) => None,
    };
    let targets = sample(beside.people, effort.attacks, effort.seed, 31);
    let by_chance = targets.iter().filter(|&&person| {
        let mut random = Random::stream(effort.seed ^ 33, u64::from(person));
        let record = random.below(beside.records) as u32;
        let guess = of_records(column, &[record], is_rough, &mut random);
        is_right(column, Whose::Original, person, guess, is_rough)
    });
    let baseline = Rate::new(by_chance.count() as u64, targets.len() as u64);
    Some(Tried { attack, baseline, control })
}

/// Whether only the rough size of numbers is asked for.
pub fn is_rough(column: &Column) -> bool {
    let mut numbers: Vec<u64> = column
        .values
        .iter()
        .filter_map(|own| if let Value::Number(number) = own { Some(number.to_bits()) } else { None })
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len() > FEW_NUMBERS
}

/// The guess that records lead to.
fn of_records(column: &Column, records: &[u32], is_rough: bool, random: &mut Random) -> Guess {
    let labels = records.iter().filter_map(|&record| column.published.get(record as usize).copied());
    if is_rough {
        let mut numbers: Vec<f64> = labels
            .clone()
            .filter_map(|label| match column.label(label) {
                Label::Between(low, high) if low.is_finite() && high.is_finite() => Some(0.5 * (low + high)),
                Label::Between(low, high) => [*low, *high].into_iter().find(|own| own.is_finite()),
                _ => None,
            })
            .collect();
        if 2 * numbers.len() >= records.len().max(1) {
            numbers.sort_by(f64::total_cmp);
            return numbers.get(numbers.len() / 2).map_or(Guess::Nothing, |own| Guess::Number(*own));
        }
    }
    let mut labels: Vec<u32> = labels.collect();
    labels.sort_unstable();
    // Of labels that as many records have, any is as good.
    let counts: Vec<(usize, u32)> = labels.chunk_by(|a, b| a == b).map(|own| (own.len(), own[0])).collect(); // why: no chunk is empty
    let most = counts.iter().map(|own| own.0).max().unwrap_or(0);
    let best: Vec<u32> = counts.iter().filter(|own| own.0 == most).map(|own| own.1).collect();
    let Some(&label) = best.get(random.below(best.len().max(1))) else { return Guess::Nothing };
    match column.label(label) {
        Label::Missing => Guess::Missing,
        Label::Between(low, high) if low == high => Guess::Number(*low),
        Label::Between(low, high) => {
            let inside = |own: &f64| *low <= *own && *own <= *high;
            let numbers = column.values.iter();
            let numbers: Vec<f64> = numbers
                .filter_map(|own| if let Value::Number(number) = own { Some(*number) } else { None })
                .filter(inside)
                .collect();
            numbers.get(random.below(numbers.len().max(1))).map_or(Guess::Nothing, |own| Guess::Number(*own))
        }
        Label::Values(all) => {
            all.get(random.below(all.len().max(1))).map_or(Guess::Nothing, |own| Guess::Text(*own))
        }
        Label::Anything => match column.values.len() {
            0 => Guess::Nothing,
            values => of_code(column, random.below(values) as u32),
        },
    }
}

fn of_code(column: &Column, code: u32) -> Guess {
    match column.value(code) {
        Value::Missing => Guess::Missing,
        Value::Number(number) => Guess::Number(number),
        Value::Text => Guess::Text(code),
    }
}

fn is_right(column: &Column, whose: Whose, person: u32, guess: Guess, is_rough: bool) -> bool {
    let codes = match whose {
        Whose::Original => Some(&column.original),
        Whose::Control => column.control.as_ref(),
    };
    let Some(&code) = codes.and_then(|own| own.get(person as usize)) else { return false };
    match (guess, of_code(column, code)) {
        (Guess::Number(guess), Guess::Number(truth)) => {
            let allowed = if is_rough { TOLERANCE * truth.abs() } else { 0.0 };
            (guess - truth).abs() <= allowed + 1e-9 * truth.abs()
        }
        (Guess::Nothing, _) => false,
        (guess, truth) => guess == truth,
    }
}
