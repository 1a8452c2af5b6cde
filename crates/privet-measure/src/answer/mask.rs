//! Texts of which some characters are hidden: what a masked label (`130**`) and a `like` pattern say of each other.
//!
//! A mask stands for the texts that agree with it wherever it has no `*`, and for shorter ones too, because masks line texts
//! of different length up (`E11` and `E11.9` both become `E11**`). Where it is known that all texts of the column have one
//! length, or are digits, it stands for fewer.

use privet_data::Kind;

/// The masks of the lengths that a label may stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mask {
    variants: Vec<Vec<char>>,
    digits: bool,
}

impl Mask {
    /// `one_length`: all texts are as long as the label; `digits`: all are digits.
    pub fn new(label: &str, one_length: bool, digits: bool) -> Self {
        let whole: Vec<char> = label.chars().collect();
        let mut variants = vec![whole.clone()];
        if !one_length {
            let trailing = whole.iter().rev().take_while(|&&c| c == '*').count();
            let leading = whole.iter().take_while(|&&c| c == '*').count();
            variants.extend((1..=trailing).map(|cut| whole[..whole.len() - cut].to_vec()));
            variants.extend((1..=leading).map(|cut| whole[cut..].to_vec()));
            // Nobody's value is empty.
            variants.retain(|own| !own.is_empty());
        }
        Self { variants, digits }
    }

    /// How many texts it stands for, when every character is a digit and all have one length.
    pub fn codes(&self) -> Option<f64> {
        let [mask] = self.variants.as_slice() else { return None };
        let is_code = self.digits && mask.iter().all(|&c| c == '*' || c.is_ascii_digit());
        let hidden = mask.iter().filter(|&&c| c == '*').count();
        is_code.then(|| 10f64.powi(hidden.min(300) as i32))
    }

    /// The least and the largest number that a code of digits with hidden last digits stands for, and every one between.
    pub fn span(&self) -> Option<(f64, f64)> {
        self.codes()?;
        let mask = self.variants.first()?;
        let fixed: String = mask.iter().take_while(|c| c.is_ascii_digit()).collect();
        let is_prefix = mask[fixed.len()..].iter().all(|&c| c == '*') && mask.len() <= 15;
        let hidden = mask.len() - fixed.len();
        let of = |digit: &str| format!("{fixed}{}", digit.repeat(hidden)).parse().ok();
        if is_prefix { Some((of("0")?, of("9")?)) } else { None }
    }

    /// The characters of the label.
    pub fn length(&self) -> usize {
        self.variants.first().map_or(0, Vec::len)
    }

    /// Numbers among which those of its texts are, when the texts are numbers of this kind: a stretch for each length.
    pub fn numbers(&self, kind: Kind) -> Vec<(f64, f64)> {
        let any = (f64::NEG_INFINITY, f64::INFINITY);
        let of = |mask: &Vec<char>| {
            // A hidden point or exponent may mean anything.
            if kind != Kind::Integer && !self.digits {
                return any;
            }
            let filled = |mask: &[char], digit: char| -> Option<f64> {
                let text: String = mask.iter().map(|&c| if c == '*' { digit } else { c }).collect();
                text.parse().ok().filter(|own: &f64| own.is_finite())
            };
            let (Some(a), Some(b)) = (filled(mask, '0'), filled(mask, '9')) else { return any };
            let (mut least, most) = (a.min(b), a.max(b));
            if let Some(('*', rest @ [_, ..])) = mask.split_first().filter(|_| !self.digits)
                && let Some(size) = filled(rest, '9')
            {
                // The first character may be a sign.
                least = least.min(-size);
            }
            (least, most)
        };
        self.variants.iter().map(of).collect()
    }

    /// The share of its codes that begin so; none when it is no code of digits, or the beginning is no plain text.
    pub fn share_with_prefix(&self, prefix: &str) -> Option<f64> {
        self.codes()?;
        let mask = self.variants.first()?;
        if prefix.contains(['%', '_']) {
            return None;
        }
        let mut share = if prefix.chars().count() <= mask.len() { 1.0 } else { 0.0 };
        for (own, &shown) in prefix.chars().zip(mask) {
            share *= match shown {
                '*' if own.is_ascii_digit() => 0.1,
                shown if shown == own => 1.0,
                _ => 0.0,
            };
        }
        Some(share)
    }

    /// Whether it may stand for this text.
    pub fn takes(&self, text: &str) -> bool {
        let fits = |mask: &Vec<char>| {
            text.chars().count() == mask.len()
                && text
                    .chars()
                    .zip(mask)
                    .all(|(own, &m)| m == own || m == '*' && (!self.digits || own.is_ascii_digit()))
        };
        self.variants.iter().any(fits)
    }

    /// Whether all texts of the other are texts of this; false where it cannot be told.
    pub fn holds(&self, other: &Mask) -> bool {
        let inside = |inner: &Vec<char>| {
            let is_in = |outer: &Vec<char>| {
                outer.len() == inner.len() && outer.iter().zip(inner).all(|(&o, &i)| o == '*' || o == i)
            };
            self.variants.iter().any(is_in)
        };
        other.variants.iter().all(inside)
    }

