//! A regression nobody was to make, from counts, means and sums of squares (survey AT-23; Palley and Simonoff 1987).
//!
//! A desk answers, for any box of values of the explaining columns, how many records lie in it, and of each column the
//! mean and the sum of squares. The adversary asks for a histogram of each explaining column, cuts it into parts of about
//! as many records, asks for every box of such parts, and fits the line through the answers.
//!
//! # Guarantee
//! Where the data follow a line and answers are exact, the coefficients are unbiased: boxes are chosen by the explaining
//! columns alone. The sum of squares of the explained column tells how good the fit is. Noise in the answers biases the
//! fit towards nothing.
//!
//! Departure: the survey builds artificial data that give the same answers and fits those. Boxes leave open how columns go
//! together inside a box; artificial data that follow the fitted line there give, when fitted, the weighted regression
//! through the means of boxes again, so that one is solved directly and no data are invented.

use nalgebra::{DMatrix, DVector};
use serde::Serialize;

use super::records::{NoiseAttackError, Records, check_length, check_numbers};

/// What a desk answers about a box.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxAnswer {
    /// How many records lie in it.
    pub count: f64,
    /// The mean of each explaining column in it, then that of the explained column.
    pub means: Vec<f64>,
    /// The sum of squares of the explained column in it.
    pub squares: f64,
}

/// A fitted line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Regression {
    /// The constant.
    pub constant: f64,
    /// Per explaining column the slope.
    pub slopes: Vec<f64>,
    /// The share of the variance that the line explains, from 0 to 1.
    pub explained: f64,
    /// How many questions were asked.
    pub questions: u64,
}

/// The most boxes that are asked for.
pub const MOST_BOXES: usize = 1 << 16;

/// The bars of the histogram that is asked first, per part.
const BARS: usize = 8;

/// Asks a desk and fits the line. `bounds` are the publicly known ends of the explaining columns; boxes hold what is from
/// their first end to below their second. A desk that refuses a box answers `None`.
///
/// # Errors
/// When bounds are none, there are too many boxes, a column of the answers is missing, or too few boxes are answered.
pub fn from_boxes(
    bounds: &[(f64, f64)],
    parts: usize,
    mut ask: impl FnMut(&[(f64, f64)]) -> Option<BoxAnswer>,
) -> Result<Regression, NoiseAttackError> {
    let width = bounds.len();
    if width == 0 || bounds.iter().any(|own| check_numbers(&[own.0, own.1], 1).is_err() || own.0 >= own.1) {
        let accepted = "for each of one or more columns a lower and a higher number";
        return Err(NoiseAttackError::Parameter { name: "the bounds", accepted });
    }
    let boxes = u32::try_from(width).ok().and_then(|width| parts.checked_pow(width)).unwrap_or(usize::MAX);
    if parts < 2 {
        return Err(NoiseAttackError::Parameter { name: "the parts of a column", accepted: "2 or more" });
    }
    if boxes > MOST_BOXES {
        return Err(NoiseAttackError::TooLarge {
            what: "the number of boxes",
            found: boxes,
            most: MOST_BOXES,
        });
    }
    let mut questions = 0;
    let mut asked: Vec<(f64, f64)> = bounds.to_vec();
    let mut cuts = Vec::with_capacity(width);
    for (column, &own) in bounds.iter().enumerate() {
        let bars: Vec<f64> = (0..BARS * parts)
            .map(|bar| {
                questions += 1;
                set(&mut asked, column, even(own, BARS * parts, bar));
                ask(&asked).map_or(0.0, |answer| answer.count)
            })
            .collect();
        set(&mut asked, column, own);
        cuts.push(quantiles(own, &bars, parts));
    }
    let mut found: Vec<BoxAnswer> = Vec::new();
    for place in 0..boxes {
        let mut rest = place;
        for (column, cuts) in cuts.iter().enumerate() {
            let own = rest % parts;
            rest /= parts;
            if let Some(&[from, to]) = cuts.get(own..own + 2) {
                set(&mut asked, column, (from, to));
            }
        }
        if asked.iter().any(|own| own.0 >= own.1) {
            continue;
        }
        questions += 1;
        let Some(answer) = ask(&asked) else { continue };
        check_length("means in an answer", answer.means.len(), width + 1)?;
        // Noise can make a count that is none, and a mean of nobody is nothing.
        let numbers = check_numbers(&[answer.count], 1).and(check_numbers(&answer.means, 1));
        if answer.count >= 0.5 && numbers.is_ok() && answer.squares.is_finite() {
            found.push(answer);
        }
    }
    let (constant, slopes, explained) = fit(&found, width)?;
    Ok(Regression { constant, slopes, explained, questions })
}

fn set(asked: &mut [(f64, f64)], column: usize, own: (f64, f64)) {
    if let Some(place) = asked.get_mut(column) {
        *place = own;
    }
}

