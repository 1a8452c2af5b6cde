//! Budgets as exact fractions: epsilon, delta, and how losses add up (survey PM-17, PM-29, PM-35, TH-24, ERR-10).
//!
//! Guarantee: parsed exactly from decimal text or a fraction, never through floating point; composition is exact addition, which
//! holds for e^epsilon and not for the ratio form that the survey's chapter 2 prints (there losses multiply). Budgets and
//! charges are kept as they were written, so 7/3 pays for 7/3, and 1 for three thirds. Only fractions so long that a
//! ledger would grow without bound are rounded, a loss up and a promise down: always against the one who asks.

use std::fmt;
use std::str::FromStr;

use dashu::base::BitTest;
use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

use crate::DpError;
use crate::exact;

const EPSILON: &str = "a decimal number above 0 and at most 1000, such as 0.5 or 1/3";
const RHO: &str = "a decimal number above 0 and at most 1000, such as 0.5 or 1/3";
const DELTA: &str = "a decimal number from 0 to below 1, such as 1e-6; 0 or at least 1e-300";
/// The digits after the decimal point that are shown; what has more is shown as a fraction.
const DIGITS: usize = 30;
/// The characters of an amount that people still read as a whole.
const READABLE: usize = 14;
/// The digits after the decimal point that are left of a fraction that is too long: as many as the least delta needs.
const ROUNDED: usize = 300;
/// Bits of a denominator up to which a single amount stays as it is; those of 10^300 are 997.
const EXACT_BITS: usize = 1000;
/// Bits of a denominator up to which what is left of a budget stays as it is. It grows with every new denominator that is
/// charged.
const LEFT_BITS: usize = 2000;
/// The longest amount of a ledger as text: two numbers of [`LEFT_BITS`] and of as much as a rounded one adds.
const LONGEST: usize = 4000;

/// The exponent of a privacy guarantee: every answer is at most e^epsilon times as likely with a person as without.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epsilon(RBig);

/// The probability with which a guarantee may fail.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delta(RBig);

impl Epsilon {
    /// From an exact fraction.
    pub fn new(value: RBig) -> Result<Self, DpError> {
        if value <= RBig::ZERO || value > RBig::from(1000) {
            return Err(DpError::parameter("epsilon", EPSILON));
        }
        Ok(Self(value))
    }

    /// From the survey's ratio form of definition 2.6 (ERR-10): the largest epsilon we can vouch for with
    /// e^epsilon ≤ ratio, that is ln(ratio) rounded down.
    pub fn from_ratio(ratio: &RBig) -> Result<Self, DpError> {
        let below = exact::ln_lower(ratio);
        below.ok_or_else(|| DpError::parameter("ratio", "a number above 1")).and_then(Self::new)
    }

    /// The exact value.
    pub fn value(&self) -> &RBig {
        &self.0
    }

    /// An equal share of it for each of `parts` questions.
    pub fn split(&self, parts: u64) -> Result<Self, DpError> {
        if parts == 0 {
            return Err(DpError::parameter("the number of parts", "1 or more"));
        }
        Self::new(&self.0 / RBig::from(parts))
    }
}

impl Delta {
    /// From an exact fraction.
    pub fn new(value: RBig) -> Result<Self, DpError> {
        let tiny = value > RBig::ZERO
            && value.denominator() > &(value.numerator().clone().into_parts().1 * UBig::from(10u8).pow(300));
        if value < RBig::ZERO || value >= RBig::ONE || tiny {
            return Err(DpError::parameter("delta", DELTA));
        }
        Ok(Self(value))
    }

    /// The exact value.
    pub fn value(&self) -> &RBig {
        &self.0
    }
}

/// A concentrated loss (zCDP, Bun and Steinke 2016): the Rényi divergence of every order α between the answers about two neighbours is
/// at most α·rho.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rho(RBig);

