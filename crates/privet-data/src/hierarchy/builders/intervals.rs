//! Numeric intervals with top and bottom coding (survey ME-05).
//!
//! Level `i` cuts the number line at `min + j * intervals[i]`; each width is a multiple of the one before it,
//! so levels nest. From level 1 on, everything from `top` upward is one label and so is everything below
//! `bottom`; intervals end there. All arithmetic is exact: bounds and values are compared as scaled whole
//! numbers read from their digits, so 0.3 lies in `[0.3,0.4)` and nowhere else.

use super::{Values, check_levels};
use crate::Kind;
use crate::hierarchy::notation::{Keys, Notation};
use crate::hierarchy::{Hierarchy, HierarchyError, Level, LevelBuilder};

/// `{ intervals = [5, 10, 20], min = 0, top = 90, bottom = 15 }`
///
/// Intervals of whole numbers are labelled `20-24`, those of decimals `[20,25)`; what lies above and below
/// is `>=90` and `<15`. A last level `*` is added. The leaves are the values in the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Intervals {
    /// The width of the intervals at each level, each a multiple of the one before it. A width of 1 over whole
    /// numbers keeps the values between `bottom` and `top` as they are.
    pub widths: Vec<f64>,
    /// Where an interval begins. Intervals go on below it.
    pub min: f64,
    /// Values from here upward are one.
    pub top: Option<f64>,
    /// Values below are one.
    pub bottom: Option<f64>,
}

/// More digits behind the point than any measurement has.
const MOST_DECIMALS: u32 = 12;
/// Numbers beyond this are not exact in a job file.
const LARGEST: f64 = 1e15;

impl Intervals {
    /// Intervals of these widths that begin at 0, without top or bottom.
    pub fn new(widths: Vec<f64>) -> Self {
        Self { widths, min: 0.0, top: None, bottom: None }
    }

    pub(in crate::hierarchy) fn read(mut keys: Keys) -> Result<Self, HierarchyError> {
        let widths = keys
            .need("intervals")?
            .into_list("intervals", "a list of widths such as [5, 10, 20]")?
            .into_iter()
            .map(|width| width.into_number("intervals"))
            .collect::<Result<_, _>>()?;
        let mut number = |key: &str| keys.take(key).map(|number| number.into_number(key)).transpose();
        let (min, top, bottom) = (number("min")?.unwrap_or(0.0), number("top")?, number("bottom")?);
        keys.finish(&["intervals", "min", "top", "bottom"])?;
        Ok(Self { widths, min, top, bottom })
    }

    pub(in crate::hierarchy) fn write(&self) -> Notation {
        let widths = self.widths.iter().map(|&width| Notation::number(width)).collect();
        let mut table = vec![("intervals".into(), Notation::List(widths))];
        let bounds = [("min", Some(self.min)), ("top", self.top), ("bottom", self.bottom)];
        for (key, bound) in bounds {
            table.extend(bound.map(|bound| (key.into(), Notation::number(bound))));
        }
        Notation::Table(table)
    }

    pub(super) fn build(&self, values: &Values<'_>) -> Result<Hierarchy, HierarchyError> {
        check_levels("intervals", self.widths.len())?;
        values.need_kind("intervals", &[Kind::Integer, Kind::Decimal])?;
        let whole = values.kind == Kind::Integer;
        let cut = Cuts::new(self, whole)?;
        let scaled: Vec<i128> =
            values.texts.iter().filter_map(|text| floor_scaled(text, cut.decimals)).collect();
        if scaled.len() < values.texts.len() {
            let problem = format!(
                "{} of the column's values are too large to lie in intervals",
                values.texts.len() - scaled.len()
            );
            return Err(HierarchyError::parameter("intervals", problem));
        }
        let mut levels: Vec<Level> = Vec::with_capacity(self.widths.len() + 1);
        for &width in &cut.widths {
            let mut level = LevelBuilder::default();
            let mut last: Option<(Place, String)> = None;
            for &value in &scaled {
                let place = cut.place(value, width);
                // Values come in order, so most labels are that of the value before.
                let label = match last.take() {
                    Some((known, label)) if known == place => label,
                    _ => cut.label(place, whole),
                };
                level.push(&label);
                last = Some((place, label));
            }
            levels.push(level.finish());
        }
        levels.push(Level::top(values.texts.len()));
        Hierarchy::from_levels(values.leaves(), levels)
    }
}

/// The parameters as whole numbers of 10^-decimals.
struct Cuts {
    decimals: u32,
    widths: Vec<i128>,
    min: i128,
    top: Option<i128>,
    bottom: Option<i128>,
}

/// Where a value lies at one level.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Below(i128),
    /// From the first to before the second.
    Between(i128, i128),
    From(i128),
}

