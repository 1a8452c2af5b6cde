//! The method of Franconi and Stander (2002; survey ME-43): a number is replaced by the midpoint of its predicted interval.
//! That of one of the p% lowest is replaced by a value above its midpoint, that of one of the p% highest by one below.
//!
//! The interval is that of a least-squares regression on the columns that are kept: ŷ ± z·s·√(1+h), with the quantile z
//! of the normal distribution (Student's for large samples) and the leverage h. The survey does not say how far above
//! or below; here it is a share of half the interval.
//!
//! # Guarantee
//! The result is a function of the original, without randomness: copies are equal. A published value depends on its own
//! original only through the fit and through whether it is in a tail; the tail of a record is told by the side on which
//! its value lies of a midpoint that a reader can estimate. A record that nobody is like in the columns that are kept
//! would be fitted exactly, so it is refused, and categories of fewer than five records are no features. Variances are too small, as those of fitted values are. No
//! promise of privacy. Ties at the border of a tail go by the order of records.

use super::algebra::{FEWEST, MOST_LEVERAGE};
use super::frame::to_decimals;
use super::plan::Task;
use super::regression::{Features, Linear, dot};
use super::{Column, ColumnModel, Frame, Model, SyntheticError};
use crate::normal::two_sided_quantile;

const METHOD: &str = "the method of Franconi and Stander";

/// Which values are moved, and how far.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct FranconiStander {
    /// The share p of records in each tail, from 0 to 0.5.
    pub tail: f64,
    /// The level of the interval, between 0 and 1.
    pub level: f64,
    /// How far a tail is moved, as a share of half the interval, above 0 and at most 1.
    pub shift: f64,
}

impl Default for FranconiStander {
    fn default() -> Self {
        Self { tail: 0.05, level: 0.95, shift: 0.5 }
    }
}

impl FranconiStander {
    fn check(&self) -> Result<(), SyntheticError> {
        let wrong = |name, accepted| Err(SyntheticError::Parameter { name, accepted });
        if !(0.0..=0.5).contains(&self.tail) {
            return wrong("the share of a tail", "from 0 to 0.5");
        }
        if !(self.level > 0.0 && self.level < 1.0) {
            return wrong("the level of the interval", "between 0 and 1");
        }
        if !(self.shift > 0.0 && self.shift <= 1.0) {
            return wrong("the shift of a tail", "above 0 and at most 1");
        }
        Ok(())
    }
}