impl Rho {
    /// From an exact fraction.
    pub fn new(value: RBig) -> Result<Self, DpError> {
        if value <= RBig::ZERO || value > RBig::from(1000) {
            return Err(DpError::parameter("rho", RHO));
        }
        Ok(Self(value))
    }

    /// What a pure epsilon costs: epsilon²/2 (Bun and Steinke 2016, proposition 1.4).
    pub fn of_pure(epsilon: &Epsilon) -> Result<Self, DpError> {
        Self::new(half_square(&epsilon.0))
    }

    /// A rho that is proved to imply (epsilon, delta), rounded down.
    pub fn within(epsilon: &Epsilon, delta: &Delta) -> Result<Self, DpError> {
        let variance = crate::gaussian::variance(&epsilon.0, &delta.0);
        let variance = variance.ok_or_else(|| DpError::parameter("delta", "above 0, such as 1e-6"))?;
        Self::new(RBig::ONE / (RBig::from(2) * variance))
    }

    /// The exact value.
    pub fn value(&self) -> &RBig {
        &self.0
    }

    /// An equal share of it for each of `parts` questions.
    pub fn split(&self, parts: u64) -> Result<Self, DpError> {
        match parts {
            0 => Err(DpError::parameter("the number of parts", "1 or more")),
            _ => Self::new(&self.0 / RBig::from(parts)),
        }
    }

    /// A pure epsilon that costs this much at most: √(2·rho), rounded down.
    pub fn pure_epsilon(&self) -> Result<Epsilon, DpError> {
        let twice = &self.0 + &self.0;
        let above = exact::sqrt_upper(&twice);
        // Of a and 2rho/a one is at most the root.
        Epsilon::new((&twice / &above).min(above))
    }

    /// An epsilon for which (epsilon, delta) follows, rounded up; nothing when delta is 0 or below e^−4000.
    pub fn epsilon_at(&self, delta: &Delta) -> Option<RBig> {
        crate::gaussian::epsilon_of(&self.0, &delta.0)
    }
}

impl FromStr for Rho {
    type Err = DpError;
    fn from_str(text: &str) -> Result<Self, DpError> {
        parse(text).ok_or_else(|| DpError::parameter("rho", RHO)).and_then(Self::new)
    }
}

fn half_square(epsilon: &RBig) -> RBig {
    epsilon * epsilon / RBig::from(2)
}

impl FromStr for Epsilon {
    type Err = DpError;
    fn from_str(text: &str) -> Result<Self, DpError> {
        parse(text).ok_or_else(|| DpError::parameter("epsilon", EPSILON)).and_then(Self::new)
    }
}

impl FromStr for Delta {
    type Err = DpError;
    fn from_str(text: &str) -> Result<Self, DpError> {
        parse(text).ok_or_else(|| DpError::parameter("delta", DELTA)).and_then(Self::new)
    }
}

/// What one answer may cost: pure, or with a probability of failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Privacy {
    /// e^epsilon for every answer.
    Pure(Epsilon),
    /// P(A(T1) ∈ O) ≤ e^epsilon P(A(T2) ∈ O) + delta for every set of answers (PM-29), with delta above 0.
    Approximate(Epsilon, Delta),
    /// e^epsilon for every answer but a set of total probability delta (PM-28), with delta above 0. It implies the form
    /// before with the same numbers, so it adds up with it; unlike that form it is about the noisy numbers themselves and
    /// not about all that is computed from them.
    Probabilistic(Epsilon, Delta),
    /// A concentrated loss: Gaussian noise of variance S²/(2·rho), S the Euclidean sensitivity, has exactly this.
    Concentrated(Rho),
}

impl Privacy {
    /// Its cost.
    pub fn loss(&self) -> Loss {
        match self {
            Self::Pure(epsilon) => Loss { epsilon: epsilon.0.clone(), ..Loss::none() },
            Self::Approximate(epsilon, delta) | Self::Probabilistic(epsilon, delta) => {
                Loss { epsilon: epsilon.0.clone(), delta: delta.0.clone(), rho: None }
            }
            Self::Concentrated(rho) => Loss { rho: Some(rho.0.clone()), ..Loss::none() },
        }
    }
}