impl Cuts {
    fn new(given: &Intervals, whole: bool) -> Result<Self, HierarchyError> {
        let numbers = given
            .widths
            .iter()
            .map(|&width| ("intervals", width))
            .chain([("min", given.min)])
            .chain(given.top.map(|top| ("top", top)))
            .chain(given.bottom.map(|bottom| ("bottom", bottom)));
        let mut decimals = 0;
        for (key, number) in numbers {
            if !number.is_finite() || number.abs() > LARGEST {
                let problem = "is not a number that can be used; accepted are numbers up to 10^15";
                return Err(HierarchyError::parameter(key, problem));
            }
            if whole && number.fract() != 0.0 {
                let problem =
                    "has a fraction, but the column holds whole numbers; accepted are whole numbers";
                return Err(HierarchyError::parameter(key, problem));
            }
            decimals = decimals.max(decimals_of(number));
        }
        if decimals > MOST_DECIMALS {
            let problem =
                format!("needs {decimals} digits behind the point; at most {MOST_DECIMALS} are accepted");
            return Err(HierarchyError::parameter("intervals", problem));
        }
        // why: finite numbers below 10^15 with at most 12 decimals always fit
        let scale = |number: f64| floor_scaled(&number.to_string(), decimals).unwrap_or_default();
        let widths: Vec<i128> = given.widths.iter().map(|&width| scale(width)).collect();
        if widths.iter().any(|&width| width <= 0) {
            return Err(HierarchyError::parameter("intervals", "has a width that is not above 0"));
        }
        for (i, pair) in widths.windows(2).enumerate() {
            if pair[1] <= pair[0] || pair[1] % pair[0] != 0 {
                let (narrow, wide) = (given.widths[i], given.widths[i + 1]);
                let problem = format!(
                    "levels do not nest: {wide} is not a multiple of {narrow}; each width must be two or more times the one before it"
                );
                return Err(HierarchyError::parameter("intervals", problem));
            }
        }
        let (top, bottom) = (given.top.map(scale), given.bottom.map(scale));
        if let (Some(top), Some(bottom)) = (top, bottom)
            && top <= bottom
        {
            return Err(HierarchyError::parameter("top", "is not above `bottom`"));
        }
        Ok(Self { decimals, widths, min: scale(given.min), top, bottom })
    }

    fn place(&self, value: i128, width: i128) -> Place {
        if let Some(top) = self.top.filter(|&top| value >= top) {
            return Place::From(top);
        }
        if let Some(bottom) = self.bottom.filter(|&bottom| value < bottom) {
            return Place::Below(bottom);
        }
        let low = self.min + (value - self.min).div_euclid(width) * width;
        let high = low + width;
        Place::Between(
            self.bottom.map_or(low, |bottom| low.max(bottom)),
            self.top.map_or(high, |top| high.min(top)),
        )
    }

    fn label(&self, place: Place, whole: bool) -> String {
        let text = |scaled| self.text(scaled);
        match place {
            Place::Below(bottom) => format!("<{}", text(bottom)),
            Place::From(top) => format!(">={}", text(top)),
            Place::Between(low, high) if whole => super::from_to(&text(low), &text(high - 1)),
            Place::Between(low, high) => format!("[{},{})", text(low), text(high)),
        }
    }

    /// A scaled number as people write it.
    fn text(&self, scaled: i128) -> String {
        if self.decimals == 0 {
            return scaled.to_string();
        }
        let unit = 10_u128.pow(self.decimals);
        let sign = if scaled < 0 { "-" } else { "" };
        let (whole, part) = (scaled.unsigned_abs() / unit, scaled.unsigned_abs() % unit);
        if part == 0 {
            return format!("{sign}{whole}");
        }
        let part = format!("{part:0width$}", width = self.decimals as usize);
        format!("{sign}{whole}.{}", part.trim_end_matches('0'))
    }
}

/// Digits behind the point in the shortest writing of a number.
fn decimals_of(number: f64) -> u32 {
    number.to_string().split_once('.').map_or(0, |(_, digits)| digits.len() as u32)
}

/// The largest whole number of 10^-decimals that is not above the number in the text, read from its digits.
/// Nothing when the text is not a number or the result has more than 36 digits.
fn floor_scaled(text: &str, decimals: u32) -> Option<i128> {
    const MOST_DIGITS: i64 = 36;
    let (negative, text) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        None => (text, 0),
        Some((digits, exponent)) => {
            let size = exponent.trim_start_matches(['-', '+']);
            if size.is_empty() || !size.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            // A longer exponent means 0 or far too large, which a clamped one means as well.
            let size = size.parse().unwrap_or(i64::MAX).min(1 << 40);
            (digits, if exponent.starts_with('-') { -size } else { size })
        }
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + part.len() == 0 || !whole.bytes().chain(part.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits =
        || whole.bytes().chain(part.bytes()).skip_while(|&b| b == b'0').map(|b| i128::from(b - b'0'));
    let length = digits().count() as i64;
    if length == 0 {
        return Some(0);
    }
    // The result is the first `kept` digits, filled up with zeros if there are fewer.
    let kept = length + exponent - part.len() as i64 + i64::from(decimals);
    if kept > MOST_DIGITS {
        return None;
    }
    let kept = kept.max(0);
    let mut size: i128 = digits().chain(std::iter::repeat(0)).take(kept as usize).fold(0, |n, d| 10 * n + d);
    if negative {
        let cut_off = digits().skip(kept as usize).any(|digit| digit != 0);
        size = -size - i128::from(cut_off);
    }
    Some(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_their_digits() {
        for (text, decimals, expected) in [
            ("0", 0, Some(0)),
            ("007", 0, Some(7)),
            ("+12", 0, Some(12)),
            ("-12", 0, Some(-12)),
            ("0.3", 1, Some(3)),
            ("0.39", 1, Some(3)),
            ("-0.39", 1, Some(-4)),
            ("-0.30", 1, Some(-3)),
            ("1.5e2", 0, Some(150)),
            ("1.5e2", 2, Some(15_000)),
            ("15e-1", 0, Some(1)),
            ("-15e-1", 0, Some(-2)),
            ("1e-400", 3, Some(0)),
            ("-1e-400", 3, Some(-1)),
            ("1e-99999999999999999999999", 3, Some(0)),
            (".5", 1, Some(5)),
            ("5.", 1, Some(50)),
            ("1e30", 0, Some(10_i128.pow(30))),
            ("1e300", 0, None),
            ("0e99999999999999999999999", 0, Some(0)),
            ("", 0, None),
            ("-", 0, None),
            (".", 0, None),
            ("1e", 0, None),
            ("x", 0, None),
        ] {
            assert_eq!(floor_scaled(text, decimals), expected, "{text}");
        }
    }
}