/// Makes the copies of a task.
pub(super) fn synthesize(
    task: &Task<'_>,
    options: FranconiStander,
) -> Result<(Vec<Frame>, Vec<ColumnModel>), SyntheticError> {
    options.check()?;
    if task.full {
        return Err(SyntheticError::Scope {
            method: METHOD,
            accepted: "replaces chosen columns, not all of them",
        });
    }
    let frame = task.frame;
    let kept = task.kept();
    for &column in &kept {
        if frame.columns()[column].any_missing() {
            return Err(SyntheticError::Missing { column, method: METHOD });
        }
    }
    let rows = &task.learned;
    let features = Features::of_at_least(FEWEST, frame.columns(), &kept, rows)?;
    let mut copy = task.start(frame);
    let mut models = Vec::with_capacity(task.targets.len());
    for &target in &task.targets {
        let own = frame.complete_numbers(target, rows, METHOD)?;
        let Column::Numeric(values) = &frame.columns()[target] else { continue };
        let linear = Linear::fit(target, frame.columns(), values, rows, &features)?;
        let sigma = (linear.squares / linear.degrees as f64).sqrt();
        let half = two_sided_quantile(options.level) * sigma * options.shift;
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|&a, &b| own[a].total_cmp(&own[b]));
        let count = (options.tail * rows.len() as f64).floor() as usize;
        let mut sides = vec![0.0; rows.len()];
        order.iter().take(count).for_each(|&place| sides[place] = 1.0);
        order.iter().rev().take(count).for_each(|&place| sides[place] = -1.0);
        let places = if task.round { frame.columns()[target].decimals() } else { None };
        let (mut row, mut dense) = (Vec::new(), vec![0.0; features.size]);
        let mut determined = 0;
        if let Column::Numeric(out) = &mut copy.columns[target] {
            for (&record, side) in rows.iter().zip(sides) {
                features.read(frame.columns(), record as usize, &mut row);
                dense.fill(0.0);
                row.iter().for_each(|&(feature, value)| dense[feature as usize] = value);
                // xᵗ(XᵗX)⁻¹x is the squared length of L⁻¹x.
                let leverage: f64 = linear.factor.forward(&dense).iter().map(|own| own * own).sum();
                determined += usize::from(leverage > MOST_LEVERAGE);
                let midpoint = dot(&row, &linear.coefficients) + side * half * (1.0 + leverage).sqrt();
                let value = linear.value(midpoint);
                out[record as usize] = places.map_or(value, |places| to_decimals(value, places));
            }
        }
        if determined > 0 {
            return Err(SyntheticError::Determined { column: target, records: determined });
        }
        let model = Model::FranconiStander { tail_records: count, features: features.size };
        models.push(ColumnModel { column: target, model, decimals: places });
    }
    Ok((vec![copy; task.copies], models))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededCoins;
    use crate::synthetic::{Method, Plan, synthesize};
    use crate::testing::assert_near;

    fn numbers(values: &[f64]) -> Column {
        Column::Numeric(values.to_vec())
    }

    /// survey ME-43 by hand. x = −2…2 and y = (0, 2, 1, 3, 9): ȳ = 3, slope Σxy/Σx² = 19/10, fitted −0.8, 1.1, 3, 4.9,
    /// 6.8; residuals 0.8, 0.9, −2, −1.9, 2.2 with squares 13.9, s² = 13.9/3. The lowest and the highest record are the
    /// first and the last, each with leverage 1/5 + 4/10 = 0.6.
    #[test]
    fn by_hand() {
        let frame =
            Frame::new(vec![numbers(&[-2.0, -1.0, 0.0, 1.0, 2.0]), numbers(&[0.0, 2.0, 1.0, 3.0, 9.0])]);
        let options = FranconiStander { tail: 0.2, level: 0.95, shift: 1.0 };
        let plan = Plan::partial(vec![1], Method::FranconiStander(options)).copies(1).round(false);
        let made = synthesize(&frame.unwrap(), &plan, &mut SeededCoins::new(1)).unwrap();
        let Column::Numeric(found) = &made.copies[0].columns()[1] else { unreachable!() };
        let half = 1.959_963_984_540_054 * (13.9f64 / 3.0).sqrt() * 1.6f64.sqrt();
        for (found, expected) in found.iter().zip([-0.8 + half, 1.1, 3.0, 4.9, 6.8 - half]) {
            assert_near(*found, expected, 1e-9);
        }
        assert_eq!(made.models[0].model, Model::FranconiStander { tail_records: 1, features: 2 });
    }

    #[test]
    fn edges() {
        let coins = &mut SeededCoins::new(1);
        let frame = Frame::new(vec![numbers(&[1.0, 2.0, 3.0, 4.0]), numbers(&[5.0; 4])]).unwrap();
        let of = |options| Plan::partial(vec![1], Method::FranconiStander(options)).copies(2);
        let made = synthesize(&frame, &of(FranconiStander::default()), coins).unwrap();
        assert_eq!(made.copies, vec![frame.clone(); 2]);
        for (tail, level, shift) in
            [(0.6, 0.9, 0.5), (f64::NAN, 0.9, 0.5), (0.1, 1.0, 0.5), (0.1, 0.9, 0.0), (0.1, 0.9, 1.5)]
        {
            let found = synthesize(&frame, &of(FranconiStander { tail, level, shift }), coins);
            assert!(matches!(found, Err(SyntheticError::Parameter { .. })), "{found:?}");
        }
        let full = Plan::full(4, Method::FranconiStander(FranconiStander::default()));
        assert!(matches!(synthesize(&frame, &full, coins), Err(SyntheticError::Scope { .. })));
        // Nobody is like the last: the line through all goes through it.
        let x: Vec<f64> = (0..20).map(|row| if row == 19 { 1e6 } else { f64::from(row) }).collect();
        let y: Vec<f64> = (0..20).map(|row| f64::from(row * row % 7)).collect();
        let apart = Frame::new(vec![numbers(&x), numbers(&y)]).unwrap();
        let found = synthesize(&apart, &of(FranconiStander::default()), coins);
        assert_eq!(found, Err(SyntheticError::Determined { column: 1, records: 1 }));
        // Somebody alone in a category is fitted with the others.
        let codes = (0..20).map(|row| u32::from(row == 19)).collect();
        let alone = Frame::new(vec![Column::Categorical { codes, categories: 2 }, numbers(&y)]).unwrap();
        let made =
            synthesize(&alone, &of(FranconiStander { tail: 0.0, ..FranconiStander::default() }), coins)
                .unwrap();
        let Column::Numeric(found) = &made.copies[0].columns()[1] else { unreachable!() };
        assert!(found.iter().all(|own| *own == found[0]) && found[19] != y[19], "{found:?}");
        let few = Frame::new(vec![numbers(&[1.0, 2.0]), numbers(&[5.0, 6.0])]).unwrap();
        let found = synthesize(&few, &of(FranconiStander::default()), coins);
        assert!(matches!(found, Err(SyntheticError::TooFew { column: 1, found: 2, needed: 4 })), "{found:?}");
    }
}