/// A privacy loss, or what is left of a budget: no part below 0. It is either an epsilon with a delta, or a concentrated loss, whose
/// unit is rho; a budget of the second kind pays for pure losses too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    epsilon: RBig,
    delta: RBig,
    rho: Option<RBig>,
}

impl Loss {
    /// Nothing.
    pub fn none() -> Self {
        Self { epsilon: RBig::ZERO, delta: RBig::ZERO, rho: None }
    }

    /// From exact fractions, neither below 0.
    pub fn new(epsilon: RBig, delta: RBig) -> Result<Self, DpError> {
        if epsilon < RBig::ZERO || delta < RBig::ZERO || delta > RBig::ONE {
            return Err(DpError::parameter("a loss", "an epsilon of 0 or more and a delta from 0 to 1"));
        }
        Ok(Self { epsilon, delta, rho: None })
    }

    /// A concentrated loss, not below 0.
    pub fn concentrated(rho: RBig) -> Result<Self, DpError> {
        match rho < RBig::ZERO {
            true => Err(DpError::parameter("a loss", "a rho of 0 or more")),
            false => Ok(Self { rho: Some(rho), ..Self::none() }),
        }
    }

    /// Its rho, where it is a concentrated loss; epsilon and delta are 0 then.
    pub fn rho(&self) -> Option<&RBig> {
        self.rho.as_ref()
    }

    /// Its epsilon.
    pub fn epsilon(&self) -> &RBig {
        &self.epsilon
    }

    /// Its delta.
    pub fn delta(&self) -> &RBig {
        &self.delta
    }

    /// Whether it costs nothing.
    pub fn is_none(&self) -> bool {
        self.epsilon.is_zero() && self.delta.is_zero() && self.rho.as_ref().is_none_or(RBig::is_zero)
    }