/// One of so many equal parts.
fn even((from, to): (f64, f64), parts: usize, part: usize) -> (f64, f64) {
    let at = |part: usize| if part == parts { to } else { from + (to - from) * part as f64 / parts as f64 };
    (at(part), at(part + 1))
}

/// Ends of parts that hold about as many records each, from a histogram of equal bars.
fn quantiles(bounds: (f64, f64), bars: &[f64], parts: usize) -> Vec<f64> {
    let total: f64 = bars.iter().map(|count| count.max(0.0)).sum();
    let mut cuts = vec![bounds.0];
    let mut sum = 0.0;
    for (bar, count) in bars.iter().enumerate() {
        sum += count.max(0.0);
        while cuts.len() < parts && sum >= total * cuts.len() as f64 / parts as f64 && total > 0.0 {
            cuts.push(even(bounds, bars.len(), bar).1);
        }
    }
    cuts.resize(parts + 1, bounds.1);
    set_last(&mut cuts, bounds.1);
    cuts
}

fn set_last(cuts: &mut [f64], end: f64) {
    if let Some(last) = cuts.last_mut() {
        *last = end;
    }
}

/// The weighted least squares through the means of boxes.
fn fit(found: &[BoxAnswer], width: usize) -> Result<(f64, Vec<f64>, f64), NoiseAttackError> {
    if found.len() < width + 1 {
        let what = "boxes with an answer";
        return Err(NoiseAttackError::Length { what, found: found.len(), expected: width + 1 });
    }
    let total: f64 = found.iter().map(|own| own.count).sum();
    let mean = |column: usize| {
        let each = |own: &BoxAnswer| own.count / total * own.means.get(column).copied().unwrap_or(0.0);
        found.iter().map(each).sum::<f64>()
    };
    let means: Vec<f64> = (0..=width).map(mean).collect();
    let centred = |row: usize, column: usize| {
        let own = found
            .get(row)
            .map_or((0.0, 0.0), |own| (own.count.sqrt(), own.means.get(column).copied().unwrap_or(0.0)));
        own.0 * (own.1 - means.get(column).copied().unwrap_or(0.0))
    };
    let design = DMatrix::from_fn(found.len(), width, centred);
    // Columns in their own scale, so that units do not decide what counts as dependent.
    let scales: Vec<f64> = design.column_iter().map(|own| own.norm()).collect();
    let scaled = DMatrix::from_fn(found.len(), width, |row, column| {
        let scale = scales.get(column).copied().unwrap_or(0.0);
        if scale > 0.0 { centred(row, column) / scale } else { 0.0 }
    });
    let target = DVector::from_fn(found.len(), |row, _| centred(row, width));
    if scaled.iter().chain(target.iter()).any(|own| !own.is_finite()) {
        return Err(NoiseAttackError::Solver);
    }
    let solved = scaled.svd(true, true).solve(&target, 1e-10).map_err(|_| NoiseAttackError::Solver)?;
    let slopes: Vec<f64> = solved
        .iter()
        .zip(&scales)
        .map(|(slope, scale)| if *scale > 0.0 { slope / scale } else { 0.0 })
        .collect();
    let predicted: f64 = slopes.iter().zip(&means).map(|(slope, mean)| slope * mean).sum();
    let last = means.get(width).copied().unwrap_or(0.0);
    let squares = found.iter().map(|own| own.squares).sum::<f64>() - total * last * last;
    // Within boxes the line explains what the columns spread there, which the answers do not tell: left out.
    let along = (&design * DVector::from_column_slice(&slopes)).norm_squared();
    let explained = if squares > 0.0 { (along / squares).clamp(0.0, 1.0) } else { 0.0 };
    Ok((last - predicted, slopes, explained))
}

