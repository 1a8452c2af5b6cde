//! Declared keys of a column of `group by`, and the numbers that they are.

/// Refuses keys of which one is given twice, and none at all.
///
/// # Errors
/// What is wrong with them, as the end of a sentence.
pub fn check_keys(keys: &[String], other: Option<&str>) -> Result<(), &'static str> {
    let mut sorted: Vec<&str> = keys.iter().map(String::as_str).chain(other).collect();
    sorted.sort_unstable();
    let mut whole: Vec<Decimal> =
        keys.iter().filter_map(|key| decimal(key)).filter(Decimal::is_whole).collect();
    whole.sort_unstable();
    match sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        true => Err("hold one of them twice; every key, and the label of the others, must be different"),
        false if whole.windows(2).any(|pair| pair[0] == pair[1]) => Err(
            "hold one number twice, written in two ways; cells are compared with keys as numbers too, so give it once",
        ),
        false if keys.is_empty() => Err("are none; declare at least one"),
        false => Ok(()),
    }
}

/// A decimal number, exactly: its digits without idle zeros, and the power of ten of the last of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Decimal {
    is_negative: bool,
    digits: String,
    power: i64,
}

impl Decimal {
    fn is_whole(&self) -> bool {
        self.power >= 0
    }
}

/// The number that a text is; none for codes, and for what is no finite number.
pub fn decimal(text: &str) -> Option<Decimal> {
    let text = text.trim();
    let (is_negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, power) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, power)) => (mantissa, power.parse::<i32>().ok()?.into()),
        None => (unsigned, 0i64),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_code = whole.len() > 1 && whole.starts_with('0');
    if !is_digits(whole) || !is_digits(fraction) || is_code || whole.len() + fraction.len() == 0 {
        return None;
    }
    let all = format!("{whole}{fraction}");
    let kept = all.trim_end_matches('0');
    let power = power - fraction.len() as i64 + (all.len() - kept.len()) as i64;
    let digits = kept.trim_start_matches('0').to_owned();
    match digits.is_empty() {
        true => Some(Decimal { is_negative: false, digits, power: 0 }),
        false => Some(Decimal { is_negative, digits, power }),
    }
}