    /// Sequential composition (PM-35, TH-24): answers about the same people, by whatever mechanisms.
    pub fn sequential<'a>(losses: impl IntoIterator<Item = &'a Loss>) -> Self {
        losses.into_iter().fold(Self::none(), |sum, loss| Self {
            epsilon: sum.epsilon + &loss.epsilon,
            delta: (sum.delta + &loss.delta).min(RBig::ONE),
            rho: match (sum.rho, &loss.rho) {
                (Some(sum), Some(own)) => Some(sum + own),
                (sum, own) => sum.or_else(|| own.clone()),
            },
        })
    }

    /// Parallel composition: answers about groups of people that were declared disjoint, so that every person is in
    /// one of them at most and stays in it. Holds for add/remove neighbours; when a person may be *replaced* by one of
    /// another group, two groups change, and the two largest losses add up.
    pub fn parallel<'a>(losses: impl IntoIterator<Item = &'a Loss>, neighbours: crate::Neighbours) -> Self {
        let affected = match neighbours {
            crate::Neighbours::AddRemove => 1,
            crate::Neighbours::ReplaceOne => 2,
        };
        let losses: Vec<&Loss> = losses.into_iter().collect();
        let (mut epsilons, mut deltas): (Vec<_>, Vec<_>) =
            losses.iter().map(|loss| (loss.epsilon.clone(), loss.delta.clone())).unzip();
        let mut rhos: Vec<RBig> = losses.iter().filter_map(|loss| loss.rho.clone()).collect();
        let largest = |values: &mut Vec<RBig>| {
            values.sort_unstable_by(|a, b| b.cmp(a));
            values.iter().take(affected).fold(RBig::ZERO, |sum, value| sum + value)
        };
        let rho = (!rhos.is_empty()).then(|| largest(&mut rhos));
        Self { epsilon: largest(&mut epsilons), delta: largest(&mut deltas).min(RBig::ONE), rho }
    }

    /// What is left of this budget after a loss, or `None` when it does not suffice. A budget in rho pays for a pure epsilon with
    /// epsilon²/2; nothing pays for a loss in another unit otherwise.
    pub fn after(&self, loss: &Loss) -> Option<Self> {
        match (&self.rho, &loss.rho) {
            (None, None) => {}
            (None, Some(_)) => return None,
            (Some(_), None) if !loss.delta.is_zero() => return None,
            (Some(left), asked) => {
                let asked = asked.clone().unwrap_or_else(|| half_square(&loss.epsilon));
                return (asked <= *left).then(|| Self { rho: Some(left - asked), ..Self::none() });
            }
        }
        if loss.epsilon > self.epsilon || loss.delta > self.delta {
            return None;
        }
        Some(Self { epsilon: &self.epsilon - &loss.epsilon, delta: &self.delta - &loss.delta, rho: None })
    }

    /// Epsilon and delta as decimal text; as fractions where 30 digits after the point do not suffice.
    pub fn decimals(&self) -> [String; 2] {
        [decimal(&self.epsilon), decimal(&self.delta)]
    }

    /// Rho as decimal text and for people, where it is a concentrated loss.
    pub fn rho_text(&self) -> Option<[String; 2]> {
        self.rho.as_ref().map(|rho| [decimal(rho), readable(rho)])
    }

    /// Epsilon and delta for people: exact where that takes few digits, and otherwise ten of them after `about`.
    pub fn words(&self) -> [String; 2] {
        [readable(&self.epsilon), readable(&self.delta)]
    }

    /// As a charge: exact, or rounded up to 300 digits after the decimal point where its denominator has more than 1000
    /// bits.
    pub fn rounded_up(&self) -> Self {
        self.map(|own| rounded(own, EXACT_BITS, true))
    }

    /// As a budget: exact, or rounded down in the same way.
    pub fn rounded_down(&self) -> Self {
        self.map(|own| rounded(own, EXACT_BITS, false))
    }

    /// A charge on this budget: what is charged, and what is left, which together are the budget; `None` when it does not
    /// suffice. More than the loss is charged only where what is left would have a denominator of more than 2000 bits:
    /// then it is rounded down to 300 digits after the decimal point.
    pub fn charged(&self, loss: &Loss) -> Option<(Self, Self)> {
        let left = self.after(loss)?.map(|own| rounded(own, LEFT_BITS, false));
        let rho = self.rho.as_ref().zip(left.rho.as_ref()).map(|(before, after)| before - after);
        let charge = Self { epsilon: &self.epsilon - &left.epsilon, delta: &self.delta - &left.delta, rho };
        Some((charge, left))
    }

    fn map(&self, round: impl Fn(&RBig) -> RBig) -> Self {
        Self { epsilon: round(&self.epsilon), delta: round(&self.delta), rho: self.rho.as_ref().map(round) }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(rho) = &self.rho {
            return write!(f, "rho {}", readable(rho));
        }
        let [epsilon, delta] = self.words();
        write!(f, "epsilon {epsilon}")?;
        if self.delta.is_zero() { Ok(()) } else { write!(f, ", delta {delta}") }
    }
}