    /// Whether some text may be of both.
    pub fn meets(&self, other: &Mask) -> bool {
        self.variants.iter().any(|a| {
            let agree = |b: &Vec<char>| {
                a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| x == '*' || y == '*' || x == y)
            };
            other.variants.iter().any(agree)
        })
    }

    /// Whether its texts have this form: certainly, possibly. Certainty may be missed, never claimed wrongly.
    pub fn like(&self, pattern: &str) -> (bool, bool) {
        let certain = self.variants.iter().all(|mask| matches(mask, pattern, Hidden::Unhelpful));
        let possible = self.variants.iter().any(|mask| matches(mask, pattern, Hidden::Suitable));
        (certain, possible)
    }
}

/// Whether a text has the form of a `like` pattern: `%` for any characters, `_` for one.
pub fn like(text: &str, pattern: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    matches(&text, pattern, Hidden::Never)
}

/// What a `*` of the text is.
#[derive(Clone, Copy, PartialEq)]
enum Hidden {
    /// A character like any other.
    Never,
    /// Whatever the pattern asks for.
    Suitable,
    /// A character that no letter of the pattern matches.
    Unhelpful,
}

fn matches(text: &[char], pattern: &str, hidden: Hidden) -> bool {
    // Per number of characters read, whether the pattern so far can have matched them.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true; // why: there is at least one entry
    for form in pattern.chars() {
        if form == '%' {
            let first = reached.iter().position(|&r| r).unwrap_or(reached.len());
            reached.iter_mut().skip(first).for_each(|r| *r = true);
            continue;
        }
        for at in (0..text.len()).rev() {
            let own = text[at];
            let fits = match hidden {
                _ if form == '_' => true,
                Hidden::Never => own == form,
                Hidden::Suitable => own == form || own == '*',
                Hidden::Unhelpful => own == form && own != '*',
            };
            reached[at + 1] = reached[at] && fits;
        }
        reached[0] = false; // why: there is at least one entry
    }
    reached.last().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_texts() {
        for (text, pattern, expected) in [
            ("13053", "130%", true),
            ("13053", "%53", true),
            ("13053", "1_0%3", true),
            ("13053", "13053", true),
            ("13053", "1305", false),
            ("13053", "1305_", true),
            ("", "%", true),
            ("", "", true),
            ("", "_", false),
            ("a%b", "a%%b", true),
            ("a*b", "a*b", true),
            ("abcabc", "%abc", true),
            ("abcabd", "%abc", false),
        ] {
            assert_eq!(like(text, pattern), expected, "{text} like {pattern}");
        }
    }

    #[test]
    fn masks_decide_what_they_show() {
        let mask = Mask::new("130**", true, true);
        assert!(mask.takes("13053") && !mask.takes("1305") && !mask.takes("14053") && !mask.takes("130ab"));
        assert_eq!(mask.like("130%"), (true, true));
        assert_eq!(mask.like("13053"), (false, true));
        assert_eq!(mask.like("14%"), (false, false));
        assert_eq!(mask.like("_____"), (true, true));
        assert_eq!((mask.codes(), mask.span()), (Some(100.0), Some((13000.0, 13099.0))));
        // Masks line texts of different length up.
        let code = Mask::new("E11**", false, false);
        assert!(code.takes("E11") && code.takes("E11.9") && !code.takes("E1") && code.codes().is_none());
        assert_eq!(code.like("E11__"), (false, true));
        let wider = Mask::new("13***", true, true);
        assert!(wider.holds(&mask) && !mask.holds(&wider));
        assert!(mask.meets(&wider) && !mask.meets(&Mask::new("14***", true, true)));
    }

    /// `13***` hides 13 and 130 too, unless all codes have five digits, and 13ab1 unless all are digits.
    #[test]
    fn masks_hide_shorter_texts_and_letters_unless_told_otherwise() {
        let open = Mask::new("13***", false, false);
        assert!(open.takes("13") && open.takes("130") && open.takes("13ab1") && !open.takes("1"));
        assert_eq!((open.codes(), open.span()), (None, None));
        assert_eq!(open.like("13___"), (false, true));
        let numbers = |label: &str, digits: bool| Mask::new(label, false, digits).numbers(Kind::Integer);
        assert_eq!(
            numbers("13***", true),
            [(13_000.0, 13_999.0), (1300.0, 1399.0), (130.0, 139.0), (13.0, 13.0)]
        );
        assert_eq!(numbers("**5", true), [(5.0, 995.0), (5.0, 95.0), (5.0, 5.0)]);
        assert_eq!(numbers("**5", false), [(-95.0, 995.0), (-5.0, 95.0), (5.0, 5.0)]);
        assert_eq!(numbers("-3*", false), [(-39.0, -30.0), (-3.0, -3.0)]);
        let decimal = Mask::new("1**", false, false).numbers(Kind::Decimal);
        assert!(decimal.iter().all(|own| *own == (f64::NEG_INFINITY, f64::INFINITY)));
    }
}