/// The line through the records themselves, the last column being the explained one: what the adversary's is compared
/// with.
///
/// # Errors
/// When there are too few records, or only one column.
pub fn of_records(records: Records<'_>) -> Result<Regression, NoiseAttackError> {
    let Some(width) = records.width().checked_sub(1).filter(|width| *width > 0) else {
        return Err(NoiseAttackError::Parameter { name: "the number of columns", accepted: "2 or more" });
    };
    let each = |row: &[f64]| {
        let squares = row.last().map_or(0.0, |value| value * value);
        BoxAnswer { count: 1.0, means: row.to_vec(), squares }
    };
    let (constant, slopes, explained) = fit(&records.rows().map(each).collect::<Vec<_>>(), width)?;
    Ok(Regression { constant, slopes, explained, questions: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_perturb::{Coins, SeededCoins};

    /// Records of two explaining columns in different units and wages that follow them: 20 + 2·years − 0.001·distance.
    fn wages(records: usize, coins: &mut SeededCoins) -> Vec<f64> {
        (0..records)
            .flat_map(|_| {
                let years = 40.0 * coins.unit().unwrap().powi(2);
                let distance = 10_000.0 * coins.unit().unwrap();
                [years, distance, 20.0 + 2.0 * years - 0.001 * distance + 5.0 * coins.normal().unwrap()]
            })
            .collect()
    }

    fn desk(records: &[f64], asked: &[(f64, f64)]) -> BoxAnswer {
        let inside = |row: &&[f64]| row.iter().zip(asked).all(|(value, own)| (own.0..own.1).contains(value));
        let rows: Vec<&[f64]> = records.chunks_exact(3).filter(inside).collect();
        let count = rows.len() as f64;
        BoxAnswer {
            count,
            means: (0..3).map(|column| rows.iter().map(|row| row[column]).sum::<f64>() / count).collect(),
            squares: rows.iter().map(|row| row[2] * row[2]).sum(),
        }
    }

    /// survey AT-23: from answers alone, coefficients close to those of the original data.
    #[test]
    fn the_line_from_answers() {
        let mut coins = SeededCoins::new(23);
        let records = wages(2000, &mut coins);
        let bounds = [(0.0, 40.0), (0.0, 10_000.0)];
        let found = from_boxes(&bounds, 5, |asked| Some(desk(&records, asked))).unwrap();
        let truth = of_records(Records::new(&records, 3).unwrap()).unwrap();
        assert_eq!(found.questions, 2 * 40 + 25);
        assert!((truth.slopes[0] - 2.0).abs() < 0.05 && (truth.slopes[1] + 0.001).abs() < 2e-4, "{truth:?}");
        assert!((found.slopes[0] / truth.slopes[0] - 1.0).abs() < 0.02, "{found:?} {truth:?}");
        assert!((found.slopes[1] - truth.slopes[1]).abs() < 1e-4, "{found:?} {truth:?}");
        assert!((found.constant - truth.constant).abs() < 1.0, "{found:?} {truth:?}");
        assert!(truth.explained > 0.9 && found.explained > 0.85 && found.explained <= truth.explained + 1e-9);
        // The control: answers about people whose wages follow nothing.
        let mut none = records;
        none.chunks_exact_mut(3).for_each(|row| row[2] = 60.0 + 5.0 * coins.normal().unwrap());
        let none = from_boxes(&bounds, 5, |asked| Some(desk(&none, asked))).unwrap();
        assert!(none.slopes[0].abs() < 0.1 && none.explained < 0.1, "{none:?}");
    }

    #[test]
    fn exact_on_a_line() {
        let line: Vec<f64> = (0..60).flat_map(|i| [f64::from(i % 10), f64::from(i % 7)]).collect();
        let line: Vec<f64> =
            line.chunks_exact(2).flat_map(|own| [own[0], own[1], 1.0 + 3.0 * own[0] - own[1]]).collect();
        let found = from_boxes(&[(0.0, 10.0), (0.0, 7.0)], 3, |asked| Some(desk(&line, asked))).unwrap();
        assert!((found.slopes[0] - 3.0).abs() < 1e-9 && (found.slopes[1] + 1.0).abs() < 1e-9, "{found:?}");
        assert!((found.constant - 1.0).abs() < 1e-9);
    }

    #[test]
    fn edges() {
        let nobody = |_: &[(f64, f64)]| None;
        assert!(from_boxes(&[], 3, nobody).is_err());
        assert!(from_boxes(&[(1.0, 1.0)], 3, nobody).is_err());
        assert!(from_boxes(&[(0.0, f64::NAN)], 3, nobody).is_err());
        assert!(from_boxes(&[(0.0, 1.0)], 1, nobody).is_err());
        assert!(from_boxes(&[(0.0, 1.0); 9], 10, nobody).is_err());
        assert!(from_boxes(&[(0.0, 1.0)], 3, nobody).is_err());
        let short = |_: &[(f64, f64)]| Some(BoxAnswer { count: 3.0, means: vec![1.0], squares: 1.0 });
        assert!(from_boxes(&[(0.0, 1.0)], 3, short).is_err());
        let empty = |_: &[(f64, f64)]| Some(BoxAnswer { count: 0.0, means: vec![f64::NAN; 2], squares: 0.0 });
        assert!(from_boxes(&[(0.0, 1.0)], 3, empty).is_err());
        for wild in [f64::INFINITY, 1e99] {
            let wild = |asked: &[(f64, f64)]| {
                let means = vec![1e99 * asked[0].0, -1e99];
                Some(BoxAnswer { count: wild, means, squares: f64::MAX })
            };
            let found = from_boxes(&[(0.0, 1.0)], 3, wild);
            assert!(found.is_err() || found.is_ok_and(|own| own.explained <= 1.0));
        }
        assert!(of_records(Records::new(&[1.0, 2.0], 1).unwrap()).is_err());
        assert!(of_records(Records::new(&[1.0, 2.0], 2).unwrap()).is_err());
        let flat = of_records(Records::new(&[1.0, 5.0, 1.0, 5.0], 2).unwrap()).unwrap();
        assert!(flat.slopes == [0.0] && flat.explained == 0.0 && flat.constant == 5.0);
    }
}