/// Exact text of at most [`READABLE`] characters; otherwise ten digits, which are only called exact when they are.
fn readable(value: &RBig) -> String {
    let exact = decimal(value);
    if exact.len() <= READABLE {
        return exact;
    }
    let near = value.to_f64().value();
    let text = if near >= 1e-4 {
        let text = format!("{near:.10}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        let text = format!("{near:.9e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
    };
    if parse_long(&text).as_ref() == Some(value) { text } else { format!("about {text}") }
}

/// Decimal text of a value of up to 30 digits after the point, and a fraction otherwise.
fn decimal(value: &RBig) -> String {
    let scaled = value * RBig::from(IBig::from(10).pow(DIGITS));
    if value.is_int() || !scaled.is_int() || *value < RBig::ZERO {
        return value.to_string();
    }
    let digits = format!("{:0>width$}", scaled.numerator().to_string(), width = DIGITS + 1);
    let (whole, fraction) = digits.split_at(digits.len() - DIGITS);
    format!("{whole}.{}", fraction.trim_end_matches('0'))
}

/// The value itself, or rounded where its denominator has more bits than these.
fn rounded(value: &RBig, bits: usize, up: bool) -> RBig {
    if value.denominator().bit_len() <= bits {
        return value.clone();
    }
    let scale = UBig::from(10u8).pow(ROUNDED);
    let scaled = value * RBig::from(IBig::from(scale.clone()));
    RBig::from_parts(if up { scaled.ceil() } else { scaled.floor() }, scale)
}

/// An exact fraction from text: `0.5`, `1e-6`, `1/3`. Short texts only, so that nobody can make us compute 10^1000000.
pub(crate) fn parse(text: &str) -> Option<RBig> {
    if text.len() > 200 { None } else { parse_long(text) }
}

/// The same for what a ledger holds, which may be longer than what anybody writes.
pub(crate) fn parse_stored(text: &str) -> Option<RBig> {
    if text.len() > LONGEST { None } else { parse_long(text) }
}

fn parse_long(text: &str) -> Option<RBig> {
    let text = text.trim();
    if let Some((above, below)) = text.split_once('/') {
        let (above, below) = (digits(above.trim())?, digits(below.trim())?);
        return (below != UBig::ZERO).then(|| RBig::from_parts(IBig::from(above), below));
    }
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => {
            (number, exponent.parse::<i32>().ok().filter(|e| e.unsigned_abs() <= 300)?)
        }
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    // No digit is no number, not 0.
    if fraction.is_empty() && whole.is_empty() {
        return None;
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    let all = digits(&[whole, fraction].concat())?;
    let exponent = exponent - fraction.len() as i32;
    let power = UBig::from(10u8).pow(exponent.unsigned_abs() as usize);
    Some(match exponent {
        0.. => RBig::from(IBig::from(all * power)),
        _ => RBig::from_parts(IBig::from(all), power),
    })
}

fn digits(text: &str) -> Option<UBig> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Neighbours;
    use proptest::prelude::*;

    #[test]
    fn no_digit_is_no_number() {
        for text in ["", " ", ".", "e5", ".e5", "-", "1/", "/1"] {
            assert_eq!(parse(text), None, "{text:?}");
        }
        assert_eq!(parse("1.e1"), parse("10"));
        assert_eq!(parse(".5"), parse("1/2"));
    }

    fn loss(epsilon: &str, delta: &str) -> Loss {
        Loss::new(parse(epsilon).unwrap(), parse(delta).unwrap()).unwrap()
    }

    #[test]
    fn exponents_that_nobody_means_are_refused() {
        for text in ["1e-2147483648", "1e2147483647", "1e-301", "1e301", "0.1e", "1e+-1"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    /// By hand: an epsilon of 0.3 is a rho of 0.045; Bun and Steinke: rho 1/2 at delta 1e-6 gives less than 1/2 + 2√(ln(10^6)/2) = 5.757.
    #[test]
    fn concentrated_losses_have_their_own_unit() {
        let rho = |text: &str| Loss::concentrated(parse(text).unwrap()).unwrap();
        let budget = rho("0.5");
        assert_eq!(budget.after(&rho("0.2")), Some(rho("0.3")));
        assert_eq!(budget.after(&loss("0.3", "0")), Some(rho("0.455")));
        assert_eq!(budget.after(&loss("1.1", "0")), None);
        assert_eq!(budget.after(&loss("0.1", "1e-6")), None);
        assert_eq!(loss("9", "0.1").after(&rho("0.1")), None);
        let (charge, left) = budget.charged(&loss("1", "0")).unwrap();
        assert_eq!((charge, left.clone()), (budget.clone(), rho("0")));
        assert!(left.is_none() && left.to_string() == "rho 0" && budget.to_string() == "rho 0.5");
        let own: Rho = "0.5".parse().unwrap();
        let epsilon = own.epsilon_at(&"1e-6".parse().unwrap()).unwrap().to_f64().value();
        assert!((4.5..5.757).contains(&epsilon), "{epsilon}");
        let pure = own.pure_epsilon().unwrap();
        assert!(Rho::of_pure(&pure).unwrap() <= own && pure.value().to_f64().value() > 0.999_999);
        assert_eq!(Rho::of_pure(&"0.3".parse().unwrap()).unwrap(), "0.045".parse().unwrap());
        assert!("0".parse::<Rho>().is_err() && Loss::concentrated(RBig::from(-1)).is_err());
    }

    #[test]
    fn exact_decimal_text() {
        assert_eq!("0.1".parse::<Epsilon>().unwrap().value(), &RBig::from_parts(1.into(), 10u8.into()));
        assert_eq!("1/3".parse::<Epsilon>().unwrap().value(), &RBig::from_parts(1.into(), 3u8.into()));
        assert_eq!(
            "1e-6".parse::<Delta>().unwrap().value(),
            &RBig::from_parts(1.into(), 1_000_000u32.into())
        );
        assert_eq!(".5".parse::<Epsilon>().unwrap(), "0.50".parse().unwrap());
        // Ten tenths are one, which they are not in floating point.
        let tenth = loss("0.1", "0");
        assert_eq!(Loss::sequential(std::iter::repeat_n(&tenth, 10)), loss("1", "0"));
    }

    #[test]
    fn absurd_values_are_refused() {
        for text in [
            "",
            "0",
            "-1",
            "inf",
            "NaN",
            "1e999999999",
            "1/0",
            "0.0",
            "1001",
            ".",
            "+1",
            "1e",
            "0x1",
            "1_0",
            "--1",
            "1/2/3",
        ] {
            assert!(text.parse::<Epsilon>().is_err(), "{text}");
        }
        for text in ["1", "-0.1", "nan", "1e-301", "2"] {
            assert!(text.parse::<Delta>().is_err(), "{text}");
        }
        assert!("0".parse::<Delta>().is_ok());
        assert!("1".parse::<Epsilon>().unwrap().split(0).is_err());
        assert!(Loss::new(RBig::from(-1), RBig::ZERO).is_err());
    }

    #[test]
    fn amounts_are_readable() {
        assert_eq!(loss("0.25", "1e-6").to_string(), "epsilon 0.25, delta 0.000001");
        assert_eq!(loss("12", "0").to_string(), "epsilon 12");
        assert_eq!(loss("0.25", "1e-6").decimals(), ["0.25", "0.000001"]);
        assert_eq!(loss("1/3", "0").to_string(), "epsilon 1/3");
        assert_eq!(
            loss("0.1234567890123456", "1e-300").to_string(),
            "epsilon about 0.123456789, delta 1e-300"
        );
        assert_eq!(loss("123456789/987654321", "1/3000000000000000").words()[0], "about 0.1249999989");
        assert_eq!(loss("0", "1/3000000000000000").words()[1], "about 3.333333333e-16");
        assert_eq!(loss("999.9999999999999999", "0").to_string(), "epsilon about 1000");
    }

    /// survey ERR-10, TH-24: ratios multiply where epsilons add.
    #[test]
    fn the_ratio_form_multiplies() {
        let two = Epsilon::from_ratio(&RBig::from(2)).unwrap();
        let six = Epsilon::from_ratio(&RBig::from(6)).unwrap();
        let three = Epsilon::from_ratio(&RBig::from(3)).unwrap();
        let gap = six.value() - two.value() - three.value();
        assert!(gap.to_f64().value().abs() < 1e-12);
        assert!(Epsilon::from_ratio(&RBig::ONE).is_err() && Epsilon::from_ratio(&RBig::ZERO).is_err());
        assert!(two.value().to_f64().value() <= 2f64.ln());
    }

    #[test]
    fn parallel_composition_depends_on_the_neighbours() {
        let all = [loss("0.5", "0"), loss("0.2", "0.1"), loss("0.4", "0.01")];
        assert_eq!(Loss::parallel(&all, Neighbours::AddRemove), loss("0.5", "0.1"));
        assert_eq!(Loss::parallel(&all, Neighbours::ReplaceOne), loss("0.9", "0.11"));
        assert!(Loss::parallel(&[], Neighbours::ReplaceOne).is_none());
    }

    /// What is written is kept: fractions, the least delta that there is, and thirds of one.
    #[test]
    fn a_budget_pays_for_what_is_written_the_same_way() {
        for text in ["7/3", "1/3", "0.1", "123456789/987654321", "0.1234567890123456789012345678901234567890"]
        {
            let own = loss(text, "1e-300");
            assert_eq!((own.rounded_up(), own.rounded_down()), (own.clone(), own.clone()));
            let (charge, left) = own.rounded_down().charged(&own.rounded_up()).unwrap();
            assert!(charge == own && left.is_none(), "{text}");
        }
        let mut left = loss("1", "0");
        for _ in 0..3 {
            left = left.charged(&loss("1/3", "0")).unwrap().1;
        }
        assert!(left.is_none());
    }

    /// Charges with ever new denominators: what is left stays short enough to be stored and read, never exceeds what is
    /// left exactly, and is hardly less.
    #[test]
    fn fractions_do_not_grow_without_bound() {
        let mut left = loss("900", "0.5");
        let mut exact = left.clone();
        for step in 0..40u64 {
            let below = format!("{}7", "9".repeat(60 + (step as usize % 20)));
            let own = loss(&format!("{}/{below}", step + 1), &format!("1/{below}1{step}"));
            let (charge, after) = left.charged(&own).unwrap();
            assert!(charge.epsilon() >= own.epsilon() && charge.delta() >= own.delta());
            assert_eq!(left.after(&charge), Some(after.clone()));
            for amount in [charge.epsilon(), charge.delta(), after.epsilon(), after.delta()] {
                assert_eq!(parse_stored(&amount.to_string()).as_ref(), Some(amount), "{step}");
            }
            (left, exact) = (after, exact.after(&own).unwrap());
            assert!(left.epsilon() <= exact.epsilon() && left.delta() <= exact.delta());
        }
        assert!(exact.epsilon().denominator().bit_len() > LEFT_BITS, "the test never rounds");
        assert!(left.epsilon().denominator().bit_len() <= LEFT_BITS);
        let lost = exact.epsilon() - left.epsilon();
        assert!(lost <= RBig::from_parts(IBig::from(40), UBig::from(10u8).pow(ROUNDED)));
    }

    proptest! {
        #[test]
        fn rounding_is_against_the_asker(p in 1u64.., q in 1u64..) {
            // A denominator of more than 1000 bits, with 1 beside a large power.
            let below = UBig::from(q) * UBig::from(3u8).pow(640) + UBig::ONE;
            let value = RBig::from_parts(IBig::from(p), below);
            let exact = Loss::new(value, RBig::ZERO).unwrap();
            prop_assert!(exact.epsilon().denominator().bit_len() > EXACT_BITS);
            prop_assert!(exact.rounded_up().epsilon() > exact.epsilon());
            prop_assert!(exact.rounded_down().epsilon() < exact.epsilon());
            let least = RBig::from_parts(IBig::ONE, UBig::from(10u8).pow(ROUNDED));
            prop_assert_eq!(exact.rounded_up().epsilon() - exact.rounded_down().epsilon(), least);
            prop_assert!(exact.rounded_down().after(&exact.rounded_up()).is_none());
        }

        #[test]
        fn any_text_is_parsed_or_refused(text in "\\PC{0,24}") {
            let _ = text.parse::<Epsilon>();
            let _ = text.parse::<Delta>();
        }
    }
}
