//! Texts of which some characters are hidden: what a masked label (`130**`) and a `like` pattern say of each other.
//!
//! A mask stands for the texts that agree with it wherever it has no `*`. A mask with a letter in it may also stand for
//! shorter texts, because masks line texts of different length up (`E11` and `E11.9` both become `E11**`); a mask of
//! digits alone is read as a code of exactly that length.

/// The masks of the lengths that a label may stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mask {
    variants: Vec<Vec<char>>,
}

impl Mask {
    pub fn new(label: &str) -> Self {
        let whole: Vec<char> = label.chars().collect();
        let is_code = whole.iter().all(|&c| c == '*' || c.is_ascii_digit());
        let mut variants = vec![whole.clone()];
        if !is_code {
            let trailing = whole.iter().rev().take_while(|&&c| c == '*').count();
            let leading = whole.iter().take_while(|&&c| c == '*').count();
            if trailing < whole.len() {
                variants.extend((1..=trailing).map(|cut| whole[..whole.len() - cut].to_vec()));
                variants.extend((1..=leading).map(|cut| whole[cut..].to_vec()));
            }
        }
        Self { variants }
    }

    /// How many texts it stands for, when every character is a digit.
    pub fn codes(&self) -> Option<f64> {
        let mask = self.variants.first()?;
        let is_code = mask.iter().all(|&c| c == '*' || c.is_ascii_digit());
        let hidden = mask.iter().filter(|&&c| c == '*').count();
        is_code.then(|| 10f64.powi(hidden.min(300) as i32))
    }

    /// The least and the largest number that a code of digits with hidden last digits stands for.
    pub fn span(&self) -> Option<(f64, f64)> {
        let mask = self.variants.first()?;
        let fixed: String = mask.iter().take_while(|c| c.is_ascii_digit()).collect();
        let is_prefix = mask[fixed.len()..].iter().all(|&c| c == '*') && mask.len() <= 15;
        let hidden = mask.len() - fixed.len();
        let of = |digit: &str| format!("{fixed}{}", digit.repeat(hidden)).parse().ok();
        if is_prefix { Some((of("0")?, of("9")?)) } else { None }
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
        let is_code = self.codes().is_some();
        let fits = |mask: &Vec<char>| {
            text.chars().count() == mask.len()
                && text
                    .chars()
                    .zip(mask)
                    .all(|(own, &m)| m == own || m == '*' && (!is_code || own.is_ascii_digit()))
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
        let mask = Mask::new("130**");
        assert!(mask.takes("13053") && !mask.takes("1305") && !mask.takes("14053") && !mask.takes("130ab"));
        assert_eq!(mask.like("130%"), (true, true));
        assert_eq!(mask.like("13053"), (false, true));
        assert_eq!(mask.like("14%"), (false, false));
        assert_eq!(mask.like("_____"), (true, true));
        assert_eq!((mask.codes(), mask.span()), (Some(100.0), Some((13000.0, 13099.0))));
        // Masks line texts of different length up.
        let code = Mask::new("E11**");
        assert!(code.takes("E11") && code.takes("E11.9") && !code.takes("E1") && code.codes().is_none());
        assert_eq!(code.like("E11__"), (false, true));
        assert!(Mask::new("13***").holds(&mask) && !mask.holds(&Mask::new("13***")));
        assert!(mask.meets(&Mask::new("13***")) && !mask.meets(&Mask::new("14***")));
    }
}
